//! Walks along the indexes of the records, and the plain reads: a stream, one record, the newest.

use crate::error::ReadError;
use crate::record::{Content, Raw, Record};
use crate::{append, number, runs};
use playbook_model::id::{OrgId, PlaybookId, PlaybookKey, RunId};
use rusqlite::{Connection, OptionalExtension, params};
use serde_json::Value;
use uuid::Uuid;

/// Which of an owner's records to walk, each along an index of its own.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Walk<'a> {
    /// All.
    All,
    /// Of a type.
    Kind(&'a str),
    /// Published events of an event type.
    EventType(&'a str),
    /// Of a run, of every run under it, and what it is the top of.
    Run(RunId),
}

/// Which part of the log to walk, both ends counted in, and in which direction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) lowest: i64,
    pub(crate) highest: i64,
    pub(crate) direction: Direction,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    OldestFirst,
    NewestFirst,
}

impl Bounds {
    /// Everything after a position, oldest first.
    pub(crate) fn after(position: u64) -> Self {
        Self {
            lowest: number::to_sql(position).saturating_add(1),
            highest: i64::MAX,
            direction: Direction::OldestFirst,
        }
    }
}

/// The global positions of a walk, at most `most`.
pub(crate) fn globals(
    conn: &Connection,
    owner: i64,
    walk: &Walk<'_>,
    bounds: Bounds,
    most: usize,
) -> Result<Vec<i64>, ReadError> {
    let order = match bounds.direction {
        Direction::OldestFirst => "ASC",
        Direction::NewestFirst => "DESC",
    };
    // The index is named so that the plan never depends on how the history has grown.
    let from = |index: &str, column: &str| {
        format!(
            "SELECT global FROM record INDEXED BY {index} WHERE owner = ?1 AND {column} \
             AND global BETWEEN ?3 AND ?4"
        )
    };
    let (rows, value) = match walk {
        Walk::All => (from("record_owner", "?2 = ''"), String::new()),
        Walk::Kind(kind) => (from("record_kind", "kind = ?2"), (*kind).to_owned()),
        Walk::EventType(of) => (from("record_event_type", "event_type = ?2"), (*of).to_owned()),
        Walk::Run(run) => (
            format!(
                "{} UNION {}",
                from("record_correlation", "correlation_id = ?2"),
                from("record_run", &format!("run_id IN ({})", runs::TREE))
            ),
            run.to_string(),
        ),
    };
    let mut select = conn.prepare_cached(&format!("{rows} ORDER BY global {order} LIMIT ?5"))?;
    let most = number::to_sql(most as u64);
    let found = select
        .query_map(params![owner, value, bounds.lowest, bounds.highest, most], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(found)
}

/// The records of a stream after a position, oldest first.
pub(crate) fn stream(conn: &Connection, name: &str, after: u64, content: Content) -> Result<Vec<Record>, ReadError> {
    let globals: Vec<i64> = conn
        .prepare_cached(
            "SELECT global FROM record WHERE stream = (SELECT id FROM stream WHERE name = ?1) AND position > ?2 \
             ORDER BY position",
        )?
        .query_map(params![name, number::to_sql(after)], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let mut records = Vec::with_capacity(globals.len());
    for global in globals {
        records.push(Raw::at(conn, global)?.record(conn, content)?);
    }
    Ok(records)
}

/// The newest record of a stream.
pub(crate) fn last(conn: &Connection, name: &str) -> Result<Option<Record>, ReadError> {
    let global: Option<i64> = conn
        .prepare_cached(
            "SELECT global FROM record WHERE stream = (SELECT id FROM stream WHERE name = ?1) \
             ORDER BY position DESC LIMIT 1",
        )?
        .query_row([name], |row| row.get(0))
        .optional()?;
    match global {
        Some(global) => Raw::at(conn, global)?.record(conn, Content::Joined).map(Some),
        None => Ok(None),
    }
}

/// The records of a stream at positions, in that order.
pub(crate) fn places(conn: &Connection, name: &str, positions: &[u64]) -> Result<Vec<Record>, ReadError> {
    let mut select = conn.prepare_cached(
        "SELECT global FROM record WHERE stream = (SELECT id FROM stream WHERE name = ?1) AND position = ?2",
    )?;
    let mut found = Vec::with_capacity(positions.len());
    for position in positions {
        let global: Option<i64> =
            select.query_row(params![name, number::to_sql(*position)], |row| row.get(0)).optional()?;
        if let Some(global) = global {
            found.push(Raw::at(conn, global)?.record(conn, Content::Joined)?);
        }
    }
    Ok(found)
}

/// One record of a playbook.
pub(crate) fn record(conn: &Connection, playbook: &PlaybookKey, id: Uuid) -> Result<Option<Record>, ReadError> {
    let Some(owner) = append::find_owner(conn, &playbook.text())? else { return Ok(None) };
    let global: Option<i64> = conn
        .prepare_cached("SELECT global FROM record WHERE id = ?1 AND owner = ?2")?
        .query_row(params![id.as_bytes(), owner], |row| row.get(0))
        .optional()?;
    match global {
        Some(global) => Raw::at(conn, global)?.record(conn, Content::Joined).map(Some),
        None => Ok(None),
    }
}

/// The data of the record at a global position.
pub(crate) fn data(conn: &Connection, global: u64) -> Result<Value, ReadError> {
    Ok(Raw::at(conn, number::to_sql(global))?.record(conn, Content::Joined)?.data)
}

/// The newest global position of the whole log; 0 when it is empty.
pub(crate) fn end(conn: &Connection) -> rusqlite::Result<u64> {
    let newest: Option<i64> = conn.query_row("SELECT max(global) FROM record", [], |row| row.get(0))?;
    Ok(number::from_sql(newest.unwrap_or(0)))
}

/// The playbooks that own a stream.
pub(crate) fn playbooks(conn: &Connection) -> Result<Vec<PlaybookKey>, ReadError> {
    let mut select = conn.prepare_cached("SELECT key FROM owner ORDER BY key")?;
    let keys = select.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
    Ok(keys.iter().filter_map(|key| playbook(key)).collect())
}

/// The playbook of an owner's key, `playbook/<org>/<id>`; an org's own key names none.
pub(crate) fn playbook(key: &str) -> Option<PlaybookKey> {
    let (org, id) = key.strip_prefix("playbook/")?.split_once('/')?;
    Some(PlaybookKey { org: OrgId::new(org).ok()?, playbook: PlaybookId::new(id).ok()? })
}
