//! How the later calls of a fork are answered, as a person chose it.

use crate::call::invalid_at;
use playbook_definition::workflow::Kind;
use playbook_engine::workflow::again::Turn;
use playbook_engine::workflow::{Answer, Program};
use playbook_model::ending::{Kind as Why, Reason, Rejection};
use playbook_model::json;
use playbook_model::limits::VALUE_LEVELS;
use playbook_model::refusal::Refusal;
use playbook_model::word::{nearest, or};
use serde::Deserialize;
use serde_json::{Map, Value};

/// Where a call's answer comes from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Source {
    /// What was recorded.
    Recorded,
    /// It is really performed, beside the log.
    Live,
    /// What a person wrote.
    Written(Answer),
}

/// What was chosen for the calls of one task.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Choice {
    /// The task's name or its reference.
    task: String,
    /// The nth call of it; every one when left out.
    run: Option<u32>,
    source: Source,
}

/// How a fork goes.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Plan {
    /// The input it forks at, from 1.
    pub(crate) at: u64,
    /// Whether every later call that only computes or recalls is performed.
    pub(crate) live: bool,
    pub(crate) choices: Vec<Choice>,
}

impl Plan {
    /// Reads `at`, `live` and `calls`: a list of `task`, perhaps `run`, and `source` with `output` or `rejected`.
    ///
    /// # Errors
    /// What cannot be taken, at its place.
    pub(crate) fn read(given: &Map<String, Value>) -> Result<Self, Refusal> {
        let at = given.get("at").and_then(Value::as_u64).filter(|at| *at > 0);
        let at = at.ok_or_else(|| invalid_at("/at", "Expected the number of an input, from 1, as at"))?;
        let live = match given.get("live") {
            None | Some(Value::Null) => false,
            Some(Value::Bool(live)) => *live,
            Some(_) => return Err(invalid_at("/live", "Expected true or false as live")),
        };
        let items = match given.get("calls") {
            None | Some(Value::Null) => &[],
            Some(Value::Array(items)) => items.as_slice(),
            Some(_) => return Err(invalid_at("/calls", "Expected a list of calls, each with its task and source")),
        };
        let choices = items.iter().enumerate().map(|(at, item)| choice(&format!("/calls/{at}"), item));
        Ok(Self { at, live, choices: choices.collect::<Result<_, _>>()? })
    }

    /// That every choice is of a task that calls.
    ///
    /// # Errors
    /// The first that is not, with the name that was probably meant.
    pub(crate) fn fits(&self, program: &Program) -> Result<(), Refusal> {
        let calls: Vec<_> = program.details().tasks.iter().filter(|task| matches!(task.kind, Kind::Call(_))).collect();
        for (at, choice) in self.choices.iter().enumerate() {
            if calls.iter().any(|task| task.name == choice.task || task.reference == choice.task) {
                continue;
            }
            let near = nearest(&choice.task, calls.iter().map(|task| task.name.as_str()));
            let hint = match (near, calls.as_slice()) {
                (Some(near), _) => format!("; did you mean {near}?"),
                (None, []) => "; it has none".to_owned(),
                (None, calls) => {
                    let names: Vec<&str> = calls.iter().map(|task| task.name.as_str()).collect();
                    format!("; its calls are {}", names.join(", "))
                }
            };
            let words = format!("The workflow has no call named {}{hint}", choice.task);
            return Err(invalid_at(&format!("/calls/{at}/task"), words));
        }
        Ok(())
    }

    /// What was chosen for a call; that of its very turn before that of every turn.
    pub(crate) fn source(&self, turn: &Turn) -> Option<&Source> {
        let of = |choice: &&Choice| choice.task == turn.name || choice.task == turn.reference;
        let own = self.choices.iter().filter(of).find(|choice| choice.run == Some(turn.run));
        let every = || self.choices.iter().filter(of).find(|choice| choice.run.is_none());
        own.or_else(every).map(|choice| &choice.source)
    }
}

fn choice(pointer: &str, item: &Value) -> Result<Choice, Refusal> {
    let at = |name: &str| format!("{pointer}/{name}");
    let task = item["task"].as_str().filter(|task| !task.is_empty());
    let task = task.ok_or_else(|| invalid_at(&at("task"), "Expected the name of the task that calls, as task"))?;
    let run = match item.get("run") {
        None | Some(Value::Null) => None,
        Some(run) => match run.as_u64().and_then(|run| u32::try_from(run).ok()).filter(|run| *run > 0) {
            Some(run) => Some(run),
            None => return Err(invalid_at(&at("run"), "Expected which call of the task, from 1, as run")),
        },
    };
    let source = match item["source"].as_str() {
        Some("recorded") => Source::Recorded,
        Some("live") => Source::Live,
        Some("written") => Source::Written(written(pointer, item)?),
        _ => return Err(invalid_at(&at("source"), "Expected recorded, live or written as source")),
    };
    Ok(Choice { task: task.to_owned(), run, source })
}

