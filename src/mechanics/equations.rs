//! Euler-Lagrange expressions, constraint Jacobian and gamma of a system.

use crate::expr::{Expr, Matrix, Node, Number, Pool};
use crate::system::{Coordinate, System};
use rustc_hash::FxHashMap;

/// Equations of more operations than this are tried coefficient by coefficient.
const COLLECT_FROM: u32 = 30;
/// Euler-Lagrange expressions larger than this are shown as they come from differentiation.
const SIMPLIFY_UP_TO: usize = 4_000;

/// The symbolic pieces of the equations of motion.
#[derive(Clone, Debug)]
pub struct Equations {
    /// M = d2L/dx'dx', n by n.
    pub mass: Matrix,
    /// h, n: E = M x'' + h, applied forces included.
    pub bias: Vec<Expr>,
    /// E, n, simplified for reading.
    pub euler_lagrange: Vec<Expr>,
    /// E - A^T mu, n: what is left to the holonomic constraints, E = J^T lambda + A^T mu.
    pub left_to_constraints: Vec<Expr>,
    /// What the velocity constraints contribute.
    pub velocity: VelocityTerms,
    /// J = df/dx, m by n, simplified for reading and solving.
    pub jacobian: Matrix,
    /// J as it comes from differentiation, for numbers: simplifying may multiply out what then
    /// cancels, such as a power of `sqrt(x^2 + 1) - x`.
    pub gradients: Matrix,
    /// df/dt at fixed x, m.
    pub f_t: Vec<Expr>,
    /// gamma, m: J x'' = gamma.
    pub gamma: Vec<Expr>,
    /// sum x_k' dL/dx_k' - L.
    pub energy: Expr,
    /// dL/dt at fixed x and x'.
    pub lagrangian_t: Expr,
}

/// The velocity constraints A x' + b = 0, p of them.
#[derive(Clone, Debug, Default)]
pub struct VelocityTerms {
    /// A, p by n.
    pub rows: Matrix,
    /// b, p.
    pub b: Vec<Expr>,
    /// gamma, p: A x'' = gamma = -(dA/dt) x' - db/dt.
    pub gamma: Vec<Expr>,
    /// A x' + b, p.
    pub speeds: Vec<Expr>,
}

impl VelocityTerms {
    fn new(system: &System) -> Self {
        let pool = &system.pool;
        let still = zeros(pool, system.coordinates.iter().map(|c| c.a));
        let rates = system.rates();
        let mut terms = Self::default();
        for constraint in &system.velocity_constraints {
            let parts = system.along_velocities(&constraint.row);
            let speed = pool.sum(parts.chain([constraint.b]));
            let change = pool.total_derivative(speed, &rates);
            terms.gamma.push(pool.neg(pool.substitute(change, &still)));
            terms.rows.push(constraint.row.clone());
            terms.b.push(constraint.b);
            terms.speeds.push(speed);
        }
        terms
    }
}

impl Equations {
    /// Derives the equations of a system.
    pub fn new(system: &System) -> Self {
        let pool = &system.pool;
        let lagrangian = system.lagrangian;
        let coordinates = &system.coordinates;
        let momenta: Vec<Expr> = coordinates
            .iter()
            .map(|c| pool.derivative(lagrangian, c.v))
            .collect();
        let mass: Matrix = momenta
            .iter()
            .map(|p| {
                coordinates
                    .iter()
                    .map(|c| pool.derivative(*p, c.v))
                    .collect()
            })
            .collect();
        let mut bias = Vec::with_capacity(coordinates.len());
        for ((c, &p), &q) in coordinates.iter().zip(&momenta).zip(&system.forces) {
            // d/dt of the momentum without its part in the accelerations
            let inside = pool.symbols_of(p);
            let mut parts: Vec<Expr> = coordinates
                .iter()
                .filter(|k| inside.contains(&k.x))
                .map(|k| pool.mul(pool.derivative(p, k.x), k.v))
                .collect();
            parts.push(pool.derivative(p, system.t));
            parts.push(pool.neg(pool.derivative(lagrangian, c.x)));
            parts.push(pool.neg(q));
            bias.push(pool.sum(parts));
        }
        let euler_lagrange = mass
            .iter()
            .zip(&bias)
            .map(|(row, &h)| {
                let parts = row
                    .iter()
                    .zip(coordinates)
                    .filter(|(m, _)| **m != pool.zero())
                    .map(|(&m, c)| pool.mul(m, c.a))
                    .chain([h])
                    .collect::<Vec<_>>();
                equation(system, pool.sum(parts))
            })
            .collect::<Vec<Expr>>();
        let left_to_constraints = euler_lagrange
            .iter()
            .enumerate()
            .map(|(k, &e)| {
                let velocity = system.velocity_constraints.iter();
                let acting = velocity.filter(|c| c.row[k] != pool.zero());
                let mut acting = acting.map(|c| (c.multiplier, &c.row)).peekable();
                if acting.peek().is_none() {
                    return e;
                }
                less(pool, e, acting, k)
            })
            .collect();
        let energy = pool.sub(pool.sum(system.along_velocities(&momenta)), lagrangian);
        let constraints = constraint_terms(system);
        Self {
            mass,
            bias,
            euler_lagrange,
            left_to_constraints,
            velocity: VelocityTerms::new(system),
            jacobian: constraints.jacobian,
            gradients: constraints.gradients,
            f_t: constraints.f_t,
            gamma: constraints.gamma,
            energy: readable_energy(system, energy),
            lagrangian_t: pool.derivative(lagrangian, system.t),
        }
    }

