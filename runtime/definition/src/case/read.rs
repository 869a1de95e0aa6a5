//! From the text of a case to the case, with every problem at its place.

use super::{Answer, Ask, Case, ComputationCase, Folds, REJECTIONS, RecallCase, STALLS, made_id, made_time};
use crate::reader::{Part, Reader, Section};
use crate::yaml::{Text, shown};
use playbook_model::definition::DefinitionType;
use playbook_model::ending::Kind;
use playbook_model::event::{CloudEvent, NUMBER_ATTRIBUTES};
use playbook_model::json;
use playbook_model::limits::{ATTRIBUTE_CHARACTERS, CASE_BYTES, CASE_PROBLEMS_SHOWN, VALUE_LEVELS};
use playbook_model::position::{LineColumn, Span};
use playbook_model::problem::{Edit, Place, Problem, errors, settle};
use playbook_model::time::Moment;
use playbook_model::word::{count, nearest, or, thousands};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Deep enough for the deepest value at the deepest place of a case.
const TEXT: Text = Text { name: "The case", levels: VALUE_LEVELS + 8 };

/// A case as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadCase {
    /// The case, when nothing refuses its text.
    pub case: Option<Case>,
    /// Every problem, in the order of the text.
    pub problems: Vec<Problem>,
    places: HashMap<String, LineColumn>,
}

impl ReadCase {
    /// Where the value of a pointer stands in the text: its key, or the nearest value around it.
    #[must_use]
    pub fn place(&self, pointer: &str) -> LineColumn {
        let mut around = pointer;
        loop {
            match (self.places.get(around), around.rfind('/')) {
                (Some(place), _) => return *place,
                (None, Some(at)) => around = &around[..at],
                (None, None) => return LineColumn { line: 1, column: 1 },
            }
        }
    }
}

/// Reads a case of a definition of a type.
#[must_use]
pub fn read(kind: DefinitionType, text: &str) -> ReadCase {
    if text.len() > CASE_BYTES {
        let index = playbook_model::position::LineIndex::new("");
        let message = format!(
            "The case is {} bytes; at most {} are taken.",
            thousands(text.len() as u64),
            thousands(CASE_BYTES as u64)
        );
        let problem = Problem::error("case.size", Place::of(&index, Span::new(0, 0), None), message);
        return ReadCase { case: None, problems: vec![problem], places: HashMap::new() };
    }
    let mut reader = Reader::of_yaml(TEXT, text);
    let case = if reader.yaml.whole { case(&mut reader, kind) } else { None };
    let places = reader
        .yaml
        .places
        .iter()
        .map(|(pointer, stands)| (pointer.clone(), reader.index.place(stands.key.unwrap_or(stands.value).start)))
        .collect();
    let mut problems = reader.problems;
    settle(&mut problems);
    let case = case.filter(|_| errors(&problems).next().is_none());
    let rest = problems.len().saturating_sub(CASE_PROBLEMS_SHOWN);
    if let Some(first) = problems.get(CASE_PROBLEMS_SHOWN) {
        let message = format!("{} not shown.", count(rest as u64, "more problem is", "more problems are"));
        let more = Problem::error("case.more", first.place.clone(), message);
        problems.truncate(CASE_PROBLEMS_SHOWN);
        problems.push(more);
    }
    ReadCase { case, problems, places }
}

