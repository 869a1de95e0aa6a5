//! The same history gives the same views: in pages of any size, over restarts at any moment, with several views and
//! versions of them in between. "The same history folds to the same view on every server."

use playbook_history::History;
use playbook_host::{Clock, Place, Runtime, Settings};
use playbook_model::id::{OrgId, PlaybookId, PlaybookKey};
use playbook_model::time::Moment;
use playbook_typescript::Compiler;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

/// Each takes other events in another way; `{n}` differs between versions.
const VIEWS: [(&str, &str); 3] = [
    (
        "lists",
        "source:
  events:
    - { type: tick, data: '${ $data.n % 3 !== 0 }' }
    - type: tock
view:
  initial: []
  schema: { type: array, maxItems: 40 }
---
export function fold(view: View, event: Event): View {
  return [...view, { id: event.id, at: event.time ?? '', data: event.data ?? null, now: Date.now(), v: {n} }].slice(-40);
}
",
    ),
    (
        "sums",
        "source:
  events:
    - type: tick
view:
  initial: { total: 0, sources: {} }
---
export function fold(view: View, event: Event): View {
  const kept = view as { total: number; sources: { [source: string]: number } };
  const n = (event.data as { n: number }).n * {n};
  const before = Object.hasOwn(kept.sources, event.source) ? (kept.sources[event.source] ?? 0) : 0;
  kept.total += n;
  return { ...kept, sources: { ...kept.sources, [event.source]: before + n } };
}
",
    ),
    (
        "saves",
        "source:
  events:
    - type: definition_created
    - type: definition_updated
    - { type: tock, source: /b }
---
export function fold(view: View, event: Event): View {
  return [...(Array.isArray(view) ? view : []), [event.type, event.source, event.definitionversion ?? {n}]];
}
",
    ),
];

#[derive(Debug, Clone)]
enum Step {
    /// So many events of the two types.
    Publish(u8),
    /// The next version of a view.
    Save(u8),
    /// The runtime ends where it is, and another goes on with pages of this size.
    Restart(usize),
    /// Until a view has read everything.
    Wait(u8),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (1..60_u8).prop_map(Step::Publish),
        2 => (0..3_u8).prop_map(Step::Save),
        1 => prop_oneof![1..8_usize, 8..1_000_usize].prop_map(Step::Restart),
        1 => (0..3_u8).prop_map(Step::Wait),
    ];
    prop::collection::vec(step, 4..14)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, max_shrink_iters: 40, ..ProptestConfig::default() })]

    #[test]
    fn any_way_there_gives_the_same_views(first in prop_oneof![Just(1_usize), 1..1_000_usize], steps in steps()) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
        runtime.block_on(play(first, &steps));
    }
}

async fn play(first: usize, steps: &[Step]) {
    static COMPILER: std::sync::OnceLock<Arc<Compiler>> = std::sync::OnceLock::new();
    let compiler = COMPILER.get_or_init(|| Arc::new(Compiler::new())).clone();
    let folder = tempfile::tempdir().expect("a folder");
    let mut stage =
        Stage { clock: Arc::new(AtomicI64::new(1_790_000_000_000)), compiler, events: 0, versions: BTreeMap::new() };
    let mut runtime = stage.open(folder.path(), first).await;
    asks(&runtime, "create_playbook", json!({ "name": "Same" })).await;
    for at in 0..VIEWS.len() {
        stage.save(&runtime, at).await;
    }
    for step in steps {
        match step {
            Step::Publish(count) => stage.publish(&runtime, usize::from(*count)).await,
            Step::Save(at) => stage.save(&runtime, usize::from(*at)).await,
            Step::Restart(size) => {
                runtime.stop().await;
                runtime = stage.open(folder.path(), *size).await;
            }
            Step::Wait(at) => settled(&runtime, VIEWS[usize::from(*at)].0).await,
        }
    }
    let live = stage.views(&runtime).await;
    runtime.stop().await;

    // From nothing, in the usual pages.
    let history = History::open(&folder.path().join("log.db")).expect("the log opens");
    for (name, _) in VIEWS {
        let _ = history.drop_view(&key(), name).expect("the view is let go of");
    }
    history.close();
    drop(history);
    let again = stage.open(folder.path(), 1_000).await;
    let rebuilt = stage.views(&again).await;
    again.stop().await;
    assert_eq!(live, rebuilt);
}

