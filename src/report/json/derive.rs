//! The equations of motion: the `derive` object.

use super::inverse::inverse;
use super::{by_name, each, expressions, object, printed, tell_extent};
use crate::analysis::{Account, Derived, Model};
use crate::expr::{Expr, Style};
use crate::mechanics::{MapF, MultiplierBlock, written_lagrangian};
use crate::report::account::{displacement, source};
use crate::report::derived_notes;
use crate::report::domain::domain_json;
use crate::report::formula::condition_text;
use crate::report::title;
use crate::report::velocity::{velocity_constraints, whole as without_multipliers};
use crate::report::{Handout, Route};
use crate::system::Constraint;
use crate::theorem::InBranch;
use serde_json::{Value, json};

/// The interface's `derive` object.
pub fn derive_json(model: &Model, derived: &Derived) -> Value {
    let pool = &model.system.pool;
    let d = &derived.derivation;
    let coordinates = model.coordinate_names();
    let independent = model.names(&d.independent);
    let by_independent = |list: &[Expr]| expressions(model, &independent, list);
    let by_constraint = |list: &[Expr]| expressions(model, model.constraint_names(), list);
    let in_branch = |b: &InBranch| {
        let own = b.lagrangian.as_ref();
        let kept = own.map(|l| {
            l.energy
                .into_iter()
                .chain(l.momenta.iter().map(|(_, p)| *p))
        });
        json!({
            "where": condition_text(&model.system, &b.conditions, Style::Plain),
            "equations": by_independent(&b.equations),
            "multipliers": by_constraint(&b.multipliers),
            "lagrangian": own.map(|l| pool.print(l.lagrangian)),
            "agrees": own.filter(|l| l.agrees).map(|l| l.agrees),
            "conserved": each(kept.into_iter().flatten(), |e| pool.print(e)),
        })
    };
    let eliminated = derived.eliminated_written(model).map(|(whole, e)| {
        let dependent = model.names(&d.dependent);
        json!({
            "velocities": expressions(model, &dependent, &whole.velocities),
            "accelerations": expressions(model, &dependent, &e.accelerations),
            "lagrangian": pool.print(e.lagrangian),
            "equations": by_independent(&e.equations),
            "multipliers": by_constraint(&e.multipliers),
        })
    });
    let account = model.account();
    let count = derived.count(&model.system);
    let mut told = json!({
        "system": title(model),
        "lagrangian": pool.print(written_lagrangian(&model.system)),
        "modified_lagrangian": pool.print(account.modified_lagrangian),
        "coordinates": coordinates,
        "constraints": constraints(model),
        "dependent": model.names(&d.dependent),
        "independent": independent,
        "euler_lagrange": expressions(model, coordinates, &model.equations.euler_lagrange),
        "standard": printed(model, &derived.standard),
        "multipliers": d.multipliers.as_deref().map(by_constraint),
        "reduced": d.reduced.as_deref().map(by_independent),
        "reduced_eliminated": eliminated,
        "inverse": inverse(model, &derived.inverse, &d.dependent),
        "reduced_independent": derived.in_branches.as_ref().map(|list| each(list, in_branch)),
        "stepwise": each(&d.stepwise, |s| json!({
            "constraint": model.constraint_names()[s.constraint],
            "eliminates": coordinates[s.eliminates],
            "pivot": pool.print(s.pivot),
            "fails": each(&s.fails, |e| format!("{} = 0", pool.print(*e))),
            "multiplier": pool.print(s.multiplier),
        })),
        "tangents": tangents(model, derived),
        "count": {
            "usual": {
                "differential": count.differential,
                "algebraic": count.algebraic,
                "unknowns": count.differential + count.algebraic,
            },
            "here": {"invert": count.inverted, "differential": count.left},
        },
    });
    for part in [
        accounted(model, account),
        of_map(model, derived),
        noted(model, derived),
    ] {
        if let (Value::Object(whole), Value::Object(part)) = (&mut told, part) {
            whole.extend(part);
        }
    }
    tell_extent(&mut told, &[model.extent, derived.extent, account.extent]);
    if let Some(blocks) = &d.recursion {
        told["multipliers_recursive"] = each(blocks, |block| multiplier_block(model, block));
        let rows: Vec<Expr> = d.independent.iter().map(|&k| derived.standard[k]).collect();
        told["reduced_recursive"] = by_independent(&rows);
    }
    told
}

/// Notes, and what velocity constraints add.
fn noted(model: &Model, derived: &Derived) -> Value {
    let notes = derived_notes(model, derived);
    let mut told = json!({
        "notes": each(&notes, |note| note.text.as_str()),
        "note_reasons": each(&notes, |note| note.reason),
    });
    if !model.system.velocity_constraints.is_empty() {
        told["velocity_constraints"] = velocity_constraints(model);
        let all = derived.whole.as_ref();
        told["without_multipliers"] = json!(all.map(|d| without_multipliers(model, d)));
    }
    told
}

