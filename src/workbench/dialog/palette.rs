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

/// Words that hands know from elsewhere, beside those that the table has.
const SYNONYMS: &[(Action, &str)] = &[
    (Action::Export, "export"),
    (Action::Export, "save the plot"),
    (Action::Screen, "screenshot"),
    (Action::Screen, "print"),
    (Action::Whole, "reset the zoom"),
    (Action::ToStart, "reset the time, rewind"),
    (Action::Reload, "reset the text, revert"),
    (Action::Quit, "quit"),
    (Action::Quit, "exit"),
    (Action::Quit, "close"),
    (Action::SaveAs, "save as"),
    (Action::Save, "write the file"),
    (Action::Open, "load"),
    (Action::Undo, "undo"),
    (Action::Redo, "redo"),
    (Action::Find, "search"),
    (Action::Play, "stop"),
    (Action::Play, "run"),
    (Action::Zoom, "full screen, maximize"),
    (Action::Parameters, "settings"),
    (Action::Theme, "colors"),
    (Action::Problems, "errors, diagnostics"),
    (Action::Help, "help, shortcuts"),
    (Action::Map, "phase, constraint set"),
    (Action::Equilibria, "rest, stability, modes"),
    (Action::Report, "report, derivation, atlas"),
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
            listing.none(state, "nothing is called that", frame);
            self.line.draw(state, inner, frame);
        }
    }
}

/// Whether it is the word of vi that saves and then leaves.
fn saves_and_leaves(typed: &str) -> bool {
    matches!(typed.trim(), "wq" | "x")
}

/// A letter that begins a word.
const START: u32 = 6;
/// A letter that follows the letter found before.
const RUN: u32 = 8;
/// A letter has to be worth this on average: letters strewn over a sentence are in any sentence.
const ENOUGH: u32 = 5;
/// Any other.
const LETTER: u32 = 1;

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
    let typed: Vec<char> = typed
        .chars()
        .filter(|c| !c.is_whitespace())
        .flat_map(char::to_lowercase)
        .collect();
    let name: String = typed.iter().collect();
    let enough = |score: &u32| *score >= ENOUGH * typed.len() as u32;
    let synonyms = SYNONYMS
        .iter()
        .filter(|(action, _)| *action == offer.action);
    let said = [offer.words, offer.title]
        .into_iter()
        .chain(synonyms.map(|(_, words)| *words));
    let score = |words: &str| {
        let begun: String = words.chars().filter(|c| !c.is_whitespace()).collect();
        let begins = begun.to_lowercase().starts_with(&name);
        Some(fuzzy(&typed, words)? + u32::from(begins))
    };
    let said = said.filter_map(score).max();
    let key = offer.keys.iter().any(|key| key.to_lowercase() == name);
    let by_key = key.then_some(START);
    said.filter(enough).max(by_key)
}

/// The letters in their order, anywhere in the words: the best way to find them.
///
/// `best[j]` is the score of the letters so far, the last of them at place j of the words.
fn fuzzy(typed: &[char], words: &str) -> Option<u32> {
    let words: Vec<char> = words.chars().flat_map(char::to_lowercase).collect();
    let mut best: Vec<Option<u32>> = Vec::new();
    for (i, letter) in typed.iter().enumerate() {
        let mut next = vec![None; words.len()];
        // the best of the places before the one before
        let mut earlier: Option<u32> = (i == 0).then_some(0);
        for (j, place) in next.iter_mut().enumerate() {
            let before = j.checked_sub(1);
            let run = before.and_then(|k| best.get(k).copied().flatten());
            if words.get(j) == Some(letter) {
                let starts =
                    before.is_none_or(|k| !words.get(k).is_some_and(|c| c.is_alphanumeric()));
                let worth = if starts { START } else { LETTER };
                let joined = run.map(|score| score + worth.max(RUN));
                *place = joined.max(earlier.map(|score| score + worth));
            }
            earlier = earlier.max(run);
        }
        best = next;
    }
    if typed.is_empty() {
        return Some(0);
    }
    best.into_iter().flatten().max()
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
        for (action, words) in SYNONYMS {
            assert_eq!(first(words), Some(*action), "{words}");
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
    fn letters_count_in_their_order_and_runs_most() {
        let score = |typed: &str, words| fuzzy(&typed.chars().collect::<Vec<_>>(), words);
        assert_eq!(score("ba", "ab"), None);
        assert_eq!(score("ab", "ab"), Some(START + RUN));
        assert_eq!(score("ab", "a b"), Some(2 * START));
        assert_eq!(score("ab", "xaxb"), Some(2 * LETTER));
        assert_eq!(score("", "ab"), Some(0));
        assert_eq!(score("a", ""), None);
    }
}
