//! Lists and questions over the panes.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Widget};

use super::{help, lists, span, words};
use crate::workbench::document::Source;
use crate::workbench::journal::Kept;
use crate::workbench::palette;
use crate::workbench::state::{Dialog, Entry, State, Then};
use crate::workbench::text::{columns, cut};

/// Draws the dialog that is open, if one is.
pub fn draw(state: &State, frame: &mut Frame) {
    match &state.dialog {
        None => {}
        Some(Dialog::Help { scroll }) => help::draw(state, *scroll, frame),
        Some(Dialog::Systems { entries, chosen }) => systems(state, entries, *chosen, frame),
        Some(Dialog::Parameters { chosen }) => lists::parameters(state, *chosen, frame),
        Some(Dialog::Problems { chosen }) => lists::problem_list(state, *chosen, frame),
        Some(Dialog::Methods { scroll }) => lists::methods(state, *scroll, frame),
        Some(Dialog::Columns { chosen }) => choose_columns(state, *chosen, frame),
        Some(Dialog::Name { text, cursor, .. }) => {
            name(state, ("Save as", text), *cursor, frame);
        }
        Some(Dialog::Export { text, cursor }) => {
            let title = "Write the plot to a file: .svg .csv .json .txt";
            name(state, (title, text), *cursor, frame);
        }
        Some(Dialog::Replace { path, .. }) => {
            let line = format!("{} exists.", path.to_string_lossy());
            let lines = vec![line, "Overwrite it?".to_owned()];
            question(state, "Overwrite", &lines, frame);
        }
        Some(Dialog::Leave { then }) => {
            let what = match then {
                Then::Quit => "Leave without saving?",
                Then::Stay | Then::Open(_) => "Go on without saving?",
            };
            let lines = vec![
                format!("{} has unsaved changes.", state.document.name()),
                what.to_owned(),
            ];
            question(state, "Unsaved", &lines, frame);
        }
        Some(Dialog::Palette {
            text,
            cursor,
            chosen,
        }) => palette(state, (text, *cursor), *chosen, frame),
        Some(Dialog::Recover { kept }) => recover(state, kept, frame),
        Some(Dialog::Disk { .. }) => {
            let name = state.document.name();
            let unsaved = if state.modified {
                "The text here has unsaved changes of its own."
            } else {
                "The text here is what it held before."
            };
            let lines = vec![
                format!("{name} was changed by another program."),
                unsaved.to_owned(),
            ];
            question(state, "Changed", &lines, frame);
        }
        Some(Dialog::Overwrite { path, changed, .. }) => {
            let name = path.to_string_lossy();
            let line = if *changed {
                format!("{name} has been changed by another program since it was read.")
            } else {
                format!("{name} exists.")
            };
            let lines = vec![line, "Overwrite it?".to_owned()];
            question(state, "Overwrite", &lines, frame);
        }
    }
}

/// A box in the middle of the screen; what is inside it.
pub(super) fn open(
    state: &State,
    title: &str,
    (width, height): (u16, u16),
    frame: &mut Frame,
) -> Rect {
    let area = frame.area();
    let width = width.saturating_add(2).min(area.width);
    let height = height.saturating_add(2).min(area.height.saturating_sub(1));
    let rect = Rect::new(
        (area.width - width) / 2,
        (area.height.saturating_sub(height)) / 3,
        width,
        height,
    );
    open_at(state, title, rect, frame)
}

/// A box at a place of the screen; what is inside it.
pub(super) fn open_at(state: &State, title: &str, rect: Rect, frame: &mut Frame) -> Rect {
    Clear.render(rect, frame.buffer_mut());
    let block = Block::bordered()
        .border_set(state.theme.border(true))
        .border_style(state.theme.accent())
        .title(Span::styled(format!(" {title} "), state.theme.accent()));
    let inner = block.inner(rect);
    block.render(rect, frame.buffer_mut());
    inner
}