/// F as a whole, its domain, the derivatives of g, all equations together, and the same from the action.
fn of_map(model: &Model, derived: &Derived) -> Value {
    let pool = &model.system.pool;
    let d = &derived.derivation;
    let by_constraint = |row: &Vec<Expr>| expressions(model, model.constraint_names(), row);
    let dg_dy = d
        .by_levels(&model.system, &model.equations)
        .map(|rows| by_name(model.names(&d.dependent), rows.iter().map(by_constraint)));
    let together = d.together(&model.system, &model.equations);
    let domain = derived.domain(model).map(|d| domain_json(model, d));
    let variation = !model.system.objective;
    let variation = variation.then(|| Handout::new(model, derived, Route::Action).json());
    json!({
        "map": map(model, derived),
        "dg_dy": dg_dy,
        "domain": domain,
        "together": together.map(|list| each(list, |own| json!({
            "by": pool.print(own.by),
            "sum": pool.print(own.sum),
            "equals": pool.print(own.equals),
        }))),
        "variation": variation,
    })
}

/// F = (f, x_I, t) with its Jacobian.
fn map(model: &Model, derived: &Derived) -> Value {
    let d = &derived.derivation;
    if d.dependent.len() != model.system.constraints.len() || model.system.constraints.is_empty() {
        return Value::Null;
    }
    let map = MapF::new(&model.system, &model.equations, d);
    json!({
        "values": printed(model, &map.values),
        "rows": printed(model, &map.rows),
        "columns": printed(model, &map.columns),
        "jacobian": each(&map.jacobian, |row| printed(model, row)),
        "sign": map.sign,
    })
}

/// A block of the multipliers that are given one from another.
fn multiplier_block(model: &Model, block: &MultiplierBlock) -> Value {
    let names = model.constraints_named(&block.constraints);
    let multipliers = block.multipliers.as_ref();
    let multipliers = multipliers.map(|list| expressions(model, &names, list));
    json!({
        "constraints": names,
        "coordinates": model.names(&block.coordinates),
        "multipliers": multipliers,
        "equations": printed(model, &block.equations),
    })
}

/// The forces of constraint, momenta, energy, conserved quantities.
fn accounted(model: &Model, account: &Account) -> Value {
    let pool = &model.system.pool;
    let coordinates = model.coordinate_names();
    let balance = &account.balance;
    let momenta = coordinates.iter().zip(&balance.momenta).map(|(name, p)| {
        let entry = json!({
            "value": pool.print(p.value),
            "conserved": p.is_conserved(pool),
            "changed_by": each(&p.changed_by, |c| source(model, *c)),
        });
        (name, entry)
    });
    let bodies = each(&account.on_bodies, |f| {
        let constraint = &model.multiplier_names()[f.constraint];
        let body = &model.system.bodies[f.body].name;
        json!({
            "body": body,
            "constraint": constraint,
            "column": format!("F_{constraint}_{body}"),
            "magnitude": pool.print(f.magnitude),
            "direction": printed(model, &f.direction),
            "torque": f.torque.map(|e| pool.print(e)),
        })
    });
    let forces = each(&account.forces, |f| {
        let name = &model.multiplier_names()[f.constraint];
        let (along, direction): (Vec<usize>, Vec<Expr>) = f.direction.iter().copied().unzip();
        json!({
            "constraint": name,
            "column": format!("F_{name}"),
            "magnitude": pool.print(f.magnitude),
            "direction": expressions(model, model.names(&along), direction),
        })
    });
    let mut conserved: Vec<(Expr, String)> = Vec::new();
    if balance.changed_by.is_empty() {
        let because = "neither L nor a constraint contains t, and the forces do no work";
        conserved.push((model.equations.energy, because.to_owned()));
    }
    for (name, p) in coordinates.iter().zip(&balance.momenta) {
        if p.is_conserved(pool) {
            let because =
                format!("{name} is in neither L nor a constraint, and no force acts on it");
            conserved.push((p.value, because));
        }
    }
    for s in &account.symmetries {
        let moved = displacement(model, s, Style::Plain);
        let because = format!("L and the constraints do not change for {moved}");
        conserved.push((s.quantity, because));
    }
    json!({
        "constraint_forces": expressions(model, coordinates, &account.reactions),
        "forces": forces,
        "body_forces": bodies,
        "momenta": object(momenta),
        "energy": pool.print(model.equations.energy),
        "energy_rate": {
            "rate": pool.print(balance.rate),
            "forces": pool.print(balance.forces),
            "constraints": pool.print(balance.constraints),
            "explicit": pool.print(balance.explicit),
        },
        "conserved": each(conserved, |(quantity, because)| json!({
            "quantity": pool.print(quantity), "because": because,
        })),
    })
}

fn constraints(model: &Model) -> Value {
    let pool = &model.system.pool;
    let list = model.system.constraints.iter();
    let value = |c: &Constraint| json!({"f": pool.print(c.f), "c": pool.print(c.c)});
    object(list.map(|c| (&c.name, value(c))))
}

/// A basis of virtual displacements: one vector an independent coordinate, its entry for each coordinate.
fn tangents(model: &Model, derived: &Derived) -> Value {
    let pool = &model.system.pool;
    let d = match &derived.whole {
        Some(whole) => whole,
        None if model.system.velocity_constraints.is_empty() => &derived.derivation,
        None => return Value::Null,
    };
    let Some(rows) = &d.displacements else {
        return Value::Null;
    };
    let vectors = each(d.independent.iter().enumerate(), |(column, &own)| {
        let entry = |k: usize| match d.dependent.iter().position(|&x| x == k) {
            Some(row) => rows[row][column],
            None if k == own => pool.one(),
            None => pool.zero(),
        };
        let names = model.coordinate_names();
        expressions(model, names, (0..names.len()).map(entry))
    });
    json!({
        "basis": vectors,
        "constant": d.displacements_are_constant(&model.system),
    })
}
