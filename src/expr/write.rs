//! The shortest way to write a fraction: what a person would write who tidies up by hand.
//!
//! A normal form (see [`super::normal`]) says what an expression *is*; here is decided how it is
//! *written*. It depends on the normal form alone, so expressions with one normal form are written the same (see
//! there for which have). Tried are
//!
//! * every term over what is left of its own denominator, with common factors taken out of groups of
//!   terms: `m*x'' - m*x*(y'' + g)/y`;
//! * one quotient in factors: `m*(x1*x1'' - x2*x2'')/(x1 - x2)`;
//!
//! both for the numerator as it stands and for its other forms under the relations. The one with the
//! fewest operations is taken, of those the one with the fewest characters ([`Cost`]). A group is only
//! taken together where what is taken out does not stand in what is left: `x^2 + 2*x*y + y^2 + 1` stays.

use super::cost::{Fraction as Bar, joined_sum};
use super::memo::{Cost, Measured, Tightness};
use super::number::Number;
use super::poly::{Monomial, Poly};
use super::pool::{Expr, Pool};
use super::tally::tally;
use crate::effort::{Effort, charge};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Exponents of atoms, ascending by atom, none zero.
pub(super) type Powers = SmallVec<[(usize, i32); 8]>;

/// `coefficient * prod atom^power`.
#[derive(PartialEq, Eq, Hash, Debug)]
pub(super) struct Term {
    pub(super) k: Number,
    pub(super) m: Powers,
}

impl Clone for Term {
    fn clone(&self) -> Self {
        Self {
            k: self.k.clone(),
            // in one piece: the vector's own clone goes power by power
            m: Powers::from_slice(&self.m),
        }
    }
}

/// A product of a number, powers of atoms and sums.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Part {
    k: Number,
    m: Powers,
    sums: Vec<(Rc<Sum>, i32)>,
}

/// A sum, and how long it is.
#[derive(Debug)]
struct Sum {
    parts: Vec<Part>,
    measured: Measured,
}

impl PartialEq for Sum {
    fn eq(&self, other: &Self) -> bool {
        self.parts == other.parts
    }
}

impl Eq for Sum {}

impl Part {
    fn plain(term: Term) -> Self {
        Self {
            k: term.k,
            m: term.m,
            sums: Vec::new(),
        }
    }
}

/// Sums of more terms than this are not grouped.
const MOST_TERMS: usize = 160;
/// How many groups one writing may try.
pub(super) const TRIES: u32 = 100;
/// How many groups are tried at each place: in the whole, in a part of it, and in parts of parts.
const WIDTHS: [usize; 3] = [3, 3, 2];
/// How many squares are tried at each place.
const MOST_SQUARES: usize = 3;
/// Sums of more terms than this are not factored once more.
const MOST_FACTORED: usize = 40;
/// Term products one such factoring may take.
const FACTOR_EFFORT: u64 = 4_000;

/// Writes sums of terms in atoms: any expressions that stand for themselves.
pub(super) struct Writer<'a> {
    pool: &'a Pool,
    atoms: Vec<Expr>,
    powers: RefCell<Vec<((usize, i32), Measured)>>,
    turnable: Vec<bool>,
    /// sums that were grouped already
    known: RefCell<FxHashMap<Vec<Term>, Rc<Sum>>>,
    tries: &'a Cell<u32>,
    /// how many groups the one at hand is inside of
    depth: Cell<usize>,
}

impl<'a> Writer<'a> {
    /// A writer that takes its tries from this allowance, [`TRIES`] at first.
    pub(super) fn new(pool: &'a Pool, atoms: Vec<Expr>, tries: &'a Cell<u32>) -> Self {
        let turnable = atoms
            .iter()
            .map(|a| pool.turnable(&[(*a, pool.one())]).is_some())
            .collect();
        Self {
            pool,
            atoms,
            powers: RefCell::default(),
            turnable,
            known: RefCell::default(),
            tries,
            depth: Cell::new(0),
        }
    }

