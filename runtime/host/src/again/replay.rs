//! A recorded run replayed on another text of its workflow: the same to the end, or where it first differs.

use super::player::{Player, waiting};
use super::{difference_view, ending_view, recorded_settled, recorded_view};
use crate::runtime::{Runtime, incident};
use crate::steps::Looked;
use playbook_definition::Details;
use playbook_engine::workflow::again::{Asked, Comparison, Did, Difference, Happened};
use playbook_engine::workflow::{Input, Program, Settled, Unapplied};
use playbook_model::definition::{DefinitionKey, DefinitionType};
use playbook_model::ending::{Reason, Rejection};
use playbook_model::id::{DefinitionName, PlaybookKey, RunId};
use playbook_model::json::same;
use playbook_model::refusal::Refusal;
use playbook_model::time::Moment;
use playbook_model::word::count;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a replay may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// What a run is replayed on.
struct Against {
    program: Arc<Program>,
    source: String,
    /// None for a text that was not saved.
    version: Option<u32>,
}

/// One recorded input, with what it did.
pub(super) struct Recorded {
    position: u64,
    pub(super) at: Moment,
    pub(super) input: Input,
    pub(super) happened: Happened,
    pub(super) did: Did,
    /// What the run waits for after it.
    waits: Vec<String>,
    /// Whether the run went on with it in a later turn.
    pauses: bool,
    /// Whether the program does today what is recorded.
    same: bool,
}

/// A replay under way.
struct Replay<'a> {
    runtime: &'a Runtime,
    looked: &'a Looked,
    player: Player,
    comparison: Comparison,
    /// The first difference, and the input it is at.
    found: Option<(u64, Difference)>,
    /// Calls of the run that is recorded and of the other, by their numbers.
    asked: HashMap<u64, Asked>,
    asks: HashMap<u64, Asked>,
    settled: Option<Settled>,
    /// What the recorded run waited for after the last input that was looked at.
    waited: Vec<String>,
    /// Why the rest could not be replayed.
    stopped: Option<String>,
}

impl Runtime {
    /// Replays a run on a text of its workflow, or on the newest saved version. Records nothing.
    ///
    /// # Errors
    /// [`Refusal`]: there is no such run, it took no input yet, or the text does not pass its check.
    pub async fn replay_run(&self, playbook: &PlaybookKey, run: RunId, text: Option<&str>) -> Result<Value, Refusal> {
        let looked = self.look(playbook, run).await?;
        let inputs = inputs_of(&looked)?;
        let against = self.against(&looked, text).await?;
        let source = self.source_of(&looked).await?;
        let mut replay = Replay {
            runtime: self,
            looked: &looked,
            player: Player::new(against.program.clone(), self.pool(), None),
            comparison: Comparison::default(),
            found: None,
            asked: HashMap::new(),
            asks: HashMap::new(),
            settled: None,
            waited: Vec::new(),
            stopped: None,
        };
        let until = Instant::now() + PATIENCE;
        let (mut compared, mut drifted) = (0, None);
        for position in 1..=inputs {
            if Instant::now() > until {
                replay.stopped = Some(format!("the replay took longer than {} seconds", PATIENCE.as_secs()));
            }
            if replay.stopped.is_some() || (replay.found.is_some() && replay.player.has_ended()) {
                break;
            }
            let recorded = self.recorded_input(&looked, position).await?;
            if !recorded.same && drifted.is_none() {
                drifted = Some(position);
            }
            replay.waited.clone_from(&recorded.waits);
            replay.input(recorded).await?;
            if replay.found.is_none() && replay.stopped.is_none() {
                compared = position;
            }
        }
        Ok(replay.view(&against, &source, inputs, compared, drifted))
    }

