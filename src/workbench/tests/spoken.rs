//! What is said in lines: of a range, of equilibria, and while the motion plays.

use super::*;
use crate::workbench::spoken::{SIZE, Said};

const BEAD: &str = "bead_on_parabola";

/// A workbench in lines.
struct Lines {
    bench: Bench,
    said: Said,
}

impl Lines {
    fn of(bench: Bench) -> Self {
        let mut lines = Self {
            bench,
            said: Said::default(),
        };
        lines.bench.state.theme = Theme {
            scheme: Scheme::Mono,
            charset: Charset::Ascii,
        };
        lines.bench.state.zoom = true;
        lines.say();
        lines
    }

    fn say(&mut self) -> String {
        self.said.say(&self.bench.state, 200)
    }

    /// What is said of keys.
    fn keys(&mut self, names: &str) -> String {
        self.bench.keys(names);
        self.say()
    }

    /// What is said while time passes.
    fn tick(&mut self) -> String {
        let mut said = String::new();
        for _ in 0..3 {
            self.bench.send(Event::Tick(0.001));
            said.push_str(&self.say());
        }
        said
    }
}

#[test]
fn what_a_key_does_is_said_while_the_motion_plays() {
    let mut lines = Lines::of(Bench::new(BEAD, SIZE));
    assert!(lines.bench.state.animated());
    assert_eq!(lines.tick(), "");
    // what is asked for, as it is at that time, and nothing else
    let t = lines.bench.state.playhead.t;
    let said = lines.keys("tab");
    assert!(said.contains("Theorem:\r\n"), "{said}");
    assert!(!said.contains("bead_on_parabola"), "{said}");
    assert!(t > 0.0 && lines.tick().is_empty());
    let said = lines.keys("tab tab tab");
    assert!(said.contains("Plot:\r\n"), "{said}");
    let x = format!(
        "x1 {}",
        crate::workbench::text::short(lines.bench.state.position[0])
    );
    assert!(said.contains(&x), "{x}: {said}");
    assert_eq!(lines.tick(), "");
    let said = lines.keys("v");
    assert!(said.contains("view 2 of"), "{said}");
    assert_eq!(lines.tick(), "");
    let said = lines.keys("+");
    assert!(said.contains("2x") && said.lines().count() == 2, "{said}");
    assert_eq!(lines.tick(), "");
    // over the panes
    for (keys, there) in [
        ("?", "Help:"),
        ("esc", "Plot:"),
        (":", "Palette:"),
        ("esc", "Plot:"),
        ("J", "Range:"),
        ("esc", "Plot:"),
        ("e", "System, editing:"),
    ] {
        let said = lines.keys(keys);
        assert!(said.contains(there), "{keys}: {said}");
        assert_eq!(lines.tick(), "");
    }
    lines.bench.write("abc");
    let said = lines.say();
    assert!(said.contains("1 abcname: "), "{said}");
    lines.bench.keys("backspace backspace backspace esc");
    lines.say();
    // where it stands, it is said
    let said = lines.keys("space");
    assert!(said.contains("paused"), "{said}");
    assert!(lines.keys("space").contains("2x"));
}

#[test]
fn a_range_is_said_in_words() {
    let mut lines = Lines::of(Bench::paused(super::ranges::HOOP, SIZE, 0.0));
    let said = lines.keys("J");
    let said: Vec<&str> = said.lines().collect();
    for line in [
        "w from 0.2 to 4, equilibria",
        "stable: w 0.2 to 1, q 0",
        "pitchfork at w 1, q 0",
    ] {
        assert!(said.contains(&line), "{line}: {said:#?}");
    }
    assert!(!said.iter().any(|line| line.contains("  |")), "{said:#?}");
    assert!(
        said.iter()
            .any(|line| line.starts_with("w = 2, q = ") && line.ends_with(", stable")),
        "{said:#?}"
    );
    // the point chosen, and nothing else
    let said = lines.keys("N");
    assert_eq!(said, "\r\nw = 1, q = 0, pitchfork");
}

#[test]
fn an_equilibrium_is_said_without_its_picture() {
    let mut lines = Lines::of(Bench::paused("pendulum", SIZE, 0.0));
    let said = lines.keys("B space");
    assert!(said.contains("mode 1 of 1: omega 3.132"), "{said}");
    assert!(!said.lines().any(|line| line.starts_with('*')), "{said}");
    let said = lines.keys("down");
    assert!(said.contains("no mode oscillates"), "{said}");
    assert!(!said.lines().any(|line| line.starts_with('*')), "{said}");
    // it swings in silence
    lines.keys("up space");
    assert!(lines.bench.state.animated());
    assert_eq!(lines.tick(), "");
}
