//! The code that solves a system's equations against the general way, along the motions of all built-in systems.

#![allow(clippy::unwrap_used)]

use holonom::analysis::{CompiledSystem, Model, Overrides};
use holonom::solver::{
    Beginning, ConstraintValue, Corrected, Dynamics, Instant, Landed, Method, Motion, Options,
    Pattern, Problem, Quick, Stiff, Tableau, VelocityValue, simulate,
};
use holonom::system::{System, builtin};
use nalgebra::{DMatrix, DVector};
use std::sync::atomic::AtomicBool;

fn near(found: &[f64], expected: &[f64], scale: f64) -> bool {
    let mut pairs = found.iter().zip(expected);
    pairs.all(|(a, b)| (a - b).abs() <= 1e-8 * scale)
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(1.0, |most: f64, e| most.max(e.abs()))
}

/// A system without code of its own.
pub struct General(CompiledSystem);

impl Dynamics for General {
    fn coordinates(&self) -> usize {
        self.0.coordinates()
    }

    fn constraints(&self) -> usize {
        self.0.constraints()
    }

    fn velocity_constraints(&self) -> usize {
        self.0.velocity_constraints()
    }

    fn velocity(&self, t: f64, x: &[f64], out: &mut VelocityValue) {
        self.0.velocity(t, x, out);
    }

    fn constraint(&self, t: f64, x: &[f64], out: &mut ConstraintValue) {
        self.0.constraint(t, x, out);
    }

    fn instant(&self, t: f64, x: &[f64], v: &[f64], out: &mut Instant) {
        self.0.instant(t, x, v, out);
    }

    fn may_kink(&self) -> bool {
        self.0.may_kink()
    }

    fn pattern(&self) -> Option<&Pattern> {
        self.0.pattern()
    }

    fn blur(&self, at: (f64, &[f64]), reach: &[f64]) -> Option<DMatrix<f64>> {
        self.0.blur(at, reach)
    }

    fn factors(&self, t: f64, x: &[f64], out: &mut Vec<f64>) {
        self.0.factors(t, x, out);
    }
}

/// Options for a motion as long as the system's own.
fn usual(model: &Model, method: Method) -> Options {
    Options {
        until: model.system.run.until,
        samples: 100,
        method,
        rtol: 1e-9,
        atol: 1e-9,
        ..Options::default()
    }
}

/// The motion of a system by its own code, or the general way if that is given.
pub fn motion(model: &Model, options: &Options, general: Option<&General>) -> Option<Motion> {
    let start = model.start(&Overrides::default()).ok()?;
    let dependent = model.choice(None, (start.t, &start.x), &start.correction);
    let compiled = model.compiled(&dependent);
    let own = model.problem(&compiled, &dependent);
    let problem = Problem {
        dynamics: general.map_or(own.dynamics, |general| general),
        ..own
    };
    Some(simulate(&problem, &start, options, &AtomicBool::new(false)))
}

