//! The built-in systems, each by everything the program does, and what is known of each from elsewhere.

#![allow(clippy::unwrap_used, clippy::panic)]

use holonom::analysis::{Model, Overrides, Request, Unjudged};
use holonom::solver::{FlagKind, Method};
use holonom::system::{Claim, Expectation, Known, System, builtin};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Fewest facts that a system must come with.
const FACTS: usize = 3;

/// What a fact must notice: a hundredth, either way.
const WRONG: [f64; 2] = [0.99, 1.01];

/// Systems whose inverse functions are known by Newton's method only.
const NUMERIC: [&str; 1] = ["andrews"];

/// Systems whose inverse functions are closed, but so long that the equations in the independent coordinates alone
/// are written without the dependent accelerations only.
const LONG: [&str; 2] = ["catenary", "four_bar"];

static GO: AtomicBool = AtomicBool::new(false);

/// Name and text of each file of `systems/`.
fn files() -> BTreeMap<String, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("systems");
    let files = std::fs::read_dir(folder).unwrap();
    files
        .map(|entry| {
            let path = entry.unwrap().path();
            assert!(
                path.extension().is_some_and(|e| e == "yaml"),
                "{}",
                path.display()
            );
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            (name, std::fs::read_to_string(path).unwrap())
        })
        .collect()
}

fn model(name: &str, text: &str) -> Model {
    let system = System::parse(text, name, &[]);
    Model::new(system.unwrap_or_else(|errors| panic!("{}", errors[0])))
}

fn models() -> Vec<(String, Model)> {
    let files = files().into_iter();
    files
        .map(|(name, text)| {
            let model = model(&name, &text);
            (name, model)
        })
        .collect()
}

#[test]
fn the_built_in_systems_are_the_files_of_the_folder() {
    let held: BTreeMap<String, String> = builtin()
        .iter()
        .map(|known| (known.name.to_owned(), known.text.to_owned()))
        .collect();
    assert_eq!(held.len(), builtin().len(), "a name twice");
    assert_eq!(held, files());
    let first: Vec<&str> = builtin().iter().take(3).map(|known| known.name).collect();
    assert_eq!(
        first,
        ["bead_on_parabola", "rotating_rod", "product_and_sum"]
    );
}

#[test]
fn each_tells_the_reader_what_it_is() {
    for (name, model) in models() {
        let system = &model.system;
        assert!(system.source.is_some() && system.about.is_some(), "{name}");
        if system.objective {
            // nothing moves: no plots, no picture
            assert!(!system.constraints.is_empty(), "{name}");
            continue;
        }
        assert!(system.picture.is_some(), "{name}");
        let plots = system.plots.len();
        assert!((2..=3).contains(&plots), "{name}: {plots} plots");
        let bound = system.constraints.len() + system.velocity_constraints.len();
        assert!(bound > 0, "{name}");
    }
}

#[test]
fn each_is_checked_and_derived() {
    for (name, model) in models() {
        let site = model.site(&Overrides::default()).unwrap();
        let check = model.check(site, None, &[]);
        assert!(
            check.verdict.holds(),
            "{name}: the start is no place to fail"
        );
        assert_eq!(
            check.verdict.rank(),
            Some(model.system.constraints.len()),
            "{name}"
        );
        let largest = check.residuals.iter().fold(0.0, |m: f64, r| m.max(r.abs()));
        assert!(largest < 1e-12, "{name}: off the constraints by {largest}");
        let derived = model.derive(None);
        assert_eq!(derived.standard.len(), model.system.coordinates.len());
        let name = name.as_str();
        let closed = !derived.inverse.branches().is_empty() || check.verdict.dependent.is_empty();
        assert_eq!(closed, !NUMERIC.contains(&name), "{name}");
        let written = derived.in_branches.is_some();
        assert_eq!(written, closed && !LONG.contains(&name), "{name}");
        // then at least without the dependent accelerations
        assert!(written || derived.eliminated.is_some() || !closed, "{name}");
    }
}

