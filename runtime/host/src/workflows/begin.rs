//! How a run of a workflow begins: its start and its first input are recorded together.

use super::decide::{Delivered, record};
use super::runs::{Loaded, Slot};
use crate::ops::{Origin, apply};
use crate::runtime::{Runtime, incident};
use playbook_definition::workflow::{Kind as TaskKind, Template, WorkflowDetails};
use playbook_engine::definition::Definition;
use playbook_engine::run::{RunState, Stream as RunStream};
use playbook_engine::workflow::{Input, Program, Start};
use playbook_history::{Expected, Part, Stream};
use playbook_model::definition::{DefinitionKey, DefinitionType};
use playbook_model::id::{DefinitionName, PlaybookKey, RunId, message_id};
use playbook_model::limits;
use playbook_model::record::{Context, Fact, RunStarted};
use playbook_model::refusal::Refusal;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The longest run of any function but a workflow: a request may wait for thirty days.
const LONGEST_FUNCTION: u64 = 30 * 86_400_000;
/// The longest run of a reasoning or a prediction function.
const LONGEST_MODEL: u64 = 10 * 60_000;

impl Runtime {
    /// Starts a run of a workflow, and goes on with it until it waits or ends. Gives the run as it then stands; `None`
    /// when its id was used meanwhile.
    pub(crate) async fn start_workflow(
        &self,
        playbook: &PlaybookKey,
        key: &DefinitionKey,
        run: RunId,
        definition: &Definition,
        input: &Value,
        origin: &Origin,
    ) -> Result<Option<Box<RunState>>, Refusal> {
        let program = self.program(playbook, key.name.as_str(), definition)?;
        let started = self.start_program(playbook, key, definition.version, program, run, input, origin).await?;
        if !started {
            return Ok(None);
        }
        match self.run_stream(&Stream::run(playbook, run)).await? {
            RunStream::Run(state) => Ok(Some(state)),
            _ => Err(incident("a run that was started is none")),
        }
    }

    /// Starts a run of one version of a workflow, unless it was started before.
    pub(crate) async fn start_version(
        &self,
        playbook: &PlaybookKey,
        key: &DefinitionKey,
        version: u32,
        run: RunId,
        input: &Value,
        origin: &Origin,
    ) -> Result<(), Refusal> {
        let org = self.org(&playbook.org).await?;
        org.playbooks.active(&playbook.playbook)?;
        let program = self.program_of(playbook, key.name.as_str(), version).await?;
        self.start_program(playbook, key, version, program, run, input, origin).await.map(|_| ())
    }

    /// Starts a run of a program; false when its id was used before.
    #[allow(clippy::too_many_arguments)]
    async fn start_program(
        &self,
        playbook: &PlaybookKey,
        key: &DefinitionKey,
        version: u32,
        program: Arc<Program>,
        run: RunId,
        input: &Value,
        origin: &Origin,
    ) -> Result<bool, Refusal> {
        let context = self.of_run(run, key, version, origin);
        let stream = Stream::run(playbook, run);
        let mut slot = self.0.runs.turn(playbook, run).await;
        let used = stream.clone();
        if self.read(move |history| history.last(&used)).await?.is_some() {
            return Ok(false);
        }
        let started = Fact::RunStarted(RunStarted { input: input.clone(), calls_tools: false, finishes_later: true });
        let start =
            Part { stream: stream.clone(), expected: Expected::At(0), records: vec![record(started, context.clone())] };
        let start_id = message_id(stream.name(), 1).to_string();
        let loaded = Loaded { context, start_id, program, state: None };
        let (delivered, pause) = self.begin(playbook, run, &mut slot, loaded, input.clone(), Some(start)).await?;
        drop(slot);
        self.go_on(playbook, run, delivered, pause).await?;
        Ok(true)
    }

