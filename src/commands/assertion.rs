//! `--assert CLAIM`: exit code 0 only where it is proven (of a motion: held by numbers), for checks that a laboratory repeats.

use super::{CommandError, complain, interrupt};
use crate::analysis::{AtlasAnswer, ColumnReduction, MapAnswer, Model, Part, Request, extremes};
use crate::statics::{Equilibria, Equilibrium};
use crate::system::quote;
use crate::theorem::Mark;
use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};

/// The exit code where something is not proven, or not held.
const NOT_PROVEN: u8 = 1;
/// Places that differ by this part are one.
const SAME: f64 = 1e-9;
/// A motion is computed again with tolerances this much smaller; what changes, times this, is what a bound leaves room for.
const FINER: f64 = 0.01;
const ROOM: f64 = 10.0;
/// And such a part of the range of the values: an extremum at a kink, such as that of `abs(x)`, is known to no more.
const KINK: f64 = 1e-6;

/// What is to hold.
#[derive(Args, Clone, Debug, Default)]
pub struct AssertArgs {
    /// A claim that has to hold, otherwise the exit code is 1 (the claims are listed below)
    #[arg(long = "assert", value_name = "CLAIM", allow_hyphen_values = true)]
    pub claims: Vec<String>,
}

/// What claims can be made about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    /// An atlas.
    Atlas,
    /// A map.
    Map,
    /// The equilibria in a box.
    Equilibria,
    /// A motion.
    Motion,
}

impl Subject {
    /// Its claims, as they are written.
    fn claims(self) -> &'static str {
        match self {
            Self::Atlas => "`covers`, `never singular` or `holds for NAME over LOW:HIGH`",
            Self::Map => "`never singular`",
            Self::Equilibria => "`count = N`, `count = N stable` or `count = N unstable`",
            Self::Motion => "`max(EXPR) < VALUE` or `min(EXPR) > VALUE`",
        }
    }
}

/// A claim.
enum Claim {
    /// The pieces hold every configuration.
    Covers,
    /// det J_D is not zero at any configuration.
    NeverSingular,
    /// The coordinate takes all values of a range, and the others are functions of it.
    Holds(usize, (f64, f64)),
    /// So many equilibria, of this stability where it is said.
    Count(usize, Option<String>),
    /// The largest value of an expression is below a bound, or the least above one.
    Extreme {
        text: String,
        largest: bool,
        bound: f64,
    },
}

impl Claim {
    /// Can it be made about this?
    fn is_about(&self, subject: Subject) -> bool {
        match self {
            Self::Covers | Self::Holds(..) => subject == Subject::Atlas,
            Self::NeverSingular => matches!(subject, Subject::Atlas | Subject::Map),
            Self::Count(..) => subject == Subject::Equilibria,
            Self::Extreme { .. } => subject == Subject::Motion,
        }
    }

    /// In which sense it holds where it does, and is not shown to where it does not.
    fn verdicts(&self) -> [&'static str; 2] {
        match self {
            Self::Extreme { .. } => ["held", "not held"],
            _ => ["proven", "not proven"],
        }
    }

    /// What it lacks in an answer.
    fn missing(&self, answer: &Answer<'_>) -> Result<Missing, CommandError> {
        Ok(match (self, answer) {
            (Self::Covers | Self::NeverSingular, Answer::Atlas(_, atlas)) => uncovered(atlas),
            (Self::Holds(k, range), Answer::Atlas(model, atlas)) => {
                held(model, &atlas.part, (*k, *range))
            }
            (Self::NeverSingular, Answer::Map(map)) => singular(map),
            (Self::Count(count, stability), Answer::Equilibria(found)) => {
                counted(found, *count, stability.as_deref())
            }
            (
                Self::Extreme {
                    text,
                    largest,
                    bound,
                },
                Answer::Motion(model, request),
            ) => bounded(model, request, (text, *largest), *bound)?,
            // of another subject: refused where it is read
            _ => Some("this command has no such claim".to_owned()),
        })
    }
}

