//! holonom: a workbench for mechanical systems with constraints.
//!
//! The map of the house; data flows one way.
//!
//! | room | job |
//! |---|---|
//! | [`disk`] | files: read without waiting for ever, written whole or not at all |
//! | [`system`] | the YAML file: names, places, diagnostics, the built-in library |
//! | [`expr`] | the symbolic engine: exact expressions, derivatives, factors, compilation |
//! | [`interval`] | proofs by interval arithmetic: boxes narrowed, solutions proven, none overlooked |
//! | [`sparse`] | linear algebra for large systems |
//! | [`mechanics`] | from a system to its equations; symbolic |
//! | [`geometry`] | the constraint set at a point, in numbers: rank, kernel, redundancy, Newton back, tangent cone |
//! | [`theorem`] | the Inverse Function Theorem: choices, verdicts, singular points, inverse functions |
//! | [`statics`] | equilibria: all of them in a box, their stability and their modes |
//! | [`solver`] | numbers: consistent starts, three methods, events, trajectories |
//! | [`analysis`] | the questions that both faces ask, answered once |
//! | [`plot`] | series to characters |
//! | [`report`] | the answers as text, JSON, CSV, LaTeX, Python |
//! | [`commands`] | the headless face |
//! | [`workbench`] | the terminal face |

pub mod analysis;
pub mod commands;
pub mod disk;
pub mod expr;
pub mod geometry;
pub mod interval;
pub mod mechanics;
pub mod plot;
pub mod report;
pub mod solver;
pub mod sparse;
pub mod statics;
pub mod system;
pub mod theorem;
pub mod workbench;
