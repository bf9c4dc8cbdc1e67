//! A normal form: rational functions in lowest terms.
//!
//! An expression is a quotient of polynomials in *generators*: its symbols, and the function values
//! and roots that occur in it. Some generators obey relations, which are used to reduce:
//!
//! | generator | relation | where valid |
//! |---|---|---|
//! | `sin(u)` | `sin(u)^2 = 1 - cos(u)^2` | everywhere |
//! | `sinh(u)` | `sinh(u)^2 = cosh(u)^2 - 1` | everywhere |
//! | `abs(u)` | `abs(u)^2 = u^2` | real u |
//! | `u^(1/q)` | its q-th power is u | where the root is defined |
//! | `tan(u)` | `sin(u)/cos(u)`, used where sin(u) or cos(u) occurs too | where tan is defined |
//!
//! Cancelling a common factor of numerator and denominator is valid where that factor is not zero;
//! it can only enlarge the domain. The denominator is kept in factors, so fractions stay small.
//! Work is bounded; an expression that would need more is given back as it was.

use super::factor::{Depth, Factored, factor, factor_to};
use super::function::Function;
use super::number::Number;
use super::poly::{Effort, Monomial, Poly};
use super::pool::{Expr, Node, Pool};
use rustc_hash::{FxHashMap, FxHashSet};

/// Term products one simplification may take.
const EFFORT: u64 = 400_000;
/// Term products one cancellation by gcd may take.
const GCD_EFFORT: u64 = 30_000;
/// A factored form replaces the expanded one where it is below this share of its size.
const WORTH_FACTORING: f64 = 0.75;

/// `numerator / prod denominator^exponent`, denominators primitive with a positive lead.
#[derive(Clone, Debug)]
pub(super) struct Fraction {
    pub(super) top: Poly,
    pub(super) bottom: Vec<(Poly, u32)>,
}

impl Fraction {
    fn poly(top: Poly) -> Self {
        Self {
            top,
            bottom: Vec::new(),
        }
    }
}

/// How a generator's powers reduce.
#[derive(Clone, Debug)]
enum Relation {
    /// generator^q = value
    Power { degree: u16, value: Fraction },
    /// generator^2 = constant + sign * other^2
    Square {
        constant: i64,
        sign: i64,
        other: usize,
    },
}

/// The generators of an expression, and its conversion to polynomials in them.
pub struct Ring<'a> {
    pool: &'a Pool,
    pub(super) generators: Vec<Expr>,
    places: FxHashMap<Expr, usize>,
    relations: Vec<Option<Relation>>,
    memo: FxHashMap<Expr, Fraction>,
    with_tangents: FxHashSet<Expr>,
    pub(super) effort: Effort,
}

impl<'a> Ring<'a> {
    /// A ring for these expressions.
    pub fn new(pool: &'a Pool, roots: &[Expr]) -> Self {
        let mut circular = FxHashSet::default();
        pool.visit(roots, &mut |_, node| {
            if let Node::Apply(Function::Sin | Function::Cos, args) = node {
                circular.insert(args[0]);
            }
        });
        Self {
            pool,
            generators: Vec::new(),
            places: FxHashMap::default(),
            relations: Vec::new(),
            memo: FxHashMap::default(),
            with_tangents: circular,
            effort: Effort::new(EFFORT),
        }
    }

    pub(super) fn generator(&mut self, e: Expr) -> usize {
        if let Some(&place) = self.places.get(&e) {
            return place;
        }
        let place = self.generators.len();
        self.generators.push(e);
        self.relations.push(None);
        self.places.insert(e, place);
        place
    }

