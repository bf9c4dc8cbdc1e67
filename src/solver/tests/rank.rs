//! Singular configurations on the way: passed along the smooth continuation, or not at all.

use super::systems::*;
use super::*;
use std::f64::consts::PI;

/// The parallelogram turning at rate one from upright: the exact state at t.
fn exact(t: f64) -> ([f64; 4], [f64; 4]) {
    let (s, c) = t.sin_cos();
    ([s, c, 2.0 + s, c], [c, -s, c, -s])
}

#[test]
fn a_parallelogram_passes_its_flat_positions_in_every_method() {
    for dependent in [[1, 2, 3], [0, 1, 2]] {
        let case = Case::new(parallelogram(), Some(&dependent));
        let (x, v) = exact(0.3);
        for (method, stiff) in each() {
            for tolerance in [1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12] {
                let mut options = with(stiff, options(20.0, method, tolerance));
                options.samples = 400;
                let motion = case.run(&x, &v, &options);
                let mut error = 0.0_f64;
                for sample in &motion.samples {
                    let (x, v) = exact(sample.t + 0.3);
                    error = error.max(apart(&sample.x, &x)).max(apart(&sample.v, &v));
                    assert!(sample.residual < 1e-14, "{method} {stiff:?} {tolerance:e}");
                }
                println!(
                    "{method} {stiff:?} {tolerance:e}: {error:.1e} {} steps {} rejected {} evaluations {:?}",
                    motion.steps, motion.rejected, motion.evaluations, motion.because
                );
                assert_eq!(motion.because, None, "{method} {stiff:?} {tolerance:e}");
                assert!(
                    error < 100.0 * tolerance,
                    "{method} {stiff:?} {tolerance:e}: {error:e}"
                );
                let ranks: Vec<f64> = motion
                    .flags
                    .iter()
                    .filter(|flag| flag.kind == FlagKind::Rank)
                    .map(|flag| flag.t)
                    .collect();
                let flat: Vec<f64> = (0..6).map(|k| PI * (0.5 + f64::from(k)) - 0.3).collect();
                assert_eq!(ranks.len(), 6, "{:?}", motion.flags);
                assert!(apart(&ranks, &flat) < 100.0 * tolerance, "{ranks:?}");
            }
        }
    }
}

/// A four-bar linkage without weight: cranks of length a about (0, 0) and c about (d, 0), a coupler of
/// length b, a unit mass at each end.
struct FourBar {
    a: f64,
    b: f64,
    c: f64,
    d: f64,
}

impl FourBar {
    /// The state with the first crank at an angle, turning at a rate; `side` tells on which side of the
    /// diagonal the other joint lies.
    fn state(&self, (angle, rate, side): (f64, f64, f64)) -> (Vec<f64>, Vec<f64>) {
        let (s, c) = angle.sin_cos();
        let (p, q) = (self.a * c, self.a * s);
        let (dx, dy) = (self.d - p, -q);
        let r = dx.hypot(dy);
        let along = (r * r + self.b * self.b - self.c * self.c) / (2.0 * r);
        let off = side * (self.b * self.b - along * along).max(0.0).sqrt();
        let x = vec![
            p,
            q,
            p + (along * dx - off * dy) / r,
            q + (along * dy + off * dx) / r,
        ];
        let (vp, vq) = (-q * rate, p * rate);
        // both bars keep their lengths
        let (e, f) = (x[2] - p, x[3] - q);
        let (g, h) = (x[2] - self.d, x[3]);
        let work = e * vp + f * vq;
        let det = e * h - f * g;
        (x, vec![vp, vq, work * h / det, -work * g / det])
    }

    /// The side of the diagonal.
    fn side(&self, x: &[f64]) -> f64 {
        (self.d - x[0]) * (x[3] - x[1]) + x[1] * (x[2] - x[0])
    }
}

impl Dynamics for FourBar {
    fn coordinates(&self) -> usize {
        4
    }

    fn constraints(&self) -> usize {
        3
    }

    fn constraint(&self, _: f64, x: &[f64], out: &mut ConstraintValue) {
        let bars = [
            ([x[0], x[1]], self.a, [1.0, 0.0]),
            ([x[2] - self.d, x[3]], self.c, [0.0, 1.0]),
            ([x[2] - x[0], x[3] - x[1]], self.b, [-1.0, 1.0]),
        ];
        for (b, (bar, length, signs)) in bars.into_iter().enumerate() {
            let square = bar[0] * bar[0] + bar[1] * bar[1];
            out.residual[b] = square - length * length;
            out.scale[b] = square + length * length + self.d * self.d;
            out.f_t[b] = 0.0;
            for (i, sign) in signs.into_iter().enumerate() {
                for (k, part) in bar.iter().enumerate() {
                    out.jacobian[(b, 2 * i + k)] = 2.0 * sign * part;
                }
            }
        }
    }

