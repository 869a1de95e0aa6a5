//! `publish_event`: what an event from outside must keep, and when two are the same.
//!
//! An event that another playbook recorded of itself, taken over as history, is read by the same rules but one:
//! what only a playbook writes is then asked for instead of refused.

use super::attribute;
use playbook_model::definition::DefinitionType;
use playbook_model::ending::Issue;
use playbook_model::event::{CloudEvent, NUMBER_ATTRIBUTES, OWN_ATTRIBUTES, OWN_SOURCES};
use playbook_model::id::{DefinitionName, RunId};
use playbook_model::json;
use playbook_model::limits;
use playbook_model::record::{DEFINITION_FACTS, PublishedEvent, RECORDED_TYPES, RUN_FACTS};
use playbook_model::time::Moment;
use serde_json::{Map, Value};

/// What the playbook fills in where the publisher gave none.
#[derive(Debug, Clone)]
pub struct Published {
    /// An id for an event without one: a version 7 UUID.
    pub id: String,
    /// The moment of recording.
    pub at: Moment,
}

const TYPE_CHARACTERS: usize = 256;
const ID_CHARACTERS: usize = 256;
const TEXT_CHARACTERS: usize = 1_024;

/// Who wrote an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Writer {
    /// A publisher.
    Publisher,
    /// A playbook, of itself.
    Playbook,
}

/// Reads and completes an event from outside: "Publishing events".
///
/// # Errors
/// Every issue at once, each under `/event/<attribute>`.
pub fn publish(given: &Map<String, Value>, fill: &Published) -> Result<PublishedEvent, Vec<Issue>> {
    read(given, fill, Writer::Publisher)
}

/// What an event that is sent to one run may hold.
const SENT: [&str; 5] = ["type", "id", "source", "subject", "data"];

/// Checks an event that is sent to one run: the rules of a published one, its source left to the playbook.
///
/// # Errors
/// Every issue at once, each under `/event/<attribute>`.
pub fn check_sent(given: &Map<String, Value>) -> Result<(), Vec<Issue>> {
    let mut whole = given.clone();
    whole.retain(|name, _| SENT.contains(&name.as_str()));
    whole.entry("source").or_insert_with(|| "/sent".into());
    let fill = Published { id: "sent".into(), at: Moment(0) };
    let mut issues = read(&whole, &fill, Writer::Publisher).err().unwrap_or_default();
    for name in given.keys().filter(|name| !SENT.contains(&name.as_str())) {
        let detail = "An event sent to a run has a type and may have an id, a source, a subject and data".to_owned();
        issues.push(Issue { detail, pointer: json::join("/event", &json::cut(name, 64)) });
    }
    if issues.is_empty() { Ok(()) } else { Err(issues) }
}

/// Whether a fold sees events of this type that only a playbook records of itself.
#[must_use]
pub fn is_own(kind: &str) -> bool {
    is_run(kind) || DEFINITION_FACTS.contains(&kind)
}

/// Whether an event of this type is one that a playbook records of a run.
#[must_use]
pub fn is_run(kind: &str) -> bool {
    RUN_FACTS.contains(&kind)
}

/// Reads an event that another playbook recorded of itself, as a fold saw it there: "The events".
///
/// # Errors
/// Every issue at once, each under `/event/<attribute>`.
pub fn take_over(given: &Map<String, Value>, fill: &Published) -> Result<PublishedEvent, Vec<Issue>> {
    let mut taken = read(given, fill, Writer::Playbook)?;
    let event = &taken.event;
    let mut issues = Vec::new();
    let mut refuse = |name: &str, detail: &str| {
        issues.push(Issue { detail: detail.into(), pointer: format!("/event/{name}") });
    };
    for (name, missing) in [("id", given.get("id").is_none()), ("time", given.get("time").is_none())] {
        if missing {
            refuse(name, "An event of a playbook's own has one");
        }
    }
    if event.time.as_deref().is_some_and(|time| Moment::parse(time).is_none()) {
        refuse("time", "Expected a time that a clock reads, such as 2026-10-03T16:40:05.000Z");
    }
    let about = |text: &str| {
        text.split_once('/')
            .is_some_and(|(kind, name)| DefinitionType::parse(kind).is_some() && DefinitionName::new(name).is_ok())
    };
    if is_run(&event.kind) {
        if event.source.strip_prefix("/runs/").is_none_or(|run| RunId::parse(run).is_err()) {
            refuse("source", "Expected /runs/ and the run's id");
        }
        if !event.subject.as_deref().is_some_and(about) {
            refuse("subject", "Expected the type and the name of what ran, such as computation/review-brief");
        }
    } else if !event.source.strip_prefix("/definitions/").is_some_and(about) {
        refuse("source", "Expected /definitions/ with a type and a name, such as /definitions/recall/campaign-reviews");
    }
    taken.imported = true;
    if issues.is_empty() { Ok(taken) } else { Err(issues) }
}

