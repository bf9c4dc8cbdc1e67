//! Text to expressions.
//!
//! ```text
//! sum      = product { ("+" | "-") product }
//! product  = signed { ("*" | "/") signed }
//! signed   = { "-" | "+" } power
//! power    = atom [ "^" signed ]                   so -x^2 = -(x^2), 2^-1 and 2^3^2 = 2^(3^2)
//! atom     = number | name { "'" } | function "(" sum { "," sum } ")" | "(" sum ")"
//! number   = digits [ "." digits ] [ "e" [sign] digits ]       exact: 9.81 is 981/100
//! name     = (letter | "_") { letter | digit | "_" }           letters of any alphabet
//! function = sin cos tan asin acos atan atan2 sinh cosh tanh erf exp log sqrt abs sign
//! ```
//!
//! `pi` is known here; what other names stand for is asked of [`Names`], with the number of their primes. What those do not know may
//! be `deg` or the name of a formula, such as `max(a, b)`.
//! The operands of a chain of `+ -`, or of `* /`, are collected and become one sum or product.
//! Whatever the text, the time taken and the expression built are bounded: see the constants and [`Meter`].

mod error;
mod hint;
#[cfg(test)]
mod tests;
mod token;

pub use error::{NameError, ParseError, ParseErrorKind};
pub(crate) use hint::product_of_names;
pub use token::is_name;

use super::function::Function;
use super::memo::remembered;
use super::number::Number;
use super::pool::{Expr, Node, Pool};
use error::{error, error_with};
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::ops::Range;
use token::{begins_name, continues_name, foreign, name_length, number_length};

/// The longest text of one expression, in bytes.
pub const MAX_TEXT: usize = 64 * 1024;
/// How deep parentheses, functions and powers may be nested in a text.
pub const MAX_NESTING: usize = 200;
/// How many levels the resulting expression may have ([`Pool::depth`]).
pub const MAX_DEPTH: usize = 400;
/// The largest number as an exponent.
pub const MAX_POWER: i64 = 1000;
/// How many operations an expression may have when written out as a tree.
pub const MAX_SIZE: u64 = 1_000_000;
/// How many operands all expressions measured by one [`Meter`] may have together; those of a sum count
/// again wherever it is a factor.
pub const MAX_OPERANDS: usize = 80_000;
/// Operands combined at a time: between two such steps sizes are checked.
const CHUNK: usize = 16;

/// The expression that a name with so many primes stands for.
pub type Names<'n> = dyn Fn(&str, usize) -> Result<Expr, NameError> + 'n;

/// What stands in the place of an exponent: itself, or a number that it is.
pub type Exponents<'n> = dyn Fn(Expr) -> Expr + 'n;

/// What the expressions of one system have used up. One meter for all of a file's expressions keeps
/// definitions that build on each other within bounds.
#[derive(Debug, Default)]
pub struct Meter {
    operands: Cell<usize>,
    sizes: RefCell<FxHashMap<Expr, u64>>,
}

impl Meter {
    /// Counts the operands of a node that was built; `false` when there have been too many.
    fn spend(&self, operands: usize) -> bool {
        let sum = self.operands.get().saturating_add(operands);
        self.operands.set(sum);
        !self.is_full()
    }

    /// Have there been as many operands as there may be?
    pub fn is_full(&self) -> bool {
        self.operands.get() > MAX_OPERANDS
    }

    /// The number of operations of an expression written out as a tree. Its depth is bounded, so recursion is too.
    pub fn size(&self, pool: &Pool, e: Expr) -> u64 {
        remembered(&self.sizes, e, || {
            let sizes = pool.children(e).into_iter().map(|c| self.size(pool, c));
            sizes.fold(1, u64::saturating_add)
        })
    }
}

/// Reads an expression; the measure of its size is its own.
pub fn parse(pool: &Pool, text: &str, names: &Names<'_>) -> Result<Expr, ParseError> {
    parse_within(pool, text, names, &|exponent| exponent, &Meter::default())
}

