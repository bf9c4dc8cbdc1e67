//! `derive --explain`: the derivation step by step, as the report takes it (NRL Memorandum Report
//! 6001, sections 3 to 7): F, its Jacobian, N, g, lambda, the reduced equation. A lecture handout of
//! half a page, in the symbols of the file.
//!
//! The steps are data: words with formulas, rendered as text and as LaTeX.

mod fails;
mod slips;
mod solved;
mod statics;
mod variation;

use crate::analysis::{Derived, Model};
use crate::expr::{Expr, Style};
use crate::mechanics::{Derivation, Together, reactions, readable, written_lagrangian};
use crate::report::domain::domain_words;
use crate::report::forms::{functions, multipliers as own_multipliers, vanishing, where_alike};
use crate::report::formula::{Form, Formula, Left, Part, escaped, sentence, styled, words};
use crate::report::json::each;
use crate::report::notes::holonomic_parts;
use crate::report::text::{
    Layout, Page, count as counted, form, joined, linked, only_if, validity_parts,
};
use crate::report::theory::told;
use crate::report::whole;
use crate::report::{effort_words, title};
use crate::theorem::{Alike, Branch, Inverse, SymbolicDeterminant, in_groups};
use serde_json::{Value, json};
use std::fmt::Write;

/// Entries of a list of formulas that are written out.
const ENTRIES: usize = 12;
/// Factors of a determinant that a sentence names.
const MOST_FACTORS: usize = 4;
/// Expressions longer than this are left to `derive`.
const LONGEST: usize = 400;

/// What is derived step by step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Route {
    /// The equations of motion and the multipliers, as the report takes them.
    Report,
    /// The same from the action.
    Action,
    /// The equations at rest.
    Rest,
    /// The accelerations and the multipliers, solved for.
    Solved {
        /// However long they are.
        full: bool,
    },
}

/// A derivation step by step.
pub struct Handout<'a> {
    model: &'a Model,
    steps: Vec<Form>,
}

impl<'a> Handout<'a> {
    /// The steps of a route.
    pub fn new(model: &'a Model, derived: &Derived, route: Route) -> Self {
        let steps = match route {
            Route::Report => steps(model, derived),
            Route::Action => variation::steps(model, derived),
            Route::Rest => statics::steps(model, derived),
            Route::Solved { full } => solved::steps(model, full),
        };
        Self { model, steps }
    }

    /// The name of each step, the words, and the formulas `left = e = right`.
    pub fn json(&self) -> Value {
        let system = &self.model.system;
        each(&self.steps, |step| {
            let forms = step.in_style(Style::Plain);
            let formulas = forms.iter().flat_map(|form| &form.formulas);
            json!({
                "name": step.name,
                "words": linked(" ", forms.iter().map(|form| form.sentence(system, Style::Plain))),
                "formulas": each(formulas, |f| f.line(system, Style::Plain)),
            })
        })
    }

    /// A page.
    pub fn text(&self, layout: Layout) -> String {
        let mut page = Page::laid_out(layout, &self.model.system.pool);
        page.all_in("derive --full");
        page.title(&title(self.model));
        for (i, step) in self.steps.iter().enumerate() {
            page.heading(&format!("{}. {}", i + 1, step.name));
            form(&mut page, self.model, step, (3, ENTRIES));
        }
        page.finish()
    }

    /// A LaTeX document that compiles as it is.
    pub fn latex(&self) -> String {
        let system = &self.model.system;
        let mut out = format!(
            "\\documentclass{{article}}\n\\usepackage{{amsmath}}\n\\allowdisplaybreaks\n\\emergencystretch=3em\n\\begin{{document}}\n\\section*{{{}}}\n",
            escaped(&title(self.model))
        );
        for (i, step) in self.steps.iter().enumerate() {
            let _ = write!(
                out,
                "\n\\paragraph{{{}. {}.}}\n{}\n{}",
                i + 1,
                sentence(&step.heading, system, Style::Latex),
                step.sentence(system, Style::Latex),
                step.aligned(system, ENTRIES)
            );
        }
        out.push_str("\\end{document}\n");
        out
    }
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
    list.extend(alone(model, derived));
    list.extend(without_multipliers(model, derived));
    list.push(forces(model));
    list.push(moved(model));
    list.extend(fails::failure(model, derived));
    list
}

/// A step: its formulas are those that can be read.
fn step(
    model: &Model,
    name: &str,
    words: Vec<Part>,
    formulas: impl IntoIterator<Item = Formula>,
) -> Form {
    let pool = &model.system.pool;
    let short = |f: &Formula| pool.size(f.e) <= LONGEST;
    Form::new(name, words, formulas.into_iter().filter(short).collect())
}

