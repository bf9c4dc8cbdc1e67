//! A formula in LaTeX on rows of a given width.
//!
//! Rows break before the sign of a term. A term that is too wide alone is opened: `\Bigl(` and `\Bigr)`
//! may stand on different rows, the halves of a fraction may not, so that
//!
//! ```text
//! \frac{m (a + b)}{d}   becomes   \frac{m}{d} \bigl( a + b \bigr)
//! ```
//!
//! with breaks inside of the parentheses. Widths are those of Computer Modern at ten points, near enough.

use super::latex::{between, is_word, row_text, text_and_height};
use super::line::begins_with_digit;
use super::tree::{Fence, Sign, Tree};
use super::{Printer, Style};
use crate::expr::pool::{Expr, Pool};

/// Width in points of an italic letter, of a greek one, and of a digit.
const LETTER: f64 = 5.3;
/// A `+` or `-` between two terms, with its blanks.
const OPERATOR: f64 = 12.2;
/// How far a row inside of parentheses is moved in.
const QUAD: f64 = 10.0;
/// How many times.
const DEEPEST: usize = 4;
/// What is wider than this part of a row is opened rather than put under a fraction bar.
const NARROW: f64 = 0.5;

/// The room that a formula has, in points.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// What stands before it on its first row.
    pub before: f64,
    /// The width of every row.
    pub width: f64,
}

impl Pool {
    /// The expression in LaTeX, in rows; all rows after the first begin with an operator.
    pub fn latex_rows(&self, e: Expr, room: Room) -> Vec<String> {
        let tree = match Printer::new(self, Style::Latex).tree(&[e]) {
            Ok(tree) => tree,
            Err(size) => return vec![format!("\\text{{(too large to print: {size} operations)}}")],
        };
        let mut rows = Rows {
            done: Vec::new(),
            row: String::new(),
            used: room.before,
            width: room.width,
            inside: 0,
        };
        rows.lay(&tree);
        rows.done.push(rows.row);
        rows.done
    }

    /// About how many points wide the expression is in LaTeX.
    pub fn latex_width(&self, e: Expr) -> f64 {
        Printer::new(self, Style::Latex)
            .tree(&[e])
            .map_or(f64::INFINITY, |tree| breadth(&tree, Size::Display))
    }
}

/// About how many points wide a piece of LaTeX without fractions is.
pub fn text_width(latex: &str) -> f64 {
    let mut width = 0.0;
    let mut small = false;
    for (i, part) in latex.split('\\').enumerate() {
        let name = part.chars().take_while(char::is_ascii_alphabetic).count();
        let rest = if i == 0 { part } else { &part[name..] };
        let silent =
            ["math", "text", "dot", "ddot", "frac"].map(|command| part.starts_with(command));
        if i > 0 && !silent.contains(&true) {
            width += LETTER;
        }
        for c in rest.chars() {
            match c {
                '_' | '^' => small = true,
                '}' => small = false,
                '=' | '<' | '>' => width += OPERATOR,
                'm' | 'w' | 'M' | 'W' => width += if small { 0.7 } else { 1.0 } * 1.6 * LETTER,
                _ if c.is_alphanumeric() => width += if small { 0.7 } else { 1.0 } * LETTER,
                _ => {}
            }
        }
    }
    width
}

/// In what size a part is set.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Size {
    Display,
    Text,
    Script,
    Tiny,
}

impl Size {
    fn of_letters(self) -> f64 {
        match self {
            Self::Display | Self::Text => 1.0,
            Self::Script => 0.7,
            Self::Tiny => 0.5,
        }
    }

    /// That of the halves of a fraction.
    fn half(self) -> Self {
        match self {
            Self::Display => Self::Text,
            Self::Text => Self::Script,
            Self::Script | Self::Tiny => Self::Tiny,
        }
    }

    /// That of an exponent.
    fn raised(self) -> Self {
        match self {
            Self::Display => Self::Script,
            _ => self.half(),
        }
    }
}

/// About how many points wide a formula is.
fn breadth(tree: &Tree, size: Size) -> f64 {
    let scale = size.of_letters();
    let sum = |list: &[Tree]| list.iter().map(|t| breadth(t, size)).sum::<f64>();
    match tree {
        Tree::Text(text) => scale * text_width(text),
        #[allow(clippy::cast_precision_loss)] // a few digits
        Tree::Scientific(digits, exponent) => {
            scale * LETTER * (digits.len() as f64 + 0.7 * exponent.len() as f64 + 4.0)
        }
        Tree::Row(factors) => {
            let words = factors.iter().filter(|f| is_word(f)).count();
            let dots = factors.iter().skip(1).filter(|f| begins_with_digit(f));
            #[allow(clippy::cast_precision_loss)] // as many as a product has factors
            let between = 2.0 * words as f64 + 7.0 * dots.count() as f64;
            sum(factors) + scale * between
        }
        Tree::Sum(terms) => {
            // no blanks round the signs of what is small
            let sign = if scale < 1.0 { 6.0 } else { OPERATOR };
            let terms = terms.iter().enumerate();
            terms
                .map(|(i, (sign_of, term))| {
                    let own = if i > 0 || *sign_of != Sign::Plus {
                        sign
                    } else {
                        0.0
                    };
                    breadth(term, size) + own
                })
                .sum()
        }
        Tree::Signed(_, inside) => breadth(inside, size) + scale * 8.0,
        Tree::Root(inside) => breadth(inside, size) + scale * 9.0,
        Tree::Fraction(top, bottom) => {
            let half = size.half();
            breadth(top, half).max(breadth(bottom, half)) + 2.4
        }
        Tree::Power(base, exponent) => breadth(base, size) + breadth(exponent, size.raised()),
        Tree::Fenced(_, inside) => breadth(inside, size) + scale * 10.0,
        Tree::Call(function, exponent, arguments) => {
            let name = text_width(function.name());
            let exponent = exponent.as_ref().map_or(0.0, |e| 0.7 * text_width(e));
            scale * (name + exponent + 10.0) + sum(arguments)
        }
    }
}

