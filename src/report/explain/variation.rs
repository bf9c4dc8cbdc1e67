//! `derive --variation`: the same equations from the action (the report's section 5; Salas, equations 1 to 6).

use super::{ENTRIES, coordinates, readable_ones};
use crate::analysis::{Derived, Model};
use crate::expr::Expr;
use crate::report::formula::{Form, Formula, Left, Part, said, words};

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
    let mut sentence = vec![
        words("Beside the path x(t) there are others, "),
        said("x + eps dx", "x + ε δx", "x + \\varepsilon\\,\\delta x"),
        words(", with the same ends: "),
        said("dx = 0", "δx = 0", "\\delta x = 0"),
        words(" at the first and at the last time. "),
    ];
    let mut formulas = Vec::new();
    if system.constraints.is_empty() {
        sentence.push(words(
            "No constraint binds them: every coordinate is varied as one likes.",
        ));
    } else {
        sentence.push(Part::Names(coordinates(model, &d.independent)));
        let one = |list: &[usize], one: &'static str, many: &'static str| match list {
            [_] => one,
            _ => many,
        };
        let varied = one(&d.independent, "is", "are");
        sentence.push(words(format!(" {varied} varied as one likes, and ")));
        sentence.push(Part::Names(coordinates(model, &d.dependent)));
        let follow = one(&d.dependent, "follows", "follow");
        let kept = "by g, so that every path keeps to the constraints:";
        sentence.push(words(format!(" {follow} {kept}")));
        if let Some(rows) = &d.displacements {
            for (&a, row) in d.dependent.iter().zip(rows) {
                let terms = row.iter().zip(&d.independent);
                let sum = pool.sum(terms.map(|(&e, &j)| pool.mul(e, differential(j))));
                formulas.push(Formula::new(Left::Symbol(differential(a)), sum));
            }
        }
    }
    Form {
        name: "The varied paths".to_owned(),
        words: sentence,
        formulas: readable_ones(model, formulas),
    }
}

fn first(model: &Model) -> Form {
    let system = &model.system;
    let pool = &system.pool;
    let mut formulas = Vec::new();
    for c in system.coordinates.iter().take(ENTRIES) {
        for by in [c.x, c.v] {
            let e = pool.derivative(system.lagrangian, by);
            if e != pool.zero() {
                let left = Left::Slope("L", by);
                formulas.push(Formula::new(left, crate::mechanics::readable(pool, e)));
            }
        }
    }
    Form {
        name: "The first variation of the action".to_owned(),
        words: vec![
            words("Of the action "),
            said("S = int L dt", "S = ∫ L dt", "S = \\int L\\,dt"),
            words(" it is "),
            said(
                "dS = int sum_k (dL/dx_k dx_k + dL/dx_k' dx_k') dt",
                "δS = ∫ Σ_k (∂L/∂x_k δx_k + ∂L/∂x_k′ δx_k′) dt",
                "\\delta S = \\int \\sum_k \\Bigl(\\frac{\\partial L}{\\partial x_k}\\,\\delta x_k + \\frac{\\partial L}{\\partial \\dot x_k}\\,\\delta\\dot x_k\\Bigr) dt",
            ),
            words(":"),
        ],
        formulas: readable_ones(model, formulas),
    }
}

/// E_x1 of each coordinate, where there are few.
fn expressions(model: &Model) -> Vec<Formula> {
    let system = &model.system;
    if system.coordinates.len() > ENTRIES {
        return Vec::new();
    }
    let own = system
        .coordinates
        .iter()
        .zip(&model.equations.euler_lagrange);
    let list = own.map(|(c, &e)| Formula::new(Left::Component("E", c.x), e));
    readable_ones(model, list.collect())
}

fn parts(model: &Model) -> Form {
    let forced = model
        .system
        .forces
        .iter()
        .any(|q| *q != model.system.pool.zero());
    let velocity = !model.system.velocity_constraints.is_empty();
    let mut sentence = vec![
        words("As "),
        said(
            "dx_k' = d/dt dx_k",
            "δx_k′ = d/dt δx_k",
            "\\delta\\dot x_k = \\tfrac{d}{dt}\\,\\delta x_k",
        ),
        words(", the second terms are integrated by parts. What stands at the ends, "),
        said(
            "[sum_k dL/dx_k' dx_k]",
            "[Σ_k ∂L/∂x_k′ δx_k]",
            "\\Bigl[\\sum_k \\frac{\\partial L}{\\partial \\dot x_k}\\,\\delta x_k\\Bigr]",
        ),
        words(", cancels, as dx is 0 there. "),
    ];
    if forced {
        sentence.push(words("With the work of the applied forces, "));
        sentence.push(said(
            "int Q.dx dt",
            "∫ Q·δx dt",
            "\\int Q\\cdot\\delta x\\,dt",
        ));
        sentence.push(words(", there is left "));
        sentence.push(said(
            "dS + int Q.dx dt = -int sum_k E_k dx_k dt",
            "δS + ∫ Q·δx dt = -∫ Σ_k E_k δx_k dt",
            "\\delta S + \\int Q\\cdot\\delta x\\,dt = -\\int \\sum_k E_k\\,\\delta x_k\\,dt",
        ));
    } else {
        sentence.push(words("There is left "));
        sentence.push(said(
            "dS = -int sum_k E_k dx_k dt",
            "δS = -∫ Σ_k E_k δx_k dt",
            "\\delta S = -\\int \\sum_k E_k\\,\\delta x_k\\,dt",
        ));
    }
    sentence.push(words(", which is 0 for a motion"));
    if velocity {
        sentence.push(words("; the forces of velocity constraints do not come from an action, and are counted among the applied ones"));
    }
    sentence.push(words(":"));
    Form {
        name: "Integration by parts".to_owned(),
        words: sentence,
        formulas: expressions(model),
    }
}

