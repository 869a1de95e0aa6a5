//! A run forked at one of its inputs: everything before is taken from the record, what comes after goes its own way.

use super::answers::Caller;
use super::plan::Plan;
use super::player::{Player, Took, waiting};
use super::replay::inputs_of;
use super::told::{Told, ToldCall, other_input};
use super::{difference_view, ending_view, recorded_settled, recorded_view};
use crate::runtime::Runtime;
use crate::steps::Looked;
use playbook_engine::workflow::again::{Asked, Comparison, Did, Difference, Due, Happened, Next, Tape, Turn, next};
use playbook_engine::workflow::{Answer, Input, Settled, WaitsFor};
use playbook_model::ending::{Reason, Rejection};
use playbook_model::id::{PlaybookKey, RunId};
use playbook_model::json as values;
use playbook_model::refusal::Refusal;
use playbook_model::time::Moment;
use playbook_model::word::{count, thousands};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How long a fork may take.
const PATIENCE: Duration = Duration::from_secs(120);
/// The most inputs a fork takes.
const INPUTS: usize = 10_000;
/// Recorded inputs after the one forked at that a fork looks at.
const TAPE: u64 = 10_000;
/// And the most bytes of their answers and events together.
const TAPE_BYTES: usize = 64 * 1024 * 1024;

/// How a call of a scratch run stands.
pub(super) enum Stands {
    /// Its answer lies ahead in what was recorded.
    OnTape,
    /// Its answer is there.
    Ready(Answer),
    /// It has none, and why.
    Unanswered(String),
}

/// A call of a scratch run.
struct Called {
    asked: Asked,
    /// Whether it is known on which input it was made.
    known: bool,
    source: &'static str,
    stands: Option<Stands>,
    answer: Option<Answer>,
    why: Option<String>,
}

/// A run that goes on in memory.
pub(super) struct Scratch<'a> {
    caller: Caller<'a>,
    player: Player,
    plan: &'a Plan,
    looked: Option<&'a Looked>,
    tape: Tape,
    /// Calls that wait, by their numbers.
    open: BTreeMap<u64, Called>,
    told: Told,
    inputs: usize,
    settled: Option<Settled>,
    stopped: Option<String>,
    /// What is compared with, while nothing differed: the next recorded input.
    compared: Option<(u64, Comparison)>,
    difference: Option<(u64, Difference)>,
}

impl Runtime {
    /// Forks a run at one of its inputs. `given` has `at`, `live` and `calls`. Records nothing, and nobody is asked.
    ///
    /// # Errors
    /// [`Refusal`]: there is no such run or input, or a choice cannot be taken.
    pub async fn fork_run(
        &self,
        playbook: &PlaybookKey,
        run: RunId,
        given: &Map<String, Value>,
    ) -> Result<Value, Refusal> {
        let plan = Plan::read(given)?;
        let looked = self.look(playbook, run).await?;
        let inputs = inputs_of(&looked)?;
        plan.fits(&looked.program)?;
        if plan.at > inputs {
            let words = format!("The run took {}; there is no input {}", count(inputs, "input", "inputs"), plan.at);
            return Err(Rejection::new(Reason::NotFound, words).into());
        }
        let first = self.known_input(&looked, plan.at).await?;
        let until = Instant::now() + PATIENCE;
        let tape = self.tape(&looked, plan.at, inputs, until).await?;
        let depth = looked.start.context.call_depth.unwrap_or(0);
        let caller = Caller { runtime: self, playbook, run, depth, until };
        let state = first.before.clone();
        let player = Player::new(looked.program.clone(), self.pool(), state);
        let mut scratch = Scratch::new(caller, player, &plan, Some(&looked), tape);
        scratch.compared = Some((plan.at, Comparison::default()));
        match first.before {
            None => scratch.begin(first.input, first.record.context.at).await?,
            Some(_) => scratch.take_up().await?,
        }
        scratch.go().await?;
        scratch.compare_end(inputs);
        let source = self.source_of(&looked).await?;
        Ok(scratch.view(&looked, &source, inputs))
    }

