//! The Studio's routes of runs taken up again, over HTTP: replayed, forked, kept as a test.

use playbook_host::StandIns;
use playbook_host::cases::{Tester, Verdict};
use playbook_host::folder::{CaseFile, Folder};
use playbook_host::studio::{Studio, StudioOptions};
use playbook_server::{Access, Origins, Running, Site, SiteOptions, serve};
use reqwest::Method;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a test waits for what goes on behind.
const BOUND: Duration = Duration::from_secs(60);
const RUN: &str = "0f8fad5b-d9cb-469f-a165-70867728950e";
const HEAD: &str =
    "document: { dsl: '1.0.3', namespace: tests, name: NAME, version: '1.0.0', title: N, summary: N. }\n";

/// Doubles a number.
const DOUBLE: &str = "---
language: typescript
input:
  schema:
    type: object
    required: [n]
    properties:
      n: { type: number }
output:
  schema:
    type: number
---
export default function (input: Input): Output {
  return input.n * 2;
}
";

/// Doubles each number, then waits for an event, tells of it and has the sum halved by another workflow.
const SUMS: &str = "do:
  - each:
      for: { each: n, in: '${ $data.numbers }' }
      do:
        - double:
            call: run_definition
            with: { type: computation, name: double, input: { n: '${ $n }' } }
            export: { as: '${ [...(Array.isArray($context) ? $context : []), $output] }' }
  - released:
      listen: { to: { one: { with: { type: released } } } }
  - tell:
      emit: { event: { with: { type: summed, source: 'https://example.com/sums', data: { all: '${ $context }' } } } }
  - nested:
      call: run_definition
      with: { type: workflow, name: first, input: { all: '${ $context }' } }
";

const FIRST: &str = "do:
  - again:
      call: run_definition
      with: { type: computation, name: double, input: { n: '${ $data.all[0] }' } }
";

