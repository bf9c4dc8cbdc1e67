//! The columns of the motion: which of them are plotted, and against which.

use ratatui::layout::Rect;

use super::Over;
use super::list::{Listing, boxed, moved, page};
use crate::workbench::action::{Action, Context};
use crate::workbench::state::State;
use crate::workbench::text::columns;
use crate::workbench::view::named;

/// The chooser of columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// The line chosen.
    pub chosen: usize,
}

impl Over for Columns {
    fn context(&self) -> Context {
        Context::Columns
    }

    fn act(&mut self, state: &mut State, action: Action) -> bool {
        if action == Action::Accept {
            return false;
        }
        let columns = state.analysis.as_ref().map(|analysis| analysis.columns());
        let columns = columns.unwrap_or_default();
        if let Some(name) = columns.get(self.chosen) {
            match action {
                Action::ToggleY => state.plots.toggle(name),
                Action::OnlyY => state.plots.only(name),
                Action::SetX => state.plots.across(name),
                _ => {}
            }
        }
        self.chosen = moved(self.chosen, columns.len(), action, page(state));
        true
    }

    fn listing(&self, state: &State, area: Rect) -> Option<Listing> {
        let (analysis, view) = state.analysis.as_ref().zip(state.plots.view())?;
        let lines: Vec<String> = analysis
            .columns()
            .iter()
            .map(|name| {
                let y = if view.y.contains(name) { "y" } else { " " };
                let x = if view.x == *name { "x" } else { " " };
                format!(" {y} {x}  {}", named(state, name))
            })
            .collect();
        let widths = lines.iter().map(|line| columns(line));
        let width = widths.max().unwrap_or(0).max(18) + 1;
        let rows = lines.len().min(usize::from(area.height)) as u16;
        let rect = boxed(area, (width as u16, rows));
        Some(Listing::new("Columns", rect, lines, self.chosen))
    }
}
