//! Text laid out in a width.
//!
//! A page is plain, all ASCII, or as on paper: names and formulas in Unicode, formulas in two dimensions
//! where they have the room ([`crate::expr::Pool::paper`]), else on lines as plain ones.

use super::math::Math;
use crate::expr::{Frame, Pool, Style};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Lines that an expression may take; a longer one is folded away whole.
const LINES: usize = 6;
/// The same for one of many.
const LINES_OF_MANY: usize = 4;
/// More expressions than this are many.
const FEW: usize = 6;
/// The narrowest page that is laid out; a narrower terminal wraps by itself.
const NARROWEST: usize = 36;
/// A continuation line stands this much further in.
const HANG: usize = 4;
/// A formula in two dimensions may take so many times the lines of one in one.
const TALL: usize = 5;

/// How a text is laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Its width in columns.
    pub width: usize,
    /// [`Style::Plain`], or [`Style::Pretty`]: as on paper.
    pub style: Style,
}

/// What a page that is too long leaves out, the first of it first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(in crate::report) enum Section {
    Domain,
    Together,
    Map,
    Derivatives,
    Stepwise,
    Momenta,
    Forces,
    Displacements,
    Symmetries,
    Energy,
    Independent,
}

/// A text that keeps to a width where it can.
pub(in crate::report) struct Page<'a> {
    width: usize,
    text: String,
    most_lines: usize,
    /// The names of a page as on paper.
    paper: Option<&'a Pool>,
    /// The line above is of a formula: whether it is one of several lines.
    below: Option<bool>,
    /// Where all of an expression is that is folded here.
    all_in: &'static str,
    /// Is nothing folded?
    whole: bool,
    /// Where each section begins.
    sections: Vec<(usize, Option<Section>)>,
}

impl<'a> Page<'a> {
    /// An empty page, plain.
    pub fn new(width: usize) -> Self {
        Self {
            width: width.max(NARROWEST),
            text: String::new(),
            most_lines: LINES,
            paper: None,
            below: None,
            all_in: "--json",
            whole: false,
            sections: Vec::new(),
        }
    }

    /// Does it fold nothing?
    pub fn is_in_full(&self) -> bool {
        self.whole
    }

    /// Folds nothing.
    pub fn in_full(&mut self) {
        self.whole = true;
        self.most_lines = usize::MAX / TALL;
    }

    /// Keeps to so many lines: leaves out whole sections, the least needed first, and says which.
    pub fn keep_to(&mut self, lines: usize) {
        let text = std::mem::take(&mut self.text);
        let ends = self.sections.iter().skip(1).map(|(start, _)| *start);
        let pieces = self.sections.iter().zip(ends.chain([text.len()]));
        let pieces: Vec<_> = pieces
            .map(|((start, own), end)| (*own, *start..end))
            .collect();
        let mut least: Vec<_> = pieces.iter().filter(|(own, _)| own.is_some()).collect();
        least.sort_by_key(|(own, _)| *own);
        let mut count = text.lines().count();
        let mut left: Vec<&str> = Vec::new();
        let mut gone = Vec::new();
        for (_, range) in least {
            if count <= lines {
                break;
            }
            let piece = &text[range.clone()];
            count -= piece.lines().count();
            let heading = piece.trim_start().lines().next().unwrap_or_default();
            left.push(short(heading));
            gone.push(range.start);
        }
        let kept = pieces
            .iter()
            .filter(|(_, range)| !gone.contains(&range.start));
        let begin = pieces.first().map_or(text.len(), |(_, range)| range.start);
        self.text.push_str(&text[..begin]);
        self.text
            .extend(kept.map(|(_, range)| &text[range.clone()]));
        if !left.is_empty() {
            self.gap();
            let all_in = self.all_in;
            self.prose(
                0,
                &format!("Left out here ({all_in} has them): {}", left.join("; ")),
            );
        }
    }

    /// Says where all of an expression is that is folded here; `--json` of the same command unless told.
    pub fn all_in(&mut self, place: &'static str) {
        self.all_in = place;
    }

