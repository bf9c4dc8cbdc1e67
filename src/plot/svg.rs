//! Figures as SVG 1.1, for a paper: the curves as vectors, in the ranges and with the ticks of the text.
//!
//! A curve is thinned as in [`super::draw`], two columns a unit of length, and clipped to its field; what is
//! not a number breaks its path. Series differ in colour (Okabe and Ito's, told apart by every kind of
//! eye) and in line pattern, so that a print in grey is as good. Text is escaped and holds no character that
//! XML forbids: nothing in a system file can end or add an element. Same figures, same bytes.

use super::canvas::CellStyle;
use super::charset::Charset;
use super::figure::{Aspect, Figure, Look, Mark, Series};
use super::frame::equal_aspect;
use super::legend::{LegendEntry, legend};
use super::picture::extent;
use super::range::Range;
use super::raster::thin;
use super::scale::Scale;
use super::sign::{MarkKind, PointKind};
use super::ticks::{Ticks, trimmed};
use std::fmt::Write;

/// Size of the text, in the unit of length of the drawing.
const FONT: f64 = 12.0;
/// Part of the size of the text that a character is wide on average, on the safe side.
const WIDE: f64 = 0.58;
/// Between words and what they stand at.
const GAP: f64 = 6.0;
/// Length of a tick.
const TICK: f64 = 4.0;
/// Length of the piece of a line in the legend.
const SAMPLE: f64 = 28.0;
/// Between two ticks of y at least.
const APART: f64 = 32.0;
/// Columns of a thinned curve in a unit of length.
const FINE: f64 = 2.0;
/// The radius of a sample that is not joined.
const POINT: f64 = 2.5;
/// The width of a point that stands alone.
const DOT: f64 = 4.0;
/// No place is further outside the drawing: viewers compute with single precision.
const FAR: f64 = 1e5;

/// Colours by role.
const COLOURS: [&str; 8] = [
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#56B4E9", "#E69F00", "#7F3C8D",
];
/// Patterns by role: solid, dashed, dotted, dash and dot, as in text.
const PATTERNS: [&str; 4] = ["", DASHED, "1.5 3.5", "8 3.5 1.5 3.5"];
const DASHED: &str = "7 4";

/// Draws the figures below each other, each `width` by `height`.
pub fn svg(figures: &[Figure], (width, height): (f64, f64)) -> String {
    let whole = height * figures.len() as f64;
    let (w, h) = (short(width), short(whole));
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"{w}\" height=\"{h}\" \
         viewBox=\"0 0 {w} {h}\" role=\"img\" \
         font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\" font-size=\"{FONT}\">"
    );
    let titles: Vec<String> = figures.iter().map(heading).collect();
    let _ = writeln!(out, "<title>{}</title>", escaped(&titles.join("; ")));
    let _ = writeln!(out, "<rect width=\"{w}\" height=\"{h}\" fill=\"#ffffff\"/>");
    for (number, figure) in figures.iter().enumerate() {
        let top = short(height * number as f64);
        let _ = writeln!(out, "<g transform=\"translate(0 {top})\">");
        Drawing::new(figure, number, (width, height)).write(&mut out);
        out.push_str("</g>\n");
    }
    out.push_str("</svg>\n");
    out
}

/// The title of a figure, or what is drawn in it: `x1, x2 over t`.
fn heading(figure: &Figure) -> String {
    if !figure.title.is_empty() {
        return figure.title.clone();
    }
    let names: Vec<&str> = match figure.y.label.as_str() {
        "" => figure.series.iter().map(|s| s.label.as_str()).collect(),
        name => vec![name],
    };
    match figure.x.label.as_str() {
        "" => names.join(", "),
        across => format!("{} over {across}", names.join(", ")),
    }
}

/// A figure and the field of its curves.
struct Drawing<'a> {
    figure: &'a Figure,
    number: usize,
    left: f64,
    top: f64,
    width: f64,
    height: f64,
    x: Range,
    y: Range,
    x_ticks: Ticks,
    y_ticks: Ticks,
    /// Rows of the legend: each entry with its place.
    legend: Vec<(f64, f64, LegendEntry)>,
}