/// Do applied forces act?
fn is_forced(model: &Model) -> bool {
    let zero = model.system.pool.zero();
    model.system.forces.iter().any(|q| *q != zero)
}

fn usual(model: &Model, derived: &Derived) -> Form {
    let system = &model.system;
    let count = derived.count(&model.system);
    let lagrangian = Formula::new(Left::Letter("L", "L"), written_lagrangian(system));
    let zero = derived.standard.iter().map(|e| vanishing(model, *e));
    let (force, q) = only_if(is_forced(model), (" - Q_k", "Q the applied forces, "));
    let e = format!("With $E_k = d/dt(∂L/∂x_k′) - ∂L/∂x_k{force}$, {q}");
    let system_of = if !system.velocity_constraints.is_empty() {
        let (form, on) = if system.constraints.is_empty() {
            ("$E = Aᵀ λ_A$", "on velocities")
        } else {
            let form = "$E = Jᵀ λ + Aᵀ λ_A$, $J = ∂f/∂x$,";
            (form, "on positions and on velocities")
        };
        let constraints = counted(model.multiplier_names().len(), "constraint");
        format!(
            "the usual form is {form} with the constraints: {} differential equations and {constraints} {on} in {} unknowns, the coordinates and the multipliers.",
            count.differential,
            count.differential + model.multiplier_names().len(),
        )
    } else if system.constraints.is_empty() {
        "the equations of motion are $E_k = 0$: no constraint holds a coordinate.".to_owned()
    } else {
        format!(
            "the usual form is $E_k = Σ_b λ_b ∂f_b/∂x_k$ with the constraints $f_b = c_b$: {} differential and {} in {} unknowns, the coordinates and the multipliers. The steps are those of the report: F, its Jacobian, N, g, lambda and the reduced equations.",
            count.differential,
            counted(count.algebraic, "algebraic equation"),
            count.differential + count.algebraic,
        )
    };
    let units = " Units are those of the file: any that are consistent, angles in radians.";
    let words = told(&format!("{e}{system_of}{units}"), []);
    let mut form = step(model, "The usual form", words, zero);
    form.formulas.insert(0, lagrangian);
    form
}

/// The velocity constraints, and which of them are holonomic.
fn rolling(model: &Model) -> Option<Form> {
    if model.system.velocity_constraints.is_empty() {
        return None;
    }
    let mut sentence = told(
        "They bind velocities and no position: the Inverse Function Theorem, which inverts positions, has nothing to say of them. Each has a multiplier of its own, and with $A x′ + b = 0$ its force is $Aᵀ λ_A$:",
        [],
    );
    for note in holonomic_parts(model) {
        sentence.push(words(" "));
        sentence.extend(note);
    }
    let speeds = &model.equations.velocity.speeds;
    let speeds = speeds.iter().map(|e| vanishing(model, *e));
    Some(step(model, "The velocity constraints", sentence, speeds))
}

/// With velocity constraints: all multipliers, and the equations that contain none.
fn without_multipliers(model: &Model, derived: &Derived) -> Option<Form> {
    let whole = derived.whole.as_ref()?;
    let list = whole.multipliers.as_deref().unwrap_or_default();
    let mut formulas = own_multipliers(model, list);
    let equations = whole.reduced.iter().flatten();
    formulas.extend(equations.map(|e| vanishing(model, *e)));
    let mut sentence = told(
        "With $W = [J; A]$ in the place of J and {} dependent, positions or velocities",
        [Part::Names(model.system.positions_of(&whole.dependent))],
    );
    sentence.extend(validity_parts(model, &whole.dependent));
    sentence.push(words(
        ", the same steps give all multipliers, and one equation without them for each virtual displacement (a basis of the kernel of W):",
    ));
    let name = "All multipliers, and the equations without them";
    Some(step(model, name, sentence, formulas)).filter(|form| !form.formulas.is_empty())
}

fn map_f(model: &Model, derived: &Derived) -> Form {
    let d = &derived.derivation;
    let system = &model.system;
    let independent = model.system.positions_of(&d.independent);
    let dependent = Part::Names(model.system.positions_of(&d.dependent));
    let mut sentence = if independent.is_empty() {
        told(
            "Take {} as dependent (superfluous), $x_D$; nothing is left to move freely. ",
            [dependent],
        )
    } else {
        told(
            "Take {} as dependent (superfluous), $x_D$, and keep {} as independent, $x_I$. ",
            [dependent, Part::Names(independent)],
        )
    };
    sentence.extend(told(
        "The map $F$ puts the values $y = f(x)$ of the constraints in the place of $x_D$ and leaves $x_I$ as it is",
        [],
    ));
    if let Some(map) = map_written(model, d) {
        sentence.extend(told(": {}", [map]));
    }
    sentence.extend(told(
        ". Along the motion the values are those of the file, $y = c$:",
        [],
    ));
    let formulas = system.constraints.iter();
    let formulas = formulas.map(|c| Formula::new(Left::Symbol(c.level), c.f).equal(c.c));
    Form::new("The map F", sentence, formulas.collect())
}

