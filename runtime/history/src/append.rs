//! One append: the check of the stream's position, the rows, and what is projected from them.

use crate::error::AppendError;
use crate::record::{Content, NewRecord, Record};
use crate::stream::Stream;
use crate::writer::{Job, Kept};
use crate::{DATA_BYTES, DATA_LEVELS, KEPT_APART_BYTES, RECORDS_AN_APPEND, content, number, projection};
use playbook_model::id::message_id;
use playbook_model::json;
use playbook_model::time::Moment;
use rusqlite::{Connection, OptionalExtension, params};

/// A record made ready outside the writer, so that the writer only writes.
pub(crate) struct Ready {
    record: NewRecord,
    text: String,
    sha256: Option<[u8; 32]>,
    context: String,
    global: i64,
}

impl Ready {
    /// About how much it writes.
    pub(crate) fn bytes(&self) -> usize {
        self.text.len() + self.context.len()
    }

    /// The global position it was given.
    pub(crate) fn global(&self) -> u64 {
        number::from_sql(self.global)
    }

    /// The record as it was recorded.
    pub(crate) fn recorded(self, stream: &Stream, position: u64, recorded_at: Moment) -> Record {
        Record {
            id: message_id(stream.name(), position),
            stream: stream.name().to_owned(),
            position,
            global: number::from_sql(self.global),
            recorded_at,
            kind: self.record.kind,
            data: self.record.data,
            data_bytes: self.text.len() as u64,
            content: Content::Joined,
            context: self.record.context,
        }
    }
}

/// Where the outcome of an append goes.
pub(crate) type Reply = Box<dyn FnOnce(Result<Vec<Record>, AppendError>) + Send>;

/// An append on its way to the writer.
pub(crate) struct Append {
    stream: Stream,
    expected: u64,
    recorded_at: Moment,
    records: Vec<Ready>,
    refusal: Option<AppendError>,
    reply: Reply,
}

impl Append {
    /// Checks the bounds and writes the JSON, in the caller's thread.
    ///
    /// A refusal goes to `reply` at once; then there is nothing to do.
    pub(crate) fn new(
        stream: &Stream,
        expected: u64,
        records: Vec<NewRecord>,
        recorded_at: Moment,
        reply: Reply,
    ) -> Option<Self> {
        if records.is_empty() || records.len() > RECORDS_AN_APPEND {
            reply(Err(AppendError::Count { most: RECORDS_AN_APPEND }));
            return None;
        }
        match records.into_iter().map(ready).collect() {
            Ok(records) => Some(Self { stream: stream.clone(), expected, recorded_at, records, refusal: None, reply }),
            Err(refusal) => {
                reply(Err(refusal));
                None
            }
        }
    }

    fn insert(&mut self, conn: &Connection, owner: i64, stream: i64) -> rusqlite::Result<()> {
        insert(conn, (owner, stream), &self.stream, self.expected, self.recorded_at, &mut self.records)
    }
}

/// Writes records after a position of their stream, and what is projected from them.
pub(crate) fn insert(
    conn: &Connection,
    (owner, number): (i64, i64),
    stream: &Stream,
    after: u64,
    recorded_at: Moment,
    records: &mut [Ready],
) -> rusqlite::Result<()> {
    let latest: Option<i64> = conn
        .prepare_cached("SELECT latest_at FROM record WHERE owner = ?1 ORDER BY global DESC LIMIT 1")?
        .query_row([owner], |row| row.get(0))
        .optional()?;
    let latest = latest.unwrap_or(i64::MIN).max(recorded_at.0);
    let mut insert = conn.prepare_cached(
        "INSERT INTO record (owner, stream, position, id, recorded_at, latest_at, kind, event_type, run_id, \
         correlation_id, data, content, data_bytes, context) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
    )?;
    for (position, ready) in (after + 1..).zip(records) {
        let NewRecord { kind, data, context } = &ready.record;
        let kept = match &ready.sha256 {
            Some(sha256) => Some(content::keep(conn, owner, &ready.text, sha256)?),
            None => None,
        };
        let event_type = match kind.as_str() {
            "event_published" => data.pointer("/event/type").and_then(|of| of.as_str()),
            _ => None,
        };
        insert.execute(params![
            owner,
            number,
            number::to_sql(position),
            message_id(stream.name(), position).as_bytes(),
            recorded_at.0,
            latest,
            kind,
            event_type,
            context.run_id,
            context.correlation_id,
            if kept.is_none() { Some(&ready.text) } else { None },
            kept,
            number::to_sql(ready.text.len() as u64),
            ready.context,
        ])?;
        ready.global = conn.last_insert_rowid();
        if let Some(run) = stream.run_id() {
            let step = projection::Step { owner, run: run.to_string(), global: ready.global, kind, data, context };
            projection::fold(conn, &step)?;
        }
    }
    Ok(())
}

