//! Claims with their evidence, as they are written: docs/certificates.md.

use crate::expr::Interval;
use crate::interval::{By, Region, Step};
use nalgebra::DMatrix;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A double with nothing lost, as C and Python read it.
#[derive(Clone, Copy, Debug)]
pub struct Hex(pub f64);

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let bits = self.0.to_bits();
        let (exponent, fraction) = ((bits >> 52 & 0x7ff).cast_signed(), bits << 12);
        if exponent == 0 && fraction == 0 {
            return to.serialize_str("0");
        }
        let mut text = String::with_capacity(32);
        text.push_str(match (self.0.is_sign_negative(), exponent) {
            (false, 0) => "0x0",
            (true, 0) => "-0x0",
            (false, _) => "0x1",
            (true, _) => "-0x1",
        });
        if fraction != 0 {
            text.push('.');
        }
        let mut left = fraction;
        while left != 0 {
            text.extend(char::from_digit((left >> 60) as u32, 16));
            left <<= 4;
        }
        // a String takes everything
        let _ = write!(text, "p{:+}", exponent.max(1) - 1023);
        to.serialize_str(&text)
    }
}

/// The ends of a side.
#[derive(Clone, Copy, Debug)]
pub struct Side(pub Interval);

impl Serialize for Side {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        [Hex(self.0.lo), Hex(self.0.hi)].serialize(to)
    }
}

/// The sides of a box.
#[derive(Clone, Debug)]
pub struct Sides(pub Region);

impl Serialize for Sides {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.0.iter().map(|side| Side(*side)))
    }
}

/// A matrix of whole numbers as it is written.
fn whole<S: Serializer>(a: &DMatrix<f64>, to: S) -> Result<S::Ok, S::Error> {
    let row = |i: usize| a.row(i).iter().map(f64::to_string).collect::<Vec<String>>();
    to.collect_seq((0..a.nrows()).map(row))
}

/// A matrix, a list a row.
#[derive(Clone, Debug)]
pub struct Matrix(pub DMatrix<f64>);

impl Serialize for Matrix {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let rows = self.0.row_iter();
        to.collect_seq(rows.map(|row| row.iter().copied().map(Hex).collect::<Vec<_>>()))
    }
}

impl Serialize for By {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Equation(i) => i.serialize(to),
            Self::Weights(w) => to.collect_seq(w.iter().copied().map(Hex)),
        }
    }
}

impl Serialize for Step {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Cut(k, at) => ("cut", k, Hex(*at)).serialize(to),
            Self::Narrow(by, k, [low, high]) => {
                ("narrow", by, k, low.map(Hex), high.map(Hex)).serialize(to)
            }
            Self::None(by, Some(k)) => ("none", by, k).serialize(to),
            Self::None(by, None) => ("none", by).serialize(to),
            Self::Put(i, k, value) => ("put", i, k, value).serialize(to),
            Self::In(place) => ("in", place).serialize(to),
            Self::Holds => ["holds"].serialize(to),
        }
    }
}

/// What is claimed.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Claim {
    /// That F is one-to-one on a box.
    OneToOne(Piece),
    /// On zeros of equations.
    Zeros(Box<Zeros>),
    /// That pieces, and what is left, hold the constraint set in a box.
    Cover(Cover),
}

impl Claim {
    /// What it is about.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::OneToOne(_) => "one-to-one",
            Self::Zeros(zeros) => zeros.of,
            Self::Cover(_) => "cover",
        }
    }

    /// How many steps show it.
    pub fn steps(&self) -> usize {
        match self {
            Self::OneToOne(piece) => piece.steps.len(),
            Self::Zeros(zeros) => zeros.faces.iter().map(|face| face.steps.len()).sum(),
            Self::Cover(cover) => {
                let pieces = cover.pieces.iter().map(|piece| piece.steps.len());
                cover.steps.len() + pieces.sum::<usize>()
            }
        }
    }
}

/// F is one-to-one on a box.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "claim", rename = "one-to-one")]
pub struct Piece {
    /// The dependent coordinates.
    pub dependent: Vec<usize>,
    /// A side a coordinate, then t.
    #[serde(rename = "box")]
    pub sides: Sides,
    /// The diagonal blocks of J_D.
    pub blocks: Vec<Judged>,
    /// Cuts.
    pub steps: Vec<Step>,
}