    pub(super) fn convert(&mut self, e: Expr) -> Option<Fraction> {
        if let Some(known) = self.memo.get(&e) {
            return Some(known.clone());
        }
        let node = self.pool.owned(e);
        let result = match node {
            Node::Number(n) => Fraction::poly(Poly::constant(n)),
            Node::Symbol(_) => Fraction::poly(Poly::variable(self.generator(e))),
            Node::Sum { constant, terms } => {
                // what has no denominator is gathered at once: adding one by one copies the rest each time
                let mut whole = vec![(Monomial::new(), constant)];
                let mut fractions = Vec::new();
                for (t, k) in terms {
                    let mut part = self.convert(t)?;
                    part.top = part.top.scale(&k);
                    if part.bottom.is_empty() {
                        whole.extend(part.top.into_terms());
                    } else {
                        fractions.push(part);
                    }
                }
                let mut total = Fraction::poly(Poly::from_terms(whole));
                for part in &fractions {
                    total = self.add(&total, part)?;
                }
                total
            }
            Node::Product {
                coefficient,
                factors,
            } => {
                let mut product = Fraction::poly(Poly::constant(coefficient));
                for (b, x) in factors {
                    let part = self.power(b, x)?;
                    product = self.mul(&product, &part)?;
                }
                product
            }
            Node::Apply(f, args) => self.function(f, &args)?,
        };
        self.memo.insert(e, result.clone());
        Some(result)
    }

    fn function(&mut self, f: Function, args: &[Expr]) -> Option<Fraction> {
        let args: Vec<Expr> = args.iter().map(|a| self.pool.simplify(*a)).collect();
        let value = match args.as_slice() {
            [y, x] => self.pool.atan2(*y, *x),
            [a] => self.pool.apply(f, *a),
            _ => return None,
        };
        let node = self.pool.owned(value);
        let Node::Apply(f, args) = node else {
            return self.convert(value);
        };
        if f == Function::Tan && self.with_tangents.contains(&args[0]) {
            let sin = self.pool.apply(Function::Sin, args[0]);
            let cos = self.pool.apply(Function::Cos, args[0]);
            let ratio = self.pool.div(sin, cos);
            return self.convert(ratio);
        }
        let place = self.generator(value);
        match f {
            Function::Sin | Function::Cos => {
                self.relate(Function::Sin, Function::Cos, args[0], (1, -1));
            }
            Function::Sinh | Function::Cosh => {
                self.relate(Function::Sinh, Function::Cosh, args[0], (-1, 1));
            }
            Function::Abs if self.relations[place].is_none() => {
                let inner = self.convert(args[0])?;
                let value = self.mul(&inner, &inner)?;
                self.relations[place] = Some(Relation::Power { degree: 2, value });
            }
            _ => {}
        }
        Some(Fraction::poly(Poly::variable(place)))
    }

    /// Records `odd(u)^2 = constant + sign * even(u)^2`.
    fn relate(&mut self, odd: Function, even: Function, u: Expr, (constant, sign): (i64, i64)) {
        let place = self.generator(self.pool.apply(odd, u));
        if self.relations[place].is_none() {
            let other = self.generator(self.pool.apply(even, u));
            self.relations[place] = Some(Relation::Square {
                constant,
                sign,
                other,
            });
        }
    }

    fn power(&mut self, base: Expr, exponent: Expr) -> Option<Fraction> {
        let Some(q) = self.pool.as_number(exponent) else {
            let base = self.pool.simplify(base);
            let exponent = self.pool.simplify(exponent);
            let value = self.pool.pow(base, exponent);
            return Some(Fraction::poly(Poly::variable(self.generator(value))));
        };
        if let Some(n) = q.to_i64() {
            let inner = self.convert(base)?;
            let n32 = u32::try_from(n.unsigned_abs()).ok()?;
            return if n < 0 {
                let inner = self.invert(&inner)?;
                self.whole_power(&inner, n32)
            } else {
                self.whole_power(&inner, n32)
            };
        }
        if q.denominator().to_i64().is_none_or(|d| d > 12) {
            let base = self.pool.simplify(base);
            let value = self.pool.pow(base, exponent);
            return Some(Fraction::poly(Poly::variable(self.generator(value))));
        }
        let degree = u16::try_from(q.denominator().to_i64()?).ok()?;
        let simple = self.pool.simplify(base);
        let unit = self.pool.number(Number::ratio(1, i64::from(degree))?);
        let root = self.pool.pow(simple, unit);
        let is_bare = matches!(&*self.pool.node(root), Node::Product { coefficient, factors }
            if coefficient.is_one() && factors.as_slice() == [(simple, unit)]);
        let fraction = if is_bare {
            let place = self.generator(root);
            if self.relations[place].is_none() {
                let value = self.convert(simple)?;
                self.relations[place] = Some(Relation::Power { degree, value });
            }
            Fraction::poly(Poly::variable(place))
        } else {
            self.convert(root)?
        };
        let n = q.numerator().to_i64()?;
        let n32 = u32::try_from(n.unsigned_abs()).ok()?;
        if n < 0 {
            let inner = self.invert(&fraction)?;
            self.whole_power(&inner, n32)
        } else {
            self.whole_power(&fraction, n32)
        }
    }

