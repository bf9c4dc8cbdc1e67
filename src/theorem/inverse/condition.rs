//! Conditions on the coordinates, and what can be said of a sign.

use super::solver::Solver;
use crate::expr::{Expr, Function, Interval, Node, Number, Pool, Style, SymbolKind};

/// How an expression compares with 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// > 0
    Positive,
    /// < 0
    Negative,
    /// != 0
    NonZero,
    /// >= 0
    AtLeast,
    /// = 0
    Zero,
}

/// A condition on the coordinates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// What is compared with 0; in coordinates, t and parameters.
    pub expression: Expr,
    /// How.
    pub relation: Relation,
}

impl Condition {
    /// Does it hold for this value of its expression?
    pub fn admits(&self, value: f64) -> bool {
        match self.relation {
            Relation::Positive => value > 0.0,
            Relation::Negative => value < 0.0,
            // no number is no answer
            Relation::NonZero => value.abs() > 0.0,
            Relation::AtLeast => value >= 0.0,
            Relation::Zero => value == 0.0,
        }
    }

    /// As text: `x1 > x2`, `x3 != 0`.
    pub fn print(&self, pool: &Pool, style: Style) -> String {
        // a positive factor changes no sign
        let (left, right) = pool.sides(pool.scaled_for_zeros(self.expression));
        let (left, right) = (pool.print_as(left, style), pool.print_as(right, style));
        let sign = match (self.relation, style) {
            (Relation::Positive, _) => ">",
            (Relation::Negative, _) => "<",
            (Relation::NonZero, Style::Plain) => "!=",
            (Relation::NonZero, Style::Pretty) => "≠",
            (Relation::NonZero, Style::Latex) => "\\neq",
            (Relation::AtLeast, Style::Plain) => ">=",
            (Relation::AtLeast, Style::Pretty) => "≥",
            (Relation::AtLeast, Style::Latex) => "\\geq",
            (Relation::Zero, _) => "=",
        };
        format!("{left} {sign} {right}")
    }
}

/// A condition as the solver meets it: in the unknowns, y and what stands for kernels.
pub(super) type Raw = (Expr, Relation);

/// What becomes of a condition in the coordinates.
pub(super) enum Settled {
    /// It holds wherever the constraints have a value, the boundary aside.
    Always,
    /// It holds nowhere.
    Never,
    /// It says something; all of these.
    Says(Vec<Condition>),
}

/// Where something that is divided by may be zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Zeros {
    /// Nowhere.
    Nowhere,
    /// Only on the singular set.
    Singular,
    /// Elsewhere too, or that is not known.
    Elsewhere,
}

