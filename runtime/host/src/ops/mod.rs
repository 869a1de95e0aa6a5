//! The operations, one file a noun.

mod definitions;
mod events;
mod interactions;
mod playbooks;
mod runs;
mod saving;

pub(crate) use runs::{Origin, apply, run_view};
pub(crate) use saving::{judge, ready};