struct Stage {
    clock: Arc<AtomicI64>,
    compiler: Arc<Compiler>,
    events: usize,
    versions: BTreeMap<usize, u32>,
}

impl Stage {
    async fn open(&self, folder: &Path, page_records: usize) -> Runtime {
        let clock = self.clock.clone();
        let settings = Settings { page_records, ..Settings::default() };
        let place = Place::Data(folder.to_path_buf());
        let clock = Clock::of(move || Moment(clock.load(Ordering::Relaxed)));
        Runtime::open_with(place, settings, self.compiler.clone(), clock).await.expect("the runtime opens")
    }

    async fn publish(&mut self, runtime: &Runtime, count: usize) {
        for _ in 0..count {
            self.events += 1;
            self.clock.fetch_add(37, Ordering::Relaxed);
            let n = self.events;
            let kind = if n.is_multiple_of(4) { "tock" } else { "tick" };
            let source = ["/a", "/b", "__proto__"][n % 3];
            let event = json!({ "type": kind, "source": source, "id": n.to_string(), "data": { "n": n, "text": "é\u{1f600}" } });
            asks(runtime, "publish_event", json!({ "event": event })).await;
        }
    }

    async fn save(&mut self, runtime: &Runtime, at: usize) {
        let (name, source) = VIEWS[at];
        let version = self.versions.entry(at).or_default();
        *version += 1;
        let source = format!("---\nlanguage: typescript\n{}", source.replace("{n}", &version.to_string()));
        let operation = if *version == 1 { "create_definition" } else { "update_definition" };
        asks(runtime, operation, json!({ "type": "recall", "name": name, "source": source })).await;
    }

    /// Every view once it has read everything, with how many events it folded and the last of them.
    async fn views(&self, runtime: &Runtime) -> Vec<(String, Value)> {
        let mut views = Vec::new();
        for (name, _) in VIEWS {
            settled(runtime, name).await;
            let definition = asks(runtime, "get_definition", json!({ "type": "recall", "name": name })).await;
            let standing = &definition["standing"];
            assert_eq!(standing["state"], "live", "{standing:#}");
            let view = runtime.view_text(&key(), name).expect("a view");
            let facts = ["version", "folded", "last_event", "checkpoint", "checkpoint_at"];
            views.push((view, facts.into_iter().map(|fact| (fact.to_owned(), standing[fact].clone())).collect()));
        }
        views
    }
}

/// Waits until a view is live and has read everything.
async fn settled(runtime: &Runtime, name: &str) {
    let end = std::time::Instant::now() + Duration::from_secs(60);
    loop {
        runtime.caught_up(&key(), name, Duration::from_secs(10)).await;
        let definition = asks(runtime, "get_definition", json!({ "type": "recall", "name": name })).await;
        if definition["standing"]["state"] == "live" && definition["standing"]["version"] == definition["version"] {
            return;
        }
        assert!(std::time::Instant::now() < end, "{name}: {:#}", definition["standing"]);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

fn key() -> PlaybookKey {
    PlaybookKey { org: OrgId::local(), playbook: PlaybookId::new("same").expect("an id") }
}

async fn asks(runtime: &Runtime, operation: &str, mut fields: Value) -> Value {
    fields["org"] = "local".into();
    fields["playbook"] = "same".into();
    runtime.local(operation, fields).await.unwrap_or_else(|refusal| panic!("{operation}: {refusal:?}"))
}
