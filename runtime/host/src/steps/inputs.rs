//! The inputs a run took, in pages: what each was, and which steps it moved.

use super::Looked;
use crate::runtime::{Runtime, incident};
use playbook_engine::workflow::{Step, Told};
use playbook_history::{Record, Stream};
use playbook_model::id::{PlaybookKey, RunId};
use playbook_model::refusal::Refusal;
use serde_json::{Map, Value, json};

/// The most rows of a page.
const PAGE: u64 = 200;
/// The most steps shown of one input.
const STEPS: usize = 100;

impl Runtime {
    /// The inputs of a run from a position on, the first being 1; at most 200 at once.
    ///
    /// # Errors
    /// [`Refusal`]: there is no such run, or it cannot be read.
    pub async fn run_inputs(
        &self,
        playbook: &PlaybookKey,
        run: RunId,
        from: u64,
        limit: u64,
    ) -> Result<Value, Refusal> {
        let looked = self.look(playbook, run).await?;
        let total = looked.last.as_ref().map_or(0, |record| record.position);
        let from = from.max(1);
        let upto = from.saturating_add(limit.clamp(1, PAGE)).min(total + 1);
        let positions: Vec<u64> = (from..upto).collect();
        let log = Stream::run_log(playbook, run);
        let records = self.read(move |history| history.places(&log, &positions)).await?;
        let rows: Result<Vec<Value>, Refusal> = records.iter().map(|record| row(&looked, record)).collect();
        Ok(json!({ "total": total, "rows": rows? }))
    }
}

fn row(looked: &Looked, record: &Record) -> Result<Value, Refusal> {
    let read = Told::read(&record.data).map_err(|why| incident(&format!("the run {}: {why}", looked.run)))?;
    let mut row = Map::new();
    row.insert("position".into(), record.position.into());
    row.insert("at".into(), record.context.at.iso().into());
    row.insert("kind".into(), read.input["kind"].clone());
    if let Some(key) = key(&read.input) {
        row.insert("key".into(), key.into());
    }
    row.insert("summary".into(), summary(looked, &read).into());
    row.insert("steps".into(), Value::Array(step_rows(looked, &read.steps)));
    row.insert("bytes".into(), record.data_bytes.into());
    Ok(Value::Object(row))
}

/// What tells this input from another of its kind.
fn key(input: &Value) -> Option<String> {
    let number = |name: &str| input[name].as_u64().map(|number| number.to_string());
    number("timer").or_else(|| number("call")).or_else(|| number("listener")).or_else(|| {
        let id = input["id"].as_str().or_else(|| input["because"].as_str());
        id.map(str::to_owned)
    })
}

/// The input in a few words.
fn summary(looked: &Looked, read: &Told) -> String {
    let first = read.steps.first().map(|step| looked.name(&step.reference));
    let of = |words: &str| match first {
        Some(name) => format!("{words} {name}"),
        None => words.to_owned(),
    };
    let input = &read.input;
    let kind = input["type"].as_str().unwrap_or_default();
    match input["kind"].as_str().unwrap_or_default() {
        "started" => "The run began".to_owned(),
        "timer_fired" if read.is_over() && read.steps.is_empty() => "The run's time was over".to_owned(),
        "timer_fired" => of("Time came for"),
        "call_answered" => match input["status"].as_str().unwrap_or_default() {
            "succeeded" => of("An output came for"),
            "rejected" => of("A refusal came for"),
            "failed" => of("The called run broke down at"),
            _ => of("Nothing could be reached at"),
        },
        "event_received" => format!("An event {kind} was sent to the run"),
        "event_offered" => format!("An event {kind} of the playbook was heard"),
        "cancel_requested" => "The run was cancelled".to_owned(),
        other => other.replace('_', " "),
    }
}

/// Steps that moved alike, counted together.
pub(crate) fn step_rows(looked: &Looked, steps: &[Step]) -> Vec<Value> {
    let mut rows: Vec<(Value, u32)> = Vec::new();
    for step in steps {
        let mut row = Map::new();
        row.insert("reference".into(), step.reference.clone().into());
        row.insert("name".into(), looked.name(&step.reference).into());
        row.insert("run".into(), step.run.into());
        row.insert("outcome".into(), json!(step.outcome));
        if let Some(error) = &step.error {
            let words = error.title.clone().unwrap_or_else(|| error.kind.clone());
            row.insert("error".into(), words.into());
        }
        if let Some(waits_for) = step.waits_for {
            row.insert("waits_for".into(), json!(waits_for));
        }
        if let Some(child) = &step.child {
            row.insert("child".into(), child.clone().into());
        }
        let alike = |(known, _): &(Value, u32)| {
            known["reference"] == row["reference"] && known["outcome"] == row["outcome"] && step.child.is_none()
        };
        match rows.iter().position(alike) {
            Some(place) => rows[place].1 += 1,
            None if rows.len() < STEPS => rows.push((Value::Object(row), 1)),
            None => {}
        }
    }
    let counted = |(mut row, times): (Value, u32)| {
        row["times"] = times.into();
        row
    };
    rows.into_iter().map(counted).collect()
}

impl Looked {
    /// The name of the task at a reference.
    pub(super) fn name(&self, reference: &str) -> String {
        self.program.at(reference).map_or_else(|| reference.to_owned(), |task| task.name.clone())
    }
}
