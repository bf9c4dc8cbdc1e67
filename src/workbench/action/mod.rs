//! Everything a key can do: one table, from which keys, footer and help are made.

mod context;
mod key;
mod table;

pub use context::{Context, Trait, When, headings};
pub use key::Key;
pub use table::{MOUSE, TABLE};

/// What can be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the table says what each of them does
pub enum Action {
    Edit,
    EndEdit,
    Play,
    StepBack,
    StepForward,
    LeapBack,
    LeapForward,
    PreviousFlag,
    NextFlag,
    ToStart,
    ToEnd,
    Slower,
    Faster,
    NextPane,
    PreviousPane,
    Zoom,
    ScrollUp,
    ScrollDown,
    PageUp,
    PageDown,
    NextPlot,
    Map,
    Probe,
    ProbeOn,
    ProbeBack,
    ProbeUp,
    ProbeDown,
    ProbeFarOn,
    ProbeFarBack,
    EndProbe,
    Closer,
    Farther,
    Before,
    After,
    Whole,
    LogAxes,
    Drift,
    Levels,
    Aspect,
    Characters,
    CopyPlot,
    CopyRow,
    Export,
    Screen,
    NextForm,
    PreviousForm,
    CopyText,
    CopyLatex,
    NextY,
    PreviousY,
    NextX,
    PreviousX,
    Columns,
    Parameters,
    Less,
    More,
    LessFine,
    MoreFine,
    WriteValue,
    ResetValue,
    FreeParameter,
    NextChoice,
    Problems,
    Methods,
    Equilibria,
    Range,
    Report,
    Certificate,
    AllChoices,
    PreviousMode,
    NextMode,
    Open,
    Open1,
    Open2,
    Open3,
    Save,
    SaveAs,
    Reload,
    Undo,
    Redo,
    Find,
    FindNext,
    FindPrevious,
    Help,
    Quit,
    Redraw,
    Palette,
    Top,
    Bottom,
    HalfUp,
    HalfDown,
    New,
    External,
    Theme,
    Mouse,
    Suspend,
    // typing
    Left,
    Right,
    Up,
    Down,
    WordLeft,
    WordRight,
    LineStart,
    LineEnd,
    TextStart,
    TextEnd,
    Backspace,
    Delete,
    DeleteWord,
    DeleteToStart,
    DeleteToEnd,
    Enter,
    Complete,
    CompleteBack,
    // dialogs
    Close,
    Accept,
    ToggleY,
    OnlyY,
    SetX,
    SaveAndLeave,
    Discard,
    Overwrite,
    Restore,
    Forget,
    ReadDisk,
    KeepMine,
}

impl Action {
    /// Lines that it goes on by in what is scrolled or chosen from, a page and half of one being so long; `isize::MIN` and
    /// `MAX` are the ends.
    pub fn lines(self, page: usize, half: usize) -> Option<isize> {
        let (page, half) = (page.cast_signed(), half.cast_signed());
        Some(match self {
            Self::ScrollUp => -1,
            Self::ScrollDown => 1,
            Self::PageUp => -page,
            Self::PageDown => page,
            Self::HalfUp => -half,
            Self::HalfDown => half,
            Self::Top => isize::MIN,
            Self::Bottom => isize::MAX,
            _ => return None,
        })
    }
}

/// One line of the table.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// What is done.
    pub action: Action,
    /// By which keys; the first is the one shown in the footer.
    pub keys: &'static [Key],
    /// A word for the footer, empty where it is not shown there. Neighbours with the same word share it.
    pub title: &'static str,
    /// A sentence for the help.
    pub help: &'static str,
    /// When the keys mean this.
    pub when: When,
}

/// What a key does, if it does anything.
pub fn find(context: Context, key: Key) -> Option<Action> {
    let own = TABLE
        .iter()
        .find(|binding| binding.keys.contains(&key) && binding.when.holds(context))
        .map(|binding| binding.action);
    match (own, context) {
        (None, Context::Probe) => find(Context::Browse, key),
        (own, _) => own,
    }
}

/// An entry of the footer: keys and a word, each key with what it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Names of the keys, and their actions.
    pub keys: Vec<(String, Action)>,
    /// The word.
    pub title: &'static str,
}

impl Entry {
    /// The names of its keys, in a row.
    pub fn names(&self) -> String {
        self.keys.iter().map(|(name, _)| name.as_str()).collect()
    }
}

