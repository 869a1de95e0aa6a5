//! How much one pass over a playbook reads. "Bounds": ten pages a pass, a playbook.

use crate::clock::Clock;
use crate::runtime::{Place, Runtime, Settings, Views};
use playbook_model::id::{OrgId, PlaybookId, PlaybookKey};
use playbook_model::limits;
use playbook_typescript::Compiler;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::Notify;

const COUNT: &str = "---
language: typescript
source: { events: [{ type: tick }] }
view: { initial: 0 }
---
export function fold(view: View, event: Event): View {
  return event.id === '' ? view : Number(view) + 1;
}
";

async fn asks(runtime: &Runtime, operation: &str, mut fields: Value) {
    fields["org"] = "local".into();
    fields["playbook"] = "one".into();
    runtime.local(operation, fields).await.unwrap_or_else(|refusal| panic!("{operation}: {refusal:?}"));
}

#[tokio::test]
async fn a_pass_reads_ten_pages_and_the_playbook_goes_on_at_the_next() {
    let folder = tempfile::tempdir().expect("a folder");
    // Pages of one event, and nobody who passes but this test.
    let settings = Settings { page_records: 1, views: Views::Left, ..Settings::default() };
    let place = Place::Data(folder.path().to_owned());
    let runtime = Runtime::open_with(place, settings, Arc::new(Compiler::new()), Clock::system()).await;
    let runtime = runtime.expect("the runtime opens");
    asks(&runtime, "create_playbook", json!({ "name": "One" })).await;
    asks(&runtime, "create_definition", json!({ "type": "recall", "name": "count", "source": COUNT })).await;
    let most = limits::PAGES_A_PASS as u64;
    for id in 0..most + 1 {
        asks(&runtime, "publish_event", json!({ "event": { "type": "tick", "source": "/t", "id": id.to_string() } }))
            .await;
    }
    let key = PlaybookKey { org: OrgId::local(), playbook: PlaybookId::new("one").expect("an id") };
    let folded = || runtime.view_of(&key, "count").map(|view| (view.folded, view.phase.word()));

    // One event more than a pass takes: it waits for the next.
    assert!(runtime.pass(&key, &Notify::new()).await, "more is there to be read");
    assert_eq!(folded(), Some((most, "rebuilding")));
    assert!(!runtime.pass(&key, &Notify::new()).await, "everything was read");
    assert_eq!(folded(), Some((most + 1, "live")));

    // Exactly as many as a pass takes are read in one.
    for id in 0..most {
        let event = json!({ "event": { "type": "tick", "source": "/again", "id": id.to_string() } });
        asks(&runtime, "publish_event", event).await;
    }
    assert!(!runtime.pass(&key, &Notify::new()).await, "everything was read");
    assert_eq!(folded(), Some((2 * most + 1, "live")));
    runtime.stop().await;
}
