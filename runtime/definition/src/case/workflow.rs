//! A case of a workflow: what a run took, in order and at its times, and how it ends.

use super::Answer;
use super::read::{input, levels, missing};
use super::write::{Shown, answer as answer_value};
use crate::reader::{Part, Reader, Section};
use playbook_model::definition::DefinitionType;
use playbook_model::ending::{Kind, Reason, Rejection};
use playbook_model::id::RunId;
use playbook_model::json;
use playbook_model::limits::CALL_DEPTH;
use playbook_model::time::Moment;
use playbook_model::word::or;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// A case of a workflow.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkflowCase {
    /// What the case is about, for people.
    pub description: Option<String>,
    /// The run's id, which `$workflow.id` and chance read; made up when left out.
    pub run: Option<String>,
    /// When the run starts: what its clock reads. [`super::FIRST_MOMENT`] when left out.
    pub start: Moment,
    /// The run's input.
    pub input: Value,
    /// Calls above the run; 0 for one that nothing called.
    pub depth: u32,
    /// The longest the run may last, in milliseconds.
    pub longest: Option<u64>,
    /// How long the calls of a task wait, by its name, in milliseconds; as long as the run may last when left out.
    pub waits: BTreeMap<String, u64>,
    /// What the run takes, in order.
    pub happens: Vec<Happens>,
    /// How it ends.
    pub expect: Ends,
}

/// One thing that a run of a case takes.
#[derive(Debug, Clone, PartialEq)]
pub struct Happens {
    /// When; as the one before when left out.
    pub at: Moment,
    /// What.
    pub what: Happening,
}

/// What a run of a case takes.
#[derive(Debug, Clone, PartialEq)]
pub enum Happening {
    /// A called run ended.
    Answer {
        /// The task that called: its name or its reference.
        task: String,
        /// The nth call of it, from 1.
        nth: u32,
        /// What it calls; anything when left out.
        of: Option<(DefinitionType, String)>,
        /// On which input; any when left out.
        input: Option<Value>,
        /// How the called run ended.
        answer: Given,
    },
    /// A time came that a task waited for.
    Time {
        /// The task.
        task: String,
        /// The nth run of it, from 1.
        nth: u32,
        /// Which time of it: one of [`TIMES`].
        of: String,
    },
    /// The time of the whole run: its `timeout`, or the longest it may last.
    RunTime {
        /// Whether it is the longest it may last.
        longest: bool,
    },
    /// An event was sent to the run.
    Event(Value),
    /// An event of the playbook that a `listen` heard.
    Heard {
        /// The task.
        task: String,
        /// The nth run of it, from 1.
        nth: u32,
        /// The filter that took it, from 0.
        filter: u32,
        /// The event.
        event: Value,
    },
    /// The run was cancelled.
    Cancelled {
        /// Who or what.
        kind: Kind,
        /// In their words.
        reason: Option<String>,
    },
    /// The run went on after others had their turn.
    WentOn,
}

/// How a called run of a case ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Given {
    /// With an output.
    Output(Value),
    /// Refused.
    Rejected(Rejection),
    /// It broke down.
    Failed,
    /// It could not be reached, and why.
    Unreachable(String),
}

/// How a run of a case ends.
#[derive(Debug, Clone, PartialEq)]
pub enum Ends {
    /// With an output, or rejected.
    Answer(Answer),
    /// Not yet: these tasks wait.
    Waits(Vec<String>),
}

/// The times of a task.
pub const TIMES: [&str; 5] = ["wait", "timeout", "call", "attempt", "retry"];

const FIELDS: [&str; 9] = ["description", "run", "start", "input", "depth", "longest", "waits", "happens", "expect"];
const WHATS: [&str; 7] = ["answer", "time", "run_time", "event", "heard", "cancelled", "went_on"];
const REASONS: [Reason; 5] =
    [Reason::InvalidInput, Reason::Conflict, Reason::Unavailable, Reason::Cancelled, Reason::Unanswered];

/// The fields of a workflow's case.
pub(super) fn fields() -> &'static [&'static str] {
    &FIELDS
}

/// Reads a case whose description was read; `None` when something of it is told as a problem.
pub(super) fn read(reader: &mut Reader<'_>, description: Option<String>) -> Option<WorkflowCase> {
    let run = text(reader, "/run");
    if let Some(id) = &run
        && RunId::parse(id).is_err()
    {
        reader.refuse("case.run", "/run", Part::Value, "run must be the id of a run, a UUID.");
    }
    let start = moment(reader, "/start").unwrap_or(super::FIRST_MOMENT);
    let depth = depth(reader);
    let longest = milliseconds(reader, "/longest");
    let waits = waits(reader);
    let happens = happens(reader, start);
    if reader.at("/expect").is_none() {
        missing(reader, "expect", "Write what the run ends with, as output or rejected, or the tasks that wait.");
    }
    let expect = ends(reader);
    let input = input(reader, "/input");
    Some(WorkflowCase { description, run, start, input, depth, longest, waits, happens: happens?, expect: expect? })
}

