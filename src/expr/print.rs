//! Expressions as text.
//!
//! [`Style::Plain`] is the grammar of system files: what it prints reads back as the same
//! expression. [`Style::Pretty`] is for people at a UTF-8 terminal (`-2 x1`, `x1″`, `√(u)`),
//! [`Style::Latex`] for papers.
//!
//! Order: in a product numbers, parameters, multipliers, coordinates, functions, sums; in a sum the
//! highest time derivatives first, then higher powers, and a positive term leads where there is one.

use super::cost::split_coefficient;
use super::function::Function;
use super::number::Number;
use super::pool::{Expr, Node, Pool, SymbolKind};
use std::cmp::Ordering;

/// Trees of more operations than this are not written out: shared parts can make them exponentially long.
const LARGEST_PRINTED: usize = 2_000_000;

/// How expressions are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// The grammar of system files.
    Plain,
    /// Unicode, for reading.
    Pretty,
    /// LaTeX, math mode.
    Latex,
}

/// How tightly a piece of text binds, for parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Sum,
    Product,
    Power,
    Atom,
}

struct Piece {
    text: String,
    binding: Binding,
}

impl Piece {
    fn atom(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            binding: Binding::Atom,
        }
    }
}

impl Pool {
    /// The expression in the grammar of system files.
    pub fn print(&self, e: Expr) -> String {
        self.print_as(e, Style::Plain)
    }

    /// The expression in a style.
    pub fn print_as(&self, e: Expr, style: Style) -> String {
        let size = self.size(e);
        if size > LARGEST_PRINTED {
            return format!("(too large to print: {size} operations)");
        }
        Printer { pool: self, style }.piece(e).text
    }
}

struct Printer<'a> {
    pool: &'a Pool,
    style: Style,
}

