//! Taylor series of expressions in a few variables, cut off at an order, with coefficients of [`Value`].
//!
//! A function f of c + u, with u without constant term, is sum a_k u^k with a_k = f^(k)(c)/k!, which come from the
//! differential equation of f (R. E. Moore; A. Griewank and A. Walther, Evaluating Derivatives, section 13.2).

use super::value::{Field, Value};
use crate::expr::{Expr, Function, Node, Number, Pool, SymbolKind};
use rustc_hash::FxHashMap;

/// The monomials up to an order, by degree.
#[derive(Clone, Debug)]
pub struct Monomials {
    /// The exponents.
    pub list: Vec<Vec<u8>>,
    place: FxHashMap<Vec<u8>, usize>,
    /// The order at which series are cut off.
    pub order: usize,
}

impl Monomials {
    /// Those in so many variables.
    pub fn new(variables: usize, order: usize) -> Self {
        let mut list: Vec<Vec<u8>> = vec![vec![0; variables]];
        let mut last = list.clone();
        for _ in 0..order {
            let mut next: Vec<Vec<u8>> = Vec::new();
            for m in &last {
                for k in 0..variables {
                    let mut more = m.clone();
                    more[k] += 1;
                    if !next.contains(&more) {
                        next.push(more);
                    }
                }
            }
            list.extend(next.iter().cloned());
            last = next;
        }
        let place = list.iter().cloned().enumerate().map(|(i, m)| (m, i));
        Self {
            place: place.collect(),
            list,
            order,
        }
    }

    /// The degree of a monomial.
    pub fn degree(&self, place: usize) -> usize {
        self.list[place].iter().map(|e| usize::from(*e)).sum()
    }

    fn product(&self, a: usize, b: usize) -> Option<usize> {
        let sum: Vec<u8> = self.list[a]
            .iter()
            .zip(&self.list[b])
            .map(|(p, q)| p + q)
            .collect();
        self.place.get(&sum).copied()
    }

    /// The place of a monomial times a variable.
    pub fn times(&self, a: usize, variable: usize) -> Option<usize> {
        let mut sum = self.list[a].clone();
        sum[variable] += 1;
        self.place.get(&sum).copied()
    }
}

/// A coefficient a monomial.
pub type Series = Vec<Value>;

/// Arithmetic with series.
pub struct Algebra<'a> {
    /// That of their coefficients.
    pub field: Field<'a>,
    /// Their monomials.
    pub monomials: Monomials,
}

impl<'a> Algebra<'a> {
    /// Series in so many variables up to an order.
    pub fn new(pool: &'a Pool, variables: usize, order: usize) -> Self {
        Self {
            field: Field { pool },
            monomials: Monomials::new(variables, order),
        }
    }

    /// A constant.
    pub fn constant(&self, value: Value) -> Series {
        let mut series = vec![Value::ZERO; self.monomials.list.len()];
        series[0] = value;
        series
    }

    /// A constant plus a variable.
    pub fn variable(&self, value: Value, variable: usize) -> Series {
        let mut series = self.constant(value);
        if let Some(place) = self.monomials.times(0, variable) {
            series[place] = Value::ONE;
        }
        series
    }

    fn add(&self, a: &Series, b: &Series) -> Series {
        let pairs = a.iter().zip(b);
        pairs.map(|(p, q)| self.field.add(p, q)).collect()
    }

    fn scale(&self, a: &Series, by: &Value) -> Series {
        a.iter().map(|v| self.field.mul(v, by)).collect()
    }

    fn mul(&self, a: &Series, b: &Series) -> Series {
        let mut product = self.constant(Value::ZERO);
        for (i, p) in a.iter().enumerate().filter(|(_, p)| !p.is_zero()) {
            for (j, q) in b.iter().enumerate().filter(|(_, q)| !q.is_zero()) {
                if self.monomials.degree(i) + self.monomials.degree(j) > self.monomials.order {
                    break;
                }
                if let Some(place) = self.monomials.product(i, j) {
                    product[place] = self.field.add(&product[place], &self.field.mul(p, q));
                }
            }
        }
        product
    }

    /// sum a_k u^k with u the series without its constant term.
    fn composed(&self, a: &[Value], series: &Series) -> Series {
        let mut u = series.clone();
        u[0] = Value::ZERO;
        let mut sum = self.constant(Value::ZERO);
        for coefficient in a.iter().rev() {
            sum = self.mul(&sum, &u);
            sum[0] = self.field.add(&sum[0], coefficient);
        }
        sum
    }

