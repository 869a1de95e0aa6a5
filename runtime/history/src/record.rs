//! Records as given to the log and as read back.

use crate::error::ReadError;
use crate::stream::Stream;
use crate::{content, number};
use playbook_model::record::Context;
use playbook_model::time::Moment;
use rusqlite::{Connection, OptionalExtension, Row};
use serde_json::Value;
use uuid::Uuid;

/// A fact to be recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct NewRecord {
    /// The type, such as `run_started`.
    pub kind: String,
    /// The fact alone.
    pub data: Value,
    /// Who, when, which run and which definition.
    pub context: Context,
}

/// Records to be appended to one stream.
#[derive(Debug, Clone, PartialEq)]
pub struct NewAppend {
    /// The stream.
    pub stream: Stream,
    /// The position of its newest record; 0 for a stream without one.
    pub expected: u64,
    /// 1 to 8 records.
    pub records: Vec<NewRecord>,
}

/// A recorded fact.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Follows from the stream's name and the position.
    pub id: Uuid,
    /// The stream's full name.
    pub stream: String,
    /// From 1 within the stream, without gaps.
    pub position: u64,
    /// Grows in the order the log recorded, over all streams; may have gaps.
    pub global: u64,
    /// When the log recorded it, by the caller's clock.
    pub recorded_at: Moment,
    /// The type.
    pub kind: String,
    /// The fact alone; `null` when `content` is [`Content::Sizes`].
    pub data: Value,
    /// The size of the data as JSON, in bytes.
    pub data_bytes: u64,
    /// Whether the data is here, or was large and stayed in the log.
    pub content: Content,
    /// Who, when, which run and which definition.
    pub context: Context,
}

/// What to do with data that is kept apart from its record for its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Content {
    /// Read it too.
    Joined,
    /// Leave it and give its size; [`History::data`](crate::History::data) reads it later.
    Sizes,
}

/// A record as its row holds it.
pub(crate) struct Raw {
    pub(crate) global: i64,
    pub(crate) recorded_at: i64,
    pub(crate) kind: String,
    pub(crate) data_bytes: u64,
    stream: String,
    position: i64,
    id: Uuid,
    data: Option<String>,
    content: Option<i64>,
    context: String,
}

const SELECT: &str = "SELECT r.global, s.name, r.position, r.id, r.recorded_at, r.kind, r.data, r.content, \
     r.data_bytes, r.context FROM record r JOIN stream s ON s.id = r.stream WHERE r.global = ?1";

impl Raw {
    fn of(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            global: row.get(0)?,
            stream: row.get(1)?,
            position: row.get(2)?,
            id: Uuid::from_bytes(row.get(3)?),
            recorded_at: row.get(4)?,
            kind: row.get(5)?,
            data: row.get(6)?,
            content: row.get(7)?,
            data_bytes: number::from_sql(row.get(8)?),
            context: row.get(9)?,
        })
    }

    /// The row at a global position that an index gave.
    pub(crate) fn at(conn: &Connection, global: i64) -> Result<Self, ReadError> {
        let found = conn.prepare_cached(SELECT)?.query_row([global], Self::of).optional()?;
        found.ok_or_else(|| content::damaged("a record went missing"))
    }

    /// The bytes that reading the row's data costs.
    pub(crate) fn cost(&self, content: Content) -> usize {
        if self.content.is_some() && content == Content::Sizes {
            return 0;
        }
        usize::try_from(self.data_bytes).unwrap_or(usize::MAX)
    }

    /// The record, with what is kept apart as `content` says.
    pub(crate) fn record(self, conn: &Connection, content: Content) -> Result<Record, ReadError> {
        let (data, content) = match (self.data, self.content) {
            (Some(text), _) => (content::parse(&text)?, Content::Joined),
            (None, Some(_)) if content == Content::Sizes => (Value::Null, Content::Sizes),
            (None, Some(kept)) => (content::parse(&content::join(conn, kept)?)?, Content::Joined),
            (None, None) => return Err(content::damaged("a record has no data")),
        };
        let context = serde_json::from_str(&self.context).map_err(|why| ReadError::Damaged { why: why.into() })?;
        Ok(Record {
            id: self.id,
            stream: self.stream,
            position: number::from_sql(self.position),
            global: number::from_sql(self.global),
            recorded_at: Moment(self.recorded_at),
            kind: self.kind,
            data,
            data_bytes: self.data_bytes,
            content,
            context,
        })
    }
}