/// A diagonal block of J_D.
#[derive(Clone, Debug, Serialize)]
pub struct Rows {
    /// The constraints.
    pub rows: Vec<usize>,
    /// The coordinates.
    pub columns: Vec<usize>,
}

/// A diagonal block of J_D, and why it is regular.
#[derive(Clone, Debug, Serialize)]
pub struct Judged {
    /// The block.
    #[serde(flatten)]
    pub block: Rows,
    /// Why.
    #[serde(flatten)]
    pub means: Means,
}

/// How a block is judged.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind")]
pub enum Means {
    /// By its determinant: a difference of values of f is one matrix times what vanishes where the points are the same.
    #[serde(rename = "det")]
    Det {
        /// The angles of which the equations are sums of functions, and the inverse matrix.
        #[serde(flatten)]
        angles: Option<Angles>,
    },
    /// By A.
    #[serde(rename = "P")]
    Weights {
        /// A J_D has positive principal minors.
        #[serde(rename = "A")]
        a: Matrix,
    },
}

/// Angles, a row each, and the inverse matrix: whole numbers.
#[derive(Clone, Debug, Serialize)]
pub struct Angles {
    /// By column.
    #[serde(serialize_with = "whole")]
    pub angles: DMatrix<f64>,
    /// The inverse.
    #[serde(serialize_with = "whole")]
    pub by: DMatrix<f64>,
}

/// An exact number, or one in bounds.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Given {
    /// A fraction.
    Fraction(String),
    /// Any value of a side.
    Any(Side),
}

/// Zeros of equations in a box.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "claim", rename = "zeros")]
pub struct Zeros {
    /// Of what.
    pub of: &'static str,
    /// The time.
    pub t: Given,
    /// Where.
    #[serde(rename = "box")]
    pub sides: Sides,
    /// Are these all?
    pub complete: bool,
    /// How many.
    pub count: usize,
    /// The zeros and the steps, by face.
    pub faces: Vec<Face>,
    /// What the equations are made of.
    #[serde(flatten)]
    pub more: More,
}

/// What equations are made of.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum More {
    /// The constraints and combinations of the rows of a block.
    Singular {
        /// D.
        dependent: Vec<usize>,
        /// The diagonal blocks of J_D.
        blocks: Vec<Rows>,
        /// The units of the multipliers.
        scales: Vec<String>,
    },
    /// The constraints for given levels and other coordinates.
    Inverse {
        /// The unknowns.
        dependent: Vec<usize>,
        /// The others.
        at: BTreeMap<usize, Given>,
        /// The levels.
        levels: Vec<Given>,
    },
    /// Those of statics.
    Equilibria {
        /// The units of the multipliers.
        scales: Vec<String>,
    },
}

/// The zeros for one choice of the multiplier that is one.
#[derive(Clone, Debug, Serialize)]
pub struct Face {
    /// That multiplier.
    #[serde(rename = "face")]
    pub one: Option<usize>,
    /// The zeros.
    pub roots: Vec<Alone>,
    /// That there are no others.
    pub steps: Vec<Step>,
    /// The one-sided constraints that do not act.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub released: Vec<usize>,
}

/// A zero.
#[derive(Clone, Debug, Serialize)]
pub struct Alone {
    /// Where it is the only one.
    #[serde(rename = "alone")]
    pub wide: Sides,
    /// Where it is.
    pub at: Sides,
    /// The weights of Krawczyk's operator.
    #[serde(rename = "A")]
    pub a: Matrix,
    /// The values that are put for unknowns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub put: Vec<(usize, String)>,
    /// The unknowns that are given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub over: Vec<usize>,
}

/// Pieces, and what is left, hold the constraint set in a box.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "claim", rename = "cover")]
pub struct Cover {
    /// Where.
    #[serde(rename = "box")]
    pub sides: Sides,
    /// The pieces.
    pub pieces: Vec<Piece>,
    /// What they do not hold.
    pub left: Vec<Sides>,
    /// That these hold everything.
    pub steps: Vec<Step>,
}
