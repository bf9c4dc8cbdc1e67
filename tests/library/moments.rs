//! What is shown of a motion at flags and between samples is the motion: on the constraints, and what an
//! integration to that very time gives.

#![allow(
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    clippy::format_push_string
)]

use crate::random::system::{Recipe, recipes};
use holonom::analysis::{Model, Request};
use holonom::solver::{Motion, Sample, SolverError};
use holonom::system::System;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What a motion and its reference may differ by, in parts of the largest value.
const APART: f64 = 1e-6;

fn model(text: &str) -> Model {
    Model::new(System::parse(text, "moments", &[]).unwrap())
}

fn run(model: &Model, until: f64, samples: usize, rtol: f64) -> Option<Motion> {
    let request = Request {
        until: Some(until),
        samples: Some(samples),
        rtol: Some(rtol),
        ..Request::default()
    };
    run_as(model, &request)
}

fn run_as(model: &Model, request: &Request) -> Option<Motion> {
    // one that takes very many steps is another's test
    let cancel = AtomicBool::new(false);
    let (done, waiting) = std::sync::mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let late = &cancel;
        scope.spawn(move || {
            let is_late = waiting.recv_timeout(Duration::from_secs(5)).is_err();
            late.store(is_late, Ordering::Relaxed);
        });
        let motion = model.simulate(request, &cancel).ok();
        done.send(()).ok();
        motion.filter(|motion| !matches!(motion.because, Some(SolverError::Cancelled { .. })))
    })
}

/// The largest difference of two states, each quantity in parts of the largest that the motion has of its kind.
fn apart(a: &Sample, b: &Sample, motion: &Motion) -> f64 {
    let kinds: [fn(&Sample) -> &Vec<f64>; 5] =
        [|s| &s.x, |s| &s.v, |s| &s.a, |s| &s.lambda, |s| &s.reaction];
    let mut most = 0.0_f64;
    for of in kinds {
        let all = motion.samples.iter().flat_map(|s| of(s).iter());
        let size = all.fold(1e-3_f64, |most, v| most.max(v.abs()));
        for (a, b) in of(a).iter().zip(of(b)) {
            most = most.max((a - b).abs() / size);
        }
    }
    most.max((a.energy - b.energy).abs() / (1.0 + b.energy.abs()))
}

/// Whether a motion whose flags are wanted for their times alone is another one.
fn brief_is_other(model: &Model, motion: &Motion, samples: usize) -> Option<String> {
    let request = Request {
        until: Some(3.0),
        samples: Some(samples),
        rtol: Some(1e-10),
        brief: true,
        ..Request::default()
    };
    let brief = run_as(model, &request)?;
    let times = |motion: &Motion| -> Vec<_> {
        let flags = motion.flags.iter();
        flags.map(|f| (f.t, f.kind, f.factors.clone())).collect()
    };
    let same = times(&brief) == times(motion) && brief.samples == motion.samples;
    (!same).then(|| format!("brief: {:?} for {:?}", times(&brief), times(motion)))
}

/// The largest entry of a motion: one that runs away tells nothing.
fn wild(motion: &Motion) -> bool {
    let values = motion
        .samples
        .iter()
        .flat_map(|s| s.x.iter().chain(&s.v).chain(&s.lambda));
    values.into_iter().any(|v| !v.is_finite() || v.abs() > 1e3)
}

/// The system of a recipe with something to do: a choice that may fail, and speed.
fn moving(recipe: &Recipe) -> String {
    let text = recipe.text();
    let names = text.split(['[', ']']).nth(1).unwrap();
    let names: Vec<&str> = names.split(", ").collect();
    let chosen: Vec<&str> = recipe.dependent().iter().map(|&k| names[k]).collect();
    let pairs = names.iter().zip(&recipe.picks);
    let guess = pairs.map(|(name, pick)| {
        let [x, v] = [pick % 100, pick / 100].map(|e| (e as f64 - 50.0) / 25.0);
        format!("{name}: {x}, {name}': {v}")
    });
    let guess: Vec<String> = guess.collect();
    format!(
        "{text}dependent: [{}]\nguess: {{{}}}\n",
        chosen.join(", "),
        guess.join(", ")
    )
}

#[derive(Debug, Default)]
struct Tally {
    systems: usize,
    flags: usize,
    moments: usize,
    known: usize,
    /// Of what is as good as a sample, the largest difference.
    worst: f64,
    /// Of the rest, in parts of its doubt.
    worst_of_doubt: f64,
}

