//! The equations of motion in the independent coordinates alone, branch by branch.
//!
//! x_D = g(c, x_I; t) and its time derivatives go into the reduced equations and the multipliers. They
//! also go into the Lagrangian (NRL Memorandum Report 6001, section 5):
//!
//! ```text
//! L_1(x_I, x_I', t) = L,    Q_1,k = Q_k + sum_D Q_D dg_D/dx_k
//! d/dt(dL_1/dx_k') - dL_1/dx_k - Q_1,k = 0
//! ```
//!
//! These are the same equations; that they are is shown by algebra each time. L_1 may keep what L does
//! not: without t in it, H_1 = x_I' . dL_1/dx_I' - L_1 is conserved where Q_1 does no work.

use super::everywhere::drift;
use super::inverse::{Branch, Condition, Relation, undone};
use crate::expr::{Expr, Function, Node, Number, Pool};
use crate::mechanics::{Derivation, Eliminated, Written, apart, equation, readable};
use crate::system::{Coordinate, System};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::slice;

/// Equations longer than this are not given: nobody reads them.
const LARGEST: usize = 4_000;

/// The equations on one branch of the inverse.
#[derive(Clone, Debug)]
pub struct InBranch {
    /// Where the branch is the right one.
    pub conditions: Vec<Condition>,
    /// One an independent coordinate, zero along every motion.
    pub equations: Vec<Expr>,
    /// lambda, one a constraint.
    pub multipliers: Vec<Expr>,
    /// L_1; `None` where it is too long to be read.
    pub lagrangian: Option<Reduced>,
}

/// The Lagrangian in the independent coordinates alone.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// L_1.
    pub lagrangian: Expr,
    /// Q_1, one an independent coordinate.
    pub forces: Vec<Expr>,
    /// Are its Euler-Lagrange equations shown to be the reduced equations with g put in?
    pub agrees: bool,
    /// H_1, where it is conserved.
    pub energy: Option<Expr>,
    /// dL_1/dx_k' by coordinate, where x_k is not in L_1 and no force acts on it.
    pub momenta: Vec<(usize, Expr)>,
}

/// Equations of more operations are tried in two ways.
const LONG: u32 = 60;

/// Puts the inverse functions into a derivation; `None` where there is no closed form or it is too long.
pub fn independent_equations(
    system: &System,
    derivation: &Derivation,
    eliminated: Option<&Eliminated>,
    branches: &[Branch],
) -> Option<Vec<InBranch>> {
    // with the dependent velocities gone there is less to put in
    let (reduced, multipliers) = match eliminated {
        Some(e) => (&e.equations, &e.multipliers),
        None => (
            derivation.reduced.as_ref()?,
            derivation.multipliers.as_ref()?,
        ),
    };
    if branches.is_empty() || turns_matter(system, derivation, branches).is_some() {
        return None;
    }
    let pool = &system.pool;
    let mut all: Vec<InBranch> = Vec::new();
    let mut known: Vec<Vec<Expr>> = Vec::new();
    let raw = RefCell::default();
    for branch in branches.iter().filter(|b| b.is_open()) {
        let mut by = dependent_values(system, derivation, eliminated, branch)?;
        put_signs(pool, &branch.conditions, &mut by);
        let values = derivation.dependent.iter();
        let values: Vec<Expr> = values
            .filter_map(|&k| by.get(&system.coordinates[k].x).copied())
            .collect();
        let like = known.iter().zip(&all).find_map(|(other, done)| {
            let roots = turned_roots(pool, other, &values)?;
            Some(Like { done, roots })
        });
        let book = Book {
            pool,
            like,
            raw: &raw,
        };
        let written = || eliminated.and_then(|own| own.written(system));
        let put = |list: &[Expr], part: fn(&InBranch) -> &[Expr], tidy: fn(&Written) -> &[Expr]| {
            let raw = pool.substitute_all(list, &by).into_iter().enumerate();
            raw.map(|(place, e)| {
                let known = book.there(|b| part(b).get(place).copied());
                let e = book.written(known, undone(pool, e), |e| {
                    let whole = equation(system, e);
                    // a long one may be shorter made from what is tidy already
                    if pool.cost(whole).operations > LONG
                        && let Some(tidy) = written().and_then(|w| tidy(w).get(place))
                    {
                        let other = equation(system, undone(pool, pool.substitute(*tidy, &by)));
                        if pool.cost(other) < pool.cost(whole) {
                            return other;
                        }
                    }
                    whole
                });
                (pool.size(e) <= LARGEST).then_some(e)
            })
            .collect::<Option<Vec<Expr>>>()
        };
        let mut equations = put(reduced, |b| &b.equations, |w| &w.equations)?;
        let multipliers = put(multipliers, |b| &b.multipliers, |w| &w.multipliers)?;
        // an inverse off y = c alone: J_D is singular everywhere on the constraints
        let mut own = equations.iter().chain(&multipliers);
        if own.any(|e| pool.is_undefined(*e)) {
            continue;
        }
        let lagrangian = reduced_lagrangian(system, derivation, &by, &book, &mut equations);
        all.push(InBranch {
            conditions: branch.conditions.clone(),
            equations,
            multipliers,
            lagrangian,
        });
        known.push(values);
    }
    (!all.is_empty()).then_some(all)
}