    /// What was recorded from an input on, as far as a fork looks.
    async fn tape(&self, looked: &Looked, from: u64, inputs: u64, until: Instant) -> Result<Tape, Refusal> {
        let mut tape = Tape::default();
        let mut bytes = 0;
        for position in from..=inputs {
            if position - from >= TAPE || bytes > TAPE_BYTES || Instant::now() > until {
                tape.cut = Some(position);
                break;
            }
            let known = self.known_input(looked, position).await?;
            if let Some(happened) = Happened::read(&looked.program, known.before.as_ref(), &known.input) {
                bytes += match &happened {
                    Happened::Answered { answer: Answer::Succeeded { output: value }, .. }
                    | Happened::Sent { event: value }
                    | Happened::Heard { event: value, .. } => values::bytes(value),
                    _ => 0,
                };
                tape.rest.push_back(Due { position, at: known.record.context.at, happened });
            }
        }
        Ok(tape)
    }
}

impl<'a> Scratch<'a> {
    pub(super) fn new(
        caller: Caller<'a>,
        player: Player,
        plan: &'a Plan,
        looked: Option<&'a Looked>,
        tape: Tape,
    ) -> Self {
        Self {
            caller,
            player,
            plan,
            looked,
            tape,
            open: BTreeMap::new(),
            told: Told::new(),
            inputs: 0,
            settled: None,
            stopped: None,
            compared: None,
            difference: None,
        }
    }

    /// Takes the start of the run.
    pub(super) async fn begin(&mut self, input: Input, at: Moment) -> Result<(), Refusal> {
        let started = |due: &Due| matches!(due.happened, Happened::Started { .. });
        if let Some(place) = self.tape.rest.iter().position(started) {
            self.tape.rest.remove(place);
        }
        self.take(&input, at).await.map(|_| ())
    }

    /// Takes up the calls that waited when the run is forked.
    async fn take_up(&mut self) -> Result<(), Refusal> {
        let (Some(state), Some(looked)) = (&self.player.state, self.looked) else { return Ok(()) };
        let program = self.player.program.clone();
        let standing = state.standing();
        for standing in standing.into_iter().filter(|standing| standing.waits_for == WaitsFor::Call) {
            let task = program.task(standing.task);
            let turn = Turn { reference: task.reference.clone(), name: task.name.clone(), run: standing.run };
            let recorded = self.caller.recorded_call(looked, &turn).await?;
            // A call of what does not run left no run behind; its answer says so.
            let known = recorded.is_some();
            let own = standing.called.map(|called| (called, Value::Null));
            if let Some((called, input)) = recorded.or(own) {
                self.hear(Asked { call: standing.wait, turn, called, input }, known);
            }
        }
        Ok(())
    }

    fn hear(&mut self, asked: Asked, known: bool) {
        let call = asked.call;
        self.open.insert(call, Called { asked, known, source: "none", stands: None, answer: None, why: None });
    }

    /// A call is over.
    fn over(&mut self, call: u64, answer: Option<Answer>) {
        let Some(mut called) = self.open.remove(&call) else { return };
        called.answer = answer;
        if called.answer.is_none() {
            called.why = Some("It was no longer waited for".into());
        }
        // Nobody is told of the calls of a workflow that a fork calls.
        if self.looked.is_some() {
            self.told.call(&called.told());
        }
    }

