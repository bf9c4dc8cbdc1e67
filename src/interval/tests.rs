//! Bounds against exact rationals and high-precision values; proofs against points.

use super::function::{BoxFunction, Trace};
use super::*;
use crate::expr::{Expr, Function, Interval, Number, Pool, SymbolKind};
use proptest::prelude::*;

fn variables(p: &Pool) -> [Expr; 2] {
    [0, 1].map(|index| {
        p.symbol(
            ["x", "y"][index],
            SymbolKind::Coordinate { index, order: 0 },
        )
    })
}

fn big(v: f64) -> Number {
    Number::from_f64(v).unwrap()
}

/// Is an exact number in an interval?
fn holds(range: Interval, exact: &Number) -> bool {
    let low = range.lo.is_infinite() || !exact.sub(&big(range.lo)).is_negative();
    let high = range.hi.is_infinite() || !big(range.hi).sub(exact).is_negative();
    low && high
}

/// Numbers of every size, with the special ones often.
fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -4.0_f64..4.0,
        2 => (-300.0_f64..300.0, prop::bool::ANY).prop_map(|(e, s)| {
            let v = 10.0_f64.powf(e);
            if s { v } else { -v }
        }),
        1 => prop::sample::select(vec![0.0, 1.0, -1.0, 0.5, 5e-324, -5e-324, 1e308, f64::MAX, 2.2e-308]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn arithmetic_holds_the_exact_result(a in any_number(), b in any_number(), n in 2_i32..6) {
        let (x, y) = (Interval::point(a), Interval::point(b));
        let (p, q) = (big(a), big(b));
        prop_assert!(holds(x.add(y), &p.add(&q)));
        prop_assert!(holds(x.sub(y), &p.sub(&q)));
        prop_assert!(holds(x.mul(y), &p.mul(&q)));
        if let Some(exact) = p.div(&q) {
            prop_assert!(holds(x.div(y), &exact));
        }
        if let Some(exact) = p.pow(i64::from(n)) {
            prop_assert!(holds(x.powi(n), &exact));
        }
        if a >= 0.0 {
            let root = x.sqrt();
            prop_assert!(!p.sub(&big(root.lo).mul(&big(root.lo))).is_negative());
            prop_assert!(root.hi.is_infinite() || !big(root.hi).mul(&big(root.hi)).sub(&p).is_negative());
        }
    }

    #[test]
    fn functions_hold_what_every_point_has(a in any_number(), w in 0.0_f64..7.0, s in 0.0_f64..=1.0) {
        let x = Interval::new(a, a + w);
        let inside = (a + s * w).min(x.hi);
        for f in Function::ALL {
            if f == Function::Atan2 {
                continue;
            }
            let value = f.value(inside, 0.0);
            if value.is_nan() {
                continue;
            }
            let range = x.apply(f);
            // the standard library may be off by an ulp on the other side
            prop_assert!(range.lo <= value && value <= range.hi, "{} {inside}: {value} not in {range:?}", f.name());
        }
    }

    #[test]
    fn quotients_keep_what_multiplies_back(a in -3.0_f64..3.0, b in -3.0_f64..3.0, v in 0.0_f64..2.0, w in 0.0_f64..2.0, s in 0.0_f64..=1.0, r in 0.0_f64..=1.0) {
        let (z, y) = (Interval::new(a, a + v), Interval::new(b, b + w));
        let (pz, py) = ((a + s * v).min(z.hi), (b + r * w).min(y.hi));
        let x = pz / py;
        if x.is_finite() {
            let within = Interval::new(-1e9, 1e9);
            let range = z.div_within(y, within);
            prop_assert!(!within.contains(x) || range.lo <= x * (1.0 + 1e-15) + 1e-300 && x * (1.0 - 1e-15) - 1e-300 <= range.hi.max(range.hi * (1.0 + 4e-15)));
        }
        let at = Interval::new(b, b + w).asin_within(Interval::new(a, a + v));
        let angle = pz;
        if y.contains(angle.sin()) {
            prop_assert!(at.lo <= angle && angle <= at.hi);
        }
    }

    #[test]
    fn contraction_loses_no_solution(px in -2.0_f64..2.0, py in -2.0_f64..2.0, w in 0.0_f64..3.0, v in 0.0_f64..3.0, s in 0.0_f64..=1.0, r in 0.0_f64..=1.0) {
        let p = Pool::new();
        let [x, y] = variables(&p);
        let list = [
            p.sub(p.powi(x, 3), p.mul(x, y)),
            p.add(p.apply(Function::Sin, p.mul(x, y)), p.apply(Function::Cos, x)),
            p.div(x, p.add(p.powi(y, 2), p.one())),
            p.sqrt(p.add(p.add(x, y), p.number(4))),
            p.apply(Function::Atan, p.sub(x, p.apply(Function::Exp, y))),
            p.apply(Function::Abs, p.sub(p.apply(Function::Cosh, x), p.powi(y, -2))),
            p.pow(p.add(p.powi(x, 2), p.one()), p.number(Number::ratio(2, 3).unwrap())),
            p.apply(Function::Log, p.add(p.powi(x, 4), p.powi(y, 2))),
            p.apply(Function::Asin, p.scale(p.mul(x, y), &Number::ratio(1, 9).unwrap())),
            p.mul(p.apply(Function::Acos, p.scale(x, &Number::ratio(1, 3).unwrap())), p.powi(y, 5)),
            p.add(p.apply(Function::Tan, p.mul(x, p.number(3))), y),
            p.apply(Function::Tan, p.add(p.mul(x, y), y)),
        ];
        let f = BoxFunction::new(&p, &[x, y], &list);
        let mut trace = Trace::default();
        let mut at = vec![Interval::ALL; list.len()];
        f.eval(&[Interval::point(px), Interval::point(py)], &mut trace, &mut at);
        let lo = [px - s * w, py - r * v];
        for (i, target) in at.iter().enumerate() {
            let mut targets = vec![Interval::ALL; list.len()];
            targets[i] = *target;
            let mut region = [Interval::new(lo[0], (lo[0] + w).max(px)), Interval::new(lo[1], (lo[1] + v).max(py))];
            let single = BoxFunction::new(&p, &[x, y], &list[i..=i]);
            prop_assert!(at[i].is_empty() || single.contract(&mut region, &[*target], &mut trace), "{}", p.print(list[i]));
            prop_assert!(at[i].is_empty() || region[0].contains(px) && region[1].contains(py), "{} {region:?}", p.print(list[i]));
        }
    }

    #[test]
    fn a_regular_matrix_holds_no_singular_one(size in 1_usize..6, seed in 0_u64..1_000_000, spread in 0.0_f64..1.2) {
        let mut state = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
        };
        let entries: Vec<Interval> = (0..size * size).map(|_| {
            let (a, w) = (random(), spread * random().abs());
            if random() > 0.6 { Interval::ZERO } else { Interval::new(a - w, a + w) }
        }).collect();
        let matrix = IntervalMatrix::from_fn(size, size, |i, j| entries[i * size + j]);
        if matrix.is_regular() {
            let mut sign = 0.0;
            for _ in 0..40 {
                let real = nalgebra::DMatrix::from_fn(size, size, |i, j| {
                    let e = entries[i * size + j];
                    e.lo + (e.hi - e.lo) * (0.5 + 0.6 * random()).clamp(0.0, 1.0)
                });
                let det = real.determinant();
                prop_assert!(det != 0.0 && det * sign >= 0.0);
                sign = det;
            }
        }
    }
}

