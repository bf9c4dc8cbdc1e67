//! `holonom equilibria`.

use super::assertion::{Answer, AssertArgs, Subject};
use super::certificate::CertificateArgs;
use super::input::{SystemArgs, WhereArgs};
use super::{CommandError, interrupt, output, without_start};
use crate::analysis::RequestError;
use crate::certificate::Certificate;
use crate::expr::until_cancelled;
use crate::report::{Depth, equilibria_json, equilibria_text};
use clap::Args;
use serde_json::json;

/// Options of `equilibria`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
For a system with `objective` in place of a Lagrangian: its extremal points on the \
constraints. A multiplier is d(objective)/dc, for an equilibrium d(-L)/dc.

Certified: proven to exist and to be isolated; estimated: found by Newton's method.

Claims for --assert, each to be proven: \"count = N\", \"count = N stable\", \
\"count = N unstable\" (there are N in the box and no others; a family counts as \
one).

Exit code: 0 if it was done, 1 if a claim is not proven, 2 if the input cannot be \
used, 3 if something proven has no --certificate, 128 + N if signal N ended it: \
what was found until then is written.

Examples:
  holonom equilibria pendulum
  holonom equilibria pendulum --box x=-2:2,y=-2:2 --json
  holonom equilibria double_pendulum --linearise")]
pub struct EquilibriaArgs {
    /// The system
    #[command(flatten)]
    pub system: SystemArgs,
    /// Where to look
    #[command(flatten)]
    pub place: WhereArgs,
    /// Also show the matrices of the linearised motion and the mode shapes
    #[arg(long)]
    pub linearise: bool,
    /// The evidence
    #[command(flatten)]
    pub certificate: CertificateArgs,
    /// What is to hold
    #[command(flatten)]
    pub assert: AssertArgs,
}

/// Static equilibria, or the extrema of an objective.
pub fn equilibria(args: &EquilibriaArgs) -> Result<u8, CommandError> {
    let model = args.system.still_model()?;
    let place = args.place.read(&model.system)?;
    let claims = args.assert.read(&model, Subject::Equilibria)?;
    let no_start = model.unvalued(&place.overrides).map_err(RequestError::from);
    if let Err(why) = &no_start {
        without_start(why);
    }
    let found = until_cancelled(interrupt::unfinished(), || model.equilibria(&place));
    let depth = if args.linearise {
        Depth::Linearised
    } else {
        Depth::Table
    };
    interrupt::tell();
    let judged = claims.judged(Answer::Equilibria(&found))?;
    let json = || {
        let mut told = interrupt::marked(equilibria_json(&model, &found));
        told["no_start"] = json!(no_start.err().map(|why| why.to_string()));
        judged.beside(told)
    };
    let text = || equilibria_text(&model, &found, depth, output::width());
    args.system.answer(json, text)?;
    args.certificate.write(judged.tell(0), || {
        Certificate::of_equilibria(&model, &found)
    })
}
