//! A runtime that may be cut off at any append, and the world around it: answers, events and time.

use playbook_host::{Clock, Place, Runtime, SetClock, Settings};
use playbook_model::id::{OrgId, PlaybookId, PlaybookKey, RunId};
use playbook_model::time::Moment;
use playbook_typescript::Compiler;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// 2026-10-05T12:00:00Z.
pub(crate) const BEGIN: Moment = Moment(1_791_201_600_000);
/// The run.
pub(crate) const RUN: &str = "00000000-0000-7000-8000-000000000001";
/// Longer than any machine takes to come to rest.
const LATE: Duration = Duration::from_secs(60);

const DOUBLE: &str = "---
description: Doubles a number
language: typescript
input:
  schema: { type: object, required: [n], properties: { n: { type: number } } }
output:
  schema: { type: object, required: [n], properties: { n: { type: number } } }
---
export default function (input: Input): Output {
  return { n: (input.n * 2) % 1000 };
}
";

const REFUSE: &str = "---
description: Never succeeds
language: typescript
input:
  schema: { type: object, required: [n], properties: { n: { type: number } } }
output:
  schema: { type: object, required: [n], properties: { n: { type: number } } }
---
export default function (input: Input): Output {
  if (input.n >= 0) throw new Error('Refused');
  return { n: input.n };
}
";

const ASK: &str = "---
description: Asks for a verdict
to: anna
expires: P2D
input:
  schema: { type: object, required: [text], properties: { text: { type: string } } }
output:
  schema:
    type: object
    required: [verdict]
    properties: { verdict: { type: string, enum: [approve, revise] } }
---
{{ input.text }}
";

const INNER: &str = "
document: { dsl: '1.0.3', namespace: made, name: inner, version: '1.0.0' }
do:
  - pause: { wait: { seconds: 2 } }
  - more: { set: { n: '${ Number($input.n ?? 0) + 1 }' } }
";

/// The log was cut off: nothing more is recorded.
#[derive(Debug)]
pub(crate) struct Cut;

/// What a run came to, without times and ids of records.
#[derive(Debug, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) run: Value,
    /// How often each task came to each outcome.
    pub(crate) steps: BTreeMap<String, u64>,
    /// Each called run with how it ended and what it gave.
    pub(crate) called: BTreeMap<String, Value>,
    /// Events that were emitted.
    pub(crate) told: Vec<String>,
    /// Requests that were made, and answers that were taken.
    pub(crate) asked: usize,
}

pub(crate) struct Stage {
    runtime: Runtime,
    clock: SetClock,
    cut: Option<Arc<AtomicBool>>,
    playbook: PlaybookKey,
}

impl Stage {
    /// Begins a log with the definitions, and the workflow to be run.
    pub(crate) async fn begin(folder: &Path, compiler: &Arc<Compiler>, document: &Value) -> Result<Self, String> {
        let stage = Self::open(folder, compiler, BEGIN, None).await;
        stage.asks("create_playbook", json!({ "name": "One" })).await.expect("nothing is cut");
        let text = document.to_string();
        for (kind, name, source) in [
            ("computation", "double", DOUBLE),
            ("computation", "refuse", REFUSE),
            ("interaction", "ask", ASK),
            ("workflow", "inner", INNER),
            ("workflow", "made-up", text.as_str()),
        ] {
            let input = json!({ "type": kind, "name": name, "source": source });
            stage.refused("create_definition", input).await.map_err(|why| format!("{name}: {why}"))?;
        }
        Ok(stage)
    }

    /// Opens the log; cut off after so many appends where that is given.
    pub(crate) async fn open(folder: &Path, compiler: &Arc<Compiler>, at: Moment, appends: Option<u64>) -> Self {
        let (clock, set) = Clock::standing(at);
        let place = Place::Data(folder.to_path_buf());
        let settings = Settings { run_milliseconds: 300_000, ..Settings::default() };
        let runtime = Runtime::open_with(place, settings, compiler.clone(), clock).await.expect("the runtime opens");
        let cut = appends.map(|appends| runtime.cut(appends));
        let playbook = PlaybookKey { org: OrgId::local(), playbook: PlaybookId::new("one").expect("an id") };
        Self { runtime, clock: set, cut, playbook }
    }

    pub(crate) fn now(&self) -> Moment {
        self.clock.now()
    }

    pub(crate) async fn stop(self) {
        self.runtime.stop().await;
    }

    fn is_cut(&self) -> bool {
        self.cut.as_ref().is_some_and(|cut| cut.load(Ordering::Acquire))
    }

    async fn refused(&self, operation: &str, mut fields: Value) -> Result<Value, String> {
        fields["org"] = "local".into();
        fields["playbook"] = "one".into();
        self.runtime.local(operation, fields).await.map_err(|why| format!("{why:?}"))
    }

    /// Does an operation that is only refused by a log that was cut off.
    async fn asks(&self, operation: &str, fields: Value) -> Result<Value, Cut> {
        match self.refused(operation, fields.clone()).await {
            Ok(answer) => Ok(answer),
            Err(_) if self.is_cut() => Err(Cut),
            Err(why) => panic!("{operation} {fields}: {why}"),
        }
    }