impl<'a> Drawing<'a> {
    fn new(figure: &'a Figure, number: usize, (width, height): (f64, f64)) -> Self {
        let row = FONT * 1.5;
        let scales = (figure.x.scale, figure.y.scale);
        let (x, y) = extent(figure);
        let mut drawing = Self {
            figure,
            number,
            left: 60.0,
            top: GAP,
            width: 1.0,
            height: 1.0,
            x,
            y,
            x_ticks: Ticks::default(),
            y_ticks: Ticks::default(),
            legend: Vec::new(),
        };
        if !figure.title.is_empty() {
            drawing.top += row;
        }
        drawing.place_legend(width);
        if figure.marks.iter().any(|mark| !mark.tag.is_empty()) {
            drawing.top += row;
        }
        drawing.top += GAP;
        let below = TICK + row + if figure.x.label.is_empty() { 0.0 } else { row };
        drawing.height = (height - drawing.top - below - GAP).max(10.0);
        // the width depends on the numbers of y, and these, where both axes have one unit, on the width
        for _ in 0..3 {
            drawing.width = (width - drawing.left - 2.0 * FONT).max(10.0);
            if figure.aspect == Aspect::Equal {
                let field = (drawing.width, drawing.height);
                (drawing.x, drawing.y) = equal_aspect((x, y), scales, field);
            }
            let length = |units: f64| units.clamp(2.0, 6e4) as u16;
            drawing.y_ticks = Ticks::on(scales.1, drawing.y, length(drawing.height), |_| APART);
            drawing.x_ticks = Ticks::on(scales.0, drawing.x, length(drawing.width), |size| {
                (size as f64 + 3.0) * FONT * WIDE
            });
            let numbers = drawing.y_ticks.width() as f64 * FONT * WIDE;
            let name = if figure.y_name().is_empty() { 0.0 } else { row };
            drawing.left = GAP + name + numbers + GAP + TICK;
        }
        drawing
    }

    /// The entries in rows below the title; the field begins below them.
    fn place_legend(&mut self, width: f64) {
        let entries = legend(self.figure, Charset::Braille);
        let entries = entries
            .into_iter()
            .filter(|entry| entry.style != CellStyle::Cursor);
        let (mut at, row) = (GAP, FONT * 1.5);
        for entry in entries {
            let room = sample(entry.style) + GAP + wide(&entry.label) + 2.0 * FONT;
            if at == GAP || at + room > width {
                at = GAP;
                self.top += row;
            }
            self.legend.push((at, self.top - row / 2.0, entry));
            at += room;
        }
    }

    /// The place of a point in the drawing.
    fn place(&self, point: [f64; 2]) -> Option<[f64; 2]> {
        let scales = (self.figure.x.scale, self.figure.y.scale);
        let part = |scale: Scale, range: Range, value: f64| {
            let ends = scale.ends(range);
            (scale.along(value) - ends.lo) / ends.span()
        };
        let x = self.left + part(scales.0, self.x, point[0]) * self.width;
        let y = self.top + (1.0 - part(scales.1, self.y, point[1])) * self.height;
        (point.iter().all(|v| v.is_finite()) && x.is_finite() && y.is_finite())
            .then(|| [x.clamp(-FAR, FAR), y.clamp(-FAR, FAR)])
    }

    fn column(&self, x: f64) -> Option<f64> {
        let [column, _] = self.place([x, self.y.hi])?;
        let inside = self.left - 0.01..=self.left + self.width + 0.01;
        inside.contains(&column).then_some(column)
    }

