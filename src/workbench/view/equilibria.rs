//! The equilibria over the panes: the list, words about the one chosen, and its mode swinging.
//!
//! ```text
//! ┏ Equilibria ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┓
//! ┃ stable, minimum    ω 4.429  certified  (0, -1.000)              ┃
//! ┃ unstable, maximum           certified  (0, 1.000)               ┃
//! ┃                                                                 ┃
//! ┃ proven to be all in the box         │                           ┃
//! ┃ mode 1 of 1: ω 4.429, period 1.419  │           ●               ┃
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;
use ratatui::widgets::Widget;

use super::picture::{bounds, still};
use super::{named, put, words};
use crate::analysis::Oscillation;
use crate::plot::draw_scene;
use crate::report::zero::{self, Shown};
use crate::report::{count, linked, note_words, rates, reason_words};
use crate::statics::{Equilibrium, Mode, Note, Reason, Stability};
use crate::workbench::dialog::{Listing, boxed};
use crate::workbench::equilibria::{Row, broke_off, known, lines, oscillation, picture, places};
use crate::workbench::layout::{inside, left};
use crate::workbench::state::{MEND_FIRST, State};
use crate::workbench::text::{cut, short, wrap};

/// Widest box.
const WIDEST: u16 = 110;
/// Columns of a picture, at least.
const PICTURE: u16 = 14;
/// Coordinates and multipliers that are told.
const TOLD: usize = 12;

/// The list, in a box with room for more below it.
pub fn listing(state: &State, chosen: usize, area: Rect) -> Listing {
    let width = area.width.saturating_sub(4).clamp(30, WIDEST);
    let rect = boxed(area, (width, area.height.saturating_sub(3)));
    let inner = inside(rect);
    let mut lines: Vec<String> = lines(state)
        .iter()
        .map(|line| words(state.theme, line))
        .collect();
    if lines.is_empty() {
        let said = match known(state) {
            _ if state.stale() => MEND_FIRST,
            _ if broke_off(state) => "the search for equilibria broke off",
            None => "looking for equilibria: working …",
            Some(found) if found.complete() => "none: proven for all of the box",
            Some(_) => "none was found; that there is none is not proven",
        };
        lines.push(format!(" {}", words(state.theme, said)));
    }
    // the larger part is for the one chosen
    let most = (inner.height / 2).max(1);
    let rows = (lines.len().min(usize::from(u16::MAX)) as u16).min(most);
    let mut listing = Listing::new("Equilibria", rect, lines, chosen);
    listing.rows.height = rows.min(inner.height);
    listing
}

/// Where words about the one chosen stand, and beside them its picture, where all of them have room there.
struct Detail {
    words: Rect,
    lines: Vec<(String, Style)>,
    picture: Option<Rect>,
}

impl Detail {
    /// The detail below the rows of the list.
    fn of(state: &State, chosen: usize, (rows, inner): (Rect, Rect)) -> Option<Self> {
        let top = rows.bottom() + 1;
        if top >= inner.bottom() || known(state).is_none() {
            return None;
        }
        let below = Rect::new(inner.x, top, inner.width, inner.bottom() - top);
        let within = |words: Rect, drawn: Option<&Oscillation>| {
            let room = usize::from(words.width.saturating_sub(3)).max(1);
            let told = told(state, chosen, drawn).into_iter();
            let lines = told.flat_map(|(text, style)| {
                let lines = wrap(&super::words(state.theme, &text), room);
                lines.into_iter().map(move |line| (line, style))
            });
            lines.collect::<Vec<_>>()
        };
        let half = below.width / 2;
        let drawn = oscillation(state).map(|oscillation| &**oscillation);
        let seen = drawn
            .filter(|drawn| !drawn.drawings.is_empty() && half >= PICTURE && below.height >= 3);
        let (beside, picture) = left(below, below.width - half);
        let lines = within(beside, seen);
        if seen.is_some() && lines.len() <= usize::from(below.height) {
            return Some(Self {
                words: beside,
                lines,
                picture: Some(picture),
            });
        }
        Some(Self {
            words: below,
            lines: within(below, drawn.filter(|drawn| drawn.drawings.is_empty())),
            picture: None,
        })
    }

