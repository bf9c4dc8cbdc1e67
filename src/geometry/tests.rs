//! The room on matrices and sets whose answers are known.

use super::least::singular_values;
use super::*;
use nalgebra::{DMatrix, DVector};

/// Deterministic numbers.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// In (-1, 1).
    fn number(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// A unit anywhere between 1e-30 and 1e30.
    fn unit(&mut self) -> f64 {
        10_f64.powf(30.0 * self.number())
    }

    fn matrix(&mut self, rows: usize, columns: usize) -> DMatrix<f64> {
        DMatrix::from_fn(rows, columns, |_, _| {
            if self.below(3) == 0 {
                0.0
            } else {
                (9.0 * self.number()).round()
            }
        })
    }
}

/// A product of whole numbers of known rank at most, in random units.
fn product(dice: &mut Dice) -> (Blurred, usize, DVector<f64>, DVector<f64>) {
    let (m, n) = (1 + dice.below(6), 1 + dice.below(8));
    let r = dice.below(m.min(n) + 1);
    let (left, right) = (dice.matrix(m, r), dice.matrix(r, n));
    let whole = &left * &right;
    // the exact rank: whole numbers this small have exact determinants up to rounding
    let rank = singular_values(&whole)
        .unwrap()
        .iter()
        .filter(|s| **s > 1e-9 * whole.amax().max(1.0))
        .count();
    let rows = DVector::from_fn(m, |_, _| dice.unit());
    let columns = DVector::from_fn(n, |_, _| dice.unit());
    let value = DMatrix::from_fn(m, n, |b, k| whole[(b, k)] * rows[b] * columns[k]);
    (Blurred::rounded(value), rank, rows, columns)
}

fn products(seed: u64, count: usize) {
    let mut dice = Dice(seed);
    for case in 0..count {
        let (w, rank, rows, columns) = product(&mut dice);
        let done = w.eliminated();
        assert_eq!(done.rank(), rank, "{seed} {case}: {}", w.value);
        let (m, n) = w.value.shape();
        // in units in which W is made of whole numbers, every vanishing sum vanishes to rounding
        let plain = |b: usize, k: usize| w.value[(b, k)] / rows[b] / columns[k];
        let kernel = done.kernel();
        assert_eq!(kernel.ncols(), n - rank);
        for column in kernel.column_iter() {
            let x: Vec<f64> = (0..n).map(|k| column[k] * columns[k]).collect();
            let top = x.iter().fold(0.0_f64, |top, e| top.max(e.abs()));
            for b in 0..m {
                let sum: f64 = (0..n).map(|k| plain(b, k) * x[k]).sum();
                assert!(
                    sum.abs() <= 1e-9 * top,
                    "{seed} {case}: {sum:e} {}",
                    w.value
                );
            }
        }
        let combinations = done.combinations();
        assert_eq!(combinations.len(), m - rank);
        for combination in &combinations {
            let y: Vec<(usize, f64)> = combination.iter().map(|&(b, c)| (b, c * rows[b])).collect();
            let top = y.iter().fold(0.0_f64, |top, e| top.max(e.1.abs()));
            for k in 0..n {
                let sum: f64 = y.iter().map(|&(b, c)| plain(b, k) * c).sum();
                assert!(
                    sum.abs() <= 1e-9 * top,
                    "{seed} {case}: {sum:e} {}",
                    w.value
                );
            }
        }
        let found = w.independent();
        assert_eq!(found.rows.len(), rank);
        assert_eq!(found.rows.len() + found.others.len(), m);
        for Redundant {
            constraint: b,
            parts,
        } in &found.others
        {
            for k in 0..n {
                let sum: f64 = parts.iter().map(|(c, f)| f * w.value[(*c, k)]).sum();
                let size = rows[*b] * columns[k] * 1e4;
                assert!(
                    (sum - w.value[(*b, k)]).abs() <= 1e-9 * size,
                    "{seed} {case}"
                );
            }
        }
        // order and signs
        let order: Vec<usize> = (0..m).rev().collect();
        let turned = w.select(&order);
        assert_eq!(turned.rank(), rank);
        let transposed = Blurred::rounded(-w.value.transpose());
        assert_eq!(transposed.rank(), rank);
    }
}

