//! The JSON object of `equilibria`.
//!
//! `multipliers` are d(-L)/dc, for an optimum d(objective)/dc: by how much the value there grows with the
//! level of a constraint. `eigenvalues` (pairs of real and imaginary part) are the exponents of the
//! linearised motion where it has gyroscopic, damping or circulatory terms. `linearisation` has a `basis`
//! of virtual displacements (one a row) and the matrices on it.

use super::json::{by_name, each, ends, expressions, matrix, object};
use super::redundancy::{Where, all_redundant};
use super::text::joined;
use super::title;
use crate::analysis::Model;
use crate::statics::{
    Assessment, Criterion, Equilibria, Equilibrium, Leading, Mode, Note, Reason, SecondVariation,
    Stability,
};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The interface's `equilibria` object.
pub fn equilibria_json(model: &Model, found: &Equilibria) -> Value {
    let names = model.coordinate_names();
    let periods = found.periods.iter();
    let periods = object(periods.map(|(k, period)| (&names[*k], period)));
    let mut told = json!({
        "system": title(model),
        "t": found.t,
        "equilibria": each(&found.list, |e| {
            let mut told = one(model, e);
            // where there are no others at all none are near
            let only = found.complete() && e.certified() && e.along.is_none();
            told["isolated"] = json!(only || e.stands_alone());
            told
        }),
        "complete": found.complete(),
        "box": by_name(names, &found.region),
        "periods": periods,
        "undecided": each(found.left.undecided(), |part| by_name(names, part)),
        "undefined": each(&found.undefined, |x| by_name(names, x)),
        "singular": each(&found.singular, |x| by_name(names, x)),
        "notes": each(&found.notes, |n| note_words(model, *n)),
        "note_reasons": each(&found.notes, Note::name),
    });
    if model.rheonomic() {
        told["relative"] = each(&found.relative, |e| one(model, e));
        if let Some(frame) = &found.frame {
            told["frame"] = expressions(model, names, &frame.rates);
            told["relative_complete"] = json!(frame.complete);
        }
    }
    told
}

/// A note in words.
pub fn note_words(model: &Model, note: Note) -> String {
    match note {
        Note::Held => {
            "constraints or forces depend on t, which is held fixed: what is stated about places at rest refers to that moment"
                .to_owned()
        }
        Note::OneSided(1) => {
            "one constraint is one-sided: only configurations in which it acts were examined".to_owned()
        }
        Note::OneSided(count) => format!(
            "{count} constraints are one-sided: only configurations in which all of them act were examined"
        ),
        Note::Steps => {
            "the potential or a constraint may have a step, or forces have no value at rest: places there are not looked for".to_owned()
        }
        Note::Friction => {
            "forces jump at rest, as dry friction does, and may hold the system elsewhere too: only places that need none of them are listed".to_owned()
        }
        Note::Least => {
            "one-sided constraints count where they keep the objective from being less: where they keep it from being larger was \
             not looked at"
                .to_owned()
        }
        Note::LowestOnly(count) => format!(
            "of the equilibria found, the {count} of least potential are listed"
        ),
        Note::Redundant => model.redundancy().map_or_else(String::new, |r| {
            let redundant = all_redundant(model, &r.others, Where::Start);
            format!("{redundant}: those given have the least norm")
        }),
        Note::TooLarge(size) => {
            format!("{size} unknowns are too many to look for equilibria")
        }
        Note::Large => "a large system: looked for downhill and uphill, and by turning what was found; there are others".to_owned(),
    }
}

/// Why stability is not decided: a sentence's end.
pub fn reason_words(reason: Reason) -> &'static str {
    match reason {
        Reason::Frozen => "not an equilibrium: constraints or forces change with time",
        Reason::Time => "constraints, forces or the linearised motion depend on time",
        Reason::Rank => "the gradients of the constraints are dependent there",
        Reason::Mass => {
            "the kinetic energy is not shown to be positive for every virtual displacement"
        }
        Reason::Flat => {
            "the second variation is zero, or cannot be distinguished from zero, along some displacement"
        }
        Reason::Gyroscopic => {
            "it rests on gyroscopic forces alone: stable in the linearised motion only"
        }
        Reason::Friction => {
            "forces or their slopes jump where it rests, as dry friction does: the linearised motion says nothing"
        }
        Reason::Damping => "that the linearised motion dies out, or grows, could not be shown",
        Reason::Circulatory => {
            "circulatory forces: that the linearised motion dies out, or grows, could not be shown"
        }
        Reason::Rolling => {
            "velocity constraints leave a family to drift along: neither energy nor the linearised motion decides"
        }
        Reason::Driven => {
            "a velocity constraint has a part without velocities: the linearised motion is not judged with it"
        }
        Reason::Defective => {
            "unstable in the linearised motion: a multiple exponent has too few modes, so that it grows like t; terms of higher degree may hold it or not"
        }
        Reason::Exponents => {
            "gyroscopic forces would have to hold it, and its exponents could not be told apart: the linearised motion may grow"
        }
        Reason::Contact => {
            "it is not certain that a one-sided constraint carries anything there: what happens where it is left is not decided"
        }
        Reason::Estimate => "it is known only numerically, so its stability is not judged",
    }
}

/// Of what kind it is, in a word or two.
pub fn kind_word(verdict: &Assessment) -> &'static str {
    if verdict.form.is_estimate() {
        "not judged"
    } else if verdict.form.is_maximum_in_contact() {
        "maximum in contact"
    } else {
        verdict.kind().name()
    }
}

