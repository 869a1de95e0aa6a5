//! Replays: the text of a recall function folded over events in a scratch view. "The events", "When a view stalls".
//!
//! A replay folds as the playbook's own views are folded, event by event under the same filters and bounds, and
//! records nothing. It must not know the kept views, nor tell outwards who folds.

mod index;
mod last;
mod recall;
mod rehearsal;
mod scratch;
mod scrub;
mod shrink;
mod sizes;
mod snapshots;
mod source;
mod taken;
mod walk;

#[cfg(test)]
mod tests;

pub use playbook_engine::view::StallKind;
pub use recall::{CheckedRecall, Recall};
pub use scratch::Scratch;
pub use source::Source;
pub use walk::{Folded, Halted, Page, Replay};

pub(crate) use last::last;
pub(crate) use rehearsal::{Rehearsal, State};
pub(crate) use scratch::{Pace, Portion, Terms};
pub(crate) use scrub::{Jump, Phase, Scrub};
pub(crate) use shrink::Shrinker;
pub(crate) use source::{Planned, planned, seen_records};
pub(crate) use taken::taken;

/// Records of the log that a replay reads at once, and so the most events of one page.
pub const PAGE_EVENTS: usize = 500;
