//! What is claimed to be regular everywhere, and attempts to refute it.

use super::{IndependentEverywhere, independent_everywhere};
use crate::expr::{Expr, Number};
use crate::geometry::{Evaluation, NewtonBack, Next};
use crate::mechanics::Equations;
use crate::system::System;
use crate::theorem::scattered;
use nalgebra::{DMatrix, DVector};

/// Coordinates x, y, z, u with these constraints.
fn parsed(constraints: &str) -> Option<(System, Equations)> {
    let text = format!(
        "coordinates: [x, y, z, u]\nparameters: {{l: 2, a: 1/2, r: sqrt(2), h: pi/2}}\nkinetic: (x'^2 + y'^2 + z'^2 + u'^2)/2\n{constraints}\n"
    );
    let system = System::parse(&text, "test", &[]).ok()?;
    let equations = Equations::new(&system);
    Some((system, equations))
}

fn system(constraints: &str) -> (System, Equations) {
    parsed(constraints).unwrap()
}

fn shown(system: &System, equations: &Equations, open: &[Expr]) -> Option<IndependentEverywhere> {
    let rows = equations.jacobian.iter().chain(&equations.velocity.rows);
    independent_everywhere(system, &rows.collect::<Vec<_>>(), open)
}

fn is_regular(constraints: &str) -> bool {
    let (system, equations) = system(constraints);
    shown(&system, &equations, &[]).is_some()
}

#[test]
fn what_is_regular_by_its_shape() {
    for constraints in [
        "constraints: {rod: x^2 + y^2 = l^2}",
        "constraints: {rod: {f: sqrt(2)*x^2 + y^2/3 - x, c: 1}}",
        "constraints: {wire: y - sin(x)*x = 0}",
        "constraints: {cubic: {f: x^3 + x + z^2, c: 1}}",
        // entries that are zero contradict the constraint
        "constraints: {product: x*y*z = a, sum: x + y = 3}",
        "constraints: {hyperbola: x*y = 1e-9}",
        // leaf by leaf, whatever the order
        "constraints: {b: (z - x)^2 + (u - y)^2 = 1, a: x^2 + y^2 = l^2}",
        "constraints: {a: x^2 + y^2 = l^2, b: (z - x)^2 + (u - y)^2 = 1}",
        "constraints: {moved: (x - sin(t))^2 + y^2 = (2 + cos(3*t))^2}",
        // a skate
        "velocity_constraints: {skate: sin(z)*x' - cos(z)*y'}",
        "constraints: {sphere: x^2 + y^2 + z^2 = 1}\nvelocity_constraints: {drive: u' - x*y'}",
    ] {
        assert!(is_regular(constraints), "{constraints}");
    }
}

#[test]
fn what_is_not_or_cannot_be_told() {
    for constraints in [
        "constraints: {cross: x*y = 0}",
        "constraints: {cone: x^2 + y^2 - z^2 = 0}",
        "constraints: {point: x^2 + y^2 = 0}",
        "constraints: {cusp: x^2 - y^3 = 0}",
        "constraints: {eight: x^4 - x^2 + y^2 = 0}",
        "constraints: {same: x + y = 1, twice: 2*x + 2*y = 2}",
        // stretched out: the second rod has no columns of its own
        "constraints: {a: x^2 + y^2 = 1, b: (x - 3)^2 + y^2 = 4}",
        "constraints: {slider: (z - x)^2 + y^2 = l^2, a: x^2 + y^2 = 1}",
        "constraints: {shrinks: x^2 + y^2 = (1 - t)^2}",
        // zero but for rounding, or where rounding makes it so
        "constraints: {cross: {f: x^2 - y^2, c: r^2 - 2}}",
        "constraints: {cross: {f: x*y, c: cos(h)}}",
        "constraints: {far: y*exp(x) = 0}",
        // slopes of jumps
        "constraints: {c: y - x^2 = 0}\nvelocity_constraints: {a: (x - sign(x))*z' + (x^2 - 1)*u'}",
        "constraints: {c: sign(a - 1/2)*x = 0}",
        "velocity_constraints: {push: x*x' + y*y'}",
    ] {
        assert!(!is_regular(constraints), "{constraints}");
    }
}

#[test]
fn what_parameters_must_not_be() {
    let (mut system, equations) =
        system("constraints: {rod: x^2 + y^2 = l^2, arm: (l - a)*z + x = 1}");
    let open: Vec<Expr> = system.parameters.iter().map(|p| p.symbol).collect();
    let found = shown(&system, &equations, &open).unwrap();
    for (l, a, holds) in [
        (2.0, 0.5, true),
        (0.0, 0.5, false),
        (1e-200, 0.5, false),
        (1e-9, 0.0, true),
    ] {
        for (p, value) in system.parameters.iter_mut().zip([l, a]) {
            (p.value, p.exact) = (value, Number::written(value));
        }
        assert_eq!(found.holds(&system), holds, "{l} {a}");
    }
    // beside the constraint a slope of parameters alone is not asked for
    assert!(shown(&system, &equations, &[]).is_some());
}

