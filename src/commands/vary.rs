//! `holonom vary`.

use super::input::{SystemArgs, value};
use super::picture::PictureArgs;
use super::simulate::RunArgs;
use super::{CommandError, interrupt, output, print_text, progress};
use crate::analysis::{Model, Shape, Size, VaryError, VaryRequest, coordinate, split_columns};
use crate::expr::parse;
use crate::report::{vary_figures, vary_json, vary_table, vary_text};
use crate::solver::watched;
use crate::system::{Context, Diagnostic, Reach, System, nearest};
use clap::Args;

/// Options of `vary`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Between two times of the motion, a variation that vanishes at both ends gives \
neighbouring paths: independent coordinates are changed by eps times its shape, the \
dependent ones follow from g. Dependent are those of --dependent; otherwise those of \
the file, if that choice holds all the way between the two times, or else of a choice \
that does. Along the motion the action S is stationary, S'(0) = 0; \
the curvature S''(0) tells whether S grows or falls along this variation, and the \
conjugate points tell until when the motion is a minimum at all.

Shapes: sine (half a wave, also sine2, sine3), bump, or an expression of t and \
parameters that vanishes at both ends.

Exit code: 0 if the slope is 0, 1 if it is not, 2 if the input cannot be used, 3 if \
the motion could not be finished.

Examples:
  holonom vary bead_on_parabola
  holonom vary pendulum --to 1 --along x=sine2 --eps 0.1
  holonom vary pendulum --from 0 --to 1 --along \"x=t*(1 - t)\"
  holonom vary product_and_sum --plot
  holonom vary product_and_sum --csv > paths.csv")]
pub struct VaryArgs {
    /// The system
    #[command(flatten)]
    pub system: SystemArgs,
    /// The first time [default: the start]
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub from: Option<String>,
    /// The last time [default: as far as the motion goes and one choice of dependent coordinates holds]
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub to: Option<String>,
    /// What is varied, and with which shape [default: sine, along the first coordinate that is independent between the two times]
    #[arg(long, value_name = "NAME=SHAPE,...", allow_hyphen_values = true)]
    pub along: Vec<String>,
    /// The largest eps [default: a tenth of the range of what is varied]
    #[arg(long, value_name = "EPS", allow_hyphen_values = true)]
    pub eps: Option<String>,
    /// Draw the paths, and S over eps
    #[arg(long)]
    pub plot: bool,
    /// Print the motion and the varied path as CSV
    #[arg(long, conflicts_with_all = ["json", "plot"])]
    pub csv: bool,
    /// How it is drawn and where it goes
    #[command(flatten)]
    pub picture: PictureArgs,
    /// The run
    #[command(flatten)]
    pub run: RunArgs,
}

/// The motion among the paths beside it. Exit code 1 where the slope of the action is not zero.
pub fn vary(args: &VaryArgs) -> Result<u8, CommandError> {
    let model = args.system.moving_model()?;
    let request = args.request(&model)?;
    let picture = args.picture.open(&args.system, 2)?;
    let progress = progress::reached();
    let go = interrupt::unfinished();
    let found = match watched(&progress, || model.vary(&request, go)) {
        Ok(found) => found,
        Err(VaryError::Request(error)) => return Err(error.into()),
        Err(VaryError::Motion(error)) => {
            super::unfinished(&error);
            return Ok(3);
        }
        Err(error) => {
            return Err(CommandError::option(option_of(&error, request.from), error));
        }
    };
    if args.csv {
        picture.csv(&vary_table(&model, &found))?;
    } else if args.plot || picture.is_asked_for() {
        let figures = vary_figures(&model, &found);
        picture.show(figures, "", || vary_json(&model, &found))?;
    } else {
        print_text(&vary_text(&model, &found, output::plain()))?;
    }
    Ok(u8::from(!found.is_stationary()))
}

fn option_of(error: &VaryError, from: Option<f64>) -> &'static str {
    match error {
        VaryError::Dependent { .. } | VaryError::End { .. } | VaryError::Value { .. } => "--along",
        VaryError::LeavesN { .. } => "--dependent",
        VaryError::Outside { t, .. } if Some(*t) == from => "--from",
        _ => "--to",
    }
}

impl VaryArgs {
    fn request(&self, model: &Model) -> Result<VaryRequest, CommandError> {
        let system = &model.system;
        let number = |option: &'static str, text: &Option<String>| {
            text.as_deref()
                .map(|text| value(system, option, text))
                .transpose()
        };
        let run = self.run.settled(model)?;
        let mut variation = Vec::new();
        for part in self.along.iter().flat_map(|part| split_columns(part)) {
            variation.push(along(system, &part)?);
        }
        Ok(VaryRequest {
            run,
            from: number("--from", &self.from)?,
            to: number("--to", &self.to)?,
            variation,
            size: number("--eps", &self.eps)?.map_or_else(Size::default, Size::Eps),
        })
    }
}

/// `x2=sine`, `x2=t*(1 - t)`.
fn along(system: &System, text: &str) -> Result<(usize, Shape), CommandError> {
    const VARIATION: Context = Context::new("a variation", Reach::Time);
    let (name, shape) = text.split_once('=').unwrap_or((text, "sine"));
    let k = coordinate(system, name.trim()).map_err(CommandError::of("--along"))?;
    let named = Shape::NAMED
        .iter()
        .find(|(known, _)| *known == shape.trim());
    if let Some((_, shape)) = named {
        return Ok((k, shape.clone()));
    }
    let names = |name: &str, primes: usize| {
        system.resolve((name, primes), VARIATION, |name| {
            let parameters = system.parameters.iter().map(|p| p.name.as_str());
            let shapes = Shape::NAMED.iter().map(|(name, _)| *name);
            let near = nearest(name, parameters.chain(shapes).chain(["t"]));
            Some(near.map_or_else(
                || {
                    "a variation is sine, sine2, sine3, bump, or an expression of t and parameters"
                        .to_owned()
                },
                |near| format!("did you mean `{near}`?"),
            ))
        })
    };
    parse(&system.pool, shape, &names)
        .map(|e| (k, Shape::Expression(e)))
        .map_err(|error| {
            let offset = text.len() - shape.len();
            let span = offset + error.span.start..offset + error.span.end;
            let found = Diagnostic::at("--along", text, span, error.kind.to_string());
            CommandError::File(vec![found.with_help_if(error.help)])
        })
}
