//! Claims on equilibria: the zeros of the equations of statics, face by face of what the multipliers may be.

use super::steps::{Prover, Root, apart};
use super::{BOXES, is_near, numbers, one_turn, told, written, zeros};
use crate::analysis::Model;
use crate::expr::{Expr, Interval, Number};
use crate::interval::{Equations, Region};
use crate::statics::{Equilibria, Equilibrium};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

/// The equations of statics in coordinates, mu and u.
pub(super) struct Statics<'a> {
    model: &'a Model,
    found: &'a Equilibria,
    equations: Vec<Expr>,
    x: Vec<Expr>,
    /// mu and u
    multipliers: Vec<Expr>,
    rounded: Vec<(Expr, Interval)>,
    region: Region,
    scale: i64,
}

impl<'a> Statics<'a> {
    pub(super) fn new(model: &'a Model, found: &'a Equilibria, scale: i64) -> Self {
        let system = &model.system;
        let pool = &system.pool;
        let (exact, rounded) = numbers(model, found.t);
        let still: FxHashMap<Expr, Expr> = system
            .coordinates
            .iter()
            .map(|c| (c.v, pool.zero()))
            .collect();
        let minus = Number::from(-scale);
        let mu = pool.symbol("mu#", crate::expr::SymbolKind::Other(usize::MAX / 2));
        let u: Vec<Expr> = system.multipliers().collect();
        let x: Vec<Expr> = system.coordinates.iter().map(|c| c.x).collect();
        let mut equations: Vec<Expr> = system
            .constraints
            .iter()
            .map(|c| pool.sub(c.f, c.c))
            .collect();
        equations.extend(system.velocity_constraints.iter().map(|c| c.b));
        let mut rows: Vec<Vec<Expr>> = (system.constraints.iter())
            .map(|c| x.iter().map(|x| pool.derivative(c.f, *x)).collect())
            .collect();
        rows.extend(system.velocity_constraints.iter().map(|c| c.row.clone()));
        for (k, c) in system.coordinates.iter().enumerate() {
            let l = system.lagrangian;
            let inertia = pool.derivative(pool.derivative(l, c.v), system.t);
            let force = pool.sub(pool.sub(inertia, pool.derivative(l, c.x)), system.forces[k]);
            let mut terms = vec![pool.mul(mu, pool.substitute(force, &still))];
            terms.extend(
                rows.iter()
                    .zip(&u)
                    .map(|(row, u)| pool.scale(pool.mul(*u, row[k]), &minus)),
            );
            equations.push(pool.sum(terms));
        }
        let equations = pool.substitute_all(&equations, &exact);
        let region = one_turn(&found.periods, &found.region);
        Self {
            model,
            found,
            equations,
            x,
            multipliers: [vec![mu], u].concat(),
            rounded,
            region,
            scale,
        }
    }

    /// The equations of a face, its unknowns, and how many of them are coordinates; `None` where they are not as many.
    fn face(&self, number: usize) -> Option<(Equations, Vec<usize>, usize)> {
        let pool = &self.model.system.pool;
        let by = FxHashMap::from_iter([(self.multipliers[number], pool.one())]);
        let mut list = pool.substitute_all(&self.equations, &by);
        list.retain(|e| *e != pool.zero());
        let present = |u: &Expr| list.iter().any(|e| pool.symbols_of(*e).contains(u));
        let own: Vec<usize> = (0..self.x.len()).filter(|k| present(&self.x[*k])).collect();
        let mut unknowns: Vec<Expr> = own.iter().map(|k| self.x[*k]).collect();
        let others = self.multipliers.iter().enumerate();
        let others = others
            .filter(|(place, _)| *place != number)
            .map(|(_, u)| *u);
        let others: Vec<Expr> = others.collect();
        if !others.iter().all(present) {
            return None;
        }
        unknowns.extend(&others);
        let count = own.len();
        Some((
            Equations::new(pool, &unknowns, &self.rounded, &list),
            own,
            count,
        ))
    }

