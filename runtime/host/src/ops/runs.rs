//! Run operations: "Retrying under a run id", decide, record, perform.

use super::playbooks::TRIES;
use crate::call::{Asked, invalid_at};
use crate::index::Unappended;
use crate::runtime::{Runtime, incident, kept_changing};
use playbook_definition::Details;
use playbook_engine::definition::Definition;
use playbook_engine::run::{Ask, Ended, Entry, Newest, Request, RunState, Stream as RunStream, ask};
use playbook_function::{Performed, Stage};
use playbook_history::{Record, RunRow, RunsQuery, Stream};
use playbook_model::definition::{DefinitionKey, DefinitionType};
use playbook_model::ending::{Ending, Kind, Reason, Rejection, RunStatus};
use playbook_model::id::{DefinitionName, PlaybookKey, RunId};
use playbook_model::record::{CalledBy, Context, DefinitionRef, Fact, RunStarted, TriggeredBy};
use playbook_model::refusal::Refusal;
use playbook_model::{json, limits};
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};
use tokio::sync::watch;

impl Runtime {
    pub(crate) async fn run_definition(&self, asked: Asked<'_>, playbook: &PlaybookKey) -> Result<Value, Refusal> {
        let key = asked.given.definition()?;
        let input = asked.given.0.get("input").cloned().unwrap_or_else(|| Value::Object(Map::new()));
        if json::depth(&input) > limits::VALUE_LEVELS {
            return Err(invalid_at("/input", format!("Expected a value of at most {} levels", limits::VALUE_LEVELS)));
        }
        let bytes = json::bytes(&input);
        if bytes > limits::INPUT_BYTES {
            let words = format!("Expected at most {} bytes as JSON, and this input takes {bytes}", limits::INPUT_BYTES);
            return Err(invalid_at("/input", words));
        }
        let run = asked.given.run().unwrap_or_else(|| RunId(uuid::Uuid::now_v7()));
        let origin = Origin::by(&asked.caller.id);
        let deadline = Instant::now() + Duration::from_millis(self.0.settings.run_milliseconds);
        // A task of its own: a caller who goes away ends the request, never the run.
        let (runtime, playbook) = (self.clone(), playbook.clone());
        let run = tokio::spawn(async move { runtime.run(&playbook, &key, run, input, origin, deadline).await });
        run.await.map_err(|why| incident(&format!("a run broke down: {why}")))?
    }

    /// Runs a definition under an id, and gives the run as it then stands, or the refusal it ended with.
    pub(crate) async fn run(
        &self,
        playbook: &PlaybookKey,
        key: &DefinitionKey,
        run: RunId,
        input: Value,
        origin: Origin,
        deadline: Instant,
    ) -> Result<Value, Refusal> {
        let id = (playbook.clone(), run);
        let mut waited = false;
        let ended = loop {
            let going = {
                let mut going = self.0.going.lock().expect("no holder panics");
                match going.get(&id) {
                    Some(other) => other.clone(),
                    None => {
                        let (ended, seen) = watch::channel(false);
                        going.insert(id.clone(), seen);
                        break ended;
                    }
                }
            };
            waited = true;
            let mut going = going;
            // An error means the other's task is gone; then it is this one's turn.
            let _ = going.wait_for(|ended| *ended).await;
        };
        let mark = Mark { runtime: self.clone(), id, ended };
        let result = self.run_alone(playbook, key, run, &input, &origin, deadline, waited).await;
        drop(mark);
        result
    }