    /// Goes on until the run ends or waits for what nobody gives it.
    pub(super) async fn go(&mut self) -> Result<(), Refusal> {
        while self.settled.is_none() && self.stopped.is_none() {
            if self.inputs >= INPUTS || Instant::now() > self.caller.until {
                self.stopped = Some("The fork went on for too long and was let go of".into());
                break;
            }
            if let Some((input, at)) = self.player.pause() {
                self.take(&input, at).await?;
                continue;
            }
            self.decide().await?;
            let Some(at) = self.player.state.as_ref().map(|state| state.at) else { break };
            let ready = self.open.iter_mut().find_map(|(call, called)| match called.stands.take() {
                Some(Stands::Ready(answer)) => Some((*call, answer)),
                stands => {
                    called.stands = stands;
                    None
                }
            });
            if let Some((call, answer)) = ready {
                if !self.take(&Input::CallAnswered { call, answer }, at).await? {
                    self.over(call, None);
                }
                continue;
            }
            let unanswered = self.open.values().any(|called| matches!(called.stands, Some(Stands::Unanswered(_))));
            let Some(state) = &self.player.state else { break };
            match next(&self.player.program, state, &self.tape, unanswered) {
                Next::Recorded(place, input, at) => {
                    self.tape.rest.remove(place);
                    self.take(&input, at).await?;
                }
                Next::Time(timer, at) => {
                    if !self.take(&Input::TimerFired { timer }, at).await? {
                        break;
                    }
                }
                Next::Nothing => break,
            }
        }
        Ok(())
    }

    /// Decides where the answers of new calls come from.
    async fn decide(&mut self) -> Result<(), Refusal> {
        let Some(at) = self.player.state.as_ref().map(|state| state.at) else { return Ok(()) };
        let new: Vec<u64> =
            self.open.iter().filter(|(_, called)| called.stands.is_none()).map(|(call, _)| *call).collect();
        for call in new {
            let Some(called) = self.open.get_mut(&call) else { continue };
            let (source, stands) =
                self.caller.answer(self.plan, self.looked, &mut self.tape, (&called.asked, called.known), at).await?;
            if let Stands::Unanswered(why) = &stands {
                called.why = Some(why.clone());
            }
            called.source = source;
            called.stands = Some(stands);
        }
        Ok(())
    }

    /// Gives the run an input; false when it does not take it.
    async fn take(&mut self, input: &Input, at: Moment) -> Result<bool, Refusal> {
        let before = self.player.state.clone();
        let happened = Happened::read(&self.player.program, before.as_ref(), input);
        let Ok(took) = self.player.take(input, at).await? else { return Ok(false) };
        self.inputs += 1;
        if let Input::CallAnswered { call, answer } = input {
            self.over(*call, Some(answer.clone()));
        }
        for ended in &took.outputs.ended_calls {
            self.over(ended.call, None);
        }
        for asked in &took.did.calls {
            self.hear(asked.clone(), true);
        }
        self.settled.clone_from(&took.did.settled);
        if let Some(looked) = self.looked {
            self.tell(looked, happened.as_ref(), &took);
            if let Some(happened) = happened {
                self.compare(looked, &happened, took.did).await?;
            }
        }
        Ok(true)
    }

    fn tell(&mut self, looked: &Looked, happened: Option<&Happened>, took: &Took) {
        let at = self.player.state.as_ref().map(|state| state.at.iso());
        let words = happened.map(Happened::words);
        self.told.row(looked, at, self.plan.at + self.inputs as u64 - 1, words.as_deref(), &took.steps);
        took.did.emitted.iter().for_each(|event| self.told.event(event));
    }

    /// Holds what the fork did against what was recorded at the same place.
    async fn compare(&mut self, looked: &Looked, happened: &Happened, did: Did) -> Result<(), Refusal> {
        let inputs = looked.last.as_ref().map_or(0, |record| record.position);
        let Some((position, mut comparison)) = self.compared.take() else { return Ok(()) };
        if position > inputs {
            let recorded = recorded_end(looked);
            let difference = Difference::of_input(happened.turn(), recorded, happened.words(), None);
            self.difference = Some((position, difference));
            return Ok(());
        }
        let again = self.caller.runtime.again(looked, position).await?;
        let known = Happened::read(&looked.program, again.known.before.as_ref(), &again.known.input);
        if let Some(known) = known.filter(|known| known != happened) {
            self.difference = Some((position, other_input(&known, happened)));
            return Ok(());
        }
        let recorded = Did::of(&looked.program, &again.stops, &again.applied.outputs);
        let pausing = again.applied.state.pause.is_some() || self.player.pause().is_some();
        match comparison.take(recorded, did, pausing) {
            Some(difference) => self.difference = Some((position, difference)),
            None => self.compared = Some((position + 1, comparison)),
        }
        Ok(())
    }