#[test]
fn trigonometric_extrema_are_found_far_out() {
    for k in [0_i32, 1, 7, 1000, 1_000_000] {
        let at = std::f64::consts::PI * (2.0 * f64::from(k) + 0.5);
        let range = Interval::new(at - 0.1, at + 0.1).apply(Function::Sin);
        assert!(range.hi == 1.0 && range.lo > 0.99, "{range:?}");
    }
    assert_eq!(
        Interval::new(1e300, 1e300).apply(Function::Cos),
        Interval::new(-1.0, 1.0)
    );
    assert!(Interval::point(1e-20).apply(Function::Sin).lo > 0.9e-20);
}

#[test]
fn newton_proves_a_root_alone_and_its_absence() {
    let p = Pool::new();
    let [x, y] = variables(&p);
    // x^2 + y^2 = 4, y = x^2
    let f = [
        p.sum([p.powi(x, 2), p.powi(y, 2), p.number(-4)]),
        p.sub(y, p.powi(x, 2)),
    ];
    let equations = Equations::new(&p, &[x, y], &[], &f);
    let mut work = Scratch::default();
    let mut near = [Interval::new(1.0, 1.5), Interval::new(1.2, 2.0)];
    let mut proven = false;
    for _ in 0..6 {
        proven |= equations.newton(&mut near, &[0, 1], &mut work) == Newton::Unique;
    }
    let exact = ((17.0_f64.sqrt() - 1.0) / 2.0).sqrt();
    assert!(
        proven && near[0].contains(exact) && near[0].width() < 1e-12,
        "{near:?}"
    );
    let mut none = [Interval::new(1.4, 1.6), Interval::new(1.2, 1.4)];
    assert!(
        !equations.contract(&mut none, &mut work)
            || equations.newton(&mut none, &[0, 1], &mut work) == Newton::Empty
    );
    // as functions of y the first alone: x for every y of a range
    let circle = Equations::new(&p, &[x, y], &[], &f[..1]);
    let mut part = [Interval::new(1.0, 3.0), Interval::new(-0.5, 0.5)];
    assert_eq!(circle.newton(&mut part, &[0], &mut work), Newton::Unique);
    assert!(part[0].lo <= 3.75_f64.sqrt() && part[0].hi >= 2.0);
    // both branches
    let mut both = [Interval::new(-3.0, 3.0), Interval::new(-0.5, 0.5)];
    assert_eq!(circle.newton(&mut both, &[0], &mut work), Newton::Open);
}

