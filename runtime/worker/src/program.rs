//! Which program is started as a worker.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// The one argument that makes our own program a worker.
pub const ARGUMENT: &str = "--sandbox-worker";

/// Names a program to use as the worker instead of what is found.
const VARIABLE: &str = "PLAYBOOK_WORKER";

/// Whether the current program begins with [`main_if_worker`].
static CAPABLE: AtomicBool = AtomicBool::new(false);

/// Serves as a worker and ends the process when the program was started as one; else returns.
///
/// Called first in `main`, so that a pool may start the current program as its worker.
pub fn main_if_worker() {
    CAPABLE.store(true, Ordering::Relaxed);
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|argument| argument == ARGUMENT) && arguments.next().is_none() {
        crate::serve();
        std::process::exit(0);
    }
}

/// A program that serves as a worker when started with these arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerProgram {
    /// The executable.
    pub path: PathBuf,
    /// All its arguments.
    pub arguments: Vec<OsString>,
}

/// No program was found that serves as a worker.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "No program to run the sandbox with was found: `playbook-worker` is not beside this program, and {VARIABLE} names none"
)]
pub struct NoWorkerProgram;

impl WorkerProgram {
    /// Finds the program: the one that `PLAYBOOK_WORKER` names; `playbook-worker` beside the current program, or in the
    /// folder above when that is `deps`; the current program itself when it began with [`main_if_worker`].
    ///
    /// # Errors
    /// [`NoWorkerProgram`] when there is none.
    pub fn find() -> Result<Self, NoWorkerProgram> {
        if let Some(path) = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
            return Ok(Self { path: path.into(), arguments: Vec::new() });
        }
        let current = std::env::current_exe().map_err(|_| NoWorkerProgram)?;
        if let Some(path) = beside(&current) {
            return Ok(Self { path, arguments: Vec::new() });
        }
        if CAPABLE.load(Ordering::Relaxed) {
            return Ok(Self { path: current, arguments: vec![ARGUMENT.into()] });
        }
        Err(NoWorkerProgram)
    }
}

fn beside(current: &Path) -> Option<PathBuf> {
    let folder = current.parent()?;
    let name = format!("playbook-worker{}", std::env::consts::EXE_SUFFIX);
    let above = folder.file_name().is_some_and(|name| name == "deps").then(|| folder.parent()).flatten();
    [Some(folder), above].into_iter().flatten().map(|folder| folder.join(&name)).find(|path| path.is_file())
}
