//! Stability decided by proof: the words against what is known by hand, and against systems whose equilibrium and whose
//! stability were planted and hidden by a change of coordinates.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use holonom::analysis::{Model, Where};
use holonom::statics::{Criterion, Equilibria, Equilibrium, Kind, Note, Reason, Stability};
use holonom::system::System;
use std::fmt::Write as _;

fn model(text: &str) -> Model {
    Model::new(System::parse(text, "test.yaml", &[]).unwrap_or_else(|e| panic!("{text}\n{e:?}")))
}

fn found(text: &str) -> Equilibria {
    model(text).equilibria(&Where::default())
}

fn at<'a>(all: &'a Equilibria, x: &[f64]) -> &'a Equilibrium {
    let near = |e: &&Equilibrium| e.x.iter().zip(x).all(|(a, b)| (a - b).abs() < 1e-6);
    all.list
        .iter()
        .find(near)
        .unwrap_or_else(|| panic!("{all:?}"))
}

fn criterion(e: &Equilibrium) -> Option<Criterion> {
    e.verdict.stability.criterion()
}

#[test]
fn a_flat_second_variation_is_followed_to_the_fourth_order() {
    let text = |sign: &str| {
        format!(
            "coordinates: [x, y, z]\nlagrangian: 1/2*(x'^2 + y'^2 + z'^2) {sign} (y^4 - z^2)\n\
             constraints: {{a: z = y^3, b: z^2 + 3*x^2 = 2}}\nstart: {{x: 0.8, y: 0.1}}\n"
        )
    };
    let root = (2.0_f64 / 3.0).sqrt();
    let (low, high) = (found(&text("-")), found(&text("+")));
    for x in [root, -root] {
        let e = at(&low, &[x, 0.0, 0.0]);
        assert_eq!(e.verdict.signature(), [0, 1, 0]);
        assert_eq!(e.verdict.kind(), Kind::Minimum);
        assert_eq!(criterion(e), Some(Criterion::Minimum { degree: 4 }));
        assert!(e.verdict.form.undecided().is_empty() && e.along.is_none());
        let e = at(&high, &[x, 0.0, 0.0]);
        assert_eq!(e.verdict.kind(), Kind::Maximum);
        assert_eq!(criterion(e), Some(Criterion::FallsLater { degree: 4 }));
        assert!(e.verdict.modes.is_empty());
    }
}

#[test]
fn a_flat_direction_at_an_irrational_point_is_followed() {
    let all = found(
        "coordinates: [x, z]\nlagrangian: 1/2*(x'^2 + z'^2) + x^4 + sin(z)\n\
         constraints: {a: z + x^2/2 = pi/2}\nstart: {x: 0.1}\n",
    );
    let e = at(&all, &[0.0, std::f64::consts::FRAC_PI_2]);
    assert_eq!(criterion(e), Some(Criterion::FallsLater { degree: 4 }));
    assert_eq!(e.verdict.signature(), [0, 1, 0]);
}

/// V falls by its fourth order, and every motion is damped: what rests nowhere near at a lower V goes away.
#[test]
fn damping_does_not_hold_what_falls_later() {
    let falls = |potential: &str, more: &str| {
        let all = found(&format!(
            "coordinates: [x, y]\nlagrangian: \"(x'^2 + y'^2)/2 {more} - ({potential})\"\n\
             forces: {{x: -0.1*x', y: -0.2*y'}}\n"
        ));
        criterion(at(&all, &[0.0, 0.0]))
    };
    for potential in [
        "y^2 - x^4",
        "y^2 + x^3",
        "x^4 - y^2 + x*y^3",
        "y^3 - 3*y*x^2",
    ] {
        for more in ["", "+ 2*(x*y' - y*x')"] {
            let by = falls(potential, more);
            assert_eq!(by, Some(Criterion::DampedLater), "{potential} {more}");
        }
    }
    assert_eq!(
        falls("y^2 + x^4", "+ x*y'"),
        Some(Criterion::Minimum { degree: 4 })
    );
}

/// On a curve x y' - y x' is a rate.
#[test]
fn gyroscopic_terms_hold_nothing_on_a_curve() {
    let all = found(
        "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2 + 3*(x*y' - y*x') + x^4\n\
         constraints: {c: y = x^2}\n",
    );
    let e = at(&all, &[0.0, 0.0]);
    assert_eq!(criterion(e), Some(Criterion::FallsLater { degree: 4 }));
}

