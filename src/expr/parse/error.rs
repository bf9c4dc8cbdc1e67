//! What can be wrong with the text of an expression.

use super::{MAX_NESTING, MAX_OPERANDS, MAX_POWER, MAX_TEXT};
use std::ops::Range;

/// Why a name cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Nobody declared it.
    #[error("unknown name `{name}`")]
    Unknown {
        /// The name.
        name: String,
        /// What to try: the nearest known name, or a list of the known ones.
        help: Option<String>,
    },
    /// It is declared behind this place.
    #[error("unknown name `{name}`")]
    Later {
        /// The name.
        name: String,
    },
    /// Primes on a name that is no coordinate.
    #[error("`{name}` is not a coordinate: only coordinates have a time derivative `'`")]
    NotACoordinate {
        /// The name, without primes.
        name: String,
    },
    /// More primes than may stand here.
    #[error("`{name}` has too many primes: only velocities such as `x'` may stand here")]
    Primes {
        /// The name with its primes.
        name: String,
    },
    /// It exists and may not stand here.
    #[error("`{name}` cannot be used in {place}, which may contain only {allowed}")]
    NotHere {
        /// The name with its primes.
        name: String,
        /// Where "here" is: `a constraint`.
        place: &'static str,
        /// What may stand here: `coordinates, t and parameters`.
        allowed: &'static str,
    },
}

/// What is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseErrorKind {
    /// Nothing but blanks.
    #[error("an expression is expected here")]
    Empty,
    /// More than [`MAX_TEXT`] bytes.
    #[error("this expression is {0} bytes long; at most {MAX_TEXT} are read")]
    TooLong(usize),
    /// More than [`MAX_NESTING`] or `MAX_DEPTH` levels.
    #[error("this is nested too deeply (more than {MAX_NESTING} levels)")]
    TooDeep,
    /// More than [`super::MAX_SIZE`] operations.
    #[error("this expression becomes too large when written out")]
    TooLarge,
    /// More than [`super::MAX_OPERANDS`] in all expressions measured together.
    #[error(
        "the expressions up to here have more than {MAX_OPERANDS} operands together, more than are read; ask about a part of the system"
    )]
    TooMany,
    /// The text ends where an operand should stand.
    #[error("the expression ends where a number, a name or `(` should follow")]
    Ends,
    /// Something stands where an operand should.
    #[error("a number, a name or `(` is expected here, not `{0}`")]
    NoOperand(String),
    /// Two operands with nothing between them.
    #[error("an operator is missing before `{0}`")]
    MissingOperator(String),
    /// `(` without `)`.
    #[error("this parenthesis is not closed")]
    Unclosed,
    /// `)` without `(`.
    #[error("this parenthesis closes nothing")]
    Unopened,
    /// A comma outside the arguments of a function.
    #[error("a comma has no meaning here")]
    Comma,
    /// `=`, `<` or `>`.
    #[error("`{0}` cannot stand in an expression")]
    Relation(String),
    /// A character of no token.
    #[error("the character `{0}` has no meaning in an expression")]
    Character(String),
    /// `**`.
    #[error("a power is written with `^`, not `**`")]
    DoubleStar,
    /// Primes after something that is no name.
    #[error("a prime must directly follow the name of a coordinate")]
    Prime,
    /// A number that cannot be read.
    #[error("this number is out of range (at most 400 digits, exponents to 330)")]
    Number,
    /// A number that grew too large.
    #[error("a number in this expression has more than a thousand digits")]
    NumberTooLarge,
    /// An exponent beyond [`MAX_POWER`].
    #[error("this exponent is too large (at most {MAX_POWER})")]
    Power,
    /// Division by the number 0.
    #[error("this divides by zero")]
    DivisionByZero,
    /// A function with a wrong number of arguments.
    #[error("`{name}` takes {expected} argument{}, not {found}", if *expected == 1 { "" } else { "s" })]
    Arguments {
        /// The function.
        name: &'static str,
        /// How many it takes.
        expected: usize,
        /// How many it got.
        found: usize,
    },
    /// A function without parentheses.
    #[error("`{0}` is a function: its argument stands in parentheses")]
    BareFunction(String),
    /// `name(` where no function has that name.
    #[error("unknown function `{0}`")]
    NoFunction(String),
    /// A name that cannot be used.
    #[error(transparent)]
    Name(#[from] NameError),
}

/// An error at a place of the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct ParseError {
    /// The place, in bytes of the text.
    pub span: Range<usize>,
    /// What is wrong.
    pub kind: ParseErrorKind,
    /// What to try.
    pub help: Option<String>,
}

impl ParseError {
    /// The same with another hint, where there is one.
    pub(super) fn with_help_if(self, help: Option<String>) -> Self {
        Self {
            help: help.or(self.help),
            ..self
        }
    }
}

pub(super) fn error(span: Range<usize>, kind: ParseErrorKind) -> ParseError {
    let help = match &kind {
        ParseErrorKind::Name(NameError::Unknown { help, .. }) => help.clone(),
        ParseErrorKind::Name(NameError::Later { name }) => {
            Some(format!("`{name}` is defined further down: move it up"))
        }
        ParseErrorKind::Unclosed => Some("add `)`".to_owned()),
        ParseErrorKind::TooDeep | ParseErrorKind::TooLarge | ParseErrorKind::TooMany => {
            Some("write it in a flatter, shorter form".to_owned())
        }
        ParseErrorKind::Number => {
            Some("choose units in which it is nearer to 1, or give it fewer digits".to_owned())
        }
        ParseErrorKind::Power => {
            Some("`^` binds to the right; a power that large is `exp(n*log(x))`".to_owned())
        }
        _ => None,
    };
    ParseError { span, kind, help }
}

pub(super) fn error_with(
    span: Range<usize>,
    kind: ParseErrorKind,
    help: impl Into<String>,
) -> ParseError {
    ParseError {
        span,
        kind,
        help: Some(help.into()),
    }
}
