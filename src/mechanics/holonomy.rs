//! Is a velocity constraint a holonomic one in disguise?
//!
//! ```text
//! omega = sum_k A_k dx_k + b dt = 0
//! ```
//!
//! is the same as F(x; t) = const, on every part of space where omega is not zero, if and only if
//! omega ^ d omega = 0 (Frobenius): for every three of the variables x_1, ..., x_n, t
//!
//! ```text
//! w_i (d_j w_k - d_k w_j) + w_j (d_k w_i - d_i w_k) + w_k (d_i w_j - d_j w_i) = 0
//! ```
//!
//! It is exact, omega = dF, where d_j w_k = d_k w_j. F is then found an integral a variable at a time. A factor that
//! makes omega exact is tried among one over its own entries. Whatever is found is held against dF = omega
//! (or omega times the factor) as expressions, so that what is named is proven by algebra.

use super::equations::readable;
use crate::expr::{Expr, Function, Node, Number, Pool, within};
use crate::system::System;

/// More variables than this are not looked at: the conditions grow with their cube.
const MOST_VARIABLES: usize = 24;
/// Entries larger than this are not integrated.
const LARGEST: usize = 400;
/// Integrations by parts, one inside another.
const DEEPEST: usize = 6;
/// What looking for an integral may cost (see `within`).
const EFFORT: u64 = 400_000;

/// What was found of a velocity constraint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Holonomy {
    /// It could not be shown to be holonomic.
    Unknown,
    /// It is holonomic; no integral was found.
    Holonomic,
    /// It says that this is constant.
    Integral(Expr),
}

/// Looks at each velocity constraint of a system by itself.
pub fn holonomy(system: &System) -> Vec<Holonomy> {
    let list = system.velocity_constraints.iter();
    list.map(|c| {
        let form = DifferentialForm::new(system, &c.row, c.b);
        within(EFFORT, || form.holonomy())
    })
    .collect()
}

/// A differential form of the coordinates and t.
struct DifferentialForm<'a> {
    pool: &'a Pool,
    /// Those of the variables that it contains, or that its entries belong to.
    variables: Vec<Expr>,
    entries: Vec<Expr>,
}

impl<'a> DifferentialForm<'a> {
    fn new(system: &'a System, row: &[Expr], b: Expr) -> Self {
        let pool = &system.pool;
        let all: Vec<Expr> = row.iter().chain([&b]).copied().collect();
        let symbols = system.coordinates.iter().map(|c| c.x).chain([system.t]);
        let (variables, entries) = symbols
            .zip(all.iter().copied())
            .filter(|(x, e)| *e != pool.zero() || all.iter().any(|e| pool.contains_any(*e, &[*x])))
            .unzip();
        Self {
            pool,
            variables,
            entries,
        }
    }

    fn holonomy(&self) -> Holonomy {
        let pool = self.pool;
        if self.variables.len() > MOST_VARIABLES
            || self.entries.iter().any(|e| pool.size(*e) > LARGEST)
        {
            return Holonomy::Unknown;
        }
        if let Some(integral) = self.integral() {
            return Holonomy::Integral(integral);
        }
        if !self.is_integrable() {
            return Holonomy::Unknown;
        }
        let divisors = self.entries.iter().filter(|e| !pool.is_constant(**e));
        for &divisor in divisors {
            let entries = self.entries.iter();
            let scaled = Self {
                pool,
                variables: self.variables.clone(),
                entries: entries
                    .map(|&e| pool.simplify(pool.div(e, divisor)))
                    .collect(),
            };
            if let Some(integral) = scaled.integral() {
                return Holonomy::Integral(integral);
            }
        }
        Holonomy::Holonomic
    }

    fn vanishes(&self, e: Expr) -> bool {
        e == self.pool.zero() || self.pool.is_zero(e) == Some(true)
    }

    /// d_i w_k - d_k w_i.
    fn curl(&self, i: usize, k: usize) -> Expr {
        let by = |e: usize, v: usize| self.pool.derivative(self.entries[e], self.variables[v]);
        self.pool.sub(by(k, i), by(i, k))
    }