    /// An empty page for formulas of this pool.
    pub fn laid_out(layout: Layout, pool: &'a Pool) -> Self {
        Self {
            paper: (layout.style == Style::Pretty).then_some(pool),
            ..Self::new(layout.width)
        }
    }

    /// The style of formulas on one line.
    pub fn style(&self) -> Style {
        match self.paper {
            Some(_) => Style::Pretty,
            None => Style::Plain,
        }
    }

    /// Words and names as this page shows them: `lambda_wire` is λ_wire on paper.
    pub fn say(&self, text: &str) -> String {
        let Some(pool) = self.paper else {
            return text.to_owned();
        };
        let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\'');
        let mut shown = String::with_capacity(text.len());
        let mut rest = text;
        while !rest.is_empty() {
            let end = rest.find(|c| !part(c)).unwrap_or(rest.len());
            let (name, others) = rest.split_at(end);
            if name.starts_with(|c: char| c.is_ascii_digit() || c == '\'') {
                shown.push_str(name);
            } else {
                shown.push_str(&pool.pretty_name(name));
            }
            let end = others.find(part).unwrap_or(others.len());
            let (between, others) = others.split_at(end);
            shown.push_str(between);
            rest = others;
        }
        shown
            .replace("J^T", "Jᵀ")
            .replace("J_D^-1", "J_D⁻¹")
            .replace("<=", "≤")
            .replace(">=", "≥")
            .replace("+-", "±")
            .replace("dL/d", "∂L/∂")
            .replace("dLagrangian/d", "∂Lagrangian/∂")
            .replace("df/d", "∂f/∂")
    }

    /// The text.
    pub fn finish(self) -> String {
        self.text
    }

    /// The width in columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The expressions that follow are a group of so many: of many, each takes few lines.
    pub fn group_of(&mut self, number: usize) {
        if !self.whole {
            self.most_lines = if number > FEW { LINES_OF_MANY } else { LINES };
        }
    }

    /// Do these lines fit?
    pub fn fits(&self, lines: &[String]) -> bool {
        lines.iter().all(|line| line.width() <= self.width)
    }

    /// A line as it is, without blanks at its end.
    pub fn line(&mut self, text: &str) {
        self.text.push_str(text.trim_end());
        self.text.push('\n');
        self.below = None;
    }

    /// Lines as they are.
    pub fn lines(&mut self, lines: &[String]) {
        for line in lines {
            self.line(line);
        }
    }

    /// An empty line.
    pub fn gap(&mut self) {
        self.line("");
    }

    /// An empty line below a formula of several lines.
    pub fn apart(&mut self) {
        if self.below == Some(true) {
            self.gap();
        }
    }

    /// A title, as it is.
    pub fn title(&mut self, text: &str) {
        self.formula_prose("", 2, text);
    }

    /// A heading after an empty line.
    pub fn heading(&mut self, text: &str) {
        self.begin(None, text);
    }

    /// The heading of a section that can be left out.
    pub fn section(&mut self, section: Section, text: &str) {
        self.begin(Some(section), text);
    }

    fn begin(&mut self, section: Option<Section>, text: &str) {
        self.sections.push((self.text.len(), section));
        self.gap();
        self.prose(0, text);
    }

    /// Words, broken at blanks.
    pub fn prose(&mut self, indent: usize, text: &str) {
        self.prose_after(&" ".repeat(indent), indent + 2, text);
    }

    /// Words after a head, broken at blanks; continuation lines stand `hang` columns in.
    pub fn prose_after(&mut self, head: &str, hang: usize, text: &str) {
        let text = self.say(text);
        self.formula_prose(head, hang, &text);
    }

    /// As [`Page::prose_after`], of words that are as this page shows them.
    pub fn formula_prose(&mut self, head: &str, hang: usize, text: &str) {
        self.apart();
        let mut line = head.to_owned();
        let mut empty = true;
        for word in words(text) {
            if !empty && line.width() + 1 + word.width() > self.width {
                self.line(&line);
                line = " ".repeat(hang);
                empty = true;
            }
            if !empty {
                line.push(' ');
            }
            line.push_str(&word);
            empty = false;
        }
        self.line(&line);
    }

    /// `head`, a formula, `tail`.
    pub fn expression<'f>(
        &mut self,
        indent: usize,
        head: &str,
        formula: impl Into<Math<'f>>,
        tail: &str,
    ) {
        self.equation(indent, head, &formula.into(), &tail.into());
    }

    /// `head`, a formula, another as its tail: in two dimensions on paper, else on lines.
    pub fn equation(&mut self, indent: usize, head: &str, formula: &Math<'_>, tail: &Math<'_>) {
        let (head, style) = (self.say(head), self.style());
        let say = |text: &str| self.say(text);
        let (formula, tail) = (formula.said(say), tail.said(say).text(style));
        self.shown_equation((indent, &head), &formula, &tail);
    }

    /// As [`Page::equation`], its head and its tail as this page shows them.
    pub fn shown_equation(
        &mut self,
        (indent, head): (usize, &str),
        formula: &Math<'_>,
        tail: &str,
    ) {
        let style = self.style();
        let block = match style {
            Style::Pretty => formula.paper(Frame {
                width: self.width.saturating_sub(indent),
                height: TALL * self.most_lines,
                head,
                tail,
            }),
            _ => None,
        };
        let Some(block) = block else {
            self.on_lines(indent, head, &formula.text(style), tail);
            return;
        };
        let tall = block.lines.len() > 1;
        if self.below.is_some_and(|above| above || tall) {
            self.gap();
        }
        for line in &block.lines {
            self.line(&format!("{}{line}", " ".repeat(indent)));
        }
        self.below = Some(tall);
    }

    /// `head`, an expression, `tail`: broken at operators, the first that bind least, cut after a few lines.
    fn on_lines(&mut self, indent: usize, head: &str, text: &str, tail: &str) {
        self.apart();
        self.write_lines(indent, head, text, tail);
        self.below = Some(false);
    }

    fn write_lines(&mut self, indent: usize, head: &str, text: &str, tail: &str) {
        let hang = indent + HANG;
        let whole = format!("{}{head}{text}{tail}", " ".repeat(indent));
        if whole.width() <= self.width {
            self.line(&whole);
            return;
        }
        let start = indent + head.width();
        let lines = broken(
            &format!("{text}{tail}"),
            self.width.saturating_sub(start),
            self.width.saturating_sub(hang),
        );
        if lines.len() > self.most_lines {
            let more = format!("... {} lines ({} has them)", lines.len(), self.all_in);
            self.line(&format!("{}{head}{more}", " ".repeat(indent)));
            return;
        }
        for (i, line) in lines.iter().enumerate() {
            if i == 0 {
                self.line(&format!("{}{head}{line}", " ".repeat(indent)));
            } else {
                self.line(&format!("{}{line}", " ".repeat(hang)));
            }
        }
    }
}

