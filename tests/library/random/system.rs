//! Random mechanical systems, as system files.

use holonom::expr::{Expr, SymbolKind};
use holonom::system::System;
use proptest::prelude::*;
use std::fmt::Write as _;

/// What a random system is made of: numbers that pick templates and coordinates.
#[derive(Clone, Debug)]
pub struct Recipe {
    pub coordinates: usize,
    pub constraints: usize,
    pub picks: Vec<usize>,
}

const NAMES: [&str; 6] = ["x", "y", "th", "q4", "s", "z"];

/// In a template `A`, `B`, `C` are different coordinates, `D`, `E` any.
const INERTIAS: [&str; 7] = [
    "m",
    "(m + p*A^2)",
    "(2 + sin(B))",
    "(1 + t^2/4)",
    "m*(1 + A^2 + B^2)",
    "cosh(p*A)",
    "(m + exp(-t)*cos(A*B)/3)",
];
const EXTRAS: [&str; 8] = [
    "p*A'*B'*cos(A - B)/3",
    "p*A*B'",
    "t*A'",
    "sin(t)*A*B'/2",
    "A'*B'/5",
    "A'^4/12",
    "0",
    "A'*sqrt(3 + B^2)",
];
const POTENTIALS: [&str; 9] = [
    "m*g*A",
    "m*g*cos(A)",
    "k*(A - B)^2/2",
    "k/2*(sqrt(A^2 + B^2 + 1) - 1)^2",
    "A^2*B*cos(t)",
    "exp(A - B)/4",
    "1/(2 + A^2)",
    "A^4/4 - A^2",
    "0",
];
const FORCES: [&str; 6] = [
    "-p*A'",
    "B*sin(t)",
    "-p*A'*abs(A')",
    "A'*B' - B",
    "k*cos(A)*B'^2",
    "t*A",
];
const CONSTRAINTS: [&str; 22] = [
    "A^2 + B^2 = 4",
    "A - B^2",
    "A - p*B^3 + C",
    "A*cos(B) - C*sin(B)",
    "A - sin(B)",
    "A^2 + B^2 - C^2 = 1",
    "A*cos(t) - B*sin(t)",
    "A - B*cos(w*t)",
    "A*B = 2",
    "sqrt(A^2 + 1) - B = p",
    "exp(A) - B*C",
    "tan(A/4) - B",
    "2*A + 3*B - C",
    "(A - B)^2 + C",
    "A*B*C + A^2*B - 1",
    "cosh(A) + C - B",
    "A/(B^2 + 1) - C",
    "cos(A) + cos(A - B)*p + C",
    "A + t^2*B = 1",
    "(p + cos(A))*cos(B) - C",
    "A^3 - 3*A*B^2 + t",
    "x*y + D*E + A",
];

pub fn recipes() -> impl Strategy<Value = Recipe> {
    (2..=6_usize)
        .prop_flat_map(|n| {
            (
                Just(n),
                1..=n.min(3),
                prop::collection::vec(0..10_000_usize, 60),
            )
        })
        .prop_map(|(coordinates, constraints, picks)| Recipe {
            coordinates,
            constraints,
            picks,
        })
}

impl Recipe {
    /// The system file.
    pub fn text(&self) -> String {
        let n = self.coordinates;
        let mut place = 0;
        let mut next = || {
            place += 1;
            self.picks[(place - 1) % self.picks.len()]
        };
        let put = |template: &str, first: usize, turn: usize| -> String {
            let name = |letter: char| -> Option<&str> {
                let step = match letter {
                    'A' => 0,
                    'B' => 1 + turn % (n - 1).max(1),
                    // with two coordinates C is A again
                    'C' => {
                        (1 + turn % (n - 1).max(1)) + 1 + usize::from((2 + turn % (n - 1)) % n == 0)
                    }
                    'D' => turn,
                    'E' => turn / 7,
                    _ => return None,
                };
                Some(NAMES[(first + step) % n])
            };
            let mut text = String::new();
            for letter in template.chars() {
                match name(letter) {
                    Some(name) => text.push_str(name),
                    None => text.push(letter),
                }
            }
            text
        };
        let mut kinetic: Vec<String> = (0..n)
            .map(|k| {
                let inertia = put(INERTIAS[next() % INERTIAS.len()], k, next());
                format!("1/2*{inertia}*{}'^2", NAMES[k])
            })
            .collect();
        kinetic.push(put(EXTRAS[next() % EXTRAS.len()], next(), next()));
        let potential: Vec<String> = (0..2)
            .map(|_| put(POTENTIALS[next() % POTENTIALS.len()], next(), next()))
            .collect();
        let mut text = format!(
            "coordinates: [{}]\nparameters: {{m: 1.5, g: 9.81, p: 0.7, k: 2, w: 1.3}}\nlagrangian: {} - ({})\nforces:\n",
            NAMES[..n].join(", "),
            kinetic.join(" + "),
            potential.join(" + "),
        );
        for name in &NAMES[..1 + next() % n] {
            let _ = writeln!(
                text,
                "  {name}: {}",
                put(FORCES[next() % FORCES.len()], next(), next())
            );
        }
        text.push_str("constraints:\n");
        for b in 0..self.constraints {
            let constraint = put(CONSTRAINTS[next() % CONSTRAINTS.len()], next(), next());
            let _ = writeln!(text, "  c{b}: {constraint}");
        }
        text
    }

