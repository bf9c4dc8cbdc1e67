//! Conserved quantities, forces and counts of systems whose answers are in the textbooks.

use super::{
    Balance, Cause, Derivation, Eliminated, Equations, body_forces, reactions, symmetries,
};
use crate::system::System;

fn system(text: &str) -> System {
    System::parse(text, "test", &[]).unwrap()
}

fn kept(text: &str) -> Vec<String> {
    let system = system(text);
    let equations = Equations::new(&system);
    symmetries(&system, &equations)
        .iter()
        .map(|s| system.pool.print(s.quantity))
        .collect()
}

const HOOP: &str = "
coordinates: [x, y, z]
parameters: {m: 1, R: 1, g: 9.81, w: 4}
bodies: {bead: {mass: m, at: [x, y, z]}}
gravity: [0, 0, -g]
constraints:
  hoop: x^2 + y^2 + z^2 = R^2
  plane: x*sin(w*t) = y*cos(w*t)
";

#[test]
fn a_sphere_keeps_the_angular_momentum_about_the_vertical() {
    let found = kept(
        "coordinates: [x, y, z]\nparameters: {m: 1, g: 9.81, l: 1}\nlagrangian: m*(x'^2 + y'^2 + z'^2)/2 - m*g*z\nconstraints: {rod: x^2 + y^2 + z^2 = l^2}\n",
    );
    assert_eq!(found.len(), 1, "{found:?}");
    let expected = "m*x*y' - m*y*x'";
    assert!(
        found[0] == expected || found[0] == "m*(x*y' - y*x')",
        "{found:?}"
    );
}

#[test]
fn a_spring_keeps_the_total_momentum_and_a_third_body_does_not_spoil_it() {
    let text = "coordinates: [a, b, c]\nparameters: {m: 1, M: 3, k: 2}\nlagrangian: m*a'^2/2 + M*b'^2/2 + m*c'^2/2 - k*(a - b)^2/2 - (b - c)^4\n";
    let s = system(text);
    let total = s.pool.sum(
        [(0, "m"), (1, "M"), (2, "m")]
            .map(|(k, m)| s.pool.mul(s.pool.lookup(m).unwrap(), s.coordinates[k].v)),
    );
    let found = symmetries(&s, &Equations::new(&s));
    assert_eq!(found.len(), 1);
    let difference = s.pool.sub(found[0].quantity, total);
    assert_eq!(s.pool.is_zero(difference), Some(true));
}

#[test]
fn a_frame_that_turns_keeps_the_jacobi_integral() {
    let s = system(HOOP);
    let equations = Equations::new(&s);
    let found = symmetries(&s, &equations);
    assert_eq!(found.len(), 1);
    assert!(found[0].with_time);
    // H - w (x p_y - y p_x)
    let [x, y, _] = &s.coordinates[..] else {
        panic!()
    };
    let pool = &s.pool;
    let (m, w) = (pool.lookup("m").unwrap(), pool.lookup("w").unwrap());
    let turn = pool.sub(pool.mul(x.x, y.v), pool.mul(y.x, x.v));
    let expected = pool.sub(equations.energy, pool.product([m, w, turn]));
    let difference = pool.sub(found[0].quantity, expected);
    assert_eq!(pool.is_zero(difference), Some(true));
    let balance = Balance::new(&s, &equations);
    assert_eq!(balance.changed_by, [Cause::Constraint(1)]);
}

