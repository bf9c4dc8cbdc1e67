//! From the tree of a file to a [`System`].
//!
//! First the names: coordinates, parameters, definitions, constraints. They are declared in the pool in
//! that order, so that every expression prints in it. Then the expressions, each in the scope of its place.
//! Errors are collected; a part that failed is `None` and what depends on it is skipped.

mod bodies;
mod conditions;
mod constraints;
mod equilibria;
mod expect;
mod fields;
mod force;
mod free;
mod keys;
mod motion;
mod outputs;
mod symbols;
mod velocity;

use super::diagnostic::Diagnostic;
use super::names::{Reach, Table};
use super::schema::{self, Node, Source};
use super::{Changes, Picture, System, ValueOf, Written};
use crate::expr::{Expr, Meter, Pool};
use bodies::BODY_KEYS;
use conditions::RUN_KEYS;
use constraints::CONSTRAINT_KEYS;
use free::FreedParameter;
use outputs::{PICTURE_KEYS, PLOT_KEYS};
use rustc_hash::FxHashMap;

/// The most errors reported for one file.
const MAX_ERRORS: usize = 20;

/// The keys of a file.
pub const KEYS: [&str; 24] = [
    "name",
    "source",
    "about",
    "coordinates",
    "parameters",
    "positive",
    "define",
    "lagrangian",
    "objective",
    "kinetic",
    "potential",
    "bodies",
    "gravity",
    "constraints",
    "velocity_constraints",
    "forces",
    "dissipation",
    "dependent",
    "start",
    "guess",
    "run",
    "plots",
    "picture",
    "expect",
];

/// The parts of a file that are tables, or hold tables, and the keys of these.
pub const PART_KEYS: [(&str, &[&str]); 5] = [
    ("run", &RUN_KEYS),
    ("bodies", &BODY_KEYS),
    ("constraints", &CONSTRAINT_KEYS),
    ("plots", &PLOT_KEYS),
    ("picture", &PICTURE_KEYS),
];

/// What to try with a file that says too little.
const EXAMPLE: &str =
    "a system needs at least `coordinates: [x, y]` and `lagrangian: 1/2*(x'^2 + y'^2) - y`";

/// Builds the system of a text.
pub fn build(source: Source, changes: &Changes) -> Result<System, Vec<Diagnostic>> {
    if !changes.free.is_empty() {
        free::is_possible(source, changes)?;
    }
    let document = match schema::read(source) {
        Ok(Some(document)) => document,
        Ok(None) => {
            let error = Diagnostic::without_place(source.file, "the file is empty");
            return Err(vec![error.with_help(EXAMPLE)]);
        }
        Err(error) => return Err(vec![error]),
    };
    let mut builder = Builder {
        source,
        pool: Pool::new(),
        meter: Meter::default(),
        table: Table::default(),
        values: Vec::new(),
        exact: FxHashMap::default(),
        varies: changes.varies.clone(),
        reaches: FxHashMap::default(),
        errors: Vec::new(),
        worked_out: Vec::new(),
        written: Vec::new(),
        freeing: !changes.free.is_empty(),
        lacking: false,
    };
    let system = builder.system(&document, changes);
    let mut errors = builder.errors;
    match system {
        Some(system) if errors.is_empty() => Ok(system),
        _ => {
            errors.sort_by_key(|error| (error.line, error.column));
            errors.dedup();
            errors.truncate(MAX_ERRORS);
            Err(errors)
        }
    }
}

struct Builder<'a> {
    source: Source<'a>,
    pool: Pool,
    /// One meter for all expressions: definitions that build on each other stay within bounds.
    meter: Meter,
    /// The names known so far.
    table: Table,
    /// The values of the parameters known so far.
    values: Vec<f64>,
    /// Those that are fractions, exactly.
    exact: FxHashMap<Expr, Expr>,
    /// The parameter that varies, whose value stands for it nowhere.
    varies: Option<String>,
    /// What expressions contain, where that was asked.
    reaches: FxHashMap<Expr, Reach>,
    errors: Vec<Diagnostic>,
    /// The values worked out so far.
    worked_out: Vec<(ValueOf, Expr)>,
    /// What the equations of motion are made of.
    written: Vec<Written>,
    /// Are parameters made coordinates?
    freeing: bool,
    /// May constraints be missing, and with them their outputs?
    lacking: bool,
}

