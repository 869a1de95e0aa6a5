//! What one input did, stop by stop, and expressions asked on what a stop held.

use super::Looked;
use super::known::Known;
use crate::call::invalid_at;
use crate::runtime::{Runtime, incident};
use crate::workflows::{Bridge, evaluate_once};
use playbook_engine::workflow::{Applied, Evaluation, Outcome, Stop, Stopped, Stops, Trace, apply};
use playbook_model::id::{PlaybookKey, RunId};
use playbook_model::json;
use playbook_model::limits;
use playbook_model::refusal::Refusal;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The largest value shown whole, in bytes as JSON.
const WHOLE: usize = 65_536;
/// Characters shown of a larger one.
const HEAD: usize = 2_000;

/// An input that was applied again.
pub(crate) struct Again {
    pub(crate) known: Known,
    pub(crate) stops: Vec<Stop>,
    /// What was evaluated after the last stop.
    pub(crate) rest: Vec<Evaluation>,
    pub(crate) applied: Applied,
}

impl Runtime {
    /// Applies a recorded input again to the state before it, and sees what it does. Records nothing.
    pub(crate) async fn again(&self, looked: &Looked, position: u64) -> Result<Again, Refusal> {
        let known = self.known_input(looked, position).await?;
        let program = looked.program.clone();
        let mut bridge = Bridge::again(tokio::runtime::Handle::current(), self.pool(), program.clone());
        let seen = tokio::task::spawn_blocking(move || {
            let mut stops = Stops::new(&program);
            let at = known.record.context.at;
            let trace: &mut dyn Trace = &mut stops;
            let applied = apply(&program, known.before.as_ref(), &known.input, at, &mut bridge, Some(trace));
            let Stops { stops, rest, .. } = stops;
            (known, applied, stops, rest)
        });
        let (known, applied, stops, rest) =
            seen.await.map_err(|why| incident(&format!("applying an input again broke down: {why}")))?;
        let applied = applied.map_err(|why| incident(&format!("input {position} of {}: {why:?}", looked.run)))?;
        Ok(Again { known, stops, rest, applied })
    }

    /// What one input of a run did: the stops of its tasks, with what each held.
    ///
    /// # Errors
    /// [`Refusal`]: there is no such run or input, or it cannot be read.
    pub async fn run_input(&self, playbook: &PlaybookKey, run: RunId, position: u64) -> Result<Value, Refusal> {
        let looked = self.look(playbook, run).await?;
        let again = self.again(&looked, position).await?;
        let Again { known, stops, rest, applied } = &again;
        let lit: Vec<&str> =
            applied.state.runs.keys().map(|task| looked.program.task(*task).reference.as_str()).collect();
        let mut given = serde_json::to_value(&known.input).expect("an input holds nothing JSON cannot");
        if let Some(members) = given.as_object_mut() {
            members.remove("start");
            members.values_mut().for_each(|value| *value = shown(value));
        }
        Ok(json!({
            "position": position,
            "at": known.record.context.at.iso(),
            "kind": known.input.word(),
            "input": given,
            "stops": stops.iter().map(|stop| stop_view(&looked, stop)).collect::<Vec<_>>(),
            "rest": rest.iter().map(evaluation).collect::<Vec<_>>(),
            "settled": applied.outputs.settle,
            "lit": lit,
            // Whether it does today what it did then.
            "same": applied.data == known.record.data,
        }))
    }

