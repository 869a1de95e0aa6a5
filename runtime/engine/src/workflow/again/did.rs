//! What one input did, as far as it can be compared with what another did.

use super::happened::Turn;
use crate::workflow::input::Called;
use crate::workflow::output::{Outputs, Settled};
use crate::workflow::program::Program;
use crate::workflow::record::Step;
use crate::workflow::trace::Stop;
use serde_json::Value;

/// What an input did.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Did {
    /// The steps that moved, in order.
    pub moved: Vec<Moved>,
    /// The calls that it made.
    pub calls: Vec<Asked>,
    /// The events that it emitted, each without its id and time, which are made up.
    pub emitted: Vec<Value>,
    /// The types of events that it began to listen for.
    pub listens: Vec<(String, Vec<String>)>,
    /// How the run ended.
    pub settled: Option<Settled>,
}

/// A step that moved.
#[derive(Debug, Clone, PartialEq)]
pub struct Moved {
    /// The task.
    pub turn: Turn,
    /// How it moved.
    pub step: Step,
    /// What it handed on.
    pub output: Option<Value>,
}

/// A call that was made.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// Its number in the run.
    pub call: u64,
    /// The task.
    pub turn: Turn,
    /// What it calls.
    pub called: Called,
    /// On which input.
    pub input: Value,
}

impl Turn {
    /// The nth run of the task at a reference.
    #[must_use]
    pub fn of(program: &Program, reference: &str, run: u32) -> Self {
        let task = program.details().tasks.iter().find(|task| task.reference == reference);
        let name = task.map_or_else(|| reference.to_owned(), |task| task.name.clone());
        Self { reference: reference.to_owned(), name, run }
    }
}

impl Did {
    /// What was seen of an input while it was applied, and what it led to.
    #[must_use]
    pub fn of(program: &Program, stops: &[Stop], outputs: &Outputs) -> Self {
        let moved = |stop: &Stop| Moved {
            turn: Turn::of(program, &stop.step.reference, stop.step.run),
            step: stop.step.clone(),
            output: stop.output.clone(),
        };
        let calls = outputs.calls.iter().map(|call| Asked {
            call: call.call,
            turn: Turn::of(program, &call.reference, call.run),
            called: call.called.clone(),
            input: call.input.value().clone(),
        });
        let emitted = outputs.emit.iter().map(|emitted| {
            let mut event = serde_json::to_value(&emitted.event.event).unwrap_or_default();
            if let Some(members) = event.as_object_mut() {
                for name in &emitted.event.filled {
                    members.remove(name);
                }
            }
            event
        });
        let listens = outputs.listen.iter().map(|listener| {
            let turn = Turn::of(program, &listener.reference, 1);
            (turn.name, listener.types.iter().map(|(_, kind)| kind.clone()).collect())
        });
        Self {
            moved: stops.iter().map(moved).collect(),
            calls: calls.collect(),
            emitted: emitted.collect(),
            listens: listens.collect(),
            settled: outputs.settle.clone(),
        }
    }
}
