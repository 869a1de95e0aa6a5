//! The fold of a text on the screen, on the event a view stopped at: what the Studio's bench shows.

use super::job::{expressions, halt};
use super::pass::Ready;
use crate::runtime::Runtime;
use playbook_engine::view::{Halt, Taking, View, taking};
use playbook_model::id::PlaybookKey;
use playbook_model::limits;
use playbook_model::refusal::Refusal;
use playbook_worker::{Haste, PageEvent, PageJob, Step, Trace};
use serde_json::Value;

/// What a fold came to on one event.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Refolded {
    /// The next view.
    Folded {
        /// The view as JSON text.
        after: String,
        /// Checkpoints spent.
        work: u32,
        /// The view's size.
        bytes: usize,
    },
    /// No filter takes the event.
    Passed,
    /// It would stall.
    Stalled(Halt),
}

/// The key of a page that no kept sandbox may serve.
const NO_KEPT_SANDBOX: u64 = 0;

impl Runtime {
    /// The event a stalled view stopped at, whole.
    pub(crate) async fn stalled_event(&self, playbook: &PlaybookKey, view: &View) -> Result<Option<Value>, Refusal> {
        let Some(stall) = &view.stalled else { return Ok(None) };
        let seen = self.seen_record(playbook, stall.position).await?;
        Ok(seen.map(|seen| serde_json::to_value(&seen.event).expect("an event holds nothing JSON cannot")))
    }

    /// Folds one event of the log into a view with another program; nothing is written.
    pub(crate) async fn refold(
        &self,
        playbook: &PlaybookKey,
        position: u64,
        view: String,
        ready: Ready,
    ) -> Result<Refolded, Refusal> {
        let Some(seen) = self.seen_record(playbook, position).await? else { return Ok(Refolded::Passed) };
        let ask = match taking(&ready.details.filters, &seen.event) {
            Taking::No => return Ok(Refolded::Passed),
            Taking::Yes => Vec::new(),
            Taking::Ask(ask) => ask,
        };
        let event = PageEvent {
            json: serde_json::to_string(&seen.event).expect("an event holds nothing JSON cannot"),
            clock: seen.time,
            ask,
        };
        let job = PageJob {
            key: NO_KEPT_SANDBOX,
            filters: expressions(&ready.details),
            schema: ready.details.view_schema.clone(),
            program: ready.program,
            view,
            events: vec![event],
            page_milliseconds: limits::PAGE_MILLISECONDS,
            fold_milliseconds: limits::FOLD_MILLISECONDS,
            work: limits::FOLD_WORK,
            filter_work: limits::FILTER_WORK,
            memory: limits::FOLD_MEMORY,
            trace: Trace::Nothing,
        };
        match self.0.pool.page(job, Haste::Live).await {
            Ok(done) => Ok(match (done.stop, done.steps.first()) {
                (Some(stop), _) => Refolded::Stalled(halt(stop)),
                (None, Some(Step::Folded { work, bytes })) => {
                    Refolded::Folded { after: done.view, work: *work, bytes: *bytes }
                }
                (None, _) => Refolded::Passed,
            }),
            Err(lost) => Err(crate::runtime::incident(&format!("the bench lost its worker: {lost:?}"))),
        }
    }
}
