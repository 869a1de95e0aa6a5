//! `playbook show`: a definition, how it stands, and its overview.

use crate::arguments::Show;
use crate::commands::run::named;
use crate::ended::{Done, Ended, sentence};
use crate::opened::Opened;
use crate::output::{Output, complain};
use playbook_model::definition::DefinitionKey;
use playbook_model::refusal::Refusal;
use serde_json::Value;
use std::path::Path;

/// Shows it.
pub(crate) async fn show(asked: &Show, folder: Option<&Path>, out: &mut Output) -> Done {
    let key = DefinitionKey { kind: asked.which.kind, name: asked.which.name.clone() };
    let opened = Opened::open(folder).await?;
    opened.caught_up(&key).await;
    let shown = opened.call("get_definition", named(&key)).await;
    let unrecorded = opened.unrecorded(&key).cloned();
    opened.close().await;
    let definition = match (shown, &unrecorded) {
        (Ok(definition), _) => definition,
        // The file was refused, which says more than that no version is known.
        (Err(_), Some(rejection)) => return Err(Refusal::from(rejection.clone()).into()),
        (Err(refusal), None) => return Err(refusal.into()),
    };
    if out.is_json() {
        out.value(&definition)?;
        return Ok(Ended::Fine);
    }
    let text = |name: &str| definition.get(name).and_then(Value::as_str);
    let version = definition.get("version").and_then(Value::as_u64).unwrap_or_default();
    out.line(&format!("{key}, version {version}, {}", text("status").unwrap_or_default()))?;
    if let Some(description) = text("description") {
        out.line(description)?;
    }
    for line in standing(&definition) {
        out.line(&line)?;
    }
    if let Some(rejection) = &unrecorded {
        complain(&format!("The file differs and was not recorded: {}", sentence(&rejection.detail)));
        for issue in &rejection.issues {
            complain(&format!("  {}", issue.detail));
        }
    }
    if let Some(overview) = text("overview") {
        out.line("")?;
        out.line(overview.trim_end())?;
    }
    Ok(Ended::Fine)
}

/// A view's standing in words.
fn standing(definition: &Value) -> Vec<String> {
    let Some(standing) = definition.get("standing").filter(|standing| standing.is_object()) else { return vec![] };
    let text = |pointer: &str| standing.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    let folded = standing.get("folded").and_then(Value::as_u64).unwrap_or_default();
    let events = if folded == 1 { "event" } else { "events" };
    let mut lines = vec![format!("View: {}, {folded} {events} folded", text("/state"))];
    if standing.get("stalled").is_some_and(Value::is_object) {
        let line = standing.pointer("/stalled/line").and_then(Value::as_u64);
        let at = line.map(|line| format!(" at line {line}")).unwrap_or_default();
        lines.push(format!(
            "  stalled ({}){at} on the event {} of type {}: {}",
            text("/stalled/kind"),
            text("/stalled/event/id"),
            text("/stalled/event/type"),
            sentence(&text("/stalled/error"))
        ));
    }
    lines
}
