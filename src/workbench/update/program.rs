//! What is about the program, not about the system.

use crate::workbench::action::Action;
use crate::workbench::dialog::{Dialog, Help, Palette};
use crate::workbench::document::Source;
use crate::workbench::export;
use crate::workbench::files;
use crate::workbench::state::{Effect, State, Subject, Then};

use super::{edited, note};

/// What the keys do to it; `None` where they do something else.
pub(super) fn act(state: &mut State, action: Action) -> Option<Vec<Effect>> {
    match action {
        Action::Open => return Some(vec![Effect::List]),
        Action::Open1 => return Some(files::open_built_in(state, 0)),
        Action::Open2 => return Some(files::open_built_in(state, 1)),
        Action::Open3 => return Some(files::open_built_in(state, 2)),
        Action::SaveAs => files::save_as(state, Then::Stay),
        Action::Save => return Some(files::save(state, Then::Stay)),
        Action::Reload => {
            let source = state.document.source.clone();
            return Some(files::leave(state, Then::Open(source)));
        }
        Action::Screen => export::ask(state, Subject::Screen),
        // an empty file keeps its name
        Action::New if state.is_blank() => {
            state.editor.replace(crate::system::TEMPLATE);
            return Some(edited(state));
        }
        Action::New => return Some(files::leave(state, Then::Open(Source::New))),
        Action::External => return Some(vec![Effect::External(state.editor.text())]),
        Action::Theme => {
            state.theme.scheme = state.theme.scheme.next();
            let words = format!("colours: {}", state.theme.scheme.name());
            note(state, words, false);
        }
        Action::Mouse => {
            state.mouse = !state.mouse;
            state.drag = None;
            let words = if state.mouse {
                "the mouse is holonom's: click, drag, wheel"
            } else {
                "the mouse is the terminal's: it selects text"
            };
            note(state, words, false);
            return Some(vec![Effect::Mouse(state.mouse)]);
        }
        Action::Palette => {
            state.dialog = Some(Dialog::Palette(Palette::default()));
        }
        Action::Help => {
            let help = Help::at(state, state.context(), None);
            state.dialog = Some(Dialog::Help(help));
        }
        Action::Quit => return Some(files::leave(state, Then::Quit)),
        _ => return None,
    }
    Some(Vec::new())
}
