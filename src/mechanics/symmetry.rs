//! Conserved quantities from symmetries (Noether).
//!
//! A change of the coordinates and of the time, with constant a_k, A_kj and tau,
//!
//! ```text
//! dx_k = xi_k = a_k + sum_j A_kj x_j,     dt = tau
//! ```
//!
//! that leaves L and every constraint as they are, and along which the forces do no work, keeps
//!
//! ```text
//! p . xi - tau H          p_k = dL/dx_k',   H = x' . p - L
//! ```
//!
//! The conditions are linear in a, A and tau:
//!
//! ```text
//! sum_k xi_k dL/dx_k + xi_k' dL/dx_k' + tau dL/dt = 0
//! sum_k xi_k df_b/dx_k + tau df_b/dt = 0               every b
//! sum_k xi_k A_jk + tau b_j = 0                        every velocity constraint: R . xi - tau R . x' = 0
//! sum_k xi_k Q_k - tau Q . x' = 0
//! ```
//!
//! Written out at scattered points they are a linear system whose null space proposes symmetries with
//! small rational coefficients; each is then held against the conditions as expressions, so that what
//! is reported is proven by algebra. Where L or a constraint contains t, coefficients may contain one
//! parameter as a factor, for the changes that go along with dt = 1 (a frame that turns with w).

use super::equations::{Equations, readable};
use crate::expr::{Expr, Number, Pool, Sequence, Tape, Workspace};
use crate::geometry::combinations_of_columns;
use crate::system::System;
use nalgebra::DMatrix;

/// More coordinates than this are not searched: the unknowns grow with their square.
const MOST_COORDINATES: usize = 6;
/// More unknowns than this are not searched.
const MOST_UNKNOWNS: usize = 200;
/// At most so many symmetries are given.
const MOST: usize = 8;
/// The largest denominator of a coefficient.
const LARGEST_DENOMINATOR: i64 = 12;

/// A symmetry and what it keeps.
#[derive(Clone, Debug)]
pub struct Symmetry {
    /// dx, one a coordinate.
    pub displacement: Vec<Expr>,
    /// Does the time go along (dt = 1)?
    pub with_time: bool,
    /// The conserved quantity.
    pub quantity: Expr,
}

/// What a symmetry is called by what it keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SymmetryKind {
    /// dx = -y, dy = x in one plane or several: an angular momentum.
    Turn,
    /// Constant displacements: a momentum.
    Shift,
    /// The time goes along: Jacobi's integral.
    Moving,
    /// Any other.
    Other,
}

impl Symmetry {
    /// The coordinates that move.
    pub fn moved(&self, pool: &Pool) -> Vec<usize> {
        let moved = self.displacement.iter().enumerate();
        moved
            .filter(|(_, e)| **e != pool.zero())
            .map(|(k, _)| k)
            .collect()
    }

    /// What its quantity is called.
    pub fn kind(&self, system: &System) -> SymmetryKind {
        let pool = &system.pool;
        if self.with_time {
            return SymmetryKind::Moving;
        }
        if self.displacement.iter().all(|e| pool.is_constant(*e)) {
            return SymmetryKind::Shift;
        }
        // each coordinate that moves does so by another one, which moves by it the other way round
        let turns = self
            .displacement
            .iter()
            .zip(&system.coordinates)
            .all(|(&e, own)| {
                let back = || {
                    let (by, place) = system
                        .coordinates
                        .iter()
                        .zip(&self.displacement)
                        .find(|(c, _)| e == c.x || e == pool.neg(c.x))?;
                    let turned = if e == by.x { pool.neg(own.x) } else { own.x };
                    Some(*place == turned)
                };
                e == pool.zero() || back() == Some(true)
            });
        if turns {
            SymmetryKind::Turn
        } else {
            SymmetryKind::Other
        }
    }
}

/// An unknown coefficient: the displacement that it stands for.
struct Unknown {
    coordinate: usize,
    /// 1 or a coordinate, perhaps times a parameter.
    field: Expr,
    /// Its time derivative.
    rate: Expr,
}

/// Symmetries beyond the shift of a single coordinate and of the time alone.
pub fn symmetries(system: &System, equations: &Equations) -> Vec<Symmetry> {
    let n = system.coordinates.len();
    if n > MOST_COORDINATES || jumps(system, &system.forces) {
        return Vec::new();
    }
    let search = SymmetrySearch::new(system, equations, system.forces.clone());
    let mut found = search.with(&search.unknowns(&[system.pool.one()]), false);
    found.extend(search.that_move());
    found.truncate(MOST);
    found
}

