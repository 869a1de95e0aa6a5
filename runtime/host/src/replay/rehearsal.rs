//! A text tried on events in a scratch view, page after page behind, until their end, a stall, or a word to stop.

use super::sizes::Sizes;
use super::walk::{Halted, Replay};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;

/// A rehearsal; what goes on behind ends with it.
#[derive(Debug)]
pub(crate) struct Rehearsal {
    id: String,
    /// How many events there are to try, or more, where a filter names more than a type.
    known: u64,
    progress: Arc<Mutex<Progress>>,
    going: JoinHandle<()>,
}

/// How far a rehearsal got.
#[derive(Debug, Clone)]
pub(crate) struct Progress {
    pub(crate) state: State,
    pub(crate) folded: u64,
    /// Records read.
    pub(crate) read: u64,
    pub(crate) sizes: Sizes,
    /// The view as it stands, as JSON text.
    pub(crate) view: Arc<str>,
    begun: Instant,
    took: Option<Duration>,
}

/// What a rehearsal came to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum State {
    Going,
    ReachedEnd,
    Stalled(Box<Halted>),
    Stopped,
    /// The program could not go on.
    Failed,
}

impl State {
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Going => "going",
            Self::ReachedEnd => "reached_end",
            Self::Stalled(_) => "stalled",
            Self::Stopped => "stopped",
            Self::Failed => "failed",
        }
    }
}

impl Progress {
    /// How long it took, or has taken so far.
    pub(crate) fn took(&self) -> Duration {
        self.took.unwrap_or_else(|| self.begun.elapsed())
    }

    fn end(&mut self, state: State) {
        if self.state == State::Going {
            self.state = state;
            self.took = Some(self.begun.elapsed());
        }
    }
}

impl Drop for Rehearsal {
    fn drop(&mut self) {
        self.going.abort();
    }
}

impl Rehearsal {
    /// Begins to try.
    pub(crate) fn begin(id: String, mut replay: Replay, known: u64) -> Self {
        let progress = Arc::new(Mutex::new(Progress {
            state: State::Going,
            folded: 0,
            read: 0,
            sizes: Sizes::new(),
            view: replay.view().into(),
            begun: Instant::now(),
            took: None,
        }));
        let shared = progress.clone();
        let going = tokio::spawn(async move {
            loop {
                let page = replay.page().await;
                let mut progress = shared.lock().expect("no holder panics");
                if progress.state != State::Going {
                    return;
                }
                let Ok(page) = page else { return progress.end(State::Failed) };
                page.events.iter().for_each(|folded| progress.sizes.add(folded.bytes as u64));
                (progress.folded, progress.read) = (replay.folded(), replay.examined());
                progress.view = replay.view().into();
                match page.halt {
                    Some(halt) => return progress.end(State::Stalled(Box::new(halt))),
                    None if page.end => return progress.end(State::ReachedEnd),
                    None => {}
                }
            }
        });
        Self { id, known, progress, going }
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    pub(crate) fn known(&self) -> u64 {
        self.known
    }

    pub(crate) fn progress(&self) -> Progress {
        self.progress.lock().expect("no holder panics").clone()
    }

    /// Stops at once; what was tried so far stays.
    pub(crate) fn stop(&self) {
        self.progress.lock().expect("no holder panics").end(State::Stopped);
        self.going.abort();
    }
}
