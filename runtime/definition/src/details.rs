//! What running a definition needs of its document, stored with the version: a run parses nothing.

use crate::workflow::{Kind, Target, Template, Trigger};
use playbook_model::definition::{DefinitionKey, DefinitionType};
use playbook_model::id::DefinitionName;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What running needs, by type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Details {
    /// Of a computation function.
    Computation(ComputationDetails),
    /// Of a recall function.
    Recall(RecallDetails),
    /// Of an interaction function that asks a party.
    Interaction(InteractionDetails),
    /// Of a workflow.
    Workflow(Box<crate::workflow::WorkflowDetails>),
}

/// What running a computation function needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComputationDetails {
    /// The document's line on which the program begins, from 1.
    pub first_line: u32,
}

/// What asking a party needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InteractionDetails {
    /// Renders the party.
    pub to: TemplateText,
    /// How long a request stays open, in milliseconds: one minute to 30 days.
    pub expires: u64,
    /// Renders the message.
    pub message: TemplateText,
    /// What the answer must match; without it a run asks for none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub answer_schema: Option<Value>,
}

/// A Liquid template that was read without a fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemplateText {
    /// As it is written.
    pub text: String,
    /// The document's line on which it begins, from 1.
    pub first_line: u32,
}

/// What folding and answering need. "Fields".
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecallDetails {
    /// 1 to 8 filters; an event is folded when any takes it.
    pub filters: Vec<Filter>,
    /// The view before any event.
    pub initial: Value,
    /// What the view must match after every fold.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub view_schema: Option<Value>,
    /// The document's line on which the module begins, from 1.
    pub first_line: u32,
    /// Whether the module exports `answer`; without it a run returns the view.
    pub answers: bool,
}

/// Which events a recall function takes. "Filters".
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Filter {
    /// Exactly this type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Each other attribute with its exact value: text, or a whole number from 1.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub attributes: Vec<(String, Value)>,
    /// What the event's data must be.
    #[serde(skip_serializing_if = "Data::is_none", default)]
    pub data: Data,
    /// The filter in words, such as "each time a run of the reasoning function **review-brief** succeeds"; Markdown.
    pub sentence: String,
}

/// What an event's data must be.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Data {
    /// Anything, or none at all.
    #[default]
    None,
    /// Equal to this value.
    Equal(Value),
    /// Such that this expression over `$data` holds.
    Expression {
        /// As it is written, without `${` and `}`.
        text: String,
        /// Without its types, ready to run.
        stripped: String,
    },
}

impl Data {
    fn is_none(&self) -> bool {
        *self == Self::None
    }
}

/// The definitions that a definition uses, each once.
///
/// A recall function uses the definitions whose runs its filters name, and a workflow those that its calls name as
/// written and those of its triggers' filters; a computation function and an interaction function read their input alone.
#[must_use]
pub fn uses(details: &Details) -> Vec<DefinitionKey> {
    let mut found = Vec::new();
    let mut add = |key: Option<DefinitionKey>| {
        if let Some(key) = key
            && !found.contains(&key)
        {
            found.push(key);
        }
    };
    match details {
        Details::Computation(_) | Details::Interaction(_) => {}
        Details::Recall(recall) => {
            recall.filters.iter().for_each(|filter| add(named(&filter.kind, &filter.attributes)));
        }
        Details::Workflow(workflow) => {
            for trigger in &workflow.triggers {
                if let Trigger::Event { filters } = trigger {
                    filters.iter().for_each(|filter| add(named(&filter.kind, &filter.attributes)));
                }
            }
            for task in &workflow.tasks {
                if let Kind::Call(Target {
                    kind: Template::Value(Value::String(kind)),
                    name: Template::Value(Value::String(name)),
                    ..
                }) = &task.kind
                {
                    add(key(&format!("{kind}/{name}")));
                }
            }
        }
    }
    found
}

/// The definition that a filter of facts names.
fn named(kind: &str, attributes: &[(String, Value)]) -> Option<DefinitionKey> {
    attributes.iter().find_map(|(name, value)| match name.as_str() {
        "subject" if crate::event::is_run_fact(kind) => value.as_str().and_then(key),
        "source" if crate::event::is_definition_fact(kind) => {
            value.as_str().and_then(|source| key(source.strip_prefix("/definitions/")?))
        }
        _ => None,
    })
}

/// Reads `<type>/<name>`.
pub(crate) fn key(text: &str) -> Option<DefinitionKey> {
    let (kind, name) = text.split_once('/')?;
    Some(DefinitionKey { kind: DefinitionType::parse(kind)?, name: DefinitionName::new(name).ok()? })
}
