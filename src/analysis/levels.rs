//! Level lines of an expression in the plane of a map, and where they touch the constraint set.
//!
//! Where an extremum of E on f(x) = c lies, grad E is a combination of the gradients of f: the level set of E touches there. These
//! points are the equilibria of a system with the objective E and the same constraints. In a plane of two coordinates, with one constraint
//! and the others held at such a point, the line E = value touches the curve f = c; with several constraints the plane has no such curve.

use super::along::extremes;
use super::{Model, Overrides, Part, Spot, Where};
use crate::expr::{Expr, ParseError, Tape, Workspace, parse};
use crate::system::{Context, Reach, nearest_or_all};
use crate::theorem::inputs;

/// Lines that are drawn, about.
const LINES: f64 = 9.0;
/// Values along and up that lines are drawn through.
const GRID: (usize, usize) = (160, 120);

/// A line E = value in the plane, in pieces.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelLine {
    /// The value.
    pub value: f64,
    /// Does it touch the constraint set?
    pub touches: bool,
    /// Its pieces.
    pub segments: Vec<[[f64; 2]; 2]>,
}

/// A point of the constraint set that a level line touches: an extremum, or a place where E stands still.
#[derive(Clone, Debug, PartialEq)]
pub struct Touch {
    /// The coordinates.
    pub x: Vec<f64>,
    /// E there.
    pub value: f64,
    /// Is it proven to exist?
    pub certified: bool,
    /// Is it one of a family, all of which the line touches, as where a coordinate is in neither E nor f?
    pub of_a_family: bool,
}

named! {
/// What the lines in the plane show of the constraint set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slice {
    /// The set is a curve, or E has the coordinates of the plane alone: it is drawn whole.
    Whole = "whole",
    /// The curve in which the set meets the plane where the other coordinates are held.
    Held = "held",
    /// No curve: each line that touches is drawn in the plane through its place.
    Through = "through",
}}

/// The level lines of an expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Levels {
    /// The expression, printed: the answer goes where the expressions of this model are not known.
    pub expression: String,
    /// Is it the potential, or the objective?
    pub of_value: bool,
    /// The lines, those that touch last.
    pub lines: Vec<LevelLine>,
    /// Where the constraint set is touched, the place that the lines hold first.
    pub touching: Vec<Touch>,
    /// Is it proven that these are all in the box? `None` where there is no set to touch.
    pub complete: Option<bool>,
    /// The other coordinates, which the lines hold.
    pub held: Vec<(usize, f64)>,
    /// What is drawn of the set.
    pub slice: Slice,
    /// The part of it that the map is to have.
    pub part: Part,
}

impl Model {
    /// What an optimum is sought of, or the potential: -L at rest.
    pub fn value_at_rest(&self) -> Expr {
        let pool = &self.system.pool;
        pool.neg(pool.substitute(self.system.lagrangian, &self.system.at_rest()))
    }

    /// Reads what level lines are of: an expression of coordinates, parameters and t, or nothing, which is the potential or objective.
    pub fn read_level(&self, text: &str) -> Result<Expr, ParseError> {
        if text.trim().is_empty() {
            return Ok(self.value_at_rest());
        }
        self.read_configuration(text)
    }

    pub(super) fn read_configuration(&self, text: &str) -> Result<Expr, ParseError> {
        const LEVEL_LINE: Context = Context::new("a level line", Reach::Configuration);
        let coordinates = || self.coordinate_names().iter().map(String::as_str);
        let names = |name: &str, primes: usize| {
            let help = |name: &str| Some(nearest_or_all(name, coordinates()));
            self.system.resolve((name, primes), LEVEL_LINE, help)
        };
        parse(&self.system.pool, text, &names)
    }

    /// The level lines of an expression in the plane of two coordinates; the others are held where the constraint set is
    /// touched next to `x`, or else as `x` has them.
    pub fn levels(
        &self,
        part: &Part,
        plane: (usize, usize),
        (expression, x): (Expr, &[f64]),
    ) -> Levels {
        let system = &self.system;
        let (n, m) = (system.coordinates.len(), system.constraints.len());
        let (mut touching, complete) = self.touched(part, (expression, x));
        let far = |touch: &Touch| {
            let parts = touch.x.iter().zip(x).zip(&part.region);
            let parts = parts.map(|((a, b), (lo, hi))| ((a - b) / (hi - lo)).powi(2));
            parts.sum::<f64>()
        };
        touching.sort_by(|a, b| far(a).total_cmp(&far(b)));
        let others: Vec<usize> = (0..n).filter(|k| *k != plane.0 && *k != plane.1).collect();
        let symbols = || others.iter().map(|k| system.coordinates[*k].x);
        let depends = system
            .pool
            .contains_any(expression, &symbols().collect::<Vec<Expr>>());
        let slice = match (n - m.min(n), touching.is_empty()) {
            (2.., false) if m == 1 => Slice::Held,
            _ if depends && m > 1 => Slice::Through,
            _ => Slice::Whole,
        };
        let first = touching.first().map_or(x, |touch| &touch.x);
        let mut part = part.clone();
        if slice == Slice::Held {
            for &k in &others {
                part.region[k] = (first[k], first[k]);
            }
        }
        let drawn = Grid::new(self, (&part, plane), expression);
        let grid = drawn.values(first);
        let finite = grid.iter().flatten().copied().filter(|v| v.is_finite());
        let (low, high) = extremes(finite);
        let mut lines: Vec<LevelLine> = round_values(low, high)
            .into_iter()
            .map(|value| LevelLine {
                value,
                touches: false,
                segments: drawn.line(&grid, value),
            })
            .collect();
        lines.retain(|line| !line.segments.is_empty());
        let mut values: Vec<f64> = Vec::new();
        for touch in &touching {
            let known = |v: &f64| (v - touch.value).abs() <= 1e-9 * (high - low);
            let is_seen = slice != Slice::Held || others.iter().all(|&k| touch.x[k] == first[k]);
            if values.iter().any(known) || !is_seen {
                continue;
            }
            values.push(touch.value);
            lines.push(LevelLine {
                value: touch.value,
                touches: true,
                segments: drawn.line(&drawn.values(&touch.x), touch.value),
            });
        }
        Levels {
            held: others
                .iter()
                .filter(|_| depends || slice == Slice::Held)
                .map(|&k| (k, first[k]))
                .collect(),
            expression: system.pool.print(expression),
            of_value: expression == self.value_at_rest(),
            lines,
            touching,
            complete,
            slice,
            part,
        }
    }

