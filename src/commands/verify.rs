//! `holonom verify`.

use super::input::SystemArgs;
use super::{CommandError, interrupt, note, output};
use crate::expr::until_cancelled;
use crate::report::{verify_json, verify_text};
use clap::Args;

/// Options of `verify`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
The section `expect` of a file states what is independently known about its system: \
formulas, identities, cited numbers. Each of them is checked against the motion.

Exit code: 0 if everything holds, 1 if something does not or could not be decided, \
2 if the input cannot be used, 128 + N if signal N ended it.

Examples:
  holonom verify bead_on_parabola
  holonom verify my.yaml --json")]
pub struct VerifyArgs {
    /// The system
    #[command(flatten)]
    pub system: SystemArgs,
}

/// What the file expects, held against the motion. Exit code 1 where something does not hold.
pub fn verify(args: &VerifyArgs) -> Result<u8, CommandError> {
    let model = args.system.model()?;
    let go = interrupt::unfinished();
    let findings = until_cancelled(go, || model.verify(go))?;
    if findings.is_empty() {
        note("note: the file has no `expect`: there is nothing to verify");
    }
    interrupt::tell();
    args.system.answer(
        || interrupt::marked(verify_json(&model, &findings)),
        || verify_text(&model, &findings, output::width()),
    )?;
    Ok(u8::from(findings.iter().any(|f| !f.holds)))
}
