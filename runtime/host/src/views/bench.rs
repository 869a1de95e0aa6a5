//! The fold of a text on the screen, on the event a view stopped at: what the Studio's bench shows.

use crate::replay::{Pace, Recall, Scratch, Terms, planned};
use crate::runtime::Runtime;
use playbook_engine::view::{Halt, View};
use playbook_model::id::PlaybookKey;
use playbook_model::refusal::Refusal;
use playbook_worker::{Step, Trace};
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
        recall: &Recall,
    ) -> Result<Refolded, Refusal> {
        let Some(seen) = self.seen_record(playbook, position).await? else { return Ok(Refolded::Passed) };
        let Some(event) = planned(recall, &[(position, seen)]).pop() else { return Ok(Refolded::Passed) };
        let terms = Terms { key: Scratch::key(), recall, pace: Pace::AtOnce, trace: Trace::Nothing };
        let portion = self.scratch().fold(terms, view, &[(&*event.seen, event.ask.as_slice())]).await?;
        Ok(match (portion.halt, portion.steps.first()) {
            (Some(halt), _) => Refolded::Stalled(halt),
            (None, Some(Step::Folded { work, bytes })) => {
                Refolded::Folded { after: portion.view, work: *work, bytes: *bytes }
            }
            (None, _) => Refolded::Passed,
        })
    }
}
