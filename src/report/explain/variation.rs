//! `derive --variation`: the same equations from the action (the report's section 5; Salas, equations 1 to 6).

use super::{ENTRIES, expressions, is_forced, step};
use crate::analysis::{Derived, Model};
use crate::mechanics::readable;
use crate::report::forms::vanishing;
use crate::report::formula::{Form, Formula, Left, Part, words};
use crate::report::text::only_if;
use crate::report::theory::told;

/// The steps from the action to the equations.
pub(super) fn steps(model: &Model, derived: &Derived) -> Vec<Form> {
    let mut list = vec![paths(model, derived), first(model), parts(model)];
    if model.system.constraints.is_empty() {
        list.push(free(model));
    } else {
        list.push(brackets(model, derived));
        list.push(ratios(model));
    }
    list
}

fn paths(model: &Model, derived: &Derived) -> Form {
    let d = &derived.derivation;
    let system = &model.system;
    let pool = &system.pool;
    let differential = |k: usize| pool.differential(&system.coordinates[k].name, k);
    let mut sentence = told(
        "Beside the path x(t) there are others, $x + ε δx$, with the same ends: $δx = 0$ at the first and at the last time. ",
        [],
    );
    let mut formulas = Vec::new();
    if system.constraints.is_empty() {
        let kind = only_if(!system.velocity_constraints.is_empty(), " on positions");
        sentence.push(words(format!(
            "No constraint{kind} binds them: every coordinate is varied freely."
        )));
    } else {
        let one = |list: &[usize], one: &'static str, many: &'static str| {
            words(if list.len() == 1 { one } else { many })
        };
        sentence.extend(told(
            "{} {} varied freely, and {} {} by g, so that every path keeps to the constraints:",
            [
                Part::Names(model.system.positions_of(&d.independent)),
                one(&d.independent, "is", "are"),
                Part::Names(model.system.positions_of(&d.dependent)),
                one(&d.dependent, "follows", "follow"),
            ],
        ));
        let rows = d.dependent.iter().zip(d.displacements.iter().flatten());
        formulas.extend(rows.map(|(&a, row)| {
            let terms = row.iter().zip(&d.independent);
            let sum = pool.sum(terms.map(|(&e, &j)| pool.mul(e, differential(j))));
            Formula::new(Left::Symbol(differential(a)), sum)
        }));
    }
    step(model, "The varied paths", sentence, formulas)
}

fn first(model: &Model) -> Form {
    let system = &model.system;
    let pool = &system.pool;
    let mut formulas = Vec::new();
    for c in system.coordinates.iter().take(ENTRIES) {
        for by in [c.x, c.v] {
            let e = pool.derivative(system.lagrangian, by);
            if e != pool.zero() {
                formulas.push(Formula::new(Left::Slope("L", by), readable(pool, e)));
            }
        }
    }
    let text = "Of the action $S = ∫ L dt$ it is $δS = ∫ Σ_k (∂L/∂x_k δx_k + ∂L/∂x_k′ δx_k′) dt$:";
    let name = "The first variation of the action";
    step(model, name, told(text, []), formulas)
}

/// E_x1 of each coordinate, where they are few; with the forces of velocity constraints among the applied ones.
fn each(model: &Model) -> Vec<Formula> {
    let all: Vec<usize> = (0..model.system.coordinates.len()).collect();
    let pool = &model.system.pool;
    let list = expressions(model, &all).into_iter().zip(all);
    let list = list.map(|(own, k)| {
        let constraints = model.system.velocity_constraints.iter();
        let forces = constraints.map(|c| pool.mul(c.multiplier, c.row[k]));
        Formula::new(own.left, pool.sub(own.e, pool.sum(forces)))
    });
    list.collect()
}

