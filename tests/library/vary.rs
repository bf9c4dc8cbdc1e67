//! The motion among the paths beside it: the slope of the action is zero, its curvature and the conjugate points are those of books.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use holonom::analysis::{
    Model, Request, Returned, Shape, Size, Spot, Unconjugated, Varied, VaryError, VaryRequest,
};
use holonom::system::{System, builtin};
use std::f64::consts::PI;
use std::sync::atomic::AtomicBool;

fn model(text: &str) -> Model {
    Model::new(System::parse(text, "vary", &[]).unwrap())
}

fn vary(model: &Model, request: &VaryRequest) -> Result<Varied, VaryError> {
    model.vary(request, &AtomicBool::new(false))
}

/// As far as that time, with few samples.
fn until(t: f64) -> VaryRequest {
    VaryRequest {
        run: Request {
            until: Some(t),
            samples: Some(400),
            ..Request::default()
        },
        to: Some(t),
        ..VaryRequest::default()
    }
}

#[test]
fn the_slope_of_the_action_is_zero_along_every_built_in_motion() {
    for own in builtin() {
        let model = Model::new(System::parse(own.text, own.name, &[]).unwrap());
        if model.system.objective {
            continue;
        }
        let request = VaryRequest {
            run: Request {
                until: Some(
                    model.system.start.t + 0.3 * (model.system.run.until - model.system.start.t),
                ),
                samples: Some(400),
                ..Request::default()
            },
            ..VaryRequest::default()
        };
        match vary(&model, &request) {
            Ok(found) => {
                let ratio = found.balance().abs() / found.scale;
                assert!(
                    ratio < 1e-6,
                    "{}: {} of {}",
                    own.name,
                    found.balance(),
                    found.scale
                );
                assert!(found.is_stationary(), "{}", own.name);
            }
            Err(VaryError::Fixed) => {}
            Err(error) => panic!("{}: {error}", own.name),
        }
    }
}

#[test]
fn a_great_circle_stops_being_shortest_after_half_a_turn() {
    let sphere = model(
        "coordinates: [x, y, z]\nlagrangian: (x'^2 + y'^2 + z'^2)/2\nconstraints: {sphere: x^2 + y^2 + z^2 = 1}\nstart: {x: 1, y: 0, z: 0, x': 0, y': 1, z': 0}\nrun: {until: 4}\n",
    );
    for t in [1.0, 2.5, 3.1, 3.2, 4.0] {
        let request = VaryRequest {
            variation: vec![(2, Shape::Sine(1))],
            ..until(t)
        };
        let found = vary(&sphere, &request).unwrap();
        // int eta'^2 - eta^2 of eta = sin(pi t/T)
        let wanted = 0.5 * t * ((PI / t).powi(2) - 1.0);
        assert!(
            (found.curvature - wanted).abs() < 1e-8,
            "{t}: {} {wanted}",
            found.curvature
        );
        assert!(found.is_stationary());
        let list = found.conjugate.as_ref().unwrap();
        if t < PI {
            assert!(list.is_empty());
            assert_eq!(found.falling(), Some(0));
        } else {
            assert_eq!(list.len(), 1);
            assert!((list[0].t - PI).abs() < 1e-6, "{}", list[0].t - PI);
            assert_eq!(list[0].multiplicity, 1);
            assert_eq!(found.falling(), Some(1));
        }
    }
}

#[test]
fn an_oscillator_is_a_minimum_for_half_a_period() {
    let oscillator = model(
        "coordinates: [x]\nparameters: {m: 2, k: 8}\nlagrangian: m/2*x'^2 - k/2*x^2\nstart: {x: 0.3, x': 1}\nrun: {until: 7}\n",
    );
    let found = vary(&oscillator, &until(7.0)).unwrap();
    let list = found.conjugate.as_ref().unwrap();
    assert_eq!(list.len(), 4);
    for (i, c) in list.iter().enumerate() {
        let wanted = PI / 2.0 * (i + 1) as f64;
        assert!((c.t - wanted).abs() < 1e-6, "{}", c.t - wanted);
    }
    assert_eq!(found.falling(), Some(4));
    // S is quadratic: S(eps) - S(0) = eps^2 S''/2 at every size
    let curvature = 0.5 * 7.0 * (2.0 * (PI / 7.0).powi(2) - 8.0);
    assert!((found.curvature - curvature).abs() < 1e-8);
    for at in &found.curve {
        let change = at.action.as_ref().unwrap() - found.action;
        assert!((change - 0.5 * at.epsilon * at.epsilon * curvature).abs() < 1e-9);
    }
}