#[test]
fn products_of_known_rank_in_any_units() {
    products(7, 400);
}

#[test]
#[ignore = "large"]
fn many_products_of_known_rank_in_any_units() {
    for seed in 0..200 {
        products(1_000_003 * seed + 11, 1000);
    }
}

#[test]
fn a_small_coefficient_is_no_zero_and_what_is_within_its_blur_is() {
    let w = |c: f64| DMatrix::from_row_slice(2, 3, &[1.0, 1.0, 0.0, 1.0, 1.0, c]);
    for c in [1.0, 1e-11, 1e-200, -1e150] {
        assert_eq!(Blurred::rounded(w(c)).rank(), 2);
    }
    assert_eq!(Blurred::rounded(w(0.0)).rank(), 1);
    let mut blurred = Blurred::rounded(w(1e-11));
    blurred.blur[(1, 2)] = 2e-11;
    assert_eq!(blurred.rank(), 1);
    assert_eq!(
        blurred.eliminated().combinations(),
        [vec![(0, -1.0), (1, 1.0)]]
    );
}

#[test]
fn zeros_of_the_kernel_are_exact() {
    // y^3 = z at 0, z^2 + 3 x^2 = 2 at x = sqrt(2/3)
    let x = (2.0_f64 / 3.0).sqrt();
    let j = DMatrix::from_row_slice(2, 3, &[0.0, 0.0, 1.0, 6.0 * x, 0.0, 0.0]);
    let kernel = Blurred::rounded(j).kernel();
    assert_eq!(kernel.column(0).as_slice(), [0.0, 1.0, 0.0]);
}

#[test]
fn numbers_that_are_none_have_no_rank_and_large_ones_have() {
    let j = DMatrix::from_row_slice(1, 2, &[f64::NAN, 1.0]);
    assert_eq!(Blurred::rounded(j).rank(), 0);
    let j = DMatrix::from_row_slice(2, 2, &[1e300, 1e-300, 1e300, -1e-300]);
    assert_eq!(Blurred::rounded(j.clone()).rank(), 2);
    assert!(condition(&DMatrix::from_element(2, 2, f64::INFINITY)).is_none());
    assert!(singular_values(&j).is_some());
}

/// A residual and its gradient.
type Row = (f64, Vec<f64>);

/// A set written by hand.
struct Written {
    n: usize,
    m: usize,
    f: fn(&[f64]) -> Vec<Row>,
}

impl Constraints for Written {
    fn coordinates(&self) -> usize {
        self.n
    }

    fn positions(&self) -> usize {
        self.m
    }

    fn rows(&self, _: f64, x: &[f64]) -> Rows {
        let rows = (self.f)(x);
        Rows {
            residual: DVector::from_fn(self.m, |b, _| rows[b].0),
            scale: DVector::repeat(self.m, 1.0),
            gradients: DMatrix::from_fn(self.m, self.n, |b, k| rows[b].1[k]),
            rates: DVector::zeros(self.m),
        }
    }
}

