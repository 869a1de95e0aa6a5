//! JSON values as YAML that a person reads: block style, quotes only where they are needed.
//!
//! Whatever is written reads back as the same value, keys in the same order.
//! It must not know what the values mean.

use crate::plain::is_text;
use serde_json::{Map, Value};
use std::fmt::Write as _;

/// Spaces of one level.
const STEP: usize = 2;
/// Levels of block style; what nests deeper is written in one line, as JSON.
const BLOCK_LEVELS: usize = 16;
/// Bytes of a key in block style: YAML reads at most 1,024 characters of one that is not marked as a key.
const KEY_BYTES: usize = 250;

/// A mapping as a whole document.
pub(super) fn document(members: &Map<String, Value>) -> String {
    let mut out = String::new();
    mapping(&mut out, members, 0, 0);
    out
}

/// One member of a document's mapping, with its line break.
pub(super) fn member(name: &str, value: &Value) -> String {
    let mut out = String::new();
    entry(&mut out, name, value, 0, 1);
    out
}

fn mapping(out: &mut String, members: &Map<String, Value>, indent: usize, level: usize) {
    for (at, (key, value)) in members.iter().enumerate() {
        // The first stands where the caller wrote up to.
        if at > 0 {
            spaces(out, indent);
        }
        entry(out, key, value, indent, level + 1);
    }
}

fn entry(out: &mut String, key: &str, value: &Value, indent: usize, level: usize) {
    out.push_str(&scalar(key));
    out.push(':');
    match value {
        Value::Object(members) if is_block(value, level) => {
            out.push('\n');
            spaces(out, indent + STEP);
            mapping(out, members, indent + STEP, level);
        }
        Value::Array(items) if is_block(value, level) => {
            out.push('\n');
            for item in items {
                spaces(out, indent + STEP);
                out.push_str("- ");
                self::item(out, item, indent + 2 * STEP, level + 1);
            }
        }
        other => {
            out.push(' ');
            inline(out, other, indent + STEP);
        }
    }
}

/// An item after its hyphen.
fn item(out: &mut String, value: &Value, indent: usize, level: usize) {
    match value {
        Value::Object(members) if is_block(value, level) => mapping(out, members, indent, level),
        other => inline(out, other, indent),
    }
}

/// A value that takes what is left of its line, and the lines of its text.
fn inline(out: &mut String, value: &Value, indent: usize) {
    match value {
        Value::String(text) if is_literal(text) => {
            out.push_str(if text.ends_with('\n') { "|\n" } else { "|-\n" });
            for line in text.lines() {
                if !line.is_empty() {
                    spaces(out, indent);
                }
                out.push_str(line);
                out.push('\n');
            }
        }
        Value::String(text) => {
            out.push_str(&scalar(text));
            out.push('\n');
        }
        other => {
            flow(out, other);
            out.push('\n');
        }
    }
}

fn spaces(out: &mut String, count: usize) {
    out.extend(std::iter::repeat_n(' ', count));
}

/// Whether a value is written over several lines. A list within a list is not: two hyphens in a row are hard to read.
fn is_block(value: &Value, level: usize) -> bool {
    level <= BLOCK_LEVELS
        && match value {
            Value::Object(members) => !members.is_empty() && members.keys().all(|key| key.len() <= KEY_BYTES),
            Value::Array(items) => !items.is_empty(),
            _ => false,
        }
}

/// A text in one line: as it is where that reads back, otherwise in quotes.
fn scalar(text: &str) -> String {
    if is_plain(text) {
        text.to_owned()
    } else if !text.is_empty() && text.chars().all(is_printable) {
        format!("'{}'", text.replace('\'', "''"))
    } else {
        quoted(text)
    }
}

/// Whether a text reads back without quotes, wherever in a block it stands.
fn is_plain(text: &str) -> bool {
    let inner = |c: char| c.is_alphanumeric() || " -_./+()@$%;=<>~^*?!,'".contains(c) || c == ':';
    text.starts_with(|c: char| c.is_alphanumeric() || c == '/')
        && !text.ends_with([' ', ':'])
        && text.chars().all(inner)
        && !text.contains(": ")
        && is_text(text)
}

/// Whether a character may stand in a text between quotes as it is.
fn is_printable(c: char) -> bool {
    match c {
        ' '..='~' => true,
        '\u{a0}'..='\u{ffff}' => {
            !matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fdd0}'..='\u{fdef}' | '\u{fffe}' | '\u{ffff}')
        }
        '\u{10000}'.. => u32::from(c) & 0xFFFE != 0xFFFE,
        _ => false,
    }
}

/// Whether a text of several lines reads back from its lines as they are.
fn is_literal(text: &str) -> bool {
    let body = text.strip_suffix('\n').unwrap_or(text);
    text.contains('\n')
        && !body.is_empty()
        && !body.ends_with('\n')
        && !body.starts_with([' ', '\n'])
        && body.split('\n').all(|line| line.is_empty() || !line.trim().is_empty())
        && text.chars().all(|c| c == '\n' || is_printable(c))
}

/// A text in double quotes.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_printable(c) => out.push(c),
            c => {
                let code = u32::from(c);
                // A String takes everything that is written to it.
                let _ = if code > 0xFFFF { write!(out, "\\U{code:08X}") } else { write!(out, "\\u{code:04X}") };
            }
        }
    }
    out.push('"');
    out
}

/// A value in one line.
fn flow(out: &mut String, value: &Value) {
    match value {
        Value::Object(members) if members.is_empty() => out.push_str("{}"),
        Value::Object(members) => {
            for (at, (key, value)) in members.iter().enumerate() {
                out.push_str(if at == 0 { "{ " } else { ", " });
                out.push_str(&quoted(key));
                out.push_str(": ");
                flow(out, value);
            }
            out.push_str(" }");
        }
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                flow(out, item);
            }
            out.push(']');
        }
        Value::String(text) => out.push_str(&quoted(text)),
        other => {
            // A String takes everything that is written to it.
            let _ = write!(out, "{other}");
        }
    }
}
