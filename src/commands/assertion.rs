//! `--assert CLAIM`: exit code 0 only where it is proven, for checks that a laboratory repeats.

use super::{CommandError, complain, interrupt};
use crate::analysis::{AtlasAnswer, ColumnReduction, MapAnswer, Model, Part, Request, extremes};
use crate::statics::{Equilibria, Equilibrium};
use crate::system::{System, nearest, quote};
use crate::theorem::Mark;
use clap::Args;

/// The exit code where something is not proven.
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
    /// What has to be proven, else the exit code is 1: see docs/commands.md
    #[arg(long = "assert", value_name = "CLAIM", allow_hyphen_values = true)]
    pub claims: Vec<String>,
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

/// What a claim lacks; `None` where it is proven.
type Missing = Option<String>;

impl AssertArgs {
    /// Says of each claim what it is; the exit code, `done` where all are proven.
    fn judged(
        &self,
        model: &Model,
        done: u8,
        mut judge: impl FnMut(&Claim) -> Option<Result<Missing, CommandError>>,
    ) -> Result<u8, CommandError> {
        let mut code = done;
        let read = self.claims.iter().map(|text| claim(&model.system, text));
        let read: Vec<Claim> = read.collect::<Result<_, _>>()?;
        for (text, claim) in self.claims.iter().zip(read) {
            let text = quote(text.trim());
            let judged = judge(&claim)
                .ok_or_else(|| fail(format!("`{text}` is not a question of this command")))?;
            match judged? {
                None => complain(&format!("{}: {text}", how(&claim))),
                Some(missing) => {
                    complain(&format!("not proven: {text}: {missing}"));
                    code = code.max(NOT_PROVEN);
                }
            }
        }
        Ok(code)
    }

    /// Of an atlas.
    pub fn of_atlas(
        &self,
        model: &Model,
        atlas: &AtlasAnswer,
        done: u8,
    ) -> Result<u8, CommandError> {
        self.judged(model, done, |claim| match claim {
            Claim::Covers | Claim::NeverSingular => Some(Ok(uncovered(atlas))),
            Claim::Holds(k, range) => Some(Ok(held(model, &atlas.part, (*k, *range)))),
            Claim::Count(..) | Claim::Extreme { .. } => None,
        })
    }

    /// Of a map.
    pub fn of_map(&self, model: &Model, map: &MapAnswer, done: u8) -> Result<u8, CommandError> {
        self.judged(model, done, |claim| match claim {
            Claim::NeverSingular => Some(Ok(singular(map))),
            _ => None,
        })
    }

    /// Of equilibria.
    pub fn of_equilibria(&self, model: &Model, found: &Equilibria) -> Result<u8, CommandError> {
        self.judged(model, 0, |claim| match claim {
            Claim::Count(count, stability) => {
                Some(Ok(counted(found, *count, stability.as_deref())))
            }
            _ => None,
        })
    }

    /// Of a motion.
    pub fn of_motion(
        &self,
        model: &Model,
        request: &Request,
        done: u8,
    ) -> Result<u8, CommandError> {
        self.judged(model, done, |claim| match claim {
            Claim::Extreme {
                text,
                largest,
                bound,
            } => Some(bounded(model, request, (text, *largest), *bound)),
            _ => None,
        })
    }
}

fn fail(why: String) -> CommandError {
    CommandError::option("--assert", why)
}

/// In which sense it holds.
fn how(claim: &Claim) -> &'static str {
    match claim {
        Claim::Extreme { .. } => {
            "held (computed, and again with finer steps; an estimate, not certified)"
        }
        _ => "proven",
    }
}

/// Reads a claim.
fn claim(system: &System, text: &str) -> Result<Claim, CommandError> {
    const KNOWN: &str = "`covers`, `never singular`, `holds for NAME over LOW:HIGH`, `count = N [stable|unstable]`, `max(EXPR) < VALUE` or `min(EXPR) > VALUE`";
    let words: Vec<&str> = text.split_whitespace().collect();
    let unknown = || fail(format!("`{}` is none of {KNOWN}", quote(text)));
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
                let hint =
                    nearest(name, all).map_or(String::new(), |n| format!("; did you mean `{n}`?"));
                fail(format!("`{}` is no coordinate{hint}", quote(name)))
            })?;
            return if low < high {
                Ok(Claim::Holds(place, (low, high)))
            } else {
                Err(unknown())
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
        return Some("the effort did not suffice".to_owned());
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
    match stability.map_or(staying.len(), is) {
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
    let reached = first.max(second) + ROOM * (first - second).abs() + KINK * range;
    let is_below = reached < sign * bound;
    Ok((!is_below).then(|| format!("it is {}", sign * first)))
}