impl Printer<'_> {
    fn piece(&self, e: Expr) -> Piece {
        let node = self.pool.owned(e);
        match node {
            Node::Number(n) => self.number(&n),
            Node::Symbol(_) => Piece::atom(self.symbol(e)),
            Node::Sum { constant, terms } => self.sum(&constant, terms),
            Node::Product {
                coefficient,
                factors,
            } => {
                let (negative, piece) = self.product(&coefficient, &factors);
                if negative {
                    Piece {
                        text: format!("-{}", piece.text),
                        binding: Binding::Sum,
                    }
                } else {
                    piece
                }
            }
            Node::Apply(f, args) => self.function(f, &args),
        }
    }

    fn number(&self, n: &Number) -> Piece {
        if self.style == Style::Latex && !n.is_integer() && n.to_string().contains('/') {
            let sign = if n.is_negative() { "-" } else { "" };
            return Piece {
                text: format!(
                    "{sign}\\frac{{{}}}{{{}}}",
                    n.numerator().abs(),
                    n.denominator()
                ),
                binding: if n.is_negative() {
                    Binding::Sum
                } else {
                    Binding::Atom
                },
            };
        }
        let text = n.to_string();
        let binding = if n.is_negative() {
            Binding::Sum
        } else if text.contains('/') {
            Binding::Product
        } else {
            Binding::Atom
        };
        Piece { text, binding }
    }

    fn symbol(&self, e: Expr) -> String {
        let Some(symbol) = self.pool.as_symbol(e) else {
            return String::new();
        };
        match self.style {
            Style::Plain => symbol.name,
            Style::Pretty => pretty_name(&symbol.name),
            Style::Latex => latex_name(&symbol.name, symbol.kind),
        }
    }

    fn wrap(&self, piece: Piece, needed: Binding) -> String {
        if piece.binding >= needed {
            piece.text
        } else {
            self.parenthesised(&piece.text)
        }
    }

    fn parenthesised(&self, text: &str) -> String {
        match self.style {
            Style::Latex => format!("\\left({text}\\right)"),
            _ => format!("({text})"),
        }
    }

    fn sum(&self, constant: &Number, mut terms: Vec<(Expr, Number)>) -> Piece {
        let content = common_content(constant, &terms);
        if let (false, Some(inverse)) = (content.is_one(), content.recip()) {
            for (_, k) in &mut terms {
                *k = k.mul(&inverse);
            }
            let bare = self.terms(&constant.mul(&inverse), terms);
            let (top, bottom) = split_coefficient(&content, true);
            let mut above: Vec<Piece> = top.iter().map(|n| self.number(n)).collect();
            above.push(bare);
            return match bottom {
                None => self.joined(above),
                Some(bottom) => self.fraction(above, vec![self.number(&bottom)]),
            };
        }
        self.terms(constant, terms)
    }

    fn terms(&self, constant: &Number, mut terms: Vec<(Expr, Number)>) -> Piece {
        terms.sort_by(|a, b| self.pool.term_order(a.0, b.0));
        let mut parts: Vec<(bool, String)> = terms
            .iter()
            .map(|(e, k)| {
                let factors = if let Node::Product { factors, .. } = &*self.pool.node(*e) {
                    factors.clone()
                } else {
                    smallvec::smallvec![(*e, self.pool.one())]
                };
                let (negative, piece) = self.product(k, &factors);
                (negative, self.wrap(piece, Binding::Product))
            })
            .collect();
        if !constant.is_zero() {
            parts.push((constant.is_negative(), self.number(&constant.abs()).text));
        }
        if parts.first().is_some_and(|(negative, _)| *negative)
            && let Some(first) = parts.iter().position(|(negative, _)| !negative)
        {
            let lead = parts.remove(first);
            parts.insert(0, lead);
        }
        let mut text = String::new();
        for (i, (negative, part)) in parts.iter().enumerate() {
            text.push_str(match (i, negative) {
                (0, true) => "-",
                (0, false) => "",
                (_, true) => " - ",
                (_, false) => " + ",
            });
            text.push_str(part);
        }
        Piece {
            text,
            binding: Binding::Sum,
        }
    }

    /// A product without its sign, and whether that is minus. A sum takes the sign in where it has
    /// a negative term: `-x3*(x1 - x2)` is written `x3*(x2 - x1)`.
    fn product(&self, coefficient: &Number, factors: &[(Expr, Expr)]) -> (bool, Piece) {
        let mut negative = coefficient.is_negative();
        let size = coefficient.abs();
        let mut ordered: Vec<(Expr, Expr)> = factors.to_vec();
        if negative && let Some(place) = self.pool.turnable(factors) {
            ordered[place].0 = self.pool.neg(ordered[place].0);
            negative = false;
        }
        ordered.sort_by(|a, b| self.pool.factor_order(*a, *b));
        let is_below = |x: &Expr| self.pool.as_number(*x).is_some_and(|q| q.is_negative());
        let bottoms = ordered.iter().filter(|(_, x)| is_below(x)).count();
        let others = ordered.len() > bottoms;
        let (below, above): (Vec<_>, Vec<_>) = ordered.into_iter().partition(|(_, x)| is_below(x));
        let mut top: Vec<Piece> = Vec::new();
        let mut bottom: Vec<Piece> = Vec::new();
        let (over, under) = split_coefficient(&size, others);
        top.extend(over.map(|n| self.number(&n)));
        bottom.extend(under.map(|n| self.number(&n)));
        for (b, x) in above {
            top.push(self.power(b, x));
        }
        for (b, x) in below {
            let x = self.pool.neg(x);
            bottom.push(self.power(b, x));
        }
        if top.is_empty() {
            top.push(Piece::atom("1"));
        }
        let piece = if bottom.is_empty() {
            self.joined(top)
        } else {
            self.fraction(top, bottom)
        };
        (negative, piece)
    }

    fn fraction(&self, top: Vec<Piece>, bottom: Vec<Piece>) -> Piece {
        let single = bottom.len() == 1;
        let top = self.joined(top);
        let bottom = self.joined(bottom);
        if self.style == Style::Latex {
            return Piece::atom(format!("\\frac{{{}}}{{{}}}", top.text, bottom.text));
        }
        let bottom = if single {
            self.wrap(bottom, Binding::Power)
        } else {
            self.parenthesised(&bottom.text)
        };
        let top = self.wrap(top, Binding::Product);
        let bar = if self.style == Style::Pretty && (top.contains(' ') || bottom.contains(' ')) {
            " / "
        } else {
            "/"
        };
        Piece {
            text: format!("{top}{bar}{bottom}"),
            binding: Binding::Product,
        }
    }

    /// Factors one after the other.
    fn joined(&self, pieces: Vec<Piece>) -> Piece {
        if pieces.len() == 1 {
            return pieces
                .into_iter()
                .next()
                .unwrap_or_else(|| Piece::atom("1"));
        }
        let parts: Vec<String> = pieces
            .into_iter()
            .map(|p| self.wrap(p, Binding::Power))
            .collect();
        let text = match self.style {
            Style::Plain => parts.join("*"),
            Style::Pretty => parts.join(" "),
            Style::Latex => parts.join(" \\, "),
        };
        Piece {
            text,
            binding: Binding::Product,
        }
    }

    fn power(&self, base: Expr, exponent: Expr) -> Piece {
        if exponent == self.pool.one() {
            return self.piece(base);
        }
        let q = self.pool.as_number(exponent);
        if q.as_ref() == Some(&Number::HALF) {
            let inside = self.piece(base);
            return match self.style {
                Style::Plain => Piece::atom(format!("sqrt({})", inside.text)),
                Style::Pretty if inside.binding == Binding::Atom => {
                    Piece::atom(format!("√{}", inside.text))
                }
                Style::Pretty => Piece::atom(format!("√({})", inside.text)),
                Style::Latex => Piece::atom(format!("\\sqrt{{{}}}", inside.text)),
            };
        }
        let base = self.piece(base);
        if self.style == Style::Pretty
            && let Some(raised) = q.and_then(|q| q.to_i64()).and_then(superscript)
        {
            return Piece {
                text: format!("{}{raised}", self.wrap(base, Binding::Atom)),
                binding: Binding::Power,
            };
        }
        let exponent = self.piece(exponent);
        let text = if self.style == Style::Latex {
            format!("{}^{{{}}}", self.wrap(base, Binding::Atom), exponent.text)
        } else {
            let base = self.wrap(base, Binding::Atom);
            format!("{base}^{}", self.wrap(exponent, Binding::Atom))
        };
        Piece {
            text,
            binding: Binding::Power,
        }
    }

    fn function(&self, f: Function, args: &[Expr]) -> Piece {
        let inside: Vec<String> = args.iter().map(|a| self.piece(*a).text).collect();
        let inside = inside.join(", ");
        Piece::atom(match (self.style, f) {
            (Style::Pretty, Function::Abs) => format!("|{inside}|"),
            (Style::Latex, Function::Abs) => format!("\\left|{inside}\\right|"),
            (Style::Latex, _) => {
                let name = match f {
                    Function::Asin => "\\arcsin",
                    Function::Acos => "\\arccos",
                    Function::Atan => "\\arctan",
                    Function::Atan2 => "\\operatorname{atan2}",
                    Function::Sign => "\\operatorname{sgn}",
                    _ => return Piece::atom(format!("\\{}\\left({inside}\\right)", f.name())),
                };
                format!("{name}\\left({inside}\\right)")
            }
            _ => format!("{}({inside})", f.name()),
        })
    }
}

