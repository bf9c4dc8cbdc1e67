//! What should be said beside the numbers of a motion.

use super::{HeldChart, Release, SolverError};

named! {
    /// A fact about a start or a motion, beside its numbers. Coordinates and constraints by their places.
    #[derive(Debug, Clone, PartialEq)]
    pub enum Note {
        /// A given coordinate missed the constraints, and was moved onto them.
        MovedCoordinate {
            /// The coordinate.
            coordinate: usize,
            /// The value given.
            from: f64,
            /// The value used.
            to: f64,
        } = "moved_coordinate",
        /// A given velocity missed the constraints, and was moved onto them.
        MovedVelocity {
            /// The coordinate.
            coordinate: usize,
            /// The value given.
            from: f64,
            /// The value used.
            to: f64,
        } = "moved_velocity",
        /// The position satisfies the constraints, and no velocities there do.
        PositionOnly(Box<SolverError>) = "position_only",
        /// The tolerance asked for is below what numbers resolve.
        Tolerance {
            /// The relative tolerance asked for.
            asked: f64,
            /// The one used.
            used: f64,
        } = "tolerance",
        /// The kinetic energy at the start is negative for some velocities: L has the wrong sign, or a mass has.
        NegativeKineticEnergy = "negative_kinetic_energy",
        /// A one-sided constraint was released: its multiplier would have had to pull.
        Released {
            /// The constraint.
            constraint: usize,
            /// The time.
            t: f64,
            /// What the motion does there.
            release: Release,
        } = "released",
        /// The chart of `inverse` was left: rounding of the coordinates that it is told in made more of the velocities solved for than
        /// the tolerances allow. The motion goes on by `multipliers`.
        Rounded {
            /// When.
            t: f64,
        } = "rounded",
        /// Next to a singular configuration one-sided constraints are not watched.
        Unwatched {
            /// From this time,
            from: f64,
            /// to this.
            to: f64,
        } = "unwatched",
        /// What a chart held on to comes to.
        Held(HeldChart) = "held_chart",
        /// There is no chart to hold on to.
        NoChart = "no_chart",
        /// Velocity constraints are not treated in a chart that is held on to.
        VelocityInChart = "velocity_in_chart",
    }
}
