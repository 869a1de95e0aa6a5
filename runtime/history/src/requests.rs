//! The open requests of a playbook: a projection, one row a request that waits, folded inside the append's transaction.

use crate::error::ReadError;
use crate::log::History;
use crate::projection::{Projection, Step};
use crate::record::{Content, Raw, Record};
use crate::{append, cursor, number, read};
use playbook_model::id::{PlaybookKey, RunId};
use playbook_model::limits::PAGE_EXAMINED;
use playbook_model::time::Moment;
use rusqlite::{Connection, params};
use serde_json::Value;

/// A request that waits.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenRequest {
    /// The record that made it.
    pub record: Record,
    /// Whether someone asked to cancel its run.
    pub cancelling: bool,
}

/// Which requests to list.
#[derive(Debug, Clone)]
pub struct RequestsQuery<'a> {
    /// The playbook.
    pub playbook: &'a PlaybookKey,
    /// Only those of this party.
    pub to: Option<&'a str>,
    /// Only those of the function of this name.
    pub function: Option<&'a str>,
    /// The most requests, from 1 to 1,000.
    pub limit: usize,
    /// Where the page before ended.
    pub cursor: Option<&'a str>,
}

/// Some open requests, newest first.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestsPage {
    /// The requests; may be none although more follow, since a page examines at most 1,000.
    pub requests: Vec<OpenRequest>,
    /// Where the next page goes on; none at the end.
    pub next: Option<String>,
}

/// The name of the table, the projection's version at its end.
macro_rules! table {
    () => {
        "requests_1"
    };
}

/// The open requests.
pub(crate) const OPEN: Projection = Projection {
    words: "the list of open requests",
    family: "requests_",
    table: table!(),
    create: concat!(
        "CREATE TABLE ",
        table!(),
        " (owner INTEGER NOT NULL, run_id TEXT NOT NULL, name TEXT NOT NULL, party TEXT NOT NULL, \
         position INTEGER NOT NULL, expires INTEGER NOT NULL, cancelling INTEGER NOT NULL, \
         PRIMARY KEY (owner, run_id)) STRICT, WITHOUT ROWID; CREATE INDEX ",
        table!(),
        "_position ON ",
        table!(),
        " (owner, position); CREATE INDEX ",
        table!(),
        "_party ON ",
        table!(),
        " (owner, party, position); CREATE INDEX ",
        table!(),
        "_name ON ",
        table!(),
        " (owner, name, position); CREATE INDEX ",
        table!(),
        "_expires ON ",
        table!(),
        " (expires);"
    ),
    kinds: &["run_deferred", "run_cancel_requested", "run_started", "run_succeeded", "run_rejected", "run_failed"],
    read: &["run_deferred"],
    fold,
};

fn fold(conn: &Connection, step: &Step<'_>) -> rusqlite::Result<()> {
    match step.kind {
        "run_deferred" => open(conn, step),
        "run_cancel_requested" => {
            conn.prepare_cached(concat!("UPDATE ", table!(), " SET cancelling = 1 WHERE owner = ?1 AND run_id = ?2"))?
                .execute(params![step.owner, step.run])?;
            Ok(())
        }
        "run_started" | "run_succeeded" | "run_rejected" | "run_failed" => {
            conn.prepare_cached(concat!("DELETE FROM ", table!(), " WHERE owner = ?1 AND run_id = ?2"))?
                .execute(params![step.owner, step.run])?;
            Ok(())
        }
        _ => Ok(()),
    }
}

fn open(conn: &Connection, step: &Step<'_>) -> rusqlite::Result<()> {
    let party = step.data.pointer("/interaction/to").and_then(Value::as_str);
    let expires = step.data.pointer("/interaction/expires_at").and_then(Value::as_i64);
    // A run that waits for something else makes no request.
    let (Some(party), Some(expires), Some(of)) = (party, expires, &step.context.definition) else { return Ok(()) };
    conn.prepare_cached(concat!(
        "INSERT OR REPLACE INTO ",
        table!(),
        " (owner, run_id, name, party, position, expires, cancelling) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0)"
    ))?
    .execute(params![step.owner, step.run, of.name, party, step.global, expires])?;
    Ok(())
}

