//! A figure drawn: layout, axes, curves, marks, cursor.
//!
//! ```text
//!  title                                     ← from 6 rows on
//!     x1              ⠒⠒⠒⠒⠒ x1  ▲ fails      ← name of y and legend, from 10 rows on
//!    1.0 ┤⠙⠲⣄          ⢀⡴⠚⠙⠲⢤
//!        │  ⠈⢧        ⢠⠏    ⠈⢳
//!   -1.0 ┤    ⠳⢤⣠⣠⣠⡴⠋
//!        └┬────▲──────────▲───┬ t            ← from 3 rows on
//!         0                   2              ← from 4 rows on
//!           x1 = 0     x1 = 0                ← tags of the marks, from 12 rows on
//! ```
//!
//! Below the sizes named, and where the columns do not suffice, the curves get the room.

use super::canvas::{Canvas, CellStyle, Text, columns, sign};
use super::charset::Charset;
use super::figure::{Aspect, Figure, LegendPlace, Look, Mark, MarkedPoint};
use super::frame::Frame;
use super::legend::{LegendEntry, legend};
use super::range::Range;
use super::raster::{Ink, Pattern, Pen, Raster};
use super::ruler;
use super::scale::Scale;
use super::ticks::Ticks;

/// Fewest columns of curve that an axis with numbers may leave.
const LEAST_CURVE: u16 = 8;

/// From this width on, the columns for the numbers of y are at least [`GUTTER`], so that the axes of plots
/// above each other line up.
const ROOMY: u16 = 60;

/// Columns left of the axis in a roomy plot: `-0.005` and a blank.
const GUTTER: u16 = 7;

/// Columns right of the curves, for the right half of the last number.
const MARGIN: u16 = 2;

/// Most columns for the name of x at the end of its axis.
const LONGEST_NAME: u16 = 12;

/// Blanks between two tags.
const TAGS_APART: u16 = 2;

/// From this height on, the tags of the marks have a row.
const TAGGED: u16 = 12;

/// Draws a figure in `width` x `height` cells. Any size and any data will do.
pub fn draw(figure: &Figure, width: u16, height: u16, charset: Charset) -> Canvas {
    let mut canvas = Canvas::new(width, height);
    if width == 0 || height == 0 {
        return canvas;
    }
    let chart = Picture {
        figure,
        charset,
        layout: Layout::of(figure, (width, height), charset),
    };
    chart.draw_header(&mut canvas);
    chart.draw_curves(&mut canvas);
    let Layout { frame, y_ticks, .. } = &chart.layout;
    ruler::y_axis(&mut canvas, frame, y_ticks, charset);
    chart.draw_x_axis(&mut canvas);
    canvas.set_frame(chart.layout.frame);
    canvas
}

/// Where everything goes.
#[derive(Debug)]
struct Layout {
    frame: Frame,
    y_ticks: Ticks,
    x_ticks: Ticks,
    header: Vec<HeaderRow>,
    /// Rows below the curves: none, the axis, its numbers, the tags of the marks.
    below: u16,
}

/// A row above the curves.
#[derive(Debug)]
struct HeaderRow {
    words: String,
    style: CellStyle,
    legend: Vec<LegendEntry>,
}

impl Layout {
    fn of(figure: &Figure, (width, height): (u16, u16), charset: Charset) -> Self {
        let header = header(figure, (width, height), charset);
        let tagged = figure.marks.iter().any(|mark| !mark.tag.is_empty());
        let below = match height {
            0..=2 => 0,
            3 => 1,
            TAGGED.. if tagged => 3,
            _ => 2,
        };
        let top = header.len() as u16;
        let rows = height - below - top;
        let (x, y) = extent(figure);
        let name = columns(&figure.x.label).min(LONGEST_NAME);
        let margin = match (below, width) {
            (1.., 30..) if name > 0 => MARGIN.max(name + 2),
            (_, 20..) => MARGIN,
            _ => 0,
        };
        let mut frame = Frame {
            left: 0,
            top,
            cols: width,
            rows,
            x,
            y,
            scales: (figure.x.scale, figure.y.scale),
            dots: charset.dots(),
        };
        // Equal aspect depends on the width, the width on the numbers of y, and these on the aspect: the
        // second turn takes the first one's width at least.
        for _ in 0..2 {
            if figure.aspect == Aspect::Equal {
                frame = frame.with_equal_aspect(charset);
            }
            let numbers = frame.y_ticks().width() as u16 + 1;
            let gutter = numbers.max(if width >= ROOMY { GUTTER } else { 0 });
            let left = (gutter + 1).max(frame.left);
            if width >= left + LEAST_CURVE + margin && rows > 0 {
                frame.left = left;
                frame.cols = width - left - margin;
            } else {
                frame.left = 0;
            }
        }
        if figure.aspect == Aspect::Equal {
            (frame.x, frame.y) = (x, y);
            frame = frame.with_equal_aspect(charset);
        }
        Self {
            y_ticks: frame.y_ticks(),
            x_ticks: frame.x_ticks(),
            frame,
            header,
            below,
        }
    }
}