/// One random system: its flags, and some times between its samples.
fn hold(recipe: &Recipe, samples: usize, tally: &mut Tally) -> Result<(), String> {
    let Ok(system) = System::parse(&moving(recipe), "random.yaml", &[]) else {
        return Ok(());
    };
    let model = Model::new(system);
    let Some(motion) = run(&model, 3.0, samples, 1e-10) else {
        return Ok(());
    };
    if motion.samples.len() < 5 || wild(&motion) {
        return Ok(());
    }
    let Some(coarse) = run(&model, 3.0, samples, 1e-9) else {
        return Ok(());
    };
    let end = motion.samples.len().min(coarse.samples.len()) - 1;
    if apart(&coarse.samples[end], &motion.samples[end], &motion) > 1e-3 * APART {
        // it is not known so well
        return Ok(());
    }
    tally.systems += 1;
    if let Some(other) = brief_is_other(&model, &motion, samples) {
        return Err(other);
    }
    let residual = |list: &[Sample]| list.iter().map(|s| s.residual).fold(0.0, f64::max);
    let mut times: Vec<(f64, bool)> = motion.flags.iter().map(|f| (f.t, true)).collect();
    let last = motion.samples[end].t;
    times.extend(recipe.picks.iter().take(6).map(|p| {
        let part = (*p as f64 + 0.5) / 10_000.0;
        (part * last, false)
    }));
    for (t, flag) in times {
        let stopped = !motion.finished && motion.ends().is_some_and(|(_, end)| t > end);
        if stopped {
            // a loss of rank that the motion does not come to
            continue;
        }
        let moment = model.moment(&motion, t, &Request::default());
        let moment = moment.ok_or_else(|| format!("nothing at t = {t}"))?;
        if flag && motion.known(t).is_none() {
            return Err(format!("no state at the flag at t = {t}"));
        }
        if moment.sample.residual > (10.0 * residual(&motion.samples)).max(1e-13) {
            return Err(format!("residual {:e} at t = {t}", moment.sample.residual));
        }
        let Some(reference) = run(&model, t, 1, 1e-10).filter(|r| r.finished) else {
            continue;
        };
        let reference = reference.samples.last().unwrap();
        if !reference
            .lambda
            .iter()
            .all(|l| l.is_finite() && l.abs() < 1e3)
        {
            continue;
        }
        let off = apart(&moment.sample, reference, &motion);
        tally.flags += usize::from(flag);
        tally.moments += usize::from(!flag);
        tally.known += usize::from(!flag && moment.is_known());
        if off > APART + 100.0 * moment.doubt {
            return Err(format!(
                "off by {off:e} at t = {t}, flag {flag}, doubt {:e}\n{:?}\n{reference:?}",
                moment.doubt, moment.sample
            ));
        }
        if moment.is_known() {
            tally.worst = tally.worst.max(off);
        } else {
            tally.worst_of_doubt = tally.worst_of_doubt.max(off / moment.doubt);
        }
    }
    Ok(())
}

fn many(seed: u8, count: usize) -> Tally {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
    let mut runner = TestRunner::new_with_rng(ProptestConfig::default(), rng);
    let mut tally = Tally::default();
    let mut bad = Vec::new();
    for i in 0..count {
        let recipe = recipes().new_tree(&mut runner).unwrap().current();
        let samples = [400, 100, 25][i % 3];
        if let Err(what) = hold(&recipe, samples, &mut tally) {
            bad.push(format!("system {i}: {what}\n{}", moving(&recipe)));
        }
    }
    assert!(
        bad.is_empty(),
        "{} bad, {tally:?}\n{}",
        bad.len(),
        bad.join("\n")
    );
    tally
}

#[test]
fn what_is_shown_at_flags_and_between_samples_is_the_motion() {
    let tally = many(1, 60);
    assert!(
        tally.systems > 15 && tally.flags > 5 && tally.known > 60,
        "{tally:?}"
    );
}

#[test]
#[ignore = "takes minutes"]
fn what_is_shown_at_flags_and_between_samples_is_the_motion_of_many() {
    let seed = std::env::var("SEED").map_or(7, |s| s.parse().unwrap());
    println!("{:?}", many(seed, 2000));
}

#[test]
fn the_multiplier_at_a_dead_centre_is_zero() {
    // a crank without weight that drags a slider: at the dead centres the rod is square to what moves
    let text = include_str!("../systems/slider_crank.yaml");
    let model = model(text);
    let motion = run(&model, 10.0, 1000, 1e-9).unwrap();
    assert!(!motion.flags.is_empty());
    for flag in &motion.flags {
        let state = motion.known(flag.t).unwrap();
        let reference = run(&model, flag.t, 1, 1e-12).unwrap();
        let off = apart(state, &reference.samples[1], &motion);
        assert!(off < 1e-6, "{off:e} at t = {}", flag.t);
    }
}

