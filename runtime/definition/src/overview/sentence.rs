//! A filter as a sentence.

use super::text::code;
use crate::details::{Data, Filter, key};
use crate::event::{is_definition_fact, is_run_fact};
use playbook_model::definition::DefinitionKey;
use serde_json::Value;

/// The longest value a sentence says, in bytes.
const SAID: usize = 300;

/// A filter in words, as Markdown: "each time a run of the reasoning function **review-brief** succeeds".
pub(crate) fn sentence(filter: &Filter) -> String {
    told(filter, |key| format!("**{}**", key.name), |text| code(text, SAID))
}

/// The same as plain text.
pub(crate) fn short(filter: &Filter) -> String {
    told(filter, |key| key.name.to_string(), str::to_owned)
}

fn told(filter: &Filter, name: impl Fn(&DefinitionKey) -> String, value: impl Fn(&str) -> String) -> String {
    let kind = filter.kind.as_str();
    let mut said: Vec<&str> = Vec::new();
    let text =
        |wanted: &str| filter.attributes.iter().find(|(name, _)| name == wanted).and_then(|(_, value)| value.as_str());
    let mut out = if is_run_fact(kind) {
        let run = match text("subject").map(|subject| (subject, key(subject))) {
            None => "any run".to_owned(),
            Some((_, Some(key))) => {
                said.push("subject");
                format!("a run of the {} {}", key.kind.noun(), name(&key))
            }
            Some((_, None)) => "a run".to_owned(),
        };
        format!("each time {run} {}", verb(kind))
    } else if is_definition_fact(kind) {
        let source = text("source").and_then(|source| key(source.strip_prefix("/definitions/")?));
        let definition = match source {
            Some(key) => {
                said.push("source");
                format!("the {} {}", key.kind.noun(), name(&key))
            }
            None => "any definition".to_owned(),
        };
        format!("each time {definition} {}", verb(kind))
    } else {
        format!("each time an event of the type {} is published", value(kind))
    };
    let mut conditions: Vec<String> = Vec::new();
    for (name, wanted) in &filter.attributes {
        if said.contains(&name.as_str()) {
            continue;
        }
        let wanted = match wanted {
            Value::String(text) => value(text),
            other => value(&other.to_string()),
        };
        conditions.push(format!("its {name} is {wanted}"));
    }
    match &filter.data {
        Data::None => {}
        Data::Equal(wanted) => conditions.push(format!("its data is {}", value(&wanted.to_string()))),
        Data::Expression { text, .. } => conditions.push(format!("{} holds", value(text))),
    }
    if !conditions.is_empty() {
        out.push_str(&format!(" and {}", conditions.join(" and ")));
    }
    out
}

fn verb(kind: &str) -> &'static str {
    match kind {
        "run_started" => "starts",
        "run_succeeded" => "succeeds",
        "run_rejected" => "is rejected",
        "run_failed" => "fails",
        "definition_created" => "is created",
        "definition_updated" => "is updated",
        _ => "is retired",
    }
}
