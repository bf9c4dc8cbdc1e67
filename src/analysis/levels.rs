//! Level lines of an expression in the plane of a map, and where they touch the constraint set.
//!
//! Where an extremum of E on a curve f(x) = c lies, grad E is a combination of the gradients of f: a level line of E touches the curve there,
//!
//! ```text
//! f(x) = c,    det [grad E; J] = 0          n equations in n coordinates, where one is left free
//! ```
//!
//! which branch and prune solves with proof.

use super::{Model, Part};
use crate::expr::{Expr, NameError, ParseError, SymbolKind, Tape, Workspace, parse};
use crate::interval::{Equations, Region, roots};
use crate::theorem::inputs;

/// Lines that are drawn, about.
const LINES: f64 = 9.0;
/// Values along and up that lines are drawn through.
const GRID: (usize, usize) = (160, 120);
/// Instructions that looking for places of tangency may cost.
const EFFORT: usize = 20_000_000;

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
}

/// The level lines of an expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Levels {
    /// The expression.
    pub expression: Expr,
    /// The lines, those that touch last.
    pub lines: Vec<LevelLine>,
    /// Where the constraint set is touched, proven.
    pub touching: Vec<Touch>,
    /// Is it proven that these are all in the box? `None` where they were not looked for.
    pub complete: Option<bool>,
    /// The other coordinates, which the lines hold.
    pub held: Vec<(usize, f64)>,
}

impl Model {
    /// What an optimum is sought of, or the potential: -L at rest.
    pub fn value_at_rest(&self) -> Expr {
        let pool = &self.system.pool;
        let rest = self.system.coordinates.iter().map(|c| (c.v, pool.zero()));
        pool.neg(pool.substitute(self.system.lagrangian, &rest.collect()))
    }

    /// Reads an expression of coordinates, parameters and t.
    pub fn read_configuration(&self, text: &str) -> Result<Expr, ParseError> {
        let pool = &self.system.pool;
        let names = |name: &str, primes: usize| {
            let full = format!("{name}{}", "'".repeat(primes));
            let shown = crate::system::quote(&full);
            let found = pool.lookup(&full).ok_or_else(|| NameError::Unknown {
                help: crate::system::nearest(
                    &full,
                    self.coordinate_names().iter().map(String::as_str),
                )
                .map(|near| format!("did you mean `{near}`?")),
                name: shown.clone(),
            })?;
            match pool.symbol_kind(found) {
                Some(
                    SymbolKind::Time
                    | SymbolKind::Pi
                    | SymbolKind::Parameter(_)
                    | SymbolKind::Coordinate { order: 0, .. },
                ) => Ok(found),
                _ => Err(NameError::NotHere {
                    name: shown,
                    place: "a level line",
                    allowed: "coordinates, t and parameters",
                }),
            }
        };
        parse(pool, text, &names)
    }

