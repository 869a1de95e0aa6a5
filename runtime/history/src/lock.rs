//! One file, one process: a lock of the operating system on a file beside the history.
//!
//! The system lets go of it when the process ends, however it ends, so no stale lock is ever left.
//! The file stays and holds the number of the process that locked it last, for the words of a refusal alone.

use crate::check;
use crate::error::OpenError;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

/// The lock, held until dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
}

impl Lock {
    /// Locks the history at `path`.
    pub(crate) fn take(path: &Path) -> Result<Self, OpenError> {
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(beside(path))
            .map_err(|why| OpenError::io(path, why))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(OpenError::Locked { path: path.to_path_buf(), holder: holder(&mut file) });
            }
            Err(TryLockError::Error(why)) => return Err(OpenError::io(path, why)),
        }
        if !text(&mut file).trim().bytes().all(|byte| byte.is_ascii_digit()) {
            // Someone's own file of that name.
            return Err(OpenError::Foreign { path: beside(path) });
        }
        write(&mut file, &std::process::id().to_string()).map_err(|why| OpenError::io(path, why))?;
        Ok(Self { file })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // A number left behind would only be read while another process holds the lock, and that one writes its own.
        let _ = write(&mut self.file, "");
        let _ = self.file.unlock();
    }
}

/// The lock file of a history: `log.lock` beside `log.sqlite`.
pub(crate) fn beside(path: &Path) -> PathBuf {
    let lock = path.with_extension("lock");
    if lock == path { check::sibling(path, ".lock") } else { lock }
}

fn write(file: &mut File, text: &str) -> std::io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(text.as_bytes())
}

fn holder(file: &mut File) -> Option<u32> {
    text(file).trim().parse().ok()
}

/// The beginning of the file, longer than any process's number.
fn text(file: &mut File) -> String {
    let mut bytes = Vec::new();
    // What cannot be read is treated as words of someone else, except that Windows lets nobody read a locked file.
    let _ = file.take(16).read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}
