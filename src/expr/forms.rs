//! The forms a polynomial can take under the relations of its generators, and the choice among them.
//!
//! The same polynomial may be written with `cos(u)^2` or with `1 - sin(u)^2`, with `x^2` or with
//! `sqrt(x^2 + y^2)^2 - y^2`, with `sin(a)*cos(b) - cos(a)*sin(b)` or with `sin(a - b)`.

use super::angles::{Series, Wave};
use super::function::Function;
use super::normal::{Relation, Ring};
use super::number::Number;
use super::poly::{Monomial, Poly, without};
use super::pool::{Expr, Node, Pool, SymbolKind};
use rustc_hash::FxHashMap;

/// The generators that are the sine and the cosine of one argument, or the hyperbolic ones:
/// `odd^2 = constant*(1 - even^2)`.
#[derive(Clone, Copy)]
pub(super) struct Waves {
    pub(super) odd: usize,
    pub(super) even: usize,
    /// 1, for hyperbolic ones -1.
    pub(super) constant: i64,
}

impl Waves {
    pub(super) fn are_hyperbolic(self) -> bool {
        self.constant < 0
    }

    fn are_in(self, p: &Poly) -> bool {
        p.degree(self.odd) > 0 || p.degree(self.even) > 0
    }
}

impl Pool {
    /// Are the values of two expressions the same, to rounding, at a few scattered points where both have
    /// one? `false` too where there are no such points.
    pub fn agree_in_numbers(&self, a: Expr, b: Expr) -> bool {
        const ENOUGH: usize = 2;
        const ROUNDING: f64 = 1e-8;
        if a == b {
            return true;
        }
        let value = |e, index| self.evaluate(e, &|kind| scattered(index, kind));
        let pairs = (0..POINTS).map(|index| (value(a, index), value(b, index)));
        let pairs: Vec<(f64, f64)> = pairs
            .filter(|(a, b)| a.is_finite() && b.is_finite())
            .take(ENOUGH)
            .collect();
        let close = |(a, b): &(f64, f64)| (a - b).abs() <= ROUNDING * (a.abs() + b.abs());
        pairs.len() == ENOUGH && pairs.iter().all(close)
    }
}

