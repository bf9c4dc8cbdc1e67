//! Factors of polynomials: numeric and monomial content, content in each variable, square-free
//! parts, and splitting where some variable stands to the first or second power or where a
//! polynomial of one variable has rational roots. What might split further is reported as such.

use super::number::Number;
use super::poly::{Effort, Monomial, Poly};

/// A polynomial as `unit * prod factor^multiplicity`.
#[derive(Clone, Debug)]
pub struct Factored {
    /// The numeric factor.
    pub unit: Number,
    /// Distinct factors, primitive with a positive lead, with their multiplicities.
    pub factors: Vec<(Poly, u32)>,
    /// False where a factor might split further.
    pub complete: bool,
}

impl Factored {
    fn push(&mut self, factor: Poly, times: u32) {
        match self.factors.iter_mut().find(|(f, _)| *f == factor) {
            Some((_, count)) => *count += times,
            None => self.factors.push((factor, times)),
        }
    }
}

/// How far to factor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// Contents and repeated factors only: `x^2 - y^2` stays as it is. For denominators.
    Contents,
    /// As far as this module can.
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
    let mut result = Factored {
        unit,
        factors: Vec::new(),
        complete: true,
    };
    let monomial = bare.monomial_content();
    for (v, &times) in monomial.iter().enumerate().filter(|(_, e)| **e > 0) {
        result.push(Poly::variable(v), u32::from(times));
    }
    let rest = bare.without(&monomial);
    if split(&rest, depth, effort, &mut result).is_none() {
        // out of effort: the whole stays one factor
        result.complete = false;
        let mut left = rest;
        for (f, times) in result.factors.clone() {
            for _ in 0..times {
                if let Some(q) = left.div_exact(&f, &Effort::new(100_000)) {
                    left = q;
                }
            }
        }
        if left.as_constant().is_none() {
            result.push(left.primitive().1, 1);
        }
    }
    let product = result
        .factors
        .iter()
        .try_fold(Poly::constant(result.unit.clone()), |all, (f, times)| {
            all.mul(&f.pow(*times, effort)?, effort)
        });
    if let Some(product) = product
        && product != *p
    {
        // multiplied out it is something else: give the polynomial itself, and say so
        return Some(Factored {
            unit: p.content(),
            factors: vec![(p.primitive().1, 1)],
            complete: false,
        });
    }
    Some(result)
}

/// Splits a primitive polynomial without monomial content; `None` when out of effort.
fn split(p: &Poly, depth: Depth, effort: &Effort, out: &mut Factored) -> Option<()> {
    if p.as_constant().is_some() {
        return Some(());
    }
    let variables = p.variables();
    for &v in &variables {
        let content = p.content_in(v, effort)?;
        if content.as_constant().is_none() {
            let rest = p.div_exact(&content, effort)?.primitive().1;
            split(&content, depth, effort, out)?;
            return split(&rest, depth, effort, out);
        }
    }
    if let Some(&v) = variables.iter().find(|v| p.degree(**v) == 1) {
        debug_assert!(p.degree(v) == 1);
        out.push(p.clone(), 1);
        return Some(());
    }
    let v = *variables.iter().min_by_key(|v| p.degree(**v))?;
    let repeated = p.gcd(&p.derivative(v), effort)?;
    if repeated.as_constant().is_none() {
        let rest = p.div_exact(&repeated, effort)?.primitive().1;
        split(&repeated, depth, effort, out)?;
        return split(&rest, depth, effort, out);
    }
    if depth == Depth::Contents {
        out.complete = false;
        out.push(p.clone(), 1);
        return Some(());
    }
    if p.degree(v) == 2 {
        return split_quadratic(p, v, effort, out);
    }
    if variables.len() == 1 {
        if let Some(linear) = rational_root(p, v) {
            let rest = p.div_exact(&linear, effort)?.primitive().1;
            out.push(linear, 1);
            return split(&rest, depth, effort, out);
        }
        out.complete &= p.degree(v) <= 3;
    } else {
        out.complete = false;
    }
    out.push(p.clone(), 1);
    Some(())
}

