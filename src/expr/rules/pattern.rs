//! Patterns: expressions in the grammar of system files with variables in them.
//!
//! `u`, `v`, `w` stand for any expression, `n` and `k` for exact numbers. A pattern is no expression of
//! a [`Pool`]: building `sin(asin(u))` there would rewrite it. `-u` matches what leads with a minus sign, a
//! product of two matches every way to take one factor out of a product, `k*u` takes the coefficient.

use crate::expr::function::Function;
use crate::expr::number::Number;
use crate::expr::pool::{Expr, Factors, Node, Pool, SymbolKind};

/// The names of the variables; from [`EXACT`] on they stand for numbers.
pub(super) const VARIABLES: [&str; 5] = ["u", "v", "w", "n", "k"];
const EXACT: usize = 3;

/// An expression with variables.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Pattern {
    /// One of [`VARIABLES`].
    Variable(usize),
    Number(Number),
    Pi,
    Negative(Box<Pattern>),
    Sum(Vec<Pattern>),
    /// Two factors, a number first.
    Product(Box<(Pattern, Pattern)>),
    Power(Box<(Pattern, Pattern)>),
    Apply(Function, Vec<Pattern>),
}

/// What the variables stand for.
pub(super) type Binding = [Option<Expr>; VARIABLES.len()];

/// What is done with a binding; `None` looks for another.
pub(super) type Then<'a> = &'a mut dyn FnMut(&mut Binding) -> Option<Expr>;

impl Pattern {
    /// Reads a pattern; `None` where the text is none.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut reader = Reader { rest: text };
        let pattern = reader.sum()?;
        reader.skip();
        reader.rest.is_empty().then_some(pattern)
    }

    /// The expression with the variables put in; `None` where one is not bound.
    pub(super) fn build(&self, pool: &Pool, binding: &Binding) -> Option<Expr> {
        Some(match self {
            Self::Variable(place) => binding[*place]?,
            Self::Number(n) => pool.number(n.clone()),
            Self::Pi => pool.pi(),
            Self::Negative(p) => pool.neg(p.build(pool, binding)?),
            Self::Sum(parts) => {
                let parts: Option<Vec<Expr>> =
                    parts.iter().map(|p| p.build(pool, binding)).collect();
                pool.sum(parts?)
            }
            Self::Product(pair) => {
                let (a, b) = (pair.0.build(pool, binding)?, pair.1.build(pool, binding)?);
                pool.mul(a, b)
            }
            Self::Power(pair) => {
                let (b, x) = (pair.0.build(pool, binding)?, pair.1.build(pool, binding)?);
                pool.pow(b, x)
            }
            Self::Apply(f, args) => match args.as_slice() {
                [a] => {
                    let a = a.build(pool, binding)?;
                    pool.apply(*f, a)
                }
                [y, x] => {
                    let (y, x) = (y.build(pool, binding)?, x.build(pool, binding)?);
                    pool.atan2(y, x)
                }
                _ => return None,
            },
        })
    }

    /// Tries every way in which the pattern is the expression, until `then` has an answer.
    pub(super) fn matches(
        &self,
        pool: &Pool,
        e: Expr,
        binding: &mut Binding,
        then: Then,
    ) -> Option<Expr> {
        match self {
            Self::Variable(place) => {
                if *place >= EXACT {
                    pool.as_number(e)?;
                }
                if let Some(known) = binding[*place] {
                    return if known == e { then(binding) } else { None };
                }
                binding[*place] = Some(e);
                let answer = then(binding);
                if answer.is_none() {
                    binding[*place] = None;
                }
                answer
            }
            Self::Number(n) => (pool.as_number(e)? == *n)
                .then_some(())
                .and_then(|()| then(binding)),
            Self::Pi => (pool.symbol_kind(e) == Some(SymbolKind::Pi))
                .then_some(())
                .and_then(|()| then(binding)),
            Self::Negative(inner) => {
                if !pool.leads_negative(e) {
                    return None;
                }
                inner.matches(pool, pool.neg(e), binding, then)
            }
            Self::Power(pair) => {
                let (base, exponent) = pool.as_power(e)?;
                pair.0.matches(pool, base, binding, &mut |binding| {
                    pair.1.matches(pool, exponent, binding, then)
                })
            }
            Self::Apply(f, patterns) => match &*pool.node(e) {
                Node::Apply(g, args) if f == g => {
                    Self::all_match(pool, patterns, args, binding, then)
                }
                _ => None,
            },
            Self::Product(pair) => Self::factors_match(pool, pair, e, binding, then),
            // the order of the terms of a sum says nothing
            Self::Sum(_) => None,
        }
    }

    /// Arguments one by one.
    pub(super) fn all_match(
        pool: &Pool,
        patterns: &[Self],
        args: &[Expr],
        binding: &mut Binding,
        then: Then,
    ) -> Option<Expr> {
        match (patterns, args) {
            ([], []) => then(binding),
            ([first, patterns @ ..], [e, args @ ..]) => {
                first.matches(pool, *e, binding, &mut |binding| {
                    Self::all_match(pool, patterns, args, binding, then)
                })
            }
            _ => None,
        }
    }

    /// One factor is the first pattern, what is left of the product is the second.
    fn factors_match(
        pool: &Pool,
        (first, second): &(Self, Self),
        e: Expr,
        binding: &mut Binding,
        then: Then,
    ) -> Option<Expr> {
        let (coefficient, factors) = pool.as_product(e);
        let numeric = matches!(first, Self::Number(_))
            || matches!(first, Self::Variable(place) if *place >= EXACT);
        if numeric || !coefficient.is_one() {
            let rest = pool.product_of(Number::ONE, factors.clone());
            let number = pool.number(coefficient.clone());
            let answer = first.matches(pool, number, binding, &mut |binding| {
                second.matches(pool, rest, binding, then)
            });
            if answer.is_some() || numeric {
                return answer;
            }
        }
        if factors.len() + usize::from(!coefficient.is_one()) < 2 {
            return None;
        }
        for i in 0..factors.len() {
            let mut rest: Factors = factors.clone();
            let (b, x) = rest.remove(i);
            let (one, rest) = (pool.pow(b, x), pool.product_of(coefficient.clone(), rest));
            let answer = first.matches(pool, one, binding, &mut |binding| {
                second.matches(pool, rest, binding, then)
            });
            if answer.is_some() {
                return answer;
            }
        }
        None
    }

    fn negative(self) -> Self {
        match self {
            Self::Number(n) => Self::Number(n.neg()),
            Self::Product(pair) => {
                let (first, second) = *pair;
                match first {
                    Self::Number(n) => Self::Product(Box::new((Self::Number(n.neg()), second))),
                    first => Self::Negative(Box::new(Self::Product(Box::new((first, second))))),
                }
            }
            other => Self::Negative(Box::new(other)),
        }
    }

    fn times(self, other: Self) -> Self {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => Self::Number(a.mul(&b)),
            (Self::Negative(a), b) | (b, Self::Negative(a)) => a.times(b).negative(),
            (Self::Number(a), b) if a.is_one() => b,
            (a, Self::Number(b)) => Self::Number(b).times(a),
            (Self::Product(pair), b) if matches!(pair.0, Self::Number(_)) => {
                let (number, rest) = *pair;
                number.times(rest.times(b))
            }
            (a, b) => Self::Product(Box::new((a, b))),
        }
    }

    fn raised(self, exponent: Self) -> Option<Self> {
        if let (Self::Number(b), Self::Number(x)) = (&self, &exponent)
            && let Some(n) = x.to_i64()
        {
            let power = if n == -1 { b.recip() } else { b.pow(n) };
            return power.map(Self::Number);
        }
        Some(Self::Power(Box::new((self, exponent))))
    }
}

