//! A pitchfork that a reflection explains, where no equation is a product.
//!
//! Let a reflection S turn the signs of x_k - c_k for k in K, and of some multipliers, and those of some equations with them, by algebra.
//! In a box that S maps to itself let the equations but one, i, of those that change their sign have exactly one solution u(s, p)
//! for every s = x_j - c_j and p in it, j in K (interval Newton). On it equation i is an odd function g = s k(s^2, p). Where
//!
//! ```text
//! g_sp /= 0,  g_sss /= 0              in all of the box
//! g_s(0, p)                           of both signs at the ends of p
//! ```
//!
//! k grows or falls with p and with s^2, so that its zeros are a curve p = pi(s^2) which crosses s = 0 upright: a pitchfork. As
//! det dG/dz = +-det(M) g_s with M = dG_-i/du regular, and g_s = s k_s /= 0 on that curve, no other point of the box is singular.
//! The derivatives of u solve linear systems with M.

use super::certified::{Change, Ground};
use crate::expr::{Expr, Interval, Pool, SymbolKind};
use crate::interval::{Equations, Newton, Scratch};
use crate::statics::enclosed::Enclosed;
use nalgebra::DMatrix;
use rustc_hash::FxHashMap;

/// Reflections of more coordinates than this are not looked for.
const MOST: usize = 6;
/// How often a box is made twice as wide until all solutions stay in it.
const WIDENED: usize = 24;
/// How often the range of the parameter is halved.
const HALVED: usize = 60;

/// The equations about a point that a reflection leaves where it is.
struct Reflected<'a> {
    pool: &'a Pool,
    rounded: &'a [(Expr, Interval)],
    /// of x - c, p, and the multipliers
    unknowns: Vec<Expr>,
    equations: Vec<Expr>,
    /// which unknowns change their sign, and which equations
    flips: Vec<bool>,
    odd: Vec<bool>,
    /// the place of p
    p: usize,
}

/// Which unknown leads along the branch, and which equation is left over.
struct Reduced<'a> {
    own: &'a Reflected<'a>,
    j: usize,
    i: usize,
    /// the other unknowns but p, the other equations
    u: Vec<usize>,
    rows: Vec<usize>,
    slopes: Equations,
    /// dG/ds, dG/dp, and what is to be solved for the derivatives ss, sp and sss
    levels: [Equations; 5],
}

/// Where an unknown is turned about, exactly and enclosed.
#[derive(Clone, Copy)]
struct Centre {
    unknown: usize,
    exact: Expr,
    enclosed: Interval,
}

impl Ground<'_> {
    /// The values of parameter and coordinates of the one singular point near what was not decided, a pitchfork; `None`
    /// where that is not proven.
    pub(super) fn forked(&self, reach: f64, change: &Change) -> Option<(Interval, Vec<Interval>)> {
        let pool = self.pool;
        let (n, part) = (self.curve.n, self.about(reach, change)?);
        let pi = pool.pi();
        let centres = [
            (pool.zero(), Interval::ZERO),
            (pi, Interval::PI),
            (pool.neg(pi), Interval::PI.neg()),
        ];
        let near = (0..n).filter_map(|k| {
            let at = centres.iter();
            let mut at = at.filter(|(_, c)| !c.meet(change.x()[k]).is_empty());
            at.next().map(|&(exact, enclosed)| Centre {
                unknown: k,
                exact,
                enclosed,
            })
        });
        let near: Vec<Centre> = near.take(MOST).collect();
        (1..1_usize << near.len()).rev().find_map(|set| {
            let chosen = near.iter().enumerate();
            let chosen = chosen.filter(|(bit, _)| set >> bit & 1 == 1);
            let chosen: Vec<Centre> = chosen.map(|(_, c)| *c).collect();
            let mut region = part.clone();
            for c in &chosen {
                region[c.unknown] = region[c.unknown].sub(c.enclosed);
            }
            let (p, mut x) = self.reflected(&chosen)?.fork(&region)?;
            for c in &chosen {
                x[c.unknown] = c.enclosed;
            }
            Some((p, x))
        })
    }

    /// The equations about these centres; `None` where the reflection there does not keep them.
    fn reflected(&self, chosen: &[Centre]) -> Option<Reflected<'_>> {
        let (n, pool) = (self.curve.n, self.pool);
        let unknowns = self.unknowns();
        let shift = chosen.iter();
        let shift = shift.map(|c| (unknowns[c.unknown], pool.add(unknowns[c.unknown], c.exact)));
        let shift: FxHashMap<Expr, Expr> = shift.collect();
        let shifted = pool.substitute_all(&self.equations, &shift);
        let equations: Vec<Expr> = shifted.iter().map(|e| pool.simplify(*e)).collect();
        let mut flips = vec![false; unknowns.len()];
        let mut by: FxHashMap<Expr, Expr> = FxHashMap::default();
        for &Centre { unknown: k, .. } in chosen {
            flips[k] = true;
            by.insert(unknowns[k], pool.neg(unknowns[k]));
        }
        let zero = |e: Expr| pool.is_zero(pool.simplify(e)) == Some(true);
        let mut odd = flips[..n].to_vec();
        for (b, &e) in equations.iter().enumerate().skip(n) {
            let there = pool.substitute(e, &by);
            let is_odd = !zero(pool.sub(there, e));
            if is_odd && !zero(pool.add(there, e)) {
                return None;
            }
            odd.push(is_odd);
            if is_odd {
                // the multiplier of a constraint of this place, after p
                flips[b + 1] = true;
            }
        }
        for (unknown, _) in unknowns.iter().zip(&flips).skip(n + 1).filter(|own| *own.1) {
            by.insert(*unknown, pool.neg(*unknown));
        }
        let kept = equations.iter().zip(&odd).take(n).all(|(e, odd)| {
            let there = pool.substitute(*e, &by);
            let there = if *odd { pool.neg(there) } else { there };
            zero(pool.sub(there, *e))
        });
        kept.then_some(Reflected {
            pool,
            rounded: &self.rounded,
            unknowns,
            equations,
            flips,
            odd,
            p: n,
        })
    }
}

