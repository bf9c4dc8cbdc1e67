//! What is meant by the ways of other notations: units, derivatives, LaTeX.

use super::called;
use super::token::{continues_name, name_length};

/// Units that values come with elsewhere.
const UNITS: [&str; 26] = [
    "m", "cm", "mm", "km", "s", "ms", "min", "h", "kg", "g", "N", "kN", "J", "W", "Nm", "Pa", "Hz",
    "rad", "deg", "degree", "degrees", "°", "V", "A", "K", "sec",
];
/// Derivatives by the time elsewhere: `diff(x, t)`, `d(x)/dt`.
const DERIVATIVES: [&str; 6] = ["d", "D", "diff", "dot", "derivative", "Derivative"];
/// What to say of a unit.
const NO_UNITS: &str = "there are no units";

/// What other programs have functions for, and how it is written here.
const OTHERS: [(&str, &str); 7] = [
    ("if(a > 0, b, c)", "c + (b - c)*step(a)"),
    ("cbrt(a)", "a^(1/3)"),
    ("log2(a)", "log(a)/log(2)"),
    ("clip(a, b, c)", "max(b, min(c, a))"),
    ("clamp(a, b, c)", "max(b, min(c, a))"),
    ("ramp(a)", "max(a, 0)"),
    ("rect(a)", "step(a + 1/2) - step(a - 1/2)"),
];
/// What other programs distinguish cases with.
const CASES: [&str; 6] = ["ifelse", "ite", "piecewise", "Piecewise", "cases", "where"];
/// What has steps without end.
const STAIRS: [&str; 10] = [
    "floor", "ceil", "ceiling", "round", "trunc", "frac", "mod", "fmod", "rem", "sawtooth",
];
/// Advice that repeats more of what was written than this is none, in characters.
const LONG: usize = 40;
/// Products of more names without an operator are not looked for, nor in longer texts.
const MOST_FACTORS: usize = 6;

/// Is this the text of a number alone?
fn is_number(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && text.parse::<f64>().is_ok_and(f64::is_finite)
}

/// Is this what a value is measured in: `m/s^2`, `kg m`, `[rad/s]`?
fn is_unit(text: &str) -> bool {
    let power = |c: char| c.is_ascii_digit() || "^-⁻¹²³".contains(c);
    let parts = text.split([' ', '*', '/', '·', '(', ')', '[', ']']);
    let mut parts = parts.map(|part| part.trim_end_matches(power)).peekable();
    parts.peek().is_some() && parts.all(|part| part.is_empty() || UNITS.contains(&part))
}

/// What to do about a unit after a number; `known` where its name stands for something.
fn unit(number: &str, unit: &str, known: Option<&str>) -> String {
    if ["°", "deg", "degree", "degrees"].contains(&unit) {
        return format!("angles are in radians: write `{number}*deg`");
    }
    let product = known.map_or(String::new(), |name| {
        format!("; a product is `{number}*{name}`")
    });
    format!("{NO_UNITS}: write `{number}` alone, in units that go together{product}")
}

/// The number that a text ends with, and whether it is all of it but a sign.
fn last_number(text: &str) -> Option<(&str, bool)> {
    let text = text.trim_end();
    let part = |c: char| continues_name(c) || c == '.';
    let start = text.trim_end_matches(part).len();
    let number = &text[start..];
    let alone = text[..start].trim().trim_start_matches(['-', '+']);
    is_number(number).then_some((number, alone.trim().is_empty()))
}