/// The positive number that is written before a sum in parentheses, where that saves operations:
/// `2*x - 2*y` is written `2*(x - y)`.
pub(super) fn common_content(constant: &Number, terms: &[(Expr, Number)]) -> Number {
    if terms.len() + usize::from(!constant.is_zero()) < 2
        || terms.iter().any(|(_, k)| k.abs().is_one())
    {
        return Number::ONE;
    }
    let content = terms.iter().fold(constant.abs(), |g, (_, k)| g.content(k));
    let Some(inverse) = content.recip().filter(|_| !content.is_one()) else {
        return Number::ONE;
    };
    let bar = |k: &Number| usize::from(k.to_string().contains('/'));
    let count = |k: &Number| {
        let (top, bottom) = split_coefficient(&k.abs(), true);
        usize::from(top.is_some_and(|n| !n.is_one())) + usize::from(bottom.is_some())
    };
    let (mut before, mut after) = (
        bar(constant),
        bar(&constant.mul(&inverse)) + count(&content),
    );
    for (_, k) in terms {
        before += count(k);
        after += count(&k.mul(&inverse));
    }
    if after < before { content } else { Number::ONE }
}

impl Pool {
    /// The factor that takes in the minus sign of a product: `-x3*(x1 - x2)` is written `x3*(x2 - x1)`.
    pub(super) fn turnable(&self, factors: &[(Expr, Expr)]) -> Option<usize> {
        factors
            .iter()
            .enumerate()
            .filter(|(_, (b, x))| {
                self.as_number(*x).is_some_and(|q| q.abs().is_one())
                    && matches!(&*self.node(*b), Node::Sum { constant, terms }
                        if constant.is_negative() || terms.iter().any(|(_, k)| k.is_negative()))
            })
            .min_by(|(_, a), (_, b)| {
                let sizes = self.size(a.0).cmp(&self.size(b.0));
                sizes.then_with(|| self.structural_order(a.0, b.0))
            })
            .map(|(place, _)| place)
    }

