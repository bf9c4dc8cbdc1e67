//! What `vary` says: the action along the paths beside a motion.

use super::json::{each, object, point_json};
use super::text::{Layout, Page, aligned, column, joined, number, only_if, rows};
use super::{title, zero};
use crate::analysis::{
    ActionAt, Conjugate, Model, Returned, Shape, Spot, Table, Unconjugated, Varied,
};
use crate::plot::{Axis, Figure, Mark, MarkKind, Series};
use crate::system::sanitize;
use serde_json::{Value, json};

/// `x2: sine`, `x2: sin(pi*t)`.
fn varied_by(model: &Model, found: &Varied) -> Vec<(String, String)> {
    let shape = |shape: &Shape| match (shape, shape.name()) {
        (_, Some(name)) => name.to_owned(),
        (Shape::Expression(e), None) => model.system.pool.print(*e),
        (Shape::Sine(k), None) => format!("sine{k}"),
        (Shape::Bump, None) => "bump".to_owned(),
    };
    let list = found.variation.iter();
    list.map(|(k, own)| (model.coordinate_names()[*k].clone(), shape(own)))
        .collect()
}

/// What the motion is among the paths beside it.
pub fn vary_verdict(found: &Varied) -> String {
    let [from, to] = found.between.map(number);
    let span = format!("from t = {from} to {to}");
    if !found.is_stationary() {
        return match &found.conjugate {
            Err(Unconjugated::Forces | Unconjugated::VelocityConstraints) => {
                format!("NOT BALANCED {span}: S'(0) is not minus the work along the variation")
            }
            _ => format!("NOT STATIONARY {span}: the slope of the action is not 0"),
        };
    }
    match (&found.conjugate, found.falling()) {
        (Ok(_), Some(0)) => {
            format!("MINIMUM of the action {span}, among the paths beside it (estimated)")
        }
        (Ok(_), Some(1)) => {
            format!("SADDLE of the action {span}: it falls in one direction (estimated)")
        }
        (Ok(_), Some(k)) => {
            format!("SADDLE of the action {span}: it falls in {k} directions (estimated)")
        }
        (Err(Unconjugated::Forces | Unconjugated::VelocityConstraints), _) => {
            format!("BALANCED {span}: S'(0) is minus the work along the variation")
        }
        _ => format!("STATIONARY {span}"),
    }
}

fn unconjugated(why: Unconjugated) -> &'static str {
    match why {
        Unconjugated::Forces => {
            "forces without a potential act, so no action is stationary: no conjugate points"
        }
        Unconjugated::VelocityConstraints => {
            "velocity constraints hold, and the motion is d'Alembert's, not Hamilton's: no action is stationary, and there are no conjugate points"
        }
        Unconjugated::Mass => {
            "no kinetic energy belongs to some virtual displacement: conjugate points not looked for"
        }
        Unconjugated::Many => "too many directions: conjugate points not looked for",
        Unconjugated::Neighbour => {
            "a neighbouring motion could not be finished: conjugate points not looked for"
        }
    }
}

/// `3.14159, 6.28319 (2 directions)`
fn times(list: &[Conjugate]) -> String {
    let shown = list.iter().take(8).map(|c| match c.multiplicity {
        1 => number(c.t),
        k => format!("{} ({k} directions)", number(c.t)),
    });
    let more = (list.len() > 8).then(|| "...".to_owned());
    joined(shown.chain(more))
}

