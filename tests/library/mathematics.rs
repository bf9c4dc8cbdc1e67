//! Equations of motion against differences of the Lagrangian, and forms against each other, on random systems.

#![allow(
    clippy::unwrap_used,
    clippy::format_collect,
    clippy::panic,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss
)]

use crate::random::system::{Curve, Place, curvature, recipes, slope};
use holonom::expr::Expr;
use holonom::mechanics::{Balance, Derivation, Eliminated, Equations, reactions};
use holonom::system::System;
use holonom::theorem::{Condition, SymbolicDeterminant, independent_equations, invert};
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;
use std::fmt::Write as _;

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
    #![proptest_config(crate::random::cases(130))]

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
    fn without_the_dependent_accelerations_the_equations_are_the_same(recipe in recipes()) {
        let Some(system) = recipe.system() else { return Ok(()) };
        let equations = Equations::new(&system);
        let (n, m) = (recipe.coordinates, recipe.constraints);
        let derivation = Derivation::new(&system, &equations, &recipe.dependent());
        let Some(eliminated) = Eliminated::new(&system, &equations, &derivation) else { return Ok(()) };
        let Some(written) = eliminated.written(&system) else { return Ok(()) };
        let (dependent, independent) = (&derivation.dependent, &derivation.independent);
        let mut place = Curve::new(n, &recipe.picks).at(T);
        let j = matrix(&system, &place, &equations.jacobian, n);
        let block = DMatrix::from_fn(m, m, |r, c| j[(r, dependent[c])]);
        let size: f64 = block.row_iter().map(|r| r.norm()).product();
        if block.determinant().abs() <= 1e-2 * size {
            return Ok(());
        }
        // the dependent velocities and accelerations that the constraints ask for, by numbers
        let solve = |right: DVector<f64>| block.clone().lu().solve(&right).unwrap();
        let rest = |rates: &[f64]| DVector::from_fn(m, |b, _| independent.iter().map(|&k| j[(b, k)] * rates[k]).sum::<f64>());
        let f_t = DVector::from_vec(numbers(&system, &place, &equations.f_t));
        let v = solve(-rest(&place.v) - f_t);
        for (i, &k) in dependent.iter().enumerate() {
            let got = place.value(&system, eliminated.velocities[i]);
            prop_assert!(close(got, v[i], v.amax().max(1.0), 1e-7), "{}: x_D' {got} {}", recipe.text(), v[i]);
            place.v[k] = v[i];
        }
        let l_1 = place.value(&system, written.lagrangian);
        prop_assert!(close(l_1, place.value(&system, system.lagrangian), 1.0, 1e-8), "{}: L_1", recipe.text());
        let gamma = DVector::from_vec(numbers(&system, &place, &equations.gamma));
        let a = solve(gamma - rest(&place.a));
        for (i, &k) in dependent.iter().enumerate() {
            let got = place.value(&system, written.accelerations[i]);
            prop_assert!(close(got, a[i], a.amax().max(1.0), 1e-6), "{}: x_D'' {got} {}", recipe.text(), a[i]);
            place.a[k] = a[i];
        }
        let size = 1.0 + numbers(&system, &place, &equations.euler_lagrange).iter().fold(0.0_f64, |all, e| all.max(e.abs()));
        let pairs = [
            (&written.equations, derivation.reduced.as_ref().unwrap()),
            (&written.multipliers, derivation.multipliers.as_ref().unwrap()),
        ];
        for (ours, wanted) in pairs {
            let wanted = numbers(&system, &place, wanted);
            let scale = wanted.iter().fold(size, |all, e| all.max(e.abs()));
            for (got, wanted) in numbers(&system, &place, ours).iter().zip(wanted) {
                prop_assert!(close(*got, wanted, scale, 1e-6), "{}: {got} {wanted}", recipe.text());
            }
        }
    }

    #[test]
    fn factors_multiply_to_the_determinant(recipe in recipes()) {
        let Some(system) = recipe.system() else { return Ok(()) };
        let equations = Equations::new(&system);
        let det = SymbolicDeterminant::new(&system, &equations, &recipe.dependent());
        let Some(whole) = det.whole else { return Ok(()) };
        let place = Curve::new(recipe.coordinates, &recipe.picks).at(T);
        let found = system.pool.factors(whole);
        let product = found.factors.iter().fold(place.value(&system, found.unit), |all, (f, k)| {
            all * place.value(&system, *f).powi((*k).cast_signed())
        });
        let value = place.value(&system, whole);
        prop_assert!(close(product, value, 1e-6, 1e-7), "{}: {product} {value}", recipe.text());
        // none of the distinct factors is constant, and where one is zero so is the determinant
        for f in &det.factors {
            prop_assert!(!system.pool.is_constant(*f));
            let pool = &system.pool;
            let is_factor = found.factors.iter().any(|(g, _)| pool.is_constant(pool.simplify(pool.div(*f, *g))));
            prop_assert!(det.vanishes || is_factor,
                "{}: {} is no factor of {}", recipe.text(), system.pool.print(*f), system.pool.print(whole));
        }
    }

    #[test]
    fn the_balance_of_the_energy_closes(recipe in recipes()) {
        let Some(system) = recipe.system() else { return Ok(()) };
        let equations = Equations::new(&system);
        let balance = Balance::new(&system, &equations);
        let (n, m) = (recipe.coordinates, recipe.constraints);
        // H' along any curve is E . x' + Q . x' - dL/dt; with E = R and J x' = -f_t that is the balance
        let curve = Curve::new(n, &recipe.picks);
        let place = curve.at(T);
        let rate = slope(5e-3, &|h| curve.at(T + h).value(&system, equations.energy));
        let e = numbers(&system, &place, &equations.euler_lagrange);
        let power: f64 = e.iter().zip(&place.v).map(|(e, v)| e * v).sum();
        let mut place = place;
        place.multipliers = (0..m).map(|b| 0.3 + b as f64).collect();
        let known = power + place.value(&system, balance.forces) + place.value(&system, balance.explicit);
        prop_assert!(close(rate, known, 1.0 + power.abs(), 1e-6), "{}: H' {rate} {known}", recipe.text());
        let wanted: f64 = -(0..m).map(|b| place.multipliers[b] * place.value(&system, equations.f_t[b])).sum::<f64>();
        prop_assert!(close(place.value(&system, balance.constraints), wanted, 1.0, 1e-9));
        for (k, r) in reactions(&system, &equations).iter().enumerate() {
            let wanted: f64 = (0..m).map(|b| place.multipliers[b] * place.value(&system, equations.jacobian[b][k])).sum();
            prop_assert!(close(place.value(&system, *r), wanted, 1.0, 1e-9));
        }
        for (k, p) in balance.momenta.iter().enumerate() {
            prop_assert!(close(place.value(&system, p.value), momentum(&system, &place, k), 1.0, 1e-6));
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
            let back = crate::random::read(&system.pool, &shown);
            prop_assert_eq!(back, Some(e), "{} read back as {:?}", &shown, back.map(|b| system.pool.print(b)));
        }
    }
}

