//! A process that is killed while it appends loses nothing that it was told is recorded.
//!
//! The child is this same test program, started again with a variable set.

#![allow(clippy::unwrap_used)]

use playbook_history::{AppendError, Content, History, NewRecord, OpenError, PageQuery, RunsQuery, Stream};
use playbook_model::definition::DefinitionType;
use playbook_model::id::{OrgId, PlaybookId, PlaybookKey, RunId};
use playbook_model::record::{Context, DefinitionRef};
use playbook_model::time::Moment;
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use uuid::Uuid;

const CHILD: &str = "HISTORY_CRASH_CHILD";
const THREADS: u128 = 4;

fn playbook() -> PlaybookKey {
    PlaybookKey { org: OrgId::local(), playbook: PlaybookId::new("campaigns").unwrap() }
}

fn again(test: &str, path: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(CHILD, path)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Starts and ends runs for ever; every 20th record is large. Says of each record that it was acknowledged.
fn append_for_ever(path: &Path) {
    let history = History::open(path).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let history = &history;
            scope.spawn(move || {
                let stream = Stream::run(&playbook(), RunId(Uuid::from_u128(thread)));
                let mut at = history.stream_with(&stream, u64::MAX, Content::Sizes).unwrap().len() as u64;
                loop {
                    let kind = if at.is_multiple_of(2) { "run_started" } else { "run_failed" };
                    let bytes = if at.is_multiple_of(20) { 40_000 } else { 100 };
                    let text = format!("{at:08}").repeat(bytes / 8);
                    let mut context = Context::new(Moment(0), "local");
                    let name = "review-brief".into();
                    context.definition = Some(DefinitionRef { kind: DefinitionType::Reasoning, name, version: 1 });
                    let data = serde_json::json!({ "text": text });
                    match history.append(&stream, at, vec![NewRecord { kind: kind.into(), data, context }], Moment(0)) {
                        Ok(records) => {
                            at += 1;
                            let line = format!("acknowledged {thread} {at} {}\n", records[0].id);
                            std::io::stdout().write_all(line.as_bytes()).unwrap();
                        }
                        Err(AppendError::Conflict { at: newest }) => at = newest,
                        Err(why) => panic!("{why}"),
                    }
                }
            });
        }
    });
}

#[test]
fn a_killed_process_loses_nothing_acknowledged() {
    if let Some(path) = std::env::var_os(CHILD) {
        return append_for_ever(Path::new(&path));
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.sqlite");
    let mut acknowledged: HashMap<(u128, u64), String> = HashMap::new();
    for round in 0..8 {
        let mut child = again("a_killed_process_loses_nothing_acknowledged", &path);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut heard = 0;
        let hear = |line: String, acknowledged: &mut HashMap<(u128, u64), String>| {
            let Some((_, said)) = line.split_once("acknowledged ") else { return false };
            // The last line may be cut off.
            let words: Vec<&str> = said.split(' ').collect();
            if let [thread, at, id] = words[..]
                && id.len() == 36
            {
                acknowledged.insert((thread.parse().unwrap(), at.parse().unwrap()), id.to_owned());
                return true;
            }
            false
        };
        while heard < 30 + 61 * round {
            let line = lines.next().expect("the child appends until it is killed").unwrap();
            heard += usize::from(hear(line, &mut acknowledged));
        }
        child.kill().unwrap();
        // What it said before it died counts too.
        for line in lines.map_while(Result::ok) {
            hear(line, &mut acknowledged);
        }
        child.wait().unwrap();

        let history = History::open(&path).unwrap();
        let mut present: HashMap<(u128, u64), String> = HashMap::new();
        for thread in 0..THREADS {
            let records = history.stream(&Stream::run(&playbook(), RunId(Uuid::from_u128(thread))), 0).unwrap();
            for (position, record) in (1..).zip(&records) {
                assert_eq!(record.position, position, "no gaps");
                let expected = format!("{:08}", position - 1);
                assert!(record.data["text"].as_str().unwrap().starts_with(&expected));
                present.insert((thread, position), record.id.to_string());
            }
            let row = history.run(&playbook(), RunId(Uuid::from_u128(thread))).unwrap();
            let ended = records.len().is_multiple_of(2);
            assert_eq!(row.map(|row| row.finished_at.is_some()), (!records.is_empty()).then_some(ended));
        }
        for (place, id) in &acknowledged {
            assert_eq!(present.get(place), Some(id), "round {round}: {place:?}");
        }
    }
    let history = History::open(&path).unwrap();
    let playbook = playbook();
    let query =
        RunsQuery { playbook: &playbook, definition_type: None, name: None, status: None, limit: 10, cursor: None };
    assert_eq!(history.runs(&query).unwrap().runs.len(), THREADS as usize);
    let page = PageQuery { playbook: &playbook, after: 0, limit: 1, only: None, content: Content::Sizes };
    assert!(history.page(&page).unwrap().more);
}

#[test]
fn a_second_process_is_refused_and_told_who_holds_the_file() {
    if let Some(path) = std::env::var_os(CHILD) {
        let said = match History::open(Path::new(&path)) {
            Err(why @ OpenError::Locked { .. }) => format!("refused: {why}\n"),
            Err(why) => format!("otherwise: {why}\n"),
            Ok(_) => "opened\n".to_owned(),
        };
        return std::io::stdout().write_all(said.as_bytes()).unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.sqlite");
    let said = || {
        let output =
            again("a_second_process_is_refused_and_told_who_holds_the_file", &path).wait_with_output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let history = History::open(&path).unwrap();
    let first = said();
    assert!(first.contains("refused: The history "), "{first}");
    let words = format!(
        "is open in another program, process {}; close the playbook there, then open it again",
        std::process::id()
    );
    assert!(first.contains(&words) || cfg!(windows), "{first}");
    drop(history);
    let second = said();
    assert!(second.contains("opened"), "{second}");
}
