//! Hostile files: what each does, and its bytes.

#![allow(clippy::format_collect, clippy::too_many_lines)]

use std::fmt::Write as _;

/// Each must be refused at once; `allocations` holds that to what it allocates.
pub fn hostile() -> Vec<(&'static str, Vec<u8>)> {
    let lagrangian = |text: &str| format!("coordinates: [x]\nlagrangian: {text}\n").into_bytes();
    let mut doubling = "coordinates: [x]\ndefine:\n  d0: x + 1\n".to_owned();
    let mut widening = format!("coordinates: [x]\ndefine:\n  d0: {}x\n", wide_sum());
    for i in 1..1000 {
        let _ = writeln!(doubling, "  d{i}: sin(d{0}) + cos(d{0})", i - 1);
        let _ = writeln!(widening, "  d{i}: d{} + x^{i}", i - 1);
    }
    let mut bodies = "coordinates: [x, y]\nlagrangian: 1\n".to_owned();
    for i in 0..10_000 {
        let _ = writeln!(bodies, "key{i}: 1");
    }
    let short_keys: String = (0..25_000).map(|i| format!("k{i}: 1\n")).collect();
    let names: Vec<String> = (0..1000).map(|i| format!("coordinate{i}")).collect();
    let names = names.join(", ");
    let forces: String = (0..10_000)
        .map(|i| format!("  coordinat{i}: x\n"))
        .collect();
    let factors: String = (0..1000).map(|i| format!("*(coordinate{i}+1)")).collect();
    let mut used = format!("coordinates: [x]\ndefine:\n  d: {}x\n", wide_sum());
    for i in 0..9000 {
        let _ = writeln!(used, "  d{i}: d*x^{}.5", i % 900);
    }
    used.push_str("lagrangian: z");
    vec![
        ("25,000 short unknown keys", short_keys.into_bytes()),
        (
            "10,000 unknown coordinates",
            format!("coordinates: [{names}]\nlagrangian: 1\nforces:\n{forces}").into_bytes(),
        ),
        (
            "a position of 1000 factors",
            format!("coordinates: [{names}]\nbodies: {{b: {{mass: 1, at: [1{factors}]}}}}")
                .into_bytes(),
        ),
        ("a wide definition used often", used.into_bytes()),
        (
            "10,000 parentheses",
            lagrangian(&format!("{}x{}", "(".repeat(10_000), ")".repeat(10_000))),
        ),
        (
            "10,000 functions",
            lagrangian(&format!("{}x{}", "sin(".repeat(10_000), ")".repeat(10_000))),
        ),
        (
            "10,000 powers",
            lagrangian(&format!("{}x", "x^".repeat(10_000))),
        ),
        (
            "an expression of 5 MB",
            lagrangian(&"x + ".repeat(1_250_000)),
        ),
        (
            "an expression of 100 kB",
            lagrangian(&format!("{}x", "x + ".repeat(25_000))),
        ),
        (
            "a wrong name in a line of 60 kB",
            lagrangian(&format!(
                "{}z{}",
                "x + ".repeat(7_500),
                " + x".repeat(7_500)
            )),
        ),
        ("250 kB of [", "[".repeat(250_000).into_bytes()),
        ("1.1 MB of [", "[".repeat(1_100_000).into_bytes()),
        ("250 kB of [ in a value", lagrangian(&"[".repeat(250_000))),
        ("250 kB of {a: ", "{a: ".repeat(62_000).into_bytes()),
        ("250 kB of dashes", "- ".repeat(125_000).into_bytes()),
        ("250 kB of ? ", "? ".repeat(125_000).into_bytes()),
        ("250 kB of !", "!".repeat(250_000).into_bytes()),
        ("250 kB of quotes", lagrangian(&"'".repeat(249_999))),
        (
            "a ladder of keys",
            (0..400)
                .fold(String::new(), |text, i| {
                    format!("{text}{}a:\n", " ".repeat(i))
                })
                .into_bytes(),
        ),
        ("10,000 unknown keys", bodies.into_bytes()),
        ("definitions that double", doubling.into_bytes()),
        ("wide definitions", widening.into_bytes()),
        ("a number of 10,000 digits", lagrangian(&"9".repeat(10_000))),
        (
            "a product of large numbers",
            lagrangian(&format!("{}1", "9e300*".repeat(10_000))),
        ),
        (
            "a sum of many fractions",
            lagrangian(&format!(
                "{}1",
                (3..9000).map(|i| format!("1/{i}+")).collect::<String>()
            )),
        ),
        ("a name of 60 kB", lagrangian(&"a".repeat(60_000))),
        (
            "a key of 200 kB",
            format!("{}: 1", "a".repeat(200_000)).into_bytes(),
        ),
        (
            "an escape sequence",
            b"coordinates: [x]\nname: \x1b]0;title\x07\nlagrangian: x\n".to_vec(),
        ),
        (
            "a carriage return",
            b"coordinates: [x]\nname: good\rbad\nlagrangian: x\n".to_vec(),
        ),
        (
            "a bidirectional override",
            "coordinates: [x]\nlagrangian: x \u{202e} y\n".into(),
        ),
        ("a zero byte", b"coordinates: [x]\0\n".to_vec()),
        (
            "a byte order mark in the middle",
            "coordinates: [x]\n\u{feff}lagrangian: x\n".into(),
        ),
        (
            "an error after a byte order mark",
            "\u{feff}coordinates: 3\n".into(),
        ),
        ("UTF-16", b"\xff\xfec\0o\0".to_vec()),
        (
            "not UTF-8",
            b"coordinates: [x]\nname: caf\xe9\nlagrangian: x'^2\n".to_vec(),
        ),
        ("only a comment", b"# nothing\n".to_vec()),
    ]
}

/// A sum of thousands of distinct terms.
fn wide_sum() -> String {
    (1..5000).map(|i| format!("x^.{i}1+")).collect()
}
