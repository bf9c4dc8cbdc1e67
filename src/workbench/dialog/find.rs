//! Looking for a piece of the text, or of the page of the report where that is read: the cursor goes to the first
//! place of it while it is typed, without regard to capitals.

use std::borrow::Cow;
use std::ops::Range;

use ratatui::Frame;
use ratatui::layout::Rect;

use super::list::open_at;
use super::{Dialog, Over, TextLine};
use crate::workbench::action::{Action, Context};
use crate::workbench::editor::TextPosition;
use crate::workbench::layout::Pane;
use crate::workbench::report;
use crate::workbench::state::State;
use crate::workbench::text::plain;

/// A part of the text that is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Find {
    /// What has been typed.
    pub line: TextLine,
    /// Where the search began.
    from: TextPosition,
}

impl Find {
    /// Begins a search.
    pub fn open(state: &mut State) {
        if !state.report.open {
            state.focus = Pane::System;
        }
        state.dialog = Some(Dialog::Find(Self {
            line: TextLine::default(),
            from: here(state),
        }));
    }
}

impl Over for Find {
    fn context(&self) -> Context {
        Context::Find
    }

    fn typed(&mut self, symbols: &str) -> bool {
        self.line.insert(symbols);
        true
    }

    /// Ends the search, back where it began.
    fn close(&mut self, state: &mut State) -> bool {
        go(state, self.from);
        false
    }

    fn act(&mut self, state: &mut State, action: Action) -> bool {
        if action == Action::Accept {
            let text = &self.line.text;
            if !text.is_empty() {
                if next(state, text, TextPosition::default(), true).is_none() {
                    state.note(format!("`{text}` is not found in the text"));
                }
                state.sought.clone_from(text);
            }
            return false;
        }
        let changed = self.line.act(action);
        // what is looked for is what is typed now, and part of the screen is behind it
        state.dialog = Some(Dialog::Find(self.clone()));
        match action {
            Action::ScrollDown | Action::ScrollUp => again(state, action == Action::ScrollDown),
            _ if changed => follow(state),
            _ => {}
        }
        true
    }

    /// Below, where it hides nothing of the text.
    fn draw(&self, state: &State, frame: &mut Frame) {
        let area = frame.area();
        let rows = area.height.saturating_sub(1).min(3);
        let top = area.height.saturating_sub(rows + 1);
        let rect = Rect::new(area.x, top, area.width.min(60), rows);
        let inner = open_at(state, "Find", rect, frame);
        self.line.draw(state, inner, frame);
    }
}

/// Places of a piece in a line, in characters, from left to right; none for an empty piece.
pub fn places(line: &str, piece: &str) -> Vec<usize> {
    // one character stays one, so that places are those of the line
    let fold = |text: &str| -> Vec<char> {
        let lower = |c: char| c.to_lowercase().next().unwrap_or(c);
        text.chars().map(lower).collect()
    };
    let (line, piece) = (fold(line), fold(piece));
    if piece.is_empty() {
        return Vec::new();
    }
    let windows = line.windows(piece.len()).enumerate();
    windows
        .filter(|(_, window)| *window == piece)
        .map(|(at, _)| at)
        .collect()
}

/// Places of a piece in a line that is written as on paper, as they are typed: `lambda_wire` finds λ_wire, `x1'`
/// finds x₁′. Characters of the line, from the first to the one after the last.
pub fn spans(line: &str, piece: &str) -> Vec<Range<usize>> {
    let piece: Vec<char> = plain(piece).to_lowercase().chars().collect();
    // each character as it is typed, and which one it is
    let typed: Vec<(char, usize)> = line
        .chars()
        .enumerate()
        .flat_map(|(at, symbol)| {
            let typed = plain(symbol.encode_utf8(&mut [0; 4])).to_lowercase();
            let typed: Vec<(char, usize)> = typed.chars().map(|c| (c, at)).collect();
            typed
        })
        .collect();
    if piece.is_empty() {
        return Vec::new();
    }
    let windows = typed.windows(piece.len());
    let found = windows.filter(|window| window.iter().map(|(c, _)| c).eq(&piece));
    let ends = found.filter_map(|window| Some((window.first()?.1, window.last()?.1)));
    ends.map(|(first, last)| first..last + 1).collect()
}

