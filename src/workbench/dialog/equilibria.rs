//! The equilibria: the list, what is known of the one chosen, and its mode as it swings. What has no room there is
//! scrolled by pages.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::Over;
use super::list::{Listing, moved, page};
use crate::workbench::action::{Action, Context};
use crate::workbench::equilibria;
use crate::workbench::state::State;
use crate::workbench::view::equilibria as view;

/// The view of the equilibria.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EquilibriaList {
    /// The line chosen.
    pub chosen: usize,
    /// How far what is said of it is scrolled down.
    pub down: usize,
}

impl Over for EquilibriaList {
    fn context(&self) -> Context {
        Context::Equilibria
    }

    fn act(&mut self, state: &mut State, action: Action) -> bool {
        let (hidden, seen) = view::beyond(state, self.chosen);
        let by = match action {
            Action::PageUp | Action::PageDown => action.lines(seen, seen),
            _ => None,
        };
        if let Some(by) = by.filter(|_| hidden > 0) {
            self.down = self.down.saturating_add_signed(by).min(hidden);
            return true;
        }
        let (before, count) = (self.chosen, equilibria::lines(state).len());
        self.chosen = moved(before, count, action, page(state));
        if self.chosen != before {
            self.down = 0;
        }
        !equilibria::act(state, self.chosen, action)
    }

    fn listing(&self, state: &State, area: Rect) -> Option<Listing> {
        Some(view::listing(state, self.chosen, area))
    }

    fn beside(&self, state: &State, listing: &Listing, inner: Rect, frame: &mut Frame) {
        view::beside(
            state,
            (self.chosen, self.down),
            (listing.rows, inner),
            frame.buffer_mut(),
        );
    }
}
