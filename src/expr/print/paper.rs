//! Formulas in two dimensions, as on paper.
//!
//! ```text
//!             m x₂″    m x₂′²
//! m x₂″ + ───── - ─────── + m g = 0
//!           4 x₂    8 x₂²
//! ```
//!
//! A formula becomes a [`Layout`] of lines with a baseline. Fractions have a bar, parentheses grow with what
//! they enclose (⎛ ⎞), exponents that are no whole numbers stand a line higher, roots of what is tall have a
//! vinculum. What is wider than the page is broken at the `+` and `-` of its sums, the outer ones first.
//! Every character takes one column; columns are counted as a terminal does.

use super::tree::{Fence, Sign, Tree};
use super::{Printer, Style, line};
use crate::expr::pool::{Expr, Pool};
use std::iter::repeat_n;
use unicode_width::UnicodeWidthStr;

/// Larger formulas are not set on paper: nobody reads them there.
const LARGEST: usize = 500;
/// Rows after the first of a broken sum stand this much further in.
const HANG: usize = 2;
/// Nothing is broken to be narrower than this.
const NARROWEST: usize = 12;

/// Lines of a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The lines, each as wide as the block.
    pub lines: Vec<String>,
    /// The line that stands on the level of the text.
    pub baseline: usize,
    /// In columns.
    pub width: usize,
}

/// What a formula is set into.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// The columns there are.
    pub width: usize,
    /// The lines there are.
    pub height: usize,
    /// Before it, such as `λ_wire = `.
    pub head: &'a str,
    /// After it, such as ` = 0`.
    pub tail: &'a str,
}

/// A formula that is ready to be set on paper: only the page is open.
#[derive(Clone, Debug)]
pub struct Typeset(Tree);

impl Pool {
    /// The sum of these terms, in their order, in two dimensions; `None` where it is too large for its frame.
    pub fn paper(&self, terms: &[Expr], frame: Frame<'_>) -> Option<Layout> {
        self.typeset(terms)?.within(frame)
    }

    /// The sum of these terms, in their order, for paper; `None` where nobody would read it there.
    pub fn typeset(&self, terms: &[Expr]) -> Option<Typeset> {
        let sizes = terms.iter().map(|e| self.size(*e));
        if sizes.fold(0, usize::saturating_add) > LARGEST {
            return None;
        }
        let printer = Printer {
            stacks: true,
            ..Printer::new(self, Style::Pretty)
        };
        printer.tree(terms).ok().map(Typeset)
    }
}

impl Typeset {
    /// In two dimensions; `None` where it is too large for its frame.
    pub fn within(&self, frame: Frame<'_>) -> Option<Layout> {
        let head = Layout::line(frame.head);
        let room = frame.width.checked_sub(head.width)?;
        let block = head.beside(&top(&self.0, room, frame.tail));
        (block.width <= frame.width && block.lines.len() <= frame.height).then_some(block)
    }
}

/// A formula with its tail: a sum in rows, the first of them on the baseline.
fn top(tree: &Tree, room: usize, tail: &str) -> Layout {
    let tail = Layout::line(tail);
    let whole = natural(tree).beside(&tail);
    if whole.width <= room {
        return whole;
    }
    let Tree::Sum(terms) = tree else {
        return fit(tree, room.saturating_sub(tail.width)).beside(&tail);
    };
    let rows = rows(terms, room, &tail);
    let baseline = rows.first().map_or(0, |row| row.baseline);
    Layout {
        baseline,
        ..stacked(&rows)
    }
}

/// The terms of a sum in rows of at most `room` columns, if they can be that narrow.
fn rows(terms: &[(Sign, Tree)], room: usize, tail: &Layout) -> Vec<Layout> {
    let inner = room.saturating_sub(HANG);
    let mut rows: Vec<Layout> = Vec::new();
    let mut row: Option<Layout> = None;
    for (i, (sign, term)) in terms.iter().enumerate() {
        let last = i + 1 == terms.len();
        let before = format!("{} ", sign.written(Style::Pretty));
        let own = if last {
            inner.saturating_sub(2 + tail.width)
        } else {
            inner.saturating_sub(2)
        };
        let mut part = fit(term, own);
        if last {
            part = part.beside(tail);
        }
        row = Some(match row {
            None => leading(*sign, part),
            Some(row) => {
                let longer = row
                    .beside(&Layout::line(" "))
                    .beside(&Layout::line(&before));
                let longer = longer.beside(&part);
                if longer.width <= room {
                    longer
                } else {
                    rows.push(row);
                    let hang = Layout::line(&" ".repeat(HANG));
                    hang.beside(&Layout::line(&before)).beside(&part)
                }
            }
        });
    }
    rows.extend(row);
    rows
}

