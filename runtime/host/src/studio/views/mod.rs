//! A recall function's view, and the bench that repairs a stalled one.

mod behind;
mod case;
mod filters;
mod notes;
mod rehearse;
mod scrub;
mod stall;

pub(super) use notes::Notes;

use super::check::problem_view;
use super::{Answer, Input, Studio};
use crate::replay::{CheckedRecall, Recall};
use crate::views::Refolded;
use playbook_engine::view::Phase;
use playbook_model::definition::DefinitionType;
use playbook_model::ending::{Reason, Rejection};
use playbook_model::id::DefinitionName;
use playbook_model::position::LineIndex;
use playbook_model::{json, limits};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long one call reads the log for a count; the next goes on.
const PATIENCE: Duration = Duration::from_millis(100);
/// Records read at once for it.
const READ: usize = 500;

impl Studio {
    pub(super) async fn get_view(&self, given: &Input) -> Answer {
        let open = self.opened()?;
        let name = name(given)?;
        let definitions = open.runtime.definitions(&open.key, DefinitionType::Recall).await?;
        let definition = definitions.known(DefinitionType::Recall, &name)?;
        let recall = Recall::saved(&name, definition);
        let note = open.views.of(name.as_str());
        let mut standing = open.runtime.standing(&open.key, name.as_str(), definition).await?;
        let view = open.runtime.view_of(&open.key, name.as_str()).filter(|v| v.version == definition.version);
        let built = view.as_ref().is_none_or(|view| matches!(view.phase, Phase::Waiting | Phase::Rebuilding));
        standing["known"] = match &recall {
            Some(recall) if built => behind::known(&open, &note, definition.version, recall).await?.into(),
            _ => Value::Null,
        };
        let filters = match &recall {
            Some(recall) => {
                let folded = view.as_ref().map_or(0, |view| view.folded);
                filters::shown(&open, &note, definition.version, recall, folded).await?
            }
            None => Vec::new(),
        };
        let mut answer = json!({
            "name": name,
            "standing": standing,
            "view": Value::Null,
            "view_bytes": 0,
            "view_bytes_most": limits::VIEW_BYTES,
            "filters": filters,
        });
        if let (Some(view), Some(members)) = (&view, answer.as_object_mut()) {
            let now = value(&view.view);
            members.insert("view_bytes".into(), view.view.len().into());
            if let Some(stall) = &view.stalled {
                let mut stalled = json!({
                    "event": open.runtime.stalled_event(&open.key, view).await?,
                    "before": now,
                    "kind": stall.kind,
                    "error": stall.error,
                    "line": stall.line,
                    "words": playbook_engine::view::stalled_words(&view.name, stall),
                });
                if let Some(recall) = &recall {
                    let waiting = behind::waiting(&open, &note, view.version, recall, stall.position).await?;
                    stalled["waiting"] = waiting.count.into();
                    if waiting.going {
                        stalled["counting"] = true.into();
                    }
                    for (name, told) in stall::told(&open, &note, recall, view, stall, &now).await? {
                        stalled[name] = told;
                    }
                }
                members.insert("stalled".into(), stalled);
            }
            members.insert("view".into(), now);
            if view.phase == Phase::Live
                && let Some(before) = open.runtime.replaced_view(&open.key, name.as_str())
            {
                let replaced = json!({ "version": before.version, "view": value(&before.view) });
                members.insert("replaced".into(), replaced);
            }
        }
        Ok(answer)
    }

    /// The fold of the text on the screen, on the stalled event alone.
    pub(super) async fn refold(&self, given: &Input) -> Answer {
        let open = self.opened()?;
        let name = name(given)?;
        let view = open.runtime.view_of(&open.key, name.as_str());
        let Some((view, stall)) = view.as_ref().and_then(|view| view.stalled.as_ref().map(|stall| (view, stall)))
        else {
            return Err(
                Rejection::new(Reason::Conflict, "The view is not stalled; there is no event to fold again").into()
            );
        };
        let recall = match checked(self, &name, given.text("text")?).await? {
            Ok(recall) => recall,
            Err(problems) => return Ok(json!({ "outcome": "problems", "problems": problems })),
        };
        let begun = Instant::now();
        let refolded = open.runtime.refold(&open.key, stall.position, view.view.clone(), &recall).await?;
        let ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let before = value(&view.view);
        Ok(match refolded {
            Refolded::Folded { after, work, bytes } => json!({
                "outcome": "folded", "before": before, "after": value(&after), "bytes": bytes, "work": work, "ms": ms,
            }),
            Refolded::Passed => json!({ "outcome": "passed", "before": before, "ms": ms }),
            Refolded::Stalled(halt) => json!({
                "outcome": "stalled", "before": before, "kind": halt.kind, "error": halt.error, "line": halt.line, "ms": ms,
            }),
        })
    }
}

/// A recall function's text, checked; or its problems as the Studio shows them.
async fn checked(
    studio: &Studio,
    name: &DefinitionName,
    text: &str,
) -> Result<Result<Arc<Recall>, Vec<Value>>, super::StudioRefusal> {
    Ok(match Recall::check(studio.0.compiler.clone(), name, text).await? {
        CheckedRecall::Ready(recall) => Ok(recall),
        CheckedRecall::Problems(problems) => {
            let index = LineIndex::new(text);
            Err(problems.iter().map(|problem| problem_view(&index, problem)).collect())
        }
    })
}

fn name(given: &Input) -> Result<DefinitionName, super::StudioRefusal> {
    DefinitionName::new(given.text("name")?).map_err(|why| super::invalid("name", why.to_string()))
}

/// A kept view as a value; half a surrogate pair shows as the replacement character.
fn value(text: &str) -> Value {
    json::parse_script(text, limits::VALUE_LEVELS).unwrap_or(Value::Null)
}
