//! The motion and its time: playing, stepping, failures, where the theorem stops being true.

use super::*;
use crate::solver::Motion;
use crate::workbench::playhead::Playhead;

const BEAD: &str = "bead_on_parabola";
const SIZE: (u16, u16) = (80, 24);

#[test]
fn it_opens_playing_outside_the_editor() {
    let mut bench = Bench::new(BEAD, SIZE);
    assert!(bench.state.animated() && !bench.state.editing);
    bench.send(Event::Tick(0.1));
    assert!((bench.state.playhead.t - 0.1).abs() < 1e-12);
}

#[test]
fn it_stops_for_one_picture_at_a_failure() {
    let mut bench = Bench::new(BEAD, SIZE);
    bench.send(Event::Tick(0.59));
    assert!(bench.state.look.as_ref().unwrap().verdict.holds());
    bench.send(Event::Tick(0.1));
    assert!((bench.state.playhead.t - 0.594_923_842_7).abs() < 1e-8);
    let look = bench.state.look.as_ref().unwrap();
    assert!(!look.verdict.holds() && look.branch.is_none());
    bench.send(Event::Tick(0.1));
    assert!(bench.state.playhead.t > 0.69 && bench.state.look.as_ref().unwrap().verdict.holds());
}

#[test]
fn what_is_said_of_a_failure_is_true_at_the_time_shown() {
    let mut bench = Bench::new(BEAD, SIZE);
    let verdict = |bench: &mut Bench| bench.screen().lines().nth(1).unwrap().to_owned();
    bench.send(Event::Tick(0.59));
    assert!(verdict(&mut bench).contains("HOLDS for x₁ near"));
    assert!(verdict(&mut bench).contains("fails at t 0.5949 (x₁ = 0); x₂ carries on"));
    bench.send(Event::Tick(0.1));
    assert!(
        verdict(&mut bench)
            .contains("FAILS for x₁ at t 0.5949: x₁ = 0, det = 0, a fold   x₂ carries on")
    );
    bench.send(Event::Tick(0.1));
    assert!(
        verdict(&mut bench)
            .contains("HOLDS for x₁ again   FAILED at t 0.5949 (x₁ = 0); x₂ carried on")
    );
    // what stands still is looked at exactly, and after a while what comes matters more
    bench.keys("space");
    assert!(verdict(&mut bench).contains("fails at t 1.7848"));
    bench.keys("space");
    bench.send(Event::Tick(0.7));
    assert!(verdict(&mut bench).contains("HOLDS for x₁ near (-"));
}

#[test]
fn the_motion_begins_anew_after_its_end() {
    let mut bench = Bench::new(BEAD, SIZE);
    bench.keys("end space");
    assert_eq!(bench.state.playhead.t.to_bits(), 0.0_f64.to_bits());
    bench.state.playhead.t = 9.999;
    bench.send(Event::Tick(0.2));
    assert_eq!(bench.state.playhead.t.to_bits(), 10.0_f64.to_bits());
    bench.send(Event::Tick(0.5));
    assert_eq!(bench.state.playhead.t.to_bits(), 10.0_f64.to_bits());
    bench.send(Event::Tick(0.6));
    assert_eq!(bench.state.playhead.t.to_bits(), 0.0_f64.to_bits());
}

#[test]
fn failures_are_reached_by_key_and_by_step() {
    let mut bench = Bench::new(BEAD, SIZE);
    bench.keys("n");
    assert!(!bench.state.playhead.playing && !bench.state.look.as_ref().unwrap().verdict.holds());
    let first = bench.state.playhead.t;
    bench.keys("n N");
    assert_eq!(bench.state.playhead.t.to_bits(), first.to_bits());
    bench.keys("left right");
    assert_eq!(bench.state.playhead.t.to_bits(), first.to_bits());
    bench.keys("right");
    assert!(bench.state.playhead.t > first && bench.state.look.as_ref().unwrap().verdict.holds());
    bench.keys("home L l h H");
    assert!(bench.state.playhead.t.abs() < 1e-12);
}

