//! Where the second variation is flat: what the next terms say.
//!
//! Let r directions be open, P as many coordinates that tell them apart. With x_P = x0_P + s the other equations of statics
//! have a regular Jacobian at the point and give x(s), lambda(s) as Taylor series (implicit function theorem); then
//!
//! ```text
//! W(s) = V(x(s)),     dW/ds_p = S_p - sum lambda_b J_bp   at x(s), lambda(s)
//! ```
//!
//! and V on the constraint set is W(s) + sum +-w_i^2 in suitable coordinates (the splitting lemma of D. Gromoll and W. Meyer;
//! R. Thom's catastrophes). The first form of W that is not exactly zero decides: positive definite a strict minimum,
//! somewhere negative none. Coefficients are exact where the point is (see [`Value`]); a form whose coefficients are
//! only enclosed counts as zero in no case.

use super::bounds::Enclosure;
use super::series::{Algebra, Series};
use super::value::{Field, Value};
use crate::expr::{Expr, Interval, Pool};
use crate::interval::{Equations, Scratch, halved, largest, middle_of};
use rustc_hash::FxHashMap;

/// Boxes of directions looked at to find the sign of a form.
const BOXES: usize = 4000;
/// Systems of more unknowns than this are not followed.
const MOST: usize = 24;
/// More open directions are not followed.
const DIRECTIONS: usize = 3;

/// The equations of statics for the constraints that act, with numbers for the time and for parameters whose values are
/// exact.
#[derive(Clone, Debug)]
pub struct Symbols<'a> {
    /// The expressions.
    pub pool: &'a Pool,
    /// The coordinates.
    pub x: Vec<Expr>,
    /// The multipliers.
    pub multipliers: Vec<Expr>,
    /// f - c; of velocity constraints what they are without velocities.
    pub levels: Vec<Expr>,
    /// So many of the constraints limit positions.
    pub holonomic: usize,
    /// S.
    pub force: Vec<Expr>,
    /// J.
    pub gradients: Vec<Vec<Expr>>,
    /// The parameters that are left: computed from others, so that their values are rounded.
    pub rounded: Vec<(Expr, Interval)>,
}

/// A solution of them, as exactly as it is known.
#[derive(Clone, Debug)]
pub struct Point {
    /// The coordinates.
    pub x: Vec<Value>,
    /// The multipliers.
    pub lambda: Vec<Value>,
}

/// What the first form of W that does not vanish is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Leading {
    /// Positive definite, of this degree.
    Positive(usize),
    /// Negative definite.
    Negative(usize),
    /// Negative somewhere, and positive somewhere.
    Both(usize),
    /// Negative somewhere; more is not known.
    Falls(usize),
    /// Whether the form of this degree vanishes, or what sign it has, could not be decided.
    Open(usize),
    /// All forms up to this degree vanish exactly.
    Vanishes(usize),
}

impl Leading {
    /// The degree up to which it was looked at.
    pub fn degree(self) -> usize {
        match self {
            Self::Positive(k)
            | Self::Negative(k)
            | Self::Both(k)
            | Self::Falls(k)
            | Self::Open(k)
            | Self::Vanishes(k) => k,
        }
    }

    /// Is it negative somewhere?
    pub fn falls(self) -> bool {
        matches!(self, Self::Negative(_) | Self::Both(_) | Self::Falls(_))
    }

    /// Is it exactly known that the second variation has no part along the open directions?
    pub fn is_flat(self) -> bool {
        match self {
            Self::Open(k) => k > 2,
            other => other.degree() > 2,
        }
    }
}

