//! The view Range: a parameter and its range, what becomes of the system along it, and the line in which both are typed.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::list::{boxed, open, open_at};
use super::name::SIZE;
use super::{Dialog, Over, TextLine};
use crate::workbench::action::{Action, Context};
use crate::workbench::range;
use crate::workbench::state::State;
use crate::workbench::update::note;
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
        let area = frame.area();
        let size = (area.width.saturating_sub(4), area.height.saturating_sub(3));
        let inner = open_at(state, &view::title(state), boxed(area, size), frame);
        view::draw(state, inner, frame.buffer_mut());
    }
}

/// `w=0:6 period(x)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeLine {
    /// What has been typed.
    pub line: TextLine,
}

impl Over for RangeLine {
    fn context(&self) -> Context {
        Context::Name
    }

    fn typed(&mut self, symbols: &str) -> bool {
        self.line.insert(symbols);
        true
    }

    fn act(&mut self, state: &mut State, action: Action) -> bool {
        if action == Action::Accept {
            match range::typed(state, self.line.text.trim()) {
                Ok(()) => return self.close(state),
                Err(why) => note(state, why, true),
            }
        }
        self.line.act(action);
        true
    }

    fn close(&mut self, state: &mut State) -> bool {
        state.dialog = Some(Dialog::Range(RangeView));
        false
    }

    fn draw(&self, state: &State, frame: &mut Frame) {
        let title = "Range: NAME=FROM:TO equilibria, failures, or such as period(x)";
        let inner: Rect = open(state, title, SIZE, frame);
        self.line.draw(state, inner, frame);
    }
}
