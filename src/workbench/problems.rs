//! Everything that is wrong or worth a warning: errors of the text, failures of the theorem on the way,
//! constraints that were released, the reason of an early end, notes. Each leads to its place.

use super::editor::TextPosition;
use super::layout::Pane;
use super::state::State;
use super::update::travel;
use super::view;
use crate::report::analysis_notes;

/// Where a problem leads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Leads {
    /// To a place of the text.
    Text(TextPosition),
    /// To a time of the motion.
    Time(f64),
    /// Nowhere.
    Nowhere,
}

/// A problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// Where: `7:12`, `t 0.5949`.
    pub place: String,
    /// What.
    pub what: String,
    /// Where it leads.
    pub leads: Leads,
}

/// All of them: those of the text, then those of the motion in its order.
pub fn list(state: &State) -> Vec<Problem> {
    let name = state.document.name();
    let mut list: Vec<Problem> = Vec::new();
    for error in &state.diagnostics {
        let help = error.help.iter().map(|help| format!("; {help}"));
        let here = error.line > 0 && error.file == name;
        list.push(Problem {
            place: match error.line {
                0 => "text".to_owned(),
                line if here => format!("{line}:{}", error.column),
                _ => error.file.clone(),
            },
            what: format!("{}{}", error.message, help.collect::<String>()),
            leads: if here {
                Leads::Text(TextPosition {
                    line: error.line - 1,
                    column: error.column.saturating_sub(1),
                })
            } else {
                Leads::Nowhere
            },
        });
    }
    let Some(analysis) = &state.analysis else {
        return list;
    };
    let motion = &analysis.motion;
    let mut on_the_way: Vec<(f64, String)> = Vec::new();
    for flag in &motion.flags {
        on_the_way.push((flag.t, view::verdict::flagged(analysis, flag)));
    }
    for released in &motion.releases {
        let constraint = analysis.constraints.get(released.constraint);
        let name = constraint.map_or("a constraint", String::as_str);
        on_the_way.push((
            released.t,
            format!("{name} lets go: its force would have to pull"),
        ));
    }
    if let Some(because) = view::verdict::because(analysis)
        && let Some((_, last)) = motion.ends()
    {
        on_the_way.push((last, format!("the motion ends: {because}")));
    }
    if motion.ends().is_some_and(|(first, last)| last < first) {
        on_the_way.sort_by(|a, b| b.0.total_cmp(&a.0));
    } else {
        on_the_way.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    list.extend(on_the_way.into_iter().map(|(t, what)| Problem {
        place: format!("t {t:.4}"),
        what,
        leads: Leads::Time(t),
    }));
    list.extend(analysis_notes(analysis).into_iter().map(|note| Problem {
        place: "note".to_owned(),
        what: note.text,
        leads: Leads::Nowhere,
    }));
    list
}

/// Goes where a problem leads; whether it leads anywhere.
pub fn go(state: &mut State, problem: &Problem) -> bool {
    match problem.leads {
        Leads::Text(place) => {
            state.focus = Pane::System;
            state.editor.go_to(place);
            state.reveal(place);
        }
        Leads::Time(t) => travel(state, |head, motion| head.go(motion, t)),
        Leads::Nowhere => return false,
    }
    true
}