/// What to try where an operator is missing before a token, which is `rest` up to the end of the text; `known` where it is the
/// name of something.
pub(super) fn of_missing_operator(
    left: &str,
    (token, rest): (&str, &str),
    known: bool,
) -> Option<String> {
    let (number, alone) = last_number(left)?;
    let adjacent = !left.ends_with(char::is_whitespace);
    if adjacent && token.starts_with('_') {
        return Some("a number is written without `_`, as in 9.81".to_owned());
    }
    let digits = token.trim_start_matches(['x', 'X', 'b', 'B', 'o', 'O']);
    let is_digits = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_hexdigit());
    if adjacent && number == "0" && digits.len() < token.len() && is_digits {
        return Some("a number is written in decimal digits, as in 9.81".to_owned());
    }
    let rest = rest.trim();
    let name = Some(token).filter(|token| known && *token == rest);
    if alone && is_unit(rest) {
        return Some(unit(number, rest, name));
    }
    (!known && is_unit(token)).then(|| unit(number, token, None))
}

/// What to try in place of a character of no token, which stands between `left` and the rest.
pub(super) fn of_character(left: &str, rest: &str) -> Option<String> {
    let number = last_number(left).map(|(number, _)| number);
    match rest.chars().next()? {
        '\\' => latex(&rest[1..]),
        '°' | 'º' | '˚' => {
            let angle = number.unwrap_or("…");
            Some(format!("angles are in radians: write `{angle}*deg`"))
        }
        '[' if is_unit(rest.trim()) => Some(unit(number?, rest.trim(), None)),
        _ => None,
    }
}

/// What to write for a command of LaTeX.
fn latex(text: &str) -> Option<String> {
    let (command, after) = text.split_at(name_length(text));
    let primes = match command {
        "" => return None,
        "dot" => "'",
        "ddot" => "''",
        "frac" | "dfrac" | "tfrac" => return Some("write `(a)/(b)` for a fraction".to_owned()),
        "cdot" | "times" => return Some("write `*`".to_owned()),
        _ => return Some(format!("write `{command}`, without the `\\`")),
    };
    let letter = after.trim_start_matches([' ', '{', '\\']);
    let letter = &letter[..name_length(letter)];
    let letter = if letter.is_empty() { "x" } else { letter };
    Some(format!("write `{letter}{primes}`"))
}

/// What to write for a function of other programs.
pub(super) fn of_function(name: &str) -> Option<String> {
    if CASES.contains(&name) {
        let help = "cases are written with `step`: `b*step(1 - t) + c*step(t - 1)` is b while t < 1 and c from there on";
        return Some(help.to_owned());
    }
    if STAIRS.contains(&name) {
        let help = "there is no function with steps without end: `step(t - 1)` is one at t = 1, and \
                    `atan2(sin(x), cos(x))` takes full turns off an angle";
        return Some(help.to_owned());
    }
    let (call, formula) = OTHERS.iter().find(|(call, _)| called(call) == name)?;
    let relation = call.contains('>').then_some("; t < 1 is 1 - t > 0");
    let relation = relation.unwrap_or_default();
    Some(format!("write `{formula}` for `{call}`{relation}"))
}

/// What to write for a relation between two texts, which may be parts of larger ones.
pub(super) fn of_relation((left, right): (&str, &str), sign: &str) -> Option<String> {
    let (left, right) = (left.trim(), right.trim());
    let larger = match sign {
        "<" | "<=" | "≤" => (right, left),
        ">" | ">=" | "≥" => (left, right),
        _ => return None,
    };
    let plain = |c: char| continues_name(c) || "'. *".contains(c);
    let is_plain = |text: &str| !text.is_empty() && text.chars().all(plain);
    let short = left.chars().count() + right.chars().count() <= LONG;
    let written = if short && is_plain(left) && is_plain(right) {
        let difference = match larger {
            (a, "0") => a.to_owned(),
            ("0", b) => format!("-{b}"),
            (a, b) => format!("{a} - {b}"),
        };
        format!("`step({difference})`")
    } else {
        "`step(1 - t)`, for t < 1,".to_owned()
    };
    Some(format!(
        "{written} is 1 where the relation holds and 0 where it does not"
    ))
}