    fn write(&self, out: &mut String) {
        let (left, top) = (short(self.left), short(self.top));
        let (width, height) = (short(self.width), short(self.height));
        if !self.figure.title.is_empty() {
            let style = "font-weight=\"bold\"";
            text(out, (GAP, GAP + FONT), style, &self.figure.title);
        }
        self.write_legend(out);
        self.write_axes(out);
        self.write_marks(out);
        let _ = writeln!(
            out,
            "<clipPath id=\"field{}\"><rect x=\"{left}\" y=\"{top}\" width=\"{width}\" \
             height=\"{height}\"/></clipPath>",
            self.number
        );
        let _ = writeln!(
            out,
            "<g clip-path=\"url(#field{})\" fill=\"none\" stroke-width=\"1.5\" \
             stroke-linejoin=\"round\" stroke-linecap=\"round\">",
            self.number
        );
        // the first series is in front
        for series in self.figure.series.iter().rev() {
            match series.look {
                Look::Points => {
                    self.write_points(series, out);
                    continue;
                }
                Look::Filled => {
                    self.write_areas(series, out);
                    continue;
                }
                Look::Joined | Look::Pieces | Look::Whole => {}
            }
            let (path, dots) = self.path(&series.points);
            let ink = match series.look {
                Look::Joined => stroke(series.role),
                _ => solid(series.role),
            };
            let _ = writeln!(out, "<path {ink} d=\"{path}\"/>");
            if !dots.is_empty() {
                let ink = solid(series.role);
                let _ = writeln!(out, "<path {ink} stroke-width=\"{DOT}\" d=\"{dots}\"/>");
            }
        }
        out.push_str("</g>\n");
        // the frame lies over what runs along it
        let _ = writeln!(
            out,
            "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" fill=\"none\" \
             stroke=\"#000000\"/>"
        );
        for mark in &self.figure.marks {
            if let Some(at) = self.column(mark.x) {
                sign(out, (at, self.top + self.height - 4.0), mark.kind);
            }
        }
        for place in &self.figure.places {
            let [x, y] = place.at;
            let inside = self.x.contains(x) && self.y.contains(y);
            let Some([x, y]) = self.place(place.at).filter(|_| inside) else {
                continue;
            };
            point(out, (x, y), place.kind);
            if !place.tag.is_empty() {
                text(out, (x + GAP, y - GAP), "", &place.tag);
            }
        }
    }

    /// The places of points, thinned, one after the other; nothing where there is no number.
    fn thinned(&self, points: &[[f64; 2]], mut take: impl FnMut(Option<[String; 2]>)) {
        let places = points.iter();
        let places = places.map(|&point| self.place(point).map(|at| at.map(|v| v * FINE)));
        thin(places, |place| {
            take(place.map(|at| at.map(|v| short(v / FINE))));
        });
    }

    /// A circle at each sample.
    fn write_points(&self, series: &Series, out: &mut String) {
        let mut last = None;
        self.thinned(&series.points, |at| {
            if let Some(at) = at.as_ref().filter(|_| at != last) {
                circle(out, at, series.role);
            }
            last = at;
        });
    }

    /// The curve as a path, and its points that stand alone.
    fn path(&self, points: &[[f64; 2]]) -> (String, String) {
        let (mut path, mut dots) = (String::new(), String::new());
        let mut last = String::new();
        // points of the piece under way
        let mut count = 0;
        self.thinned(points, |place| {
            let Some([x, y]) = place else {
                if count == 1 {
                    path.truncate(path.len() - last.len() - 1);
                    let _ = write!(dots, "M{last}h0");
                }
                count = 0;
                return;
            };
            let at = format!("{x} {y}");
            if count > 0 && at == last {
                return;
            }
            path.push(if count == 0 { 'M' } else { 'L' });
            path.push_str(&at);
            last = at;
            count += 1;
        });
        (path, dots)
    }