/// `F(x1, x2) = (x2 - x1^2, x2)`, where that is short.
fn map_written(model: &Model, d: &Derivation) -> Option<Part> {
    const LONGEST_MAP: usize = 110;
    let system = &model.system;
    let values = system.constraints.iter().map(|c| c.f);
    let values: Vec<Expr> = values
        .chain(model.system.positions_of(&d.independent))
        .collect();
    let from: Vec<Expr> = system.positions();
    let row =
        |list: &[Expr], style: Style| joined(list.iter().map(|e| system.pool.print_as(*e, style)));
    let text = |style: Style| format!("F({}) = ({})", row(&from, style), row(&values, style));
    (text(Style::Plain).len() <= LONGEST_MAP).then(|| styled(text))
}

fn jacobian(model: &Model, derived: &Derived) -> Form {
    const NAME: &str = "Its Jacobian and the set N";
    let d = &derived.derivation;
    if d.dependent.len() < model.system.constraints.len() {
        let none = "The rows of $J = ∂f/∂x$ are dependent at every configuration: with any choice $det J_D$ is 0, and N is empty.";
        return Form::new(NAME, told(none, []), Vec::new());
    }
    let det = SymbolicDeterminant::new(&model.system, &model.equations, &d.dependent);
    let formulas = det.whole.map(|whole| {
        let dependent = model.system.positions_of(&d.dependent);
        Formula::new(Left::Determinant(dependent), whole)
    });
    let mut sentence = told(
        "With $J = ∂f/∂x$, $J_D$ its columns of $x_D$ and $J_I$ those of $x_I$, the determinant of the Jacobian of F is, up to its sign, $det J_D$. ",
        [],
    );
    sentence.extend(slips::of_jacobian(model, det.whole));
    let smooth = model.theorem.is_smooth();
    if det.vanishes {
        sentence.push(words(
            "It is zero everywhere: these coordinates cannot be the dependent ones.",
        ));
    } else if det.factors.is_empty() && det.complete {
        sentence.extend(told(
            if smooth {
                "It is never zero: N is the whole configuration space."
            } else {
                "It is never zero: N is the set where the constraints are $C¹$."
            },
            [],
        ));
    } else {
        sentence.push(words("N is the set where "));
        if det.factors.is_empty() || det.factors.len() > MOST_FACTORS || !det.complete {
            sentence.push(words("it is not zero"));
        } else {
            for (i, &factor) in det.factors.iter().enumerate() {
                sentence.push(words(if i == 0 { "" } else { " and " }));
                sentence.extend(told("{} is not zero", [Part::Math(factor)]));
            }
        }
        let rough = only_if(!smooth, " and the constraints are $C¹$");
        sentence.extend(told(&format!("{rough}."), []));
    }
    if let Some(map) = whole::map(model, derived) {
        sentence.push(words(" "));
        sentence.extend(map.words);
    }
    Form::new(NAME, sentence, formulas.into_iter().collect())
}

fn inverse(model: &Model, derived: &Derived) -> Form {
    const NAME: &str = "The inverse function g";
    let d = &derived.derivation;
    let list: &[Branch] = derived.inverse.branches();
    let mut sentence = told(
        "By the Inverse Function Theorem every point of N has a neighbourhood on which F can be inverted: {} = $g(y, x_I)$",
        [Part::Names(model.system.positions_of(&d.dependent))],
    );
    let mut formulas = Vec::new();
    match derived.inverse {
        Inverse::Closed(_) => {
            sentence.push(words(match list.len() {
                1 => ", in closed form".to_owned(),
                n => format!(", in closed form on each of {n} pieces of N"),
            }));
            formulas = functions(model, derived);
        }
        Inverse::Numeric(extent) => sentence.push(words(format!(
            ". No closed form was found{}; Newton's method gives its values",
            effort_words(extent)
        ))),
        Inverse::Nowhere => {
            let none = "$J_D$ is singular at every configuration: N is empty, and there is no g.";
            return step(model, NAME, told(none, []), Vec::new());
        }
    }
    let slopes = whole::derivatives(model, derived).formulas;
    let shown = formulas.is_empty() || slopes.len() <= 2 * MOST_FACTORS;
    sentence.extend(told(
        match (slopes.is_empty(), d.independent.is_empty()) {
            (true, _) => ":",
            (false, true) => ". Its derivatives are $∂g/∂y = J_D⁻¹$:",
            (false, false) => ". Its derivatives are $∂g/∂y = J_D⁻¹$ and $∂g/∂x_I = -J_D⁻¹ J_I$:",
        },
        [],
    ));
    if shown {
        formulas.extend(slopes);
    }
    step(model, NAME, sentence, formulas)
}

