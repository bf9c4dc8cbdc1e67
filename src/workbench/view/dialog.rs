//! Lists and questions over the panes.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Widget};

use super::{equilibria, help, lists, put, span, words};
use crate::system::shown;
use crate::workbench::chooser;
use crate::workbench::document::Source;
use crate::workbench::export;
use crate::workbench::journal::Kept;
use crate::workbench::palette;
use crate::workbench::state::{Dialog, Entry, State, Subject, Then};
use crate::workbench::text::{columns, cut};

/// Draws the dialog that is open, if one is.
pub fn draw(state: &State, frame: &mut Frame) {
    match &state.dialog {
        None => {}
        Some(Dialog::Help { scroll }) => help::draw(state, *scroll, frame),
        Some(
            Dialog::Systems { .. }
            | Dialog::Parameters { .. }
            | Dialog::Problems { .. }
            | Dialog::Equilibria { .. }
            | Dialog::Columns { .. }
            | Dialog::Palette { .. },
        ) => {
            if let Some(listing) = listing(state, frame.area()) {
                let inner = listing.draw(state, frame);
                beside(state, &listing, inner, frame);
            }
        }
        Some(Dialog::Methods { scroll }) => lists::methods(state, *scroll, frame),
        Some(Dialog::Name {
            text,
            cursor,
            suggested,
            ..
        }) => {
            name(state, ("Save as", text), *cursor, frame);
            if *suggested {
                chosen(state, text, frame);
            }
        }
        Some(Dialog::Export { what, text, cursor }) => {
            let title = match what {
                Subject::Plot if state.map.shown => "Write the map to a file: .svg .csv .json .txt",
                Subject::Plot => "Write the plot to a file: .svg .csv .json .txt",
                Subject::Screen => "Write the screen to a file: .svg .txt",
                Subject::Page => &export::page_title(state),
            };
            name(state, (title, text), *cursor, frame);
        }
        Some(Dialog::Find { text, cursor, .. }) => {
            // below, where it hides nothing of the text
            let area = frame.area();
            let rows = area.height.saturating_sub(1).min(3);
            let rect = Rect {
                y: area.height.saturating_sub(rows + 1),
                height: rows,
                width: area.width.min(60),
                ..area
            };
            let inner = open_at(state, "Find", rect, frame);
            typed(state, (text, *cursor), inner, frame);
        }
        Some(Dialog::Replace { path, .. }) => {
            let line = format!("{} exists.", shown(path));
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
            let name = shown(path);
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

/// A box in the middle of the screen, for so many columns and rows inside it.
pub(super) fn boxed(area: Rect, (width, height): (u16, u16)) -> Rect {
    let width = width.saturating_add(2).min(area.width);
    let height = height.saturating_add(2).min(area.height.saturating_sub(1));
    Rect::new(
        (area.width - width) / 2,
        (area.height.saturating_sub(height)) / 3,
        width,
        height,
    )
}

/// What is inside a border.
pub(super) fn inside(rect: Rect) -> Rect {
    Block::bordered().inner(rect)
}

/// A box in the middle of the screen; what is inside it.
pub(super) fn open(state: &State, title: &str, size: (u16, u16), frame: &mut Frame) -> Rect {
    open_at(state, title, boxed(frame.area(), size), frame)
}

/// Lines of which one is chosen, in a box.
pub struct Listing {
    /// In the border.
    pub title: &'static str,
    /// The box with its border.
    pub rect: Rect,
    /// Where the lines are.
    pub rows: Rect,
    /// All of them.
    pub lines: Vec<String>,
    /// The one chosen.
    pub chosen: usize,
    /// Lines that are headings: none of them is chosen.
    pub headings: Vec<usize>,
}

impl Listing {
    /// The first line in sight: the one chosen always is.
    fn top(&self) -> usize {
        (self.chosen + 1).saturating_sub(usize::from(self.rows.height))
    }

    /// The line at a place of the screen.
    pub fn at(&self, place: (u16, u16)) -> Option<usize> {
        let inside = self.rows.contains(place.into());
        let row = usize::from(place.1.checked_sub(self.rows.y)?);
        let line = self.top() + row;
        let heading = self.headings.contains(&line);
        (inside && line < self.lines.len() && !heading).then_some(line)
    }

    /// The number of a line, headings not counted.
    pub fn number(&self, line: usize) -> usize {
        line - self.headings.iter().filter(|at| **at < line).count()
    }

    /// Draws box and lines; what is inside the box.
    pub(super) fn draw(&self, state: &State, frame: &mut Frame) -> Rect {
        let inner = open_at(state, self.title, self.rect, frame);
        let width = usize::from(self.rows.width);
        let rows = self.rows.y..self.rows.bottom();
        for (y, (at, line)) in rows.zip(self.lines.iter().enumerate().skip(self.top())) {
            let mut text = cut(line, width);
            text.push_str(&" ".repeat(width.saturating_sub(columns(&text))));
            let style = if self.headings.contains(&at) {
                state.theme.strong()
            } else if at == self.chosen {
                state.theme.chosen()
            } else {
                ratatui::style::Style::new()
            };
            let row = Rect {
                y,
                height: 1,
                ..self.rows
            };
            Line::styled(text, style).render(row, frame.buffer_mut());
        }
        // signs in the border that there is more
        let right = self.rect.right().saturating_sub(1);
        let shown = self.rows.height > 0 && self.rect.width > 0;
        if shown && self.top() > 0 {
            put(frame.buffer_mut(), (right, self.rows.y), '↑');
        }
        if shown && self.top() + usize::from(self.rows.height) < self.lines.len() {
            put(frame.buffer_mut(), (right, self.rows.bottom() - 1), '↓');
        }
        inner
    }
}

/// The list that lies over the panes on a screen of this size, if one does.
pub fn listing(state: &State, area: Rect) -> Option<Listing> {
    Some(match &state.dialog {
        Some(Dialog::Systems {
            entries,
            chosen,
            filter,
        }) => {
            let text = filter.as_ref().map(|(text, _)| text.as_str());
            systems(state, (entries, text), *chosen, area)
        }
        Some(Dialog::Parameters { chosen }) => lists::parameters(state, *chosen, area),
        Some(Dialog::Problems { chosen }) => lists::problem_list(state, *chosen, area),
        Some(Dialog::Equilibria { chosen }) => equilibria::listing(state, *chosen, area),
        Some(Dialog::Columns { chosen }) => choose_columns(state, *chosen, area)?,
        Some(Dialog::Palette { text, chosen, .. }) => palette(state, text, *chosen, area),
        _ => return None,
    })
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
    for answer in answers {
        last.push(Span::styled(
            words(state.theme, &answer.names()),
            state.theme.accent(),
        ));
        last.push(Span::raw(format!(" {}   ", answer.title)));
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

/// What stands in the box beside the lines: words about the one chosen, or what is typed.
fn beside(state: &State, listing: &Listing, inner: Rect, frame: &mut Frame) {
    let dim = state.theme.dim();
    match &state.dialog {
        Some(Dialog::Systems {
            entries,
            chosen,
            filter,
        }) if inner.height > 2 => {
            let text = filter.as_ref().map_or("", |(text, _)| text.as_str());
            let shown = chooser::shown(entries, text);
            if let Some((text, cursor)) = filter {
                if shown.is_empty() {
                    let row = Rect {
                        height: listing.rows.height.min(1),
                        ..listing.rows
                    };
                    Line::styled(" nothing is called that", dim).render(row, frame.buffer_mut());
                }
                typed(state, (text, *cursor), inner, frame);
            }
            let last = Rect {
                y: inner.bottom() - 1,
                height: 1,
                ..inner
            };
            let about = about(state, shown.get(*chosen).copied());
            Line::styled(cut(&about, usize::from(inner.width)), dim)
                .render(last, frame.buffer_mut());
        }
        Some(Dialog::Palette { text, cursor, .. }) if inner.height > 1 && inner.width > 3 => {
            if listing.lines.is_empty() {
                let line = Line::styled(" nothing is called that", dim);
                let row = Rect {
                    height: 1,
                    ..listing.rows
                };
                line.render(row, frame.buffer_mut());
            }
            typed(state, (text, *cursor), inner, frame);
        }
        Some(Dialog::Problems { chosen }) => {
            lists::problem_words(state, *chosen, (listing.rows, inner), frame);
        }
        Some(Dialog::Equilibria { chosen }) => {
            equilibria::beside(state, *chosen, (listing.rows, inner), frame.buffer_mut());
        }
        _ => {}
    }
}

/// One line about a system of the chooser.
fn about(state: &State, entry: Option<&Entry>) -> String {
    let about = entry.map(|entry| match &entry.source {
        Source::BuiltIn(_) => format!(" built in: {}", entry.about),
        Source::File(_) if entry.about.is_empty() => " a file of this folder".to_owned(),
        Source::File(_) => format!(" a file of this folder: {}", entry.about),
        Source::Input | Source::New => String::new(),
    });
    words(state.theme, &about.unwrap_or_default())
}

/// The groups with their headings, where there is more than one.
fn systems(
    state: &State,
    (entries, filter): (&[Entry], Option<&str>),
    chosen: usize,
    area: Rect,
) -> Listing {
    let longest = entries
        .iter()
        .map(|entry| columns(&entry.name))
        .max()
        .unwrap_or(0)
        .min(30);
    let line = |entry: &Entry| {
        let name = cut(&words(state.theme, &entry.name), longest);
        let blanks = " ".repeat(longest - columns(&name));
        format!(" {name}{blanks}  {}", words(state.theme, &entry.title))
    };
    let grouped = entries
        .windows(2)
        .any(|pair| pair[0].group != pair[1].group);
    let shown = chooser::shown(entries, filter.unwrap_or_default());
    let about = about(state, shown.get(chosen).copied());
    let widths = entries
        .iter()
        .map(|entry| columns(&line(entry)))
        .chain([columns(&about), 60]);
    let width = widths.max().unwrap_or(0) + 1;
    let (mut lines, mut headings, mut here) = (Vec::new(), Vec::new(), 0);
    let mut group = "";
    for (number, entry) in shown.into_iter().enumerate() {
        if grouped && entry.group != group {
            group = entry.group;
            headings.push(lines.len());
            lines.push(group.to_owned());
        }
        if number == chosen {
            here = lines.len();
        }
        lines.push(line(entry));
    }
    // of all of them: the box stays while a name is typed
    let rows = (entries.len() + 3).min(usize::from(area.height)) as u16;
    let rect = boxed(area, (width.min(100) as u16, rows + 2));
    let inner = inside(rect);
    let typed = u16::from(filter.is_some());
    Listing {
        title: "Open",
        rect,
        rows: Rect {
            y: inner.y + typed.min(inner.height),
            height: inner.height.saturating_sub(2 + typed),
            ..inner
        },
        lines,
        chosen: here,
        headings,
    }
}

fn choose_columns(state: &State, chosen: usize, area: Rect) -> Option<Listing> {
    let (analysis, view) = state.analysis.as_ref().zip(state.plots.view())?;
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
    let rows = lines.len().min(usize::from(area.height)) as u16;
    let rect = boxed(area, (width as u16, rows));
    Some(Listing {
        title: "Columns",
        rect,
        rows: inside(rect),
        lines,
        chosen,
        headings: Vec::new(),
    })
}

/// A line to type into, and the actions that match it with their keys.
fn palette(state: &State, text: &str, chosen: usize, area: Rect) -> Listing {
    let offers = palette::found(text, state.editing);
    let rect = boxed(area, (96, area.height / 2));
    let inner = inside(rect);
    let width = usize::from(inner.width);
    let lines: Vec<String> = offers
        .iter()
        .map(|offer| {
            let keys = words(state.theme, &offer.keys.join("  "));
            let keys = cut(&keys, width / 3);
            let room = width.saturating_sub(columns(&keys) + 3);
            let said = cut(&words(state.theme, offer.words), room);
            let blanks = " ".repeat(room.saturating_sub(columns(&said)));
            format!(" {said}{blanks} {keys} ")
        })
        .collect();
    Listing {
        title: "Commands",
        rect,
        rows: Rect {
            y: inner.y + 1,
            height: inner.height.saturating_sub(1),
            ..inner
        },
        lines,
        chosen,
        headings: Vec::new(),
    }
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

/// Marks a suggestion in its line: what is typed replaces it.
fn chosen(state: &State, text: &str, frame: &mut Frame) {
    let inner = inside(boxed(frame.area(), (60, 1)));
    let line = Rect {
        x: inner.x + 1,
        width: inner.width.saturating_sub(2).min(columns(text) as u16),
        height: inner.height.min(1),
        ..inner
    };
    let line = line.intersection(frame.area());
    frame.buffer_mut().set_style(line, state.theme.chosen());
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
