//! Names for a program: valid, none of the language's or the program's own, no two the same.

use crate::expr::{CodeNames, Expr, Language, greek_name};
use crate::system::System;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// Names that both programs define.
const OWN: &str = "sign constraints right_sides jacobian mass bias gamma accelerations multipliers inverse_functions \
    velocity_constraints energy nearest solve step motion main NAME COORDINATES CONSTRAINTS INDEPENDENT DEPENDENT ROWS COLUMNS \
    ONE_SIDED BREAKS";

/// Names that Python and the program in it need: keywords, built-in functions, what the program defines.
const PYTHON: &str = "False None True and as assert async await break case class continue def del elif \
    else except finally for from global if import in is lambda match nonlocal not or pass raise return try \
    type while with yield \
    ArithmeticError ValueError SystemExit Watch abs all enumerate float len list map max min print range reversed round \
    steps sum sys tuple zip math START UNTIL STEPS";

/// Keywords of C to its newest, macros of the headers and of compilers, functions that the program calls, what it defines.
const C: &str = "alignas alignof asm auto bool break case char complex const constexpr continue default do double \
    else enum extern false float for fortran goto if imaginary inline int long noreturn nullptr register restrict \
    return short signed sizeof static static_assert struct switch thread_local true typedef typeof typeof_unqual \
    union unsigned void volatile while \
    BIG_ENDIAN BUFSIZ BYTE_ORDER DOMAIN EOF EXIT_FAILURE EXIT_SUCCESS FILENAME_MAX FOPEN_MAX HUGE HUGE_VAL \
    INFINITY LITTLE_ENDIAN NAN NULL OVERFLOW PDP_ENDIAN PLOSS RAND_MAX SEEK_CUR SEEK_END SEEK_SET SING TLOSS TMP_MAX \
    UNDERFLOW i386 linux unix mips sparc sun vax errno far near stderr stdin stdout \
    M_E M_PI M_LN2 M_LN10 M_PI_2 M_PI_4 M_1_PI M_2_PI M_SQRT2 M_SQRT1_2 M_2_SQRTPI M_LOG2E M_LOG10E \
    fabs pow sqrt sin cos tan asin acos atan atan2 sinh cosh tanh erf exp log round fmax fprintf fputs printf putchar \
    rates_of advance travel ends_here gamma_ parameters N M K POSITIONAL ANY_ONE_SIDED CONSERVES START START_X START_V STARTS UNTIL SIZE RTOL ATOL BREAK_COUNT";

/// The names of a program.
pub(super) struct ProgramNames {
    language: Language,
    taken: FxHashSet<String>,
    symbols: FxHashMap<Expr, String>,
    parameters: FxHashSet<Expr>,
    intermediate: usize,
}

impl ProgramNames {
    /// Names for the symbols of a system.
    pub fn new(system: &System, language: Language) -> Self {
        let reserved = match language {
            Language::Python => PYTHON,
            Language::C => C,
        };
        let reserved = OWN.split_whitespace().chain(reserved.split_whitespace());
        let mut names = Self {
            language,
            taken: reserved.map(str::to_owned).collect(),
            symbols: FxHashMap::default(),
            parameters: system.parameters.iter().map(|p| p.symbol).collect(),
            intermediate: 0,
        };
        names.taken.insert("t".to_owned());
        names.symbols.insert(system.t, "t".to_owned());
        for c in &system.coordinates {
            // the derivatives of a coordinate are named alike
            let stem = identifier(&c.name, language);
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
            let name = names.fresh(&identifier(&name, language));
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

    /// The name of a symbol where it is defined.
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

impl CodeNames for ProgramNames {
    fn symbol(&self, e: Expr) -> String {
        let name = self.of(e);
        // there no name of a library is in the way
        let member = self.language == Language::C && self.parameters.contains(&e);
        if member {
            format!("parameters.{name}")
        } else {
            name
        }
    }

    fn intermediate(&mut self) -> String {
        self.intermediate += 1;
        format!("w{}", self.intermediate)
    }
}

/// A name of the grammar as an identifier. Python takes different spellings of a letter for the same (normal form KC):
/// letters of which this may be true are written by their number. C99 promises those of ASCII alone.
fn identifier(name: &str, language: Language) -> String {
    let mut text = String::new();
    // names that begin with `_` mean something
    if name.starts_with('_') {
        text.push('n');
    }
    for c in name.chars() {
        if c == '_' || c.is_ascii_alphanumeric() || language == Language::Python && is_plain(c) {
            text.push(c);
        } else if let Some(greek) = greek_name(c).filter(|_| language == Language::C) {
            text.push_str(&greek);
        } else {
            let _ = write!(text, "u{:04x}", u32::from(c));
        }
    }
    text
}

/// Letters beyond ASCII that Python takes as they are.
fn is_plain(c: char) -> bool {
    matches!(c, 'À'..='Ö' | 'Ø'..='ö' | 'ø'..='ÿ' | 'Α'..='Ω' | 'α'..='ω'
        | 'А'..='я' | 'ё' | 'Ё' | '一'..='鿿' | 'ぁ'..='ゖ' | 'ァ'..='ヺ')
        && c.is_alphabetic()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_those_of_the_language() {
        let identifier = |name| identifier(name, Language::Python);
        assert_eq!(identifier("x1"), "x1");
        assert_eq!(identifier("__import__"), "n__import__");
        assert_eq!(identifier("длина"), "длина");
        assert_eq!(identifier("ϑ"), "u03d1");
        assert_eq!(identifier("µ"), "u00b5");
        assert_eq!(identifier("ﬁ"), "ufb01");
        assert_eq!(super::identifier("θ1", Language::C), "theta1");
        assert_eq!(super::identifier("é", Language::C), "u00e9");
    }
}
