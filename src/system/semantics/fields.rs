//! Tables, lists, texts and expressions as a file holds them.

use super::constraints::CONSTRAINT;
use super::motion::{FORCE, LAGRANGIAN};
use super::{Builder, keys};
use crate::expr::{
    Expr, NameError, Number, ParseError, ParseErrorKind, SymbolKind, is_name, parse_within,
};
use crate::system::names::{Context, Freed, Reach, Scope};
use crate::system::schema::{Node, Scalar, Value};
use crate::system::{Diagnostic, ValueOf, quote, sanitize};
use std::cell::RefCell;
use std::ops::Range;

/// The entries of a table whose keys were checked.
pub struct Fields<'n> {
    /// Each with the key that is meant.
    entries: Vec<(String, &'n Scalar, &'n Node)>,
}

impl<'n> Fields<'n> {
    /// The key and value of a name.
    pub fn entry(&self, name: &str) -> Option<(&'n Scalar, &'n Node)> {
        let mut entries = self.entries.iter();
        let (_, key, node) = entries.find(|(own, ..)| own == name)?;
        Some((key, node))
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&'n Node> {
        self.entry(name).map(|(_, node)| node)
    }
}

/// What the names of the outputs of a constraint begin with.
const OUTPUTS: [&str; 2] = ["lambda_", "F_"];
/// Keys that are named where a table is wanted.
const FEW_KEYS: usize = 6;
/// So many errors are found at most; those shown are the first of them in the text.
const ENOUGH_ERRORS: usize = 100;

/// How equations are written that stand in a list.
pub fn one_line_each(name: &str, first: &Scalar) -> String {
    let (name, first) = (quote(name), quote(&first.value));
    format!("write one named line for each equation, such as `{name}: {first}`")
}

