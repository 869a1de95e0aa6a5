//! An edit of a workflow's drawing, made in the text on the screen.

use super::{Answer, Input, invalid};
use playbook_definition::workflow::edit::{self, Operation};
use playbook_definition::workflow::outline;
use playbook_model::limits;
use playbook_model::position::LineIndex;
use serde_json::{Value, json};

/// The most edits made at once; the Studio needs two.
const MOST_OPERATIONS: usize = 32;

/// Gives the changes to make in the text; nothing is written. A text past the bound of a document is refused, since a
/// document that large cannot be saved.
pub(super) fn edit(given: &Input) -> Answer {
    let text = given.text("text")?;
    if text.len() > limits::DOCUMENT_BYTES {
        return Err(invalid("text", format!("The text is longer than {} bytes", limits::DOCUMENT_BYTES)));
    }
    let operations = given.0.get("operations").cloned().unwrap_or(Value::Null);
    let operations: Vec<Operation> = serde_json::from_value(operations)
        .map_err(|why| invalid("operations", format!("Expected a list of edits as operations: {why}")))?;
    if operations.len() > MOST_OPERATIONS {
        return Err(invalid("operations", format!("At most {MOST_OPERATIONS} edits are made at once")));
    }
    let edited = edit::edit(text, &operations).map_err(|why| invalid("operations", why.to_string()))?;
    let index = LineIndex::new(text);
    let view = |edit: &playbook_model::problem::Edit| {
        json!({
            "span": edit.span,
            "from": index.place(edit.span.start),
            "to": index.place(edit.span.end),
            "text": edit.text,
        })
    };
    Ok(json!({
        "text": edited.text,
        "edits": edited.edits.iter().map(view).collect::<Vec<_>>(),
        "task": edited.task,
        "outline": outline(&edited.text),
    }))
}
