//! Limits of workflows that a deployment sets, or that only many runs reach. "Limits", "What happens at a limit".

use playbook_host::{Clock, Place, Runtime, SetClock, Settings};
use playbook_model::ending::{Reason, Rejection};
use playbook_model::id::{OrgId, PlaybookId, PlaybookKey};
use playbook_model::refusal::Refusal;
use playbook_model::time::Moment;
use playbook_typescript::Compiler;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// 2026-10-05T12:00:00Z.
const BEGIN: Moment = Moment(1_791_201_600_000);
const HOUR: i64 = 3_600_000;

struct Stage {
    runtime: Runtime,
    clock: SetClock,
    folder: tempfile::TempDir,
}

impl Stage {
    async fn begin(settings: Settings) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let (runtime, clock) = open(folder.path(), settings, BEGIN).await;
        let stage = Self { runtime, clock, folder };
        stage.asks("create_playbook", json!({ "name": "One" })).await;
        stage
    }

    async fn tries(&self, operation: &str, mut fields: Value) -> Result<Value, Rejection> {
        fields["org"] = "local".into();
        fields["playbook"] = "one".into();
        match self.runtime.local(operation, fields).await {
            Ok(answer) => Ok(answer),
            Err(Refusal::Rejected(rejection)) => Err(rejection),
            Err(Refusal::Incident { id }) => panic!("{operation}: incident {id}"),
        }
    }

    async fn asks(&self, operation: &str, fields: Value) -> Value {
        self.tries(operation, fields).await.unwrap_or_else(|why| panic!("{operation}: {why:?}"))
    }

    async fn save(&self, name: &str, rest: &str) -> Result<Value, Rejection> {
        let head = format!("document: {{ dsl: '1.0.3', namespace: example, name: {name}, version: '1.0.0' }}\n");
        self.tries("create_definition", json!({ "type": "workflow", "name": name, "source": head + rest })).await
    }

    /// Starts a run; gives its id.
    async fn start(&self, name: &str, input: Value) -> String {
        let run = match self.tries("run_definition", json!({ "type": "workflow", "name": name, "input": input })).await
        {
            Ok(run) => run,
            Err(_) => self.asks("list_runs", json!({ "type": "workflow", "name": name })).await["runs"][0].clone(),
        };
        run["run_id"].as_str().expect("an id").to_owned()
    }

    fn key(&self) -> PlaybookKey {
        PlaybookKey { org: OrgId::local(), playbook: PlaybookId::new("one").expect("an id") }
    }

    /// A run, once nothing moves before a time comes or someone acts.
    async fn run(&self, run: &str) -> Value {
        let end = Instant::now() + Duration::from_secs(60);
        while !self.runtime.at_rest(&self.key()).await.expect("the log is read") {
            assert!(Instant::now() < end, "it does not rest");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        self.asks("get_run", json!({ "run_id": run })).await
    }
}

async fn open(folder: &Path, settings: Settings, at: Moment) -> (Runtime, SetClock) {
    let (clock, set) = Clock::standing(at);
    let place = Place::Data(folder.to_path_buf());
    let runtime = Runtime::open_with(place, settings, Arc::new(Compiler::new()), clock).await;
    (runtime.expect("the runtime opens"), set)
}

/// "Duration of a run: 30 days; `WORKFLOW_MAX_DURATION` sets 2 hours to 365 days."
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_longest_a_run_may_last_is_set() {
    for (hours, longer) in [(2, "PT2H1S"), (365 * 24, "P365DT1S")] {
        let milliseconds = u64::try_from(hours * HOUR).expect("it is positive");
        let stage = Stage::begin(Settings { workflow_max_milliseconds: milliseconds, ..Settings::default() }).await;
        // "A duration written in the document that is longer than a run may last is refused."
        let refused = stage.save("long", &format!("do:\n  - nap: {{ wait: {longer} }}\n")).await;
        let refused = refused.expect_err("it is longer than a run may last");
        assert_eq!(refused.reason, Reason::InvalidInput);
        assert!(refused.issues.iter().any(|issue| issue.detail.contains("longer than a run may last")), "{refused:?}");
        // "One that an expression computes fails its task with a `configuration` error."
        let computed = "do:
  - attempt:
      try: [{ nap: { wait: '${ $data.long }' } }]
      catch: { do: [{ mend: { set: '${ [$error.type, $error.status] }' } }] }
";
        stage.save("computed", computed).await.expect("it is saved");
        let run = stage.start("computed", json!({ "long": longer })).await;
        let error = "https://open-workflow-specification.org/spec/1.0.0/errors/configuration";
        assert_eq!(stage.run(&run).await["output"], json!([error, 400]));
        // A run lasts no longer.
        let exactly = format!("do:\n  - nap: {{ wait: PT{hours}H }}\n  - more: {{ wait: PT1S }}\n");
        stage.save("exactly", &exactly).await.expect("it may last so long");
        let run = stage.start("exactly", json!({})).await;
        stage.clock.set(Moment(BEGIN.0 + hours * HOUR - 1));
        assert_eq!(stage.run(&run).await["status"], "started");
        stage.clock.pass(1);
        let rejection = stage.run(&run).await["rejection"].clone();
        assert_eq!((&rejection["reason"], &rejection["kind"]), (&json!("cancelled"), &json!("overrun")));
        stage.runtime.stop().await;
    }
}