    fn whole_power(&mut self, f: &Fraction, n: u32) -> Option<Fraction> {
        Some(Fraction {
            top: f.top.pow(n, &self.effort)?,
            bottom: f.bottom.iter().map(|(p, k)| (p.clone(), k * n)).collect(),
        })
    }

    fn add(&mut self, a: &Fraction, b: &Fraction) -> Option<Fraction> {
        if a.top.is_zero() {
            return Some(b.clone());
        }
        if b.top.is_zero() {
            return Some(a.clone());
        }
        let mut bottom = a.bottom.clone();
        for (p, k) in &b.bottom {
            match bottom.iter_mut().find(|(q, _)| q == p) {
                Some((_, count)) => *count = (*count).max(*k),
                None => bottom.push((p.clone(), *k)),
            }
        }
        let lift = |f: &Fraction| -> Option<Poly> {
            let mut top = f.top.clone();
            for (p, k) in &bottom {
                let have = f.bottom.iter().find(|(q, _)| q == p).map_or(0, |(_, k)| *k);
                if *k > have {
                    top = top.mul(&p.pow(k - have, &self.effort)?, &self.effort)?;
                }
            }
            Some(top)
        };
        let top = lift(a)?.add(&lift(b)?);
        Some(Fraction { top, bottom })
    }

    fn mul(&mut self, a: &Fraction, b: &Fraction) -> Option<Fraction> {
        let mut bottom = a.bottom.clone();
        for (p, k) in &b.bottom {
            match bottom.iter_mut().find(|(q, _)| q == p) {
                Some((_, count)) => *count += k,
                None => bottom.push((p.clone(), *k)),
            }
        }
        let top = a.top.mul(&b.top, &self.effort)?;
        Some(Fraction { top, bottom })
    }

    fn invert(&mut self, f: &Fraction) -> Option<Fraction> {
        let f = self.reduce(f)?;
        let Factored { unit, factors, .. } = factor_to(&f.top, Depth::Contents, &self.effort)?;
        let mut top = Poly::constant(unit.recip()?);
        for (p, k) in &f.bottom {
            top = top.mul(&p.pow(*k, &self.effort)?, &self.effort)?;
        }
        Some(Fraction {
            top,
            bottom: factors,
        })
    }

    /// Applies the relations to the numerator and cancels.
    pub(super) fn reduce(&mut self, f: &Fraction) -> Option<Fraction> {
        let mut result = Fraction::poly(Poly::one());
        for (p, k) in &f.bottom {
            let part = self.reduce_below(p, *k)?;
            result = self.mul(&result, &part)?;
        }
        let top = self.reduce_poly(&f.top)?;
        result = self.mul(&result, &top)?;
        self.cancel(result)
    }

