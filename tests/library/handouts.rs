//! Derivations as LaTeX and as handouts: those of every built-in system compile.

#![allow(clippy::unwrap_used, clippy::panic)]

use holonom::analysis::{Derived, Model};
use holonom::report::{Handout, Route, derive_latex};
use holonom::system::{System, builtin};

/// Each built-in system with what is derived of it.
fn each(check: impl Fn(&str, &Model, &Derived)) {
    for known in builtin() {
        let model = Model::new(System::parse(known.text, known.name, &[]).unwrap());
        let derived = model.derive(None);
        check(known.name, &model, &derived);
    }
}

/// Everything that is written of a system in LaTeX.
fn latex_of(model: &Model, derived: &Derived) -> Vec<String> {
    let mut list = vec![derive_latex(model, derived)];
    let routes = [Route::Rest, Route::Report, Route::Action];
    let routes = &routes[..if model.system.objective { 1 } else { 3 }];
    list.extend(
        routes
            .iter()
            .map(|route| Handout::new(model, derived, *route).latex()),
    );
    list
}

/// Formulas of a LaTeX text: between `$`, `\[` and `\]`, and in `align*`. What is wrong where they are not told from words.
fn formulas(text: &str) -> Result<Vec<String>, String> {
    let mut list = Vec::new();
    let mut display = false;
    for line in text.lines() {
        if line.contains("$$") {
            return Err(format!("an empty formula: {line}"));
        }
        if line.starts_with("\\begin{align*}") || line.starts_with("\\end{align*}") {
            display = line.starts_with("\\begin");
        } else if display || line.starts_with("\\[") {
            if line.contains('$') {
                return Err(format!("$ in a formula: {line}"));
            }
            list.push(line.trim_matches(['\\', '[', ']']).to_owned());
        } else {
            let pieces: Vec<&str> = line.split('$').collect();
            if pieces.len().is_multiple_of(2) {
                return Err(format!("a formula is not ended: {line}"));
            }
            list.extend(pieces.iter().skip(1).step_by(2).map(|s| (*s).to_owned()));
        }
    }
    Ok(list)
}

/// A word of several letters in a formula, that is no command and in none that sets words.
fn word(formula: &str) -> Option<String> {
    let mut rest = formula;
    while let Some(at) = rest.find(|c: char| c == '\\' || c.is_alphabetic()) {
        let escaped = rest[at..].starts_with('\\');
        let name = &rest[at + usize::from(escaped)..];
        let end = name
            .find(|c: char| !c.is_alphabetic())
            .unwrap_or(name.len());
        let (name, after) = name.split_at(end);
        if escaped && ["text", "mathrm", "operatorname", "begin", "end"].contains(&name) {
            let close = after.find('}').unwrap();
            rest = &after[close + 1..];
        } else if escaped && name.is_empty() {
            rest = after.get(1..).unwrap_or_default();
        } else if !escaped && name.len() > 2 {
            return Some(name.to_owned());
        } else {
            rest = after;
        }
    }
    None
}

/// An accent whose argument has no braces.
fn bare_accent(formula: &str) -> bool {
    [
        "\\dot",
        "\\ddot",
        "\\mathcal",
        "\\mathrm",
        "\\sqrt",
        "\\frac",
        "\\operatorname",
    ]
    .iter()
    .any(|command| {
        let mut after = formula.split(command).skip(1);
        after.any(|after| !after.starts_with('{'))
    })
}

#[test]
fn latex_has_its_words_outside_of_formulas_and_its_accents_over_braces() {
    each(|name, model, derived| {
        for text in latex_of(model, derived) {
            let list = formulas(&text).unwrap_or_else(|why| panic!("{name}: {why}"));
            for formula in list {
                assert_eq!(word(&formula), None, "{name}: {formula}");
                assert!(!bare_accent(&formula), "{name}: {formula}");
            }
        }
    });
}
