//! `holonom simulate`.

use super::input::{SystemArgs, dependent, overrides, value};
use super::{CommandError, Format, json_text, note, print};
use crate::analysis::{Request, simulate_table, split_columns};
use crate::report::{flag_line, motion_csv, motion_json, motion_text};
use crate::solver::Method;
use crate::system::{MAX_SAMPLES, System};
use clap::Args;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// Options of a run.
#[derive(Args, Clone, Debug)]
pub struct RunArgs {
    /// The time to run to (not a duration)
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub until: Option<String>,
    /// Relative tolerance
    #[arg(long, value_name = "R")]
    pub rtol: Option<f64>,
    /// Absolute tolerance
    #[arg(long, value_name = "A")]
    pub atol: Option<f64>,
    /// N gives N+1 equally spaced times, both ends included
    #[arg(long, value_name = "N")]
    pub samples: Option<usize>,
    /// Replace single start values, before the start is made consistent
    #[arg(long, value_name = "NAME=VALUE,...", allow_hyphen_values = true)]
    pub at: Vec<String>,
    /// Replace single velocities of the start
    #[arg(long, value_name = "NAME=VALUE,...", allow_hyphen_values = true)]
    pub vel: Vec<String>,
    /// The dependent coordinates, as many as there are constraints
    #[arg(long, value_name = "NAME,...")]
    pub dependent: Option<String>,
}

impl RunArgs {
    /// The run asked for, without start values and dependent coordinates.
    pub fn request(&self, system: &System) -> Result<Request, CommandError> {
        let positive = |option: &'static str, v: Option<f64>| match v {
            Some(v) if !(v.is_finite() && v > 0.0) => Err(CommandError::Option {
                option,
                why: format!("{v} is no positive number"),
            }),
            other => Ok(other),
        };
        if let Some(n) = self.samples
            && !(1..=MAX_SAMPLES).contains(&n)
        {
            return Err(CommandError::Option {
                option: "--samples",
                why: format!("{n} is not between 1 and {MAX_SAMPLES}"),
            });
        }
        Ok(Request {
            until: self
                .until
                .as_deref()
                .map(|text| value(system, "--until", text))
                .transpose()?,
            rtol: positive("--rtol", self.rtol)?,
            atol: positive("--atol", self.atol)?,
            samples: self.samples,
            ..Request::default()
        })
    }
}

/// Options of `simulate`.
#[derive(Args, Clone, Debug)]
pub struct SimulateArgs {
    /// The system
    #[command(flatten)]
    pub system: SystemArgs,
    /// The run
    #[command(flatten)]
    pub run: RunArgs,
    /// How the equations are solved: inverse, multipliers or tangents
    #[arg(long, value_name = "M")]
    pub method: Option<String>,
    /// Print CSV
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// Other columns: names, x1'', residual_velocity, power_R, action, or expressions
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub columns: Option<String>,
    /// Write to a file instead: JSON with --json or a name that ends in .json, CSV otherwise
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// A trajectory. Exit code 3 where it could not be finished; what was computed is written.
pub fn simulate(args: &SimulateArgs) -> Result<u8, CommandError> {
    let model = args.system.model()?;
    let mut request = args.run.request(&model.system)?;
    request.overrides = overrides(&model.system, &args.run.at, &args.run.vel)?;
    request.dependent = dependent(&model.system, args.run.dependent.as_deref())?;
    if let Some(name) = &args.method {
        request.method = Some(Method::named(name).ok_or_else(|| CommandError::Option {
            option: "--method",
            why: format!(
                "`{}` is none of inverse, multipliers, tangents",
                crate::system::sanitize(name)
            ),
        })?);
    }
    let columns = args.columns.as_deref().map(split_columns);
    let motion = model.simulate(&request, &AtomicBool::new(false))?;
    let table = simulate_table(&model, &motion, columns.as_deref())?;
    let as_json = args.system.format() == Format::Json
        || args
            .output
            .as_ref()
            .is_some_and(|p| p.extension().is_some_and(|e| e == "json") && !args.csv);
    let as_csv = !as_json && (args.csv || args.output.is_some());
    let text = if as_json {
        json_text(&motion_json(&model, &motion, &table))
    } else if as_csv {
        motion_csv(&table)
    } else {
        motion_text(&model, &motion, &table)
    };
    match &args.output {
        Some(path) => std::fs::write(path, text).map_err(|error| CommandError::Write {
            place: crate::system::sanitize(&path.display().to_string()),
            error,
        })?,
        None => print(&text)?,
    }
    if as_csv || (as_json && args.output.is_some()) {
        for flag in &motion.flags {
            note(&flag_line(&model, &motion, flag));
        }
        for text in &motion.notes {
            note(&format!("note: {text}"));
        }
    }
    if let Some(because) = &motion.because {
        note(&format!("not finished: {because}"));
    }
    Ok(if motion.finished { 0 } else { 3 })
}
