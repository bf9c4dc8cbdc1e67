//! The questions that both faces ask of a system, answered once.
//!
//! A [`Model`] is a system with its equations, the theorem prepared for it, and its compiled form.
//! [`Model::check`], [`Model::derive`] and [`Model::simulate`] answer the commands; [`Analysis`]
//! is what the workbench shows.

mod account;
mod along;
mod at_rest;
mod balance;
mod bounds;
mod branches;
mod check;
mod choices;
mod compiled;
mod contradiction;
mod degrees;
mod derived;
mod design;
mod domain;
mod equilibria;
mod expect;
mod failure;
mod follow;
mod integral;
mod inverse;
mod levels;
mod live;
mod model;
mod motion;
mod nearest;
mod oscillation;
mod plots;
mod points;
mod redundant;
mod region;
mod request;
mod rolling;
mod solutions;
mod solved;
mod start;
mod sudden;
mod sweep;
mod undefined;
mod vary;
mod walk;
mod when;

pub use account::Account;
pub use along::{Along, Pair, along, extremes};
pub use at_rest::{AtRest, ClosedForm};
pub use balance::{Closure, Terms};
pub use bounds::Bounds;
pub(crate) use bounds::simplified;
pub use branches::BranchesAnswer;
pub use check::{Check, Meeting, SingularEntry, Site};
pub use choices::{Choice, Choices, Solvable};
pub use compiled::CompiledSystem;
pub use contradiction::FARTHEST;
pub use derived::{Count, Derived, Redundancy, Remark};
pub use design::DesignAnswer;
pub use domain::{Argument, BrokenCondition, DomainOfG, End, Ending, Reach, Spot};
pub use equilibria::Where;
pub use expect::{Evidence, Finding, Scale, Unjudged};
pub use failure::flagged_to;
pub use inverse::{InverseAnswer, InverseRequest, InverseValue, LevelVariation, Nowhere};
pub use levels::{LevelLine, Levels, Slice, Touch};
pub use live::{Analysis, Broken, Drawing, PointAnalysis, Underway};
pub use model::Model;
pub use motion::{Request, Run, Table, simulate_table, split_columns};
pub use nearest::NearestFailure;
pub use oscillation::{Oscillated, Oscillation, PHASES};
pub use plots::{PlotData, PlotNames};
pub use points::SymbolicPoints;
pub use redundant::NoChoice;
pub use region::{AtlasAnswer, AtlasChart, LeftOver, MapAnswer, Part};
pub use request::{
    ColumnFault, Overrides, RequestError, coordinate, dependent_indices, no_variable,
};
pub use rolling::BoundVelocities;
pub use solutions::Excluded;
pub use solved::{Solved, Unsolved};
pub use sweep::{
    Axis, ColumnReduction, Design, Drawn, Outcome, Plan, PlanError, Range, RangeFault, RangedAxis,
    Shard, Sweep, SweepRow, Unreduced, Waiting, read_table,
};
pub use vary::{
    ActionAt, Conjugate, Returned, Shape, Size, Unconjugated, Varied, VaryError, VaryRequest,
};
pub use walk::Walker;
pub use when::{Condition, is_condition};

pub use crate::geometry::{largest, size_of};
pub use crate::statics::{Extent as Followed, Over};
