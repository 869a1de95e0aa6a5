//! The history as others hold it: opening, the calls, closing.

use crate::append::Append;
use crate::check::{self, Found};
use crate::commit::{Commit, Committed, NewCommit};
use crate::error::{AppendError, OpenError, ReadError};
use crate::feed::{self, FeedPage, FeedQuery};
use crate::lock::Lock;
use crate::page::{self, Page, PageQuery, Wanted};
use crate::pool::Pool;
use crate::record::{Content, NewAppend, NewRecord, Record};
use crate::runs::{self, RunRow, RunsPage, RunsQuery};
use crate::stream::Stream;
use crate::view::{self, Change, Rewrite, Saved, ViewHead, ViewRow};
use crate::writer::Desk;
use crate::{along, append, migrate, projection, read};
use playbook_model::id::{PlaybookKey, RunId};
use playbook_model::time::Moment;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use tokio::sync::{oneshot, watch};
use uuid::Uuid;

/// Bytes of the disk that the history leaves to others.
const SPARED_BYTES: u64 = 16 * 1024 * 1024;
const STATEMENTS: usize = 128;

/// The event log of one file.
///
/// Cheap to clone; the file is closed when the last clone goes, or by [`History::close`].
#[derive(Clone)]
pub struct History {
    inner: Arc<Inner>,
}

struct Inner {
    path: PathBuf,
    // Dropped in this order: readers, then the writer, then the lock.
    pool: Pool,
    pub(crate) desk: Desk,
    newest: watch::Receiver<u64>,
    lock: Mutex<Option<Lock>>,
}

/// How large a history is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Bytes of the file.
    pub file_bytes: u64,
    /// Bytes of the write-ahead log beside it.
    pub log_bytes: u64,
    /// Bytes of the disk that are free to this program; none where the file system does not tell.
    pub free_bytes: Option<u64>,
}

impl std::fmt::Debug for History {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("History").field("path", &self.inner.path).finish_non_exhaustive()
    }
}

