use super::*;
use crate::{CursorError, ReadError, RunRow, RunsPage, RunsQuery};
use playbook_model::ending::RunStatus;

fn query(playbook: &PlaybookKey) -> RunsQuery<'_> {
    RunsQuery { playbook, definition_type: None, name: None, status: None, limit: 100, cursor: None }
}

fn ids(page: &RunsPage) -> Vec<u128> {
    page.runs.iter().map(|row| row.run_id.0.as_u128()).collect()
}

/// A start by someone, at a moment, of a version.
fn start(number: u128, seconds: i64, version: u32) -> NewRecord {
    let mut record = of_run(run_id(number), "run_started", json!({ "input": {} }));
    record.context.at = at(seconds);
    record.context.by = format!("key-{seconds}");
    record.context.definition.as_mut().unwrap().version = version;
    record
}

fn end(number: u128, seconds: i64, kind: &str, data: Value) -> NewRecord {
    let mut record = of_run(run_id(number), kind, data);
    record.context.at = at(seconds);
    record
}

#[test]
fn a_second_attempt_keeps_its_place() {
    let place = place();
    let playbook = key("campaigns");
    let say = |number, record| add(&place, &Stream::run(&playbook, run_id(number)), record);
    let first = say(1, start(1, 0, 1));
    let rejection = json!({ "reason": "unavailable", "detail": "Later.", "kind": "taken", "because": "rate_limited" });
    say(1, end(1, 5, "run_rejected", rejection));
    say(2, start(2, 6, 1));
    say(2, end(2, 7, "run_succeeded", json!({ "output": 1, "record": {} })));
    let rejected = RunRow {
        run_id: run_id(1),
        definition_type: DefinitionType::Reasoning,
        name: "review-brief".into(),
        version: 1,
        status: RunStatus::Rejected,
        first_position: first.global,
        started_at: at(0),
        started_by: "key-0".into(),
        finished_at: Some(at(5)),
        reason: Some("unavailable".into()),
        kind: Some("taken".into()),
        because: Some("rate_limited".into()),
    };
    assert_eq!(place.run(&playbook, run_id(1)).unwrap(), Some(rejected.clone()));
    say(1, start(1, 9, 3));
    let again = RunRow {
        version: 3,
        status: RunStatus::Started,
        started_at: at(9),
        started_by: "key-9".into(),
        finished_at: None,
        reason: None,
        kind: None,
        because: None,
        ..rejected
    };
    assert_eq!(place.run(&playbook, run_id(1)).unwrap(), Some(again.clone()));
    let page = place.runs(&query(&playbook)).unwrap();
    assert_eq!(ids(&page), [2, 1]);
    assert_eq!(page.runs[1], again);
    say(1, end(1, 12, "run_failed", json!({ "incident": "x" })));
    let failed = RunRow { status: RunStatus::Failed, finished_at: Some(at(12)), ..again };
    assert_eq!(place.run(&playbook, run_id(1)).unwrap(), Some(failed));
}

#[test]
fn what_never_started_is_no_run() {
    let place = place();
    let playbook = key("campaigns");
    add(&place, &Stream::run(&playbook, run_id(1)), end(1, 0, "run_cancel_requested", json!({ "kind": "requested" })));
    add(&place, &Stream::run(&playbook, run_id(2)), fact("run_started", json!({})));
    assert_eq!(place.runs(&query(&playbook)).unwrap().runs, []);
    assert_eq!(place.run(&playbook, run_id(1)).unwrap(), None);
    // A start that is no run's own stream is not listed either.
    add(&place, &Stream::event(&playbook, Uuid::from_u128(3)), start(3, 0, 1));
    assert_eq!(place.runs(&query(&playbook)).unwrap().runs, []);
}

