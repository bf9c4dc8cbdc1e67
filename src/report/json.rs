//! The interface's JSON objects. Numbers that are not finite are `null`; no control character leaves unescaped.
//!
//! Where the multipliers of `derive` would be too long in closed form, or a block of J_D is too large to
//! solve in symbols, `multipliers` and `reduced` are `null` and two keys are added:
//! `multipliers_recursive` lists the blocks of J_D^T lambda = E_D in the order of solution, each with its
//! `constraints`, its `coordinates`, its `multipliers` in the `lambda_NAME` of blocks before (`null` where
//! the block is too large), and its `equations`, zero along every motion; `reduced_recursive` has the
//! equations of the independent coordinates in all `lambda_NAME`.

use super::account::{displacement, source};
use super::title;
use super::velocity::{velocity_constraints, whole};
use crate::analysis::{
    Account, Check, Closure, Derived, Finding, InverseAnswer, Model, Run, along, condition_text,
};
use crate::expr::{Expr, Style};
use crate::mechanics::{MultiplierBlock, written_lagrangian};
use crate::solver::{Assembly, Column, Comparison, Method, Motion, Placed, Work};
use crate::system::{Builtin, sanitize};
use crate::theorem::{Inverse, Neighbourhood, SymbolicDeterminant};
use nalgebra::DMatrix;
use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter};
use serde_json::{Map, Serializer, Value, json};
use std::io::{self, Write};

/// Parts of the time in which the methods are compared.
const ALONG: usize = 100;

/// Writes one object and a line end.
pub fn write_json(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    value.serialize(&mut Serializer::with_formatter(&mut *out, Escaped))?;
    out.write_all(b"\n")
}

/// Compact JSON in which the control characters beyond ASCII are escaped as well.
struct Escaped;

impl Formatter for Escaped {
    fn write_string_fragment<W>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()>
    where
        W: ?Sized + Write,
    {
        let mut rest = fragment;
        while let Some((at, c)) = rest.char_indices().find(|(_, c)| c.is_control()) {
            CompactFormatter.write_string_fragment(writer, &rest[..at])?;
            write!(writer, "\\u{:04x}", u32::from(c))?;
            rest = &rest[at + c.len_utf8()..];
        }
        CompactFormatter.write_string_fragment(writer, rest)
    }
}

/// Values by name.
pub(super) fn by_name(names: &[String], values: &[f64]) -> Value {
    let pairs = names.iter().cloned().zip(values);
    Value::Object(pairs.map(|(name, value)| (name, json!(value))).collect())
}

/// Coordinates and their values.
pub(super) fn point_json(model: &Model, x: &[f64]) -> Value {
    by_name(model.coordinate_names(), x)
}

/// Names and expressions.
pub(super) fn expressions<'a>(
    model: &Model,
    list: impl IntoIterator<Item = (&'a String, Expr)>,
) -> Value {
    let printed = list
        .into_iter()
        .map(|(name, e)| (name.clone(), json!(model.system.pool.print(e))));
    Value::Object(printed.collect())
}

pub(super) fn printed(model: &Model, list: &[Expr]) -> Vec<String> {
    list.iter().map(|e| model.system.pool.print(*e)).collect()
}

/// The interface's `check` object.
pub fn check_json(model: &Model, check: &Check) -> Value {
    let verdict = &check.verdict;
    let value = &verdict.local.value;
    let symbolic: Vec<Vec<String>> = model
        .equations
        .jacobian
        .iter()
        .map(|row| printed(model, row))
        .collect();
    let numbers: Vec<Vec<f64>> = (0..value.nrows())
        .map(|i| value.row(i).iter().copied().collect())
        .collect();
    let failure = verdict.failure.as_ref().map(|f| {
        let mut object = json!({
            "kind": f.kind.name(),
            "alternatives": f.alternatives.iter().map(|a| model.names(a)).collect::<Vec<_>>(),
            "because": f.because,
        });
        if f.more {
            object["more"] = json!(true);
        }
        if let Some(turn) = check.turn {
            object["turn"] = json!(turn.name());
        }
        object
    });
    let mut object = json!({
        "system": title(model),
        "t": check.site.t,
        "point": point_json(model, &check.site.x),
        "constraints": model.constraint_names(),
        "coordinates": model.coordinate_names(),
        "residuals": check.residuals,
        "jacobian": {"symbolic": symbolic, "value": numbers, "rank": verdict.rank},
        "dependent": model.names(&verdict.dependent),
        "independent": model.names(&check.independent),
        "determinant": determinant(model, check),
        "verdict": if verdict.holds() { "holds" } else { "fails" },
        "failure": failure,
        "singular_set": singular_set(model, check),
        "inverse": inverse(model, &check.inverse, &verdict.dependent),
        "choices": choices(model, check),
        "neighbourhood": check.neighbourhood.as_ref().map(|n| neighbourhood(model, n)),
        "nearest_failure": check.nearest_failure.as_ref().map(|near| json!({
            "equation": format!("{} = 0", model.system.pool.print(near.factor)),
            "point": point_json(model, &near.point),
            "distance": near.distance,
            "coordinate": model.coordinate_names()[near.coordinate],
        })),
        "notes": check.site.notes,
        "start": check.site.assembly.as_ref().map(assembly),
    });
    if !model.system.velocity_constraints.is_empty() {
        object["velocity_constraints"] = velocity_constraints(model);
    }
    object
}

