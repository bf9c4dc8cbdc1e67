//! Polynomials in several variables over the rationals.
//!
//! Variables are numbers 0, 1, 2, ... (the generators of a [`Ring`](super::normal::Ring)). Terms are
//! kept in descending lexicographic order. Work is bounded: operations that multiply take an
//! [`Effort`] and give `None` once it is spent.

use super::number::Number;
use crate::effort::{Effort, charge};
use smallvec::SmallVec;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Exponents by variable, trailing zeros left out.
pub type Monomial = SmallVec<[u16; 8]>;

/// The largest exponent a polynomial may have; powers beyond stay unexpanded.
pub const MAX_DEGREE: u16 = 64;

/// What terms are counted as: one with a long monomial or a long coefficient as several.
fn weight(terms: &[(Monomial, Number)]) -> usize {
    let one = |(m, k): &(Monomial, Number)| 1 + m.len() / 16 + k.words() / 2;
    terms.iter().map(one).sum()
}

/// Counts the terms of a polynomial that was made.
pub(super) fn count(terms: &[(Monomial, Number)]) {
    charge(weight(terms));
}

/// A polynomial; the zero polynomial has no terms.
#[derive(PartialEq, Eq, Debug, Default, Hash)]
pub struct Poly {
    terms: Vec<(Monomial, Number)>,
}

impl Clone for Poly {
    fn clone(&self) -> Self {
        count(&self.terms);
        // in one piece: the vector's own clone goes exponent by exponent
        self.each(|m, k| (Monomial::from_slice(m), k.clone()))
    }
}

pub(super) fn trimmed(mut m: Monomial) -> Monomial {
    while m.last() == Some(&0) {
        m.pop();
    }
    m
}

/// A monomial without these variables.
pub(super) fn without(m: &Monomial, variables: &[usize]) -> Monomial {
    let mut rest = Monomial::from_slice(m);
    for &v in variables {
        if let Some(e) = rest.get_mut(v) {
            *e = 0;
        }
    }
    trimmed(rest)
}

/// Takes from a monomial what does not divide another one; zeros may stay at its end.
pub(super) fn lessen(common: &mut Monomial, m: &Monomial) {
    common.truncate(m.len());
    for (c, e) in common.iter_mut().zip(m) {
        *c = (*c).min(*e);
    }
}

fn times(a: &Monomial, b: &Monomial) -> Monomial {
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    let mut product = Monomial::from_slice(long);
    for (p, q) in product.iter_mut().zip(short) {
        *p = p.saturating_add(*q);
    }
    product
}

pub(super) fn quotient(a: &Monomial, b: &Monomial) -> Option<Monomial> {
    if b.len() > a.len() {
        return None;
    }
    let mut result = Monomial::from_slice(a);
    for (p, q) in result.iter_mut().zip(b) {
        *p = p.checked_sub(*q)?;
    }
    Some(trimmed(result))
}

impl Poly {
    /// Zero.
    pub fn zero() -> Self {
        Self::default()
    }

    /// A constant.
    pub fn constant(value: Number) -> Self {
        Self::term(Monomial::new(), value)
    }

    /// One.
    pub fn one() -> Self {
        Self::constant(Number::ONE)
    }

    /// The variable of this number.
    pub fn variable(v: usize) -> Self {
        let mut m = Monomial::new();
        m.resize(v + 1, 0);
        m[v] = 1;
        Self::term(m, Number::ONE)
    }

    /// A single term.
    pub fn term(monomial: Monomial, coefficient: Number) -> Self {
        if coefficient.is_zero() {
            return Self::zero();
        }
        Self {
            terms: vec![(trimmed(monomial), coefficient)],
        }
    }

    fn from_map(map: BTreeMap<Monomial, Number>) -> Self {
        let terms: Vec<(Monomial, Number)> = map
            .into_iter()
            .rev()
            .filter(|(_, k)| !k.is_zero())
            .collect();
        count(&terms);
        Self { terms }
    }

    /// A polynomial from terms in any order.
    pub fn from_terms(terms: impl IntoIterator<Item = (Monomial, Number)>) -> Self {
        let mut map: BTreeMap<Monomial, Number> = BTreeMap::new();
        for (m, k) in terms {
            let place = map.entry(trimmed(m)).or_insert(Number::ZERO);
            *place = place.add(&k);
        }
        Self::from_map(map)
    }

    /// The sum of any number of polynomials: added one by one the first would be copied each time.
    pub fn total(parts: impl IntoIterator<Item = Self>) -> Self {
        Self::from_terms(parts.into_iter().flat_map(Self::into_terms))
    }

