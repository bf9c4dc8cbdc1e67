//! The second line: does the theorem hold now, and when does it fail next?

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use super::sentence::{GAP, Part, Sentence, Weight, at_length};
use crate::analysis::{Analysis, PointAnalysis, SingularEntry, Underway};
use crate::expr::Style as Written;
use crate::report::{failure_gist, joined, refusal_sentence, zero};
use crate::solver::{Flag, FlagKind};
use crate::system::Diagnostic;
use crate::theorem::{FailureKind, Turn};
use crate::workbench::action::{Action, TABLE};
use crate::workbench::state::State;
use crate::workbench::text::{columns, short};
use crate::workbench::theme::Theme;

/// Draws the line.
pub fn draw(state: &State, area: Rect, buffer: &mut Buffer) {
    let sentence = sentence(state);
    let sign = format!(" {} ", sentence.sign);
    let room = usize::from(area.width).saturating_sub(columns(&sign));
    let (now, next) = sentence.fit(state.theme, room);
    let mut spans = vec![Span::styled(sign, sentence.style), Span::raw(now)];
    if !next.is_empty() {
        spans.push(Span::raw(" ".repeat(GAP)));
        spans.push(Span::styled(next, sentence.mark));
    }
    Line::from(spans).render(area, buffer);
}

/// The theorem holds.
fn holds(theme: Theme, now: Vec<Part>, next: Vec<Part>) -> Sentence {
    let sign = if theme.ascii() { "HOLDS" } else { "✓ HOLDS" };
    Sentence::new(sign, theme.holds(), now, next)
}

/// It does not, or something is wrong: a word, and a cross where the terminal has one.
fn fails(theme: Theme, word: &str, now: Vec<Part>, next: Vec<Part>) -> Sentence {
    let mark = if theme.ascii() { "" } else { "✗ " };
    Sentence::new(format!("{mark}{word}"), theme.fails(), now, next)
}

/// There is nothing to say it of.
fn silent(theme: Theme, sign: &str, now: Vec<Part>, next: Vec<Part>) -> Sentence {
    Sentence::new(sign, theme.dim(), now, next)
}

/// What is wrong with the text.
fn broken(state: &State, error: &Diagnostic) -> Sentence {
    let place = match error.line {
        0 => String::new(),
        line => format!("line {line}, column {}: ", error.column),
    };
    let now = vec![Part::must(place), Part::must(error.message.as_str())];
    let next = state
        .analysis
        .iter()
        .map(|_| Part::may(Weight::Aside, "(below: the last good result)"));
    fails(state.theme, "ERROR", now, next.collect())
}

fn sentence(state: &State) -> Sentence {
    let theme = state.theme;
    if state.begins() && state.is_blank() {
        let now = vec![Part::must("the text is empty: A puts a template there")];
        return silent(theme, "", now, Vec::new());
    }
    if let Some(error) = state.diagnostics.first() {
        return broken(state, error);
    }
    let Some(analysis) = &state.analysis else {
        let sign = if theme.ascii() { "..." } else { "…" };
        let now = vec![Part::must("deriving the equations")];
        return silent(theme, sign, now, Vec::new());
    };
    if analysis.constraints().is_empty() {
        let now = vec![
            Part::must(format!("as there are {}", no_constraints(analysis))),
            Part::may(Weight::Aside, ": all coordinates are independent"),
        ];
        return holds(theme, now, upcoming(state, analysis));
    }
    if let Some(look) = state.look.as_ref().filter(|_| state.map.probe.is_some()) {
        return probed(state, analysis, look);
    }
    if let Some(at) = state.playhead.flag(&analysis.motion) {
        let flag = &analysis.motion.flags[at];
        let word = if analysis.model().is_of_velocities(flag) {
            "RANK"
        } else {
            "FAILS"
        };
        let now = failure(analysis, flag, state.look.as_ref());
        return fails(theme, word, now, carries_on(analysis, flag, ""));
    }
    if let Some(parts) = let_go(state, analysis) {
        return silent(theme, "-", parts, upcoming(state, analysis));
    }
    let Some(look) = &state.look else {
        return unmoved(theme, analysis);
    };
    let whom = of(analysis, &analysis.dependent);
    if !look.verdict.holds() {
        let now = vec![whom, reason(analysis, look, Weight::Reason)];
        return fails(theme, "FAILS", now, instead(analysis, look));
    }
    if let Some(at) = state.playhead.passed(&analysis.motion) {
        let now = vec![whom, Part::must(" again")];
        let next = past(analysis, &analysis.motion.flags[at]);
        return Sentence {
            mark: theme.strong(),
            ..holds(theme, now, next)
        };
    }
    let near = format!(" near {}", point(&zero::of_unit_size(&state.position)));
    let now = vec![whom, Part::may(Weight::Aside, near)];
    holds(theme, now, upcoming(state, analysis))
}

