//! `derive --explain`: the derivation step by step, as the report takes it (NRL Memorandum Report
//! 6001, sections 3 to 7): F, its Jacobian, N, g, lambda, the reduced equation. A lecture handout of
//! half a page, in the symbols of the file.
//!
//! The steps are data: words with formulas, rendered as text and as LaTeX.

use super::forms::{functions, vanishing};
use super::formula::{Form, Formula, Left, Part, escaped, said, words};
use crate::analysis::{Derived, Model, Overrides};
use crate::expr::{Expr, Style};
use crate::mechanics::written_lagrangian;
use crate::report::text::{Layout, Page, place, show};
use crate::report::{effort_words, holonomic_notes, title};
use crate::theorem::{Branch, Inverse, SymbolicDeterminant};
use std::fmt::Write;

/// Entries of a list of formulas that are written out.
const ENTRIES: usize = 8;
/// Factors of a determinant that a sentence names.
const MOST_FACTORS: usize = 4;
/// Expressions longer than this are left to `derive`.
const LONGEST: usize = 400;

/// The handout as text.
pub fn explain_text(model: &Model, derived: &Derived, layout: Layout) -> String {
    let system = &model.system;
    let mut page = Page::laid_out(layout, &system.pool);
    page.all_in("derive --json");
    page.title(&title(model));
    let style = page.style();
    for (i, step) in steps(model, derived).iter().enumerate() {
        page.heading(&format!("{}. {}", i + 1, step.name));
        page.prose_after("   ", 3, &step.sentence(system, style));
        page.group_of(step.formulas.len());
        for f in step.formulas.iter().take(ENTRIES) {
            if let Some(condition) = f.condition(system, style) {
                page.formula_prose("      ", 8, &condition);
            }
            let head = f.head(system, style);
            let tail = f.tail(system, style);
            let indent = if f.inside { 8 } else { 6 };
            page.shown_equation((indent, &head), &show(model, f.e), &tail);
        }
        if step.formulas.len() > ENTRIES {
            let more = format!("... and {} more", step.formulas.len() - ENTRIES);
            page.prose(6, &more);
        }
    }
    page.finish()
}

