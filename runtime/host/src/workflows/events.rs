//! `send_run_event` and `cancel_run` of a workflow's run.

use super::cancels::words;
use super::decide::{Delivered, record, refused};
use crate::call::{Asked, invalid, invalid_at};
use crate::ops::run_view;
use crate::runtime::{Runtime, incident};
use playbook_engine::event::check_sent;
use playbook_engine::run::Stream as RunStream;
use playbook_engine::workflow::{Input, sent};
use playbook_history::{Expected, NewCommit, Part, Stream, WaitChange};
use playbook_model::ending::{Kind, Reason, Rejection};
use playbook_model::id::{PlaybookKey, RunId};
use playbook_model::record::{Context, Fact};
use playbook_model::refusal::Refusal;
use playbook_model::{json, limits};
use serde_json::{Value, json};
use uuid::Uuid;

impl Runtime {
    pub(crate) async fn send_run_event(&self, asked: Asked<'_>, playbook: &PlaybookKey) -> Result<Value, Refusal> {
        let Some(given) = asked.given.0.get("event").and_then(Value::as_object) else {
            return Err(invalid_at("/event", "Expected an object"));
        };
        check_sent(given).map_err(invalid)?;
        let Some(run) = asked.given.run() else { return Err(incident("a run id was decoded and is none")) };
        let caller = percent(&asked.caller.id);
        let id = Uuid::now_v7().to_string();
        let time = self.0.clock.now().iso();
        let event = sent(given.clone(), &id, &format!("/callers/{caller}"), &time);
        let bytes = json::bytes(&event);
        if bytes > limits::SENT_EVENT_BYTES {
            let words =
                format!("Expected at most {} bytes as JSON, and this event takes {bytes}", limits::SENT_EVENT_BYTES);
            return Err(invalid_at("/event", words));
        }
        match self.deliver(playbook, run, Input::EventReceived { event: event.clone() }).await? {
            Delivered::Missing | Delivered::Ended => {
                let words = "There is no such run of a workflow that goes on in this playbook";
                Err(Rejection::new(Reason::NotFound, words).into())
            }
            _ => Ok(json!({ "run_id": run.to_string(), "event": event })),
        }
    }

    /// Cancels a run of a workflow: the wish is recorded first, so it outlasts a restart.
    pub(crate) async fn cancel_workflow(
        &self,
        playbook: &PlaybookKey,
        run: RunId,
        kind: Kind,
        reason: Option<String>,
        by: &str,
    ) -> Result<Value, Refusal> {
        let stream = Stream::run(playbook, run);
        let (records, state) = {
            let own = stream.clone();
            let records = self.read(move |history| history.stream(&own, 0)).await?;
            let state = super::begin::state_of(&records);
            (records, state)
        };
        let RunStream::Run(state) = state else {
            return Err(Rejection::new(Reason::NotFound, "There is no such run in this playbook").into());
        };
        let asked_before = records.iter().any(|record| record.kind == "run_cancel_requested");
        if !asked_before && let Some(start) = records.first() {
            let mut context = Context { at: self.0.clock.now(), ..start.context.clone() };
            by.clone_into(&mut context.by);
            context.causation_id = Some(start.id.to_string());
            let fact = Fact::RunCancelRequested { kind, reason: reason.clone() };
            let part = Part { stream, expected: Expected::Any, records: vec![record(fact, context)] };
            let waits = vec![WaitChange::Cancel { run }];
            let commit = NewCommit { playbook: playbook.clone(), parts: vec![part], waits };
            self.0.history.commit(commit, self.0.clock.now()).await.map_err(refused)?;
        }
        let why = reason.or_else(|| words(kind)).unwrap_or_else(|| format!("{by} asked to cancel the run"));
        self.cancel_going(playbook, run, Input::CancelRequested { why: kind, reason: Some(why) }).await?;
        Ok(run_view(run, &state))
    }

    /// A run that has ended is not to be cancelled any more.
    pub(crate) async fn forget_cancel(&self, playbook: &PlaybookKey, run: RunId) -> Result<(), Refusal> {
        let waits = vec![WaitChange::Ended { run }];
        let commit = NewCommit { playbook: playbook.clone(), parts: Vec::new(), waits };
        self.0.history.commit(commit, self.0.clock.now()).await.map(|_| ()).map_err(refused)
    }
}

/// A caller's id as one segment of a path.
fn percent(id: &str) -> String {
    let mut segment = String::with_capacity(id.len());
    for byte in id.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            segment.push(char::from(byte));
        } else {
            segment.push_str(&format!("%{byte:02X}"));
        }
    }
    segment
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_callers_id_is_one_segment() {
        assert_eq!(percent("ana"), "ana");
        assert_eq!(percent("playbook:a/b c"), "playbook%3Aa%2Fb%20c");
    }
}
