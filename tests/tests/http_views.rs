//! The Studio's routes of views over HTTP: how a view stands, its filters, scrubbing, the bench that repairs it.

use playbook_host::studio::{Studio, StudioOptions};
use playbook_server::{Access, Origins, Running, Site, SiteOptions, serve};
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a test waits for what goes on behind.
const BOUND: Duration = Duration::from_secs(60);

/// Keeps a number by the name its events give, the last ten names.
const KEEPS: &str = "---
language: typescript
source:
  events:
    - type: beat
view:
  initial: {}
  schema:
    type: object
    maxProperties: 10
    additionalProperties: { type: number }
---
export function fold(view: View, event: Event): View {
  const name = event.subject ?? 'none';
  if (name === 'bad') throw new Error('no such name');
  const before = Object.hasOwn(view, name) ? view[name] : 0;
  const rest = Object.entries(view).filter(([key]) => key !== name).slice(-9);
  return Object.fromEntries([...rest, [name, (before ?? 0) + 1]]);
}
";

struct Stage {
    studio: Arc<Studio>,
    running: Running,
    client: reqwest::Client,
    home: tempfile::TempDir,
}

#[derive(Debug)]
struct Answer {
    status: u16,
    body: Value,
}

impl Answer {
    #[track_caller]
    fn is(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{:#}", self.body);
        self.body
    }
}

impl Stage {
    async fn new() -> Self {
        let home = tempfile::tempdir().expect("a folder");
        let options = StudioOptions {
            data_dir: home.path().join("data"),
            config_dir: home.path().join("config"),
            host: "browser",
        };
        let studio = Arc::new(Studio::new(options));
        let site = Site::new(SiteOptions {
            operations: studio.clone(),
            workspace: Some(studio.clone()),
            access: Access::Local,
            origins: Origins::default(),
            ui: None,
        });
        let running = serve(site, "127.0.0.1:0").await.expect("a free port");
        let client = reqwest::Client::builder().no_proxy().build().expect("a client");
        let stage = Self { studio, running, client, home };
        let path = stage.folder();
        stage.post("/folder/new", json!({ "path": path, "playbook": "main", "name": "Main" })).await.is(200);
        stage
    }

    fn folder(&self) -> std::path::PathBuf {
        self.home.path().join("folder")
    }

    async fn send(&self, method: Method, path: &str, body: Option<Value>) -> Answer {
        let mut request = self.client.request(method, format!("http://{}{path}", self.running.address()));
        if let Some(body) = body {
            request = request.json(&body);
        }
        let answer = request.send().await.expect("an answer");
        let status = answer.status().as_u16();
        let text = answer.text().await.expect("a whole answer");
        Answer { status, body: serde_json::from_str(&text).unwrap_or(Value::Null) }
    }

