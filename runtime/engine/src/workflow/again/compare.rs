//! Where two runs first differ, in words.

use super::did::{Asked, Did, Moved};
use super::happened::{Turn, reason};
use crate::workflow::output::Settled;
use crate::workflow::record::{Outcome, WaitsFor};
use playbook_model::json::same;
use playbook_model::time::Moment;
use serde::Serialize;
use serde_json::Value;
use std::collections::VecDeque;
use std::mem::take;

/// What differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// What came to the run.
    Input,
    /// Another step moved.
    Step,
    /// A step moved otherwise.
    Outcome,
    /// A step handed on another output.
    Output,
    /// A call of another definition.
    Call,
    /// A call on another input.
    CallInput,
    /// A wait until another time, or for other events.
    Wait,
    /// Another event was emitted.
    Event,
    /// The run ended otherwise.
    Ending,
}

/// The first difference of two runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// What differs.
    pub what: What,
    /// The task in the run that was recorded.
    pub recorded_task: Option<Turn>,
    /// The task in the other.
    pub task: Option<Turn>,
    /// What was recorded, as a clause.
    pub recorded: String,
    /// What happens instead, as a clause.
    pub now: String,
    /// The values, where a value differs.
    pub values: Option<(Value, Value)>,
}

/// Compares what two runs do, input by input. Where one of them lets others have their turn earlier, what it does
/// later is held against what the other did already.
#[derive(Debug, Default)]
pub struct Comparison {
    recorded: VecDeque<Moved>,
    now: VecDeque<Moved>,
    asked: Vec<Asked>,
    asks: Vec<Asked>,
    emitted: Vec<Value>,
    emits: Vec<Value>,
    listened: Vec<Listened>,
    listens: Vec<Listened>,
}

/// A task that listens, and for which types of events.
type Listened = (String, Vec<String>);

impl Comparison {
    /// Takes what an input did in both. `pausing` says that one of them goes on with it in a later turn.
    pub fn take(&mut self, recorded: Did, now: Did, pausing: bool) -> Option<Difference> {
        self.recorded.extend(recorded.moved);
        self.now.extend(now.moved);
        self.asked.extend(recorded.calls);
        self.asks.extend(now.calls);
        self.emitted.extend(recorded.emitted);
        self.emits.extend(now.emitted);
        self.listened.extend(recorded.listens);
        self.listens.extend(now.listens);
        while let (Some(before), Some(after)) = (self.recorded.front(), self.now.front()) {
            if let Some(difference) = self.moved(before, after) {
                return Some(difference);
            }
            self.recorded.pop_front();
            self.now.pop_front();
        }
        if !pausing || recorded.settled.is_some() || now.settled.is_some() {
            if let Some(before) = self.recorded.pop_front() {
                let ends = now.settled.as_ref().map_or_else(|| "nothing more moves".to_owned(), ended);
                return Some(step(Some(&before), None, moves(&before), ends));
            }
            if let Some(after) = self.now.pop_front() {
                let ended = recorded.settled.as_ref().map_or_else(|| "nothing more moved".to_owned(), ended);
                return Some(step(None, Some(&after), ended, moves(&after)));
            }
            self.asked.clear();
            self.asks.clear();
            let (emitted, emits) = (take(&mut self.emitted), take(&mut self.emits));
            let (listened, listens) = (take(&mut self.listened), take(&mut self.listens));
            let difference = events(&emitted, &emits).or_else(|| listening(&listened, &listens));
            if difference.is_some() {
                return difference;
            }
        }
        ending(recorded.settled.as_ref(), now.settled.as_ref())
    }

    fn moved(&self, before: &Moved, after: &Moved) -> Option<Difference> {
        let (was, is) = (&before.step, &after.step);
        let of = |what, recorded: String, now: String, values| Difference {
            what,
            recorded_task: Some(before.turn.clone()),
            task: Some(after.turn.clone()),
            recorded,
            now,
            values,
        };
        if before.turn.name != after.turn.name {
            return Some(step(Some(before), Some(after), moves(before), moves(after)));
        }
        let call = |calls: &'_ [Asked], turn: &Turn| {
            calls.iter().find(|call| call.turn.reference == turn.reference && call.turn.run == turn.run).cloned()
        };
        if was.waits_for == Some(WaitsFor::Call)
            && is.waits_for == Some(WaitsFor::Call)
            && let (Some(asked), Some(asks)) = (call(&self.asked, &before.turn), call(&self.asks, &after.turn))
        {
            let name = &after.turn.name;
            if asked.called != asks.called {
                let calls = |call: &Asked| format!("{name} calls {}/{}", call.called.kind.word(), call.called.name);
                return Some(of(What::Call, calls(&asked), calls(&asks), None));
            }
            if !same(&asked.input, &asks.input) {
                let target = format!("{}/{}", asks.called.kind.word(), asks.called.name);
                let recorded = format!("{name} called {target} on the recorded input");
                let now = format!("{name} calls {target} on another input");
                return Some(of(What::CallInput, recorded, now, Some((asked.input, asks.input))));
            }
        }
        if was.outcome != is.outcome || was.waits_for != is.waits_for || was.error != is.error {
            return Some(of(What::Outcome, moves(before), moves(after), None));
        }
        let timed = matches!(is.waits_for, Some(WaitsFor::Timer | WaitsFor::Retry));
        if timed && was.until != is.until {
            let until = |moved: &Moved| {
                let at = moved.step.until.map(|at| Moment(at).iso()).unwrap_or_default();
                format!("{} waits until {at}", moved.turn.name)
            };
            return Some(of(What::Wait, until(before), until(after), None));
        }
        if let (Some(gave), Some(gives)) = (&before.output, &after.output)
            && !same(gave, gives)
        {
            let recorded = format!("{} handed on the recorded output", before.turn.name);
            let now = format!("{} hands on another", after.turn.name);
            return Some(of(What::Output, recorded, now, Some((gave.clone(), gives.clone()))));
        }
        None
    }
}

