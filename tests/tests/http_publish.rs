//! Publishing over the real server: what is sent and read back, what moves meanwhile, and every way it can fail.

use playbook_host::api::{Caller, Operation};
use playbook_host::publish::{
    Base, Choice, Chosen, Folder, Mine, Outcome, OutcomeWord, Plan, Published, Remote, RemoteError, Secret, State,
    Target, apply, read_plan,
};
use playbook_model::definition::{DefinitionKey, DefinitionType};
use playbook_model::ending::{Issue, Kind, Reason, Rejection};
use playbook_model::id::{DefinitionName, OrgId, PlaybookId};
use playbook_model::refusal::Refusal;
use playbook_server::seam::{Later, Operations};
use playbook_server::{Access, Origins, Running, Site, SiteOptions, make_key, read_keys, serve};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What a save does, besides saving.
#[derive(Debug, Clone)]
enum Trick {
    /// Refuses with these words about the document.
    Refuse(Vec<&'static str>),
    /// Says that the server is not ready, so often.
    NotReady(usize),
    /// Says that the caller may not.
    Forbid,
    /// Says that the name was taken a moment ago.
    Taken,
    /// Saves something else than was sent.
    Alter,
    /// Saves and breaks down before it answers.
    Break,
    /// Breaks down without having saved.
    BreakBefore,
}

#[derive(Debug, Clone)]
struct Kept {
    source: String,
    version: u32,
    retired: bool,
}

/// A server's definitions, kept in memory.
#[derive(Debug, Default)]
struct Shelf {
    playbook: bool,
    definitions: BTreeMap<DefinitionKey, Kept>,
    tricks: BTreeMap<DefinitionKey, Trick>,
    /// The saves that arrived, in order.
    saves: Vec<DefinitionKey>,
}

#[derive(Clone, Default)]
struct Shelved(Arc<Mutex<Shelf>>);

impl Shelved {
    fn with<T>(&self, act: impl FnOnce(&mut Shelf) -> T) -> T {
        act(&mut self.0.lock().expect("no holder panics"))
    }

    fn put(&self, key: &DefinitionKey, source: &str, version: u32) {
        let kept = Kept { source: source.into(), version, retired: false };
        self.with(|shelf| {
            shelf.playbook = true;
            shelf.definitions.insert(key.clone(), kept);
        });
    }

    fn text(&self, key: &DefinitionKey) -> Option<String> {
        self.with(|shelf| shelf.definitions.get(key).map(|kept| kept.source.clone()))
    }

    fn trick(&self, key: &DefinitionKey, trick: Trick) {
        self.with(|shelf| shelf.tricks.insert(key.clone(), trick));
    }
}

fn rejected(reason: Reason, detail: &str) -> Refusal {
    Rejection::new(reason, detail).into()
}

fn view(key: &DefinitionKey, kept: &Kept) -> Value {
    json!({
        "type": key.kind, "name": key.name, "version": kept.version, "source": kept.source,
        "status": if kept.retired { "retired" } else { "active" },
        "created_by": "ana", "updated_at": "2026-10-03T16:40:05.000Z",
    })
}

impl Shelf {
    fn answer(&mut self, operation: &str, input: &Map<String, Value>) -> Result<Value, Refusal> {
        let text = |name: &str| input.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        if operation == "create_playbook" {
            self.playbook = true;
            return Ok(json!({}));
        }
        if !self.playbook {
            return Err(rejected(Reason::NotFound, "There is no such playbook"));
        }
        if operation == "get_playbook" {
            return Ok(json!({"id": "campaigns", "name": "Campaigns there", "status": "active"}));
        }
        if operation == "list_playbook_events" {
            let by = json!({"by": "ben", "definition": {"type": "computation", "name": "low", "version": 7}});
            return Ok(json!({"events": [{"metadata": by}], "has_more": false, "next_cursor": null}));
        }
        let kind = DefinitionType::parse(&text("type")).expect("the path has a type");
        if !matches!(kind, DefinitionType::Computation | DefinitionType::Recall) {
            let issue = Issue { detail: "Expected a type this runtime runs".into(), pointer: "/type".into() };
            return Err(Rejection::new(Reason::InvalidInput, "The request has one issue").issues(vec![issue]).into());
        }
        if operation == "list_definitions" {
            let rows = self.definitions.iter().filter(|(key, _)| key.kind == kind);
            return Ok(json!({"definitions": rows.map(|(key, kept)| view(key, kept)).collect::<Vec<_>>()}));
        }
        let key = DefinitionKey { kind, name: DefinitionName::new(text("name")).expect("a name") };
        if operation == "get_definition" {
            let kept =
                self.definitions.get(&key).ok_or_else(|| rejected(Reason::NotFound, "There is no such definition"))?;
            return Ok(view(&key, kept));
        }
        self.save(&key, text("source"))
    }

