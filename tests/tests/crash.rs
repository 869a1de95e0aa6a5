//! Kill -9 at random moments, while events are published and views fold: everything acknowledged is there,
//! and the views are those of a rebuild from nothing.

use playbook_history::History;
use playbook_model::id::{OrgId, PlaybookId, PlaybookKey};
use playbook_tests::{Server, definition};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const PLAYBOOK: &str = "/v1/orgs/local/playbooks/crashes";
const ROUNDS: u64 = 6;
const PUBLISHERS: usize = 4;

/// Keeps how many events of each publisher were seen, and the ids of the last fifty.
const SEEN: &str = "---
language: typescript
source:
  events:
    - type: beat
    - type: beat_again
      data: '${ $data.n % 2 === 0 }'
view:
  initial: { counts: {}, last: [] }
  schema:
    type: object
    required: [counts, last]
    properties:
      counts: { type: object, maxProperties: 20, additionalProperties: { type: integer } }
      last: { type: array, maxItems: 50, items: { type: string } }
---
export function fold(view: View, event: Event): View {
  const before = Object.hasOwn(view.counts, event.source) ? (view.counts[event.source] ?? 0) : 0;
  return { counts: { ...view.counts, [event.source]: before + 1 }, last: [...view.last, event.id].slice(-50) };
}
";

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nothing_acknowledged_is_lost_and_views_equal_a_rebuild() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let server = Server::start(&data);
    server.post("/v1/orgs/local/playbooks", json!({ "playbook": "crashes", "name": "Crashes" }), 201).await;
    server.post(&format!("{PLAYBOOK}/definitions/recall"), definition("beats", SEEN), 201).await;
    drop(server);

    let mut acknowledged = BTreeSet::new();
    for round in 0..ROUNDS {
        let server = Arc::new(Server::start(&data));
        let taken = Arc::new(AtomicU64::new(0));
        let publishers: Vec<_> = (0..PUBLISHERS)
            .map(|publisher| {
                let (server, taken) = (server.clone(), taken.clone());
                tokio::spawn(async move { publish(&server, round, publisher, &taken).await })
            })
            .collect();
        // Another moment each round: after so many events were acknowledged, while others are on their way.
        while taken.load(Ordering::Relaxed) < 7 + 31 * round {
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
        kill(&server);
        for publisher in publishers {
            acknowledged.extend(publisher.await.expect("a publisher ends"));
        }
    }
    assert!(acknowledged.len() > 100, "only {} events were acknowledged", acknowledged.len());

    let server = Server::start(&data);
    let kept = server.caught_up(PLAYBOOK, "beats").await;
    let view = recalled(&server).await;
    assert_eq!(missing(&server, &acknowledged).await, Vec::<String>::new());
    drop(server);

    let key = PlaybookKey { org: OrgId::local(), playbook: PlaybookId::new("crashes").expect("an id") };
    let history = History::open(&data.join("log.db")).expect("the log opens after a kill");
    let _ = history.drop_view(&key, "beats").expect("the view is let go of");
    history.close();
    drop(history);

    let server = Server::start(&data);
    let mut rebuilt = server.caught_up(PLAYBOOK, "beats").await;
    let again = recalled(&server).await;
    // The run that read the view was recorded too, so only the place read to has moved.
    for name in ["checkpoint", "checkpoint_at", "newest_record_at", "lag_ms"] {
        rebuilt[name] = kept[name].clone();
    }
    assert_eq!(rebuilt, kept);
    assert_eq!(again, view, "the view of a rebuild from nothing is another");
}

/// Ends the process at once, as a power cut would.
fn kill(server: &Server) {
    let killed = std::process::Command::new("kill").args(["-9", &server.process().to_string()]).status();
    assert!(killed.expect("kill runs").success());
}

/// Publishes one event after the other until the server is gone; gives those it acknowledged.
async fn publish(server: &Server, round: u64, publisher: usize, count: &AtomicU64) -> Vec<String> {
    let mut taken = Vec::new();
    for n in 0.. {
        let id = format!("{round}-{publisher}-{n}");
        let kind = if n % 3 == 0 { "beat_again" } else { "beat" };
        let event = json!({ "event": {
            "type": kind, "source": format!("/publisher/{publisher}"), "id": id, "data": { "n": n },
        }});
        match server.send(reqwest::Method::POST, &format!("{PLAYBOOK}/events"), Some(event)).await {
            Some((200, _)) => {
                taken.push(id);
                count.fetch_add(1, Ordering::Relaxed);
            }
            Some((status, answer)) => panic!("{status}: {answer:#}"),
            None => break,
        }
    }
    taken
}

/// What a run of the recall function gives, and its record's reading without where it stands in the log.
async fn recalled(server: &Server) -> Value {
    let run = server.post(&format!("{PLAYBOOK}/definitions/recall/beats/run"), json!({}), 200).await;
    json!({ "output": run["output"], "folded": run["record"]["view"]["folded"], "last": run["record"]["view"]["last_event"] })
}

async fn missing(server: &Server, acknowledged: &BTreeSet<String>) -> Vec<String> {
    let mut there = BTreeSet::new();
    let mut cursor = String::new();
    loop {
        let page = server.get(&format!("{PLAYBOOK}/events?type=event_published&limit=100{cursor}")).await;
        for row in page["events"].as_array().expect("rows") {
            there.insert(row["data"]["event_id"].as_str().expect("an id").to_owned());
        }
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    acknowledged.difference(&there).cloned().collect()
}
