//! The symbolic engine: hash-consed expressions with exact rationals, their derivatives, a normal
//! form, factors, solutions for a variable, printing, and compilation to straight-line code.
mod angles;
mod bounds;
mod calculus;
mod code;
mod cost;
mod dependence;
mod echelon;
mod elimination;
mod factor;
mod factors;
mod forms;
mod fraction;
mod function;
mod interval;
mod join;
mod known;
mod lagrange;
mod landing;
#[cfg(all(feature = "jit", target_arch = "x86_64", unix))]
mod machine;
mod matrix;
mod memo;
mod modular;
mod native;
mod normal;
mod number;
mod order;
mod parse;
mod poly;
mod pool;
mod power;
mod print;
mod quotient;
mod radical;
mod rules;
mod scale;
mod simplify;
mod stages;
mod sum;
mod tally;
mod tape;
mod tidy;
mod write;
pub use crate::effort::{
    Extent, FOR_A_DERIVATION, FOR_A_QUESTION, FOR_NUMBERS, INTERVAL, asked, asked_within,
    calculate, calculated, calculating, can_calculate, cancelled, is_over, is_spent,
    until_cancelled, within, work,
};
pub use code::{Code, CodeNames, Language};
pub(crate) use echelon::reduced;
pub use factors::Factors;
pub use function::{Function, Parity, Row, Smooth, Values};
pub use interval::{Interval, rounded};
pub use lagrange::{Accelerations, Corrections, Lagrange, Parts, Scratch};
pub use landing::{Landing, Rounded};
pub use matrix::{Block, Determinant, LARGEST_BLOCK, Matrix, block_of, block_triangular, parity};
pub use memo::Cost;
pub(crate) use modular::Sequence;
pub use number::Number;
pub(crate) use parse::product_of_names;
pub use parse::{
    MAX_SIZE, Meter, NameError, Names, ParseError, ParseErrorKind, formula_names, function_names,
    is_function, is_name, parse, parse_within,
};
pub use pool::{Expr, Node, Pool, Symbol, SymbolKind};
pub use print::{Frame, Layout, Room, Style, Typeset, greek_name, text_width};
pub use stages::{EvaluatedStages, SolvedEquations, Stages, TableauRow};
pub(crate) use tape::{Op, Program};
pub use tape::{Tape, Workspace};