fn case(reader: &mut Reader<'_>, kind: DefinitionType) -> Option<Case> {
    let (of, fields): (_, &[&str]) = match kind {
        DefinitionType::Recall => ("a recall function's case", &["description", "view", "events", "expect", "ask"]),
        DefinitionType::Computation => ("a computation function's case", &["description", "input", "expect"]),
        DefinitionType::Workflow => ("a workflow's case", super::workflow::fields()),
        other => {
            let message = format!(
                "This program tests computation and recall functions and workflows; a {} is none of them.",
                other.noun()
            );
            reader.refuse("case.type", "", Part::Value, message);
            return None;
        }
    };
    if !reader.yaml.value.is_object() {
        let problem = reader
            .error("case.fields", "", Part::Value, format!("{} is a mapping of fields.", capital(of)))
            .hint(match kind {
                DefinitionType::Recall => "It holds events and, under expect, the view they fold to.",
                DefinitionType::Workflow => "It holds an input, what happens and, under expect, how the run ends.",
                _ => "It holds an input and, under expect, the output it leads to.",
            });
        reader.problems.push(problem);
        return None;
    }
    reader.known("", &Section { of, code: "case.field", fields }, |name| foreign(kind, name));
    let description = reader.description();
    for pointer in ["/view", "/input"] {
        levels(reader, pointer);
    }
    match kind {
        DefinitionType::Workflow => {
            super::workflow::read(reader, description).map(|case| Case::Workflow(Box::new(case)))
        }
        DefinitionType::Computation => {
            let input = input(reader, "/input");
            if reader.at("/expect").is_none() {
                missing(reader, "expect", "Write what the run ends with, as output or rejected.");
            }
            let expect = answer(reader, "/expect", "expect");
            Some(Case::Computation(ComputationCase { description, input, expect: expect? }))
        }
        _ => {
            let view = reader.at("/view").cloned();
            let events = events(reader);
            let asked = reader.at("/ask").is_some();
            if reader.at("/expect").is_none() && !asked {
                missing(reader, "expect", "Write the view that the events fold to, or the stall they lead to.");
            }
            let expect = folds(reader, events.as_ref().is_some_and(Vec::is_empty));
            let ask = asks(reader, matches!(expect, Some(Folds::Stalled { .. })));
            Some(Case::Recall(RecallCase { description, view, events: events?, expect, ask: ask? }))
        }
    }
}

fn foreign(kind: DefinitionType, name: &str) -> Option<String> {
    Some(match (kind, name) {
        (DefinitionType::Recall, "input" | "output" | "rejected") => {
            "Ask the view after the events: write input and output in an item of ask.".into()
        }
        (DefinitionType::Recall, "stalled") => "Write it under expect.".into(),
        (DefinitionType::Recall, "initial") => "Write the view before the events as view.".into(),
        (DefinitionType::Recall, "event") => "Write a list of events as events.".into(),
        (DefinitionType::Computation | DefinitionType::Workflow, "output" | "rejected" | "kind") => {
            "Write it under expect.".into()
        }
        (DefinitionType::Workflow, "answers" | "events") => "Write a list of what the run takes as happens.".into(),
        (DefinitionType::Computation, "view" | "events" | "ask") => "Only a recall function has one.".into(),
        _ => return None,
    })
}

fn capital(words: &str) -> String {
    let mut chars = words.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

pub(super) fn missing(reader: &mut Reader<'_>, name: &str, hint: &str) {
    let place = Place::of(&reader.index, reader.index.line_span(1), Some(format!("/{name}")));
    let problem = Problem::error("case.missing", place, format!("{name} is missing.")).hint(hint);
    reader.problems.push(problem);
}

pub(super) fn levels(reader: &mut Reader<'_>, pointer: &str) {
    if reader.at(pointer).is_some_and(|value| json::depth(value) > VALUE_LEVELS) {
        let message = format!("A value nests at most {VALUE_LEVELS} levels; this one nests deeper.");
        reader.refuse("case.levels", pointer, Part::Key, message);
    }
}

/// An input; `{}` when it is left out, as a run has it.
pub(super) fn input(reader: &Reader<'_>, pointer: &str) -> Value {
    reader.at(pointer).cloned().unwrap_or_else(|| Value::Object(Map::new()))
}

/// The events; `None` when they are no list.
fn events(reader: &mut Reader<'_>) -> Option<Vec<CloudEvent>> {
    let Some(value) = reader.at("/events").cloned() else { return Some(Vec::new()) };
    let Value::Array(items) = value else {
        let problem = reader
            .error("case.events", "/events", Part::Value, "events must be a list of events.")
            .hint("Each begins with a hyphen and has at least a type and a source.");
        reader.problems.push(problem);
        return None;
    };
    let mut events: Vec<CloudEvent> = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let made = event(reader, &format!("/events/{at}"), item, events.last());
        events.push(made);
    }
    Some(events)
}