/// The handout as a LaTeX document that compiles as it is.
pub fn explain_latex(model: &Model, derived: &Derived) -> String {
    let system = &model.system;
    let mut out = format!(
        "\\documentclass{{article}}\n\\usepackage{{amsmath}}\n\\allowdisplaybreaks\n\\emergencystretch=3em\n\\begin{{document}}\n\\section*{{{}}}\n",
        escaped(&title(model))
    );
    for step in steps(model, derived) {
        let _ = write!(
            out,
            "\n\\paragraph{{{}.}}\n{}\n{}",
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
    list.push(multipliers(model, derived));
    list.push(reduced(model, derived));
    list.extend(without_multipliers(model, derived));
    list.extend(alone(model, derived));
    list.extend(failure(model, derived));
    list
}

fn readable(model: &Model, formulas: Vec<Formula>) -> Vec<Formula> {
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
    formulas.extend(readable(model, zero.collect()));
    let text = if !system.velocity_constraints.is_empty() {
        format!(
            "With all constraints, the usual way has {} differential equations and {} constraints, on positions and on velocities, in {} unknowns: the coordinates and the multipliers, lambda and mu.",
            system.coordinates.len(),
            model.multiplier_names().len(),
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
    Form {
        name: "The usual form".to_owned(),
        words: vec![words(text)],
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
        "They bind velocities and no position: the Inverse Function Theorem, which inverts positions, has nothing to say of them. Each has a multiplier mu of its own, and with ",
    )];
    sentence.push(said("A x' + b = 0", "A x′ + b = 0", "A \\dot x + b = 0"));
    sentence.push(words(" its force is "));
    sentence.push(said("A^T mu", "Aᵀ μ", "A^T \\mu"));
    sentence.push(words(":"));
    for note in holonomic_notes(model, Style::Plain) {
        sentence.push(words(format!(" {note}")));
    }
    let speeds = &model.equations.velocity.speeds;
    Some(Form {
        name: "The velocity constraints".to_owned(),
        words: sentence,
        formulas: readable(model, speeds.iter().map(|e| vanishing(model, *e)).collect()),
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
    let formulas = readable(model, formulas);
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
        words(" as dependent (superfluous)"),
    ];
    if independent.is_empty() {
        sentence.push(words("; nothing is left to move freely. "));
    } else {
        sentence.push(words(" and keep "));
        sentence.push(Part::Names(independent));
        sentence.push(words(". "));
    }
    sentence.push(words(
        "The map F puts the values y of the constraints in the place of the dependent coordinates and leaves the others as they are; along the motion y = c:",
    ));
    let formulas = system.constraints.iter();
    let formulas = formulas.map(|c| Formula::new(Left::Symbol(c.level), c.f).equal(c.c));
    Form {
        name: "The map F".to_owned(),
        words: sentence,
        formulas: formulas.collect(),
    }
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
    let mut sentence = vec![words(
        "The Jacobian of F is, up to its sign, the determinant of the block of df/dx with the dependent columns. ",
    )];
    if det.vanishes {
        sentence.push(words(
            "It is zero everywhere: these coordinates cannot be the dependent ones.",
        ));
    } else if det.factors.is_empty() && det.complete {
        sentence.push(words(
            "It is never zero: N is the whole configuration space.",
        ));
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
    if let Some(rows) = &d.displacements
        && (formulas.is_empty() || d.dependent.len() * d.independent.len() <= 4)
    {
        for (&k, row) in d.dependent.iter().zip(rows) {
            let moved = d.independent.iter().zip(row);
            for (&i, &e) in moved.filter(|(_, e)| **e != model.system.pool.zero()) {
                let left =
                    Left::Partial(model.system.coordinates[k].x, model.system.coordinates[i].x);
                formulas.push(Formula::new(left, e));
            }
        }
    }
    Form {
        name: "The inverse function g".to_owned(),
        words: sentence,
        formulas: readable(model, formulas),
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
                "E - A^T mu = J^T lambda",
                "E - Aᵀ μ = Jᵀ λ",
                "E - A^T \\mu = J^T \\lambda",
            )
        },
        words(
            ". Its dependent rows are as many equations as there are multipliers, and their matrix is the block above: ",
        ),
        if system.velocity_constraints.is_empty() {
            said(
                "lambda = J_D^-T E_D",
                "λ = J_D⁻ᵀ E_D",
                "\\lambda = J_D^{-T} E_D",
            )
        } else {
            said(
                "lambda = J_D^-T (E - A^T mu)_D",
                "λ = J_D⁻ᵀ (E - Aᵀ μ)_D",
                "\\lambda = J_D^{-T} (E - A^T \\mu)_D",
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
        formulas: readable(model, formulas),
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
            "B^T (E - A^T mu) = 0, B = [-J_D^-1 J_I; 1]",
            "Bᵀ (E - Aᵀ μ) = 0, B = [-J_D⁻¹ J_I; 1]",
            "B^T (E - A^T \\mu) = 0,\\ B = \\begin{bmatrix} -J_D^{-1} J_I \\\\ 1 \\end{bmatrix}",
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
                words("Put into the independent rows they leave "),
                equation,
                words(format!(
                    " (equation 2): {left} differential equation{plural}, with the constraints to invert."
                )),
            ]
        }
        (None, _) => vec![
            words(
                "The independent rows less their part in the multipliers are the reduced equations ",
            ),
            equation,
            words(" (equation 2)."),
        ],
    };
    Form {
        name: "The reduced equation".to_owned(),
        words: sentence,
        formulas: readable(model, formulas),
    }
}

/// Where this choice fails, and which one carries on there.
fn failure(model: &Model, derived: &Derived) -> Option<Form> {
    let site = model.site(&Overrides::default()).ok()?;
    let t = site.t;
    let check = model.check(site, Some(&derived.derivation.dependent), &[]);
    let system = &model.system;
    let mut sentence = Vec::new();
    for entry in check.singular.iter().take(MOST_FACTORS) {
        let (Some(factor), Some(point)) = (entry.factor, entry.found.points().first()) else {
            continue;
        };
        let x = &point.x;
        if !sentence.is_empty() {
            sentence.push(words(" "));
        }
        sentence.push(words("On the constraints "));
        sentence.push(Part::Math(factor));
        sentence.push(words(format!(" = 0 at {}: ", place(x))));
        let ranking = model.theorem.choices(system, t, x, &[]);
        match ranking.choices.first() {
            Some(choice) => {
                sentence.push(words("the chart fails there, the motion does not, and "));
                sentence.push(Part::Names(coordinates(model, choice)));
                sentence.push(words(match choice.as_slice() {
                    [_] => " can be the dependent one.",
                    _ => " can be the dependent ones.",
                }));
            }
            None => sentence.push(words(
                "there the gradients of the constraints are dependent, and no choice works.",
            )),
        }
    }
    (!sentence.is_empty()).then_some(Form {
        name: "Where it fails".to_owned(),
        words: sentence,
        formulas: Vec::new(),
    })
}

/// With g put in, on the branch of the start or the first.
fn alone(model: &Model, derived: &Derived) -> Option<Form> {
    let list = derived.in_branches.as_ref()?;
    let branch = list.first()?;
    let lagrangian = branch.lagrangian.as_ref().filter(|l| l.agrees)?;
    let mut sentence = vec![words("With g and its time derivatives put in")];
    if !branch.conditions.is_empty() {
        sentence.push(words(", where "));
        sentence.push(Part::Where(branch.conditions.clone()));
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
    let formulas = readable(model, formulas);
    (!formulas.is_empty()).then_some(Form {
        name: "In the independent coordinates alone".to_owned(),
        words: sentence,
        formulas,
    })
}
