//! `derive --explain`: the derivation step by step, as the report takes it (NRL Memorandum Report
//! 6001, sections 3 to 7): F, its Jacobian, N, g, lambda, the reduced equation. A lecture handout of
//! half a page, in the symbols of the file.
//!
//! The steps are data: words with formulas, rendered as text and as LaTeX.

mod fails;
mod slips;
mod statics;
mod variation;

use crate::analysis::{Derived, Model};
use crate::expr::{Expr, Style};
use crate::mechanics::{Derivation, reactions, written_lagrangian};
use crate::report::domain::domain_words;
use crate::report::forms::{functions, vanishing, where_alike};
use crate::report::formula::{Form, Formula, Left, Part, escaped, said, words};
use crate::report::text::{Layout, Page, count as counted, form};
use crate::report::whole;
use crate::report::{effort_words, holonomic_notes, title};
use crate::theorem::{Branch, Inverse, SymbolicDeterminant, in_groups};
use serde_json::{Value, json};
use std::fmt::Write;

/// Entries of a list of formulas that are written out.
const ENTRIES: usize = 12;
/// Factors of a determinant that a sentence names.
const MOST_FACTORS: usize = 4;
/// Expressions longer than this are left to `derive`.
const LONGEST: usize = 400;

/// The handout as text.
pub fn explain_text(model: &Model, derived: &Derived, layout: Layout) -> String {
    text(model, &steps(model, derived), layout)
}

/// The handout as a LaTeX document that compiles as it is.
pub fn explain_latex(model: &Model, derived: &Derived) -> String {
    latex(model, &steps(model, derived))
}

/// The equations at rest, as text.
pub fn statics_text(model: &Model, derived: &Derived, layout: Layout) -> String {
    text(model, &statics::steps(model, derived), layout)
}

/// The equations at rest, as a LaTeX document.
pub fn statics_latex(model: &Model, derived: &Derived) -> String {
    latex(model, &statics::steps(model, derived))
}

/// The equations at rest, step by step, as those of [`variation_json`].
pub fn statics_json(model: &Model, derived: &Derived) -> Value {
    json(model, statics::steps(model, derived))
}

/// The equations from the action, as text.
pub fn variation_text(model: &Model, derived: &Derived, layout: Layout) -> String {
    text(model, &variation::steps(model, derived), layout)
}

/// The equations from the action, as a LaTeX document.
pub fn variation_latex(model: &Model, derived: &Derived) -> String {
    latex(model, &variation::steps(model, derived))
}

/// The equations from the action, step by step: the name, the words, and the formulas `left = e = right`.
pub fn variation_json(model: &Model, derived: &Derived) -> Value {
    json(model, variation::steps(model, derived))
}

fn json(model: &Model, steps: Vec<Form>) -> Value {
    let system = &model.system;
    let steps = steps.into_iter().map(|step| {
        let formulas = step.formulas.iter().map(|f| {
            let e = system.pool.print(f.e);
            let head = f.head(system, Style::Plain);
            format!("{head}{e}{}", f.tail(system, Style::Plain))
        });
        json!({
            "name": step.name,
            "words": step.sentence(system, Style::Plain),
            "formulas": formulas.collect::<Vec<_>>(),
        })
    });
    steps.collect()
}

fn text(model: &Model, steps: &[Form], layout: Layout) -> String {
    let mut page = Page::laid_out(layout, &model.system.pool);
    page.all_in("derive --full");
    page.title(&title(model));
    for (i, step) in steps.iter().enumerate() {
        page.heading(&format!("{}. {}", i + 1, step.name));
        form(&mut page, model, step, (3, ENTRIES));
    }
    page.finish()
}

fn latex(model: &Model, steps: &[Form]) -> String {
    let system = &model.system;
    let mut out = format!(
        "\\documentclass{{article}}\n\\usepackage{{amsmath}}\n\\allowdisplaybreaks\n\\emergencystretch=3em\n\\begin{{document}}\n\\section*{{{}}}\n",
        escaped(&title(model))
    );
    for (i, step) in steps.iter().enumerate() {
        let _ = write!(
            out,
            "\n\\paragraph{{{}. {}.}}\n{}\n{}",
            i + 1,
            escaped(&step.name),
            step.sentence(system, Style::Latex),
            step.aligned(system, ENTRIES)
        );
    }
    out.push_str("\\end{document}\n");
    out
}

