//! `holonom inverse`.

use super::certificate::CertificateArgs;
use super::input::{SystemArgs, dependent, overrides, pairs, region, value};
use super::{CommandError, output};
use crate::analysis::InverseRequest;
use crate::certificate::Certificate;
use crate::report::{inverse_json, inverse_text};
use clap::Args;

/// Options of `inverse`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
The dependent coordinates as functions of the values y of the constraints and of \
the independent coordinates, x_D = g(y, x_I; t), at one place: the value, whether \
it is certified, the other solutions, dg/dy and dg/dx_I. Each level is then shifted \
slightly with the system at rest: the multiplier is the rate at which the energy \
responds, lambda = dV/dy.

Anything not named has its value at the start; y that of its constraint.

Exit code: 0 if g has a value and derivatives there, 1 if J_D is singular, 2 if the \
input cannot be used, 3 if no solution was found or something proven has no \
--certificate.

Examples:
  holonom inverse bead_on_parabola --y wire=0.1 --at x2=2
  holonom inverse bead_on_parabola --y wire=0.1 --at x2=2 --near x1=-1
  holonom inverse pendulum --y rod=2 --dependent x --json")]
pub struct InverseArgs {
    /// The system
    #[command(flatten)]
    pub system: SystemArgs,
    /// Values of constraints, by name
    #[arg(long, value_name = "NAME=VALUE,...", allow_hyphen_values = true)]
    pub y: Vec<String>,
    /// Values of independent coordinates and t
    #[arg(long, value_name = "NAME=VALUE,...", allow_hyphen_values = true)]
    pub at: Vec<String>,
    /// Which solution: the one nearest to these values of the dependent coordinates
    #[arg(long, value_name = "NAME=VALUE,...", allow_hyphen_values = true)]
    pub near: Vec<String>,
    /// The dependent coordinates, as many as there are constraints
    #[arg(long, value_name = "NAME,...")]
    pub dependent: Option<String>,
    /// Where to look for solutions
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

/// g at given values. Exit code 1 where it has no derivative there, 3 where no value was found.
pub fn inverse(args: &InverseArgs) -> Result<u8, CommandError> {
    let model = args.system.still_model()?;
    let system = &model.system;
    let mut y = Vec::new();
    for (name, text) in pairs("--y", &args.y)? {
        let names = model.constraint_names();
        let bare = name.strip_prefix("y_").unwrap_or(&name);
        // on paper a level is c_NAME beside coordinates called y
        let on_paper = || name.strip_prefix("c_");
        let place = names.iter().position(|own| own == bare).or_else(|| {
            names
                .iter()
                .position(|own| Some(own.as_str()) == on_paper())
        });
        let place = place.ok_or_else(|| {
            let names = names.iter().map(String::as_str);
            CommandError::unknown("--y", "not a constraint of this system", bare, names)
        })?;
        y.push((place, value(system, "--y", &text)?));
    }
    let request = InverseRequest {
        y,
        at: overrides(system, &args.at, &[])?,
        near: overrides(system, &args.near, &[])?.x,
        dependent: dependent(system, args.dependent.as_deref())?,
        region: region(system, &args.region)?,
    };
    let answer = model.inverse_at(&request)?;
    let named = request
        .at
        .x
        .iter()
        .find(|(k, _)| answer.dependent.contains(k));
    if let Some((k, _)) = named {
        let name = &model.coordinate_names()[*k];
        return Err(CommandError::option(
            "--at",
            format!(
                "{name} is dependent: its value is what is looked for; --near {name}=... says near which"
            ),
        ));
    }
    args.system.answer(
        || inverse_json(&model, &answer),
        || inverse_text(&model, &answer, output::plain()),
    )?;
    let done = match &answer.found {
        Some(found) if found.by_y.is_some() => 0,
        Some(_) => 1,
        None if !answer.inverse.exists() => 1,
        None => 3,
    };
    args.certificate
        .write(done, || Certificate::of_inverse(&model, &answer))
}
