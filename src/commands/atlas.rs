//! `holonom atlas`.

use super::input::{SystemArgs, dependent, overrides, region};
use super::{CommandError, Format, output, print_json, print_text, without_start};
use crate::analysis::{Model, Part};
use crate::report::{atlas_json, atlas_text};
use clap::Args;

/// Which part of the constraint set.
#[derive(Args, Clone, Debug)]
pub struct PartArgs {
    /// The box looked at [default: 2 max(1, |x|) of the start each way round 0, for an angle a turn]
    #[arg(
        long = "box",
        value_name = "NAME=LOW:HIGH,...",
        allow_hyphen_values = true
    )]
    pub region: Vec<String>,
    /// The time, t=1, where the constraints depend on it; and values that replace those of the start
    #[arg(long, value_name = "NAME=VALUE,...", allow_hyphen_values = true)]
    pub at: Vec<String>,
}

impl PartArgs {
    /// The part, and the place it lies about.
    pub fn part(&self, model: &Model) -> Result<(Part, Vec<f64>), CommandError> {
        let overrides = overrides(&model.system, &self.at, &[])?;
        let given = region(&model.system, &self.region)?;
        let (part, place) = model.part(&overrides, &given);
        if let Some(why) = &part.no_start {
            without_start(why);
        }
        Ok((part, place))
    }
}

/// Options of `atlas`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
A piece is a box on which the dependent coordinates are functions of the others \
and of the values of the constraints: F is one-to-one on it, proven by interval \
arithmetic. What no piece covers is told too.

Exit code: 0, or 2 where the input cannot be used.

Examples:
  holonom atlas bead_on_parabola
  holonom atlas bead_on_parabola --dependent x1 --box x1=-2:2,x2=-1:4
  holonom atlas product_and_sum --json
  holonom atlas rotating_rod --at t=0.5")]
pub struct AtlasArgs {
    /// The system
    #[command(flatten)]
    pub system: SystemArgs,
    /// Only this choice of dependent coordinates [default: all choices]
    #[arg(long, value_name = "NAME,...")]
    pub dependent: Option<String>,
    /// Where
    #[command(flatten)]
    pub part: PartArgs,
}

/// The constraint set covered by proven charts.
pub fn atlas(args: &AtlasArgs) -> Result<u8, CommandError> {
    let model = args.system.still_model()?;
    let dependent = dependent(&model.system, args.dependent.as_deref())?;
    let (part, _) = args.part.part(&model)?;
    let atlas = model.atlas(part, dependent.as_deref());
    match args.system.format() {
        Format::Json => print_json(&atlas_json(&model, &atlas))?,
        Format::Text => print_text(&atlas_text(&model, &atlas, output::plain()))?,
    }
    Ok(0)
}