fn text(reader: &mut Reader<'_>, pointer: &str) -> Option<String> {
    let value = reader.at(pointer)?;
    match value.as_str().filter(|text| !text.is_empty()) {
        Some(text) => Some(text.to_owned()),
        None => {
            let name = pointer.rsplit('/').next().unwrap_or_default();
            reader.refuse("case.text", pointer, Part::Value, format!("{name} must be text."));
            None
        }
    }
}

fn moment(reader: &mut Reader<'_>, pointer: &str) -> Option<Moment> {
    let text = text(reader, pointer)?;
    let moment = Moment::parse(&text);
    if moment.is_none() {
        let name = pointer.rsplit('/').next().unwrap_or_default();
        let words = format!("{name} must be a date and time with an offset, such as 2026-10-03T16:40:05Z.");
        reader.refuse("case.time", pointer, Part::Value, words);
    }
    moment
}

fn milliseconds(reader: &mut Reader<'_>, pointer: &str) -> Option<u64> {
    let number = reader.at(pointer)?.as_u64();
    if number.is_none() {
        reader.refuse("case.time", pointer, Part::Value, "It must be a whole number of milliseconds.");
    }
    number
}

fn depth(reader: &mut Reader<'_>) -> u32 {
    let Some(value) = reader.at("/depth") else { return 0 };
    let number = value.as_u64().and_then(|number| u32::try_from(number).ok()).filter(|number| *number <= CALL_DEPTH);
    if number.is_none() {
        let words = format!("depth must be how many workflows called each other above the run, 0 to {CALL_DEPTH}.");
        reader.refuse("case.depth", "/depth", Part::Value, words);
    }
    number.unwrap_or(0)
}

fn nth(reader: &mut Reader<'_>, pointer: &str) -> u32 {
    let Some(value) = reader.at(pointer) else { return 1 };
    let number = value.as_u64().and_then(|number| u32::try_from(number).ok()).filter(|number| *number > 0);
    if number.is_none() {
        reader.refuse("case.nth", pointer, Part::Value, "nth must be a whole number from 1.");
    }
    number.unwrap_or(1)
}

fn waits(reader: &mut Reader<'_>) -> BTreeMap<String, u64> {
    let members = reader.mapping("/waits", "case.waits").unwrap_or_default();
    let read = |name: &String| Some((name.clone(), milliseconds(reader, &json::join("/waits", name))?));
    members.keys().filter_map(read).collect()
}

fn happens(reader: &mut Reader<'_>, start: Moment) -> Option<Vec<Happens>> {
    let items = match reader.at("/happens") {
        None => return Some(Vec::new()),
        Some(Value::Array(items)) => items.clone(),
        Some(_) => {
            let words = "happens must be a list of what the run takes, in order.";
            reader.refuse("case.happens", "/happens", Part::Value, words);
            return None;
        }
    };
    let mut at = start;
    let mut found = Vec::new();
    for (place, item) in items.iter().enumerate() {
        let here = format!("/happens/{place}");
        let Value::Object(members) = item else {
            reader.refuse("case.happens", &here, Part::Value, format!("It is a mapping with one of {}.", or(&WHATS)));
            continue;
        };
        let kinds: Vec<&str> = WHATS.into_iter().filter(|what| members.contains_key(*what)).collect();
        let [kind] = kinds.as_slice() else {
            let words = format!("Each is one thing that happens: write one of {}.", or(&WHATS));
            reader.refuse("case.happens", &here, Part::Value, words);
            continue;
        };
        at = moment(reader, &format!("{here}/at")).unwrap_or(at);
        if let Some(what) = happening(reader, &here, kind, members) {
            found.push(Happens { at, what });
        }
    }
    Some(found)
}

