//! How dear the general way is: systems from their files against the same equations written by hand,
//! on the same stepper, in one run, as ratios; and what a keystroke in the workbench costs.
//!
//! `cargo bench` prints a table; nothing is asserted.

mod by_hand;

use by_hand::{Andrews, Bead, Chain, Pendulum, ProductAndSum, chain_file};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use holonom::analysis::{Analysis, Model, Overrides};
use holonom::solver::{
    ConstraintValue, Dynamics, Instant, Method, Motion, Options, Problem, Start, Stiff, simulate,
};
use holonom::system::{System, builtin};
use holonom::workbench::stage::Stage;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The median time of several runs, in turn with others.
fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64()
}

fn timed(mut run: impl FnMut()) -> Duration {
    let begin = std::time::Instant::now();
    run();
    begin.elapsed()
}

/// Where the text of a system is.
fn held(name: &str) -> &'static str {
    let mut all = builtin().iter();
    all.find(|b| b.name == name).map_or("", |b| b.text)
}

/// A system without its pattern: dense matrices throughout.
struct Dense<'a>(&'a dyn Dynamics);

impl Dynamics for Dense<'_> {
    fn coordinates(&self) -> usize {
        self.0.coordinates()
    }
    fn constraints(&self) -> usize {
        self.0.constraints()
    }
    fn constraint(&self, t: f64, x: &[f64], out: &mut ConstraintValue) {
        self.0.constraint(t, x, out);
    }
    fn instant(&self, t: f64, x: &[f64], v: &[f64], out: &mut Instant) {
        self.0.instant(t, x, v, out);
    }
    fn factors(&self, t: f64, x: &[f64], out: &mut Vec<f64>) {
        self.0.factors(t, x, out);
    }
}

/// The largest difference of the last positions and velocities.
fn apart(a: &Motion, b: &Motion) -> f64 {
    let (Some(a), Some(b)) = (a.samples.last(), b.samples.last()) else {
        return f64::NAN;
    };
    let pairs = a.x.iter().chain(&a.v).zip(b.x.iter().chain(&b.v));
    pairs.fold(0.0, |most, (a, b)| f64::max(most, (a - b).abs()))
}

/// Runs and times some equations.
type Runner<'a> = dyn FnMut(&dyn Dynamics) + 'a;

/// Runs of a text in turn with those of other equations: the motion and the seconds of each.
fn in_turn(
    text: &str,
    others: &dyn Fn(&dyn Dynamics, &mut Runner<'_>),
    (method, until): (Method, f64),
    turns: usize,
) -> Option<Vec<(Motion, f64)>> {
    let model = Model::new(System::parse(text, "bench", &[]).ok()?);
    let start = model.start(&Overrides::default()).ok()?;
    let dependent = model.choice(None, (start.t, &start.x), &start.correction);
    let compiled = model.compiled(&dependent);
    let problem = model.problem(&compiled, &dependent);
    let options = Options {
        until,
        method,
        samples: 1,
        stiff: Stiff::Never,
        ..Options::default()
    };
    let run = |dynamics: &dyn Dynamics, start: &Start| {
        let problem = Problem {
            dynamics,
            ..problem.clone()
        };
        simulate(&problem, start, &options, &AtomicBool::new(false))
    };
    let mut times: Vec<Vec<Duration>> = Vec::new();
    let mut motions: Vec<Motion> = Vec::new();
    for _ in 0..turns {
        let mut place = 0;
        others(&compiled, &mut |dynamics| {
            let mut motion = None;
            let time = timed(|| motion = Some(run(dynamics, &start)));
            if times.len() <= place {
                times.push(Vec::new());
                motions.extend(motion);
            }
            times[place].push(time);
            place += 1;
        });
    }
    let list = motions.into_iter().zip(times.into_iter().map(median));
    Some(list.collect())
}

fn against_hand(name: &str, text: &str, by_hand: &dyn Dynamics, until: f64) {
    for method in Method::ALL {
        let both = |file: &dyn Dynamics, run: &mut Runner<'_>| {
            run(file);
            run(by_hand);
        };
        let Some(found) = in_turn(text, &both, (method, until), 31) else {
            println!("{name}: cannot be read");
            return;
        };
        if let [(file, a), (code, b)] = &found[..] {
            println!(
                "{name:<18} {method:<12} file {:>7.3} ms   by hand {:>7.3} ms   ratio {:.2}   {} steps, apart by {:.0e}",
                1e3 * a,
                1e3 * b,
                a / b,
                file.steps,
                apart(file, code),
            );
        }
    }
}

