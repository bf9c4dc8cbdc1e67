//! The program as a user meets it: texts by snapshot, JSON by its names, exit codes, options, files.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use assert_cmd::Command;
use holonom::system::builtin;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::folder::Folder;

/// The report's three.
const REPORT: [&str; 3] = ["bead_on_parabola", "rotating_rod", "product_and_sum"];

fn system(name: &str) -> String {
    if REPORT.contains(&name) {
        return name.to_owned();
    }
    format!("{}/tests/systems/{name}.yaml", env!("CARGO_MANIFEST_DIR"))
}

/// Exit code, standard output, standard error.
struct Said {
    code: i32,
    out: String,
    err: String,
}

fn holonom(arguments: &[&str]) -> Said {
    with_input(arguments, b"")
}

fn with_input(arguments: &[&str], input: &[u8]) -> Said {
    let output = Command::cargo_bin("holonom")
        .unwrap()
        .args(arguments)
        .write_stdin(input)
        .timeout(Duration::from_secs(60))
        .output()
        .unwrap();
    let said = Said {
        code: output.status.code().expect("it was killed"),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    };
    let raw = |c: char| c.is_control() && c != '\n';
    assert!(!said.out.contains(raw) && !said.err.contains(raw));
    assert!(!said.err.contains("panicked"), "{}", said.err);
    // nothing on standard output where the input cannot be used
    assert!(said.code != 2 || said.out.is_empty(), "{}", said.out);
    said
}

fn json(arguments: &[&str]) -> (i32, Value) {
    let mut all = arguments.to_vec();
    all.push("--json");
    let said = holonom(&all);
    assert_eq!(said.out.lines().count(), 1, "{}", said.err);
    (said.code, serde_json::from_str(&said.out).unwrap())
}

