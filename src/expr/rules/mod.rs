//! Simplification rules as data: a table of equations, each with its precondition.
//!
//! A rule says `from = to` and *when*. Its sides are texts in the grammar of system files; `u`, `v`, `w`
//! stand for any expression, `n` and `k` for exact numbers. The constructors [`Pool::apply`],
//! [`Pool::pow`] and [`Pool::product`] look in the table for the first rule whose left side is what they
//! are about to make and whose precondition is *shown* (see [`super::known`]); where it cannot be shown the rule
//! does not fire.
//!
//! What a rule promises: **it holds wherever `from` has a value** and its precondition is met. The right
//! side may have a value at more points (`sin(asin(u)) = u` for abs(u) > 1), as in cancelling `x/x`; it
//! never has one at fewer: no singularity is made. A rule of the first kind
//! is applied while an expression is built. One that widens the domain ([`Stage::Simplifying`]) is left to
//! [`Pool::simplify`](super::simplify): a text that is read keeps its `asin`, so the
//! question where a constraint is defined and C^1 is put to what was written.
//!
//! Powers of one base are gathered as they always were (`sqrt(x)*sqrt(x) = x`, `x/x = 1`), numbers are
//! raised by [`super::radical`]; that is arithmetic of the normal form, not a rule of this table. Relations between
//! several generators (`sin(u)^2 + cos(u)^2 = 1`) are in [`super::normal`], sums of angles in
//! [`super::angles`].

mod pattern;
mod table;
#[cfg(test)]
mod tests;

use super::function::Function;
use super::number::Number;
use super::pool::{Expr, Node, Pool};
use pattern::{Binding, Pattern};
use smallvec::SmallVec;
use std::sync::OnceLock;

/// An equation with its precondition.
#[derive(Debug)]
pub(super) struct Rule {
    /// What it is called in the tests; several rules may share a name.
    #[cfg_attr(not(test), allow(dead_code))]
    name: &'static str,
    from: &'static str,
    to: &'static str,
    when: When,
    stage: Stage,
}

/// When a rule is applied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    /// While an expression is built: both sides have the same domain.
    Building,
    /// In simplifying: the right side may have a value where the left has none.
    Simplifying,
}

