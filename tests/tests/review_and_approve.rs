//! The first workflow of the format's page, its document as it stands there. "A workflow document".
//!
//! Its reasoning function cannot be saved by this program, so something stands in for it. The program ends and is
//! opened again in the middle of each wait.

use playbook_host::{Clock, Place, Runtime, SetClock, Settings, StandIns};
use playbook_model::definition::{DefinitionKey, DefinitionType};
use playbook_model::ending::{Ending, Reason, Rejection};
use playbook_model::id::{DefinitionName, OrgId, PlaybookId, PlaybookKey};
use playbook_model::time::Moment;
use playbook_typescript::Compiler;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// 2026-10-05T12:00:00Z.
const BEGIN: Moment = Moment(1_791_201_600_000);
const SECOND: i64 = 1_000;
const HOUR: i64 = 3_600_000;
const RUN: &str = "00000000-0000-7000-8000-000000000001";
const BRIEF: &str = "Plant managers at breweries; USD 8,000; 40 demos booked.";
const REVIEW: &str = "Audience: met. Offer: missing. Revise.";

const WORKFLOW: &str = include_str!("../documents/review-and-approve.yaml");
const APPROVE: &str = include_str!("../../sample/interaction/approve-campaign-brief.md");

/// The program on a folder, with what stands in for `review-campaign-brief`, unavailable for so many calls.
struct Stage {
    folder: tempfile::TempDir,
    compiler: Arc<Compiler>,
    stand_ins: StandIns,
    calls: Arc<AtomicUsize>,
    runtime: Runtime,
    clock: SetClock,
}

impl Stage {
    /// Saves the definitions and starts the run.
    async fn begin(unavailable: usize) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let compiler = Arc::new(Compiler::new());
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = calls.clone();
        let key = DefinitionKey {
            kind: DefinitionType::Reasoning,
            name: DefinitionName::new("review-campaign-brief").expect("a name"),
        };
        let stand_ins = StandIns::default().with(key, move |input| {
            assert_eq!(input, &json!({ "brief": BRIEF }));
            if counted.fetch_add(1, Ordering::SeqCst) < unavailable {
                return Ending::Rejected(Rejection::new(Reason::Unavailable, "The model does not answer"));
            }
            Ending::Succeeded { output: REVIEW.into(), record: json!({}) }
        });
        let (runtime, clock) = open(folder.path(), &compiler, &stand_ins, BEGIN).await;
        let stage = Self { folder, compiler, stand_ins, calls, runtime, clock };
        stage.asks("create_playbook", json!({ "name": "One" })).await;
        for (kind, name, source) in
            [("interaction", "approve-campaign-brief", APPROVE), ("workflow", "review-and-approve", WORKFLOW)]
        {
            stage.asks("create_definition", json!({ "type": kind, "name": name, "source": source })).await;
        }
        let saved = stage.asks("get_definition", json!({ "type": "workflow", "name": "review-and-approve" })).await;
        assert_eq!(saved["source"], WORKFLOW);
        let input = json!({ "brief": BRIEF, "owner": "anna" });
        let run = json!({ "type": "workflow", "name": "review-and-approve", "run_id": RUN, "input": input });
        assert_eq!(stage.asks("run_definition", run).await["status"], "started");
        stage
    }

    /// The program ends, and is opened again on the same folder after so many milliseconds.
    async fn again(mut self, after: i64) -> Self {
        self.runtime.stop().await;
        let at = Moment(self.clock.now().0 + after);
        (self.runtime, self.clock) = open(self.folder.path(), &self.compiler, &self.stand_ins, at).await;
        self
    }

    async fn asks(&self, operation: &str, mut fields: Value) -> Value {
        fields["org"] = "local".into();
        fields["playbook"] = "one".into();
        self.runtime.local(operation, fields).await.unwrap_or_else(|why| panic!("{operation}: {why:?}"))
    }

    fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    /// Waits until nothing moves before a time comes or someone acts.
    async fn rests(&self) {
        let key = PlaybookKey { org: OrgId::local(), playbook: PlaybookId::new("one").expect("an id") };
        let end = Instant::now() + Duration::from_secs(30);
        while !self.runtime.at_rest(&key).await.expect("the log is read") {
            assert!(Instant::now() < end, "it does not rest");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// The one request that is open.
    async fn request(&self) -> Value {
        self.rests().await;
        let page = self.asks("list_interactions", json!({})).await;
        let [request] = page["interactions"].as_array().expect("a list").as_slice() else {
            panic!("expected one request: {page:#}")
        };
        request.clone()
    }

    async fn run(&self, run: &str) -> Value {
        self.rests().await;
        self.asks("get_run", json!({ "run_id": run })).await
    }

    /// The runs of the reasoning function, the earliest first.
    async fn reviews(&self) -> Vec<Value> {
        let page = self.asks("list_runs", json!({})).await;
        let mut runs = page["runs"].as_array().expect("a list").clone();
        runs.retain(|run| run["type"] == "reasoning");
        runs.reverse();
        runs
    }
}

async fn open(
    folder: &std::path::Path,
    compiler: &Arc<Compiler>,
    stand_ins: &StandIns,
    at: Moment,
) -> (Runtime, SetClock) {
    let (clock, set) = Clock::standing(at);
    let settings = Settings { stand_ins: stand_ins.clone(), ..Settings::default() };
    let runtime = Runtime::open_with(Place::Data(folder.to_path_buf()), settings, compiler.clone(), clock).await;
    (runtime.expect("the runtime opens"), set)
}

/// "Ends with the review and the answer."
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_owner_approves_the_review() {
    let stage = Stage::begin(0).await;
    let request = stage.request().await;
    assert_eq!(request["to"], "anna", "{request:#}");
    let stage = stage.again(HOUR).await;
    assert_eq!(stage.request().await, request);
    let answer = json!({ "run_id": request["run_id"], "answer": { "verdict": "approve" } });
    stage.asks("answer_interaction", answer).await;
    let run = stage.run(RUN).await;
    assert_eq!(run["status"], "succeeded", "{run:#}");
    assert_eq!(run["output"], json!({ "review": REVIEW, "approval": { "verdict": "approve" } }));
    assert_eq!(stage.calls(), 1);
    let reviews = stage.reviews().await;
    assert_eq!((reviews.len(), &reviews[0]["status"]), (1, &json!("succeeded")), "{reviews:#?}");
    // Once more, and what ended stays as it ended.
    let stage = stage.again(HOUR).await;
    assert_eq!(stage.run(RUN).await, run);
    assert_eq!(stage.calls(), 1);
    stage.runtime.stop().await;
}

/// "When nobody answers before the request expires, the `catch` takes the `unanswered` error and the run ends with the
/// verdict `revise`."
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_answers_within_two_days() {
    let stage = Stage::begin(0).await;
    let request = stage.request().await;
    let child = request["run_id"].as_str().expect("an id").to_owned();
    let stage = stage.again(24 * HOUR).await;
    assert_eq!(stage.request().await, request);
    stage.clock.set(Moment(BEGIN.0 + 48 * HOUR - 1));
    assert_eq!(stage.run(RUN).await["status"], "started", "a millisecond is missing");
    stage.clock.pass(1);
    let run = stage.run(RUN).await;
    assert_eq!(run["status"], "succeeded", "{run:#}");
    let approval = json!({ "verdict": "revise", "note": "No answer within two days" });
    assert_eq!(run["output"], json!({ "review": REVIEW, "approval": approval }));
    let rejection = stage.run(&child).await["rejection"].clone();
    assert_eq!((&rejection["reason"], &rejection["kind"]), (&json!("unanswered"), &json!("expired")));
    assert_eq!(stage.calls(), 1);
    stage.runtime.stop().await;
}

/// As before, with the program ended when the time comes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_request_expires_while_the_program_is_ended() {
    let stage = Stage::begin(0).await;
    stage.request().await;
    let stage = stage.again(50 * HOUR).await;
    let run = stage.run(RUN).await;
    assert_eq!(run["output"]["approval"]["verdict"], "revise", "{run:#}");
    assert_eq!(stage.calls(), 1);
    stage.runtime.stop().await;
}

