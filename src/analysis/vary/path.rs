//! Varied paths on the constraints, with the first and second variations along them.

use super::Returned;
use crate::analysis::integral::{integral, judged};
use crate::analysis::{Model, Spot};
use crate::expr::{Expr, SymbolKind, Tape};
use crate::solver::Sample;
use crate::system::System;
use crate::theorem::{arguments, inputs};
use nalgebra::{DMatrix, DVector};

/// Newton steps back to the constraints.
const STEPS: usize = 30;

/// An integral is resolved where the quadrature is off by less than this part of that of its size.
const RESOLVED: f64 = 1e-7;

/// eta and eta' at each sample.
pub struct Eta {
    pub value: Vec<Vec<f64>>,
    pub rate: Vec<Vec<f64>>,
}

/// The integrals.
pub struct Integrals {
    pub action: f64,
    pub slope: f64,
    pub work: f64,
    pub curvature: f64,
    pub scale: f64,
    pub error: f64,
    pub action_error: f64,
    pub curvature_error: f64,
    pub resolved: bool,
}

/// A motion with what is needed to vary it.
pub struct Reference<'a> {
    system: &'a System,
    samples: &'a [Sample],
    /// times that no polynomial through them goes over
    breaks: Vec<f64>,
    /// which directions bring a varied path back to the constraints
    returned: &'a Returned,
    n: usize,
    m: usize,
    /// of x, x', t, the parameters, dx, dx', ddx, ddx': L, dL, ddL; df, ddf, df', ddf' a row; J and dJ/dt by rows; f - c and
    /// f_t; Q; A by rows
    all: Tape,
    /// L; f - c, f_t; J by rows
    plain: Tape,
    /// mu at the samples
    mu: Vec<Vec<f64>>,
}