    /// The system; `None` where the constraints are refused.
    pub fn system(&self) -> Option<System> {
        System::parse(&self.text(), "random.yaml", &[]).ok()
    }

    /// m different coordinates.
    pub fn dependent(&self) -> Vec<usize> {
        let mut list: Vec<usize> = (0..self.coordinates).collect();
        for (i, pick) in self.picks.iter().enumerate().take(self.coordinates) {
            list.swap(i, i + pick % (self.coordinates - i));
        }
        list.truncate(self.constraints);
        list
    }
}

/// Numbers for everything an equation may contain.
#[derive(Clone, Debug, Default)]
pub struct Place {
    pub t: f64,
    pub x: Vec<f64>,
    pub v: Vec<f64>,
    pub a: Vec<f64>,
    pub levels: Vec<f64>,
    pub multipliers: Vec<f64>,
}

impl Place {
    /// The value of an expression there.
    pub fn value(&self, system: &System, e: Expr) -> f64 {
        let at = |list: &[f64], i: usize| list.get(i).copied().unwrap_or(f64::NAN);
        system.pool.evaluate(e, &|kind| match kind {
            SymbolKind::Coordinate { index, order: 0 } => at(&self.x, index),
            SymbolKind::Coordinate { index, order: 1 } => at(&self.v, index),
            SymbolKind::Coordinate { index, .. } => at(&self.a, index),
            SymbolKind::Time => self.t,
            SymbolKind::Parameter(i) => system.parameters[i].value,
            SymbolKind::Level(i) => at(&self.levels, i),
            SymbolKind::Multiplier(i) => at(&self.multipliers, i),
            _ => f64::NAN,
        })
    }
}

/// A smooth curve x(t) that satisfies no constraint: x_k = a + b s + c sin(w s + 1), s = t - 0.4.
pub struct Curve(pub Vec<[f64; 4]>);

impl Curve {
    pub fn new(n: usize, picks: &[usize]) -> Self {
        let part = |i: usize| (picks[(13 + i) % picks.len()] % 997) as f64 / 997.0;
        Self(
            (0..n)
                .map(|k| {
                    [
                        0.3 + 1.2 * part(4 * k) - 0.9 * (k % 2) as f64,
                        2.0 * part(4 * k + 1) - 1.0,
                        0.5 * part(4 * k + 2),
                        1.0 + part(4 * k + 3),
                    ]
                })
                .collect(),
        )
    }

    pub fn at(&self, t: f64) -> Place {
        let s = t - 0.4;
        let of = |f: &dyn Fn(&[f64; 4]) -> f64| self.0.iter().map(f).collect();
        Place {
            t,
            x: of(&|[a, b, c, w]| a + b * s + c * (w * s + 1.0).sin()),
            v: of(&|[_, b, c, w]| b + c * w * (w * s + 1.0).cos()),
            a: of(&|[_, _, c, w]| -c * w * w * (w * s + 1.0).sin()),
            ..Place::default()
        }
    }
}

/// f'(0) by differences of fourth order.
pub fn slope(h: f64, f: &dyn Fn(f64) -> f64) -> f64 {
    (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h)
}

/// f''(0) by differences of fourth order.
pub fn curvature(h: f64, f: &dyn Fn(f64) -> f64) -> f64 {
    (16.0 * (f(h) + f(-h)) - (f(2.0 * h) + f(-2.0 * h)) - 30.0 * f(0.0)) / (12.0 * h * h)
}
