//! The program: arguments and dispatch.
fn main() {}
