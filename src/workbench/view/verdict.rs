//! The second line: does the theorem hold now, and when does it fail next?

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use super::words;
use crate::analysis::{Analysis, Look, Turn};
use crate::solver::{Flag, FlagKind};
use crate::system::Diagnostic;
use crate::workbench::state::State;
use crate::workbench::text::{columns, cut, short};

/// What the line says: a sign, the sentence, what comes next.
struct Sentence {
    sign: String,
    style: Style,
    now: String,
    /// The sentence where there is no room for all of it and what comes next.
    brief: Option<String>,
    next: String,
    /// How what comes next is drawn.
    mark: Style,
}

/// Draws the line.
pub fn draw(state: &State, area: Rect, buffer: &mut Buffer) {
    let width = usize::from(area.width);
    let sentence = sentence(state);
    let say = |text: &str| words(state.theme, text);
    let sign = format!(" {} ", sentence.sign);
    let room = width.saturating_sub(columns(&sign));
    let next = say(&sentence.next);
    let mut now = say(&sentence.now);
    if let Some(brief) = &sentence.brief
        && columns(&now) + 3 + columns(&next) > room
    {
        now = say(brief);
    }
    let now = cut(&now, room);
    let left = room - columns(&now);
    let mut spans = vec![Span::styled(sign, sentence.style), Span::raw(now)];
    // a word or two of it would only puzzle
    if left > 8 && !next.is_empty() {
        spans.push(Span::raw("   "));
        spans.push(Span::styled(cut(&next, left - 3), sentence.mark));
    }
    Line::from(spans).render(area, buffer);
}

/// What is wrong with the text.
fn broken(state: &State, error: &Diagnostic) -> Sentence {
    let place = match error.line {
        0 => String::new(),
        line => format!("line {line}, column {}: ", error.column),
    };
    Sentence {
        sign: if state.theme.ascii() {
            "ERROR"
        } else {
            "✗ ERROR"
        }
        .to_owned(),
        style: state.theme.fails(),
        brief: None,
        now: format!("{place}{}", error.message),
        next: if state.analysis.is_some() {
            "(below: the last good result)"
        } else {
            ""
        }
        .to_owned(),
        mark: Style::new(),
    }
}

/// What failed at the time shown.
fn at_a_flag(state: &State, analysis: &Analysis, flag: &Flag) -> Sentence {
    let kind = if analysis.model().is_of_velocities(flag) {
        "RANK"
    } else {
        "FAILS"
    };
    Sentence {
        sign: if state.theme.ascii() {
            kind.to_owned()
        } else {
            format!("✗ {kind}")
        },
        style: state.theme.fails(),
        brief: None,
        now: failure(analysis, flag, state.look.as_ref()),
        next: carries_on(analysis, flag),
        mark: Style::new(),
    }
}

