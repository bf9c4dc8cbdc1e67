//! The force of constraint.
//!
//! ```text
//! R_k = sum_b lambda_b df_b/dx_k + sum_j mu_j A_jk
//! ```
//!
//! On a body whose position r is made of coordinates themselves, constraint b pushes with the force
//! lambda_b df_b/dr: its magnitude is lambda_b |df_b/dr|, along df_b/dr / |df_b/dr|. Along all coordinates it is
//! F_b = lambda_b |df_b/dx|: a force where these are Cartesian.

use super::equations::{Equations, readable};
use crate::expr::{Expr, Function, Number, Pool};
use crate::system::{Constraint, System};
use rustc_hash::FxHashMap;

/// What one constraint does to one body.
#[derive(Clone, Debug)]
pub struct BodyForce {
    /// The body, by index.
    pub body: usize,
    /// The constraint, by index, velocity constraints after the others.
    pub constraint: usize,
    /// lambda_b |df_b/dr|, for a velocity constraint mu_j |A_j| with its columns of r; signed as the multiplier: positive along `direction`. With the constraint
    /// itself put in where that makes it simpler (`2*lambda_rod*l` on a circle).
    pub magnitude: Expr,
    /// df_b/dr / |df_b/dr|, a component a component of the position.
    pub direction: Vec<Expr>,
    /// lambda_b df_b/dangle, for a rigid body whose angle is a coordinate; `None` where that is zero.
    pub torque: Option<Expr>,
}

/// What one constraint does to all coordinates.
#[derive(Clone, Debug)]
pub struct ConstraintForce {
    /// The constraint, by index, velocity constraints after the others.
    pub constraint: usize,
    /// lambda_b |df_b/dx|, as in [`BodyForce`].
    pub magnitude: Expr,
    /// df_b/dx / |df_b/dx|: the coordinates that it acts on, each with its component.
    pub direction: Vec<(usize, Expr)>,
    /// Are these coordinates more than those of one point: more than three, or with inertias that differ? Then the magnitude
    /// is the force on no body.
    pub several: bool,
}

/// R, one a coordinate.
pub fn reactions(system: &System, equations: &Equations) -> Vec<Expr> {
    let pool = &system.pool;
    (0..system.coordinates.len())
        .map(|k| {
            let acting = system.multipliers().zip(equations.rows());
            let acting = acting.filter(|(_, row)| row[k] != pool.zero());
            readable(
                pool,
                pool.sum(acting.map(|(lambda, row)| pool.mul(lambda, row[k]))),
            )
        })
        .collect()
}

/// The forces on the bodies with plain coordinates, body by body.
pub fn body_forces(system: &System, equations: &Equations) -> Vec<BodyForce> {
    let pool = &system.pool;
    let index = |e: Expr| system.coordinates.iter().position(|c| c.x == e);
    let mut forces = Vec::new();
    for (body, b) in system.bodies.iter().enumerate() {
        let Some(places) = b.at.iter().map(|&e| index(e)).collect::<Option<Vec<_>>>() else {
            continue;
        };
        let turns = b.rotation.and_then(|rotation| index(rotation.angle));
        let acting = system.multipliers().zip(equations.rows());
        for (constraint, (multiplier, row)) in acting.enumerate() {
            let gradient: Vec<Expr> = places.iter().map(|&k| row[k]).collect();
            let torque = turns
                .map(|k| pool.mul(multiplier, row[k]))
                .filter(|e| *e != pool.zero());
            if gradient.iter().all(|e| *e == pool.zero()) {
                continue;
            }
            let length = length(system, constraint, &gradient);
            forces.push(BodyForce {
                body,
                constraint,
                magnitude: readable(pool, pool.mul(multiplier, length)),
                direction: gradient
                    .iter()
                    .map(|&e| readable(pool, pool.div(e, length)))
                    .collect(),
                torque,
            });
        }
    }
    forces
}

