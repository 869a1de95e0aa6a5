//! Calls: the runs that tasks start, and their endings on the way back.

use super::decide::answer_of;
use crate::ops::Origin;
use crate::runtime::Runtime;
use playbook_engine::run::{Ended, Stream as RunStream};
use playbook_engine::workflow::{Answer, Called, Input};
use playbook_history::{Record, Stream};
use playbook_model::definition::{DefinitionKey, DefinitionType};
use playbook_model::ending::{Ending, Kind, Reason, Rejection};
use playbook_model::id::{DefinitionName, PlaybookKey, RunId};
use playbook_model::refusal::Refusal;
use std::time::{Duration, Instant};

/// The first wait before a delivery is tried again, doubled each time.
const FIRST_WAIT: Duration = Duration::from_millis(100);
/// The longest such wait.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

impl Runtime {
    /// Performs a call in a task of its own. `start` is the record of the called run, where it was just made.
    pub(super) fn go_call(
        &self,
        playbook: &PlaybookKey,
        run: RunId,
        call: u64,
        child: RunId,
        start: Option<Record>,
        called: Option<Called>,
    ) {
        let (runtime, playbook) = (self.clone(), playbook.clone());
        tokio::spawn(async move {
            if let Some(answer) = runtime.perform_call(&playbook, child, start, called).await {
                runtime.answer_call(&playbook, run, call, answer).await;
            }
        });
    }

    /// Performs a called run. Gives the answer, unless it comes later, or the run tells it itself.
    async fn perform_call(
        &self,
        playbook: &PlaybookKey,
        child: RunId,
        start: Option<Record>,
        called: Option<Called>,
    ) -> Option<Answer> {
        let stream = Stream::run(playbook, child);
        let state = match self.run_stream(&stream).await {
            Ok(state) => state,
            Err(_) => return None,
        };
        let state = match state {
            RunStream::Run(state) => state,
            RunStream::CancelledBefore { .. } => return None,
            RunStream::Unused => return Some(self.not_started(playbook, called).await),
        };
        if let Some(Ended { ending, .. }) = state.ended {
            return Some(answer_of(ending));
        }
        let kind = state.definition.kind;
        let Ok(name) = DefinitionName::new(state.definition.name.clone()) else { return Some(Answer::Failed) };
        let key = DefinitionKey { kind, name };
        if kind == DefinitionType::Workflow {
            // Its ending comes later, by itself.
            if let Err(refusal) = self.begin_called(playbook, child).await {
                tracing::error!(?refusal, "a called workflow did not begin");
            }
            return None;
        }
        if state.cancel.is_some() {
            // Whoever cancelled it ends it.
            return None;
        }
        let nested = self.0.nested.clone();
        let _turn = nested.acquire_owned().await.ok()?;
        let deadline = Instant::now() + Duration::from_millis(self.0.settings.run_milliseconds);
        // The run tells its caller itself once its ending is recorded.
        let done = match start {
            Some(start) => self.perform_started(playbook, &key, child, start, &state.input, deadline).await,
            None => {
                let origin = self.origin_of(playbook, child).await?;
                self.run(playbook, &key, child, state.input.clone(), origin, deadline).await
            }
        };
        match done {
            // Recorded before, and told now; a refusal that was not recorded is told as what it is.
            Err(Refusal::Rejected(rejection)) if self.is_open(playbook, child).await => {
                (!self.stopping()).then_some(Answer::Rejected { rejection })
            }
            _ => None,
        }
    }

    /// Performs a run whose start was recorded with the call.
    async fn perform_started(
        &self,
        playbook: &PlaybookKey,
        key: &DefinitionKey,
        child: RunId,
        start: Record,
        input: &serde_json::Value,
        deadline: Instant,
    ) -> Result<serde_json::Value, Refusal> {
        let definitions = self.definitions(playbook, key.kind).await?;
        let definition = definitions.known(key.kind, &key.name).map_err(Refusal::from)?;
        self.perform(playbook, key, child, definition, input, deadline, start).await
    }

    /// Whether a called run has no ending yet.
    async fn is_open(&self, playbook: &PlaybookKey, child: RunId) -> bool {
        let key = playbook.clone();
        let row = self.read(move |history| history.run(&key, child)).await;
        row.is_ok_and(|row| row.is_none_or(|row| row.finished_at.is_none()))
    }

    async fn origin_of(&self, playbook: &PlaybookKey, child: RunId) -> Option<Origin> {
        let stream = Stream::run(playbook, child);
        let records = self.read(move |history| history.stream(&stream, 0)).await.ok()?;
        let start = records.into_iter().find(|record| record.kind == "run_started")?;
        let context = start.context;
        Some(Origin {
            by: context.by,
            top: context.correlation_id,
            cause: context.causation_id,
            called_by: context.called_by,
            call_depth: context.call_depth,
            depth: context.depth,
            trigger: context.trigger,
        })
    }

    /// Why a call started no run: its definition does not run, or too many calls wait already.
    pub(crate) async fn not_started(&self, playbook: &PlaybookKey, called: Option<Called>) -> Answer {
        let rejected = |rejection| Answer::Rejected { rejection };
        let Some(Called { kind, name }) = called else {
            let words = "The run of this call was never started";
            return rejected(Rejection::new(Reason::Conflict, words));
        };
        let Ok(known) = DefinitionName::new(name.clone()) else {
            return rejected(Rejection::new(Reason::NotFound, format!("There is no {} {name}", kind.noun())));
        };
        match self.definitions(playbook, kind).await {
            Err(_) => Answer::Unreachable { detail: "The playbook's definitions cannot be read now".into() },
            Ok(definitions) => match definitions.known(kind, &known) {
                Err(rejection) => rejected(rejection),
                Ok(definition) if definition.retired_at.is_some() => {
                    let words = format!("The {} {name} is retired and runs no more", kind.noun());
                    rejected(Rejection::new(Reason::Conflict, words).kind(Kind::Retired))
                }
                Ok(_) => {
                    let words = format!(
                        "As many calls wait under the run at the top as may: {}",
                        self.0.settings.workflow_max_open_calls
                    );
                    rejected(Rejection::new(Reason::Conflict, words))
                }
            },
        }
    }

    /// Gives a call's answer to the run that waits for it, for as long as it takes.
    pub(super) async fn answer_call(&self, playbook: &PlaybookKey, run: RunId, call: u64, answer: Answer) {
        let mut wait = FIRST_WAIT;
        loop {
            let input = Input::CallAnswered { call, answer: answer.clone() };
            match self.deliver(playbook, run, input).await {
                Ok(_) => return,
                Err(_) if self.stopping() => return,
                Err(refusal) => tracing::warn!(?refusal, %run, "an answer is delivered again"),
            }
            tokio::time::sleep(wait).await;
            wait = (wait * 2).min(LONGEST_WAIT);
        }
    }

    /// Tells whoever called a run how it ended, in a task of its own.
    pub(crate) fn tell_caller(&self, playbook: &PlaybookKey, child: RunId, ending: Ending) {
        let (runtime, playbook) = (self.clone(), playbook.clone());
        tokio::spawn(async move {
            let key = playbook.clone();
            match runtime.read(move |history| history.caller(&key, child)).await {
                Ok(Some((run, call))) => runtime.answer_call(&playbook, run, call, answer_of(ending)).await,
                // Nobody waits for it any more.
                Ok(None) => {}
                Err(refusal) => tracing::error!(?refusal, "a caller was not told"),
            }
        });
    }
}
