//! Test cases: what a recall function's fold makes of events, what a computation function makes of an input, and what
//! a workflow makes of what a run of it took.
//!
//! A case is a YAML file beside a playbook's documents, read under the documents' strict rules.
//! [`read`] gives the case or every problem of its text at its place; [`write`] gives a text that reads back the same.
//! This module must not know where the files lie, nor how a case is run.

mod block;
mod read;
mod rewrite;
mod workflow;
mod write;

#[cfg(test)]
mod tests;

pub use read::{ReadCase, read};
pub use rewrite::rewrite;
pub use workflow::{Ends, Given, Happening, Happens, TIMES, WorkflowCase};
pub use write::write;

use playbook_model::ending::{Kind, Reason, Rejection};
use playbook_model::event::CloudEvent;
use playbook_model::time::Moment;
use serde_json::Value;

/// The kinds of a stall, as a case may expect one. "When a view stalls".
pub const STALLS: [&str; 9] = ["raised", "work", "memory", "unfit", "size", "schema", "refused", "time", "crash"];

/// When the first event of a case happened that says nothing of its time, and when a run of a case without events
/// starts: 2026-01-01T00:00:00Z.
pub const FIRST_MOMENT: Moment = Moment(1_767_225_600_000);
/// How long after the event before an event happened that says nothing of its time.
const BETWEEN_MILLISECONDS: i64 = 1_000;

/// A test case.
#[derive(Debug, Clone, PartialEq)]
pub enum Case {
    /// Of a recall function.
    Recall(RecallCase),
    /// Of a computation function.
    Computation(ComputationCase),
    /// Of a workflow.
    Workflow(Box<WorkflowCase>),
}

/// A case of a recall function: events are folded into a view, and the view is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallCase {
    /// What the case is about, for people.
    pub description: Option<String>,
    /// The view before the events; `None` stands for `view.initial`.
    pub view: Option<Value>,
    /// The events, oldest first, each with its id and its time.
    pub events: Vec<CloudEvent>,
    /// What the folds come to; `None` when the case only asks.
    pub expect: Option<Folds>,
    /// What is asked of the view after the events.
    pub ask: Vec<Ask>,
}

/// What the folds of a case come to.
#[derive(Debug, Clone, PartialEq)]
pub enum Folds {
    /// Exactly this view.
    View(Value),
    /// A stall at the last event.
    Stalled {
        /// One of [`STALLS`].
        kind: String,
        /// The line of the document it is told at; any when left out.
        line: Option<u32>,
    },
}

/// A question to the view of a case.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// The run's input.
    pub input: Value,
    /// How the run ends.
    pub answer: Answer,
}

/// A case of a computation function.
#[derive(Debug, Clone, PartialEq)]
pub struct ComputationCase {
    /// What the case is about, for people.
    pub description: Option<String>,
    /// The run's input.
    pub input: Value,
    /// How the run ends.
    pub expect: Answer,
}

/// How a run of a case ends.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// With exactly this output.
    Output(Value),
    /// Rejected.
    Rejected {
        /// For this reason.
        reason: Reason,
        /// Of this kind; any when left out.
        kind: Option<Kind>,
    },
}

impl Answer {
    /// Whether a rejection is the one expected: the reason is the same, and so is the kind where the case names one.
    #[must_use]
    pub fn takes(&self, rejection: &Rejection) -> bool {
        matches!(self, Self::Rejected { reason, kind }
            if *reason == rejection.reason && kind.is_none_or(|kind| rejection.kind == Some(kind)))
    }
}

/// The reasons and kinds with which a run of a case may end, and the word of each.
const REJECTIONS: [(&str, Reason, Option<Kind>); 4] = [
    ("unworkable", Reason::Conflict, Some(Kind::Unworkable)),
    ("invalid_input", Reason::InvalidInput, None),
    ("conflict", Reason::Conflict, None),
    ("unavailable", Reason::Unavailable, None),
];

/// A case's name, which is its file's without the ending.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CaseName(String);

/// The most characters of a case's name.
const NAME_CHARACTERS: usize = 100;

impl CaseName {
    /// Takes a text that keeps the rule.
    ///
    /// # Errors
    /// The rule as a sentence.
    pub fn new(text: &str) -> Result<Self, String> {
        let starts = text.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
        let fits = text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        if starts && fits && text.len() <= NAME_CHARACTERS {
            return Ok(Self(text.to_owned()));
        }
        Err(format!(
            "A case's name is 1 to {NAME_CHARACTERS} lowercase letters, digits and hyphens, starting with a letter or a digit"
        ))
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for CaseName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// The id of the nth event of a case, from 1, when it has none of its own.
fn made_id(nth: usize) -> String {
    format!("event-{nth}")
}

/// The time of an event when it has none of its own: a second after the one before it.
fn made_time(before: Option<&CloudEvent>) -> String {
    let before = before.and_then(|event| event.time.as_deref()).and_then(Moment::parse);
    before.map_or(FIRST_MOMENT, |Moment(at)| Moment(at.saturating_add(BETWEEN_MILLISECONDS))).iso()
}
