//! What is fuzzed: each target takes any bytes and panics where the program would be at fault. cargo-fuzz
//! (`fuzz/fuzz_targets`), the runner for the stable toolchain (`examples/fuzz.rs`) and the test of what was found
//! (`tests/library/found.rs`) share them.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use holonom::analysis::{Model, Overrides, split_columns};
use holonom::expr::{
    NameError, Pool, Style, SymbolKind, calculating, parse, until_cancelled, within,
};
use holonom::report::{check_json, derive_json, write_csv_rows, write_json};
use holonom::system::{MAX_FILE, System, builtin};
use holonom::workbench::stage::{Stage, journal};

/// A target.
pub type Target = fn(&[u8]);

/// The targets by their names.
pub const TARGETS: [(&str, Target); 7] = [
    ("file", file),
    ("expression", expression),
    ("options", options),
    ("json", json),
    ("keys", keys),
    ("journal", journals),
    ("theorem", theorem),
];

/// What a storm of keys waits for, before the next key calls it off.
const PATIENCE: Duration = Duration::from_millis(300);
/// What the questions about one small system may cost in all: a tenth of what they may cost a reader.
const SYMBOLIC: u64 = 1_600_000;
const NUMERIC: u64 = 140_000_000;
/// Longer than this no question about a small system takes that is to be answered at a keyboard.
const BUDGET: Duration = Duration::from_secs(2);
/// After its budget a question may take so long to notice that it was called off.
const GRACE: Duration = Duration::from_secs(20);

/// A system file: read, or refused with diagnostics that have their place in the text.
pub fn file(bytes: &[u8]) {
    match System::read(bytes, "a.yaml", &[]) {
        Ok(system) => {
            assert!(bytes.len() <= MAX_FILE && !system.coordinates.is_empty());
        }
        Err(errors) => {
            // what is no UTF-8 has its place in the text that is shown for it
            let length = String::from_utf8_lossy(bytes).len();
            assert!(!errors.is_empty(), "refused without a word");
            for error in errors {
                assert!(error.span.start <= error.span.end && error.span.end <= length);
                let shown = error.render();
                let raw = |c: char| c.is_control() && c != '\n';
                assert!(!shown.contains(raw), "a raw control character: {shown:?}");
            }
        }
    }
}

/// An expression: what is printed is read as the same expression.
pub fn expression(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let pool = Pool::new();
    let known = ["x", "y", "k"].map(|name| (name, pool.symbol(name, SymbolKind::Parameter(0))));
    let names = |name: &str, primes: usize| {
        let found = known.iter().find(|(own, _)| *own == name && primes == 0);
        found.map(|(_, e)| *e).ok_or_else(|| NameError::Unknown {
            name: name.to_owned(),
            help: None,
        })
    };
    let Ok(e) = parse(&pool, text, &names) else {
        return;
    };
    let printed = pool.print(e);
    let again = parse(&pool, &printed, &names);
    assert!(
        again.as_ref() == Ok(&e),
        "{text} is printed as {printed}, which is {again:?}"
    );
    let _ = pool.print_as(e, Style::Pretty);
}

/// Options of a command line.
pub fn options(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let list = split_columns(text);
    let words: Vec<String> = text.lines().map(str::to_owned).collect();
    let pairs = holonom::commands::pairs("--set", &words);
    let known = holonom::system::find("pendulum").expect("it is built in");
    if let Ok(pairs) = &pairs {
        let _ = System::parse(known.text, known.name, pairs);
    }
    let Ok(system) = System::parse(known.text, known.name, &[]) else {
        return;
    };
    let numbers: Vec<(String, f64)> = pairs
        .into_iter()
        .flatten()
        .filter_map(|(name, value)| Some((name, value.parse().ok()?)))
        .collect();
    let _ = Overrides::new(&system, &numbers);
    let _ = Model::new(system).columns_known(&list);
}

