//! A small oscillation about an equilibrium, in pictures.

use super::{Drawing, Model};
use crate::expr::{Expr, Tape, Workspace};
use crate::statics::{Oscillated, Surroundings, positions};
use crate::theorem::{arguments, inputs};

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
        let places = |positions: &[Vec<f64>]| -> Vec<Vec<[f64; 2]>> {
            let drawings = self.drawn_at(wanted.t, positions);
            let all = |d: Drawing| d.points.into_iter().chain(d.lines.into_iter().flatten());
            drawings.into_iter().map(|d| all(d).collect()).collect()
        };
        let swung = positions(
            wanted,
            &Surroundings {
                constraints: self.system.constraints.len(),
                back: &|units, x| self.back_to_constraints(wanted.t, units, x),
                drawn: &places,
            },
        );
        let mut drawings = self.drawn_at(wanted.t, &swung.list);
        if self.system.picture.is_none() && swung.wire.len() > 1 {
            let wire = self.drawn_at(wanted.t, &swung.wire);
            let wire: Vec<[f64; 2]> = wire.into_iter().flat_map(|d| d.points).collect();
            for drawing in &mut drawings {
                drawing.lines.push(wire.clone());
            }
        }
        Oscillation {
            amplitude: swung.amplitude,
            positions: swung.list,
            drawings,
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
        let list: Vec<Expr> = picture.places();
        let tape = Tape::new(&system.pool, &inputs(system), &list);
        let mut work = Workspace::default();
        let mut values = vec![0.0; list.len()];
        positions
            .iter()
            .map(|x| {
                tape.eval(&arguments(system, t, x, &[]), &mut work, &mut values);
                Drawing::laid_out(picture, values.iter().copied())
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Where;
    use crate::statics::PHASES;
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
                        let mut out = vec![0.0; f.len()];
                        tape.eval(&v, &mut Workspace::default(), &mut out);
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
