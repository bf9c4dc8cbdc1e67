//! The equations of statics and of the linearised motion, in symbols.

use crate::expr::{Expr, Interval, Matrix, Number, Pool};
use crate::mechanics::Equations;
use crate::system::System;
use nalgebra::{DMatrix, DVector, Scalar};
use rustc_hash::FxHashMap;

/// What applied forces that depend on velocities do to the energy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Damping {
    /// There are none.
    None,
    /// They never add to it, whatever the velocities.
    Damps,
    /// That is not known.
    Unknown,
}

/// What forces do where velocities are about zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NearRest {
    /// They have slopes, and the motion near an equilibrium a linear part.
    Smooth,
    /// Their slopes by the velocities may jump.
    Bends,
    /// They may jump, as dry friction does: at rest it can have any value between.
    Jumps,
}

/// The time and the parameters in numbers.
#[derive(Clone, Debug)]
pub struct Numbers {
    /// Exactly what the file makes of whole numbers: 0.1 is 1/10.
    pub exact: FxHashMap<Expr, Expr>,
    /// Parameters computed from others, such as sqrt(g/l): their values are rounded, and they stay symbols.
    pub rounded: Vec<(Expr, Interval)>,
}

impl Numbers {
    /// Those of a system.
    pub fn new(system: &System, t: f64) -> Self {
        let all = system.parameters.iter().zip(system.parameter_bounds());
        let rounded: Vec<(Expr, Interval)> = all
            .filter(|(p, _)| p.exact.is_none())
            .map(|(p, bounds)| (p.symbol, bounds))
            .collect();
        let open: Vec<Expr> = rounded.iter().map(|(symbol, _)| *symbol).collect();
        let exact = system.fixed_values(t, &open);
        Self { exact, rounded }
    }
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
    /// What is near rest.
    pub near_rest: NearRest,
    /// Has L no terms that are odd in the velocities?
    pub natural: bool,
    /// Do constraints, forces or the equations of the linearised motion contain the time?
    pub timed: bool,
}

/// What one output of the compiled equations is; constraints are numbered as they are in use.
#[derive(Clone, Copy, Debug)]
pub enum Output {
    /// S_k.
    Force(usize),
    /// The size of its terms.
    ForceSize(usize),
    /// f - c; of velocity constraints the part without velocities.
    Level(usize),
    /// The size of its terms.
    LevelSize(usize),
    /// An entry of W.
    Gradient(usize, usize),
    /// dS_i/dx_j.
    Slope(usize, usize),
    /// d2f_b/dx_i dx_j, i <= j.
    Second(usize, usize, usize),
    /// dA_bi/dx_j.
    Turning(usize, usize, usize),
    /// The slope of the part of a velocity constraint without velocities.
    Speed(usize, usize),
    /// An entry of M,
    Mass(usize, usize),
    /// of C,
    Damping(usize, usize),
    /// and of the part of it that applied forces give.
    Applied(usize, usize),
}

/// What the compiled equations of some constraints give, in their order.
#[derive(Debug)]
pub struct Outputs {
    list: Vec<Output>,
    /// Is the row that of a constraint on positions?
    holonomic: Vec<bool>,
    n: usize,
    /// n where M and C are among them, else 0
    motion: usize,
}

/// Their values: the equations at a point, or over a box.
#[derive(Clone, Debug)]
pub struct Values<T> {
    /// S.
    pub force: DVector<T>,
    /// The size of its terms, where that is asked for.
    pub force_size: DVector<T>,
    /// f - c; of velocity constraints the part without velocities.
    pub level: DVector<T>,
    /// The size of its terms, where that is asked for.
    pub level_size: DVector<T>,
    /// W: what the multipliers push along.
    pub jacobian: DMatrix<T>,
    /// The slopes of the levels: J, and of velocity constraints those of the part without velocities.
    pub climbs: DMatrix<T>,
    /// dS/dx.
    pub slopes: DMatrix<T>,
    /// M,
    pub mass: DMatrix<T>,
    /// C,
    pub damping: DMatrix<T>,
    /// and the part of it that applied forces give, where these are asked for.
    pub applied: DMatrix<T>,
    /// (b, i, j, d2f_b/dx_i dx_j), i <= j.
    pub second: Vec<(usize, usize, usize, T)>,
    /// (b, i, j, dA_bi/dx_j).
    pub turning: Vec<(usize, usize, usize, T)>,
}