#[test]
fn a_sign_of_the_determinant_is_no_proof() {
    let p = Pool::new();
    let [a, b] = variables(&p);
    let f = [
        p.sub(
            p.powi(a, 3),
            p.scale(p.mul(a, p.powi(b, 2)), &Number::from(3)),
        ),
        p.sub(
            p.scale(p.mul(p.powi(a, 2), b), &Number::from(3)),
            p.powi(b, 3),
        ),
    ];
    let equations = Equations::new(&p, &[a, b], &[], &f);
    let mut work = Scratch::default();
    // both (1/2, +-sqrt(3)/2) are in it, with the same f, though det = 9 (a^2 + b^2)^2 > 0
    let wide = [Interval::new(0.4, 0.6), Interval::new(-0.9, 0.9)];
    assert!(!equations.jacobian(&wide, &mut work).0.is_regular());
    let narrow = [Interval::new(0.4, 0.6), Interval::new(-0.1, 0.1)];
    assert!(equations.jacobian(&narrow, &mut work).0.is_regular());
}

#[test]
fn branch_and_prune_finds_all_and_says_so() {
    let p = Pool::new();
    let [x, y] = variables(&p);
    let circle = p.sum([p.powi(x, 2), p.powi(y, 2), p.number(-4)]);
    let region = [Interval::new(-10.0, 12.0), Interval::new(-9.0, 11.0)];
    let solve = |second: Expr| {
        let equations = Equations::new(&p, &[x, y], &[], &[circle, second]);
        roots(&equations, &region, 5_000_000)
    };
    // two plain solutions, one of them where cuts fall
    let plain = solve(p.sub(y, p.mul(x, p.number(3))));
    assert!(plain.complete() && plain.undecided.is_empty(), "{plain:?}");
    assert_eq!(plain.proven.len(), 2);
    let exact = 0.4_f64.sqrt();
    assert!(plain.proven[1][0].contains(exact) && plain.proven[1][0].width() < 1e-14);
    // the x axis: at cuts through 0
    let axis = solve(p.mul(y, p.add(p.powi(x, 2), p.one())));
    assert!(
        axis.complete() && axis.undecided.is_empty() && axis.proven.len() == 2,
        "{axis:?}"
    );
    // none
    let none = solve(p.sub(y, p.number(5)));
    assert!(none.complete() && none.undecided.is_empty() && none.proven.is_empty());
    // tangential: not proven, not lost
    let touching = solve(p.sub(y, p.number(2)));
    assert!(
        touching.complete() && touching.proven.is_empty(),
        "{touching:?}"
    );
    assert_eq!(touching.undecided.len(), 1);
    assert!(touching.undecided[0][0].contains(0.0) && touching.undecided[0][1].contains(2.0));
}

