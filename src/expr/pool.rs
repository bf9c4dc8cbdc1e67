//! Hash-consed expressions.
//!
//! A [`Pool`] owns the expressions of one system. An [`Expr`] is a number into it; equal
//! expressions have equal numbers, so comparing, memoising and sharing cost nothing. The
//! constructors ([`Pool::add`], [`Pool::mul`], [`Pool::pow`], [`Pool::apply`]) keep this normal form:
//!
//! * a **sum** is a constant and distinct terms with non-zero rational coefficients; a term is no
//!   sum, no number and has coefficient 1;
//! * a **product** is a rational coefficient and distinct bases with non-zero exponents; a base
//!   that is a sum, under a whole exponent, has coprime integer coefficients and a positive first one;
//! * a rational coefficient times a single sum is distributed, nothing else is expanded;
//! * `sqrt(u)` is `u^(1/2)`. Powers follow the rules of the reals: `sqrt(x^2)` is `abs(x)`.
//!
//! What needs more than this (cancelling fractions, `sin^2 + cos^2`) is the work of
//! [`simplify`](super::simplify).

use super::function::Function;
use super::memo::Memory;
use super::number::Number;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::sync::Arc;

/// An expression of a [`Pool`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Expr(u32);

impl Expr {
    /// The place of the expression in its pool.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a symbol stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum SymbolKind {
    /// The coordinate of this index (`order` 0), its velocity (1), its acceleration (2).
    Coordinate {
        /// Place among the system's coordinates.
        index: usize,
        /// Number of time derivatives.
        order: u8,
    },
    /// The time t.
    Time,
    /// The number pi.
    Pi,
    /// The parameter of this index.
    Parameter(usize),
    /// `y_NAME`: the value of this constraint as an argument of the inverse functions.
    Level(usize),
    /// `lambda_NAME`: the multiplier of this constraint.
    Multiplier(usize),
    /// `dx`: the virtual displacement of the coordinate of this index; no text can name it.
    Differential(usize),
    /// +1 on one of two branches and -1 on the other: what is multiplied by it is written with a plus-minus sign.
    Sign,
    /// Anything else that has a value of its own, by the owner's number (outputs, placeholders).
    Other(usize),
}

/// A symbol: its name as printed, and what it stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// The name as printed, with its primes (`x1'`).
    pub name: String,
    /// What it stands for.
    pub kind: SymbolKind,
}

/// The factors of a product: bases with exponents.
pub type Factors = SmallVec<[(Expr, Expr); 4]>;

/// One node of the expression graph; see the module documentation for its normal form.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// A rational number.
    Number(Number),
    /// A symbol, by its place in the pool's table.
    Symbol(u32),
    /// `constant + sum coefficient * term`, sorted by term: the constant, and the terms with their coefficients.
    Sum(Number, Vec<(Expr, Number)>),
    /// `coefficient * prod base^exponent`, sorted by base: the coefficient, not zero, and the bases with their exponents.
    Product(Number, Factors),
    /// A function of its arguments.
    Apply(Function, SmallVec<[Expr; 2]>),
}

impl Node {
    /// Shows the expressions that it is made of.
    pub(super) fn each_child(&self, mut see: impl FnMut(Expr)) {
        match self {
            Self::Number(_) | Self::Symbol(_) => {}
            Self::Sum(_, terms) => terms.iter().for_each(|(t, _)| see(*t)),
            Self::Product(_, factors) => {
                for (base, exponent) in factors {
                    see(*base);
                    see(*exponent);
                }
            }
            Self::Apply(_, args) => args.iter().for_each(|a| see(*a)),
        }
    }

    /// Of how many parts it is made, itself among them.
    pub(super) fn parts(&self) -> usize {
        1 + match self {
            Self::Number(_) | Self::Symbol(_) => 0,
            Self::Sum(_, terms) => terms.len(),
            Self::Product(_, factors) => factors.len(),
            Self::Apply(_, args) => args.len(),
        }
    }
}

/// A node with what is asked of it often.
#[derive(Clone, Debug)]
struct Interned {
    node: Arc<Node>,
    depth: u32,
    size: usize,
    /// has the expression no value whatever its symbols are?
    undefined: bool,
}

/// The expressions of one system.
#[derive(Clone, Debug)]
pub struct Pool {
    nodes: RefCell<Vec<Interned>>,
    index: RefCell<FxHashMap<Arc<Node>, Expr>>,
    pub(super) symbols: RefCell<Vec<Symbol>>,
    by_name: RefCell<FxHashMap<String, Expr>>,
    pub(super) memory: Memory,
    /// the symbols that are told to be positive
    pub(super) positive: RefCell<Vec<Expr>>,
}

