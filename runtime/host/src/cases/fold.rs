//! The events of a case folded into its view, as a replay folds them.

use crate::replay::{Halted, Recall, Replay, Scratch, Source};
use crate::runtime::incident;
use playbook_definition::RecallDetails;
use playbook_model::event::CloudEvent;
use playbook_model::id::DefinitionName;
use playbook_model::record::SavedDefinition;
use playbook_model::refusal::Refusal;
use std::sync::Arc;

/// What folding came to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Folds {
    /// The view after the last event that was folded, as JSON text.
    pub(super) view: String,
    /// How many events were folded.
    pub(super) folded: u64,
    /// What held it up, and the place of the event among those of the case, from 0.
    pub(super) halted: Option<(usize, Halted)>,
}

/// Folds events into a view.
pub(super) async fn fold(
    scratch: &Scratch,
    name: &DefinitionName,
    saved: &SavedDefinition,
    details: &RecallDetails,
    view: String,
    events: &[CloudEvent],
) -> Result<Folds, Refusal> {
    let Some(text) = saved.stripped.clone() else {
        return Err(incident("a document that passed its check has no program"));
    };
    let recall = Arc::new(Recall::new(name.clone(), text, details.clone()));
    let source = Source::events(&recall, events.to_vec());
    let mut replay = Replay::from_view(scratch, recall, source, view);
    let halted = loop {
        let page = replay.page().await?;
        if let Some(halted) = page.halt {
            let place = usize::try_from(halted.position.saturating_sub(1)).unwrap_or(usize::MAX);
            break Some((place, halted));
        }
        if page.end {
            break None;
        }
    };
    Ok(Folds { view: replay.view().to_owned(), folded: replay.folded(), halted })
}

#[cfg(test)]
mod tests {
    use playbook_definition::case::STALLS;
    use playbook_engine::view::StallKind;

    #[test]
    fn a_case_knows_every_kind_of_stall() {
        assert_eq!(StallKind::ALL.map(StallKind::word), STALLS);
        for kind in StallKind::ALL {
            assert_eq!(serde_json::to_value(kind).expect("a word"), kind.word());
        }
    }
}