    async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, &format!("/studio/api{path}"), None).await
    }

    async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(Method::POST, &format!("/studio/api{path}"), Some(body)).await
    }

    /// Saves a recall function: its file is written and recorded.
    async fn save(&self, name: &str, text: &str) {
        let path = self.folder().join("recall");
        std::fs::create_dir_all(&path).expect("a folder");
        let there = path.join(format!("{name}.md")).exists();
        let saved = if there {
            let read = self.get(&format!("/documents/recall/{name}")).await.is(200);
            let body = json!({ "text": text, "base": read["base"] });
            self.send(Method::PUT, &format!("/studio/api/documents/recall/{name}"), Some(body)).await
        } else {
            self.post("/documents", json!({ "type": "recall", "name": name, "text": text })).await
        };
        assert!(saved.status < 300, "{saved:#?}");
    }

    /// Publishes events, each of a type and a subject, in order.
    async fn publish(&self, events: &[(&str, &str)]) {
        for (kind, subject) in events {
            self.publish_one(json!({ "type": kind, "source": "/s", "subject": subject })).await;
        }
    }

    async fn publish_one(&self, event: Value) -> Value {
        let path = "/v1/orgs/local/playbooks/main/events";
        let answer = self.send(Method::POST, path, Some(json!({ "event": event }))).await;
        assert!(answer.status < 300, "{answer:#?}");
        answer.body
    }

    /// Asks until an answer is as wanted.
    async fn until(&self, path: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + BOUND;
        loop {
            let answer = self.get(path).await.is(200);
            if wanted(&answer) {
                return answer;
            }
            assert!(Instant::now() < end, "{path} stayed {answer:#}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn stands(&self, name: &str, state: &str, folded: u64) -> Value {
        let path = format!("/views/{name}");
        self.until(&path, |view| view["standing"]["state"] == state && view["standing"]["folded"] == folded).await
    }

    async fn end(self) {
        self.running.stop().await;
        self.studio.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_view_that_folded_nothing_says_what_came_nearest() {
    let stage = Stage::new().await;
    stage
        .publish(&[
            ("spent", "a/breif"),
            ("spent", "a/breif"),
            ("spent", "a/zzz"),
            ("spent", "a/zzz"),
            ("spent", "a/zzz"),
        ])
        .await;
    stage.publish(&[("campaign_spent", "x")]).await;
    let text = KEEPS.replace("    - type: beat\n", "    - type: spent\n      subject: a/brief\n    - type: campaign_spend\n    - type: nothing_like_it\n    - type: spent\n      subject: a/zzz\n      data: { n: 1 }\n");
    stage.save("keeps", &text).await;
    let view = stage.stands("keeps", "live", 0).await;
    let filters = view["filters"].as_array().expect("filters");
    let taken: Vec<&Value> = filters.iter().map(|filter| &filter["taken"]).collect();
    assert_eq!(taken, [&json!(0), &json!(0), &json!(0), &json!(3)], "{view:#}");
    assert_eq!(
        filters[0]["nearest"],
        json!({
            "count": 2, "type": "spent", "attribute": "subject", "value": "a/breif", "wanted": "a/brief",
            "sentence": "2 spent events of a/breif were recorded, none of a/brief.",
        })
    );
    assert_eq!(filters[1]["nearest"]["sentence"], "1 campaign_spent event was recorded, none of type campaign_spend.");
    assert_eq!(filters[2]["nearest"], Value::Null);
    assert_eq!(filters[3]["type"], "spent");
    assert_eq!(view["standing"]["known"], Value::Null, "a live view is not being built");
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stalled_view_says_what_waits_and_both_sides() {
    let stage = Stage::new().await;
    stage.save("keeps", KEEPS).await;
    let strict = KEEPS.replace("(before ?? 0) + 1", "before === 1 ? 'two' as unknown as number : 1");
    stage.save("strict", &strict).await;
    let filtered = KEEPS.replace("    - type: beat\n", "    - type: beat\n      data: '${ $data.n > 1 }'\n");
    stage.save("filtered", &filtered).await;
    stage.publish(&[("beat", "a"), ("beat", "b"), ("beat", "a"), ("beat", "bad")]).await;
    stage.publish(&[("beat", "a"), ("other", "b"), ("beat", "c")]).await;
    for (n, subject) in [(2, "x"), (1, "bad"), (5, "bad"), (1, "x"), (2, "y"), (9, "z")] {
        stage.publish_one(json!({ "type": "beat", "source": "/s", "subject": subject, "data": { "n": n } })).await;
    }
    let view = stage.stands("keeps", "stalled", 3).await;
    let view = stage.until("/views/keeps", |now| now["stalled"]["waiting"] == 8).await["stalled"]
        .clone()
        .is_object()
        .then_some(view)
        .expect("stalled");
    assert_eq!((&view["stalled"]["kind"], &view["stalled"]["line"]), (&json!("raised"), &json!(15)));
    let view = stage.stands("strict", "stalled", 2).await;
    assert_eq!(view["stalled"]["kind"], "schema");
    let issue = &view["stalled"]["issue"];
    assert_eq!((&issue["pointer"], &issue["found"]), (&json!("/a"), &json!("\"two\"")), "{view:#}");
    assert_eq!(issue["detail"], "Expected a number");
    stage.stands("filtered", "stalled", 1).await;
    let view = stage.until("/views/filtered", |now| now["stalled"]["waiting"] == 2).await;
    assert_eq!(view["filters"][0]["taken"], Value::Null, "it folded something");

    let grows = "---
language: typescript
source:
  events: [{ type: beat }]
view: { initial: {} }
---
export function fold(view: View, event: Event): View {
  const kept = typeof view === 'object' && view !== null && !Array.isArray(view) ? view : {};
  return { ...kept, [event.subject ?? '']: 'x'.repeat(event.subject === 'a' ? 200_000 : 100_000) };
}
";
    stage.save("grows", grows).await;
    let view = stage.stands("grows", "stalled", 6).await;
    let largest = view["stalled"]["largest"].as_array().expect("sizes");
    assert_eq!(largest[0], json!({ "name": "a", "bytes": 200_002 }));
    assert_eq!(largest.len(), 4, "{largest:?}");

    let unfit =
        grows.replace("'x'.repeat(event.subject === 'a' ? 200_000 : 100_000)", "new Date(0) as unknown as string");
    stage.save("unfit", &unfit).await;
    let view = stage.stands("unfit", "stalled", 0).await;
    assert_eq!(view["stalled"]["issue"], json!({ "path": "$.a", "found": "a Date" }), "{view:#}");
    stage.end().await;
}
