//! What runs of workflows wait for: timers, calls, listeners, and runs that are to be cancelled.

use crate::error::ReadError;
use crate::{append, number, runs};
use playbook_model::id::{OrgId, PlaybookId, PlaybookKey, RunId};
use playbook_model::time::Moment;
use rusqlite::{Connection, OptionalExtension, Row, params};

/// One change of what a run waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WaitChange {
    /// A timer is armed.
    Arm {
        /// The run.
        run: RunId,
        /// The timer's number.
        number: u64,
        /// When it is due.
        due: Moment,
        /// Whether the run goes on by itself, and needs it only when its program ended meanwhile.
        pause: bool,
    },
    /// A timer is let go of.
    Disarm {
        /// The run.
        run: RunId,
        /// The timer's number.
        number: u64,
    },
    /// A call is open.
    Open {
        /// The calling run.
        run: RunId,
        /// The call's number.
        number: u64,
        /// The run it called.
        child: RunId,
        /// The run at the top of the tree.
        top: RunId,
    },
    /// A call is over.
    Close {
        /// The calling run.
        run: RunId,
        /// The call's number.
        number: u64,
    },
    /// A run is to be cancelled.
    Cancel {
        /// The run.
        run: RunId,
    },
    /// A task hears the playbook's events of a type.
    Listen {
        /// The run.
        run: RunId,
        /// The listener's number.
        number: u64,
        /// The place of the filter, from 0.
        filter: u32,
        /// The type of its events.
        kind: String,
        /// The name of the workflow.
        workflow: String,
        /// Its version.
        version: u32,
        /// The task's reference.
        reference: String,
    },
    /// A task hears no more.
    Deaf {
        /// The run.
        run: RunId,
        /// The listener's number.
        number: u64,
    },
    /// A run ended: it waits for nothing any more.
    Ended {
        /// The run.
        run: RunId,
    },
    /// How far the playbook's events were matched, and what its triggers wait for.
    Reactions {
        /// The position of the log.
        checkpoint: u64,
        /// As JSON.
        state: String,
    },
}

/// A timer that is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    /// The playbook.
    pub playbook: PlaybookKey,
    /// The run.
    pub run: RunId,
    /// The timer's number.
    pub number: u64,
    /// When it is due.
    pub due: Moment,
}

/// A call that is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenCall {
    /// The playbook.
    pub playbook: PlaybookKey,
    /// The calling run.
    pub run: RunId,
    /// The call's number.
    pub number: u64,
    /// The run it called.
    pub child: RunId,
    /// How the called run stands.
    pub stands: ChildStands,
}

/// How a called run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChildStands {
    /// It was never started.
    Missing,
    /// It was started.
    Started,
    /// It ended.
    Ended,
}

/// A task that hears the playbook's events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listening {
    /// The run.
    pub run: RunId,
    /// The listener's number.
    pub number: u64,
    /// The place of the filter.
    pub filter: u32,
    /// The name of the workflow.
    pub workflow: String,
    /// Its version.
    pub version: u32,
    /// The task's reference.
    pub reference: String,
}

