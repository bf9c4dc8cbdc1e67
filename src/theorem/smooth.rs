//! Is a constraint continuously differentiable at a point?
//!
//! The functions of the grammar are, except at the places below. At a zero of the argument of `abs`
//! or `sign` the constraint and its gradient must agree for both signs put in (`x*abs(x)` is C^1);
//! at the others the constraint counts as not C^1.
//!
//! | expression | not C^1 at |
//! |---|---|
//! | `abs(u)`, `sign(u)` | u = 0, unless both signs agree |
//! | `sqrt(u)`, fractional powers, `log(u)` | u <= 0 |
//! | `1/u` and other negative powers | u = 0 |
//! | `asin(u)`, `acos(u)` | abs(u) >= 1 |
//! | `tan(u)` | cos(u) = 0 |
//! | `atan2(y, x)` | y = 0, x <= 0 |

use super::numbers::{ZERO, inputs};
use crate::expr::{Expr, Function, Node, Pool, Smooth, Tape};
use crate::system::System;
use rustc_hash::FxHashMap;

/// Signs are put in for at most this many zero arguments at a time.
const MOST_SIGNS: usize = 6;

#[derive(Clone, Debug)]
struct Critical {
    constraint: usize,
    /// what the argument has to be; of poles it is what is zero there, and of atan2 that of the first argument, whose second is
    /// the next entry, of which nothing is asked
    smooth: Smooth,
    /// the function or power, for the message
    whole: Expr,
    argument: Expr,
}

/// The critical arguments of the constraints, compiled.
#[derive(Clone, Debug)]
pub struct Smoothness {
    critical: Vec<Critical>,
    arguments: Known,
}

/// Expressions in numbers, with what they are unknown by, compiled.
#[derive(Clone, Debug)]
struct Known {
    /// for each its value, what evaluating it rounds, its derivatives by x and t
    tape: Tape,
    coordinates: usize,
}

impl Known {
    fn new(system: &System, list: &[Expr]) -> Self {
        let pool = &system.pool;
        let mut variables: Vec<Expr> = system.positions();
        variables.push(system.t);
        let mut outputs = Vec::new();
        for &e in list {
            outputs.extend([e, pool.rounding(e)]);
            outputs.extend(variables.iter().map(|v| pool.derivative(e, *v)));
        }
        Self {
            tape: Tape::new(pool, &inputs(system), &outputs),
            coordinates: system.coordinates.len(),
        }
    }

    /// Each value, and how far rounding, that of the coordinates, and their corrections may have moved it.
    fn at(&self, values: &[f64], corrections: &[f64]) -> Vec<(f64, f64)> {
        let n = self.coordinates;
        let numbers = self.tape.values(values);
        let judged = numbers.chunks(n + 3).map(|chunk| {
            let mut blur = ZERO * chunk[1];
            for (k, slope) in chunk[2..].iter().enumerate() {
                let size = if k < n { values[k] } else { values[2 * n] };
                let moved = corrections.get(k).copied().unwrap_or(0.0);
                let part = slope * (ZERO * size.abs() + moved.abs());
                if part.is_finite() {
                    blur += part.abs();
                }
            }
            (chunk[0], blur)
        });
        judged.collect()
    }
}

/// A constraint that is not C^1 at a point, or could not be shown to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rough {
    /// Which constraint.
    pub constraint: usize,
    /// What is wrong with it.
    pub how: Roughness,
}

named! {
    /// How a constraint is not C^1. An expression is the term of the constraint that it comes from.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum Roughness {
        /// The term has no value.
        NoValue(Expr) = "no_value",
        /// The term has no real value.
        NoRealValue(Expr) = "no_real_value",
        /// The term is at the edge of its domain.
        Edge(Expr) = "edge",
        /// The term has a pole.
        Pole(Expr) = "pole",
        /// The term is on its cut.
        Cut(Expr) = "cut",
        /// A kink, where these arguments of abs and sign are zero.
        Kink(Vec<Expr>) = "kink",
        /// A jump, where these are zero.
        Jump(Vec<Expr>) = "jump",
        /// Where these are zero, too many to try all signs.
        Undecided(Vec<Expr>) = "undecided",
        /// The gradient has no value.
        NoGradient = "no_gradient",
    }
}

