//! What is kept beside the records so that it need not be folded each time: rows folded inside the append's transaction.
//!
//! The table of each carries a version in its name.
//! When the version changes, the next opening fills the new table from the records and drops the old one.

use crate::error::ReadError;
use crate::record::{Content, Raw};
use crate::{requests, runs};
use playbook_model::record::Context;
use rusqlite::{Connection, TransactionBehavior};
use serde_json::Value;

/// Every projection.
const ALL: [&Projection; 2] = [&runs::LIST, &requests::OPEN];

/// One table and how it is filled.
pub(crate) struct Projection {
    /// What it is, as the start of a sentence.
    pub(crate) words: &'static str,
    /// How the names of its tables begin, in every version.
    pub(crate) family: &'static str,
    /// The name of its table.
    pub(crate) table: &'static str,
    /// Makes the table.
    pub(crate) create: &'static str,
    /// The types of the records that change it.
    pub(crate) kinds: &'static [&'static str],
    /// Those whose data it reads.
    pub(crate) read: &'static [&'static str],
    /// Folds one record; one of another type changes nothing.
    pub(crate) fold: fn(&Connection, &Step<'_>) -> rusqlite::Result<()>,
}

/// A record of a run's stream, to be folded.
pub(crate) struct Step<'a> {
    pub(crate) owner: i64,
    pub(crate) run: String,
    pub(crate) global: i64,
    pub(crate) kind: &'a str,
    pub(crate) data: &'a Value,
    pub(crate) context: &'a Context,
}

/// Folds one record into every projection.
pub(crate) fn fold(conn: &Connection, step: &Step<'_>) -> rusqlite::Result<()> {
    ALL.iter().try_for_each(|projection| (projection.fold)(conn, step))
}

/// Makes each table and fills it from the records, unless it is there; drops those of other versions.
pub(crate) fn prepare(conn: &mut Connection) -> Result<(), ReadError> {
    ALL.iter().try_for_each(|projection| projection.prepare(conn))
}

impl Projection {
    fn prepare(&self, conn: &mut Connection) -> Result<(), ReadError> {
        let tables: Vec<String> = conn
            .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND substr(name, 1, length(?1)) = ?1")?
            .query_map([self.family], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        let others: Vec<&String> = tables.iter().filter(|name| *name != self.table).collect();
        if tables.iter().any(|name| name == self.table) && others.is_empty() {
            return Ok(());
        }
        let transaction = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for other in others {
            transaction.execute_batch(&format!("DROP TABLE \"{}\"", other.replace('"', "\"\"")))?;
        }
        if !tables.iter().any(|name| name == self.table) {
            transaction.execute_batch(self.create)?;
            let folded = self.refill(&transaction)?;
            tracing::info!(folded, "{} was built from the records", self.words);
        }
        transaction.commit()?;
        Ok(())
    }

    fn refill(&self, conn: &Connection) -> Result<u64, ReadError> {
        let kinds = vec!["?"; self.kinds.len()].join(", ");
        let mut select = conn.prepare(&format!(
            "SELECT r.global, r.owner, s.name FROM record r JOIN stream s ON s.id = r.stream \
             WHERE r.kind IN ({kinds}) ORDER BY r.global"
        ))?;
        let mut rows = select.query(rusqlite::params_from_iter(self.kinds))?;
        let mut folded = 0;
        while let Some(row) = rows.next()? {
            let (global, owner, stream): (i64, i64, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let Some((_, run)) = stream.split_once("/runs/") else { continue };
            let raw = Raw::at(conn, global)?;
            let read = if self.read.contains(&raw.kind.as_str()) { Content::Joined } else { Content::Sizes };
            let record = raw.record(conn, read)?;
            let step = Step {
                owner,
                run: run.to_owned(),
                global,
                kind: &record.kind,
                data: &record.data,
                context: &record.context,
            };
            (self.fold)(conn, &step)?;
            folded += 1;
        }
        Ok(folded)
    }
}