/// A primitive quadratic in `v` splits exactly where its discriminant is a square.
fn split_quadratic(p: &Poly, v: usize, effort: &Effort, out: &mut Factored) -> Option<()> {
    let parts = p.coefficients(v);
    let [c, b, a] = parts.as_slice() else {
        return None;
    };
    let four = Number::from(4);
    let discriminant = b.mul(b, effort)?.sub(&a.mul(c, effort)?.scale(&four));
    let Some(root) = discriminant.sqrt(effort)? else {
        out.push(p.clone(), 1);
        return Some(());
    };
    let lead = a.scale(&Number::from(2)).mul(&Poly::variable(v), effort)?;
    let first = lead.add(b).sub(&root);
    let content = first.content_in(v, effort)?;
    let first = first.div_exact(&content, effort)?.primitive().1;
    let second = p.div_exact(&first, effort)?.primitive().1;
    out.push(first, 1);
    out.push(second, 1);
    Some(())
}

/// A linear factor `q v - p` of a polynomial of one variable with small coefficients.
fn rational_root(p: &Poly, v: usize) -> Option<Poly> {
    const LARGEST: i64 = 1_000_000;
    let coefficients: Option<Vec<Number>> =
        p.coefficients(v).iter().map(Poly::as_constant).collect();
    let coefficients = coefficients?;
    let first = coefficients.first()?.to_i64()?.abs();
    let last = coefficients.last()?.to_i64()?.abs();
    if first > LARGEST || last > LARGEST || first == 0 {
        return None;
    }
    let divisors = |n: i64| {
        (1..=n)
            .take_while(move |d| d * d <= n)
            .filter(move |d| n % d == 0)
            .flat_map(move |d| [d, n / d])
    };
    for top in divisors(first) {
        for bottom in divisors(last) {
            for top in [top, -top] {
                let x = Number::ratio(top, bottom)?;
                let value = coefficients
                    .iter()
                    .rev()
                    .fold(Number::ZERO, |sum, k| sum.mul(&x).add(k));
                if value.is_zero() {
                    let mut m = Monomial::new();
                    m.resize(v + 1, 0);
                    m[v] = 1;
                    let linear = Poly::from_terms([
                        (m, x.denominator()),
                        (Monomial::new(), x.numerator().neg()),
                    ]);
                    return Some(linear);
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn linear() -> impl Strategy<Value = Poly> {
        (-3_i64..4, -3_i64..4, -3_i64..4).prop_map(|(a, b, c)| {
            Poly::variable(0)
                .scale(&Number::from(a))
                .add(&Poly::variable(1).scale(&Number::from(b)))
                .add(&Poly::constant(Number::from(c)))
        })
    }

    proptest! {
        #[test]
        fn products_of_two_linear_forms_split(p in linear(), q in linear()) {
            prop_assume!(p.as_constant().is_none() && q.as_constant().is_none());
            let effort = Effort::new(1_000_000);
            let product = p.mul(&q, &effort).unwrap();
            let found = factor(&product, &effort).unwrap();
            prop_assert!(found.complete);
            let count: u32 = found.factors.iter().map(|(_, k)| k).sum();
            prop_assert_eq!(count, 2);
            let again = found.factors.iter().fold(Poly::constant(found.unit.clone()), |all, (f, k)| {
                all.mul(&f.pow(*k, &effort).unwrap(), &effort).unwrap()
            });
            prop_assert_eq!(again, product);
        }
    }

    #[test]
    fn one_variable() {
        let x = Poly::variable(0);
        let effort = Effort::new(1_000_000);
        let cube = x.pow(3, &effort).unwrap().sub(&Poly::one());
        let found = factor(&cube, &effort).unwrap();
        assert_eq!(found.factors.len(), 2);
        assert!(found.complete);
        let quintic = x.pow(5, &effort).unwrap().sub(&x).sub(&Poly::one());
        assert!(!factor(&quintic, &effort).unwrap().complete);
    }
}
