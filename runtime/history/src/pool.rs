//! Connections for reading: a few, opened when first needed, each lent to one reader at a time.

use crate::error::ReadError;
use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The most connections that read at once; a further reader waits.
const MOST: usize = 4;
const STATEMENTS: usize = 64;

pub(crate) struct Pool {
    path: PathBuf,
    state: Mutex<State>,
    returned: Condvar,
}

#[derive(Default)]
struct State {
    idle: Vec<Connection>,
    lent: usize,
    closed: bool,
}

impl Pool {
    pub(crate) fn new(path: &Path) -> Self {
        Self { path: path.to_path_buf(), state: Mutex::default(), returned: Condvar::new() }
    }

    /// Reads the log as it stands at one moment.
    pub(crate) fn read<T>(&self, act: impl FnOnce(&Connection) -> Result<T, ReadError>) -> Result<T, ReadError> {
        let lent = self.lend()?;
        let conn = lent.conn.as_ref().expect("lent until dropped");
        let moment = conn.unchecked_transaction()?;
        let found = act(conn)?;
        moment.finish()?;
        Ok(found)
    }

    /// Waits for readers to end and refuses new ones.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        state.idle.clear();
        while state.lent > 0 {
            state = self.returned.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lend(&self) -> Result<Lent<'_>, ReadError> {
        let mut state = self.state();
        loop {
            if state.closed {
                return Err(ReadError::Closed);
            }
            if let Some(conn) = state.idle.pop() {
                state.lent += 1;
                return Ok(Lent { pool: self, conn: Some(conn) });
            }
            if state.lent < MOST {
                state.lent += 1;
                drop(state);
                // From here on dropping gives the place back, opened or not.
                let mut lent = Lent { pool: self, conn: None };
                lent.conn = Some(open(&self.path)?);
                return Ok(lent);
            }
            state = self.returned.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A reader that broke down held no lock of ours half way.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Lent<'a> {
    pool: &'a Pool,
    conn: Option<Connection>,
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let mut state = self.pool.state();
        state.lent -= 1;
        if let Some(conn) = self.conn.take()
            && !state.closed
            && conn.is_autocommit()
        {
            state.idle.push(conn);
        }
        drop(state);
        self.pool.returned.notify_all();
    }
}

fn open(path: &Path) -> rusqlite::Result<Connection> {
    let conn = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    conn.busy_timeout(std::time::Duration::from_secs(5))?;
    conn.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(conn)
}