fn read(given: &Map<String, Value>, fill: &Published, writer: Writer) -> Result<PublishedEvent, Vec<Issue>> {
    let mut issues = Vec::new();
    let mut event = CloudEvent {
        specversion: "1.0".into(),
        id: String::new(),
        kind: String::new(),
        source: String::new(),
        subject: None,
        time: None,
        datacontenttype: None,
        dataschema: None,
        extensions: Map::new(),
        data: None,
    };
    for (name, value) in given {
        if let Err(detail) = take(&mut event, name, value, writer) {
            issues.push(Issue { detail, pointer: json::join("/event", &json::cut(name, 64)) });
        }
    }
    for name in ["type", "source"] {
        if !given.contains_key(name) {
            issues.push(Issue { detail: format!("An event needs a {name}"), pointer: format!("/event/{name}") });
        }
    }
    if event.extensions.len() > limits::EVENT_EXTENSIONS {
        let detail = format!("Expected at most {} extension attributes", limits::EVENT_EXTENSIONS);
        issues.push(Issue { detail, pointer: "/event".into() });
    }
    let mut filled = Vec::new();
    for (name, missing) in [
        ("specversion", !given.contains_key("specversion")),
        ("id", event.id.is_empty()),
        ("time", event.time.is_none()),
    ] {
        if missing {
            filled.push(name.to_owned());
        }
    }
    if event.id.is_empty() {
        event.id.clone_from(&fill.id);
    }
    if event.time.is_none() {
        event.time = Some(fill.at.iso());
    }
    if issues.is_empty() {
        let bytes = json::bytes(&serde_json::to_value(&event).expect("an event holds nothing JSON cannot"));
        if bytes > limits::EVENT_BYTES {
            let detail = format!(
                "Expected an event of at most {} bytes as JSON, and this one takes {bytes}",
                limits::EVENT_BYTES
            );
            issues.push(Issue { detail, pointer: "/event".into() });
        }
    }
    if issues.is_empty() { Ok(PublishedEvent { event, filled, imported: false }) } else { Err(issues) }
}

