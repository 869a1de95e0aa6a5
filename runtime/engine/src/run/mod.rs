//! Runs: what a run's stream says of it, and what a request under its id leads to.

mod ask;
mod cancel;
mod state;

pub use ask::{Ask, Newest, Request, ask};
pub use cancel::{cancellation, cancelled};
pub use state::{Deferred, Ended, Entry, RunState, Stream};
