//! The routes of rehearsing: the text on the screen tried on the last events, or on all of them, before it is saved.

use super::behind::known_records;
use super::{checked, name, value};
use crate::replay::{PAGE_EVENTS, Rehearsal, Replay, Source, State, last};
use crate::studio::{Answer, Input, Studio, StudioRefusal, invalid};
use playbook_model::ending::{Reason, Rejection};
use playbook_model::word::thousands;
use serde_json::json;
use std::sync::Arc;

/// Events of the scope `last`.
const LAST: usize = 100;
const _: () = assert!(LAST <= PAGE_EVENTS);

/// The rehearsal that is going or went last, with its scope's word.
pub(super) struct Rehearsed {
    scope: &'static str,
    rehearsal: Rehearsal,
}

impl Studio {
    /// Begins to try the text on the screen; ends a rehearsal that goes on.
    pub(in crate::studio) async fn rehearse(&self, given: &Input) -> Answer {
        let open = self.opened()?;
        let name = name(given)?;
        let scope = match given.text("scope")? {
            "last" => "last",
            "all" => "all",
            _ => return Err(invalid("scope", "Expected last or all".into())),
        };
        let recall = match checked(self, &name, given.text("text")?).await? {
            Ok(recall) => recall,
            Err(problems) => return Ok(json!({ "problems": problems })),
        };
        let (source, known) = if scope == "last" {
            let view = open.runtime.view_of(&open.key, name.as_str());
            let stalled = view.and_then(|view| view.stalled.as_ref().map(|stall| stall.position));
            let position = stalled.unwrap_or(u64::MAX - 1);
            let events = last(&open.runtime, &open.key, &recall, position, LAST).await?;
            let known = events.len() as u64;
            (Source::taken(events), known)
        } else {
            (Source::log(&open.runtime, &open.key), known_records(&open, &recall).await?)
        };
        let replay = Replay::new(open.runtime.scratch(), recall, source);
        let id = uuid::Uuid::now_v7().to_string();
        let note = open.views.of(name.as_str());
        let mut rehearsed = note.rehearsed.lock().expect("no holder panics");
        *rehearsed = Some(Arc::new(Rehearsed { scope, rehearsal: Rehearsal::begin(id.clone(), replay, known) }));
        Ok(json!({ "rehearsal": id }))
    }

    /// How far a rehearsal is.
    pub(in crate::studio) async fn rehearsal(&self, given: &Input) -> Answer {
        let rehearsed = self.rehearsed(given)?;
        let progress = rehearsed.rehearsal.progress();
        let mut answer = json!({
            "state": progress.state.word(),
            "scope": rehearsed.scope,
            "folded": progress.folded,
            "read": progress.read,
            "known": rehearsed.rehearsal.known(),
            "ms": u64::try_from(progress.took().as_millis()).unwrap_or(u64::MAX),
            "sizes": progress.sizes.shown(),
            "peak": progress.sizes.peak().map(|(index, bytes)| json!({ "index": index, "bytes": bytes })),
            "view_bytes": progress.view.len(),
        });
        if progress.state != State::Going {
            answer["view"] = value(&progress.view);
        }
        match progress.state {
            State::Stalled(halted) => {
                answer["stalled"] = json!({
                    "event": halted.event,
                    "before": value(&halted.before),
                    "kind": halted.kind,
                    "error": halted.error,
                    "line": halted.line,
                    "index": progress.folded + 1,
                });
            }
            State::Failed => {
                let folded = thousands(progress.folded);
                let words =
                    format!("The rehearsal broke off after {folded} events, by no fault of the text; try again");
                answer["detail"] = words.into();
            }
            State::Going | State::ReachedEnd | State::Stopped => {}
        }
        Ok(answer)
    }

    /// Stops a rehearsal; what it came to stays.
    pub(in crate::studio) async fn stop_rehearsal(&self, given: &Input) -> Answer {
        self.rehearsed(given)?.rehearsal.stop();
        Ok(json!({}))
    }

    fn rehearsed(&self, given: &Input) -> Result<Arc<Rehearsed>, StudioRefusal> {
        let open = self.opened()?;
        let (name, id) = (name(given)?, given.text("id")?);
        let note = open.views.known(name.as_str());
        let rehearsed = note.and_then(|note| note.rehearsed.lock().expect("no holder panics").clone());
        rehearsed.filter(|rehearsed| rehearsed.rehearsal.id() == id).ok_or_else(|| {
            let words = "There is no such rehearsal; another of this view took its place, or the folder was closed";
            Rejection::new(Reason::NotFound, words).into()
        })
    }
}

impl Rehearsed {
    pub(super) fn stop(&self) {
        self.rehearsal.stop();
    }
}
