//! Systems written by hand: the formulas of the tapes, without the tapes.

use crate::solver::{ConstraintValue, Dynamics, Instant};

pub const G: f64 = 9.81;

/// Names `x1`, `x2`, ... or the like.
pub fn names(stem: &str, count: usize) -> Vec<String> {
    (1..=count).map(|k| format!("{stem}{k}")).collect()
}

/// A system given by closures over (t, x, v).
pub struct Written {
    pub n: usize,
    pub m: usize,
    /// Fills residual, jacobian, `f_t`, scale.
    pub constraint: fn(f64, &[f64], &mut ConstraintValue),
    /// Fills mass, bias, gamma, energy.
    pub motion: fn(f64, &[f64], &[f64], &mut Instant),
    pub factors: fn(f64, &[f64], &mut Vec<f64>),
}

impl Dynamics for Written {
    fn coordinates(&self) -> usize {
        self.n
    }

    fn constraints(&self) -> usize {
        self.m
    }

    fn constraint(&self, t: f64, x: &[f64], out: &mut ConstraintValue) {
        (self.constraint)(t, x, out);
    }

    fn instant(&self, t: f64, x: &[f64], v: &[f64], out: &mut Instant) {
        (self.constraint)(t, x, &mut out.constraint);
        (self.motion)(t, x, v, out);
    }

    fn factors(&self, t: f64, x: &[f64], out: &mut Vec<f64>) {
        out.clear();
        (self.factors)(t, x, out);
    }
}

fn set(out: &mut ConstraintValue, b: usize, (residual, scale, f_t): (f64, f64, f64), row: &[f64]) {
    out.residual[b] = residual;
    out.scale[b] = scale.max(f64::MIN_POSITIVE);
    out.f_t[b] = f_t;
    for (k, e) in row.iter().enumerate() {
        out.jacobian[(b, k)] = *e;
    }
}

fn unit_mass(out: &mut Instant, v: &[f64], potential: f64) {
    out.mass.fill_with_identity();
    out.energy = 0.5 * v.iter().map(|v| v * v).sum::<f64>() + potential;
}

fn none(_: f64, _: &[f64], _: &mut Vec<f64>) {}

/// A point of mass one in the plane under gravity on f(x; t) = 0.
fn falling(_: f64, x: &[f64], v: &[f64], out: &mut Instant) {
    unit_mass(out, v, G * x[1]);
    out.bias[0] = 0.0;
    out.bias[1] = G;
}

/// Bead on x2 = x1^2 (NRL Memorandum Report 6001, section 10).
pub fn parabola() -> Written {
    Written {
        n: 2,
        m: 1,
        constraint: |_, x, out| {
            set(
                out,
                0,
                (x[1] - x[0] * x[0], x[1].abs() + x[0] * x[0], 0.0),
                &[-2.0 * x[0], 1.0],
            );
        },
        motion: |t, x, v, out| {
            falling(t, x, v, out);
            out.gamma[0] = 2.0 * v[0] * v[0];
        },
        factors: |_, x, out| out.push(x[0]),
    }
}

/// Bead on the moving wire x2 = x1^2 + sin t.
pub fn moving_wire() -> Written {
    Written {
        n: 2,
        m: 1,
        constraint: |t, x, out| {
            let terms = x[1].abs() + x[0] * x[0] + t.sin().abs();
            set(
                out,
                0,
                (x[1] - x[0] * x[0] - t.sin(), terms, -t.cos()),
                &[-2.0 * x[0], 1.0],
            );
        },
        motion: |t, x, v, out| {
            falling(t, x, v, out);
            out.gamma[0] = 2.0 * v[0] * v[0] - t.sin();
        },
        factors: |_, x, out| out.push(x[0]),
    }
}

fn circle_row(x: &[f64], out: &mut ConstraintValue, b: usize, factor: f64) {
    let square = x[0] * x[0] + x[1] * x[1];
    set(
        out,
        b,
        (factor * (square - 1.0), factor.abs() * (square + 1.0), 0.0),
        &[2.0 * factor * x[0], 2.0 * factor * x[1]],
    );
}

/// Pendulum, x1^2 + x2^2 = 1.
pub fn pendulum() -> Written {
    Written {
        n: 2,
        m: 1,
        constraint: |_, x, out| circle_row(x, out, 0, 1.0),
        motion: |t, x, v, out| {
            falling(t, x, v, out);
            out.gamma[0] = -2.0 * (v[0] * v[0] + v[1] * v[1]);
        },
        factors: |_, x, out| out.push(x[0]),
    }
}

