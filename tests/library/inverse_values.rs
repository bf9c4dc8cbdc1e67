//! The inverse as a function to evaluate: against its closed form, finite differences and the energy; and
//! what a failure of it looks like.

#![allow(clippy::unwrap_used, clippy::panic)]

use holonom::analysis::{
    Check, DomainOfG, Ending, InverseAnswer, InverseRequest, Model, Nowhere, Overrides, Remark,
    Request, Site,
};
use holonom::solver::Structure;
use holonom::system::{System, find};
use holonom::theorem::{Cause, Turn, Vanishing};
use std::f64::consts::{PI, TAU};
use std::sync::atomic::AtomicBool;

fn library(name: &str) -> Model {
    let text = find(name).unwrap().text;
    Model::new(System::parse(text, name, &[]).unwrap())
}

fn system(text: &str) -> Model {
    Model::new(System::parse(text, "test.yaml", &[]).unwrap())
}

fn at(
    model: &Model,
    y: &[(usize, f64)],
    x: &[(usize, f64)],
    near: &[(usize, f64)],
) -> InverseAnswer {
    let request = InverseRequest {
        y: y.to_vec(),
        at: Overrides {
            x: x.to_vec(),
            ..Overrides::default()
        },
        near: near.to_vec(),
        ..InverseRequest::default()
    };
    model.inverse_at(&request).unwrap()
}

#[test]
fn the_parabola_has_both_roots_and_no_more() {
    let model = library("bead_on_parabola");
    for (near, sign) in [(1.0, 1.0), (-1.0, -1.0)] {
        let answer = at(&model, &[(0, 0.1)], &[(1, 2.0)], &[(0, near)]);
        let found = answer.found.as_ref().unwrap();
        let exact = sign * 1.9_f64.sqrt();
        assert!((found.value[0] - exact).abs() < 1e-15);
        let (lo, hi) = found.enclosure.as_ref().unwrap()[0];
        assert!(lo <= exact && exact <= hi && hi - lo < 1e-14);
        assert!(answer.complete && answer.others.len() == 1);
        assert!((answer.others[0][0] + exact).abs() < 1e-14);
        // x1 = +-sqrt(x2 - y)
        assert!((found.by_x.as_ref().unwrap()[(0, 0)] - 0.5 / exact).abs() < 1e-14);
        assert!((found.by_y.as_ref().unwrap()[(0, 0)] + 0.5 / exact).abs() < 1e-14);
        let branch = &answer.inverse.branches()[found.branch.unwrap()];
        let text = model.system.pool.print(branch.functions[0]);
        assert_eq!(text.starts_with('-'), sign < 0.0, "{text}");
    }
    // the other choice at the bottom: lambda = m g, the weight that the wire carries
    let rest = InverseRequest {
        dependent: Some(vec![1]),
        at: Overrides {
            x: vec![(0, 0.0)],
            ..Overrides::default()
        },
        ..InverseRequest::default()
    };
    let answer = model.inverse_at(&rest).unwrap();
    let variation = &answer.found.unwrap().variations[0];
    assert!((variation.multiplier - 9.81).abs() < 1e-12);
    assert!((variation.rate.unwrap() - 9.81).abs() < 1e-8);
    // what a level moves in second order alone: z by the place of a plane through the middle of a sphere
    let sphere = "coordinates: [x, y, z]\nlagrangian: 1/2*(x'^2+y'^2+z'^2) - 9.81*z\n\
         constraints: {sphere: x^2+y^2+z^2 = 0.25, plane: y = 0}\ndependent: [y, z]\nstart: {x: 0.05}\nguess: {z: -0.5}\n";
    let model = Model::new(System::parse(sphere, "sphere.yaml", &[]).unwrap());
    let answer = model.inverse_at(&InverseRequest::default()).unwrap();
    let plane = &answer.found.unwrap().variations[1];
    assert!(plane.rate.unwrap().abs() < 1e-8 && plane.multiplier == 0.0);
}

