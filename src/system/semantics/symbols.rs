//! The names of a file, declared in the order in which everything prints.

use super::fields::Fields;
use super::free::FreedParameter;
use super::{Builder, EXAMPLE, KEYS};
use crate::expr::{Expr, SymbolKind, is_name, parse_within};
use crate::system::diagnostic::Diagnostic;
use crate::system::names::{Context, Freed, MAX_NAME, Reach, Scope, did_you_mean, reserved};
use crate::system::schema::{Node, Scalar, Value};
use crate::system::{Changes, Coordinate, MAX_COORDINATES, Output, OutputKind, Parameter, quote};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The name of a constraint with its symbols, and the node that defines it.
pub struct NamedConstraint<'n> {
    pub key: &'n Scalar,
    pub node: &'n Node,
    pub level: Expr,
    pub multiplier: Expr,
}

/// The name of a velocity constraint with its multiplier, and the node that defines it.
pub struct NamedVelocity<'n> {
    pub key: &'n Scalar,
    pub node: &'n Node,
    pub multiplier: Expr,
}

/// The symbols of a system.
pub struct Symbols<'n> {
    pub coordinates: Vec<Coordinate>,
    pub t: Expr,
    pub parameters: Vec<Parameter>,
    /// Parameters that were made coordinates; they are the last coordinates.
    pub freed: Vec<FreedParameter>,
    pub constraints: Vec<NamedConstraint<'n>>,
    pub velocity_constraints: Vec<NamedVelocity<'n>>,
    pub outputs: Vec<Output>,
}

impl Symbols<'_> {
    /// The names of the coordinates.
    pub fn names(&self) -> Vec<&str> {
        self.coordinates.iter().map(|c| c.name.as_str()).collect()
    }

    /// The index of a coordinate.
    pub fn coordinate(&self, name: &str) -> Option<usize> {
        self.coordinates.iter().position(|c| c.name == name)
    }
}

/// Names of a table with what they stand for.
type Named<'n> = Vec<(&'n Scalar, &'n Node)>;

/// Where the file declares its names.
type Declared = FxHashMap<String, &'static str>;