/// The pendulum with its constraint given again, three times as large and with the other sign.
pub fn doubled_pendulum() -> Written {
    Written {
        n: 2,
        m: 2,
        constraint: |_, x, out| {
            circle_row(x, out, 0, 1.0);
            circle_row(x, out, 1, -3.0);
        },
        motion: |t, x, v, out| {
            falling(t, x, v, out);
            out.gamma[0] = -2.0 * (v[0] * v[0] + v[1] * v[1]);
            out.gamma[1] = -3.0 * out.gamma[0];
        },
        factors: none,
    }
}

/// NRL section 12: x1 x2 x3 = 1/2, x1 + x2 = 3, a spring to the origin (m = k = 1).
pub fn product_and_sum() -> Written {
    Written {
        n: 3,
        m: 2,
        constraint: |_, x, out| {
            let product = x[0] * x[1] * x[2];
            set(
                out,
                0,
                (product - 0.5, product.abs() + 0.5, 0.0),
                &[x[1] * x[2], x[0] * x[2], x[0] * x[1]],
            );
            set(
                out,
                1,
                (x[0] + x[1] - 3.0, x[0].abs() + x[1].abs() + 3.0, 0.0),
                &[1.0, 1.0, 0.0],
            );
        },
        motion: |_, x, v, out| {
            unit_mass(out, v, 0.5 * x.iter().map(|x| x * x).sum::<f64>());
            out.bias.copy_from_slice(x);
            out.gamma[0] = -2.0 * (v[0] * v[1] * x[2] + v[0] * x[1] * v[2] + x[0] * v[1] * v[2]);
            out.gamma[1] = 0.0;
        },
        factors: |_, x, out| out.extend([x[2], x[0] - x[1]]),
    }
}

/// NRL section 11: a bead on a rod turning with angular velocity 2 in a plane; x3 is the distance along
/// the rod and has no kinetic energy of its own.
pub fn rotating_rod() -> Written {
    Written {
        n: 3,
        m: 2,
        constraint: |t, x, out| {
            let (s, c) = (2.0 * t).sin_cos();
            set(
                out,
                0,
                (
                    x[0] - x[2] * c,
                    x[0].abs() + (x[2] * c).abs(),
                    2.0 * x[2] * s,
                ),
                &[1.0, 0.0, -c],
            );
            set(
                out,
                1,
                (
                    x[1] - x[2] * s,
                    x[1].abs() + (x[2] * s).abs(),
                    -2.0 * x[2] * c,
                ),
                &[0.0, 1.0, -s],
            );
        },
        motion: |t, x, v, out| {
            let (s, c) = (2.0 * t).sin_cos();
            out.mass.fill(0.0);
            out.mass[(0, 0)] = 1.0;
            out.mass[(1, 1)] = 1.0;
            out.bias.fill(0.0);
            out.energy = 0.5 * (v[0] * v[0] + v[1] * v[1]);
            out.gamma[0] = -4.0 * v[2] * s - 4.0 * x[2] * c;
            out.gamma[1] = 4.0 * v[2] * c - 4.0 * x[2] * s;
        },
        factors: |t, _, out| out.push(if t.is_finite() { 1.0 } else { 0.0 }),
    }
}

/// As the pendulum, with a third coordinate that neither the energy nor the constraint knows.
pub fn massless_coordinate() -> Written {
    Written {
        n: 3,
        m: 1,
        constraint: |_, x, out| {
            circle_row(x, out, 0, 1.0);
            out.jacobian[(0, 2)] = 0.0;
        },
        motion: |t, x, v, out| {
            falling(t, x, v, out);
            out.mass[(2, 2)] = 0.0;
            out.bias[2] = 0.0;
            out.gamma[0] = -2.0 * (v[0] * v[0] + v[1] * v[1]);
        },
        factors: |_, x, out| out.push(x[0]),
    }
}

/// x'' = -x: no constraint.
pub fn oscillator() -> Written {
    Written {
        n: 1,
        m: 0,
        constraint: |_, _, _| {},
        motion: |_, x, v, out| {
            unit_mass(out, v, 0.5 * x[0] * x[0]);
            out.bias[0] = x[0];
        },
        factors: none,
    }
}

