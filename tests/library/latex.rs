//! Formulas in LaTeX: well formed, in rows that keep to their width, and with the same value when they are
//! read back by a reader of their own.

#![allow(clippy::unwrap_used, clippy::panic)]

use crate::random::{Kind, NAMES, expression, pool, read, says_the_same, traps};
use holonom::expr::{Room, Style};
use proptest::prelude::*;

/// Braces, `\left` and `\right`, scripts one at a place, commands that LaTeX and amsmath know.
fn is_latex(text: &str) -> Result<(), String> {
    let known = [
        "frac",
        "sqrt",
        "left",
        "right",
        "lvert",
        "rvert",
        "cdot",
        "operatorname",
        "mathrm",
        "text",
        "dot",
        "ddot",
        "theta",
        "lambda",
        "pi",
        "sin",
        "cos",
        "tan",
        "arcsin",
        "arccos",
        "arctan",
        "sinh",
        "cosh",
        "tanh",
        "exp",
        "ln",
        ",",
        "_",
        "quad",
        "delta",
        "bigl",
        "bigr",
        "Bigl",
        "Bigr",
        "Big",
    ];
    let chars: Vec<char> = text.chars().collect();
    let mut open: Vec<char> = Vec::new();
    // scripts that the piece before has already
    let mut scripts: Vec<char> = Vec::new();
    let mut before = Vec::new();
    let mut i = 0;
    while i < chars.len() {
        match chars[i] {
            '\\' => {
                let mut end = i + 1;
                while chars.get(end).is_some_and(char::is_ascii_alphabetic) {
                    end += 1;
                }
                end = end.max(i + 2);
                let name: String = chars[i + 1..end].iter().collect();
                if !known.contains(&name.as_str()) {
                    return Err(format!("\\{name}"));
                }
                let delimiter = |at: usize| match chars.get(at) {
                    Some('\\') if chars[at..].starts_with(&['\\', 'l']) => Some('|'),
                    Some('\\') if chars[at..].starts_with(&['\\', 'r']) => Some('|'),
                    Some('(' | ')') => Some('('),
                    _ => None,
                };
                match name.as_str() {
                    "left" => open.push(delimiter(end).ok_or("\\left of nothing")?),
                    "right" if open.pop() != delimiter(end) => return Err("\\right".to_owned()),
                    _ => {}
                }
                scripts.clear();
                i = end;
                continue;
            }
            '{' => {
                open.push('{');
                before.push(std::mem::take(&mut scripts));
            }
            '}' => {
                if open.pop() != Some('{') {
                    return Err("}".to_owned());
                }
                scripts = before.pop().unwrap_or_default();
            }
            c @ ('^' | '_') => {
                if scripts.contains(&c) {
                    return Err(format!("two {c}"));
                }
                if chars.get(i + 1) != Some(&'{') {
                    return Err(format!("{c} without braces"));
                }
                scripts.push(c);
            }
            _ => scripts.clear(),
        }
        i += 1;
    }
    if open.is_empty() {
        Ok(())
    } else {
        Err("left open".to_owned())
    }
}

