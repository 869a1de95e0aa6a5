//! Looking at a run of a workflow: how it stands, the inputs it took, and what each did, stop by stop.
//!
//! Nothing is kept for this beside the run's own log: an input is applied again to the state before it, and what it
//! does is seen on the way. "Stepping" is that, and so is replaying a run on another version.

mod inputs;
mod known;
mod stops;

pub(crate) use inputs::step_rows;

use crate::ops::run_view;
use crate::runtime::Runtime;
use playbook_engine::run::{RunState, Stream as RunStream};
use playbook_engine::workflow::{Program, State, WaitsFor, child_run};
use playbook_history::{Record, RunRow, Stream};
use playbook_model::definition::DefinitionType;
use playbook_model::ending::{Reason, Rejection};
use playbook_model::id::{DefinitionName, PlaybookKey, RunId};
use playbook_model::refusal::Refusal;
use serde_json::{Value, json};
use std::sync::Arc;

/// The newest runs that a run's tasks started, of those looked at.
const CHILDREN: usize = 500;

/// A run of a workflow, as it is looked at.
pub(crate) struct Looked {
    pub(crate) playbook: PlaybookKey,
    pub(crate) run: RunId,
    pub(crate) start: Record,
    pub(crate) own: Box<RunState>,
    pub(crate) program: Arc<Program>,
    /// The newest record of its log.
    pub(crate) last: Option<Record>,
}

/// What a run waits for.
#[derive(Debug, Clone, PartialEq)]
pub struct Waiting {
    /// The task.
    pub reference: String,
    /// Its name.
    pub name: String,
    /// `call`, `timer`, `event` or `retry`.
    pub waits_for: WaitsFor,
    /// When it stops waiting, as it is known, in milliseconds since 1970.
    pub until: Option<i64>,
    /// The run it called.
    pub child: Option<RunId>,
}

impl Runtime {
    /// A run of a workflow, as its streams tell it.
    pub(crate) async fn look(&self, playbook: &PlaybookKey, run: RunId) -> Result<Looked, Refusal> {
        let missing = || Rejection::new(Reason::NotFound, "There is no such run of a workflow in this playbook");
        let (own, log) = (Stream::run(playbook, run), Stream::run_log(playbook, run));
        let read = move |history: &playbook_history::History| Ok((history.stream(&own, 0)?, history.last(&log)?));
        let (records, last) = self.read(read).await?;
        let mut state = RunStream::default();
        for record in &records {
            crate::ops::apply(&mut state, record);
        }
        let (RunStream::Run(own), Some(start)) = (state, records.into_iter().find(|r| r.kind == "run_started")) else {
            return Err(missing().into());
        };
        if own.definition.kind != DefinitionType::Workflow {
            return Err(missing().into());
        }
        let program = self.program_of(playbook, &own.definition.name, own.definition.version).await?;
        Ok(Looked { playbook: playbook.clone(), run, start, own, program, last })
    }

    /// What a run of a workflow waits for, in the order of the document; nothing for one that has ended.
    ///
    /// # Errors
    /// [`Refusal`]: there is no such run, or it cannot be read.
    pub async fn run_waits(&self, playbook: &PlaybookKey, run: RunId) -> Result<Vec<Waiting>, Refusal> {
        let looked = self.look(playbook, run).await?;
        self.waits_of(&looked).await
    }

    async fn waits_of(&self, looked: &Looked) -> Result<Vec<Waiting>, Refusal> {
        let Some(last) = looked.last.as_ref().filter(|_| looked.own.ended.is_none()) else { return Ok(Vec::new()) };
        let state = self.state_of(&looked.playbook, looked.run, last).await?;
        Ok(looked.waits(&state))
    }

