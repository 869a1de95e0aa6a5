//! How far something that takes long has come, told beside the results to a person who waits.

use playbook_model::word::count;
use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

/// How long nothing is told.
const PATIENCE: Duration = Duration::from_secs(1);
/// The time between two tellings.
const BETWEEN: Duration = Duration::from_millis(200);

/// What is told of one thing.
#[derive(Debug)]
pub(crate) struct Progress {
    begun: Instant,
    told: Option<Instant>,
    heard: bool,
    what: &'static str,
}

impl Progress {
    /// Begins, as `Folded`; nothing is told where no person sees it.
    pub(crate) fn begin(what: &'static str) -> Self {
        Self { begun: Instant::now(), told: None, heard: io::stderr().is_terminal(), what }
    }

    /// As [`Self::begin`], while results are written: nothing is told where they go to the same person.
    pub(crate) fn begin_beside_results(what: &'static str) -> Self {
        let mut begun = Self::begin(what);
        begun.heard &= !io::stdout().is_terminal();
        begun
    }

    /// Tells how many events were gone through.
    pub(crate) fn tell(&mut self, events: u64) {
        let due = self.told.map_or(self.begun.elapsed() >= PATIENCE, |told| told.elapsed() >= BETWEEN);
        if !(self.heard && due) {
            return;
        }
        self.told = Some(Instant::now());
        say(&format!("\r{} {} in {} s …", self.what, count(events, "event", "events"), self.begun.elapsed().as_secs()));
    }

    /// Takes away what was told.
    pub(crate) fn end(&mut self) {
        if self.told.take().is_some() {
            say("\r\u{1b}[K");
        }
    }
}

/// That nobody hears it is no failure.
fn say(words: &str) {
    let mut out = io::stderr().lock();
    let _ = out.write_all(words.as_bytes()).and_then(|()| out.flush());
}