    /// Lines that have no room.
    fn hidden(&self) -> usize {
        let room = usize::from(self.words.height);
        self.lines.len().saturating_sub(room)
    }
}

/// How far the words about the one chosen can be scrolled down, and how many lines of them are seen at once.
pub fn beyond(state: &State, chosen: usize) -> (usize, usize) {
    let area = Rect::new(0, 0, state.size.0, state.size.1);
    let listing = listing(state, chosen, area);
    let parts = (listing.rows, inside(listing.rect));
    let detail = Detail::of(state, chosen, parts);
    detail.map_or((0, 0), |detail| {
        (detail.hidden(), usize::from(detail.words.height))
    })
}

/// Words about the one chosen, from a line on, and its picture.
pub fn beside(
    state: &State,
    (chosen, from): (usize, usize),
    parts: (Rect, Rect),
    buffer: &mut Buffer,
) {
    let Some(detail) = Detail::of(state, chosen, parts) else {
        return;
    };
    let Detail { words, lines, .. } = &detail;
    let room = usize::from(words.width.saturating_sub(3)).max(1);
    let from = from.min(detail.hidden());
    for (row, (line, style)) in words.rows().zip(lines.iter().skip(from)) {
        Line::styled(format!(" {}", cut(line, room)), *style).render(row, buffer);
    }
    let edge = words.right().saturating_sub(1);
    if from > 0 {
        put(buffer, (edge, words.y), '↑');
    }
    if from < detail.hidden() {
        put(buffer, (edge, words.bottom() - 1), '↓');
    }
    if let Some(picture) = detail.picture {
        moving(state, picture, buffer);
    }
}

/// The mode in its picture of the moment.
fn moving(state: &State, area: Rect, buffer: &mut Buffer) {
    let Some(oscillation) = oscillation(state) else {
        return;
    };
    let count = oscillation.drawings.len();
    let Some(drawing) = oscillation.drawings.get(picture(state) % count.max(1)) else {
        return;
    };
    let mut scene = still(drawing);
    // the scale must not move: that of all of it, and of the motion
    let mut all = oscillation.drawings.clone();
    for other in &mut all {
        // `bounds` takes the lines of the first one only
        let lines = other.lines.iter().flatten().copied();
        let more: Vec<[f64; 2]> = lines.collect();
        other.points.extend(more);
    }
    if let Some(analysis) = &state.analysis {
        let every = analysis.drawings.len() / 200 + 1;
        all.extend(analysis.drawings.iter().step_by(every).cloned());
    }
    scene.bounds = bounds(&all);
    scene.trail = oscillation
        .drawings
        .iter()
        .filter_map(|drawing| drawing.points.first().copied())
        .collect();
    let canvas = draw_scene(&scene, area.width, area.height, state.theme.charset);
    super::copy(&canvas, area, |cell| state.theme.cell(cell), buffer);
}

/// Words about the one chosen, in lines.
pub fn said(state: &State, chosen: usize) -> Vec<String> {
    let told = told(state, chosen, None).into_iter();
    told.map(|(text, _)| super::words(state.theme, &text))
        .collect()
}

