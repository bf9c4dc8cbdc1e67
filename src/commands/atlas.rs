//! `holonom atlas`.

use super::assertion::{Answer, AssertArgs, Subject};
use super::certificate::CertificateArgs;
use super::input::{Given, SystemArgs, dependent, overrides, ranges, sides};
use super::{CommandError, output, without_start};
use crate::analysis::{Model, Part, coordinate};
use crate::certificate::Certificate;
use crate::report::{atlas_json, atlas_text, branches_json, branches_text};
use clap::Args;

/// Which part of the constraint set.
#[derive(Args, Clone, Debug)]
pub struct PartArgs {
    /// The box examined; a parameter named here ranges too [default: 2 max(1, |x|) of the start each way from 0, a full turn for an angle]
    #[arg(
        long = "box",
        value_name = "NAME=LOW:HIGH,...",
        allow_hyphen_values = true
    )]
    pub region: Vec<String>,
    /// The time, t=1, if the constraints depend on it; and values that replace those of the start
    #[arg(long, value_name = "NAME=VALUE,...", allow_hyphen_values = true)]
    pub at: Vec<String>,
}

/// A part of the constraint set as it is asked for.
pub struct Asked {
    /// Where.
    pub part: Part,
    /// The place it lies about.
    pub place: Vec<f64>,
    /// The sides that are given.
    pub given: Given,
}

impl PartArgs {
    /// The model with the parameters that range, `first` before others; the part, and the place it lies about.
    pub fn part(
        &self,
        model: Model,
        first: &[(&'static str, &str)],
    ) -> Result<(Model, Asked), CommandError> {
        let overrides = overrides(&model.system, &self.at, &[])?;
        let (model, given) = ranges(model, &self.region, first)?;
        let (part, place) = model.part(&overrides, &given);
        if let Some(why) = &part.no_start {
            without_start(why);
        }
        Ok((model, Asked { part, place, given }))
    }
}

/// Options of `atlas`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
A piece is a box on which the dependent coordinates are functions of the others \
and of the values of the constraints: F is one-to-one on it, proven by interval \
arithmetic. What no piece covers is reported too.

Claims for --assert, each to be proven: \"covers\" (the pieces contain every \
configuration in the box), \"never singular\" (at each of them some choice works), \
\"holds for NAME over LOW:HIGH\" (all other coordinates are functions of NAME, \
which covers the whole range on every branch).

Exit code: 0 if it was done, 1 if a claim is not proven, 2 if the input cannot be \
used, 3 if something proven has no --certificate.

Examples:
  holonom atlas bead_on_parabola
  holonom atlas bead_on_parabola --dependent x1 --box x1=-2:2,x2=-1:4
  holonom atlas product_and_sum --json
  holonom atlas slider_crank --box a=0.4:1.1
  holonom atlas slider_crank --along theta=0:2*pi
  holonom atlas rotating_rod --at t=0.5")]
pub struct AtlasArgs {
    /// The system
    #[command(flatten)]
    pub system: SystemArgs,
    /// Only this choice of dependent coordinates [default: all choices]
    #[arg(long, value_name = "NAME,...")]
    pub dependent: Option<String>,
    /// The connected branches instead (of a one-dimensional set), and whether this coordinate covers the whole range on each
    #[arg(
        long,
        value_name = "NAME=LOW:HIGH",
        allow_hyphen_values = true,
        conflicts_with_all = ["dependent", "certificate", "claims"]
    )]
    pub along: Option<String>,
    /// Where
    #[command(flatten)]
    pub part: PartArgs,
    /// The evidence
    #[command(flatten)]
    pub certificate: CertificateArgs,
    /// What is to hold
    #[command(flatten)]
    pub assert: AssertArgs,
}

/// The constraint set covered by proven charts.
pub fn atlas(args: &AtlasArgs) -> Result<u8, CommandError> {
    let model = args.system.still_model()?;
    let dependent = dependent(&model.system, args.dependent.as_deref())?;
    if let Some(along) = &args.along {
        return branches(args, model, along);
    }
    let (model, asked) = args.part.part(model, &[])?;
    let claims = args.assert.read(&model, Subject::Atlas)?;
    let atlas = model.atlas(asked.part, dependent.as_deref());
    let judged = claims.judged(Answer::Atlas(&model, &atlas))?;
    args.system.answer(
        || judged.beside(atlas_json(&model, &atlas)),
        || atlas_text(&model, &atlas, output::plain()),
    )?;
    args.certificate
        .write(judged.tell(0), || Certificate::of_atlas(&model, &atlas))
}

/// The connected branches, and what a coordinate runs over on each.
fn branches(args: &AtlasArgs, model: Model, along: &str) -> Result<u8, CommandError> {
    let fail = |why: &str| CommandError::option("--along", why);
    let sides = sides(&model.system, "--along", &[along.to_owned()])?;
    let [(name, _)] = sides.as_slice() else {
        return Err(fail("wanted one coordinate with its range"));
    };
    let place = coordinate(&model.system, name).map_err(CommandError::of("--along"))?;
    let (model, mut asked) = args.part.part(model, &[])?;
    let own = sides.iter().map(|(_, side)| (place, *side));
    asked.given.retain(|(k, ..)| *k != place);
    asked.given.extend(own);
    for &(k, side) in &asked.given {
        asked.part.region[k] = side;
    }
    model.widen(&mut asked.part, &asked.given);
    let answer = model.branches(asked.part, place);
    let answer = answer.ok_or_else(|| {
        fail("branches are those of a set of one dimension: one coordinate more than constraints, no parameter that ranges")
    })?;
    args.system.answer(
        || branches_json(&model, &answer),
        || branches_text(&model, &answer, output::plain()),
    )?;
    Ok(0)
}