    fn instant(&self, t: f64, x: &[f64], v: &[f64], out: &mut Instant) {
        self.constraint(t, x, &mut out.constraint);
        out.mass.fill_with_identity();
        out.bias.fill(0.0);
        out.energy = 0.5 * v.iter().map(|v| v * v).sum::<f64>();
        let square = |a: f64, b: f64| -2.0 * (a * a + b * b);
        out.gamma[0] = square(v[0], v[1]);
        out.gamma[1] = square(v[2], v[3]);
        out.gamma[2] = square(v[2] - v[0], v[3] - v[1]);
    }

    fn factors(&self, _: f64, x: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.extend([x[0], self.side(x)]);
    }
}

/// Runs a four-bar linkage in every method; every motion must be that of the first, to 1e-6.
fn four_bar(case: &Case<FourBar>, start: (f64, f64, f64), until: f64) -> Vec<Motion> {
    let (x, v) = case.dynamics.state(start);
    let mut motions: Vec<Motion> = Vec::new();
    for (method, stiff) in each() {
        for tolerance in [1e-8, 1e-10] {
            let mut options = with(stiff, options(until, method, tolerance));
            options.samples = 300;
            let motion = case.run(&x, &v, &options);
            println!(
                "{method} {stiff:?} {tolerance:e}: {} steps {} rejected {} evaluations {:?} {} flags",
                motion.steps,
                motion.rejected,
                motion.evaluations,
                motion.because,
                motion.flags.len()
            );
            assert_eq!(motion.because, None, "{method} {stiff:?} {tolerance:e}");
            let energy = motion.samples[0].energy;
            for sample in &motion.samples {
                assert!(sample.residual < 1e-13);
                assert!((sample.energy / energy - 1.0).abs() < 100.0 * tolerance);
            }
            if let Some(first) = motions.first() {
                for (a, b) in motion.samples.iter().zip(&first.samples) {
                    let error = apart(&a.x, &b.x);
                    assert!(
                        error < 1e-5,
                        "{method} {stiff:?} {tolerance:e}: {error:e} at {}",
                        a.t
                    );
                }
            }
            motions.push(motion);
        }
    }
    motions
}

#[test]
fn a_four_bar_at_its_change_point_passes_to_the_other_side() {
    // 1 + 4 = 2 + 3: flat with the crank at pi
    let case = Case::new(
        FourBar {
            a: 1.0,
            b: 2.0,
            c: 3.0,
            d: 4.0,
        },
        Some(&[1, 2, 3]),
    );
    for motion in four_bar(&case, (2.0, 1.0, 1.0), 12.0) {
        let ranks: Vec<&Flag> = motion
            .flags
            .iter()
            .filter(|flag| flag.kind == FlagKind::Rank)
            .collect();
        assert!(!ranks.is_empty(), "{:?}", motion.flags);
        for flag in &ranks {
            assert!(
                apart(&flag.x, &[-1.0, 0.0, 1.0, 0.0]) < 1e-6,
                "{:?}",
                flag.x
            );
        }
        // the other joint is on one side before, on the other after
        let passed = |t: f64| ranks.iter().filter(|flag| flag.t < t).count();
        for sample in &motion.samples {
            let side = case.dynamics.side(&sample.x);
            let expected = if passed(sample.t) % 2 == 0 { 1.0 } else { -1.0 };
            assert!(side * expected > -1e-6, "{side} at {}", sample.t);
        }
    }
}

#[test]
fn a_four_bar_that_is_nearly_flat_stays_on_its_side() {
    for miss in [1e-1, 1e-2, 1e-4, 1e-7] {
        let case = Case::new(
            FourBar {
                a: 1.0,
                b: 2.0 + miss,
                c: 3.0,
                d: 4.0,
            },
            Some(&[1, 2, 3]),
        );
        println!("{miss:e}");
        for motion in four_bar(&case, (2.0, 1.0, 1.0), 2.0) {
            assert!(motion.flags.iter().all(|flag| flag.kind == FlagKind::Chart));
            for sample in &motion.samples {
                assert!(case.dynamics.side(&sample.x) > 0.0);
            }
        }
    }
}

#[test]
fn a_particle_leaves_a_hill_at_two_thirds_of_its_height() {
    // the pendulum's circle, from above
    let case = Case::new(pendulum(), Some(&[1]));
    for (method, stiff) in each() {
        for tolerance in [1e-6, 1e-9, 1e-11] {
            for release in [Release::Go, Release::Stop] {
                let mut options = with(stiff, options(0.9, method, tolerance));
                options.one_sided = vec![OneSided {
                    constraint: 0,
                    release,
                }];
                let motion = case.run(&[0.0, 1.0], &[0.5, 0.0], &options);
                assert_eq!(motion.because, None);
                assert_eq!(motion.releases.len(), 1);
                let there = &motion.releases[0];
                let height = 2.0 / 3.0 + 0.25 / (3.0 * G);
                let error = (there.x[1] - height).abs();
                assert!(
                    error < 100.0 * tolerance,
                    "{method} {stiff:?} {tolerance:e}: {error:e}"
                );
                let last = motion.samples.last().unwrap();
                if release == Release::Stop {
                    assert!(last.t <= there.t);
                    continue;
                }
                assert_eq!(motion.samples.len(), 11);
                // free fall with the velocity it left with
                let fast = (G * height).sqrt();
                let (vx, vy) = (fast * height, -fast * there.x[0]);
                let s = last.t - there.t;
                let x = [there.x[0] + vx * s, there.x[1] + vy * s - 0.5 * G * s * s];
                assert!(apart(&last.x, &x) < 100.0 * tolerance, "{:?} {x:?}", last.x);
                assert_eq!(last.lambda, [0.0]);
                assert_eq!(last.residual, 0.0);
            }
        }
    }
}

