//! JSON Schema as the formats take it: what a schema may say, what fits it, what its type and its words are.
//!
//! The rules are those of "Answers that are JSON": draft 2020-12, or draft-07 when the schema says so.
//! A schema is judged once by [`flaws`]; one without errors compiles into a [`Schema`] that checks values.
//!
//! This crate must not know documents, YAML or lines: a flaw and an issue carry a JSON Pointer, and whoever read the
//! document knows where that is.
//! It has no clock, no files and no randomness, and checking takes time in proportion to schema and value.

mod draft;
mod flaw;
mod format;
mod input;
mod issue;
mod keyword;
mod largest;
mod number;
mod place;
mod schema;
mod types;
mod words;

#[cfg(test)]
mod tests;

pub use draft::Draft;
pub use flaw::{Flaw, REACH, REACH_IN_A_ROW, errors, flaws};
pub use format::Format;
pub use input::check_input;
pub use issue::{Manner, pointed};
pub use keyword::FORMATS;
pub use largest::{Largest, largest};
pub use place::{Holding, Member, Place, is_whole_number};
pub use schema::Schema;
pub use types::{identifier, types};
pub use words::{Field, Presence, Shape, describe, literal};