impl Ring<'_> {
    /// The other reduced form of a polynomial: `cos(u)^2` replaced by `1 - sin(u)^2` for one pair.
    fn flipped(&self, p: &Poly, waves: Waves) -> Option<Poly> {
        // sin^2 = c (1 - cos^2)  =>  cos^2 = (sin^2 - c)/-c
        let square = Poly::variable(waves.odd)
            .pow(2, &self.effort)?
            .sub(&Poly::constant(Number::from(waves.constant)))
            .scale(&Number::from(-waves.constant));
        self.with_square(p, waves.even, &square)
    }

    pub(super) fn waves(&self) -> Vec<Waves> {
        let relations = self.relations.iter().enumerate();
        relations
            .filter_map(|(odd, r)| match *r.as_ref()? {
                Relation::Square { constant, other } => Some(Waves {
                    odd,
                    even: other,
                    constant,
                }),
                Relation::Power { .. } => None,
            })
            .collect()
    }

    /// The square roots of polynomials among the generators: place, content and primitive part of u.
    pub(super) fn square_roots(&self) -> Vec<(usize, Number, Poly)> {
        let squares = self.radicands().filter(|(_, degree, _)| *degree == 2);
        let parts = squares.map(|(place, _, radicand)| {
            let (content, radicand) = radicand.primitive();
            (place, content, radicand)
        });
        parts.collect()
    }

    /// The roots of polynomials among the generators (absolute values are none): place, degree and what stands under each.
    pub(super) fn radicands(&self) -> impl Iterator<Item = (usize, u16, &Poly)> {
        let relations = self.relations.iter().enumerate();
        relations.filter_map(|(place, r)| match r {
            Some(Relation::Power { degree, value })
                if value.bottom.is_empty()
                    && !matches!(&*self.pool.node(self.generators[place]), Node::Apply(..)) =>
            {
                Some((place, *degree, &value.top))
            }
            _ => None,
        })
    }

    /// Other forms of a polynomial under the relations: `cos(u)^2` by `1 - sin(u)^2`, in all terms or
    /// in those groups for which that is shorter, and for a root r of `v^2 + w` the square `v^2` by
    /// `r^2 - w`.
    pub(super) fn forms(&self, p: &Poly) -> Vec<Poly> {
        let mut list: Vec<Poly> = Vec::new();
        for waves in self.waves() {
            if p.degree(waves.even) < 2 {
                continue;
            }
            let Some(whole) = self.flipped(p, waves) else {
                continue;
            };
            let groups = outside(p, &[waves.odd, waves.even]).into_iter();
            let mixed = Poly::total(groups.map(|group| {
                let other = self.flipped(&group, waves);
                let shorter = |other: &Poly| other.terms().len() < group.terms().len();
                other.filter(shorter).unwrap_or(group)
            }));
            if mixed != whole && mixed != *p {
                list.push(mixed);
            }
            list.push(whole);
        }
        for (place, content, radicand) in self.square_roots() {
            if p.degree(place) == 0 {
                continue;
            }
            for v in radicand.variables() {
                let parts = radicand.coefficients(v);
                let [rest, middle, lead] = parts.as_slice() else {
                    continue;
                };
                let (Some(lead), true) = (lead.as_constant(), middle.is_zero()) else {
                    continue;
                };
                // content (lead v^2 + rest) = r^2
                let (Some(k), Some(l)) = (content.recip(), lead.recip()) else {
                    continue;
                };
                let Some(square) = Poly::variable(place).pow(2, &self.effort) else {
                    continue;
                };
                let by = square.scale(&k).sub(rest).scale(&l);
                if let Some(form) = self.with_square(p, v, &by) {
                    list.push(form);
                }
            }
        }
        list
    }

    /// `p` with `v^2` replaced.
    fn with_square(&self, p: &Poly, v: usize, by: &Poly) -> Option<Poly> {
        let parts = p.coefficients(v).into_iter().zip(0_u32..);
        let parts: Option<Vec<Poly>> = parts
            .map(|(part, k)| {
                let left = part.mul(&Poly::variable(v).pow(k % 2, &self.effort)?, &self.effort)?;
                left.mul(&by.pow(k / 2, &self.effort)?, &self.effort)
            })
            .collect();
        parts.map(Poly::total)
    }

    /// A polynomial as an expression.
    pub fn expression(&self, p: &Poly) -> Expr {
        let terms: Vec<Expr> = p.terms().iter().map(|(m, k)| self.term(m, k)).collect();
        self.pool.sum(terms)
    }

    fn term(&self, m: &Monomial, k: &Number) -> Expr {
        let mut parts = vec![self.pool.number(k.clone())];
        for (v, &e) in m.iter().enumerate().filter(|(_, e)| **e > 0) {
            if let Some(&g) = self.generators.get(v) {
                parts.push(self.pool.powi(g, i64::from(e)));
            }
        }
        self.pool.product(parts)
    }

    /// The shortest form of a polynomial under the relations, one step at a time.
    pub(super) fn shorter(&self, p: &Poly) -> Poly {
        let mut best = p.clone();
        for _ in 0..4 {
            let shorter = self
                .forms(&best)
                .into_iter()
                .filter(|form| form.terms().len() < best.terms().len())
                .min_by_key(|form| form.terms().len());
            match shorter {
                Some(form) => best = form,
                None => break,
            }
        }
        best
    }

    /// Is a polynomial seen to be other than 0 at some point?
    pub(super) fn has_value(&self, p: &Poly) -> bool {
        // rounding is far below this part of the terms
        const CLEAR: f64 = 1e-7;
        (0..POINTS).any(|index| {
            let at = |kind| scattered(index, kind);
            let values: Vec<f64> = self
                .generators
                .iter()
                .map(|&g| self.pool.evaluate(g, &at))
                .collect();
            let (mut sum, mut size) = (0.0_f64, 0.0_f64);
            for (m, k) in p.terms() {
                let mut term = k.to_f64();
                for (v, &e) in m.iter().enumerate().filter(|(_, e)| **e > 0) {
                    term *= values
                        .get(v)
                        .copied()
                        .unwrap_or(f64::NAN)
                        .powi(i32::from(e));
                }
                sum += term;
                size += term.abs();
            }
            sum.is_finite() && size > 1e-300 && sum.abs() > CLEAR * size
        })
    }

    /// Other forms of a numerator under the relations.
    pub(super) fn alternatives(&mut self, top: &Poly) -> Vec<Poly> {
        let mut list = vec![top.clone()];
        let short = self.shorter(top);
        if short != *top {
            list.push(short);
        }
        for waves in self.waves() {
            if let Some(other) = self.homogeneous(top, waves)
                && !list.contains(&other)
            {
                list.push(other);
            }
        }
        for place in 0..list.len().min(2) {
            if let Some(other) = self.in_waves(&list[place].clone())
                && !list.contains(&other)
            {
                list.push(other);
            }
        }
        list
    }

    /// With the number beside a `cos(u)^2` as a multiple of `cos(u)^2 + sin(u)^2`: `2 - cos(u)^2` is
    /// `2*sin(u)^2 + cos(u)^2`, which may be part of a square.
    fn homogeneous(&self, p: &Poly, waves: Waves) -> Option<Poly> {
        let Waves {
            odd: sin,
            even: cos,
            constant,
        } = waves;
        if p.degree(cos) != 2 || p.terms().len() < 4 {
            return None;
        }
        // 1 = c (sin^2 + c cos^2), c^2 = 1
        let squares = Poly::variable(sin)
            .pow(2, &self.effort)?
            .sub(
                &Poly::variable(cos)
                    .pow(2, &self.effort)?
                    .scale(&Number::from(-constant)),
            )
            .scale(&Number::from(constant));
        let mut result = Vec::new();
        for group in outside(p, &[sin, cos]) {
            let (rest, inner) = cofactor(&group, &[sin, cos]);
            let number = inner.terms().iter().find(|(m, _)| m.is_empty());
            result.push(match number {
                Some((_, k)) if inner.degree(cos) == 2 => {
                    let other = inner.sub(&Poly::constant(k.clone())).add(&squares.scale(k));
                    other.shift(&rest, &Number::ONE)
                }
                _ => group,
            });
        }
        let result = Poly::total(result);
        (result != *p).then_some(result)
    }

    /// A polynomial with products of sines and cosines as functions of sums and multiples of their
    /// angles, for those groups of terms for which that is shorter; `None` where it is for none.
    pub(super) fn in_waves(&mut self, p: &Poly) -> Option<Poly> {
        let mut pairs = self.waves();
        pairs.retain(|own| own.are_in(p));
        if pairs.is_empty() || pairs.len() > MOST_ANGLES {
            return None;
        }
        let waves: Vec<usize> = pairs.iter().flat_map(|own| [own.odd, own.even]).collect();
        let mut result = Vec::new();
        let mut changed = false;
        for group in outside(p, &waves) {
            let (cofactor, inner) = cofactor(&group, &waves);
            let degree = |m: &Monomial| -> u32 { m.iter().map(|e| u32::from(*e)).sum() };
            let highest = inner.terms().iter().map(|(m, _)| degree(m)).max();
            let better = if highest.is_none_or(|d| !(2..=MOST_DEGREE).contains(&d))
                || inner.terms().len() > MOST_WAVES
            {
                None
            } else {
                self.waves_of(&inner, &pairs)
            };
            match better {
                Some(better) => {
                    changed = true;
                    result.push(better.shift(&cofactor, &Number::ONE));
                }
                None => result.push(group),
            }
        }
        changed.then(|| Poly::total(result))
    }

    /// The shortest of the forms of a polynomial in sines and cosines alone; `None` where it is that already.
    fn waves_of(&mut self, p: &Poly, pairs: &[Waves]) -> Option<Poly> {
        let kinds: Vec<&Waves> = pairs.iter().filter(|own| own.are_in(p)).collect();
        let hyperbolic = kinds.first()?.are_hyperbolic();
        if kinds.iter().any(|k| k.are_hyperbolic() != hyperbolic) {
            return None;
        }
        let mut total = Series::constant(&Number::ZERO, kinds.len(), hyperbolic);
        for (m, k) in p.terms() {
            let mut part = Series::constant(k, kinds.len(), hyperbolic);
            for (i, own) in kinds.iter().enumerate() {
                for (wave, v) in [(Wave::Odd, own.odd), (Wave::Even, own.even)] {
                    let e = m.get(v).copied().unwrap_or(0);
                    part = part.times(i, wave, u32::from(e));
                }
            }
            total.add(&part);
        }
        let arguments: Option<Vec<Expr>> = kinds
            .iter()
            .map(|own| match &*self.pool.node(self.generators[own.odd]) {
                Node::Apply(_, args) => Some(args[0]),
                _ => None,
            })
            .collect();
        let arguments = arguments?;
        let waves = total.waves();
        if waves.len() > MOST_WAVES {
            return None;
        }
        let mut best = (self.flat(p), None);
        // as they are; and cos(2 u) as 1 - 2 sin(u)^2 or 2 cos(u)^2 - 1 (the signs of cosh differ)
        for squares in [None, Some(Wave::Even), Some(Wave::Odd)] {
            let mut form = Vec::new();
            for (n, wave, k) in &waves {
                let even = n.iter().all(|n| n % 2 == 0) && n.iter().any(|n| *n != 0);
                let part = match (squares, wave) {
                    (Some(square), Wave::Even) if even => {
                        let half: Vec<i64> = n.iter().map(|n| n / 2).collect();
                        let inside = self.wave_at(&arguments, &half, square, hyperbolic)?;
                        let inside = inside.pow(2, &self.effort)?.scale(&Number::from(2));
                        let one = Poly::one();
                        match (square, hyperbolic) {
                            (Wave::Even, _) => inside.sub(&one),
                            (Wave::Odd, false) => one.sub(&inside),
                            (Wave::Odd, true) => one.add(&inside),
                        }
                    }
                    _ => self.wave_at(&arguments, n, *wave, hyperbolic)?,
                };
                form.push(part.scale(k));
            }
            let form = Poly::total(form);
            let cost = self.flat(&form);
            if cost < best.0 {
                best = (cost, Some(form));
            }
        }
        best.1
    }

    /// The sine or cosine of a sum of multiples of these angles, as a generator with its sign.
    fn wave_at(
        &mut self,
        angles: &[Expr],
        n: &[i64],
        wave: Wave,
        hyperbolic: bool,
    ) -> Option<Poly> {
        let f = match (wave, hyperbolic) {
            (Wave::Even, false) => Function::Cos,
            (Wave::Odd, false) => Function::Sin,
            (Wave::Even, true) => Function::Cosh,
            (Wave::Odd, true) => Function::Sinh,
        };
        let parts: Vec<Expr> = angles
            .iter()
            .zip(n)
            .map(|(u, n)| self.pool.scale(*u, &Number::from(*n)))
            .collect();
        let argument = self.pool.simplify(self.pool.sum(parts));
        let value = self.pool.apply(f, argument);
        if let Some(n) = self.pool.as_number(value) {
            return Some(Poly::constant(n));
        }
        let (sign, bare) = self.pool.sign_apart(value);
        matches!(&*self.pool.node(bare), Node::Apply(..))
            .then(|| Poly::variable(self.generator(bare)).scale(&sign))
    }
}