impl<'a> Reference<'a> {
    pub fn new(
        model: &'a Model,
        (samples, breaks): (&'a [Sample], Vec<f64>),
        (rows, returned): (&[usize], &'a Returned),
    ) -> Self {
        let system = &model.system;
        let pool = &system.pool;
        let c = &system.coordinates;
        let (n, m) = (c.len(), rows.len());
        // first and second variations of x and x'; no text can name them
        let symbols = |letter: &str, first: usize| -> Vec<Expr> {
            (0..n)
                .map(|k| {
                    pool.symbol(
                        &format!("{letter}#{k}"),
                        SymbolKind::Other(usize::MAX / 4 - first - k),
                    )
                })
                .collect()
        };
        let [dx, dv, ddx, ddv] =
            [("dx", 0), ("dv", n), ("ddx", 2 * n), ("ddv", 3 * n)].map(|(s, i)| symbols(s, i));
        let mut once: Vec<(Expr, Expr)> = Vec::new();
        let mut twice: Vec<(Expr, Expr)> = Vec::new();
        for k in 0..n {
            once.extend([(c[k].x, dx[k]), (c[k].v, dv[k])]);
            twice.extend([(dx[k], ddx[k]), (dv[k], ddv[k])]);
        }
        twice.extend(&once);
        let rates = system.rates();
        let lagrangian = system.lagrangian;
        let first = pool.total_derivative(lagrangian, &once);
        let mut all = vec![lagrangian, first, pool.total_derivative(first, &twice)];
        let levels: Vec<Expr> = rows
            .iter()
            .map(|&b| pool.sub(system.constraints[b].f, system.constraints[b].c))
            .collect();
        let moved: Vec<Expr> = levels
            .iter()
            .map(|&f| pool.total_derivative(f, &rates))
            .collect();
        for list in [&levels, &moved] {
            let one: Vec<Expr> = list
                .iter()
                .map(|&f| pool.total_derivative(f, &once))
                .collect();
            let two = one.iter().map(|&f| pool.total_derivative(f, &twice));
            let two: Vec<Expr> = two.collect();
            all.extend(one);
            all.extend(two);
        }
        let jacobian: Vec<Expr> = rows
            .iter()
            .flat_map(|&b| model.equations.gradients[b].clone())
            .collect();
        all.extend(&jacobian);
        all.extend(jacobian.iter().map(|&e| pool.total_derivative(e, &rates)));
        all.extend(&system.forces);
        all.extend(model.equations.velocity.rows.iter().flatten());
        let mut plain = vec![lagrangian];
        plain.extend(&levels);
        plain.extend(rows.iter().map(|&b| model.equations.f_t[b]));
        plain.extend(&jacobian);
        let state: Vec<Expr> = inputs(system);
        let all_inputs = [&state[..], &dx, &dv, &ddx, &ddv].concat();
        let own = system.constraints.len();
        Self {
            system,
            samples,
            breaks,
            returned,
            n,
            m,
            all: Tape::new(pool, &all_inputs, &all),
            plain: Tape::new(pool, &state, &plain),
            mu: samples
                .iter()
                .map(|s| s.lambda.get(own..).unwrap_or_default().to_vec())
                .collect(),
        }
    }

    /// Where the outputs of `all` begin: df, ddf, df', ddf', J, dJ/dt, Q, A.
    fn places(&self) -> [usize; 8] {
        let (n, m) = (self.n, self.m);
        let lengths = [m, m, m, m, m * n, m * n, n];
        let mut at = [3; 8];
        for (i, length) in lengths.into_iter().enumerate() {
            at[i + 1] = at[i] + length;
        }
        at
    }

    fn everything(&self, s: &Sample, varied: [&[f64]; 4]) -> Vec<f64> {
        let state = arguments(self.system, s.t, &s.x, &s.v);
        self.all
            .values(&[&state, varied.concat().as_slice()].concat())
    }

    /// N and its rate at a sample of the motion.
    fn fill(&self, s: &Sample) -> [DMatrix<f64>; 2] {
        let (n, m) = (self.n, self.m);
        match &self.returned {
            Returned::ByG(list) => [
                DMatrix::from_fn(n, m, |k, b| f64::from(u8::from(list[b] == k))),
                DMatrix::zeros(n, m),
            ],
            Returned::Nearest => {
                let zero = vec![0.0; n];
                let out = self.everything(s, [&zero; 4]);
                let [.., j, rate, _, _] = self.places();
                [j, rate].map(|part| DMatrix::from_fn(n, m, |k, b| out[part + b * n + k]))
            }
        }
    }

    /// S, S', S'' and what belongs to them; `None` where J N is singular on the way.
    pub fn variations(&self, eta: &Eta) -> Option<Integrals> {
        let (n, m) = (self.n, self.m);
        let zero = vec![0.0; n];
        let [f1, f2, g1, g2, j, _, q, a] = self.places();
        let mut columns: [Vec<f64>; 6] = Default::default();
        for (i, s) in self.samples.iter().enumerate() {
            let [fill, fill_rate] = self.fill(s);
            let flat = self.everything(s, [&zero; 4]);
            let block = DMatrix::from_fn(m, n, |b, k| flat[j + b * n + k]) * &fill;
            let lu = block.lu();
            let solved = |out: &[f64], from: usize| -> Option<DVector<f64>> {
                let right = DVector::from_fn(m, |b, _| -out[from + b]);
                if m == 0 {
                    Some(right)
                } else {
                    lu.solve(&right)
                }
            };
            let add = |list: &[f64], more: &DVector<f64>| -> Vec<f64> {
                list.iter().zip(more.iter()).map(|(a, b)| a + b).collect()
            };
            let out = self.everything(s, [&eta.value[i], &zero, &zero, &zero]);
            let one = solved(&out, f1)?;
            let dx = add(&eta.value[i], &(&fill * &one));
            let rate = add(&eta.rate[i], &(&fill_rate * &one));
            let out = self.everything(s, [&dx, &rate, &zero, &zero]);
            let dv = add(&rate, &(&fill * solved(&out, g1)?));
            let out = self.everything(s, [&dx, &dv, &zero, &zero]);
            let two = solved(&out, f2)?;
            let ddx = add(&zero, &(&fill * &two));
            let rate = add(&zero, &(&fill_rate * &two));
            let out = self.everything(s, [&dx, &dv, &ddx, &rate]);
            let ddv = add(&rate, &(&fill * solved(&out, g2)?));
            let out = self.everything(s, [&dx, &dv, &ddx, &ddv]);
            let work: f64 = (0..n)
                .map(|k| {
                    let mu = self.mu[i].iter().enumerate();
                    let held: f64 = mu.map(|(b, mu)| mu * out[a + b * n + k]).sum();
                    (out[q + k] + held) * dx[k]
                })
                .sum();
            for (column, v) in
                columns
                    .iter_mut()
                    .zip([out[0], out[0].abs(), out[1], out[2], out[2].abs(), work])
            {
                column.push(v);
            }
        }
        let times: Vec<f64> = self.samples.iter().map(|s| s.t).collect();
        let last = |sums: &[f64]| sums.last().copied().unwrap_or(f64::NAN);
        let whole = |y: &[f64]| last(&integral(&times, y, &self.breaks));
        let [action, size, first, second, scale, work] = columns;
        let all = [action, first, work, second].map(|y| judged(&times, &y, &self.breaks));
        let [action, slope, work, curvature] = all.each_ref().map(|(sums, _)| last(sums));
        let [action_error, of_slope, of_work, curvature_error] = all.map(|(_, doubt)| doubt);
        let (size, scale) = (whole(&size).abs(), whole(&scale).abs());
        Some(Integrals {
            action,
            slope,
            work,
            curvature,
            scale,
            error: of_slope + of_work,
            action_error,
            curvature_error,
            resolved: action_error <= RESOLVED * size && curvature_error <= RESOLVED * scale,
        })
    }

    /// The action along a varied path, and its places; where it leaves N, when and where.
    pub fn path(&self, eta: &Eta, epsilon: f64) -> Result<(f64, Vec<Vec<f64>>), Spot> {
        let (n, m) = (self.n, self.m);
        let mut lagrangian = Vec::new();
        let mut places = Vec::new();
        let mut nu = DVector::zeros(m);
        for (i, s) in self.samples.iter().enumerate() {
            let [fill, fill_rate] = self.fill(s);
            let base = DVector::from_fn(n, |k, _| s.x[k] + epsilon * eta.value[i][k]);
            let evaluate = |x: &[f64], v: &[f64]| {
                let inputs = arguments(self.system, s.t, x, v);
                self.plain.values(&inputs)
            };
            let block =
                |out: &[f64]| DMatrix::from_fn(m, n, |b, k| out[1 + 2 * m + b * n + k]) * &fill;
            let sign = block(&evaluate(&s.x, &s.v)).determinant().signum();
            let mut x = &base + &fill * &nu;
            let mut done = m == 0;
            for _ in 0..STEPS {
                if done {
                    break;
                }
                let out = evaluate(x.as_slice(), &s.v);
                let right = DVector::from_fn(m, |b, _| -out[1 + b]);
                let Some(step) = block(&out).lu().solve(&right) else {
                    break;
                };
                if !step.iter().all(|v| v.is_finite()) {
                    break;
                }
                nu += &step;
                let moved = (&fill * &step).amax();
                x = &base + &fill * &nu;
                done = moved <= 1e-13 * x.amax().max(1.0);
            }
            let out = evaluate(x.as_slice(), &s.v);
            let left = || Spot {
                t: s.t,
                x: x.as_slice().to_vec(),
            };
            if !done
                || m > 0 && block(&out).determinant().signum() != sign
                || !out.iter().all(|v| v.is_finite())
            {
                return Err(left());
            }
            // J (x' + eps eta' + N' nu + N nu') + f_t = 0
            let rate =
                DVector::from_fn(n, |k, _| s.v[k] + epsilon * eta.rate[i][k]) + &fill_rate * &nu;
            let right = DVector::from_fn(m, |b, _| {
                let along: f64 = (0..n).map(|k| out[1 + 2 * m + b * n + k] * rate[k]).sum();
                -out[1 + m + b] - along
            });
            let v = if m == 0 {
                rate
            } else {
                let Some(nu_rate) = block(&out).lu().solve(&right) else {
                    return Err(left());
                };
                rate + &fill * nu_rate
            };
            let out = evaluate(x.as_slice(), v.as_slice());
            lagrangian.push(out[0]);
            places.push(x.as_slice().to_vec());
        }
        let times: Vec<f64> = self.samples.iter().map(|s| s.t).collect();
        let action = integral(&times, &lagrangian, &self.breaks).last().copied();
        Ok((action.unwrap_or(f64::NAN), places))
    }
}
