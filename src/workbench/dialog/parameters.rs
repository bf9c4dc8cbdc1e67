//! The parameters as sliders.

use ratatui::layout::Rect;

use super::list::{Listing, boxed, inside, moved, page};
use super::{Dialog, Over};
use crate::plot;
use crate::workbench::action::{Action, Context};
use crate::workbench::layout::{Layout, Pane};
use crate::workbench::parameters::{self, Quantity, Slider};
use crate::workbench::state::{Effect, State};
use crate::workbench::text::{columns, cut, number};
use crate::workbench::view::theorem::{left, right};
use crate::workbench::view::words;

/// Longest name and number beside a slider.
const NAME: usize = 12;
const NUMBER: usize = 10;
/// Longest slider.
const SLIDER: usize = 30;

/// The view of the parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parameters {
    /// The line chosen.
    pub chosen: usize,
}

impl Over for Parameters {
    fn context(&self) -> Context {
        Context::Parameters
    }

    fn chosen(&mut self) -> Option<&mut usize> {
        Some(&mut self.chosen)
    }

    fn act(mut self, state: &mut State, action: Action) -> Vec<Effect> {
        let chosen = moved(self.chosen, state.sliders.len(), action, page(state));
        self.chosen = chosen;
        state.dialog = Some(Dialog::Parameters(self));
        parameters::act(state, chosen, action)
    }

    /// Sliders in the place of the text, so that everything else stays in sight.
    fn listing(&self, state: &State, area: Rect) -> Option<Listing> {
        let rows = state.sliders.len().min(usize::from(u16::MAX)) as u16;
        let layout = Layout::new((area.width, area.height), state.focus, state.zoom);
        let rect = match layout.pane(Pane::System) {
            Some(rect) if !state.zoom => rect,
            _ => boxed(area, (60, rows)),
        };
        let width = usize::from(inside(rect).width);
        let names = state
            .sliders
            .iter()
            .map(|l| columns(&words(state.theme, &l.name)));
        let name = names.max().unwrap_or(0).min(NAME);
        let lines: Vec<String> = state
            .sliders
            .iter()
            .map(|slider| row(state, slider, name, width))
            .collect();
        Some(Listing {
            title: "Parameters",
            rect,
            rows: inside(rect),
            lines,
            chosen: self.chosen,
            headings: Vec::new(),
        })
    }
}

/// `g       9.9  ██████▌░░░░░  9.81 in the text`
fn row(state: &State, slider: &Slider, name: usize, width: usize) -> String {
    let shown = left(&cut(&words(state.theme, &slider.name), name), name);
    let value = right(&number(slider.value), NUMBER);
    let free = state.free.contains(&slider.name);
    if slider.quantity == Quantity::Level {
        let said = if free { "level, free" } else { "level" };
        return words(state.theme, &format!(" {shown} {value}  {said}"));
    }
    let said = match slider.value.total_cmp(&slider.base).is_eq() {
        _ if free => "  free".to_owned(),
        true => String::new(),
        false => format!("  was {}", number(slider.base)),
    };
    let used = 1 + name + 1 + NUMBER + 2 + columns(&said);
    let room = width.saturating_sub(used + 1).min(SLIDER);
    let part = 0.5 + (slider.value - slider.base) / (2.0 * slider.reach());
    let bar = plot::bar(part.clamp(0.0, 1.0), room, state.theme.charset);
    words(state.theme, &format!(" {shown} {value}  {bar}{said}"))
}
