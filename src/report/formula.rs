//! Formulas with their words, as data: [`super::explain`] and the forms of [`super::forms`] are made
//! of them, rendered as plain text, as text for people, and as LaTeX.

use super::align::{Equation, aligned};
use super::text::{joined, linked};
use super::theory::{theory, told};
use crate::expr::{Expr, Matrix, Style};
use crate::system::System;
use crate::theorem::Condition;
use std::fmt::Write;
use std::slice;

/// A part of a sentence.
#[derive(Clone, Debug)]
pub enum Part {
    /// Words.
    Words(String),
    /// A formula of the theory, as on paper.
    Theory(String),
    /// An expression.
    Math(Expr),
    /// A formula as plain text, as on paper and as LaTeX, where it is none of the system's expressions.
    Styled([String; 3]),
    /// Names in a row.
    Names(Vec<Expr>),
    /// Conditions.
    Where(Vec<Condition>),
    /// A matrix: displayed, in text after the sentence.
    Matrix(Grid),
}

/// A matrix with names for its rows and columns.
#[derive(Clone, Debug)]
pub struct Grid {
    /// What it is.
    pub head: &'static str,
    /// What its rows belong to.
    pub rows: Vec<Expr>,
    /// What its columns belong to.
    pub columns: Vec<Expr>,
    /// Its entries.
    pub cells: Matrix,
}

impl Grid {
    fn latex(&self, system: &System) -> String {
        let shown = |e: &Expr| system.pool.print_as(*e, Style::Latex);
        let row = |row: &Vec<Expr>| linked(" & ", row.iter().map(shown));
        format!(
            "\n\\[ \\frac{{\\partial F}}{{\\partial ({})}} = \\begin{{bmatrix}} {} \\end{{bmatrix}} \\]",
            joined(self.columns.iter().map(shown)),
            linked(" \\\\ ", self.cells.iter().map(row))
        )
    }
}

/// A formula that each style writes in its own way.
pub fn styled(text: impl Fn(Style) -> String) -> Part {
    Part::Styled([Style::Plain, Style::Pretty, Style::Latex].map(text))
}

/// A formula that is written the same in every style.
pub fn alike(text: String) -> Part {
    Part::Styled([text.clone(), text.clone(), text])
}

/// Words of a sentence.
pub fn words(text: impl Into<String>) -> Part {
    Part::Words(text.into())
}

