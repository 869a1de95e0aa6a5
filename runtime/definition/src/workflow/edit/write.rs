//! Values as YAML.

use crate::plain::is_text;
use serde_json::Value;

/// How a text stood in quotes before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quotes {
    Plain,
    Single,
    Double,
}

impl Quotes {
    /// Those of a scalar as it is written.
    pub(super) fn of(written: &str) -> Self {
        match written.as_bytes().first() {
            Some(b'\'') => Self::Single,
            Some(b'"') => Self::Double,
            _ => Self::Plain,
        }
    }
}

/// A value behind its key: what stands on the key's line, and the lines below it, which begin at `column`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) inline: String,
    pub(super) below: Vec<String>,
}

/// A value in block style. Lines below begin at column 0; who places them shifts them.
pub(super) fn block(value: &Value, quotes: Quotes) -> Written {
    match value {
        Value::Object(members) if !members.is_empty() => Written {
            inline: String::new(),
            below: members.iter().flat_map(|(key, value)| entry(key, value)).collect(),
        },
        Value::Array(items) if !items.is_empty() => {
            Written { inline: String::new(), below: items.iter().flat_map(item).collect() }
        }
        Value::String(text) if literal(text) => Written {
            inline: if text.ends_with('\n') { "|".into() } else { "|-".into() },
            below: text.lines().map(str::to_owned).collect(),
        },
        scalar => Written { inline: flow(scalar, quotes, false), below: Vec::new() },
    }
}

/// A member of a mapping at column 0, its own lines two further in.
pub(super) fn entry(key: &str, value: &Value) -> Vec<String> {
    let Written { inline, below } = block(value, Quotes::Plain);
    let key = self::key(key);
    let mut lines = vec![if inline.is_empty() { format!("{key}:") } else { format!("{key}: {inline}") }];
    lines.extend(below.into_iter().map(|line| shifted(&line)));
    lines
}

/// An item of a list at column 0.
fn item(value: &Value) -> Vec<String> {
    if matches!(value, Value::Array(_)) {
        return vec![format!("- {}", flow(value, Quotes::Plain, false))];
    }
    let Written { inline, below } = block(value, Quotes::Plain);
    if inline.is_empty() {
        let dashed = |(at, line): (usize, String)| if at == 0 { format!("- {line}") } else { shifted(&line) };
        return below.into_iter().enumerate().map(dashed).collect();
    }
    let mut lines = vec![format!("- {inline}")];
    lines.extend(below.into_iter().map(|line| shifted(&line)));
    lines
}

fn shifted(line: &str) -> String {
    if line.is_empty() { String::new() } else { format!("  {line}") }
}

/// A key, in quotes where it must be.
pub(super) fn key(key: &str) -> String {
    // A key is text however it is written, so that only the marks matter.
    if plainly(key, true) { key.to_owned() } else { quoted(key, Quotes::Single) }
}

/// A value on one line; `inside` for one between braces or brackets, where more marks must stand in quotes.
pub(super) fn flow(value: &Value, quotes: Quotes, inside: bool) -> String {
    match value {
        Value::String(text) if quotes == Quotes::Plain && is_text(text) && plainly(text, inside) => text.clone(),
        Value::String(text) => quoted(text, quotes),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| flow(item, Quotes::Plain, true)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(members) if members.is_empty() => "{}".into(),
        Value::Object(members) => {
            let member =
                |(key, value): (&String, &Value)| format!("{}: {}", self::key(key), flow(value, Quotes::Plain, true));
            let members: Vec<String> = members.iter().map(member).collect();
            format!("{{ {} }}", members.join(", "))
        }
        other => other.to_string(),
    }
}

/// In single quotes, as expressions are written, unless it holds what only double quotes can.
fn quoted(text: &str, quotes: Quotes) -> String {
    if quotes == Quotes::Double || text.chars().any(char::is_control) {
        return Value::from(text).to_string();
    }
    format!("'{}'", text.replace('\'', "''"))
}

/// Whether a text can stand without quotes: nothing in it is a mark of YAML.
fn plainly(text: &str, inside: bool) -> bool {
    let starts = match text.chars().next() {
        None => false,
        Some('-') => text.len() > 1 && !text.starts_with("- ") && !text.starts_with("--"),
        Some(first) => !"?:,[]{}#&*!|>'\"%@` ".contains(first),
    };
    let marks = text.ends_with([' ', ':'])
        || text.contains(": ")
        || text.contains(" #")
        || text.chars().any(char::is_control)
        || (inside && text.contains([',', '[', ']', '{', '}']))
        // Legal, and read by people as something else.
        || text.contains("${")
        || matches!(text, "---" | "...")
        || ["y", "n", "yes", "no", "on", "off"].iter().any(|word| text.eq_ignore_ascii_case(word));
    starts && !marks
}

/// Whether a text of several lines can stand as it is below a `|`.
fn literal(text: &str) -> bool {
    text.trim_end_matches('\n').contains('\n')
        && !text.starts_with([' ', '\n', '\t'])
        && !text.ends_with("\n\n")
        && !text.chars().any(|c| c.is_control() && c != '\n')
        && !text.contains(['\u{85}', '\u{2028}', '\u{2029}', '\u{feff}'])
}