impl Default for Pool {
    fn default() -> Self {
        Self::new()
    }
}

impl Pool {
    /// An empty pool.
    pub fn new() -> Self {
        let pool = Self {
            nodes: RefCell::default(),
            index: RefCell::default(),
            symbols: RefCell::default(),
            by_name: RefCell::default(),
            memory: Memory::default(),
            positive: RefCell::default(),
        };
        // the first three places are fixed: see `zero`, `one`, `minus_one`
        pool.intern(Node::Number(Number::ZERO));
        pool.intern(Node::Number(Number::ONE));
        pool.intern(Node::Number(Number::MINUS_ONE));
        pool
    }

    /// Tells that a symbol is positive, before it is in any expression: what was known without that stays as it is.
    pub fn tell_positive(&self, symbol: Expr) {
        self.positive.borrow_mut().push(symbol);
    }

    /// The symbols that were told to be positive, in the order of telling.
    pub fn told_positive(&self) -> Vec<Expr> {
        self.positive.borrow().clone()
    }

    /// The number 0.
    #[allow(clippy::unused_self)] // an expression belongs to a pool
    pub fn zero(&self) -> Expr {
        Expr(0)
    }

    /// The number 1.
    #[allow(clippy::unused_self)]
    pub fn one(&self) -> Expr {
        Expr(1)
    }

    pub(super) fn intern(&self, node: Node) -> Expr {
        if let Some(&known) = self.index.borrow().get(&node) {
            return known;
        }
        let interned = {
            let known = self.nodes.borrow();
            let mut below = 0;
            node.each_child(|e| below = below.max(known[e.index()].depth));
            Interned {
                depth: 1 + below,
                size: self.size_of_node(&node),
                // a number is never undefined, so that looking at one may intern another
                undefined: !matches!(node, Node::Number(_) | Node::Symbol(_))
                    && self.lacks_value(&node, &|e| known[e.index()].undefined),
                node: Arc::new(node),
            }
        };
        let mut nodes = self.nodes.borrow_mut();
        #[allow(clippy::cast_possible_truncation)] // input is bounded far below 2^32 nodes
        let expr = Expr(nodes.len() as u32);
        self.index
            .borrow_mut()
            .insert(Arc::clone(&interned.node), expr);
        nodes.push(interned);
        expr
    }

    /// The expression of a node, where it was made before.
    pub(super) fn interned(&self, node: &Node) -> Option<Expr> {
        self.index.borrow().get(node).copied()
    }

    /// Is it known that an expression has no value whatever its symbols are, such as `1/0` or `tan(pi/2)`?
    pub fn is_undefined(&self, e: Expr) -> bool {
        self.nodes.borrow()[e.index()].undefined
    }

    /// The operations of a node written out as a tree, from the sizes of its children.
    fn size_of_node(&self, node: &Node) -> usize {
        let nodes = self.nodes.borrow();
        let mut size = match node {
            Node::Number(_) | Node::Symbol(_) | Node::Apply(..) => 1,
            Node::Sum(constant, terms) => {
                let scaled = terms.iter().filter(|(_, k)| !k.abs().is_one()).count();
                scaled + terms.len() + usize::from(!constant.is_zero())
            }
            Node::Product(coefficient, factors) => {
                factors.len() + usize::from(!coefficient.abs().is_one())
            }
        };
        node.each_child(|e| size = size.saturating_add(nodes[e.index()].size));
        size
    }

    /// The number of operations of an expression written out as a tree, saturating.
    pub fn size(&self, e: Expr) -> usize {
        self.nodes.borrow()[e.index()].size
    }

    /// The node of an expression. It is shared, not borrowed from the pool: making expressions while
    /// looking at one is fine.
    pub fn node(&self, e: Expr) -> Arc<Node> {
        Arc::clone(&self.nodes.borrow()[e.index()].node)
    }

    /// The node of an expression, to take apart.
    pub fn owned(&self, e: Expr) -> Node {
        self.nodes.borrow()[e.index()].node.as_ref().clone()
    }

    /// The number of levels of an expression: 1 for a symbol.
    pub fn depth(&self, e: Expr) -> usize {
        self.nodes.borrow()[e.index()].depth as usize
    }

    /// How many expressions the pool holds.
    pub fn len(&self) -> usize {
        self.nodes.borrow().len()
    }

    /// A pool is never empty: it holds 0, 1 and -1.
    pub fn is_empty(&self) -> bool {
        false
    }

    // ------------------------------------------------------------------ atoms

    /// A rational number.
    pub fn number(&self, value: impl Into<Number>) -> Expr {
        self.intern(Node::Number(value.into()))
    }