impl Difference {
    /// Something other came to the run.
    #[must_use]
    pub fn of_input(task: Option<&Turn>, recorded: String, now: String, values: Option<(Value, Value)>) -> Self {
        let task = task.cloned();
        Self { what: What::Input, recorded_task: task.clone(), task, recorded, now, values }
    }

    /// It as one sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        format!("Recorded: {}; now: {}.", self.recorded, self.now)
    }
}

fn step(before: Option<&Moved>, after: Option<&Moved>, recorded: String, now: String) -> Difference {
    let turn = |moved: Option<&Moved>| moved.map(|moved| moved.turn.clone());
    Difference { what: What::Step, recorded_task: turn(before), task: turn(after), recorded, now, values: None }
}

fn moves(moved: &Moved) -> String {
    let name = &moved.turn.name;
    let error = moved.step.error.as_ref();
    match moved.step.outcome {
        Outcome::Started => format!("{name} starts"),
        Outcome::Skipped => format!("{name} is skipped"),
        Outcome::Completed => format!("{name} completes"),
        Outcome::TimedOut => format!("{name} runs out of time"),
        Outcome::Cancelled => format!("{name} is cancelled"),
        Outcome::Raised => match error {
            Some(error) => format!("{name} raises {}", error.title.as_ref().unwrap_or(&error.kind)),
            None => format!("{name} raises an error"),
        },
        Outcome::Waiting => match moved.step.waits_for {
            Some(WaitsFor::Call) => format!("{name} calls and waits"),
            Some(WaitsFor::Timer) => format!("{name} waits for a time"),
            Some(WaitsFor::Event) => format!("{name} waits for an event"),
            Some(WaitsFor::Retry) => format!("{name} waits for its next attempt"),
            None => format!("{name} waits"),
        },
    }
}

fn ended(settled: &Settled) -> String {
    match settled {
        Settled::Succeeded { .. } => "the run ends with an output".into(),
        Settled::Rejected { rejection } => {
            format!("the run ends rejected ({}): {}", reason(rejection), rejection.detail.trim_end_matches('.'))
        }
    }
}

fn whole(what: What, recorded: String, now: String, values: Option<(Value, Value)>) -> Option<Difference> {
    Some(Difference { what, recorded_task: None, task: None, recorded, now, values })
}

fn events(recorded: &[Value], now: &[Value]) -> Option<Difference> {
    let emits = |event: &Value| format!("an event {} is emitted", event["type"].as_str().unwrap_or_default());
    let none = || "no event is emitted".to_owned();
    for at in 0..recorded.len().max(now.len()) {
        match (recorded.get(at), now.get(at)) {
            (Some(before), Some(after)) if same(before, after) => {}
            (Some(before), Some(after)) if before["type"] == after["type"] => {
                let (was, is) = (emits(before), format!("another {} is emitted", word(after)));
                return whole(What::Event, was, is, Some((before.clone(), after.clone())));
            }
            (before, after) => {
                return whole(
                    What::Event,
                    before.map_or_else(none, emits),
                    after.map_or_else(none, emits),
                    before.zip(after).map(|(before, after)| (before.clone(), after.clone())),
                );
            }
        }
    }
    None
}

fn word(event: &Value) -> &str {
    event["type"].as_str().unwrap_or_default()
}

fn listening(recorded: &[Listened], now: &[Listened]) -> Option<Difference> {
    if recorded == now {
        return None;
    }
    let words = |listens: &[Listened]| match listens {
        [] => "nothing of the playbook is listened for".to_owned(),
        some => {
            let each = some.iter().map(|(name, types)| format!("{name} listens for {}", types.join(", ")));
            each.collect::<Vec<_>>().join("; ")
        }
    };
    whole(What::Wait, words(recorded), words(now), None)
}

fn ending(recorded: Option<&Settled>, now: Option<&Settled>) -> Option<Difference> {
    match (recorded, now) {
        (None, None) => None,
        (Some(Settled::Succeeded { output: before }), Some(Settled::Succeeded { output: after })) => {
            let values = Some((before.clone(), after.clone()));
            let (was, is) = ("the run ended with the recorded output", "it ends with another");
            if same(before, after) { None } else { whole(What::Ending, was.into(), is.into(), values) }
        }
        (Some(before), Some(after)) if before == after => None,
        (before, after) => {
            let goes = || "the run goes on".to_owned();
            whole(What::Ending, before.map_or_else(goes, ended), after.map_or_else(goes, ended), None)
        }
    }
}
