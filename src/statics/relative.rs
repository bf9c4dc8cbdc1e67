//! Relative equilibria: what rests in the independent coordinates while the constraints move.
//!
//! Constraints f(x; t) = c that prescribe a motion (a hoop turned at a constant rate) leave no place to stay, or
//! linearise with a time in it. Where the closed inverse x_D = g(x_I; t) gives a Lagrangian without t,
//!
//! ```text
//! L_1(x_I, x_I') = L(g, x_I, ...),   dL_1/dt = 0,   Q_1 likewise        shown by algebra, as is that
//! d/dt(dL_1/dx_I') - dL_1/dx_I - Q_1 = 0                               are the equations of motion
//! ```
//!
//! its equilibria, x_I at rest, are those of a system without constraints: minima of the amended potential
//! -L_1(x_I, 0), with the gyroscopic terms of L_1 where that does not decide. (E. J. Routh, Advanced Rigid
//! Dynamics; H. Goldstein, Classical Mechanics, 3rd ed., sections 2.7 and 8.2: Jacobi's integral.)
//!
//! Where a symmetry moves the time (dx = xi(x), dt = 1, see [`frames`]), no inverse is needed, and no chart: with
//! x = exp(t xi) u the Lagrangian is L(u, u' + xi(u)) and the constraints are f(u; t_0) = c at all times, a system
//! without t in as many coordinates, in which every place of the constraint set is seen (the top and the bottom of a
//! hoop too, where the inverse fails). Its equilibria are all that move along xi.
//!
//! Else stability is that of the independent coordinates. Each choice of dependent coordinates sees its own part of
//! the constraint set: a choice whose Lagrangian keeps a t, or whose inverse is not closed, tells nothing.

use super::equilibria::{
    Around, Equilibria, Equilibrium, Frame, Subject, equilibria, put_in_order,
};
use super::numeric::evaluated;
use super::stability::{Linearisation, Reason, Stability};
use crate::expr::{Expr, Number, is_over};
use crate::geometry::binomial;
use crate::mechanics::{Symmetry, frames};
use crate::system::{Constraint, Reduced, System};
use crate::theorem::{Branch, forms, period_of, scattered, within_a_turn};
use nalgebra::{DMatrix, DVector};
use rustc_hash::FxHashMap;

/// Systems of more coordinates than this are not asked: their inverse functions are seldom closed.
const MOST: usize = 8;
/// Choices of dependent coordinates that are looked at.
const CHOICES: usize = 6;
/// Places at which an inverse function is tried against the constraints.
const TRIALS: u64 = 4;
/// How far from the equilibrium they are, in parts of max(1, |x|), and in time.
const TRIED: f64 = 1e-3;
/// What the constraints may miss there, in parts of 1 + |c| + |x|^2.
const MISSED: f64 = 1e-8;
/// Points closer than this part of the region are one.
const SAME: f64 = 1e-6;
/// det J_D below this part of the product of the lengths of its rows: no chart there.
const SINGULAR: f64 = 1e-7;

/// One branch of an inverse whose Lagrangian has no t.
struct Steady<'a> {
    dependent: Vec<usize>,
    independent: Vec<usize>,
    branch: &'a Branch,
    multipliers: &'a [Expr],
    /// L_1 as a system of its own
    system: System,
    /// the multipliers of one-sided constraints in its coordinates
    pushes: Vec<Expr>,
}

fn middle((lo, hi): &(f64, f64)) -> f64 {
    0.5 * (lo + hi)
}

