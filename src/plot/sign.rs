//! What stands at a place, and its meaning.

named! {
    /// The meaning of a mark. Of several marks in one column the first kind in this order is drawn.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum MarkKind {
        /// The theorem fails here: `▲`, `^`.
        Failure = "failure",
        /// The motion was flagged here: `△`, `!`.
        Flag = "flag",
        /// Something else happened, such as a change of chart: `◆`, `v`.
        Event = "event",
    }
}

/// What stands at a point. Of several in one cell the last kind in this order is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PointKind {
    /// A place that does not move: `○`, `+`.
    Anchor,
    /// A place where the theorem fails: `▲`, `^`.
    Failure,
    /// A body: `●`, `@`.
    Body,
}
