//! What `derive` says of forces, momenta and energy.

use super::form::formulas;
use super::math::Math;
use super::page::{Page, Section};
use super::table::left;
use super::{ENTRIES, joined, left_out, names, show};
use crate::analysis::{Account, Model};
use crate::expr::Style;
use crate::mechanics::{Cause, ConstraintForce, SymmetryKind};
use crate::report::account::{displacement, sources};
use crate::report::forms::reactions;
use crate::report::formula::{lettered, sentence};

/// A longer direction is left to JSON.
const FEW: usize = 40;

/// The forces of constraint, momenta, the energy and what else is conserved.
pub(super) fn account(page: &mut Page, model: &Model, account: &Account) {
    if !model.multiplier_names().is_empty() {
        forces(page, model, account);
    }
    momenta(page, model, account);
    energy(page, model, account);
    symmetries(page, model, account);
}

fn forces(page: &mut Page, model: &Model, account: &Account) {
    let own = reactions(model, account);
    page.section(Section::Forces, &own.name);
    formulas(page, model, 2, &own.formulas);
    let beside: Vec<&ConstraintForce> = account.forces_beside_bodies().collect();
    for f in beside.iter().take(ENTRIES) {
        let constraint = &model.multiplier_names()[f.constraint];
        let shown = f.direction.iter();
        let direction = joined(shown.map(|(_, e)| show(model, *e).text(page.style())));
        let along = if direction.len() <= FEW {
            format!("  along ({direction})")
        } else {
            let is_position = f.constraint < model.system.constraints.len();
            let row = if is_position { "grad" } else { "the row of" };
            page.say(&format!("  along {row} {constraint}"))
        };
        let head = format!("F_{constraint} = ");
        page.expression(2, &head, show(model, f.magnitude), &along);
    }
    left_out(page, 2, beside.len().saturating_sub(ENTRIES));
    let several = beside.iter().filter(|f| f.several);
    let several = several.map(|f| format!("F_{}", model.multiplier_names()[f.constraint]));
    let several: Vec<String> = several.collect();
    if !several.is_empty() {
        let (verb, each) = if several.len() == 1 {
            ("goes", "a force only if these have")
        } else {
            ("go", "forces only if these have")
        };
        let bodies = match model.system.bodies.first() {
            _ if !account.on_bodies.is_empty() => "those on each body follow".to_owned(),
            None => "the force on one body needs `bodies` in the file, at coordinates".to_owned(),
            Some(body) => {
                let place = joined(body.at.iter().map(|e| show(model, *e).text(page.style())));
                format!(
                    "the force on one body needs its position to be coordinates themselves, and that of `{}` is [{place}]",
                    body.name
                )
            }
        };
        let listed = names(&several);
        page.prose(
            4,
            &format!(
                "{listed} {verb} over all coordinates together, {each} the same unit; {bodies}"
            ),
        );
    }
    for f in account.on_bodies.iter().take(ENTRIES) {
        let body = &model.system.bodies[f.body].name;
        let constraint = &model.multiplier_names()[f.constraint];
        let style = page.style();
        let direction = joined(f.direction.iter().map(|e| show(model, *e).text(style)));
        let torque = f.torque.map_or(String::new(), |torque| {
            format!(", torque {}", show(model, torque).text(style))
        });
        page.expression(
            2,
            &format!("F_{constraint}_{body} = "),
            show(model, f.magnitude),
            &format!("  along ({direction}){torque}"),
        );
    }
    left_out(page, 2, account.on_bodies.len().saturating_sub(ENTRIES));
}