/// n = m: a crank that is driven, x1 = cos t, x2 = sin t, given as x1^2 + x2^2 = 1, x1 sin t = x2 cos t.
pub fn driven() -> Written {
    Written {
        n: 2,
        m: 2,
        constraint: |t, x, out| {
            let (s, c) = t.sin_cos();
            circle_row(x, out, 0, 1.0);
            let terms = (x[0] * s).abs() + (x[1] * c).abs();
            set(
                out,
                1,
                (x[0] * s - x[1] * c, terms, x[0] * c + x[1] * s),
                &[s, -c],
            );
        },
        motion: |t, x, v, out| {
            falling(t, x, v, out);
            let (s, c) = t.sin_cos();
            out.gamma[0] = -2.0 * (v[0] * v[0] + v[1] * v[1]);
            out.gamma[1] = -2.0 * (v[0] * c + v[1] * s) + x[0] * s - x[1] * c;
        },
        factors: |t, x, out| out.push(-x[0] * t.cos() - x[1] * t.sin()),
    }
}

/// x1 x2 = 0: two lines that cross at the origin.
pub fn crossing_lines() -> Written {
    Written {
        n: 2,
        m: 1,
        constraint: |_, x, out| {
            set(
                out,
                0,
                (x[0] * x[1], (x[0] * x[1]).abs(), 0.0),
                &[x[1], x[0]],
            );
        },
        motion: |_, _, v, out| {
            unit_mass(out, v, 0.0);
            out.bias.fill(0.0);
            out.gamma[0] = -2.0 * v[0] * v[1];
        },
        factors: |_, x, out| out.push(x[0]),
    }
}

/// A free particle pulled to a wall that it meets in finite time: x'' = -1 / x^2, x' < 0.
pub fn falling_into_a_centre() -> Written {
    Written {
        n: 1,
        m: 0,
        constraint: |_, _, _| {},
        motion: |_, x, v, out| {
            unit_mass(out, v, -1.0 / x[0]);
            out.bias[0] = 1.0 / (x[0] * x[0]);
        },
        factors: none,
    }
}

/// x'' = 6 x^2: from x = 1, x' = 2 it is 1 / (1 - t)^2.
pub fn running_away() -> Written {
    Written {
        n: 1,
        m: 0,
        constraint: |_, _, _| {},
        motion: |_, x, v, out| {
            unit_mass(out, v, -2.0 * x[0].powi(3));
            out.bias[0] = -6.0 * x[0] * x[0];
        },
        factors: none,
    }
}

/// A bead on x2 = x1^2 that is driven outwards, and faster the further out it is: E = x'' - x^3 in x1.
pub fn running_away_on_a_wire() -> Written {
    Written {
        motion: |t, x, v, out| {
            (parabola().motion)(t, x, v, out);
            out.bias[0] = -x[0].powi(5);
            out.bias[1] = 0.0;
        },
        ..parabola()
    }
}

/// x'' = x: grows until numbers end.
pub fn growing() -> Written {
    Written {
        motion: |_, x, v, out| {
            unit_mass(out, v, -0.5 * x[0] * x[0]);
            out.bias[0] = -x[0];
        },
        ..oscillator()
    }
}

/// x'' = -sqrt(x): not a number once x is negative.
pub fn edge_of_a_domain() -> Written {
    Written {
        n: 1,
        m: 0,
        constraint: |_, _, _| {},
        motion: |_, x, v, out| {
            unit_mass(out, v, 0.0);
            out.bias[0] = 1.0 + x[0].sqrt();
        },
        factors: none,
    }
}

/// A free oscillator of two coordinates on a plane: x1 = cos t - 1 touches zero without a change of sign.
pub fn touching() -> Written {
    Written {
        n: 2,
        m: 1,
        constraint: |_, x, out| {
            let cube = x[0] * x[0];
            set(
                out,
                0,
                (x[1] - cube, x[1].abs() + cube.abs(), 0.0),
                &[-2.0 * x[0], 1.0],
            );
        },
        // driven so that x1 = cos t - 1: all the mass is in x1
        motion: |t, _, v, out| {
            out.mass.fill(0.0);
            out.mass[(0, 0)] = 1.0;
            out.bias[0] = t.cos();
            out.bias[1] = 0.0;
            out.gamma[0] = 2.0 * v[0] * v[0];
            out.energy = 0.0;
        },
        factors: |_, x, out| out.push(x[0]),
    }
}

/// N unit masses on unit rods, |r_i - r_(i-1)|^2 = 1, hanging from the origin.
pub struct Chain(pub usize);

impl Dynamics for Chain {
    fn coordinates(&self) -> usize {
        2 * self.0
    }