    /// Where a factor stands in a product.
    fn factor_rank(&self, base: Expr) -> (u8, usize, usize) {
        match &*self.node(base) {
            Node::Number(_) => (0, 0, 0),
            Node::Symbol(_) => match self.symbol_kind(base) {
                Some(SymbolKind::Pi) => (1, 0, 0),
                Some(SymbolKind::Parameter(i)) => (2, i, 0),
                Some(SymbolKind::Multiplier(i)) => (3, i, 0),
                Some(SymbolKind::Level(i)) => (4, i, 0),
                Some(SymbolKind::Time) => (5, 0, 0),
                Some(SymbolKind::Coordinate { index, order }) => (6, usize::from(order), index),
                Some(SymbolKind::Other(i)) => (7, i, 0),
                None => (8, 0, 0),
            },
            Node::Apply(..) => (9, 0, 0),
            Node::Product { .. } => (10, 0, 0),
            // a sum of parameters is a parameter of its own: (M + m)*x''
            Node::Sum { .. } if self.is_constant(base) => (2, usize::MAX, 0),
            Node::Sum { .. } => (11, 0, 0),
        }
    }

    fn factor_order(&self, a: (Expr, Expr), b: (Expr, Expr)) -> Ordering {
        self.factor_rank(a.0)
            .cmp(&self.factor_rank(b.0))
            .then_with(|| self.structural_order(a.0, b.0))
            .then_with(|| self.structural_order(a.1, b.1))
    }