fn take(event: &mut CloudEvent, name: &str, value: &Value, writer: Writer) -> Result<(), String> {
    match name {
        "data" => {
            if json::depth(value) > limits::EVENT_DATA_LEVELS {
                return Err(format!("Expected data of at most {} levels", limits::EVENT_DATA_LEVELS));
            }
            event.data = Some(value.clone());
            Ok(())
        }
        "specversion" if value == "1.0" => Ok(()),
        "specversion" => Err("Expected 1.0".into()),
        "id" => {
            event.id = named(value, ID_CHARACTERS)?;
            Ok(())
        }
        "type" => {
            let kind = named(value, TYPE_CHARACTERS)?;
            if writer == Writer::Playbook {
                if !is_own(&kind) {
                    return Err("A fold sees no event of this type that a playbook records of itself".into());
                }
            } else if RECORDED_TYPES.contains(&kind.as_str()) {
                return Err("The playbook records events of this type itself; choose another".into());
            }
            event.kind = kind;
            Ok(())
        }
        "source" => {
            let source = text(value, TEXT_CHARACTERS)?;
            if source.is_empty() || !attribute::is_uri_reference(&source) {
                return Err(
                    "Expected a URI reference that is not empty, such as /crm or https://example.com/crm".into()
                );
            }
            if writer == Writer::Publisher && OWN_SOURCES.iter().any(|own| source.starts_with(own)) {
                return Err(
                    "Sources under /runs/, /definitions/ and /callers/ are the playbook's own; choose another".into()
                );
            }
            event.source = source;
            Ok(())
        }
        "subject" => {
            event.subject = Some(named(value, TEXT_CHARACTERS)?);
            Ok(())
        }
        "time" => {
            let time = text(value, TEXT_CHARACTERS)?;
            if attribute::instant(&time).is_none() {
                return Err("Expected a time as RFC 3339 writes it, such as 2026-10-03T16:40:05Z".into());
            }
            event.time = Some(time);
            Ok(())
        }
        "datacontenttype" => {
            let kind = text(value, TEXT_CHARACTERS)?;
            if !attribute::is_media_type(&kind) {
                return Err("Expected a media type such as application/json".into());
            }
            event.datacontenttype = Some(kind);
            Ok(())
        }
        "dataschema" => {
            let schema = text(value, TEXT_CHARACTERS)?;
            if !attribute::is_absolute_uri(&schema) {
                return Err("Expected an absolute URI such as https://example.com/schema".into());
            }
            event.dataschema = Some(schema);
            Ok(())
        }
        own if OWN_ATTRIBUTES.contains(&own) && writer == Writer::Publisher => {
            Err("Only the playbook writes this attribute".into())
        }
        number if NUMBER_ATTRIBUTES.contains(&number) => {
            if value.as_u64().is_none_or(|value| value == 0 || u32::try_from(value).is_err()) {
                return Err("Expected a whole number from 1".into());
            }
            event.extensions.insert(number.into(), value.clone());
            Ok(())
        }
        extension => {
            let fits = (1..=limits::ATTRIBUTE_CHARACTERS).contains(&extension.len())
                && extension.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
            if !fits {
                return Err("An attribute is named in 1 to 20 lowercase letters and digits".into());
            }
            let value = match value {
                Value::Bool(_) => value.clone(),
                Value::Number(number) if number.as_i64().is_some_and(|n| i32::try_from(n).is_ok()) => value.clone(),
                Value::String(_) => Value::String(text(value, usize::MAX)?),
                _ => return Err("Expected a text, true, false or a whole number of 32 bits".into()),
            };
            event.extensions.insert(extension.into(), value);
            Ok(())
        }
    }
}

fn text(value: &Value, most: usize) -> Result<String, String> {
    let Some(text) = value.as_str() else { return Err("Expected a text".into()) };
    if text.chars().count() > most {
        return Err(format!("Expected at most {most} characters"));
    }
    if attribute::has_forbidden(text) {
        return Err("Expected a text without control characters and noncharacters".into());
    }
    Ok(text.into())
}

fn named(value: &Value, most: usize) -> Result<String, String> {
    let text = text(value, most)?;
    if text.trim().is_empty() {
        return Err("Expected a text that is not blank".into());
    }
    Ok(text)
}

