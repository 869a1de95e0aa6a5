//! From a case to its text: block style, the fields in one order, nothing that could be left out.

use super::block;
use super::{Answer, Ask, Case, Folds, REJECTIONS};
use playbook_model::event::CloudEvent;
use serde_json::{Map, Value};

/// Writes a case. Its text reads back as the same case.
#[must_use]
pub fn write(case: &Case) -> String {
    block::document(&value(case))
}

/// The case as the value its text holds.
pub(super) fn value(case: &Case) -> Map<String, Value> {
    let mut members = Map::new();
    let mut add = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            members.insert(name.into(), value);
        }
    };
    match case {
        Case::Recall(case) => {
            add("description", case.description.clone().map(Value::String));
            add("view", case.view.clone());
            let events: Vec<Value> = case.events.iter().map(event).collect();
            add("events", (!events.is_empty()).then_some(Value::Array(events)));
            add("expect", case.expect.as_ref().map(folds));
            add("ask", asks(&case.ask));
        }
        Case::Workflow(case) => return super::workflow::value(case),
        Case::Computation(case) => {
            add("description", case.description.clone().map(Value::String));
            add("input", Some(case.input.clone()));
            add("expect", Some(Value::Object(answer(&case.expect, Shown::Apart))));
        }
    }
    members
}

pub(super) fn folds(expect: &Folds) -> Value {
    let mut members = Map::new();
    match expect {
        Folds::View(view) => {
            members.insert("view".into(), view.clone());
        }
        Folds::Stalled { kind, line } => {
            members.insert("stalled".into(), kind.clone().into());
            if let Some(line) = line {
                members.insert("line".into(), (*line).into());
            }
        }
    }
    Value::Object(members)
}

/// The questions; `None` when there is none.
pub(super) fn asks(ask: &[Ask]) -> Option<Value> {
    let asked = |one: &Ask| {
        let mut members = Map::new();
        members.insert("input".into(), one.input.clone());
        members.extend(answer(&one.answer, Shown::InAWord));
        Value::Object(members)
    };
    (!ask.is_empty()).then(|| Value::Array(ask.iter().map(asked).collect()))
}

/// How a rejection is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    /// Its reason and its kind, each as a field.
    Apart,
    /// In a word, where one says both.
    InAWord,
}

pub(super) fn answer(answer: &Answer, shown: Shown) -> Map<String, Value> {
    let mut members = Map::new();
    match answer {
        Answer::Output(output) => {
            members.insert("output".into(), output.clone());
        }
        Answer::Rejected { reason, kind } => {
            let word = REJECTIONS.iter().find(|(_, r, k)| r == reason && k == kind && k.is_some());
            match (word, shown) {
                (Some((word, ..)), Shown::InAWord) => {
                    members.insert("rejected".into(), (*word).into());
                }
                _ => {
                    members.insert("rejected".into(), reason.word().into());
                    if let Some(kind) = kind {
                        members.insert("kind".into(), kind.word().into());
                    }
                }
            }
        }
    }
    members
}

fn event(event: &CloudEvent) -> Value {
    let mut members = Map::new();
    // What an event is comes before which it is; the version is always the same.
    for name in ["type", "source", "subject", "id", "time", "datacontenttype", "dataschema"] {
        if let Some(value) = event.attribute(name) {
            members.insert(name.into(), value);
        }
    }
    members.extend(event.extensions.clone());
    if let Some(data) = &event.data {
        members.insert("data".into(), data.clone());
    }
    Value::Object(members)
}
