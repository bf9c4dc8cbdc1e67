//! The chooser of systems.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::list::{Listing, boxed, moved, page};
use super::{Over, TextLine};
use crate::system::spelled;
use crate::workbench::action::{Action, Context};
use crate::workbench::document::{Listing as File, Source};
use crate::workbench::files::leave;
use crate::workbench::state::{State, Then};
use crate::workbench::text::{columns, cut, left};
use crate::workbench::view::{row, words};

/// One line of the chooser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What it belongs to.
    pub group: &'static str,
    /// Where the system is.
    pub source: Source,
    /// What it is called.
    pub name: String,
    /// Its title.
    pub title: String,
    /// One line about it.
    pub about: String,
}

/// The chooser of systems.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Systems {
    /// What there is.
    pub entries: Vec<Entry>,
    /// The one chosen of those shown.
    pub chosen: usize,
    /// What the names have to contain, while that is typed.
    pub filter: Option<TextLine>,
}

/// The group of what earlier sessions left.
const UNSAVED: &str = "Unsaved";

impl Systems {
    /// The files of the folder, then the built-in systems.
    ///
    /// What an earlier session left unsaved comes first: it is easily forgotten.
    pub fn new(files: Vec<File>, kept: Vec<Source>, current: &Source) -> Self {
        let unsaved = |source: Source| Entry {
            group: UNSAVED,
            name: source.name(),
            source,
            title: "unsaved text of an earlier session".to_owned(),
            about: String::new(),
        };
        let mut entries: Vec<Entry> = kept.into_iter().map(unsaved).collect();
        entries.extend(files.into_iter().map(|file| Entry {
            group: "Files of this folder",
            name: spelled(&file.path),
            title: if file.title.is_empty() {
                "without a name".to_owned()
            } else {
                file.title
            },
            about: file.source,
            source: Source::File(file.path),
        }));
        entries.extend(crate::workbench::built_ins());
        let forgotten = entries.first().is_some_and(|entry| entry.group == UNSAVED);
        let here = entries.iter().position(|entry| entry.source == *current);
        Self {
            chosen: here.filter(|_| !forgotten).unwrap_or(0),
            entries,
            filter: None,
        }
    }

    fn sought(&self) -> &str {
        self.filter.as_ref().map_or("", |line| line.text.as_str())
    }

    fn shown(&self) -> Vec<&Entry> {
        shown(&self.entries, self.sought())
    }

    /// One line about the system that is chosen.
    fn about(&self, state: &State) -> String {
        let about = self
            .shown()
            .get(self.chosen)
            .map(|entry| match &entry.source {
                Source::BuiltIn(_) => format!(" built in: {}", entry.about),
                Source::File(_) if entry.about.is_empty() => " a file of this folder".to_owned(),
                Source::File(_) => format!(" a file of this folder: {}", entry.about),
                Source::Input | Source::New => String::new(),
            });
        words(state.theme, &about.unwrap_or_default())
    }
}

impl Over for Systems {
    fn context(&self) -> Context {
        match self.filter {
            None => Context::Systems,
            Some(_) => Context::Filter,
        }
    }

    fn typed(&mut self, symbols: &str) -> bool {
        let Some(line) = &mut self.filter else {
            return false;
        };
        line.insert(symbols);
        self.chosen = 0;
        true
    }

    fn close(&mut self, _state: &mut State) -> bool {
        let here = place(&self.entries, self.sought(), self.chosen);
        let filtered = self.filter.take().is_some();
        if filtered {
            self.chosen = here.unwrap_or(0);
        }
        filtered
    }

    fn act(&mut self, state: &mut State, action: Action) -> bool {
        let shown = self.shown();
        let opened = match action {
            Action::New => Some(Source::New),
            Action::Accept => shown.get(self.chosen).map(|entry| entry.source.clone()),
            _ => None,
        };
        if let Some(source) = opened {
            leave(state, Then::Open(source));
            return false;
        }
        self.chosen = moved(self.chosen, shown.len(), action, page(state));
        match &mut self.filter {
            Some(line) => {
                if line.act(action) {
                    self.chosen = 0;
                }
            }
            None => self.filter = (action == Action::Find).then(TextLine::default),
        }
        true
    }

    /// The groups with their headings, where there is more than one.
    fn listing(&self, state: &State, area: Rect) -> Option<Listing> {
        let names = self.entries.iter().map(|entry| columns(&entry.name));
        let longest = names.max().unwrap_or(0).min(30);
        let line = |entry: &Entry| {
            let name = left(&cut(&words(state.theme, &entry.name), longest), longest);
            format!(" {name}  {}", words(state.theme, &entry.title))
        };
        let mut pairs = self.entries.windows(2);
        let grouped = pairs.any(|pair| pair[0].group != pair[1].group);
        let lengths = self.entries.iter().map(|entry| columns(&line(entry)));
        let width = lengths.chain([columns(&self.about(state)), 60]).max();
        let width = width.unwrap_or(0) + 1;
        let (mut lines, mut headings, mut here) = (Vec::new(), Vec::new(), 0);
        let mut group = "";
        for (number, entry) in self.shown().into_iter().enumerate() {
            if grouped && entry.group != group {
                group = entry.group;
                headings.push(lines.len());
                lines.push(group.to_owned());
            }
            if number == self.chosen {
                here = lines.len();
            }
            lines.push(line(entry));
        }
        // of all of them: the box stays while a name is typed
        let rows = (self.entries.len() + 3).min(usize::from(area.height)) as u16;
        let rect = boxed(area, (width.min(100) as u16, rows + 2));
        let mut listing = Listing::new("Open", rect, lines, here);
        let typed = u16::from(self.filter.is_some());
        listing.rows.y += typed.min(listing.rows.height);
        listing.rows.height = listing.rows.height.saturating_sub(2 + typed);
        listing.headings = headings;
        Some(listing)
    }

    fn beside(&self, state: &State, listing: &Listing, inner: Rect, frame: &mut Frame) {
        if inner.height <= 2 {
            return;
        }
        if let Some(line) = &self.filter {
            listing.none(state, "no matching system", frame);
            line.draw(state, inner, frame);
        }
        let about = cut(&self.about(state), usize::from(inner.width));
        let line = Line::styled(about, state.theme.dim());
        row(&line, inner.bottom() - 1, inner, frame.buffer_mut());
    }
}

/// The entries whose name or title contains every word of `text`, whatever the case.
fn shown<'a>(entries: &'a [Entry], text: &str) -> Vec<&'a Entry> {
    let text = text.to_lowercase();
    let found = |entry: &&Entry| {
        let names = format!("{} {}", entry.name, entry.title).to_lowercase();
        text.split_whitespace().all(|word| names.contains(word))
    };
    entries.iter().filter(found).collect()
}

/// The place among all entries of the one that is number `chosen` of those shown.
fn place(entries: &[Entry], text: &str, chosen: usize) -> Option<usize> {
    let entry = *shown(entries, text).get(chosen)?;
    entries.iter().position(|other| std::ptr::eq(other, entry))
}