    /// `p^-k`; where p is a root, its whole powers are written out: `sqrt(u)^-4` is `u^-2`.
    fn reduce_below(&mut self, p: &Poly, k: u32) -> Option<Fraction> {
        let whole = Fraction {
            top: Poly::one(),
            bottom: vec![(p.clone(), k)],
        };
        let place = match p.variables().as_slice() {
            [v] if *p == Poly::variable(*v) => *v,
            _ => return Some(whole),
        };
        let Some(Relation::Power { degree, value }) = self.relations[place].clone() else {
            return Some(whole);
        };
        let (times, rest) = (k / u32::from(degree), k % u32::from(degree));
        if times == 0 {
            return Some(whole);
        }
        // the radicand stays in one piece, so that sqrt(u)/u is seen to be 1/sqrt(u)
        let (content, radicand) = value.top.primitive();
        let mut inverse = Fraction {
            top: Poly::constant(content.recip()?),
            bottom: vec![(radicand, 1)],
        };
        for (d, e) in &value.bottom {
            inverse.top = inverse.top.mul(&d.pow(*e, &self.effort)?, &self.effort)?;
        }
        let power = self.whole_power(&inverse, times)?;
        if rest == 0 {
            return Some(power);
        }
        let left = Fraction {
            top: Poly::one(),
            bottom: vec![(p.clone(), rest)],
        };
        self.mul(&power, &left)
    }

    fn reduce_poly(&mut self, p: &Poly) -> Option<Fraction> {
        for v in p.variables().into_iter().rev() {
            let Some(relation) = self.relations[v].clone() else {
                continue;
            };
            let (degree, value) = match relation {
                Relation::Power { degree, value } => (degree, value),
                Relation::Square {
                    constant,
                    sign,
                    other,
                } => {
                    let square = Poly::variable(other).pow(2, &self.effort)?;
                    let value = Poly::constant(Number::from(constant))
                        .add(&square.scale(&Number::from(sign)));
                    (2, Fraction::poly(value))
                }
            };
            if p.degree(v) < degree {
                continue;
            }
            let mut total = Fraction::poly(Poly::zero());
            for (k, part) in p.coefficients(v).into_iter().enumerate() {
                if part.is_zero() {
                    continue;
                }
                let k = u32::try_from(k).ok()?;
                let (whole, rest) = (k / u32::from(degree), k % u32::from(degree));
                let left = part.mul(&Poly::variable(v).pow(rest, &self.effort)?, &self.effort)?;
                let raised = self.whole_power(&value, whole)?;
                let part = self.mul(&Fraction::poly(left), &raised)?;
                total = self.add(&total, &part)?;
            }
            // what came in may itself need reducing
            let again = self.reduce_poly(&total.top)?;
            let bottom = Fraction {
                top: Poly::one(),
                bottom: total.bottom,
            };
            return self.mul(&again, &bottom);
        }
        Some(Fraction::poly(p.clone()))
    }

    /// The other reduced form of a polynomial: `cos(u)^2` replaced by `1 - sin(u)^2` for one pair.
    fn flipped(&self, p: &Poly, sin: usize, cos: usize, constant: i64, sign: i64) -> Option<Poly> {
        // sin^2 = c + s cos^2  =>  cos^2 = (sin^2 - c)/s
        let square = Poly::variable(sin)
            .pow(2, &self.effort)?
            .sub(&Poly::constant(Number::from(constant)))
            .scale(&Number::from(sign));
        self.with_square(p, cos, &square)
    }

    fn circular_pairs(&self) -> Vec<(usize, usize, i64, i64)> {
        self.relations
            .iter()
            .enumerate()
            .filter_map(|(sin, r)| match r {
                Some(Relation::Square {
                    constant,
                    sign,
                    other,
                }) => Some((sin, *other, *constant, *sign)),
                _ => None,
            })
            .collect()
    }