fn free(model: &Model) -> Form {
    Form {
        name: "The brackets".to_owned(),
        words: vec![words(
            "Each dx_k is arbitrary between the ends, so what multiplies it vanishes by itself: E_k = 0 for each coordinate.",
        )],
        formulas: expressions(model)
            .into_iter()
            .map(|f| f.equal(model.system.pool.zero()))
            .collect(),
    }
}

fn brackets(model: &Model, derived: &Derived) -> Form {
    let d = &derived.derivation;
    let pool = &model.system.pool;
    let together = d
        .together(&model.system, &model.equations)
        .unwrap_or_default();
    let own: Vec<Expr> = together
        .iter()
        .filter(|t| t.equals == pool.zero())
        .map(|t| t.sum)
        .collect();
    let mut formulas: Vec<Formula> = Vec::new();
    let reduced = d.reduced.clone().unwrap_or_default();
    for (i, sum) in own.iter().enumerate() {
        formulas.push(Formula::new(Left::Nothing, *sum).equal(pool.zero()));
        if let Some(&e) = reduced.get(i) {
            formulas.push(Formula::new(Left::Nothing, e).equal(pool.zero()));
        }
    }
    let sentence = if d.independent.is_empty() {
        vec![words(
            "No coordinate is independent: there is no other path, and nothing to vanish.",
        )]
    } else {
        vec![
            words("With the dependent variations put in, "),
            said(
                "dS = -int sum_j [E_j + sum_a E_a dg_a/dx_j] dx_j dt",
                "δS = -∫ Σ_j [E_j + Σ_a E_a ∂g_a/∂x_j] δx_j dt",
                "\\delta S = -\\int \\sum_j \\Bigl[E_j + \\sum_a E_a\\,\\frac{\\partial g_a}{\\partial x_j}\\Bigr]\\delta x_j\\,dt",
            ),
            words(
                ". Each independent dx_j is arbitrary between the ends, so its bracket vanishes (equation 2):",
            ),
        ]
    };
    Form {
        name: "The bracket of each independent coordinate".to_owned(),
        words: sentence,
        formulas: readable_ones(model, formulas),
    }
}

/// Salas: with one constraint the ratios E_k/(df/dx_k) are equal, and are lambda.
fn ratios(model: &Model) -> Form {
    let system = &model.system;
    let pool = &system.pool;
    let [constraint] = system.constraints.as_slice() else {
        return Form {
            name: "The multipliers".to_owned(),
            words: vec![
                words("What the brackets share are the multipliers, "),
                said(
                    "lambda_b = sum_a E_a dg_a/dy_b",
                    "λ_b = Σ_a E_a ∂g_a/∂y_b",
                    "\\lambda_b = \\sum_a E_a\\,\\partial g_a/\\partial y_b",
                ),
                words(" (equation 4), and all equations together are "),
                said("E = J^T lambda", "E = Jᵀ λ", "E = J^T \\lambda"),
                words("."),
            ],
            formulas: Vec::new(),
        };
    };
    let mut formulas = Vec::new();
    let mut unbound = Vec::new();
    for (k, c) in system.coordinates.iter().enumerate() {
        let slope = model.equations.jacobian[0][k];
        let e = pool.euler_lagrange(&c.name, k);
        if slope == pool.zero() {
            unbound.push(e);
        } else {
            formulas
                .push(Formula::new(Left::Nothing, pool.div(e, slope)).equal(constraint.multiplier));
        }
    }
    formulas.extend(
        unbound
            .into_iter()
            .map(|e| Formula::new(Left::Nothing, e).equal(pool.zero())),
    );
    Form {
        name: "Equal ratios define lambda".to_owned(),
        words: vec![
            words("With one constraint a bracket says that two ratios are equal, "),
            said(
                "E_j/(df/dx_j) = E_a/(df/dx_a)",
                "E_j/(∂f/∂x_j) = E_a/(∂f/∂x_a)",
                "\\frac{E_j}{\\partial f/\\partial x_j} = \\frac{E_a}{\\partial f/\\partial x_a}",
            ),
            words(". Their common value is called "),
            said("lambda", "λ", "\\lambda"),
            words(" (Salas); a coordinate that is not in f has E = 0:"),
        ],
        formulas: readable_ones(model, formulas),
    }
}
