//! What commands tell of what was asked: nothing is left out silently, and advice leads to what was meant.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use assert_cmd::Command;

/// Exit code, standard output and standard error.
pub fn told(arguments: &[&str], file: &str) -> (i32, String, String) {
    let output = Command::cargo_bin("holonom")
        .unwrap()
        .args(arguments)
        .write_stdin(file)
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(!err.contains("panicked"), "{err}");
    (output.status.code().unwrap(), out, err)
}

/// A pendulum without mass: no motion can start.
const MASSLESS: &str = "
coordinates: [x, y]
parameters: {m: 0}
lagrangian: 1/2*m*(x'^2 + y'^2) - m*9.81*y
constraints: {rod: x^2 + y^2 = 1}
start: {x: 0.5, x': 0}
guess: {y: -1}
";

#[test]
fn a_motion_that_cannot_start_is_varied_for_the_reason_that_simulate_gives() {
    let (code, out, _) = told(&["simulate", "-"], MASSLESS);
    assert_eq!(code, 3);
    let why = "no kinetic energy belongs to motion along";
    assert!(out.contains(why), "{out}");
    let (code, _, err) = told(&["vary", "-"], MASSLESS);
    assert_eq!(code, 3, "{err}");
    assert!(err.contains(why), "{err}");
}

/// So many masses without anything between them.
fn masses(count: usize) -> String {
    let names: Vec<String> = (1..=count).map(|k| format!("x{k}")).collect();
    let squares: Vec<String> = names.iter().map(|x| format!("{x}'^2")).collect();
    let start: Vec<String> = names.iter().map(|x| format!("{x}: 0, {x}': 1")).collect();
    format!(
        "coordinates: [{}]\nlagrangian: {}\nstart: {{{}}}\nrun: {{until: 1}}\n",
        names.join(", "),
        squares.join(" + "),
        start.join(", ")
    )
}

#[test]
fn a_plot_without_plots_has_all_coordinates_and_names_those_left_out() {
    let (code, out, err) = told(&["plot", "-", "--svg"], &masses(5));
    assert_eq!((code, err.contains("left out")), (0, false), "{err}");
    for name in ["x1", "x2", "x3", "x4", "x5"] {
        assert!(out.contains(&format!(">{name}</text>")), "{name}");
    }
    let (code, out, err) = told(&["plot", "-", "--svg"], &masses(10));
    assert_eq!(code, 0);
    assert!(
        err.contains("note: left out: x9, x10; --y draws them"),
        "{err}"
    );
    assert!(out.contains(">x8</text>") && !out.contains(">x9</text>"));
}

/// The element before the words of a legend.
fn sample<'a>(svg: &'a str, label: &str) -> &'a str {
    let words = format!(">{label}</text>");
    let lines: Vec<&str> = svg.lines().collect();
    let at = lines.iter().position(|line| line.contains(&words));
    let at = at.unwrap_or_else(|| panic!("{label} has no entry"));
    lines[at - 1]
}

/// How a line is drawn: what stands before its places.
fn ink(path: &str) -> &str {
    path.split(" stroke-width").next().unwrap()
}

#[test]
fn entries_of_a_legend_in_vectors_are_drawn_as_what_they_stand_for() {
    let (_, svg, _) = told(&["map", "pendulum", "--levels", "y", "--svg"], "");
    assert!(sample(&svg, "touched").starts_with("<circle"));
    let field = svg.split("<g clip-path").nth(1).unwrap();
    let touching = ink(sample(&svg, "y = 1 touches"));
    assert!(!touching.contains("dasharray"), "{touching}");
    assert!(field.contains(&format!("{touching} d=")), "{touching}");
    // other levels are drawn in pieces, none of which is a dot
    let pieces = ink(sample(&svg, "y = -1.5 ... 2"));
    assert!(pieces.contains("dasharray"), "{pieces}");
    assert!(!field.contains("stroke-width=\"4\""), "dots");
    let ellipse = "
coordinates: [r, z]
parameters: {w: 1}
lagrangian: 1/2*(r'^2 + z'^2 + w^2*r^2) - 9.81*z
constraints: {wire: r^2 + z^2 = 1}
start: {r: 0, z: -1}
";
    let (_, svg, err) = told(&["continue", "-", "--over", "w=1:6", "--svg"], ellipse);
    assert!(sample(&svg, "pitchfork").starts_with("<circle"), "{err}");
}

