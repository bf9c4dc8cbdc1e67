//! Derivations as LaTeX, as plain text and as handouts: of every built-in system they compile, and read back.

#![allow(clippy::unwrap_used, clippy::panic)]

use holonom::analysis::{Derived, Model};
use holonom::expr::{Expr, NameError, Style, parse};
use holonom::report::{Handout, Layout, Route, derive_latex, derive_text};
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

/// The expression of a system that a name in its plain text stands for.
fn named(model: &Model, name: &str, primes: usize) -> Result<Expr, NameError> {
    let pool = &model.system.pool;
    let whole = format!("{name}{}", "'".repeat(primes));
    let of = |start: &str| pool.lookup(whole.strip_prefix(start)?);
    pool.lookup(&whole)
        // `dx` is a displacement, `E_x` an expression: what they belong to is there
        .or_else(|| of("d"))
        .or_else(|| of("E_"))
        .ok_or_else(|| NameError::Unknown {
            name: whole.clone(),
            help: None,
        })
}

/// The formulas of a plain text: what stands between signs of equality and columns, and is no sentence.
fn expressions(text: &str) -> Vec<&str> {
    let words = |piece: &str| {
        let next = piece.split(' ').zip(piece.split(' ').skip(1));
        let value = |c: char| c.is_alphanumeric() || ")]'_:".contains(c);
        next.into_iter().any(|(a, b)| {
            a.ends_with(value) && b.starts_with(|c: char| c.is_alphanumeric() || c == '(')
        })
    };
    let bare = |name: &str| {
        name.chars()
            .all(|c| c.is_alphanumeric() || "_'*".contains(c))
    };
    let mut list = Vec::new();
    for line in text.lines().filter(|line| line.starts_with("  ")) {
        for cell in line.trim().split("  ") {
            let pieces: Vec<&str> = cell.split(" = ").map(str::trim).collect();
            if pieces.len() > 1 {
                list.extend(pieces.iter().filter(|p| {
                    !words(p)
                        && !bare(p)
                        && !p.contains(['[', ',', '!'])
                        // the end of a sentence, or `-lambda.f_t` of the theory
                        && !p.ends_with(['.', ':'])
                        && !p.contains("lambda.")
                        && !p.contains("lambda_A.")
                        && !p.contains("Q.x'")
                }));
            }
        }
    }
    list
}

#[test]
fn plain_text_reads_back_with_one_sign_at_a_time() {
    each(|name, model, derived| {
        let layout = Layout {
            width: 100_000,
            style: Style::Plain,
        };
        let text = derive_text(model, derived, layout);
        let list = expressions(&text);
        assert!(list.len() > 5, "{name}: {list:?}");
        for piece in list {
            assert!(
                !piece.contains("+-") && !piece.contains("-+"),
                "{name}: {piece}"
            );
            let read = parse(&model.system.pool, piece, &|name, primes| {
                named(model, name, primes)
            });
            assert!(read.is_ok(), "{name}: {piece}: {read:?}");
        }
    });
}
