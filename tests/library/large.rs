//! Large systems: what the sparse factors and the recursions say against dense linear algebra and
//! differences, and that expressions grow with the system, not with its square.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss
)]

use holonom::analysis::{InverseRequest, Model, Overrides};
use holonom::expr::{Expr, SymbolKind};
use holonom::system::System;
use holonom::theorem::{FailureKind, scattered};
use nalgebra::{DMatrix, DVector};
use std::fmt::Write;

/// A chain of N masses in the plane.
#[derive(Clone, Copy)]
struct Chain {
    links: usize,
    /// hung at both ends, the second so far to the right
    end: Option<f64>,
    /// all abscissas before all ordinates
    apart: bool,
    /// constraints from the last to the first
    backwards: bool,
}

impl Chain {
    fn open(links: usize) -> Self {
        Self {
            links,
            end: None,
            apart: false,
            backwards: false,
        }
    }

    fn text(self) -> String {
        let n = self.links;
        let list: Vec<usize> = (1..=n).collect();
        let joined = |each: &dyn Fn(usize) -> String, between: &str| {
            let parts: Vec<String> = list.iter().map(|i| each(*i)).collect();
            parts.join(between)
        };
        let coordinates = if self.apart {
            joined(&|i| format!("x{i}"), ", ") + ", " + &joined(&|i| format!("y{i}"), ", ")
        } else {
            joined(&|i| format!("x{i}, y{i}"), ", ")
        };
        let kinetic = joined(&|i| format!("1/2*m*(x{i}'^2 + y{i}'^2)"), " + ");
        let potential = joined(&|i| format!("m*g*y{i}"), " + ");
        let mut constraints: Vec<String> = list
            .iter()
            .map(|&i| match i {
                1 => "  link1: x1^2 + y1^2 - l^2\n".to_owned(),
                _ => format!(
                    "  link{i}: (x{i} - x{0})^2 + (y{i} - y{0})^2 - l^2\n",
                    i - 1
                ),
            })
            .collect();
        if self.end.is_some() {
            constraints.push(format!("  link{}: (d - x{n})^2 + y{n}^2 - l^2\n", n + 1));
        }
        if self.backwards {
            constraints.reverse();
        }
        let d = self.end.unwrap_or(1.0);
        let mut text = format!(
            "name: chain\ncoordinates: [{coordinates}]\nparameters: {{m: 1, g: 9.81, l: 1, d: {d}}}\n\
             kinetic: {kinetic}\npotential: {potential}\nconstraints:\n{}",
            constraints.concat()
        );
        if self.end.is_some() {
            // somewhere near an arc
            let arc = |i: usize| std::f64::consts::PI * i as f64 / (n + 1) as f64;
            let guess = joined(
                &|i| {
                    let (x, y) = (0.5 * d * (1.0 - arc(i).cos()), -0.5 * d * arc(i).sin());
                    format!("x{i}: {x}, y{i}: {y}")
                },
                ", ",
            );
            let _ = writeln!(text, "guess: {{{guess}}}");
        } else {
            let start = joined(
                &|i| {
                    let at = |f: &dyn Fn(f64) -> f64| -> f64 {
                        (1..=i).map(|j| f(0.3 + 0.02 * j as f64)).sum()
                    };
                    format!("x{i}: {}, y{i}: {}", at(&f64::sin), -at(&f64::cos))
                },
                ", ",
            );
            let _ = writeln!(text, "start: {{{start}}}");
        }
        text + "run: {until: 1}\n"
    }

    fn model(self) -> Model {
        Model::new(System::parse(&self.text(), "chain", &[]).unwrap())
    }
}

const VARIANTS: [fn(usize) -> Chain; 4] = [
    Chain::open,
    |links| Chain {
        apart: true,
        ..Chain::open(links)
    },
    |links| Chain {
        backwards: true,
        ..Chain::open(links)
    },
    |links| Chain {
        end: Some(0.6 * links as f64),
        ..Chain::open(links)
    },
];

/// Positions, velocities and accelerations off any special place.
struct Place {
    x: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
}

impl Place {
    fn new(n: usize) -> Self {
        let numbers = |index: u64| (0..n).map(|k| 3.0 * scattered(index, k) - 1.4).collect();
        Self {
            x: numbers(3),
            v: numbers(4),
            a: numbers(5),
        }
    }

