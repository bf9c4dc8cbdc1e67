//! Of which members of a family the verdict holds that is found at one.

use super::{Acting, Equilibrium, Ground, Holds};
use crate::expr::{Interval, is_over};
use crate::interval::{box_of, common, halved, largest, middles, share};
use crate::mechanics::Holonomy;
use crate::statics::search::Piece;
use crate::statics::stability::{Candidate, Criterion, Site, Stability, judge_all};
use nalgebra::DVector;
use std::collections::VecDeque;

/// Parts of a family that are judged.
const PARTS: usize = 300;

impl Ground<'_> {
    /// For which members of its family does the verdict on an equilibrium hold?
    pub(super) fn holds(
        &self,
        site: &Site,
        acting: &Acting,
        e: &Equilibrium,
        piece: Option<&Piece>,
    ) -> Holds {
        let Some(along) = e.along.as_ref().filter(|along| along.is_proven()) else {
            return Holds::There;
        };
        if acting.is_without_force(site.system) {
            return Holds::Same;
        }
        match (piece, along.dimension()) {
            (Some(piece), Some(dimension)) => self.holds_on(site, acting, (e, dimension), piece),
            _ if is_moved_unchanged(site, e) => Holds::Same,
            _ => Holds::There,
        }
    }

    /// The same by enclosures of all members.
    fn holds_on(
        &self,
        site: &Site,
        acting: &Acting,
        (e, dimension): (&Equilibrium, usize),
        piece: &Piece,
    ) -> Holds {
        let region = box_of(&self.region);
        let mut queue = VecDeque::from(piece.parts.clone());
        let told = Some(e.verdict.stability).filter(|s| s.criterion().is_some());
        let told = told.map(|s| s.name());
        let (mut looked, mut all) = (0, true);
        while let Some(part) = queue.pop_front() {
            looked += 1;
            let x = piece.course.at(&part);
            let Some(x) = common(&x, &region) else {
                continue;
            };
            let own = self.verdict_over(site, acting, &x, dimension);
            if own.is_some_and(|(_, signature)| signature != e.verdict.signature()) {
                return Holds::Changes;
            }
            match own.map(|(stability, _)| stability.map(|s| s.name())) {
                Some(stability) if stability == told => {}
                Some(Some(_)) => return Holds::Changes,
                _ if looked > PARTS || is_over() => return Holds::There,
                _ => {
                    let longest = largest(0..part.len(), |k| {
                        share(part[*k], region_of(&piece.parts, *k))
                    });
                    match longest.map(|(k, _)| halved(part, k)) {
                        Some(Ok((low, high))) => queue.extend([low, high]),
                        _ => all = false,
                    }
                }
            }
        }
        if all { Holds::Same } else { Holds::There }
    }

    /// What is proven of all equilibria in a box at once.
    fn verdict_over(
        &self,
        site: &Site,
        acting: &Acting,
        x: &[Interval],
        dimension: usize,
    ) -> Option<(Option<Stability>, [usize; 3])> {
        let own = site.bounds.completed(x)?;
        let middle = middles(x);
        let holonomy = self.subject.holonomy;
        judge_all(
            site,
            &Candidate {
                proof: Some(&own),
                point: None,
                x: &middle,
                reach: &[],
                lambda: &DVector::from_vec(middles(own.lambda())),
                width: &self.widths,
                rows: acting.rows,
                rank: acting.kept.len(),
                family: dimension,
                presses: self.presses(acting, &own),
                leaves: holonomy.iter().all(|h| *h != Holonomy::Unknown),
            },
        )
    }
}

/// Of one that symmetries move to all others of its family: is what is told of it the same there? The second variation is;
/// where the coefficients of the motion have no coordinate, so is what else a verdict by the potential needs.
fn is_moved_unchanged(site: &Site, e: &Equilibrium) -> bool {
    let pool = site.symbols.pool;
    let mut motion = site
        .statics
        .mass
        .iter()
        .chain(&site.statics.damping)
        .flatten();
    let still = !motion.any(|own| pool.contains_any(*own, &site.symbols.x));
    let by_potential = match e.verdict.stability.criterion() {
        Some(Criterion::Minimum { .. } | Criterion::Falls | Criterion::FallsLater { .. }) => true,
        Some(_) => false,
        None => e.verdict.form.undecided().is_empty(),
    };
    still && by_potential
}

/// The range of all parts.
fn region_of(parts: &[Vec<Interval>], k: usize) -> Interval {
    parts
        .iter()
        .fold(Interval::EMPTY, |all, part| all.hull(part[k]))
}