/// Of several flat directions one in which V falls is enough, whatever else moves; with gyroscopic forces one alone is told.
#[test]
fn what_falls_in_a_flat_direction_is_unstable_beside_others() {
    let by = |potential: &str, more: &str| {
        let names = ["x", "y", "z"];
        let list: Vec<&str> = names
            .into_iter()
            .filter(|n| potential.contains(n))
            .collect();
        let all = found(&format!(
            "coordinates: [{}]\nlagrangian: (x'^2 + y'^2)/2 - ({potential}){}{more}\n",
            list.join(", "),
            if list.len() > 2 { " + z'^2/2" } else { "" }
        ));
        let e = at(&all, &vec![0.0; list.len()]);
        assert_eq!(e.verdict.kind(), Kind::Saddle);
        criterion(e)
    };
    let falls = |degree| Some(Criterion::FallsLater { degree });
    assert_eq!(by("x^3 - 3*x*y^2", ""), falls(3));
    assert_eq!(by("x^4 - 3*x^2*y^2 + y^4", ""), falls(4));
    assert_eq!(by("z^2 - x^4 - y^4", ""), falls(4));
    assert_eq!(by("z^2 + x^3 - 3*x*y^2 + z*x*y", ""), falls(3));
    assert_eq!(by("x^2 - y^4 + x*y^3", " + 3*(x*y' - y*x')"), falls(4));
    assert_eq!(by("x^2 + z^2 + y^3 - z^3", " + 2*x*y' - z*y'"), falls(3));
    // two flat directions that gyroscopic forces turn into each other, and one that falls at once
    assert_eq!(by("z^2 + x^3 - 3*x*y^2", " + x*y' - y*x'"), None);
    assert_eq!(by("-x^2 - y^2 + z^3", " + 5*(x*y' - y*x')"), None);
}

#[test]
fn an_objective_of_third_order_has_no_maximum() {
    let all = found("coordinates: [x, y]\nobjective: x^3 - y^2\nconstraints: {c: y = x^2}\n");
    let e = at(&all, &[0.0, 0.0]);
    assert_eq!(
        (e.verdict.signature(), e.verdict.kind()),
        ([0, 1, 0], Kind::Saddle)
    );
}

#[test]
fn a_free_coordinate_is_flat_and_one_of_a_family() {
    for lagrangian in [
        "1/2*(x'^2 + y'^2) - 1/2*x^2",
        "1/2*(x'^2 + (2 + sin(x))*y'^2) - cosh(3*x)/7",
        "1/2*(x'^2 + y'^2) + x'*y'*cos(x)/3 - 1e-9*x^2 - 1e7*x^4",
    ] {
        let all = found(&format!(
            "coordinates: [x, y]\nlagrangian: {lagrangian}\nstart: {{y: 0.3}}\n"
        ));
        let e = at(&all, &[0.0, 0.3]);
        assert_eq!(e.verdict.signature(), [1, 1, 0], "{lagrangian}");
        assert_eq!(e.verdict.stability, Stability::Degenerate(Reason::Flat));
        assert!(e.of_a_family());
        assert_eq!(e.along.as_ref().unwrap().direction(), [0.0, 1.0]);
    }
}

#[test]
fn mirror_images_are_told_alike() {
    let text = |x: &str| {
        format!(
            "coordinates: [x, y, z]\nlagrangian: 1/2*(x'^2 + y'^2 + z'^2) - (({x})^3 + y^4 + z^2 - 3*({x}))\n\
             constraints: {{c: z = ({x})*y}}\n"
        )
    };
    let (one, other) = (found(&text("x")), found(&text("-x")));
    assert_eq!(one.list.len(), other.list.len());
    for e in &one.list {
        let x: Vec<f64> =
            e.x.iter()
                .enumerate()
                .map(|(k, v)| if k == 0 { -v } else { *v })
                .collect();
        let image = at(&other, &x);
        assert_eq!(e.verdict.signature(), image.verdict.signature());
        assert_eq!(e.verdict.stability, image.verdict.stability);
    }
}

