//! `playbook replay`, `fork` and `keep`: a recorded run of a workflow taken up again; nothing is recorded.

use crate::arguments::{Fork, Keep, Replay};
use crate::differences::{Between, lines};
use crate::ended::{Done, Ended, Failure, cannot};
use crate::opened::{self, Opened, json_of};
use crate::output::{Output, complain, shown};
use playbook_host::Views;
use playbook_host::folder::Folder;
use playbook_model::difference::differences;
use playbook_model::json;
use playbook_model::word::count;
use serde_json::{Map, Value, json};
use std::path::Path;

/// Bytes of a value on a line.
const VALUE_BYTES: usize = 400;

/// Replays a run on what is saved of its workflow, or on a file.
pub(crate) async fn replay(asked: &Replay, folder: Option<&Path>, out: &mut Output) -> Done {
    let text = match &asked.file {
        Some(file) => {
            let read = std::fs::read_to_string(file);
            Some(read.map_err(|why| cannot(format!("{} cannot be read: {why}", file.display())))?)
        }
        None => None,
    };
    // What waits is not gone on with: it only reads.
    let opened = Opened::open_with(folder, Views::Left).await?;
    let (runtime, playbook) = opened.parts();
    let replayed = runtime.replay_run(playbook, asked.run, text.as_deref()).await;
    opened.close().await;
    let replayed = replayed?;
    let ended = if replayed["same"] == true { Ended::Fine } else { Ended::Problems };
    if out.is_json() {
        out.value(&replayed)?;
        return Ok(ended);
    }
    out.line(&words(&replayed["sentence"]))?;
    changes(&replayed["difference"], out)?;
    if let Some(drifted) = replayed["drifted"].as_u64() {
        complain(&format!(
            "From input {drifted} on this program decides otherwise than the one that recorded the run; compared is what it decides today."
        ));
    }
    Ok(ended)
}

/// Forks a run at one of its inputs.
pub(crate) async fn fork(asked: &Fork, folder: Option<&Path>, out: &mut Output) -> Done {
    let given = given(asked)?;
    let opened = Opened::open_with(folder, Views::Left).await?;
    let (runtime, playbook) = opened.parts();
    let forked = runtime.fork_run(playbook, asked.run, &given).await;
    opened.close().await;
    let forked = forked?;
    if out.is_json() {
        out.value(&forked)?;
        return Ok(Ended::Fine);
    }
    for row in forked["rows"].as_array().into_iter().flatten() {
        super::follow::row_lines(row, out)?;
    }
    for call in forked["calls"].as_array().into_iter().flatten() {
        out.line(&call_line(call))?;
    }
    for event in forked["emitted"].as_array().into_iter().flatten() {
        out.line(&format!("event  {}: it reached nobody", words(&event["type"])))?;
    }
    for (name, one, many) in [("more_calls", "more call", "more calls"), ("more_emitted", "more event", "more events")]
    {
        if let Some(more) = forked[name].as_u64().filter(|more| *more > 0) {
            out.line(&format!("{}, not shown", count(more, one, many)))?;
        }
    }
    let ending = &forked["ending"];
    if ending["status"] == "succeeded" {
        out.value(&ending["output"])?;
    }
    out.line(&words(&forked["sentence"]))?;
    changes(&forked["difference"], out)?;
    Ok(Ended::Fine)
}

/// Keeps a run as a test case.
pub(crate) async fn keep(asked: &Keep, folder: Option<&Path>, out: &mut Output) -> Done {
    let (files, _): (Folder, _) = opened::files(folder)?;
    let opened = Opened::open_with(folder, Views::Left).await?;
    let (runtime, playbook) = opened.parts();
    let kept = runtime.keep_run(playbook, asked.run, &files, &asked.case, asked.description.as_deref()).await;
    opened.close().await;
    let kept = kept?;
    if out.is_json() {
        out.value(&kept)?;
    } else {
        let inputs = kept["inputs"].as_u64().unwrap_or_default();
        out.line(&format!("Kept as {}: {}.", words(&kept["path"]), count(inputs, "input", "inputs")))?;
    }
    Ok(Ended::Fine)
}

/// What was chosen, as the host takes it.
fn given(asked: &Fork) -> Result<Map<String, Value>, Failure> {
    let mut calls = Vec::new();
    for (task, text) in &asked.answer {
        let output = json_of(&format!("The answer of {task}"), Some(text), None)?;
        calls.push(json!({ "task": task, "source": "written", "output": output }));
    }
    for (task, why) in &asked.reject {
        calls.push(json!({ "task": task, "source": "written", "rejected": why }));
    }
    let live = asked.live.iter().filter(|task| !task.is_empty());
    calls.extend(live.map(|task| json!({ "task": task, "source": "live" })));
    let mut given = Map::new();
    given.insert("at".into(), asked.at.into());
    given.insert("live".into(), asked.live.iter().any(String::is_empty).into());
    given.insert("calls".into(), Value::Array(calls));
    Ok(given)
}

fn call_line(call: &Value) -> String {
    let nth = call["run"].as_u64().filter(|run| *run > 1).map(|run| format!(", call {run}")).unwrap_or_default();
    let target = format!("{}/{}", words(&call["type"]), words(&call["definition"]));
    let source = match call["source"].as_str().unwrap_or_default() {
        "none" => "no answer",
        source => source,
    };
    let answer = &call["answer"];
    let told = match answer["status"].as_str() {
        Some("succeeded") => shown(&json::cut(&answer["output"].to_string(), VALUE_BYTES)),
        Some("rejected") => {
            let kind = answer["rejection"]["kind"].as_str().map(|kind| format!(", {kind}")).unwrap_or_default();
            let rejection = &answer["rejection"];
            format!("rejected ({}{}): {}", words(&rejection["reason"]), shown(&kind), words(&rejection["detail"]))
        }
        Some(other) => other.to_owned(),
        None => words(&call["why"]),
    };
    format!("call  {}{nth}  {target}  {source}: {told}", words(&call["name"]))
}

/// The values that differ, a line for each place.
fn changes(difference: &Value, out: &mut Output) -> Result<(), Failure> {
    let (Some(before), Some(after)) = (difference.get("before"), difference.get("after")) else { return Ok(()) };
    let found = differences(before, after);
    lines(&found, Between::BeforeAndAfter).iter().try_for_each(|line| out.line(&format!("  {}", shown(line))))
}

fn words(value: &Value) -> String {
    shown(value.as_str().unwrap_or_default())
}
