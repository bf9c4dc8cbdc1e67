//! Every built-in system, opened once, through the verdict, the pages, the equilibria and the map.

use super::{Bench, equilibria, maps, report, verdicts};
use crate::system::builtin;

const SIZE: (u16, u16) = (80, 24);

/// Every second one from this on: two tests that share the work.
fn from(first: usize) {
    for known in builtin().iter().skip(first).step_by(2) {
        let name = known.name;
        let mut bench = Bench::new(name, SIZE);
        verdicts::fits_everywhere(&mut bench, name);
        bench.go_to(0.5);
        if name != "andrews" {
            // its atlas takes seconds
            report::has_its_pages(&mut bench, name);
        }
        bench.go_to(0.5);
        equilibria::has_its_view(&mut bench);
        bench.go_to(0.5);
        maps::is_drawn_at_every_size(&mut bench, name);
    }
}

#[test]
fn systems_are_shown_whole() {
    from(0);
}

#[test]
fn the_others_too() {
    from(1);
}