    #[allow(clippy::too_many_arguments)]
    async fn run_alone(
        &self,
        playbook: &PlaybookKey,
        key: &DefinitionKey,
        run: RunId,
        input: &Value,
        origin: &Origin,
        deadline: Instant,
        waited: bool,
    ) -> Result<Value, Refusal> {
        let stream = Stream::run(playbook, run);
        for _ in 0..TRIES {
            let state = self.run_stream(&stream).await?;
            let definitions = self.definitions(playbook, key.kind).await?;
            let definition = definitions.known(key.kind, &key.name).ok();
            let newest = match definition {
                None => Newest::Missing,
                Some(definition) if definition.retired_at.is_some() => Newest::Retired,
                Some(_) => Newest::Active,
            };
            let decided = ask(&state, Request { definition: key, input, newest });
            match (decided, definition, &state) {
                (Ask::Refuse(rejection), _, _) => return Err(rejection.into()),
                (Ask::Recorded, _, RunStream::Run(recorded)) => return answer(run, recorded),
                // Whoever waited for the same run gets what that attempt came to, and starts no other.
                (Ask::Start, _, RunStream::Run(recorded)) if waited && recorded.ended.is_some() => {
                    return answer(run, recorded);
                }
                (Ask::Going, _, RunStream::Run(recorded)) => return Ok(run_view(run, recorded)),
                (Ask::Start, Some(definition), _) if key.kind == DefinitionType::Workflow => {
                    return match self.start_workflow(playbook, key, run, definition, input, origin).await? {
                        Some(state) => answer(run, &state),
                        None => continue,
                    };
                }
                (Ask::Start, Some(definition), _) => {
                    let started = Fact::RunStarted(RunStarted {
                        input: input.clone(),
                        calls_tools: false,
                        finishes_later: key.kind == DefinitionType::Interaction,
                    });
                    let context = self.of_run(run, key, definition.version, origin);
                    match self.append(&stream, state.position(), vec![(started, context)]).await {
                        Ok(records) => {
                            let Some(record) = records.into_iter().next() else {
                                return Err(incident("an append of one record gave none"));
                            };
                            return self.perform(playbook, key, run, definition, input, deadline, record).await;
                        }
                        Err(Unappended::Moved) => {}
                        Err(Unappended::Refused(refusal)) => return Err(refusal),
                    }
                }
                _ => return Err(incident("a run without a definition was started")),
            }
        }
        Err(kept_changing().into())
    }

    /// Performs a run that was started, to its end. "How a run works".
    #[allow(clippy::too_many_arguments)]
    pub(crate) async fn perform(
        &self,
        playbook: &PlaybookKey,
        key: &DefinitionKey,
        run: RunId,
        definition: &Definition,
        input: &Value,
        deadline: Instant,
        start: Record,
    ) -> Result<Value, Refusal> {
        let details = serde_json::from_value::<Details>(definition.saved.details.clone());
        let stands_in = self.0.settings.stand_ins.of(key);
        if stands_in.is_none()
            && let Ok(Details::Interaction(details)) = details
        {
            return self.ask_party(playbook, run, definition, details, input, &start).await;
        }
        let stage = Stage {
            pool: self.0.pool.clone(),
            started: start.context.at,
            deadline,
            milliseconds: self.0.settings.run_milliseconds,
        };
        let performing = async {
            if let Some(ends) = stands_in {
                return Performed::Ended(ends(input));
            }
            match details {
                Ok(Details::Computation(details)) => {
                    playbook_function::computation(&stage, &definition.saved, &details, input).await
                }
                Ok(Details::Recall(details)) => {
                    let reading = self.reading(playbook, key.name.as_str(), definition.version).await;
                    playbook_function::recall(&stage, &definition.saved, &details, input, || reading).await
                }
                Ok(Details::Interaction(_) | Details::Workflow(_)) => {
                    Performed::Broke(format!("{key} does not finish within its call"))
                }
                Err(why) => Performed::Broke(format!("the details of {key} cannot be read: {why}")),
            }
        };
        let performed = if start.context.called_by.is_some() {
            // Whoever called it may take it back: letting go of the work ends the worker that does it.
            let mut called = self.0.performing.begin(playbook, run);
            let mut stopping = self.stop_signal();
            let closing = async {
                let _ = stopping.wait_for(|stopping| *stopping).await;
            };
            let performed = tokio::select! {
                biased;
                // It is performed again once the log is opened again, so its caller never hears of the stop.
                () = closing => return Err(crate::runtime::stopping()),
                () = called.stopped() => None,
                performed = performing => Some(performed),
            };
            match performed {
                Some(performed) => performed,
                None => {
                    let state = self.settle_cancelled(playbook, run, None).await?;
                    self.forget_cancel(playbook, run).await?;
                    return answer(run, &state);
                }
            }
        } else {
            performing.await
        };
        let ending = match performed {
            Performed::Ended(ending) => ending,
            Performed::Broke(cause) => match incident(&cause) {
                Refusal::Incident { id } => Ending::Failed { incident: id },
                Refusal::Rejected(rejection) => Ending::Rejected(rejection),
            },
        };
        let fact = match &ending {
            Ending::Succeeded { output, record } => {
                Fact::RunSucceeded { output: output.clone(), record: record.clone() }
            }
            Ending::Rejected(rejection) => Fact::RunRejected { rejection: rejection.clone(), record: None },
            Ending::Failed { incident } => Fact::RunFailed { incident: Some(incident.clone()) },
        };
        let mut context = Context { at: self.0.clock.now(), ..start.context.clone() };
        context.causation_id = Some(start.id.to_string());
        let stream = Stream::run(playbook, run);
        let mut state = RunStream::default();
        apply(&mut state, &start);
        let records = self.append(&stream, start.position, vec![(fact.clone(), context)]).await;
        let records = match records {
            Ok(records) => records,
            // Another process cannot write this log, so only a cancel can have come between.
            Err(Unappended::Moved) => {
                let state = self.settle_cancelled(playbook, run, Some(fact)).await?;
                self.forget_cancel(playbook, run).await?;
                return answer(run, &state);
            }
            Err(Unappended::Refused(refusal)) => return Err(refusal),
        };
        for record in &records {
            apply(&mut state, record);
        }
        if start.context.called_by.is_some() {
            self.tell_caller(playbook, run, ending);
        }
        match state {
            RunStream::Run(state) => answer(run, &state),
            _ => Err(incident("a run that was performed is no run")),
        }
    }

