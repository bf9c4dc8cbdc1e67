//! What is said beside an answer, so that it is not taken for something else.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::told::told;
use serde_json::Value;

/// Exit code, standard output and standard error, their lines joined.
fn said(arguments: &[&str], file: &str) -> (i32, String, String) {
    let (code, out, err) = told(arguments, file);
    let joined = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    (code, joined(&out), joined(&err))
}

fn has(text: &str, wanted: &[&str]) {
    for wanted in wanted {
        assert!(text.contains(wanted), "{wanted}\n{text}");
    }
}

const TWO_PENDULUMS: &str = "
coordinates: [x1, y1, x2, y2]
lagrangian: x1'^2/2 + y1'^2/2 + x2'^2 + y2'^2 - 9.81*(y1 + 2*y2)
constraints: {first: x1^2 + y1^2 = 1, second: (x2 - x1)^2 + (y2 - y1)^2 = 1}
start: {x1: 0, y1: -1, x2: 0, y2: -2, x1': 0, x2': 0}
";

const DOUBLED: &str = "
coordinates: [x, y]
lagrangian: x'^2 + y'^2
constraints: {a: x + y = 1, b: 2*x + 2*y = 2}
start: {x: 0.5, x': 1}
";

const SKATE: &str = "
coordinates: [x, y, th]
lagrangian: 1/2*((x' - 0.4*sin(th)*th')^2 + (y' + 0.4*cos(th)*th')^2) + 0.1*th'^2
velocity_constraints: {blade: -sin(th)*x' + cos(th)*y' = 0}
start: {x: 0, y: 0, th: 0, x': 1, th': 2}
run: {until: 1}
";

#[test]
fn the_force_between_two_bodies_is_not_taken_for_that_on_one() {
    let (_, out, _) = said(&["derive", "-"], TWO_PENDULUMS);
    has(&out, &["F_second goes over all coordinates together"]);
    assert!(!out.contains("F_first goes"), "{out}");
    let column = ["simulate", "-", "--columns", "F_second_b"];
    let (code, _, err) = said(&column, TWO_PENDULUMS);
    assert_eq!(code, 2);
    has(&err, &["the force on a body needs `bodies`"]);
}

#[test]
fn a_lagrangian_beside_a_parameter_of_its_letter_has_one_name() {
    let file = "
coordinates: [x, y]
parameters: {L: 3}
lagrangian: x'^2 + y'^2 - x - 2*y
constraints: {rope: x + y = L}
start: {x: 1, x': 0}
";
    for form in [&[][..], &["--explain"], &["--variation"], &["--pretty"]] {
        let (_, out, _) = said(&[&["derive", "-"][..], form].concat(), file);
        has(&out, &["Lagrangian"]);
        for other in ["dL/d", "∂L/∂", "L_1", "by L ", "int L "] {
            assert!(!out.contains(other), "{other}\n{out}");
        }
    }
}

#[test]
fn a_point_with_room_to_a_one_sided_constraint_is_allowed() {
    let file = "
coordinates: [x, y]
lagrangian: x'^2 + y'^2 - y
constraints: {string: {f: 1 - x^2 - y^2, side: '>='}}
start: {x: 0, y: -1, x': 6}
";
    let within = ["check", "-", "--at", "x=0.1,y=0.2"];
    let (code, out, _) = said(&within, file);
    assert_eq!(code, 0);
    has(&out, &["NOT IN CONTACT with string", "string by 0.95"]);
    assert!(!out.contains("OFF") && !out.contains("misses"), "{out}");
    let (_, out, _) = said(&[&within[..], &["--json"]].concat(), file);
    let told: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(told["not_in_contact"], serde_json::json!(["string"]));
    let beyond = ["check", "-", "--at", "x=1,y=1"];
    has(&said(&beyond, file).1, &["OFF the constraints"]);
}

#[test]
fn where_the_determinant_is_zero_everywhere_there_is_no_g() {
    let (_, out, _) = said(&["check", "-"], DOUBLED);
    has(&out, &["none: J_D is singular at every configuration"]);
    let (code, out, _) = said(&["inverse", "-"], DOUBLED);
    assert_eq!(code, 1);
    has(&out, &["there is no g"]);
    assert!(!out.contains("x = 0.5"), "{out}");
    let (_, out, _) = said(&["derive", "-"], DOUBLED);
    has(&out, &["1 to invert, then 1 differential"]);
    let (_, out, _) = said(&["derive", "-", "--explain"], DOUBLED);
    has(&out, &["N is empty"]);
}

#[test]
fn dependent_velocities_are_told_with_where_they_are_dependent() {
    let (_, out, _) = said(&["derive", "-"], SKATE);
    has(
        &out,
        &[
            "dependent by the velocity constraints, where cos(th) is not 0",
            "Virtual displacements (d'Alembert), where cos(th) is not 0",
        ],
    );
    let (_, out, _) = said(&["check", "-", "--at", "th=pi/2"], SKATE);
    has(&out, &["where cos(th) is not 0 (not here)"]);
}

#[test]
fn an_action_beside_forces_is_compared_with_its_slope_as_well() {
    let (_, out, _) = said(&["vary", "-"], SKATE);
    has(&out, &["S'(0) is minus the work", "eps S' + eps^2 S''/2"]);
}

#[test]
fn without_constraints_there_is_one_method_and_nothing_to_solve_for() {
    let file = "{coordinates: [x], lagrangian: x'^2/2}";
    has(
        &said(&["compare", "-"], file).1,
        &["the methods are one and the same"],
    );
    let (_, out, _) = said(&["check", "-"], file);
    has(&out, &["start: x = 0 by the `guess`"]);
}

#[test]
fn a_value_of_the_file_beside_one_that_was_replaced_is_named() {
    let kept = "y = 0.5 stands in the file's `start`";
    let (_, out, _) = said(&["check", "pendulum", "--at", "x=0.6"], "");
    has(&out, &[kept]);
    let (code, _, err) = said(&["simulate", "pendulum", "--at", "x=0.6"], "");
    assert_eq!(code, 2);
    has(&err, &["miss the constraint `rod` by -0.39;", kept]);
}

#[test]
fn an_empty_cell_of_a_sweep_has_its_reason() {
    let over = ["sweep", "-", "--over", "x'=1:2:2", "--report"];
    let report = ["period(th),when(x=100,t),max(x)"];
    let (code, out, err) = said(&[&over[..], &report[..]].concat(), SKATE);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains(",,"), "{out}");
    has(
        &err,
        &[
            "period(th) has no value in 2 finished runs",
            "when(x=100,t) has no value in 2 finished runs: that does not happen",
        ],
    );
    assert!(!err.contains("max(x)"), "{err}");
}

#[test]
fn a_symmetric_matrix_is_written_so_and_an_imaginary_part_has_one_sign() {
    let file = "
coordinates: [x1, x2, x3]
kinetic: 1/2*(x1'^2 + x2'^2 + x3'^2)
potential: 5*(x1^2 + (x2 - x1)^2 + x3^2)
constraints: {bar: x3 - x2 = 1}
forces: {x1: -0.1*x1'}
start: {x1: 0.1, x1': 0, x2: -0.3, x2': 0}
";
    let (_, out, _) = said(&["equilibria", "-", "--linearise"], file);
    assert_eq!(out.matches("-7.07107").count(), 2, "{out}");
    assert!(!out.contains("+ -"), "{out}");
}

#[test]
fn what_cannot_be_done_has_a_way_out() {
    for (arguments, file, wanted) in [
        (
            &["plot", "pendulum", "--size", "2x2"][..],
            "",
            "from 8x4 to 1000x1000",
        ),
        (&["check", "pendulum", "--al", "x=3"], "", "'--at'"),
        (
            &["simulate", "-", "--samples", "3"],
            "{coordinates: [x], lagrangian: x'^2/2, forces: {x: 1 - 2*sign(x')}, start: {x: 0, x': 1}}",
            "tanh(x'/v)",
        ),
        (
            &["check", "-"],
            "coordinates: [x, y]\nlagrangian: x'^2\nconstraints:\n  w: x^2 + y^2 = -1\n",
            ":4:6",
        ),
    ] {
        let (code, out, err) = said(arguments, file);
        assert!(code > 1, "{err}");
        has(&(out + &err), &[wanted]);
    }
}
