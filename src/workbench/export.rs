//! What is plotted, for elsewhere: as text, as a row of numbers, as a file; and the whole screen.

use std::fmt::Write;
use std::path::Path;

use serde_json::json;

use super::dialog::{Asked, Prompt};
use super::map::DrawnMap;
use super::range;
use super::screen;
use super::state::{State, Subject};
use super::text::{plain, trimmed};
use super::view::plot;
use super::writing::About;
use crate::analysis::{PlotData, Table};
use crate::plot::{Charset, Figure, draw, svg};
use crate::report::{linked, map_json, plots_json, write_csv, write_json};
use crate::system::spelled;

/// The least size of a plot as text.
const LEAST: (u16, u16) = (60, 14);
/// Width and height of a plot as SVG.
const FIGURE: (f64, f64) = (800.0, 480.0);

/// The endings of files that can be written.
const ENDINGS: &str = ".svg, .csv, .json or .txt";

/// The same of the screen.
const SCREEN_ENDINGS: &str = ".svg or .txt";

/// The plot as text, as large as its pane.
pub fn text(state: &State) -> String {
    plot::alone(state).map_or_else(String::new, |figure| characters(state, &figure))
}

fn characters(state: &State, figure: &Figure) -> String {
    let inner = state.layout().inner(super::layout::Pane::Plot);
    // the border has the legend, here it takes two rows
    let size = inner.map_or((80, 20), |inner| (inner.width, inner.height + 2));
    let size = (size.0.max(LEAST.0), size.1.max(LEAST.1));
    let charset = state.theme.charset;
    let drawn = draw(figure, size.0, size.1, charset).to_text();
    if charset == Charset::Ascii {
        // a line break is no sign that a terminal would have to show
        linked("\n", drawn.split('\n').map(plain))
    } else {
        drawn
    }
}

/// What of the motion a zoomed plot shows, and a table of it holds: `t 1.2 to 3.4`.
pub fn part(state: &State) -> Option<String> {
    let view = state.plots.view().filter(|_| !state.map.shown)?;
    let (lo, hi) = state.plots.lens.window.0?;
    Some(format!("{} {} to {}", view.x, trimmed(lo), trimmed(hi)))
}

/// t, x and the curves of the plot: the numbers of the motion, also where the curve shows their change.
fn table(state: &State) -> Option<Table> {
    let (analysis, view) = state.analysis.as_ref().zip(state.plots.view())?;
    let PlotData { x, y, .. } = plot::data(analysis, view);
    let mut columns: Vec<(String, Vec<f64>)> = Vec::new();
    if x.0 != "t" {
        let times = analysis.motion.samples.iter().map(|sample| sample.t);
        columns.push(("t".to_owned(), times.collect()));
    }
    columns.push(x);
    columns.extend(y);
    let count = columns.iter().map(|(_, values)| values.len()).min()?;
    let row = |i: usize| {
        let values = columns.iter().filter_map(|(_, values)| values.get(i));
        values.copied().collect()
    };
    Some(Table {
        rows: (0..count).map(row).collect(),
        columns: columns.into_iter().map(|(name, _)| name).collect(),
    })
}