    /// The level lines of an expression in the plane of two coordinates; the others are held where the constraint set is first
    /// touched, or where `x` has them.
    pub fn levels(
        &self,
        part: &Part,
        plane: (usize, usize),
        (expression, x): (Expr, &[f64]),
    ) -> Levels {
        let system = &self.system;
        let (touching, complete) = self.touched(part, expression);
        let mut place = touching
            .first()
            .map_or_else(|| x.to_vec(), |touch| touch.x.clone());
        place.resize(system.coordinates.len(), 0.0);
        let held: Vec<(usize, f64)> = (0..place.len())
            .filter(|k| *k != plane.0 && *k != plane.1)
            .map(|k| (k, place[k]))
            .collect();
        let tape = Tape::new(&system.pool, &inputs(system), &[expression]);
        let mut work = Workspace::default();
        let mut value = |p: [f64; 2]| {
            let mut at = place.clone();
            (at[plane.0], at[plane.1]) = (p[0], p[1]);
            let arguments = crate::theorem::arguments(system, part.t, &at, &[]);
            let mut out = [f64::NAN];
            tape.eval(&arguments, &mut work, &mut out);
            out[0]
        };
        let (xs, ys) = (
            axis(part.region[plane.0], GRID.0),
            axis(part.region[plane.1], GRID.1),
        );
        let grid: Vec<Vec<f64>> = ys
            .iter()
            .map(|&y| xs.iter().map(|&x| value([x, y])).collect())
            .collect();
        let finite = || grid.iter().flatten().copied().filter(|v| v.is_finite());
        let (low, high) = finite().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| {
            (a.min(v), b.max(v))
        });
        let mut lines: Vec<LevelLine> = round_values(low, high)
            .into_iter()
            .map(|value| LevelLine {
                value,
                touches: false,
                segments: segments((&xs, &ys), &grid, value),
            })
            .collect();
        let mut values: Vec<f64> = Vec::new();
        for touch in &touching {
            let known = values
                .iter()
                .any(|v| (v - touch.value).abs() <= 1e-9 * (high - low));
            if !known {
                values.push(touch.value);
            }
        }
        lines.extend(values.into_iter().map(|value| LevelLine {
            value,
            touches: true,
            segments: segments((&xs, &ys), &grid, value),
        }));
        lines.retain(|line| line.touches || !line.segments.is_empty());
        Levels {
            expression,
            lines,
            touching,
            complete,
            held,
        }
    }

    /// The points of a constraint curve at which E stands still along it, proven.
    fn touched(&self, part: &Part, e: Expr) -> (Vec<Touch>, Option<bool>) {
        let system = &self.system;
        let pool = &system.pool;
        let (n, m) = (system.coordinates.len(), system.constraints.len());
        if n != m + 1 || m == 0 {
            return (Vec::new(), None);
        }
        let bounds = self.bounds();
        let gradient: Vec<Expr> = system
            .coordinates
            .iter()
            .map(|c| pool.derivative(e, c.x))
            .collect();
        let rows = std::iter::once(gradient).chain(self.equations.gradients.iter().cloned());
        let matrix: Vec<Vec<Expr>> = rows.collect();
        let found = pool.determinant(&matrix);
        let blocks: Option<Vec<Expr>> = found.blocks.iter().map(|(_, e)| *e).collect();
        let Some(blocks) = blocks.filter(|_| found.sign != 0) else {
            return (Vec::new(), None);
        };
        let levels = system.constraints.iter().map(|c| pool.sub(c.f, c.c));
        let list: Vec<Expr> = levels.chain([pool.product(blocks)]).collect();
        let equations = Equations::new(pool, &bounds.variables, &bounds.constants, &list);
        let region: Region = part
            .region
            .iter()
            .map(|(a, b)| crate::expr::Interval::new(*a, *b))
            .collect();
        let t = crate::expr::Interval::point(part.t);
        let found = roots(&equations.at_last(t), &region, EFFORT);
        let touching = found.proven.iter().map(|root| {
            let x: Vec<f64> = root
                .iter()
                .map(|side| {
                    if side.contains(0.0) {
                        0.0
                    } else {
                        side.middle()
                    }
                })
                .collect();
            let value = crate::theorem::value_at(system, e, &|kind| match kind {
                SymbolKind::Coordinate { index, order: 0 } => {
                    x.get(index).copied().unwrap_or(f64::NAN)
                }
                SymbolKind::Time => part.t,
                _ => f64::NAN,
            });
            Touch { x, value }
        });
        (touching.collect(), Some(found.has_all()))
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

/// The pieces of a level line, cell by cell: two triangles a cell, so that no saddle is drawn wrongly.
fn segments((xs, ys): (&[f64], &[f64]), grid: &[Vec<f64>], value: f64) -> Vec<[[f64; 2]; 2]> {
    let mut list = Vec::new();
    for (j, pair) in ys.windows(2).enumerate() {
        for (i, sides) in xs.windows(2).enumerate() {
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

/// Where a linear function is zero between two corners.
fn crossing((a, va): ([f64; 2], f64), (b, vb): ([f64; 2], f64)) -> Option<[f64; 2]> {
    if (va < 0.0) == (vb < 0.0) {
        return None;
    }
    let s = va / (va - vb);
    Some([a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1])])
}