/// Those of L and the constraints that move the time, whatever the forces: frames in which what is told of places at rest may be
/// told of what moves along.
pub fn frames(system: &System, equations: &Equations) -> Vec<Symmetry> {
    let n = system.coordinates.len();
    if n > MOST_COORDINATES || jumps(system, &[]) {
        return Vec::new();
    }
    SymmetrySearch::new(system, equations, vec![system.pool.zero(); n]).that_move()
}

/// May L, a constraint or one of these forces jump? Derivatives are no proof of a symmetry then.
pub fn jumps(system: &System, forces: &[Expr]) -> bool {
    let coordinates = system.coordinates.iter();
    let symbols = coordinates.flat_map(|c| [c.x, c.v]).chain([system.t]);
    let symbols: Vec<Expr> = symbols.collect();
    let levels = system.constraints.iter().map(|c| c.f);
    let mut all = levels
        .chain([system.lagrangian])
        .chain(forces.iter().copied());
    let pool = &system.pool;
    let conditions = system.constraints.iter().map(|c| pool.sub(c.f, c.c));
    let conditions: Vec<Expr> = conditions.collect();
    all.any(|e| pool.may_jump_where(e, &symbols, &conditions))
}

struct SymmetrySearch<'a> {
    system: &'a System,
    equations: &'a Equations,
    momenta: Vec<Expr>,
    /// dL/dx.
    slopes: Vec<Expr>,
    /// Q.
    forces: Vec<Expr>,
}

impl<'a> SymmetrySearch<'a> {
    fn new(system: &'a System, equations: &'a Equations, forces: Vec<Expr>) -> Self {
        let by = |symbol: Expr| system.pool.derivative(system.lagrangian, symbol);
        Self {
            system,
            equations,
            momenta: system.coordinates.iter().map(|c| by(c.v)).collect(),
            slopes: system.coordinates.iter().map(|c| by(c.x)).collect(),
            forces,
        }
    }

    /// Those that go along with dt = 1, where L or a constraint moves.
    fn that_move(&self) -> Vec<Symmetry> {
        let (system, pool) = (self.system, &self.system.pool);
        let mut moving = self.equations.rates().chain([self.equations.lagrangian_t]);
        if moving.all(|e| e == pool.zero()) {
            return Vec::new();
        }
        let parameters = system.parameters.iter().map(|p| p.symbol);
        let scales: Vec<Expr> = [pool.one()].into_iter().chain(parameters).collect();
        self.with(&self.unknowns(&scales), true)
    }

    /// The unknown coefficients, each times one of these factors.
    fn unknowns(&self, scales: &[Expr]) -> Vec<Unknown> {
        let pool = &self.system.pool;
        let coordinates = &self.system.coordinates;
        let mut list = Vec::new();
        for &scale in scales {
            for coordinate in 0..coordinates.len() {
                list.push(Unknown {
                    coordinate,
                    field: scale,
                    rate: pool.zero(),
                });
                for c in coordinates {
                    list.push(Unknown {
                        coordinate,
                        field: pool.mul(scale, c.x),
                        rate: pool.mul(scale, c.v),
                    });
                }
            }
        }
        list
    }

    /// The left sides of the conditions for a displacement xi with the rate of change xi'.
    fn conditions(&self, displacement: &[Expr], rates: &[Expr], with_time: bool) -> Vec<Expr> {
        let pool = &self.system.pool;
        let along = |gradient: &[Expr]| -> Vec<Expr> {
            let pairs = displacement.iter().zip(gradient);
            pairs.map(|(&a, &b)| pool.mul(a, b)).collect()
        };
        let mut first = along(&self.slopes);
        let pairs = rates.iter().zip(&self.momenta);
        first.extend(pairs.map(|(&a, &p)| pool.mul(a, p)));
        let mut work = along(&self.forces);
        if with_time {
            first.push(self.equations.lagrangian_t);
            let powers = self.system.along_velocities(&self.forces);
            work.extend(powers.map(|power| pool.neg(power)));
        }
        let mut list = vec![pool.sum(first), pool.sum(work)];
        let velocity = &self.equations.velocity;
        let rows = self.equations.gradients.iter().chain(&velocity.rows);
        for (row, rate) in rows.zip(self.equations.rates()) {
            let mut parts = along(row);
            if with_time {
                parts.push(rate);
            }
            list.push(pool.sum(parts));
        }
        list
    }

    /// The symmetries among displacements with these coefficients; with `with_time` the one that goes
    /// along with dt = 1.
    fn with(&self, unknowns: &[Unknown], with_time: bool) -> Vec<Symmetry> {
        if unknowns.len() > MOST_UNKNOWNS {
            return Vec::new();
        }
        let columns = unknowns.len() + usize::from(with_time);
        let Some(rows) = self.sampled(unknowns, with_time, 2 * columns + 10) else {
            return Vec::new();
        };
        combinations_of_columns(rows)
            .into_iter()
            .filter(|(column, _)| !with_time || *column == columns - 1)
            .filter_map(|(_, vector)| {
                let coefficients: Option<Vec<Number>> =
                    vector.iter().map(|v| rational(*v)).collect();
                self.proven(unknowns, &coefficients?, with_time)
            })
            .collect()
    }