fn sentence(state: &State) -> Sentence {
    let theme = state.theme;
    let pick =
        |unicode: &str, ascii: &str| (if theme.ascii() { ascii } else { unicode }).to_owned();
    if let Some(error) = state.diagnostics.first() {
        return broken(state, error);
    }
    let Some(analysis) = &state.analysis else {
        return Sentence {
            sign: pick("…", "..."),
            style: theme.dim(),
            brief: None,
            now: "deriving the equations".to_owned(),
            next: String::new(),
            mark: Style::new(),
        };
    };
    if analysis.constraints.is_empty() {
        return Sentence {
            sign: pick("✓ HOLDS", "HOLDS"),
            style: theme.holds(),
            brief: None,
            now: if analysis
                .motion
                .samples
                .first()
                .is_none_or(|s| s.lambda.is_empty())
            {
                "no constraints: all coordinates are independent".to_owned()
            } else {
                "no constraints on positions: all coordinates are independent".to_owned()
            },
            next: upcoming(state, analysis),
            mark: Style::new(),
        };
    }
    if let Some(look) = state.look.as_ref().filter(|_| state.map.probe.is_some()) {
        return probed(state, analysis, look);
    }
    if let Some(at) = state.playhead.flag(&analysis.motion) {
        return at_a_flag(state, analysis, &analysis.motion.flags[at]);
    }
    let passed = state.playhead.passed(&analysis.motion);
    match &state.look {
        Some(look)
            if look.holds
                && let Some(at) = passed =>
        {
            Sentence {
                sign: pick("✓ HOLDS", "HOLDS"),
                style: theme.holds(),
                brief: None,
                now: format!("for {} again", names(analysis, &analysis.dependent)),
                next: past(analysis, &analysis.motion.flags[at]),
                mark: theme.strong(),
            }
        }
        Some(look) if look.holds => Sentence {
            sign: pick("✓ HOLDS", "HOLDS"),
            style: theme.holds(),
            brief: Some(format!("for {}", names(analysis, &analysis.dependent))),
            now: format!(
                "for {} near {}",
                names(analysis, &analysis.dependent),
                point(&state.position)
            ),
            next: upcoming(state, analysis),
            mark: Style::new(),
        },
        Some(look) => Sentence {
            sign: pick("✗ FAILS", "FAILS"),
            style: theme.fails(),
            brief: None,
            now: format!(
                "for {}: {}",
                names(analysis, &analysis.dependent),
                look.because
            ),
            next: instead(analysis, look),
            mark: Style::new(),
        },
        None => Sentence {
            // not that of work going on
            sign: "-".to_owned(),
            style: theme.dim(),
            brief: None,
            now: because(analysis).unwrap_or_else(|| "no motion".to_owned()),
            next: String::new(),
            mark: Style::new(),
        },
    }
}

/// What the theorem says where the probe is.
fn probed(state: &State, analysis: &Analysis, look: &Look) -> Sentence {
    let theme = state.theme;
    let ascii = theme.ascii();
    let whom = names(analysis, &analysis.dependent);
    let at = point(&state.position);
    if look.holds {
        return Sentence {
            sign: if ascii { "HOLDS" } else { "✓ HOLDS" }.to_owned(),
            style: theme.holds(),
            brief: Some(format!("for {whom} at the probe")),
            now: format!("for {whom} at the probe, near {at}"),
            next: "Esc: back to the motion".to_owned(),
            mark: theme.dim(),
        };
    }
    let turn = turned(look.turn);
    Sentence {
        sign: if ascii { "FAILS" } else { "✗ FAILS" }.to_owned(),
        style: theme.fails(),
        brief: Some(format!("for {whom} at the probe {at}{turn}")),
        now: format!("for {whom} at the probe {at}{turn}: {}", look.because),
        next: instead(analysis, look),
        mark: Style::new(),
    }
}

/// How the branches meet.
fn turned(turn: Option<Turn>) -> &'static str {
    match turn {
        Some(Turn::Fold) => ", a fold",
        Some(Turn::InfiniteSlope) => ", infinite slope",
        None => "",
    }
}

fn instead(analysis: &Analysis, look: &Look) -> String {
    match look.alternatives.first() {
        Some(choice) => format!("{} instead", names(analysis, choice)),
        None => String::new(),
    }
}

/// Why the motion did not come to its end.
pub fn because(analysis: &Analysis) -> Option<String> {
    analysis.motion.because.as_ref().map(ToString::to_string)
}

/// `x1, x2`
pub fn names(analysis: &Analysis, choice: &[usize]) -> String {
    let names = choice.iter().filter_map(|&k| analysis.shown.get(k));
    names.map(String::as_str).collect::<Vec<_>>().join(", ")
}

/// `(0.700, 0.490)`, of many coordinates only the first.
pub fn point(x: &[f64]) -> String {
    const SHOWN: usize = 4;
    let mut numbers: Vec<String> = x.iter().take(SHOWN).map(|&value| short(value)).collect();
    if x.len() > SHOWN {
        numbers.push("…".to_owned());
    }
    format!("({})", numbers.join(", "))
}

/// Said of a loss of rank that is none of the gradients.
const PARALLEL: &str =
    "the rows of the velocity constraints are dependent: their multipliers are not determined";

