//! The runs in memory: one at a time each, and the states of those that went on lately.

use playbook_definition::Details;
use playbook_engine::definition::Definition;
use playbook_engine::workflow::{Program, Recorded, State};
use playbook_history::{Record, Stream};
use playbook_model::definition::DefinitionType;
use playbook_model::id::{DefinitionName, PlaybookKey, RunId};
use playbook_model::record::{Context, Fact, SavedDefinition};
use playbook_model::refusal::Refusal;
use serde_json::{Map, Value};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use tokio::sync::{Mutex as Turn, OwnedMutexGuard};

use crate::runtime::{Runtime, incident};

/// States that are kept in memory.
const KEPT: usize = 1_024;

type Id = (PlaybookKey, RunId);

/// What is in memory of the runs of workflows.
#[derive(Default)]
pub(crate) struct Runs {
    slots: Mutex<Slots>,
    programs: Mutex<HashMap<(PlaybookKey, String, u32), Arc<Program>>>,
}

#[derive(Default)]
struct Slots {
    by_id: HashMap<Id, Arc<Turn<Slot>>>,
    /// In the order they were last asked for, the oldest first; may name one several times.
    order: VecDeque<Id>,
}

/// One run: whoever holds it is alone with it.
#[derive(Default)]
pub(super) struct Slot {
    /// None before it was read, or after it ended.
    pub(super) loaded: Option<Loaded>,
}

/// A run as it stands.
#[derive(Clone)]
pub(super) struct Loaded {
    /// The context of its start.
    pub(super) context: Context,
    /// The id of its start.
    pub(super) start_id: String,
    /// Its program.
    pub(super) program: Arc<Program>,
    /// None for one whose first input was not applied yet.
    pub(super) state: Option<State>,
}

impl Runs {
    /// A turn with a run, once whoever had it before is done.
    pub(super) async fn turn(&self, playbook: &PlaybookKey, run: RunId) -> OwnedMutexGuard<Slot> {
        let slot = {
            let mut slots = self.slots.lock().expect("no holder panics");
            let id = (playbook.clone(), run);
            let slot = slots.by_id.entry(id.clone()).or_default().clone();
            slots.order.push_back(id);
            slots.forget();
            slot
        };
        slot.lock_owned().await
    }
}

impl Slots {
    /// Lets go of the runs that were asked for longest ago, unless somebody has one.
    fn forget(&mut self) {
        let mut looked = 0;
        while (self.by_id.len() > KEPT || self.order.len() > 4 * KEPT) && looked < 8 {
            looked += 1;
            let Some(id) = self.order.pop_front() else { return };
            let again = self.order.iter().any(|later| *later == id) && self.order.len() <= 4 * KEPT;
            let idle = self.by_id.get(&id).is_some_and(|slot| Arc::strong_count(slot) == 1);
            if !again && idle {
                self.by_id.remove(&id);
            } else if !again {
                self.order.push_back(id);
            }
        }
    }
}

/// Why a run cannot be gone on with.
pub(super) enum Unloaded {
    /// There is no such run of a workflow.
    Missing,
    /// It has ended.
    Ended,
    /// It cannot be read.
    Refused(Refusal),
}

impl Runtime {
    /// The program of a saved workflow.
    pub(crate) fn program(
        &self,
        playbook: &PlaybookKey,
        name: &str,
        definition: &Definition,
    ) -> Result<Arc<Program>, Refusal> {
        let key = (playbook.clone(), name.to_owned(), definition.version);
        if let Some(program) = self.0.runs.programs.lock().expect("no holder panics").get(&key) {
            return Ok(program.clone());
        }
        let details = match serde_json::from_value::<Details>(definition.saved.details.clone()) {
            Ok(Details::Workflow(details)) => *details,
            Ok(_) => return Err(incident(&format!("the details of the workflow {name} are of another type"))),
            Err(why) => return Err(incident(&format!("the details of the workflow {name} cannot be read: {why}"))),
        };
        let program = Arc::new(Program::new(details));
        let mut programs = self.0.runs.programs.lock().expect("no holder panics");
        if programs.len() >= KEPT {
            programs.clear();
        }
        programs.insert(key, program.clone());
        Ok(program)
    }

