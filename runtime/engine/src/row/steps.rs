//! The steps that an input of a workflow's run moved, each as a row of the history beside the record's own.
//!
//! They are read off the record and stored nowhere else.

use crate::workflow::{Outcome, Step, WaitsFor};
use playbook_model::json;
use playbook_model::limits::CALL_REFERENCE_BYTES;
use playbook_model::record::Context;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The types of these rows.
pub const STEP_KINDS: [&str; 5] = ["step_started", "step_waiting", "step_finished", "step_failed", "step_skipped"];

/// A step as a row.
#[derive(Debug, Clone, PartialEq)]
pub struct StepRow {
    /// Its type: one of [`STEP_KINDS`].
    pub kind: &'static str,
    /// Its sentence.
    pub summary: String,
    /// Its data.
    pub data: Value,
}

/// The rows of the steps that a recorded input moved, in its order. `data` is the record's; none where it names none.
///
/// A list, loop, branches or try that began and ended in the input shows only its end. `times` counts from 1 how often a
/// step moved that way within the input.
#[must_use]
pub fn steps(data: &Value, context: &Context) -> Vec<StepRow> {
    let read = |step: &Value| serde_json::from_value::<Step>(step.clone()).ok();
    let steps: Vec<Step> = data["steps"].as_array().into_iter().flatten().filter_map(read).collect();
    let workflow = context.definition.as_ref().map_or("unknown", |about| about.name.as_str());
    let ended: HashMap<(&str, u32), usize> = steps
        .iter()
        .enumerate()
        .filter(|(_, step)| !matches!(step.outcome, Outcome::Started | Outcome::Waiting))
        .map(|(at, step)| ((step.reference.as_str(), step.run), at))
        .collect();
    let mut counted: HashMap<(&str, u32, &str), u32> = HashMap::new();
    let mut rows = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        let goes_on = matches!(step.outcome, Outcome::Started);
        if goes_on && ended.get(&(step.reference.as_str(), step.run)).is_some_and(|end| *end > at) {
            continue;
        }
        let kind = kind_of(step.outcome);
        let times = counted.entry((step.reference.as_str(), step.run, kind)).or_default();
        *times += 1;
        let name = name_of(&step.reference);
        let mut row = Map::new();
        row.insert("name".into(), name.clone().into());
        row.insert("reference".into(), json::cut(&step.reference, CALL_REFERENCE_BYTES).into());
        row.insert("run".into(), step.run.into());
        row.insert("times".into(), (*times).into());
        match kind {
            "step_waiting" => {
                row.insert("waits_for".into(), waits_for(step).into());
                if let Some(child) = &step.child {
                    row.insert("run_id".into(), child.clone().into());
                }
            }
            "step_failed" => {
                row.insert("outcome".into(), serde_json::json!(step.outcome));
                if let Some(error) = &step.error {
                    row.insert("error".into(), serde_json::json!(error));
                }
            }
            _ => {}
        }
        let summary = format!("The step {name} of the workflow {workflow} {}", words(step));
        rows.push(StepRow { kind, summary, data: Value::Object(row) });
    }
    rows
}

fn kind_of(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Started => "step_started",
        Outcome::Waiting => "step_waiting",
        Outcome::Completed => "step_finished",
        Outcome::Raised | Outcome::TimedOut | Outcome::Cancelled => "step_failed",
        Outcome::Skipped => "step_skipped",
    }
}

/// A retry waits for a timer, too.
fn waits_for(step: &Step) -> &'static str {
    match step.waits_for {
        Some(WaitsFor::Call) => "call",
        Some(WaitsFor::Event) => "event",
        Some(WaitsFor::Timer | WaitsFor::Retry) | None => "timer",
    }
}

fn words(step: &Step) -> String {
    match step.outcome {
        Outcome::Started => "began".into(),
        Outcome::Waiting => match step.waits_for {
            Some(WaitsFor::Call) => "waits for what it called".into(),
            Some(WaitsFor::Event) => "waits for an event".into(),
            Some(WaitsFor::Retry) => "waits for its next attempt".into(),
            Some(WaitsFor::Timer) | None => "waits for its time".into(),
        },
        Outcome::Completed => "is done".into(),
        Outcome::Raised => match &step.error {
            Some(error) => format!("failed: {}", json::cut(error.title.as_ref().unwrap_or(&error.kind), 200)),
            None => "failed".into(),
        },
        Outcome::TimedOut => "ran out of time".into(),
        Outcome::Cancelled => "was cancelled".into(),
        Outcome::Skipped => "was skipped".into(),
    }
}

/// A task's name is the last of its reference.
fn name_of(reference: &str) -> String {
    let last = reference.rsplit('/').next().unwrap_or_default();
    last.replace("~1", "/").replace("~0", "~")
}

#[cfg(test)]
mod tests {
    use super::*;
    use playbook_model::time::Moment;
    use serde_json::json;

    #[test]
    fn each_step_that_moved_is_a_row() {
        let data = json!({ "steps": [
            { "reference": "/do/0/group", "run": 1, "outcome": "started" },
            { "reference": "/do/0/group/do/0/a~1b", "run": 1, "outcome": "completed" },
            { "reference": "/do/0/group", "run": 1, "outcome": "completed" },
            { "reference": "/do/1/each", "run": 1, "outcome": "started" },
            { "reference": "/do/1/each/do/0/maybe", "run": 1, "outcome": "skipped" },
            { "reference": "/do/1/each/do/1/ask", "run": 2, "outcome": "waiting", "waits_for": "call", "child": "0f8fad5b" },
            { "reference": "/do/2/out", "run": 1, "outcome": "raised", "error": { "type": "https://example.com/e", "title": "No" } },
            { "reference": "/do/3/late", "run": 1, "outcome": "timed_out" },
            { "reference": "/do/4/again", "run": 1, "outcome": "waiting", "waits_for": "retry" },
            { "reference": "/do/4/again", "run": 1, "outcome": "waiting", "waits_for": "retry" },
        ] });
        let rows = steps(&data, &Context::new(Moment(0), "local"));
        let shown: Vec<(&str, &str)> = rows.iter().map(|row| (row.kind, row.summary.as_str())).collect();
        assert_eq!(
            shown,
            [
                ("step_finished", "The step a/b of the workflow unknown is done"),
                ("step_finished", "The step group of the workflow unknown is done"),
                ("step_started", "The step each of the workflow unknown began"),
                ("step_skipped", "The step maybe of the workflow unknown was skipped"),
                ("step_waiting", "The step ask of the workflow unknown waits for what it called"),
                ("step_failed", "The step out of the workflow unknown failed: No"),
                ("step_failed", "The step late of the workflow unknown ran out of time"),
                ("step_waiting", "The step again of the workflow unknown waits for its next attempt"),
                ("step_waiting", "The step again of the workflow unknown waits for its next attempt"),
            ]
        );
        assert_eq!(
            rows[4].data,
            json!({ "name": "ask", "reference": "/do/1/each/do/1/ask", "run": 2, "times": 1, "waits_for": "call", "run_id": "0f8fad5b" })
        );
        assert_eq!(rows[5].data["error"], json!({ "type": "https://example.com/e", "title": "No" }));
        assert_eq!((&rows[7].data["times"], &rows[8].data["times"]), (&json!(1), &json!(2)));
        assert_eq!(rows[8].data["waits_for"], "timer");
        assert_eq!(steps(&json!({ "steps": 1 }), &Context::new(Moment(0), "local")), []);
    }
}
