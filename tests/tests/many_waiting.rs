//! Many runs that wait: for a time, an event, a person and a called run. Restarts lose none and double none.
//!
//! `WAITING_RUNS` and `WAITING_RESTARTS` set how many.

use playbook_host::{Clock, Place, Runtime, SetClock, Settings};
use playbook_model::id::{OrgId, PlaybookId, PlaybookKey};
use playbook_model::time::Moment;
use playbook_typescript::Compiler;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// 2026-10-05T12:00:00Z.
const BEGIN: Moment = Moment(1_791_201_600_000);
const DAY: i64 = 86_400_000;
/// Runs of an ordinary run of the suite, a quarter of them of each kind.
const RUNS: usize = 200;
const RESTARTS: usize = 4;
/// Asked at once.
const TOGETHER: usize = 32;

const ASK: &str = "---
description: Asks for a verdict
to: anna
expires: P20D
input:
  schema: { type: object }
output:
  schema: { type: object, required: [verdict], properties: { verdict: { type: string } } }
---
Well?
";

const HEAD: &str = "document: { dsl: 1.0.3, namespace: many, name: many, version: 1.0.0 }\ndo:\n";
const TELL: &str = "  - tell: { emit: { event: { with: { type: com.example.told, source: 'https://example.com/many', subject: '${ $workflow.id }' } } } }\n";
const WAITS: [(&str, &str); 4] = [
    ("waits", "  - nap: { wait: P1D }\n"),
    ("hears", "  - hear: { listen: { to: { one: { with: { type: com.example.go } } } } }\n"),
    ("asks", "  - ask: { call: run_definition, with: { type: interaction, name: ask } }\n"),
    ("calls", "  - call: { call: run_definition, with: { type: workflow, name: inner } }\n"),
];

struct Stage {
    runtime: Runtime,
    clock: SetClock,
}

impl Stage {
    async fn open(folder: &Path, compiler: &Arc<Compiler>, at: Moment) -> Self {
        let (clock, set) = Clock::standing(at);
        let place = Place::Data(folder.to_path_buf());
        let settings = Settings { interaction_open_requests: 100_000, ..Settings::default() };
        let runtime = Runtime::open_with(place, settings, compiler.clone(), clock).await.expect("the runtime opens");
        Self { runtime, clock: set }
    }

    async fn asks(&self, operation: &str, fields: Value) -> Value {
        asks(&self.runtime, operation, fields).await
    }

    /// Every run of a type and a name, by how it stands.
    async fn stand(&self, kind: &str, name: &str) -> BTreeMap<String, usize> {
        let (mut found, mut cursor) = (BTreeMap::new(), Value::Null);
        loop {
            let mut fields = json!({ "type": kind, "name": name, "limit": 100 });
            if !cursor.is_null() {
                fields["cursor"] = cursor;
            }
            let mut page = self.asks("list_runs", fields).await;
            for run in page["runs"].as_array().expect("a list") {
                *found.entry(run["status"].as_str().expect("a status").to_owned()).or_default() += 1;
            }
            cursor = page["next_cursor"].take();
            if cursor.is_null() {
                return found;
            }
        }
    }

