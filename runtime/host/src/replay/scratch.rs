//! Where replays fold: workers of their own, so that no view that is kept and no run ever waits for one of them.

use super::recall::Recall;
use crate::runtime::{OpenError, incident, stopping};
use crate::views::{expressions, halt};
use playbook_engine::event::Seen;
use playbook_engine::view::{Halt, StallKind};
use playbook_model::limits;
use playbook_model::refusal::Refusal;
use playbook_worker::{
    Added, Haste, PageDone, PageEvent, PageJob, PageLost, PageStop, Pool, Step, Trace, WorkerProgram,
};
use std::sync::atomic::{AtomicU64, Ordering};

/// How long a page folds: a person who waits for another fold waits no longer for its turn.
const PAGE_MILLISECONDS: u64 = 200;
/// The same where views are written down between pages, from which others are folded again.
const TRACED_MILLISECONDS: u64 = 80;

/// Names the sandboxes of one replay. 0 names none.
static KEYS: AtomicU64 = AtomicU64::new(1);

/// What replays fold in; cheap to clone.
#[derive(Debug, Clone)]
pub struct Scratch {
    pool: Pool,
}

/// Whether somebody waits for a fold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    /// A person does.
    AtOnce,
    /// It is one of many, of a replay that takes its time.
    Behind,
}

/// What is folded, and how.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms<'a> {
    /// Names the sandboxes of one replay; see [`Scratch::key`].
    pub(crate) key: u64,
    pub(crate) recall: &'a Recall,
    pub(crate) pace: Pace,
    pub(crate) trace: Trace,
}

/// What folding some events came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Portion {
    /// The view after the steps, as JSON text.
    pub(crate) view: String,
    /// One for each event that was gone past.
    pub(crate) steps: Vec<Step>,
    /// The top-level members that the folds added, where that is traced.
    pub(crate) added: Vec<Added>,
    /// What held up the event after them; `None` when all were gone past or the time of a page ran out.
    pub(crate) halt: Option<Halt>,
    /// The same as whoever folds tells it; `None` for an event that it was lost at.
    pub(crate) stop: Option<PageStop>,
}

impl Scratch {
    /// Makes ready to fold; nothing is started yet.
    ///
    /// # Errors
    /// [`OpenError`] when there is no program to fold with.
    pub fn new() -> Result<Self, OpenError> {
        let program = WorkerProgram::find().map_err(|why| OpenError::Workers(why.to_string()))?;
        Ok(Self::with(program))
    }

    pub(crate) fn with(program: WorkerProgram) -> Self {
        Self { pool: Pool::new(program, 1) }
    }

    /// Lets go of everything: folds that go on are refused.
    pub async fn stop(&self) {
        self.pool.stop().await;
    }

    /// A name for the sandboxes of one replay.
    pub(crate) fn key() -> u64 {
        KEYS.fetch_add(1, Ordering::Relaxed)
    }

    /// Folds events into a view, each with the filters whose expression decides.
    ///
    /// An event that ends its worker or is late halts at once: the twenty tries of a kept view are for a machine that
    /// is busy, and whoever replays can try again.
    pub(crate) async fn fold(
        &self,
        terms: Terms<'_>,
        view: String,
        events: &[(&Seen, &[usize])],
    ) -> Result<Portion, Refusal> {
        let haste = match terms.pace {
            Pace::AtOnce => Haste::Live,
            // At least one worker is left to those who wait.
            Pace::Behind => Haste::Build,
        };
        let job = job(terms, view, events);
        let before = job.view.clone();
        let (at, kind, error) = match self.pool.page(job, haste).await {
            Ok(done) => return Ok(portion(done)),
            Err(PageLost::Stopping) => return Err(stopping()),
            Err(PageLost::Crashed { at }) => (at, StallKind::Crash, "The worker folding it crashed"),
            Err(PageLost::Late { at }) => (at, StallKind::Time, "The fold ran out of its 10 seconds"),
        };
        let halted = Halt { kind, error: error.into(), line: None, filter: false };
        let whole = &events[..at.min(events.len())];
        if whole.is_empty() {
            let (steps, added) = (Vec::new(), Vec::new());
            return Ok(Portion { view: before, steps, added, halt: Some(halted), stop: None });
        }
        match self.pool.page(self::job(terms, before, whole), haste).await {
            Ok(done) => {
                let mut portion = portion(done);
                if portion.halt.is_none() && portion.steps.len() == whole.len() {
                    portion.halt = Some(halted);
                }
                Ok(portion)
            }
            Err(PageLost::Stopping) => Err(stopping()),
            Err(lost) => Err(incident(&format!("a replay lost its worker twice: {lost:?}"))),
        }
    }
}

fn job(terms: Terms<'_>, view: String, events: &[(&Seen, &[usize])]) -> PageJob {
    let details = terms.recall.details();
    PageJob {
        key: terms.key,
        program: terms.recall.ready.program.clone(),
        filters: expressions(details),
        schema: details.view_schema.clone(),
        view,
        events: events
            .iter()
            .map(|(seen, ask)| PageEvent {
                json: serde_json::to_string(&seen.event).expect("an event holds nothing JSON cannot"),
                clock: seen.time,
                ask: ask.to_vec(),
            })
            .collect(),
        page_milliseconds: match terms.trace {
            Trace::Nothing => PAGE_MILLISECONDS,
            Trace::Added => TRACED_MILLISECONDS,
        },
        fold_milliseconds: limits::FOLD_MILLISECONDS,
        work: limits::FOLD_WORK,
        filter_work: limits::FILTER_WORK,
        memory: limits::FOLD_MEMORY,
        trace: terms.trace,
    }
}

fn portion(done: PageDone) -> Portion {
    let stop = done.stop.clone();
    Portion { view: done.view, steps: done.steps, added: done.added, halt: done.stop.map(halt), stop }
}