#[test]
fn a_branch_has_the_value_at_which_its_stability_is_proven() {
    let (_, out, _) = told(&["continue", "rotating_hoop", "--over", "w=1:6"], "");
    let at = out.find("at a point inside").unwrap();
    let rows = out[at..].lines().skip(1);
    let rows = rows.take_while(|row| row.contains(" to "));
    let rows: Vec<&str> = rows.collect();
    assert!(rows.len() > 1, "{out}");
    for row in rows {
        assert!(row.contains(" w = "), "{row}");
    }
}

#[test]
fn an_equation_with_two_signs_is_one_everywhere() {
    let file = "
coordinates: [x, y]
lagrangian: 1/2*(x'^2 + y'^2)
constraints: {wire: y == x^2}
start: {x: 1, x': -1}
run: {until: 2}
expect:
  - {fact: it keeps to the wire, source: the file, identity: y == x^2}
  - {fact: where it starts, source: the file, value: y, is: 0, when: x == 0, within: 1e-6}
";
    let (code, out, err) = told(&["verify", "-"], file);
    assert_eq!(code, 0, "{out}{err}");
    let (code, _, err) = told(&["simulate", "-", "--when", "x==0"], file);
    assert_eq!(code, 0, "{err}");
}

#[test]
fn a_value_with_a_unit_and_a_velocity_of_another_notation_are_told_as_what_they_are() {
    let cases: [(&[&str], &str); 5] = [
        (
            &["simulate", "pendulum", "--until", "1s"],
            "write `1` alone",
        ),
        (
            &["simulate", "pendulum", "--set", "l=2m"],
            "there are no units",
        ),
        (&["simulate", "pendulum", "--columns", "t,vx"], "write `x'`"),
        (&["simulate", "pendulum", "--at", "vx=1"], "write `x'`"),
        (&["simulate", "pendulum", "--at", "xd=1"], "write `x'`"),
    ];
    for (arguments, wanted) in cases {
        let (code, _, err) = told(arguments, "");
        assert_eq!(code, 2, "{arguments:?}");
        assert!(err.contains(wanted), "{arguments:?}: {err}");
    }
}

#[test]
fn a_damper_of_the_wrong_sign_is_not_stepped_millions_of_times_and_advised_to_loosen_rtol() {
    let arm = "
coordinates: [q, p]
parameters: {kd: -20}
lagrangian: q'^2/2 + (q' + p')^2/2 + q'*(q' + p')*cos(p)/2 + 9.81*(cos(q) + cos(q + p))
forces: {q: -200*q - kd*q', p: -200*(p - 1) - kd*p'}
run: {until: 20}
";
    let (code, out, _) = told(&["simulate", "-", "--json"], arm);
    assert_eq!(code, 3);
    let motion: serde_json::Value = serde_json::from_str(&out).unwrap();
    let because = motion["because"].as_str().unwrap();
    assert!(
        because.starts_with("the motion grows without bound"),
        "{because}"
    );
    assert!(
        because.contains("check the signs of the forces"),
        "{because}"
    );
    assert!(motion["steps"].as_u64().unwrap() < 200_000);
    // what grows and comes to its end does: exponentially, by a burn, turned ever faster
    for file in [
        "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2 + 50*x^2\nforces: {y: 2*y'}\nstart: {x: 1, y': 1}\nrun: {until: 30}\n",
        "coordinates: [h]\nlagrangian: h'^2/2 - 10*h\nforces: {h: 1000/(1.000001 - t)}\nrun: {until: 1}\n",
        "coordinates: [a]\nlagrangian: a'^2/2 + 9.81*cos(a)\nforces: {a: 5}\nstart: {a': 1}\nrun: {until: 100}\n",
    ] {
        let (code, out, err) = told(&["simulate", "-"], file);
        assert_eq!(code, 0, "{out}{err}");
    }
}

#[test]
fn a_force_on_a_body_whose_position_is_no_coordinate_is_not_told_to_need_bodies() {
    let file = "
coordinates: [a, s]
bodies: {rod: {mass: 1, at: [cos(a), sin(a)]}, piston: {mass: 1, at: [s, 0]}}
constraints: {pin: 2*cos(a) = s}
start: {a: 1}
";
    let (code, _, err) = told(&["simulate", "-", "--columns", "t,F_pin_piston"], file);
    assert_eq!(code, 2);
    assert!(
        err.contains("the body `piston`") && err.contains("[s, 0]"),
        "{err}"
    );
    let (_, out, _) = told(&["derive", "-"], file);
    assert!(!out.contains("needs `bodies`"), "{out}");
}

#[test]
fn constraints_that_no_position_meets_are_the_headline() {
    let file = "
coordinates: [x, y]
lagrangian: 1/2*(x'^2 + y'^2)
constraints:
  rod: x^2 + y^2 = 1
  far: x + y = 3
start: {x: 1, y: 0.35}
";
    for file in [file.to_owned(), file.replace("start: {x: 1, y: 0.35}", "")] {
        let (code, _, err) = told(&["simulate", "-"], &file);
        assert_eq!(code, 2);
        let first = err.lines().next().unwrap();
        let proof = "error: no position meets `rod` and `far` together (proven";
        assert!(first.starts_with(proof), "{err}");
        assert!(
            err.contains(":5:8") && err.contains("every start misses one of them"),
            "{err}"
        );
    }
}

#[test]
fn a_start_off_the_constraints_says_that_values_may_be_left_out() {
    let file = "
coordinates: [x, y]
lagrangian: 1/2*(x'^2 + y'^2)
constraints: {rod: x^2 + y^2 = 1}
start: {x: 0.5, y: -0.5}
";
    let (_, _, err) = told(&["simulate", "-"], file);
    assert!(
        err.contains("values that are left out of `start` are solved for"),
        "{err}"
    );
    let (code, out, err) = told(&["simulate", "-"], &file.replace(", y: -0.5", ""));
    assert_eq!(code, 0, "{out}{err}");
}

#[test]
fn what_is_so_or_not_is_off_by_nothing() {
    let file = "
coordinates: [x, y]
lagrangian: 1/2*(x'^2 + y'^2) - 9.81*y
constraints: {rod: x^2 + y^2 = 1}
start: {x: 0.5}
expect:
  - {fact: it hangs, source: the file, equilibrium: {x: 0, y: -1}, stability: stable}
  - {fact: two, source: the file, equilibria: 2}
";
    let (code, out, err) = told(&["verify", "-"], file);
    assert_eq!(code, 0, "{out}{err}");
    assert!(!out.contains("off by"), "{out}");
    assert!(out.contains("computed 2, known 2\n"), "{out}");
}

#[test]
fn a_block_that_dry_friction_holds_is_told_to_begin_at_rest() {
    let file = "
coordinates: [x]
parameters: {m: 1, mu: 0.5, g: 9.81, k: 10}
lagrangian: 1/2*m*x'^2 - 1/2*k*x^2
forces: {x: -mu*m*g*sign(x')}
start: {x: 0.2}
run: {until: 3}
";
    for more in [
        &[][..],
        &["--method", "multipliers"],
        &["--method", "tangents"],
        &["--stiff"],
    ] {
        let arguments = [&["simulate", "-"], more].concat();
        let (code, out, _) = told(&arguments, file);
        assert_eq!(code, 3, "{more:?}: {out}");
        let wanted = "STOPPED at t = 0: the motion begins at rest, t = 0, where `sign(x')` of dry";
        assert!(out.starts_with(wanted), "{more:?}: {out}");
    }
    // the spring is stronger: it slides, and comes to rest
    let (code, out, _) = told(&["simulate", "-", "--at", "x=1"], file);
    assert_eq!(code, 3, "{out}");
    assert!(out.starts_with("STOPPED at t = 0.99"), "{out}");
    // and what is steep but no jump goes on
    let smooth = file.replace("sign(x')", "tanh(x'/1e-3)");
    let (code, out, _) = told(&["simulate", "-"], &smooth);
    assert_eq!(code, 0, "{out}");
}
