//! A system and its det J_D in numbers, at points near and far, special ones, and on both sides of where an expression
//! changes its sign.

use crate::expr::{Expr, Matrix, Tape, Workspace};
use crate::geometry::{largest, sizes};
use crate::system::System;
use crate::theorem::numbers::{arguments, inputs};
use nalgebra::DMatrix;

/// Points from which the edges of the conditions are looked for.
const EDGES: u64 = 16;
/// The distance from an edge of the points tried on both sides of it.
const BESIDE: f64 = 1e-3;
/// A determinant below this share of the product of the row lengths is too near the singular set
/// for formulas to be compared.
pub(super) const NEAR: f64 = 1e-6;

/// Values of the constraints beyond this, in units of their gradients where these are longer than 1, are not tried:
/// `log(y + sqrt(y^2 + 1))` has no digits left there.
const FAR: f64 = 1e4;
/// Random points by which a frame is chosen; a quarter of them has to be of use.
const LOOKS: u64 = 40;

/// What points are counted from, coordinate by coordinate, and in which units.
struct Frame {
    origin: Vec<f64>,
    units: Vec<f64>,
}

impl Frame {
    /// The unit of the file, about 0.
    fn plain(coordinates: usize) -> Self {
        Self {
            origin: vec![0.0; coordinates],
            units: vec![1.0; coordinates],
        }
    }

    /// Those of the start, for where that tells nothing: its sizes, and the unit of the file about it.
    fn of_start(system: &System) -> Vec<Self> {
        let n = system.coordinates.len();
        let start: Vec<f64> = (0..n)
            .map(|k| system.start.x.get(k).copied().flatten().unwrap_or(0.0))
            .collect();
        if largest(&start) == 0.0 {
            return Vec::new();
        }
        let sized = Self {
            units: sizes(&start),
            ..Self::plain(n)
        };
        let moved = Self {
            origin: start,
            ..Self::plain(n)
        };
        vec![sized, moved]
    }

    /// The point with these coordinates.
    fn point(&self, u: &[f64]) -> Vec<f64> {
        let sides = self.origin.iter().zip(&self.units);
        let all = u.iter().zip(sides);
        all.map(|(u, (origin, unit))| origin + unit * u).collect()
    }
}

/// A point: t and x.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub(super) t: f64,
    pub(super) x: Vec<f64>,
}

impl Point {
    /// The point at the share s of the way to another.
    fn towards(&self, other: &Self, s: f64) -> Self {
        let between = |a: f64, b: f64| a + s * (b - a);
        let pairs = self.x.iter().zip(&other.x);
        Self {
            t: between(self.t, other.t),
            x: pairs.map(|(&a, &b)| between(a, b)).collect(),
        }
    }
}

/// Where an expression changes its sign on a line.
pub(super) struct Crossing {
    /// The last point before it and the first behind it.
    ends: [Point; 2],
    /// Points a little before and behind.
    pub(super) beside: [Point; 2],
}

/// The numeric side of a system and a choice of dependent coordinates.
pub(super) struct Trial<'a> {
    pub(super) system: &'a System,
    pub(super) inputs: Vec<Expr>,
    /// f, then J_D by rows
    tape: Tape,
    frame: Frame,
    /// the dependent coordinates
    dependent: &'a [usize],
    /// the usual lengths of the rows of J_D
    pub(super) lengths: Vec<f64>,
}

/// Deterministic points: the fractional parts of multiples of irrational numbers.
pub fn scattered(index: u64, place: usize) -> f64 {
    const STEP: [f64; 6] = [
        0.754_877_666_246_692_7,
        0.569_840_290_998_053_2,
        0.414_213_562_373_095_1,
        0.732_050_807_568_877_2,
        0.618_033_988_749_894_9,
        0.236_067_977_499_789_7,
    ];
    let step = STEP[place % STEP.len()] + 0.013 * (place / STEP.len()) as f64;
    (0.5 + step * (index + 1) as f64).fract()
}