#[test]
fn every_method_comes_to_the_end_and_they_agree() {
    for (name, model) in models() {
        if model.system.objective {
            continue;
        }
        let compared = model.compare(&Request::default(), &GO).unwrap();
        assert_eq!(compared.methods, Method::ALL);
        for motion in &compared.motions {
            assert!(motion.finished, "{name}: {:?}", motion.because);
            let chart = motion.flags.iter().all(|flag| flag.kind == FlagKind::Chart);
            assert!(chart, "{name}: a rank failure on the way");
        }
        assert!(compared.agree && !compared.chaotic, "{name}");
        let off = (compared.until - model.system.run.until).abs();
        assert!(off < 1e-12, "{name}: compared up to {}", compared.until);
    }
}

/// The kinds of claim, for a message.
fn kind(expectation: &Expectation) -> &'static str {
    match &expectation.claim {
        Claim::Identity { .. } => "identity",
        Claim::Constant(_) => "constant",
        Claim::Value { .. } => "value",
        Claim::Equilibrium(_) => "at rest",
        Claim::Count(_) => "number",
    }
}

#[test]
fn what_is_known_holds_and_what_is_a_hundredth_off_does_not() {
    for (name, model) in models() {
        let facts = &model.system.expectations;
        assert!(facts.len() >= FACTS, "{name}: {} facts", facts.len());
        let evidence = model.evidence(&GO).unwrap();
        for fact in facts {
            let what = format!("{name}: {} `{}`", kind(fact), fact.text);
            let right = model.judge(&evidence, fact, 1.0, &GO).unwrap();
            let (off, because) = (right.difference, &right.because);
            assert!(right.holds, "{what} is off by {off}: {because:?}");
            assert_eq!(right.values.is_some(), !is_place(fact), "{what}");
            for factor in WRONG {
                // what is at the origin is there whatever it is multiplied by: its kind is what is known
                if is_place(fact) && is_at_zero(fact) {
                    continue;
                }
                let wrong = model.judge(&evidence, fact, factor, &GO).unwrap();
                assert!(!wrong.holds, "{what} holds with {factor} too");
                assert!(wrong.because.is_none(), "{what}: {:?}", wrong.because);
            }
        }
    }
}

/// Is it about coordinates of an equilibrium, and nothing else there?
fn is_place(fact: &Expectation) -> bool {
    matches!(&fact.claim, Claim::Equilibrium(rest) if matches!(rest.known, Known::Place))
}

fn is_at_zero(fact: &Expectation) -> bool {
    matches!(&fact.claim, Claim::Equilibrium(rest) if rest.place.iter().all(|(_, v)| *v == 0.0))
}

/// A stability that is not that of the equilibrium, an equilibrium that is none, one too many.
#[test]
fn wrong_words_about_equilibria_do_not_hold() {
    let pendulum = files().remove("pendulum").unwrap();
    for (right, wrong) in [
        ("stability: stable", "stability: unstable"),
        ("stability: unstable}", "stability: unstable, kind: saddle}"),
        ("value: -2*lambda_rod*l, is: m*g", "value: R_x, is: m*g"),
        ("equilibria: 2", "equilibria: 3"),
        ("{x: 0, y: -l}", "{x: l, y: 0}"),
        ("[sqrt(g/l)]", "[sqrt(g/l), sqrt(g/l)]"),
    ] {
        assert!(pendulum.contains(right), "{right}");
        let changed = model("pendulum", &pendulum.replace(right, wrong));
        let failed = changed.verify(&GO).unwrap();
        let failed = failed.iter().filter(|finding| !finding.holds).count();
        assert_eq!(failed, 1, "{wrong}");
    }
}

/// Nothing is known by its size beside what else acts.
#[test]
fn a_value_may_be_expected_to_be_zero() {
    let pendulum = files().remove("pendulum").unwrap();
    let text = pendulum.replace("value: -2*lambda_rod*l, is: m*g", "value: R_x, is: 0");
    assert_ne!(text, pendulum);
    let findings = model("pendulum", &text).verify(&GO).unwrap();
    assert!(findings.iter().all(|finding| finding.holds));
}