    /// The sum of these terms, their monomials distinct, with common factors taken out where that is shorter.
    pub(super) fn sum(&self, terms: Vec<Term>) -> Expr {
        if terms.is_empty() {
            return self.pool.zero();
        }
        let part = self.taken_out(terms);
        self.expression(&part)
    }

    // ------------------------------------------------------------- grouping

    /// The sum of some terms as a product: number and monomial common to all, and what is left.
    fn taken_out(&self, mut terms: Vec<Term>) -> Part {
        if terms.len() == 1
            && let Some(term) = terms.pop()
        {
            return Part::plain(term);
        }
        let m = common(&terms);
        let mut k = terms.iter().fold(Number::ZERO, |c, t| c.content(&t.k));
        if terms.iter().all(|t| t.k.is_negative()) {
            k = k.neg();
        }
        let inverse = k.recip().unwrap_or(Number::ONE);
        for term in &mut terms {
            term.k = term.k.mul(&inverse);
            term.m = divided(&term.m, &m);
        }
        let inner = self.grouped(terms);
        if let [one] = inner.parts.as_slice() {
            let mut one = one.clone();
            one.k = one.k.mul(&k);
            one.m = multiplied(&one.m, &m);
            return one;
        }
        Part {
            k,
            m,
            sums: vec![(inner, 1)],
        }
    }

    /// Terms without a common factor, some of them taken together.
    fn grouped(&self, terms: Vec<Term>) -> Rc<Sum> {
        let flat = || self.weighed(terms.iter().cloned().map(Part::plain).collect());
        if terms.len() < 3 || terms.len() > MOST_TERMS {
            return Rc::new(flat());
        }
        if let Some(sum) = self.known.borrow().get(&terms) {
            return Rc::clone(sum);
        }
        let mut best = flat();
        let try_one = |best: &mut Sum, parts: Vec<Part>| {
            let sum = self.weighed(parts);
            if sum.measured.cost < best.measured.cost {
                *best = sum;
            }
        };
        if let Some(product) = self.factored(&terms) {
            try_one(&mut best, vec![product]);
        }
        let depth = self.depth.get();
        let groups = self.candidates(&terms, WIDTHS[depth.min(WIDTHS.len() - 1)]);
        self.depth.set(depth + 1);
        for members in groups {
            let Some(left) = self.tries.get().checked_sub(1) else {
                break;
            };
            self.tries.set(left);
            // each term is measured anew
            charge(8 * terms.len());
            let (mut inside, mut outside) = (Vec::new(), Vec::new());
            for (term, member) in terms.iter().zip(&members) {
                if *member {
                    inside.push(term.clone());
                } else {
                    outside.push(term.clone());
                }
            }
            let taken = self.taken_out(inside);
            // longer already than all of it otherwise
            let (_, alone) = self.measured(&taken);
            if alone.cost >= best.measured.cost {
                continue;
            }
            let mut parts = vec![taken];
            parts.extend(self.grouped(outside).parts.iter().cloned());
            try_one(&mut best, self.same_sums_joined(parts));
        }
        self.depth.set(depth);
        let best = Rc::new(best);
        self.known.borrow_mut().insert(terms, Rc::clone(&best));
        best
    }