/// `for x1 at t 0.5949: x1 = 0, det = 0, a fold`
fn failure(analysis: &Analysis, flag: &Flag, look: Option<&Look>) -> String {
    if analysis.model().is_of_velocities(flag) {
        return format!("at t {:.4}: {PARALLEL}", flag.t);
    }
    let whom = match flag.kind {
        FlagKind::Rank => "for every choice".to_owned(),
        FlagKind::Chart => format!("for {}", names(analysis, &analysis.dependent)),
    };
    let what = match (flag.kind, where_it_fails(analysis, flag)) {
        (FlagKind::Chart, Some(equation)) => format!("{equation}, det = 0"),
        (FlagKind::Chart, None) => "det = 0".to_owned(),
        (FlagKind::Rank, _) => "the constraints' gradients are dependent".to_owned(),
    };
    let turn = turned(look.and_then(|look| look.turn));
    format!("{whom} at t {:.4}: {what}{turn}", flag.t)
}

/// `fails for x1: x1 = 0, det = 0; x2 carries on`
pub fn flagged(analysis: &Analysis, flag: &Flag) -> String {
    if analysis.model().is_of_velocities(flag) {
        return PARALLEL.to_owned();
    }
    let what = failure(analysis, flag, None);
    // the time stands beside it
    let what = what.replacen(&format!(" at t {:.4}", flag.t), "", 1);
    let on = carries_on(analysis, flag);
    let on = if on.is_empty() { on } else { format!("; {on}") };
    format!("the theorem fails {what}{on}")
}

/// The factors of the determinant that are zero at the flag.
fn where_it_fails(analysis: &Analysis, flag: &Flag) -> Option<String> {
    let zero: Vec<&str> = analysis
        .singular
        .iter()
        .filter(|line| line.factor.is_some_and(|i| flag.factors.contains(&i)))
        .map(|line| line.equation.as_str())
        .collect();
    (!zero.is_empty()).then(|| zero.join(", "))
}

/// `FAILED at t 0.5949 (x1 = 0); x2 carried on`
fn past(analysis: &Analysis, flag: &Flag) -> String {
    if analysis.model().is_of_velocities(flag) {
        return format!("velocity constraints dependent at t {:.4}", flag.t);
    }
    let what = match (flag.kind, where_it_fails(analysis, flag)) {
        (FlagKind::Chart, Some(equation)) => format!(" ({equation})"),
        (FlagKind::Chart, None) => String::new(),
        (FlagKind::Rank, _) => " (dependent gradients)".to_owned(),
    };
    let on = match flag.to.as_ref().filter(|to| !to.is_empty()) {
        Some(to) => format!("; {} carried on", names(analysis, to)),
        None => String::new(),
    };
    format!("FAILED at t {:.4}{what}{on}", flag.t)
}

fn carries_on(analysis: &Analysis, flag: &Flag) -> String {
    let Some(to) = flag.to.as_ref().filter(|to| !to.is_empty()) else {
        return String::new();
    };
    let plural = if to.len() > 1 { "carry" } else { "carries" };
    format!("{} {plural} on", names(analysis, to))
}

/// `fails at t 4.164 (x1 = 0); x2 carries on`
fn upcoming(state: &State, analysis: &Analysis) -> String {
    let motion = &analysis.motion;
    if let Some(at) = state.playhead.neighbour(motion, true) {
        let flag = &motion.flags[at];
        if analysis.model().is_of_velocities(flag) {
            return format!("velocity constraints dependent at t {:.4}", flag.t);
        }
        let equation = match where_it_fails(analysis, flag) {
            Some(equation) if flag.kind == FlagKind::Chart => format!(" ({equation})"),
            _ => String::new(),
        };
        let on = carries_on(analysis, flag);
        let on = if on.is_empty() { on } else { format!("; {on}") };
        return format!("fails at t {:.4}{equation}{on}", flag.t);
    }
    match (because(analysis), motion.finished) {
        (Some(because), false) => format!("the motion stops: {because}"),
        _ if motion.flags.is_empty() => "to the end of the motion".to_owned(),
        _ => "from here to the end".to_owned(),
    }
}