/// What is proven to be otherwise fails; what was only not found, or is one of some next to each other, is open.
#[test]
fn a_value_known_to_be_zero_is_so_in_parts_of_what_it_is_elsewhere() {
    let text = "coordinates: [x]\nlagrangian: x'^2/2 - x^2/2\nstart: {x: 1}\nrun: {until: 10}\nexpect:\n\
        - {fact: a, source: s, value: x, is: 0, at: pi/2}\n- {fact: b, source: s, value: x, is: cos(t), at: pi/2}\n\
        - {fact: c, source: s, value: x, is: 0, when: x = 0}\n- {fact: d, source: s, value: x, is: 0, at: 1.5708}\n";
    let findings = model("oscillator", text).verify(&GO).unwrap();
    let holds: Vec<bool> = findings.iter().map(|f| f.holds).collect();
    assert_eq!(holds, [true, true, true, false]);
    // a small value is no zero, and what grows later is no measure
    let text = "coordinates: [x]\nlagrangian: x'^2/2 - x\nstart: {x: 0}\nrun: {until: 1000}\nexpect:\n\
        - {fact: a, source: s, value: x, is: 0, at: 0.3}\n- {fact: b, source: s, value: x', is: -5e-10, at: 1e-10}\n";
    let findings = model("stone", text).verify(&GO).unwrap();
    assert!(findings.iter().all(|finding| !finding.holds));
}

/// Where terms cancel to nothing, what is left of them is rounding: it said FAILS, off by all of it.
#[test]
fn what_cancels_to_zero_is_held_against_its_terms() {
    let told = |text: &str| {
        let findings = model("cancels", text).verify(&GO).unwrap();
        let told = findings.iter().map(|f| (f.holds, f.is_open()));
        told.collect::<Vec<_>>()
    };
    let (holds, fails, open) = ((true, false), (false, false), (false, true));
    let spherical = "coordinates: [x, y, z]\nlagrangian: 1/2*(x'^2 + y'^2 + z'^2) - 9.81*z\n\
        constraints: {rod: x^2 + y^2 + z^2 = 1}\nstart: {x: 0.3, y: 0.4, x': 0, y': 0}\nguess: {z: -1}\n\
        run: {until: 5}\nexpect:\n\
        - constant: x*y' - y*x'\n- constant: x*y'\n- constant: x*y' - 1.001*y*x'\n\
        - identity: x*y' - y*x' = 0\n- identity: 0 = x*y' - y*x'\n- identity: x*y' - 1.001*y*x' = 0\n\
        - {value: x*y' - y*x', is: 0, at: 3}\n- {value: x*y' - 1.001*y*x', is: 0, at: 3}\n\
        - constant: x^2 + y^2 + z^2 - 1\n- constant: x^2 + y^2 + z^2 - x\n\
        - identity: R_x*y - R_y*x = 0\n- identity: R_x*y - 1.001*R_y*x = 0\n\
        - identity: lambda_rod = 0\n- identity: sin(atan2(y, x) - atan2(4, 3)) = 0\n";
    let known = told(spherical);
    assert_eq!(
        known,
        [
            holds, fails, fails, holds, holds, fails, holds, fails, holds, fails, holds, fails,
            fails, open
        ]
    );
    let pendulum = "coordinates: [x, y]\nlagrangian: 1/2*(x'^2 + y'^2) - 9.81*y\n\
        constraints: {rod: x^2 + y^2 = 1}\nstart: {x: 0.6, x': 0}\nguess: {y: -1}\nrun: {until: 5}\nexpect:\n\
        - constant: energy + 7.848\n- constant: energy + 7.848 + 1e-4*x\n- constant: energy + 7.84800001\n\
        - {value: x, is: 0, when: \"x' < 0\"}\n";
    assert_eq!(told(pendulum), [holds, fails, open, fails]);
    let carts = "coordinates: [x1, x2]\nparameters: {m1: 1, m2: 3}\n\
        lagrangian: 1/2*(m1*x1'^2 + m2*x2'^2) - 1/2*(x2 - x1 - 1)^2\nstart: {x1: 0, x2: 1.4}\nrun: {until: 5}\n\
        expect:\n- constant: m1*x1' + m2*x2'\n- constant: m1*x1 + m2*x2 - 4.2\n- constant: x1' + x2'\n";
    assert_eq!(told(carts), [holds, holds, fails]);
}

