//! What a page writes as a formula: an expression, or a text that stands in for one.

use crate::expr::{Expr, Frame, Layout, Pool, Style};
use std::fmt;

/// A formula, written in the style of its page.
#[derive(Clone, Debug)]
pub(in crate::report) struct Math<'a> {
    before: &'static str,
    content: Content<'a>,
}

#[derive(Clone, Debug)]
enum Content<'a> {
    /// The sum of these terms, in their order.
    Terms(&'a Pool, Vec<Expr>),
    Text(String),
}

impl<'a> Math<'a> {
    /// An expression.
    pub fn new(pool: &'a Pool, e: Expr) -> Self {
        Self::of_terms(pool, vec![e])
    }

    /// A sum of terms that keep their order.
    pub fn of_terms(pool: &'a Pool, terms: Vec<Expr>) -> Self {
        Self {
            before: "",
            content: Content::Terms(pool, terms),
        }
    }

    /// The right side of an equation: ` = ` and the formula.
    pub fn on_the_right(self) -> Self {
        Self {
            before: " = ",
            ..self
        }
    }

    /// The same, its words as `say` says them.
    pub fn said(&self, say: impl Fn(&str) -> String) -> Self {
        match &self.content {
            Content::Text(text) => Self {
                before: self.before,
                content: Content::Text(say(text)),
            },
            Content::Terms(..) => self.clone(),
        }
    }

    /// On one line.
    pub fn text(&self, style: Style) -> String {
        let before = self.before;
        match &self.content {
            Content::Terms(pool, terms) => format!("{before}{}", pool.print_terms(terms, style)),
            Content::Text(text) => format!("{before}{text}"),
        }
    }

    /// Does it take one line on paper, as far as its form goes?
    pub fn is_flat(&self) -> bool {
        let frame = Frame {
            width: usize::MAX,
            height: 1,
            head: "",
            tail: "",
        };
        self.paper(frame).is_some()
    }

    /// In two dimensions; `None` where it is too large for its frame.
    pub fn paper(&self, frame: Frame<'_>) -> Option<Layout> {
        match &self.content {
            Content::Terms(pool, terms) if self.before.is_empty() => pool.paper(terms, frame),
            _ => {
                let text = self.text(Style::Pretty);
                let block = Layout::line(&format!("{}{text}{}", frame.head, frame.tail));
                (block.width <= frame.width).then_some(block)
            }
        }
    }
}

/// In the grammar of system files.
impl fmt::Display for Math<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Style::Plain))
    }
}

/// A text in the place of a formula.
impl From<&str> for Math<'_> {
    fn from(text: &str) -> Self {
        Self {
            before: "",
            content: Content::Text(text.to_owned()),
        }
    }
}