/// A branch that was done already, and the roots with whose other sign its inverse functions are those
/// of the branch at hand: so are, as a rule, the equations.
struct Like<'a> {
    done: &'a InBranch,
    roots: Vec<Expr>,
}

/// How expressions were written on the branches before, for the one at hand.
struct Book<'a> {
    pool: &'a Pool,
    like: Option<Like<'a>>,
    /// What came out of substitution, and how it was written.
    raw: &'a RefCell<FxHashMap<Expr, Expr>>,
}

impl Book<'_> {
    /// What stands at this place on the branch that is like the one at hand.
    fn there(&self, place: impl Fn(&InBranch) -> Option<Expr>) -> Option<Expr> {
        place(self.like.as_ref()?.done)
    }

    /// `e`, written as it was on the branch before with its roots turned, where that is shown to be the
    /// same; else written anew.
    fn written(&self, known: Option<Expr>, e: Expr, anew: impl FnOnce(Expr) -> Expr) -> Expr {
        let before = self.raw.borrow().get(&e).copied();
        let written = before
            .or_else(|| self.turned(e))
            .or_else(|| self.turned_there(known?, e))
            .unwrap_or_else(|| anew(e));
        self.raw.borrow_mut().insert(e, written);
        written
    }

    /// Where `e` itself is one that was written before with the one root r turned. Both sides of what was
    /// shown then, `before = written`, are `p + q r` with p, q free of r. Where r is not itself in the field
    /// of p and q, that is so for p and q apart and holds with `-r` too. Where it is (the root of
    /// `2*cosh(2*x) + 2` beside `cosh(x)`), q and p may have been mixed: then the two sides differ by
    /// twice what was mixed, an analytic function other than 0, and numbers tell.
    fn turned(&self, e: Expr) -> Option<Expr> {
        let &[root] = self.like.as_ref()?.roots.as_slice() else {
            return None;
        };
        let pool = self.pool;
        let before = pool.with_roots_turned(e, &[root]);
        let written = *self.raw.borrow().get(&before)?;
        let rational = |e| pool.is_rational_with_root(e, root);
        if !rational(before) || !rational(written) {
            return None;
        }
        let turned = pool.with_roots_turned(written, &[root]);
        pool.agree_in_numbers(turned, e).then_some(turned)
    }

    /// What was written there with the roots turned, where its normal form is that of `e`.
    fn turned_there(&self, known: Expr, e: Expr) -> Option<Expr> {
        let pool = self.pool;
        let written = pool.with_roots_turned(known, &self.like.as_ref()?.roots);
        (pool.reduced(written) == pool.reduced(e)).then_some(written)
    }
}

/// Branches with the same equations, or with equations that differ in the sign of square roots alone.
#[derive(Clone, Debug)]
pub struct Alike {
    /// The equations; roots that turn have the sign in which the branches differ.
    pub equations: InBranch,
    /// Where they hold, with the upper signs where there are two.
    pub upper: Vec<Vec<Condition>>,
    /// Where they hold with the lower signs.
    pub lower: Vec<Vec<Condition>>,
    /// Where there are two signs, the branches of each.
    each: Vec<Self>,
}

impl Alike {
    /// The same without a sign of two, for a notation that has none.
    pub fn apart(&self) -> &[Self] {
        if self.each.is_empty() {
            slice::from_ref(self)
        } else {
            &self.each
        }
    }
}

/// The branches in groups that are written once, in the order of their first.
pub fn in_groups(pool: &Pool, list: &[InBranch]) -> Vec<Alike> {
    let mut groups: Vec<Alike> = Vec::new();
    for b in list {
        let same = groups.iter_mut().find(|g| {
            g.equations.equations == b.equations && g.equations.multipliers == b.multipliers
        });
        match same {
            Some(group) => group.upper.push(b.conditions.clone()),
            None => groups.push(Alike {
                equations: b.clone(),
                upper: vec![b.conditions.clone()],
                lower: Vec::new(),
                each: Vec::new(),
            }),
        }
    }
    let mut joined: Vec<Alike> = Vec::new();
    for group in groups {
        let other = joined.iter_mut().filter(|g| g.lower.is_empty());
        let both = other.into_iter().find_map(|g| {
            let both = both_branches(pool, &g.equations, &group.equations)?;
            Some((g, both))
        });
        match both {
            Some((first, both)) => {
                first.each = vec![first.clone(), group.clone()];
                first.equations = both;
                first.lower = group.upper;
            }
            None => joined.push(group),
        }
    }
    joined
}

