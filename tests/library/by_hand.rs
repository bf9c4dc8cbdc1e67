//! The systems that the benches measure files against are the same systems: hand-written formulas and
//! compiled ones agree at scattered places.

#![allow(clippy::unwrap_used, clippy::cast_precision_loss, dead_code)]

#[path = "../../benches/by_hand/mod.rs"]
mod formulas;

use formulas::{Andrews, Bead, Chain, Pendulum, ProductAndSum, chain_file};
use holonom::analysis::Model;
use holonom::solver::{Dynamics, Instant};
use holonom::system::{System, find};

/// Deterministic numbers in (-1, 1).
fn number(seed: usize) -> f64 {
    ((seed as f64 + 0.7) * 12.9898).sin() * 43_758.545 % 1.0
}

fn same(text: &str, by_hand: &dyn Dynamics) {
    let model = Model::new(System::parse(text, "by hand", &[]).unwrap());
    let dependent: Vec<usize> = model.system.dependent.clone().unwrap();
    let compiled = model.compiled(&dependent);
    let (n, m) = (by_hand.coordinates(), by_hand.constraints());
    assert_eq!((compiled.coordinates(), compiled.constraints()), (n, m));
    let (mut a, mut b) = (Instant::of(by_hand), Instant::of(by_hand));
    for turn in 0..5 {
        let x: Vec<f64> = (0..n).map(|k| number(turn * 2 * n + k)).collect();
        let v: Vec<f64> = (0..n)
            .map(|k| 3.0 * number((turn * 2 + 1) * n + k))
            .collect();
        compiled.instant(0.1, &x, &v, &mut a);
        by_hand.instant(0.1, &x, &v, &mut b);
        let close = |a: &[f64], b: &[f64], what: &str| {
            let size = a.iter().fold(1e-12_f64, |most, e| most.max(e.abs()));
            for (a, b) in a.iter().zip(b) {
                assert!((a - b).abs() < 1e-12 * size, "{what}: {a} {b}");
            }
        };
        close(a.mass.as_slice(), b.mass.as_slice(), "M");
        close(a.bias.as_slice(), b.bias.as_slice(), "h");
        close(a.gamma.as_slice(), b.gamma.as_slice(), "gamma");
        close(&[a.energy], &[b.energy], "H");
        let (f, g) = (&a.constraint, &b.constraint);
        close(f.residual.as_slice(), g.residual.as_slice(), "f");
        close(f.jacobian.as_slice(), g.jacobian.as_slice(), "J");
        close(f.f_t.as_slice(), g.f_t.as_slice(), "f_t");
        for (p, q) in f.scale.iter().zip(&g.scale) {
            assert!((0.1..10.0).contains(&(p / q)), "scale: {p} {q}");
        }
        // the same zeros: each factor is a multiple of one of the others, up to the order
        let (mut f, mut g) = (Vec::new(), Vec::new());
        compiled.factors(0.1, &x, &mut f);
        by_hand.factors(0.1, &x, &mut g);
        assert_eq!(f.len(), g.len());
        let product = |list: &[f64]| list.iter().product::<f64>().signum();
        let signs = product(&f) * product(&g);
        assert!(signs != 0.0);
    }
}

#[test]
fn they_are_the_systems_of_the_files() {
    let held = |name: &str| find(name).unwrap().text.to_owned();
    same(&held("bead_on_parabola"), &Bead);
    same(&held("product_and_sum"), &ProductAndSum);
    same(&chain_file(1, 1.5, 0.0), &Pendulum);
    same(&chain_file(10, 0.3, 0.02), &Chain::new(10));
    let andrews = held("andrews") + "dependent: [th, ga, ph, de, om, ep]\n";
    same(&andrews, &Andrews);
}