/// What claims are judged by.
#[derive(Clone, Copy)]
pub enum Answer<'a> {
    /// An atlas.
    Atlas(&'a Model, &'a AtlasAnswer),
    /// A map.
    Map(&'a MapAnswer),
    /// Equilibria.
    Equilibria(&'a Equilibria),
    /// A motion that is asked for.
    Motion(&'a Model, &'a Request),
}

/// What a claim lacks; `None` where it holds.
type Missing = Option<String>;

/// Claims that were read, each with its text.
pub struct Claims(Vec<(String, Claim)>);

impl AssertArgs {
    /// Reads the claims, before anything is computed.
    pub fn read(&self, model: &Model, subject: Subject) -> Result<Claims, CommandError> {
        let read = |text: &String| {
            let claim = claim(model, subject, text)?;
            Ok((quote(text.trim()), claim))
        };
        self.claims
            .iter()
            .map(read)
            .collect::<Result<_, _>>()
            .map(Claims)
    }
}

/// Claims that were judged.
pub struct Judged(Vec<Assertion>);

/// A claim that was judged.
#[derive(Serialize)]
struct Assertion {
    claim: String,
    holds: bool,
    /// In which sense it does or does not.
    verdict: &'static str,
    /// What it lacks.
    missing: Option<String>,
}

impl Judged {
    /// An answer in JSON with what came of the claims, where there are any.
    pub fn beside(&self, mut answer: Value) -> Value {
        if !self.0.is_empty() {
            answer["assertions"] = json!(self.0);
        }
        answer
    }

    /// Says of each claim whether it holds; the exit code, `done` where all do.
    pub fn tell(&self, done: u8) -> u8 {
        for Assertion {
            claim,
            verdict,
            missing,
            ..
        } in &self.0
        {
            match missing {
                None if *verdict == "held" => complain(&format!(
                    "held (computed, and again with finer steps; an estimate, not certified): {claim}"
                )),
                None => complain(&format!("{verdict}: {claim}")),
                Some(missing) => complain(&format!("{verdict}: {claim}: {missing}")),
            }
        }
        if self.0.iter().all(|own| own.holds) {
            done
        } else {
            done.max(NOT_PROVEN)
        }
    }
}

impl Claims {
    /// What comes of each in an answer.
    pub fn judged(&self, answer: Answer<'_>) -> Result<Judged, CommandError> {
        let judged = self.0.iter().map(|(text, claim)| {
            let missing = claim.missing(&answer)?;
            let [holds, fails] = claim.verdicts();
            Ok(Assertion {
                claim: text.clone(),
                holds: missing.is_none(),
                verdict: if missing.is_none() { holds } else { fails },
                missing,
            })
        });
        judged.collect::<Result<_, _>>().map(Judged)
    }
}

fn fail(why: String) -> CommandError {
    CommandError::option("--assert", why)
}

/// Reads a claim about this subject.
fn claim(model: &Model, subject: Subject, text: &str) -> Result<Claim, CommandError> {
    let unknown = || {
        fail(format!(
            "`{}` is not a claim that this command knows: {}",
            quote(text),
            subject.claims()
        ))
    };
    let claim = written(model, text, &unknown)?;
    if !claim.is_about(subject) {
        return Err(unknown());
    }
    if let Claim::Extreme { text, .. } = &claim {
        let value = model.output(text);
        value.map_err(CommandError::of("--assert"))?;
    }
    Ok(claim)
}

/// A claim as it is written.
fn written(
    model: &Model,
    text: &str,
    unknown: &dyn Fn() -> CommandError,
) -> Result<Claim, CommandError> {
    let system = &model.system;
    let words: Vec<&str> = text.split_whitespace().collect();
    let number = |text: &str| super::input::value(system, "--assert", text);
    match words.as_slice() {
        ["covers"] => return Ok(Claim::Covers),
        ["never", "singular"] => return Ok(Claim::NeverSingular),
        ["holds", "for", name, "over", range @ ..] => {
            let (low, high) = range.concat().split_once(':').map_or_else(
                || Err(unknown()),
                |(low, high)| Ok((number(low)?, number(high)?)),
            )?;
            let mut names = system.coordinates.iter().map(|c| c.name.as_str());
            let place = names.position(|own| own == *name).ok_or_else(|| {
                let all = system.coordinates.iter().map(|c| c.name.as_str());
                CommandError::unknown("--assert", "not a coordinate", name, all)
            })?;
            return if low < high {
                Ok(Claim::Holds(place, (low, high)))
            } else {
                Err(fail(format!("the range {low}:{high} is empty")))
            };
        }
        _ => {}
    }
    if let Some(rest) = text.trim().strip_prefix("count") {
        let rest = rest.trim().strip_prefix('=').ok_or_else(unknown)?.trim();
        let (count, stability) = rest.split_once(' ').unwrap_or((rest, ""));
        let stability = Some(stability.trim()).filter(|s| !s.is_empty());
        if stability.is_some_and(|s| !["stable", "unstable"].contains(&s)) {
            return Err(unknown());
        }
        let count = count.parse().map_err(|_| unknown())?;
        return Ok(Claim::Count(count, stability.map(str::to_owned)));
    }
    for (name, sign, largest) in [("max(", '<', true), ("min(", '>', false)] {
        let Some(rest) = text.trim().strip_prefix(name) else {
            continue;
        };
        let (inner, bound) = rest.rsplit_once(sign).ok_or_else(unknown)?;
        // what is nearer than can be told is not held either way
        let bound = bound.strip_prefix('=').unwrap_or(bound);
        let text = inner.trim().strip_suffix(')').ok_or_else(unknown)?;
        return Ok(Claim::Extreme {
            text: text.to_owned(),
            largest,
            bound: number(bound.trim())?,
        });
    }
    Err(unknown())
}

fn uncovered(atlas: &AtlasAnswer) -> Missing {
    match (atlas.complete, atlas.left.len()) {
        (true, 0) => None,
        (_, left) => Some(format!("{left} boxes are left that no piece covers")),
    }
}

fn singular(map: &MapAnswer) -> Missing {
    if !map.paving.complete {
        return Some("the work limit was reached".to_owned());
    }
    let none = map.singular.as_ref().filter(|found| found.has_all());
    let undecided = map.paving.tiles.iter();
    let undecided = undecided
        .filter(|tile| !matches!(tile.mark, Mark::Regular(_)))
        .count();
    match none.map(|found| found.proven.len()) {
        Some(0) => None,
        Some(points) => Some(format!("det J_D = 0 at {points} points")),
        None if undecided == 0 => None,
        None => Some(format!("{undecided} boxes are not proven to be regular")),
    }
}

/// With all others dependent: F is one-to-one everywhere in the range, and on each branch all of the range is run through.
fn held(model: &Model, part: &Part, (k, range): (usize, (f64, f64))) -> Missing {
    let n = model.coordinate_names().len();
    if n != model.system.constraints.len() + 1 {
        return Some("this is decided of sets of one dimension only".to_owned());
    }
    let mut part = part.clone();
    part.region[k] = range;
    let others: Vec<usize> = (0..n).filter(|j| *j != k).collect();
    if let Some(missing) = uncovered(&model.atlas(part.clone(), Some(&others))) {
        return Some(missing);
    }
    let answer = model.branches(part, k)?;
    let branches = &answer.branches;
    if !branches.complete() || !branches.junctions().is_empty() {
        return Some("the branches could not be told apart".to_owned());
    }
    let whole = (0..branches.list().len())
        .filter(|b| answer.is_whole(*b))
        .count();
    match branches.list().len() {
        0 => Some("there is no configuration".to_owned()),
        all if all == whole => None,
        all => Some(format!(
            "{} of {all} branches do not run over all of it",
            all - whole
        )),
    }
}

/// Of what stays: where constraints move that is at rest in a frame that goes with them.
fn counted(found: &Equilibria, count: usize, stability: Option<&str>) -> Missing {
    let moves = found.list.iter().any(|e| e.verdict.frozen) || !found.relative.is_empty();
    // without a frame what rests while the constraints move may be anywhere
    let others = found.frame.as_ref().map_or(!moves, |frame| frame.complete);
    if !(found.complete() && others) {
        return Some("it is not proven that there are no others".to_owned());
    }
    let same = |(a, b): (&f64, &f64)| (a - b).abs() <= SAME * a.abs().max(1.0);
    let is_told = |e: &&Equilibrium| {
        let mut others = found.relative.iter();
        others.any(|other| other.x.iter().zip(&e.x).all(same))
    };
    let own = found.list.iter().filter(|e| !e.verdict.frozen);
    let own = own.filter(|e| !is_told(e));
    let staying: Vec<&Equilibrium> = own.chain(&found.relative).collect();
    let is = |name: &str| {
        let own = staying.iter();
        own.filter(|e| e.verdict.stability.name() == name).count()
    };
    let undecided = is("degenerate");
    let one = staying.iter().filter(|e| e.is_judged_alone()).count();
    match stability.map_or(staying.len(), is) {
        _ if stability.is_some() && one > 0 => {
            Some("it is not proven that all members of a family have the same stability".to_owned())
        }
        number if number != count => Some(format!("there are {number}")),
        _ if stability.is_some() && undecided > 0 => {
            Some(format!("the stability of {undecided} is not decided"))
        }
        _ => None,
    }
}

/// By the extremum between samples, some in each step, and again with smaller tolerances.
fn bounded(
    model: &Model,
    request: &Request,
    (text, largest): (&str, bool),
    bound: f64,
) -> Result<Missing, CommandError> {
    let go = interrupt::unfinished();
    let e = model.output(text)?;
    let (name, sign) = if largest { ("max", 1.0) } else { ("min", -1.0) };
    let extremum = ColumnReduction::read(model, &format!("{name}({text})"))?;
    let run = &model.system.run;
    let finer = Request {
        rtol: Some(FINER * request.rtol.unwrap_or(run.rtol)),
        atol: Some(FINER * request.atol.unwrap_or(run.atol)),
        ..request.clone()
    };
    let mut most = [0.0; 2];
    let mut range = 0.0_f64;
    for (most, request) in most.iter_mut().zip([request, &finer]) {
        let motion = model.simulate_closely(request, go)?;
        if !motion.finished {
            return Ok(Some("the motion was not finished".to_owned()));
        }
        let values = model.evaluate(&motion.samples, &[e]).concat();
        if values.is_empty() || values.iter().any(|v| !v.is_finite()) {
            return Ok(Some("it is not defined all along the motion".to_owned()));
        }
        let (low, high) = extremes(values.iter().copied());
        range = range.max(high - low);
        *most = sign * extremum.of(model, &motion, request);
    }
    let [first, second] = most;
    let room = ROOM * (first - second).abs() + KINK * range;
    let bound = sign * bound;
    let computed = sign * first;
    Ok(if first.max(second) + room < bound {
        None
    } else if first.min(second) - room < bound {
        Some(format!(
            "computed as {computed}, too near to the bound to tell (within {room:.1e})"
        ))
    } else {
        Some(format!("it is {computed}"))
    })
}
