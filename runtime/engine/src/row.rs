//! A record as a row of the history: one plain sentence without ids, and data that stays small.

mod steps;

pub use steps::{STEP_KINDS, StepRow, steps};

use playbook_model::ending::{Kind, Reason};
use playbook_model::json;
use playbook_model::limits;
use playbook_model::record::{Context, Fact, SavedDefinition};
use serde_json::{Map, Value};

/// How much of a row is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// A listing: large members as their sizes, the data within 4 KiB.
    Listed,
    /// One row: every member whole, but for documents and schemas, which are always sizes.
    Whole,
}

/// Steps that a row of an input names.
const STEPS_SHOWN: usize = 5;
const DESCRIPTION_SHOWN: usize = 300;
const ISSUES_SHOWN: usize = 5;

/// The row's sentence.
#[must_use]
pub fn summary(fact: &Fact, context: &Context) -> String {
    let (noun, name) = context.definition.as_ref().map_or_else(
        || ("definition".to_owned(), "unknown".to_owned()),
        |about| (about.kind.noun(), about.name.clone()),
    );
    let version = context.definition.as_ref().map_or(0, |about| about.version);
    // The person at this machine knows who that is; anyone else is named.
    let by = if context.by == "local" { String::new() } else { format!(" by {}", context.by) };
    match fact {
        Fact::RunStarted(_) => match context.trigger.as_ref().map(|t| t.kind.as_str()) {
            Some("event") => format!("A run of the {noun} {name} was started by its event trigger"),
            Some(kind) => format!("A run of the {noun} {name} was started by its {kind} schedule"),
            _ if context.called_by.is_some() => format!("A workflow called the {noun} {name}"),
            _ => format!("A run of the {noun} {name} was started{by}"),
        },
        Fact::RunDeferred(deferred) => {
            format!("The {noun} {name} asked {} and waits for an answer", json::cut(&deferred.interaction.to, 100))
        }
        Fact::RunSucceeded { .. } => format!("The run of the {noun} {name} succeeded"),
        Fact::RunRejected { rejection, .. } => {
            format!("The run of the {noun} {name} was rejected: {}", why(rejection.reason, rejection.kind))
        }
        Fact::RunFailed { .. } => format!("The run of the {noun} {name} failed: the runtime broke down"),
        Fact::RunCancelRequested { .. } => format!("The run of the {noun} {name} was asked to be cancelled{by}"),
        Fact::DefinitionCreated(_) => format!("The {noun} {name} was saved{by}"),
        Fact::DefinitionUpdated(_) => format!("Version {version} of the {noun} {name} was saved{by}"),
        Fact::DefinitionRetired => format!("The {noun} {name} was retired{by}"),
        Fact::EventPublished(published) if published.imported => {
            format!("An event {} of another playbook's history was imported{by}", published.event.kind)
        }
        Fact::EventPublished(published) => {
            format!("An event of the type {} was published{by}", published.event.kind)
        }
        Fact::WorkflowInputApplied(data) => applied(data, &noun, &name),
        Fact::ReactionRefused { count, reason, .. } => {
            let runs = if *count == 1 { "a run".to_owned() } else { format!("{count} runs") };
            format!("The {noun} {name} did not start {runs}: {reason}")
        }
        Fact::PlaybookCreated(text) => format!("The playbook {} was created{by}", text.name),
        Fact::PlaybookChanged(text) => format!("The playbook {} was changed{by}", text.name),
        Fact::PlaybookRetired { .. } => format!("A playbook was retired{by}"),
    }
}

/// What a row shows of an input that was applied: never a value of the run.
fn input_applied(row: &mut Map<String, Value>, data: &Value) {
    if let Some(input) = data["input"].as_object() {
        for (name, value) in input {
            if !matches!(name.as_str(), "rejection" | "detail") {
                row.insert(name.clone(), value.clone());
            }
        }
        if let Some(rejection) = input.get("rejection") {
            for name in ["reason", "kind", "because"] {
                if let Some(value) = rejection.get(name) {
                    row.insert(if name == "kind" { "rejection_kind" } else { name }.into(), value.clone());
                }
            }
        }
    }
    let steps = data["steps"].as_array().cloned().unwrap_or_default();
    row.insert("steps_moved".into(), steps.len().into());
    let shown = steps.iter().take(STEPS_SHOWN);
    let shown: Vec<Value> = shown
        .map(|step| {
            serde_json::json!({ "reference": step["reference"], "run": step["run"], "outcome": step["outcome"] })
        })
        .collect();
    row.insert("steps".into(), Value::Array(shown));
    if let Some(status) = data["settled"]["status"].as_str() {
        row.insert("settled".into(), status.into());
    }
}

