//! Views that lie over the panes: sliders of the parameters, problems, the methods against each other.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Widget;

use super::dialog::{Listing, boxed, inside, open};
use super::theorem::{left, right};
use super::words;
use crate::plot;
use crate::report::{compare_text, verify_text};
use crate::workbench::layout::{Layout, Pane};
use crate::workbench::parameters::Slider;
use crate::workbench::problems;
use crate::workbench::state::State;
use crate::workbench::text::{columns, cut, number, wrap};

/// Longest name and number beside a slider.
const NAME: usize = 12;
const NUMBER: usize = 10;
/// Longest slider.
const SLIDER: usize = 30;

/// Sliders in the place of the text, so that everything else stays in sight.
pub fn parameters(state: &State, chosen: usize, area: Rect) -> Listing {
    let rows = state.sliders.len().min(usize::from(u16::MAX)) as u16;
    let layout = Layout::new((area.width, area.height), state.focus, state.zoom);
    let rect = match layout.pane(Pane::System) {
        Some(rect) if !state.zoom => rect,
        _ => boxed(area, (60, rows)),
    };
    let width = usize::from(inside(rect).width);
    let names = state
        .sliders
        .iter()
        .map(|l| columns(&words(state.theme, &l.name)));
    let name = names.max().unwrap_or(0).min(NAME);
    let lines: Vec<String> = state
        .sliders
        .iter()
        .map(|slider| row(state, slider, name, width))
        .collect();
    Listing {
        title: "Parameters",
        rect,
        rows: inside(rect),
        lines,
        chosen,
        headings: Vec::new(),
    }
}

/// `g       9.9  ██████▌░░░░░  9.81 in the text`
fn row(state: &State, slider: &Slider, name: usize, width: usize) -> String {
    let shown = left(&cut(&words(state.theme, &slider.name), name), name);
    let value = right(&number(slider.value), NUMBER);
    let said = if slider.value.total_cmp(&slider.base).is_eq() {
        String::new()
    } else {
        format!("  was {}", number(slider.base))
    };
    let used = 1 + name + 1 + NUMBER + 2 + columns(&said);
    let room = width.saturating_sub(used + 1).min(SLIDER);
    // as far to both sides as the text's value is from zero
    let reach = if slider.base == 0.0 {
        1.0
    } else {
        slider.base.abs()
    };
    let part = 0.5 + (slider.value - slider.base) / (2.0 * reach);
    let bar = plot::bar(part.clamp(0.0, 1.0), room, state.theme.charset);
    words(state.theme, &format!(" {shown} {value}  {bar}{said}"))
}

/// The list of problems.
pub fn problem_list(state: &State, chosen: usize, area: Rect) -> Listing {
    let problems = problems::list(state);
    let place = problems
        .iter()
        .map(|p| columns(&words(state.theme, &p.place)));
    let place = place.max().unwrap_or(0).min(20);
    let mut lines: Vec<String> = problems
        .iter()
        .map(|p| {
            let at = left(&cut(&words(state.theme, &p.place), place), place);
            format!(" {at}  {} ", words(state.theme, &p.what))
        })
        .collect();
    if lines.is_empty() {
        lines.push(" none: the text is sound, the theorem holds all the way ".to_owned());
    }
    let widest = lines.iter().map(|line| columns(line)).max().unwrap_or(0);
    let width = widest.clamp(30, 100) as u16;
    // all of the one chosen is told below
    let whole = problems.get(chosen).map_or("", |p| p.what.as_str());
    let room = usize::from(width.min(area.width.saturating_sub(2)).saturating_sub(2));
    let below = if widest > room + 2 {
        wrap(&words(state.theme, whole), room.max(1)).len()
    } else {
        0
    };
    let most = usize::from(area.height / 4);
    let below = below.min(most) as u16;
    let rows = lines.len().min(usize::from(u16::MAX / 2)) as u16;
    let extra = if below == 0 { 0 } else { below + 1 };
    let rect = boxed(area, (width, rows.saturating_add(extra)));
    let inner = inside(rect);
    let extra = extra.min(inner.height.saturating_sub(1));
    Listing {
        title: "Problems",
        rect,
        rows: Rect {
            height: inner.height - extra,
            ..inner
        },
        lines,
        chosen,
        headings: Vec::new(),
    }
}

/// All of the chosen problem, below the list where that had to cut it.
pub fn problem_words(state: &State, chosen: usize, (rows, inner): (Rect, Rect), frame: &mut Frame) {
    let problems = problems::list(state);
    let Some(problem) = problems.get(chosen) else {
        return;
    };
    let room = usize::from(inner.width.saturating_sub(2)).max(1);
    let below = wrap(&words(state.theme, &problem.what), room);
    let first = rows.bottom() + 1;
    for (y, line) in (first..inner.bottom()).zip(below) {
        let row = Rect {
            y,
            height: 1,
            ..inner
        };
        Line::styled(format!(" {line}"), state.theme.dim()).render(row, frame.buffer_mut());
    }
}

/// The lines of the comparison, then those of what the text expects, as the commands print them.
pub fn method_lines(state: &State, width: usize) -> Vec<String> {
    let found = state.methods.as_ref();
    let found = found.filter(|(generation, _)| *generation == state.generation);
    let text = match (found, &state.analysis) {
        (Some((_, found)), Some(analysis)) => {
            let model = analysis.model();
            let compared = match &found.compared {
                Ok(comparison) => compare_text(model, comparison, width),
                Err(error) => error.clone(),
            };
            if found.findings.is_empty() {
                compared
            } else {
                let known = verify_text(model, &found.findings, width);
                format!("{}\n\nKnown from elsewhere\n{known}", compared.trim_end())
            }
        }
        (Some((_, found)), None) => found.compared.as_ref().err().cloned().unwrap_or_default(),
        _ if state.stale() => "the text has to be mended first".to_owned(),
        _ => "each method runs twice: working …".to_owned(),
    };
    let lines = text.lines().map(|line| words(state.theme, line));
    lines.map(|line| cut(&line, width)).collect()
}

/// Width of the view of the methods on a screen this wide.
pub fn method_width(screen: u16) -> u16 {
    screen.saturating_sub(4).clamp(20, 90)
}

/// The methods against each other.
pub fn methods(state: &State, scroll: usize, frame: &mut Frame) {
    let width = method_width(frame.area().width);
    let lines = method_lines(state, usize::from(width.saturating_sub(2)));
    let rows = lines.len().min(usize::from(u16::MAX / 2)) as u16;
    let inner = open(state, "Methods", (width, rows), frame);
    let lines: Vec<Line<'static>> = lines
        .into_iter()
        .map(|line| Line::raw(format!(" {line}")))
        .collect();
    super::scrolled(&lines, scroll, inner, frame.buffer_mut());
}
