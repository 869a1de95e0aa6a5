//! The fields of the document around its tasks. "Document fields".

use super::draft::{Draft, Foreign};
use super::program::{Duration, Shape, Template};
use super::sight::{Around, At, Sight};
use super::value::inside;
use crate::reader::SchemaRead;
use crate::yaml::shown;
use playbook_model::json;
use playbook_model::word::nearest;
use serde_json::{Map, Value};

const FIELDS: [&str; 8] = ["document", "input", "use", "evaluate", "schedule", "timeout", "do", "output"];
const VERSIONS: [&str; 4] = ["1.0.0", "1.0.1", "1.0.2", "1.0.3"];
const NAMED: [&str; 3] = ["errors", "retries", "timeouts"];
const SHAPES: [&str; 4] = ["series", "categories", "table", "text"];

/// What the fields around the tasks say.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) description: Option<String>,
    pub(super) input: SchemaRead,
    pub(super) output: SchemaRead,
    pub(super) input_from: Option<Template>,
    pub(super) output_as: Option<Template>,
    pub(super) shape: Option<Shape>,
    pub(super) timeout: Option<Duration>,
}

/// Reads everything but `do` and `schedule`.
pub(super) fn read(draft: &mut Draft<'_, '_>, members: &Map<String, Value>) -> Head {
    draft.known("", members, "a workflow", &FIELDS, foreign);
    draft.needs("", members, &["document", "do"]);
    let description = members.get("document").and_then(|value| about(draft, value));
    if let Some(value) = members.get("evaluate") {
        evaluate(draft, value);
    }
    let start = Sight::of(At::Start, &Around::default());
    let finish = Sight::of(At::Finish, &Around::default());
    let mut head = Head {
        description,
        input: SchemaRead::None,
        output: SchemaRead::None,
        input_from: None,
        output_as: None,
        shape: None,
        timeout: None,
    };
    if let Some(value) = members.get("use") {
        used(draft, value);
    }
    if let Some(value) = members.get("input")
        && let Some(input) = draft.mapping("/input", value, "input")
    {
        draft.known("/input", input, "input", &["schema", "from"], |_| None);
        head.input = input.get("schema").map_or(SchemaRead::None, |value| schema(draft, "/input/schema", value));
        head.input_from = input.get("from").and_then(|value| draft.shaping("/input/from", value, "input.from", &start));
    }
    if let Some(value) = members.get("output")
        && let Some(output) = draft.mapping("/output", value, "output")
    {
        draft.known("/output", output, "output", &["as", "schema", "shape"], |_| None);
        head.output = output.get("schema").map_or(SchemaRead::None, |value| schema(draft, "/output/schema", value));
        head.output_as = output.get("as").and_then(|value| draft.shaping("/output/as", value, "output.as", &finish));
        if let Some(value) = output.get("shape") {
            head.shape = shape(draft, value);
            if output.contains_key("schema") {
                let message = "output.schema is refused beside output.shape, whose own schema is published.";
                draft.refuse("workflow.shape.schema", "/output/schema", message);
            }
        }
    }
    if let Some(value) = members.get("timeout") {
        head.timeout = draft.timeout("/timeout", value, &start);
    }
    if let Some(shape) = head.shape {
        head.output = SchemaRead::Good(super::shape::shape_schema(shape));
    }
    head
}

fn foreign(name: &str) -> Option<Foreign> {
    Some(match name {
        "dsl" | "namespace" | "name" | "version" | "title" | "summary" | "description" => {
            Foreign::Hint("Write it under document; a description is document.summary.")
        }
        "on" | "cron" | "every" => Foreign::Hint("Write it under schedule."),
        "errors" | "retries" | "timeouts" => Foreign::Hint("Write it under use."),
        "tasks" | "steps" => Foreign::Hint("Write the tasks as a list under do."),
        _ => return None,
    })
}

