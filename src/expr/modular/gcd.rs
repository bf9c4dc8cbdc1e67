//! The greatest common divisor of polynomials by sparse modular interpolation.
//!
//! Images in one variable, all others at random points modulo a large prime, bound the degrees of the
//! gcd; mostly they show at once that there is none. Otherwise the image in the main variable is
//! lifted variable by variable: each coefficient is known to have the monomials it had at one point,
//! so values at as many points give it (R. Zippel, Probabilistic algorithms for sparse polynomials,
//! 1979; K. Geddes, S. Czapor, G. Labahn, Algorithms for Computer Algebra, section 7.5). The lead is
//! made definite by the gcd of the two leads, which the lead of the gcd divides. What is found is
//! believed when it divides both.

use super::sample::{bases, image, in_order, residues, tail_evaluated};
use super::{
    Dense, Field, LARGE_PRIMES, Sampler, Sequence, Skeleton, Sparse, large_primes, symmetric,
};
use crate::effort::Effort;
use crate::expr::number::Number;
use crate::expr::poly::{Monomial, Poly, count, lessen, trimmed, without};
use dashu_int::IBig;
use smallvec::SmallVec;
use std::collections::BTreeMap;

impl Poly {
    /// The greatest common divisor, with coprime integer coefficients and a positive lead.
    /// The zero polynomial divides by everything: gcd(0, p) = p.
    pub fn gcd(&self, other: &Self, effort: &Effort) -> Option<Self> {
        if self.is_zero() {
            return Some(other.primitive().1);
        }
        if other.is_zero() {
            return Some(self.primitive().1);
        }
        count(self.terms());
        count(other.terms());
        effort.spend(0)?;
        let (ma, mb) = (self.monomial_content(), other.monomial_content());
        let mut common = ma.clone();
        lessen(&mut common, &mb);
        let (a, b) = (
            self.without(&ma).primitive().1,
            other.without(&mb).primitive().1,
        );
        let rest = divisor(&a, &b, effort)?;
        Some(rest.shift(&trimmed(common), &Number::ONE).primitive().1)
    }

    /// The content with respect to a variable: the gcd of the coefficients.
    pub fn content_in(&self, v: usize, effort: &Effort) -> Option<Self> {
        // where some coefficient is a single term the content is the monomial common to all
        let mut counts: SmallVec<[u32; 8]> = SmallVec::new();
        for (m, _) in self.terms() {
            let d = usize::from(m.get(v).copied().unwrap_or(0));
            if counts.len() <= d {
                counts.resize(d + 1, 0);
            }
            counts[d] += 1;
        }
        if counts.contains(&1) {
            let common = without(&self.monomial_content(), &[v]);
            return Some(Self::term(common, Number::ONE));
        }
        common(self.coefficients(v).into_iter(), effort)
    }
}

/// gcd of two primitive polynomials without monomial content.
fn divisor(a: &Poly, b: &Poly, effort: &Effort) -> Option<Poly> {
    if a.as_constant().is_some() || b.as_constant().is_some() {
        return Some(Poly::one());
    }
    if a == b {
        return Some(a.clone());
    }
    let (va, vb) = (a.variables(), b.variables());
    // a variable that only one of them has: the gcd divides all its coefficients
    if let Some(&v) = va.iter().find(|v| !vb.contains(v)) {
        return a.content_in(v, effort)?.gcd(b, effort);
    }
    if let Some(&v) = vb.iter().find(|v| !va.contains(v)) {
        return b.content_in(v, effort)?.gcd(a, effort);
    }
    interpolated(a, b, effort)
}

