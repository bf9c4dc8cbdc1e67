//! A parameter over a range.
//!
//! ```text
//! ┏ Range: w from 0 to 10, equilibria ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┓
//! ┃   x             ⠒⠒ stable   ⠂⠂ unstable   ○ pitchfork          ┃
//! ┃  1 ┤          ⢀⣀⠤⠔⠒⠒⠉⠉                                         ┃
//! ┃  0 ┤⠤⠤⠤⠤⠤○⠂⠂⠂⠂⠂⠂⠂⠂⠂⠂⠂                                         ┃
//! ┃ w = 4.25, x = 0.83, stable                                     ┃
//! ┃ 4 branches of equilibria, 1 bifurcation                        ┃
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;
use ratatui::widgets::Widget;

use super::{copy, named, with_names, words};
use crate::plot::{MarkedPoint, PointKind, draw as plotted};
use crate::report::zero;
use crate::workbench::range::{chosen, figure, known, working};
use crate::workbench::state::{MEND_FIRST, State};
use crate::workbench::text::{cut, trimmed, wrap};

/// Rows for what is said below the picture, at most.
const SAID: usize = 3;

/// `Range: w from 0 to 10, equilibria`
pub fn title(state: &State) -> String {
    let ranges = &state.ranges;
    let (from, to) = ranges.ends;
    let what = named(state, ranges.what.words());
    let name = named(state, &ranges.name);
    let title = format!(
        "Range: {name} from {} to {}, {what}",
        trimmed(from),
        trimmed(to)
    );
    words(state.theme, &title)
}

/// The picture, the point chosen, and how far the work is.
pub fn draw(state: &State, inner: Rect, buffer: &mut Buffer) {
    let theme = state.theme;
    let room = usize::from(inner.width.saturating_sub(1));
    let said = wrap(&words(theme, &said(state)), room);
    let figure = figure(state).map(|figure| with_names(state, figure.clone()));
    let Some(mut figure) = figure else {
        // nothing but words
        for (row, line) in inner.rows().zip(said) {
            Line::raw(format!(" {line}")).render(row, buffer);
        }
        return;
    };
    let here = chosen(state).map(|(at, what)| {
        let (x, y) = (&figure.x.label, &figure.y.label);
        let comma = if what.is_empty() { "" } else { ", " };
        let [p, value] = [at[0], zero::of_unit_size(&at[1..])[0]].map(trimmed);
        let here = format!("{x} = {p}, {y} = {value}{comma}{what}");
        figure.cursor = Some(at[0]);
        figure.places.push(MarkedPoint {
            at,
            kind: PointKind::Body,
            label: None,
            tag: String::new(),
        });
        cut(&words(theme, &here), room)
    });
    figure.title = String::new();
    let said = said.into_iter().take(SAID).map(|line| (line, Style::new()));
    let here = (here.unwrap_or_default(), theme.strong());
    let lines: Vec<(String, Style)> = [here].into_iter().chain(said).collect();
    let height = inner.height.saturating_sub(lines.len() as u16);
    let canvas = plotted(&figure, inner.width, height, theme.charset);
    copy(&canvas, inner, |cell| theme.cell(cell), buffer);
    let rows = inner.rows().skip(usize::from(height));
    for (row, (text, style)) in rows.zip(lines) {
        Line::styled(format!(" {text}"), style).render(row, buffer);
    }
}

/// What is said of what is shown, and of the work.
fn said(state: &State) -> String {
    let said = known(state).map_or("", |answer| answer.said.as_str());
    match working(state) {
        _ if state.stale() && known(state).is_none() => MEND_FIRST.to_owned(),
        Some(word) => format!("{word}{said}"),
        None => said.to_owned(),
    }
}