    /// omega ^ d omega = 0.
    fn is_integrable(&self) -> bool {
        let (pool, w, n) = (self.pool, &self.entries, self.entries.len());
        (0..n).all(|i| {
            (i + 1..n).all(|j| {
                (j + 1..n).all(|k| {
                    self.vanishes(pool.sum([
                        pool.mul(w[i], self.curl(j, k)),
                        pool.mul(w[j], self.curl(k, i)),
                        pool.mul(w[k], self.curl(i, j)),
                    ]))
                })
            })
        })
    }

    /// F with dF = omega, where omega is exact and F can be written.
    fn integral(&self) -> Option<Expr> {
        let (pool, n) = (self.pool, self.entries.len());
        let exact = (0..n).all(|i| (i + 1..n).all(|k| self.vanishes(self.curl(i, k))));
        if !exact {
            return None;
        }
        let mut integral = pool.zero();
        for (&w, &x) in self.entries.iter().zip(&self.variables) {
            let left = pool.simplify(pool.sub(w, pool.derivative(integral, x)));
            integral = pool.add(integral, antiderivative(pool, left, x, 0)?);
        }
        let integral = readable(pool, integral);
        let holds =
            |(&w, &x): (&Expr, &Expr)| self.vanishes(pool.sub(pool.derivative(integral, x), w));
        let found = self.entries.iter().zip(&self.variables).all(holds);
        (found && !pool.is_constant(integral)).then_some(integral)
    }
}

/// A function whose derivative by x is e, of the simplest kinds: sums of products of powers of x with a sine,
/// cosine, exponential, hyperbolic function or power of what is linear in x. The caller checks it.
fn antiderivative(pool: &Pool, e: Expr, x: Expr, depth: usize) -> Option<Expr> {
    if depth > DEEPEST {
        return None;
    }
    if !pool.contains_any(e, &[x]) {
        return Some(pool.mul(e, x));
    }
    if let Some((top, bottom)) = pool.polynomial_in(e, x)
        && let [divisor] = bottom[..]
    {
        let terms = top.iter().enumerate().map(|(i, &c)| {
            let next = i64::try_from(i).unwrap_or(i64::MAX - 1) + 1;
            let power = pool.mul(pool.powi(x, next), pool.div(c, divisor));
            pool.div(power, pool.number(next))
        });
        let terms: Vec<Expr> = terms.collect();
        let has_x = top.iter().any(|e| pool.contains_any(*e, &[x]));
        if !terms.iter().any(|t| pool.is_undefined(*t)) && !has_x {
            return Some(pool.sum(terms));
        }
    }
    match &*pool.node(e) {
        Node::Sum(constant, terms) => {
            let mut parts = vec![pool.mul(pool.number(constant.clone()), x)];
            for (term, k) in terms {
                parts.push(pool.scale(antiderivative(pool, *term, x, depth)?, k));
            }
            Some(pool.sum(parts))
        }
        Node::Product(coefficient, factors) => {
            let (mut outside, mut inside) = (vec![pool.number(coefficient.clone())], Vec::new());
            for &(base, exponent) in factors {
                let factor = pool.pow(base, exponent);
                if pool.contains_any(factor, &[x]) {
                    inside.push((base, exponent));
                } else {
                    outside.push(factor);
                }
            }
            let own = match inside[..] {
                [(base, exponent)] if exponent == pool.one() && base != e => {
                    antiderivative(pool, base, x, depth + 1)
                }
                [own] => known(pool, own, x),
                [a, b] => {
                    by_parts(pool, [a, b], x, depth).or_else(|| by_parts(pool, [b, a], x, depth))
                }
                _ => None,
            }?;
            outside.push(own);
            Some(pool.product(outside))
        }
        _ => known(pool, (e, pool.one()), x),
    }
}

/// Base and exponent.
type Power = (Expr, Expr);

/// P times a function with a known integral G: P G less the integral of P' G.
fn by_parts(pool: &Pool, [polynomial, factor]: [Power; 2], x: Expr, depth: usize) -> Option<Expr> {
    let polynomial = pool.pow(polynomial.0, polynomial.1);
    let (_, bottom) = pool.polynomial_in(polynomial, x)?;
    if bottom.len() != 1 {
        return None;
    }
    let whole = known(pool, factor, x)?;
    let slope = pool.simplify(pool.derivative(polynomial, x));
    let rest = antiderivative(pool, pool.mul(slope, whole), x, depth + 1)?;
    Some(pool.sub(pool.mul(polynomial, whole), rest))
}

