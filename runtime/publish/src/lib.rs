//! Publishes a folder's definitions to a server: a plan first, then one item after the other, each read back.
//!
//! [`plan`] decides and touches nothing; [`Remote`] speaks to the server; [`Published`] keeps what was published
//! last; [`apply`] sends.
//! This crate knows no folder of definitions and no check: its caller brings the texts and what each uses.

mod apply;
mod base;
mod plan;
mod remote;
mod words;

pub use apply::{Choice, Chosen, Folder, Outcome, OutcomeWord, apply, read_plan};
pub use base::{Base, Published, PublishedError};
pub use plan::{Action, Item, Mine, Plan, PlaybookThere, State, Theirs, compare, in_order};
pub use remote::{Remote, RemoteError, Secret, Target};
pub use words::{LineProblem, line_problem};
