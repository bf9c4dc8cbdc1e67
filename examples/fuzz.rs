//! The fuzzers without cargo-fuzz, on the stable toolchain:
//!
//! ```text
//! cargo run --release --example fuzz -- TARGET SECONDS [SEED]
//! cargo run --release --example fuzz -- TARGET COUNTx [SEED]
//! ```
//!
//! TARGET is one of `fuzz/targets.rs`, or `all`, which take turns; `keys=NAME` is a storm of keys on one system. Inputs are those of `fuzz/corpus/TARGET`,
//! changed at random: bits, bytes, words of the trade, pieces of each other. The same seed gives the same inputs.
//! What breaks is written to `tests/found/TARGET`, where a test finds it from then on; the exit code is then 1.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../fuzz/targets.rs"]
mod targets;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use holonom::system::builtin;
use targets::{TARGETS, Target};

/// What is put between other bytes: words of system files, of expressions, of command lines.
const WORDS: [&str; 64] = [
    "coordinates: ",
    "[x, y]",
    "lagrangian: ",
    "kinetic: ",
    "potential: ",
    "constraints: ",
    "start: ",
    "run: ",
    "define: ",
    "parameters: ",
    "forces: ",
    "bodies: ",
    "velocity_constraints: ",
    "dependent: ",
    "objective: ",
    "plots: ",
    "expect: ",
    "picture: ",
    "guess: ",
    "\n",
    "\n  ",
    ": ",
    "{",
    "}",
    "[",
    "]",
    "x'",
    "y'",
    "x''",
    "t",
    "pi",
    "sin(",
    "cos(",
    "tan(",
    "sqrt(",
    "abs(",
    "sign(",
    "log(",
    "exp(",
    "atan2(",
    "asin(",
    "tanh(",
    ")",
    "^",
    "^2",
    "^-1",
    "^(1/2)",
    "^0.5",
    "*",
    "/",
    "+",
    "-",
    "=",
    ",",
    "0",
    "1e308",
    "1e-308",
    "99999999999999999999",
    "0.1",
    "&a ",
    "*a",
    "\u{1b}[31m",
    "漢",
    "\u{0}",
];

/// The longest input that is made.
const LONGEST: usize = 4096;

/// Bytes of a storm of keys: the system, the size, the keys.
const STORM: usize = 103;

/// xorshift64*
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() >> 33) as usize % end.max(1)
    }
}

struct Fuzzer {
    name: &'static str,
    run: Target,
    corpus: Vec<Vec<u8>>,
    runs: u64,
    found: Vec<PathBuf>,
    slowest: Duration,
    /// the place of the one system that keys fall on
    system: Option<usize>,
}

impl Fuzzer {
    fn new(name: &'static str, run: Target) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut folders = vec![root.join("fuzz/corpus").join(name)];
        if matches!(name, "file" | "theorem") {
            folders.extend(["systems", "tests/systems"].map(|folder| root.join(folder)));
        }
        let files = folders.iter().flat_map(|folder| {
            let mut files: Vec<PathBuf> = fs::read_dir(folder)
                .into_iter()
                .flatten()
                .map(|entry| entry.unwrap().path())
                .collect();
            files.sort();
            files
        });
        let mut corpus: Vec<Vec<u8>> = files.map(|file| fs::read(file).unwrap()).collect();
        corpus.push(Vec::new());
        Self {
            name,
            run,
            corpus,
            runs: 0,
            found: Vec::new(),
            slowest: Duration::ZERO,
            system: None,
        }
    }

    fn input(&self, random: &mut Random) -> Vec<u8> {
        if self.name == "theorem" && random.below(8) > 0 {
            let choices = (0..random.below(80)).map(|_| random.next() as u8);
            return std::iter::once(0).chain(choices).collect();
        }
        let pick = |random: &mut Random| &self.corpus[random.below(self.corpus.len())];
        let mut bytes = pick(random).clone();
        for _ in 0..=random.below(6) {
            let at = random.below(bytes.len() + 1);
            let end = (at + random.below(16)).min(bytes.len());
            match random.below(8) {
                0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
                1 if at < bytes.len() => bytes[at] = random.next() as u8,
                2 => drop(bytes.drain(at..end)),
                3 => {
                    let piece = bytes[at..end].to_vec();
                    let to = random.below(bytes.len() + 1);
                    bytes.splice(to..to, piece);
                }
                4 => {
                    let other = pick(random);
                    let from = random.below(other.len() + 1);
                    let to = (from + random.below(200)).min(other.len());
                    bytes.splice(at..end, other[from..to].iter().copied());
                }
                5 => bytes.insert(at, random.next() as u8),
                _ => {
                    let word = WORDS[random.below(WORDS.len())].bytes();
                    bytes.splice(at..at, word);
                }
            }
        }
        bytes.truncate(LONGEST);
        if self.name == "keys" {
            self.storm(&mut bytes, random);
        }
        bytes
    }