proptest! {
    // closed forms on every branch take long without optimisation
    #![proptest_config(crate::random::cases(26))]

    #[test]
    fn on_each_branch_the_equations_are_the_same(recipe in recipes()) {
        let Some(first) = recipe.system() else { return Ok(()) };
        let n = recipe.coordinates;
        let mut place = Curve::new(n, &recipe.picks).at(T);
        // the same constraints, at the values that they have there
        let mut text = recipe.text().split("constraints:").next().unwrap().to_owned() + "constraints:\n";
        for c in &first.constraints {
            let value = place.value(&first, c.f);
            if !value.is_finite() {
                return Ok(());
            }
            writeln!(text, "  {}: {{f: \"{}\", c: {value:?}}}", c.name, first.pool.print(c.f)).unwrap();
        }
        let Ok(system) = System::parse(&text, "random.yaml", &[]) else { return Ok(()) };
        let equations = Equations::new(&system);
        let derivation = Derivation::new(&system, &equations, &recipe.dependent());
        let eliminated = Eliminated::new(&system, &equations, &derivation);
        let inverse = invert(&system, &derivation.dependent);
        let Some(list) = independent_equations(&system, &derivation, eliminated.as_ref(), inverse.branches()) else {
            return Ok(());
        };
        let holds = |c: &Condition| c.admits(place.value(&system, c.expression));
        let Some(own) = list.iter().find(|b| b.conditions.iter().all(holds)) else { return Ok(()) };
        let (dependent, independent) = (&derivation.dependent, &derivation.independent);
        let m = dependent.len();
        let j = matrix(&system, &place, &equations.jacobian, n);
        let block = DMatrix::from_fn(m, m, |r, c| j[(r, dependent[c])]);
        let size: f64 = block.row_iter().map(|r| r.norm()).product();
        if block.determinant().abs() <= 3e-2 * size {
            return Ok(());
        }
        let solve = |right: DVector<f64>| block.clone().lu().solve(&right).unwrap();
        let rest = |rates: &[f64]| DVector::from_fn(m, |b, _| independent.iter().map(|&k| j[(b, k)] * rates[k]).sum::<f64>());
        let f_t = DVector::from_vec(numbers(&system, &place, &equations.f_t));
        let v = solve(-rest(&place.v) - f_t);
        dependent.iter().zip(v.iter()).for_each(|(&k, v)| place.v[k] = *v);
        let gamma = DVector::from_vec(numbers(&system, &place, &equations.gamma));
        let a = solve(gamma - rest(&place.a));
        dependent.iter().zip(a.iter()).for_each(|(&k, a)| place.a[k] = *a);
        let wanted = numbers(&system, &place, derivation.reduced.as_ref().unwrap());
        let lambda = numbers(&system, &place, derivation.multipliers.as_ref().unwrap());
        let euler = numbers(&system, &place, &equations.euler_lagrange);
        let scale = 1.0 + wanted.iter().chain(&lambda).chain(&euler).chain(&place.a).fold(0.0_f64, |all, e| all.max(e.abs()));
        for (ours, wanted) in [(&own.equations, &wanted), (&own.multipliers, &lambda)] {
            for (e, wanted) in ours.iter().zip(wanted) {
                let dependents: Vec<Expr> = dependent.iter().flat_map(|&k| {
                    let c = &system.coordinates[k];
                    [c.x, c.v, c.a]
                }).collect();
                prop_assert!(!system.pool.contains_any(*e, &dependents));
                let got = place.value(&system, *e);
                prop_assert!(close(got, *wanted, scale, 1e-5), "{text}{}: {got} {wanted}", system.pool.print(*e));
            }
        }
        if let Some(l) = &own.lagrangian {
            let got = place.value(&system, l.lagrangian);
            let wanted = place.value(&system, system.lagrangian);
            let terms = 1.0 + wanted.abs() + place.v.iter().map(|v| v * v).sum::<f64>();
            prop_assert!(close(got, wanted, terms, 1e-5), "{text}L_1 {got} {wanted}");
        }
    }
}