/// What is written of numbers is read back as the same numbers.
pub fn json(bytes: &[u8]) {
    let numbers: Vec<f64> = bytes
        .chunks_exact(8)
        .filter_map(|chunk| Some(f64::from_le_bytes(chunk.try_into().ok()?)))
        .collect();
    let text = String::from_utf8_lossy(bytes);
    let value = serde_json::json!({"numbers": &numbers, "text": text});
    let mut out = Vec::new();
    write_json(&mut out, &value).expect("memory takes everything");
    let shown = String::from_utf8(out).expect("it is UTF-8");
    let raw = |c: char| c.is_control() && c != '\n';
    assert!(!shown.contains(raw), "a raw control character");
    let again: serde_json::Value = serde_json::from_str(&shown).expect("it is JSON");
    assert_eq!(again["text"], *text);
    // the reader of serde_json is a unit in the last place off where it is not asked to be exact
    let list = shown.split(['[', ']']).nth(1).expect("a list");
    for (number, read) in numbers.iter().zip(list.split(',')) {
        let same = match read.parse::<f64>() {
            Ok(read) => read == *number,
            Err(_) => read == "null" && !number.is_finite(),
        };
        assert!(same, "{number:?} is read as {read}");
    }
    let mut out = Vec::new();
    write_csv_rows(&mut out, std::slice::from_ref(&numbers)).expect("memory takes everything");
    let shown = String::from_utf8(out).expect("it is UTF-8");
    assert_eq!(shown.lines().count(), numbers.len());
    for (number, read) in numbers.iter().zip(shown.lines()) {
        let same = match read.parse::<f64>() {
            Ok(read) => read == *number,
            Err(_) => read.is_empty() && !number.is_finite(),
        };
        assert!(same, "{number:?} is read as {read}");
    }
}

/// The keys that a byte can be.
fn key(byte: u8) -> KeyEvent {
    let code = match byte {
        b'\n' => KeyCode::Enter,
        b'\t' => KeyCode::Tab,
        0x1b => KeyCode::Esc,
        0x7f => KeyCode::Backspace,
        0x80 => KeyCode::Left,
        0x81 => KeyCode::Right,
        0x82 => KeyCode::Up,
        0x83 => KeyCode::Down,
        0x84 => KeyCode::Home,
        0x85 => KeyCode::End,
        0x86 => KeyCode::PageUp,
        0x87 => KeyCode::PageDown,
        0x88 => KeyCode::Delete,
        0x89 => KeyCode::BackTab,
        0x8a..=0x8d => KeyCode::F(byte - 0x89),
        0x90 => KeyCode::Char('é'),
        0x91 => KeyCode::Char('漢'),
        0x92 => KeyCode::Char('\u{301}'),
        0..=0x1f => {
            let letter = char::from(byte | 0x60);
            return KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL);
        }
        _ => KeyCode::Char(char::from(byte & 0x7f)),
    };
    KeyEvent::new(code, KeyModifiers::NONE)
}

/// Keys on the screen of the workbench: the first byte is the system, the second and third the size. Some bytes are
/// other things that happen: time goes on, text is pasted, the terminal has another size.
pub fn keys(bytes: &[u8]) {
    let [system, width, height, rest @ ..] = bytes else {
        return;
    };
    let known = &builtin()[usize::from(*system) % builtin().len()];
    let size = (u16::from(*width), u16::from(*height));
    let mut stage = Stage::impatient(known.text, size, PATIENCE);
    for (at, byte) in rest.iter().take(100).enumerate() {
        match byte {
            0xa0..=0xa7 => stage.tick(0.05),
            0xa8 => stage.paste("x1^2 + {sin(t)}\n  - [0, 1"),
            0xa9 => stage.resize((u16::from(*byte) ^ at as u16, 24)),
            0xaa => stage.resize((80, at as u16 % 60)),
            0xab => stage.resize(size),
            _ => stage.press(key(*byte)),
        }
    }
}

/// A journal: a text comes back as it was kept, and anything else is read or passed over.
pub fn journals(bytes: &[u8]) {
    let _ = journal::read(bytes);
    let text = String::from_utf8_lossy(bytes);
    assert_eq!(
        journal::read(&journal::written(&text)).as_deref(),
        Some(&*text)
    );
}