/// A first term with its sign; before a fraction bar the minus stands apart.
fn leading(sign: Sign, part: Layout) -> Layout {
    let before = sign.written(Style::Pretty);
    match (sign, part.lines.len()) {
        (Sign::Plus, _) => part,
        (_, 1) => Layout::line(before).beside(&part),
        _ => Layout::line(&format!("{before} ")).beside(&part),
    }
}

/// Rows one under the other, an empty line between where they are tall; the baseline in the middle.
fn stacked(rows: &[Layout]) -> Layout {
    let width = rows.iter().map(|row| row.width).max().unwrap_or(0);
    let mut lines: Vec<String> = Vec::new();
    let mut before: Option<&Layout> = None;
    for row in rows {
        let tall = |b: &Layout| b.lines.len() > 1;
        if before.is_some_and(|above| tall(above) || tall(row)) {
            lines.push(" ".repeat(width));
        }
        lines.extend(row.lines.iter().map(|line| padded(line, row.width, width)));
        before = Some(row);
    }
    Layout {
        baseline: lines.len().saturating_sub(1) / 2,
        lines,
        width,
    }
}

/// A formula in at most `room` columns, where it can be broken to be that narrow.
fn fit(tree: &Tree, room: usize) -> Layout {
    let whole = natural(tree);
    if whole.width <= room || room < NARROWEST {
        return whole;
    }
    match tree {
        Tree::Sum(terms) => stacked(&rows(terms, room, &Layout::line(""))),
        Tree::Call(_, _, arguments) if arguments.len() > 1 => whole,
        Tree::Row(factors) => {
            let mut blocks: Vec<Layout> = factors.iter().map(natural).collect();
            // the widest first
            let mut order: Vec<usize> = (0..blocks.len()).collect();
            order.sort_by_key(|&i| std::cmp::Reverse(blocks[i].width));
            let mut width = whole.width;
            for i in order {
                if width <= room {
                    break;
                }
                let others = width - blocks[i].width;
                blocks[i] = fit(&factors[i], room.saturating_sub(others));
                width = others + blocks[i].width;
            }
            row(factors, &blocks)
        }
        _ => laid(tree, &|part, beside| fit(part, room.saturating_sub(beside))),
    }
}

/// A formula as wide as it is.
fn natural(tree: &Tree) -> Layout {
    laid(tree, &|part, _| natural(part))
}

/// A formula of which `set` sets the parts, told how many columns stand beside each.
fn laid(tree: &Tree, set: &dyn Fn(&Tree, usize) -> Layout) -> Layout {
    match tree {
        Tree::Text(text) => Layout::line(text),
        Tree::Scientific(digits, exponent) => Layout::line(&line::scientific(digits, exponent)),
        Tree::Row(factors) => {
            let blocks: Vec<Layout> = factors.iter().map(|factor| set(factor, 0)).collect();
            row(factors, &blocks)
        }
        Tree::Sum(terms) => {
            let set = |(sign, term): &(Sign, Tree)| (*sign, set(term, 0));
            let joined = terms.iter().map(set).enumerate().map(|(i, (sign, term))| {
                let before = Layout::line(&format!(" {} ", sign.written(Style::Pretty)));
                if i > 0 {
                    before.beside(&term)
                } else {
                    leading(sign, term)
                }
            });
            let sum = joined.reduce(|sum, term| sum.beside(&term));
            sum.unwrap_or_else(|| Layout::line("0"))
        }
        Tree::Signed(sign, inside) => leading(*sign, set(inside, 2)),
        Tree::Fraction(top, bottom) => fraction(&set(top, 2), &set(bottom, 2)),
        Tree::Root(inside) => root(inside, &set(inside, 4)),
        Tree::Power(base, exponent) => {
            let beside = line::text(exponent, Style::Pretty).width();
            raised(&set(base, beside), exponent)
        }
        Tree::Fenced(kind, inside) => fenced(*kind, &set(inside, 2)),
        Tree::Call(function, exponent, arguments) => {
            let name = Layout::line(&line::called(*function, exponent.as_deref()));
            let list = arguments.iter().map(|one| set(one, name.width + 2));
            let list = list.reduce(|list, one| list.beside(&Layout::line(", ")).beside(&one));
            let list = list.unwrap_or_else(|| Layout::line(""));
            name.beside(&fenced(Fence::Round, &list))
        }
    }
}