#[test]
fn solutions_are_told_apart_however_near_they_are() {
    let model = library("bead_on_parabola");
    for (x2, near) in [(1e-18, 1.0), (1e-18, -1.0), (4e-30, 1.0), (1e-8, -1.0)] {
        let answer = at(&model, &[(0, 0.0)], &[(1, x2)], &[(0, near)]);
        let found = answer.found.as_ref().unwrap().value[0];
        let exact = x2.sqrt() * near;
        assert!((found / exact - 1.0).abs() < 1e-12, "{found} {exact}");
        assert!(!answer.complete || answer.others.len() == 1, "{x2}");
        assert!(
            answer
                .others
                .iter()
                .all(|other| (other[0] / exact + 1.0).abs() < 1e-12)
        );
    }
    let cubic = |d: f64| {
        system(&format!(
            "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2\nparameters: {{d: {d:e}}}\n\
             constraints: {{w: y*(y - d)*(y + d) - x}}\ndependent: [y]\nstart: {{x: 0, y: 0}}\n"
        ))
    };
    for d in [1.0, 3e-3, 3e-9] {
        let answer = at(&cubic(d), &[], &[(0, 0.0)], &[]);
        assert_eq!(answer.found.as_ref().unwrap().value, [0.0], "{d}");
        assert!(
            !answer.complete || answer.others.len() == 2,
            "{d}: {:?}",
            answer.others
        );
    }
}

#[test]
fn where_the_inverse_ends_does_not_depend_on_the_unit() {
    for r in [1e-12, 1e-9, 1e-4, 1.0, 1e5] {
        let model = system(&format!(
            "coordinates: [x, y]\nparameters: {{r: {r:e}, g: {r:e}}}\nlagrangian: (x'^2 + y'^2)/2 - g*y\n\
             constraints: {{ring: x^2 + y^2 = r^2}}\nstart: {{x: 0.6*r, y: -0.8*r}}\ndependent: [y]\n"
        ));
        let answer = at(&model, &[], &[], &[]);
        let domain = answer.found.unwrap().domain.unwrap();
        let ends = |k: usize| {
            let ends = domain.extents[k].ends.iter();
            let ends: Vec<Option<f64>> = ends.map(|end| end.as_ref().map(|end| end.0)).collect();
            ends
        };
        let level = ends(0)[0].unwrap() / (r * r);
        assert!((level - 0.36).abs() < 1e-5, "{r}: {level}");
        let [left, right] = ends(1)[..] else { panic!() };
        for (end, exact) in [(left, -1.0), (right, 1.0)] {
            let end = end.unwrap() / r;
            assert!((end - exact).abs() < 1e-5, "{r}: {end}");
        }
    }
}

#[test]
fn beyond_the_fold_it_is_proven_that_there_is_no_value() {
    let model = library("bead_on_parabola");
    let none = at(&model, &[(0, 0.1)], &[(1, 0.05)], &[]);
    assert!(none.found.is_none() && none.complete && none.others.is_empty());
    // on the fold: a value that is not proven, and no derivative
    let fold = at(&model, &[(0, 0.25)], &[(1, 0.25)], &[]);
    let found = fold.found.unwrap();
    assert!(found.value[0].abs() < 1e-6);
    assert!(found.enclosure.is_none() && found.by_y.is_none());
}

/// x by y under one constraint, x dependent.
fn plane(constraint: &str, y: f64) -> Model {
    system(&format!(
        "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2\nconstraints: {{w: \"{constraint}\"}}\ndependent: [x]\nstart: {{y: {y:e}}}\n"
    ))
}

/// Where g ends along y in a plane.
fn ends_along_y(constraint: &str, y: f64) -> [Option<(f64, Ending)>; 2] {
    let answer = at(&plane(constraint, y), &[], &[], &[]);
    let domain = answer.found.unwrap().domain.unwrap();
    domain.extents.into_iter().nth(1).unwrap().ends
}

#[test]
fn a_value_outside_of_the_box_is_found() {
    let closed = |y: f64| y * y;
    for (constraint, y, exact) in [
        ("x = y^2", 4.0, closed(4.0)),
        ("x = y^2", 1e5, closed(1e5)),
        ("x = 1e6*y^2", 1.5, 1e6 * closed(1.5)),
        ("log(x) = y", 30.0, 30.0_f64.exp()),
    ] {
        let answer = at(&plane(constraint, 0.5), &[], &[(1, y)], &[]);
        let found = answer.found.unwrap();
        assert!((found.value[0] / exact - 1.0).abs() < 1e-12, "{constraint}");
        assert!(found.enclosure.is_some() && found.by_y.is_some());
        let (lo, hi) = answer.region[0];
        assert!(lo < exact && exact < hi);
    }
    // both roots, that of the start first, or the one asked for
    let parabola = library("bead_on_parabola");
    for (near, sign) in [(None, 1.0), (Some(-1.0), -1.0)] {
        let near: Vec<(usize, f64)> = near.iter().map(|v| (0, *v)).collect();
        let answer = at(&parabola, &[], &[(1, 400.0)], &near);
        assert_eq!(answer.found.unwrap().value, [20.0 * sign]);
        assert_eq!(answer.others, [[-20.0 * sign]]);
        assert!(answer.complete);
    }
    // no closed form: g is followed from the start, and where the start is far from `near` the largest box has it
    let wave = plane("x + sin(x)/3 = y", 0.7);
    for near in [&[][..], &[(0, 3.0)]] {
        let answer = at(&wave, &[], &[(1, 500.0)], near);
        let x = answer.found.unwrap().value[0];
        assert!((x + x.sin() / 3.0 - 500.0).abs() < 1e-9);
    }
}

