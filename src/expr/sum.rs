//! Sums and products in their normal form (see [`super::pool`]).

use super::function::Function;
use super::number::Number;
use super::pool::{Expr, Factors, Node, Pool};
use super::rules::{Head, Stage};

impl Pool {
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

    /// Sums inside products multiplied out, and nothing else: a quotient is one of each term. Itself where that is long.
    pub fn multiplied_out(&self, e: Expr) -> Expr {
        const MOST_TERMS: usize = 2000;
        // as `tools/certify.py` does
        const MOST_TIMES: i64 = 9;
        let parts = |e: Expr| -> Vec<Expr> {
            match &*self.node(e) {
                Node::Sum(constant, terms) => {
                    let terms = terms.iter().map(|(t, k)| self.scale(*t, k));
                    terms.chain([self.number(constant.clone())]).collect()
                }
                _ => vec![e],
            }
        };
        match &*self.node(e) {
            Node::Sum(..) => self.sum(parts(e).into_iter().map(|t| self.multiplied_out(t))),
            Node::Product(coefficient, factors) => {
                let mut terms = vec![self.number(coefficient.clone())];
                for (base, exponent) in factors {
                    let times = self.as_number(*exponent).and_then(|x| x.to_i64());
                    let times = times.filter(|n| (1..=MOST_TIMES).contains(n));
                    let (own, times) = match times {
                        Some(times) => (parts(self.multiplied_out(*base)), times),
                        None => (vec![self.pow(*base, *exponent)], 1),
                    };
                    for _ in 0..times {
                        if terms.len() * own.len() > MOST_TERMS {
                            return e;
                        }
                        let all = terms
                            .iter()
                            .flat_map(|a| own.iter().map(|b| self.mul(*a, *b)));
                        let all = self.sum(all.collect::<Vec<_>>());
                        terms = parts(all);
                    }
                }
                self.sum(terms)
            }
            _ => e,
        }
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

    /// The terms of a sum that are such, its constant left out; what is no sum as it is.
    pub fn terms_where(&self, e: Expr, is: impl Fn(Expr) -> bool) -> Expr {
        match &*self.node(e) {
            Node::Sum(_, terms) => {
                let such = terms.iter().filter(|(t, _)| is(*t));
                self.sum(such.map(|(t, k)| self.scale(*t, k)))
            }
            _ => e,
        }
    }

    /// Are both sums, with the same terms but for their signs?
    pub fn has_terms_of(&self, a: Expr, b: Expr) -> bool {
        let (Node::Sum(c, own), Node::Sum(d, other)) = (&*self.node(a), &*self.node(b)) else {
            return false;
        };
        // both are sorted by term
        let mut pairs = own.iter().zip(other);
        c.abs() == d.abs()
            && own.len() == other.len()
            && pairs.all(|((e, k), (f, l))| e == f && k.abs() == l.abs())
    }

    /// The constant of a sum, and its terms with their coefficients.
    pub fn linear_terms(&self, e: Expr) -> (Number, Vec<(Expr, Number)>) {
        let (mut constant, mut terms) = (Number::ZERO, Vec::new());
        self.collect(e, &Number::ONE, &mut constant, &mut terms);
        (constant, terms)
    }

    /// Adds `factor * e` to a constant and a list of terms.
    pub(super) fn collect(
        &self,
        e: Expr,
        factor: &Number,
        constant: &mut Number,
        terms: &mut Vec<(Expr, Number)>,
    ) {
        let node = self.owned(e);
        match node {
            Node::Number(n) => *constant = constant.add(&n.mul(factor)),
            Node::Sum(c, inner) => {
                *constant = constant.add(&c.mul(factor));
                terms.extend(inner.into_iter().map(|(t, k)| (t, k.mul(factor))));
            }
            Node::Product(coefficient, factors) if !coefficient.is_one() => {
                let bare = self.product_of(Number::ONE, factors);
                terms.push((bare, coefficient.mul(factor)));
            }
            _ => terms.push((e, factor.clone())),
        }
    }

    /// A sum from a constant and terms that are in normal form each.
    pub(super) fn sum_of(&self, constant: Number, mut terms: Vec<(Expr, Number)>) -> Expr {
        terms.sort_by_key(|(e, _)| *e);
        let mut merged: Vec<(Expr, Number)> = Vec::with_capacity(terms.len());
        for (e, k) in terms {
            match merged.last_mut() {
                Some((last, sum)) if *last == e => *sum = sum.add(&k),
                _ => merged.push((e, k)),
            }
        }
        if merged
            .iter()
            .any(|(e, k)| k.is_zero() && self.is_undefined(*e))
        {
            return self.no_value();
        }
        merged.retain(|(_, k)| !k.is_zero());
        match merged.as_slice() {
            [] => self.number(constant),
            [(e, k)] if constant.is_zero() => self.scale(*e, k),
            _ => self.intern(Node::Sum(constant, merged)),
        }
    }

    /// `factor * e`, distributed over a sum.
    pub fn scale(&self, e: Expr, factor: &Number) -> Expr {
        if factor.is_one() {
            return e;
        }
        if factor.is_zero() {
            return if self.is_undefined(e) {
                self.no_value()
            } else {
                self.zero()
            };
        }
        let node = self.owned(e);
        match node {
            Node::Number(n) => self.number(n.mul(factor)),
            Node::Sum(constant, terms) => self.intern(Node::Sum(
                constant.mul(factor),
                terms.into_iter().map(|(t, k)| (t, k.mul(factor))).collect(),
            )),
            Node::Product(coefficient, factors) => {
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

    pub(super) fn gather(&self, e: Expr, coefficient: &mut Number, factors: &mut Factors) {
        let node = self.owned(e);
        match node {
            Node::Number(n) => *coefficient = coefficient.mul(&n),
            Node::Product(c, inner) => {
                *coefficient = coefficient.mul(&c);
                factors.extend(inner);
            }
            _ => factors.push((e, self.one())),
        }
    }

    /// Merges equal bases, then brings the result into normal form.
    pub(super) fn finish_product(&self, mut coefficient: Number, mut factors: Factors) -> Expr {
        if coefficient.is_zero() {
            // 0 * (1/0) has no value and must not become 0
            let lost = factors
                .iter()
                .any(|&(b, x)| self.is_undefined(b) || self.is_undefined(self.pow(b, x)));
            return if lost { self.no_value() } else { self.zero() };
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
            if merged
                .iter()
                .any(|(b, x)| *x == self.zero() && self.is_undefined(*b))
            {
                return self.no_value();
            }
            merged.retain(|(_, e)| *e != self.zero());
            factors = merged;
            again |= self.gather_roots(&mut coefficient, &mut factors);
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
            && matches!(&*self.node(*base), Node::Sum(..))
        {
            return self.scale(*base, &coefficient);
        }
        self.product_of(coefficient, factors)
    }

    /// Looks for a rule on `u * sign(..)`, above or below the fraction bar.
    fn absorb_signs(&self, factors: &mut Factors) -> bool {
        let whole = |e: Expr| self.as_number(e).filter(Number::is_integer);
        for (i, &(sign, power)) in factors.iter().enumerate() {
            if !matches!(&*self.node(sign), Node::Apply(Function::Sign, _)) {
                continue;
            }
            let Some(negative) = whole(power).map(|n| n.is_negative()) else {
                continue;
            };
            let found = factors.iter().enumerate().find_map(|(j, &(b, x))| {
                let same = i != j && whole(x).is_some_and(|n| n.is_negative() == negative);
                same.then(|| self.by_rule(Head::Product, &[b, sign], Stage::Building))?
                    .map(|simpler| (j, simpler))
            });
            if let Some((j, simpler)) = found {
                let side = self.number(if negative { -1 } else { 1 });
                factors[i].1 = self.sub(factors[i].1, side);
                factors[j].1 = self.sub(factors[j].1, side);
                factors.push((simpler, side));
                factors.retain(|(_, e)| *e != self.zero());
                return true;
            }
        }
        false
    }

    /// Content and primitive part of a sum: `e = content * bare`; `None` where it is no sum or is primitive.
    pub(super) fn primitive(&self, e: Expr) -> Option<(Number, Expr)> {
        let (constant, terms) = match &*self.node(e) {
            Node::Sum(constant, terms) => (constant.clone(), terms.clone()),
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
    pub(super) fn product_of(&self, coefficient: Number, factors: Factors) -> Expr {
        if factors.is_empty() || coefficient.is_zero() {
            return self.number(coefficient);
        }
        if coefficient.is_one()
            && let [(base, exponent)] = factors.as_slice()
            && *exponent == self.one()
        {
            return *base;
        }
        self.intern(Node::Product(coefficient, factors))
    }
}