/// A precondition; the texts are expressions of the variables.
#[derive(Clone, Copy, Debug)]
pub(super) enum When {
    /// Wherever the left side has a value.
    Always,
    /// `e >= 0`.
    NonNegative(&'static str),
    /// `e > 0`.
    Positive(&'static str),
    /// `e` is not 0.
    NonZero(&'static str),
    /// `lo <= e <= hi`.
    Within(&'static str, &'static str, &'static str),
    /// An even whole number.
    Even(&'static str),
    /// An odd whole number.
    Odd(&'static str),
    /// A number that is not whole.
    Fraction(&'static str),
    /// A number that differs from one of these fractions by a multiple of the modulus.
    Congruent(&'static str, i64, &'static [(i64, i64)]),
    /// All of these, none of which is a list itself.
    All(&'static [When]),
}

impl When {
    /// The expressions that something is asked of.
    fn texts(self) -> Vec<&'static str> {
        match self {
            Self::Always | Self::All(_) => Vec::new(),
            Self::Within(e, lo, hi) => vec![e, lo, hi],
            Self::NonNegative(e)
            | Self::Positive(e)
            | Self::NonZero(e)
            | Self::Even(e)
            | Self::Odd(e)
            | Self::Fraction(e)
            | Self::Congruent(e, ..) => vec![e],
        }
    }

    /// Is it shown to hold of what its texts stand for?
    fn holds(self, pool: &Pool, of: &[Expr]) -> bool {
        let Some(&e) = of.first() else {
            return true;
        };
        let number = || pool.as_number(e);
        match self {
            Self::Always | Self::All(_) => true,
            Self::NonNegative(_) => pool.is_non_negative(e),
            Self::Positive(_) => pool.is_positive(e),
            Self::NonZero(_) => pool.is_not_zero(e),
            Self::Within(..) => matches!(*of, [_, lo, hi] if pool.is_within(e, lo, hi)),
            Self::Even(_) => number().is_some_and(|n| n.is_even()),
            Self::Odd(_) => number().is_some_and(|n| n.is_integer() && !n.is_even()),
            Self::Fraction(_) => number().is_some_and(|n| !n.is_integer()),
            Self::Congruent(_, modulus, residues) => number().is_some_and(|n| {
                residues.iter().any(|&(a, b)| {
                    let steps = Number::ratio(a, b).and_then(|r| n.sub(&r).div(&modulus.into()));
                    steps.is_some_and(|steps| steps.is_integer())
                })
            }),
        }
    }
}

/// A precondition with its texts read: all that has to hold, and of what.
#[derive(Debug)]
struct Condition(Vec<(When, Vec<Pattern>)>);

impl Condition {
    fn read(when: When) -> Option<Self> {
        let list = match when {
            When::All(list) => list,
            _ => &[when],
        };
        let read = |when: &When| {
            let texts = when.texts().into_iter().map(Pattern::read);
            Some((*when, texts.collect::<Option<_>>()?))
        };
        list.iter().map(read).collect::<Option<_>>().map(Self)
    }

    /// Is it shown to hold?
    fn holds(&self, pool: &Pool, binding: &Binding) -> bool {
        self.0.iter().all(|(when, texts)| {
            let of = texts.iter().map(|p| p.build(pool, binding));
            of.collect::<Option<Vec<Expr>>>()
                .is_some_and(|of| when.holds(pool, &of))
        })
    }
}

/// A rule with its texts read.
#[derive(Debug)]
struct ParsedRule {
    /// the arguments of the function on the left, or base and exponent of the power
    from: Vec<Pattern>,
    to: Pattern,
    when: Condition,
    stage: Stage,
}

/// What a rule rewrites.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Head {
    Function(Function),
    Power,
    Product,
}

impl Head {
    /// Of the left side of a rule, without reading all of it.
    fn of(from: &str) -> Option<Self> {
        let mut depth = 0_i32;
        for c in from.chars() {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                '^' if depth == 0 => return Some(Self::Power),
                '*' if depth == 0 => return Some(Self::Product),
                _ => {}
            }
        }
        let (name, _) = from.split_once('(')?;
        Function::named(name).map(Self::Function)
    }

    fn place(self) -> usize {
        match self {
            Self::Function(f) => f as usize,
            Self::Power => Function::ALL.len(),
            Self::Product => Function::ALL.len() + 1,
        }
    }

    /// The rules of this head. They are read when one is first looked for.
    fn rules(self) -> &'static [ParsedRule] {
        static READ: [OnceLock<Vec<ParsedRule>>; Function::ALL.len() + 2] =
            [const { OnceLock::new() }; Function::ALL.len() + 2];
        let Some(place) = READ.get(self.place()) else {
            return &[];
        };
        place.get_or_init(|| {
            // that every rule can be read is a test
            let rules = table::RULES.iter().copied().flatten();
            rules
                .filter(|rule| Self::of(rule.from) == Some(self))
                .filter_map(ParsedRule::read)
                .collect()
        })
    }
}

impl ParsedRule {
    fn read(rule: &Rule) -> Option<Self> {
        let from = match Pattern::read(rule.from)? {
            Pattern::Apply(_, args) => args,
            Pattern::Power(pair) | Pattern::Product(pair) => vec![pair.0, pair.1],
            _ => return None,
        };
        Some(Self {
            from,
            to: Pattern::read(rule.to)?,
            when: Condition::read(rule.when)?,
            stage: rule.stage,
        })
    }

    fn rewrite(&self, pool: &Pool, parts: &[Expr]) -> Option<Expr> {
        Pattern::all_match(
            pool,
            &self.from,
            parts,
            &mut Binding::default(),
            &mut |binding| {
                if self.when.holds(pool, binding) {
                    self.to.build(pool, binding)
                } else {
                    None
                }
            },
        )
    }
}

impl Pool {
    /// A function of one argument, rewritten by the first rule that applies (see [`super::rules`]).
    pub fn apply(&self, function: Function, argument: Expr) -> Expr {
        self.function(function, smallvec::smallvec![argument])
    }

    /// `atan2(y, x)`.
    pub fn atan2(&self, y: Expr, x: Expr) -> Expr {
        self.function(Function::Atan2, smallvec::smallvec![y, x])
    }

    pub(in crate::expr) fn function(&self, function: Function, args: SmallVec<[Expr; 2]>) -> Expr {
        let node = Node::Apply(function, args);
        // what was made before is what no rule rewrites
        if let Some(known) = self.interned(&node) {
            return known;
        }
        let Node::Apply(_, args) = &node else {
            return self.intern(node);
        };
        match self.by_rule(Head::Function(function), args, Stage::Building) {
            Some(simpler) => simpler,
            None => self.intern(node),
        }
    }

    /// What a rule makes of a function of arguments, of a base and an exponent, or of two factors.
    pub(super) fn by_rule(&self, head: Head, parts: &[Expr], stage: Stage) -> Option<Expr> {
        let mut rules = head.rules().iter().filter(|rule| rule.stage == stage);
        rules.find_map(|rule| rule.rewrite(self, parts))
    }
}