/// `document`: what it is called. Gives the description.
fn about(draft: &mut Draft<'_, '_>, value: &Value) -> Option<String> {
    let members = draft.mapping("/document", value, "document")?;
    let fields = ["dsl", "namespace", "name", "version", "title", "summary", "tags", "metadata"];
    draft.known("/document", members, "document", &fields, |name| {
        (name == "description").then_some(Foreign::Hint("Write it as summary."))
    });
    draft.needs("/document", members, &["dsl", "namespace", "name", "version"]);
    if let Some(value) = members.get("dsl")
        && let Some(text) = draft.text("/document/dsl", value, "document.dsl")
        && !VERSIONS.contains(&text)
    {
        let problem =
            draft.error("workflow.dsl", "/document/dsl", "document.dsl must be a version from 1.0.0 to 1.0.3.");
        let edits = draft.instead("/document/dsl", "'1.0.3'");
        draft.push(problem.fix("Write '1.0.3'", edits));
    }
    for name in ["namespace", "name"] {
        let here = format!("/document/{name}");
        if let Some(value) = members.get(name)
            && let Some(text) = draft.text(&here, value, &format!("document.{name}"))
            && !is_label(text)
        {
            let message = format!(
                "document.{name} must be 1 to 63 letters, digits and hyphens, with a letter or a digit at either end."
            );
            draft.refuse("workflow.name", &here, message);
        }
    }
    if let Some(value) = members.get("version") {
        let here = "/document/version";
        match value {
            Value::String(text) if is_semantic(text) => {}
            _ => {
                let mut problem = draft.error(
                    "workflow.version",
                    here,
                    "document.version must be a semantic version, such as '1.0.0'.",
                );
                let written = match value {
                    Value::Number(number) => number.to_string(),
                    Value::String(text) => text.trim().trim_start_matches('v').to_owned(),
                    _ => String::new(),
                };
                let near = [format!("{written}.0"), format!("{written}.0.0"), written];
                if let Some(near) = near.into_iter().find(|near| is_semantic(near)) {
                    problem = problem.fix(format!("Write '{near}'"), draft.instead(here, format!("'{near}'")));
                }
                draft.push(problem);
            }
        }
    }
    for name in ["tags", "metadata"] {
        if let Some(value) = members.get(name) {
            draft.mapping(&format!("/document/{name}"), value, &format!("document.{name}"));
        }
    }
    let said = ["summary", "title"].map(|name| {
        let value = members.get(name)?;
        draft.text(&format!("/document/{name}"), value, &format!("document.{name}"))
    });
    said.into_iter().flatten().find(|text| !text.trim().is_empty()).map(str::to_owned)
}

/// A name of the DSL: 1 to 63 letters, digits and inner hyphens.
fn is_label(text: &str) -> bool {
    (1..=63).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        && !text.starts_with('-')
        && !text.ends_with('-')
}

/// A semantic version: three numbers, perhaps a pre-release and a build.
fn is_semantic(text: &str) -> bool {
    let (text, build) = text.split_once('+').map_or((text, None), |(text, build)| (text, Some(build)));
    let (numbers, before) = text.split_once('-').map_or((text, None), |(text, before)| (text, Some(before)));
    let plain = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let number = |part: &str| {
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()) && (part == "0" || !part.starts_with('0'))
    };
    let numbers: Vec<&str> = numbers.split('.').collect();
    numbers.len() == 3
        && numbers.iter().all(|part| number(part))
        && before.is_none_or(|before| {
            before.split('.').all(|part| plain(part) && (number(part) || !part.bytes().all(|b| b.is_ascii_digit())))
        })
        && build.is_none_or(|build| build.split('.').all(plain))
}

fn evaluate(draft: &mut Draft<'_, '_>, value: &Value) {
    let Some(members) = draft.mapping("/evaluate", value, "evaluate") else { return };
    draft.known("/evaluate", members, "evaluate", &["language", "mode"], |_| None);
    for (name, only, why) in [
        ("language", "typescript", "evaluate.language must be typescript, the playbook's one language."),
        ("mode", "strict", "evaluate.mode must be strict, since an expression that fails must fail."),
    ] {
        let here = format!("/evaluate/{name}");
        if members.get(name).is_some_and(|value| value != only) {
            let problem = draft.error("workflow.evaluate", &here, why);
            let edits = draft.instead(&here, only);
            draft.push(problem.fix(format!("Write {only}"), edits));
        }
    }
}

/// `input.schema` and `output.schema`: written inline under `document`.
fn schema(draft: &mut Draft<'_, '_>, pointer: &str, value: &Value) -> SchemaRead {
    let Some(members) = draft.mapping(pointer, value, "A schema") else { return SchemaRead::Flawed };
    draft.known(pointer, members, "schema", &["document", "format"], |name| match name {
        "resource" => {
            Some(Foreign::Refused("Schemas are written inline under document: external schemas are not fetched."))
        }
        "type" | "properties" | "required" | "items" | "$ref" => {
            Some(Foreign::Hint("Write the schema under document."))
        }
        _ => None,
    });
    if let Some(format) = members.get("format")
        && format != "json"
    {
        let here = format!("{pointer}/format");
        let message = "Schemas are written as JSON Schema: the format is json, or left out.";
        let problem = draft.error("workflow.schema.format", &here, message);
        let edits = draft.instead(&here, "json");
        draft.push(problem.fix("Write json", edits));
    }
    if !members.contains_key("document") {
        draft.needs(pointer, members, &["document"]);
        return SchemaRead::Flawed;
    }
    let before = draft.reader.problems.len();
    let read = draft.reader.schema_at(&format!("{pointer}/document"));
    for at in before..draft.reader.problems.len() {
        if let Some(here) = draft.reader.problems[at].place.pointer.clone() {
            draft.reader.problems[at].place = draft.place(&here);
        }
    }
    read
}

