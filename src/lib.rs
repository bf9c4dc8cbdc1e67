//! Mechanical systems with constraints: their equations of motion, where the Inverse Function Theorem lets dependent
//! coordinates be written as functions of the others and where it fails, their motions and equilibria.
//!
//! A system is a text: coordinates, a Lagrangian L(x, x', t) and constraints f(x; t) = c. [`system::System`] reads it,
//! or says what is wrong and where; [`analysis::Model`] answers questions about it; [`report`] puts answers into words,
//! JSON, LaTeX and programs.
//!
//! ```
//! use holonom::analysis::{Model, Overrides, Request};
//! use holonom::system::System;
//! use std::sync::atomic::AtomicBool;
//!
//! let text = "
//! coordinates: [x, y]
//! parameters: {m: 1, g: 9.81}
//! lagrangian: m/2*(x'^2 + y'^2) - m*g*y
//! constraints: {wire: y = x^2}
//! dependent: [x]
//! start: {x: 1, y: 1, x': 0, y': 0}
//! run: {until: 2}
//! ";
//! let system = System::parse(text, "bead", &[]).map_err(|faults| faults[0].to_string())?;
//! let model = Model::new(system);
//!
//! // at x = 1 the wire gives x as a function of y; at the bottom it does not
//! let check = model.check(model.site(&Overrides::default())?, None, &[]);
//! assert!(check.verdict.holds());
//! let bottom = Overrides::new(&model.system, &[("x".to_owned(), 0.0), ("y".to_owned(), 0.0)])?;
//! let check = model.check(model.site(&bottom)?, None, &[]);
//! assert!(!check.verdict.holds());
//!
//! // the motion passes there, and says when
//! let motion = model.simulate(&Request::default(), &AtomicBool::new(false))?;
//! assert!(motion.finished && !motion.flags.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The folder `examples` has programs to begin with, `docs` a guide, the reference of the file and the theory.
//!
//! | feature | adds | needs |
//! |---|---|---|
//! | `workbench` (default) | the terminal face, `holonom my.yaml` | ratatui, crossterm; `cli` |
//! | `cli` (default) | the commands, `holonom check my.yaml` | clap |
//!
//! With neither, the library builds alone: `default-features = false`.
//!
//! The map of the house; data flows one way.
//!
//! | room | job |
//! |---|---|
//! | [`disk`] | files: read without waiting for ever, written whole or not at all |
//! | [`system`] | the YAML file: names, places, diagnostics, the built-in library |
//! | [`effort`] | work that is counted, the same on every machine, and can be called off |
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
//! | [`certificate`] | what is proven, with evidence that others can check |
//! | `commands` | the headless face |
//! | `workbench` | the terminal face |

/// Kinds of things, each with its name in JSON, in files or on the command line beside it.
macro_rules! named {
    // where all are known by their names alone, they can be listed and found
    ($(#[$about:meta])* pub enum $Kind:ident as all {
        $($(#[$doc:meta])* $Variant:ident = $name:literal,)*
    }) => {
        named! {
            $(#[$about])*
            pub enum $Kind {
                $($(#[$doc])* $Variant = $name,)*
            }
        }

        impl $Kind {
            /// Every one.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$Variant),*];

            /// That of a name.
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.name() == name)
            }
        }
    };
    ($(#[$about:meta])* pub enum $Kind:ident {
        $($(#[$doc:meta])* $Variant:ident $({ $($fields:tt)* })? $(($($payload:tt)*))? = $name:literal,)*
    }) => {
        $(#[$about])*
        pub enum $Kind {
            $($(#[$doc])* $Variant $({ $($fields)* })? $(($($payload)*))?,)*
        }

        impl $Kind {
            /// Its name in JSON, in files or on the command line.
            pub const fn name(&self) -> &'static str {
                match self {
                    $(Self::$Variant { .. } => $name,)*
                }
            }
        }
    };
}

pub mod analysis;
pub mod certificate;
#[cfg(feature = "cli")]
pub mod commands;
pub mod disk;
pub mod effort;
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
#[cfg(feature = "workbench")]
pub mod workbench;