fn keys(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

fn has_keys(value: &Value, wanted: &[&str]) {
    for key in wanted {
        assert!(
            keys(value).contains(key),
            "{key} is missing from {:?}",
            keys(value)
        );
    }
}

/// Numbers that are rounding (`1.2e-13`), and counts of steps and evaluations, stand as `~`: they may
/// differ from machine to machine.
fn without_rounding(text: &str) -> String {
    let mut shown = String::new();
    for line in text.lines() {
        let mut words: Vec<String> = line
            .split(' ')
            .map(|word| {
                let bare = word.trim_end_matches([';', ',']);
                let tiny = bare.contains("e-") && bare.parse::<f64>().is_ok();
                if tiny {
                    word.replace(bare, "~")
                } else {
                    word.to_owned()
                }
            })
            .collect();
        for i in 1..words.len() {
            let counted = words[i].starts_with("steps") || words[i].starts_with("evaluations");
            if counted && words[i - 1].parse::<usize>().is_ok() {
                words[i - 1] = String::from("~");
            }
        }
        // what rounding decides between two samples of a comparison
        let cells: Vec<usize> = (0..words.len()).filter(|&i| !words[i].is_empty()).collect();
        if let &[_, difference, time, allowed] = cells.as_slice()
            && words[difference] == "~"
            && words[allowed] == "~"
        {
            words[time] = String::from("~");
        }
        shown.push_str(words.join(" ").trim_end());
        shown.push('\n');
    }
    shown
}

fn is_a_page(text: &str) {
    for line in text.lines() {
        assert!(line.len() <= 80, "{} columns: {line}", line.len());
        assert!(line.is_ascii(), "{line}");
        assert_eq!(line, line.trim_end());
    }
}

/// A page in Unicode: every character takes one column.
fn is_paper(text: &str) {
    for line in text.lines() {
        assert!(line.width() <= 80, "{} columns: {line}", line.width());
        assert!(line.chars().all(|c| c.width() == Some(1)), "{line}");
        assert_eq!(line, line.trim_end());
    }
}

fn snapshot(command: &str, name: &str, options: &[&str], code: i32) {
    let file = system(name);
    let mut arguments = vec![command, file.as_str()];
    arguments.extend(options);
    let said = holonom(&arguments);
    assert_eq!(said.code, code, "{command} {name}: {}", said.err);
    match options
        .iter()
        .find(|o| ["--latex", "--code", "--pretty"].contains(o))
    {
        Some(&"--pretty") => is_paper(&said.out),
        Some(_) => {}
        None => is_a_page(&said.out),
    }
    let mut title = format!("{command}_{name}");
    for option in options {
        let plain: String = option.chars().filter(|c| c.is_alphanumeric()).collect();
        title = format!("{title}_{plain}");
    }
    insta::with_settings!({ omit_expression => true }, {
        insta::assert_snapshot!(title, without_rounding(&said.out));
    });
}

#[test]
fn check_reads_like_this() {
    for name in REPORT {
        snapshot("check", name, &[], 0);
    }
    for name in [
        "chain_of_ten",
        "double_pendulum",
        "driven",
        "free_particle",
        "moving_wire",
        "pendulum_on_cart",
        "slider_crank",
        "torus",
    ] {
        snapshot("check", name, &[], 0);
    }
    snapshot("check", "bead_on_parabola", &["--at", "x1=0,x2=0"], 1);
    snapshot("check", "product_and_sum", &["--at", "x1=1.5,x2=1.5"], 1);
    snapshot("check", "doubled_constraint", &[], 1);
}

#[test]
fn a_determinant_vanishes_nowhere_only_where_it_is_one() {
    // det J[x] = sign(x), which has no value at the kink x = 0
    let square = b"coordinates: [x, y]\nlagrangian: 1/2*(x'^2 + y'^2)\nconstraints: {c: abs(x) + abs(y) = 1}\nstart: {x: 0.5, y: 0.5}\n";
    let said = with_input(&["check", "-"], square);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(
        said.out
            .contains("it vanishes nowhere that the constraints are C^1\n"),
        "{}",
        said.out
    );
}

#[test]
fn inverse_reads_like_this() {
    snapshot(
        "inverse",
        "bead_on_parabola",
        &["--y", "wire=0.1", "--at", "x2=2", "--near", "x1=-1"],
        0,
    );
    snapshot("inverse", "bead_on_parabola", &["--y", "wire=3"], 3);
    snapshot("inverse", "bead_on_parabola", &["--at", "x2=0"], 1);
    snapshot("inverse", "moving_wire", &[], 0);
    snapshot("inverse", "double_pendulum", &[], 0);
}

#[test]
fn inverse_has_its_names() {
    let (code, value) = json(&["inverse", "product_and_sum"]);
    assert_eq!(code, 0);
    has_keys(
        &value,
        &[
            "system",
            "t",
            "y",
            "at",
            "dependent",
            "x",
            "certified",
            "enclosure",
            "branch",
            "others",
            "box",
            "complete",
            "dg_dy",
            "dg_dx",
            "dg_dt",
            "neighbourhood",
            "jiggle",
        ],
    );
    assert_eq!(value["certified"], true);
    assert_eq!(value["dg_dy"]["x1"]["product"], -4.0);
    assert_eq!(value["neighbourhood"]["certified"], true);
    for bad in [
        &["inverse", "bead_on_parabola", "--y", "wir=1"][..],
        &["inverse", "bead_on_parabola", "--at", "x1=1"],
        &["inverse", "bead_on_parabola", "--y", "wire"],
    ] {
        assert_eq!(holonom(bad).code, 2);
    }
}

#[test]
fn derive_reads_like_this() {
    for name in REPORT {
        snapshot("derive", name, &[], 0);
    }
    for name in [
        "chain_of_ten",
        "double_pendulum",
        "doubled_constraint",
        "free_particle",
        "torus",
    ] {
        snapshot("derive", name, &[], 0);
    }
    for name in ["rotating_rod", "product_and_sum", "chain_of_ten"] {
        snapshot("derive", name, &["--latex"], 0);
    }
    for name in REPORT {
        snapshot("derive", name, &["--pretty"], 0);
    }
    for name in [
        "chain_of_ten",
        "double_pendulum",
        "free_particle",
        "slider_crank",
    ] {
        snapshot("derive", name, &["--pretty"], 0);
    }
    snapshot("derive", "bead_on_parabola", &["--code", "python"], 0);
    snapshot("derive", "bead_on_parabola", &["--code", "c"], 0);
    snapshot("derive", "bead_on_parabola", &["--explain"], 0);
    snapshot("derive", "product_and_sum", &["--explain"], 0);
    snapshot("derive", "torus", &["--explain"], 0);
    snapshot("derive", "product_and_sum", &["--explain", "--pretty"], 0);
    let handout = &["--explain", "--latex"];
    snapshot("derive", "bead_on_parabola", handout, 0);
}

#[test]
fn a_derivation_takes_one_form() {
    for (one, other) in [
        ("--plain", "--pretty"),
        ("--latex", "--pretty"),
        ("--json", "--latex"),
        ("--json", "--plain"),
    ] {
        let said = holonom(&["derive", "bead_on_parabola", one, other]);
        assert_eq!(said.code, 2, "{one} {other}");
        assert!(said.err.contains("cannot be used with"), "{}", said.err);
    }
    let said = holonom(&["derive", "bead_on_parabola", "--json", "--code", "python"]);
    assert_eq!(said.code, 2);
    let said = holonom(&["derive", "bead_on_parabola", "--code", "fortran"]);
    assert!(
        said.code == 2 && said.err.contains("python"),
        "{}",
        said.err
    );
    // into a pipe it is plain anyway
    let plain = holonom(&["derive", "bead_on_parabola", "--plain"]).out;
    assert_eq!(plain, holonom(&["derive", "bead_on_parabola"]).out);
}

#[test]
fn a_chain_of_fifty_links_is_still_readable() {
    let names: Vec<String> = (1..=50).map(|i| format!("x{i}, y{i}")).collect();
    let mut text = format!(
        "coordinates: [{}]\nparameters: {{m: 1, l: 0.1, g: 9.81}}\ngravity: [0, -g]\nbodies:\n",
        names.join(", ")
    );
    for i in 1..=50 {
        writeln!(text, "  b{i}: {{mass: m, at: [x{i}, y{i}]}}").unwrap();
    }
    text.push_str("constraints:\n  link1: {f: x1^2 + y1^2, c: l^2}\n");
    for (i, j) in (1..50).zip(2..) {
        writeln!(
            text,
            "  link{j}: {{f: (x{j} - x{i})^2 + (y{j} - y{i})^2, c: l^2}}"
        )
        .unwrap();
    }
    let start: Vec<String> = (1..=50).map(|i| format!("x{i}: {i}*l, y{i}: 0")).collect();
    writeln!(text, "start: {{{}}}", start.join(", ")).unwrap();
    for (command, lines) in [("check", 70), ("derive", 250)] {
        let start = Instant::now();
        let said = with_input(&[command, "-"], text.as_bytes());
        assert_eq!(said.code, 0, "{}", said.err);
        assert!(start.elapsed() < Duration::from_secs(20));
        is_a_page(&said.out);
        assert!(said.out.lines().count() < lines, "{}", said.out);
    }
}

#[test]
fn simulate_reads_like_this() {
    for name in REPORT {
        snapshot("simulate", name, &[], 0);
    }
    for name in [
        "chain_of_ten",
        "doubled_constraint",
        "free_particle",
        "torus",
    ] {
        snapshot("simulate", name, &[], 0);
    }
    snapshot("simulate", "bead_on_parabola", &["--columns", "t,x1''"], 0);
}

#[test]
fn plot_reads_like_this() {
    for options in [
        &["--y", "x1,lambda_wire/10", "--braille"][..],
        &["--x", "x1", "--y", "x2", "--ascii"],
        &[
            "--y",
            "x1; abs(x1)",
            "--log",
            "y",
            "--blocks",
            "--size",
            "60x12",
            "--until",
            "2",
        ],
    ] {
        let arguments = [&["plot", "bead_on_parabola"], options].concat();
        let said = holonom(&arguments);
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{options:?}");
        assert!(said.out.lines().all(|line| line.chars().count() <= 80));
        assert_eq!(said.out.is_ascii(), options.contains(&"--ascii"));
        insta::assert_snapshot!(
            format!("plot_{}", options[1].replace([' ', ';', '/'], "")),
            said.out
        );
    }
    // the file's own plots, and without any the coordinates
    let said = holonom(&["plot", "bead_on_parabola", "--ascii"]);
    for title in ["Coordinates", "Multiplier", "Phase"] {
        assert!(said.out.contains(title), "{}", said.out);
    }
    let said = holonom(&["plot", &system("torus"), "--ascii", "--until", "1"]);
    assert_eq!(said.code, 0, "{}", said.err);
    // what is constant shows its drift, beside the number it drifts from
    let said = holonom(&["plot", "bead_on_parabola", "--y", "energy", "--ascii"]);
    assert!(said.out.starts_with(" energy - 9.81"), "{}", said.out);
    let said = holonom(&[
        "plot",
        "bead_on_parabola",
        "--y",
        "energy",
        "--change=no",
        "--ascii",
    ]);
    assert!(
        said.out.trim_start().starts_with("energy  "),
        "{}",
        said.out
    );
}

#[test]
fn plot_has_its_names_and_its_vectors() {
    let (code, value) = json(&[
        "plot",
        "bead_on_parabola",
        "--y",
        "x1,energy; det",
        "--x",
        "t",
    ]);
    assert_eq!(code, 0);
    has_keys(
        &value,
        &["system", "method", "plots", "flags", "finished", "because"],
    );
    let plots = value["plots"].as_array().unwrap();
    assert_eq!(plots.len(), 2);
    has_keys(&plots[0], &["title", "x", "y", "equal_aspect", "marks"]);
    let (_, table) = json(&[
        "simulate",
        "bead_on_parabola",
        "--columns",
        "t,x1,energy,det",
    ]);
    let column = |k: usize| -> Vec<Value> {
        let rows = table["rows"].as_array().unwrap();
        rows.iter().map(|row| row[k].clone()).collect()
    };
    assert_eq!(plots[0]["x"]["values"], Value::Array(column(0)));
    assert_eq!(
        plots[0]["y"]["series"][0]["values"],
        Value::Array(column(1))
    );
    assert_eq!(
        plots[0]["y"]["series"][1]["values"],
        Value::Array(column(2))
    );
    assert_eq!(
        plots[1]["y"]["series"][0]["values"],
        Value::Array(column(3))
    );
    assert_eq!(plots[0]["marks"].as_array().unwrap().len(), 8);
    assert_eq!(plots[0]["marks"][0]["x"], value["flags"][0]["t"]);
    assert_eq!(plots[0]["marks"][0]["tag"], "x1 = 0");
    // SVG by the option and by the name of the file, the same bytes
    let folder = Folder::new("plot");
    let file = folder.file("figure.svg");
    let wanted = ["plot", "bead_on_parabola", "--y", "x1"];
    let said = holonom(&[&wanted[..], &["-o", &file]].concat());
    assert_eq!((said.code, said.out.as_str()), (0, ""));
    let printed = holonom(&[&wanted[..], &["--svg", "--size", "80x20"]].concat());
    assert_eq!(std::fs::read_to_string(&file).unwrap(), printed.out);
    // text from a file breaks no document
    let text = "name: \"<b>&\"\ncoordinates: [x]\nlagrangian: 1/2*x'^2\nstart: {x: 0, x': 1}\n\
                plots: [{title: \"</text><script>&'\\\"\", y: [x]}]\n";
    let said = with_input(&["plot", "-", "--svg"], text.as_bytes());
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(!said.out.contains("<script"));
    let parsed = std::process::Command::new("python3")
        .args([
            "-c",
            "import sys, xml.dom.minidom as d; d.parseString(sys.stdin.buffer.read())",
        ])
        .stdin(std::process::Stdio::piped())
        .spawn();
    // where there is a Python, its parser takes it too
    if let Ok(mut parser) = parsed {
        use std::io::Write;
        parser
            .stdin
            .take()
            .unwrap()
            .write_all(said.out.as_bytes())
            .unwrap();
        assert!(parser.wait().unwrap().success());
    }
}

#[test]
fn a_plot_that_cannot_be_drawn_says_why() {
    for (options, why) in [
        (&["--y", "x3"][..], "x3"),
        (&["--y", ";"], "--y: names no column"),
        (&["--x", "x1"], "--x: is for the curves that --y names"),
        (
            &["--y", "x1;x2", "--x", "t;x1;x2"],
            "3 are given for 2 plots",
        ),
        (&["--y", "x1", "--log", "z"], "`z` is not x, y or xy"),
        (
            &["--y", "x1", "--size", "0x5"],
            "not of the form COLUMNSxROWS",
        ),
        (
            &["--y", "x1", "--size", "100x99999"],
            "not of the form COLUMNSxROWS",
        ),
        (&["--y", "x1", "--equal=maybe"], "`maybe` is not yes or no"),
    ] {
        let said = holonom(&[&["plot", "bead_on_parabola"], options].concat());
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{options:?}");
        assert!(said.err.contains(why), "{options:?}: {}", said.err);
    }
}

#[test]
fn compare_reads_like_this() {
    for name in REPORT {
        snapshot("compare", name, &[], 0);
    }
}

#[test]
fn list_and_the_help_pages_read_like_this() {
    let said = holonom(&["list"]);
    insta::assert_snapshot!("list", said.out);
    for command in [
        "",
        "check",
        "derive",
        "simulate",
        "plot",
        "atlas",
        "map",
        "compare",
        "equilibria",
        "verify",
        "list",
        "show",
        "new",
    ] {
        let mut arguments = vec![command, "--help"];
        arguments.retain(|a| !a.is_empty());
        let said = holonom(&arguments);
        assert_eq!(said.code, 0);
        is_a_page(&said.out);
        insta::assert_snapshot!(format!("help_{command}"), said.out);
    }
}

#[test]
fn a_new_file_is_a_system_and_replaces_none() {
    let folder = Folder::new("new");
    let path = folder.file("mine.yaml");
    let name = path.as_str();
    let said = holonom(&["new", name]);
    assert_eq!((said.code, said.out.as_str()), (0, ""));
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(holonom(&["new"]).out, text);
    let said = holonom(&["check", name]);
    assert!(
        said.code == 0 && said.out.starts_with("HOLDS"),
        "{}",
        said.out
    );
    // what it offers in comments can be had
    let all = text
        .replace("# forces:", "forces:")
        .replace("# dependent:", "dependent:");
    let all = all
        .replace("# plots:", "plots:")
        .replace("#   - {x", "  - {x");
    let all = all
        .replace("# expect:", "expect:")
        .replace("#   - {fact", "  - {fact");
    let (damped, free) = all.split_once("# and without the forces above").unwrap();
    let undamped = all.replace("\nforces:", "\n# forces:");
    assert!(free.contains("constant: energy"));
    for offered in [damped, &undamped, &all] {
        std::fs::write(&path, offered).unwrap();
        let said = holonom(&["check", name]);
        assert_eq!(said.code, 0, "{}", said.err);
        let said = holonom(&["verify", name]);
        let holds = offered != all;
        assert_eq!(said.code, i32::from(!holds), "{}", said.out);
    }
    let said = holonom(&["new", name]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("exists"), "{}", said.err);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), all);
}

