//! Hash-consed expressions.
//!
//! A [`Pool`] owns the expressions of one system. An [`Expr`] is a number into it; equal
//! expressions have equal numbers, so comparing, memoising and sharing cost nothing. The
//! constructors ([`Pool::add`], [`Pool::mul`], [`Pool::pow`], [`Pool::apply`]) keep this normal form:
//!
//! * a **sum** is a constant and distinct terms with non-zero rational coefficients; a term is no
//!   sum, no number and has coefficient 1;
//! * a **product** is a rational coefficient and distinct bases with non-zero exponents; a base
//!   that is a sum, under a whole exponent, has coprime integer coefficients and a positive first one;
//! * a rational coefficient times a single sum is distributed, nothing else is expanded;
//! * `sqrt(u)` is `u^(1/2)`. Powers follow the rules of the reals: `sqrt(x^2)` is `abs(x)`.
//!
//! What needs more than this (cancelling fractions, `sin^2 + cos^2`) is the work of
//! [`simplify`](super::simplify).

use super::number::Number;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::sync::Arc;

/// An expression of a [`Pool`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Expr(u32);

impl Expr {
    /// The place of the expression in its pool.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The functions of the grammar, `sqrt` aside (it is a power).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Function {
    /// Sine.
    Sin,
    /// Cosine.
    Cos,
    /// Tangent.
    Tan,
    /// Inverse sine, on [-1, 1].
    Asin,
    /// Inverse cosine, on [-1, 1].
    Acos,
    /// Inverse tangent.
    Atan,
    /// `atan2(y, x)`, with a cut along y = 0, x <= 0.
    Atan2,
    /// Hyperbolic sine.
    Sinh,
    /// Hyperbolic cosine.
    Cosh,
    /// Hyperbolic tangent.
    Tanh,
    /// Exponential.
    Exp,
    /// Natural logarithm, on (0, inf).
    Log,
    /// Absolute value.
    Abs,
    /// Sign: -1, 0 or 1.
    Sign,
}

impl Function {
    /// Every function with its name in the grammar.
    pub const ALL: [(Self, &'static str); 14] = [
        (Self::Sin, "sin"),
        (Self::Cos, "cos"),
        (Self::Tan, "tan"),
        (Self::Asin, "asin"),
        (Self::Acos, "acos"),
        (Self::Atan, "atan"),
        (Self::Atan2, "atan2"),
        (Self::Sinh, "sinh"),
        (Self::Cosh, "cosh"),
        (Self::Tanh, "tanh"),
        (Self::Exp, "exp"),
        (Self::Log, "log"),
        (Self::Abs, "abs"),
        (Self::Sign, "sign"),
    ];

    /// Its name in the grammar.
    pub fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(f, _)| *f == self)
            .map_or("", |(_, name)| name)
    }

    /// The function of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, n)| *n == name).map(|(f, _)| *f)
    }

    /// How many arguments it takes.
    pub fn arity(self) -> usize {
        if self == Self::Atan2 { 2 } else { 1 }
    }

    /// Is f(-u) = f(u) (`Some(true)`), f(-u) = -f(u) (`Some(false)`), or neither?
    fn parity(self) -> Option<bool> {
        match self {
            Self::Cos | Self::Cosh | Self::Abs => Some(true),
            Self::Sin
            | Self::Tan
            | Self::Asin
            | Self::Atan
            | Self::Sinh
            | Self::Tanh
            | Self::Sign => Some(false),
            Self::Acos | Self::Atan2 | Self::Exp | Self::Log => None,
        }
    }

    /// Its value; NaN outside its domain.
    pub fn value(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Sin => a.sin(),
            Self::Cos => a.cos(),
            Self::Tan => a.tan(),
            Self::Asin => a.asin(),
            Self::Acos => a.acos(),
            Self::Atan => a.atan(),
            Self::Atan2 => a.atan2(b),
            Self::Sinh => a.sinh(),
            Self::Cosh => a.cosh(),
            Self::Tanh => a.tanh(),
            Self::Exp => a.exp(),
            Self::Log => a.ln(),
            Self::Abs => a.abs(),
            Self::Sign => {
                if a == 0.0 {
                    0.0
                } else {
                    a.signum()
                }
            }
        }
    }
}

/// What a symbol stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum SymbolKind {
    /// The coordinate of this index (`order` 0), its velocity (1), its acceleration (2).
    Coordinate {
        /// Place among the system's coordinates.
        index: usize,
        /// Number of time derivatives.
        order: u8,
    },
    /// The time t.
    Time,
    /// The number pi.
    Pi,
    /// The parameter of this index.
    Parameter(usize),
    /// `y_NAME`: the value of this constraint as an argument of the inverse functions.
    Level(usize),
    /// `lambda_NAME`: the multiplier of this constraint.
    Multiplier(usize),
    /// Anything else that has a value of its own, by the owner's number (outputs, placeholders).
    Other(usize),
}

