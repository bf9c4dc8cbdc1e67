//! Everything that is derived of a system, form by form, to leaf through or to copy.

use super::account::{displacement, sources};
use super::formula::{Form, Formula, Left, Part, styled, words};
use super::text::{only_if, validity, validity_parts};
use super::theory::told;
use super::whole;
use crate::analysis::{Account, Derived, Model};
use crate::expr::{Expr, Style};
use crate::mechanics::{Cause, Derivation, MultiplierBlock, written_lagrangian};
use crate::theorem::{Alike, in_groups};

/// The forms, in the order of the derivation; those without a formula are left out.
pub fn forms(model: &Model, derived: &Derived, account: &Account) -> Vec<Form> {
    let system = &model.system;
    let constrained = !system.constraints.is_empty();
    let mut list = vec![lagrangian(model, account)];
    let rolls = !system.velocity_constraints.is_empty();
    let usual = match only_if(rolls, " + Aᵀ λ_A") {
        "" if !constrained => "Equations of motion".to_owned(),
        more => format!("Usual form $E = Jᵀ λ{more}$"),
    };
    list.push(form(&usual, zeros(model, &derived.standard)));
    if constrained {
        list.extend(constrained_forms(model, derived));
    }
    if let Some(whole) = &derived.whole {
        list.extend(without_multipliers(model, whole));
    }
    if !model.multiplier_names().is_empty() {
        list.push(reactions(model, account));
        list.push(magnitudes(model, account));
    }
    list.push(momenta(model, account));
    list.push(energy(model, account));
    list.push(conserved(model, account));
    list.retain(|form| !form.formulas.is_empty());
    list
}

/// The equations worth reading at a glance: label and formula. With velocity constraints the multipliers are those of all, and the
/// equations without them one a virtual displacement.
pub fn summary(model: &Model, derived: &Derived) -> Vec<(String, Formula)> {
    let d = derived.whole.as_ref().unwrap_or(&derived.derivation);
    // of W = [J; A] the report says where it can be solved
    let holonomic = derived.whole.is_none();
    let solved = holonomic && d.multipliers.as_ref().is_some_and(|list| !list.is_empty());
    let place = solved.then(|| validity(model, &d.dependent, Style::Pretty));
    let number = |number: u8| only_if(holonomic, format!(" (eq. {number})"));
    let groups = [
        (
            format!("multiplier{}{}", number(4), place.unwrap_or_default()),
            multipliers(model, d.multipliers.as_deref().unwrap_or_default()),
        ),
        (
            format!("reduced{}", number(2)),
            zeros(model, d.reduced.as_deref().unwrap_or_default()),
        ),
        ("usual form".to_owned(), zeros(model, &derived.standard)),
        (
            "energy".to_owned(),
            vec![Formula::new(Left::Letter("H", "H"), model.equations.energy)],
        ),
    ];
    let labelled =
        |(label, list): (String, Vec<Formula>)| list.into_iter().map(move |f| (label.clone(), f));
    groups.into_iter().flat_map(labelled).collect()
}

pub(super) fn form(name: &str, formulas: Vec<Formula>) -> Form {
    Form::new(name, Vec::new(), formulas)
}

/// e = 0.
pub(super) fn vanishing(model: &Model, e: Expr) -> Formula {
    Formula::new(Left::Nothing, e).equal(model.system.pool.zero())
}

pub(super) fn zeros(model: &Model, list: &[Expr]) -> Vec<Formula> {
    list.iter().map(|e| vanishing(model, *e)).collect()
}

/// Multipliers, those of velocity constraints after the others.
pub(super) fn multipliers(model: &Model, list: &[Expr]) -> Vec<Formula> {
    let symbols = model.system.multipliers().zip(list);
    symbols
        .map(|(symbol, e)| Formula::new(Left::Symbol(symbol), *e))
        .collect()
}

/// The multipliers of a block, or the equations that have them together.
pub(super) fn block_formulas(model: &Model, block: &MultiplierBlock) -> Vec<Formula> {
    let symbol = |b: usize| Left::Symbol(model.system.constraints[b].multiplier);
    match &block.multipliers {
        Some(list) => {
            let rows = block.constraints.iter().zip(list);
            rows.map(|(&b, &e)| Formula::new(symbol(b), e)).collect()
        }
        None => zeros(model, &block.equations),
    }
}

/// The velocities of the dependent coordinates.
pub(super) fn rates(model: &Model, d: &Derivation, velocities: &[Expr]) -> Vec<Formula> {
    let rates = d.dependent.iter().zip(velocities);
    rates
        .map(|(&k, v)| Formula::new(Left::Symbol(model.system.coordinates[k].v), *v))
        .collect()
}

fn lagrangian(model: &Model, account: &Account) -> Form {
    let system = &model.system;
    let mut formulas = vec![Formula::new(
        Left::Letter("L", "L"),
        written_lagrangian(system),
    )];
    if !system.constraints.is_empty() {
        formulas.push(Formula::new(
            Left::Letter("L*", "L^*"),
            account.modified_lagrangian,
        ));
    }
    let constraints = system.constraints.iter();
    formulas.extend(constraints.map(|c| Formula::new(Left::Symbol(c.level), c.f).equal(c.c)));
    formulas.extend(zeros(model, &model.equations.velocity.speeds));
    form("Lagrangian and constraints", formulas)
}

