//! The parameters as sliders: a key changes a value, the motion and the verdict follow; the value can be
//! written into the text, or taken back. Parameters and the levels of constraints can be freed.
//!
//! A changed value stands beside the text, as one of `--set` does. While an analysis is under way no other is
//! asked for: the newest value is taken up when it ends, so that a key held down is followed at the pace of the
//! analysis and not outrun.

use super::action::Action;
use super::dialog::{Dialog, Parameters};
use super::range;
use super::state::{MEND_FIRST, State};
use super::update::edited;
use crate::system::{Changes, System};

/// A step is this part of the power of ten of the text's value, a fine one of that again.
const STEP: f64 = 0.1;

/// Why a level has no slider.
const GIVEN: &str = "the text gives the level of a constraint: f frees it";

/// What a line of the view stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// A parameter.
    Parameter,
    /// The level of a constraint: the text gives it, and it can be freed.
    Level,
}

/// A parameter or a level on the screen.
#[derive(Clone, Debug, PartialEq)]
pub struct Slider {
    /// Which of them.
    pub quantity: Quantity,
    /// Its name, that of the constraint where it is a level.
    pub name: String,
    /// What the text says.
    pub base: f64,
    /// What it is.
    pub value: f64,
}

impl Slider {
    /// How far it reaches to both sides: as far as the text's value is from zero.
    pub fn reach(&self) -> f64 {
        if self.base == 0.0 {
            1.0
        } else {
            self.base.abs()
        }
    }
}

/// What the text says of its parameters and levels; none where it cannot be read.
pub(super) fn read(state: &State, text: &str, set: &[(String, String)]) -> Option<Vec<Slider>> {
    let system = System::parse(text, &state.document.name(), set).ok()?;
    let slider = |quantity, name: &String, value| Slider {
        quantity,
        name: name.clone(),
        base: value,
        value,
    };
    let parameters = system.parameters.iter();
    let mut list: Vec<Slider> = parameters
        .map(|p| slider(Quantity::Parameter, &p.name, p.value))
        .collect();
    for c in &system.constraints {
        // `--free` takes a name that both have for the parameter
        if list.iter().all(|slider| slider.name != c.name) {
            list.push(slider(Quantity::Level, &c.name, c.c_value));
        }
    }
    Some(list)
}

/// Opens the view.
pub fn open(state: &mut State) {
    let Some(base) = read(state, &state.editor.text(), &[]) else {
        return state.note(MEND_FIRST);
    };
    if base.is_empty() {
        return state.note("the system has no parameters and no constraints");
    }
    let known = |name: &String| base.iter().any(|slider| slider.name == *name);
    let before = (state.changes.set.len(), state.changes.free.len());
    state.changes.set.retain(|(name, _)| known(name));
    state.changes.free.retain(known);
    let lost = before != (state.changes.set.len(), state.changes.free.len());
    state.sliders = base;
    refresh(state);
    state.dialog = Some(Dialog::Parameters(Parameters::default()));
    if lost {
        state.request();
    }
}

/// The values as they are: those set, and those that are worked out of them.
pub fn refresh(state: &mut State) {
    if state.sliders.is_empty() {
        return;
    }
    let set = state.changes.set.clone();
    let known = read(state, &state.editor.text(), &set).unwrap_or_default();
    for slider in &mut state.sliders {
        if let Some(now) = known.iter().find(|now| now.name == slider.name) {
            slider.value = now.value;
        }
    }
}

/// A value a step on, on a multiple of the step.
pub fn stepped(value: f64, base: f64, fine: bool, up: bool) -> f64 {
    let size = match (value.abs(), base.abs()) {
        (0.0, 0.0) => 1.0,
        (value, 0.0) => value,
        // what has grown much goes on in larger steps
        (value, base) if value * STEP >= base => value,
        (_, base) => base,
    };
    let power = size.log10().floor() + if fine { -2.0 } else { -1.0 };
    // a power of ten is no double where it is below one: divide by the whole one
    let whole = 10_f64.powf(power.abs());
    let count = if power < 0.0 {
        value * whole
    } else {
        value / whole
    };
    let count = if up {
        (count + 1e-6).floor() + 1.0
    } else {
        (count - 1e-6).ceil() - 1.0
    };
    let next = if power < 0.0 {
        count / whole
    } else {
        count * whole
    };
    if next == 0.0 { 0.0 } else { next }
}

/// A number as it is written in a file.
pub(super) fn written(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || (1e-4..1e9).contains(&size) {
        format!("{value}")
    } else {
        format!("{value:e}")
    }
}

