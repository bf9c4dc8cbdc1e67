//! Everything that is wrong or worth a warning: errors of the text, failures of the theorem on the way,
//! constraints that were released, the reason of an early end, notes. Each leads to its place.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::Over;
use super::list::{Listing, boxed, moved, page};
use crate::report::analysis_notes;
use crate::solver::sort_by_time;
use crate::workbench::action::{Action, Context};
use crate::workbench::editor::TextPosition;
use crate::workbench::layout::{Pane, inside};
use crate::workbench::state::State;
use crate::workbench::text::{columns, cut, left, wrap};
use crate::workbench::update::travel;
use crate::workbench::view::{self, row, words};

/// The list of problems.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems {
    /// The line chosen.
    pub chosen: usize,
}

impl Over for Problems {
    fn context(&self) -> Context {
        Context::Problems
    }

    fn act(&mut self, state: &mut State, action: Action) -> bool {
        let problems = list(state);
        self.chosen = moved(self.chosen, problems.len(), action, page(state));
        let chosen = problems.get(self.chosen);
        action != Action::Accept || !chosen.is_some_and(|problem| go(state, problem))
    }

    fn listing(&self, state: &State, area: Rect) -> Option<Listing> {
        let problems = list(state);
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
        let whole = problems.get(self.chosen).map_or("", |p| p.what.as_str());
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
        let mut listing = Listing::new("Problems", rect, lines, self.chosen);
        listing.rows.height -= extra;
        Some(listing)
    }

    /// All of the chosen problem, below the list where that had to cut it.
    fn beside(&self, state: &State, listing: &Listing, inner: Rect, frame: &mut Frame) {
        let problems = list(state);
        let Some(problem) = problems.get(self.chosen) else {
            return;
        };
        let room = usize::from(inner.width.saturating_sub(2)).max(1);
        let below = wrap(&words(state.theme, &problem.what), room);
        let first = listing.rows.bottom() + 1;
        for (y, line) in (first..inner.bottom()).zip(below) {
            let line = Line::styled(format!(" {line}"), state.theme.dim());
            row(&line, y, inner, frame.buffer_mut());
        }
    }
}

/// Where a problem leads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Leads {
    /// To a place of the text.
    Text(TextPosition),
    /// To a time of the motion.
    Time(f64),
    /// Nowhere.
    Nowhere,
}

/// A problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// Where: `7:12`, `t 0.5949`.
    pub place: String,
    /// What.
    pub what: String,
    /// Where it leads.
    pub leads: Leads,
}

/// All of them: those of the text, what stopped the motion, then what lies on its way.
pub fn list(state: &State) -> Vec<Problem> {
    let name = state.document.name();
    let mut list: Vec<Problem> = Vec::new();
    for error in &state.diagnostics {
        let help = error.help.iter().map(|help| format!("; {help}"));
        let here = TextPosition::of(error).filter(|_| error.file == name);
        list.push(Problem {
            place: match error.line {
                0 => "text".to_owned(),
                line if here.is_some() => format!("{line}:{}", error.column),
                _ => error.file.clone(),
            },
            what: format!("{}{}", error.message, help.collect::<String>()),
            leads: here.map_or(Leads::Nowhere, Leads::Text),
        });
    }
    let lost = state.lost.iter().map(|lost| format!("{name} {lost}"));
    list.extend(lost.chain(state.failed.clone()).map(|what| Problem {
        place: "file".to_owned(),
        what,
        leads: Leads::Nowhere,
    }));
    let Some(analysis) = &state.analysis else {
        return list;
    };
    let motion = &analysis.motion;
    if let Some(because) = view::verdict::stopped(analysis) {
        let ends = motion.ends();
        list.push(Problem {
            place: ends.map_or("start".to_owned(), |(_, last)| format!("t {last:.4}")),
            what: format!("the motion ends: {because}"),
            leads: ends.map_or(Leads::Nowhere, |(_, last)| Leads::Time(last)),
        });
    }
    let mut on_the_way: Vec<(f64, String)> = Vec::new();
    for flag in &motion.flags {
        on_the_way.push((flag.t, view::verdict::flagged(analysis, flag)));
    }
    for released in &motion.releases {
        let constraint = analysis.constraints().get(released.constraint);
        let name = constraint.map_or("a constraint", String::as_str);
        on_the_way.push((
            released.t,
            format!("{name} is released: its force would have to pull"),
        ));
    }
    sort_by_time(motion.way(), &mut on_the_way, |(t, _)| *t);
    list.extend(on_the_way.into_iter().map(|(t, what)| Problem {
        place: format!("t {t:.4}"),
        what,
        leads: Leads::Time(t),
    }));
    list.extend(analysis_notes(analysis).into_iter().map(|note| Problem {
        place: "note".to_owned(),
        what: note.text,
        leads: Leads::Nowhere,
    }));
    list
}

/// Goes where a problem leads; whether it leads anywhere.
pub fn go(state: &mut State, problem: &Problem) -> bool {
    match problem.leads {
        Leads::Text(place) => {
            state.focus = Pane::System;
            state.editor.go_to(place);
            state.reveal(place);
        }
        Leads::Time(t) => travel(state, |head, motion| head.go(motion, t)),
        Leads::Nowhere => return false,
    }
    true
}
