//! The Theorem pane: Jacobian, determinant, distance to failure, inverse functions.
//!
//! ```text
//! J = ∂f/∂x      x1        x2
//!   wire      -2 x1         1
//!        =   1.3996    1.0000   rank 1 of 1
//! det J[x1] = -2 x1 = 1.3996  condition 1.0
//!   det / largest  ███████████░░░░░  0.700
//!   fails on x1 = 0, at (0, 0)
//!   x1 = √(x2 - y_wire)    where x1 > 0
//! > x1 = -√(x2 - y_wire)   where x1 < 0
//! ```

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::matrix::Matrix;
use super::sentence::at_length;
use super::verdict::{because, equation, factor, let_go, names, no_constraints, point};
use super::words;
use crate::analysis::{Analysis, PointAnalysis, Solvable, size_of};
use crate::expr::Style as Written;
use crate::plot;
use crate::report::{
    analysis_notes, failure_gist, joined, proven_sides, rank_words, solvable_words, turn_brief,
    zero,
};
use crate::theorem::{FailureKind, Points, Scope, Whereabouts};
use crate::workbench::formulas::Printed;
use crate::workbench::nearest::{self, Failure};
use crate::workbench::state::State;
use crate::workbench::text::{columns, left, number, right, short, wrap};
use crate::workbench::theme::Theme;

/// Longest bar.
const BAR: usize = 24;
/// Nearer than this the bar warns.
const NEAR: f64 = 0.1;
/// At most this many choices of dependent coordinates, sides of N, or points, are listed.
const LISTED: usize = 6;

/// All lines of the pane at this width.
pub fn lines(state: &State, width: usize) -> Vec<Line<'static>> {
    let Some(analysis) = &state.analysis else {
        return Vec::new();
    };
    let mut page = Page {
        analysis,
        functions: &state.functions,
        look: state.look.as_ref(),
        nearest: nearest::shown(state),
        theme: state.theme,
        width,
        lines: Vec::new(),
    };
    if analysis.constraints().is_empty() {
        // of velocity constraints the notes tell
        let none = no_constraints(analysis);
        page.write(&format!("{none}: nothing to solve for"), page.theme.dim());
    } else {
        if let Some(parts) = let_go(state, analysis) {
            page.write(&at_length(&parts), page.theme.strong());
        }
        let matrix = Matrix::new(&page);
        let rank_shown = matrix.fits(&page) && matrix.write(&mut page);
        if !matrix.fits(&page) {
            page.write("J = ∂f/∂x is listed at the end", page.theme.dim());
        }
        page.determinant(rank_shown);
        page.distance();
        page.proven();
        page.failures();
        if analysis.underway.is_some() {
            page.write("where it fails: not yet looked for", page.theme.dim());
        }
        page.branches();
        page.choices();
        // what is long comes last
        if !matrix.fits(&page) {
            matrix.list(&mut page);
        }
    }
    let stopped = because(analysis).filter(|_| !analysis.motion.finished);
    let notes = analysis_notes(analysis).into_iter().map(|note| note.text);
    for note in notes.chain(stopped) {
        page.write(&note, page.theme.dim());
    }
    page.lines
}

/// What is written, and on what.
pub(super) struct Page<'a> {
    pub analysis: &'a Analysis,
    pub functions: &'a [Printed],
    pub look: Option<&'a PointAnalysis>,
    pub nearest: Option<&'a Failure>,
    pub theme: Theme,
    pub width: usize,
    pub lines: Vec<Line<'static>>,
}

/// `nearest 0.518 at (1, 0)`: one that is not proven to be the nearest is a failure.
fn next(near: &Failure) -> String {
    let how = if near.is_nearest {
        "nearest"
    } else {
        "a failure"
    };
    let at = if near.point.len() <= LISTED {
        format!(" at {}", point(&zero::near(&near.point, near.distance)))
    } else {
        " away".to_owned()
    };
    format!("{how} {}{at}", short(near.distance))
}