#[test]
fn that_there_is_no_value_is_said_where_no_box_is_needed() {
    let model = plane("x^2 = y", 1.0);
    let none = at(&model, &[], &[(1, -2.0)], &[]);
    assert_eq!(none.nowhere, Some(Nowhere::Proven));
    // the box that was asked for has none: no more is known
    let request = InverseRequest {
        at: Overrides {
            x: vec![(1, 9.0)],
            ..Overrides::default()
        },
        region: vec![(0, (0.0, 2.0))],
        ..InverseRequest::default()
    };
    let answer = model.inverse_at(&request).unwrap();
    assert!(answer.found.is_none() && answer.complete && answer.nowhere.is_none());
    // farther than all that is searched
    let wave = plane("x + sin(x)/3 = y", 0.7);
    let answer = at(&wave, &[], &[(1, 1e7)], &[]);
    assert!(answer.found.is_none() && answer.nowhere.is_none());
    assert!(answer.end.unwrap().why.is_none());
}

#[test]
fn what_grows_is_no_end_of_g_and_a_pole_is_one_in_any_units() {
    let domain = |constraint: &str, y: f64| -> DomainOfG {
        let answer = at(&plane(constraint, y), &[], &[], &[]);
        answer.found.unwrap().domain.unwrap()
    };
    for unit in [1e-6, 1e-3, 1.0, 1e3, 1e6] {
        for of in [
            "U^2",
            "U^3 - 5*U",
            "exp(U)",
            "1/(U^2 + 1e-8)",
            "U*sqrt(U^2 + 1)",
        ] {
            for size in [1e-6, 1.0, 1e6] {
                let f = of.replace('U', &format!("(y/{unit:e})"));
                let own = domain(&format!("x/{size:e} = {f}"), 0.7 * unit);
                let ends = own.extents.iter().flat_map(|reach| &reach.ends);
                assert!(ends.flatten().next().is_none(), "{f} {size}: {own:?}");
            }
        }
        for (constraint, places) in [
            ("X*U = 1", [Some(0.0), None]),
            ("X*U^2 = 1", [Some(0.0), None]),
            ("X*sqrt(U) = 1", [Some(0.0), None]),
            ("X = tan(U)", [Some(-PI / 2.0), Some(PI / 2.0)]),
            ("X*(2 - U)^3 = 1 + U", [None, Some(2.0)]),
        ] {
            for size in [1e-6, 1.0, 1e6] {
                let text = constraint.replace('X', &format!("(x/{size:e})"));
                let text = text.replace('U', &format!("(y/{unit:e})"));
                let ends = domain(&text, 0.7 * unit).extents[1].ends.clone();
                for (end, place) in ends.iter().zip(places) {
                    let value = end.as_ref().map(|end| end.0 / unit);
                    assert_eq!(value.is_some(), place.is_some(), "{text}: {ends:?}");
                    let off = value.zip(place).map_or(0.0, |(a, b)| (a - b).abs());
                    assert!(off < 1e-6, "{text}: {ends:?}");
                }
            }
        }
    }
    // exp underflows, which is no zero of det J_D
    let own = domain("exp(-x) = exp(-y)", 0.7);
    assert_eq!(own.extents[1].ends, [None, None]);
    assert!(own.extents[1].stops.iter().all(Option::is_some));
    // and the root of a sum ends where f does
    let own = domain("x = sqrt(y)", 0.7);
    assert!(matches!(
        own.extents[1].ends,
        [Some((_, Ending::Undefined)), None]
    ));
}