#[test]
fn most_recipes_are_systems() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::new(crate::random::cases(200));
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

// ------------------------------------------------------- against another algebra

/// A system and what SymPy 1.14 derives for it: E by its own differentiation, lambda by `LUsolve` of
/// `J_D.T` with E_D, the reduced equations `E_I - (J.T lambda)_I`, each passed through `sympy.simplify`.
struct Derived {
    coordinates: &'static [&'static str],
    parameters: &'static [&'static str],
    lagrangian: &'static str,
    constraints: &'static [&'static str],
    dependent: &'static [&'static str],
    euler_lagrange: &'static [&'static str],
    determinant: &'static str,
    multipliers: &'static [&'static str],
    reduced: &'static [&'static str],
}

/// A bead on a parabola, a rotating rod, product and sum (sections 10 to 12 of NRL Memorandum Report
/// 6001), a pendulum on a cart, a double pendulum, a particle on a torus, a slider in polar coordinates.
const DERIVED: [Derived; 7] = [
    Derived {
        coordinates: &["x1", "x2"],
        parameters: &["m", "g"],
        lagrangian: "m*(x1'^2+x2'^2)/2-m*g*x2",
        constraints: &["x2-x1^2"],
        dependent: &["x1"],
        euler_lagrange: &["m*x1''", "m*(g + x2'')"],
        determinant: "-2*x1",
        multipliers: &["-m*x1''/(2*x1)"],
        reduced: &["g*m + m*x2'' + m*x1''/(2*x1)"],
    },
    Derived {
        coordinates: &["x1", "x2", "x3"],
        parameters: &["m", "w"],
        lagrangian: "m*(x1'^2+x2'^2)/2",
        constraints: &["x1-x3*cos(w*t)", "x2-x3*sin(w*t)"],
        dependent: &["x1", "x2"],
        euler_lagrange: &["m*x1''", "m*x2''", "0"],
        determinant: "1",
        multipliers: &["m*x1''", "m*x2''"],
        reduced: &["m*(x1''*cos(t*w) + x2''*sin(t*w))"],
    },
    Derived {
        coordinates: &["x1", "x2", "x3"],
        parameters: &["m"],
        lagrangian: "m*(x1'^2+x2'^2+x3'^2)/2",
        constraints: &["x1*x2*x3", "x1+x2"],
        dependent: &["x1", "x2"],
        euler_lagrange: &["m*x1''", "m*x2''", "m*x3''"],
        determinant: "x3*(-x1 + x2)",
        multipliers: &[
            "m*(-x1'' + x2'')/(x3*(x1 - x2))",
            "m*(x1*x1'' - x2*x2'')/(x1 - x2)",
        ],
        reduced: &[
            "m*(-x1*(-x1*x1'' + x1''*(x1 - x2) + x2*x2'') + x3*x3''*(x1 - x2))/(x3*(x1 - x2))",
        ],
    },
    Derived {
        coordinates: &["X", "x", "y"],
        parameters: &["M", "m", "g", "l"],
        lagrangian: "M*X'^2/2+m*(x'^2+y'^2)/2-m*g*y",
        constraints: &["(x-X)^2+y^2-l^2"],
        dependent: &["y"],
        euler_lagrange: &["M*X''", "m*x''", "m*(g + y'')"],
        determinant: "2*y",
        multipliers: &["m*(g + y'')/(2*y)"],
        reduced: &[
            "(M*X''*y - m*(X - x)*(g + y''))/y",
            "m*(x''*y + (X - x)*(g + y''))/y",
        ],
    },
    Derived {
        coordinates: &["x1", "y1", "x2", "y2"],
        parameters: &["m", "k", "g"],
        lagrangian: "m*(x1'^2+y1'^2)/2+k*(x2'^2+y2'^2)/2-m*g*y1-k*g*y2",
        constraints: &["x1^2+y1^2", "(x2-x1)^2+(y2-y1)^2"],
        dependent: &["y1", "y2"],
        euler_lagrange: &["m*x1''", "m*(g + y1'')", "k*x2''", "k*(g + y2'')"],
        determinant: "4*y1*(-y1 + y2)",
        multipliers: &[
            "(g*k + g*m + k*y2'' + m*y1'')/(2*y1)",
            "k*(-g - y2'')/(2*(y1 - y2))",
        ],
        reduced: &[
            "(k*y1*(g + y2'')*(x1 - x2) + m*x1''*y1*(y1 - y2) - x1*(y1 - y2)*(g*k + g*m + k*y2'' + m*y1''))/(y1*(y1 - y2))",
            "-k*(-x2''*(y1 - y2) + (g + y2'')*(x1 - x2))/(y1 - y2)",
        ],
    },
    Derived {
        coordinates: &["x", "y", "z"],
        parameters: &["m", "g", "R"],
        lagrangian: "m*(x'^2+y'^2+z'^2)/2-m*g*z",
        constraints: &["(sqrt(x^2+y^2)-R)^2+z^2"],
        dependent: &["z"],
        euler_lagrange: &["m*x''", "m*y''", "m*(g + z'')"],
        determinant: "2*z",
        multipliers: &["m*(g + z'')/(2*z)"],
        reduced: &[
            "m*(x*(R - sqrt(x^2 + y^2))*(g + z'') + x''*z*sqrt(x^2 + y^2))/(z*sqrt(x^2 + y^2))",
            "m*(y*(R - sqrt(x^2 + y^2))*(g + z'') + y''*z*sqrt(x^2 + y^2))/(z*sqrt(x^2 + y^2))",
        ],
    },
    Derived {
        coordinates: &["r", "th", "x"],
        parameters: &["m", "k"],
        lagrangian: "m*(r'^2+r^2*th'^2)/2+m*x'^2/2-k*x^2/2",
        constraints: &["r-x*cos(th)"],
        dependent: &["r"],
        euler_lagrange: &[
            "m*(-r*th'^2 + r'')",
            "m*r*(r*th'' + 2*r'*th')",
            "k*x + m*x''",
        ],
        determinant: "1",
        multipliers: &["m*(-r*th'^2 + r'')"],
        reduced: &[
            "m*(r^2*th'' + 2*r*r'*th' + x*(r*th'^2 - r'')*sin(th))",
            "k*x + m*x'' - m*(r*th'^2 - r'')*cos(th)",
        ],
    },
];

