//! What `list` says.

use super::page::Page;
use super::table::left;
use crate::system::{Builtin, sanitize};

/// Name, title and source of each system: in three columns, or where that is too wide with the source
/// below the title.
pub fn list_text(systems: &[Builtin], width: usize) -> String {
    let mut page = Page::new(width);
    let rows: Vec<[String; 3]> = systems
        .iter()
        .map(|s| {
            let source = s.source().unwrap_or_default();
            [s.name.to_owned(), sanitize(&s.title()), sanitize(&source)]
        })
        .collect();
    let wide: Vec<Vec<String>> = rows.iter().map(|row| row.to_vec()).collect();
    let wide = left(&wide);
    if page.fits(&wide) {
        page.lines(&wide);
    } else {
        let narrow: Vec<Vec<String>> = rows
            .into_iter()
            .flat_map(|[name, title, source]| {
                let below = (!source.is_empty()).then(|| vec![String::new(), source]);
                [vec![name, title]].into_iter().chain(below)
            })
            .collect();
        page.lines(&left(&narrow));
    }
    page.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: [Builtin; 2] = [
        Builtin {
            name: "a",
            text: "name: One\nsource: A book, page 1\n",
        },
        Builtin {
            name: "bb",
            text: "name: Two and a long title that says much\n",
        },
    ];

    #[test]
    fn a_list_is_three_columns_where_they_fit() {
        let wide = format!(
            "a   {:35}  A book, page 1\nbb  {}\n",
            "One", "Two and a long title that says much"
        );
        assert_eq!(list_text(&TWO, 80), wide);
        let narrow = "a   One\n    A book, page 1\nbb  Two and a long title that says much\n";
        assert_eq!(list_text(&TWO, 50), narrow);
    }
}
