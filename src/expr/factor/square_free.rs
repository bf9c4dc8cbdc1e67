//! Square-free factors.

use crate::effort::Effort;
use crate::expr::modular::{Field, LARGE_PRIMES, Sequence, bases, image, residues};
use crate::expr::poly::Poly;

/// Is it seen at a random point, modulo a large prime, that no factor with the variable `v` repeats?
/// (A repeated factor would repeat at every point where the lead is not zero.)
fn has_square_free_image(p: &Poly, v: usize, effort: &Effort) -> Option<bool> {
    let field = Field::new(LARGE_PRIMES[0]);
    let order = p.variables_from(v);
    let sparse = residues(p, &order, field)?;
    let points = bases(field, order.len(), &mut Sequence::new(v as u64));
    let degree = usize::from(p.degree(v));
    effort.spend_words(sparse.len() * order.len() + 4 * degree * degree)?;
    let image = image(&sparse, 0, &points, field);
    Some(image.len() == degree + 1 && field.is_square_free(&image))
}

/// Square-free polynomials with their multiplicities, whose product with these powers is `p`, a
/// polynomial without content in the variable `v` (D. Yun, On square-free decomposition algorithms, 1976).
pub(super) fn square_free(p: &Poly, v: usize, effort: &Effort) -> Option<Vec<(Poly, u32)>> {
    if has_square_free_image(p, v, effort)? {
        return Some(vec![(p.clone(), 1)]);
    }
    let slope = p.derivative(v);
    let repeated = p.gcd(&slope, effort)?;
    let mut parts = Vec::new();
    let mut left = p.div_exact(&repeated, effort)?;
    let mut rest = slope.div_exact(&repeated, effort)?;
    let mut times = 1;
    while left.as_constant().is_none() {
        // left = prod_{i >= times} p_i, rest - left' vanishes on the factors of this multiplicity
        rest = rest.sub(&left.derivative(v));
        let part = left.gcd(&rest, effort)?;
        left = left.div_exact(&part, effort)?;
        rest = rest.div_exact(&part, effort)?;
        if part.as_constant().is_none() {
            parts.push((part, times));
        }
        times += 1;
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::number::Number;

    #[test]
    fn multiplicities_are_found() {
        let effort = Effort::new(1_000_000);
        let (x, y) = (Poly::variable(0), Poly::variable(1));
        let a = x.add(&y);
        let b = x.mul(&y, &effort).unwrap().sub(&Poly::one());
        let c = x.pow(2, &effort).unwrap().add(&y).scale(&Number::from(3));
        let times = [(&a, 1), (&b, 2), (&c, 5)];
        let product = times.iter().fold(Poly::one(), |all, (p, k)| {
            all.mul(&p.pow(*k, &effort).unwrap(), &effort).unwrap()
        });
        let mut found = square_free(&product.primitive().1, 0, &effort).unwrap();
        found.sort_by_key(|(_, k)| *k);
        assert_eq!(found.len(), 3);
        for ((p, k), (q, l)) in times.iter().zip(&found) {
            assert_eq!(k, l);
            assert_eq!(p.primitive().1, q.primitive().1);
        }
    }
}
