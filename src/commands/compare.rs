//! `holonom compare`.

use super::input::SystemArgs;
use super::simulate::RunArgs;
use super::{CommandError, interrupt, output};
use crate::report::{compare_json, compare_text};
use clap::Args;

/// Options of `compare`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Each method also runs at a tenth of the tolerance; ten times the largest change \
which that makes is what a column may differ by.

Exit code: 0 if the methods agree, 1 if they differ, 2 if the input cannot be used, \
3 if a method did not reach the end, 128 + N if signal N ended it: what was \
compared until then is written.

Examples:
  holonom compare product_and_sum
  holonom compare my.yaml --until 3 --rtol 1e-12 --json")]
pub struct CompareArgs {
    /// The system
    #[command(flatten)]
    pub system: SystemArgs,
    /// The run
    #[command(flatten)]
    pub run: RunArgs,
}

/// Every method on the same start. Exit code 1 where they differ by more than the tolerance allows,
/// 3 where one did not come to the end.
pub fn compare(args: &CompareArgs) -> Result<u8, CommandError> {
    let model = args.system.moving_model()?;
    let request = args.run.settled(&model)?;
    let comparison = model.compare(&request, interrupt::unfinished())?;
    args.system.answer(
        || compare_json(&model, &comparison),
        || compare_text(&model, &comparison, output::plain()),
    )?;
    Ok(if comparison.because.is_some() {
        3
    } else {
        u8::from(!comparison.agree)
    })
}
