//! Recall views: which events a filter takes, how a page moves a view, when it stalls, and the words for each.

mod filter;
mod page;
mod state;
mod words;

pub use filter::{Taking, taking};
pub use page::{Folded, Halt, Plan, PlannedEvent, plan};
pub use state::{LastEvent, Phase, Stall, StallKind, Tries, View};
pub use words::{Behind, not_ready, stalled_words};
