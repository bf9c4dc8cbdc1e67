//! The factors of an expression, under the relations of its sines, cosines and roots.
//!
//! Polynomials in s = sin u and c = cos u modulo s^2 + c^2 = 1 do not factor uniquely: s^2 is also
//! (1 - c)(1 + c). They do in the half angle. With a = cos(u/2), b = sin(u/2),
//!
//! ```text
//! c = a^2 - b^2,   s = 2 a b,   1 = a^2 + b^2
//! ```
//!
//! makes of each a form of even degree in a and b, and the other way round: a form of even degree is a
//! polynomial in s and c. So the factors are the irreducible forms of even degree, and products of forms
//! of odd degree that are even together; which of those go together is a choice, and the shortest
//! one is taken. (The circle without its two points at infinity has the class group Z/2.) With more
//! angles there is a parity for each.
//!
//! A root r = v^(1/q) makes v = r^q; a polynomial with r in it is factored as one in r instead of v. A
//! factor without r stays a polynomial in v, which makes sense where r does not.

use super::factor::{Factored, factor, order};
use super::function::Function;
use super::normal::Ring;
use super::number::Number;
use super::poly::{Monomial, Poly, quotient, without};
use super::pool::{Expr, Node, Pool};
use super::simplify::LARGEST;
use super::tally::tally;
use crate::effort::charge;
use std::borrow::Cow;

/// Forms of odd degree that are grouped; the choices grow as 3^n.
const MOST_ODD: usize = 8;
/// Terms that a polynomial may come to in half angles.
const MOST_TERMS: usize = 4_000;
/// Sums of angles that are gathered in one factor.
const MOST_SUMS: usize = 24;

/// The distinct factors of an expression.
#[derive(Clone, Debug)]
pub struct Factors {
    /// What is left when the factors are divided out: numbers, and the denominator.
    pub unit: Expr,
    /// Distinct factors of the numerator, with multiplicities; constants (in the parameters) among them.
    pub factors: Vec<(Expr, u32)>,
    /// False where a factor might split further.
    pub complete: bool,
}

impl Factors {
    /// The unit as a number and powers, each a base and its exponent.
    pub fn unit_parts(&self, pool: &Pool) -> (Number, Vec<(Expr, Expr)>) {
        match pool.owned(self.unit) {
            Node::Number(n) => (n, Vec::new()),
            Node::Product(coefficient, factors) => (coefficient, factors.into_vec()),
            _ => (Number::ONE, vec![(self.unit, pool.one())]),
        }
    }

    /// Adds the factors that can vanish to those known, each once and scaled to where it is shortest.
    pub fn vanishing(&self, pool: &Pool, known: &mut Vec<Expr>) {
        for &(factor, _) in &self.factors {
            let shown = pool.scaled_for_zeros(factor);
            if !pool.is_constant(factor) && !known.contains(&shown) {
                known.push(shown);
            }
        }
    }
}

impl Pool {
    /// The factors of an expression, those of the numerator of its normal form; for one too large
    /// the expression itself, not complete. Zero has no factors.
    pub fn factors(&self, e: Expr) -> Factors {
        self.factored(e).unwrap_or_else(|| Factors {
            unit: self.one(),
            factors: vec![(e, 1)],
            complete: false,
        })
    }

    fn factored(&self, e: Expr) -> Option<Factors> {
        if self.size(e) > LARGEST {
            return None;
        }
        let mut ring = Ring::new(self, &[e]);
        let fraction = ring.fraction(e)?;
        if fraction.top.is_zero() {
            return Some(Factors {
                unit: self.zero(),
                factors: Vec::new(),
                complete: true,
            });
        }
        let Factored {
            unit,
            factors,
            complete,
        } = ring.best_factors(&fraction.top)?;
        let mut rest = vec![self.number(unit)];
        for (p, k) in &fraction.bottom {
            rest.push(self.powi(ring.expression(p), -i64::from(*k)));
        }
        let mut list = Vec::with_capacity(factors.len());
        for (p, k) in factors {
            let (sign, factor) = ring.shortest(&p);
            if sign.is_minus_one() && k % 2 == 1 {
                rest.push(self.number(sign));
            }
            list.push((factor, k));
        }
        Some(Factors {
            unit: self.product(rest),
            factors: list,
            complete,
        })
    }
}

