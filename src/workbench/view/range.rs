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

/// Rows for what is said below the picture.
const SAID: u16 = 2;

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
    let height = inner.height.saturating_sub(SAID);
    let point = chosen(state);
    let mut here = String::new();
    if let Some(mut figure) = figure(state)
        .cloned()
        .map(|figure| with_names(state, figure))
    {
        if let Some((at, what)) = point {
            let (x, y) = (&figure.x.label, &figure.y.label);
            let comma = if what.is_empty() { "" } else { ", " };
            here = format!(
                "{x} = {}, {y} = {}{comma}{what}",
                trimmed(at[0]),
                trimmed(zero::of_unit_size(&at[1..])[0])
            );
            figure.cursor = Some(at[0]);
            figure.places.push(MarkedPoint {
                at,
                kind: PointKind::Body,
                label: None,
                tag: String::new(),
            });
        }
        figure.title = String::new();
        let canvas = plotted(&figure, inner.width, height, theme.charset);
        copy(&canvas, inner, |cell| theme.cell(cell), buffer);
    }
    let said = known(state).map_or("", |answer| answer.said.as_str());
    let said = match working(state) {
        _ if state.stale() && known(state).is_none() => MEND_FIRST.to_owned(),
        Some(word) => format!("{word}{said}"),
        None => said.to_owned(),
    };
    let room = usize::from(inner.width.saturating_sub(1));
    if figure(state).is_none() {
        // nothing but words
        let lines = wrap(&words(theme, &said), room);
        for (row, line) in inner.rows().zip(lines) {
            Line::raw(format!(" {line}")).render(row, buffer);
        }
        return;
    }
    let rows = inner.rows().skip(usize::from(height));
    for (row, (text, style)) in rows.zip([(here, theme.strong()), (said, Style::new())]) {
        let text = format!(" {}", cut(&words(theme, &text), room));
        Line::styled(text, style).render(row, buffer);
    }
}
