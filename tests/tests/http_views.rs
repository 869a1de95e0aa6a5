//! The Studio's routes of views over HTTP: how a view stands, its filters, scrubbing, the bench that repairs it.

use playbook_host::StandIns;
use playbook_host::case::{Case, Folds};
use playbook_host::cases::{Tester, Verdict};
use playbook_host::folder::Folder;
use playbook_host::replay::{CheckedRecall, Recall, Replay, Source};
use playbook_host::studio::{Studio, StudioOptions};
use playbook_model::definition::DefinitionType;
use playbook_model::id::{DefinitionName, OrgId, PlaybookId, PlaybookKey};
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

    #[track_caller]
    fn refused(self, status: u16, reason: &str) -> Value {
        let body = self.is(status);
        assert_eq!(body["reason"], reason, "{body:#}");
        assert!(body["detail"].as_str().is_some_and(|detail| !detail.is_empty()), "{body:#}");
        body
    }
}

impl Stage {
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

    /// Publishes many events at once: in what order they are recorded is not known.
    async fn publish_many(&self, events: impl IntoIterator<Item = Value>) {
        let events: Vec<Value> = events.into_iter().collect();
        for some in events.chunks(50) {
            let mut sent = tokio::task::JoinSet::new();
            for event in some {
                let address = format!("http://{}/v1/orgs/local/playbooks/main/events", self.running.address());
                let request = self.client.post(address).json(&json!({ "event": event }));
                sent.spawn(async move { request.send().await.expect("an answer").status().as_u16() });
            }
            while let Some(status) = sent.join_next().await {
                assert!(status.expect("sent") < 300);
            }
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

fn beats(of: std::ops::Range<u64>) -> impl Iterator<Item = Value> {
    of.map(
        |n| json!({ "id": format!("beat-{n}"), "type": "beat", "source": "/s", "subject": format!("n{}", n * n % 37) }),
    )
}

/// What the fold of `KEEPS` makes of its view.
fn keep(view: &mut Vec<(String, u64)>, name: &str) {
    let before = view.iter().find(|(key, _)| key == name).map_or(0, |(_, n)| *n);
    view.retain(|(key, _)| key != name);
    if view.len() > 9 {
        view.drain(..view.len() - 9);
    }
    view.push((name.to_owned(), before + 1));
}

fn as_value(view: &[(String, u64)]) -> Value {
    view.iter().map(|(name, n)| (name.clone(), json!(n))).collect()
}

/// The events a version of `keeps` folds, in the order of the log, by a replay of the whole log.
async fn replayed(stage: &Stage, text: &str) -> (Vec<Value>, Value) {
    let runtime = stage.studio.runtime().expect("an open folder");
    let name = DefinitionName::new("keeps").expect("a name");
    let checked = Recall::check(runtime.compiler(), &name, text).await.expect("judged");
    let CheckedRecall::Ready(recall) = checked else { panic!("{checked:?}") };
    let playbook =
        PlaybookKey { org: OrgId::new("local").expect("an id"), playbook: PlaybookId::new("main").expect("an id") };
    let mut replay = Replay::new(runtime.scratch(), recall, Source::log(&runtime, &playbook));
    let mut events = Vec::new();
    loop {
        let page = replay.page().await.expect("a page");
        events.extend(page.events.into_iter().map(|folded| serde_json::to_value(folded.event).expect("JSON")));
        if page.end || page.halt.is_some() {
            return (events, serde_json::from_str(replay.view()).expect("JSON"));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scrub_shows_what_a_plain_replay_has_at_every_event() {
    const EVENTS: u64 = 1_200;
    let stage = Stage::new().await;
    stage.publish_many(beats(0..EVENTS)).await;
    stage.save("keeps", KEEPS).await;
    stage.get("/views/keeps/scrub/1").await.refused(404, "not_found");
    let scrub = stage.until("/views/keeps/scrub", |now| now["state"] == "ready" && now["indexed"] == EVENTS).await;
    assert_eq!((&scrub["version"], &scrub["folded"]), (&json!(1), &json!(EVENTS)));
    let sizes = scrub["sizes"].as_array().expect("sizes");
    assert!((200..=400).contains(&sizes.len()), "{}", sizes.len());

    let (events, last) = replayed(&stage, KEEPS).await;
    assert_eq!(events.len() as u64, EVENTS);
    let mut views = vec![Vec::new()];
    for event in &events {
        let mut view = views.last().expect("one").clone();
        keep(&mut view, event["subject"].as_str().expect("a subject"));
        views.push(view);
    }
    assert_eq!(as_value(views.last().expect("one")), last);
    // First all over the place, then from one to the next.
    let jumping = (0..=EVENTS).step_by(4).map(|nth| nth * 7_919 % (EVENTS + 1));
    for index in jumping.chain(0..=EVENTS) {
        let at = stage.get(&format!("/views/keeps/scrub/{index}")).await.is(200);
        let here = usize::try_from(index).expect("small");
        assert_eq!((&at["index"], &at["after"]), (&json!(index), &as_value(&views[here])));
        assert_eq!(at["bytes_after"], at["after"].to_string().len());
        if index == 0 {
            assert_eq!((&at["event"], &at["before"]), (&Value::Null, &Value::Null));
        } else {
            assert_eq!(at["before"], as_value(&views[here - 1]));
            assert_eq!(at["event"], events[here - 1]);
            assert_eq!(
                (&at["work"], at["bytes_before"].as_u64()),
                (&json!(0), Some(at["before"].to_string().len() as u64))
            );
        }
    }
    stage.get(&format!("/views/keeps/scrub/{}", EVENTS + 1)).await.refused(404, "not_found");
    stage.get("/views/keeps/scrub/x").await.refused(422, "invalid_input");
    stage.get("/views/none/scrub").await.refused(404, "not_found");

    let jump = async |body: Value| stage.post("/views/keeps/scrub/jump", body).await.is(200)["index"].clone();
    let held =
        |index: u64, name: &str| views[usize::try_from(index).expect("small")].iter().any(|(key, _)| key == name);
    for from in [EVENTS, 700, 3] {
        let added = (1..=from).rev().find(|at| held(*at, "n4") && !held(*at - 1, "n4"));
        assert_eq!(jump(json!({ "to": "added", "from": from, "key": "n4" })).await, json!(added));
    }
    assert_eq!(jump(json!({ "to": "added", "from": 5, "key": "never" })).await, Value::Null);
    let id = events[800]["id"].as_str().expect("an id");
    assert_eq!(jump(json!({ "to": "event", "from": 0, "id": id })).await, 801);
    assert_eq!(jump(json!({ "to": "event", "from": 0, "id": "none" })).await, Value::Null);
    assert_eq!(jump(json!({ "to": "time", "from": 0, "time": "2999-01-01T00:00:00Z" })).await, EVENTS);
    assert_eq!(jump(json!({ "to": "time", "from": 0, "time": "1999-01-01T00:00:00Z" })).await, Value::Null);
    let grew = jump(json!({ "to": "grew", "from": 0 })).await;
    assert_eq!(grew, scrub["growth"]["index"]);
    stage.post("/views/keeps/scrub/jump", json!({ "to": "nowhere" })).await.refused(422, "invalid_input");
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scrub_goes_on_while_events_come_and_begins_anew_with_a_version() {
    let stage = Stage::new().await;
    stage.save("keeps", KEEPS).await;
    let empty = stage.until("/views/keeps/scrub", |now| now["state"] == "ready").await;
    assert_eq!((&empty["indexed"], &empty["peak"], &empty["sizes"]), (&json!(0), &Value::Null, &json!([])));
    let (mut sent, mut scrubbed) = (0, 0);
    while sent < 600 {
        let coming = stage.publish_many(beats(sent..sent + 100));
        let looking = async {
            let now = stage.get("/views/keeps/scrub").await.is(200);
            let indexed = now["indexed"].as_u64().expect("a number");
            assert!(indexed >= scrubbed && indexed <= now["folded"].as_u64().expect("a number"));
            stage.get(&format!("/views/keeps/scrub/{indexed}")).await.is(200);
            indexed
        };
        (_, scrubbed) = tokio::join!(coming, looking);
        sent += 100;
    }
    stage.until("/views/keeps/scrub", |now| now["indexed"] == 600 && now["state"] == "ready").await;
    let (events, last) = replayed(&stage, KEEPS).await;
    assert_eq!(events.len(), 600);
    // A slider that is dragged asks for many at once: those that nobody waits for any more are let go of.
    let mut asked = tokio::task::JoinSet::new();
    for index in (0..40_u64).map(|nth| 599 - nth * 13) {
        let address = format!("http://{}/studio/api/views/keeps/scrub/{index}", stage.running.address());
        let request = stage.client.get(address);
        asked.spawn(async move { request.send().await.expect("an answer").status().as_u16() });
    }
    let answers: Vec<u16> = asked.join_all().await;
    assert!(answers.iter().all(|status| [200, 503].contains(status)) && answers.contains(&200), "{answers:?}");
    assert_eq!(stage.get("/views/keeps/scrub/600").await.is(200)["after"], last);

    let stalls = KEEPS.replace("name === 'bad'", "view['n4'] === 3");
    stage.save("keeps", &stalls).await;
    let stalled = stage.until("/views/keeps/scrub", |now| now["state"] == "stalled").await;
    assert_eq!(stalled["version"], 2);
    let view = stage.stands("keeps", "stalled", stalled["indexed"].as_u64().expect("a number")).await;
    let at = stage.get(&format!("/views/keeps/scrub/{}", stalled["indexed"])).await.is(200);
    assert_eq!(at["after"], view["view"]);
    stage.post("/folder/close", json!({})).await.is(200);
    stage.get("/views/keeps/scrub").await.refused(409, "conflict");
    stage.end().await;
}

impl Stage {
    /// Begins to try a text, and gives the path to ask how far it is.
    async fn rehearse(&self, text: &str, scope: &str) -> String {
        let begun = self.post("/views/keeps/rehearse", json!({ "text": text, "scope": scope })).await.is(200);
        format!("/views/keeps/rehearse/{}", begun["rehearsal"].as_str().unwrap_or_else(|| panic!("{begun:#}")))
    }
}

fn ended(now: &Value) -> bool {
    now["state"] != "going"
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rehearsal_reaches_the_end_or_a_stall_later_than_the_first() {
    let stage = Stage::new().await;
    stage.save("keeps", KEEPS).await;
    stage.publish_many(beats(0..300)).await;
    stage.publish(&[("beat", "bad")]).await;
    stage.publish_many(beats(300..500)).await;
    stage.publish(&[("beat", "worse"), ("beat", "a")]).await;
    stage.stands("keeps", "stalled", 300).await;

    let good = KEEPS.replace("if (name === 'bad') throw new Error('no such name');", "");
    let path = stage.rehearse(&good, "all").await;
    let done = stage.until(&path, ended).await;
    assert_eq!((&done["state"], &done["folded"], &done["scope"]), (&json!("reached_end"), &json!(503), &json!("all")));
    assert_eq!((&done["read"], &done["known"]), (&json!(503), &json!(503)));
    assert_eq!(done["view"].as_object().map(|view| view.len()), Some(10));
    assert_eq!(done["view_bytes"], done["view"].to_string().len());
    assert!(done["sizes"].as_array().is_some_and(|sizes| sizes.len() <= 400 && sizes.len() >= 200));
    assert_eq!(done.get("stalled"), None);

    // The last hundred up to the stalled event, from an empty view.
    let path = stage.rehearse(&good, "last").await;
    let done = stage.until(&path, ended).await;
    assert_eq!((&done["state"], &done["folded"], &done["known"]), (&json!("reached_end"), &json!(100), &json!(100)));
    assert_eq!(done["view"]["bad"], 1);

    let later = KEEPS.replace("name === 'bad'", "name === 'worse'");
    let before = path;
    let path = stage.rehearse(&later, "all").await;
    let done = stage.until(&path, ended).await;
    assert_eq!((&done["state"], &done["folded"]), (&json!("stalled"), &json!(501)), "{done:#}");
    let stalled = &done["stalled"];
    assert_eq!((&stalled["kind"], &stalled["index"], &stalled["line"]), (&json!("raised"), &json!(502), &json!(15)));
    assert_eq!((&stalled["event"]["subject"], &stalled["before"]), (&json!("worse"), &done["view"]));
    stage.get(&before).await.refused(404, "not_found");

    // With few events before the stalled one, those after it are tried as well.
    let few = KEEPS.replace("    - type: beat\n", "    - type: beat\n      data: '${ $data === null }'\n");
    let path = stage.rehearse(&few, "last").await;
    let done = stage.until(&path, ended).await;
    assert_eq!((&done["state"], &done["folded"], &done["known"]), (&json!("reached_end"), &json!(0), &json!(0)));

    let answer = stage.post("/views/keeps/rehearse", json!({ "text": "nothing", "scope": "all" })).await.is(200);
    assert!(answer["problems"].as_array().is_some_and(|problems| !problems.is_empty()), "{answer:#}");
    stage.post("/views/keeps/rehearse", json!({ "text": good, "scope": "some" })).await.refused(422, "invalid_input");
    stage.get("/views/keeps/rehearse/none").await.refused(404, "not_found");
    let view = stage.get("/views/keeps").await.is(200);
    assert_eq!(
        (&view["standing"]["state"], &view["standing"]["version"]),
        (&json!("stalled"), &json!(1)),
        "nothing is recorded"
    );

    // Saved: the view before it is shown beside the new one, once that is live.
    assert_eq!(view.get("replaced"), None);
    stage.save("keeps", &good).await;
    let mended = stage.stands("keeps", "live", 503).await;
    assert_eq!((&mended["replaced"]["version"], &mended["replaced"]["view"]), (&json!(1), &view["view"]));
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn where_few_events_stand_before_the_stalled_one_those_after_it_are_tried() {
    let stage = Stage::new().await;
    stage.publish(&[("beat", "a"), ("beat", "bad")]).await;
    stage.publish_many(beats(0..40)).await;
    stage.save("keeps", KEEPS).await;
    stage.stands("keeps", "stalled", 1).await;
    let good = KEEPS.replace("name === 'bad'", "name === 'never'");
    for (more, tried) in [(0, 42), (100, 100)] {
        stage.publish_many(beats(40..40 + more)).await;
        let path = stage.rehearse(&good, "last").await;
        let done = stage.until(&path, ended).await;
        assert_eq!(
            (&done["state"], &done["folded"], &done["known"]),
            (&json!("reached_end"), &json!(tried), &json!(tried))
        );
    }
    // The first of them is the first there is.
    let path = stage.rehearse(&KEEPS.replace("name === 'bad'", "name === 'a'"), "last").await;
    let done = stage.until(&path, ended).await;
    assert_eq!((&done["state"], &done["stalled"]["index"]), (&json!("stalled"), &json!(1)));
    assert_eq!(done["stalled"]["event"]["subject"], "a");
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn filters_and_own_runs_are_honoured_wherever_events_are_folded_again() {
    let filters = "    - type: beat\n      data: '${ $data.n % 3 === 0 }'\n    - type: run_succeeded\n";
    let text = KEEPS.replace("    - type: beat\n", filters).replace("name === 'bad'", "name === 'n300'");
    let stage = Stage::new().await;
    stage.save("keeps", &text).await;
    let numbered = |of: std::ops::Range<u64>| {
        of.map(|n| json!({ "type": "beat", "source": "/s", "subject": format!("n{n}"), "data": { "n": n } }))
    };
    stage.publish_many(numbered(0..6)).await;
    stage.stands("keeps", "live", 2).await;
    let run = "/v1/orgs/local/playbooks/main/definitions/recall/keeps/run";
    stage.send(Method::POST, run, Some(json!({ "input": {} }))).await.is(200);
    stage.publish_many(numbered(6..400)).await;
    let view = stage.until("/views/keeps", |now| now["standing"]["state"] == "stalled").await;
    let folded = view["standing"]["folded"].as_u64().expect("a number");
    let waiting = stage.until("/views/keeps", |now| now["stalled"].get("counting").is_none()).await;
    assert_eq!(folded + 1 + waiting["stalled"]["waiting"].as_u64().expect("a number"), 134, "{waiting:#}");

    let scrub = stage.until("/views/keeps/scrub", |now| now["state"] == "stalled").await;
    assert_eq!((&scrub["indexed"], &scrub["folded"]), (&json!(folded), &json!(folded)));
    let last = stage.get(&format!("/views/keeps/scrub/{folded}")).await.is(200);
    assert_eq!(last["after"], view["view"]);
    assert_eq!(last["event"]["data"]["n"].as_u64().map(|n| n % 3), Some(0));
    assert!(last["position"].as_u64() > Some(folded));

    let good = text.replace("name === 'n300'", "name === 'never'");
    let path = stage.rehearse(&good, "last").await;
    let done = stage.until(&path, ended).await;
    assert_eq!((&done["state"], &done["folded"], &done["known"]), (&json!("reached_end"), &json!(100), &json!(100)));
    let path = stage.rehearse(&good, "all").await;
    let done = stage.until(&path, ended).await;
    assert_eq!((&done["state"], &done["folded"]), (&json!("reached_end"), &json!(134)), "{done:#}");
    assert!(done["known"].as_u64() >= Some(400), "a count by types is as many or more");
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rehearsal_is_stopped() {
    let stage = Stage::new().await;
    stage.save("keeps", KEEPS).await;
    stage.publish_many(beats(0..200)).await;
    stage.publish(&[("beat", "bad")]).await;
    stage.stands("keeps", "stalled", 200).await;
    // Each fold takes a good while, so that it is still going when it is stopped.
    let slow = KEEPS.replace("if (name === 'bad')", "for (let n = 0; n < 1_000_000; n++);\n  if (name === 'never')");
    let path = stage.rehearse(&slow, "all").await;
    let going = stage.until(&path, |now| now["folded"].as_u64() > Some(0)).await;
    assert_eq!((&going["state"], going.get("view")), (&json!("going"), None));
    stage.post(&format!("{path}/stop"), json!({})).await.is(200);
    let stopped = stage.get(&path).await.is(200);
    assert_eq!(stopped["state"], "stopped");
    assert!(stopped["folded"].as_u64() < Some(201) && stopped["view"].is_object());
    assert_eq!(stage.get(&path).await.is(200), stopped, "nothing goes on");
    stage.post("/views/keeps/rehearse/none/stop", json!({})).await.refused(404, "not_found");
    // Saved, the version says how much there is to be built.
    stage.save("keeps", &slow).await;
    let building = stage
        .until("/views/keeps", |now| now["standing"]["version"] == 2 && now["standing"]["state"] == "rebuilding")
        .await;
    assert_eq!(building["standing"]["known"], 201);
    // What goes on when the folder closes ends with it.
    stage.rehearse(&slow, "all").await;
    stage.get("/views/keeps/scrub").await.is(200);
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_stalled_event_is_kept_as_a_small_case() {
    let text = "---
language: typescript
source:
  events:
    - type: beat
view: { initial: {} }
---
export function fold(view: View, event: Event): View {
  const kept = typeof view === 'object' && view !== null && !Array.isArray(view) ? view : {};
  const data = event.data;
  const order = typeof data === 'object' && data !== null && !Array.isArray(data) ? data['order'] : 1;
  if (order === null && kept['armed'] === true) throw new Error('no order');
  return { ...kept, [event.subject ?? 'none']: true };
}
";
    let stage = Stage::new().await;
    stage.save("keeps", text).await;
    stage.publish(&[("beat", "b"), ("beat", "c"), ("beat", "armed")]).await;
    let data = json!({ "order": null, "lines": (0..200).collect::<Vec<_>>(), "note": "x".repeat(2_000) });
    let event = json!({
        "type": "beat", "source": "/s", "subject": "d", "region": "eu", "id": "broken", "data": data,
        "datacontenttype": "application/json",
    });
    let keep = |text: &str, case: &str| json!({ "text": text, "case": case });
    stage.stands("keeps", "live", 3).await;
    stage.post("/views/keeps/cases", keep(text, "none")).await.refused(409, "conflict");
    stage.publish_one(event).await;
    stage.stands("keeps", "stalled", 3).await;

    let good = text.replace("throw new Error('no order')", "return { ...kept, 'lost': true }");
    stage.post("/views/keeps/cases", keep(&good, "No Name")).await.refused(422, "invalid_input");
    stage.post("/views/keeps/cases", keep("no text", "no-order")).await.refused(422, "invalid_input");
    let kept = stage.post("/views/keeps/cases", keep(&good, "no-order")).await.is(200);
    assert_eq!(kept["path"], "tests/recall/keeps/no-order.yaml");
    assert_eq!(kept["event"]["data"], json!({ "order": null }));
    assert_eq!((kept["event"].get("subject"), kept["event"].get("region")), (None, None), "{kept:#}");
    let (before, after) = (kept["bytes_before"].as_u64(), kept["bytes_after"].as_u64());
    assert!(before > Some(2_500) && after < Some(250), "{kept:#}");
    assert!((1..=200).contains(&kept["folds"].as_u64().expect("a number")));
    let file = std::fs::read_to_string(stage.folder().join("tests/recall/keeps/no-order.yaml")).expect("a file");
    let read = playbook_host::case::read(DefinitionType::Recall, &file);
    let Some(Case::Recall(case)) = read.case else { panic!("{:?}", read.problems) };
    assert_eq!(case.view, Some(json!({ "armed": true })));
    assert_eq!(case.expect, Some(Folds::View(json!({ "armed": true, "lost": true }))));
    assert_eq!(case.events[0].id, "broken");
    stage.post("/views/keeps/cases", keep(&good, "no-order")).await.refused(409, "conflict");

    // The case fails of the version that stalls, and passes of the one that does not.
    let folder = Folder::open(&stage.folder()).expect("a playbook").0;
    let (cases, _) = folder.cases().expect("cases");
    for (text, passes) in [(text, false), (&good, true)] {
        stage.save("keeps", text).await;
        let mut tester = Tester::new().expect("workers");
        let outcome = tester.run(&folder, &cases[0]).await.expect("a file").expect("an outcome");
        assert_eq!(outcome.verdict == Verdict::Passed, passes, "{outcome:#?}");
        tester.stop().await;
    }
    stage.save("keeps", text).await;
    stage.until("/views/keeps", |now| now["standing"]["version"] == 3 && now["standing"]["state"] == "stalled").await;

    // A text that does not mend it expects the stall.
    let kept = stage.post("/views/keeps/cases", keep(text, "still-none")).await.is(200);
    let file = std::fs::read_to_string(stage.folder().join(kept["path"].as_str().expect("a path"))).expect("a file");
    let Some(Case::Recall(case)) = playbook_host::case::read(DefinitionType::Recall, &file).case else {
        panic!("{file}")
    };
    assert_eq!(case.expect, Some(Folds::Stalled { kind: "raised".into(), line: None }));
    stage.end().await;
}
