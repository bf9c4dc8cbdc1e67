//! Expressions as text.
//!
//! [`Style::Plain`] is the grammar of system files: what it prints reads back as the same
//! expression. [`Style::Pretty`] is for people at a UTF-8 terminal, on one line: `-2 x₁`, `x₁″`, `x₁²`,
//! `√(u)`, `|x|`, `λ_wire`. [`Style::Latex`] is for papers. [`Pool::paper`] sets a formula on several
//! lines, as on paper: fractions with a bar, tall parentheses, raised exponents.
//!
//! An expression becomes a [`Tree`] first: what is written, in which order, where the fraction bars and
//! the parentheses are. Each way of writing is a walk over that tree, a file each.
//! What comes first is told in `order`, except that a positive term leads a sum where there is one.

mod latex;
mod line;
mod name;
mod order;
mod paper;
mod rows;
mod sign;
mod tree;

pub use name::greek_name;
pub(super) use order::first_difference;
pub use paper::{Frame, Layout, Typeset};
pub use rows::{Room, text_width};

use super::cost::split_coefficient;
use super::function::Function;
use super::memo::Tightness;
use super::number::Number;
use super::pool::{Expr, Node, Pool, SymbolKind};
use sign::Turning;
use tree::{Fence, Sign, Tree};

/// Trees of more operations than this are not written out: shared parts can make them exponentially long.
const LARGEST_PRINTED: usize = 100_000;

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

/// A piece of a formula and how tightly it binds.
struct Operand {
    tree: Tree,
    tightness: Tightness,
}

impl Operand {
    fn atom(text: impl Into<String>) -> Self {
        Self {
            tree: Tree::Text(text.into()),
            tightness: Tightness::Atom,
        }
    }

    /// Factors one after the other.
    fn joined(mut pieces: Vec<Self>) -> Self {
        if pieces.len() == 1
            && let Some(one) = pieces.pop()
        {
            return one;
        }
        let parts = pieces
            .into_iter()
            .map(|p| p.within(Tightness::Power))
            .collect();
        Self {
            tree: Tree::Row(parts),
            tightness: Tightness::Product,
        }
    }

    /// In parentheses where it binds less than needed.
    fn within(self, needed: Tightness) -> Tree {
        if self.tightness >= needed {
            self.tree
        } else {
            Tree::Fenced(Fence::Round, Box::new(self.tree))
        }
    }
}

impl Pool {
    /// The expression in the grammar of system files.
    pub fn print(&self, e: Expr) -> String {
        self.print_as(e, Style::Plain)
    }

    /// The expression in a style, on one line.
    pub fn print_as(&self, e: Expr, style: Style) -> String {
        self.print_terms(&[e], style)
    }

    /// The sum of these terms in their order, on one line.
    pub fn print_terms(&self, terms: &[Expr], style: Style) -> String {
        match Printer::new(self, style).tree(terms) {
            Ok(tree) if style == Style::Latex => latex::text(&tree),
            Ok(tree) => line::text(&tree, style),
            Err(size) => format!("(too large to print: {size} operations)"),
        }
    }
}

struct Printer<'a> {
    pool: &'a Pool,
    style: Style,
    /// Are fractions stacked and exponents raised, so that they need no parentheses?
    stacks: bool,
}

impl<'a> Printer<'a> {
    fn new(pool: &'a Pool, style: Style) -> Self {
        Self {
            pool,
            style,
            stacks: style == Style::Latex,
        }
    }

    /// The formula of a sum of terms in their order; its size where that is too large.
    fn tree(&self, terms: &[Expr]) -> Result<Tree, usize> {
        let sizes = terms.iter().map(|e| self.pool.size(*e));
        let size = sizes.fold(0, usize::saturating_add);
        if size > LARGEST_PRINTED {
            return Err(size);
        }
        Ok(match terms {
            [] => Tree::Text("0".to_owned()),
            [one] => self.piece(*one).tree,
            several => Tree::Sum(several.iter().flat_map(|e| self.summands(*e)).collect()),
        })
    }

    fn piece(&self, e: Expr) -> Operand {
        let node = self.pool.owned(e);
        match node {
            Node::Number(n) => self.number(&n),
            Node::Symbol(_) => Operand::atom(self.symbol(e)),
            Node::Sum(constant, terms) => self.sum(&constant, terms),
            Node::Product(coefficient, factors) => {
                let (sign, piece) = self.product(&coefficient, &factors, Turning::Short);
                if sign == Sign::Plus {
                    piece
                } else {
                    Operand {
                        tree: Tree::Signed(sign, Box::new(piece.tree)),
                        tightness: Tightness::Sum,
                    }
                }
            }
            Node::Apply(f, args) => self.function(f, &args, None),
        }
    }

    /// What an expression adds to a sum: its own terms where it is one.
    fn summands(&self, e: Expr) -> Vec<(Sign, Tree)> {
        match self.piece(e) {
            Operand {
                tree: Tree::Signed(sign, tree),
                ..
            } => vec![(sign, *tree)],
            Operand {
                tree: Tree::Sum(terms),
                ..
            } => terms,
            piece => vec![(Sign::Plus, piece.tree)],
        }
    }

