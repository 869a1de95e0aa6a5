//! The routes of scrubbing: back and forth over the events that the latest version folded.

use super::notes::{Note, Scrubbed};
use super::{name, value};
use crate::replay::{Jump, Phase, Recall, Scrub};
use crate::studio::open::Open;
use crate::studio::{Answer, Input, Studio, StudioRefusal, invalid};
use playbook_model::definition::DefinitionType;
use playbook_model::ending::{Reason, Rejection};
use playbook_model::time::Moment;
use serde_json::json;
use std::sync::Arc;
use std::time::Instant;

/// A scrub with what its view folded so far.
struct Going {
    version: u32,
    folded: u64,
    scrub: Arc<Scrub>,
}

impl Studio {
    /// How far the index is; begins it, or goes on with it.
    pub(in crate::studio) async fn scrub(&self, given: &Input) -> Answer {
        let open = self.opened()?;
        let Going { version, folded, scrub } = self.going(&open, given).await?;
        scrub.go_on(folded);
        let standing = scrub.standing();
        Ok(json!({
            "version": version,
            "indexed": standing.indexed,
            "folded": folded.max(standing.indexed),
            "state": match standing.phase {
                Phase::Indexing => "indexing",
                Phase::Ready => "ready",
                Phase::Stalled(_) => "stalled",
                Phase::Failed(_) => "failed",
            },
            "sizes": standing.sizes,
            "peak": standing.peak.map(|(index, bytes)| json!({ "index": index, "bytes": bytes })),
            "growth": standing.grew.map(|change| json!({ "index": change.index, "by": change.by })),
            "detail": match standing.phase {
                Phase::Failed(_) => Some("The index broke off, by no fault of the function; it is gone on with shortly"),
                _ => None,
            },
        }))
    }

    /// One event with the view on both sides of it.
    pub(in crate::studio) async fn scrub_to(&self, given: &Input) -> Answer {
        let open = self.opened()?;
        let index = given.number("index")?;
        let Going { scrub, .. } = self.going(&open, given).await?;
        let begun = Instant::now();
        let Some(frame) = scrub.at(index).await? else {
            let indexed = scrub.standing().indexed;
            let words = format!("The event {index} is not in the index, which has {indexed} so far");
            return Err(Rejection::new(Reason::NotFound, words).into());
        };
        let ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let sides = (frame.before.clone(), frame.after.clone());
        let read = move || (sides.0.as_ref().map(|view| value(view)), value(&sides.1));
        let (before, after) = tokio::task::spawn_blocking(read)
            .await
            .map_err(|why| crate::runtime::incident(&format!("reading a view broke down: {why}")))?;
        Ok(json!({
            "index": index,
            "event": frame.event,
            "position": frame.position,
            "before": before,
            "after": after,
            "bytes_before": frame.before.as_ref().map(|view| view.len()),
            "bytes_after": frame.after.len(),
            "work": frame.work,
            "ms": ms,
        }))
    }

    /// Where an event is that did something, or happened at some time.
    pub(in crate::studio) async fn scrub_jump(&self, given: &Input) -> Answer {
        let open = self.opened()?;
        let jump = jump(given)?;
        let Going { scrub, .. } = self.going(&open, given).await?;
        let (index, why) = scrub.jump(&jump).await?;
        Ok(json!({ "index": index, "why": why }))
    }

    async fn going(&self, open: &Arc<Open>, given: &Input) -> Result<Going, StudioRefusal> {
        let name = name(given)?;
        let definitions = open.runtime.definitions(&open.key, DefinitionType::Recall).await?;
        let definition = definitions.known(DefinitionType::Recall, &name)?;
        let version = definition.version;
        let note = open.views.of(name.as_str());
        let view = open.runtime.view_of(&open.key, name.as_str()).filter(|view| view.version == version);
        let folded = view.map_or(0, |view| view.folded);
        let known = note.scrub(version);
        let scrub = match known {
            Some(scrub) => scrub,
            None => {
                let Some(recall) = Recall::saved(&name, definition) else {
                    return Err(crate::runtime::incident("a recall function's details cannot be read").into());
                };
                let folder = open.folder.path().join(".playbook");
                let scrub = Arc::new(Scrub::new(&open.runtime, &open.key, recall, &folder));
                open.views.let_go_of_scrubs(name.as_str());
                note.keep_scrub(Scrubbed { version, scrub })
            }
        };
        Ok(Going { version, folded, scrub })
    }
}

impl Note {
    /// The index of a version; that of another is let go of.
    fn scrub(&self, version: u32) -> Option<Arc<Scrub>> {
        let mut scrubbed = self.scrubbed.lock().expect("no holder panics");
        let kept = scrubbed.take().filter(|scrubbed| scrubbed.version == version);
        *scrubbed = kept;
        scrubbed.as_ref().map(|scrubbed| scrubbed.scrub.clone())
    }

    /// Keeps an index, unless another call was quicker.
    fn keep_scrub(&self, made: Scrubbed) -> Arc<Scrub> {
        let mut scrubbed = self.scrubbed.lock().expect("no holder panics");
        match &*scrubbed {
            Some(kept) if kept.version >= made.version => kept.scrub.clone(),
            _ => scrubbed.insert(made).scrub.clone(),
        }
    }
}

fn jump(given: &Input) -> Result<Jump, StudioRefusal> {
    match given.text("to")? {
        "added" => {
            let from = if given.0.contains_key("from") { given.number("from")? } else { u64::MAX };
            Ok(Jump::Added { name: given.text("key")?.to_owned(), from })
        }
        "grew" => Ok(Jump::Grew),
        "shrank" => Ok(Jump::Shrank),
        "time" => {
            let time = Moment::parse(given.text("time")?);
            let words = "Expected a time such as 2026-10-03T16:40:05.000Z";
            time.map(Jump::Time).ok_or_else(|| invalid("time", words.into()))
        }
        "event" => Ok(Jump::Event(given.text("id")?.to_owned())),
        _ => Err(invalid("to", "Expected added, grew, shrank, time or event".into())),
    }
}
