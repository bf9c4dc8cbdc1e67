//! How long an expression is when it is printed: its operations, then its characters.
//!
//! This is what decides between equal forms. An operation is a binary `+ - * / ^`, a minus that leads a
//! sum, or a function; `sqrt(u)` is one, and so is the fraction bar of `1/x`. The counts are those of the
//! text of [`Style::Plain`](super::print::Style), found without making the text.

use super::memo::{Cost, Measured, Tightness, remembered};
use super::number::Number;
use super::pool::{Expr, Node, Pool};
use smallvec::SmallVec;

impl Cost {
    pub(super) fn new(operations: u32, characters: usize) -> Self {
        Self {
            operations,
            characters: u32::try_from(characters).unwrap_or(u32::MAX),
        }
    }

    /// Both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            operations: self.operations.saturating_add(other.operations),
            characters: self.characters.saturating_add(other.characters),
        }
    }
}

impl Measured {
    fn atom(operations: u32, characters: usize) -> Self {
        Self {
            cost: Cost::new(operations, characters),
            tightness: Tightness::Atom,
        }
    }

    /// In parentheses where it binds less than needed.
    fn within(self, needed: Tightness) -> Cost {
        if self.tightness >= needed {
            self.cost
        } else {
            self.cost.plus(Cost::new(0, 2))
        }
    }
}

/// Pieces above and below a fraction bar, and a coefficient.
pub(super) struct Fraction {
    size: Number,
    above: SmallVec<[Measured; 8]>,
    below: SmallVec<[Measured; 8]>,
}

impl Fraction {
    /// Begins with the size of a coefficient.
    pub(super) fn new(size: &Number) -> Self {
        Self {
            size: size.clone(),
            above: SmallVec::new(),
            below: SmallVec::new(),
        }
    }

    pub(super) fn push(&mut self, piece: Measured, below: bool) {
        if below {
            self.below.push(piece);
        } else {
            self.above.push(piece);
        }
    }

    fn joined(pieces: &[Measured]) -> Measured {
        match pieces {
            [] => Measured::atom(0, 1),
            [one] => *one,
            _ => {
                let stars = pieces.len() - 1;
                #[allow(clippy::cast_possible_truncation)] // bounded by what a product holds
                let start = Cost::new(stars as u32, stars);
                Measured {
                    cost: pieces
                        .iter()
                        .fold(start, |sum, p| sum.plus(p.within(Tightness::Power))),
                    tightness: Tightness::Product,
                }
            }
        }
    }

    pub(super) fn measured(mut self) -> Measured {
        let (over, under) = split_coefficient(&self.size, !self.above.is_empty());
        self.above.extend(over.as_ref().map(number));
        self.below.extend(under.as_ref().map(number));
        let top = Self::joined(&self.above);
        if self.below.is_empty() {
            return top;
        }
        let bottom = Self::joined(&self.below);
        let bottom = if self.below.len() == 1 {
            bottom.within(Tightness::Power)
        } else {
            bottom.cost.plus(Cost::new(0, 2))
        };
        Measured {
            cost: top
                .within(Tightness::Product)
                .plus(bottom)
                .plus(Cost::new(1, 1)),
            tightness: Tightness::Product,
        }
    }
}

/// A positive coefficient as numbers before the other factors of a product and below the fraction bar. A
/// decimal like 0.05 stays one number, unless dividing by 20 is all it does and no longer: 2.5e-12 stays.
pub(super) fn split_coefficient(
    size: &Number,
    beside_others: bool,
) -> (Option<Number>, Option<Number>) {
    let decimal = !size.is_integer() && !size.to_string().contains('/');
    let (top, bottom) = (size.numerator(), size.denominator());
    let divides =
        || beside_others && top.is_one() && bottom.to_string().len() <= size.to_string().len();
    if decimal && !divides() {
        return (Some(size.clone()), None);
    }
    (
        (!top.is_one()).then_some(top),
        (!bottom.is_one()).then_some(bottom),
    )
}

/// The terms of a sum joined: each with whether it is negative.
pub(super) fn joined_sum(parts: &[(bool, Measured)]) -> Measured {
    if let [(false, one)] = parts {
        return *one;
    }
    let leading_minus = parts.iter().all(|(negative, _)| *negative);
    let signs = parts.len().saturating_sub(1);
    #[allow(clippy::cast_possible_truncation)]
    let start = Cost::new(
        signs as u32 + u32::from(leading_minus),
        3 * signs + usize::from(leading_minus),
    );
    Measured {
        cost: parts
            .iter()
            .fold(start, |sum, (_, p)| sum.plus(p.within(Tightness::Product))),
        tightness: Tightness::Sum,
    }
}

/// A number that is not negative.
pub(super) fn number(n: &Number) -> Measured {
    let text = n.to_string();
    let slash = text.contains('/');
    let negative = n.is_negative();
    Measured {
        cost: Cost::new(u32::from(slash) + u32::from(negative), text.len()),
        tightness: if negative {
            Tightness::Sum
        } else if slash {
            Tightness::Product
        } else {
            Tightness::Atom
        },
    }
}

impl Pool {
    /// The length of an expression as it is printed.
    pub fn cost(&self, e: Expr) -> Cost {
        self.measured(e).cost
    }

