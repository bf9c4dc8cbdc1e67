//! The Equations pane: the equations of motion in closed form, and numbers at the time shown.

use ratatui::text::Line;

use super::words;
use crate::workbench::playhead::between;
use crate::workbench::state::State;
use crate::workbench::text::{number, wrap};

/// All lines of the pane at this width.
pub fn lines(state: &State, width: usize) -> Vec<Line<'static>> {
    let theme = state.theme;
    let Some(analysis) = &state.analysis else {
        return Vec::new();
    };
    let mut lines = Vec::new();
    let mut heading = "";
    for (label, text) in &analysis.equations {
        if label != heading {
            lines.push(Line::styled(words(theme, label), theme.strong()));
            heading = label;
        }
        for (at, piece) in wrap(&words(theme, text), width.saturating_sub(4))
            .into_iter()
            .enumerate()
        {
            let indent = if at == 0 { "  " } else { "    " };
            lines.push(Line::raw(format!("{indent}{piece}")));
        }
    }
    if let Some(at) = between(&analysis.motion, state.playhead.t) {
        let mut say = |name: &str, value: f64| {
            lines.push(Line::raw(words(
                theme,
                &format!("  {name} = {}", number(value)),
            )));
        };
        for (b, name) in analysis.constraints.iter().enumerate() {
            say(
                &format!("λ_{name}"),
                at.linear(|s| s.lambda.get(b).copied().unwrap_or(f64::NAN)),
            );
        }
        for (k, name) in analysis.coordinates.iter().enumerate() {
            say(
                &format!("R_{name}"),
                at.linear(|s| s.reaction.get(k).copied().unwrap_or(f64::NAN)),
            );
        }
        say("energy", at.linear(|s| s.energy));
    }
    lines
}
