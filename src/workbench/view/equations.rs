//! The Equations pane: the equations of motion in closed form, and numbers at the time shown.

use ratatui::text::Line;

use super::words;
use crate::solver::Sample;
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
    if let Some(at) = between(&analysis.motion, state.playhead.t) {
        lines.push(Line::styled(
            format!("at t {:.3}", state.playhead.t),
            theme.strong(),
        ));
        let of = |list: fn(&Sample) -> &Vec<f64>, k: usize| {
            at.linear(|sample| list(sample).get(k).copied().unwrap_or(f64::NAN))
        };
        let constraints = analysis.constraints.iter().enumerate();
        let lambda = constraints.map(|(b, name)| (format!("λ_{name}"), of(|s| &s.lambda, b)));
        let coordinates = analysis.coordinates.iter().enumerate();
        let force = coordinates.map(|(k, name)| (format!("R_{name}"), of(|s| &s.reaction, k)));
        let energy = [("energy".to_owned(), at.linear(|sample| sample.energy))];
        let numbers = lambda.chain(force).chain(energy);
        let text: Vec<String> = numbers
            .map(|(name, value)| format!("{name}\u{a0}{}", number(value)))
            .collect();
        for line in wrap(&words(theme, &text.join("  ")), width.saturating_sub(2)) {
            lines.push(Line::raw(format!(
                "  {}",
                line.trim_start().replace('\u{a0}', " ")
            )));
        }
    }
    let mut heading = "";
    for (label, text) in &analysis.equations {
        if label != heading {
            lines.push(Line::styled(words(theme, label), theme.strong()));
            heading = label;
        }
        let pieces = wrap(&words(theme, text), width.saturating_sub(4));
        for (at, piece) in pieces.into_iter().enumerate() {
            let indent = if at == 0 { "  " } else { "    " };
            lines.push(Line::raw(format!("{indent}{piece}")));
        }
    }
    lines
}