/// Singular configurations are ruled out by the pivots of the code where there is code: nothing is missed for that.
#[test]
fn a_motion_has_the_same_flags_with_and_without_code() {
    let mut flags = 0;
    for held in builtin() {
        let model = Model::new(System::parse(held.text, held.name, &[]).unwrap());
        let Ok(start) = model.start(&Overrides::default()) else {
            continue;
        };
        let dependent = model.choice(None, (start.t, &start.x), &start.correction);
        let general = General(model.compiled(&dependent));
        for method in Method::ALL {
            let options = usual(&model, method);
            let Some(own) = motion(&model, &options, None) else {
                continue;
            };
            let other = motion(&model, &options, Some(&general)).unwrap();
            let place = format!("{} {method}", held.name);
            assert_eq!(own.flags.len(), other.flags.len(), "{place}");
            for (a, b) in own.flags.iter().zip(&other.flags) {
                assert_eq!((a.kind, &a.factors), (b.kind, &b.factors), "{place}");
                assert!((a.t - b.t).abs() < 1e-5, "{place}: {} {}", a.t, b.t);
            }
            flags += own.flags.len();
        }
    }
    assert!(flags > 50, "{flags}");
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
        let Ok(start) = model.start(&Overrides::default()) else {
            continue;
        };
        let dependent = model.choice(None, (start.t, &start.x), &start.correction);
        let compiled = model.compiled(&dependent);
        let general = General(compiled.clone());
        let Some(motion) = motion(&model, &usual(&model, Method::Inverse), Some(&general)) else {
            continue;
        };
        let n = compiled.coordinates();
        for chart in [None, Some(dependent.as_slice())] {
            let Some(mut code) = compiled.quick(chart) else {
                continue;
            };
            for sample in motion.samples.iter().step_by(5) {
                let at = (sample.t, sample.x.as_slice(), sample.v.as_slice());
                asked += 1;
                code.place(at);
                let Some([a, lambda, slopes]) = code.accelerations() else {
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
                if let Some(way) = code.corrections() {
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

/// Along a chain forces are the square of its length times the least inertia forces: the code gives these too, everywhere, and
/// they keep to the constraints.
#[test]
fn long_chains_are_solved_by_their_code() {
    let text = crate::accuracy::chain(120);
    let model = Model::new(System::parse(&text, "chain", &[]).unwrap());
    let start = model.start(&Overrides::default()).unwrap();
    let dependent = model.choice(None, (start.t, &start.x), &start.correction);
    let compiled = model.compiled(&dependent);
    let general = General(compiled.clone());
    let options = Options {
        until: 0.4,
        samples: 8,
        method: Method::Multipliers,
        rtol: 1e-8,
        ..Options::default()
    };
    let motion = motion(&model, &options, Some(&general)).unwrap();
    assert!(motion.finished);
    let mut code = compiled.quick(None).unwrap();
    let mut at = Instant::of(&compiled);
    for sample in &motion.samples {
        code.place((sample.t, &sample.x, &sample.v));
        let [a, lambda, _] = code.accelerations().unwrap();
        assert!(near(a, &sample.a, largest(&sample.a)), "t = {}", sample.t);
        let scale = largest(&sample.lambda);
        assert!(near(lambda, &sample.lambda, scale), "t = {}", sample.t);
        compiled.instant(sample.t, &sample.x, &sample.v, &mut at);
        let a = DVector::from_column_slice(a);
        let missed = (&at.constraint.jacobian * &a - &at.gamma).amax();
        assert!(missed <= 1e-14 * a.amax(), "t = {}: {missed:e}", sample.t);
    }
}

/// Where forces cancel to next to nothing the code is left for the general way, and taken up again: a pendulum that has come to
/// rest is pushed later on.
#[test]
fn a_motion_goes_on_where_forces_cancel() {
    let text = "coordinates: [x, y]\nparameters: {g: 9.81}\n\
                lagrangian: (x'^2 + y'^2)/2 - g*y\nconstraints: {rod: x^2 + y^2 = 1}\ndependent: [y]\n\
                forces: {x: exp(-((t - 3000)/40)^2) - x', y: -y'}\nstart: {x: 0.3, y: -sqrt(0.91)}\n";
    let model = Model::new(System::parse(text, "pushed", &[]).unwrap());
    let start = model.start(&Overrides::default()).unwrap();
    let dependent = model.choice(None, (start.t, &start.x), &start.correction);
    let general = General(model.compiled(&dependent));
    let options = Options {
        until: 3005.0,
        samples: 1,
        method: Method::Multipliers,
        stiff: Stiff::Never,
        rtol: 1e-9,
        atol: 1e-13,
        ..Options::default()
    };
    let [own, other] =
        [None, Some(&general)].map(|general| motion(&model, &options, general).unwrap());
    assert!(
        own.finished && other.finished,
        "{:?} {:?}",
        own.because,
        other.because
    );
    assert!(own.steps > 1000, "{}", own.steps);
    let [own, other] = [&own, &other].map(|motion| motion.samples.last().unwrap().x[0]);
    assert!(own > 0.05 && (own - other).abs() < 1e-8, "{own} {other}");
}

/// Three eighths of Simpson's rule, with two estimates of an error.
static EIGHTHS: Tableau = Tableau {
    nodes: &[0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0],
    rows: &[
        &[],
        &[(0, 1.0 / 3.0)],
        &[(0, -1.0 / 3.0), (1, 1.0)],
        &[(0, 1.0), (1, -1.0), (2, 1.0)],
        &[(0, 0.125), (1, 0.375), (2, 0.375), (3, 0.125)],
    ],
    errors: [&[(0, 0.5), (3, -0.5)], &[(1, 0.1), (2, -0.2), (3, 0.1)]],
};

/// sum a k over a row, first things first, each product and its sum rounded once; from y by h of it if these are given.
fn combined(row: &[(usize, f64)], slopes: &[Vec<f64>], from: Option<(&[f64], f64)>) -> Vec<f64> {
    let sum = |i: usize| {
        let Some((&(stage, a), others)) = row.split_first() else {
            return 0.0;
        };
        others
            .iter()
            .fold(a * slopes[stage][i], |sum, &(stage, a)| {
                a.mul_add(slopes[stage][i], sum)
            })
    };
    let sums = (0..slopes[0].len()).map(sum);
    match from {
        Some((y, h)) => sums.zip(y).map(|(sum, y)| h.mul_add(sum, *y)).collect(),
        None => sums.collect(),
    }
}

/// The derivative at a stage by code, in a chart after so many corrections of its positions, and the factors there.
#[cfg(all(feature = "jit", target_arch = "x86_64", unix))]
fn derivative(
    code: &mut dyn Quick,
    (t, y): (f64, &[f64]),
    corrections: Option<usize>,
) -> Option<(Vec<f64>, Vec<f64>)> {
    let (x, v) = y.split_at(y.len() / 2);
    code.place((t, x, v));
    if let Some(times) = corrections {
        for _ in 0..times {
            code.corrections()?;
            code.correct(Corrected::Positions);
        }
        code.corrections()?;
        code.correct(Corrected::Velocities);
    }
    let v = code.state()[1].to_vec();
    let [a, ..] = code.accelerations()?;
    Some(([v.as_slice(), a].concat(), code.factors().to_vec()))
}

/// All stages of a step at once are those that are evaluated one by one, and its end that which is evaluated alone, to the
/// last bit.
#[cfg(all(feature = "jit", target_arch = "x86_64", unix))]
#[test]
fn stages_at_once_are_the_stages_one_by_one() {
    let same = |a: &[f64], b: &[f64]| {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
    };
    let times = [2, 1];
    let (mut compared, mut landed) = ([0; 2], 0);
    for held in builtin() {
        let model = Model::new(System::parse(held.text, held.name, &[]).unwrap());
        let Ok(start) = model.start(&Overrides::default()) else {
            continue;
        };
        let dependent = model.choice(None, (start.t, &start.x), &start.correction);
        let compiled = model.compiled(&dependent);
        for (chart, compared) in [None, Some(dependent.as_slice())]
            .into_iter()
            .zip(&mut compared)
        {
            let Some(mut code) = compiled.quick(chart) else {
                continue;
            };
            let (t, h) = (start.t, 1e-3);
            let y = [start.x.as_slice(), &start.v].concat();
            let Some((slope, _)) = derivative(&mut *code, (t, &y), None) else {
                continue;
            };
            let (mut slopes, mut beside, mut last) = (vec![slope.clone()], Vec::new(), y.clone());
            for s in 1..4 {
                last = combined(EIGHTHS.rows[s], &slopes, Some((&y, h)));
                let at = (t + EIGHTHS.nodes[s] * h, last.as_slice());
                let times = chart.map(|_| times[s.min(2) - 1]);
                let Some((slope, factors)) = derivative(&mut *code, at, times) else {
                    break;
                };
                slopes.push(slope);
                beside.extend(factors);
            }
            let mut memory = slope;
            let mut ended = false;
            let mut asked = |code: &mut dyn Quick| {
                let from = Beginning {
                    method: &EIGHTHS,
                    t: [t, t + h],
                    y: &y,
                    h,
                    memory: &mut memory,
                    first: y.len(),
                };
                let found = code.stages(from, times)?;
                ended = found.landed;
                Some(found.factors.to_vec())
            };
            let Some(factors) = (0..200).find_map(|_| asked(&mut *code)) else {
                continue;
            };
            *compared += 1;
            let place = format!("{} {chart:?}", held.name);
            let end = combined(EIGHTHS.rows[4], &slopes, Some((&y, h)));
            let errors = EIGHTHS.errors.map(|row| combined(row, &slopes, None));
            assert!(same(&factors, &beside), "{place}");
            let expected = [slopes[1..].concat(), last, end.clone(), errors.concat()].concat();
            assert!(
                same(&memory[y.len()..][..expected.len()], &expected),
                "{place}"
            );
            let (x, v) = end.split_at(y.len() / 2);
            let told =
                |found: Landed<'_>| [found.state, &[found.sign], &found.solution.concat()].concat();
            let with = |known: Vec<f64>, code: &dyn Quick| {
                [&known, code.pivots().pairs, code.factors()].concat()
            };
            let at_once = code.landed().filter(|_| ended).map(told);
            let at_once = at_once.map(|known| with(known, &*code));
            let mut alone = compiled.quick(chart).unwrap();
            let known = alone.land((t + h, x, v)).map(told);
            let alone = known.map(|known| with(known, &*alone));
            if let (Some(at_once), Some(alone)) = (at_once, alone) {
                assert!(same(&at_once, &alone), "{place}");
                landed += 1;
            }
        }
    }
    assert!(compared.iter().all(|count| *count > 15), "{compared:?}");
    assert!(landed > 15, "{landed}");
}
