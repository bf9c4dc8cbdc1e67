//! Tests of state, keys and screen.