#[test]
fn an_isotropic_oscillator_meets_itself_in_two_directions() {
    let text = "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2 - x^2 - y^2)/2\nstart: {x: 1, y: 0, x': 0.2, y': 0.7}\nrun: {until: 4}\n";
    let found = vary(&model(text), &until(4.0)).unwrap();
    let list = found.conjugate.unwrap();
    assert_eq!(list.len(), 1);
    assert!((list[0].t - PI).abs() < 1e-6);
    assert_eq!(list[0].multiplicity, 2);
}

#[test]
fn curvature_and_slope_are_those_of_the_action_itself() {
    // the same by differences of S(eps), which follows g and not its derivatives
    for name in [
        "bead_on_parabola",
        "product_and_sum",
        "rotating_rod",
        "pendulum",
        "double_pendulum",
        "slider_crank",
    ] {
        let own = builtin().iter().find(|b| b.name == name).unwrap();
        let model = Model::new(System::parse(own.text, name, &[]).unwrap());
        for shape in [Shape::Sine(1), Shape::Sine(2), Shape::Bump] {
            let first = vary(&model, &VaryRequest::default()).unwrap();
            let (k, _) = first.variation[0];
            let request = VaryRequest {
                variation: vec![(k, shape)],
                size: Size::Eps(1e-2),
                ..VaryRequest::default()
            };
            let found = vary(&model, &request).unwrap();
            let at = |i: usize| *found.curve[i].action.as_ref().unwrap();
            // sizes -8 to 8: central differences of both orders with their next terms taken out
            let h = 1e-2 / 8.0;
            let slope = |s: usize| (at(8 + s) - at(8 - s)) / (2.0 * h * s as f64);
            let second = |s: usize| (at(8 + s) - 2.0 * at(8) + at(8 - s)) / (h * s as f64).powi(2);
            let slope = (4.0 * slope(2) - slope(4)) / 3.0;
            let second = (4.0 * second(2) - second(4)) / 3.0;
            assert!(
                (slope - found.slope).abs() < 1e-6 * found.scale,
                "{name}: {slope} {}",
                found.slope
            );
            assert!(
                (second - found.curvature).abs() < 1e-4 * found.scale,
                "{name}: {second} {}",
                found.curvature
            );
        }
    }
}

#[test]
fn a_varied_path_that_leaves_n_is_told_with_time_and_place() {
    let text = "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2\nconstraints: {circle: x^2 + y^2 = 1}\ndependent: [y]\nstart: {x: 0, y: 1, x': 0.5}\nrun: {until: 1}\n";
    let request = VaryRequest {
        size: Size::Eps(2.0),
        ..VaryRequest::default()
    };
    let found = vary(&model(text), &request).unwrap();
    assert_eq!(found.returned, Returned::ByG(vec![1]));
    let last = found.curve.last().unwrap();
    let Spot { t, x } = last.action.as_ref().unwrap_err();
    // x = sin(t/2) + 2 sin(pi t) comes to 1 first
    assert!((0.1..0.2).contains(t), "{t}");
    assert_eq!(x.len(), 2);
    assert!(found.curve[7].action.is_ok());
}

#[test]
fn a_choice_that_holds_is_used_however_it_compares_with_others() {
    // det J[z] = 1, and |det J[x]| = 2 x is much larger; in other lengths it is the other way round
    for unit in [1.0, 1e-3, 1e3] {
        let text = format!(
            "coordinates: [x, z]\nlagrangian: (x'^2 + z'^2)/2\nconstraints: {{w: z = x^2/{unit:?}}}\ndependent: [z]\n\
             start: {{x: 30*{unit:?}, x': {unit:?}}}\nrun: {{until: 2}}\n"
        );
        let found = vary(&model(&text), &VaryRequest::default()).unwrap();
        assert_eq!(found.returned, Returned::ByG(vec![1]), "{text}");
        assert_eq!(found.between, [0.0, 2.0]);
    }
}

#[test]
fn a_redundant_constraint_takes_no_choice_away() {
    let text = "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2 - y\nconstraints: {a: x^2 + y^2 = 1, b: 2*x^2 + 2*y^2 = 2}\n\
                start: {x: 0.1, x': 0}\nguess: {y: -1}\nrun: {until: 2}\n";
    let found = vary(&model(text), &VaryRequest::default()).unwrap();
    assert_eq!(found.returned, Returned::ByG(vec![1]));
}

#[test]
fn a_motion_that_stops_is_varied_up_to_shortly_before() {
    let text = "coordinates: [x]\nlagrangian: x'^2/2\nforces: {x: \"-3*sign(x')\"}\nstart: {x: 0, x': 2}\n";
    let found = vary(&model(text), &VaryRequest::default()).unwrap();
    // it comes to rest at 2/3
    assert!((found.between[1] - 0.6).abs() < 1e-6, "{:?}", found.between);
    assert!(found.balance().abs() < 1e-6 * found.scale);
}