    fn write_axes(&self, out: &mut String) {
        let (bottom, right) = (self.top + self.height, self.left + self.width);
        let mut lines = String::new();
        let mut ticks = String::new();
        for (value, label) in &self.x_ticks.at {
            let Some(at) = self.column(*value) else {
                continue;
            };
            let (x, y) = (short(at), short(bottom));
            let _ = write!(lines, "M{x} {y}V{}", short(self.top));
            let _ = write!(ticks, "M{x} {y}v{TICK}");
            let below = bottom + TICK + FONT;
            text(out, (at, below), "text-anchor=\"middle\"", label);
        }
        for (value, label) in &self.y_ticks.at {
            let Some([_, at]) = self.place([self.x.lo, *value]) else {
                continue;
            };
            let (x, y) = (short(self.left), short(at));
            let _ = write!(lines, "M{x} {y}H{}", short(right));
            let _ = write!(ticks, "M{x} {y}h-{TICK}");
            let place = (self.left - TICK - GAP / 2.0, at + FONT * 0.35);
            text(out, place, "text-anchor=\"end\"", label);
        }
        let _ = writeln!(
            out,
            "<path d=\"{lines}\" fill=\"none\" stroke=\"#e4e4e4\"/>"
        );
        let _ = writeln!(
            out,
            "<path d=\"{ticks}\" fill=\"none\" stroke=\"#000000\"/>"
        );
        if !self.figure.x.label.is_empty() {
            let place = (self.left + self.width / 2.0, bottom + TICK + 2.4 * FONT);
            text(out, place, "text-anchor=\"middle\"", &self.figure.x.label);
        }
        let name = self.figure.y_name();
        if !name.is_empty() {
            let (x, y) = (GAP + FONT * 0.8, self.top + self.height / 2.0);
            let turned = format!(
                "text-anchor=\"middle\" transform=\"rotate(-90 {} {})\"",
                short(x),
                short(y)
            );
            text(out, (x, y), &turned, name);
        }
    }

    /// A line at each mark, and its tag where it does not run into the one before.
    fn write_marks(&self, out: &mut String) {
        let mut marks: Vec<(f64, &Mark)> = self
            .figure
            .marks
            .iter()
            .filter_map(|mark| Some((self.column(mark.x)?, mark)))
            .collect();
        marks.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut free = 0.0;
        for (at, mark) in marks {
            let _ = writeln!(
                out,
                "<path d=\"M{} {}v{}\" stroke=\"{}\" stroke-width=\"0.7\" stroke-dasharray=\"2 3\"/>",
                short(at),
                short(self.top),
                short(self.height),
                colour(mark.kind)
            );
            let half = wide(&mark.tag) / 2.0;
            if !mark.tag.is_empty() && at - half >= free {
                let style = format!("text-anchor=\"middle\" fill=\"{}\"", colour(mark.kind));
                text(out, (at, self.top - GAP * 0.8), &style, &mark.tag);
                free = at + half + FONT;
            }
        }
        if let Some(at) = self.figure.cursor.and_then(|at| self.column(at)) {
            let (x, top) = (short(at), short(self.top));
            let height = short(self.height);
            let _ = writeln!(out, "<path d=\"M{x} {top}v{height}\" stroke=\"#808080\"/>");
        }
    }

    /// Rectangles by their corners.
    fn write_areas(&self, series: &Series, out: &mut String) {
        let mut path = String::new();
        for corners in series.points.chunks_exact(2) {
            if let (Some(a), Some(b)) = (self.place(corners[0]), self.place(corners[1])) {
                let [left, top, right, bottom] = [a[0], a[1], b[0], b[1]].map(short);
                let _ = write!(path, "M{left} {top}H{right}V{bottom}H{left}z");
            }
        }
        let _ = writeln!(out, "<path {} d=\"{path}\"/>", fill(series.role));
    }

    /// How is the series of this role drawn?
    fn look(&self, role: u8) -> Look {
        let mut series = self.figure.series.iter();
        let own = series.find(|series| series.role == role);
        own.map_or(Look::default(), |series| series.look)
    }

    fn write_legend(&self, out: &mut String) {
        for (x, y, entry) in &self.legend {
            match entry.style {
                CellStyle::Series(role) if self.look(role) == Look::Filled => {
                    let (x, y) = (short(*x), short(*y - FONT / 2.0));
                    let _ = writeln!(
                        out,
                        "<path {} d=\"M{x} {y}h{SAMPLE}v{FONT}h-{SAMPLE}z\"/>",
                        fill(role)
                    );
                }
                CellStyle::Series(role) if self.look(role) == Look::Points => {
                    circle(out, &[x + SAMPLE / 2.0, *y].map(short), role);
                }
                CellStyle::Series(role) => {
                    let ink = match self.look(role) {
                        Look::Whole => solid(role),
                        Look::Pieces => format!("{} stroke-dasharray=\"{DASHED}\"", solid(role)),
                        _ => stroke(role),
                    };
                    let _ = writeln!(
                        out,
                        "<path {ink} stroke-width=\"1.5\" fill=\"none\" d=\"M{} {}h{SAMPLE}\"/>",
                        short(*x),
                        short(*y)
                    );
                }
                CellStyle::Mark(kind) => sign(out, (x + FONT / 2.0, *y), kind),
                CellStyle::Body | CellStyle::Label => {
                    let kind = match entry.style {
                        CellStyle::Body => PointKind::Body,
                        _ => PointKind::Anchor,
                    };
                    point(out, (x + FONT / 2.0, *y), kind);
                }
                _ => {}
            }
            let words = x + sample(entry.style) + GAP;
            text(out, (words, y + FONT * 0.35), "", &entry.label);
        }
    }
}

