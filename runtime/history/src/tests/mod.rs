//! Tests that look inside: each opens a history in a folder of its own.

mod along;
mod append;
mod content;
mod feed;
mod full;
mod page;
mod requests;
mod runs;
mod view;

use crate::{AppendError, Content, FeedQuery, History, NewRecord, Order, PageQuery, Record, Stream};
use playbook_model::definition::DefinitionType;
use playbook_model::id::{OrgId, PlaybookId, PlaybookKey, RunId};
use playbook_model::record::{CalledBy, Context, DefinitionRef};
use playbook_model::time::Moment;
use serde_json::{Value, json};
use tempfile::TempDir;
use uuid::Uuid;

/// A history in a folder that goes when the test ends.
pub(crate) struct Place {
    pub(crate) history: History,
    pub(crate) folder: TempDir,
}

impl std::ops::Deref for Place {
    type Target = History;
    fn deref(&self) -> &History {
        &self.history
    }
}

pub(crate) fn place() -> Place {
    let folder = tempfile::tempdir().unwrap();
    let history = History::open(&folder.path().join("log.sqlite")).unwrap();
    Place { history, folder }
}

pub(crate) fn key(playbook: &str) -> PlaybookKey {
    key_of("local", playbook)
}

pub(crate) fn key_of(org: &str, playbook: &str) -> PlaybookKey {
    PlaybookKey { org: OrgId::new(org).unwrap(), playbook: PlaybookId::new(playbook).unwrap() }
}

pub(crate) fn run_id(number: u128) -> RunId {
    RunId(Uuid::from_u128(number))
}

/// The moment so many seconds after some morning.
pub(crate) fn at(seconds: i64) -> Moment {
    Moment(1_791_000_000_000 + seconds * 1000)
}

pub(crate) fn fact(kind: &str, data: Value) -> NewRecord {
    NewRecord { kind: kind.into(), data, context: Context::new(at(0), "local") }
}

/// A fact of a run of the reasoning function `review-brief`.
pub(crate) fn of_run(run: RunId, kind: &str, data: Value) -> NewRecord {
    let mut record = fact(kind, data);
    record.context.run_id = Some(run.to_string());
    record.context.correlation_id = Some(run.to_string());
    record.context.definition =
        Some(DefinitionRef { kind: DefinitionType::Reasoning, name: "review-brief".into(), version: 1 });
    record
}

/// A fact of a run that another run called.
pub(crate) fn of_called(run: RunId, caller: RunId, top: RunId, kind: &str, data: Value) -> NewRecord {
    let mut record = of_run(run, kind, data);
    record.context.correlation_id = Some(top.to_string());
    record.context.called_by = Some(CalledBy { run_id: caller.to_string(), reference: "/do/0/review".into(), run: 1 });
    record
}

/// Appends one fact to the end of a stream.
pub(crate) fn add(history: &History, stream: &Stream, record: NewRecord) -> Record {
    add_at(history, stream, record, at(0))
}

pub(crate) fn add_at(history: &History, stream: &Stream, record: NewRecord, recorded_at: Moment) -> Record {
    let mut expected = 0;
    loop {
        match history.append(stream, expected, vec![record.clone()], recorded_at) {
            Ok(mut records) => return records.remove(0),
            Err(AppendError::Conflict { at }) => expected = at,
            Err(why) => panic!("{why}"),
        }
    }
}

pub(crate) fn feed_of(playbook: &PlaybookKey) -> FeedQuery<'_> {
    FeedQuery {
        playbook,
        kind: None,
        since: None,
        run: None,
        order: Order::OldestFirst,
        limit: 1000,
        cursor: None,
        content: Content::Joined,
    }
}

pub(crate) fn page_of(playbook: &PlaybookKey) -> PageQuery<'_> {
    PageQuery { playbook, after: 0, limit: 1000, only: None, content: Content::Joined }
}

/// A text of so many bytes that differs from every other of its number.
pub(crate) fn large(bytes: usize, number: usize) -> Value {
    let start = format!("{number:08}");
    json!(start.clone() + &"x".repeat(bytes - start.len()))
}
