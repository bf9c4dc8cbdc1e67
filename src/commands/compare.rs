//! `holonom compare`.

use super::input::{SystemArgs, dependent, overrides};
use super::simulate::RunArgs;
use super::{CommandError, Format, json_text, print};
use crate::report::{compare_json, compare_text};
use clap::Args;
use std::sync::atomic::AtomicBool;

/// Options of `compare`.
#[derive(Args, Clone, Debug)]
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
    let model = args.system.model()?;
    let mut request = args.run.request(&model.system)?;
    request.overrides = overrides(&model.system, &args.run.at, &args.run.vel)?;
    request.dependent = dependent(&model.system, args.run.dependent.as_deref())?;
    let comparison = model.compare(&request, &AtomicBool::new(false))?;
    print(&match args.system.format() {
        Format::Json => json_text(&compare_json(&model, &comparison)),
        Format::Text => compare_text(&model, &comparison),
    })?;
    Ok(if comparison.because.is_some() {
        3
    } else {
        u8::from(!comparison.agree)
    })
}