fn steps(model: &Model, derived: &Derived) -> Vec<Form> {
    let mut list = vec![usual(model, derived)];
    list.extend(rolling(model));
    if model.system.constraints.is_empty() {
        list.extend(without_multipliers(model, derived));
        return list;
    }
    list.push(map_f(model, derived));
    list.push(jacobian(model, derived));
    list.push(inverse(model, derived));
    list.extend(domain(model, derived));
    list.push(multipliers(model, derived));
    list.push(reduced(model, derived));
    list.extend(together(model, derived));
    list.extend(without_multipliers(model, derived));
    list.push(forces(model));
    list.extend(alone(model, derived));
    list.extend(fails::failure(model, derived));
    list
}

fn readable_ones(model: &Model, formulas: Vec<Formula>) -> Vec<Formula> {
    let pool = &model.system.pool;
    let short = |f: &Formula| pool.size(f.e) <= LONGEST;
    formulas.into_iter().filter(short).collect()
}

fn usual(model: &Model, derived: &Derived) -> Form {
    let system = &model.system;
    let count = model.count();
    let mut formulas = vec![Formula::new(
        Left::Letter("L", "L"),
        written_lagrangian(system),
    )];
    let zero = derived.standard.iter().map(|e| vanishing(model, *e));
    formulas.extend(readable_ones(model, zero.collect()));
    let text = if !system.velocity_constraints.is_empty() {
        format!(
            "With all constraints, the usual way has {} differential equations and {}, on positions and on velocities, in {} unknowns: the coordinates and the multipliers.",
            system.coordinates.len(),
            counted(model.multiplier_names().len(), "constraint"),
            system.coordinates.len() + model.multiplier_names().len(),
        )
    } else if system.constraints.is_empty() {
        format!(
            "No constraint holds the {} coordinates: the Euler-Lagrange equations are those of the motion.",
            count.differential
        )
    } else {
        format!(
            "With the constraints of step 2, the usual way has {} differential and {} algebraic equation{} in {} unknowns: the coordinates and the multipliers.",
            count.differential,
            count.algebraic,
            if count.algebraic == 1 { "" } else { "s" },
            count.differential + count.algebraic,
        )
    };
    let order = if system.constraints.is_empty() {
        ""
    } else {
        " The steps are those of the report: F, its Jacobian, N, g, lambda and the reduced equations."
    };
    let units = " Units are those of the file: any that are consistent, angles in radians.";
    Form {
        name: "The usual form".to_owned(),
        words: vec![words(text), words(order), words(units)],
        formulas,
    }
}

/// The velocity constraints, and which of them are holonomic.
fn rolling(model: &Model) -> Option<Form> {
    let system = &model.system;
    if system.velocity_constraints.is_empty() {
        return None;
    }
    let mut sentence = vec![words(
        "They bind velocities and no position: the Inverse Function Theorem, which inverts positions, has nothing to say of them. Each has a multiplier of its own, and with ",
    )];
    sentence.push(said("A x' + b = 0", "A x′ + b = 0", "A \\dot x + b = 0"));
    sentence.push(words(" its force is "));
    sentence.push(said("A^T lambda_A", "Aᵀ λ_A", "A^T \\lambda_A"));
    sentence.push(words(":"));
    for note in holonomic_notes(model, Style::Plain) {
        sentence.push(words(format!(" {note}")));
    }
    let speeds = &model.equations.velocity.speeds;
    Some(Form {
        name: "The velocity constraints".to_owned(),
        words: sentence,
        formulas: readable_ones(model, speeds.iter().map(|e| vanishing(model, *e)).collect()),
    })
}

