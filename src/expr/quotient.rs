//! A fraction as a quotient of sums: which denominators stand where, and the choice among the forms of its
//! numerator (see [`super::forms`]). See [`super::write`] for how lengths decide.

use super::factor::factor;
use super::forms::outside;
use super::fraction::{Fraction, GCD_EFFORT};
use super::function::Function;
use super::memo::Cost;
use super::normal::{Relation, Ring};
use super::number::Number;
use super::poly::Poly;
use super::pool::{Expr, Node};
use super::tally::tally;
use super::write::{Powers, Term, Writer, add_power};
use crate::effort::Effort;
use std::borrow::Cow;

impl Ring<'_> {
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
        // one writer: groups of terms come again from one form to the next
        let with = self.writer(&below);
        for top in &tops {
            for split in Split::ALL {
                if split.makes_sense(&below) {
                    offer(self.terms_apart(top, &below, split, &with));
                }
                if single {
                    break;
                }
            }
        }
        if !single {
            for top in tops.iter().take(2) {
                if let Some(whole) = self.in_factors(top, &below, &with) {
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
                    Relation::Square { constant, other } => Relation::Square {
                        constant,
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
            let found = factor(p, &self.effort.part(GCD_EFFORT))?;
            below.top = below.top.scale(&found.unit.pow(i64::from(*k))?.recip()?);
            for (q, times) in found.factors {
                tally(&mut others, Cow::Owned(q), k * times);
            }
        }
        others.sort_by(|a, b| a.0.terms().cmp(b.0.terms()));
        // (l - x)*(l + x) is longer than l^2 - x^2
        let mut place = 0;
        while place < others.len() {
            let joined = (place + 1..others.len()).find_map(|other| {
                let ((a, k), (b, l)) = (&others[place], &others[other]);
                if k != l || a.terms().len() == 1 || b.terms().len() == 1 {
                    return None;
                }
                let product = a.mul(b, &self.effort)?;
                let apart = self.flat(a).plus(self.flat(b)).plus(Cost::new(1, 5));
                (self.flat(&product) < apart).then_some((other, product))
            });
            match joined {
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
            let root = self.radicands().find_map(|(v, degree, radicand)| {
                let (content, radicand) = radicand.primitive();
                (radicand == p).then_some((v, degree, content))
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

    pub(super) fn flat(&self, p: &Poly) -> Cost {
        self.pool.cost(self.expression(p))
    }

    /// A polynomial in its shortest form, made without new generators.
    fn alternatives_fixed(&self, p: &Poly) -> Expr {
        let bare = Below::default();
        let short = self.shorter(p);
        let with = self.writer(&bare);
        let mut best = self.terms_apart(p, &bare, Split::ALL[0], &with);
        let mut offer = |e: Expr| {
            if self.pool.cost(e) < self.pool.cost(best) {
                best = e;
            }
        };
        if short != *p {
            offer(self.terms_apart(&short, &bare, Split::ALL[0], &with));
        }
        if let Some(waves) = self.factor_in_waves(p) {
            offer(waves);
        }
        best
    }

    /// A factor in functions of multiples of its angles: `cos(2*u)` for `2*cos(u)^2 - 1`.
    fn factor_in_waves(&self, p: &Poly) -> Option<Expr> {
        let pairs = self.waves().into_iter();
        let mut degrees = pairs.map(|own| p.degree(own.odd) + p.degree(own.even));
        if !degrees.any(|d| d >= 2) {
            return None;
        }
        // a ring of its own: what is made here is no generator of the whole
        let mut ring = self.with_the_same_generators();
        let waves = ring.in_waves(p)?;
        let bare = Below::default();
        let with = ring.writer(&bare);
        Some(ring.terms_apart(&waves, &bare, Split::ALL[0], &with))
    }

    /// The terms, each over what its monomial leaves of the denominator, and over those other denominators
    /// that do not divide the terms they stand under; or over the whole denominator or a part of it.
    fn terms_apart(
        &self,
        top: &Poly,
        below: &Below,
        split: Split,
        (writer, atoms): &(Writer, Atoms),
    ) -> Expr {
        let mut parts: Vec<(Poly, Vec<u32>)> =
            vec![(top.clone(), below.others.iter().map(|d| d.power).collect())];
        for (j, denominator) in below.others.iter().enumerate() {
            if !split.others {
                break;
            }
            let inside = denominator.poly.variables();
            let mut next: Vec<(Vec<Poly>, Vec<u32>)> = Vec::new();
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
                        Some((groups, _)) => groups.push(group),
                        None => next.push((vec![group], left)),
                    }
                }
            }
            let gathered = next
                .into_iter()
                .map(|(groups, left)| (Poly::total(groups), left));
            parts = gathered.collect();
        }
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
    fn in_factors(
        &self,
        top: &Poly,
        below: &Below,
        (writer, atoms): &(Writer, Atoms),
    ) -> Option<Expr> {
        // a numerator that does not split is what `terms_apart` writes over the whole denominator
        if top
            .without(&top.monomial_content())
            .is_plainly_irreducible()
        {
            return None;
        }
        let found = factor(top, &self.effort.part(GCD_EFFORT))?;
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
        for own in self.waves() {
            if let Node::Apply(_, args) = &*self.pool.node(self.generators[own.odd]) {
                let f = if own.are_hyperbolic() {
                    Function::Tanh
                } else {
                    Function::Tan
                };
                let ratio = self.pool.apply(f, args[0]);
                atoms.ratios.push((own.odd, own.even, list.len()));
                list.push(ratio);
            }
        }
        (Writer::new(self.pool, list, &self.tries), atoms)
    }
}

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
        Self::of([true, true, true]),
        Self::of([true, true, false]),
        Self::of([false, true, true]),
        Self::of([true, false, true]),
        Self::of([true, false, false]),
        Self::of([false, false, true]),
    ];

    const fn of([powers, others, tangents]: [bool; 3]) -> Self {
        Self {
            powers,
            others,
            tangents,
        }
    }

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
