//! The symbolic engine.
mod number;
mod pool;
pub use number::Number;
pub use pool::{Expr, Function, Node, Pool, Symbol, SymbolKind};