    /// The number other than 1 that could be written before a sum in parentheses: not before kinetic and potential
    /// energy at once.
    fn content_of(&self, constant: &Number, terms: &[(Expr, Number)]) -> Option<Number> {
        let several = terms.len() + usize::from(!constant.is_zero()) >= 2;
        if !several || terms.iter().any(|(_, k)| k.abs().is_one()) {
            return None;
        }
        let content = terms.iter().fold(constant.abs(), |g, (_, k)| g.content(k));
        if content.is_one() {
            return None;
        }
        let ranks = || terms.iter().map(|(t, _)| self.derivative_of_term(*t));
        let is_energy = ranks()
            .max()
            .is_some_and(|(order, times)| order == 1 && times >= 2)
            && ranks().any(|(order, _)| order == 0);
        (!is_energy).then_some(content)
    }

    pub(super) fn measured(&self, e: Expr) -> Measured {
        remembered(&self.memory.costs, e, || match &*self.node(e) {
            Node::Number(n) => number(n),
            Node::Symbol(_) => {
                let name = self.as_symbol(e).map_or(0, |s| s.name.chars().count());
                Measured::atom(0, name)
            }
            Node::Sum(constant, terms) => {
                let plain = self.measured_sum(constant, terms, &Number::ONE);
                let apart = self.content_of(constant, terms);
                let apart = apart.map(|content| self.measured_sum(constant, terms, &content));
                apart.filter(|a| a.cost < plain.cost).unwrap_or(plain)
            }
            Node::Product(coefficient, factors) => {
                let (negative, piece) = self.measured_product(coefficient, factors);
                if negative {
                    Measured {
                        cost: piece.cost.plus(Cost::new(1, 1)),
                        tightness: Tightness::Sum,
                    }
                } else {
                    piece
                }
            }
            Node::Apply(f, args) => {
                let commas = args.len() - 1;
                let start = Cost::new(1, f.name().len() + 2 + 2 * commas);
                Measured {
                    cost: args.iter().fold(start, |sum, a| sum.plus(self.cost(*a))),
                    tightness: Tightness::Atom,
                }
            }
        })
    }

    /// The positive number that is written before a sum in parentheses, where that is shorter:
    /// `2*x - 2*y` is written `2*(x - y)`.
    pub(super) fn shown_content(&self, constant: &Number, terms: &[(Expr, Number)]) -> Number {
        let cost = |content: &Number| self.measured_sum(constant, terms, content).cost;
        self.content_of(constant, terms)
            .filter(|content| cost(content) < cost(&Number::ONE))
            .unwrap_or(Number::ONE)
    }

    /// A sum with this number before it.
    fn measured_sum(
        &self,
        constant: &Number,
        terms: &[(Expr, Number)],
        content: &Number,
    ) -> Measured {
        let inverse = content.recip().unwrap_or(Number::ONE);
        let constant = constant.mul(&inverse);
        let parts: Vec<(bool, Measured)> = terms
            .iter()
            .map(|(t, k)| {
                let k = k.mul(&inverse);
                match &*self.node(*t) {
                    Node::Product(_, factors) => self.measured_product(&k, factors),
                    _ => self.measured_product(&k, &[(*t, self.one())]),
                }
            })
            .chain((!constant.is_zero()).then(|| (constant.is_negative(), number(&constant.abs()))))
            .collect();
        let sum = joined_sum(&parts);
        if content.is_one() {
            return sum;
        }
        let mut fraction = Fraction::new(content);
        fraction.push(sum, false);
        fraction.measured()
    }

    /// A product without its sign, and whether that is minus.
    fn measured_product(&self, coefficient: &Number, factors: &[(Expr, Expr)]) -> (bool, Measured) {
        match self.with_sums_scaled(coefficient, factors) {
            Some((k, factors)) => self.measured_as_it_is(&k, &factors),
            None => self.measured_as_it_is(coefficient, factors),
        }
    }

    /// The cost of a product with its factors as they are.
    pub(super) fn cost_of_product(&self, coefficient: &Number, factors: &[(Expr, Expr)]) -> Cost {
        let (negative, piece) = self.measured_as_it_is(coefficient, factors);
        let sign = usize::from(negative);
        piece.cost.plus(Cost::new(u32::from(negative), sign))
    }

    fn measured_as_it_is(
        &self,
        coefficient: &Number,
        factors: &[(Expr, Expr)],
    ) -> (bool, Measured) {
        let turned = if coefficient.is_negative() {
            self.turnable(factors)
        } else {
            None
        };
        let mut fraction = Fraction::new(&coefficient.abs());
        for (i, &(base, exponent)) in factors.iter().enumerate() {
            let base = if turned == Some(i) {
                self.neg(base)
            } else {
                base
            };
            let below = self.as_number(exponent).is_some_and(|q| q.is_negative());
            let exponent = if below { self.neg(exponent) } else { exponent };
            fraction.push(self.measured_power(base, exponent), below);
        }
        (
            coefficient.is_negative() && turned.is_none(),
            fraction.measured(),
        )
    }

    fn measured_power(&self, base: Expr, exponent: Expr) -> Measured {
        if exponent == self.one() {
            return self.measured(base);
        }
        let inside = self.measured(base);
        if self.as_number(exponent) == Some(Number::HALF) {
            return Measured {
                cost: inside.cost.plus(Cost::new(1, 6)),
                tightness: Tightness::Atom,
            };
        }
        let exponent = self.measured(exponent);
        Measured {
            cost: inside
                .within(Tightness::Atom)
                .plus(exponent.within(Tightness::Atom))
                .plus(Cost::new(1, 1)),
            tightness: Tightness::Power,
        }
    }
}
