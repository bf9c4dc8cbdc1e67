//! A parameter made a coordinate: the force that holds a length is the multiplier of the constraint that holds it.
//!
//! A length l in the positions r(x, l; t) of bodies becomes one more coordinate, and `free_l` one more constraint
//!
//! ```text
//! l = c,   c the value of the parameter;   so l' = 0
//! ```
//!
//! T is taken anew from the bodies, with dr/dt = r_x x' + r_l l' + r_t: what l' adds to dT/dl' does not vanish with
//! l' (that of a length of a double pendulum has m l1 th1' sin(th1 - th2)), and its rate belongs to the force.
//! Where L was written out, with l constant, those terms are not there and cannot be known: it is refused. So it is
//! where applied forces are given by coordinate, as their work along l is not known.
//!
//! A constraint f(x; t) = c is freed by its level, wherever L comes from: a coordinate c_NAME allows it to be violated,
//!
//! ```text
//! f(x; t) - c_NAME = 0,   free_NAME: c_NAME = c
//! ```
//!
//! with L in the coordinates as it stands, which does not contain c_NAME: so lambda_free_NAME = lambda_NAME is the force that holds it.

use crate::expr::{Expr, Pool, SymbolKind};
use crate::system::diagnostic::Diagnostic;
use crate::system::names::nearest_or_all;
use crate::system::schema::{self, Source};
use crate::system::{Changes, Constraint, Coordinate, Release, System, quote};

/// A parameter made a coordinate.
pub struct FreedParameter {
    /// The index of the coordinate.
    pub coordinate: usize,
    /// The name of the constraint that holds it.
    pub name: String,
    /// `y_free_NAME`
    pub level: Expr,
    /// `lambda_free_NAME`
    pub multiplier: Expr,
    /// The value held, of parameters.
    pub value: Expr,
    /// Is it the level of a constraint, and no parameter?
    pub of_level: bool,
}

impl FreedParameter {
    /// Declares the symbols of freed parameters and levels (told so): as coordinates from `first` on, with constraints after
    /// `own` others.
    pub fn declared(pool: &Pool, names: &[(&str, bool)], first: usize, own: usize) -> Vec<Self> {
        let names = names.iter().enumerate();
        names
            .map(|(place, (name, of_level))| {
                let name = Self::constraint_name(name);
                let level = SymbolKind::Level(own + place);
                let multiplier = SymbolKind::Multiplier(own + place);
                Self {
                    coordinate: first + place,
                    level: pool.symbol(&format!("y_{name}"), level),
                    multiplier: pool.symbol(&format!("lambda_{name}"), multiplier),
                    value: pool.zero(),
                    of_level: *of_level,
                    name,
                }
            })
            .collect()
    }

    /// The coordinate that is the level of a freed constraint.
    pub fn level_name(constraint: &str) -> String {
        format!("c_{constraint}")
    }

    /// The name of the constraint that holds a parameter.
    pub fn constraint_name(parameter: &str) -> String {
        format!("free_{parameter}")
    }

    /// The constraint that holds it at its value.
    pub fn constraint(&self, coordinates: &[Coordinate], value: f64) -> Constraint {
        Constraint {
            name: self.name.clone(),
            f: coordinates[self.coordinate].x,
            c: self.value,
            typed: (coordinates[self.coordinate].x, self.value),
            c_value: value,
            level: self.level,
            multiplier: self.multiplier,
            side: None,
            release: Release::Go,
            place: None,
        }
    }
}

/// Can these parameters be freed? Errors: those of the file as it is, or why not.
pub fn is_possible(source: Source, changes: &Changes) -> Result<(), Vec<Diagnostic>> {
    let constant = Changes {
        set: changes.set.clone(),
        ..Changes::default()
    };
    let system = super::build(source, &constant)?;
    let errors: Vec<Diagnostic> = changes
        .free
        .iter()
        .filter_map(|name| refusal(source, &system, name))
        .collect();
    if errors.is_empty() {
        Ok(())
    } else {
        Err(errors)
    }
}

