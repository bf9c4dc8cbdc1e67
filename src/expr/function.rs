//! The functions of the grammar.

use super::pool::{Expr, Node, Pool};
use super::rules::Stage;
use smallvec::SmallVec;

/// The functions of the grammar, `sqrt` aside (it is a power).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Function {
    /// Sine.
    Sin,
    /// Cosine.
    Cos,
    /// Tangent.
    Tan,
    /// Inverse sine, on [-1, 1].
    Asin,
    /// Inverse cosine, on [-1, 1].
    Acos,
    /// Inverse tangent.
    Atan,
    /// `atan2(y, x)`, with a cut along y = 0, x <= 0.
    Atan2,
    /// Hyperbolic sine.
    Sinh,
    /// Hyperbolic cosine.
    Cosh,
    /// Hyperbolic tangent.
    Tanh,
    /// Error function.
    Erf,
    /// Exponential.
    Exp,
    /// Natural logarithm, on (0, inf).
    Log,
    /// Absolute value.
    Abs,
    /// Sign: -1, 0 or 1.
    Sign,
}

/// Where a function is continuously differentiable, by its argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Smooth {
    /// For every argument.
    Everywhere,
    /// Where it is not zero: there is a kink or a jump.
    NotZero,
    /// Where it is positive: there the domain ends.
    Positive,
    /// Strictly between -1 and 1: there the slope is infinite, and the domain ends.
    InsideUnit,
    /// Where its cosine is not zero: there are poles.
    BetweenPoles,
    /// Off the cut of `atan2`.
    OffCut,
}

impl Function {
    /// Where it is continuously differentiable. Every proof rests on this: a new function is smooth nowhere until it says
    /// where.
    pub fn smooth(self) -> Smooth {
        match self {
            Self::Sin
            | Self::Cos
            | Self::Atan
            | Self::Sinh
            | Self::Cosh
            | Self::Tanh
            | Self::Erf
            | Self::Exp => Smooth::Everywhere,
            Self::Abs | Self::Sign => Smooth::NotZero,
            Self::Log => Smooth::Positive,
            Self::Asin | Self::Acos => Smooth::InsideUnit,
            Self::Tan => Smooth::BetweenPoles,
            Self::Atan2 => Smooth::OffCut,
        }
    }

    /// Every function with its name in the grammar.
    pub const ALL: [(Self, &'static str); 15] = [
        (Self::Sin, "sin"),
        (Self::Cos, "cos"),
        (Self::Tan, "tan"),
        (Self::Asin, "asin"),
        (Self::Acos, "acos"),
        (Self::Atan, "atan"),
        (Self::Atan2, "atan2"),
        (Self::Sinh, "sinh"),
        (Self::Cosh, "cosh"),
        (Self::Tanh, "tanh"),
        (Self::Erf, "erf"),
        (Self::Exp, "exp"),
        (Self::Log, "log"),
        (Self::Abs, "abs"),
        (Self::Sign, "sign"),
    ];

    /// Is it an entire function, or a quotient of two? Such have no branches and no kinks.
    pub fn is_entire_or_tangent(self) -> bool {
        matches!(
            self,
            Self::Sin
                | Self::Cos
                | Self::Tan
                | Self::Sinh
                | Self::Cosh
                | Self::Tanh
                | Self::Erf
                | Self::Exp
        )
    }

    /// Its name in the grammar.
    pub fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(f, _)| *f == self)
            .map_or("", |(_, name)| name)
    }

    /// The function of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, n)| *n == name).map(|(f, _)| *f)
    }

    /// How many arguments it takes.
    pub fn arity(self) -> usize {
        if self == Self::Atan2 { 2 } else { 1 }
    }

    /// Its value; NaN outside its domain.
    pub fn value(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Sin => a.sin(),
            Self::Cos => a.cos(),
            Self::Tan => a.tan(),
            Self::Asin => a.asin(),
            Self::Acos => a.acos(),
            Self::Atan => a.atan(),
            Self::Atan2 => a.atan2(b),
            Self::Sinh => a.sinh(),
            Self::Cosh => a.cosh(),
            Self::Tanh => a.tanh(),
            Self::Erf => libm::erf(a),
            Self::Exp => a.exp(),
            Self::Log => a.ln(),
            Self::Abs => a.abs(),
            Self::Sign => {
                if a == 0.0 {
                    0.0
                } else {
                    a.signum()
                }
            }
        }
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

    pub(super) fn function(&self, function: Function, args: SmallVec<[Expr; 2]>) -> Expr {
        let node = Node::Apply(function, args);
        // what was made before is what no rule rewrites
        if let Some(known) = self.interned(&node) {
            return known;
        }
        let Node::Apply(_, args) = &node else {
            return self.intern(node);
        };
        match self.function_rule(function, args, Stage::Building) {
            Some(simpler) => simpler,
            None => self.intern(node),
        }
    }
}
