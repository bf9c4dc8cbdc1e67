//! Holonomic constraints f(x; t) = c, in their three ways of writing.

use super::Builder;
use super::fields::one_line_each;
use super::symbols::{NamedConstraint, Symbols};
use crate::expr::Expr;
use crate::system::names::{Context, Reach};
use crate::system::schema::{Node, Scalar, Value};
use crate::system::{Constraint, Release, Side, quote};
use std::ops::Range;

/// Where a constraint is written.
pub(super) const CONSTRAINT: Context = Context::new("a constraint", Reach::Configuration);

/// The keys of a constraint.
pub const CONSTRAINT_KEYS: [&str; 4] = ["f", "c", "side", "release"];

/// Both sides of a constraint as they are written, and which it may leave.
struct Relation {
    typed: (Expr, Expr),
    side: Option<Side>,
    release: Release,
}

impl Builder<'_> {
    /// The constraints in the order of the file.
    pub fn constraints(&mut self, symbols: &mut Symbols) -> Vec<Constraint> {
        let n = symbols.coordinates.len();
        if let Some(first) = symbols.constraints.get(n) {
            let message = format!(
                "there are {} constraints on {n} coordinate{}: at most {n} can hold",
                symbols.constraints.len(),
                if n == 1 { "" } else { "s" },
            );
            self.fail(first.key.span.clone(), message);
            return Vec::new();
        }
        let named = std::mem::take(&mut symbols.constraints);
        let constraints = named.iter().filter_map(|c| self.constraint(c)).collect();
        symbols.constraints = named;
        constraints
    }

    fn constraint(&mut self, named: &NamedConstraint) -> Option<Constraint> {
        let what = format!("the constraint `{}`", quote(&named.key.value));
        let Relation {
            typed,
            side,
            release,
        } = match &named.node.value {
            Value::Mapping(_) => self.table_constraint(&what, named.node)?,
            Value::Scalar(scalar) if !named.node.is_nothing() => Relation {
                typed: self.sides_of(scalar, CONSTRAINT)?,
                side: None,
                release: Release::Go,
            },
            _ => {
                let expected = "an expression, an equation, or `{f: …, c: …}`";
                let help = match &named.node.value {
                    Value::Sequence(items) => match items.first().map(|item| &item.value) {
                        Some(Value::Scalar(first)) => Some(one_line_each(&named.key.value, first)),
                        _ => None,
                    },
                    _ => None,
                };
                return self.wrong_kind_with(named.node, (&what, expected), help);
            }
        };
        let (f, c) = match typed {
            (f, c) if self.reach(c) == Reach::Parameters => (f, c),
            (left, right) => (self.pool.sub(left, right), self.pool.zero()),
        };
        if self.reach(f) < Reach::Configuration {
            let message = format!("{what} contains no coordinate");
            return self.refuse(named.node.span.clone(), message);
        }
        let c_value = self.finite(c, &format!("the value c of {what}"), named.node);
        let c_value = self.reported(c_value)?;
        Some(Constraint {
            name: named.key.value.clone(),
            f,
            c,
            typed,
            c_value,
            level: named.level,
            multiplier: named.multiplier,
            side,
            release,
            place: Some(Box::new(self.source.error(named.node.span.clone(), ""))),
        })
    }

    /// `{f: …, c: …, side: ">="}`
    fn table_constraint(&mut self, what: &str, node: &Node) -> Option<Relation> {
        let fields = self.fields(node, what, &CONSTRAINT_KEYS)?;
        let Some(f) = fields.get("f") else {
            return self.refuse_with(
                node.span.clone(),
                format!("{what} has no `f`"),
                "write `{f: x^2 + y^2, c: l^2}`",
            );
        };
        let f = self.expression(f, "`f`", CONSTRAINT);
        let c = match fields.get("c") {
            Some(c) => self.expression(
                c,
                "`c`",
                Context {
                    name: "the value c of a constraint",
                    // what is said of c was seen to while it was constant
                    reach: if self.freeing {
                        Reach::Configuration
                    } else {
                        Reach::Parameters
                    },
                },
            ),
            None => Some(self.pool.zero()),
        };
        let typed = (f?, c?);
        let side = match fields.get("side") {
            Some(node) => {
                let scalar = self.scalar(node, "`side`", "\">=\"")?;
                if scalar.value != ">=" {
                    let message =
                        format!("`{}` is not a side of a constraint", quote(&scalar.value));
                    let help =
                        "write `side: \">=\"` for f >= c; for f <= c change the signs of f and c";
                    return self.refuse_with(scalar.span.clone(), message, help);
                }
                Some(Side::AtLeast)
            }
            None => None,
        };
        let release = match fields.get("release") {
            Some(node) => {
                let scalar = self.scalar(node, "`release`", "go or stop")?;
                if side.is_none() {
                    let message = "`release` is for one-sided constraints".to_owned();
                    return self.refuse_with(scalar.span.clone(), message, "add `side: \">=\"`");
                }
                match scalar.value.as_str() {
                    "go" => Release::Go,
                    "stop" => Release::Stop,
                    other => {
                        let message = format!("`{}` is not a way to release", quote(other));
                        let help = "write `release: go` (the motion continues without the constraint) or `release: stop`";
                        return self.refuse_with(scalar.span.clone(), message, help);
                    }
                }
            }
            None => Release::default(),
        };
        Some(Relation {
            typed,
            side,
            release,
        })
    }

    /// The two sides of `lhs = rhs`; what has no `=` is the left one, and the right one zero.
    pub fn sides_of(&mut self, scalar: &Scalar, place: Context) -> Option<(Expr, Expr)> {
        let text = scalar.value.as_str();
        let mut fail = |part: Range<usize>, help: &str| {
            let shown = quote(&text[part.clone()]);
            let span = scalar.place(&part);
            self.refuse_with(
                span,
                format!("`{shown}` cannot stand in a constraint"),
                help,
            )
        };
        let one_sided = "an inequality is written `{f: …, c: …, side: \">=\"}`";
        if let Some(at) = text.find(['<', '>', '!', '≤', '≥', '≠']) {
            let rest = text[at..].char_indices();
            let end = rest
                .skip(1)
                .find(|(_, c)| *c != '=')
                .map_or(text.len(), |(i, _)| at + i);
            return fail(at..end, one_sided);
        }
        let Some((sign, another)) = Self::equality(text) else {
            let left = self.part(scalar, 0..text.len(), place)?;
            return Some((left, self.pool.zero()));
        };
        if let Some(second) = another {
            return fail(
                second..second + 1,
                "a constraint is one equation: make it two constraints",
            );
        }
        self.sides_at(scalar, sign, place)
    }
}