    fn cancel(&mut self, f: Fraction) -> Option<Fraction> {
        let Fraction { mut top, bottom } = f;
        let mut kept: Vec<(Poly, u32)> = Vec::new();
        if top.is_zero() {
            return Some(Fraction::poly(top));
        }
        for (p, mut k) in bottom {
            while k > 0 {
                if let Some(q) = top.div_exact(&p, &self.effort) {
                    top = q;
                    k -= 1;
                    continue;
                }
                // modulo the relations a quotient may show only in another form
                let divided = self
                    .forms(&top)
                    .iter()
                    .find_map(|form| form.div_exact(&p, &self.effort));
                let Some(q) = divided else { break };
                let q = self.reduce_poly(&q)?;
                if !q.bottom.is_empty() {
                    break;
                }
                top = q.top;
                k -= 1;
            }
            if k == 0 {
                continue;
            }
            // a factor that is not irreducible may share a part
            let shared = top
                .gcd(&p, &Effort::new(GCD_EFFORT))
                .filter(|g| g.as_constant().is_none());
            if let Some(g) = shared
                && let (Some(t), Some(rest)) = (
                    top.div_exact(&g, &self.effort),
                    p.div_exact(&g, &self.effort),
                )
            {
                top = t;
                kept.push((rest.primitive().1, 1));
                if k > 1 {
                    kept.push((p, k - 1));
                }
                continue;
            }
            kept.push((p, k));
        }
        for (place, content, radicand) in self.square_roots() {
            // sqrt(u)/u is 1/sqrt(u)
            let root = Poly::variable(place);
            while let Some(at) = kept.iter().position(|(p, _)| *p == radicand)
                && let Some(rest) = top.div_exact(&root, &self.effort)
            {
                top = rest.scale(&content);
                kept[at].1 -= 1;
                if kept[at].1 == 0 {
                    kept.remove(at);
                }
                match kept.iter_mut().find(|(p, _)| *p == root) {
                    Some((_, k)) => *k += 1,
                    None => kept.push((root.clone(), 1)),
                }
            }
        }
        Some(Fraction { top, bottom: kept })
    }

    /// The square roots of polynomials among the generators: place, content and primitive part of u.
    fn square_roots(&self) -> Vec<(usize, Number, Poly)> {
        self.relations
            .iter()
            .enumerate()
            .filter_map(|(place, r)| match r {
                Some(Relation::Power { degree: 2, value })
                    if value.bottom.is_empty()
                        && !matches!(&*self.pool.node(self.generators[place]), Node::Apply(..)) =>
                {
                    let (content, radicand) = value.top.primitive();
                    Some((place, content, radicand))
                }
                _ => None,
            })
            .collect()
    }

    /// Other forms of a polynomial under the relations: `cos(u)^2` by `1 - sin(u)^2`, and for a
    /// root r of `v^2 + w` the square `v^2` by `r^2 - w`.
    fn forms(&self, p: &Poly) -> Vec<Poly> {
        let mut list: Vec<Poly> = self
            .circular_pairs()
            .into_iter()
            .filter_map(|(sin, cos, c, s)| self.flipped(p, sin, cos, c, s))
            .collect();
        for (place, content, radicand) in self.square_roots() {
            if p.degree(place) == 0 {
                continue;
            }
            for v in radicand.variables() {
                let parts = radicand.coefficients(v);
                let [rest, middle, lead] = parts.as_slice() else {
                    continue;
                };
                let (Some(lead), true) = (lead.as_constant(), middle.is_zero()) else {
                    continue;
                };
                // content (lead v^2 + rest) = r^2
                let (Some(k), Some(l)) = (content.recip(), lead.recip()) else {
                    continue;
                };
                let Some(square) = Poly::variable(place).pow(2, &self.effort) else {
                    continue;
                };
                let by = square.scale(&k).sub(rest).scale(&l);
                if let Some(form) = self.with_square(p, v, &by) {
                    list.push(form);
                }
            }
        }
        list
    }

    /// `p` with `v^2` replaced.
    fn with_square(&self, p: &Poly, v: usize, by: &Poly) -> Option<Poly> {
        let mut total = Poly::zero();
        for (k, part) in p.coefficients(v).into_iter().enumerate() {
            let k = u32::try_from(k).ok()?;
            let left = part.mul(&Poly::variable(v).pow(k % 2, &self.effort)?, &self.effort)?;
            total = total.add(&left.mul(&by.pow(k / 2, &self.effort)?, &self.effort)?);
        }
        Some(total)
    }

