//! `holonom derive`.

use super::input::{SystemArgs, dependent};
use super::{CommandError, Format, output, print_json, print_text};
use crate::report::{derive_json, derive_latex, derive_text, explain_latex, explain_text};
use clap::Args;

/// Options of `derive`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  holonom derive bead_on_parabola
  holonom derive bead_on_parabola --dependent x2
  holonom derive bead_on_parabola --explain
  holonom derive product_and_sum --explain --latex > handout.tex
  holonom derive product_and_sum --latex > equations.tex")]
pub struct DeriveArgs {
    /// The system
    #[command(flatten)]
    pub system: SystemArgs,
    /// The dependent coordinates, as many as there are constraints
    #[arg(long, value_name = "NAME,...")]
    pub dependent: Option<String>,
    /// Print LaTeX
    #[arg(long, conflicts_with = "json")]
    pub latex: bool,
    /// Explain the derivation step by step, as the report takes it; with --latex a handout to compile
    #[arg(long, conflicts_with = "json")]
    pub explain: bool,
}

/// The equations of motion, the inverse functions and the multipliers in closed form.
pub fn derive(args: &DeriveArgs) -> Result<u8, CommandError> {
    let model = args.system.model()?;
    let dependent = dependent(&model.system, args.dependent.as_deref())?;
    let derived = model.derive(dependent.as_deref());
    match args.system.format() {
        Format::Json => print_json(&derive_json(&model, &derived))?,
        Format::Text if args.explain && args.latex => {
            print_text(&explain_latex(&model, &derived))?;
        }
        Format::Text if args.explain => {
            print_text(&explain_text(&model, &derived, output::width()))?;
        }
        Format::Text if args.latex => print_text(&derive_latex(&model, &derived))?,
        Format::Text => print_text(&derive_text(&model, &derived, output::width()))?,
    }
    Ok(0)
}
