//! The equations on each branch of the inverse functions against numbers put in directly.
//!
//! A branch like one before is written by turning the sign of its root. These systems have roots, nested
//! roots, absolute values and roots that are secretly squares beside the one that is turned.

#![allow(clippy::unwrap_used, clippy::format_collect, clippy::panic)]

use crate::random::system::Place;
use holonom::expr::Expr;
use holonom::mechanics::{Derivation, Eliminated, Equations};
use holonom::system::System;
use holonom::theorem::{independent_equations, invert};
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;
use std::fmt::Write as _;

/// What determines y, and z where that is dependent too.
const FIRST: [&str; 16] = [
    "y^2 + x^2 = 4",
    "y^2 - 2*cosh(2*x) = 2",
    "y^2 - (x^2 + 1)^2",
    "y^2 - 1 - sin(2*x)",
    "y^2 - 2 - 2*cos(x)",
    "(y - x)^2 - x^2 = 3",
    "y*(y + 2*x) = 1",
    "y^2 - exp(2*x)",
    "y^2 - exp(x) - 1",
    "y^4 - x^2 = 1",
    "abs(y) - x^2 = 1",
    "sqrt(y^2 + 1) - x^2 = 2",
    "y^2*(1 + x^2) = 3",
    "(y^2 - 3)^2 - x^2 = 1",
    "y^2 - k*x^2 = p",
    "y^2 + y*x - x^2 + t*x = 1",
];
const SECOND: [&str; 6] = [
    "z^2 - x^2 - y^2",
    "z - x*y",
    "z^2 - y - x^2 = 5",
    "z^2 - exp(2*x) = 1",
    "(z - y)^2 - x^2 = 1",
    "z*y - x",
];
const TERMS: [&str; 18] = [
    "m*g*y",
    "y*cosh(x)",
    "y*cos(x/2)",
    "abs(y)",
    "abs(x*y)",
    "sqrt(2*cosh(2*x) + 2)*y",
    "sqrt(x^4 + 2*x^2 + 1)/y",
    "sqrt(1 + y^2)",
    "sqrt(y^2 - 2*x*y + x^2)",
    "(x^2 + y)^(3/2)",
    "y^3*x",
    "1/(y - x)",
    "atan(y/x)",
    "sin(y)*x",
    "exp(-y)",
    "abs(y)*y",
    "(1 + x^2)^(1/3)*y",
    "sqrt(4 - x^2)*y",
];

#[derive(Clone, Debug)]
struct Choice {
    first: usize,
    second: Option<usize>,
    terms: Vec<usize>,
    mixed: bool,
    at: Vec<f64>,
}

fn choices() -> impl Strategy<Value = Choice> {
    (
        0..FIRST.len(),
        prop::option::weighted(0.3, 0..SECOND.len()),
        prop::collection::vec(0..TERMS.len(), 1..3),
        any::<bool>(),
        prop::collection::vec(-1.3..1.3_f64, 12),
    )
        .prop_map(|(first, second, terms, mixed, at)| Choice {
            first,
            second,
            terms,
            mixed,
            at,
        })
}

impl Choice {
    fn text(&self) -> String {
        let mut text =
            "coordinates: [x, y, z]\nparameters: {m: 1.5, g: 9.81, k: 2.3, p: 0.7}\n".to_owned();
        let potential: Vec<&str> = self.terms.iter().map(|&i| TERMS[i]).collect();
        let mixed = if self.mixed { " + x'*y'*x/3" } else { "" };
        write!(
            text,
            "lagrangian: m*(x'^2 + y'^2 + z'^2)/2{mixed} - ({})\nconstraints:\n  a: {}\n",
            potential.join(" + "),
            FIRST[self.first]
        )
        .unwrap();
        if let Some(second) = self.second {
            writeln!(text, "  b: {}", SECOND[second]).unwrap();
        }
        text
    }
}

fn numbers(system: &System, place: &Place, list: &[Expr]) -> Vec<f64> {
    list.iter().map(|e| place.value(system, *e)).collect()
}