    fn number(&self, n: &Number) -> Operand {
        let text = n.to_string();
        let size = text.trim_start_matches('-');
        let (tree, mut tightness) = if let Some((top, bottom)) = size.split_once('/') {
            let part = |text: &str| Box::new(Tree::Text(text.to_owned()));
            let tightness = if self.stacks {
                Tightness::Power
            } else {
                Tightness::Product
            };
            (Tree::Fraction(part(top), part(bottom)), tightness)
        } else if let Some((digits, exponent)) = size.split_once('e') {
            let tightness = if self.style == Style::Plain {
                Tightness::Atom
            } else {
                Tightness::Power
            };
            let tree = Tree::Scientific(digits.to_owned(), exponent.to_owned());
            (tree, tightness)
        } else {
            (Tree::Text(size.to_owned()), Tightness::Atom)
        };
        let tree = if n.is_negative() {
            tightness = Tightness::Sum;
            Tree::Signed(Sign::Minus, Box::new(tree))
        } else {
            tree
        };
        Operand { tree, tightness }
    }

    fn symbol(&self, e: Expr) -> String {
        let Some(symbol) = self.pool.as_symbol(e) else {
            return String::new();
        };
        self.pool.shown(&symbol, self.style)
    }

    fn sum(&self, constant: &Number, mut terms: Vec<(Expr, Number)>) -> Operand {
        let content = self.pool.shown_content(constant, &terms);
        if let (false, Some(inverse)) = (content.is_one(), content.recip()) {
            for (_, k) in &mut terms {
                *k = k.mul(&inverse);
            }
            let bare = self.terms(&constant.mul(&inverse), terms);
            let (top, bottom) = split_coefficient(&content, true);
            let mut above: Vec<Operand> = top.iter().map(|n| self.number(n)).collect();
            above.push(bare);
            return match bottom {
                None => Operand::joined(above),
                Some(bottom) => self.fraction(above, vec![self.number(&bottom)]),
            };
        }
        self.terms(constant, terms)
    }

    fn terms(&self, constant: &Number, mut terms: Vec<(Expr, Number)>) -> Operand {
        terms.sort_by(|a, b| self.pool.term_order(a.0, b.0));
        let one = || (self.pool.one(), constant.clone());
        if !constant.is_zero() {
            // 1 + cos(u), but x + 1
            let leads = !constant.is_negative() && self.pool.stands_behind_one(&terms);
            terms.insert(if leads { 0 } else { terms.len() }, one());
        }
        let mut parts: Vec<(Sign, Tree)> = terms
            .iter()
            .map(|(e, k)| self.summand(*e, k, Turning::Short))
            .collect();
        if parts.first().is_some_and(|(sign, _)| *sign != Sign::Plus)
            && let Some(first) = parts.iter().position(|(sign, _)| *sign == Sign::Plus)
        {
            let lead = parts.remove(first);
            parts.insert(0, lead);
            let lead = terms.remove(first);
            terms.insert(0, lead);
        }
        if parts.first().is_some_and(|(sign, _)| *sign == Sign::Plus) {
            for (part, (e, k)) in parts.iter_mut().zip(&terms).skip(1) {
                if self.pool.has_one(*e) {
                    *part = self.summand(*e, k, Turning::OneFirst);
                }
            }
        }
        Operand {
            tree: Tree::Sum(parts),
            tightness: Tightness::Sum,
        }
    }

    /// A term of a sum with its coefficient.
    fn summand(&self, e: Expr, k: &Number, turning: Turning) -> (Sign, Tree) {
        if self.pool.as_number(e).is_some() {
            let sign = Sign::of(k.is_negative());
            return (sign, self.number(&k.abs()).tree);
        }
        let (_, factors) = self.pool.as_product(e);
        let (sign, piece) = self.product(k, &factors, turning);
        (sign, piece.within(Tightness::Product))
    }