/// A heading up to the first mark that stands in no bracket.
fn short(heading: &str) -> &str {
    let mut depth = 0_i32;
    let end = heading.find(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth == 0 && matches!(c, ':' | ',' | ';')
    });
    end.map_or(heading, |end| &heading[..end])
}

/// The words of a text; `t = 3` is one.
fn words(text: &str) -> Vec<String> {
    let mut list: Vec<String> = Vec::new();
    let mut open = false;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        match list.last_mut() {
            Some(last) if open || word == "=" => {
                last.push(' ');
                last.push_str(word);
            }
            _ => list.push(word.to_owned()),
        }
        open = word == "=";
    }
    list
}

/// Breaks an expression into lines of at most these widths, the first one apart. A line ends where the
/// operator binds least, in its second half where there is one.
fn broken(text: &str, first: usize, others: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = text;
    let mut width = first.max(NARROWEST / 4);
    // what has so many bytes needs not be measured to be too long
    while rest.len() > 64 * width || rest.width() > width {
        let at = break_place(rest, width);
        let (line, tail) = rest.split_at(at);
        lines.push(line.trim_end().to_owned());
        rest = tail.trim_start();
        width = others.max(NARROWEST / 4);
    }
    lines.push(rest.to_owned());
    lines
}

/// Where to end a line of at most `width` columns, in bytes; never 0.
fn break_place(text: &str, width: usize) -> usize {
    // (how tightly it binds, columns, bytes)
    let mut best: Option<(usize, usize, usize)> = None;
    let mut limit = 0;
    let (mut depth, mut columns) = (0_usize, 0);
    let (mut before, mut earlier) = (' ', ' ');
    for (at, c) in text.char_indices() {
        if columns > width {
            break;
        }
        if at > 0 {
            limit = at;
        }
        // after a comma, before the operator of a sum, after that of a product
        let binds = match (before, c) {
            (',', ' ') => Some(0),
            (' ', '+' | '-' | '±' | '∓' | '=') => Some(1),
            ('*', _) | (_, '/') => Some(2),
            // between factors that only a blank parts
            (' ', _)
                if !matches!(earlier, '+' | '-' | '±' | '∓' | '=' | '/' | ',' | ' ')
                    && c != '/' =>
            {
                Some(2)
            }
            _ => None,
        };
        if let Some(binds) = binds.filter(|_| at > 0) {
            let penalty = 3 * depth + binds;
            let late = columns * 2 >= width;
            let better = best.is_none_or(|(least, where_, _)| {
                let best_late = where_ * 2 >= width;
                (late && !best_late) || (late == best_late && penalty <= least)
            });
            if better {
                best = Some((penalty, columns, at));
            }
        }
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        columns += c.width().unwrap_or(0);
        (earlier, before) = (before, c);
    }
    match best {
        Some((_, _, at)) => at,
        None if limit > 0 => limit,
        None => text.chars().next().map_or(text.len(), char::len_utf8),
    }
}