impl Symbols<'_> {
    /// Arithmetic with exact numbers.
    pub(super) fn field(&self) -> Field<'_> {
        Field { pool: self.pool }
    }

    /// Values of expressions at a point.
    pub(super) fn values(&self, list: &[Expr], point: &Point) -> Option<Vec<Value>> {
        let algebra = Algebra::new(self.pool, 0, 0);
        let all = point.x.iter().chain(&point.lambda);
        let symbols = self.x.iter().chain(&self.multipliers).zip(all);
        let symbols = symbols.map(|(s, v)| (*s, algebra.constant(v.clone())));
        let symbols: FxHashMap<Expr, Series> = symbols.chain(self.rounded(&algebra)).collect();
        let series = algebra.of(list, &symbols)?;
        Some(
            series
                .into_iter()
                .filter_map(|s| s.into_iter().next())
                .collect(),
        )
    }

    /// The series of the parameters that are left.
    fn rounded<'s>(&'s self, algebra: &'s Algebra) -> impl Iterator<Item = (Expr, Series)> + 's {
        let list = self.rounded.iter();
        list.map(|(symbol, range)| (*symbol, algebra.constant(Value::Range(*range))))
    }

    /// Is S zero everywhere? Then so is W, and every point of the constraint set is an equilibrium.
    pub fn is_without_force(&self) -> bool {
        self.force.iter().all(|e| *e == self.pool.zero())
    }

    /// f - c and S - J^T lambda.
    pub fn equations(&self) -> Vec<Expr> {
        let mut list = self.levels.clone();
        list.retain(|e| *e != self.pool.zero());
        list.extend(self.balances());
        list
    }

    /// The same over boxes of coordinates and multipliers.
    pub fn over_boxes(&self) -> Equations {
        let list = self.equations();
        Equations::new(self.pool, &self.unknowns(), &self.rounded, &list)
    }

    /// The coordinates, then the multipliers.
    pub(super) fn unknowns(&self) -> Vec<Expr> {
        [&self.x[..], &self.multipliers].concat()
    }

    /// Bounds on expressions in the coordinates and multipliers at an equilibrium.
    pub fn ranges(&self, list: &[Expr], place: &Enclosure) -> Vec<Interval> {
        let at = [place.x(), place.lambda()].concat();
        let compiled = Equations::of_values(self.pool, &self.unknowns(), &self.rounded, list);
        compiled.values(&at, &mut Scratch::default()).0
    }

    /// S - J^T lambda, one a coordinate.
    pub(super) fn balances(&self) -> Vec<Expr> {
        let pool = self.pool;
        let rows = self.force.iter().enumerate();
        rows.map(|(k, &s)| {
            let pushed = self.multipliers.iter().zip(&self.gradients);
            let pushed = pushed.map(|(l, row)| pool.neg(pool.mul(*l, row[k])));
            pool.sum(pushed.chain([s]))
        })
        .collect()
    }

    /// The multipliers at coordinates that are those of an equilibrium; `None` where the gradients are not shown to be
    /// independent. `true` besides: it is shown exactly that they are those of an equilibrium.
    pub fn solved(&self, x: Vec<Value>) -> Option<(Point, bool)> {
        let (n, m) = (self.x.len(), self.multipliers.len());
        let field = self.field();
        let mut point = Point {
            x,
            lambda: vec![Value::ZERO; m],
        };
        let levels = self.values(&self.levels, &point)?;
        let force = self.values(&self.force, &point)?;
        let flat: Vec<Expr> = self.gradients.iter().flatten().copied().collect();
        let gradients = self.values(&flat, &point)?;
        let rows: Vec<Vec<Value>> = (0..n)
            .map(|k| {
                let mut row: Vec<Value> = (0..m).map(|b| gradients[b * n + k].clone()).collect();
                row.push(force[k].clone());
                row
            })
            .collect();
        let (solution, rest) = eliminated(field, rows, m)?;
        point.lambda = solution
            .into_iter()
            .filter_map(|row| row.into_iter().next())
            .collect();
        let exact = levels.iter().all(Value::is_zero)
            && rest.iter().flatten().all(Value::is_zero)
            && point.x.iter().all(Value::is_exact);
        Some((point, exact))
    }

    /// The first form of W in these coordinates; `None` where they do not tell the open directions apart, the
    /// equations are not analytic there, or it is too much work.
    pub fn leading(&self, point: &Point, free: &[usize]) -> Option<Leading> {
        let (n, m, r) = (self.x.len(), self.multipliers.len(), free.len());
        if r == 0 || r > DIRECTIONS || n + m > MOST || self.holonomic != m {
            return None;
        }
        let order = [7, 5, 3][r - 1];
        let pool = self.pool;
        if self.is_without_force() && point.lambda.iter().all(Value::is_zero) {
            return Some(Leading::Vanishes(order + 1));
        }
        let algebra = Algebra::new(pool, r, order);
        let balances = self.balances();
        let held: Vec<usize> = (0..n).filter(|k| !free.contains(k)).collect();
        let with = |list: &[Expr], more: &[Expr]| -> Vec<Expr> {
            let held = held.iter().map(|k| list[*k]);
            held.chain(more.iter().copied()).collect()
        };
        let unknowns = with(&self.x, &self.multipliers);
        let equations = with(&balances, &self.levels);
        let size = unknowns.len();
        let slopes = pool.jacobian(&equations, &unknowns).concat();
        let slopes = self.values(&slopes, point)?;
        let mut symbols: FxHashMap<Expr, Series> = self.rounded(&algebra).collect();
        for (k, v) in point.x.iter().enumerate() {
            let series = match free.iter().position(|p| *p == k) {
                Some(place) => algebra.variable(v.clone(), place),
                None => algebra.constant(v.clone()),
            };
            symbols.insert(self.x[k], series);
        }
        for (l, v) in self.multipliers.iter().zip(&point.lambda) {
            symbols.insert(*l, algebra.constant(v.clone()));
        }
        let monomials = &algebra.monomials;
        let own: Vec<Expr> = free.iter().map(|p| balances[*p]).collect();
        for degree in 1..=order {
            let residuals = algebra.of(&equations, &symbols)?;
            let places: Vec<usize> = (0..monomials.list.len())
                .filter(|i| monomials.degree(*i) == degree)
                .collect();
            let rows: Vec<Vec<Value>> = (0..size)
                .map(|i| {
                    let mut row = slopes[i * size..(i + 1) * size].to_vec();
                    let right = places.iter().map(|p| algebra.field.neg(&residuals[i][*p]));
                    row.extend(right);
                    row
                })
                .collect();
            let (solution, _) = eliminated(algebra.field, rows, size)?;
            for (u, values) in unknowns.iter().zip(solution) {
                if let Some(series) = symbols.get_mut(u) {
                    for (place, value) in places.iter().zip(values) {
                        series[*place] = value;
                    }
                }
            }
            // the forms of W one degree higher
            let rates = algebra.of(&own, &symbols)?;
            let next: Vec<(Vec<u8>, Value)> = form(&algebra, &rates, degree);
            if next.iter().all(|(_, v)| v.is_zero()) {
                continue;
            }
            return Some(sign_of_form(&next, degree + 1));
        }
        Some(Leading::Vanishes(order + 1))
    }
}

