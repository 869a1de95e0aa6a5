//! The sandbox that programs run in: QuickJS with the language's own library, a clock that is given to it, bounds on
//! work, memory, stack and time, and nothing else. The only crate that sees the engine.
//!
//! "The module" of the recall format and "The sandbox" of the computation format. It starts no process, reads no file
//! and no clock but the one for deadlines, and must not know what a playbook, a definition or a run is.
//! The engine is C: use it in a process whose end harms nothing, on a thread with 4 MiB of stack or more.
#![allow(unsafe_code)]

mod allocator;
mod compile;
mod counter;
mod engine;
mod expressions;
mod folder;
mod found;
mod layout;
mod members;
mod meter;
mod module;
mod plain;
mod pointers;
mod run;
mod sink;
mod walk;
mod watch;

pub use engine::engine_version;
pub use expressions::Expressions;
pub use folder::{Folded, Folder, Split};
pub use run::run;

use serde::{Deserialize, Serialize};

/// A module as it runs: the document's body with its types blanked, every line and column kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The text. Its top level holds exported functions and nothing else.
    pub text: String,
    /// The document's line that the text starts on, from 1.
    pub first_line: u32,
}

/// What one evaluation may spend. "Bounds".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    /// Checkpoints, one every 10,000 steps of the engine.
    pub work: u32,
    /// Bytes the sandbox may hold at once, its library among them.
    pub memory: usize,
    /// Milliseconds of wall-clock time.
    pub milliseconds: u64,
    /// Levels of a returned value.
    pub levels: usize,
    /// Bytes of a returned value as JSON in UTF-8.
    pub bytes: usize,
}

/// Why an evaluation gave no value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// It raised, a stack overflow among them.
    Raised {
        /// The error's name and message, or the text of a value that is no error; cut at 1,024 bytes with an ellipsis.
        message: String,
        /// The document's line, for an error raised within the program.
        line: Option<u32>,
    },
    /// It did more than its work.
    Work {
        /// The checkpoints it had.
        budget: u32,
    },
    /// It used more memory than its sandbox has, even when it caught the engine's error about it.
    Memory {
        /// The checkpoints spent by then.
        work: u32,
    },
    /// It returned what JSON cannot carry.
    Unfit {
        /// What was found, with its article, such as `a Date` or `NaN`.
        found: String,
        /// Where, from `$`, the first in document order.
        path: String,
    },
    /// It returned a value deeper than the bound.
    TooDeep,
    /// It returned a value larger than the bound.
    TooLarge {
        /// Its bytes as JSON; for a value of more than four times the bound, a number past that.
        bytes: usize,
    },
    /// It ran out of time.
    Time {
        /// The milliseconds it had.
        milliseconds: u64,
    },
    /// The module does not load, or lacks the export.
    Refused {
        /// The engine's words.
        message: String,
        /// The document's line, when the words are about one.
        line: Option<u32>,
    },
}

/// What an evaluation gave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Returned {
    /// JSON as the language writes it. Half a surrogate pair stands as its escape, which only
    /// [`playbook_model::json::parse_script`] reads.
    pub json: String,
    /// Checkpoints spent.
    pub work: u32,
}

/// Runs work that uses a sandbox on a thread with stack enough for it.
///
/// # Panics
/// When the work does, or when the system gives no thread.
pub fn with_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("sandbox".into()).stack_size(STACK).spawn_scoped(scope, work);
        match thread.expect("the system gives a thread").join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// Bytes of stack for a thread that uses a sandbox: the engine's 1 MiB and what the host needs around it.
pub const STACK: usize = 16 * 1024 * 1024;
