//! Interaction functions: a run asks its party and waits in the playbook's inbox until it is answered, expires or is
//! cancelled.
//!
//! Each settlement is decided on the run's own stream and recorded at the position it was decided on, so the first one
//! wins wherever two come at once.

use super::playbooks::TRIES;
use super::runs::{answer, apply, run_view};
use crate::call::Asked;
use crate::index::Unappended;
use crate::runtime::{Runtime, incident, kept_changing};
use playbook_definition::InteractionDetails;
use playbook_engine::definition::Definition;
use playbook_engine::interaction::{self, Asked as Request, Settled};
use playbook_engine::run::{RunState, Stream as RunStream, cancelled};
use playbook_history::{OpenRequest, Record, RequestsQuery, Stream};
use playbook_model::ending::{Kind, Reason, Rejection};
use playbook_model::id::{PlaybookKey, RunId};
use playbook_model::record::{Fact, RunDeferred};
use playbook_model::refusal::Refusal;
use playbook_model::word::thousands;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

impl Runtime {
    /// Asks the party of a run that was started, or ends the run where there is nothing to ask.
    pub(super) async fn ask_party(
        &self,
        playbook: &PlaybookKey,
        run: RunId,
        definition: &Definition,
        details: InteractionDetails,
        input: &Value,
        start: &Record,
    ) -> Result<Value, Refusal> {
        let (schema, input, at) = (definition.saved.input_schema.clone(), input.clone(), start.context.at);
        let rendered = tokio::task::spawn_blocking(move || {
            let end = Instant::now() + Duration::from_millis(playbook_engine::interaction::RENDER_MILLISECONDS);
            interaction::request(&details, schema.as_ref(), &input, at, &|| Instant::now() >= end)
        });
        let mut asked = rendered.await.map_err(|why| incident(&format!("a request broke down: {why}")))?;
        if matches!(asked, Request::Request(_)) {
            let key = playbook.clone();
            let (open, most) = (
                self.read(move |history| history.open_requests(&key)).await?,
                self.0.settings.interaction_open_requests,
            );
            if open >= most as u64 {
                let words = format!("As many requests of the playbook wait as may: {}", thousands(most as u64));
                let rejection = Rejection::new(Reason::Unavailable, words).kind(Kind::RequestsFull);
                asked = Request::Ended { rejection, record: None };
            }
        }
        let fact = match asked {
            Request::Request(interaction) => Fact::RunDeferred(Box::new(RunDeferred { interaction: *interaction })),
            Request::Told => Fact::RunSucceeded { output: json!({}), record: json!({}) },
            Request::Ended { rejection, record } => Fact::RunRejected { rejection, record },
        };
        let by = start.context.by.clone();
        let state = self
            .settle(playbook, run, &by, |state| match cancelled(state) {
                Some(ending) => Settled::Record(vec![ending]),
                None if state.ended.is_some() => Settled::Already,
                None => Settled::Record(vec![fact.clone()]),
            })
            .await?;
        answer(run, &state)
    }

    /// Decides on a run as it stands and records it; on the run as it then stands when another came first.
    pub(crate) async fn settle(
        &self,
        playbook: &PlaybookKey,
        run: RunId,
        by: &str,
        decide: impl Fn(&RunState) -> Settled,
    ) -> Result<Box<RunState>, Refusal> {
        let stream = Stream::run(playbook, run);
        for _ in 0..TRIES {
            let mut read = self.run_stream(&stream).await?;
            let RunStream::Run(state) = &read else {
                return Err(Rejection::new(Reason::NotFound, "There is no such run in this playbook").into());
            };
            let facts = match decide(state) {
                Settled::Refuse(rejection) => return Err(rejection.into()),
                Settled::Record(facts) => facts,
                Settled::Already => Vec::new(),
            };
            let context = state.further(self.now(), by);
            let facts: Vec<_> = facts.into_iter().map(|fact| (fact, context.clone())).collect();
            if !facts.is_empty() {
                match self.append(&stream, state.position, facts).await {
                    Ok(records) => records.iter().for_each(|record| apply(&mut read, record)),
                    Err(Unappended::Moved) => continue,
                    Err(Unappended::Refused(refusal)) => return Err(refusal),
                }
                if let RunStream::Run(state) = &read
                    && state.open_request().is_some()
                {
                    self.0.alarm.set();
                }
                if let RunStream::Run(state) = &read
                    && let Some(ended) = state.ended.as_ref().filter(|_| state.context.called_by.is_some())
                {
                    self.tell_caller(playbook, run, ended.ending.clone());
                }
            }
            if let RunStream::Run(state) = read {
                return Ok(state);
            }
        }
        Err(kept_changing().into())
    }

