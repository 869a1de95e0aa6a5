//! The folders opened last.

use serde_json::{Value, json};
use std::path::Path;

const KEPT: usize = 12;

fn read(config: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(config.join("recent.json")).unwrap_or_default();
    // A file that cannot be read is a list that is lost, not a reason to stop.
    serde_json::from_str(&text).unwrap_or_default()
}

/// The folders, newest first, each with whether it is gone.
pub(super) fn list(config: &Path) -> Vec<Value> {
    let mut rows = read(config);
    for row in &mut rows {
        let missing = row.get("path").and_then(Value::as_str).is_none_or(|path| !Path::new(path).is_dir());
        if let Some(members) = row.as_object_mut() {
            members.insert("missing".into(), missing.into());
        }
    }
    rows
}

/// Puts a folder first.
pub(super) fn add(config: &Path, path: &Path, name: &str, playbook: &str) {
    let path_text = path.to_string_lossy();
    let mut rows = read(config);
    rows.retain(|row| row.get("path").and_then(Value::as_str) != Some(&path_text));
    let opened_at = crate::clock::Clock::system().now().iso();
    rows.insert(0, json!({ "path": path_text, "name": name, "playbook": playbook, "opened_at": opened_at }));
    rows.truncate(KEPT);
    let text = Value::Array(rows).to_string();
    if let Err(why) = crate::folder::write_text(&config.join("recent.json"), &text) {
        tracing::warn!(%why, "the list of recent folders was not kept");
    }
}
