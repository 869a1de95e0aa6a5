//! A recorded run of a workflow taken up again: replayed on another version, forked into a scratch run, kept as a test.
//!
//! Everything happens in memory and beside the log: nothing is recorded, nobody is asked, no event reaches anyone.

mod answers;
mod fork;
mod keep;
mod plan;
mod player;
mod replay;
mod told;

pub(crate) use player::{Player, start_at, waiting};

use crate::steps::Looked;
use playbook_definition::workflow::outline;
use playbook_engine::run::Ended;
use playbook_engine::workflow::again::{Difference, Turn};
use playbook_engine::workflow::{Program, Settled, State};
use playbook_model::ending::Ending;
use playbook_model::json;
use playbook_model::position::LineIndex;
use serde_json::{Map, Value, json};

/// Bytes of a value that is told beside a difference.
const VALUE_BYTES: usize = 65_536;

/// A first difference, for people and programs. `recorded` and `now` are the sources that the lines are of.
fn difference_view(difference: &Difference, position: u64, recorded: &str, now: &str) -> Value {
    let mut view = Map::new();
    view.insert("position".into(), position.into());
    view.insert("what".into(), json!(difference.what));
    let mut place = |name: &str, turn: Option<&Turn>, source: &str| {
        if let Some(turn) = turn {
            let at = json!({
                "reference": turn.reference,
                "name": turn.name,
                "run": turn.run,
                "line": line(source, &turn.reference),
            });
            view.insert(name.into(), at);
        }
    };
    place("recorded_task", difference.recorded_task.as_ref(), recorded);
    place("task", difference.task.as_ref(), now);
    view.insert("recorded".into(), difference.recorded.clone().into());
    view.insert("now".into(), difference.now.clone().into());
    if let Some((before, after)) = &difference.values {
        view.insert("before".into(), shown(before));
        view.insert("after".into(), shown(after));
    }
    view.insert("sentence".into(), sentence(difference, position, now).into());
    Value::Object(view)
}

/// A first difference with its place, as sentences.
fn sentence(difference: &Difference, position: u64, now: &str) -> String {
    let place = difference.task.as_ref().map(|turn| match line(now, &turn.reference) {
        Some(line) => format!(" at {} (line {line})", turn.name),
        None => format!(" at {}", turn.name),
    });
    format!("The first difference is at input {position}{}. {}", place.unwrap_or_default(), difference.sentence())
}

/// The line of a task in a text.
pub(crate) fn line(source: &str, reference: &str) -> Option<u32> {
    let outline = outline(source)?;
    let task = outline.tasks.iter().find(|task| task.pointer == reference)?;
    Some(LineIndex::new(source).place(task.key.start).line)
}

/// A value, or how large it is and how it begins.
fn shown(value: &Value) -> Value {
    shown_within(value, VALUE_BYTES)
}

/// A value of at most so many bytes, or how large it is and how it begins.
fn shown_within(value: &Value, most: usize) -> Value {
    let bytes = json::bytes(value);
    if bytes <= most {
        return value.clone();
    }
    json!({ "bytes": bytes, "head": json::cut(&value.to_string(), 2_000) })
}

/// How a run ended, or what it waits for.
fn ending_view(program: &Program, state: Option<&State>, settled: Option<&Settled>) -> Value {
    match settled {
        Some(Settled::Succeeded { output }) => json!({ "status": "succeeded", "output": shown(output) }),
        Some(Settled::Rejected { rejection }) => json!({ "status": "rejected", "rejection": rejection }),
        None => json!({ "status": "waiting", "waits": state.map(|state| waiting(program, state)) }),
    }
}

/// How the recorded run stands.
fn recorded_view(looked: &Looked) -> Value {
    match (looked.own.ended.as_ref().map(|ended| &ended.ending), recorded_settled(looked)) {
        (_, Some(settled)) => ending_view(&looked.program, None, Some(&settled)),
        (Some(_), None) => json!({ "status": "failed" }),
        (None, None) => json!({ "status": "waiting" }),
    }
}

/// How a recorded run ended; none for one that goes on.
fn recorded_settled(looked: &Looked) -> Option<Settled> {
    match looked.own.ended.as_ref() {
        Some(Ended { ending: Ending::Succeeded { output, .. }, .. }) => {
            Some(Settled::Succeeded { output: output.clone() })
        }
        Some(Ended { ending: Ending::Rejected(rejection), .. }) => {
            Some(Settled::Rejected { rejection: rejection.clone() })
        }
        _ => None,
    }
}
