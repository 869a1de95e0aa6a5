//! One file a kind of task.

mod attempt;
mod call;
mod emit;
mod fork;
mod listen;
mod raise;
mod repeat;
mod set;
mod switch;
mod wait;

pub use call::child_run;
pub use listen::{attribute_of, event_value, sent};