    /// The columns of J of these coordinates, m rows.
    pub fn columns(&self, coordinates: &[usize]) -> Matrix {
        let own = |row: &Vec<Expr>| coordinates.iter().map(|&k| row[k]).collect();
        self.jacobian.iter().map(own).collect()
    }

    /// The same as rows.
    pub fn columns_as_rows(&self, coordinates: &[usize]) -> Matrix {
        let column = |&k: &usize| self.jacobian.iter().map(|row| row[k]).collect();
        coordinates.iter().map(column).collect()
    }

    /// The rows of J, then those of A.
    pub fn rows(&self) -> impl Iterator<Item = &Vec<Expr>> + Clone {
        self.jacobian.iter().chain(&self.velocity.rows)
    }

    /// f_t, then b: what constraints change by at rest.
    pub fn rates(&self) -> impl Iterator<Item = Expr> + Clone {
        self.f_t.iter().chain(&self.velocity.b).copied()
    }

    /// What each constraint gives to dH/dt: -`lambda_b` `f_t,b`, then -`mu_b` `b_b`.
    pub fn powers(&self, system: &System) -> impl Iterator<Item = Expr> {
        let pool = &system.pool;
        let rates = system.multipliers().zip(self.rates());
        rates.map(|(lambda, rate)| pool.neg(pool.mul(lambda, rate)))
    }

    /// Do the constraints on positions depend on time?
    pub fn rheonomic(&self, system: &System) -> bool {
        let zero = system.pool.zero();
        self.f_t.iter().any(|e| *e != zero)
    }

    /// The rows `E_k - sum lambda_b J_bk - sum mu_j A_jk` of the usual form, each zero along every motion.
    pub fn standard(&self, system: &System) -> Vec<Expr> {
        let pool = &system.pool;
        self.left_to_constraints
            .iter()
            .enumerate()
            .map(|(k, &e)| {
                let multipliers = system.constraints.iter().map(|c| c.multiplier);
                readable(pool, less(pool, e, multipliers.zip(&self.jacobian), k))
            })
            .collect()
    }
}

/// `e - sum lambda_b J_bk`, of pairs of a multiplier with its row.
pub(super) fn less<'a>(
    pool: &Pool,
    e: Expr,
    acting: impl Iterator<Item = (Expr, &'a Vec<Expr>)>,
    k: usize,
) -> Expr {
    let acting = acting.filter(|(_, row)| row[k] != pool.zero());
    let parts = acting.map(|(lambda, row)| pool.neg(pool.mul(lambda, row[k])));
    pool.sum(parts.chain([e]).collect::<Vec<_>>())
}

/// Symbols, each with zero to put in its place.
fn zeros(pool: &Pool, symbols: impl IntoIterator<Item = Expr>) -> FxHashMap<Expr, Expr> {
    symbols.into_iter().map(|e| (e, pool.zero())).collect()
}

/// What the constraints contribute.
#[derive(Default)]
struct ConstraintTerms {
    jacobian: Matrix,
    gradients: Matrix,
    f_t: Vec<Expr>,
    gamma: Vec<Expr>,
}

fn constraint_terms(system: &System) -> ConstraintTerms {
    let pool = &system.pool;
    let still = zeros(pool, system.coordinates.iter().map(|c| c.a));
    let rates = system.rates();
    let mut terms = ConstraintTerms::default();
    let mut changes = Vec::new();
    for constraint in &system.constraints {
        let slopes = system.coordinates.iter();
        let slopes = slopes.map(|c| pool.derivative(constraint.f, c.x));
        let gradient: Vec<Expr> = slopes.collect();
        let row: Vec<Expr> = gradient.iter().map(|&e| pool.simplify(e)).collect();
        // what is zero is zero in numbers too
        let gradient: Vec<Expr> = gradient
            .iter()
            .zip(&row)
            .map(|(&plain, &simple)| if simple == pool.zero() { simple } else { plain })
            .collect();
        let by_t = pool.derivative(constraint.f, system.t);
        let speed = pool.sum(system.along_velocities(&gradient).chain([by_t]));
        changes.push(pool.total_derivative(speed, &rates));
        terms.jacobian.push(row);
        terms.gradients.push(gradient);
        terms.f_t.push(by_t);
    }
    terms.gamma = pool
        .substitute_all(&changes, &still)
        .into_iter()
        .map(|e| pool.neg(e))
        .collect();
    terms
}