    /// A run of a workflow with what it waits for, what called it and what it called.
    ///
    /// # Errors
    /// [`Refusal`]: there is no such run, or it cannot be read.
    pub async fn look_at_run(&self, playbook: &PlaybookKey, run: RunId) -> Result<Value, Refusal> {
        let looked = self.look(playbook, run).await?;
        let waits = self.waits_of(&looked).await?;
        let children = self.children(&looked).await?;
        let own = &looked.own;
        let name = DefinitionName::new(own.definition.name.clone()).ok();
        let definitions = self.definitions(playbook, DefinitionType::Workflow).await?;
        let known = name.as_ref().and_then(|name| definitions.known(DefinitionType::Workflow, name).ok());
        let kind = DefinitionType::Workflow;
        let saved = self.saved_version(playbook, kind, &own.definition.name, own.definition.version).await?;
        let context = &looked.start.context;
        Ok(json!({
            "run": run_view(run, own),
            "newest_version": known.map(|definition| definition.version),
            "parent": context.called_by.as_ref().map(|by| json!({ "run_id": by.run_id, "reference": by.reference })),
            "trigger": context.trigger.as_ref().map(|by| json!({ "kind": by.kind, "reference": by.reference })),
            "inputs": looked.last.as_ref().map_or(0, |record| record.position),
            "waits": waits.iter().map(Waiting::view).collect::<Vec<_>>(),
            "children": children,
            "flowchart": playbook_definition::workflow::flowchart(looked.program.details()),
            "source": saved.map(|saved| saved.source.clone()),
            "input": own.input,
        }))
    }

    /// The runs that a run's tasks started, in the order of the tasks.
    async fn children(&self, looked: &Looked) -> Result<Vec<Value>, Refusal> {
        let Some(last) = &looked.last else { return Ok(Vec::new()) };
        let state = self.state_of(&looked.playbook, looked.run, last).await?;
        let mut ids = Vec::new();
        for (task, runs) in &state.runs {
            let task = looked.program.task(*task);
            if matches!(task.kind, playbook_definition::workflow::Kind::Call(_)) {
                ids.extend((1..=*runs).map(|nth| (task.reference.clone(), nth)));
            }
        }
        let skipped = ids.len().saturating_sub(CHILDREN);
        let (playbook, run) = (looked.playbook.clone(), looked.run);
        let read = move |history: &playbook_history::History| {
            let mut rows: Vec<(String, u32, RunRow)> = Vec::new();
            for (reference, nth) in ids.into_iter().skip(skipped) {
                let child = RunId(child_run(&run.to_string(), &reference, nth));
                if let Some(row) = history.run(&playbook, child)? {
                    rows.push((reference, nth, row));
                }
            }
            Ok(rows)
        };
        let rows = self.read(read).await?;
        let view = |(reference, nth, row): &(String, u32, RunRow)| {
            json!({
                "run_id": row.run_id.to_string(),
                "type": row.definition_type.word(),
                "name": row.name,
                "status": row.status.word(),
                "reference": reference,
                "run": nth,
                "started_at": row.started_at.iso(),
                "finished_at": row.finished_at.map(|at| at.iso()),
            })
        };
        Ok(rows.iter().map(view).collect())
    }
}

impl Looked {
    /// What the run waits for by its state.
    fn waits(&self, state: &State) -> Vec<Waiting> {
        let of = |standing: &playbook_engine::workflow::Standing| {
            let task = self.program.task(standing.task);
            let child = (standing.waits_for == WaitsFor::Call)
                .then(|| RunId(child_run(&self.run.to_string(), &task.reference, standing.run)));
            Waiting {
                reference: task.reference.clone(),
                name: task.name.clone(),
                waits_for: standing.waits_for,
                until: standing.until.map(|at| at.0),
                child,
            }
        };
        state.standing().iter().map(of).collect()
    }
}

impl Waiting {
    fn view(&self) -> Value {
        json!({
            "reference": self.reference,
            "name": self.name,
            "for": self.waits_for,
            "until": self.until.map(|at| playbook_model::time::Moment(at).iso()),
            "child": self.child.map(|child| child.to_string()),
        })
    }
}