/// The gcd of two primitive polynomials in the same variables, without monomial content; `None` too where no prime leads
/// to it: its coefficients would have more than four thousand bits.
fn interpolated(a: &Poly, b: &Poly, effort: &Effort) -> Option<Poly> {
    let variables = a.variables();
    let bounds = degree_bounds(a, b, &variables, effort)?;
    if bounds.iter().all(|d| *d == 0) {
        return Some(Poly::one());
    }
    if let Some(place) = bounds.iter().position(|d| *d == 0) {
        // free of this variable, it divides all coefficients
        let parts = [a, b].into_iter();
        return common(parts.flat_map(|p| p.coefficients(variables[place])), effort);
    }
    for (p, q) in [(a, b), (b, a)] {
        let whole = variables
            .iter()
            .zip(&bounds)
            .all(|(&v, &d)| usize::from(p.degree(v)) == d);
        if whole && divides(p, q, effort)? {
            return Some(p.clone());
        }
    }
    let (place, _) = bounds.iter().enumerate().min_by_key(|(_, d)| **d)?;
    let v = variables[place];
    let (ca, cb) = (a.content_in(v, effort)?, b.content_in(v, effort)?);
    let content = ca.gcd(&cb, effort)?;
    let (a, b) = (a.div_exact(&ca, effort)?, b.div_exact(&cb, effort)?);
    let lead = |p: &Poly| p.coefficients(v).pop();
    let (la, lb) = (lead(&a)?, lead(&b)?);
    let numeric = la.content().content(&lb.content());
    let lead = la.gcd(&lb, effort)?.scale(&numeric);
    let mut order = vec![v];
    order.extend(variables.iter().copied().filter(|w| *w != v));
    let limits: Vec<usize> = order
        .iter()
        .map(|w| {
            let bound = variables.iter().position(|u| u == w).map(|i| bounds[i]);
            bound.unwrap_or(0) + usize::from(lead.degree(*w))
        })
        .collect();
    let problem = Problem {
        a: &a,
        b: &b,
        lead: &lead,
        order: &order,
        limits: &limits,
        effort,
    };
    Some(content.mul(&problem.solve()?, effort)?.primitive().1)
}

/// The gcd of any number of polynomials, the short ones first.
pub(in crate::expr) fn common(parts: impl Iterator<Item = Poly>, effort: &Effort) -> Option<Poly> {
    let mut parts: Vec<Poly> = parts.filter(|p| !p.is_zero()).collect();
    parts.sort_by_key(|p| p.terms().len());
    let mut result = Poly::zero();
    for part in parts {
        result = result.gcd(&part, effort)?;
        if result.is_one() {
            break;
        }
    }
    Some(result)
}

fn divides(p: &Poly, q: &Poly, effort: &Effort) -> Option<bool> {
    // an exhausted allowance shows at the next step
    effort.spend(0)?;
    let answer = q.div_exact(p, effort).is_some();
    effort.spend(0)?;
    Some(answer)
}

/// For each variable a number that the degree of the gcd does not exceed, mostly its degree.
fn degree_bounds(a: &Poly, b: &Poly, variables: &[usize], effort: &Effort) -> Option<Vec<usize>> {
    let field = Field::new(LARGE_PRIMES[0]);
    let mut sequence = Sequence::new(variables.len() as u64);
    let degrees = |p: &Poly| -> Vec<usize> {
        let degree = |v: &usize| usize::from(p.degree(*v));
        variables.iter().map(degree).collect()
    };
    let (da, db) = (degrees(a), degrees(b));
    let points = bases(field, variables.len(), &mut sequence);
    let sparse = [a, b].map(|p| residues(p, variables, field));
    let [Some(ra), Some(rb)] = sparse else {
        return None;
    };
    let mut bounds = Vec::with_capacity(variables.len());
    for v in 0..variables.len() {
        effort.spend_words((ra.len() + rb.len()) * variables.len() + 4 * da[v] * db[v])?;
        let (ia, ib) = (image(&ra, v, &points, field), image(&rb, v, &points, field));
        // a zero of both leads says nothing
        let sound = ia.len() == da[v] + 1 || ib.len() == db[v] + 1;
        let trivial = da[v].min(db[v]);
        bounds.push(if sound {
            (field.poly_gcd(&ia, &ib).len().max(1) - 1).min(trivial)
        } else {
            trivial
        });
    }
    Some(bounds)
}

/// Two polynomials without content in the first variable of the order.
struct Problem<'a> {
    a: &'a Poly,
    b: &'a Poly,
    /// the gcd of their leads
    lead: &'a Poly,
    order: &'a [usize],
    /// degrees in the variables of the order that the gcd with this lead does not exceed
    limits: &'a [usize],
    effort: &'a Effort,
}

