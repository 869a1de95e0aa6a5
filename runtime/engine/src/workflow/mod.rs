//! Workflow runs: what one input on one state leads to.
//!
//! [`apply`] decides; what it gives is recorded whole, and its outputs are performed once the record is on the disk.
//! Nothing here reads a clock, a file or chance: the time comes in with the input, and expressions are evaluated by
//! whoever [`Evaluate`] is. So a recorded input, applied again to the state before it, decides the same.

pub mod again;
mod drive;
mod evaluate;
mod fault;
mod input;
mod machine;
mod output;
mod program;
mod record;
mod standing;
mod state;
mod task;
#[cfg(test)]
mod tests;
mod trace;
mod value;
mod waits;

pub use evaluate::{Ask, Evaluate, Evaluated, Stopped};
pub use fault::{Fault, PROBLEMS, Short, TYPES};
pub use input::{Answer, Called, Input, Start};
pub use machine::{Seen, Trace, Unapplied, apply};
pub use output::{Call, Emitted, EndedCall, Listener, Outputs, Settled};
pub use program::Program;
pub use record::{Applied, Outcome, Recorded, Step, StepError, Told, Unread, WaitsFor};
pub use standing::Standing;
pub use state::{Amount, Branch, Doing, Events, FORMAT, Kept, ListFrame, Phase, Root, State, TaskFrame, Wait};
pub use task::{attribute_of, child_run, event_value, sent};
pub use trace::{Evaluation, Stop, Stops};
pub use value::{Held, ValueId};