/// The form of degree k + 1 of W from the forms of degree k of its slopes: (k + 1) W = sum s_p dW/ds_p.
fn form(algebra: &Algebra, rates: &[Series], degree: usize) -> Vec<(Vec<u8>, Value)> {
    let mut sums: Vec<(Vec<u8>, Value)> = Vec::new();
    for (variable, rate) in rates.iter().enumerate() {
        for (place, monomial) in algebra.monomials.list.iter().enumerate() {
            if algebra.monomials.degree(place) != degree {
                continue;
            }
            let mut more = monomial.clone();
            more[variable] += 1;
            let whole = i64::try_from(degree + 1).unwrap_or(1);
            let part = algebra.field.part(&rate[place], 1, whole);
            match sums.iter_mut().find(|(m, _)| *m == more) {
                Some((_, sum)) => *sum = algebra.field.add(sum, &part),
                None => sums.push((more, part)),
            }
        }
    }
    sums
}

/// The sign of a form that is not known to vanish.
fn sign_of_form(form: &[(Vec<u8>, Value)], degree: usize) -> Leading {
    let variables = form.first().map_or(0, |(m, _)| m.len());
    let terms: Vec<(&Vec<u8>, Interval)> = form.iter().map(|(m, v)| (m, v.range())).collect();
    let at = |s: &[Interval]| {
        terms.iter().fold(Interval::ZERO, |sum, (m, c)| {
            let product = m
                .iter()
                .zip(s)
                .fold(*c, |product, (e, v)| product.mul(v.powi(i32::from(*e))));
            sum.add(product)
        })
    };
    let sure = |v: Interval| !v.is_empty() && !v.contains(0.0);
    if degree % 2 == 1 {
        // a form of odd degree that is not zero has both signs
        return if form.iter().any(|(_, v)| v.is_not_zero()) {
            Leading::Both(degree)
        } else {
            Leading::Open(degree)
        };
    }
    let (mut up, mut down, mut open) = (false, false, false);
    let mut looked = 0;
    for face in 0..variables {
        let mut start = vec![Interval::new(-1.0, 1.0); variables];
        start[face] = Interval::ONE;
        let mut queue = vec![start];
        while let Some(part) = queue.pop() {
            looked += 1;
            let range = at(&part);
            if sure(range) {
                up |= range.lo > 0.0;
                down |= range.hi < 0.0;
                continue;
            }
            // a direction in the middle may tell by itself
            let there = at(&middle_of(&part));
            if sure(there) {
                up |= there.lo > 0.0;
                down |= there.hi < 0.0;
            }
            if up && down {
                return Leading::Both(degree);
            }
            let widest = largest(0..variables, |k| part[*k].width());
            match widest.map(|(k, width)| (halved(part, k), width)) {
                Some((Ok((low, high)), width)) if looked < BOXES && width > 1e-4 => {
                    queue.extend([low, high]);
                }
                _ => open = true,
            }
        }
    }
    match (up, down, open) {
        (true, true, _) => Leading::Both(degree),
        (true, false, false) => Leading::Positive(degree),
        (false, true, false) => Leading::Negative(degree),
        (_, true, _) => Leading::Falls(degree),
        _ => Leading::Open(degree),
    }
}