impl Outputs {
    /// Those that are not zero, and their expressions.
    pub fn new(system: &System, rows: &[usize], mut all: Vec<(Output, Expr)>) -> (Self, Vec<Expr>) {
        let n = system.coordinates.len();
        let of_motion = |output: &Output| matches!(output, Output::Mass(..));
        let motion = if all.iter().any(|(o, _)| of_motion(o)) {
            n
        } else {
            0
        };
        all.retain(|(_, e)| *e != system.pool.zero());
        let (list, expressions) = all.into_iter().unzip();
        let own = Self {
            list,
            holonomic: rows.iter().map(|b| *b < system.constraints.len()).collect(),
            n,
            motion,
        };
        (own, expressions)
    }

    /// The constraints.
    pub fn constraints(&self) -> usize {
        self.holonomic.len()
    }

    /// Each with its value.
    pub fn with<'a, T>(&'a self, values: &'a [T]) -> impl Iterator<Item = (&'a Output, &'a T)> {
        self.list.iter().zip(values)
    }

    /// The equations that have these values; the others are zero.
    pub fn read<T: Scalar + Copy>(&self, values: &[T], zero: T) -> Values<T> {
        let (n, m, motion) = (self.n, self.constraints(), self.motion);
        let vector = |size| DVector::from_element(size, zero);
        let matrix = |rows, columns| DMatrix::from_element(rows, columns, zero);
        let mut at = Values {
            force: vector(n),
            force_size: vector(n),
            level: vector(m),
            level_size: vector(m),
            jacobian: matrix(m, n),
            climbs: matrix(m, n),
            slopes: matrix(n, n),
            mass: matrix(motion, motion),
            damping: matrix(motion, motion),
            applied: matrix(motion, motion),
            second: Vec::new(),
            turning: Vec::new(),
        };
        for (output, &v) in self.with(values) {
            match *output {
                Output::Force(k) => at.force[k] = v,
                Output::ForceSize(k) => at.force_size[k] = v,
                Output::Level(b) => at.level[b] = v,
                Output::LevelSize(b) => at.level_size[b] = v,
                Output::Gradient(b, j) => {
                    at.jacobian[(b, j)] = v;
                    if self.holonomic[b] {
                        at.climbs[(b, j)] = v;
                    }
                }
                Output::Speed(b, j) => at.climbs[(b, j)] = v,
                Output::Slope(i, j) => at.slopes[(i, j)] = v,
                Output::Second(b, i, j) => at.second.push((b, i, j, v)),
                Output::Turning(b, i, j) => at.turning.push((b, i, j, v)),
                Output::Mass(i, j) => at.mass[(i, j)] = v,
                Output::Damping(i, j) => at.damping[(i, j)] = v,
                Output::Applied(i, j) => at.applied[(i, j)] = v,
            }
        }
        at
    }
}

impl<T: Copy> Values<T> {
    /// Takes each (b, i, j, v): v times the multiplier of b is to be taken from dS_i/dx_j.
    pub fn each_bend(&self, mut take: impl FnMut(usize, usize, usize, T)) {
        for &(b, i, j, v) in &self.second {
            take(b, i, j, v);
            if i != j {
                take(b, j, i, v);
            }
        }
        for &(b, i, j, v) in &self.turning {
            take(b, i, j, v);
        }
    }
}

impl Statics {
    /// Does where the forces balance depend on t?
    pub fn depends_on_time(&self, system: &System) -> bool {
        let of_constraints = self.f_t.iter().take(system.constraints.len());
        let rates = of_constraints.chain(&self.f_tt).chain(&self.force_t);
        let mut all = rates.chain(self.gradients_t.iter().flatten());
        all.any(|e| *e != system.pool.zero())
    }

    /// The equations of these constraints, and their derivatives.
    pub fn outputs(&self, system: &System, rows: &[usize]) -> Vec<(Output, Expr)> {
        let mut list = Vec::new();
        let indexed = |row: &[Expr]| row.iter().copied().enumerate().collect::<Vec<_>>();
        for (k, e) in indexed(&self.force) {
            list.push((Output::Force(k), e));
            let slopes = indexed(&self.slopes[k]).into_iter();
            list.extend(slopes.map(|(j, e)| (Output::Slope(k, j), e)));
        }
        for (place, &b) in rows.iter().enumerate() {
            list.push((Output::Level(place), self.level(system, b)));
            let gradient = indexed(&self.gradients[b]).into_iter();
            list.extend(gradient.map(|(j, e)| (Output::Gradient(place, j), e)));
            let own = |s: &&(usize, usize, usize, Expr)| s.0 == b;
            let second = self.second.iter().filter(own);
            list.extend(second.map(|s| (Output::Second(place, s.1, s.2), s.3)));
            let turning = self.turning.iter().filter(own);
            list.extend(turning.map(|s| (Output::Turning(place, s.1, s.2), s.3)));
            let speeds = self.speeds.iter().filter(|s| s.0 == b);
            list.extend(speeds.map(|s| (Output::Speed(place, s.1), s.2)));
        }
        list
    }