    /// The terms, leading first.
    pub fn terms(&self) -> &[(Monomial, Number)] {
        &self.terms
    }

    /// The terms, taken out.
    pub fn into_terms(self) -> Vec<(Monomial, Number)> {
        self.terms
    }

    /// Is it 0?
    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// The number it is, where it is one.
    pub fn as_constant(&self) -> Option<Number> {
        match self.terms.as_slice() {
            [] => Some(Number::ZERO),
            [(m, k)] if m.is_empty() => Some(k.clone()),
            _ => None,
        }
    }

    /// Is it the number 1?
    pub fn is_one(&self) -> bool {
        self.as_constant().is_some_and(|k| k.is_one())
    }

    /// The leading coefficient in lexicographic order; zero for the zero polynomial.
    pub fn leading(&self) -> Number {
        self.terms.first().map_or(Number::ZERO, |(_, k)| k.clone())
    }

    /// The degree in a variable.
    pub fn degree(&self, v: usize) -> u16 {
        self.terms
            .iter()
            .map(|(m, _)| m.get(v).copied().unwrap_or(0))
            .max()
            .unwrap_or(0)
    }

    /// The largest exponent of any variable.
    pub fn max_degree(&self) -> u16 {
        let exponents = self.terms.iter().flat_map(|(m, _)| m);
        exponents.copied().max().unwrap_or(0)
    }

    /// The variables it contains, ascending.
    pub fn variables(&self) -> Vec<usize> {
        let degrees = self.degrees();
        (0..degrees.len()).filter(|&v| degrees[v] > 0).collect()
    }

    /// The variables it contains, this one first.
    pub fn variables_from(&self, first: usize) -> Vec<usize> {
        let others = self.variables().into_iter().filter(|v| *v != first);
        [first].into_iter().chain(others).collect()
    }

    /// The degree in each variable, as far as there are any.
    pub fn degrees(&self) -> Monomial {
        let mut highest = Monomial::new();
        for (m, _) in &self.terms {
            if highest.len() < m.len() {
                highest.resize(m.len(), 0);
            }
            for (highest, e) in highest.iter_mut().zip(m) {
                *highest = (*highest).max(*e);
            }
        }
        highest
    }

    /// With other numbers for the variables: `place[v]` for v.
    #[must_use]
    pub fn renamed(&self, place: &[usize]) -> Self {
        Self::from_terms(self.terms.iter().map(|(m, k)| {
            let mut moved = Monomial::new();
            moved.resize(place.len(), 0);
            for (v, &e) in m.iter().enumerate() {
                moved[place[v]] = e;
            }
            (moved, k.clone())
        }))
    }