/// The theorem and the derivation of a system that is read, or made of what follows a zero, within a budget and called
/// off after it.
pub fn theorem(bytes: &[u8]) {
    let system = match bytes {
        [0, choices @ ..] => System::parse(&Choices(choices).system(), "a.yaml", &[]),
        text => System::read(text, "a.yaml", &[]),
    };
    let Ok(system) = system else {
        return;
    };
    if system.coordinates.len() > 8 {
        return;
    }
    let called_off = Arc::new(AtomicBool::new(false));
    let (done, wait) = channel::<()>();
    let flag = Arc::clone(&called_off);
    let watch = std::thread::spawn(move || {
        if wait.recv_timeout(BUDGET) == Err(RecvTimeoutError::Timeout) {
            flag.store(true, Ordering::Relaxed);
            let late = wait.recv_timeout(GRACE) == Err(RecvTimeoutError::Timeout);
            return late;
        }
        false
    });
    let asked = || {
        let model = Model::new(system);
        let Ok(site) = model.site(&Overrides::default()) else {
            return;
        };
        let check = model.check(site, None, &[]);
        written(&check_json(&model, &check));
        if !model.system.objective && !called_off.load(Ordering::Relaxed) {
            written(&derive_json(&model, &model.derive(None)));
        }
    };
    until_cancelled(&called_off, || {
        within(SYMBOLIC, || calculating(NUMERIC, asked));
    });
    drop(done);
    let late = watch.join().unwrap_or(false);
    assert!(
        !late,
        "it takes over {} s to be called off",
        GRACE.as_secs()
    );
}

/// Bytes that choose what a small system is; where they end the first of each choice is taken.
struct Choices<'a>(&'a [u8]);

const COORDINATES: [&str; 4] = ["x", "y", "z", "w"];

impl Choices<'_> {
    fn of<'t>(&mut self, list: &[&'t str]) -> &'t str {
        list[self.below(list.len())]
    }

    fn below(&mut self, end: usize) -> usize {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        usize::from(*first) % end
    }

    fn expression(&mut self, names: &[&str], depth: usize) -> String {
        let kind = self.below(if depth == 0 { 4 } else { 14 });
        let mut inner = || self.expression(names, depth - 1);
        match kind {
            0..=2 => self.of(names).to_owned(),
            3 => self
                .of(&["1", "2", "0.5", "3/7", "k", "(-1)", "pi", "1e-3", "t"])
                .to_owned(),
            4..=6 => format!("({} + {})", inner(), inner()),
            7 => format!("({} - {})", inner(), inner()),
            8 | 9 => format!("{}*{}", inner(), inner()),
            10 => format!("{}/({})", inner(), inner()),
            11 => {
                let base = inner();
                let power = self.of(&["2", "3", "-1", "(1/2)", "(1/3)", "-2", "0.7", "4", "k"]);
                format!("({base})^{power}")
            }
            _ => {
                let argument = inner();
                let f = self.of(&[
                    "sin", "cos", "sqrt", "abs", "exp", "log", "tan", "atan", "asin", "acos",
                    "sinh", "cosh", "tanh", "sign", "erf",
                ]);
                format!("{f}({argument})")
            }
        }
    }

    /// A system of at most four coordinates, mostly one that is read.
    fn system(&mut self) -> String {
        let n = 1 + self.below(4);
        let names = &COORDINATES[..n];
        let squares: Vec<String> = names.iter().map(|x| format!("{x}'^2")).collect();
        let mass = ["1", "k", "(1 + x^2)", "(2 + cos(x))"][self.below(4)];
        let potential = self.expression(names, 3);
        let mut text = format!(
            "coordinates: [{}]\nparameters: {{k: {}}}\nlagrangian: {mass}*({})/2 - ({potential})\n",
            names.join(", "),
            self.of(&["2", "1", "0.5", "-1", "3/2"]),
            squares.join(" + "),
        );
        let constraints = self.below(n + 1);
        if constraints > 0 {
            text.push_str("constraints:\n");
        }
        for b in 0..constraints {
            let (f, c) = (
                self.expression(names, 3),
                self.of(&["0.5", "1", "0", "k", "-1"]),
            );
            let _ = writeln!(text, "  c{b}: {{f: {f} + {}, c: {c}}}", self.of(names));
        }
        if n > constraints + 1 && self.below(6) == 1 {
            let part = self.expression(names, 2);
            let _ = writeln!(text, "velocity_constraints: {{v: \"({part})*x' + y'\"}}");
        }
        if self.below(4) == 1 {
            let _ = writeln!(text, "forces: {{x: {}}}", self.expression(names, 2));
        }
        let guess: Vec<String> = names
            .iter()
            .map(|x| format!("{x}: {}", self.of(&["0.5", "1", "0", "-0.7", "2"])))
            .collect();
        let _ = writeln!(text, "guess: {{{}}}", guess.join(", "));
        text
    }
}

/// One line of JSON that is read back.
fn written(value: &serde_json::Value) {
    let mut out = Vec::new();
    write_json(&mut out, value).expect("memory takes everything");
    let again: serde_json::Value = serde_json::from_slice(&out).expect("it is JSON");
    assert!(again.is_object());
}