/// Such points in a box of these sides.
pub fn scattered_in(sides: impl IntoIterator<Item = (f64, f64)>, index: u64) -> Vec<f64> {
    let sides = sides.into_iter().enumerate();
    sides
        .map(|(k, (lo, hi))| lo + scattered(index, k) * (hi - lo))
        .collect()
}

impl<'a> Trial<'a> {
    /// Of these functions f and their J_D.
    pub fn new(system: &'a System, (f, block): (&[Expr], &Matrix), dependent: &'a [usize]) -> Self {
        assert_eq!(f.len(), block.len());
        let mut outputs = f.to_vec();
        outputs.extend(block.iter().flatten());
        let inputs = inputs(system);
        let mut trial = Self {
            system,
            tape: Tape::new(&system.pool, &inputs, &outputs),
            inputs,
            frame: Frame::plain(system.coordinates.len()),
            dependent,
            lengths: Vec::new(),
        };
        trial.measure();
        for other in Frame::of_start(system) {
            if trial.is_of_use() {
                return trial;
            }
            let before = std::mem::replace(&mut trial.frame, other);
            trial.measure();
            if !trial.is_of_use() {
                trial.frame = before;
                trial.measure();
            }
        }
        trial
    }

    /// The usual lengths of the rows.
    fn measure(&mut self) {
        let rows: Vec<Vec<f64>> = (0..15)
            .filter_map(|index| Some(lengths(&self.evaluated(&self.random(index))?.1)))
            .collect();
        self.lengths = (0..self.system.constraints.len())
            .map(|b| {
                let mut own: Vec<f64> = rows.iter().map(|row| row[b]).collect();
                own.sort_unstable_by(f64::total_cmp);
                own.get(own.len() / 2).copied().unwrap_or(0.0)
            })
            .collect();
    }

    /// Can formulas be tried at a quarter of the points?
    fn is_of_use(&self) -> bool {
        let tried = (0..LOOKS).filter(|index| self.tried(&self.random(*index)).is_some());
        tried.count() as u64 >= LOOKS / 4
    }

    /// The values of f, and |det J_D| as [`Self::levels`] has it, where formulas can be tried at a point.
    pub(super) fn tried(&self, point: &Point) -> Option<(Vec<f64>, f64)> {
        let (levels, share) = self.levels(point)?;
        let mut units = levels.iter().zip(&self.lengths);
        let far = units.any(|(y, unit)| y.abs() > FAR * unit.max(1.0));
        (share >= NEAR && !far).then_some((levels, share))
    }

    /// The unit of a coordinate.
    pub(super) fn unit(&self, k: usize) -> f64 {
        self.frame.units[k]
    }

    /// A random point in units of the frame.
    fn drawn(&self, index: u64) -> (f64, Vec<f64>) {
        let n = self.system.coordinates.len();
        let wide = [2.0, 0.8, 5.0, 2.0][(index % 4) as usize];
        // some functions are defined on positive numbers alone
        let positive = index % 5 == 2;
        let x = (0..n)
            .map(|k| {
                let part = scattered(index, k);
                wide * if positive { part } else { 2.0 * part - 1.0 }
            })
            .collect();
        (2.0 * scattered(index, n), x)
    }

    pub(super) fn random(&self, index: u64) -> Point {
        let (t, x) = self.drawn(index);
        let x = self.frame.point(&x);
        Point { t, x }
    }

    pub(super) fn special(&self, index: u64) -> Point {
        let (mut t, mut x) = self.drawn(index + 100);
        let n = x.len();
        let place = |offset: usize| (scattered(index, offset) * n as f64) as usize % n.max(1);
        match index % 4 {
            0 => x[place(0)] = 0.0,
            1 => x[place(0)] = x[place(1)],
            2 => {
                for x in &mut x {
                    *x = x.round();
                }
            }
            _ => {
                x[place(0)] = 0.0;
                x[place(1)] = 1.0;
            }
        }
        if index % 8 > 4 {
            t = 0.0;
        }
        let x = self.frame.point(&x);
        Point { t, x }
    }

    fn values(&self, point: &Point) -> Vec<f64> {
        self.tape
            .values(&arguments(self.system, point.t, &point.x, &[]))
    }

