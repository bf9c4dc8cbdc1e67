//! Names as they are shown.
//!
//! | name | pretty | LaTeX |
//! |---|---|---|
//! | `x1`, `k_1` | x₁, k₁ | `x_{1}`, `k_{1}` |
//! | `x1'`, `x1''` | x₁′, x₁″ | `\dot{x}_{1}`, `\ddot{x}_{1}` |
//! | `theta`, `omega2` | θ, ω₂ | `\theta`, `\omega_{2}` |
//! | `lambda_wire` | λ_wire | `\lambda_{\mathrm{wire}}` |
//! | `th12` | th₁₂ | `\mathrm{th}_{12}` |
//! | `dx1`, virtual | δx₁ | `\delta x_{1}` |
//!
//! Only the full names of Greek letters become letters: `th` may be anything, and who wrote it looks for
//! it. Where two names of a pool would be shown the same (`x1` and `x_1`, `phi` and `φ`) both are
//! shown as they are written.

use super::super::pool::{Pool, Symbol, SymbolKind};
use super::Style;
use std::borrow::Cow;

/// Greek letters: the name, the small letter, the capital where it is none of the Latin alphabet.
const GREEK: [(&str, char, Option<char>); 23] = [
    ("alpha", 'α', None),
    ("beta", 'β', None),
    ("gamma", 'γ', Some('Γ')),
    ("delta", 'δ', Some('Δ')),
    ("epsilon", 'ε', None),
    ("zeta", 'ζ', None),
    ("eta", 'η', None),
    ("theta", 'θ', Some('Θ')),
    ("iota", 'ι', None),
    ("kappa", 'κ', None),
    ("lambda", 'λ', Some('Λ')),
    ("mu", 'μ', None),
    ("nu", 'ν', None),
    ("xi", 'ξ', Some('Ξ')),
    ("pi", 'π', Some('Π')),
    ("rho", 'ρ', None),
    ("sigma", 'σ', Some('Σ')),
    ("tau", 'τ', None),
    ("upsilon", 'υ', Some('Υ')),
    ("phi", 'φ', Some('Φ')),
    ("chi", 'χ', None),
    ("psi", 'ψ', Some('Ψ')),
    ("omega", 'ω', Some('Ω')),
];

impl Pool {
    /// The name of a symbol as it is shown.
    pub(super) fn shown(&self, symbol: &Symbol, style: Style) -> String {
        if style == Style::Plain {
            return written(&symbol.name).into_owned();
        }
        let level = self.level_beside_y(symbol);
        let name = level.as_deref().unwrap_or(&symbol.name);
        let text = if style == Style::Latex {
            latex(name, symbol.kind)
        } else {
            pretty(name)
        };
        if text == symbol.name || self.is_alone(&text, style) {
            text
        } else if style == Style::Latex {
            as_written(&symbol.name, symbol.kind)
        } else {
            primes(&symbol.name)
        }
    }

    /// A level beside coordinates that are called y: on paper it is `c_NAME`.
    fn level_beside_y(&self, symbol: &Symbol) -> Option<String> {
        let name = match symbol.kind {
            SymbolKind::Level(_) => format!("c_{}", symbol.name.strip_prefix("y_")?),
            _ => return None,
        };
        let symbols = self.symbols.borrow();
        let is_y = |other: &Symbol| {
            let number = other.name.strip_prefix('y');
            matches!(other.kind, SymbolKind::Coordinate { order: 0, .. })
                && number.is_some_and(|n| n.chars().all(|c| c.is_ascii_digit()))
        };
        let taken = symbols.iter().any(|other| other.name == name);
        (!taken && symbols.iter().any(is_y)).then_some(name)
    }

    /// A name as it is shown in Unicode, whether it stands for anything or not.
    pub fn pretty_name(&self, name: &str) -> String {
        match self.lookup(name).and_then(|e| self.as_symbol(e)) {
            Some(symbol) => self.shown(&symbol, Style::Pretty),
            None => pretty(name),
        }
    }

    /// Is this text that of one symbol only?
    fn is_alone(&self, text: &str, style: Style) -> bool {
        let symbols = self.symbols.borrow();
        let mut names = self.memory.names.borrow_mut();
        for symbol in symbols.iter().skip(names.counted) {
            *names.pretty.entry(pretty(&symbol.name)).or_default() += 1;
            *names
                .latex
                .entry(latex(&symbol.name, symbol.kind))
                .or_default() += 1;
        }
        names.counted = symbols.len();
        let counts = if style == Style::Latex {
            &names.latex
        } else {
            &names.pretty
        };
        counts.get(text).is_none_or(|count| *count <= 1)
    }
}