/// The length of what stands before an entry of the legend.
fn sample(style: CellStyle) -> f64 {
    match style {
        CellStyle::Series(_) => SAMPLE,
        _ => FONT,
    }
}

/// Colour and pattern of a series.
fn stroke(role: u8) -> String {
    let ink = solid(role);
    match PATTERNS[usize::from(role) % PATTERNS.len()] {
        "" => ink,
        pattern => format!("{ink} stroke-dasharray=\"{pattern}\""),
    }
}

/// Its colour alone.
fn solid(role: u8) -> String {
    let colour = COLOURS[usize::from(role) % COLOURS.len()];
    format!("stroke=\"{colour}\"")
}

/// Colour and depth of an area.
fn fill(role: u8) -> String {
    const DEPTHS: [&str; 4] = ["0.2", "0.5", "1", "0.75"];
    let colour = COLOURS[usize::from(role) % COLOURS.len()];
    let depth = DEPTHS[usize::from(role) % DEPTHS.len()];
    format!("fill=\"{colour}\" fill-opacity=\"{depth}\"")
}

/// A sample that is not joined.
fn circle(out: &mut String, [x, y]: &[String; 2], role: u8) {
    let ink = solid(role);
    let _ = writeln!(
        out,
        "<circle cx=\"{x}\" cy=\"{y}\" r=\"{POINT}\" fill=\"none\" {ink}/>"
    );
}

fn colour(kind: MarkKind) -> &'static str {
    match kind {
        MarkKind::Failure => "#B00000",
        MarkKind::Flag => "#8A5A00",
        MarkKind::Event => "#404040",
    }
}

/// A triangle, hollow for a flag; a diamond for an event.
fn sign(out: &mut String, (x, y): (f64, f64), kind: MarkKind) {
    let corners = match kind {
        MarkKind::Event => "m0 -4.5l4 4.5l-4 4.5l-4 -4.5z",
        MarkKind::Failure | MarkKind::Flag => "m0 -4l4.5 8h-9z",
    };
    let ink = colour(kind);
    let fill = if kind == MarkKind::Flag {
        "#ffffff"
    } else {
        ink
    };
    let _ = writeln!(
        out,
        "<path d=\"M{} {}{corners}\" fill=\"{fill}\" stroke=\"{ink}\"/>",
        short(x),
        short(y)
    );
}

/// A sign at a place of the field.
fn point(out: &mut String, (x, y): (f64, f64), kind: PointKind) {
    let fill = match kind {
        PointKind::Failure => return sign(out, (x, y), MarkKind::Failure),
        PointKind::Anchor => "#ffffff",
        PointKind::Body => "#000000",
    };
    let (x, y) = (short(x), short(y));
    let _ = writeln!(
        out,
        "<circle cx=\"{x}\" cy=\"{y}\" r=\"4\" fill=\"{fill}\" stroke=\"#000000\"/>"
    );
}

fn text(out: &mut String, (x, y): (f64, f64), style: &str, words: &str) {
    let blank = if style.is_empty() { "" } else { " " };
    let _ = writeln!(
        out,
        "<text x=\"{}\" y=\"{}\"{blank}{style}>{}</text>",
        short(x),
        short(y),
        escaped(words)
    );
}

/// The length of words, about.
fn wide(words: &str) -> f64 {
    f64::from(super::canvas::columns(words)) * FONT * WIDE
}

/// A number to two places, without zeros at its end.
fn short(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = trimmed(&text);
    if text == "-0" { "0" } else { text }.to_owned()
}