impl History {
    /// Opens the history at a path, or begins one where there is nothing or an empty file.
    ///
    /// The folder must exist. A file of the same name with the ending `.lock` is made beside it and locked,
    /// and SQLite keeps two more beside it while it is open, with `-wal` and `-shm` added to its name.
    /// An older format is brought up to date.
    ///
    /// # Errors
    /// [`OpenError`]; the file is then as it was.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        Self::open_sparing(path, Some(SPARED_BYTES))
    }

    pub(crate) fn open_sparing(path: &Path, spared: Option<u64>) -> Result<Self, OpenError> {
        let path = &real(path)?;
        check::mark(path)?;
        let lock = Lock::take(path)?;
        if check::look(path)? == Found::Nothing {
            begin(path)?;
        }
        let mut conn = connect(path).map_err(|why| OpenError::sql(path, why))?;
        migrate::migrate(&mut conn).map_err(|why| OpenError::sql(path, why))?;
        let refused = |why| match why {
            ReadError::Damaged { .. } => {
                OpenError::Damaged { path: path.clone(), why: crate::error::Damage::Unreadable }
            }
            why => OpenError::Io { path: path.clone(), why: why.into() },
        };
        projection::prepare(&mut conn).map_err(refused)?;
        let end = read::end(&conn).map_err(|why| OpenError::sql(path, why))?;
        let (sender, newest) = watch::channel(end);
        let desk = Desk::open(conn, path.clone(), spared, sender).map_err(|why| OpenError::io(path, why))?;
        let inner = Inner { path: path.clone(), pool: Pool::new(path), desk, newest, lock: Mutex::new(Some(lock)) };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Appends 1 to 8 records to a stream whose newest record is at `expected`; 0 for a stream without one.
    ///
    /// Returns once they are on the disk; all are recorded or none.
    /// Waits for the disk: use [`History::append_async`] where that may not be.
    ///
    /// # Errors
    /// [`AppendError`]; nothing was recorded, except as its `Io` says.
    pub fn append(
        &self,
        stream: &Stream,
        expected: u64,
        records: Vec<NewRecord>,
        recorded_at: Moment,
    ) -> Result<Vec<Record>, AppendError> {
        let (sender, answer) = mpsc::sync_channel(1);
        self.hand(stream, expected, records, recorded_at, move |outcome| {
            // The caller waits until it is answered.
            let _ = sender.send(outcome);
        });
        answer.recv().unwrap_or(Err(AppendError::Closed))
    }

    /// Appends to many streams, each as [`History::append`] does and in this order; one that is refused is so alone.
    ///
    /// Returns once all are on the disk, which they reach together, far quicker than one after the other.
    pub fn append_each(&self, appends: Vec<NewAppend>, recorded_at: Moment) -> Vec<Result<Vec<Record>, AppendError>> {
        let answers: Vec<_> = appends
            .into_iter()
            .map(|NewAppend { stream, expected, records }| {
                let (sender, answer) = mpsc::sync_channel(1);
                self.hand(&stream, expected, records, recorded_at, move |outcome| {
                    // The caller waits until it is answered.
                    let _ = sender.send(outcome);
                });
                answer
            })
            .collect();
        answers.into_iter().map(|answer| answer.recv().unwrap_or(Err(AppendError::Closed))).collect()
    }

    /// As [`History::append`], without blocking.
    ///
    /// Once called and polled, the records are written even when the caller stops waiting.
    ///
    /// # Errors
    /// As [`History::append`].
    pub async fn append_async(
        &self,
        stream: &Stream,
        expected: u64,
        records: Vec<NewRecord>,
        recorded_at: Moment,
    ) -> Result<Vec<Record>, AppendError> {
        let (sender, answer) = oneshot::channel();
        self.hand(stream, expected, records, recorded_at, move |outcome| {
            // A caller that stopped waiting finds the records in the stream.
            let _ = sender.send(outcome);
        });
        answer.await.unwrap_or(Err(AppendError::Closed))
    }

    /// Writes a decision of many parts together, without blocking.
    ///
    /// Once called and polled, it is written even when the caller stops waiting.
    ///
    /// # Errors
    /// [`AppendError`]; nothing was written, except as its `Io` says.
    pub async fn commit(&self, commit: NewCommit, recorded_at: Moment) -> Result<Committed, AppendError> {
        let (sender, answer) = oneshot::channel();
        let reply = Box::new(move |outcome| {
            // A caller that stopped waiting finds the records in their streams.
            let _ = sender.send(outcome);
        });
        if let Some(job) = Commit::new(commit, recorded_at, reply) {
            self.inner.desk.hand(Box::new(job));
        }
        answer.await.unwrap_or(Err(AppendError::Closed))
    }

    fn hand(
        &self,
        stream: &Stream,
        expected: u64,
        records: Vec<NewRecord>,
        recorded_at: Moment,
        reply: impl FnOnce(Result<Vec<Record>, AppendError>) + Send + 'static,
    ) {
        if let Some(job) = Append::new(stream, expected, records, recorded_at, Box::new(reply)) {
            self.inner.desk.hand(Box::new(job));
        }
    }

    /// The records of a stream after a position, oldest first.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn stream(&self, stream: &Stream, after: u64) -> Result<Vec<Record>, ReadError> {
        self.stream_with(stream, after, Content::Joined)
    }

    /// As [`History::stream`], saying what to do with large data.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn stream_with(&self, stream: &Stream, after: u64, content: Content) -> Result<Vec<Record>, ReadError> {
        self.inner.pool.read(|conn| read::stream(conn, stream.name(), after, content))
    }

    /// A page of a playbook's records, oldest first.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn page(&self, query: &PageQuery<'_>) -> Result<Page, ReadError> {
        self.inner.pool.read(|conn| page::page(conn, query))
    }

    /// How many records of the wanted kinds a playbook has after one position and up to another, counted along the
    /// index to at most `most`.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn count(
        &self,
        playbook: &PlaybookKey,
        wanted: &[Wanted],
        between: (u64, u64),
        most: u64,
    ) -> Result<u64, ReadError> {
        self.inner.pool.read(|conn| along::count(conn, playbook, wanted, between, most))
    }

    /// The positions of a playbook's last records of the wanted kinds before a position, newest first, at most `most`.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn before(
        &self,
        playbook: &PlaybookKey,
        wanted: &[Wanted],
        before: u64,
        most: usize,
    ) -> Result<Vec<u64>, ReadError> {
        self.inner.pool.read(|conn| along::before(conn, playbook, wanted, before, most))
    }

    /// A playbook's records at positions, in that order: as many from the first as hold 4 MiB of data, one at the
    /// least; none from a position on that has no record of the playbook.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn at(&self, playbook: &PlaybookKey, positions: &[u64]) -> Result<Vec<Record>, ReadError> {
        self.inner.pool.read(|conn| along::at(conn, playbook, positions))
    }

    /// The types of a playbook's records, and of its published events, at most `most` of each.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn types(&self, playbook: &PlaybookKey, most: usize) -> Result<Vec<Wanted>, ReadError> {
        self.inner.pool.read(|conn| along::types(conn, playbook, most))
    }

    /// The global position of a playbook's newest record, and when it was recorded.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn newest(&self, playbook: &PlaybookKey) -> Result<Option<(u64, Moment)>, ReadError> {
        self.inner.pool.read(|conn| match append::find_owner(conn, &playbook.text())? {
            Some(owner) => Ok(page::newest(conn, owner, i64::MAX)?),
            None => Ok(None),
        })
    }

    /// A page of a playbook's feed.
    ///
    /// # Errors
    /// [`ReadError`], with `Cursor` for a cursor that no page of this playbook gave.
    pub fn feed(&self, query: &FeedQuery<'_>) -> Result<FeedPage, ReadError> {
        self.inner.pool.read(|conn| feed::feed(conn, query))
    }

    /// One record of a playbook, with its data whole.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn record(&self, playbook: &PlaybookKey, id: Uuid) -> Result<Option<Record>, ReadError> {
        self.inner.pool.read(|conn| read::record(conn, playbook, id))
    }

    /// The data of a record that was read without it; see [`Content::Sizes`].
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn data(&self, record: &Record) -> Result<Value, ReadError> {
        if record.content == Content::Joined {
            return Ok(record.data.clone());
        }
        self.inner.pool.read(|conn| read::data(conn, record.global))
    }

    /// A page of a playbook's runs, newest first by their first start.
    ///
    /// # Errors
    /// [`ReadError`], with `Cursor` for a cursor that no page of this playbook gave.
    pub fn runs(&self, query: &RunsQuery<'_>) -> Result<RunsPage, ReadError> {
        self.inner.pool.read(|conn| runs::list(conn, query))
    }

    /// One run as listed; none before its first start.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn run(&self, playbook: &PlaybookKey, run: RunId) -> Result<Option<RunRow>, ReadError> {
        self.inner.pool.read(|conn| runs::one(conn, playbook, run))
    }

    /// The playbooks that have records.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn playbooks(&self) -> Result<Vec<PlaybookKey>, ReadError> {
        self.inner.pool.read(read::playbooks)
    }

    /// A playbook's views by name, without their texts.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn list_views(&self, playbook: &PlaybookKey) -> Result<Vec<ViewHead>, ReadError> {
        self.inner.pool.read(|conn| view::list(conn, playbook))
    }

    /// One view of a playbook.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn load_view(&self, playbook: &PlaybookKey, name: &str) -> Result<Option<ViewRow>, ReadError> {
        self.inner.pool.read(|conn| view::load(conn, playbook, name))
    }

    /// Writes a view where it still has the version and checkpoint of `expected`; `None` where there is none yet.
    ///
    /// # Errors
    /// [`AppendError`]; nothing was written.
    pub fn save_view(
        &self,
        playbook: &PlaybookKey,
        row: ViewRow,
        expected: Option<(u32, u64)>,
    ) -> Result<Saved, AppendError> {
        self.rewrite(playbook, Change::Save(Box::new(row), expected))
    }

    /// Lets go of a view. [`Saved::Moved`] when there was none.
    ///
    /// # Errors
    /// [`AppendError`]; the view is as it was.
    pub fn drop_view(&self, playbook: &PlaybookKey, name: &str) -> Result<Saved, AppendError> {
        self.rewrite(playbook, Change::Drop(name.to_owned()))
    }

    fn rewrite(&self, playbook: &PlaybookKey, change: Change) -> Result<Saved, AppendError> {
        let (sender, answer) = mpsc::sync_channel(1);
        self.inner.desk.hand(Box::new(Rewrite {
            playbook: playbook.text(),
            change,
            saved: Saved::Moved,
            reply: Box::new(move |outcome| {
                // The caller waits until it is answered.
                let _ = sender.send(outcome);
            }),
        }));
        answer.recv().unwrap_or(Err(AppendError::Closed))
    }

    pub(crate) fn reading<T>(&self, read: impl Fn(&Connection) -> Result<T, ReadError>) -> Result<T, ReadError> {
        self.inner.pool.read(read)
    }

    /// The newest global position of the file, told on every append of this process.
    #[must_use]
    pub fn follow(&self) -> watch::Receiver<u64> {
        self.inner.newest.clone()
    }

    /// How large the history is.
    ///
    /// # Errors
    /// [`ReadError::Io`] when the file's size cannot be read.
    pub fn sizes(&self) -> Result<Sizes, ReadError> {
        let bytes = |path: &Path| std::fs::metadata(path).map(|found| found.len());
        let path = &self.inner.path;
        Ok(Sizes {
            file_bytes: bytes(path).map_err(|why| ReadError::Io { why: why.into() })?,
            log_bytes: bytes(&check::sibling(path, "-wal")).unwrap_or(0),
            free_bytes: fs4::available_space(path).ok(),
        })
    }

    /// Writes what was handed in, closes the file and lets go of it. Every later call is refused as closed.
    ///
    /// Waits for readers and for the disk.
    pub fn close(&self) {
        self.inner.close();
    }

    /// Records so many more appends, commits and views, and refuses every later one as closed: the file is then as it
    /// would be had the program been killed at that moment. Gives what is set once one was refused. For tests of what a
    /// restart makes of it.
    pub fn cut(&self, jobs: u64) -> Arc<AtomicBool> {
        self.inner.desk.cut(jobs)
    }

    #[cfg(test)]
    pub(crate) fn desk(&self) -> &Desk {
        &self.inner.desk
    }
}