proptest! {
    #![proptest_config(crate::random::cases(100))]

    #[test]
    fn every_branch_has_the_equations_with_its_values_put_in(choice in choices()) {
        let text = choice.text();
        let system = System::parse(&text, "random.yaml", &[]).unwrap();
        let equations = Equations::new(&system);
        let list: Vec<usize> = if choice.second.is_some() { vec![1, 2] } else { vec![1] };
        let derivation = Derivation::new(&system, &equations, &list);
        let eliminated = Eliminated::new(&system, &equations, &derivation);
        let inverse = invert(&system, &list);
        let Some(own) = independent_equations(&system, &derivation, eliminated.as_ref(), inverse.branches()) else {
            return Ok(());
        };
        let pool = &system.pool;
        let levels: Vec<f64> = system.constraints.iter().map(|c| Place::default().value(&system, c.c)).collect();
        let (dependent, independent) = (&derivation.dependent, &derivation.independent);
        let m = dependent.len();
        for at in choice.at.chunks(3) {
            for there in &own {
                let branch = inverse.branches().iter().find(|b| b.conditions.len() == there.conditions.len()
                    && b.conditions.iter().zip(&there.conditions).all(|(a, b)| a.expression == b.expression && a.relation == b.relation)).unwrap();
                let mut place = Place {
                    t: 0.4,
                    x: vec![at[0], f64::NAN, at[1]],
                    v: vec![at[2], 0.0, 0.3 - at[0]],
                    a: vec![at[1] - 0.2, 0.0, at[0] + at[2]],
                    levels: levels.clone(),
                    ..Place::default()
                };
                let values = numbers(&system, &place, &branch.functions);
                dependent.iter().zip(&values).for_each(|(&k, v)| place.x[k] = *v);
                let fits = branch.conditions.iter().all(|c| c.admits(place.value(&system, c.expression)));
                if values.iter().any(|v| !v.is_finite()) || !fits {
                    continue;
                }
                let rows = &equations.jacobian;
                let block = DMatrix::from_fn(m, m, |r, c| place.value(&system, rows[r][dependent[c]]));
                let size: f64 = block.row_iter().map(|r| r.norm()).product();
                if block.determinant().abs() <= 3e-2 * size.max(1.0) {
                    continue;
                }
                let solve = |right: DVector<f64>| block.clone().lu().solve(&right).unwrap();
                let rest = |place: &Place, rates: &[f64]| DVector::from_fn(m, |b, _| {
                    independent.iter().map(|&k| place.value(&system, rows[b][k]) * rates[k]).sum::<f64>()
                });
                let f_t = DVector::from_vec(numbers(&system, &place, &equations.f_t));
                let v = solve(-rest(&place, &place.v) - f_t);
                dependent.iter().zip(v.iter()).for_each(|(&k, v)| place.v[k] = *v);
                let gamma = DVector::from_vec(numbers(&system, &place, &equations.gamma));
                let a = solve(gamma - rest(&place, &place.a));
                dependent.iter().zip(a.iter()).for_each(|(&k, a)| place.a[k] = *a);
                let wanted = [
                    numbers(&system, &place, derivation.reduced.as_ref().unwrap()),
                    numbers(&system, &place, derivation.multipliers.as_ref().unwrap()),
                    vec![place.value(&system, system.lagrangian)],
                ];
                let scale = 1.0 + wanted.iter().flatten().chain(&place.a).chain(&place.v).fold(0.0_f64, |all, e| all.max(e.abs()));
                if !scale.is_finite() || wanted.iter().flatten().any(|w| !w.is_finite()) {
                    continue;
                }
                let l: Vec<Expr> = there.lagrangian.iter().map(|l| l.lagrangian).collect();
                for (ours, wanted) in [&there.equations, &there.multipliers, &l].into_iter().zip(&wanted) {
                    for (&e, wanted) in ours.iter().zip(wanted) {
                        let got = place.value(&system, e);
                        prop_assert!((got - wanted).abs() <= 1e-6 * scale,
                            "{text}at {:?} {}: {} is {got} not {wanted}", place.x, branch.functions.iter().map(|f| pool.print(*f)).collect::<Vec<_>>().join(", "), pool.print(e));
                    }
                }
                if let Some(reduced) = &there.lagrangian {
                                       // H_1 = x_I' dL_1/dx_I' - L_1
                    if let Some(energy) = reduced.energy {
                        let momenta = independent.iter().map(|&k| {
                            let c = &system.coordinates[k];
                            place.v[k] * place.value(&system, pool.derivative(reduced.lagrangian, c.v))
                        });
                        let wanted = momenta.sum::<f64>() - place.value(&system, reduced.lagrangian);
                        let got = place.value(&system, energy);
                        prop_assert!((got - wanted).abs() <= 1e-6 * scale, "{text}: {} is {got} not {wanted}", pool.print(energy));
                    }
                }
            }
        }
    }
}