#[test]
fn a_condition_that_always_holds_is_not_told() {
    let model = plane("exp(y + 1/2)*cosh(x^2) = 5", 0.8);
    let answer = at(&model, &[], &[], &[]);
    let branches = answer.inverse.branches();
    assert_eq!(branches.len(), 2);
    for branch in branches {
        let x = model.system.coordinates[0].x;
        assert!(branch.conditions.iter().all(|c| c.expression == x));
    }
}

#[test]
fn derivatives_are_those_of_differences() {
    for (name, set) in [
        ("product_and_sum", 1e-4),
        ("spherical_pendulum", 1e-4),
        ("double_pendulum", 1e-4),
        ("andrews", 1e-6),
    ] {
        let model = library(name);
        let base = at(&model, &[], &[], &[]);
        let found = base.found.as_ref().unwrap();
        let near: Vec<(usize, f64)> = base
            .dependent
            .iter()
            .copied()
            .zip(found.value.iter().copied())
            .collect();
        let value =
            |y: &[(usize, f64)], x: &[(usize, f64)]| at(&model, y, x, &near).found.unwrap().value;
        let close = |slope: f64, low: f64, high: f64, what: &str| {
            let rough = (high - low) / (2.0 * set);
            assert!(
                (slope - rough).abs() < 1e-4 * (1.0 + slope.abs()),
                "{name} {what}: {slope} {rough}"
            );
        };
        for b in 0..base.y.len() {
            let (low, high) = (
                value(&[(b, base.y[b] - set)], &[]),
                value(&[(b, base.y[b] + set)], &[]),
            );
            for i in 0..low.len() {
                close(
                    found.by_y.as_ref().unwrap()[(i, b)],
                    low[i],
                    high[i],
                    "dg/dy",
                );
            }
        }
        for (k, &index) in base.independent.iter().enumerate() {
            let (low, high) = (
                value(&[], &[(index, base.at[k] - set)]),
                value(&[], &[(index, base.at[k] + set)]),
            );
            for i in 0..low.len() {
                close(
                    found.by_x.as_ref().unwrap()[(i, k)],
                    low[i],
                    high[i],
                    "dg/dx",
                );
            }
        }
    }
}

#[test]
fn the_multiplier_at_rest_is_the_rate_of_the_energy() {
    for name in [
        "product_and_sum",
        "double_pendulum",
        "spherical_pendulum",
        "andrews",
        "pendulum_on_cart",
    ] {
        let model = library(name);
        let answer = at(&model, &[], &[], &[]);
        for variation in &answer.found.unwrap().variations {
            let rate = variation.rate.unwrap();
            assert!(
                (rate - variation.multiplier).abs() < 1e-6 * (1.0 + rate.abs()),
                "{name}: {variation:?}"
            );
        }
    }
}

#[test]
fn an_angle_is_found_once_a_turn_and_time_counts() {
    let model = system(
        "name: crank\ncoordinates: [a, s]\nlagrangian: a'^2 + s'^2\nconstraints:\n  slide: s - 2*cos(a) - t/10\ndependent: [a]\nstart: {a: 1}\n",
    );
    let answer = at(&model, &[], &[(1, 1.0)], &[]);
    assert_eq!(answer.periods.len(), 1);
    assert!(answer.complete);
    let found = answer.found.as_ref().unwrap();
    let third = std::f64::consts::FRAC_PI_3;
    assert!((found.value[0] - third).abs() < 1e-14);
    assert_eq!(answer.others.len(), 1);
    assert!((answer.others[0][0] + third).abs() < 1e-14);
    // s = 2 cos a + t/10: da/dt = -(1/10) / (2 sin a) with its sign
    let exact = 0.1 / (2.0 * third.sin());
    assert!((found.by_t.as_ref().unwrap()[0] - exact).abs() < 1e-14);
}