/// A sentence, broken at blanks.
pub fn prose(text: &str, width: usize) -> String {
    let mut page = Page::new(width);
    page.prose(0, text);
    page.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_is_not_cut_at_a_comma_in_brackets() {
        let jacobian = "Jacobian of F = (f, x_I, t)";
        assert_eq!(short(jacobian), jacobian);
        assert_eq!(short("Domain of g: F[N], around the start"), "Domain of g");
        assert_eq!(short("Forces (R), by body"), "Forces (R)");
    }

    #[test]
    fn an_expression_breaks_where_its_operators_bind_least() {
        let text = "(a + b)*c - (m*x1*x1'' - m*x2*x1'' - m*x2*x2'')/(x1 - x2) + m*g";
        assert_eq!(
            broken(text, 40, 40),
            [
                "(a + b)*c - (m*x1*x1'' - m*x2*x1''",
                "- m*x2*x2'')/(x1 - x2) + m*g"
            ]
        );
        assert_eq!(broken("a + b", 2, 2).len(), 1);
    }

    #[test]
    fn nothing_is_lost_and_no_line_is_too_long() {
        let words =
            "x1'' + 12*lambda_product*(x1 - x2)^2/sqrt(c2^2 - 4*c1/x3) - atan2(y, x)*f".repeat(9);
        for text in [words, "é".repeat(200), "a".repeat(200), "(".repeat(200)] {
            for width in [10, 17, 40, 79] {
                let lines = broken(&text, width, width + 3);
                assert!(lines.iter().all(|line| line.width() <= width + 3));
                let bare = |text: &str| text.replace(' ', "");
                assert_eq!(bare(&lines.concat()), bare(&text));
            }
        }
    }

    #[test]
    fn a_long_expression_is_folded_whole_and_says_so() {
        let mut page = Page::new(60);
        page.expression(2, "L = ", "m*x1'^2/2 + ".repeat(100).as_str(), "");
        let text = page.finish();
        assert_eq!(text.lines().count(), 1);
        assert!(
            text.starts_with("  L = ... ") && text.ends_with(" lines (--json has them)\n"),
            "{text}"
        );
    }

    #[test]
    fn prose_breaks_at_blanks() {
        let mut page = Page::new(40);
        page.prose(2, &"word ".repeat(20));
        let text = page.finish();
        assert!(text.lines().all(|line| line.len() <= 40));
        assert_eq!(text.matches("word").count(), 20);
    }
}