    /// What is saved of a run's workflow now, or a text in its place.
    async fn against(&self, looked: &Looked, text: Option<&str>) -> Result<Against, Refusal> {
        let kind = DefinitionType::Workflow;
        let name = DefinitionName::new(looked.own.definition.name.clone()).map_err(|why| incident(&why.to_string()))?;
        let Some(text) = text else {
            let definitions = self.definitions(&looked.playbook, kind).await?;
            let definition = definitions.known(kind, &name)?;
            let program = self.program(&looked.playbook, name.as_str(), definition)?;
            let (source, version) = (definition.saved.source.clone(), Some(definition.version));
            return Ok(Against { program, source, version });
        };
        let key = DefinitionKey { kind, name };
        let checked = self.judge(&key, text).await?;
        let saved = crate::ops::ready(checked, text)?;
        match serde_json::from_value(saved.details) {
            Ok(Details::Workflow(details)) => {
                Ok(Against { program: Arc::new(Program::new(*details)), source: text.to_owned(), version: None })
            }
            _ => Err(incident("a workflow's document gave no details of a workflow")),
        }
    }

    /// The text of the version that a run ran.
    pub(super) async fn source_of(&self, looked: &Looked) -> Result<String, Refusal> {
        let own = &looked.own.definition;
        let saved = self.saved_version(&looked.playbook, DefinitionType::Workflow, &own.name, own.version).await?;
        Ok(saved.map(|saved| saved.source.clone()).unwrap_or_default())
    }

    pub(super) async fn recorded_input(&self, looked: &Looked, position: u64) -> Result<Recorded, Refusal> {
        let again = self.again(looked, position).await?;
        let did = Did::of(&looked.program, &again.stops, &again.applied.outputs);
        let known = again.known;
        let happened = Happened::read(&looked.program, known.before.as_ref(), &known.input);
        let happened = happened.ok_or_else(|| incident(&format!("input {position} of {} fits nothing", looked.run)))?;
        Ok(Recorded {
            position,
            at: known.record.context.at,
            input: known.input,
            happened,
            did,
            waits: waiting(&looked.program, &again.applied.state),
            pauses: again.applied.state.pause.is_some(),
            same: again.applied.data == known.record.data,
        })
    }
}

/// How many inputs a run took.
pub(super) fn inputs_of(looked: &Looked) -> Result<u64, Refusal> {
    match looked.last.as_ref().map_or(0, |record| record.position) {
        0 => Err(Rejection::new(Reason::Conflict, "The run took no input yet, so there is nothing to go over").into()),
        inputs => Ok(inputs),
    }
}