    fn sides_of(&self, own: &[usize]) -> Region {
        let mut region: Region = own.iter().map(|k| self.region[*k]).collect();
        let others = self.multipliers.len() - 1;
        region.extend((0..others).map(|_| Interval::new(-1.0, 1.0)));
        region
    }

    /// That there are these and no others.
    pub(super) fn all(&self, proven: &[&Equilibrium]) -> Option<Value> {
        let (mut faces, mut places) = (Vec::new(), Vec::<Region>::new());
        let mut seen = vec![false; proven.len()];
        for number in 0..self.multipliers.len() {
            let (equations, own, count) = self.face(number)?;
            let region = self.sides_of(&own);
            let mut prover = Prover::new(&equations, &region, Vec::new(), BOXES);
            if equations.len() == region.len() {
                prover = prover.finding();
            }
            if !prover.run() {
                return None;
            }
            for root in &prover.roots {
                // where mu may be zero the gradients may be dependent
                let mu = root.alone.get(count).copied();
                if number > 0 && mu.is_none_or(|mu| mu.contains(0.0)) {
                    return None;
                }
                let outside = apart(&root.at, &region);
                let mut known = false;
                for (seen, e) in seen.iter_mut().zip(proven) {
                    if self.is_at(root, &own, e) {
                        (*seen, known) = (true, true);
                    }
                }
                let place = root.at[..count].to_vec();
                if !known && !outside || places.iter().any(|other| !apart(other, &place)) {
                    return None;
                }
                places.push(place);
            }
            faces.push(told(&prover, Some(number)));
        }
        let every = seen.iter().all(|seen| *seen);
        every.then(|| self.claim(true, &faces))
    }

    fn is_at(&self, root: &Root, own: &[usize], e: &Equilibrium) -> bool {
        let (x, region) = (own.iter().map(|k| e.x[*k]), self.sides_of(own));
        is_near(
            root,
            (own, &x.collect::<Vec<_>>()),
            &self.found.periods,
            &region,
        )
    }

    /// A claim on the faces, as far as they are shown.
    fn claim(&self, complete: bool, faces: &[Value]) -> Value {
        zeros(
            ("equilibria", json!(written(self.found.t))),
            &self.region,
            complete,
            faces,
            json!({"scale": self.scale.to_string()}),
        )
    }

    /// Those that can be shown one by one, and how many cannot.
    pub(super) fn each(&self, proven: &[&Equilibrium]) -> (Option<Value>, usize) {
        let mut faces = Vec::new();
        let mut missing = proven.len();
        for number in 0..self.multipliers.len() {
            let Some((equations, own, count)) = self.face(number) else {
                continue;
            };
            let region = self.sides_of(&own);
            if equations.len() != region.len() {
                continue;
            }
            let mut prover = Prover::new(&equations, &region, Vec::new(), BOXES);
            for e in proven {
                let values: Vec<f64> = [1.0].iter().chain(&e.multipliers).copied().collect();
                let Some(largest) = (0..values.len())
                    .max_by(|a, b| values[*a].abs().total_cmp(&values[*b].abs()).then(b.cmp(a)))
                else {
                    continue;
                };
                if largest != number || values.len() != self.multipliers.len() {
                    continue;
                }
                let others = (0..values.len()).filter(|place| *place != number);
                let others = others.map(|place| values[place] / values[number]);
                let point: Vec<f64> = own.iter().map(|k| e.x[*k]).chain(others).collect();
                let before = prover.roots.len();
                let alone = prover.add_near(&point) && prover.roots.len() > before;
                let mu = prover.roots.last().and_then(|root| root.alone.get(count));
                if alone && number > 0 && mu.is_none_or(|mu| mu.contains(0.0)) {
                    prover.roots.pop();
                } else if alone {
                    missing -= 1;
                }
            }
            if !prover.roots.is_empty() {
                faces.push(told(&prover, Some(number)));
            }
        }
        let any = !faces.is_empty();
        let claim = any.then(|| self.claim(false, &faces));
        (claim, missing)
    }
}