fn parts(model: &Model) -> Form {
    let text = [
        "As $δx_k′ = d/dt δx_k$, the second terms are integrated by parts. The boundary terms $[Σ_k ∂L/∂x_k′ δx_k]$ vanish, as $δx$ is 0 there. ",
        if is_forced(model) || !model.system.velocity_constraints.is_empty() {
            "With the work of the applied forces, $∫ Q·δx dt$, what remains is $δS + ∫ Q·δx dt = -∫ Σ_k E_k δx_k dt$"
        } else {
            "What remains is $δS = -∫ Σ_k E_k δx_k dt$"
        },
        ", which is 0 for a motion",
        only_if(
            !model.system.velocity_constraints.is_empty(),
            "; the forces of velocity constraints do not come from an action, and are counted among the applied ones",
        ),
        ":",
    ];
    let name = "Integration by parts";
    step(model, name, told(&text.concat(), []), each(model))
}

fn free(model: &Model) -> Form {
    let zero = model.system.pool.zero();
    let formulas = each(model).into_iter().map(|f| f.equal(zero));
    let text = "Each $δx_k$ is arbitrary between the ends, so what multiplies it vanishes by itself, $E_k = 0$ for each coordinate.";
    step(model, "The brackets", told(text, []), formulas)
}

fn brackets(model: &Model, derived: &Derived) -> Form {
    let d = &derived.derivation;
    let pool = &model.system.pool;
    let together = d.together(&model.system, &model.equations);
    let own = together.into_iter().flatten();
    let own = own.filter(|t| t.equals == pool.zero());
    let mut formulas: Vec<Formula> = Vec::new();
    let reduced = d.reduced.clone().unwrap_or_default();
    for (i, bracket) in own.enumerate() {
        formulas.push(vanishing(model, bracket.sum));
        formulas.extend(reduced.get(i).map(|&e| vanishing(model, e)));
    }
    let pushed = is_forced(model) || !model.system.velocity_constraints.is_empty();
    let work = only_if(pushed, " + ∫ Q·δx dt");
    let text = if d.independent.is_empty() {
        "No coordinate is independent: there is no other path, and nothing to vanish.".to_owned()
    } else {
        format!(
            "With the dependent variations put in, $δS{work} = -∫ Σ_j [E_j + Σ_a E_a ∂g_a/∂x_j] δx_j dt$. Each independent $δx_j$ is arbitrary between the ends, so its bracket vanishes (equation 2):"
        )
    };
    let name = "The bracket of each independent coordinate";
    step(model, name, told(&text, []), formulas)
}

/// Salas: with one constraint the ratios E_k/(df/dx_k) are equal, and are lambda.
fn ratios(model: &Model) -> Form {
    let system = &model.system;
    let pool = &system.pool;
    let [constraint] = system.constraints.as_slice() else {
        let text = "What the brackets share are the multipliers, $λ_b = Σ_a E_a ∂g_a/∂y_b$ (equation 4), and all equations together are $E = Jᵀ λ$.";
        return Form::new("The multipliers", told(text, []), Vec::new());
    };
    let mut formulas = Vec::new();
    let mut unbound = Vec::new();
    for (k, c) in system.coordinates.iter().enumerate() {
        let slope = model.equations.jacobian[0][k];
        let e = pool.euler_lagrange(&c.name, k);
        if slope == pool.zero() {
            unbound.push(vanishing(model, e));
        } else {
            let ratio = Formula::new(Left::Nothing, pool.div(e, slope));
            formulas.push(ratio.equal(constraint.multiplier));
        }
    }
    let mut text = "With one constraint a bracket says that two ratios are equal, $E_j/(∂f/∂x_j) = E_a/(∂f/∂x_a)$. Their common value is called $λ$ (Salas)".to_owned();
    text.push_str(if unbound.is_empty() {
        ":"
    } else {
        "; a coordinate that is not in f has E = 0:"
    });
    formulas.extend(unbound);
    let name = "Equal ratios define lambda";
    step(model, name, told(&text, []), formulas)
}