/// An expression that is linear in the accelerations, in the shortest of a few forms: as it is, simplified
/// as a whole, and, where it is long, coefficient by coefficient.
pub fn equation(system: &System, e: Expr) -> Expr {
    system.pool.tidied(collected(system, e))
}

fn collected(system: &System, e: Expr) -> Expr {
    let pool = &system.pool;
    let whole = readable(pool, e);
    if pool.size(e) > SIMPLIFY_UP_TO || pool.cost(whole).operations <= COLLECT_FROM {
        return gathered(system, whole);
    }
    let accelerations = rates_in(system, whole, |c| c.a);
    if accelerations.is_empty() {
        return whole;
    }
    let still = zeros(pool, accelerations.iter().copied());
    let mut parts = by_velocities(system, pool.substitute(whole, &still));
    for &a in &accelerations {
        let slope = pool.simplify(pool.derivative(whole, a));
        parts.push(times(pool, slope, a));
    }
    let collected = pool.sum(parts);
    if pool.cost(collected) < pool.cost(whole) {
        collected
    } else {
        whole
    }
}

/// The velocities or accelerations that an expression contains.
fn rates_in(system: &System, e: Expr, rate: fn(&Coordinate) -> Expr) -> Vec<Expr> {
    let inside = system.pool.symbols_of(e);
    let all = system.coordinates.iter().map(rate);
    all.filter(|rate| inside.contains(rate)).collect()
}

/// A short equation with each acceleration once, `(m1 + m2)*x'' + m1*g`, where that is no longer: inside of the
/// factors that have none.
fn gathered(system: &System, whole: Expr) -> Expr {
    let pool = &system.pool;
    let accelerations: Vec<Expr> = system.coordinates.iter().map(|c| c.a).collect();
    let (outside, inner): (Vec<Expr>, Vec<Expr>) = match &*pool.node(whole) {
        Node::Product(coefficient, factors) => {
            let factors = factors.iter().map(|(base, power)| pool.pow(*base, *power));
            let number = pool.number(coefficient.clone());
            factors
                .chain([number])
                .partition(|f| !pool.contains_any(*f, &accelerations))
        }
        _ => (Vec::new(), vec![whole]),
    };
    let &[inner] = inner.as_slice() else {
        return whole;
    };
    let Node::Sum(constant, terms) = &*pool.node(inner) else {
        return whole;
    };
    let in_terms = |a: &Expr| {
        let own = terms.iter().filter(|(t, _)| pool.contains_any(*t, &[*a]));
        own.count()
    };
    let repeated: Vec<Expr> = accelerations
        .into_iter()
        .filter(|a| in_terms(a) > 1)
        .collect();
    if repeated.is_empty() {
        return whole;
    }
    // what has none of them stays as it is
    let (with, without): (Vec<_>, Vec<_>) = terms
        .iter()
        .partition(|(t, _)| pool.contains_any(*t, &repeated));
    let joined = pool.sum(with.into_iter().map(|(t, k)| pool.scale(*t, k)));
    let still = zeros(pool, repeated.iter().copied());
    let mut parts = vec![
        pool.number(constant.clone()),
        readable(pool, pool.substitute(joined, &still)),
    ];
    parts.extend(without.into_iter().map(|(t, k)| pool.scale(*t, k)));
    for &a in &repeated {
        let slope = readable(pool, pool.derivative(joined, a));
        parts.push(pool.mul(slope, a));
    }
    let collected = pool.product(outside.into_iter().chain([pool.sum(parts)]));
    // a multiplication more is nothing beside reading an acceleration twice; a longer line is
    if pool.cost(collected).characters <= pool.cost(whole).characters {
        collected
    } else {
        whole
    }
}