#[test]
fn forces_without_a_potential_are_balanced_by_their_work() {
    let text = "coordinates: [x, y]\nparameters: {b: 1}\nlagrangian: (x'^2 + y'^2)/2 - 9*y\nforces: {x: -b*x', y: -b*y'}\nconstraints: {wire: y = x^2}\ndependent: [y]\nstart: {x: 1, x': 0}\nrun: {until: 2}\n";
    let found = vary(&model(text), &VaryRequest::default()).unwrap();
    assert!(found.work.abs() > 1e-3);
    assert!(found.balance().abs() < 1e-6 * found.scale);
    assert_eq!(found.conjugate, Err(Unconjugated::Forces));
}

#[test]
fn a_motion_that_runs_backwards_is_a_minimum_of_the_same_action() {
    let oscillator = model(
        "coordinates: [x]\nlagrangian: x'^2/2 - x^2/2\nstart: {x: 1, x': 0.5}\nrun: {until: 1}\n",
    );
    // the same arc of the motion from either end
    let base = oscillator
        .simulate(&Request::default(), &AtomicBool::new(false))
        .unwrap();
    let end = base.samples.last().unwrap();
    let mut back = until(0.0);
    back.run.overrides.t = Some(1.0);
    (back.run.overrides.x, back.run.overrides.v) = (vec![(0, end.x[0])], vec![(0, end.v[0])]);
    let (on, back) = (
        vary(&oscillator, &until(1.0)).unwrap(),
        vary(&oscillator, &back).unwrap(),
    );
    assert!(on.curvature > 0.0 && back.is_stationary());
    assert!((on.curvature - back.curvature).abs() < 1e-9 && (on.action - back.action).abs() < 1e-9);
    assert_eq!((on.falling(), back.falling()), (Some(0), Some(0)));
    // an end before the beginning is no part of the motion
    let request = VaryRequest {
        from: Some(0.8),
        to: Some(0.2),
        ..VaryRequest::default()
    };
    let error = vary(&oscillator, &request).unwrap_err();
    assert!(matches!(error, VaryError::Order { .. }), "{error}");
}

#[test]
fn neighbours_of_a_damped_motion_meet_by_the_linearised_equations() {
    // x'' + 2 b x' + w^2 x = 0: dx/dv_0 = e^(-b t) sin(w_1 t)/w_1, and no action
    let text = "coordinates: [x]\nlagrangian: x'^2/2 - 2*x^2\nforces: {x: -x'}\nstart: {x: 1, x': 0.5}\nrun: {until: 6}\n";
    let found = vary(&model(text), &until(6.0)).unwrap();
    assert_eq!(
        (found.conjugate.clone(), found.falling()),
        (Err(Unconjugated::Forces), None)
    );
    let w = (4.0_f64 - 0.25).sqrt();
    let times: Vec<f64> = found.meeting.unwrap().iter().map(|c| c.t).collect();
    assert_eq!(times.len(), 3);
    for (i, t) in times.iter().enumerate() {
        assert!((t - PI * (i + 1) as f64 / w).abs() < 1e-6, "{t}");
    }
}

#[test]
fn what_cannot_be_varied_is_refused() {
    let own = builtin()
        .iter()
        .find(|b| b.name == "bead_on_parabola")
        .unwrap();
    let model = Model::new(System::parse(own.text, "bead", &[]).unwrap());
    let with = |request: VaryRequest| vary(&model, &request).unwrap_err();
    let late = with(VaryRequest {
        to: Some(1e3),
        ..VaryRequest::default()
    });
    assert!(matches!(late, VaryError::Outside { .. }), "{late}");
    let t = model.system.t;
    let ends = with(VaryRequest {
        variation: vec![(0, Shape::Expression(t)), (1, Shape::Expression(t))],
        run: Request {
            dependent: Some(vec![0]),
            ..Request::default()
        },
        ..VaryRequest::default()
    });
    assert!(matches!(ends, VaryError::Dependent { .. }), "{ends}");
    let ends = with(VaryRequest {
        variation: vec![(1, Shape::Expression(t))],
        run: Request {
            dependent: Some(vec![0]),
            ..Request::default()
        },
        ..VaryRequest::default()
    });
    assert!(matches!(ends, VaryError::End { .. }), "{ends}");
    let leaves = with(VaryRequest {
        to: Some(2.0),
        run: Request {
            dependent: Some(vec![0]),
            ..Request::default()
        },
        ..VaryRequest::default()
    });
    // the bead comes to x1 = 0
    assert!(
        matches!(leaves, VaryError::LeavesN { t, .. } if (0.5..0.6).contains(&t)),
        "{leaves}"
    );
}

