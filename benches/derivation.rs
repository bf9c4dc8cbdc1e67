//! What deriving and checking cost: the built-in library, and a planar chain of N links in Cartesian
//! coordinates with the growth of each time per doubling of N (2 is linear).
//!
//! `cargo bench --bench derivation` prints a table; nothing is asserted.

use holonom::analysis::{Model, Overrides};
use holonom::expr::Style;
use holonom::report::{Layout, check_json, check_text, derive_json, derive_text};
use holonom::system::{System, builtin};
use std::fmt::Write;
use std::time::Instant;

/// Lengths of the chain.
const LENGTHS: [usize; 7] = [2, 5, 10, 20, 50, 100, 200];
/// The columns a text is set in.
const WIDTH: usize = 80;
const LAYOUT: Layout = Layout {
    width: WIDTH,
    style: Style::Plain,
};

/// A chain of N links of length l, hung at the origin, as a file.
fn chain(links: usize) -> String {
    let mut text = format!("name: chain of {links}\ncoordinates: [");
    for i in 1..=links {
        let _ = write!(text, "{}x{i}, y{i}", if i > 1 { ", " } else { "" });
    }
    text.push_str("]\nparameters: {m: 1, g: 9.81, l: 1}\nkinetic: ");
    for i in 1..=links {
        let plus = if i > 1 { " + " } else { "" };
        let _ = write!(text, "{plus}1/2*m*(x{i}'^2 + y{i}'^2)");
    }
    text.push_str("\npotential: ");
    for i in 1..=links {
        let _ = write!(text, "{}m*g*y{i}", if i > 1 { " + " } else { "" });
    }
    text.push_str("\nconstraints:\n  link1: x1^2 + y1^2 - l^2\n");
    for i in 2..=links {
        let before = i - 1;
        let _ = writeln!(
            text,
            "  link{i}: (x{i} - x{before})^2 + (y{i} - y{before})^2 - l^2"
        );
    }
    text.push_str("start: {");
    for i in 1..=links {
        let (x, y) = (0.6 * i as f64, -0.8 * i as f64);
        let _ = write!(
            text,
            "{}x{i}: {x}, y{i}: {y}",
            if i > 1 { ", " } else { "" }
        );
    }
    text.push_str("}\nrun: {until: 1}\n");
    text
}

/// Milliseconds of the quickest of a few runs.
fn quickest<R>(mut run: impl FnMut() -> R) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let begin = Instant::now();
        std::hint::black_box(run());
        best = best.min(begin.elapsed().as_secs_f64());
    }
    1e3 * best
}

/// Milliseconds to read a file and prepare the model, to check, to derive, to print all four answers.
fn times(text: &str, name: &str) -> Option<[f64; 4]> {
    let model = || System::parse(text, name, &[]).ok().map(Model::new);
    let check = |model: &Model| {
        let site = model.site(&Overrides::default()).ok()?;
        Some(model.check(site, None, &[]))
    };
    // what is derived once is remembered: each run starts afresh
    let read = quickest(model);
    let whole_check = quickest(|| check(&model()?));
    let whole_derive = quickest(|| Some(model()?.derive(None)));
    let model = model()?;
    let (checked, derived) = (check(&model)?, model.derive(None));
    let print = quickest(|| {
        (
            check_text(&model, &checked, WIDTH).len(),
            derive_text(&model, &derived, LAYOUT).len(),
            check_json(&model, &checked).to_string().len(),
            derive_json(&model, &derived).to_string().len(),
        )
    });
    Some([read, whole_check, whole_derive, print])
}

fn row(name: &str, times: &[f64; 4], growth: Option<[f64; 4]>) {
    print!("{name:<22}");
    for (i, t) in times.iter().enumerate() {
        print!("{t:>9.2}");
        match growth {
            Some(g) => print!(" x{:<5.2}", g[i]),
            None => print!("{:7}", ""),
        }
    }
    println!();
}

fn main() {
    println!("milliseconds; check and derive include reading the file");
    println!(
        "{:<22}{:>9}{:7}{:>9}{:7}{:>9}{:7}{:>9}",
        "", "read", "", "check", "", "derive", "", "print"
    );
    for system in builtin() {
        if let Some(times) = times(system.text, system.name) {
            row(system.name, &times, None);
        }
    }
    println!("\na planar chain of N links, and the growth per doubling of N");
    let mut last: Option<(usize, [f64; 4])> = None;
    for links in LENGTHS {
        let Some(times) = times(&chain(links), "chain") else {
            continue;
        };
        let growth = last.map(|(before, old)| {
            let doublings = (links as f64 / before as f64).log2();
            std::array::from_fn(|i| (times[i] / old[i]).powf(1.0 / doublings))
        });
        row(&format!("chain of {links}"), &times, growth);
        last = Some((links, times));
    }
}