/// Writes one change.
pub(crate) fn change(conn: &Connection, owner: i64, change: &WaitChange) -> rusqlite::Result<()> {
    match change {
        WaitChange::Arm { run, number, due, pause } => conn
            .prepare_cached(
                "INSERT OR REPLACE INTO timer (owner, run_id, number, due, pause) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![owner, run.to_string(), number::to_sql(*number), due.0, pause])?,
        WaitChange::Disarm { run, number } => conn
            .prepare_cached("DELETE FROM timer WHERE owner = ?1 AND run_id = ?2 AND number = ?3")?
            .execute(params![owner, run.to_string(), number::to_sql(*number)])?,
        WaitChange::Open { run, number, child, top } => conn
            .prepare_cached(
                "INSERT OR REPLACE INTO call (owner, run_id, number, child, top) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![owner, run.to_string(), number::to_sql(*number), child.to_string(), top.to_string()])?,
        WaitChange::Close { run, number } => conn
            .prepare_cached("DELETE FROM call WHERE owner = ?1 AND run_id = ?2 AND number = ?3")?
            .execute(params![owner, run.to_string(), number::to_sql(*number)])?,
        WaitChange::Cancel { run } => conn
            .prepare_cached("INSERT OR IGNORE INTO cancel (owner, run_id) VALUES (?1, ?2)")?
            .execute(params![owner, run.to_string()])?,
        WaitChange::Listen { run, number, filter, kind, workflow, version, reference } => {
            let since: Option<i64> =
                conn.prepare_cached("SELECT max(global) FROM record")?.query_row([], |row| row.get(0))?;
            conn.prepare_cached(
                "INSERT OR REPLACE INTO listener (owner, run_id, number, filter, type, workflow, version, reference, \
                 since) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?
            .execute(params![
                owner,
                run.to_string(),
                number::to_sql(*number),
                filter,
                kind,
                workflow,
                version,
                reference,
                since.unwrap_or(0)
            ])?
        }
        WaitChange::Deaf { run, number } => conn
            .prepare_cached("DELETE FROM listener WHERE owner = ?1 AND run_id = ?2 AND number = ?3")?
            .execute(params![owner, run.to_string(), number::to_sql(*number)])?,
        WaitChange::Ended { run } => {
            for table in ["timer", "call", "listener", "cancel"] {
                conn.prepare_cached(&format!("DELETE FROM {table} WHERE owner = ?1 AND run_id = ?2"))?
                    .execute(params![owner, run.to_string()])?;
            }
            0
        }
        WaitChange::Reactions { checkpoint, state } => conn
            .prepare_cached("INSERT OR REPLACE INTO reaction (owner, checkpoint, state) VALUES (?1, ?2, ?3)")?
            .execute(params![owner, number::to_sql(*checkpoint), state])?,
    };
    Ok(())
}

/// When the next timer is due.
pub(crate) fn next_due(conn: &Connection) -> Result<Option<Moment>, ReadError> {
    let next: Option<i64> =
        conn.prepare_cached("SELECT min(due) FROM timer WHERE pause = 0")?.query_row([], |row| row.get(0))?;
    Ok(next.map(Moment))
}

/// Timers due by a moment, the earliest first, at most `most`.
pub(crate) fn due(conn: &Connection, by: Moment, most: usize) -> Result<Vec<Due>, ReadError> {
    timers(conn, "t.pause = 0 AND t.due <= ?1", by, most)
}

/// The timers of runs that go on by themselves, which are found after a restart alone.
pub(crate) fn pauses(conn: &Connection) -> Result<Vec<Due>, ReadError> {
    timers(conn, "t.pause = 1 AND t.due <= ?1", Moment(i64::MAX), usize::MAX)
}

fn timers(conn: &Connection, which: &str, by: Moment, most: usize) -> Result<Vec<Due>, ReadError> {
    let mut select = conn.prepare_cached(&format!(
        "SELECT o.key, t.run_id, t.number, t.due FROM timer t JOIN owner o ON o.id = t.owner WHERE {which} \
         ORDER BY t.due, t.number LIMIT ?2"
    ))?;
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let rows = select.query_map(params![by.0, most], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, i64>(2)?, row.get::<_, i64>(3)?))
    })?;
    let mut found = Vec::new();
    for row in rows {
        let (owner, run, number, due) = row?;
        if let (Some(playbook), Ok(run)) = (playbook(&owner), RunId::parse(&run)) {
            found.push(Due { playbook, run, number: number::from_sql(number), due: Moment(due) });
        }
    }
    Ok(found)
}

