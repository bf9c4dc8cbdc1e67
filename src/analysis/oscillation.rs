//! A small oscillation about an equilibrium, in pictures.
//!
//! ```text
//! x(phi) = x0 + eps Re(u e^(i phi))      u the shape of the mode, its largest entry 1
//! ```
//!
//! then back to f = c by Newton's method of least norm. eps is as large as can well be seen: what is drawn
//! moves by a part of its own size, an angle by a part of its period, and where the constraints do not follow
//! that far it is halved until they do.

use super::along::extremes;
use super::{Drawing, Model};
use crate::expr::Tape;
use crate::theorem::{arguments, inputs};
use std::f64::consts::TAU;

/// Pictures of one oscillation.
pub const PHASES: usize = 32;
/// What is drawn moves by this part of its size.
const SEEN: f64 = 0.15;
/// An angle moves by this part of its period at most.
const TURN: f64 = 0.06;
/// The amplitude is halved so often at most.
const HALVINGS: usize = 10;
/// The way back to the constraints may be this part of the amplitude.
const AWAY: f64 = 0.6;
/// Pieces of a wire an amplitude,
const WIRE: usize = 8;
/// and amplitudes that it is drawn to on each side.
const BEYOND: usize = 3;
/// A step by which it is found out how far a picture moves, in units of max(1, |x|).
const TRIAL: f64 = 1e-4;

/// What is to be seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Oscillated {
    /// The time.
    pub t: f64,
    /// The equilibrium.
    pub x: Vec<f64>,
    /// Real and imaginary part of the shape, one a coordinate; empty for a picture that does not move.
    pub shape: Vec<(f64, f64)>,
    /// Coordinates that are angles, with their period.
    pub periods: Vec<(usize, f64)>,
}

impl Oscillated {
    /// The position at a phase, before it is brought back to the constraints.
    fn straight(&self, amplitude: f64, phase: f64) -> Vec<f64> {
        let (sin, cos) = phase.sin_cos();
        let parts = self.x.iter().zip(&self.shape);
        parts
            .map(|(x, (re, im))| x + amplitude * (re * cos - im * sin))
            .collect()
    }
}

/// An oscillation in pictures.
#[derive(Clone, Debug, PartialEq)]
pub struct Oscillation {
    /// The amplitude of the coordinate that moves most; 0 where nothing moves.
    pub amplitude: f64,
    /// The positions, on the constraints, at equal steps of the phase; one where nothing moves.
    pub positions: Vec<Vec<f64>>,
    /// What they look like; where a file has no picture, with the wire that it swings on.
    pub drawings: Vec<Drawing>,
}

impl Model {
    /// The pictures of an oscillation.
    pub fn oscillation(&self, wanted: &Oscillated) -> Oscillation {
        let (amplitude, positions) = self.swing(wanted);
        let mut drawings = self.drawn_at(wanted.t, &positions);
        if self.system.picture.is_none() {
            let wire = self.wire(wanted, amplitude);
            let wire = self.drawn_at(wanted.t, &wire).into_iter();
            let wire: Vec<[f64; 2]> = wire.flat_map(|d| d.points).collect();
            for drawing in drawings.iter_mut().filter(|_| wire.len() > 1) {
                drawing.lines.push(wire.clone());
            }
        }
        Oscillation {
            amplitude,
            positions,
            drawings,
        }
    }

    /// The amplitude and the positions; 0 and one position where nothing moves.
    fn swing(&self, wanted: &Oscillated) -> (f64, Vec<Vec<f64>>) {
        if wanted.shape.len() == wanted.x.len() {
            let mut amplitude = self.visible(wanted);
            for _ in 0..HALVINGS {
                if !(amplitude.is_finite() && amplitude > 0.0) {
                    break;
                }
                let phases = (0..PHASES).map(|i| TAU * i as f64 / PHASES as f64);
                let list = phases.map(|phase| self.swung(wanted, amplitude, phase));
                if let Some(list) = list.collect() {
                    return (amplitude, list);
                }
                amplitude /= 2.0;
            }
        }
        (0.0, vec![wanted.x.clone()])
    }

