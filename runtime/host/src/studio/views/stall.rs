//! What can be told of a stall beside its own words: both sides of a mismatch, the largest members.

use super::notes::Note;
use crate::replay::{Pace, Recall, Scratch, Terms, planned, seen_records};
use crate::studio::open::Open;
use playbook_engine::view::{Stall, StallKind, View};
use playbook_model::refusal::Refusal;
use playbook_model::{json, limits};
use playbook_sandbox::Stop;
use playbook_schema::{Manner, Schema};
use playbook_worker::{PageStop, Trace};
use serde_json::{Value, json};

/// The most members that are listed by their size.
const LARGEST: usize = 10;
/// The most bytes of a value found where another was expected.
const FOUND_BYTES: usize = 2_048;

/// What was found at a stall, once.
pub(super) struct Told {
    version: u32,
    position: u64,
    issue: Option<Value>,
}

/// The members of a stalled view's answer that its kind adds.
pub(super) async fn told(
    open: &Open,
    note: &Note,
    recall: &Recall,
    view: &View,
    stall: &Stall,
    before: &Value,
) -> Result<Vec<(&'static str, Value)>, Refusal> {
    match stall.kind {
        StallKind::Size => Ok(vec![("largest", largest(before))]),
        StallKind::Schema | StallKind::Unfit => {
            let mut told = note.told.lock().await;
            let now = match told.take() {
                Some(told) if told.version == view.version && told.position == stall.position => told,
                _ => {
                    let issue = issue(open, recall, view, stall).await?;
                    Told { version: view.version, position: stall.position, issue }
                }
            };
            let members = now.issue.clone().map(|issue| ("issue", issue)).into_iter().collect();
            *told = Some(now);
            Ok(members)
        }
        _ => Ok(Vec::new()),
    }
}

/// The largest top-level members of a view, largest first.
fn largest(view: &Value) -> Value {
    let Some(members) = view.as_object() else { return json!([]) };
    let mut sizes: Vec<(&String, usize)> = members.iter().map(|(name, value)| (name, json::bytes(value))).collect();
    sizes.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    sizes.into_iter().take(LARGEST).map(|(name, bytes)| json!({ "name": name, "bytes": bytes })).collect()
}

/// Both sides of the mismatch, found by folding the event again without the schema.
async fn issue(open: &Open, recall: &Recall, view: &View, stall: &Stall) -> Result<Option<Value>, Refusal> {
    let (key, position) = (open.key.clone(), stall.position);
    let seen = open.runtime.read(move |history| Ok(seen_records(history.at(&key, &[position])?))).await?;
    let events = planned(recall, &seen);
    let Some(event) = events.first() else { return Ok(None) };
    let bare = recall.unchecked();
    let terms = Terms { key: Scratch::key(), recall: &bare, pace: Pace::AtOnce, trace: Trace::Nothing };
    let portion = open.runtime.scratch().fold(terms, view.view.clone(), &[(&event.seen, &[])]).await?;
    match (stall.kind, portion.stop) {
        (StallKind::Unfit, Some(PageStop::Fold(Stop::Unfit { found, path }))) => {
            Ok(Some(json!({ "path": path, "found": found })))
        }
        (StallKind::Schema, None) => {
            let Some(schema) = recall.details().view_schema.clone() else { return Ok(None) };
            let found = tokio::task::spawn_blocking(move || mismatch(&schema, &portion.view)).await;
            found.map_err(|why| crate::runtime::incident(&format!("a view could not be judged: {why}")))
        }
        _ => Ok(None),
    }
}

/// The first issue of a view, with what is there instead as JSON text.
fn mismatch(schema: &Value, view: &str) -> Option<Value> {
    let schema = Schema::compile(schema).ok()?;
    let view = json::parse_script(view, limits::VALUE_LEVELS).ok()?;
    let issue = schema.issues(&view, Manner::Answer).into_iter().next()?;
    let found = view.pointer(&issue.pointer).map(|found| json::cut(&found.to_string(), FOUND_BYTES));
    Some(json!({ "pointer": issue.pointer, "detail": issue.detail, "found": found }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_members_come_first_and_ten_at_most() {
        let view: Value = (0..20_usize).map(|n| (format!("m{n:02}"), json!("x".repeat(n % 15)))).collect();
        let largest = largest(&view);
        let listed = largest.as_array().expect("a list");
        assert_eq!(listed.len(), 10);
        assert_eq!(listed[0], json!({ "name": "m14", "bytes": 16 }));
        assert_eq!(super::largest(&json!([1])), json!([]));
    }

    #[test]
    fn a_mismatch_shows_both_sides() {
        let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["m"] });
        let told = mismatch(&schema, r#"{"n":"seven","m":1}"#).expect("an issue");
        assert_eq!(told["pointer"], "/n");
        assert_eq!(told["found"], "\"seven\"");
        let missing = mismatch(&schema, r#"{"n":7}"#).expect("an issue");
        assert_eq!(missing["found"], Value::Null, "{missing}");
        assert_eq!(mismatch(&schema, r#"{"n":7,"m":1}"#), None);
    }
}
