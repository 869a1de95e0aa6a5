//! A run that is taken back: by whoever asked, or by the workflow that waited for it. "How a run ends".

use super::RunState;
use playbook_model::ending::{Kind, Reason, Rejection};
use playbook_model::record::Fact;

/// How a run ends that was asked to be cancelled and has not ended yet; nothing for any other.
#[must_use]
pub fn cancelled(run: &RunState) -> Option<Fact> {
    let (kind, reason) = run.cancel.as_ref().filter(|_| run.ended.is_none())?;
    Some(cancellation(*kind, reason.as_deref()))
}

/// The ending of a cancelled run, with the given reason, or with words for whoever cancelled it.
#[must_use]
pub fn cancellation(kind: Kind, reason: Option<&str>) -> Fact {
    let words = reason.unwrap_or(match kind {
        Kind::Deadline => "The workflow that waited for this run ran out of time",
        Kind::ParentEnded => "The workflow that waited for this run ended, or no longer needs it",
        _ => "The run was cancelled",
    });
    Fact::RunRejected { rejection: Rejection::new(Reason::Cancelled, words).kind(kind), record: None }
}
