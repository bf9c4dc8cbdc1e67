//! A formula in LaTeX, math mode (amsmath).
//!
//! Parentheses grow (`\left( \right)`) only around what is taller than a line.

use super::line::begins_with_digit;
use super::{Fence, Tree, Way, sign_before};
use crate::expr::function::Function;
use crate::expr::pool::{Expr, Pool};

/// The text of a formula.
pub(super) fn text(tree: &Tree) -> String {
    let mut latex = Latex::default();
    latex.write(tree);
    latex.out
}

impl Pool {
    /// The expression in LaTeX, a sum in rows of about `width` letters: all rows after the first begin
    /// with their sign.
    pub fn latex_rows(&self, e: Expr, width: usize) -> Vec<String> {
        let tree = match self.tree(&[e], Way::Latex) {
            Ok(tree) => tree,
            Err(size) => return vec![format!("\\text{{(too large to print: {size} operations)}}")],
        };
        let Tree::Sum(terms) = &tree else {
            return vec![text(&tree)];
        };
        let mut rows: Vec<String> = Vec::new();
        let mut used = 0;
        for (i, (negative, term)) in terms.iter().enumerate() {
            let own = breadth(term) + 3;
            let sign = match (i, negative) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => "+ ",
                (_, true) => "- ",
            };
            let piece = format!("{sign}{}", text(term));
            match rows.last_mut() {
                Some(row) if used + own <= width => {
                    row.push(' ');
                    row.push_str(&piece);
                    used += own;
                }
                _ => {
                    rows.push(piece);
                    used = own;
                }
            }
        }
        rows
    }
}

/// About how many letters wide a formula is.
fn breadth(tree: &Tree) -> usize {
    let sum = |list: &[Tree]| list.iter().map(breadth).sum::<usize>();
    match tree {
        Tree::Text(text) => letters(text),
        Tree::Scientific(digits, exponent) => digits.len() + exponent.len() + 3,
        Tree::Row(factors) => sum(factors),
        Tree::Sum(terms) => terms.iter().map(|(_, term)| breadth(term) + 3).sum(),
        Tree::Negative(inside) | Tree::Root(inside) => breadth(inside) + 1,
        Tree::Fraction(top, bottom) => breadth(top).max(breadth(bottom)),
        Tree::Power(base, exponent) => breadth(base) + breadth(exponent),
        Tree::Fenced(_, inside) => breadth(inside) + 2,
        Tree::Call(function, exponent, arguments) => {
            function.name().len() + exponent.as_ref().map_or(0, String::len) + sum(arguments) + 2
        }
    }
}

/// The letters of a name in LaTeX: a command counts as one, `\mathrm` as none.
fn letters(name: &str) -> usize {
    let mut count = 0;
    for (i, part) in name.split('\\').enumerate() {
        let command = part.chars().take_while(char::is_ascii_alphabetic).count();
        let rest = if i == 0 { part } else { &part[command..] };
        let greek = i > 0 && !part.starts_with("math") && !part.contains("dot");
        count += usize::from(greek) + rest.chars().filter(|c| c.is_alphanumeric()).count();
    }
    count
}

#[derive(Default)]
struct Latex {
    out: String,
}

impl Latex {
    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Writes a formula and says whether it is taller than a line.
    fn write(&mut self, tree: &Tree) -> bool {
        match tree {
            Tree::Text(text) => self.push(text),
            Tree::Scientific(digits, exponent) => {
                self.push(&format!("{digits} \\cdot 10^{{{exponent}}}"));
            }
            Tree::Row(factors) => return self.row(factors),
            Tree::Sum(terms) => {
                let mut tall = false;
                for (i, (negative, term)) in terms.iter().enumerate() {
                    self.push(sign_before(i == 0, *negative));
                    tall |= self.write(term);
                }
                return tall;
            }
            Tree::Negative(inside) => {
                self.push("-");
                return self.write(inside);
            }
            Tree::Fraction(top, bottom) => {
                self.push("\\frac{");
                self.write(top);
                self.push("}{");
                self.write(bottom);
                self.push("}");
                return true;
            }
            Tree::Root(inside) => {
                self.push("\\sqrt{");
                let tall = self.write(inside);
                self.push("}");
                return tall;
            }
            Tree::Power(base, exponent) => {
                let tall = self.write(base);
                self.push("^{");
                let raised = self.write(exponent);
                self.push("}");
                return tall || raised;
            }
            Tree::Fenced(Fence::Round, inside) => return self.fenced(["(", ")"], inside),
            Tree::Fenced(Fence::Bars, inside) => {
                return self.fenced(["\\lvert ", " \\rvert"], inside);
            }
            Tree::Call(function, exponent, arguments) => {
                self.push(command(*function));
                if let Some(exponent) = exponent {
                    self.push(&format!("^{{{exponent}}}"));
                }
                return self.arguments(arguments);
            }
        }
        false
    }

    fn row(&mut self, factors: &[Tree]) -> bool {
        let mut tall = false;
        for (i, factor) in factors.iter().enumerate() {
            let before = i.checked_sub(1).and_then(|j| factors.get(j));
            if let Some(before) = before {
                self.push(if begins_with_digit(factor) {
                    " \\cdot "
                } else if is_word(before) || is_word(factor) {
                    " \\, "
                } else {
                    " "
                });
            }
            tall |= self.write(factor);
        }
        tall
    }

    fn fenced(&mut self, [open, close]: [&str; 2], inside: &Tree) -> bool {
        let start = self.out.len();
        self.push(open);
        let tall = self.write(inside);
        if tall {
            self.out.insert_str(start, "\\left");
            self.push(&format!("\\right{}", close.trim_start()));
        } else {
            self.push(close);
        }
        tall
    }

    fn arguments(&mut self, arguments: &[Tree]) -> bool {
        let start = self.out.len();
        self.push("(");
        let mut tall = false;
        for (i, argument) in arguments.iter().enumerate() {
            self.push(if i > 0 { ", " } else { "" });
            tall |= self.write(argument);
        }
        if tall {
            self.out.insert_str(start, "\\left");
            self.push("\\right");
        }
        self.push(")");
        tall
    }
}

/// Does a factor need a space to its neighbours: is it a name of several letters or a function?
fn is_word(tree: &Tree) -> bool {
    match tree {
        Tree::Text(name) => {
            let bare = name
                .trim_start_matches("\\dot{")
                .trim_start_matches("\\ddot{");
            ["\\mathrm", "\\text", "\\delta "]
                .iter()
                .any(|w| bare.starts_with(w))
        }
        Tree::Power(base, _) => is_word(base),
        Tree::Call(..) => true,
        _ => false,
    }
}

fn command(function: Function) -> &'static str {
    match function {
        Function::Sin => "\\sin",
        Function::Cos => "\\cos",
        Function::Tan => "\\tan",
        Function::Asin => "\\arcsin",
        Function::Acos => "\\arccos",
        Function::Atan => "\\arctan",
        Function::Atan2 => "\\operatorname{atan2}",
        Function::Sinh => "\\sinh",
        Function::Cosh => "\\cosh",
        Function::Tanh => "\\tanh",
        Function::Exp => "\\exp",
        // the natural one, without doubt
        Function::Log => "\\ln",
        Function::Abs => "\\operatorname{abs}",
        Function::Sign => "\\operatorname{sign}",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_as_wide_as_its_letters() {
        assert_eq!(letters("\\ddot{x}_{1}"), 2);
        assert_eq!(letters("\\lambda_{\\mathrm{wire}}"), 5);
        assert_eq!(letters("9.81"), 3);
    }
}
