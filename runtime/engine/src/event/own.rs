//! A record as a fold sees it: "The events".

use super::publish::is_run;
use playbook_model::event::CloudEvent;
use playbook_model::json;
use playbook_model::limits;
use playbook_model::record::{Context, Fact, Unreadable};
use playbook_model::time::Moment;
use serde_json::{Map, Value, json};

/// An event a fold may take.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    /// The event.
    pub event: CloudEvent,
    /// The event's time as a clock reads it.
    pub time: Moment,
    /// For a run's own fact, `<type>/<name>` of what ran: a recall function never folds its own runs.
    pub run_of: Option<String>,
}

/// Why a record is no event for a fold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unseen {
    /// It belongs to the history alone.
    HistoryOnly,
    /// It cannot be read; passed over and reported to the operator once.
    Unreadable(String),
}

impl From<Unreadable> for Unseen {
    fn from(why: Unreadable) -> Self {
        Self::Unreadable(why.to_string())
    }
}

/// Shows a record as an event.
///
/// # Errors
/// [`Unseen`] for a record that no fold sees.
pub fn seen(id: &str, fact: &Fact, context: &Context) -> Result<Seen, Unseen> {
    match fact {
        Fact::RunStarted(_) | Fact::RunFailed { .. } => run(id, fact.kind(), context, None),
        Fact::RunRejected { rejection, .. } => {
            let mut data = Map::new();
            data.insert("reason".into(), rejection.reason.word().into());
            if let Some(kind) = rejection.kind {
                data.insert("kind".into(), kind.word().into());
            }
            run(id, fact.kind(), context, Some(Value::Object(data)))
        }
        Fact::RunSucceeded { output, .. } => {
            let whole = run(id, fact.kind(), context, Some(json!({ "output": output })))?;
            let deep = whole.event.data.as_ref().map_or(0, json::depth) > limits::EVENT_DATA_LEVELS;
            if deep || bytes(&whole.event) > limits::EVENT_BYTES {
                return run(id, fact.kind(), context, Some(json!({ "output_bytes": json::bytes(output) })));
            }
            Ok(whole)
        }
        Fact::DefinitionCreated(_) | Fact::DefinitionUpdated(_) | Fact::DefinitionRetired => {
            let Some(about) = &context.definition else {
                return Err(Unseen::Unreadable(format!("the record {id} names no definition")));
            };
            let source = format!("/definitions/{}/{}", about.kind, about.name);
            Ok(Seen { event: own(id, fact.kind(), source, None, context, None), time: context.at, run_of: None })
        }
        Fact::EventPublished(published) => {
            let event = published.event.clone();
            if event.data.as_ref().map_or(0, json::depth) > limits::EVENT_DATA_LEVELS {
                return Err(Unseen::Unreadable(format!("the data of the event {id} nests too deep")));
            }
            let text = event.time.as_deref().unwrap_or_default();
            let time = (!is_leap_second(text)).then(|| Moment::parse(text)).flatten();
            let Some(time) = time else {
                return Err(Unseen::Unreadable(format!("the time of the event {id} is one no clock reads")));
            };
            // What was taken over from another playbook's history is seen as it was seen there.
            let run_of = event.subject.clone().filter(|_| published.imported && is_run(&event.kind));
            Ok(Seen { event, time, run_of })
        }
        _ => Err(Unseen::HistoryOnly),
    }
}

/// A time whose second is 60, which a `Date` cannot read.
fn is_leap_second(text: &str) -> bool {
    text.get(17..19) == Some("60")
}

fn run(id: &str, kind: &str, context: &Context, data: Option<Value>) -> Result<Seen, Unseen> {
    let (Some(about), Some(run)) = (&context.definition, &context.run_id) else {
        return Err(Unseen::Unreadable(format!("the record {id} names no run of a definition")));
    };
    let subject = format!("{}/{}", about.kind, about.name);
    let event = own(id, kind, format!("/runs/{run}"), Some(subject.clone()), context, data);
    Ok(Seen { event, time: context.at, run_of: Some(subject) })
}