/// What is said where no constraint binds positions, as those of velocities may.
pub(super) fn no_constraints(analysis: &Analysis) -> &'static str {
    match analysis.motion.samples.first() {
        Some(sample) if !sample.lambda.is_empty() => "no constraints on positions",
        _ => "no constraints",
    }
}

/// `track let go at t 0.7042: no constraint acts`
pub(super) fn let_go(state: &State, analysis: &Analysis) -> Option<Vec<Part>> {
    let past: Vec<_> = state.released().collect();
    let last = past.last()?;
    let model = analysis.model();
    let name = |b: usize| model.constraints_named(&[b]).concat();
    let acting =
        (0..analysis.constraints().len()).filter(|b| past.iter().all(|r| r.constraint != *b));
    let acting: Vec<String> = acting.map(name).collect();
    let rest = match acting.as_slice() {
        [] => ": no constraint acts".to_owned(),
        [one] => format!(": {one} alone acts"),
        several => format!(": {} constraints act", several.len()),
    };
    let names = joined(
        past.iter()
            .filter(|r| r.t == last.t)
            .map(|r| name(r.constraint)),
    );
    Some(vec![
        Part::must(format!("{names} let go at t {:.4}", last.t)),
        Part::may(Weight::Reason, rest),
    ])
}

/// There is no motion: why, and what there is instead.
fn unmoved(theme: Theme, analysis: &Analysis) -> Sentence {
    // its sign is not that of work going on
    if analysis.model().system.objective {
        let now = vec![Part::must("an `objective` has no motion")];
        let key = TABLE
            .iter()
            .find(|binding| binding.action == Action::Equilibria)
            .and_then(|binding| binding.keys.first());
        let next = key.map(|key| {
            let text = format!("{} finds its extremal points", key.name());
            Part::may(Weight::Onward, text)
        });
        return silent(theme, "-", now, next.into_iter().collect());
    }
    let now = match &analysis.motion.because {
        Some(why) => Part::forms(Weight::Needed, [refusal_sentence(why), why.to_string()]),
        None => Part::must("no motion"),
    };
    silent(theme, "-", vec![now], Vec::new())
}

/// What the theorem says where the probe is.
fn probed(state: &State, analysis: &Analysis, look: &PointAnalysis) -> Sentence {
    let theme = state.theme;
    let whom = of(analysis, &analysis.dependent);
    let at = point(&zero::of_unit_size(&state.position));
    if look.verdict.holds() {
        let now = vec![
            whom,
            Part::must(" at the probe"),
            Part::may(Weight::Aside, format!(", near {at}")),
        ];
        let back = Part::may(Weight::Onward, "Esc: back to the motion");
        return Sentence {
            mark: theme.dim(),
            ..holds(theme, now, vec![back])
        };
    }
    let now = vec![
        whom,
        Part::must(" at the probe"),
        Part::may(Weight::Reason, format!(" {at}")),
        Part::may(Weight::Detail, turned(look.turn())),
        reason(analysis, look, Weight::Aside),
    ];
    fails(theme, "FAILS", now, instead(analysis, look))
}

/// `: det J[x1] is 0 there, ...`, or in a few words. That the determinant is zero is no more than the failure
/// itself; that no choice works, or that the theorem cannot be asked, always has to be said.
fn reason(analysis: &Analysis, look: &PointAnalysis, of_a_chart: Weight) -> Part {
    let (brief, weight) = match look.kind() {
        Some(FailureKind::Rank) => (": the gradients are dependent", Weight::Reason),
        Some(FailureKind::Smoothness) => (": a constraint is not smooth there", Weight::Reason),
        Some(FailureKind::Chart) | None => (": det = 0", of_a_chart),
    };
    let why = look.verdict.failure.as_ref();
    let why = why.map(|f| failure_gist(analysis.model(), &analysis.dependent, f, Written::Pretty));
    let mut forms: Vec<String> = why.map(|why| format!(": {why}.")).into_iter().collect();
    forms.push(brief.to_owned());
    if weight == Weight::Aside {
        forms.push(String::new());
    }
    Part::forms(weight, forms)
}