/// How many points are tried for a value other than 0.
const POINTS: u32 = 48;

/// The coordinate of one of the points at which expressions are tried in numbers: scattered between a tenth
/// and ten, both signs, parameters positive.
pub(super) fn scattered(index: u32, kind: SymbolKind) -> f64 {
    let (place, signed) = match kind {
        SymbolKind::Coordinate { index, order } => (3 * index + usize::from(order), true),
        SymbolKind::Parameter(i) => (1000 + 7 * i, false),
        SymbolKind::Multiplier(i) => (2003 + 5 * i, true),
        SymbolKind::Level(i) => (3001 + 5 * i, true),
        SymbolKind::Other(i) => (4001 + i % 997, true),
        SymbolKind::Differential(i) => (6007 + 3 * i, true),
        SymbolKind::Time | SymbolKind::Pi | SymbolKind::Sign => (5003, false),
    };
    let phase = (f64::from(index) * 0.754_877_666 + place as f64 * 0.569_840_291).fract();
    let size = 10.0_f64.powf(2.0 * phase - 1.0);
    let turn = (f64::from(index) * 0.324_717_957 + place as f64 * 0.618_033_989).fract();
    if signed && turn < 0.5 { -size } else { size }
}

/// More angles, a higher degree in their sines and cosines, more terms are not written in multiples of angles.
const MOST_ANGLES: usize = 6;
const MOST_DEGREE: u32 = 6;
const MOST_WAVES: usize = 24;

/// The terms of a polynomial in groups that agree in all variables but these.
pub(super) fn outside(p: &Poly, inside: &[usize]) -> Vec<Poly> {
    let mut groups: Vec<Vec<(Monomial, Number)>> = Vec::new();
    let mut places: FxHashMap<Monomial, usize> = FxHashMap::default();
    for (m, k) in p.terms() {
        let place = *places.entry(without(m, inside)).or_insert(groups.len());
        if place == groups.len() {
            groups.push(Vec::new());
        }
        groups[place].push((Monomial::from_slice(m), k.clone()));
    }
    groups.into_iter().map(Poly::from_terms).collect()
}

/// A group as the monomial outside these variables times a polynomial in them.
fn cofactor(group: &Poly, inside: &[usize]) -> (Monomial, Poly) {
    let first = group.terms().first();
    let rest = first.map_or_else(Monomial::new, |(m, _)| without(m, inside));
    let inner = group.without(&rest);
    (rest, inner)
}