/// What is said below the list, beside a picture where something is drawn.
fn told(state: &State, chosen: usize, drawn: Option<&Oscillation>) -> Vec<(String, Style)> {
    let theme = state.theme;
    let (Some(found), Some(analysis)) = (known(state), &state.analysis) else {
        return Vec::new();
    };
    let model = analysis.model();
    let plain = Style::new();
    let mut list: Vec<(String, Style)> = Vec::new();
    let places = places(found);
    match places.get(chosen) {
        Some(Row::Equilibrium(e)) => {
            let style = match e.verdict.stability {
                Stability::Stable(_) => theme.holds(),
                Stability::Unstable(_) => theme.fails(),
                Stability::Degenerate(_) => theme.notice(),
            };
            if !model.system.objective {
                list.push((verdict(e), style));
                if let Some(rests) = &e.at_rest {
                    let rests = model.names(rests).join(", ");
                    let text = if rests.is_empty() {
                        "relative: at rest in a frame that moves".to_owned()
                    } else {
                        format!("relative: {rests} at rest, the others moved by constraints")
                    };
                    list.push((text, plain));
                }
                // what is a place of rest for one moment has neither
                if !e.verdict.frozen {
                    list.push((mode(state, e, drawn), plain));
                    let rates = rates(&e.verdict, short);
                    list.extend(rates.into_iter().map(|text| (text, plain)));
                }
            }
            let shown = Shown::of(e);
            list.push((values(&analysis.shown, &shown.x), plain));
            if !e.multipliers.is_empty() {
                let names = model.multiplier_names().iter();
                let names = names.map(|name| named(state, &format!("lambda_{name}")));
                let names: Vec<String> = names.collect();
                list.push((values(&names, &shown.multipliers), plain));
            }
            let name = if model.system.objective {
                "objective"
            } else {
                "V"
            };
            list.push((format!("{name} {}", short(e.verdict.potential)), plain));
        }
        Some(Row::Singular(x)) => {
            let why = "singular: the gradients of the constraints are dependent and no finite multipliers hold the forces";
            list.push((why.to_owned(), theme.fails()));
            list.push((values(&analysis.shown, &zero::of_unit_size(x)), plain));
        }
        Some(Row::Undefined(x)) => {
            let why = "not counted: the Lagrangian, a constraint or a derivative is not defined or not smooth there";
            list.push((why.to_owned(), theme.fails()));
            list.push((values(&analysis.shown, &zero::of_unit_size(x)), plain));
        }
        None => {}
    }
    let relative = matches!(places.get(chosen), Some(Row::Equilibrium(e)) if e.at_rest.is_some());
    let all = if relative && !found.frame.as_ref().is_some_and(|frame| frame.complete) {
        "there may be other relative ones in the box".to_owned()
    } else if relative || found.complete() {
        "all: proven that the box has no others".to_owned()
    } else if found.left.undecided().is_empty() {
        "incomplete: there may be others in the box".to_owned()
    } else {
        let open = found.left.undecided().len();
        let are = if open == 1 { "is" } else { "are" };
        format!(
            "incomplete: {} of the box {are} undecided",
            count(open, "part")
        )
    };
    list.push((all, theme.dim()));
    if found.notes.contains(&Note::Held) {
        list.push((format!("at t = {}", short(found.t)), theme.dim()));
    }
    let notes = found.notes.iter().map(|n| note_words(model, *n));
    list.extend(notes.map(|note| (note, theme.dim())));
    list
}

fn verdict(e: &Equilibrium) -> String {
    match e.verdict.stability {
        Stability::Degenerate(reason) if e.verdict.frozen => {
            format!("frozen: {}", reason_words(reason))
        }
        Stability::Degenerate(reason @ Reason::Estimate) => reason_words(reason).to_owned(),
        Stability::Degenerate(reason) => format!("degenerate: {}", reason_words(reason)),
        other => other.name().to_owned(),
    }
}

/// The mode that is looked at: its number, frequency, and how it is drawn.
fn mode(state: &State, e: &Equilibrium, drawn: Option<&Oscillation>) -> String {
    let modes = &e.verdict.modes;
    let Some(mode) = modes.get(state.equilibria.mode) else {
        return "no mode oscillates".to_owned();
    };
    let Mode {
        frequency,
        exponent,
        ..
    } = mode;
    let mut text = format!(
        "mode {} of {}: ω {}, period {}",
        state.equilibria.mode + 1,
        modes.len(),
        short(*frequency),
        short(std::f64::consts::TAU / frequency)
    );
    if exponent.0 != 0.0 {
        text = format!("{text}, e^({} t)", short(exponent.0));
    }
    if state.equilibria.held {
        text.push_str(" (held)");
    }
    match drawn {
        Some(oscillation) if oscillation.amplitude > 0.0 => {
            let amplitude = short(oscillation.amplitude);
            format!("{text}; drawn with amplitude {amplitude}")
        }
        Some(_) => format!("{text}; it cannot be drawn on the constraints"),
        None => text,
    }
}

/// `x₁ 0.500  x₂ 0.250`
fn values(names: &[String], values: &[f64]) -> String {
    let pairs = names.iter().zip(values).take(TOLD);
    let list = pairs.map(|(name, v)| format!("{name} {}", short(*v)));
    let more = (names.len() > TOLD).then(|| format!("and {} more", names.len() - TOLD));
    linked("  ", list.chain(more))
}