/// Why a parameter cannot be freed.
fn refusal(source: Source, system: &System, name: &str) -> Option<Diagnostic> {
    let shown = quote(name);
    let asked = |message: String, help: String| {
        Some(Diagnostic::at("--free", name, 0..name.len(), message).with_help(help))
    };
    let Some(parameter) = system.parameters.iter().find(|p| p.name == *name) else {
        return of_another(system, name).and_then(|(message, help)| asked(message, help));
    };
    let constraint = FreedParameter::constraint_name(name);
    if let Some((message, help)) = of_namesake(system, &shown, &constraint) {
        return asked(message, help.to_owned());
    }
    let level = format!("y_{constraint}");
    if system.coordinate(&level).is_some() || system.parameters.iter().any(|p| p.name == level) {
        let message = format!("`{shown}` cannot be freed: the system has a name `{level}`");
        return asked(message, "rename it".to_owned());
    }
    let pool = &system.pool;
    let stands = |e: Expr| pool.contains_any(e, &[parameter.symbol]);
    let place = |key: &str, message: String, help: &str| {
        let span = key_of(source, key).unwrap_or(0..0);
        Some(source.error(span, message).with_help(help))
    };
    if !system.objective && system.bodies.is_empty() {
        let key = if key_of(source, "lagrangian").is_some() {
            "lagrangian"
        } else {
            "kinetic"
        };
        let message = format!(
            "`{shown}` cannot be freed: `{key}` was written with {shown} constant, and what {shown}' adds to it is not known"
        );
        let own = system
            .constraints
            .iter()
            .filter(|c| stands(c.f) || stands(c.c));
        let names: Vec<&str> = own.map(|c| c.name.as_str()).collect();
        let mut help = "describe the system by `bodies`: the kinetic energy is then taken from their positions".to_owned();
        if !names.is_empty() {
            help = format!(
                "{help}; or free the level of a constraint: {}",
                names.join(", ")
            );
        }
        return place(key, message, &help);
    }
    if let Some(body) = system
        .bodies
        .iter()
        .find(|b| stands(b.mass) || b.rotation.is_some_and(|r| stands(r.inertia)))
    {
        let message = format!(
            "`{shown}` cannot be freed: it stands in the mass or the moment of inertia of `{}`, which are constant",
            body.name
        );
        let help = "a length or a radius can be freed: a parameter of positions";
        return place("bodies", message, help);
    }
    let rolling = &system.velocity_constraints;
    if let Some(rolling) = rolling
        .iter()
        .find(|v| stands(v.b) || v.row.iter().any(|e| stands(*e)))
    {
        let message = format!(
            "`{shown}` cannot be freed: the velocity constraint `{}` was written with {shown} constant, and what {shown}' adds to it is not known",
            rolling.name
        );
        let help =
            "a length or a radius that stands in positions and constraints alone can be freed";
        return place("velocity_constraints", message, help);
    }
    let in_positions = system
        .bodies
        .iter()
        .any(|b| b.at.iter().any(|e| stands(*e)) || b.rotation.is_some_and(|r| stands(r.angle)));
    if in_positions && system.forces.iter().any(|q| *q != pool.zero()) {
        let given = ["forces", "dissipation"].into_iter();
        let mut given = given.filter(|key| key_of(source, key).is_some());
        let key = given.next().unwrap_or("forces");
        let message = format!(
            "`{shown}` cannot be freed: `{key}` gives forces by coordinate, and what they do along {shown} is not known"
        );
        let help = "take them out, or write what has a potential as `potential`";
        return place(key, message, help);
    }
    let in_constraints = system
        .constraints
        .iter()
        .any(|c| stands(c.f) || stands(c.c));
    let in_objective = system.objective && stands(system.lagrangian);
    if !(in_positions || in_constraints || in_objective) {
        let message = format!(
            "`{shown}` cannot be freed: it stands in no position of a body and in no constraint"
        );
        let help =
            "a length or a radius can be freed: the force that holds it is then its multiplier";
        return asked(message, help.to_owned());
    }
    None
}

/// Why what is held by a constraint of this name cannot be freed: there is one already.
fn of_namesake(system: &System, shown: &str, held: &str) -> Option<(String, &'static str)> {
    let constraints = system.constraints.iter().map(|c| &c.name);
    let velocity = system.velocity_constraints.iter().map(|c| &c.name);
    let known = constraints.chain(velocity).any(|other| other == held);
    let message = || format!("`{shown}` cannot be freed: the system has a constraint `{held}`");
    known.then(|| (message(), "rename that constraint"))
}

/// Why what is no parameter cannot be freed; a constraint can be.
fn of_another(system: &System, name: &str) -> Option<(String, String)> {
    let shown = quote(name);
    if let Some(c) = system.constraints.iter().find(|c| c.name == *name) {
        return of_constraint(system, c).map(|(message, help)| (message, help.to_owned()));
    }
    if system.velocity_constraints.iter().any(|c| c.name == *name) {
        let message = format!("`{shown}` cannot be freed: it binds velocities, and has no level");
        let help = "a parameter of positions or a constraint on positions can be freed";
        return Some((message, help.to_owned()));
    }
    let parameters = system.parameters.iter().map(|p| p.name.as_str());
    let constraints = system.constraints.iter().map(|c| c.name.as_str());
    let help = nearest_or_all(name, parameters.chain(constraints));
    let message = format!("the system has no parameter or constraint `{shown}` to free");
    Some((message, help))
}

/// Why the level of a constraint cannot become a coordinate.
fn of_constraint(system: &System, c: &Constraint) -> Option<(String, &'static str)> {
    let shown = quote(&c.name);
    if c.side.is_some() {
        let message =
            format!("`{shown}` cannot be freed: it is one-sided, and is released by itself");
        return Some((
            message,
            "write it without `side` to see the force that holds it",
        ));
    }
    let held = FreedParameter::constraint_name(&c.name);
    let own = FreedParameter::level_name(&c.name);
    if let Some(why) = of_namesake(system, &shown, &held) {
        return Some(why);
    }
    for name in [own, format!("y_{held}")] {
        let taken = system.named(&name).is_some();
        if taken {
            let message = format!("`{shown}` cannot be freed: the system has a name `{name}`");
            return Some((message, "rename it"));
        }
    }
    None
}

/// The place of a key of the file.
fn key_of(source: Source, key: &str) -> Option<std::ops::Range<usize>> {
    let document = schema::read(source).ok()??;
    match &document.value {
        schema::Value::Mapping(entries) => entries
            .iter()
            .find(|(name, _)| name.value == key)
            .map(|(name, _)| name.span.clone()),
        _ => None,
    }
}