struct Rows {
    done: Vec<String>,
    row: String,
    used: f64,
    width: f64,
    /// in how many parentheses
    inside: usize,
}

impl Rows {
    fn push(&mut self, text: &str, width: f64) {
        self.row.push_str(text);
        self.used += width;
    }

    fn next_row(&mut self) {
        let depth = self.inside.min(DEEPEST);
        let indent = "\\quad ".repeat(depth);
        self.done.push(std::mem::replace(&mut self.row, indent));
        #[allow(clippy::cast_precision_loss)] // a few
        let used = QUAD * depth as f64;
        self.used = used;
    }

    /// Writes a piece, on a row of its own where it does not fit.
    fn piece(&mut self, text: &str, width: f64) {
        let before = self.row.trim_end();
        let signed = before.ends_with(['+', '-']);
        if !self.fits(width) && self.used > NARROW * self.width && !signed {
            let opened = before.ends_with('(') || before.ends_with("lvert");
            self.next_row();
            if !opened {
                self.push("\\cdot ", OPERATOR);
            }
        }
        self.push(text, width);
    }

    fn fits(&self, width: f64) -> bool {
        self.used + width <= self.width
    }

    /// Writes a formula from where the row is, opened where it does not fit.
    fn lay(&mut self, tree: &Tree) {
        let breadth = breadth(tree, Size::Display);
        if self.fits(breadth) {
            return self.push(&text_and_height(tree).0, breadth);
        }
        match tree {
            Tree::Sum(terms) => self.sum(terms),
            Tree::Row(factors) => self.product(&factors.iter().collect::<Vec<_>>(), None),
            Tree::Signed(sign, inside) => {
                self.push(sign.written(Style::Latex), 8.0);
                self.lay(inside);
            }
            Tree::Fraction(top, bottom) => {
                let top = match &**top {
                    Tree::Row(factors) => factors.iter().collect(),
                    Tree::Signed(sign, inside) => {
                        self.push(sign.written(Style::Latex), 8.0);
                        vec![&**inside]
                    }
                    other => vec![other],
                };
                self.product(&top, Some(bottom));
            }
            Tree::Root(inside) => self.fenced(["(", ")"], inside, "^{1/2}"),
            Tree::Power(base, exponent) => match &**base {
                Tree::Fenced(Fence::Round, inside) => {
                    let raised = format!("^{{{}}}", text_and_height(exponent).0);
                    self.fenced(["(", ")"], inside, &raised);
                }
                _ => self.whole(tree),
            },
            Tree::Fenced(Fence::Round, inside) => self.fenced(["(", ")"], inside, ""),
            Tree::Fenced(Fence::Bars, inside) => {
                self.fenced(["\\lvert ", "\\rvert"], inside, "");
            }
            Tree::Call(function, exponent, arguments) => match arguments.as_slice() {
                [one] => {
                    let exponent = exponent.as_ref();
                    let exponent = exponent.map_or(String::new(), |e| format!("^{{{e}}}"));
                    let name = format!("{}{exponent}", function.row().latex);
                    self.push(&name, 4.0 * LETTER);
                    self.fenced(["(", ")"], one, "");
                }
                _ => self.whole(tree),
            },
            Tree::Text(_) | Tree::Scientific(..) => self.whole(tree),
        }
    }

    /// What cannot be opened.
    fn whole(&mut self, tree: &Tree) {
        self.push(&text_and_height(tree).0, breadth(tree, Size::Display));
    }

    fn sum(&mut self, terms: &[(Sign, Tree)]) {
        for (i, (sign_of, term)) in terms.iter().enumerate() {
            let sign = sign_of.written(Style::Latex).trim_end();
            let own = breadth(term, Size::Display) + OPERATOR;
            if i == 0 {
                if *sign_of != Sign::Plus {
                    self.push(sign_of.written(Style::Latex), 8.0);
                }
                self.lay(term);
                continue;
            }
            // a wide one begins where it is if there is room for a part of it
            let begins = own > self.width && self.fits(NARROW * self.width);
            if self.fits(own) || begins {
                self.push(&format!(" {sign} "), OPERATOR);
            } else {
                self.next_row();
                self.push(&format!("{sign} "), OPERATOR);
            }
            self.lay(term);
        }
    }

