//! Systems whose equilibrium, stability and poles are planted and hidden by a smooth change of coordinates: no word may
//! be false, and of what is regular nearly all must be decided.
//!
//! In coordinates u = phi(x), phi(p) = 0, the constraints are u_(d+b) = g_b(u_1..u_d) and the potential is
//! base(u_1..u_d) + sum (u_(d+b) - g_b)(...): on the constraint set it is `base`, whose nature at 0 is known. The program sees
//! only the expressions in x.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use holonom::analysis::{Model, Where};
use holonom::statics::{Equilibrium, Kind, Reason, Stability};
use holonom::system::System;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Numbers that repeat.
struct Dice(u64);

impl Dice {
    fn new(seed: u64) -> Self {
        let mut dice = Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for _ in 0..8 {
            dice.next();
        }
        dice
    }

    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() * n as f64) as usize
    }

    /// Between -1 and 1, so many decimals.
    fn number(&mut self, decimals: i32) -> f64 {
        let unit = 10.0_f64.powi(decimals);
        ((2.0 * self.next() - 1.0) * unit).round() / unit
    }

    /// Away from zero.
    fn strong(&mut self) -> f64 {
        let v = 0.3 + (self.next() * 170.0).round() / 100.0;
        if self.next() < 0.5 { v } else { -v }
    }
}

/// What was planted at the point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Nature {
    /// A strict minimum.
    Minimum,
    /// A strict maximum.
    Maximum,
    /// Neither.
    Neither,
    /// Flat along a curve.
    Family,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Forces {
    None,
    Gyroscopic,
    Damped,
    Both,
}

#[allow(clippy::struct_excessive_bools)] // independent properties
struct Planted {
    text: String,
    point: Vec<f64>,
    nature: Nature,
    regular: bool,
    forces: Forces,
    odd: bool,
    pole: bool,
    family: bool,
}

impl Planted {
    /// A word for a kind of systems of which something is not decided.
    fn sort(&self, reason: &str) -> String {
        let flat = if self.regular { "regular" } else { "flat" };
        format!("{flat} {:?} {:?} {reason}", self.nature, self.forces)
    }
}