/// Stem and primes.
fn parts(name: &str) -> (&str, usize) {
    let bare = name.trim_end_matches('\'');
    (bare, name.len() - bare.len())
}

/// The letters of a word and the digits at its end; all letters where it is only digits.
fn letters(word: &str) -> (&str, &str) {
    let stem = word.trim_end_matches(|c: char| c.is_ascii_digit());
    if stem.is_empty() {
        (word, "")
    } else {
        word.split_at(stem.len())
    }
}

/// What the names of virtual displacements ([`Pool::differential`]) begin with.
const DIFFERENTIAL: &str = "d#";

/// What the names of Euler-Lagrange expressions ([`Pool::euler_lagrange`]) begin with.
const EULER_LAGRANGE: &str = "E#";

/// A name as it is written.
fn written(name: &str) -> Cow<'_, str> {
    if let Some(x) = name.strip_prefix(DIFFERENTIAL) {
        return format!("d{x}").into();
    }
    match name.strip_prefix(EULER_LAGRANGE) {
        Some(x) => format!("E_{x}").into(),
        None => name.into(),
    }
}

/// A name with typographic primes.
fn primes(name: &str) -> String {
    let name = &*written(name);
    let (bare, primes) = parts(name);
    let marks = match primes {
        0 => "",
        1 => "′",
        2 => "″",
        _ => return name.to_owned(),
    };
    format!("{bare}{marks}")
}

fn subscript(digits: &str) -> String {
    let small = ['₀', '₁', '₂', '₃', '₄', '₅', '₆', '₇', '₈', '₉'];
    digits
        .chars()
        .filter_map(|c| c.to_digit(10).and_then(|d| small.get(d as usize)))
        .collect()
}

/// The Greek letter of a name.
fn greek(word: &str) -> Option<char> {
    let capital = word.starts_with(|c: char| c.is_ascii_uppercase());
    let lower = word.to_ascii_lowercase();
    let (_, small, large) = GREEK.iter().find(|(name, ..)| *name == lower)?;
    // `ALPHA` is none
    let as_written = word.get(1..) == lower.get(1..);
    if capital { *large } else { Some(*small) }.filter(|_| as_written)
}

fn pretty(name: &str) -> String {
    if let Some(x) = name.strip_prefix(DIFFERENTIAL) {
        return format!("δ{}", pretty(x));
    }
    if let Some(x) = name.strip_prefix(EULER_LAGRANGE) {
        return format!("E_{}", pretty(x));
    }
    let word = |word: &str| {
        let (stem, digits) = letters(word);
        let stem = greek(stem).map_or_else(|| stem.to_owned(), String::from);
        format!("{stem}{}", subscript(digits))
    };
    let name = primes(name);
    let bare = name.trim_end_matches(['′', '″', '\'']);
    let marks = &name[bare.len()..];
    let shown = match bare.split_once('_') {
        Some((stem, index)) if !stem.is_empty() && !index.is_empty() => {
            let digits = index.chars().all(|c| c.is_ascii_digit());
            if digits && letters(stem).1.is_empty() {
                format!("{}{}", word(stem), subscript(index))
            } else {
                let index: Vec<String> = index.split('_').map(word).collect();
                format!("{}_{}", word(stem), index.join("_"))
            }
        }
        _ => word(bare),
    };
    format!("{shown}{marks}")
}

/// A word in math mode.
fn math(word: &str) -> String {
    let digits = word.chars().all(|c| c.is_ascii_digit());
    if let Some(symbol) = greek_command(word) {
        symbol
    } else if digits || word.len() == 1 && word != "_" {
        word.to_owned()
    } else {
        upright(word)
    }
}

fn upright(word: &str) -> String {
    // letters of other alphabets are text, whatever the fonts of the formulas have
    let font = if word.is_ascii() { "mathrm" } else { "text" };
    format!("\\{font}{{{}}}", word.replace('_', "\\_"))
}

/// `\theta` for `theta` and `θ`.
fn greek_command(word: &str) -> Option<String> {
    let mut letters = word.chars();
    let letter = match (letters.next(), letters.next()) {
        (Some(letter), None) => Some(letter),
        _ => greek(word),
    }?;
    greek_name(letter).map(|name| format!("\\{name}"))
}