impl Problem<'_> {
    fn solve(&self) -> Option<Poly> {
        let mut sequence = Sequence::new(self.order.len() as u64);
        let mut known: BTreeMap<Monomial, IBig> = BTreeMap::new();
        let mut modulus = IBig::ONE;
        let mut degree = usize::MAX;
        for p in large_primes() {
            self.effort.spend(0)?;
            let field = Field::new(p);
            let Some(found) = self.modulo(field, &mut sequence) else {
                continue;
            };
            let reached = found
                .iter()
                .map(|(m, _)| usize::from(m[0]))
                .max()
                .unwrap_or(0);
            if reached == 0 {
                return Some(Poly::one());
            }
            if reached > degree {
                continue;
            }
            if reached < degree {
                // the primes before were unlucky
                (known, modulus, degree) = (BTreeMap::new(), IBig::ONE, reached);
            }
            combine(&mut known, &mut modulus, &found, field);
            let whole = self.integers(&known, &modulus);
            let candidate = if self.lead.as_constant().is_some() {
                whole.primitive().1
            } else {
                let content = whole.content_in(self.order[0], self.effort)?;
                whole.div_exact(&content, self.effort)?.primitive().1
            };
            if divides(&candidate, self.a, self.effort)?
                && divides(&candidate, self.b, self.effort)?
            {
                return Some(candidate);
            }
        }
        None
    }

    /// The integers of least size with these residues.
    fn integers(&self, known: &BTreeMap<Monomial, IBig>, modulus: &IBig) -> Poly {
        Poly::from_terms(known.iter().map(|(m, k)| {
            let k = symmetric(k.clone(), modulus);
            (in_order(m, self.order), Number::from_integer(k))
        }))
    }

    /// The gcd modulo a prime, with the lead prescribed; `None` too where points or prime are unlucky.
    fn modulo(&self, field: Field, sequence: &mut Sequence) -> Option<Sparse> {
        let count = self.order.len();
        let [a, b, lead] = [self.a, self.b, self.lead].map(|p| residues(p, self.order, field));
        let (a, b, lead) = (a?, b?, lead?);
        let points = bases(field, count, sequence);
        self.effort.spend_words((a.len() + b.len()) * count)?;
        let [ia, ib, il] = [&a, &b, &lead].map(|p| image(p, 0, &points, field));
        let full = |p: &Poly| usize::from(p.degree(self.order[0])) + 1;
        if ia.len() != full(self.a) || ib.len() != full(self.b) {
            return None;
        }
        let first = field.poly_scale(&field.poly_gcd(&ia, &ib), *il.first()?);
        let degree = first.len() - 1;
        let mut known: Sparse = first
            .iter()
            .enumerate()
            .filter(|(_, k)| **k != 0)
            .map(|(e, k)| (Monomial::from_elem(e as u16, 1), *k))
            .collect();
        if degree == 0 {
            return Some(known);
        }
        for j in 1..count {
            let [a, b, lead] = [&a, &b, &lead].map(|p| tail_evaluated(p, j + 1, &points, field));
            self.effort.spend((a.len() + b.len()) * 2)?;
            let bases = bases(field, j - 1, sequence);
            let skeleton = Skeleton::new(field, &known, &bases, self.effort)?;
            let [mut a, mut b, mut lead] = [&a, &b, &lead].map(|p| Sampler::new(field, p, &bases));
            let nodes: Vec<u64> = bases_distinct(field, self.limits[j] + 1, sequence);
            let inverse = interpolation(field, &nodes)?;
            let mut samples: Vec<Vec<Dense>> = Vec::new();
            for _ in 0..skeleton.points() {
                self.effort.spend_words(a.cost() + b.cost() + lead.cost())?;
                let rows = [a.step(), b.step(), lead.step()];
                samples.push(self.sample(field, degree, &rows, &nodes, &inverse)?);
            }
            known = skeleton.fitted(field, &samples, self.effort)?;
        }
        Some(known)
    }

    /// The gcd of two polynomials in two variables (rows: the powers of the second) with this lead.
    fn sample(
        &self,
        field: Field,
        degree: usize,
        rows: &[Vec<Dense>; 3],
        nodes: &[u64],
        inverse: &[Dense],
    ) -> Option<Vec<Dense>> {
        let widths = [0, 1].map(|i| rows[i].iter().map(Vec::len).max().unwrap_or(0));
        let each =
            widths[0] * rows[0].len() + widths[1] * rows[1].len() + 2 * widths[0] * widths[1];
        self.effort
            .spend_words(nodes.len() * (each + 100 + nodes.len() * degree))?;
        let mut result: Vec<Dense> = vec![vec![0; degree + 1]; nodes.len()];
        for (node, basis) in nodes.iter().zip(inverse) {
            let at = |rows: &[Dense]| {
                rows.iter().rev().fold(Dense::new(), |sum, row| {
                    field.poly_add(&field.poly_scale(&sum, *node), row)
                })
            };
            let [a, b, lead] = [at(&rows[0]), at(&rows[1]), at(&rows[2])];
            let found = field.poly_scale(&field.poly_gcd(&a, &b), *lead.first()?);
            if a.len() != widths[0] || b.len() != widths[1] || found.len() != degree + 1 {
                return None;
            }
            for (row, &weight) in result.iter_mut().zip(basis) {
                for (place, &k) in row.iter_mut().zip(&found) {
                    *place = field.add(*place, field.mul(weight, k));
                }
            }
        }
        Some(result)
    }
}

