//! Expressions as straight-line Python or C.
//!
//! What is used more than once and is more than an operation or two gets a name of its own, so that code
//! grows with the shared form of an expression and not with its written one; so does what would make a line
//! long, which also bounds how deep parentheses nest. Where the grammar's functions have no value (the root
//! of a negative number, a division by 0) Python raises an exception, and nothing becomes complex; C has NaN or infinity.

use super::function::Function;
use super::memo::Tightness;
use super::number::Number;
use super::pool::{Expr, Node, Pool, SymbolKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// A piece longer than this is named, in characters.
const LONGEST: usize = 88;
/// A shared piece of this many operations is named; a function counts as two.
const WORTH: usize = 2;
/// Whole numbers up to here are exact as floating-point numbers.
const EXACT: i64 = 1 << 53;

named! {
    /// The languages that code is written in.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Language {
        /// Python 3 with its module `math`.
        Python = "python",
        /// C99 with `math.h`.
        C = "c",
    }
}

impl Language {
    fn pi(self) -> String {
        match self {
            Self::Python => "math.pi".to_owned(),
            Self::C => format!("{:?}", std::f64::consts::PI),
        }
    }

    fn call(self, function: Function) -> &'static str {
        let name = function.row().python;
        match self {
            Self::C if name == "abs" => "fabs",
            Self::C => name.strip_prefix(Self::Python.library()).unwrap_or(name),
            Self::Python => name,
        }
    }

    /// What stands before the names of its library.
    const fn library(self) -> &'static str {
        match self {
            Self::Python => "math.",
            Self::C => "",
        }
    }

    /// A number: what is written without a point is a whole number in C, of which quotients are whole numbers.
    fn literal(self, text: &str) -> String {
        let whole = text.bytes().all(|b| b == b'-' || b.is_ascii_digit());
        let point = if whole && self == Self::C { ".0" } else { "" };
        format!("{text}{point}")
    }

    /// The value of a number, which may be infinite.
    fn float(self, value: f64) -> String {
        let sign = if value < 0.0 { "-" } else { "" };
        match self {
            _ if value.is_finite() => format!("{value:?}"),
            Self::Python => format!("{sign}math.inf"),
            Self::C => format!("{sign}INFINITY"),
        }
    }

    fn square_root(self, inside: &str) -> String {
        format!("{}sqrt({inside})", self.library())
    }

    fn whole_power(self, base: &Operand, exponent: &str) -> (String, Tightness) {
        match self {
            Self::Python => (
                format!("{}**{exponent}", base.within(Tightness::Atom)),
                Tightness::Power,
            ),
            Self::C => (self.power(&base.text, exponent), Tightness::Atom),
        }
    }

    fn power(self, base: &str, exponent: &str) -> String {
        format!("{}pow({base}, {exponent})", self.library())
    }
}

/// The names that code uses.
pub trait CodeNames {
    /// The name of a symbol.
    fn symbol(&self, e: Expr) -> String;
    /// A name for an intermediate value, another one at each call.
    fn intermediate(&mut self) -> String;
}

/// Assignments, and the values after them.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// `name = expression`, in order.
    pub assignments: Vec<String>,
    /// The outputs, as expressions.
    pub values: Vec<String>,
    /// The symbols used, in the order of the pool.
    pub symbols: Vec<Expr>,
}

#[derive(Clone)]
struct Operand {
    text: String,
    tightness: Tightness,
    operations: usize,
}

impl Operand {
    fn atom(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            tightness: Tightness::Atom,
            operations: 0,
        }
    }

    fn within(&self, needed: Tightness) -> String {
        if self.tightness >= needed {
            self.text.clone()
        } else {
            format!("({})", self.text)
        }
    }
}

impl Pool {
    /// Code for the values of `outputs`. It needs a function `sign`.
    pub fn code(&self, outputs: &[Expr], language: Language, names: &mut dyn CodeNames) -> Code {
        let mut writer = Writer {
            pool: self,
            language,
            names,
            uses: self.uses(outputs),
            named: FxHashMap::default(),
            assignments: Vec::new(),
        };
        let values = outputs.iter().map(|e| writer.piece(*e).text).collect();
        let assignments = writer.assignments;
        let mut symbols = Vec::new();
        self.visit(outputs, &mut |e, node| {
            if matches!(node, Node::Symbol(_)) {
                symbols.push(e);
            }
        });
        symbols.sort_unstable();
        Code {
            assignments,
            values,
            symbols,
        }
    }

    /// What an expression is computed from: powers count as expressions of their own.
    fn operands(&self, e: Expr) -> Vec<Expr> {
        match &*self.node(e) {
            Node::Product(_, factors) => factors
                .iter()
                .flat_map(|&(b, x)| match self.power_of(e, b, x) {
                    Some(power) => vec![power],
                    None => vec![b, x],
                })
                .collect(),
            _ => self.children(e).to_vec(),
        }
    }

