//! The workbench in lines, for a screen reader and for terminals that can only write one line after the other: what
//! has changed since the last key is said, and nothing twice.
//!
//! ```text
//! bead_on_parabola  built in  t 1.200 / 10  paused
//! HOLDS for x1 near (-0.999, 0.998)  fails at t 1.7848 (x1 = 0); x2 carries on
//! Theorem:
//! det J[x1] = -2 x1 = 1.9985  condition 1.0
//! ```
//!
//! The keys, their actions and the state are those of the screen; only what is drawn there is told here.

use std::rc::Rc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::dialog::Dialog;
use super::layout::Pane;
use super::map::{DrawnMap, Wanted};
use super::screen;
use super::state::State;
use super::text::{columns, plain, wrap};
use super::view::{self, words};
use crate::report::linked;

/// Columns and rows of what is told: nothing has to be cut to a screen.
pub const SIZE: (u16, u16) = (100, 60);

/// What a state says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Telling {
    /// Document and time.
    head: String,
    /// The sign of the verdict, and all of it.
    sign: String,
    verdict: String,
    /// What is looked at, and its lines.
    place: String,
    lines: Vec<String>,
    /// The line of them that is chosen, or that the cursor is in, and the column.
    chosen: Option<(usize, String)>,
    column: usize,
    remark: String,
    keys: String,
}

/// Blanks in a row are one or two, whatever they lined up.
fn close(text: &str) -> String {
    // a bar says what the number beside it says
    let is_bar = |piece: &str| piece.len() > 3 && piece.chars().all(|c| c == '#' || c == '-');
    let pieces = text
        .split("  ")
        .map(str::trim)
        .filter(|piece| !piece.is_empty() && !is_bar(piece));
    plain(&linked("  ", pieces))
}

/// One row as it is drawn.
fn row(draw: impl FnOnce(Rect, &mut Buffer)) -> String {
    let area = Rect::new(0, 0, 2 * SIZE.0, 1);
    let mut buffer = Buffer::empty(area);
    draw(area, &mut buffer);
    close(&screen::text(&buffer))
}

/// Said at the beginning, behind what may be long.
const GREETING: &str = "holonom, line mode. Tab: next pane, : commands, ?: help, q: quit";

