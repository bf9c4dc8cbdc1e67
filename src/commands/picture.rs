//! What the commands that draw have in common: size, characters, form and place of a picture.

use super::CommandError;
use super::input::SystemArgs;
use super::output::{self, Destination, Writer};
use crate::analysis::Table;
use crate::expr::greek_name;
use crate::plot::{Canvas, CellStyle, Charset, Figure, MarkKind, draw, svg};
use crate::report::{write_csv, write_json};
use crate::system::quote;
use clap::Args;
use serde_json::Value;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

/// Columns and rows of a plot that goes to no terminal.
const ROWS: u16 = 20;
/// The fewest columns and rows of a plot that shows anything.
const SMALLEST: (u16, u16) = (8, 4);
/// The most columns or rows of a plot.
const LARGEST: u16 = 1000;
/// A cell of text in the unit of length of an SVG: twice as high as it is wide.
const CELL: (f64, f64) = (8.0, 16.0);

/// How a picture is drawn and where it goes.
#[derive(Args, Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // independent options of a command line
pub struct PictureArgs {
    /// Columns and rows of a plot [default: those of the terminal, or 80x20]
    #[arg(long, value_name = "COLUMNSxROWS", allow_hyphen_values = true)]
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
    /// Draw with sextants, 2 by 3 dots each, which few fonts have
    #[arg(long, group = "characters")]
    pub sextants: bool,
    /// Write SVG: vector graphics for a paper
    #[arg(long, conflicts_with_all = ["json", "characters"])]
    pub svg: bool,
    /// Write to a file instead: SVG, JSON or text, according to --svg, --json or the file name
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// How a picture is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PictureFormat {
    /// Characters.
    Text,
    /// Vectors.
    Svg,
    /// Data.
    Json,
}

/// A picture that is asked for; its place is open before there is anything to write.
pub struct Picture {
    /// How it is written.
    pub form: PictureFormat,
    /// The characters of text.
    pub charset: Charset,
    /// Columns and rows of each plot.
    pub size: (u16, u16),
    destination: Option<Destination>,
}

impl Picture {
    /// Does it go to a file?
    pub fn has_place(&self) -> bool {
        self.destination.is_some()
    }

    /// Is there more to it than text for standard output?
    pub fn is_asked_for(&self) -> bool {
        self.has_place() || self.form != PictureFormat::Text
    }

    /// Writes figures with words below them, or JSON in their place.
    pub fn show(
        self,
        figures: Vec<Figure>,
        words: &str,
        json: impl FnOnce() -> Value,
    ) -> Result<(), CommandError> {
        let (charset, size) = (self.charset, self.size);
        let colour = !self.has_place()
            && io::stdout().is_terminal()
            && std::env::var("NO_COLOR").unwrap_or_default().is_empty();
        let write: Box<Writer<'_>> = match self.form {
            PictureFormat::Json => {
                let json = json();
                Box::new(move |out| write_json(out, &json))
            }
            PictureFormat::Svg => Box::new(move |out| {
                let length = (f64::from(size.0) * CELL.0, f64::from(size.1) * CELL.1);
                out.write_all(svg(&figures, length).as_bytes())
            }),
            PictureFormat::Text => Box::new(move |out| {
                for figure in figures {
                    let canvas = draw(&fit_for(figure, charset), size.0, size.1, charset);
                    if colour {
                        coloured(out, &canvas)?;
                    } else {
                        out.write_all(canvas.to_text().as_bytes())?;
                    }
                }
                out.write_all(words.as_bytes())
            }),
        };
        output::write(self.destination, write)
    }

    /// Writes a table in its place.
    pub fn csv(self, table: &Table) -> Result<(), CommandError> {
        output::write(self.destination, Box::new(|out| write_csv(out, table)))
    }
}

impl PictureArgs {
    /// The picture of so many plots; opens its place.
    pub fn open(&self, system: &SystemArgs, plots: usize) -> Result<Picture, CommandError> {
        Ok(Picture {
            form: self.form(system)?,
            charset: self.charset(),
            size: self.size(plots)?,
            destination: self.output.as_deref().map(Destination::open).transpose()?,
        })
    }

    /// How it is written: as asked for, or by the end of the file's name.
    fn form(&self, system: &SystemArgs) -> Result<PictureFormat, CommandError> {
        if self.svg {
            return Ok(PictureFormat::Svg);
        }
        if system.json {
            return Ok(PictureFormat::Json);
        }
        let Some(path) = &self.output else {
            return Ok(PictureFormat::Text);
        };
        Ok(match output::ending(path, &["svg", "json", "txt"])? {
            Some("svg") => PictureFormat::Svg,
            Some("json") => PictureFormat::Json,
            _ => PictureFormat::Text,
        })
    }

    /// The characters to draw with.
    fn charset(&self) -> Charset {
        match (self.ascii, self.blocks, self.sextants, self.braille) {
            (true, ..) => Charset::Ascii,
            (_, true, ..) => Charset::Blocks,
            (_, _, true, _) => Charset::Sextants,
            (.., true) => Charset::Braille,
            _ if output::speaks_unicode() => Charset::Braille,
            _ => Charset::Ascii,
        }
    }

    /// Columns and rows of each plot.
    fn size(&self, plots: usize) -> Result<(u16, u16), CommandError> {
        let Some(text) = &self.size else {
            let terminal = terminal_size::terminal_size();
            let rows = terminal.filter(|_| io::stdout().is_terminal() && plots == 1);
            // the line of the prompt stays in sight
            let seen = |rows: u16| rows.saturating_sub(2).clamp(8, ROWS + 10);
            let rows = rows.map_or(ROWS, |(_, rows)| seen(rows.0));
            let columns = output::width().clamp(20, usize::from(LARGEST)) as u16;
            return Ok((columns, rows));
        };
        let read = |part: &str, least: u16| {
            let number: u16 = part.trim().parse().ok()?;
            (least..=LARGEST).contains(&number).then_some(number)
        };
        let parts = text.split_once(['x', 'X']);
        let (columns, rows) = SMALLEST;
        parts
            .and_then(|(along, up)| Some((read(along, columns)?, read(up, rows)?)))
            .ok_or_else(|| CommandError::option("--size", format!(
                    "`{}` is not of the form COLUMNSxROWS, such as 100x30, from {columns}x{rows} to {LARGEST}x{LARGEST}",
                    quote(text)
                )))
    }
}

/// The figure with its words in the characters that may be used.
fn fit_for(mut figure: Figure, charset: Charset) -> Figure {
    if charset == Charset::Ascii {
        let words = [&mut figure.title, &mut figure.x.label, &mut figure.y.label];
        let places = figure.places.iter_mut();
        let places = places.flat_map(|place| place.label.iter_mut().chain([&mut place.tag]));
        let series = figure.series.iter_mut().map(|series| &mut series.label);
        let marks = figure.marks.iter_mut();
        let marks = marks.flat_map(|mark| mark.label.iter_mut().chain([&mut mark.tag]));
        for text in words.into_iter().chain(series).chain(marks).chain(places) {
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