/// Different points.
fn bases_distinct(field: Field, count: usize, sequence: &mut Sequence) -> Vec<u64> {
    let start = sequence.residue(field);
    // consecutive numbers differ
    (0..count as u64)
        .map(|k| field.add(start, k % field.prime()))
        .collect()
}

/// The Lagrange polynomials of these points.
fn interpolation(field: Field, nodes: &[u64]) -> Option<Vec<Dense>> {
    let factor = |n: &u64| vec![field.neg(*n), 1];
    let master = nodes
        .iter()
        .fold(vec![1], |all, n| field.poly_mul(&all, &factor(n)));
    nodes
        .iter()
        .map(|n| {
            let (basis, _) = field.poly_divide(&master, &factor(n))?;
            let weight = field.recip(field.poly_value(&basis, *n))?;
            Some(field.poly_scale(&basis, weight))
        })
        .collect()
}

/// Adds what is known modulo one more prime (the Chinese remainder theorem).
fn combine(known: &mut BTreeMap<Monomial, IBig>, modulus: &mut IBig, found: &Sparse, field: Field) {
    let p = IBig::from(field.prime());
    let residue = |k: &IBig| u64::try_from(k % &p).unwrap_or(0);
    let inverse = field.recip(residue(modulus)).unwrap_or(1);
    for (m, _) in found {
        known.entry(m.clone()).or_default();
    }
    let fresh: BTreeMap<&Monomial, u64> = found.iter().map(|(m, k)| (m, *k)).collect();
    for (m, value) in known.iter_mut() {
        let wanted = fresh.get(m).copied().unwrap_or(0);
        let digit = field.mul(field.sub(wanted, residue(value)), inverse);
        *value += &*modulus * IBig::from(digit);
    }
    *modulus *= p;
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn poly() -> impl Strategy<Value = Poly> {
        let exponents = proptest::collection::vec(0_u16..4, 5);
        // some coefficients are longer than a prime
        let factor = prop_oneof![4 => Just(1_i64), 1 => Just(i64::MAX - 24)];
        proptest::collection::vec((exponents, 1_i64..100, factor), 2..9).prop_map(|list| {
            Poly::from_terms(list.into_iter().map(|(e, k, f)| {
                let k = Number::from(k - 50)
                    .mul(&Number::from(f))
                    .mul(&Number::from(f));
                (Monomial::from_vec(e), k)
            }))
        })
    }

    #[test]
    fn long_coefficients_take_more_primes_than_are_listed() {
        let effort = Effort::new(50_000_000);
        let long = (0..20).fold(Number::ONE, |all, k| all.mul(&Number::from(i64::MAX - k)));
        let [x, y] = [0, 1].map(Poly::variable);
        let common = x.mul(&y, &effort).unwrap().add(&x);
        let common = common.add(&Poly::constant(long));
        let other = |k: i64| x.add(&y.scale(&Number::from(k))).add(&Poly::one());
        let [a, b] = [2, 3].map(|k| other(k).mul(&common, &effort).unwrap());
        assert_eq!(a.gcd(&b, &effort), Some(common));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn what_is_common_is_found_and_no_more(p in poly(), q in poly(), c in poly()) {
            prop_assume!(!p.is_zero() && !q.is_zero() && !c.is_zero());
            let effort = Effort::new(5_000_000);
            let (a, b) = (p.mul(&c, &effort).unwrap(), q.mul(&c, &effort).unwrap());
            let g = a.gcd(&b, &effort).unwrap();
            prop_assert!(g.div_exact(&c, &effort).is_some());
            let (a, b) = (a.div_exact(&g, &effort).unwrap(), b.div_exact(&g, &effort).unwrap());
            // the cofactors are coprime: a common factor would show at every point
            let rest = degree_bounds(&a.primitive().1, &b.primitive().1, &[0, 1, 2, 3, 4], &effort);
            prop_assert!(rest.unwrap().iter().all(|d| *d == 0));
        }
    }
}