/// The footer's entries; neighbours with the same word are joined (`←→ step`).
pub fn footer(context: Context) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let shown = |binding: &&Binding| binding.when.holds(context) && !binding.title.is_empty();
    for binding in TABLE.iter().filter(shown) {
        let name = binding.keys.first().map(|key| key.name());
        let key = (name.unwrap_or_default(), binding.action);
        match entries.last_mut() {
            Some(entry) if entry.title == binding.title => entry.keys.push(key),
            _ => entries.push(Entry {
                keys: vec![key],
                title: binding.title,
            }),
        }
    }
    entries
}

/// Every action that can be taken from here, once, with its first words and all its keys: the lines of the
/// palette. While a text is edited the editor's own actions come first.
pub fn offered(editing: bool) -> Vec<Offer> {
    let contexts: &[Context] = if editing {
        &[Context::Edit, Context::Browse]
    } else {
        &[Context::Browse]
    };
    let mut offers: Vec<Offer> = Vec::new();
    for &context in contexts {
        for binding in TABLE.iter().filter(|b| b.when.holds(context)) {
            // to open the palette from the palette leads nowhere
            if binding.action == Action::Palette {
                continue;
            }
            let names = binding.keys.iter().map(|key| key.name());
            match offers.iter_mut().find(|o| o.action == binding.action) {
                // keys that would be typed as text while editing are no news to the editor
                Some(offer) if !editing => offer.keys.extend(names),
                Some(_) => {}
                None => offers.push(Offer {
                    action: binding.action,
                    title: binding.title,
                    words: binding.help,
                    keys: names.collect(),
                }),
            }
        }
    }
    offers
}

/// A line of the palette.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// What is done.
    pub action: Action,
    /// In a word, where it has one.
    pub title: &'static str,
    /// In words.
    pub words: &'static str,
    /// By which keys.
    pub keys: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::key::{ch, ctrl, key};
    use super::*;
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
    use std::collections::HashMap;

    #[test]
    fn no_key_means_two_things() {
        for (context, _) in headings() {
            let mut seen = HashMap::new();
            for binding in TABLE.iter().filter(|b| b.when.holds(context)) {
                for &key in binding.keys {
                    let before = seen.insert(key, binding.action);
                    assert_eq!(before, None, "{} in {context:?}", key.name());
                }
            }
        }
    }

    fn contexts(binding: &Binding) -> impl Iterator<Item = Context> {
        let all = headings().map(|(context, _)| context);
        all.filter(|context| binding.when.holds(*context))
    }

    #[test]
    fn every_binding_is_reachable_and_explained() {
        for binding in TABLE {
            assert!(
                !binding.keys.is_empty()
                    && contexts(binding).next().is_some()
                    && !binding.help.is_empty()
            );
            for context in contexts(binding) {
                for &key in binding.keys {
                    assert_eq!(find(context, key), Some(binding.action));
                }
            }
        }
    }

    #[test]
    fn no_printable_key_is_taken_from_a_typist() {
        for context in [
            Context::Edit,
            Context::Name,
            Context::Palette,
            Context::Filter,
            Context::Find,
        ] {
            for symbol in ' '..='~' {
                assert_eq!(find(context, ch(symbol)), None, "{symbol} in {context:?}");
            }
        }
    }

    #[test]
    fn help_and_quit_work_everywhere_outside_questions() {
        for context in [Context::Browse, Context::Edit] {
            assert_eq!(find(context, key(KeyCode::F(1))), Some(Action::Help));
            assert_eq!(find(context, ctrl('q')), Some(Action::Quit));
        }
    }

    #[test]
    fn every_context_has_a_way_out() {
        for (context, _) in headings() {
            let out = find(context, key(KeyCode::Esc)).or(find(context, ctrl('q')));
            assert!(out.is_some(), "{context:?}");
        }
    }

    #[test]
    fn shift_belongs_to_the_character() {
        let event = KeyEvent::new(KeyCode::Char('N'), KeyModifiers::SHIFT);
        assert_eq!(
            find(Context::Browse, Key::of(&event)),
            Some(Action::PreviousFlag)
        );
        let event = KeyEvent::new(
            KeyCode::Char('Q'),
            KeyModifiers::CONTROL | KeyModifiers::SHIFT,
        );
        assert_eq!(find(Context::Edit, Key::of(&event)), Some(Action::Quit));
    }
}