/// A symbol: its name as printed, and what it stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// The name as printed, with its primes (`x1'`).
    pub name: String,
    /// What it stands for.
    pub kind: SymbolKind,
}

/// The factors of a product: bases with exponents.
pub type Factors = SmallVec<[(Expr, Expr); 4]>;

/// One node of the expression graph; see the module documentation for its normal form.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// A rational number.
    Number(Number),
    /// A symbol, by its place in the pool's table.
    Symbol(u32),
    /// `constant + sum coefficient * term`, sorted by term.
    Sum {
        /// The constant term.
        constant: Number,
        /// Terms with their coefficients.
        terms: Vec<(Expr, Number)>,
    },
    /// `coefficient * prod base^exponent`, sorted by base.
    Product {
        /// The numeric factor, not zero.
        coefficient: Number,
        /// Bases with their exponents.
        factors: Factors,
    },
    /// A function of its arguments.
    Apply(Function, SmallVec<[Expr; 2]>),
}

/// The expressions of one system.
#[derive(Debug)]
pub struct Pool {
    nodes: RefCell<Vec<Arc<Node>>>,
    depths: RefCell<Vec<u32>>,
    index: RefCell<FxHashMap<Arc<Node>, Expr>>,
    symbols: RefCell<Vec<Symbol>>,
    by_name: RefCell<FxHashMap<String, Expr>>,
    pub(super) derivatives: RefCell<FxHashMap<(Expr, Expr), Expr>>,
    pub(super) simplified: RefCell<FxHashMap<Expr, Expr>>,
}

impl Default for Pool {
    fn default() -> Self {
        Self::new()
    }
}

impl Pool {
    /// An empty pool.
    pub fn new() -> Self {
        let pool = Self {
            nodes: RefCell::default(),
            depths: RefCell::default(),
            index: RefCell::default(),
            symbols: RefCell::default(),
            by_name: RefCell::default(),
            derivatives: RefCell::default(),
            simplified: RefCell::default(),
        };
        // the first three places are fixed: see `zero`, `one`, `minus_one`
        pool.intern(Node::Number(Number::ZERO));
        pool.intern(Node::Number(Number::ONE));
        pool.intern(Node::Number(Number::MINUS_ONE));
        pool
    }

    /// The number 0.
    #[allow(clippy::unused_self)] // an expression belongs to a pool
    pub fn zero(&self) -> Expr {
        Expr(0)
    }

    /// The number 1.
    #[allow(clippy::unused_self)]
    pub fn one(&self) -> Expr {
        Expr(1)
    }

    fn intern(&self, node: Node) -> Expr {
        if let Some(&known) = self.index.borrow().get(&node) {
            return known;
        }
        let depth = {
            let depths = self.depths.borrow();
            let of = |e: Expr| depths[e.index()];
            1 + match &node {
                Node::Number(_) | Node::Symbol(_) => 0,
                Node::Sum { terms, .. } => terms.iter().map(|(e, _)| of(*e)).max().unwrap_or(0),
                Node::Product { factors, .. } => factors
                    .iter()
                    .map(|(b, e)| of(*b).max(of(*e)))
                    .max()
                    .unwrap_or(0),
                Node::Apply(_, args) => args.iter().map(|e| of(*e)).max().unwrap_or(0),
            }
        };
        let mut nodes = self.nodes.borrow_mut();
        #[allow(clippy::cast_possible_truncation)] // input is bounded far below 2^32 nodes
        let expr = Expr(nodes.len() as u32);
        let node = Arc::new(node);
        nodes.push(Arc::clone(&node));
        self.depths.borrow_mut().push(depth);
        self.index.borrow_mut().insert(node, expr);
        expr
    }

    /// The node of an expression. It is shared, not borrowed from the pool: making expressions while
    /// looking at one is fine.
    pub fn node(&self, e: Expr) -> Arc<Node> {
        Arc::clone(&self.nodes.borrow()[e.index()])
    }

    /// The node of an expression, to take apart.
    pub fn owned(&self, e: Expr) -> Node {
        self.nodes.borrow()[e.index()].as_ref().clone()
    }

    /// The number of levels of an expression: 1 for a symbol.
    pub fn depth(&self, e: Expr) -> usize {
        self.depths.borrow()[e.index()] as usize
    }

    /// How many expressions the pool holds.
    pub fn len(&self) -> usize {
        self.nodes.borrow().len()
    }