impl Solver<'_> {
    /// An expression of the solver in the coordinates.
    pub(super) fn in_coordinates(&self, e: Expr) -> Expr {
        let pool = self.pool();
        let e = pool.substitute(e, &self.meanings.borrow());
        pool.simplify(super::undone(pool, pool.simplify(e)))
    }

    /// A condition in the coordinates, what does not matter for it left out.
    pub(super) fn settle(&self, (e, relation): Raw) -> Settled {
        let pool = self.pool();
        let whole = self.in_coordinates(e);
        let factors = pool.factors(whole);
        let (number, below) = factors.unit_parts(pool);
        let signed = !matches!(relation, Relation::NonZero | Relation::Zero);
        let mut sign = number.is_negative();
        let mut kept: Vec<Expr> = Vec::new();
        let mut zero = number.is_zero();
        let above = factors.factors.iter().map(|&(f, k)| (f, k % 2 == 1, true));
        let below = below.iter().map(|&(b, k)| {
            let odd = pool
                .as_number(k)
                .is_none_or(|k| k.is_integer() && !k.is_even());
            (b, odd, false)
        });
        for (factor, odd, above) in above.chain(below) {
            if !above && !signed {
                continue; // what is divided by is not zero where there is a value
            }
            if let Node::Apply(Function::Abs, args) = &*pool.node(factor)
                && relation == Relation::NonZero
            {
                match self.settle((args[0], relation)) {
                    Settled::Always => {}
                    Settled::Never => zero = true,
                    Settled::Says(list) => kept.extend(list.iter().map(|c| c.expression)),
                }
                continue;
            }
            let range = self.bounds(factor);
            if let Some(negative) = self.sign(factor) {
                sign ^= odd && negative;
            } else if signed && (!odd || pool.is_non_negative(factor) || range.lo >= 0.0) {
                // an even power has no sign; where it is zero the branches meet
            } else if range.lo == 0.0 && range.hi == 0.0 {
                zero = true;
            } else {
                kept.push(factor);
            }
        }
        let holds = |yes: bool| {
            if yes { Settled::Always } else { Settled::Never }
        };
        if zero {
            return holds(matches!(relation, Relation::Zero | Relation::AtLeast));
        }
        if kept.is_empty() {
            return holds(match relation {
                Relation::NonZero => true,
                Relation::Zero => false,
                Relation::Positive | Relation::AtLeast => !sign,
                Relation::Negative => sign,
            });
        }
        if relation == Relation::NonZero {
            let each = kept.into_iter().map(|expression| Condition {
                expression,
                relation,
            });
            return Settled::Says(each.collect());
        }
        for factor in &mut kept {
            // one form for an expression and its negative: what is the same condition is seen to be
            let e = angle_of_sum(pool, *factor).unwrap_or(*factor);
            let negative = pool.leads_negative(e);
            *factor = if negative { pool.neg(e) } else { e };
            sign ^= negative;
        }
        let product = pool.product(kept);
        let (expression, relation) = match relation {
            Relation::Positive if sign => (product, Relation::Negative),
            Relation::Negative if sign => (product, Relation::Positive),
            Relation::AtLeast if sign => (pool.neg(product), relation),
            other => (product, other),
        };
        Settled::Says(vec![Condition {
            expression,
            relation,
        }])
    }

    /// The sign of an expression in the coordinates where it is the same everywhere: is it negative?
    pub(super) fn sign(&self, e: Expr) -> Option<bool> {
        let definite = |e: Expr| {
            let range = self.bounds(e);
            // the bounds of exp reach down to zero
            let definite = range.lo > 0.0 || range.hi < 0.0 || self.pool().is_positive(e);
            definite.then_some(range.hi < 0.0)
        };
        definite(e).or_else(|| {
            // s sqrt(u) + p has the sign of s where s^2 u > p^2
            let pool = self.pool();
            let Node::Sum(constant, terms) = pool.owned(e) else {
                return None;
            };
            let half = pool.number(Number::HALF);
            let (place, radicand, factor) =
                terms
                    .iter()
                    .enumerate()
                    .find_map(|(i, (t, k))| match pool.owned(*t) {
                        Node::Product(coefficient, factors) => match factors.as_slice() {
                            [(u, x)] if *x == half => Some((i, *u, coefficient.mul(k))),
                            _ => None,
                        },
                        _ => None,
                    })?;
            let others = terms.iter().enumerate().filter(|(i, _)| *i != place);
            let rest = others
                .map(|(_, (t, k))| pool.scale(*t, k))
                .chain([pool.number(constant)])
                .collect::<Vec<_>>();
            let root = pool.scale(radicand, &factor.mul(&factor));
            let excess = pool.sub(root, pool.powi(pool.sum(rest), 2));
            let more = definite(pool.simplify(excess)) == Some(false);
            more.then(|| factor.is_negative())
        })
    }

    /// Conditions without those that follow from others; `None` where they contradict each other.
    pub(super) fn consistent(&self, list: &[Condition]) -> Option<Vec<Condition>> {
        use Relation::{AtLeast, Negative, NonZero, Positive, Zero};
        let mut kept: Vec<Condition> = Vec::new();
        for c in list {
            let Some(other) = kept.iter_mut().find(|k| k.expression == c.expression) else {
                kept.push(c.clone());
                continue;
            };
            other.relation = match (other.relation, c.relation) {
                (a, b) if a == b => a,
                (Positive | NonZero, AtLeast)
                | (AtLeast, Positive | NonZero)
                | (Positive, NonZero)
                | (NonZero, Positive) => Positive,
                (Negative, NonZero) | (NonZero, Negative) => Negative,
                (Zero, AtLeast) | (AtLeast, Zero) => Zero,
                _ => return None,
            };
        }
        // what a sign of a coordinate says about the other conditions
        let range_of = |e: Expr| match kept.iter().find(|c| c.expression == e)?.relation {
            Positive | AtLeast => Some(Interval::new(0.0, f64::INFINITY)),
            Negative => Some(Interval::new(f64::NEG_INFINITY, 0.0)),
            NonZero | Zero => None,
        };
        let pool = self.pool();
        let mut result = Vec::new();
        for c in &kept {
            if pool.as_symbol(c.expression).is_some() {
                result.push(c.clone());
                continue;
            }
            let range = self.bounds_where(c.expression, &|index| {
                let known = self.system.coordinates.get(index);
                known.and_then(|x| range_of(x.x)).unwrap_or(Interval::ALL)
            });
            match c.relation {
                Positive | AtLeast | NonZero if range.lo > 0.0 => {}
                Negative | NonZero if range.hi < 0.0 => {}
                Positive | AtLeast | Zero if range.hi < 0.0 => return None,
                Negative | Zero if range.lo > 0.0 => return None,
                _ => result.push(c.clone()),
            }
        }
        Some(result)
    }

    /// The range of an expression in the coordinates, wherever they are, the parameters as they are.
    pub(super) fn bounds(&self, e: Expr) -> Interval {
        self.bounds_where(e, &|_| Interval::ALL)
    }

    /// The same where each coordinate is in a range.
    fn bounds_where(&self, e: Expr, range_of: &dyn Fn(usize) -> Interval) -> Interval {
        self.pool().bounds(e, &|kind| match kind {
            SymbolKind::Parameter(i) => self.parameters.get(i).copied().unwrap_or(Interval::ALL),
            SymbolKind::Coordinate { index, order: 0 } => range_of(index),
            _ => Interval::ALL,
        })
    }

    /// Where what a step divides by is zero.
    pub(super) fn zeros(&self, e: Expr) -> Zeros {
        if self.pool().as_number(e).is_some_and(|n| !n.is_zero()) {
            return Zeros::Nowhere;
        }
        match self.settle((e, Relation::NonZero)) {
            Settled::Always => Zeros::Nowhere,
            Settled::Says(list) if list.iter().all(|c| self.is_singular(c.expression)) => {
                Zeros::Singular
            }
            Settled::Never | Settled::Says(_) => Zeros::Elsewhere,
        }
    }

    /// Is det J_D zero wherever this expression in the coordinates is?
    pub(super) fn is_singular(&self, e: Expr) -> bool {
        let known = self.singular_factors();
        let mut factors = self.pool().factors(e).factors.into_iter();
        factors.all(|(f, _)| {
            self.sign(f).is_some()
                || known.contains(&f)
                || self.only_at_singular_zero(f)
                || self.trial().singular_on(f)
        })
    }

    /// Is it a sum of even powers of symbols, and det J_D zero where these are?
    fn only_at_singular_zero(&self, e: Expr) -> bool {
        let pool = self.pool();
        let Node::Sum(constant, terms) = pool.owned(e) else {
            return false;
        };
        let mut nothing = rustc_hash::FxHashMap::default();
        for (term, k) in &terms {
            let Node::Product(_, factors) = pool.owned(*term) else {
                return false;
            };
            match factors.as_slice() {
                [(x, power)]
                    if k.is_positive()
                        && pool.as_symbol(*x).is_some()
                        && pool
                            .as_number(*power)
                            .is_some_and(|q| q.is_even() && q.is_positive()) =>
                {
                    nothing.insert(*x, pool.zero());
                }
                _ => return false,
            }
        }
        let mut factors = self.singular_factors().iter();
        constant.is_zero()
            && factors.any(|&f| pool.simplify(pool.substitute(f, &nothing)) == pool.zero())
    }
}