    /// Where constraints leave one degree of freedom: the curve that they leave, beyond both ends of the swing.
    fn wire(&self, wanted: &Oscillated, amplitude: f64) -> Vec<Vec<f64>> {
        let n = wanted.x.len();
        if amplitude == 0.0 || n < 2 || self.system.constraints.len() + 1 != n {
            return Vec::new();
        }
        let side = |sign: f64| {
            let steps = (1..=WIRE * BEYOND).map_while(move |step| {
                let far = sign * amplitude * step as f64 / WIRE as f64;
                self.swung(wanted, far, 0.0)
            });
            steps.collect::<Vec<_>>()
        };
        let mut positions = side(-1.0);
        positions.reverse();
        positions.push(wanted.x.clone());
        positions.extend(side(1.0));
        positions
    }

    /// The position at a phase; `None` where the constraints are too far from it.
    fn swung(&self, wanted: &Oscillated, amplitude: f64, phase: f64) -> Option<Vec<f64>> {
        let straight = wanted.straight(amplitude, phase);
        if self.system.constraints.is_empty() {
            return Some(straight);
        }
        let amplitude = amplitude.abs();
        let units = vec![amplitude; straight.len()];
        let back = self.back_to_constraints(wanted.t, &units, straight.clone())?;
        let off = back.iter().zip(&straight).map(|(a, b)| (a - b).abs());
        (off.fold(0.0, f64::max) <= AWAY * amplitude).then_some(back)
    }

    /// The amplitude with which the picture moves by a part of its size.
    fn visible(&self, wanted: &Oscillated) -> f64 {
        let top = wanted.x.iter().fold(1.0_f64, |top, v| top.max(v.abs()));
        let trial = TRIAL * top;
        let moved = [0.0, 0.25].map(|turn| wanted.straight(trial, turn * TAU));
        let positions = [vec![wanted.x.clone()], moved.to_vec()].concat();
        let drawings = self.drawn_at(wanted.t, &positions).into_iter();
        let all = |d: Drawing| d.points.into_iter().chain(d.lines.into_iter().flatten());
        let places: Vec<Vec<[f64; 2]>> = drawings.map(|d| all(d).collect()).collect();
        let mut amplitude = f64::INFINITY;
        if let Some((first, others)) = places.split_first() {
            let size = size_of(first).max(if first.len() < 2 { top } else { 0.0 });
            let mut moves = 0.0_f64;
            for (a, b) in others.iter().flat_map(|o| first.iter().zip(o)) {
                moves = moves.max((a[0] - b[0]).hypot(a[1] - b[1]) / trial);
            }
            if moves > 1e-6 && size > 0.0 {
                amplitude = SEEN * size / moves;
            }
        }
        for &(k, period) in &wanted.periods {
            let part = wanted.shape.get(k).map_or(0.0, |(re, im)| re.hypot(*im));
            if part > 0.0 {
                amplitude = amplitude.min(TURN * period / part);
            }
        }
        if amplitude.is_finite() {
            amplitude
        } else {
            // along the line of sight: nothing of it is seen, whatever the amplitude
            SEEN * top
        }
    }

    /// What positions look like: the picture of the file, else the first two coordinates as a point.
    pub fn drawn_at(&self, t: f64, positions: &[Vec<f64>]) -> Vec<Drawing> {
        let system = &self.system;
        let Some(picture) = &system.picture else {
            let point = |x: &Vec<f64>| {
                let at = |k: usize| x.get(k).copied().unwrap_or(0.0);
                Drawing {
                    points: vec![[at(0), at(1)]],
                    lines: Vec::new(),
                }
            };
            return positions.iter().map(point).collect();
        };
        let tape = Tape::new(&system.pool, &inputs(system), &picture.places());
        let drawn = |x: &Vec<f64>| {
            let values = tape.values(&arguments(system, t, x, &[]));
            Drawing::laid_out(picture, values.into_iter())
        };
        positions.iter().map(drawn).collect()
    }
}