    /// f and J_D, its columns in units of the frame; `None` where they are not finite.
    fn evaluated(&self, point: &Point) -> Option<(Vec<f64>, DMatrix<f64>)> {
        let m = self.system.constraints.len();
        let mut values = self.values(point);
        if values.iter().any(|v| !v.is_finite()) {
            return None;
        }
        let mut block = DMatrix::from_row_slice(m, m, &values.split_off(m));
        for (mut column, &k) in block.column_iter_mut().zip(self.dependent) {
            column *= self.frame.units[k];
        }
        Some((values, block))
    }

    /// The values of f and |det J_D| as a share of the product of the lengths of its rows, here or
    /// usually, whichever are longer; `None` where they are not finite.
    pub(super) fn levels(&self, point: &Point) -> Option<(Vec<f64>, f64)> {
        let (values, block) = self.evaluated(point)?;
        let lengths: f64 = lengths(&block)
            .iter()
            .zip(&self.lengths)
            .map(|(here, usual)| here.max(*usual))
            .product();
        let share = block.determinant().abs() / lengths;
        Some((values, if share.is_finite() { share } else { 0.0 }))
    }

    /// Where an expression changes its sign along lines.
    pub(super) fn crossings(&self, e: Expr, most: usize) -> Vec<Crossing> {
        let tape = Tape::new(&self.system.pool, &self.inputs, &[e]);
        let mut work = Workspace::default();
        let mut value = |point: &Point| {
            let mut out = [f64::NAN];
            tape.eval(
                &arguments(self.system, point.t, &point.x, &[]),
                &mut work,
                &mut out,
            );
            out[0]
        };
        let mut found = Vec::new();
        for index in 0..2 * EDGES {
            if found.len() >= most {
                break;
            }
            let (a, b) = (self.random(index), self.random(index + 1));
            let along = |s: f64| a.towards(&b, s);
            let (mut lo, mut hi) = (0.0, 1.0);
            let (start, end) = (value(&along(lo)), value(&along(hi)));
            if start * end >= 0.0 || !(start * end).is_finite() {
                continue;
            }
            for _ in 0..50 {
                let middle = 0.5 * (lo + hi);
                if value(&along(middle)) * start > 0.0 {
                    lo = middle;
                } else {
                    hi = middle;
                }
            }
            // at a pole it changes its sign too
            if value(&along(hi)).abs() <= 1e-9 * (start.abs() + end.abs()) {
                found.push(Crossing {
                    ends: [along(lo), along(hi)],
                    beside: [along(lo - BESIDE), along(hi + BESIDE)],
                });
            }
        }
        found
    }

    /// Is det J_D zero wherever an expression changes its sign? False where none was seen to.
    pub fn singular_on(&self, e: Expr) -> bool {
        let crossings = self.crossings(e, 6);
        let singular = |point: &Point| {
            let found = self.levels(point);
            found.is_some_and(|(_, share)| share < NEAR)
        };
        crossings.len() >= 3 && crossings.iter().all(|c| c.ends.iter().any(singular))
    }

    /// Does the Jacobian jump, or its determinant vanish, wherever an expression changes its sign?
    pub fn breaks_on(&self, e: Expr) -> bool {
        let m = self.system.constraints.len();
        self.crossings(e, 6)
            .iter()
            .all(|Crossing { ends: [a, b], .. }| {
                let (one, other) = (self.values(a), self.values(b));
                let pairs = one[m..].iter().zip(&other[m..]).enumerate();
                let jump = pairs.into_iter().any(|(entry, (p, q))| {
                    let unit = self.unit(self.dependent[entry % m]);
                    let same =
                        unit * (p - q).abs() <= 1e-6 * (unit * p.abs().max(q.abs())).max(1.0);
                    !same
                });
                jump || self.levels(a).is_none_or(|(_, share)| share < NEAR)
            })
    }
}

fn lengths(block: &DMatrix<f64>) -> Vec<f64> {
    block.row_iter().map(|row| row.norm()).collect()
}
