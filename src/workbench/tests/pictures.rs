//! The pictures of the README: what the program draws today, by its own hand. They are stored in
//! `tests/pictures` and refreshed like any snapshot.

use std::path::Path;

use super::*;
use crate::workbench::export;
use crate::workbench::state::Subject;

fn picture(name: &str, bench: &Bench) {
    let svg = export::content(&bench.state, Subject::Screen, Path::new("a.svg")).unwrap();
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../../tests/pictures");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let file = format!("{name}.svg");
    settings.bind(|| insta::assert_binary_snapshot!(&file, svg.into_bytes()));
}

#[test]
fn pictures_of_the_readme() {
    let bead = "bead_on_parabola";
    picture("workbench", &Bench::paused(bead, (120, 38), 3.2));
    let mut bench = Bench::paused(bead, (80, 24), 0.0);
    bench.keys("n");
    picture("failure", &bench);
    let mut bench = Bench::paused(bead, (100, 30), 1.0);
    bench.keys("m z");
    picture("map", &bench);
    let mut bench = Bench::paused("rotating_hoop", (100, 30), 1.0);
    bench.keys("J e");
    bench.clear_line();
    bench.write("w=0:6 equilibria");
    bench.keys("enter");
    picture("range", &bench);
    let mut bench = Bench::paused("product_and_sum", (110, 40), 1.0);
    bench.keys("tab tab tab tab z");
    picture("plots", &bench);
}
