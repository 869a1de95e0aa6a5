//! What workers are given and what they give back.

use playbook_model::time::Moment;
use playbook_sandbox::{Bounds, Program, Stop};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Instant;

/// One call of one export in a fresh sandbox.
#[derive(Debug, Clone)]
pub struct RunJob {
    /// The module.
    pub program: Program,
    /// `default` or a name.
    pub export: String,
    /// JSON texts.
    pub arguments: Vec<String>,
    /// What `Date.now()` returns.
    pub clock: Moment,
    /// What the call may spend. Its milliseconds are what the deadline was made from, for the words.
    pub bounds: Bounds,
    /// The end of the run's time; waiting for a worker counts inside it.
    pub deadline: Instant,
}

/// Why a run gave no output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunStop {
    /// The program was stopped, or stopped itself.
    Program(Stop),
    /// No worker was free within the run's time.
    Busy {
        /// The milliseconds a run may take.
        milliseconds: u64,
        /// How many runs go at once.
        at_once: usize,
    },
    /// The worker ended, or could not be started. Never the program's fault.
    Crashed {
        /// What is known of it, for the log.
        why: String,
    },
    /// The pool is stopping.
    Stopping,
}

/// A page of events to fold into one view.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PageJob {
    /// Names the view and its version. A worker that gave this view's text under the same key goes on in the sandbox
    /// it kept; the result is the same in a fresh one.
    pub key: u64,
    /// The module; it exports `fold`.
    pub program: Program,
    /// Expressions that read `$data`, one for each filter.
    pub filters: Vec<String>,
    /// What the view must match after every fold.
    pub schema: Option<Value>,
    /// The view before the page, as JSON.
    pub view: String,
    /// The page, in the order the playbook recorded it.
    pub events: Vec<PageEvent>,
    /// The page ends before its next event once this much time passed since its first evaluation.
    pub page_milliseconds: u64,
    /// The time of one event: its filters and its fold.
    pub fold_milliseconds: u64,
    /// Checkpoints of one fold.
    pub work: u32,
    /// Checkpoints of one filter's expression.
    pub filter_work: u32,
    /// Bytes of the sandbox.
    pub memory: usize,
    /// What is told of each fold beside its step.
    pub trace: Trace,
}

/// What a page tells of its folds beside their steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Trace {
    /// Nothing.
    Nothing,
    /// Which top-level members each fold added to the view.
    Added,
}

/// A top-level member that a fold added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Added {
    /// The place of the fold's step.
    pub step: u32,
    /// The member's name, as [`name_hash`] gives it.
    pub name: u64,
}

/// A name in 64 bits, the same in every process: FNV-1a of its bytes.
#[must_use]
pub fn name_hash(name: &[u8]) -> u64 {
    name.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// What a page is folded for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Haste {
    /// A view that follows its playbook: whoever asks it waits for the newest event.
    Live,
    /// A view that is built from the first event. At least one worker is left to those that follow.
    Build,
}

/// One event of a page.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PageEvent {
    /// The event as JSON.
    pub json: String,
    /// What `Date.now()` returns: the event's time.
    pub clock: Moment,
    /// The filters whose expression decides, by place: the event is folded when any holds. Empty: it is folded.
    pub ask: Vec<usize>,
}

/// What became of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageDone {
    /// The view after the steps, as JSON.
    pub view: String,
    /// One for each event that was gone past, from the first.
    pub steps: Vec<Step>,
    /// Why it stopped at the event after the steps; `None` when all were gone past or the page's time ran out.
    pub stop: Option<PageStop>,
    /// What the folds added, when it was asked for; in the order of the steps.
    pub added: Vec<Added>,
}

/// What became of one event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    /// It was folded.
    Folded {
        /// Checkpoints.
        work: u32,
        /// Bytes of the view as JSON.
        bytes: usize,
    },
    /// No expression took it.
    Passed,
}

/// Why a view stops at an event. "When a view stalls".
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum PageStop {
    /// The fold was stopped, or the module does not load.
    Fold(Stop),
    /// A filter's expression was stopped.
    Filter(Stop),
    /// The view does not match its schema.
    Schema {
        /// Where in the view.
        pointer: String,
        /// The expectation.
        detail: String,
    },
}

/// Why a page gave nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageLost {
    /// The worker crashed.
    Crashed {
        /// The place in the page of the event it was at.
        at: usize,
    },
    /// The worker did not answer in time and was killed.
    Late {
        /// The place in the page of the event it was at.
        at: usize,
    },
    /// The pool is stopping, or the system starts no process just now: nothing was tried.
    Stopping,
}