#[test]
fn what_meets_at_a_singular_configuration() {
    // f = p q for lines p, q through the point, in units that differ by 1e9
    let unit = 1e9;
    let crossing = Written {
        n: 2,
        m: 1,
        f: |x| {
            let y = 1e9 * x[1];
            let (p, q) = (y - 2.0 * x[0], y + 0.5 * x[0]);
            vec![(p * q, vec![-2.0 * q + 0.5 * p, 1e9 * (p + q)])]
        },
    };
    let at = |set: &Written, x: &[f64]| meeting(set, (0.0, x), &spread(x, &vec![0.0; x.len()]));
    let Some(Meeting::Two(directions)) = at(&crossing, &[0.0, 0.0]) else {
        panic!("two lines cross");
    };
    let mut slopes = directions.map(|v| unit * v[1] / v[0]);
    slopes.sort_by(f64::total_cmp);
    assert!(
        (slopes[0] + 0.5).abs() < 1e-9 && (slopes[1] - 2.0).abs() < 1e-9,
        "{slopes:?}"
    );
    assert_eq!(
        around(&crossing, (0.0, &[0.0, 0.0]), &[0.0; 2]),
        Structure::Singular { rank: 0, around: 1 }
    );
    // x^2 + 3 y^2 = 0 is a point
    let alone = Written {
        n: 2,
        m: 1,
        f: |x| {
            let f = x[0] * x[0] + 3.0 * x[1] * x[1];
            vec![(f, vec![2.0 * x[0], 6.0 * x[1]])]
        },
    };
    assert_eq!(at(&alone, &[0.0, 0.0]), Some(Meeting::Alone));
    let cone = Written {
        n: 3,
        m: 1,
        f: |x| {
            let f = x[0] * x[0] + 3.0 * x[1] * x[1] - x[2] * x[2];
            vec![(f, vec![2.0 * x[0], 6.0 * x[1], -2.0 * x[2]])]
        },
    };
    assert_eq!(at(&cone, &[0.0; 3]), Some(Meeting::Cone(2)));
    // y^2 = x^3: the second order does not tell
    let cusp = Written {
        n: 2,
        m: 1,
        f: |x| {
            let f = x[1] * x[1] - x[0].powi(3);
            vec![(f, vec![-3.0 * x[0] * x[0], 2.0 * x[1]])]
        },
    };
    assert_eq!(at(&cusp, &[0.0, 0.0]), None);
    // (x^2 - y^2)^2 = 0: two lines, on which the gradient vanishes, and nothing of second order; x^2 + y^2 = 0 as a square
    let flat = [
        Written {
            n: 2,
            m: 1,
            f: |x| {
                let g = x[0] * x[0] - x[1] * x[1];
                vec![(g * g, vec![4.0 * g * x[0], -4.0 * g * x[1]])]
            },
        },
        Written {
            n: 2,
            m: 1,
            f: |x| {
                let g = x[0] * x[0] + x[1] * x[1];
                vec![(g * g, vec![4.0 * g * x[0], 4.0 * g * x[1]])]
            },
        },
    ];
    for set in &flat {
        assert_eq!(at(set, &[0.0, 0.0]), None);
        // no gradient is seen on the set near by, but off it
        assert_eq!(
            around(set, (0.0, &[0.0, 0.0]), &[0.0; 2]),
            Structure::Singular { rank: 0, around: 0 }
        );
    }
    // a cusp that is known to 1e-6 only, as such places are
    assert_eq!(at(&cusp, &[1e-6, 1e-9]), None);
    // 100 b - a = (x - 1)^2, on a smooth curve, with coefficients that are known to what y is
    let touching = Written {
        n: 3,
        m: 2,
        f: |x| {
            let (p, q) = (x[0] - 1.0, x[1] - 2.0_f64.sqrt());
            vec![
                (
                    p * p + 10.0 * q * q - 100.0 * x[2],
                    vec![2.0 * p, 20.0 * q, -100.0],
                ),
                (
                    0.02 * p * p + 0.1 * q * q - x[2],
                    vec![0.04 * p, 0.2 * q, -1.0],
                ),
            ]
        },
    };
    let near = 2.0_f64.sqrt() + 3.8e-8;
    assert_eq!(at(&touching, &[1.0, near, 0.0]), None);
    // and nothing meets on a curve that is smooth
    assert_eq!(at(&cusp, &[1.0, 1.0]), None);
}

#[test]
fn near_by_is_what_newtons_method_finds_near_by() {
    let sets = [
        // y = 0 and y + x^6 = 0 have one point in common, next to which rounding is all there is
        Written {
            n: 2,
            m: 2,
            f: |x| {
                let own = (x[1] + x[0].powi(6), vec![6.0 * x[0].powi(5), 1.0]);
                vec![(x[1], vec![0.0, 1.0]), own]
            },
        },
        // x^2 (y - 7) = 0: the line y = 7 is not near the origin
        Written {
            n: 2,
            m: 1,
            f: |x| {
                let f = x[0] * x[0] * (x[1] - 7.0);
                vec![(f, vec![2.0 * x[0] * (x[1] - 7.0), x[0] * x[0]])]
            },
        },
    ];
    for set in &sets {
        let Structure::Singular { rank, around } = around(set, (0.0, &[0.0, 0.0]), &[0.0; 2])
        else {
            panic!("not singular");
        };
        assert_eq!(rank, around);
    }
}