/// What a move of the cursor takes, for chains of beads and for matrices without zeros.
#[test]
#[ignore = "measures"]
fn what_a_move_of_the_cursor_takes() {
    for (count, full) in [
        (2, false),
        (20, false),
        (50, false),
        (10, true),
        (25, true),
        (50, true),
    ] {
        let names: Vec<String> = (1..=count)
            .flat_map(|i| [format!("x{i}"), format!("y{i}")])
            .collect();
        let squares: Vec<String> = names.iter().map(|name| format!("{name}'^2")).collect();
        let heights: Vec<String> = (1..=count).map(|i| format!("y{i}")).collect();
        let mut text = format!(
            "coordinates: [{}]\nlagrangian: 1/2*({}) - 9.81*({})\nconstraints:\n",
            names.join(", "),
            squares.join(" + "),
            heights.join(" + ")
        );
        for i in 1..=count {
            let link = if i == 1 {
                "x1^2 + y1^2".to_owned()
            } else {
                let b = i - 1;
                format!("(x{i} - x{b})^2 + (y{i} - y{b})^2")
            };
            let rest = if full {
                format!(
                    " + ({})/1000",
                    names
                        .iter()
                        .enumerate()
                        .map(|(k, n)| format!("{}*{n}", (k * i) % 7 + 1))
                        .collect::<Vec<_>>()
                        .join(" + ")
                )
            } else {
                String::new()
            };
            text.push_str(&format!("  c{i}: {link}{rest} = 1\n"));
        }
        let guess: Vec<String> = (1..=count)
            .map(|i| format!("x{i}: {}, y{i}: {}", 0.8 * i as f64, -0.6 * i as f64))
            .collect();
        text.push_str(&format!(
            "guess: {{{}}}\nrun: {{until: 0.3, samples: 100, rtol: 1e-8}}\n",
            guess.join(", ")
        ));
        let model = model(&text);
        let motion = model
            .simulate(&Request::default(), &AtomicBool::new(false))
            .unwrap();
        model.moment(&motion, 0.1234, &Request::default()).unwrap();
        let begin = std::time::Instant::now();
        for i in 0..10 {
            let moment = model.moment(&motion, 0.1 + 0.01234 * f64::from(i), &Request::default());
            assert!(moment.unwrap().sample.residual < 1e-10);
        }
        let each = begin.elapsed() / 10;
        println!(
            "{} coordinates, full {full}: {each:?} a moment, {} samples",
            2 * count,
            motion.samples.len()
        );
    }
}

#[test]
fn marks_of_a_motion_backward_stand_in_its_order() {
    // a particle on two curves through each other, which it passes twice
    let text = "
coordinates: [x, y]
lagrangian: x'^2/2 + 117/200*y'^2
forces:
  x: -11*x/50 - (23*x/50 + 23/20)*(-144507*x^5/500000 + 16907319*x^4/31250000 - 32019108627*x^3/25000000000 + 2369508740313*x^2/1250000000000 - 244969263*x/250000000 + 1291887597/12500000000) + 7/100
  y: -2691*x'^2/5000 + 144507*x^5/500000 - 16907319*x^4/31250000 + 32019108627*x^3/25000000000 - 2221503740313*x^2/1250000000000 + 309553263*x/250000000 - 2469200097/12500000000
constraints:
  lines: 2047*x^4/10000 + 574931*x^3/500000 + 28*x^2*y/25 + 16204351*x^2/25000000 + 8497*x*y/5000 + 409101*x/5000000 + y^2 + 17787*y/250000 = 0
start: {t: 0, x: -1.03, y: 0.940493, x': -0.91, y': 0.615342}
run: {until: -2.2, samples: 10}
";
    let model = model(text);
    let motion = model
        .simulate(&Request::default(), &AtomicBool::new(false))
        .unwrap();
    assert!(
        motion.finished && motion.flags.len() == 2,
        "{:?}",
        motion.flags
    );
    let times: Vec<f64> = motion.marks.iter().map(|s| s.t).collect();
    assert!(times.is_sorted_by(|a, b| a >= b), "{times:?}");
    for flag in &motion.flags {
        assert!(motion.marks.iter().any(|s| s.t == flag.t), "{}", flag.t);
    }
}