    /// M and C by rows.
    pub fn inertia(&self) -> Vec<Expr> {
        let rows = self.mass.iter().chain(&self.damping);
        rows.flatten().copied().collect()
    }

    /// Are all places where the system may rest zeros of equations? Where the potential or a constraint has a step, its foot may be
    /// one too; and forces that have no value at rest may tend to one.
    pub fn is_told_by_slopes(&self, system: &System) -> bool {
        let pool = &system.pool;
        let x: Vec<Expr> = system.positions();
        let levels = (0..system.constraints.len()).map(|b| self.level(system, b));
        let levels: Vec<Expr> = levels.collect();
        let jumps = |e: Expr| pool.may_jump_where(e, &x, &levels);
        !jumps(self.potential)
            && !levels.iter().any(|level| jumps(*level))
            && !self.force.iter().any(|e| pool.is_undefined(*e))
    }

    /// f - c of a constraint, of a velocity constraint the part without velocities.
    pub fn level(&self, system: &System, b: usize) -> Expr {
        let constraint = system.constraints.get(b);
        constraint.map_or_else(|| self.f_t[b], |c| system.pool.sub(c.f, c.c))
    }

    /// Derives them.
    pub fn new(system: &System, equations: &Equations) -> Self {
        let pool = &system.pool;
        let still = system.at_rest();
        let at_rest = |list: &[Expr]| pool.substitute_all(list, &still);
        let at_rest_rows =
            |rows: &[Vec<Expr>]| -> Matrix { rows.iter().map(|r| at_rest(r)).collect() };
        let x: Vec<Expr> = system.positions();
        let v: Vec<Expr> = system.coordinates.iter().map(|c| c.v).collect();
        let force = at_rest(&equations.bias);
        let slopes = pool.jacobian(&force, &x);
        let mut second = Vec::new();
        for (b, row) in equations.gradients.iter().enumerate() {
            for (i, &entry) in row.iter().enumerate() {
                if entry == pool.zero() {
                    continue;
                }
                for (j, &by) in x.iter().enumerate().skip(i) {
                    let e = pool.derivative(entry, by);
                    if e != pool.zero() {
                        second.push((b, i, j, e));
                    }
                }
            }
        }
        let mass = at_rest_rows(&equations.mass);
        // of what vanishes faster than the velocities the linearised motion knows nothing
        let mut known = Numbers::new(system, 0.0).exact;
        known.remove(&system.t);
        let linear = |list: &[Expr]| -> Vec<Expr> {
            let part = |e: &Expr| pool.linear_at_zero(*e, &v, &known);
            list.iter().map(part).collect()
        };
        let bias = linear(&equations.bias);
        let damping = at_rest_rows(&pool.jacobian(&bias, &v));
        let lost: Vec<Expr> = linear(&system.forces)
            .iter()
            .map(|q| pool.neg(*q))
            .collect();
        let applied = at_rest_rows(&pool.jacobian(&lost, &v));
        let near_rest = near_rest(pool, &bias, &v, &known);
        let damped = if system.forces.iter().all(|q| pool.is_free_of(*q, &v)) {
            Damping::None
        } else if damps(system, &applied, &v, &known) {
            Damping::Damps
        } else {
            Damping::Unknown
        };
        let by_position = pool.jacobian(&at_rest(&system.forces), &x);
        let circulatory = (0..x.len()).any(|i| {
            (0..i).any(|j| {
                let (a, b) = (by_position[i][j], by_position[j][i]);
                a != b && pool.is_zero(pool.sub(a, b)) != Some(true)
            })
        });
        let mut gradients = equations.gradients.clone();
        gradients.extend(equations.velocity.rows.iter().cloned());
        let f_t: Vec<Expr> = equations.rates().collect();
        let (turning, speeds) = velocity_slopes(pool, equations, &x);
        let by_t = |list: &[Expr]| -> Vec<Expr> {
            list.iter().map(|e| pool.derivative(*e, system.t)).collect()
        };
        let gradients_t: Matrix = gradients.iter().map(|row| by_t(row)).collect();
        // where constraints or forces move at another time, nothing stays near for all times
        let levels = system.constraints.iter().flat_map(|c| [c.f, c.c]);
        let all = [&slopes, &gradients, &mass, &damping].into_iter();
        let all = all
            .flatten()
            .flatten()
            .chain(&force)
            .copied()
            .chain(levels)
            .chain(second.iter().map(|(.., e)| *e))
            .chain(turning.iter().map(|(.., e)| *e))
            .chain(speeds.iter().map(|(.., e)| *e));
        let timed = all.into_iter().any(|e| !pool.is_free_of(e, &[system.t]));
        let force_t = by_t(&force);
        let potential = at_rest(&[pool.neg(system.lagrangian)]);
        Self {
            potential: potential.first().copied().unwrap_or(pool.zero()),
            f_tt: by_t(&f_t),
            f_t,
            turning,
            speeds,
            force_t,
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
            near_rest,
            natural: is_natural(system),
            timed,
        }
    }
}