impl Builder<'_> {
    /// Have so many errors been found that no more are looked for?
    pub fn is_full(&self) -> bool {
        self.errors.len() >= ENOUGH_ERRORS
    }

    /// Reports an error with a hint, if there is one.
    pub fn report(&mut self, span: Range<usize>, message: impl AsRef<str>, help: Option<String>) {
        if !self.is_full() {
            let error = self.source.error(span, message).with_help_if(help);
            self.errors.push(error);
        }
    }

    /// Reports an error.
    pub fn fail(&mut self, span: Range<usize>, message: impl AsRef<str>) {
        self.report(span, message, None);
    }

    /// Reports an error with a hint.
    pub fn fail_with(
        &mut self,
        span: Range<usize>,
        message: impl AsRef<str>,
        help: impl Into<String>,
    ) {
        self.report(span, message, Some(help.into()));
    }

    /// Reports an error of what is of no use then.
    pub fn refuse<T>(&mut self, span: Range<usize>, message: impl AsRef<str>) -> Option<T> {
        self.report(span, message, None);
        None
    }

    /// The same with a hint.
    pub fn refuse_with<T>(
        &mut self,
        span: Range<usize>,
        message: impl AsRef<str>,
        help: impl Into<String>,
    ) -> Option<T> {
        self.report(span, message, Some(help.into()));
        None
    }

    /// Reports a value of a wrong kind, which is none.
    pub fn wrong_kind<T>(&mut self, node: &Node, what: &str, expected: &str) -> Option<T> {
        self.wrong_kind_with(node, (what, expected), None)
    }

    /// The same with a hint, if there is one.
    pub fn wrong_kind_with<T>(
        &mut self,
        node: &Node,
        (what, expected): (&str, &str),
        help: Option<String>,
    ) -> Option<T> {
        let message = if node.is_nothing() {
            format!("{what} must be {expected}, and nothing stands here")
        } else {
            format!("{what} must be {expected}, not {}", node.kind())
        };
        self.report(node.span.clone(), message, help);
        None
    }

    /// How to write the entries of a list as a table: `- rod: x - y`, `[m = 1]`.
    fn as_table(&self, items: &[Node]) -> Option<String> {
        let first = items.first()?;
        match &first.value {
            Value::Mapping(entries) => {
                let name = entries.iter().find(|(key, _)| key.value == "name");
                if let Some((_, node)) = name {
                    let Value::Scalar(name) = &node.value else {
                        return None;
                    };
                    let name = quote(&name.value);
                    return Some(format!("write the name before the rest: `{name}: {{…}}`"));
                }
                let before = self.source.text[..first.span.start].trim_end();
                Some(if before.ends_with('-') {
                    "remove the `- ` before each name".to_owned()
                } else {
                    let (key, _) = entries.first()?;
                    let key = quote(&key.value);
                    format!("write `{{{key}: …}}`, without the `[ ]`")
                })
            }
            Value::Scalar(_) => {
                let entry = |item: &Node| {
                    let Value::Scalar(scalar) = &item.value else {
                        return None;
                    };
                    let (name, value) = scalar.value.split_once('=')?;
                    let (name, value) = (name.trim(), value.trim());
                    is_name(name.trim_end_matches('\'')).then(|| format!("{name}: {value}"))
                };
                let entries: Option<Vec<String>> = items.iter().map(entry).collect();
                Some(format!("write `{{{}}}`", quote(&entries?.join(", "))))
            }
            Value::Sequence(_) => None,
        }
    }

    /// The entries of a table of equations.
    pub fn equations<'n>(
        &mut self,
        node: &'n Node,
        what: &str,
        expected: &str,
    ) -> Option<Vec<(&'n Scalar, &'n Node)>> {
        if let Value::Sequence(items) = &node.value
            && let Some(Value::Scalar(first)) = items.first().map(|item| &item.value)
        {
            let help = one_line_each("c1", first);
            return self.wrong_kind_with(node, (what, expected), Some(help));
        }
        self.table(node, what, expected)
    }

    /// A table with known keys. `None` where it is no table; unknown keys are reported, and taken for those that are meant.
    pub fn fields<'n>(&mut self, node: &'n Node, what: &str, known: &[&str]) -> Option<Fields<'n>> {
        let keys = match known {
            few if few.len() <= FEW_KEYS => known.join(", "),
            _ => "keys and values".to_owned(),
        };
        let entries = self.table(node, what, &format!("a table of {keys}"))?;
        let mut good: Vec<(String, &Scalar, &Node)> = Vec::new();
        let mut listed = false;
        // the last known key, where nothing stands under it
        let mut empty = None;
        for (key, value) in &entries {
            if self.is_full() {
                break;
            }
            let name = key.value.as_str();
            if known.contains(&name) {
                empty = value.is_nothing().then_some(name);
                good.push((name.to_owned(), key, value));
                continue;
            }
            let meant = keys::meant((key, value), &entries, known);
            let help = meant
                .as_ref()
                .map(|meant| meant.help.clone())
                .or_else(|| {
                    let empty = empty.filter(|_| matches!(value.value, Value::Scalar(_)))?;
                    Some(format!("indent it, if it belongs to `{empty}`"))
                })
                .or_else(|| {
                    // the list once is enough
                    let first = !std::mem::replace(&mut listed, true);
                    first.then(|| format!("its keys are {}", known.join(", ")))
                });
            let message = format!("{what} has no key `{}`", quote(name));
            self.report(key.span.clone(), message, help);
            if let Some(meant) = meant.and_then(|meant| meant.key)
                && !entries.iter().any(|(key, _)| key.value == meant)
                && !good.iter().any(|(own, ..)| own == meant)
            {
                // what it says is not missing then
                good.push((meant.to_owned(), key, value));
            }
        }
        Some(Fields { entries: good })
    }

    /// The entries of a table; none where nothing stands there.
    pub fn table<'n>(
        &mut self,
        node: &'n Node,
        what: &str,
        expected: &str,
    ) -> Option<Vec<(&'n Scalar, &'n Node)>> {
        match &node.value {
            Value::Mapping(entries) => Some(entries.iter().map(|(k, v)| (k, v)).collect()),
            Value::Sequence(items) => {
                let help = self.as_table(items);
                self.wrong_kind_with(node, (what, expected), help)
            }
            _ if node.is_nothing() => Some(Vec::new()),
            Value::Scalar(_) => self.wrong_kind(node, what, expected),
        }
    }

    /// The items of a list; none where nothing stands there.
    pub fn list<'n>(&mut self, node: &'n Node, what: &str, expected: &str) -> Option<&'n [Node]> {
        match &node.value {
            Value::Sequence(items) => Some(items),
            _ if node.is_nothing() => Some(&[]),
            _ => self.wrong_kind(node, what, expected),
        }
    }

    /// The entries of a table of the file; none without it.
    pub fn table_of<'n>(
        &mut self,
        fields: &Fields<'n>,
        key: &str,
        expected: &str,
    ) -> Vec<(&'n Scalar, &'n Node)> {
        let node = fields.get(key);
        let entries = node.and_then(|node| self.table(node, &format!("`{key}`"), expected));
        entries.unwrap_or_default()
    }

    /// The items of a list of the file; none without it.
    pub fn list_of<'n>(&mut self, fields: &Fields<'n>, key: &str, expected: &str) -> &'n [Node] {
        let node = fields.get(key);
        let items = node.and_then(|node| self.list(node, &format!("`{key}`"), expected));
        items.unwrap_or_default()
    }

    /// A scalar that says something.
    pub fn scalar<'n>(&mut self, node: &'n Node, what: &str, expected: &str) -> Option<&'n Scalar> {
        match &node.value {
            Value::Scalar(scalar) if !node.is_nothing() => Some(scalar),
            _ => self.wrong_kind(node, what, expected),
        }
    }

    /// A text for the reader, sanitised, on one line.
    pub fn text(&mut self, fields: &Fields, key: &str) -> Option<String> {
        let node = fields.get(key)?;
        let scalar = self.scalar(node, &format!("`{key}`"), "a text")?;
        let words: Vec<&str> = scalar.value.split_whitespace().collect();
        Some(sanitize(&words.join(" ")))
    }

    /// An expression.
    pub fn expression(&mut self, node: &Node, what: &str, place: Context) -> Option<Expr> {
        let scalar = self.scalar(node, what, "an expression")?;
        self.part(scalar, 0..scalar.value.len(), place)
    }

    /// An expression that is a part of a scalar.
    pub fn part(&mut self, scalar: &Scalar, part: Range<usize>, place: Context) -> Option<Expr> {
        self.read(scalar, part, place, Freed::Coordinate)
    }

    /// The place of the sign of an equation, `=` or `==`, and that of another one, which has no place there.
    pub fn equality(text: &str) -> Option<(Range<usize>, Option<usize>)> {
        let at = text.find('=')?;
        let end = at + if text[at..].starts_with("==") { 2 } else { 1 };
        Some((at..end, text[end..].find('=').map(|second| end + second)))
    }

    /// The expressions before and after a sign.
    pub fn sides_at(
        &mut self,
        scalar: &Scalar,
        sign: Range<usize>,
        place: Context,
    ) -> Option<(Expr, Expr)> {
        let left = self.part(scalar, 0..sign.start, place);
        let right = self.part(scalar, sign.end..scalar.value.len(), place);
        Some((left?, right?))
    }

    fn read(
        &mut self,
        scalar: &Scalar,
        part: Range<usize>,
        place: Context,
        freed: Freed,
    ) -> Option<Expr> {
        if self.is_full() {
            return None;
        }
        let text = &scalar.value[part.clone()];
        let lower = text.trim().trim_start_matches(['+', '-']).to_lowercase();
        if matches!(lower.as_str(), ".nan" | ".inf") {
            let span = scalar.place(&part);
            return self.refuse(
                span,
                format!("`{}` is not a finite number", quote(text.trim())),
            );
        }
        let scope = Scope {
            table: &self.table,
            place,
            freed,
        };
        let names = |name: &str, primes| scope.resolve(name, primes);
        let full = self.meter.is_full();
        let powers = RefCell::new(Vec::new());
        let varied = self
            .varies
            .as_deref()
            .and_then(|name| self.pool.lookup(name));
        let exponents = |e: Expr| {
            let varied = varied.is_some_and(|own| self.pool.contains_any(e, &[own]));
            if place.reach == Reach::Parameters || !self.pool.is_constant(e) || varied {
                return e;
            }
            let value = self.pool.substitute(e, &self.exact);
            let number = self.pool.as_number(value);
            if self.pool.as_number(e).is_none() {
                powers.borrow_mut().push((ValueOf::Exponent, e));
            }
            number.filter(Number::is_integer).map_or(e, |_| value)
        };
        let found = parse_within(&self.pool, text, &names, &exponents, &self.meter);
        self.worked_out.extend(powers.into_inner());
        match found {
            Ok(e) => Some(e),
            // what comes after it is told once
            Err(error) if full && error.kind == ParseErrorKind::TooMany => None,
            Err(mut error) => {
                let name = text[..error.span.start].trim();
                if matches!(&error.kind, ParseErrorKind::Relation(sign) if sign == "=")
                    && place.name != CONSTRAINT.name
                    && is_name(name)
                {
                    // `L = T - V`
                    error.help = Some(format!("leave out `{name} =`"));
                }
                if let ParseErrorKind::Name(NameError::Unknown { name, help }) = &error.kind
                    && place.name == LAGRANGIAN.name
                    && let Some(energy) = keys::energy(name)
                    && (name == "T" || help.as_ref().is_none_or(|help| !help.ends_with('?')))
                {
                    error.help = Some(energy);
                }
                self.expression_error(scalar, part.start, error);
                None
            }
        }
    }

    /// Reports an error inside an expression that begins at a place of a scalar.
    fn expression_error(&mut self, scalar: &Scalar, start: usize, error: ParseError) {
        let ParseError { span, kind, help } = error;
        if let ParseErrorKind::Name(NameError::Unknown { name, .. }) = &kind
            && self.lacking
            && OUTPUTS.iter().any(|begin| name.starts_with(begin))
        {
            // it may be there once the constraints are mended
            return;
        }
        let whole =
            span.is_empty() && matches!(kind, ParseErrorKind::Empty | ParseErrorKind::TooLong(_));
        let place = if whole {
            scalar.span.clone()
        } else {
            scalar.place(&(start + span.start..start + span.end))
        };
        let help = if let ParseErrorKind::Name(NameError::NotHere { name, place, .. }) = &kind {
            if name.ends_with('\'') && *place == CONSTRAINT.name {
                Some("a relation of velocities belongs in `velocity_constraints`".to_owned())
            } else if *place == FORCE.name && OUTPUTS.iter().any(|begin| name.starts_with(begin)) {
                Some(
                    "a force cannot depend on what the constraints do; write the normal force in coordinates, velocities \
                     and parameters, such as m*g on a level floor"
                        .to_owned(),
                )
            } else if self.table.is_freed(name) {
                Some(format!(
                    "`{name}` is to be freed: it would be a coordinate, and cannot stand here"
                ))
            } else {
                let inside = self.table.definition(name).map(Reach::adds);
                inside.map(|inside| format!("`{name}` contains {inside}"))
            }
        } else {
            help
        };
        self.report(place, kind.to_string(), help);
    }

    /// The value of an expression of parameters; it must be finite.
    pub fn value(&mut self, node: &Node, what: &str, place: &'static str) -> Option<f64> {
        let value = self.any_value(node, what, place)?;
        self.reported(value)
    }

    /// What was found, once what is wrong with it is reported.
    pub fn reported<T>(&mut self, found: Result<T, Diagnostic>) -> Option<T> {
        found
            .map_err(|fault| self.fail(fault.span, fault.message))
            .ok()
    }

    /// The value of an expression of parameters, or what is wrong with one that is not finite.
    pub fn any_value(
        &mut self,
        node: &Node,
        what: &str,
        place: &'static str,
    ) -> Option<Result<f64, Diagnostic>> {
        let place = Context::new(place, Reach::Parameters);
        let scalar = self.scalar(node, what, "an expression")?;
        let e = self.read(scalar, 0..scalar.value.len(), place, Freed::Value)?;
        self.worked_out.push((ValueOf::Other, e));
        Some(self.finite(e, what, node))
    }

    /// The value of an expression of parameters where it is finite.
    pub fn finite(&self, e: Expr, what: &str, node: &Node) -> Result<f64, Diagnostic> {
        let value = self.evaluate(e);
        if value.is_finite() {
            return Ok(value);
        }
        let message = format!("{what} is not a finite number: it is {value}");
        Err(self.source.error(node.span.clone(), message))
    }

    /// The value of an expression of the parameters known so far.
    pub fn evaluate(&self, e: Expr) -> f64 {
        self.pool.evaluate(e, &|kind| match kind {
            SymbolKind::Parameter(index) => self.values.get(index).copied().unwrap_or(f64::NAN),
            _ => f64::NAN,
        })
    }

    /// What an expression contains. Its depth is bounded, so recursion is too.
    pub fn reach(&mut self, e: Expr) -> Reach {
        if let Some(&known) = self.reaches.get(&e) {
            return known;
        }
        let own = Reach::of(self.pool.symbol_kind(e));
        let children = self.pool.children(e);
        let reach = children
            .into_iter()
            .fold(own, |reach, child| reach.max(self.reach(child)));
        self.reaches.insert(e, reach);
        reach
    }
}