/// Words, and the answers in the footer and below them.
fn question(state: &State, title: &str, lines: &[String], frame: &mut Frame) {
    let lines: Vec<String> = lines.iter().map(|line| words(state.theme, line)).collect();
    let answers = crate::workbench::action::footer(state.context());
    let mut last = Vec::new();
    for (keys, title) in answers {
        last.push(Span::styled(
            words(state.theme, &keys),
            state.theme.accent(),
        ));
        last.push(Span::raw(format!(" {title}   ")));
    }
    let last = Line::from(last);
    let width = lines
        .iter()
        .map(|line| columns(line))
        .max()
        .unwrap_or(0)
        .max(last.width());
    let inner = open(
        state,
        title,
        (width as u16 + 2, lines.len() as u16 + 2),
        frame,
    );
    let mut row = Rect {
        x: inner.x + 1,
        width: inner.width.saturating_sub(2),
        height: 1,
        ..inner
    };
    for line in lines
        .into_iter()
        .map(Line::raw)
        .chain([Line::raw(""), last])
    {
        if row.y < inner.bottom() {
            line.render(row, frame.buffer_mut());
        }
        row.y += 1;
    }
}

/// Lines of which one is chosen, that one always in view.
pub(super) fn list(state: &State, lines: &[String], chosen: usize, area: Rect, frame: &mut Frame) {
    let rows = usize::from(area.height);
    let top = (chosen + 1).saturating_sub(rows);
    let width = usize::from(area.width);
    for (y, (at, line)) in (area.y..area.bottom()).zip(lines.iter().enumerate().skip(top)) {
        let mut text = cut(line, width);
        text.push_str(&" ".repeat(width.saturating_sub(columns(&text))));
        let style = if at == chosen {
            state.theme.chosen()
        } else {
            ratatui::style::Style::new()
        };
        Line::styled(text, style).render(
            Rect {
                y,
                height: 1,
                ..area
            },
            frame.buffer_mut(),
        );
    }
}

fn systems(state: &State, entries: &[Entry], chosen: usize, frame: &mut Frame) {
    let longest = entries
        .iter()
        .map(|entry| columns(&entry.name))
        .max()
        .unwrap_or(0)
        .min(30);
    let lines: Vec<String> = entries
        .iter()
        .map(|entry| {
            let name = cut(&words(state.theme, &entry.name), longest);
            let blanks = " ".repeat(longest - columns(&name));
            format!(" {name}{blanks}  {}", words(state.theme, &entry.title))
        })
        .collect();
    let about = entries.get(chosen).map(|entry| match &entry.source {
        Source::BuiltIn(_) => format!(" built in: {}", entry.about),
        Source::File(_) if entry.about.is_empty() => " a file of this folder".to_owned(),
        Source::File(_) => format!(" a file of this folder: {}", entry.about),
        Source::Input | Source::New => String::new(),
    });
    let about = words(state.theme, &about.unwrap_or_default());
    let widths = lines
        .iter()
        .map(|line| columns(line))
        .chain([columns(&about), 60]);
    let width = widths.max().unwrap_or(0) + 1;
    let rows = lines.len().min(usize::from(frame.area().height)) as u16;
    let inner = open(state, "Open", (width.min(100) as u16, rows + 2), frame);
    let rows = inner.height.saturating_sub(2);
    list(
        state,
        &lines,
        chosen,
        Rect {
            height: rows,
            ..inner
        },
        frame,
    );
    if inner.height > 2 {
        let last = Rect {
            y: inner.bottom() - 1,
            height: 1,
            ..inner
        };
        Line::styled(cut(&about, usize::from(inner.width)), state.theme.dim())
            .render(last, frame.buffer_mut());
    }
}

fn choose_columns(state: &State, chosen: usize, frame: &mut Frame) {
    let Some((analysis, view)) = state.analysis.as_ref().zip(state.plots.view()) else {
        return;
    };
    let lines: Vec<String> = analysis
        .columns()
        .iter()
        .map(|name| {
            let y = if view.y.contains(name) { "y" } else { " " };
            let x = if view.x == *name { "x" } else { " " };
            format!(" {y} {x}  {}", words(state.theme, name))
        })
        .collect();
    let width = lines
        .iter()
        .map(|line| columns(line))
        .max()
        .unwrap_or(0)
        .max(18)
        + 1;
    let rows = lines.len().min(usize::from(frame.area().height)) as u16;
    let inner = open(state, "Columns", (width as u16, rows), frame);
    list(state, &lines, chosen, inner, frame);
}