/// A proven box: its sides, those whose growth was stopped, and the values of the constraints for which
/// the inverse is sure to be defined.
fn neighbourhood(model: &Model, n: &Neighbourhood) -> Value {
    let names = model
        .coordinate_names()
        .iter()
        .map(String::as_str)
        .chain(["t"]);
    let sides = names.clone().zip(&n.sides);
    let (mut region, mut open) = (Map::new(), Map::new());
    for (name, (lo, hi)) in sides {
        region.insert(name.to_owned(), json!([lo, hi]));
    }
    for (name, (lo, hi)) in names.zip(&n.open_ended) {
        let ends = [(*lo, "lo"), (*hi, "hi")];
        let ends: Vec<&str> = ends
            .iter()
            .filter(|(open, _)| *open)
            .map(|(_, e)| *e)
            .collect();
        if !ends.is_empty() {
            open.insert(name.to_owned(), json!(ends));
        }
    }
    let image = n.image.as_ref().map(|ranges| {
        let names = model.constraint_names().iter().cloned();
        let ranges = ranges.iter().map(|(lo, hi)| json!([lo, hi]));
        names.zip(ranges).collect::<Map<String, Value>>()
    });
    json!({"certified": true, "box": region, "open_ended": open, "image": image})
}

fn determinant(model: &Model, check: &Check) -> Value {
    let pool = &model.system.pool;
    let det = &check.determinant;
    let mut object = json!({
        "symbolic": det.whole.map(|e| pool.print(e)),
        "factors": printed(model, &det.factors),
        "value": check.verdict.determinant,
        "condition": check.verdict.condition,
        "fully_factored": det.complete,
    });
    if det.whole.is_none() {
        let blocks = det.blocks.iter().map(|(rows, columns, e)| {
            json!({
                "constraints": rows.iter().map(|&b| &model.constraint_names()[b]).collect::<Vec<_>>(),
                "coordinates": model.names(columns),
                "determinant": e.map(|e| pool.print(e)),
            })
        });
        object["blocks"] = blocks.collect();
    }
    object
}

fn singular_set(model: &Model, check: &Check) -> Value {
    let entries = check.singular.iter().map(|entry| {
        let equation = entry.factor.map_or_else(
            || "0 = 0".to_owned(),
            |f| format!("{} = 0", model.system.pool.print(f)),
        );
        let points = entry.found.points.as_ref().map(|list| {
            list.iter()
                .map(|x| point_json(model, x))
                .collect::<Vec<_>>()
        });
        let mut object = json!({
            "equation": equation,
            "on_constraints": points,
            "certified": entry.found.proven,
            "complete": entry.found.complete,
        });
        if !entry.found.undecided.is_empty() {
            let boxes = entry.found.undecided.iter().map(|sides| {
                let names = model.coordinate_names().iter().cloned();
                let sides = sides.iter().map(|(lo, hi)| json!([lo, hi]));
                names.zip(sides).collect::<Map<String, Value>>()
            });
            object["undecided"] = boxes.collect();
        }
        if !entry.found.periods.is_empty() {
            let periods = entry.found.periods.iter();
            let periods =
                periods.map(|&(k, period)| (model.coordinate_names()[k].clone(), json!(period)));
            object["period"] = Value::Object(periods.collect());
        }
        object
    });
    entries.collect()
}