#[test]
fn filters_join_and_pages_go_on() {
    let place = place();
    let playbook = key("campaigns");
    for number in 0..40 {
        let mut record = start(number, 0, 1);
        let definition = record.context.definition.as_mut().unwrap();
        definition.kind = if number % 2 == 0 { DefinitionType::Recall } else { DefinitionType::Computation };
        definition.name = if number % 4 < 2 { "one".into() } else { "two".into() };
        add(&place, &Stream::run(&playbook, run_id(number)), record);
        if number % 5 == 0 {
            let ended = end(number, 1, "run_succeeded", json!({ "output": 1, "record": {} }));
            add(&place, &Stream::run(&playbook, run_id(number)), ended);
        }
        add(&place, &Stream::run(&key("others"), run_id(number)), start(number, 0, 1));
    }
    let types = [None, Some(DefinitionType::Recall), Some(DefinitionType::Workflow)];
    let statuses = [None, Some(RunStatus::Started), Some(RunStatus::Succeeded), Some(RunStatus::Failed)];
    for definition_type in types {
        for name in [None, Some("one"), Some("three")] {
            for status in statuses {
                let expected: Vec<u128> = (0..40)
                    .rev()
                    .filter(|n| definition_type.is_none_or(|t| t == DefinitionType::Recall && n % 2 == 0))
                    .filter(|n| name.is_none_or(|name| name == "one" && n % 4 < 2))
                    .filter(|n| match status {
                        None => true,
                        Some(RunStatus::Succeeded) => n % 5 == 0,
                        Some(RunStatus::Started) => n % 5 != 0,
                        Some(_) => false,
                    })
                    .collect();
                let mut found = Vec::new();
                let mut next: Option<String> = None;
                loop {
                    let query = RunsQuery {
                        definition_type,
                        name,
                        status,
                        limit: 3,
                        cursor: next.as_deref(),
                        ..query(&playbook)
                    };
                    let page = place.runs(&query).unwrap();
                    assert!(page.runs.len() <= 3);
                    found.extend(ids(&page));
                    next = page.next;
                    if next.is_none() {
                        break;
                    }
                }
                assert_eq!(found, expected, "{definition_type:?} {name:?} {status:?}");
            }
        }
    }
}

#[test]
fn a_page_ends_after_a_thousand_examined() {
    let place = place();
    let playbook = key("campaigns");
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let tasks: Vec<_> = (0..1201)
            .map(|number| {
                let (history, playbook) = (place.history.clone(), playbook.clone());
                tokio::task::spawn(async move {
                    let mut record = start(number, 0, 1);
                    if number == 0 {
                        record.context.definition.as_mut().unwrap().kind = DefinitionType::Recall;
                    }
                    history.append_async(&Stream::run(&playbook, run_id(number)), 0, vec![record], at(0)).await
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap().unwrap();
        }
    });
    let recall = RunsQuery { definition_type: Some(DefinitionType::Recall), ..query(&playbook) };
    let first = place.runs(&recall).unwrap();
    assert!(first.runs.is_empty());
    let second = place.runs(&RunsQuery { cursor: first.next.as_deref(), ..recall }).unwrap();
    assert_eq!((ids(&second), second.next), (vec![0], None));
}

#[test]
fn a_cursor_must_be_of_this_playbook() {
    let place = place();
    let playbook = key("campaigns");
    let foreign = crate::cursor::write(&key("others"), 1);
    let refused = place.runs(&RunsQuery { cursor: Some(&foreign), ..query(&playbook) });
    assert!(matches!(refused, Err(ReadError::Cursor(CursorError::AnotherPlaybook))));
}

#[test]
fn a_new_version_of_the_projection_is_filled_from_the_records() {
    let place = place();
    let playbook = key("campaigns");
    for number in 0..5 {
        let stream = Stream::run(&playbook, run_id(number));
        add(&place, &stream, start(number, 0, 1));
        // Large enough to be kept apart.
        let detail = "x".repeat(20_000);
        let rejection = json!({ "reason": "conflict", "detail": detail, "kind": "unworkable" });
        add(&place, &stream, end(number, 1, "run_rejected", rejection));
    }
    let mut child = start(9, 0, 1);
    child.context.called_by = Some(CalledBy { run_id: run_id(4).to_string(), reference: "/do/0".into(), run: 1 });
    add(&place, &Stream::run(&playbook, run_id(9)), child);
    add(&place, &Stream::run(&playbook, run_id(2)), start(2, 7, 2));
    let before = place.runs(&query(&playbook)).unwrap();
    let tree = |history: &History| {
        history.feed(&FeedQuery { run: Some(run_id(4)), ..feed_of(&playbook) }).unwrap().records.len()
    };
    assert_eq!((before.runs.len(), tree(&place)), (6, 3));

    // An earlier program's table: another version, and wrong.
    let path = place.folder.path().join("log.sqlite");
    place.desk().try_on(|writer| {
        let rename = format!("ALTER TABLE {} RENAME TO runs_0; DELETE FROM runs_0", crate::runs::TABLE);
        writer.conn.execute_batch(&rename).unwrap();
    });
    place.close();
    let again = History::open(&path).unwrap();
    assert_eq!(again.runs(&query(&playbook)).unwrap(), before);
    assert_eq!(tree(&again), 3);
    let (send, receive) = std::sync::mpsc::channel();
    again.desk().try_on(move |writer| {
        let tables: i64 = writer
            .conn
            .query_row("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name LIKE 'runs%'", [], |row| {
                row.get(0)
            })
            .unwrap();
        send.send(tables).unwrap();
    });
    assert_eq!(receive.recv().unwrap(), 1, "the old table is gone");
}