    /// The points of the constraint set at which E stands still on it.
    fn touched(&self, part: &Part, (e, x): (Expr, &[f64])) -> (Vec<Touch>, Option<bool>) {
        let symbols = self.system.coordinates.iter().map(|c| c.x);
        let symbols: Vec<Expr> = symbols.collect();
        if self.system.constraints.is_empty() || !self.system.pool.contains_any(e, &symbols) {
            return (Vec::new(), None);
        }
        let mut system = self.system.clone();
        system.lagrangian = system.pool.neg(e);
        system.objective = true;
        system.forces.fill(system.pool.zero());
        system.velocity_constraints.clear();
        for constraint in &mut system.constraints {
            // the set where it acts is what is drawn
            constraint.side = None;
        }
        let found = Model::new(system).equilibria(&Where {
            overrides: Overrides {
                t: Some(part.t),
                x: x.iter().copied().enumerate().collect(),
                v: Vec::new(),
            },
            region: part.region.iter().copied().enumerate().collect(),
        });
        let nowhere_else =
            found.complete() && found.singular.is_empty() && found.undefined.is_empty();
        let touching = found.list.into_iter().map(|point| {
            let (certified, of_a_family) = (point.certified(), point.along.is_some());
            let (t, x) = (part.t, point.x);
            let spot = Spot { t, x };
            Touch {
                certified,
                of_a_family,
                value: spot.value(&self.system, &[], e),
                x: spot.x,
            }
        });
        (touching.collect(), Some(nowhere_else))
    }
}

/// Where an expression is worked out in a plane.
struct Grid<'a> {
    model: &'a Model,
    plane: (usize, usize),
    t: f64,
    tape: Tape,
    xs: Vec<f64>,
    ys: Vec<f64>,
}

impl<'a> Grid<'a> {
    fn new(model: &'a Model, (part, plane): (&Part, (usize, usize)), e: Expr) -> Self {
        Self {
            model,
            plane,
            t: part.t,
            tape: Tape::new(&model.system.pool, &inputs(&model.system), &[e]),
            xs: axis(part.region[plane.0], GRID.0),
            ys: axis(part.region[plane.1], GRID.1),
        }
    }

    /// Its values, the coordinates outside the plane as a place has them.
    fn values(&self, place: &[f64]) -> Vec<Vec<f64>> {
        let mut at = place.to_vec();
        at.resize(self.model.system.coordinates.len(), 0.0);
        let mut work = Workspace::default();
        let mut value = |x: f64, y: f64| {
            (at[self.plane.0], at[self.plane.1]) = (x, y);
            let arguments = crate::theorem::arguments(&self.model.system, self.t, &at, &[]);
            let mut out = [f64::NAN];
            self.tape.eval(&arguments, &mut work, &mut out);
            out[0]
        };
        self.ys
            .iter()
            .map(|&y| self.xs.iter().map(|&x| value(x, y)).collect())
            .collect()
    }

    /// The pieces of a level line, cell by cell: two triangles a cell, so that no saddle is drawn wrongly.
    fn line(&self, grid: &[Vec<f64>], value: f64) -> Vec<[[f64; 2]; 2]> {
        let mut list = Vec::new();
        for (j, pair) in self.ys.windows(2).enumerate() {
            for (i, sides) in self.xs.windows(2).enumerate() {
                let corner = |a: usize, b: usize| ([sides[a], pair[b]], grid[j + b][i + a] - value);
                let [p, q, r, s] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                for triangle in [[p, q, r], [p, r, s]] {
                    if !triangle.iter().all(|(_, v)| v.is_finite()) {
                        continue;
                    }
                    let edges = [(0, 1), (1, 2), (2, 0)];
                    let crossed: Vec<[f64; 2]> = edges
                        .iter()
                        .filter_map(|&(a, b)| crossing(triangle[a], triangle[b]))
                        .collect();
                    if let [one, other] = crossed.as_slice() {
                        list.push([*one, *other]);
                    }
                }
            }
        }
        list
    }
}

fn axis((low, high): (f64, f64), parts: usize) -> Vec<f64> {
    let step = (high - low) / parts as f64;
    (0..=parts).map(|i| low + step * i as f64).collect()
}

/// Values on steps of 1, 2 or 5 between two.
fn round_values(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low) / LINES;
    if !(rough > 0.0 && rough.is_finite()) {
        return Vec::new();
    }
    let power = 10.0_f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power);
    let step = steps
        .into_iter()
        .find(|step| *step >= rough)
        .unwrap_or(rough);
    let first = (low / step).ceil() as i64;
    let last = (high / step).floor() as i64;
    (first..=last).map(|i| i as f64 * step).collect()
}

/// Where a linear function is zero between two corners.
fn crossing((a, va): ([f64; 2], f64), (b, vb): ([f64; 2], f64)) -> Option<[f64; 2]> {
    if (va < 0.0) == (vb < 0.0) {
        return None;
    }
    let s = va / (va - vb);
    Some([a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1])])
}
