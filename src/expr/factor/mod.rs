//! Irreducible factors of polynomials in several variables over the rationals.
//!
//! First what is cheap: numeric and monomial content, content in each variable, square-free parts.
//! A polynomial without content in which some variable stands to the first power is irreducible, and
//! one with a square splits by its discriminant. A homogeneous one (variables may count with different
//! weights) loses a variable. What is left is for [`univariate`] and [`multivariate`].
//!
//! Work is bounded by an [`Effort`]; past it the factors found so far are given, and said not to be
//! complete. Every result is multiplied out before it is given.

mod multivariate;
mod square_free;
mod univariate;
mod weights;

use super::modular::{Field, LARGE_PRIMES, Sequence, bases, image, residues};
use super::number::Number;
use super::poly::{Monomial, Poly};
use super::tally::tally;
use crate::effort::Effort;
use square_free::square_free;
use std::borrow::Cow;
use std::cmp::Ordering;
use univariate::Whole;

/// Term products that multiplying out a result may take.
const CHECK: u64 = 2_000_000;
/// Points at which a discriminant is tried for being a square.
const TRIALS: usize = 12;

/// A polynomial as `unit * prod factor^multiplicity`.
#[derive(Clone, Debug)]
pub struct Factored {
    /// The numeric factor.
    pub unit: Number,
    /// Distinct factors, primitive with a positive lead, with their multiplicities: variables first,
    /// then by degree and length.
    pub factors: Vec<(Poly, u32)>,
    /// False where a factor might split further.
    pub complete: bool,
}

/// How far to factor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// Contents and repeated factors only: `x^2 - y^2` stays as it is. For denominators.
    Contents,
    /// Into irreducible factors.
    Full,
}

/// Factors a polynomial; `None` for zero.
pub fn factor(p: &Poly, effort: &Effort) -> Option<Factored> {
    factor_to(p, Depth::Full, effort)
}

/// Factors a polynomial to a depth; `None` for zero.
pub fn factor_to(p: &Poly, depth: Depth, effort: &Effort) -> Option<Factored> {
    if p.is_zero() {
        return None;
    }
    let (unit, bare) = p.primitive();
    let mut splitter = Splitter {
        depth,
        effort,
        factors: Vec::new(),
        complete: true,
    };
    let monomial = bare.monomial_content();
    for (v, &times) in monomial.iter().enumerate().filter(|(_, e)| **e > 0) {
        splitter.push(Poly::variable(v), u32::from(times));
    }
    splitter.split(bare.without(&monomial), 1);
    let Splitter {
        mut factors,
        complete,
        ..
    } = splitter;
    factors.sort_by(|(a, _), (b, _)| order(a, b));
    let result = Factored {
        unit,
        factors,
        complete,
    };
    if result.factors.len() > 1 || result.factors.iter().any(|(_, k)| *k > 1) {
        let product = multiplied_out(&result, effort);
        if product.as_ref() != Some(p) {
            // it is something else: give the polynomial itself, and say so
            assert!(product.is_none(), "factors of another polynomial");
            return Some(Factored {
                unit: p.content(),
                factors: vec![(p.primitive().1, 1)],
                complete: false,
            });
        }
    }
    Some(result)
}

/// Variables by number, then polynomials by degree, length and terms.
pub(super) fn order(a: &Poly, b: &Poly) -> Ordering {
    let rank = |p: &Poly| {
        let degree = |m: &Monomial| m.iter().map(|e| u32::from(*e)).sum::<u32>();
        let degree = p.terms().iter().map(|(m, _)| degree(m)).max();
        (p.terms().len() > 1, degree, p.terms().len())
    };
    rank(a).cmp(&rank(b)).then_with(|| b.terms().cmp(a.terms()))
}

fn multiplied_out(f: &Factored, effort: &Effort) -> Option<Poly> {
    let effort = effort.part(CHECK);
    let mut product = Poly::constant(f.unit.clone());
    for (p, times) in f.factors.iter().rev() {
        for _ in 0..*times {
            product = product.mul(p, &effort)?;
        }
    }
    Some(product)
}

struct Splitter<'a> {
    depth: Depth,
    effort: &'a Effort,
    factors: Vec<(Poly, u32)>,
    complete: bool,
}