/// The longer side of the box round places.
fn size_of(places: &[[f64; 2]]) -> f64 {
    let side = |k: usize| {
        let values = places.iter().map(|p| p[k]).filter(|v| v.is_finite());
        let (low, high) = extremes(values);
        (high - low).max(0.0)
    };
    side(0).max(side(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Where;
    use crate::expr::Expr;
    use crate::system::{System, find};

    fn model(name: &str) -> Model {
        Model::new(System::parse(find(name).unwrap().text, name, &[]).unwrap())
    }

    #[test]
    fn the_pictures_of_a_mode_are_on_the_constraints_and_go_both_ways() {
        for name in [
            "pendulum",
            "double_pendulum",
            "bead_on_parabola",
            "pendulum_on_cart",
        ] {
            let model = model(name);
            let found = model.equilibria(&Where::default());
            let mut seen = 0;
            for e in &found.list {
                for mode in &e.verdict.modes {
                    let oscillation = model.oscillation(&Oscillated {
                        t: found.t,
                        x: e.x.clone(),
                        shape: mode.shape.clone(),
                        periods: found.periods.clone(),
                    });
                    assert!(oscillation.amplitude > 0.0, "{name}");
                    assert_eq!(oscillation.positions.len(), PHASES);
                    for x in &oscillation.positions {
                        let v = arguments(&model.system, found.t, x, &[]);
                        let f: Vec<Expr> = model
                            .system
                            .constraints
                            .iter()
                            .map(|c| model.system.pool.sub(c.f, c.c))
                            .collect();
                        let tape = Tape::new(&model.system.pool, &inputs(&model.system), &f);
                        let out = tape.values(&v);
                        assert!(out.iter().all(|r| r.abs() < 1e-10), "{name} {out:?}");
                    }
                    // half an oscillation on it stands on the other side, to first order
                    let k = (0..e.x.len())
                        .max_by(|a, b| {
                            let size = |k: &usize| mode.shape[*k].0.abs();
                            size(a).total_cmp(&size(b))
                        })
                        .unwrap();
                    let one = oscillation.positions[0][k] - e.x[k];
                    let other = oscillation.positions[PHASES / 2][k] - e.x[k];
                    assert!(one * other < 0.0, "{name}: {one} {other}");
                    assert!(one.abs() > 0.3 * oscillation.amplitude);
                    seen += 1;
                }
            }
            assert!(seen > 0, "{name}");
        }
    }

    #[test]
    fn without_a_picture_the_wire_goes_on_beyond_the_swing() {
        let text = "name: Bead\ncoordinates: [x, y]\nlagrangian: 1/2*(x'^2 + y'^2) - 9.81*y\n\
                    constraints: {wire: y - x^2}\nstart: {x: 1}\n";
        let model = Model::new(System::parse(text, "bead", &[]).unwrap());
        let oscillation = model.oscillation(&Oscillated {
            t: 0.0,
            x: vec![0.0, 0.0],
            shape: vec![(1.0, 0.0), (0.0, 0.0)],
            periods: Vec::new(),
        });
        let wire = &oscillation.drawings[0].lines[0];
        for [x, y] in wire {
            assert!((y - x * x).abs() < 1e-9, "({x}, {y})");
        }
        let ends = (wire[0][0], wire[wire.len() - 1][0]);
        assert!(ends.0 < -2.0 * oscillation.amplitude && ends.1 > 2.0 * oscillation.amplitude);
        assert!(wire.windows(2).all(|pair| pair[0][0] < pair[1][0]));
        // a surface has no wire
        let text = text
            .replace("[x, y]", "[x, y, z]")
            .replace("{x: 1}", "{x: 1, z: 0}");
        let text = text.replace("y'^2)", "y'^2 + z'^2)");
        let model = Model::new(System::parse(&text, "bowl", &[]).unwrap());
        let oscillation = model.oscillation(&Oscillated {
            t: 0.0,
            x: vec![0.0; 3],
            shape: vec![(1.0, 0.0), (0.0, 0.0), (0.0, 0.0)],
            periods: Vec::new(),
        });
        assert!(oscillation.amplitude > 0.0 && oscillation.drawings[0].lines.is_empty());
    }
}
