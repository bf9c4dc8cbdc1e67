//! Which coordinates are dependent: the next choice that works where the motion is, written into the text.

use crate::report::joined;
use crate::system::System;

use super::state::State;
use super::update::edited;

/// The key of the file.
const KEY: &str = "dependent:";

/// Writes the next choice that works at the time shown, after the last one the first.
pub fn next(state: &mut State) {
    let Some((analysis, look)) = state.analysis.clone().zip(state.look.as_ref()) else {
        return state.note_of_nothing("there is no choice to make");
    };
    let own = &analysis.dependent;
    let mut choices = look.alternatives.clone();
    choices.push(own.clone());
    choices.sort_unstable();
    choices.dedup();
    let after = choices.iter().position(|choice| choice == own);
    let next = &choices[(after.unwrap_or(0) + 1) % choices.len()];
    if next == own {
        return state.note("no other choice of dependent coordinates works here");
    }
    let names = joined(analysis.model().names(next));
    let Some(text) = put(state, &names, next) else {
        return state.complain("the place of `dependent` in the text was not found: edit it");
    };
    state.editor.replace(&text);
    state.note(format!("dependent: {names}, written into the text"));
    edited(state);
}

/// The text with another choice: in the line that has one, else before the start or at the end.
fn put(state: &State, names: &str, wanted: &[usize]) -> Option<String> {
    let text = state.editor.text();
    let line = format!("{KEY} [{names}]");
    let begins_line = |at: usize| at == 0 || text[..at].ends_with('\n');
    let begins = |key: &str| {
        let mut places = text.match_indices(key).map(|(at, _)| at);
        places.find(|at| begins_line(*at))
    };
    let changed = if let Some(at) = begins(KEY) {
        let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
        let old = &text[at..end];
        let before = old.split(" #").next().unwrap_or(old).trim_end();
        let remark = &old[before.len()..];
        // a list of a line each goes with its key
        let rest = text[end..].split_inclusive('\n').skip(1);
        let items = rest.take_while(|line| line.trim_start().starts_with("- "));
        let items: usize = items.map(str::len).sum();
        let end = if items == 0 { end } else { end + 1 + items };
        let close = if items == 0 { "" } else { "\n" };
        format!("{}{line}{remark}{close}{}", &text[..at], &text[end..])
    } else {
        let at = begins("start:").unwrap_or(text.len());
        let gap = if begins_line(at) { "" } else { "\n" };
        format!("{}{gap}{line}\n{}", &text[..at], &text[at..])
    };
    let system = System::parse(&changed, &state.document.name(), &[]).ok()?;
    (system.dependent.as_deref() == Some(wanted)).then_some(changed)
}
