//! What is what: a sample, its style and its name.

use super::canvas::{Canvas, CellStyle, columns, sign};
use super::charset::Charset;
use super::figure::{Figure, Look, Series};
use super::raster::{Ink, Pattern, Pen, Raster};
use super::ticks::number;

/// Columns of the sample of a line pattern: the longest shows its period.
const SAMPLE: u16 = 5;

/// Digits of the cursor's value.
const CURSOR_DIGITS: usize = 5;

/// One line of a legend.
#[derive(Clone, Debug, PartialEq)]
pub struct LegendEntry {
    /// A piece of the line, or the sign of the mark.
    pub sample: String,
    /// Style of the sample.
    pub style: CellStyle,
    /// What it stands for.
    pub label: String,
}

impl LegendEntry {
    /// Columns before an entry in a row of them.
    pub(super) const GAP: u16 = 3;

    /// Columns of sample, space and label, with the gap before them.
    pub(super) fn room(&self) -> u16 {
        columns(&self.sample)
            .saturating_add(1)
            .saturating_add(columns(&self.label))
            .saturating_add(Self::GAP)
    }
}

/// What a reader needs to know: the series where there are several, the marks that have a label, and
/// the cursor's value.
pub fn legend(figure: &Figure, charset: Charset) -> Vec<LegendEntry> {
    let mut entries = Vec::new();
    if figure.series.len() > 1 {
        entries.extend(figure.series.iter().map(|series| LegendEntry {
            sample: match series.look {
                Look::Joined | Look::Pieces | Look::Whole | Look::Filled => sample(series, charset),
                Look::Points => charset.point(series.role).to_string(),
            },
            style: CellStyle::Series(series.role),
            label: series.label.clone(),
        }));
    }
    let marks = figure.marks.iter().map(|mark| {
        let sign = (charset.mark(mark.kind), CellStyle::Mark(mark.kind));
        (sign, &mark.label)
    });
    let places = figure.places.iter();
    let places = places.map(|place| (sign(place.kind, charset), &place.label));
    for ((sample, style), label) in marks.chain(places) {
        let Some(label) = label else { continue };
        let entry = LegendEntry {
            sample: sample.to_string(),
            style,
            label: label.clone(),
        };
        if !entries.contains(&entry) {
            entries.push(entry);
        }
    }
    if let Some(at) = figure.cursor.filter(|at| at.is_finite()) {
        let at = number(at, CURSOR_DIGITS);
        let label = match figure.x.label.split_whitespace().next() {
            Some(name) => format!("{name} {at}"),
            None => at,
        };
        entries.push(LegendEntry {
            sample: charset.cursor().to_string(),
            style: CellStyle::Cursor,
            label,
        });
    }
    entries
}

/// A piece of a series' line, or of its area.
fn sample(series: &Series, charset: Charset) -> String {
    let role = series.role;
    let letter = Charset::letter(role);
    if charset == Charset::Ascii {
        return letter.to_string();
    }
    let mut raster = Raster::new(SAMPLE, 1, charset);
    let (across, down) = charset.dots();
    let end = f64::from(SAMPLE * across - 1);
    if series.look == Look::Filled {
        raster.fill(([0.0; 2], [end, f64::from(down)]), (0, role));
    } else {
        let pen = Pen {
            owner: 0,
            pattern: Pattern::of(role, charset),
        };
        raster.stroke([Some([0.0, 1.0]), Some([end, 1.0])].into_iter(), pen);
    }
    let mut canvas = Canvas::new(SAMPLE, 1);
    let style = CellStyle::Series(role);
    raster.write(&mut canvas, 0, 0, &[Ink { style, letter }]);
    canvas.to_text().trim_end().to_owned()
}
