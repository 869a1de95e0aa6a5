//! A run that is kept in memory alone: inputs are applied to it as to any run, and nothing comes of it.

use crate::runtime::incident;
use crate::workflows::Bridge;
use playbook_definition::workflow::{Kind, WorkflowDetails};
use playbook_engine::workflow::again::Did;
use playbook_engine::workflow::{Input, Outputs, Program, Start, State, Step, Stops, Trace, Unapplied, apply};
use playbook_model::limits;
use playbook_model::refusal::Refusal;
use playbook_model::time::Moment;
use playbook_worker::Pool;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A run in memory.
pub(crate) struct Player {
    pub(crate) program: Arc<Program>,
    /// None before its start.
    pub(crate) state: Option<State>,
    pool: Pool,
}

/// What an input did.
pub(crate) struct Took {
    pub(crate) did: Did,
    pub(crate) outputs: Outputs,
    pub(crate) steps: Vec<Step>,
}

impl Player {
    pub(crate) fn new(program: Arc<Program>, pool: Pool, state: Option<State>) -> Self {
        Self { program, state, pool }
    }

    /// Gives the run an input.
    ///
    /// # Errors
    /// The inner one for an input that the run does not take; it stands as before then.
    pub(crate) async fn take(&mut self, input: &Input, at: Moment) -> Result<Result<Took, Unapplied>, Refusal> {
        let (program, state, given) = (self.program.clone(), self.state.take(), input.clone());
        let mut bridge = Bridge::again(tokio::runtime::Handle::current(), self.pool.clone(), program.clone());
        let done = tokio::task::spawn_blocking(move || {
            let mut stops = Stops::new(&program);
            let trace: &mut dyn Trace = &mut stops;
            let applied = apply(&program, state.as_ref(), &given, at, &mut bridge, Some(trace));
            let Stops { stops, .. } = stops;
            let did = applied.map(|applied| (Did::of(&program, &stops, &applied.outputs), applied));
            (state, did)
        });
        let (before, done) = done.await.map_err(|why| incident(&format!("applying an input broke down: {why}")))?;
        match done {
            Ok((did, applied)) => {
                self.state = Some(applied.state);
                Ok(Ok(Took { did, outputs: applied.outputs, steps: applied.steps }))
            }
            Err(Unapplied::Lost(why)) => Err(incident(&format!("an input could not be applied: {why}"))),
            Err(unapplied) => {
                self.state = before;
                Ok(Err(unapplied))
            }
        }
    }

    /// Whether it has ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.state.as_ref().is_some_and(|state| state.root.is_none())
    }

    /// The timer with which it goes on after others had their turn.
    pub(crate) fn pause(&self) -> Option<(Input, Moment)> {
        let state = self.state.as_ref()?;
        state.pause.map(|timer| (Input::TimerFired { timer }, state.at))
    }
}

/// What a run waits for, by the names of its tasks.
pub(crate) fn waiting(program: &Program, state: &State) -> Vec<String> {
    state.standing().iter().map(|standing| program.task(standing.task).name.clone()).collect()
}

/// The start of a run that nobody recorded, with the longest times there are where the case tells no others.
pub(crate) fn start_at(
    details: &WorkflowDetails,
    run_id: String,
    at: Moment,
    depth: u32,
    longest: Option<u64>,
    waits: &BTreeMap<String, u64>,
) -> Start {
    let calls = details.tasks.iter().filter(|task| matches!(task.kind, Kind::Call(_)));
    let own = calls.filter_map(|task| {
        let wait = waits.get(&task.reference).or_else(|| waits.get(&task.name))?;
        Some((task.reference.clone(), *wait))
    });
    let longest = longest.unwrap_or(limits::WORKFLOW_MILLISECONDS);
    Start { run_id, at, call_depth: depth, longest, waits: own.collect(), other_wait: longest }
}
