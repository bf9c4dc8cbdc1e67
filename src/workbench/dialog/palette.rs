//! Finding an action by a few letters of its words.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::list::{Listing, boxed, moved, page};
use super::{Over, TextLine};
use crate::workbench::action::{Action, Context, Offer, offered};
use crate::workbench::files::save;
use crate::workbench::layout::inside;
use crate::workbench::state::{State, Then};
use crate::workbench::text::{columns, cut, left};
use crate::workbench::update::press_action;
use crate::workbench::view::words;

/// What hands that know vi type first; each leads to the action that does the same.
const VI: &[(&str, Action)] = &[
    ("w", Action::Save),
    ("write", Action::Save),
    ("wq", Action::Save),
    ("x", Action::Save),
    ("sav", Action::SaveAs),
    ("saveas", Action::SaveAs),
    ("e", Action::Open),
    ("q", Action::Quit),
    ("q!", Action::Quit),
    ("qa", Action::Quit),
    ("u", Action::Undo),
    ("h", Action::Help),
];

/// Words that are known from elsewhere, beside those that the table has: they are found and not shown.
#[rustfmt::skip] // a table
const SYNONYMS: &[(Action, &[&str])] = &[
    (Action::Help, &["help", "shortcuts", "manual"]),
    (Action::Play, &["simulate", "run", "stop", "start", "animate", "integrate"]),
    (Action::Export, &["export", "csv", "json", "svg", "save the plot", "write the plot", "download"]),
    (Action::CopyLatex, &["latex", "tex"]),
    (Action::Screen, &["screenshot", "print"]),
    (Action::Whole, &["reset the zoom", "fit"]),
    (Action::ToStart, &["reset the time", "rewind", "restart"]),
    (Action::Reload, &["reload", "reset the text", "revert", "refresh"]),
    (Action::Quit, &["exit", "close", "leave the program"]),
    (Action::SaveAs, &["save as", "rename"]),
    (Action::Save, &["write the file"]),
    (Action::Open, &["load", "examples"]),
    (Action::New, &["create"]),
    (Action::Undo, &["take back"]),
    (Action::Find, &["find"]),
    (Action::Zoom, &["maximize", "zoom the pane"]),
    (Action::Parameters, &["parameters", "settings", "masses"]),
    (Action::Theme, &["colors", "dark", "light"]),
    (Action::Problems, &["check", "diagnostics", "warnings"]),
    (Action::Map, &["constraint set", "configuration space"]),
    (Action::Equilibria, &["rest", "stability", "modes", "frequencies", "eigenvalues", "statics"]),
    (Action::NextForm, &["forces", "applied forces", "torque", "friction", "equations", "multipliers", "accelerations"]),
    (Action::Range, &["period", "sweep", "bifurcations", "continuation", "scan"]),
    (Action::Methods, &["integrators", "accuracy", "verify"]),
    (Action::Report, &["report", "derive", "derivation", "handout", "atlas", "python", "code", "variation"]),
    (Action::Certificate, &["proof", "certify"]),
    (Action::Columns, &["columns"]),
    (Action::NextPlot, &["energy", "phase plane", "graph"]),
];

/// All actions, to be found by a few letters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Palette {
    /// What has been typed.
    pub line: TextLine,
    /// The line chosen.
    pub chosen: usize,
}

impl Over for Palette {
    fn context(&self) -> Context {
        Context::Palette
    }

    fn typed(&mut self, symbols: &str) -> bool {
        self.chosen = 0;
        self.line.insert(symbols);
        true
    }

    fn act(&mut self, state: &mut State, action: Action) -> bool {
        let offers = found(&self.line.text, state.editing);
        if action == Action::Accept {
            if saves_and_leaves(&self.line.text) {
                save(state, Then::Quit);
            } else if let Some(offer) = offers.get(self.chosen) {
                press_action(state, offer.action);
            }
            return false;
        }
        self.chosen = if self.line.act(action) {
            0
        } else {
            moved(self.chosen, offers.len(), action, page(state))
        };
        true
    }

