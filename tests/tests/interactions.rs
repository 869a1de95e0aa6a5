//! Requests that wait for people: asked, listed, answered, expired and cancelled, on a clock that is set.

use playbook_host::{Clock, Place, Runtime, SetClock, Settings};
use playbook_model::ending::{Kind, Reason, Rejection};
use playbook_model::refusal::Refusal;
use playbook_model::time::Moment;
use playbook_typescript::Compiler;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// 2026-10-05T12:00:00Z.
const BEGIN: Moment = Moment(1_791_201_600_000);
const DAY: i64 = 86_400_000;

/// The sample's own document: what a newcomer runs first is what is tested.
const APPROVE: &str = include_str!("../../sample/interaction/approve-campaign-brief.md");

struct Stage {
    runtime: Runtime,
    clock: SetClock,
}

impl Stage {
    async fn open(folder: &Path, at: Moment, settings: Settings) -> Self {
        let (clock, set) = Clock::standing(at);
        let place = Place::Data(folder.to_path_buf());
        let runtime = Runtime::open_with(place, settings, Arc::new(Compiler::new()), clock).await;
        Self { runtime: runtime.expect("the runtime opens"), clock: set }
    }

    async fn begin(folder: &Path) -> Self {
        Self::begin_with(folder, Settings::default()).await
    }