impl Page<'_> {
    /// Text from elsewhere, as this terminal may show it.
    pub fn say(&self, text: &str) -> String {
        words(self.theme, text)
    }

    /// A paragraph.
    fn write(&mut self, text: &str, style: Style) {
        let lines = wrap(&self.say(text), self.width).into_iter();
        self.lines
            .extend(lines.map(|line| Line::styled(line, style)));
    }

    /// A paragraph, indented.
    fn item(&mut self, text: &str, style: Style) {
        for line in wrap(&self.say(text), self.width.saturating_sub(2)) {
            self.lines.push(Line::styled(format!("  {line}"), style));
        }
    }

    /// `rank 1 of 1`, and its style.
    pub fn rank(&self) -> Option<(String, Style)> {
        let look = self.look?;
        let full = self.analysis.constraints().len();
        let style = if look.verdict.rank() == Some(full) {
            self.theme.dim()
        } else {
            self.theme.fails()
        };
        Some((rank_words(&look.verdict, full), style))
    }

    /// Whether the determinant is the same number everywhere.
    fn constant(&self) -> bool {
        let symbols = self.analysis.determinant.as_ref();
        symbols.is_some_and(|symbols| symbols.parse::<f64>().is_ok())
    }

    /// Whether there is no failure to be far from.
    fn fails_nowhere(&self) -> bool {
        self.analysis.singular.is_empty() && self.constant()
    }

    /// `det J[x1] = -2 x1 = 1.3996  condition 1.0`; the rank too where the matrix had no room for it.
    fn determinant(&mut self, rank_shown: bool) {
        let mut text = format!("det J[{}]", names(self.analysis, &self.analysis.dependent));
        if let Some(symbols) = &self.analysis.determinant {
            text.push_str(" = ");
            text.push_str(symbols);
        }
        let text = self.say(&text);
        let holds = self.look.is_none_or(|look| look.verdict.holds());
        let style = if holds {
            self.theme.strong()
        } else {
            self.theme.fails()
        };
        let value = match self.look.filter(|_| !self.constant()) {
            // zero to rounding is zero
            Some(look)
                if look
                    .kind()
                    .is_some_and(|kind| kind != FailureKind::Smoothness) =>
            {
                " = 0".to_owned()
            }
            Some(look) => self.say(&format!(" = {}", number(look.verdict.determinant))),
            None => String::new(),
        };
        let condition = self
            .look
            .map_or(String::new(), |look| match look.verdict.condition {
                Some(condition) if condition < 100.0 => format!("condition {condition:.1}"),
                Some(condition) => format!("condition {condition:.0e}"),
                None => self.say("condition ∞"),
            });
        let dim = self.theme.dim();
        let rank = self.rank().filter(|_| !rank_shown);
        let mut used = columns(&text) + columns(&value);
        if used > self.width {
            self.lines
                .extend(wrap(&text, self.width).into_iter().map(Line::raw));
            self.lines.push(Line::styled(format!(" {value}"), style));
            used = self.width;
        } else {
            self.lines.push(Line::from(vec![
                Span::raw(text),
                Span::styled(value, style),
            ]));
        }
        if rank.is_none() && used + 2 + columns(&condition) <= self.width {
            if let Some(line) = self.lines.last_mut() {
                line.push_span(Span::styled(right(&condition, self.width - used), dim));
            }
            return;
        }
        let mut spans = vec![Span::raw("  ")];
        if let Some((rank, style)) = rank {
            spans.push(Span::styled(rank, style));
            spans.push(Span::raw("   "));
        }
        spans.push(Span::styled(condition, dim));
        self.lines.push(Line::from(spans));
    }

    /// A bar: |det J_D| in parts of the largest that it could be, sqrt(det J J^T), which is 0 where the choice fails and 1 where it is the best that there can be.
    fn distance(&mut self) {
        let Some(distance) = self.look.and_then(|look| look.verdict.quality) else {
            return;
        };
        if self.fails_nowhere() {
            return;
        }
        let label = "  det / largest  ";
        let room = self.width.saturating_sub(label.len() + 8).min(BAR);
        let style = if distance >= NEAR {
            self.theme.holds()
        } else if self.theme.coloured() {
            self.theme.fails()
        } else {
            // reversed, an empty bar would look full
            self.theme.strong()
        };
        self.lines.push(Line::from(vec![
            Span::raw(label),
            Span::styled(plot::bar(distance, room, self.theme.charset), style),
            Span::raw(format!("  {distance:.3}")),
        ]));
    }

    /// The neighbourhood on which the dependent coordinates are proven to be functions of the others.
    fn proven(&mut self) {
        let Some(n) = self.look.and_then(|look| look.neighbourhood.as_ref()) else {
            return;
        };
        let sides = proven_sides(&self.analysis.shown, n);
        let sides = sides.iter();
        let sides = sides.map(|side| side.replace("<=", "≤").replace(">=", "≥"));
        let sides: Vec<String> = sides.collect();
        let text = if sides.is_empty() {
            "N, proven: the whole region examined".to_owned()
        } else {
            let more = if sides.len() > LISTED { ", …" } else { "" };
            format!("N, proven: {}{more}", joined(sides.iter().take(LISTED)))
        };
        self.item(&text, self.theme.dim());
    }

    /// Why it fails now, and where it can fail.
    fn failures(&mut self) {
        if let Some(look) = self.look.filter(|look| !look.verdict.holds()) {
            if let Some(failure) = &look.verdict.failure {
                let analysis = self.analysis;
                let why = failure_gist(
                    analysis.model(),
                    &analysis.dependent,
                    failure,
                    Written::Pretty,
                );
                self.item(&format!("{why}."), self.theme.fails());
            }
            if let Some(turn) = look.turn() {
                self.item(turn_brief(turn), Style::new());
            }
        }
        let analysis = self.analysis;
        let met = |place: &Whereabouts| !matches!(place, Whereabouts::Nowhere(..));
        for singular in analysis.singular.iter().filter(|s| met(&s.found.place)) {
            if singular.factor.is_none() {
                self.item("fails everywhere", Style::new());
                continue;
            }
            let mut text = format!("fails on {}", equation(analysis, singular));
            let own = self
                .nearest
                .filter(|near| near.factor == analysis.factor(singular));
            if let Some(near) = own {
                text = format!("{text}, {}", next(near));
            } else if let Whereabouts::Points(Points { list, .. }) = &singular.found.place
                && !list.is_empty()
            {
                let start = analysis.motion.samples.first();
                let size = start.map_or(1.0, |start| size_of(&start.x));
                let shown = list.iter().take(LISTED);
                let shown = shown.map(|p| point(&zero::near(&p.x, size)));
                let more = if list.len() > LISTED { ", …" } else { "" };
                let shown = joined(shown);
                let time = analysis.searched_at.map(|t| format!(", t {}", number(t)));
                let time = time.unwrap_or_default();
                text = format!("{text}, at {shown}{more}{time}");
            }
            self.item(&text, Style::new());
        }
        let told = |near: &Failure| {
            let mut met = analysis.singular.iter().filter(|s| met(&s.found.place));
            met.any(|singular| analysis.factor(singular) == near.factor)
        };
        if let Some(near) = self.nearest.filter(|near| !told(near)) {
            self.item(&format!("fails {}", next(near)), Style::new());
        }
        for singular in analysis.singular.iter().filter(|s| !met(&s.found.place)) {
            let own = factor(analysis, singular);
            let searched = matches!(singular.found.place, Whereabouts::Nowhere(_, Scope::Box));
            let near = if searched { " near here" } else { "" };
            // it may be zero at another time
            let time = analysis.searched_at.map(|t| format!("at t {} ", number(t)));
            let time = time.unwrap_or_default();
            let text = format!("{time}{own} is nowhere zero on the constraints{near}");
            self.item(&text, self.theme.dim());
        }
        if self.fails_nowhere() {
            self.item("det vanishes nowhere", self.theme.dim());
        }
    }

    /// The inverse functions; the branch in force is marked.
    fn branches(&mut self) {
        let analysis = self.analysis;
        if self.functions.is_empty() {
            let whom = names(analysis, &analysis.dependent);
            self.item(
                &format!("{whom}: by Newton's method, no closed form"),
                self.theme.dim(),
            );
            return;
        }
        let all = self.functions.iter();
        let texts: Vec<String> = all.map(|f| self.say(&f.line)).collect();
        // a formula longer than the pane goes on below, and no other is filled up to its length
        let room = self.width.saturating_sub(2);
        let lengths = texts.iter().map(|text| columns(text));
        let longest = lengths.filter(|length| *length <= room).max().unwrap_or(0);
        let mut lines = Vec::new();
        let mut branch = 0;
        for (f, text) in self.functions.iter().zip(&texts) {
            branch += usize::from(f.begins);
            let chosen = self.look.and_then(|look| look.branch) == branch.checked_sub(1);
            let style = if chosen {
                self.theme.strong()
            } else {
                self.theme.dim()
            };
            let mark = if chosen && f.begins { "> " } else { "  " };
            let is_short = columns(text) <= room;
            let parts = if is_short {
                vec![left(text, longest)]
            } else {
                wrap(text, room.saturating_sub(2))
            };
            lines.extend(parts.into_iter().enumerate().map(|(i, part)| {
                let before = if i == 0 { mark } else { "    " };
                Line::styled(format!("{before}{part}"), style)
            }));
            let Some(condition) = &f.condition else {
                continue;
            };
            let condition = self.say(&format!("  {condition}"));
            let fits = is_short && longest + columns(&condition) <= room;
            if let Some(line) = lines.last_mut().filter(|_| fits) {
                line.push_span(condition);
            } else {
                let parts = wrap(condition.trim_start(), room.saturating_sub(2));
                lines.extend(
                    parts
                        .into_iter()
                        .map(|p| Line::styled(format!("    {p}"), style)),
                );
            }
        }
        self.lines.extend(lines);
    }

    /// Other choices of dependent coordinates.
    fn choices(&mut self) {
        let Some(look) = self.look else { return };
        let own = &self.analysis.dependent;
        let mut others: Vec<&Vec<usize>> = look
            .alternatives
            .iter()
            .filter(|choice| *choice != own)
            .collect();
        if others.is_empty() {
            if look.kind() == Some(FailureKind::Rank) {
                self.write("no other choice works here", Style::new());
            }
            return;
        }
        // in the order of the file: that of their worth changes from place to place
        others.sort_unstable();
        let list = others.iter().take(LISTED).map(|choice| {
            let named = match own.len() {
                1 => names(self.analysis, choice),
                _ => format!("({})", names(self.analysis, choice)),
            };
            // a choice that is no harder than linear may trivialize the rest
            match self.analysis.solvable(choice) {
                Some(Solvable::Numeric) => format!("{named} (no closed form; Newton's method)"),
                Some(kind) => format!("{named} {}", solvable_words(kind)),
                None => named,
            }
        });
        let list = joined(list);
        let verb = if look.verdict.holds() {
            "also works"
        } else {
            "works instead"
        };
        let more = if others.len() > LISTED { ", …" } else { "" };
        self.write(&format!("{verb}: {list}{more}"), Style::new());
    }
}
