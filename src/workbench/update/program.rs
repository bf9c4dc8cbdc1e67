//! What is about the program, not about the system.

use crate::workbench::action::Action;
use crate::workbench::dialog::{Dialog, Help, Palette};
use crate::workbench::document::Source;
use crate::workbench::export;
use crate::workbench::files;
use crate::workbench::state::{Effect, State, Subject, Then};

/// What the keys do to it; false where they do something else.
pub(super) fn act(state: &mut State, action: Action) -> bool {
    match action {
        Action::Open => state.effects.push(Effect::List),
        Action::Open1 => files::open_built_in(state, 0),
        Action::Open2 => files::open_built_in(state, 1),
        Action::Open3 => files::open_built_in(state, 2),
        Action::SaveAs => files::save_as(state, Then::Stay),
        Action::Save => files::save(state, Then::Stay),
        Action::Reload => {
            let source = state.document.source.clone();
            files::leave(state, Then::Open(source));
        }
        Action::Screen => export::ask(state, Subject::Screen),
        // an empty file keeps its name
        Action::New if state.is_blank() => files::replace(state, crate::system::TEMPLATE),
        Action::New => files::leave(state, Then::Open(Source::New)),
        Action::External => {
            let text = state.editor.text();
            state.effects.push(Effect::External(text));
        }
        Action::Theme => {
            state.theme.scheme = state.theme.scheme.next();
            state.note(format!("colours: {}", state.theme.scheme.name()));
        }
        Action::Mouse => {
            state.mouse = !state.mouse;
            state.drag = None;
            let words = if state.mouse {
                "mouse captured: click, drag, wheel"
            } else {
                "mouse released: drag to select text"
            };
            state.note(words);
            state.effects.push(Effect::Mouse(state.mouse));
        }
        Action::Palette => {
            state.dialog = Some(Dialog::Palette(Palette::default()));
        }
        Action::Help => {
            let help = Help::at(state, state.context(), None);
            state.dialog = Some(Dialog::Help(help));
        }
        Action::Quit => files::leave(state, Then::Quit),
        _ => return false,
    }
    true
}