    /// Sum.
    #[must_use]
    pub fn add(&self, other: &Self) -> Self {
        let mut result = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut a, mut b) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let order = match (a.peek(), b.peek()) {
                (Some(x), Some(y)) => x.0.cmp(&y.0),
                (Some(_), None) => Ordering::Greater,
                (None, Some(_)) => Ordering::Less,
                (None, None) => break,
            };
            match order {
                Ordering::Greater => result.extend(a.next().cloned()),
                Ordering::Less => result.extend(b.next().cloned()),
                Ordering::Equal => {
                    if let (Some((m, x)), Some((_, y))) = (a.next(), b.next()) {
                        let sum = x.add(y);
                        if !sum.is_zero() {
                            result.push((Monomial::from_slice(m), sum));
                        }
                    }
                }
            }
        }
        count(&result);
        Self { terms: result }
    }

    /// Difference.
    #[must_use]
    pub fn sub(&self, other: &Self) -> Self {
        self.add(&other.scale(&Number::MINUS_ONE))
    }

    /// A numeric multiple.
    #[must_use]
    pub fn scale(&self, factor: &Number) -> Self {
        if factor.is_zero() {
            return Self::zero();
        }
        count(&self.terms);
        self.each(|m, k| (Monomial::from_slice(m), k.mul(factor)))
    }

    /// With other terms in the same order.
    fn each(&self, of: impl Fn(&Monomial, &Number) -> (Monomial, Number)) -> Self {
        let terms = self.terms.iter();
        Self {
            terms: terms.map(|(m, k)| of(m, k)).collect(),
        }
    }

    /// A multiple by a term.
    #[must_use]
    pub fn shift(&self, monomial: &Monomial, factor: &Number) -> Self {
        self.each(|m, k| (times(m, monomial), k.mul(factor)))
    }

    /// Product.
    pub fn mul(&self, other: &Self, effort: &Effort) -> Option<Self> {
        let (rows, columns) = (self.terms.len(), other.terms.len());
        effort.spend((rows * weight(&other.terms)).max(columns * weight(&self.terms)))?;
        if let [(m, k)] = other.terms.as_slice() {
            return Some(self.shift(m, k));
        }
        if let [(m, k)] = self.terms.as_slice() {
            return Some(other.shift(m, k));
        }
        let mut map: BTreeMap<Monomial, Number> = BTreeMap::new();
        for (m, k) in &self.terms {
            for (n, l) in &other.terms {
                let place = map.entry(times(m, n)).or_insert(Number::ZERO);
                *place = place.add(&k.mul(l));
            }
        }
        Some(Self::from_map(map))
    }

    /// A power; `None` too where a degree would pass [`MAX_DEGREE`].
    pub fn pow(&self, exponent: u32, effort: &Effort) -> Option<Self> {
        if u32::from(self.max_degree()).checked_mul(exponent)? > u32::from(MAX_DEGREE) {
            return None;
        }
        if let [(m, k)] = self.terms.as_slice() {
            let mut m = m.clone();
            for e in &mut m {
                *e = e.checked_mul(u16::try_from(exponent).ok()?)?;
            }
            return Some(Self::term(m, k.pow(i64::from(exponent))?));
        }
        let mut result = Self::one();
        for _ in 0..exponent {
            result = result.mul(self, effort)?;
        }
        Some(result)
    }

    /// The exact quotient, where `divisor` divides it.
    pub fn div_exact(&self, divisor: &Self, effort: &Effort) -> Option<Self> {
        let (lead_m, lead_k) = divisor.terms.first()?;
        let inverse = lead_k.recip()?;
        if divisor.terms.len() == 1 {
            effort.spend(weight(&self.terms))?;
            let terms: Option<Vec<_>> = self
                .terms
                .iter()
                .map(|(m, k)| Some((quotient(m, lead_m)?, k.mul(&inverse))))
                .collect();
            return Some(Self { terms: terms? });
        }
        // most divisors that do not divide show it at the ends
        let (last, _) = divisor.terms.last()?;
        let ends = |p: &(Monomial, Number), by| quotient(&p.0, by).is_some();
        if self.terms.first().is_some_and(|t| !ends(t, lead_m))
            || self.terms.last().is_some_and(|t| !ends(t, last))
        {
            return None;
        }
        effort.spend(weight(&self.terms) / 4)?;
        let mut rest: BTreeMap<Monomial, Number> = self.terms.iter().cloned().collect();
        let divisor_weight = weight(&divisor.terms);
        let mut result = Vec::new();
        while let Some((m, k)) = rest.pop_last() {
            if k.is_zero() {
                continue;
            }
            let m = quotient(&m, lead_m)?;
            let k = k.mul(&inverse);
            effort.spend(divisor_weight)?;
            let minus = k.neg();
            for (n, l) in &divisor.terms[1..] {
                let place = rest.entry(times(&m, n)).or_insert(Number::ZERO);
                *place = place.add(&minus.mul(l));
            }
            result.push((m, k));
        }
        Some(Self { terms: result })
    }

    /// The numeric content with the sign of the leading coefficient; dividing by it leaves coprime
    /// integers and a positive lead. One for the zero polynomial.
    pub fn content(&self) -> Number {
        let content = self
            .terms
            .iter()
            .fold(Number::ZERO, |c, (_, k)| c.content(k));
        if content.is_zero() {
            Number::ONE
        } else if self.leading().is_negative() {
            content.neg()
        } else {
            content
        }
    }

    /// The numeric content and what is left.
    pub fn primitive(&self) -> (Number, Self) {
        let content = self.content();
        let rest = content
            .recip()
            .map_or_else(|| self.clone(), |r| self.scale(&r));
        (content, rest)
    }

    /// The largest monomial that divides every term.
    pub fn monomial_content(&self) -> Monomial {
        let mut terms = self.terms.iter();
        let Some((first, _)) = terms.next() else {
            return Monomial::new();
        };
        let mut common = Monomial::from_slice(first);
        for (m, _) in terms {
            lessen(&mut common, m);
        }
        trimmed(common)
    }

    /// Divides by a monomial that divides every term.
    #[must_use]
    pub fn without(&self, monomial: &Monomial) -> Self {
        Self {
            terms: self
                .terms
                .iter()
                .filter_map(|(m, k)| quotient(m, monomial).map(|m| (m, k.clone())))
                .collect(),
        }
    }

    /// The coefficients as a polynomial in one variable: entry d belongs to the power d.
    pub fn coefficients(&self, v: usize) -> Vec<Self> {
        let mut parts: Vec<Vec<(Monomial, Number)>> =
            vec![Vec::new(); usize::from(self.degree(v)) + 1];
        for (m, k) in &self.terms {
            let d = m.get(v).copied().unwrap_or(0);
            parts[usize::from(d)].push((without(m, &[v]), k.clone()));
        }
        parts.into_iter().map(Self::from_terms).collect()
    }

    /// Is it seen at a glance to be irreducible, its monomial content left aside? So it is where a
    /// variable stands to the first power, in one term alone or in all terms but one: `a v + b` splits only
    /// where a and b have a common factor.
    pub fn is_plainly_irreducible(&self) -> bool {
        let terms = self.terms.len();
        let mut counts: Monomial = Monomial::new();
        let mut linear: SmallVec<[bool; 16]> = SmallVec::new();
        for (m, _) in &self.terms {
            if counts.len() < m.len() {
                counts.resize(m.len(), 0);
                linear.resize(m.len(), true);
            }
            for ((count, linear), &e) in counts.iter_mut().zip(&mut linear).zip(m) {
                *count = count.saturating_add(u16::from(e > 0));
                *linear &= e < 2;
            }
        }
        counts.iter().zip(&linear).any(|(&count, linear)| {
            let count = usize::from(count);
            *linear && (count == 1 || (count > 0 && count + 1 == terms))
        })
    }

    /// The partial derivative by a variable.
    #[must_use]
    pub fn derivative(&self, v: usize) -> Self {
        Self::from_terms(self.terms.iter().filter_map(|(m, k)| {
            let d = m.get(v).copied().filter(|d| *d > 0)?;
            let mut m = m.clone();
            m[v] -= 1;
            Some((m, k.mul(&Number::from(i64::from(d)))))
        }))
    }

    /// The polynomial whose square it is; `None` where it is no square.
    pub fn sqrt(&self, effort: &Effort) -> Option<Self> {
        let Some((m, k)) = self.terms.first() else {
            return Some(Self::zero());
        };
        let halved = m.iter().map(|e| (e % 2 == 0).then_some(e / 2));
        let lead: Monomial = halved.collect::<Option<_>>()?;
        let root = k.root(2)?;
        let inverse = root.mul(&Number::from(2)).recip()?;
        let mut result = Self::term(lead.clone(), root);
        for _ in 0..=self.terms.len() {
            let rest = self.sub(&result.mul(&result, effort)?);
            let Some((m, k)) = rest.terms.first() else {
                return Some(result);
            };
            let m = quotient(m, &lead)?;
            if result.terms.last().is_some_and(|(last, _)| m >= *last) {
                return None;
            }
            result = result.add(&Self::term(m, k.mul(&inverse)));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn effort() -> Effort {
        Effort::new(10_000_000)
    }

    pub(super) fn small_poly() -> impl Strategy<Value = Poly> {
        proptest::collection::vec(((0_u16..3, 0_u16..3, 0_u16..2), -4_i64..5), 1..5).prop_map(
            |list| {
                Poly::from_terms(
                    list.into_iter()
                        .map(|((a, b, c), k)| (Monomial::from_slice(&[a, b, c]), Number::from(k))),
                )
            },
        )
    }

    proptest! {
        #[test]
        fn division_undoes_multiplication(p in small_poly(), q in small_poly()) {
            let product = p.mul(&q, &effort()).unwrap();
            if !q.is_zero() {
                prop_assert_eq!(product.div_exact(&q, &effort()), Some(p));
            }
        }

        #[test]
        fn the_gcd_divides_and_contains_what_is_common(p in small_poly(), q in small_poly(), c in small_poly()) {
            prop_assume!(!p.is_zero() && !q.is_zero() && !c.is_zero());
            let a = p.mul(&c, &effort()).unwrap();
            let b = q.mul(&c, &effort()).unwrap();
            let g = a.gcd(&b, &effort()).unwrap();
            prop_assert!(a.div_exact(&g, &effort()).is_some());
            prop_assert!(b.div_exact(&g, &effort()).is_some());
            prop_assert!(g.div_exact(&c, &effort()).is_some());
        }

        #[test]
        fn squares_have_roots(p in small_poly()) {
            let square = p.mul(&p, &effort()).unwrap();
            let root = square.sqrt(&effort()).unwrap();
            prop_assert_eq!(root.mul(&root, &effort()).unwrap(), square);
        }
    }
}