    /// Groups of terms that share a power of an atom, those that save most first.
    fn candidates(&self, terms: &[Term], width: usize) -> Vec<Vec<bool>> {
        let mut shared: Vec<((usize, i32), u32)> = Vec::new();
        for term in terms {
            for &power in &term.m {
                tally(&mut shared, Cow::Owned(power), 1);
            }
        }
        let mut groups: Vec<(u32, Vec<bool>)> = Vec::new();
        for ((atom, exponent), count) in shared {
            if count < 2 || count as usize == terms.len() {
                continue;
            }
            let members: Vec<bool> = terms
                .iter()
                .map(|t| t.m.contains(&(atom, exponent)))
                .collect();
            let inside: Vec<Term> = terms
                .iter()
                .zip(&members)
                .filter(|(_, m)| **m)
                .map(|(t, _)| t.clone())
                .collect();
            let operations: u32 = common(&inside)
                .iter()
                .map(|&(a, e)| 1 + self.power(a, e.abs()).cost.operations)
                .sum();
            let saving = operations * (count - 1);
            match groups.iter_mut().find(|(_, m)| *m == members) {
                Some(known) => known.0 = known.0.max(saving),
                None => groups.push((saving, members)),
            }
        }
        // a stable order: the atoms' own
        groups.sort_by_key(|(saving, _)| std::cmp::Reverse(*saving));
        let mut groups: Vec<Vec<bool>> = groups.into_iter().map(|(_, m)| m).collect();
        groups.truncate(width);
        groups.extend(squares(terms));
        groups
    }

    /// The sum of some terms as a product of sums, where it is one.
    fn factored(&self, terms: &[Term]) -> Option<Part> {
        if terms.len() > MOST_FACTORED {
            return None;
        }
        // what is below is multiplied out
        let mut below = Powers::new();
        for &(atom, e) in terms.iter().flat_map(|t| &t.m).filter(|(_, e)| *e < 0) {
            match below.iter_mut().find(|p| p.0 == atom) {
                Some(p) => p.1 = p.1.min(e),
                None => below.push((atom, e)),
            }
        }
        below.sort_unstable();
        let mut list = Vec::with_capacity(terms.len());
        for term in terms {
            let mut m = Monomial::new();
            for (atom, e) in divided(&term.m, &below) {
                if m.len() <= atom {
                    m.resize(atom + 1, 0);
                }
                m[atom] = u16::try_from(e).ok()?;
            }
            list.push((m, term.k.clone()));
        }
        let whole = Poly::from_terms(list);
        if whole.is_plainly_irreducible() {
            return None;
        }
        let left = self.tries.get().checked_sub(1)?;
        self.tries.set(left);
        let (unit, bare) = whole.primitive();
        let mut factors = Vec::new();
        split(
            &bare,
            1,
            &Effort::at_least(FACTOR_EFFORT, FACTOR_EFFORT),
            &mut factors,
        )?;
        let several = factors
            .iter()
            .filter(|(p, _)| p.terms().len() > 1)
            .map(|(_, k)| k)
            .sum::<u32>();
        if several < 2 && below.is_empty() {
            return None;
        }
        let mut part = Part {
            k: unit,
            m: below,
            sums: Vec::new(),
        };
        for (p, k) in &factors {
            let times = i32::try_from(*k).ok()?;
            let terms: Vec<Term> = p
                .terms()
                .iter()
                .map(|(m, k)| Term {
                    k: k.clone(),
                    m: (m.iter().enumerate().filter(|(_, e)| **e > 0))
                        .map(|(atom, e)| (atom, i32::from(*e)))
                        .collect(),
                })
                .collect();
            match terms.as_slice() {
                [one] => {
                    let power: Powers = one.m.iter().map(|&(a, e)| (a, e * times)).collect();
                    part.m = multiplied(&part.m, &power);
                }
                _ => part.sums.push((self.grouped(terms), times)),
            }
        }
        Some(part)
    }

