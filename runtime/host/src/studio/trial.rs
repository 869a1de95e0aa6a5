//! A trial: the text on the screen, run on an input and recorded nowhere.

use super::{Answer, Input, Studio};
use playbook_definition::Details;
use playbook_function::{Performed, Stage};
use playbook_model::ending::{Ending, Reason, Rejection};
use playbook_model::{json, limits};
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};

impl Studio {
    pub(super) async fn trial(&self, given: &Input) -> Answer {
        let open = self.opened()?;
        let key = given.definition()?;
        let text = given.text("text")?.to_owned();
        let input = given.0.get("input").cloned().unwrap_or_else(|| Value::Object(Map::new()));
        if json::bytes(&input) > limits::INPUT_BYTES {
            let words = format!("Expected an input of at most {} bytes as JSON", limits::INPUT_BYTES);
            return Err(super::invalid("input", words));
        }
        let checked = crate::ops::judge(self.0.compiler.clone(), &key, &text).await?;
        let saved = crate::ops::ready(checked, &text)?;
        let details: Details = serde_json::from_value(saved.details.clone())
            .map_err(|why| crate::runtime::incident(&format!("a trial's details cannot be read: {why}")))?;
        let stage = Stage {
            pool: open.runtime.pool(),
            started: open.runtime.now(),
            deadline: Instant::now() + Duration::from_millis(limits::RUN_MILLISECONDS),
            milliseconds: limits::RUN_MILLISECONDS,
        };
        let performed = match details {
            Details::Workflow(_) => {
                let words = "A workflow runs as it was saved: save it, and start a run";
                return Err(Rejection::new(Reason::Conflict, words).into());
            }
            Details::Interaction(_) => {
                let words = "A trial asks nobody: save the function, and a run of it asks";
                return Err(Rejection::new(Reason::Conflict, words).into());
            }
            Details::Computation(details) => playbook_function::computation(&stage, &saved, &details, &input).await,
            Details::Recall(details) => {
                // The view that is kept is of the saved version: a trial asks it with the answer on the screen.
                let reading = match open.runtime.view_of(&open.key, key.name.as_str()) {
                    Some(view) => open.runtime.reading(&open.key, key.name.as_str(), view.version).await,
                    None => Err(Rejection::new(
                        Reason::Conflict,
                        "There is no view to ask yet; save the function, and its view is built",
                    )),
                };
                playbook_function::recall(&stage, &saved, &details, &input, || reading).await
            }
        };
        Ok(json!({ "ending": ending_view(performed) }))
    }
}

fn ending_view(performed: Performed) -> Value {
    match performed {
        Performed::Ended(Ending::Succeeded { output, record }) => {
            json!({ "status": "succeeded", "output": output, "record": record })
        }
        Performed::Ended(Ending::Rejected(rejection)) => json!({ "status": "rejected", "rejection": rejection }),
        Performed::Ended(Ending::Failed { incident }) => json!({ "status": "failed", "incident": incident }),
        Performed::Broke(cause) => match crate::runtime::incident(&cause) {
            playbook_model::refusal::Refusal::Incident { id } => json!({ "status": "failed", "incident": id }),
            playbook_model::refusal::Refusal::Rejected(rejection) => {
                json!({ "status": "rejected", "rejection": rejection })
            }
        },
    }
}
