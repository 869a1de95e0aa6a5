//! A run as its own stream tells it.

use playbook_model::ending::{Ending, Kind, Rejection, RunStatus};
use playbook_model::record::{Context, DefinitionRef, Fact, InteractionRequest};
use playbook_model::time::Moment;
use serde_json::Value;

/// How a run ended, and when.
#[derive(Debug, Clone, PartialEq)]
pub struct Ended {
    /// The ending.
    pub ending: Ending,
    /// What a rejected run kept of its record.
    pub record: Option<Value>,
    /// When it ended.
    pub at: Moment,
}

/// A run, folded from its stream.
#[derive(Debug, Clone, PartialEq)]
pub struct RunState {
    /// The definition and version of the newest attempt.
    pub definition: DefinitionRef,
    /// The input of the run.
    pub input: Value,
    /// The id of the newest attempt's start, which its ending names as its cause.
    pub start_id: String,
    /// How many attempts there were, from 1.
    pub attempts: u32,
    /// When the newest attempt started.
    pub started_at: Moment,
    /// Who started the newest attempt.
    pub started_by: String,
    /// What the newest attempt's start carried beside its fact: each later record of the run carries the same.
    pub context: Context,
    /// What the newest attempt waits for, once it goes on after its call.
    pub deferred: Option<Deferred>,
    /// Who or what asked to cancel the newest attempt first, and why.
    pub cancel: Option<(Kind, Option<String>)>,
    /// The ending of the newest attempt.
    pub ended: Option<Ended>,
    /// The newest position of the stream.
    pub position: u64,
}

/// What a run waits for.
#[derive(Debug, Clone, PartialEq)]
pub struct Deferred {
    /// The id of the deferral's record.
    pub id: String,
    /// The request it made.
    pub request: InteractionRequest,
}

/// One record of a run's stream, read.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    /// The record's id.
    pub id: &'a str,
    /// Its position in the stream, from 1.
    pub position: u64,
    /// The fact.
    pub fact: &'a Fact,
    /// Its context.
    pub context: &'a Context,
}

/// A run's stream, read: no run, one that was cancelled before it started, or a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Stream {
    /// Nothing was recorded.
    #[default]
    Unused,
    /// A cancel was recorded before any start.
    CancelledBefore {
        /// Who or what cancelled.
        kind: Kind,
        /// The reason given.
        reason: Option<String>,
        /// The newest position of the stream.
        position: u64,
    },
    /// A run.
    Run(Box<RunState>),
}

impl Stream {
    /// Takes one more record of the stream.
    pub fn apply(&mut self, entry: Entry<'_>) {
        match (entry.fact, &mut *self) {
            (Fact::RunStarted(started), before) => {
                let Some(definition) = entry.context.definition.clone() else { return };
                let attempts = match before {
                    Self::Run(run) => run.attempts + 1,
                    _ => 1,
                };
                *self = Self::Run(Box::new(RunState {
                    definition,
                    input: started.input.clone(),
                    start_id: entry.id.to_owned(),
                    attempts,
                    started_at: entry.context.at,
                    started_by: entry.context.by.clone(),
                    context: entry.context.clone(),
                    deferred: None,
                    cancel: None,
                    ended: None,
                    position: entry.position,
                }));
            }
            (fact, Self::Run(run)) => {
                run.position = entry.position;
                let at = entry.context.at;
                match fact {
                    Fact::RunDeferred(deferred) => {
                        run.deferred =
                            Some(Deferred { id: entry.id.to_owned(), request: deferred.interaction.clone() });
                    }
                    Fact::RunCancelRequested { kind, reason } => {
                        run.cancel.get_or_insert_with(|| (*kind, reason.clone()));
                    }
                    Fact::RunSucceeded { output, record } => {
                        let ending = Ending::Succeeded { output: output.clone(), record: record.clone() };
                        run.ended = Some(Ended { ending, record: None, at });
                    }
                    Fact::RunRejected { rejection, record } => {
                        let ending = Ending::Rejected(rejection.clone());
                        run.ended = Some(Ended { ending, record: record.clone(), at });
                    }
                    Fact::RunFailed { incident } => {
                        let ending = Ending::Failed { incident: incident.clone().unwrap_or_default() };
                        run.ended = Some(Ended { ending, record: None, at });
                    }
                    _ => {}
                }
            }
            (Fact::RunCancelRequested { kind, reason }, before) => {
                *before = Self::CancelledBefore { kind: *kind, reason: reason.clone(), position: entry.position };
            }
            (_, Self::CancelledBefore { position, .. }) => *position = entry.position,
            (_, Self::Unused) => {}
        }
    }

    /// The newest position of the stream, 0 before the first record.
    #[must_use]
    pub fn position(&self) -> u64 {
        match self {
            Self::Unused => 0,
            Self::CancelledBefore { position, .. } => *position,
            Self::Run(run) => run.position,
        }
    }
}

impl RunState {
    /// The context of a further record of the run, at a moment, by whoever acts.
    ///
    /// It names the deferral as its cause once there is one, else the start.
    #[must_use]
    pub fn further(&self, at: Moment, by: &str) -> Context {
        let cause = self.deferred.as_ref().map_or(&self.start_id, |deferred| &deferred.id);
        Context { at, by: by.to_owned(), causation_id: Some(cause.clone()), ..self.context.clone() }
    }

    /// The request that waits for an answer.
    #[must_use]
    pub fn open_request(&self) -> Option<&InteractionRequest> {
        self.deferred.as_ref().filter(|_| self.ended.is_none()).map(|deferred| &deferred.request)
    }

    /// How the run stands.
    #[must_use]
    pub fn status(&self) -> RunStatus {
        match self.ended.as_ref().map(|e| &e.ending) {
            None => RunStatus::Started,
            Some(Ending::Succeeded { .. }) => RunStatus::Succeeded,
            Some(Ending::Rejected(_)) => RunStatus::Rejected,
            Some(Ending::Failed { .. }) => RunStatus::Failed,
        }
    }

    /// The rejection of a rejected run.
    #[must_use]
    pub fn rejection(&self) -> Option<&Rejection> {
        match self.ended.as_ref().map(|e| &e.ending) {
            Some(Ending::Rejected(rejection)) => Some(rejection),
            _ => None,
        }
    }
}
