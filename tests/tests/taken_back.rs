//! Called runs that are taken back or interrupted while they work. "Errors, retries and timeouts".

use playbook_host::{Clock, Place, Runtime, SetClock, Settings};
use playbook_model::time::Moment;
use playbook_typescript::Compiler;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// 2026-10-05T12:00:00Z.
const BEGIN: Moment = Moment(1_791_201_600_000);
const HOUR: i64 = 3_600_000;
const RUN: &str = "00000000-0000-7000-8000-000000000001";

const CALLING: &str = "
document: { dsl: '1.0.3', namespace: example, name: calling, version: '1.0.0' }
do:
  - count:
      call: run_definition
      with:
        type: computation
        name: count
        input: { turns: '${ $data.turns }' }
      timeout: { after: { hours: 1 } }
";

const COUNT: &str = "---
description: Counts for as long as it is told
language: typescript
input:
  schema:
    type: object
    required: [turns]
    additionalProperties: false
    properties: { turns: { type: integer } }
output:
  schema:
    type: object
    required: [counted]
    additionalProperties: false
    properties: { counted: { type: integer } }
---
export default function (input: Input): Output {
  let counted = 0;
  for (let turn = 0; turn < input.turns; turn++) counted += 1;
  return { counted };
}
";

struct Stage {
    runtime: Runtime,
    clock: SetClock,
}

impl Stage {
    async fn open(folder: &Path) -> Self {
        let (clock, set) = Clock::standing(BEGIN);
        let place = Place::Data(folder.to_path_buf());
        // Only a taking back ends a run here, never its own time.
        let settings = Settings { run_milliseconds: 600_000, ..Settings::default() };
        let runtime = Runtime::open_with(place, settings, Arc::new(Compiler::new()), clock).await;
        Self { runtime: runtime.expect("the runtime opens"), clock: set }
    }

    async fn begin(folder: &Path, turns: u64) -> Self {
        let stage = Self::open(folder).await;
        stage.asks("create_playbook", json!({ "name": "One" })).await;
        for (kind, name, source) in [("computation", "count", COUNT), ("workflow", "calling", CALLING)] {
            stage.asks("create_definition", json!({ "type": kind, "name": name, "source": source })).await;
        }
        let run = json!({ "type": "workflow", "name": "calling", "run_id": RUN, "input": { "turns": turns } });
        assert_eq!(stage.asks("run_definition", run).await["status"], "started");
        stage
    }

    async fn asks(&self, operation: &str, mut fields: Value) -> Value {
        fields["org"] = "local".into();
        fields["playbook"] = "one".into();
        self.runtime.local(operation, fields).await.unwrap_or_else(|why| panic!("{operation}: {why:?}"))
    }

    /// Waits until a run has ended.
    async fn ended(&self, run: &str) -> Value {
        let end = Instant::now() + Duration::from_secs(120);
        loop {
            let run = self.asks("get_run", json!({ "run_id": run })).await;
            if run["status"] != "started" {
                return run;
            }
            assert!(Instant::now() < end, "it did not end: {run:#}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// The called run.
    async fn child(&self) -> String {
        let runs = self.asks("list_runs", json!({ "type": "computation" })).await;
        runs["runs"][0]["run_id"].as_str().expect("a called run").to_owned()
    }
}

/// Turns that no machine counts within the time of this test.
const FOR_EVER: u64 = 9_000_000_000_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_out_of_time_stops_the_run_it_waits_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let stage = Stage::begin(folder.path(), FOR_EVER).await;
    let child = stage.child().await;
    stage.clock.pass(HOUR);
    assert_eq!(stage.ended(RUN).await["rejection"]["reason"], "unavailable");
    let child = stage.ended(&child).await;
    assert_eq!((&child["rejection"]["reason"], &child["rejection"]["kind"]), (&json!("cancelled"), &json!("deadline")));
    stage.runtime.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_workflow_that_is_cancelled_stops_the_run_it_waits_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let stage = Stage::begin(folder.path(), FOR_EVER).await;
    let child = stage.child().await;
    stage.asks("cancel_run", json!({ "run_id": RUN, "reason": "Not needed" })).await;
    assert_eq!(stage.ended(RUN).await["rejection"]["kind"], "requested");
    let child = stage.ended(&child).await;
    assert_eq!(child["rejection"]["kind"], "parent_ended", "{child:#}");
    // The turn it had is free again.
    let other = json!({ "type": "computation", "name": "count", "input": { "turns": 3 } });
    assert_eq!(stage.asks("run_definition", other).await["output"]["counted"], 3);
    stage.runtime.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_called_run_that_a_stop_interrupts_is_performed_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let stage = Stage::begin(folder.path(), 20_000_000).await;
    let child = stage.child().await;
    stage.runtime.stop().await;

    let stage = Stage::open(folder.path()).await;
    let run = stage.ended(RUN).await;
    assert_eq!(run["output"], json!({ "counted": 20_000_000 }), "{run:#}");
    assert_eq!(stage.ended(&child).await["status"], "succeeded");
    stage.runtime.stop().await;
}
