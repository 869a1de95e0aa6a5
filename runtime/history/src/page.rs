//! Pages for those who follow a playbook: oldest first, filtered, and always saying where the reader stands.

use crate::error::ReadError;
use crate::read::{Bounds, Walk, globals};
use crate::record::{Content, Raw, Record};
use crate::{append, number};
use playbook_model::id::PlaybookKey;
use playbook_model::limits::{PAGE_BYTES, PAGE_RECORDS};
use playbook_model::time::Moment;
use rusqlite::{Connection, OptionalExtension, params};

/// Which records a page holds.
#[derive(Debug, Clone)]
pub struct PageQuery<'a> {
    /// The playbook.
    pub playbook: &'a PlaybookKey,
    /// Only records after this global position; 0 begins at the beginning.
    pub after: u64,
    /// The most records, from 1 to 1,000.
    pub limit: usize,
    /// Only records that one of these takes; `None` takes every record, an empty list none.
    pub only: Option<&'a [Wanted]>,
    /// What to do with large data.
    pub content: Content,
}

/// A kind of record that a page takes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Wanted {
    /// Records of a type, such as `run_succeeded`.
    Kind(String),
    /// Published events of an event type.
    Published(String),
}

/// Records in the order of the log.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// At most as many as asked for, and at most 4 MiB of data unless one record alone is larger.
    pub records: Vec<Record>,
    /// The global position up to which every wanted record has been given, here or before.
    pub read_to: u64,
    /// When the record at `read_to`, or the last one of the playbook before it, was recorded.
    pub read_to_at: Option<Moment>,
    /// Whether wanted records follow.
    pub more: bool,
}

/// Reads a page.
pub(crate) fn page(conn: &Connection, query: &PageQuery<'_>) -> Result<Page, ReadError> {
    let mut page = Page { records: Vec::new(), read_to: query.after, read_to_at: None, more: false };
    let Some(owner) = append::find_owner(conn, &query.playbook.text())? else { return Ok(page) };
    let limit = query.limit.clamp(1, PAGE_RECORDS);
    let bounds = Bounds::after(query.after);
    let most = limit + 1;
    let mut found = match query.only {
        None => globals(conn, owner, &Walk::All, bounds, most)?,
        Some(wanted) => {
            let mut found = Vec::new();
            for wanted in wanted {
                let walk = match wanted {
                    Wanted::Kind(kind) => Walk::Kind(kind),
                    Wanted::Published(of) => Walk::EventType(of),
                };
                found.extend(globals(conn, owner, &walk, bounds, most)?);
            }
            found.sort_unstable();
            found.dedup();
            found
        }
    };
    page.more = found.len() > limit;
    found.truncate(limit);

    let mut bytes = 0_usize;
    for global in found {
        let raw = Raw::at(conn, global)?;
        bytes = bytes.saturating_add(raw.cost(query.content));
        if bytes > PAGE_BYTES && !page.records.is_empty() {
            page.more = true;
            break;
        }
        page.records.push(raw.record(conn, query.content)?);
    }
    let newest = newest(conn, owner, i64::MAX)?;
    page.read_to = match (page.more, page.records.last()) {
        (true, Some(last)) => last.global,
        _ => newest.map_or(0, |(newest, _)| newest).max(query.after),
    };
    page.read_to_at = self::newest(conn, owner, number::to_sql(page.read_to))?.map(|(_, at)| at);
    Ok(page)
}

/// The global position and store time of an owner's newest record that is not after a position.
pub(crate) fn newest(conn: &Connection, owner: i64, up_to: i64) -> rusqlite::Result<Option<(u64, Moment)>> {
    conn.prepare_cached(
        "SELECT global, recorded_at FROM record WHERE owner = ?1 AND global <= ?2 ORDER BY global DESC LIMIT 1",
    )?
    .query_row(params![owner, up_to], |row| Ok((number::from_sql(row.get(0)?), Moment(row.get(1)?))))
    .optional()
}
