//! The code that solves a system's equations against the general way, along the motions of all built-in systems.

#![allow(clippy::unwrap_used)]

use holonom::analysis::{Model, Request};
use holonom::solver::Dynamics;
use holonom::system::{System, builtin};
use std::sync::atomic::AtomicBool;

fn near(found: &[f64], expected: &[f64], scale: f64) -> bool {
    let mut pairs = found.iter().zip(expected);
    pairs.all(|(a, b)| (a - b).abs() <= 1e-8 * scale)
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(1.0, |most: f64, e| most.max(e.abs()))
}

#[test]
fn quick_accelerations_are_those_of_the_general_way() {
    let (mut asked, mut answered) = (0, 0);
    for held in builtin() {
        let model = Model::new(System::parse(held.text, held.name, &[]).unwrap());
        // constraints that are left on the way are not in the equations any more
        if model.system.constraints.iter().any(|c| c.side.is_some()) {
            continue;
        }
        let Ok(motion) = model.simulate(&Request::default(), &AtomicBool::new(false)) else {
            continue;
        };
        let Ok(start) = model.start(&holonom::analysis::Overrides::default()) else {
            continue;
        };
        let dependent = model.choice(None, (start.t, &start.x), &start.correction);
        let compiled = model.compiled(&dependent);
        let n = compiled.coordinates();
        for chart in [None, Some(dependent.as_slice())] {
            let Some(mut code) = compiled.quick(chart) else {
                continue;
            };
            for sample in motion.samples.iter().step_by(50) {
                let at = (sample.t, sample.x.as_slice(), sample.v.as_slice());
                asked += 1;
                let Some([a, lambda, slopes]) = code.accelerations(at) else {
                    continue;
                };
                if sample.lambda.iter().any(|l| !l.is_finite())
                    || slopes.iter().any(|s| s.is_nan() || s.abs() >= 1e2)
                {
                    continue;
                }
                answered += 1;
                let place = format!("{} {chart:?} t = {}", held.name, sample.t);
                assert!(near(a, &sample.a, largest(&sample.a)), "{place}");
                assert!(
                    near(lambda, &sample.lambda, largest(&sample.lambda)),
                    "{place}"
                );
                // back onto the constraints, where the sample lies
                if let Some(way) = code.corrections(at) {
                    let [dx, dv] = way.moves;
                    assert!(near(dx, &vec![0.0; n], largest(&sample.x)), "{place}");
                    assert!(near(dv, &vec![0.0; n], largest(&sample.v)), "{place}");
                }
            }
        }
    }
    assert!(
        asked > 800 && 10 * answered > 6 * asked,
        "{answered} of {asked}"
    );
}