    /// A pool is never empty: it holds 0, 1 and -1.
    pub fn is_empty(&self) -> bool {
        false
    }

    // ------------------------------------------------------------------ atoms

    /// A rational number.
    pub fn number(&self, value: impl Into<Number>) -> Expr {
        self.intern(Node::Number(value.into()))
    }

    /// The number an expression is, where it is one.
    pub fn as_number(&self, e: Expr) -> Option<Number> {
        match &*self.node(e) {
            Node::Number(n) => Some(n.clone()),
            _ => None,
        }
    }

    /// Declares a symbol, or gives back the one of that name.
    pub fn symbol(&self, name: &str, kind: SymbolKind) -> Expr {
        if let Some(&known) = self.by_name.borrow().get(name) {
            return known;
        }
        let mut symbols = self.symbols.borrow_mut();
        #[allow(clippy::cast_possible_truncation)]
        let e = self.intern(Node::Symbol(symbols.len() as u32));
        symbols.push(Symbol {
            name: name.to_owned(),
            kind,
        });
        self.by_name.borrow_mut().insert(name.to_owned(), e);
        e
    }

    /// The symbol of a name, where it is declared.
    pub fn lookup(&self, name: &str) -> Option<Expr> {
        self.by_name.borrow().get(name).copied()
    }

    /// The symbol an expression is, where it is one.
    pub fn as_symbol(&self, e: Expr) -> Option<Symbol> {
        match &*self.node(e) {
            Node::Symbol(place) => Some(self.symbols.borrow()[*place as usize].clone()),
            _ => None,
        }
    }

    /// What a symbol stands for; `None` for anything but a symbol.
    pub fn symbol_kind(&self, e: Expr) -> Option<SymbolKind> {
        match &*self.node(e) {
            Node::Symbol(place) => Some(self.symbols.borrow()[*place as usize].kind),
            _ => None,
        }
    }

    /// The number pi.
    pub fn pi(&self) -> Expr {
        self.symbol("pi", SymbolKind::Pi)
    }

    // ------------------------------------------------------------------ sums

    /// The sum of two expressions.
    pub fn add(&self, a: Expr, b: Expr) -> Expr {
        self.sum([a, b])
    }

    /// The difference of two expressions.
    pub fn sub(&self, a: Expr, b: Expr) -> Expr {
        let b = self.neg(b);
        self.sum([a, b])
    }

    /// The negative.
    pub fn neg(&self, a: Expr) -> Expr {
        self.scale(a, &Number::MINUS_ONE)
    }

    /// The sum of any number of expressions.
    pub fn sum(&self, parts: impl IntoIterator<Item = Expr>) -> Expr {
        let mut constant = Number::ZERO;
        let mut terms: Vec<(Expr, Number)> = Vec::new();
        for part in parts {
            self.collect(part, &Number::ONE, &mut constant, &mut terms);
        }
        self.sum_of(constant, terms)
    }

    /// Adds `factor * e` to a constant and a list of terms.
    fn collect(
        &self,
        e: Expr,
        factor: &Number,
        constant: &mut Number,
        terms: &mut Vec<(Expr, Number)>,
    ) {
        let node = self.owned(e);
        match node {
            Node::Number(n) => *constant = constant.add(&n.mul(factor)),
            Node::Sum {
                constant: c,
                terms: inner,
            } => {
                *constant = constant.add(&c.mul(factor));
                terms.extend(inner.into_iter().map(|(t, k)| (t, k.mul(factor))));
            }
            Node::Product {
                coefficient,
                factors,
            } if !coefficient.is_one() => {
                let bare = self.product_of(Number::ONE, factors);
                terms.push((bare, coefficient.mul(factor)));
            }
            _ => terms.push((e, factor.clone())),
        }
    }

    /// A sum from a constant and terms that are in normal form each.
    fn sum_of(&self, constant: Number, mut terms: Vec<(Expr, Number)>) -> Expr {
        terms.sort_by_key(|(e, _)| *e);
        let mut merged: Vec<(Expr, Number)> = Vec::with_capacity(terms.len());
        for (e, k) in terms {
            match merged.last_mut() {
                Some((last, sum)) if *last == e => *sum = sum.add(&k),
                _ => merged.push((e, k)),
            }
        }
        merged.retain(|(_, k)| !k.is_zero());
        match merged.as_slice() {
            [] => self.number(constant),
            [(e, k)] if constant.is_zero() => self.scale(*e, k),
            _ => self.intern(Node::Sum {
                constant,
                terms: merged,
            }),
        }
    }