/// Text as the content of an element: what XML gives a meaning is escaped, what it forbids shows as `?`.
pub fn escaped(words: &str) -> String {
    let mut text = String::with_capacity(words.len());
    for symbol in words.chars() {
        match symbol {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '"' => text.push_str("&quot;"),
            '\'' => text.push_str("&#39;"),
            symbol if symbol.is_control() => text.push('?'),
            '\u{fffe}' | '\u{ffff}' => text.push('?'),
            symbol => text.push(symbol),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::figure::Axis;
    use super::*;

    /// The elements of a document, each with its depth; fails where it is not well-formed.
    fn elements(text: &str) -> Vec<(usize, String)> {
        let mut open: Vec<&str> = Vec::new();
        let mut list = Vec::new();
        let mut rest = text;
        while let Some(at) = rest.find('<') {
            let content = &rest[..at];
            assert!(!content.contains('>'), "{content}");
            for part in content.split('&').skip(1) {
                let (name, _) = part.split_once(';').expect("an entity ends");
                assert!(["amp", "lt", "gt", "quot", "#39"].contains(&name), "{name}");
            }
            let end = at + rest[at..].find('>').expect("a tag ends");
            let tag = &rest[at + 1..end];
            rest = &rest[end + 1..];
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name));
                continue;
            }
            assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
            let name = tag.split([' ', '/']).next().unwrap();
            list.push((open.len(), name.to_owned()));
            if !tag.ends_with('/') {
                open.push(name);
            }
        }
        assert!(open.is_empty(), "{open:?}");
        list
    }

    fn figure(points: Vec<[f64; 2]>) -> Figure {
        Figure {
            series: vec![Series::new("x1", points, 0)],
            x: Axis {
                label: "t".to_owned(),
                ..Axis::default()
            },
            ..Figure::default()
        }
    }

    /// The paths of the curves.
    fn curves(text: &str) -> Vec<&str> {
        let field = text.split("<g clip-path").nth(1).unwrap();
        let field = field.split("</g>").next().unwrap();
        let paths = field.split(" d=\"").skip(1);
        paths.map(|path| path.split('"').next().unwrap()).collect()
    }

    #[test]
    fn text_of_a_file_stays_text() {
        let mut plot = figure(vec![[0.0, 0.0], [1.0, 1.0]]);
        let hostile = "</text><script>alert(\"1\")</script>&amp;\u{1b}]0;\u{0}\u{ffff}'";
        plot.title = hostile.to_owned();
        plot.x.label = hostile.to_owned();
        plot.series[0].label = hostile.to_owned();
        plot.marks.push(Mark {
            x: 0.5,
            label: Some(hostile.to_owned()),
            tag: hostile.to_owned(),
            kind: MarkKind::Event,
        });
        let text = svg(&[plot.clone(), plot], (640.0, 400.0));
        let list = elements(&text);
        assert!(list.iter().all(|(_, name)| name != "script"));
        assert!(!text.contains(['\u{1b}', '\u{0}', '\u{ffff}']));
        assert!(text.contains("&lt;/text&gt;&lt;script&gt;alert(&quot;1&quot;)"));
    }

    #[test]
    fn a_drawing_without_a_title_is_called_by_what_is_drawn() {
        let mut other = figure(vec![[0.0, 0.0], [1.0, 1.0]]);
        other.series.push(Series::new("x2", Vec::new(), 1));
        let text = svg(&[figure(Vec::new()), other], (640.0, 400.0));
        assert!(
            text.contains("<title>x1 over t; x1, x2 over t</title>"),
            "{text}"
        );
    }

    #[test]
    fn a_spike_of_one_sample_in_a_million_is_in_the_path() {
        let mut points: Vec<[f64; 2]> = (0..=1_000_000)
            .map(|i| [f64::from(i) * 1e-5, 0.0])
            .collect();
        points[637_123][1] = 1.0;
        let plot = figure(points);
        let drawing = Drawing::new(&plot, 0, (800.0, 480.0));
        let [x, y] = drawing.place([6.371_23, 1.0]).unwrap();
        let tip = format!("L{} {}L", short(x), short(y));
        let text = svg(std::slice::from_ref(&plot), (800.0, 480.0));
        assert!(curves(&text)[0].contains(&tip), "{tip}");
        assert!(text.len() < 100_000, "{} bytes", text.len());
    }

    #[test]
    fn a_gap_breaks_the_path_and_a_point_alone_is_a_dot() {
        let gap = f64::NAN;
        let plot = figure(vec![
            [0.0, 0.0],
            [1.0, 1.0],
            [2.0, gap],
            [3.0, 1.0],
            [4.0, gap],
        ]);
        let text = svg(&[plot], (640.0, 400.0));
        let paths = curves(&text);
        let count = |path: &str, letter| path.matches(letter).count();
        assert_eq!((count(paths[0], 'M'), count(paths[0], 'L')), (1, 1));
        // no pattern of dashes hides it
        assert!(
            count(paths[1], 'M') == 1 && paths[1].ends_with("h0"),
            "{paths:?}"
        );
        assert!(!text.contains("NaN") && !text.contains("inf"));
    }

    #[test]
    fn a_logarithmic_axis_has_no_place_for_zero() {
        let mut plot = figure((0..=10).map(|i| [f64::from(i), 10_f64.powi(i)]).collect());
        plot.x.scale = Scale::Log;
        plot.y.scale = Scale::Log;
        let drawing = Drawing::new(&plot, 0, (640.0, 400.0));
        assert_eq!(drawing.place([0.0, 1.0]), None);
        // x = 1, 2, 4, 8 lie equally far apart
        let at = |x| drawing.place([x, 1.0]).unwrap()[0];
        assert!((at(2.0) - at(1.0) - (at(8.0) - at(4.0))).abs() < 1e-9);
        let path = curves(&svg(&[plot], (640.0, 400.0)))[0]
            .matches('L')
            .count();
        assert_eq!(path, 9);
    }

    #[test]
    fn one_unit_for_both_axes() {
        let mut plot = figure(vec![[-2.0, 0.0], [2.0, 0.0], [0.0, 2.0], [0.0, -2.0]]);
        plot.aspect = Aspect::Equal;
        let drawing = Drawing::new(&plot, 0, (800.0, 480.0));
        let [a, b, c, d] = [[-2.0, 0.0], [2.0, 0.0], [0.0, 2.0], [0.0, -2.0]]
            .map(|point| drawing.place(point).unwrap());
        assert!((b[0] - a[0] - (d[1] - c[1])).abs() < 1e-6);
    }

    #[test]
    fn a_figure_reads_like_this() {
        let mut plot = figure(vec![
            [0.0, 1.0],
            [1.0, 3.0],
            [2.0, f64::NAN],
            [3.0, 2.0],
            [4.0, 5.0],
        ]);
        plot.title = "A figure".to_owned();
        let ends = vec![[0.0, 5.0], [4.0, 1.0]];
        plot.series.push(Series::new("x2", ends.clone(), 1));
        plot.series.push(Series {
            look: Look::Points,
            ..Series::new("data.x2", ends, 2)
        });
        plot.marks.push(Mark {
            x: 1.5,
            label: Some("the theorem fails for x1".to_owned()),
            tag: "x1 = 0".to_owned(),
            kind: MarkKind::Failure,
        });
        insta::assert_snapshot!(svg(&[plot], (400.0, 240.0)));
    }

    #[test]
    fn series_differ_in_pattern_and_colour() {
        let strokes: std::collections::HashSet<String> = (0..8).map(stroke).collect();
        assert_eq!(strokes.len(), 8);
    }

    #[test]
    fn any_numbers_make_a_document() {
        for points in [
            vec![],
            vec![[f64::NAN, 1.0]],
            vec![[1e308, -1e308], [-1e308, 1e308]],
            vec![[5e-324, 0.0], [0.0, f64::INFINITY]],
            vec![[1.0, 1.0]],
        ] {
            for scale in [Scale::Linear, Scale::Log] {
                for size in [(0.0, 0.0), (80.0, 32.0), (800.0, 480.0)] {
                    let mut plot = figure(points.clone());
                    plot.y.scale = scale;
                    plot.aspect = Aspect::Equal;
                    let text = svg(&[plot], size);
                    elements(&text);
                    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
                }
            }
        }
    }
}