/// Reads `+ - * / ^`, parentheses, functions, whole numbers, `pi` and the variables.
struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn skip(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn takes(&mut self, sign: char) -> bool {
        self.skip();
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn word(&mut self, of: fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !of(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn sum(&mut self) -> Option<Pattern> {
        let mut parts = vec![self.product()?];
        loop {
            if self.takes('+') {
                parts.push(self.product()?);
            } else if self.takes('-') {
                parts.push(self.product()?.negative());
            } else if parts.len() == 1 {
                return parts.pop();
            } else {
                return Some(Pattern::Sum(parts));
            }
        }
    }

    fn product(&mut self) -> Option<Pattern> {
        let mut product = self.power()?;
        loop {
            if self.takes('*') {
                product = product.times(self.power()?);
            } else if self.takes('/') {
                let inverse = self.power()?.raised(Pattern::Number(Number::MINUS_ONE))?;
                product = product.times(inverse);
            } else {
                return Some(product);
            }
        }
    }

    fn power(&mut self) -> Option<Pattern> {
        if self.takes('-') {
            return self.power().map(Pattern::negative);
        }
        let base = self.atom()?;
        if self.takes('^') {
            let exponent = self.power()?;
            return base.raised(exponent);
        }
        Some(base)
    }

    fn atom(&mut self) -> Option<Pattern> {
        if self.takes('(') {
            let inside = self.sum()?;
            return self.takes(')').then_some(inside);
        }
        self.skip();
        let digits = self.word(|c| c.is_ascii_digit());
        if !digits.is_empty() {
            let value: i64 = digits.parse().ok()?;
            return Some(Pattern::Number(Number::from(value)));
        }
        let name = self.word(|c| c.is_ascii_alphanumeric());
        if name == "pi" {
            return Some(Pattern::Pi);
        }
        if let Some(place) = VARIABLES.iter().position(|v| *v == name) {
            return Some(Pattern::Variable(place));
        }
        let mut args = Vec::new();
        if !self.takes('(') {
            return None;
        }
        loop {
            args.push(self.sum()?);
            if self.takes(')') {
                break;
            }
            if !self.takes(',') {
                return None;
            }
        }
        if name == "sqrt" {
            return args.pop()?.raised(Pattern::Number(Number::HALF));
        }
        let f = Function::named(name).filter(|f| f.arity() == args.len())?;
        Some(Pattern::Apply(f, args))
    }
}
