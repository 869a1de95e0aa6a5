//! The file's format: its mark, and the steps from each format to the next.
//!
//! A step is never changed once it was released; a new format is a new step at the end.

use rusqlite::{Connection, TransactionBehavior};

/// Marks a SQLite file as a history: `PBhl` in ASCII.
pub(crate) const APPLICATION_ID: u32 = 0x5042_686c;

/// Each step leads from the format of its place in the list to the next.
const STEPS: [&str; 2] = [include_str!("migrations/1.sql"), include_str!("migrations/2.sql")];

/// The newest format.
pub(crate) fn known() -> u32 {
    u32::try_from(STEPS.len()).expect("a short list")
}

/// Brings a history to the newest format.
pub(crate) fn migrate(conn: &mut Connection) -> rusqlite::Result<()> {
    through(conn, &STEPS)
}

/// Takes the steps that the file has not taken, each in a transaction of its own.
fn through(conn: &mut Connection, steps: &[&str]) -> rusqlite::Result<()> {
    let taken: u32 = conn.pragma_query_value(None, "user_version", |row| row.get(0))?;
    for (format, step) in (1_u32..).zip(steps).skip(taken as usize) {
        let transaction = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute_batch(step)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", format)?;
        transaction.commit()?;
        tracing::info!(format, "the history has a new format");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(conn: &Connection) -> u32 {
        conn.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
    }

    #[test]
    fn takes_each_step_once_and_in_order() {
        let mut conn = Connection::open_in_memory().unwrap();
        let steps = ["CREATE TABLE a (x)", "ALTER TABLE a ADD COLUMN y"];
        through(&mut conn, &steps[..1]).unwrap();
        assert_eq!(version(&conn), 1);
        through(&mut conn, &steps).unwrap();
        through(&mut conn, &steps).unwrap();
        assert_eq!(version(&conn), 2);
        conn.execute("INSERT INTO a (x, y) VALUES (1, 2)", []).unwrap();
    }

    #[test]
    fn a_failing_step_leaves_the_format_before_it() {
        let mut conn = Connection::open_in_memory().unwrap();
        let steps = ["CREATE TABLE a (x)", "CREATE TABLE b (x); CREATE TABLE a (x)"];
        assert!(through(&mut conn, &steps).is_err());
        assert_eq!(version(&conn), 1);
        assert!(conn.prepare("SELECT * FROM b").is_err(), "the step's first half was undone");
    }

    #[test]
    fn every_step_runs_on_an_empty_file() {
        let mut conn = Connection::open_in_memory().unwrap();
        migrate(&mut conn).unwrap();
        assert_eq!(version(&conn), known());
    }
}