    async fn begin_with(folder: &Path, settings: Settings) -> Self {
        let stage = Self::open(folder, BEGIN, settings).await;
        stage.asks("create_playbook", json!({ "name": "One" })).await;
        stage
            .asks(
                "create_definition",
                json!({ "type": "interaction", "name": "approve-campaign-brief", "source": APPROVE }),
            )
            .await;
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

    async fn refused(&self, operation: &str, fields: Value) -> Rejection {
        self.tries(operation, fields).await.expect_err("it is refused")
    }

    /// Starts a run of the sample under an id that ends so.
    async fn ask(&self, number: u32, owner: &str) -> Value {
        let input = json!({ "owner": owner, "review": "Ready." });
        self.asks("run_definition", asking(number, input)).await
    }

    async fn run(&self, number: u32) -> Value {
        self.asks("get_run", json!({ "run_id": id(number) })).await
    }

    async fn inbox(&self) -> Vec<Value> {
        let page = self.asks("list_interactions", json!({})).await;
        page["interactions"].as_array().expect("a list").clone()
    }

    /// Waits until a run has ended.
    async fn ended(&self, number: u32) -> Value {
        let end = Instant::now() + Duration::from_secs(30);
        loop {
            let run = self.run(number).await;
            if run["status"] != "started" {
                return run;
            }
            assert!(Instant::now() < end, "it did not end: {run:#}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

fn id(number: u32) -> String {
    format!("00000000-0000-7000-8000-{number:012}")
}

fn asking(number: u32, input: Value) -> Value {
    json!({ "type": "interaction", "name": "approve-campaign-brief", "run_id": id(number), "input": input })
}

fn answering(number: u32, answer: Value) -> Value {
    json!({ "run_id": id(number), "answer": answer })
}

fn yes() -> Value {
    json!({ "verdict": "approve" })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_is_asked_listed_and_answered_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let stage = Stage::begin(folder.path()).await;
    let run = stage.ask(1, "anna@example.com").await;
    assert_eq!((run["status"].as_str(), run["run_id"].as_str()), (Some("started"), Some(id(1).as_str())));
    assert_eq!(run.get("output"), None);

    let inbox = stage.inbox().await;
    assert_eq!(inbox.len(), 1);
    let schema = inbox[0]["answer_schema"].clone();
    assert_eq!(schema["required"], json!(["verdict"]));
    assert_eq!(
        inbox[0],
        json!({
            "run_id": id(1), "function": "approve-campaign-brief", "version": 1, "to": "anna@example.com",
            "delivery": null,
            "message": "The review of your campaign brief is ready:\n\nReady.\n\n\
                        Approve the brief as it stands, or ask for a revision.",
            "takes_answer": true, "answer_schema": schema,
            "requested_at": "2026-10-05T12:00:00.000Z", "expires_at": "2026-10-07T12:00:00.000Z",
            "attempts": 0, "conversation": null, "answerer": null, "reply_refusals": 0, "standing": "in_inbox",
        })
    );
    // Asked for again, the run stands as it does, and asks nobody twice.
    assert_eq!(stage.ask(1, "anna@example.com").await, run);
    assert_eq!(stage.inbox().await.len(), 1);
    let other = stage.refused("run_definition", asking(1, json!({ "owner": "bert", "review": "Ready." }))).await;
    assert_eq!((other.reason, other.kind), (Reason::Conflict, None));

    // A wrong answer leaves it open.
    let wrong = stage.refused("answer_interaction", answering(1, json!({ "verdict": "maybe" }))).await;
    assert_eq!((wrong.reason, wrong.issues[0].pointer.as_str()), (Reason::InvalidInput, "/answer/verdict"));
    assert_eq!(stage.inbox().await.len(), 1);

    stage.clock.pass(60_000);
    let mut answer = answering(1, yes());
    answer["claimed_for"] = "Anna".into();
    let run = stage.asks("answer_interaction", answer).await;
    assert_eq!((run["status"].as_str(), &run["output"]), (Some("succeeded"), &yes()));
    assert_eq!(
        run["record"],
        json!({ "answered_by": "local", "answered_at": "2026-10-05T12:01:00.000Z", "claimed_for": "Anna" })
    );
    assert_eq!(run["finished_at"], "2026-10-05T12:01:00.000Z");
    assert_eq!(stage.inbox().await.len(), 0);

    // The same again is the run as it stands; another is too late.
    assert_eq!(stage.asks("answer_interaction", answering(1, yes())).await, run);
    let late = stage.refused("answer_interaction", answering(1, json!({ "verdict": "revise" }))).await;
    assert_eq!((late.reason, late.kind), (Reason::Conflict, None));
    assert_eq!(stage.ask(1, "anna@example.com").await, run);
    let cancel = stage.refused("cancel_run", json!({ "run_id": id(1), "reason": "Too late" })).await;
    assert_eq!(cancel.reason, Reason::Conflict);

    // Its history tells it so.
    let rows = stage.asks("list_playbook_events", json!({ "run_id": id(1) })).await;
    let rows = rows["events"].as_array().expect("a list");
    let kinds: Vec<_> = rows.iter().map(|row| row["type"].as_str().expect("a type")).collect();
    assert_eq!(kinds, ["run_started", "interaction_requested", "run_succeeded"]);
    assert_eq!(rows[0]["data"]["finishes_later"], true);
    assert_eq!(rows[1]["data"]["to"], "anna@example.com");
    let requested = stage.asks("list_playbook_events", json!({ "type": "interaction_requested" })).await;
    assert_eq!(requested["events"].as_array().map(Vec::len), Some(1));
    stage.runtime.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_expires_by_the_clock_also_while_nobody_looked() {
    let folder = tempfile::tempdir().expect("a folder");
    let stage = Stage::begin(folder.path()).await;
    stage.ask(1, "anna").await;
    stage.clock.pass(2 * DAY - 1);
    assert_eq!(stage.run(1).await["status"], "started");
    stage.ask(2, "anna").await;
    stage.clock.pass(1);
    let run = stage.ended(1).await;
    assert_eq!(run["status"], "rejected");
    assert_eq!(
        run["rejection"],
        json!({ "reason": "unanswered", "kind": "expired", "detail": "Nobody answered within 2 days" })
    );
    let late = stage.refused("answer_interaction", answering(1, yes())).await;
    assert_eq!(late.reason, Reason::Conflict);
    // An unanswered run is final for its id.
    let again = stage.refused("run_definition", asking(1, json!({ "owner": "anna", "review": "Ready." }))).await;
    assert_eq!((again.reason, again.kind), (Reason::Unanswered, Some(Kind::Expired)));
    assert_eq!(stage.run(2).await["status"], "started");
    let at = stage.clock.now();
    stage.runtime.stop().await;

    // Closed for a week: the request that expired meanwhile has, and one that is open still waits.
    let stage = Stage::open(folder.path(), at, Settings::default()).await;
    stage.ask(3, "bert").await;
    assert_eq!(stage.inbox().await.len(), 2);
    stage.runtime.stop().await;
    let stage = Stage::open(folder.path(), Moment(at.0 + 7 * DAY), Settings::default()).await;
    for number in [2, 3] {
        assert_eq!(stage.ended(number).await["rejection"]["kind"], "expired");
    }
    assert_eq!(stage.inbox().await, Vec::<Value>::new());
    let rows = stage.asks("list_playbook_events", json!({ "run_id": id(3) })).await;
    assert_eq!(rows["events"][2]["metadata"]["by"], "playbook:one", "{rows:#}");
    stage.runtime.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_waiting_request_can_be_cancelled_and_the_reason_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let stage = Stage::begin(folder.path()).await;
    stage.ask(1, "anna").await;
    let run = stage.asks("cancel_run", json!({ "run_id": id(1), "reason": "Not needed" })).await;
    assert_eq!(run["status"], "rejected");
    assert_eq!(run["rejection"], json!({ "reason": "cancelled", "kind": "requested", "detail": "Not needed" }));
    assert_eq!(stage.inbox().await, Vec::<Value>::new());
    assert_eq!(stage.refused("answer_interaction", answering(1, yes())).await.reason, Reason::Conflict);
    stage.clock.pass(3 * DAY);
    assert_eq!(stage.run(1).await["rejection"]["kind"], "requested");
    stage.runtime.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_inbox_is_read_in_pages_by_party_and_function() {
    let folder = tempfile::tempdir().expect("a folder");
    let stage = Stage::begin(folder.path()).await;
    for number in 1..=5 {
        stage.ask(number, if number % 2 == 0 { "bert" } else { "anna" }).await;
        stage.clock.pass(1_000);
    }
    let ids = |page: &Value| -> Vec<String> {
        let rows = page["interactions"].as_array().expect("a list");
        rows.iter().map(|row| row["run_id"].as_str().expect("an id").to_owned()).collect()
    };
    let first = stage.asks("list_interactions", json!({ "limit": 2 })).await;
    assert_eq!((ids(&first), &first["has_more"]), (vec![id(5), id(4)], &json!(true)));
    let rest = stage.asks("list_interactions", json!({ "cursor": first["next_cursor"] })).await;
    assert_eq!((ids(&rest), &rest["next_cursor"]), (vec![id(3), id(2), id(1)], &Value::Null));
    assert_eq!(ids(&stage.asks("list_interactions", json!({ "to": "bert" })).await), [id(4), id(2)]);
    let of = json!({ "to": "anna", "function": "approve-campaign-brief" });
    assert_eq!(ids(&stage.asks("list_interactions", of).await), [id(5), id(3), id(1)]);
    assert_eq!(ids(&stage.asks("list_interactions", json!({ "function": "another" })).await), Vec::<String>::new());
    let wrong = stage.refused("list_interactions", json!({ "cursor": "nonsense" })).await;
    assert_eq!(wrong.issues[0].pointer, "/cursor");
    stage.runtime.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_asked_ends_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = Settings { interaction_open_requests: 1, ..Settings::default() };
    let stage = Stage::begin_with(folder.path(), settings).await;
    let unfit = stage.refused("run_definition", asking(1, json!({ "owner": "anna" }))).await;
    assert_eq!((unfit.reason, unfit.issues[0].pointer.as_str()), (Reason::InvalidInput, "/input/review"));
    let nobody = stage.refused("run_definition", asking(2, json!({ "owner": "a\nb", "review": "" }))).await;
    assert_eq!((nobody.reason, nobody.kind), (Reason::Conflict, Some(Kind::Unworkable)));
    assert_eq!(stage.run(2).await["record"], json!({ "place": "/to" }));
    stage.ask(3, "anna").await;
    let full = stage.refused("run_definition", asking(4, json!({ "owner": "anna", "review": "Ready." }))).await;
    assert_eq!((full.reason, full.kind), (Reason::Unavailable, Some(Kind::RequestsFull)));
    // Once another is answered, the same run may be tried again.
    stage.asks("answer_interaction", answering(3, yes())).await;
    assert_eq!(stage.ask(4, "anna").await["status"], "started");

    // One that takes no answer is done at once and never in the inbox.
    let told = "---\nto: anna\nexpires: PT1M\n---\nHello {{ input.name }}.\n";
    stage.asks("create_definition", json!({ "type": "interaction", "name": "tell", "source": told })).await;
    let told = json!({ "type": "interaction", "name": "tell", "run_id": id(5), "input": { "name": "Anna" } });
    let run = stage.asks("run_definition", told).await;
    assert_eq!((run["status"].as_str(), &run["output"]), (Some("succeeded"), &json!({})));
    assert_eq!(stage.inbox().await.len(), 1);
    assert_eq!(stage.refused("answer_interaction", answering(5, json!({}))).await.reason, Reason::Conflict);
    assert_eq!(stage.refused("answer_interaction", answering(9, json!({}))).await.reason, Reason::NotFound);
    stage.runtime.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_answers_at_once_one_is_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let stage = Arc::new(Stage::begin(folder.path()).await);
    stage.ask(1, "anna").await;
    let mut answers = tokio::task::JoinSet::new();
    for number in 0..20 {
        let stage = stage.clone();
        answers.spawn(async move {
            let answer = json!({ "verdict": "approve", "note": format!("{number}") });
            stage.tries("answer_interaction", answering(1, answer)).await
        });
    }
    let (mut won, mut lost) = (Vec::new(), 0);
    for answer in answers.join_all().await {
        match answer {
            Ok(run) => won.push(run["output"].clone()),
            Err(refused) => {
                assert_eq!(refused.reason, Reason::Conflict);
                lost += 1;
            }
        }
    }
    assert_eq!((won.len(), lost), (1, 19));
    assert_eq!(stage.run(1).await["output"], won[0]);
    stage.runtime.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hundreds_of_requests_expire_together() {
    let folder = tempfile::tempdir().expect("a folder");
    let stage = Stage::begin(folder.path()).await;
    for number in 1..=300 {
        stage.ask(number, "anna").await;
    }
    stage.clock.pass(2 * DAY);
    for number in 1..=300 {
        assert_eq!(stage.ended(number).await["rejection"]["kind"], "expired");
    }
    assert_eq!(stage.inbox().await, Vec::<Value>::new());
    stage.runtime.stop().await;
}
