//! Names for Python: valid, none of the language's or the program's own, no two the same.

use crate::expr::{CodeNames, Expr, SymbolKind};
use crate::system::System;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// Names that the language and the program need: keywords, built-in functions, what the program defines.
const RESERVED: &str = "False None True and as assert async await break case class continue def del elif \
    else except finally for from global if import in is lambda match nonlocal not or pass raise return try \
    type while with yield \
    ArithmeticError ValueError SystemExit abs enumerate float len list max min print range reversed round \
    sum sys tuple zip \
    math sign constraints right_sides jacobian mass bias gamma accelerations multipliers inverse_functions \
    energy nearest solve step motion main \
    NAME COORDINATES CONSTRAINTS INDEPENDENT DEPENDENT START UNTIL ROWS STEPS";

/// The names of a program.
pub(super) struct PythonNames {
    taken: FxHashSet<String>,
    symbols: FxHashMap<Expr, String>,
    intermediate: usize,
}

impl PythonNames {
    /// Names for the symbols of a system.
    pub fn new(system: &System) -> Self {
        let mut names = Self {
            taken: RESERVED.split_whitespace().map(str::to_owned).collect(),
            symbols: FxHashMap::default(),
            intermediate: 0,
        };
        names.taken.insert("t".to_owned());
        names.symbols.insert(system.t, "t".to_owned());
        for c in &system.coordinates {
            // the derivatives of a coordinate are named alike
            let stem = identifier(&c.name);
            let mut own = stem.clone();
            let derivatives = |name: &str| [format!("{name}_dot"), format!("{name}_ddot")];
            while !names.is_free(&own) || derivatives(&own).iter().any(|n| !names.is_free(n)) {
                own.push('_');
            }
            let [v, a] = derivatives(&own);
            for (e, name) in [(c.x, own), (c.v, v), (c.a, a)] {
                names.taken.insert(name.clone());
                names.symbols.insert(e, name);
            }
        }
        let others = system.parameters.iter().map(|p| (p.symbol, p.name.clone()));
        let levels = system.constraints.iter().map(|c| c.level);
        let multipliers = system.constraints.iter().map(|c| c.multiplier);
        let named = levels.chain(multipliers).filter_map(|e| {
            let symbol = system.pool.as_symbol(e)?;
            Some((e, symbol.name))
        });
        for (e, name) in others.chain(named) {
            let name = names.fresh(&identifier(&name));
            names.symbols.insert(e, name);
        }
        names
    }

    /// The first of these names that is free, and no longer is.
    pub fn first_free(&mut self, wanted: &[&str]) -> String {
        let free = wanted.iter().find(|name| self.is_free(name));
        let name = free.or(wanted.last()).copied().unwrap_or("q");
        self.fresh(name)
    }

    /// The name of a symbol.
    pub fn of(&self, e: Expr) -> String {
        self.symbols.get(&e).cloned().unwrap_or_default()
    }

    /// Intermediate values are numbered from 1 again.
    pub fn restart(&mut self) {
        self.intermediate = 0;
    }

    fn fresh(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        while !self.is_free(&name) {
            name.push('_');
        }
        self.taken.insert(name.clone());
        name
    }

    fn is_free(&self, name: &str) -> bool {
        let digits = name.strip_prefix('w').filter(|digits| !digits.is_empty());
        let intermediate = digits.is_some_and(|d| d.bytes().all(|b| b.is_ascii_digit()));
        !intermediate && !self.taken.contains(name)
    }
}

impl CodeNames for PythonNames {
    fn symbol(&self, e: Expr) -> String {
        self.of(e)
    }

    fn intermediate(&mut self) -> String {
        self.intermediate += 1;
        format!("w{}", self.intermediate)
    }
}

/// A name of the grammar as a Python identifier. Python takes different spellings of a letter for the same
/// (normal form KC): letters of which this may be true are written by their number.
fn identifier(name: &str) -> String {
    let mut text = String::new();
    // names that begin with `_` mean something to Python
    if name.starts_with('_') {
        text.push('n');
    }
    for c in name.chars() {
        if is_plain(c) {
            text.push(c);
        } else {
            let _ = write!(text, "u{:04x}", u32::from(c));
        }
    }
    text
}

/// Letters that Python takes as they are.
fn is_plain(c: char) -> bool {
    let letter = matches!(c, 'À'..='Ö' | 'Ø'..='ö' | 'ø'..='ÿ' | 'Α'..='Ω' | 'α'..='ω'
        | 'А'..='я' | 'ё' | 'Ё' | '一'..='鿿' | 'ぁ'..='ゖ' | 'ァ'..='ヺ');
    c == '_' || c.is_ascii_alphanumeric() || letter && c.is_alphabetic()
}

/// What a symbol is to a function that reads it from its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Binding {
    /// The derivative of this order of the coordinate of this index.
    Coordinate(usize, u8),
    /// The level of this constraint.
    Level(usize),
    /// A constant of the module, or the time.
    Outside,
}

impl Binding {
    /// Where the value of a symbol comes from.
    pub fn of(system: &System, e: Expr) -> Self {
        match system.pool.symbol_kind(e) {
            Some(SymbolKind::Coordinate { index, order }) => Self::Coordinate(index, order),
            Some(SymbolKind::Level(index)) => Self::Level(index),
            _ => Self::Outside,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_those_of_python() {
        assert_eq!(identifier("x1"), "x1");
        assert_eq!(identifier("__import__"), "n__import__");
        assert_eq!(identifier("длина"), "длина");
        assert_eq!(identifier("ϑ"), "u03d1");
        assert_eq!(identifier("µ"), "u00b5");
        assert_eq!(identifier("ﬁ"), "ufb01");
    }
}