/// The two square matrices whose entries come first, by rows.
pub fn squares(entries: &[f64], n: usize) -> [DMatrix<f64>; 2] {
    let square = |part: usize| &entries[part * n * n..(part + 1) * n * n];
    [0, 1].map(|part| DMatrix::from_row_slice(n, n, square(part)))
}

/// Do applied forces never add to the energy? Their power without the part at rest, sum (Q_k - Q_k(v = 0)) v_k, is
/// of one sign by its form; or linear damping -D v with a constant D that has no negative direction, by exact elimination.
fn damps(system: &System, applied: &Matrix, v: &[Expr], fixed: &FxHashMap<Expr, Expr>) -> bool {
    let pool = &system.pool;
    let mut forces = system.forces.iter();
    let slopes = |q: Expr| v.iter().map(move |v| pool.derivative(q, *v));
    let is_linear =
        forces.all(|q| pool.is_meromorphic_in(*q, v) && slopes(*q).all(|e| pool.is_constant(e)));
    if is_linear {
        let rows: Option<Vec<Vec<Number>>> = applied
            .iter()
            .map(|row| {
                row.iter()
                    .map(|e| pool.as_number(pool.simplify(pool.substitute(*e, fixed))))
                    .collect()
            })
            .collect();
        return rows.is_some_and(has_no_negative_direction);
    }
    let still = system.at_rest();
    let parts = system.forces.iter().zip(&system.coordinates);
    let lost = pool.sum(parts.map(|(q, c)| {
        let q = pool.substitute(*q, fixed);
        pool.mul(pool.sub(pool.substitute(q, &still), q), c.v)
    }));
    pool.is_non_negative(lost) || pool.is_non_negative(pool.simplify(lost))
}

/// Do the forces, or their slopes by the velocities, jump at rest?
fn near_rest(pool: &Pool, bias: &[Expr], v: &[Expr], known: &FxHashMap<Expr, Expr>) -> NearRest {
    let jumps = |e: Expr| pool.may_jump_at_zero(e, v, known);
    let bends = |e: Expr| {
        let mut slopes = v.iter().map(|v| pool.derivative(e, *v));
        !pool.is_meromorphic_in(e, v)
            && slopes.any(|slope| jumps(slope) && jumps(pool.simplify(slope)))
    };
    if bias.iter().any(|e| jumps(*e)) {
        NearRest::Jumps
    } else if bias.iter().any(|e| bends(*e)) {
        NearRest::Bends
    } else {
        NearRest::Smooth
    }
}

/// Has the symmetric part of a matrix no negative eigenvalue? By elimination: a pivot must not be negative, and where it is
/// zero the whole row must be.
fn has_no_negative_direction(mut rows: Vec<Vec<Number>>) -> bool {
    let n = rows.len();
    let plain = rows.clone();
    for i in 0..n {
        for j in 0..n {
            rows[i][j] = plain[i][j].add(&plain[j][i]);
        }
    }
    for k in 0..n {
        let pivot = rows[k][k].clone();
        if pivot.is_negative() {
            return false;
        }
        if pivot.is_zero() {
            if rows[k][k..].iter().any(|v| !v.is_zero()) {
                return false;
            }
            continue;
        }
        let own = rows[k].clone();
        for row in rows.iter_mut().skip(k + 1) {
            let Some(factor) = row[k].div(&pivot) else {
                return false;
            };
            for (v, by) in row.iter_mut().zip(&own).skip(k) {
                *v = v.sub(&factor.mul(by));
            }
        }
    }
    true
}

/// Is L even in the velocities, up to what vanishes with their square at rest?
fn is_natural(system: &System) -> bool {
    let pool = &system.pool;
    let still = system.at_rest();
    system.coordinates.iter().all(|c| {
        let momentum = pool.derivative(system.lagrangian, c.v);
        let at_rest = pool.substitute(momentum, &still);
        at_rest == pool.zero() || pool.is_zero(at_rest) == Some(true)
    })
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
                let e = pool.derivative(entry, by);
                if e != pool.zero() {
                    turning.push((m + b, i, j, e));
                }
            }
            let e = pool.derivative(speed, by);
            if e != pool.zero() {
                speeds.push((m + b, j, e));
            }
        }
    }
    (turning, speeds)
}