impl Builder<'_> {
    fn system(&mut self, document: &Node, changes: &Changes) -> Option<System> {
        let fields = self.fields(document, "a system file", &KEYS)?;
        let mut symbols = self.symbols(document, &fields, changes)?;
        let name = self.text(&fields, "name");
        let about = self.text(&fields, "about");
        let source = self.text(&fields, "source");
        let lagrangian = self.lagrangian(document, &fields, &symbols);
        let forces = self.forces(&fields, &symbols);
        let mut constraints = self.constraints(&mut symbols);
        let velocity_constraints = self.velocity_constraints(&symbols);
        self.lacking = !self.errors.is_empty();
        let mut dependent = self.dependent(&fields, &symbols);
        let mut start = self.start(&fields, &symbols);
        for c in &mut constraints {
            let name = FreedParameter::constraint_name(&c.name);
            let mut freed = symbols.freed.iter_mut();
            let Some(freed) = freed.find(|freed| freed.name == name && freed.of_level) else {
                continue;
            };
            freed.value = c.c;
            let level = symbols.coordinates[freed.coordinate].x;
            c.typed = (c.f, level);
            c.f = self.pool.sub(c.f, level);
            c.c = self.pool.zero();
            c.c_value = 0.0;
        }
        for freed in &symbols.freed {
            let value = self.evaluate(freed.value);
            start.x[freed.coordinate] = Some(value);
            start.v[freed.coordinate] = Some(0.0);
            self.worked_out.push((ValueOf::Other, freed.value));
            if let Some(chosen) = &mut dependent {
                chosen.push(freed.coordinate);
            }
            constraints.push(freed.constraint(&symbols.coordinates, value));
        }
        let bodies = lagrangian.as_ref().map_or(&[][..], |(_, bodies)| bodies);
        let what = (symbols.coordinates.as_slice(), bodies);
        let (forces_of, taken) = self.force_columns(what, &constraints, &velocity_constraints);
        for column in &forces_of {
            self.table.add(&column.name, column.expr, Reach::Outputs);
        }
        let guess = self.guess(&fields, &symbols, &mut start);
        let run = self.run(&fields);
        let plots = self.plots(&fields, &symbols);
        let picture = self.picture(&fields);
        let own = self.worked_out.len();
        let expectations = self.expectations(&fields, &symbols);
        for (place, _) in self.worked_out.iter_mut().skip(own) {
            *place = ValueOf::Expected;
        }
        if !self.errors.is_empty() {
            return None;
        }
        let (lagrangian, bodies) = lagrangian?;
        let picture = picture.or_else(|| Picture::of(&bodies, self.pool.zero()));
        Some(System {
            objective: fields.get("objective").is_some(),
            lagrangian,
            bodies,
            pool: std::mem::take(&mut self.pool),
            name: name.unwrap_or_else(|| stem(self.source.file)),
            source,
            about,
            coordinates: symbols.coordinates,
            t: symbols.t,
            parameters: symbols.parameters,
            forces,
            constraints,
            velocity_constraints,
            dependent,
            start,
            guess,
            run,
            plots,
            picture,
            expectations,
            outputs: symbols.outputs,
            force_columns: forces_of,
            defined: self.table.definitions(),
            taken,
            measured: None,
            worked_out: std::mem::take(&mut self.worked_out),
            written: std::mem::take(&mut self.written),
        })
    }
}

/// The name of a file without folder and ending.
fn stem(file: &str) -> String {
    let stem = std::path::Path::new(file).file_stem();
    let stem = stem.map(|stem| super::quote(&super::spelled(stem.as_ref())));
    stem.unwrap_or_else(|| "system".to_owned())
}