    /// `b^|x|` as an expression of its own, where it is one and not `e` itself.
    fn power_of(&self, e: Expr, b: Expr, x: Expr) -> Option<Expr> {
        if x == self.one() {
            return Some(b);
        }
        let size = match self.as_number(x) {
            Some(q) if q.is_negative() => self.neg(x),
            _ => x,
        };
        let power = self.pow(b, size);
        let alone = power == b || self.as_power(power) == Some((b, size));
        (alone && power != e).then_some(power)
    }

    /// How often each expression is an operand or an output.
    fn uses(&self, outputs: &[Expr]) -> FxHashMap<Expr, usize> {
        let mut uses: FxHashMap<Expr, usize> = FxHashMap::default();
        let mut seen: FxHashSet<Expr> = FxHashSet::default();
        let mut stack: Vec<Expr> = outputs.to_vec();
        while let Some(e) = stack.pop() {
            *uses.entry(e).or_default() += 1;
            if seen.insert(e) {
                stack.extend(self.operands(e));
            }
        }
        uses
    }
}

struct Writer<'a> {
    pool: &'a Pool,
    language: Language,
    names: &'a mut dyn CodeNames,
    uses: FxHashMap<Expr, usize>,
    named: FxHashMap<Expr, String>,
    assignments: Vec<String>,
}