/// One event; what of it cannot be taken is told and left out.
fn event(reader: &mut Reader<'_>, pointer: &str, item: &Value, before: Option<&CloudEvent>) -> CloudEvent {
    let nth = pointer.rsplit('/').next().and_then(|at| at.parse::<usize>().ok()).unwrap_or_default() + 1;
    let mut event = CloudEvent {
        specversion: "1.0".into(),
        id: made_id(nth),
        kind: String::new(),
        source: String::new(),
        subject: None,
        time: Some(made_time(before)),
        datacontenttype: None,
        dataschema: None,
        extensions: Map::new(),
        data: None,
    };
    let Value::Object(members) = item else {
        reader.refuse("case.event", pointer, Part::Value, "An event is a mapping of its attributes and data.");
        return event;
    };
    for name in ["type", "source"] {
        if !members.contains_key(name) {
            let problem = reader.error("case.event", pointer, Part::Value, format!("The event needs a {name}."));
            let meant = members.keys().find(|other| nearest(other, [name]).is_some());
            let problem = match meant.and_then(|other| Some((other, reader.key_span(&json::join(pointer, other))?))) {
                Some((other, span)) => problem
                    .hint(format!("Did you mean {name} where {other} stands?"))
                    .fix(format!("Write {name}"), vec![Edit { span, text: name.to_owned() }]),
                None => problem,
            };
            reader.problems.push(problem);
        }
    }
    for (name, value) in members {
        let here = json::join(pointer, name);
        if let Err((part, problem)) = take(&mut event, name, value) {
            let mut problem = reader.error("case.event", &here, part, problem);
            let near = nearest(name, ATTRIBUTES).filter(|near| part == Part::Key && !members.contains_key(*near));
            if let (Some(near), Some(span)) = (near, reader.key_span(&here)) {
                problem = problem
                    .hint(format!("Did you mean {near}?"))
                    .fix(format!("Write {near}"), vec![Edit { span, text: near.to_owned() }]);
            }
            reader.problems.push(problem);
        }
    }
    event
}

const ATTRIBUTES: [&str; 9] =
    ["specversion", "id", "type", "source", "subject", "time", "datacontenttype", "dataschema", "data"];

fn take(event: &mut CloudEvent, name: &str, value: &Value) -> Result<(), (Part, String)> {
    let text = || match value.as_str() {
        Some(text) if !text.trim().is_empty() => Ok(text.to_owned()),
        Some(_) => Err((Part::Value, format!("{name} must not be blank."))),
        None => Err((Part::Value, format!("{name} must be text."))),
    };
    match name {
        "data" => {
            if json::depth(value) > VALUE_LEVELS {
                return Err((Part::Key, format!("data nests deeper than {VALUE_LEVELS} levels.")));
            }
            event.data = Some(value.clone());
        }
        "specversion" => {
            // Written without quotes it is a number.
            if value != "1.0" && value.as_f64() != Some(1.0) {
                return Err((Part::Value, "specversion must be 1.0.".into()));
            }
        }
        "id" => event.id = text()?,
        "type" => event.kind = text()?,
        "source" => event.source = text()?,
        "subject" => event.subject = Some(text()?),
        "time" => {
            let time = text()?;
            if Moment::parse(&time).is_none() {
                let words = "time must be a date and time with an offset, such as 2026-10-03T16:40:05Z.";
                return Err((Part::Value, words.into()));
            }
            event.time = Some(time);
        }
        "datacontenttype" => event.datacontenttype = Some(text()?),
        "dataschema" => event.dataschema = Some(text()?),
        extension => {
            let fits = (1..=ATTRIBUTE_CHARACTERS).contains(&extension.len())
                && extension.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
            if !fits {
                let words = format!(
                    "{} is no attribute of an event: one is named in 1 to {ATTRIBUTE_CHARACTERS} lowercase letters and digits.",
                    shown(extension)
                );
                return Err((Part::Key, words));
            }
            if NUMBER_ATTRIBUTES.contains(&extension) {
                if value.as_u64().is_none_or(|number| number == 0) {
                    return Err((Part::Value, format!("{extension} must be a whole number from 1.")));
                }
            } else if !(value.is_string() || value.is_boolean() || value.as_i64().is_some()) {
                let words = format!("{extension} must be text, true, false or a whole number.");
                return Err((Part::Value, words));
            }
            event.extensions.insert(extension.into(), value.clone());
        }
    }
    Ok(())
}

