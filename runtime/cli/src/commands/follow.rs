//! A run of a workflow while it goes on: its steps as they come, and what it waits for.

use crate::ended::Failure;
use crate::opened::{Opened, members};
use crate::output::{Output, complain, shown};
use crate::signals;
use playbook_host::Waiting;
use playbook_model::id::RunId;
use playbook_model::time::Moment;
use serde_json::{Value, json};
use std::time::Duration;

/// How often it is looked whether anything still moves.
const LOOK: Duration = Duration::from_millis(50);
/// Inputs read at once.
const PAGE: u64 = 200;

/// Whether a run is only waited for, or told step by step to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// Until it ends, or nothing of the playbook moves by itself.
    Rest,
    /// To its end, each step told.
    Told,
}

/// Goes along with a run; gives it as it then stands. Whoever interrupts leaves the run as it is.
///
/// # Errors
/// [`Failure`]: the run cannot be read, or nobody reads any more.
pub(crate) async fn along(opened: &Opened, run: RunId, manner: Manner, out: &mut Output) -> Result<Value, Failure> {
    let (runtime, playbook) = opened.parts();
    let mut moves = runtime.follow();
    let mut told = 0;
    let mut waits_told = Vec::new();
    loop {
        moves.borrow_and_update();
        if manner == Manner::Told && !out.is_json() {
            told = tell(opened, run, told, out).await?;
        }
        let now = opened.call("get_run", members([("run_id", json!(run))])).await?;
        if now["status"] != "started" {
            return Ok(now);
        }
        if runtime.at_rest(playbook).await? {
            if manner == Manner::Rest {
                return Ok(now);
            }
            let waits = waits(opened, run).await?;
            if waits != waits_told && !out.is_json() {
                waits.iter().for_each(|wait| complain(wait));
                waits_told = waits;
            }
        }
        let interrupted = tokio::select! {
            _ = moves.changed() => false,
            () = tokio::time::sleep(LOOK) => false,
            _ = signals::asked_to_end() => true,
        };
        if interrupted {
            return Ok(now);
        }
    }
}

/// Tells the inputs after a position; gives the last.
async fn tell(opened: &Opened, run: RunId, mut told: u64, out: &mut Output) -> Result<u64, Failure> {
    let (runtime, playbook) = opened.parts();
    loop {
        let page = runtime.run_inputs(playbook, run, told + 1, PAGE).await?;
        let rows = page["rows"].as_array().map(Vec::as_slice).unwrap_or_default();
        for row in rows {
            row_lines(row, out)?;
        }
        told += rows.len() as u64;
        if rows.is_empty() || told >= page["total"].as_u64().unwrap_or_default() {
            return Ok(told);
        }
    }
}

/// An input of a run: a line for it, and one for each step that moved.
///
/// # Errors
/// When nobody reads any more.
pub(crate) fn row_lines(row: &Value, out: &mut Output) -> Result<(), Failure> {
    let text = |value: &Value| shown(value.as_str().unwrap_or_default());
    out.line(&format!(
        "{:>5}  {}  {}",
        row["position"].as_u64().unwrap_or_default(),
        text(&row["at"]),
        text(&row["summary"])
    ))?;
    for step in row["steps"].as_array().into_iter().flatten() {
        out.line(&step_line(step))?;
    }
    Ok(())
}

fn step_line(step: &Value) -> String {
    let text = |name: &str| step[name].as_str().map(shown);
    let mut line = format!("       {}: {}", text("name").unwrap_or_default(), text("outcome").unwrap_or_default());
    if let Some(waits_for) = text("waits_for") {
        line += &format!(" for {}", kind(&waits_for));
    }
    if let Some(child) = text("child") {
        line += &format!(", run {child}");
    }
    if let Some(error) = text("error") {
        line += &format!(": {error}");
    }
    match step["times"].as_u64() {
        Some(times) if times > 1 => line += &format!(" ({times} times)"),
        _ => {}
    }
    line
}

fn kind(waits_for: &str) -> &str {
    match waits_for {
        "call" => "a called run",
        "timer" => "a time",
        "event" => "an event",
        "retry" => "its next try",
        other => other,
    }
}

/// What a run waits for, a sentence each.
///
/// # Errors
/// When the run cannot be read.
pub(crate) async fn waits(opened: &Opened, run: RunId) -> Result<Vec<String>, Failure> {
    let (runtime, playbook) = opened.parts();
    Ok(runtime.run_waits(playbook, run).await?.iter().map(sentence).collect())
}

fn sentence(wait: &Waiting) -> String {
    let word = json!(wait.waits_for);
    let mut words = format!("{} waits for {}", shown(&wait.name), kind(word.as_str().unwrap_or_default()));
    if let Some(child) = wait.child {
        words += &format!(", run {child}");
    }
    if let Some(until) = wait.until {
        words += &format!(", until {}", Moment(until).iso());
    }
    words + "."
}
