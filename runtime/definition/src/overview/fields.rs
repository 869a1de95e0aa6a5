//! A schema as a sentence and a list of its fields.

use super::text::{code, plain};
use playbook_schema::{Field, Presence, describe};
use serde_json::Value;

/// The most fields an overview lists; a schema may have thousands.
const LISTED: usize = 200;

/// As [`value`], each field with the examples that its schema gives, unless its description gives one.
pub(crate) fn with_examples(beginning: &str, schema: &Value) -> String {
    told(beginning, schema, true)
}

/// `The view is an object of at most 50 members.` and its fields below.
pub(crate) fn value(beginning: &str, schema: &Value) -> String {
    told(beginning, schema, false)
}

fn told(beginning: &str, schema: &Value, examples: bool) -> String {
    let shape = describe(schema);
    let mut out = format!("{beginning} {}.", plain(&shape.words));
    if let Some(description) = &shape.description {
        out.push_str(&format!(" {}", ended(description)));
    }
    out.push('\n');
    if !shape.fields.is_empty() {
        out.push('\n');
        let mut left = LISTED;
        list(&shape.fields, examples.then_some(schema), 0, &mut out, &mut left);
    }
    out
}

fn list(fields: &[Field], schema: Option<&Value>, level: usize, out: &mut String, left: &mut usize) {
    let pad = "  ".repeat(level);
    for (at, field) in fields.iter().enumerate() {
        if *left == 0 {
            out.push_str(&format!("{pad}- and {} more\n", fields.len() - at));
            return;
        }
        *left -= 1;
        let name = match field.presence {
            Presence::Required => format!("{}, required", code(&field.name, 100)),
            Presence::Optional => format!("{}, optional", code(&field.name, 100)),
            Presence::EachOther => "each entry".into(),
            Presence::Place => format!("item {}", field.name),
        };
        out.push_str(&format!("{pad}- {name}: {}.", plain(&field.words)));
        if let Some(description) = &field.description {
            out.push_str(&format!(" {}", ended(description)));
        }
        let inner = schema.and_then(|schema| within(schema, field));
        if let Some(examples) = inner.and_then(|schema| examples(schema, field.description.as_deref())) {
            out.push_str(&format!(" {examples}"));
        }
        out.push('\n');
        list(&field.fields, inner, level + 1, out, left);
    }
}

/// The schema of a field, where it is written within its object's.
fn within<'v>(schema: &'v Value, field: &Field) -> Option<&'v Value> {
    let key = match field.presence {
        Presence::Required | Presence::Optional => schema.get("properties")?.get(&field.name),
        Presence::EachOther => schema.get("additionalProperties"),
        Presence::Place => schema.get("prefixItems")?.get(field.name.parse::<usize>().ok()?.checked_sub(1)?),
    };
    let items = || schema.get("items").and_then(|items| within(items, field));
    key.or_else(items)
}

/// `Examples: …` of a schema that has some, unless the description names one of them or says `such as`.
fn examples(schema: &Value, description: Option<&str>) -> Option<String> {
    let examples = schema.get("examples")?.as_array()?;
    let text = |example: &Value| example.as_str().map_or_else(|| example.to_string(), str::to_owned);
    let given = description.is_some_and(|description| {
        description.contains("such as")
            || description.contains("for example")
            || examples.iter().any(|example| !text(example).is_empty() && description.contains(&text(example)))
    });
    if given || examples.is_empty() {
        return None;
    }
    let shown: Vec<String> = examples.iter().take(3).map(|example| code(&text(example), 100)).collect();
    Some(format!("For example {}.", playbook_model::word::or(&shown)))
}

/// A description as a sentence of its own.
fn ended(text: &str) -> String {
    let text = plain(text);
    if text.ends_with(['.', '!', '?', '…']) { text } else { format!("{text}.") }
}
