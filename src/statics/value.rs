//! Numbers that are known exactly where they can be, and enclosed where not.
//!
//! A number is a fraction, an expression without symbols but pi (such as sqrt(2/3) or pi/2), or an interval. Zero times
//! anything is zero, also times what is only enclosed: the pattern of zeros of a computation stays exact.

use crate::expr::{Expr, Function, Interval, Number, Pool, Smooth};
use crate::interval::is_smooth;

/// Expressions that are longer are only enclosed.
const LONGEST: usize = 40;
/// So are fractions of larger numbers.
const LARGEST: f64 = 1e60;

/// A real number.
#[derive(Clone, Debug)]
pub enum Value {
    /// Exactly this fraction.
    Number(Number),
    /// Exactly this constant, not known to be zero, and where it lies.
    Constant(Expr, Interval),
    /// In this interval.
    Range(Interval),
}

impl Value {
    /// Zero.
    pub const ZERO: Self = Self::Number(Number::ZERO);
    /// One.
    pub const ONE: Self = Self::Number(Number::ONE);

    /// Where it lies.
    pub fn range(&self) -> Interval {
        match self {
            Self::Number(n) => Interval::of_number(n),
            Self::Constant(_, range) | Self::Range(range) => *range,
        }
    }

    /// Is it exactly zero?
    pub fn is_zero(&self) -> bool {
        matches!(self, Self::Number(n) if n.is_zero())
    }

    /// Is it certainly not zero?
    pub fn is_not_zero(&self) -> bool {
        if let Self::Number(n) = self {
            return !n.is_zero();
        }
        let range = self.range();
        !range.is_empty() && !range.contains(0.0)
    }

    /// Is it known exactly?
    pub fn is_exact(&self) -> bool {
        !matches!(self, Self::Range(_))
    }

    fn of_number(n: Number) -> Self {
        let large = |part: Number| part.to_f64().abs() > LARGEST;
        if large(n.numerator()) || large(n.denominator()) {
            Self::Range(Interval::of_number(&n))
        } else {
            Self::Number(n)
        }
    }
}

/// Arithmetic with them.
#[derive(Clone, Copy)]
pub struct Field<'a> {
    /// Where expressions are kept.
    pub pool: &'a Pool,
}

impl Field<'_> {
    /// A constant expression.
    pub fn constant(self, e: Expr) -> Value {
        if self.pool.size(e) > LONGEST {
            return Value::Range(self.pool.bounds(e, &|_| Interval::ALL));
        }
        let e = self.pool.simplify(e);
        if let Some(n) = self.pool.as_number(e) {
            return Value::of_number(n);
        }
        let range = self.pool.bounds(e, &|_| Interval::ALL);
        if range.contains(0.0) && self.pool.is_zero(e) == Some(true) {
            return Value::ZERO;
        }
        Value::Constant(e, range)
    }

    /// As an expression, where it is exact.
    pub(super) fn expression(self, a: &Value) -> Option<Expr> {
        match a {
            Value::Number(n) => Some(self.pool.number(n.clone())),
            Value::Constant(e, _) => Some(*e),
            Value::Range(_) => None,
        }
    }

    /// Both as expressions, where they are exact.
    pub(super) fn both(self, a: &Value, b: &Value) -> Option<(Expr, Expr)> {
        Some((self.expression(a)?, self.expression(b)?))
    }

    /// a + b.
    pub fn add(self, a: &Value, b: &Value) -> Value {
        match (a, b) {
            (Value::Number(p), Value::Number(q)) => Value::of_number(p.add(q)),
            _ if a.is_zero() => b.clone(),
            _ if b.is_zero() => a.clone(),
            _ => match self.both(a, b) {
                Some((p, q)) => self.constant(self.pool.add(p, q)),
                None => Value::Range(a.range().add(b.range())),
            },
        }
    }

    /// -a.
    pub fn neg(self, a: &Value) -> Value {
        match a {
            Value::Number(n) => Value::Number(n.neg()),
            Value::Constant(e, range) => Value::Constant(self.pool.neg(*e), range.neg()),
            Value::Range(range) => Value::Range(range.neg()),
        }
    }

    /// a - b.
    pub fn sub(self, a: &Value, b: &Value) -> Value {
        self.add(a, &self.neg(b))
    }

    /// a b.
    pub fn mul(self, a: &Value, b: &Value) -> Value {
        match (a, b) {
            (Value::Number(p), Value::Number(q)) => Value::of_number(p.mul(q)),
            _ if a.is_zero() || b.is_zero() => Value::ZERO,
            _ => match self.both(a, b) {
                Some((p, q)) => self.constant(self.pool.mul(p, q)),
                None => Value::Range(a.range().mul(b.range())),
            },
        }
    }

    /// a/b; `None` where b may be zero.
    pub fn div(self, a: &Value, b: &Value) -> Option<Value> {
        if !b.is_not_zero() {
            return None;
        }
        Some(match (a, b) {
            (Value::Number(p), Value::Number(q)) => Value::of_number(p.div(q)?),
            _ if a.is_zero() => Value::ZERO,
            _ => match self.both(a, b) {
                Some((p, q)) => self.constant(self.pool.div(p, q)),
                None => Value::Range(a.range().div(b.range())),
            },
        })
    }

    /// a p/q.
    pub fn part(self, a: &Value, p: i64, q: i64) -> Value {
        Number::ratio(p, q).map_or(Value::Range(Interval::ALL), |k| {
            self.mul(a, &Value::Number(k))
        })
    }

    /// A power with an exponent that is no whole number; `None` unless the base is positive.
    pub fn power(self, a: &Value, exponent: &Number) -> Option<Value> {
        if a.range().lo <= 0.0 {
            return None;
        }
        Some(match self.expression(a) {
            Some(e) => self.constant(self.pool.pow(e, self.pool.number(exponent.clone()))),
            None => Value::Range(a.range().powf(exponent.to_f64())),
        })
    }

    /// A function; `None` where its argument may be at an edge of its domain or at a kink.
    pub fn apply(self, f: Function, a: &Value) -> Option<Value> {
        let x = a.range();
        let inside = match f.smooth() {
            Smooth::NotZero => a.is_not_zero(),
            _ => is_smooth(f, x),
        };
        if x.is_empty() || !inside {
            return None;
        }
        let value = match self.expression(a) {
            Some(e) => self.constant(self.pool.apply(f, e)),
            None => Value::Range(x.apply(f)),
        };
        (!value.range().is_empty()).then_some(value)
    }
}