/// Both branches at once, where the second is the first with square roots turned: those have the sign in which the
/// branches differ, plus on the first.
fn both_branches(pool: &Pool, one: &InBranch, other: &InBranch) -> Option<InBranch> {
    let list = |b: &InBranch| -> Option<Vec<Expr>> {
        let mut list: Vec<Expr> = b.equations.iter().chain(&b.multipliers).copied().collect();
        if let Some(l) = &b.lagrangian {
            if !l.agrees {
                return None;
            }
            list.push(l.lagrangian);
            list.extend(l.energy);
        }
        Some(list)
    };
    let (own, others) = (list(one)?, list(other)?);
    let roots = turned_roots(pool, &own, &others)?;
    let signed = |e: Expr| pool.with_roots_signed(e, &roots);
    let all = |list: &[Expr]| list.iter().map(|e| signed(*e)).collect();
    Some(InBranch {
        conditions: one.conditions.clone(),
        equations: all(&one.equations),
        multipliers: all(&one.multipliers),
        lagrangian: one.lagrangian.as_ref().map(|l| Reduced {
            lagrangian: signed(l.lagrangian),
            energy: l.energy.map(signed),
            ..l.clone()
        }),
    })
}

/// The radicands of the square roots with whose other sign `from` is `to`; `None` where there are none.
fn turned_roots(pool: &Pool, from: &[Expr], to: &[Expr]) -> Option<Vec<Expr>> {
    const MOST: usize = 3;
    let roots = pool.square_roots_in(from);
    if from.len() != to.len() || roots.len() > MOST {
        return None;
    }
    (1..1_u32 << roots.len()).find_map(|set| {
        let chosen = roots.iter().enumerate();
        let chosen: Vec<Expr> = chosen
            .filter(|(i, _)| set >> i & 1 == 1)
            .map(|(_, root)| *root)
            .collect();
        let fits = from.iter().zip(to).all(|(&a, &b)| {
            let turned = pool.with_roots_turned(a, &chosen);
            turned == b || pool.reduced(turned) == pool.reduced(b)
        });
        fits.then_some(chosen)
    })
}

/// L_1 with what it keeps. Its equations take the place of those given where they are shown to be the
/// same and are shorter.
fn reduced_lagrangian(
    system: &System,
    derivation: &Derivation,
    by: &FxHashMap<Expr, Expr>,
    book: &Book,
    equations: &mut [Expr],
) -> Option<Reduced> {
    // the equations of L_1 know no multipliers of velocity constraints, and what it keeps they may change
    if !system.velocity_constraints.is_empty() {
        return None;
    }
    let pool = &system.pool;
    let written = |part: fn(&Reduced) -> Option<Expr>, e: Expr| {
        let known = book.there(|b| part(b.lagrangian.as_ref()?));
        book.written(known, e, |e| apart(system, e))
    };
    let plain = undone(pool, pool.substitute(system.lagrangian, by));
    let lagrangian = written(|l| Some(l.lagrangian), plain);
    if pool.size(lagrangian) > LARGEST {
        return None;
    }
    let rates = system.rates();
    let mut agrees = true;
    let mut forces = Vec::new();
    let mut momenta = Vec::new();
    let mut own = Vec::new();
    for (&k, equation_there) in derivation.independent.iter().zip(equations) {
        let c = &system.coordinates[k];
        let mut parts = vec![pool.substitute(system.forces[k], by)];
        for &d in &derivation.dependent {
            let dependent = &system.coordinates[d];
            if system.forces[d] != pool.zero()
                && let Some(&g) = by.get(&dependent.x)
            {
                let force = pool.substitute(system.forces[d], by);
                parts.push(pool.mul(force, pool.derivative(g, c.x)));
            }
        }
        let force = readable(pool, pool.sum(parts));
        let momentum = pool.derivative(lagrangian, c.v);
        let slope = pool.derivative(lagrangian, c.x);
        let e = pool.sum([
            pool.total_derivative(momentum, &rates),
            pool.neg(slope),
            pool.neg(force),
        ]);
        if pool.size(e) > LARGEST {
            return None;
        }
        if pool.cost(*equation_there) <= pool.cost(e)
            && pool.reduced(e) == pool.reduced(*equation_there)
        {
            // the same normal form: it would be written the same
        } else if pool.is_zero(pool.sub(e, *equation_there)) == Some(true) {
            let e = equation(system, e);
            if pool.size(e) < pool.size(*equation_there) {
                *equation_there = e;
            }
        } else {
            agrees = false;
        }
        if force == pool.zero() && momentum != pool.zero() && pool.is_free_of(lagrangian, &[c.x]) {
            momenta.push((k, readable(pool, momentum)));
        }
        own.push(pool.mul(momentum, c.v));
        forces.push(force);
    }
    let power = derivation.independent.iter().zip(&forces);
    let power = pool.sum(power.map(|(&k, &q)| pool.mul(q, system.coordinates[k].v)));
    let keeps = !derivation.independent.is_empty()
        && pool.is_free_of(lagrangian, &[system.t])
        && pool.is_zero(power) == Some(true);
    own.push(pool.neg(lagrangian));
    Some(Reduced {
        lagrangian,
        forces,
        agrees,
        energy: keeps.then(|| {
            let energy = pool.sum(own);
            // with the terms of L_1 but for their signs it is as tidy as L_1
            if pool.has_terms_of(energy, lagrangian) {
                energy
            } else {
                written(|l| l.energy, energy)
            }
        }),
        momenta,
    })
}