/// `sin(a) cos(b) +- sin(b) cos(a)` as `sin(a +- b)`, `cos(a) cos(b) -+ sin(a) sin(b)` as `cos(a +- b)`.
fn angle_of_sum(pool: &Pool, e: Expr) -> Option<Expr> {
    let Node::Sum(constant, terms) = pool.owned(e) else {
        return None;
    };
    let [(p, k), (q, l)] = terms.as_slice() else {
        return None;
    };
    let same = k == l;
    if !constant.is_zero() || !(same || *k == l.neg()) {
        return None;
    }
    let turned = |same: bool, a: Expr, b: Expr| if same { pool.add(a, b) } else { pool.sub(a, b) };
    let ([a, b], [c, d]) = (angles(pool, *p)?, angles(pool, *q)?);
    let value = match ((&*a, &*b), (&*c, &*d)) {
        (([sin], [cos]), ([other], [with])) if sin == with && cos == other => {
            pool.apply(Function::Sin, turned(same, *sin, *cos))
        }
        (([], [u, v]), ([_, _], [])) if c.contains(u) && c.contains(v) => {
            pool.apply(Function::Cos, turned(!same, *u, *v))
        }
        (([u, v], []), ([], [_, _])) if d.contains(u) && d.contains(v) => {
            let cosine = pool.apply(Function::Cos, turned(!same, *u, *v));
            if same { cosine } else { pool.neg(cosine) }
        }
        _ => return None,
    };
    Some(pool.scale(value, k))
}