/// Where g is defined, round the start.
fn domain(model: &Model, derived: &Derived) -> Option<Form> {
    let domain = derived.domain(model)?;
    let mut sentences = Vec::new();
    for own in domain_words(model, domain) {
        let first = if sentences.is_empty() { "" } else { " " };
        sentences.push(words(format!("{first}Around the start ")));
        sentences.extend(own);
        sentences.push(words("."));
    }
    (!sentences.is_empty()).then(|| Form::new("Its domain $F[N]$", sentences, Vec::new()))
}

/// What the constraints do: R = J^T lambda.
fn forces(model: &Model) -> Form {
    let system = &model.system;
    let list = reactions(system, &model.equations);
    let pairs = system.coordinates.iter().zip(list);
    let formulas = pairs
        .filter(|(_, e)| *e != system.pool.zero())
        .map(|(c, e)| Formula::new(Left::Component("R", c.x), e));
    let rolls = !system.velocity_constraints.is_empty();
    let (force, bound) = only_if(rolls, (" + Aᵀ λ_A", " and $A δx = 0$"));
    let sentence = format!(
        "The constraints act on the coordinates with $R = Jᵀ λ{force}$, which does no work along a virtual displacement (section 7), $R · δx = 0$ for each $δx$ with $J δx = 0${bound}:"
    );
    let name = "The forces of constraint";
    step(model, name, told(&sentence, []), formulas)
}

/// What they do along the motion, and what a level is worth.
fn moved(model: &Model) -> Form {
    let system = &model.system;
    let pool = &system.pool;
    let mut formulas = Vec::new();
    let mut text = String::new();
    if model.rheonomic() {
        let terms = system.constraints.iter().zip(&model.equations.f_t);
        let power = pool.sum(terms.map(|(c, &f_t)| pool.mul(c.multiplier, f_t)));
        let power = readable(pool, pool.neg(power));
        formulas.push(Formula::new(Left::Letter("P", "P"), power));
        text.push_str("Constraints that move on do work along the motion, which is no virtual displacement: $P = -Σ_b λ_b ∂f_b/∂t$. Where a level is moved, $c_b(t)$, it does $λ_b c_b′$ more:");
    } else {
        text.push_str("Constraints that do not depend on time do no work along the motion; where a level is moved, $c_b(t)$, its constraint does work at the rate $λ_b c_b′$.");
        if !is_forced(model) && system.velocity_constraints.is_empty() {
            text.push_str(" At rest equation 4 is $λ_b = Σ_a ∂V/∂x_a ∂g_a/∂y_b$, the derivative of V, with g put in, by $y_b$: a multiplier is the rate at which the potential energy answers to the level of its constraint.");
        }
    }
    let name = "The work of a level that is moved";
    step(model, name, told(&text, []), formulas)
}

fn multipliers(model: &Model, derived: &Derived) -> Form {
    let d = &derived.derivation;
    let system = &model.system;
    let mut formulas = expressions(model, &d.dependent);
    let mut text = if system.velocity_constraints.is_empty() {
        "The rows of $x_D$, $E_D = J_Dᵀ λ$, are as many equations as there are multipliers. The derivatives of g solve them: $λ_b = Σ_a E_a ∂g_a/∂y_b$, with $a$ over the dependent coordinates, which is the same as $λ = J_D⁻ᵀ E_D$ (equation 4)"
    } else {
        "With the forces of the velocity constraints counted among the applied ones, $E - Aᵀ λ_A$ in the place of $E$, the rows of $x_D$ are as many equations as there are multipliers: $λ = J_D⁻ᵀ (E - Aᵀ λ_A)_D$ (equation 4)"
    }
    .to_owned();
    match &d.multipliers {
        Some(list) => {
            text.push(':');
            let sums = entries(model, derived, |t| t.equals != system.pool.zero());
            let lambda = system.constraints.iter().zip(list).enumerate();
            for (b, (c, &e)) in lambda {
                let symbol = || Left::Symbol(c.multiplier);
                let sum = sums.get(b).filter(|sum| **sum != e);
                formulas.extend(sum.map(|&sum| Formula::new(symbol(), sum)));
                formulas.push(Formula::new(symbol(), e));
            }
        }
        None if d.recursion.is_some() => text.push_str(
            "; written out it is too long to read: `derive` solves it block by block, one multiplier from another.",
        ),
        None => text.push_str("; it is left to numbers here."),
    }
    step(model, "The multipliers", told(&text, []), formulas)
}