    /// `factor * e`, distributed over a sum.
    pub fn scale(&self, e: Expr, factor: &Number) -> Expr {
        if factor.is_one() {
            return e;
        }
        if factor.is_zero() {
            return self.zero();
        }
        let node = self.owned(e);
        match node {
            Node::Number(n) => self.number(n.mul(factor)),
            Node::Sum { constant, terms } => self.intern(Node::Sum {
                constant: constant.mul(factor),
                terms: terms.into_iter().map(|(t, k)| (t, k.mul(factor))).collect(),
            }),
            Node::Product {
                coefficient,
                factors,
            } => {
                let coefficient = coefficient.mul(factor);
                self.product_of(coefficient, factors)
            }
            _ => self.product_of(factor.clone(), smallvec::smallvec![(e, self.one())]),
        }
    }

    // -------------------------------------------------------------- products

    /// The product of two expressions.
    pub fn mul(&self, a: Expr, b: Expr) -> Expr {
        self.product([a, b])
    }

    /// The quotient of two expressions; division by the number 0 is kept as `0^-1` (it has no value).
    pub fn div(&self, a: Expr, b: Expr) -> Expr {
        let inverse = self.powi(b, -1);
        self.mul(a, inverse)
    }

    /// The product of any number of expressions.
    pub fn product(&self, parts: impl IntoIterator<Item = Expr>) -> Expr {
        let mut coefficient = Number::ONE;
        let mut factors = Factors::new();
        for part in parts {
            self.gather(part, &mut coefficient, &mut factors);
        }
        self.finish_product(coefficient, factors)
    }

    fn gather(&self, e: Expr, coefficient: &mut Number, factors: &mut Factors) {
        let node = self.owned(e);
        match node {
            Node::Number(n) => *coefficient = coefficient.mul(&n),
            Node::Product {
                coefficient: c,
                factors: inner,
            } => {
                *coefficient = coefficient.mul(&c);
                factors.extend(inner);
            }
            _ => factors.push((e, self.one())),
        }
    }

    /// Merges equal bases, then brings the result into normal form.
    fn finish_product(&self, mut coefficient: Number, mut factors: Factors) -> Expr {
        if coefficient.is_zero() {
            // 0 * (1/0) has no value and must not become 0
            if factors.iter().any(|(b, _)| *b == self.zero()) {
                return self.intern(Node::Product {
                    coefficient: Number::ONE,
                    factors: smallvec::smallvec![(self.zero(), self.number(Number::MINUS_ONE))],
                });
            }
            return self.zero();
        }
        for _ in 0..8 {
            // a sum as a base: coprime integer coefficients, the first positive
            for factor in &mut factors {
                if let Some(exponent) = self.as_number(factor.1).and_then(|n| n.to_i64())
                    && let Some((content, bare)) = self.primitive(factor.0)
                    && let Some(power) = content.pow(exponent)
                {
                    coefficient = coefficient.mul(&power);
                    factor.0 = bare;
                }
            }
            factors.sort_by_key(|(b, _)| *b);
            let mut merged = Factors::new();
            let mut again = false;
            for (base, exponent) in factors {
                match merged.last_mut() {
                    Some((last, sum)) if *last == base => {
                        *sum = self.add(*sum, exponent);
                        again = true;
                    }
                    _ => merged.push((base, exponent)),
                }
            }
            merged.retain(|(_, e)| *e != self.zero());
            factors = merged;
            again |= self.absorb_signs(&mut factors);
            if !again {
                break;
            }
            // merging may have made a power that has a simpler form (abs(x)^2, sqrt(2)^2)
            let mut next = Factors::new();
            for (base, exponent) in factors {
                let power = self.pow(base, exponent);
                self.gather(power, &mut coefficient, &mut next);
            }
            factors = next;
        }
        if let [(base, exponent)] = factors.as_slice()
            && *exponent == self.one()
            && !coefficient.is_one()
            && matches!(&*self.node(*base), Node::Sum { .. })
        {
            return self.scale(*base, &coefficient);
        }
        self.product_of(coefficient, factors)
    }

    /// `u * sign(u)` is `abs(u)`, and `1/(u * sign(u))` is `1/abs(u)`.
    fn absorb_signs(&self, factors: &mut Factors) -> bool {
        let minus_one = self.number(Number::MINUS_ONE);
        let sign = factors.iter().position(|(b, e)| {
            (*e == self.one() || *e == minus_one)
                && matches!(&*self.node(*b), Node::Apply(Function::Sign, _))
        });
        let Some(sign) = sign else { return false };
        let argument = match &*self.node(factors[sign].0) {
            Node::Apply(_, args) => args[0],
            _ => return false,
        };
        let side = factors[sign].1;
        let Some(place) = factors.iter().position(|(b, e)| {
            *b == argument
                && self.as_number(*e).is_some_and(|n| {
                    n.is_integer() && !n.is_zero() && n.is_negative() == (side == minus_one)
                })
        }) else {
            return false;
        };
        factors[sign].0 = self.apply(Function::Abs, argument);
        factors[place].1 = self.sub(factors[place].1, side);
        factors.retain(|(_, e)| *e != self.zero());
        true
    }