/// The choices of dependent coordinates and how they invert.
fn choices(model: &Model, check: &Check) -> Value {
    let entries = check.choices.list.iter().map(|c| {
        json!({
            "dependent": model.names(&c.dependent),
            "determinant": c.determinant.map(|e| model.system.pool.print(e)),
            "inverse": c.inverse.name(),
        })
    });
    entries.collect()
}

/// The inverse functions, as in `check` and `derive`.
fn inverse(model: &Model, inverse: &Inverse, dependent: &[usize]) -> Value {
    let kind = match inverse {
        Inverse::Closed(_) => "closed",
        Inverse::Numeric => "numeric",
    };
    let names = model.names(dependent);
    let branches: Vec<Value> = inverse
        .branches()
        .iter()
        .map(|b| {
            let mut object = json!({
                "where": condition_text(&model.system, &b.conditions, Style::Plain),
                "functions": expressions(model, names.iter().zip(b.functions.iter().copied())),
            });
            if !b.periods.is_empty() {
                let periods = b.periods.iter();
                let periods = periods.map(|&(k, e)| (&model.coordinate_names()[k], e));
                object["period"] = expressions(model, periods);
            }
            object
        })
        .collect();
    json!({"kind": kind, "branches": branches})
}

/// What `inverse` says: `x` is the value of g, `enclosure` bounds on it where it is certified, `others` the
/// other solutions in `box`, `complete` whether it is proven that there are no more; `jiggle` has, for each
/// constraint, its multiplier at rest and the rate at which V answers to its level.
pub fn inverse_json(model: &Model, answer: &InverseAnswer) -> Value {
    let dependent = model.names(&answer.dependent);
    let independent = model.names(&answer.independent);
    let constraints = model.constraint_names();
    let named = |values: &[f64]| -> Map<String, Value> {
        let values = values.iter().map(|v| json!(v));
        dependent.iter().cloned().zip(values).collect()
    };
    let ranges = |sides: &[(f64, f64)]| -> Map<String, Value> {
        let sides = sides.iter().map(|(lo, hi)| json!([lo, hi]));
        dependent.iter().cloned().zip(sides).collect()
    };
    let matrix = |rows: Option<&DMatrix<f64>>, columns: &[String]| {
        rows.map(|matrix| {
            let rows = dependent
                .iter()
                .cloned()
                .zip(matrix.row_iter())
                .map(|(name, row)| {
                    let values = row.iter().map(|v| json!(v)).collect::<Vec<_>>();
                    let entries = columns.iter().cloned().zip(values);
                    (name, Value::Object(entries.collect()))
                });
            rows.collect::<Map<String, Value>>()
        })
    };
    let found = answer.found.as_ref();
    let by_t = found
        .and_then(|f| f.by_t.as_ref())
        .map(|v| named(v.as_slice()));
    let branches = inverse(model, &answer.inverse, &answer.dependent);
    let branch = found
        .and_then(|f| f.branch)
        .map(|k| branches["branches"][k].clone());
    let jiggles = found.map(|f| {
        let rows = f.jiggles.iter().map(|j| {
            json!({
                "constraint": constraints[j.constraint], "by": j.by,
                "multiplier": j.multiplier, "rate": j.rate,
            })
        });
        rows.collect::<Vec<_>>()
    });
    let y: Map<String, Value> = constraints
        .iter()
        .cloned()
        .zip(answer.y.iter().map(|v| json!(v)))
        .collect();
    let at: Map<String, Value> = independent
        .iter()
        .cloned()
        .zip(answer.at.iter().map(|v| json!(v)))
        .collect();
    let periods = answer.periods.iter();
    let periods: Map<String, Value> = periods
        .map(|(k, period)| (dependent[*k].clone(), json!(period)))
        .collect();
    json!({
        "system": title(model),
        "t": answer.t,
        "y": y,
        "at": at,
        "dependent": dependent,
        "x": found.map(|f| named(&f.value)),
        "certified": found.is_some_and(|f| f.enclosure.is_some()),
        "enclosure": found.and_then(|f| f.enclosure.as_deref()).map(ranges),
        "branch": branch,
        "others": answer.others.iter().map(|v| named(v)).collect::<Vec<_>>(),
        "box": ranges(&answer.region),
        "period": periods,
        "complete": answer.complete,
        "dg_dy": matrix(found.and_then(|f| f.by_y.as_ref()), constraints),
        "dg_dx": matrix(found.and_then(|f| f.by_x.as_ref()), &independent),
        "dg_dt": by_t,
        "neighbourhood": found.and_then(|f| f.neighbourhood.as_ref()).map(|n| neighbourhood(model, n)),
        "jiggle": jiggles,
        "inverse": branches,
    })
}

