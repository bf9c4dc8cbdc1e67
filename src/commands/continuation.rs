//! `holonom continue`.

use super::input::{SystemArgs, WhereArgs, value};
use super::picture::PictureArgs;
use super::{CommandError, interrupt, output, print_text, without_start};
use crate::analysis::{Followed, Model, Over, Range, split_columns};
use crate::expr::until_cancelled;
use crate::report::{
    continuation_figures, continuation_json, continuation_notes, continuation_table,
    continuation_text, prose, unfollowed_words,
};
use crate::system::{System, quote};
use clap::Args;

/// Options of `continue`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Equilibria, and relative equilibria if the constraints move, are found at both ends \
of the range and followed by arc length; at branch points the other branches are \
followed too. Folds, pitchforks and transcritical points, Hopf points and places \
where two frequencies meet are normally located to 1e-10: --json gives the error of \
each. A branch ends where the gradients of the constraints become dependent \
(singular).

With --certify the parameter is one more coordinate of the interval search: the \
number of equilibria in the box is proven between the values at which it may \
change, which are proven to be all; what could not be decided is listed.

Figures draw stable branches solid and unstable ones dashed.

Exit code: 0 if it was done, 2 if the input cannot be used, 128 + N if signal N \
ended it: what was found until then is written.

Examples:
  holonom continue rotating_hoop --over w=0:6
  holonom continue rotating_hoop --over w=0:6 --certify
  holonom continue rotating_hoop --over w=0:6 --plot --y x
  holonom continue rotating_hoop --over w=0:6 --svg -o hoop.svg
  holonom continue rotating_hoop --over w=0:6 --csv > hoop.csv")]
pub struct ContinueArgs {
    /// The system
    #[command(flatten)]
    pub system: SystemArgs,
    /// A parameter and its range
    #[arg(long, value_name = "NAME=FROM:TO", allow_hyphen_values = true)]
    pub over: String,
    /// Where to look
    #[command(flatten)]
    pub place: WhereArgs,
    /// Prove the number of equilibria in the box over the whole range, and where it changes
    #[arg(long)]
    pub certify: bool,
    /// Draw coordinates or multipliers (lambda_NAME) over the parameter
    #[arg(long)]
    pub plot: bool,
    /// What is drawn [default: the coordinate that varies most]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub y: Vec<String>,
    /// Print all points as CSV
    #[arg(long, conflicts_with_all = ["json", "plot", "svg"])]
    pub csv: bool,
    /// How it is drawn and where it goes
    #[command(flatten)]
    pub picture: PictureArgs,
}

/// Equilibria along a parameter.
pub fn continuation(args: &ContinueArgs) -> Result<u8, CommandError> {
    let name = args.over.split('=').next().unwrap_or_default();
    let model = args.system.model_over(name.trim())?;
    let system = &model.system;
    let mut over = over(system, &args.over)?;
    if args.certify {
        over.extent = Followed::Certified;
    }
    let place = args.place.read(system)?;
    if let Err(why) = model.unvalued(&place.overrides) {
        without_start(&why.into());
    }
    let columns = args.columns(&model)?;
    let plots = columns.len().max(1);
    let picture = args.picture.open(&args.system, plots)?;
    let found = until_cancelled(interrupt::unfinished(), || {
        model.continuation(&place, over, &mut |_| {})
    });
    let found = found.map_err(|why| {
        CommandError::option(
            "--over",
            format!("`{}`: {}", quote(&args.over), unfollowed_words(why)),
        )
    })?;
    interrupt::tell();
    if args.csv {
        picture.csv(&continuation_table(&model, &found))?;
    } else if args.plot || picture.is_asked_for() {
        let figures = continuation_figures(&model, &found, &columns);
        let json = || interrupt::marked(continuation_json(&model, &found));
        let notes = continuation_notes(&found).into_iter();
        let notes = notes.map(|note| prose(&format!("note: {note}"), output::width()));
        let notes: String = notes.collect();
        picture.show(figures, &notes, json)?;
    } else {
        print_text(&continuation_text(&model, &found, output::width()))?;
    }
    Ok(0)
}

/// `w=0:6`.
fn over(system: &System, text: &str) -> Result<Over, CommandError> {
    let (name, range) = text
        .split_once('=')
        .ok_or_else(|| CommandError::form("--over", text, "NAME=FROM:TO"))?;
    let name = name.trim();
    let parameter = system
        .parameters
        .iter()
        .position(|p| p.name == name)
        .ok_or_else(|| {
            let known = system.parameters.iter().map(|p| p.name.as_str());
            CommandError::unknown("--over", "not a parameter", name, known)
        })?;
    match Range::read(range, &|text| value(system, "--over", text))? {
        Range::Between(from, to, false) => Ok(Over {
            parameter,
            from,
            to,
            extent: Followed::Followed,
        }),
        _ => Err(CommandError::form("--over", range, "FROM:TO")),
    }
}

impl ContinueArgs {
    /// The columns that are drawn; the parameter is the first.
    fn columns(&self, model: &Model) -> Result<Vec<usize>, CommandError> {
        let multipliers = model
            .constraint_names()
            .iter()
            .map(|name| format!("lambda_{name}"));
        let known: Vec<String> = model
            .coordinate_names()
            .iter()
            .cloned()
            .chain(multipliers)
            .collect();
        let names = self.y.iter().flat_map(|list| split_columns(list));
        let column = |name: String| {
            let place = known.iter().position(|own| *own == name);
            place.map(|k| k + 1).ok_or_else(|| {
                let known = known.iter().map(String::as_str);
                CommandError::unknown("--y", "neither a coordinate nor a multiplier", &name, known)
            })
        };
        names.map(column).collect()
    }
}
