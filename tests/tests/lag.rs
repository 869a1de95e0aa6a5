//! Views that hold back no other: one whose fold never ends and one that takes its worker along, beside views that
//! follow their playbooks. "When a view stalls", "How the view is kept".

use playbook_host::{Clock, Place, Runtime, Settings};
use playbook_model::id::{OrgId, PlaybookId, PlaybookKey};
use playbook_tests::{CRASH, Server, definition, program};
use playbook_typescript::Compiler;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const PLAYBOOKS: [&str; 4] = ["one", "two", "three", "four"];

/// Counts the events of a type, and does with an event what its data says.
fn counting(kind: &str) -> String {
    format!(
        "---
language: typescript
source:
  events:
    - type: {kind}
view:
  initial: 0
---
export function fold(view: View, event: Event): View {{
  if (event.data === 'loop') for (;;) 'x'.repeat(30000000);
  if (event.data === '{}' + '{}') for (;;) 'x'.repeat(30000000);
  return (typeof view === 'number' ? view : 0) + 1;
}}
",
        // In two parts, since the worker takes a program that holds the text for an event that does.
        &CRASH[..5],
        &CRASH[5..],
    )
}

/// "Ten views, four playbooks": the other views stay within two seconds of their playbook throughout.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_other_views_stay_close_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let worker = program("crashing-worker");
    let server = Arc::new(Server::start_with(&folder.path().join("data"), &[("PLAYBOOK_WORKER", worker)]));
    let mut views = Vec::new();
    for playbook in PLAYBOOKS {
        server.post("/v1/orgs/local/playbooks", json!({ "playbook": playbook, "name": playbook }), 201).await;
        for name in ["ticks", "again"] {
            save(&server, playbook, name, &counting("tick")).await;
            views.push((playbook, name));
        }
    }
    // One fold that never ends, and one that takes its worker along.
    save(&server, "one", "loops", &counting("looped")).await;
    save(&server, "two", "crashes", &counting("crashed")).await;
    for (playbook, name) in &views {
        server.caught_up(&format!("/v1/orgs/local/playbooks/{playbook}"), name).await;
    }
    publish(&server, "one", "looped", "loop").await;
    publish(&server, "two", "crashed", CRASH).await;

    let published: [AtomicU64; 4] = Default::default();
    let published = Arc::new(published);
    let begun = Instant::now();
    let lasts = Duration::from_secs(20);
    let publishers: Vec<_> = (0..PLAYBOOKS.len())
        .map(|at| {
            let (server, published) = (server.clone(), published.clone());
            tokio::spawn(async move {
                while begun.elapsed() < lasts {
                    publish(&server, PLAYBOOKS[at], "tick", "tick").await;
                    published[at].fetch_add(1, Ordering::Relaxed);
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            })
        })
        .collect();

    let mut worst = Duration::ZERO;
    while begun.elapsed() < lasts {
        // What was published by now has to be folded within two seconds.
        let expected: Vec<u64> = published.iter().map(|count| count.load(Ordering::Relaxed)).collect();
        let since = Instant::now();
        for (playbook, name) in &views {
            let at = PLAYBOOKS.iter().position(|known| known == playbook).expect("one of the four");
            loop {
                let standing = standing(&server, playbook, name).await;
                assert_eq!(standing["state"], "live", "{playbook}/{name}: {standing:#}");
                if standing["folded"].as_u64().expect("a count") >= expected[at] {
                    break;
                }
                assert!(since.elapsed() < bound(), "{playbook}/{name} is behind: {standing:#}");
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
        worst = worst.max(since.elapsed());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    for publisher in publishers {
        publisher.await.expect("a publisher ends");
    }
    assert!(published.iter().all(|count| count.load(Ordering::Relaxed) > 50), "{published:?}");
    println!("the most any view was behind: {worst:?}");
    for (playbook, name) in [("one", "loops"), ("two", "crashes")] {
        let standing = standing(&server, playbook, name).await;
        assert_eq!(standing["folded"], 0, "{playbook}/{name}: {standing:#}");
    }
}

/// "The worker folding the page crashed at this event twenty times."
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_fold_that_takes_its_worker_along_stalls_on_its_twentieth_try() {
    let folder = tempfile::tempdir().expect("a folder");
    let worker = program("crashing-worker");
    let server = Server::start_with(&folder.path().join("data"), &[("PLAYBOOK_WORKER", worker)]);
    server.post("/v1/orgs/local/playbooks", json!({ "playbook": "one", "name": "One" }), 201).await;
    for data in ["a", "b"] {
        publish(&server, "one", "tick", data).await;
    }
    save(&server, "one", "ticks", &counting("tick")).await;
    server.caught_up("/v1/orgs/local/playbooks/one", "ticks").await;
    for data in [CRASH, "c"] {
        publish(&server, "one", "tick", data).await;
    }
    let standing = until(&server, "one", "ticks", "stalled").await;
    assert_eq!(standing["folded"], 2);
    assert_eq!(standing["stalled"]["kind"], "crash");
    assert_eq!(standing["stalled"]["event"]["type"], "tick");
    let refused = server.post("/v1/orgs/local/playbooks/one/definitions/recall/ticks/run", json!({}), 409).await;
    assert_eq!((&refused["reason"], &refused["kind"]), (&json!("conflict"), &json!("stalled")));
    let detail = refused["detail"].as_str().expect("words");
    assert!(detail.contains("the worker folding it crashed twenty times"), "{detail}");
    assert!(!detail.contains(CRASH), "{detail}");
}

/// "The fold ran out of its 10 seconds twenty times", here of a shorter time; and one that ends just within it passes.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_fold_out_of_time_stalls_on_its_twentieth_try() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = Place::Data(folder.path().join("data"));
    let settings = Settings { fold_milliseconds: 300, ..Settings::default() };
    let runtime = Runtime::open_with(place, settings, Arc::new(Compiler::new()), Clock::system()).await;
    let runtime = runtime.expect("the runtime opens");
    let key = PlaybookKey { org: OrgId::local(), playbook: PlaybookId::new("one").expect("an id") };
    let asks = async |operation: &str, mut fields: Value| {
        fields["org"] = "local".into();
        fields["playbook"] = "one".into();
        runtime.local(operation, fields).await.unwrap_or_else(|refusal| panic!("{operation}: {refusal:?}"))
    };
    asks("create_playbook", json!({ "name": "One" })).await;
    for (name, kind) in [("ticks", "tick"), ("others", "other")] {
        asks("create_definition", json!({ "type": "recall", "name": name, "source": counting(kind) })).await;
    }
    for (at, data) in ["a", "loop", "b"].into_iter().enumerate() {
        asks(
            "publish_event",
            json!({ "event": { "type": "tick", "source": "/s", "id": at.to_string(), "data": data } }),
        )
        .await;
        asks("publish_event", json!({ "event": { "type": "other", "source": "/o", "id": at.to_string() } })).await;
    }
    let mut moves = runtime.view_moves();
    let end = Instant::now() + Duration::from_secs(120);
    let stalled = loop {
        let definition = asks("get_definition", json!({ "type": "recall", "name": "ticks" })).await;
        let standing = definition["standing"].clone();
        if standing["state"] == "stalled" {
            break standing;
        }
        assert!(Instant::now() < end, "{standing:#}");
        let _ = tokio::time::timeout(Duration::from_secs(1), moves.changed()).await;
    };
    assert_eq!(stalled["folded"], 1);
    assert_eq!((&stalled["stalled"]["kind"], &stalled["stalled"]["event"]["id"]), (&json!("time"), &json!("1")));
    runtime.caught_up(&key, "others", Duration::from_secs(10)).await;
    assert_eq!(runtime.view_text(&key, "others").as_deref(), Some("3"));
    runtime.stop().await;
}

/// Two seconds where the machine is the test's own, `TEST_SLACK=1`; else so many that only a view that waits for the
/// ten seconds of another's fold is past them.
fn bound() -> Duration {
    let slack = std::env::var("TEST_SLACK").ok().and_then(|slack| slack.parse::<f64>().ok()).unwrap_or(4.0);
    Duration::from_secs(2).mul_f64(slack)
}

async fn save(server: &Server, playbook: &str, name: &str, source: &str) {
    server
        .post(&format!("/v1/orgs/local/playbooks/{playbook}/definitions/recall"), definition(name, source), 201)
        .await;
}

async fn publish(server: &Server, playbook: &str, kind: &str, data: &str) {
    let event = json!({ "event": { "type": kind, "source": "/test", "data": data } });
    server.post(&format!("/v1/orgs/local/playbooks/{playbook}/events"), event, 200).await;
}

async fn standing(server: &Server, playbook: &str, name: &str) -> Value {
    server.get(&format!("/v1/orgs/local/playbooks/{playbook}/definitions/recall/{name}")).await["standing"].clone()
}

async fn until(server: &Server, playbook: &str, name: &str, state: &str) -> Value {
    let end = Instant::now() + Duration::from_secs(120);
    loop {
        let standing = standing(server, playbook, name).await;
        if standing["state"] == state {
            return standing;
        }
        assert!(Instant::now() < end, "{standing:#}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