/// A line to type into, and the actions that match it with their keys.
fn palette(state: &State, (text, cursor): (&str, usize), chosen: usize, frame: &mut Frame) {
    let offers = palette::found(text, state.editing);
    let keys: Vec<String> = offers
        .iter()
        .map(|offer| words(state.theme, &offer.keys.join("  ")))
        .collect();
    let inner = open(state, "Commands", (76, frame.area().height / 2), frame);
    if inner.height < 2 || inner.width < 4 {
        return;
    }
    let width = usize::from(inner.width);
    let lines: Vec<String> = offers
        .iter()
        .zip(&keys)
        .map(|(offer, keys)| {
            let keys = cut(keys, width / 3);
            let room = width.saturating_sub(columns(&keys) + 3);
            let said = cut(&words(state.theme, offer.words), room);
            let blanks = " ".repeat(room.saturating_sub(columns(&said)));
            format!(" {said}{blanks} {keys} ")
        })
        .collect();
    let below = Rect {
        y: inner.y + 1,
        height: inner.height - 1,
        ..inner
    };
    if lines.is_empty() {
        let line = Line::styled(" nothing is called that", state.theme.dim());
        line.render(Rect { height: 1, ..below }, frame.buffer_mut());
    }
    list(state, &lines, chosen, below, frame);
    typed(state, (text, cursor), inner, frame);
}

fn recover(state: &State, kept: &Kept, frame: &mut Frame) {
    let age = match kept.age.map(|age| age.as_secs()) {
        None => String::new(),
        Some(seconds @ 0..120) => format!(", typed {seconds} s ago"),
        Some(seconds @ 120..7200) => format!(", typed {} min ago", seconds / 60),
        Some(seconds @ 7200..172_800) => format!(", typed {} hours ago", seconds / 3600),
        Some(seconds) => format!(", typed {} days ago", seconds / 86400),
    };
    let old: Vec<&str> = kept.text.lines().collect();
    let new: Vec<&str> = state.editor.lines().iter().map(String::as_str).collect();
    let differs = |(a, b): (&&str, &&str)| a != b;
    let first = old.iter().zip(&new).position(differs);
    let first = first.unwrap_or(old.len().min(new.len()));
    let line = old.get(first).copied().unwrap_or_default();
    let said = format!(
        "{} has unsaved text of an earlier session{age}.",
        state.document.name()
    );
    let where_ = format!("It differs from line {} on: {line}", first + 1);
    let room = usize::from(frame.area().width).saturating_sub(6);
    let lines = vec![said, cut(&words(state.theme, &where_), room.min(70))];
    question(state, "Recovered", &lines, frame);
}

fn name(state: &State, (title, text): (&str, &str), cursor: usize, frame: &mut Frame) {
    let inner = open(state, title, (60, 1), frame);
    typed(state, (text, cursor), inner, frame);
}

/// The line that is typed into, with the cursor.
fn typed(state: &State, (text, cursor): (&str, usize), inner: Rect, frame: &mut Frame) {
    if inner.height == 0 || inner.width < 4 {
        return;
    }
    let width = usize::from(inner.width) - 2;
    let before: String = text.chars().take(cursor).collect();
    // the cursor is always in view
    let skip = (columns(&before) + 1).saturating_sub(width);
    let shown: String = text.chars().skip(skip).collect();
    let line = Line::from(vec![
        Span::raw(" "),
        span(state.theme, &cut(&shown, width), state.theme.strong()),
    ]);
    line.render(Rect { height: 1, ..inner }, frame.buffer_mut());
    let x = inner.x + 1 + columns(&before).saturating_sub(skip).min(width) as u16;
    frame.set_cursor_position((x, inner.y));
}
