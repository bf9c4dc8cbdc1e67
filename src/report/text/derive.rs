//! What `derive` says.

use super::extent;
use super::form::{domain, form, formula, formulas};
use super::math::Math;
use super::page::{Layout, Page, Section};
use super::table::left;
use super::{
    ENTRIES, branches, count as counted, inverse_heading, joined, left_out, linked, names, show,
    some, validity,
};
use crate::analysis::{Derived, Model};
use crate::expr::{Expr, Extent, Style};
use crate::mechanics::{
    Balance, Derivation, Eliminated, MultiplierBlock, Written, written_lagrangian,
};
use crate::report::forms::{block_formulas, multipliers, rates, where_alike, zeros};
use crate::report::formula::{lettered, sentence};
use crate::report::title;
use crate::report::whole;
use crate::report::{derived_notes, holonomic_notes};
use crate::system::Constraint;
use crate::theorem::{InBranch, Inverse, in_groups, value_at};
use std::slice;

/// A pivot that nothing can make zero.
const NEVER: &str = "never fails";
/// The modified Lagrangian of more constraints than this is left to JSON.
const FEW_CONSTRAINTS: usize = 6;

/// What `derive` gives a page for.
const PAGE: usize = 150;

/// The equations, group by group, on a page.
pub fn derive_text(model: &Model, derived: &Derived, layout: Layout) -> String {
    let mut page = Page::laid_out(layout, &model.system.pool);
    page.all_in("--full");
    written(&mut page, model, derived);
    page.keep_to(PAGE);
    page.finish()
}

/// All of the equations, none of them folded.
pub fn derive_text_in_full(model: &Model, derived: &Derived, layout: Layout) -> String {
    let mut page = Page::laid_out(layout, &model.system.pool);
    page.in_full();
    written(&mut page, model, derived);
    page.finish()
}

fn written(page: &mut Page, model: &Model, derived: &Derived) {
    let system = &model.system;
    let d = &derived.derivation;
    page.title(&title(model));
    let dependent = model.names(&d.dependent);
    let independent = model.names(&d.independent);
    let constrained = !system.constraints.is_empty();
    let lettered = |text: &str| lettered(system, text, Style::Plain);
    if constrained {
        let shortened = |names: &[String]| some(names.iter().cloned(), 2 * ENTRIES);
        let independent = if independent.is_empty() {
            "none".to_owned()
        } else {
            shortened(&independent)
        };
        page.prose_after("  dependent    ", 15, &shortened(&dependent));
        page.prose_after("  independent  ", 15, &independent);
        if !system.objective {
            page.prose_after("  equations    ", 15, &count_text(model, derived));
        }
    } else if system.velocity_constraints.is_empty() {
        page.line("  no constraints: every coordinate is independent");
    } else {
        page.line("  no constraint binds positions: no coordinate depends on the others");
    }
    let positive = system.pool.told_positive();
    if !positive.is_empty() {
        let names = joined(positive.iter().map(|p| system.pool.print(*p)));
        page.prose_after("  for          ", 15, &format!("{names} > 0"));
    }
    for note in derived_notes(model, derived) {
        page.prose(2, &format!("note: {note}"));
    }
    let account = (!system.objective).then(|| model.account());
    let of_account = account.map_or(Extent::Whole, |a| a.extent);
    extent(page, &[model.extent, derived.extent, of_account]);
    if system.objective {
        page.heading("Objective");
        let objective = system.pool.neg(system.lagrangian);
        page.expression(2, "", show(model, objective), "");
    } else {
        page.heading("Lagrangian");
        page.expression(
            2,
            &lettered("L = "),
            show(model, written_lagrangian(system)),
            "",
        );
    }
    if constrained {
        if !system.objective {
            modified(page, model);
        }
        page.heading("Constraints");
        let lines = system.constraints.iter().map(|c| typed(model, c));
        named(page, &lines.collect::<Vec<_>>());
    }
    velocity_constraints(page, model);
    if !system.velocity_constraints.is_empty() {
        let holonomic = if constrained { " - J^T lambda" } else { "" };
        page.heading(&lettered(&format!(
            "Usual form: d/dt(dL/dx') - dL/dx - Q{holonomic} - A^T lambda_A = 0"
        )));
    } else if system.objective {
        page.heading("Extremal points: d(objective)/dx - J^T lambda = 0");
    } else if constrained {
        page.heading(&lettered(
            "Usual form: d/dt(dL/dx') - dL/dx - Q - J^T lambda = 0",
        ));
    } else {
        page.heading(&lettered(
            "Equations of motion: d/dt(dL/dx') - dL/dx - Q = 0",
        ));
    }
    formulas(page, model, 2, &zeros(model, &derived.standard));
    if constrained {
        constrained_forms(page, model, derived);
    }
    if let Some(whole) = &derived.whole {
        without_multipliers(page, model, &derived.derivation, whole);
    }
    if let Some(account) = account {
        super::account::account(page, model, account);
    }
}