impl Reflected<'_> {
    fn over(&self, list: &[Expr]) -> Equations {
        Equations::new(self.pool, &self.unknowns, self.rounded, list)
    }

    /// The pitchfork in a box, of x - c, p and the multipliers, and nothing else that is singular: p and x - c.
    fn fork(&self, region: &[Interval]) -> Option<(Interval, Vec<Interval>)> {
        let mut region = region.to_vec();
        for (side, _) in region.iter_mut().zip(&self.flips).filter(|own| *own.1) {
            let reach = side.magnitude();
            *side = Interval::new(-reach, reach);
        }
        let slopes = self.over(&self.equations);
        let there = slopes.jacobian(&region, &mut Scratch::default()).0;
        let size = self.equations.len();
        let leading = (0..self.p).filter(|k| self.flips[*k]);
        let pairs = leading.flat_map(|j| (0..size).map(move |i| (j, i)));
        let mut pairs = pairs.filter(|(_, i)| self.odd[*i]);
        pairs.find_map(|(j, i)| {
            let u: Vec<usize> = (0..=size).filter(|k| *k != j && *k != self.p).collect();
            let rows: Vec<usize> = (0..size).filter(|row| *row != i).collect();
            if !there.block(&rows, &u).is_regular() {
                return None;
            }
            let levels = self.levels(j, &u);
            let reduced = Reduced {
                own: self,
                j,
                i,
                u,
                rows,
                slopes: slopes.clone(),
                levels,
            };
            reduced.fork(&region)
        })
    }

    /// G_s, G_p, and of G_ss, G_sp and G_sss along u what is there beside the highest derivative of u. The derivatives
    /// u_s, u_p, u_ss and u_sp are variables, in this order after the unknowns.
    fn levels(&self, j: usize, u: &[usize]) -> [Equations; 5] {
        let pool = self.pool;
        let name = |k: usize| {
            // names that no file can use
            pool.symbol(&format!("u#{k}"), SymbolKind::Other(usize::MAX / 5 - k))
        };
        let count = u.len();
        let [u_s, u_p, u_ss, u_sp] = [0, 1, 2, 3].map(|part| {
            (0..count)
                .map(|k| name(part * count + k))
                .collect::<Vec<_>>()
        });
        let of_u: Vec<Expr> = u.iter().map(|k| self.unknowns[*k]).collect();
        let along = |list: &[Expr], first: Expr, pairs: &[(&[Expr], &[Expr])]| -> Vec<Expr> {
            let derived = |e: &Expr| {
                let mut parts = vec![pool.derivative(*e, first)];
                for (of, by) in pairs {
                    let terms = of.iter().zip(*by);
                    parts.extend(terms.map(|(v, dv)| pool.mul(pool.derivative(*e, *v), *dv)));
                }
                pool.sum(parts)
            };
            list.iter().map(derived).collect()
        };
        let (s, p) = (self.unknowns[j], self.unknowns[self.p]);
        let first = along(&self.equations, s, &[(&of_u, &u_s)]);
        let second = along(&first, s, &[(&of_u, &u_s), (&u_s, &u_ss)]);
        let lists = [
            along(&self.equations, s, &[]),
            along(&self.equations, p, &[]),
            along(&first, s, &[(&of_u, &u_s)]),
            along(&first, p, &[(&of_u, &u_p)]),
            along(&second, s, &[(&of_u, &u_s), (&u_s, &u_ss)]),
        ];
        let known = [&u_s, &u_p, &u_ss, &u_sp].into_iter().flatten();
        let inputs: Vec<Expr> = self.unknowns.iter().chain(known).copied().collect();
        lists.map(|list| Equations::of_values(pool, &inputs, self.rounded, &list))
    }
}

