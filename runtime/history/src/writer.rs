//! The one writer: a thread that owns the only connection that writes.
//!
//! What waits while a transaction reaches the disk goes into the next one together, each job under its own
//! savepoint, so that one flush serves many callers.
//! A caller is answered only after the commit.

use crate::error::{AppendError, is_full, is_lost_flush};
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use tokio::sync::watch;

/// The most jobs of one transaction.
const GROUP_JOBS: usize = 256;
/// The bytes after which a transaction takes no further job.
const GROUP_BYTES: usize = 4 * 1024 * 1024;

/// Something to be written.
pub(crate) trait Job: Send {
    /// About how much it writes.
    fn bytes(&self) -> usize;
    /// Writes. May be called again after a transaction that failed, and then starts over.
    fn perform(&mut self, conn: &Connection) -> rusqlite::Result<Kept>;
    /// The newest global position it recorded, if it records.
    fn newest(&self) -> Option<u64>;
    /// Tells the caller: what it wrote is on the disk, or nothing is.
    fn answer(self: Box<Self>, ending: Result<(), AppendError>);
}

/// Whether what a job wrote stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kept {
    /// It stays.
    Yes,
    /// The job found that it may not, and is undone alone.
    No,
}

/// What the writer is asked.
enum Message {
    Do(Box<dyn Job>),
    Close(Sender<()>),
    Cut(u64, Arc<AtomicBool>),
    #[cfg(test)]
    Try(Box<dyn FnOnce(&mut Writer) + Send>),
}

/// The writer's state, in its own thread.
pub(crate) struct Writer {
    pub(crate) conn: Connection,
    /// Bytes of the disk that are left to others; `None` leaves the judgement to SQLite.
    pub(crate) spared: Option<u64>,
    #[cfg(test)]
    pub(crate) commits: usize,
    path: PathBuf,
    /// What tells the open file from another at its path, where the system does.
    identity: Option<(u64, u64)>,
    newest: watch::Sender<u64>,
    /// Set when a flush failed: what the disk holds is then unknown until the file is opened again.
    pub(crate) lost: bool,
    /// Jobs that are still recorded, each in a transaction of its own; `None` for all.
    left: Option<u64>,
    /// Set once a job was refused for that.
    cut: Arc<AtomicBool>,
}

/// The way to the writer.
pub(crate) struct Desk {
    messages: Sender<Message>,
    thread: Option<JoinHandle<()>>,
}

impl Desk {
    /// Starts the writer.
    pub(crate) fn open(
        conn: Connection,
        path: PathBuf,
        spared: Option<u64>,
        newest: watch::Sender<u64>,
    ) -> std::io::Result<Self> {
        let (messages, inbox) = channel();
        let writer = Writer {
            conn,
            spared,
            identity: identity(&path),
            path,
            newest,
            lost: false,
            left: None,
            cut: Arc::default(),
            #[cfg(test)]
            commits: 0,
        };
        let thread = std::thread::Builder::new().name("history".into()).spawn(move || writer.work(&inbox))?;
        Ok(Self { messages, thread: Some(thread) })
    }

    /// Hands a job in; it is answered in any case.
    pub(crate) fn hand(&self, job: Box<dyn Job>) {
        if let Err(refused) = self.messages.send(Message::Do(job))
            && let Message::Do(job) = refused.0
        {
            job.answer(Err(AppendError::Closed));
        }
    }

    /// Lets what was handed in be written, then closes the file. Later jobs are answered as closed.
    pub(crate) fn close(&self) {
        let (done, wait) = channel();
        if self.messages.send(Message::Close(done)).is_ok() {
            // An error means that the writer is gone, which is what was asked for.
            let _ = wait.recv();
        }
    }

    /// Records so many more jobs, and refuses every later one as closed. Gives what is set once it refused one.
    pub(crate) fn cut(&self, jobs: u64) -> Arc<AtomicBool> {
        let refused = Arc::default();
        // A writer that is gone records nothing anyway.
        let _ = self.messages.send(Message::Cut(jobs, Arc::clone(&refused)));
        refused
    }

    #[cfg(test)]
    pub(crate) fn try_on(&self, act: impl FnOnce(&mut Writer) + Send + 'static) {
        let (done, wait) = channel();
        let act = move |writer: &mut Writer| {
            act(writer);
            done.send(()).unwrap();
        };
        assert!(self.messages.send(Message::Try(Box::new(act))).is_ok());
        wait.recv().unwrap();
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        self.close();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the history's writer broke down");
        }
    }
}

impl Writer {
    fn work(mut self, inbox: &Receiver<Message>) {
        let mut next = inbox.recv().ok();
        while let Some(message) = next.take() {
            match message {
                Message::Do(job) => {
                    let mut bytes = job.bytes();
                    let mut group = vec![job];
                    while self.left.is_none() && group.len() < GROUP_JOBS && bytes < GROUP_BYTES {
                        match inbox.try_recv() {
                            Ok(Message::Do(job)) => {
                                bytes = bytes.saturating_add(job.bytes());
                                group.push(job);
                            }
                            Ok(other) => {
                                next = Some(other);
                                break;
                            }
                            Err(_) => break,
                        }
                    }
                    self.write(group, bytes);
                }
                Message::Close(done) => return self.close(inbox, &done),
                Message::Cut(jobs, refused) => (self.left, self.cut) = (Some(jobs), refused),
                #[cfg(test)]
                Message::Try(act) => act(&mut self),
            }
            if next.is_none() {
                next = inbox.recv().ok();
            }
        }
    }