/// Microseconds a right-hand side and its share of a step: what a longer run takes more than a shorter
/// one, for each evaluation that it makes more.
fn right_hand_sides() {
    println!(
        "\na right-hand side of a chain of N links with its share of a step, in microseconds (dense: M and J taken as full)"
    );
    for method in Method::ALL {
        let mut first = None;
        for links in [4, 6, 8, 10, 20, 50, 100, 200] {
            let text = chain_file(links, 0.3, 0.02 * (20.0 / links as f64).min(1.0));
            let both = |file: &dyn Dynamics, run: &mut Runner<'_>| {
                run(file);
                if links <= 50 {
                    run(&Dense(file));
                }
            };
            let turns = if links > 20 { 5 } else { 15 };
            let short = in_turn(&text, &both, (method, 0.25), turns);
            let long = in_turn(&text, &both, (method, 1.0), turns);
            let (Some(short), Some(long)) = (short, long) else {
                continue;
            };
            let cost = |which: usize| {
                let (a, b) = (short.get(which)?, long.get(which)?);
                let more = b.0.evaluations as f64 - a.0.evaluations as f64;
                Some(1e6 * (b.1 - a.1) / more)
            };
            let Some(each) = cost(0) else { continue };
            if links == 10 {
                first = Some(each);
            }
            let growth = first.map_or(String::new(), |first| {
                format!("{:>6.2} times that of 10", each / first)
            });
            let full = cost(1).map_or(String::new(), |each| format!("dense {each:>8.2}"));
            let motion = &long[0].0;
            println!(
                "{method:<12} N = {links:<4} {each:>8.2}  {full:<16}{growth}   {} steps, {} charts, {} flags",
                motion.steps,
                motion.chart_changes,
                motion.flags.len()
            );
        }
    }
}

/// From a key in the editor to the picture with the new analysis and motion: the last digit of a parameter,
/// typed and taken away again, at 120 x 40.
fn frames() {
    println!(
        "\na keystroke in the editor, to the new picture with its analysis and motion (120 x 40)"
    );
    let plain = |code: KeyCode| KeyEvent::new(code, KeyModifiers::NONE);
    for (name, digits) in [
        ("bead_on_parabola", "9.81"),
        ("rotating_rod", "w: 1"),
        ("product_and_sum", "k: 1"),
        ("pendulum", "9.81"),
    ] {
        let mut stage = Stage::new(held(name), (120, 40));
        stage.press(plain(KeyCode::Char('/')));
        for symbol in digits.chars() {
            stage.press(plain(KeyCode::Char(symbol)));
        }
        stage.press(plain(KeyCode::Enter));
        stage.press(plain(KeyCode::Char('e')));
        for _ in digits.chars() {
            stage.press(plain(KeyCode::Right));
        }
        // 9.81 becomes 9.815 and w: 1 becomes w: 1.05, so that the motion is another one each time
        if !digits.contains('.') {
            stage.press(plain(KeyCode::Char('.')));
            stage.press(plain(KeyCode::Char('0')));
        }
        let mut times = Vec::new();
        for _ in 0..15 {
            for code in [KeyCode::Char('5'), KeyCode::Backspace] {
                times.push(timed(|| stage.press(plain(code))));
                assert!(stage.is_settled(), "{name} is broken");
            }
        }
        let worst = times.iter().max().map_or(0.0, Duration::as_secs_f64);
        println!(
            "{name:<18} {:>7.2} ms, at most {:.2} ms",
            1e3 * median(times),
            1e3 * worst
        );
    }
}

fn main() {
    // `cargo bench --bench motion keys` measures these alone
    if std::env::args().any(|argument| argument == "keys") {
        frames();
        return;
    }
    println!("whole runs, from the file and by hand, rtol 1e-9");
    against_hand("bead_on_parabola", held("bead_on_parabola"), &Bead, 10.0);
    against_hand(
        "product_and_sum",
        held("product_and_sum"),
        &ProductAndSum,
        5.0,
    );
    against_hand("pendulum", &chain_file(1, 1.5, 0.0), &Pendulum, 10.0);
    against_hand(
        "chain of 10",
        &chain_file(10, 1.2, 0.0),
        &Chain::new(10),
        5.0,
    );
    against_hand("andrews", held("andrews"), &Andrews, 0.03);
    right_hand_sides();
    frames();
    println!("\na keystroke: text to new analysis and motion (1001 samples)");
    for system in builtin() {
        let times = (0..31)
            .map(|_| {
                timed(|| {
                    if let Ok(parsed) = System::parse(system.text, system.name, &[]) {
                        let analysis = Analysis::new(parsed, &AtomicBool::new(false));
                        std::hint::black_box(analysis.is_ok());
                    }
                })
            })
            .collect();
        println!("{:<18} {:>7.2} ms", system.name, 1e3 * median(times));
    }
}
