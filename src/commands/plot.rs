//! `holonom plot`.

use super::input::{SystemArgs, measured};
use super::picture::PictureArgs;
use super::simulate::{RunArgs, happenings, method};
use super::{CommandError, interrupt, note, progress, unfinished};
use crate::analysis::{Model, PlotData, PlotNames, split_columns};
use crate::expr::Style;
use crate::plot::{Aspect, Figure, ROLES, Scale};
use crate::report::{Drift, FlagWords, PlotStyle, figure, joined, motion_notes, plots_json};
use crate::solver::{Motion, watched};
use crate::system::quote;
use clap::Args;
use std::path::PathBuf;
use std::sync::Arc;

/// Options of `plot`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Columns: t, the coordinates, their velocities x1', the multipliers lambda_NAME, \
the constraint forces R_x1, det, energy, residual, and any expression of them. \
Without --y the plots of the file are drawn, or the coordinates over t.

A curve that is constant apart from a drift, such as the energy, is drawn as its \
change. Colour is used on a terminal unless NO_COLOR is set. Whether braille or \
plain ASCII is used depends on the locale and TERM.

Exit code: 0 if the motion reached its end, 2 if the input cannot be used, 3 if the \
motion could not be finished, 128 + N if signal N ended it; what was computed is \
drawn.

Examples:
  holonom plot bead_on_parabola
  holonom plot bead_on_parabola --x t --y x1,lambda_wire
  holonom plot bead_on_parabola --y \"energy; residual\" --log y --until 100
  holonom plot pendulum --x x --y y --equal --size 60x30
  holonom plot pendulum --y F_rod --when x=0
  holonom plot pendulum --data run.csv
  holonom plot pendulum --data run.csv --y \"x,data.x; x - data.x\"
  holonom plot my.yaml --y \"sqrt(x^2 + y^2) - l\" -o figure.svg")]
#[allow(clippy::struct_excessive_bools)] // independent options of a command line
pub struct PlotArgs {
    /// The system
    #[command(flatten)]
    pub system: SystemArgs,
    /// The horizontal axis: a column or an expression [default: t]; for several plots, one for all or one for
    /// each, separated by ;
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true)]
    pub x: Option<String>,
    /// The curves: columns or expressions; a ; begins another plot
    #[arg(
        long,
        alias = "columns",
        value_name = "COLUMN,...[;...]",
        allow_hyphen_values = true
    )]
    pub y: Option<String>,
    /// Logarithmic axes: x, y or xy
    #[arg(long, value_name = "AXES")]
    pub log: Option<String>,
    /// The same scale on both axes, the default where x and y are those of a body or of a point of the
    /// file's picture; --equal=no scales each axis separately
    #[arg(long, value_name = "WHETHER", num_args = 0..=1, require_equals = true, default_missing_value = "yes")]
    pub equal: Option<String>,
    /// Draw how the curves change from their start; --change=no draws their values
    #[arg(long, value_name = "WHETHER", num_args = 0..=1, require_equals = true, default_missing_value = "yes")]
    pub change: Option<String>,
    /// Measured values over the motion: a CSV file with a column t, whose other columns are called data.NAME; without
    /// --y, those with the name of a column of the motion, and the deviation of the motion from them
    #[arg(long, value_name = "FILE")]
    pub data: Option<PathBuf>,
    /// Mark where something happens: x=0, or where x>0 or x<0 becomes true, each located to full accuracy
    #[arg(long, value_name = "EXPR=VALUE", allow_hyphen_values = true)]
    pub when: Vec<String>,
    /// How it is drawn and where it goes
    #[command(flatten)]
    pub picture: PictureArgs,
    /// How the equations are solved: inverse, multipliers or tangents [default: the file's, or inverse]
    #[arg(long, value_name = "M")]
    pub method: Option<String>,
    /// The run
    #[command(flatten)]
    pub run: RunArgs,
}