    /// Content and primitive part of a sum: `e = content * bare`; `None` where it is no sum or is primitive.
    fn primitive(&self, e: Expr) -> Option<(Number, Expr)> {
        let (constant, terms) = match &*self.node(e) {
            Node::Sum { constant, terms } => (constant.clone(), terms.clone()),
            _ => return None,
        };
        let mut content = terms.iter().fold(constant.abs(), |g, (_, k)| g.content(k));
        if terms.first().is_some_and(|(_, k)| k.is_negative()) {
            content = content.neg();
        }
        if content.is_one() {
            return None;
        }
        let inverse = content.recip()?;
        Some((content, self.scale(e, &inverse)))
    }

    /// A product node from a coefficient and factors in normal form.
    fn product_of(&self, coefficient: Number, factors: Factors) -> Expr {
        if factors.is_empty() || coefficient.is_zero() {
            return self.number(coefficient);
        }
        if coefficient.is_one()
            && let [(base, exponent)] = factors.as_slice()
            && *exponent == self.one()
        {
            return *base;
        }
        self.intern(Node::Product {
            coefficient,
            factors,
        })
    }

    // ---------------------------------------------------------------- powers

    /// A whole power.
    pub fn powi(&self, base: Expr, exponent: i64) -> Expr {
        let exponent = self.number(exponent);
        self.pow(base, exponent)
    }

    /// The square root, `base^(1/2)`.
    pub fn sqrt(&self, base: Expr) -> Expr {
        let half = self.number(Number::HALF);
        self.pow(base, half)
    }

    /// A power, with the rules of the reals: `(x^2)^(1/2)` is `abs(x)`.
    pub fn pow(&self, base: Expr, exponent: Expr) -> Expr {
        if exponent == self.one() {
            return base;
        }
        if exponent == self.zero() || base == self.one() {
            return self.one();
        }
        if let Some(q) = self.as_number(exponent) {
            return self.pow_number(base, &q, exponent);
        }
        self.intern(Node::Product {
            coefficient: Number::ONE,
            factors: smallvec::smallvec![(base, exponent)],
        })
    }

    fn pow_number(&self, base: Expr, q: &Number, exponent: Expr) -> Expr {
        let plain = |base| {
            self.intern(Node::Product {
                coefficient: Number::ONE,
                factors: smallvec::smallvec![(base, exponent)],
            })
        };
        let node = self.owned(base);
        match node {
            Node::Number(n) => self.number_power(&n, q).unwrap_or_else(|| plain(base)),
            Node::Product {
                coefficient,
                factors,
            } if q.is_integer() => {
                let Some(power) = q.to_i64().and_then(|k| coefficient.pow(k)) else {
                    return plain(base);
                };
                let mut coefficient = power;
                let mut raised = Factors::new();
                for (b, e) in factors {
                    let e = self.scale(e, q);
                    let part = self.pow(b, e);
                    self.gather(part, &mut coefficient, &mut raised);
                }
                self.finish_product(coefficient, raised)
            }
            Node::Product {
                coefficient,
                factors,
            } => self.product_root(&coefficient, factors, q),
            Node::Sum { .. } if q.is_integer() => match self.primitive(base) {
                Some((content, bare)) => match q.to_i64().and_then(|k| content.pow(k)) {
                    Some(power) => {
                        let bare = self.pow_number(bare, q, exponent);
                        self.scale_product(bare, &power)
                    }
                    None => plain(base),
                },
                None => plain(base),
            },
            Node::Sum { .. } => {
                // a positive content comes out of a root
                match self.primitive(base) {
                    Some((content, bare)) => {
                        let (size, bare) = if content.is_negative() {
                            (content.neg(), self.neg(bare))
                        } else {
                            (content, bare)
                        };
                        match self.number_power(&size, q) {
                            Some(power)
                                if self.as_number(power).is_some() && size != Number::ONE =>
                            {
                                let root = self.pow_number(bare, q, exponent);
                                self.mul(power, root)
                            }
                            _ => plain(base),
                        }
                    }
                    None => plain(base),
                }
            }
            Node::Apply(Function::Abs, ref args) if q.is_integer() => {
                // abs(u)^(2k + r) = u^(2k) abs(u)^r with r of the sign of the exponent
                if q.is_even() {
                    return self.pow(args[0], exponent);
                }
                let rest = if q.is_negative() { -1 } else { 1 };
                if q.to_i64() == Some(rest) {
                    return plain(base);
                }
                let even = self.number(q.sub(&Number::from(rest)));
                let even = self.pow(args[0], even);
                let rest = self.powi(base, rest);
                self.mul(even, rest)
            }
            _ => plain(base),
        }
    }

