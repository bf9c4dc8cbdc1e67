//! The forms a polynomial can take under the relations of its generators, and the choice among them.
//!
//! The same polynomial may be written with `cos(u)^2` or with `1 - sin(u)^2`, with `x^2` or with
//! `sqrt(x^2 + y^2)^2 - y^2`, with `sin(a)*cos(b) - cos(a)*sin(b)` or with `sin(a - b)`; a fraction in terms or
//! as one quotient. See [`super::write`] for how lengths decide.

use super::angles::{Series, Wave};
use super::cost::Cost;
use super::factor::factor;
use super::function::Function;
use super::normal::{Fraction, GCD_EFFORT, Relation, Ring};
use super::number::Number;
use super::poly::{Effort, Monomial, Poly};
use super::pool::{Expr, Node, SymbolKind};
use super::write::{Powers, Term, Writer};

impl Ring<'_> {
    /// The other reduced form of a polynomial: `cos(u)^2` replaced by `1 - sin(u)^2` for one pair.
    fn flipped(&self, p: &Poly, sin: usize, cos: usize, constant: i64, sign: i64) -> Option<Poly> {
        // sin^2 = c + s cos^2  =>  cos^2 = (sin^2 - c)/s
        let square = Poly::variable(sin)
            .pow(2, &self.effort)?
            .sub(&Poly::constant(Number::from(constant)))
            .scale(&Number::from(sign));
        self.with_square(p, cos, &square)
    }

    pub(super) fn circular_pairs(&self) -> Vec<(usize, usize, i64, i64)> {
        self.relations
            .iter()
            .enumerate()
            .filter_map(|(sin, r)| match r {
                Some(Relation::Square {
                    constant,
                    sign,
                    other,
                }) => Some((sin, *other, *constant, *sign)),
                _ => None,
            })
            .collect()
    }

    /// The square roots of polynomials among the generators: place, content and primitive part of u.
    pub(super) fn square_roots(&self) -> Vec<(usize, Number, Poly)> {
        self.relations
            .iter()
            .enumerate()
            .filter_map(|(place, r)| match r {
                Some(Relation::Power { degree: 2, value })
                    if value.bottom.is_empty()
                        && !matches!(&*self.pool.node(self.generators[place]), Node::Apply(..)) =>
                {
                    let (content, radicand) = value.top.primitive();
                    Some((place, content, radicand))
                }
                _ => None,
            })
            .collect()
    }

    /// Other forms of a polynomial under the relations: `cos(u)^2` by `1 - sin(u)^2`, in all terms or
    /// in those groups for which that is shorter, and for a root r of `v^2 + w` the square `v^2` by
    /// `r^2 - w`.
    pub(super) fn forms(&self, p: &Poly) -> Vec<Poly> {
        let mut list: Vec<Poly> = Vec::new();
        for (sin, cos, c, s) in self.circular_pairs() {
            if p.degree(cos) < 2 {
                continue;
            }
            let Some(whole) = self.flipped(p, sin, cos, c, s) else {
                continue;
            };
            let mut mixed = Poly::zero();
            for group in outside(p, &[sin, cos]) {
                match self.flipped(&group, sin, cos, c, s) {
                    Some(other) if other.terms().len() < group.terms().len() => {
                        mixed = mixed.add(&other);
                    }
                    _ => mixed = mixed.add(&group),
                }
            }
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
        let mut total = Poly::zero();
        for (k, part) in p.coefficients(v).into_iter().enumerate() {
            let k = u32::try_from(k).ok()?;
            let left = part.mul(&Poly::variable(v).pow(k % 2, &self.effort)?, &self.effort)?;
            total = total.add(&left.mul(&by.pow(k / 2, &self.effort)?, &self.effort)?);
        }
        Some(total)
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
        const POINTS: u32 = 48;
        // rounding is far below this part of the terms
        const CLEAR: f64 = 1e-7;
        (0..POINTS).any(|index| {
            // scattered between a tenth and ten, both signs, parameters positive
            let at = |kind: SymbolKind| {
                let (place, signed) = match kind {
                    SymbolKind::Coordinate { index, order } => {
                        (3 * index + usize::from(order), true)
                    }
                    SymbolKind::Parameter(i) => (1000 + 7 * i, false),
                    SymbolKind::Multiplier(i) => (2003 + 5 * i, true),
                    SymbolKind::Level(i) => (3001 + 5 * i, true),
                    SymbolKind::Other(i) => (4001 + i % 997, true),
                    SymbolKind::Differential(i) => (6007 + 3 * i, true),
                    SymbolKind::Time | SymbolKind::Pi => (5003, false),
                };
                let phase =
                    (f64::from(index) * 0.754_877_666 + place as f64 * 0.569_840_291).fract();
                let size = 10.0_f64.powf(2.0 * phase - 1.0);
                let turn =
                    (f64::from(index) * 0.324_717_957 + place as f64 * 0.618_033_989).fract();
                if signed && turn < 0.5 { -size } else { size }
            };
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

    // -------------------------------------------------------------- writing

    /// The fraction in its shortest form; the same for equal fractions.
    pub(super) fn written(&mut self, f: &Fraction) -> Option<Expr> {
        let f = self.in_order(f);
        if f.top.is_zero() {
            return Some(self.pool.zero());
        }
        let below = self.denominators(&f)?;
        let tops = self.alternatives(&below.top);
        let mut best: Option<(Cost, Expr)> = None;
        let mut offer = |e: Expr| {
            let cost = self.pool.cost(e);
            if best.is_none_or(|(known, _)| cost < known) {
                best = Some((cost, e));
            }
        };
        let single = below.top.terms().len() == 1;
        for top in &tops {
            for split in Split::ALL {
                if split.makes_sense(&below) {
                    offer(self.terms_apart(top, &below, split));
                }
                if single {
                    break;
                }
            }
        }
        if !single {
            for top in tops.iter().take(2) {
                if let Some(whole) = self.in_factors(top, &below) {
                    offer(whole);
                }
            }
        }
        best.map(|(_, e)| e)
    }

    /// The same with the generators in an order that does not depend on how they were met.
    fn in_order(&mut self, f: &Fraction) -> Fraction {
        let mut order: Vec<usize> = (0..self.generators.len()).collect();
        order.sort_by(|&a, &b| {
            self.pool
                .structural_order(self.generators[a], self.generators[b])
        });
        if order.iter().enumerate().all(|(i, &v)| i == v) {
            return f.clone();
        }
        let mut place = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            place[old] = new;
        }
        let moved = |f: &Fraction| {
            let mut top = f.top.renamed(&place);
            let bottom = f
                .bottom
                .iter()
                .map(|(p, k)| {
                    let (content, p) = p.renamed(&place).primitive();
                    if content.is_negative() && k % 2 == 1 {
                        top = top.scale(&Number::MINUS_ONE);
                    }
                    (p, *k)
                })
                .collect();
            Fraction { top, bottom }
        };
        let result = moved(f);
        self.generators = order.iter().map(|&v| self.generators[v]).collect();
        self.places = self.generators.iter().copied().zip(0..).collect();
        self.relations = order
            .iter()
            .map(|&v| {
                self.relations[v].clone().map(|r| match r {
                    Relation::Power { degree, value } => Relation::Power {
                        degree,
                        value: moved(&value),
                    },
                    Relation::Square {
                        constant,
                        sign,
                        other,
                    } => Relation::Square {
                        constant,
                        sign,
                        other: place[other],
                    },
                })
            })
            .collect();
        self.forget();
        result
    }

    /// The denominator in irreducible factors (as far as they are found), powers of generators apart.
    fn denominators(&self, f: &Fraction) -> Option<Below> {
        let mut below = Below {
            top: f.top.clone(),
            powers: Powers::new(),
            others: Vec::new(),
            circular: false,
        };
        let mut others: Vec<(Poly, u32)> = Vec::new();
        for (p, k) in &f.bottom {
            let short = self.shorter(p);
            let p = if short.terms().len() == 1 { &short } else { p };
            let found = factor(p, &Effort::new(GCD_EFFORT))?;
            below.top = below.top.scale(&found.unit.pow(i64::from(*k))?.recip()?);
            for (q, times) in found.factors {
                match others.iter_mut().find(|(known, _)| *known == q) {
                    Some((_, count)) => *count += k * times,
                    None => others.push((q, k * times)),
                }
            }
        }
        others.sort_by(|a, b| a.0.terms().cmp(b.0.terms()));
        // (l - x)*(l + x) is longer than l^2 - x^2
        let mut place = 0;
        while place < others.len() {
            let partner = (place + 1..others.len()).find(|&other| {
                let ((a, k), (b, l)) = (&others[place], &others[other]);
                k == l
                    && a.terms().len() > 1
                    && b.terms().len() > 1
                    && a.mul(b, &self.effort).is_some_and(|product| {
                        let apart = self.flat(a).plus(self.flat(b)).plus(Cost::new(1, 5));
                        self.flat(&product) < apart
                    })
            });
            match partner.and_then(|other| {
                others[place]
                    .0
                    .mul(&others[other].0, &self.effort)
                    .map(|p| (other, p))
            }) {
                Some((other, product)) => {
                    others.remove(other);
                    others[place].0 = product;
                }
                None => place += 1,
            }
        }
        for (p, k) in others {
            if let [(m, _)] = p.terms() {
                for (v, &e) in m.iter().enumerate().filter(|(_, e)| **e > 0) {
                    add_power(&mut below.powers, v, i32::try_from(k).ok()? * i32::from(e));
                }
                continue;
            }
            // u below beside a root of u is a power of that root
            let root = self
                .relations
                .iter()
                .enumerate()
                .find_map(|(v, r)| match r {
                    Some(Relation::Power { degree, value })
                        if value.bottom.is_empty() && self.is_root(v) =>
                    {
                        let (content, radicand) = value.top.primitive();
                        (radicand == p).then_some((v, *degree, content))
                    }
                    _ => None,
                });
            if let Some((v, degree, content)) = root {
                below.top = below.top.scale(&content.pow(i64::from(k))?);
                below.others.push(Denominator {
                    poly: p,
                    content: content.recip()?,
                    power: k,
                    atom: Atom::Root(v, i32::from(degree)),
                });
            } else {
                let shown = self.alternatives_fixed(&p);
                below.others.push(Denominator {
                    poly: p,
                    content: Number::ONE,
                    power: k,
                    atom: Atom::Sum(shown),
                });
            }
        }
        below.circular = below.powers.iter().any(|(v, _)| {
            let node = self.pool.node(self.generators[*v]);
            matches!(&*node, Node::Apply(f, _) if matches!(f, Function::Sin | Function::Cos | Function::Sinh | Function::Cosh))
        });
        Some(below)
    }

    /// Is the generator a root, not an absolute value?
    fn is_root(&self, v: usize) -> bool {
        !matches!(&*self.pool.node(self.generators[v]), Node::Apply(..))
    }

    fn flat(&self, p: &Poly) -> Cost {
        self.pool.cost(self.expression(p))
    }

    /// A polynomial in its shortest form without new generators.
    fn alternatives_fixed(&self, p: &Poly) -> Expr {
        let bare = Below::default();
        let short = self.shorter(p);
        let plain = self.terms_apart(p, &bare, Split::ALL[0]);
        if short == *p {
            return plain;
        }
        let short = self.terms_apart(&short, &bare, Split::ALL[0]);
        if self.pool.cost(short) < self.pool.cost(plain) {
            short
        } else {
            plain
        }
    }

    /// Other forms of a numerator under the relations.
    fn alternatives(&mut self, top: &Poly) -> Vec<Poly> {
        let mut list = vec![top.clone()];
        let short = self.shorter(top);
        if short != *top {
            list.push(short);
        }
        for (sin, cos, c, s) in self.circular_pairs() {
            if let Some(other) = self.homogeneous(top, (sin, cos), (c, s))
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
    fn homogeneous(
        &self,
        p: &Poly,
        (sin, cos): (usize, usize),
        (constant, sign): (i64, i64),
    ) -> Option<Poly> {
        if p.degree(cos) != 2 || p.terms().len() < 4 {
            return None;
        }
        // 1 = c (sin^2 - s cos^2) with c = 1/constant
        let squares = Poly::variable(sin)
            .pow(2, &self.effort)?
            .sub(
                &Poly::variable(cos)
                    .pow(2, &self.effort)?
                    .scale(&Number::from(sign)),
            )
            .scale(&Number::from(constant));
        let mut result = Poly::zero();
        for group in outside(p, &[sin, cos]) {
            let (rest, inner) = cofactor(&group, &[sin, cos]);
            let number = inner.terms().iter().find(|(m, _)| m.is_empty());
            result = match number {
                Some((_, k)) if inner.degree(cos) == 2 => {
                    let other = inner.sub(&Poly::constant(k.clone())).add(&squares.scale(k));
                    result.add(&other.shift(&rest, &Number::ONE))
                }
                _ => result.add(&group),
            };
        }
        (result != *p).then_some(result)
    }

    /// The terms, each over what its monomial leaves of the denominator, and over those other denominators
    /// that do not divide the terms they stand under; or over the whole denominator or a part of it.
    fn terms_apart(&self, top: &Poly, below: &Below, split: Split) -> Expr {
        let mut parts: Vec<(Poly, Vec<u32>)> =
            vec![(top.clone(), below.others.iter().map(|d| d.power).collect())];
        for (j, denominator) in below.others.iter().enumerate() {
            if !split.others {
                break;
            }
            let inside = denominator.poly.variables();
            let mut next: Vec<(Poly, Vec<u32>)> = Vec::new();
            for (p, powers) in parts {
                for (mut group, mut left) in outside(&p, &inside)
                    .into_iter()
                    .map(|g| (g, powers.clone()))
                {
                    while left[j] > 0
                        && let Some(q) = group.div_exact(&denominator.poly, &Effort::new(2_000))
                    {
                        // a power of the root is the content times the polynomial
                        group = q.scale(&denominator.content);
                        left[j] -= 1;
                    }
                    match next.iter_mut().find(|(_, l)| *l == left) {
                        Some((p, _)) => *p = p.add(&group),
                        None => next.push((group, left)),
                    }
                }
            }
            parts = next;
        }
        let (writer, atoms) = self.writer(below);
        let mut terms = Vec::new();
        for (p, left) in parts {
            let mut common = Powers::new();
            if split.powers {
                common.extend(below.powers.iter().map(|&(v, e)| (v, -e)));
            }
            for (denominator, &(atom, each)) in left.iter().zip(&atoms.others) {
                let down = i32::try_from(*denominator).unwrap_or(i32::MAX) * each;
                add_power(&mut common, atom, -down);
            }
            for (m, k) in p.terms() {
                let mut powers = common.clone();
                for (v, &e) in m.iter().enumerate() {
                    add_power(&mut powers, v, i32::from(e));
                }
                if split.tangents {
                    atoms.tangents(&mut powers);
                }
                terms.push(Term {
                    k: k.clone(),
                    m: powers,
                });
            }
        }
        let sum = writer.sum(terms);
        if split.powers {
            return sum;
        }
        let under = below
            .powers
            .iter()
            .map(|&(v, e)| self.pool.powi(self.generators[v], i64::from(-e)));
        self.pool.product(under.chain([sum]).collect::<Vec<_>>())
    }

    /// One quotient, the numerator in factors.
    fn in_factors(&self, top: &Poly, below: &Below) -> Option<Expr> {
        // a numerator that does not split is what `terms_apart` writes over the whole denominator
        if top
            .without(&top.monomial_content())
            .is_plainly_irreducible()
        {
            return None;
        }
        let found = factor(top, &Effort::new(GCD_EFFORT))?;
        let (writer, atoms) = self.writer(below);
        let mut powers: Powers = below.powers.iter().map(|&(v, e)| (v, -e)).collect();
        for (denominator, &(atom, each)) in below.others.iter().zip(&atoms.others) {
            let down = i32::try_from(denominator.power).ok()? * each;
            add_power(&mut powers, atom, -down);
        }
        let mut sums = Vec::new();
        for (p, k) in &found.factors {
            if let [(m, _)] = p.terms() {
                for (v, &e) in m.iter().enumerate() {
                    add_power(&mut powers, v, i32::from(e) * i32::try_from(*k).ok()?);
                }
            } else {
                sums.push(self.pool.powi(self.alternatives_fixed(p), i64::from(*k)));
            }
        }
        atoms.tangents(&mut powers);
        let monomial = writer.sum(vec![Term {
            k: found.unit,
            m: powers,
        }]);
        sums.push(monomial);
        Some(self.pool.product(sums))
    }

    /// A writer whose atoms are the generators, the denominators, and a tangent for each sine and cosine.
    fn writer(&self, below: &Below) -> (Writer<'_>, Atoms) {
        let mut list = self.generators.clone();
        let mut atoms = Atoms::default();
        for denominator in &below.others {
            match denominator.atom {
                Atom::Root(v, degree) => atoms.others.push((v, degree)),
                Atom::Sum(shown) => {
                    atoms.others.push((list.len(), 1));
                    list.push(shown);
                }
            }
        }
        for (odd, even, constant, _) in self.circular_pairs() {
            if let Node::Apply(_, args) = &*self.pool.node(self.generators[odd]) {
                let f = if constant > 0 {
                    Function::Tan
                } else {
                    Function::Tanh
                };
                let ratio = self.pool.apply(f, args[0]);
                atoms.ratios.push((odd, even, list.len()));
                list.push(ratio);
            }
        }
        (Writer::new(self.pool, list, &self.tries), atoms)
    }

    /// A polynomial with products of sines and cosines as functions of sums and multiples of their
    /// angles, for those groups of terms for which that is shorter; `None` where it is for none.
    fn in_waves(&mut self, p: &Poly) -> Option<Poly> {
        let pairs: Vec<(usize, usize, bool)> = self
            .circular_pairs()
            .into_iter()
            .map(|(odd, even, constant, _)| (odd, even, constant < 0))
            .filter(|&(odd, even, _)| p.degree(odd) > 0 || p.degree(even) > 0)
            .collect();
        if pairs.is_empty() || pairs.len() > MOST_ANGLES {
            return None;
        }
        let waves: Vec<usize> = pairs.iter().flat_map(|&(s, c, _)| [s, c]).collect();
        let mut result = Poly::zero();
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
                    result = result.add(&better.shift(&cofactor, &Number::ONE));
                }
                None => result = result.add(&group),
            }
        }
        changed.then_some(result)
    }

    /// The shortest of the forms of a polynomial in sines and cosines alone; `None` where it is that already.
    fn waves_of(&mut self, p: &Poly, pairs: &[(usize, usize, bool)]) -> Option<Poly> {
        let kinds: Vec<(usize, usize, bool)> = pairs
            .iter()
            .copied()
            .filter(|&(s, c, _)| p.degree(s) > 0 || p.degree(c) > 0)
            .collect();
        let hyperbolic = kinds.first()?.2;
        if kinds.iter().any(|k| k.2 != hyperbolic) {
            return None;
        }
        let mut total = Series::constant(&Number::ZERO, kinds.len(), hyperbolic);
        for (m, k) in p.terms() {
            let mut part = Series::constant(k, kinds.len(), hyperbolic);
            for (i, &(s, c, _)) in kinds.iter().enumerate() {
                for (wave, v) in [(Wave::Odd, s), (Wave::Even, c)] {
                    let e = m.get(v).copied().unwrap_or(0);
                    part = part.times(i, wave, u32::from(e));
                }
            }
            total.add(&part);
        }
        let arguments: Option<Vec<Expr>> = kinds
            .iter()
            .map(|&(s, ..)| match &*self.pool.node(self.generators[s]) {
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
            let mut form = Poly::zero();
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
                form = form.add(&part.scale(k));
            }
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
        let (sign, bare) = match &*self.pool.node(value) {
            Node::Product { coefficient, .. } if coefficient.is_minus_one() => {
                (Number::MINUS_ONE, self.pool.neg(value))
            }
            Node::Apply(..) => (Number::ONE, value),
            _ => return None,
        };
        matches!(&*self.pool.node(bare), Node::Apply(..))
            .then(|| Poly::variable(self.generator(bare)).scale(&sign))
    }
}

/// More angles, a higher degree in their sines and cosines, more terms are not written in multiples of angles.
const MOST_ANGLES: usize = 6;
const MOST_DEGREE: u32 = 6;
const MOST_WAVES: usize = 24;

/// Which denominators the terms are written over one by one; the others stand under the whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Split {
    powers: bool,
    others: bool,
    /// tangents instead of quotients of sine and cosine, term by term
    tangents: bool,
}

impl Split {
    const ALL: [Self; 6] = [
        Self {
            powers: true,
            others: true,
            tangents: true,
        },
        Self {
            powers: true,
            others: true,
            tangents: false,
        },
        Self {
            powers: false,
            others: true,
            tangents: true,
        },
        Self {
            powers: true,
            others: false,
            tangents: true,
        },
        Self {
            powers: true,
            others: false,
            tangents: false,
        },
        Self {
            powers: false,
            others: false,
            tangents: true,
        },
    ];

    /// Does it differ from those before it?
    fn makes_sense(self, below: &Below) -> bool {
        (self.powers || !below.powers.is_empty())
            && (self.others || !below.others.is_empty())
            && (self.tangents || below.circular)
    }
}

/// A numerator and what stands below it: powers of generators, and other polynomials.
#[derive(Default)]
struct Below {
    top: Poly,
    powers: Powers,
    others: Vec<Denominator>,
    /// is a sine or cosine among the powers?
    circular: bool,
}

struct Denominator {
    poly: Poly,
    /// 1/c, where the power of the root is c times the polynomial; 1 for a sum.
    content: Number,
    power: u32,
    atom: Atom,
}

/// How a denominator is written: as a power of a root of it, or as a sum.
enum Atom {
    Root(usize, i32),
    Sum(Expr),
}

/// The atoms of a writer: those of the denominators with the power each stands for, and tangents.
#[derive(Default)]
struct Atoms {
    others: Vec<(usize, i32)>,
    ratios: Vec<(usize, usize, usize)>,
}

impl Atoms {
    /// `sin(u)^2/cos(u)` is `tan(u)*sin(u)`.
    fn tangents(&self, powers: &mut Powers) {
        for &(odd, even, ratio) in &self.ratios {
            let of = |powers: &Powers, atom| {
                powers
                    .binary_search_by_key(&atom, |p| p.0)
                    .map_or(0, |place| powers[place].1)
            };
            let (s, c) = (of(powers, odd), of(powers, even));
            if s.signum() * c.signum() < 0 {
                let n = s.signum() * s.abs().min(c.abs());
                add_power(powers, odd, -n);
                add_power(powers, even, n);
                add_power(powers, ratio, n);
            }
        }
    }
}

fn add_power(powers: &mut Powers, atom: usize, exponent: i32) {
    if exponent == 0 {
        return;
    }
    match powers.binary_search_by_key(&atom, |p| p.0) {
        Ok(place) => {
            powers[place].1 += exponent;
            if powers[place].1 == 0 {
                powers.remove(place);
            }
        }
        Err(place) => powers.insert(place, (atom, exponent)),
    }
}

/// The terms of a polynomial in groups that agree in all variables but these.
fn outside(p: &Poly, inside: &[usize]) -> Vec<Poly> {
    let mut groups: Vec<(Monomial, Vec<(Monomial, Number)>)> = Vec::new();
    for (m, k) in p.terms() {
        let mut rest = m.clone();
        for &v in inside {
            if let Some(e) = rest.get_mut(v) {
                *e = 0;
            }
        }
        while rest.last() == Some(&0) {
            rest.pop();
        }
        match groups.iter_mut().find(|(r, _)| *r == rest) {
            Some((_, list)) => list.push((m.clone(), k.clone())),
            None => groups.push((rest, vec![(m.clone(), k.clone())])),
        }
    }
    groups
        .into_iter()
        .map(|(_, list)| Poly::from_terms(list))
        .collect()
}

/// A group as the monomial outside these variables times a polynomial in them.
fn cofactor(group: &Poly, inside: &[usize]) -> (Monomial, Poly) {
    let mut rest = group
        .terms()
        .first()
        .map_or_else(Monomial::new, |(m, _)| m.clone());
    for &v in inside {
        if let Some(e) = rest.get_mut(v) {
            *e = 0;
        }
    }
    while rest.last() == Some(&0) {
        rest.pop();
    }
    let inner = group.without(&rest);
    (rest, inner)
}