/// How long a polynomial is to read.
fn length(p: &Poly) -> usize {
    p.terms()
        .iter()
        .map(|(m, _)| 1 + m.iter().filter(|e| **e > 0).count())
        .sum()
}

fn total_length(f: &Factored) -> usize {
    f.factors.iter().map(|(p, _)| length(p)).sum()
}

fn push(list: &mut Vec<(Poly, u32)>, factor: Poly, times: u32) {
    if factor.as_constant().is_some() {
        return;
    }
    tally(list, Cow::Owned(factor), times);
}

impl Ring<'_> {
    /// The factors of a reduced polynomial under the relations, of that form of it which gives the
    /// shorter ones.
    fn best_factors(&mut self, p: &Poly) -> Option<Factored> {
        let own = self.factors_under_relations(p)?;
        let short = self.shorter(p);
        if short == *p {
            return Some(own);
        }
        let other = self.factors_under_relations(&short);
        Some(match other {
            Some(other) if total_length(&other) < total_length(&own) => other,
            _ => own,
        })
    }

    fn factors_under_relations(&mut self, p: &Poly) -> Option<Factored> {
        let plain = factor(p, &self.effort)?;
        let present = p.variables();
        let circles: Vec<(usize, usize)> = self
            .circles()
            .into_iter()
            .filter(|(s, c)| present.contains(s) || present.contains(c))
            .collect();
        let roots: Vec<usize> = present
            .into_iter()
            .filter(|v| self.root(*v).is_some())
            .collect();
        if circles.is_empty() && roots.is_empty() {
            return Some(plain);
        }
        let split = self.split_under_relations(p, &plain, &circles, &roots);
        Some(split.unwrap_or(Factored {
            complete: false,
            ..plain
        }))
    }

    /// `None` where that is too much work, or the factors do not multiply out to the polynomial.
    fn split_under_relations(
        &mut self,
        p: &Poly,
        plain: &Factored,
        circles: &[(usize, usize)],
        roots: &[usize],
    ) -> Option<Factored> {
        if circles.len() > u64::BITS as usize {
            return None;
        }
        let mut complete = plain.complete;
        let mut factors: Vec<(Poly, u32)> = Vec::new();
        let mut odd: Vec<(Poly, u32)> = Vec::new();
        for (f, times) in &plain.factors {
            let variables = f.variables();
            let on_circles = circles
                .iter()
                .any(|(s, c)| variables.contains(s) || variables.contains(c));
            let roots: Vec<usize> = roots
                .iter()
                .copied()
                .filter(|r| variables.contains(r))
                .collect();
            match roots.as_slice() {
                _ if f.terms().len() == 1 => push(&mut factors, f.clone(), *times),
                [] if !on_circles => push(&mut factors, f.clone(), *times),
                [] => {
                    let halved = self.half_angles(f, circles);
                    let Some(forms) = halved.and_then(|h| factor(&h, &self.effort)) else {
                        complete = false;
                        push(&mut factors, f.clone(), *times);
                        continue;
                    };
                    complete &= forms.complete;
                    for (form, k) in forms.factors {
                        if parities(&form, circles) == 0 {
                            let whole = self.full_angles(&form, circles)?;
                            push(&mut factors, whole.primitive().1, times * k);
                        } else {
                            push(&mut odd, form, times * k);
                        }
                    }
                }
                [root] if !on_circles => {
                    let (parts, all) = self.split_with_root(f, *root)?;
                    complete &= all;
                    for (part, k) in parts {
                        push(&mut factors, part, times * k);
                    }
                }
                _ => {
                    complete = false;
                    push(&mut factors, f.clone(), *times);
                }
            }
        }
        for group in self.grouped(&odd, circles)? {
            push(&mut factors, group, 1);
        }
        // a factor is read in its shortest form; the product must be the polynomial in any
        let mut product = Poly::one();
        for (f, times) in &mut factors {
            *f = self.shorter(f).primitive().1;
            for _ in 0..*times {
                let next = self.reduce_poly(&product.mul(f, &self.effort)?)?;
                product = next.bottom.is_empty().then_some(next.top)?;
            }
        }
        factors.sort_by(|(a, _), (b, _)| order(a, b));
        let wanted = self.reduce_poly(p)?;
        let unit = wanted.top.leading().div(&product.leading())?;
        let same = wanted.bottom.is_empty() && product.scale(&unit) == wanted.top;
        same.then_some(Factored {
            unit,
            factors,
            complete,
        })
    }

    // ------------------------------------------------------------ half angles

    /// A polynomial in sines and cosines as one in those of the half angles, even in each: the cosine
    /// in the place of the cosine, the sine in that of the sine.
    fn half_angles(&self, p: &Poly, circles: &[(usize, usize)]) -> Option<Poly> {
        let mut result = p.clone();
        for &(s, c) in circles {
            let exponent = |m: &Monomial, v: usize| u32::from(m.get(v).copied().unwrap_or(0));
            let degrees = result
                .terms()
                .iter()
                .map(|(m, _)| exponent(m, s) + exponent(m, c));
            let degree = degrees.max()?;
            if degree == 0 {
                continue;
            }
            let (a, b) = (Poly::variable(c), Poly::variable(s));
            let (aa, bb) = (a.pow(2, &self.effort)?, b.pow(2, &self.effort)?);
            let sine = a.mul(&b, &self.effort)?.scale(&Number::from(2));
            let (cosine, one) = (aa.sub(&bb), aa.add(&bb));
            let mut total = Poly::zero();
            // terms with the same powers of both go together
            let mut groups: std::collections::BTreeMap<(u32, u32), Vec<(Monomial, Number)>> =
                std::collections::BTreeMap::new();
            for (m, k) in result.terms() {
                let powers = (exponent(m, s), exponent(m, c));
                let rest = without(m, &[s, c]);
                groups.entry(powers).or_default().push((rest, k.clone()));
            }
            for ((i, j), terms) in groups {
                let part = Poly::from_terms(terms)
                    .mul(&sine.pow(i, &self.effort)?, &self.effort)?
                    .mul(&cosine.pow(j, &self.effort)?, &self.effort)?
                    .mul(&one.pow(degree - i - j, &self.effort)?, &self.effort)?;
                total = total.add(&part);
            }
            result = total;
            if result.terms().len() > MOST_TERMS {
                return None;
            }
        }
        Some(result)
    }

    /// A form of even degree in the sines and cosines of half angles as a polynomial in those of the angles.
    fn full_angles(&self, form: &Poly, circles: &[(usize, usize)]) -> Option<Poly> {
        let half = Number::HALF;
        let mut result = form.clone();
        for &(s, c) in circles {
            if result.degree(s) == 0 && result.degree(c) == 0 {
                continue;
            }
            // a^2 = (1 + c)/2, b^2 = (1 - c)/2, a b = s/2
            let cosine = Poly::variable(c);
            let aa = Poly::one().add(&cosine).scale(&half);
            let bb = Poly::one().sub(&cosine).scale(&half);
            let ab = Poly::variable(s).scale(&half);
            let mut total = Poly::zero();
            for (m, k) in result.terms() {
                let mut rest = m.clone();
                let mut take =
                    |v: usize| rest.get_mut(v).map_or(0, |e| u32::from(std::mem::take(e)));
                let (j, i) = (take(c), take(s));
                if (i + j) % 2 == 1 {
                    return None;
                }
                let mut part = Poly::term(rest, k.clone())
                    .mul(&aa.pow(j / 2, &self.effort)?, &self.effort)?
                    .mul(&bb.pow(i / 2, &self.effort)?, &self.effort)?;
                if i % 2 == 1 {
                    part = part.mul(&ab, &self.effort)?;
                }
                total = total.add(&part);
            }
            result = total;
        }
        Some(result)
    }

    /// Products of forms of odd degree that are even together: of all ways to group them the one whose
    /// groups are shortest.
    fn grouped(&self, odd: &[(Poly, u32)], circles: &[(usize, usize)]) -> Option<Vec<Poly>> {
        let forms: Vec<&Poly> = odd
            .iter()
            .flat_map(|(f, k)| std::iter::repeat_n(f, *k as usize))
            .collect();
        if forms.len() > MOST_ODD {
            return None;
        }
        let parity: Vec<u64> = forms.iter().map(|f| parities(f, circles)).collect();
        let sets = 1_usize << forms.len();
        let members = |set: usize| (0..forms.len()).filter(move |i| set >> i & 1 == 1);
        let even: Vec<bool> = (0..sets)
            .map(|set| members(set).fold(0, |sum, i| sum ^ parity[i]) == 0)
            .collect();
        // best[set]: the least length of groups that make up the set, and its first group
        let mut best: Vec<Option<(usize, usize)>> = vec![None; sets];
        let mut groups: Vec<Option<(usize, Poly)>> = vec![None; sets];
        best[0] = Some((0, 0));
        for set in 1..sets {
            if !even[set] {
                continue;
            }
            let first = set & set.wrapping_neg();
            let mut part = set;
            while part > 0 {
                // a group that is even in parts is no single factor
                let single = even[part] && part & first > 0 && {
                    let mut inner = (part - 1) & part;
                    while inner > 0 && !even[inner] {
                        inner = (inner - 1) & part;
                    }
                    inner == 0
                };
                if single {
                    if groups[part].is_none() {
                        let product = members(part)
                            .try_fold(Poly::one(), |all, i| all.mul(forms[i], &self.effort))?;
                        let whole = self.full_angles(&product, circles)?;
                        let short = self.shorter(&whole).primitive().1;
                        groups[part] = Some((length(&short), short));
                    }
                    if let (Some((here, _)), Some((rest, _))) = (&groups[part], best[set ^ part])
                        && best[set].is_none_or(|(known, _)| here + rest < known)
                    {
                        best[set] = Some((here + rest, part));
                    }
                }
                part = (part - 1) & set;
            }
        }
        let mut result = Vec::new();
        let mut set = sets - 1;
        while set > 0 {
            let (_, part) = best[set]?;
            result.push(groups[part].as_ref()?.1.clone());
            set ^= part;
        }
        Some(result)
    }

    // ------------------------------------------------------------------ roots

    /// The factors of a polynomial that contains a root, and whether they are certain to be all.
    fn split_with_root(&mut self, f: &Poly, root: usize) -> Option<(Vec<(Poly, u32)>, bool)> {
        let (degree, value) = self.root(root)?;
        let whole = (vec![(f.clone(), 1)], false);
        if !value.bottom.is_empty() {
            return Some(whole);
        }
        let power = Poly::variable(root).pow(u32::from(degree), &self.effort)?;
        // the radicand solved for a variable: v = (r^q - rest)/k
        let solved = value.top.variables().into_iter().find_map(|v| {
            let parts = value.top.coefficients(v);
            let [rest, k] = parts.as_slice() else {
                return None;
            };
            let k = k.as_constant()?.recip()?;
            let plain = matches!(&*self.pool.node(self.generators[v]), Node::Symbol(_));
            plain.then(|| (v, power.sub(rest).scale(&k)))
        });
        if let Some((v, by)) = solved {
            let mut inside = Poly::zero();
            for (k, part) in f.coefficients(v).into_iter().enumerate() {
                let by = by.pow(u32::try_from(k).ok()?, &self.effort)?;
                inside = inside.add(&part.mul(&by, &self.effort)?);
            }
            let found = factor(&inside, &self.effort)?;
            let mut parts = Vec::new();
            for (part, k) in found.factors {
                let back = self.reduce_poly(&part)?;
                push(&mut parts, back.top.primitive().1, k);
            }
            return Some((parts, found.complete));
        }
        if degree == 2 {
            // where the norm does not split the polynomial does not
            let parts = f.coefficients(root);
            let [a, b] = parts.as_slice() else {
                return Some(whole);
            };
            let norm = a
                .mul(a, &self.effort)?
                .sub(&b.mul(b, &self.effort)?.mul(&value.top, &self.effort)?);
            if let Some(norm) = factor(&norm, &self.effort) {
                let one = matches!(norm.factors.as_slice(), [(_, 1)]);
                return Some((whole.0, one && norm.complete));
            }
        }
        Some(whole)
    }

    // ---------------------------------------------------------- sums of angles

    /// A factor as an expression without numeric coefficient, and the sign that was taken out:
    /// sin(a) cos(b) - cos(a) sin(b) is written sin(a - b) where that is shorter.
    fn shortest(&mut self, p: &Poly) -> (Number, Expr) {
        let plain = self.expression(p);
        let gathered = self.gathered(p).unwrap_or(plain);
        let pool = self.pool;
        let shorter = pool.size(gathered) < pool.size(plain);
        pool.sign_apart(if shorter { gathered } else { plain })
    }

    /// The polynomial with pairs of terms that are the sine or cosine of a sum or a difference in one.
    fn gathered(&mut self, p: &Poly) -> Option<Expr> {
        let mut best = p.clone();
        for _ in 0..MOST_SUMS {
            let Some(next) = self.one_sum(&best)? else {
                break;
            };
            best = next;
        }
        Some(self.expression(&best))
    }

    /// Gathers the first pair of terms that is a sine or cosine of a sum; `Some(None)`: there is none.
    #[allow(clippy::option_option)] // out of effort, and no such pair, are two answers
    fn one_sum(&mut self, p: &Poly) -> Option<Option<Poly>> {
        let circles = self.circles();
        for (m, k) in p.terms() {
            let inside = |v: usize| m.get(v).is_some_and(|e| *e > 0);
            let own = circles.iter().filter(|(s, c)| inside(*s) || inside(*c));
            let own: Vec<(usize, usize)> = own.copied().collect();
            charge(own.len());
            for &(sa, ca) in &own {
                for &(sb, cb) in &own {
                    if sa == sb {
                        continue;
                    }
                    // sin a cos b +- cos a sin b, then cos a cos b -+ sin a sin b
                    for (from, to, function) in [
                        ([sa, cb], [ca, sb], Function::Sin),
                        ([ca, cb], [sa, sb], Function::Cos),
                    ] {
                        let Some(rest) = quotient(m, &with(&Monomial::new(), from)) else {
                            continue;
                        };
                        let partner = with(&rest, to);
                        let Some((_, l)) = p.terms().iter().find(|(n, _)| *n == partner) else {
                            continue;
                        };
                        let same = l == k;
                        if !same && *l != k.neg() {
                            continue;
                        }
                        let (a, b) = (self.angle(sa)?, self.angle(sb)?);
                        let pool = self.pool;
                        let sum = (function == Function::Sin) == same;
                        let angle = if sum { pool.add(a, b) } else { pool.sub(a, b) };
                        let Some(value) = self.bare(pool.apply(function, angle)) else {
                            continue;
                        };
                        let pair = [(m.clone(), k.clone()), (partner, l.clone())];
                        let gathered = Poly::term(rest, k.clone()).mul(&value, &self.effort)?;
                        let left = p.sub(&Poly::from_terms(pair));
                        return Some(Some(left.add(&gathered)));
                    }
                }
            }
        }
        Some(None)
    }

    /// A sine or cosine, perhaps with a sign, as a generator of its own whatever its angle is made of.
    fn bare(&mut self, value: Expr) -> Option<Poly> {
        let pool = self.pool;
        let (sign, value) = pool.sign_apart(value);
        match &*pool.node(value) {
            Node::Apply(f @ (Function::Sin | Function::Cos), args) => self.relate(*f, args[0]),
            _ => return None,
        }
        Some(Poly::variable(self.generator(value)).scale(&sign))
    }

    /// The angle of a sine.
    fn angle(&self, sine: usize) -> Option<Expr> {
        match &*self.pool.node(*self.generators.get(sine)?) {
            Node::Apply(Function::Sin, args) => args.first().copied(),
            _ => None,
        }
    }
}