#[test]
fn a_doubled_constraint_is_redundant_and_a_flat_linkage_is_singular() {
    let doubled = Written {
        n: 2,
        m: 2,
        f: |x| {
            let r = x[0] * x[0] + x[1] * x[1] - 1.0;
            vec![
                (r, vec![2.0 * x[0], 2.0 * x[1]]),
                (-3.0 * r, vec![-6.0 * x[0], -6.0 * x[1]]),
            ]
        },
    };
    let Structure::Redundant { rows, others } = around(&doubled, (0.0, &[0.6, 0.8]), &[0.0; 2])
    else {
        panic!();
    };
    assert_eq!(rows, [0]);
    let [Redundant { constraint, parts }] = others.as_slice() else {
        panic!("{others:?}");
    };
    assert_eq!((*constraint, parts.as_slice()), (1, &[(0, -3.0)][..]));
    // dependent on the set, not off it: x = 0 and x (1 + y) = 0
    let on_the_set = Written {
        n: 2,
        m: 2,
        f: |x| {
            vec![
                (x[0], vec![1.0, 0.0]),
                (x[0] * (1.0 + x[1]), vec![1.0 + x[1], x[0]]),
            ]
        },
    };
    assert!(matches!(
        around(&on_the_set, (0.0, &[0.0, 0.5]), &[0.0; 2]),
        Structure::Redundant { .. }
    ));
}

#[test]
fn what_follows_from_others_to_third_order_only_is_not_redundant() {
    // on y + x^2 = 0 the other is -x^3, and its row is a combination to first order in x; both hold there alone; in units
    // of 1e6 and of 1e-6
    const SETS: [Written; 3] = [third::<0>(), third::<1>(), third::<2>()];
    for (set, unit) in SETS.iter().zip([1.0, 1e6, 1e-6]) {
        assert_eq!(
            around(set, (0.0, &[0.0, 0.3 / unit]), &[0.0; 2]),
            Structure::Singular { rank: 1, around: 1 }
        );
    }
}

/// y - 0.3 + x^2 and x (y - 0.3), y in other units.
const fn third<const PLACE: usize>() -> Written {
    Written {
        n: 2,
        m: 2,
        f: |x| {
            let unit = [1.0, 1e6, 1e-6][PLACE];
            let y = unit * x[1] - 0.3;
            vec![
                (y + x[0] * x[0], vec![2.0 * x[0], unit]),
                (x[0] * y, vec![y, unit * x[0]]),
            ]
        },
    }
}

#[test]
fn the_shortest_solution_is_square_to_the_kernel() {
    let mut dice = Dice(5);
    for _ in 0..100 {
        let (m, n) = (1 + dice.below(4), 4 + dice.below(5));
        let w = DMatrix::from_fn(m, n, |_, _| dice.number());
        let r = DVector::from_fn(m, |_, _| dice.number());
        let x = LeastNorm::new(&w).unwrap().shortest(&r, 1e-12).unwrap();
        assert!((&w * &x - &r).amax() < 1e-10);
        let kernel = Blurred::rounded(w).kernel();
        for column in kernel.column_iter() {
            assert!(column.dot(&x).abs() <= 1e-10 * column.norm());
        }
    }
}

#[test]
fn newton_comes_back_by_the_shortest_way() {
    let circle = |x: &[f64]| {
        Some(Evaluation {
            residual: DVector::repeat(1, x[0] * x[0] + x[1] * x[1] - 1.0),
            gradients: DMatrix::from_row_slice(1, 2, &[2.0 * x[0], 2.0 * x[1]]),
        })
    };
    let newton = NewtonBack {
        widths: &[1.0, 1.0],
        longest: 0.5,
        cut: 1e-12,
        steps: 30,
    };
    let judge = |step: &Step<'_>| {
        if step.length < 1e-9 {
            Next::There
        } else {
            Next::Go
        }
    };
    let ended = newton.run(vec![1.8, 2.4], circle, judge).unwrap();
    assert!((ended.x[0] - 0.6).abs() < 1e-15 && (ended.x[1] - 0.8).abs() < 1e-15);
}

