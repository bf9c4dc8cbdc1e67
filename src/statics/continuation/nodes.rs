//! The places at which pieces of branches begin and end, each once.

use super::curve::Curve;
use super::walk::{Arrival, coordinates_and_parameter};
use super::{Following, Half, Inner, Node, Place, ROUGH, SAME, located};
use nalgebra::DVector;

impl Following<'_> {
    /// A new place, and its number.
    pub(super) fn node(
        &mut self,
        (place, blur): (Place, f64),
        (curve, y): (usize, DVector<f64>),
        halves: Vec<Half>,
    ) -> usize {
        let mut at = self.point(curve, &y);
        if place == Place::Singular {
            // no multipliers balance the forces there
            at.multipliers.fill(f64::NAN);
        }
        self.found.nodes.push(Node { place, at, blur });
        self.nodes.push(Inner {
            on: vec![(curve, y)],
            reach: SAME,
            work: self.curves[curve].1.largest(),
            halves,
        });
        self.nodes.len() - 1
    }

    /// The place where a piece ends: one that is known, or a new one.
    pub(super) fn arrive(&mut self, place: usize, mut arrival: Arrival) -> usize {
        let curve = &self.curves[place].1;
        let border = curve.border(&arrival.way);
        let two = (arrival.place == Place::Meeting)
            .then(|| located::tangents(curve, &arrival.y, arrival.blur))
            .flatten();
        let rough = arrival.place == Place::Meeting && two.is_none();
        let reach = if rough { located::AROUND } else { SAME };
        if rough {
            // where terms of higher order meet the last step of Newton's method says little of how well a place is known
            arrival.blur = arrival.blur.max(ROUGH);
        }
        let (own, ways) = onward(curve, &arrival, two);
        let met = match arrival.place {
            Place::Contact(b) => Some(b),
            _ => None,
        };
        let here = (place, &arrival.y);
        let choices = if arrival.place.is_bifurcation() {
            self.choices(here, arrival.blur, met)
        } else {
            vec![(place, arrival.y.clone())]
        };
        let curve = &self.curves[place].1;
        let mut nodes = self.found.nodes.iter().zip(&self.nodes);
        let known = nodes.position(|(known, node)| {
            let own = known.place;
            let stops = |place: Place| matches!(place, Place::End | Place::Edge);
            let same = own == arrival.place
                || own.is_bifurcation() && arrival.place.is_bifurcation()
                || stops(own) && stops(arrival.place);
            let near = |y: &DVector<f64>| {
                let apart = self.bounds.distance(curve, y, &arrival.y);
                apart < reach.max(node.reach).max(known.blur + arrival.blur)
            };
            let alike = |other| choices.iter().any(|(own, _)| self.are_alike(other, *own));
            same && node.on.iter().any(|(other, y)| alike(*other) && near(y))
        });
        let border = coordinates_and_parameter(curve.n, &border);
        if let Some(to) = known {
            let known = &mut self.found.nodes[to].place;
            if matches!((*known, arrival.place), (Place::Contact(_), Place::Meeting)) {
                *known = own;
            }
            self.join(to, choices, arrival.blur);
            let alike = self.all_alike(place);
            Half::came_by(&mut self.nodes[to].halves, (&alike, &border));
            return to;
        }
        let ways = ways.into_iter().map(|way| Half::new(place, way));
        let mut halves: Vec<Half> = ways.collect();
        Half::came_by(&mut halves, (&self.all_alike(place), &border));
        let node = self.node((own, arrival.blur), (place, arrival.y), halves);
        self.nodes[node].reach = reach;
        self.join(node, choices, arrival.blur);
        node
    }

    /// Leaves out places, but the first so many, from which nothing goes that is not told from elsewhere.
    pub(super) fn forget_unused(&mut self, first: usize) {
        let pieces = &mut self.found.pieces;
        let ends = pieces.iter().flat_map(|piece| [piece.from, piece.to]);
        let ends: Vec<usize> = ends.collect();
        let mut numbers = Vec::new();
        let nodes = std::mem::take(&mut self.found.nodes).into_iter();
        for (i, node) in nodes.enumerate() {
            numbers.push(self.found.nodes.len());
            if i < first || ends.contains(&i) {
                self.found.nodes.push(node);
            }
        }
        for piece in pieces {
            (piece.from, piece.to) = (numbers[piece.from], numbers[piece.to]);
        }
    }

    fn all_alike(&self, place: usize) -> Vec<usize> {
        let all = 0..self.curves.len();
        all.filter(|other| self.are_alike(*other, place)).collect()
    }
}

/// What a place is, and the ways on from it in these equations.
fn onward(
    curve: &Curve,
    arrival: &Arrival,
    two: Option<[DVector<f64>; 2]>,
) -> (Place, Vec<DVector<f64>>) {
    let onward = || vec![arrival.way.clone()];
    match (arrival.place, two) {
        (Place::Meeting, None) => {
            let ways = located::ways_on(curve, &arrival.y, arrival.blur);
            let ways = if ways.is_empty() { onward() } else { ways };
            (Place::Meeting, ways)
        }
        (Place::Meeting, Some(ways)) => {
            let last = curve.size() - 1;
            let upright = ways.iter().filter(|way| way[last].abs() < located::UPRIGHT);
            let kind = match upright.count() {
                0 => Place::Transcritical,
                1 => Place::Pitchfork,
                _ => Place::Meeting,
            };
            (kind, located::both(ways))
        }
        (place @ (Place::Fold | Place::Hopf(_) | Place::Flutter(_)), _) => (place, onward()),
        (place, _) => (place, Vec::new()),
    }
}
