//! How an operation was refused: a rejection, or an incident of our own.

use crate::ending::{Kind, Reason, Rejection};

/// What an operation answers instead of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// Refused with words the caller can act on.
    Rejected(Rejection),
    /// The runtime broke down; the cause is in its log under this id.
    Incident {
        /// A UUID.
        id: String,
    },
}

impl From<Rejection> for Refusal {
    fn from(rejection: Rejection) -> Self {
        Self::Rejected(rejection)
    }
}

/// The seconds a caller should wait before the same request may succeed; `None` when waiting does not help.
///
/// Problem documents: `Retry-After: 5` on `unavailable`, but not where only a change of settings helps.
#[must_use]
pub fn retry_after(rejection: &Rejection) -> Option<u32> {
    let hopeless = matches!(rejection.kind, Some(Kind::ToolsUnfinished | Kind::ToolNotOffered | Kind::ModelNotOffered));
    (rejection.reason == Reason::Unavailable && !hopeless).then_some(5)
}

/// The last part of a problem document's type: the kind's own where it has one, else the reason.
#[must_use]
pub fn problem_type(rejection: &Rejection) -> String {
    match rejection.kind {
        Some(kind @ (Kind::ToolsCalled | Kind::EffectUnknown | Kind::ToolsUnfinished | Kind::Rebuilding)) => {
            kind.word()
        }
        _ => rejection.reason.word().to_owned(),
    }
}
