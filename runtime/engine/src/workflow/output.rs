//! What applying an input leads to, to be performed once its record is on the disk.

use super::input::Called;
use super::value::Held;
use playbook_model::ending::{Kind, Rejection};
use playbook_model::record::PublishedEvent;
use playbook_model::time::Moment;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Everything to be done, in order.
#[derive(Debug, Clone, Default)]
pub struct Outputs {
    /// Timers to arm: number and moment.
    pub arm: Vec<(u64, Moment)>,
    /// Timers that are no longer wanted, the one that fired among them.
    pub disarm: Vec<u64>,
    /// Calls to start.
    pub calls: Vec<Call>,
    /// Calls that are over: answered, or no longer wanted.
    pub ended_calls: Vec<EndedCall>,
    /// Listeners that begin to hear the playbook's events.
    pub listen: Vec<Listener>,
    /// Listeners that hear no more.
    pub deaf: Vec<u64>,
    /// Events to record.
    pub emit: Vec<Emitted>,
    /// The run's ending.
    pub settle: Option<Settled>,
}

/// A call to start.
#[derive(Debug, Clone)]
pub struct Call {
    /// Its number in the run.
    pub call: u64,
    /// The task's reference.
    pub reference: String,
    /// The nth time the task runs.
    pub run: u32,
    /// What to run.
    pub called: Called,
    /// On which input.
    pub input: Held,
}

/// A call that is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndedCall {
    /// Its number in the run.
    pub call: u64,
    /// Why its run is to be cancelled; `None` when it answered.
    pub cancel: Option<Kind>,
}

/// A `listen` that hears the playbook's events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listener {
    /// Its number in the run.
    pub listener: u64,
    /// The task's reference.
    pub reference: String,
    /// The types it hears, each with the place of its filter.
    pub types: Vec<(u32, String)>,
}

/// An event a task emitted.
#[derive(Debug, Clone)]
pub struct Emitted {
    /// The task's reference.
    pub reference: String,
    /// The event.
    pub event: PublishedEvent,
}

/// How a run ended. "How a run ends".
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum Settled {
    /// With an output.
    Succeeded {
        /// The output.
        output: Value,
    },
    /// Refused.
    Rejected {
        /// The refusal.
        rejection: Rejection,
    },
}
