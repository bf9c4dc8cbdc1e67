//! Sparse polynomials modulo a prime, their values at geometric sequences of points, and the way back.
//!
//! At the points (b_1^t, ..., b_n^t), t = 1, 2, ..., a monomial takes the values m^t of a geometric
//! sequence. Where the monomials are known and their m differ, the coefficients follow from as many
//! values as there are monomials, by a transposed Vandermonde system (R. Zippel, Interpolating
//! polynomials from their values, J. Symb. Comp. 9, 1990).
//!
//! Variables are counted in an order of one's own: the first is the *main* one, which stays; the
//! others are evaluated.

use super::{Dense, Field, Sequence};
use crate::effort::Effort;
use crate::expr::poly::{Monomial, Poly};
use std::collections::BTreeMap;

/// Distinct monomials of full length, with residues that are not zero.
pub(in crate::expr) type Sparse = Vec<(Monomial, u64)>;

/// A polynomial of whole numbers modulo the prime, its variables in this order.
pub(in crate::expr) fn residues(p: &Poly, order: &[usize], field: Field) -> Option<Sparse> {
    let mut terms = Sparse::with_capacity(p.terms().len());
    for (m, k) in p.terms() {
        let residue = field.whole(k)?;
        if residue != 0 {
            let place = |v: &usize| m.get(*v).copied().unwrap_or(0);
            terms.push((order.iter().map(place).collect(), residue));
        }
    }
    Some(terms)
}

/// A monomial in the variables of an order as one in all variables.
pub(in crate::expr) fn in_order(m: &Monomial, order: &[usize]) -> Monomial {
    let top = order.iter().max().map_or(0, |v| v + 1);
    let mut place = Monomial::from_elem(0, top);
    for (&v, &e) in order.iter().zip(m) {
        place[v] = e;
    }
    place
}

/// The polynomial in one variable that is left where all others are given values.
pub(in crate::expr) fn image(p: &Sparse, v: usize, points: &[u64], field: Field) -> Dense {
    let tables = tables(p, points, field);
    let mut dense = vec![0; usize::from(degree(p, v)) + 1];
    for (m, k) in p {
        let mut value = *k;
        for (w, &e) in m.iter().enumerate() {
            if w != v && e > 0 {
                value = field.mul(value, tables[w][usize::from(e)]);
            }
        }
        let place = &mut dense[usize::from(m[v])];
        *place = field.add(*place, value);
    }
    Field::trim(dense)
}

fn degree(p: &Sparse, v: usize) -> u16 {
    p.iter().map(|(m, _)| m[v]).max().unwrap_or(0)
}

/// The powers of each variable at its point, as far as they occur.
fn tables(p: &Sparse, points: &[u64], field: Field) -> Vec<Vec<u64>> {
    let points = points.iter().enumerate();
    points
        .map(|(v, &point)| powers(field, point, degree(p, v)))
        .collect()
}

/// The powers of a number up to this exponent.
fn powers(field: Field, base: u64, top: u16) -> Vec<u64> {
    let mut list = vec![1];
    let mut last = 1;
    for _ in 0..top {
        last = field.mul(last, base);
        list.push(last);
    }
    list
}

/// Puts points in for all variables from `keep` on; they are left out of the monomials.
pub(in crate::expr) fn tail_evaluated(
    p: &Sparse,
    keep: usize,
    points: &[u64],
    field: Field,
) -> Sparse {
    let tables = tables(p, points, field);
    let mut map: BTreeMap<Monomial, u64> = BTreeMap::new();
    for (m, k) in p {
        let mut value = *k;
        for v in keep..m.len() {
            if m[v] > 0 {
                value = field.mul(value, tables[v][usize::from(m[v])]);
            }
        }
        let place = map
            .entry(m.iter().take(keep).copied().collect())
            .or_insert(0);
        *place = field.add(*place, value);
    }
    map.into_iter().filter(|(_, k)| *k != 0).collect()
}

/// A sparse polynomial whose main variable, and perhaps one more, stay, at successive points of the
/// geometric sequence for the rest.
pub(in crate::expr) struct Sampler {
    field: Field,
    /// exponents of the variables that stay, ratio of successive values, value now
    terms: Vec<(usize, usize, u64, u64)>,
    size: (usize, usize),
}

impl Sampler {
    /// Variables 1, 2, ... take powers of the bases; the variable after the last base stays too.
    pub(in crate::expr) fn new(field: Field, p: &Sparse, bases: &[u64]) -> Self {
        let last = bases.len() + 1;
        let terms: Vec<_> = p
            .iter()
            .map(|(m, k)| {
                let second = m.get(last).copied().unwrap_or(0);
                let ratio = ratio(field, m, bases);
                (usize::from(m[0]), usize::from(second), ratio, *k)
            })
            .collect();
        let first = terms.iter().map(|t| t.0).max().unwrap_or(0);
        let second = terms.iter().map(|t| t.1).max().unwrap_or(0);
        Self {
            field,
            terms,
            size: (first + 1, second + 1),
        }
    }

    /// The work of one step, in operations on words.
    pub(in crate::expr) fn cost(&self) -> usize {
        self.terms.len() + self.size.0 * self.size.1
    }

    /// Goes to the next point (the first before it) and gives, for each power of the second variable
    /// that stays, the polynomial in the first.
    pub(in crate::expr) fn step(&mut self) -> Vec<Dense> {
        let mut rows = vec![vec![0; self.size.0]; self.size.1];
        for (first, second, ratio, value) in &mut self.terms {
            *value = self.field.mul(*value, *ratio);
            let place = &mut rows[*second][*first];
            *place = self.field.add(*place, *value);
        }
        rows.into_iter().map(Field::trim).collect()
    }
}