    /// The value of an expression on what a stop held. Records nothing.
    ///
    /// # Errors
    /// [`Refusal`]: there is no such run, input or stop, or the text is no expression.
    pub async fn evaluate_at(
        &self,
        playbook: &PlaybookKey,
        run: RunId,
        position: u64,
        stop: usize,
        text: &str,
    ) -> Result<Value, Refusal> {
        let text = text.trim();
        let text = text.strip_prefix("${").and_then(|text| text.strip_suffix('}')).unwrap_or(text).trim();
        let looked = self.look(playbook, run).await?;
        let again = self.again(&looked, position).await?;
        let Some(stop) = again.stops.get(stop) else {
            return Err(invalid_at("/stop", format!("Expected a stop below {}", again.stops.len())));
        };
        let names = names(stop);
        let first = |found: Vec<playbook_typescript::Diagnostic>| {
            let words = found.into_iter().next().map_or_else(|| "It is not an expression".into(), |one| one.message);
            json!({ "error": words })
        };
        if let Err(found) = playbook_typescript::expression(text) {
            return Ok(first(found));
        }
        let stripped = match playbook_typescript::strip_expression(text) {
            Ok(stripped) => stripped,
            Err(found) => return Ok(first(vec![found])),
        };
        let variables = names.into_iter().map(|(name, value)| (name, value.to_string())).collect();
        let clock = again.known.record.context.at;
        Ok(match evaluate_once(&self.pool(), stripped, variables, clock).await {
            Ok(evaluated) => json!({ "value": evaluated.value, "work": evaluated.work }),
            Err(Stopped::Raised(words) | Stopped::Unfit(words)) => json!({ "error": words }),
            Err(Stopped::Work) => {
                json!({ "error": format!("It did more than {} checkpoints of work", limits::EXPRESSION_WORK) })
            }
            Err(Stopped::Time) => json!({ "error": "It took more than 2 seconds" }),
            Err(Stopped::Memory) => json!({ "error": "It used more than 64 MiB of memory" }),
            Err(Stopped::TooLarge) => json!({ "error": "It gave more than a run may hold" }),
            Err(Stopped::Lost(why)) => return Err(incident(&why)),
        })
    }
}

/// The names that an expression may use at a stop.
fn names(stop: &Stop) -> BTreeMap<String, Value> {
    let mut names: BTreeMap<String, Value> = stop.names.iter().cloned().collect();
    let mut name = |name: &str, value: &Option<Value>| {
        if let Some(value) = value {
            names.insert(name.to_owned(), value.clone());
        }
    };
    name("$input", &stop.input);
    name("$output", &stop.output);
    name("$context", &stop.context);
    let data = if stop.output.is_some() { &stop.output } else { &stop.input };
    name("$data", data);
    names
}

fn stop_view(looked: &Looked, stop: &Stop) -> Value {
    let step = &stop.step;
    let mut view = Map::new();
    view.insert("reference".into(), step.reference.clone().into());
    view.insert("name".into(), looked.name(&step.reference).into());
    view.insert("run".into(), step.run.into());
    view.insert("outcome".into(), json!(step.outcome));
    for (name, value) in [("input", &stop.input), ("output", &stop.output), ("context", &stop.context)] {
        if let Some(value) = value {
            view.insert(name.into(), shown(value));
        }
    }
    let data = if stop.output.is_some() { &stop.output } else { &stop.input };
    if let Some(data) = data {
        view.insert("data".into(), shown(data));
    }
    if step.outcome == Outcome::Raised
        && let Some(error) = &step.error
    {
        view.insert("error".into(), json!(error));
    }
    let mut items = Map::new();
    for (name, value) in &stop.names {
        if name == "$error" {
            view.entry("error").or_insert_with(|| shown(value));
        } else {
            items.insert(name.trim_start_matches('$').to_owned(), shown(value));
        }
    }
    if !items.is_empty() {
        view.insert("item".into(), Value::Object(items));
    }
    if let Some(until) = step.until {
        view.insert("until".into(), playbook_model::time::Moment(until).iso().into());
    }
    view.insert("expressions".into(), stop.evaluations.iter().map(evaluation).collect());
    Value::Object(view)
}

fn evaluation(evaluation: &Evaluation) -> Value {
    let mut view = Map::new();
    view.insert("pointer".into(), evaluation.pointer.clone().into());
    view.insert("text".into(), evaluation.text.clone().into());
    match &evaluation.value {
        Ok(value) => view.insert("value".into(), shown(value)),
        Err(fault) => {
            let words = fault.detail.clone().or_else(|| fault.title.clone()).unwrap_or_else(|| fault.kind_uri.clone());
            view.insert("error".into(), words.into())
        }
    };
    view.insert("work".into(), evaluation.work.into());
    Value::Object(view)
}

/// A value, or how large it is and how it begins.
fn shown(value: &Value) -> Value {
    let bytes = json::bytes(value);
    if bytes <= WHOLE {
        return value.clone();
    }
    let head: String = value.to_string().chars().take(HEAD).collect();
    json!({ "bytes": bytes, "head": head })
}