/// Reads LaTeX as the grammar of system files: `\frac` and `/` are quotients, what stands side by side is
/// multiplied, fences of every size are parentheses. For names that are the same in both.
struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn read(latex: &str) -> String {
        let mut reader = Reader { rest: latex };
        let text = reader.until(None);
        assert!(reader.rest.is_empty(), "{latex}: {} is left", reader.rest);
        text
    }

    fn take(&mut self, start: &str) -> bool {
        let taken = self.rest.strip_prefix(start);
        self.rest = taken.unwrap_or(self.rest);
        taken.is_some()
    }

    fn take_while(&mut self, is: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !is(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    /// `{...}`
    fn group(&mut self) -> String {
        assert!(self.take("{"), "no {{ before {}", self.rest);
        let text = self.until(Some("}"));
        format!("({text})")
    }

    /// A fence of any size, without the command that gives its size.
    fn sized(&mut self) {
        for size in [
            "\\left", "\\right", "\\bigl", "\\bigr", "\\Bigl", "\\Bigr", "\\Big",
        ] {
            // `\left` begins no other command here, `\Big` does
            if self.rest.starts_with(size)
                && !self.rest[size.len()..].starts_with(char::is_alphabetic)
            {
                self.rest = &self.rest[size.len()..];
                return;
            }
        }
    }

    /// Everything up to a closing fence, which is taken too.
    fn until(&mut self, close: Option<&str>) -> String {
        let mut out = String::new();
        // does what is written so far end with a value, so that another one multiplies it?
        let mut value = false;
        loop {
            while self.take(" ") || self.take("\\,") || self.take("\\quad") {}
            self.sized();
            if let Some(close) = close
                && self.take(close)
            {
                return out;
            }
            let Some(c) = self.rest.chars().next() else {
                assert!(close.is_none(), "{close:?} is missing behind {out}");
                return out;
            };
            if self.take("\\cdot") {
                out.push('*');
                value = false;
            } else if self.take("^") {
                let exponent = self.group();
                out.push('^');
                out.push_str(&exponent);
            } else if "+-/,".contains(c) {
                self.take(&c.to_string());
                out.push(c);
                value = false;
            } else {
                if value {
                    out.push('*');
                }
                out.push_str(&self.operand());
                value = true;
            }
        }
    }

    fn operand(&mut self) -> String {
        if self.take("(") {
            return format!("({})", self.until(Some(")")));
        }
        if self.take("\\lvert") {
            return format!("abs({})", self.until(Some("\\rvert")));
        }
        if self.take("\\frac") {
            return format!("({}/{})", self.group(), self.group());
        }
        if self.take("\\sqrt") {
            return format!("sqrt{}", self.group());
        }
        if self.take("\\pi") {
            return "pi".to_owned();
        }
        if self.take("\\") {
            let mut name = self.take_while(|c| c.is_ascii_alphabetic()).to_owned();
            if name == "operatorname" {
                name = self.group().replace(['(', ')', '*'], "");
            }
            let name = match name.as_str() {
                "arcsin" => "asin",
                "arccos" => "acos",
                "arctan" => "atan",
                "ln" => "log",
                other => other,
            };
            let exponent = self.take("^").then(|| self.group());
            self.sized();
            assert!(self.take("("), "{name} of {}", self.rest);
            let call = format!("{name}({})", self.until(Some(")")));
            return exponent.map_or(call.clone(), |e| format!("({call})^{e}"));
        }
        let digits = self.take_while(|c| c.is_ascii_digit() || c == '.');
        if digits.is_empty() {
            let mut letters = self.rest.chars();
            let name = letters.next().map(String::from).unwrap_or_default();
            self.rest = letters.as_str();
            // the names of functions stand in braces after `\operatorname`
            assert!(!name.is_empty(), "no operand");
            return name;
        }
        digits.to_owned()
    }
}

proptest! {
    #![proptest_config(crate::random::cases(400))]

    #[test]
    fn latex_reads_back(text in expression(Kind::Any, 4)) {
        let (p, _) = pool();
        let Some(e) = read(&p, &text) else { return Ok(()) };
        for e in [e, p.simplify(e)] {
            let whole = p.print_as(e, Style::Latex);
            prop_assert_eq!(is_latex(&whole), Ok(()), "{}", whole);
            says_the_same(&p, e, &whole, &Reader::read(&whole))?;
        }
    }

    #[test]
    fn rows_read_back(text in expression(Kind::Any, 5), width in 40.0..250.0) {
        let (p, _) = pool();
        let Some(e) = read(&p, &text) else { return Ok(()) };
        for e in [e, p.simplify(e)] {
            let rows = p.latex_rows(e, Room { before: 0.0, width });
            for (i, row) in rows.iter().enumerate() {
                prop_assert_eq!(is_latex(row), Ok(()), "{}", row);
                let dangling = ["+", "-", "\\cdot"].iter().any(|sign| row.trim_end().ends_with(sign));
                prop_assert!(!dangling || i + 1 == rows.len(), "{}", rows.join("\n"));
            }
            let whole = rows.join(" ");
            says_the_same(&p, e, &whole, &Reader::read(&whole))?;
            if p.latex_width(e) <= width {
                prop_assert_eq!(rows.len(), 1);
            }
        }
    }
}

#[test]
fn a_power_of_a_power_of_a_sine_has_its_parentheses() {
    let (p, _) = pool();
    for (text, wanted) in [
        ("(sin(x)^3)^(1/3)", "\\left(\\sin^{3}(x)\\right)^{1/3}"),
        ("y*sin(x)^2", "y \\, \\sin^{2}(x)"),
    ] {
        let e = read(&p, text).unwrap();
        let latex = p
            .print_as(e, Style::Latex)
            .replace("\\left", "")
            .replace("\\right", "");
        let wanted = wanted.replace("\\left", "").replace("\\right", "");
        assert_eq!(latex, wanted);
    }
}

#[test]
fn long_formulas_break_where_a_person_would() {
    let (p, _) = pool();
    assert_eq!(NAMES, ["x", "y", "z"]);
    let mut all = String::new();
    for text in [
        "x + 2*y + 3*z + x*y + y*z + x*z + x*y*z + x^2 + y^2 + z^2",
        "(x + 2*y + 3*z + x*y + y*z + x*z)/(x - y)",
        "x*(x + 2*y + 3*z + x*y + y*z + x*z)/2",
        "z/(x + 2*y + 3*z + x*y + y*z + x*z)",
        "sqrt(x + 2*y + 3*z + x*y + y*z + x*z + 5)",
        "sin(x + 2*y + 3*z + x*y + y*z + x*z)^2",
        "(x + 2*y + 3*z + x*y)*(y*z + x*z + x + z + 1)*(x + y)",
        "abs(x + 2*y/z + 3*z + x*y + y*z + x*z)",
    ] {
        let e = read(&p, text).unwrap_or_else(|| panic!("{text}"));
        let rows = p.latex_rows(
            e,
            Room {
                before: 0.0,
                width: 110.0,
            },
        );
        all.push_str(&rows.join("\n"));
        all.push_str("\n\n");
    }
    insta::assert_snapshot!(all);
}

#[test]
fn names_in_latex_are_escaped() {
    let p = traps();
    let mut shown = Vec::new();
    for name in [
        "x1",
        "x_1",
        "theta''",
        "θ",
        "длина'",
        "角",
        "_",
        "__import__",
        "lambda_wire",
        "lambda",
    ] {
        let text = p.print_as(p.lookup(name).unwrap(), Style::Latex);
        assert_eq!(is_latex(&text), Ok(()), "{name}: {text}");
        assert!(!shown.contains(&text), "{name}: {text}");
        shown.push(text);
    }
}