/// Whether an event published again is the one recorded: compared on what both callers gave, times as instants.
#[must_use]
pub fn same(recorded: &PublishedEvent, again: &PublishedEvent) -> bool {
    let filled = |name: &str| recorded.filled.iter().chain(&again.filled).any(|f| f == name);
    let (a, b) = (&recorded.event, &again.event);
    let time = filled("time")
        || match (&a.time, &b.time) {
            (Some(x), Some(y)) => x == y || attribute::instant(x) == attribute::instant(y),
            (x, y) => x == y,
        };
    let data = match (&a.data, &b.data) {
        (Some(x), Some(y)) => json::same(x, y),
        (x, y) => x == y,
    };
    let extensions = a.extensions.len() == b.extensions.len()
        && a.extensions.iter().all(|(name, x)| b.extensions.get(name).is_some_and(|y| json::same(x, y)));
    a.kind == b.kind
        && a.source == b.source
        && a.id == b.id
        && a.subject == b.subject
        && a.datacontenttype == b.datacontenttype
        && a.dataschema == b.dataschema
        && time
        && data
        && extensions
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fill() -> Published {
        Published { id: "made".into(), at: Moment(0) }
    }

    fn published(given: Value) -> Result<PublishedEvent, Vec<String>> {
        publish(given.as_object().expect("an object"), &fill())
            .map_err(|issues| issues.into_iter().map(|i| format!("{}: {}", i.pointer, i.detail)).collect())
    }

    #[test]
    fn type_and_source_are_enough() {
        let event = published(json!({"type": "order_placed", "source": "/shop"})).expect("taken");
        assert_eq!(event.event.id, "made");
        assert_eq!(event.event.time.as_deref(), Some("1970-01-01T00:00:00.000Z"));
        assert_eq!(event.filled, ["specversion", "id", "time"]);
    }

    #[test]
    fn a_playbooks_own_event_is_taken_over_as_it_was_seen() {
        let taken = |given: Value| {
            take_over(given.as_object().expect("an object"), &fill())
                .map_err(|issues| issues.into_iter().map(|i| i.pointer).collect::<Vec<_>>())
        };
        let own = json!({
            "specversion": "1.0", "id": "e1", "type": "run_succeeded",
            "source": "/runs/0199a3c4-7d2e-7c1a-9b3f-2f1e0d9c8b73", "subject": "reasoning/review-brief",
            "time": "2026-10-03T16:40:05.000Z", "correlationid": "r", "caller": "local", "definitionversion": 3,
            "data": {"output": null},
        });
        let event = taken(own.clone()).expect("taken");
        assert!(event.imported && event.filled.is_empty());
        assert_eq!(serde_json::to_string(&event.event).expect("JSON"), own.to_string());
        let definition = json!({
            "id": "e2", "type": "definition_created", "source": "/definitions/recall/campaign-reviews",
            "time": "2026-10-03T16:40:05.000Z",
        });
        assert!(taken(definition).is_ok());
        let refused = |name: &str, value: Value| {
            let mut event = own.clone();
            event[name] = value;
            taken(event).expect_err("refused")
        };
        assert_eq!(refused("type", json!("tool_call_started")), ["/event/type"]);
        assert_eq!(refused("type", json!("order_placed")), ["/event/type"]);
        assert_eq!(refused("source", json!("/runs/1")), ["/event/source"]);
        assert_eq!(refused("subject", json!("review-brief")), ["/event/subject"]);
        assert_eq!(refused("definitionversion", json!(0)), ["/event/definitionversion"]);
        assert_eq!(refused("type", json!("definition_retired")), ["/event/source"]);
        assert_eq!(taken(json!({"type": "run_failed", "source": "/x"})).expect_err("refused").len(), 4);
    }

    #[test]
    fn every_issue_at_once() {
        let issues = published(json!({
            "type": "run_started", "source": "/runs/x", "id": " ", "depth": 1, "Bad": 1, "half": 1.5, "data": null, "time": "now"
        }))
        .expect_err("refused");
        assert_eq!(issues.len(), 7, "{issues:#?}");
    }

    #[test]
    fn data_nests_up_to_510_levels() {
        let nested =
            |levels: usize| json::parse(&format!("{}{}", "[".repeat(levels), "]".repeat(levels)), 600).expect("JSON");
        assert!(published(json!({"type": "a", "source": "b", "data": nested(510)})).is_ok());
        assert!(published(json!({"type": "a", "source": "b", "data": nested(511)})).is_err());
    }

    #[test]
    fn the_whole_event_is_bounded() {
        let room = |more: usize| json!({"type": "a", "source": "b", "data": "x".repeat(more)});
        let base = json::bytes(&serde_json::to_value(published(room(0)).expect("taken").event).expect("JSON"));
        assert!(published(room(limits::EVENT_BYTES - base)).is_ok());
        assert!(published(room(limits::EVENT_BYTES - base + 1)).is_err());
    }

    #[test]
    fn the_same_event_is_compared_on_what_both_gave() {
        let first = published(json!({"type": "a", "source": "b", "id": "1", "data": {"x": 1, "y": 2}})).expect("taken");
        let again = published(
            json!({"type": "a", "source": "b", "id": "1", "time": "2026-01-01T00:00:00Z", "data": {"y": 2.0, "x": 1}}),
        )
        .expect("taken");
        assert!(same(&first, &again));
        let timed = published(json!({"type": "a", "source": "b", "id": "1", "time": "2026-01-01T01:00:00+01:00", "data": {"x": 1, "y": 2}})).expect("taken");
        assert!(same(&again, &timed));
        let other = published(json!({"type": "a", "source": "b", "id": "1", "data": {"x": 1}})).expect("taken");
        assert!(!same(&first, &other));
        let none = published(json!({"type": "a", "source": "b", "id": "1"})).expect("taken");
        let null = published(json!({"type": "a", "source": "b", "id": "1", "data": null})).expect("taken");
        assert!(!same(&none, &null));
    }
}
