//! The force of each constraint as a column: lambda |grad f|, of the names of the file.
//!
//! ```text
//! F_b   = lambda_b |df_b/dx|        along df_b/dx, so negative where the constraint pulls towards smaller f_b
//! F_b,B = lambda_b  df_b/dr_B       on a body B whose position r_B is made of coordinates themselves
//! ```
//!
//! For velocity constraints A_j stands in the place of df_b/dx. With Cartesian lengths as coordinates that is a
//! force in the units of the file; where angles are among them it is one of those of bodies.

use super::Builder;
use crate::expr::Expr;
use crate::system::{Body, Constraint, Coordinate, Named, VelocityConstraint};

/// The components of a position.
const AXES: [&str; 3] = ["x", "y", "z"];

impl Builder<'_> {
    /// The columns, and names for them that the file has given to something else.
    pub fn force_columns(
        &self,
        (coordinates, bodies): (&[Coordinate], &[Body]),
        constraints: &[Constraint],
        velocity: &[VelocityConstraint],
    ) -> (Vec<Named>, Vec<String>) {
        let pool = &self.pool;
        let zero = pool.zero();
        let index = |e: Expr| coordinates.iter().position(|c| c.x == e);
        let places: Vec<(&Body, Vec<usize>)> = bodies
            .iter()
            .filter_map(|body| {
                let at = body.at.iter().map(|&e| index(e)).collect::<Option<_>>()?;
                Some((body, at))
            })
            .collect();
        let own = constraints.iter().map(|c| {
            let gradient = coordinates.iter().map(|x| pool.derivative(c.f, x.x));
            (c.name.as_str(), c.multiplier, gradient.collect::<Vec<_>>())
        });
        let others = velocity.iter();
        let others = others.map(|c| (c.name.as_str(), c.multiplier, c.row.clone()));
        let mut columns: Vec<Named> = Vec::new();
        let mut taken = Vec::new();
        let mut add = |name: String, expr: Expr| {
            if self.table.knows(&name) {
                taken.push(name);
            } else if !columns.iter().any(|known| known.name == name) {
                columns.push(Named { name, expr });
            }
        };
        let length = |list: &[Expr]| {
            let there = list.iter().filter(|e| **e != zero);
            pool.sqrt(pool.sum(there.map(|&e| pool.powi(e, 2))))
        };
        for (name, multiplier, gradient) in own.chain(others) {
            let whole = pool.mul(multiplier, length(&gradient));
            add(format!("F_{name}"), whole);
            for (body, places) in &places {
                let there: Vec<Expr> = places.iter().map(|&k| gradient[k]).collect();
                if there.iter().all(|e| *e == zero) {
                    continue;
                }
                let name = format!("F_{name}_{}", body.name);
                add(name.clone(), pool.mul(multiplier, length(&there)));
                for (axis, e) in AXES.iter().zip(there) {
                    add(format!("{name}_{axis}"), pool.mul(multiplier, e));
                }
            }
        }
        (columns, taken)
    }
}