/// The parity of the degree in each pair, a bit a pair.
fn parities(form: &Poly, circles: &[(usize, usize)]) -> u64 {
    let Some((m, _)) = form.terms().first() else {
        return 0;
    };
    let odd = |v: usize| m.get(v).is_some_and(|e| e % 2 == 1);
    circles
        .iter()
        .enumerate()
        .filter(|(_, (s, c))| odd(*s) != odd(*c))
        .fold(0, |bits, (i, _)| bits | 1 << i)
}

/// The monomial times two variables.
fn with(m: &Monomial, variables: [usize; 2]) -> Monomial {
    let mut result = m.clone();
    for v in variables {
        if result.len() <= v {
            result.resize(v + 1, 0);
        }
        result[v] += 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{SymbolKind, parse};
    use proptest::prelude::*;

    struct Names(Pool);

    impl Names {
        fn new() -> Self {
            let pool = Pool::new();
            for (index, name) in ["x", "y", "z", "a", "b", "d", "e"].iter().enumerate() {
                pool.symbol(name, SymbolKind::Coordinate { index, order: 0 });
            }
            for (index, name) in ["k", "l", "m"].iter().enumerate() {
                pool.symbol(name, SymbolKind::Parameter(index));
            }
            Self(pool)
        }

        fn read(&self, text: &str) -> Expr {
            parse(&self.0, text, &|name: &str, _| {
                Ok(self.0.lookup(name).unwrap())
            })
            .unwrap()
        }

        fn value(&self, e: Expr, seed: u64) -> f64 {
            let draw =
                |i: usize| 0.3 + ((i as f64 + 1.37) * (seed as f64 + 2.11)).sin().abs() * 2.0;
            self.0.evaluate(e, &|kind| match kind {
                SymbolKind::Coordinate { index, .. } => draw(index),
                SymbolKind::Parameter(index) => draw(index + 20),
                _ => f64::NAN,
            })
        }

        /// The factors, after a check at points that their product is the expression.
        fn factors(&self, e: Expr) -> Factors {
            let found = self.0.factors(e);
            let mut parts = vec![found.unit];
            parts.extend(
                found
                    .factors
                    .iter()
                    .map(|(f, k)| self.0.powi(*f, i64::from(*k))),
            );
            let product = self.0.product(parts);
            for seed in 0..5 {
                let (a, b) = (self.value(e, seed), self.value(product, seed));
                assert!(
                    (a - b).abs() <= 1e-9 * (1.0 + a.abs()) || (a.is_nan() && b.is_nan()),
                    "{} is not {}: {a} {b}",
                    self.0.print(e),
                    self.0.print(product)
                );
            }
            found
        }

        fn printed(&self, text: &str) -> String {
            let found = self.factors(self.read(text));
            let list: Vec<String> = found
                .factors
                .iter()
                .map(|(f, k)| match k {
                    1 => self.0.print(*f),
                    _ => format!("({})^{k}", self.0.print(*f)),
                })
                .collect();
            let rest = if found.complete { "" } else { " ..." };
            list.join(" | ") + rest
        }
    }

    #[test]
    fn factors_of_a_determinant() {
        let n = Names::new();
        assert_eq!(n.printed("x*z - y*z"), "z | x - y");
        assert_eq!(n.printed("m*x - m*y"), "m | x - y");
        assert_eq!(n.printed("2*k*x^2 - 2*k*l^2*y^2"), "k | x + l*y | x - l*y");
        assert_eq!(
            n.printed("(x - y)*(y - z)*(z - x)"),
            "x - y | x - z | y - z"
        );
        assert_eq!(n.printed("(x^3 - y^3)/(x - z)"), "x - y | x^2 + x*y + y^2");
        assert_eq!(n.printed("0"), "");
    }

    #[test]
    fn sines_and_cosines() {
        let n = Names::new();
        for (text, wanted) in [
            ("1 - cos(a)^2", "(sin(a))^2"),
            ("1 - sin(a)^2", "(cos(a))^2"),
            ("x*(1 - cos(a)^2)*cos(a)", "x | cos(a) | (sin(a))^2"),
            ("1 - cos(a)", "cos(a) - 1"),
            ("(1 - cos(a))^2", "(cos(a) - 1)^2"),
            ("cos(a)*sin(b) - sin(a)*cos(b)", "sin(a - b)"),
            (
                "k*l*cos(a)*cos(b) + k*l*sin(a)*sin(b)",
                "k | l | cos(a - b)",
            ),
            ("cos(a)*sin(b) + sin(a)*cos(b)", "sin(a + b)"),
            ("cos(a)*cos(b) - sin(a)*sin(b)", "cos(a + b)"),
            (
                "x*cos(a)*sin(b)*sin(d) - x*sin(a)*cos(b)*sin(d)",
                "x | sin(d) | sin(a - b)",
            ),
            ("x*sin(a)*cos(b) - x*cos(a)*sin(b) + y", "x*sin(a - b) + y"),
            (
                "(sin(a)*cos(b) - cos(a)*sin(b))*cos(d) - (cos(a)*cos(b) + sin(a)*sin(b))*sin(d)",
                "sin(a - b - d)",
            ),
            ("sin(a)^2 + sin(a)*cos(a)", "sin(a) | sin(a) + cos(a)"),
            (
                "x^2 - sin(a)^2*cos(a)^2",
                "sin(a)*cos(a) + x | x - sin(a)*cos(a)",
            ),
            ("x^2 - 1 + cos(a)^2", "x + sin(a) | sin(a) - x"),
            ("cos(a) - cos(b)", "cos(a) - cos(b)"),
            ("4*sin(a)^2 - 1", "1 + 2*sin(a) | 2*sin(a) - 1"),
            ("sin(a)^2*(x^2 + cos(a)^2)", "(sin(a))^2 | x^2 + cos(a)^2"),
            ("x*tan(a)*cos(a)", "x | sin(a)"),
            ("sin(2*a) - 2*sin(a)*cos(a)", ""),
            ("sin(2*a) + 2*sin(a)", "sin(a) | 1 + cos(a)"),
            ("sin(a - b)*cos(b) + cos(a - b)*sin(b)", "sin(a)"),
            (
                "x*sin(a - b) + sin(a)*cos(b) - cos(a)*sin(b)",
                "x + 1 | sin(a - b)",
            ),
        ] {
            assert_eq!(n.printed(text), wanted, "{text}");
        }
    }

    #[test]
    fn roots_keep_their_domain() {
        let n = Names::new();
        for (text, wanted) in [
            ("x - y", "x - y"),
            ("sqrt(x)*(x - y)", "sqrt(x) | x - y"),
            ("x - 2*sqrt(x)*y + y^2", "(y - sqrt(x))^2"),
            ("x + sqrt(x)", "sqrt(x) | sqrt(x) + 1"),
            ("sqrt(x)*x - 1", "sqrt(x) - 1 | x + sqrt(x) + 1"),
            (
                "x*sqrt(x^2 + y^2) - z*sqrt(x^2 + y^2)",
                "sqrt(x^2 + y^2) | x - z",
            ),
            ("sqrt(x^2 + y^2) + z", "z + sqrt(x^2 + y^2)"),
            ("abs(x)*y - abs(x)", "abs(x) | y - 1"),
        ] {
            assert_eq!(n.printed(text), wanted, "{text}");
        }
    }

    fn part() -> impl Strategy<Value = String> {
        proptest::sample::select(vec![
            "sin(a)",
            "cos(a)",
            "(x + sin(a))",
            "(1 + cos(a))",
            "(x*cos(a) - y*sin(b))",
            "(sin(a)*cos(b) - cos(a)*sin(b))",
            "(cos(b) - 2)",
            "(k*x + cos(b)^2)",
            "(l - m*sin(a)*cos(a))",
            "(y^2 + sin(b))",
            "(1 - cos(b)^2)",
            "(cos(a) + sin(a))",
            "x",
            "k",
            "(x - y)",
            "sqrt(x)",
            "(sqrt(x) + y)",
            "(cos(a)*cos(b) + sin(a)*sin(b))",
        ])
        .prop_map(str::to_owned)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn products_come_apart(parts in proptest::collection::vec(part(), 1..5)) {
            let n = Names::new();
            // sqrt(x)^2 is x
            prop_assume!(parts.iter().filter(|p| *p == "sqrt(x)").count() < 2);
            let e = n.read(&parts.join("*"));
            let found = n.factors(e);
            let count: u32 = found.factors.iter().map(|(_, k)| k).sum();
            prop_assert!(!found.complete || count as usize >= parts.len(), "{parts:?} {count}");
        }
    }
}
