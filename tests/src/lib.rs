//! Tests over the whole program.
