//! What is known of equilibria, held against those found.

use super::{Finding, Scale, Unjudged, relative};
use crate::analysis::Model;
use crate::analysis::along::larger;
use crate::geometry::largest;
use crate::solver::Sample;
use crate::statics::{Equilibria, Equilibrium, Kind, Note, Stability};
use crate::system::{Known, KnownEquilibrium};
use crate::theorem::{period_of, within_a_turn};

/// An equilibrium is one at given coordinates where it is off by no more than this part of the box.
const NEAR: f64 = 1e-3;

/// Beside coordinates and forces this part of the largest is nothing.
const NOTHING: f64 = 1e-6;

/// Is their number the one known, and proven?
pub fn judge_count(found: &Equilibria, count: usize, factor: f64) -> Finding {
    let (number, known) = (found.list.len() as f64, factor * count as f64);
    let scale = number.max(known).max(1.0);
    let difference = (number - known).abs() / scale;
    // there may be others
    let open = number <= known && !found.complete();
    Finding {
        holds: difference == 0.0 && !open,
        difference,
        t: f64::NAN,
        values: Some([number, known]),
        scale: Scale::Sides,
        because: open.then_some(Unjudged::NotAll),
    }
}

impl Model {
    /// Holds what is known of equilibria against all that are meant.
    pub(super) fn judge_rest(
        &self,
        found: &Equilibria,
        rest: &KnownEquilibrium,
        factor: f64,
        within: f64,
    ) -> Finding {
        // the largest difference, with what was computed and what is known
        let mut worst: Option<(f64, Option<[f64; 2]>)> = None;
        let is_near = |e: &&Equilibrium| {
            let apart = apart(found, e, rest, 1.0);
            rest.place.iter().zip(&apart).all(|((k, _), off)| {
                let (lo, hi) = found.region[*k];
                off.abs() <= NEAR * (hi - lo)
            })
        };
        let near: Vec<&Equilibrium> = found.list.iter().filter(is_near).collect();
        // of some next to each other another one may be meant
        let is_meant = near.len() == 1 || rest.place.is_empty();
        for e in near {
            let word = |known: Option<&str>, own: &str| known.is_none_or(|known| known == own);
            let (stability, kind) = (e.verdict.stability, e.verdict.kind());
            let [stands, lies] = [
                word(rest.stability, stability.name()),
                word(rest.kind, kind.name()),
            ];
            if !stands || !lies {
                let proven = !stands && !matches!(stability, Stability::Degenerate(_))
                    || !lies && kind != Kind::Degenerate && e.certified();
                return Finding::open(if proven && is_meant {
                    Unjudged::IsOther { stability, kind }
                } else {
                    Unjudged::Stands { stability, kind }
                });
            }
            // the place must be right, too, where more than that is known
            let place = match rest.known {
                Known::Place => factor,
                Known::Value { .. } | Known::Frequencies(_) => 1.0,
            };
            let mut off = (off_place(found, e, rest, place), None);
            let sizes = e.x.iter().chain(&e.multipliers).chain(&e.reaction);
            let least = NOTHING * largest(sizes);
            let mut take = |own: f64, known: f64| {
                let next = relative(own, known, own.abs().max(known.abs()).max(least));
                if off.1.is_none() || larger(off.0, next) > off.0 || next.is_nan() {
                    off = (larger(off.0, next), Some([own, known]));
                }
            };
            match &rest.known {
                Known::Place => {}
                Known::Value { value, is } => {
                    let values = self.evaluate(&[self.at_rest(found, e)], &[*value, *is]);
                    take(values[0][0], factor * values[1][0]);
                }
                Known::Frequencies(known) => {
                    let own: Vec<f64> = e.verdict.modes.iter().map(|m| m.frequency).collect();
                    if own.len() != known.len() {
                        return Finding::open(Unjudged::Frequencies(own.len()));
                    }
                    for (a, b) in own.iter().zip(known) {
                        take(*a, factor * b);
                    }
                }
            }
            let further = |w: f64| off.0.is_nan() || off.0 > w;
            if worst.is_none_or(|(w, _)| further(w)) {
                worst = Some(off);
            }
        }
        match worst {
            None if found.has_none_at(rest) => Finding::open(Unjudged::NoneThere),
            None => Finding::open(Unjudged::NoEquilibrium),
            Some((difference, values)) => Finding {
                holds: difference <= within,
                difference,
                t: f64::NAN,
                values,
                scale: Scale::Sides,
                because: None,
            },
        }
    }

    /// A sample of the motion that stays there.
    fn at_rest(&self, found: &Equilibria, e: &Equilibrium) -> Sample {
        let n = e.x.len();
        let mut lambda = e.multipliers.clone();
        lambda.resize(self.multiplier_names().len(), f64::NAN);
        Sample {
            t: found.t,
            x: e.x.clone(),
            v: vec![0.0; n],
            a: vec![0.0; n],
            lambda,
            reaction: e.reaction.clone(),
            determinant: f64::NAN,
            energy: e.verdict.potential,
            residual: 0.0,
        }
    }
}

impl Equilibria {
    /// Where none was met next to a place: is it proven that there is none? A family is not listed place by place, and with
    /// some notes not all were looked for, or are listed.
    fn has_none_at(&self, rest: &KnownEquilibrium) -> bool {
        let inside = |(k, v): &(usize, f64)| {
            let (lo, hi) = self.region[*k];
            let turn = period_of(&self.periods, *k).is_some_and(|period| hi - lo >= period);
            turn || (lo..=hi).contains(v)
        };
        let alone = self.list.iter().all(Equilibrium::stands_alone);
        let mut notes = self.notes.iter();
        let all = self.complete() && notes.all(|n| matches!(n, Note::Held | Note::Redundant));
        all && alone && rest.place.iter().all(inside)
    }
}

/// By how much the coordinates named are off, angles to the nearest turn.
fn apart(found: &Equilibria, e: &Equilibrium, rest: &KnownEquilibrium, factor: f64) -> Vec<f64> {
    let list = rest
        .place
        .iter()
        .map(|(k, v)| within_a_turn(e.x[*k] - factor * v, period_of(&found.periods, *k)));
    list.collect()
}

/// The same relative to the largest coordinate; where all are zero, to the box.
fn off_place(found: &Equilibria, e: &Equilibrium, rest: &KnownEquilibrium, factor: f64) -> f64 {
    let apart = apart(found, e, rest, factor);
    let named = rest.place.iter().map(|(_, v)| v.abs());
    let own = e.x.iter().map(|v| v.abs());
    let mut scale = named.chain(own).fold(0.0, f64::max);
    if scale <= f64::MIN_POSITIVE {
        let sides = found.region.iter().map(|(lo, hi)| hi - lo);
        scale = sides.fold(0.0, f64::max);
    }
    apart.iter().map(|v| v.abs() / scale).fold(0.0, larger)
}
