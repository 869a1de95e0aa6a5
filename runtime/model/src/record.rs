//! Facts the playbook records, and the context each record carries.
//!
//! The log stores a fact as its type's name and its data; who, when, which run and which definition are context.

use crate::definition::DefinitionType;
use crate::ending::{Kind, Rejection};
use crate::event::CloudEvent;
use crate::time::Moment;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Every type the playbook records. A published event may use none of them.
pub const RECORDED_TYPES: [&str; 38] = [
    "run_started",
    "run_deferred",
    "run_succeeded",
    "run_rejected",
    "run_failed",
    "run_cancel_requested",
    "tool_call_started",
    "tool_call_answered",
    "tool_call_failed",
    "model_call_started",
    "model_call_answered",
    "model_call_failed",
    "delivery_started",
    "delivery_succeeded",
    "delivery_failed",
    "delivery_refused",
    "reply_taken",
    "reply_refused",
    "tool_test_started",
    "tool_test_answered",
    "tool_test_failed",
    "replies_read",
    "reading_failed",
    "telling_started",
    "telling_succeeded",
    "telling_failed",
    "interaction_requested",
    "definition_created",
    "definition_updated",
    "definition_retired",
    "event_published",
    "workflow_input_applied",
    "step_started",
    "step_waiting",
    "step_finished",
    "step_failed",
    "step_skipped",
    "reaction_refused",
];

/// The facts about runs that a fold sees. "The events".
pub const RUN_FACTS: [&str; 4] = ["run_started", "run_succeeded", "run_rejected", "run_failed"];

/// The facts about definitions that a fold sees. "The events".
pub const DEFINITION_FACTS: [&str; 3] = ["definition_created", "definition_updated", "definition_retired"];

/// The definition a record is about, or whose run it is of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DefinitionRef {
    /// The type.
    #[serde(rename = "type")]
    pub kind: DefinitionType,
    /// The name.
    pub name: String,
    /// The version, from 1.
    pub version: u32,
}

/// What called a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalledBy {
    /// The calling run.
    pub run_id: String,
    /// The task's place in the workflow's document.
    pub reference: String,
    /// The nth time the task ran.
    pub run: u32,
}

/// What started a run by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TriggeredBy {
    /// `event`, `cron` or `every`.
    pub kind: String,
    /// The trigger's place in the workflow's document.
    pub reference: String,
}

/// What a record carries beside its fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Context {
    /// When it happened.
    pub at: Moment,
    /// Who acted: a key's id, `local`, or `playbook:<id>`.
    pub by: String,
    /// The run it belongs to.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub run_id: Option<String>,
    /// The definition it is about.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub definition: Option<DefinitionRef>,
    /// The record that directly led here.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub causation_id: Option<String>,
    /// The run at the top of the tree.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub correlation_id: Option<String>,
    /// The call that started the run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub called_by: Option<CalledBy>,
    /// Calls above the run, from 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub call_depth: Option<u32>,
    /// Reactions above the run, from 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub depth: Option<u32>,
    /// The trigger that started the run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub trigger: Option<TriggeredBy>,
}

impl Context {
    /// A context with nothing but when and who.
    #[must_use]
    pub fn new(at: Moment, by: impl Into<String>) -> Self {
        Self {
            at,
            by: by.into(),
            run_id: None,
            definition: None,
            causation_id: None,
            correlation_id: None,
            called_by: None,
            call_depth: None,
            depth: None,
            trigger: None,
        }
    }
}

/// A version of a definition, as saved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SavedDefinition {
    /// The document, byte for byte.
    pub source: String,
    /// From the document.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub description: Option<String>,
    /// From the document.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub input_schema: Option<Value>,
    /// From the document.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub output_schema: Option<Value>,
    /// Warnings in the published form, at most 100.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub warnings: Vec<String>,
    /// Markdown written from the document at save.
    pub overview: String,
    /// The author's own overview, kept until replaced.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub author_overview: Option<String>,
    /// The author's own diagram.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub author_diagram: Option<String>,
    /// What running needs of the document, so that a run parses nothing. Never shown.
    pub details: Value,
    /// The program without its types, every line and column kept. Never shown.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stripped: Option<String>,
}

/// An event published to the playbook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PublishedEvent {
    /// The event with everything filled in.
    pub event: CloudEvent,
    /// The attributes the playbook filled in.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub filled: Vec<String>,
    /// Whether another playbook recorded it of itself: then, and only then, its type is one the playbook records.
    #[serde(skip_serializing_if = "is_false", default)]
    pub imported: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
fn is_false(value: &bool) -> bool {
    !value
}

/// A playbook's name and description.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaybookText {
    /// The playbook's id.
    pub playbook: String,
    /// 1 to 100 characters.
    pub name: String,
    /// Up to 2,000 characters.
    pub description: String,
}

