//! What happens to a run: its start, a timer, an answer, an event, a wish to cancel.

use playbook_model::definition::DefinitionType;
use playbook_model::ending::{Kind, Rejection};
use playbook_model::time::Moment;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// One thing that happens to a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Input {
    /// The run starts. Always the first, and only then.
    Started {
        /// What it starts with.
        start: Box<Start>,
        /// Its input.
        input: Value,
    },
    /// A timer is due.
    TimerFired {
        /// Which.
        timer: u64,
    },
    /// A call ended.
    CallAnswered {
        /// Which.
        call: u64,
        /// How.
        answer: Answer,
    },
    /// An event was sent to the run.
    EventReceived {
        /// The event, with an id and a source.
        event: Value,
    },
    /// An event of the playbook matched a filter of a `listen`.
    EventOffered {
        /// Which `listen`.
        listener: u64,
        /// Which filter of it, from 0.
        filter: u32,
        /// The event.
        event: Value,
        /// The record of the event.
        record: String,
    },
    /// Someone or something asked to cancel the run.
    CancelRequested {
        /// Who or what.
        #[serde(rename = "because")]
        why: Kind,
        /// In their words.
        reason: Option<String>,
    },
}

impl Input {
    /// Its word.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Started { .. } => "started",
            Self::TimerFired { .. } => "timer_fired",
            Self::CallAnswered { .. } => "call_answered",
            Self::EventReceived { .. } => "event_received",
            Self::EventOffered { .. } => "event_offered",
            Self::CancelRequested { .. } => "cancel_requested",
        }
    }
}

/// What a run starts with beside its input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Start {
    /// The run's id.
    pub run_id: String,
    /// When `run_started` was recorded.
    pub at: Moment,
    /// Calls above the run; 0 for one that nothing called.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub call_depth: u32,
    /// The longest the run may last, in milliseconds.
    pub longest: u64,
    /// How long each `call` task waits, by the task's reference, in milliseconds, where the definition was known.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub waits: BTreeMap<String, u64>,
    /// How long any other call waits, in milliseconds.
    pub other_wait: u64,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// How a call ended. "When the function's run does not succeed".
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum Answer {
    /// Its run gave an output.
    Succeeded {
        /// The output.
        output: Value,
    },
    /// Its run was refused, or would not start.
    Rejected {
        /// The refusal.
        rejection: Rejection,
    },
    /// Its run broke down.
    Failed,
    /// It could not be reached.
    Unreachable {
        /// Why, for people.
        detail: String,
    },
}

/// What a call asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Called {
    /// The type of the definition.
    #[serde(rename = "type")]
    pub kind: DefinitionType,
    /// Its name.
    pub name: String,
}
