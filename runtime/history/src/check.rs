//! What lies at a path, found without changing it.
//!
//! A file is taken for a history only by its mark, and refused as damaged when pages are missing,
//! before SQLite may write a byte to it.

use crate::error::{Damage, OpenError};
use crate::migrate;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::collections::HashSet;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// What lies at a path.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Nothing, or a file without a byte in it: a history may begin here.
    Nothing,
    /// A history of a format this program knows.
    History,
}

const MAGIC: &[u8; 16] = b"SQLite format 3\0";
const HEADER_BYTES: usize = 100;
const WAL_HEADER_BYTES: usize = 32;
const FRAME_HEADER_BYTES: usize = 24;

/// The file beside a history whose name has this ending added.
pub(crate) fn sibling(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Refuses what is no history by its first bytes, before even a lock is made beside it.
pub(crate) fn mark(path: &Path) -> Result<(), OpenError> {
    let foreign = || OpenError::Foreign { path: path.to_path_buf() };
    match std::fs::metadata(path) {
        Ok(found) if !found.is_file() => return Err(foreign()),
        Ok(_) => {}
        Err(why) if why.kind() == ErrorKind::NotFound => return Ok(()),
        Err(why) => return Err(OpenError::io(path, why)),
    }
    let mut header = Vec::with_capacity(HEADER_BYTES);
    File::open(path)
        .and_then(|file| file.take(HEADER_BYTES as u64).read_to_end(&mut header))
        .map_err(|why| OpenError::io(path, why))?;
    let beginning = header.len().min(MAGIC.len());
    if header[..beginning] != MAGIC[..beginning] {
        return Err(foreign());
    }
    if header.is_empty() {
        return Ok(());
    }
    if header.len() < HEADER_BYTES {
        let missing = (HEADER_BYTES - header.len()) as u64;
        return Err(OpenError::Damaged { path: path.to_path_buf(), why: Damage::Truncated { missing } });
    }
    if number(&header, 68) == migrate::APPLICATION_ID { Ok(()) } else { Err(foreign()) }
}

/// Looks at a path that [`mark`] took, without changing what lies there. The lock is held.
pub(crate) fn look(path: &Path) -> Result<Found, OpenError> {
    let io = |why| OpenError::io(path, why);
    let damaged = |why| OpenError::Damaged { path: path.to_path_buf(), why };
    let wal = sibling(path, "-wal");
    let file_bytes = size(path).map_err(io)?;
    if file_bytes == 0 {
        // SQLite would begin anew and throw the write-ahead log away.
        return if size(&wal).map_err(io)? == 0 { Ok(Found::Nothing) } else { Err(damaged(Damage::Gone)) };
    }
    let stands = read(path)?;
    if stands.application_id != migrate::APPLICATION_ID {
        return Err(OpenError::Foreign { path: path.to_path_buf() });
    }
    let missing = missing(&stands, file_bytes, &wal).map_err(io)?;
    if missing > 0 {
        return Err(damaged(Damage::Truncated { missing }));
    }
    if stands.format == 0 {
        return Err(damaged(Damage::Unreadable));
    }
    if stands.format > migrate::known() {
        let (found, known) = (stands.format, migrate::known());
        return Err(OpenError::Newer { path: path.to_path_buf(), found, known });
    }
    Ok(Found::History)
}

/// The bytes of a file; 0 where there is none.
fn size(path: &Path) -> std::io::Result<u64> {
    match std::fs::metadata(path) {
        Ok(found) => Ok(found.len()),
        Err(why) if why.kind() == ErrorKind::NotFound => Ok(0),
        Err(why) => Err(why),
    }
}

/// What SQLite says of a file, its write-ahead log counted in.
struct Stands {
    application_id: u32,
    format: u32,
    pages: u64,
    page_bytes: u64,
}

fn read(path: &Path) -> Result<Stands, OpenError> {
    let ask = || -> rusqlite::Result<Stands> {
        let conn =
            Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        // Else the last connection to close would move the write-ahead log into the file.
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        let value = |name: &str| conn.pragma_query_value(None, name, |row| row.get::<_, u32>(0));
        let stands = Stands {
            application_id: value("application_id")?,
            format: value("user_version")?,
            pages: u64::from(value("page_count")?),
            page_bytes: u64::from(value("page_size")?),
        };
        conn.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
        Ok(stands)
    };
    let beside = ["-wal", "-shm"].map(|ending| sibling(path, ending));
    let there = beside.each_ref().map(|file| file.exists());
    let stands = ask().map_err(|why| OpenError::sql(path, why));
    // Even a reader makes these two; what was not there goes again.
    for (file, there) in beside.iter().zip(there) {
        if !there && let Err(why) = std::fs::remove_file(file) {
            tracing::debug!(%why, "SQLite made no file of its own");
        }
    }
    stands
}

/// Bytes of pages that are neither in the file nor in its write-ahead log.
///
/// Between two checkpoints the file may be shorter than the history is, as long as the log has the rest.
fn missing(stands: &Stands, file_bytes: u64, wal: &Path) -> std::io::Result<u64> {
    let there = file_bytes / stands.page_bytes.max(1);
    if there >= stands.pages {
        return Ok(0);
    }
    let logged = logged(wal)?;
    let absent = (there + 1..=stands.pages).filter(|page| !logged.contains(page)).count();
    let bytes = absent as u64 * stands.page_bytes;
    Ok(bytes.saturating_sub(file_bytes % stands.page_bytes.max(1)))
}

/// The numbers of the pages that a write-ahead log holds.
fn logged(wal: &Path) -> std::io::Result<HashSet<u64>> {
    let mut pages = HashSet::new();
    let mut file = match File::open(wal) {
        Ok(file) => std::io::BufReader::new(file),
        Err(why) if why.kind() == ErrorKind::NotFound => return Ok(pages),
        Err(why) => return Err(why),
    };
    let mut header = [0; WAL_HEADER_BYTES];
    if file.read_exact(&mut header).is_err() {
        return Ok(pages);
    }
    let salt = &header[16..24];
    let mut frame = vec![0; FRAME_HEADER_BYTES + number(&header, 8) as usize];
    // Frames of an earlier round follow under another salt.
    while file.read_exact(&mut frame).is_ok() && &frame[8..16] == salt {
        pages.insert(u64::from(number(&frame, 0)));
    }
    Ok(pages)
}

/// Four bytes, the highest first.
fn number(bytes: &[u8], at: usize) -> u32 {
    bytes[at..at + 4].iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte))
}