impl Inner {
    fn close(&self) {
        self.pool.close();
        self.desk.close();
        drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.close();
    }
}

/// The path with every link followed, so that one file has one lock.
fn real(path: &Path) -> Result<PathBuf, OpenError> {
    let io = |why| OpenError::io(path, why);
    if std::fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) {
        return path.canonicalize().map_err(io);
    }
    let name = path.file_name().ok_or_else(|| OpenError::Foreign { path: path.to_path_buf() })?;
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    Ok(folder.canonicalize().map_err(io)?.join(name))
}

/// Begins a history beside its place and moves it there whole, so that no half of one is ever found.
fn begin(path: &Path) -> Result<(), OpenError> {
    let made = check::sibling(path, ".new");
    let remove = |ending: &str| match std::fs::remove_file(check::sibling(&made, ending)) {
        Err(why) if why.kind() != std::io::ErrorKind::NotFound => Err(OpenError::io(path, why)),
        _ => Ok(()),
    };
    for ending in ["", "-journal", "-wal", "-shm"] {
        remove(ending)?;
    }
    let build = || -> rusqlite::Result<()> {
        let mut conn = Connection::open(&made)?;
        migrate::migrate(&mut conn)?;
        conn.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
        conn.close().map_err(|(_, why)| why)
    };
    if let Err(why) = build() {
        for ending in ["", "-journal", "-wal", "-shm"] {
            remove(ending)?;
        }
        return Err(OpenError::sql(path, why));
    }
    let place = || -> std::io::Result<()> {
        std::fs::OpenOptions::new().write(true).open(&made)?.sync_all()?;
        std::fs::rename(&made, path)?;
        // A name is on the disk once its folder is. Windows has no such thing to ask for.
        #[cfg(unix)]
        std::fs::File::open(path.parent().unwrap_or(Path::new(".")))?.sync_all()?;
        Ok(())
    };
    place().map_err(|why| OpenError::io(path, why))
}

/// The connection that writes.
fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let conn = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    conn.busy_timeout(std::time::Duration::from_secs(5))?;
    conn.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    conn.execute_batch(
        "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON; \
         PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON;",
    )?;
    // A long reader may let the write-ahead log grow; this cuts it back at the next chance.
    conn.pragma_update(None, "journal_size_limit", 64 * 1024 * 1024)?;
    conn.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(conn)
}