/// The piece that is marked in the text: while it is looked for.
pub fn marked(state: &State) -> Option<&str> {
    match &state.dialog {
        Some(Dialog::Find(find)) => Some(&find.line.text),
        _ => None,
    }
}

/// The lines that are looked through.
fn lines(state: &State) -> Cow<'_, [String]> {
    if state.report.open {
        report::lines(state)
    } else {
        Cow::Borrowed(state.editor.lines())
    }
}

/// Where a piece begins in one of them.
fn starts(state: &State, line: &str, piece: &str) -> Vec<usize> {
    if state.report.open {
        spans(line, piece).iter().map(|span| span.start).collect()
    } else {
        places(line, piece)
    }
}

/// Where in them one is.
fn here(state: &State) -> TextPosition {
    if !state.report.open {
        return state.editor.cursor();
    }
    let first = TextPosition::new(state.report.top, 0);
    state.report.found.unwrap_or(first)
}

/// The next place of a piece after another place, or the one before it, round the ends of the text.
fn next(state: &State, piece: &str, from: TextPosition, forward: bool) -> Option<TextPosition> {
    let lines = lines(state);
    let all: Vec<TextPosition> = lines
        .iter()
        .enumerate()
        .flat_map(|(line, text)| {
            let found = starts(state, text, piece).into_iter();
            found.map(move |column| TextPosition { line, column })
        })
        .collect();
    let beside = if forward {
        all.iter().find(|place| **place > from).or(all.first())
    } else {
        all.iter().rev().find(|place| **place < from).or(all.last())
    };
    beside.copied()
}

/// The first place from where the search began, as the piece is typed.
pub(super) fn follow(state: &mut State) {
    let Some(Dialog::Find(find)) = &state.dialog else {
        return;
    };
    let (text, from) = (find.line.text.clone(), find.from);
    let lines = lines(state);
    let line = lines.get(from.line);
    let stays = line.is_some_and(|line| starts(state, line, &text).contains(&from.column));
    let found = if stays {
        Some(from)
    } else {
        next(state, &text, from, true)
    };
    drop(lines);
    go(state, found.unwrap_or(from));
}

/// The next place of what is looked for, or was last, or the place before.
pub fn again(state: &mut State, forward: bool) {
    let piece = marked(state).map_or_else(|| state.sought.clone(), str::to_owned);
    if piece.is_empty() {
        if state.dialog.is_none() {
            Find::open(state);
        }
        return;
    }
    match next(state, &piece, here(state), forward) {
        Some(place) => {
            if state.dialog.is_none() && !state.report.open {
                state.focus = Pane::System;
            }
            go(state, place);
        }
        None => state.note(format!("`{piece}` is not found in the text")),
    }
}

fn go(state: &mut State, place: TextPosition) {
    if state.report.open {
        report::go(state, place);
        return;
    }
    state.editor.go_to(place);
    state.reveal(place);
    state.changed = true;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_the_line() {
        assert_eq!(places("x1 + X1'", "x1"), [0, 5]);
        assert_eq!(places("aaa", "aa"), [0, 1]);
        assert_eq!(places("ÄÖ ä", "ä"), [0, 3]);
        assert!(places("abc", "").is_empty() && places("", "a").is_empty());
    }

    #[test]
    fn what_is_set_as_on_paper_is_found_as_it_is_typed() {
        for (line, piece, found) in [
            ("2 λ_wire x₁ = 0", "lambda_wire", vec![(2, 8)]),
            ("2 λ_wire x₁′ = 0", "x1'", vec![(9, 12)]),
            ("m x₁″ + √(x₁)", "X1", vec![(2, 4), (10, 12)]),
            ("λ λ", "λ", vec![(0, 1), (2, 3)]),
            ("λ", "amb", vec![(0, 1)]),
        ] {
            let spans = spans(line, piece).into_iter();
            let spans: Vec<(usize, usize)> = spans.map(|span| (span.start, span.end)).collect();
            assert_eq!(spans, found, "{piece} in {line}");
        }
        assert!(spans("abc", "").is_empty() && spans("", "a").is_empty());
    }
}