/// The left side of a formula.
#[derive(Clone, Debug)]
pub enum Left {
    /// Nothing: the expression is the left side.
    Nothing,
    /// A symbol of the system.
    Symbol(Expr),
    /// A letter as text and as LaTeX.
    Letter(&'static str, &'static str),
    /// `det J` of these columns.
    Determinant(Vec<Expr>),
    /// The derivative of a dependent coordinate by an independent one.
    Partial(Expr, Expr),
    /// The derivative of what a letter stands for by a symbol: `dL/dx1'`.
    Slope(&'static str, Expr),
    /// A letter with names: `F_rod_bob`.
    Named(&'static str, Vec<String>),
    /// A letter with the coordinate that it belongs to: `E_x1`.
    Component(&'static str, Expr),
}

/// `left = e = right`.
#[derive(Clone, Debug)]
pub struct Formula {
    /// The left side.
    pub left: Left,
    /// The expression.
    pub e: Expr,
    /// What it equals.
    pub right: Option<Expr>,
    /// It repeats with this period.
    pub period: Option<Expr>,
    /// It is the first of a branch with these conditions.
    pub branch: Option<Vec<Condition>>,
    /// It belongs to a branch with conditions.
    pub inside: bool,
}

impl Formula {
    /// `left = e`
    pub fn new(left: Left, e: Expr) -> Self {
        Self {
            left,
            e,
            right: None,
            period: None,
            branch: None,
            inside: false,
        }
    }

    /// The same with what it equals.
    #[must_use]
    pub fn equal(self, right: Expr) -> Self {
        Self {
            right: Some(right),
            ..self
        }
    }

    /// `left = `, nothing where there is no left side.
    pub fn head(&self, system: &System, style: Style) -> String {
        let text = self.left.text(system, style);
        if text.is_empty() {
            text
        } else {
            format!("{text} = ")
        }
    }

    /// ` = right`, nothing where there is none.
    pub fn tail(&self, system: &System, style: Style) -> String {
        let shown = |e: Expr| system.pool.print_as(e, style);
        let right = self.right.map(|e| format!(" = {}", shown(e)));
        let period = self.period.map(|e| format!(" (mod {})", shown(e)));
        right.into_iter().chain(period).collect()
    }

    /// All of it on one line.
    pub fn line(&self, system: &System, style: Style) -> String {
        let e = system.pool.print_as(self.e, style);
        format!(
            "{}{e}{}",
            self.head(system, style),
            self.tail(system, style)
        )
    }

    /// The condition that stands before it, `where x1 > 0`.
    pub fn condition(&self, system: &System, style: Style) -> Option<String> {
        let conditions = self.branch.as_ref().filter(|c| !c.is_empty())?;
        let text = condition_text(system, conditions, style);
        Some(match style {
            Style::Latex => format!("\\text{{where }} {text}"),
            Style::Plain | Style::Pretty => format!("where {text}"),
        })
    }
}

/// A formula of the theory, or words with one. Where the system has a letter of it as a name of its own, that letter
/// (`L`, `dL`, `L_1`) is calligraphic, or a word.
pub fn lettered(system: &System, text: &str, style: Style) -> String {
    let words = [("L", "Lagrangian"), ("H", "energy"), ("P", "power")];
    let taken = words
        .iter()
        .filter(|(own, _)| system.pool.lookup(own).is_some());
    taken.fold(text.to_owned(), |text, (own, word)| {
        let other = match style {
            Style::Latex => format!("\\mathcal{{{own}}}"),
            Style::Plain | Style::Pretty => (*word).to_owned(),
        };
        let pieces = text.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_');
        pieces.map(|piece| renamed(piece, own, &other)).collect()
    })
}

/// A word with what ends it, the letter in it by another name.
fn renamed(piece: &str, own: &str, other: &str) -> String {
    let (d, letter) = match piece.strip_prefix('d') {
        Some(letter) => ("d", letter),
        None => ("", piece),
    };
    // an index, and the sign that ends the word
    match letter.strip_prefix(own) {
        Some(rest) if !rest.contains(char::is_alphabetic) => format!("{d}{other}{rest}"),
        _ => piece.to_owned(),
    }
}

impl Left {
    /// It in a sentence.
    pub(super) fn part(&self, system: &System) -> Part {
        styled(|style| self.text(system, style))
    }

    fn text(&self, system: &System, style: Style) -> String {
        let shown = |e: &Expr| system.pool.print_as(*e, style);
        let latex = style == Style::Latex;
        let slope = |of: &str, by: &str| match style {
            Style::Latex => format!("\\frac{{\\partial {of}}}{{\\partial {by}}}"),
            Style::Pretty => format!("∂{of}/∂{by}"),
            Style::Plain => format!("d{of}/d{by}"),
        };
        match self {
            Self::Nothing => String::new(),
            Self::Symbol(e) => shown(e),
            Self::Letter(letter, tex) => {
                let text = lettered(system, if latex { tex } else { letter }, style);
                match style {
                    Style::Pretty => system.pool.pretty_name(&text),
                    Style::Plain | Style::Latex => text,
                }
            }
            Self::Determinant(list) => {
                let names = some(&list.iter().map(shown).collect::<Vec<_>>());
                if latex {
                    format!("\\det J_{{{names}}}")
                } else {
                    format!("det J[{names}]")
                }
            }
            Self::Partial(a, b) => slope(&shown(a), &shown(b)),
            Self::Slope(letter, by) => slope(&lettered(system, letter, style), &shown(by)),
            Self::Named(letter, names) if latex => {
                let names = linked(",\\,", names.iter().map(|name| escaped(name)));
                format!("{letter}_{{\\mathrm{{{names}}}}}")
            }
            Self::Named(letter, names) => {
                let name = format!("{letter}_{}", names.join("_"));
                match style {
                    Style::Pretty => system.pool.pretty_name(&name),
                    _ => name,
                }
            }
            Self::Component(letter, e) if latex => match letter.len() {
                1 => format!("{letter}_{{{}}}", shown(e)),
                _ => format!("\\mathrm{{{letter}}}_{{{}}}", shown(e)),
            },
            Self::Component(letter, e) => format!("{letter}_{}", shown(e)),
        }
    }
}

/// A group of formulas that belong together.
#[derive(Clone, Debug)]
pub struct Form {
    /// Its name.
    pub name: String,
    /// The same with the formulas in it.
    pub heading: Vec<Part>,
    /// What is said before the formulas.
    pub words: Vec<Part>,
    /// The formulas.
    pub formulas: Vec<Formula>,
    /// The same for a notation without a sign of two branches, where it has such signs.
    pub apart: Vec<Self>,
}

impl Form {
    /// Its name with formulas of the theory between `$`, its words, its formulas.
    pub(super) fn new(name: &str, words: Vec<Part>, formulas: Vec<Formula>) -> Self {
        let pieces = name.split('$').enumerate();
        let plain = pieces.map(|(i, piece)| match i % 2 {
            0 => piece.to_owned(),
            _ => theory(piece, Style::Plain),
        });
        Self {
            name: plain.collect(),
            heading: told(name, []),
            apart: Vec::new(),
            words,
            formulas,
        }
    }

    /// The same, to be written so by a notation without a sign of two branches; one form is itself.
    #[must_use]
    pub(super) fn with_apart(self, list: Vec<Self>) -> Self {
        let apart = if list.len() > 1 { list } else { Vec::new() };
        Self { apart, ..self }
    }

    /// It as a style can write it: plain text reads back, and has a sign for one branch at a time.
    pub fn in_style(&self, style: Style) -> &[Self] {
        if style == Style::Plain && !self.apart.is_empty() {
            &self.apart
        } else {
            slice::from_ref(self)
        }
    }

    /// The words in a style; in LaTeX with their formulas in math mode.
    pub fn sentence(&self, system: &System, style: Style) -> String {
        sentence(&self.words, system, style)
    }

    /// The formulas as one `align*`, at most so many; nothing where there is none.
    pub fn aligned(&self, system: &System, most: usize) -> String {
        let pool = &system.pool;
        let shown = self.formulas.iter().take(most);
        let equations: Vec<Equation> = shown
            .map(|f| {
                let left = f.left.text(system, Style::Latex);
                let right = f.right.map(|e| pool.print_as(e, Style::Latex));
                let period = f.period.map(|e| pool.print_as(e, Style::Latex));
                Equation {
                    left: (!left.is_empty()).then_some(left),
                    e: f.e,
                    right,
                    period,
                    condition: f.condition(system, Style::Latex),
                }
            })
            .collect();
        aligned(pool, &equations)
    }

    /// The form as text, a formula a line.
    pub fn text(&self, system: &System, style: Style) -> String {
        let mut text = format!("{}\n", self.name);
        for form in self.in_style(style) {
            let sentence = form.sentence(system, style);
            if !sentence.is_empty() {
                let _ = writeln!(text, "{sentence}");
            }
            for f in &form.formulas {
                if let Some(condition) = f.condition(system, style) {
                    let _ = writeln!(text, "  {condition}");
                }
                let indent = if f.inside { "    " } else { "  " };
                let _ = writeln!(text, "{indent}{}", f.line(system, style));
            }
        }
        text
    }

    /// The form as LaTeX.
    pub fn latex(&self, system: &System) -> String {
        let heading = sentence(&self.heading, system, Style::Latex);
        let mut text = format!("\\paragraph{{{heading}.}}\n");
        let sentence = self.sentence(system, Style::Latex);
        if !sentence.is_empty() {
            text.push_str(&sentence);
            text.push('\n');
        }
        text.push_str(&self.aligned(system, usize::MAX));
        text
    }
}

/// The conditions of a branch as text.
pub fn condition_text(system: &System, conditions: &[Condition], style: Style) -> String {
    if conditions.is_empty() {
        let everywhere = "everywhere";
        return match style {
            Style::Latex => format!("\\text{{{everywhere}}}"),
            _ => everywhere.to_owned(),
        };
    }
    let and = match style {
        Style::Latex => " \\text{ and } ",
        _ => " and ",
    };
    linked(and, conditions.iter().map(|c| c.print(&system.pool, style)))
}

/// Parts of a sentence in a style; in LaTeX with their formulas in math mode.
pub fn sentence(parts: &[Part], system: &System, style: Style) -> String {
    let shown = |e: &Expr| system.pool.print_as(*e, style);
    let mut text = String::new();
    for part in parts {
        let (math, piece) = match part {
            Part::Words(words) if style == Style::Latex => (false, with_letters(words)),
            Part::Words(words) => (false, words.clone()),
            Part::Theory(text) => (true, lettered(system, &theory(text, style), style)),
            Part::Math(e) => (true, shown(e)),
            Part::Styled([plain, pretty, latex]) => {
                let text = match style {
                    Style::Plain => plain,
                    Style::Pretty => pretty,
                    Style::Latex => latex,
                };
                (true, text.clone())
            }
            Part::Names(list) => (true, some(&list.iter().map(shown).collect::<Vec<_>>())),
            Part::Where(conditions) => (true, condition_text(system, conditions, style)),
            Part::Matrix(grid) if style == Style::Latex => (false, grid.latex(system)),
            Part::Matrix(_) => continue,
        };
        if math && style == Style::Latex {
            let _ = write!(text, "${piece}$");
        } else {
            text.push_str(&piece);
        }
    }
    text
}

/// Names in a row; many are cut in the middle.
fn some(list: &[String]) -> String {
    match list {
        [first, second, .., last] if list.len() > 6 => format!("{first}, {second}, ..., {last}"),
        _ => list.join(", "),
    }
}

/// Words fit for LaTeX, the letters of the theory among them in math mode.
fn with_letters(text: &str) -> String {
    const LETTERS: [&str; 5] = ["F", "J", "N", "W", "g"];
    let word = |word: &str| {
        let bare = word.trim_end_matches([',', '.', ':', ';']);
        if bare == "lambda" {
            format!("$\\lambda${}", &word[bare.len()..])
        } else if LETTERS.contains(&bare) {
            format!("${bare}${}", &word[bare.len()..])
        } else {
            escaped(word)
        }
    };
    linked(" ", text.split(' ').map(word))
}

/// Words fit for LaTeX.
pub fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\textbackslash{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '#' | '$' | '%' | '&' | '_' | '{' | '}' => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}