#[test]
fn a_singular_point_of_a_constraint_that_moves_has_its_time() {
    let said = holonom(&["check", "rotating_hoop"]);
    assert_eq!(said.code, 0);
    // the plane meets cos(w*t) = 0 at other times
    let line = said.out.lines().find(|line| line.contains("nowhere"));
    assert!(line.unwrap().ends_with("on the constraints (t = 0)"));
    let said = holonom(&["check", "pendulum"]);
    assert!(!said.out.contains("t ="), "{}", said.out);
}

#[test]
fn verify_has_its_names_and_says_what_does_not_hold() {
    let (code, verified) = json(&["verify", "pendulum_on_cart"]);
    assert_eq!(code, 0);
    has_keys(&verified, &["system", "expectations", "holds"]);
    let names = ["fact", "source", "statement", "holds", "difference"];
    has_keys(&verified["expectations"][0], &names);
    // the time is a number for these masses, everything else a formula
    let (code, verified) = json(&["verify", "pendulum_on_cart", "--set", "M=3"]);
    assert_eq!((code, &verified["holds"]), (1, &Value::Bool(false)));
    let list = verified["expectations"].as_array().unwrap();
    let wrong: Vec<&Value> = list.iter().filter(|e| e["holds"] == false).collect();
    assert_eq!(wrong.len(), 1);
    assert_eq!(
        wrong[0]["statement"],
        "t = 0.4683120887801417593 when x = s"
    );
    let said = holonom(&["verify", "pendulum_on_cart", "--set", "M=3"]);
    assert_eq!(said.code, 1);
    assert!(said.out.contains("FAIL"), "{}", said.out);
    is_a_page(&said.out);
}

