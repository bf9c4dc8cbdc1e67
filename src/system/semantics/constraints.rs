//! Holonomic constraints f(x; t) = c, in their three ways of writing.

use super::Builder;
use super::symbols::{NamedConstraint, Symbols};
use crate::expr::Expr;
use crate::system::names::{Context, Reach};
use crate::system::schema::{Node, Scalar, Value};
use crate::system::{Constraint, Release, Side, quote};
use std::ops::Range;

const CONSTRAINT: Context = Context::new("a constraint", Reach::Configuration);

/// f, c and the side of a constraint.
struct Relation {
    f: Expr,
    c: Expr,
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
            f,
            c,
            typed,
            side,
            release,
        } = match &named.node.value {
            Value::Mapping(_) => self.table_constraint(&what, named.node)?,
            Value::Scalar(scalar) if !named.node.is_nothing() => self.text_constraint(scalar)?,
            _ => {
                let expected = "an expression, an equation, or `{f: …, c: …}`";
                return self.wrong_kind(named.node, &what, expected);
            }
        };
        if self.reach(f) < Reach::Configuration {
            let message = format!("{what} contains no coordinate");
            self.fail(named.node.span.clone(), message);
            return None;
        }
        let c_value = self.evaluate(c);
        if !c_value.is_finite() {
            let message = format!("the value c of {what} is not a finite number: it is {c_value}");
            self.fail(named.node.span.clone(), message);
            return None;
        }
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
        })
    }

    /// `{f: …, c: …, side: ">="}`
    fn table_constraint(&mut self, what: &str, node: &Node) -> Option<Relation> {
        let fields = self.fields(node, what, &["f", "c", "side", "release"])?;
        let Some(f) = fields.get("f") else {
            self.fail_with(
                node.span.clone(),
                format!("{what} has no `f`"),
                "write `{f: x^2 + y^2, c: l^2}`",
            );
            return None;
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
        let (f, c) = match (f, c) {
            (Some(f), Some(c)) if self.reach(c) > Reach::Parameters => {
                (Some(self.pool.sub(f, c)), Some(self.pool.zero()))
            }
            other => other,
        };
        let side = match fields.get("side") {
            Some(node) => {
                let scalar = self.scalar(node, "`side`", "\">=\"")?;
                if scalar.value != ">=" {
                    let message = format!("`{}` is no side of a constraint", quote(&scalar.value));
                    let help =
                        "write `side: \">=\"` for f >= c; for f <= c change the signs of f and c";
                    self.fail_with(scalar.span.clone(), message, help);
                    return None;
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
                    self.fail_with(scalar.span.clone(), message, "add `side: \">=\"`");
                    return None;
                }
                match scalar.value.as_str() {
                    "go" => Release::Go,
                    "stop" => Release::Stop,
                    other => {
                        let message = format!("`{}` is no way to release", quote(other));
                        let help = "write `release: go` (the motion goes on without the constraint) or `release: stop`";
                        self.fail_with(scalar.span.clone(), message, help);
                        return None;
                    }
                }
            }
            None => Release::default(),
        };
        Some(Relation {
            f: f?,
            c: c?,
            typed,
            side,
            release,
        })
    }

    /// `f` or `lhs = rhs`
    fn text_constraint(&mut self, scalar: &Scalar) -> Option<Relation> {
        let text = scalar.value.as_str();
        let Some(equals) = self.equals_sign(scalar)? else {
            let f = self.part(scalar, 0..text.len(), CONSTRAINT)?;
            let c = self.pool.zero();
            return Some(Relation {
                f,
                c,
                typed: (f, c),
                side: None,
                release: Release::Go,
            });
        };
        let left = self.part(scalar, 0..equals, CONSTRAINT);
        let right = self.part(scalar, equals + 1..text.len(), CONSTRAINT);
        let (left, right) = (left?, right?);
        let (f, c) = if self.reach(right) == Reach::Parameters {
            (left, right)
        } else {
            (self.pool.sub(left, right), self.pool.zero())
        };
        Some(Relation {
            f,
            c,
            typed: (left, right),
            side: None,
            release: Release::Go,
        })
    }

    /// The place of the only `=`; `Some(None)` where there is none, `None` where something like it is wrong.
    #[allow(clippy::option_option)]
    pub fn equals_sign(&mut self, scalar: &Scalar) -> Option<Option<usize>> {
        let text = scalar.value.as_str();
        let mut fail = |part: Range<usize>, help: &str| {
            let shown = quote(&text[part.clone()]);
            let span = scalar.place(&part);
            self.fail_with(
                span,
                format!("`{shown}` cannot stand in a constraint"),
                help,
            );
            None
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
        let Some(at) = text.find('=') else {
            return Some(None);
        };
        if text[at..].starts_with("==") {
            return fail(at..at + 2, "write a single `=`");
        }
        if let Some(second) = text[at + 1..].find('=') {
            let second = at + 1 + second;
            return fail(
                second..second + 1,
                "a constraint is one equation: make it two constraints",
            );
        }
        Some(Some(at))
    }
}
