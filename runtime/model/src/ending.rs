//! How a run ended: a value, recorded, never an error.
//!
//! Reasons, kinds and statuses are closed sets; each is written in one place here.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Why a run or an operation was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// What was given does not fit.
    InvalidInput,
    /// It cannot be done as things stand.
    Conflict,
    /// It cannot be done now.
    Unavailable,
    /// It was cancelled.
    Cancelled,
    /// Nobody answered.
    Unanswered,
    /// There is no such thing. Operations only.
    NotFound,
    /// The caller may not. Operations only.
    Forbidden,
}

impl Reason {
    /// The HTTP status of the reason.
    #[must_use]
    pub fn status(self) -> u16 {
        match self {
            Self::InvalidInput => 422,
            Self::Conflict | Self::Cancelled => 409,
            Self::Unavailable => 503,
            Self::Unanswered => 410,
            Self::NotFound => 404,
            Self::Forbidden => 403,
        }
    }

    /// The reason's word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::InvalidInput => "invalid_input",
            Self::Conflict => "conflict",
            Self::Unavailable => "unavailable",
            Self::Cancelled => "cancelled",
            Self::Unanswered => "unanswered",
            Self::NotFound => "not_found",
            Self::Forbidden => "forbidden",
        }
    }
}

/// The kind of a refusal, where it has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Cannot work as written for this input.
    Unworkable,
    /// A recall view stopped.
    Stalled,
    /// A workflow's output is too large.
    Oversized,
    /// A name or id is used, or a run is still going.
    Taken,
    /// A definition or playbook is retired.
    Retired,
    /// Changed at the same moment.
    ConcurrentChange,
    /// A run that called tools is not run again.
    ToolsCalled,
    /// A tool may have changed something.
    EffectUnknown,
    /// The model is not offered.
    ModelNotOffered,
    /// A tool is not offered.
    ToolNotOffered,
    /// A tool server failed.
    ToolServerFailed,
    /// Tools that only read were called, and the run could not finish.
    ToolsUnfinished,
    /// A recall view is being built or waits for it.
    Rebuilding,
    /// Too many open requests.
    RequestsFull,
    /// Someone asked to cancel.
    Requested,
    /// The waiting workflow's time ran out.
    Deadline,
    /// The longest run was reached.
    Overrun,
    /// The waiting workflow ended.
    ParentEnded,
    /// Nobody answered in time.
    Expired,
    /// A notification was not delivered.
    Undelivered,
}

impl Kind {
    /// The kind's word.
    #[must_use]
    pub fn word(self) -> String {
        match serde_json::to_value(self) {
            Ok(Value::String(word)) => word,
            _ => unreachable!("a unit variant writes as its word"),
        }
    }
}

/// One issue of a value that does not fit.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Issue {
    /// What is wrong, as a sentence that quotes no value.
    pub detail: String,
    /// Where, as a JSON Pointer.
    pub pointer: String,
}

/// A refusal with its words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rejection {
    /// Why.
    pub reason: Reason,
    /// Its kind, where it has one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub kind: Option<Kind>,
    /// What led to the kind, a word of the formats.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub because: Option<String>,
    /// The sentence for the reader.
    pub detail: String,
    /// The issues of an `invalid_input`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub issues: Vec<Issue>,
}

impl Rejection {
    /// A refusal without kind or issues.
    #[must_use]
    pub fn new(reason: Reason, detail: impl Into<String>) -> Self {
        Self { reason, kind: None, because: None, detail: detail.into(), issues: Vec::new() }
    }

    /// The same with a kind.
    #[must_use]
    pub fn kind(mut self, kind: Kind) -> Self {
        self.kind = Some(kind);
        self
    }

    /// The same with issues.
    #[must_use]
    pub fn issues(mut self, issues: Vec<Issue>) -> Self {
        self.issues = issues;
        self
    }
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Ending {
    /// With an output and the record of what it did.
    Succeeded {
        /// The result.
        output: Value,
        /// What the run did, an object.
        record: Value,
    },
    /// Refused, with a reason that a caller can act on.
    Rejected(Rejection),
    /// The runtime itself broke down; the incident is in its log.
    Failed {
        /// The incident's id.
        incident: String,
    },
}

/// How a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunStatus {
    /// Going, or waiting.
    Started,
    /// Ended with an output.
    Succeeded,
    /// Ended refused.
    Rejected,
    /// Ended by a breakdown of the runtime.
    Failed,
}

impl RunStatus {
    /// The status's word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Started => "started",
            Self::Succeeded => "succeeded",
            Self::Rejected => "rejected",
            Self::Failed => "failed",
        }
    }
}