impl Writer<'_> {
    fn piece(&mut self, e: Expr) -> Operand {
        if let Some(name) = self.named.get(&e) {
            return Operand::atom(name.clone());
        }
        let piece = self.unnamed(e);
        let shared = self.uses.get(&e).is_some_and(|uses| *uses > 1) && piece.operations >= WORTH;
        if !shared && piece.text.len() <= LONGEST {
            return piece;
        }
        let name = self.assign(&piece.text);
        self.named.insert(e, name.clone());
        Operand::atom(name)
    }

    fn assign(&mut self, text: &str) -> String {
        let name = self.names.intermediate();
        self.assignments.push(format!("{name} = {text}"));
        name
    }

    fn unnamed(&mut self, e: Expr) -> Operand {
        match self.pool.owned(e) {
            Node::Number(n) => self.language.number(&n),
            Node::Symbol(_) if self.pool.symbol_kind(e) == Some(SymbolKind::Pi) => {
                Operand::atom(self.language.pi())
            }
            Node::Symbol(_) => Operand::atom(self.names.symbol(e)),
            Node::Sum(constant, terms) => self.sum(&constant, terms),
            Node::Product(coefficient, factors) => {
                let (negative, piece) = self.product(e, &coefficient, &factors);
                if negative {
                    Operand {
                        text: format!("-{}", piece.text),
                        tightness: Tightness::Sum,
                        ..piece
                    }
                } else {
                    piece
                }
            }
            Node::Apply(f, args) => self.call(f, &args),
        }
    }

    fn call(&mut self, f: Function, args: &[Expr]) -> Operand {
        let inside: Vec<Operand> = args.iter().map(|a| self.piece(*a)).collect();
        let text: Vec<&str> = inside.iter().map(|p| p.text.as_str()).collect();
        let name = self.language.call(f);
        Operand {
            text: format!("{name}({})", text.join(", ")),
            tightness: Tightness::Atom,
            operations: 2 + inside.iter().map(|p| p.operations).sum::<usize>(),
        }
    }

    /// Terms or factors joined; what is long is named on the way.
    fn joined(&mut self, text: &mut String, operator: &str, part: &str) {
        if text.is_empty() {
            text.push_str(part);
            return;
        }
        if text.len() + part.len() > LONGEST {
            *text = self.assign(text);
        }
        text.push_str(operator);
        text.push_str(part);
    }

    fn sum(&mut self, constant: &Number, mut terms: Vec<(Expr, Number)>) -> Operand {
        terms.sort_by(|a, b| self.pool.term_order(a.0, b.0));
        let mut parts: Vec<(bool, Operand)> = Vec::with_capacity(terms.len() + 1);
        for (e, k) in terms {
            // a term that is used elsewhere too keeps its name
            let alone = self.uses.get(&e).is_none_or(|uses| *uses < 2);
            parts.push(match self.pool.owned(e) {
                Node::Product(_, factors) if alone => self.product(e, &k, &factors),
                _ => {
                    let factor = self.piece(e);
                    (
                        k.is_negative(),
                        self.language.scaled(&k.abs(), vec![factor], Vec::new()),
                    )
                }
            });
        }
        if !constant.is_zero() {
            parts.push((
                constant.is_negative(),
                self.language.number(&constant.abs()),
            ));
        }
        if parts.first().is_some_and(|(negative, _)| *negative)
            && let Some(first) = parts.iter().position(|(negative, _)| !negative)
        {
            let lead = parts.remove(first);
            parts.insert(0, lead);
        }
        let operations = parts.len() + parts.iter().map(|(_, p)| p.operations).sum::<usize>() - 1;
        let mut text = String::new();
        for (negative, part) in parts {
            let part = part.within(Tightness::Product);
            match (negative, text.is_empty()) {
                (true, true) => text = format!("-{part}"),
                (true, false) => self.joined(&mut text, " - ", &part),
                (false, _) => self.joined(&mut text, " + ", &part),
            }
        }
        Operand {
            text,
            tightness: Tightness::Sum,
            operations,
        }
    }

    /// A product without its sign, and whether that is minus.
    fn product(&mut self, e: Expr, k: &Number, factors: &[(Expr, Expr)]) -> (bool, Operand) {
        let mut ordered = factors.to_vec();
        ordered.sort_by(|a, b| self.pool.factor_order(*a, *b));
        let (mut top, mut bottom) = (Vec::new(), Vec::new());
        for (b, x) in ordered {
            let below = self.pool.as_number(x).is_some_and(|q| q.is_negative());
            let piece = match self.pool.power_of(e, b, x) {
                Some(power) => self.piece(power),
                None if below => self.power(b, self.pool.neg(x)),
                None => self.power(b, x),
            };
            if below {
                bottom.push(piece);
            } else {
                top.push(piece);
            }
        }
        let (top, bottom) = (self.shortened(top), self.shortened(bottom));
        (k.is_negative(), self.language.scaled(&k.abs(), top, bottom))
    }

    /// Factors of which the first ones are named together where all are too long for a line.
    fn shortened(&mut self, factors: Vec<Operand>) -> Vec<Operand> {
        let length: usize = factors.iter().map(|p| p.text.len() + 3).sum();
        if length <= LONGEST {
            return factors;
        }
        let operations = factors.len() + factors.iter().map(|p| p.operations).sum::<usize>();
        let mut text = String::new();
        for factor in factors {
            self.joined(&mut text, "*", &factor.within(Tightness::Power));
        }
        vec![Operand {
            tightness: if text.contains('*') {
                Tightness::Product
            } else {
                Tightness::Atom
            },
            text,
            operations,
        }]
    }

    fn power(&mut self, base: Expr, exponent: Expr) -> Operand {
        let q = self.pool.as_number(exponent);
        let doubled = q.as_ref().map(|q| q.mul(&Number::from(2)));
        let (text, tightness, operations) = match (q, doubled.and_then(|d| d.to_i64())) {
            (Some(q), Some(_)) if q.is_one() => return self.piece(base),
            (Some(q), Some(_)) if q.is_integer() => {
                let base = self.piece(base);
                let (text, tightness) = self.language.whole_power(&base, &q.to_string());
                (text, tightness, base.operations + 1)
            }
            (Some(_), Some(1)) => {
                let base = self.piece(base);
                let text = self.language.square_root(&base.text);
                (text, Tightness::Atom, base.operations + 2)
            }
            (Some(_), Some(halves)) => {
                let root = self.pool.sqrt(base);
                let root = self.piece(root);
                let (text, tightness) = self.language.whole_power(&root, &halves.to_string());
                (text, tightness, root.operations + 1)
            }
            _ => {
                let (base, exponent) = (self.piece(base), self.piece(exponent));
                let text = self.language.power(&base.text, &exponent.text);
                (
                    text,
                    Tightness::Atom,
                    base.operations + exponent.operations + 2,
                )
            }
        };
        Operand {
            text,
            tightness,
            operations,
        }
    }
}

impl Language {
    /// `k * top / bottom`.
    fn scaled(self, k: &Number, mut top: Vec<Operand>, mut bottom: Vec<Operand>) -> Operand {
        let (numerator, denominator) = (k.numerator(), k.denominator());
        if denominator.is_one()
            || k.to_string().contains('/') && is_exact(&numerator) && is_exact(&denominator)
        {
            if !numerator.is_one() {
                top.insert(0, self.number(&numerator));
            }
            if !denominator.is_one() {
                bottom.insert(0, self.number(&denominator));
            }
        } else {
            top.insert(0, self.number(k));
        }
        if top.is_empty() {
            top.push(Operand::atom("1"));
        }
        let pieces = top.iter().chain(&bottom);
        let operations = pieces.map(|p| p.operations + 1).sum::<usize>() - 1;
        let join = |list: &[Operand], needed: Tightness| {
            let parts: Vec<String> = list.iter().map(|p| p.within(needed)).collect();
            parts.join("*")
        };
        if let ([one], []) = (top.as_slice(), bottom.as_slice()) {
            return one.clone();
        }
        let mut text = join(
            &top,
            if top.len() > 1 {
                Tightness::Power
            } else {
                Tightness::Product
            },
        );
        match bottom.as_slice() {
            [] => {}
            [one] => {
                let _ = write!(text, "/{}", one.within(Tightness::Power));
            }
            several => {
                let _ = write!(text, "/({})", join(several, Tightness::Power));
            }
        }
        Operand {
            text,
            tightness: Tightness::Product,
            operations,
        }
    }