fn shape(draft: &mut Draft<'_, '_>, value: &Value) -> Option<Shape> {
    let here = "/output/shape";
    let text = draft.text(here, value, "output.shape")?;
    let message = "output.shape names an output shape: series, categories, table or text.";
    Some(match draft.one_of("workflow.shape", here, text, message, &SHAPES)? {
        "series" => Shape::Series,
        "categories" => Shape::Categories,
        "table" => Shape::Table,
        _ => Shape::Text,
    })
}

/// Checks every named error, retry policy and timeout, and forgets their expressions, which see what each place that
/// names them sees.
fn used(draft: &mut Draft<'_, '_>, value: &Value) {
    let Some(members) = draft.mapping("/use", value, "use") else { return };
    draft.known("/use", members, "use", &NAMED, |name| {
        Some(Foreign::Refused(match name {
            "catalogs" => "use.catalogs is not supported.",
            "extensions" => "use.extensions is not supported.",
            "functions" => "use.functions is not supported: a workflow calls its playbook's own functions.",
            "secrets" => "use.secrets is not supported.",
            "authentications" => "use.authentications is not supported.",
            _ => return None,
        }))
    });
    for kind in NAMED {
        let of = format!("/use/{kind}");
        let Some(value) = members.get(kind) else { continue };
        let Some(entries) = draft.mapping(&of, value, &format!("use.{kind}")) else { continue };
        for (name, entry) in entries {
            let here = json::join(&of, name);
            let (problems, expressions) = (draft.reader.problems.len(), draft.expressions.len());
            draft.entry(kind, &here, entry);
            if draft.reader.problems.len() > problems {
                draft.flawed.push(here);
            } else {
                draft.forget(expressions);
            }
        }
    }
}

/// Reads what no place names once more, so that its expressions are judged too.
pub(super) fn unused(draft: &mut Draft<'_, '_>) {
    let document = draft.document;
    for kind in NAMED {
        let of = format!("/use/{kind}");
        let Some(Value::Object(entries)) = document.pointer(&of) else { continue };
        for (name, entry) in entries {
            let here = json::join(&of, name);
            if !draft.flawed.contains(&here) && !draft.named.contains(&here) {
                draft.entry(kind, &here, entry);
            }
        }
    }
}

impl<'r> Draft<'r, '_> {
    /// `timeout`: a name of `use.timeouts`, or `after` with a duration.
    pub(super) fn timeout(&mut self, pointer: &str, value: &Value, sight: &Sight) -> Option<Duration> {
        match value {
            Value::String(name) => {
                let (here, entry) = self.named("timeouts", pointer, name)?;
                self.after(&here, entry, sight)
            }
            _ => self.after(pointer, value, sight),
        }
    }

    pub(super) fn after(&mut self, pointer: &str, value: &Value, sight: &Sight) -> Option<Duration> {
        let members = self.mapping(pointer, value, "A timeout")?;
        self.known(pointer, members, "a timeout", &["after"], |name| {
            matches!(name, "days" | "hours" | "minutes" | "seconds" | "milliseconds")
                .then_some(Foreign::Hint("Write the duration under after."))
        });
        self.needs(pointer, members, &["after"]);
        self.duration(&format!("{pointer}/after"), members.get("after")?, Some(sight))
    }

    /// An entry of `use`, as a place may name it that has everything around it.
    fn entry(&mut self, kind: &str, pointer: &str, entry: &Value) {
        let sight = Sight::of(At::Body, &Around::default().with(&["error", "item", "index"]));
        match kind {
            "errors" => drop(self.raised(pointer, entry, &sight)),
            "retries" => drop(self.policy(pointer, entry, &sight)),
            _ => drop(self.after(pointer, entry, &sight)),
        }
    }

    /// An entry of `use`, with its pointer; `None` when there is none, or it has problems told already.
    pub(super) fn named(&mut self, kind: &str, pointer: &str, name: &str) -> Option<(String, &'r Value)> {
        let of = format!("/use/{kind}");
        let here = json::join(&of, name);
        let document: &'r Value = self.document;
        let entries = document.pointer(&of).and_then(Value::as_object);
        if let Some(entry) = entries.and_then(|entries| entries.get(name)) {
            self.named.insert(here.clone());
            return (!self.flawed.contains(&here)).then_some((here, entry));
        }
        let what = match kind {
            "errors" => "error",
            "retries" => "retry policy",
            _ => "timeout",
        };
        let message = format!("use.{kind} has no {what} named {}.", shown(name));
        let mut problem = self.error("workflow.use.missing", pointer, message);
        let names: Vec<&str> = entries.map(|entries| entries.keys().map(String::as_str).collect()).unwrap_or_default();
        if inside(name).is_some() {
            problem = problem.hint("A name is written out, never computed.");
        } else if let Some(near) = nearest(name, names.iter().copied()) {
            let edits = self.instead(pointer, near);
            problem = problem.hint(format!("Did you mean {near}?")).fix(format!("Write {near}"), edits);
        } else if kind == "timeouts" && name.starts_with('P') {
            problem = problem.hint("A duration stands under after, such as timeout: { after: PT30M }.");
        }
        self.push(problem);
        None
    }
}
