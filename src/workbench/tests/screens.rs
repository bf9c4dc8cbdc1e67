//! What is on the screen.

use super::*;
use crate::workbench::layout::{LEAST, Pane};
use insta::assert_snapshot;
use ratatui::style::Modifier;

const BEAD: &str = "bead_on_parabola";

#[test]
fn the_bead_at_80_by_24() {
    assert_snapshot!(Bench::paused(BEAD, (80, 24), 3.2).screen());
}

#[test]
fn the_bead_at_120_by_38() {
    assert_snapshot!(Bench::paused(BEAD, (120, 38), 3.2).screen());
}

#[test]
fn a_failure_at_80_by_24() {
    let mut bench = Bench::paused(BEAD, (80, 24), 0.0);
    bench.keys("n");
    assert_snapshot!(bench.screen());
}

#[test]
fn the_rod_at_80_by_24() {
    assert_snapshot!(Bench::paused("rotating_rod", (80, 24), 1.0).screen());
}

#[test]
fn product_and_sum_at_120_by_38() {
    assert_snapshot!(Bench::paused("product_and_sum", (120, 38), 1.0).screen());
}

#[test]
fn small_terminals() {
    let mut bench = Bench::paused(BEAD, (60, 20), 3.2);
    assert_snapshot!("narrow", bench.screen());
    bench.send(Event::Resize(LEAST.0, LEAST.1));
    bench.keys("tab");
    assert_snapshot!("least", bench.screen());
    bench.send(Event::Resize(39, 12));
    assert_snapshot!("too_small", bench.screen());
}

#[test]
fn plain_ascii() {
    let mut bench = Bench::paused(BEAD, (120, 38), 0.0);
    bench.state.theme.charset = Charset::Ascii;
    bench.keys("n");
    let screen = bench.screen();
    assert!(screen.is_ascii());
    assert_snapshot!(screen);
    for keys in ["?", "esc o", "esc c", "esc s", "esc 3 v", "e ü λ esc"] {
        bench.keys(keys);
        assert!(bench.screen().is_ascii(), "{keys}");
    }
}

#[test]
fn dialogs() {
    let mut bench = Bench::paused(BEAD, (80, 24), 3.2);
    bench.keys("o");
    assert_snapshot!("chooser", bench.screen());
    bench.keys("esc c");
    assert_snapshot!("columns", bench.screen());
    bench.keys("esc s");
    assert_snapshot!("name", bench.screen());
    bench.keys("esc e x esc q");
    assert_snapshot!("leave", bench.screen());
    bench.keys("esc ?");
    assert_snapshot!("help", bench.screen());
}

#[test]
fn an_error_stands_at_its_line_and_the_last_result_is_dimmed() {
    let mut bench = Bench::paused(BEAD, (80, 24), 3.2);
    bench.keys("e");
    let place = bench
        .state
        .editor
        .lines()
        .iter()
        .position(|line| line.contains("lagrangian"));
    bench
        .state
        .editor
        .go_to(crate::workbench::editor::TextPosition {
            line: place.unwrap(),
            column: 0,
        });
    bench.keys("end");
    bench.write(" + zz");
    assert_snapshot!(bench.screen());
    let buffer = bench.buffer();
    let inner = bench.state.layout().inner(Pane::Theorem).unwrap();
    let dim = |x, y| buffer[(x, y)].modifier.contains(Modifier::DIM);
    assert!(dim(inner.x, inner.y) && dim(inner.x + 5, inner.y + 3));
    let underlined = buffer
        .content
        .iter()
        .filter(|cell| cell.modifier.contains(Modifier::UNDERLINED));
    let underlined: String = underlined.map(Cell::symbol).collect();
    assert_eq!(underlined, "zz");
    // mended, it is bright again
    bench.keys("backspace backspace backspace backspace backspace");
    let buffer = bench.buffer();
    assert!(
        !buffer[(inner.x + 5, inner.y + 3)]
            .modifier
            .contains(Modifier::DIM)
    );
    assert!(bench.screen().contains("HOLDS"));
}

