//! Consistent starts.

use super::systems::*;
use super::*;

fn given(x: &[Option<f64>], v: &[Option<f64>]) -> Given {
    Given {
        x: x.to_vec(),
        v: v.to_vec(),
        ..Given::nothing(0.0, x.len())
    }
}

#[test]
fn given_values_that_fit_stay_as_they_are() {
    let case = Case::new(parabola(), None);
    let start = consistent_start(
        &case.problem(),
        &given(&[Some(0.3), Some(0.09)], &[Some(1.0), Some(0.6)]),
    )
    .unwrap();
    assert_eq!((start.x, start.v), (vec![0.3, 0.09], vec![1.0, 0.6]));
    assert!(start.notes.is_empty());
    assert_eq!(start.correction, [0.0, 0.0]);
}

#[test]
fn what_is_left_out_is_solved_for() {
    let case = Case::new(parabola(), None);
    let start = consistent_start(
        &case.problem(),
        &given(&[Some(3.0), None], &[Some(2.0), None]),
    )
    .unwrap();
    assert!(apart(&start.x, &[3.0, 9.0]) < 1e-15 && apart(&start.v, &[2.0, 12.0]) < 1e-15);
    let mut other = given(&[None, Some(4.0)], &[None, None]);
    other.guess_x[0] = -1.0;
    let start = consistent_start(&case.problem(), &other).unwrap();
    assert!(apart(&start.x, &[-2.0, 4.0]) < 1e-15);
    assert_eq!(start.v, [0.0, 0.0]);
}

#[test]
fn a_guess_where_the_jacobian_vanishes_is_left() {
    let case = Case::new(pendulum(), None);
    let start = consistent_start(&case.problem(), &Given::nothing(0.0, 2)).unwrap();
    assert!((start.x[0].hypot(start.x[1]) - 1.0).abs() < 1e-15);
    // and where two unknowns are over-determined only in appearance
    let double = Case::new(doubled_pendulum(), None);
    let start =
        consistent_start(&double.problem(), &given(&[Some(0.6), None], &[None, None])).unwrap();
    assert!((start.x[1].abs() - 0.8).abs() < 1e-15);
}

#[test]
fn a_guess_leads_to_the_nearest_point() {
    let case = Case::new(pendulum(), None);
    let mut rough = Given::nothing(0.0, 2);
    rough.guess_x = vec![3.0, 4.0];
    let start = consistent_start(&case.problem(), &rough).unwrap();
    assert!(apart(&start.x, &[0.6, 0.8]) < 1e-12);
}

#[test]
fn small_misses_are_moved_with_a_note_and_large_ones_refused() {
    let case = Case::new(pendulum(), None);
    let near = given(
        &[Some(0.6 + 1e-8), Some(-0.8)],
        &[Some(0.8), Some(0.6 + 3e-8)],
    );
    let start = consistent_start(&case.problem(), &near).unwrap();
    assert!((start.x[0].hypot(start.x[1]) - 1.0).abs() < 1e-15);
    assert!((start.x[0] * start.v[0] + start.x[1] * start.v[1]).abs() < 1e-15);
    assert!(
        start
            .notes
            .iter()
            .any(|note| matches!(note, Note::MovedCoordinate { coordinate: 0, from, to } if *from == 0.60000001 && (to - 0.6000000064).abs() < 1e-10)),
        "{:?}",
        start.notes
    );
    assert!(
        start
            .notes
            .iter()
            .any(|note| matches!(note, Note::MovedVelocity { coordinate: 1, .. })),
        "{:?}",
        start.notes
    );

    let far = given(&[Some(3.0), Some(4.0)], &[None, None]);
    let error = consistent_start(&case.problem(), &far).unwrap_err();
    let SolverError::Missed {
        by: Missing::Position,
        constraint,
        residual,
        nearest,
        ..
    } = &error
    else {
        panic!("{error}")
    };
    assert_eq!((constraint.as_str(), *residual), ("f1", 24.0));
    assert!((nearest[0].value - 0.6).abs() < 1e-12 && (nearest[1].value - 0.8).abs() < 1e-12);
    assert!(
        crate::report::refusal_sentence(&error).contains("x1 = 0.6"),
        "{error}"
    );

    let wrong = given(&[Some(1.0), Some(0.0)], &[Some(0.5), Some(0.0)]);
    let error = consistent_start(&case.problem(), &wrong).unwrap_err();
    assert!(
        matches!(
            error,
            SolverError::Missed {
                by: Missing::Velocity,
                residual: 1.0,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn what_cannot_be_solved_is_said() {
    let case = Case::new(pendulum(), None);
    let error =
        consistent_start(&case.problem(), &given(&[Some(2.0), None], &[None, None])).unwrap_err();
    let SolverError::Missed {
        by: Missing::Position,
        nearest,
        ..
    } = &error
    else {
        panic!("{error}")
    };
    assert!((nearest[0].value - 1.0).abs() < 1e-6, "{error}");
    let mut impossible = pendulum();
    impossible.constraint = |_, x, out| {
        (pendulum().constraint)(0.0, x, out);
        out.residual[0] += 2.0;
    };
    let case = Case::new(impossible, None);
    let error = consistent_start(&case.problem(), &Given::nothing(0.0, 2)).unwrap_err();
    assert!(matches!(error, SolverError::NoStart { .. }), "{error}");
}

#[test]
fn values_that_are_no_numbers_are_named() {
    let mut broken = pendulum();
    broken.constraint = |_, x, out| {
        (pendulum().constraint)(0.0, x, out);
        out.residual[0] = (x[0] - 2.0).sqrt();
    };
    let case = Case::new(broken, None);
    for x in [[Some(1.0), Some(0.0)], [Some(1.0), None]] {
        let error = consistent_start(&case.problem(), &given(&x, &[None, None])).unwrap_err();
        assert!(
            matches!(&error, SolverError::NotFinite { what: Quantity::Constraint(name), .. } if name == "f1"),
            "{error}"
        );
    }
    let error = consistent_start(
        &case.problem(),
        &given(&[Some(f64::NAN), None], &[None, None]),
    )
    .unwrap_err();
    assert!(error.to_string().contains("x1"), "{error}");
}

#[test]
fn velocities_follow_a_moving_constraint() {
    let case = Case::new(moving_wire(), None);
    let start = consistent_start(
        &case.problem(),
        &given(&[Some(1.0), None], &[Some(0.0), None]),
    )
    .unwrap();
    assert!(apart(&start.v, &[0.0, 1.0]) < 1e-15);
    // at rest all over does not fit a wire that moves
    let error = consistent_start(
        &case.problem(),
        &given(&[Some(1.0), None], &[Some(0.0), Some(0.0)]),
    )
    .unwrap_err();
    assert!(matches!(
        error,
        SolverError::Missed {
            by: Missing::Velocity,
            ..
        }
    ));
}

#[test]
fn a_solved_start_is_known_to_rounding() {
    let case = Case::new(pendulum(), None);
    let start =
        consistent_start(&case.problem(), &given(&[Some(0.6), None], &[None, None])).unwrap();
    assert!(start.correction[1] > 0.0 && start.correction[1] < 1e-14);
}