#[allow(clippy::too_many_lines)] // the recipe in one piece
fn planted(seed: u64) -> Planted {
    let mut dice = Dice::new(seed);
    // most are small: the larger cost ten times as much
    let d = [1, 1, 1, 1, 1, 2, 2, 2, 2, 3][dice.below(10)];
    let m = match d {
        1 => [0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 4][dice.below(11)],
        2 => [0, 0, 0, 1, 1, 2][dice.below(6)],
        _ => [0, 0, 0, 1, 2][dice.below(5)],
    };
    let n = d + m;
    let names: Vec<String> = (1..=n).map(|k| format!("x{k}")).collect();
    let point: Vec<f64> = (0..n).map(|_| dice.number(1 + (seed % 2) as i32)).collect();
    // u = A (x - p) + terms of second order, some of them through sines and exponentials
    let mut define = String::new();
    for i in 0..n {
        let mut u = String::new();
        for (j, name) in names.iter().enumerate() {
            let a = if i == j {
                dice.strong()
            } else if dice.next() < 0.3 {
                0.4 * dice.number(1)
            } else {
                0.0
            };
            let dx = format!("({name} - ({}))", point[j]);
            let inner = match dice.below(6) {
                0 => format!("sin({dx})"),
                1 => format!("(exp({dx}) - 1)"),
                2 => format!("({dx} + 0.2*{dx}^2)"),
                _ => dx,
            };
            if a != 0.0 {
                let _ = write!(u, " + ({a:.2})*{inner}");
            }
        }
        let (j, k) = (dice.below(n), dice.below(n));
        let c = dice.number(1);
        if dice.next() < 0.4 {
            let _ = write!(
                u,
                " + ({c})*({} - ({}))*({} - ({}))",
                names[j], point[j], names[k], point[k]
            );
        }
        let _ = writeln!(define, "  u{}: \"0{u}\"", i + 1);
    }
    // the base on u_1 .. u_d
    let u: Vec<String> = (1..=d).map(|i| format!("u{i}")).collect();
    let flat = if dice.next() < 0.6 {
        0
    } else {
        1 + dice.below(d.min(2))
    };
    let (mut up, mut down, mut neither, mut family) = (0, 0, false, false);
    let mut base = String::from("0");
    for (i, name) in u.iter().enumerate() {
        if i < flat {
            // the first flat one alone decides the kind of all flat ones
            match dice.below(5) {
                0 => {
                    let _ = write!(base, " + {}*{name}^3", dice.strong());
                    neither = true;
                }
                1 if flat == 1 => family = true,
                2 => {
                    let _ = write!(base, " - {}*{name}^4", dice.strong().abs());
                    down += 1;
                }
                _ => {
                    let _ = write!(base, " + {}*{name}^4", dice.strong().abs());
                    up += 1;
                }
            }
        } else if dice.next() < 0.7 {
            let _ = write!(base, " + {}*{name}^2", dice.strong().abs());
            up += 1;
        } else {
            let _ = write!(base, " - {}*{name}^2", dice.strong().abs());
            down += 1;
        }
    }
    // quadratic directions may be mixed, and coupled to the flat ones by what does not matter
    if d > flat + 1 && dice.next() < 0.7 {
        let (a, b) = (flat + 1, flat + 2);
        let _ = write!(base, " + {}*u{a}*u{b}", 0.1 * dice.number(1));
    }
    if !family && dice.next() < 0.5 {
        let name = &u[dice.below(d)];
        let _ = write!(base, " + {}*{name}^5", dice.number(1));
    }
    let nature = if family {
        Nature::Family
    } else if neither || up > 0 && down > 0 {
        Nature::Neither
    } else if down > 0 {
        Nature::Maximum
    } else {
        Nature::Minimum
    };
    let nature = if family && down > 0 {
        Nature::Neither
    } else {
        nature
    };
    let (mut constraints, mut extra) = (String::new(), String::new());
    for b in 0..m {
        let own = d + b + 1;
        let mut g = String::from("0");
        for _ in 0..2 {
            let (i, j) = (dice.below(d), dice.below(d));
            let _ = write!(g, " + ({})*{}*{}", dice.number(1), u[i], u[j]);
        }
        if dice.next() < 0.3 {
            let _ = write!(g, " + ({})*{}", dice.number(1), u[dice.below(d)]);
        }
        let _ = writeln!(constraints, "  c{b}: \"u{own} - ({g})\"");
        let _ = write!(
            extra,
            " + (u{own} - ({g}))*({} + {}*{})",
            dice.number(1),
            dice.number(1),
            u[dice.below(d)]
        );
    }
    let pole = dice.next() < 0.2;
    let mut forces_text = String::new();
    let forces = match dice.below(6) {
        0 if n > 1 => Forces::Gyroscopic,
        1 => Forces::Damped,
        2 if n > 1 => Forces::Both,
        _ => Forces::None,
    };
    let mut kinetic: Vec<String> = names
        .iter()
        .map(|x| format!("{}*{x}'^2", dice.strong().abs()))
        .collect();
    if matches!(forces, Forces::Gyroscopic | Forces::Both) {
        let w = dice.strong();
        kinetic.push(format!("({w})*({0}*{1}' - {1}*{0}')", names[0], names[1]));
    }
    if matches!(forces, Forces::Damped | Forces::Both) {
        forces_text.push_str("forces:\n");
        for x in &names {
            let _ = writeln!(forces_text, "  {x}: \"-{}*{x}'\"", dice.strong().abs());
        }
    }
    let mut potential = format!("{base}{extra}");
    if pole {
        // a pole in the box whose strength vanishes with all of the base: kept apart by a factor
        let _ = write!(
            potential,
            " + 0.001*({base})^2/({} - ({}) - 0.011)",
            names[0], point[0]
        );
    }
    let held = if m > 0 {
        format!("constraints:\n{constraints}")
    } else {
        String::new()
    };
    let start: Vec<String> = names
        .iter()
        .zip(&point)
        .map(|(x, v)| format!("{x}: {v}"))
        .collect();
    let text = format!(
        "coordinates: [{}]\ndefine:\n{define}lagrangian: \"{} - ({potential})\"\n{forces_text}{held}start: {{{}}}\n",
        names.join(", "),
        kinetic.join(" + "),
        start.join(", ")
    );
    Planted {
        text,
        point,
        nature,
        regular: flat == 0,
        forces,
        odd: down % 2 == 1,
        pole,
        family,
    }
}

