//! The list of runs: a projection, one row a run, folded inside the append's transaction.

use crate::error::ReadError;
use crate::projection::{Projection, Step};
use crate::{append, cursor, number};
use playbook_model::definition::DefinitionType;
use playbook_model::ending::RunStatus;
use playbook_model::id::{PlaybookKey, RunId};
use playbook_model::limits::PAGE_EXAMINED;
use playbook_model::time::Moment;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::Value;

/// A run as listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRow {
    /// The run.
    pub run_id: RunId,
    /// The type of its definition.
    pub definition_type: DefinitionType,
    /// The name of its definition.
    pub name: String,
    /// The version that the newest attempt ran.
    pub version: u32,
    /// How it stands.
    pub status: RunStatus,
    /// The global position of its first start: what the list is ordered by.
    pub first_position: u64,
    /// When the newest attempt started.
    pub started_at: Moment,
    /// Who started the newest attempt.
    pub started_by: String,
    /// When it ended.
    pub finished_at: Option<Moment>,
    /// Why it was refused, when it was.
    pub reason: Option<String>,
    /// The kind of the refusal, where it has one.
    pub kind: Option<String>,
    /// The cause of the refusal, where it has one.
    pub because: Option<String>,
}

/// Which runs to list.
#[derive(Debug, Clone)]
pub struct RunsQuery<'a> {
    /// The playbook.
    pub playbook: &'a PlaybookKey,
    /// Only of this type.
    pub definition_type: Option<DefinitionType>,
    /// Only of definitions of this name.
    pub name: Option<&'a str>,
    /// Only those that stand like this.
    pub status: Option<RunStatus>,
    /// The most rows, from 1 to 1,000.
    pub limit: usize,
    /// Where the page before ended.
    pub cursor: Option<&'a str>,
}

/// Some runs, newest first by their first start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunsPage {
    /// The runs; may be none although more follow, since a page examines at most 1,000.
    pub runs: Vec<RunRow>,
    /// Where the next page goes on; none at the end.
    pub next: Option<String>,
}

/// The name of the table, the projection's version at its end.
macro_rules! table {
    () => {
        "runs_1"
    };
}

pub(crate) const TABLE: &str = table!();
const FAMILY: &str = "runs_";

const CREATE: &str = concat!(
    "CREATE TABLE ",
    table!(),
    " (owner INTEGER NOT NULL, run_id TEXT NOT NULL, type TEXT NOT NULL, name TEXT NOT NULL, \
     version INTEGER NOT NULL, status TEXT NOT NULL, first_position INTEGER NOT NULL, started_at INTEGER NOT NULL, \
     started_by TEXT NOT NULL, finished_at INTEGER, reason TEXT, kind TEXT, because TEXT, parent TEXT, \
     PRIMARY KEY (owner, run_id)) STRICT, WITHOUT ROWID; CREATE INDEX ",
    table!(),
    "_first ON ",
    table!(),
    " (owner, first_position); CREATE INDEX ",
    table!(),
    "_status ON ",
    table!(),
    " (owner, status, first_position); CREATE INDEX ",
    table!(),
    "_name ON ",
    table!(),
    " (owner, name, first_position); CREATE INDEX ",
    table!(),
    "_parent ON ",
    table!(),
    " (owner, parent) WHERE parent IS NOT NULL;"
);

/// A run's id and those of every run under it, as a query with the owner ?1 and the run ?2.
pub(crate) const TREE: &str = concat!(
    "WITH RECURSIVE tree (run_id) AS (VALUES (?2) UNION SELECT r.run_id FROM ",
    table!(),
    " r JOIN tree ON r.parent = tree.run_id WHERE r.owner = ?1) SELECT run_id FROM tree"
);

/// The names of the definitions whose runs are above a run, nearest first.
pub(crate) fn callers(conn: &Connection, playbook: &PlaybookKey, run: RunId) -> Result<Vec<String>, ReadError> {
    let Some(owner) = append::find_owner(conn, &playbook.text())? else { return Ok(Vec::new()) };
    let mut select = conn.prepare_cached(concat!(
        "WITH RECURSIVE above (run_id, name, depth) AS (SELECT p.run_id, p.name, 1 FROM ",
        table!(),
        " r JOIN ",
        table!(),
        " p ON p.owner = r.owner AND p.run_id = r.parent WHERE r.owner = ?1 AND r.run_id = ?2 \
         UNION ALL SELECT p.run_id, p.name, above.depth + 1 FROM above JOIN ",
        table!(),
        " r ON r.owner = ?1 AND r.run_id = above.run_id JOIN ",
        table!(),
        " p ON p.owner = r.owner AND p.run_id = r.parent WHERE above.depth < 64) SELECT name FROM above ORDER BY depth"
    ))?;
    let names = select.query_map(params![owner, run.to_string()], |row| row.get(0))?;
    Ok(names.collect::<rusqlite::Result<_>>()?)
}

const COLUMNS: &str = "run_id, type, name, version, status, first_position, started_at, started_by, finished_at, \
     reason, kind, because";

/// Folds one record into its run's row. A record of another type changes nothing.
pub(crate) fn fold(conn: &Connection, step: &Step<'_>) -> rusqlite::Result<()> {
    match step.kind {
        "run_started" => start(conn, step),
        "run_succeeded" => end(conn, step, RunStatus::Succeeded),
        "run_rejected" => end(conn, step, RunStatus::Rejected),
        "run_failed" => end(conn, step, RunStatus::Failed),
        _ => Ok(()),
    }
}