    fn save(&mut self, key: &DefinitionKey, source: String) -> Result<Value, Refusal> {
        self.saves.push(key.clone());
        let version = self.definitions.get(key).map_or(1, |kept| kept.version + 1);
        let mut kept = Kept { source, version, retired: false };
        let broken = || Refusal::Incident { id: "0f8fad5b-d9cb-469f-a165-70867728950e".into() };
        match self.tricks.get(key).cloned() {
            None => {}
            Some(Trick::Refuse(words)) => {
                let issues = words.iter().map(|w| Issue { detail: (*w).into(), pointer: "/source".into() }).collect();
                return Err(Rejection::new(Reason::InvalidInput, "The document has problems").issues(issues).into());
            }
            Some(Trick::NotReady(0)) => {}
            Some(Trick::NotReady(more)) => {
                self.tricks.insert(key.clone(), Trick::NotReady(more - 1));
                return Err(Rejection::new(Reason::Unavailable, "No checker is free").into());
            }
            Some(Trick::Forbid) => return Err(rejected(Reason::Forbidden, "The key does not allow this")),
            Some(Trick::Taken) => {
                return Err(Rejection::new(Reason::Conflict, "The name is taken").kind(Kind::Taken).into());
            }
            Some(Trick::Alter) => kept.source.push_str("altered"),
            Some(Trick::Break) => {
                self.definitions.insert(key.clone(), kept);
                return Err(broken());
            }
            Some(Trick::BreakBefore) => return Err(broken()),
        }
        let shown = view(key, &kept);
        self.definitions.insert(key.clone(), kept);
        Ok(shown)
    }
}

impl Operations for Shelved {
    fn call(
        &self,
        operation: &'static Operation,
        _caller: Caller,
        input: Map<String, Value>,
    ) -> Later<Result<Value, Refusal>> {
        let answer = self.with(|shelf| shelf.answer(operation.name, &input));
        Box::pin(async move { answer })
    }

    fn admit(&self, _: &'static Operation, _: &Caller, _: &Map<String, Value>) -> Result<(), Refusal> {
        Ok(())
    }
}

/// A folder that notes what it is told.
#[derive(Default)]
struct Noted {
    published: Vec<(DefinitionKey, Base)>,
    pulled: Vec<(DefinitionKey, Base)>,
    left: Vec<DefinitionKey>,
}

impl Folder for Noted {
    fn published(&mut self, key: &DefinitionKey, base: Base) -> Result<(), String> {
        self.published.push((key.clone(), base));
        Ok(())
    }

    fn pulled(&mut self, key: &DefinitionKey, base: Base) -> Result<(), String> {
        self.pulled.push((key.clone(), base));
        Ok(())
    }

    fn left(&mut self, key: &DefinitionKey) {
        self.left.push(key.clone());
    }
}

/// A server on a free port, a client of it, and a folder that published nothing so far.
struct Stage {
    shelf: Shelved,
    running: Running,
    remote: Remote,
    place: tempfile::TempDir,
}

async fn stage() -> Stage {
    let shelf = Shelved::default();
    let site = Site::new(SiteOptions {
        operations: Arc::new(shelf.clone()),
        workspace: None,
        access: Access::Local,
        origins: Origins::default(),
        ui: None,
    });
    let running = serve(site, "127.0.0.1:0").await.expect("a free port");
    let remote = remote(&running, None);
    Stage { shelf, running, remote, place: tempfile::tempdir().expect("a folder") }
}

fn remote(running: &Running, key: Option<&Secret>) -> Remote {
    let playbook = PlaybookId::new("campaigns").expect("an id");
    let target = Target::new(&format!("http://{}", running.address()), OrgId::new("acme").expect("an id"), playbook);
    let remote = Remote::new(target.expect("an origin"), key).expect("a client");
    remote.waiting_at_most(Duration::from_millis(1))
}

impl Stage {
    /// Notes texts as last published.
    fn base(&self, bases: &[(&DefinitionKey, &str)]) {
        let mut published = self.published();
        for (key, text) in bases {
            published.settle(key, Base::new(*text, 1)).expect("written");
        }
    }

    fn published(&self) -> Published {
        Published::open(self.place.path(), &self.remote.target().id()).expect("readable")
    }