#[test]
fn what_a_change_within_reach_makes_up_for_is_not_missed() {
    let rows = Rows {
        residual: DVector::from_vec(vec![1e-28, 0.0]),
        scale: DVector::from_vec(vec![2e-28, 1.0]),
        gradients: DMatrix::from_row_slice(2, 2, &[0.0, -1.0, 1.0, 0.0]),
        rates: DVector::zeros(2),
    };
    assert_eq!(rows.missed(&[0.0; 2]).relative, 0.5);
    assert_eq!(rows.missed(&[ATOL; 2]).relative, 0.0);
    assert_eq!(
        rows.missed_speed(&[-3.2e-16, 0.0], &[ATOL; 2]).relative,
        0.0
    );
    let missed = rows.missed_speed(&[-3.2e-16, 0.0], &[0.0; 2]);
    assert_eq!((missed.row, missed.relative), (1, 1.0));
}

#[test]
fn rows_that_agree_to_rounding_are_met_by_one_solution() {
    let mut dice = Dice(9);
    for case in 0..2000 {
        let n = 2 + dice.below(4);
        let one: Vec<f64> = (0..n).map(|_| dice.number()).collect();
        let w = DMatrix::from_fn(2, n, |b, k| {
            let ulps = if b == 0 {
                0.0
            } else {
                (4.0 * dice.number()).round()
            };
            one[k] * (1.0 + ulps * f64::EPSILON)
        });
        let ones = DVector::repeat(2, 1.0);
        let x = LeastNorm::new(&w).unwrap().shortest(&ones, 1e-12).unwrap();
        let missed = (&w * &x - &ones).amax();
        assert!(missed < 1e-12, "{case}: {missed:e} {w}");
    }
}

#[test]
fn cofactors_of_a_singular_matrix() {
    let a = DMatrix::from_row_slice(
        5,
        5,
        &[
            2.0, 1.0, 0.0, 3.0, 1.0, //
            1.0, 4.0, 2.0, 0.0, 1.0, //
            0.0, 2.0, 5.0, 1.0, 0.0, //
            3.0, 0.0, 1.0, 6.0, 2.0, //
            3.0, 5.0, 2.0, 3.0, 2.0, // the sum of the first two
        ],
    );
    let c = cofactors(&a, 0.0);
    for (i, j) in [(0, 0), (4, 2), (3, 1)] {
        let minor = a.clone().remove_row(i).remove_column(j).determinant();
        let sign = if (i + j) % 2 == 0 { 1.0 } else { -1.0 };
        assert!((c[(i, j)] - sign * minor).abs() < 1e-10 * c.abs().max());
    }
}

#[test]
fn columns_that_are_combinations_of_those_before_them_say_of_which() {
    // columns: a, b, a - b/2, 0, c, 3 c; rows of all sizes
    let columns = |i: usize| {
        let x = 0.7 + i as f64;
        let (a, b, c) = (x.sin(), x.cos(), x.ln());
        let size = 1e-6 * 1e3_f64.powf(i as f64);
        [a, b, a - b / 2.0, 0.0, c, 3.0 * c].map(|e| e * size)
    };
    let matrix = DMatrix::from_fn(5, 6, |i, k| columns(i)[k]);
    let found = combinations_of_columns(matrix);
    let wanted = [
        (2, [-1.0, 0.5, 1.0, 0.0, 0.0, 0.0]),
        (3, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]),
        (5, [0.0, 0.0, 0.0, 0.0, -3.0, 1.0]),
    ];
    assert_eq!(found.len(), wanted.len());
    for ((column, vector), (at, by)) in found.iter().zip(wanted) {
        assert_eq!(*column, at);
        assert!(vector.iter().zip(by).all(|(v, w)| (v - w).abs() < 1e-12));
    }
}
