//! What can go wrong, sorted by what the caller can do about it.
//!
//! Every text is one sentence for a person and says what to do next.

use crate::cursor::CursorError;
use std::path::PathBuf;

/// Words of a cause that only a log or a person reads.
pub(crate) type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Why a history cannot be opened. Whatever the reason, its file is as it was.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another program, or another part of this one, has it open.
    #[error(
        "The history {path} is open in another program{}; close the playbook there, then open it again",
        process(*.holder), path = .path.display()
    )]
    Locked {
        /// The file.
        path: PathBuf,
        /// The process that holds it, where it could be read.
        holder: Option<u32>,
    },
    /// A later version of this program wrote it.
    #[error(
        "The history {path} has format {found} and this version of the program knows formats up to {known}; \
         open it with the newer version that wrote it", path = .path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The newest format this program knows.
        known: u32,
    },
    /// Something else lies at the path.
    #[error("{path} is not a playbook's history, so it was left alone; move it away or choose another place",
        path = .path.display())]
    Foreign {
        /// The path.
        path: PathBuf,
    },
    /// It was a history and cannot be read as one any more.
    #[error(
        "The history {path} is damaged: {why}; nothing was changed, so put back a copy of the file, \
         with the file of the same name that ends in -wal if the copy has one", path = .path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was found.
        why: Damage,
    },
    /// The disk is full.
    #[error("The history {path} cannot be opened because its disk is full; free some space, then open it again",
        path = .path.display())]
    NoSpace {
        /// The file.
        path: PathBuf,
    },
    /// The system refused.
    #[error("The history {path} cannot be opened: {why}; put that right, then open it again", path = .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's words.
        why: Cause,
    },
}

fn process(holder: Option<u32>) -> String {
    holder.map(|pid| format!(", process {pid}")).unwrap_or_default()
}

/// How a history is damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// Shorter than it says it is.
    #[error("the file is shorter than it says, by {missing} bytes")]
    Truncated {
        /// Bytes that are not there.
        missing: u64,
    },
    /// The newest records lie beside an empty or absent file.
    #[error("its newest records are in the file that ends in -wal, and the file itself is empty or gone")]
    Gone,
    /// SQLite cannot read it.
    #[error("its pages cannot be read")]
    Unreadable,
}

/// Why records, or a view, were not written. Nothing of the call was recorded, except as `Io` says.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    /// The stream's newest record is not the expected one: load, decide and append again.
    #[error("The stream's newest record is number {at}, which is not the expected one")]
    Conflict {
        /// The position of the stream's newest record; 0 when it has none.
        at: u64,
    },
    /// More records than one append takes, or none.
    #[error("One append takes 1 to {most} records")]
    Count {
        /// The most.
        most: usize,
    },
    /// A record's data is too large.
    #[error("The data of one record may take {most} bytes as JSON")]
    TooLarge {
        /// The most bytes.
        most: usize,
    },
    /// A record's data nests too deep.
    #[error("The data of one record may nest {most} levels")]
    TooDeep {
        /// The most levels.
        most: usize,
    },
    /// The disk is full, or nearly.
    #[error("The disk that holds the history is full, so nothing was recorded; free some space, then try again")]
    NoSpace,
    /// The file is not at its path any more: what was written now would be lost with it.
    #[error("{} was moved or removed while it was open, so nothing was recorded; put it back, or open the playbook where it is now", path.display())]
    Gone {
        /// The history's path.
        path: std::path::PathBuf,
    },
    /// The history was closed.
    #[error("The history is closed; open the playbook again")]
    Closed,
    /// The system refused. After a failed flush it is unknown what reached the disk, and the history takes
    /// nothing more until it is opened again.
    #[error("The history could not be written: {why}; open the playbook again and see what was recorded")]
    Io {
        /// The system's words.
        why: Cause,
    },
}

/// Why nothing was read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The caller's cursor is no good.
    #[error(transparent)]
    Cursor(#[from] CursorError),
    /// What is stored cannot be read back.
    #[error("A part of the history cannot be read back: {why}; put back a copy of its file")]
    Damaged {
        /// What was found.
        why: Cause,
    },
    /// The history was closed.
    #[error("The history is closed; open the playbook again")]
    Closed,
    /// The system refused.
    #[error("The history could not be read: {why}; try again, and open the playbook again if it goes on")]
    Io {
        /// The system's words.
        why: Cause,
    },
}

impl From<rusqlite::Error> for ReadError {
    fn from(error: rusqlite::Error) -> Self {
        if is_damage(&error) { Self::Damaged { why: error.into() } } else { Self::Io { why: error.into() } }
    }
}

impl From<rusqlite::Error> for AppendError {
    fn from(error: rusqlite::Error) -> Self {
        if is_full(&error) { Self::NoSpace } else { Self::Io { why: error.into() } }
    }
}

impl OpenError {
    pub(crate) fn io(path: &std::path::Path, error: std::io::Error) -> Self {
        let path = path.to_path_buf();
        if error.kind() == std::io::ErrorKind::StorageFull || error.kind() == std::io::ErrorKind::QuotaExceeded {
            Self::NoSpace { path }
        } else {
            Self::Io { path, why: error.into() }
        }
    }

    pub(crate) fn sql(path: &std::path::Path, error: rusqlite::Error) -> Self {
        let path = path.to_path_buf();
        if is_full(&error) {
            Self::NoSpace { path }
        } else if is_damage(&error) {
            Self::Damaged { path, why: Damage::Unreadable }
        } else {
            Self::Io { path, why: error.into() }
        }
    }
}

/// Whether SQLite ran out of room.
pub(crate) fn is_full(error: &rusqlite::Error) -> bool {
    let code = extended(error);
    // The index of the write-ahead log is a file of its own and reports a full disk in its own way.
    code & 0xff == rusqlite::ffi::SQLITE_FULL || code == rusqlite::ffi::SQLITE_IOERR_SHMSIZE
}

/// Whether a flush failed, after which nobody knows what the disk holds.
pub(crate) fn is_lost_flush(error: &rusqlite::Error) -> bool {
    let code = extended(error);
    code == rusqlite::ffi::SQLITE_IOERR_FSYNC || code == rusqlite::ffi::SQLITE_IOERR_DIR_FSYNC
}

fn is_damage(error: &rusqlite::Error) -> bool {
    match error {
        rusqlite::Error::SqliteFailure(..) => {
            let code = extended(error) & 0xff;
            code == rusqlite::ffi::SQLITE_CORRUPT || code == rusqlite::ffi::SQLITE_NOTADB
        }
        rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::QueryReturnedNoRows
        | rusqlite::Error::Utf8Error(..)
        | rusqlite::Error::InvalidColumnType(..) => true,
        _ => false,
    }
}

fn extended(error: &rusqlite::Error) -> i32 {
    match error {
        rusqlite::Error::SqliteFailure(failure, _) => failure.extended_code,
        _ => rusqlite::ffi::SQLITE_OK,
    }
}