    /// Begins a run whose start was recorded with the call that made it.
    pub(super) async fn begin_called(&self, playbook: &PlaybookKey, run: RunId) -> Result<Delivered, Refusal> {
        let mut slot = self.0.runs.turn(playbook, run).await;
        let loaded = match self.load(playbook, run, &mut slot).await {
            Ok(loaded) => loaded.clone(),
            Err(super::runs::Unloaded::Ended) => return Ok(Delivered::Ended),
            Err(super::runs::Unloaded::Missing) => return Ok(Delivered::Missing),
            Err(super::runs::Unloaded::Refused(refusal)) => return Err(refusal),
        };
        if loaded.state.is_some() {
            return Ok(Delivered::Repeated);
        }
        let input = match self.run_stream(&Stream::run(playbook, run)).await? {
            RunStream::Run(state) => state.input,
            _ => return Ok(Delivered::Missing),
        };
        let (delivered, pause) = self.begin(playbook, run, &mut slot, loaded, input, None).await?;
        drop(slot);
        self.go_on(playbook, run, delivered, pause).await
    }

    async fn begin(
        &self,
        playbook: &PlaybookKey,
        run: RunId,
        slot: &mut Slot,
        loaded: Loaded,
        input: Value,
        part: Option<Part>,
    ) -> Result<(Delivered, Option<u64>), Refusal> {
        let start = self.start_of(playbook, run, &loaded.context, loaded.program.details()).await?;
        let input = Input::Started { start: Box::new(start), input };
        self.decide(playbook, run, slot, loaded, input, part).await
    }

    /// Goes on with a run that let others have their turn.
    async fn go_on(
        &self,
        playbook: &PlaybookKey,
        run: RunId,
        delivered: Delivered,
        pause: Option<u64>,
    ) -> Result<Delivered, Refusal> {
        match (&delivered, pause) {
            (Delivered::Applied, Some(timer)) => {
                match self.deliver(playbook, run, Input::TimerFired { timer }).await? {
                    Delivered::Settled => Ok(Delivered::Settled),
                    _ => Ok(delivered),
                }
            }
            _ => Ok(delivered),
        }
    }

    /// What a run starts with: how long it may last, and how long each of its calls waits, settled now.
    /// "Calling a function".
    pub(crate) async fn start_of(
        &self,
        playbook: &PlaybookKey,
        run: RunId,
        context: &Context,
        details: &WorkflowDetails,
    ) -> Result<Start, Refusal> {
        let longest = self.0.settings.workflow_max_milliseconds;
        let mut waits = BTreeMap::new();
        for task in &details.tasks {
            let TaskKind::Call(target) = &task.kind else { continue };
            let (Template::Value(Value::String(kind)), Template::Value(Value::String(name))) =
                (&target.kind, &target.name)
            else {
                continue;
            };
            let (Some(kind), Ok(name)) = (DefinitionType::parse(kind), DefinitionName::new(name.clone())) else {
                continue;
            };
            let definitions = self.definitions(playbook, kind).await?;
            if let Ok(definition) = definitions.known(kind, &name) {
                let own = longest_run(kind, definition, longest);
                waits.insert(task.reference.clone(), own.saturating_add(limits::CALL_GRACE_MILLISECONDS));
            }
        }
        Ok(Start {
            run_id: run.to_string(),
            at: context.at,
            call_depth: context.call_depth.unwrap_or(0),
            longest,
            waits,
            other_wait: LONGEST_FUNCTION + limits::CALL_GRACE_MILLISECONDS,
        })
    }
}

/// The longest a run of a definition may take, in milliseconds.
fn longest_run(kind: DefinitionType, definition: &Definition, workflow: u64) -> u64 {
    match kind {
        DefinitionType::Workflow => workflow,
        DefinitionType::Computation | DefinitionType::Recall => limits::RUN_MILLISECONDS,
        DefinitionType::Reasoning | DefinitionType::Prediction => LONGEST_MODEL,
        DefinitionType::Interaction => {
            definition.saved.details.get("expires").and_then(Value::as_u64).unwrap_or(LONGEST_FUNCTION)
        }
    }
}

/// A run as its records tell it.
pub(super) fn state_of(records: &[playbook_history::Record]) -> RunStream {
    let mut state = RunStream::default();
    for record in records {
        apply(&mut state, record);
    }
    state
}