#[test]
fn planted_solutions_are_all_found() {
    let p = Pool::new();
    let [x, y] = variables(&p);
    // (x - a)(x - b)(x - c) = 0 turned by a shear, and y = a cubic in x that is bent by a sine
    for seed in 1..12_i64 {
        let a = Number::ratio(seed * 7 % 11 - 5, 3).unwrap();
        let b = Number::ratio(seed * 5 % 13 - 6, 4).unwrap();
        let c = Number::ratio(seed * 3 % 7 + 9, 5).unwrap();
        if a == b {
            continue;
        }
        let u = p.add(x, p.scale(y, &Number::ratio(1, 2).unwrap()));
        let cubic = [&a, &b, &c].map(|r| p.sub(u, p.number(r.clone())));
        let first = p.product(cubic);
        let second = p.sub(
            y,
            p.apply(Function::Sin, p.scale(x, &Number::from(seed % 3 + 1))),
        );
        let equations = Equations::new(&p, &[x, y], &[], &[first, second]);
        let region = [Interval::new(-8.0, 8.0), Interval::new(-8.0, 8.0)];
        let found = roots(&equations, &region, 20_000_000);
        assert!(found.complete(), "{seed}");
        // each line x + sin(k x)/2 = r meets once where the slope 1 + k cos(k x)/2 stays positive
        let mut count = 0;
        for r in [&a, &b, &c] {
            let k = f64::from(i32::try_from(seed % 3 + 1).unwrap());
            let g = |x: f64| x + 0.5 * (k * x).sin() - r.to_f64();
            let mut last = g(-8.0);
            for i in 1..=400_000 {
                let now = g(-8.0 + 16.0 * f64::from(i) / 400_000.0);
                count += usize::from(last.signum() != now.signum());
                last = now;
            }
        }
        assert_eq!(
            found.proven.len() + found.undecided.len(),
            count,
            "{seed}: {found:?}"
        );
        assert!(found.undecided.is_empty(), "{seed}: {found:?}");
    }
}

/// J_D of polar coordinates over r and an angle, and in the middle.
fn polar(r: Interval, angle: Interval) -> (IntervalMatrix, IntervalMatrix) {
    let at = |r: Interval, a: Interval| {
        let (c, s) = (a.apply(Function::Cos), a.apply(Function::Sin));
        let rows = [[c, s.mul(r).neg()], [s, c.mul(r)]];
        IntervalMatrix::from_fn(2, 2, |i, j| rows[i][j])
    };
    let point = |side: Interval| Interval::point(side.middle());
    (at(r, angle), at(point(r), point(angle)))
}

#[test]
fn columns_that_turn_by_less_than_a_right_angle_make_a_p_matrix() {
    let r = Interval::new(1.99, 2.01);
    for (half, is_p, regular) in [(0.3, true, true), (0.7, true, false), (1.6, false, false)] {
        let (all, there) = polar(r, Interval::new(0.3 - half, 0.3 + half));
        for widths in [[0.02, 2.0 * half], [1e-9, 1e9]] {
            assert_eq!(all.is_made_p_matrix(&there, &widths), is_p, "{half}");
        }
        // a constraint in other units
        let scaled = |m: &IntervalMatrix| {
            let unit = Interval::point(1e6);
            IntervalMatrix::from_fn(2, 2, |i, j| {
                if i == 0 {
                    m.at(i, j).mul(unit)
                } else {
                    m.at(i, j)
                }
            })
        };
        assert_eq!(
            scaled(&all).is_made_p_matrix(&scaled(&there), &[1.0, 1.0]),
            is_p
        );
        assert_eq!(all.is_regular(), regular, "{half}");
    }
}