/// The forces of the constraints on the coordinates, one a constraint; of many as they come, not simplified.
pub fn constraint_forces(system: &System, equations: &Equations) -> Vec<ConstraintForce> {
    const MANY: usize = 40;
    let pool = &system.pool;
    let zero = pool.zero();
    let few = equations.rows().count() <= MANY;
    let simple = |e: Expr| if few { readable(pool, e) } else { e };
    let acting = system.multipliers().zip(equations.rows()).enumerate();
    let force = |(constraint, (multiplier, row)): (usize, (Expr, &Vec<Expr>))| {
        let there = row.iter().enumerate().filter(|(_, e)| **e != zero);
        let (places, gradient): (Vec<usize>, Vec<Expr>) = there.map(|(k, &e)| (k, e)).unzip();
        let length = if few {
            length(system, constraint, &gradient)
        } else {
            pool.sqrt(pool.sum(gradient.iter().map(|&e| pool.powi(e, 2))))
        };
        let direction = gradient.iter().map(|&e| simple(pool.div(e, length)));
        ConstraintForce {
            constraint,
            magnitude: simple(pool.mul(multiplier, length)),
            several: are_several(equations, &places),
            direction: places.into_iter().zip(direction).collect(),
        }
    };
    acting.map(force).collect()
}

/// Are these coordinates more than the Cartesian ones of one point?
fn are_several(equations: &Equations, places: &[usize]) -> bool {
    let mut inertias = places.iter().map(|&k| equations.mass[k][k]);
    let first = inertias.next();
    places.len() > 3 || inertias.any(|other| Some(other) != first)
}

/// |gradient|, with the constraint put in where that makes it simpler.
fn length(system: &System, constraint: usize, gradient: &[Expr]) -> Expr {
    let pool = &system.pool;
    let square = pool.sum(gradient.iter().map(|&e| pool.powi(e, 2)));
    let there = system
        .constraints
        .get(constraint)
        .map(|c| on_surface(system, c, square));
    // where a gradient vanishes on all of its surface, as that of (x - y)^2, it has no direction there
    let square = there.filter(|e| *e != pool.zero()).unwrap_or(square);
    signed(system, readable(pool, pool.sqrt(square)))
}

/// |p| of a parameter is p or -p by the value that it has: lengths are positive in every file that
/// means them so.
fn signed(system: &System, e: Expr) -> Expr {
    let pool = &system.pool;
    let by: FxHashMap<Expr, Expr> = system
        .parameters
        .iter()
        .filter(|p| p.value != 0.0)
        .map(|p| {
            let other = if p.value > 0.0 {
                p.symbol
            } else {
                pool.neg(p.symbol)
            };
            (pool.apply(Function::Abs, p.symbol), other)
        })
        .collect();
    pool.substitute(e, &by)
}

/// An expression with the constraint put in, where subtracting a constant multiple of f - c frees it
/// of coordinates: `4*x^2 + 4*y^2` is `4*l^2` on the circle. The expression itself otherwise.
fn on_surface(system: &System, constraint: &Constraint, e: Expr) -> Expr {
    let pool = &system.pool;
    let e = readable(pool, e);
    let inside = pool.symbols_of(constraint.f);
    let Some(c) = system.coordinates.iter().find(|c| inside.contains(&c.x)) else {
        return e;
    };
    let bottom = pool.derivative(constraint.f, c.x);
    let ratio = readable(pool, pool.div(pool.derivative(e, c.x), bottom));
    if !is_free(pool, system, ratio) {
        return e;
    }
    let level = pool.sub(constraint.f, constraint.c);
    let there = pool.add(e, pool.scale(pool.mul(ratio, level), &Number::MINUS_ONE));
    let there = readable(pool, there);
    if is_free(pool, system, there) {
        there
    } else {
        e
    }
}

/// Is it free of coordinates and t?
fn is_free(pool: &Pool, system: &System, e: Expr) -> bool {
    let inside = pool.symbols_of(e);
    !inside.contains(&system.t) && !system.coordinates.iter().any(|c| inside.contains(&c.x))
}
