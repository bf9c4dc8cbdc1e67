//! `holonom check`.

use super::input::{SystemArgs, dependent, overrides, region};
use super::{CommandError, Format, output, print_json, print_text};
use crate::report::{check_json, check_text};
use clap::Args;

/// Options of `check`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Exit code: 0 where the theorem holds at the point, 1 where it fails, 2 where the \
input cannot be used.

Examples:
  holonom check bead_on_parabola
  holonom check bead_on_parabola --at x1=0,x2=0
  holonom check bead_on_parabola --at x1=0,x2=0 --dependent x2
  holonom check my.yaml --set l=2 --at th=pi/2 --json")]
pub struct CheckArgs {
    /// The system
    #[command(flatten)]
    pub system: SystemArgs,
    /// Look at another point: replaces single values of the start, which need not satisfy the constraints
    #[arg(long, value_name = "NAME=VALUE,...", allow_hyphen_values = true)]
    pub at: Vec<String>,
    /// The dependent coordinates, as many as there are constraints
    #[arg(long, value_name = "NAME,...")]
    pub dependent: Option<String>,
    /// Where to look for points at which the determinant vanishes
    #[arg(
        long = "box",
        value_name = "NAME=LOW:HIGH,...",
        allow_hyphen_values = true
    )]
    pub region: Vec<String>,
}

impl CheckArgs {
    /// A check of a system at its start.
    pub fn of_system(system: &str, set: &[String], json: bool) -> Self {
        Self {
            system: SystemArgs {
                system: system.to_owned(),
                set: set.to_vec(),
                free: Vec::new(),
                json,
                quiet: false,
            },
            at: Vec::new(),
            dependent: None,
            region: Vec::new(),
        }
    }
}

/// The Jacobian and the Inverse Function Theorem at a point. Exit code 1 where the theorem fails.
pub fn check(args: &CheckArgs) -> Result<u8, CommandError> {
    let model = args.system.still_model()?;
    let overrides = overrides(&model.system, &args.at, &[])?;
    let dependent = dependent(&model.system, args.dependent.as_deref())?;
    let region = region(&model.system, &args.region)?;
    let site = model.site(&overrides)?;
    let check = model.check(site, dependent.as_deref(), &region);
    match args.system.format() {
        Format::Json => print_json(&check_json(&model, &check))?,
        Format::Text => print_text(&check_text(&model, &check, output::width()))?,
    }
    Ok(u8::from(!check.verdict.holds()))
}