/// `theta` for θ, `Theta` for Θ.
pub fn greek_name(letter: char) -> Option<String> {
    GREEK.iter().find_map(|(name, small, large)| {
        let (first, rest) = name.split_at(1);
        if *small == letter {
            Some((*name).to_owned())
        } else if *large == Some(letter) {
            Some(format!("{}{rest}", first.to_ascii_uppercase()))
        } else {
            None
        }
    })
}

fn dotted(stem: String, kind: SymbolKind) -> String {
    match kind {
        SymbolKind::Coordinate { order: 1, .. } => format!("\\dot{{{stem}}}"),
        SymbolKind::Coordinate { order: 2, .. } => format!("\\ddot{{{stem}}}"),
        _ => stem,
    }
}

fn latex(name: &str, kind: SymbolKind) -> String {
    if let Some(x) = name.strip_prefix(DIFFERENTIAL) {
        return format!("\\delta {}", latex(x, kind));
    }
    if let Some(x) = name.strip_prefix(EULER_LAGRANGE) {
        return format!("E_{{{}}}", latex(x, kind));
    }
    let (bare, _) = parts(name);
    let (stem, index) = match bare.split_once('_') {
        Some((stem, index)) if !stem.is_empty() && !index.is_empty() => (stem, index),
        _ => letters(bare),
    };
    let stem = dotted(math(stem), kind);
    if index.is_empty() {
        stem
    } else {
        format!("{stem}_{{{}}}", math(index))
    }
}

/// The name letter by letter, for one that would be shown as another.
fn as_written(name: &str, kind: SymbolKind) -> String {
    let name = written(name);
    let (bare, _) = parts(&name);
    dotted(upright(bare), kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_as_on_paper() {
        for (name, wanted) in [
            ("x1", "x₁"),
            ("x10''", "x₁₀″"),
            ("x1'", "x₁′"),
            ("theta", "θ"),
            ("omega2'", "ω₂′"),
            ("th12", "th₁₂"),
            ("Omega", "Ω"),
            ("Alpha", "Alpha"),
            ("OMEGA", "OMEGA"),
            ("pi", "π"),
            ("lambda_wire", "λ_wire"),
            ("lambda_along_x", "λ_along_x"),
            ("lambda_link12", "λ_link₁₂"),
            ("k_1", "k₁"),
            ("x1_2", "x₁_2"),
            ("_a", "_a"),
            ("__import__", "__import__"),
            ("a_", "a_"),
            ("длина2", "длина₂"),
            ("e1e2", "e1e₂"),
        ] {
            assert_eq!(pretty(name), wanted, "{name}");
        }
    }

    #[test]
    fn names_in_latex() {
        let other = SymbolKind::Other(0);
        for (name, wanted) in [
            ("x1", "x_{1}"),
            ("theta", "\\theta"),
            ("θ2", "\\theta_{2}"),
            ("Gamma", "\\Gamma"),
            ("Alpha", "\\mathrm{Alpha}"),
            ("lambda_along_x", "\\lambda_{\\mathrm{along\\_x}}"),
            ("th", "\\mathrm{th}"),
            ("длина", "\\text{длина}"),
            ("_", "\\mathrm{\\_}"),
            ("__import__", "\\mathrm{\\_\\_import\\_\\_}"),
            ("a_", "\\mathrm{a\\_}"),
        ] {
            assert_eq!(latex(name, other), wanted, "{name}");
        }
        let velocity = SymbolKind::Coordinate { index: 0, order: 1 };
        assert_eq!(latex("x1'", velocity), "\\dot{x}_{1}");
    }

    #[test]
    fn names_that_would_look_the_same_stay_as_they_are() {
        let pool = Pool::new();
        let names = ["x1", "x_1", "phi", "φ", "y1"].map(|n| pool.symbol(n, SymbolKind::Other(0)));
        let shown = |how| names.map(|e| pool.shown(&pool.as_symbol(e).unwrap(), how));
        assert_eq!(shown(Style::Pretty), ["x1", "x_1", "phi", "φ", "y₁"]);
        assert_eq!(
            shown(Style::Latex),
            [
                "\\mathrm{x1}",
                "\\mathrm{x\\_1}",
                "\\mathrm{phi}",
                "\\text{φ}",
                "y_{1}"
            ]
        );
    }
}