/// E_k of these coordinates, where they are few.
fn expressions(model: &Model, list: &[usize]) -> Vec<Formula> {
    let few = list.len() <= ENTRIES;
    let list = list.iter().filter(|_| few).map(|&k| {
        let left = Left::Component("E", model.system.coordinates[k].x);
        Formula::new(left, model.equations.euler_lagrange[k])
    });
    list.collect()
}

/// The sums of equation 5 in E_k that the multipliers or the reduced equations are, where no velocity constraint adds to
/// E.
fn entries(model: &Model, derived: &Derived, which: impl Fn(&Together) -> bool) -> Vec<Expr> {
    let system = &model.system;
    if !system.velocity_constraints.is_empty() {
        return Vec::new();
    }
    let list = derived.derivation.together(system, &model.equations);
    let list = list.into_iter().flatten().filter(|own| which(own));
    list.map(|own| own.sum).collect()
}

fn reduced(model: &Model, derived: &Derived) -> Form {
    let d = &derived.derivation;
    let count = derived.count(&model.system);
    let mut formulas = Vec::new();
    let mut text = String::new();
    let equation = if model.system.velocity_constraints.is_empty() {
        "$E_I - J_Iᵀ J_D⁻ᵀ E_D = 0$"
    } else {
        "$Bᵀ (E - Aᵀ λ_A) = 0$, $B = [-J_D⁻¹ J_I; 1]$"
    };
    match (&d.reduced, count.left) {
        (_, 0) => text.push_str(
            "No independent coordinate is left: the constraints alone determine the motion.",
        ),
        (Some(list), left) => {
            let sums = entries(model, derived, |t| t.equals == model.system.pool.zero());
            if !sums.is_empty() {
                formulas.extend(expressions(model, &d.independent));
            }
            for (i, &e) in list.iter().enumerate() {
                formulas.extend(sums.get(i).map(|&sum| vanishing(model, sum)));
                formulas.push(vanishing(model, e));
            }
            let own = counted(left, "differential equation");
            text = format!(
                "Put into the rows of $x_I$, they leave {equation} (equation 2): {own}, with the constraints to invert."
            );
            if !sums.is_empty() {
                text.push_str(" Equations 4 and 2 together are $Σ_k E_k ∂x_k/∂z$, which is $λ_b$ for $z = y_b$ and 0 for $z = x_j$ independent, at $y = c$ (equation 5):");
            }
        }
        (None, _) => {
            text = format!(
                "The rows of the independent coordinates less their part in the multipliers are the reduced equations {equation} (equation 2)."
            );
        }
    }
    let name = match count.left {
        0 | 1 => "The reduced equation",
        _ => "The reduced equations",
    };
    step(model, name, told(&text, []), formulas)
}

/// With g put in, on the first branch and those like it.
fn alone(model: &Model, derived: &Derived) -> Option<Form> {
    let groups = in_groups(&model.system.pool, derived.in_branches.as_ref()?);
    let alike = groups.first()?;
    let apart = alike.apart().iter().map(|one| alone_in(model, one));
    Some(alone_in(model, alike)?.with_apart(apart.collect::<Option<_>>()?))
}

fn alone_in(model: &Model, alike: &Alike) -> Option<Form> {
    let branch = &alike.equations;
    let lagrangian = branch.lagrangian.as_ref().filter(|l| l.agrees)?;
    let mut sentence = vec![words("With g and its time derivatives put in")];
    if !branch.conditions.is_empty() {
        sentence.push(words(", "));
        sentence.extend(where_alike(alike));
    }
    sentence.extend(told(
        ", the same equations are the Euler-Lagrange equations of $L_1$, the Lagrangian in the independent coordinates alone (section 5).",
        [],
    ));
    let left = Left::Letter("L_1", "L_1");
    let mut formulas = vec![Formula::new(left, lagrangian.lagrangian)];
    formulas.extend(branch.equations.iter().map(|e| vanishing(model, *e)));
    formulas.extend(own_multipliers(model, &branch.multipliers));
    let name = "In the independent coordinates alone";
    Some(step(model, name, sentence, formulas)).filter(|form| !form.formulas.is_empty())
}