/// The angles of the sines, and those of the cosines, that an expression is a product of.
fn angles(pool: &Pool, e: Expr) -> Option<[Vec<Expr>; 2]> {
    let Node::Product(_, factors) = pool.owned(e) else {
        return None;
    };
    let mut angles = [Vec::new(), Vec::new()];
    for (factor, power) in factors {
        let place = match &*pool.node(factor) {
            Node::Apply(Function::Sin, args) if power == pool.one() => (0, args[0]),
            Node::Apply(Function::Cos, args) if power == pool.one() => (1, args[0]),
            _ => return None,
        };
        angles[place.0].push(place.1);
    }
    Some(angles)
}

impl Pool {
    /// Splits `e` (compared with 0) in what is added and what is subtracted: `x1 - x2` is `(x1, x2)`.
    fn sides(&self, e: Expr) -> (Expr, Expr) {
        let node = self.owned(e);
        if let Node::Sum(constant, terms) = node {
            let mut sides = (Vec::new(), Vec::new());
            for (t, k) in terms {
                if k.is_negative() {
                    sides.1.push(self.scale(t, &k.neg()));
                } else {
                    sides.0.push(self.scale(t, &k));
                }
            }
            if sides.0.is_empty() {
                return (e, self.zero());
            }
            let constant_part = self.number(constant.abs());
            if constant.is_negative() {
                sides.1.push(constant_part);
            } else if sides.1.is_empty() && !constant.is_zero() {
                return (self.sum(sides.0), self.neg(constant_part));
            } else {
                sides.0.push(constant_part);
            }
            return (self.sum(sides.0), self.sum(sides.1));
        }
        (e, self.zero())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sines_and_cosines_of_sums_are_found_and_nothing_else() {
        let pool = Pool::new();
        let angle = |name, index| pool.symbol(name, SymbolKind::Coordinate { index, order: 0 });
        let (a, b, c) = (angle("a", 0), angle("b", 1), angle("c", 2));
        let (sin, cos) = (Function::Sin, Function::Cos);
        let products: Vec<Expr> = [(sin, sin), (sin, cos), (cos, sin), (cos, cos)]
            .into_iter()
            .flat_map(|(f, g)| {
                let of = move |u, v| (f, u, g, v);
                [of(a, b), of(a, c), of(b, c), of(a, a)]
            })
            .map(|(f, u, g, v)| pool.mul(pool.apply(f, u), pool.apply(g, v)))
            .collect();
        let mut found = 0;
        for (i, &p) in products.iter().enumerate() {
            for &q in &products[i + 1..] {
                for (k, l) in [(1, 1), (1, -1), (3, -3), (-2, -2), (1, 2)] {
                    let scaled = |e, k: i64| pool.scale(e, &Number::from(k));
                    let e = pool.add(scaled(p, k), scaled(q, l));
                    let Some(whole) = angle_of_sum(&pool, e) else {
                        continue;
                    };
                    assert_eq!(pool.is_zero(pool.sub(e, whole)), Some(true));
                    found += 1;
                }
            }
        }
        // of each of three pairs of angles a sine and a cosine, for four pairs of coefficients
        assert_eq!(found, 3 * 2 * 4);
        assert_eq!(angle_of_sum(&pool, pool.add(products[0], a)), None);
    }
}
