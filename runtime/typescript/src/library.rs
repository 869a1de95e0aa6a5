//! The sandbox's own library, as the compiler reads it. "The sandbox".
//!
//! Cut from TypeScript's by `cargo xtask lib`; the files say under which licence.

/// The library's script.
pub(crate) const SCRIPT: &str = include_str!("../lib/sandbox.d.ts");

/// The part that must be a module: it adds to the global scope from within.
pub(crate) const ITERATOR: &str = include_str!("../lib/sandbox.iterator.d.ts");