fn constrained_forms(model: &Model, derived: &Derived) -> Vec<Form> {
    let d = &derived.derivation;
    let coordinates = &model.system.coordinates;
    let mut list = Vec::new();
    if let Some(lambda) = &d.multipliers {
        list.push(form("Multipliers (eq. 4)", multipliers(model, lambda)));
    }
    if let Some(reduced) = &d.reduced {
        list.push(form("Reduced equations (eq. 2)", zeros(model, reduced)));
    }
    if let Some(blocks) = &d.recursion {
        let formulas = blocks.iter().flat_map(|block| block_formulas(model, block));
        list.push(form(
            "Multipliers, one from another (eq. 4)",
            formulas.collect(),
        ));
        let rows: Vec<Expr> = d.independent.iter().map(|&k| derived.standard[k]).collect();
        list.push(form(
            "Reduced equations, with these multipliers (eq. 2)",
            zeros(model, &rows),
        ));
    }
    list.extend(whole::map(model, derived));
    list.push(form("Inverse functions", functions(model, derived)));
    list.push(whole::derivatives(model, derived));
    list.push(whole::together(model, derived));
    if let Some((whole, e)) = derived.eliminated_written(model) {
        let mut formulas = rates(model, d, &whole.velocities);
        formulas.push(Formula::new(Left::Letter("L_1", "L_1"), e.lagrangian));
        formulas.extend(zeros(model, &e.equations));
        formulas.extend(multipliers(model, &e.multipliers));
        list.push(form("In the independent accelerations alone", formulas));
    }
    for alike in in_groups(
        &model.system.pool,
        derived.in_branches.as_deref().unwrap_or_default(),
    ) {
        let apart = alike.apart().iter().map(|one| in_branches(model, one));
        list.push(in_branches(model, &alike).with_apart(apart.collect()));
    }
    let steps = d.stepwise.iter().flat_map(|s| {
        let c = &model.system.constraints[s.constraint];
        [
            Formula::new(
                Left::Component("pivot", coordinates[s.eliminates].x),
                s.pivot,
            ),
            Formula::new(Left::Symbol(c.multiplier), s.multiplier),
        ]
    });
    let more = only_if(
        !d.stepwise.iter().all(|step| d.is_final(step)),
        "; the multipliers given here are provisional",
    );
    let name = format!("One constraint at a time (Salas){more}");
    list.push(form(&name, steps.collect()));
    // with velocity constraints they are those of W
    if derived.whole.is_none() {
        list.extend(displacements(model, d));
    }
    list
}

fn displacements(model: &Model, d: &Derivation) -> Option<Form> {
    let coordinates = &model.system.coordinates;
    let rows = d.displacements.as_ref()?;
    let mut moves = Vec::new();
    for (&k, row) in d.dependent.iter().zip(rows) {
        for (&i, &e) in d.independent.iter().zip(row) {
            if e != model.system.pool.zero() {
                moves.push(Formula::new(
                    Left::Partial(coordinates[k].x, coordinates[i].x),
                    e,
                ));
            }
        }
    }
    Some(form("Virtual displacements (d'Alembert)", moves))
}

/// The forms for all constraints together: W = [J; A] in the place of J.
fn without_multipliers(model: &Model, whole: &Derivation) -> Vec<Form> {
    let mut list = Vec::new();
    if let Some(lambda) = &whole.multipliers {
        let where_ = validity(model, &whole.dependent, Style::Plain);
        let name = format!("All multipliers{where_}");
        let mut form = form(&name, multipliers(model, lambda));
        form.heading = vec![words("All multipliers")];
        form.heading.extend(validity_parts(model, &whole.dependent));
        list.push(form);
    }
    if let Some(reduced) = &whole.reduced {
        let name = "Equations without multipliers";
        list.push(form(name, zeros(model, reduced)));
    }
    list.extend(displacements(model, whole));
    list
}

/// The inverse functions, branch by branch.
pub fn functions(model: &Model, derived: &Derived) -> Vec<Formula> {
    let dependent = &derived.derivation.dependent;
    let mut list = Vec::new();
    for b in derived.inverse.branches() {
        for (place, (&k, &g)) in dependent.iter().zip(&b.functions).enumerate() {
            list.push(Formula {
                branch: (place == 0).then(|| b.conditions.clone()),
                inside: !b.conditions.is_empty(),
                period: b.period(k),
                ..Formula::new(Left::Symbol(model.system.coordinates[k].x), g)
            });
        }
    }
    list
}