    async fn plan(&self, mine: &[Mine]) -> Plan {
        read_plan(&self.remote, "plan".into(), "Campaigns", "", mine, &self.published()).await.expect("a plan")
    }

    async fn apply(&self, plan: &Plan, choices: &[Choice]) -> (Vec<Outcome>, Noted) {
        let mut noted = Noted::default();
        let outcomes = apply(&self.remote, plan, choices, &mut noted).await;
        (outcomes, noted)
    }
}

fn key(kind: DefinitionType, name: &str) -> DefinitionKey {
    DefinitionKey { kind, name: DefinitionName::new(name).expect("a name") }
}

fn low() -> DefinitionKey {
    key(DefinitionType::Computation, "low")
}

fn top() -> DefinitionKey {
    key(DefinitionType::Recall, "top")
}

fn mine(key: &DefinitionKey, text: &str) -> Mine {
    Mine { key: key.clone(), text: text.into(), overview: None, diagram: None, uses: vec![], problems: 0 }
}

fn words(outcomes: &[Outcome]) -> Vec<OutcomeWord> {
    outcomes.iter().map(|outcome| outcome.outcome).collect()
}

#[tokio::test]
async fn a_new_playbook_is_made_and_everything_is_read_back() {
    let stage = stage().await;
    let folder = [Mine { uses: vec![low()], ..mine(&top(), "top") }, mine(&low(), "low\r\n\u{e9}")];
    let plan = stage.plan(&folder).await;
    assert_eq!((plan.playbook.exists, plan.playbook.name.as_str()), (false, "Campaigns"));
    let (outcomes, noted) = stage.apply(&plan, &plan.proposed()).await;
    assert_eq!(words(&outcomes), [OutcomeWord::Published, OutcomeWord::Published]);
    assert!(
        outcomes
            .iter()
            .all(|o| o.version == Some(1) && o.checked_at.is_some() && o.sent_at.is_some() && o.read_back_at.is_some())
    );
    assert_eq!(stage.shelf.with(|shelf| shelf.saves.clone()), [low(), top()]);
    assert_eq!(stage.shelf.text(&low()).as_deref(), Some("low\r\n\u{e9}"));
    assert_eq!(noted.published, [(low(), Base::new("low\r\n\u{e9}", 1)), (top(), Base::new("top", 1))]);
    let again = stage.plan(&folder).await;
    assert!(again.items.iter().all(|item| item.state == State::Same));
    assert!(again.proposed().is_empty());
    stage.running.stop().await;
}

#[tokio::test]
async fn a_changed_definition_becomes_a_version() {
    let stage = stage().await;
    stage.shelf.put(&low(), "one", 4);
    stage.base(&[(&low(), "one")]);
    let plan = stage.plan(&[mine(&low(), "two")]).await;
    assert_eq!(plan.items[0].state, State::ChangedHere);
    let (outcomes, noted) = stage.apply(&plan, &plan.proposed()).await;
    assert_eq!((outcomes[0].outcome, outcomes[0].version), (OutcomeWord::Published, Some(5)));
    assert_eq!(noted.published, [(low(), Base::new("two", 5))]);
    stage.running.stop().await;
}

#[tokio::test]
async fn what_changed_there_is_never_overwritten_but_by_name() {
    let stage = stage().await;
    stage.shelf.put(&low(), "theirs", 7);
    stage.base(&[(&low(), "base")]);
    let plan = stage.plan(&[mine(&low(), "mine")]).await;
    assert_eq!((plan.items[0].state, plan.items[0].by_there.as_deref()), (State::ChangedBoth, Some("ben")));
    assert!(plan.proposed().is_empty());
    let with = |action| [Choice { key: low(), action }];
    let (outcomes, noted) = stage.apply(&plan, &with(Chosen::Publish)).await;
    assert_eq!((words(&outcomes), noted.left), (vec![OutcomeWord::Skipped], vec![low()]));
    assert_eq!(stage.shelf.text(&low()).as_deref(), Some("theirs"));
    let (outcomes, noted) = stage.apply(&plan, &with(Chosen::Pull)).await;
    assert_eq!(words(&outcomes), [OutcomeWord::Pulled]);
    assert_eq!(noted.pulled, [(low(), Base::new("theirs", 7))]);
    let (outcomes, _) = stage.apply(&plan, &with(Chosen::Overwrite)).await;
    assert_eq!((outcomes[0].outcome, outcomes[0].version), (OutcomeWord::Published, Some(8)));
    assert_eq!(stage.shelf.text(&low()).as_deref(), Some("mine"));
    stage.running.stop().await;
}

#[tokio::test]
async fn what_moved_after_the_plan_stops_with_what_depends_on_it_and_the_rest_goes_on() {
    let stage = stage().await;
    let other = key(DefinitionType::Computation, "other");
    stage.shelf.put(&low(), "one", 1);
    stage.base(&[(&low(), "one")]);
    let folder = [mine(&low(), "two"), Mine { uses: vec![low()], ..mine(&top(), "top") }, mine(&other, "other")];
    let plan = stage.plan(&folder).await;
    stage.shelf.put(&low(), "changed meanwhile", 2);
    let (outcomes, noted) = stage.apply(&plan, &plan.proposed()).await;
    let by_name: BTreeMap<&str, OutcomeWord> = outcomes.iter().map(|o| (o.key.name.as_str(), o.outcome)).collect();
    assert_eq!(by_name["low"], OutcomeWord::Moved);
    assert_eq!(by_name["top"], OutcomeWord::NotTried);
    assert_eq!(by_name["other"], OutcomeWord::Published);
    assert_eq!(stage.shelf.text(&low()).as_deref(), Some("changed meanwhile"));
    assert_eq!(noted.published.len(), 1);
    stage.running.stop().await;
}

#[tokio::test]
async fn a_publication_that_was_cut_off_goes_on() {
    let stage = stage().await;
    let plan = stage.plan(&[mine(&low(), "text")]).await;
    stage.shelf.put(&low(), "text", 1);
    let (outcomes, noted) = stage.apply(&plan, &plan.proposed()).await;
    assert_eq!((outcomes[0].outcome, outcomes[0].sent_at.clone()), (OutcomeWord::Published, None));
    assert_eq!(noted.published.len(), 1);
    assert!(stage.shelf.with(|shelf| shelf.saves.is_empty()));
    stage.running.stop().await;
}

#[tokio::test]
async fn refused_words_come_back_at_their_lines() {
    let stage = stage().await;
    stage.shelf.with(|shelf| shelf.playbook = true);
    stage.shelf.trick(&low(), Trick::Refuse(vec!["Line 4, /view/initial: Expected an object", "Line 9: No fold"]));
    let plan = stage.plan(&[mine(&low(), "text")]).await;
    let (outcomes, noted) = stage.apply(&plan, &plan.proposed()).await;
    assert_eq!(outcomes[0].outcome, OutcomeWord::Refused);
    let places: Vec<_> =
        outcomes[0].problems.iter().map(|p| (p.line, p.pointer.as_deref(), p.detail.as_str())).collect();
    assert_eq!(places, [(Some(4), Some("/view/initial"), "Expected an object"), (Some(9), None, "No fold")]);
    assert!(noted.published.is_empty());
    stage.running.stop().await;
}

#[tokio::test]
async fn a_server_that_is_not_ready_is_asked_again() {
    let stage = stage().await;
    stage.shelf.with(|shelf| shelf.playbook = true);
    stage.shelf.trick(&low(), Trick::NotReady(2));
    let plan = stage.plan(&[mine(&low(), "text")]).await;
    let (outcomes, _) = stage.apply(&plan, &plan.proposed()).await;
    assert_eq!(words(&outcomes), [OutcomeWord::Published]);
    assert_eq!(stage.shelf.with(|shelf| shelf.saves.len()), 3);
    stage.shelf.trick(&top(), Trick::NotReady(99));
    let plan = stage.plan(&[mine(&top(), "text")]).await;
    let (outcomes, _) = stage.apply(&plan, &[Choice { key: top(), action: Chosen::Publish }]).await;
    assert_eq!(words(&outcomes), [OutcomeWord::Refused]);
    stage.running.stop().await;
}

#[tokio::test]
async fn only_equal_bytes_are_published() {
    let stage = stage().await;
    stage.shelf.trick(&low(), Trick::Alter);
    let plan = stage.plan(&[mine(&low(), "text")]).await;
    let (outcomes, noted) = stage.apply(&plan, &plan.proposed()).await;
    assert_eq!(words(&outcomes), [OutcomeWord::Moved]);
    assert!(outcomes[0].read_back_at.is_some());
    assert!(noted.published.is_empty());
    stage.running.stop().await;
}

#[tokio::test]
async fn a_breakdown_is_refused_and_the_next_plan_sees_what_arrived() {
    let stage = stage().await;
    stage.shelf.trick(&low(), Trick::Break);
    stage.shelf.trick(&top(), Trick::BreakBefore);
    let folder = [mine(&low(), "text"), mine(&top(), "text")];
    let plan = stage.plan(&folder).await;
    let (outcomes, noted) = stage.apply(&plan, &plan.proposed()).await;
    assert_eq!(words(&outcomes), [OutcomeWord::Published, OutcomeWord::Unsure]);
    assert_eq!(noted.published, [(low(), Base::new("text", 1))]);
    let states: Vec<State> = stage.plan(&folder).await.items.iter().map(|item| item.state).collect();
    assert_eq!(states, [State::Same, State::New]);
    stage.running.stop().await;
}

#[tokio::test]
async fn a_caller_who_may_not_stops_at_once() {
    let stage = stage().await;
    stage.shelf.trick(&low(), Trick::Forbid);
    let plan = stage.plan(&[mine(&low(), "text"), mine(&top(), "text")]).await;
    let (outcomes, _) = stage.apply(&plan, &plan.proposed()).await;
    assert_eq!(words(&outcomes), [OutcomeWord::Refused, OutcomeWord::NotTried]);
    assert!(outcomes[0].detail.as_deref().is_some_and(|detail| detail.contains("playbook:write")));
    stage.running.stop().await;
}

#[tokio::test]
async fn a_server_that_went_away_leaves_everything_untried() {
    let stage = stage().await;
    let plan = stage.plan(&[mine(&low(), "text"), mine(&top(), "text")]).await;
    let Stage { running, remote, .. } = stage;
    running.stop().await;
    let outcomes = apply(&remote, &plan, &plan.proposed(), &mut Noted::default()).await;
    assert_eq!(words(&outcomes), [OutcomeWord::NotTried, OutcomeWord::NotTried]);
    assert!(outcomes[0].detail.as_deref().is_some_and(|detail| detail.contains("cannot be reached")));
}

#[tokio::test]
async fn a_key_is_asked_for_and_taken() {
    let made = make_key("ci", &OrgId::new("acme").expect("an id")).expect("a key");
    let shelf = Shelved::default();
    shelf.put(&low(), "text", 1);
    let site = Site::new(SiteOptions {
        operations: Arc::new(shelf.clone()),
        workspace: None,
        access: Access::Keys(read_keys(&json!([made.entry])).expect("an entry")),
        origins: Origins::default(),
        ui: None,
    });
    let running = serve(site, "127.0.0.1:0").await.expect("a free port");
    let place = tempfile::tempdir().expect("a folder");
    let published = Published::open(place.path(), "s").expect("empty");
    let folder = [mine(&low(), "text")];
    let without = read_plan(&remote(&running, None), "p".into(), "A", "", &folder, &published).await;
    assert!(matches!(&without, Err(RemoteError::Refused(refused)) if refused.status == 401), "{without:?}");
    let key = Secret::new(&made.text);
    let with =
        read_plan(&remote(&running, Some(&key)), "p".into(), "A", "", &folder, &published).await.expect("a plan");
    assert_eq!(with.items[0].state, State::Same);
    running.stop().await;
}

#[tokio::test]
async fn a_name_that_is_taken_or_retired_meanwhile_has_moved() {
    let stage = stage().await;
    stage.shelf.with(|shelf| shelf.playbook = true);
    let plan = stage.plan(&[mine(&low(), "text"), mine(&top(), "text")]).await;
    stage.shelf.trick(&top(), Trick::Taken);
    stage.shelf.with(|shelf| {
        shelf.definitions.insert(low(), Kept { source: "gone".into(), version: 1, retired: true });
    });
    let (outcomes, _) = stage.apply(&plan, &plan.proposed()).await;
    assert_eq!(words(&outcomes), [OutcomeWord::Moved, OutcomeWord::Moved]);
    stage.running.stop().await;
}

#[tokio::test]
async fn what_is_no_playbook_server_is_said_so() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut asked = [0u8; 4096];
            let _ = stream.read(&mut asked).await;
            let page = "<html>hello</html>";
            let answer =
                format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{page}", page.len());
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    });
    let playbook = PlaybookId::new("campaigns").expect("an id");
    let target = Target::new(&format!("http://{address}"), OrgId::local(), playbook).expect("an origin");
    let remote = Remote::new(target, None).expect("a client");
    let place = tempfile::tempdir().expect("a folder");
    let published = Published::open(place.path(), "s").expect("empty");
    let read = read_plan(&remote, "p".into(), "A", "", &[], &published).await;
    assert!(matches!(read, Err(RemoteError::Strange(_))), "{read:?}");
}
