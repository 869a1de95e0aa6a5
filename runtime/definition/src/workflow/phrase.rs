//! Short words for the parts of a program: the labels of a flowchart, and pieces of an overview's sentences.
//!
//! Plain text, not yet escaped.

use super::Cron;
use super::program::{
    Duration, ErrorTest, Expression, ExpressionId, Kind, Listening, Raised, Shape, Takes, Target, Template, Trigger,
    WorkflowDetails,
};
use playbook_model::duration;
use playbook_model::json::cut;
use playbook_model::word::and;
use serde_json::Value;

/// The longest text of the author that a phrase holds, in bytes.
const SAID: usize = 120;

/// A text of the author on one line, cut.
pub(crate) fn said(text: &str) -> String {
    cut(&text.split_whitespace().collect::<Vec<_>>().join(" "), SAID)
}

/// How a phrase shows code, such as an expression.
pub(crate) type Code<'a> = &'a dyn Fn(&str) -> String;

/// A program with a way to show code.
#[derive(Clone, Copy)]
pub(crate) struct Phrases<'a> {
    pub(crate) details: &'a WorkflowDetails,
    pub(crate) code: Code<'a>,
}

impl Phrases<'_> {
    fn expression(&self, id: ExpressionId) -> Option<&Expression> {
        self.details.expressions.get(id.0 as usize)
    }

    pub(crate) fn written(&self, id: ExpressionId) -> String {
        self.expression(id).map_or_else(String::new, |it| (self.code)(&said(&it.text)))
    }

    /// A template that gives a short value.
    pub(crate) fn value(&self, template: &Template) -> String {
        match template {
            Template::Value(Value::String(text)) => said(text),
            Template::Value(value) => said(&value.to_string()),
            Template::Expression(id) => self.written(*id),
            _ => "a computed value".into(),
        }
    }

    pub(crate) fn duration(&self, of: &Duration) -> String {
        match of {
            Duration::Milliseconds(milliseconds) => duration::words(*milliseconds),
            Duration::Computed(Template::Expression(id)) => format!("as long as {} says", self.written(*id)),
            Duration::Computed(_) => "a computed time".into(),
        }
    }

    /// What a call runs: its name, or how it is computed.
    pub(crate) fn target(&self, target: &Target) -> String {
        match &target.name {
            Template::Value(Value::String(name)) => said(name),
            other => format!("the definition that {} names", self.value(other)),
        }
    }

    /// The names that a `set` gives values.
    pub(crate) fn set(&self, template: &Template) -> String {
        let names: Vec<String> = match template {
            Template::Object(members) => members.iter().map(|(name, _)| said(name)).collect(),
            Template::Value(Value::Object(members)) => members.keys().map(|name| said(name)).collect(),
            other => return format!("Set {}", self.value(other)),
        };
        match names.as_slice() {
            [first @ .., _] if first.len() >= 5 => {
                format!("Set {} and {} more", first[..4].join(", "), names.len() - 4)
            }
            _ => format!("Set {}", and(&names)),
        }
    }

    /// What a `raise` says: the title, or else the type.
    pub(crate) fn raised(&self, raised: &Raised) -> String {
        let members: Vec<(&str, Template)> = match &raised.error {
            Template::Object(members) => members.iter().map(|(name, value)| (name.as_str(), value.clone())).collect(),
            Template::Value(Value::Object(members)) => {
                members.iter().map(|(name, value)| (name.as_str(), Template::Value(value.clone()))).collect()
            }
            other => return format!("the error that {} gives", self.value(other)),
        };
        let of = |wanted: &str| members.iter().find(|(name, _)| *name == wanted).map(|(_, value)| self.value(value));
        of("title").or_else(|| of("type")).unwrap_or_else(|| "an error".into())
    }

    pub(crate) fn listened(&self, listening: &Listening) -> String {
        let types: Vec<String> = listening
            .filters
            .iter()
            .map(|filter| filter.kind.as_deref().map_or_else(|| "an event sent to the run".into(), said))
            .collect();
        match (listening.takes, types.as_slice()) {
            (_, []) => "Wait for an event".into(),
            (_, [one]) => format!("Wait for {one}"),
            (Takes::Any, many) => format!("Wait for {}", playbook_model::word::or(many)),
            (Takes::All, many) => format!("Wait for {}", and(many)),
        }
    }

    pub(crate) fn emitted(&self, attributes: &[(String, Template)]) -> String {
        let kind = attributes.iter().find(|(name, _)| name == "type").map(|(_, value)| self.value(value));
        format!("Emit {}", kind.unwrap_or_else(|| "an event".into()))
    }

    /// What a `for` goes through.
    pub(crate) fn items(&self, items: ExpressionId, each: &str) -> String {
        format!("for each {each} of {}", self.written(items))
    }

    /// What a `catch` takes, such as `status 503`; empty when it takes every error.
    pub(crate) fn caught(&self, errors: &[ErrorTest]) -> String {
        let parts: Vec<String> = errors
            .iter()
            .map(|test| {
                let value = self.value(&test.value);
                match test.field.as_str() {
                    "type" => value.rsplit('/').next().filter(|last| !last.is_empty()).unwrap_or(&value).to_owned(),
                    field => format!("{field} {value}"),
                }
            })
            .collect();
        and(&parts)
    }

    /// A leaf of a flowchart.
    pub(crate) fn task(&self, name: &str, kind: &Kind) -> String {
        match kind {
            Kind::Call(target) => format!("Run {}", self.target(target)),
            Kind::Set(template) => self.set(template),
            Kind::Raise(raised) => self.raised(raised),
            Kind::Wait(of) => match of {
                Duration::Milliseconds(0) => "Wait no time".into(),
                of => format!("Wait {}", self.duration(of)),
            },
            Kind::Listen(listening) => self.listened(listening),
            Kind::Emit(attributes) => self.emitted(attributes),
            _ => said(name),
        }
    }

    /// A group of a flowchart.
    pub(crate) fn group(&self, name: &str, kind: &Kind) -> String {
        let name = said(name);
        match kind {
            Kind::For { items, each, .. } => format!("{name}: {}", self.items(*items, each)),
            Kind::Fork { branching: super::Branching::Compete, .. } => format!("{name}: the first to finish wins"),
            Kind::Fork { .. } => format!("{name}: all at once"),
            _ => name,
        }
    }
}

/// What starts a run of its own accord, as a phrase such as `at 09:00 UTC on working days`.
pub(crate) fn schedule(trigger: &Trigger) -> Option<String> {
    match trigger {
        Trigger::Event { .. } => None,
        Trigger::Cron { expression } => Some(
            Cron::parse(expression)
                .ok()
                .and_then(|cron| cron.words())
                .unwrap_or_else(|| format!("at the times of the cron expression {} in UTC", said(expression))),
        ),
        Trigger::Every { milliseconds } => Some(format!("every {}", every(*milliseconds))),
    }
}

/// `15 minutes`, and `hour` for one of them.
fn every(milliseconds: u64) -> String {
    let words = duration::words(milliseconds);
    match words.strip_prefix("1 ") {
        Some(unit) if !unit.contains(' ') => unit.to_owned(),
        _ => words,
    }
}

/// An output shape as the end of a sentence.
pub(crate) fn shape(shape: Shape) -> &'static str {
    match shape {
        Shape::Series => "a series: lines of values over time",
        Shape::Categories => "categories with a number each",
        Shape::Table => "a table",
        Shape::Text => "a text as Markdown",
    }
}
