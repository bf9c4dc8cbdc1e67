//! The equations of statics and of the linearised motion, in symbols.

use crate::expr::{Expr, Matrix, Pool};
use crate::mechanics::Equations;
use crate::system::System;
use rustc_hash::FxHashMap;

/// How the applied forces depend on velocities.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Damping {
    /// Not at all.
    None,
    /// -D x' with a constant D (in parameters).
    Constant,
    /// In another way.
    Varying,
}

/// What statics needs of a system; velocities are zero in all of it.
#[derive(Clone, Debug)]
pub struct Statics {
    /// S = d2L/dx'dt - dL/dx - Q, n.
    pub force: Vec<Expr>,
    /// dS/dx, n by n.
    pub slopes: Matrix,
    /// (b, i, j, d2f_b/dx_i dx_j) with i <= j, what is not zero.
    pub second: Vec<(usize, usize, usize, Expr)>,
    /// W = [J; A]: J as it comes from differentiation, then the rows of velocity constraints; m + p by n.
    pub gradients: Matrix,
    /// M, n by n.
    pub mass: Matrix,
    /// C = dh/dx', n by n: skew where it is gyroscopic.
    pub damping: Matrix,
    /// -dQ/dx', n by n: the part of C that applied forces give.
    pub applied: Matrix,
    /// -L(x, 0).
    pub potential: Expr,
    /// (b, i, j, dA_bi/dx_j), b the row of W, what is not zero.
    pub turning: Vec<(usize, usize, usize, Expr)>,
    /// (b, j, d(b_b)/dx_j) of the part of velocity constraints without velocities, what is not zero.
    pub speeds: Vec<(usize, usize, Expr)>,
    /// df/dt, then the part of velocity constraints without velocities; m + p.
    pub f_t: Vec<Expr>,
    /// Their rates, m + p.
    pub f_tt: Vec<Expr>,
    /// dS/dt, n.
    pub force_t: Vec<Expr>,
    /// dW/dt, m + p by n.
    pub gradients_t: Matrix,
    /// Have the forces that depend on position no potential?
    pub circulatory: bool,
    /// Applied forces that depend on velocities.
    pub damped: Damping,
    /// Do the equations of the linearised motion contain the time?
    pub timed: bool,
}

impl Statics {
    /// Derives them.
    pub fn new(system: &System, equations: &Equations) -> Self {
        let pool = &system.pool;
        let still: FxHashMap<Expr, Expr> = system
            .coordinates
            .iter()
            .flat_map(|c| [(c.v, pool.zero()), (c.a, pool.zero())])
            .collect();
        let at_rest = |list: &[Expr]| pool.substitute_all(list, &still);
        let at_rest_rows =
            |rows: &[Vec<Expr>]| -> Matrix { rows.iter().map(|r| at_rest(r)).collect() };
        let x: Vec<Expr> = system.coordinates.iter().map(|c| c.x).collect();
        let v: Vec<Expr> = system.coordinates.iter().map(|c| c.v).collect();
        let force = at_rest(&equations.bias);
        let slopes = jacobian(pool, &force, &x);
        let mut second = Vec::new();
        for (b, row) in equations.gradients.iter().enumerate() {
            for (i, &entry) in row.iter().enumerate() {
                if entry == pool.zero() {
                    continue;
                }
                for (j, &by) in x.iter().enumerate().skip(i) {
                    let e = derivative(pool, entry, by);
                    if e != pool.zero() {
                        second.push((b, i, j, e));
                    }
                }
            }
        }
        let mass = at_rest_rows(&equations.mass);
        let damping = at_rest_rows(&jacobian(pool, &equations.bias, &v));
        let by_velocity: Matrix = jacobian(pool, &system.forces, &v);
        let applied: Matrix = at_rest_rows(&by_velocity)
            .into_iter()
            .map(|row| row.into_iter().map(|e| pool.neg(e)).collect())
            .collect();
        let entries: Vec<Expr> = by_velocity.iter().flatten().copied().collect();
        let damped = if entries.iter().all(|e| *e == pool.zero()) {
            Damping::None
        } else if entries.iter().all(|e| pool.is_constant(*e)) {
            Damping::Constant
        } else {
            Damping::Varying
        };
        let by_position = jacobian(pool, &at_rest(&system.forces), &x);
        let circulatory = (0..x.len()).any(|i| {
            (0..i).any(|j| {
                let (a, b) = (by_position[i][j], by_position[j][i]);
                a != b && pool.is_zero(pool.sub(a, b)) != Some(true)
            })
        });
        let mut gradients = equations.gradients.clone();
        gradients.extend(equations.velocity.rows.iter().cloned());
        let mut f_t = equations.f_t.clone();
        f_t.extend(&equations.velocity.b);
        let (turning, speeds) = velocity_slopes(pool, equations, &x);
        let by_t = |list: &[Expr]| -> Vec<Expr> {
            list.iter()
                .map(|e| derivative(pool, *e, system.t))
                .collect()
        };
        let gradients_t: Matrix = gradients.iter().map(|row| by_t(row)).collect();
        let all = [&slopes, &gradients, &mass, &damping]
            .into_iter()
            .flatten()
            .flatten()
            .copied()
            .chain(second.iter().map(|(.., e)| *e))
            .chain(turning.iter().map(|(.., e)| *e))
            .chain(speeds.iter().map(|(.., e)| *e));
        let timed = all.into_iter().any(|e| {
            pool.symbols_of(e).contains(&system.t)
                && pool.is_zero(pool.derivative(e, system.t)) != Some(true)
        });
        let potential = at_rest(&[pool.neg(system.lagrangian)]);
        Self {
            potential: potential.first().copied().unwrap_or(pool.zero()),
            f_tt: by_t(&f_t),
            f_t,
            turning,
            speeds,
            force_t: by_t(&force),
            force,
            slopes,
            second,
            gradients,
            mass,
            damping,
            applied,
            gradients_t,
            circulatory,
            damped,
            timed,
        }
    }
}

/// (row of W, column, slope) of what does not vanish.
type Turning = Vec<(usize, usize, usize, Expr)>;
/// (row of W, slope) of what does not vanish.
type Speeds = Vec<(usize, usize, Expr)>;

/// dA/dx and db/dx of the velocity constraints.
fn velocity_slopes(pool: &Pool, equations: &Equations, x: &[Expr]) -> (Turning, Speeds) {
    let m = equations.gradients.len();
    let (mut turning, mut speeds) = (Vec::new(), Vec::new());
    let velocity = equations.velocity.rows.iter().zip(&equations.velocity.b);
    for (b, (row, &speed)) in velocity.enumerate() {
        for (j, &by) in x.iter().enumerate() {
            for (i, &entry) in row.iter().enumerate() {
                let e = derivative(pool, entry, by);
                if e != pool.zero() {
                    turning.push((m + b, i, j, e));
                }
            }
            let e = derivative(pool, speed, by);
            if e != pool.zero() {
                speeds.push((m + b, j, e));
            }
        }
    }
    (turning, speeds)
}

fn derivative(pool: &Pool, e: Expr, by: Expr) -> Expr {
    if pool.symbols_of(e).contains(&by) {
        pool.derivative(e, by)
    } else {
        pool.zero()
    }
}

fn jacobian(pool: &Pool, list: &[Expr], by: &[Expr]) -> Matrix {
    list.iter()
        .map(|e| by.iter().map(|x| derivative(pool, *e, *x)).collect())
        .collect()
}