/// The integral of `base^exponent` where base is linear in x, or a function of what is.
fn known(pool: &Pool, (base, exponent): Power, x: Expr) -> Option<Expr> {
    let slope = |u: Expr| {
        let slope = pool.simplify(pool.derivative(u, x));
        (slope != pool.zero() && !pool.contains_any(slope, &[x])).then_some(slope)
    };
    if let Node::Apply(function, arguments) = &*pool.node(base)
        && exponent == pool.one()
        && let [u] = arguments[..]
    {
        let of = |f: Function| pool.apply(f, u);
        let primitive = match function {
            Function::Sin => pool.neg(of(Function::Cos)),
            Function::Cos => of(Function::Sin),
            Function::Exp => of(Function::Exp),
            Function::Sinh => of(Function::Cosh),
            Function::Cosh => of(Function::Sinh),
            _ => return None,
        };
        return Some(pool.div(primitive, slope(u)?));
    }
    let q = pool.as_number(exponent)?;
    let slope = slope(base)?;
    if q.is_minus_one() {
        let size = pool.apply(Function::Abs, base);
        return Some(pool.div(pool.apply(Function::Log, size), slope));
    }
    let next = pool.number(q.add(&Number::ONE));
    Some(pool.div(pool.pow(base, next), pool.mul(next, slope)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(constraint: &str) -> String {
        let text = format!(
            "coordinates: [x, y, th]\nparameters: {{r: 2, w: 3}}\nlagrangian: x'^2 + y'^2 + th'^2\nvelocity_constraints: {{c: \"{constraint}\"}}\n"
        );
        let system = System::parse(&text, "test", &[]).unwrap();
        match holonomy(&system)[0] {
            Holonomy::Unknown => "unknown".to_owned(),
            Holonomy::Holonomic => "holonomic".to_owned(),
            Holonomy::Integral(e) => system.pool.print(e),
        }
    }

    #[test]
    fn exact_constraints_are_recognised_with_their_integrals() {
        for (constraint, integral) in [
            ("x' = r*th'", "x - r*th"),
            ("2*x*x' + 2*y*y'", "x^2 + y^2"),
            ("y*x' + x*y'", "x*y"),
            ("x' - w*cos(w*t)", "x - sin(t*w)"),
            ("y'*cos(y) + x'*exp(2*x)", "exp(2*x)/2 + sin(y)"),
            ("x'*sin(th) + x*cos(th)*th'", "x*sin(th)"),
        ] {
            let shown = found(constraint);
            let same = shown == integral
                || {
                    // written another way
                    let text = format!(
                        "coordinates: [x, y, th]\nparameters: {{r: 2, w: 3}}\nlagrangian: x'^2 + y'^2 + th'^2\ndefine: {{a: {shown}, b: {integral}}}\npotential: a - b\n"
                    );
                    let text = text.replace("lagrangian", "kinetic");
                    let system = System::parse(&text, "test", &[]).unwrap();
                    let kinetic = system
                        .pool
                        .sum(system.coordinates.iter().map(|c| system.pool.powi(c.v, 2)));
                    let rest = system.pool.sub(system.lagrangian, kinetic);
                    system.pool.is_zero(rest) == Some(true)
                };
            assert!(same, "{constraint}: {shown}, expected {integral}");
        }
    }

    #[test]
    fn a_factor_makes_some_exact() {
        // x' / x = y' / y
        assert_ne!(found("y*x' - x*y'"), "unknown");
        // two variables alone are always holonomic
        assert_ne!(found("(1 + y^2)*x' + x*y'"), "unknown");
    }

    #[test]
    fn a_blade_a_disc_and_a_moving_constraint_are_not() {
        for constraint in [
            "x'*sin(th) - y'*cos(th)",
            "y' - x*th'",
            "x' - y*w",
            "x' - r*cos(th)*y'",
        ] {
            assert_eq!(found(constraint), "unknown", "{constraint}");
        }
    }
}
