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
//!
//! `tan(u)` is `sin(u)/cos(u)` where it has a value, `tanh(u)` is `sinh(u)/cosh(u)`. Functions of sums and
//! multiples of angles become polynomials in those of base angles (see [`super::angles`]).
//!
//! Cancelling a common factor of numerator and denominator is valid where that factor is not zero;
//! it can only enlarge the domain. The denominator is kept in factors, so fractions stay small.
//! Work is bounded; an expression that would need more is given back as it was.
//!
//! *Where equal expressions have one form.* Rational functions; those with functions of arguments of which none
//! is a sum of multiples of others; those with one square root of a polynomial in numerators. They do not
//!
//! * where one is written with u and another with 2 u only: `cos(2*u) + 1/2` and `2*cos(u)^2 - 1/2`;
//! * where a denominator has a root in it, `1/(x + sqrt(u))`, or its conjugate was multiplied in (where both
//!   stand below they become one);
//! * where roots depend on each other: `sqrt(a*b)` and `sqrt(a)*sqrt(b)`;
//! * where the form is much longer than what was written, as `(x + y + z)^9 + 1`, which then stays.
//!
//! That the difference is 0 is still seen in all of these but the third.

use super::angles::{Angle, bases};
use super::factor::{Depth, factor_to};
use super::fraction::Fraction;
use super::function::Function;
use super::memo::remembered;
use super::number::Number;
use super::poly::{Monomial, Poly};
use super::pool::{Expr, Node, Pool};
use super::radical::{primes, radical};
use super::rules::{Head, Stage};
use super::write::TRIES;
use crate::effort::Effort;
use rustc_hash::FxHashMap;
use std::cell::Cell;

/// Term products one simplification may take.
const EFFORT: u64 = 400_000;
/// Terms that a simplification may make or move though the allowance is spent.
const FOR_SMALL: u64 = 20_000;
/// How a generator's powers reduce.
#[derive(Clone, Debug)]
pub(super) enum Relation {
    /// generator^q = value
    Power { degree: u16, value: Fraction },
    /// generator^2 = constant * (1 - other^2)
    Square { constant: i64, other: usize },
}

/// The generators of an expression, and its conversion to polynomials in them.
pub struct Ring<'a> {
    pub(super) pool: &'a Pool,
    pub(super) generators: Vec<Expr>,
    pub(super) places: FxHashMap<Expr, usize>,
    pub(super) relations: Vec<Option<Relation>>,
    memo: FxHashMap<Expr, Fraction>,
    angles: [FxHashMap<Expr, Angle>; 3],
    /// roots stay as they are
    opaque: bool,
    /// something was taken apart that an opaque ring keeps together
    pub(super) expanded: bool,
    pub(super) effort: Effort,
    /// groups of terms that may still be tried in writing
    pub(super) tries: Cell<u32>,
}

/// Functions whose arguments are taken apart together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Family {
    Circular,
    Hyperbolic,
    Exponential,
}

impl Family {
    fn of(f: Function) -> Option<Self> {
        match f {
            Function::Sin | Function::Cos | Function::Tan => Some(Self::Circular),
            Function::Sinh | Function::Cosh | Function::Tanh => Some(Self::Hyperbolic),
            Function::Exp => Some(Self::Exponential),
            _ => None,
        }
    }
}

impl<'a> Ring<'a> {
    /// A ring for these expressions.
    pub fn new(pool: &'a Pool, roots: &[Expr]) -> Self {
        let mut arguments: [Vec<Expr>; 3] = Default::default();
        pool.visit(roots, &mut |_, node| {
            if let Node::Apply(f, args) = node
                && let Some(family) = Family::of(*f)
            {
                arguments[family as usize].push(args[0]);
            }
        });
        let angles = arguments.map(|list| {
            let list: Vec<Expr> = list.into_iter().map(|u| pool.simplify(u)).collect();
            bases(pool, &list)
        });
        let expanded = angles.iter().flat_map(FxHashMap::values).any(|angle| {
            !matches!(angle.multiples.as_slice(), [(_, 1)] | []) || !angle.turns.is_zero()
        });
        Self {
            angles,
            opaque: false,
            expanded,
            ..Self::opaque(pool)
        }
    }