#[test]
fn what_would_have_to_pull_from_the_start_on_is_released_at_once() {
    let case = Case::new(pendulum(), Some(&[0]));
    let mut options = options(0.3, Method::Inverse, 1e-9);
    options.one_sided = vec![OneSided {
        constraint: 0,
        release: Release::Go,
    }];
    // at the bottom of the circle the force is inwards, and x1^2 + x2^2 >= 1 lets it fall
    let motion = case.run(&[0.0, -1.0], &[0.0, 0.0], &options);
    assert_eq!(motion.because, None);
    assert_eq!(motion.releases.len(), 1);
    assert_eq!(motion.releases[0].t, 0.0);
    let last = motion.samples.last().unwrap();
    assert!((last.x[1] + 1.0 + 0.5 * G * 0.09).abs() < 1e-12, "{last:?}");
    assert_eq!(motion.samples.len(), 11);
}

#[test]
fn a_motion_that_comes_back_to_what_it_left_stops_there() {
    let case = Case::new(thrown_back(), Some(&[1]));
    for (method, stiff) in each() {
        let mut options = with(stiff, options(3.0, method, 1e-9));
        options.one_sided = vec![OneSided {
            constraint: 0,
            release: Release::Go,
        }];
        let motion = case.run(&[0.0, 0.0], &[1.0, 0.0], &options);
        let Some(SolverError::Contact { t, .. }) = motion.because else {
            panic!("{method} {stiff:?}: {:?}", motion.because);
        };
        assert!((motion.releases[0].t - 1.0).abs() < 1e-8);
        // y'' = sin(pi s) - 3 s^2, s = t - 1, from rest at s = 0
        let gap = |t: f64| {
            let s: f64 = t - 1.0;
            s / PI - (PI * s).sin() / (PI * PI) - s.powi(4) / 4.0
        };
        assert!(gap(t).abs() < 1e-7, "{t}: {:e}", gap(t));
        assert!(motion.samples.iter().all(|s| s.residual < 1e-14));
    }
}

/// On the line x2 = 0 with a force that turns upwards at t = 1 and downwards later.
fn thrown_back() -> Written {
    Written {
        n: 2,
        m: 1,
        constraint: |_, x, out| {
            out.residual[0] = x[1];
            out.scale[0] = x[1].abs().max(1.0);
            out.f_t[0] = 0.0;
            out.jacobian[(0, 0)] = 0.0;
            out.jacobian[(0, 1)] = 1.0;
        },
        motion: |t, _, v, out| {
            out.mass.fill_with_identity();
            let s: f64 = t - 1.0;
            out.bias[0] = 0.0;
            out.bias[1] = -(PI * s).sin() + 3.0 * s * s;
            if s < 0.0 {
                out.bias[1] = -s;
            }
            out.gamma[0] = 0.0;
            out.energy = 0.5 * (v[0] * v[0] + v[1] * v[1]);
        },
        factors: |_, _, out| out.push(1.0),
    }
}

#[test]
fn a_chart_held_on_to_parts_from_the_motion_at_its_fold() {
    let case = Case::new(parabola(), Some(&[0]));
    let start = Start {
        t: 0.0,
        x: vec![1.0, 1.0],
        v: vec![0.0; 2],
        correction: vec![0.0; 2],
        notes: Vec::new(),
        rough: None,
    };
    let mut options = options(1.0, Method::Inverse, 1e-9);
    options.samples = 100;
    let motion = simulate(&case.problem(), &start, &options, &GO_ON);
    let (_, held) = hold_chart(&case.problem(), &start, &options, &GO_ON).unwrap();
    let fold = motion.flags[0].t;
    let after = fold + 0.02;
    for (h, s) in held.iter().zip(&motion.samples) {
        assert!((h.t - s.t).abs() < 1e-14);
        if s.t < fold - 0.02 {
            assert!(apart(&h.x, &s.x) < 1e-8, "{} {:?} {:?}", h.t, h.x, s.x);
        } else if s.t > after {
            assert!(apart(&h.x, &s.x) > 1e-2, "{} {:?} {:?}", h.t, h.x, s.x);
        }
    }
    assert!(held.len() < 101 || held[100].x[0] > 0.0);
    // x2 is a chart for all of the wire
    let other = Case::new(parabola(), Some(&[1]));
    let (held, samples) = hold_chart(&other.problem(), &start, &options, &GO_ON).unwrap();
    assert_eq!((held.left, held.ended), (None, None));
    for (h, s) in samples.iter().zip(&motion.samples) {
        assert!(apart(&h.x, &s.x) < 1e-8);
    }
}