    /// An order of expressions that does not depend on when they were made.
    pub fn structural_order(&self, a: Expr, b: Expr) -> Ordering {
        if a == b {
            return Ordering::Equal;
        }
        let ranks = self.factor_rank(a).cmp(&self.factor_rank(b));
        if ranks != Ordering::Equal {
            return ranks;
        }
        let (left, right) = (self.owned(a), self.owned(b));
        let pairs = |x: &[(Expr, Expr)], y: &[(Expr, Expr)]| -> Ordering {
            let sorted = |list: &[(Expr, Expr)]| {
                let mut list = list.to_vec();
                list.sort_by(|p, q| self.factor_order(*p, *q));
                list
            };
            let (x, y) = (sorted(x), sorted(y));
            for (p, q) in x.iter().zip(&y) {
                let order = self.factor_order(*p, *q);
                if order != Ordering::Equal {
                    return order;
                }
            }
            x.len().cmp(&y.len())
        };
        match (left, right) {
            (Node::Number(x), Node::Number(y)) => x.cmp(&y),
            (Node::Apply(f, x), Node::Apply(g, y)) => f.cmp(&g).then_with(|| {
                x.iter()
                    .zip(&y)
                    .map(|(p, q)| self.structural_order(*p, *q))
                    .find(|o| *o != Ordering::Equal)
                    .unwrap_or(Ordering::Equal)
            }),
            (
                Node::Product {
                    coefficient: k,
                    factors: x,
                },
                Node::Product {
                    coefficient: l,
                    factors: y,
                },
            ) => pairs(&x, &y).then_with(|| k.cmp(&l)),
            (
                Node::Sum {
                    constant: c,
                    terms: x,
                },
                Node::Sum {
                    constant: d,
                    terms: y,
                },
            ) => {
                let sorted = |mut list: Vec<(Expr, Number)>| {
                    list.sort_by(|p, q| self.term_order(p.0, q.0));
                    list
                };
                let (x, y) = (sorted(x), sorted(y));
                for (p, q) in x.iter().zip(&y) {
                    let order = self.term_order(p.0, q.0).then_with(|| q.1.cmp(&p.1));
                    if order != Ordering::Equal {
                        return order;
                    }
                }
                y.len().cmp(&x.len()).then_with(|| c.cmp(&d))
            }
            _ => a.cmp(&b),
        }
    }

    /// Where a term stands in a sum: highest time derivative first, then the higher power, then by its factors.
    fn term_order(&self, a: Expr, b: Expr) -> Ordering {
        if a == b {
            return Ordering::Equal;
        }
        let key = |e: Expr| {
            let factors = if let Node::Product { factors, .. } = &*self.node(e) {
                factors.clone()
            } else {
                smallvec::smallvec![(e, self.one())]
            };
            let mut derivative = 0_u8;
            let mut degree = Number::ZERO;
            for (b, x) in &factors {
                if let Some(SymbolKind::Coordinate { order, .. }) = self.symbol_kind(*b) {
                    derivative = derivative.max(order);
                }
                if !matches!(
                    self.symbol_kind(*b),
                    Some(SymbolKind::Parameter(_) | SymbolKind::Pi)
                ) && let Some(q) = self.as_number(*x)
                {
                    degree = degree.add(&q);
                }
            }
            (derivative, degree, factors)
        };
        let (da, ga, fa) = key(a);
        let (db, gb, fb) = key(b);
        db.cmp(&da).then_with(|| gb.cmp(&ga)).then_with(|| {
            let varying = |list: &[(Expr, Expr)]| {
                let mut list: Vec<(Expr, Expr)> = list.to_vec();
                list.sort_by(|p, q| {
                    let constant = |e: Expr| {
                        matches!(
                            self.symbol_kind(e),
                            Some(SymbolKind::Parameter(_) | SymbolKind::Pi)
                        )
                    };
                    constant(p.0)
                        .cmp(&constant(q.0))
                        .then_with(|| self.factor_order(*p, *q))
                });
                list
            };
            let (x, y) = (varying(&fa), varying(&fb));
            for (p, q) in x.iter().zip(&y) {
                let order = self
                    .factor_rank(p.0)
                    .cmp(&self.factor_rank(q.0))
                    .then_with(|| self.structural_order(p.0, q.0))
                    .then_with(|| self.structural_order(q.1, p.1));
                if order != Ordering::Equal {
                    return order;
                }
            }
            y.len().cmp(&x.len())
        })
    }
}