/// Reads an expression on a meter shared with others.
pub fn parse_within(
    pool: &Pool,
    text: &str,
    names: &Names<'_>,
    exponents: &Exponents<'_>,
    meter: &Meter,
) -> Result<Expr, ParseError> {
    if text.len() > MAX_TEXT {
        return Err(error(0..0, ParseErrorKind::TooLong(text.len())));
    }
    let start = text.len() - text.trim_start().len();
    if start == text.len() {
        return Err(error(0..text.len(), ParseErrorKind::Empty));
    }
    let mut parser = Parser {
        pool,
        names,
        exponents,
        meter,
        text,
        token: Token::End,
        span: 0..0,
        end: 0,
        nesting: 0,
    };
    parser.advance()?;
    let value = parser.sum()?;
    match parser.token {
        Token::End => Ok(value.expr),
        _ => Err(parser.stray()),
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Token {
    Number,
    /// A name and the number of its primes.
    Name(usize),
    Plus,
    Minus,
    Times,
    Over,
    Power,
    Open,
    Close,
    Comma,
    End,
}

/// An expression and where it stands.
struct Operand {
    expr: Expr,
    span: Range<usize>,
}

struct Parser<'a> {
    pool: &'a Pool,
    names: &'a Names<'a>,
    exponents: &'a Exponents<'a>,
    meter: &'a Meter,
    text: &'a str,
    token: Token,
    /// Where the token stands.
    span: Range<usize>,
    /// Where the token before it ends.
    end: usize,
    nesting: usize,
}

impl Parser<'_> {
    // ---------------------------------------------------------------- tokens

    fn advance(&mut self) -> Result<(), ParseError> {
        self.end = self.span.end;
        let rest = &self.text[self.end..];
        let start = self.end + (rest.len() - rest.trim_start().len());
        let rest = &self.text[start..];
        let Some(first) = rest.chars().next() else {
            (self.token, self.span) = (Token::End, start..start);
            return Ok(());
        };
        let (token, length) = match first {
            '+' => (Token::Plus, 1),
            '-' => (Token::Minus, 1),
            '*' if rest.starts_with("**") => {
                return Err(error(start..start + 2, ParseErrorKind::DoubleStar));
            }
            '*' => (Token::Times, 1),
            '/' => (Token::Over, 1),
            '^' => (Token::Power, 1),
            '(' => (Token::Open, 1),
            ')' => (Token::Close, 1),
            ',' => (Token::Comma, 1),
            '0'..='9' | '.' => (Token::Number, number_length(rest)),
            c if begins_name(c) => {
                let name = name_length(rest);
                let primes = rest[name..].bytes().take_while(|b| *b == b'\'').count();
                (Token::Name(primes), name + primes)
            }
            _ => {
                let error = foreign(rest, first, start);
                let help = match &error.kind {
                    ParseErrorKind::Relation(sign) => {
                        hint::of_relation((&self.text[..start], &self.text[error.span.end..]), sign)
                    }
                    _ => hint::of_character(&self.text[..start], rest),
                };
                return Err(error.with_help_if(help));
            }
        };
        if length == 0 {
            return Err(foreign(rest, first, start));
        }
        (self.token, self.span) = (token, start..start + length);
        Ok(())
    }

    fn shown(&self) -> String {
        let text = &self.text[self.span.clone()];
        if text.chars().count() <= 40 {
            return text.to_owned();
        }
        text.chars().take(39).chain(['…']).collect()
    }

    /// The error for a token after a complete expression.
    fn stray(&self) -> ParseError {
        match self.token {
            Token::Close => error(self.span.clone(), ParseErrorKind::Unopened),
            Token::Comma => {
                let (left, right) = (&self.text[..self.span.start], &self.text[self.span.end..]);
                let digit = |c: char| c.is_ascii_digit();
                let help = left.ends_with(digit) && right.starts_with(digit);
                let help = help.then(|| "decimals are written with a point, as in 9.81".to_owned());
                ParseError {
                    help,
                    ..error(self.span.clone(), ParseErrorKind::Comma)
                }
            }
            _ => {
                let left = &self.text[..self.end];
                let part = |c| continues_name(c) || c == '\'' || c == '.';
                let before = left.trim_end_matches(part).len();
                let before = exponent_of(left, before).unwrap_or(before);
                let left = if left[before..].is_empty() {
                    ")"
                } else {
                    &left[before..]
                };
                let (token, rest) = (&self.text[self.span.clone()], &self.text[self.span.start..]);
                let is_known = |name: &str| (self.names)(name, 0).is_ok();
                let before = &self.text[..self.span.start];
                let meant = hint::of_missing_operator(before, (token, rest), is_known(token));
                let right = hint::product_of_names(token, is_known);
                let right = right.map_or_else(|| self.shown(), |(product, _)| product);
                let help =
                    meant.unwrap_or_else(|| hint::product(&self.text[..self.end], (left, &right)));
                let kind = ParseErrorKind::MissingOperator(self.shown());
                error_with(self.span.clone(), kind, help)
            }
        }
    }

    /// Enters one level of nesting.
    fn enter(&mut self, span: &Range<usize>) -> Result<(), ParseError> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err(error(span.clone(), ParseErrorKind::TooDeep));
        }
        Ok(())
    }

    // --------------------------------------------------------------- grammar

    fn sum(&mut self) -> Result<Operand, ParseError> {
        let first = self.product()?;
        if !matches!(self.token, Token::Plus | Token::Minus) {
            return Ok(first);
        }
        let start = first.span.start;
        let mut parts = vec![first.expr];
        while matches!(self.token, Token::Plus | Token::Minus) {
            let minus = self.token == Token::Minus;
            self.advance()?;
            let part = self.product()?;
            parts.push(if minus {
                self.checked(self.pool.neg(part.expr), &part.span)?
            } else {
                part.expr
            });
        }
        let span = start..self.end;
        let expr = self.combine(parts, &span, |pool, parts| pool.sum(parts.iter().copied()))?;
        Ok(Operand { expr, span })
    }

    fn product(&mut self) -> Result<Operand, ParseError> {
        let first = self.signed()?;
        if !matches!(self.token, Token::Times | Token::Over) {
            return Ok(first);
        }
        let start = first.span.start;
        let mut parts = vec![first.expr];
        while matches!(self.token, Token::Times | Token::Over) {
            let over = self.token == Token::Over;
            self.advance()?;
            let part = self.signed()?;
            parts.push(if over {
                if part.expr == self.pool.zero() {
                    return Err(error(part.span, ParseErrorKind::DivisionByZero));
                }
                self.checked(self.pool.powi(part.expr, -1), &part.span)?
            } else {
                part.expr
            });
        }
        let span = start..self.end;
        let expr = self.combine(parts, &span, |pool, parts| {
            pool.product(parts.iter().copied())
        })?;
        Ok(Operand { expr, span })
    }

    fn signed(&mut self) -> Result<Operand, ParseError> {
        let start = self.span.start;
        let mut minus = false;
        while matches!(self.token, Token::Plus | Token::Minus) {
            minus ^= self.token == Token::Minus;
            self.advance()?;
        }
        let power = self.power()?;
        let span = start..power.span.end;
        let expr = if minus {
            self.checked(self.pool.neg(power.expr), &span)?
        } else {
            power.expr
        };
        Ok(Operand { expr, span })
    }

    fn power(&mut self) -> Result<Operand, ParseError> {
        let base = self.atom()?;
        if self.token != Token::Power {
            return Ok(base);
        }
        self.enter(&self.span.clone())?;
        self.advance()?;
        let exponent = self.signed()?;
        self.nesting -= 1;
        if let Some(number) = self.pool.as_number(exponent.expr)
            && number.abs() > Number::from(MAX_POWER)
        {
            return Err(error(exponent.span, ParseErrorKind::Power));
        }
        let span = base.span.start..exponent.span.end;
        let power = self.pool.pow(base.expr, (self.exponents)(exponent.expr));
        let expr = self.checked(power, &span)?;
        Ok(Operand { expr, span })
    }

    fn atom(&mut self) -> Result<Operand, ParseError> {
        let span = self.span.clone();
        let expr = match self.token {
            Token::Number => {
                let number = Number::parse(&self.text[span.clone()])
                    .ok_or_else(|| error(span.clone(), ParseErrorKind::Number))?;
                self.advance()?;
                self.pool.number(number)
            }
            Token::Name(primes) => {
                let name = &self.text[span.start..span.end - primes];
                self.advance()?;
                if self.token == Token::Open {
                    return self.call(name, &span);
                }
                self.name(name, primes, &span)?
            }
            Token::Open => {
                self.enter(&span)?;
                self.advance()?;
                let inner = self.sum()?;
                self.nesting -= 1;
                self.close(&span)?;
                inner.expr
            }
            Token::End => {
                return Err(error(
                    self.end.min(span.start)..span.end,
                    ParseErrorKind::Ends,
                ));
            }
            _ => {
                let kind = ParseErrorKind::NoOperand(self.shown());
                let comment = self.token == Token::Over && self.text[..span.start].ends_with('/');
                let help = comment.then(|| "a comment begins with `#`".to_owned());
                return Err(error(span, kind).with_help_if(help));
            }
        };
        Ok(Operand {
            expr,
            span: span.start..self.end,
        })
    }

    /// Passes a closing parenthesis.
    fn close(&mut self, open: &Range<usize>) -> Result<(), ParseError> {
        match self.token {
            Token::Close => self.advance(),
            Token::End => Err(error(open.clone(), ParseErrorKind::Unclosed)),
            _ => Err(self.stray()),
        }
    }

    fn name(&self, name: &str, primes: usize, span: &Range<usize>) -> Result<Expr, ParseError> {
        if is_function(name) {
            let kind = ParseErrorKind::BareFunction(name.to_owned());
            let help = if self.token == Token::Power {
                format!("write `{name}(x)^2` for the square of `{name}(x)`")
            } else {
                format!("write `{name}(x)`")
            };
            return Err(error_with(span.clone(), kind, help));
        }
        if name == "pi" && primes == 0 {
            return Ok(self.pool.pi());
        }
        let found = (self.names)(name, primes);
        if name == "deg" && primes == 0 && is_unknown(&found) {
            let pool = self.pool;
            return Ok(pool.div(pool.pi(), pool.number(Number::from(180))));
        }
        found.map_err(|problem| {
            let power = name == "e" && self.token == Token::Power;
            let meant = power.then(|| hint::of_power_of_e(&self.text[self.span.end..]));
            error(span.clone(), problem.into()).with_help_if(meant)
        })
    }

    /// `name(` has been read up to the parenthesis.
    fn call(&mut self, name: &str, place: &Range<usize>) -> Result<Operand, ParseError> {
        let open = self.span.clone();
        let formula = FORMULAS.iter().find(|(call, _)| called(call) == name);
        let formula = formula.filter(|_| is_unknown(&(self.names)(name, 0)));
        let is_known = is_function(name) || formula.is_some();
        if !is_known || self.text[place.clone()].ends_with('\'') {
            return Err(self.no_function(name, place));
        }
        self.enter(place)?;
        self.advance()?;
        let mut arguments = Vec::new();
        if self.token != Token::Close {
            arguments.push(self.sum()?.expr);
            while self.token == Token::Comma {
                self.advance()?;
                arguments.push(self.sum()?.expr);
            }
        }
        self.nesting -= 1;
        self.close(&open)?;
        let span = place.start..self.end;
        let function = Function::named(name);
        let (name, expected) = match (function, formula) {
            (Some(function), _) => (function.name(), function.arity()),
            (None, Some((call, _))) => (called(call), 1 + call.matches(',').count()),
            (None, None) => ("sqrt", 1),
        };
        let expr = match (function, formula, arguments.as_slice()) {
            (Some(Function::Atan2), _, [y, x]) => self.pool.atan2(*y, *x),
            (Some(function), _, [argument]) if expected == 1 => {
                self.pool.apply(function, *argument)
            }
            (None, None, [argument]) => self.pool.sqrt(*argument),
            (None, Some((_, formula)), list) if list.len() == expected => {
                self.formula(formula, list, &span)?
            }
            _ => {
                let found = arguments.len();
                let kind = ParseErrorKind::Arguments {
                    name,
                    expected,
                    found,
                };
                return Err(error(span, kind));
            }
        };
        let expr = self.checked(expr, &span)?;
        Ok(Operand { expr, span })
    }

    /// A formula of a, b with these arguments in their places.
    fn formula(
        &self,
        formula: &str,
        arguments: &[Expr],
        span: &Range<usize>,
    ) -> Result<Expr, ParseError> {
        let argument = |name: &str, _: usize| {
            let own = ["a", "b"].iter().zip(arguments);
            let mut own = own.filter(|(letter, _)| **letter == name);
            own.next().map(|(_, e)| *e).ok_or(NameError::Unknown {
                name: name.to_owned(),
                help: None,
            })
        };
        let found = parse_within(self.pool, formula, &argument, self.exponents, self.meter);
        found.map_err(|inside| error(span.clone(), inside.kind))
    }

    /// The error for a name before a parenthesis that is no function.
    fn no_function(&self, name: &str, place: &Range<usize>) -> ParseError {
        let primes = place.len() - name.len();
        let moves = |name: &str| match (self.names)(name, 1) {
            Ok(_) | Err(NameError::NotHere { .. }) => true,
            Err(_) => false,
        };
        let whole = (name, &self.text[place.end - primes..place.end]);
        let meant = hint::of_call(whole, &self.text[self.span.end..], moves);
        if is_function(name) || name == "pi" || (self.names)(name, primes).is_ok() {
            let name = &self.text[place.clone()];
            let kind = ParseErrorKind::MissingOperator("(".to_owned());
            let help = meant.unwrap_or_else(|| format!("write `{name}*(` for a product"));
            return error_with(self.span.clone(), kind, help);
        }
        let kind = ParseErrorKind::NoFunction(name.to_owned());
        if let Some(help) = meant {
            return error_with(place.clone(), kind, help);
        }
        if let Some(help) = hint::of_function(name) {
            return error_with(place.clone(), kind, help);
        }
        let alias = ALIASES.iter().find(|(alias, _)| *alias == name);
        let nearest = alias.map(|(_, known)| *known).or_else(|| {
            function_names()
                .chain(formula_names())
                .map(|known| {
                    // of those as near a name that was begun
                    let other = !name.starts_with(known);
                    (strsim::damerau_levenshtein(known, name), other, known)
                })
                .filter(|(distance, _, known)| *distance <= known.len() / 3)
                .min()
                .map(|(.., known)| known)
        });
        let help = match nearest {
            Some("log") => "write `log`, the natural logarithm".to_owned(),
            Some(known) => format!("did you mean `{known}`?"),
            None => format!(
                "the functions are {}; a product is written with `*`",
                function_names()
                    .chain(formula_names())
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
        };
        error_with(place.clone(), kind, help)
    }

    // ---------------------------------------------------------------- bounds

    /// Combines many operands a few at a time, so that no number grows far before it is checked.
    fn combine(
        &self,
        mut parts: Vec<Expr>,
        span: &Range<usize>,
        with: impl Fn(&Pool, &[Expr]) -> Expr,
    ) -> Result<Expr, ParseError> {
        loop {
            parts = parts
                .chunks(CHUNK)
                .map(|chunk| self.checked(with(self.pool, chunk), span))
                .collect::<Result<_, _>>()?;
            if let [single] = parts.as_slice() {
                return Ok(*single);
            }
        }
    }

    /// Checks the outermost level of an expression that was just built.
    fn checked(&self, e: Expr, span: &Range<usize>) -> Result<Expr, ParseError> {
        let fail = |kind| Err(error(span.clone(), kind));
        if self.pool.depth(e) > MAX_DEPTH {
            return fail(ParseErrorKind::TooDeep);
        }
        let operands = match &*self.pool.node(e) {
            Node::Number(n) => {
                if !fits(n) {
                    return fail(ParseErrorKind::NumberTooLarge);
                }
                1
            }
            Node::Sum(constant, terms) => {
                if !fits(constant) || !terms.iter().all(|(_, k)| fits(k)) {
                    return fail(ParseErrorKind::NumberTooLarge);
                }
                terms.len()
            }
            Node::Product(coefficient, factors) => {
                if !fits(coefficient) {
                    return fail(ParseErrorKind::NumberTooLarge);
                }
                for (base, exponent) in factors {
                    if let Some(problem) = self.bad_power(*base, *exponent) {
                        return fail(problem);
                    }
                }
                // the pool has looked through the terms of every sum that is a factor
                let width = |base: Expr| match &*self.pool.node(base) {
                    Node::Sum(_, terms) => terms.len(),
                    _ => 1,
                };
                factors.iter().map(|(base, _)| width(*base)).sum()
            }
            Node::Symbol(_) | Node::Apply(..) => 1,
        };
        if !self.meter.spend(operands) {
            return fail(ParseErrorKind::TooMany);
        }
        if self.meter.size(self.pool, e) > MAX_SIZE {
            return fail(ParseErrorKind::TooLarge);
        }
        Ok(e)
    }

    /// Powers that have no value, or that the pool left alone because their numbers would be too large.
    fn bad_power(&self, base: Expr, exponent: Expr) -> Option<ParseErrorKind> {
        if base == self.pool.zero() {
            return Some(ParseErrorKind::DivisionByZero);
        }
        let exponent = self.pool.as_number(exponent)?;
        if exponent.abs() > Number::from(MAX_POWER) {
            return Some(ParseErrorKind::Power);
        }
        if exponent.is_one() || !exponent.is_integer() {
            return None;
        }
        let unevaluated = match &*self.pool.node(base) {
            Node::Number(_) | Node::Product(..) => true,
            Node::Sum(constant, terms) => !terms
                .iter()
                .fold(constant.abs(), |content, (_, k)| content.content(k))
                .is_one(),
            Node::Symbol(_) | Node::Apply(..) => false,
        };
        unevaluated.then_some(ParseErrorKind::NumberTooLarge)
    }
}