impl Splitter<'_> {
    fn push(&mut self, factor: Poly, times: u32) {
        tally(&mut self.factors, Cow::Owned(factor), times);
    }

    /// Splits a primitive polynomial without monomial content as far as the effort goes.
    fn split(&mut self, p: Poly, times: u32) {
        if p.as_constant().is_some() {
            return;
        }
        match self.parts(&p) {
            Some(Parts::Irreducible) => self.push(p, times),
            Some(Parts::Open(parts)) => {
                for (part, k) in parts {
                    self.split(part, times * k);
                }
            }
            Some(Parts::Done(parts, complete)) => {
                self.complete &= complete;
                for part in parts {
                    self.push(part, times);
                }
            }
            None => {
                self.complete = false;
                self.push(p, times);
            }
        }
    }

    /// One step of splitting; `None` when out of effort.
    fn parts(&self, p: &Poly) -> Option<Parts> {
        let mut variables = p.variables();
        variables.sort_by_key(|v| (p.degree(*v), *v));
        for &v in &variables {
            let content = p.content_in(v, self.effort)?;
            if content.as_constant().is_none() {
                let rest = p.div_exact(&content, self.effort)?.primitive().1;
                return Some(Parts::Open(vec![(content, 1), (rest, 1)]));
            }
            if p.degree(v) == 1 {
                return Some(Parts::Irreducible);
            }
        }
        let v = *variables.first()?;
        let mut parts = square_free(p, v, self.effort)?;
        if let [(part, times)] = parts.as_mut_slice()
            && *times == 1
        {
            return if self.depth == Depth::Contents {
                Some(Parts::Done(vec![p.clone()], false))
            } else {
                let (parts, complete) = irreducibles(part, self.effort)?;
                Some(Parts::Done(parts, complete))
            };
        }
        Some(Parts::Open(parts))
    }
}

/// What a step of splitting gave.
enum Parts {
    /// The polynomial does not split.
    Irreducible,
    /// Parts with multiplicities, to be split further.
    Open(Vec<(Poly, u32)>),
    /// Parts not to be split further, and whether they are certain to be irreducible.
    Done(Vec<Poly>, bool),
}

/// The irreducible factors of a primitive square-free polynomial that has no content in any variable.
fn irreducibles(p: &Poly, effort: &Effort) -> Option<(Vec<Poly>, bool)> {
    let variables = p.variables();
    if variables.iter().any(|v| p.degree(*v) == 1) {
        return Some((vec![p.clone()], true));
    }
    if let Some(&v) = variables.iter().find(|v| p.degree(**v) == 2) {
        return split_quadratic(p, v, effort).map(|parts| (parts, true));
    }
    if let [v] = variables.as_slice() {
        return split_univariate(p, *v, effort);
    }
    if let Some(grading) = weights::grading(p) {
        let (parts, complete) = irreducibles(&grading.without(p), effort)?;
        let parts: Option<Vec<Poly>> = parts.iter().map(|f| grading.restored(f)).collect();
        return Some((parts?, complete));
    }
    multivariate::irreducibles(p, effort)
}

/// A square-free quadratic in `v` splits exactly where its discriminant is a square.
fn split_quadratic(p: &Poly, v: usize, effort: &Effort) -> Option<Vec<Poly>> {
    let parts = p.coefficients(v);
    let [c, b, a] = parts.as_slice() else {
        return None;
    };
    if !maybe_square(p, v, effort)? {
        return Some(vec![p.clone()]);
    }
    let four = Number::from(4);
    let discriminant = b.mul(b, effort)?.sub(&a.mul(c, effort)?.scale(&four));
    let Some(root) = discriminant.sqrt(effort) else {
        effort.spend(0)?;
        return Some(vec![p.clone()]);
    };
    let lead = a.scale(&Number::from(2)).mul(&Poly::variable(v), effort)?;
    let first = lead.add(b).sub(&root);
    let content = first.content_in(v, effort)?;
    let first = first.div_exact(&content, effort)?.primitive().1;
    let second = p.div_exact(&first, effort)?.primitive().1;
    Some(vec![first, second])
}

/// May the discriminant be a square? Not where its value modulo a prime is not one.
fn maybe_square(p: &Poly, v: usize, effort: &Effort) -> Option<bool> {
    let field = Field::new(LARGE_PRIMES[0]);
    let order = p.variables_from(v);
    let sparse = residues(p, &order, field)?;
    let mut sequence = Sequence::new(v as u64);
    for _ in 0..TRIALS {
        effort.spend_words(sparse.len() * order.len() + 200)?;
        let points = bases(field, order.len(), &mut sequence);
        if let [c, b, a] = image(&sparse, 0, &points, field)[..] {
            let discriminant = field.sub(field.mul(b, b), field.mul(4, field.mul(a, c)));
            if discriminant != 0 && field.is_non_residue(discriminant) {
                return Some(false);
            }
        }
    }
    Some(true)
}

fn split_univariate(p: &Poly, v: usize, effort: &Effort) -> Option<(Vec<Poly>, bool)> {
    let coefficients: Option<Whole> = p
        .coefficients(v)
        .iter()
        .map(|k| k.as_constant()?.integer())
        .collect();
    let split = univariate::irreducibles(&coefficients?, effort)?;
    let poly = |list: Whole| {
        Poly::from_terms(list.into_iter().enumerate().map(|(e, k)| {
            let mut m = Monomial::from_elem(0, v + 1);
            m[v] = e as u16;
            (m, Number::from_integer(k))
        }))
    };
    let parts = split.factors.into_iter().map(|f| poly(f).primitive().1);
    Some((parts.collect(), split.complete))
}

#[cfg(test)]
mod tests;
