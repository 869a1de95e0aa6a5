//! One input of one run: decided, recorded with all it leads to, then performed.

use super::bridge::Bridge;
use super::runs::{Loaded, Slot, Unloaded};
use crate::runtime::{Runtime, incident};
use playbook_engine::run::Newest;
use playbook_engine::workflow::{
    Answer, Applied, Call, Input, Listener, Outputs, Settled, Unapplied, apply, child_run,
};
use playbook_history::{AppendError, Committed, Expected, NewCommit, NewRecord, Part, Stream, WaitChange};
use playbook_model::definition::{DefinitionKey, DefinitionType};
use playbook_model::ending::{Ending, Kind, Reason, Rejection};
use playbook_model::id::{DefinitionName, LEDGER_NAMESPACE, PlaybookKey, RunId, message_id};
use playbook_model::limits;
use playbook_model::record::{CalledBy, Context, DefinitionRef, Fact, RunStarted};
use playbook_model::refusal::Refusal;
use serde_json::json;
use std::time::Duration;
use uuid::Uuid;

/// What became of an input.
#[derive(Debug)]
pub(crate) enum Delivered {
    /// It was applied; the run goes on, or waits.
    Applied,
    /// It was applied, and the run ended.
    Settled,
    /// The run waits for no such thing any more.
    Stale,
    /// The run had it before.
    Repeated,
    /// The run has ended.
    Ended,
    /// There is no such run of a workflow.
    Missing,
}

/// Waits between tries to decide an input whose expressions nobody could evaluate.
const TRY_AGAIN: Duration = Duration::from_millis(200);
/// Such tries, before the caller is told.
const TRIES: u32 = 5;

impl Runtime {
    /// Gives an input to a run, and goes on with the run for as long as it can by itself.
    pub(crate) async fn deliver(&self, playbook: &PlaybookKey, run: RunId, input: Input) -> Result<Delivered, Refusal> {
        let mut delivered = self.deliver_once(playbook, run, input).await?;
        // A run that let others have their turn goes on by itself.
        while let (Delivered::Applied, Some(timer)) = (&delivered.0, delivered.1) {
            let next = self.deliver_once(playbook, run, Input::TimerFired { timer }).await?;
            delivered = match next {
                (Delivered::Applied | Delivered::Settled, _) => next,
                _ => (delivered.0, None),
            };
        }
        Ok(delivered.0)
    }

    async fn deliver_once(
        &self,
        playbook: &PlaybookKey,
        run: RunId,
        input: Input,
    ) -> Result<(Delivered, Option<u64>), Refusal> {
        let mut slot = self.0.runs.turn(playbook, run).await;
        let loaded = match self.load(playbook, run, &mut slot).await {
            Ok(loaded) => loaded.clone(),
            Err(Unloaded::Missing) => return Ok((Delivered::Missing, None)),
            Err(Unloaded::Ended) => return Ok((Delivered::Ended, None)),
            Err(Unloaded::Refused(refusal)) => return Err(refusal),
        };
        self.decide(playbook, run, &mut slot, loaded, input, None).await
    }