fn momenta(page: &mut Page, model: &Model, account: &Account) {
    let pool = &model.system.pool;
    let names = model.coordinate_names().iter();
    let rows: Vec<(String, Math<'_>, String)> = names
        .zip(&account.balance.momenta)
        .enumerate()
        .filter(|(_, (_, p))| p.value != pool.zero())
        .map(|(k, (name, p))| {
            let fate = if p.is_conserved(pool) {
                "conserved".to_owned()
            } else if p.changed_by.contains(&Cause::Lagrangian) {
                let sources = sources(model, &p.changed_by);
                let sources = sentence(&sources, &model.system, Style::Plain);
                format!("changed by {sources}")
            } else {
                // dL/dx_k is zero: what is left are Q_k and R_k
                let force = pool.add(model.system.forces[k], account.reactions[k]);
                let force = show(model, force).text(page.style());
                let cyclic = page.say(&format!("{name} is cyclic, but p_{name}' = "));
                return (
                    page.say(&format!("p_{name} = ")),
                    show(model, p.value),
                    format!("{cyclic}{force}"),
                );
            };
            let head = page.say(&format!("p_{name} = "));
            (head, show(model, p.value), page.say(&fate))
        })
        .collect();
    if rows.is_empty() {
        return;
    }
    let heading = lettered(&model.system, "Momenta dL/dx'", Style::Plain);
    page.section(Section::Momenta, &heading);
    let style = page.style();
    let shown = rows.iter().take(ENTRIES);
    let table: Vec<Vec<String>> = shown
        .clone()
        .map(|(head, p, fate)| vec![format!("  {head}{}", p.text(style)), fate.clone()])
        .collect();
    let lines = left(&table);
    let flat = style == Style::Plain || shown.clone().all(|(_, p, _)| p.is_flat());
    if flat && page.fits(&lines) {
        page.lines(&lines);
    } else {
        page.group_of(rows.len());
        for (head, p, fate) in shown {
            page.shown_equation((2, head), p, "");
            page.prose(4, fate);
        }
    }
    left_out(page, 2, rows.len().saturating_sub(ENTRIES));
}

fn energy(page: &mut Page, model: &Model, account: &Account) {
    let balance = &account.balance;
    let lettered = |text: &str| lettered(&model.system, text, Style::Plain);
    page.section(Section::Energy, &lettered("Energy H = x'.dL/dx' - L"));
    page.group_of(1);
    page.expression(
        2,
        &lettered("H = "),
        show(model, model.equations.energy),
        "",
    );
    if balance.changed_by.is_empty() {
        let conserved = page.say(&lettered("  H' = 0: conserved"));
        page.line(&conserved);
    } else {
        let tail = format!(" = {}", show(model, balance.rate).text(page.style()));
        let terms = terms(&balance.changed_by, model.system.constraints.len());
        page.expression(2, &lettered("H' = "), lettered(&terms).as_str(), &tail);
    }
}

/// The terms of the balance that are there.
fn terms(causes: &[Cause], m: usize) -> String {
    let mut list = Vec::new();
    if causes.contains(&Cause::Force) {
        list.push("Q.x'");
    }
    let moving = |velocity: bool| {
        let mut causes = causes.iter();
        causes.any(|c| matches!(c, Cause::Constraint(b) if (*b >= m) == velocity))
    };
    if moving(false) {
        list.push("- lambda.f_t");
    }
    if moving(true) {
        list.push("- lambda_A.b");
    }
    if causes.contains(&Cause::Lagrangian) {
        list.push("- dL/dt");
    }
    let text = list.join(" ");
    match text.strip_prefix("- ") {
        Some(rest) => format!("-{rest}"),
        None => text,
    }
}

fn symmetries(page: &mut Page, model: &Model, account: &Account) {
    if account.symmetries.is_empty() {
        return;
    }
    let heading = "Conserved as well, by a symmetry of L and of the constraints";
    let heading = lettered(&model.system, heading, Style::Plain);
    page.section(Section::Symmetries, &heading);
    for s in &account.symmetries {
        let head = match s.kind(&model.system) {
            SymmetryKind::Turn => "angular momentum: ",
            SymmetryKind::Shift => "momentum: ",
            SymmetryKind::Moving => "Jacobi's integral: ",
            SymmetryKind::Other => "",
        };
        page.expression(2, head, show(model, s.quantity), "");
        page.prose(4, &format!("for {}", displacement(model, s, page.style())));
    }
}