/// `expect` of a recall function's case.
fn folds(reader: &mut Reader<'_>, no_events: bool) -> Option<Folds> {
    reader.at("/expect")?;
    let members = reader.mapping("/expect", "case.expect")?;
    let section = Section { of: "expect", code: "case.expect", fields: &["view", "stalled", "line"] };
    reader.known("/expect", &section, |name| match name {
        "kind" => Some("Write the kind of stall as stalled.".into()),
        "output" | "rejected" => {
            Some("Ask the view after the events: write input and output in an item of ask.".into())
        }
        _ => None,
    });
    levels(reader, "/expect/view");
    match (members.get("view"), members.get("stalled")) {
        (Some(_), Some(_)) => {
            reader.refuse(
                "case.expect",
                "/expect/stalled",
                Part::Key,
                "The events fold to a view or stall; expect takes one of both.",
            );
            None
        }
        (None, None) => {
            reader.refuse("case.expect", "/expect", Part::Key, "expect needs a view, or stalled with a kind of stall.");
            None
        }
        (Some(view), None) => {
            if members.contains_key("line") {
                reader.refuse("case.expect", "/expect/line", Part::Key, "Only a stall has a line.");
            }
            Some(Folds::View(view.clone()))
        }
        (None, Some(kind)) => {
            if no_events {
                reader.refuse(
                    "case.expect",
                    "/expect/stalled",
                    Part::Key,
                    "A view stalls at an event, and the case has none.",
                );
            }
            let line = line(reader, members.get("line"));
            Some(Folds::Stalled { kind: stall(reader, kind)?, line })
        }
    }
}

fn stall(reader: &mut Reader<'_>, kind: &Value) -> Option<String> {
    if let Some(kind) = kind.as_str().filter(|kind| STALLS.contains(kind)) {
        return Some(kind.to_owned());
    }
    let here = "/expect/stalled";
    let problem = reader.error("case.expect", here, Part::Value, format!("stalled must be {}.", or(&STALLS)));
    let problem = nearby(reader, problem, here, kind, &STALLS);
    reader.problems.push(problem);
    None
}

/// A problem with the word that was probably meant.
fn nearby(reader: &Reader<'_>, problem: Problem, pointer: &str, value: &Value, words: &[&str]) -> Problem {
    let near = value.as_str().and_then(|word| nearest(word, words.iter().copied()));
    match (near, reader.value_span(pointer)) {
        (Some(near), Some(span)) => problem
            .hint(format!("Did you mean {near}?"))
            .fix(format!("Write {near}"), vec![Edit { span, text: near.to_owned() }]),
        _ => problem,
    }
}

fn line(reader: &mut Reader<'_>, line: Option<&Value>) -> Option<u32> {
    let number = line?.as_u64().and_then(|line| u32::try_from(line).ok()).filter(|line| *line > 0);
    if number.is_none() {
        reader.refuse("case.expect", "/expect/line", Part::Value, "line must be a line of the document, from 1.");
    }
    number
}