    /// What was recorded after the fork came to a stand is a difference as well.
    fn compare_end(&mut self, inputs: u64) {
        let Some((position, _)) = self.compared.take().filter(|(position, _)| *position <= inputs) else { return };
        let recorded = self.tape.rest.iter().find(|due| due.position >= position);
        let Some(due) = recorded else { return };
        let now = match self.waits() {
            waits if waits.is_empty() => "the run goes no further".to_owned(),
            waits => format!("the run waits for {}", waits.join(", ")),
        };
        let difference = Difference::of_input(due.happened.turn(), due.happened.words(), now, None);
        self.difference = Some((position, difference));
    }

    pub(super) fn settled(&self) -> Option<&Settled> {
        self.settled.as_ref()
    }

    /// What the run waits for, by the names of its tasks.
    pub(super) fn waits(&self) -> Vec<String> {
        self.player.state.as_ref().map(|state| waiting(&self.player.program, state)).unwrap_or_default()
    }

    fn view(mut self, looked: &Looked, source: &str, inputs: u64) -> Value {
        let open: Vec<Called> = std::mem::take(&mut self.open).into_values().collect();
        open.iter().for_each(|called| self.told.call(&called.told()));
        let program = &self.player.program;
        let ending = ending_view(program, self.player.state.as_ref(), self.settled.as_ref());
        let recorded = recorded_settled(looked);
        let mut sentences = Vec::new();
        match &self.difference {
            None => sentences.push("The fork goes as the recorded run did.".to_owned()),
            Some((position, difference)) => sentences.push(super::sentence(difference, *position, source)),
        }
        for called in open.iter().filter(|called| called.source == "none") {
            let why = called.why.as_deref().unwrap_or_default();
            sentences.push(format!("{} has no answer: {why}.", called.asked.turn.name));
        }
        if let Some(cut) = self.tape.cut {
            sentences.push(format!("What was recorded from input {} on was not looked at.", thousands(cut)));
        }
        match (&self.settled, &self.stopped) {
            (_, Some(why)) => sentences.push(format!("{why}.")),
            (Some(settled), _) if Some(settled) == recorded.as_ref() => sentences.push("It ends as recorded.".into()),
            (Some(_), _) if recorded.is_some() => sentences.push("It ends otherwise than recorded.".into()),
            (Some(_), _) => sentences.push("It ends; the recorded run has not.".into()),
            (None, None) => {
                let waits = self.waits();
                let waits = if waits.is_empty() { "nothing".to_owned() } else { waits.join(", ") };
                sentences.push(format!("It stands and waits for {waits}."));
            }
        }
        json!({
            "run_id": looked.run.to_string(),
            "name": looked.own.definition.name,
            "version": looked.own.definition.version,
            "at": self.plan.at,
            "inputs": inputs,
            "sentence": sentences.join(" "),
            "same": self.difference.is_none(),
            "difference": self.difference.as_ref().map(|(position, difference)| {
                difference_view(difference, *position, source, source)
            }),
            "rows": self.told.rows,
            "calls": self.told.calls,
            "more_calls": self.told.more_calls,
            // They reached nobody.
            "emitted": self.told.emitted,
            "more_emitted": self.told.more_emitted,
            "ending": ending,
            "recorded_ending": recorded_view(looked),
        })
    }
}

impl Called {
    fn told(&self) -> ToldCall<'_> {
        ToldCall { asked: &self.asked, source: self.source, answer: self.answer.as_ref(), why: self.why.as_deref() }
    }
}

fn recorded_end(looked: &Looked) -> String {
    if looked.own.ended.is_some() { "the run had ended".into() } else { "the run waited".into() }
}
