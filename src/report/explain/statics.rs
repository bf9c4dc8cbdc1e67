//! `derive --statics`: the equations at rest with the multipliers eliminated, by determinants.

use super::{ENTRIES, is_forced, step};
use crate::analysis::{AtRest, ClosedForm, Derived, Model};
use crate::report::forms::{multipliers as own_multipliers, vanishing};
use crate::report::formula::{Form, Formula, Left, Part, alike, words};
use crate::report::text::{joined, only_if, place};
use crate::report::theory::told;

/// The steps from P + lambda A = 0 to equilibria.
pub(super) fn steps(model: &Model, derived: &Derived) -> Vec<Form> {
    let rest = model.derive_at_rest(derived);
    let mut list = vec![usual(model, &rest)];
    if !model.system.constraints.is_empty() {
        list.push(sign());
        list.push(multipliers(model, derived, &rest));
        list.extend(eliminated(model, &rest));
    }
    list.push(closed(model, &rest));
    list
}

fn usual(model: &Model, rest: &AtRest) -> Form {
    let system = &model.system;
    let text = [
        if system.objective {
            "With the objective U, "
        } else {
            "At rest, U the potential energy, "
        },
        "$P_k",
        only_if(!system.constraints.is_empty(), " - Σ_b λ_b ∂f_b/∂x_k"),
        " = 0$",
        ", where $P_k = ∂U/∂x_k - Q_k$",
        only_if(
            model.rheonomic(),
            "; the constraints move on, so this is at a frozen time",
        ),
        ":",
    ];
    let formulas = rest.usual.iter().map(|e| vanishing(model, *e));
    let name = "The equations at rest";
    step(model, name, told(&text.concat(), []), formulas)
}

fn multipliers(model: &Model, derived: &Derived, rest: &AtRest) -> Form {
    let found = rest.multipliers.as_ref();
    let list = found.map_or(&[][..], |found| &found.list);
    let dependent = found.map_or(&derived.derivation.dependent, |found| &found.dependent);
    let everywhere = found.is_some_and(|found| found.everywhere);
    let text = [
        if everywhere {
            "The equations of {} give them, at every configuration"
        } else {
            "The equations of {} give them where det $J_D$ is not zero; at an equilibrium where it is zero, other equations do"
        },
        only_if(
            !is_forced(model),
            ". Each is the rate $∂U/∂c$ at which the potential energy at equilibrium changes with the level c",
        ),
        &push_words(model),
        ":",
    ];
    let names = Part::Names(model.system.positions_of(dependent));
    let name = "The multipliers at rest";
    let formulas = own_multipliers(model, list);
    step(model, name, told(&text.concat(), [names]), formulas)
}

fn eliminated(model: &Model, rest: &AtRest) -> Option<Form> {
    let list = rest.eliminated.as_ref().filter(|list| !list.is_empty())?;
    let formulas = list.iter().map(|(_, e)| vanishing(model, *e));
    let text = "Where they have a solution, without division, $det [J_D, J_j; P_D, P_j] = 0$ for each independent $x_j$, with the constraints; this holds where the choice fails, too, and where $det J_D$ is not 0 it is sufficient:";
    let name = "Without the multipliers";
    Some(step(model, name, told(text, []), formulas))
}

fn closed(model: &Model, rest: &AtRest) -> Form {
    let system = &model.system;
    let mut sentence = Vec::new();
    let mut formulas = Vec::new();
    let (held, pulled): (Vec<&ClosedForm>, Vec<&ClosedForm>) =
        rest.closed.iter().partition(|own| own.pulled.is_empty());
    let sided = only_if(
        !system.one_sided().is_empty(),
        ", all one-sided constraints in contact,",
    );
    for (i, own) in held.iter().take(ENTRIES).enumerate() {
        sentence.push(words(match i {
            0 => format!("At the values of the file{sided} they are "),
            _ => ", ".to_owned(),
        }));
        sentence.extend(told_of(own));
        for (k, (c, &e)) in system.coordinates.iter().zip(&own.x).enumerate() {
            formulas.push(Formula {
                // of several each begins with its first coordinate
                inside: k > 0 && held.len() > 1,
                ..Formula::new(Left::Symbol(c.x), e)
            });
        }
    }
    if rest.closed.is_empty() {
        let text = "No closed form was found: `equilibria` finds them numerically, with proof.";
        sentence.push(words(text));
    }
    for (i, own) in pulled.iter().take(ENTRIES).enumerate() {
        let none = if held.is_empty() {
            "No equilibrium is "
        } else {
            ". No equilibrium is "
        };
        sentence.push(words(if i == 0 { none } else { ", nor " }));
        sentence.extend(told_of(own));
        let names = model.constraints_named(&own.pulled);
        let text = format!(", where {} would have to pull", joined(names));
        sentence.push(words(text));
    }
    if !rest.closed.is_empty() {
        let end = if formulas.is_empty() { "." } else { ":" };
        let text = format!(". Whether these are all, and which are stable, `equilibria` says{end}");
        sentence.push(words(text));
    }
    Form::new("Equilibria in closed form", sentence, formulas)
}

/// A place and its multipliers.
fn told_of(own: &ClosedForm) -> Vec<Part> {
    let mut parts = vec![alike(place(&own.at))];
    if !own.multipliers.is_empty() {
        parts.push(words(" with multipliers "));
        parts.push(alike(place(&own.multipliers)));
    }
    parts
}

/// What one-sided constraints ask of their multipliers.
fn push_words(model: &Model) -> String {
    let sided = model.system.one_sided();
    if sided.is_empty() {
        return String::new();
    }
    let names = joined(model.constraints_named(&sided));
    let signs = match sided.len() {
        1 => format!("the multiplier of {names} is not negative"),
        _ => format!("the multipliers of {names} are not negative"),
    };
    format!(
        ". A one-sided constraint in contact pushes: at an equilibrium {signs}; where that is not so it lets go"
    )
}

/// Whose sign is whose.
fn sign() -> Form {
    let text = "Where one writes $dU + λ dg = 0$, $P + λ A = 0$; ours is $dU - λ df = 0$: its multipliers are minus these, which are the forces that the constraints exert.";
    Form::new("The sign", told(text, []), Vec::new())
}