/// The interface's `derive` object.
pub fn derive_json(model: &Model, derived: &Derived) -> Value {
    let pool = &model.system.pool;
    let d = &derived.derivation;
    let coordinates = model.coordinate_names();
    let independent = model.names(&d.independent);
    let by_independent =
        |list: &[Expr]| expressions(model, independent.iter().zip(list.iter().copied()));
    let by_constraint = |list: &[Expr]| {
        expressions(
            model,
            model.constraint_names().iter().zip(list.iter().copied()),
        )
    };
    let in_branches: Option<Vec<Value>> = derived.in_branches.as_ref().map(|list| {
        list.iter()
            .map(|b| {
                json!({
                    "where": condition_text(&model.system, &b.conditions, Style::Plain),
                    "equations": by_independent(&b.equations),
                    "multipliers": by_constraint(&b.multipliers),
                    "lagrangian": b.lagrangian.as_ref().map(|l| pool.print(l.lagrangian)),
                    "agrees": b.lagrangian.as_ref().map(|l| l.agrees),
                    "conserved": b.lagrangian.iter().flat_map(|l| l.energy.into_iter().chain(l.momenta.iter().map(|(_, p)| *p))).map(|e| pool.print(e)).collect::<Vec<_>>(),
                })
            })
            .collect()
    });
    let eliminated = derived.eliminated_written(model).map(|(whole, e)| {
        let dependent = model.names(&d.dependent);
        json!({
            "velocities": expressions(model, dependent.iter().zip(whole.velocities.iter().copied())),
            "accelerations": expressions(model, dependent.iter().zip(e.accelerations.iter().copied())),
            "lagrangian": pool.print(e.lagrangian),
            "equations": by_independent(&e.equations),
            "multipliers": by_constraint(&e.multipliers),
        })
    });
    let stepwise: Vec<Value> = d
        .stepwise
        .iter()
        .map(|s| {
            json!({
                "constraint": model.constraint_names()[s.constraint],
                "eliminates": coordinates[s.eliminates],
                "pivot": pool.print(s.pivot),
                "fails": s.fails.iter().map(|e| format!("{} = 0", pool.print(*e))).collect::<Vec<_>>(),
                "multiplier": pool.print(s.multiplier),
            })
        })
        .collect();
    let account = model.account();
    let count = model.count();
    let mut object = json!({
        "system": title(model),
        "lagrangian": pool.print(written_lagrangian(&model.system)),
        "modified_lagrangian": pool.print(account.modified_lagrangian),
        "coordinates": coordinates,
        "constraints": constraints(model),
        "dependent": model.names(&d.dependent),
        "independent": independent,
        "euler_lagrange": expressions(model, coordinates.iter().zip(model.equations.euler_lagrange.iter().copied())),
        "standard": printed(model, &derived.standard),
        "multipliers": d.multipliers.as_deref().map(by_constraint),
        "reduced": d.reduced.as_deref().map(by_independent),
        "reduced_eliminated": eliminated,
        "inverse": inverse(model, &derived.inverse, &d.dependent),
        "reduced_independent": in_branches,
        "stepwise": stepwise,
        "tangents": tangents(model, derived),
        "count": {
            "usual": {
                "differential": count.differential,
                "algebraic": count.algebraic,
                "unknowns": count.differential + count.algebraic,
            },
            "here": {"invert": count.algebraic, "differential": count.left},
        },
    });
    if let Some(map) = object.as_object_mut() {
        map.extend(accounted(model, &account));
        map.insert("notes".to_owned(), json!(derived.notes));
        if !model.system.velocity_constraints.is_empty() {
            let list = velocity_constraints(model);
            map.insert("velocity_constraints".to_owned(), list);
            let whole = derived.whole.as_ref().map(|d| whole(model, d));
            map.insert("without_multipliers".to_owned(), json!(whole));
        }
    }
    if let Some(blocks) = &d.recursion {
        let blocks = blocks.iter().map(|block| multiplier_block(model, block));
        object["multipliers_recursive"] = blocks.collect();
        let rows: Vec<Expr> = d.independent.iter().map(|&k| derived.standard[k]).collect();
        object["reduced_recursive"] = by_independent(&rows);
    }
    object
}