    async fn rest(&self) {
        let playbook = PlaybookKey { org: OrgId::local(), playbook: PlaybookId::new("one").expect("an id") };
        let end = Instant::now() + Duration::from_secs(600);
        while !self.runtime.at_rest(&playbook).await.expect("the log can be read") {
            assert!(Instant::now() < end, "it never came to rest");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

async fn asks(runtime: &Runtime, operation: &str, mut fields: Value) -> Value {
    fields["org"] = "local".into();
    fields["playbook"] = "one".into();
    runtime.local(operation, fields).await.unwrap_or_else(|why| panic!("{operation}: {why:?}"))
}

fn set(name: &str, unless: usize) -> usize {
    std::env::var(name).map_or(unless, |text| text.parse().unwrap_or_else(|_| panic!("{name} is a whole number")))
}

/// Does an operation for each of many fields, some at once.
async fn all(runtime: &Runtime, operation: &'static str, many: Vec<Value>) {
    let mut going = JoinSet::new();
    for fields in many {
        if going.len() >= TOGETHER {
            going.join_next().await.expect("one goes").expect("none breaks down");
        }
        let runtime = runtime.clone();
        going.spawn(async move { asks(&runtime, operation, fields).await });
    }
    while let Some(done) = going.join_next().await {
        done.expect("none breaks down");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn restarts_lose_no_run_that_waits_and_double_none() {
    let (runs, restarts) = (set("WAITING_RUNS", RUNS) / 4, set("WAITING_RESTARTS", RESTARTS));
    let folder = tempfile::tempdir().expect("a folder");
    let compiler = Arc::new(Compiler::new());
    let mut stage = Stage::open(folder.path(), &compiler, BEGIN).await;
    stage.asks("create_playbook", json!({ "name": "One" })).await;
    stage.asks("create_definition", json!({ "type": "interaction", "name": "ask", "source": ASK })).await;
    let inner = format!("{HEAD}  - nap: {{ wait: P1D }}\n");
    stage.asks("create_definition", json!({ "type": "workflow", "name": "inner", "source": inner })).await;
    for (name, body) in WAITS {
        let source = format!("{HEAD}{body}{TELL}");
        stage.asks("create_definition", json!({ "type": "workflow", "name": name, "source": source })).await;
        let run = json!({ "type": "workflow", "name": name });
        all(&stage.runtime, "run_definition", vec![run; runs]).await;
    }
    for restart in 0..restarts {
        // Not always at rest: some of what was just started still goes on.
        let now = Moment(stage.clock.now().0 + 60_000);
        stage.runtime.stop().await;
        stage = Stage::open(folder.path(), &compiler, now).await;
        if restart % 2 == 1 {
            stage.rest().await;
        }
    }
    stage.rest().await;
    let started = |count: usize| BTreeMap::from([("started".to_owned(), count)]);
    for (name, _) in WAITS {
        assert_eq!(stage.stand("workflow", name).await, started(runs), "{name}");
    }
    assert_eq!(stage.stand("workflow", "inner").await, started(runs));
    assert_eq!(stage.stand("interaction", "ask").await, started(runs));

    stage.clock.pass(DAY);
    let go = json!({ "event": { "type": "com.example.go", "source": "/world", "id": "go" } });
    stage.asks("publish_event", go).await;
    let (mut answers, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let mut fields = json!({ "limit": 100 });
        if !cursor.is_null() {
            fields["cursor"] = cursor;
        }
        let mut page = stage.asks("list_interactions", fields).await;
        for request in page["interactions"].as_array().expect("a list") {
            answers.push(json!({ "run_id": request["run_id"], "answer": { "verdict": "yes" } }));
        }
        cursor = page["next_cursor"].take();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(answers.len(), runs, "requests in the inbox");
    all(&stage.runtime, "answer_interaction", answers).await;
    stage.rest().await;

    let succeeded = BTreeMap::from([("succeeded".to_owned(), runs)]);
    for (name, _) in WAITS {
        assert_eq!(stage.stand("workflow", name).await, succeeded, "{name}");
    }
    assert_eq!(stage.stand("workflow", "inner").await, succeeded);
    assert_eq!(stage.stand("interaction", "ask").await, succeeded);
    // Each run told so once.
    let (mut told, mut cursor) = (BTreeMap::<String, usize>::new(), Value::Null);
    loop {
        let mut fields = json!({ "type": "event_published", "limit": 100, "order": "asc" });
        if !cursor.is_null() {
            fields["cursor"] = cursor;
        }
        let mut page = stage.asks("list_playbook_events", fields).await;
        for row in page["events"].as_array().expect("a list") {
            if let Some(run) = row["data"]["subject"].as_str() {
                *told.entry(run.to_owned()).or_default() += 1;
            }
        }
        cursor = page["next_cursor"].take();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!((told.len(), told.values().max()), (runs * WAITS.len(), Some(&1)));
    stage.runtime.stop().await;
}
