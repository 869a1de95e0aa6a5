//! `playbook history`: what a run did, from its records.

use super::follow::{row_lines, waits};
use crate::arguments::History;
use crate::ended::{Done, Ended, Failure, sentence};
use crate::opened::{Opened, members};
use crate::output::{Output, complain, shown};
use playbook_host::Views;
use serde_json::{Value, json};
use std::path::Path;

/// Rows read at once.
const PAGE: u64 = 200;

/// Tells what a run did.
pub(crate) async fn history(asked: &History, folder: Option<&Path>, out: &mut Output) -> Done {
    // It only reads: what waits is not gone on with.
    let opened = Opened::open_with(folder, Views::Left).await?;
    let done = on(&opened, asked, out).await;
    opened.close().await;
    done
}

async fn on(opened: &Opened, asked: &History, out: &mut Output) -> Done {
    let run = opened.call("get_run", members([("run_id", json!(asked.run))])).await?;
    let rows = if run["type"] == "workflow" { inputs(opened, asked).await? } else { events(opened, asked).await? };
    if out.is_json() {
        out.value(&json!({ "run": run, "rows": rows }))?;
        return Ok(Ended::Fine);
    }
    for row in &rows {
        if run["type"] == "workflow" {
            row_lines(row, out)?;
        } else {
            let text = |value: &Value| shown(value.as_str().unwrap_or_default());
            out.line(&format!("{}  {}", text(&row["metadata"]["at"]), text(&row["summary"])))?;
        }
    }
    let text = |name: &str| run[name].as_str().unwrap_or_default();
    let about = format!("Run {} of {}/{}", text("run_id"), text("type"), text("name"));
    match text("status") {
        "started" => {
            complain(&format!("{about} goes on."));
            if run["type"] == "workflow" {
                waits(opened, asked.run).await?.iter().for_each(|wait| complain(wait));
            }
        }
        "rejected" => {
            let why = shown(run["rejection"]["detail"].as_str().unwrap_or_default());
            complain(&format!("{about} was rejected: {}", sentence(&why)));
        }
        status => complain(&format!("{about} {status}.")),
    }
    Ok(Ended::Fine)
}

async fn inputs(opened: &Opened, asked: &History) -> Result<Vec<Value>, Failure> {
    let (runtime, playbook) = opened.parts();
    let mut rows = Vec::new();
    loop {
        let mut page = runtime.run_inputs(playbook, asked.run, rows.len() as u64 + 1, PAGE).await?;
        let Value::Array(more) = page["rows"].take() else { return Ok(rows) };
        if more.is_empty() {
            return Ok(rows);
        }
        rows.extend(more);
    }
}

async fn events(opened: &Opened, asked: &History) -> Result<Vec<Value>, Failure> {
    let mut rows = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let fields = members([("run_id", json!(asked.run)), ("limit", json!(100)), ("cursor", cursor)]);
        let mut page = opened.call("list_playbook_events", fields).await?;
        if let Value::Array(more) = page["events"].take() {
            rows.extend(more);
        }
        cursor = page["next_cursor"].take();
        if cursor.is_null() {
            return Ok(rows);
        }
    }
}
