//! What is meant by the ways of other notations: units, derivatives, LaTeX.

use super::token::continues_name;

/// Units that values come with elsewhere.
const UNITS: [&str; 26] = [
    "m", "cm", "mm", "km", "s", "ms", "min", "h", "kg", "g", "N", "kN", "J", "W", "Nm", "Pa", "Hz",
    "rad", "deg", "degree", "degrees", "°", "V", "A", "K", "sec",
];
/// Derivatives by the time elsewhere: `diff(x, t)`, `d(x)/dt`.
const DERIVATIVES: [&str; 6] = ["d", "D", "diff", "dot", "derivative", "Derivative"];
/// What to say of a unit.
const NO_UNITS: &str = "there are no units";

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

/// The length of the name that a text begins with.
fn name_length(text: &str) -> usize {
    text.find(|c| !continues_name(c)).unwrap_or(text.len())
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