#[test]
fn a_paused_workbench_draws_nothing() {
    let mut bench = Bench::paused(BEAD, SIZE, 1.0);
    bench.state.changed = false;
    bench.send(Event::Tick(0.1));
    // keys that mean nothing
    bench.keys("% ctrl-x");
    assert!(!bench.state.changed);
    bench.keys("right");
    assert!(bench.state.changed);
}

#[test]
fn a_motion_may_run_backwards() {
    let text = find(BEAD).unwrap().text.replace("until: 10", "until: -2");
    let mut bench = Bench::new(&text, SIZE);
    bench.send(Event::Tick(0.25));
    assert!((bench.state.playhead.t + 0.25).abs() < 1e-12);
    bench.send(Event::Tick(0.25));
    bench.send(Event::Tick(0.25));
    // symmetric in time: the first failure is the mirrored one
    assert!((bench.state.playhead.t + 0.594_923_842_7).abs() < 1e-8);
    assert!(!bench.state.look.as_ref().unwrap().verdict.holds());
    bench.keys("right");
    assert!(bench.state.playhead.t < -0.6);
    bench.keys("N end space");
    assert_eq!(bench.state.playhead.t.to_bits(), 0.0_f64.to_bits());
}

#[test]
fn between_samples_everything_shown_is_one_point_of_the_motion() {
    let mut bench = Bench::paused(BEAD, SIZE, 0.594_923_8);
    let moment = bench.state.moment.clone().unwrap();
    let (x, v) = (&moment.sample.x, &moment.sample.v);
    assert!((x[1] - x[0] * x[0]).abs() < 1e-15 && x == &bench.state.position);
    assert!((v[1] - 2.0 * x[0] * v[0]).abs() < 1e-13);
    // lambda = m (g + 2 x1'^2) / (1 + 4 x1^2)
    let lambda = (9.81 + 2.0 * v[0] * v[0]) / (1.0 + 4.0 * x[0] * x[0]);
    assert!((moment.sample.lambda[0] - lambda).abs() < 1e-11 * lambda);
    let drift = (moment.sample.energy - 9.81).abs();
    assert!(
        drift < 1e-8 && !moment.is_rough(),
        "{drift:e} {:e}",
        moment.doubt
    );
    bench.keys("z z");
    assert!(!bench.screen().contains("interpolated"));
}

#[test]
fn what_is_interpolated_so_that_it_is_seen_is_called_so() {
    let text = find(BEAD).unwrap().text;
    let text = text.replace("until: 10", "until: 10, samples: 20");
    let mut bench = Bench::paused(&text, (120, 40), 0.7);
    let moment = bench.state.moment.clone().unwrap();
    assert!(moment.is_rough() && moment.sample.residual < 1e-14);
    assert!(bench.screen().contains("interpolated"));
    bench.state.playhead.t = 1.0;
    bench.state.look_again();
    assert!(!bench.screen().contains("interpolated"));
}

#[test]
fn a_motion_that_lets_go_shows_the_release_as_it_is() {
    let mut bench = Bench::new("hemisphere", (120, 40));
    bench.keys("end");
    let motion = bench.state.analysis.as_ref().unwrap().motion.clone();
    let release = motion.releases[0].t;
    let state = motion.known(release).unwrap();
    assert!(state.lambda[0].abs() < 1e-9, "{:?}", state.lambda);
    // a step comes to it
    bench.state.playhead.t = release - 0.6 * (motion.samples[1].t - motion.samples[0].t);
    bench.keys("right");
    assert_eq!(bench.state.playhead.t.to_bits(), release.to_bits());
}