    pub(crate) async fn answer_interaction(&self, asked: Asked<'_>, playbook: &PlaybookKey) -> Result<Value, Refusal> {
        let Some(run) = asked.given.run() else { return Err(incident("a run id was decoded and is none")) };
        let given = asked.given.0.get("answer").cloned().unwrap_or_default();
        let claimed = asked.given.text("claimed_for");
        let by = &asked.caller.id;
        let state =
            self.settle(playbook, run, by, |state| interaction::answer(state, &given, claimed, by, self.now())).await?;
        Ok(run_view(run, &state))
    }

    /// Cancels a run whose request waits; the run as it then stands.
    pub(super) async fn cancel_request(
        &self,
        playbook: &PlaybookKey,
        run: RunId,
        kind: Kind,
        reason: Option<&str>,
        by: &str,
    ) -> Result<Value, Refusal> {
        let state = self.settle(playbook, run, by, |state| interaction::cancel(state, kind, reason)).await?;
        Ok(run_view(run, &state))
    }

    /// Ends a request whose time is over, unless it has ended.
    pub(crate) async fn expire_request(&self, playbook: &PlaybookKey, run: RunId) -> Result<(), Refusal> {
        let by = format!("playbook:{}", playbook.playbook);
        let now = self.now();
        let expired = |state: &RunState| match interaction::expire(state, now) {
            Some(fact) => Settled::Record(vec![fact]),
            None => Settled::Already,
        };
        self.settle(playbook, run, &by, expired).await.map(|_| ())
    }

    pub(crate) async fn list_interactions(&self, asked: Asked<'_>, playbook: &PlaybookKey) -> Result<Value, Refusal> {
        let playbook = playbook.clone();
        let to = asked.given.text("to").map(str::to_owned);
        let function = asked.given.text("function").map(str::to_owned);
        let limit = asked.given.limit();
        let cursor = asked.given.text("cursor").map(str::to_owned);
        let page = self
            .paged(move |history| {
                history.requests(&RequestsQuery {
                    playbook: &playbook,
                    to: to.as_deref(),
                    function: function.as_deref(),
                    limit,
                    cursor: cursor.as_deref(),
                })
            })
            .await?;
        let rows: Vec<Value> = page.requests.into_iter().filter_map(request_view).collect();
        Ok(json!({ "interactions": rows, "has_more": page.next.is_some(), "next_cursor": page.next }))
    }
}

/// An open request as the inbox shows it. One this program cannot read is left out.
fn request_view(open: OpenRequest) -> Option<Value> {
    let OpenRequest { record, cancelling } = open;
    let request = match Fact::read(&record.kind, record.data) {
        Ok(Fact::RunDeferred(deferred)) => deferred.interaction,
        Ok(_) => return None,
        Err(why) => {
            tracing::warn!(%why, "passed over");
            return None;
        }
    };
    let of = record.context.definition?;
    Some(json!({
        "run_id": record.context.run_id?,
        "function": of.name,
        "version": of.version,
        "to": request.to,
        "delivery": null,
        "message": request.message,
        "takes_answer": true,
        "answer_schema": request.answer_schema,
        "requested_at": request.requested_at.iso(),
        "expires_at": request.expires_at.iso(),
        "attempts": 0,
        "conversation": null,
        "answerer": null,
        "reply_refusals": 0,
        "standing": if cancelling { "cancelling" } else { "in_inbox" },
    }))
}
