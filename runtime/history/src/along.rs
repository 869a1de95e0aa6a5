//! Along the indexes of the records: how many there are, where they are, of which types; and the records at places.

use crate::error::ReadError;
use crate::page::Wanted;
use crate::read::{Bounds, Direction, Walk, globals};
use crate::record::{Content, Raw, Record};
use crate::{append, number};
use playbook_model::id::PlaybookKey;
use playbook_model::limits::PAGE_BYTES;
use rusqlite::{Connection, OptionalExtension, params};

fn walk(wanted: &Wanted) -> Walk<'_> {
    match wanted {
        Wanted::Kind(kind) => Walk::Kind(kind),
        Wanted::Published(of) => Walk::EventType(of),
    }
}

/// How many records of the wanted kinds there are after one position and up to another, counted to at most `most`.
pub(crate) fn count(
    conn: &Connection,
    playbook: &PlaybookKey,
    wanted: &[Wanted],
    (after, up_to): (u64, u64),
    most: u64,
) -> Result<u64, ReadError> {
    let Some(owner) = append::find_owner(conn, &playbook.text())? else { return Ok(0) };
    let mut counted = 0;
    for wanted in wanted {
        let (index, column, value) = match wanted {
            Wanted::Kind(kind) => ("record_kind", "kind", kind),
            Wanted::Published(of) => ("record_event_type", "event_type", of),
        };
        let mut select = conn.prepare_cached(&format!(
            "SELECT count(*) FROM (SELECT 1 FROM record INDEXED BY {index} WHERE owner = ?1 AND {column} = ?2 \
             AND global > ?3 AND global <= ?4 LIMIT ?5)"
        ))?;
        let left = number::to_sql(most.saturating_sub(counted));
        let found: i64 = select
            .query_row(params![owner, value, number::to_sql(after), number::to_sql(up_to), left], |row| row.get(0))?;
        counted += number::from_sql(found);
    }
    Ok(counted)
}

/// The positions of the last records of the wanted kinds before a position, newest first, at most `most`.
pub(crate) fn before(
    conn: &Connection,
    playbook: &PlaybookKey,
    wanted: &[Wanted],
    before: u64,
    most: usize,
) -> Result<Vec<u64>, ReadError> {
    let Some(owner) = append::find_owner(conn, &playbook.text())? else { return Ok(Vec::new()) };
    let highest = number::to_sql(before).saturating_sub(1);
    let bounds = Bounds { lowest: 0, highest, direction: Direction::NewestFirst };
    let mut found = Vec::new();
    for wanted in wanted {
        found.extend(globals(conn, owner, &walk(wanted), bounds, most)?);
    }
    found.sort_unstable_by(|a, b| b.cmp(a));
    found.dedup();
    found.truncate(most);
    Ok(found.into_iter().map(number::from_sql).collect())
}

/// The records of a playbook at positions, as many from the first as fit a page's 4 MiB of data, one at the least.
pub(crate) fn at(conn: &Connection, playbook: &PlaybookKey, positions: &[u64]) -> Result<Vec<Record>, ReadError> {
    let Some(owner) = append::find_owner(conn, &playbook.text())? else { return Ok(Vec::new()) };
    let mut mine = conn.prepare_cached("SELECT 1 FROM record WHERE global = ?1 AND owner = ?2")?;
    let (mut records, mut bytes) = (Vec::new(), 0_usize);
    for position in positions {
        let global = number::to_sql(*position);
        let known = mine.query_row(params![global, owner], |_| Ok(())).optional()?;
        if known.is_none() {
            return Ok(records);
        }
        let raw = Raw::at(conn, global)?;
        bytes = bytes.saturating_add(raw.cost(Content::Joined));
        if bytes > PAGE_BYTES && !records.is_empty() {
            break;
        }
        records.push(raw.record(conn, Content::Joined)?);
    }
    Ok(records)
}

/// The types of a playbook's records and of its published events, at most `most` of each.
pub(crate) fn types(conn: &Connection, playbook: &PlaybookKey, most: usize) -> Result<Vec<Wanted>, ReadError> {
    let Some(owner) = append::find_owner(conn, &playbook.text())? else { return Ok(Vec::new()) };
    let mut types = Vec::new();
    for (index, column) in [("record_kind", "kind"), ("record_event_type", "event_type")] {
        // From each type to the next along the index, however many records a type has.
        let mut select = conn.prepare_cached(&format!(
            "WITH RECURSIVE next(of) AS ( \
               SELECT min({column}) FROM record INDEXED BY {index} WHERE owner = ?1 AND {column} IS NOT NULL \
               UNION ALL \
               SELECT (SELECT min({column}) FROM record INDEXED BY {index} \
                       WHERE owner = ?1 AND {column} IS NOT NULL AND {column} > next.of) \
               FROM next WHERE next.of IS NOT NULL) \
             SELECT of FROM next WHERE of IS NOT NULL LIMIT ?2"
        ))?;
        let found = select.query_map(params![owner, number::to_sql(most as u64)], |row| row.get::<_, String>(0))?;
        for of in found {
            types.push(if column == "kind" { Wanted::Kind(of?) } else { Wanted::Published(of?) });
        }
    }
    Ok(types)
}