/// What `check` says at a place, for one choice.
#[test]
fn in_a_region_wider_than_a_turn_each_solution_counts_and_the_nearest_is_taken() {
    let text = "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2\nconstraints: {c: sin(x) = y}\n\
                dependent: [x]\nstart: {x: 0.2}\n";
    let model = system(text);
    for (lo, hi) in [(-1.0, 10.0), (-10.0, 10.0), (-100.0, 3.0), (0.0, 1.0)] {
        let turns = (-40..40).map(f64::from);
        let mut exact: Vec<f64> = turns
            .flat_map(|k| [PI / 6.0, 5.0 * PI / 6.0].map(|x| x + k * TAU))
            .filter(|x| lo <= *x && *x <= hi)
            .collect();
        exact.sort_by(f64::total_cmp);
        for near in [0.52, 2.0, 6.8, -0.4, 8.9, -50.0] {
            let answer = model
                .inverse_at(&InverseRequest {
                    at: Overrides {
                        x: vec![(1, 0.5)],
                        ..Overrides::default()
                    },
                    near: vec![(0, near)],
                    region: vec![(0, (lo, hi))],
                    ..InverseRequest::default()
                })
                .unwrap();
            let found = answer.found.as_ref().unwrap();
            let value = found.value[0];
            let off = |x: &f64| (x - near).abs();
            let nearest = exact.iter().map(off).fold(f64::INFINITY, f64::min);
            assert!(
                (off(&value) - nearest).abs() < 1e-9,
                "{lo} {hi} {near}: {value}"
            );
            let mut all: Vec<f64> = answer.others.iter().map(|x| x[0]).chain([value]).collect();
            all.sort_by(f64::total_cmp);
            assert_eq!(all.len(), exact.len(), "{lo} {hi} {near}");
            assert!(all.iter().zip(&exact).all(|(a, b)| (a - b).abs() < 1e-9));
            // its branch is that of its slope
            let slope = found.by_y.as_ref().unwrap()[(0, 0)];
            assert!((slope - value.cos().recip()).abs() < 1e-9);
        }
    }
}

fn failing(text: &str, x: &[(usize, f64)], dependent: &[usize]) -> Check {
    let model = system(text);
    let overrides = Overrides {
        x: x.to_vec(),
        ..Overrides::default()
    };
    let site = model.site(&overrides).unwrap();
    model.check(site, Some(dependent), &[])
}

#[test]
fn folds_are_told_from_infinite_slopes_whatever_the_units() {
    for (power, turn) in [
        (2, Turn::Fold),
        (3, Turn::InfiniteSlope),
        (4, Turn::Fold),
        (5, Turn::InfiniteSlope),
    ] {
        for (scale, by) in [(1.0, 1.0), (1e6, 1.0), (1e-6, 1.0), (1.0, 1e6)] {
            let text = format!(
                "coordinates: [x1, x2]\nlagrangian: x1'^2 + x2'^2\nconstraints:\n  wire: {by}*(x2/{scale} - x1^{power})\nstart: {{x1: 1, x2: {scale}}}\n"
            );
            let check = failing(&text, &[(0, 0.0), (1, 0.0)], &[0]);
            let failure = check.verdict.failure.as_ref().unwrap();
            let Cause::Chart(vanishing) = &failure.cause else {
                panic!("{text}: {failure:?}");
            };
            assert_eq!(vanishing.turn, Some(turn), "{text}");
            assert_eq!(vanishing.factors.len(), 1, "{text}");
        }
    }
    // along a wire that is straight up x1 never changes: neither
    let check = failing(
        "coordinates: [x1, x2]\nlagrangian: x1'^2 + x2'^2\nconstraints: {wire: x1 - 1}\nstart: {x1: 1, x2: 0}\n",
        &[],
        &[1],
    );
    let cause = check.verdict.failure.unwrap().cause;
    assert!(
        matches!(cause, Cause::Chart(Vanishing { turn: None, .. })),
        "{cause:?}"
    );
}

#[test]
fn a_rank_failure_names_the_combination() {
    // two rods of a flat linkage: gradients in proportion 1 to -2 at the place, the only one that satisfies both
    let text = "coordinates: [x, y]\nlagrangian: x'^2 + y'^2\nconstraints:\n  a: x^2 + y^2 = 1\n  b: (x - 3)^2 + y^2 = 4\nstart: {x: 1, y: 0}\n";
    let check = failing(text, &[(0, 1.0), (1, 0.0)], &[0, 1]);
    let Cause::Rank {
        rank,
        constraints,
        combination,
    } = check.verdict.failure.as_ref().unwrap().cause.clone()
    else {
        panic!("no failure of rank");
    };
    assert_eq!((rank, constraints), (1, vec![0, 1]));
    // grad a = (2, 0), grad b = (-4, 0)
    let [(0, a), (1, b)] = combination[..] else {
        panic!("{combination:?}");
    };
    assert!((a / b - 2.0).abs() < 1e-12, "{combination:?}");
    let (rank, around) = (1, 1);
    assert_eq!(check.structure, Some(Structure::Singular { rank, around }));
    assert_eq!(check.verdict.local.combination().len(), 2);
}