#[test]
fn every_theme_says_the_same_and_shows_what_matters() {
    let mut bench = Bench::paused(BEAD, (120, 38), 0.0);
    bench.keys("n");
    let screen = bench.screen();
    let mut seen = Vec::new();
    for scheme in Scheme::ALL {
        bench.state.theme.scheme = scheme;
        assert_eq!(bench.screen(), screen);
        let buffer = bench.buffer();
        assert!(!seen.contains(&buffer), "{scheme:?} is another one's twin");
        // the failure stands out from what is beside it
        let row = bench.state.layout().verdict.y;
        let (fails, plain) = (&buffer[(3, row)], &buffer[(100, row)]);
        assert_ne!(fails.style(), plain.style());
        seen.push(buffer);
    }
    // chosen lines and errors do without colour
    bench.state.theme.scheme = Scheme::Mono;
    bench.keys("o");
    let marked = |bench: &mut Bench, modifier: Modifier| {
        let cells = bench.buffer().content;
        let marked = cells.iter().filter(|cell| cell.modifier.contains(modifier));
        marked.map(Cell::symbol).collect::<String>()
    };
    assert!(marked(&mut bench, Modifier::REVERSED).contains("bead_on_parabola"));
    bench.keys("esc e x");
    assert!(marked(&mut bench, Modifier::UNDERLINED).contains("xname"));
    assert!(marked(&mut bench, Modifier::REVERSED).contains("ERROR"));
    bench.keys("esc t");
    assert!(bench.screen().contains("colours: dark"));
}

#[test]
fn questions_and_commands() {
    let mut bench = Bench::paused(BEAD, (80, 24), 3.2);
    bench.keys(":");
    bench.write("plot");
    assert_snapshot!("palette", bench.screen());
    bench.keys("esc");
    bench.send(Event::Recovered {
        kept: Some(Kept {
            text: "name: Other\n\u{1b}[31m".to_owned(),
            age: Some(std::time::Duration::from_secs(300)),
        }),
        others: Vec::new(),
        shared: false,
    });
    assert_snapshot!("recovered", bench.screen());
    let mut bench = Bench::paused(FREE, (80, 24), 3.2);
    bench.send(Event::Disk {
        path: "mine.yaml".into(),
        text: Ok(Some("theirs".to_owned())),
    });
    assert_snapshot!("disk", bench.screen());
}

#[test]
fn without_colour_nothing_is_coloured() {
    let mut bench = Bench::paused(BEAD, (120, 38), 0.0);
    bench.state.theme.scheme = Scheme::Mono;
    bench.keys("n e z z");
    let plain = |cell: &Cell| {
        let reset = ratatui::style::Color::Reset;
        cell.fg == reset && cell.bg == reset
    };
    assert!(bench.buffer().content.iter().all(plain));
}

const FREE: &str = "name: Oscillator\ncoordinates: [x]\nlagrangian: 1/2*x'^2 - 1/2*x^2\n\
                    start: {x: 1, x': 0}\n";
const TWICE: &str = "name: Twice\ncoordinates: [x, y]\nlagrangian: 1/2*(x'^2 + y'^2) - 9.81*y\n\
                     constraints: {a: x^2 + y^2 - 1, b: 2*x^2 + 2*y^2 - 2}\n\
                     start: {x: 1, y: 0, x': 0}\n";
const CHAIN: &str = "name: Chain\ncoordinates: [x1, y1, x2, y2, x3, y3]\n\
                     lagrangian: 1/2*(x1'^2+y1'^2+x2'^2+y2'^2+x3'^2+y3'^2) - 9.81*(y1+y2+y3)\n\
                     constraints: {l1: x1^2 + y1^2 - 1, l2: (x2-x1)^2 + (y2-y1)^2 - 1, \
                     l3: (x3-x2)^2 + (y3-y2)^2 - 1}\n\
                     start: {x1: 1, y1: 0, x2: 2, y2: 0, x3: 3, y3: 0}\nrun: {until: 1}\n";