    /// The context of a run's start.
    pub(crate) fn of_run(&self, run: RunId, key: &DefinitionKey, version: u32, origin: &Origin) -> Context {
        let mut context = Context::new(self.0.clock.now(), &origin.by);
        context.run_id = Some(run.to_string());
        context.correlation_id = Some(origin.top.clone().unwrap_or_else(|| run.to_string()));
        context.causation_id.clone_from(&origin.cause);
        context.called_by.clone_from(&origin.called_by);
        context.call_depth = origin.call_depth;
        context.depth = origin.depth;
        context.trigger.clone_from(&origin.trigger);
        context.definition = Some(DefinitionRef { kind: key.kind, name: key.name.to_string(), version });
        context
    }

    pub(crate) async fn run_stream(&self, stream: &Stream) -> Result<RunStream, Refusal> {
        let stream = stream.clone();
        let records = self.read(move |history| history.stream(&stream, 0)).await?;
        let mut state = RunStream::default();
        for record in &records {
            apply(&mut state, record);
        }
        Ok(state)
    }

    pub(crate) async fn get_run(&self, asked: Asked<'_>, playbook: &PlaybookKey) -> Result<Value, Refusal> {
        let (run, state) = self.known_run(&asked, playbook).await?;
        Ok(run_view(run, &state))
    }

    async fn known_run(&self, asked: &Asked<'_>, playbook: &PlaybookKey) -> Result<(RunId, Box<RunState>), Refusal> {
        let Some(run) = asked.given.run() else { return Err(incident("a run id was decoded and is none")) };
        match self.run_stream(&Stream::run(playbook, run)).await? {
            RunStream::Run(state) => Ok((run, state)),
            _ => Err(Rejection::new(Reason::NotFound, "There is no such run in this playbook").into()),
        }
    }

    pub(crate) async fn cancel_run(&self, asked: Asked<'_>, playbook: &PlaybookKey) -> Result<Value, Refusal> {
        let reason = asked.given.text("reason").unwrap_or_default();
        if reason.chars().any(char::is_control) {
            return Err(invalid_at("/reason", "Expected a text without control characters"));
        }
        let (run, state) = self.known_run(&asked, playbook).await?;
        if state.open_request().is_some() {
            let by = &asked.caller.id;
            return self.cancel_request(playbook, run, Kind::Requested, Some(reason), by).await;
        }
        if state.ended.is_none() && state.definition.kind == DefinitionType::Workflow {
            let reason = asked.given.text("reason").map(str::to_owned);
            return self.cancel_workflow(playbook, run, Kind::Requested, reason, &asked.caller.id).await;
        }
        let words = if state.ended.is_some() {
            "The run has ended; it can no longer be cancelled".to_owned()
        } else {
            format!("A run of a {} finishes within its call and cannot be cancelled", state.definition.kind.noun())
        };
        Err(Rejection::new(Reason::Conflict, words).into())
    }

    pub(crate) async fn list_runs(&self, asked: Asked<'_>, playbook: &PlaybookKey) -> Result<Value, Refusal> {
        let playbook = playbook.clone();
        let kind = asked.given.kind();
        let name = asked.given.name();
        let status = asked.given.text("status").and_then(status);
        let limit = asked.given.limit();
        let cursor = asked.given.text("cursor").map(str::to_owned);
        let page = self
            .paged(move |history| {
                history.runs(&RunsQuery {
                    playbook: &playbook,
                    definition_type: kind,
                    name: name.as_ref().map(DefinitionName::as_str),
                    status,
                    limit,
                    cursor: cursor.as_deref(),
                })
            })
            .await?;
        let rows: Vec<Value> = page.runs.iter().map(row_view).collect();
        Ok(json!({ "runs": rows, "has_more": page.next.is_some(), "next_cursor": page.next }))
    }
}