/// Do expressions have a function that jumps, or whose derivative does? (Whether one jumps itself: `Pool::may_jump`.)
pub fn may_kink(pool: &Pool, list: &[Expr]) -> bool {
    pool.any(list, |node| matches!(node, Node::Apply(f, _) if kinks(*f)))
}

/// Does a function jump somewhere, or its derivative?
fn kinks(f: Function) -> bool {
    matches!(f.smooth(), Smooth::NotZero | Smooth::OffCut)
}

/// The same of functions of these symbols.
pub fn may_kink_in(pool: &Pool, list: &[Expr], symbols: &[Expr]) -> bool {
    let depends = |args: &[Expr]| args.iter().any(|a| pool.contains_any(*a, symbols));
    pool.any(
        list,
        |node| matches!(node, Node::Apply(f, args) if kinks(*f) && depends(args)),
    )
}

impl Smoothness {
    /// Finds the critical arguments of a system's constraints.
    pub fn new(system: &System) -> Self {
        let pool = &system.pool;
        let mut critical = Vec::new();
        for (constraint, c) in system.constraints.iter().enumerate() {
            pool.visit(&[c.f], &mut |whole, node| {
                let mut note = |smooth, argument| {
                    if !pool.is_constant(argument) {
                        critical.push(Critical {
                            constraint,
                            smooth,
                            whole,
                            argument,
                        });
                    }
                };
                match node {
                    Node::Apply(f, args) => match f.smooth() {
                        Smooth::Everywhere => {}
                        poles @ Smooth::BetweenPoles => {
                            note(poles, pool.apply(Function::Cos, args[0]));
                        }
                        Smooth::OffCut => {
                            let sides = [Smooth::OffCut, Smooth::Everywhere];
                            critical.extend(sides.into_iter().zip(args).map(
                                |(smooth, argument)| Critical {
                                    constraint,
                                    smooth,
                                    whole,
                                    argument: *argument,
                                },
                            ));
                        }
                        smooth => note(smooth, args[0]),
                    },
                    Node::Product(_, factors) => {
                        for (b, x) in factors {
                            match pool.as_number(*x) {
                                Some(q) if q.is_integer() && q.is_negative() => {
                                    note(Smooth::BetweenPoles, *b);
                                }
                                Some(q) if !q.is_integer() => note(Smooth::Positive, *b),
                                Some(_) => {}
                                None => note(Smooth::Positive, *b),
                            }
                        }
                    }
                    Node::Number(_) | Node::Symbol(_) | Node::Sum(..) => {}
                }
            });
        }
        let list: Vec<Expr> = critical.iter().map(|c| c.argument).collect();
        Self {
            arguments: Known::new(system, &list),
            critical,
        }
    }

    /// Is there no place where a function may not be C^1?
    pub fn is_everywhere(&self) -> bool {
        self.critical.is_empty()
    }

    /// The first constraint that is not C^1 at a point; `values` are those of [`inputs`].
    pub fn rough(&self, system: &System, values: &[f64], corrections: &[f64]) -> Option<Rough> {
        if self.critical.is_empty() {
            return None;
        }
        let judged = self.arguments.at(values, corrections);
        let pool = &system.pool;
        let mut kinks: Vec<Vec<Expr>> = vec![Vec::new(); system.constraints.len()];
        for (i, (critical, &(u, blur))) in self.critical.iter().zip(&judged).enumerate() {
            let rough = |what: fn(Expr) -> Roughness| {
                Some(Rough {
                    constraint: critical.constraint,
                    how: what(term(pool, critical)),
                })
            };
            if u.is_nan() {
                return rough(Roughness::NoValue);
            }
            let bad = match critical.smooth {
                Smooth::NotZero => {
                    if u.abs() <= blur {
                        let list = &mut kinks[critical.constraint];
                        if !list.contains(&critical.argument) {
                            list.push(critical.argument);
                        }
                    }
                    None
                }
                Smooth::Positive if u < -blur => rough(Roughness::NoRealValue),
                Smooth::Positive if u <= blur => rough(Roughness::Edge),
                Smooth::BetweenPoles if u.abs() <= blur => rough(Roughness::Pole),
                Smooth::InsideUnit if u.abs() > 1.0 + blur => rough(Roughness::NoRealValue),
                Smooth::InsideUnit if 1.0 - u.abs() <= blur + ZERO => rough(Roughness::Edge),
                Smooth::OffCut => {
                    let (x, blur_x) = judged.get(i + 1).copied().unwrap_or((0.0, 0.0));
                    if u.abs() <= blur && x <= blur_x {
                        rough(Roughness::Cut)
                    } else {
                        None
                    }
                }
                _ => None,
            };
            if bad.is_some() {
                return bad;
            }
        }
        kinks
            .iter()
            .enumerate()
            .find_map(|(b, list)| both_signs(system, (b, list), values, corrections))
    }
}