/// A Lagrangian or an energy with its kinetic and its potential part apart: what is zero at rest, and what is not.
pub fn apart(system: &System, e: Expr) -> Expr {
    let pool = &system.pool;
    if pool.size(e) > SIMPLIFY_UP_TO {
        return e;
    }
    let velocities: Vec<Expr> = system.coordinates.iter().map(|c| c.v).collect();
    let still = zeros(pool, velocities.iter().copied());
    let potential = pool.substitute(e, &still);
    if potential == e || potential == pool.zero() {
        return readable(pool, e);
    }
    let kinetic = pool.terms_where(e, |t| pool.contains_any(t, &velocities));
    let both = |kinetic, potential| pool.sum([readable(pool, kinetic), readable(pool, potential)]);
    let left = pool.substitute(kinetic, &still);
    if left == pool.zero() {
        return both(kinetic, potential);
    }
    // what a moving term leaves at rest belongs to the other part, unless it is shorter where it is: (x' - u)^2
    let there = both(pool.sub(kinetic, left), potential);
    let here = both(kinetic, pool.sub(e, kinetic));
    if pool.cost(here) < pool.cost(there) {
        here
    } else {
        there
    }
}

/// H, tidied up or by the terms of L, whichever is shorter.
fn readable_energy(system: &System, energy: Expr) -> Expr {
    let tidy = apart(system, energy);
    let cost = |e: &Expr| system.pool.cost(*e);
    energy_from_terms(system)
        .filter(|e| cost(e) <= cost(&tidy))
        .unwrap_or(tidy)
}

/// H by the terms of L as it is written: those quadratic in the velocities stay, linear ones fall out, others change
/// their sign; `None` where a term is none of these.
fn energy_from_terms(system: &System) -> Option<Expr> {
    let pool = &system.pool;
    let lagrangian = written_lagrangian(system);
    let Node::Sum(constant, terms) = &*pool.node(lagrangian) else {
        return None;
    };
    let twice: FxHashMap<Expr, Expr> = system
        .coordinates
        .iter()
        .map(|c| (c.v, pool.scale(c.v, &Number::from(2))))
        .collect();
    let mut parts = vec![pool.number(constant.neg())];
    for (term, k) in terms {
        let faster = pool.substitute(*term, &twice);
        let is_times = |n: i64| faster == pool.scale(*term, &Number::from(n));
        if is_times(4) {
            parts.push(pool.scale(*term, k));
        } else if is_times(1) {
            parts.push(pool.scale(*term, &k.neg()));
        } else if !is_times(2) {
            return None;
        }
    }
    Some(pool.sum(parts))
}

/// `slope * a`; a short sum is multiplied out, `m*x'' + m*x''/(4*x)`, unless it is constant, `(M + m)*x''`.
fn times(pool: &Pool, slope: Expr, a: Expr) -> Expr {
    let terms = match &*pool.node(slope) {
        Node::Sum(constant, terms) if terms.len() + usize::from(!constant.is_zero()) <= 2 => {
            let mut list = vec![pool.mul(pool.number(constant.clone()), a)];
            list.extend(terms.iter().map(|(t, k)| pool.scale(pool.mul(*t, a), k)));
            list
        }
        _ => Vec::new(),
    };
    if terms.is_empty() || pool.is_constant(slope) {
        pool.mul(slope, a)
    } else {
        pool.sum(terms)
    }
}

/// The parts of an expression that is quadratic in the velocities, one a product of velocities, each
/// with a simplified coefficient; the expression itself, simplified, where it is not.
fn by_velocities(system: &System, e: Expr) -> Vec<Expr> {
    let pool = &system.pool;
    let velocities = rates_in(system, e, |c| c.v);
    // what has a kink at rest may have no slope and no second derivative there, and is not quadratic
    let smooth = || pool.is_meromorphic_in(e, &velocities);
    if velocities.is_empty() || velocities.len() > 4 || !smooth() {
        return vec![pool.simplify(e)];
    }
    let still = zeros(pool, velocities.iter().copied());
    let mut parts = vec![pool.simplify(pool.substitute(e, &still))];
    for (i, &v) in velocities.iter().enumerate() {
        let slope = pool.derivative(e, v);
        let linear = pool.simplify(pool.substitute(slope, &still));
        parts.push(pool.mul(linear, v));
        for &w in &velocities[i..] {
            let second = pool.simplify(pool.derivative(slope, w));
            if pool.contains_any(second, &velocities) {
                return vec![pool.simplify(e)]; // not quadratic
            }
            let half = if v == w {
                pool.scale(second, &Number::HALF)
            } else {
                second
            };
            parts.push(pool.product([half, v, w]));
        }
    }
    parts
}

/// L as it is written: as the file has it; tidied up where it was made from bodies.
pub fn written_lagrangian(system: &System) -> Expr {
    if system.bodies.is_empty() {
        system.lagrangian
    } else {
        apart(system, system.lagrangian)
    }
}

/// Simplified where that is small enough to be read, and not shorter as it is.
pub fn readable(pool: &Pool, e: Expr) -> Expr {
    if pool.size(e) > SIMPLIFY_UP_TO {
        return e;
    }
    let simple = pool.simplify(e);
    pool.tidied(if pool.cost(e) < pool.cost(simple) {
        pool.joined(e)
    } else {
        simple
    })
}