/// With velocity constraints: all multipliers, and the equations that contain none.
fn without_multipliers(model: &Model, derived: &Derived) -> Option<Form> {
    let whole = derived.whole.as_ref()?;
    let system = &model.system;
    let mut formulas = Vec::new();
    if let Some(list) = &whole.multipliers {
        let symbols = system.multipliers().zip(list);
        formulas.extend(symbols.map(|(symbol, &e)| Formula::new(Left::Symbol(symbol), e)));
    }
    let equations = whole.reduced.iter().flatten();
    formulas.extend(equations.map(|e| vanishing(model, *e)));
    let sentence = vec![
        words("With "),
        said(
            "W = [J; A]",
            "W = [J; A]",
            "W = \\begin{bmatrix} J \\\\ A \\end{bmatrix}",
        ),
        words(" in the place of J and "),
        Part::Names(coordinates(model, &whole.dependent)),
        words(
            " dependent, positions or velocities, the same steps give all multipliers, and one equation without them for each virtual displacement (a basis of the kernel of W):",
        ),
    ];
    let formulas = readable_ones(model, formulas);
    (!formulas.is_empty()).then_some(Form {
        name: "All multipliers, and the equations without them".to_owned(),
        words: sentence,
        formulas,
    })
}

fn coordinates(model: &Model, list: &[usize]) -> Vec<Expr> {
    list.iter()
        .map(|&k| model.system.coordinates[k].x)
        .collect()
}

fn map_f(model: &Model, derived: &Derived) -> Form {
    let d = &derived.derivation;
    let system = &model.system;
    let independent = coordinates(model, &d.independent);
    let mut sentence = vec![
        words("Take "),
        Part::Names(coordinates(model, &d.dependent)),
        words(" as dependent (superfluous), "),
        said("x_D", "x_D", "x_D"),
    ];
    if independent.is_empty() {
        sentence.push(words("; nothing is left to move freely. "));
    } else {
        sentence.push(words(", and keep "));
        sentence.push(Part::Names(independent));
        sentence.push(words(" as independent, "));
        sentence.push(said("x_I", "x_I", "x_I"));
        sentence.push(words(". "));
    }
    sentence.push(words("The map "));
    sentence.push(said("F", "F", "F"));
    sentence.push(words(" puts the values "));
    sentence.push(said("y = f(x)", "y = f(x)", "y = f(x)"));
    sentence.push(words(" of the constraints in the place of "));
    sentence.push(said("x_D", "x_D", "x_D"));
    sentence.push(words(" and leaves "));
    sentence.push(said("x_I", "x_I", "x_I"));
    sentence.push(words(" as it is"));
    if let Some(map) = map_written(model, d) {
        sentence.push(words(": "));
        sentence.push(map);
    }
    sentence.push(words(
        ". Along the motion the values are those of the file, ",
    ));
    sentence.push(said("y = c", "y = c", "y = c"));
    sentence.push(words(":"));
    let formulas = system.constraints.iter();
    let formulas = formulas.map(|c| Formula::new(Left::Symbol(c.level), c.f).equal(c.c));
    Form {
        name: "The map F".to_owned(),
        words: sentence,
        formulas: formulas.collect(),
    }
}

/// `F(x1, x2) = (x2 - x1^2, x2)`, where that is short.
fn map_written(model: &Model, d: &Derivation) -> Option<Part> {
    const LONGEST_MAP: usize = 110;
    let system = &model.system;
    let values = system.constraints.iter().map(|c| c.f);
    let values: Vec<Expr> = values.chain(coordinates(model, &d.independent)).collect();
    let from: Vec<Expr> = system.coordinates.iter().map(|c| c.x).collect();
    let row = |list: &[Expr], style: Style| -> String {
        let list: Vec<String> = list
            .iter()
            .map(|e| system.pool.print_as(*e, style))
            .collect();
        list.join(", ")
    };
    let text = |style: Style| format!("F({}) = ({})", row(&from, style), row(&values, style));
    let plain = text(Style::Plain);
    (plain.len() <= LONGEST_MAP)
        .then(|| Part::Styled([plain, text(Style::Pretty), text(Style::Latex)]))
}

/// Continuously differentiable.
fn smooth() -> Part {
    said("C^1", "C^1", "C^1")
}

