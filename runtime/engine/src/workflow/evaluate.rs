//! Expressions: what each place may name, and what a failing one raises. "Expressions".

use super::fault::{Fault, Short};
use super::machine::{Broken, Machine};
use super::value::Held;
use playbook_definition::workflow::{ExpressionId, Task, Template};
use playbook_model::time::Moment;
use playbook_model::{json, limits};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Evaluates expressions of one program for one input. Its deadline and its sandbox are its own affair.
pub trait Evaluate {
    /// Evaluates one expression.
    ///
    /// # Errors
    /// [`Stopped`].
    fn evaluate(&mut self, ask: Ask<'_>) -> Result<Evaluated, Stopped>;
}

/// One expression to evaluate.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// Which.
    pub expression: ExpressionId,
    /// Each name that it mentions, with its value as JSON.
    pub variables: &'a [(&'a str, Arc<str>)],
    /// What `Date.now()` gives.
    pub clock: Moment,
    /// The checkpoints it may spend.
    pub work: u32,
}

/// What an expression gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluated {
    /// Its value; `undefined` is null, at the top or as a member.
    pub value: Value,
    /// Checkpoints spent.
    pub work: u32,
}

/// Why an expression gave no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stopped {
    /// It raised an error.
    Raised(String),
    /// It gave what JSON cannot carry, or too deep: where and what, for people.
    Unfit(String),
    /// It did more than its work.
    Work,
    /// The input's expressions took more than their time.
    Time,
    /// They took more than their memory.
    Memory,
    /// It gave more than a run may hold.
    TooLarge,
    /// Nothing evaluated it; nothing is decided.
    Lost(String),
}

/// What the names of a place stand for.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place<'a> {
    pub(super) data: Option<&'a Held>,
    pub(super) input: Option<&'a Held>,
    pub(super) output: Option<&'a Held>,
    pub(super) context: Option<&'a Held>,
    pub(super) task: Option<At<'a>>,
}

/// The task a place belongs to.
#[derive(Debug, Clone, Copy)]
pub(super) struct At<'a> {
    pub(super) task: &'a Task,
    pub(super) raw: &'a Held,
    pub(super) started: Moment,
    pub(super) output: Option<&'a Held>,
}

/// The task's place, or that of the document.
fn instance<'a>(place: &Place<'a>) -> &'a str {
    place.task.map_or("", |at| at.task.reference.as_str())
}

