//! Runs the literate cases of `tests/spec` that publish events, run functions and look at views.
//!
//! A heading of the second level is a case with a playbook of its own; its blocks are done in order.
//! `UPDATE=1` writes what came out into the blocks that expect; read the difference before keeping it.

use playbook_host::{Clock, Place, Runtime, Settings};
use playbook_model::id::{OrgId, PlaybookId, PlaybookKey};
use playbook_model::refusal::Refusal;
use playbook_model::time::Moment;
use playbook_tests::case::{Block, Page};
use playbook_typescript::Compiler;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

/// Where a case's clock begins, and how far each block moves it.
const BEGIN: i64 = 1_791_201_600_000;
const STEP: i64 = 1_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_page_that_runs() {
    let compiler = Arc::new(Compiler::new());
    let mut failed = Vec::new();
    let mut cases = 0;
    for path in pages(&Path::new(env!("CARGO_MANIFEST_DIR")).join("spec")) {
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
                heading.clone_from(&block.heading);
                cases += 1;
                playbook = Some(stage.playbook(cases).await);
                came.clear();
            }
            let key = playbook.as_ref().expect("a block stands under a heading");
            stage.clock.fetch_add(STEP, Ordering::Relaxed);
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
        stage.runtime.stop().await;
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, page.text()).expect("the page can be written");
        }
    }
    assert!(cases > 20, "only {cases} cases were found");
    assert!(failed.is_empty(), "{} of {cases} cases\n\n{}", failed.len(), failed.join("\n\n"));
}

fn runs(block: &Block) -> bool {
    ["events", "run", "ending", "view", "standing"].contains(&block.word())
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
    clock: Arc<AtomicI64>,
    _folder: tempfile::TempDir,
}

impl Stage {
    async fn open(compiler: Arc<Compiler>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let clock = Arc::new(AtomicI64::new(BEGIN));
        let told = clock.clone();
        let runtime = Runtime::open_with(
            Place::Data(folder.path().join("data")),
            // A case of too much work must end by its work, however slow the machine is.
            Settings { run_milliseconds: 300_000, ..Settings::default() },
            compiler,
            Clock::of(move || Moment(told.load(Ordering::Relaxed))),
        )
        .await
        .expect("the runtime opens");
        Self { runtime, clock, _folder: folder }
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
            "markdown" => self.save(key, block).await.map(|()| None),
            "events" => self.publish(key, &block.body).await.map(|()| None),
            "run" => {
                came.push(self.run(key, block).await);
                Ok(None)
            }
            "ending" => came.pop().map(Some).ok_or_else(|| "an ending without a run before it".into()),
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
            self.clock.store(at.0, Ordering::Relaxed);
        }
        let mut input = addressed(key, json!({ "type": kind, "name": name }));
        if let Some(id) = block.named("id") {
            input["run_id"] = id.into();
        }
        if !block.body.trim().is_empty() {
            match playbook_model::json::parse(&block.body, 600) {
                Ok(value) => input["input"] = value,
                Err(why) => return why.to_string(),
            }
        }
        match self.runtime.local("run_definition", input).await {
            Ok(run) => success_text(run),
            Err(Refusal::Rejected(rejection)) => {
                let kind = rejection.kind.map(|kind| format!(" {}", kind.word())).unwrap_or_default();
                let mut text = format!("rejected {}{kind}\n{}", rejection.reason.word(), rejection.detail);
                for issue in rejection.issues {
                    text.push_str(&format!("\n- {}: {}", issue.pointer, issue.detail));
                }
                text
            }
            Err(Refusal::Incident { .. }) => "failed".into(),
        }
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
