//! Systems of which the code knows nothing, run through check, derive, simulate and compare by the
//! program itself. What it says is held against identities and roots that are found here.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use assert_cmd::Command;
use serde_json::{Value, json};

/// What the methods may differ by, and flags by from roots, relative to the size of what is compared.
const AGREE: f64 = 1e-7;

fn file(name: &str) -> String {
    format!("{}/tests/systems/{name}.yaml", env!("CARGO_MANIFEST_DIR"))
}

/// Runs a command with `--json` on a system; its exit code must be this one.
fn json(code: i32, command: &str, name: &str, options: &[&str]) -> Value {
    let output = Command::cargo_bin("holonom")
        .unwrap()
        .arg(command)
        .arg(file(name))
        .args(options)
        .arg("--json")
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        output.status.code(),
        Some(code),
        "{command} {name}: {stderr}"
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

fn strings(value: &Value) -> Vec<String> {
    let list = value.as_array().unwrap().iter();
    list.map(|v| v.as_str().unwrap().to_owned()).collect()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

/// Columns of a motion as lists; expressions are columns too.
fn columns(name: &str, list: &[&str], options: &[&str]) -> Vec<Vec<f64>> {
    let list = list.join(",");
    let mut all = vec!["--columns", &list];
    all.extend(options);
    let motion = json(0, "simulate", name, &all);
    let rows = motion["rows"].as_array().unwrap();
    let count = rows[0].as_array().unwrap().len();
    (0..count)
        .map(|c| rows.iter().map(|row| number(&row[c])).collect())
        .collect()
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m: f64, v| m.max(v.abs()))
}

/// Simpson's rule, at every second sample: the integral from the first.
fn integrals(h: f64, y: &[f64]) -> Vec<f64> {
    let mut total = 0.0;
    let mut list = vec![0.0];
    for part in y.windows(3).step_by(2) {
        total += h / 3.0 * (part[0] + 4.0 * part[1] + part[2]);
        list.push(total);
    }
    list
}

/// Zeros of `formula` along a motion: sign changes between samples, then bisection on the quintic
/// through x, x', x'' at both.
fn roots(name: &str, coordinates: &[&str], formula: fn(&[f64]) -> f64) -> Vec<f64> {
    let mut wanted = vec!["t".to_owned()];
    for primes in ["", "'", "''"] {
        wanted.extend(coordinates.iter().map(|x| format!("{x}{primes}")));
    }
    let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
    let table = columns(name, &wanted, &["--samples", "2000"]);
    let n = coordinates.len();
    let t = &table[0];
    let place = |i: usize, s: f64| -> Vec<f64> {
        let h = t[i + 1] - t[i];
        (0..n)
            .map(|k| {
                let (x, v, a) = (&table[1 + k], &table[1 + n + k], &table[1 + 2 * n + k]);
                let (p, q) = (i, i + 1);
                let (c0, c1, c2) = (x[p], v[p] * h, a[p] * h * h / 2.0);
                let d0 = x[q] - c0 - c1 - c2;
                let d1 = v[q] * h - c1 - 2.0 * c2;
                let d2 = a[q] * h * h - 2.0 * c2;
                let c3 = 10.0 * d0 - 4.0 * d1 + d2 / 2.0;
                let c4 = -15.0 * d0 + 7.0 * d1 - d2;
                let c5 = 6.0 * d0 - 3.0 * d1 + d2 / 2.0;
                c0 + s * (c1 + s * (c2 + s * (c3 + s * (c4 + s * c5))))
            })
            .collect()
    };
    let mut found = Vec::new();
    for i in 0..t.len() - 1 {
        let at = |s: f64| formula(&place(i, s));
        let (mut lo, mut hi) = (0.0, 1.0);
        let left = at(lo);
        if left * at(hi) > 0.0 {
            continue;
        }
        for _ in 0..60 {
            let middle = 0.5 * (lo + hi);
            if left * at(middle) > 0.0 {
                lo = middle;
            } else {
                hi = middle;
            }
        }
        found.push(t[i] + lo * (t[i + 1] - t[i]));
    }
    found
}

/// Do the flags of a motion stand exactly at these times?
fn flags_at(name: &str, times: &[f64]) {
    let motion = json(0, "simulate", name, &[]);
    let flags = motion["flags"].as_array().unwrap();
    let shown: Vec<f64> = flags.iter().map(|f| number(&f["t"])).collect();
    assert_eq!(
        shown.len(),
        times.len(),
        "{name}: {shown:?}, wanted {times:?}"
    );
    for (flag, time) in flags.iter().zip(times) {
        assert_eq!(flag["kind"], "chart", "{name}");
        let t = number(&flag["t"]);
        assert!(
            (t - time).abs() < AGREE * time.abs().max(1.0),
            "{name}: {t} for {time}"
        );
        assert!(flag["to"].is_array(), "{name}: nothing carries on at {t}");
    }
}

/// Every method, each difference below [`AGREE`], and allowed to be no more.
fn methods_agree(name: &str) {
    let compared = json(0, "compare", name, &[]);
    assert_eq!(compared["agree"], true, "{name}");
    assert_eq!(
        strings(&compared["methods"]),
        ["inverse", "multipliers", "tangents"]
    );
    let end = number(&json(0, "simulate", name, &["--samples", "1"])["rows"][1][0]);
    assert!((number(&compared["until"]) - end).abs() < 1e-12, "{name}");
    let motion = json(0, "simulate", name, &[]);
    let names = strings(&motion["columns"]);
    for difference in compared["differences"].as_array().unwrap() {
        let column = difference["column"].as_str().unwrap();
        let place = names.iter().position(|c| c == column).unwrap();
        let rows = motion["rows"].as_array().unwrap().iter();
        let size = largest(&rows.map(|row| number(&row[place])).collect::<Vec<_>>()).max(1.0);
        for key in ["max", "tolerance"] {
            let value = number(&difference[key]);
            assert!(value < AGREE * size, "{name}: {column}: {key} {value}");
        }
    }
    let residual = names.iter().position(|c| c == "residual").unwrap();
    let rows = motion["rows"].as_array().unwrap();
    assert!(rows.iter().all(|row| number(&row[residual]) < 1e-12));
}

/// The equations of `derive` put into `simulate` as columns: they vanish along the motion, and the
/// multipliers are those of the motion, wherever the determinant is far from zero.
fn equations_hold(name: &str) {
    let derived = json(0, "derive", name, &[]);
    let mut list = vec!["det".to_owned()];
    list.extend(strings(&derived["standard"]));
    let standard = list.len();
    for equation in derived["reduced"].as_object().unwrap().values() {
        list.push(equation.as_str().unwrap().to_owned());
    }
    if let Some(multipliers) = derived["multipliers"].as_object() {
        for (constraint, e) in multipliers {
            list.push(format!("lambda_{constraint} - ({})", e.as_str().unwrap()));
        }
    }
    let list: Vec<&str> = list.iter().map(String::as_str).collect();
    let table = columns(name, &list, &[]);
    let far = 0.2 * largest(&table[0]);
    let mut looked_at = 0;
    for (place, column) in table.iter().enumerate().skip(1) {
        for (value, det) in column.iter().zip(&table[0]) {
            if place < standard || det.abs() > far {
                assert!(value.abs() < AGREE, "{name}: {} = {value}", list[place]);
                looked_at += 1;
            }
        }
    }
    assert!(looked_at > 100, "{name}: {looked_at}");
}

/// dH/dt = `power`, integrated along samples near enough for Simpson's rule.
fn energy_balances(name: &str, power: &str) {
    let table = columns(name, &["t", "energy", power], &["--samples", "8000"]);
    let h = table[0][1] - table[0][0];
    let work = integrals(h, &table[2]);
    let size = largest(&table[1]).max(1.0);
    for (i, work) in work.iter().enumerate() {
        let gained = table[1][2 * i] - table[1][0];
        assert!(
            (gained - work).abs() < AGREE * size,
            "{name}: {gained} for {work} at {i}"
        );
    }
}

fn holds(name: &str, dependent: &[&str]) -> Value {
    let check = json(0, "check", name, &[]);
    assert_eq!(check["verdict"], "holds");
    assert_eq!(check["failure"], Value::Null);
    assert_eq!(strings(&check["dependent"]), dependent);
    check
}

#[test]
fn a_pendulum_on_a_cart() {
    let name = "pendulum_on_cart";
    let check = holds(name, &["x"]);
    assert_eq!(strings(&check["determinant"]["factors"]), ["s - x"]);
    methods_agree(name);
    equations_hold(name);
    energy_balances(name, "0*t");
    // nothing pushes along the line: momentum is conserved, from 0
    let momentum = columns(name, &["M*s' + m*x'", "R_s + R_x"], &[]);
    assert!(momentum.iter().all(|column| largest(column) < AGREE));
    let times = roots(name, &["s", "x"], |x| x[0] - x[1]);
    assert!(times.len() > 3);
    flags_at(name, &times);
}

#[test]
fn a_rod_on_two_crossing_wires_passes_a_fold() {
    let name = "rod_on_wires";
    let check = holds(name, &["b"]);
    let points = check["singular_set"][0]["on_constraints"]
        .as_array()
        .unwrap();
    assert_eq!(points.len(), 2);
    assert!(
        points
            .iter()
            .all(|p| (number(&p["a"]).abs() - 2.0).abs() < 1e-9)
    );
    methods_agree(name);
    equations_hold(name);
    energy_balances(name, "0*t");
    let times = roots(name, &["a", "b"], |x| x[1]);
    assert!(times.len() > 2);
    flags_at(name, &times);
    // a = l cos(th), b = l sin(th) turns it into th'' = -3 g/(2 l) cos(th)
    let (l, g) = (2.0, 9.81);
    let rate = |y: [f64; 2]| [y[1], -1.5 * g / l * y[0].cos()];
    let mut y = [1.6_f64.atan2(1.2), -3.75 / l];
    let (steps, h) = (40_000, 1e-4);
    let table = columns(name, &["a", "b"], &[]);
    for step in 0..=steps {
        if step % 100 == 0 {
            let (a, b) = (table[0][step / 100], table[1][step / 100]);
            let off = (a - l * y[0].cos()).abs().max((b - l * y[0].sin()).abs());
            assert!(off < AGREE, "{off} at step {step}");
        }
        let add = |k: [f64; 2], s: f64| [y[0] + s * k[0], y[1] + s * k[1]];
        let k1 = rate(y);
        let k2 = rate(add(k1, h / 2.0));
        let k3 = rate(add(k2, h / 2.0));
        let k4 = rate(add(k3, h));
        for i in 0..2 {
            y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
    }
}

#[test]
fn a_particle_on_a_torus() {
    let name = "torus";
    holds(name, &["z"]);
    methods_agree(name);
    equations_hold(name);
    energy_balances(name, "0*t");
    // symmetric about the axis: so is the motion's angular momentum
    let spin = columns(name, &["m*(x*y' - y*x') - 6"], &[]);
    assert!(largest(&spin[0]) < AGREE);
    let times = roots(name, &["z"], |x| x[0]);
    assert!(times.len() > 2);
    flags_at(name, &times);
}

#[test]
fn a_bead_on_a_moving_wire() {
    let name = "moving_wire";
    let check = holds(name, &["x1"]);
    assert_eq!(check["inverse"]["kind"], "closed");
    methods_agree(name);
    equations_hold(name);
    // f_t = -cos(t): the wire's force does work
    energy_balances(name, "lambda_wire*cos(t)");
    let times = roots(name, &["x1"], |x| x[0]);
    assert!(times.len() > 3);
    flags_at(name, &times);
}

#[test]
fn a_constraint_given_twice_is_named_as_redundant() {
    let name = "doubled_constraint";
    let check = json(1, "check", name, &[]);
    assert_eq!(check["verdict"], "fails");
    assert_eq!(check["failure"]["kind"], "rank");
    assert_eq!(check["jacobian"]["rank"], 1);
    assert_eq!(check["singular_set"][0]["equation"], "0 = 0");
    let because = check["failure"]["because"].as_str().unwrap();
    let redundant = "the constraint `again` is redundant: grad again = 2 grad wire";
    assert!(because.contains(redundant), "{because}");
    let motion = json(0, "simulate", name, &[]);
    assert_eq!(motion["finished"], true);
    assert_eq!(motion["flags"][0]["kind"], "rank");
    let (derived, rest) = (
        json(0, "derive", name, &[]),
        json(0, "equilibria", name, &[]),
    );
    for answer in [&derived, &motion, &rest] {
        let notes = strings(&answer["notes"]).concat();
        assert!(notes.contains(redundant), "{notes}");
    }
    methods_agree(name);
    energy_balances(name, "0*t");
    // of all multipliers that give the force, those of least norm: in the ratio of the gradients
    let table = columns(
        name,
        &["lambda_again - 2*lambda_wire", "R_x2 - 5*lambda_wire"],
        &[],
    );
    assert!(table.iter().all(|column| largest(column) < AGREE));
}

#[test]
fn what_follows_from_another_constraint_on_the_set_alone_is_redundant() {
    let name = "dependent_on_the_set";
    assert_eq!(json(1, "check", name, &[])["failure"]["kind"], "rank");
    let derived = json(0, "derive", name, &[]);
    let notes = strings(&derived["notes"]).concat();
    let redundant = "the constraint `again` is redundant: grad again = 2 grad plane";
    assert!(notes.contains(redundant), "{notes}");
    // the inverse functions of both divide by x - y
    assert_eq!(derived["inverse"]["branches"], json!([]));
    assert!(derived["reduced_independent"].is_null());
    assert_eq!(
        derived["reduced"],
        json!({"y": "x'' + y'' + 1", "z": "z'' + 1"})
    );
    methods_agree(name);
}

#[test]
fn a_double_pendulum_in_cartesian_coordinates() {
    let name = "double_pendulum";
    holds(name, &["y1", "x2"]);
    methods_agree(name);
    equations_hold(name);
    energy_balances(name, "0*t");
    let times = roots(name, &["x1", "y1", "x2"], |x| x[1] * (x[2] - x[0]));
    assert!(!times.is_empty());
    flags_at(name, &times);
}

#[test]
fn a_slider_crank_with_friction() {
    let name = "slider_crank";
    let check = holds(name, &["th"]);
    assert_eq!(check["inverse"]["kind"], "closed");
    methods_agree(name);
    equations_hold(name);
    energy_balances(name, "-0.05*th'^2");
    let times = roots(name, &["th"], |x| x[0].sin());
    assert!(times.len() > 3);
    flags_at(name, &times);
}

#[test]
fn a_mechanism_that_is_driven_has_no_freedom() {
    let name = "driven";
    let check = holds(name, &["x", "y"]);
    assert_eq!(check["independent"], Value::Array(Vec::new()));
    methods_agree(name);
    let exact = columns(
        name,
        &[
            "x - r*cos(w*t)",
            "y - r*sin(w*t)",
            "lambda_crank_x + m*r*w^2*cos(w*t)",
            "lambda_crank_y + m*r*w^2*sin(w*t) - m*g",
        ],
        &[],
    );
    assert!(exact.iter().all(|column| largest(column) < AGREE));
    energy_balances(
        name,
        "-lambda_crank_x*r*w*sin(w*t) + lambda_crank_y*r*w*cos(w*t)",
    );
    flags_at(name, &[]);
}

#[test]
fn a_stone_with_no_constraints() {
    let name = "free_particle";
    methods_agree(name);
    energy_balances(name, "0*t");
    let exact = columns(name, &["x - 3*t", "y - 4*t + g*t^2/2", "R_x", "R_y"], &[]);
    assert!(exact.iter().all(|column| largest(column) < AGREE));
    let derived = json(0, "derive", name, &[]);
    assert_eq!(derived["euler_lagrange"]["x"], "m*x''");
    assert_eq!(derived["dependent"], Value::Array(Vec::new()));
}

#[test]
fn a_motion_run_backwards_comes_home() {
    for (name, list) in [
        ("torus", ["x", "y", "z"]),
        ("pendulum_on_cart", ["s", "x", "y"]),
    ] {
        let there = json(0, "simulate", name, &["--until", "1", "--samples", "1"]);
        let value = |column: usize| number(&there["rows"][1][column]);
        let start: Vec<String> = list
            .iter()
            .enumerate()
            .map(|(k, x)| format!("{x}={:?},{x}'={:?}", value(1 + k), value(4 + k)))
            .collect();
        let at = format!("t=1,{}", start.join(","));
        let back = json(
            0,
            "simulate",
            name,
            &["--at", &at, "--until", "0", "--samples", "1"],
        );
        assert_eq!(number(&back["rows"][1][0]), 0.0);
        for column in 1..7 {
            let (home, now) = (
                number(&there["rows"][0][column]),
                number(&back["rows"][1][column]),
            );
            assert!((home - now).abs() < AGREE, "{name}: {now} for {home}");
        }
    }
}

#[test]
fn a_parallelogram_turns_through_its_flat_positions() {
    let name = "parallelogram";
    let exact = [
        "x1 + l*sin(w*t)",
        "y1 - l*cos(w*t)",
        "x2 - d + l*sin(w*t)",
        "y2 - l*cos(w*t)",
        "x1' + w*l*cos(w*t)",
        "x2'' - w^2*l*sin(w*t)",
    ];
    for method in ["inverse", "multipliers", "tangents"] {
        for stiff in ["never", "always"] {
            let stiff = format!("--stiff={stiff}");
            for rtol in ["1e-6", "1e-9", "1e-12"] {
                let options = [
                    "--method", method, &stiff, "--rtol", rtol, "--atol", "1e-14",
                ];
                let table = columns(name, &exact, &options);
                let allowed = 100.0 * rtol.parse::<f64>().unwrap();
                for (column, what) in table.iter().zip(exact) {
                    let off = largest(column);
                    // second derivatives are known less well next to the flat position
                    let most = if what.contains("''") { 1e-3 } else { allowed };
                    assert!(off < most, "{method} {stiff} {rtol}: {what}: {off:e}");
                }
            }
        }
    }
    let motion = json(0, "simulate", name, &[]);
    let flags = motion["flags"].as_array().unwrap();
    let ranks: Vec<f64> = flags
        .iter()
        .filter(|f| f["kind"] == "rank")
        .map(|f| number(&f["t"]))
        .collect();
    assert_eq!(ranks.len(), 8);
    for (k, t) in ranks.iter().enumerate() {
        let flat = std::f64::consts::PI * (k as f64 + 0.5) / 1.3;
        assert!((t - flat).abs() < AGREE, "{t} for {flat}");
    }
    energy_balances(name, "0*t");
}

#[test]
fn a_chart_held_on_to_is_shown_beside_the_motion() {
    let motion = json(0, "simulate", "moving_wire", &["--hold-chart"]);
    assert_eq!(motion["finished"], true);
    let names = strings(&motion["columns"]);
    let place = |name: &str| names.iter().position(|c| c == name).unwrap();
    let rows = motion["rows"].as_array().unwrap();
    let first = number(&motion["flags"][0]["t"]);
    let (x, held) = (place("x1"), place("held_x1"));
    for row in rows.iter().filter(|row| number(&row[0]) < first - 0.1) {
        assert!((number(&row[x]) - number(&row[held])).abs() < 1e-6);
    }
    let last = rows.last().unwrap();
    let off = (number(&last[x]) - number(&last[held])).abs();
    assert!(off > 1e-2 || last[held].is_null(), "{off}");
    assert_eq!(strings(&motion["held"]["dependent"]), ["x1"]);
    let notes = strings(&motion["notes"]).concat();
    assert!(
        notes.contains("held on to") && notes.contains("parts from"),
        "{notes}"
    );
}

#[test]
fn a_motion_into_a_cusp_ends_there_in_every_method() {
    // the arc from (1, 1), at the speed of the start
    let length = (13.0 * 13.0_f64.sqrt() - 8.0) / 27.0;
    let speed = 13.0_f64.sqrt();
    let arrival = length / speed;
    for method in ["inverse", "multipliers", "tangents"] {
        for stiff in ["--stiff=never", "--stiff=always"] {
            let options = [
                "--method",
                method,
                stiff,
                "--columns",
                "t,x'^2+y'^2,y^2-x^3,x",
            ];
            let motion = json(3, "simulate", "cusp", &options);
            assert_eq!(motion["finished"], false);
            let because = motion["because"].as_str().unwrap();
            assert!(because.contains("linearly dependent"), "{because}");
            assert!(because.contains("no choice of dependent coordinates works"));
            let flag = &motion["flags"][0];
            assert_eq!(flag["kind"], "rank");
            let (t, x) = (number(&flag["t"]), number(&flag["point"]["x"]));
            assert!(
                (t - arrival).abs() < 1e-6,
                "{method} {stiff}: {t} for {arrival}"
            );
            assert!((0.0..1e-5).contains(&x), "{method} {stiff}: {x}");
            // what was computed is right
            let rows = motion["rows"].as_array().unwrap();
            assert!(rows.len() > 100);
            for row in rows {
                assert!((number(&row[1]) - 13.0).abs() < 1e-6, "{method}: {row}");
                assert!(number(&row[2]).abs() < 1e-14);
            }
        }
    }
    // at the cusp itself there is nothing to begin with
    let at = ["--at", "x=0,y=0,x'=0,y'=0"];
    let motion = json(3, "simulate", "cusp", &at);
    let because = motion["because"].as_str().unwrap();
    assert!(because.contains("is not determined"), "{because}");
}

#[test]
fn a_slider_crank_of_equal_lengths_passes_its_fold_in_every_method() {
    // (s - cos th)^2 + sin(th)^2 = 1: s = 2 cos th and s = 0 cross at th = pi/2
    let exact = ["s - 2*cos(th)", "s' + 2*sin(th)*th'", "energy"];
    for method in ["inverse", "multipliers", "tangents"] {
        for stiff in ["--stiff=never", "--stiff=always"] {
            let table = columns("equal_crank", &exact, &["--method", method, stiff]);
            assert!(largest(&table[0]) < 1e-8, "{method} {stiff}");
            assert!(largest(&table[1]) < 1e-7, "{method} {stiff}");
            let start = table[2][0];
            let stray = table[2].iter().map(|e| (e - start).abs());
            assert!(stray.fold(0.0, f64::max) < 1e-8 * start, "{method} {stiff}");
        }
    }
    let motion = json(0, "simulate", "equal_crank", &[]);
    let ranks = motion["flags"].as_array().unwrap().iter();
    let ranks = ranks.filter(|f| f["kind"] == "rank").count();
    assert!(ranks >= 2, "{ranks}");
    let comparison = json(0, "compare", "equal_crank", &[]);
    assert_eq!(comparison["agree"], true);
    // the multiplier is known less well next to a crossing
    for difference in comparison["differences"].as_array().unwrap() {
        let column = difference["column"].as_str().unwrap();
        let multiplier = column.starts_with("lambda_") || column.starts_with("R_");
        let most = if multiplier { 1e-3 } else { 1e-6 };
        assert!(number(&difference["tolerance"]) < most, "{difference}");
    }
}

#[test]
fn a_drive_that_stands_still_at_a_crossing_can_begin_and_pass() {
    // x*y = 0 and x + y = (t - 1)^3: at rest where the lines cross; the start needs y' = 0
    let table = columns(
        "drive_at_a_crossing",
        &["x - (t-1)^3", "y", "x' - 3*(t-1)^2"],
        &[],
    );
    assert!(table.iter().all(|c| largest(c) < 1e-8));
}

/// What is said of options that cannot be used, with exit code 2.
fn refused(arguments: &[&str]) -> String {
    let output = Command::cargo_bin("holonom")
        .unwrap()
        .args(arguments)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    assert!(output.stdout.is_empty());
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn rows_where_something_happens_and_at_given_times() {
    let run = |args: &[&str]| {
        let out = Command::cargo_bin("holonom")
            .unwrap()
            .args(args)
            .output()
            .unwrap();
        (String::from_utf8(out.stdout).unwrap(), out.status.code())
    };
    let (rows, code) = run(&[
        "simulate",
        "pendulum",
        "--when",
        "x=0",
        "--csv",
        "--columns",
        "t,F_rod",
    ]);
    // F = 3 m g + 2 energy/l at the bottom, as from a start 30 degrees above the horizontal
    let forces: Vec<f64> = rows
        .lines()
        .skip(1)
        .map(|l| l.split(',').nth(1).unwrap().parse().unwrap())
        .collect();
    assert_eq!((forces.len(), code), (4, Some(0)));
    assert!(
        forces.iter().all(|f| (f + 4.0 * 9.81).abs() < 1e-7),
        "{rows}"
    );
    let (rows, _) = run(&[
        "simulate",
        "pendulum",
        "--until",
        "x<0",
        "--csv",
        "--columns",
        "t,x",
    ]);
    let last: Vec<f64> = rows
        .lines()
        .last()
        .unwrap()
        .split(',')
        .map(|v| v.parse().unwrap())
        .collect();
    assert!(
        (last[0] - 0.688_522_457).abs() < 1e-8 && last[1].abs() < 1e-12,
        "{last:?}"
    );
    for (what, code) in [("chart", 1), ("rank,event", 0)] {
        let (_, own) = run(&["simulate", "pendulum", "--fail-on", what]);
        assert_eq!(own, Some(code), "{what}");
    }
    let (rows, _) = run(&[
        "simulate",
        "pendulum",
        "--times",
        "6,0.25",
        "--csv",
        "--columns",
        "t",
    ]);
    assert_eq!(rows, "t\n0.25\n6\n");
    for (args, why) in [
        (["--times", "7"], "outside the motion"),
        (["--until", "x=5"], "does not happen"),
        (
            ["--when", "zz=0"],
            "unknown name `zz`; available: t, x, y, x', y'",
        ),
        (["--rtol", "-1"], "--rtol: -1 is not between 0 and 1"),
        (
            ["--at", "z=1"],
            "`z` is not a coordinate of this system; available: x, y",
        ),
    ] {
        let all = [&["simulate", "pendulum"], &args[..]].concat();
        assert!(refused(&all).contains(why), "{args:?}");
    }
}

#[test]
fn a_zero_of_a_motion_is_printed_as_0_and_kept_in_csv() {
    let run = |args: &[&str]| {
        let out = Command::cargo_bin("holonom").unwrap().args(args).output();
        String::from_utf8(out.unwrap().stdout).unwrap()
    };
    let when = ["simulate", "pendulum", "--when", "x=0", "--columns", "t,x"];
    let text = run(&when);
    let rows: Vec<&str> = text.lines().rev().take(4).collect();
    assert!(rows.iter().all(|row| row.ends_with("  0")), "{text}");
    let csv = run(&[&when[..], &["--csv"]].concat());
    let sizes = csv
        .lines()
        .skip(1)
        .map(|row| row.rsplit(',').next().unwrap());
    let sizes: Vec<f64> = sizes.map(|size| size.parse().unwrap()).collect();
    assert!(
        sizes.iter().any(|size| *size != 0.0 && size.abs() < 1e-14),
        "{csv}"
    );
    // an angle that stays at 0 among others that do not, a velocity at rest
    for system in ["four_bar", "lever"] {
        let text = run(&["simulate", system]);
        let table = text.split("\n\n").last().unwrap();
        assert!(!table.contains("e-1"), "{table}");
    }
    // what tells of rounding itself is told
    let text = run(&["simulate", "pendulum", "--columns", "t,residual"]);
    assert!(text.split("\n\n").last().unwrap().contains("e-1"), "{text}");
}

#[test]
fn variations_and_levels_that_cannot_be_are_refused_at_their_place() {
    let vary = |rest: &[&str]| refused(&[&["vary", "pendulum"], rest].concat());
    let ends = vary(&["--dependent", "y", "--to", "0.3", "--along", "x=t"]);
    assert!(
        ends.contains("--along: the variation of `x` does not vanish at t = 0.3"),
        "{ends}"
    );
    let late = vary(&["--to", "99"]);
    assert!(
        late.contains("--to: t = 99 is outside the motion, which goes from 0 to 6"),
        "{late}"
    );
    let unknown = vary(&["--along", "x=t*(1 - q)"]);
    assert!(
        unknown.contains("--along:1:10") && unknown.contains("unknown name `q`"),
        "{unknown}"
    );
    let coordinate = vary(&["--along", "x=y"]);
    assert!(
        coordinate.contains("--along:1:3") && coordinate.contains("t and parameters"),
        "{coordinate}"
    );
    assert!(vary(&["--along", "z=sine"]).contains("`z` is not a coordinate"));
    let dependent = vary(&["--dependent", "y", "--to", "0.3", "--along", "y=sine"]);
    assert!(
        dependent.contains("`y` is dependent here") && dependent.contains("vary one of x"),
        "{dependent}"
    );
    let levels = refused(&["map", "pendulum", "--levels", "x + y'"]);
    assert!(
        levels.contains("--levels:1:5") && levels.contains("coordinates, t and parameters"),
        "{levels}"
    );
    assert!(refused(&["map", "pendulum", "--levels", "x +"]).contains("--levels:1:4"));
    let taken = refused(&["map", "--levels", "pendulum"]);
    assert!(
        taken.contains("write `holonom map pendulum --levels`"),
        "{taken}"
    );
}

#[test]
fn ranges_that_cannot_be_followed_are_refused_at_their_place() {
    let over = |range: &str| refused(&["continue", "rotating_hoop", "--over", range]);
    for (range, why) in [
        ("w=6:0", "`6:0`: the first end must be below the second"),
        ("w=2:2", "the first end must be below the second"),
        ("w=0:6:9", "not of the form FROM:TO"),
        ("w", "not of the form NAME=FROM:TO"),
        ("r=0:6", "`r` is not a parameter; did you mean `R`?"),
        ("w=0:q", "unknown name `q`"),
    ] {
        let said = over(range);
        assert!(said.contains("--over") && said.contains(why), "{said}");
    }
    let idle = refused(&["continue", "pendulum", "--over", "m=1:2", "--y", "z"]);
    assert!(
        idle.contains("--y: `z` is neither a coordinate nor a multiplier"),
        "{idle}"
    );
    let skate = refused(&["continue", "knife_edge", "--over", "g=1:2"]);
    assert!(skate.contains("velocity constraints"), "{skate}");
}