#[test]
fn another_algebra_derives_the_same() {
    for known in &DERIVED {
        let parameters: Vec<String> = known.parameters.iter().map(|p| format!("{p}: 2")).collect();
        let constraints: String = known
            .constraints
            .iter()
            .enumerate()
            .map(|(i, c)| format!("  c{i}: {c}\n"))
            .collect();
        let text = format!(
            "coordinates: [{}]\nparameters: {{{}}}\nlagrangian: {}\nconstraints:\n{constraints}",
            known.coordinates.join(", "),
            parameters.join(", "),
            known.lagrangian
        );
        let system =
            System::parse(&text, "known.yaml", &[]).unwrap_or_else(|e| panic!("{text}{e:?}"));
        let dependent: Vec<usize> = known
            .dependent
            .iter()
            .map(|d| system.coordinate(d).unwrap())
            .collect();
        let equations = Equations::new(&system);
        let derivation = Derivation::new(&system, &equations, &dependent);
        let det = SymbolicDeterminant::new(&system, &equations, &dependent);
        let pairs = [
            (equations.euler_lagrange.clone(), known.euler_lagrange),
            (derivation.multipliers.unwrap(), known.multipliers),
            (derivation.reduced.unwrap(), known.reduced),
            (vec![det.whole.unwrap()], &[known.determinant]),
        ];
        for (ours, theirs) in pairs {
            assert_eq!(ours.len(), theirs.len());
            for (&e, wanted) in ours.iter().zip(theirs) {
                let other = crate::random::read(&system.pool, wanted).unwrap();
                assert_eq!(
                    system.pool.simplify(system.pool.sub(e, other)),
                    system.pool.zero(),
                    "{text}{} is not {wanted}",
                    system.pool.print(e)
                );
            }
        }
    }
}