/// The first start places the row; a further attempt replaces the rest of it.
fn start(conn: &Connection, step: &Step<'_>) -> rusqlite::Result<()> {
    // A start that names no definition is of no run that could be listed.
    let Some(of) = &step.context.definition else { return Ok(()) };
    conn.prepare_cached(concat!(
        "INSERT INTO ",
        table!(),
        " (owner, run_id, type, name, version, status, first_position, started_at, started_by, parent) \
         VALUES (?1, ?2, ?3, ?4, ?5, 'started', ?6, ?7, ?8, ?9) \
         ON CONFLICT (owner, run_id) DO UPDATE SET type = excluded.type, name = excluded.name, \
         version = excluded.version, status = excluded.status, started_at = excluded.started_at, \
         started_by = excluded.started_by, finished_at = NULL, reason = NULL, kind = NULL, because = NULL"
    ))?
    .execute(params![
        step.owner,
        step.run,
        of.kind.word(),
        of.name,
        of.version,
        step.global,
        step.context.at.0,
        step.context.by,
        step.context.called_by.as_ref().map(|by| &by.run_id),
    ])?;
    Ok(())
}

fn end(conn: &Connection, step: &Step<'_>, status: RunStatus) -> rusqlite::Result<()> {
    let word = |name: &str| match status {
        RunStatus::Rejected => step.data.get(name).and_then(Value::as_str),
        _ => None,
    };
    conn.prepare_cached(concat!(
        "UPDATE ",
        table!(),
        " SET status = ?3, finished_at = ?4, reason = ?5, kind = ?6, because = ?7 \
         WHERE owner = ?1 AND run_id = ?2"
    ))?
    .execute(params![
        step.owner,
        step.run,
        status.word(),
        step.context.at.0,
        word("reason"),
        word("kind"),
        word("because"),
    ])?;
    Ok(())
}

/// The list of runs.
pub(crate) const LIST: Projection = Projection {
    words: "the list of runs",
    family: FAMILY,
    table: TABLE,
    create: CREATE,
    kinds: &["run_started", "run_succeeded", "run_rejected", "run_failed"],
    // Only a refusal's data is read.
    read: &["run_rejected"],
    fold,
};

/// One run's row.
pub(crate) fn one(conn: &Connection, playbook: &PlaybookKey, run: RunId) -> Result<Option<RunRow>, ReadError> {
    let Some(owner) = append::find_owner(conn, &playbook.text())? else { return Ok(None) };
    let sql = format!("SELECT {COLUMNS} FROM {TABLE} WHERE owner = ?1 AND run_id = ?2");
    Ok(conn.prepare_cached(&sql)?.query_row(params![owner, run.to_string()], row).optional()?)
}

/// A page of runs.
pub(crate) fn list(conn: &Connection, query: &RunsQuery<'_>) -> Result<RunsPage, ReadError> {
    let before = query.cursor.map(|text| cursor::read(query.playbook, text)).transpose()?;
    let mut page = RunsPage { runs: Vec::new(), next: None };
    let Some(owner) = append::find_owner(conn, &query.playbook.text())? else { return Ok(page) };
    // One filter chooses the index that is walked, the others look at what it gives.
    let (narrowed, value) = match (query.name, query.status) {
        (Some(name), _) => ("AND name = ?3", name),
        (None, Some(status)) => ("AND status = ?3", status.word()),
        (None, None) => ("AND ?3 = ''", ""),
    };
    let sql = format!(
        "SELECT {COLUMNS} FROM {TABLE} WHERE owner = ?1 AND first_position < ?2 {narrowed} \
         ORDER BY first_position DESC LIMIT ?4"
    );
    let limit = query.limit.clamp(1, PAGE_EXAMINED);
    let mut select = conn.prepare_cached(&sql)?;
    let most = number::to_sql(PAGE_EXAMINED as u64 + 1);
    let mut rows = select.query(params![owner, number::to_sql(before.unwrap_or(u64::MAX)), value, most])?;
    let mut last = None;
    let mut examined = 0;
    while let Some(found) = rows.next()? {
        if examined == PAGE_EXAMINED || page.runs.len() == limit {
            page.next = last.map(|position| cursor::write(query.playbook, position));
            break;
        }
        let found = row(found)?;
        examined += 1;
        last = Some(found.first_position);
        let fits = query.definition_type.is_none_or(|of| of == found.definition_type)
            && query.status.is_none_or(|status| status == found.status);
        if fits {
            page.runs.push(found);
        }
    }
    Ok(page)
}

fn row(row: &Row<'_>) -> rusqlite::Result<RunRow> {
    let text = |at: usize| row.get::<_, String>(at);
    let unknown = |at: usize| {
        rusqlite::Error::FromSqlConversionFailure(at, rusqlite::types::Type::Text, "an unknown word".into())
    };
    let status = match text(4)?.as_str() {
        "started" => RunStatus::Started,
        "succeeded" => RunStatus::Succeeded,
        "rejected" => RunStatus::Rejected,
        "failed" => RunStatus::Failed,
        _ => return Err(unknown(4)),
    };
    Ok(RunRow {
        run_id: RunId::parse(&text(0)?).map_err(|_| unknown(0))?,
        definition_type: DefinitionType::parse(&text(1)?).ok_or_else(|| unknown(1))?,
        name: text(2)?,
        version: row.get(3)?,
        status,
        first_position: number::from_sql(row.get(5)?),
        started_at: Moment(row.get(6)?),
        started_by: text(7)?,
        finished_at: row.get::<_, Option<i64>>(8)?.map(Moment),
        reason: row.get(9)?,
        kind: row.get(10)?,
        because: row.get(11)?,
    })
}