/// The ranges of both axes, before they are widened to equal aspect: those asked for, or those of the data.
pub fn extent(figure: &Figure) -> (Range, Range) {
    let scales = (figure.x.scale, figure.y.scale);
    let points = || {
        figure
            .series
            .iter()
            .flat_map(|s| &s.points)
            .filter(|p| scales.0.along(p[0]).is_finite() && scales.1.along(p[1]).is_finite())
    };
    let fit = |scale: Scale, ends: Option<(f64, f64)>| {
        ends.map(|(lo, hi)| match scale {
            Scale::Linear => Range::fit(lo, hi),
            Scale::Log => Range::fit_log(lo, hi),
        })
    };
    let unit = |scale: Scale| scale.values(Range::UNIT);
    // where a curve has a gap its axis goes on
    let across = figure.series.iter().flat_map(|s| &s.points);
    let across = across
        .map(|p| p[0])
        .filter(|&x| scales.0.along(x).is_finite());
    let x = figure
        .x
        .range
        .and_then(|ends| Range::asked_on(scales.0, ends))
        .or_else(|| fit(scales.0, Range::of(across)))
        .unwrap_or(unit(scales.0));
    let y = figure
        .y
        .range
        .and_then(|ends| Range::asked_on(scales.1, ends))
        // What is seen decides, not what lies beside it.
        .or_else(|| {
            let seen = points().filter(|p| x.contains(p[0]));
            fit(scales.1, Range::of(seen.map(|p| p[1])))
        })
        .or_else(|| fit(scales.1, Range::of(points().map(|p| p[1]))))
        .unwrap_or(unit(scales.1));
    (x, y)
}

/// The rows above the curves: title, name of y, and the legend in what room they leave.
fn header(figure: &Figure, (width, height): (u16, u16), charset: Charset) -> Vec<HeaderRow> {
    if figure.legend == LegendPlace::Outside || height < 6 {
        return Vec::new();
    }
    let most_rows = usize::from(height / 5);
    let words = [
        (&*figure.title, CellStyle::Title),
        (figure.y_name(), CellStyle::Label),
    ];
    let mut rows: Vec<HeaderRow> = words
        .into_iter()
        .filter(|(words, _)| !words.is_empty())
        .take(most_rows)
        .map(|(words, style)| HeaderRow {
            words: words.to_owned(),
            style,
            legend: Vec::new(),
        })
        .collect();
    let entries = legend(figure, charset);
    let only_cursor = entries.iter().all(|e| e.style == CellStyle::Cursor);
    if rows.is_empty() && only_cursor {
        return rows;
    }
    for entry in entries {
        let fits = |row: &HeaderRow| row.width().saturating_add(entry.room()) < width;
        if !rows.last().is_some_and(fits) && rows.len() < most_rows {
            rows.push(HeaderRow {
                words: String::new(),
                style: CellStyle::Label,
                legend: Vec::new(),
            });
        }
        // what has no room in the last row may have it above
        if let Some(row) = rows.iter_mut().rev().find(|row| fits(row)) {
            row.legend.push(entry);
        }
    }
    rows
}

impl HeaderRow {
    /// Columns of words and legend.
    fn width(&self) -> u16 {
        let words = columns(&self.words).saturating_add(1);
        let rooms = self.legend.iter().map(LegendEntry::room);
        rooms.fold(words, u16::saturating_add)
    }
}

/// A figure and the places of its parts.
struct Picture<'a> {
    figure: &'a Figure,
    charset: Charset,
    layout: Layout,
}