fn own(
    id: &str,
    kind: &str,
    source: String,
    subject: Option<String>,
    context: &Context,
    data: Option<Value>,
) -> CloudEvent {
    let mut extensions = Map::new();
    let mut add = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            extensions.insert(name.into(), value);
        }
    };
    add("causationid", context.causation_id.clone().map(Value::String));
    add("correlationid", context.correlation_id.clone().map(Value::String));
    add("caller", Some(context.by.clone().into()));
    add("definitionversion", context.definition.as_ref().map(|d| d.version.into()));
    add("depth", context.depth.map(Value::from));
    add("calldepth", context.call_depth.map(Value::from));
    add("calledby", context.called_by.as_ref().map(|c| c.run_id.clone().into()));
    add("triggerkind", context.trigger.as_ref().map(|t| t.kind.clone().into()));
    add("triggerreference", context.trigger.as_ref().map(|t| t.reference.clone().into()));
    CloudEvent {
        specversion: "1.0".into(),
        id: id.into(),
        kind: kind.into(),
        source,
        subject,
        time: Some(context.at.iso()),
        datacontenttype: None,
        dataschema: None,
        extensions,
        data,
    }
}

fn bytes(event: &CloudEvent) -> usize {
    json::bytes(&serde_json::to_value(event).expect("an event holds nothing JSON cannot"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use playbook_model::definition::DefinitionType;
    use playbook_model::ending::{Kind, Reason, Rejection};
    use playbook_model::record::{DefinitionRef, RunStarted};

    fn context() -> Context {
        let mut context = Context::new(Moment(1_791_045_605_000), "local");
        context.run_id = Some("0199a3c4-7d2e-7c1a-9b3f-2f1e0d9c8b73".into());
        context.definition =
            Some(DefinitionRef { kind: DefinitionType::Reasoning, name: "review-brief".into(), version: 3 });
        context.correlation_id = context.run_id.clone();
        context
    }

    #[test]
    fn a_started_run_shows_no_input() {
        let fact =
            Fact::RunStarted(RunStarted { input: json!({"secret": 1}), calls_tools: false, finishes_later: false });
        let event = seen("e1", &fact, &context()).expect("seen").event;
        assert_eq!(event.kind, "run_started");
        assert_eq!(event.source, "/runs/0199a3c4-7d2e-7c1a-9b3f-2f1e0d9c8b73");
        assert_eq!(event.subject.as_deref(), Some("reasoning/review-brief"));
        assert_eq!(event.time.as_deref(), Some("2026-10-03T16:40:05.000Z"));
        assert_eq!(event.data, None);
        assert_eq!(event.extensions["definitionversion"], 3);
        assert!(!event.extensions.contains_key("depth"));
    }

    #[test]
    fn what_was_taken_over_is_seen_as_it_was_seen_there() {
        let first =
            seen("e1", &Fact::RunSucceeded { output: json!({"b": 1, "a": [1.0]}), record: json!({}) }, &context())
                .expect("seen");
        let given = serde_json::to_value(&first.event).expect("JSON");
        let fill = crate::event::Published { id: "made".into(), at: Moment(0) };
        let published = crate::event::take_over(given.as_object().expect("an object"), &fill).expect("taken");
        let fact = Fact::EventPublished(Box::new(published));
        let again = Fact::read(fact.kind(), fact.data()).expect("read");
        assert_eq!(seen("other", &again, &Context::new(Moment(9), "local")), Ok(first));
    }

    #[test]
    fn a_rejection_shows_reason_and_kind_alone() {
        let rejection = Rejection::new(Reason::Conflict, "words").kind(Kind::Unworkable);
        let event = seen("e1", &Fact::RunRejected { rejection, record: None }, &context()).expect("seen").event;
        assert_eq!(event.data, Some(json!({"reason": "conflict", "kind": "unworkable"})));
    }

    #[test]
    fn an_output_too_large_or_too_deep_shows_its_size() {
        let shown = |output: Value| {
            seen("e1", &Fact::RunSucceeded { output, record: json!({}) }, &context())
                .expect("seen")
                .event
                .data
                .expect("data")
        };
        let small = shown(json!("x"));
        assert_eq!(small, json!({"output": "x"}));
        let large = shown(Value::String("x".repeat(limits::EVENT_BYTES)));
        assert_eq!(large, json!({"output_bytes": limits::EVENT_BYTES + 2}));
        let nested =
            |levels: usize| json::parse(&format!("{}{}", "[".repeat(levels), "]".repeat(levels)), 600).expect("JSON");
        assert!(shown(nested(509)).get("output").is_some());
        assert_eq!(shown(nested(510)), json!({"output_bytes": 1020}));
    }

    #[test]
    fn a_definition_event_has_no_subject() {
        let mut context = context();
        context.run_id = None;
        let event = seen("e1", &Fact::DefinitionRetired, &context).expect("seen").event;
        assert_eq!(event.source, "/definitions/reasoning/review-brief");
        assert_eq!((event.subject, event.data), (None, None));
    }
}