fn jacobian(model: &Model, derived: &Derived) -> Form {
    let d = &derived.derivation;
    let det = SymbolicDeterminant::new(&model.system, &model.equations, &d.dependent);
    let mut formulas = Vec::new();
    if let Some(whole) = det.whole {
        formulas.push(Formula::new(
            Left::Determinant(coordinates(model, &d.dependent)),
            whole,
        ));
    }
    let mut sentence = vec![
        words("With "),
        said("J = df/dx", "J = ∂f/∂x", "J = \\partial f/\\partial x"),
        words(", "),
        said("J_D", "J_D", "J_D"),
        words(" its columns of "),
        said("x_D", "x_D", "x_D"),
        words(" and "),
        said("J_I", "J_I", "J_I"),
        words(" those of "),
        said("x_I", "x_I", "x_I"),
        words(", the determinant of the Jacobian of F is, up to its sign, "),
        said("det J_D", "det J_D", "\\det J_D"),
        words(". "),
    ];
    if let Some(map) = whole::map(model, derived) {
        sentence.extend(map.words);
        sentence.push(words(" "));
    }
    sentence.extend(slips::of_jacobian(model, det.whole));
    if det.vanishes {
        sentence.push(words(
            "It is zero everywhere: these coordinates cannot be the dependent ones.",
        ));
    } else if det.factors.is_empty() && det.complete {
        sentence.push(words("It is never zero: N is "));
        if model.theorem.is_smooth() {
            sentence.push(words("the whole configuration space."));
        } else {
            sentence.push(words("the set where the constraints are "));
            sentence.extend([smooth(), words(".")]);
        }
    } else {
        sentence.push(words("N is the set where "));
        if det.factors.is_empty() || det.factors.len() > MOST_FACTORS || !det.complete {
            sentence.push(words("it is not zero"));
        } else {
            for (i, &factor) in det.factors.iter().enumerate() {
                sentence.push(words(if i == 0 { "" } else { " and " }));
                sentence.push(Part::Math(factor));
                sentence.push(words(" is not zero"));
            }
        }
        if !model.theorem.is_smooth() {
            sentence.extend([words(" and the constraints are "), smooth()]);
        }
        sentence.push(words("."));
    }
    Form {
        name: "Its Jacobian and the set N".to_owned(),
        words: sentence,
        formulas,
    }
}

fn inverse(model: &Model, derived: &Derived) -> Form {
    let d = &derived.derivation;
    let list: &[Branch] = derived.inverse.branches();
    let mut sentence = vec![words(
        "By the Inverse Function Theorem every point of N has a neighbourhood on which F can be inverted: ",
    )];
    sentence.push(Part::Names(coordinates(model, &d.dependent)));
    sentence.push(words(" = "));
    sentence.push(said("g(y, x_I)", "g(y, x_I)", "g(y, x_I)"));
    let mut formulas = Vec::new();
    match derived.inverse {
        Inverse::Closed(_) => {
            let pieces = match list.len() {
                1 => ", in closed form:".to_owned(),
                n => format!(", in closed form on each of {n} pieces of N:"),
            };
            sentence.push(words(pieces));
            formulas = functions(model, derived);
        }
        Inverse::Numeric(extent) => sentence.push(words(format!(
            ". No closed form was found{}; Newton's method gives its values, and its derivatives need none:",
            effort_words(extent)
        ))),
    }
    let slopes = whole::derivatives(model, derived).formulas;
    if formulas.is_empty() || slopes.len() <= 2 * MOST_FACTORS {
        formulas.extend(slopes);
    }
    Form {
        name: "The inverse function g".to_owned(),
        words: sentence,
        formulas: readable_ones(model, formulas),
    }
}

/// Where g is defined, round the start.
fn domain(model: &Model, derived: &Derived) -> Option<Form> {
    let domain = whole::domain(model, derived)?;
    let sentences = domain_words(model, &domain, Style::Plain).into_iter();
    let sentences: Vec<Part> = sentences
        .map(|text| words(format!("Round the start {text}. ")))
        .collect();
    (!sentences.is_empty()).then_some(Form {
        name: "Its domain F[N]".to_owned(),
        words: sentences,
        formulas: Vec::new(),
    })
}