    /// `prod factors / below`: what is narrow first, under one bar, then what is opened.
    fn product(&mut self, factors: &[&Tree], below: Option<&Tree>) {
        let narrow = |tree: &Tree| {
            let opens = !matches!(tree, Tree::Text(_) | Tree::Scientific(..));
            !opens || breadth(tree, Size::Display) <= NARROW * self.width
        };
        let (mut first, mut wide): (Vec<&Tree>, Vec<&Tree>) =
            factors.iter().copied().partition(|f| narrow(f));
        let over = below.filter(|b| narrow(b));
        if over.is_none() && below.is_some() {
            // before a slash a sum needs parentheses
            let (sums, others) = first.into_iter().partition(|f| matches!(f, Tree::Sum(_)));
            first = others;
            wide.extend::<Vec<&Tree>>(sums);
        }
        // behind a slash nothing else is read as a factor
        wide.sort_by_key(|f| matches!(f, Tree::Fraction(..)));
        if wide.is_empty() && (over.is_some() || below.is_none()) {
            // many factors: the widest of them goes on its own
            let widest = (0..first.len())
                .filter(|&i| !matches!(first[i], Tree::Text(_) | Tree::Scientific(..)))
                .max_by(|&a, &b| {
                    let width = |i: usize| breadth(first[i], Size::Display);
                    width(a).total_cmp(&width(b)).then(b.cmp(&a))
                });
            wide.extend(widest.map(|i| first.remove(i)));
        }
        let mut begun = over.is_some() || !first.is_empty();
        match over {
            Some(bottom) => self.over(&first, bottom),
            None => self.one_by_one(&first),
        }
        for factor in wide {
            if begun {
                self.push(" ", 2.0);
            }
            begun = true;
            match factor {
                // a sum in the numerator stands without parentheses
                Tree::Sum(_) => self.fenced(["(", ")"], factor, ""),
                _ => self.lay(factor),
            }
        }
        if over.is_none()
            && let Some(bottom) = below
        {
            if !begun {
                self.push("1", LETTER);
            }
            if !self.fits(NARROW * NARROW * self.width) {
                self.next_row();
            }
            self.push(" \\Big/ ", LETTER);
            match bottom {
                Tree::Power(..) | Tree::Fenced(..) | Tree::Root(_) => self.lay(bottom),
                _ => self.fenced(["(", ")"], bottom, ""),
            }
        }
    }

    /// Factors over a denominator.
    fn over(&mut self, factors: &[&Tree], bottom: &Tree) {
        let (top, width) = match factors {
            [] => ("1".to_owned(), LETTER),
            // the bar does what parentheses do
            [Tree::Fenced(Fence::Round, inside)] => {
                (text_and_height(inside).0, breadth(inside, Size::Text))
            }
            list => {
                let width = list.iter().map(|f| breadth(f, Size::Text)).sum();
                (row_text(list.iter().copied()), width)
            }
        };
        let bar = format!("\\frac{{{top}}}{{{}}}", text_and_height(bottom).0);
        self.piece(&bar, width.max(breadth(bottom, Size::Text)) + 2.4);
    }

    /// Factors one after the other, on the next row where they do not fit.
    fn one_by_one(&mut self, factors: &[&Tree]) {
        let mut before: Option<&Tree> = None;
        for factor in factors {
            let text = text_and_height(factor).0;
            let width = breadth(factor, Size::Display);
            if before.is_some() && !self.fits(width) {
                self.next_row();
                self.push(&format!("\\cdot {text}"), width + OPERATOR);
            } else {
                let between = before.map_or("", |b| between(b, factor));
                self.push(&format!("{between}{text}"), width);
            }
            before = Some(factor);
        }
    }

    /// What stands between two delimiters, on as many rows as it takes.
    fn fenced(&mut self, [open, close]: [&str; 2], inside: &Tree, after: &str) {
        let size = if text_and_height(inside).1 {
            "Big"
        } else {
            "big"
        };
        self.push(&format!("\\{size}l{open}"), 7.0);
        self.inside += 1;
        let first = match inside {
            Tree::Sum(terms) => terms.first().map_or(inside, |(_, term)| term),
            _ => inside,
        };
        let first = breadth(first, Size::Display);
        if !self.fits(first) && first <= NARROW * self.width {
            self.next_row();
        }
        self.lay(inside);
        self.inside -= 1;
        self.push(&format!(" \\{size}r{close}{after}"), 10.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_as_wide_as_its_letters() {
        let close = |text: &str, letters: f64| {
            let width = text_width(text);
            assert!((width - letters * LETTER).abs() < 0.01, "{text}: {width}");
        };
        close("\\ddot{x}_{1}", 1.7);
        close("\\lambda_{\\mathrm{rod}}", 1.0 + 3.0 * 0.7);
        close("9.81", 3.0);
    }
}
