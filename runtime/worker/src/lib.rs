//! Worker processes of our own program around the sandbox, and their pool.
//!
//! The sandbox's engine is C, so it runs in processes that may be lost: a crash ends one job and nothing else.
//! "The sandbox" and "How the view is kept": runs and pages of folds go to workers of their own, so neither starves
//! the other. This crate must not know definitions, records or the log; it takes programs and gives what they gave.

mod child;
mod evaluator;
mod frame;
mod job;
mod page;
mod pool;
mod program;
mod serve;

pub use evaluator::{Evaluator, Expression, Unevaluated};
pub use job::{
    Added, Haste, PageDone, PageEvent, PageJob, PageLost, PageStop, RunJob, RunStop, Step, Trace, name_hash,
};
pub use pool::Pool;
pub use program::{ARGUMENT, NoWorkerProgram, WorkerProgram, main_if_worker};
pub use serve::serve;