#[test]
fn a_stiffness_is_not_lost_in_the_width_of_a_certified_box() {
    let all = found(
        "coordinates: [x, y, z]\nlagrangian: 1/2*(x'^2 + y'^2 + z'^2) - (3*sinh(z) + 2.1*cos(x) + 0.3*cos(z) + x^2 - y^2/2 - z^2)\n\
         constraints: {a: y + z = 1, b: x*y = 3}\nstart: {x: 1.5, y: 2}\n",
    );
    assert!(
        all.list
            .iter()
            .all(|e| e.certified() && e.verdict.signature() == [1, 0, 0])
    );
    assert!(all.list.iter().all(|e| e.verdict.stability.is_stable()));
}

#[test]
fn what_has_no_value_is_told_and_not_a_panic() {
    for text in [
        "coordinates: [y, u]\nlagrangian: 1/2*(y'^2 + u'^2) - (u^3 - 1)/y\nconstraints: {a: y^2 + u^2 = 1.5, b: 5*y*u = 2*y}\nstart: {y: 1, u: 0.4}\n",
        "coordinates: [y, u]\nlagrangian: 1/2*(y'^2 + u'^2) - (u^3 - 1)/y\nconstraints: {a: y^2 + u^2 = 1.5, b: 5*y*u = 2*y}\nguess: {u: 1.2}\n",
        "coordinates: [x, y]\nlagrangian: 1/2*(x'^2 + y'^2) - log(x)/y\nconstraints: {a: x*y = 0}\nstart: {x: 1, y: 0}\n",
        "coordinates: [x, y]\nlagrangian: 1/2*(x'^2 + y'^2) - y\nconstraints: {a: x^2 + y^2 = -1}\nstart: {x: 0.5, y: 0.5}\n",
        "coordinates: [x, y]\nlagrangian: 1/2*(x'^2 + y'^2) - y\nconstraints: {a: x + y = 1, b: x + y = 2}\nstart: {x: 0, y: 1}\n",
    ] {
        let all = found(text);
        for e in &all.list {
            assert!(e.x.iter().all(|v| v.is_finite()), "{text}");
        }
    }
}

#[test]
fn poles_are_no_equilibria() {
    // 1/y has its pole where the constraint touches
    let all = found(
        "coordinates: [x, y]\nlagrangian: 1/2*(x'^2 + y'^2) - 1/(x - 1)^2 - y\nconstraints: {c: y = (x - 1)^3}\nstart: {x: 0.5}\n",
    );
    assert!(all.list.iter().all(|e| (e.x[0] - 1.0).abs() > 1e-2));
    // the sleeping top turned round: L has a pole there
    let all = found(
        "coordinates: [x, y, z]\nparameters: {s: 3}\n\
         lagrangian: 1/2*(x'^2 + y'^2 + z'^2) + s*(x*y' - y*x')/(1 + z) - z\nconstraints: {c: x^2 + y^2 + z^2 = 1}\nstart: {z: 1}\n",
    );
    assert_eq!(all.list.len(), 1);
    assert_eq!(all.undefined.len(), 1);
    assert!((all.undefined[0][2] + 1.0).abs() < 1e-9);
    assert_eq!(
        all.list[0].verdict.stability,
        Stability::Degenerate(Reason::Gyroscopic)
    );
}

#[test]
fn places_near_a_cusp_are_no_equilibria() {
    for v in ["x + y^2 + z", "2*x - y*z + 3*z", "cos(x) + y - z"] {
        let all = found(&format!(
            "coordinates: [x, y, z]\nlagrangian: 1/2*(x'^2 + y'^2 + z'^2) - ({v})\nconstraints: {{a: x = y^3, b: x = z^3}}\nstart: {{x: 0.5}}\n"
        ));
        for e in &all.list {
            let near = e.x.iter().all(|v| v.abs() < 1e-2);
            assert!(!near || e.certified(), "{v}: {:?}", e.x);
        }
    }
}

#[test]
fn a_defective_exponent_is_told_to_grow_in_the_linearised_motion() {
    // K = -1, G = 2: (s^2 + 1)^2 = 0, and t sin t is a motion
    let text = |w: f64| {
        format!(
            "coordinates: [x, y]\nparameters: {{w: {w}}}\nlagrangian: 1/2*(x'^2 + y'^2) + 1/2*(x^2 + y^2) + w*(x*y' - y*x')\n"
        )
    };
    let all = found(&text(1.0));
    let e = at(&all, &[0.0, 0.0]);
    assert_eq!(
        e.verdict.stability,
        Stability::Degenerate(Reason::Defective)
    );
    assert!(
        at(&found(&text(0.9)), &[0.0, 0.0])
            .verdict
            .stability
            .is_unstable()
    );
    let held = found(&text(1.1));
    assert_eq!(
        at(&held, &[0.0, 0.0]).verdict.stability,
        Stability::Degenerate(Reason::Gyroscopic)
    );
}

