//! The symbolic engine.
mod number;
mod parse;
mod pool;
pub use number::Number;
pub use parse::{
    Meter, NameError, Names, ParseError, ParseErrorKind, is_function, is_name, parse, parse_within,
};
pub use pool::{Expr, Function, Node, Pool, Symbol, SymbolKind};