/// Calls that are open and whose run does not wait somewhere by itself: to be gone on with after a restart.
pub(crate) fn open_calls(conn: &Connection) -> Result<Vec<OpenCall>, ReadError> {
    let mut select = conn.prepare_cached(&format!(
        "SELECT o.key, c.run_id, c.number, c.child, r.status FROM call c JOIN owner o ON o.id = c.owner \
         LEFT JOIN {} r ON r.owner = c.owner AND r.run_id = c.child",
        runs::TABLE
    ))?;
    let rows = select.query_map([], |row| {
        Ok((
            row.get::<_, String>(0)?,
            row.get::<_, String>(1)?,
            row.get::<_, i64>(2)?,
            row.get::<_, String>(3)?,
            row.get::<_, Option<String>>(4)?,
        ))
    })?;
    let mut found = Vec::new();
    for row in rows {
        let (owner, run, number, child, status) = row?;
        let stands = match status.as_deref() {
            None => ChildStands::Missing,
            Some("started") => ChildStands::Started,
            Some(_) => ChildStands::Ended,
        };
        if let (Some(playbook), Ok(run), Ok(child)) = (playbook(&owner), RunId::parse(&run), RunId::parse(&child)) {
            found.push(OpenCall { playbook, run, number: number::from_sql(number), child, stands });
        }
    }
    Ok(found)
}

/// Runs that are to be cancelled.
pub(crate) fn cancels(conn: &Connection) -> Result<Vec<(PlaybookKey, RunId)>, ReadError> {
    let mut select = conn.prepare_cached("SELECT o.key, c.run_id FROM cancel c JOIN owner o ON o.id = c.owner")?;
    let rows = select.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
    let mut found = Vec::new();
    for row in rows {
        let (owner, run) = row?;
        if let (Some(playbook), Ok(run)) = (playbook(&owner), RunId::parse(&run)) {
            found.push((playbook, run));
        }
    }
    Ok(found)
}

