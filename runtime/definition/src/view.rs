//! The `view` of a recall function: what it starts as, what it must match, and whether anything bounds it.

use crate::reader::{Body, Part, Reader, SchemaRead, Section};
use crate::yaml::bytes_over;
use playbook_model::json;
use playbook_model::limits::{VALUE_LEVELS, VIEW_BYTES};
use playbook_model::position::Span;
use playbook_model::problem::{Edit, Place, Problem};
use playbook_model::word::thousands;
use playbook_schema::{Manner, Schema, largest};
use serde_json::Value;

/// Reads `view.initial` and `view.schema`.
pub(crate) fn read(reader: &mut Reader<'_>) -> (Value, SchemaRead) {
    let section = Section { of: "view", code: "document.field", fields: &["initial", "schema"] };
    if reader.at("/view").is_none() {
        unbounded(reader, "/view", NO_SCHEMA, None);
        return (Value::Null, SchemaRead::None);
    }
    if reader.mapping("/view", "document.field").is_none() {
        return (Value::Null, SchemaRead::Flawed);
    }
    reader.known("/view", &section, |_| None);
    let schema = reader.schema_at("/view/schema");
    let written = reader.at("/view/initial").cloned();
    if let Some(initial) = &written {
        let bytes = json::bytes(initial);
        if bytes > VIEW_BYTES {
            let message = format!("view.initial is {}.", bytes_over(bytes, VIEW_BYTES));
            reader.refuse("recall.initial.size", "/view/initial", Part::Value, message);
        }
        if json::depth(initial) > VALUE_LEVELS {
            let message = format!("view.initial nests deeper than {VALUE_LEVELS} levels.");
            reader.refuse("recall.initial.levels", "/view/initial", Part::Value, message);
        }
    }
    match schema.good() {
        Some(schema) => {
            fits(reader, written.as_ref(), &schema.clone());
            bounded(reader, &schema.clone());
        }
        None if schema == SchemaRead::None => {
            // What it starts as says what it is going to be, where it is a list or an object.
            let schema = match &written {
                Some(Value::Array(_)) => Some(format!("schema: {{ type: array, maxItems: {ENTRIES} }}")),
                Some(Value::Object(_)) => Some(format!("schema: {{ type: object, maxProperties: {ENTRIES} }}")),
                _ => None,
            };
            unbounded(reader, "/view", NO_SCHEMA, schema);
        }
        None => {}
    }
    (written.unwrap_or(Value::Null), schema)
}

const NO_SCHEMA: &str = "The view has no schema, so nothing says how large it may grow.";
/// How many entries an edit offers to keep, as the format's own example does.
const ENTRIES: usize = 50;

/// "Fields": `initial` must match the schema too; left out, it is `null`.
fn fits(reader: &mut Reader<'_>, initial: Option<&Value>, schema: &Value) {
    let Ok(schema) = Schema::compile(schema) else { return };
    let code = "recall.initial.schema";
    let Some(initial) = initial else {
        if !schema.is_valid(&Value::Null) {
            let problem = reader
                .error(
                    code,
                    "/view/schema",
                    Part::Key,
                    "view.initial is left out, so the view starts as null, which view.schema refuses.",
                )
                .hint("Write view.initial, such as {} or [].");
            reader.problems.push(problem);
        }
        return;
    };
    for issue in schema.issues(initial, Manner::Answer) {
        let pointer = format!("/view/initial{}", issue.pointer);
        let detail = format!("view.initial does not match view.schema: {}.", lower(&issue.detail));
        reader.refuse(code, &pointer, Part::Value, detail);
    }
}

fn lower(sentence: &str) -> String {
    sentence.strip_prefix("Expected").map_or_else(|| sentence.to_owned(), |rest| format!("expected{rest}"))
}