/// The coordinate whose turns the equations tell apart, so that they cannot be written by its inverse.
pub fn turns_matter(
    system: &System,
    derivation: &Derivation,
    branches: &[Branch],
) -> Option<usize> {
    let lists = [
        derivation.reduced.as_deref()?,
        derivation.multipliers.as_deref()?,
    ];
    // one that repeats with a period is known up to that
    let is_same = |k: usize, period: Expr| {
        let (pool, x) = (&system.pool, system.coordinates[k].x);
        let mut all = lists.into_iter().flatten();
        all.all(|&e| drift(pool, e, x, period) == Some(pool.zero()))
    };
    let mut periods = branches.iter().flat_map(|b| &b.periods);
    periods
        .find(|&&(k, period)| !is_same(k, period))
        .map(|(k, _)| *k)
}

/// The signs that a branch gives: where y > 0, `sign(y)` is 1 and `abs(y)` is y.
fn put_signs(pool: &Pool, conditions: &[Condition], by: &mut FxHashMap<Expr, Expr>) {
    for c in conditions {
        let sign = match c.relation {
            Relation::Positive => Number::ONE,
            Relation::Negative => Number::MINUS_ONE,
            Relation::NonZero | Relation::AtLeast | Relation::Zero => continue,
        };
        let own = pool.apply(Function::Sign, c.expression);
        // sign(x - y) may be held as -sign(y - x)
        let turned = pool.neg(own);
        let held = |e| matches!(&*pool.node(e), Node::Apply(Function::Sign, _));
        if held(own) {
            by.insert(own, pool.number(sign.clone()));
        } else if held(turned) {
            by.insert(turned, pool.number(sign.neg()));
        }
        let size = pool.apply(Function::Abs, c.expression);
        if matches!(&*pool.node(size), Node::Apply(Function::Abs, _)) {
            let value = pool.substitute(c.expression, by);
            by.insert(size, pool.scale(value, &sign));
        }
    }
}

/// x_D, x_D' and x_D'' as functions of the independent coordinates, at y = c.
fn dependent_values(
    system: &System,
    derivation: &Derivation,
    eliminated: Option<&Eliminated>,
    branch: &Branch,
) -> Option<FxHashMap<Expr, Expr>> {
    let pool = &system.pool;
    let levels: FxHashMap<Expr, Expr> = system.constraints.iter().map(|c| (c.level, c.c)).collect();
    let rates = system.rates();
    let mut by = FxHashMap::default();
    let written = |e| readable(pool, undone(pool, e));
    let places = derivation.dependent.iter().zip(&branch.functions);
    let places: Vec<(&Coordinate, Expr)> = places
        .map(|(&k, &g)| {
            let x = written(pool.substitute(g, &levels));
            (&system.coordinates[k], x)
        })
        .collect();
    if let Some(eliminated) = eliminated {
        let values: FxHashMap<Expr, Expr> = places.iter().map(|(c, x)| (c.x, *x)).collect();
        for ((c, x), &v) in places.iter().zip(&eliminated.velocities) {
            let v = written(pool.substitute(v, &values));
            if pool.size(v) > LARGEST {
                return None;
            }
            by.insert(c.x, *x);
            by.insert(c.v, v);
        }
        return Some(by);
    }
    for (coordinate, x) in places {
        let v = written(pool.total_derivative(x, &rates));
        let a = written(pool.total_derivative(v, &rates));
        if pool.size(a) > LARGEST {
            return None;
        }
        by.insert(coordinate.x, x);
        by.insert(coordinate.v, v);
        by.insert(coordinate.a, a);
    }
    Some(by)
}