    /// `factor * e` without distributing over a sum that is a power.
    fn scale_product(&self, e: Expr, factor: &Number) -> Expr {
        let number = self.number(factor.clone());
        self.mul(number, e)
    }

    /// The power of a number by a rational: the exact value, or whole part and a root of what is left.
    fn number_power(&self, n: &Number, q: &Number) -> Option<Expr> {
        if let Some(k) = q.to_i64() {
            return n.pow(k).map(|v| self.number(v));
        }
        if n.is_zero() {
            return q.is_positive().then(|| self.zero());
        }
        if n.is_negative() {
            return None;
        }
        let degree = u32::try_from(q.denominator().to_i64()?).ok()?;
        let top = q.numerator().to_i64()?;
        let powered = n.pow(top)?;
        if let Some(root) = powered.root(degree) {
            return Some(self.number(root));
        }
        // sqrt(p/q) = sqrt(p q)/q, then square factors come out: sqrt(8) = 2 sqrt(2)
        let d = powered.denominator();
        let inside = powered.numerator().mul(&d.pow(i64::from(degree) - 1)?);
        let (mut outside, mut rest) = (d.recip()?, inside.to_i64()?);
        for p in 2..200_i64 {
            let Some(power) = p.checked_pow(degree) else {
                break;
            };
            while rest % power == 0 {
                rest /= power;
                outside = outside.mul(&Number::from(p));
            }
        }
        let rest = self.number(rest);
        let root = self.number(Number::ratio(1, i64::from(degree))?);
        Some(self.product_of(outside, smallvec::smallvec![(rest, root)]))
    }

    /// A fractional power of a product: positive numbers and even powers come out of it.
    fn product_root(&self, coefficient: &Number, factors: Factors, q: &Number) -> Expr {
        let mut outside = Vec::new();
        let mut inside = Vec::new();
        let (size, sign) = (coefficient.abs(), coefficient.is_negative());
        match self.number_power(&size, q) {
            Some(power) => outside.push(power),
            None => inside.push(self.number(size)),
        }
        let single = factors.len() == 1 && !sign;
        for (base, exponent) in factors {
            match self.as_number(exponent) {
                Some(e) if e.is_even() => {
                    let magnitude = self.apply(Function::Abs, base);
                    let power = self.number(e.mul(q));
                    outside.push(self.pow(magnitude, power));
                }
                // a fractional power is already that of a non-negative base
                Some(e) if single && !e.is_integer() => {
                    let power = self.number(e.mul(q));
                    outside.push(self.pow(base, power));
                }
                _ => inside.push(self.pow(base, exponent)),
            }
        }
        let mut inside = self.product(inside);
        if sign {
            inside = self.neg(inside);
        }
        let exponent = self.number(q.clone());
        let root = if inside == self.one() {
            self.one()
        } else {
            match self
                .as_number(inside)
                .and_then(|n| self.number_power(&n, q))
            {
                Some(value) => value,
                None => self.intern(Node::Product {
                    coefficient: Number::ONE,
                    factors: smallvec::smallvec![(inside, exponent)],
                }),
            }
        };
        outside.push(root);
        self.product(outside)
    }

    // ------------------------------------------------------------- functions

    /// A function of one argument.
    pub fn apply(&self, function: Function, argument: Expr) -> Expr {
        if let Some(value) = self.special_value(function, argument) {
            return value;
        }
        if let Some(even) = function.parity()
            && self.leads_negative(argument)
        {
            let positive = self.neg(argument);
            let value = self.apply(function, positive);
            return if even { value } else { self.neg(value) };
        }
        if function == Function::Abs
            && let Some(simpler) = self.simpler_abs(argument)
        {
            return simpler;
        }
        // a node is borrowed from the pool: it must be let go before the next expression is made
        let node = self.owned(argument);
        if function == Function::Sign
            && let Node::Product {
                coefficient,
                factors,
            } = node
            && !coefficient.is_one()
        {
            // the sign of the coefficient came out above; its size does not matter
            let bare = self.product_of(Number::ONE, factors);
            return self.apply(function, bare);
        }
        self.intern(Node::Apply(function, smallvec::smallvec![argument]))
    }

    /// `atan2(y, x)`.
    pub fn atan2(&self, y: Expr, x: Expr) -> Expr {
        self.intern(Node::Apply(Function::Atan2, smallvec::smallvec![y, x]))
    }