    /// The conditions at scattered points, one row each: the coefficient of each unknown, then that of tau.
    fn sampled(
        &self,
        unknowns: &[Unknown],
        with_time: bool,
        wanted: usize,
    ) -> Option<DMatrix<f64>> {
        let pool = &self.system.pool;
        let n = self.system.coordinates.len();
        let zero = vec![pool.zero(); n];
        let mut outputs = Vec::new();
        for u in unknowns {
            let (mut displacement, mut rates) = (zero.clone(), zero.clone());
            displacement[u.coordinate] = u.field;
            rates[u.coordinate] = u.rate;
            outputs.extend(self.conditions(&displacement, &rates, false));
        }
        if with_time {
            outputs.extend(self.conditions(&zero, &zero, true));
        }
        let columns = unknowns.len() + usize::from(with_time);
        let kinds = outputs.len() / columns.max(1);
        let coordinates = &self.system.coordinates;
        let inputs: Vec<Expr> = coordinates
            .iter()
            .flat_map(|c| [c.x, c.v])
            .chain([self.system.t])
            .chain(self.system.parameters.iter().map(|p| p.symbol))
            .collect();
        let tape = Tape::new(pool, &inputs, &outputs);
        let mut sequence = Sequence::new(1);
        let mut work = Workspace::default();
        let mut values = vec![0.0; outputs.len()];
        let mut rows = Vec::new();
        for _ in 0..4 * wanted {
            let point: Vec<f64> = inputs.iter().map(|_| scattered(&mut sequence)).collect();
            tape.eval(&point, &mut work, &mut values);
            if values.iter().all(|v| v.is_finite()) {
                for kind in 0..kinds {
                    rows.extend((0..columns).map(|j| values[j * kinds + kind]));
                }
            }
            if rows.len() >= wanted * kinds * columns {
                return Some(DMatrix::from_row_iterator(wanted * kinds, columns, rows));
            }
        }
        None
    }

    /// The symmetry of these coefficients, where the conditions hold as expressions and what it keeps
    /// says more than the momentum of one coordinate.
    fn proven(
        &self,
        unknowns: &[Unknown],
        coefficients: &[Number],
        with_time: bool,
    ) -> Option<Symmetry> {
        let pool = &self.system.pool;
        let n = self.system.coordinates.len();
        let (mut displacement, mut rates) = (vec![Vec::new(); n], vec![Vec::new(); n]);
        for (u, k) in unknowns.iter().zip(coefficients) {
            displacement[u.coordinate].push(pool.scale(u.field, k));
            rates[u.coordinate].push(pool.scale(u.rate, k));
        }
        let total = |list: Vec<Vec<Expr>>| -> Vec<Expr> {
            list.into_iter().map(|parts| pool.sum(parts)).collect()
        };
        let (displacement, rates) = (total(displacement), total(rates));
        let moved: Vec<&Expr> = displacement.iter().filter(|e| **e != pool.zero()).collect();
        let shift = moved.len() == 1 && moved.iter().all(|e| pool.as_number(**e).is_some());
        if moved.is_empty() || (shift && !with_time) {
            return None;
        }
        let conditions = self.conditions(&displacement, &rates, with_time);
        if !conditions.iter().all(|&e| pool.is_zero(e) == Some(true)) {
            return None;
        }
        let pairs = displacement.iter().zip(&self.momenta);
        let mut parts: Vec<Expr> = pairs.map(|(&a, &p)| pool.mul(a, p)).collect();
        if with_time {
            parts.push(pool.neg(self.equations.energy));
        }
        let quantity = pool.sum(parts);
        let quantity = readable(
            pool,
            if with_time {
                pool.neg(quantity)
            } else {
                quantity
            },
        );
        (quantity != pool.zero()).then_some(Symmetry {
            displacement,
            with_time,
            quantity,
        })
    }
}

/// A rational with a small denominator.
fn rational(value: f64) -> Option<Number> {
    const NEAR: f64 = 1e-6;
    (1..=LARGEST_DENOMINATOR).find_map(|bottom| {
        let top = (value * bottom as f64).round();
        ((value * bottom as f64 - top).abs() < NEAR && top.abs() < 1e6)
            .then(|| Number::ratio(top as i64, bottom))
            .flatten()
    })
}

/// The next number between 0.5 and 2 of a sequence.
fn scattered(sequence: &mut Sequence) -> f64 {
    0.5 + 1.5 * (sequence.next() >> 11) as f64 / (1_u64 << 53) as f64
}
