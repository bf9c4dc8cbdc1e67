//! A formula as it is to be written: what stands where, without the characters of any notation.

use super::Style;
use crate::expr::function::Function;

/// What encloses a part of a formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fence {
    /// Parentheses.
    Round,
    /// The bars of an absolute value.
    Bars,
}

/// The sign of a term; those of two branches at once stand one above the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sign {
    Plus,
    Minus,
    PlusMinus,
    MinusPlus,
}

impl Sign {
    /// Minus or plus.
    pub(super) fn of(negative: bool) -> Self {
        if negative { Self::Minus } else { Self::Plus }
    }

    /// The same of something that has the sign in which two branches differ.
    pub(super) fn in_branches(self) -> Self {
        match self {
            Self::Plus => Self::PlusMinus,
            _ => Self::MinusPlus,
        }
    }

    pub(super) fn written(self, style: Style) -> &'static str {
        match (self, style) {
            (Self::Plus, _) => "+",
            (Self::Minus, _) => "-",
            (Self::PlusMinus, Style::Plain) => "+-",
            (Self::MinusPlus, Style::Plain) => "-+",
            (Self::PlusMinus, Style::Pretty) => "±",
            (Self::MinusPlus, Style::Pretty) => "∓",
            (Self::PlusMinus, Style::Latex) => "\\pm ",
            (Self::MinusPlus, Style::Latex) => "\\mp ",
        }
    }

    /// What stands before a term of a sum.
    pub(super) fn before(self, first: bool, style: Style) -> String {
        let sign = self.written(style);
        match (first, self) {
            (true, Self::Plus) => String::new(),
            (true, _) => sign.to_owned(),
            (false, _) => format!(" {} ", sign.trim_end()),
        }
    }
}

/// A formula as it is to be written; parentheses are where they are needed.
#[derive(Clone, Debug)]
pub(super) enum Tree {
    /// A number or a name.
    Text(String),
    /// `2.5e-12`: digits and a power of ten.
    Scientific(String, String),
    /// Factors, one after the other.
    Row(Vec<Tree>),
    /// Terms, each with its sign.
    Sum(Vec<(Sign, Tree)>),
    /// A product with a sign other than plus.
    Signed(Sign, Box<Tree>),
    /// Numerator and denominator.
    Fraction(Box<Tree>, Box<Tree>),
    /// A square root.
    Root(Box<Tree>),
    /// Base and exponent.
    Power(Box<Tree>, Box<Tree>),
    /// Something in parentheses or bars.
    Fenced(Fence, Box<Tree>),
    /// A function, its whole exponent (`sin²(x)`), its arguments.
    Call(Function, Option<String>, Vec<Tree>),
}