/// The critical function or power.
fn term(pool: &Pool, critical: &Critical) -> Expr {
    match &*pool.node(critical.whole) {
        Node::Product(..) if critical.smooth == Smooth::BetweenPoles => {
            pool.pow(critical.argument, pool.number(-1))
        }
        Node::Product(_, factors) => factors
            .iter()
            .find(|(b, _)| *b == critical.argument)
            .map_or(critical.argument, |(b, x)| pool.pow(*b, *x)),
        _ => critical.whole,
    }
}

/// Puts in both signs for each argument that is zero: the constraint and its gradient must not change, as far as they are known.
fn both_signs(
    system: &System,
    (b, zeros): (usize, &[Expr]),
    values: &[f64],
    corrections: &[f64],
) -> Option<Rough> {
    if zeros.is_empty() {
        return None;
    }
    let pool = &system.pool;
    let rough = |how: fn(Vec<Expr>) -> Roughness| {
        Some(Rough {
            constraint: b,
            how: how(zeros.to_vec()),
        })
    };
    if zeros.len() > MOST_SIGNS {
        return rough(Roughness::Undecided);
    }
    let f = system.constraints[b].f;
    let mut first: Option<Vec<(f64, f64)>> = None;
    for signs in 0..1_u32 << zeros.len() {
        let branch = with_signs(pool, f, zeros, |i| if signs >> i & 1 == 1 { -1 } else { 1 });
        let mut outputs = vec![branch];
        outputs.extend(
            system
                .coordinates
                .iter()
                .map(|c| pool.derivative(branch, c.x)),
        );
        outputs.push(pool.derivative(branch, system.t));
        let got = Known::new(system, &outputs).at(values, corrections);
        match &first {
            None => first = Some(got),
            Some(wanted) => {
                let mut pairs = got.iter().zip(wanted);
                if !pairs.all(|(a, w)| (a.0 - w.0).abs() <= near(a.1 + w.1)) {
                    return rough(Roughness::Kink);
                }
            }
        }
    }
    at_zero(system, (b, zeros), values, corrections)
}

/// A constraint with these signs of arguments put in.
fn with_signs(pool: &Pool, f: Expr, zeros: &[Expr], sign: impl Fn(usize) -> i64) -> Expr {
    let mut by: FxHashMap<Expr, Expr> = FxHashMap::default();
    for (i, &u) in zeros.iter().enumerate() {
        let put = if sign(i) < 0 { pool.neg(u) } else { u };
        by.insert(pool.apply(Function::Abs, u), put);
        by.insert(pool.apply(Function::Sign, u), pool.number(sign(i)));
    }
    pool.substitute(f, &by)
}

/// `sign(u)^2` is 1 on both sides of u = 0 and 0 on it: there the constraint must have the same value.
fn at_zero(
    system: &System,
    (b, zeros): (usize, &[Expr]),
    values: &[f64],
    corrections: &[f64],
) -> Option<Rough> {
    let pool = &system.pool;
    let f = system.constraints[b].f;
    let sides = [0, 1].map(|sign| with_signs(pool, f, zeros, |_| sign));
    let got = Known::new(system, &sides).at(values, corrections);
    let [on, beside] = got.as_slice() else {
        return None;
    };
    ((on.0 - beside.0).abs() > near(on.1 + beside.1)).then(|| Rough {
        constraint: b,
        how: Roughness::Jump(zeros.to_vec()),
    })
}

/// Two values that are unknown by so much together agree within this.
fn near(blur: f64) -> f64 {
    16.0 * blur.max(f64::MIN_POSITIVE)
}