#[test]
fn multiple_exponents_are_judged_by_their_modes_on_constraints_too() {
    // u = x - 1 and v = y + x^2 - 3, hidden, and z follows
    let one = |w: &str| {
        let all = found(&format!(
            "coordinates: [x, y, z]\nparameters: {{w: {w}}}\n\
             define: {{u: x - 1, v: y + x^2 - 3}}\n\
             lagrangian: 1/2*(x'^2 + (y' + 2*x*x')^2) + 1/2*(u^2 + v^2) + w*(u*(y' + 2*x*x') - v*x') - (z - u*v)*(1 + z)\n\
             constraints: {{c: z = u*v}}\nstart: {{x: 1, y: 2}}\n"
        ));
        at(&all, &[1.0, 2.0, 0.0]).verdict.stability
    };
    assert_eq!(one("1"), Stability::Degenerate(Reason::Defective));
    assert_eq!(one("1.25"), Stability::Degenerate(Reason::Gyroscopic));
    assert!(one("0.9").is_unstable());
    // what the file writes is exact, whatever its digits; what is computed may stand for another number
    assert_eq!(
        one("1.0000000000000002"),
        Stability::Degenerate(Reason::Gyroscopic)
    );
    assert_eq!(
        one("sin(1)^2 + cos(1)^2"),
        Stability::Degenerate(Reason::Exponents)
    );
}

#[test]
fn two_equal_pairs_of_exponents_are_no_defect() {
    let text = |w: f64| {
        format!(
            "coordinates: [a, b, c, d]\nlagrangian: 1/2*(a'^2 + b'^2 + c'^2 + d'^2) + 1/2*(a^2 + b^2 + c^2 + d^2) + {w}*(a*b' - b*a' + c*d' - d*c')\n"
        )
    };
    let stability = |w| at(&found(&text(w)), &[0.0; 4]).verdict.stability;
    assert_eq!(stability(1.25), Stability::Degenerate(Reason::Gyroscopic));
    assert_eq!(stability(1.0), Stability::Degenerate(Reason::Defective));
    assert!(stability(0.5).is_unstable());
}

#[test]
fn exponents_of_six_freedoms_are_there() {
    let mut terms = String::new();
    for i in 1..6 {
        let (w, j) = (f64::from(i) / 4.0, i + 1);
        let _ = write!(terms, " + {w}*(q{i}*q{j}' - q{j}*q{i}')");
    }
    let names: Vec<String> = (1..=6).map(|i| format!("q{i}")).collect();
    let kinetic: Vec<String> = names.iter().map(|q| format!("1/2*{q}'^2")).collect();
    let potential: Vec<String> = names
        .iter()
        .enumerate()
        .map(|(i, q)| format!("{}*{q}^2", (i as f64) - 1.5))
        .collect();
    let all = found(&format!(
        "coordinates: [{}]\nlagrangian: {}{terms} - ({})\n",
        names.join(", "),
        kinetic.join(" + "),
        potential.join(" + ")
    ));
    let e = &all.list[0];
    assert_eq!(e.verdict.exponents.as_ref().unwrap().len(), 12);
    assert_ne!(e.verdict.stability.name(), "stable");
}

#[test]
fn dissipation_that_is_not_linear_only_damps() {
    for force in [
        "-x'^3",
        "-2*x'*abs(x')",
        "-x'/(1 + x'^2)",
        "-(1 + x^2)*x'^5",
        "-sqrt(1 + x^2)*x'",
    ] {
        let all = found(&format!(
            "coordinates: [x]\nlagrangian: 1/2*x'^2 - 1/2*x^2\nforces: {{x: {force}}}\n"
        ));
        let e = at(&all, &[0.0]);
        assert_eq!(
            criterion(e),
            Some(Criterion::Minimum { degree: 2 }),
            "{force}"
        );
        // it does not help where V falls
        let all = found(&format!(
            "coordinates: [x]\nlagrangian: 1/2*x'^2 + 1/2*x^2\nforces: {{x: {force}}}\n"
        ));
        assert!(at(&all, &[0.0]).verdict.stability.is_unstable(), "{force}");
    }
    for force in ["x'^3", "-x'^2", "x'*cos(x)"] {
        let all = found(&format!(
            "coordinates: [x]\nlagrangian: 1/2*x'^2 - 1/2*x^2\nforces: {{x: {force}}}\n"
        ));
        assert!(!at(&all, &[0.0]).verdict.stability.is_stable(), "{force}");
    }
}