    /// A product without its sign, and that sign. A sum takes a minus in where it has
    /// a negative term: `-x3*(x1 - x2)` is written `x3*(x2 - x1)`.
    fn product(
        &self,
        coefficient: &Number,
        factors: &[(Expr, Expr)],
        turning: Turning,
    ) -> (Sign, Operand) {
        let scaled = self.pool.with_sums_scaled(coefficient, factors);
        let (coefficient, factors) = match &scaled {
            Some((k, factors)) => (k, factors.as_slice()),
            None => (coefficient, factors),
        };
        let mut negative = coefficient.is_negative();
        let size = coefficient.abs();
        let mut ordered: Vec<(Expr, Expr)> = factors.to_vec();
        let one = factors.iter().position(|f| self.pool.is_one_and_more(*f));
        match one.filter(|_| turning == Turning::OneFirst) {
            Some(place) => {
                if self.pool.is_less_one(factors[place].0) {
                    ordered[place].0 = self.pool.neg(ordered[place].0);
                    negative = !negative;
                }
            }
            None => {
                if negative && let Some(place) = self.pool.turnable(factors) {
                    ordered[place].0 = self.pool.neg(ordered[place].0);
                    negative = false;
                }
            }
        }
        let before = ordered.len();
        ordered.retain(|(b, _)| self.pool.symbol_kind(*b) != Some(SymbolKind::Sign));
        let in_branches = ordered.len() < before;
        // m*l^2, whichever parameter the file has first
        let is_power = |(b, x): &(Expr, Expr)| {
            let parameter = matches!(self.pool.symbol_kind(*b), Some(SymbolKind::Parameter(_)));
            parameter && *x != self.pool.one()
        };
        ordered.sort_by(|a, b| self.pool.factor_order(*a, *b));
        let parameters = |f: &(Expr, Expr)| self.pool.factor_rank(f.0).0 <= 2;
        let end = ordered.partition_point(parameters);
        ordered[..end].sort_by_key(is_power);
        let is_below = |x: &Expr| self.pool.as_number(*x).is_some_and(|q| q.is_negative());
        let (below, above): (Vec<_>, Vec<_>) = ordered.into_iter().partition(|(_, x)| is_below(x));
        let mut top: Vec<Operand> = Vec::new();
        let mut bottom: Vec<Operand> = Vec::new();
        let (over, under) = split_coefficient(&size, !above.is_empty());
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
            top.push(Operand::atom("1"));
        }
        let piece = if bottom.is_empty() {
            Operand::joined(top)
        } else {
            self.fraction(top, bottom)
        };
        let sign = Sign::of(negative);
        (
            if in_branches {
                sign.in_branches()
            } else {
                sign
            },
            piece,
        )
    }

    fn fraction(&self, top: Vec<Operand>, bottom: Vec<Operand>) -> Operand {
        let single = bottom.len() == 1;
        let top = Operand::joined(top);
        let bottom = Operand::joined(bottom);
        if self.stacks {
            return Operand {
                tree: Tree::Fraction(Box::new(top.tree), Box::new(bottom.tree)),
                tightness: Tightness::Power,
            };
        }
        let needed = if single {
            Tightness::Power
        } else {
            Tightness::Atom
        };
        let bottom = bottom.within(needed);
        let top = top.within(Tightness::Product);
        Operand {
            tree: Tree::Fraction(Box::new(top), Box::new(bottom)),
            tightness: Tightness::Product,
        }
    }

    fn power(&self, base: Expr, exponent: Expr) -> Operand {
        if exponent == self.pool.one() {
            return self.piece(base);
        }
        let q = self.pool.as_number(exponent);
        if q.as_ref() == Some(&Number::HALF) {
            return Operand {
                tree: Tree::Root(Box::new(self.piece(base).tree)),
                tightness: Tightness::Atom,
            };
        }
        if self.style != Style::Plain
            && let Some(n) = q.as_ref().and_then(Number::to_i64)
            && let Node::Apply(f, args) = self.pool.owned(base)
            && takes_exponent(f)
        {
            return self.function(f, &args, Some(n.to_string()));
        }
        let base = self.piece(base).within(Tightness::Atom);
        let exponent = match (self.style, q) {
            _ if !self.stacks => self.piece(exponent).within(Tightness::Atom),
            // small and raised: on one line
            (Style::Latex, Some(q)) => Tree::Text(q.to_string()),
            (Style::Latex, None) => self.piece(exponent).tree,
            _ => {
                let stacks = false;
                Printer { stacks, ..*self }.piece(exponent).tree
            }
        };
        Operand {
            tree: Tree::Power(Box::new(base), Box::new(exponent)),
            tightness: Tightness::Power,
        }
    }

    fn function(&self, f: Function, args: &[Expr], exponent: Option<String>) -> Operand {
        // `sin²(x)` is a power already: raised once more it needs parentheses
        let tightness = if exponent.is_some() {
            Tightness::Power
        } else {
            Tightness::Atom
        };
        let mut inside: Vec<Tree> = args.iter().map(|a| self.piece(*a).tree).collect();
        let tree = match inside.pop() {
            Some(argument) if f == Function::Abs && self.style != Style::Plain => {
                Tree::Fenced(Fence::Bars, Box::new(argument))
            }
            last => {
                inside.extend(last);
                Tree::Call(f, exponent, inside)
            }
        };
        Operand { tree, tightness }
    }
}

/// Is its square written `sin²(x)`?
fn takes_exponent(f: Function) -> bool {
    use Function::{Cos, Cosh, Sin, Sinh, Tan, Tanh};
    matches!(f, Sin | Cos | Tan | Sinh | Cosh | Tanh)
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
        assert_eq!(p.print_as(lambda, Style::Pretty), "-m x₁″ / (2 x₁)");
        assert_eq!(
            p.print_as(lambda, Style::Latex),
            "-\\frac{m \\ddot{x}_{1}}{2 x_{1}}"
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