#[derive(Default, Debug)]
struct Tally {
    systems: usize,
    regular: usize,
    regular_open: usize,
    flat: usize,
    flat_open: usize,
    missed: usize,
    complete: usize,
    poles: usize,
    /// what is not decided, by kind
    open: BTreeMap<String, usize>,
    /// time taken, regular and flat
    spent: [std::time::Duration; 2],
}

/// What is wrong with what is said of the planted point, if anything.
fn judge(planted: &Planted, e: &Equilibrium) -> Option<String> {
    let (kind, stability) = (e.verdict.kind(), e.verdict.stability);
    let kind_is_right = match planted.nature {
        Nature::Minimum => matches!(kind, Kind::Minimum | Kind::Degenerate),
        Nature::Maximum => matches!(kind, Kind::Maximum | Kind::Degenerate),
        Nature::Neither => matches!(kind, Kind::Saddle | Kind::Degenerate),
        Nature::Family => kind == Kind::Degenerate,
    };
    if !kind_is_right {
        return Some(format!("it is {:?}, and told {kind:?}", planted.nature));
    }
    let stability_is_right = match planted.nature {
        Nature::Minimum => !stability.is_unstable(),
        // gyroscopic forces alone may hold an even number: that is not told stable
        Nature::Family | Nature::Maximum | Nature::Neither => !stability.is_stable(),
    };
    if !stability_is_right {
        return Some(format!(
            "it is {:?}, and told {stability:?}",
            planted.nature
        ));
    }
    if planted.regular && e.verdict.signature()[1] > 0 && e.verdict.form.flat() > 0 {
        return Some("it is regular, and told flat".to_owned());
    }
    if !planted.family && e.of_a_family() {
        return Some("it stands alone, and is told one of a family".to_owned());
    }
    if stability.is_unstable()
        && planted.forces == Forces::Gyroscopic
        && !planted.odd
        && planted.regular
    {
        // by numbers from the same matrices: some exponent grows
        let grows = e
            .verdict
            .exponents
            .as_ref()
            .is_none_or(|list| list.iter().any(|(re, _)| *re > 1e-9));
        if !grows {
            return Some("gyroscopic forces hold it, and it is told unstable".to_owned());
        }
    }
    None
}

/// Is a regular point undecided that theorems decide?
fn is_open(planted: &Planted, e: &Equilibrium) -> bool {
    match e.verdict.stability {
        Stability::Degenerate(Reason::Gyroscopic) => false,
        // exponents that nearly meet are no fault of the second variation
        Stability::Degenerate(Reason::Exponents) => planted.nature == Nature::Minimum,
        Stability::Degenerate(_) => true,
        _ => e.verdict.kind() == Kind::Degenerate,
    }
}

fn try_one(seed: u64, tally: &mut Tally) -> Result<(), String> {
    let planted = planted(seed);
    let system = System::parse(&planted.text, "planted.yaml", &[])
        .map_err(|e| format!("{seed}: {e:?}\n{}", planted.text))?;
    let model = Model::new(system);
    let reach = 0.02;
    let region = planted
        .point
        .iter()
        .enumerate()
        .map(|(k, p)| (k, (p - reach, p + 0.9 * reach)))
        .collect();
    let all = model.equilibria(&Where {
        region,
        ..Where::default()
    });
    tally.systems += 1;
    tally.poles += usize::from(planted.pole);
    tally.complete += usize::from(all.complete());
    let near = |e: &&Equilibrium| {
        let apart = e.x.iter().zip(&planted.point).map(|(a, b)| (a - b).abs());
        apart.fold(0.0, f64::max) < 1e-7
    };
    let says = |what: &str| Err(format!("seed {seed}: {what}\n{}", planted.text));
    let here: Vec<&Equilibrium> = all.list.iter().filter(near).collect();
    if planted.regular {
        tally.regular += 1;
    } else {
        tally.flat += 1;
    }
    if here.is_empty() {
        if all.complete() {
            return says("proven to be all, and the planted one is missing");
        }
        tally.missed += 1;
        *tally.open.entry(planted.sort("missed")).or_default() += 1;
        if planted.regular {
            tally.regular_open += 1;
        } else {
            tally.flat_open += 1;
        }
    }
    for e in &here {
        if let Some(what) = judge(&planted, e) {
            return says(&what);
        }
    }
    if let Some(e) = here.first() {
        let open = is_open(&planted, e);
        if open && planted.nature != Nature::Family {
            let reason = match e.verdict.stability {
                Stability::Degenerate(reason) => reason.name(),
                _ => "kind",
            };
            *tally.open.entry(planted.sort(reason)).or_default() += 1;
        }
        if planted.regular {
            tally.regular_open += usize::from(open);
        } else {
            tally.flat_open += usize::from(open && planted.nature != Nature::Family);
        }
    }
    // nothing certified lies on the pole
    for e in &all.list {
        if planted.pole && (e.x[0] - planted.point[0] - 0.011).abs() < 1e-9 {
            return says("an equilibrium on a pole");
        }
    }
    Ok(())
}

