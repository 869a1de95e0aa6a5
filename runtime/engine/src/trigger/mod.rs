//! Triggers: which runs the playbook starts by itself. "Triggers".
//!
//! Pure: the time, the events and what filters answered come in as values.

mod schedule;
mod state;

pub use schedule::{Timing, latest_due, next_due, next_times};
pub use state::{Armed, Matching, Reacting, Reactions, Refusals, Waiting, matching, triggered_run};