    /// A ring in which every argument of a function stands for itself, and so do roots of quotients.
    pub fn opaque(pool: &'a Pool) -> Self {
        Self {
            pool,
            generators: Vec::new(),
            places: FxHashMap::default(),
            relations: Vec::new(),
            memo: FxHashMap::default(),
            angles: Default::default(),
            opaque: true,
            expanded: false,
            effort: Effort::at_least(EFFORT, FOR_SMALL),
            tries: Cell::new(TRIES),
        }
    }

    /// A ring with the generators of this one, for what may need more.
    pub(super) fn with_the_same_generators(&self) -> Self {
        Self {
            generators: self.generators.clone(),
            places: self.places.clone(),
            relations: self.relations.clone(),
            ..Self::opaque(self.pool)
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

    fn simplified(&self, head: Head, parts: &[Expr]) -> Option<Expr> {
        self.pool.by_rule(head, parts, Stage::Simplifying)
    }

    /// What stands for itself.
    fn atom(&mut self, e: Expr) -> Fraction {
        Fraction::poly(Poly::variable(self.generator(e)))
    }

    /// What stands for itself, and whose power of this degree is something else.
    fn root_atom(
        &mut self,
        e: Expr,
        degree: u16,
        value: impl FnOnce(&mut Self) -> Option<Fraction>,
    ) -> Option<Fraction> {
        let place = self.generator(e);
        if self.relations[place].is_none() {
            let value = value(self)?;
            self.relations[place] = Some(Relation::Power { degree, value });
        }
        Some(Fraction::poly(Poly::variable(place)))
    }

    /// The expression in lowest terms.
    pub(super) fn fraction(&mut self, e: Expr) -> Option<Fraction> {
        let fraction = self.convert(e)?;
        self.reduce(&fraction)
    }

    pub(super) fn convert(&mut self, e: Expr) -> Option<Fraction> {
        if let Some(known) = self.memo.get(&e) {
            return Some(known.clone());
        }
        let node = self.pool.owned(e);
        let result = match node {
            Node::Number(n) => Fraction::constant(n),
            Node::Symbol(_) => self.atom(e),
            Node::Sum(constant, terms) => {
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
            Node::Product(coefficient, factors) => {
                let mut product = Fraction::constant(coefficient);
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
        let value = self.pool.function(f, args.into());
        let node = self.pool.owned(value);
        let Node::Apply(f, args) = node else {
            return self.convert(value);
        };
        if let Some(simpler) = self.simplified(Head::Function(f), &args) {
            return self.convert(simpler);
        }
        if let Some(family) = Family::of(f)
            && (family != Family::Exponential || self.angles[2].contains_key(&args[0]))
        {
            return self.of_angle(family, f, args[0]);
        }
        if f == Function::Abs {
            return self.root_atom(value, 2, |ring| {
                let inner = ring.convert(args[0])?;
                ring.mul(&inner, &inner)
            });
        }
        Some(self.atom(value))
    }

    /// A circular, hyperbolic or exponential function of an angle, in those of the base angles.
    fn of_angle(&mut self, family: Family, f: Function, u: Expr) -> Option<Fraction> {
        let angle = self.angles[family as usize]
            .get(&u)
            .filter(|angle| family == Family::Circular || angle.turns.is_zero())
            .cloned()
            .unwrap_or_else(|| Angle {
                multiples: vec![(u, 1)],
                turns: Number::ZERO,
            });
        if family == Family::Exponential {
            let mut product = Fraction::constant(Number::ONE);
            for (base, n) in angle.multiples {
                let value = self.wave(Function::Exp, base)?;
                let power = self.signed_power(&value, n)?;
                product = self.mul(&product, &power)?;
            }
            return Some(product);
        }
        let (odd, even) = match family {
            Family::Circular => (Function::Sin, Function::Cos),
            _ => (Function::Sinh, Function::Cosh),
        };
        let (mut re, mut im) = if angle.turns.is_zero() {
            (
                Fraction::constant(Number::ONE),
                Fraction::constant(Number::ZERO),
            )
        } else {
            let turns = self.pool.scale(self.pool.pi(), &angle.turns);
            (self.wave(even, turns)?, self.wave(odd, turns)?)
        };
        for (base, n) in angle.multiples {
            let (c, mut s) = (self.wave(even, base)?, self.wave(odd, base)?);
            if n < 0 {
                s.top = s.top.scale(&Number::MINUS_ONE);
            }
            for _ in 0..n.unsigned_abs() {
                let mut square = self.mul(&im, &s)?;
                if family == Family::Circular {
                    square.top = square.top.scale(&Number::MINUS_ONE);
                }
                let (a, b) = (self.mul(&re, &c)?, self.mul(&im, &c)?);
                let other = self.mul(&re, &s)?;
                re = self.add(&a, &square)?;
                im = self.add(&b, &other)?;
                if n.abs() > 1 {
                    re = self.reduce(&re)?;
                    im = self.reduce(&im)?;
                }
            }
        }
        if f == odd {
            Some(im)
        } else if f == even {
            Some(re)
        } else {
            let below = self.invert(&re)?;
            self.mul(&im, &below)
        }
    }

    /// The sine or cosine (or hyperbolic), or the exponential, of a base angle.
    fn wave(&mut self, f: Function, u: Expr) -> Option<Fraction> {
        let value = self.pool.apply(f, u);
        if !matches!(&*self.pool.node(value), Node::Apply(g, args) if *g == f && args[0] == u) {
            return self.convert(value);
        }
        if let Some(simpler) = self.simplified(Head::Function(f), &[u]) {
            return self.convert(simpler);
        }
        let value = self.atom(value);
        if f != Function::Exp {
            self.relate(f, u);
        }
        Some(value)
    }

    /// Forgets what was converted: the generators have other places now.
    pub(super) fn forget(&mut self) {
        self.memo.clear();
    }

    fn signed_power(&mut self, f: &Fraction, n: i64) -> Option<Fraction> {
        let times = u32::try_from(n.unsigned_abs()).ok()?;
        if n < 0 {
            let inverse = self.invert(f)?;
            self.whole_power(&inverse, times)
        } else {
            self.whole_power(f, times)
        }
    }

    /// Records `sin(u)^2 = 1 - cos(u)^2` for a sine or a cosine, for a hyperbolic one `sinh(u)^2 = cosh(u)^2 - 1`.
    pub(super) fn relate(&mut self, f: Function, u: Expr) {
        let (odd, even, constant) = match f {
            Function::Sin | Function::Cos => (Function::Sin, Function::Cos, 1),
            _ => (Function::Sinh, Function::Cosh, -1),
        };
        let place = self.generator(self.pool.apply(odd, u));
        if self.relations[place].is_none() {
            let other = self.generator(self.pool.apply(even, u));
            self.relations[place] = Some(Relation::Square { constant, other });
        }
    }

    fn power(&mut self, base: Expr, exponent: Expr) -> Option<Fraction> {
        let q = self.pool.as_number(exponent);
        if let Some(n) = q.as_ref().and_then(Number::to_i64) {
            let inner = self.convert(base)?;
            return self.signed_power(&inner, n);
        }
        let degree = q.as_ref().and_then(|q| q.denominator().to_i64());
        let degree = degree.and_then(|d| u16::try_from(d).ok());
        let (Some(q), Some(degree @ ..=12)) = (q, degree) else {
            let base = self.pool.simplify(base);
            let exponent = self.pool.simplify(exponent);
            return Some(self.atom(self.pool.pow(base, exponent)));
        };
        // simplified, a power may be a product: x^(3/2) is x*sqrt(x)
        if let Some(simpler) = self.simplified(Head::Power, &[base, exponent]) {
            return self.convert(simpler);
        }
        let simple = self.pool.simplify(base);
        if let Some(n) = self.pool.as_number(simple) {
            if n.is_zero() && q.is_positive() {
                return Some(Fraction::constant(n));
            }
            // 1/sqrt(0) and sqrt(-1) have no form
            if !n.is_positive() {
                return None;
            }
            if let Some((outside, roots)) = radical(&[(n, q.clone())]) {
                return self.roots(outside, &roots);
            }
        }
        if let Some(simpler) = self.simplified(Head::Power, &[simple, exponent]) {
            return self.convert(simpler);
        }
        let unit = self.pool.number(Number::ratio(1, i64::from(degree))?);
        if !self.opaque
            && degree % 2 == 0
            && let Some((outside, inside)) = self.root_parts(simple, degree)
        {
            self.expanded = true;
            let root = self.pool.pow(inside, unit);
            let root = self.convert(self.pool.mul(outside, root))?;
            return self.signed_power(&root, q.numerator().to_i64()?);
        }
        let root = self.pool.pow(simple, unit);
        let fraction = if self.pool.as_power(root) == Some((simple, unit)) {
            self.root_atom(root, degree, |ring| ring.convert(simple))?
        } else {
            self.convert(root)?
        };
        self.signed_power(&fraction, q.numerator().to_i64()?)
    }

    /// A number and roots of numbers: each prime has a root of its own, so that `sqrt(6)` is
    /// `sqrt(2)*sqrt(3)` here.
    fn roots(&mut self, outside: Number, roots: &[(Number, Number)]) -> Option<Fraction> {
        let mut product = Fraction::constant(outside);
        for (n, q) in roots {
            let degree = u16::try_from(q.denominator().to_i64()?).ok()?;
            let unit = self.pool.number(Number::ratio(1, i64::from(degree))?);
            for (p, _) in primes(n) {
                let root = self.pool.pow(self.pool.number(p.clone()), unit);
                let root = self.root_atom(root, degree, |_| Some(Fraction::constant(p)))?;
                let power = self.signed_power(&root, q.numerator().to_i64()?)?;
                product = self.mul(&product, &power)?;
            }
        }
        Some(product)
    }

    /// What comes out of a root of even degree, `(f^degree g)^(1/degree) = abs(f) g^(1/degree)`, and roots of
    /// factors that are never negative; and what stays; `None` where nothing does. So `sqrt(1 - x^2/a^2)` is seen to be `sqrt(a^2 - x^2)/abs(a)`.
    fn root_parts(&self, radicand: Expr, degree: u16) -> Option<(Expr, Expr)> {
        if !matches!(
            &*self.pool.node(radicand),
            Node::Sum(..) | Node::Product(..)
        ) {
            return None;
        }
        remembered(&self.pool.memory.root_parts, (radicand, degree), || {
            self.parts_of_root(radicand, degree)
        })
    }

    fn parts_of_root(&self, radicand: Expr, degree: u16) -> Option<(Expr, Expr)> {
        let mut ring = Ring::new(self.pool, &[radicand]);
        let mut f = ring.fraction(radicand)?;
        let degree = u32::from(degree);
        let found = factor_to(&f.top, Depth::Contents, &ring.effort)?;
        let mut outside = Vec::new();
        let mut roots = Vec::new();
        let mut inside = Poly::constant(found.unit);
        let several = found.factors.len() > 1 || !f.bottom.is_empty();
        for (p, k) in &found.factors {
            if k / degree > 0 {
                outside.push((p.clone(), i64::from(k / degree)));
            }
            // what is never negative has a root of its own: sqrt((x^2 + y^2)*u)
            let shown = ring.expression(p);
            if several && k % degree > 0 && self.pool.is_non_negative(shown) {
                let power = Number::ratio(i64::from(k % degree), i64::from(degree))?;
                roots.push(self.pool.pow(shown, self.pool.number(power)));
                continue;
            }
            inside = inside.mul(&p.pow(k % degree, &ring.effort)?, &ring.effort)?;
        }
        for (p, k) in &mut f.bottom {
            if *k >= degree {
                outside.push((p.clone(), -i64::from(*k / degree)));
            }
            *k %= degree;
        }
        f.bottom.retain(|(_, k)| *k > 0);
        if outside.is_empty() && roots.is_empty() {
            return None;
        }
        let mut outside: Vec<Expr> = outside
            .iter()
            .map(|(p, k)| {
                let size = self.pool.apply(Function::Abs, ring.expression(p));
                self.pool.powi(size, *k)
            })
            .collect();
        let inside = ring.written(&Fraction {
            top: inside,
            bottom: f.bottom,
        })?;
        outside.extend(roots);
        Some((self.pool.product(outside), inside))
    }
}
