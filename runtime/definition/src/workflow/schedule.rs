//! What starts a workflow on its own. "Triggers".

use super::cron::Cron;
use super::draft::{Draft, Foreign};
use super::program::{Duration, Trigger, TriggerFilter};
use super::sight::{Around, At, Sight};
use crate::details::{Data, Filter};
use crate::{filter, overview};
use playbook_model::json;
use playbook_model::limits::{EVERY_MILLISECONDS, TRIGGER_FILTERS};
use serde_json::Value;

/// Reads `schedule`.
pub(super) fn read(draft: &mut Draft<'_, '_>, value: &Value) -> Vec<Trigger> {
    let mut triggers = Vec::new();
    let Some(members) = draft.mapping("/schedule", value, "schedule") else { return triggers };
    draft.known("/schedule", members, "schedule", &["on", "cron", "every"], |name| match name {
        "after" => {
            Some(Foreign::Refused("schedule.after is refused: a trigger starts one run for each event or time."))
        }
        "one" | "any" => Some(Foreign::Hint("Write it under on.")),
        _ => None,
    });
    if !["on", "cron", "every", "after"].iter().any(|name| members.contains_key(*name)) {
        let message = "A schedule names at least one trigger: on, cron or every.";
        draft.refuse("workflow.schedule", "/schedule", message);
    }
    if let Some(value) = members.get("on") {
        triggers.extend(on(draft, value));
    }
    if let Some(value) = members.get("cron") {
        triggers.extend(cron(draft, value));
    }
    if let Some(value) = members.get("every")
        && let Some(Duration::Milliseconds(milliseconds)) = draft.duration("/schedule/every", value, None)
    {
        if milliseconds < EVERY_MILLISECONDS {
            draft.refuse("workflow.every", "/schedule/every", "schedule.every is at least a minute.");
        }
        triggers.push(Trigger::Every { milliseconds });
    }
    triggers
}

fn cron(draft: &mut Draft<'_, '_>, value: &Value) -> Option<Trigger> {
    let here = "/schedule/cron";
    let text = draft.text(here, value, "schedule.cron")?;
    match Cron::parse(text) {
        Ok(_) => Some(Trigger::Cron { expression: text.to_owned() }),
        Err(words) => {
            let problem = draft.error("workflow.cron", here, words);
            draft.push(
                problem.hint("The five fields are minute, hour, day of month, month and day of week, as 0 9 * * 1-5."),
            );
            None
        }
    }
}

fn on(draft: &mut Draft<'_, '_>, value: &Value) -> Option<Trigger> {
    let here = "/schedule/on";
    let members = draft.mapping(here, value, "schedule.on")?;
    draft.known(here, members, "schedule.on", &["one", "any"], |name| match name {
        "all" => Some(Foreign::Refused("schedule.on.all is refused: a trigger starts one run for each event or time.")),
        "until" => {
            Some(Foreign::Refused("schedule.on.until is refused: a trigger starts one run for each event or time."))
        }
        "with" | "type" => Some(Foreign::Hint("Write it under one, as on: { one: { with: … } }.")),
        _ => None,
    });
    let (name, value) = match (members.get("one"), members.get("any")) {
        (Some(one), None) => ("one", one),
        (None, Some(any)) => ("any", any),
        (Some(_), Some(_)) => {
            draft.refuse("workflow.on", here, "schedule.on has one or any, not both.");
            return None;
        }
        (None, None) => {
            if !members.contains_key("all") {
                draft.refuse("workflow.on", here, "It needs one or any");
            }
            return None;
        }
    };
    let here = format!("{here}/{name}");
    let mut filters = Vec::new();
    if name == "one" {
        filters.extend(one(draft, &here, value, &[]));
    } else {
        let items = draft.list(&here, value, "any")?;
        if items.is_empty() || items.len() > TRIGGER_FILTERS {
            let message = format!("schedule.on.any names {} filters; it takes 1 to {TRIGGER_FILTERS}.", items.len());
            draft.refuse("workflow.filters", &here, message);
        }
        for (at, value) in items.iter().enumerate() {
            let found = one(draft, &format!("{here}/{at}"), value, &filters);
            filters.extend(found);
        }
    }
    Some(Trigger::Event { filters })
}

/// Reads one filter, under the rules of a recall function's.
fn one(draft: &mut Draft<'_, '_>, here: &str, value: &Value, before: &[TriggerFilter]) -> Option<TriggerFilter> {
    let with = draft.filter(here, value)?;
    let inner = format!("{here}/with");
    let problems = draft.reader.problems.len();
    let found = filter::one(draft.reader, &inner, with);
    for at in problems..draft.reader.problems.len() {
        if let Some(pointer) = draft.reader.problems[at].place.pointer.clone() {
            draft.reader.problems[at].place = draft.place(&pointer);
        }
    }
    let Filter { kind, attributes, data, .. } = found?;
    if let Data::Expression { text, .. } = &data {
        draft.expression(&format!("{inner}/data"), text, &Sight::of(At::Filter, &Around::default()));
    }
    let mut filter = Filter { kind, attributes, data, sentence: String::new() };
    let same = |other: &TriggerFilter| {
        other.kind == filter.kind
            && other.attributes.len() == filter.attributes.len()
            && other
                .attributes
                .iter()
                .all(|(name, value)| filter.attributes.iter().any(|(mine, own)| mine == name && json::same(own, value)))
            && other.data == filter.data
    };
    if let Some(earlier) = before.iter().find(|other| same(other)) {
        let message = format!("This filter is written already, at {}; a filter is written once.", earlier.reference);
        draft.refuse("workflow.filter.twice", here, message);
    }
    filter.sentence = overview::sentence(&filter);
    let Filter { kind, attributes, data, sentence } = filter;
    Some(TriggerFilter { reference: here.to_owned(), kind, attributes, data, sentence })
}
