//! The inverse functions x_D = g(y, x_I; t) in closed form, branch by branch.
//!
//! The equations f_b(x; t) = y_b are solved for the dependent coordinates by elimination: an
//! equation that is linear in an unknown gives it; one that is quadratic gives two branches
//!
//! ```text
//! a v^2 + b v + c = 0   =>   v = -b/(2a) +- sqrt(b^2/(4a^2) - c/a),   "+" exactly where v + b/(2a) > 0
//! ```
//!
//! so that each branch comes with the condition, in the coordinates themselves, under which it is
//! the right one. What is found is tried at random points before it is believed.

use crate::expr::{Expr, Number, Pool, SymbolKind};
use crate::system::System;
use rustc_hash::FxHashMap;
use std::cell::Cell;

/// At most this many branches are followed.
const MOST_BRANCHES: usize = 16;
/// At most this many eliminations are tried.
const MOST_ELIMINATIONS: u32 = 48;
/// Points at which a closed form is tried.
const TRIALS: u64 = 60;
/// Systems of more equations than this are left to numbers: nobody reads their inverse.
const MOST_EQUATIONS: usize = 40;
/// Solutions that grow beyond this are left to numbers.
const LARGEST: usize = 3_000;

/// How an expression compares with 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// > 0
    Positive,
    /// < 0
    Negative,
    /// != 0
    NonZero,
}

/// A condition on the coordinates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// What is compared with 0; in coordinates, t and parameters.
    pub expression: Expr,
    /// How.
    pub relation: Relation,
}

impl Condition {
    /// Does it hold for this value of its expression?
    pub fn admits(&self, value: f64) -> bool {
        match self.relation {
            Relation::Positive => value > 0.0,
            Relation::Negative => value < 0.0,
            Relation::NonZero => value != 0.0,
        }
    }

    /// As text: `x1 > x2`, `x3 != 0`.
    pub fn print(&self, pool: &Pool, style: crate::expr::Style) -> String {
        let (left, right) = pool.sides(self.expression);
        let (left, right) = (pool.print_as(left, style), pool.print_as(right, style));
        let sign = match (self.relation, style) {
            (Relation::Positive, _) => ">",
            (Relation::Negative, _) => "<",
            (Relation::NonZero, crate::expr::Style::Plain) => "!=",
            (Relation::NonZero, crate::expr::Style::Pretty) => "≠",
            (Relation::NonZero, crate::expr::Style::Latex) => "\\neq",
        };
        format!("{left} {sign} {right}")
    }
}

/// One branch of the inverse.
#[derive(Clone, Debug)]
pub struct Branch {
    /// Where it is the right one; all must hold. Empty: everywhere.
    pub conditions: Vec<Condition>,
    /// g, one a dependent coordinate in their order: in y_NAME, the independent coordinates, t and parameters.
    pub functions: Vec<Expr>,
}

/// The inverse functions of one choice of dependent coordinates.
#[derive(Clone, Debug)]
pub enum Inverse {
    /// In closed form.
    Closed(Vec<Branch>),
    /// No closed form was found; values come from Newton's method.
    Numeric,
}

impl Inverse {
    /// The branches, none where numeric.
    pub fn branches(&self) -> &[Branch] {
        match self {
            Self::Closed(branches) => branches,
            Self::Numeric => &[],
        }
    }
}

/// Solves f = y for the dependent coordinates.
pub fn invert(system: &System, dependent: &[usize]) -> Inverse {
    let pool = &system.pool;
    let unknowns: Vec<Expr> = dependent.iter().map(|&k| system.coordinates[k].x).collect();
    let equations: Vec<Expr> = system
        .constraints
        .iter()
        .map(|c| pool.sub(c.f, c.level))
        .collect();
    if equations.len() > MOST_EQUATIONS || equations.iter().any(|e| pool.size(*e) > LARGEST) {
        return Inverse::Numeric;
    }
    let solver = Solver {
        system,
        values: system.constraints.iter().map(|c| (c.level, c.f)).collect(),
        left: Cell::new(MOST_ELIMINATIONS),
    };
    let Some(solved) = solver.solve(&equations, &unknowns) else {
        return Inverse::Numeric;
    };
    let branches: Vec<Branch> = solved
        .into_iter()
        .map(|s| Branch {
            functions: unknowns
                .iter()
                .map(|u| s.values.get(u).copied().unwrap_or(*u))
                .collect(),
            conditions: s.conditions,
        })
        .collect();
    if branches.is_empty() || !confirmed(system, dependent, &branches) {
        return Inverse::Numeric;
    }
    Inverse::Closed(branches)
}

#[derive(Clone, Default)]
struct Solution {
    values: FxHashMap<Expr, Expr>,
    conditions: Vec<Condition>,
}

struct Solver<'a> {
    system: &'a System,
    /// y_b -> f_b, to state conditions in the coordinates
    values: FxHashMap<Expr, Expr>,
    /// eliminations that may still be tried
    left: Cell<u32>,
}

