//! holonom: a workbench for mechanical systems with constraints.
pub mod expr;
pub mod mechanics;
pub mod plot;
pub mod system;
pub mod theorem;
pub mod workbench;