impl Replay<'_> {
    /// Gives the other version what was recorded.
    async fn input(&mut self, recorded: Recorded) -> Result<(), Refusal> {
        self.asked.extend(recorded.did.calls.iter().map(|call| (call.call, call.clone())));
        let mut did = Did::default();
        if !(recorded.happened == Happened::WentOn && self.player.pause().is_none()) {
            let mut happened = recorded.happened.clone();
            if let Happened::Started { start, .. } = &mut happened {
                let (context, details) = (&self.looked.start.context, self.player.program.details());
                let own = self.runtime.start_of(&self.looked.playbook, self.looked.run, context, details).await?;
                // What was settled as the run started holds for the calls that are the same.
                start.waits = own.waits.into_iter().chain(std::mem::take(&mut start.waits)).collect();
            }
            let Some(input) = happened.fit(&self.player.program, self.player.state.as_ref()) else {
                self.misfit(&recorded);
                return Ok(());
            };
            if self.found.is_some() && !self.same_call(&recorded.input, &input) {
                let name = recorded.happened.turn().map(|turn| turn.name.clone()).unwrap_or_default();
                self.stopped = Some(format!("what {name} calls now was not recorded"));
                return Ok(());
            }
            did = match self.take(&input, recorded.at).await? {
                Some(did) => did,
                None => {
                    self.misfit(&recorded);
                    return Ok(());
                }
            };
        }
        // It goes on by itself as far as the recorded run did.
        while let (false, Some((input, at))) = (recorded.pauses, self.player.pause()) {
            let Some(more) = self.take(&input, at).await? else { break };
            did.moved.extend(more.moved);
            did.calls.extend(more.calls);
            did.emitted.extend(more.emitted);
            did.listens.extend(more.listens);
            did.settled = more.settled;
        }
        let pausing = recorded.pauses || self.player.pause().is_some();
        if self.found.is_none() {
            let difference = self.comparison.take(recorded.did, did, pausing);
            self.found = difference.map(|difference| (recorded.position, difference));
        }
        Ok(())
    }

    async fn take(&mut self, input: &Input, at: Moment) -> Result<Option<Did>, Refusal> {
        match self.player.take(input, at).await? {
            Ok(took) => {
                self.asks.extend(took.did.calls.iter().map(|call| (call.call, call.clone())));
                if took.did.settled.is_some() {
                    self.settled.clone_from(&took.did.settled);
                }
                Ok(Some(took.did))
            }
            Err(Unapplied::Stale | Unapplied::Repeated | Unapplied::Ended | Unapplied::Lost(_)) => Ok(None),
        }
    }

    /// Whether an answer is to the call that was recorded.
    fn same_call(&self, recorded: &Input, now: &Input) -> bool {
        let (Input::CallAnswered { call: was, .. }, Input::CallAnswered { call: is, .. }) = (recorded, now) else {
            return true;
        };
        match (self.asked.get(was), self.asks.get(is)) {
            (Some(asked), Some(asks)) => asked.called == asks.called && same(&asked.input, &asks.input),
            _ => false,
        }
    }

    /// The other version waits for no such thing.
    fn misfit(&mut self, recorded: &Recorded) {
        let words = recorded.happened.words();
        let now = match &self.player.state {
            Some(state) if state.root.is_some() => match waiting(&self.player.program, state) {
                names if names.is_empty() => "the run waits for nothing then".to_owned(),
                names => format!("the run waits for {} instead", names.join(", ")),
            },
            _ => "the run has ended by then".to_owned(),
        };
        if self.found.is_none() {
            let difference = Difference::of_input(recorded.happened.turn(), words.clone(), now.clone(), None);
            self.found = Some((recorded.position, difference));
        }
        self.stopped = Some(format!("{words}, and {now}"));
    }

    fn view(self, against: &Against, source: &str, inputs: u64, compared: u64, drifted: Option<u64>) -> Value {
        let own = &self.looked.own.definition;
        let ended = recorded_settled(self.looked);
        let program = &self.player.program;
        let told = self.stopped.is_none();
        let now = told.then(|| ending_view(program, self.player.state.as_ref(), self.settled.as_ref()));
        let same_ending = told.then(|| match (&ended, &self.settled) {
            (Some(Settled::Succeeded { output: a }), Some(Settled::Succeeded { output: b })) => same(a, b),
            (None, None) => self.player.state.as_ref().is_some_and(|state| waiting(program, state) == self.waited),
            (before, after) => before == after,
        });
        let is_same = self.found.is_none() && told;
        let on = match against.version {
            Some(version) if version == own.version => format!("version {version}, which it ran"),
            Some(version) => format!("version {version}"),
            None => "the text that is not saved".to_owned(),
        };
        let sentence = match (&self.found, &self.stopped) {
            (Some((position, difference)), _) => {
                let first = super::sentence(difference, *position, &against.source);
                match (same_ending, &self.stopped) {
                    (Some(true), _) if ended.is_some() => format!("{first} It ends as recorded all the same."),
                    (Some(true), _) => format!("{first} It then stands as recorded all the same."),
                    (Some(false), _) if ended.is_some() => format!("{first} It ends otherwise than recorded."),
                    (Some(false), _) => format!("{first} It then stands otherwise than recorded."),
                    (None, why) => {
                        let why = why.as_deref().unwrap_or_default();
                        format!("{first} How it ends cannot be told from the record: {why}.")
                    }
                }
            }
            (None, Some(why)) => format!("The same for {}; then {why}.", count(compared, "input", "inputs")),
            (None, None) if ended.is_some() => {
                format!("The same to the end on {on}: {}.", count(inputs, "input", "inputs"))
            }
            (None, None) => format!("The same as far as the run went on {on}: {}.", count(inputs, "input", "inputs")),
        };
        json!({
            "run_id": self.looked.run.to_string(),
            "name": own.name,
            "recorded_version": own.version,
            "version": against.version,
            "inputs": inputs,
            "compared": compared,
            "same": is_same,
            "sentence": sentence,
            "difference": self.found.as_ref().map(|(position, difference)| {
                difference_view(difference, *position, source, &against.source)
            }),
            "recorded_ending": recorded_view(self.looked),
            "ending": now,
            "same_ending": same_ending,
            // The record stays what it is; the program would decide otherwise today, so the comparison is with that.
            "drifted": drifted,
        })
    }
}