/// What the constraints do: R = J^T lambda, and what a level is worth.
fn forces(model: &Model) -> Form {
    let system = &model.system;
    let pool = &system.pool;
    let list = reactions(system, &model.equations);
    let pairs = system.coordinates.iter().zip(list);
    let formulas = pairs
        .filter(|(_, e)| *e != pool.zero())
        .map(|(c, e)| Formula::new(Left::Component("R", c.x), e));
    let (equation, work) = if system.velocity_constraints.is_empty() {
        (
            said("R = J^T lambda", "R = Jᵀ λ", "R = J^T \\lambda"),
            said("R . dx = 0", "R · δx = 0", "R \\cdot \\delta x = 0"),
        )
    } else {
        (
            said(
                "R = J^T lambda + A^T lambda_A",
                "R = Jᵀ λ + Aᵀ λ_A",
                "R = J^T \\lambda + A^T \\lambda_A",
            ),
            said("R . dx = 0", "R · δx = 0", "R \\cdot \\delta x = 0"),
        )
    };
    Form {
        name: "The forces of constraint".to_owned(),
        words: vec![
            words("The constraints act on the coordinates with "),
            equation,
            words(", which does no work along a virtual displacement (section 7): "),
            work,
            words(
                ". At rest a multiplier is the rate at which the potential energy answers to the level of its constraint, ",
            ),
            said(
                "lambda_b = dV/dc_b",
                "λ_b = ∂V/∂c_b",
                "\\lambda_b = \\partial V/\\partial c_b",
            ),
            words(":"),
        ],
        formulas: readable_ones(model, formulas.collect()),
    }
}

fn multipliers(model: &Model, derived: &Derived) -> Form {
    let d = &derived.derivation;
    let system = &model.system;
    let mut formulas = Vec::new();
    if d.dependent.len() <= ENTRIES / 2 {
        formulas.extend(d.dependent.iter().map(|&k| {
            let left = Left::Component("E", system.coordinates[k].x);
            Formula::new(left, model.equations.euler_lagrange[k])
        }));
    }
    let mut sentence = vec![
        words("With "),
        said(
            "E = d/dt(dL/dx') - dL/dx - Q",
            "E = d/dt(∂L/∂x′) - ∂L/∂x - Q",
            "E = \\frac{d}{dt}\\frac{\\partial L}{\\partial \\dot x} - \\frac{\\partial L}{\\partial x} - Q",
        ),
        words(", the usual form is "),
        if system.velocity_constraints.is_empty() {
            said("E = J^T lambda", "E = Jᵀ λ", "E = J^T \\lambda")
        } else {
            said(
                "E - A^T lambda_A = J^T lambda",
                "E - Aᵀ λ_A = Jᵀ λ",
                "E - A^T \\lambda_A = J^T \\lambda",
            )
        },
        words(". Its rows of "),
        said("x_D", "x_D", "x_D"),
        words(
            " are as many equations as there are multipliers. Each multiplier is their sum with the derivatives of g: ",
        ),
        if system.velocity_constraints.is_empty() {
            said(
                "lambda_b = sum over a in D of E_a dg_a/dy_b, which is lambda = J_D^-T E_D",
                "λ_b = Σ E_a ∂g_a/∂y_b over a in D, which is λ = J_D⁻ᵀ E_D",
                "\\lambda_b = \\sum_{a \\in D} E_a\\, \\partial g_a/\\partial y_b,\\quad \\lambda = J_D^{-T} E_D",
            )
        } else {
            said(
                "lambda = J_D^-T (E - A^T lambda_A)_D",
                "λ = J_D⁻ᵀ (E - Aᵀ λ_A)_D",
                "\\lambda = J_D^{-T} (E - A^T \\lambda_A)_D",
            )
        },
        words(" (equation 4)"),
    ];
    match &d.multipliers {
        Some(list) => {
            sentence.push(words("."));
            let lambda = system.constraints.iter().zip(list);
            formulas.extend(lambda.map(|(c, &e)| Formula::new(Left::Symbol(c.multiplier), e)));
        }
        None if d.recursion.is_some() => sentence.push(words(
            "; written out it is too long to read: `derive` solves it block by block, one multiplier from another.",
        )),
        None => sentence.push(words("; it is left to numbers here.")),
    }
    Form {
        name: "The multipliers".to_owned(),
        words: sentence,
        formulas: readable_ones(model, formulas),
    }
}