impl Picture<'_> {
    fn text<'t>(&self, words: &'t str, style: CellStyle, limit: u16) -> Text<'t> {
        Text::new(words, style, limit, self.charset)
    }

    fn draw_header(&self, canvas: &mut Canvas) {
        let width = canvas.width();
        for (row, header) in (0..).zip(&self.layout.header) {
            let axis = self.layout.frame.left.saturating_sub(1);
            let size = columns(&header.words);
            let rooms = header.legend.iter().map(LegendEntry::room);
            // The legend ends at the right edge.
            let mut col = rooms.fold(width - 1, u16::saturating_sub);
            // The name of y ends above its axis where it is short enough, or before the legend.
            let start = if header.style == CellStyle::Label && size < axis {
                (axis - size).min(col.saturating_sub(size))
            } else {
                u16::from(width > 20)
            };
            let limit = col.saturating_sub(start);
            canvas.write(start, row, self.text(&header.words, header.style, limit));
            for entry in &header.legend {
                col += LegendEntry::GAP;
                col += canvas.write(col, row, self.text(&entry.sample, entry.style, width)) + 1;
                col += canvas.write(col, row, self.text(&entry.label, CellStyle::Label, width));
            }
        }
    }

    fn draw_curves(&self, canvas: &mut Canvas) {
        let frame = &self.layout.frame;
        if let Some(col) = self.cursor_column() {
            for row in frame.top..frame.top + frame.rows {
                canvas.put(col, row, self.charset.cursor(), CellStyle::Cursor);
            }
        }
        let mut raster = Raster::new(frame.cols, frame.rows, self.charset);
        let series = &self.figure.series;
        for (owner, series) in series.iter().enumerate() {
            let mut places = series.points.iter().map(|&p| frame.dot(p));
            let pen = Pen {
                owner,
                pattern: Pattern::of(series.role, self.charset),
            };
            match series.look {
                Look::Joined | Look::Pieces | Look::Whole => raster.stroke(places, pen),
                Look::Filled => {
                    while let (Some(a), Some(b)) =
                        (places.next().flatten(), places.next().flatten())
                    {
                        raster.fill((a, b), (owner, series.role));
                    }
                }
                Look::Points => {}
            }
        }
        let inks: Vec<Ink> = series
            .iter()
            .map(|series| Ink {
                style: CellStyle::Series(series.role),
                letter: Charset::letter(series.role),
            })
            .collect();
        let points = self.points();
        if raster.is_blank() && points.is_empty() && !series.is_empty() {
            self.draw_remark(canvas);
        }
        raster.write(canvas, frame.left, frame.top, &inks);
        for (col, row, role) in points {
            canvas.put(col, row, self.charset.point(role), CellStyle::Series(role));
        }
        self.draw_places(canvas);
    }

    /// The cells of samples that are not joined, and the roles of their series; the first series comes last.
    fn points(&self) -> Vec<(u16, u16, u8)> {
        let frame = &self.layout.frame;
        let series = self.figure.series.iter().rev();
        let series = series.filter(|series| series.look == Look::Points);
        let cell = |[x, y]: [f64; 2]| Some((frame.column_at_x(x)?, frame.row_at_y(y)?));
        let cells = series.flat_map(|series| {
            let cells = series.points.iter().filter_map(|&point| cell(point));
            cells.map(|(col, row)| (col, row, series.role))
        });
        cells.collect()
    }

    /// The signs at places, then their tags, each beside its sign where nothing else stands.
    fn draw_places(&self, canvas: &mut Canvas) {
        let frame = &self.layout.frame;
        let mut places: Vec<(u16, u16, &MarkedPoint)> = self
            .figure
            .places
            .iter()
            .filter_map(|place| {
                let [x, y] = place.at;
                Some((frame.column_at_x(x)?, frame.row_at_y(y)?, place))
            })
            .collect();
        places.sort_by_key(|(_, _, place)| place.kind);
        for (col, row, place) in &places {
            let (symbol, style) = sign(place.kind, self.charset);
            canvas.put(*col, *row, symbol, style);
        }
        for (col, row, place) in places {
            let size = columns(&place.tag);
            let right = (size > 0).then_some(col + 2);
            let left = col.checked_sub(size + 1).filter(|_| size > 0);
            let rows = [row, row.saturating_sub(1), row + 1];
            let free = |&(start, row): &(u16, u16)| {
                let from = start.saturating_sub(1);
                start > frame.left
                    && start + size <= frame.left + frame.cols
                    && (frame.top..frame.top + frame.rows).contains(&row)
                    && (from..=start + size).all(|c| {
                        c == col || canvas.cell(c, row).is_none_or(|cell| cell.symbol == ' ')
                    })
            };
            let spots = rows
                .iter()
                .flat_map(|row| right.into_iter().chain(left).map(|start| (start, *row)));
            let spot = spots.into_iter().find(free);
            if let Some((start, row)) = spot {
                let (_, style) = sign(place.kind, self.charset);
                canvas.write(start, row, self.text(&place.tag, style, size));
            }
        }
    }

    /// Why there is no curve.
    fn draw_remark(&self, canvas: &mut Canvas) {
        let frame = &self.layout.frame;
        let points = || self.figure.series.iter().flat_map(|s| &s.points);
        let remark = if points().next().is_none() {
            "no samples"
        } else if points().all(|p| !p[0].is_finite() || !p[1].is_finite()) {
            "no finite numbers"
        } else if points().all(|p| frame.dot(*p).is_none()) {
            "no positive numbers"
        } else {
            "nothing in this range"
        };
        let size = columns(remark);
        if size <= frame.cols && frame.rows > 0 {
            let col = frame.left + (frame.cols - size) / 2;
            let row = frame.top + (frame.rows - 1) / 2;
            canvas.write(col, row, self.text(remark, CellStyle::Dim, size));
        }
    }

    fn draw_x_axis(&self, canvas: &mut Canvas) {
        let Layout { frame, below, .. } = &self.layout;
        let row = frame.top + frame.rows;
        if *below == 0 {
            return;
        }
        if let Some(axis) = frame.left.checked_sub(1) {
            canvas.put(axis, row, self.charset.pick('└', '+'), CellStyle::Axis);
        }
        for col in frame.left..frame.left + frame.cols {
            canvas.put(col, row, self.charset.pick('─', '-'), CellStyle::Axis);
        }
        let cursor = self.cursor_column();
        if let Some(col) = cursor {
            canvas.put(col, row, self.charset.pick('┴', '|'), CellStyle::Axis);
        }
        // Where the last number ended.
        let mut free = 0;
        for (value, label) in &self.layout.x_ticks.at {
            let Some(col) = frame.column_at_x(*value) else {
                continue;
            };
            let sign = if cursor == Some(col) {
                self.charset.pick('┼', '|')
            } else {
                self.charset.pick('┬', '+')
            };
            canvas.put(col, row, sign, CellStyle::Axis);
            let size = label.len() as u16;
            let start = col.checked_sub(size / 2);
            let Some(start) = start.filter(|s| *s >= free && s + size <= canvas.width()) else {
                continue;
            };
            if *below > 1 {
                canvas.write(start, row + 1, self.text(label, CellStyle::Axis, size));
                free = start + size + 1;
            }
        }
        self.draw_marks(canvas, row);
        let end = frame.left + frame.cols + 1;
        let name = &self.figure.x.label;
        let size = columns(name).min(LONGEST_NAME);
        if end + size <= canvas.width() {
            canvas.write(end, row, self.text(name, CellStyle::Label, size));
        }
    }

    fn draw_marks(&self, canvas: &mut Canvas, row: u16) {
        let mut marks: Vec<&Mark> = self.figure.marks.iter().collect();
        // The most important one of a column is written last.
        marks.sort_by_key(|mark| std::cmp::Reverse(mark.kind));
        for mark in marks {
            if let Some(col) = self.layout.frame.column_at_x(mark.x) {
                let sign = self.charset.mark(mark.kind);
                canvas.put(col, row, sign, CellStyle::Mark(mark.kind));
            }
        }
        if self.layout.below > 2 {
            self.draw_tags(canvas, row + 2);
        }
    }

    /// The words at the marks, from left to right as far as they do not run into each other.
    fn draw_tags(&self, canvas: &mut Canvas, row: u16) {
        let tagged = self.figure.marks.iter().filter(|mark| !mark.tag.is_empty());
        let place = |mark: &Mark| self.layout.frame.column_at_x(mark.x);
        let mut places: Vec<(u16, &Mark)> = tagged
            .filter_map(|mark| Some((place(mark)?, mark)))
            .collect();
        places.sort_by_key(|&(col, mark)| (col, mark.kind));
        let mut free = 0;
        for (col, mark) in places {
            let size = columns(&mark.tag);
            let start = col.saturating_sub(size / 2);
            if start >= free && start + size <= canvas.width() {
                let style = CellStyle::Mark(mark.kind);
                canvas.write(start, row, self.text(&mark.tag, style, size));
                free = start + size + TAGS_APART;
            }
        }
    }

    fn cursor_column(&self) -> Option<u16> {
        let at = self.figure.cursor?;
        self.layout.frame.column_at_x(at)
    }
}
