//! Events moved between playbooks, as CloudEvents: those a fold sees, written out and taken in.
//!
//! What is written out is what folds see and nothing else of the history; see `runtime/decisions/moving-events.md`.
//! This module must not know where a text comes from or goes to.

mod export;
mod given;
mod import;
mod text;

pub use export::{EventPage, EventsOf, KeptView, LogReader, SeenAt, is_seen};
pub use given::as_seen;
pub use import::{GivenEvent, Imported, Recording, RefusedEvent, Taking};
pub use text::{EventTexts, NextEvent};

use playbook_history::Wanted;
use playbook_model::record::RECORDED_TYPES;

/// The records that hold events of these types.
///
/// An event of a type that the playbook records may also be one of another playbook's history, which was imported.
pub(crate) fn wanted<'a>(types: impl IntoIterator<Item = &'a str>) -> Vec<Wanted> {
    let mut wanted = Vec::new();
    for of in types {
        wanted.push(Wanted::Published(of.to_owned()));
        if RECORDED_TYPES.contains(&of) {
            wanted.push(Wanted::Kind(of.to_owned()));
        }
    }
    wanted.sort();
    wanted.dedup();
    wanted
}