/// Which call a run is of: the calling run and the call's number.
pub(crate) fn caller(conn: &Connection, key: &PlaybookKey, child: RunId) -> Result<Option<(RunId, u64)>, ReadError> {
    let Some(owner) = append::find_owner(conn, &key.text())? else { return Ok(None) };
    let found: Option<(String, i64)> = conn
        .prepare_cached("SELECT run_id, number FROM call WHERE owner = ?1 AND child = ?2")?
        .query_row(params![owner, child.to_string()], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    Ok(found.and_then(|(run, number)| Some((RunId::parse(&run).ok()?, number::from_sql(number)))))
}

/// The run that a call is of.
pub(crate) fn child(conn: &Connection, key: &PlaybookKey, run: RunId, call: u64) -> Result<Option<RunId>, ReadError> {
    let Some(owner) = append::find_owner(conn, &key.text())? else { return Ok(None) };
    let found: Option<String> = conn
        .prepare_cached("SELECT child FROM call WHERE owner = ?1 AND run_id = ?2 AND number = ?3")?
        .query_row(params![owner, run.to_string(), number::to_sql(call)], |row| row.get(0))
        .optional()?;
    Ok(found.and_then(|child| RunId::parse(&child).ok()))
}

/// The run at the top of the tree that a run is of; the run itself where no open call made it.
pub(crate) fn top(conn: &Connection, key: &PlaybookKey, run: RunId) -> Result<RunId, ReadError> {
    let Some(owner) = append::find_owner(conn, &key.text())? else { return Ok(run) };
    let found: Option<String> = conn
        .prepare_cached("SELECT top FROM call WHERE owner = ?1 AND child = ?2")?
        .query_row(params![owner, run.to_string()], |row| row.get(0))
        .optional()?;
    Ok(found.and_then(|top| RunId::parse(&top).ok()).unwrap_or(run))
}

/// The runs below the one at the top of a tree that ended by a moment or since another, and whose callers still wait.
pub(crate) fn untold(
    conn: &Connection,
    key: &PlaybookKey,
    top: RunId,
    by: Moment,
    since: Moment,
) -> Result<Vec<RunId>, ReadError> {
    let Some(owner) = append::find_owner(conn, &key.text())? else { return Ok(Vec::new()) };
    let mut select = conn.prepare_cached(&format!(
        "SELECT c.child FROM call c JOIN {} r ON r.owner = c.owner AND r.run_id = c.child \
         WHERE c.owner = ?1 AND c.top = ?2 AND r.status <> 'started' AND (r.finished_at <= ?3 OR r.finished_at >= ?4) \
         ORDER BY r.finished_at, c.number",
        runs::TABLE
    ))?;
    let rows = select.query_map(params![owner, top.to_string(), by.0, since.0], |row| row.get::<_, String>(0))?;
    let found = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    Ok(found.iter().filter_map(|child| RunId::parse(child).ok()).collect())
}

/// How many calls are open under the run at the top of a tree.
pub(crate) fn open_under(conn: &Connection, key: &PlaybookKey, top: RunId) -> Result<u64, ReadError> {
    let Some(owner) = append::find_owner(conn, &key.text())? else { return Ok(0) };
    let count: i64 = conn
        .prepare_cached("SELECT count(*) FROM call WHERE owner = ?1 AND top = ?2")?
        .query_row(params![owner, top.to_string()], |row| row.get(0))?;
    Ok(number::from_sql(count))
}

/// Who hears events of a type that were recorded at a position.
pub(crate) fn listening(
    conn: &Connection,
    key: &PlaybookKey,
    kind: &str,
    at: u64,
) -> Result<Vec<Listening>, ReadError> {
    let Some(owner) = append::find_owner(conn, &key.text())? else { return Ok(Vec::new()) };
    let mut select = conn.prepare_cached(
        "SELECT run_id, number, filter, workflow, version, reference FROM listener INDEXED BY listener_type \
         WHERE owner = ?1 AND type = ?2 AND since < ?3 ORDER BY since, run_id, number, filter",
    )?;
    let rows = select.query_map(params![owner, kind, number::to_sql(at)], listens)?;
    Ok(rows.collect::<rusqlite::Result<Vec<_>>>()?.into_iter().flatten().collect())
}

fn listens(row: &Row<'_>) -> rusqlite::Result<Option<Listening>> {
    let run: String = row.get(0)?;
    let Ok(run) = RunId::parse(&run) else { return Ok(None) };
    Ok(Some(Listening {
        run,
        number: number::from_sql(row.get(1)?),
        filter: row.get(2)?,
        workflow: row.get(3)?,
        version: row.get(4)?,
        reference: row.get(5)?,
    }))
}

/// The types of events that tasks of a playbook hear.
pub(crate) fn heard(conn: &Connection, key: &PlaybookKey) -> Result<Vec<String>, ReadError> {
    let Some(owner) = append::find_owner(conn, &key.text())? else { return Ok(Vec::new()) };
    let mut select =
        conn.prepare_cached("SELECT DISTINCT type FROM listener INDEXED BY listener_type WHERE owner = ?1")?;
    let types = select.query_map([owner], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    Ok(types)
}

/// How many tasks of a playbook hear its events.
pub(crate) fn listeners(conn: &Connection, key: &PlaybookKey) -> Result<u64, ReadError> {
    let Some(owner) = append::find_owner(conn, &key.text())? else { return Ok(0) };
    let count: i64 = conn
        .prepare_cached("SELECT count(*) FROM (SELECT DISTINCT run_id, number FROM listener WHERE owner = ?1)")?
        .query_row([owner], |row| row.get(0))?;
    Ok(number::from_sql(count))
}

/// How far a playbook's events were matched, and what its triggers wait for.
pub(crate) fn reactions(conn: &Connection, key: &PlaybookKey) -> Result<Option<(u64, String)>, ReadError> {
    let Some(owner) = append::find_owner(conn, &key.text())? else { return Ok(None) };
    let found: Option<(i64, String)> = conn
        .prepare_cached("SELECT checkpoint, state FROM reaction WHERE owner = ?1")?
        .query_row([owner], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    Ok(found.map(|(checkpoint, state)| (number::from_sql(checkpoint), state)))
}

/// The playbook of an owner's key, `playbook/<org>/<id>`.
fn playbook(key: &str) -> Option<PlaybookKey> {
    let (org, id) = key.strip_prefix("playbook/")?.split_once('/')?;
    Some(PlaybookKey { org: OrgId::new(org).ok()?, playbook: PlaybookId::new(id).ok()? })
}
