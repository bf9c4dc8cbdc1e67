//! What is known of where a factor vanishes on the constraints, with the evidence that each word needs: a
//! [`Proof`] is made by the search beside this file alone.

/// The evidence for a word such as "only", "nowhere" or "certified"; nothing but the search can make one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proof(());

impl Proof {
    /// By a search that looked at all of the box, or bounds or a contradiction that leave nothing.
    pub(super) fn given() -> Self {
        Self(())
    }

    /// Where a search looked at all of the box.
    pub(super) fn where_true(proven: bool) -> Option<Self> {
        proven.then(Self::given)
    }
}

/// A point where the factor vanishes on the constraints.
#[derive(Clone, Debug, PartialEq)]
pub struct SingularPoint {
    /// Its coordinates in order.
    pub x: Vec<f64>,
    /// The evidence that there is one point, and one only, as near as rounding; none where Newton's method found it.
    pub certified: Option<Proof>,
}

/// Isolated points, and boxes that were not decided; not both empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Points {
    /// The points found, in the order of their coordinates.
    pub list: Vec<SingularPoint>,
    /// Boxes (a range a coordinate) in which there may be points; those listed there are not certified.
    pub undecided: Vec<Vec<(f64, f64)>>,
    /// The evidence that there are no others in the box but in `list` and in `undecided`.
    pub no_others: Option<Proof>,
}

impl Points {
    /// The evidence that the list is all that there is in the box.
    pub fn only(&self) -> Option<Proof> {
        self.no_others.filter(|_| self.undecided.is_empty())
    }
}

/// Where "nowhere" holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// For every value of the coordinates: the equations contradict each other.
    Everywhere,
    /// In the box searched.
    Box,
}

/// Of how many dimensions a set is, one at least, about a point of it that is proven to be regular.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimension {
    /// So many.
    pub of: usize,
    pub(super) proof: Proof,
}

/// Where in the box a factor vanishes on the constraints.
#[derive(Clone, Debug, PartialEq)]
pub enum Whereabouts {
    /// At no point.
    Nowhere(Proof, Scope),
    /// At isolated points.
    Points(Points),
    /// There are more unknowns than equations, or the points found are not isolated: a manifold of so many dimensions
    /// where that is proven.
    Family(Option<Dimension>),
    /// None was found and none excluded.
    Unknown,
    /// No search was made: too many coordinates.
    NotSearched,
}

/// What is known of {factor = 0, f = c} in a box at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct SingularPoints {
    /// Where.
    pub place: Whereabouts,
    /// Coordinates that are angles here, with their period: points are given once.
    pub periods: Vec<(usize, f64)>,
}

impl SingularPoints {
    /// The isolated points found.
    pub fn points(&self) -> &[SingularPoint] {
        match &self.place {
            Whereabouts::Points(points) => &points.list,
            _ => &[],
        }
    }

    /// Boxes that were not decided.
    pub fn undecided(&self) -> &[Vec<(f64, f64)>] {
        match &self.place {
            Whereabouts::Points(points) => &points.undecided,
            _ => &[],
        }
    }

    /// The evidence that [`SingularPoints::points`] are all in the box.
    pub fn only(&self) -> Option<Proof> {
        match &self.place {
            Whereabouts::Nowhere(proof, _) => Some(*proof),
            Whereabouts::Points(points) => points.only(),
            _ => None,
        }
    }

    /// Are the points told, as a list that may be empty?
    pub fn is_listed(&self) -> bool {
        matches!(
            self.place,
            Whereabouts::Nowhere(..) | Whereabouts::Points(_)
        )
    }
}
