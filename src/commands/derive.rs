//! `holonom derive`.
//!
//! At a UTF-8 terminal a derivation is shown as on paper: a person reads it there. Into a pipe or a file it
//! is plain text that reads back as the grammar of system files, as other programs want it. `--plain` and
//! `--pretty` ask for either one anywhere.

use super::input::{SystemArgs, dependent};
use super::{CommandError, output, print_json, print_text};
use crate::analysis::Model;
use crate::expr::{Language, Style};
use crate::report::{
    Handout, Layout, Route, derive_code, derive_json, derive_latex, derive_text,
    derive_text_in_full,
};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Options of `derive`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
On a UTF-8 terminal formulas are shown as on paper; a pipe or a file gets plain \
text that can be read back from a system file. --plain and --pretty select one.

Examples:
  holonom derive bead_on_parabola
  holonom derive bead_on_parabola --dependent x2
  holonom derive product_and_sum --pretty | less
  holonom derive bead_on_parabola --explain
  holonom derive bead_on_parabola --variation
  holonom derive bead_on_wire --statics
  holonom derive atwood_machine --solve
  holonom derive product_and_sum --explain --latex > handout.tex
  holonom derive product_and_sum --latex > equations.tex
  holonom derive product_and_sum --code python > equations.py
  holonom derive product_and_sum --code c > motion.c")]
#[allow(clippy::struct_excessive_bools)] // flags of the command line
pub struct DeriveArgs {
    /// The system
    #[command(flatten)]
    pub system: SystemArgs,
    /// The dependent coordinates, as many as there are constraints
    #[arg(long, value_name = "NAME,...")]
    pub dependent: Option<String>,
    /// Explain the derivation step by step, following the report; with --latex, a handout to compile
    #[arg(long, conflicts_with_all = ["json", "code"])]
    pub explain: bool,
    /// The same equations from the action, step by step: the first variation, what cancels, the brackets that vanish
    #[arg(long, conflicts_with_all = ["json", "code", "explain", "full"])]
    pub variation: bool,
    /// The equations at rest with the multipliers eliminated, and equilibria in closed form if there are any
    #[arg(long, conflicts_with_all = ["code", "explain", "variation", "full"])]
    pub statics: bool,
    /// The accelerations and the multipliers explicitly, where the formulas are short enough to read; with --full also where
    /// they are not
    #[arg(long, conflicts_with_all = ["code", "explain", "variation", "statics"])]
    pub solve: bool,
    /// Print everything: by default long equations are folded and the least important parts left out
    #[arg(long, conflicts_with_all = ["code", "explain"])]
    pub full: bool,
    /// How it is written; one of these at most
    #[command(flatten)]
    pub form: NotationArgs,
}

/// The forms a derivation can take besides JSON.
#[derive(Args, Clone, Debug)]
#[group(multiple = false)]
#[allow(clippy::struct_excessive_bools)] // flags of the command line
pub struct NotationArgs {
    /// Print plain ASCII text that reads back
    #[arg(long, conflicts_with = "json")]
    pub plain: bool,
    /// Print as on paper, in Unicode
    #[arg(long, conflicts_with = "json")]
    pub pretty: bool,
    /// Print LaTeX
    #[arg(long, conflicts_with = "json")]
    pub latex: bool,
    /// Print a program that computes the motion, in python (version 3) or c (C99), its standard library alone
    #[arg(
        long,
        value_parser = language(),
        value_name = "LANGUAGE",
        hide_possible_values = true,
        conflicts_with = "json"
    )]
    pub code: Option<Language>,
}

fn language() -> impl TypedValueParser<Value = Language> {
    let python = PossibleValue::new("python").help("Python 3, its standard library alone");
    let c = PossibleValue::new("c").help("C99, its standard library alone");
    PossibleValuesParser::new([python, c]).map(|name| match name.as_str() {
        "c" => Language::C,
        _ => Language::Python,
    })
}

/// The equations of motion, the inverse functions and the multipliers in closed form.
pub fn derive(args: &DeriveArgs) -> Result<u8, CommandError> {
    let model: Model = args.system.still_model()?;
    let dependent = dependent(&model.system, args.dependent.as_deref())?;
    let derived = model.derive(dependent.as_deref());
    if args.full && !args.solve && (args.system.json || args.form.latex) {
        let why = "--json and --latex have everything; with them it is for --solve";
        return Err(CommandError::option("--full", why));
    }
    let solved = Route::Solved { full: args.full };
    if args.system.json {
        let mut object = derive_json(&model, &derived);
        if args.statics {
            object["statics"] = Handout::new(&model, &derived, Route::Rest).json();
        }
        if args.solve && !model.system.objective {
            object["solved"] = Handout::new(&model, &derived, solved).json();
        }
        print_json(&object)?;
        return Ok(0);
    }
    let form = &args.form;
    if model.system.objective {
        let moving = [
            ("--explain", args.explain),
            ("--variation", args.variation),
            ("--solve", args.solve),
            ("--code", form.code.is_some()),
        ];
        if let Some((option, _)) = moving.into_iter().find(|(_, asked)| *asked) {
            let why =
                "an `objective` has no motion: derive without it, with --latex, or with --json";
            return Err(CommandError::option(option, why));
        }
    }
    let routes = [
        (args.statics, Route::Rest),
        (args.solve, solved),
        (args.variation, Route::Action),
        (args.explain, Route::Report),
    ];
    let route = routes.into_iter().find(|(asked, _)| *asked);
    let handout = route.map(|(_, route)| Handout::new(&model, &derived, route));
    let text = match (form.code, handout) {
        (Some(language), _) => derive_code(&model, &derived, language),
        (None, Some(handout)) if form.latex => handout.latex(),
        (None, None) if form.latex => derive_latex(&model, &derived),
        (None, handout) => {
            let pretty = form.pretty || !form.plain && output::is_unicode_terminal();
            let style = if pretty { Style::Pretty } else { Style::Plain };
            let width = output::width();
            let layout = Layout { width, style };
            match handout {
                Some(handout) => handout.text(layout),
                None if args.full => derive_text_in_full(&model, &derived, layout),
                None => derive_text(&model, &derived, layout),
            }
        }
    };
    print_text(&text)?;
    Ok(0)
}
