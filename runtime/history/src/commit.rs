//! One decision of many parts: records of several streams and what runs wait for, all on the disk or none.

use crate::append::{self, Ready, ready};
use crate::error::AppendError;
use crate::record::{NewRecord, Record};
use crate::stream::Stream;
use crate::waits::{self, WaitChange};
use crate::writer::{Job, Kept};
use playbook_model::id::PlaybookKey;
use playbook_model::time::Moment;
use rusqlite::Connection;

/// Where a part's records go in their stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// After this position, 0 for a stream without a record; the whole is refused when the stream moved.
    At(u64),
    /// At the end, wherever it is.
    Any,
    /// At the beginning; where the stream has a record already, this part alone is left out.
    Unused,
}

/// Records of one stream.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The stream.
    pub stream: Stream,
    /// Where.
    pub expected: Expected,
    /// At least one.
    pub records: Vec<NewRecord>,
}

/// What is written together. Every stream is of the playbook.
#[derive(Debug, Clone, PartialEq)]
pub struct NewCommit {
    /// The playbook.
    pub playbook: PlaybookKey,
    /// In this order.
    pub parts: Vec<Part>,
    /// What runs wait for from now on.
    pub waits: Vec<WaitChange>,
}

/// What became of each part: its records; `None` for one that was left out.
pub type Committed = Vec<Option<Vec<Record>>>;

/// Where the outcome goes.
pub(crate) type Reply = Box<dyn FnOnce(Result<Committed, AppendError>) + Send>;

struct PartReady {
    stream: Stream,
    expected: Expected,
    records: Vec<Ready>,
    /// The position before its first record, once written.
    after: Option<u64>,
}

pub(crate) struct Commit {
    owner: String,
    recorded_at: Moment,
    parts: Vec<PartReady>,
    waits: Vec<WaitChange>,
    refusal: Option<AppendError>,
    reply: Reply,
}

impl Commit {
    /// Checks the bounds and writes the JSON, in the caller's thread; a refusal goes to `reply` at once.
    pub(crate) fn new(commit: NewCommit, recorded_at: Moment, reply: Reply) -> Option<Self> {
        let part = |part: Part| {
            let records = part.records.into_iter().map(ready).collect::<Result<Vec<_>, _>>()?;
            Ok(PartReady { stream: part.stream, expected: part.expected, records, after: None })
        };
        match commit.parts.into_iter().map(part).collect::<Result<Vec<_>, AppendError>>() {
            Ok(parts) => Some(Self {
                owner: commit.playbook.text(),
                recorded_at,
                parts,
                waits: commit.waits,
                refusal: None,
                reply,
            }),
            Err(refusal) => {
                reply(Err(refusal));
                None
            }
        }
    }
}

impl Job for Commit {
    fn bytes(&self) -> usize {
        self.parts.iter().flat_map(|part| &part.records).map(Ready::bytes).sum()
    }

    fn perform(&mut self, conn: &Connection) -> rusqlite::Result<Kept> {
        self.refusal = None;
        let owner = append::owner(conn, &self.owner)?;
        for part in &mut self.parts {
            part.after = None;
            let found = append::found(conn, &part.stream)?;
            let at = found.map_or(0, |(_, at)| at);
            match part.expected {
                Expected::At(expected) if expected != at => {
                    self.refusal = Some(AppendError::Conflict { at });
                    return Ok(Kept::No);
                }
                Expected::Unused if at != 0 => continue,
                _ => {}
            }
            let stream = match found {
                Some((stream, _)) => stream,
                None => append::made(conn, &part.stream, owner)?,
            };
            append::insert(conn, (owner, stream), &part.stream, at, self.recorded_at, &mut part.records)?;
            part.after = Some(at);
        }
        for change in &self.waits {
            waits::change(conn, owner, change)?;
        }
        Ok(Kept::Yes)
    }

    fn newest(&self) -> Option<u64> {
        let written = self.parts.iter().filter(|part| part.after.is_some());
        written.filter_map(|part| part.records.last()).map(Ready::global).max()
    }

    fn answer(self: Box<Self>, ending: Result<(), AppendError>) {
        let Self { recorded_at, parts, refusal, reply, .. } = *self;
        if let Some(refusal) = refusal {
            return reply(Err(refusal));
        }
        let committed = |part: PartReady| {
            let PartReady { stream, records, after, .. } = part;
            let after = after?;
            let records = (after + 1..).zip(records);
            Some(records.map(|(position, ready)| ready.recorded(&stream, position, recorded_at)).collect())
        };
        reply(ending.map(|()| parts.into_iter().map(committed).collect()));
    }
}