impl History {
    /// A page of a playbook's open requests, newest first.
    ///
    /// # Errors
    /// [`ReadError`], a cursor that is no good among them.
    pub fn requests(&self, query: &RequestsQuery<'_>) -> Result<RequestsPage, ReadError> {
        self.reading(|conn| list(conn, query))
    }

    /// How many requests of a playbook are open.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn open_requests(&self, playbook: &PlaybookKey) -> Result<u64, ReadError> {
        self.reading(|conn| count(conn, playbook))
    }

    /// When the next open request of any playbook expires; none when nothing is open.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn next_expiry(&self) -> Result<Option<Moment>, ReadError> {
        self.reading(next_expiry)
    }

    /// The runs whose open requests have expired at a moment, with when, the earliest first, at most `most`.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn expired(&self, at: Moment, most: usize) -> Result<Vec<(PlaybookKey, RunId, Moment)>, ReadError> {
        self.reading(|conn| expired(conn, at, most))
    }
}

fn list(conn: &Connection, query: &RequestsQuery<'_>) -> Result<RequestsPage, ReadError> {
    let before = query.cursor.map(|text| cursor::read(query.playbook, text)).transpose()?;
    let mut page = RequestsPage { requests: Vec::new(), next: None };
    let Some(owner) = append::find_owner(conn, &query.playbook.text())? else { return Ok(page) };
    // One filter chooses the index that is walked, the other looks at what it gives.
    let (narrowed, value) = match (query.to, query.function) {
        (Some(to), _) => ("AND party = ?3", to),
        (None, Some(name)) => ("AND name = ?3", name),
        (None, None) => ("AND ?3 = ''", ""),
    };
    let sql = format!(
        "SELECT position, cancelling, name FROM {} WHERE owner = ?1 AND position < ?2 {narrowed} \
         ORDER BY position DESC LIMIT ?4",
        OPEN.table
    );
    let limit = query.limit.clamp(1, PAGE_EXAMINED);
    let mut select = conn.prepare_cached(&sql)?;
    let most = number::to_sql(PAGE_EXAMINED as u64 + 1);
    let mut rows = select.query(params![owner, number::to_sql(before.unwrap_or(u64::MAX)), value, most])?;
    let mut last = None;
    let mut examined = 0;
    while let Some(found) = rows.next()? {
        if examined == PAGE_EXAMINED || page.requests.len() == limit {
            page.next = last.map(|position| cursor::write(query.playbook, position));
            break;
        }
        let (position, cancelling, name): (i64, bool, String) = (found.get(0)?, found.get(1)?, found.get(2)?);
        examined += 1;
        last = Some(number::from_sql(position));
        if query.function.is_none_or(|function| function == name) {
            let record = Raw::at(conn, position)?.record(conn, Content::Joined)?;
            page.requests.push(OpenRequest { record, cancelling });
        }
    }
    Ok(page)
}

fn count(conn: &Connection, playbook: &PlaybookKey) -> Result<u64, ReadError> {
    let Some(owner) = append::find_owner(conn, &playbook.text())? else { return Ok(0) };
    let count: i64 = conn
        .prepare_cached(concat!("SELECT count(*) FROM ", table!(), " WHERE owner = ?1"))?
        .query_row([owner], |row| row.get(0))?;
    Ok(number::from_sql(count))
}

fn next_expiry(conn: &Connection) -> Result<Option<Moment>, ReadError> {
    let next: Option<i64> =
        conn.prepare_cached(concat!("SELECT min(expires) FROM ", table!()))?.query_row([], |row| row.get(0))?;
    Ok(next.map(Moment))
}

fn expired(conn: &Connection, at: Moment, most: usize) -> Result<Vec<(PlaybookKey, RunId, Moment)>, ReadError> {
    let mut select = conn.prepare_cached(concat!(
        "SELECT o.key, q.run_id, q.expires FROM ",
        table!(),
        " q JOIN owner o ON o.id = q.owner WHERE q.expires <= ?1 ORDER BY q.expires, q.owner, q.run_id LIMIT ?2"
    ))?;
    let found = select
        .query_map(params![at.0, number::to_sql(most as u64)], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<rusqlite::Result<Vec<(String, String, i64)>>>()?;
    let expired =
        |(key, run, at): &(String, String, i64)| Some((read::playbook(key)?, RunId::parse(run).ok()?, Moment(*at)));
    Ok(found.iter().filter_map(expired).collect())
}
