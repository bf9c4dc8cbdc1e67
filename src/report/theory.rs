//! Sentences with formulas of the theory, each written once, as on paper: `With $E = Jᵀ λ$, {} depend on the others.`
//!
//! ```text
//! as on paper       plain               LaTeX
//! λ_b = ∂V/∂c_b     lambda_b = dV/dc_b  \lambda_b = \frac{\partial V}{\partial c_b}
//! E_k δx_k′         E_k dx_k'           E_k \delta\dot{x}_k
//! W = [J; A]        W = [J; A]          W = \begin{bmatrix} J \\ A \end{bmatrix}
//! ```

use super::formula::{Part, words};
use crate::expr::Style;
use std::fmt::Write;

/// Each sign that ASCII has not: as on paper, plain, as LaTeX.
const SIGNS: [(&str, &str, &str); 16] = [
    ("⁻ᵀ", "^-T", "^{-T}"),
    ("⁻¹", "^-1", "^{-1}"),
    ("ᵀ", "^T", "^T"),
    ("¹", "^1", "^1"),
    ("Σ", "sum", "\\sum"),
    ("∫", "int", "\\int"),
    ("λ", "lambda", "\\lambda"),
    ("ε", "eps", "\\varepsilon "),
    ("δ", "d", "\\delta "),
    ("∂", "d", "\\partial "),
    ("·", ".", "\\cdot "),
    ("det ", "det ", "\\det "),
    ("grad ", "grad ", "\\operatorname{grad} "),
    (" dt", " dt", "\\,dt"),
    (" over ", " over ", "\\text{ over }"),
    ("′", "'", "'"),
];

/// A sentence: formulas of the theory between `$`, a part in the place of each `{}`.
pub(super) fn told<const N: usize>(text: &str, parts: [Part; N]) -> Vec<Part> {
    let mut parts = parts.into_iter();
    let mut list = Vec::new();
    for (i, piece) in text.split('$').enumerate() {
        if i % 2 == 1 {
            list.push(Part::Theory(piece.to_owned()));
            continue;
        }
        for (j, piece) in piece.split("{}").enumerate() {
            if j > 0 {
                list.extend(parts.next());
            }
            list.push(words(piece));
        }
    }
    list
}

/// A formula of the theory in a style.
pub(super) fn theory(text: &str, style: Style) -> String {
    match style {
        Style::Pretty => text.replace("_1", "₁"),
        Style::Plain => SIGNS.iter().fold(text.to_owned(), |text, (own, plain, _)| {
            text.replace(own, plain)
        }),
        Style::Latex => latex(text),
    }
}

fn latex(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some((matrix, after)) = rest.strip_prefix('[').and_then(|r| r.split_once(']'))
            && matrix.contains(';')
        {
            let entries = latex(matrix).replace(", ", " & ").replace("; ", " \\\\ ");
            let _ = write!(out, "\\begin{{bmatrix}} {entries} \\end{{bmatrix}}");
            rest = after;
        } else if let Some(after) = rest.strip_prefix("d/dt") {
            out.push_str("\\frac{d}{dt}");
            rest = after;
        } else if let Some((above, below, after)) = partial(rest) {
            let [above, below] = [above, below].map(latex_name);
            let _ = write!(out, "\\frac{{\\partial {above}}}{{\\partial {below}}}");
            rest = after;
        } else if let Some((own, _, tex)) = SIGNS.iter().find(|(own, ..)| rest.starts_with(own)) {
            out.push_str(tex);
            rest = &rest[own.len()..];
        } else {
            let (name, after) = rest.split_at(length_of_name(rest).max(c.len_utf8()));
            out.push_str(&latex_name(name));
            rest = after;
        }
    }
    out
}

/// `∂a/∂b`, and what comes after it.
fn partial(text: &str) -> Option<(&str, &str, &str)> {
    let rest = text.strip_prefix('∂')?;
    let (above, rest) = rest.split_at(length_of_name(rest));
    let rest = rest.strip_prefix("/∂")?;
    let (below, rest) = rest.split_at(length_of_name(rest));
    Some((above, below, rest))
}

/// `x_k′` is one name.
fn length_of_name(text: &str) -> usize {
    let bytes = |end: usize, part: fn(char) -> bool| {
        let rest = &text[end..];
        end + rest.find(|c| !part(c)).unwrap_or(rest.len())
    };
    let letter = bytes(0, |c| c.is_ascii_alphabetic());
    let end = match text[letter..].strip_prefix('_') {
        Some(_) if letter > 0 => bytes(letter + 1, |c| c.is_ascii_alphanumeric()),
        _ => letter,
    };
    if end > 0 && text[end..].starts_with('′') {
        end + '′'.len_utf8()
    } else {
        end
    }
}

fn latex_name(name: &str) -> String {
    match name.strip_suffix('′') {
        Some(base) => match base.split_once('_') {
            Some((letter, index)) => format!("\\dot{{{letter}}}_{index}"),
            None => format!("\\dot{{{base}}}"),
        },
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formula_is_written_once_and_read_in_three_styles() {
        let check = |text: &str, plain: &str, tex: &str| {
            assert_eq!(theory(text, Style::Plain), plain);
            assert_eq!(theory(text, Style::Latex), tex);
        };
        check(
            "λ_b = Σ_a E_a ∂g_a/∂y_b",
            "lambda_b = sum_a E_a dg_a/dy_b",
            "\\lambda_b = \\sum_a E_a \\frac{\\partial g_a}{\\partial y_b}",
        );
        check(
            "E_I - J_Iᵀ J_D⁻ᵀ E_D = 0",
            "E_I - J_I^T J_D^-T E_D = 0",
            "E_I - J_I^T J_D^{-T} E_D = 0",
        );
        check(
            "∂L/∂x_k′ δx_k′",
            "dL/dx_k' dx_k'",
            "\\frac{\\partial L}{\\partial \\dot{x}_k} \\delta \\dot{x}_k",
        );
        check(
            "det [J_D, J_j; P_D, P_j] = 0",
            "det [J_D, J_j; P_D, P_j] = 0",
            "\\det \\begin{bmatrix} J_D & J_j \\\\ P_D & P_j \\end{bmatrix} = 0",
        );
        check(
            "E = d/dt(∂L/∂x′)",
            "E = d/dt(dL/dx')",
            "E = \\frac{d}{dt}(\\frac{\\partial L}{\\partial \\dot{x}})",
        );
        assert_eq!(theory("L_1", Style::Pretty), "L₁");
    }
}
