//! A picture of the system in its plane: bodies, rods, the wire they run on, the trail they leave.
//!
//! A unit is as long across as it is up, and y points up. Axes there are where they have names.

use super::canvas::{Canvas, CellStyle, sign};
use super::charset::Charset;
use super::frame::Frame;
use super::range::Range;
use super::raster::{Ink, Pattern, Pen, Raster};
use super::ruler;
use super::scale::Scale;
use super::sign::PointKind;

/// Part of the extent that is left free on each side.
const BORDER: f64 = 0.04;

/// Lines are told apart by this many roles.
const ROLES: u8 = 8;

/// What to draw.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// Bodies and anchors, in front of everything.
    pub points: Vec<ScenePoint>,
    /// Rods, wires, outlines.
    pub polylines: Vec<Polyline>,
    /// Where a body was, dotted and behind everything; a place that is not finite is a gap.
    pub trail: Vec<[f64; 2]>,
    /// Least and greatest corner of what is shown; `None`: all there is. A moving picture sets it, or
    /// the scale would move too.
    pub bounds: Option<([f64; 2], [f64; 2])>,
    /// What is measured across and up; `None`: no axes.
    pub axes: Option<[String; 2]>,
}

/// A sign at a place.
#[derive(Clone, Debug, PartialEq)]
pub struct ScenePoint {
    /// Where.
    pub at: [f64; 2],
    /// What it is.
    pub kind: PointKind,
}

/// A line through places in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Polyline {
    /// The places; one that is not finite is a gap.
    pub points: Vec<[f64; 2]>,
    /// Number of the colour.
    pub role: u8,
}

impl Scene {
    fn places(&self) -> impl Iterator<Item = [f64; 2]> {
        let points = self.points.iter().map(|p| p.at);
        let lines = self.polylines.iter().flat_map(|l| l.points.iter().copied());
        points.chain(lines).chain(self.trail.iter().copied())
    }

    /// The values at the edges, before they are widened to equal aspect.
    fn extent(&self) -> (Range, Range) {
        let asked = self.bounds.and_then(|(lo, hi)| {
            let x = Range::asked((lo[0], hi[0]))?;
            let y = Range::asked((lo[1], hi[1]))?;
            Some((x, y))
        });
        asked.unwrap_or_else(|| {
            let finite = || {
                self.places()
                    .filter(|p| p[0].is_finite() && p[1].is_finite())
            };
            let x = Range::of(finite().map(|p| p[0]));
            let y = Range::of(finite().map(|p| p[1]));
            let (Some(x), Some(y)) = (x, y) else {
                return (Range::UNIT, Range::UNIT);
            };
            // A straight line is no constant: it has the size of its length, not of its place.
            let size = (x.1 - x.0).max(y.1 - y.0);
            let fit = |(lo, hi): (f64, f64)| {
                let more = BORDER * size;
                Range::asked((lo - more, hi + more)).filter(|_| size > 0.0)
            };
            let one = |(lo, hi)| Range::fit(lo, hi);
            (
                fit(x).unwrap_or_else(|| one(x)),
                fit(y).unwrap_or_else(|| one(y)),
            )
        })
    }
}

/// Draws a picture in `width` x `height` cells. Any size and any data will do.
pub fn draw_scene(scene: &Scene, width: u16, height: u16, charset: Charset) -> Canvas {
    let mut canvas = Canvas::new(width, height);
    if width == 0 || height == 0 {
        return canvas;
    }
    let (x, y) = scene.extent();
    let axes = scene.axes.as_ref().filter(|_| ruler::fits(width, height));
    let frame = Frame {
        left: 0,
        top: 0,
        cols: width,
        rows: height,
        x,
        y,
        scales: (Scale::Linear, Scale::Linear),
        dots: charset.dots(),
    };
    let frame = match axes {
        Some(_) => ruler::framed(frame, charset),
        None => frame.with_equal_aspect(charset),
    };
    let mut raster = Raster::new(frame.cols, frame.rows, charset);
    let dot = |&point: &[f64; 2]| frame.dot(point);
    let trail = Pen {
        owner: usize::from(ROLES),
        pattern: match charset {
            Charset::Ascii => Pattern::SOLID,
            Charset::Braille | Charset::Blocks | Charset::Sextants => Pattern::DOTTED,
        },
    };
    raster.stroke(scene.trail.iter().map(dot), trail);
    for line in &scene.polylines {
        let pen = Pen {
            owner: usize::from(line.role % ROLES),
            pattern: Pattern::SOLID,
        };
        raster.stroke(line.points.iter().map(dot), pen);
    }
    raster.write(&mut canvas, frame.left, frame.top, &inks());
    let mut points: Vec<&ScenePoint> = scene.points.iter().collect();
    points.sort_by_key(|point| point.kind);
    for point in points {
        let [x, y] = point.at;
        if let (Some(col), Some(row)) = (frame.column_at_x(x), frame.row_at_y(y)) {
            let (symbol, style) = sign(point.kind, charset);
            canvas.put(col, row, symbol, style);
        }
    }
    if let Some(names) = axes {
        ruler::draw(&mut canvas, &frame, names, charset);
    }
    canvas.set_frame(frame);
    canvas
}

/// One for each role, and the trail's.
fn inks() -> Vec<Ink> {
    let lines = (0..ROLES).map(|role| Ink {
        style: CellStyle::Series(role),
        letter: Charset::picture_letter(role),
    });
    let trail = Ink {
        style: CellStyle::Dim,
        letter: '.',
    };
    lines.chain([trail]).collect()
}