/// One fact.
#[derive(Debug, Clone, PartialEq)]
pub enum Fact {
    /// A run, or another attempt of it, starts.
    RunStarted(RunStarted),
    /// A run goes on until something outside happens.
    RunDeferred(Box<RunDeferred>),
    /// A run ended with an output.
    RunSucceeded {
        /// The result.
        output: Value,
        /// What the run did.
        record: Value,
    },
    /// A run ended refused.
    RunRejected {
        /// The refusal.
        rejection: Rejection,
        /// What the run did, where that is kept.
        record: Option<Value>,
    },
    /// The runtime broke down under a run.
    RunFailed {
        /// The incident's id.
        incident: Option<String>,
    },
    /// Someone or something asked to cancel a run.
    RunCancelRequested {
        /// Who or what.
        kind: Kind,
        /// The given reason.
        reason: Option<String>,
    },
    /// The first version of a definition.
    DefinitionCreated(Box<SavedDefinition>),
    /// A later version of a definition.
    DefinitionUpdated(Box<SavedDefinition>),
    /// A definition ended for good.
    DefinitionRetired,
    /// An event from outside, or emitted by a workflow.
    EventPublished(Box<PublishedEvent>),
    /// An input was applied to a run of a workflow. On the run's log; what it holds is the engine's to read.
    WorkflowInputApplied(Value),
    /// Triggers of a workflow did not start runs. At most once a minute.
    ReactionRefused {
        /// The runs that were not started.
        count: u64,
        /// Why, of the last.
        reason: String,
        /// The minute, as ISO 8601.
        minute: String,
    },
    /// A playbook begins. On its org's stream.
    PlaybookCreated(PlaybookText),
    /// A playbook's name or description changed. On its org's stream.
    PlaybookChanged(PlaybookText),
    /// A playbook ended for good. On its org's stream.
    PlaybookRetired {
        /// Its id.
        playbook: String,
    },
}

/// The start of a run or of another attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunStarted {
    /// The input, `{}` when none was given.
    pub input: Value,
    /// Whether the document uses tools.
    #[serde(default)]
    pub calls_tools: bool,
    /// Whether the run outlives the call that starts it.
    #[serde(default)]
    pub finishes_later: bool,
}

/// What a run that goes on waits for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunDeferred {
    /// The answer to a request.
    pub interaction: InteractionRequest,
}

/// A request to a party, as it was rendered once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InteractionRequest {
    /// The party: 1 to 256 bytes without control characters.
    pub to: String,
    /// At most 8 KiB of text.
    pub message: String,
    /// What the answer must match: the schema of the version that asked.
    pub answer_schema: Value,
    /// When it was asked.
    pub requested_at: Moment,
    /// From when on it is not answered any more.
    pub expires_at: Moment,
}

/// A stored fact this program cannot read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a record of the type {kind} cannot be read: {why}")]
pub struct Unreadable {
    /// The record's type.
    pub kind: String,
    /// The reader's words.
    pub why: String,
}

