//! The coefficients of the Radau IIA method of s stages, computed once a run.
//!
//! ```text
//! nodes       P_s(2c - 1) = P_(s-1)(2c - 1)                    (P: Legendre's polynomials; c_s = 1)
//! matrix      sum_j a_ij p(c_j) = integral of p from 0 to c_i   for polynomials p of degree < s
//! transform   A^-1 = V diag(g, a + ib, a - ib, ...) V^-1        one real number, s odd
//! estimate    h b0 f(t, y) + sum e_i z_i,  b0 = 1/g             an embedded formula of order s
//! ```
//!
//! Source: Hairer and Wanner, *Solving Ordinary Differential Equations II*, sections IV.5 and IV.8.

use nalgebra::{Complex, DMatrix, DVector};

use crate::solver::polynomial::legendre;

/// Places looked at for sign changes between the nodes.
const GRID: usize = 512;
/// So many of Legendre's polynomials are enough for the most stages.
const MOST: usize = 8;

/// An eigenvalue of A^-1, its eigenvector and its row of V^-1.
#[derive(Debug, Clone)]
pub(super) struct Mode<T> {
    /// The eigenvalue.
    pub value: T,
    /// The eigenvector, of length s.
    pub column: Vec<T>,
    /// The row of V^-1, of length s.
    pub row: Vec<T>,
}

/// The coefficients of the method of s stages.
#[derive(Debug, Clone)]
pub(super) struct Tableau {
    /// The number s of stages.
    pub stages: usize,
    /// The nodes, ascending; the last is 1.
    pub c: Vec<f64>,
    /// A by rows.
    pub a: Vec<f64>,
    /// A^-1 by rows.
    pub inverse: Vec<f64>,
    /// The weights of the error estimate.
    pub e: Vec<f64>,
    /// The real eigenvalue.
    pub real: Mode<f64>,
    /// One of each pair of conjugate ones.
    pub complex: Vec<Mode<Complex<f64>>>,
}

impl Tableau {
    /// The tableau of s stages, s odd and at most 7; none where the numbers do not come out.
    pub(super) fn new(stages: usize) -> Option<Self> {
        let s = stages;
        let c = nodes(s);
        if c.len() != s {
            return None;
        }
        let basis = DMatrix::from_fn(s, s, |q, j| legendre::<MOST>(2.0 * c[j] - 1.0)[q]);
        let integrals = DMatrix::from_fn(s, s, |q, i| integral(q, 2.0 * c[i] - 1.0));
        // basis A^T = integrals
        let a = basis.clone().lu().solve(&integrals)?.transpose();
        let inverse = a.clone().try_inverse()?;

        let values = inverse.clone().complex_eigenvalues();
        let (mut reals, mut upper) = (Vec::new(), Vec::new());
        for value in values.iter() {
            if value.im.abs() < 1e-9 * value.norm() {
                reals.push(value.re);
            } else if value.im > 0.0 {
                upper.push(*value);
            }
        }
        let [g] = reals[..] else {
            return None;
        };
        if upper.len() != s / 2 {
            return None;
        }
        upper.sort_by(|p, q| p.im.total_cmp(&q.im));
        let mut v = DMatrix::<Complex<f64>>::zeros(s, s);
        v.set_column(0, &eigenvector(&inverse, Complex::new(g, 0.0))?);
        for (pair, value) in upper.iter().enumerate() {
            let column = eigenvector(&inverse, *value)?;
            v.set_column(2 * pair + 1, &column);
            v.set_column(2 * pair + 2, &column.map(|e| e.conj()));
        }
        let rows = v.clone().try_inverse()?;
        let real = Mode {
            value: g,
            column: v.column(0).iter().map(|e| e.re).collect(),
            row: rows.row(0).iter().map(|e| e.re).collect(),
        };
        let complex = upper
            .iter()
            .enumerate()
            .map(|(pair, value)| Mode {
                value: *value,
                column: v.column(2 * pair + 1).iter().copied().collect(),
                row: rows.row(2 * pair + 1).iter().copied().collect(),
            })
            .collect();
        // sum d_i p(c_i) = -b0 p(0) makes the order s; then h sum d_i f_i = sum e_i z_i, e = A^-T d
        let right = DVector::from_fn(s, |q, _| -legendre::<MOST>(-1.0)[q] / g);
        let d = basis.lu().solve(&right)?;
        let e = inverse.transpose() * d;
        Some(Self {
            stages,
            c,
            a: by_rows(&a),
            inverse: by_rows(&inverse),
            e: e.iter().copied().collect(),
            real,
            complex,
        })
    }
}

fn by_rows(matrix: &DMatrix<f64>) -> Vec<f64> {
    matrix.transpose().iter().copied().collect()
}

/// The integral of `P_q(2x - 1)` over x from 0 to (u + 1)/2.
fn integral(q: usize, u: f64) -> f64 {
    if q == 0 {
        return 0.5 * (u + 1.0);
    }
    let p = legendre::<MOST>(u);
    (p[q + 1] - p[q - 1]) / (2.0 * (2.0 * q as f64 + 1.0))
}

/// The nodes in (0, 1], by sign changes and bisection.
fn nodes(s: usize) -> Vec<f64> {
    let polynomial = |u: f64| {
        let p = legendre::<MOST>(u);
        p[s] - p[s - 1]
    };
    let place = |i: usize| -1.0 + 2.0 * (i as f64 + 0.37) / GRID as f64;
    let mut c = Vec::with_capacity(s);
    for i in 0..GRID - 1 {
        let (mut low, mut high) = (place(i), place(i + 1));
        let sign = polynomial(low).signum();
        if sign * polynomial(high) > 0.0 {
            continue;
        }
        for _ in 0..80 {
            let middle = 0.5 * (low + high);
            if sign * polynomial(middle) > 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        c.push(0.5 * (0.5 * (low + high) + 1.0));
    }
    c.push(1.0);
    c
}

/// The eigenvector of an eigenvalue, by inverse iteration; its largest entry is 1.
fn eigenvector(matrix: &DMatrix<f64>, value: Complex<f64>) -> Option<DVector<Complex<f64>>> {
    let s = matrix.nrows();
    let near = value * (1.0 + 1e-8);
    let shifted = DMatrix::from_fn(s, s, |i, j| {
        let diagonal = if i == j { near } else { Complex::new(0.0, 0.0) };
        Complex::new(matrix[(i, j)], 0.0) - diagonal
    });
    let lu = shifted.lu();
    let mut v = DVector::from_fn(s, |i, _| Complex::new(1.0, 0.3 * i as f64));
    for _ in 0..4 {
        v = lu.solve(&v)?;
        let largest = v
            .iter()
            .copied()
            .max_by(|p, q| p.norm().total_cmp(&q.norm()))?;
        v /= largest;
    }
    v.iter()
        .all(|e| e.re.is_finite() && e.im.is_finite())
        .then_some(v)
}