impl Subject<'_> {
    /// Adds the relative equilibria to those found, and what they say of those in whose linearised motion time
    /// remains.
    pub(super) fn add_relative(&self, found: &mut Equilibria) {
        let system = self.system;
        let (n, m) = (system.coordinates.len(), system.constraints.len());
        if !self.equations.rheonomic(system)
            || n > MOST
            || m >= n
            || system.objective
            || !system.velocity_constraints.is_empty()
        {
            return;
        }
        if self.along_a_symmetry(found).is_some() {
            self.tell_unstable(found);
            return;
        }
        for dependent in self.asked_first(n, m) {
            if is_over() {
                return;
            }
            let derived = forms(system, self.equations, &dependent);
            let Some(list) = &derived.in_branches else {
                continue;
            };
            let branches = derived.inverse.branches().iter().filter(|b| b.is_open());
            for (branch, own) in branches.zip(list) {
                let Some(reduced) = own.lagrangian.as_ref().filter(|l| l.agrees) else {
                    continue;
                };
                let independent = &derived.derivation.independent;
                let pushes = self.pushes((&dependent, branch), &own.multipliers);
                let steady = self.steady(reduced.lagrangian, [&reduced.forces, &pushes]);
                let Some((lagrangian, [forces, pushes])) = steady else {
                    continue;
                };
                let region = independent.iter().map(|&k| &found.region[k]);
                let steady = Steady {
                    dependent: dependent.clone(),
                    independent: independent.clone(),
                    branch,
                    multipliers: &own.multipliers,
                    system: system.reduced(Reduced {
                        coordinates: independent.clone(),
                        lagrangian,
                        forces,
                        constraints: Vec::new(),
                        x: region.map(middle).collect(),
                    }),
                    pushes,
                };
                self.resting(&steady, found);
            }
        }
        put_in_order(&mut found.relative);
        self.tell_unstable(found);
    }

    /// The system in a frame that moves along a symmetry, at this time, with the velocities of what rests in it; `None` where no
    /// symmetry moves the time.
    pub(super) fn frame(&self, t: f64, region: &[(f64, f64)]) -> Option<(System, Vec<Expr>)> {
        let mut list = frames(self.system, self.equations).into_iter();
        let symmetry = list.find(|s| self.forces_go_along(&s.displacement))?;
        let frame = self.in_frame(&symmetry, t, region)?;
        Some((frame, symmetry.displacement))
    }

    /// Are the forces the same at all times in the frame that moves by dx = xi(x), dt = 1? Their Lie derivative is zero there:
    ///
    /// ```text
    /// dQ_j/dt + sum_k xi_k dQ_j/dx_k + xi_k' dQ_j/dx_k' + Q_k dxi_k/dx_j = 0
    /// ```
    fn forces_go_along(&self, xi: &[Expr]) -> bool {
        let (system, pool) = (self.system, &self.system.pool);
        let moving = system.coordinates.iter().zip(xi);
        let moving = moving.filter(|(_, xi)| **xi != pool.zero());
        let moved: Vec<Expr> = moving.flat_map(|(c, _)| [c.x, c.v]).collect();
        let moved: Vec<Expr> = moved.into_iter().chain([system.t]).collect();
        let rate = |e: Expr| {
            let parts = system.coordinates.iter();
            pool.sum(parts.map(|c| pool.mul(pool.derivative(e, c.x), c.v)))
        };
        let rates: Vec<Expr> = xi.iter().map(|e| rate(*e)).collect();
        system
            .coordinates
            .iter()
            .zip(&system.forces)
            .all(|(own, &q)| {
                let mut parts = vec![pool.derivative(q, system.t)];
                for (k, c) in system.coordinates.iter().enumerate() {
                    parts.push(pool.mul(xi[k], pool.derivative(q, c.x)));
                    parts.push(pool.mul(rates[k], pool.derivative(q, c.v)));
                    parts.push(pool.mul(system.forces[k], pool.derivative(xi[k], own.x)));
                }
                !pool.may_jump(q, &moved) && pool.is_zero(pool.sum(parts)) == Some(true)
            })
    }

    /// The equilibria in a frame that moves along a symmetry; `None` where there is none that moves the time.
    fn along_a_symmetry(&self, found: &mut Equilibria) -> Option<()> {
        let (frame, rates) = self.frame(found.t, &found.region)?;
        let zero = self.system.pool.zero();
        let around = Around {
            t: frame.start.t,
            centre: found.region.iter().map(middle).collect(),
            region: found.region.iter().copied().enumerate().collect(),
        };
        let own = Subject::alone(&frame, &[], |subject| equilibria(subject, &around));
        let rests: Vec<usize> = (0..rates.len()).filter(|k| rates[*k] == zero).collect();
        found.frame = Some(Frame {
            complete: own.complete(),
            rates,
        });
        found.relative = own.list;
        for e in &mut found.relative {
            e.at_rest = Some(rests.clone());
        }
        Some(())
    }

    /// The system in the frame of a symmetry, at the time of the search.
    fn in_frame(&self, symmetry: &Symmetry, t: f64, region: &[(f64, f64)]) -> Option<System> {
        let system = self.system;
        let pool = &system.pool;
        let mut by: FxHashMap<Expr, Expr> =
            FxHashMap::from_iter([(system.t, pool.number(Number::from_f64(t)?))]);
        for (c, &rate) in system.coordinates.iter().zip(&symmetry.displacement) {
            by.insert(c.v, pool.add(c.v, rate));
        }
        let moved = |e: Expr| pool.substitute(e, &by);
        let constraints = system.constraints.iter().map(|c| Constraint {
            f: moved(c.f),
            c: moved(c.c),
            typed: (moved(c.f), moved(c.c)),
            ..c.clone()
        });
        let own = system.reduced(Reduced {
            coordinates: (0..region.len()).collect(),
            lagrangian: moved(system.lagrangian),
            forces: system.forces.iter().map(|q| moved(*q)).collect(),
            constraints: constraints.collect(),
            x: region.iter().map(middle).collect(),
        });
        Some(System {
            dependent: system.dependent.clone(),
            ..own
        })
    }

    /// Choices of dependent coordinates, the file's first.
    fn asked_first(&self, n: usize, m: usize) -> Vec<Vec<usize>> {
        let mut list: Vec<Vec<usize>> = self.system.dependent.iter().cloned().collect();
        if binomial(n, m) > 1000 {
            return list;
        }
        // the other end of the alphabet of subsets is as good: coordinates that turn come first, as a rule
        for index in 0..2 {
            let x: Vec<f64> = (0..n).map(|k| 3.0 * scattered(index, k) - 1.3).collect();
            let t = self.system.start.t + 0.3;
            let mut choices = self.theorem.choices(self.system, t, &x, &[]).choices;
            choices.sort();
            for choice in choices {
                if !list.contains(&choice) {
                    list.push(choice);
                }
            }
        }
        list.truncate(CHOICES);
        list
    }

    /// The multipliers of one-sided constraints with x_I at rest, in x_I.
    fn pushes(&self, (dependent, branch): (&[usize], &Branch), multipliers: &[Expr]) -> Vec<Expr> {
        let system = self.system;
        let sided = system.one_sided().into_iter();
        let sided: Vec<Expr> = sided.map(|b| multipliers[b]).collect();
        let mut put = system.at_rest();
        let inverse = dependent.iter().zip(&branch.functions);
        put.extend(inverse.map(|(&d, g)| (system.coordinates[d].x, *g)));
        let list = system.pool.substitute_all(&sided, &put);
        system.pool.substitute_all(&list, &self.levels())
    }

    /// What constraints are equal to.
    fn levels(&self) -> FxHashMap<Expr, Expr> {
        let constraints = self.system.constraints.iter();
        constraints.map(|c| (c.level, c.c)).collect()
    }

    /// L_1, Q_1 and the multipliers that must push without t, where they have none.
    fn steady(&self, lagrangian: Expr, lists: [&[Expr]; 2]) -> Option<(Expr, [Vec<Expr>; 2])> {
        let pool = &self.system.pool;
        let t = self.system.t;
        let mut all = vec![lagrangian];
        all.extend(lists.concat());
        for e in &mut all {
            if !pool.symbols_of(*e).contains(&t) {
                continue;
            }
            if !pool.is_free_of(*e, &[t]) {
                return None;
            }
            // the same at all times: at this one it is short
            *e = pool.without(*e, &[t]);
        }
        let (lagrangian, rest) = all.split_first()?;
        let (forces, pushes) = rest.split_at(lists[0].len());
        Some((*lagrangian, [forces.to_vec(), pushes.to_vec()]))
    }

    /// The equilibria of a reduced Lagrangian, as positions of the whole system.
    fn resting(&self, steady: &Steady, found: &mut Equilibria) {
        let sides = steady.independent.iter().map(|&k| found.region[k]);
        let region: Vec<(usize, (f64, f64))> = sides.enumerate().collect();
        let reduced = &steady.system;
        let around = Around {
            t: reduced.start.t,
            centre: region.iter().map(|(_, side)| middle(side)).collect(),
            region,
        };
        let own = Subject::alone(reduced, &steady.pushes, |own| equilibria(own, &around));
        // what does not move is asked to be in the box; angles have been looked at for a turn
        let still = steady.dependent.iter().zip(&steady.branch.functions);
        let still =
            still.filter(|(_, g)| !self.system.pool.symbols_of(**g).contains(&self.system.t));
        let still: Vec<usize> = still.map(|(d, _)| *d).collect();
        let inside = |x: &[f64]| {
            still.iter().all(|&k| {
                let (lo, hi) = found.region[k];
                let slack = SAME * (hi - lo);
                period_of(&found.periods, k).is_some() || (lo - slack..=hi + slack).contains(&x[k])
            })
        };
        for e in own.list {
            let Some(e) = self.whole(steady, e, found.t) else {
                continue;
            };
            let apart = |other: &Equilibrium| {
                let sides = other.x.iter().zip(&e.x).zip(&found.region);
                sides.enumerate().any(|(k, ((a, b), (lo, hi)))| {
                    let off = within_a_turn(a - b, period_of(&found.periods, k));
                    off.abs() > SAME * (hi - lo)
                })
            };
            if inside(&e.x) && found.relative.iter().all(apart) {
                found.relative.push(e);
            }
        }
    }

    /// An equilibrium of the reduced system as one of the whole; `None` where the inverse does not hold.
    fn whole(&self, steady: &Steady, e: Equilibrium, t: f64) -> Option<Equilibrium> {
        let system = self.system;
        let n = system.coordinates.len();
        let x = self.place(steady, &e.x, t)?;
        // the branch is the right one here, and near by too
        for index in 0..TRIALS {
            let near: Vec<f64> =
                e.x.iter()
                    .enumerate()
                    .map(|(k, v)| v + TRIED * v.abs().max(1.0) * (2.0 * scattered(index, k) - 1.0))
                    .collect();
            let then = t + TRIED * (scattered(index, n) - 0.5);
            self.place(steady, &near, then)?;
        }
        let jacobian = self.theorem.local(system, t, &x, &[]).value;
        let block = jacobian.select_columns(&steady.dependent);
        let lengths: f64 = block.row_iter().map(|row| row.norm()).product();
        let volume = block.determinant().abs();
        if !volume.is_finite() || volume <= SINGULAR * lengths {
            return None;
        }
        // B = [-J_D^-1 J_I; 1]
        let slopes = block.try_inverse()? * jacobian.select_columns(&steady.independent);
        let mut onto = DMatrix::zeros(n, steady.independent.len());
        for (place, &k) in steady.independent.iter().enumerate() {
            onto[(k, place)] = 1.0;
        }
        for (row, &d) in steady.dependent.iter().enumerate() {
            for place in 0..steady.independent.len() {
                onto[(d, place)] = -slopes[(row, place)];
            }
        }
        let lambda = self.steady_multipliers(steady, &x, t)?;
        let reaction = jacobian.transpose() * &lambda;
        let mut verdict = e.verdict;
        for mode in &mut verdict.modes {
            let part = |of: fn(&(f64, f64)) -> f64| {
                let shape = DVector::from_iterator(mode.shape.len(), mode.shape.iter().map(of));
                &onto * shape
            };
            let (re, im) = (part(|p| p.0), part(|p| p.1));
            let top = re
                .iter()
                .zip(im.iter())
                .map(|(a, b)| a.hypot(*b))
                .fold(0.0, f64::max);
            let pairs = re.iter().zip(im.iter());
            mode.shape = pairs
                .map(|(a, b)| {
                    if top > 0.0 {
                        (a / top, b / top)
                    } else {
                        (*a, *b)
                    }
                })
                .collect();
        }
        verdict.linearisation = Linearisation {
            basis: &onto * &verdict.linearisation.basis,
            ..verdict.linearisation
        };
        Some(Equilibrium {
            x,
            multipliers: lambda.iter().copied().collect(),
            reaction: reaction.iter().copied().collect(),
            proof: e.proof,
            along: e.along.map(|along| {
                along.moved(|own| {
                    (&onto * DVector::from_column_slice(own))
                        .iter()
                        .copied()
                        .collect()
                })
            }),
            released: Vec::new(),
            at_rest: Some(steady.independent.clone()),
            verdict,
        })
    }

    /// x_D = g(x_I; t) with x_I; `None` where that misses the constraints.
    fn place(&self, steady: &Steady, own: &[f64], t: f64) -> Option<Vec<f64>> {
        let system = self.system;
        let pool = &system.pool;
        let mut x = vec![0.0; system.coordinates.len()];
        for (&k, &v) in steady.independent.iter().zip(own) {
            x[k] = v;
        }
        let functions = pool.substitute_all(&steady.branch.functions, &self.levels());
        let values = evaluated(system, &functions, t, &x);
        for (&d, &v) in steady.dependent.iter().zip(&values) {
            x[d] = v;
        }
        let missed: Vec<Expr> = system.residuals().collect();
        let size = 1.0 + x.iter().map(|v| v * v).sum::<f64>();
        let levels = system.constraints.iter().map(|c| c.c_value.abs());
        let size = size + levels.fold(0.0, f64::max);
        let missed = evaluated(system, &missed, t, &x);
        let holds = missed.iter().all(|r| r.abs() <= MISSED * size);
        (holds && x.iter().all(|v| v.is_finite())).then_some(x)
    }

    /// lambda with x_I at rest.
    fn steady_multipliers(&self, steady: &Steady, x: &[f64], t: f64) -> Option<DVector<f64>> {
        let system = self.system;
        let pool = &system.pool;
        let still = system.at_rest();
        let list = pool.substitute_all(steady.multipliers, &still);
        let values = evaluated(system, &list, t, x);
        let finite = values.iter().all(|v| v.is_finite());
        finite.then(|| DVector::from_vec(values))
    }

    /// Where the independent coordinates leave a place, so does the system. The converse is not said: the
    /// dependent ones may grow with time.
    fn tell_unstable(&self, found: &mut Equilibria) {
        let n = self.system.coordinates.len();
        for e in &mut found.list {
            if e.verdict.stability != Stability::Degenerate(Reason::Time) {
                continue;
            }
            let unstable = found.relative.iter().find(|r| {
                let near = (0..n).all(|k| {
                    let (lo, hi) = found.region[k];
                    (r.x[k] - e.x[k]).abs() <= SAME * (hi - lo)
                });
                near && r.verdict.stability.is_unstable()
            });
            if let Some(r) = unstable {
                e.verdict.stability = r.verdict.stability;
            }
        }
    }
}
