//! Large systems: what sparse factors say against dense ones, at instants and along motions.

use super::super::linearised::Stop;
use super::super::method::RightHandSide;
use super::super::rank::InUse;
use super::super::step::Tolerance;
use super::systems::*;
use super::*;

/// Several systems side by side, with the pattern of their matrices or without.
struct Copies {
    one: Written,
    count: usize,
    pattern: Option<Pattern>,
}

impl Copies {
    fn new(one: Written, count: usize) -> Self {
        let (n, m) = (one.n, one.m);
        let within = |i: usize, n: usize| (i / n * one.n)..(i / n + 1) * one.n;
        let below = |k: usize| within(k, n).filter(move |i| *i <= k);
        let pattern = Pattern {
            mass: (0..n * count)
                .flat_map(|k| below(k).map(move |i| (k, i)))
                .collect(),
            jacobian: (0..m * count)
                .flat_map(|b| within(b, m).map(move |k| (b, k)))
                .collect(),
        };
        Self {
            one,
            count,
            pattern: Some(pattern),
        }
    }

    fn dense(one: Written, count: usize) -> Self {
        Self {
            pattern: None,
            ..Self::new(one, count)
        }
    }
}

impl Dynamics for Copies {
    fn coordinates(&self) -> usize {
        self.one.n * self.count
    }

    fn constraints(&self) -> usize {
        self.one.m * self.count
    }

    fn constraint(&self, t: f64, x: &[f64], out: &mut ConstraintValue) {
        let (n, m) = (self.one.n, self.one.m);
        let mut here = ConstraintValue::new(n, m);
        for (c, x) in x.chunks_exact(n).enumerate() {
            self.one.constraint(t, x, &mut here);
            out.residual.rows_mut(c * m, m).copy_from(&here.residual);
            out.f_t.rows_mut(c * m, m).copy_from(&here.f_t);
            out.scale.rows_mut(c * m, m).copy_from(&here.scale);
            let mut block = out.jacobian.view_mut((c * m, c * n), (m, n));
            block.copy_from(&here.jacobian);
        }
    }

    fn instant(&self, t: f64, x: &[f64], v: &[f64], out: &mut super::super::Instant) {
        let (n, m) = (self.one.n, self.one.m);
        self.constraint(t, x, &mut out.constraint);
        let mut here = super::super::Instant::of(&self.one);
        out.energy = 0.0;
        for (c, (x, v)) in x.chunks_exact(n).zip(v.chunks_exact(n)).enumerate() {
            self.one.instant(t, x, v, &mut here);
            out.bias.rows_mut(c * n, n).copy_from(&here.bias);
            out.gamma.rows_mut(c * m, m).copy_from(&here.gamma);
            out.mass
                .view_mut((c * n, c * n), (n, n))
                .copy_from(&here.mass);
            out.energy += here.energy;
        }
    }

    fn pattern(&self) -> Option<&Pattern> {
        self.pattern.as_ref()
    }

    fn factors(&self, _: f64, _: &[f64], out: &mut Vec<f64>) {
        out.clear();
    }
}

const TOLERANCE: Tolerance = Tolerance {
    rtol: 1e-9,
    atol: 1e-12,
};

fn problem(dynamics: &dyn Dynamics) -> Problem<'_> {
    Problem {
        dynamics,
        dependent: None,
        coordinates: &[],
        constraints: &[],
    }
}

/// Deterministic numbers in (-1, 1).
fn number(seed: usize) -> f64 {
    ((seed as f64 + 0.3) * 12.9898).sin() * 43_758.545 % 1.0
}

