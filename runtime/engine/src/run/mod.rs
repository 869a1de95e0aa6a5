//! Runs: what a run's stream says of it, and what a request under its id leads to.

mod ask;
mod state;

pub use ask::{Ask, Newest, Request, ask};
pub use state::{Deferred, Ended, Entry, RunState, Stream};