    /// Decides, records and performs one input of a run whose turn the caller has.
    pub(super) async fn decide(
        &self,
        playbook: &PlaybookKey,
        run: RunId,
        slot: &mut Slot,
        loaded: Loaded,
        input: Input,
        start: Option<Part>,
    ) -> Result<(Delivered, Option<u64>), Refusal> {
        let starts = start.is_some();
        let applied = match self.apply(&loaded, input).await? {
            Ok(applied) => applied,
            Err(Unapplied::Stale) => return Ok((Delivered::Stale, None)),
            Err(Unapplied::Repeated) => return Ok((Delivered::Repeated, None)),
            Err(Unapplied::Ended) => return Ok((Delivered::Ended, None)),
            Err(Unapplied::Lost(_)) if starts => return Err(not_now()),
            Err(Unapplied::Lost(why)) => return Err(incident(&format!("the run {run} cannot go on: {why}"))),
        };
        let Applied { state, outputs, data, .. } = applied;
        let position = state.inputs;
        let pause = state.pause;
        let log = Stream::run_log(playbook, run);
        let cause = message_id(log.name(), position).to_string();
        let mut context = Context { at: state.at, ..loaded.context.clone() };
        context.causation_id = Some(loaded.start_id.clone());
        let mut commit = NewCommit { playbook: playbook.clone(), parts: Vec::new(), waits: Vec::new() };
        commit.parts.extend(start);
        commit.parts.push(Part {
            stream: log,
            expected: Expected::At(position - 1),
            records: vec![record(Fact::WorkflowInputApplied(data), context.clone())],
        });
        context.causation_id = Some(cause);
        let ending = self.write_outputs(playbook, run, &context, &outputs, pause, &mut commit).await?;
        let committed = self.0.history.commit(commit, self.0.clock.now()).await;
        let committed = match committed {
            Ok(committed) => committed,
            Err(why) => {
                // What is in memory may be behind the log: it is read again.
                slot.loaded = None;
                return Err(match why {
                    AppendError::Closed | AppendError::Conflict { .. } if starts => not_now(),
                    why => refused(why),
                });
            }
        };
        self.recorded(playbook);
        let settled = state.root.is_none();
        slot.loaded = (!settled).then(|| Loaded { state: Some(state), ..loaded.clone() });
        self.perform_outputs(playbook, run, &outputs, committed);
        let delivered = match ending {
            Some(ending) => {
                if loaded.context.called_by.is_some() {
                    self.tell_caller(playbook, run, ending);
                }
                Delivered::Settled
            }
            None => Delivered::Applied,
        };
        Ok((delivered, pause))
    }

    /// Applies an input on a thread that may wait for expressions.
    async fn apply(&self, loaded: &Loaded, input: Input) -> Result<Result<Applied, Unapplied>, Refusal> {
        let mut tries = 0;
        loop {
            let at = self.0.clock.now();
            let program = loaded.program.clone();
            let mut bridge = Bridge::new(tokio::runtime::Handle::current(), self.0.pool.clone(), program.clone());
            let (state, given) = (loaded.state.clone(), input.clone());
            let decided =
                tokio::task::spawn_blocking(move || apply(&program, state.as_ref(), &given, at, &mut bridge, None));
            let decided = decided.await.map_err(|why| incident(&format!("a decision broke down: {why}")))?;
            match decided {
                Err(Unapplied::Lost(why)) if tries < TRIES && !self.stopping() => {
                    tracing::warn!(why, "a decision is tried again");
                    tries += 1;
                    tokio::time::sleep(TRY_AGAIN).await;
                }
                decided => return Ok(decided),
            }
        }
    }

    /// Writes what an input leads to beside its record. Gives the run's ending, where it ended.
    async fn write_outputs(
        &self,
        playbook: &PlaybookKey,
        run: RunId,
        context: &Context,
        outputs: &Outputs,
        pause: Option<u64>,
        commit: &mut NewCommit,
    ) -> Result<Option<Ending>, Refusal> {
        for emitted in &outputs.emit {
            let identity = json!([emitted.event.event.source, emitted.event.event.id]).to_string();
            commit.parts.push(Part {
                stream: Stream::event(playbook, Uuid::new_v5(&LEDGER_NAMESPACE, identity.as_bytes())),
                expected: Expected::Unused,
                records: vec![record(Fact::EventPublished(Box::new(emitted.event.clone())), context.clone())],
            });
        }
        self.write_calls(playbook, run, context, &outputs.calls, commit).await?;
        for ended in &outputs.ended_calls {
            if let Some(kind) = ended.cancel {
                self.write_cancel(playbook, run, ended.call, kind, context, commit).await?;
            }
            commit.waits.push(WaitChange::Close { run, number: ended.call });
        }
        for (number, due) in &outputs.arm {
            commit.waits.push(WaitChange::Arm { run, number: *number, due: *due, pause: pause == Some(*number) });
        }
        for number in &outputs.disarm {
            commit.waits.push(WaitChange::Disarm { run, number: *number });
        }
        self.write_listeners(playbook, run, context, &outputs.listen, commit).await?;
        for number in &outputs.deaf {
            commit.waits.push(WaitChange::Deaf { run, number: *number });
        }
        let Some(settled) = &outputs.settle else { return Ok(None) };
        let (fact, ending) = match settled {
            Settled::Succeeded { output } => {
                let record = json!({});
                let fact = Fact::RunSucceeded { output: output.clone(), record: record.clone() };
                (fact, Ending::Succeeded { output: output.clone(), record })
            }
            Settled::Rejected { rejection } => {
                let fact = Fact::RunRejected { rejection: rejection.clone(), record: None };
                (fact, Ending::Rejected(rejection.clone()))
            }
        };
        commit.parts.push(Part {
            stream: Stream::run(playbook, run),
            expected: Expected::Any,
            records: vec![record(fact, context.clone())],
        });
        commit.waits.push(WaitChange::Ended { run });
        Ok(Some(ending))
    }