#[test]
fn a_redundant_constraint_is_the_same_one_to_check_derive_and_simulate() {
    let on = |constraints: &str, start: &str| {
        format!(
            "coordinates: [x, y, z]\nlagrangian: (x'^2 + y'^2 + z'^2)/2 - y\nconstraints:\n{constraints}start: {start}\nrun: {{until: 0.1}}\n"
        )
    };
    for (constraints, start, parts) in [
        (
            "  a: x + y + z = 3\n  b: x^2 + y^2 = 2\n  c: x + y + z + x^2 + y^2 = 5\n",
            "{x: 1, y: 1, z: 1}",
            vec![(0, 1.0), (1, 1.0)],
        ),
        (
            "  m: x^2 + y^2 = 4\n  flat: z\n  mm: (1000*x)^2 + (1000*y)^2 = 4e6\n",
            "{x: 2, y: 0, z: 0}",
            vec![(0, 1e6)],
        ),
    ] {
        let text = on(constraints, start);
        let check = failing(&text, &[], &[0, 1, 2]);
        let Some(Structure::Redundant { rows, others }) = check.structure else {
            panic!("{text}: {:?}", check.structure);
        };
        assert_eq!((&rows[..], others.len()), (&[0, 1][..], 1), "{text}");
        assert_eq!(others[0].constraint, 2);
        assert_eq!(others[0].parts.len(), parts.len(), "{others:?}");
        for ((b, factor), (other, expected)) in others[0].parts.iter().zip(&parts) {
            assert!(b == other && (factor / expected - 1.0).abs() < 1e-9);
        }
        let model = system(&text);
        let derived = model.derive(None).redundancy.unwrap();
        assert_eq!((&derived.rows, &derived.others), (&rows, &others), "{text}");
        let request = Request::default();
        let motion = model.simulate(&request, &AtomicBool::new(false)).unwrap();
        assert_eq!(motion.redundant, others, "{text}");
    }
}

#[test]
fn constraints_that_contradict_each_other_are_not_redundant() {
    let model = system(
        "coordinates: [x, y, z]\nlagrangian: (x'^2 + y'^2 + z'^2)/2 - y\nconstraints:\n  a: x^2 + y^2 = 1\n  b: 2*x^2 + 2*y^2 = 3\nstart: {x: 1, y: 0, z: 0}\n",
    );
    let derived = model.derive(None);
    assert_eq!((model.redundancy(), derived.redundancy), (None, None));
    // no other choice is better
    let none = |remark: &Remark| matches!(remark, Remark::Vanishes { another: false, .. });
    assert!(matches!(derived.notes.as_slice(), [only] if none(only)));
}

#[test]
fn the_nearest_failure_is_on_the_constraints() {
    let off = f64::hypot(1.0 - 0.75_f64.sqrt(), 0.5);
    for (name, distance) in [("bead_on_parabola", 2.0_f64.sqrt()), ("pendulum", off)] {
        let model = library(name);
        let site = model.site(&Overrides::default()).unwrap();
        let check = model.check(site, None, &[]);
        let near = check.nearest_failure.unwrap();
        assert!((near.distance - distance).abs() < 1e-6, "{name} {near:?}");
        let there = model.check(
            Site {
                t: 0.0,
                x: near.point.clone(),
                corrections: vec![1e-9; near.point.len()],
                notes: Vec::new(),
                assembly: None,
                kept: Vec::new(),
            },
            Some(&check.verdict.dependent),
            &[],
        );
        assert!(there.residuals.iter().all(|r| r.abs() < 1e-9));
        assert!(there.verdict.failure.is_some(), "{name}");
    }
}

#[test]
fn a_place_where_least_squares_stands_still_is_no_failure() {
    // from (0, -1) the ellipse's gradient has no part along x: y = 0 is found all the same
    let text = "coordinates: [x, y]\nlagrangian: x'^2 + y'^2\nconstraints: {wire: x^2/4 + y^2 = 1}\ndependent: [y]\nstart: {x: 0, y: -1}\n";
    let check = failing(text, &[], &[1]);
    let near = check.nearest_failure.unwrap();
    assert!(
        near.point[1].abs() < 1e-9 && (near.point[0].abs() - 2.0).abs() < 1e-9,
        "{near:?}"
    );
}

