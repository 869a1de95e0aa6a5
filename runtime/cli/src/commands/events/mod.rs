//! `playbook events`: publishes to the folder's playbook, lists its history, and moves its events.

mod export;
mod import;

use crate::arguments::{Events, EventsCommand, ListEvents, PublishEvent};
use crate::ended::{Done, Ended, Failure, cannot};
use crate::opened::{Opened, json_of, members};
use crate::output::{Output, complain};
use serde_json::{Map, Value, json};
use std::path::Path;

/// Does what was asked with events.
pub(crate) async fn events(asked: &Events, folder: Option<&Path>, out: &mut Output) -> Done {
    match &asked.command {
        EventsCommand::Publish(asked) => publish(asked, folder, out).await,
        EventsCommand::List(asked) => list(asked, folder, out).await,
        EventsCommand::Export(asked) => export::export(asked, folder, out),
        EventsCommand::Import(asked) => import::import(asked, folder, out).await,
    }
}

async fn publish(asked: &PublishEvent, folder: Option<&Path>, out: &mut Output) -> Done {
    let event = event(asked)?;
    let opened = Opened::open(folder).await?;
    let receipt = opened.call("publish_event", members([("event", event)])).await;
    opened.close().await;
    let receipt = receipt?;
    if out.is_json() {
        out.value(&receipt)?;
    } else {
        let text = |name: &str| receipt.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        out.line(&format!("Published the event {}, recorded at {}.", text("id"), text("recorded_at")))?;
    }
    Ok(Ended::Fine)
}

fn event(asked: &PublishEvent) -> Result<Value, Failure> {
    if let Some(event) = json_of("The event", asked.event.as_deref(), asked.event_file.as_deref())? {
        return if event.is_object() { Ok(event) } else { Err(cannot("The event is not a JSON object")) };
    }
    let mut event = Map::new();
    let parts = [
        ("type", &asked.kind),
        ("source", &asked.source),
        ("subject", &asked.subject),
        ("id", &asked.id),
        ("time", &asked.time),
    ];
    for (name, value) in parts {
        if let Some(value) = value {
            event.insert(name.into(), value.clone().into());
        }
    }
    if let Some(data) = json_of("The data", asked.data.as_deref(), None)? {
        event.insert("data".into(), data);
    }
    Ok(Value::Object(event))
}

async fn list(asked: &ListEvents, folder: Option<&Path>, out: &mut Output) -> Done {
    let fields = members([
        ("type", json!(asked.kind)),
        ("since", json!(asked.since)),
        ("run_id", json!(asked.run)),
        ("order", json!(asked.order)),
        ("limit", json!(asked.limit)),
        ("cursor", json!(asked.cursor)),
    ]);
    let opened = Opened::open(folder).await?;
    let page = opened.call("list_playbook_events", fields).await;
    opened.close().await;
    let page = page?;
    if out.is_json() {
        out.value(&page)?;
        return Ok(Ended::Fine);
    }
    for row in page.get("events").and_then(Value::as_array).into_iter().flatten() {
        let text = |pointer: &str| row.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        out.line(&format!("{}  {:<20}  {}  {}", text("/metadata/at"), text("/type"), text("/id"), text("/summary")))?;
    }
    if let Some(next) = page.get("next_cursor").and_then(Value::as_str) {
        complain(&format!("There is more: --cursor {next}"));
    }
    Ok(Ended::Fine)
}
