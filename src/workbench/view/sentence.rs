//! A sentence that fits its line: made of parts, each at full length or more briefly, of which the least
//! important give way first, and whole.

use super::words;
use crate::report::only_if;
use crate::workbench::text::{columns, cut_at_word};
use crate::workbench::theme::Theme;
use ratatui::style::Style;

/// Blanks between what is said of now and of what comes next.
pub const GAP: usize = 3;

/// What a part is to the sentence, the most important first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// There is no sentence without it.
    Needed,
    /// Why.
    Reason,
    /// Of which coordinates.
    Names,
    /// How it goes on.
    Onward,
    /// More of why.
    Detail,
    /// What is seen elsewhere, too.
    Aside,
}

/// A part of a sentence, with the blank or sign that joins it to what is before.
#[derive(Clone, Debug)]
pub struct Part {
    weight: Weight,
    /// The same thing at length and ever more briefly; an empty one: it may be left out.
    forms: Vec<String>,
}

impl Part {
    /// It is always said.
    pub fn must(text: impl Into<String>) -> Self {
        Self {
            weight: Weight::Needed,
            forms: vec![text.into()],
        }
    }

    /// It is said where there is room.
    pub fn may(weight: Weight, text: impl Into<String>) -> Self {
        Self::forms(weight, [text.into(), String::new()])
    }

    /// It is said as fully as there is room for.
    pub fn forms(weight: Weight, forms: impl Into<Vec<String>>) -> Self {
        Self {
            weight,
            forms: forms.into(),
        }
    }

    fn brief(&self) -> &str {
        self.forms.last().map_or("", String::as_str)
    }

    fn at_length(&self) -> &str {
        self.forms.first().map_or("", String::as_str)
    }
}

/// All of it.
pub fn at_length(parts: &[Part]) -> String {
    parts.iter().map(Part::at_length).collect()
}

/// What the line says: a sign, the sentence, what comes next.
pub struct Sentence {
    /// The sign.
    pub sign: String,
    /// How the sign is drawn.
    pub style: Style,
    /// What is so now.
    pub now: Vec<Part>,
    /// What comes next; without its first part nothing is said of it.
    pub next: Vec<Part>,
    /// How what comes next is drawn.
    pub mark: Style,
}

impl Sentence {
    /// One in which nothing of what comes next stands out.
    pub fn new(sign: impl Into<String>, style: Style, now: Vec<Part>, next: Vec<Part>) -> Self {
        Self {
            sign: sign.into(),
            style,
            now,
            next,
            mark: Style::new(),
        }
    }

    /// The sentence and what comes next, in so many columns.
    ///
    /// Everything at its briefest; then, the most important first, each part as fully as there is room for.
    pub fn fit(&self, theme: Theme, room: usize) -> (String, String) {
        let parts: Vec<&Part> = self.now.iter().chain(&self.next).collect();
        let head = self.now.len();
        let mut said: Vec<String> = parts.iter().map(|p| words(theme, p.brief())).collect();
        let joined = |said: &[String]| (said[..head].concat(), said[head..].concat());
        let width = |said: &[String]| {
            let (now, next) = joined(said);
            let next = columns(&next);
            columns(&now) + if next > 0 { GAP + next } else { 0 }
        };
        let mut order: Vec<usize> = (0..parts.len()).collect();
        order.sort_by_key(|&k| parts[k].weight);
        for k in order {
            if k > head && said[head].is_empty() {
                continue;
            }
            for form in &parts[k].forms {
                let before = std::mem::replace(&mut said[k], words(theme, form));
                if width(&said) <= room {
                    break;
                }
                said[k] = before;
            }
        }
        let (now, next) = joined(&said);
        if columns(&now) > room {
            return (cut_at_word(&now, room), String::new());
        }
        let left = room.saturating_sub(columns(&now) + GAP);
        // a word or two of it would only puzzle
        let next = only_if(left > 5, cut_at_word(&next, left));
        (now, next)
    }
}
