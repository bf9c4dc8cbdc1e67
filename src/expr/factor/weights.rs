//! Gradings: weights of the variables under which all terms of a polynomial weigh the same.
//!
//! Mechanics makes such polynomials: what is dimensionally sound is homogeneous in lengths, masses
//! and times. A variable of weight 1 may then be set to 1 without loss, since all factors are
//! homogeneous too and get it back from their weights.

use crate::expr::echelon::Echelon;
use crate::expr::number::Number;
use crate::expr::poly::{Monomial, Poly, without};

/// A variable that is set to 1, and the weights of all others where it weighs 1.
pub(super) struct Grading {
    variable: usize,
    weights: Vec<i64>,
}

/// A grading of a polynomial without monomial content, where it has one with whole weights.
pub(super) fn grading(p: &Poly) -> Option<Grading> {
    let variables = p.variables();
    // the weights are orthogonal to all differences of exponents
    let (first, others) = p.terms().split_first()?;
    let exponent = |m: &Monomial, v: usize| i64::from(m.get(v).copied().unwrap_or(0));
    let mut echelon = Echelon::default();
    for (m, _) in others {
        let row = variables.iter();
        let row = row.map(|&v| Number::from(exponent(m, v) - exponent(&first.0, v)));
        echelon.add(row.collect());
        if echelon.rows.len() == variables.len() {
            return None;
        }
    }
    let pivots = echelon.rows;
    // one null vector for each column without pivot; any of its entries may be made the 1
    let mut best: Option<(i64, u16, usize, Vec<i64>)> = None;
    for free in (0..variables.len()).filter(|c| pivots.iter().all(|(place, _)| place != c)) {
        let mut vector = vec![Number::ZERO; variables.len()];
        vector[free] = Number::ONE;
        for (place, row) in &pivots {
            vector[*place] = row[free].neg();
        }
        for (place, entry) in vector.iter().enumerate() {
            let Some(unit) = entry.recip() else { continue };
            let scaled: Option<Vec<i64>> = vector.iter().map(|k| k.mul(&unit).to_i64()).collect();
            let Some(scaled) = scaled else { continue };
            let size: i64 = scaled.iter().map(|k| k.abs()).sum();
            let degree = p.degree(variables[place]);
            let v = variables[place];
            // the variable of the highest degree goes
            if best
                .as_ref()
                .is_none_or(|(s, d, w, _)| (*d, size, v) < (degree, *s, *w))
            {
                let mut weights = vec![0; variables.last().map_or(0, |v| v + 1)];
                for (&v, k) in variables.iter().zip(scaled) {
                    weights[v] = k;
                }
                best = Some((size, degree, v, weights));
            }
        }
    }
    best.map(|(_, _, variable, weights)| Grading { variable, weights })
}

impl Grading {
    /// The polynomial with the variable set to 1, primitive with a positive lead.
    pub(super) fn without(&self, p: &Poly) -> Poly {
        let terms = p.terms().iter();
        let terms = terms.map(|(m, k)| (without(m, &[self.variable]), k.clone()));
        Poly::from_terms(terms).primitive().1
    }

    /// The homogeneous polynomial, not divisible by the variable, that becomes this one.
    pub(super) fn restored(&self, p: &Poly) -> Option<Poly> {
        let weight = |m: &Monomial| -> i64 {
            m.iter()
                .zip(&self.weights)
                .map(|(e, w)| i64::from(*e) * w)
                .sum()
        };
        let most = p.terms().iter().map(|(m, _)| weight(m)).max()?;
        let terms: Option<Vec<_>> = p
            .terms()
            .iter()
            .map(|(m, k)| {
                let mut m = m.clone();
                if m.len() <= self.variable {
                    m.resize(self.variable + 1, 0);
                }
                m[self.variable] = u16::try_from(most - weight(&m)).ok()?;
                Some((m, k.clone()))
            })
            .collect();
        Some(Poly::from_terms(terms?).primitive().1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effort::Effort;

    #[test]
    fn a_weighted_polynomial_loses_a_variable_and_gets_it_back() {
        let effort = Effort::new(10_000);
        let [x, y, z] = [0, 1, 2].map(Poly::variable);
        let pow = |p: &Poly, k| p.pow(k, &effort).unwrap();
        // x weighs 2, y 1, z nothing
        let p = pow(&x, 3).add(&pow(&y, 6).mul(&z, &effort).unwrap());
        let grading = grading(&p).unwrap();
        let less = grading.without(&p);
        assert_eq!(less.variables().len(), 2);
        assert_eq!(grading.restored(&less), Some(p));
        let free = pow(&x, 2).add(&y).add(&pow(&y, 2)).add(&z).add(&pow(&z, 3));
        assert!(super::grading(&free).is_none());
    }
}