    /// Products that share a sum: `a*(g + y) + b*(g + y)` is `(a + b)*(g + y)`.
    fn same_sums_joined(&self, mut parts: Vec<Part>) -> Vec<Part> {
        let mut place = 0;
        while let Some(part) = parts.get(place) {
            let Some((sum, 1)) = part.sums.first().cloned() else {
                place += 1;
                continue;
            };
            let sharing: Vec<usize> = (place..parts.len())
                .filter(
                    |&i| matches!(parts[i].sums.as_slice(), [(s, 1)] if same(s, &sum).is_some()),
                )
                .collect();
            if sharing.len() < 2 || part.sums.len() > 1 {
                place += 1;
                continue;
            }
            let mut rest = Vec::new();
            for &i in sharing.iter().rev() {
                let part = parts.remove(i);
                let turned = part.sums.first().and_then(|(s, _)| same(s, &sum)) == Some(true);
                rest.push(Term {
                    k: if turned { part.k.neg() } else { part.k },
                    m: part.m,
                });
            }
            rest.reverse();
            let mut whole = self.taken_out(rest);
            whole.sums.push((sum, 1));
            parts.insert(place, whole);
            place += 1;
        }
        parts
    }

    // --------------------------------------------------------------- lengths

    fn power(&self, atom: usize, exponent: i32) -> Measured {
        if let Some((_, known)) = self
            .powers
            .borrow()
            .iter()
            .find(|(p, _)| *p == (atom, exponent))
        {
            return *known;
        }
        let raised = self.pool.powi(self.atoms[atom], i64::from(exponent));
        let measured = self.pool.measured(raised);
        self.powers.borrow_mut().push(((atom, exponent), measured));
        measured
    }

    fn weighed(&self, parts: Vec<Part>) -> Sum {
        let list: Vec<(bool, Measured)> = parts.iter().map(|p| self.measured(p)).collect();
        let measured = joined_sum(&list);
        Sum { parts, measured }
    }

    /// A product without its sign, and whether that is minus.
    fn measured(&self, part: &Part) -> (bool, Measured) {
        let mut bar = Bar::new(&part.k.abs());
        let mut negative = part.k.is_negative();
        for &(atom, exponent) in &part.m {
            bar.push(self.power(atom, exponent.abs()), exponent < 0);
            negative &= !(exponent.abs() == 1 && self.turnable[atom]);
        }
        for (sum, exponent) in &part.sums {
            let mut inside = sum.measured;
            if exponent.abs() == 1 {
                negative &= !self.turns(sum);
            } else {
                // base and exponent
                inside.cost = inside.cost.plus(Cost::new(1, 4));
                inside.tightness = Tightness::Power;
            }
            bar.push(inside, *exponent < 0);
        }
        (negative, bar.measured())
    }

    /// As [`Pool::turns`].
    fn turns(&self, sum: &Sum) -> bool {
        let has_minus = |sum: &Sum| sum.parts.iter().any(|p| p.k.is_negative());
        has_minus(sum)
            || sum.parts.iter().any(|p| {
                let mut sums = p.sums.iter().filter(|(_, e)| e.abs() == 1);
                let mut atoms = p.m.iter().filter(|(_, e)| e.abs() == 1);
                sums.any(|(s, _)| has_minus(s))
                    || atoms.any(|(a, _)| self.pool.has_minus(self.atoms[*a]))
            })
    }

    // ----------------------------------------------------------- expressions

    fn expression(&self, part: &Part) -> Expr {
        let mut factors = vec![self.pool.number(part.k.clone())];
        for &(atom, exponent) in &part.m {
            factors.push(self.pool.powi(self.atoms[atom], i64::from(exponent)));
        }
        for (sum, exponent) in &part.sums {
            let terms: Vec<Expr> = sum.parts.iter().map(|p| self.expression(p)).collect();
            let sum = self.pool.sum(terms);
            factors.push(self.pool.powi(sum, i64::from(*exponent)));
        }
        self.pool.product(factors)
    }
}

/// The monomial that divides all terms: of each atom the power nearest to 0 where all have the same sign.
fn common(terms: &[Term]) -> Powers {
    let Some((first, rest)) = terms.split_first() else {
        return Powers::new();
    };
    let mut shared = Powers::from_slice(&first.m);
    for term in rest {
        shared.retain(|(atom, e)| {
            let other = term.m.iter().find(|(a, _)| a == atom).map_or(0, |p| p.1);
            if other.signum() != e.signum() {
                return false;
            }
            if other.abs() < e.abs() {
                *e = other;
            }
            true
        });
    }
    shared
}