/// A way to solve an equation for an unknown.
struct Candidate {
    equation: usize,
    unknown: Expr,
    coefficients: Vec<Expr>,
    below: Vec<Expr>,
    /// smaller is better
    cost: (u8, usize),
}

impl Solver<'_> {
    fn pool(&self) -> &Pool {
        &self.system.pool
    }

    fn solve(&self, equations: &[Expr], unknowns: &[Expr]) -> Option<Vec<Solution>> {
        if unknowns.is_empty() {
            return Some(vec![Solution::default()]);
        }
        let mut candidates = self.candidates(equations, unknowns);
        candidates.sort_by_key(|c| c.cost);
        candidates
            .into_iter()
            .take(4)
            .find_map(|c| self.eliminate(equations, unknowns, &c))
    }

    fn candidates(&self, equations: &[Expr], unknowns: &[Expr]) -> Vec<Candidate> {
        let pool = self.pool();
        let mut list = Vec::new();
        for (i, &equation) in equations.iter().enumerate() {
            for &unknown in unknowns {
                if !pool.symbols_of(equation).contains(&unknown) {
                    continue;
                }
                let Some((coefficients, below)) = pool.polynomial_in(equation, unknown) else {
                    continue;
                };
                let others: Vec<Expr> =
                    unknowns.iter().copied().filter(|u| *u != unknown).collect();
                let lead = coefficients.last().copied().unwrap_or(pool.zero());
                let coupled = coefficients.iter().any(|c| pool.contains_any(*c, &others));
                let kind = match coefficients.len() {
                    2 if pool.is_constant(lead) => 0,
                    2 if !pool.contains_any(lead, &others) => 1,
                    3 if !coupled => 2,
                    2 => 3,
                    3 => 4,
                    _ => continue,
                };
                let size = coefficients.iter().map(|c| pool.size(*c)).sum();
                list.push(Candidate {
                    equation: i,
                    unknown,
                    coefficients,
                    below,
                    cost: (kind, size),
                });
            }
        }
        list
    }

    fn eliminate(
        &self,
        equations: &[Expr],
        unknowns: &[Expr],
        candidate: &Candidate,
    ) -> Option<Vec<Solution>> {
        let pool = self.pool();
        self.left.set(self.left.get().checked_sub(1)?);
        let lead = candidate.coefficients.last().copied()?;
        let mut always = vec![self.condition(lead, Relation::NonZero)];
        for &b in &candidate.below {
            always.push(self.condition(b, Relation::NonZero));
        }
        let over = |e: Expr| pool.simplify(pool.div(e, lead));
        let mut ways: Vec<(Expr, Option<(Expr, Relation)>)> = Vec::new();
        match candidate.coefficients.as_slice() {
            [c, _] => ways.push((over(pool.neg(*c)), None)),
            [c, b, _] => {
                let middle = pool.scale(over(*b), &Number::HALF.neg());
                let inside = pool.simplify(pool.sub(pool.powi(middle, 2), over(*c)));
                let root = pool.sqrt(inside);
                let side = pool.sub(candidate.unknown, middle);
                ways.push((pool.add(middle, root), Some((side, Relation::Positive))));
                ways.push((pool.sub(middle, root), Some((side, Relation::Negative))));
            }
            _ => return None,
        }
        let rest_unknowns: Vec<Expr> = unknowns
            .iter()
            .copied()
            .filter(|u| *u != candidate.unknown)
            .collect();
        let mut all = Vec::new();
        for (value, side) in ways {
            let by = FxHashMap::from_iter([(candidate.unknown, value)]);
            let rest: Vec<Expr> = equations
                .iter()
                .enumerate()
                .filter(|(i, _)| *i != candidate.equation)
                .map(|(_, e)| pool.simplify(pool.substitute(*e, &by)))
                .collect();
            if rest.iter().any(|e| pool.size(*e) > LARGEST) {
                return None;
            }
            for mut solution in self.solve(&rest, &rest_unknowns)? {
                let value = pool.simplify(pool.substitute(value, &solution.values));
                if pool.size(value) > LARGEST {
                    return None;
                }
                solution.values.insert(candidate.unknown, value);
                let mut conditions: Vec<Condition> = Vec::new();
                if let Some((side, relation)) = side {
                    conditions.extend(self.condition(side, relation));
                }
                conditions.extend(always.iter().flatten().cloned());
                for c in conditions {
                    if !solution.conditions.contains(&c) {
                        solution.conditions.push(c);
                    }
                }
                all.push(solution);
            }
            if all.len() > MOST_BRANCHES {
                return None;
            }
        }
        Some(all)
    }

    /// A condition in the coordinates, its constant factors left out; `None` where it always holds.
    fn condition(&self, e: Expr, relation: Relation) -> Option<Condition> {
        let pool = self.pool();
        let e = pool.substitute(e, &self.values);
        let factors = pool.factors(e);
        let mut sign = self.constant_sign(factors.unit);
        let mut kept = Vec::new();
        for &(factor, times) in &factors.factors {
            if pool.is_constant(factor) {
                if times % 2 == 1 {
                    sign *= self.constant_sign(factor);
                }
            } else if relation == Relation::NonZero || times % 2 == 1 {
                // an even power has no sign; where it is zero the branches meet
                kept.push(factor);
            }
        }
        // a denominator that is no constant stays: its sign matters
        let unit_varies = !pool.is_constant(factors.unit);
        if unit_varies && relation != Relation::NonZero {
            return Some(Condition {
                expression: pool.simplify(e),
                relation,
            });
        }
        if kept.is_empty() {
            return match relation {
                Relation::NonZero => None,
                _ => Some(Condition {
                    expression: pool.simplify(e),
                    relation,
                }),
            };
        }
        let product = pool.product(kept);
        let (expression, relation) = match relation {
            Relation::NonZero => (product, Relation::NonZero),
            _ if sign > 0.0 => (product, relation),
            Relation::Positive => (product, Relation::Negative),
            Relation::Negative => (product, Relation::Positive),
        };
        Some(Condition {
            expression,
            relation,
        })
    }

    fn constant_sign(&self, e: Expr) -> f64 {
        let value = value_at(self.system, e, &|_| f64::NAN);
        if value < 0.0 { -1.0 } else { 1.0 }
    }
}