fn ratio(field: Field, m: &Monomial, bases: &[u64]) -> u64 {
    bases.iter().enumerate().fold(1, |all, (v, &base)| {
        field.mul(all, field.pow(base, u64::from(m[v + 1])))
    })
}

/// The monomials beside one power of the main variable, and the way from values to coefficients.
#[derive(Clone, Debug)]
pub(in crate::expr) struct Group {
    /// The power of the main variable.
    pub(in crate::expr) power: usize,
    /// The monomials, the main variable with exponent 0.
    pub(in crate::expr) monomials: Vec<Monomial>,
    nodes: Vec<u64>,
    /// prod (X - node)
    master: Dense,
    /// 1/(m_l q_l(m_l)) with q_l = master/(X - m_l)
    weights: Vec<u64>,
}

impl Group {
    /// The coefficients that make these values at the points t = 1, 2, ...
    pub(in crate::expr) fn solve(&self, field: Field, values: &[u64]) -> Vec<u64> {
        let size = self.nodes.len();
        self.nodes
            .iter()
            .zip(&self.weights)
            .map(|(&node, &weight)| {
                // the coefficients of q_l come from synthetic division, highest first
                let (mut q, mut total) = (0, 0);
                for t in (0..size).rev() {
                    q = field.add(field.mul(q, node), self.master[t + 1]);
                    total = field.add(total, field.mul(q, values[t]));
                }
                field.mul(total, weight)
            })
            .collect()
    }
}

/// The monomials that a polynomial may have, grouped by the power of the main variable.
pub(in crate::expr) struct Skeleton {
    pub(in crate::expr) groups: Vec<Group>,
}

impl Skeleton {
    /// That of a polynomial; `None` too where two monomials cannot be told apart at these bases.
    pub(in crate::expr) fn new(
        field: Field,
        p: &Sparse,
        bases: &[u64],
        effort: &Effort,
    ) -> Option<Self> {
        let mut by_power: BTreeMap<u16, Vec<Monomial>> = BTreeMap::new();
        for (m, _) in p {
            let mut rest = m.clone();
            rest[0] = 0;
            by_power.entry(m[0]).or_default().push(rest);
        }
        let mut groups = Vec::new();
        for (power, monomials) in by_power {
            let nodes: Vec<u64> = monomials.iter().map(|m| ratio(field, m, bases)).collect();
            let mut sorted = nodes.clone();
            sorted.sort_unstable();
            if sorted.windows(2).any(|w| w[0] == w[1]) {
                return None;
            }
            effort.spend_words(3 * nodes.len() * nodes.len())?;
            let master = nodes
                .iter()
                .fold(vec![1], |all, &n| field.poly_mul(&all, &[field.neg(n), 1]));
            let slope = field.poly_derivative(&master);
            let weight = |&n: &u64| field.recip(field.mul(n, field.poly_value(&slope, n)));
            groups.push(Group {
                power: usize::from(power),
                monomials,
                weights: nodes.iter().map(weight).collect::<Option<_>>()?,
                nodes,
                master,
            });
        }
        Some(Self { groups })
    }

    /// How many points its coefficients take.
    pub(in crate::expr) fn points(&self) -> usize {
        self.groups.iter().map(|g| g.nodes.len()).max().unwrap_or(0)
    }

    /// The polynomial with these monomials whose samples (at t = 1, 2, ...: a polynomial in the main
    /// variable for each power of the second one) these are.
    pub(in crate::expr) fn fitted(
        &self,
        field: Field,
        samples: &[Vec<Dense>],
        effort: &Effort,
    ) -> Option<Sparse> {
        let powers = samples.iter().map(Vec::len).max().unwrap_or(0);
        let mut terms = Sparse::new();
        for group in &self.groups {
            let size = group.nodes.len();
            effort.spend_words(2 * size * size * powers)?;
            for second in 0..powers {
                let values: Vec<u64> = samples
                    .iter()
                    .take(size)
                    .map(|rows| {
                        let row = rows.get(second).map_or(&[][..], Vec::as_slice);
                        row.get(group.power).copied().unwrap_or(0)
                    })
                    .collect();
                if values.iter().all(|v| *v == 0) {
                    continue;
                }
                let found = group.solve(field, &values);
                for (m, k) in group.monomials.iter().zip(found) {
                    if k != 0 {
                        let mut m = m.clone();
                        m[0] = group.power as u16;
                        m.push(second as u16);
                        terms.push((m, k));
                    }
                }
            }
        }
        Some(terms)
    }
}

/// Bases of a geometric sequence for this many variables.
pub(in crate::expr) fn bases(field: Field, count: usize, sequence: &mut Sequence) -> Vec<u64> {
    (0..count).map(|_| sequence.residue(field)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::modular::LARGE_PRIMES;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn samples_give_the_polynomial_back(
            list in proptest::collection::btree_map((0_u16..3, 0_u16..4, 0_u16..4, 0_u16..3), 1_u64..1000, 1..20),
            seed: u64,
        ) {
            let field = Field::new(LARGE_PRIMES[0]);
            let effort = Effort::new(1_000_000);
            let p: Sparse = list
                .into_iter()
                .map(|((a, b, c, d), k)| (Monomial::from_slice(&[a, b, c, d]), k))
                .collect();
            let at_one = tail_evaluated(&p, 3, &[0, 0, 0, 1], field);
            let bases = bases(field, 2, &mut Sequence::new(seed));
            let skeleton = Skeleton::new(field, &at_one, &bases, &effort).unwrap();
            let mut sampler = Sampler::new(field, &p, &bases);
            let samples: Vec<_> = (0..skeleton.points()).map(|_| sampler.step()).collect();
            let mut found = skeleton.fitted(field, &samples, &effort).unwrap();
            found.sort_unstable();
            prop_assert_eq!(found, p);
        }
    }
}
