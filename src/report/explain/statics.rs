//! `derive --statics`: the equations at rest with the multipliers eliminated, as the essay does it.

use super::{ENTRIES, coordinates, readable_ones};
use crate::analysis::{AtRest, Derived, Model};
use crate::report::forms::vanishing;
use crate::report::formula::{Form, Formula, Left, Part, alike, said, words};
use crate::report::text::number;

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
    let mut sentence = vec![words(if system.objective {
        "With the objective U, "
    } else {
        "At rest, U the potential energy, "
    })];
    sentence.push(if system.constraints.is_empty() {
        said("P_k = 0", "P_k = 0", "P_k = 0")
    } else {
        said(
            "P_k - sum_b lambda_b df_b/dx_k = 0",
            "P_k - Σ_b λ_b ∂f_b/∂x_k = 0",
            "P_k - \\sum_b \\lambda_b\\,\\partial f_b/\\partial x_k = 0",
        )
    });
    sentence.push(words(", where "));
    sentence.push(said(
        "P_k = dU/dx_k - Q_k",
        "P_k = ∂U/∂x_k - Q_k",
        "P_k = \\partial U/\\partial x_k - Q_k",
    ));
    if model.rheonomic() {
        sentence.push(words(
            "; the constraints move on, so this is at a frozen time",
        ));
    }
    sentence.push(words(":"));
    let formulas = rest.usual.iter().map(|e| vanishing(model, *e));
    Form {
        name: "The equations at rest".to_owned(),
        words: sentence,
        formulas: readable_ones(model, formulas.collect()),
    }
}

fn multipliers(model: &Model, derived: &Derived, rest: &AtRest) -> Form {
    let value = if model.system.objective {
        "dF/dc"
    } else {
        "dV/dc"
    };
    let list = rest.multipliers.iter().flatten();
    let pairs = model.system.constraints.iter().zip(list);
    let formulas = pairs.map(|(c, &e)| Formula::new(Left::Symbol(c.multiplier), e));
    Form {
        name: "The multipliers at rest".to_owned(),
        words: vec![
            words("The equations of "),
            Part::Names(coordinates(model, &derived.derivation.dependent)),
            words(format!(
                " give them, where the choice holds; each is the rate {value} at which the value of the equilibrium answers to its level:"
            )),
        ],
        formulas: readable_ones(model, formulas.collect()),
    }
}

fn eliminated(model: &Model, rest: &AtRest) -> Option<Form> {
    let list = rest.eliminated.as_ref().filter(|list| !list.is_empty())?;
    let formulas = list.iter().map(|(_, e)| vanishing(model, *e));
    Some(Form {
        name: "Without the multipliers".to_owned(),
        words: vec![
            words("That they have a solution is, without division, "),
            said(
                "det [J_D J_j; P_D P_j] = 0",
                "det [J_D J_j; P_D P_j] = 0",
                "\\det\\begin{bmatrix} J_D & J_j \\\\ P_D & P_j \\end{bmatrix} = 0",
            ),
            words(" for each independent "),
            said("x_j", "x_j", "x_j"),
            words(", with the constraints; it holds where the choice fails, too:"),
        ],
        formulas: readable_ones(model, formulas.collect()),
    })
}

fn closed(model: &Model, rest: &AtRest) -> Form {
    let system = &model.system;
    let mut sentence = Vec::new();
    let mut formulas = Vec::new();
    for (i, own) in rest.closed.iter().take(ENTRIES).enumerate() {
        let at: Vec<String> = own.at.iter().map(|v| number(*v)).collect();
        let lambda: Vec<String> = own.multipliers.iter().map(|v| number(*v)).collect();
        let first = if i == 0 {
            "At the values of the file they are "
        } else {
            ", "
        };
        sentence.push(words(first));
        sentence.push(alike(format!("({})", at.join(", "))));
        if !lambda.is_empty() {
            sentence.push(words(" with multipliers "));
            sentence.push(alike(format!("({})", lambda.join(", "))));
        }
        for (k, (c, &e)) in system.coordinates.iter().zip(&own.x).enumerate() {
            formulas.push(Formula {
                // of several each begins with its first coordinate
                inside: k > 0 && rest.closed.len() > 1,
                ..Formula::new(Left::Symbol(c.x), e)
            });
        }
    }
    sentence.push(words(if rest.closed.is_empty() {
        "No closed form was found: `equilibria` finds them by numbers, with proof."
    } else {
        ". Whether these are all, and which are stable, `equilibria` says:"
    }));
    Form {
        name: "Equilibria in closed form".to_owned(),
        words: sentence,
        formulas,
    }
}

/// Whose sign is whose.
fn sign() -> Form {
    Form {
        name: "The sign".to_owned(),
        words: vec![
            words("The essay writes "),
            said(
                "dU + lambda dg = 0",
                "dU + λ dg = 0",
                "dU + \\lambda\\,dg = 0",
            ),
            words(", so P + lambda A = 0; ours is "),
            said(
                "dU - lambda df = 0",
                "dU - λ df = 0",
                "dU - \\lambda\\,df = 0",
            ),
            words(
                ": its multipliers are minus these, which are the forces that the constraints exert.",
            ),
        ],
        formulas: Vec::new(),
    }
}