/// How the branches meet.
fn turned(turn: Option<Turn>) -> &'static str {
    match turn {
        Some(Turn::Fold) => ", a fold",
        Some(Turn::InfiniteSlope) => ", infinite slope",
        None => "",
    }
}

fn instead(analysis: &Analysis, look: &PointAnalysis) -> Vec<Part> {
    let choice = look.alternatives.first();
    let said = choice.map(|choice| format!("{} instead", names(analysis, choice)));
    let part = said.map(|said| {
        let brief = "another choice works".to_owned();
        Part::forms(Weight::Onward, [said, brief, String::new()])
    });
    part.into_iter().collect()
}

/// Why the motion did not come to its end.
pub fn because(analysis: &Analysis) -> Option<String> {
    analysis.motion.because.as_ref().map(refusal_sentence)
}

/// Why there is no motion to its end, where there is one to be had.
pub fn stopped(analysis: &Analysis) -> Option<String> {
    because(analysis).filter(|_| !analysis.model().system.objective)
}

/// `x1, x2`
pub fn names(analysis: &Analysis, choice: &[usize]) -> String {
    let names = choice.iter().filter_map(|&k| analysis.shown.get(k));
    joined(names)
}

/// `for x1, x2`, or how many where there is no room for the names.
fn of(analysis: &Analysis, choice: &[usize]) -> Part {
    let mut forms = vec![format!("for {}", names(analysis, choice))];
    if choice.len() > 1 {
        forms.push(format!("for {} coordinates", choice.len()));
    }
    Part::forms(Weight::Names, forms)
}

/// `(0.700, 0.490)`, of many coordinates only the first.
pub fn point(x: &[f64]) -> String {
    const SHOWN: usize = 4;
    let numbers = x.iter().take(SHOWN).map(|&value| short(value));
    let more = (x.len() > SHOWN).then(|| "…".to_owned());
    format!("({})", joined(numbers.chain(more)))
}

/// Said of a loss of rank that is none of the gradients.
const PARALLEL: [&str; 2] = [
    "the rows of the velocity constraints are dependent",
    ": their multipliers are not determined",
];

/// `for x1 at t 0.5949: x1 = 0, det = 0, a fold`
fn failure(analysis: &Analysis, flag: &Flag, look: Option<&PointAnalysis>) -> Vec<Part> {
    let at = format!("at t {:.4}: ", flag.t);
    if analysis.model().is_of_velocities(flag) {
        let [what, so] = PARALLEL;
        return vec![
            Part::must(at),
            Part::must(what),
            Part::may(Weight::Aside, so),
        ];
    }
    let whom = match flag.kind {
        FlagKind::Rank => Part::must("for every choice"),
        FlagKind::Chart => of(analysis, &analysis.dependent),
    };
    let mut parts = vec![whom, Part::must(format!(" {at}"))];
    parts.extend(what(analysis, flag));
    let turn = turned(look.and_then(PointAnalysis::turn));
    parts.push(Part::may(Weight::Detail, turn));
    parts
}

/// `x1 = 0, det = 0`
fn what(analysis: &Analysis, flag: &Flag) -> Vec<Part> {
    match (flag.kind, where_it_fails(analysis, flag)) {
        (FlagKind::Chart, Some(equation)) => vec![
            Part::forms(Weight::Reason, [format!("{equation}, "), String::new()]),
            Part::must("det = 0"),
        ],
        (FlagKind::Chart, None) => vec![Part::must("det = 0")],
        (FlagKind::Rank, _) => vec![Part::must("the constraints' gradients are dependent")],
    }
}

/// `the theorem fails for x1: x1 = 0, det = 0; x2 carries on`
pub fn flagged(analysis: &Analysis, flag: &Flag) -> String {
    if analysis.model().is_of_velocities(flag) {
        return PARALLEL.concat();
    }
    let whom = match flag.kind {
        FlagKind::Rank => "every choice".to_owned(),
        FlagKind::Chart => names(analysis, &analysis.dependent),
    };
    let what = at_length(&what(analysis, flag));
    let on = at_length(&carries_on(analysis, flag, "; "));
    format!("the theorem fails for {whom}: {what}{on}")
}

/// `x1 = 0`
pub(super) fn equation(analysis: &Analysis, singular: &SingularEntry) -> String {
    format!("{} = 0", factor(analysis, singular))
}

/// `x1`: what is zero where it fails.
pub(super) fn factor(analysis: &Analysis, singular: &SingularEntry) -> String {
    let pool = &analysis.model().system.pool;
    let zero = singular.factor.unwrap_or_else(|| pool.zero());
    pool.print_as(zero, Written::Pretty)
}