    /// Starts the run, unless it is there already.
    pub(crate) async fn start(&self) -> Result<(), Cut> {
        let run = json!({ "type": "workflow", "name": "made-up", "run_id": RUN, "input": { "n": 3 } });
        match self.refused("run_definition", run).await {
            Ok(_) => Ok(()),
            // It ended by an error within the call: that is its ending, not a refusal of the start.
            Err(_) if self.is_cut() => Err(Cut),
            Err(_) => Ok(()),
        }
    }

    /// Whether the run has ended.
    async fn ended(&self) -> Result<bool, Cut> {
        Ok(self.asks("get_run", json!({ "run_id": RUN })).await?["status"] != "started")
    }

    /// Waits until nothing moves by itself.
    async fn rest(&self) -> Result<(), Cut> {
        let end = Instant::now() + LATE;
        loop {
            if self.is_cut() {
                return Err(Cut);
            }
            if self.runtime.at_rest(&self.playbook).await.expect("the log can be read") {
                return if self.is_cut() { Err(Cut) } else { Ok(()) };
            }
            assert!(Instant::now() < end, "it never came to rest");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// Goes on to the run's end: gives what it waits for, one thing at a time, always the same first.
    pub(crate) async fn drive(&self) -> Result<Outcome, Cut> {
        for _ in 0..2_000 {
            self.rest().await?;
            if self.ended().await? {
                // What it called and no longer needs ends as well.
                self.rest().await?;
                return self.outcome().await;
            }
            self.act().await?;
        }
        panic!("the run does not end");
    }

    /// What the world does next for a run at rest.
    async fn act(&self) -> Result<(), Cut> {
        let mut timers = Vec::new();
        let mut open = vec![RUN.to_owned()];
        while let Some(run) = open.pop() {
            let id = RunId::parse(&run).expect("an id");
            let Ok(waits) = self.runtime.run_waits(&self.playbook, id).await else { continue };
            for wait in waits {
                let kind = json!(wait.waits_for);
                match (kind.as_str(), wait.child) {
                    (Some("event"), _) => return self.hears(&wait.name).await,
                    (Some("call"), Some(child)) => {
                        let row = self.asks("get_run", json!({ "run_id": child.to_string() })).await?;
                        match (row["type"].as_str(), row["status"].as_str()) {
                            (Some("interaction"), Some("started")) => {
                                let answer = json!({ "run_id": child.to_string(), "answer": { "verdict": "approve" } });
                                return self.asks("answer_interaction", answer).await.map(drop);
                            }
                            (Some("workflow"), _) => open.push(child.to_string()),
                            _ => {}
                        }
                    }
                    (_, _) => timers.extend(wait.until),
                }
            }
        }
        let next = timers.into_iter().min().expect("a run at rest waits for something");
        self.clock.set(Moment(next.max(self.now().0)));
        Ok(())
    }

    /// Sends or publishes the event a task waits for, under an id of its own.
    async fn hears(&self, name: &str) -> Result<(), Cut> {
        // One more for each time this is heard: an event of one id is taken once.
        let looked = self.runtime.look_at_run(&self.playbook, RunId::parse(RUN).expect("an id")).await;
        let id = format!("{name}-{}", looked.expect("a run of a workflow")["inputs"]);
        if name.starts_with("own") {
            let event = json!({ "type": "com.example.own", "id": id, "data": { "n": 5 } });
            return self.asks("send_run_event", json!({ "run_id": RUN, "event": event })).await.map(drop);
        }
        let event = json!({ "type": "com.example.news", "source": "/world", "id": id, "data": { "n": 6 } });
        self.asks("publish_event", json!({ "event": event })).await.map(drop)
    }

    async fn outcome(&self) -> Result<Outcome, Cut> {
        let id = RunId::parse(RUN).expect("an id");
        let mut run = self.asks("get_run", json!({ "run_id": RUN })).await?;
        for time in ["started_at", "finished_at", "record"] {
            run[time] = Value::Null;
        }
        let looked = self.runtime.look_at_run(&self.playbook, id).await.expect("a run of a workflow");
        let mut called = BTreeMap::new();
        for child in looked["children"].as_array().expect("a list") {
            let row = self.asks("get_run", json!({ "run_id": child["run_id"] })).await?;
            let key = format!("{} {}", child["reference"], child["run"]);
            called.insert(key, json!([row["type"], row["status"], row["output"], row["rejection"]["kind"]]));
        }
        let mut steps = BTreeMap::new();
        let mut from = 1;
        loop {
            let page = self.runtime.run_inputs(&self.playbook, id, from, 200).await.expect("a run of a workflow");
            let rows = page["rows"].as_array().expect("a list");
            if rows.is_empty() {
                break;
            }
            from += rows.len() as u64;
            for step in rows.iter().flat_map(|row| row["steps"].as_array().expect("a list")) {
                let key = format!("{} {}", step["reference"], step["outcome"]);
                *steps.entry(key).or_default() += step["times"].as_u64().expect("a count");
            }
        }
        let count = async |kind: &str| {
            let fields = json!({ "type": kind, "limit": 100, "order": "asc" });
            Ok::<_, Cut>(self.asks("list_playbook_events", fields).await?["events"].clone())
        };
        let told = count("event_published").await?;
        let mut told: Vec<String> =
            told.as_array().expect("a list").iter().map(|row| row["data"]["data"].to_string()).collect();
        told.sort();
        let asked = count("interaction_requested").await?.as_array().map_or(0, Vec::len);
        Ok(Outcome { run, steps, called, told, asked })
    }
}
