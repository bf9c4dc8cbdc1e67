//! What is to be plotted: series, axes, marks and a cursor. Data only; [`super::draw`] draws it.

use super::scale::Scale;
use super::sign::{MarkKind, PointKind};

/// A plot of one or more series over a common pair of axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// Heading, drawn where there is height for it; empty for none.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The curves. The first is drawn in front: a cell that several share takes its colour.
    pub series: Vec<Series>,
    /// Places on the x axis worth a sign: failures, flags, events.
    pub marks: Vec<Mark>,
    /// Signs at places of the field, in front of the curves.
    pub places: Vec<MarkedPoint>,
    /// The x value shown now, drawn as a vertical line behind the curves.
    pub cursor: Option<f64>,
    /// Whether the two axes share one scale.
    pub aspect: Aspect,
    /// Where title, names and legend go.
    pub legend: LegendPlace,
}

/// How the samples of a series are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Look {
    /// Joined by straight lines.
    #[default]
    Joined,
    /// Joined, with gaps between the pieces, which have the place of a pattern.
    Pieces,
    /// Joined, without a pattern where vectors are drawn: it is made of pieces that are too short for one.
    Whole,
    /// A sign at each: nothing is known between them.
    Points,
    /// Each two are opposite corners of a rectangle that is filled.
    Filled,
}

/// One curve: samples in the order given (x need not rise).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Name in the legend.
    pub label: String,
    /// Samples (x, y); one that is not finite is a gap.
    pub points: Vec<[f64; 2]>,
    /// Number of the colour and line pattern, so that a series keeps its look when others are
    /// added or hidden.
    pub role: u8,
    /// How they are drawn.
    pub look: Look,
}

/// A sign on the x axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Where.
    pub x: f64,
    /// What it says in the legend; marks with equal words share one entry.
    pub label: Option<String>,
    /// A few characters to stand at the mark itself, where there is room: `x1 = 0`; empty for none.
    pub tag: String,
    /// What it means.
    pub kind: MarkKind,
}

/// A sign at a place of the field.
#[derive(Clone, Debug, PartialEq)]
pub struct MarkedPoint {
    /// Where.
    pub at: [f64; 2],
    /// What it is. Of several in one cell the last in the order of kinds is drawn.
    pub kind: PointKind,
    /// What it says in the legend; places with equal words share one entry.
    pub label: Option<String>,
    /// A few characters beside it, where there is room: `(0, 0)`; empty for none.
    pub tag: String,
}

impl MarkedPoint {
    /// A sign with an entry in the legend and nothing beside it.
    pub fn new(at: [f64; 2], kind: PointKind, label: &str) -> Self {
        Self {
            at,
            kind,
            label: Some(label.to_owned()),
            tag: String::new(),
        }
    }
}

/// One axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// Name and unit, such as `t [s]`; empty for none.
    pub label: String,
    /// The values at the two ends. `None`, or ends that are not finite: the range of the data,
    /// widened outwards to round numbers.
    pub range: Option<(f64, f64)>,
    /// How the values lie along the axis.
    pub scale: Scale,
}

impl Figure {
    /// The name of y: its own, or that of the only series, which needs no legend then.
    pub(super) fn y_name(&self) -> &str {
        match (self.y.label.as_str(), self.series.as_slice()) {
            ("", [only]) => &only.label,
            (label, _) => label,
        }
    }
}

impl Series {
    /// A curve of this name.
    pub fn new(label: impl Into<String>, points: Vec<[f64; 2]>, role: u8) -> Self {
        let label = label.into();
        Self {
            label,
            points,
            role,
            look: Look::default(),
        }
    }
}

impl Axis {
    /// An axis of this name, as long as the data are.
    pub fn named(label: impl Into<String>) -> Self {
        let label = label.into();
        Self {
            label,
            ..Self::default()
        }
    }

    /// An axis of this name from one value to another.
    pub fn over(label: impl Into<String>, range: (f64, f64)) -> Self {
        Self {
            range: Some(range),
            ..Self::named(label)
        }
    }
}

/// How the scales of the two axes are related.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Aspect {
    /// Each axis fills its length.
    #[default]
    Fill,
    /// A unit is as long across as it is up: a circle is round. The range of one axis is widened. Holds for
    /// two axes of one scale.
    Equal,
}

/// Where title, axis names and legend are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LegendPlace {
    /// In the rows above the curves, where the height allows.
    #[default]
    Inside,
    /// Not at all: the caller writes [`super::legend()`] elsewhere, such as in a pane's border.
    Outside,
}
