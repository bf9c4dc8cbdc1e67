//! The section `expect`: what is known about a system from elsewhere.

use super::Builder;
use super::equilibria::is_about_rest;
use super::fields::Fields;
use super::symbols::Symbols;
use crate::expr::Expr;
use crate::system::expect::{Claim, DEFAULT_WITHIN, Expectation, Instant};
use crate::system::names::{Context, Reach};
use crate::system::schema::{Node, Value};
use crate::system::{quote, sanitize};

const KEYS: [&str; 16] = [
    "fact",
    "source",
    "identity",
    "constant",
    "value",
    "is",
    "at",
    "when",
    "within",
    "equilibrium",
    "equilibria",
    "extremum",
    "extrema",
    "stability",
    "kind",
    "frequencies",
];

pub(super) const EXPECTATION: Context = Context::new("an expectation", Reach::Outputs);

const HELP: &str = "write one of `identity: A = B`, `constant: A`, or `value: A` with `is: B`";

impl Builder<'_> {
    /// What is known about the system.
    pub fn expectations(&mut self, fields: &Fields, symbols: &Symbols) -> Vec<Expectation> {
        let expected = "a list such as `- {fact: the energy stays, constant: energy}`";
        let items = self.list_of(fields, "expect", expected);
        let kind = if fields.entry("objective").is_some() {
            Subject::Objective
        } else {
            Subject::Motion
        };
        items
            .iter()
            .filter_map(|item| self.expectation(item, symbols, kind))
            .collect()
    }

    fn expectation(
        &mut self,
        node: &Node,
        symbols: &Symbols,
        subject: Subject,
    ) -> Option<Expectation> {
        let before = self.errors.len();
        let fields = self.fields(node, "an entry of `expect`", &KEYS)?;
        let fact = self.text(&fields, "fact");
        let source = self.text(&fields, "source");
        let within = match fields.get("within") {
            Some(node) => self.value(node, "`within`", "a tolerance"),
            None => Some(DEFAULT_WITHIN),
        };
        if let (Some(within), Some(node)) = (within, fields.get("within"))
            && !(within > 0.0 && within < 0.01)
        {
            let message = format!("`within` must lie between 0 and 0.01, and it is {within}");
            self.fail(node.span.clone(), message);
        }
        if is_about_rest(&fields, subject) {
            let (claim, text) = self.rest(&fields, symbols, subject)?;
            return Some(Expectation {
                fact: fact.unwrap_or_else(|| text.clone()),
                source,
                text,
                claim,
                within: within?,
            });
        }
        let kinds = ["identity", "constant", "value"];
        let given: Vec<&str> = kinds
            .into_iter()
            .filter(|k| fields.entry(k).is_some())
            .collect();
        if given.len() != 1 {
            if self.errors.len() == before {
                let message = match given.as_slice() {
                    [] => "this entry of `expect` states nothing".to_owned(),
                    [a, b, ..] => format!("`{a}` and `{b}` cannot stand in one entry of `expect`"),
                    [_] => return None,
                };
                self.fail_with(node.span.clone(), message, HELP);
            }
            return None;
        }
        for key in ["is", "at", "when"] {
            if let Some((place, _)) = fields.entry(key)
                && given != ["value"]
            {
                let message = format!("`{key}` belongs to `value`");
                return self.refuse_with(place.span.clone(), message, HELP);
            }
        }
        let (claim, text) = match given.as_slice() {
            ["identity"] => {
                let node = fields.get("identity")?;
                let (left, right) = self.sides(node, "`identity`")?;
                if right == self.pool.zero() && left == self.pool.zero() {
                    let message = "both sides of this identity are zero as they stand";
                    return self.refuse(node.span.clone(), message);
                }
                (Claim::Identity { left, right }, shown(node))
            }
            ["constant"] => {
                let node = fields.get("constant")?;
                let e = self.expression(node, "`constant`", EXPECTATION)?;
                (Claim::Constant(e), format!("{} is constant", shown(node)))
            }
            _ => self.value_claim(node, &fields)?,
        };
        Some(Expectation {
            fact: fact.unwrap_or_else(|| text.clone()),
            source,
            text,
            claim,
            within: within?,
        })
    }

    fn value_claim(&mut self, whole: &Node, fields: &Fields) -> Option<(Claim, String)> {
        let node = fields.get("value")?;
        let value = self.expression(node, "`value`", EXPECTATION);
        let Some(is_node) = fields.get("is") else {
            return self.refuse_with(whole.span.clone(), "`value` needs `is`", HELP);
        };
        let is = self.expression(is_node, "`is`", EXPECTATION);
        let mut text = format!("{} = {}", shown(node), shown(is_node));
        let when = match (fields.entry("at"), fields.entry("when")) {
            (None, None) => {
                text.push_str(" at the start");
                Instant::Start
            }
            (Some((_, at)), None) => {
                text = format!("{text} at t = {}", shown(at));
                Instant::Time(self.value(at, "`at`", "a time")?)
            }
            (None, Some((_, when))) => {
                text = format!("{text} when {}", shown(when));
                self.happening(when)?
            }
            (Some(_), Some((key, _))) => {
                let message = "`at` and `when` cannot stand together";
                return self.refuse(key.span.clone(), message);
            }
        };
        let (value, is) = (value?, is?);
        Some((Claim::Value { value, is, when }, text))
    }

    /// `A = B`, or `A > B` and `A < B`, which is where that begins to hold.
    fn happening(&mut self, node: &Node) -> Option<Instant> {
        let text = match &node.value {
            Value::Scalar(scalar) => scalar.value.as_str(),
            _ => "",
        };
        let signs = text.matches(['=', '<', '>']).count();
        let (Some(at), 1) = (text.find(['<', '>']), signs) else {
            let (left, right) = self.sides(node, "`when`")?;
            return Some(Instant::Zero(self.pool.sub(left, right)));
        };
        let scalar = self.scalar(node, "`when`", "a condition such as `A > B`")?;
        let (left, right) = self.sides_at(scalar, at..at + 1, EXPECTATION)?;
        Some(Instant::Rises(if text.get(at..=at) == Some(">") {
            self.pool.sub(left, right)
        } else {
            self.pool.sub(right, left)
        }))
    }

    /// The two sides of `A = B`.
    fn sides(&mut self, node: &Node, what: &str) -> Option<(Expr, Expr)> {
        let scalar = self.scalar(node, what, "an equation such as `A = B`")?;
        let text = scalar.value.as_str();
        let Some((equals, None)) = Self::equality(text) else {
            let message = format!("{what} must be one equation, not `{}`", quote(text));
            return self.refuse_with(node.span.clone(), message, "write `A = B`");
        };
        self.sides_at(scalar, equals, EXPECTATION)
    }
}

/// What a system is about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    /// A motion, with equilibria.
    Motion,
    /// An objective, with extrema and no motion.
    Objective,
}

/// An expression as the file writes it.
pub(super) fn shown(node: &Node) -> String {
    match &node.value {
        Value::Scalar(scalar) => sanitize(scalar.value.trim()),
        _ => String::new(),
    }
}
