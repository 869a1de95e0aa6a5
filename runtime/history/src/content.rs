//! Data too large for a record's row: kept once a playbook, by its SHA-256, in chunks.
//!
//! Nothing is ever deleted, as no record is.

use crate::error::ReadError;
use crate::{DATA_LEVELS, number};
use playbook_model::json;
use rusqlite::{Connection, OptionalExtension, params};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The most bytes of one chunk; each ends where a character does.
pub(crate) const CHUNK_BYTES: usize = 1024 * 1024;

/// The address of a text within its playbook.
pub(crate) fn digest(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

/// Stores a text, or finds the same one stored before; its number.
pub(crate) fn keep(conn: &Connection, owner: i64, text: &str, digest: &[u8; 32]) -> rusqlite::Result<i64> {
    let found = conn
        .prepare_cached("SELECT id FROM content WHERE owner = ?1 AND sha256 = ?2")?
        .query_row(params![owner, digest], |row| row.get(0))
        .optional()?;
    if let Some(id) = found {
        return Ok(id);
    }
    conn.prepare_cached("INSERT INTO content (owner, sha256, bytes) VALUES (?1, ?2, ?3)")?.execute(params![
        owner,
        digest,
        number::to_sql(text.len() as u64)
    ])?;
    let id = conn.last_insert_rowid();
    let mut insert = conn.prepare_cached("INSERT INTO chunk (content, number, text) VALUES (?1, ?2, ?3)")?;
    for (place, part) in (0_i64..).zip(chunks(text)) {
        insert.execute(params![id, place, part])?;
    }
    Ok(id)
}

/// The parts of a text, each of at most [`CHUNK_BYTES`].
fn chunks(mut text: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        if text.is_empty() {
            return None;
        }
        let (part, rest) = text.split_at(text.floor_char_boundary(CHUNK_BYTES));
        text = rest;
        Some(part)
    })
}

/// The text stored under a number, checked against its address.
pub(crate) fn join(conn: &Connection, id: i64) -> Result<String, ReadError> {
    let (sha256, bytes): ([u8; 32], i64) = conn
        .prepare_cached("SELECT sha256, bytes FROM content WHERE id = ?1")?
        .query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut text = String::with_capacity(usize::try_from(bytes).unwrap_or(0).min(crate::DATA_BYTES));
    let mut select = conn.prepare_cached("SELECT text FROM chunk WHERE content = ?1 ORDER BY number")?;
    let mut rows = select.query([id])?;
    while let Some(row) = rows.next()? {
        text.push_str(&row.get::<_, String>(0)?);
    }
    if digest(&text) != sha256 {
        return Err(damaged("data kept apart from its record is not what was recorded"));
    }
    Ok(text)
}

/// Stored data as a value.
pub(crate) fn parse(text: &str) -> Result<Value, ReadError> {
    json::parse(text, DATA_LEVELS).map_err(|why| ReadError::Damaged { why: why.into() })
}

/// Damage that SQLite cannot see.
pub(crate) fn damaged(why: &'static str) -> ReadError {
    ReadError::Damaged { why: why.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_ends_where_a_character_does() {
        let text = "é".repeat(CHUNK_BYTES);
        let odd = format!("a{text}");
        for whole in [text.as_str(), odd.as_str(), "", "short"] {
            let parts: Vec<&str> = chunks(whole).collect();
            assert!(parts.iter().all(|part| !part.is_empty() && part.len() <= CHUNK_BYTES));
            assert_eq!(parts.concat(), whole);
        }
        assert_eq!(chunks(&odd).count(), 3);
    }
}