fn written(pointer: &str, item: &Value) -> Result<Answer, Refusal> {
    match (item.get("output"), item.get("rejected")) {
        (Some(output), None) => {
            if json::depth(output) > VALUE_LEVELS {
                let words = format!("Expected an output of at most {VALUE_LEVELS} levels");
                return Err(invalid_at(&format!("{pointer}/output"), words));
            }
            Ok(Answer::Succeeded { output: output.clone() })
        }
        (None, Some(rejected)) => {
            let rejection = rejection(rejected).map_err(|why| invalid_at(&format!("{pointer}/rejected"), why))?;
            Ok(Answer::Rejected { rejection })
        }
        _ => Err(invalid_at(pointer, "A written answer is an output, or rejected with a reason; write one of both")),
    }
}

/// The reasons a called run may be rejected for.
const REASONS: [Reason; 6] = [
    Reason::InvalidInput,
    Reason::Conflict,
    Reason::Unavailable,
    Reason::Cancelled,
    Reason::Unanswered,
    Reason::NotFound,
];

/// Reads `reason`, perhaps `kind`, and `detail`; a text alone is the reason, with a kind behind a slash.
fn rejection(value: &Value) -> Result<Rejection, String> {
    let (reason, kind, detail) = match value {
        Value::String(text) => match text.split_once('/') {
            Some((reason, kind)) => (Some(reason), Some(kind), None),
            None => (Some(text.as_str()), None, None),
        },
        _ => (value["reason"].as_str(), value["kind"].as_str(), value["detail"].as_str()),
    };
    let words: Vec<&str> = REASONS.iter().map(|reason| reason.word()).collect();
    let known = REASONS.into_iter().find(|known| Some(known.word()) == reason);
    let known = known.ok_or_else(|| format!("Expected {} as the reason of the refusal", or(&words)))?;
    let mut rejection = Rejection::new(known, detail.unwrap_or("Written by the person who forked the run"));
    if let Some(kind) = kind {
        let read = Why::deserialize(Value::from(kind)).map_err(|_| format!("{kind} is no kind of refusal"))?;
        rejection.kind = Some(read);
    }
    Ok(rejection)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(given: Value) -> Result<Plan, String> {
        let Value::Object(given) = given else { panic!("an object") };
        Plan::read(&given).map_err(|refusal| match refusal {
            Refusal::Rejected(rejection) => rejection.issues[0].pointer.clone(),
            Refusal::Incident { id } => id,
        })
    }

    #[test]
    fn what_cannot_be_taken_is_told_at_its_place() {
        for (given, pointer) in [
            (json!({}), "/at"),
            (json!({ "at": 0 }), "/at"),
            (json!({ "at": 1, "live": 1 }), "/live"),
            (json!({ "at": 1, "calls": {} }), "/calls"),
            (json!({ "at": 1, "calls": [{}] }), "/calls/0/task"),
            (json!({ "at": 1, "calls": [{ "task": "a" }] }), "/calls/0/source"),
            (json!({ "at": 1, "calls": [{ "task": "a", "source": "live", "run": 0 }] }), "/calls/0/run"),
            (json!({ "at": 1, "calls": [{ "task": "a", "source": "written" }] }), "/calls/0"),
            (
                json!({ "at": 1, "calls": [{ "task": "a", "source": "written", "output": 1, "rejected": "x" }] }),
                "/calls/0",
            ),
            (json!({ "at": 1, "calls": [{ "task": "a", "source": "written", "rejected": "x" }] }), "/calls/0/rejected"),
            (
                json!({ "at": 1, "calls": [{ "task": "a", "source": "written", "rejected": "conflict/x" }] }),
                "/calls/0/rejected",
            ),
        ] {
            assert_eq!(read(given.clone()), Err(pointer.to_owned()), "{given}");
        }
    }

    #[test]
    fn the_choice_of_a_turn_goes_before_that_of_the_task() {
        let calls = json!([
            { "task": "a", "source": "live" },
            { "task": "a", "run": 2, "source": "written", "rejected": "unanswered/expired" },
        ]);
        let plan = read(json!({ "at": 3, "calls": calls })).expect("a plan");
        let source = |run| plan.source(&Turn { reference: "/do/0/a".into(), name: "a".into(), run }).cloned();
        assert_eq!(source(1), Some(Source::Live));
        let Some(Source::Written(Answer::Rejected { rejection })) = source(2) else { panic!("{plan:?}") };
        assert_eq!((rejection.reason, rejection.kind), (Reason::Unanswered, Some(Why::Expired)));
    }
}
