//! Performs runs: an input goes in, a sandbox or another outside is asked, an ending comes out.
//!
//! Records nothing and decides nothing about ids or retries; a wall clock comes in as a moment and a deadline.

mod computation;
mod recall;
mod words;

pub use computation::computation;
pub use recall::{Reading, recall};

use playbook_model::ending::{Ending, Rejection};
use playbook_model::time::Moment;
use playbook_worker::Pool;
use std::time::Instant;

/// What performing a run led to.
#[derive(Debug, Clone, PartialEq)]
pub enum Performed {
    /// An ending.
    Ended(Ending),
    /// The runtime broke down; the words are for its log, never for the caller.
    Broke(String),
}

impl From<Rejection> for Performed {
    fn from(rejection: Rejection) -> Self {
        Self::Ended(Ending::Rejected(rejection))
    }
}

/// Where and when a run is performed.
#[derive(Debug, Clone)]
pub struct Stage {
    /// The workers.
    pub pool: Pool,
    /// The moment the run started: what its clock reads.
    pub started: Moment,
    /// When its time is over, waiting for a turn included.
    pub deadline: Instant,
    /// How long a run may take, as a refusal names it.
    pub milliseconds: u64,
}
