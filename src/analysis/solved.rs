//! The equations of motion solved for the accelerations and the multipliers, in symbols.
//!
//! M x'' + h = W^T lambda and W x'' = gamma are linear in both:
//!
//! ```text
//! (W M^-1 W^T) lambda = gamma + W M^-1 h,    x'' = M^-1 (W^T lambda - h)
//! ```
//!
//! where M can be inverted, and all at once where it cannot. What stands in a constraint f = c as it is, x^2 + y^2 of a pendulum, is
//! put in as c: the formulas hold on the constraints.

use super::Model;
use crate::expr::{Expr, Matrix, Pool, asked_within};
use crate::mechanics::readable;
use crate::theorem::FOR_FORMS;
use rustc_hash::FxHashMap;

/// Operations of all that is solved for, before it is simplified.
const LARGEST: usize = 20_000;
/// Formulas of more operations than this are not simplified and shown.
const LONGEST: usize = 5_000;

/// Accelerations and multipliers as functions of t, x and x'.
#[derive(Clone, Debug)]
pub struct Solved {
    /// x'', one a coordinate.
    pub accelerations: Vec<Expr>,
    /// lambda, one a constraint, those on velocities last.
    pub multipliers: Vec<Expr>,
    /// Up to sign the determinant of the equations: where it is zero the formulas do not hold.
    pub determinant: Expr,
}

/// Why the equations are not solved for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsolved {
    /// Constraints are redundant: the multipliers are not unique.
    Redundant,
    /// The formulas would be too long.
    Long,
}

impl Solved {
    /// The operations of the longest of the formulas.
    pub fn longest(&self, pool: &Pool) -> usize {
        let all = self.accelerations.iter().chain(&self.multipliers);
        let sizes = all.chain([&self.determinant]).map(|e| pool.size(*e));
        sizes.max().unwrap_or(0)
    }
}

impl Model {
    /// The solution, where it is found within a bounded effort.
    ///
    /// # Errors
    ///
    /// Constraints are redundant, or it is too long.
    pub fn solved(&self) -> Result<Solved, Unsolved> {
        if self.redundancy_of_all().is_some() {
            return Err(Unsolved::Redundant);
        }
        let solve = || self.by_mass().or_else(|| self.at_once());
        let found = asked_within(FOR_FORMS, solve).0.ok_or(Unsolved::Long)?;
        if found.longest(&self.system.pool) <= LONGEST {
            Ok(found)
        } else {
            Err(Unsolved::Long)
        }
    }

    /// W and gamma.
    fn rows_and_gamma(&self) -> (Matrix, Vec<Expr>) {
        let equations = &self.equations;
        let gamma = equations.gamma.iter().chain(&equations.velocity.gamma);
        (
            equations.rows().cloned().collect(),
            gamma.copied().collect(),
        )
    }

    fn by_mass(&self) -> Option<Solved> {
        let pool = &self.system.pool;
        let (rows, gamma) = self.rows_and_gamma();
        let n = self.system.coordinates.len();
        let mass = self.simple(&self.equations.mass);
        // M^-1 [W^T, h]
        let right: Matrix = (0..n)
            .map(|k| {
                let row = rows.iter().map(|row| row[k]);
                row.chain([self.equations.bias[k]]).collect()
            })
            .collect();
        let inverse = self.simple(&pool.solve_linear(&mass, &right, LARGEST)?);
        let product = |row: &[Expr], column: usize| {
            let terms = row.iter().zip(&inverse);
            pool.sum(terms.map(|(w, entry)| pool.mul(*w, entry[column])))
        };
        let m = rows.len();
        let square = |row: &Vec<Expr>| (0..m).map(|b| product(row, b)).collect();
        let square: Matrix = rows.iter().map(square).collect();
        let square = self.simple(&square);
        let right = rows.iter().zip(&gamma);
        let right: Matrix = right
            .map(|(row, g)| vec![pool.add(*g, product(row, m))])
            .collect();
        let lambda: Vec<Expr> = if m == 0 {
            Vec::new()
        } else {
            let solved = pool.solve_linear(&square, &self.simple(&right), LARGEST)?;
            solved
                .iter()
                .map(|row| self.on_constraints(row[0]))
                .collect()
        };
        let accelerations = inverse.iter().map(|row| {
            let parts = row
                .iter()
                .zip(&lambda)
                .map(|(w, lambda)| pool.mul(*w, *lambda));
            let rest = pool.neg(*row.last().unwrap_or(&pool.zero()));
            self.on_constraints(pool.sum(parts.chain([rest])))
        });
        let accelerations = accelerations.collect();
        let determinant = pool.mul(self.determinant(&mass)?, self.determinant(&square)?);
        Some(Solved {
            accelerations,
            multipliers: lambda,
            determinant: self.on_constraints(determinant),
        })
    }

    /// [M W^T; W 0] (x'', -lambda) = (-h, gamma).
    fn at_once(&self) -> Option<Solved> {
        let pool = &self.system.pool;
        let (rows, gamma) = self.rows_and_gamma();
        let n = self.system.coordinates.len();
        let zeros = rows.iter().map(|_| pool.zero());
        let mut matrix: Matrix = (0..n)
            .map(|k| {
                let own = self.equations.mass[k].iter().copied();
                own.chain(rows.iter().map(|row| row[k])).collect()
            })
            .collect();
        matrix.extend(
            rows.iter()
                .map(|row| row.iter().copied().chain(zeros.clone()).collect()),
        );
        let matrix = self.simple(&matrix);
        let right = self.equations.bias.iter().map(|h| pool.neg(*h));
        let right: Matrix = right.chain(gamma).map(|e| vec![e]).collect();
        let solved = pool.solve_linear(&matrix, &right, LARGEST)?;
        let (accelerations, forces) = solved.split_at_checked(n)?;
        Some(Solved {
            accelerations: accelerations
                .iter()
                .map(|row| self.on_constraints(row[0]))
                .collect(),
            multipliers: (forces
                .iter()
                .map(|row| self.on_constraints(pool.neg(row[0]))))
            .collect(),
            determinant: self.on_constraints(self.determinant(&matrix)?),
        })
    }

    fn simple(&self, matrix: &Matrix) -> Matrix {
        let pool = &self.system.pool;
        let row = |row: &Vec<Expr>| row.iter().map(|e| pool.simplify(*e)).collect();
        matrix.iter().map(row).collect()
    }

    /// The determinant of a matrix up to sign; none where a block is too large.
    fn determinant(&self, matrix: &Matrix) -> Option<Expr> {
        let pool = &self.system.pool;
        let blocks = pool.determinant(matrix).blocks.into_iter();
        let factors: Option<Vec<Expr>> = blocks.map(|(_, value)| value).collect();
        Some(pool.product(factors?))
    }

    /// Readable, with f put in as c wherever it stands as it is, and the velocity of what that holds fast as 0.
    fn on_constraints(&self, e: Expr) -> Expr {
        let system = &self.system;
        let pool = &system.pool;
        let e = readable(pool, e);
        let mut known: FxHashMap<Expr, Expr> = FxHashMap::default();
        for c in &system.constraints {
            if pool.size(c.f) > 1 || system.coordinates.iter().any(|own| own.x == c.f) {
                known.insert(c.f, c.c);
            }
            let held = system.coordinates.iter().filter(|own| own.x == c.f);
            known.extend(held.map(|own| (own.v, pool.zero())));
        }
        let put = readable(pool, pool.substitute(e, &known));
        if pool.cost(put) < pool.cost(e) {
            put
        } else {
            e
        }
    }
}