/// The verdict, then slope and curvature, conjugate points, and the action at sizes to either side.
pub fn vary_text(model: &Model, found: &Varied, layout: Layout) -> String {
    let mut page = Page::laid_out(layout, &model.system.pool);
    page.prose(0, &vary_verdict(found));
    page.gap();
    page.line(&title(model));
    let varied = varied_by(model, found).into_iter();
    let varied = joined(varied.map(|(name, shape)| format!("{} by {shape}", page.say(&name))));
    let rest = match &found.returned {
        Returned::ByG(list) if list.is_empty() => String::new(),
        Returned::ByG(list) => format!("; {} by g", model.names(list).join(", ")),
        Returned::Nearest => {
            "; back to the constraints along their gradients, as no choice of dependent coordinates holds on all of the way".to_owned()
        }
    };
    let rest = page.say(&rest);
    page.formula_prose("  variation  ", 13, &format!("{varied}{rest}"));
    // told where it is seen in the digits
    let quadrature = |error: f64, value: f64| {
        let seen = error > 1e-6 * value.abs();
        only_if(seen, format!("  (quadrature {})", short(error)))
    };
    let action = number(found.action) + &quadrature(found.action_error, found.action);
    page.prose_after("  S(0)       ", 13, &action);
    let exact = format!(
        "{}  (curvature's scale {}, quadrature {})",
        short(found.slope),
        number(found.scale),
        short(found.error)
    );
    page.prose_after("  S'(0)      ", 13, &exact);
    if found.work != 0.0 {
        let none = model.system.pool.zero();
        let pushed = model.system.forces.iter().any(|q| *q != none);
        let of = match (pushed, model.system.velocity_constraints.is_empty()) {
            (true, true) => "forces without a potential",
            (true, false) => {
                "forces without a potential and of velocity constraints, which dx may break,"
            }
            (false, _) => "the forces of velocity constraints, which dx breaks,",
        };
        let text = format!(
            "{}  of {of} along dx; together {}",
            number(zero::beside(found.work, found.scale)),
            short(found.balance())
        );
        page.prose_after("  work       ", 13, &text);
    }
    let way = if found.curvature.is_nan() {
        "not given: L or a constraint may have kinks, each of which has a part in it".to_owned()
    } else {
        let way = if found.curvature > 0.0 {
            "grows"
        } else {
            "falls"
        };
        let doubt = quadrature(found.curvature_error, found.curvature);
        let value = number(found.curvature);
        format!("{value}  S {way} along this variation{doubt}")
    };
    page.prose_after("  S''(0)     ", 13, &way);
    match &found.conjugate {
        Err(why) => {
            page.prose(2, unconjugated(*why));
            if let Some(list) = &found.meeting {
                let again = match list.as_slice() {
                    [] => "nowhere again on the way".to_owned(),
                    some => format!("again at t = {}", times(some)),
                };
                page.prose(2, &format!("by the linearised equations, motions that begin there with other velocities meet this one {again}"));
            }
        }
        Ok(list) if list.is_empty() => {
            page.prose(2, "no conjugate point on the way: a minimum up to the end");
        }
        Ok(list) => {
            page.prose(
                2,
                &format!(
                    "conjugate points at t = {}: a minimum up to the first, a saddle from there on",
                    times(list)
                ),
            );
        }
    }
    page.gap();
    curve(&mut page, found);
    page.finish()
}

/// S - S(0) by slope and curvature.
const FORESEEN: &str = "eps S' + eps^2 S''/2";

fn foreseen(found: &Varied, eps: f64) -> f64 {
    eps * found.slope + 0.5 * eps * eps * found.curvature
}

/// S along the variation, beside its parabola.
fn curve(page: &mut Page, found: &Varied) {
    let curve = &found.curve;
    let changed = |at: &ActionAt| at.action.as_ref().map_or(f64::NAN, |s| s - found.action);
    let list = |of: &dyn Fn(&ActionAt) -> f64| -> Vec<f64> { curve.iter().map(of).collect() };
    let margin = Vec::new();
    let rows = rows(&[
        margin,
        column("eps", &list(&|at| at.epsilon)),
        column("S - S(0)", &list(&changed)),
        column(FORESEEN, &list(&|at| foreseen(found, at.epsilon))),
    ]);
    let ends = [None]
        .into_iter()
        .chain(curve.iter().map(|at| at.action.as_ref().err()));
    for (line, left) in aligned(&rows).into_iter().zip(ends) {
        let left = left.map_or(String::new(), |Spot { t, x }| {
            format!(
                "  leaves N at t = {}, {}",
                number(*t),
                super::text::place(x)
            )
        });
        page.line(&format!("{line}{left}"));
    }
}

/// A small number as it is read.
fn short(v: f64) -> String {
    if v == 0.0 {
        "0".to_owned()
    } else if v.abs() < 1e-3 || v.abs() >= 1e6 {
        format!("{v:.1e}")
    } else {
        number(v)
    }
}