    fn value(&self, system: &System, e: Expr, lambda: &[f64]) -> f64 {
        system.pool.evaluate(e, &|kind| match kind {
            SymbolKind::Coordinate { index, order: 0 } => self.x[index],
            SymbolKind::Coordinate { index, order: 1 } => self.v[index],
            SymbolKind::Coordinate { index, .. } => self.a[index],
            SymbolKind::Time => 0.3,
            SymbolKind::Parameter(i) => system.parameters[i].value,
            SymbolKind::Multiplier(b) => lambda[b],
            _ => f64::NAN,
        })
    }
}

fn dense(model: &Model, place: &Place) -> DMatrix<f64> {
    let rows = &model.equations.jacobian;
    DMatrix::from_fn(rows.len(), place.x.len(), |i, j| {
        place.value(&model.system, rows[i][j], &[])
    })
}

#[test]
fn the_jacobian_and_gamma_are_differences_of_the_constraints() {
    for variant in VARIANTS {
        let model = variant(30).model();
        let system = &model.system;
        let n = system.coordinates.len();
        let place = Place::new(n);
        let jacobian = dense(&model, &place);
        let f = |x: Vec<f64>| {
            let near = Place { x, ..Place::new(n) };
            let values = system
                .constraints
                .iter()
                .map(|c| near.value(system, c.f, &[]));
            DVector::from_iterator(system.constraints.len(), values)
        };
        let h = 1e-5;
        for k in 0..n {
            let moved = |d: f64| {
                let mut x = place.x.clone();
                x[k] += d;
                f(x)
            };
            let slope = (moved(h) - moved(-h)) / (2.0 * h);
            assert!((slope - jacobian.column(k)).amax() < 1e-8);
        }
        // along x + v s + a s^2/2 the second derivative of f is J a - gamma
        let along = |s: f64| {
            let x = (0..n).map(|k| place.x[k] + s * place.v[k] + 0.5 * s * s * place.a[k]);
            f(x.collect())
        };
        let h = 1e-3;
        let second = (along(h) - along(0.0) * 2.0 + along(-h)) / (h * h);
        let gamma = model
            .equations
            .gamma
            .iter()
            .map(|e| place.value(system, *e, &[]));
        let gamma = DVector::from_iterator(system.constraints.len(), gamma);
        let wanted = &jacobian * DVector::from_row_slice(&place.a) - gamma;
        assert!((second - wanted).amax() < 1e-4);
    }
}

#[test]
fn multipliers_one_from_another_solve_the_equations_of_the_dependent_coordinates() {
    for variant in VARIANTS {
        let model = variant(30).model();
        let system = &model.system;
        let derived = model.derive(None);
        let d = &derived.derivation;
        let blocks = d.recursion.as_ref().unwrap();
        assert!(d.multipliers.is_none() && d.reduced.is_none());
        let place = Place::new(system.coordinates.len());
        let jacobian = dense(&model, &place);
        let m = system.constraints.len();
        let e = |k: usize| place.value(system, model.equations.euler_lagrange[k], &[]);
        let block = jacobian.select_columns(&d.dependent);
        let right = DVector::from_iterator(m, d.dependent.iter().map(|&k| e(k)));
        let wanted = block.transpose().lu().solve(&right).unwrap();
        let mut lambda = vec![f64::NAN; m];
        let mut covered = 0;
        for block in blocks {
            match &block.multipliers {
                Some(list) => {
                    let values: Vec<f64> = list
                        .iter()
                        .map(|e| place.value(system, *e, &lambda))
                        .collect();
                    for (&b, v) in block.constraints.iter().zip(values) {
                        lambda[b] = v;
                    }
                }
                // given by its equations, which the numbers must satisfy
                None => block
                    .constraints
                    .iter()
                    .for_each(|&b| lambda[b] = wanted[b]),
            }
            covered += block.constraints.len();
            for equation in &block.equations {
                let value = place.value(system, *equation, &lambda);
                let scale = 1.0 + wanted.amax();
                assert!(value.abs() < 1e-9 * scale, "{value}");
            }
        }
        assert_eq!(covered, m);
        for b in 0..m {
            assert!((lambda[b] - wanted[b]).abs() <= 1e-8 * wanted.amax());
        }
        // the rows of the usual form that are left are the reduced equations
        for &k in &d.independent {
            let with = place.value(system, derived.standard[k], wanted.as_slice());
            let plain = e(k) - jacobian.column(k).dot(&wanted);
            assert!((with - plain).abs() < 1e-9 * (1.0 + wanted.amax()));
        }
    }
}