fn multiplied(a: &Powers, b: &Powers) -> Powers {
    combined(a, b, 1)
}

fn divided(a: &Powers, b: &Powers) -> Powers {
    combined(a, b, -1)
}

/// Multiplies by a power of an atom.
pub(super) fn add_power(powers: &mut Powers, atom: usize, exponent: i32) {
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

/// `a * b^sign`.
fn combined(a: &Powers, b: &Powers, sign: i32) -> Powers {
    let mut product = Powers::from_slice(a);
    for &(atom, e) in b {
        add_power(&mut product, atom, sign * e);
    }
    product
}

/// Splits what splits easily: contents in a variable that stands to the first power, and squares. Whether
/// `x^2 - y^2` does is not asked, it is short as it is. `None` when out of effort.
fn split(p: &Poly, times: u32, effort: &Effort, factors: &mut Vec<(Poly, u32)>) -> Option<()> {
    let linear = p.variables().into_iter().find(|&v| p.degree(v) == 1);
    if let Some(v) = linear {
        if !p.is_plainly_irreducible() {
            let content = p.content_in(v, effort)?;
            if content.as_constant().is_none() {
                let rest = p.div_exact(&content, effort)?;
                split(&content, times, effort, factors)?;
                return split(&rest, times, effort, factors);
            }
        }
    } else if p.terms().len() > 2
        && let Some(root) = p.sqrt(effort)
    {
        return split(&root.primitive().1, 2 * times, effort, factors);
    }
    effort.spend(0)?;
    tally(factors, Cow::Borrowed(p), times);
    Some(())
}

/// Groups of three terms that make up a square: `k a^2 + 2 k a b + k b^2`.
fn squares(terms: &[Term]) -> Vec<Vec<bool>> {
    // three terms are seen to be a square when they are factored
    if terms.len() < 4 {
        return Vec::new();
    }
    let half = |t: &Term| -> Option<Powers> {
        t.m.iter()
            .map(|&(atom, e)| (e % 2 == 0).then_some((atom, e / 2)))
            .collect()
    };
    let roots: Vec<(usize, Powers)> = terms
        .iter()
        .enumerate()
        .filter_map(|(i, t)| half(t).map(|root| (i, root)))
        .collect();
    let mut groups = Vec::new();
    for (place, (i, a)) in roots.iter().enumerate() {
        for (j, b) in &roots[place + 1..] {
            // of 2 a b = sqrt(ka) sqrt(kb): the numbers too must be a square
            let (ka, kb) = (&terms[*i].k, &terms[*j].k);
            if ka.is_negative() != kb.is_negative() {
                continue;
            }
            let Some(root) = ka.mul(kb).root(2) else {
                continue;
            };
            let double = root.mul(&Number::from(2));
            let middle = multiplied(a, b);
            let Some(third) = terms
                .iter()
                .position(|t| t.m == middle && t.k.abs() == double)
            else {
                continue;
            };
            if third != *i && third != *j && groups.len() < MOST_SQUARES {
                groups.push(
                    (0..terms.len())
                        .map(|t| t == *i || t == *j || t == third)
                        .collect(),
                );
            }
        }
    }
    groups
}

/// Are two sums the same (`Some(false)`), or one the negative of the other (`Some(true)`)?
fn same(a: &Sum, b: &Sum) -> Option<bool> {
    let (a, b) = (&a.parts, &b.parts);
    if a.len() != b.len() {
        return None;
    }
    let matches = |turned: bool| {
        a.iter().all(|p| {
            b.iter().any(|q| {
                let k = if turned { q.k.neg() } else { q.k.clone() };
                p.k == k && p.m == q.m && p.sums == q.sums
            })
        })
    };
    if matches(false) {
        Some(false)
    } else if matches(true) {
        Some(true)
    } else {
        None
    }
}