struct Stage {
    _studio: Arc<Studio>,
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
    /// A folder with the workflows, and a run of them that ended.
    async fn new() -> Self {
        let home = tempfile::tempdir().expect("a folder");
        let options = StudioOptions {
            data_dir: home.path().join("data"),
            config_dir: home.path().join("config"),
            host: "browser",
            stand_ins: StandIns::default(),
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
        let stage = Self { _studio: studio, running, client, home };
        let path = stage.folder();
        stage.studio("/folder/new", json!({ "path": path, "playbook": "main", "name": "Main" })).await.is(200);
        stage.create("computation", "double", DOUBLE).await;
        stage.create("workflow", "first", &named("first", FIRST)).await;
        stage.create("workflow", "sums", &named("sums", SUMS)).await;
        let input = json!({ "input": { "numbers": [1, 2] }, "run_id": RUN });
        stage.v1(Method::POST, "/definitions/workflow/sums/run", Some(input)).await;
        stage.until(|run| run["waits"][0]["name"] == "released").await;
        let event = json!({ "event": { "type": "released", "data": 1 } });
        stage.v1(Method::POST, &format!("/runs/{RUN}/events"), Some(event)).await;
        stage.until(|run| run["run"]["status"] == "succeeded").await;
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

    async fn studio(&self, path: &str, body: Value) -> Answer {
        self.send(Method::POST, &format!("/studio/api{path}"), Some(body)).await
    }

    async fn v1(&self, method: Method, path: &str, body: Option<Value>) -> Value {
        let answer = self.send(method, &format!("/v1/orgs/local/playbooks/main{path}"), body).await;
        assert!(answer.status < 300, "{answer:#?}");
        answer.body
    }

    async fn create(&self, kind: &str, name: &str, source: &str) {
        let body = json!({ "name": name, "source": source });
        self.v1(Method::POST, &format!("/definitions/{kind}"), Some(body)).await;
    }

    async fn run(&self) -> Value {
        self.send(Method::GET, &format!("/studio/api/runs/{RUN}"), None).await.is(200)
    }

    async fn until(&self, holds: impl Fn(&Value) -> bool) {
        let end = Instant::now() + BOUND;
        loop {
            let run = self.run().await;
            if holds(&run) {
                return;
            }
            assert!(Instant::now() < end, "{run:#}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    async fn fork(&self, body: Value) -> Answer {
        self.studio(&format!("/runs/{RUN}/fork"), body).await
    }

    /// How many records the playbook has, and runs.
    async fn recorded(&self) -> (Value, usize) {
        let events = self.v1(Method::GET, "/events?limit=1", None).await;
        let runs = self.v1(Method::GET, "/runs?limit=100", None).await;
        (events["events"][0]["event_id"].clone(), runs["runs"].as_array().map_or(0, Vec::len))
    }
}

fn named(name: &str, text: &str) -> String {
    HEAD.replace("NAME", name) + text
}

fn sources(forked: &Value) -> Vec<String> {
    let of = |call: &Value| {
        let word = |name: &str| call[name].as_str().unwrap_or_default().to_owned();
        format!("{} {} {}", word("name"), call["run"], word("source"))
    };
    forked["calls"].as_array().into_iter().flatten().map(of).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_is_taken_up_again_and_nothing_comes_of_it() {
    let stage = Stage::new().await;
    let before = stage.recorded().await;
    let recorded = stage.run().await["run"]["output"].clone();
    assert_eq!(recorded, 4);

    // Everything from the record, from the start and from within the loop.
    for at in [1, 3] {
        let forked = stage.fork(json!({ "at": at })).await.is(200);
        assert_eq!((&forked["same"], &forked["ending"]["output"]), (&json!(true), &recorded), "{forked:#}");
        assert!(sources(&forked).iter().all(|call| call.ends_with(" recorded")), "{forked:#}");
        assert_eq!(forked["emitted"][0]["data"], json!({ "all": [2, 4] }), "{forked:#}");
    }

    // One turn of the loop written: the nested call has another input, which nobody recorded.
    let calls = json!([{ "task": "double", "run": 1, "source": "written", "output": 10 }]);
    let forked = stage.fork(json!({ "at": 1, "calls": calls })).await.is(200);
    assert_eq!(sources(&forked), ["double 1 written", "double 2 recorded", "nested 1 none"], "{forked:#}");
    assert_eq!(forked["ending"], json!({ "status": "waiting", "waits": ["nested"] }), "{forked:#}");
    assert_eq!(forked["difference"]["position"], 2, "{forked:#}");
    // Performed in memory it has an answer, and so has what it calls.
    let calls = json!([
        { "task": "double", "run": 1, "source": "written", "output": 10 },
        { "task": "nested", "source": "live" },
    ]);
    let forked = stage.fork(json!({ "at": 1, "calls": calls })).await.is(200);
    assert_eq!(forked["ending"]["output"], 20, "{forked:#}");
    // A refusal written is raised as a call's is.
    let calls = json!([{ "task": "/do/3/nested", "source": "written", "rejected": { "reason": "unavailable" } }]);
    let forked = stage.fork(json!({ "at": 1, "calls": calls })).await.is(200);
    assert_eq!(forked["ending"]["rejection"]["reason"], "unavailable", "{forked:#}");

    // What is live is what is saved now.
    let other = DOUBLE.replace("* 2", "* 3");
    stage.v1(Method::PUT, "/definitions/computation/double", Some(json!({ "source": other }))).await;
    let before = (stage.recorded().await.0, before.1);
    let forked = stage.fork(json!({ "at": 1, "live": true })).await.is(200);
    assert_eq!(&sources(&forked)[..2], ["double 1 live", "double 2 live"], "{forked:#}");
    assert_eq!(forked["difference"]["after"], 3, "{forked:#}");
    assert_eq!(forked["difference"]["task"]["line"], 6, "{forked:#}");

    for (body, status) in [
        (json!({}), 422),
        (json!({ "at": 99 }), 404),
        (json!({ "at": 1, "calls": [{ "task": "released", "source": "live" }] }), 422),
    ] {
        stage.fork(body).await.is(status);
    }
    assert_eq!(stage.recorded().await, before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_is_compared_with_a_text_and_kept() {
    let stage = Stage::new().await;
    let replay = format!("/runs/{RUN}/replay");
    assert_eq!(stage.studio(&replay, json!({})).await.is(200)["same"], true);
    for (was, is, what, line) in [
        ("type: summed", "type: summed-up", "event", Value::Null),
        ("type: released }", "type: let-go }", "wait", Value::Null),
        ("input: { n: '${ $n }' }", "input: { n: '${ $n + 1 }' }", "call_input", json!(6)),
        ("name: first", "name: second", "call", json!(14)),
        ("  - released:", "  - paused: { wait: PT1S }\n  - released:", "step", json!(10)),
    ] {
        assert!(SUMS.contains(was), "{was}");
        let text = named("sums", &SUMS.replace(was, is));
        let told = stage.studio(&replay, json!({ "text": text })).await.is(200);
        assert_eq!((&told["same"], &told["difference"]["what"]), (&json!(false), &json!(what)), "{told:#}");
        assert_eq!(told["difference"]["task"]["line"], line, "{told:#}");
    }
    // A step that only passes on: it differs there, and ends the same all the same.
    let text = named("sums", &SUMS.replace("  - tell:", "  - pass: { set: '${ $data }' }\n  - tell:"));
    let told = stage.studio(&replay, json!({ "text": text })).await.is(200);
    assert_eq!((&told["same"], &told["same_ending"]), (&json!(false), &json!(true)), "{told:#}");
    stage.studio(&replay, json!({ "text": "do: 1" })).await.is(422);
    stage.studio(&replay, json!({ "text": 1 })).await.is(422);
    stage.studio("/runs/none/replay", json!({})).await.is(422);

    let keep = format!("/runs/{RUN}/keep");
    let kept = stage.studio(&keep, json!({ "case": "released" })).await.is(200);
    assert_eq!(kept["path"], "tests/workflow/sums/released.yaml");
    stage.studio(&keep, json!({ "case": "released" })).await.is(409);
    stage.studio(&keep, json!({ "case": "../released" })).await.is(422);
    stage.studio(&keep, json!({})).await.is(422);

    let (folder, _) = Folder::open(&stage.folder()).expect("a playbook");
    let file = CaseFile::at(Path::new("tests/workflow/sums/released.yaml")).expect("a case");
    for (text, passes) in
        [(SUMS.to_owned(), true), (SUMS.replace("with: { type: released }", "with: { type: x }"), false)]
    {
        let path = stage.folder().join("workflow/sums.yaml");
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, named("sums", &text)).expect("written");
        let mut tester = Tester::new().expect("workers");
        let outcome = tester.run(&folder, &file).await.expect("read").expect("ran");
        tester.stop().await;
        assert_eq!(outcome.verdict == Verdict::Passed, passes, "{:#?}", outcome.verdict);
    }
}
