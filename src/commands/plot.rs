//! `holonom plot`.

use super::input::{SystemArgs, dependent, overrides};
use super::output::{self, Destination, Writer};
use super::simulate::{RunArgs, method};
use super::{CommandError, Format, note};
use crate::analysis::{Model, PlotData, PlotNames, split_columns};
use crate::expr::{Style, greek_name};
use crate::plot::{Aspect, Canvas, CellStyle, Charset, Figure, MarkKind, Scale, draw, svg};
use crate::report::{Drift, FlagWords, PlotStyle, figure, plots_json, write_json};
use crate::solver::Motion;
use crate::system::quote;
use clap::Args;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// Columns and rows of a plot that goes to no terminal.
const ROWS: u16 = 20;
/// The most columns or rows of a plot.
const LARGEST: u16 = 1000;
/// A cell of text in the unit of length of an SVG: twice as high as it is wide.
const CELL: (f64, f64) = (8.0, 16.0);

/// Options of `plot`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Columns: t, the coordinates, their velocities x1', the multipliers lambda_NAME,
the constraint forces R_x1, det, energy, residual, and any expression of them.
Without --y the plots of the file are drawn, or the coordinates over t.

A curve that is constant but for a drift, such as the energy, is drawn as its
change. Colour is used at a terminal where NO_COLOR is not set. What is drawn
with, braille or plain ASCII, follows the locale and TERM.

Exit code: 0 where the motion came to its end, 2 where the input cannot be used,
3 where the motion could not be finished (what was computed is drawn).

Examples:
  holonom plot bead_on_parabola
  holonom plot bead_on_parabola --x t --y x1,lambda_wire
  holonom plot bead_on_parabola --y \"energy; residual\" --log y --until 100
  holonom plot pendulum --x x --y y --equal --size 60x30
  holonom plot my.yaml --y \"sqrt(x^2 + y^2) - l\" -o figure.svg")]
#[allow(clippy::struct_excessive_bools)] // independent options of a command line
pub struct PlotArgs {
    /// The system
    #[command(flatten)]
    pub system: SystemArgs,
    /// What runs along: a column or an expression [default: t]; where several plots are asked for, one for
    /// all or one for each, separated by ;
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true)]
    pub x: Option<String>,
    /// The curves: columns or expressions; a ; begins another plot
    #[arg(long, value_name = "COLUMN,...[;...]", allow_hyphen_values = true)]
    pub y: Option<String>,
    /// Logarithmic axes: x, y or xy
    #[arg(long, value_name = "AXES")]
    pub log: Option<String>,
    /// One unit is as long across as it is up, as it is of itself where x and y are those of a body or of a
    /// point of the file's picture; --equal=no for each axis its own
    #[arg(long, value_name = "WHETHER", num_args = 0..=1, require_equals = true, default_missing_value = "yes")]
    pub equal: Option<String>,
    /// Draw how the curves change from their start; --change=no draws their values
    #[arg(long, value_name = "WHETHER", num_args = 0..=1, require_equals = true, default_missing_value = "yes")]
    pub change: Option<String>,
    /// Columns and rows of a plot [default: those of the terminal, or 80x20]
    #[arg(long, value_name = "COLUMNSxROWS")]
    pub size: Option<String>,
    /// Draw with ASCII characters only
    #[arg(long, group = "characters")]
    pub ascii: bool,
    /// Draw with braille characters, 2 by 4 dots each
    #[arg(long, group = "characters")]
    pub braille: bool,
    /// Draw with block characters, 2 by 2 dots each
    #[arg(long, group = "characters")]
    pub blocks: bool,
    /// Write SVG: vectors, for a paper
    #[arg(long, conflicts_with_all = ["json", "characters"])]
    pub svg: bool,
    /// Write to a file instead: SVG, JSON or text, by --svg, --json or the end of the name
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// How the equations are solved: inverse, multipliers or tangents [default: the file's, else inverse]
    #[arg(long, value_name = "M")]
    pub method: Option<String>,
    /// The run
    #[command(flatten)]
    pub run: RunArgs,
}

