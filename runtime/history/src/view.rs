//! The views that recall functions keep: one row a function, written only where nobody wrote in between.
//!
//! What a phase means and what a stall holds is the reader's; here they are texts.

use crate::error::{AppendError, ReadError};
use crate::writer::{Job, Kept};
use crate::{append, content, number};
use playbook_model::id::PlaybookKey;
use playbook_model::time::Moment;
use rusqlite::{Connection, Row, params};
use serde_json::Value;

/// All that is kept of a view but its text.
#[derive(Debug, Clone, PartialEq)]
pub struct ViewHead {
    /// The recall function's name.
    pub name: String,
    /// The version that folds.
    pub version: u32,
    /// The global position of the record that saved the version.
    pub saved_position: u64,
    /// Where it stands, in the reader's word.
    pub phase: String,
    /// The global position up to which the view has read.
    pub checkpoint: u64,
    /// When the record at the checkpoint was recorded; none before the first.
    pub checkpoint_at: Option<Moment>,
    /// The last event it folded.
    pub last_event: Option<LastEvent>,
    /// How many events it folded.
    pub folded: u64,
    /// How often the fold of the next event ran out of time or crashed its worker.
    pub tries: u32,
    /// What it stopped at.
    pub stalled: Option<Value>,
}

/// The last event a view folded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastEvent {
    /// The event's id.
    pub id: String,
    /// The event's time, as the fold saw it.
    pub time: String,
}

/// A view with its text.
#[derive(Debug, Clone, PartialEq)]
pub struct ViewRow {
    /// Everything else.
    pub head: ViewHead,
    /// The view as JSON, byte for byte as it was saved.
    pub view: String,
}

/// What became of a view that was to be saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Saved {
    /// It is on the disk.
    Written,
    /// Someone else wrote it since it was read; nothing was written.
    Moved,
}

const COLUMNS: &str = "name, version, saved_position, phase, checkpoint, checkpoint_at, last_event_id, \
     last_event_time, folded, tries, stalled";

/// The views of a playbook by name, without their texts.
pub(crate) fn list(conn: &Connection, playbook: &PlaybookKey) -> Result<Vec<ViewHead>, ReadError> {
    let Some(owner) = append::find_owner(conn, &playbook.text())? else { return Ok(Vec::new()) };
    let mut select = conn.prepare_cached(&format!("SELECT {COLUMNS} FROM view WHERE owner = ?1 ORDER BY name"))?;
    let mut rows = select.query([owner])?;
    let mut heads = Vec::new();
    while let Some(row) = rows.next()? {
        heads.push(head(row)?);
    }
    Ok(heads)
}

/// One view.
pub(crate) fn load(conn: &Connection, playbook: &PlaybookKey, name: &str) -> Result<Option<ViewRow>, ReadError> {
    let Some(owner) = append::find_owner(conn, &playbook.text())? else { return Ok(None) };
    let mut select =
        conn.prepare_cached(&format!("SELECT {COLUMNS}, view FROM view WHERE owner = ?1 AND name = ?2"))?;
    let mut rows = select.query(params![owner, name])?;
    match rows.next()? {
        Some(row) => Ok(Some(ViewRow { head: head(row)?, view: row.get(11)? })),
        None => Ok(None),
    }
}

fn head(row: &Row<'_>) -> Result<ViewHead, ReadError> {
    let last_event = match (row.get(6)?, row.get(7)?) {
        (Some(id), Some(time)) => Some(LastEvent { id, time }),
        _ => None,
    };
    let stalled: Option<String> = row.get(10)?;
    Ok(ViewHead {
        name: row.get(0)?,
        version: row.get(1)?,
        saved_position: number::from_sql(row.get(2)?),
        phase: row.get(3)?,
        checkpoint: number::from_sql(row.get(4)?),
        checkpoint_at: row.get::<_, Option<i64>>(5)?.map(Moment),
        last_event,
        folded: number::from_sql(row.get(8)?),
        tries: row.get(9)?,
        stalled: stalled.map(|text| content::parse(&text)).transpose()?,
    })
}

/// Something to be done to one view.
pub(crate) enum Change {
    /// Write it, where it still has this version and checkpoint, or where there is none.
    Save(Box<ViewRow>, Option<(u32, u64)>),
    /// Let go of it.
    Drop(String),
}

/// A change on its way to the writer.
pub(crate) struct Rewrite {
    pub(crate) playbook: String,
    pub(crate) change: Change,
    pub(crate) saved: Saved,
    pub(crate) reply: Box<dyn FnOnce(Result<Saved, AppendError>) + Send>,
}

impl Job for Rewrite {
    fn bytes(&self) -> usize {
        match &self.change {
            Change::Save(row, _) => row.view.len(),
            Change::Drop(_) => 0,
        }
    }

    fn perform(&mut self, conn: &Connection) -> rusqlite::Result<Kept> {
        let changed = match &self.change {
            Change::Save(row, Some(expected)) => {
                let owner = append::find_owner(conn, &self.playbook)?;
                owner.map_or(Ok(0), |owner| update(conn, owner, row, *expected))?
            }
            Change::Save(row, None) => insert(conn, append::owner(conn, &self.playbook)?, row)?,
            Change::Drop(name) => conn
                .prepare_cached("DELETE FROM view WHERE owner = (SELECT id FROM owner WHERE key = ?1) AND name = ?2")?
                .execute(params![self.playbook, name])?,
        };
        self.saved = if changed == 0 { Saved::Moved } else { Saved::Written };
        Ok(if changed == 0 { Kept::No } else { Kept::Yes })
    }

    fn newest(&self) -> Option<u64> {
        None
    }

    fn answer(self: Box<Self>, ending: Result<(), AppendError>) {
        (self.reply)(ending.map(|()| self.saved));
    }
}

fn insert(conn: &Connection, owner: i64, row: &ViewRow) -> rusqlite::Result<usize> {
    let sql = format!(
        "INSERT INTO view (owner, {COLUMNS}, view_bytes, view) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14) ON CONFLICT DO NOTHING"
    );
    let ViewRow { head, view } = row;
    conn.prepare_cached(&sql)?.execute(params![
        owner,
        head.name,
        head.version,
        number::to_sql(head.saved_position),
        head.phase,
        number::to_sql(head.checkpoint),
        head.checkpoint_at.map(|at| at.0),
        head.last_event.as_ref().map(|event| &event.id),
        head.last_event.as_ref().map(|event| &event.time),
        number::to_sql(head.folded),
        head.tries,
        head.stalled.as_ref().map(Value::to_string),
        number::to_sql(view.len() as u64),
        view,
    ])
}

fn update(conn: &Connection, owner: i64, row: &ViewRow, expected: (u32, u64)) -> rusqlite::Result<usize> {
    let sql = format!(
        "UPDATE view SET ({COLUMNS}, view_bytes, view) = \
         (?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14) \
         WHERE owner = ?1 AND name = ?2 AND version = ?15 AND checkpoint = ?16"
    );
    let ViewRow { head, view } = row;
    conn.prepare_cached(&sql)?.execute(params![
        owner,
        head.name,
        head.version,
        number::to_sql(head.saved_position),
        head.phase,
        number::to_sql(head.checkpoint),
        head.checkpoint_at.map(|at| at.0),
        head.last_event.as_ref().map(|event| &event.id),
        head.last_event.as_ref().map(|event| &event.time),
        number::to_sql(head.folded),
        head.tries,
        head.stalled.as_ref().map(Value::to_string),
        number::to_sql(view.len() as u64),
        view,
        expected.0,
        number::to_sql(expected.1),
    ])
}