/// A term in some of the coordinates.
fn term(random: &mut fastrand::Rng) -> String {
    let x = ["x", "y", "z", "u"];
    let (a, b) = (x[random.usize(..4)], x[random.usize(..4)]);
    let k = ["", "-", "2*", "-3*", "0.5*"][random.usize(..5)];
    let shape = match random.u8(..8) {
        0 | 1 => format!("{a}^2"),
        2 => format!("{a}*{b}"),
        3 => a.to_owned(),
        4 => format!("({a} - {b})^2"),
        5 => format!("{a}^3"),
        6 => format!("sin({a})"),
        _ => format!("{a}^2*{b}"),
    };
    format!("{k}{shape}")
}

/// Looks for a configuration where a combination u of the rows, |u| = 1, is zero: Newton's method on f = c, W^T u = 0.
fn singular_configuration(system: &System, equations: &Equations, seed: u64) -> Option<Vec<f64>> {
    let pool = &system.pool;
    let x: Vec<_> = system.coordinates.iter().map(|c| c.x).collect();
    let (n, m) = (x.len(), system.constraints.len());
    let value = |e, at: &[f64]| {
        pool.evaluate(e, &|kind| match kind {
            crate::expr::SymbolKind::Coordinate { index, .. } => at[index],
            crate::expr::SymbolKind::Parameter(index) => system.parameters[index].value,
            _ => 0.0,
        })
    };
    let f: Vec<_> = system.residuals().collect();
    let equation = |at: &[f64]| {
        let (place, u) = at.split_at(n);
        let mut out: Vec<f64> = f.iter().map(|f| value(*f, place)).collect();
        for k in 0..n {
            let terms = (0..m).map(|b| u[b] * value(equations.gradients[b][k], place));
            out.push(terms.sum());
        }
        out.push(u.iter().map(|u| u * u).sum::<f64>() - 1.0);
        DVector::from_vec(out)
    };
    let widths = vec![1.0; n + m];
    let newton = NewtonBack {
        widths: &widths,
        longest: 1.0,
        cut: 1e-12,
        steps: 200,
    };
    let start: Vec<f64> = (0..n + m)
        .map(|k| 3.0 * (2.0 * scattered(seed, k) - 1.0))
        .collect();
    let look = |at: &[f64]| {
        let residual = equation(at);
        let mut gradients = DMatrix::zeros(residual.len(), n + m);
        for k in 0..n + m {
            let h = 1e-6;
            let mut there = at.to_vec();
            there[k] += h;
            let after = equation(&there);
            there[k] -= 2.0 * h;
            gradients.set_column(k, &((after - equation(&there)) / (2.0 * h)));
        }
        residual
            .iter()
            .all(|e| e.is_finite())
            .then_some(Evaluation {
                residual,
                gradients,
            })
    };
    let ended = newton.run(start, look, |step| {
        if step.residual.amax() < 1e-11 {
            Next::There
        } else {
            Next::Go
        }
    })?;
    Some(ended.x)
}

#[test]
fn no_singular_configuration_is_found_where_there_is_said_to_be_none() {
    let mut random = fastrand::Rng::with_seed(20);
    let (mut regular, mut refuted) = (0, 0);
    for case in 0..200 {
        let m = random.usize(1..=2);
        let constraint = |random: &mut fastrand::Rng, b: usize| {
            let count = random.usize(1..=3);
            let terms: Vec<String> = (0..count).map(|_| term(random)).collect();
            let c = ["0", "1", "-2", "l"][random.usize(..4)];
            format!("c{b}: {{f: {}, c: {c}}}", terms.join(" + "))
        };
        let list: Vec<String> = (0..m).map(|b| constraint(&mut random, b)).collect();
        let text = format!("constraints: {{{}}}", list.join(", "));
        let text = text.replace("+ -", "- ");
        let Some((system, equations)) = parsed(&text) else {
            // no coordinate is left in a constraint
            continue;
        };
        let is_regular = shown(&system, &equations, &[]).is_some();
        if !is_regular && refuted == 20 {
            continue;
        }
        let found = (0..8).find_map(|i| singular_configuration(&system, &equations, 31 * case + i));
        if is_regular {
            regular += 1;
            assert_eq!(found, None, "{text}");
        } else if found.is_some() {
            refuted += 1;
        }
    }
    assert!(regular > 30 && refuted == 20, "{regular} {refuted}");
}