/// What happened to a workflow's run, as a sentence.
fn applied(data: &Value, noun: &str, name: &str) -> String {
    let input = &data["input"];
    let text = |name: &str| input[name].as_str().unwrap_or_default().to_owned();
    match input["kind"].as_str().unwrap_or_default() {
        "started" => format!("The run of the {noun} {name} began"),
        "timer_fired" => format!("A timer of the run of the {noun} {name} was due"),
        "call_answered" => match input["status"].as_str().unwrap_or_default() {
            "succeeded" => format!("A call of the run of the {noun} {name} gave its output"),
            _ => format!("A call of the run of the {noun} {name} did not succeed"),
        },
        "event_received" => format!("An event of the type {} was sent to the run of the {noun} {name}", text("type")),
        "event_offered" => format!("The run of the {noun} {name} heard an event of the type {}", text("type")),
        "cancel_requested" => format!("The run of the {noun} {name} was cancelled"),
        _ => format!("The run of the {noun} {name} went on"),
    }
}

fn why(reason: Reason, kind: Option<Kind>) -> String {
    match kind {
        Some(kind) => format!("{} ({})", words(reason), kind.word().replace('_', " ")),
        None => words(reason).to_owned(),
    }
}

fn words(reason: Reason) -> &'static str {
    match reason {
        Reason::InvalidInput => "the input does not fit",
        Reason::Conflict => "it cannot be done as things stand",
        Reason::Unavailable => "it could not be done then",
        Reason::Cancelled => "it was cancelled",
        Reason::Unanswered => "nobody answered",
        Reason::NotFound => "there is no such thing",
        Reason::Forbidden => "the caller may not",
    }
}

/// The row's data.
#[must_use]
pub fn data(fact: &Fact, detail: Detail) -> Value {
    let mut row = Map::new();
    match fact {
        Fact::RunStarted(started) => {
            large(&mut row, "input", &started.input, detail);
            row.insert("calls_tools".into(), started.calls_tools.into());
            row.insert("finishes_later".into(), started.finishes_later.into());
        }
        Fact::RunDeferred(deferred) => {
            let request = &deferred.interaction;
            row.insert("delivery".into(), Value::Null);
            row.insert("to".into(), request.to.clone().into());
            row.insert("message_bytes".into(), request.message.len().into());
            if detail == Detail::Whole {
                row.insert("message".into(), request.message.clone().into());
            }
            row.insert("expires_at".into(), request.expires_at.iso().into());
            row.insert("takes_answer".into(), true.into());
        }
        Fact::RunSucceeded { output, record } => {
            large(&mut row, "output", output, detail);
            large(&mut row, "record", record, detail);
        }
        Fact::RunRejected { rejection, record } => {
            row.insert("reason".into(), rejection.reason.word().into());
            row.insert("detail".into(), json::cut(&rejection.detail, 1_024).into());
            if let Some(kind) = rejection.kind {
                row.insert("kind".into(), kind.word().into());
            }
            if let Some(because) = &rejection.because {
                row.insert("because".into(), because.clone().into());
            }
            if !rejection.issues.is_empty() {
                row.insert("issue_count".into(), rejection.issues.len().into());
                let shown = match detail {
                    Detail::Listed => ISSUES_SHOWN,
                    Detail::Whole => usize::MAX,
                };
                let issues = rejection.issues.iter().take(shown);
                let issues = issues.map(|i| serde_json::json!({ "pointer": i.pointer, "detail": i.detail })).collect();
                row.insert("issues".into(), Value::Array(issues));
            }
            if let Some(record) = record {
                large(&mut row, "record", record, detail);
            }
        }
        Fact::DefinitionCreated(saved) | Fact::DefinitionUpdated(saved) => definition(&mut row, saved),
        Fact::WorkflowInputApplied(data) => input_applied(&mut row, data),
        Fact::ReactionRefused { count, reason, minute } => {
            row.insert("count".into(), (*count).into());
            row.insert("reason".into(), reason.clone().into());
            row.insert("minute".into(), minute.clone().into());
        }
        Fact::EventPublished(published) => {
            let event = &published.event;
            row.insert("event_id".into(), event.id.clone().into());
            row.insert("event_type".into(), event.kind.clone().into());
            row.insert("source".into(), event.source.clone().into());
            for (name, text) in [
                ("subject", &event.subject),
                ("time", &event.time),
                ("datacontenttype", &event.datacontenttype),
                ("dataschema", &event.dataschema),
            ] {
                if let Some(text) = text {
                    row.insert(name.into(), text.clone().into());
                }
            }
            if !event.extensions.is_empty() {
                row.insert("extensions".into(), Value::Object(event.extensions.clone()));
            }
            if let Some(data) = &event.data {
                large(&mut row, "data", data, detail);
            }
            if !published.filled.is_empty() {
                row.insert("filled".into(), published.filled.clone().into());
            }
            if published.imported {
                row.insert("imported".into(), true.into());
            }
        }
        other => {
            if let Value::Object(members) = other.data() {
                row = members;
            }
        }
    }
    if detail == Detail::Listed {
        fit(&mut row);
    }
    Value::Object(row)
}

