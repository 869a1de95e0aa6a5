//! The feed: a playbook's records for people, in either order, filtered, in pages with cursors.

use crate::error::ReadError;
use crate::read::{Bounds, Direction, Walk, globals};
use crate::record::{Content, Raw, Record};
use crate::{append, cursor, number};
use playbook_model::id::{PlaybookKey, RunId};
use playbook_model::limits::{PAGE_BYTES, PAGE_EXAMINED};
use playbook_model::time::Moment;
use rusqlite::{Connection, OptionalExtension, params};

/// Which records to list. "The feed".
#[derive(Debug, Clone)]
pub struct FeedQuery<'a> {
    /// The playbook.
    pub playbook: &'a PlaybookKey,
    /// Only records of this type.
    pub kind: Option<&'a str>,
    /// Only records that the log recorded at this moment or later.
    pub since: Option<Moment>,
    /// Only records of this run and of every run under it.
    pub run: Option<RunId>,
    /// Which come first.
    pub order: Order,
    /// The most records, from 1 to 1,000.
    pub limit: usize,
    /// Where the page before ended.
    pub cursor: Option<&'a str>,
    /// What to do with large data.
    pub content: Content,
}

/// Which records come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Order {
    /// The oldest.
    OldestFirst,
    /// The newest.
    NewestFirst,
}

/// Some records of a feed.
#[derive(Debug, Clone, PartialEq)]
pub struct FeedPage {
    /// Ends at the limit, at 4 MiB of stored data, or at 1,000 records examined;
    /// so there may be none although more follow.
    pub records: Vec<Record>,
    /// Where the next page goes on; none at the end.
    pub next: Option<String>,
    /// How many rows of the first record the page before gave; 0 where it gave none.
    pub given: usize,
}

/// Reads a page of the feed.
pub(crate) fn feed(conn: &Connection, query: &FeedQuery<'_>) -> Result<FeedPage, ReadError> {
    let from = query.cursor.map(|text| cursor::read_within(query.playbook, text)).transpose()?;
    let given = from.map_or(0, |(_, given)| given);
    let from = from.map(|(position, _)| number::to_sql(position));
    let mut page = FeedPage { records: Vec::new(), next: None, given: 0 };
    // A page that ended within a record goes on with that record.
    let beyond = i64::from(given == 0);
    let Some(owner) = append::find_owner(conn, &query.playbook.text())? else { return Ok(page) };
    let mut bounds = match query.order {
        Order::OldestFirst => Bounds {
            lowest: from.unwrap_or(0).saturating_add(beyond),
            highest: i64::MAX,
            direction: Direction::OldestFirst,
        },
        Order::NewestFirst => Bounds {
            lowest: 0,
            highest: from.map_or(i64::MAX, |from| from.saturating_sub(beyond)),
            direction: Direction::NewestFirst,
        },
    };
    if let Some(since) = query.since {
        match first_since(conn, owner, since)? {
            Some(first) => bounds.lowest = bounds.lowest.max(first),
            None => return Ok(page),
        }
    }
    let walk = match (query.run, query.kind) {
        (Some(run), _) => Walk::Run(run),
        (None, Some(kind)) => Walk::Kind(kind),
        (None, None) => Walk::All,
    };
    let limit = query.limit.clamp(1, PAGE_EXAMINED);
    let found = globals(conn, owner, &walk, bounds, PAGE_EXAMINED + 1)?;
    let mut bytes = 0_usize;
    let mut last = None;
    for (examined, global) in found.into_iter().enumerate() {
        if examined == PAGE_EXAMINED || page.records.len() == limit {
            page.next = last.map(|last| cursor::write(query.playbook, last));
            break;
        }
        let raw = Raw::at(conn, global)?;
        let fits = query.kind.is_none_or(|kind| kind == raw.kind)
            && query.since.is_none_or(|since| since.0 <= raw.recorded_at);
        if fits {
            bytes = bytes.saturating_add(usize::try_from(raw.data_bytes).unwrap_or(usize::MAX));
            if bytes > PAGE_BYTES && !page.records.is_empty() {
                page.next = last.map(|last| cursor::write(query.playbook, last));
                break;
            }
            if page.records.is_empty() && Some(global) == from {
                page.given = given;
            }
            page.records.push(raw.record(conn, query.content)?);
        }
        last = Some(number::from_sql(global));
    }
    Ok(page)
}

/// The first record of an owner that was recorded at a moment or later.
///
/// Records after it may be older, when the clock went back; they are looked at one by one.
fn first_since(conn: &Connection, owner: i64, since: Moment) -> rusqlite::Result<Option<i64>> {
    conn.prepare_cached(
        "SELECT global FROM record INDEXED BY record_latest WHERE owner = ?1 AND latest_at >= ?2 \
         ORDER BY latest_at, global LIMIT 1",
    )?
    .query_row(params![owner, since.0], |row| row.get(0))
    .optional()
}