/// A block of the multipliers that are given one from another.
fn multiplier_block(model: &Model, block: &MultiplierBlock) -> Value {
    let names: Vec<&String> = block
        .constraints
        .iter()
        .map(|&b| &model.constraint_names()[b])
        .collect();
    let multipliers = block
        .multipliers
        .as_ref()
        .map(|list| expressions(model, names.iter().copied().zip(list.iter().copied())));
    json!({
        "constraints": names,
        "coordinates": model.names(&block.coordinates),
        "multipliers": multipliers,
        "equations": printed(model, &block.equations),
    })
}

/// The forces of constraint, momenta, energy, conserved quantities.
fn accounted(model: &Model, account: &Account) -> Map<String, Value> {
    let pool = &model.system.pool;
    let coordinates = model.coordinate_names();
    let balance = &account.balance;
    let momenta = coordinates.iter().zip(&balance.momenta).map(|(name, p)| {
        let sources = p.changed_by.iter().map(|c| source(model, *c));
        let entry = json!({
            "value": pool.print(p.value),
            "conserved": p.is_conserved(pool),
            "changed_by": sources.collect::<Vec<_>>(),
        });
        (name.clone(), entry)
    });
    let bodies = account.on_bodies.iter().map(|f| {
        json!({
            "body": model.system.bodies[f.body].name,
            "constraint": model.multiplier_names()[f.constraint],
            "magnitude": pool.print(f.magnitude),
            "direction": printed(model, &f.direction),
            "torque": f.torque.map(|e| pool.print(e)),
        })
    });
    let mut conserved = Vec::new();
    if balance.changed_by.is_empty() {
        conserved.push(json!({
            "quantity": pool.print(model.equations.energy),
            "because": "neither L nor a constraint contains t, and the forces do no work",
        }));
    }
    for (name, p) in coordinates.iter().zip(&balance.momenta) {
        if p.is_conserved(pool) {
            conserved.push(json!({
                "quantity": pool.print(p.value),
                "because": format!("{name} is in neither L nor a constraint, and no force acts on it"),
            }));
        }
    }
    for s in &account.symmetries {
        conserved.push(json!({
            "quantity": pool.print(s.quantity),
            "because": format!("L and the constraints do not change for {}", displacement(model, s, Style::Plain)),
        }));
    }
    let entries = [
        (
            "constraint_forces",
            expressions(
                model,
                coordinates.iter().zip(account.reactions.iter().copied()),
            ),
        ),
        ("body_forces", json!(bodies.collect::<Vec<_>>())),
        ("momenta", Value::Object(momenta.collect())),
        ("energy", json!(pool.print(model.equations.energy))),
        (
            "energy_rate",
            json!({
                "rate": pool.print(balance.rate),
                "forces": pool.print(balance.forces),
                "constraints": pool.print(balance.constraints),
                "explicit": pool.print(balance.explicit),
            }),
        ),
        ("conserved", json!(conserved)),
    ];
    entries
        .into_iter()
        .map(|(k, v)| (k.to_owned(), v))
        .collect()
}

fn constraints(model: &Model) -> Value {
    let pool = &model.system.pool;
    let entries = model.system.constraints.iter().map(|c| {
        (
            c.name.clone(),
            json!({"f": pool.print(c.f), "c": pool.print(c.c)}),
        )
    });
    Value::Object(entries.collect())
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
    let vectors = d.independent.iter().enumerate().map(|(column, &own)| {
        let entries = model
            .coordinate_names()
            .iter()
            .enumerate()
            .map(|(k, name)| {
                let e = match d.dependent.iter().position(|&x| x == k) {
                    Some(row) => rows[row][column],
                    None if k == own => pool.one(),
                    None => pool.zero(),
                };
                (name, e)
            });
        expressions(model, entries)
    });
    json!({
        "basis": vectors.collect::<Vec<_>>(),
        "constant": d.displacements_are_constant(&model.system),
    })
}