    fn power(&self, base: &Series, exponent: &Number) -> Option<Series> {
        if let Some(n) = exponent.to_i64().filter(|n| *n >= 0) {
            let (mut left, mut square) = (u64::try_from(n).ok()?, base.clone());
            let mut product = self.constant(Value::ONE);
            while left > 0 {
                if left % 2 == 1 {
                    product = self.mul(&product, &square);
                }
                left /= 2;
                if left > 0 {
                    square = self.mul(&square, &square);
                }
            }
            return Some(product);
        }
        let inner = self.cut_off([base[0].clone(), Value::ONE]);
        Some(self.composed(&self.plain_power(&inner, exponent)?, base))
    }

    /// The coefficients of a polynomial, up to the order.
    fn cut_off<const N: usize>(&self, polynomial: [Value; N]) -> Vec<Value> {
        let mut a = Vec::from(polynomial);
        a.resize(self.monomials.order + 1, Value::ZERO);
        a
    }

    /// (sum a_k w^k)^q: p_k = sum (q j - (k - j)) a_j p_(k-j) / (k a_0).
    fn plain_power(&self, a: &[Value], q: &Number) -> Option<Vec<Value>> {
        let f = self.field;
        let first = a.first()?;
        let mut p = vec![match q.to_i64() {
            Some(n) => {
                let mut product = Value::ONE;
                for _ in 0..n.unsigned_abs().min(64) {
                    product = f.mul(&product, first);
                }
                if n.unsigned_abs() > 64 {
                    return None;
                }
                if n < 0 {
                    f.div(&Value::ONE, &product)?
                } else {
                    product
                }
            }
            None => f.power(first, q)?,
        }];
        for k in 1..a.len() {
            let mut sum = Value::ZERO;
            for j in 1..=k {
                let whole = |v: usize| Number::from(i64::try_from(v).unwrap_or(i64::MAX));
                let weight = q.mul(&whole(j)).sub(&whole(k - j));
                let term = f.mul(&a[j], &p[k - j]);
                sum = f.add(&sum, &f.mul(&term, &Value::Number(weight)));
            }
            let below = f.part(first, i64::try_from(k).ok()?, 1);
            p.push(f.div(&sum, &below)?);
        }
        Some(p)
    }

    /// The coefficients of a function round c.
    #[allow(clippy::too_many_lines)] // a paragraph a function
    fn taylor(&self, function: Function, c: &Value) -> Option<Vec<Value>> {
        let f = self.field;
        let order = self.monomials.order;
        let whole = |k: usize| i64::try_from(k).unwrap_or(i64::MAX);
        // a_(k+1) from the derivative's coefficients
        let integrated = |start: Value, slope: &[Value]| -> Vec<Value> {
            let rest = slope.iter().take(order).enumerate();
            let rest = rest.map(|(k, v)| f.part(v, 1, whole(k + 1)));
            std::iter::once(start).chain(rest).collect()
        };
        // f, f', f'', … over k!
        let cycle = |values: &[Value]| -> Vec<Value> {
            let mut factorial = Value::ONE;
            (0..=order)
                .map(|k| {
                    if k > 0 {
                        factorial = f.part(&factorial, 1, whole(k));
                    }
                    f.mul(&values[k % values.len()], &factorial)
                })
                .collect()
        };
        let around = |shift: Value, sign: i64| -> Vec<Value> {
            // shift + sign (c + w)^2
            let square = f.part(&f.mul(c, c), sign, 1);
            let slope = f.part(c, 2 * sign, 1);
            self.cut_off([f.add(&shift, &square), slope, f.part(&Value::ONE, sign, 1)])
        };
        let own = |g: Function| f.apply(g, c);
        Some(match function {
            Function::Exp => cycle(&[own(Function::Exp)?]),
            Function::Sin | Function::Cos => {
                let (s, k) = (own(Function::Sin)?, own(Function::Cos)?);
                let (ns, nk) = (f.neg(&s), f.neg(&k));
                if function == Function::Sin {
                    cycle(&[s, k, ns, nk])
                } else {
                    cycle(&[k, ns, nk, s])
                }
            }
            Function::Sinh | Function::Cosh => {
                let (s, k) = (own(Function::Sinh)?, own(Function::Cosh)?);
                if function == Function::Sinh {
                    cycle(&[s, k])
                } else {
                    cycle(&[k, s])
                }
            }
            Function::Tan | Function::Tanh => {
                let (upper, lower) = if function == Function::Tan {
                    (Function::Sin, Function::Cos)
                } else {
                    (Function::Sinh, Function::Cosh)
                };
                let (a, b) = (self.taylor(upper, c)?, self.taylor(lower, c)?);
                let below = self.plain_power(&b, &Number::MINUS_ONE)?;
                (0..=order)
                    .map(|k| {
                        (0..=k).fold(Value::ZERO, |sum, j| {
                            f.add(&sum, &f.mul(&a[j], &below[k - j]))
                        })
                    })
                    .collect()
            }
            Function::Erf => {
                // g = 2/sqrt(pi) exp(-(c + h)^2), and g' = -2 (c + h) g
                let pool = f.pool;
                let scale = pool.scale(pool.powi(pool.sqrt(pool.pi()), -1), &Number::from(2));
                let bell = f.apply(Function::Exp, &f.neg(&f.mul(c, c)))?;
                let mut g = vec![f.mul(&f.constant(scale), &bell)];
                for k in 0..order {
                    let mut next = f.mul(c, &g[k]);
                    if k > 0 {
                        next = f.add(&next, &g[k - 1]);
                    }
                    g.push(f.part(&next, -2, whole(k + 1)));
                }
                integrated(own(Function::Erf)?, &g)
            }
            Function::Log => {
                let start = own(Function::Log)?;
                let inner = self.cut_off([c.clone(), Value::ONE]);
                integrated(start, &self.plain_power(&inner, &Number::MINUS_ONE)?)
            }
            Function::Atan => integrated(
                own(Function::Atan)?,
                &self.plain_power(&around(Value::ONE, 1), &Number::MINUS_ONE)?,
            ),
            Function::Asin | Function::Acos => {
                let start = own(function)?;
                let mut slope = self.plain_power(&around(Value::ONE, -1), &Number::HALF.neg())?;
                if function == Function::Acos {
                    slope = slope.iter().map(|v| f.neg(v)).collect();
                }
                integrated(start, &slope)
            }
            Function::Abs => {
                let start = own(Function::Abs)?;
                let sign = if c.range().lo > 0.0 { 1 } else { -1 };
                self.cut_off([start, f.part(&Value::ONE, sign, 1)])
            }
            Function::Sign => self.cut_off([own(Function::Sign)?]),
            Function::Atan2 => return None,
        })
    }

