//! The methods against each other, and what the text expects.

use ratatui::Frame;
use ratatui::text::Line;

use super::Over;
use super::list::{moved, open};
use crate::expr::Style;
use crate::report::{Layout, compare_text, verify_text};
use crate::workbench::action::{Action, Context};
use crate::workbench::state::{MEND_FIRST, State};
use crate::workbench::text::cut;
use crate::workbench::view::{scrolled, words};

/// The comparison of the methods.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Methods {
    /// First line shown.
    pub scroll: usize,
}

impl Over for Methods {
    fn context(&self) -> Context {
        Context::Methods
    }

    fn act(&mut self, state: &mut State, action: Action) -> bool {
        let width = width(state.size.0).saturating_sub(2);
        let length = lines(state, usize::from(width)).len();
        let rows = usize::from(state.size.1).saturating_sub(3).max(1);
        self.scroll = moved(self.scroll, length.saturating_sub(rows) + 1, action, rows);
        true
    }

    fn draw(&self, state: &State, frame: &mut Frame) {
        let width = width(frame.area().width);
        let lines = lines(state, usize::from(width.saturating_sub(2)));
        let rows = lines.len().min(usize::from(u16::MAX / 2)) as u16;
        let inner = open(state, "Methods", (width, rows), frame);
        let lines: Vec<Line<'static>> = lines
            .into_iter()
            .map(|line| Line::raw(format!(" {line}")))
            .collect();
        scrolled(&lines, self.scroll, inner, frame.buffer_mut());
    }
}

/// The lines of the comparison, then those of what the text expects.
fn lines(state: &State, width: usize) -> Vec<String> {
    let text = match (state.methods.of(&state.generation), &state.analysis) {
        (Some(found), Some(analysis)) => {
            let model = analysis.model();
            let compared = match &found.compared {
                Ok(comparison) => {
                    let style = if state.theme.ascii() {
                        Style::Plain
                    } else {
                        Style::Pretty
                    };
                    compare_text(model, comparison, Layout { width, style })
                }
                Err(error) => error.clone(),
            };
            if found.findings.is_empty() {
                compared
            } else {
                let known = verify_text(model, &found.findings, width);
                format!("{}\n\nKnown from elsewhere\n{known}", compared.trim_end())
            }
        }
        (Some(found), None) => found.compared.as_ref().err().cloned().unwrap_or_default(),
        _ if state.stale() => MEND_FIRST.to_owned(),
        _ => "each method runs twice: working …".to_owned(),
    };
    let lines = text.lines().map(|line| words(state.theme, line));
    lines.map(|line| cut(&line, width)).collect()
}

/// Width of the view of the methods on a screen this wide.
fn width(screen: u16) -> u16 {
    screen.saturating_sub(4).clamp(20, 90)
}