#[test]
fn other_systems() {
    assert_snapshot!("free", Bench::paused(FREE, (80, 24), 1.0).screen());
    assert_snapshot!("twice", Bench::paused(TWICE, (80, 24), 1.0).screen());
    assert_snapshot!("chain", Bench::paused(CHAIN, (80, 24), 0.5).screen());
}

#[test]
fn every_size_is_drawn() {
    let mut benches: Vec<Bench> = [BEAD, "product_and_sum", FREE, TWICE, CHAIN, "a: [broken"]
        .iter()
        .map(|system| Bench::paused(system, (80, 24), 0.7))
        .collect();
    for bench in &mut benches {
        for keys in [
            "", "tab", "tab", "tab", "tab v v", "z", "z tab e", "esc ?", "esc o", "esc c", "esc s",
        ] {
            bench.keys(keys);
            for width in (0..=100).step_by(11).chain([1, 39, 40, 76, 130]) {
                for height in (0..=40).step_by(4).chain([1, 2, 34]) {
                    bench.send(Event::Resize(width, height));
                    bench.screen();
                }
            }
        }
    }
}

#[test]
fn a_still_picture_is_not_drawn_again() {
    let mut bench = Bench::paused(BEAD, (80, 24), 3.2);
    let first = bench.buffer();
    assert_eq!(first, bench.buffer());
    // what has moved is
    bench.keys("right");
    assert_ne!(first, bench.buffer());
}

#[test]
fn a_form_of_the_equations_at_80_by_24() {
    let mut bench = Bench::paused("product_and_sum", (80, 24), 1.0);
    bench.keys("f f f f f");
    assert_snapshot!("form", bench.screen());
    bench.keys("z");
    assert_snapshot!("form_zoomed", bench.screen());
}

#[test]
fn a_playing_plot_of_three_series_is_cheap_to_send() {
    const SECONDS: f64 = 4.0;
    const BOUND: f64 = 40_000.0;
    for keys in ["", "tab tab tab tab z", "]", "b", "b b"] {
        let mut bench = Bench::new("product_and_sum", (100, 30));
        bench.keys(keys);
        assert_eq!(bench.state.plots.view().unwrap().y.len(), 3);
        let rate = bench.bytes_while_playing(SECONDS) as f64 / SECONDS;
        println!("{keys:20} {rate:.0} bytes/s");
        assert!(rate < BOUND, "{rate} bytes a second after {keys:?}");
        // it does play
        assert!(rate > 1000.0 && bench.state.playhead.t > 0.0);
    }
}

#[test]
fn the_footer_names_keys_that_do_something() {
    let footer = |bench: &mut Bench| bench.screen().lines().last().unwrap().to_owned();
    let mut bench = Bench::paused(BEAD, (80, 24), 0.0);
    assert!(footer(&mut bench).contains("space play  n failure"));
    // no failure to go to
    let mut bench = Bench::paused("pendulum", (80, 24), 0.0);
    let flags = bench.state.analysis.as_ref().unwrap().motion.flags.len();
    assert_eq!(footer(&mut bench).contains("n failure"), flags > 0);
    bench.keys("!");
    let problems = crate::workbench::dialog::problems(&bench.state).len();
    assert_eq!(footer(&mut bench).contains("Enter go there"), problems > 0);
    // an error is led to
    let mut bench = Bench::new("name: Broken\ncoordinates: [x\n", (80, 24));
    let line = footer(&mut bench);
    assert!(
        line.starts_with(" e edit  ! problems  o open  Tab pane"),
        "{line}"
    );
    assert!(line.contains(": commands  ? help"), "{line}");
    assert!(
        bench
            .screen()
            .contains("Nothing yet: the text has an error")
    );
}

#[test]
fn the_footer_leads_to_what_nobody_would_guess() {
    let mut bench = Bench::paused(BEAD, (80, 24), 3.2);
    let screen = bench.screen();
    let footer = screen.lines().last().unwrap();
    for way in ["m map", "W handout", "o open", ": commands", "? help"] {
        assert!(footer.contains(way), "{way}: {footer}");
    }
}