/// How to write the product of what a text ends with and what follows.
pub(super) fn product(text: &str, (left, right): (&str, &str)) -> String {
    let before = &text[..text.len() - left.len().min(text.len())];
    let over = before.trim_end().strip_suffix('/').map(str::trim_end);
    let above = over.map(|over| {
        let part = |c: char| continues_name(c) || "'.".contains(c);
        &over[over.trim_end_matches(part).len()..]
    });
    match above.filter(|above| !above.is_empty()) {
        Some(above) => format!("write `{above}/{left}*{right}`, or `{above}/({left}*{right})`"),
        None => format!("write `{left}*{right}` for a product"),
    }
}

/// The product of names that a text without operators is: `mgy'` is `m*g*y'`; and whether all of them are so short that
/// the text is hardly a slip of another name.
pub(crate) fn product_of_names(
    text: &str,
    is_known: impl Fn(&str) -> bool,
) -> Option<(String, bool)> {
    /// Longer ones may be slips.
    const SHORT: usize = 2;
    let name = text.trim_end_matches('\'');
    let length = name.chars().count();
    if length > LONG || is_known(name) {
        return None;
    }
    // the fewest known names that lead to each place
    let mut ways: Vec<(usize, Option<Vec<&str>>)> = vec![(0, Some(Vec::new()))];
    let ends = name.char_indices().map(|(i, _)| i).skip(1);
    for end in ends.chain([name.len()]) {
        let parts = ways.iter().filter_map(|(from, way)| {
            let (way, part) = (way.as_ref()?, &name[*from..end]);
            let good = way.len() < MOST_FACTORS && is_known(part);
            good.then(|| [way.as_slice(), &[part]].concat())
        });
        let best = parts.min_by_key(Vec::len);
        ways.push((end, best));
    }
    let (_, way) = ways.pop()?;
    let way = way.filter(|way| way.len() > 1)?;
    let short = way.iter().all(|part| part.chars().count() <= SHORT);
    let primes = &text[name.len()..];
    Some((format!("{}{primes}", way.join("*")), short))
}

/// What to try in place of a call of no function: `x'(t)`, `diff(x, t)`. The arguments begin after its parenthesis.
pub(super) fn of_call(
    (name, primes): (&str, &str),
    arguments: &str,
    is_coordinate: impl Fn(&str) -> bool,
) -> Option<String> {
    let arguments = arguments.trim_start();
    let (first, after) = arguments.split_at(name_length(arguments));
    if is_coordinate(name) {
        let of_time = first == "t" && after.trim_start().starts_with(')');
        let full = format!("{name}{primes}");
        return of_time.then(|| format!("`{full}` is a function of t as it is: write `{full}`"));
    }
    if !DERIVATIVES.contains(&name) {
        return None;
    }
    Some(if is_coordinate(first) {
        format!("write `{first}'` for the velocity of `{first}`")
    } else {
        "the derivative of a coordinate `x` by the time is written `x'`".to_owned()
    })
}

/// What to write for a power of an `e` that is no name here; `rest` begins at the exponent.
pub(super) fn of_power_of_e(rest: &str) -> String {
    let rest = rest.trim_start();
    let (exponent, after) = rest.split_at(name_length(rest));
    let simple = !exponent.is_empty() && !after.starts_with(['\'', '(', '.']);
    let exponent = if simple { exponent } else { "…" };
    format!("write `exp({exponent})`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_is_told_from_a_factor() {
        for text in ["m", "m/s^2", "kg m^2", "[m/s²]", "rad/s", "N*s"] {
            assert!(is_unit(text), "{text}");
        }
        for text in ["x", "m*x", "sin", "l", "m/q"] {
            assert!(!is_unit(text), "{text}");
        }
        let help = |left, token, known| of_missing_operator(left, (token, token), known);
        let alone = "there are no units: write `2` alone, in units that go together";
        assert_eq!(help("2", "kg", false).as_deref(), Some(alone));
        let both = format!("{alone}; a product is `2*m`");
        assert_eq!(help("2", "m", true), Some(both));
        assert_eq!(help("1/2", "m", true), None);
        assert_eq!(help("x", "m", false), None);
        assert_eq!(help("2", "q", false), None);
    }
}