/// Where a number with an exponent begins whose last digits begin here: `1e-3`.
fn exponent_of(text: &str, digits: usize) -> Option<usize> {
    let own = &text[digits..];
    if own.is_empty() || !own.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let before = text[..digits].strip_suffix(['+', '-'])?;
    let mantissa = before.strip_suffix(['e', 'E'])?;
    let from = mantissa.trim_end_matches(|c| continues_name(c) || c == '.');
    let from = from.len();
    let is_number = mantissa[from..]
        .bytes()
        .all(|b| b.is_ascii_digit() || b == b'.');
    (is_number && from < mantissa.len()).then_some(from)
}

/// Is a number within the size that powers may have? (The first power is bounded like any other.)
fn fits(number: &Number) -> bool {
    number.pow(1).is_some()
}

/// The functions that an expression may have.
pub fn function_names() -> impl Iterator<Item = &'static str> {
    Function::ALL
        .into_iter()
        .map(Function::name)
        .chain(["sqrt"])
}

/// Is this the name of a function of the grammar?
pub fn is_function(name: &str) -> bool {
    function_names().any(|known| known == name)
}

/// What other notations call the functions.
const ALIASES: [(&str, &str); 14] = [
    ("ln", "log"),
    ("arcsin", "asin"),
    ("arccos", "acos"),
    ("arctan", "atan"),
    ("arctan2", "atan2"),
    ("asn", "asin"),
    ("tg", "tan"),
    ("arctg", "atan"),
    ("sh", "sinh"),
    ("ch", "cosh"),
    ("th", "tanh"),
    ("sgn", "sign"),
    ("signum", "sign"),
    ("root", "sqrt"),
];

/// Functions that are read as formulas of others, where a file has no such name.
const FORMULAS: [(&str, &str); 11] = [
    ("max(a, b)", "(a + b + abs(a - b))/2"),
    ("min(a, b)", "(a + b - abs(a - b))/2"),
    ("step(a)", "(1 + sign(a))/2"),
    ("heaviside(a)", "(1 + sign(a))/2"),
    ("hypot(a, b)", "sqrt(a^2 + b^2)"),
    ("pow(a, b)", "a^b"),
    ("sqr(a)", "a^2"),
    ("log10(a)", "log(a)/log(10)"),
    ("cot(a)", "1/tan(a)"),
    ("sec(a)", "1/cos(a)"),
    ("csc(a)", "1/sin(a)"),
];

/// The names of formulas that are written as functions.
pub fn formula_names() -> impl Iterator<Item = &'static str> {
    FORMULAS.iter().map(|(call, _)| called(call))
}

/// Is it a name that nobody has declared?
fn is_unknown(found: &Result<Expr, NameError>) -> bool {
    matches!(found, Err(NameError::Unknown { .. }))
}

/// The name of a function in a call of it.
fn called(call: &str) -> &str {
    call.split('(').next().unwrap_or(call)
}
