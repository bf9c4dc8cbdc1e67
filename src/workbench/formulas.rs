//! Formulas as the panes show them: the worker prints them, and drawing only lays them out.

use crate::expr::{Frame, Layout, Style, Typeset};
use crate::report::{Form, Formula};
use crate::system::System;

/// A formula, printed.
#[derive(Clone, Debug)]
pub struct Printed {
    /// It is the first of a branch.
    pub begins: bool,
    /// It belongs to a branch with conditions.
    pub inside: bool,
    /// What stands before the first of a branch: `where x1 > 0`.
    pub condition: Option<String>,
    /// `x1 = sqrt(x2 - y)`, on one line.
    pub line: String,
    head: String,
    tail: String,
    body: Option<Typeset>,
}

impl Printed {
    /// Prints a formula.
    pub fn of(formula: &Formula, system: &System) -> Self {
        let style = Style::Pretty;
        let (head, tail) = (formula.head(system, style), formula.tail(system, style));
        Self {
            begins: formula.branch.is_some(),
            inside: formula.inside,
            condition: formula.condition(system, style),
            line: format!("{head}{}{tail}", system.pool.print_as(formula.e, style)),
            body: system.pool.typeset(&[formula.e]),
            head,
            tail,
        }
    }

    /// In two dimensions; `None` where it is too large for that.
    pub fn on_paper(&self, width: usize, height: usize) -> Option<Layout> {
        self.body.as_ref()?.within(Frame {
            width,
            height,
            head: &self.head,
            tail: &self.tail,
        })
    }
}

/// A form of the equations, printed.
#[derive(Clone, Debug)]
pub struct PrintedForm {
    /// What it was printed from: other notations are written where they are asked for.
    pub form: Form,
    /// What is said before the formulas.
    pub sentence: String,
    /// The formulas.
    pub formulas: Vec<Printed>,
}

impl PrintedForm {
    /// Prints a form.
    pub fn of(form: Form, system: &System) -> Self {
        let formulas = form.formulas.iter();
        Self {
            sentence: form.sentence(system, Style::Pretty),
            formulas: formulas.map(|f| Printed::of(f, system)).collect(),
            form,
        }
    }
}