/// `ask`; `None` when it is no list.
fn asks(reader: &mut Reader<'_>, stalled: bool) -> Option<Vec<Ask>> {
    let Some(value) = reader.at("/ask").cloned() else { return Some(Vec::new()) };
    let Value::Array(items) = value else {
        let problem = reader
            .error("case.ask", "/ask", Part::Value, "ask must be a list of questions.")
            .hint("Each begins with a hyphen and has an input and an output.");
        reader.problems.push(problem);
        return None;
    };
    if stalled {
        reader.refuse("case.ask", "/ask", Part::Key, "A stalled view is not asked; expect a view, or leave ask out.");
    } else if items.is_empty() {
        reader.refuse("case.ask", "/ask", Part::Key, "ask holds no question; leave it out.");
    }
    let mut asked = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let pointer = format!("/ask/{at}");
        if !item.is_object() {
            let words = "A question is a mapping with an input and an output.";
            reader.refuse("case.ask", &pointer, Part::Value, words);
            continue;
        }
        let input_at = format!("{pointer}/input");
        levels(reader, &input_at);
        let input = input(reader, &input_at);
        if let Some(answer) = answer(reader, &pointer, "a question") {
            asked.push(Ask { input, answer });
        }
    }
    Some(asked)
}

/// `output`, or `rejected` with a kind if there is one.
fn answer(reader: &mut Reader<'_>, pointer: &str, of: &str) -> Option<Answer> {
    reader.at(pointer)?;
    let members = reader.mapping(pointer, "case.expect")?;
    let asked = of != "expect";
    let fields: &[&str] =
        if asked { &["input", "output", "rejected", "kind"] } else { &["output", "rejected", "kind"] };
    reader.known(pointer, &Section { of, code: "case.expect", fields }, |name| match name {
        "view" | "stalled" => Some("A run ends with an output, or rejected.".into()),
        "reason" => Some("Write the reason as rejected.".into()),
        _ => None,
    });
    let output_at = format!("{pointer}/output");
    levels(reader, &output_at);
    let kind = members.get("kind");
    match (members.get("output"), members.get("rejected")) {
        (Some(_), Some(_)) => {
            let words = "A run ends with an output or is rejected; write one of both.";
            reader.refuse("case.expect", &format!("{pointer}/rejected"), Part::Key, words);
            None
        }
        (None, None) => {
            let words = if asked { "The question needs an output" } else { "expect needs an output" };
            let words = format!("{words}, or rejected with a reason.");
            reader.refuse("case.expect", pointer, Part::Key, words);
            None
        }
        (Some(output), None) => {
            if kind.is_some() {
                let words = "Only a rejected run has a kind.";
                reader.refuse("case.expect", &format!("{pointer}/kind"), Part::Key, words);
            }
            Some(Answer::Output(output.clone()))
        }
        (None, Some(word)) => rejected(reader, pointer, word, kind),
    }
}

fn rejected(reader: &mut Reader<'_>, pointer: &str, word: &Value, kind: Option<&Value>) -> Option<Answer> {
    let unworkable = Kind::Unworkable.word();
    let kind_at = format!("{pointer}/kind");
    if let Some(kind) = kind.filter(|kind| **kind != *unworkable) {
        let message = format!("kind must be {unworkable}, the one kind a run of a case is rejected with.");
        let problem = reader.error("case.expect", &kind_at, Part::Value, message);
        let problem = nearby(reader, problem, &kind_at, kind, &[&unworkable]);
        reader.problems.push(problem);
    }
    let here = format!("{pointer}/rejected");
    let found = word.as_str().and_then(|word| REJECTIONS.iter().find(|(known, ..)| *known == word));
    let Some((_, reason, implied)) = found else {
        let words: Vec<&str> = REJECTIONS.iter().map(|(word, ..)| *word).collect();
        let problem = reader.error("case.expect", &here, Part::Value, format!("rejected must be {}.", or(&words)));
        let problem = nearby(reader, problem, &here, word, &words);
        reader.problems.push(problem);
        return None;
    };
    if kind.is_some() && *reason != playbook_model::ending::Reason::Conflict {
        reader.refuse("case.expect", &kind_at, Part::Key, "Only a conflict has a kind.");
    }
    let kind = implied.or_else(|| kind.map(|_| Kind::Unworkable));
    Some(Answer::Rejected { reason: *reason, kind })
}