/// How plots are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Text,
    Svg,
    Json,
}

/// A motion as plots. Exit code 3 where it could not be finished; what was computed is drawn.
pub fn plot(args: &PlotArgs) -> Result<u8, CommandError> {
    let form = args.form();
    let style = args.style()?;
    let charset = args.charset();
    let model = args.system.moving_model()?;
    let asked = args.asked()?;
    // what cannot be read or written is said before the work
    for plot in asked.iter().flatten() {
        model.columns_known(std::slice::from_ref(&plot.x))?;
        model.columns_known(&plot.y)?;
    }
    let size = args.size(asked.as_ref().map_or(1, Vec::len))?;
    let mut request = args.run.request(&model.system)?;
    request.overrides = overrides(&model.system, &args.run.at, &args.run.vel)?;
    request.dependent = dependent(&model.system, args.run.dependent.as_deref())?;
    request.method = args.method.as_deref().map(method).transpose()?;
    let destination = args.output.as_deref().map(Destination::open).transpose()?;
    let motion = model.simulate(&request, &AtomicBool::new(false))?;
    let plots = asked.unwrap_or_else(|| proposed(&model, &motion));
    let words = FlagWords::new(&model, &motion, Style::Plain);
    let mut drawn: Vec<(PlotData, Figure)> = Vec::new();
    for names in &plots {
        let data = model.plot_data(&motion, names)?;
        let plot = figure(&model, &motion, (&data, &words), style);
        drawn.push((data, plot));
    }
    let colour = destination.is_none()
        && io::stdout().is_terminal()
        && std::env::var("NO_COLOR").unwrap_or_default().is_empty();
    let write: Box<Writer<'_>> = Box::new(|out| match form {
        Form::Json => write_json(out, &plots_json(&model, &motion, &drawn)),
        Form::Svg => {
            let figures: Vec<Figure> = drawn.into_iter().map(|(_, figure)| figure).collect();
            let length = (f64::from(size.0) * CELL.0, f64::from(size.1) * CELL.1);
            out.write_all(svg(&figures, length).as_bytes())
        }
        Form::Text => drawn.into_iter().try_for_each(|(_, figure)| {
            let figure = fit_for(figure, charset);
            let canvas = draw(&figure, size.0, size.1, charset);
            if colour {
                coloured(out, &canvas)
            } else {
                out.write_all(canvas.to_text().as_bytes())
            }
        }),
    });
    match destination {
        Some(file) => file.write(write)?,
        None => output::print(write)?,
    }
    // the flags are in the picture
    for text in &motion.notes {
        note(&format!("note: {text}"));
    }
    if let Some(because) = &motion.because {
        note(&format!("not finished: {because}"));
    }
    Ok(if motion.finished { 0 } else { 3 })
}

/// The plots that the file proposes; else the first that says something about any system.
fn proposed(model: &Model, motion: &Motion) -> Vec<PlotNames> {
    let mut plots = model.file_plots();
    if plots.is_empty() {
        plots = model.common_plots(&motion.dependent);
        plots.truncate(1);
    }
    plots
}

impl PlotArgs {
    fn form(&self) -> Form {
        let named = |ending: &str| {
            let path = self.output.as_ref();
            path.and_then(|path| path.extension())
                .is_some_and(|e| e == ending)
        };
        if self.svg {
            Form::Svg
        } else if self.system.format() == Format::Json {
            Form::Json
        } else if named("svg") {
            Form::Svg
        } else if named("json") {
            Form::Json
        } else {
            Form::Text
        }
    }

    fn charset(&self) -> Charset {
        match (self.ascii, self.blocks, self.braille) {
            (true, _, _) => Charset::Ascii,
            (_, true, _) => Charset::Blocks,
            (_, _, true) => Charset::Braille,
            _ if output::speaks_unicode() => Charset::Braille,
            _ => Charset::Ascii,
        }
    }