/// Factors one after the other.
fn row(factors: &[Tree], blocks: &[Layout]) -> Layout {
    let mut row = Layout::line("");
    for (i, block) in blocks.iter().enumerate() {
        let before = i.checked_sub(1).and_then(|j| factors.get(j));
        if let (Some(before), Some(factor)) = (before, factors.get(i)) {
            row = row.beside(&Layout::line(line::between(before, factor)));
        }
        row = row.beside(block);
    }
    row
}

fn fraction(top: &Layout, bottom: &Layout) -> Layout {
    let mut width = top.width.max(bottom.width);
    // the bar of a fraction of fractions is the longest
    if top.lines.len() + bottom.lines.len() > 2 {
        width += 2;
    }
    let centred = |block: &Layout| -> Vec<String> {
        let left = (width - block.width) / 2;
        let shifted = block
            .lines
            .iter()
            .map(|l| format!("{}{l}", " ".repeat(left)));
        shifted
            .map(|l| padded(&l, left + block.width, width))
            .collect()
    };
    let mut lines = centred(top);
    lines.push("─".repeat(width));
    lines.extend(centred(bottom));
    Layout {
        lines,
        baseline: top.lines.len(),
        width,
    }
}

/// Parentheses or bars as tall as what they enclose.
fn fenced(kind: Fence, inside: &Layout) -> Layout {
    let height = inside.lines.len();
    let [one, first, middle, last] = match kind {
        Fence::Round => [["(", ")"], ["⎛", "⎞"], ["⎜", "⎟"], ["⎝", "⎠"]],
        Fence::Bars => [["|", "|"], ["│", "│"], ["│", "│"], ["│", "│"]],
    };
    let lines = inside.lines.iter().enumerate().map(|(i, text)| {
        let [left, right] = if height == 1 {
            one
        } else if i == 0 {
            first
        } else if i + 1 == height {
            last
        } else {
            middle
        };
        format!("{left}{text}{right}")
    });
    Layout {
        lines: lines.collect(),
        baseline: inside.baseline,
        width: inside.width + 2,
    }
}

/// `√x`, `√(x + y)`; over what is tall a vinculum.
fn root(tree: &Tree, inside: &Layout) -> Layout {
    if inside.lines.len() == 1 {
        let sign = Layout::line("√");
        return if line::bare(tree) {
            sign.beside(inside)
        } else {
            sign.beside(&fenced(Fence::Round, inside))
        };
    }
    let last = inside.lines.len();
    let mut lines = vec![format!(" ┌{}", "─".repeat(inside.width + 2))];
    for (i, text) in inside.lines.iter().enumerate() {
        let sign = if i + 1 == last { "╲" } else { " " };
        lines.push(format!("{sign}│ {text} "));
    }
    Layout {
        lines,
        baseline: inside.baseline + 1,
        width: inside.width + 4,
    }
}

/// A whole exponent as superscript digits, any other a line higher.
fn raised(base: &Layout, exponent: &Tree) -> Layout {
    if let Tree::Text(digits) = exponent
        && let Some(digits) = line::superscript(digits)
    {
        // on the first line of what is tall
        let mut digits = Layout::line(&digits);
        let height = base.lines.len();
        let blank = " ".repeat(digits.width);
        digits.lines.extend(repeat_n(blank, height - 1));
        digits.baseline = base.baseline;
        return base.beside(&digits);
    }
    let mut exponent = Layout::line(&line::text(exponent, Style::Pretty));
    // its baseline is that of the base, its line one above the first
    exponent.baseline = base.baseline + 1;
    let blank = " ".repeat(exponent.width);
    exponent.lines.extend(repeat_n(blank, base.baseline + 1));
    base.beside(&exponent)
}

/// A line with blanks behind it.
fn padded(line: &str, width: usize, to: usize) -> String {
    format!("{line}{}", " ".repeat(to.saturating_sub(width)))
}

impl Layout {
    /// A block of one line.
    pub fn line(text: &str) -> Self {
        Self {
            lines: vec![text.to_owned()],
            baseline: 0,
            width: text.width(),
        }
    }

    /// This block and another to its right, their baselines on a level.
    #[must_use]
    pub fn beside(&self, right: &Self) -> Self {
        let baseline = self.baseline.max(right.baseline);
        let below = |b: &Self| b.lines.len() - b.baseline;
        let height = baseline + below(self).max(below(right));
        let side = |block: &Self, i: usize| {
            let row = (i + block.baseline).checked_sub(baseline);
            let text = row.and_then(|row| block.lines.get(row));
            text.map_or_else(|| " ".repeat(block.width), Clone::clone)
        };
        Self {
            lines: (0..height)
                .map(|i| format!("{}{}", side(self, i), side(right, i)))
                .collect(),
            baseline,
            width: self.width + right.width,
        }
    }
}
