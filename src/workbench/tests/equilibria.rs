//! The view of the equilibria and of their modes.

use super::*;
use crate::workbench::equilibria::{known, oscillation, picture};
use crate::workbench::layout::Pane;
use crate::workbench::worker::Found;
use insta::assert_snapshot;

const SIZE: (u16, u16) = (80, 24);

#[test]
fn equilibria_at_80_by_24_and_larger() {
    let mut bench = Bench::paused("double_pendulum", SIZE, 1.0);
    bench.keys("B");
    assert_snapshot!("equilibria", bench.screen());
    bench.keys("right");
    bench.send(Event::Resize(120, 40));
    assert_snapshot!("equilibria_large", bench.screen());
    let mut bench = Bench::paused("bead_on_parabola", (40, 12), 1.0);
    bench.keys("B");
    assert_snapshot!("equilibria_small", bench.screen());
}

#[test]
fn one_that_is_left_is_told_how_fast() {
    let mut bench = Bench::paused("pendulum", (100, 30), 1.0);
    bench.keys("B G");
    // sqrt(g/l)
    let screen = bench.screen();
    assert!(
        screen.contains("grows like exp(s*t), s = 3.132"),
        "{screen}"
    );
}

#[test]
fn one_that_is_damped_too_much_to_swing_is_told_how_fast_it_decays() {
    let text =
        "coordinates: [x]\nlagrangian: (x'^2 - x^2)/2\nforces: {x: -2.5*x'}\nstart: {x: 1}\n";
    let mut bench = Bench::paused(text, (100, 30), 1.0);
    bench.keys("B");
    let screen = bench.screen();
    assert!(screen.contains("no mode oscillates"), "{screen}");
    assert!(screen.contains("exponents -2.000, -0.500"), "{screen}");
}

#[test]
fn a_mode_swings_by_itself_until_it_is_held() {
    let mut bench = Bench::paused("pendulum", SIZE, 1.0);
    assert!(!bench.state.animated());
    bench.keys("B");
    assert!(bench.state.animated());
    let t = bench.state.playhead.t;
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..200 {
        bench.send(Event::Tick(0.036));
        seen.insert(picture(&bench.state));
    }
    assert_eq!(seen.len(), crate::analysis::PHASES);
    assert!((bench.state.playhead.t - t).abs() < 1e-15);
    let one = bench.screen();
    bench.send(Event::Tick(0.2));
    assert_ne!(bench.screen(), one);
    bench.keys("space");
    assert!(!bench.state.animated());
    let held = bench.screen();
    bench.send(Event::Tick(0.2));
    assert_eq!(bench.screen(), held);
    bench.keys("space esc");
    assert!(!bench.state.animated());
}

#[test]
fn what_stays_though_the_constraints_move_comes_first() {
    let bench = |name: &str| {
        let mut bench = Bench::paused(name, (100, 30), 0.0);
        bench.keys("B g");
        bench
    };
    let mut hoop = bench("rotating_hoop");
    let found = known(&hoop.state).unwrap().clone();
    assert!(!found.relative.is_empty());
    for _ in 0..found.relative.len() {
        let screen = hoop.screen();
        assert!(screen.contains("relative: "), "{screen}");
        assert!(screen.contains("all: proven"), "{screen}");
        hoop.keys("down");
    }
    let drum = "coordinates: [r, phi, z]\nkinetic: (r'^2 + r^2*phi'^2 + z'^2)/2\npotential: z^2/2 + r^2\n\
        constraints:\n  turn: phi - 2*t\n  drum: {f: 1 - r, c: 0, side: \">=\"}\nforces: {z: -z'/3, phi: cos(phi)}\nstart: {r: 1}\n";
    let mut drum = bench(drum);
    let screen = drum.screen();
    assert!(screen.contains("relative, stable, minimum"), "{screen}");
    assert!(screen.contains("relative: z at rest"), "{screen}");
    assert!(
        screen.contains("there may be other relative ones"),
        "{screen}"
    );
}

#[test]
fn enter_goes_there() {
    let mut bench = Bench::paused("pendulum", SIZE, 1.0);
    bench.keys("B");
    let found = known(&bench.state).unwrap().clone();
    for (line, e) in found.list.iter().enumerate() {
        bench.keys("g");
        for _ in 0..line {
            bench.keys("down");
        }
        bench.keys("enter");
        assert!(bench.state.dialog.is_none());
        assert_eq!(bench.state.position, e.x);
        assert_eq!(bench.state.focus, Pane::Picture);
        let screen = bench.screen();
        assert!(screen.contains("at the probe"), "{screen}");
        bench.keys("esc B");
    }
}

#[test]
fn keys_do_not_wait_for_the_answer_and_stale_ones_are_dropped() {
    let mut bench = Bench::paused("pendulum", SIZE, 1.0);
    bench.answering = false;
    bench.keys("B down right space enter");
    let screen = bench.screen();
    assert!(screen.contains("looking for equilibria"), "{screen}");
    bench.answering = true;
    bench.keys("esc e space backspace esc B");
    let found = known(&bench.state).unwrap().clone();
    assert!(oscillation(&bench.state).is_some());
    let generation = bench.state.generation - 1;
    bench.send(Event::Replied(Found::Equilibria(generation, None)));
    assert!(Rc::ptr_eq(&found, known(&bench.state).unwrap()));
}

/// It answers, and its list can be gone through.
pub(super) fn has_its_view(bench: &mut Bench) {
    bench.keys("B");
    let screen = bench.screen();
    assert!(!screen.contains("working"), "{screen}");
    bench.keys("right down right G");
    bench.send(Event::Tick(0.1));
    bench.screen();
    bench.keys("enter");
    bench.screen();
    bench.keys("esc");
}

#[test]
fn from_an_equilibrium_one_comes_back_to_the_time_of_the_motion() {
    let mut bench = Bench::paused("pendulum", (80, 24), 3.9);
    let t = bench.state.playhead.t;
    bench.keys("B enter");
    assert!(bench.state.map.probe.is_some());
    bench.keys("esc");
    assert_eq!(bench.state.playhead.t, t);
    // the probe at the motion stays there
    bench.keys(". esc");
    assert_eq!(bench.state.playhead.t, t);
}

#[test]
fn all_that_is_said_of_one_can_be_read_on_a_small_screen() {
    for (size, pages) in [((40, 12), 5), ((60, 20), 0)] {
        let mut bench = Bench::paused("double_pendulum", size, 1.0);
        bench.keys("B");
        let mut read = bench.screen();
        for _ in 0..pages {
            bench.keys("pgdn");
            read.push_str(&bench.screen());
        }
        for said in ["y₁ -1.000", "λ_rod₁ -9.810", "V -29.430", "all: proven"] {
            assert!(read.contains(said), "{said}: {read}");
        }
        bench.keys("down");
        assert!(bench.screen().contains("unstable"), "{}", bench.screen());
    }
}