    /// The number an expression is, where it is one.
    pub fn as_number(&self, e: Expr) -> Option<Number> {
        match &*self.nodes.borrow()[e.index()].node {
            Node::Number(n) => Some(n.clone()),
            _ => None,
        }
    }

    /// Declares a symbol, or gives back the one of that name.
    pub fn symbol(&self, name: &str, kind: SymbolKind) -> Expr {
        if let Some(&known) = self.by_name.borrow().get(name) {
            return known;
        }
        let mut symbols = self.symbols.borrow_mut();
        #[allow(clippy::cast_possible_truncation)]
        let e = self.intern(Node::Symbol(symbols.len() as u32));
        symbols.push(Symbol {
            name: name.to_owned(),
            kind,
        });
        self.by_name.borrow_mut().insert(name.to_owned(), e);
        e
    }

    /// The same expressions where the coordinates of these indices, ascending, are all that there are.
    #[must_use]
    pub fn of_coordinates(&self, kept: &[usize]) -> Self {
        let pool = self.clone();
        for symbol in pool.symbols.borrow_mut().iter_mut() {
            if let SymbolKind::Coordinate { index, order } = symbol.kind {
                symbol.kind = match kept.binary_search(&index) {
                    Ok(index) => SymbolKind::Coordinate { index, order },
                    Err(_) => SymbolKind::Other(index),
                };
            }
        }
        pool
    }

    /// The symbol of a name, where it is declared.
    pub fn lookup(&self, name: &str) -> Option<Expr> {
        self.by_name.borrow().get(name).copied()
    }

    /// The symbol an expression is, where it is one.
    pub fn as_symbol(&self, e: Expr) -> Option<Symbol> {
        match &*self.node(e) {
            Node::Symbol(place) => Some(self.symbols.borrow()[*place as usize].clone()),
            _ => None,
        }
    }

    /// What a symbol stands for; `None` for anything but a symbol.
    pub fn symbol_kind(&self, e: Expr) -> Option<SymbolKind> {
        match *self.nodes.borrow()[e.index()].node {
            Node::Symbol(place) => Some(self.symbols.borrow()[place as usize].kind),
            _ => None,
        }
    }

    /// The virtual displacement of the coordinate of this name and index.
    pub fn differential(&self, name: &str, index: usize) -> Expr {
        // no name of the grammar has this sign
        self.symbol(&format!("d#{name}"), SymbolKind::Differential(index))
    }

    /// The sign in which two branches differ.
    pub fn plus_minus(&self) -> Expr {
        // no name of the grammar has this sign
        self.symbol("+-", SymbolKind::Sign)
    }

    /// The symbol that stands for the Euler-Lagrange expression of a coordinate; `E_x1`.
    pub fn euler_lagrange(&self, name: &str, index: usize) -> Expr {
        let kind = SymbolKind::Other(usize::MAX / 2 - index);
        self.symbol(&format!("E#{name}"), kind)
    }

    /// The number pi.
    pub fn pi(&self) -> Expr {
        self.symbol("pi", SymbolKind::Pi)
    }

    /// The children of an expression.
    pub fn children(&self, e: Expr) -> SmallVec<[Expr; 8]> {
        let mut list = SmallVec::new();
        self.node(e).each_child(|child| list.push(child));
        list
    }

    /// The coefficient and the factors of an expression; what is no product is its one factor.
    pub(super) fn as_product(&self, e: Expr) -> (Number, Factors) {
        match self.owned(e) {
            Node::Product(coefficient, factors) => (coefficient, factors),
            _ => (Number::ONE, smallvec::smallvec![(e, self.one())]),
        }
    }

    /// Base and exponent of what is a power and nothing else.
    pub(super) fn as_power(&self, e: Expr) -> Option<(Expr, Expr)> {
        match &*self.node(e) {
            Node::Product(coefficient, factors) if coefficient.is_one() && factors.len() == 1 => {
                factors.first().copied()
            }
            _ => None,
        }
    }

    /// The minus of `-u`, where u is a product, as a number, and u; one and the expression itself otherwise.
    pub(super) fn sign_apart(&self, e: Expr) -> (Number, Expr) {
        match &*self.node(e) {
            Node::Product(coefficient, _) if coefficient.is_minus_one() => {
                (Number::MINUS_ONE, self.neg(e))
            }
            _ => (Number::ONE, e),
        }
    }

    /// The expression with everything in it rewritten, the inner before the outer: `value` makes of a node, and of it
    /// built again from what its children became, what stands in its place.
    pub fn rewritten(&self, e: Expr, value: impl Fn(&Node, Expr) -> Expr) -> Expr {
        let mut done: FxHashMap<Expr, Expr> = FxHashMap::default();
        self.visit(&[e], &mut |whole, node| {
            let map = &mut |child| done.get(&child).copied().unwrap_or(child);
            let rebuilt = self.rebuild(whole, map);
            done.insert(whole, value(node, rebuilt));
        });
        done.get(&e).copied().unwrap_or(e)
    }

