//! The system in plain expressions: numbers as fractions, one name a thing, Python's notation.

use super::claims::Side;
use super::lacking::Lacking;
use crate::analysis::Model;
use crate::expr::{Expr, Function, Interval, Node, Number, Pool};
use rustc_hash::FxHashMap;
use serde_json::{Map, Value, json};

/// Words that name something else where the expressions are read, as functions do.
const TAKEN: [&str; 37] = [
    "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif",
    "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda",
    "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield", "None",
    "True", "False", "sqrt", "u",
];

/// Functions that the checker does not know.
const UNKNOWN: [Function; 1] = [Function::Erf];

fn is_taken(name: &str) -> bool {
    TAKEN.contains(&name) || Function::named(name).is_some()
}

/// An exact number as a fraction.
pub fn fraction(n: &Number) -> String {
    let (p, q) = (n.numerator(), n.denominator());
    if q.is_one() {
        p.to_string()
    } else {
        format!("{p}/{q}")
    }
}

/// A number as a file writes it: 0.1 is 1/10.
pub fn written(v: f64) -> String {
    fraction(&Number::written(v).unwrap_or(Number::ZERO))
}

/// The names of what expressions are made of.
pub struct Names {
    of: FxHashMap<Expr, String>,
    constants: Map<String, Value>,
    coordinates: Vec<String>,
    velocities: Vec<String>,
    time: String,
}

impl Names {
    /// Those of a system.
    pub fn new(model: &Model) -> Self {
        let system = &model.system;
        let mut used: Vec<String> = Vec::new();
        let mut of = FxHashMap::default();
        let mut name = |symbol: Expr, wanted: String| {
            let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
            let mut name: String = wanted.chars().map(plain).collect();
            if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
                name.insert(0, 'n');
            }
            while is_taken(&name) || used.contains(&name) {
                name.push('_');
            }
            used.push(name.clone());
            of.insert(symbol, name.clone());
            name
        };
        let own = &system.coordinates;
        let coordinates = own.iter().map(|c| name(c.x, c.name.clone())).collect();
        let time = name(system.t, "t".to_owned());
        let velocities = own.iter().map(|c| name(c.v, format!("{}_dot", c.name)));
        let velocities = velocities.collect();
        let mut constants = Map::new();
        for (p, bounds) in system.parameters.iter().zip(system.parameter_bounds()) {
            let value = match &p.exact {
                Some(exact) => json!(fraction(exact)),
                None => json!(Side(bounds)),
            };
            constants.insert(name(p.symbol, p.name.clone()), value);
        }
        let pi = name(system.pool.pi(), "pi".to_owned());
        constants.insert(pi, json!(Side(Interval::PI)));
        Self {
            of,
            constants,
            coordinates,
            velocities,
            time,
        }
    }

    /// An expression in these names.
    pub fn text(&self, pool: &Pool, e: Expr) -> Result<String, Lacking> {
        let mut known: FxHashMap<Expr, String> = FxHashMap::default();
        let mut missing = None;
        let number = |n: &Number| match fraction(n) {
            plain if plain.contains(['/', '-']) => format!("({plain})"),
            plain => plain,
        };
        pool.visit(&[e], &mut |whole, node| {
            let of = |part: &Expr| known.get(part).cloned().unwrap_or_default();
            let text = match node {
                Node::Number(n) => number(n),
                Node::Symbol(_) => self.of.get(&whole).cloned().unwrap_or_else(|| {
                    missing = Some(Lacking::Symbol(pool.print(whole)));
                    String::new()
                }),
                Node::Sum(constant, terms) => {
                    let mut parts: Vec<String> = Vec::new();
                    if !constant.is_zero() {
                        parts.push(number(constant));
                    }
                    parts.extend(terms.iter().map(|(term, k)| match k {
                        k if k.is_one() => of(term),
                        k => format!("{}*{}", number(k), of(term)),
                    }));
                    format!("({})", parts.join(" + "))
                }
                Node::Product(coefficient, factors) => {
                    let mut parts: Vec<String> = Vec::new();
                    if !coefficient.is_one() {
                        parts.push(number(coefficient));
                    }
                    parts.extend(factors.iter().map(|(base, exponent)| {
                        if *exponent == pool.one() {
                            of(base)
                        } else {
                            format!("{}**{}", of(base), of(exponent))
                        }
                    }));
                    format!("({})", parts.join("*"))
                }
                Node::Apply(f, _) if UNKNOWN.contains(f) => {
                    missing = Some(Lacking::Symbol(f.name().to_owned()));
                    String::new()
                }
                Node::Apply(f, args) => {
                    let args: Vec<String> = args.iter().map(of).collect();
                    format!("{}({})", f.name(), args.join(", "))
                }
            };
            known.insert(whole, text);
        });
        match missing {
            Some(what) => Err(what),
            None => Ok(known.remove(&e).unwrap_or_default()),
        }
    }

    /// The system.
    pub fn system(&self, model: &Model) -> Result<Value, Lacking> {
        let system = &model.system;
        let pool = &system.pool;
        let text = |e: Expr| self.text(pool, e);
        let constraints = system.constraints.iter().map(|c| {
            let f = text(pool.sub(c.f, c.c))?;
            let mut told = json!({"name": c.name, "f": f, "level": text(c.c)?});
            if c.side.is_some() {
                told["side"] = json!(">=");
            }
            Ok(told)
        });
        let constraints: Vec<Value> = constraints.collect::<Result<_, Lacking>>()?;
        let speeds = &model.equations.velocity.speeds;
        let rolling = system.velocity_constraints.iter().zip(speeds);
        let rolling = rolling.map(|(c, speed)| Ok(json!({"name": c.name, "f": text(*speed)?})));
        let rolling: Vec<Value> = rolling.collect::<Result<_, Lacking>>()?;
        let forces = system.forces.iter().map(|e| text(*e));
        Ok(json!({
            "name": system.name,
            "coordinates": self.coordinates,
            "velocities": self.velocities,
            "time": self.time,
            "constants": self.constants,
            "constraints": constraints,
            "velocity_constraints": rolling,
            "objective": system.objective,
            "lagrangian": text(system.lagrangian)?,
            "forces": forces.collect::<Result<Vec<String>, Lacking>>()?,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checker_knows_the_functions_that_are_written() {
        let checker = include_str!("../../tools/certify.py");
        for f in Function::ALL {
            let is_known = checker.contains(&format!("\"{}\": ", f.name()));
            assert_eq!(is_known, !UNKNOWN.contains(&f), "{}", f.name());
        }
    }
}
