//! A check of the text on the screen, as the Studio shows it.

use super::{Answer, Input, Studio};
use playbook_definition::workflow::{flowchart, outline};
use playbook_definition::{Checked, Definition, Details, Unjudged};
use playbook_model::definition::DefinitionType;
use playbook_model::limits;
use playbook_model::position::LineIndex;
use playbook_model::problem::Problem;
use serde_json::{Value, json};

impl Studio {
    pub(super) async fn check(&self, given: &Input) -> Answer {
        let key = given.definition()?;
        let text = given.text("text")?.to_owned();
        let checked = crate::ops::judge(self.0.compiler.clone(), &key, &text).await?;
        Ok(check_view(key.kind, &text, checked))
    }
}

/// A check's result; every edit also as lines and columns, since a text in an editor counts in UTF-16 units.
pub(super) fn check_view(kind: DefinitionType, text: &str, checked: Checked) -> Value {
    let index = LineIndex::new(text);
    let problems: Vec<Value> = checked.problems.iter().map(|problem| problem_view(&index, problem)).collect();
    let unjudged = checked.unjudged.map(|unjudged| match unjudged {
        Unjudged::OutOfTime { sentence } | Unjudged::NotReady { sentence } => sentence,
    });
    let definition = checked.definition.as_ref();
    json!({
        "judged": if unjudged.is_none() { "yes" } else { "no" },
        "not_judged": unjudged,
        "problems": problems,
        "description": checked.outline.description,
        "input_schema": checked.outline.input_schema,
        "output_schema": checked.outline.output_schema,
        "view_schema": checked.outline.view_schema,
        "declarations": checked.declarations,
        "overview_markdown": definition.map(|definition| definition.overview.clone()),
        "bytes": text.len(),
        "bytes_most": limits::DOCUMENT_BYTES,
        "largest_view": checked.largest_view,
        "workflow": (kind == DefinitionType::Workflow).then(|| workflow_view(text, definition)),
    })
}

/// A workflow's drawing, of a text that passes, and where its tasks stand, of one that is YAML.
fn workflow_view(text: &str, definition: Option<&Definition>) -> Value {
    let details = definition.and_then(|definition| match &definition.details {
        Details::Workflow(details) => Some(details),
        _ => None,
    });
    json!({ "flowchart": details.map(|details| flowchart(details)), "outline": outline(text) })
}

pub(super) fn problem_view(index: &LineIndex<'_>, problem: &Problem) -> Value {
    let mut view = serde_json::to_value(problem).expect("a problem holds nothing JSON cannot");
    if let (Some(fix), Some(edits)) = (&problem.fix, view.pointer_mut("/fix/edits").and_then(Value::as_array_mut)) {
        for (edit, shown) in fix.edits.iter().zip(edits) {
            if let Some(members) = shown.as_object_mut() {
                members.insert("from".into(), json!(index.place(edit.span.start)));
                members.insert("to".into(), json!(index.place(edit.span.end)));
            }
        }
    }
    view
}
