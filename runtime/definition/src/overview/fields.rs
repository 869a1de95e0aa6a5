//! A schema as a sentence and a list of its fields.

use super::text::{code, plain};
use playbook_schema::{Field, Presence, describe};
use serde_json::Value;

/// The most fields an overview lists; a schema may have thousands.
const LISTED: usize = 200;

/// `The view is an object of at most 50 members.` and its fields below.
pub(crate) fn value(beginning: &str, schema: &Value) -> String {
    let shape = describe(schema);
    let mut out = format!("{beginning} {}.", plain(&shape.words));
    if let Some(description) = &shape.description {
        out.push_str(&format!(" {}", ended(description)));
    }
    out.push('\n');
    if !shape.fields.is_empty() {
        out.push('\n');
        let mut left = LISTED;
        list(&shape.fields, 0, &mut out, &mut left);
    }
    out
}

fn list(fields: &[Field], level: usize, out: &mut String, left: &mut usize) {
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
        out.push('\n');
        list(&field.fields, level + 1, out, left);
    }
}

/// A description as a sentence of its own.
fn ended(text: &str) -> String {
    let text = plain(text);
    if text.ends_with(['.', '!', '?', '…']) { text } else { format!("{text}.") }
}