    /// After the keys of the corpus a storm of them; each system has its turn.
    fn storm(&self, bytes: &mut Vec<u8>, random: &mut Random) {
        while bytes.len() < STORM {
            bytes.push(match random.below(4) {
                0 => random.next() as u8,
                1 => 0x80 + random.below(0x2c) as u8,
                _ => b' ' + random.below(95) as u8,
            });
        }
        bytes[0] = self.system.unwrap_or((self.runs % 250) as usize) as u8;
        if random.below(4) > 0 {
            (bytes[1], bytes[2]) = (40 + random.below(100) as u8, 12 + random.below(40) as u8);
        }
    }

    fn once(&mut self, random: &mut Random) {
        let bytes = self.input(random);
        let begin = Instant::now();
        let run = self.run;
        let fails = |bytes: &[u8]| catch_unwind(AssertUnwindSafe(|| run(bytes))).is_err();
        if fails(&bytes) {
            let small = smaller(bytes, &fails);
            let path = kept(self.name, &small);
            eprintln!(
                "{}: a fault, {} bytes, in {}",
                self.name,
                small.len(),
                path.display()
            );
            if !self.found.contains(&path) {
                self.found.push(path);
            }
        }
        self.slowest = self.slowest.max(begin.elapsed());
        self.runs += 1;
    }
}

/// The shortest input found in a while that fails too.
fn smaller(mut bytes: Vec<u8>, fails: &impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let begin = Instant::now();
    let mut size = bytes.len() / 2;
    while size > 0 {
        let mut at = 0;
        while at < bytes.len() && begin.elapsed() < Duration::from_secs(20) {
            let mut less = bytes.clone();
            less.drain(at..(at + size).min(less.len()));
            if fails(&less) {
                bytes = less;
            } else {
                at += size;
            }
        }
        size /= 2;
    }
    bytes
}

/// Writes an input to where a test finds it.
fn kept(target: &str, bytes: &[u8]) -> PathBuf {
    let number = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/found")
        .join(target);
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("{number:016x}"));
    fs::write(&path, bytes).unwrap();
    path
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (name, how_long, seed) = match words.as_slice() {
        [name, how_long] => (*name, *how_long, 1),
        [name, how_long, seed] => (*name, *how_long, seed.parse().expect("a seed is a number")),
        _ => {
            eprintln!("usage: fuzz TARGET SECONDS|COUNTx [SEED]");
            return ExitCode::from(2);
        }
    };
    let (count, seconds) = match how_long.strip_suffix('x') {
        Some(count) => (count.parse().expect("a count"), u64::MAX),
        None => (u64::MAX, how_long.parse().expect("seconds")),
    };
    let (name, system) = match name.split_once('=') {
        Some((name, system)) => {
            let place = builtin().iter().position(|known| known.name == system);
            (name, Some(place.expect("a built-in system")))
        }
        None => (name, None),
    };
    let chosen = TARGETS
        .iter()
        .filter(|(own, _)| name == "all" || *own == name);
    let mut fuzzers: Vec<Fuzzer> = chosen.map(|(name, run)| Fuzzer::new(name, *run)).collect();
    for fuzzer in &mut fuzzers {
        fuzzer.system = system;
    }
    if fuzzers.is_empty() {
        let known: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
        eprintln!("the targets are {} and all", known.join(", "));
        return ExitCode::from(2);
    }
    set_hook(Box::new(|info| {
        let payload = info.payload();
        let fixed = payload.downcast_ref::<&str>().copied();
        let words = payload
            .downcast_ref::<String>()
            .map(String::as_str)
            .or(fixed);
        let words = words.unwrap_or_default();
        let words: String = words.chars().take(200).collect();
        if let Some(place) = info.location() {
            eprintln!("  panicked at {place}: {}", words.escape_debug());
        }
    }));
    // one thread with room: symbolic work recurses as deep as the expressions are
    let work = std::thread::Builder::new()
        .stack_size(64 << 20)
        .spawn(move || {
            let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ seed);
            let begin = Instant::now();
            let mut rounds = 0;
            while rounds < count && begin.elapsed().as_secs() < seconds {
                for fuzzer in &mut fuzzers {
                    fuzzer.once(&mut random);
                }
                rounds += 1;
            }
            for fuzzer in &fuzzers {
                println!(
                    "{}: {} inputs, seed {seed}, {} faults; the slowest took {:.2} s",
                    fuzzer.name,
                    fuzzer.runs,
                    fuzzer.found.len(),
                    fuzzer.slowest.as_secs_f64()
                );
            }
            fuzzers.iter().all(|fuzzer| fuzzer.found.is_empty())
        });
    match work.map(std::thread::JoinHandle::join) {
        Ok(Ok(true)) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}