    /// Values at 0, 1 and the multiples of pi/2, and log(exp(u)).
    fn special_value(&self, function: Function, argument: Expr) -> Option<Expr> {
        if let Some(n) = self.as_number(argument) {
            return match function {
                Function::Sin
                | Function::Tan
                | Function::Asin
                | Function::Atan
                | Function::Sinh
                | Function::Tanh
                    if n.is_zero() =>
                {
                    Some(self.zero())
                }
                Function::Cos | Function::Cosh | Function::Exp if n.is_zero() => Some(self.one()),
                Function::Log | Function::Acos if n.is_one() => Some(self.zero()),
                Function::Abs => Some(self.number(n.abs())),
                Function::Sign => Some(self.number(if n.is_zero() {
                    Number::ZERO
                } else if n.is_negative() {
                    Number::MINUS_ONE
                } else {
                    Number::ONE
                })),
                _ => None,
            };
        }
        if function == Function::Log
            && let Node::Apply(Function::Exp, args) = &*self.node(argument)
        {
            return Some(args[0]);
        }
        if matches!(function, Function::Sin | Function::Cos | Function::Tan) {
            let turns = self.multiple_of(argument, self.pi())?;
            let quarters = turns.mul(&Number::from(2)).to_i64()?.rem_euclid(4);
            let sine = [0, 1, 0, -1][usize::try_from(quarters).ok()?];
            let cosine = [1, 0, -1, 0][usize::try_from(quarters).ok()?];
            return match function {
                Function::Sin => Some(self.number(sine)),
                Function::Cos => Some(self.number(cosine)),
                _ if cosine != 0 => Some(self.zero()),
                _ => None,
            };
        }
        None
    }

    /// The rational q where `e = q * of`.
    fn multiple_of(&self, e: Expr, of: Expr) -> Option<Number> {
        if e == of {
            return Some(Number::ONE);
        }
        match &*self.node(e) {
            Node::Product {
                coefficient,
                factors,
            } if factors.len() == 1 && factors[0] == (of, self.one()) => Some(coefficient.clone()),
            _ => None,
        }
    }

    /// Is the first coefficient of an expression negative?
    fn leads_negative(&self, e: Expr) -> bool {
        match &*self.node(e) {
            Node::Number(n) => n.is_negative(),
            Node::Product { coefficient, .. } => coefficient.is_negative(),
            Node::Sum { terms, .. } => terms.first().is_some_and(|(_, k)| k.is_negative()),
            _ => false,
        }
    }

    /// What is known not to be negative needs no absolute value; numbers and even powers come out.
    fn simpler_abs(&self, argument: Expr) -> Option<Expr> {
        if self.is_non_negative(argument) {
            return Some(argument);
        }
        let (coefficient, factors) = match &*self.node(argument) {
            Node::Product {
                coefficient,
                factors,
            } => (coefficient.clone(), factors.clone()),
            _ => return None,
        };
        let (outside, inside): (Factors, Factors) = factors.into_iter().partition(|(b, e)| {
            let power = self.pow(*b, *e);
            self.is_non_negative(power)
        });
        if outside.is_empty() && coefficient.is_one() {
            return None;
        }
        let inside = self.product_of(Number::ONE, inside);
        let inside = self.apply(Function::Abs, inside);
        let outside = self.product_of(coefficient.abs(), outside);
        Some(self.mul(outside, inside))
    }

    /// Is an expression known to be >= 0 wherever it has a value? (A sufficient test.)
    pub fn is_non_negative(&self, e: Expr) -> bool {
        match &*self.node(e) {
            Node::Number(n) => !n.is_negative(),
            Node::Symbol(place) => self.symbols.borrow()[*place as usize].kind == SymbolKind::Pi,
            Node::Sum { constant, terms } => {
                !constant.is_negative()
                    && terms
                        .iter()
                        .all(|(t, k)| !k.is_negative() && self.is_non_negative(*t))
            }
            Node::Product {
                coefficient,
                factors,
            } => {
                !coefficient.is_negative()
                    && factors.iter().all(|(b, e)| match self.as_number(*e) {
                        Some(q) => q.is_even() || !q.is_integer() || self.is_non_negative(*b),
                        None => self.is_non_negative(*b),
                    })
            }
            Node::Apply(Function::Abs | Function::Exp | Function::Cosh | Function::Acos, _) => true,
            Node::Apply(..) => false,
        }
    }