fn told(lines: &[Line<'_>]) -> Vec<String> {
    let lines = lines.iter().map(|line| close(&line.to_string()));
    lines.filter(|line| !line.is_empty()).collect()
}

/// What is inside of what is drawn over the panes.
fn inside(draw: impl FnOnce(&mut ratatui::Frame)) -> Vec<String> {
    let text = screen::text(&screen::of_size(SIZE, draw));
    let lines = text
        .lines()
        .map(|line| line.trim().trim_matches(['#', '|']));
    let lines = lines.filter(|line| !line.starts_with('+'));
    let mut is_cut = false;
    let mut told: Vec<String> = Vec::new();
    for line in lines {
        // the signs that there is more stand at the right, and are no words of the line
        let line = line.trim_end();
        let whole = line.strip_suffix(['↑', '↓']).unwrap_or(line);
        is_cut |= line.ends_with('↓');
        told.push(close(whole));
    }
    told.retain(|line| !line.is_empty());
    told.extend(is_cut.then(|| "(there is more below)".to_owned()));
    told
}

impl Telling {
    fn of(state: &State) -> Self {
        let sentence = row(|area, buffer| view::verdict::draw(state, area, buffer));
        let mut told = Self {
            head: row(|area, buffer| view::bars::header(state, area, buffer)),
            sign: sentence.split(' ').next().unwrap_or_default().to_owned(),
            verdict: sentence,
            remark: state
                .notice
                .as_ref()
                .map_or(String::new(), |notice| words(state.theme, &notice.text)),
            ..Self::default()
        };
        told.look(state);
        if state.notice.is_none() {
            told.keys = row(|area, buffer| view::bars::footer(state, area, buffer));
            // a question has its answers in its box too
            told.lines.retain(|line| *line != told.keys);
        }
        told
    }

    /// Where one is, its lines, and what is chosen of them.
    fn looked_at(&self) -> impl PartialEq + '_ {
        (&self.place, &self.lines, &self.chosen, self.column)
    }

    /// What is looked at.
    fn look(&mut self, state: &State) {
        let width = usize::from(SIZE.0);
        if let Some(dialog) = &state.dialog {
            self.place = format!("{:?}", dialog.context());
            let listing = dialog.listing(state, Rect::new(0, 0, SIZE.0, SIZE.1));
            self.lines = match dialog {
                // without their pictures
                Dialog::Range(_) => view::range::said(state),
                Dialog::Equilibria(list) => {
                    let lines = listing.iter().flat_map(|listing| &listing.lines);
                    let lines = lines.map(|line| close(line));
                    let said = view::equilibria::said(state, list.chosen);
                    lines.chain(said).collect()
                }
                _ => inside(|frame| dialog.draw(state, frame)),
            };
            self.chosen = listing.and_then(|listing| {
                let line = listing.lines.get(listing.chosen)?;
                Some((listing.chosen, close(line)))
            });
            return;
        }
        if state.report.open {
            "Report".clone_into(&mut self.place);
            self.lines = inside(|frame| view::report::draw(state, frame.buffer_mut()));
            return;
        }
        state.focus.title().clone_into(&mut self.place);
        self.lines = match state.focus {
            Pane::System => {
                let lines = state.editor.lines().iter().zip(1..);
                lines
                    .map(|(line, n)| words(state.theme, &format!("{n} {line}")))
                    .collect()
            }
            Pane::Theorem => told(&view::theorem::lines(state, width)),
            Pane::Equations => told(&view::equations::lines(state, width)),
            Pane::Plot if state.map.shown => view::map::said(state),
            Pane::Plot => view::plot::said(state),
            Pane::Picture => view::picture::said(state),
        };
        if state.focus == Pane::System {
            let inner = Rect::new(0, 0, SIZE.0, SIZE.1);
            self.lines.extend(state.complaint(inner));
            if state.editing {
                self.place.push_str(", editing");
                let cursor = state.editor.cursor();
                let line = self.lines.get(cursor.line).cloned().unwrap_or_default();
                self.chosen = Some((cursor.line, line));
                self.column = cursor.column;
            }
        }
        for line in &mut self.lines {
            *line = plain(line);
        }
    }
}

/// What was said last.
#[derive(Default)]
pub struct Said {
    last: Telling,
    /// All that there was to tell when something was said last, and when that was: while the motion plays, what differs from it
    /// at that time is not of the playing.
    still: (Telling, Moment),
    /// The line that the cursor of the terminal stands behind.
    open: String,
}

/// What moves by itself: the time shown, and the map of a set that moves with it.
#[derive(Default)]
struct Moment {
    t: f64,
    map: Option<(Wanted, Rc<DrawnMap>)>,
}

impl Moment {
    fn of(state: &State) -> Self {
        Self {
            t: state.playhead.t,
            map: state.map.drawn.found.clone(),
        }
    }

    /// The state, put back to it.
    fn in_place(&self, state: &State) -> State {
        let mut then = state.clone();
        if let Some(analysis) = &state.analysis {
            then.playhead.go(&analysis.motion, self.t);
            if analysis.model().rheonomic() {
                then.map.drawn.found.clone_from(&self.map);
            }
        }
        then.look_again();
        then
    }
}

impl Said {
    /// Everything is said anew.
    pub fn forget(&mut self) {
        self.last = Telling::default();
    }

    /// What is to be written now, in so many columns, a line break before each line: the last one stays open, and what is
    /// typed at its end is written there.
    pub fn say(&mut self, state: &State, width: usize) -> String {
        let now = self.heard(state);
        let mut lines = self.news(&now);
        if self.last == Telling::default() {
            lines.push(GREETING.to_owned());
        }
        let mut out = String::new();
        if let [line] = lines.as_slice()
            && let Some(more) = line.strip_prefix(&self.open)
            && !self.open.is_empty()
            && columns(line) <= width
        {
            out.push_str(more);
            self.open.clone_from(line);
            lines.clear();
        }
        for line in lines.iter().flat_map(|line| wrap(line, width)) {
            out.push_str("\r\n");
            out.push_str(&line);
            self.open = line;
        }
        self.last = now;
        out
    }