/// "Calls waiting under one run: 1,000 under the top workflow; `WORKFLOW_MAX_OPEN_CALLS` sets 1 to 9,999." "The next
/// call is refused in the same way": as a `conflict`, which the calling task raises as a `runtime` error.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn so_many_calls_wait_under_one_run_as_is_set() {
    let stage = Stage::begin(Settings { workflow_max_open_calls: 2, ..Settings::default() }).await;
    stage.save("naps", "do:\n  - nap: { wait: PT1H }\n  - done: { set: rested }\n").await.expect("it is saved");
    // The call of `between` waits as well, and counts with the one below it.
    let between = "do:\n  - ask: { call: run_definition, with: { type: workflow, name: naps } }\n";
    stage.save("between", between).await.expect("it is saved");
    let forked = |called: &[&str]| {
        let branch = |(at, called): (usize, &&str)| {
            format!(
                "{{ t{at}: {{ try: [{{ ask: {{ call: run_definition, with: {{ type: workflow, name: {called} }} }} }}], \
                 catch: {{ do: [{{ mend: {{ set: '${{ [$error.type, $error.status, $error.detail] }}' }} }}] }} }} }}"
            )
        };
        let branches: Vec<_> = called.iter().enumerate().map(branch).collect();
        format!("do:\n  - all: {{ fork: {{ branches: [{}] }} }}\n", branches.join(", "))
    };
    stage.save("two", &forked(&["naps", "naps"])).await.expect("it is saved");
    stage.save("three", &forked(&["naps", "naps", "naps"])).await.expect("it is saved");
    stage.save("deep", &forked(&["naps", "between"])).await.expect("it is saved");
    let mut runs = Vec::new();
    for name in ["two", "three", "deep"] {
        runs.push(stage.start(name, json!({})).await);
    }
    for run in &runs {
        assert_eq!(stage.run(run).await["status"], "started");
    }
    stage.clock.pass(HOUR);
    let refused = json!([
        "https://open-workflow-specification.org/spec/1.0.0/errors/runtime",
        409,
        "As many calls wait under the run at the top as may: 2"
    ]);
    assert_eq!(stage.run(&runs[0]).await["output"], json!(["rested", "rested"]));
    assert_eq!(stage.run(&runs[1]).await["output"], json!(["rested", "rested", refused]));
    let deep = stage.run(&runs[2]).await["output"].clone();
    assert_eq!(deep[0], "rested");
    assert_eq!(
        (&deep[1][0], &deep[1][1]),
        (&json!("https://open-workflow-specification.org/spec/1.0.0/errors/validation"), &json!(400))
    );
    stage.runtime.stop().await;
}

/// "A playbook has at most 4,096 tasks listening for its events at once. One more hears only events sent to its run."
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_task_more_than_may_listen_hears_only_what_is_sent_to_its_run() {
    let stage = Stage::begin(Settings::default()).await;
    let listens = "{ listen: { to: { one: { with: { type: com.example.now } } } } }";
    stage.save("hears", &format!("do:\n  - hear: {listens}\n")).await.expect("it is saved");
    let listeners = |branches: usize| {
        let quiet = "{ listen: { to: { one: { with: { type: n } } } } }";
        let inner: Vec<_> = (0..32).map(|at| format!("{{ b{at}: {quiet} }}")).collect();
        let outer: Vec<_> = (0..branches)
            .map(|at| format!("{{ a{at}: {{ fork: {{ branches: [{}] }} }} }}", inner.join(", ")))
            .collect();
        format!("do:\n  - all: {{ fork: {{ branches: [{}] }} }}\n", outer.join(", "))
    };
    // A document of more would be too large.
    stage.save("many", &listeners(25)).await.expect("it is saved");
    stage.save("few", &listeners(3)).await.expect("it is saved");
    for _ in 0..5 {
        let run = stage.start("many", json!({})).await;
        assert_eq!(stage.run(&run).await["status"], "started");
    }
    // 4,000 listen, 96 more do, and none is left.
    let heard = stage.start("hears", json!({})).await;
    stage.asks("publish_event", json!({ "event": { "type": "com.example.now", "source": "/a", "data": 1 } })).await;
    assert_eq!(stage.run(&heard).await["output"], json!([1]));
    let few = stage.start("few", json!({})).await;
    assert_eq!(stage.run(&few).await["status"], "started");
    let deaf = stage.start("hears", json!({})).await;
    stage.asks("publish_event", json!({ "event": { "type": "com.example.now", "source": "/a", "data": 2 } })).await;
    assert_eq!(stage.run(&deaf).await["status"], "started");
    let event = json!({ "type": "com.example.now", "id": "3", "data": 3 });
    stage.asks("send_run_event", json!({ "run_id": deaf, "event": event })).await;
    assert_eq!(stage.run(&deaf).await["output"], json!([3]));
    // One that ends makes room.
    stage.asks("cancel_run", json!({ "run_id": few, "reason": "Not needed" })).await;
    let heard = stage.start("hears", json!({})).await;
    stage.asks("publish_event", json!({ "event": { "type": "com.example.now", "source": "/a", "data": 4 } })).await;
    assert_eq!(stage.run(&heard).await["output"], json!([4]));
    stage.runtime.stop().await;
}