    /// Writes a group in one transaction, and each job alone when that fails, so that none fails for another.
    fn write(&mut self, mut group: Vec<Box<dyn Job>>, bytes: usize) {
        match &mut self.left {
            Some(0) => {
                self.cut.store(true, Ordering::Release);
                return group.into_iter().for_each(|job| job.answer(Err(AppendError::Closed)));
            }
            Some(left) => *left -= 1,
            None => {}
        }
        match self.attempt(&mut group, bytes) {
            Ok(()) => {
                #[cfg(test)]
                {
                    self.commits += 1;
                }
                self.answer(group);
            }
            Err(why) if group.len() == 1 || self.lost => {
                let full = matches!(why, AppendError::NoSpace);
                tracing::error!(%why, "nothing was recorded");
                for job in group {
                    job.answer(Err(match &why {
                        _ if full => AppendError::NoSpace,
                        AppendError::Gone { path } => AppendError::Gone { path: path.clone() },
                        why => AppendError::Io { why: why.to_string().into() },
                    }));
                }
            }
            Err(_) => {
                for job in group {
                    let bytes = job.bytes();
                    self.write(vec![job], bytes);
                }
            }
        }
    }

    fn answer(&self, group: Vec<Box<dyn Job>>) {
        if let Some(newest) = group.iter().filter_map(|job| job.newest()).max() {
            self.newest.send_if_modified(|known| {
                let grew = newest > *known;
                *known = newest.max(*known);
                grew
            });
        }
        for job in group {
            job.answer(Ok(()));
        }
    }

    fn attempt(&mut self, group: &mut [Box<dyn Job>], bytes: usize) -> Result<(), AppendError> {
        if self.lost {
            return Err(AppendError::Io { why: "an earlier flush to the disk failed".into() });
        }
        self.check_place()?;
        self.check_space(bytes)?;
        let written = self.transact(group);
        if let Err(why) = &written {
            self.lost |= is_lost_flush(why);
            // SQLite has rolled some failures back itself.
            if !self.conn.is_autocommit()
                && let Err(why) = self.conn.execute_batch("ROLLBACK")
            {
                tracing::error!(%why, "the history takes nothing more until it is opened again");
                self.lost = true;
            }
        }
        Ok(written?)
    }

    fn transact(&mut self, group: &mut [Box<dyn Job>]) -> rusqlite::Result<()> {
        let conn = &self.conn;
        let run = |sql: &str| conn.prepare_cached(sql)?.execute([]).map(|_| ());
        run("BEGIN IMMEDIATE")?;
        for job in group {
            run("SAVEPOINT job")?;
            if job.perform(conn)? == Kept::No {
                run("ROLLBACK TO job")?;
            }
            run("RELEASE job")?;
        }
        run("COMMIT")
    }

    /// Refuses when the file is not at its path any more: the open file would take records that nobody finds again.
    fn check_place(&self) -> Result<(), AppendError> {
        match identity(&self.path) {
            found if found == self.identity => Ok(()),
            _ => Err(AppendError::Gone { path: self.path.clone() }),
        }
    }

    /// Refuses before the disk is full, so that others, and SQLite's own files, still find room.
    fn check_space(&self, bytes: usize) -> Result<(), AppendError> {
        let Some(spared) = self.spared else { return Ok(()) };
        // Once in the write-ahead log and once in the file.
        let needed = (bytes as u64).saturating_mul(2).saturating_add(spared);
        match fs4::available_space(&self.path) {
            Ok(free) if free < needed => Err(AppendError::NoSpace),
            Ok(_) => Ok(()),
            Err(why) => {
                // Not every file system tells; SQLite's own refusal is still there.
                tracing::debug!(%why, "the free space of the history's disk is unknown");
                Ok(())
            }
        }
    }

    fn close(self, inbox: &Receiver<Message>, done: &Sender<()>) {
        // A failure leaves the write-ahead log beside the file, and the next opening reads it.
        let moved = self.conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        if let Err(why) = moved {
            if is_full(&why) {
                tracing::warn!("the disk is full, so the history's newest records stay in its -wal file");
            } else {
                tracing::warn!(%why, "the history's newest records stay in its -wal file");
            }
        }
        if let Err((_, why)) = self.conn.close() {
            tracing::warn!(%why, "the history did not close");
        }
        for message in inbox.try_iter() {
            match message {
                Message::Do(job) => job.answer(Err(AppendError::Closed)),
                Message::Close(done) => drop(done),
                Message::Cut(..) => {}
                #[cfg(test)]
                Message::Try(_) => {}
            }
        }
        // The other end may have stopped waiting.
        let _ = done.send(());
    }
}

/// The device and number of the file at a path; where the system has none, only whether it is there.
fn identity(path: &std::path::Path) -> Option<(u64, u64)> {
    let found = std::fs::metadata(path).ok()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Some((found.dev(), found.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = found;
        Some((0, 0))
    }
}