    /// The actions that match with their keys, below the line that is typed into.
    fn listing(&self, state: &State, area: Rect) -> Option<Listing> {
        let rect = boxed(area, (96, area.height / 2));
        let inner = inside(rect);
        let width = usize::from(inner.width);
        let lines = found(&self.line.text, state.editing)
            .iter()
            .map(|offer| {
                let keys = words(state.theme, &offer.keys.join("  "));
                let keys = cut(&keys, width / 3);
                let room = width.saturating_sub(columns(&keys) + 3);
                let said = cut(&words(state.theme, offer.words), room);
                format!(" {} {keys} ", left(&said, room))
            })
            .collect();
        let mut listing = Listing::new("Commands", rect, lines, self.chosen);
        listing.rows.y += 1;
        listing.rows.height = inner.height.saturating_sub(1);
        Some(listing)
    }

    fn beside(&self, state: &State, listing: &Listing, inner: Rect, frame: &mut Frame) {
        if inner.height > 1 && inner.width > 3 {
            listing.none(state, "no matching command", frame);
            self.line.draw(state, inner, frame);
        }
    }
}

/// Whether it is the word of vi that saves and then leaves.
fn saves_and_leaves(typed: &str) -> bool {
    matches!(typed.trim(), "wq" | "x")
}

/// What was typed is all of the words.
const WHOLE: u32 = 1001;
/// It begins them.
const BEGINS: u32 = 1000;
/// It stands in them in pieces, each of which begins a word; less for each piece.
const PIECES: u32 = 100;
/// It stands inside a word.
const INSIDE: u32 = 1;

/// The actions that match what was typed, the best first; all in the order of the table where nothing was.
fn found(typed: &str, editing: bool) -> Vec<Offer> {
    let vi = VI.iter().find(|(word, _)| *word == typed.trim());
    let scored = |mut offer: Offer| {
        if vi.is_none_or(|(_, action)| *action != offer.action) {
            return Some((score(typed, &offer)?, offer));
        }
        if saves_and_leaves(typed) {
            offer.words = "save the text to its file, and leave the program";
            offer.keys.clear();
        }
        Some((u32::MAX, offer))
    };
    let offers = offered(editing).into_iter();
    let mut scored: Vec<(u32, Offer)> = offers.filter_map(scored).collect();
    // a stable sort: equals stay in the order of the table
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    scored.into_iter().map(|(_, offer)| offer).collect()
}

/// How well an action matches: by its words, or by one of its keys alone.
fn score(typed: &str, offer: &Offer) -> Option<u32> {
    let name = bare(typed);
    let synonyms = SYNONYMS
        .iter()
        .filter(|(action, _)| *action == offer.action);
    let said = [offer.words, offer.title]
        .into_iter()
        .chain(synonyms.flat_map(|(_, words)| words.iter().copied()));
    let said = said.filter_map(|words| likeness(&name, words)).max();
    let key = offer.keys.iter().any(|key| key.to_lowercase() == name);
    said.max(key.then_some(PIECES))
}

/// Letters alone, all of them small.
fn bare(text: &str) -> String {
    let letters = text.chars().filter(|c| !c.is_whitespace());
    letters.flat_map(char::to_lowercase).collect()
}

/// How well what was typed fits the words: as all of them, as their beginning, as pieces that begin words, or inside of one.
fn likeness(name: &str, words: &str) -> Option<u32> {
    let all = bare(words);
    if all.starts_with(name) {
        return Some(if all == name { WHOLE } else { BEGINS });
    }
    let letters: Vec<char> = name.chars().collect();
    // first letters strewn over a sentence are in any sentence: on average a piece has two
    match pieces(&letters, words) {
        Some(count) if 2 * count <= letters.len() + 1 => {
            Some(PIECES.saturating_sub(count as u32).max(INSIDE))
        }
        _ => all.contains(name).then_some(INSIDE),
    }
}

/// The letters in their order, in the fewest pieces that each begin a word.
///
/// `fewest[j]` is the number of pieces of the letters so far, the last of them at place j of the words.
fn pieces(letters: &[char], words: &str) -> Option<usize> {
    let words: Vec<char> = words.chars().flat_map(char::to_lowercase).collect();
    let mut fewest: Vec<Option<usize>> = Vec::new();
    for (i, letter) in letters.iter().enumerate() {
        let mut next = vec![None; words.len()];
        // the fewest of all places before
        let mut earlier: Option<usize> = (i == 0).then_some(0);
        let mut last: Option<char> = None;
        for (j, (place, c)) in next.iter_mut().zip(&words).enumerate() {
            let before = j.checked_sub(1);
            let run = before.and_then(|k| fewest.get(k).copied().flatten());
            earlier = fewer(earlier, run);
            if c == letter {
                let starts = !last.is_some_and(char::is_alphanumeric);
                let begun = earlier.filter(|_| starts).map(|count| count + 1);
                *place = fewer(run, begun);
            }
            last = Some(*c);
        }
        fewest = next;
    }
    fewest.into_iter().flatten().min()
}