/// Stable or not, in a word or two; of an `objective` of what kind it is.
pub fn assessment_word(verdict: &Assessment, objective: bool) -> &'static str {
    match verdict.stability {
        _ if objective => kind_word(verdict),
        _ if verdict.frozen => "frozen",
        Stability::Degenerate(Reason::Estimate) => "not judged",
        other => other.name(),
    }
}

/// What carries a verdict, where the second variation and the energy alone do not say it.
pub fn criterion_words(criterion: Criterion) -> Option<String> {
    match criterion {
        Criterion::Minimum { degree: 2 } | Criterion::Falls => None,
        Criterion::Minimum { degree } => Some(format!(
            "stable by terms of degree {degree} (Lagrange, Dirichlet)"
        )),
        Criterion::FallsLater { degree } => {
            Some(format!("V falls by terms of degree {degree}"))
        }
        Criterion::Attracted => Some("all exponents have negative real parts (Lyapunov)".to_owned()),
        Criterion::Odd => Some(
            "V falls in an odd number of directions: no gyroscopic force holds it (Thomson, Tait)".to_owned(),
        ),
        Criterion::Damped => Some(
            "V falls and every motion is damped: no gyroscopic force holds it (Thomson, Tait, Chetaev)".to_owned(),
        ),
        Criterion::DampedLater => Some(
            "V falls and every motion is damped: none near comes to rest at lower V (Barbashin, Krasovskii)".to_owned(),
        ),
        Criterion::Repelled => Some("an exponent has a positive real part (Lyapunov)".to_owned()),
    }
}

/// How many directions go up, are flat and go down, and what is not decided.
pub fn form_words(form: &SecondVariation) -> String {
    let [positive, zero, negative] = form.signature();
    let open = form.undecided();
    let flat = zero - open.len();
    let mut text = format!("({positive} positive, {flat} zero, {negative} negative");
    if !open.is_empty() {
        let within = open
            .iter()
            .map(|side| format!("{:.1e}..{:.1e}", side.lo, side.hi));
        let within = joined(within);
        let _ = write!(text, ", {} not decided: within {within}", open.len());
    }
    text.push(')');
    match form.leading() {
        Some(Leading::Vanishes(degree)) => {
            let _ = write!(text, ", flat up to terms of degree {degree}");
        }
        Some(Leading::Open(degree)) if degree > 2 => {
            let _ = write!(text, ", terms of degree {degree} do not decide");
        }
        _ => {}
    }
    text
}

fn one(model: &Model, e: &Equilibrium) -> Value {
    let names = model.coordinate_names();
    let verdict = &e.verdict;
    let mut object = json!({
        "point": by_name(names, &e.x),
        "multipliers": by_name(model.multiplier_names(), &e.multipliers),
        "reaction": by_name(names, &e.reaction),
        "kind": verdict.kind().name(),
        "signature": verdict.signature(),
        "certified": e.certified(),
        "isolated": e.stands_alone(),
        "frozen": verdict.frozen,
    });
    if let Some(along) = &e.along {
        object["along"] = by_name(names, along.direction());
        object["family"] = json!(if along.is_proven() {
            "proven"
        } else {
            "estimated"
        });
        object["dimension"] = json!(along.dimension());
        object["verdict_along"] = json!(along.holds().name());
    }
    if let Some(proof) = &e.proof {
        let (point, multipliers) = (each(proof.x(), ends), each(proof.lambda(), ends));
        object["enclosure"] = json!({"point": point, "multipliers": multipliers});
    }
    if !verdict.form.undecided().is_empty() {
        object["eigenvalues_undecided"] = each(verdict.form.undecided(), ends);
    }
    if let Some(list) = &e.at_rest {
        object["at_rest"] = json!(model.names(list));
    }
    if !e.released.is_empty() {
        object["released"] = json!(model.constraints_named(&e.released));
    }
    if model.system.objective {
        object["objective"] = json!(verdict.potential);
        return object;
    }
    object["potential"] = json!(verdict.potential);
    object["stability"] = json!(verdict.stability.name());
    object["because"] = match verdict.stability {
        Stability::Degenerate(reason) => json!(reason.name()),
        _ => Value::Null,
    };
    object["by"] = json!(verdict.stability.criterion().map(|by| by.name()));
    if let Some(leading) = verdict.form.leading() {
        object["degree"] = json!(leading.degree());
    }
    object["frequencies"] = each(&verdict.modes, |m| m.frequency);
    object["eigenvalues"] = json!(verdict.exponents);
    object["modes"] = each(&verdict.modes, |m| mode(names, m));
    let l = &verdict.linearisation;
    object["linearisation"] = json!({
        "basis": matrix(&l.basis.transpose()),
        "mass": matrix(&l.mass),
        "damping": matrix(&l.damping),
        "stiffness": matrix(&l.stiffness),
    });
    object
}

/// A shape is real where all parts move together, else a pair a coordinate.
fn mode(names: &[String], mode: &Mode) -> Value {
    let real = mode.exponent.0 == 0.0 && mode.shape.iter().all(|(_, im)| *im == 0.0);
    let part = |(re, im): &(f64, f64)| if real { json!(re) } else { json!([re, im]) };
    json!({
        "frequency": mode.frequency,
        "eigenvalue": [mode.exponent.0, mode.exponent.1],
        "shape": by_name(names, mode.shape.iter().map(part)),
    })
}