impl Machine<'_> {
    /// The value of an expression.
    pub(super) fn expression(&mut self, id: ExpressionId, place: Place<'_>) -> Result<Value, Broken> {
        let plain = self.program.plain(id, |name| match name {
            "$data" => place.data.map(Held::value),
            "$input" => place.input.map(Held::value),
            "$output" => place.output.map(Held::value),
            "$context" => place.context.map(Held::value),
            other => self.scope.iter().rev().find(|(known, _)| known == other).map(|(_, held)| held.value()),
        });
        if let Some(value) = plain {
            let value = value.clone();
            self.traced(id, Ok(&value), 0);
            return Ok(value);
        }
        let program = self.program;
        let expression = program.expression(id);
        let variables: Vec<(&str, Arc<str>)> =
            expression.names.iter().map(|name| (name.as_str(), self.variable(name, &place))).collect();
        let work = limits::EXPRESSION_WORK.min(limits::INPUT_WORK.saturating_sub(self.work));
        let ask = Ask { expression: id, variables: &variables, clock: self.at, work };
        match self.evaluator.evaluate(ask) {
            Ok(Evaluated { value, work }) => {
                self.work += work;
                self.traced(id, Ok(&value), work);
                Ok(value)
            }
            Err(stopped) => {
                if stopped == Stopped::Work {
                    self.work += work;
                }
                let broken = failed(&stopped, &expression.pointer, instance(&place));
                if let Broken::Fault(fault) = &broken {
                    self.traced(id, Err(fault), work);
                }
                Err(broken)
            }
        }
    }

    /// Whether a condition holds: unless it gives false or null.
    pub(super) fn holds(&mut self, id: ExpressionId, place: Place<'_>) -> Result<bool, Broken> {
        Ok(!matches!(self.expression(id, place)?, Value::Null | Value::Bool(false)))
    }

    /// A template with its expressions evaluated.
    pub(super) fn template(&mut self, template: &Template, place: Place<'_>) -> Result<Value, Broken> {
        let value = self.written(template, place)?;
        if json::depth(&value) > limits::VALUE_LEVELS {
            let words = format!("A value may nest at most {} levels", limits::VALUE_LEVELS);
            let fault = Fault::short(Short::Expression, 400, instance(&place), "A value nests too deep").detail(words);
            return Err(fault.into());
        }
        Ok(value)
    }

    fn written(&mut self, template: &Template, place: Place<'_>) -> Result<Value, Broken> {
        Ok(match template {
            Template::Value(value) => value.clone(),
            Template::Expression(id) => self.expression(*id, place)?,
            Template::List(items) => {
                let items: Result<Vec<Value>, Broken> = items.iter().map(|item| self.written(item, place)).collect();
                Value::Array(items?)
            }
            Template::Object(members) => {
                let mut object = Map::new();
                for (name, member) in members {
                    object.insert(name.clone(), self.written(member, place)?);
                }
                Value::Object(object)
            }
        })
    }

    /// A template's value, held.
    pub(super) fn held(&mut self, template: &Template, place: Place<'_>) -> Result<Held, Broken> {
        // A value that is handed on as it is keeps its name.
        if let Template::Expression(id) = template
            && let Some(same) = self.same(*id, &place)
        {
            return Ok(same);
        }
        let value = self.template(template, place)?;
        Ok(self.hold(value))
    }

    /// The held value that an expression such as `$data` names.
    fn same(&self, id: ExpressionId, place: &Place<'_>) -> Option<Held> {
        let held = match self.program.expression(id).stripped.trim() {
            "$data" => place.data,
            "$input" => place.input,
            "$output" => place.output,
            "$context" => place.context,
            _ => None,
        };
        held.cloned()
    }

    fn variable(&self, name: &str, place: &Place<'_>) -> Arc<str> {
        let held = |held: Option<&Held>| held.map_or_else(|| "null".into(), Held::text);
        match name {
            "$data" => held(place.data),
            "$input" => held(place.input),
            "$output" => held(place.output),
            "$context" => held(place.context),
            "$task" => place.task.map_or_else(|| "null".into(), |at| self.task_variable(at).to_string().into()),
            "$workflow" => self.workflow_variable().to_string().into(),
            "$runtime" => RUNTIME.into(),
            other => held(self.scope.iter().rev().find(|(known, _)| known == other).map(|(_, held)| held)),
        }
    }

    fn task_variable(&self, at: At<'_>) -> Value {
        let definition = self.program.details().document.pointer(&at.task.reference).cloned().unwrap_or_default();
        let mut task = json!({
            "name": at.task.name,
            "reference": at.task.reference,
            "definition": definition,
            "input": at.raw.value(),
            "startedAt": moment(at.started),
        });
        if let (Some(output), Some(members)) = (at.output, task.as_object_mut()) {
            members.insert("output".into(), output.value().clone());
        }
        task
    }

    fn workflow_variable(&self) -> Value {
        json!({
            "id": self.start.run_id,
            "definition": self.program.details().document,
            "input": self.state.input.value(),
            "startedAt": moment(self.state.started),
        })
    }
}

/// `$runtime`.
const RUNTIME: &str =
    concat!(r#"{"name":"auto-runtime","version":""#, env!("CARGO_PKG_VERSION"), r#"","metadata":{"type":"workflow"}}"#);

/// A `startedAt`.
fn moment(at: Moment) -> Value {
    json!({
        "iso8601": at.iso(),
        "epoch": { "seconds": at.0.div_euclid(1_000), "milliseconds": at.0 },
    })
}

fn failed(stopped: &Stopped, pointer: &str, instance: &str) -> Broken {
    let limit =
        |title: &str| Fault::short(Short::Runtime, 500, instance, title).detail(format!("It stands at {pointer}."));
    let fault = match stopped {
        Stopped::Raised(message) => Fault::short(Short::Expression, 400, instance, "An expression failed")
            .detail(format!("{message} (at {pointer})")),
        Stopped::Unfit(what) => Fault::short(Short::Expression, 400, instance, "An expression gave no JSON")
            .detail(format!("It gave {what} (at {pointer})")),
        Stopped::Work => limit("An expression did more than its work"),
        Stopped::Time => limit("An expression took longer than its time"),
        Stopped::Memory => limit("An expression used more than its memory"),
        Stopped::TooLarge => {
            let fault = Fault::limit(instance, "An expression gave more than a run may hold");
            return Broken::Limit(Box::new(fault.detail(format!("It stands at {pointer}."))));
        }
        Stopped::Lost(why) => return Broken::Lost(why.clone()),
    };
    fault.into()
}