impl Fact {
    /// The fact's type, as stored and shown.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::RunStarted(_) => "run_started",
            Self::RunDeferred(_) => "run_deferred",
            Self::RunSucceeded { .. } => "run_succeeded",
            Self::RunRejected { .. } => "run_rejected",
            Self::RunFailed { .. } => "run_failed",
            Self::RunCancelRequested { .. } => "run_cancel_requested",
            Self::DefinitionCreated(_) => "definition_created",
            Self::DefinitionUpdated(_) => "definition_updated",
            Self::DefinitionRetired => "definition_retired",
            Self::EventPublished(_) => "event_published",
            Self::WorkflowInputApplied(_) => "workflow_input_applied",
            Self::ReactionRefused { .. } => "reaction_refused",
            Self::PlaybookCreated(_) => "playbook_created",
            Self::PlaybookChanged(_) => "playbook_changed",
            Self::PlaybookRetired { .. } => "playbook_retired",
        }
    }

    /// The fact's type as the history shows it: a deferral is shown as what it waits for.
    #[must_use]
    pub fn shown_kind(&self) -> &'static str {
        match self {
            Self::RunDeferred(_) => "interaction_requested",
            other => other.kind(),
        }
    }

    /// The stored type of a type as the history shows it.
    #[must_use]
    pub fn stored_kind(shown: &str) -> &str {
        if shown == "interaction_requested" { "run_deferred" } else { shown }
    }

    /// The fact's data, as stored.
    #[must_use]
    pub fn data(&self) -> Value {
        let write = |value: Result<Value, serde_json::Error>| value.expect("a fact holds nothing JSON cannot");
        match self {
            Self::RunStarted(started) => write(serde_json::to_value(started)),
            Self::RunDeferred(deferred) => write(serde_json::to_value(deferred)),
            Self::RunSucceeded { output, record } => serde_json::json!({ "output": output, "record": record }),
            Self::RunRejected { rejection, record } => {
                let mut data = write(serde_json::to_value(rejection));
                if let (Some(record), Some(members)) = (record, data.as_object_mut()) {
                    members.insert("record".into(), record.clone());
                }
                data
            }
            Self::RunFailed { incident: Some(incident) } => serde_json::json!({ "incident": incident }),
            Self::RunFailed { incident: None } | Self::DefinitionRetired => serde_json::json!({}),
            Self::RunCancelRequested { kind, reason: Some(reason) } => {
                serde_json::json!({ "kind": kind, "reason": reason })
            }
            Self::RunCancelRequested { kind, reason: None } => serde_json::json!({ "kind": kind }),
            Self::DefinitionCreated(saved) | Self::DefinitionUpdated(saved) => write(serde_json::to_value(saved)),
            Self::EventPublished(published) => write(serde_json::to_value(published)),
            Self::WorkflowInputApplied(data) => data.clone(),
            Self::ReactionRefused { count, reason, minute } => {
                serde_json::json!({ "count": count, "reason": reason, "minute": minute })
            }
            Self::PlaybookCreated(text) | Self::PlaybookChanged(text) => write(serde_json::to_value(text)),
            Self::PlaybookRetired { playbook } => serde_json::json!({ "playbook": playbook }),
        }
    }

    /// Reads a stored fact.
    ///
    /// # Errors
    /// [`Unreadable`] for a type or data this program does not know; the caller passes it over and says so once.
    pub fn read(kind: &str, data: Value) -> Result<Self, Unreadable> {
        fn of<T: serde::de::DeserializeOwned>(kind: &str, data: Value) -> Result<T, Unreadable> {
            serde_json::from_value(data).map_err(|why| Unreadable { kind: kind.into(), why: why.to_string() })
        }
        #[derive(Deserialize)]
        struct Succeeded {
            output: Value,
            record: Value,
        }
        #[derive(Deserialize)]
        struct Rejected {
            #[serde(flatten)]
            rejection: Rejection,
            #[serde(default)]
            record: Option<Value>,
        }
        #[derive(Deserialize)]
        struct Failed {
            #[serde(default)]
            incident: Option<String>,
        }
        #[derive(Deserialize)]
        struct Cancel {
            kind: Kind,
            #[serde(default)]
            reason: Option<String>,
        }
        #[derive(Deserialize)]
        struct Refused {
            count: u64,
            reason: String,
            minute: String,
        }
        #[derive(Deserialize)]
        struct Retired {
            playbook: String,
        }
        Ok(match kind {
            "run_started" => Self::RunStarted(of(kind, data)?),
            "run_deferred" => Self::RunDeferred(of(kind, data)?),
            "run_succeeded" => {
                let Succeeded { output, record } = of(kind, data)?;
                Self::RunSucceeded { output, record }
            }
            "run_rejected" => {
                let Rejected { rejection, record } = of(kind, data)?;
                Self::RunRejected { rejection, record }
            }
            "run_failed" => {
                let Failed { incident } = of(kind, data)?;
                Self::RunFailed { incident }
            }
            "run_cancel_requested" => {
                let Cancel { kind, reason } = of(kind, data)?;
                Self::RunCancelRequested { kind, reason }
            }
            "definition_created" => Self::DefinitionCreated(of(kind, data)?),
            "definition_updated" => Self::DefinitionUpdated(of(kind, data)?),
            "definition_retired" => Self::DefinitionRetired,
            "event_published" => Self::EventPublished(of(kind, data)?),
            "workflow_input_applied" => Self::WorkflowInputApplied(data),
            "reaction_refused" => {
                let Refused { count, reason, minute } = of(kind, data)?;
                Self::ReactionRefused { count, reason, minute }
            }
            "playbook_created" => Self::PlaybookCreated(of(kind, data)?),
            "playbook_changed" => Self::PlaybookChanged(of(kind, data)?),
            "playbook_retired" => {
                let Retired { playbook } = of(kind, data)?;
                Self::PlaybookRetired { playbook }
            }
            _ => {
                return Err(Unreadable { kind: kind.into(), why: "this program does not know the type".into() });
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_deferral_keeps_its_written_shape() {
        let fact = Fact::RunDeferred(Box::new(RunDeferred {
            interaction: InteractionRequest {
                to: "anna@example.com".into(),
                message: "Approve?".into(),
                answer_schema: json!({"type": "object"}),
                requested_at: Moment(1_000),
                expires_at: Moment(61_000),
            },
        }));
        assert_eq!(fact.kind(), "run_deferred");
        assert_eq!(fact.shown_kind(), "interaction_requested");
        assert_eq!(
            fact.data(),
            json!({"interaction": {
                "to": "anna@example.com",
                "message": "Approve?",
                "answer_schema": {"type": "object"},
                "requested_at": 1_000,
                "expires_at": 61_000,
            }})
        );
        assert_eq!(Fact::read(fact.kind(), fact.data()), Ok(fact));
    }
}
