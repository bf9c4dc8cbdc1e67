//! Expressions as text: plain ones read back, pretty ones say the same, formulas on paper keep to their
//! frame.

#![allow(clippy::unwrap_used, clippy::panic, clippy::cast_possible_truncation)]

use crate::random::{Kind, expression, pool, read, says_the_same, traps};
use holonom::expr::{Frame, Pool, Style, SymbolKind};
use proptest::prelude::*;
use std::fmt::Write;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

#[test]
fn what_is_printed_reads_back_where_it_is_hard() {
    let p = traps();
    let mut wrong = Vec::new();
    for (text, wanted) in [
        ("-(x1)^2", "-x1^2"),
        ("(-x1)^2", "x1^2"),
        ("(-x1)^3", "-x1^3"),
        ("x1^(-1/2)", "1/sqrt(x1)"),
        ("x1^(-3/2)", "1/x1^(3/2)"),
        ("x1^-2", "1/x1^2"),
        ("(x1*m)^(1/3)", ""),
        ("2^(1/3)", "2^(1/3)"),
        ("2^(-1/3)*x1", ""),
        ("sqrt(2)*x1", "sqrt(2)*x1"),
        ("2.5e-12*x1", "2.5e-12*x1"),
        ("0.05*x1", "x1/20"),
        ("0.07*x1", "0.07*x1"),
        ("x1/1000", "x1/1000"),
        ("m/(x1*theta)", "m/(x1*theta)"),
        ("m/x1/theta", "m/(x1*theta)"),
        ("m/(x1/theta)", "m*theta/x1"),
        ("-m*x1''/(2*x1)", "-m*x1''/(2*x1)"),
        ("x1''^2 - x1'^2", "x1''^2 - x1'^2"),
        ("(x1 - theta)*-m", "m*(theta - x1)"),
        ("2*(x1 - theta)", "2*(x1 - theta)"),
        ("x1 - (theta - m)", "x1 - theta + m"),
        ("x1^(theta^m)", "x1^(theta^m)"),
        ("(x1^theta)^m", ""),
        ("x1^(theta + m)", "x1^(theta + m)"),
        ("x1^(-theta)", "x1^(-theta)"),
        ("(x1/theta)^(5/2)", ""),
        ("(1/2)^x1", "(1/2)^x1"),
        ("0.3^x1", "0.3^x1"),
        ("1e-5*x1", "x1/100000"),
        ("2.7e-12*x1", "2.7e-12*x1"),
        ("2.5e-12^x1", "2.5e-12^x1"),
        ("1e30*x1/3", ""),
        (
            "123456789012345678901234567890*x1",
            "123456789012345678901234567890*x1",
        ),
        ("x1/7 - 22/7", "(x1 - 22)/7"),
        ("длина'*角''/θ", ""),
        ("__import__*_ + lambda_wire*lambda", ""),
        ("2*e1 - 2*e", "2*(e1 - e)"),
        ("2*e^3", "2*e^3"),
        ("pi*x1/2", "pi*x1/2"),
        ("sin(-x1)^2*cos(x1)^-2", "sin(x1)^2/cos(x1)^2"),
        ("abs(abs(x1) - m)", "abs(m - abs(x1))"),
        ("abs(x1)^(1/2)", "sqrt(abs(x1))"),
        ("atan2(-x1, x1 - m)", "atan2(-x1, x1 - m)"),
        ("sign(x1)*abs(theta)", ""),
        ("exp(-x1^2/2)", "exp(-x1^2/2)"),
    ] {
        let e = read(&p, text).unwrap_or_else(|| panic!("{text}"));
        let shown = p.print(e);
        assert_eq!(read(&p, &shown), Some(e), "{text} is printed as {shown}");
        if !wanted.is_empty() && shown != wanted {
            wrong.push(format!("{text} is printed as {shown}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A formula of [`Style::Pretty`] in the grammar again, by rules of its own: blanks and dots between factors
/// are products, `√a` and `√(…)` roots, `|…|` absolute values, `sin²(…)` the square of a sine.
fn plain_again(pretty: &str) -> String {
    let digit = |c: char, digits: &str| digits.chars().position(|d| d == c);
    let mut out = String::new();
    let text: Vec<char> = pretty
        .replace(" / ", "/")
        .replace('π', "pi")
        .chars()
        .collect();
    let operator = |c: Option<&char>| c.is_none_or(|c| "+-/,(".contains(*c));
    let mut open_bar = false;
    // where a raised number stands between a function and its argument: until the parenthesis closes
    let mut waiting: Vec<(usize, String)> = Vec::new();
    let mut depth = 0_usize;
    let mut i = 0;
    while i < text.len() {
        let c = text[i];
        if digit(c, "⁰¹²³⁴⁵⁶⁷⁸⁹").is_some() || c == '⁻' {
            let mut number = String::new();
            while let Some(c) = text.get(i) {
                match digit(*c, "⁰¹²³⁴⁵⁶⁷⁸⁹") {
                    Some(d) => number.push_str(&d.to_string()),
                    None if *c == '⁻' => number.push('-'),
                    None => break,
                }
                i += 1;
            }
            if text.get(i) == Some(&'(') {
                waiting.push((depth, number));
            } else {
                let _ = write!(out, "^{number}");
            }
            continue;
        }
        match c {
            '₀'..='₉' => out.push_str(&digit(c, "₀₁₂₃₄₅₆₇₈₉").unwrap().to_string()),
            '√' if text.get(i + 1) == Some(&'(') => out.push_str("sqrt"),
            '√' => {
                let end =
                    (i + 1..text.len()).find(|j| !text[*j].is_alphanumeric() && text[*j] != '.');
                let end = end.unwrap_or(text.len());
                let inside: String = text[i + 1..end].iter().collect();
                let _ = write!(out, "sqrt({inside})");
                i = end;
                continue;
            }
            '|' => {
                out.push_str(if open_bar { ")" } else { "abs(" });
                open_bar = !open_bar;
            }
            ' ' if operator(text.get(i + 1)) && text.get(i + 1) != Some(&'(') => out.push(' '),
            ' ' if i > 0 && operator(text.get(i - 1)) => out.push(' '),
            ' ' | '·' => out.push('*'),
            _ => out.push(c),
        }
        match c {
            '(' => depth += 1,
            ')' => {
                depth -= 1;
                if waiting.last().is_some_and(|(d, _)| *d == depth) {
                    let _ = write!(out, "^{}", waiting.pop().unwrap().1);
                }
            }
            _ => {}
        }
        i += 1;
    }
    out
}

/// The letters and digits of a formula, raised or not, in order.
fn letters(text: &str) -> String {
    let mut list: Vec<char> = text
        .chars()
        .map(|c| match "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().position(|d| d == c) {
            Some(d) => char::from_digit(d as u32, 10).unwrap(),
            None => c,
        })
        .filter(|c| c.is_alphanumeric())
        .collect();
    list.sort_unstable();
    list.into_iter().collect()
}

proptest! {
    #![proptest_config(crate::random::cases(400))]

    #[test]
    fn what_is_pretty_says_the_same(text in expression(Kind::Any, 4)) {
        let (p, _) = pool();
        let Some(e) = read(&p, &text) else { return Ok(()) };
        for e in [e, p.simplify(e)] {
            let pretty = p.print_as(e, Style::Pretty);
            // bars within bars are written out
            if pretty.contains("abs(") {
                continue;
            }
            says_the_same(&p, e, &pretty, &plain_again(&pretty))?;
        }
    }

    #[test]
    fn paper_keeps_to_its_frame_and_loses_nothing(text in expression(Kind::Any, 4), width in 20_usize..90) {
        let (p, _) = pool();
        let Some(e) = read(&p, &text) else { return Ok(()) };
        let (height, head, tail) = (40, "λ_wire = ", " = 0");
        let frame = Frame { width, height, head, tail };
        let Some(layout) = p.paper(&[e], frame) else { return Ok(()) };
        prop_assert!(layout.width <= width && layout.lines.len() <= height);
        prop_assert!(layout.lines[layout.baseline].starts_with(head));
        for line in &layout.lines {
            prop_assert_eq!(line.width(), layout.width, "{}", layout.lines.join("\n"));
            prop_assert!(line.chars().all(|c| c.width() == Some(1)), "{}", line);
        }
        let whole = layout.lines.join("\n");
        let line = format!("{head}{}{tail}", p.print_as(e, Style::Pretty));
        // a bar within bars is `abs` on one line
        let line = line.replace("abs(", "(");
        prop_assert_eq!(letters(&whole), letters(&line), "{}\n{}", whole, line);
        if layout.lines.len() == 1 && !line.contains('/') {
            prop_assert_eq!(&whole, &line);
        }
    }
}

/// What a formula looks like on paper.
fn paper(p: &Pool, text: &str, width: usize) -> String {
    let e = read(p, text).unwrap_or_else(|| panic!("{text}"));
    let (head, tail) = ("", " = 0");
    let frame = Frame {
        width,
        height: 40,
        head,
        tail,
    };
    let lines = p
        .paper(&[e], frame)
        .unwrap_or_else(|| panic!("{text}"))
        .lines;
    let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    format!("\n{}\n", lines.join("\n"))
}

#[test]
fn formulas_on_paper() {
    let p = Pool::new();
    for (index, name) in ["x1", "x2", "theta"].iter().enumerate() {
        for order in 0..3_u8 {
            let full = format!("{name}{}", "'".repeat(usize::from(order)));
            p.symbol(&full, SymbolKind::Coordinate { index, order });
        }
    }
    p.symbol("m", SymbolKind::Parameter(0));
    p.symbol("lambda_wire", SymbolKind::Multiplier(0));
    let mut all = String::new();
    for text in [
        "m*x1'' + 2*lambda_wire*x1",
        "-m*x1''/(2*x1)",
        "-(x1 + 1)/x2 + 1/2",
        "(x1/x2)^(5/2)",
        "(x1/x2 + 1)^2",
        "x1^(theta + m)*x2",
        "sqrt(x1)*x2 + sqrt(x1 + x2) + sqrt(x1/x2 + 1)",
        "abs(x1/x2 + 1) + abs(x1) + sin(theta)^2*sin(theta/m)",
        "1/(1/(1/x1 + m) + m)",
        "2.7e-12*x1 + 2^(1/3)*3^(1/3)",
        "x1^2/(1 + x1^x2/m)",
    ] {
        all.push_str(&paper(&p, text, 78));
    }
    let long: Vec<String> = (1..9).map(|k| format!("{k}*m*x1^{k}/(x2 + {k})")).collect();
    all.push_str(&paper(&p, &long.join(" + "), 60));
    all.push_str(&paper(
        &p,
        &format!("m*({})/x2", long.join(" - ").replace('/', "*")),
        60,
    ));
    insta::assert_snapshot!(all);
}