    /// The series of expressions whose symbols have these; `None` where one is not analytic there, or has a symbol
    /// that is not among them.
    pub fn of(&self, list: &[Expr], symbols: &FxHashMap<Expr, Series>) -> Option<Vec<Series>> {
        let pool = self.field.pool;
        let mut memo: FxHashMap<Expr, Option<Series>> = FxHashMap::default();
        pool.visit(list, &mut |e, node| {
            let series = self.of_node(e, node, symbols, &memo);
            memo.insert(e, series);
        });
        list.iter()
            .map(|e| memo.get(e).cloned().flatten())
            .collect()
    }

    fn of_node(
        &self,
        e: Expr,
        node: &Node,
        symbols: &FxHashMap<Expr, Series>,
        memo: &FxHashMap<Expr, Option<Series>>,
    ) -> Option<Series> {
        let pool = self.field.pool;
        let at = |e: &Expr| memo.get(e).and_then(Option::as_ref);
        Some(match node {
            Node::Number(n) => self.constant(Value::Number(n.clone())),
            Node::Symbol(_) => match symbols.get(&e) {
                Some(series) => series.clone(),
                None if pool.symbol_kind(e) == Some(SymbolKind::Pi) => {
                    self.constant(self.field.constant(e))
                }
                None => return None,
            },
            Node::Sum(constant, terms) => {
                let mut sum = self.constant(Value::Number(constant.clone()));
                for (term, k) in terms {
                    sum = self.add(&sum, &self.scale(at(term)?, &Value::Number(k.clone())));
                }
                sum
            }
            Node::Product(coefficient, factors) => {
                let mut product = self.constant(Value::Number(coefficient.clone()));
                for (base, exponent) in factors {
                    let q = pool.as_number(*exponent)?;
                    product = self.mul(&product, &self.power(at(base)?, &q)?);
                }
                product
            }
            Node::Apply(function, arguments) => match arguments.as_slice() {
                [one] => {
                    let inner = at(one)?;
                    self.composed(&self.taylor(*function, &inner[0])?, inner)
                }
                [y, x] => self.angle(at(y)?, at(x)?)?,
                _ => return None,
            },
        })
    }

    /// atan2(y, x) up to a constant that is only enclosed.
    fn angle(&self, y: &Series, x: &Series) -> Option<Series> {
        let (b, a) = (y[0].range(), x[0].range());
        if !b.misses_cut(a) {
            return None;
        }
        // atan(y/x) or -atan(x/y), plus a constant
        let (upper, lower, sign) = if x[0].is_not_zero() {
            (y, x, 1)
        } else {
            (x, y, -1)
        };
        let quotient = self.mul(upper, &self.power(lower, &Number::MINUS_ONE)?);
        let turned = self.composed(&self.taylor(Function::Atan, &quotient[0])?, &quotient);
        let mut series = self.scale(&turned, &Value::Number(Number::from(sign)));
        let whole = self.field.both(&y[0], &x[0]);
        series[0] = whole.map_or(Value::Range(b.atan2(a)), |(p, q)| {
            self.field.constant(self.field.pool.atan2(p, q))
        });
        Some(series)
    }
}
