//! The parameters as sliders.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::widgets::{Clear, Widget};

use super::list::{Listing, boxed, moved, page};
use super::{Over, TextLine};
use crate::plot;
use crate::workbench::action::{Action, Context};
use crate::workbench::layout::{Pane, inside};
use crate::workbench::parameters::{self, Quantity, Slider};
use crate::workbench::state::State;
use crate::workbench::text::{columns, cut_apart, left, number, right};
use crate::workbench::view::{named, words};

/// Longest name beside a slider where there is no room for more,
const NAME: usize = 12;
/// what number and slider take then,
const BESIDE: usize = 30;
/// and the number.
const NUMBER: usize = 10;
/// Longest slider.
const SLIDER: usize = 30;

/// The view of the parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parameters {
    /// The line chosen.
    pub chosen: usize,
    /// Its value while that is typed.
    pub typed: Option<TextLine>,
}

impl Over for Parameters {
    fn context(&self) -> Context {
        match self.typed {
            None => Context::Parameters,
            Some(_) => Context::Name,
        }
    }

    /// A key that begins a number begins a value.
    fn typed(&mut self, symbols: &str) -> bool {
        let begins = symbols.starts_with(|c: char| c.is_ascii_digit() || "+-.(".contains(c));
        if self.typed.is_none() && !begins {
            return false;
        }
        self.typed.get_or_insert_default().insert(symbols);
        true
    }

    fn close(&mut self, _state: &mut State) -> bool {
        self.typed.take().is_some()
    }

    fn act(&mut self, state: &mut State, action: Action) -> bool {
        if let Some(line) = &mut self.typed {
            line.act(action);
            if action == Action::Accept && parameters::take(state, self.chosen, line.text.trim()) {
                self.typed = None;
            }
            return true;
        }
        self.chosen = moved(self.chosen, state.sliders.len(), action, page(state));
        if action == Action::WriteValue {
            self.typed = parameters::untouched(state, self.chosen).map(TextLine::suggesting);
        }
        if self.typed.is_none() {
            parameters::act(state, self.chosen, action);
        }
        true
    }

    /// Sliders in the place of the text, so that everything else stays in sight.
    fn listing(&self, state: &State, area: Rect) -> Option<Listing> {
        let rows = state.sliders.len().min(usize::from(u16::MAX)) as u16;
        let rect = match state
            .layout_on((area.width, area.height))
            .pane(Pane::System)
        {
            Some(rect) if !state.zoom => rect,
            _ => boxed(area, (60, rows)),
        };
        let width = usize::from(inside(rect).width);
        let room = longest_name(state, width);
        let sliders = state.sliders.iter();
        let names: Vec<String> = sliders.map(|s| named(state, &s.name)).collect();
        let name = |own: &str| {
            let others = names.iter().map(String::as_str);
            left(&cut_apart(own, others, room), room)
        };
        let lines = state.sliders.iter().zip(&names);
        let lines: Vec<String> = lines
            .map(|(slider, own)| row(state, slider, &name(own), width))
            .collect();
        Some(Listing::new("Parameters", rect, lines, self.chosen))
    }

    /// The value that is typed, in its place.
    fn beside(&self, state: &State, listing: &Listing, inner: Rect, frame: &mut Frame) {
        let (Some(line), Some(y)) = (&self.typed, listing.row_of(self.chosen)) else {
            return;
        };
        let width = usize::from(inner.width);
        let before = (longest_name(state, width) + 1).min(width) as u16;
        let place = Rect::new(inner.x + before, y, inner.width - before, 1);
        Clear.render(place, frame.buffer_mut());
        line.draw(state, place, frame);
    }
}

fn longest_name(state: &State, width: usize) -> usize {
    let names = state.sliders.iter();
    let names = names.map(|slider| columns(&named(state, &slider.name)));
    let room = width.saturating_sub(BESIDE).max(NAME);
    names.max().unwrap_or(0).min(room)
}

/// What the text says of a parameter that has another value.
fn was(slider: &Slider) -> String {
    let (typed, shown) = (parameters::written(slider.base), number(slider.base));
    let shorter = if typed.len() < shown.len() {
        typed
    } else {
        shown
    };
    format!("  was {shorter}")
}

/// `g       9.9  ██████▌░░░░░  was 9.81`
fn row(state: &State, slider: &Slider, name: &str, width: usize) -> String {
    let value = right(&number(slider.value), NUMBER);
    let free = state.changes.free.contains(&slider.name);
    if slider.quantity == Quantity::Level {
        let said = if free { "level, free" } else { "level" };
        return words(state.theme, &format!(" {name} {value}  {said}"));
    }
    let said = match slider.value.total_cmp(&slider.base).is_eq() {
        _ if free => "  free".to_owned(),
        true => String::new(),
        false => was(slider),
    };
    // all bars are of one length, whatever stands behind them
    let sliders = state.sliders.iter();
    let parameters = sliders.filter(|slider| slider.quantity == Quantity::Parameter);
    let behind = parameters.map(|slider| columns(&was(slider))).max();
    let used = 1 + columns(name) + 1 + NUMBER + 2 + behind.unwrap_or(0);
    let room = width.saturating_sub(used + 1).min(SLIDER);
    let part = 0.5 + (slider.value - slider.base) / (2.0 * slider.reach());
    let bar = plot::bar(part.clamp(0.0, 1.0), room, state.theme.charset);
    words(state.theme, &format!(" {name} {value}  {bar}{said}"))
}