/// The factors of the determinant that are zero at the flag.
pub(super) fn where_it_fails(analysis: &Analysis, flag: &Flag) -> Option<String> {
    let vanishes = |s: &&SingularEntry| {
        let factor = analysis.factor(s);
        factor.is_some_and(|i| flag.factors.contains(&i))
    };
    let zero = analysis.singular.iter().filter(vanishes);
    Some(joined(zero.map(|s| equation(analysis, s)))).filter(|zero| !zero.is_empty())
}

/// ` (x1 = 0)`
fn bracketed(analysis: &Analysis, flag: &Flag) -> Option<Part> {
    let text = match (flag.kind, where_it_fails(analysis, flag)) {
        (FlagKind::Chart, equation) => format!(" ({})", equation?),
        (FlagKind::Rank, _) => " (dependent gradients)".to_owned(),
    };
    Some(Part::may(Weight::Detail, text))
}

/// `FAILED at t 0.5949 (x1 = 0); x2 carried on`
fn past(analysis: &Analysis, flag: &Flag) -> Vec<Part> {
    if analysis.model().is_of_velocities(flag) {
        return parallel(flag);
    }
    let mut parts = vec![head(format!("FAILED at t {:.4}", flag.t))];
    parts.extend(bracketed(analysis, flag));
    if let Some(to) = flag.to.as_ref().filter(|to| !to.is_empty()) {
        parts.push(onward(
            format!("; {} carried on", names(analysis, to)),
            "; another choice carried on",
        ));
    }
    parts
}

/// What comes next, or nothing of it.
fn head(text: impl Into<String>) -> Part {
    Part::may(Weight::Needed, text)
}

fn onward(text: String, brief: &str) -> Part {
    Part::forms(Weight::Onward, [text, brief.to_owned(), String::new()])
}

fn parallel(flag: &Flag) -> Vec<Part> {
    let text = format!("velocity constraints dependent at t {:.4}", flag.t);
    vec![head(text)]
}

/// `x2 carries on`
fn carries_on(analysis: &Analysis, flag: &Flag, joint: &str) -> Vec<Part> {
    let Some(to) = flag.to.as_ref().filter(|to| !to.is_empty()) else {
        return Vec::new();
    };
    let verb = if to.len() > 1 { "carry" } else { "carries" };
    vec![onward(
        format!("{joint}{} {verb} on", names(analysis, to)),
        &format!("{joint}another choice carries on"),
    )]
}

/// `fails at t 4.164 (x1 = 0); x2 carries on`, `wall lets go at t 0.8154`
fn upcoming(state: &State, analysis: &Analysis) -> Vec<Part> {
    let motion = &analysis.motion;
    let (t, way) = (state.playhead.t, motion.way());
    let flag = state.playhead.neighbour(motion, true);
    let flag = flag.map(|at| &motion.flags[at]);
    let mut releases = motion.releases.iter();
    let release = releases.find(|release| (release.t - t) * way > 0.0);
    let comes_first = |flag: &Flag| release.is_none_or(|r| (flag.t - r.t) * way <= 0.0);
    if let Some(flag) = flag.filter(|flag| comes_first(flag)) {
        if analysis.model().is_of_velocities(flag) {
            return parallel(flag);
        }
        let mut parts = vec![head(format!("fails at t {:.4}", flag.t))];
        parts.extend(bracketed(analysis, flag));
        parts.extend(carries_on(analysis, flag, "; "));
        return parts;
    }
    if let Some(release) = release {
        let name = analysis.model().constraints_named(&[release.constraint]);
        return vec![head(format!(
            "{} is released at t {:.4}",
            name.concat(),
            release.t
        ))];
    }
    match (because(analysis), motion.finished) {
        (Some(because), false) => {
            let end = motion.ends().map_or(t, |(_, end)| end);
            let forms = [
                format!(": {because}"),
                format!(" at t {end:.4}"),
                String::new(),
            ];
            vec![head("the motion stops"), Part::forms(Weight::Reason, forms)]
        }
        _ if matches!(analysis.underway, Some(Underway::Motion(_))) => {
            vec![head("as far as it is integrated")]
        }
        // nothing can end what holds of itself
        _ if analysis.constraints().is_empty() => Vec::new(),
        _ if motion.flags.is_empty() => vec![head("to the end of the motion")],
        _ => vec![head("from here to the end")],
    }
}