    async fn write_calls(
        &self,
        playbook: &PlaybookKey,
        run: RunId,
        context: &Context,
        calls: &[Call],
        commit: &mut NewCommit,
    ) -> Result<(), Refusal> {
        if calls.is_empty() {
            return Ok(());
        }
        let top = context.correlation_id.as_deref().and_then(|top| RunId::parse(top).ok()).unwrap_or(run);
        let key = playbook.clone();
        let mut open = self.read(move |history| history.open_under(&key, top)).await?;
        for call in calls {
            let child = RunId(child_run(&run.to_string(), &call.reference, call.run));
            commit.waits.push(WaitChange::Open { run, number: call.call, child, top });
            open += 1;
            if open > self.0.settings.workflow_max_open_calls as u64 {
                continue;
            }
            if let Some(part) = self.start_of_call(playbook, run, context, call, child).await? {
                commit.parts.push(part);
            }
        }
        Ok(())
    }

    /// The start of a called run; none for a definition that does not run.
    async fn start_of_call(
        &self,
        playbook: &PlaybookKey,
        run: RunId,
        context: &Context,
        call: &Call,
        child: RunId,
    ) -> Result<Option<Part>, Refusal> {
        let Ok(name) = DefinitionName::new(call.called.name.clone()) else { return Ok(None) };
        let key = DefinitionKey { kind: call.called.kind, name };
        let definitions = self.definitions(playbook, key.kind).await?;
        let Ok(definition) = definitions.known(key.kind, &key.name) else { return Ok(None) };
        if newest(definition.retired_at.is_some()) != Newest::Active {
            return Ok(None);
        }
        let mut started = context.clone();
        started.run_id = Some(child.to_string());
        started.definition =
            Some(DefinitionRef { kind: key.kind, name: key.name.to_string(), version: definition.version });
        started.called_by =
            Some(CalledBy { run_id: run.to_string(), reference: call.reference.clone(), run: call.run });
        started.call_depth = Some(context.call_depth.unwrap_or(0) + 1);
        started.trigger = None;
        let finishes_later = matches!(key.kind, DefinitionType::Workflow | DefinitionType::Interaction);
        let fact =
            Fact::RunStarted(RunStarted { input: call.input.value().clone(), calls_tools: false, finishes_later });
        Ok(Some(Part {
            stream: Stream::run(playbook, child),
            expected: Expected::Unused,
            records: vec![record(fact, started)],
        }))
    }

