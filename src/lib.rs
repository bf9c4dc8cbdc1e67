//! holonom: a workbench for mechanical systems with constraints.

pub mod solver;