/// Warns of the first list, or object open to any name, that may grow with every event.
fn bounded(reader: &mut Reader<'_>, schema: &Value) {
    let found = largest(schema);
    if let Some(growing) = found.growing {
        let here = format!("/view/schema{growing}");
        let most = thousands(VIEW_BYTES as u64);
        let message = format!(
            "Nothing bounds how many entries this part of the view may hold, so the view may outgrow its {most} bytes."
        );
        let bound = match schema.pointer(&growing) {
            Some(Value::Object(members)) if members.get("type").is_some_and(|of| of == "array") => "maxItems",
            _ => "maxProperties",
        };
        unbounded(reader, &here, &message, Some(format!("{bound}: {ENTRIES}")));
    } else if let Some(bytes) = found.bytes.filter(|bytes| *bytes > VIEW_BYTES as u64) {
        let most = bytes_over(usize::try_from(bytes).unwrap_or(usize::MAX), VIEW_BYTES);
        let here = format!("/view/schema{}", found.dominates);
        let warning = Problem::warning(
            "recall.view.size",
            reader.place(&here, Part::Key),
            format!("The bounds of view.schema let the view grow to {most}."),
        )
        .hint("The part at this place makes up most of it.");
        reader.problems.push(warning);
    }
}

/// Warns of what nothing bounds, with the member that would bound it.
fn unbounded(reader: &mut Reader<'_>, pointer: &str, message: &str, bound: Option<String>) {
    let warning = Problem::warning("recall.view.unbounded", reader.place(pointer, Part::Key), message).hint(
        "Bound every list and text the fold keeps, and say so in view.schema with maxItems, maxProperties and maxLength.",
    );
    let edit = bound.as_ref().and_then(|bound| reader.first_member(pointer, bound));
    reader.problems.push(match (bound, edit) {
        (Some(bound), Some(edit)) => {
            warning.fix(format!("Add {bound}, which the fold then has to keep to"), vec![edit])
        }
        _ => warning,
    });
}

/// The most lookups a check warns of.
const LOOKUPS_TOLD: usize = 50;

/// "Look up keys with Object.hasOwn": warns of `view[key]` where nothing on the line, or the one before, asks whether
/// the view holds the key itself.
///
/// Tells the first of them only, up to a bound: a long program may hold thousands.
pub(crate) fn lookups(reader: &mut Reader<'_>, body: Body<'_>) {
    let mut before = "";
    let mut offset = 0;
    let mut left = LOOKUPS_TOLD;
    for line in body.text.split_inclusive('\n') {
        let comment_at = line.find("//").unwrap_or(line.len());
        let asks = line.contains("hasOwn") || before.contains("hasOwn");
        for (at, _) in line.match_indices("view[") {
            let starts_word =
                line[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != '.');
            let inside = &line[at + "view[".len()..];
            let Some(close) = inside.find(']') else { continue };
            let key = inside[..close].trim();
            let is_name = key.starts_with(|c: char| c.is_alphabetic() || c == '_')
                && key.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.')
                && !matches!(key, "string" | "number");
            let comment = at > comment_at || line.trim_start().starts_with('*');
            let written = inside[close + 1..].trim_start();
            let assigns = written.starts_with('=') && !written.starts_with("==");
            if !(starts_word && is_name) || (asks && !assigns) || comment {
                continue;
            }
            if left == 0 {
                return;
            }
            left -= 1;
            let start = body.start + offset + at;
            let span = Span::new(start, start + "view[".len() + close + 1);
            let message = if assigns {
                "An assignment to view[key] changes the object's prototype when the key is __proto__."
            } else {
                "view[key] also reads what every object inherits, such as constructor, when the key comes from an event or an input."
            };
            let hint = if assigns {
                format!("Make the next view with a computed key: {{ ...view, [{key}]: … }}.")
            } else {
                format!("Read it as Object.hasOwn(view, {key}) ? view[{key}] : undefined.")
            };
            let place = Place::of(&reader.index, span, None);
            let warning = Problem::warning("recall.lookup", place, message).hint(hint);
            reader.problems.push(if assigns {
                warning
            } else {
                let text = format!("(Object.hasOwn(view, {key}) ? view[{key}] : undefined)");
                warning.fix("Read it only when the view holds it itself", vec![Edit { span, text }])
            });
        }
        before = line;
        offset += line.len();
    }
}