    /// What there is to tell; what the playing alone has changed is as it was said last, and said when it stands.
    fn heard(&mut self, state: &State) -> Telling {
        let now = Telling::of(state);
        let (still, moment) = &self.still;
        let mut heard = now.clone();
        if state.animated() && self.last != Telling::default() {
            let then = Telling::of(&moment.in_place(state));
            let passes = now.sign == self.last.sign;
            // a motion that is being computed grows
            if passes && (state.pending || then.head == still.head) {
                heard.head.clone_from(&self.last.head);
            }
            if passes && (state.pending || then.verdict == still.verdict) {
                heard.verdict.clone_from(&self.last.verdict);
            }
            if then.looked_at() == still.looked_at() {
                let last = self.last.clone();
                (heard.place, heard.lines) = (last.place, last.lines);
                (heard.chosen, heard.column) = (last.chosen, last.column);
            }
            if then == *still {
                return heard;
            }
        }
        self.still = (now, Moment::of(state));
        heard
    }

    fn news(&self, now: &Telling) -> Vec<String> {
        let last = &self.last;
        let mut news: Vec<String> = Vec::new();
        let mut push = |changed: bool, line: &String| {
            if changed && !line.is_empty() {
                news.push(line.clone());
            }
        };
        push(now.head != last.head, &now.head);
        push(now.verdict != last.verdict, &now.verdict);
        let elsewhere = now.place != last.place;
        push(elsewhere, &format!("{}:", now.place));
        let mut known = last.lines.clone();
        for line in &now.lines {
            match known.iter().position(|old| old == line) {
                Some(at) if !elsewhere => {
                    known.swap_remove(at);
                }
                _ => push(true, line),
            }
        }
        if let Some((at, line)) = &now.chosen {
            let before = last.chosen.as_ref().map(|(at, _)| at);
            let moved = elsewhere || before != Some(at);
            push(moved, &format!("> {line}"));
            let same = !moved && now.lines == last.lines;
            if same && now.column != last.column {
                let (number, text) = line.split_once(' ').unwrap_or_default();
                let rest: String = text.chars().skip(now.column).collect();
                push(
                    true,
                    &format!("> {number}, column {}: {rest}", now.column + 1),
                );
            }
        }
        push(now.remark != last.remark, &now.remark);
        push(elsewhere && now.remark.is_empty(), &now.keys);
        news
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::Charset;
    use crate::workbench::tests::Bench;
    use crate::workbench::theme::{Scheme, Theme};

    fn in_ascii() -> Bench {
        let mut bench = Bench::paused("bead_on_parabola", SIZE, 0.0);
        bench.state.theme = Theme {
            scheme: Scheme::Mono,
            charset: Charset::Ascii,
        };
        bench
    }

    #[test]
    fn a_question_is_said_once() {
        let mut bench = in_ascii();
        bench.keys("e x ctrl-q");
        let text = Said::default().say(&bench.state, 100);
        assert_eq!(text.matches("discard it").count(), 1, "{text}");
    }

    #[test]
    fn lines_are_broken_at_words_and_signs_of_the_frame_are_no_words() {
        let mut bench = in_ascii();
        bench.keys("W");
        let mut said = Said::default();
        let text = said.say(&bench.state, 60);
        assert!(text.lines().all(|line| columns(line) <= 60), "{text}");
        assert!(
            !text.contains(" down\r\n") && text.contains("(there is more below)"),
            "{text}"
        );
        let whole = Said::default().say(&bench.state, 1000);
        let words = |text: &str| linked(" ", text.split_whitespace());
        assert_eq!(words(&text), words(&whole));
    }
}
