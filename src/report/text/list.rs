//! What `list` says.

use super::page::Page;
use super::table::left;
use crate::system::{Builtin, sanitize};

/// The systems by their groups, a line each: name and what it shows; where that is too wide, what it shows below.
pub fn list_text(systems: &[Builtin], width: usize) -> String {
    let mut page = Page::new(width);
    let rows: Vec<Vec<String>> = systems
        .iter()
        .map(|s| vec![s.name.to_owned(), sanitize(s.shows)])
        .collect();
    let lines = left(&rows);
    let wide = page.fits(&lines);
    let mut group = "";
    for (system, line) in systems.iter().zip(&lines) {
        if system.group != group {
            if !group.is_empty() {
                page.gap();
            }
            group = system.group;
            page.prose(0, group);
        }
        if wide {
            page.line(line);
        } else {
            page.line(system.name);
            page.prose(4, &sanitize(system.shows));
        }
    }
    page.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::builtin;

    const TWO: [Builtin; 2] = [
        Builtin {
            name: "a",
            group: "First",
            shows: "one thing",
            text: "name: One\nsource: A book, page 1\n",
        },
        Builtin {
            name: "bb",
            group: "Second",
            shows: "two things, and more of them to see and to try",
            text: "name: Two\n",
        },
    ];

    #[test]
    fn a_list_is_a_line_a_system_where_it_fits() {
        let wide =
            "First\na   one thing\n\nSecond\nbb  two things, and more of them to see and to try\n";
        assert_eq!(list_text(&TWO, 80), wide);
        let narrow = "First\na\n    one thing\n\nSecond\nbb\n    two things, and more of them to see\n      and to try\n";
        assert_eq!(list_text(&TWO, 40), narrow);
    }

    #[test]
    fn the_built_in_systems_take_a_line_each_at_eighty_columns() {
        let text = list_text(builtin(), 80);
        assert!(text.lines().all(|line| line.chars().count() <= 80));
        for known in builtin() {
            let own = text
                .lines()
                .filter(|l| l.starts_with(&format!("{} ", known.name)));
            let own: Vec<&str> = own.collect();
            assert_eq!(own.len(), 1, "{}", known.name);
            assert!(own[0].ends_with(known.shows), "{}", known.name);
        }
    }
}
