//! From a workflow's document to its program.

use super::draft::Draft;
use super::program::WorkflowDetails;
use super::sight::Around;
use super::{document, doubt, judge, schedule};
use crate::check::{Judge, Made, Read};
use crate::details::{Data, Details};
use crate::reader::{Part, Reader, SchemaRead};
use crate::{overview, yaml};
use playbook_model::limits::VALUE_LEVELS;
use playbook_model::problem::Form;
use serde_json::Value;

/// What a workflow's document is to the reader of YAML. "Limits": nested values.
pub(crate) const TEXT: yaml::Text = yaml::Text { name: "The document", levels: VALUE_LEVELS };

/// Reads a document whose runs may last for `longest` milliseconds, and judges its expressions.
pub(crate) fn read(reader: &mut Reader<'_>, judged_by: Judge<'_>, longest: u64) -> Read {
    let found = document_of(reader, judged_by, longest);
    for problem in &mut reader.problems {
        problem.form = Form::Column;
    }
    found
}

fn document_of(reader: &mut Reader<'_>, judged_by: Judge<'_>, longest: u64) -> Read {
    let mut found = Read {
        declarations: String::new(),
        description: None,
        input: SchemaRead::None,
        output: SchemaRead::None,
        view: SchemaRead::None,
        unjudged: None,
        made: None,
        largest_view: None,
    };
    if !reader.yaml.whole {
        return found;
    }
    let whole = reader.yaml.value.clone();
    let Value::Object(members) = &whole else {
        let message = if whole.is_null() {
            "The document is empty; it must name at least document and do."
        } else {
            "The document must be a mapping of fields."
        };
        reader.refuse("workflow.mapping", "", Part::Value, message);
        return found;
    };
    let mut draft = Draft::new(reader, &whole, longest);
    let head = document::read(&mut draft, members);
    let mut triggers = members.get("schedule").map(|value| schedule::read(&mut draft, value)).unwrap_or_default();
    let list = members.get("do").and_then(|value| draft.tasks("/do", value, &Around::default(), 1));
    document::unused(&mut draft);
    found.unjudged = judge::judge(&mut draft, judged_by);
    doubt::doubt(&mut draft);
    let Draft { tasks, lists, expressions, .. } = draft;
    for trigger in &mut triggers {
        let super::Trigger::Event { filters } = trigger else { continue };
        for filter in filters {
            if let Data::Expression { stripped, .. } = &mut filter.data {
                let pointer = format!("{}/with/data", filter.reference);
                let ready = expressions.iter().find(|it| it.pointer == pointer);
                *stripped = ready.map(|it| it.stripped.clone()).unwrap_or_default();
            }
        }
    }
    if list.is_some() && found.unjudged.is_none() && matches!(judged_by, Judge::Compiler(_)) {
        let details = WorkflowDetails {
            document: whole.clone(),
            input_from: head.input_from,
            output_as: head.output_as,
            shape: head.shape,
            timeout: head.timeout,
            triggers,
            tasks,
            lists,
            expressions,
        };
        let overview = overview::workflow(head.description.as_deref(), &details, head.input.good(), head.output.good());
        found.made = Some(Made { details: Details::Workflow(Box::new(details)), stripped: String::new(), overview });
    }
    found.description = head.description;
    found.input = head.input;
    found.output = head.output;
    found
}
