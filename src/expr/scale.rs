//! Numbers moved between a product and the sums in it when it is written, where that makes it shorter:
//! `(5*x - 2)*m/5` is written `m*(x - 0.4)`, and `1000*m/(1000*y - 251)` is written `m/(y - 0.251)`.
//!
//! The sums in a product have whole coefficients without a common factor. That is good to compute with,
//! and to write `2*(x - y)`, but a length of 0.4 m was 0.4 in the file and should be in the answer.

use super::number::Number;
use super::pool::{Expr, Factors, Node, Pool};

/// Decimals of more than nine places are none that a person would write.
const FINEST: i64 = 1_000_000_000;
/// Sums of more terms are left as they are.
const MOST_TERMS: usize = 40;

impl Pool {
    /// A coefficient and factors with the sums among them scaled to where the product is shortest; `None`
    /// where that is as it is.
    pub(super) fn with_sums_scaled(
        &self,
        coefficient: &Number,
        factors: &[(Expr, Expr)],
    ) -> Option<(Number, Factors)> {
        let mut best: Option<(Number, Factors)> = None;
        for (place, &(base, exponent)) in factors.iter().enumerate() {
            let Node::Sum(constant, terms) = &*self.node(base) else {
                continue;
            };
            let Some(n) = self.as_number(exponent).and_then(|q| q.to_i64()) else {
                continue;
            };
            // a decimal before the sum may be its own: 0.15*(12*x^2 - 1) is 1.8*x^2 - 0.15
            let size = best.as_ref().map_or(coefficient, |(k, _)| k).abs();
            let whole = match n {
                1 if is_decimal(&size) => size.recip(),
                -1 if is_decimal(&size) => Some(size),
                _ => None,
            };
            let list = scales(constant, terms, whole);
            if list.is_empty() {
                continue;
            }
            let (k, own) = best
                .clone()
                .unwrap_or_else(|| (coefficient.clone(), Factors::from_slice(factors)));
            let mut least = self.cost_of_product(&k, &own);
            for r in list {
                let (Some(inverse), Some(power)) = (r.recip(), r.pow(n)) else {
                    continue;
                };
                let other = k.mul(&power);
                let mut scaled = own.clone();
                if let Some(factor) = scaled.get_mut(place) {
                    factor.0 = self.scale(base, &inverse);
                }
                let cost = self.cost_of_product(&other, &scaled);
                if cost < least {
                    least = cost;
                    best = Some((other, scaled));
                }
            }
        }
        best
    }

    /// An expression of which only the zeros count, scaled to where it is shortest: `y - 0.251` for
    /// `1000*y - 251`.
    pub fn scaled_for_zeros(&self, e: Expr) -> Expr {
        let Node::Sum(constant, terms) = &*self.node(e) else {
            return e;
        };
        let scaled = scales(constant, terms, None).into_iter();
        let scaled = scaled.filter_map(|r| Some(self.scale(e, &r.recip()?)));
        // the first of the shortest
        [e].into_iter()
            .chain(scaled)
            .min_by_key(|e| self.cost(*e))
            .unwrap_or(e)
    }
}

/// Is it one that can be written with a decimal point, and no half, quarter or eighth?
fn is_decimal(k: &Number) -> bool {
    let below = k.denominator().to_i64();
    below.is_some_and(|d| d % 5 == 0 && FINEST % d == 0)
}

/// What a sum may be divided by: the sizes of its coefficients and another number, none 1, that leave no
/// fraction before a term.
fn scales(constant: &Number, terms: &[(Expr, Number)], other: Option<Number>) -> Vec<Number> {
    let mut list: Vec<Number> = Vec::new();
    if terms.len() > MOST_TERMS {
        return list;
    }
    let sizes = terms.iter().map(|(_, k)| k).chain([constant]);
    for size in sizes.map(Number::abs).chain(other) {
        if size.is_zero() || size.is_one() || list.contains(&size) {
            continue;
        }
        // `x'^2 + 2*g*x` stays: a half in front of a term is no decimal
        let inverse = size.recip().unwrap_or(Number::ONE);
        let whole_or_decimal = |k: &Number| {
            let scaled = k.mul(&inverse);
            scaled.is_integer() || is_decimal(&scaled)
        };
        if terms.iter().all(|(_, k)| whole_or_decimal(k)) {
            list.push(size);
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{NameError, SymbolKind, parse};

    #[test]
    fn decimals_come_back_and_nothing_gets_longer() {
        let pool = Pool::new();
        for (index, name) in ["x", "y", "m"].iter().enumerate() {
            pool.symbol(name, SymbolKind::Coordinate { index, order: 0 });
        }
        let names = |name: &str, _| {
            pool.lookup(name).ok_or(NameError::Unknown {
                name: name.to_owned(),
                help: None,
            })
        };
        for (text, wanted) in [
            ("m*(5*x - 2)/5", "m*(x - 0.4)"),
            ("1000*m/(1000*y - 251)", "m/(y - 0.251)"),
            ("m*(5*x - 2)*(4*y - 1)/20", "m*(x - 0.4)*(y - 1/4)"),
            ("x + m*(5*y - 2)^2/25", "m*(y - 0.4)^2 + x"),
            ("sin(m*(5*x - 2)/5)", "sin(m*(x - 0.4))"),
            ("y + m*(0.15 - 1.8*x)", "m*(0.15 - 1.8*x) + y"),
            (
                "1.5*y + 0.02*(x - m)*(4*x - 1.6)",
                "0.08*(x - m)*(x - 0.4) + 3*y/2",
            ),
            // these are shortest as they are
            ("m*(x - y)/2", "m*(x - y)/2"),
            ("m*(2*x - 3*y)", "m*(2*x - 3*y)"),
            ("m/(2*x - 3)", "m/(2*x - 3)"),
            ("(5*x - 2)/5", "x - 0.4"),
        ] {
            let e = parse(&pool, text, &names).unwrap();
            let shown = pool.print(e);
            assert_eq!(shown, wanted, "{text}");
            assert_eq!(parse(&pool, &shown, &names).ok(), Some(e), "{text}");
        }
        let e = parse(&pool, "1000*y - 251", &names).unwrap();
        assert_eq!(pool.print(pool.scaled_for_zeros(e)), "y - 0.251");
        let e = parse(&pool, "2*x - 3*y", &names).unwrap();
        assert_eq!(pool.scaled_for_zeros(e), e);
    }
}