#[test]
fn check_has_its_names() {
    for name in REPORT {
        let (code, check) = json(&["check", name]);
        assert_eq!(code, 0);
        has_keys(
            &check,
            &[
                "system",
                "t",
                "point",
                "constraints",
                "coordinates",
                "residuals",
                "jacobian",
                "dependent",
                "independent",
                "determinant",
                "verdict",
                "failure",
                "singular_set",
                "inverse",
                "neighbourhood",
            ],
        );
        has_keys(&check["jacobian"], &["symbolic", "value", "rank"]);
        has_keys(
            &check["determinant"],
            &["symbolic", "factors", "value", "condition"],
        );
        has_keys(&check["inverse"], &["kind", "branches"]);
        has_keys(&check["inverse"]["branches"][0], &["where", "functions"]);
        let choice = &check["choices"][0];
        has_keys(choice, &["dependent", "determinant", "inverse"]);
        assert_eq!(choice["dependent"], check["dependent"]);
    }
    // an angle is known up to its period, and how each choice inverts is told
    let angle = "coordinates: [x, y, th]\nparameters: {l: 2}\nlagrangian: (x'^2 + y'^2)/2 - y\nconstraints: {a: x - l*sin(th), b: y + l*cos(th)}\ndependent: [y, th]\nstart: {th: 0.5}\n";
    let said = with_input(&["check", "-", "--json"], angle.as_bytes());
    let check: Value = serde_json::from_str(&said.out).unwrap();
    let branches = check["inverse"]["branches"].as_array().unwrap();
    assert_eq!(branches.len(), 2);
    for branch in branches {
        assert_eq!(branch["period"], serde_json::json!({"th": "2*pi"}));
    }
    let kinds: Vec<&Value> = check["choices"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| &c["inverse"])
        .collect();
    assert_eq!(kinds, ["closed", "linear", "closed"]);
    let (code, check) = json(&["check", "bead_on_parabola", "--at", "x1=0,x2=0"]);
    assert_eq!((code, &check["verdict"]), (1, &Value::from("fails")));
    has_keys(&check["failure"], &["kind", "alternatives", "because"]);
    assert_eq!(
        check["failure"]["alternatives"],
        serde_json::json!([["x2"]])
    );
    assert_eq!(check["determinant"]["condition"], Value::Null);
    assert_eq!(check["singular_set"][0]["equation"], "x1 = 0");
    let (_, check) = json(&[
        "check",
        "bead_on_parabola",
        "--at",
        "x1=0,x2=0",
        "--dependent",
        "x2",
    ]);
    assert_eq!(check["verdict"], "holds");
    // no point outside the box is listed
    let (_, check) = json(&["check", "bead_on_parabola", "--box", "x1=-3:-1,x2=0:9"]);
    let points = check["singular_set"][0]["on_constraints"].as_array();
    assert!(points.is_none_or(Vec::is_empty));
}

#[test]
fn derive_has_its_names() {
    for name in REPORT {
        let (code, derived) = json(&["derive", name]);
        assert_eq!(code, 0);
        has_keys(
            &derived,
            &[
                "lagrangian",
                "coordinates",
                "dependent",
                "independent",
                "euler_lagrange",
                "standard",
                "multipliers",
                "reduced",
                "inverse",
                "reduced_independent",
                "stepwise",
                "tangents",
            ],
        );
        has_keys(
            &derived["stepwise"][0],
            &["constraint", "eliminates", "pivot", "multiplier"],
        );
        has_keys(
            &derived["reduced_independent"][0],
            &["where", "equations", "multipliers"],
        );
    }
}

#[test]
fn simulate_has_its_names_and_columns() {
    let (code, motion) = json(&["simulate", "bead_on_parabola", "--samples", "4"]);
    assert_eq!(code, 0);
    has_keys(
        &motion,
        &[
            "system",
            "method",
            "columns",
            "rows",
            "flags",
            "steps",
            "evaluations",
            "finished",
            "because",
        ],
    );
    assert_eq!(
        motion["columns"],
        serde_json::json!([
            "t",
            "x1",
            "x2",
            "x1'",
            "x2'",
            "lambda_wire",
            "R_x1",
            "R_x2",
            "det",
            "energy",
            "residual"
        ])
    );
    let rows = motion["rows"].as_array().unwrap();
    let times: Vec<f64> = rows.iter().map(|row| row[0].as_f64().unwrap()).collect();
    assert_eq!(times, [0.0, 2.5, 5.0, 7.5, 10.0]);
    has_keys(
        &motion["flags"][0],
        &["t", "kind", "from", "to", "determinant", "point"],
    );
    assert_eq!(motion["flags"].as_array().unwrap().len(), 8);
    assert_eq!(motion["because"], Value::Null);
    // what is not finite is null
    let list = "t,1/x1,log(x1),x1'',action,power_R,residual_velocity,atan2(x1, x2)";
    let (_, motion) = json(&[
        "simulate",
        "bead_on_parabola",
        "--at",
        "x1=-1",
        "--columns",
        list,
    ]);
    assert_eq!(motion["columns"].as_array().unwrap().len(), 8);
    assert_eq!(motion["rows"][0][2], Value::Null);
}