    async fn write_cancel(
        &self,
        playbook: &PlaybookKey,
        run: RunId,
        call: u64,
        kind: Kind,
        context: &Context,
        commit: &mut NewCommit,
    ) -> Result<(), Refusal> {
        let key = playbook.clone();
        let Some(child) = self.read(move |history| history.child(&key, run, call)).await? else { return Ok(()) };
        let key = playbook.clone();
        let Some(row) = self.read(move |history| history.run(&key, child)).await? else { return Ok(()) };
        if row.finished_at.is_some() {
            return Ok(());
        }
        let mut asked = context.clone();
        asked.run_id = Some(child.to_string());
        asked.definition =
            Some(DefinitionRef { kind: row.definition_type, name: row.name.clone(), version: row.version });
        commit.parts.push(Part {
            stream: Stream::run(playbook, child),
            expected: Expected::Any,
            records: vec![record(Fact::RunCancelRequested { kind, reason: None }, asked)],
        });
        commit.waits.push(WaitChange::Cancel { run: child });
        Ok(())
    }

    async fn write_listeners(
        &self,
        playbook: &PlaybookKey,
        run: RunId,
        context: &Context,
        listeners: &[Listener],
        commit: &mut NewCommit,
    ) -> Result<(), Refusal> {
        let Some(about) = context.definition.as_ref().filter(|_| !listeners.is_empty()) else { return Ok(()) };
        let key = playbook.clone();
        let mut open = self.read(move |history| history.listeners(&key)).await?;
        for listener in listeners {
            // One more hears only the events that are sent to its run.
            if open >= limits::LISTENERS as u64 {
                break;
            }
            open += 1;
            for (filter, kind) in &listener.types {
                commit.waits.push(WaitChange::Listen {
                    run,
                    number: listener.listener,
                    filter: *filter,
                    kind: kind.clone(),
                    workflow: about.name.clone(),
                    version: about.version,
                    reference: listener.reference.clone(),
                });
            }
        }
        Ok(())
    }

    /// Does what was recorded to be done.
    fn perform_outputs(&self, playbook: &PlaybookKey, run: RunId, outputs: &Outputs, committed: Committed) {
        if !outputs.arm.is_empty() {
            self.0.alarm.set();
        }
        // Of the parts, those with a start are called runs: each is performed by its record.
        let mut starts: Vec<_> = committed
            .into_iter()
            .flatten()
            .flatten()
            .filter(|record| record.kind == "run_started" && record.context.called_by.is_some())
            .filter(|record| record.context.run_id.as_deref() != Some(run.to_string().as_str()))
            .collect();
        for call in &outputs.calls {
            let child = RunId(child_run(&run.to_string(), &call.reference, call.run));
            let own = starts.iter().position(|record| record.context.run_id == Some(child.to_string()));
            let start = own.map(|place| starts.swap_remove(place));
            self.go_call(playbook, run, call.call, child, start, Some(call.called.clone()));
        }
        if outputs.ended_calls.iter().any(|ended| ended.cancel.is_some()) {
            self.go_cancel();
        }
    }
}

fn newest(retired: bool) -> Newest {
    if retired { Newest::Retired } else { Newest::Active }
}

/// A fact as it is recorded.
pub(super) fn record(fact: Fact, context: Context) -> NewRecord {
    NewRecord { kind: fact.kind().into(), data: fact.data(), context }
}

/// The refusal of a start that cannot be taken at this moment. "Starting and cancelling a run".
fn not_now() -> Refusal {
    Rejection::new(Reason::Unavailable, "The workflow cannot start now; try again shortly").into()
}

/// Why nothing was recorded, for the caller.
pub(crate) fn refused(why: AppendError) -> Refusal {
    match why {
        AppendError::NoSpace | AppendError::Gone { .. } => Rejection::new(Reason::Unavailable, why.to_string()).into(),
        AppendError::Closed => crate::runtime::stopping(),
        AppendError::Conflict { .. } => {
            Rejection::new(Reason::Unavailable, "The run moved at the same moment; try again").into()
        }
        other => incident(&format!("an append failed: {other}")),
    }
}

/// The answer that a run's ending is to whoever called it.
pub(crate) fn answer_of(ending: Ending) -> Answer {
    match ending {
        Ending::Succeeded { output, .. } => Answer::Succeeded { output },
        Ending::Rejected(rejection) => Answer::Rejected { rejection },
        Ending::Failed { .. } => Answer::Failed,
    }
}