fn constrained_forms(page: &mut Page, model: &Model, derived: &Derived) {
    let d = &derived.derivation;
    let dependent = model.names(&d.dependent);
    if let Some(list) = &d.multipliers {
        let where_ = if d.dependent.len() == model.system.constraints.len() {
            validity(model, &d.dependent, page.style())
        } else {
            String::new()
        };
        page.heading(&format!("Multipliers{where_}"));
        formulas(page, model, 2, &multipliers(model, list));
    }
    if let Some(blocks) = &d.recursion {
        one_from_another(page, model, derived, blocks);
    }
    if let Some(list) = d.reduced.as_ref().filter(|list| !list.is_empty()) {
        page.heading("Reduced equations");
        formulas(page, model, 2, &zeros(model, list));
    }
    page.heading(inverse_heading(model));
    branches(page, model, &dependent, (&derived.inverse, &|_| false));
    if let Some(own) = derived.domain(model) {
        page.section(Section::Domain, "Domain of g: F[N], around the start");
        domain(page, model, own);
    }
    let together = Some(whole::together(model, derived));
    let forms = [
        (Section::Map, whole::map(model, derived)),
        (
            Section::Derivatives,
            Some(whole::derivatives(model, derived)),
        ),
        (
            Section::Together,
            together.filter(|_| !model.system.objective),
        ),
    ];
    for (section, own) in forms {
        if let Some(own) = own.filter(|own| !own.formulas.is_empty()) {
            page.section(section, &own.name);
            form(page, model, &own, (2, ENTRIES));
        }
    }
    if model.system.objective {
        return;
    }
    match (&derived.in_branches, &derived.eliminated) {
        (Some(list), e) if is_short(model, list, e.as_ref()) => independent(page, model, list),
        (list, Some(e)) if !d.independent.is_empty() => match (e.written(&model.system), list) {
            (Some(w), _) => eliminated(page, model, derived, (&e.velocities, w)),
            (None, Some(list)) => independent(page, model, list),
            (None, None) => {}
        },
        (Some(list), _) => independent(page, model, list),
        (None, _) => {}
    }
    stepwise(page, model, derived);
    // with velocity constraints they are those of W
    if derived.whole.is_none() {
        displacements(page, model, (&derived.derivation, ""));
    }
}

/// An equation with a name.
struct Named<'a> {
    name: &'a str,
    left: Math<'a>,
    right: Math<'a>,
}

/// A constraint as the file has it, one-sided ones with their side.
fn typed<'a>(model: &'a Model, c: &'a Constraint) -> Named<'a> {
    let (left, right) = c.typed;
    let tail = if c.side.is_some() {
        let right = model.system.pool.print(right);
        let held = format!(" >= {right}, lambda_{} >= 0 while in contact", c.name);
        Math::from(held.as_str())
    } else {
        show(model, right).on_the_right()
    };
    Named {
        name: &c.name,
        left: show(model, left),
        right: tail,
    }
}