/// `where x > 0, and where x < 0, and with the lower signs where ...`
pub(super) fn where_alike(alike: &Alike) -> Vec<Part> {
    let mut list = Vec::new();
    let signs = [
        ("where ", &alike.upper),
        (", and with the lower signs where ", &alike.lower),
    ];
    for (first, conditions) in signs {
        for (place, condition) in conditions.iter().enumerate() {
            list.push(words(if place == 0 { first } else { ", and where " }));
            list.push(Part::Where(condition.clone()));
        }
    }
    list
}

fn in_branches(model: &Model, alike: &Alike) -> Form {
    let b = &alike.equations;
    let mut formulas = Vec::new();
    if let Some(l) = b.lagrangian.as_ref().filter(|l| l.agrees) {
        formulas.push(Formula::new(Left::Letter("L_1", "L_1"), l.lagrangian));
    }
    formulas.extend(zeros(model, &b.equations));
    formulas.extend(multipliers(model, &b.multipliers));
    let words = if b.conditions.is_empty() {
        Vec::new()
    } else {
        where_alike(alike)
    };
    Form::new("In the independent coordinates alone", words, formulas)
}

pub(super) fn reactions(model: &Model, account: &Account) -> Form {
    let coordinates = model.system.coordinates.iter().zip(&account.reactions);
    let formulas = coordinates
        .filter(|(_, e)| **e != model.system.pool.zero())
        .map(|(c, e)| Formula::new(Left::Component("R", c.x), *e));
    let rolls = !model.system.velocity_constraints.is_empty();
    let more = only_if(rolls, " + Aᵀ λ_A");
    let name = format!("Forces of constraint $R = Jᵀ λ{more}$");
    form(&name, formulas.collect())
}

/// The magnitudes lambda |grad f| of the forces, on all coordinates and on bodies, with their directions in words.
fn magnitudes(model: &Model, account: &Account) -> Form {
    let mut sentence = Vec::new();
    let mut formulas = Vec::new();
    let mut add = |names: Vec<String>, magnitude: Expr, direction: &[Expr]| {
        let first = if sentence.is_empty() { "" } else { "; " };
        sentence.push(words(format!("{first}{} along (", names.join(" on "))));
        for (i, e) in direction.iter().enumerate() {
            sentence.push(words(if i == 0 { "" } else { ", " }));
            sentence.push(Part::Math(*e));
        }
        sentence.push(words(")"));
        formulas.push(Formula::new(Left::Named("F", names), magnitude));
    };
    let name = |constraint: usize| model.multiplier_names()[constraint].clone();
    for f in account.forces_beside_bodies() {
        let direction: Vec<Expr> = f.direction.iter().map(|(_, e)| *e).collect();
        add(vec![name(f.constraint)], f.magnitude, &direction);
    }
    for f in &account.on_bodies {
        let body = model.system.bodies[f.body].name.clone();
        add(vec![name(f.constraint), body], f.magnitude, &f.direction);
    }
    Form::new("Magnitudes of the forces, $λ |grad f|$", sentence, formulas)
}

fn momenta(model: &Model, account: &Account) -> Form {
    let pool = &model.system.pool;
    let coordinates = model.system.coordinates.iter();
    let momenta = coordinates.zip(&account.balance.momenta);
    let there: Vec<_> = momenta.filter(|(_, p)| p.value != pool.zero()).collect();
    let mut sentence = Vec::new();
    for (c, p) in &there {
        let first = if sentence.is_empty() { "" } else { "; " };
        sentence.push(words(first));
        sentence.push(Left::Component("p", c.x).part(&model.system));
        if p.is_conserved(pool) {
            sentence.push(words(" is conserved"));
            continue;
        }
        sentence.push(words(" is changed by "));
        sentence.extend(sources(model, &p.changed_by));
        if !p.changed_by.contains(&Cause::Lagrangian) {
            sentence.extend(told(", though $L$ has no {}", [Part::Math(c.x)]));
        }
    }
    let formulas = there
        .iter()
        .map(|(c, p)| Formula::new(Left::Component("p", c.x), p.value));
    Form::new("Momenta", sentence, formulas.collect())
}

fn energy(model: &Model, account: &Account) -> Form {
    let formulas = vec![
        Formula::new(Left::Letter("H", "H"), model.equations.energy),
        Formula::new(Left::Letter("H'", "\\dot{H}"), account.balance.rate),
    ];
    let said = match account.balance.changed_by.as_slice() {
        [] => vec![words("conserved")],
        by => {
            let by = sources(model, by).into_iter();
            let head = [words("not conserved: changed by ")];
            head.into_iter().chain(by).collect()
        }
    };
    Form::new("Energy", said, formulas)
}

fn conserved(model: &Model, account: &Account) -> Form {
    let mut sentence = Vec::new();
    for s in &account.symmetries {
        let then = only_if(!sentence.is_empty(), "; ");
        sentence.push(words(format!("{then}for ")));
        sentence.push(styled(|style| displacement(model, s, style)));
    }
    let formulas = account.symmetries.iter();
    let formulas = formulas.map(|s| Formula::new(Left::Nothing, s.quantity));
    Form::new(
        "Conserved as well, by symmetry",
        sentence,
        formulas.collect(),
    )
}