/// A motion as plots. Exit code 3 where it could not be finished; what was computed is drawn.
pub fn plot(args: &PlotArgs) -> Result<u8, CommandError> {
    let style = args.style()?;
    let data = args.data.as_deref().map(measured).transpose()?;
    let model = args.system.measured_model(data.map(Arc::new))?;
    let asked = args.asked()?;
    // what cannot be read or written is said before the work
    for plot in asked.iter().flatten() {
        let x = model.columns_known(std::slice::from_ref(&plot.x));
        x.map_err(CommandError::of("--x"))?;
        let y = model.columns_known(&plot.y);
        y.map_err(CommandError::of("--y"))?;
    }
    let mut request = args.run.settled(&model)?;
    request.method = args.method.as_deref().map(method).transpose()?;
    let mut events: Vec<(f64, String)> = Vec::new();
    for text in &args.when {
        let own = happenings((&model, &request), text)?;
        events.extend(own.into_iter().map(|t| (t, text.trim().to_owned())));
    }
    request.times = model.in_order(&request, events.iter().map(|(t, _)| *t).collect());
    let plots = asked.as_ref().map_or(1, Vec::len);
    let picture = args.picture.open(&args.system, plots)?;
    let progress = progress::reached();
    let go = interrupt::unfinished();
    let motion = watched(&progress, || model.simulate(&request, go))?;
    let plots = asked.unwrap_or_else(|| proposed(&model, &motion));
    let mut words = FlagWords::new(&model, &motion, Style::Plain);
    words.events = events;
    let mut drawn: Vec<(PlotData, Figure)> = Vec::new();
    for names in &plots {
        let data = model.plot_data(&motion, names)?;
        let plot = figure(&model, &motion, (&data, &words), style);
        drawn.push((data, plot));
    }
    let figures = drawn.iter().map(|(_, figure)| figure.clone()).collect();
    picture.show(figures, "", || plots_json(&model, &motion, &drawn))?;
    if args.y.is_none() && args.data.is_some() && model.measured_plots().is_empty() {
        let names = joined(model.system.measured_columns().map(|(name, _)| name));
        note(&format!(
            "note: no column of --data is called as one of the motion; --y draws {names}"
        ));
    }
    // the flags are in the picture
    for text in motion_notes(&model, &motion) {
        note(&format!("note: {text}"));
    }
    if let Some(because) = &motion.because {
        unfinished(because);
    }
    Ok(if motion.finished { 0 } else { 3 })
}

/// The plots that the file proposes; else the coordinates over time, as many as can be told apart.
fn proposed(model: &Model, motion: &Motion) -> Vec<PlotNames> {
    let measured = model.measured_plots();
    if !measured.is_empty() {
        return measured;
    }
    let plots = model.file_plots();
    if !plots.is_empty() {
        return plots;
    }
    let mut plot = model.coordinates_plot(&motion.dependent);
    if plot.y.len() > ROLES {
        let others = joined(plot.y.split_off(ROLES));
        note(&format!("note: left out: {others}; --y draws them"));
    }
    vec![plot]
}

impl PlotArgs {
    fn style(&self) -> Result<PlotStyle, CommandError> {
        let fail = |option, text: &str, wanted: &str| {
            CommandError::option(option, format!("`{}` is not {wanted}", quote(text)))
        };
        let scales = match self.log.as_deref() {
            None => (Scale::Linear, Scale::Linear),
            Some("x") => (Scale::Log, Scale::Linear),
            Some("y") => (Scale::Linear, Scale::Log),
            Some("xy" | "yx" | "x,y") => (Scale::Log, Scale::Log),
            Some(other) => return Err(fail("--log", other, "x, y or xy")),
        };
        let yes = |option, text: &str| match text {
            "yes" => Ok(true),
            "no" => Ok(false),
            other => Err(fail(option, other, "yes or no")),
        };
        let aspect = match self.equal.as_deref() {
            None => None,
            Some(text) if yes("--equal", text)? => Some(Aspect::Equal),
            Some(_) => Some(Aspect::Fill),
        };
        let drift = match self.change.as_deref() {
            None => Drift::Auto,
            Some(text) if yes("--change", text)? => Drift::Change,
            Some(_) => Drift::Values,
        };
        Ok(PlotStyle {
            scales,
            drift,
            aspect,
            ..PlotStyle::default()
        })
    }

    /// The plots asked for; `None` where none are.
    fn asked(&self) -> Result<Option<Vec<PlotNames>>, CommandError> {
        let Some(y) = &self.y else {
            return match &self.x {
                None => Ok(None),
                Some(_) => Err(CommandError::option(
                    "--x",
                    "is for the curves that --y names",
                )),
            };
        };
        let list: Vec<Vec<String>> = y
            .split(';')
            .map(split_columns)
            .filter(|columns| !columns.is_empty())
            .collect();
        let x = self.x.as_deref().unwrap_or("t");
        let across: Vec<&str> = x.split(';').map(str::trim).collect();
        if list.is_empty() || across.iter().any(|x| x.is_empty()) {
            let option = if list.is_empty() { "--y" } else { "--x" };
            return Err(CommandError::option(option, "names no column"));
        }
        if across.len() != 1 && across.len() != list.len() {
            return Err(CommandError::option(
                "--x",
                format!("{} are given for {} plots", across.len(), list.len()),
            ));
        }
        let across = across.iter().cycle();
        let plots = list.into_iter().zip(across).map(|(y, x)| PlotNames {
            title: String::new(),
            x: (*x).to_owned(),
            y,
        });
        Ok(Some(plots.collect()))
    }
}