/// What a run comes from.
#[derive(Debug, Clone, Default)]
pub(crate) struct Origin {
    /// Who starts it.
    pub(crate) by: String,
    /// The run at the top of the tree; the run itself when nothing called it.
    pub(crate) top: Option<String>,
    /// The record that led to it.
    pub(crate) cause: Option<String>,
    /// The call that starts it.
    pub(crate) called_by: Option<CalledBy>,
    /// Calls above it.
    pub(crate) call_depth: Option<u32>,
    /// Reactions above it.
    pub(crate) depth: Option<u32>,
    /// The trigger that starts it.
    pub(crate) trigger: Option<TriggeredBy>,
}

impl Origin {
    /// A run that someone starts.
    pub(crate) fn by(caller: &str) -> Self {
        Self { by: caller.to_owned(), ..Self::default() }
    }
}

/// Takes the run off the list of those going on, however its task ends.
struct Mark {
    runtime: Runtime,
    id: (PlaybookKey, RunId),
    ended: watch::Sender<bool>,
}

impl Drop for Mark {
    fn drop(&mut self) {
        self.runtime.0.going.lock().expect("no holder panics").remove(&self.id);
        self.ended.send_replace(true);
    }
}

fn status(word: &str) -> Option<RunStatus> {
    [RunStatus::Started, RunStatus::Succeeded, RunStatus::Rejected, RunStatus::Failed]
        .into_iter()
        .find(|status| status.word() == word)
}

pub(crate) fn apply(state: &mut RunStream, record: &Record) {
    let id = record.id.to_string();
    match Fact::read(&record.kind, record.data.clone()) {
        Ok(fact) => {
            state.apply(Entry { id: &id, position: record.position, fact: &fact, context: &record.context });
        }
        Err(why) => tracing::warn!(%why, "passed over"),
    }
}

/// The answer of `run_definition`: the run, or the refusal it ended with.
pub(super) fn answer(run: RunId, state: &RunState) -> Result<Value, Refusal> {
    match state.ended.as_ref().map(|ended| &ended.ending) {
        Some(Ending::Rejected(rejection)) => Err(rejection.clone().into()),
        Some(Ending::Failed { incident }) => Err(Refusal::Incident { id: incident.clone() }),
        _ => Ok(run_view(run, state)),
    }
}

/// A run with its output and record.
pub(crate) fn run_view(run: RunId, state: &RunState) -> Value {
    let mut view = Map::new();
    view.insert("run_id".into(), run.to_string().into());
    view.insert("type".into(), state.definition.kind.word().into());
    view.insert("name".into(), state.definition.name.clone().into());
    view.insert("definition_version".into(), state.definition.version.into());
    view.insert("status".into(), state.status().word().into());
    if let Some(Ended { ending: Ending::Succeeded { output, .. }, .. }) = &state.ended {
        view.insert("output".into(), output.clone());
    }
    if let Some(rejection) = state.rejection() {
        view.insert("rejection".into(), json!(rejection));
    }
    view.insert("started_at".into(), state.started_at.iso().into());
    view.insert("started_by".into(), state.started_by.clone().into());
    if let Some(ended) = &state.ended {
        view.insert("finished_at".into(), ended.at.iso().into());
        let record = match &ended.ending {
            Ending::Succeeded { record, .. } => Some(record.clone()),
            _ => ended.record.clone(),
        };
        if let Some(record) = record {
            view.insert("record".into(), record);
        }
    }
    Value::Object(view)
}

/// A run as a listing shows it: no output, no record, a rejection without detail and issues.
fn row_view(row: &RunRow) -> Value {
    let mut view = Map::new();
    view.insert("run_id".into(), row.run_id.to_string().into());
    view.insert("type".into(), row.definition_type.word().into());
    view.insert("name".into(), row.name.clone().into());
    view.insert("definition_version".into(), row.version.into());
    view.insert("status".into(), row.status.word().into());
    if let Some(reason) = &row.reason {
        let mut rejection = Map::new();
        rejection.insert("reason".into(), reason.clone().into());
        if let Some(kind) = &row.kind {
            rejection.insert("kind".into(), kind.clone().into());
        }
        if let Some(because) = &row.because {
            rejection.insert("because".into(), because.clone().into());
        }
        view.insert("rejection".into(), Value::Object(rejection));
    }
    view.insert("started_at".into(), row.started_at.iso().into());
    view.insert("started_by".into(), row.started_by.clone().into());
    if let Some(at) = row.finished_at {
        view.insert("finished_at".into(), at.iso().into());
    }
    Value::Object(view)
}
