//! A document in plain words, for a person who does not read TypeScript or YAML. "The overview".
//!
//! Says only what the document says.
//! The author's texts are escaped, so that none can break the Markdown or the diagram.

mod fields;
mod sentence;
mod text;
mod workflow;

#[cfg(test)]
mod tests;

use crate::details::{InteractionDetails, RecallDetails};
use playbook_model::definition::DefinitionKey;
use playbook_model::duration;
use serde_json::Value;
use text::{block, code, label, plain};

pub(crate) use sentence::sentence;
pub(crate) use workflow::{short_of, workflow};

/// The line that says where the program is.
const PROGRAM: &str = "The program is TypeScript and is shown under Source.";

/// A recall function: what it is, remembers, keeps and answers, and how, in that order.
pub(crate) fn recall(
    description: Option<&str>,
    details: &RecallDetails,
    input: Option<&Value>,
    output: Option<&Value>,
) -> String {
    let mut out = described(description);
    out.push_str("\n## What it remembers\n\n");
    for filter in &details.filters {
        out.push_str(&format!("- {}\n", filter.sentence));
    }
    out.push_str("\n## What it keeps\n\n");
    match &details.view_schema {
        Some(schema) => out.push_str(&fields::value("The view is", schema)),
        None => out.push_str("The view is any JSON value.\n"),
    }
    if !is_empty(&details.initial) {
        out.push_str(&format!("\nBefore any event it is {}.\n", code(&details.initial.to_string(), 600)));
    }
    out.push_str("\n## What it answers\n\n");
    if let Some(schema) = input {
        out.push_str(&fields::value("A run is given", schema));
        out.push('\n');
    }
    match (details.answers, output) {
        (true, Some(schema)) => out.push_str(&fields::value("It answers with", schema)),
        (true, None) => out.push_str("It answers with any JSON value.\n"),
        (false, Some(schema)) => out.push_str(&fields::value("It answers with the view itself, which must be", schema)),
        (false, None) => out.push_str("It answers with the view itself.\n"),
    }
    out.push_str("\n## How the view is kept\n\n```mermaid\nflowchart LR\n");
    for (at, filter) in details.filters.iter().enumerate() {
        out.push_str(&format!("  event{at}[\"{}\"] --> view\n", label(&sentence::short(filter))));
    }
    out.push_str("  view[(\"The view\")]\n");
    if details.answers {
        out.push_str("  input[\"A run's input\"] --> answer\n  view --> answer[\"The answer\"]\n");
    } else {
        out.push_str("  view --> answer[\"The answer: the view itself\"]\n");
    }
    out.push_str(&format!("```\n\n{PROGRAM}\n"));
    out
}

/// A computation function: what it is, needs and gives, and how.
pub(crate) fn computation(description: Option<&str>, input: Option<&Value>, output: Option<&Value>) -> String {
    let mut out = described(description);
    out.push_str("\n## What it needs\n\n");
    match input {
        Some(schema) => out.push_str(&fields::value("A run is given", schema)),
        None => out.push_str("A run is given any JSON value; one that is given nothing runs with an empty object.\n"),
    }
    out.push_str("\n## What it gives\n\n");
    match output {
        Some(schema) => out.push_str(&fields::value("It gives", schema)),
        None => out.push_str("It gives any JSON value.\n"),
    }
    out.push_str("\n## How it works\n\n```mermaid\nflowchart LR\n");
    out.push_str("  given[\"The input\"] --> program[\"The function\"]\n  program --> result[\"The output\"]\n");
    out.push_str(&format!("```\n\n{PROGRAM}\n"));
    out
}

/// An interaction function: what it is, whom it asks what, what it needs and what it gets, and how, in that order.
pub(crate) fn interaction(description: Option<&str>, details: &InteractionDetails, input: Option<&Value>) -> String {
    let open = duration::words(details.expires);
    let asks = details.answer_schema.is_some();
    let party = code(details.to.text.trim(), 300);
    let mut out = described(description);
    out.push_str(&format!("\n## Whom it asks\n\nThe party {party}"));
    out.push_str(&if asks {
        format!(", whose request waits in the playbook's inbox for {open}.\n")
    } else {
        ", who is told and not asked.\n".into()
    });
    out.push_str("\n## What it says\n\n");
    out.push_str(&block(details.message.text.trim()));
    out.push_str("\n## What it needs\n\n");
    match input {
        Some(schema) => out.push_str(&fields::value("A run is given", schema)),
        None => out.push_str("A run is given any JSON value; one that is given nothing runs with an empty object.\n"),
    }
    out.push_str("\n## What it gives\n\n");
    match &details.answer_schema {
        Some(schema) => {
            out.push_str(&fields::value("The answer is", schema));
            out.push_str("\nWithout an answer in time the run ends unanswered.\n");
        }
        None => out.push_str("An empty object, at once: it takes no answer.\n"),
    }
    out.push_str("\n## How it works\n\n```mermaid\nflowchart LR\n  given[\"The input\"] --> request[\"");
    out.push_str(&label(&format!("A message to {}", details.to.text.trim())));
    out.push_str("\"]\n");
    if asks {
        out.push_str("  request --> answer[\"The answer\"]\n");
        out.push_str(&format!("  request -. \"{}\" .-> unanswered[\"Unanswered\"]\n", label(&format!("after {open}"))));
    } else {
        out.push_str("  request --> done[\"Done\"]\n");
    }
    out.push_str("```\n");
    out
}

/// The last part of an overview, read each time it is shown: who uses the function. Empty when nobody does.
#[must_use]
pub fn used_by_section(users: &[DefinitionKey]) -> String {
    if users.is_empty() {
        return String::new();
    }
    let mut out = "\n## Used by\n\n".to_owned();
    for user in users {
        out.push_str(&format!("- the {} **{}**\n", user.kind.noun(), user.name));
    }
    out
}

fn described(description: Option<&str>) -> String {
    match description.map(plain).filter(|text| !text.is_empty()) {
        Some(text) => format!("{text}\n"),
        None => "This function has no description yet.\n".into(),
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(list) => list.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::String(text) => text.is_empty(),
        _ => false,
    }
}
