//! What lies over the panes and has the keys: a dialog a file, each with what a key does to it and how it is drawn.
//!
//! [`TextLine`] is what is typed into, [`Listing`] what one of many is chosen from.

mod columns;
mod equilibria;
mod find;
mod help;
mod line;
mod list;
mod methods;
mod palette;
mod parameters;
mod problems;
mod prompt;
mod question;
mod range;
mod systems;

use ratatui::Frame;
use ratatui::layout::Rect;

use super::action::{Action, Context};
use super::state::State;

pub use columns::Columns;
pub use equilibria::EquilibriaList;
pub use find::{Find, again, marked, places, spans};
pub use help::Help;
pub use line::TextLine;
pub use list::{Listing, boxed};
pub use methods::Methods;
pub use palette::Palette;
pub use parameters::Parameters;
#[cfg(test)]
pub use problems::Leads;
pub use problems::{Problems, list as problems};
pub use prompt::{Asked, Prompt};
pub use question::Question;
pub use range::RangeView;
pub use systems::{Entry, Systems};

/// What lies over the panes and has the keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dialog {
    /// All keys.
    Help(Help),
    /// The chooser of systems.
    Systems(Systems),
    /// The chooser of columns.
    Columns(Columns),
    /// The parameters.
    Parameters(Parameters),
    /// What is wrong.
    Problems(Problems),
    /// The methods against each other.
    Methods(Methods),
    /// The equilibria.
    Equilibria(EquilibriaList),
    /// A parameter over a range.
    Range(RangeView),
    /// The name of a file, or an expression.
    Prompt(Prompt),
    /// A part of the text that is looked for.
    Find(Find),
    /// All actions, to be found by a few letters.
    Palette(Palette),
    /// What is answered by a key.
    Question(Question),
}

/// What every dialog can do.
trait Over: Sized {
    /// What the keys mean in it.
    fn context(&self) -> Context;

    /// What an action does; whether it stays, where no other takes its place.
    fn act(&mut self, state: &mut State, action: Action) -> bool;

    /// Takes it away unanswered; whether it stays all the same.
    fn close(&mut self, _state: &mut State) -> bool {
        false
    }

    /// Takes what came from the keys at once; whether it has a line for it.
    fn typed(&mut self, _symbols: &str) -> bool {
        false
    }

    /// What one can choose from.
    fn listing(&self, _state: &State, _area: Rect) -> Option<Listing> {
        None
    }

    /// Draws what stands in the box beside the lines.
    fn beside(&self, _state: &State, _listing: &Listing, _inner: Rect, _frame: &mut Frame) {}

    /// Draws it.
    fn draw(&self, state: &State, frame: &mut Frame) {
        if let Some(listing) = self.listing(state, frame.area()) {
            let inner = listing.draw(state, frame);
            self.beside(state, &listing, inner, frame);
        }
    }
}

macro_rules! of_each {
    ($dialog:expr, $d:ident => $e:expr) => {
        match $dialog {
            Dialog::Help($d) => $e,
            Dialog::Systems($d) => $e,
            Dialog::Columns($d) => $e,
            Dialog::Parameters($d) => $e,
            Dialog::Problems($d) => $e,
            Dialog::Methods($d) => $e,
            Dialog::Equilibria($d) => $e,
            Dialog::Range($d) => $e,
            Dialog::Prompt($d) => $e,
            Dialog::Find($d) => $e,
            Dialog::Palette($d) => $e,
            Dialog::Question($d) => $e,
        }
    };
}

impl Dialog {
    /// What the keys mean in it.
    pub fn context(&self) -> Context {
        of_each!(self, d => d.context())
    }

    /// Draws it over the panes.
    pub fn draw(&self, state: &State, frame: &mut Frame) {
        of_each!(self, d => d.draw(state, frame));
    }

    /// What one can choose from, on a screen of this size.
    pub fn listing(&self, state: &State, area: Rect) -> Option<Listing> {
        of_each!(self, d => d.listing(state, area))
    }

    /// The number of the line chosen, of those that one can choose from.
    pub fn chosen(&mut self) -> Option<&mut usize> {
        match self {
            Self::Systems(Systems { chosen, .. })
            | Self::Columns(Columns { chosen })
            | Self::Parameters(Parameters { chosen, .. })
            | Self::Problems(Problems { chosen })
            | Self::Equilibria(EquilibriaList { chosen, .. })
            | Self::Palette(Palette { chosen, .. }) => Some(chosen),
            _ => None,
        }
    }
}

/// What came at once is typed into the line of the dialog that is open: as one change.
pub fn typed(state: &mut State, symbols: &str) {
    if let Some(dialog) = &mut state.dialog {
        state.changed |= of_each!(dialog, d => d.typed(symbols));
    }
    find::follow(state);
}

/// What an action does to the dialog that is open.
pub fn act(state: &mut State, action: Action) {
    let Some(mut dialog) = state.dialog.take() else {
        return;
    };
    let stays = match action {
        Action::Close => of_each!(&mut dialog, d => d.close(state)),
        Action::Help => {
            let help = Help::at(state, dialog.context(), Some(dialog));
            state.dialog = Some(Dialog::Help(help));
            return;
        }
        _ => of_each!(&mut dialog, d => d.act(state, action)),
    };
    if stays {
        state.dialog.get_or_insert(dialog);
    }
}