#[test]
fn thomson_tait_and_chetaev_are_named_where_they_carry_the_verdict() {
    let one = |v: &str, forces: &str| {
        let all = found(&format!(
            "coordinates: [x, y]\nlagrangian: 1/2*(x'^2 + y'^2) + 3*(x*y' - y*x') - ({v})\n{forces}"
        ));
        criterion(at(&all, &[0.0, 0.0]))
    };
    assert_eq!(one("-x^2 + y^2", ""), Some(Criterion::Odd));
    let damped = "forces: {x: -0.01*x', y: -0.02*y'}\n";
    assert_eq!(one("-x^2 - y^2", damped), Some(Criterion::Damped));
    assert_eq!(
        one("x^2 + y^2", damped),
        Some(Criterion::Minimum { degree: 2 })
    );
    assert_eq!(
        one("x^4 + y^4 + x^2*y^2", damped),
        Some(Criterion::Minimum { degree: 4 })
    );
    // one direction damped only: no theorem, the exponents tell
    let partly = "forces: {x: -0.01*x'}\n";
    assert_eq!(one("-x^2 - y^2", partly), Some(Criterion::Repelled));
}

#[test]
fn what_moves_at_another_time_is_not_stable() {
    for (lagrangian, constraint) in [
        ("1/2*(x'^2 + y'^2) - x^2", "y - t^3"),
        ("1/2*(x'^2 + y'^2) - x^2 - t^3*x", "y"),
    ] {
        let all = found(&format!(
            "coordinates: [x, y]\nlagrangian: {lagrangian}\nconstraints: {{c: {constraint}}}\n"
        ));
        for e in &all.list {
            assert!(!e.verdict.stability.is_stable(), "{lagrangian}");
        }
    }
}

#[test]
fn a_critical_parameter_that_is_rounded_decides_nothing() {
    // w^2 = g/r: the bottom of the hoop is flat, and to fourth order a minimum
    let text = |w: &str| {
        format!(
            "coordinates: [a]\nparameters: {{g: 9.81, r: 0.7, w: {w}}}\nlagrangian: 1/2*r^2*a'^2 + 1/2*w^2*r^2*sin(a)^2 + g*r*cos(a)\n"
        )
    };
    let all = found(&text("sqrt(g/r)"));
    let e = at(&all, &[0.0]);
    assert_eq!(e.verdict.stability, Stability::Degenerate(Reason::Flat));
    assert_eq!(e.verdict.form.undecided().len(), 1);
    // where it is exact it decides
    let exact = text("3").replace("9.81", "6.3");
    let all = found(&exact);
    assert_eq!(
        criterion(at(&all, &[0.0])),
        Some(Criterion::Minimum { degree: 4 })
    );
}

#[test]
fn what_jumps_with_velocity_or_time_is_no_proof_of_rest() {
    let system = |potential: &str, force: &str| {
        format!(
            "coordinates: [x]\nkinetic: x'^2/2\npotential: {potential}\nforces: {{x: \"{force}\"}}\n"
        )
    };
    let verdict = |potential: &str, force: &str| {
        let all = found(&system(potential, force));
        assert_eq!(all.list.len(), 1, "{potential}, {force}");
        all.list[0].verdict.stability
    };
    // power goes in: 0.2|x'|, and 3|x'| - x'^2 for small velocities
    for force in ["0.2*sign(x')", "-x' + 3*sign(x')", "0.3*x*sign(x')"] {
        let stability = verdict("x^2", force);
        assert_eq!(
            stability,
            Stability::Degenerate(Reason::Friction),
            "{force}"
        );
    }
    // dry friction holds it next to the maximum
    let held = verdict("-x^2", "-0.2*sign(x')");
    assert_eq!(held, Stability::Degenerate(Reason::Friction));
    // at rest it holds where forces do not balance, too
    let rough = found(&system("-x", "-3*sign(x')"));
    assert!(rough.list.is_empty() && !rough.complete());
    assert!(rough.notes.contains(&Note::Friction));
    let smooth = found(&system("-x", "-3*x'"));
    assert!(smooth.complete() && smooth.notes.is_empty());
    // and takes energy next to a minimum, as drag by the square of the velocity does
    assert!(verdict("x^2", "-0.2*sign(x')").is_stable());
    assert!(verdict("x^2", "-x'*abs(x')").is_stable());
    assert!(verdict("-x^2", "-x'*abs(x')").is_unstable());
    assert!(verdict("-x^2", "-x'*sign(x' + x'^3)*x'").is_unstable());
    // Meissner's equation: a stiffness that jumps at times
    let timed = verdict("x^2/2*(1 + 0.5*sign(sin(2*t + 1)))", "0");
    assert_eq!(timed, Stability::Degenerate(Reason::Time));
}

