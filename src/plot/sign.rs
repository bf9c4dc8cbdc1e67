//! What stands at a place, and its meaning.

/// The meaning of a mark. Of several marks in one column the first kind in this order is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MarkKind {
    /// The theorem fails here: `▲`, `^`.
    Failure,
    /// The motion was flagged here: `△`, `!`.
    Flag,
    /// Something else happened, such as a change of chart: `◆`, `v`.
    Event,
}

/// What stands at a point. Of several in one cell the last kind in this order is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PointKind {
    /// A place that does not move: `○`, `+`.
    Anchor,
    /// A place where the theorem fails: `▲`, `^`.
    Failure,
    /// A body: `●`, `o`.
    Body,
}