/// What was due first comes first over all that a run called: the called workflow ended before its caller gave up.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_called_workflow_and_the_wait_for_it_are_both_late() {
    let mut stage = Stage::begin(Settings::default()).await;
    stage.save("naps", "do:\n  - nap: { wait: '${ $data.nap }' }\n  - done: { set: rested }\n").await.expect("saved");
    let asks = "do:
  - attempt:
      try:
        - ask:
            call: run_definition
            with: { type: workflow, name: naps, input: { nap: '${ $data.nap }' } }
            timeout: { after: PT2H }
      catch: { do: [{ mend: { set: '${ $error.status }' } }] }
";
    stage.save("asks", asks).await.expect("it is saved");
    let short = stage.start("asks", json!({ "nap": "PT1H" })).await;
    let long = stage.start("asks", json!({ "nap": "PT3H" })).await;
    stage.run(&long).await;
    stage.runtime.stop().await;
    (stage.runtime, stage.clock) = open(stage.folder.path(), Settings::default(), Moment(BEGIN.0 + 48 * HOUR)).await;
    assert_eq!(stage.run(&short).await["output"], "rested");
    assert_eq!(stage.run(&long).await["output"], 408);
    let page = stage.asks("list_runs", json!({ "type": "workflow", "name": "naps" })).await;
    let kinds: Vec<_> = page["runs"].as_array().expect("a list").iter().map(|run| &run["rejection"]["kind"]).collect();
    assert_eq!(kinds, [&json!("deadline"), &Value::Null]);
    stage.runtime.stop().await;
}

/// "A start the server cannot take at that moment is refused `unavailable`: The workflow cannot start now; try again
/// shortly."
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_start_that_cannot_be_taken_now_says_so() {
    let mut stage = Stage::begin(Settings::default()).await;
    stage.save("naps", "do:\n  - nap: { wait: PT1H }\n").await.expect("it is saved");
    let run = json!({ "type": "workflow", "name": "naps", "run_id": "00000000-0000-7000-8000-000000000001" });
    let _ = stage.runtime.cut(0);
    let refused = stage.tries("run_definition", run.clone()).await.expect_err("nothing can be recorded");
    let words = "The workflow cannot start now; try again shortly";
    assert_eq!((refused.reason, refused.kind, refused.detail.as_str()), (Reason::Unavailable, None, words));
    // Nothing was recorded of it: the same id starts it later.
    stage.runtime.stop().await;
    (stage.runtime, stage.clock) = open(stage.folder.path(), Settings::default(), BEGIN).await;
    assert_eq!(stage.asks("run_definition", run).await["status"], "started");
    stage.runtime.stop().await;
}

/// "A filter so stopped 3 times in a row … The playbook records that once": and its trigger's row says so, until a
/// version with a cheaper one, or a restart.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_filter_stopped_for_good_is_told_of_its_trigger() {
    let mut stage = Stage::begin(Settings::default()).await;
    let costly = "schedule:
  on:
    any:
      - with: { type: com.example.a, data: '${ \"x\".repeat(200000000).length > 0 }' }
      - with: { type: com.example.b }
do:
  - note: { set: { n: 1 } }
";
    let saved = stage.save("costly", costly).await.expect("it is saved");
    let triggers = async |stage: &Stage| stage.runtime.triggers(&stage.key()).await.expect("they are read");
    assert_eq!(triggers(&stage).await[0]["stopped"], Value::Null);
    stage.asks("publish_event", json!({ "event": { "type": "com.example.a", "source": "/a" } })).await;
    let end = Instant::now() + Duration::from_secs(60);
    while triggers(&stage).await[0]["stopped"].is_null() {
        assert!(Instant::now() < end, "it is not stopped");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let why = "The filter at /schedule/on/any/0 was stopped 3 times in a row by its time or its memory, and is not \
               evaluated again for version 1.";
    assert_eq!(triggers(&stage).await[0]["stopped"], json!([{ "reference": "/schedule/on/any/0", "why": why }]));
    // "The playbook keeps what it stopped in memory, so a restart evaluates the filter again."
    stage.runtime.stop().await;
    (stage.runtime, stage.clock) = open(stage.folder.path(), Settings::default(), BEGIN).await;
    assert_eq!(triggers(&stage).await[0]["stopped"], Value::Null);
    assert_eq!(saved["version"], 1);
    stage.runtime.stop().await;
}