#[test]
fn the_nearest_failure_may_be_where_branches_cross() {
    // there all gradients of f vanish: (6/5, 36/25) and (-1.47^(1/3), -1.47), beside others that are farther
    for (f, start, dependent, at) in [
        (
            "(y - 1.2*x)*(y - x^2)",
            "x: 1.34, y: 1.7956",
            "x",
            [1.2, 1.44],
        ),
        (
            "(y + 1.47)*(y - x^3)",
            "x: 0.75, y: -1.47",
            "y",
            [-(1.47_f64.cbrt()), -1.47],
        ),
    ] {
        let model = system(&format!(
            "coordinates: [x, y]\nlagrangian: x'^2 + y'^2\nconstraints: {{c: \"{f}\"}}\ndependent: [{dependent}]\nstart: {{{start}}}\n"
        ));
        let site = model.site(&Overrides::default()).unwrap();
        let near = model.check(site, None, &[]).nearest_failure;
        let is_there = |point: &[f64]| (point[0] - at[0]).hypot(point[1] - at[1]) < 1e-6;
        assert!(
            near.as_ref().is_some_and(|near| is_there(&near.point)),
            "{f} {dependent}: {near:?}"
        );
    }
}

#[test]
fn g_has_no_end_where_it_only_comes_nearer_to_that_of_the_domain() {
    for constraint in ["log(x + 2.9) = y", "sqrt(x + 1.5)*exp(y) = 1"] {
        let found = ends_along_y(constraint, 0.0);
        assert!(found.iter().all(Option::is_none), "{constraint}: {found:?}");
    }
    // and one to which it leads
    let [Some((end, _)), None] = ends_along_y("sqrt(x + 2) = y", 1.0) else {
        panic!();
    };
    assert!(end.abs() < 1e-4, "{end}");
}

#[test]
fn a_coordinate_that_grows_as_a_logarithm_ends_g_and_meets_no_zero_of_the_determinant() {
    // x(y) is as steep at a logarithm as at a fold
    let leads_to = |end: &Option<(f64, Ending)>, place: f64, why: Ending| {
        let (value, found) = end.as_ref().unwrap();
        (value - place).abs() < 1e-6 && *found == why
    };
    for scale in [1e-3, 1.0, 1e3] {
        let away = |constraint: &str| constraint.replace('X', &format!("(x/{scale:e})"));
        for (constraint, y, place) in [
            ("exp(-X) = y", 0.5, 0.0),
            ("exp(X) = 1 - y", 0.5, 1.0),
            ("tanh(X) = y", 0.5, 1.0),
            ("exp(X + y) = 2 - y", 0.5, 2.0),
        ] {
            let found = ends_along_y(&away(constraint), y);
            let any = found
                .iter()
                .flatten()
                .any(|end| leads_to(&Some(end.clone()), place, Ending::Unbounded(0)));
            assert!(any, "{constraint} {scale}: {found:?}");
            let zeros = found
                .iter()
                .flatten()
                .filter(|end| matches!(end.1, Ending::Determinant(_)));
            assert_eq!(zeros.count(), 0, "{constraint} {scale}: {found:?}");
        }
        // folds of any order are zeros of it
        for power in [2, 3, 4, 5, 6] {
            let text = away(&format!("(X - 1)^{power} = y"));
            let found = ends_along_y(&text, 0.5);
            assert!(
                matches!(&found[0], Some((end, Ending::Determinant(_))) if end.abs() < 1e-6),
                "{text}: {found:?}"
            );
        }
    }
    // what no step tells is not said
    let found = ends_along_y("exp(-x^2) = y", 0.5);
    assert_eq!(found[0], None);
}

#[test]
fn the_nearest_failure_is_the_nearest() {
    // by hand: from the end of the axis c the nearest point of the ellipse z = 0 is the end of the axis b; on the torus
    // it is the top of the tube, rho = R
    let known = [
        ("geodesic_ellipsoid", f64::hypot(1.5, 1.0)),
        ("geodesic_torus", 2.0_f64.sqrt()),
    ];
    for (name, distance) in known {
        let model = library(name);
        let site = model.site(&Overrides::default()).unwrap();
        let near = model.check(site, None, &[]).nearest_failure.unwrap();
        assert!(near.is_nearest, "{name} {near:?}");
        assert!((near.distance - distance).abs() < 1e-6, "{name} {near:?}");
    }
}