/// The motion and the varied path side by side.
pub fn vary_table(model: &Model, found: &Varied) -> Table {
    let names = model.coordinate_names();
    let mut columns = vec!["t".to_owned()];
    columns.extend(names.iter().cloned());
    columns.extend(names.iter().map(|name| format!("varied_{name}")));
    let rows = found
        .times
        .iter()
        .zip(&found.motion)
        .enumerate()
        .map(|(i, (t, x))| {
            let varied = found.path.as_ref().and_then(|(_, path)| path.get(i));
            let mut row = vec![*t];
            row.extend(x);
            match varied {
                Some(varied) => row.extend(varied),
                None => row.extend(vec![f64::NAN; x.len()]),
            }
            row
        });
    Table {
        rows: rows.collect(),
        columns,
    }
}

/// The interface's `vary` object.
pub fn vary_json(model: &Model, found: &Varied) -> Value {
    let point = |x: &[f64]| point_json(model, x);
    let places =
        |list: &Vec<Conjugate>| each(list, |c| json!({"t": c.t, "multiplicity": c.multiplicity}));
    let curve = each(&found.curve, |at| {
        let left = at.action.as_ref().err();
        let left = left.map(|Spot { t, x }| json!({"t": t, "point": point(x)}));
        json!({"epsilon": at.epsilon, "action": at.action.as_ref().ok(), "leaves": left})
    });
    let dependent = match &found.returned {
        Returned::ByG(list) => Some(model.names(list)),
        Returned::Nearest => None,
    };
    let table = vary_table(model, found);
    let kind = match (found.is_stationary(), found.falling()) {
        (false, _) => "not_stationary",
        (true, Some(0)) => "minimum",
        (true, Some(_)) => "saddle",
        (true, None) => "stationary",
    };
    json!({
        "system": title(model),
        "from": found.between[0],
        "to": found.between[1],
        "dependent": dependent,
        "variation": object(varied_by(model, found)),
        "kind": kind,
        "action": found.action,
        "slope": found.slope,
        "work": found.work,
        "curvature": found.curvature,
        "scale": found.scale,
        "quadrature_error": found.error,
        "action_error": found.action_error,
        "curvature_error": found.curvature_error,
        "conjugate": found.conjugate.as_ref().ok().map(places),
        "meeting": found.meeting.as_ref().map(places),
        "conjugate_because": found.conjugate.as_ref().err().map(Unconjugated::name),
        "falling": found.falling(),
        "curve": curve,
        "size": found.path.as_ref().map(|(size, _)| size),
        "columns": table.columns,
        "rows": table.rows,
    })
}

/// The varied coordinates beside the motion's over t, with the conjugate points marked; S over its size.
pub fn vary_figures(model: &Model, found: &Varied) -> Vec<Figure> {
    let mut series = Vec::new();
    let mut role = 0;
    for (k, _) in &found.variation {
        let name = sanitize(&model.coordinate_names()[*k]);
        let over = |rows: &[Vec<f64>]| -> Vec<[f64; 2]> {
            found
                .times
                .iter()
                .zip(rows)
                .map(|(t, x)| [*t, x[*k]])
                .collect()
        };
        series.push(Series::new(&name, over(&found.motion), role));
        if let Some((size, path)) = &found.path {
            let label = format!("{name} varied, eps = {}", number(*size));
            series.push(Series::new(label, over(path), role + 1));
        }
        role += 2;
    }
    let conjugate = found.conjugate.iter().flatten();
    let marks = conjugate.map(|c| Mark {
        x: c.t,
        label: Some("conjugate to the first time".to_owned()),
        tag: "conjugate".to_owned(),
        kind: MarkKind::Event,
    });
    let paths = Figure {
        x: Axis::named("t"),
        series,
        marks: marks.collect(),
        ..Figure::default()
    };
    let known = found
        .curve
        .iter()
        .filter_map(|at| Some([at.epsilon, at.action.as_ref().ok()? - found.action]));
    let curve = found.curve.iter();
    let foreseen = curve.map(|at| [at.epsilon, foreseen(found, at.epsilon)]);
    let action = Figure {
        x: Axis::named("eps"),
        series: vec![
            Series::new("S - S(0)", known.collect(), 0),
            Series::new(FORESEEN, foreseen.collect(), 1),
        ],
        ..Figure::default()
    };
    vec![paths, action]
}
