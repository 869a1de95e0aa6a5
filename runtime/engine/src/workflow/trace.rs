//! What happened while one input was applied, stop by stop: seen by applying it again to the state before it.

use super::fault::Fault;
use super::machine::{Seen, Trace};
use super::program::Program;
use super::record::Step;
use playbook_definition::workflow::ExpressionId;
use serde_json::Value;

/// An expression as it was evaluated.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// Where it stands in the document.
    pub pointer: String,
    /// As it is written.
    pub text: String,
    /// Its value, or the error it raised.
    pub value: Result<Value, Fault>,
    /// Checkpoints it spent.
    pub work: u32,
}

/// A task as it moved.
#[derive(Debug, Clone, PartialEq)]
pub struct Stop {
    /// How it moved.
    pub step: Step,
    /// `$input`.
    pub input: Option<Value>,
    /// What it handed on.
    pub output: Option<Value>,
    /// `$context`.
    pub context: Option<Value>,
    /// The names of loops and caught errors around it, each with its `$`.
    pub names: Vec<(String, Value)>,
    /// What was evaluated since the stop before.
    pub evaluations: Vec<Evaluation>,
}

/// Writes down every stop.
#[derive(Debug)]
pub struct Stops<'p> {
    program: &'p Program,
    /// In the order they happened.
    pub stops: Vec<Stop>,
    /// What was evaluated after the last of them.
    pub rest: Vec<Evaluation>,
}

impl<'p> Stops<'p> {
    /// Nothing seen yet.
    #[must_use]
    pub fn new(program: &'p Program) -> Self {
        Self { program, stops: Vec::new(), rest: Vec::new() }
    }
}

impl Trace for Stops<'_> {
    fn expression(&mut self, id: ExpressionId, value: Result<&Value, &Fault>, work: u32) {
        let expression = self.program.expression(id);
        self.rest.push(Evaluation {
            pointer: expression.pointer.clone(),
            text: expression.text.clone(),
            value: value.cloned().map_err(Clone::clone),
            work,
        });
    }

    fn step(&mut self, step: &Step, seen: Seen<'_>) {
        self.stops.push(Stop {
            step: step.clone(),
            input: seen.input.cloned(),
            output: seen.output.cloned(),
            context: seen.context.cloned(),
            names: seen.names.iter().map(|(name, held)| (name.clone(), held.value().clone())).collect(),
            evaluations: std::mem::take(&mut self.rest),
        });
    }
}