#[test]
fn what_is_refuted_of_equilibria_is_told_from_what_is_open() {
    let text = "coordinates: [th]\nlagrangian: 1/2*th'^2 + cos(th)\nexpect:\n\
         - {fact: aside, equilibrium: {th: 1}}\n\
         - {fact: below, equilibrium: {th: 0}, stability: unstable}\n\
         - {fact: above, equilibrium: {th: pi}, kind: minimum}\n\
         - {fact: above, equilibrium: {th: pi}, kind: maximum}\n\
         - {fact: three, equilibria: 3}\n";
    let told = |text: &str| {
        let findings = model("refuted", text).verify(&GO).unwrap();
        let told = findings.iter().map(|finding| {
            let why = finding.because.as_ref().map(Unjudged::name);
            (finding.holds, finding.is_open(), why)
        });
        told.collect::<Vec<_>>()
    };
    assert_eq!(
        told(text),
        [
            (false, false, Some("proven_to_be_none")),
            (false, false, Some("proven_to_be_another_kind")),
            (false, false, Some("proven_to_be_another_kind")),
            (true, false, None),
            (false, false, None),
        ]
    );
    // two next to each other, one stable and one not; and a family, of which one place is listed
    let near = "coordinates: [x]\nlagrangian: 1/2*x'^2 - (x^3/3 - 1e-6*x)\nexpect:\n\
         - {fact: one, equilibrium: {x: 0}, stability: unstable}\n";
    assert!(told(near)[0].1, "{:?}", told(near));
    let family = "coordinates: [x, y]\nlagrangian: 1/2*(x'^2 + y'^2) - x^2\nexpect:\n\
         - {fact: along, equilibrium: {x: 0, y: 3}}\n";
    assert!(told(family)[0].1 || told(family)[0].0, "{:?}", told(family));
}

/// The facts are about this system: with a push on its first coordinate of which they know nothing, one
/// at least fails.
#[test]
fn the_facts_notice_a_force_that_should_not_be_there() {
    for (name, text) in files() {
        let first = &model(&name, &text).system.coordinates[0].name;
        let own = format!("\nforces: {{{first}: ");
        let pushed = if text.contains("\nobjective: ") {
            text.replacen("\nobjective: ", &format!("\nobjective: 0.3*{first} + "), 1)
        } else if text.contains(&own) {
            text.replacen(&own, &format!("{own}0.3 + "), 1)
        } else {
            format!("{text}forces: {{{first}: 0.3}}\n")
        };
        let pushed = model(&name, &pushed);
        let findings = pushed.verify(&GO).unwrap();
        assert!(findings.iter().any(|finding| !finding.holds), "{name}");
    }
}

/// Lines of text that an answer about one system may have at most.
const LINES: usize = 260;

/// By every command, as a user would: none ends in an error, none says something that is no number, none drowns the
/// reader; and where there is no motion those that need one say so.
#[test]
fn every_command_takes_every_system() {
    let commands: [&[&str]; 10] = [
        &["check"],
        &["inverse"],
        &["derive"],
        &["simulate", "--samples", "5"],
        &["compare"],
        &["equilibria"],
        &["atlas"],
        &["map"],
        &["plot"],
        &["verify"],
    ];
    for (name, text) in files() {
        let objective = text.contains("\nobjective: ");
        for command in commands {
            let output = assert_cmd::Command::cargo_bin("holonom")
                .unwrap()
                .arg(command[0])
                .arg(&name)
                .args(&command[1..])
                .timeout(std::time::Duration::from_secs(60))
                .output()
                .unwrap();
            let out = String::from_utf8(output.stdout).unwrap();
            let err = String::from_utf8(output.stderr).unwrap();
            let what = format!("{} {name}", command[0]);
            if objective && ["simulate", "compare", "plot"].contains(&command[0]) {
                assert_eq!(output.status.code(), Some(2), "{what}: {out}");
                assert!(err.contains("no motion"), "{what}: {err}");
                continue;
            }
            assert_eq!(output.status.code(), Some(0), "{what}: {err}");
            assert!(!out.trim().is_empty(), "{what}");
            let lines = out.lines().count();
            assert!(lines <= LINES, "{what}: {lines} lines");
            let words = out.split(|c: char| !c.is_alphanumeric());
            assert!(
                words.into_iter().all(|w| w != "NaN" && w != "inf"),
                "{what}"
            );
        }
    }
}