/// Equations behind their names, which line up.
fn named(page: &mut Page, lines: &[Named<'_>]) {
    page.group_of(lines.len());
    let widest = lines.iter().map(|own| own.name.chars().count()).max();
    let widest = widest.unwrap_or(0) + 1;
    for own in lines.iter().take(ENTRIES) {
        let head = format!("{}:", own.name);
        page.equation(2, &format!("{head:widest$} "), &own.left, &own.right);
    }
    left_out(page, 2, lines.len().saturating_sub(ENTRIES));
}

/// A x' + b = 0, one a line, and which of them are holonomic.
fn velocity_constraints(page: &mut Page, model: &Model) {
    let list = &model.system.velocity_constraints;
    if list.is_empty() {
        return;
    }
    page.heading("Velocity constraints A x' + b = 0");
    let speeds = list.iter().zip(&model.equations.velocity.speeds);
    let lines = speeds.map(|(c, e)| Named {
        name: &c.name,
        left: show(model, *e),
        right: Math::from("0").on_the_right(),
    });
    named(page, &lines.collect::<Vec<_>>());
    for note in holonomic_notes(model, page.style()) {
        page.prose(2, &note);
    }
}

/// The forms for all constraints together: W = [J; A] in the place of J.
fn without_multipliers(page: &mut Page, model: &Model, own: &Derivation, whole: &Derivation) {
    let more = whole
        .dependent
        .iter()
        .filter(|k| !own.dependent.contains(k));
    let more: Vec<usize> = more.copied().collect();
    let more = names(&model.names(&more));
    let where_ = validity(model, &whole.dependent, page.style());
    if let Some(list) = &whole.multipliers {
        page.heading(&format!(
            "All multipliers, with {more} dependent by the velocity constraints{where_}"
        ));
        formulas(page, model, 2, &multipliers(model, list));
    }
    if let Some(list) = whole.reduced.as_ref().filter(|list| !list.is_empty()) {
        page.heading("Equations without multipliers, one per virtual displacement");
        formulas(page, model, 2, &zeros(model, list));
    }
    displacements(page, model, (whole, &where_));
}

/// The multipliers block by block, in the order of solution, and the equations that are left.
fn one_from_another(page: &mut Page, model: &Model, derived: &Derived, blocks: &[MultiplierBlock]) {
    let d = &derived.derivation;
    let where_ = validity(model, &d.dependent, page.style());
    page.heading(&format!("Multipliers, one from another{where_}"));
    page.group_of(blocks.len());
    let mut left = ENTRIES;
    let mut rest = 0;
    for block in blocks {
        let mut lines = block_formulas(model, block);
        lines.truncate(left);
        if block.multipliers.is_none() && !lines.is_empty() {
            let multipliers = model.constraints_named(&block.constraints).into_iter();
            let multipliers: Vec<String> = multipliers.map(|b| format!("lambda_{b}")).collect();
            page.prose(2, &format!("{} together, from", names(&multipliers)));
        }
        left -= lines.len();
        rest += block.constraints.len() - lines.len();
        for line in &lines {
            formula(page, model, 2, line);
        }
    }
    left_out(page, 2, rest);
    if !d.independent.is_empty() {
        page.heading("Reduced equations, with these multipliers");
        let list: Vec<Expr> = d.independent.iter().map(|&k| derived.standard[k]).collect();
        formulas(page, model, 2, &zeros(model, &list));
    }
}

/// `usual: 3 differential and 2 algebraic equations in 5 unknowns; here: 2 to invert, then 1 differential`.
fn count_text(model: &Model, derived: &Derived) -> String {
    let count = derived.count(&model.system);
    let here = match count.left {
        0 => "nothing left to integrate".to_owned(),
        left => format!("then {left} differential"),
    };
    format!(
        "usual: {} differential and {} in {} unknowns; here: {} to invert, {here}",
        count.differential,
        counted(count.algebraic, "algebraic equation"),
        count.differential + count.algebraic,
        count.inverted,
    ) + &match model.system.velocity_constraints.len() {
        0 => String::new(),
        p => format!(
            "; and {} with as many unknowns",
            counted(p, "velocity constraint")
        ),
    }
}

/// The modified Lagrangian, its part beside L written out.
fn modified(page: &mut Page, model: &Model) {
    let system = &model.system;
    let pool = &system.pool;
    if system.constraints.len() > FEW_CONSTRAINTS {
        return;
    }
    let terms = system.constraints.iter();
    let terms: Vec<Expr> = terms
        .map(|c| pool.mul(c.multiplier, pool.sub(c.f, c.c)))
        .collect();
    let head = lettered(system, "modified: L + ", Style::Plain);
    page.expression(2, &head, Math::of_terms(pool, terms), "");
    if !system.velocity_constraints.is_empty() {
        page.prose(
            2,
            "velocity constraints are no part of it: their forces do not come from varying a Lagrangian",
        );
    }
}

/// Are the equations with the inverse functions put in so short that they say more than those in
/// which x_D stands for them? Up to twice their length they do.
fn is_short(model: &Model, list: &[InBranch], eliminated: Option<&Eliminated>) -> bool {
    const LONGEST: usize = 600;
    // a few lines are short whatever else there is
    const FEW_LINES: usize = 400;
    let pool = &model.system.pool;
    let length = |e: &Expr| match pool.size(*e) {
        size if size > LONGEST => size,
        _ => show(model, *e).to_string().len(),
    };
    let longest = list
        .iter()
        .map(|b| b.equations.iter().chain(&b.multipliers).map(length).sum());
    let longest: usize = longest.max().unwrap_or(0);
    if longest <= FEW_LINES {
        return true;
    }
    let Some(e) = eliminated.and_then(|e| e.written(&model.system)) else {
        return true;
    };
    let other: usize = e.equations.iter().chain(&e.multipliers).map(length).sum();
    longest <= 2 * other
}

/// The equations without the dependent accelerations.
fn eliminated(
    page: &mut Page,
    model: &Model,
    derived: &Derived,
    (velocities, e): (&[Expr], &Written),
) {
    let dependent = model.names(&derived.derivation.dependent);
    let standing = match &derived.inverse {
        Inverse::Closed(_) => "the inverse functions",
        Inverse::Numeric(_) | Inverse::Nowhere => "their values by Newton's method",
    };
    let heading = format!(
        "In the independent accelerations alone, with {standing} for {}",
        names(&dependent)
    );
    page.section(Section::Independent, &heading);
    formulas(
        page,
        model,
        2,
        &rates(model, &derived.derivation, velocities),
    );
    let head = lettered(&model.system, "L_1 = ", Style::Plain);
    page.expression(2, &head, show(model, e.lagrangian), "");
    formulas(page, model, 2, &zeros(model, &e.equations));
    formulas(page, model, 2, &multipliers(model, &e.multipliers));
}

/// The equations in the independent coordinates, branches with the same ones together.
fn independent(page: &mut Page, model: &Model, list: &[InBranch]) {
    let heading = if list
        .iter()
        .all(|b| b.lagrangian.as_ref().is_some_and(|l| l.agrees))
    {
        "In the independent coordinates alone: L_1 and its Euler-Lagrange equations"
    } else {
        "In the independent coordinates alone"
    };
    let lettered = |text: &str| lettered(&model.system, text, Style::Plain);
    page.section(Section::Independent, &lettered(heading));
    let energy_stays = Balance::new(&model.system, &model.equations)
        .changed_by
        .is_empty();
    let groups = in_groups(&model.system.pool, list);
    let shown = groups.iter().flat_map(|alike| match page.style() {
        Style::Plain => alike.apart(),
        _ => slice::from_ref(alike),
    });
    for alike in shown.collect::<Vec<_>>() {
        let b = &alike.equations;
        let mut indent = 2;
        if !b.conditions.is_empty() {
            let condition = where_alike(alike);
            page.formula_prose("  ", 4, &sentence(&condition, &model.system, page.style()));
            indent = 4;
        }
        let lagrangian = b.lagrangian.as_ref().filter(|l| l.agrees);
        if let Some(l) = lagrangian {
            page.expression(indent, &lettered("L_1 = "), show(model, l.lagrangian), "");
        }
        formulas(page, model, indent, &zeros(model, &b.equations));
        formulas(page, model, indent, &multipliers(model, &b.multipliers));
        if let Some(energy) = lagrangian.and_then(|l| l.energy)
            && !energy_stays
        {
            // H changes, and this does not
            page.expression(
                indent,
                &lettered("H_1 = "),
                show(model, energy),
                "  conserved",
            );
        }
    }
}

/// Salas' construction: a step a constraint.
fn stepwise(page: &mut Page, model: &Model, derived: &Derived) {
    let steps = &derived.derivation.stepwise;
    if let [only] = steps.as_slice() {
        // its multiplier is told above; only what its pivot keeps from is not
        let style = page.style();
        if only.fails.is_empty() {
            let unless = unless(model, only.pivot, style);
            if unless != NEVER {
                page.gap();
                page.formula_prose("  ", 4, &format!("the choice {unless}"));
            }
        }
        return;
    }
    if steps.is_empty() {
        return;
    }
    let heading = if steps.iter().all(|step| derived.derivation.is_final(step)) {
        "One constraint at a time: each step has its multiplier as above"
    } else {
        "One constraint at a time; the multipliers given here are provisional"
    };
    page.section(Section::Stepwise, heading);
    page.group_of(steps.len());
    let style = page.style();
    let heads: Vec<Vec<String>> = steps
        .iter()
        .take(ENTRIES)
        .enumerate()
        .map(|(i, s)| {
            let shown = |e: &Expr| format!("{} = 0", show(model, *e).text(style));
            let fails = match linked(" or ", s.fails.iter().map(shown)) {
                none if none.is_empty() => unless(model, s.pivot, style),
                fails => format!("fails where {fails}"),
            };
            vec![
                page.say(&format!(
                    "  {}. {}",
                    i + 1,
                    model.constraint_names()[s.constraint]
                )),
                page.say(&format!(
                    "eliminates {}",
                    model.coordinate_names()[s.eliminates]
                )),
                format!("pivot {}", show(model, s.pivot).text(style)),
                fails,
            ]
        })
        .collect();
    let lines = left(&heads);
    let fits = page.fits(&lines);
    for ((step, head), line) in steps.iter().zip(&heads).zip(&lines) {
        if fits {
            page.apart();
            page.line(line);
        } else {
            let first = format!("{}  {}  ", head[0].trim_start(), head[1]);
            page.expression(2, &first, head[2].as_str(), "");
            page.prose(5, &head[3]);
        }
        if !derived.derivation.is_final(step) {
            let name = &model.constraint_names()[step.constraint];
            let multiplier = show(model, step.multiplier);
            page.expression(5, &format!("lambda_{name} = "), multiplier, "");
        }
    }
    left_out(page, 2, steps.len().saturating_sub(ENTRIES));
}

/// A pivot that no coordinate can make zero: what its parameters have to keep from.
fn unless(model: &Model, pivot: Expr, style: Style) -> String {
    let system = &model.system;
    let pool = &system.pool;
    let value = |e: &Expr| value_at(system, *e, &|_| f64::NAN);
    let factors = pool.factors(pivot).factors;
    let fixed = factors.iter().map(|(e, _)| e).filter(|e| {
        let inside = pool.symbols_of(**e);
        // lengths and masses are not 0 without being told
        !inside.is_empty() && (!inside.contains(*e) || value(e) == 0.0)
    });
    let shown = |e: &Expr| format!("{} = 0", show(model, *e).text(style));
    let fixed: Vec<&Expr> = fixed.collect();
    if let Some(zero) = fixed.iter().find(|e| value(e) == 0.0) {
        return format!("fails: {}", shown(zero));
    }
    match linked(" or ", fixed.into_iter().map(shown)) {
        none if none.is_empty() => NEVER.to_owned(),
        unless => format!("fails only if {unless}"),
    }
}

/// d'Alembert's virtual displacements: the dependent ones by the independent ones.
fn displacements(page: &mut Page, model: &Model, (d, where_): (&Derivation, &str)) {
    let Some(rows) = d.displacements.as_ref() else {
        return;
    };
    if d.independent.is_empty() || d.dependent.is_empty() {
        return;
    }
    let heading = format!("Virtual displacements (d'Alembert){where_}");
    page.section(Section::Displacements, &heading);
    page.group_of(d.dependent.len());
    let pool = &model.system.pool;
    let differential = |k: usize| pool.differential(&model.coordinate_names()[k], k);
    for (k, row) in d.dependent.iter().zip(rows).take(ENTRIES) {
        let terms: Vec<Expr> = row
            .iter()
            .zip(&d.independent)
            .filter(|(e, _)| **e != pool.zero())
            .map(|(e, k)| pool.mul(*e, differential(*k)))
            .collect();
        let head = format!("{} = ", show(model, differential(*k)).text(page.style()));
        page.shown_equation((2, &head), &Math::of_terms(pool, terms), "");
    }
    left_out(page, 2, d.dependent.len().saturating_sub(ENTRIES));
}
