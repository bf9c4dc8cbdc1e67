//! The equilibria: the list, what is known of the one chosen, and its mode as it swings.

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
}

impl Over for EquilibriaList {
    fn context(&self) -> Context {
        Context::Equilibria
    }

    fn act(&mut self, state: &mut State, action: Action) -> bool {
        let count = equilibria::lines(state).len();
        self.chosen = moved(self.chosen, count, action, page(state));
        !equilibria::act(state, self.chosen, action)
    }

    fn listing(&self, state: &State, area: Rect) -> Option<Listing> {
        Some(view::listing(state, self.chosen, area))
    }

    fn beside(&self, state: &State, listing: &Listing, inner: Rect, frame: &mut Frame) {
        view::beside(
            state,
            self.chosen,
            (listing.rows, inner),
            frame.buffer_mut(),
        );
    }
}