#[test]
fn after_a_release_nothing_is_said_of_what_does_not_act_any_more() {
    let verdict = |bench: &mut Bench| bench.screen().lines().nth(1).unwrap().to_owned();
    let mut bench = Bench::paused("hemisphere", SIZE, 0.7);
    assert!(
        verdict(&mut bench).contains("HOLDS for z"),
        "{}",
        verdict(&mut bench)
    );
    let told = verdict(&mut bench);
    assert!(told.contains("surface is released at t 0.7542"), "{told}");
    for t in [0.76, 0.8, 0.85] {
        bench.go_to(t);
        let told = verdict(&mut bench);
        assert!(
            told.contains("surface let go at t 0.7542: no constraint acts"),
            "{told}"
        );
        let screen = bench.screen();
        assert!(
            !screen.contains("FAILS") && !screen.contains("rank 0"),
            "{screen}"
        );
    }
    // of two the other one stays
    let mut bench = Bench::paused("ladder", SIZE, 0.7);
    let told = verdict(&mut bench);
    assert!(
        told.contains("wall let go at t 0.5766: floor alone acts"),
        "{told}"
    );
    bench.go_to(0.5);
    assert!(verdict(&mut bench).contains("HOLDS for"));
}

#[test]
fn a_part_of_a_motion_is_played_as_fast_as_all_of_it() {
    let bench = Bench::new(BEAD, SIZE);
    let whole = bench.state.analysis.as_ref().unwrap().motion.clone();
    for (length, count) in [(1.0, 2), (1.0, 40), (0.01, 2), (5.0, 900)] {
        let mut motion = whole.clone();
        motion.marks.clear();
        for sample in &mut motion.samples {
            sample.t *= length;
        }
        let mut head = Playhead::default();
        head.begin(&motion, 1.0);
        let speed = head.speed();
        let mut part = motion.clone();
        part.samples.truncate(count);
        let end = |motion: &Motion| motion.samples.last().unwrap().t;
        head.begin(&part, end(&part) / end(&motion));
        assert_eq!(head.speed(), speed, "{length} {count}");
        // what was guessed wrong is set right when all is there, unless another speed was chosen
        head.begin(&part, 0.999);
        head.extend(&motion, 1.0);
        assert_eq!(head.speed(), speed, "{length} {count}");
        head.begin(&part, 0.999);
        head.change_speed(true);
        let chosen = head.speed();
        head.extend(&motion, 1.0);
        assert_eq!(head.speed(), chosen);
    }
}

#[test]
fn the_energy_drifts_no_more_between_samples_than_at_them() {
    let mut bench = Bench::paused("four_bar", (120, 24), 0.0);
    let motion = bench.state.analysis.as_ref().unwrap().motion.clone();
    let energies = motion
        .samples
        .iter()
        .map(|s| (s.energy - motion.samples[0].energy).abs());
    let most = energies.fold(0.0_f64, f64::max);
    for k in 0..40 {
        let (a, b) = (motion.samples[20 * k].t, motion.samples[20 * k + 1].t);
        bench.go_to(a + 0.37 * (b - a));
        let area = Rect::new(0, 0, 120, 1);
        let mut buffer = Buffer::empty(area);
        view::bars::header(&bench.state, area, &mut buffer);
        let head: String = buffer.content.iter().map(Cell::symbol).collect();
        let drift = head.split("ΔE ").nth(1).unwrap().split(' ').next().unwrap();
        let drift: f64 = drift.parse().unwrap_or_else(|_| panic!("{head}"));
        assert!(drift.abs() <= 1.1 * most, "{head} {most:e}");
    }
}

#[test]
fn where_it_fails_all_along_no_flag_is_no_success() {
    let text = include_str!("../../../tests/systems/doubled_constraint.yaml");
    let mut bench = Bench::new(text, SIZE);
    bench.keys("space end n");
    let screen = bench.screen();
    assert!(screen.contains("FAILS"), "{screen}");
    assert!(
        screen.contains("it fails here, and at no other place from here"),
        "{screen}"
    );
}
