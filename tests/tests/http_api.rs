//! The operations over HTTP with the real runtime behind: playbooks, definitions, runs, events, keys.

use playbook_host::{Place, Runtime, Settings};
use playbook_model::id::OrgId;
use playbook_server::{Access, Origins, Running, Site, SiteOptions, make_key, read_keys, serve};
use reqwest::Method;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

const DOUBLE: &str = "---
language: typescript
description: Doubles a number
input:
  schema:
    type: object
    required: [n]
    properties:
      n: { type: number }
output:
  schema:
    type: object
    required: [twice]
    properties:
      twice: { type: number }
---
export default function (input: Input): Output {
  return { twice: input.n * 2 };
}
";

const COUNT: &str = "---
language: typescript
source:
  events:
    - type: beat
view:
  initial: { count: 0 }
  schema:
    type: object
    required: [count]
    properties:
      count: { type: integer }
---
export function fold(view: View, event: Event): View {
  if (event.subject === 'bad') throw new Error('no');
  return { count: view.count + 1 };
}
";

const ID: &str = "0f8fad5b-d9cb-469f-a165-70867728950e";

struct Stage {
    runtime: Runtime,
    site: Site,
    running: Running,
    client: reqwest::Client,
    _data: tempfile::TempDir,
}

#[derive(Debug)]
struct Answer {
    status: u16,
    headers: HeaderMap,
    body: Value,
}

impl Answer {
    #[track_caller]
    fn is(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{self:#?}");
        self.body
    }

    /// Expects a problem document of a status, a reason and a kind.
    #[track_caller]
    fn refused(self, status: u16, reason: &str, kind: Option<&str>) -> Value {
        let body = self.is(status);
        assert_eq!((body["reason"].as_str(), body["kind"].as_str()), (Some(reason), kind), "{body:#}");
        body
    }
}

fn pointers(problem: &Value) -> Vec<&str> {
    problem["errors"].as_array().expect("errors").iter().filter_map(|error| error["pointer"].as_str()).collect()
}

impl Stage {
    async fn new(access: Access) -> Self {
        let data = tempfile::tempdir().expect("a folder");
        let runtime = Runtime::open(Place::Data(data.path().to_owned()), Settings::default()).await.expect("a runtime");
        let site = Site::new(SiteOptions {
            operations: Arc::new(runtime.clone()),
            workspace: None,
            access,
            origins: Origins::default(),
            ui: None,
        });
        let running = serve(site.clone(), "127.0.0.1:0").await.expect("a free port");
        let client = reqwest::Client::builder().no_proxy().build().expect("a client");
        Self { runtime, site, running, client, _data: data }
    }

    async fn local() -> Self {
        let stage = Self::new(Access::Local).await;
        stage.post("/v1/orgs/acme/playbooks", json!({"playbook": "main", "name": "Main"})).await.is(201);
        stage
    }

    async fn send(&self, method: Method, path: &str, body: Option<Value>, key: Option<&str>) -> Answer {
        let mut request = self.client.request(method, format!("http://{}{path}", self.running.address()));
        if let Some(body) = body {
            request = request.json(&body);
        }
        if let Some(key) = key {
            request = request.bearer_auth(key);
        }
        let answer = request.send().await.expect("an answer");
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        let text = answer.text().await.expect("a whole answer");
        Answer { status, headers, body: serde_json::from_str(&text).expect("JSON") }
    }

    async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, None, None).await
    }

    async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(Method::POST, path, Some(body), None).await
    }

    async fn put(&self, path: &str, body: Value) -> Answer {
        self.send(Method::PUT, path, Some(body), None).await
    }

    async fn end(self) {
        self.running.stop().await;
        self.runtime.stop().await;
    }
}

const MAIN: &str = "/v1/orgs/acme/playbooks/main";

