//! Fractions of polynomials in generators: their arithmetic, the relations applied, common factors cancelled.

use super::factor::{Depth, Factored, factor_to};
use super::normal::{Relation, Ring};
use super::number::Number;
use super::poly::Poly;
use super::tally::tally;
use std::borrow::Cow;

/// Term products one cancellation by gcd may take.
pub(super) const GCD_EFFORT: u64 = 30_000;

/// `numerator / prod denominator^exponent`, denominators primitive with a positive lead.
#[derive(Clone, Debug)]
pub(super) struct Fraction {
    pub(super) top: Poly,
    pub(super) bottom: Vec<(Poly, u32)>,
}

impl Fraction {
    pub(super) fn constant(value: Number) -> Self {
        Self::poly(Poly::constant(value))
    }

    /// One over a product of powers.
    fn below(bottom: Vec<(Poly, u32)>) -> Self {
        Self {
            top: Poly::one(),
            bottom,
        }
    }

    pub(super) fn poly(top: Poly) -> Self {
        Self {
            top,
            bottom: Vec::new(),
        }
    }
}

impl Ring<'_> {
    pub(super) fn whole_power(&mut self, f: &Fraction, n: u32) -> Option<Fraction> {
        Some(Fraction {
            top: f.top.pow(n, &self.effort)?,
            bottom: f.bottom.iter().map(|(p, k)| (p.clone(), k * n)).collect(),
        })
    }

    pub(super) fn add(&mut self, a: &Fraction, b: &Fraction) -> Option<Fraction> {
        if a.top.is_zero() {
            return Some(b.clone());
        }
        if b.top.is_zero() {
            return Some(a.clone());
        }
        let mut bottom = a.bottom.clone();
        for (p, k) in &b.bottom {
            match bottom.iter_mut().find(|(q, _)| q == p) {
                Some((_, count)) => *count = (*count).max(*k),
                None => bottom.push((p.clone(), *k)),
            }
        }
        let lift = |f: &Fraction| -> Option<Poly> {
            let mut top = f.top.clone();
            for (p, k) in &bottom {
                let have = f.bottom.iter().find(|(q, _)| q == p).map_or(0, |(_, k)| *k);
                if *k > have {
                    top = top.mul(&p.pow(k - have, &self.effort)?, &self.effort)?;
                }
            }
            Some(top)
        };
        let top = lift(a)?.add(&lift(b)?);
        Some(Fraction { top, bottom })
    }

    pub(super) fn mul(&mut self, a: &Fraction, b: &Fraction) -> Option<Fraction> {
        let mut bottom = a.bottom.clone();
        for (p, k) in &b.bottom {
            tally(&mut bottom, Cow::Borrowed(p), *k);
        }
        let top = a.top.mul(&b.top, &self.effort)?;
        Some(Fraction { top, bottom })
    }

    pub(super) fn invert(&mut self, f: &Fraction) -> Option<Fraction> {
        let f = self.reduce(f)?;
        // 1 - cos(u)^2 below is sin(u)^2
        let below = match self.shorter(&f.top) {
            short if short.terms().len() == 1 => short,
            _ => f.top.clone(),
        };
        let Factored { unit, factors, .. } = factor_to(&below, Depth::Contents, &self.effort)?;
        let mut top = Poly::constant(unit.recip()?);
        for (p, k) in &f.bottom {
            top = top.mul(&p.pow(*k, &self.effort)?, &self.effort)?;
        }
        Some(Fraction {
            top,
            bottom: factors,
        })
    }

    /// Applies the relations to the numerator and cancels.
    pub(super) fn reduce(&mut self, f: &Fraction) -> Option<Fraction> {
        let mut result = Fraction::poly(Poly::one());
        for (p, k) in &f.bottom {
            let part = self.reduce_below(p, *k)?;
            result = self.mul(&result, &part)?;
        }
        let top = self.reduce_poly(&f.top)?;
        result = self.mul(&result, &top)?;
        while let Some(joined) = self.conjugates_joined(&result) {
            result = joined;
        }
        self.cancel(result)
    }

    /// Two denominators `a + b*sqrt(u)` and `a - b*sqrt(u)` as one, `a^2 - b^2*u`, which may cancel; `None` where
    /// there are none.
    fn conjugates_joined(&mut self, f: &Fraction) -> Option<Fraction> {
        for (place, (p, k)) in f.bottom.iter().enumerate() {
            for v in p.variables() {
                let Some(Relation::Power { degree: 2, value }) = &self.relations[v] else {
                    continue;
                };
                if p.degree(v) != 1 || !value.bottom.is_empty() {
                    continue;
                }
                let parts = p.coefficients(v);
                let [a, b] = parts.as_slice() else { continue };
                if a.is_zero() {
                    continue;
                }
                let turned = a.sub(&b.mul(&Poly::variable(v), &self.effort)?);
                let (content, conjugate) = turned.primitive();
                let mut later = f.bottom.iter().skip(place + 1);
                let Some((_, l)) = later.find(|(q, _)| *q == conjugate) else {
                    continue;
                };
                let b_squared = b.mul(b, &self.effort)?;
                let norm = a.mul(a, &self.effort)?;
                let norm = norm.sub(&b_squared.mul(&value.top, &self.effort)?);
                let times = *l.min(k);
                // p conjugate = norm/content
                let scale = content.pow(i64::from(times))?;
                let mut bottom = f.bottom.clone();
                for (q, e) in &mut bottom {
                    if *q == *p || *q == conjugate {
                        *e -= times;
                    }
                }
                bottom.retain(|(_, e)| *e > 0);
                let rest = Fraction {
                    top: f.top.scale(&scale),
                    bottom,
                };
                let below = self.invert(&Fraction::poly(norm))?;
                let below = self.whole_power(&below, times)?;
                return self.mul(&rest, &below);
            }
        }
        None
    }

    /// `p^-k`; where p is a root, its whole powers are written out: `sqrt(u)^-4` is `u^-2`.
    fn reduce_below(&mut self, p: &Poly, k: u32) -> Option<Fraction> {
        let whole = Fraction::below(vec![(p.clone(), k)]);
        let place = match p.variables().as_slice() {
            [v] if *p == Poly::variable(*v) => *v,
            _ => return Some(whole),
        };
        let Some(Relation::Power { degree, value }) = self.relations[place].clone() else {
            return Some(whole);
        };
        let (times, rest) = (k / u32::from(degree), k % u32::from(degree));
        if times == 0 {
            return Some(whole);
        }
        // the radicand stays in one piece, so that sqrt(u)/u is seen to be 1/sqrt(u)
        let (content, radicand) = value.top.primitive();
        let mut inverse = Fraction {
            top: Poly::constant(content.recip()?),
            bottom: vec![(radicand, 1)],
        };
        for (d, e) in &value.bottom {
            inverse.top = inverse.top.mul(&d.pow(*e, &self.effort)?, &self.effort)?;
        }
        let power = self.whole_power(&inverse, times)?;
        if rest == 0 {
            return Some(power);
        }
        self.mul(&power, &Fraction::below(vec![(p.clone(), rest)]))
    }

    pub(super) fn reduce_poly(&mut self, p: &Poly) -> Option<Fraction> {
        for (v, power) in p.degrees().into_iter().enumerate().rev() {
            let (degree, value) = match &self.relations[v] {
                Some(Relation::Power { degree, value }) if power >= *degree => {
                    (*degree, value.clone())
                }
                Some(Relation::Square { constant, other }) if power >= 2 => {
                    let square = Poly::variable(*other).pow(2, &self.effort)?;
                    let value = Poly::constant(Number::from(*constant))
                        .add(&square.scale(&Number::from(-constant)));
                    (2, Fraction::poly(value))
                }
                _ => continue,
            };
            let mut total = Fraction::poly(Poly::zero());
            for (k, part) in p.coefficients(v).into_iter().enumerate() {
                if part.is_zero() {
                    continue;
                }
                let k = u32::try_from(k).ok()?;
                let (whole, rest) = (k / u32::from(degree), k % u32::from(degree));
                let left = part.mul(&Poly::variable(v).pow(rest, &self.effort)?, &self.effort)?;
                let raised = self.whole_power(&value, whole)?;
                let part = self.mul(&Fraction::poly(left), &raised)?;
                total = self.add(&total, &part)?;
            }
            // what came in may itself need reducing
            let again = self.reduce_poly(&total.top)?;
            return self.mul(&again, &Fraction::below(total.bottom));
        }
        Some(Fraction::poly(p.clone()))
    }

    /// The pairs sin(u), cos(u) among the generators.
    pub(super) fn circles(&self) -> Vec<(usize, usize)> {
        let circular = self.waves().into_iter();
        let circular = circular.filter(|own| !own.are_hyperbolic());
        circular.map(|own| (own.odd, own.even)).collect()
    }

    /// The degree and the power of a generator that is a root (or an absolute value).
    pub(super) fn root(&self, place: usize) -> Option<(u16, Fraction)> {
        match self.relations.get(place)? {
            Some(Relation::Power { degree, value }) => Some((*degree, value.clone())),
            _ => None,
        }
    }

    fn cancel(&mut self, f: Fraction) -> Option<Fraction> {
        let Fraction { mut top, bottom } = f;
        let mut kept: Vec<(Poly, u32)> = Vec::new();
        if top.is_zero() {
            return Some(Fraction::poly(top));
        }
        for (p, mut k) in bottom {
            while k > 0 {
                if let Some(q) = top.div_exact(&p, &self.effort) {
                    top = q;
                    k -= 1;
                    continue;
                }
                // modulo the relations a quotient may show only in another form
                let divided = self
                    .forms(&top)
                    .iter()
                    .find_map(|form| form.div_exact(&p, &self.effort));
                let Some(q) = divided else { break };
                let q = self.reduce_poly(&q)?;
                if !q.bottom.is_empty() {
                    break;
                }
                top = q.top;
                k -= 1;
            }
            if k == 0 {
                continue;
            }
            // a factor that is not irreducible may share a part
            let shared = top
                .gcd(&p, &self.effort.part(GCD_EFFORT))
                .filter(|g| g.as_constant().is_none());
            if let Some(g) = shared
                && let (Some(t), Some(rest)) = (
                    top.div_exact(&g, &self.effort),
                    p.div_exact(&g, &self.effort),
                )
            {
                top = t;
                kept.push((rest.primitive().1, 1));
                if k > 1 {
                    kept.push((p, k - 1));
                }
                continue;
            }
            kept.push((p, k));
        }
        for (place, content, radicand) in self.square_roots() {
            // sqrt(u)/u is 1/sqrt(u)
            let root = Poly::variable(place);
            while let Some(at) = kept.iter().position(|(p, _)| *p == radicand)
                && let Some(rest) = top.div_exact(&root, &self.effort)
            {
                top = rest.scale(&content);
                kept[at].1 -= 1;
                if kept[at].1 == 0 {
                    kept.remove(at);
                }
                tally(&mut kept, Cow::Borrowed(&root), 1);
            }
        }
        Some(Fraction { top, bottom: kept })
    }
}