#[test]
fn compare_list_and_show_have_their_names() {
    let (code, compared) = json(&["compare", "product_and_sum", "--until", "1"]);
    assert_eq!(code, 0);
    has_keys(&compared, &["methods", "differences", "agree", "until"]);
    has_keys(&compared["differences"][0], &["column", "max", "tolerance"]);
    let (_, list) = json(&["list"]);
    assert_eq!(list["systems"].as_array().unwrap().len(), builtin().len());
    has_keys(&list["systems"][0], &["name", "title", "source", "group"]);
    let (_, shown) = json(&["show", "rotating_rod"]);
    assert_eq!(
        holonom(&["show", "rotating_rod"]).out,
        shown["text"].as_str().unwrap()
    );
}

#[test]
fn options_replace_what_the_file_says() {
    let row = |arguments: &[&str], i: usize| {
        let (_, motion) = json(arguments);
        let row = motion["rows"][i].as_array().unwrap().clone();
        row.iter()
            .map(|v| v.as_f64().unwrap())
            .collect::<Vec<f64>>()
    };
    let bead = ["simulate", "bead_on_parabola", "--samples", "2"];
    let with = |more: &[&'static str]| [&bead[..], more].concat();
    // the multiplier at rest is m g/(1 + 4 x1^2)
    assert!((row(&with(&["--set", "m=2,g=5"]), 0)[5] - 2.0).abs() < 1e-12);
    assert!((row(&with(&["--set", "m=2", "--set", "g=5"]), 0)[5] - 2.0).abs() < 1e-12);
    assert_eq!(row(&with(&["--at", "x1=1/2,x2=1/4"]), 0)[1..3], [0.5, 0.25]);
    // quoted velocities and --vel are the same
    let quoted = row(&with(&["--at", "x1'=1,x2'=2"]), 2);
    assert_eq!(quoted, row(&with(&["--vel", "x1=1,x2=2"]), 2));
    assert_eq!(quoted, row(&with(&["--vel", "x1'=1,x2'=2"]), 2));
    // backwards, and from another time
    assert_eq!(row(&with(&["--until", "-3"]), 2)[0], -3.0);
    assert_eq!(row(&with(&["--at", "t=4", "--until", "5"]), 1)[0], 4.5);
    // at once
    let (_, motion) = json(&with(&["--until", "0"]));
    assert_eq!(
        (&motion["finished"], &motion["rows"][0][1]),
        (&true.into(), &1.0.into())
    );
    // every method
    for method in ["inverse", "multipliers", "tangents"] {
        let (_, motion) = json(&["simulate", "rotating_rod", "--method", method]);
        assert_eq!(motion["method"], method);
    }
    // a determinant that follows the choice
    let (_, motion) = json(&with(&["--dependent", "x2"]));
    assert_eq!(motion["flags"], serde_json::json!([]));
    // rtol beyond what numbers resolve is said
    let said = holonom(&[
        "simulate",
        "bead_on_parabola",
        "--rtol",
        "1e-300",
        "--until",
        "1",
    ]);
    assert!(
        said.code == 0 && said.out.contains("note: rtol 1e-300"),
        "{}",
        said.out
    );
}

#[test]
fn a_system_comes_from_standard_input_a_file_or_the_binary() {
    let text = holonom(&["show", "bead_on_parabola"]).out;
    let named = holonom(&["check", "bead_on_parabola"]).out;
    assert_eq!(with_input(&["check", "-"], text.as_bytes()).out, named);
    assert_eq!(with_input(&["-"], text.as_bytes()).out, named);
    assert_eq!(holonom(&[]).out, named);
    assert_eq!(holonom(&["bead_on_parabola"]).out, named);
    // a file that is named like a command
    let folder = Folder::new("names");
    std::fs::write(folder.file("list"), &text).unwrap();
    let run = |arguments: &[&str]| {
        let output = Command::cargo_bin("holonom")
            .unwrap()
            .current_dir(&folder.0)
            .args(arguments)
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(run(&["./list"]), named);
    assert_eq!(run(&["check", "list"]), named);
    assert!(run(&["list"]).contains("\nbead_on_parabola "));
    assert_eq!(with_input(&["check", "-"], &vec![b'a'; 300_000]).code, 2);
    assert_eq!(with_input(&["check", "-"], b"name: caf\xe9").code, 2);
    assert_eq!(with_input(&["check", "-"], b"").code, 2);
}

#[test]
fn failures_on_the_way_are_told_with_their_number_and_times() {
    let crossing = "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2\nconstraints: {c: x*y}\n\
        start: {x: 1, y: 0, x': -1, y': 0}\nrun: {until: 2}\n";
    for (text, said, verdict) in [
        (
            crossing,
            "the theorem FAILS for every choice of dependent coordinates at 1 time: t = 1 (rank)",
            "fails",
        ),
        (
            &crossing.replace("until: 2", "until: 0.5"),
            "HOLDS for y from t = 0 to 0.5",
            "holds",
        ),
    ] {
        let out = with_input(&["simulate", "-"], text.as_bytes()).out;
        let line: Vec<&str> = out.split_whitespace().collect();
        assert!(line.join(" ").contains(said), "{out}");
        let json = with_input(&["simulate", "-", "--json"], text.as_bytes()).out;
        assert!(json.contains(&format!("\"verdict\":\"{verdict}\"")));
    }
    let pendulum = holonom(&["simulate", "pendulum", "--until", "0.5"]).out;
    assert!(
        pendulum
            .starts_with("DONE from t = 0 to 0.5; the theorem FAILS for y at 1 time: t = 0.344261"),
        "{pendulum}"
    );
    // without a terminal there is nothing to draw measured values on, and that is said
    let data = std::env::temp_dir().join(format!("holonom-said-{}.csv", std::process::id()));
    std::fs::write(&data, "t,x\n0,1\n").unwrap();
    let said = holonom(&["pendulum", "--data", data.to_str().unwrap()]);
    let plotted = holonom(&["plot", "pendulum", "--data", data.to_str().unwrap()]);
    assert!(plotted.err.is_empty(), "{}", plotted.err);
    std::fs::write(&data, "t,xx\n0,1\n").unwrap();
    let plotted = holonom(&["plot", "pendulum", "--data", data.to_str().unwrap()]);
    assert!(plotted.err.contains("--y draws data.xx"), "{}", plotted.err);
    std::fs::remove_file(data).unwrap();
    assert!(
        said.out.starts_with("HOLDS for y") && said.err.contains("holonom plot"),
        "{}",
        said.err
    );
    // what rounding leaves of a velocity is 0
    let crank = holonom(&["simulate", "slider_crank"]).out;
    assert!(crank.contains("found phi' = 0, x' = -2"), "{crank}");
}

/// Each is refused, with these words of help.
fn all_refused(cases: &[(Vec<&str>, &str)]) {
    for (arguments, wanted) in cases {
        let said = holonom(arguments);
        assert_eq!(said.code, 2, "{arguments:?}: {}", said.err);
        assert!(said.err.contains(wanted), "{arguments:?}: {}", said.err);
        assert!(said.err.lines().count() < 12, "{}", said.err);
    }
}

#[test]
fn what_rounding_leaves_of_an_equilibrium_is_0_along_a_parameter() {
    let trammel = "coordinates: [x, y, th]\nparameters: {k: 30}\n\
        bodies: {A: {mass: 1, at: [x, 0]}, B: {mass: 2, at: [0, y]}}\ngravity: [0, -9.81]\n\
        potential: k/2*(y - 0.2)^2\nconstraints: {cx: x = cos(th), cy: y = sin(th)}\n\
        start: {th: 0.4}\n";
    let followed = with_input(&["continue", "-", "--over", "k=5:60"], trammel.as_bytes());
    assert!(
        followed.out.contains("pitchfork  16.35  0  -1  -1.5708"),
        "{}",
        followed.out
    );
    assert!(!followed.out.contains("e-3"), "{}", followed.out);
}

#[test]
fn what_is_expected_stops_no_command_that_does_not_ask() {
    // a frequency of its equilibrium is sqrt(g/l)
    let said = holonom(&["check", "pendulum", "--set", "l=-1"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    assert_eq!(holonom(&["verify", "pendulum", "--set", "l=-1"]).code, 1);
}

#[test]
fn what_cannot_be_used_is_refused_with_a_word_of_help() {
    let bead = "bead_on_parabola";
    all_refused(&[
        (vec!["nosuch"], "neither a file nor a built-in system"),
        (
            vec!["--json", "check", "pendulum"],
            "the command comes first: `holonom check --json pendulum`",
        ),
        (
            vec!["--set", "l=2", "simulate", "pendulum"],
            "the command comes first: `holonom simulate --set l=2 pendulum`",
        ),
        (
            vec!["pendulum", "ladder"],
            "one system at a time: `pendulum` or `ladder`",
        ),
        (vec!["chek"], "did you mean the command `holonom check`?"),
        (
            vec!["chek", "my.yaml"],
            "did you mean the command `holonom check`?",
        ),
        (vec!["simulat", "--json", "x"], "`holonom simulate`"),
        (vec!["check"], "<SYSTEM>"),
        (
            vec!["check", "bead_on_parabol"],
            "did you mean `bead_on_parabola`?",
        ),
        (vec!["show", "rotating"], "rotating_rod"),
        (vec!["show", "Cargo.toml"], "`holonom list`"),
        (vec!["check", bead, "--nosuch"], "--nosuch"),
        (vec!["check", bead, "--set", "mm=2"], "`m"),
        (vec!["check", bead, "--set", "m"], "NAME=VALUE"),
        (vec!["check", bead, "--at", "x3=1"], "did you mean `x1`?"),
        (vec!["check", bead, "--at", "x1=mm"], "did you mean `m`?"),
        (vec!["check", bead, "--at", "x1=1/0"], "divides by zero"),
        (vec!["check", bead, "--at", "x1=1e999"], "--at"),
        (
            vec!["check", bead, "--dependent", "x1,x2"],
            "as many as constraints: 1",
        ),
        (vec!["check", bead, "--dependent", "x1,x1"], "twice"),
        (vec!["check", bead, "--box", "x1=2:1"], "below"),
        (vec!["check", bead, "--box", "x1=2"], "LOW:HIGH"),
        (vec!["check", "slider_crank", "--box", "a=2:1"], "below"),
        (vec!["check", "slider_crank", "--box", "a=1:1"], "below"),
        (
            vec!["map", "slider_crank", "--x", "a", "--y", "ll"],
            "neither a coordinate nor a parameter of this system; did you mean `l`?",
        ),
        (
            vec!["map", "slider_crank", "--x", "a", "--y", "l", "--levels"],
            "one value of each parameter",
        ),
        (vec!["atlas", "slider_crank", "--along", "phi=3:1"], "below"),
        (
            vec!["atlas", "slider_crank", "--along", "a=0:1"],
            "not a coordinate",
        ),
        (
            vec!["atlas", "spherical_pendulum", "--along", "x=0:1"],
            "one dimension",
        ),
        (
            vec!["simulate", bead, "--method", "tangent"],
            "did you mean `tangents`?",
        ),
        (
            vec!["simulate", bead, "--method", "x"],
            "inverse, multipliers, tangents",
        ),
        (vec!["simulate", bead, "--rtol", "0"], "--rtol"),
        (vec!["simulate", bead, "--rtol", "NaN"], "--rtol"),
        (vec!["simulate", bead, "--samples", "99999999"], "--samples"),
        (
            vec!["simulate", bead, "--columns", "lambda_wir"],
            "did you mean `lambda_wire`?",
        ),
        (
            vec!["simulate", bead, "--at", "x1=5"],
            "nearest consistent values",
        ),
        (vec!["simulate", bead, "--csv", "--json"], "--csv"),
    ]);
}

#[test]
fn values_offered_for_a_start_are_the_nearest_with_the_guess() {
    let circle = "coordinates: [x, z]\nlagrangian: x'^2 + z'^2\n\
        constraints: {dome: x^2 + z^2 = 1.44}\nguess: {z: 1}\nstart: {x: 5}\n";
    let error = with_input(&["check", "-"], circle.as_bytes()).err;
    assert!(error.contains("x = 1.17669681"), "{error}");
    assert!(error.contains("z = 0.235339"), "{error}");
}

#[test]
fn values_and_names_that_an_option_cannot_use_are_refused_alike() {
    let bead = "bead_on_parabola";
    all_refused(&[
        (
            vec!["simulate", bead, "--rtol", "-1e-9"],
            "--rtol: -0.000000001 is not between",
        ),
        (vec!["simulate", bead, "--samples", "0"], "--samples"),
        (
            vec!["simulate", bead, "--samples", "1.5"],
            "1.5 is not a whole number",
        ),
        (vec!["simulate", bead, "--columns", ""], "names no column"),
        (vec!["simulate", bead, "--times", ""], "names no time"),
        (
            vec!["simulate", bead, "--times", "no.txt"],
            "no file of that name",
        ),
        (vec!["simulate", bead, "--when", "x1"], "EXPR=VALUE"),
        (vec!["vary", "pendulum", "--along", "x"], "`x` is dependent"),
        (vec!["inverse", bead, "--y", "zz=1"], "available: wire"),
        (vec!["check", bead, "--at", "z=1"], "--at: `z`"),
        (vec!["check", bead, "--dependent", "z"], "--dependent: `z`"),
        (vec!["map", bead, "--y", "zz"], "--y: `zz`"),
        (
            vec!["map", bead, "--x", "x1", "--y", "x1"],
            "--y: the coordinate that runs up",
        ),
        (vec!["equilibria", bead, "--box", "z=0:1"], "--box: `z`"),
        (vec!["plot", bead, "--columns", "zz"], "--y: column `zz`"),
        (
            vec!["continue", bead, "--over", "zz=1:2"],
            "available: m, g",
        ),
        (
            vec!["sweep", bead, "--over", "zz=1,2"],
            "available: m, g, x1",
        ),
        (
            vec!["sweep", bead, "--random", "-5", "--over", "g=1:2"],
            "-5 is not in",
        ),
        (
            vec!["sweep", bead, "--over", "g=0..1"],
            "`:` between the ends",
        ),
        (
            vec!["sweep", bead, "--over", "g=0:0.5:0.1"],
            "the third number says how many values",
        ),
        (vec!["check", bead, "--param", "g=1"], "'--set'"),
        (vec!["check", bead, "-p", "g=1"], "'--set'"),
        (vec!["simulate", bead, "--end", "5"], "'--until'"),
        (
            vec!["derive", bead, "--code", "c", "-o", "f.c"],
            "write `> FILE` for a file",
        ),
        (vec!["map", bead, "--size", "-3x4"], "COLUMNSxROWS"),
        (vec![bead, "check"], "`holonom check bead_on_parabola`"),
        (vec![bead, "--data", "no.csv"], "--data: no.csv"),
    ]);
}

#[test]
fn a_file_is_written_whole_or_not_at_all() {
    let folder = Folder::new("files");
    let csv = folder.file("bead.csv");
    let said = holonom(&["simulate", "bead_on_parabola", "--samples", "2", "-o", &csv]);
    assert_eq!((said.code, said.out.as_str()), (0, ""));
    assert!(
        said.err.starts_with("t = 0.594924  chart  x1 = 0: "),
        "{}",
        said.err
    );
    let text = std::fs::read_to_string(&csv).unwrap();
    assert!(text.starts_with("t,x1,x2,x1',x2',lambda_wire,"), "{text}");
    assert_eq!(text.lines().count(), 4);
    let printed = holonom(&["simulate", "bead_on_parabola", "--samples", "2", "--csv"]);
    assert_eq!((printed.out, printed.err), (text.clone(), said.err));
    let object = folder.file("bead.json");
    holonom(&["simulate", "bead_on_parabola", "-o", &object]);
    let written: Value = serde_json::from_slice(&std::fs::read(&object).unwrap()).unwrap();
    assert_eq!(written["finished"], true);
    // what is refused leaves what was there
    let said = holonom(&["simulate", "bead_on_parabola", "--at", "x1=7", "-o", &csv]);
    assert_eq!(said.code, 2);
    assert_eq!(std::fs::read_to_string(&csv).unwrap(), text);
    for place in [
        folder.file("no/such.csv"),
        folder.0.to_str().unwrap().to_owned(),
    ] {
        let said = holonom(&["simulate", "bead_on_parabola", "-o", &place]);
        assert_eq!(said.code, 2);
        assert!(
            said.err.starts_with("error: could not write "),
            "{}",
            said.err
        );
    }
    assert_eq!(folder.names(), ["bead.csv", "bead.json"]);
}

#[test]
fn what_is_missing_of_a_path_is_said_in_words() {
    let folder = Folder::new("missing");
    std::fs::write(folder.0.join("file"), "").unwrap();
    for (arguments, wanted) in [
        (
            &["simulate", "pendulum", "-o", "no/x.csv"][..],
            "could not write no/x.csv: its folder does not exist",
        ),
        (
            &["simulate", "pendulum", "-o", "file/x.csv"],
            "could not write file/x.csv: a part of its path is not a folder",
        ),
        (
            &["new", "no/a.yaml"],
            "could not write `no/a.yaml`: its folder does not exist",
        ),
        (&["gather", "no"], "no: it does not exist"),
        (&["gather", "."], ".: it is a folder"),
        (
            &["sweep", "pendulum", "--rows", "no"],
            "no: it does not exist",
        ),
        (&["man", "file"], "could not write file: it is not a folder"),
    ] {
        let (code, _, err) = folder.run(arguments);
        assert_eq!((code, err.as_str()), (2, &*format!("error: {wanted}\n")));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_and_a_reader_that_leaves_is_none() {
    use std::process::{Command, Stdio};
    let program = assert_cmd::cargo::cargo_bin("holonom");
    let said = holonom(&["simulate", "bead_on_parabola", "-o", "/dev/full"]);
    assert!(
        said.code == 2 && said.err.contains("/dev/full"),
        "{}",
        said.err
    );
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let status = Command::new(&program)
        .args(["simulate", "bead_on_parabola", "--csv"])
        .stdout(Stdio::from(full))
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(2));
    let mut child = Command::new(&program)
        .args([
            "simulate",
            "bead_on_parabola",
            "--json",
            "--samples",
            "100000",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn a_motion_that_cannot_go_on_is_told_as_far_as_it_came() {
    // x'' = 3 x^2 is at infinity in a finite time
    let text = b"coordinates: [x]\nlagrangian: 1/2*x'^2 + x^3\nstart: {x: 1, x': 2}\n";
    let said = with_input(&["simulate", "-", "--json"], text);
    assert_eq!(said.code, 3);
    let motion: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(motion["finished"], false);
    assert!(motion["because"].as_str().unwrap().contains("t = 1.339"));
    assert!(motion["rows"].as_array().unwrap().len() > 100);
    let said = with_input(&["simulate", "-"], text);
    assert!(
        said.code == 3 && said.out.starts_with("STOPPED after t = 1.33"),
        "{}",
        said.out
    );
    let said = with_input(&["simulate", "-", "--csv"], text);
    assert!(
        said.code == 3 && said.err.starts_with("not finished: "),
        "{}",
        said.err
    );
    assert!(said.out.lines().count() > 100);
    let said = with_input(&["compare", "-"], text);
    assert!(
        said.code == 3 && said.out.starts_with("UNDECIDED"),
        "{}",
        said.out
    );
    // the square root ends at 0
    let text =
        b"coordinates: [x, y]\nlagrangian: 1/2*(x'^2 + y'^2)\nconstraints: {c: sqrt(x) - y}\n\
        start: {x: 1, y: 1, x': -1, y': -1/2}\n";
    let said = with_input(&["simulate", "-"], text);
    assert_eq!(said.code, 3);
    let said = with_input(&["check", "-", "--at", "x=-1", "--json"], text);
    assert_eq!(said.code, 1);
    let check: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(check["failure"]["kind"], "smoothness");
    assert_eq!(check["jacobian"]["value"][0][0], Value::Null);
    // a time that no step reaches
    let start = Instant::now();
    let said = holonom(&["simulate", "bead_on_parabola", "--until", "1e300"]);
    assert_eq!(said.code, 3);
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[test]
fn bad_files_are_refused_by_every_command_alike() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/bad");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    for (i, file) in files.iter().enumerate() {
        let file = file.to_str().unwrap();
        // each by two commands; a change of the order of files changes which
        let commands = ["check", "derive", "simulate", "compare"];
        let said = holonom(&[commands[i % 4], file]);
        let other = holonom(&[commands[(i + 1) % 4], file, "--json"]);
        assert_eq!((said.code, other.code), (2, 2), "{file}");
        assert_eq!(said.err, other.err, "{file}");
        assert!(said.err.starts_with("error: "), "{}", said.err);
    }
}

#[test]
fn text_from_a_file_reaches_no_terminal_raw() {
    let text = "name: \"\\e]0;title\\a \\x9b31m \\u202E\"\ncoordinates: [x]\nlagrangian: x'^2\n\
                plots: [{title: \"\\e]0;title\\a \\u202E\", y: [x]}]\n";
    for command in ["check", "derive", "simulate", "plot", "compare"] {
        for form in [&[][..], &["--json"]] {
            let arguments = [&[command, "-"], form].concat();
            let said = with_input(&arguments, text.as_bytes());
            assert!(!said.out.contains('\u{202e}'), "{}", said.out);
        }
    }
}

#[test]
fn equilibria_have_their_keys() {
    let (code, value) = json(&["equilibria", "double_pendulum"]);
    assert_eq!((code, &value["complete"]), (0, &Value::Bool(true)));
    has_keys(
        &value,
        &[
            "system",
            "t",
            "equilibria",
            "complete",
            "box",
            "undecided",
            "notes",
        ],
    );
    assert_eq!(value["equilibria"].as_array().unwrap().len(), 4);
    let keys = [
        "point",
        "multipliers",
        "reaction",
        "stability",
        "because",
        "kind",
        "signature",
        "frequencies",
        "modes",
        "eigenvalues",
        "linearisation",
        "certified",
        "isolated",
        "frozen",
    ];
    has_keys(&value["equilibria"][0], &keys);
    let again = json(&["equilibria", "double_pendulum"]);
    assert_eq!(again.1, value);
}

#[test]
fn an_objective_has_extrema_and_no_motion() {
    let text =
        "coordinates: [x, y]\nparameters: {c: 2}\nobjective: x*y\nconstraints: {s: x + y = c}\n";
    let said = with_input(&["equilibria", "-", "--json"], text.as_bytes());
    let value: Value = serde_json::from_str(&said.out).unwrap();
    let e = &value["equilibria"][0];
    // the largest product c^2/4, which grows with c by c/2
    assert_eq!(e["kind"], "maximum");
    assert!((e["objective"].as_f64().unwrap() - 1.0).abs() < 1e-12);
    assert!((e["multipliers"]["s"].as_f64().unwrap() - 1.0).abs() < 1e-12);
    assert!(e.get("stability").is_none() && e.get("frequencies").is_none());
    assert_eq!(with_input(&["check", "-"], text.as_bytes()).code, 0);
    // what needs the constraints alone, and the equations without a motion
    for command in ["inverse", "atlas", "map", "verify", "derive"] {
        let said = with_input(&[command, "-"], text.as_bytes());
        assert_eq!(said.code, 0, "{command}: {}", said.err);
        assert!(!said.out.contains("Lagrangian"), "{}", said.out);
    }
    let said = with_input(&["derive", "-"], text.as_bytes());
    assert!(said.out.contains("lambda_s = "), "{}", said.out);
    for command in [
        &["simulate"][..],
        &["compare"],
        &["plot"],
        &["derive", "--explain"],
        &["derive", "--code", "python"],
    ] {
        let mut line = vec![command[0], "-"];
        line.extend(&command[1..]);
        let said = with_input(&line, text.as_bytes());
        assert_eq!(said.code, 2, "{command:?}");
        assert!(said.err.contains("has no motion"), "{}", said.err);
    }
}

#[test]
fn a_parameter_takes_no_letter_of_the_formulas() {
    let text = b"coordinates: [x, y]\nparameters: {L: 2, H: 3}\nlagrangian: 1/2*(x'^2 + y'^2) - 9.81*(y + H)\n\
         constraints: {rod: x^2 + y^2 = L^2}\nstart: {x: 0.5}\nguess: {y: -2}\n";
    let plain = with_input(&["derive", "-"], text).out;
    assert!(plain.contains("\n  Lagrangian = x'^2/2"), "{plain}");
    assert!(plain.contains("\n  energy = "), "{plain}");
    let latex = with_input(&["derive", "-", "--latex"], text).out;
    assert!(latex.contains("\\mathcal{L} &= "), "{latex}");
    assert!(latex.contains("\\mathcal{H} &= "), "{latex}");
}

#[test]
fn multipliers_of_single_steps_are_told_as_provisional() {
    let text = b"coordinates: [x, y, s]\nlagrangian: (x'^2+y'^2)/2 - 9.81*y\n\
         constraints: {cx: x = s + sin(s), cy: y = 1 - cos(s)}\nstart: {s: 1.5, s': 0}\n";
    let provisional = "the multipliers given here are provisional";
    for line in [&["derive", "-"][..], &["derive", "-", "--latex"]] {
        let told = with_input(line, text).out;
        assert!(told.contains(provisional), "{told}");
    }
}

/// The determinant of three constraints on four coordinates is one polynomial of ten terms.
#[test]
fn a_long_factor_is_named_in_the_verdict_and_written_once() {
    let text = b"coordinates: [x1, y1, x2, y2]\nlagrangian: (x1'^2 + y1'^2 + x2'^2 + y2'^2)/2\n\
                constraints:\n  one: x1^2 + y1^2 = 1\n  two: (x2 - x1)^2 + (y2 - y1)^2 = 1\n  \
                three: (x2 - 2)^2 + (y2 - x1)^2 + x1*y1 = 1\n\
                start: {x1: 0.5}\nguess: {y1: -0.866, x2: 1.5, y2: -0.8}\n";
    let said = with_input(&["check", "-"], text);
    assert_eq!(said.code, 0, "{}", said.err);
    let said = said.out;
    assert!(said.contains("Nearest failure: factor 1 = 0 at"), "{said}");
    assert!(said.contains("zero where factor 1 = 0"), "{said}");
    assert_eq!(said.matches("x1^2*y1").count(), 1, "{said}");
}
