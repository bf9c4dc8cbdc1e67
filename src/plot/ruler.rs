//! The axes of a picture: the numbers of the one that points up in a gutter, those of the one across in the
//! last row, where both are named. It takes one row, and says where one is and how long a unit is.
//!
//! ```text
//!  1.0 ┤ ⠙⠲⣄          ⢀⡴
//!      │   ⠈⢧        ⢠⠏
//!  0.0 ┤     ⠳⢤⣠⣠⣠⡴⠋
//!  ↑ x2 ─── -1.0 ─────── 0.0 ────── → x1
//! ```

use super::canvas::{Canvas, CellStyle, Text, columns};
use super::charset::Charset;
use super::frame::Frame;
use super::ticks::Ticks;

/// From this height on there is a row for it.
const LEAST_ROWS: u16 = 5;
/// From this width on, it says something.
const LEAST_COLUMNS: u16 = 16;
/// From this width on, there is a gutter.
const WITH_GUTTER: u16 = 30;
/// Columns between two ticks across, beside their numbers: ` -1.0 ──`.
const APART: f64 = 5.0;

/// Whether a picture of this size has axes.
pub(super) fn fits(width: u16, height: u16) -> bool {
    width >= LEAST_COLUMNS && height >= LEAST_ROWS
}

/// The frame with room for the axes; what it shows has equal aspect.
pub(super) fn framed(frame: Frame, charset: Charset) -> Frame {
    let mut framed = Frame {
        rows: frame.rows - 1,
        ..frame
    };
    if frame.cols < WITH_GUTTER {
        return framed.with_equal_aspect(charset);
    }
    // equal aspect depends on the width, and the width on the numbers
    for _ in 0..2 {
        let gutter = framed.with_equal_aspect(charset).y_ticks().width() as u16 + 2;
        framed.left = framed.left.max(gutter.min(frame.cols / 3));
        framed.cols = frame.cols - framed.left;
    }
    framed.with_equal_aspect(charset)
}

/// `→ x1`, `across: x1`, or the direction alone where it has no name.
fn direction(sign: char, word: &str, name: &str, charset: Charset) -> String {
    match (charset, name) {
        (Charset::Ascii, "") => word.to_owned(),
        (Charset::Ascii, name) => format!("{word}: {name}"),
        (_, name) => format!("{sign} {name}").trim_end().to_owned(),
    }
}

/// Draws the axis that points up with its numbers, where the frame leaves room for it.
pub(super) fn y_axis(canvas: &mut Canvas, frame: &Frame, ticks: &Ticks, charset: Charset) {
    let Some(axis) = frame.left.checked_sub(1) else {
        return;
    };
    for row in frame.top..frame.top + frame.rows {
        canvas.put(axis, row, charset.pick('│', '|'), CellStyle::Axis);
    }
    for (value, label) in &ticks.at {
        let Some(row) = frame.row_at_y(*value) else {
            continue;
        };
        canvas.put(axis, row, charset.pick('┤', '+'), CellStyle::Axis);
        let start = axis.saturating_sub(1 + label.len() as u16);
        let label = Text::new(label, CellStyle::Axis, axis, charset);
        canvas.write(start, row, label);
    }
}

/// Draws the axes of a frame, across and up.
pub(super) fn draw(canvas: &mut Canvas, frame: &Frame, names: &[String; 2], charset: Charset) {
    y_axis(canvas, frame, &frame.y_ticks(), charset);
    let row = frame.top + frame.rows;
    let width = canvas.width();
    let [across, up] = [
        direction('→', "across", &names[0], charset),
        direction('↑', "up", &names[1], charset),
    ];
    // the name of the one across ends its axis
    let most = (width - 1) / 2;
    let size = columns(&across).min(most);
    let end = width - size;
    let used = canvas.write(0, row, Text::new(&up, CellStyle::Label, most, charset));
    canvas.write(
        end,
        row,
        Text::new(&across, CellStyle::Label, size, charset),
    );
    let (start, end) = ((used + 1).max(frame.left), end - 1);
    for col in start..end {
        canvas.put(col, row, charset.pick('─', '-'), CellStyle::Axis);
    }
    let ticks = Ticks::on(frame.scales.0, frame.x, frame.cols, |width| {
        width as f64 + APART
    });
    for (value, label) in &ticks.at {
        let Some(col) = frame
            .column_at_x(*value)
            .filter(|&col| col >= start && col < end)
        else {
            continue;
        };
        // the number stands where its tick would, its digits round it
        let sign = u16::from(label.starts_with('-'));
        let digits = label.len() as u16 - sign;
        let first = (col + 1).checked_sub(digits.div_ceil(2) + sign + 1);
        let size = label.len() as u16 + 2;
        match first.filter(|&first| first >= start && first + size <= end) {
            Some(first) => {
                let label = format!(" {label} ");
                let label = Text::new(&label, CellStyle::Axis, size, charset);
                canvas.write(first, row, label);
            }
            None => canvas.put(col, row, charset.pick('┴', '+'), CellStyle::Axis),
        }
    }
}