/// After as many systems a part of a campaign says what it has.
const TALLIED: usize = 500;

fn campaign(from: u64, count: u64, threads: u64) -> Tally {
    let parts: Vec<(Tally, Vec<String>)> = std::thread::scope(|scope| {
        let run = |part: u64| {
            move || {
                let (mut tally, mut wrong) = (Tally::default(), Vec::new());
                for seed in (from + part..from + count).step_by(threads as usize) {
                    let start = std::time::Instant::now();
                    let flat = tally.flat;
                    let tried = try_one(seed, &mut tally);
                    tally.spent[tally.flat - flat] += start.elapsed();
                    if let Err(what) = tried {
                        eprintln!("{what}");
                        wrong.push(what);
                    }
                    if tally.systems % TALLIED == 0 {
                        eprintln!("part {part}, up to {seed}: {tally:?}");
                    }
                }
                (tally, wrong)
            }
        };
        let running: Vec<_> = (0..threads).map(|part| scope.spawn(run(part))).collect();
        running.into_iter().map(|t| t.join().unwrap()).collect()
    });
    let mut whole = Tally::default();
    let mut wrong = Vec::new();
    for (t, w) in parts {
        whole.systems += t.systems;
        whole.regular += t.regular;
        whole.regular_open += t.regular_open;
        whole.flat += t.flat;
        whole.flat_open += t.flat_open;
        whole.missed += t.missed;
        whole.complete += t.complete;
        whole.poles += t.poles;
        for (whole, own) in whole.spent.iter_mut().zip(t.spent) {
            *whole += own;
        }
        for (sort, count) in t.open {
            *whole.open.entry(sort).or_default() += count;
        }
        wrong.extend(w);
    }
    eprintln!("{whole:#?}");
    assert!(
        wrong.is_empty(),
        "{} false words: {}",
        wrong.len(),
        wrong[0]
    );
    whole
}

#[test]
fn no_word_is_false_of_planted_equilibria() {
    let tally = campaign(1, 12, 1);
    assert!(
        tally.regular_open * 50 <= tally.regular.max(50),
        "{tally:?}"
    );
}

#[test]
fn what_rounding_leaves_of_a_zero_spoils_no_proof() {
    // slopes of 1e-17 beside others of about 1 at the planted point
    let tally = campaign(88_000_045, 4, 1);
    assert!(tally.regular > 1 && tally.regular_open == 0, "{tally:?}");
}

#[test]
#[ignore = "thousands of systems: HOLONOM_SEED, HOLONOM_COUNT and HOLONOM_THREADS choose them"]
fn no_word_is_false_of_thousands_of_planted_equilibria() {
    let number = |name: &str, usual: u64| {
        std::env::var(name)
            .ok()
            .and_then(|v| v.parse().ok())
            .unwrap_or(usual)
    };
    let tally = campaign(
        number("HOLONOM_SEED", 100_000),
        number("HOLONOM_COUNT", 20_000),
        number("HOLONOM_THREADS", 1),
    );
    assert!(
        tally.regular_open * 50 <= tally.regular.max(50),
        "{tally:?}"
    );
}
