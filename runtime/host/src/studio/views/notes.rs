//! What is known of an open folder's views beside what is kept of them; gone when the folder closes.

use super::behind::{Known, Waiting};
use super::filters::Misses;
use super::rehearse::Rehearsed;
use super::stall::Told;
use crate::replay::Scrub;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// The notes of every view of a folder.
#[derive(Default)]
pub(in crate::studio) struct Notes(Mutex<HashMap<String, Arc<Note>>>);

/// The notes of one view. Each is of a version, and made anew for another.
#[derive(Default)]
pub(super) struct Note {
    pub(super) known: tokio::sync::Mutex<Option<Known>>,
    pub(super) waiting: tokio::sync::Mutex<Option<Waiting>>,
    pub(super) misses: tokio::sync::Mutex<Option<Misses>>,
    pub(super) told: tokio::sync::Mutex<Option<Told>>,
    pub(super) scrubbed: Mutex<Option<Scrubbed>>,
    pub(super) rehearsed: Mutex<Option<Arc<Rehearsed>>>,
}

/// The index of a version's events.
pub(super) struct Scrubbed {
    pub(super) version: u32,
    pub(super) scrub: Arc<Scrub>,
}

impl Notes {
    pub(super) fn of(&self, name: &str) -> Arc<Note> {
        let mut notes = self.0.lock().expect("no holder panics");
        notes.entry(name.to_owned()).or_default().clone()
    }

    pub(super) fn known(&self, name: &str) -> Option<Arc<Note>> {
        self.0.lock().expect("no holder panics").get(name).cloned()
    }

    /// Lets go of the indexes of other views: one at a time is looked at, and each takes memory and room on the disk.
    pub(super) fn let_go_of_scrubs(&self, but: &str) {
        let notes = self.0.lock().expect("no holder panics");
        for (_, note) in notes.iter().filter(|(name, _)| *name != but) {
            note.scrubbed.lock().expect("no holder panics").take();
        }
    }

    /// Ends what goes on behind, since the folder closes.
    pub(in crate::studio) fn close(&self) {
        let notes = std::mem::take(&mut *self.0.lock().expect("no holder panics"));
        for note in notes.into_values() {
            if let Some(scrubbed) = note.scrubbed.lock().expect("no holder panics").take() {
                scrubbed.scrub.stop();
            }
            if let Some(rehearsed) = note.rehearsed.lock().expect("no holder panics").take() {
                rehearsed.stop();
            }
        }
    }
}
