//! Intervals hold what arb (python-flint 0.9, 200 bits) says of functions: some ten thousand arguments, many of them
//! next to zeros, extrema and ends of domains. Each with the double below the value, which lies strictly between
//! that and the next.

#![allow(clippy::unwrap_used)]

use holonom::expr::{Function, Interval};

const RECORD: usize = 17;

#[test]
fn intervals_hold_the_values_of_functions() {
    let names = [
        "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "erf", "exp", "log",
        "sqrt",
    ];
    let data = include_bytes!("enclosures.bin");
    assert!(data.len() / RECORD > 10_000);
    for record in data.chunks_exact(RECORD) {
        let number = |from: usize| f64::from_le_bytes(record[from..from + 8].try_into().unwrap());
        let (name, x, below) = (names[usize::from(record[0])], number(1), number(9));
        let at = Interval::point(x);
        let found = match Function::named(name) {
            Some(f) => at.apply(f),
            None => at.sqrt(),
        };
        let holds = found.lo <= below && below.next_up() <= found.hi;
        assert!(holds, "{name}({x:e}): {found:?}, {below:e}");
    }
}