/// The interface's `simulate` object, its rows apart: they may be many.
#[derive(Serialize)]
struct MotionObject<'a> {
    system: String,
    method: &'static str,
    dependent: Vec<String>,
    columns: &'a [String],
    rows: &'a [Vec<f64>],
    flags: Vec<Value>,
    steps: usize,
    rejected: usize,
    chart_changes: usize,
    evaluations: usize,
    stiff_from: Option<f64>,
    steppers: Vec<Value>,
    finished: bool,
    because: Option<String>,
    notes: &'a [String],
    start: Value,
    balance: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    held: Option<Value>,
}

/// Writes the interface's `simulate` object.
pub fn write_motion_json(out: &mut dyn Write, model: &Model, run: &Run) -> io::Result<()> {
    let Run { motion, table, .. } = run;
    let object = MotionObject {
        system: title(model),
        method: motion.method.name(),
        dependent: model.names(&motion.dependent),
        columns: &table.columns,
        rows: &table.rows,
        flags: flags(model, motion),
        steps: motion.steps,
        rejected: motion.rejected,
        chart_changes: motion.chart_changes,
        evaluations: motion.evaluations,
        stiff_from: motion.stiff_from,
        steppers: steppers(motion),
        finished: motion.finished,
        because: motion.because.as_ref().map(ToString::to_string),
        notes: &motion.notes,
        start: assembly(&run.assembly),
        balance: run.closure.as_ref().map(|c| closure(model, c)),
        held: run.held.as_ref().map(|held| {
            json!({
                "dependent": model.names(&held.dependent),
                "steps": held.steps,
                "left": held.left,
                "worst": held.worst,
                "ended": held.ended,
            })
        }),
    };
    write_json(out, &object)
}

/// Names and values.
fn placed(list: &[Placed]) -> Value {
    Value::Object(
        list.iter()
            .map(|p| (p.name.clone(), json!(p.value)))
            .collect(),
    )
}

/// What was made of a start.
fn assembly(account: &Assembly) -> Value {
    let moved = account
        .moved
        .iter()
        .map(|m| (m.name.clone(), json!({"from": m.from, "to": m.to})));
    let others = account
        .others
        .iter()
        .map(|other| json!({"values": placed(&other.values), "guess": placed(&other.guess)}));
    json!({
        "moved": Value::Object(moved.collect()),
        "solved": placed(&account.solved),
        "solved_velocities": placed(&account.solved_velocities),
        "free": account.free,
        "free_velocities": account.free_velocities,
        "others": others.collect::<Vec<_>>(),
    })
}

/// How well the balance of the energy closes.
fn closure(model: &Model, c: &Closure) -> Value {
    let pool = &model.system.pool;
    json!({
        "forces": pool.print(c.terms.forces),
        "constraints": pool.print(c.terms.constraints),
        "explicit": pool.print(c.terms.explicit),
        "work": c.work,
        "largest": c.largest,
        "t": c.t,
        "scale": c.scale,
        "relative": c.relative(),
        "quadrature": c.doubt,
    })
}

/// What each stepper did.
fn steppers(motion: &Motion) -> Vec<Value> {
    let object = |w: &Work| {
        json!({
            "stepper": w.stepper,
            "order": w.order,
            "steps": w.steps,
            "rejected": w.rejected,
            "evaluations": w.evaluations,
            "jacobians": w.jacobians,
            "factorisations": w.factorisations,
        })
    };
    motion.work.iter().map(object).collect()
}

/// The flags and releases of a motion, in their order.
pub(super) fn flags(model: &Model, motion: &Motion) -> Vec<Value> {
    let own = SymbolicDeterminant::new(&model.system, &model.equations, &motion.dependent);
    let whole = own.whole.map(|e| model.system.pool.print(e));
    let mut list: Vec<(f64, Value)> = motion
        .flags
        .iter()
        .map(|f| {
            let zero: Vec<Expr> = f
                .factors
                .iter()
                .filter_map(|&i| own.factors.get(i).copied())
                .collect();
            let object = json!({
                "t": f.t,
                "kind": f.kind.name(),
                "from": model.names(&f.from),
                "to": f.to.as_ref().map(|to| model.names(to)),
                "determinant": whole,
                "zero_factors": printed(model, &zero),
                "point": point_json(model, &f.x),
            });
            (f.t, object)
        })
        .collect();
    let names = model.constraint_names();
    list.extend(motion.releases.iter().map(|r| {
        let object = json!({
            "t": r.t,
            "kind": "release",
            "constraint": names.get(r.constraint),
            "point": point_json(model, &r.x),
        });
        (r.t, object)
    }));
    let backwards = matches!(motion.samples.as_slice(), [a, .., b] if b.t < a.t);
    list.sort_by(|(a, _), (b, _)| {
        if backwards {
            b.total_cmp(a)
        } else {
            a.total_cmp(b)
        }
    });
    list.into_iter().map(|(_, object)| object).collect()
}