fn definition(row: &mut Map<String, Value>, saved: &SavedDefinition) {
    row.insert("source_bytes".into(), saved.source.len().into());
    if let Some(description) = &saved.description {
        let shown: String = description.chars().take(DESCRIPTION_SHOWN).collect();
        row.insert("description".into(), shown.into());
    }
    for (name, schema) in [("input_schema_bytes", &saved.input_schema), ("output_schema_bytes", &saved.output_schema)] {
        if let Some(schema) = schema {
            row.insert(name.into(), json::bytes(schema).into());
        }
    }
    row.insert("warning_count".into(), saved.warnings.len().into());
}

fn large(row: &mut Map<String, Value>, name: &str, value: &Value, detail: Detail) {
    let bytes = json::bytes(value);
    if detail == Detail::Whole || bytes <= limits::ROW_MEMBER_BYTES {
        row.insert(name.into(), value.clone());
    } else {
        row.insert(format!("{name}_bytes"), bytes.into());
    }
}

/// Replaces the largest member by its size until the row fits.
fn fit(row: &mut Map<String, Value>) {
    loop {
        let sizes: Vec<(String, usize)> = row.iter().map(|(name, value)| (name.clone(), json::bytes(value))).collect();
        let names: usize = sizes.iter().map(|(name, bytes)| json::bytes(&Value::from(name.as_str())) + 2 + bytes).sum();
        if names < limits::ROW_DATA_BYTES {
            return;
        }
        let largest = sizes.into_iter().filter(|(name, _)| !name.ends_with("_bytes")).max_by_key(|(_, bytes)| *bytes);
        let Some((name, bytes)) = largest else { return };
        row.shift_remove(&name);
        row.insert(format!("{name}_bytes"), bytes.into());
    }
}

/// The row's metadata beside `stream`, `position` and `global_position`.
#[must_use]
pub fn metadata(context: &Context) -> Map<String, Value> {
    let mut row = Map::new();
    row.insert("correlation_id".into(), context.correlation_id.clone().into());
    row.insert("causation_id".into(), context.causation_id.clone().into());
    row.insert("at".into(), context.at.iso().into());
    row.insert("by".into(), context.by.clone().into());
    let mut add = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            row.insert(name.into(), value);
        }
    };
    let write = |value: Result<Value, serde_json::Error>| value.expect("a context holds nothing JSON cannot");
    add("run_id", context.run_id.clone().map(Value::String));
    add("definition", context.definition.as_ref().map(|d| write(serde_json::to_value(d))));
    add("called_by", context.called_by.as_ref().map(|c| write(serde_json::to_value(c))));
    add("call_depth", context.call_depth.map(Value::from));
    add("depth", context.depth.map(Value::from));
    add("trigger", context.trigger.as_ref().map(|t| write(serde_json::to_value(t))));
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use playbook_model::definition::DefinitionType;
    use playbook_model::record::RunStarted;
    use playbook_model::time::Moment;
    use serde_json::json;

    fn started(input: Value) -> Fact {
        Fact::RunStarted(RunStarted { input, calls_tools: false, finishes_later: false })
    }

    #[test]
    fn a_large_input_shows_its_size_in_a_listing_and_whole_alone() {
        let small = Value::String("x".repeat(limits::ROW_MEMBER_BYTES - 2));
        assert_eq!(data(&started(small.clone()), Detail::Listed)["input"], small);
        let large = Value::String("x".repeat(limits::ROW_MEMBER_BYTES - 1));
        let listed = data(&started(large.clone()), Detail::Listed);
        assert_eq!(listed["input_bytes"], limits::ROW_MEMBER_BYTES + 1);
        assert_eq!(listed.get("input"), None);
        assert_eq!(data(&started(large.clone()), Detail::Whole)["input"], large);
    }

    #[test]
    fn a_rows_data_stays_within_its_bound() {
        let half = Value::String("x".repeat(limits::ROW_MEMBER_BYTES - 2));
        let fact = Fact::RunSucceeded { output: half.clone(), record: half };
        let listed = data(&fact, Detail::Listed);
        assert!(json::bytes(&listed) <= limits::ROW_DATA_BYTES);
        assert!(listed.get("output_bytes").is_some() != listed.get("record_bytes").is_some());
    }

    #[test]
    fn a_summary_names_no_id() {
        let mut context = Context::new(Moment(0), "local");
        context.run_id = Some("0199a3c4".into());
        context.definition = Some(playbook_model::record::DefinitionRef {
            kind: DefinitionType::Computation,
            name: "tally".into(),
            version: 2,
        });
        assert_eq!(summary(&started(json!({})), &context), "A run of the computation function tally was started");
        context.by = "ana".into();
        assert_eq!(summary(&Fact::DefinitionRetired, &context), "The computation function tally was retired by ana");
    }
}