    fn constraints(&self) -> usize {
        self.0
    }

    fn constraint(&self, _: f64, x: &[f64], out: &mut ConstraintValue) {
        out.jacobian.fill(0.0);
        for i in 0..self.0 {
            let (mut square, mut terms) = (0.0, 1.0);
            for k in 0..2 {
                let before = if i > 0 { x[2 * i - 2 + k] } else { 0.0 };
                let d = x[2 * i + k] - before;
                square += d * d;
                terms += (x[2 * i + k].abs() + before.abs()).powi(2);
                out.jacobian[(i, 2 * i + k)] = 2.0 * d;
                if i > 0 {
                    out.jacobian[(i, 2 * i - 2 + k)] = -2.0 * d;
                }
            }
            out.residual[i] = square - 1.0;
            out.scale[i] = terms;
        }
    }

    fn instant(&self, t: f64, x: &[f64], v: &[f64], out: &mut Instant) {
        self.constraint(t, x, &mut out.constraint);
        let height: f64 = (0..self.0).map(|i| x[2 * i + 1]).sum();
        unit_mass(out, v, G * height);
        for i in 0..self.0 {
            out.bias[2 * i] = 0.0;
            out.bias[2 * i + 1] = G;
            let square: f64 = (0..2)
                .map(|k| v[2 * i + k] - if i > 0 { v[2 * i - 2 + k] } else { 0.0 })
                .map(|d| d * d)
                .sum();
            out.gamma[i] = -2.0 * square;
        }
    }

    /// The choice is y_1, ..., y_N: its block is triangular.
    fn factors(&self, _: f64, x: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.extend((0..self.0).map(|i| x[2 * i + 1] - if i > 0 { x[2 * i - 1] } else { 0.0 }));
    }
}

/// Parallelogram linkage: rods of length one from (0, 0) to (x1, x2) and from (2, 0) to (x3, x4), a
/// coupler of length two between their ends; a unit mass at each end, no gravity. It is flat where
/// both rods lie along the base; there the configurations branch.
pub fn parallelogram() -> Written {
    Written {
        n: 4,
        m: 3,
        constraint: |_, x, out| {
            let (a, b) = (x[2] - 2.0, x[3]);
            let (c, d) = (x[2] - x[0], x[3] - x[1]);
            set(
                out,
                0,
                (
                    x[0] * x[0] + x[1] * x[1] - 1.0,
                    x[0] * x[0] + x[1] * x[1] + 1.0,
                    0.0,
                ),
                &[2.0 * x[0], 2.0 * x[1], 0.0, 0.0],
            );
            set(
                out,
                1,
                (a * a + b * b - 1.0, a * a + b * b + 5.0, 0.0),
                &[0.0, 0.0, 2.0 * a, 2.0 * b],
            );
            set(
                out,
                2,
                (c * c + d * d - 4.0, c * c + d * d + 4.0, 0.0),
                &[-2.0 * c, -2.0 * d, 2.0 * c, 2.0 * d],
            );
        },
        motion: |_, _, v, out| {
            unit_mass(out, v, 0.0);
            out.bias.fill(0.0);
            out.gamma[0] = -2.0 * (v[0] * v[0] + v[1] * v[1]);
            out.gamma[1] = -2.0 * (v[2] * v[2] + v[3] * v[3]);
            out.gamma[2] = -2.0 * ((v[2] - v[0]).powi(2) + (v[3] - v[1]).powi(2));
        },
        // det of the columns x2, x3, x4
        factors: |_, x, out| {
            let (a, b) = (x[2] - 2.0, x[3]);
            let (c, d) = (x[2] - x[0], x[3] - x[1]);
            out.extend([x[1], a * d - b * c]);
        },
    }
}

/// On x2 = exp(x1), pushed away by the potential -x1^2 x2^2.
pub fn pushed_along_an_exponential() -> Written {
    Written {
        n: 2,
        m: 1,
        constraint: |_, x, out| {
            let e = x[0].exp();
            set(out, 0, (x[1] - e, x[1].abs() + e, 0.0), &[-e, 1.0]);
        },
        motion: |_, x, v, out| {
            unit_mass(out, v, -(x[0] * x[1]).powi(2));
            out.bias[0] = -2.0 * x[0] * x[1] * x[1];
            out.bias[1] = -2.0 * x[0] * x[0] * x[1];
            out.gamma[0] = x[0].exp() * v[0] * v[0];
        },
        factors: none,
    }
}