/// The name of a column that the methods are compared by.
pub(super) fn column_name(model: &Model, column: Column) -> String {
    let x = |k: usize| &model.coordinate_names()[k];
    match column {
        Column::Coordinate(k) => x(k).clone(),
        Column::Velocity(k) => format!("{}'", x(k)),
        Column::Multiplier(b) => format!("lambda_{}", model.multiplier_names()[b]),
        Column::Reaction(k) => format!("R_{}", x(k)),
    }
}

/// How far every two methods differ in each part of the time, relative to what is allowed.
fn along_json(comparison: &Comparison) -> Value {
    let along = along(comparison, ALONG);
    let pairs = along.pairs.iter().map(|pair| {
        json!({
            "methods": pair.methods.map(Method::name),
            "relative": pair.parts,
        })
    });
    let pairs: Vec<Value> = pairs.collect();
    json!({"t": along.t, "pairs": pairs})
}

/// The interface's `compare` object.
pub fn compare_json(model: &Model, comparison: &Comparison) -> Value {
    let differences: Vec<Value> = comparison
        .differences
        .iter()
        .map(|d| {
            let column = column_name(model, d.column);
            json!({"column": column, "max": d.max, "t": d.t, "tolerance": d.tolerance})
        })
        .collect();
    let costs: Vec<Value> = comparison
        .motions
        .iter()
        .map(|m| {
            json!({
                "method": m.method.name(),
                "steps": m.steps,
                "evaluations": m.evaluations,
                "stiff_from": m.stiff_from,
                "steppers": steppers(m),
            })
        })
        .collect();
    json!({
        "system": title(model),
        "methods": comparison.methods.iter().map(|m| m.name()).collect::<Vec<_>>(),
        "differences": differences,
        "agree": comparison.agree,
        "until": comparison.until,
        "chaotic": comparison.chaotic,
        "costs": costs,
        "along": along_json(comparison),
        "because": comparison.because.as_ref().map(ToString::to_string),
    })
}

/// What the file expects and whether the motion agrees.
pub fn verify_json(model: &Model, findings: &[Finding]) -> Value {
    let entries: Vec<Value> = model
        .system
        .expectations
        .iter()
        .zip(findings)
        .map(|(e, f)| {
            json!({
                "fact": e.fact,
                "source": e.source,
                "statement": e.text,
                "holds": f.holds,
                "computed": f.values.map(|[computed, _]| computed),
                "known": f.values.map(|[_, known]| known),
                "difference": f.difference,
                "within": e.within,
                "t": f.t,
                "because": f.because,
            })
        })
        .collect();
    json!({
        "system": title(model),
        "expectations": entries,
        "holds": findings.iter().all(|f| f.holds),
    })
}

/// The interface's `list` object.
pub fn list_json(systems: &[Builtin]) -> Value {
    json!({"systems": systems.iter().map(builtin).collect::<Vec<_>>()})
}

/// A built-in system with its file.
pub fn show_json(system: &Builtin) -> Value {
    let mut object = builtin(system);
    object["text"] = json!(system.text);
    object
}

fn builtin(system: &Builtin) -> Value {
    let mut map = Map::new();
    map.insert("name".to_owned(), json!(system.name));
    map.insert("title".to_owned(), json!(sanitize(&system.title())));
    let source = system.source().map(|source| sanitize(&source));
    map.insert("source".to_owned(), json!(source));
    map.insert("group".to_owned(), json!(system.group));
    map.insert("shows".to_owned(), json!(system.shows));
    Value::Object(map)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_numbers_that_are_not_finite_are_null() {
        let mut out = Vec::new();
        let value = json!({"a\u{9b}b": "\u{85}\u{1b}\u{7f}é", "v": f64::NAN});
        write_json(&mut out, &value).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(
            text,
            "{\"a\\u009bb\":\"\\u0085\\u001b\\u007fé\",\"v\":null}\n"
        );
        let back: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(back["a\u{9b}b"], "\u{85}\u{1b}\u{7f}é");
    }
}