/// What a key does to the chosen parameter.
pub fn act(state: &mut State, chosen: usize, action: Action) {
    let Some(slider) = state.sliders.get(chosen).cloned() else {
        return;
    };
    let (up, fine) = match action {
        Action::More => (true, false),
        Action::Less => (false, false),
        Action::MoreFine => (true, true),
        Action::LessFine => (false, true),
        Action::ResetValue => {
            state.set_parameter(&slider.name, None);
            return follow(state);
        }
        Action::WriteValue => return write(state, &slider),
        Action::Range => return range::open(state, Some(&slider.name)),
        Action::FreeParameter => return free(state, &slider),
        _ => return,
    };
    if slider.quantity == Quantity::Level {
        return state.note(GIVEN);
    }
    let value = stepped(slider.value, slider.base, fine, up);
    if value.is_finite() {
        state.set_parameter(&slider.name, Some(written(value)));
    }
    follow(state);
}

/// The value of a parameter that nobody has changed, to be typed over.
pub fn untouched(state: &State, chosen: usize) -> Option<String> {
    let slider = state.sliders.get(chosen)?;
    let set = state
        .changes
        .set
        .iter()
        .any(|(name, _)| *name == slider.name);
    (slider.quantity == Quantity::Parameter && !set).then(|| written(slider.value))
}

/// Takes the value that was typed; false, with a remark, where it is none.
pub fn take(state: &mut State, chosen: usize, text: &str) -> bool {
    let Some(slider) = state.sliders.get(chosen).cloned() else {
        return false;
    };
    if slider.quantity == Quantity::Level {
        state.note(GIVEN);
        return true;
    }
    let mut set = state.changes.set.clone();
    set.retain(|(name, _)| *name != slider.name);
    set.push((slider.name, text.to_owned()));
    match System::parse(&state.editor.text(), &state.document.name(), &set) {
        Ok(_) => {
            state.changes.set = set;
            follow(state);
            true
        }
        Err(errors) => {
            let why = errors.first().map_or("", |error| error.message.as_str());
            state.complain(why);
            false
        }
    }
}

/// The motion follows, now or when the one under way is done.
fn follow(state: &mut State) {
    refresh(state);
    state.overdue = true;
    state.changed = true;
}

/// Frees a parameter or a level, where that can be done, or holds it again.
fn free(state: &mut State, slider: &Slider) {
    let name = &slider.name;
    if state.changes.free.contains(name) {
        state.changes.free.retain(|free| free != name);
        let held = match slider.quantity {
            Quantity::Parameter => format!("{name} is a parameter again"),
            Quantity::Level => format!("{name} holds its level again"),
        };
        state.note(held);
        return follow(state);
    }
    let mut changes = Changes {
        measured: None,
        ..state.changes.clone()
    };
    changes.free.push(name.clone());
    match System::changed(&state.editor.text(), &state.document.name(), &changes) {
        Ok(_) => {
            state.changes.free = changes.free;
            state.note(format!(
                "{name} is free: lambda_free_{name} is the force that holds it"
            ));
            follow(state);
        }
        Err(errors) => {
            let text = errors.first().map_or("", |error| error.message.as_str());
            state.complain(text);
        }
    }
}

/// Writes a value into the text.
fn write(state: &mut State, slider: &Slider) {
    let own = |(name, _): &&(String, String)| *name == slider.name;
    let Some((_, value)) = state.changes.set.iter().find(own).cloned() else {
        if slider.quantity == Quantity::Level {
            state.note(GIVEN);
        }
        return;
    };
    let name = &slider.name;
    let Some(text) = put(state, name, &value) else {
        return state.complain(format!(
            "the place of {name} in the text was not found: edit it"
        ));
    };
    state.editor.replace(&text);
    state.set_parameter(name, None);
    if let Some(slider) = state.sliders.iter_mut().find(|l| l.name == *name) {
        slider.base = slider.value;
    }
    state.note(format!("{name} = {value} is written into the text"));
    edited(state);
}

/// The text with another value of a parameter: the first place `name: value` after `parameters` whose change
/// makes the text say what was set, and nothing else.
fn put(state: &State, name: &str, value: &str) -> Option<String> {
    let text = state.editor.text();
    let set = [(name.to_owned(), value.to_owned())];
    let wanted = read(state, &text, &set)?;
    let begin = text.find("parameters")?;
    for (at, _) in text.match_indices(name).filter(|(at, _)| *at > begin) {
        let rest = &text[at + name.len()..];
        let Some(rest) = rest.trim_start_matches(['"', '\'', ' ']).strip_prefix(':') else {
            continue;
        };
        let after = rest.trim_start_matches(' ');
        let from = text.len() - after.len();
        let length = after
            .find([',', '}', '\n', '\r', '#'])
            .unwrap_or(after.len());
        let length = after[..length].trim_end().len();
        let changed = format!("{}{value}{}", &text[..from], &text[from + length..]);
        if read(state, &changed, &[]).is_some_and(|said| said == wanted) {
            return Some(changed);
        }
    }
    None
}
