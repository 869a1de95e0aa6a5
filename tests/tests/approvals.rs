//! Workflows that ask people: a run waits for a request's answer, its expiry or its cancel. "Calling a function".

use playbook_host::{Clock, Place, Runtime, SetClock, Settings};
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
const RUN: &str = "00000000-0000-7000-8000-000000000001";

const APPROVE: &str = include_str!("../../sample/interaction/approve-campaign-brief.md");

const CATCHING: &str = "
document: { dsl: '1.0.3', namespace: example, name: approval, version: '1.0.0' }
do:
  - approval:
      try:
        - ask-for-approval:
            call: run_definition
            with:
              type: interaction
              name: approve-campaign-brief
              input:
                owner: ${ $data.owner }
                review: Ready.
      catch:
        errors:
          with: { type: https://on.auto/problems/unanswered }
        do:
          - no-answer:
              set: { verdict: revise, note: No answer within two days }
      output:
        as: '${ ({ approval: $data }) }'
";

const TIMED: &str = "
document: { dsl: '1.0.3', namespace: example, name: approval, version: '1.0.0' }
do:
  - ask-for-approval:
      call: run_definition
      with:
        type: interaction
        name: approve-campaign-brief
        input: { owner: anna, review: Ready. }
      timeout: { after: { hours: 1 } }
";

struct Stage {
    runtime: Runtime,
    clock: SetClock,
}

impl Stage {
    async fn open(folder: &Path, at: Moment) -> Self {
        let (clock, set) = Clock::standing(at);
        let place = Place::Data(folder.to_path_buf());
        let runtime = Runtime::open_with(place, Settings::default(), Arc::new(Compiler::new()), clock).await;
        Self { runtime: runtime.expect("the runtime opens"), clock: set }
    }

    async fn begin(folder: &Path, workflow: &str) -> Self {
        let stage = Self::open(folder, BEGIN).await;
        stage.asks("create_playbook", json!({ "name": "One" })).await;
        for (kind, name, source) in
            [("interaction", "approve-campaign-brief", APPROVE), ("workflow", "approval", workflow)]
        {
            stage.asks("create_definition", json!({ "type": kind, "name": name, "source": source })).await;
        }
        let input = json!({ "owner": "anna" });
        let run = json!({ "type": "workflow", "name": "approval", "run_id": RUN, "input": input });
        assert_eq!(stage.asks("run_definition", run).await["status"], "started");
        stage
    }

    async fn asks(&self, operation: &str, mut fields: Value) -> Value {
        fields["org"] = "local".into();
        fields["playbook"] = "one".into();
        match self.runtime.local(operation, fields).await {
            Ok(answer) => answer,
            Err(Refusal::Rejected(rejection)) => panic!("{operation}: {rejection:?}"),
            Err(Refusal::Incident { id }) => panic!("{operation}: incident {id}"),
        }
    }

    async fn inbox(&self) -> Vec<Value> {
        let page = self.asks("list_interactions", json!({})).await;
        page["interactions"].as_array().expect("a list").clone()
    }

    /// Waits until a request is open; gives the run that made it.
    async fn request(&self) -> String {
        let end = Instant::now() + Duration::from_secs(30);
        loop {
            if let [request] = self.inbox().await.as_slice() {
                return request["run_id"].as_str().expect("an id").to_owned();
            }
            assert!(Instant::now() < end, "nothing was asked");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Waits until a run has ended.
    async fn ended(&self, run: &str) -> Value {
        let end = Instant::now() + Duration::from_secs(30);
        loop {
            let run = self.asks("get_run", json!({ "run_id": run })).await;
            if run["status"] != "started" {
                return run;
            }
            assert!(Instant::now() < end, "it did not end: {run:#}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_goes_on_in_the_workflow_that_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let stage = Stage::begin(folder.path(), CATCHING).await;
    let child = stage.request().await;
    let run = stage.asks("get_run", json!({ "run_id": child })).await;
    assert_eq!((&run["type"], &run["status"]), (&json!("interaction"), &json!("started")));
    stage.runtime.stop().await;

    // The program may end meanwhile.
    let stage = Stage::open(folder.path(), Moment(BEGIN.0 + HOUR)).await;
    assert_eq!(stage.request().await, child);
    let answer = json!({ "run_id": child, "answer": { "verdict": "approve" } });
    stage.asks("answer_interaction", answer).await;
    let run = stage.ended(RUN).await;
    assert_eq!(run["output"], json!({ "approval": { "verdict": "approve" } }), "{run:#}");
    // Every record of the called run tells who called it.
    let rows = stage.asks("list_playbook_events", json!({ "run_id": child })).await;
    let rows = rows["events"].as_array().expect("a list");
    let kinds: Vec<_> = rows.iter().map(|row| row["type"].as_str().expect("a type")).collect();
    assert_eq!(kinds, ["run_started", "interaction_requested", "run_succeeded"]);
    for row in rows {
        assert_eq!(row["metadata"]["called_by"]["run_id"], RUN, "{row:#}");
        assert_eq!(row["metadata"]["correlation_id"], RUN, "{row:#}");
    }
    stage.runtime.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_expires_is_caught() {
    let folder = tempfile::tempdir().expect("a folder");
    let stage = Stage::begin(folder.path(), CATCHING).await;
    let child = stage.request().await;
    stage.clock.pass(48 * HOUR);
    let run = stage.ended(RUN).await;
    assert_eq!(
        run["output"],
        json!({ "approval": { "verdict": "revise", "note": "No answer within two days" } }),
        "{run:#}"
    );
    assert_eq!(stage.ended(&child).await["rejection"]["kind"], "expired");
    stage.runtime.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_workflow_that_is_cancelled_takes_its_request_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let stage = Stage::begin(folder.path(), CATCHING).await;
    let child = stage.request().await;
    stage.asks("cancel_run", json!({ "run_id": RUN, "reason": "Not needed" })).await;
    let run = stage.ended(RUN).await;
    assert_eq!((&run["rejection"]["reason"], &run["rejection"]["kind"]), (&json!("cancelled"), &json!("requested")));
    let run = stage.ended(&child).await;
    assert_eq!((&run["rejection"]["reason"], &run["rejection"]["kind"]), (&json!("cancelled"), &json!("parent_ended")));
    assert_eq!(stage.inbox().await, Vec::<Value>::new());
    stage.runtime.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_workflow_out_of_time_takes_its_request_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let stage = Stage::begin(folder.path(), TIMED).await;
    let child = stage.request().await;
    stage.clock.pass(HOUR);
    let run = stage.ended(RUN).await;
    assert_eq!(run["rejection"]["reason"], "unavailable", "{run:#}");
    let run = stage.ended(&child).await;
    assert_eq!((&run["rejection"]["reason"], &run["rejection"]["kind"]), (&json!("cancelled"), &json!("deadline")));
    stage.runtime.stop().await;
}

/// The task's timeout was due first, and the request expired later: both while the program was ended.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_due_first_comes_first_however_late_the_program_is_opened() {
    for _ in 0..3 {
        let folder = tempfile::tempdir().expect("a folder");
        let stage = Stage::begin(folder.path(), TIMED).await;
        let child = stage.request().await;
        stage.runtime.stop().await;
        let stage = Stage::open(folder.path(), Moment(BEGIN.0 + 100 * HOUR)).await;
        let run = stage.ended(RUN).await;
        assert_eq!(run["rejection"]["reason"], "unavailable", "{run:#}");
        let run = stage.ended(&child).await;
        assert_eq!((&run["rejection"]["reason"], &run["rejection"]["kind"]), (&json!("cancelled"), &json!("deadline")));
        stage.runtime.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_is_cancelled_ends_the_call_as_invalid_input() {
    let folder = tempfile::tempdir().expect("a folder");
    let stage = Stage::begin(folder.path(), CATCHING).await;
    let child = stage.request().await;
    stage.asks("cancel_run", json!({ "run_id": child, "reason": "Asked by mistake" })).await;
    let run = stage.ended(RUN).await;
    assert_eq!(run["rejection"]["reason"], "invalid_input", "{run:#}");
    stage.runtime.stop().await;
}
