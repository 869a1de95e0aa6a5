//! Runs the literate cases of `tests/spec` that publish events, run functions and look at views.
//!
//! A heading of the second level is a case with a playbook of its own; its blocks are done in order.
//! `UPDATE=1` writes what came out into the blocks that expect; read the difference before keeping it.

use playbook_host::folder::Folder;
use playbook_host::{Clock, Place, Runtime, SetClock, Settings};
use playbook_model::id::{OrgId, PlaybookId, PlaybookKey, RunId};
use playbook_model::refusal::Refusal;
use playbook_model::time::Moment;
use playbook_tests::case::{Block, Page};
use playbook_typescript::Compiler;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Where a case's clock begins, and how far each block moves it.
const BEGIN: i64 = 1_791_201_600_000;
const STEP: i64 = 1_000;
/// The most inputs of a run that is taken up again after its case.
const INPUTS_AGAIN: u64 = 40;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_page_of_functions_runs() {
    every_page("", |path| !path.starts_with("workflow-format")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_pages_of_workflows_run() {
    let others = ["limits-of-a-run.md", "open-workflow", "triggers.md"];
    every_page("workflow-format", |path| !others.iter().any(|name| path.contains(name))).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_pages_of_open_workflow_run() {
    every_page("workflow-format", |path| path.contains("open-workflow")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_pages_of_triggers_and_limits_run() {
    every_page("workflow-format", |path| path.contains("limits-of-a-run.md") || path.contains("triggers.md")).await;
}

/// Runs the pages of a folder below `spec`, those whose path from there is wanted. `PAGE` runs those alone whose path
/// holds it.
async fn every_page(folder: &str, wanted: impl Fn(&str) -> bool) {
    let compiler = Arc::new(Compiler::new());
    let mut failed = Vec::new();
    let mut cases = 0;
    let spec = Path::new(env!("CARGO_MANIFEST_DIR")).join("spec");
    let only = std::env::var("PAGE").unwrap_or_default();
    for path in pages(&spec.join(folder)) {
        let shown = path.strip_prefix(&spec).expect("it is below").display().to_string();
        if !wanted(&shown) || !shown.contains(&only) {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a page is text");
        let mut page = Page::parse(&text);
        if !page.blocks.iter().any(runs) {
            continue;
        }
        let stage = Stage::open(compiler.clone()).await;
        let mut playbook = None;
        let mut heading = String::new();
        let mut came = Vec::new();
        for at in 0..page.blocks.len() {
            let block = page.blocks[at].clone();
            if block.heading != heading {
                if let Some(key) = &playbook
                    && let Err(why) = stage.again(key).await
                {
                    failed.push(format!("{}: {heading}, taken up again: {why}", path.display()));
                }
                heading.clone_from(&block.heading);
                cases += 1;
                playbook = Some(stage.playbook(cases).await);
                came.clear();
            }
            let key = playbook.as_ref().expect("a block stands under a heading");
            stage.clock.pass(STEP);
            match stage.does(key, &block, &mut came).await {
                Err(why) => failed.push(format!("{}:{}: {heading}: {why}", path.display(), block.line)),
                Ok(None) => {}
                Ok(Some(out)) => {
                    if out.trim_end() != block.body.trim_end() {
                        if std::env::var_os("UPDATE").is_some() {
                            page.blocks[at].body = out;
                        } else {
                            let expected = block.body.trim_end();
                            failed.push(format!(
                                "{}:{}: {heading}\n--- expected\n{expected}\n--- came out\n{}",
                                path.display(),
                                block.line,
                                out.trim_end()
                            ));
                        }
                    }
                }
            }
        }
        if let Some(key) = &playbook
            && let Err(why) = stage.again(key).await
        {
            failed.push(format!("{}: {heading}, taken up again: {why}", path.display()));
        }
        stage.runtime.stop().await;
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, page.text()).expect("the page can be written");
        }
    }
    assert!(cases > 10 || !only.is_empty(), "only {cases} cases were found");
    assert!(failed.is_empty(), "{} of {cases} cases\n\n{}", failed.len(), failed.join("\n\n"));
}

fn runs(block: &Block) -> bool {
    ["events", "run", "ending", "view", "standing", "refused", "triggers", "pass"].contains(&block.word())
}

fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the folder is there").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

struct Stage {
    runtime: Runtime,
    clock: SetClock,
    /// The runs of workflows that the case started, the newest last.
    started: std::sync::Mutex<Vec<RunId>>,
    _folder: tempfile::TempDir,
    /// A playbook that tests are kept in.
    kept: tempfile::TempDir,
}

impl Stage {
    async fn open(compiler: Arc<Compiler>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let (told, clock) = Clock::standing(Moment(BEGIN));
        let runtime = Runtime::open_with(
            Place::Data(folder.path().join("data")),
            // A case of too much work must end by its work, however slow the machine is.
            Settings { run_milliseconds: 300_000, ..Settings::default() },
            compiler,
            told,
        )
        .await
        .expect("the runtime opens");
        let kept = tempfile::tempdir().expect("a folder");
        std::fs::write(kept.path().join("playbook.yaml"), "id: kept\nname: Kept\n").expect("written");
        Self { runtime, clock, started: std::sync::Mutex::default(), _folder: folder, kept }
    }

    async fn playbook(&self, number: usize) -> PlaybookKey {
        let id = format!("case-{number}");
        let input = json!({ "org": "local", "playbook": id, "name": id });
        self.runtime.local("create_playbook", input).await.expect("a playbook is created");
        PlaybookKey { org: OrgId::local(), playbook: PlaybookId::new(id).expect("an id") }
    }

    /// Does a block; gives what an expecting block should hold.
    async fn does(&self, key: &PlaybookKey, block: &Block, came: &mut Vec<String>) -> Result<Option<String>, String> {
        match block.word() {
            "markdown" | "yaml" => self.save(key, block).await.map(|()| None),
            "retire" => {
                let (kind, name) = block.argument().and_then(|word| word.split_once('/')).ok_or("type/name")?;
                let input = addressed(key, json!({ "type": kind, "name": name }));
                self.runtime.local("retire_definition", input).await.map_err(|why| format!("{why:?}"))?;
                Ok(None)
            }
            "pass" => self.pass(key, block).await.map(|()| None),
            "send" => self.send(key, block, came).await.map(|()| None),
            "cancel" => {
                let input = addressed(key, json!({ "run_id": self.newest()?, "reason": block.body.trim() }));
                if let Err(refusal) = self.runtime.local("cancel_run", input).await {
                    came.push(refusal_text(refusal));
                }
                Ok(None)
            }
            "long" => {
                let letters: usize = block.named("letters").and_then(|word| word.parse().ok()).ok_or("how long?")?;
                let mut longer = block.clone();
                longer.body = json!("x".repeat(letters)).to_string();
                came.push(self.run(key, &longer).await);
                Ok(None)
            }
            "send-many" => {
                let times: u32 = block.argument().and_then(|word| word.parse().ok()).ok_or("how many?")?;
                for number in 1..=times {
                    let mut one = block.clone();
                    one.body = block.body.replace('#', &number.to_string());
                    self.send(key, &one, came).await?;
                }
                Ok(None)
            }
            "kinds" => {
                self.rest(key).await?;
                self.kinds(key).await.map(Some)
            }
            "runs" => {
                self.rest(key).await?;
                self.runs(key).await.map(Some)
            }
            "now" => {
                self.rest(key).await?;
                self.stands(key).await.map(Some)
            }
            "published" => {
                self.rest(key).await?;
                self.published(key).await.map(Some)
            }
            "output" => {
                self.rest(key).await?;
                self.output(key, block).await.map(Some)
            }
            "outputs" => {
                self.rest(key).await?;
                self.outputs(key, block).await.map(Some)
            }
            "count" => {
                self.rest(key).await?;
                self.runs_of(key, block).await.map(|runs| Some(runs.len().to_string()))
            }
            "many" => self.many(key, block).await.map(|()| None),
            "feed" => {
                self.rest(key).await?;
                let rows = self.rows(key, block.argument().ok_or("a type")?).await?;
                let words = rows.iter().map(|row| row["summary"].as_str().unwrap_or("?").to_owned());
                Ok(Some(words.collect::<Vec<_>>().join("\n")))
            }
            "refusals" => {
                self.rest(key).await?;
                // Those of a reason are told once a minute, so how many rows they are is a matter of pace.
                let mut told: Vec<(String, String, u64)> = Vec::new();
                for row in self.rows(key, "reaction_refused").await? {
                    let name = row["metadata"]["definition"]["name"].as_str().unwrap_or("?").to_owned();
                    let reason = row["data"]["reason"].as_str().unwrap_or("?").to_owned();
                    let count = row["data"]["count"].as_u64().unwrap_or(0);
                    match told.iter_mut().find(|(other, why, _)| (other, why) == (&name, &reason)) {
                        Some((_, _, sum)) => *sum += count,
                        None => told.push((name, reason, count)),
                    }
                }
                let line = |(name, reason, count): &(String, String, u64)| format!("{name} {count}: {reason}");
                Ok(Some(told.iter().map(line).collect::<Vec<_>>().join("\n")))
            }
            "triggers" => self.triggers(key, block).await.map(Some),
            "steps" => {
                self.rest(key).await?;
                self.steps(key).await.map(Some)
            }
            "events" => self.publish(key, &block.body).await.map(|()| None),
            "run" => {
                came.push(self.run(key, block).await);
                Ok(None)
            }
            "ending" => came.pop().map(Some).ok_or_else(|| "an ending without a run before it".into()),
            "refused" => came.pop().map(Some).ok_or_else(|| "a refused without an act before it".into()),
            "view" => {
                let name = block.argument().ok_or("a view needs a name")?;
                self.settled(key, name).await?;
                let text = self.runtime.view_text(key, name).ok_or("there is no such view")?;
                let view: Value = serde_json::from_str(&text).map_err(|why| why.to_string())?;
                Ok(Some(serde_json::to_string_pretty(&view).expect("it is JSON")))
            }
            "standing" => {
                let standing = self.settled(key, block.argument().ok_or("a standing needs a name")?).await?;
                Ok(Some(standing_text(&standing)))
            }
            _ => Ok(None),
        }
    }

    async fn save(&self, key: &PlaybookKey, block: &Block) -> Result<(), String> {
        let Some((kind, name)) = block.argument().and_then(|word| word.split_once('/')) else { return Ok(()) };
        let input = addressed(key, json!({ "type": kind, "name": name, "source": block.body }));
        let there = self.runtime.local("get_definition", without(&input, "source")).await.is_ok();
        let operation = if there { "update_definition" } else { "create_definition" };
        self.runtime.local(operation, input).await.map(|_| ()).map_err(|why| format!("{why:?}"))
    }

    async fn publish(&self, key: &PlaybookKey, lines: &str) -> Result<(), String> {
        for line in lines.lines().filter(|line| !line.trim().is_empty()) {
            let event: Value = serde_json::from_str(line).map_err(|why| why.to_string())?;
            let input = addressed(key, json!({ "event": event }));
            self.runtime.local("publish_event", input).await.map_err(|why| format!("{why:?}"))?;
        }
        Ok(())
    }

    async fn run(&self, key: &PlaybookKey, block: &Block) -> String {
        let Some((kind, name)) = block.argument().and_then(|word| word.split_once('/')) else {
            return "a run needs type/name".into();
        };
        if kind == "recall"
            && let Err(why) = self.settled(key, name).await
        {
            return why;
        }
        if let Some(at) = block.named("at").and_then(Moment::parse) {
            self.clock.set(at);
        }
        let mut input = addressed(key, json!({ "type": kind, "name": name }));
        let known = block.named("id").map(str::to_owned);
        if kind == "workflow" {
            let mut started = self.started.lock().expect("no holder panics");
            let id = known.unwrap_or_else(|| format!("01930000-0000-7000-8000-{:012x}", started.len()));
            started.extend(RunId::parse(&id));
            drop(started);
            input["run_id"] = id.into();
        } else if let Some(id) = known {
            input["run_id"] = id.into();
        }
        if !block.body.trim().is_empty() {
            match playbook_model::json::parse(&block.body, 600) {
                Ok(value) => input["input"] = value,
                Err(why) => return why.to_string(),
            }
        }
        match self.runtime.local("run_definition", input).await {
            Ok(run) if kind == "workflow" => match run["status"].as_str() {
                Some("succeeded") => format!("succeeded\n{}", cut(&run["output"])),
                _ => "started".into(),
            },
            Ok(run) => success_text(run),
            Err(refusal) => refusal_text(refusal),
        }
    }

    /// Waits until nothing of the playbook moves by itself.
    async fn rest(&self, key: &PlaybookKey) -> Result<(), String> {
        let end = Instant::now() + Duration::from_secs(60);
        while !self.runtime.at_rest(key).await.map_err(|why| format!("{why:?}"))? {
            if Instant::now() > end {
                return Err("the playbook does not come to rest".into());
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        Ok(())
    }

    /// Moves the clock: by a duration, or to a moment, once everything rests.
    async fn pass(&self, key: &PlaybookKey, block: &Block) -> Result<(), String> {
        let words = block.argument().ok_or("a pass needs a duration or a moment")?;
        self.rest(key).await?;
        match (playbook_model::duration::parse(words), Moment::parse(words)) {
            (Ok(by), _) => self.clock.pass(i64::try_from(by).map_err(|why| why.to_string())?),
            (_, Some(to)) => self.clock.set(to),
            _ => return Err(format!("{words} is no duration and no moment")),
        }
        self.rest(key).await
    }

    /// Takes every run of a workflow up again: replayed on its own version it does the same, so does a fork from its
    /// start, and it can be kept as a test.
    async fn again(&self, key: &PlaybookKey) -> Result<(), String> {
        self.rest(key).await?;
        let listed = self.runtime.local("list_runs", addressed(key, json!({ "type": "workflow", "limit": 100 }))).await;
        let listed = listed.map_err(|why| format!("{why:?}"))?;
        let (folder, _) = Folder::open(self.kept.path()).map_err(|why| why.to_string())?;
        for run in listed["runs"].as_array().into_iter().flatten() {
            let id = RunId::parse(run["run_id"].as_str().unwrap_or_default()).map_err(|why| why.to_string())?;
            let looked = self.runtime.look_at_run(key, id).await.map_err(|why| format!("{why:?}"))?;
            let own = looked["newest_version"] == run["definition_version"];
            // Whatever goes on for longer is taken up again by the tests of how long runs may go on.
            if !own || !(1..=INPUTS_AGAIN).contains(&looked["inputs"].as_u64().unwrap_or_default()) {
                continue;
            }
            let about = |what: &str, value: &Value| format!("{what} of {}: {value:#}", run["name"]);
            let replayed = self.runtime.replay_run(key, id, None).await.map_err(|why| format!("{why:?}"))?;
            if replayed["same"] != true || !replayed["drifted"].is_null() {
                return Err(about("the replay", &replayed));
            }
            if run["status"] != "started" {
                let Value::Object(given) = json!({ "at": 1 }) else { unreachable!("it is an object") };
                let forked = self.runtime.fork_run(key, id, &given).await.map_err(|why| format!("{why:?}"))?;
                if forked["same"] != true || forked["ending"] != forked["recorded_ending"] {
                    return Err(about("the fork", &forked));
                }
            }
            let case = format!("{}-{id}", key.playbook);
            if let Err(why) = self.runtime.keep_run(key, id, &folder, &case, None).await {
                return Err(format!("the test kept of {}: {why:?}", run["name"]));
            }
            let kind = playbook_model::definition::DefinitionType::Workflow;
            let path = format!("tests/workflow/{}/{case}.yaml", run["name"].as_str().unwrap_or_default());
            let text = std::fs::read_to_string(self.kept.path().join(path)).map_err(|why| why.to_string())?;
            let read = playbook_host::case::read(kind, &text);
            let written = read.case.as_ref().map(playbook_host::case::write);
            if written.as_ref() != Some(&text) {
                return Err(format!(
                    "the test kept of {} reads back otherwise: {:?}\n{text}",
                    run["name"], read.problems
                ));
            }
        }
        Ok(())
    }

    fn newest(&self) -> Result<String, String> {
        let started = self.started.lock().expect("no holder panics");
        started.last().map(ToString::to_string).ok_or_else(|| "no run was started".into())
    }

    /// Sends events to the newest run; a refusal is kept for a `refused` block.
    async fn send(&self, key: &PlaybookKey, block: &Block, came: &mut Vec<String>) -> Result<(), String> {
        for line in block.body.lines().filter(|line| !line.trim().is_empty()) {
            let event: Value = serde_json::from_str(line).map_err(|why| why.to_string())?;
            let input = addressed(key, json!({ "run_id": self.newest()?, "event": event }));
            if let Err(refusal) = self.runtime.local("send_run_event", input).await {
                came.push(refusal_text(refusal));
            }
        }
        Ok(())
    }

    /// Every run of the playbook, the oldest first, with what started it.
    async fn runs(&self, key: &PlaybookKey) -> Result<String, String> {
        let listed = self.runtime.local("list_runs", addressed(key, json!({ "limit": 100 }))).await;
        let listed = listed.map_err(|why| format!("{why:?}"))?;
        let mut lines = Vec::new();
        for run in listed["runs"].as_array().cloned().unwrap_or_default().iter().rev() {
            let word = |name: &str| run[name].as_str().unwrap_or("-").to_owned();
            let mut line = format!("{}/{} {}", word("type"), word("name"), word("status"));
            if let Some(version) = run["definition_version"].as_u64().filter(|version| *version > 1) {
                line.push_str(&format!(", version {version}"));
            }
            if word("type") == "workflow" {
                let id = RunId::parse(&word("run_id")).map_err(|why| why.to_string())?;
                let looked = self.runtime.look_at_run(key, id).await.map_err(|why| format!("{why:?}"))?;
                if let Some(kind) = looked["trigger"]["kind"].as_str() {
                    line.push_str(&format!(", by its {kind} trigger, with {}", looked["input"]));
                }
            }
            lines.push(line);
        }
        Ok(lines.join("\n"))
    }

    /// Every run of the playbook with how it was rejected, the oldest first.
    async fn kinds(&self, key: &PlaybookKey) -> Result<String, String> {
        let listed = self.runtime.local("list_runs", addressed(key, json!({ "limit": 100 }))).await;
        let listed = listed.map_err(|why| format!("{why:?}"))?;
        let line = |run: &Value| {
            let words = ["type", "name", "status"].map(|name| run[name].as_str().unwrap_or("?").to_owned());
            let why = ["reason", "kind"].map(|name| run["rejection"][name].as_str().unwrap_or_default().to_owned());
            format!("{}/{} {} {}", words[0], words[1], words[2], why.join(" ")).trim_end().to_owned()
        };
        Ok(listed["runs"].as_array().into_iter().flatten().rev().map(line).collect::<Vec<_>>().join("\n"))
    }

    /// How the newest run stands.
    async fn stands(&self, key: &PlaybookKey) -> Result<String, String> {
        let id = RunId::parse(&self.newest()?).map_err(|why| why.to_string())?;
        let waits = self.runtime.run_waits(key, id).await.map_err(|why| format!("{why:?}"))?;
        if waits.is_empty() {
            let input = addressed(key, json!({ "run_id": id.to_string() }));
            let run = self.runtime.local("get_run", input).await.map_err(|why| format!("{why:?}"))?;
            return Ok(match run["status"].as_str().unwrap_or_default() {
                "succeeded" => format!("succeeded\n{}", cut(&run["output"])),
                _ => standing_rejection(&run),
            });
        }
        let line = |wait: &playbook_host::Waiting| {
            let until = wait.until.map(|at| format!(" until {}", Moment(at).iso())).unwrap_or_default();
            let what = serde_json::to_value(wait.waits_for).expect("a word is JSON");
            format!("{} waits for {}{until}", wait.reference, what.as_str().unwrap_or("?"))
        };
        Ok(waits.iter().map(line).collect::<Vec<_>>().join("\n"))
    }

    /// The rows of a type, the oldest first.
    async fn rows(&self, key: &PlaybookKey, kind: &str) -> Result<Vec<Value>, String> {
        let input = addressed(key, json!({ "type": kind, "order": "asc", "limit": 100 }));
        let listed = self.runtime.local("list_playbook_events", input).await.map_err(|why| format!("{why:?}"))?;
        Ok(listed["events"].as_array().cloned().unwrap_or_default())
    }

    /// The runs of a definition, the oldest first.
    async fn runs_of(&self, key: &PlaybookKey, block: &Block) -> Result<Vec<Value>, String> {
        let (kind, name) = block.argument().and_then(|word| word.split_once('/')).ok_or("type/name")?;
        let (mut all, mut cursor) = (Vec::new(), Value::Null);
        loop {
            let mut input = addressed(key, json!({ "type": kind, "name": name, "limit": 100 }));
            if !cursor.is_null() {
                input["cursor"] = cursor;
            }
            let mut listed = self.runtime.local("list_runs", input).await.map_err(|why| format!("{why:?}"))?;
            all.extend(listed["runs"].as_array().cloned().unwrap_or_default());
            cursor = listed["next_cursor"].take();
            if cursor.is_null() {
                all.reverse();
                return Ok(all);
            }
        }
    }

    /// The outputs of a definition's runs, the oldest first.
    async fn outputs(&self, key: &PlaybookKey, block: &Block) -> Result<String, String> {
        let mut lines = Vec::new();
        for run in self.runs_of(key, block).await? {
            let input = addressed(key, json!({ "run_id": run["run_id"] }));
            let run = self.runtime.local("get_run", input).await.map_err(|why| format!("{why:?}"))?;
            lines.push(if run["status"] == "succeeded" { cut(&run["output"]) } else { standing_rejection(&run) });
        }
        Ok(lines.join("\n"))
    }

    /// Publishes an event so many times, `#` in it replaced by its number.
    async fn many(&self, key: &PlaybookKey, block: &Block) -> Result<(), String> {
        let times: u32 = block.argument().and_then(|word| word.parse().ok()).ok_or("how many?")?;
        for number in 1..=times {
            self.publish(key, &block.body.replace('#', &number.to_string())).await?;
        }
        Ok(())
    }

    /// A definition's triggers, and since which record they apply.
    async fn triggers(&self, key: &PlaybookKey, block: &Block) -> Result<String, String> {
        let (kind, name) = block.argument().and_then(|word| word.split_once('/')).ok_or("type/name")?;
        let input = addressed(key, json!({ "type": kind, "name": name }));
        let shown = self.runtime.local("get_definition", input).await.map_err(|why| format!("{why:?}"))?;
        let mut text = serde_json::to_string_pretty(&shown["triggers"]).expect("it is JSON");
        let input = addressed(key, json!({ "event_id": shown["triggers_since"] }));
        if let Ok(row) = self.runtime.local("get_event", input).await {
            let version = &row["metadata"]["definition"]["version"];
            text.push_str(&format!("\nsince the record that saved version {version}"));
        }
        Ok(text)
    }

    /// The events that runs emitted and callers published, the oldest first.
    async fn published(&self, key: &PlaybookKey) -> Result<String, String> {
        let input = addressed(key, json!({ "type": "event_published", "order": "asc", "limit": 100 }));
        let listed = self.runtime.local("list_playbook_events", input).await.map_err(|why| format!("{why:?}"))?;
        let line = |row: &Value| {
            let word = |name: &str| row["data"][name].as_str().unwrap_or("?").to_owned();
            format!("{} of {}: {}", word("event_type"), word("source"), cut(&row["data"]["data"]))
        };
        Ok(listed["events"].as_array().into_iter().flatten().map(line).collect::<Vec<_>>().join("\n"))
    }

    /// The output of the newest run of a definition.
    async fn output(&self, key: &PlaybookKey, block: &Block) -> Result<String, String> {
        let (kind, name) = block.argument().and_then(|word| word.split_once('/')).ok_or("type/name")?;
        let input = addressed(key, json!({ "type": kind, "name": name, "limit": 1 }));
        let listed = self.runtime.local("list_runs", input).await.map_err(|why| format!("{why:?}"))?;
        let input = addressed(key, json!({ "run_id": listed["runs"][0]["run_id"] }));
        let run = self.runtime.local("get_run", input).await.map_err(|why| format!("{why:?}"))?;
        Ok(cut(&run["output"]))
    }

    /// What each input of the newest run moved.
    async fn steps(&self, key: &PlaybookKey) -> Result<String, String> {
        let id = RunId::parse(&self.newest()?).map_err(|why| why.to_string())?;
        let page = self.runtime.run_inputs(key, id, 1, 200).await.map_err(|why| format!("{why:?}"))?;
        let mut lines = Vec::new();
        for row in page["rows"].as_array().cloned().unwrap_or_default() {
            lines.push(format!("{} {}", row["position"], row["kind"].as_str().unwrap_or("?")));
            let steps = row["steps"].as_array().cloned().unwrap_or_default();
            lines.extend(steps.iter().map(|step| {
                let times = step["times"].as_u64().filter(|times| *times > 1).map(|n| format!(" x{n}"));
                let error = step["error"].as_str().map(|words| format!(": {words}")).unwrap_or_default();
                let words = |name: &str| step[name].as_str().unwrap_or("?").to_owned();
                format!("  {} {}{}{error}", words("reference"), words("outcome"), times.unwrap_or_default())
            }));
        }
        Ok(lines.join("\n"))
    }

    /// Waits until a view has read everything recorded, or stalled.
    async fn settled(&self, key: &PlaybookKey, name: &str) -> Result<Value, String> {
        let newest = self.runtime.local("list_playbook_events", addressed(key, json!({ "limit": 1 }))).await;
        let newest = newest.map_err(|why| format!("{why:?}"))?;
        let newest = newest.pointer("/events/0/metadata/global_position").and_then(Value::as_u64).unwrap_or(0);
        let end = Instant::now() + Duration::from_secs(60);
        loop {
            let input = addressed(key, json!({ "type": "recall", "name": name }));
            let definition = self.runtime.local("get_definition", input).await.map_err(|why| format!("{why:?}"))?;
            let standing = definition["standing"].clone();
            let read = self.runtime.view_read_to(key, name).unwrap_or(0);
            if standing["state"] == "stalled" || (standing["state"] == "live" && read >= newest) {
                return Ok(standing);
            }
            if Instant::now() > end {
                return Err(format!("the view did not settle: {standing:#}"));
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

fn addressed(key: &PlaybookKey, mut input: Value) -> Value {
    input["org"] = key.org.as_str().into();
    input["playbook"] = key.playbook.as_str().into();
    input
}

fn without(input: &Value, name: &str) -> Value {
    let mut members: Map<String, Value> = input.as_object().cloned().unwrap_or_default();
    members.remove(name);
    Value::Object(members)
}

/// JSON, cut where it is long.
fn cut(value: &Value) -> String {
    let text = value.to_string();
    if text.len() > 2_000 { format!("{} bytes", text.len()) } else { text }
}

fn refusal_text(refusal: Refusal) -> String {
    match refusal {
        Refusal::Rejected(rejection) => {
            let kind = rejection.kind.map(|kind| format!(" {}", kind.word())).unwrap_or_default();
            let mut text = format!("rejected {}{kind}\n{}", rejection.reason.word(), rejection.detail);
            for issue in rejection.issues {
                text.push_str(&format!("\n- {}: {}", issue.pointer, issue.detail));
            }
            text
        }
        Refusal::Incident { .. } => "failed".into(),
    }
}

/// How a run ended that `get_run` shows as rejected or failed.
fn standing_rejection(run: &Value) -> String {
    let rejection = &run["rejection"];
    let Some(reason) = rejection["reason"].as_str() else { return run["status"].as_str().unwrap_or("?").into() };
    let kind = rejection["kind"].as_str().map(|kind| format!(" {kind}")).unwrap_or_default();
    let mut text = format!("rejected {reason}{kind}\n{}", rejection["detail"].as_str().unwrap_or_default());
    if let Some(because) = rejection["because"].as_str() {
        text.push_str(&format!("\nbecause {because}"));
    }
    for issue in rejection["issues"].as_array().into_iter().flatten() {
        text.push_str(&format!(
            "\n- {}: {}",
            issue["pointer"].as_str().unwrap_or_default(),
            issue["detail"].as_str().unwrap_or_default()
        ));
    }
    text
}

/// A success: its output, cut where it is long, and its record without what differs from run to run.
fn success_text(run: Value) -> String {
    let output = run["output"].to_string();
    let output = if output.len() > 400 { format!("{} bytes", output.len()) } else { output };
    let mut record = run["record"].clone();
    if let Some(members) = record.as_object_mut() {
        members.remove("duration_ms");
        if let Some(view) = members.get_mut("view").and_then(Value::as_object_mut) {
            view.remove("checkpoint");
            view.remove("checkpoint_at");
            view.remove("last_event");
        }
    }
    format!("succeeded\n{output}\nrecord {record}")
}

fn standing_text(standing: &Value) -> String {
    let mut text = format!(
        "{}, version {}, folded {}",
        standing["state"].as_str().unwrap_or("?"),
        standing["version"],
        standing["folded"]
    );
    if let Some(event) = standing["last_event"].as_object() {
        text.push_str(&format!("\nlast event {} at {}", event["id"], event["time"]));
    }
    if let Some(stalled) = standing["stalled"].as_object() {
        text.push_str(&format!(
            "\nstalled {} at event {} of the type {} at {}, line {}\n{}",
            stalled["kind"].as_str().unwrap_or("?"),
            stalled["event"]["id"],
            stalled["event"]["type"],
            stalled["event"]["time"],
            stalled["line"],
            stalled["error"].as_str().unwrap_or("?"),
        ));
    }
    text
}