#[test]
fn conjugate_points_that_nearly_coincide_are_each_counted_once() {
    // q_k with frequencies w_k, seen in turned coordinates: conjugate points at j pi/w_k
    for (apart, until_t) in [
        (0.3, 14.0),
        (1e-2, 10.0),
        (1e-3, 13.0),
        (2e-4, 10.0),
        (1e-5, 10.0),
        (0.0, 13.0),
    ] {
        let text = format!(
            "coordinates: [x, y]\nparameters: {{d: {apart}, a: 0.7}}\n\
             lagrangian: (x'^2 + y'^2 - (cos(a)*x + sin(a)*y)^2 - (1 + d)^2*(cos(a)*y - sin(a)*x)^2)/2\n\
             start: {{x: 1, y: 0.3, x': 0.2, y': 0.7}}\nrun: {{until: {until_t}}}\n"
        );
        for samples in [None, Some(7)] {
            let mut request = until(until_t);
            request.run.samples = samples;
            let list = vary(&model(&text), &request).unwrap().conjugate.unwrap();
            let mut wanted: Vec<f64> = [1.0, 1.0 + apart]
                .iter()
                .flat_map(|w| (1..9).map(move |j| PI * f64::from(j) / w))
                .filter(|t| *t < until_t)
                .collect();
            wanted.sort_by(f64::total_cmp);
            let told: Vec<f64> = list
                .iter()
                .flat_map(|c| std::iter::repeat_n(c.t, c.multiplicity))
                .collect();
            assert_eq!(told.len(), wanted.len(), "{apart}: {told:?}");
            for (told, wanted) in told.iter().zip(&wanted) {
                assert!((told - wanted).abs() < 1e-6, "{apart}: {told} {wanted}");
            }
        }
    }
}

#[test]
fn conjugate_points_are_the_same_in_any_units() {
    // a pendulum of 1 m, of 10 um, of 10 km
    let shape = |l: f64| {
        let text = format!(
            "coordinates: [x, y]\nparameters: {{l: {l}, g: 9.81*{l}}}\nlagrangian: (x'^2 + y'^2)/2 - g*y\n\
             constraints: {{rod: x^2 + y^2 = l^2}}\nstart: {{x: l/2, y: -sqrt(3/4)*l}}\n"
        );
        let varied = vary(&model(&text), &until(2.0)).unwrap();
        let points = varied.conjugate.unwrap();
        points.iter().map(|point| point.t).collect::<Vec<f64>>()
    };
    let known = shape(1.0);
    assert_eq!(known.len(), 1);
    for l in [1e-5, 1e4] {
        let own = shape(l);
        assert!(
            own.len() == 1 && (own[0] - known[0]).abs() < 1e-5,
            "{l}: {own:?} {known:?}"
        );
    }
}

#[test]
fn integrals_are_as_good_as_is_said_where_paths_are_steep() {
    // J_D is small on the way, so that dx_D is steep: a thousand samples are too few
    let text = "coordinates: [y, x]\nlagrangian: \"0.335*y'^2 + 0.335*x'^2 + x'^2*y'^2/9 - 2.1024*atan(x) - 0.2135*x^3 - 15*y^2 - 15*x^2\"\n\
         constraints: {c0: \"0.53*y + 0.34*pow(2+y^2, 3/2) - 0.01*sqrt(1+x^2) - 0.11*x = 0.834\"}\n\
         start: {x: 0.94, x': 0.46}\nguess: {y: -0.02}\n";
    let with = |samples: Option<usize>| {
        let run = Request {
            until: Some(1.2),
            samples,
            ..Request::default()
        };
        let request = VaryRequest {
            run,
            from: Some(0.0),
            to: Some(1.2),
            ..VaryRequest::default()
        };
        vary(&model(text), &request).unwrap()
    };
    let (usual, few, many) = (with(None), with(Some(1000)), with(Some(50_000)));
    for found in [&usual, &few] {
        let off = (found.action - many.action).abs();
        assert!(off <= found.action_error + 1e-9, "{off}");
        let off = (found.curvature - many.curvature).abs();
        assert!(off <= found.curvature_error + 1e-6, "{off}");
    }
    assert!(usual.curvature_error < 1e-6 * usual.curvature);
    assert!(few.curvature_error > 1e-6 * few.curvature);
}

#[test]
fn a_variation_may_begin_anywhere_between_samples_of_the_file() {
    // fast within few samples: what lies between two of them is integrated, whatever the run of the file is
    let text = "coordinates: [x, y]\nlagrangian: 1/2*x'^2 + 1/2*y'^2 - 200*x^2\n\
         constraints: {c: y - cos(20*x)/10}\ndependent: [y]\nstart: {x: 0.99, x': -1.49}\n";
    for until in [6.3, 7.3, 8.0] {
        let request = VaryRequest {
            run: Request {
                until: Some(until),
                ..Request::default()
            },
            from: Some(0.3),
            to: Some(6.3),
            ..VaryRequest::default()
        };
        let found = vary(&model(text), &request).unwrap();
        // by another integrator
        assert!((found.action - 7.182_126).abs() < 2e-5, "{}", found.action);
    }
}