    fn style(&self) -> Result<PlotStyle, CommandError> {
        let fail = |option, text: &str, wanted: &str| CommandError::Option {
            option,
            why: format!("`{}` is not {wanted}", quote(text)),
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
                Some(_) => Err(CommandError::Option {
                    option: "--x",
                    why: "is for the curves that --y names".to_owned(),
                }),
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
            return Err(CommandError::Option {
                option,
                why: "names no column".to_owned(),
            });
        }
        if across.len() != 1 && across.len() != list.len() {
            return Err(CommandError::Option {
                option: "--x",
                why: format!("{} are given for {} plots", across.len(), list.len()),
            });
        }
        let across = across.iter().cycle();
        let plots = list.into_iter().zip(across).map(|(y, x)| PlotNames {
            title: String::new(),
            x: (*x).to_owned(),
            y,
        });
        Ok(Some(plots.collect()))
    }

    /// Columns and rows of each plot.
    fn size(&self, plots: usize) -> Result<(u16, u16), CommandError> {
        let Some(text) = &self.size else {
            let terminal = crossterm::terminal::size().ok();
            let rows = terminal.filter(|_| io::stdout().is_terminal() && plots == 1);
            // the line of the prompt stays in sight
            let rows = rows.map_or(ROWS, |(_, rows)| rows.saturating_sub(2).clamp(8, ROWS + 10));
            let columns = output::width().clamp(20, usize::from(LARGEST)) as u16;
            return Ok((columns, rows));
        };
        let read = |part: &str| {
            let number: u16 = part.trim().parse().ok()?;
            (1..=LARGEST).contains(&number).then_some(number)
        };
        let parts = text.split_once(['x', 'X']);
        parts
            .and_then(|(columns, rows)| Some((read(columns)?, read(rows)?)))
            .ok_or_else(|| CommandError::Option {
                option: "--size",
                why: format!(
                    "`{}` is not of the form COLUMNSxROWS, such as 100x30, each from 1 to {LARGEST}",
                    quote(text)
                ),
            })
    }
}

/// The figure with its words in the characters that may be used.
fn fit_for(mut figure: Figure, charset: Charset) -> Figure {
    if charset == Charset::Ascii {
        let words = [&mut figure.title, &mut figure.x.label, &mut figure.y.label];
        let series = figure.series.iter_mut().map(|series| &mut series.label);
        let marks = figure.marks.iter_mut();
        let marks = marks.flat_map(|mark| mark.label.iter_mut().chain([&mut mark.tag]));
        for text in words.into_iter().chain(series).chain(marks) {
            *text = ascii(text);
        }
    }
    figure
}

/// Greek letters by their names, `?` for the rest.
fn ascii(text: &str) -> String {
    let mut plain = String::new();
    for symbol in text.chars() {
        match greek_name(symbol) {
            _ if symbol.is_ascii() => plain.push(symbol),
            Some(name) => plain.push_str(&name),
            None if symbol == '·' => plain.push('-'),
            None => plain.push('?'),
        }
    }
    plain
}

/// Writes the plot in colours, as the workbench has them.
fn coloured(out: &mut dyn Write, canvas: &Canvas) -> io::Result<()> {
    for row in 0..canvas.height() {
        for (text, style) in canvas.runs(row) {
            match colour(style) {
                "" => out.write_all(text.as_bytes())?,
                code => write!(out, "\u{1b}[{code}m{text}\u{1b}[0m")?,
            }
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// The numbers of a style in a terminal's select-graphic-rendition sequence.
fn colour(style: CellStyle) -> &'static str {
    match style {
        CellStyle::Plain | CellStyle::Label => "",
        CellStyle::Dim | CellStyle::Axis | CellStyle::Cursor => "2",
        CellStyle::Title | CellStyle::Body => "1",
        CellStyle::Series(role) => ["36", "33", "35", "32"][usize::from(role % 4)],
        CellStyle::Mark(MarkKind::Failure) => "1;31",
        CellStyle::Mark(_) => "1;33",
    }
}