/// The value of an expression, parameters taken from the system, the rest from `of`.
pub fn value_at(system: &System, e: Expr, of: &dyn Fn(SymbolKind) -> f64) -> f64 {
    system.pool.evaluate(e, &|kind| match kind {
        SymbolKind::Parameter(i) => system.parameters.get(i).map_or(f64::NAN, |p| p.value),
        other => of(other),
    })
}

/// Deterministic points: the fractional parts of multiples of irrational numbers.
pub fn scattered(index: u64, place: usize) -> f64 {
    const STEP: [f64; 6] = [
        0.754_877_666_246_692_7,
        0.569_840_290_998_053_2,
        0.414_213_562_373_095_1,
        0.732_050_807_568_877_2,
        0.618_033_988_749_894_9,
        0.236_067_977_499_789_7,
    ];
    let step = STEP[place % STEP.len()] + 0.013 * (place / STEP.len()) as f64;
    (0.5 + step * (index + 1) as f64).fract()
}

/// Does exactly the branch whose conditions hold give back the point, at every point tried?
fn confirmed(system: &System, dependent: &[usize], branches: &[Branch]) -> bool {
    let mut tried = 0;
    for index in 0..TRIALS * 4 {
        if tried >= TRIALS {
            break;
        }
        let x: Vec<f64> = (0..system.coordinates.len())
            .map(|k| 4.0 * scattered(index, k) - 2.0)
            .collect();
        let t = 2.0 * scattered(index, x.len());
        let place = |kind: SymbolKind| match kind {
            SymbolKind::Coordinate { index, order: 0 } => x[index],
            SymbolKind::Time => t,
            _ => f64::NAN,
        };
        let levels: Vec<f64> = system
            .constraints
            .iter()
            .map(|c| value_at(system, c.f, &place))
            .collect();
        if levels.iter().any(|y| !y.is_finite()) {
            continue;
        }
        let with_levels = |kind: SymbolKind| match kind {
            SymbolKind::Level(b) => levels[b],
            other => place(other),
        };
        let mut hits = 0;
        let mut near_edge = false;
        for branch in branches {
            let admitted = branch.conditions.iter().all(|c| {
                let v = value_at(system, c.expression, &place);
                near_edge |= v.abs() < 1e-6;
                c.admits(v)
            });
            if !admitted {
                continue;
            }
            hits += 1;
            for (&k, &g) in dependent.iter().zip(&branch.functions) {
                let back = value_at(system, g, &with_levels);
                // roots amplify rounding near the edge of a branch
                let same = (back - x[k]).abs() <= 1e-6 * x[k].abs().max(1.0);
                if !same && !near_edge {
                    return false;
                }
            }
        }
        if hits != 1 && !near_edge {
            return false;
        }
        tried += 1;
    }
    tried >= TRIALS / 4
}

impl Pool {
    /// Splits `e` (compared with 0) in what is added and what is subtracted: `x1 - x2` is `(x1, x2)`.
    fn sides(&self, e: Expr) -> (Expr, Expr) {
        let node = self.owned(e);
        if let crate::expr::Node::Sum { constant, terms } = node {
            let mut sides = (Vec::new(), Vec::new());
            for (t, k) in terms {
                if k.is_negative() {
                    sides.1.push(self.scale(t, &k.neg()));
                } else {
                    sides.0.push(self.scale(t, &k));
                }
            }
            if sides.0.is_empty() {
                return (e, self.zero());
            }
            let constant_part = self.number(constant.abs());
            if constant.is_negative() {
                sides.1.push(constant_part);
            } else if sides.1.is_empty() && !constant.is_zero() {
                return (self.sum(sides.0), self.neg(constant_part));
            } else {
                sides.0.push(constant_part);
            }
            return (self.sum(sides.0), self.sum(sides.1));
        }
        (e, self.zero())
    }
}