impl Reduced<'_> {
    fn fork(&self, region: &[Interval]) -> Option<(Interval, Vec<Interval>)> {
        let mut work = Scratch::default();
        let others: Vec<Expr> = self.rows.iter().map(|i| self.own.equations[*i]).collect();
        let others = self.own.over(&others);
        // as wide as all solutions over s and p are
        let mut wide = region.to_vec();
        let mut box_of = None;
        for _ in 0..WIDENED {
            let mut narrowed = wide.clone();
            if others.newton(&mut narrowed, &self.u, &mut work) == Newton::Unique {
                box_of = Some(narrowed);
                break;
            }
            for &k in &self.u {
                let reach = wide[k].width().max(region[self.j].width());
                wide[k] = wide[k].add(Interval::new(-0.5 * reach, 0.5 * reach));
            }
        }
        let narrowed = box_of?;
        let all = self.derivatives(&narrowed, 5)?;
        let (sp, sss) = (*all.get(3)?, *all.get(4)?);
        if sp.contains(0.0) || sss.contains(0.0) {
            return None;
        }
        let p = self.own.p;
        // g_s(0, p): what changes its sign is zero there
        let mut at = |side: Interval| {
            let mut at = narrowed.clone();
            for (side, _) in at.iter_mut().zip(&self.own.flips).filter(|own| *own.1) {
                *side = Interval::ZERO;
            }
            at[p] = side;
            for _ in 0..3 {
                others.newton(&mut at, &self.u, &mut work);
            }
            at
        };
        let mut sign = |v: f64| {
            let slope = *self.derivatives(&at(Interval::point(v)), 1)?.first()?;
            (!slope.contains(0.0)).then_some(slope.lo > 0.0)
        };
        let (mut lo, mut hi) = (region[p].lo, region[p].hi);
        let low = sign(lo)?;
        if sign(hi)? == low {
            return None;
        }
        for _ in 0..HALVED {
            let middle = f64::midpoint(lo, hi);
            match sign(middle) {
                Some(same) if same == low => lo = middle,
                Some(_) => hi = middle,
                None => break,
            }
        }
        let found = at(Interval::new(lo, hi));
        Some((found[p], found[..p].to_vec()))
    }

    /// g_s, g_p, g_ss, g_sp and g_sss over a box, the first so many of them.
    fn derivatives(&self, at: &[Interval], count: usize) -> Option<Vec<Interval>> {
        let mut work = Scratch::default();
        let (slopes, smooth) = self.slopes.jacobian(at, &mut work);
        let size = self.u.len();
        let matrix = DMatrix::from_fn(size, size, |row, column| {
            slopes.at(self.rows[row], self.u[column])
        });
        let matrix = Enclosed::new(&matrix).filter(|_| smooth)?;
        let mut inputs = at.to_vec();
        inputs.resize(at.len() + 4 * size, Interval::ALL);
        let mut found = Vec::new();
        for (level, equations) in self.levels.iter().take(count).enumerate() {
            let (values, smooth) = equations.values(&inputs, &mut work);
            if !smooth {
                return None;
            }
            let right = DMatrix::from_fn(size, 1, |row, _| values[self.rows[row]]);
            let right = Enclosed::new(&right)?;
            let solved = matrix.solve(&right)?.neg();
            let last = self
                .u
                .iter()
                .enumerate()
                .fold(values[self.i], |sum, (k, u)| {
                    sum.add(slopes.at(self.i, *u).mul(solved.at(k, 0)))
                });
            found.push(last);
            if level < 4 {
                for k in 0..size {
                    inputs[at.len() + level * size + k] = solved.at(k, 0);
                }
            }
        }
        Some(found)
    }
}
