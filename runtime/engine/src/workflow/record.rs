//! What is recorded of an input that was applied, and how a state is read back from it.

use super::input::{Answer, Input};
use super::output::{Outputs, Settled};
use super::state::{FORMAT, State};
use super::value::{Held, ValueId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};

/// A step that moved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The task's reference.
    pub reference: String,
    /// The nth time the task runs in this run, from 1.
    pub run: u32,
    /// How it moved.
    pub outcome: Outcome,
    /// The error's type and title, where it raised one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<StepError>,
    /// What it waits for.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub waits_for: Option<WaitsFor>,
    /// The run that it called.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub child: Option<String>,
    /// When what it waits for is due, as milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub until: Option<i64>,
    /// The iteration of the loop around it, from 0.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub item: Option<u32>,
}

/// How a step moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It is a list, a loop, branches or a try that goes on.
    Started,
    /// Its `if` did not hold.
    Skipped,
    /// It waits.
    Waiting,
    /// It gave an output.
    Completed,
    /// It raised an error.
    Raised,
    /// Its time passed, or that of a task around it.
    TimedOut,
    /// It was cancelled.
    Cancelled,
}

/// The error of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepError {
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub title: Option<String>,
}

/// What a step waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitsFor {
    /// The run it called.
    Call,
    /// A timer.
    Timer,
    /// An event.
    Event,
    /// The next attempt of a retry.
    Retry,
}

/// An input that was applied: to be recorded, then performed.
#[derive(Debug, Clone)]
pub struct Applied {
    /// The run after it.
    pub state: State,
    /// What moved.
    pub steps: Vec<Step>,
    /// What is to be done.
    pub outputs: Outputs,
    /// The record's data.
    pub data: Value,
    /// The same as JSON text.
    pub text: String,
}

/// A record of a run's log, read.
#[derive(Debug, Clone, Deserialize)]
pub struct Recorded {
    /// The format of the state.
    pub format: u32,
    /// What happened, without what it carried.
    pub input: Value,
    /// What moved.
    #[serde(default)]
    pub steps: Vec<Step>,
    /// The values made by it, by their number.
    #[serde(default)]
    pub values: Map<String, Value>,
    /// The run after it, its values by name.
    pub state: State,
    /// How the run ended, where it did.
    #[serde(default)]
    pub settled: Option<Settled>,
}

/// What a record tells of its input, without the run after it: a list of inputs needs no more.
#[derive(Debug, Clone, Deserialize)]
pub struct Told {
    /// What happened, without what it carried.
    pub input: Value,
    /// What moved.
    #[serde(default)]
    pub steps: Vec<Step>,
    state: After,
}

/// Of the run after an input, whether it goes on.
#[derive(Debug, Clone, Deserialize)]
struct After {
    #[serde(default)]
    root: Option<serde::de::IgnoredAny>,
}

impl Told {
    /// Reads a record's data.
    ///
    /// # Errors
    /// [`Unread`].
    pub fn read(data: &Value) -> Result<Self, Unread> {
        readable(data)?;
        Self::deserialize(data).map_err(|why| Unread::Damaged(why.to_string()))
    }

    /// Whether the run was over after it.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.state.root.is_none()
    }
}

fn readable(data: &Value) -> Result<(), Unread> {
    let format = data.get("format").and_then(Value::as_u64).unwrap_or(0);
    if format > u64::from(FORMAT) { Err(Unread::Newer(u32::try_from(format).unwrap_or(u32::MAX))) } else { Ok(()) }
}

/// A record that this program cannot read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unread {
    /// It was written by a newer program.
    #[error("the run's log has the format {0}, and this program knows the formats up to {FORMAT}")]
    Newer(u32),
    /// It is damaged.
    #[error("a record of the run's log cannot be read: {0}")]
    Damaged(String),
}

impl Recorded {
    /// Reads a record's data.
    ///
    /// # Errors
    /// [`Unread`].
    pub fn read(data: &Value) -> Result<Self, Unread> {
        readable(data)?;
        Self::deserialize(data).map_err(|why| Unread::Damaged(why.to_string()))
    }

    /// A value made by this record.
    #[must_use]
    pub fn value(&self, number: u32) -> Option<&Value> {
        self.values.get(&number.to_string())
    }
}

