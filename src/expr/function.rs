//! The functions of the grammar, and their values and symmetries as rules.

use super::number::Number;
use super::pool::{Expr, Factors, Node, Pool, SymbolKind};

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
    /// Exponential.
    Exp,
    /// Natural logarithm, on (0, inf).
    Log,
    /// Absolute value.
    Abs,
    /// Sign: -1, 0 or 1.
    Sign,
}

impl Function {
    /// Every function with its name in the grammar.
    pub const ALL: [(Self, &'static str); 14] = [
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
        (Self::Exp, "exp"),
        (Self::Log, "log"),
        (Self::Abs, "abs"),
        (Self::Sign, "sign"),
    ];

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

    /// Is f(-u) = f(u) (`Some(true)`), f(-u) = -f(u) (`Some(false)`), or neither?
    fn parity(self) -> Option<bool> {
        match self {
            Self::Cos | Self::Cosh | Self::Abs => Some(true),
            Self::Sin
            | Self::Tan
            | Self::Asin
            | Self::Atan
            | Self::Sinh
            | Self::Tanh
            | Self::Sign => Some(false),
            Self::Acos | Self::Atan2 | Self::Exp | Self::Log => None,
        }
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
    /// A function of one argument.
    pub fn apply(&self, function: Function, argument: Expr) -> Expr {
        if let Some(value) = self.special_value(function, argument) {
            return value;
        }
        if let Some(even) = function.parity()
            && self.leads_negative(argument)
        {
            let positive = self.neg(argument);
            let value = self.apply(function, positive);
            return if even { value } else { self.neg(value) };
        }
        if function == Function::Abs
            && let Some(simpler) = self.simpler_abs(argument)
        {
            return simpler;
        }
        // a node is borrowed from the pool: it must be let go before the next expression is made
        let node = self.owned(argument);
        if function == Function::Sign
            && let Node::Product {
                coefficient,
                factors,
            } = node
            && !coefficient.is_one()
        {
            // the sign of the coefficient came out above; its size does not matter
            let bare = self.product_of(Number::ONE, factors);
            return self.apply(function, bare);
        }
        self.intern(Node::Apply(function, smallvec::smallvec![argument]))
    }

    /// `atan2(y, x)`.
    pub fn atan2(&self, y: Expr, x: Expr) -> Expr {
        self.intern(Node::Apply(Function::Atan2, smallvec::smallvec![y, x]))
    }

    /// Values at 0, 1 and the multiples of pi/2, and log(exp(u)).
    pub(super) fn special_value(&self, function: Function, argument: Expr) -> Option<Expr> {
        if let Some(n) = self.as_number(argument) {
            return match function {
                Function::Sin
                | Function::Tan
                | Function::Asin
                | Function::Atan
                | Function::Sinh
                | Function::Tanh
                    if n.is_zero() =>
                {
                    Some(self.zero())
                }
                Function::Cos | Function::Cosh | Function::Exp if n.is_zero() => Some(self.one()),
                Function::Log | Function::Acos if n.is_one() => Some(self.zero()),
                Function::Abs => Some(self.number(n.abs())),
                Function::Sign => Some(self.number(if n.is_zero() {
                    Number::ZERO
                } else if n.is_negative() {
                    Number::MINUS_ONE
                } else {
                    Number::ONE
                })),
                _ => None,
            };
        }
        if function == Function::Log
            && let Node::Apply(Function::Exp, args) = &*self.node(argument)
        {
            return Some(args[0]);
        }
        if matches!(function, Function::Sin | Function::Cos | Function::Tan) {
            let turns = self.multiple_of(argument, self.pi())?;
            let quarters = turns.mul(&Number::from(2)).to_i64()?.rem_euclid(4);
            let sine = [0, 1, 0, -1][usize::try_from(quarters).ok()?];
            let cosine = [1, 0, -1, 0][usize::try_from(quarters).ok()?];
            return match function {
                Function::Sin => Some(self.number(sine)),
                Function::Cos => Some(self.number(cosine)),
                _ if cosine != 0 => Some(self.zero()),
                _ => None,
            };
        }
        None
    }

    /// The rational q where `e = q * of`.
    pub(super) fn multiple_of(&self, e: Expr, of: Expr) -> Option<Number> {
        if e == of {
            return Some(Number::ONE);
        }
        match &*self.node(e) {
            Node::Product {
                coefficient,
                factors,
            } if factors.len() == 1 && factors[0] == (of, self.one()) => Some(coefficient.clone()),
            _ => None,
        }
    }

    /// Is the first coefficient of an expression negative?
    pub fn leads_negative(&self, e: Expr) -> bool {
        match &*self.node(e) {
            Node::Number(n) => n.is_negative(),
            Node::Product { coefficient, .. } => coefficient.is_negative(),
            Node::Sum { terms, .. } => terms.first().is_some_and(|(_, k)| k.is_negative()),
            _ => false,
        }
    }

    /// What is known not to be negative needs no absolute value; numbers and even powers come out.
    pub(super) fn simpler_abs(&self, argument: Expr) -> Option<Expr> {
        if self.is_non_negative(argument) {
            return Some(argument);
        }
        let (coefficient, factors) = match &*self.node(argument) {
            Node::Product {
                coefficient,
                factors,
            } => (coefficient.clone(), factors.clone()),
            _ => return None,
        };
        let (outside, inside): (Factors, Factors) = factors.into_iter().partition(|(b, e)| {
            let power = self.pow(*b, *e);
            self.is_non_negative(power)
        });
        if outside.is_empty() && coefficient.is_one() {
            return None;
        }
        let inside = self.product_of(Number::ONE, inside);
        let inside = self.apply(Function::Abs, inside);
        let outside = self.product_of(coefficient.abs(), outside);
        Some(self.mul(outside, inside))
    }

    /// Is an expression known to be >= 0 wherever it has a value? (A sufficient test.)
    pub fn is_non_negative(&self, e: Expr) -> bool {
        match &*self.node(e) {
            Node::Number(n) => !n.is_negative(),
            Node::Symbol(_) => self.symbol_kind(e) == Some(SymbolKind::Pi),
            Node::Sum { constant, terms } => {
                !constant.is_negative()
                    && terms
                        .iter()
                        .all(|(t, k)| !k.is_negative() && self.is_non_negative(*t))
            }
            Node::Product {
                coefficient,
                factors,
            } => {
                !coefficient.is_negative()
                    && factors.iter().all(|(b, e)| match self.as_number(*e) {
                        Some(q) => q.is_even() || !q.is_integer() || self.is_non_negative(*b),
                        None => self.is_non_negative(*b),
                    })
            }
            Node::Apply(Function::Abs | Function::Exp | Function::Cosh | Function::Acos, _) => true,
            Node::Apply(..) => false,
        }
    }
}