fn happening(reader: &mut Reader<'_>, here: &str, kind: &str, members: &Map<String, Value>) -> Option<Happening> {
    let own: &[&str] = match kind {
        "answer" => &["at", "answer", "nth", "of", "input", "output", "rejected", "failed", "unreachable"],
        "time" => &["at", "time", "nth", "of"],
        "heard" => &["at", "heard", "nth", "filter", "by"],
        "cancelled" => &["at", "cancelled", "reason"],
        "run_time" => &["at", "run_time"],
        "event" => &["at", "event"],
        _ => &["at", "went_on"],
    };
    let of = format!("what happens as {kind}");
    reader.known(here, &Section { of: &of, code: "case.happens", fields: own }, |_| None);
    let at = |name: &str| format!("{here}/{name}");
    Some(match kind {
        "answer" => {
            for name in ["input", "output"] {
                levels(reader, &at(name));
            }
            let of = match text(reader, &at("of")) {
                Some(text) => Some(called(reader, &at("of"), &text)?),
                None => None,
            };
            Happening::Answer {
                task: text(reader, &at("answer"))?,
                nth: nth(reader, &at("nth")),
                of,
                input: members.get("input").cloned(),
                answer: given(reader, here, members)?,
            }
        }
        "time" => {
            let of = text(reader, &at("of")).unwrap_or_else(|| "wait".into());
            if !TIMES.contains(&of.as_str()) {
                reader.refuse("case.happens", &at("of"), Part::Value, format!("of must be {}.", or(&TIMES)));
            }
            Happening::Time { task: text(reader, &at("time"))?, nth: nth(reader, &at("nth")), of }
        }
        "run_time" => match members.get("run_time").and_then(Value::as_str) {
            Some("timeout") => Happening::RunTime { longest: false },
            Some("longest") => Happening::RunTime { longest: true },
            _ => {
                reader.refuse("case.happens", &at("run_time"), Part::Value, "run_time must be timeout or longest.");
                return None;
            }
        },
        "event" => Happening::Event(event(reader, &at("event"))?),
        "heard" => {
            let filter = members.get("filter").map_or(Some(0), |filter| filter.as_u64());
            let Some(filter) = filter.and_then(|filter| u32::try_from(filter).ok()) else {
                reader.refuse("case.happens", &at("filter"), Part::Value, "filter must be a whole number from 0.");
                return None;
            };
            if !members.contains_key("by") {
                let words = "Name the task that heard the event, as by.";
                reader.refuse("case.happens", here, Part::Value, words);
            }
            let event = event(reader, &at("heard"))?;
            Happening::Heard { task: text(reader, &at("by"))?, nth: nth(reader, &at("nth")), filter, event }
        }
        "cancelled" => {
            let kind = members.get("cancelled").and_then(|kind| Kind::deserialize(kind).ok());
            let Some(kind) = kind else {
                let words = "cancelled must be why, such as requested.";
                reader.refuse("case.happens", &at("cancelled"), Part::Value, words);
                return None;
            };
            Happening::Cancelled { kind, reason: text(reader, &at("reason")) }
        }
        _ => Happening::WentOn,
    })
}

fn event(reader: &mut Reader<'_>, pointer: &str) -> Option<Value> {
    levels(reader, pointer);
    let value = reader.at(pointer)?.clone();
    if !value["type"].is_string() || !value["id"].is_string() {
        reader.refuse("case.event", pointer, Part::Value, "An event is a mapping with at least a type and an id.");
        return None;
    }
    Some(value)
}

fn called(reader: &mut Reader<'_>, pointer: &str, text: &str) -> Option<(DefinitionType, String)> {
    let found = text.split_once('/').and_then(|(kind, name)| Some((DefinitionType::parse(kind)?, name.to_owned())));
    if found.is_none() {
        let words = "of must be what is called, its type and name, such as computation/review-brief.";
        reader.refuse("case.happens", pointer, Part::Value, words);
    }
    found
}

fn given(reader: &mut Reader<'_>, here: &str, members: &Map<String, Value>) -> Option<Given> {
    let ways = ["output", "rejected", "failed", "unreachable"];
    let found: Vec<&str> = ways.into_iter().filter(|way| members.contains_key(*way)).collect();
    let [way] = found.as_slice() else {
        reader.refuse("case.happens", here, Part::Value, format!("An answer is one of {}.", or(&ways)));
        return None;
    };
    let value = members.get(*way).cloned().unwrap_or_default();
    Some(match *way {
        "output" => Given::Output(value),
        "failed" => Given::Failed,
        "unreachable" => Given::Unreachable(text(reader, &format!("{here}/unreachable"))?),
        _ => match Rejection::deserialize(&value) {
            Ok(rejection) => Given::Rejected(rejection),
            Err(why) => {
                let words = format!("rejected is a mapping with a reason and a detail, as a run is refused: {why}.");
                reader.refuse("case.happens", &format!("{here}/rejected"), Part::Value, words);
                return None;
            }
        },
    })
}

