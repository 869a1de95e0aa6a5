//! Pure decisions: state and input in, facts and words out.
//!
//! No database, no clock, no randomness, no engine of JavaScript: times, ids and what a sandbox answered come in as values.

pub mod definition;
pub mod event;
pub mod interaction;
pub mod playbook;
pub mod row;
pub mod run;
pub mod trigger;
pub mod view;
pub mod workflow;