    /// The children of an expression.
    pub fn children(&self, e: Expr) -> SmallVec<[Expr; 8]> {
        match &*self.node(e) {
            Node::Number(_) | Node::Symbol(_) => SmallVec::new(),
            Node::Sum { terms, .. } => terms.iter().map(|(t, _)| *t).collect(),
            Node::Product { factors, .. } => factors.iter().flat_map(|(b, e)| [*b, *e]).collect(),
            Node::Apply(_, args) => args.iter().copied().collect(),
        }
    }

    /// Builds the node of `e` again with its children mapped.
    pub fn rebuild(&self, e: Expr, map: &mut dyn FnMut(Expr) -> Expr) -> Expr {
        let node = self.owned(e);
        match node {
            Node::Number(_) | Node::Symbol(_) => e,
            Node::Sum { constant, terms } => {
                let mut total = constant;
                let mut collected = Vec::with_capacity(terms.len());
                for (t, k) in terms {
                    let t = map(t);
                    self.collect(t, &k, &mut total, &mut collected);
                }
                self.sum_of(total, collected)
            }
            Node::Product {
                mut coefficient,
                factors,
            } => {
                let mut gathered = Factors::new();
                for (b, x) in factors {
                    let (b, x) = (map(b), map(x));
                    let power = self.pow(b, x);
                    self.gather(power, &mut coefficient, &mut gathered);
                }
                self.finish_product(coefficient, gathered)
            }
            Node::Apply(f, args) => {
                if let [y, x] = args.as_slice() {
                    let (y, x) = (map(*y), map(*x));
                    self.atan2(y, x)
                } else {
                    let a = map(args[0]);
                    self.apply(f, a)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool() -> (Pool, Expr, Expr) {
        let pool = Pool::new();
        let x = pool.symbol("x", SymbolKind::Coordinate { index: 0, order: 0 });
        let y = pool.symbol("y", SymbolKind::Coordinate { index: 1, order: 0 });
        (pool, x, y)
    }

    #[test]
    fn equal_expressions_are_one() {
        let (p, x, y) = pool();
        let two = p.number(2);
        let a = p.mul(two, p.add(x, y));
        let b = p.add(p.mul(two, y), p.mul(x, two));
        assert_eq!(a, b);
        assert_eq!(p.sub(a, b), p.zero());
        assert_eq!(p.mul(x, p.powi(x, -1)), p.one());
        assert_eq!(p.mul(p.add(x, y), p.powi(b, -1)), p.number(Number::HALF));
    }

    #[test]
    fn the_root_of_a_square_is_an_absolute_value() {
        let (p, x, y) = pool();
        let magnitude = p.apply(Function::Abs, x);
        assert_eq!(p.sqrt(p.powi(x, 2)), magnitude);
        assert_eq!(p.powi(magnitude, 2), p.powi(x, 2));
        assert_eq!(p.mul(p.sqrt(x), p.sqrt(x)), x);
        assert_eq!(p.mul(x, p.apply(Function::Sign, x)), magnitude);
        let below = p.mul(p.powi(x, -1), p.powi(p.apply(Function::Sign, x), -1));
        assert_eq!(below, p.powi(magnitude, -1));
        let product = p.mul(p.number(4), p.mul(p.powi(x, 2), y));
        let wanted = p.product([p.number(2), magnitude, p.sqrt(y)]);
        assert_eq!(p.sqrt(product), wanted);
        assert_eq!(p.sqrt(p.number(8)), p.mul(p.number(2), p.sqrt(p.number(2))));
        assert_eq!(p.powi(p.sqrt(p.number(2)), 2), p.number(2));
    }

    #[test]
    fn parity_and_special_values() {
        let (p, x, _) = pool();
        let minus = p.neg(x);
        assert_eq!(p.apply(Function::Cos, minus), p.apply(Function::Cos, x));
        assert_eq!(
            p.apply(Function::Sin, minus),
            p.neg(p.apply(Function::Sin, x))
        );
        let half_pi = p.div(p.pi(), p.number(2));
        assert_eq!(p.apply(Function::Sin, half_pi), p.one());
        assert_eq!(p.apply(Function::Cos, p.pi()), p.number(-1));
    }

    #[test]
    fn the_sign_of_a_multiple_is_that_of_the_thing() {
        let (p, x, _) = pool();
        let sign = p.apply(Function::Sign, x);
        assert_eq!(p.apply(Function::Sign, p.mul(p.number(2), x)), sign);
        assert_eq!(p.apply(Function::Sign, p.mul(p.number(-2), x)), p.neg(sign));
    }

    #[test]
    fn nothing_times_infinity_has_no_value() {
        let (p, x, _) = pool();
        let pole = p.powi(p.zero(), -1);
        assert_ne!(p.mul(p.zero(), pole), p.zero());
        assert_eq!(p.mul(p.zero(), x), p.zero());
    }
}