fn ends(reader: &mut Reader<'_>) -> Option<Ends> {
    reader.at("/expect")?;
    let members = reader.mapping("/expect", "case.expect")?;
    let section = Section { of: "expect", code: "case.expect", fields: &["output", "rejected", "kind", "waits"] };
    reader.known("/expect", &section, |name| (name == "reason").then(|| "Write the reason as rejected.".into()));
    levels(reader, "/expect/output");
    if members.contains_key("kind") && !members.contains_key("rejected") {
        reader.refuse("case.expect", "/expect/kind", Part::Key, "Only a rejected run has a kind.");
    }
    match (members.get("output"), members.get("rejected"), members.get("waits")) {
        (Some(output), None, None) => Some(Ends::Answer(Answer::Output(output.clone()))),
        (None, Some(word), None) => {
            let reason = REASONS.into_iter().find(|reason| word == reason.word());
            if reason.is_none() {
                let words: Vec<&str> = REASONS.iter().map(|reason| reason.word()).collect();
                let words = format!("rejected must be {}.", or(&words));
                reader.refuse("case.expect", "/expect/rejected", Part::Value, words);
            }
            let kind = match members.get("kind") {
                None => None,
                Some(kind) => match Kind::deserialize(kind) {
                    Ok(kind) => Some(kind),
                    Err(_) => {
                        let words = "kind must be a kind of refusal, such as requested or expired.";
                        reader.refuse("case.expect", "/expect/kind", Part::Value, words);
                        None
                    }
                },
            };
            Some(Ends::Answer(Answer::Rejected { reason: reason?, kind }))
        }
        (None, None, Some(Value::Array(names))) if names.iter().all(Value::is_string) => {
            Some(Ends::Waits(names.iter().filter_map(Value::as_str).map(str::to_owned).collect()))
        }
        (None, None, Some(_)) => {
            reader.refuse("case.expect", "/expect/waits", Part::Value, "waits must be a list of names of tasks.");
            None
        }
        _ => {
            let words = "A run ends with an output, is rejected, or waits; write one of output, rejected and waits.";
            reader.refuse("case.expect", "/expect", Part::Key, words);
            None
        }
    }
}

/// The case as the value its text holds.
pub(super) fn value(case: &WorkflowCase) -> Map<String, Value> {
    let mut members = Map::new();
    let mut add = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            members.insert(name.into(), value);
        }
    };
    add("description", case.description.clone().map(Value::String));
    add("run", case.run.clone().map(Value::String));
    add("start", Some(case.start.iso().into()));
    add("input", Some(case.input.clone()));
    add("depth", (case.depth > 0).then(|| case.depth.into()));
    add("longest", case.longest.map(Value::from));
    add("waits", (!case.waits.is_empty()).then(|| json!(case.waits)));
    let mut at = case.start;
    let mut happens = Vec::new();
    for one in &case.happens {
        let mut own = Map::new();
        if one.at != at {
            own.insert("at".into(), one.at.iso().into());
        }
        at = one.at;
        write_happening(&mut own, &one.what);
        happens.push(Value::Object(own));
    }
    add("happens", (!happens.is_empty()).then_some(Value::Array(happens)));
    add("expect", Some(Value::Object(ends_value(&case.expect))));
    members
}

/// `expect` as the value its text holds.
pub(super) fn ends_value(expect: &Ends) -> Map<String, Value> {
    match expect {
        Ends::Answer(answer) => answer_value(answer, Shown::Apart),
        Ends::Waits(names) => Map::from_iter([("waits".to_owned(), json!(names))]),
    }
}

fn write_happening(own: &mut Map<String, Value>, what: &Happening) {
    let mut add = |name: &str, value: Value| {
        own.insert(name.into(), value);
    };
    match what {
        Happening::Answer { task, nth, of, input, answer } => {
            add("answer", task.clone().into());
            if *nth > 1 {
                add("nth", (*nth).into());
            }
            if let Some((kind, name)) = of {
                add("of", format!("{}/{name}", kind.word()).into());
            }
            if let Some(input) = input {
                add("input", input.clone());
            }
            match answer {
                Given::Output(output) => add("output", output.clone()),
                Given::Rejected(rejection) => add("rejected", json!(rejection)),
                Given::Failed => add("failed", true.into()),
                Given::Unreachable(why) => add("unreachable", why.clone().into()),
            }
        }
        Happening::Time { task, nth, of } => {
            add("time", task.clone().into());
            if *nth > 1 {
                add("nth", (*nth).into());
            }
            if of != "wait" {
                add("of", of.clone().into());
            }
        }
        Happening::RunTime { longest } => add("run_time", if *longest { "longest" } else { "timeout" }.into()),
        Happening::Event(event) => add("event", event.clone()),
        Happening::Heard { task, nth, filter, event } => {
            add("heard", event.clone());
            add("by", task.clone().into());
            if *nth > 1 {
                add("nth", (*nth).into());
            }
            if *filter > 0 {
                add("filter", (*filter).into());
            }
        }
        Happening::Cancelled { kind, reason } => {
            add("cancelled", kind.word().into());
            if let Some(reason) = reason {
                add("reason", reason.clone().into());
            }
        }
        Happening::WentOn => add("went_on", true.into()),
    }
}
