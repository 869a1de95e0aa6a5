//! Views that wait for their turn to be built, and how many a playbook keeps. "How the view is kept", "Bounds".

use playbook_host::{Clock, Place, Runtime, Settings};
use playbook_model::ending::{Kind, Reason, Rejection};
use playbook_model::id::{OrgId, PlaybookId, PlaybookKey};
use playbook_model::refusal::Refusal;
use playbook_typescript::Compiler;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A fold that takes ten seconds at each event, one that raises, and one that does neither.
const LONG: &str = "for (;;) 'x'.repeat(30000000);";
const RAISES: &str = "throw new Error('no');";
const COUNTS: &str = "return (typeof view === 'number' ? view : 0) + 1;";

fn document(body: &str) -> String {
    format!(
        "---
language: typescript
source: {{ events: [{{ type: tick }}] }}
---
export function fold(view: View, event: Event): View {{
  if (event.id !== '') {{ {body} }}
  return view;
}}
"
    )
}

struct Stage {
    runtime: Runtime,
    _folder: tempfile::TempDir,
}

impl Stage {
    async fn open(settings: Settings) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let place = Place::Data(folder.path().join("data"));
        let runtime = Runtime::open_with(place, settings, Arc::new(Compiler::new()), Clock::system()).await;
        let stage = Self { runtime: runtime.expect("the runtime opens"), _folder: folder };
        stage.asks("create_playbook", json!({ "name": "One" })).await;
        stage
    }

    async fn tries(&self, operation: &str, mut fields: Value) -> Result<Value, Rejection> {
        fields["org"] = "local".into();
        fields["playbook"] = "one".into();
        match self.runtime.local(operation, fields).await {
            Ok(answer) => Ok(answer),
            Err(Refusal::Rejected(rejection)) => Err(rejection),
            Err(Refusal::Incident { id }) => panic!("{operation}: incident {id}"),
        }
    }

    async fn asks(&self, operation: &str, fields: Value) -> Value {
        self.tries(operation, fields).await.unwrap_or_else(|why| panic!("{operation}: {why:?}"))
    }

    async fn save(&self, operation: &str, name: &str, body: &str) -> Result<Value, Rejection> {
        self.tries(operation, json!({ "type": "recall", "name": name, "source": document(body) })).await
    }

    async fn standing(&self, name: &str) -> Value {
        self.asks("get_definition", json!({ "type": "recall", "name": name })).await["standing"].clone()
    }

    async fn until(&self, name: &str, state: &str) {
        let mut moves = self.runtime.view_moves();
        let end = Instant::now() + Duration::from_secs(60);
        loop {
            let standing = self.standing(name).await;
            if standing["state"] == state {
                return;
            }
            assert!(Instant::now() < end, "{name} is not {state}: {standing:#}");
            let _ = tokio::time::timeout(Duration::from_millis(200), moves.changed()).await;
        }
    }

    async fn publish(&self) {
        self.asks("publish_event", json!({ "event": { "type": "tick", "source": "/t" } })).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn views_wait_in_the_order_they_were_saved() {
    let stage = Stage::open(Settings { recall_max_rebuilds: 1, ..Settings::default() }).await;
    stage.publish().await;
    stage.save("create_definition", "first", LONG).await.expect("it is saved");
    stage.until("first", "rebuilding").await;
    stage.save("create_definition", "second", COUNTS).await.expect("it is saved");
    stage.save("create_definition", "third", COUNTS).await.expect("it is saved");
    stage.until("second", "waiting").await;
    stage.until("third", "waiting").await;

    // Runs say so, and may be tried again.
    let refused = stage.tries("run_definition", json!({ "type": "recall", "name": "second" })).await;
    let refused = refused.expect_err("its view is not built");
    assert_eq!((refused.reason, refused.kind), (Reason::Unavailable, Some(Kind::Rebuilding)));
    assert!(refused.detail.contains("waits for"), "{}", refused.detail);
    let refused = stage.tries("run_definition", json!({ "type": "recall", "name": "first" })).await;
    let refused = refused.expect_err("its view is being built");
    assert_eq!((refused.reason, refused.kind), (Reason::Unavailable, Some(Kind::Rebuilding)));
    assert!(refused.detail.contains("it has folded 0 events"), "{}", refused.detail);

    // A newer version replaces the one that is being built, and waits behind those saved before it.
    stage.save("update_definition", "first", COUNTS).await.expect("it is saved");
    for name in ["second", "third", "first"] {
        stage.until(name, "live").await;
        assert_eq!(stage.runtime.view_text(&key(), name).as_deref(), Some("1"));
    }
    assert_eq!(stage.standing("first").await["version"], 2);
    stage.runtime.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stalled_view_counts_for_none_and_a_newer_version_replaces_it() {
    let stage = Stage::open(Settings { recall_max_rebuilds: 1, ..Settings::default() }).await;
    stage.publish().await;
    stage.save("create_definition", "first", RAISES).await.expect("it is saved");
    stage.until("first", "stalled").await;
    stage.save("create_definition", "second", COUNTS).await.expect("it is saved");
    stage.until("second", "live").await;
    stage.save("update_definition", "first", COUNTS).await.expect("it is saved");
    stage.until("first", "live").await;
    assert_eq!(stage.standing("first").await["stalled"], Value::Null);
    // A live view that stalls later keeps what it folded, and the others go on.
    stage.save("update_definition", "first", "if (view === 1) throw new Error('no'); return 1;").await.expect("saved");
    stage.until("first", "live").await;
    stage.publish().await;
    stage.until("first", "stalled").await;
    assert_eq!(stage.runtime.view_text(&key(), "first").as_deref(), Some("1"));
    stage.runtime.caught_up(&key(), "second", Duration::from_secs(20)).await;
    assert_eq!(stage.runtime.view_text(&key(), "second").as_deref(), Some("2"));
    stage.runtime.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_playbook_keeps_so_many_recall_functions() {
    let folder = tempfile::tempdir().expect("a folder");
    let compiler = Arc::new(Compiler::new());
    let open = async |recall_max_functions: usize| {
        let place = Place::Data(folder.path().join("data"));
        let settings = Settings { recall_max_functions, ..Settings::default() };
        let opened = Runtime::open_with(place, settings, compiler.clone(), Clock::system()).await;
        Stage { runtime: opened.expect("the runtime opens"), _folder: tempfile::tempdir().expect("a folder") }
    };
    let stage = open(2).await;
    stage.asks("create_playbook", json!({ "name": "One" })).await;
    stage.save("create_definition", "first", COUNTS).await.expect("the first");
    stage.save("create_definition", "second", COUNTS).await.expect("the second");
    let refused = stage.save("create_definition", "third", COUNTS).await.expect_err("one too many");
    assert_eq!(refused.reason, Reason::Conflict);
    // A new version is no more of them, and a retired one makes room.
    stage.save("update_definition", "first", COUNTS).await.expect("a version");
    stage.asks("retire_definition", json!({ "type": "recall", "name": "first" })).await;
    stage.save("create_definition", "third", COUNTS).await.expect("there is room");
    stage.runtime.stop().await;

    // "Lowering it below what a playbook keeps refuses saves and nothing else."
    let stage = open(1).await;
    let refused = stage.save("create_definition", "fourth", COUNTS).await.expect_err("more than the setting");
    assert_eq!(refused.reason, Reason::Conflict);
    stage.publish().await;
    for name in ["second", "third"] {
        stage.runtime.caught_up(&key(), name, Duration::from_secs(20)).await;
        let run = stage.asks("run_definition", json!({ "type": "recall", "name": name })).await;
        assert_eq!(run["output"], 1);
    }
    stage.runtime.stop().await;
}

/// "The others wait for their turn", and none waits for ever: not even behind one whose fold never ends.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_playbook_is_followed_at_once() {
    let settings = Settings { recall_playbooks_at_once: 1, ..Settings::default() };
    let stage = Stage::open(settings).await;
    stage.publish().await;
    stage.save("create_definition", "long", LONG).await.expect("it is saved");
    for playbook in ["two", "three"] {
        let there = |mut fields: Value| {
            fields["org"] = "local".into();
            fields["playbook"] = playbook.into();
            fields
        };
        let does = async |operation: &str, fields: Value| {
            stage.runtime.local(operation, there(fields)).await.unwrap_or_else(|why| panic!("{operation}: {why:?}"))
        };
        does("create_playbook", json!({ "name": playbook })).await;
        does("create_definition", json!({ "type": "recall", "name": "quick", "source": document(COUNTS) })).await;
        does("publish_event", json!({ "event": { "type": "tick", "source": "/t" } })).await;
        let key = PlaybookKey { org: OrgId::local(), playbook: PlaybookId::new(playbook).expect("an id") };
        stage.runtime.caught_up(&key, "quick", Duration::from_secs(8)).await;
        assert_eq!(stage.runtime.view_text(&key, "quick").as_deref(), Some("1"), "{playbook}");
    }
    stage.runtime.stop().await;
}

fn key() -> PlaybookKey {
    PlaybookKey { org: OrgId::local(), playbook: PlaybookId::new("one").expect("an id") }
}
