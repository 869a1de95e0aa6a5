//! What is known of an open folder's views beside what is kept of them; gone when the folder closes.

use super::behind::{Known, Waiting};
use super::filters::Misses;
use super::stall::Told;
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
}

impl Notes {
    pub(super) fn of(&self, name: &str) -> Arc<Note> {
        let mut notes = self.0.lock().expect("no holder panics");
        notes.entry(name.to_owned()).or_default().clone()
    }
}