    fn number(self, n: &Number) -> Operand {
        let shown = n.to_string();
        let text = match shown.split_once('/') {
            None if !n.is_integer() || is_exact(n) => self.literal(&shown),
            Some((top, bottom)) if is_exact(&n.numerator()) && is_exact(&n.denominator()) => {
                format!("{}/{}", self.literal(top), self.literal(bottom))
            }
            _ => self.float(n.to_f64()),
        };
        let tightness = if text.starts_with('-') {
            Tightness::Sum
        } else if text.contains('/') {
            Tightness::Product
        } else {
            Tightness::Atom
        };
        Operand {
            text,
            tightness,
            operations: 0,
        }
    }
}

fn is_exact(n: &Number) -> bool {
    n.to_i64().is_some_and(|n| n.abs() <= EXACT)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Plain(usize);

    impl CodeNames for Plain {
        fn symbol(&self, e: Expr) -> String {
            ["x", "y", "z"]
                .get(e.index().wrapping_sub(3))
                .map_or_else(String::new, |n| (*n).to_owned())
        }

        fn intermediate(&mut self) -> String {
            self.0 += 1;
            format!("w{}", self.0)
        }
    }

    fn python(make: impl Fn(&Pool, [Expr; 3]) -> Vec<Expr>) -> (Vec<String>, Vec<String>) {
        let pool = Pool::new();
        let symbols = ["x", "y", "z"].map(|name| pool.symbol(name, SymbolKind::Other(0)));
        let outputs = make(&pool, symbols);
        let code = pool.code(&outputs, Language::Python, &mut Plain(0));
        (code.assignments, code.values)
    }

    #[test]
    fn operators_bind_as_they_do_in_python() {
        let (before, values) = python(|p, [x, y, z]| {
            let half = p.number(Number::HALF);
            let third = p.number(Number::ratio(1, 3).unwrap());
            vec![
                p.neg(p.powi(x, 2)),
                p.powi(p.sub(x, y), 2),
                p.div(x, p.mul(y, z)),
                p.mul(half, x),
                p.pow(x, p.number(Number::ratio(-1, 2).unwrap())),
                p.pow(x, p.number(Number::ratio(3, 2).unwrap())),
                p.pow(p.add(x, y), third),
                p.pow(p.number(2), third),
                p.pow(x, y),
                p.scale(x, &Number::parse("9.81").unwrap()),
                p.scale(x, &Number::parse("1e-300").unwrap()),
                p.number(Number::from(i64::MAX).mul(&Number::from(7))),
                p.sub(p.number(1), p.mul(p.number(2), p.pi())),
                p.div(p.number(1), p.sub(x, y)),
            ]
        });
        assert!(before.is_empty(), "{before:?}");
        assert_eq!(
            values,
            [
                "-x**2",
                "(x - y)**2",
                "x/(y*z)",
                "x/2",
                "1/math.sqrt(x)",
                "math.sqrt(x)**3",
                "math.pow(x + y, 1/3)",
                "math.pow(2, 1/3)",
                "math.pow(x, y)",
                "9.81*x",
                "1e-300*x",
                "6.456360425798343e19",
                "1 - 2*math.pi",
                "1/(x - y)",
            ]
        );
    }

    #[test]
    fn what_is_shared_is_computed_once() {
        let (before, values) = python(|p, [x, y, _]| {
            let root = p.sqrt(p.add(p.powi(x, 2), p.powi(y, 2)));
            vec![p.mul(x, root), p.div(y, root), p.apply(Function::Sin, root)]
        });
        assert_eq!(before, ["w1 = math.sqrt(x**2 + y**2)"]);
        assert_eq!(values, ["x*w1", "y/w1", "math.sin(w1)"]);
    }

    #[test]
    fn lines_stay_short_and_code_small() {
        // 2^40 terms written out
        let (before, values) = python(|p, [x, y, z]| {
            let mut e = p.add(x, p.apply(Function::Sin, y));
            for _ in 0..40 {
                e = p.add(p.apply(Function::Cos, e), p.mul(z, e));
            }
            let many: Vec<Expr> = (1..200)
                .map(|k| p.apply(Function::Sin, p.scale(x, &Number::from(k))))
                .collect();
            vec![e, p.sum(many.clone()), p.product(many)]
        });
        assert!(before.len() < 400, "{}", before.len());
        let lines = before.iter().chain(&values);
        assert!(lines.into_iter().all(|line| line.len() <= 2 * LONGEST + 20));
    }
}