/// "A review that raises status 503 is tried again after 5, 10 and 20 seconds. After the third retry, the run raises
/// its own error."
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_review_that_cannot_be_run_is_given_up() {
    let mut stage = Stage::begin(usize::MAX).await;
    for (retry, seconds) in [(1, 5), (2, 10), (3, 20)] {
        stage.rests().await;
        assert_eq!(stage.calls(), retry);
        stage = stage.again(2 * SECOND).await;
        stage.clock.pass((seconds - 2) * SECOND - 1);
        assert_eq!(stage.run(RUN).await["status"], "started");
        assert_eq!(stage.calls(), retry, "a millisecond is missing");
        stage.clock.pass(1);
    }
    let run = stage.run(RUN).await;
    assert_eq!(run["status"], "rejected", "{run:#}");
    assert_eq!(run["rejection"]["reason"], "unavailable");
    assert_eq!(run["rejection"]["kind"], Value::Null);
    assert_eq!(run["rejection"]["detail"], "The review could not be run, at the step give-up.");
    assert_eq!(stage.calls(), 4);
    let reviews = stage.reviews().await;
    let began: Vec<_> = reviews.iter().map(|run| run["started_at"].as_str().expect("a time")).collect();
    let times = [0, 5, 15, 35].map(|seconds| Moment(BEGIN.0 + seconds * SECOND).iso());
    assert_eq!(began, times);
    assert!(reviews.iter().all(|run| run["rejection"]["reason"] == "unavailable"), "{reviews:#?}");
    // "The steps after it never run."
    let page = stage.asks("list_runs", json!({ "type": "interaction" })).await;
    assert_eq!(page["runs"], json!([]));
    stage.runtime.stop().await;
}

/// A retry that helps: the run goes on as if nothing had been.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_review_that_is_tried_again_may_succeed() {
    let stage = Stage::begin(1).await;
    stage.rests().await;
    let stage = stage.again(5 * SECOND).await;
    let request = stage.request().await;
    let stage = stage.again(HOUR).await;
    let answer = json!({ "run_id": request["run_id"], "answer": { "verdict": "revise", "note": "Name the offer" } });
    stage.asks("answer_interaction", answer).await;
    let approval = json!({ "verdict": "revise", "note": "Name the offer" });
    assert_eq!(stage.run(RUN).await["output"], json!({ "review": REVIEW, "approval": approval }));
    assert_eq!(stage.calls(), 2);
    stage.runtime.stop().await;
}

/// Nothing stands in where nobody gave it: the function is one that there is not.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_stands_in_by_itself() {
    let mut stage = Stage::begin(0).await;
    stage.request().await;
    stage.stand_ins = StandIns::default();
    let stage = stage.again(HOUR).await;
    let input = json!({ "brief": BRIEF, "owner": "anna" });
    let run = "00000000-0000-7000-8000-000000000002";
    let fields = json!({ "type": "workflow", "name": "review-and-approve", "run_id": run, "input": input });
    stage.asks("run_definition", fields).await;
    let rejection = stage.run(run).await["rejection"].clone();
    assert_eq!(rejection["reason"], "invalid_input", "by its status 404: {rejection:#}");
    assert_eq!(stage.calls(), 1);
    stage.runtime.stop().await;
}
