//! Equations of motion against differences of the Lagrangian, and forms against each other, on random systems.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss
)]

mod random;

use holonom::expr::Expr;
use holonom::mechanics::{Derivation, Equations};
use holonom::system::System;
use holonom::theorem::SymbolicDeterminant;
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;
use random::system::{Curve, Place, curvature, recipes, slope};

const T: f64 = 0.4;

/// Close, relative to the larger and to `scale`.
fn close(a: f64, b: f64, scale: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * (a.abs().max(b.abs()).max(scale))
}

/// dL/dv_k by differences.
fn momentum(system: &System, place: &Place, k: usize) -> f64 {
    slope(1e-2, &|h| {
        let mut near = place.clone();
        near.v[k] += h;
        near.value(system, system.lagrangian)
    })
}

fn numbers(system: &System, place: &Place, list: &[Expr]) -> Vec<f64> {
    list.iter().map(|e| place.value(system, *e)).collect()
}

fn matrix(system: &System, place: &Place, rows: &[Vec<Expr>], columns: usize) -> DMatrix<f64> {
    DMatrix::from_fn(rows.len(), columns, |i, j| place.value(system, rows[i][j]))
}

proptest! {
    #![proptest_config(random::cases(120))]

    #[test]
    fn equations_are_the_differences_of_the_lagrangian(recipe in recipes()) {
        let Some(system) = recipe.system() else { return Ok(()) };
        let equations = Equations::new(&system);
        let n = recipe.coordinates;
        let curve = Curve::new(n, &recipe.picks);
        let place = curve.at(T);
        for k in 0..n {
            let rate = slope(5e-3, &|h| momentum(&system, &curve.at(T + h), k));
            let push = slope(1e-3, &|h| {
                let mut near = place.clone();
                near.x[k] += h;
                near.value(&system, system.lagrangian)
            });
            let force = place.value(&system, system.forces[k]);
            let wanted = rate - push - force;
            let got = place.value(&system, equations.euler_lagrange[k]);
            prop_assert!(close(got, wanted, rate.abs() + push.abs() + force.abs() + 1.0, 1e-6),
                "{}: E_{k} = {} is {got}, differences {wanted}", recipe.text(), system.pool.print(equations.euler_lagrange[k]));
            let mass = matrix(&system, &place, &equations.mass, n);
            let linear = (mass.row(k) * DVector::from_vec(place.a.clone()))[0] + place.value(&system, equations.bias[k]);
            prop_assert!(close(got, linear, rate.abs() + push.abs() + 1.0, 1e-10), "M x'' + h is {linear}, E is {got}");
            prop_assert!((&mass - mass.transpose()).amax() <= 1e-12 * mass.amax());
        }
        let energy = (0..n).map(|k| place.v[k] * momentum(&system, &place, k)).sum::<f64>() - place.value(&system, system.lagrangian);
        prop_assert!(close(place.value(&system, equations.energy), energy, 1.0, 1e-7), "{}: energy", recipe.text());
        let explicit = slope(1e-3, &|h| Place { t: T + h, ..place.clone() }.value(&system, system.lagrangian));
        prop_assert!(close(place.value(&system, equations.lagrangian_t), explicit, 1.0, 1e-7));
    }

    #[test]
    fn constraints_are_differentiated_twice(recipe in recipes()) {
        let Some(system) = recipe.system() else { return Ok(()) };
        let equations = Equations::new(&system);
        let n = recipe.coordinates;
        let curve = Curve::new(n, &recipe.picks);
        let place = curve.at(T);
        for (b, c) in system.constraints.iter().enumerate() {
            let mut row = Vec::new();
            for k in 0..n {
                let wanted = slope(1e-3, &|h| {
                    let mut near = place.clone();
                    near.x[k] += h;
                    near.value(&system, c.f)
                });
                let got = place.value(&system, equations.jacobian[b][k]);
                prop_assert!(close(got, wanted, 1.0, 1e-7), "{}: J[{b}][{k}] {got} {wanted}", recipe.text());
                row.push(got);
            }
            let by_t = slope(1e-3, &|h| Place { t: T + h, ..place.clone() }.value(&system, c.f));
            prop_assert!(close(place.value(&system, equations.f_t[b]), by_t, 1.0, 1e-7));
            let second = curvature(5e-3, &|h| curve.at(T + h).value(&system, c.f));
            let got = row.iter().zip(&place.a).map(|(j, a)| j * a).sum::<f64>() - place.value(&system, equations.gamma[b]);
            prop_assert!(close(got, second, 10.0, 1e-6), "{}: d2f/dt2 {got} {second}", recipe.text());
        }
    }

    #[test]
    fn forms_agree_with_linear_algebra_in_numbers(recipe in recipes()) {
        let Some(system) = recipe.system() else { return Ok(()) };
        let equations = Equations::new(&system);
        let (n, m) = (recipe.coordinates, recipe.constraints);
        let dependent = recipe.dependent();
        let derivation = Derivation::new(&system, &equations, &dependent);
        let det = SymbolicDeterminant::new(&system, &equations, &dependent);
        let place = Curve::new(n, &recipe.picks).at(T);
        let e = numbers(&system, &place, &equations.euler_lagrange);
        let j = matrix(&system, &place, &equations.jacobian, n);
        let block = DMatrix::from_fn(m, m, |r, c| j[(r, dependent[c])]);
        let numeric = block.determinant();
        let size: f64 = block.row_iter().map(|r| r.norm()).product();
        if let Some(whole) = det.whole {
            let got = place.value(&system, whole);
            prop_assert!(close(got, numeric, size, 1e-10), "{} D = {dependent:?}: det {} is {got}, {numeric}", recipe.text(), system.pool.print(whole));
        }
        if numeric.abs() <= 1e-3 * size {
            return Ok(());
        }
        prop_assert!(!det.vanishes && derivation.multipliers.is_some(), "{} D = {dependent:?}", recipe.text());
        let multipliers = derivation.multipliers.as_ref().unwrap();
        let right = DVector::from_fn(m, |i, _| e[dependent[i]]);
        let wanted = block.transpose().lu().solve(&right).unwrap();
        let got = numbers(&system, &place, multipliers);
        let scale = wanted.amax().max(1.0);
        for b in 0..m {
            prop_assert!(close(got[b], wanted[b], scale, 1e-7), "{} D = {dependent:?}: lambda_{b} {got:?} {wanted:?}", recipe.text());
        }
        let reduced = numbers(&system, &place, derivation.reduced.as_ref().unwrap());
        for (i, &k) in derivation.independent.iter().enumerate() {
            let value = e[k] - (0..m).map(|b| j[(b, k)] * wanted[b]).sum::<f64>();
            prop_assert!(close(reduced[i], value, e[k].abs().max(scale), 1e-7), "{}: reduced {k}", recipe.text());
        }
        let moves = matrix(&system, &place, derivation.displacements.as_ref().unwrap(), n - m);
        for (i, &k) in derivation.independent.iter().enumerate() {
            let change = &block * moves.column(i) + j.column(k);
            prop_assert!(change.amax() <= 1e-7 * (1.0 + moves.amax()) * j.amax().max(1.0), "{}: B", recipe.text());
        }
        // one constraint at a time: the last multiplier is final, the pivots make up the determinant
        prop_assert_eq!(derivation.stepwise.len(), m);
        let last = place.value(&system, derivation.stepwise[m - 1].multiplier);
        prop_assert!(close(last, wanted[m - 1], scale, 1e-7), "{}: stepwise {last} {wanted:?}", recipe.text());
        let pivots: f64 = derivation.stepwise.iter().map(|s| place.value(&system, s.pivot)).product();
        prop_assert!(close(pivots.abs(), numeric.abs(), 0.0, 1e-7), "{}: pivots {pivots} {numeric}", recipe.text());
        let mut eliminated: Vec<usize> = derivation.stepwise.iter().map(|s| s.eliminates).collect();
        let mut all = dependent.clone();
        eliminated.sort_unstable();
        all.sort_unstable();
        prop_assert_eq!(eliminated, all);
        let with = Place { multipliers: wanted.iter().copied().collect(), ..place.clone() };
        for (k, row) in equations.standard(&system).iter().enumerate() {
            let value = e[k] - (0..m).map(|b| j[(b, k)] * wanted[b]).sum::<f64>();
            prop_assert!(close(with.value(&system, *row), value, e[k].abs().max(scale), 1e-7));
        }
    }

    #[test]
    fn printed_equations_read_back(recipe in recipes()) {
        let Some(system) = recipe.system() else { return Ok(()) };
        let equations = Equations::new(&system);
        let derivation = Derivation::new(&system, &equations, &recipe.dependent());
        let mut list = equations.standard(&system);
        list.extend(derivation.multipliers.iter().flatten());
        list.extend(derivation.reduced.iter().flatten());
        list.extend(derivation.stepwise.iter().flat_map(|s| [s.pivot, s.multiplier]));
        for e in list {
            let shown = system.pool.print(e);
            let back = random::read(&system.pool, &shown);
            prop_assert_eq!(back, Some(e), "{} read back as {:?}", &shown, back.map(|b| system.pool.print(b)));
        }
    }
}

#[test]
fn most_recipes_are_systems() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::new(random::cases(200));
    let good = (0..200)
        .filter(|_| {
            recipes()
                .new_tree(&mut runner)
                .unwrap()
                .current()
                .system()
                .is_some()
        })
        .count();
    assert!(good > 120, "{good} of 200");
}