    /// A polynomial as an expression.
    pub fn expression(&self, p: &Poly) -> Expr {
        let terms: Vec<Expr> = p.terms().iter().map(|(m, k)| self.term(m, k)).collect();
        self.pool.sum(terms)
    }

    fn term(&self, m: &Monomial, k: &Number) -> Expr {
        let mut parts = vec![self.pool.number(k.clone())];
        for (v, &e) in m.iter().enumerate().filter(|(_, e)| **e > 0) {
            if let Some(&g) = self.generators.get(v) {
                parts.push(self.pool.powi(g, i64::from(e)));
            }
        }
        self.pool.product(parts)
    }

    /// The shortest form of a polynomial under the relations, one step at a time.
    pub(super) fn shorter(&self, p: &Poly) -> Poly {
        let mut best = p.clone();
        for _ in 0..4 {
            let shorter = self
                .forms(&best)
                .into_iter()
                .filter(|form| form.terms().len() < best.terms().len())
                .min_by_key(|form| form.terms().len());
            match shorter {
                Some(form) => best = form,
                None => break,
            }
        }
        best
    }

    /// The fraction written with its terms over their own denominators, and as one quotient in
    /// factors; the first unless the second is much shorter.
    pub(super) fn written(&self, f: &Fraction) -> Expr {
        let apart = self.apart(f);
        if f.top.terms().len() < 2 {
            return apart;
        }
        let Some(factored) = factor(&self.shorter(&f.top), &Effort::new(GCD_EFFORT)) else {
            return apart;
        };
        let mut parts = vec![self.pool.number(factored.unit)];
        for (p, k) in &factored.factors {
            parts.push(self.pool.powi(self.expression(p), i64::from(*k)));
        }
        for (p, k) in &f.bottom {
            parts.push(self.pool.powi(self.expression(p), -i64::from(*k)));
        }
        let whole = self.pool.product(parts);
        let (a, b) = (self.pool.size(apart), self.pool.size(whole));
        #[allow(clippy::cast_precision_loss)]
        if (b as f64) < WORTH_FACTORING * a as f64 {
            whole
        } else {
            apart
        }
    }

    /// Each term over what its monomial leaves of the denominator; terms over the same are together.
    fn apart(&self, f: &Fraction) -> Expr {
        let top = self.shorter(&f.top);
        let mut singles: Vec<(usize, u16)> = Vec::new();
        let mut others: Vec<(Expr, i64)> = Vec::new();
        for (p, k) in &f.bottom {
            match p.terms() {
                [(m, _)] => {
                    for (v, &e) in m.iter().enumerate().filter(|(_, e)| **e > 0) {
                        let times = u16::try_from(*k).unwrap_or(1).saturating_mul(e);
                        singles.push((v, times));
                    }
                }
                _ => others.push((self.expression(p), i64::from(*k))),
            }
        }
        let mut groups: Vec<Group> = Vec::new();
        for (m, k) in top.terms() {
            let mut m = m.clone();
            let mut left = Vec::new();
            for &(v, e) in &singles {
                let have = m.get(v).copied().unwrap_or(0);
                let common = have.min(e);
                if let Some(place) = m.get_mut(v) {
                    *place -= common;
                }
                if e > common {
                    left.push((v, e - common));
                }
            }
            let term = self.term(&m, k);
            match groups.iter_mut().find(|(l, _)| *l == left) {
                Some((_, list)) => list.push(term),
                None => groups.push((left, vec![term])),
            }
        }
        let parts: Vec<Expr> = groups
            .into_iter()
            .map(|(left, list)| {
                let mut factors = vec![self.pool.sum(list)];
                for (v, e) in left {
                    factors.push(self.pool.powi(self.generators[v], -i64::from(e)));
                }
                for (p, k) in &others {
                    factors.push(self.pool.powi(*p, -k));
                }
                self.pool.product(factors)
            })
            .collect();
        self.pool.sum(parts)
    }
}

/// What is left of the monomial denominator (generators with exponents), and the terms over it.
type Group = (Vec<(usize, u16)>, Vec<Expr>);
