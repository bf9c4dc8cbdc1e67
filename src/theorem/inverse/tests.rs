//! The inverse functions of constraints of every kind, against f itself.

use super::{Branch, Inverse, invert, value_at};
use crate::analysis::condition_text;
use crate::expr::{Style, SymbolKind};
use crate::system::System;
use std::fmt::Write as _;

fn system(coordinates: &str, constraints: &[&str]) -> System {
    let kinetic: Vec<String> = coordinates.split(' ').map(|c| format!("{c}'^2")).collect();
    let mut text = format!(
        "coordinates: [{}]\nparameters: {{a: 2, b: 3, w: 1.3, l: 1.5}}\nlagrangian: 1/2*({})\nconstraints:\n",
        coordinates.replace(' ', ", "),
        kinetic.join(" + ")
    );
    for (i, c) in constraints.iter().enumerate() {
        let _ = writeln!(text, "  c{i}: {c}");
    }
    System::parse(&text, "test.yaml", &[]).unwrap_or_else(|e| panic!("{text}{e:?}"))
}

fn shown(system: &System, dependent: &[usize], inverse: &Inverse) -> String {
    let pool = &system.pool;
    let mut text = String::new();
    for b in inverse.branches() {
        for (&k, &g) in dependent.iter().zip(&b.functions) {
            let _ = write!(text, "{} = {}", system.coordinates[k].name, pool.print(g));
            if let Some(p) = b.period(k) {
                let _ = write!(text, " mod {}", pool.print(p));
            }
            text.push_str("; ");
        }
        let _ = writeln!(text, "where {}", condition_text(system, &b.conditions, Style::Plain));
    }
    if text.is_empty() {
        text.push_str("numeric\n");
    }
    text
}

#[test]
fn look() {
    let cases: &[(&str, &[&str], &[usize])] = &[
        ("x y", &["a*x + y"], &[0]),
        ("x y", &["y - x^2"], &[0]),
        ("x y", &["y - x^3"], &[0]),
        ("x y", &["y - (x - 1)^3"], &[0]),
        ("x y", &["y - x^4 - 3*x^2"], &[0]),
        ("x y", &["y*x^2 + x - 1"], &[0]),
        ("x y", &["x^2*y"], &[0]),
        ("x y", &["sin(x) - y"], &[0]),
        ("x y", &["y - cos(2*x + y)"], &[0]),
        ("x y", &["tan(x/2) - y"], &[0]),
        ("x y", &["exp(x) + y"], &[0]),
        ("x y", &["exp(2*x) - exp(x) + y"], &[0]),
        ("x y", &["log(x) + y"], &[0]),
        ("x y", &["sinh(x) - y"], &[0]),
        ("x y", &["cosh(x) - y"], &[0]),
        ("x y", &["tanh(x) - y"], &[0]),
        ("x y", &["asin(x) - y"], &[0]),
        ("x y", &["acos(x) - y"], &[0]),
        ("x y", &["atan(x) - y"], &[0]),
        ("x y", &["sqrt(x) - y"], &[0]),
        ("x y", &["sqrt(x) + x - y"], &[0]),
        ("x y", &["sqrt(x) - x - y"], &[0]),
        ("x y", &["sqrt(x^2 + y^2)"], &[0]),
        ("x y", &["sqrt(x^2 + 1) - x - y"], &[0]),
        ("x y", &["sqrt(x^2 + y^2) + x"], &[0]),
        ("x y z", &["sqrt(x^2 + y^2) + sqrt((x - 2)^2 + y^2) + z"], &[0]),
        ("x y", &["abs(x) - y"], &[0]),
        ("x y", &["x*abs(x) - y"], &[0]),
        ("x y", &["x*abs(x) + x - y"], &[0]),
        ("x y", &["a*cos(x) + b*sin(x) - y"], &[0]),
        ("x y z", &["z*cos(x) + y*sin(x)"], &[0]),
        ("x y", &["sin(x)^2 - y"], &[0]),
        ("x y", &["sin(x)*cos(x) - y"], &[0]),
        ("x y", &["sin(x)^2 + sin(x) - y"], &[0]),
        ("x y", &["x^a - y"], &[0]),
        ("x y", &["a^x - y"], &[0]),
        ("x y z", &["atan2(y, x) - z"], &[0]),
        ("x y r th", &["x - r*cos(th)", "y - r*sin(th)"], &[2, 3]),
        ("x y a1 a2", &["x - l*cos(a1) - a*cos(a2)", "y - l*sin(a1) - a*sin(a2)"], &[2, 3]),
        ("x y a1 a2", &["x - l*cos(a1) - a*cos(a1 + a2)", "y - l*sin(a1) - a*sin(a1 + a2)"], &[2, 3]),
        ("x y z r p q", &["x - r*sin(p)*cos(q)", "y - r*sin(p)*sin(q)", "z - r*cos(p)"], &[3, 4, 5]),
        ("x y z", &["x^2 + y^2 + z^2", "x + y + z"], &[0, 1]),
        ("x y z", &["x*y*z", "x + y"], &[0, 1]),
        ("x y z w1", &["x^2*y - z", "x*y^3 - w1"], &[0, 1]),
        ("x y z w1", &["sin(x) + exp(y) - z", "sin(x) - exp(y) - w1"], &[0, 1]),
        ("x y z w1", &["x^2 + y^2 - z", "x*y - w1"], &[0, 1]),
        ("x th s", &["l*sin(th) - a*sin(s)", "x - l*cos(th) - a*cos(s)"], &[0, 2]),
        ("x th s", &["l*sin(th) - a*sin(s)", "x - l*cos(th) - a*cos(s)"], &[0, 1]),
        ("x th s", &["l*sin(th) - a*sin(s)", "x - l*cos(th) - a*cos(s)"], &[1, 2]),
        ("x th", &["x - l*th", ], &[1]),
        ("x th y", &["x - l*th", "y - sin(th)"], &[0, 1]),
        ("x y", &["sin(exp(x)) - y"], &[0]),
        ("x y", &["exp(sin(x)) - y"], &[0]),
        ("x y", &["(x - y)^2 + sin(x - y)"], &[0]),
        ("x y", &["x^5 - x - y"], &[0]),
    ];
    for (names, constraints, dependent) in cases {
        let system = system(names, constraints);
        let start = std::time::Instant::now();
        let inverse = invert(&system, dependent);
        println!("{constraints:?} {dependent:?} {:?}", start.elapsed());
        let solver = super::Solver::new(&system, dependent, 400);
        if matches!(inverse, Inverse::Numeric) {
            let equations: Vec<_> = system.constraints.iter().map(|c| system.pool.sub(c.f, c.level)).collect();
            if let Some(branches) = solver.branches(&equations) {
                println!("   NOT CONFIRMED\n{}", shown(&system, dependent, &Inverse::Closed(branches)));
            }
        }
        println!("{}", shown(&system, dependent, &inverse));
    }
}