impl State {
    /// The inputs whose records hold values of this state that are not there yet, oldest first.
    #[must_use]
    pub fn missing(&mut self) -> Vec<u64> {
        let mut inputs: Vec<u64> = Vec::new();
        self.each(&mut |held| {
            if !held.is_filled() {
                inputs.push(held.id().input);
            }
        });
        inputs.sort_unstable();
        inputs.dedup();
        inputs
    }

    /// Fills in the values, each read once however often it is named.
    ///
    /// # Errors
    /// [`Unread::Damaged`] when one is nowhere.
    pub fn fill(&mut self, records: &HashMap<u64, Map<String, Value>>) -> Result<(), Unread> {
        let mut known: HashMap<ValueId, Held> = HashMap::new();
        let mut lost = None;
        self.each(&mut |held| {
            if held.is_filled() {
                return;
            }
            let id = held.id();
            if let Some(filled) = known.get(&id) {
                *held = filled.clone();
                return;
            }
            match records.get(&id.input).and_then(|values| values.get(&id.number.to_string())) {
                Some(value) => {
                    *held = Held::new(id, value.clone());
                    known.insert(id, held.clone());
                }
                None => lost = Some(id),
            }
        });
        match lost {
            Some(id) => Err(Unread::Damaged(format!("the value {id} is nowhere"))),
            None => Ok(()),
        }
    }
}

impl Applied {
    pub(super) fn new(input: &Input, mut state: State, steps: Vec<Step>, outputs: Outputs) -> Self {
        let position = state.inputs;
        let mut made: BTreeMap<u32, Held> = BTreeMap::new();
        state.each(&mut |held| {
            if held.id().input == position {
                made.insert(held.id().number, held.clone());
            }
        });
        let mut values = Map::new();
        for (number, held) in &made {
            values.insert(number.to_string(), held.value().clone());
        }
        // The run's first records name their input by its value, and so does an event that nobody kept.
        if let Input::EventReceived { event } = input {
            values.entry("0").or_insert_with(|| event.clone());
        }
        let mut data = Map::new();
        data.insert("format".into(), FORMAT.into());
        data.insert("input".into(), told(input));
        if !steps.is_empty() {
            data.insert("steps".into(), json!(steps));
        }
        if !values.is_empty() {
            data.insert("values".into(), Value::Object(values));
        }
        if let Some(settled) = &outputs.settle {
            // The output itself stands in the run's own stream.
            data.insert(
                "settled".into(),
                match settled {
                    Settled::Succeeded { .. } => json!({ "status": "succeeded", "output": null }),
                    rejected => json!(rejected),
                },
            );
        }
        let rest = Value::Object(data.clone()).to_string().len() as u64;
        // The state tells its own log's size, this record included but for the number itself.
        state.log_bytes += rest + 256;
        data.insert("state".into(), json!(state));
        let data = Value::Object(data);
        let text = data.to_string();
        Self { state, steps, outputs, data, text }
    }
}

/// What happened, without the values it carried: those stand in the log already, or among the record's values.
fn told(input: &Input) -> Value {
    let mut told = Map::new();
    told.insert("kind".into(), input.word().into());
    match input {
        Input::Started { .. } => {}
        Input::TimerFired { timer } => {
            told.insert("timer".into(), (*timer).into());
        }
        Input::CallAnswered { call, answer } => {
            told.insert("call".into(), (*call).into());
            let mut answered = match answer {
                Answer::Succeeded { .. } => json!({ "status": "succeeded" }),
                other => json!(other),
            };
            if let Some(answered) = answered.as_object_mut() {
                told.append(answered);
            }
        }
        Input::EventReceived { event } => {
            told.insert("type".into(), event.get("type").cloned().unwrap_or_default());
            told.insert("id".into(), event.get("id").cloned().unwrap_or_default());
        }
        Input::EventOffered { listener, filter, event, record } => {
            told.insert("listener".into(), (*listener).into());
            told.insert("filter".into(), (*filter).into());
            told.insert("type".into(), event.get("type").cloned().unwrap_or_default());
            told.insert("record".into(), record.clone().into());
        }
        Input::CancelRequested { why, reason } => {
            told.insert("because".into(), why.word().into());
            if let Some(reason) = reason {
                told.insert("reason".into(), reason.clone().into());
            }
        }
    }
    Value::Object(told)
}