    /// Builds the node of `e` again with its children mapped.
    pub fn rebuild(&self, e: Expr, map: &mut dyn FnMut(Expr) -> Expr) -> Expr {
        let node = self.owned(e);
        match node {
            Node::Number(_) | Node::Symbol(_) => e,
            Node::Sum(constant, terms) => {
                let mut total = constant;
                let mut collected = Vec::with_capacity(terms.len());
                for (t, k) in terms {
                    let t = map(t);
                    self.collect(t, &k, &mut total, &mut collected);
                }
                self.sum_of(total, collected)
            }
            Node::Product(mut coefficient, factors) => {
                let mut gathered = Factors::new();
                for (b, x) in factors {
                    let (b, x) = (map(b), map(x));
                    let power = self.pow(b, x);
                    self.gather(power, &mut coefficient, &mut gathered);
                }
                self.finish_product(coefficient, gathered)
            }
            Node::Apply(f, args) => {
                if let [y, x] = args.as_slice() {
                    let (y, x) = (map(*y), map(*x));
                    self.atan2(y, x)
                } else {
                    let a = map(args[0]);
                    self.apply(f, a)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool() -> (Pool, Expr, Expr) {
        let pool = Pool::new();
        let x = pool.symbol("x", SymbolKind::Coordinate { index: 0, order: 0 });
        let y = pool.symbol("y", SymbolKind::Coordinate { index: 1, order: 0 });
        (pool, x, y)
    }

    #[test]
    fn equal_expressions_are_one() {
        let (p, x, y) = pool();
        let two = p.number(2);
        let a = p.mul(two, p.add(x, y));
        let b = p.add(p.mul(two, y), p.mul(x, two));
        assert_eq!(a, b);
        assert_eq!(p.sub(a, b), p.zero());
        assert_eq!(p.mul(x, p.powi(x, -1)), p.one());
        assert_eq!(p.mul(p.add(x, y), p.powi(b, -1)), p.number(Number::HALF));
    }

    #[test]
    fn the_root_of_a_square_is_an_absolute_value() {
        let (p, x, y) = pool();
        let magnitude = p.apply(Function::Abs, x);
        assert_eq!(p.sqrt(p.powi(x, 2)), magnitude);
        assert_eq!(p.powi(magnitude, 2), p.powi(x, 2));
        assert_eq!(p.mul(p.sqrt(x), p.sqrt(x)), x);
        assert_eq!(p.mul(x, p.apply(Function::Sign, x)), magnitude);
        let below = p.mul(p.powi(x, -1), p.powi(p.apply(Function::Sign, x), -1));
        assert_eq!(below, p.powi(magnitude, -1));
        let product = p.mul(p.number(4), p.mul(p.powi(x, 2), y));
        let wanted = p.product([p.number(2), magnitude, p.sqrt(y)]);
        assert_eq!(p.sqrt(product), wanted);
        assert_eq!(p.sqrt(p.number(8)), p.mul(p.number(2), p.sqrt(p.number(2))));
        assert_eq!(p.powi(p.sqrt(p.number(2)), 2), p.number(2));
    }

    #[test]
    fn parity_and_special_values() {
        let (p, x, _) = pool();
        let minus = p.neg(x);
        assert_eq!(p.apply(Function::Cos, minus), p.apply(Function::Cos, x));
        assert_eq!(
            p.apply(Function::Sin, minus),
            p.neg(p.apply(Function::Sin, x))
        );
        let half_pi = p.div(p.pi(), p.number(2));
        assert_eq!(p.apply(Function::Sin, half_pi), p.one());
        assert_eq!(p.apply(Function::Cos, p.pi()), p.number(-1));
    }

    #[test]
    fn the_sign_of_a_multiple_is_that_of_the_thing() {
        let (p, x, _) = pool();
        let sign = p.apply(Function::Sign, x);
        assert_eq!(p.apply(Function::Sign, p.mul(p.number(2), x)), sign);
        assert_eq!(p.apply(Function::Sign, p.mul(p.number(-2), x)), p.neg(sign));
    }

    #[test]
    fn nothing_times_infinity_has_no_value() {
        let (p, x, _) = pool();
        let pole = p.powi(p.zero(), -1);
        assert_ne!(p.mul(p.zero(), pole), p.zero());
        assert_eq!(p.mul(p.zero(), x), p.zero());
    }
}
