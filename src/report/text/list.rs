//! What `list` says.

use super::page::Page;
use super::table::left;
use crate::system::{Builtin, sanitize};

/// The systems by their groups: name, title and source of each, in three columns that all groups share, or where
/// that is too wide with the source below the title.
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
    let (lines, each): (Vec<String>, Vec<usize>) = if page.fits(&wide) {
        (wide, vec![1; rows.len()])
    } else {
        let heights = rows.iter().map(|row| if row[2].is_empty() { 1 } else { 2 });
        let heights = heights.collect();
        let narrow: Vec<Vec<String>> = rows
            .into_iter()
            .flat_map(|[name, title, source]| {
                let below = (!source.is_empty()).then(|| vec![String::new(), source]);
                [vec![name, title]].into_iter().chain(below)
            })
            .collect();
        (left(&narrow), heights)
    };
    let mut lines = lines.into_iter();
    let mut group = "";
    for (system, height) in systems.iter().zip(each) {
        if system.group != group {
            if !group.is_empty() {
                page.gap();
            }
            group = system.group;
            page.prose(0, group);
        }
        let own: Vec<String> = lines.by_ref().take(height).collect();
        page.lines(&own);
    }
    page.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: [Builtin; 2] = [
        Builtin {
            name: "a",
            group: "First",
            text: "name: One\nsource: A book, page 1\n",
        },
        Builtin {
            name: "bb",
            group: "Second",
            text: "name: Two and a long title that says much\n",
        },
    ];

    #[test]
    fn a_list_is_three_columns_where_they_fit() {
        let wide = format!(
            "First\na   {:35}  A book, page 1\n\nSecond\nbb  {}\n",
            "One", "Two and a long title that says much"
        );
        assert_eq!(list_text(&TWO, 80), wide);
        let narrow = "First\na   One\n    A book, page 1\n\nSecond\nbb  Two and a long title that says much\n";
        assert_eq!(list_text(&TWO, 50), narrow);
    }
}