fn at(rest: &str) -> String {
    format!("{MAIN}{rest}")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn playbooks_live_and_retire() {
    let stage = Stage::local().await;
    let all = "/v1/orgs/acme/playbooks";
    let made = stage.get(MAIN).await.is(200);
    assert_eq!((&made["id"], &made["name"], &made["status"]), (&json!("main"), &json!("Main"), &json!("active")));
    stage.post(all, json!({"playbook": "main", "name": "Again"})).await.refused(409, "conflict", Some("taken"));
    let wrong = stage.post(all, json!({"playbook": "X", "extra": 1, "description": 5})).await;
    let wrong = wrong.refused(422, "invalid_input", None);
    let found: BTreeSet<&str> = pointers(&wrong).into_iter().collect();
    assert!(found.contains("/playbook") && found.contains("/extra") && found.contains("/name"), "{wrong:#}");
    let changed = stage.put(MAIN, json!({"name": "Other", "description": "Why"})).await.is(200);
    assert_eq!((&changed["name"], &changed["description"]), (&json!("Other"), &json!("Why")));
    assert_eq!(pointers(&stage.put(MAIN, json!({"name": "Other"})).await.is(422)), ["/description"]);
    stage.get("/v1/orgs/acme/playbooks/none").await.refused(404, "not_found", None);
    let retired = stage.post(&at("/retire"), json!({})).await.is(200);
    assert_eq!(retired["status"], "retired");
    stage.post(&at("/retire"), json!({})).await.is(200);
    stage.get(MAIN).await.is(200);
    let event = json!({"event": {"type": "a", "source": "/a"}});
    stage.post(&at("/events"), event).await.refused(409, "conflict", Some("retired"));
    stage.post(all, json!({"playbook": "main", "name": "Again"})).await.refused(409, "conflict", Some("retired"));
    assert_eq!(stage.get(all).await.is(200)["playbooks"], json!([]));
    let with = stage.get(&format!("{all}?include_retired=true")).await.is(200);
    assert_eq!(with["playbooks"].as_array().map(Vec::len), Some(1));
    assert_eq!(pointers(&stage.get(&format!("{all}?include_retired=yes")).await.is(422)), ["/include_retired"]);
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn definitions_are_saved_in_versions() {
    let stage = Stage::local().await;
    let all = at("/definitions/computation");
    let one = at("/definitions/computation/double");
    let made = stage.post(&all, json!({"name": "double", "source": DOUBLE})).await.is(201);
    assert_eq!((&made["version"], &made["media_type"]), (&json!(1), &json!("text/markdown")));
    stage.post(&all, json!({"name": "double", "source": DOUBLE})).await.refused(409, "conflict", Some("taken"));
    assert_eq!(stage.put(&one, json!({"source": DOUBLE})).await.is(200)["version"], 1);
    let source = DOUBLE.replace("Doubles", "Really doubles");
    assert_eq!(stage.put(&one, json!({"source": source})).await.is(200)["version"], 2);
    let read = stage.get(&one).await.is(200);
    assert_eq!(read["source"], source);
    assert!(read["overview"].as_str().is_some_and(|overview| overview.contains("Really doubles")));
    let listed = stage.get(&all).await.is(200);
    let row = &listed["definitions"][0];
    assert!(row["name"] == "double" && row.get("source").is_none() && row.get("overview").is_none(), "{row:#}");
    let broken = stage.put(&one, json!({"source": DOUBLE.replace("input.n * 2", "input.m")})).await;
    let broken = broken.refused(422, "invalid_input", None);
    assert_eq!(pointers(&broken), ["/source"]);
    assert!(broken["errors"][0]["detail"].as_str().is_some_and(|words| words.starts_with("Line 18")), "{broken:#}");
    assert_eq!(stage.get(&one).await.is(200)["version"], 2);
    stage.put(&at("/definitions/computation/other"), json!({"source": DOUBLE})).await.refused(404, "not_found", None);
    assert_eq!(pointers(&stage.get(&at("/definitions/tale")).await.is(422)), ["/type"]);
    stage.post(&at("/definitions/computation/double/retire"), json!({})).await.is(200);
    stage.put(&one, json!({"source": DOUBLE})).await.refused(409, "conflict", Some("retired"));
    let run = stage.post(&at("/definitions/computation/double/run"), json!({"input": {"n": 1}})).await;
    run.refused(409, "conflict", Some("retired"));
    stage.post(&all, json!({"name": "double", "source": DOUBLE})).await.refused(409, "conflict", Some("retired"));
    assert_eq!(stage.get(&all).await.is(200)["definitions"], json!([]));
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn runs_end_once_and_are_read_again() {
    let stage = Stage::local().await;
    stage.post(&at("/definitions/computation"), json!({"name": "double", "source": DOUBLE})).await.is(201);
    let run = at("/definitions/computation/double/run");
    let done = stage.post(&run, json!({"input": {"n": 21}, "run_id": ID.to_uppercase()})).await.is(200);
    assert_eq!(
        (&done["run_id"], &done["status"], &done["output"]),
        (&json!(ID), &json!("succeeded"), &json!({"twice": 42}))
    );
    assert_eq!(done["started_by"], "local");
    assert!(done["record"].is_object());
    assert_eq!(stage.post(&run, json!({"input": {"n": 21}, "run_id": ID})).await.is(200), done);
    stage.post(&run, json!({"input": {"n": 22}, "run_id": ID})).await.refused(409, "conflict", None);
    assert_eq!(stage.get(&at(&format!("/runs/{ID}"))).await.is(200), done);
    let other = "0f8fad5b-d9cb-469f-a165-70867728950f";
    let refused =
        stage.post(&run, json!({"input": {"n": "x"}, "run_id": other})).await.refused(422, "invalid_input", None);
    assert!(!pointers(&refused).is_empty(), "{refused:#}");
    let kept = stage.get(&at(&format!("/runs/{other}"))).await.is(200);
    assert_eq!((&kept["status"], &kept["rejection"]["reason"]), (&json!("rejected"), &json!("invalid_input")));
    stage.get(&at("/runs/0f8fad5b-d9cb-469f-a165-708677289500")).await.refused(404, "not_found", None);
    assert_eq!(pointers(&stage.get(&at("/runs/7")).await.is(422)), ["/run_id"]);
    let page = stage.get(&at("/runs?limit=1")).await.is(200);
    assert_eq!((page["runs"][0]["run_id"].as_str(), &page["has_more"]), (Some(other), &json!(true)));
    assert!(page["runs"][0].get("record").is_none());
    let cursor = page["next_cursor"].as_str().expect("a cursor").to_owned();
    let next = stage.get(&at(&format!("/runs?limit=1&cursor={cursor}"))).await.is(200);
    assert_eq!(next["runs"][0]["run_id"], ID);
    let only = stage.get(&at("/runs?status=succeeded&type=computation&name=double")).await.is(200);
    assert_eq!(only["runs"].as_array().map(Vec::len), Some(1));
    for wrong in ["limit=0", "limit=101", "limit=x", "cursor=x", "status=odd", "type=tale", "unknown=1"] {
        let field = wrong.split('=').next().expect("a name");
        let refused = stage.get(&at(&format!("/runs?{wrong}"))).await.refused(422, "invalid_input", None);
        assert_eq!(pointers(&refused), [format!("/{field}")], "{wrong}");
    }
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_have_an_identity_and_a_feed() {
    let stage = Stage::local().await;
    let publish = |event: Value| stage.post("/v1/orgs/acme/playbooks/main/events", json!({"event": event}));
    let event = json!({"type": "beat", "source": "/tests", "id": "1", "data": {"n": 1}});
    let first = publish(event.clone()).await.is(success("publish_event"));
    assert_eq!(publish(event).await.body, first);
    publish(json!({"type": "beat", "source": "/tests", "id": "1", "data": {"n": 2}}))
        .await
        .refused(409, "conflict", None);
    for (event, pointer) in [
        (json!({"type": "run_started", "source": "/a"}), "/event/type"),
        (json!({"type": "a", "source": "/runs/x"}), "/event/source"),
        (json!({"type": "a", "source": "/a", "depth": 1}), "/event/depth"),
        (json!({"source": "/a"}), "/event/type"),
    ] {
        let refused = publish(event.clone()).await.refused(422, "invalid_input", None);
        assert!(pointers(&refused).contains(&pointer), "{event}: {refused:#}");
    }
    for n in 2..=5 {
        let made = publish(json!({"type": "beat", "source": "/tests", "data": n})).await;
        assert!(made.status < 300 && made.body["id"].as_str().is_some_and(|id| id.len() == 36), "{made:?}");
    }
    let mut seen = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = stage.get(&at(&format!("/events?type=event_published&order=asc&limit=2{cursor}"))).await.is(200);
        let rows = page["events"].as_array().expect("rows");
        assert!(rows.len() <= 2);
        seen.extend(rows.iter().map(|row| row["data"]["data"].clone()));
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(seen, [json!({"n": 1}), json!(2), json!(3), json!(4), json!(5)]);
    let newest = stage.get(&at("/events?limit=1")).await.is(200);
    let row = &newest["events"][0];
    let members: Vec<&str> = row.as_object().expect("a row").keys().map(String::as_str).collect();
    assert_eq!(members, ["id", "type", "summary", "data", "metadata"]);
    let id = row["id"].as_str().expect("an id");
    assert_eq!(stage.get(&at(&format!("/events/{id}"))).await.is(200)["id"], id);
    stage.get(&at("/events/nothing")).await.refused(404, "not_found", None);
    for wrong in ["since=2026-10-03", "since=2026-13-03T16:40:05Z", "order=up", "cursor=%2F"] {
        let field = wrong.split('=').next().expect("a name");
        assert_eq!(
            pointers(&stage.get(&at(&format!("/events?{wrong}"))).await.is(422)),
            [format!("/{field}")],
            "{wrong}"
        );
    }
    stage.end().await;
}

/// The status of an operation's success, as the table has it.
fn success(name: &str) -> u16 {
    playbook_host::api::operation(name).expect("in the table").success
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_view_answers_stalls_and_is_repaired() {
    let stage = Stage::local().await;
    stage.post(&at("/definitions/recall"), json!({"name": "count", "source": COUNT})).await.is(201);
    let publish = |subject: &'static str| {
        let event = json!({"event": {"type": "beat", "source": "/tests", "subject": subject}});
        let path = at("/events");
        let stage = &stage;
        async move { assert!(stage.post(&path, event).await.status < 300) }
    };
    let run = at("/definitions/recall/count/run");
    // Until the view has read what is there, the same request is refused with words to wait by.
    let until = |status: u16, want: Value| {
        let (stage, run) = (&stage, &run);
        async move {
            let end = Instant::now() + Duration::from_secs(60);
            loop {
                let answer = stage.post(run, json!({})).await;
                if answer.status == 503 {
                    assert_eq!(
                        answer.headers.get("retry-after").and_then(|v| v.to_str().ok()),
                        Some("5"),
                        "{answer:?}"
                    );
                    answer.refused(503, "unavailable", Some("rebuilding"));
                } else if answer.status == status && (want.is_null() || answer.body["output"] == want) {
                    return answer.body;
                }
                assert!(Instant::now() < end, "{want}");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    };
    publish("good").await;
    publish("good").await;
    until(200, json!({"count": 2})).await;
    publish("bad").await;
    publish("good").await;
    let stalled = until(409, Value::Null).await;
    assert_eq!(stalled["kind"], "stalled");
    let standing = stage.get(&at("/definitions/recall/count")).await.is(200)["standing"].clone();
    assert_eq!(
        (&standing["state"], &standing["stalled"]["kind"]),
        (&json!("stalled"), &json!("raised")),
        "{standing:#}"
    );
    let mended = COUNT.replace("  if (event.subject === 'bad') throw new Error('no');\n", "");
    stage.put(&at("/definitions/recall/count"), json!({"source": mended})).await.is(200);
    until(200, json!({"count": 4})).await;
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_see_what_they_may_and_nothing_tells_the_rest() {
    let org = |id: &str| OrgId::new(id).expect("an id");
    let (full, reader, limited, foreign) = (
        make_key("full", &org("acme")).expect("a key"),
        make_key("reader", &org("acme")).expect("a key"),
        make_key("limited", &org("acme")).expect("a key"),
        make_key("foreign", &org("other")).expect("a key"),
    );
    let with = |entry: &Value, name: &str, value: Value| {
        let mut entry = entry.clone();
        entry[name] = value;
        entry
    };
    let entries = json!([
        full.entry,
        with(&reader.entry, "permissions", json!(["playbook:read"])),
        with(&limited.entry, "playbooks", json!(["main", "later"])),
        foreign.entry,
    ]);
    let stage = Stage::new(Access::Keys(read_keys(&entries).expect("entries"))).await;
    let all = "/v1/orgs/acme/playbooks";
    let as_ = |key: &str, method: Method, path: &str, body: Option<Value>| {
        let (key, path) = (key.to_owned(), path.to_owned());
        let stage = &stage;
        async move { stage.send(method, &path, body, Some(&key)).await }
    };
    for id in ["main", "secret"] {
        as_(&full.text, Method::POST, all, Some(json!({"playbook": id, "name": id}))).await.is(201);
    }
    as_(&reader.text, Method::GET, MAIN, None).await.is(200);
    let event = json!({"event": {"type": "a", "source": "/a"}});
    let denied = as_(&reader.text, Method::POST, &at("/events"), Some(event.clone())).await;
    let challenge = denied.headers.get("www-authenticate").and_then(|value| value.to_str().ok()).map(str::to_owned);
    assert_eq!(challenge.as_deref(), Some("Bearer error=\"insufficient_scope\""));
    denied.refused(403, "forbidden", None);
    // Whether or not a thing exists, a foreign caller is told the same.
    let secret =
        as_(&limited.text, Method::GET, "/v1/orgs/acme/playbooks/secret", None).await.refused(403, "forbidden", None);
    let none =
        as_(&limited.text, Method::GET, "/v1/orgs/acme/playbooks/none", None).await.refused(403, "forbidden", None);
    assert_eq!(secret, none);
    let there = as_(&foreign.text, Method::GET, MAIN, None).await.refused(403, "forbidden", None);
    let nowhere =
        as_(&foreign.text, Method::GET, "/v1/orgs/acme/playbooks/none", None).await.refused(403, "forbidden", None);
    let malformed = as_(&foreign.text, Method::GET, "/v1/orgs/ac%20me/playbooks/SECRET!", None).await.refused(
        403,
        "forbidden",
        None,
    );
    assert_eq!((&there, &there), (&nowhere, &malformed));
    let listed = as_(&limited.text, Method::GET, all, None).await.is(200);
    let ids: Vec<&str> =
        listed["playbooks"].as_array().expect("a list").iter().filter_map(|p| p["id"].as_str()).collect();
    assert_eq!(ids, ["main"]);
    as_(&reader.text, Method::GET, all, None).await.is(200);
    as_(&limited.text, Method::POST, all, Some(json!({"playbook": "later", "name": "A"}))).await.is(201);
    as_(&limited.text, Method::POST, all, Some(json!({"playbook": "never", "name": "A"}))).await.refused(
        403,
        "forbidden",
        None,
    );
    let made = as_(&full.text, Method::POST, &at("/events"), Some(event)).await;
    assert!(made.status < 300, "{made:?}");
    let rows = as_(&reader.text, Method::GET, &at("/events?limit=1"), None).await.is(200);
    assert_eq!(rows["events"][0]["metadata"]["by"], "full");
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hundreds_of_commands_at_once_are_all_recorded() {
    let stage = Arc::new(Stage::local().await);
    let sent: Vec<_> = (0..200)
        .map(|n| {
            let stage = stage.clone();
            tokio::spawn(async move {
                let event = json!({"event": {"type": "beat", "source": "/tests", "id": format!("{n}")}});
                stage.post(&at("/events"), event).await.status
            })
        })
        .collect();
    for status in sent {
        assert!(status.await.expect("no panic") < 300);
    }
    let mut seen = BTreeSet::new();
    let mut cursor = String::new();
    loop {
        let page = stage.get(&at(&format!("/events?type=event_published&limit=100{cursor}"))).await.is(200);
        seen.extend(page["events"].as_array().expect("rows").iter().map(|row| row["data"]["event_id"].to_string()));
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(seen.len(), 200);
    let Ok(stage) = Arc::try_unwrap(stage) else { panic!("every sender has ended") };
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stopping_server_takes_no_command() {
    let stage = Stage::local().await;
    stage.site.stop();
    let refused = stage.post(&at("/events"), json!({"event": {"type": "a", "source": "/a"}})).await;
    assert_eq!(refused.headers.get("retry-after").and_then(|v| v.to_str().ok()), Some("5"));
    refused.refused(503, "unavailable", None);
    stage.get(MAIN).await.is(200);
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hostile_bodies_end_in_words() {
    let stage = Stage::local().await;
    stage.post(&at("/definitions/computation"), json!({"name": "double", "source": DOUBLE})).await.is(201);
    let address = format!("http://{}{}", stage.running.address(), at("/definitions/computation/double/run"));
    let nested = |n: usize| format!("{{\"input\":{}{}}}", "[".repeat(n), "]".repeat(n));
    let bodies: [(String, u16); 8] = [
        ("{".into(), 400),
        ("[]".into(), 400),
        ("{\"input\":1,\"input\":2}".into(), 400),
        ("{\"input\":{},\"other\":1}".into(), 422),
        (nested(513), 422),
        (nested(100_000), 400),
        (format!("{{\"input\":\"{}\"}}", "x".repeat(300_000)), 422),
        (format!("{{\"input\":\"{}\"}}", "x".repeat(1_100_000)), 413),
    ];
    for (body, status) in bodies {
        let start: String = body.chars().take(40).collect();
        let request = stage.client.post(&address).header("content-type", "application/json").body(body);
        let answer = request.send().await.expect("an answer");
        assert_eq!(answer.status().as_u16(), status, "{start}");
        assert_eq!(answer.headers()["content-type"], "application/problem+json");
    }
    let own = json!({"input": {"n": 1, "__proto__": {"n": 2}, "constructor": 3}});
    assert_eq!(
        stage.post(&at("/definitions/computation/double/run"), own).await.is(200)["output"],
        json!({"twice": 2})
    );
    stage.end().await;
}
