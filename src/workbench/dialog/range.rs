//! The view Range: a parameter and its range, what becomes of the system along it, and the line in which both are typed.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::list::{boxed, open, open_at};
use super::name::SIZE;
use super::{Dialog, Over, TextLine};
use crate::workbench::action::{Action, Context};
use crate::workbench::range;
use crate::workbench::state::{Effect, State};
use crate::workbench::update::note;
use crate::workbench::view::range as view;
use crate::workbench::worker::Kind;

/// The view; what it shows is part of the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeView;

impl Over for RangeView {
    fn context(&self) -> Context {
        Context::Range
    }

    fn act(self, state: &mut State, action: Action) -> Vec<Effect> {
        if !range::act(state, action) {
            state.dialog = Some(Dialog::Range(self));
        }
        Vec::new()
    }

    /// The first time calls off what is being computed.
    fn close(self, state: &mut State) -> Vec<Effect> {
        if !range::call_off(state) {
            return Vec::new();
        }
        state.dialog = Some(Dialog::Range(self));
        vec![Effect::Withdraw(Kind::Range)]
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

    fn act(mut self, state: &mut State, action: Action) -> Vec<Effect> {
        state.dialog = Some(if action == Action::Accept {
            match range::typed(state, self.line.text.trim()) {
                Ok(()) => Dialog::Range(RangeView),
                Err(why) => {
                    note(state, why, true);
                    Dialog::RangeLine(self)
                }
            }
        } else {
            self.line.act(action);
            Dialog::RangeLine(self)
        });
        Vec::new()
    }

    fn close(self, state: &mut State) -> Vec<Effect> {
        state.dialog = Some(Dialog::Range(RangeView));
        Vec::new()
    }

    fn draw(&self, state: &State, frame: &mut Frame) {
        let title = "Range: NAME=FROM:TO equilibria, failures, or such as period(x)";
        let inner: Rect = open(state, title, SIZE, frame);
        self.line.draw(state, inner, frame);
    }
}