fn reduced(model: &Model, derived: &Derived) -> Form {
    let d = &derived.derivation;
    let count = model.count();
    let mut formulas = Vec::new();
    let equation = if model.system.velocity_constraints.is_empty() {
        said(
            "E_I - J_I^T J_D^-T E_D = 0",
            "E_I - J_Iᵀ J_D⁻ᵀ E_D = 0",
            "E_I - J_I^T J_D^{-T} E_D = 0",
        )
    } else {
        said(
            "B^T (E - A^T lambda_A) = 0, B = [-J_D^-1 J_I; 1]",
            "Bᵀ (E - Aᵀ λ_A) = 0, B = [-J_D⁻¹ J_I; 1]",
            "B^T (E - A^T \\lambda_A) = 0,\\ B = \\begin{bmatrix} -J_D^{-1} J_I \\\\ 1 \\end{bmatrix}",
        )
    };
    let sentence = match (&d.reduced, count.left) {
        (_, 0) => vec![words(
            "No independent coordinate is left: the constraints alone determine the motion.",
        )],
        (Some(list), left) => {
            formulas.extend(list.iter().map(|e| vanishing(model, *e)));
            let plural = if left == 1 { "" } else { "s" };
            vec![
                words("Put into the rows of "),
                said("x_I", "x_I", "x_I"),
                words(", "),
                said("E_I", "E_I", "E_I"),
                words(", they leave "),
                equation,
                words(format!(
                    " (equation 2): {left} differential equation{plural}, with the constraints to invert."
                )),
            ]
        }
        (None, _) => vec![
            words(
                "The rows of the independent coordinates less their part in the multipliers are the reduced equations ",
            ),
            equation,
            words(" (equation 2)."),
        ],
    };
    Form {
        name: "The reduced equation".to_owned(),
        words: sentence,
        formulas: readable_ones(model, formulas),
    }
}

/// Equations 4 and 2 as one system.
fn together(model: &Model, derived: &Derived) -> Option<Form> {
    let own = whole::together(model, derived);
    let formulas = readable_ones(model, own.formulas);
    (!formulas.is_empty()).then_some(Form {
        name: "All equations together".to_owned(),
        formulas,
        ..own
    })
}

/// With g put in, on the first branch and those like it.
fn alone(model: &Model, derived: &Derived) -> Option<Form> {
    let groups = in_groups(&model.system.pool, derived.in_branches.as_ref()?);
    let alike = groups.first()?;
    let branch = &alike.equations;
    let lagrangian = branch.lagrangian.as_ref().filter(|l| l.agrees)?;
    let mut sentence = vec![words("With g and its time derivatives put in")];
    if !branch.conditions.is_empty() {
        sentence.push(words(", "));
        sentence.extend(where_alike(alike));
    }
    sentence.push(words(
        ", the same equations are the Euler-Lagrange equations of ",
    ));
    sentence.push(said("L_1", "L₁", "L_1"));
    sentence.push(words(
        ", the Lagrangian in the independent coordinates alone (section 5).",
    ));
    let mut formulas = vec![Formula::new(
        Left::Letter("L_1", "L_1"),
        lagrangian.lagrangian,
    )];
    formulas.extend(branch.equations.iter().map(|e| vanishing(model, *e)));
    let lambda = model.system.constraints.iter().zip(&branch.multipliers);
    formulas.extend(lambda.map(|(c, &e)| Formula::new(Left::Symbol(c.multiplier), e)));
    let formulas = readable_ones(model, formulas);
    (!formulas.is_empty()).then_some(Form {
        name: "In the independent coordinates alone".to_owned(),
        words: sentence,
        formulas,
    })
}