impl Job for Append {
    fn bytes(&self) -> usize {
        self.records.iter().map(Ready::bytes).sum()
    }

    fn perform(&mut self, conn: &Connection) -> rusqlite::Result<Kept> {
        let found: Option<(i64, i64)> = conn
            .prepare_cached("SELECT id, owner FROM stream WHERE name = ?1")?
            .query_row([self.stream.name()], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let at = match found {
            Some((stream, _)) => end(conn, stream)?,
            None => 0,
        };
        if at != self.expected {
            self.refusal = Some(AppendError::Conflict { at });
            return Ok(Kept::No);
        }
        self.refusal = None;
        let (stream, owner) = match found {
            Some(found) => found,
            None => {
                let owner = owner(conn, self.stream.owner())?;
                conn.prepare_cached("INSERT INTO stream (name, owner) VALUES (?1, ?2)")?
                    .execute(params![self.stream.name(), owner])?;
                (conn.last_insert_rowid(), owner)
            }
        };
        self.insert(conn, owner, stream)?;
        Ok(Kept::Yes)
    }

    fn newest(&self) -> Option<u64> {
        self.records.last().map(|ready| number::from_sql(ready.global))
    }

    fn answer(self: Box<Self>, ending: Result<(), AppendError>) {
        let Self { stream, expected, recorded_at, records, refusal, reply } = *self;
        if let Some(refusal) = refusal {
            return reply(Err(refusal));
        }
        let record = |(position, ready): (u64, Ready)| ready.recorded(&stream, position, recorded_at);
        reply(ending.map(|()| (expected + 1..).zip(records).map(record).collect()));
    }
}

/// Checks the bounds of a record and writes its JSON.
pub(crate) fn ready(record: NewRecord) -> Result<Ready, AppendError> {
    if json::depth(&record.data) > DATA_LEVELS {
        return Err(AppendError::TooDeep { most: DATA_LEVELS });
    }
    let text = record.data.to_string();
    if text.len() > DATA_BYTES {
        return Err(AppendError::TooLarge { most: DATA_BYTES });
    }
    let context = serde_json::to_string(&record.context).map_err(|why| AppendError::Io { why: why.into() })?;
    let sha256 = (text.len() > KEPT_APART_BYTES).then(|| content::digest(&text));
    Ok(Ready { record, text, sha256, context, global: 0 })
}

/// The number of a stream and its newest position; `None` before its first record.
pub(crate) fn found(conn: &Connection, stream: &Stream) -> rusqlite::Result<Option<(i64, u64)>> {
    let number: Option<i64> = conn
        .prepare_cached("SELECT id FROM stream WHERE name = ?1")?
        .query_row([stream.name()], |row| row.get(0))
        .optional()?;
    match number {
        Some(number) => Ok(Some((number, end(conn, number)?))),
        None => Ok(None),
    }
}

/// The number of a stream, made on its first record.
pub(crate) fn made(conn: &Connection, stream: &Stream, owner: i64) -> rusqlite::Result<i64> {
    conn.prepare_cached("INSERT INTO stream (name, owner) VALUES (?1, ?2)")?.execute(params![stream.name(), owner])?;
    Ok(conn.last_insert_rowid())
}

/// The number of an owner, made on its first record.
pub(crate) fn owner(conn: &Connection, key: &str) -> rusqlite::Result<i64> {
    if let Some(owner) = find_owner(conn, key)? {
        return Ok(owner);
    }
    conn.prepare_cached("INSERT INTO owner (key) VALUES (?1)")?.execute([key])?;
    Ok(conn.last_insert_rowid())
}

/// The number of an owner that has a record or a view.
pub(crate) fn find_owner(conn: &Connection, key: &str) -> rusqlite::Result<Option<i64>> {
    conn.prepare_cached("SELECT id FROM owner WHERE key = ?1")?.query_row([key], |row| row.get(0)).optional()
}

/// The position of a stream's newest record; 0 when it has none.
fn end(conn: &Connection, stream: i64) -> rusqlite::Result<u64> {
    let newest: Option<i64> = conn
        .prepare_cached("SELECT max(position) FROM record WHERE stream = ?1")?
        .query_row([stream], |row| row.get(0))?;
    Ok(number::from_sql(newest.unwrap_or(0)))
}