#[test]
fn drag_by_the_square_of_the_speed_leaves_the_linear_motion() {
    let pendulum = |drag: &str, gravity: f64| {
        found(&format!(
            "coordinates: [x, y]\ndefine: {{drag: \"{drag}\"}}\nkinetic: (x'^2 + y'^2)/2\npotential: {gravity}*y\nforces: {{x: -drag*x', y: -drag*y'}}\nconstraints: {{rod: x^2 + y^2 = 1}}\n",
        ))
    };
    let is_stable = |rest: &Equilibrium| rest.verdict.stability.is_stable();
    for gravity in [9.81, -9.81] {
        let all = pendulum("0.3*sqrt(x'^2 + y'^2)", gravity);
        assert!(all.complete() && all.list.len() == 2);
        for rest in &all.list {
            let low = rest.x[1] * gravity < 0.0;
            assert_eq!(is_stable(rest), low);
            assert_eq!(rest.verdict.stability.is_unstable(), !low);
        }
    }
    // a force along the motion is none of the linear motion either, and takes no energy
    let pushed = pendulum("-0.3*sqrt(x'^2 + y'^2)", 9.81);
    assert!(pushed.complete() && pushed.list.len() == 2);
    assert!(!pushed.list.iter().any(is_stable));
    // what is linear beside it stays
    let both = pendulum("(0.5 + 0.3*sqrt(x'^2 + y'^2))", 9.81);
    let linear = pendulum("0.5", 9.81);
    assert!(both.complete() && both.list.len() == 2);
    for (one, other) in both.list.iter().zip(&linear.list) {
        assert_eq!(one.verdict.stability, other.verdict.stability);
        assert_eq!(one.verdict.exponents, other.verdict.exponents);
    }
}

#[test]
fn a_minimum_at_a_kink_of_the_force_is_not_proven_away() {
    // V' = 6 x |x| + 2 x
    let all = found("coordinates: [x]\nkinetic: x'^2/2\npotential: 2*abs(x)^3 + x^2\n");
    assert!(!all.complete() && all.undefined == [[0.0]]);
}

#[test]
fn where_gradients_are_dependent_no_direction_is_told() {
    // the set is z = 0, along which V = x^2/2 has its minimum; z is no way to go, though the gradient of z^2 leaves it
    let text =
        "coordinates: [x, z]\nlagrangian: (x'^2 + z'^2)/2 - x^2/2 + z^2\nconstraints: {b: z^2}\n";
    for text in [text, &text.replace("b: z^2", "b: 7*z^2")] {
        let all = found(text);
        let e = at(&all, &[0.0, 0.0]);
        assert_eq!(e.verdict.stability, Stability::Degenerate(Reason::Rank));
        let [positive, _, negative] = e.verdict.signature();
        assert_eq!((positive, negative), (0, 0));
        assert!(e.verdict.growth.is_empty() && e.verdict.modes.is_empty());
    }
}

#[test]
fn the_foot_of_a_step_and_forces_without_a_value_at_rest_leave_all_open() {
    // V falls by 6 at x = 1; forces that tend to 0 at rest
    let step = found("coordinates: [x]\nlagrangian: x'^2/2 - x^2 + 3*sign(x - 1)\n");
    assert!(!step.complete() && step.notes.contains(&Note::Steps));
    assert!(at(&step, &[0.0]).verdict.stability.is_stable());
    for force in ["-x'/sqrt(abs(x'))", "x'*log(abs(x'))", "-x'*atan(1/x')"] {
        let text =
            format!("coordinates: [x]\nlagrangian: x'^2/2 - x^2/2\nforces: {{x: \"{force}\"}}\n");
        assert!(!found(&text).complete(), "{force}");
    }
}
