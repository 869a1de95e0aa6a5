//! From the text of a document to a definition, with every problem at its place.
//!
//! * [`check`] judges a document with the compiler, and gives the definition when nothing refuses it.
//! * [`check_without_compiler`] tells every problem but those that only types can show.
//! * [`case::read`] and [`case::write`] do the same for the test cases of a definition.
//! * [`uses`] and [`used_by_section`] tell which definitions use which.
//!
//! A document's problems are values beside the result: bad input is normal input, and all of it is told at once.
//! This crate must not know files, clocks, the history or how anything runs; the compiler is handed to it.

pub mod case;
mod check;
mod computation;
mod details;
mod event;
mod filter;
mod front_matter;
mod interaction;
mod module;
mod overview;
mod plain;
mod playbook;
mod reader;
mod recall;
mod view;
pub mod workflow;
mod yaml;

#[cfg(test)]
mod tests;

pub use check::{Checked, Definition, LargestView, Outline, Unjudged, check, check_within, check_without_compiler};
pub use details::{ComputationDetails, Data, Details, Filter, InteractionDetails, RecallDetails, TemplateText, uses};
pub use overview::used_by_section;
pub use playbook::read_playbook;