/// Solves linear equations whose rows are coefficients of so many unknowns, then right sides: a row of right sides an unknown, and
/// the right sides of the rows that are left over. `None` where no pivot is certainly not zero.
#[allow(clippy::type_complexity)] // two lists of rows
fn eliminated(
    field: Field,
    mut rows: Vec<Vec<Value>>,
    unknowns: usize,
) -> Option<(Vec<Vec<Value>>, Vec<Vec<Value>>)> {
    let mut pivots: Vec<Option<usize>> = vec![None; unknowns];
    let mut used = vec![false; rows.len()];
    for _ in 0..unknowns {
        // few other entries in row and column, and not small in its row
        let mut best: Option<(usize, f64, usize, usize)> = None;
        for (i, row) in rows.iter().enumerate().filter(|(i, _)| !used[*i]) {
            let top = row[..unknowns]
                .iter()
                .map(|v| v.range().magnitude())
                .fold(0.0, f64::max);
            let own = row[..unknowns].iter().filter(|v| !v.is_zero()).count();
            for j in (0..unknowns).filter(|j| pivots[*j].is_none()) {
                let v = &row[j];
                let part = v.range().mignitude() / top;
                if !v.is_not_zero() || !(v.is_exact() && part > 1e-9 || part > 1e-2) {
                    continue;
                }
                let others = rows
                    .iter()
                    .enumerate()
                    .filter(|(k, r)| !used[*k] && !r[j].is_zero())
                    .count();
                let fill = (own - 1) * (others - 1);
                let better = best
                    .is_none_or(|(least, size, ..)| fill < least || fill == least && part > size);
                if better {
                    best = Some((fill, part, i, j));
                }
            }
        }
        let (_, _, i, j) = best?;
        used[i] = true;
        pivots[j] = Some(i);
        let pivot = rows[i].clone();
        for (k, row) in rows.iter_mut().enumerate() {
            if k == i || row[j].is_zero() {
                continue;
            }
            let factor = field.div(&row[j], &pivot[j])?;
            for (place, v) in row.iter_mut().enumerate() {
                if place == j {
                    *v = Value::ZERO;
                } else if !pivot[place].is_zero() {
                    *v = field.sub(v, &field.mul(&factor, &pivot[place]));
                }
            }
        }
    }
    let mut solution = Vec::new();
    for (j, pivot) in pivots.iter().enumerate() {
        let row = &rows[(*pivot)?];
        let values: Option<Vec<Value>> = row[unknowns..]
            .iter()
            .map(|v| field.div(v, &row[j]))
            .collect();
        solution.push(values?);
    }
    let rest = rows
        .into_iter()
        .zip(used)
        .filter(|(_, used)| !used)
        .map(|(row, _)| row[unknowns..].to_vec())
        .collect();
    Some((solution, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Number;
    use crate::system::System;

    /// The first form of a function of x (y, z) at 0, all of them open.
    fn first(text: &str, free: usize) -> Option<Leading> {
        let names = &["x", "y", "z"][..free];
        let file = format!(
            "coordinates: [{}]\nlagrangian: 1/2*x'^2 - ({text})\n",
            names.join(", ")
        );
        let system = System::parse(&file, "test", &[]).unwrap();
        let pool = &system.pool;
        let x: Vec<Expr> = system.positions();
        let still: FxHashMap<Expr, Expr> = system
            .coordinates
            .iter()
            .map(|c| (c.v, pool.zero()))
            .collect();
        let potential = pool.neg(pool.substitute(system.lagrangian, &still));
        let symbols = Symbols {
            pool,
            force: x.iter().map(|u| pool.derivative(potential, *u)).collect(),
            x,
            multipliers: Vec::new(),
            levels: Vec::new(),
            holonomic: 0,
            gradients: Vec::new(),
            rounded: Vec::new(),
        };
        let point = Point {
            x: vec![Value::ZERO; free],
            lambda: Vec::new(),
        };
        let all: Vec<usize> = (0..free).collect();
        symbols.leading(&point, &all)
    }

    #[test]
    fn the_first_form_decides() {
        for (text, free, expected) in [
            ("x^4", 1, Leading::Positive(4)),
            ("-x^6 + x^7", 1, Leading::Negative(6)),
            ("exp(x) - x - x^2/2", 1, Leading::Both(3)),
            (
                "cos(x) + x^2/2 - cosh(x)/3 + x^2/6",
                1,
                Leading::Positive(4),
            ),
            ("log(1 + x) - x + x^2/2 - x^3/3", 1, Leading::Negative(4)),
            ("tan(x) - x - x^3/3", 1, Leading::Both(5)),
            ("asin(x) - atan(x) - x^3/2", 1, Leading::Both(5)),
            ("sqrt(1 + x^2) - x^2/2", 1, Leading::Negative(4)),
            ("tanh(x)^2 - x^2", 1, Leading::Negative(4)),
            ("x^2 - pi/4*erf(x)^2", 1, Leading::Positive(4)),
            ("sin(x)^2 + cos(x)^2", 1, Leading::Vanishes(8)),
            ("x^4 + x^2*y^2 + y^4", 2, Leading::Positive(4)),
            ("x^4 - 3*x^2*y^2 + y^4", 2, Leading::Both(4)),
            ("x^3 + y^4", 2, Leading::Both(3)),
            ("x^4 + y^6", 2, Leading::Open(4)),
            ("x^2/1000 + y^4", 2, Leading::Open(2)),
            ("-x^4 - y^4 - z^4 + x*y*z^2/2", 3, Leading::Negative(4)),
        ] {
            assert_eq!(first(text, free), Some(expected), "{text}");
        }
    }

    #[test]
    fn zeros_stay_exact_and_constants_cancel() {
        let pool = Pool::new();
        let field = Field { pool: &pool };
        let half_pi = field.part(&field.constant(pool.pi()), 1, 2);
        let cosine = field.apply(crate::expr::Function::Cos, &half_pi).unwrap();
        assert!(cosine.is_zero());
        let root = field
            .power(&Value::Number(Number::from(2)), &Number::HALF)
            .unwrap();
        assert!(
            field
                .sub(&field.mul(&root, &root), &Value::Number(Number::from(2)))
                .is_zero()
        );
        let open = Value::Range(Interval::new(-1.0, 1.0));
        assert!(field.mul(&Value::ZERO, &open).is_zero());
        assert!(field.div(&Value::ONE, &open).is_none());
    }
}