fn fewer(a: Option<usize>, b: Option<usize>) -> Option<usize> {
    a.into_iter().chain(b).min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workbench::action::{Action, Context, TABLE};

    #[test]
    fn every_action_of_the_table_is_found_by_its_words() {
        for editing in [false, true] {
            let all = found("", editing);
            for binding in TABLE.iter().filter(|b| {
                b.action != Action::Palette
                    && (b.when.holds(Context::Browse) || editing && b.when.holds(Context::Edit))
            }) {
                assert!(all.iter().any(|offer| offer.action == binding.action));
                let offers = found(binding.help, editing);
                let known = offers.iter().any(|offer| offer.action == binding.action);
                let other = all
                    .iter()
                    .any(|o| o.action == binding.action && o.words != binding.help);
                assert!(known || other, "{}", binding.help);
            }
        }
    }

    #[test]
    fn a_few_letters_are_enough() {
        let first = |typed: &str| found(typed, false).first().map(|offer| offer.action);
        assert_eq!(first("play or"), Some(Action::Play));
        assert_eq!(first("template"), Some(Action::New));
        assert_eq!(first("latex"), Some(Action::CopyLatex));
        assert_eq!(first("theme"), Some(Action::Theme));
        assert_eq!(first("quit"), Some(Action::Quit));
        assert_eq!(first("leave"), Some(Action::Quit));
        assert_eq!(first("zzzz"), None);
        for (action, list) in SYNONYMS {
            for words in *list {
                assert_eq!(first(words), Some(*action), "{words}");
            }
        }
        let offers = found("reset", false);
        for action in [Action::Whole, Action::ToStart, Action::Reload] {
            assert!(offers.iter().take(3).any(|offer| offer.action == action));
        }
    }

    #[test]
    fn the_words_of_vi_do_what_they_do_there() {
        for editing in [false, true] {
            let first = |typed: &str| found(typed, editing).first().map(|offer| offer.action);
            for (word, action) in VI {
                assert_eq!(first(word), Some(*action), "{word}");
                // each action is offered once
                let count = |offer: &&Offer| offer.action == *action;
                assert_eq!(found(word, editing).iter().filter(count).count(), 1);
            }
            assert_eq!(first("save as"), Some(Action::SaveAs));
        }
        assert!(saves_and_leaves(" wq ") && !saves_and_leaves("w"));
    }

    #[test]
    fn a_synonym_is_not_shown() {
        for offer in found("torque", false) {
            assert!(!offer.words.contains("torque"), "{}", offer.words);
        }
    }

    #[test]
    fn letters_strewn_over_a_sentence_are_no_match() {
        let words = |typed: &str| -> Vec<&str> {
            found(typed, false)
                .iter()
                .map(|offer| offer.words)
                .collect()
        };
        for offer in words("csv") {
            assert!(offer.contains("CSV"), "{offer}");
        }
        for offer in words("torque") {
            assert!(offer.contains("equations"), "{offer}");
        }
        assert_eq!(words("help").len(), 1);
    }

    #[test]
    fn letters_count_in_their_order_and_pieces_begin_words() {
        let pieces = |typed: &str, words| pieces(&typed.chars().collect::<Vec<_>>(), words);
        assert_eq!(pieces("ba", "ab"), None);
        assert_eq!(pieces("ab", "ab"), Some(1));
        assert_eq!(pieces("ab", "a b"), Some(2));
        assert_eq!(pieces("ab", "axb"), None);
        assert_eq!(pieces("ab", "xab"), None);
        assert_eq!(pieces("saas", "save a as"), Some(2));
        assert_eq!(pieces("a", ""), None);
        assert_eq!(likeness("ab", "ab c"), Some(BEGINS));
        assert_eq!(likeness("", "ab"), Some(BEGINS));
        assert_eq!(likeness("ab", "c ab"), Some(PIECES - 1));
        assert_eq!(likeness("ab", "cabc"), Some(INSIDE));
        assert_eq!(likeness("abc", "a b c"), Some(WHOLE));
        assert_eq!(likeness("abc", "a b d c"), None);
    }
}
