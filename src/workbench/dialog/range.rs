//! The view Range: a parameter and its range, and what becomes of the system along it.

use ratatui::Frame;

use super::Over;
use super::list::open_at;
use crate::workbench::action::{Action, Context};
use crate::workbench::range;
use crate::workbench::state::State;
use crate::workbench::view::range as view;

/// The view; what it shows is part of the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeView;

impl Over for RangeView {
    fn context(&self) -> Context {
        Context::Range
    }

    fn act(&mut self, state: &mut State, action: Action) -> bool {
        !range::act(state, action)
    }

    /// The first time calls off what is being computed.
    fn close(&mut self, state: &mut State) -> bool {
        range::call_off(state)
    }

    fn draw(&self, state: &State, frame: &mut Frame) {
        let rect = view::boxed(frame.area());
        let inner = open_at(state, &view::title(state), rect, frame);
        view::draw(state, inner, frame.buffer_mut());
    }
}
