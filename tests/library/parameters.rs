//! A system whose parameters got other values against the file read with these.

#![allow(clippy::unwrap_used)]

use holonom::analysis::{Model, Request};
use holonom::system::{Changes, System, builtin};
use std::sync::atomic::AtomicBool;

/// The largest difference of two lists in parts of their sizes, infinite where one has a number and the other none.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let size = a.iter().fold(1.0_f64, |most, e| most.max(e.abs()));
    let pairs = a.iter().zip(b).filter(|(a, b)| !(a.is_nan() && b.is_nan()));
    pairs.fold(0.0, |most, (a, b)| {
        f64::max(most, if a == b { 0.0 } else { (a - b).abs() / size })
    })
}

/// All that a motion begins with is the same, and the motion too, in one model for all values as in a model for each.
#[test]
fn other_values_are_those_of_the_file_read_with_them() {
    let (mut asked, mut taken, mut moved) = (0, 0, 0);
    let mut random = fastrand::Rng::with_seed(20_261_123);
    for held in builtin() {
        let fresh = System::parse(held.text, held.name, &[]).unwrap();
        let all: Vec<usize> = (0..fresh.parameters.len()).collect();
        let shared = Model::new(fresh).changing(&all);
        for _ in 0..4 {
            let mut common = shared.clone();
            let mut changes = Vec::new();
            for &index in &all {
                if random.bool() {
                    let value = common.system.parameters[index].value;
                    // as many digits as a person would write
                    let value = (value * (0.8 + 0.4 * random.f64()) * 1e4).round() / 1e4;
                    changes.push((index, value));
                }
            }
            let names = &common.system.parameters;
            let set = changes
                .iter()
                .map(|(index, value)| (names[*index].name.clone(), format!("{value:?}")));
            let set = Changes {
                set: set.collect(),
                ..Changes::default()
            };
            asked += 1;
            let given = common.system.parameter_values();
            let same = common.set_parameters(&changes);
            let Ok(other) = System::changed(held.text, held.name, &set) else {
                assert!(!same, "{}: {changes:?}", held.name);
                continue;
            };
            if !same {
                assert_eq!(given, common.system.parameter_values(), "{}", held.name);
                continue;
            }
            taken += 1;
            let place = format!("{} {changes:?}", held.name);
            let own = &common.system;
            assert_eq!(own.parameter_values(), other.parameter_values(), "{place}");
            assert_eq!(
                (&own.start.x, &own.start.v, own.start.t),
                (&other.start.x, &other.start.v, other.start.t),
                "{place}"
            );
            assert_eq!(
                (&own.guess, &own.run),
                (&other.guess, &other.run),
                "{place}"
            );
            for (a, b) in own.constraints.iter().zip(&other.constraints) {
                assert_eq!(a.c_value, b.c_value, "{place}");
            }
            let other = Model::new(other);
            let request = Request {
                until: Some(
                    other.system.start.t + 0.1 * (other.system.run.until - other.system.start.t),
                ),
                rtol: Some(1e-8),
                atol: Some(1e-8),
                samples: Some(2),
                ..Request::default()
            };
            let go_on = AtomicBool::new(false);
            let motions = [&common, &other].map(|model| model.simulate(&request, &go_on));
            let [Ok(a), Ok(b)] = motions else {
                assert!(motions.iter().all(Result::is_err), "{place}");
                continue;
            };
            moved += 1;
            assert_eq!(
                (a.finished, a.flags.len()),
                (b.finished, b.flags.len()),
                "{place}"
            );
            for (a, b) in a.samples.iter().zip(&b.samples) {
                assert!(apart(&a.x, &b.x) < 1e-6, "{place}: {:?} {:?}", a.x, b.x);
                assert!(
                    apart(&a.lambda, &b.lambda) < 1e-4,
                    "{place}: {:?} {:?}",
                    a.lambda,
                    b.lambda
                );
            }
        }
    }
    assert!(
        2 * taken > asked && moved > 30,
        "{taken} of {asked}, {moved} motions"
    );
}