impl Builder<'_> {
    /// Declares everything that has a name; evaluates parameters, reads definitions.
    pub fn symbols<'n>(
        &mut self,
        document: &Node,
        fields: &Fields<'n>,
        changes: &Changes,
    ) -> Option<Symbols<'n>> {
        let mut declared = Declared::default();
        let coordinates = self.coordinate_names(document, fields, &mut declared);
        let parameters = self.names(fields, "parameters", &mut declared);
        let definitions = self.names(fields, "define", &mut declared);
        let constraints = self.constraint_names(fields, &declared);
        let velocity = self.velocity_names(fields, constraints.as_deref().unwrap_or_default());
        let coordinates = coordinates?;
        // what is wrong with names would only be repeated by every expression that uses them
        let unnamed = constraints.is_none() || velocity.is_none();
        if !self.errors.is_empty() && (coordinates.is_empty() || unnamed) {
            return None;
        }
        let constraints = (
            constraints.unwrap_or_default(),
            velocity.unwrap_or_default(),
        );
        let is_parameter = |name: &str| parameters.iter().any(|(key, _)| key.value == name);
        let freed = |entries: &[(&'n Scalar, &'n Node)]| {
            let names = entries.iter().map(|(key, _)| key.value.as_str());
            let freed: Vec<&'n str> = names.filter(|name| changes.frees(name)).collect();
            freed.into_iter()
        };
        let levels = freed(&constraints.0).filter(|name| !is_parameter(name));
        let held = freed(&parameters).map(|name| (name, false));
        let held: Vec<(&str, bool)> = held.chain(levels.map(|name| (name, true))).collect();
        let own = held.iter().map(|(name, of_level)| match of_level {
            true => FreedParameter::level_name(name),
            false => (*name).to_owned(),
        });
        let own: Vec<String> = own.collect();
        let mut names: Vec<&str> = coordinates.iter().map(|c| c.value.as_str()).collect();
        names.extend(own.iter().map(String::as_str));
        let mut symbols = self.declare((&names, &held), &parameters, constraints);
        let later = parameters.iter().chain(&definitions);
        self.table.later = later.map(|(key, _)| key.value.clone()).collect();
        self.table.later.reverse();
        let before = self.errors.len();
        symbols.parameters = self.parameters(&parameters, &changes.set, &mut symbols.freed);
        self.positive(fields, &symbols);
        self.definitions(&definitions);
        if self.errors.len() > before {
            return None;
        }
        self.output_names(&mut symbols);
        Some(symbols)
    }

    /// The parameters that are told to be positive: what is written holds for those alone.
    fn positive(&mut self, fields: &Fields<'_>, symbols: &Symbols<'_>) {
        let expected = "a list of parameters such as `[m, l]`";
        for item in self.list_of(fields, "positive", expected) {
            let Some(scalar) = self.scalar(item, "a positive parameter", "a name") else {
                continue;
            };
            let name = scalar.value.as_str();
            let constraint = FreedParameter::constraint_name(name);
            if symbols.freed.iter().any(|freed| freed.name == constraint) {
                continue; // a coordinate has no sign of its own
            }
            match symbols.parameters.iter().find(|p| p.name == name) {
                Some(p) if p.value > 0.0 => self.pool.tell_positive(p.symbol),
                Some(p) => {
                    let message = format!(
                        "`{name}` is declared positive, and its value is {}",
                        p.value
                    );
                    let help = "give it a positive value, or leave it out of `positive`";
                    self.fail_with(scalar.span.clone(), message, help);
                }
                None => {
                    let message = format!("unknown parameter `{}`", quote(name));
                    let known: Vec<&str> =
                        symbols.parameters.iter().map(|p| p.name.as_str()).collect();
                    let help = did_you_mean(name, known.iter().copied())
                        .unwrap_or_else(|| format!("the parameters are {}", known.join(", ")));
                    self.fail_with(scalar.span.clone(), message, help);
                }
            }
        }
    }

    fn coordinate_names<'n>(
        &mut self,
        document: &Node,
        fields: &Fields<'n>,
        declared: &mut Declared,
    ) -> Option<Vec<&'n Scalar>> {
        let Some(node) = fields.get("coordinates") else {
            // an unknown key may be meant
            if self.errors.is_empty() {
                let start = document.span.start;
                self.fail_with(start..start, "the key `coordinates` is missing", EXAMPLE);
            }
            return None;
        };
        let expected = "a list of names such as `[x, y]`";
        let items = self.list(node, "`coordinates`", expected)?;
        if items.is_empty() {
            return self.refuse(
                node.span.clone(),
                "`coordinates` must name at least one coordinate",
            );
        }
        if items.len() > MAX_COORDINATES {
            let message = format!("at most {MAX_COORDINATES} coordinates are supported");
            return self.refuse(node.span.clone(), message);
        }
        let before = self.errors.len();
        let mut names = Vec::new();
        for item in items {
            if let Some(scalar) = self.scalar(item, "a coordinate", "a name") {
                self.declare_name(scalar, "coordinate", declared);
                names.push(scalar);
            }
        }
        (self.errors.len() == before).then_some(names)
    }

    /// The names of a table of expressions.
    fn names<'n>(
        &mut self,
        fields: &Fields<'n>,
        table: &'static str,
        declared: &mut Declared,
    ) -> Vec<(&'n Scalar, &'n Node)> {
        let entries = self.table_of(fields, table, "a table of names such as `{m: 1}`");
        let kind = if table == "define" {
            "definition"
        } else {
            "parameter"
        };
        for (key, _) in &entries {
            self.declare_name(key, kind, declared);
        }
        entries
    }

    /// Checks a name and notes it.
    fn declare_name(&mut self, name: &Scalar, kind: &'static str, declared: &mut Declared) {
        let Scalar { value, span, .. } = name;
        if !self.is_good_name(name, kind) {
            return;
        }
        if let Some(why) = reserved(value) {
            self.fail_with(span.clone(), why, "choose another name");
        } else if let Some(first) = declared.insert(value.clone(), kind) {
            let message = if first == kind {
                format!("the {kind} `{value}` appears twice")
            } else {
                format!("`{value}` is a {first} and a {kind}")
            };
            self.fail_with(span.clone(), message, "give each its own name");
        }
    }

    fn is_good_name(&mut self, name: &Scalar, kind: &str) -> bool {
        let Scalar { value, span, .. } = name;
        if is_name(value) && value.chars().count() <= MAX_NAME {
            return true;
        }
        let message = format!("`{}` cannot be the name of a {kind}", quote(value));
        let help = if value.ends_with('\'') && is_name(value.trim_end_matches('\'')) {
            "velocities come with their coordinate: name it without `'`".to_owned()
        } else {
            format!("a name has letters, digits and `_`, a letter first, at most {MAX_NAME}")
        };
        self.fail_with(span.clone(), message, help);
        false
    }

    fn constraint_names<'n>(
        &mut self,
        fields: &Fields<'n>,
        declared: &Declared,
    ) -> Option<Vec<(&'n Scalar, &'n Node)>> {
        let Some(node) = fields.get("constraints") else {
            return Some(Vec::new());
        };
        let expected = "a table of named constraints such as `wire: y - x^2`";
        let entries = self.equations(node, "`constraints`", expected)?;
        let before = self.errors.len();
        for (key, node) in &entries {
            let is_relation = match &node.value {
                Value::Mapping(entries) => entries.iter().any(|(key, _)| key.value == "f"),
                Value::Scalar(_) => !node.is_nothing(),
                Value::Sequence(_) => false,
            };
            if KEYS.contains(&key.value.as_str()) && !is_relation {
                let message = format!("`{}` stands among the constraints", key.value);
                let help = "it is a key of the file: write it at the left margin";
                self.fail_with(key.span.clone(), message, help);
            } else if self.is_good_name(key, "constraint") {
                let level = format!("y_{}", key.value);
                if let Some(kind) = declared.get(&level) {
                    let message = format!(
                        "`{level}` is a {kind}, and stands for the value of this constraint"
                    );
                    self.fail_with(key.span.clone(), message, "rename one of the two");
                }
            }
        }
        (self.errors.len() == before).then_some(entries)
    }

    /// The names of the velocity constraints: a multiplier belongs to one constraint of either kind.
    fn velocity_names<'n>(
        &mut self,
        fields: &Fields<'n>,
        constraints: &[(&Scalar, &Node)],
    ) -> Option<Named<'n>> {
        let Some(node) = fields.get("velocity_constraints") else {
            return Some(Vec::new());
        };
        let expected = "a table of named velocity constraints such as `roll: x' - r*th'`";
        let entries = self.equations(node, "`velocity_constraints`", expected)?;
        let before = self.errors.len();
        for (key, _) in &entries {
            if self.is_good_name(key, "velocity constraint")
                && constraints
                    .iter()
                    .any(|(other, _)| other.value == key.value)
            {
                let message = format!(
                    "`{}` is a constraint and a velocity constraint",
                    quote(&key.value)
                );
                let help = "each has its own multiplier: give each its own name";
                self.fail_with(key.span.clone(), message, help);
            }
        }
        (self.errors.len() == before).then_some(entries)
    }

    fn declare<'n>(
        &mut self,
        (coordinates, freed): (&[&str], &[(&str, bool)]),
        parameters: &[(&Scalar, &Node)],
        (constraints, velocity): (Named<'n>, Named<'n>),
    ) -> Symbols<'n> {
        let pool = &self.pool;
        let order = |order: u8| -> Vec<Expr> {
            let primes = "'".repeat(usize::from(order));
            let names = coordinates.iter().enumerate();
            names
                .map(|(index, name)| {
                    let kind = SymbolKind::Coordinate { index, order };
                    pool.symbol(&format!("{name}{primes}"), kind)
                })
                .collect()
        };
        let (x, v, a) = (order(0), order(1), order(2));
        let t = pool.symbol("t", SymbolKind::Time);
        pool.pi();
        let kept = parameters
            .iter()
            .map(|(name, _)| name.value.as_str())
            .filter(|name| !freed.contains(&(*name, false)));
        for (index, name) in kept.enumerate() {
            pool.symbol(name, SymbolKind::Parameter(index));
        }
        let named = |prefix: &str, kind: fn(usize) -> SymbolKind| -> Vec<Expr> {
            let names = constraints.iter().enumerate();
            names
                .map(|(index, (key, _))| {
                    pool.symbol(&format!("{prefix}{}", key.value), kind(index))
                })
                .collect()
        };
        let levels = named("y_", SymbolKind::Level);
        let multipliers = named("lambda_", SymbolKind::Multiplier);
        let own = constraints.len();
        let freed = FreedParameter::declared(pool, freed, coordinates.len() - freed.len(), own);
        let first = own + freed.len();
        let velocity_constraints = velocity.into_iter().enumerate();
        let velocity_constraints = velocity_constraints
            .map(|(index, (key, node))| {
                let name = format!("lambda_{}", key.value);
                let multiplier = pool.symbol(&name, SymbolKind::Multiplier(first + index));
                NamedVelocity {
                    key,
                    node,
                    multiplier,
                }
            })
            .collect();
        let mut outputs: Vec<Output> = Vec::new();
        let reactions = coordinates.iter().enumerate();
        let reactions = reactions.map(|(i, c)| (format!("R_{c}"), OutputKind::Reaction(i)));
        let whole = OutputKind::OF_SYSTEM.map(|(name, kind)| (name.to_owned(), kind));
        for (index, (name, kind)) in reactions.chain(whole).enumerate() {
            let symbol = pool.symbol(&name, SymbolKind::Other(index));
            outputs.push(Output { symbol, kind });
        }
        let coordinates: Vec<Coordinate> = coordinates
            .iter()
            .enumerate()
            .map(|(i, name)| Coordinate {
                name: (*name).to_owned(),
                x: x[i],
                v: v[i],
                a: a[i],
            })
            .collect();
        for c in &coordinates {
            self.table.add_coordinate(&c.name, c.x, [c.v, c.a]);
        }
        self.table.add("t", t, Reach::Time);
        Symbols {
            coordinates,
            t,
            parameters: Vec::new(),
            freed,
            velocity_constraints,
            constraints: constraints
                .into_iter()
                .zip(levels.into_iter().zip(multipliers))
                .map(|((key, node), (level, multiplier))| NamedConstraint {
                    key,
                    node,
                    level,
                    multiplier,
                })
                .collect(),
            outputs,
        }
    }

    /// Evaluates the parameters in their order, `set` first.
    fn parameters(
        &mut self,
        entries: &[(&Scalar, &Node)],
        set: &[(String, String)],
        freed: &mut [FreedParameter],
    ) -> Vec<Parameter> {
        for (name, value) in set {
            if !entries.iter().any(|(key, _)| key.value == *name) {
                let text = format!("{name}={value}");
                let message = format!("the system has no parameter `{}`", quote(name));
                let known: Vec<&str> = entries.iter().map(|(k, _)| k.value.as_str()).collect();
                let help = did_you_mean(name, known.iter().copied());
                let help = help.unwrap_or_else(|| match known.as_slice() {
                    [] => "it has none at all".to_owned(),
                    known => format!("its parameters are {}", known.join(", ")),
                });
                let error = Diagnostic::at("--set", &text, 0..name.len(), message);
                self.errors.push(error.with_help(help));
            }
        }
        let mut parameters = Vec::new();
        for (key, node) in entries {
            let name = key.value.as_str();
            self.table.later.pop_if(|later| later == name);
            let what = format!("the parameter `{}`", quote(name));
            let given = set.iter().rev().find(|(given, _)| given == name);
            let constraint = FreedParameter::constraint_name(name);
            let freed = freed.iter_mut().find(|freed| freed.name == constraint);
            let written = match given {
                Some((_, text)) => {
                    // the file's own expression must still be one
                    let own = self.expression(node, &what, PARAMETER);
                    own.and_then(|_| self.given(name, text))
                }
                None if freed.is_some() => self.expression(node, &what, PARAMETER),
                None => self.own_value(node, &what),
            };
            if let Some(freed) = freed {
                let Some(value) = written else { break };
                freed.value = value;
                self.table.hold(name, value);
                continue;
            }
            let value = written.map(|e| self.evaluate(e));
            self.values.push(value.unwrap_or(f64::NAN));
            if let Some(symbol) = self.pool.lookup(name) {
                self.table.add(name, symbol, Reach::Parameters);
                if let (Some(written), Some(value)) = (written, value) {
                    let number = self.pool.substitute(written, &self.exact);
                    let known = self.pool.as_number(number);
                    if known.is_some() {
                        self.exact.insert(symbol, number);
                    }
                    parameters.push(Parameter {
                        name: name.to_owned(),
                        symbol,
                        value,
                        given: written,
                        exact: known,
                        written,
                    });
                }
            }
            if value.is_none() && given.is_none() {
                // the parameters that use it would all be reported
                break;
            }
        }
        parameters
    }

    /// What the file gives, of a finite value. A parameter that is worked out of a freed one is none.
    fn own_value(&mut self, node: &Node, what: &str) -> Option<Expr> {
        let e = self.expression(node, what, PARAMETER)?;
        let value = self.finite(e, what, node);
        self.reported(value).map(|_| e)
    }

    /// The expression of parameters that `--set` gives; its value is finite.
    fn given(&mut self, name: &str, value: &str) -> Option<Expr> {
        let text = format!("{name}={value}");
        let start = name.len() + 1;
        let scope = Scope {
            table: &self.table,
            place: PARAMETER,
            freed: Freed::Coordinate,
        };
        let names = |name: &str, primes| scope.resolve(name, primes);
        let (span, message, help): (Range<usize>, String, Option<String>) =
            match parse_within(&self.pool, value, &names, &|e| e, &self.meter) {
                Ok(e) => {
                    let number = self.evaluate(e);
                    if number.is_finite() {
                        return Some(e);
                    }
                    let message = format!("this is not a finite number: it is {number}");
                    (start..text.len(), message, None)
                }
                Err(error) => (
                    start + error.span.start..start + error.span.end,
                    error.kind.to_string(),
                    error.help,
                ),
            };
        let error = Diagnostic::at("--set", &text, span, message);
        self.errors.push(error.with_help_if(help));
        None
    }

    fn definitions(&mut self, entries: &[(&Scalar, &Node)]) {
        for (key, node) in entries {
            let name = key.value.as_str();
            self.table.later.pop_if(|later| later == name);
            let what = format!("the definition `{}`", quote(name));
            let Some(e) = self.expression(node, &what, DEFINITION) else {
                break;
            };
            let reach = self.reach(e);
            self.table.define(name, e, reach);
        }
    }

    /// Makes the outputs known, for plots.
    fn output_names(&mut self, symbols: &mut Symbols) {
        let velocity = symbols.velocity_constraints.iter().map(|c| c.multiplier);
        let freed = symbols.freed.iter().map(|c| c.multiplier);
        let multipliers = symbols.constraints.iter().map(|c| c.multiplier);
        let multipliers = multipliers.chain(freed).chain(velocity);
        let outputs = symbols.outputs.iter().map(|o| o.symbol);
        for e in multipliers.chain(outputs) {
            if let Some(symbol) = self.pool.as_symbol(e) {
                self.table.add(&symbol.name, e, Reach::Outputs);
            }
        }
    }
}

const PARAMETER: Context = Context::new("a parameter", Reach::Parameters);

const DEFINITION: Context = Context::new("a definition", Reach::State);