/// Accelerations, multipliers and the stretch of the chart at scattered places, from both.
fn instants_agree(one: fn() -> Written, base: &[f64], rows: &[usize], dependent: &[usize]) {
    let (sparse, dense) = (Copies::new(one(), 12), Copies::dense(one(), 12));
    let (n, m) = (one().n, one().m);
    let all = |list: &[usize], each: usize| -> Vec<usize> {
        let copies = (0..12).flat_map(|c| list.iter().map(move |i| c * each + i));
        copies.collect()
    };
    let (rows, dependent) = (all(rows, m), all(dependent, n));
    let (sparse, dense) = (problem(&sparse), problem(&dense));
    for method in Method::ALL {
        let mut a = RightHandSide::new(
            InUse::positions(&sparse, &rows),
            (method, TOLERANCE),
            &dependent,
        );
        let mut b = RightHandSide::new(
            InUse::positions(&dense, &rows),
            (method, TOLERANCE),
            &dependent,
        );
        for turn in 0..4 {
            let start: Vec<f64> = (0..24 * n)
                .map(|k| {
                    let noise = number(turn * 100 + k);
                    if k < 12 * n {
                        base[k % n] + 0.01 * noise
                    } else {
                        noise
                    }
                })
                .collect();
            let t = 0.1;
            let (mut x, mut y) = (start.clone(), start);
            a.project(t, &mut x).unwrap();
            b.project(t, &mut y).unwrap();
            assert!(apart(&x, &y) < 1e-12, "{method}: projected");
            let (_, acceleration, multipliers) = a.evaluate(t, &x).unwrap();
            let found = (acceleration.to_vec(), multipliers.to_vec());
            let (_, acceleration, multipliers) = b.evaluate(t, &x).unwrap();
            assert!(apart(&found.0, acceleration) < 1e-11, "{method}");
            assert!(apart(&found.1, multipliers) < 1e-11, "{method}");
            let (p, q) = (a.stretch(), b.stretch());
            assert!((p - q).abs() <= 1e-11 * q, "{method}: {p} {q}");
        }
    }
}

#[test]
fn instants_of_large_systems_are_those_of_dense_factors() {
    instants_agree(product_and_sum, &[2.0, 1.0, 0.25], &[0, 1], &[0, 1]);
    // a coordinate without kinetic energy of its own
    let (s, c) = 0.2_f64.sin_cos();
    instants_agree(rotating_rod, &[c, s, 1.0], &[0, 1], &[0, 1]);
    instants_agree(moving_wire, &[0.4, 0.26], &[0], &[1]);
    // redundant constraints left out
    instants_agree(doubled_pendulum, &[0.6, -0.8], &[1], &[1]);
    // none in use: dense factors of as many coordinates as there are took minutes
    instants_agree(doubled_pendulum, &[0.6, -0.8], &[], &[]);
}

#[test]
fn a_large_system_without_inertia_somewhere_is_refused() {
    let copies = Copies::new(massless_coordinate(), 12);
    let problem = problem(&copies);
    let rows: Vec<usize> = (0..12).collect();
    let dependent: Vec<usize> = (0..12).map(|c| 3 * c).collect();
    let state: Vec<f64> = (0..72)
        .map(|k| if k < 36 && k % 3 == 0 { 1.0 } else { 0.0 })
        .collect();
    for method in Method::ALL {
        let mut rhs = RightHandSide::new(
            InUse::positions(&problem, &rows),
            (method, TOLERANCE),
            &dependent,
        );
        let found = rhs.evaluate(0.0, &state).map(|_| ());
        assert_eq!(found, Err(Stop::Singular), "{method}");
    }
}

#[test]
fn large_motions_change_their_charts_and_keep_to_their_branch() {
    // pendulums at different heights: each has its own times at which its chart fails
    let rows: Vec<f64> = (0..12).map(|c| 0.3 + 0.1 * f64::from(c)).collect();
    let x: Vec<f64> = rows.iter().flat_map(|a| [a.sin(), -a.cos()]).collect();
    let v = vec![0.0; 24];
    let dependent: Vec<usize> = (0..12).map(|c| 2 * c + 1).collect();
    let sparse = Case::new(Copies::new(pendulum(), 12), Some(&dependent));
    let dense = Case::new(Copies::dense(pendulum(), 12), Some(&dependent));
    let mut ends = Vec::new();
    for method in Method::ALL {
        for case in [&sparse, &dense] {
            let motion = case.run(&x, &v, &options(3.0, method, 1e-10));
            assert_eq!(motion.because, None, "{method}");
            assert!(motion.samples.iter().all(|s| s.residual < 1e-14));
            if method == Method::Inverse {
                assert!(motion.chart_changes > 3 && motion.chart_changes < 60);
            }
            ends.push(motion.samples.last().unwrap().clone());
        }
    }
    for end in &ends {
        assert!(apart(&end.x, &ends[0].x) < 1e-8);
        assert!(apart(&end.v, &ends[0].v) < 1e-8);
        assert!(apart(&end.lambda, &ends[0].lambda) < 1e-7);
    }
}