    /// The program of a version of a workflow, whatever came after it.
    pub(crate) async fn program_of(
        &self,
        playbook: &PlaybookKey,
        name: &str,
        version: u32,
    ) -> Result<Arc<Program>, Refusal> {
        let key = (playbook.clone(), name.to_owned(), version);
        if let Some(program) = self.0.runs.programs.lock().expect("no holder panics").get(&key) {
            return Ok(program.clone());
        }
        let saved = self.saved_version(playbook, DefinitionType::Workflow, name, version).await?;
        let Some(saved) = saved else {
            return Err(incident(&format!("version {version} of the workflow {name} is nowhere")));
        };
        let details = match serde_json::from_value(saved.details.clone()) {
            Ok(Details::Workflow(details)) => *details,
            Ok(_) => return Err(incident(&format!("the details of the workflow {name} are of another type"))),
            Err(why) => return Err(incident(&format!("the details of the workflow {name} cannot be read: {why}"))),
        };
        let program = Arc::new(Program::new(details));
        self.0.runs.programs.lock().expect("no holder panics").insert(key, program.clone());
        Ok(program)
    }

    /// A version of a definition as it was saved, whatever came after it.
    pub(crate) async fn saved_version(
        &self,
        playbook: &PlaybookKey,
        kind: DefinitionType,
        name: &str,
        version: u32,
    ) -> Result<Option<Arc<SavedDefinition>>, Refusal> {
        let known = DefinitionName::new(name).map_err(|why| incident(&why.to_string()))?;
        let newest = self.definitions(playbook, kind).await?;
        if let Ok(definition) = newest.known(kind, &known)
            && definition.version == version
        {
            return Ok(Some(definition.saved.clone()));
        }
        let stream = Stream::definitions(playbook, kind);
        let records = self.read(move |history| history.stream(&stream, 0)).await?;
        let of = |record: &Record| {
            record.context.definition.as_ref().is_some_and(|about| about.name == name && about.version == version)
        };
        Ok(records.into_iter().filter(of).find_map(|record| match Fact::read(&record.kind, record.data) {
            Ok(Fact::DefinitionCreated(saved) | Fact::DefinitionUpdated(saved)) => Some(Arc::from(saved)),
            _ => None,
        }))
    }

    /// Reads a run into its slot, unless it is there.
    pub(super) async fn load<'s>(
        &self,
        playbook: &PlaybookKey,
        run: RunId,
        slot: &'s mut Slot,
    ) -> Result<&'s mut Loaded, Unloaded> {
        if slot.loaded.is_none() {
            slot.loaded = Some(self.read_run(playbook, run).await?);
        }
        slot.loaded.as_mut().ok_or(Unloaded::Missing)
    }

    async fn read_run(&self, playbook: &PlaybookKey, run: RunId) -> Result<Loaded, Unloaded> {
        let (own, log) = (Stream::run(playbook, run), Stream::run_log(playbook, run));
        let read = self.read(move |history| Ok((history.stream(&own, 0)?, history.last(&log)?))).await;
        let (own, last) = read.map_err(Unloaded::Refused)?;
        let start = own.iter().find(|record| record.kind == "run_started").ok_or(Unloaded::Missing)?;
        let about = start.context.definition.clone().ok_or(Unloaded::Missing)?;
        if about.kind != DefinitionType::Workflow {
            return Err(Unloaded::Missing);
        }
        let ended = ["run_succeeded", "run_rejected", "run_failed"];
        if own.iter().any(|record| ended.contains(&record.kind.as_str())) {
            return Err(Unloaded::Ended);
        }
        let program = self.program_of(playbook, &about.name, about.version).await.map_err(Unloaded::Refused)?;
        let state = match last {
            Some(record) => Some(self.state_of(playbook, run, &record).await.map_err(Unloaded::Refused)?),
            None => None,
        };
        Ok(Loaded { context: start.context.clone(), start_id: start.id.to_string(), program, state })
    }

    /// The state that a record of a run's log holds, its values read from where they stand.
    pub(crate) async fn state_of(&self, playbook: &PlaybookKey, run: RunId, record: &Record) -> Result<State, Refusal> {
        let unread = |why: playbook_engine::workflow::Unread| incident(&format!("the run {run}: {why}"));
        let Recorded { mut state, values, .. } = Recorded::read(&record.data).map_err(unread)?;
        let mut records: HashMap<u64, Map<String, Value>> = HashMap::new();
        records.insert(record.position, values);
        let missing: Vec<u64> =
            state.missing().into_iter().filter(|position| !records.contains_key(position)).collect();
        if !missing.is_empty() {
            let log = Stream::run_log(playbook, run);
            for found in self.read(move |history| history.places(&log, &missing)).await? {
                let read = Recorded::read(&found.data).map_err(unread)?;
                records.insert(found.position, read.values);
            }
        }
        state.fill(&records).map_err(unread)?;
        Ok(state)
    }
}