#[test]
fn no_place_of_failure_is_nearer_than_the_nearest() {
    // scattered places of {z = 0} on an ellipsoid, {x1 = 0 or x1 = x2} on two rods: none nearer
    let model = library("double_pendulum");
    let site = model.site(&Overrides::default()).unwrap();
    let from = site.x.clone();
    let near = model.check(site, None, &[]).nearest_failure.unwrap();
    assert!(near.is_nearest, "{near:?}");
    for i in 0..2000 {
        let (a, b) = (f64::from(i) * 0.731, f64::from(i) * 1.377);
        let upright = if i % 4 < 2 { 1.0 } else { -1.0 };
        let place = if i % 2 == 0 {
            [a.cos(), a.sin(), a.cos(), a.sin() + upright]
        } else {
            [0.0, upright, b.cos(), upright + b.sin()]
        };
        let pairs = place.iter().zip(&from);
        let distance = pairs.map(|(p, q)| (p - q).powi(2)).sum::<f64>().sqrt();
        assert!(
            distance >= near.distance * (1.0 - 1e-3),
            "{place:?} {near:?}"
        );
    }
}

#[test]
fn a_kink_near_by_keeps_a_failure_from_being_called_the_nearest() {
    let text = "coordinates: [x, y]\nlagrangian: x'^2 + y'^2\nconstraints: {wire: x^2 + y + abs(x - 1)/10 = 1.2}\ndependent: [x]\nstart: {x: 0.9}\n";
    let check = failing(text, &[], &[0]);
    assert!(check.verdict.holds());
    assert!(check.nearest_failure.is_some_and(|near| !near.is_nearest));
}

/// A wire in the plane whose start gives x.
fn wire(constraint: &str, dependent: &str, start: &str) -> String {
    format!(
        "coordinates: [x, y]\nlagrangian: x'^2 + y'^2\nconstraints: {{wire: \"{constraint}\"}}\ndependent: [{dependent}]\n{start}\n"
    )
}

#[test]
fn what_vanishes_nowhere_on_the_constraints_has_no_nearest_failure() {
    let cases = [
        ("y*exp(x) = 1", "start: {x: 5}"),
        ("y*exp(x) = 1", "start: {x: -20}"),
        (
            "sin(y)*exp(x^2) = -1.008",
            "start: {y: -1.46}\nguess: {x: -0.12}",
        ),
        ("x*y = 1", "start: {x: 1}"),
        ("x*y = 1e-8", "start: {x: 1e-4}"),
        ("x*y = 1e-40", "start: {x: 1e-20}"),
        ("x*y = 1e-160", "start: {x: 1e-80}"),
        ("x^2*y = 1e6", "start: {x: 3}"),
        ("exp(x)*(exp(x)*y - 1e-12) = 0", "start: {x: 0}"),
    ];
    for (constraint, start) in cases {
        let model = system(&wire(constraint, "x", start));
        let check = model.check(model.site(&Overrides::default()).unwrap(), None, &[]);
        assert!(check.verdict.holds(), "{constraint}");
        let near = check.nearest_failure;
        assert!(near.is_none(), "{constraint} {start}: {near:?}");
    }
}

#[test]
fn the_nearest_failure_is_the_same_in_all_units() {
    for r in [1e-40, 1e-20, 1e-8, 1e-3, 1.0, 1e6] {
        // a circle, and a curve that crosses itself at the origin, where all terms vanish
        let circle = (format!("x^2 + y^2 = {:e}", r * r), 0.8 * r);
        let lemniscate = format!("x^2/{r:e}^2 - (x/{r:e})^4 = (y/{r:e})^2");
        for ((constraint, y), place) in [(circle, [r, 0.0]), ((lemniscate, 0.48 * r), [r, 0.0])] {
            let start = format!("start: {{x: {:e}, y: {y:e}}}", 0.6 * r);
            let model = system(&wire(&constraint, "y", &start));
            let check = model.check(model.site(&Overrides::default()).unwrap(), None, &[]);
            let near = check.nearest_failure.unwrap();
            let off = (near.point[0].abs() - place[0]).abs() + near.point[1].abs();
            let origin = near.point[0].abs() + near.point[1].abs();
            assert!(off.min(origin) < 1e-6 * r, "{constraint}: {near:?}");
        }
    }
}
