//! `holonom check`.

use super::certificate::CertificateArgs;
use super::input::{Given, SystemArgs, dependent, overrides, ranges};
use super::{CommandError, output, without_start};
use crate::analysis::{Model, Overrides};
use crate::certificate::{Certificate, Lacking};
use crate::report::{check_json, check_text, design_json, design_text};
use clap::Args;

/// Parts of the range of one parameter that are told apart, and of each of several.
const PARTS: usize = 1 << 20;
const PARTS_OF_MANY: usize = 32;

/// Options of `check`.
#[derive(Args, Clone, Debug, Default)]
#[command(after_help = "\
With a parameter in --box: whether a choice works at every configuration, over the \
whole range.

Exit code: 0 if the theorem holds at the point (over the whole range), 1 if it \
fails, 2 if the input cannot be used, 3 if something proven has no --certificate.

Examples:
  holonom check bead_on_parabola
  holonom check bead_on_parabola --at x1=0,x2=0
  holonom check bead_on_parabola --at x1=0,x2=0 --dependent x2
  holonom check slider_crank --dependent phi,x --box a=0.4:1.6
  holonom check my.yaml --set l=2 --at th=pi/2 --json")]
pub struct CheckArgs {
    /// The system
    #[command(flatten)]
    pub system: SystemArgs,
    /// Look at another point: replaces single values of the start; it need not satisfy the constraints
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
    /// The evidence
    #[command(flatten)]
    pub certificate: CertificateArgs,
}

impl CheckArgs {
    /// A check of a system at its start.
    pub fn of_system(system: &str, set: &[String], json: bool) -> Self {
        Self {
            system: SystemArgs {
                system: system.to_owned(),
                set: set.to_vec(),
                json,
                ..SystemArgs::default()
            },
            ..Self::default()
        }
    }
}

/// The Jacobian and the Inverse Function Theorem at a point. Exit code 1 where the theorem fails.
pub fn check(args: &CheckArgs) -> Result<u8, CommandError> {
    let model = args.system.still_model()?;
    let overrides = overrides(&model.system, &args.at, &[])?;
    let dependent = dependent(&model.system, args.dependent.as_deref())?;
    let (model, region) = ranges(model, &args.region, &[])?;
    let site = model.site(&overrides);
    if !model.ranging_parameters().is_empty() || site.is_err() && !region.is_empty() {
        return on_a_box(args, &model, (&overrides, &region));
    }
    let check = model.check(site?, dependent.as_deref(), &region);
    args.system.answer(
        || check_json(&model, &check),
        || check_text(&model, &check, output::width()),
    )?;
    let done = u8::from(!check.verdict.holds());
    args.certificate
        .write(done, || Certificate::of_check(&model, &check))
}

/// The theorem at every configuration in a box, over ranges of parameters.
fn on_a_box(
    args: &CheckArgs,
    model: &Model,
    (overrides, given): (&Overrides, &Given),
) -> Result<u8, CommandError> {
    let asked = dependent(&model.system, args.dependent.as_deref())?;
    let (mut part, place) = model.part(overrides, given);
    if let Some(why) = &part.no_start {
        without_start(why);
    }
    model.widen(&mut part, given);
    let chosen = model.choice(asked.as_deref(), (part.t, &place), &[]);
    let parts = match model.ranging_parameters().len() {
        1 => PARTS,
        _ => PARTS_OF_MANY,
    };
    let parts = vec![parts; model.ranging_parameters().len()];
    let answer = model.design(part, &chosen, &parts);
    args.system.answer(
        || design_json(model, &answer),
        || design_text(model, &answer, output::width()),
    )?;
    let done = u8::from(!answer.holds());
    args.certificate.write(done, || Err(Lacking::Ranging))
}