#[test]
fn verdicts_of_large_systems_are_those_of_dense_factors() {
    for variant in VARIANTS {
        let model = variant(60).model();
        let site = model.site(&Overrides::default()).unwrap();
        let check = model.check(site, None, &[]);
        let verdict = &check.verdict;
        assert!(verdict.holds());
        assert_eq!(verdict.rank(), Some(model.system.constraints.len()));
        assert!(check.residuals.iter().all(|r| r.abs() < 1e-11));
        let place = Place {
            x: check.site.x.clone(),
            ..Place::new(check.site.x.len())
        };
        let jacobian = dense(&model, &place);
        let block = jacobian.select_columns(&verdict.dependent);
        let determinant = block.determinant();
        assert!((verdict.determinant - determinant).abs() < 1e-9 * determinant.abs());
        let singular = block.singular_values();
        let condition = singular.max() / singular.min();
        let found = verdict.condition.unwrap();
        assert!(
            (found - condition).abs() < 1e-5 * condition,
            "{found} {condition}"
        );
        let volume = (&jacobian * jacobian.transpose()).determinant().sqrt();
        let quality = verdict.quality.unwrap();
        assert!((quality - determinant.abs() / volume).abs() < 1e-9);
        // no exchange of one coordinate makes the determinant larger
        let factors = block.try_inverse().unwrap() * &jacobian;
        assert!(factors.amax() < 1.0 + 1e-6, "{}", factors.amax());
    }
}

#[test]
fn a_large_chart_fails_where_a_link_is_level() {
    let links = 60;
    let model = Chain::open(links).model();
    let x: Vec<(String, f64)> = (1..=links)
        .flat_map(|i| {
            // all links hang but the 31st, which is level
            let right = f64::from(u8::from(i >= 31));
            let down = if i >= 31 { i - 1 } else { i };
            [(format!("x{i}"), right), (format!("y{i}"), -(down as f64))]
        })
        .collect();
    let site = model
        .site(&Overrides::new(&model.system, &x).unwrap())
        .unwrap();
    let ordinates: Vec<usize> = (0..links).map(|i| 2 * i + 1).collect();
    let check = model.check(site.clone(), Some(&ordinates), &[]);
    let failure = check.verdict.failure.as_ref().unwrap();
    assert_eq!(failure.kind(), FailureKind::Chart);
    let first = failure.alternatives.first().unwrap();
    // the gradient of the level link has entries in x30 and x31 alone
    assert!(first.contains(&58) || first.contains(&60));
    for other in &failure.alternatives {
        assert!(model.check(site.clone(), Some(other), &[]).verdict.holds());
    }
    let own = model.check(site, None, &[]);
    assert!(own.verdict.holds());
}

#[test]
fn the_inverse_of_a_long_chain_is_met_where_it_starts() {
    // the search for all solutions takes all that a question may cost
    let answer = Chain::open(260).model();
    let answer = answer.inverse_at(&InverseRequest::default()).unwrap();
    assert!(answer.found.is_some());
}

#[test]
fn a_large_chain_pulled_tight_has_no_chart() {
    let links = 60;
    let tight = Chain {
        end: Some(links as f64 + 1.0),
        ..Chain::open(links)
    };
    let model = tight.model();
    let x: Vec<(String, f64)> = (1..=links)
        .flat_map(|i| [(format!("x{i}"), i as f64), (format!("y{i}"), 0.0)])
        .collect();
    let site = model
        .site(&Overrides::new(&model.system, &x).unwrap())
        .unwrap();
    let check = model.check(site, None, &[]);
    let failure = check.verdict.failure.as_ref().unwrap();
    assert_eq!(failure.kind(), FailureKind::Rank);
    assert_eq!(check.verdict.rank(), Some(links));
}

#[test]
fn expressions_grow_with_the_chain_and_not_with_its_square() {
    for variant in VARIANTS {
        let sizes: Vec<(f64, f64)> = [30, 60, 120]
            .into_iter()
            .map(|links| {
                let model = variant(links).model();
                let site = model.site(&Overrides::default()).unwrap();
                let check = model.check(site, None, &[]);
                let derived = model.derive(Some(&check.verdict.dependent));
                let pool = &model.system.pool;
                let blocks = derived.derivation.recursion.unwrap();
                let written: usize = blocks
                    .iter()
                    .flat_map(|b| b.multipliers.iter().flatten().chain(&b.equations))
                    .chain(&derived.standard)
                    .map(|e| pool.size(*e))
                    .sum();
                (pool.len() as f64, written as f64)
            })
            .collect();
        for pair in sizes.windows(2) {
            let (nodes, written) = (pair[1].0 / pair[0].0, pair[1].1 / pair[0].1);
            assert!(nodes < 2.3, "{nodes} times as many expressions: {sizes:?}");
            assert!(written < 2.3, "{written} times as long: {sizes:?}");
        }
    }
}