/// A name with typographic primes and the Greek letter lambda.
fn pretty_name(name: &str) -> String {
    let name = name.replace("''", "″").replace('\'', "′");
    match name.strip_prefix("lambda_") {
        Some(rest) => format!("λ_{rest}"),
        None if name == "pi" => "π".to_owned(),
        None => name,
    }
}

fn superscript(n: i64) -> Option<String> {
    if !(0..100).contains(&n) {
        return None;
    }
    let digits = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    n.to_string()
        .chars()
        .map(|c| c.to_digit(10).and_then(|d| digits.get(d as usize).copied()))
        .collect()
}

const GREEK: [&str; 23] = [
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa",
    "lambda", "mu", "nu", "xi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega",
    "pi",
];

fn latex_name(name: &str, kind: SymbolKind) -> String {
    let bare = name.trim_end_matches('\'');
    let word = |w: &str| {
        let lower = w.to_lowercase();
        if GREEK.contains(&lower.as_str()) {
            format!("\\{w}")
        } else if w.chars().count() <= 1 || w.chars().all(|c| c.is_ascii_digit()) {
            w.to_owned()
        } else {
            format!("\\mathrm{{{}}}", w.replace('_', "\\_"))
        }
    };
    let (stem, index) = if let Some((stem, index)) = bare.split_once('_') {
        (stem.to_owned(), Some(index.to_owned()))
    } else {
        let stem = bare.trim_end_matches(|c: char| c.is_ascii_digit());
        let index = &bare[stem.len()..];
        (
            stem.to_owned(),
            (!index.is_empty() && !stem.is_empty()).then(|| index.to_owned()),
        )
    };
    let stem = word(&stem);
    let stem = match kind {
        SymbolKind::Coordinate { order: 1, .. } => format!("\\dot{{{stem}}}"),
        SymbolKind::Coordinate { order: 2, .. } => format!("\\ddot{{{stem}}}"),
        _ => stem,
    };
    match index {
        Some(index) => format!("{stem}_{{{}}}", word(&index)),
        None => stem,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_like_mechanics() {
        let p = Pool::new();
        let x = p.symbol("x1", SymbolKind::Coordinate { index: 0, order: 0 });
        let y = p.symbol("x2", SymbolKind::Coordinate { index: 1, order: 0 });
        let a = p.symbol("x1''", SymbolKind::Coordinate { index: 0, order: 2 });
        let b = p.symbol("x2''", SymbolKind::Coordinate { index: 1, order: 2 });
        let m = p.symbol("m", SymbolKind::Parameter(0));
        let g = p.symbol("g", SymbolKind::Parameter(1));
        let wire = p.sub(y, p.powi(x, 2));
        assert_eq!(p.print(wire), "x2 - x1^2");
        assert_eq!(p.print(p.derivative(wire, x)), "-2*x1");
        let lambda = p.div(p.neg(p.mul(m, a)), p.mul(p.number(2), x));
        assert_eq!(p.print(lambda), "-m*x1''/(2*x1)");
        assert_eq!(p.print_as(lambda, Style::Pretty), "-m x1″ / (2 x1)");
        assert_eq!(
            p.print_as(lambda, Style::Latex),
            "-\\frac{m \\, \\ddot{x}_{1}}{2 \\, x_{1}}"
        );
        let reduced = p.sum([p.mul(g, m), p.mul(m, b), p.neg(lambda)]);
        assert_eq!(p.print(reduced), "m*x2'' + m*x1''/(2*x1) + m*g");
        let root = p.sqrt(p.sub(y, p.powi(x, 2)));
        assert_eq!(
            p.print(p.neg(p.div(root, p.number(2)))),
            "-sqrt(x2 - x1^2)/2"
        );
        assert_eq!(
            p.print(p.pow(p.neg(x), p.number(Number::HALF))),
            "sqrt(-x1)"
        );
        assert_eq!(p.print(p.pow(x, p.number(-2))), "1/x1^2");
    }
}