/// The row of the sample nearest to the time shown: names, and numbers that read back to the same doubles.
pub fn row(state: &State) -> Option<(String, String)> {
    let t = state.playhead.t;
    let samples = &state.analysis.as_ref()?.motion.samples;
    let distance = |i: &usize| samples.get(*i).map_or(f64::INFINITY, |s| (s.t - t).abs());
    let near = (0..samples.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
    let table = table(state)?;
    Some((
        table.columns.join(", "),
        linked("\t", table.rows.get(near)?),
    ))
}

/// Said where there is no content for a file.
const NOTHING: &str = "there is nothing to write yet";

/// What a file of this name gets to hold; what is wrong with the name.
pub fn content(state: &State, what: Subject, path: &Path) -> Result<String, String> {
    let ending = path.extension().map(|ending| spelled(ending.as_ref()));
    let ending = ending.unwrap_or_default();
    match what {
        Subject::Plot => plotted(state, &ending),
        Subject::Screen => screen(state, &ending),
        Subject::Page => page(state, &ending),
        Subject::Range => over_range(state, &ending),
    }
}

/// What is plotted, or the map.
fn plotted(state: &State, ending: &str) -> Result<String, String> {
    let figure = plot::alone(state).ok_or(NOTHING)?;
    let analysis = state.analysis.as_ref().ok_or(NOTHING)?;
    let view = state.plots.view().ok_or(NOTHING)?;
    match ending {
        "svg" => {
            let titled = Figure {
                cursor: None,
                ..figure
            };
            Ok(svg(&[titled], FIGURE))
        }
        "txt" => Ok(text(state)),
        "csv" | "json" if state.map.shown => {
            let (of, drawn) = state.map.drawn.found.as_ref().ok_or(NOTHING)?;
            if ending == "csv" {
                let table = map_table(state, drawn);
                return Ok(in_memory(|out| write_csv(out, &table)));
            }
            let mut object = map_json(analysis.model(), &drawn.answer);
            if let Some((k, values)) = &of.slices
                && let Some(name) = analysis.coordinates().get(*k)
            {
                object["slices"] = json!({ name: values });
            }
            Ok(in_memory(|out| write_json(out, &object)))
        }
        "csv" => {
            let mut table = table(state).ok_or(NOTHING)?;
            let x = table.columns.iter().position(|name| *name == view.x);
            if let (Some((lo, hi)), Some(x)) = (figure.x.range, x) {
                table
                    .rows
                    .retain(|row| row.get(x).is_some_and(|v| (lo..=hi).contains(v)));
            }
            Ok(in_memory(|out| write_csv(out, &table)))
        }
        "json" => {
            let mut data = plot::data(analysis, view);
            let mut figure = figure;
            if let Some((lo, hi)) = figure.x.range {
                let seen: Vec<bool> = data.x.1.iter().map(|x| (lo..=hi).contains(x)).collect();
                let keep = |values: &mut Vec<f64>| {
                    let mut seen = seen.iter();
                    values.retain(|_| seen.next().copied().unwrap_or(false));
                };
                keep(&mut data.x.1);
                data.y.iter_mut().for_each(|(_, values)| keep(values));
                figure.marks.retain(|mark| (lo..=hi).contains(&mark.x));
            }
            let object = plots_json(analysis.model(), &analysis.motion, &[(data, figure)]);
            Ok(in_memory(|out| write_json(out, &object)))
        }
        _ => Err(format!("the name has to end in {ENDINGS}")),
    }
}

/// A parameter over its range.
fn over_range(state: &State, ending: &str) -> Result<String, String> {
    let rows = range::known(state).and_then(|answer| answer.rows.clone());
    let rows = rows.ok_or(NOTHING)?;
    // where there is nothing to be drawn there may be rows
    let figure = || range::figure(state).ok_or(NOTHING);
    match ending {
        "svg" => Ok(svg(std::slice::from_ref(figure()?), FIGURE)),
        "txt" => Ok(characters(state, figure()?)),
        "csv" => Ok(rows.csv),
        "json" => Ok(rows.json),
        _ => Err(format!("the name has to end in {ENDINGS}")),
    }
}

/// The map as a table: the pieces of the constraint set on which the theorem holds one after the other, in the
/// plane that is shown, each with the proven sign of the determinant; then, as piece 0 with sign 0, the points
/// where it is proven to be zero.
fn map_table(state: &State, drawn: &DrawnMap) -> Table {
    let names = state.analysis.as_ref().map(|a| a.coordinates());
    let name = |k: usize| names.and_then(|n| n.get(k)).cloned().unwrap_or_default();
    let (along, up) = drawn.answer.plane;
    let mut rows = Vec::new();
    let pieces = drawn.pieces.lines.iter().zip(&drawn.pieces.signs);
    for (number, (line, sign)) in pieces.enumerate() {
        let finite = line.iter().filter(|p| p.iter().all(|v| v.is_finite()));
        rows.extend(finite.map(|[x, y]| vec![number as f64 + 1.0, f64::from(*sign), *x, *y]));
    }
    let roots = drawn.answer.singular.iter().flat_map(|roots| &roots.proven);
    for root in roots {
        let at = |k: usize| root.get(k).map_or(f64::NAN, |side| side.middle());
        rows.push(vec![0.0, 0.0, at(along), at(up)]);
    }
    let columns = ["piece".to_owned(), "sign".to_owned(), name(along), name(up)];
    Table {
        columns: columns.to_vec(),
        rows,
    }
}

/// The screen.
fn screen(state: &State, ending: &str) -> Result<String, String> {
    match ending {
        "svg" => Ok(screen::svg(&screen::drawn(state), state.theme.scheme)),
        "txt" => Ok(screen::text(&screen::drawn(state))),
        _ => Err(format!("the name has to end in {SCREEN_ENDINGS}")),
    }
}

/// The endings that the page of the report can have: `.tex .txt`.
fn page_endings(state: &State, between: &str) -> String {
    let endings = state.report.page.about().endings.iter();
    linked(between, endings.map(|ending| format!(".{ending}")))
}

/// What is asked where the page of the report is to be written.
pub fn page_title(state: &State) -> String {
    let noun = state.report.page.about().noun;
    format!("Write the {noun} to a file: {}", page_endings(state, " "))
}

/// The page of the report.
fn page(state: &State, ending: &str) -> Result<String, String> {
    let written = state.report.written().ok_or(NOTHING)?;
    let known = state.report.page.about().endings.contains(&ending);
    let content = written.file(ending).filter(|_| known);
    let wrong = || format!("the name has to end in {}", page_endings(state, " or "));
    content.map(str::to_owned).ok_or_else(wrong)
}

/// Asks for a name.
pub fn ask(state: &mut State, what: Subject) {
    let name = suggestion(state, what);
    Prompt::open(state, Asked::Export(what), name);
}

/// What is written, as text.
pub(super) fn in_memory(
    write: impl FnOnce(&mut dyn std::io::Write) -> std::io::Result<()>,
) -> String {
    let mut bytes = Vec::new();
    // writing to memory does not fail
    let _ = write(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A name for the file.
fn suggestion(state: &State, what: Subject) -> String {
    let name = state.document.suggestion_for(&state.editor.text());
    let stem = name.strip_suffix(".yaml").or(name.strip_suffix(".yml"));
    let mut suggestion = stem.unwrap_or(&name).to_owned();
    if what == Subject::Page {
        let About { end, endings, .. } = state.report.page.about();
        let ending = endings.first().copied().unwrap_or("txt");
        return format!("{suggestion}{end}.{ending}");
    }
    if what == Subject::Range {
        let _ = write!(suggestion, "-over-{}.csv", state.ranges.name);
        return suggestion;
    }
    if what == Subject::Screen {
        suggestion.push_str("-screen");
    } else if state.map.shown {
        suggestion.push_str("-map");
    } else if state.plots.current > 0 {
        let _ = write!(suggestion, "-{}", state.plots.current + 1);
    }
    suggestion + ".svg"
}