#[test]
fn what_breaks_a_symmetry_is_seen() {
    // a force, a constraint that is not round, a table that is not level
    for text in [
        "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2 - x^2 - y^2\nforces: {x: -x'}\n",
        "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2\nconstraints: {c: x^2 + 2*y^2 = 1}\n",
        "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2 - x^2 - y^2 - x*y\n",
        // a step: all derivatives are zero
        "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2 - sign(x)\n",
    ] {
        assert_eq!(kept(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn a_distance_keeps_what_it_is_symmetric_under() {
    let two = "coordinates: [x1, y1, x2, y2]\nparameters: {m: 1, M: 2}\nlagrangian: m*(x1'^2 + y1'^2)/2 + M*(x2'^2 + y2'^2)/2 + m*M/sqrt((x1 - x2)^2 + (y1 - y2)^2)\n";
    assert_eq!(kept(two).len(), 3, "{:?}", kept(two));
    let kepler = "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2 + 1/sqrt(x^2 + y^2)\n";
    assert_eq!(kept(kepler).len(), 1);
    // on a plane that has the axis in it the same is a step
    let cut = "coordinates: [x, y, z]\nlagrangian: (x'^2 + y'^2 + z'^2)/2 - x/sqrt(x^2 + y^2)\nconstraints: {wall: y = 0}\n";
    assert_eq!(kept(cut), Vec::<String>::new());
}

#[test]
fn a_coordinate_missing_from_the_lagrangian_is_not_enough() {
    let s = system(
        "coordinates: [x1, x2]\nlagrangian: (x1'^2 + x2'^2)/2 - 9.81*x2\nconstraints: {wire: x2 - x1^2}\n",
    );
    let balance = Balance::new(&s, &Equations::new(&s));
    assert_eq!(balance.momenta[0].changed_by, [Cause::Constraint(0)]);
    assert!(!balance.momenta[0].is_conserved(&s.pool));
    let free = system("coordinates: [x1, x2]\nlagrangian: (x1'^2 + x2'^2)/2 - 9.81*x2\n");
    let balance = Balance::new(&free, &Equations::new(&free));
    assert!(balance.momenta[0].is_conserved(&free.pool));
    assert!(!balance.momenta[1].is_conserved(&free.pool));
}

#[test]
fn what_jumps_with_a_coordinate_or_the_time_keeps_nothing() {
    let text = "coordinates: [x]\nlagrangian: x'^2/2 - sign(x) - x^2*sign(sin(t))\n";
    let s = system(text);
    let balance = Balance::new(&s, &Equations::new(&s));
    assert_eq!(balance.changed_by, [Cause::Lagrangian]);
    let s = system("coordinates: [x]\nlagrangian: x'^2/2 - sign(x)\n");
    let balance = Balance::new(&s, &Equations::new(&s));
    assert_eq!(balance.momenta[0].changed_by, [Cause::Lagrangian]);
}

#[test]
fn dry_friction_stays_in_the_reduced_equations() {
    // its value, its slope and its second derivative at rest are zero
    let text = "coordinates: [u, v]\nparameters: {E: 2}\n\
        lagrangian: E^2/2*(u'^2 + v'^2) + cos(u - v)*u'*v'\nconstraints: {a: 3/2*v + u^2/7}\n\
        forces: {u: \"-0.2*FORCE(u')\", v: \"-0.2*FORCE(v')\"}\n";
    for force in ["sign", "abs"] {
        let s = system(&text.replace("FORCE", force));
        let reduced = Derivation::new(&s, &Equations::new(&s), &[1]).reduced;
        let reduced = s.pool.print(reduced.unwrap()[0]);
        for rate in ["u'", "v'"] {
            assert!(reduced.contains(&format!("{force}({rate})")), "{reduced}");
        }
    }
}

#[test]
fn a_moving_wire_does_work() {
    let s = system(
        "coordinates: [x, y]\nparameters: {v: 2}\nlagrangian: (x'^2 + y'^2)/2\nconstraints: {wire: y - x^2 - v*t}\nforces: {x: -3*x'}\n",
    );
    let balance = Balance::new(&s, &Equations::new(&s));
    assert_eq!(s.pool.print(balance.constraints), "v*lambda_wire");
    assert_eq!(s.pool.print(balance.forces), "-3*x'^2");
    assert_eq!(balance.changed_by, [Cause::Force, Cause::Constraint(0)]);
}

#[test]
fn forces_on_bodies_have_magnitude_and_direction() {
    let s = system(HOOP);
    let equations = Equations::new(&s);
    let forces = body_forces(&s, &equations);
    let printed: Vec<(String, Vec<String>)> = forces
        .iter()
        .map(|f| {
            let direction = f.direction.iter().map(|e| s.pool.print(*e)).collect();
            (s.pool.print(f.magnitude), direction)
        })
        .collect();
    assert_eq!(printed[0].0, "2*R*lambda_hoop");
    assert_eq!(printed[0].1, ["x/R", "y/R", "z/R"]);
    assert_eq!(printed[1].0, "lambda_plane");
    let r = reactions(&s, &equations);
    assert_eq!(s.pool.print(r[2]), "2*lambda_hoop*z");
}

#[test]
fn a_rigid_body_feels_a_torque() {
    let s = system(
        "coordinates: [x, y, th]\nparameters: {m: 2, I: 1, r: 3}\nbodies: {disc: {mass: m, at: [x, y], inertia: I, angle: th}}\nconstraints: {roll: x = r*th, floor: y = r}\n",
    );
    let forces = body_forces(&s, &Equations::new(&s));
    let torque = forces[0].torque.map(|e| s.pool.print(e));
    assert_eq!(torque.as_deref(), Some("-r*lambda_roll"));
    assert_eq!(forces[1].torque, None);
    assert_eq!(s.pool.print(s.lagrangian), "(I*th'^2 + m*(x'^2 + y'^2))/2");
}

#[test]
fn pivots_multiply_to_the_determinant_and_fail_where_they_vanish() {
    let s = system(
        "coordinates: [x1, x2, x3]\nparameters: {c1: 1, c2: 3}\nlagrangian: (x1'^2 + x2'^2 + x3'^2)/2\nconstraints: {product: x1*x2*x3 = c1, sum: x1 + x2 = c2}\n",
    );
    let pool = &s.pool;
    let derivation = Derivation::new(&s, &Equations::new(&s), &[0, 1]);
    let product = pool.product(derivation.stepwise.iter().map(|step| step.pivot));
    let [x1, x2, x3] = [0, 1, 2].map(|k| s.coordinates[k].x);
    let det = pool.mul(x3, pool.sub(x2, x1));
    assert_eq!(pool.is_zero(pool.sub(product, det)), Some(true));
    let fails: Vec<Vec<String>> = derivation
        .stepwise
        .iter()
        .map(|step| step.fails.iter().map(|e| pool.print(*e)).collect())
        .collect();
    assert_eq!(fails, [vec!["x2", "x3"], vec!["x1 - x2"]]);
}

#[test]
fn affine_constraints_have_constant_displacements() {
    let s = system(
        "coordinates: [x, y, z]\nparameters: {a: 2}\nlagrangian: (x'^2 + y'^2 + z'^2)/2\nconstraints: {plane: x + a*y - z = t^2}\n",
    );
    let equations = Equations::new(&s);
    assert!(Derivation::new(&s, &equations, &[0]).displacements_are_constant(&s));
    let bent =
        system("coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2\nconstraints: {c: x + y^2}\n");
    let equations = Equations::new(&bent);
    assert!(!Derivation::new(&bent, &equations, &[0]).displacements_are_constant(&bent));
}

#[test]
fn eliminated_accelerations_satisfy_the_constraints() {
    let s = system(HOOP);
    let pool = &s.pool;
    let equations = Equations::new(&s);
    let derivation = Derivation::new(&s, &equations, &[1, 2]);
    let eliminated = Eliminated::new(&s, &equations, &derivation).unwrap();
    let written = eliminated.written(&s).unwrap();
    // J x'' - gamma = 0 and J x' + f_t = 0 with the eliminated ones put in
    for (b, row) in equations.jacobian.iter().enumerate() {
        let along = |rate: &dyn Fn(usize) -> crate::expr::Expr| {
            pool.sum((0..3).map(|k| pool.mul(row[k], rate(k))))
        };
        let place = |k: usize| derivation.dependent.iter().position(|&d| d == k);
        let v = along(&|k| place(k).map_or(s.coordinates[k].v, |p| eliminated.velocities[p]));
        let v = pool.add(v, equations.f_t[b]);
        assert_eq!(pool.is_zero(v), Some(true));
        let a = along(&|k| place(k).map_or(s.coordinates[k].a, |p| written.accelerations[p]));
        let a = pool.sub(a, equations.gamma[b]);
        assert_eq!(pool.is_zero(a), Some(true));
    }
    let dependent: Vec<_> = [1, 2].iter().map(|&k| s.coordinates[k].a).collect();
    for e in written.equations.iter().chain(&written.multipliers) {
        assert!(!pool.contains_any(*e, &dependent));
    }
}
