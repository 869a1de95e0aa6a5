//! Edits of fields.

use super::super::outline::written_at;
use super::expect::{emptied, parent};
use super::page::{Change, Page};
use super::write::{self, Quotes, Written};
use super::{Made, no, value_of};
use playbook_model::json::join;
use playbook_model::position::Span;
use serde_json::{Value, json};

/// What a field is given.
#[derive(Debug, Clone)]
pub(super) struct New {
    value: Value,
    /// As its author wrote it, without the columns that all lines begin with.
    written: Option<Written>,
}

impl New {
    pub(super) fn of(value: &Value) -> Self {
        Self { value: value.clone(), written: None }
    }

    /// A value written as YAML.
    pub(super) fn written(yaml: &str) -> Made<Self> {
        let yaml = yaml.trim_end().trim_start_matches(['\n', '\r']);
        let value = value_of(yaml)?;
        let lines: Vec<&str> = yaml.lines().collect();
        let common = lines
            .iter()
            .filter(|line| !line.trim().is_empty())
            .map(|line| line.len() - line.trim_start_matches(' ').len());
        let common = common.min().unwrap_or(0);
        let mut lines: Vec<String> = lines.iter().map(|line| line.get(common..).unwrap_or("").to_owned()).collect();
        let collection = matches!(&value, Value::Object(_) | Value::Array(_));
        let first = lines.first().map(String::as_str).unwrap_or_default();
        let written = if collection && !first.starts_with(['{', '[']) {
            Written { inline: String::new(), below: lines }
        } else {
            let inline = if lines.is_empty() { String::new() } else { lines.remove(0) };
            Written { inline, below: lines }
        };
        Ok(Self { value, written: Some(written) })
    }

    fn block(&self, quotes: Quotes) -> Written {
        self.written.clone().unwrap_or_else(|| write::block(&self.value, quotes))
    }

    fn flow(&self, quotes: Quotes) -> String {
        match &self.written {
            Some(Written { inline, below }) if below.is_empty() && inline.starts_with(['{', '[', '"', '\'']) => {
                inline.clone()
            }
            _ => write::flow(&self.value, quotes, true),
        }
    }
}

/// Whether a mapping or list stands between braces or brackets.
fn is_flow(page: &Page<'_>, pointer: &str) -> bool {
    page.yaml.places.get(pointer).is_some_and(|stands| page.text[stands.value.start..].starts_with(['{', '[']))
        && page.value(pointer).is_some_and(|value| value.is_object() || value.is_array())
}

pub(super) fn set(page: &Page<'_>, at: &str, new: &New) -> Made<String> {
    let Some((around, key)) = parent(at) else { return no("The whole document cannot be replaced.") };
    match page.value(around) {
        Some(Value::Object(members)) => {
            let name = key.replace("~1", "/").replace("~0", "~");
            if members.contains_key(&name) {
                return if is_flow(page, around) { replace_flow(page, at, new) } else { replace(page, at, new) };
            }
            if is_flow(page, around) || members.is_empty() {
                member_flow(page, around, &name, new)
            } else {
                member(page, around, &name, new)
            }
        }
        Some(Value::Array(_)) if page.value(at).is_some() => replace_item(page, at, new),
        Some(Value::Null) | None => {
            let name = key.replace("~1", "/").replace("~0", "~");
            let value = New::of(&json!({ name.as_str(): new.value }));
            let value = match (&new.written, page.value(around)) {
                // What its author wrote stays as it stands, below its key.
                (Some(written), _) => New { written: Some(below(&name, written)), ..value },
                _ => value,
            };
            set(page, around, &value)
        }
        Some(_) => no(format!("At {around} stands a single value, which has no fields.")),
    }
}

/// A member with a value as it is written.
fn below(name: &str, written: &Written) -> Written {
    let key = write::key(name);
    let head = if written.inline.is_empty() { format!("{key}:") } else { format!("{key}: {}", written.inline) };
    let rest = written.below.iter().map(|line| if line.is_empty() { String::new() } else { format!("  {line}") });
    Written { inline: String::new(), below: std::iter::once(head).chain(rest).collect() }
}

/// Another value for a member of a mapping in block style.
fn replace(page: &Page<'_>, at: &str, new: &New) -> Made<String> {
    let stands = page.place(at)?;
    let Some(key) = stands.key else { return no("This part can only be changed in the text.") };
    let text = page.text;
    let Some(colon) = text[key.end..].find(':').map(|found| key.end + found + 1) else {
        return no("This part can only be changed in the text.");
    };
    let span = written_at(text, Some(key), stands.value);
    let begins = span.start;
    let old = &text[begins..span.end];
    let empty = page.value(at).is_some_and(Value::is_null) && old.trim().is_empty();
    let (start, end) = if empty { (colon, colon) } else { (begins, begins + old.trim_end().len()) };
    let written = new.block(Quotes::of(old));
    let column = key.start - page.line_start(key.start);
    let same_line = page.line_start(start) == page.line_start(key.start);
    let inline = if written.inline.is_empty() { String::new() } else { format!(" {}", written.inline) };
    let mut changes = Vec::new();
    if same_line {
        // The space before an old value stays as it is.
        let (from, inline) = if empty || inline.is_empty() { (colon, inline) } else { (start, written.inline.clone()) };
        changes.push(Change { span: Span::new(from, end), text: inline });
        if !written.below.is_empty() {
            changes.push(page.insertion(page.line_end(end), &page.lines(&written.below, column + 2)));
        }
    } else {
        if !inline.is_empty() {
            changes.push(Change { span: Span::new(colon, colon), text: inline });
        }
        let first = page.line_start(start);
        let own = start - first;
        let lines = page.lines(&written.below, if own > column { own } else { column + 2 });
        changes.push(Change { span: Span::new(first, page.line_end(end)), text: lines });
    }
    Ok(page.with(changes))
}

/// Another value between braces.
fn replace_flow(page: &Page<'_>, at: &str, new: &New) -> Made<String> {
    let span = page.place(at)?.value;
    let quotes = Quotes::of(&page.text[span.start..span.end]);
    Ok(page.with(vec![Change { span, text: new.flow(quotes) }]))
}

/// Another item of a list.
fn replace_item(page: &Page<'_>, at: &str, new: &New) -> Made<String> {
    let around = parent(at).map_or("", |(around, _)| around);
    let span = page.place(at)?.value;
    let old = page.text[span.start..span.end].trim_end();
    let quotes = Quotes::of(old);
    let span = Span::new(span.start, span.start + old.len());
    if is_flow(page, around) {
        return Ok(page.with(vec![Change { span, text: new.flow(quotes) }]));
    }
    let written = new.block(quotes);
    let column = span.start - page.line_start(span.start);
    let mut lines = written.below;
    if !written.inline.is_empty() {
        lines.insert(0, written.inline);
    }
    let text = page.lines(&lines, column);
    Ok(page.with(vec![Change { span, text: text.trim().to_owned() }]))
}

/// One more member of a mapping between braces, or of an empty one.
fn member_flow(page: &Page<'_>, around: &str, name: &str, new: &New) -> Made<String> {
    let span = page.place(around)?.value;
    let written = page.text[span.start..span.end].trim_end();
    let end = span.start + written.len();
    if !written.ends_with('}') {
        return no("This part can only be changed in the text.");
    }
    let member = format!("{}: {}", write::key(name), new.flow(Quotes::Plain));
    let inside = &written[1..written.len() - 1];
    if inside.trim().is_empty() {
        return Ok(page.with(vec![Change { span: Span::new(span.start, end), text: format!("{{ {member} }}") }]));
    }
    let at = span.start + 1 + inside.trim_end().len();
    let comma = if inside.trim_end().ends_with(',') { "" } else { "," };
    Ok(page.with(vec![Change { span: Span::new(at, at), text: format!("{comma} {member}") }]))
}

/// One more member of a mapping in block style: a condition first, anything else last.
fn member(page: &Page<'_>, around: &str, name: &str, new: &New) -> Made<String> {
    let span = page.place(around)?.value;
    let column = span.start - page.line_start(span.start);
    let lines = below(name, &new.block(Quotes::Plain)).below;
    let first = page.line_start(span.start);
    let own_line = page.text[first..span.start].trim().is_empty();
    if name == "if" && own_line {
        return Ok(page.with(vec![page.insertion(first, &page.lines(&lines, column))]));
    }
    let end = span.start + page.text[span.start..span.end].trim_end().len();
    Ok(page.with(vec![page.insertion(page.line_end(end), &page.lines(&lines, column))]))
}

/// Takes a field out.
pub(super) fn unset(page: &Page<'_>, at: &str) -> Made<String> {
    let Some((around, name)) = emptied(&page.yaml.value, at)? else { return Ok(page.text.to_owned()) };
    let stands = page.place(&join(&around, &name))?;
    let Some(key) = stands.key else { return no("This part can only be changed in the text.") };
    let members = page.value(&around).and_then(Value::as_object);
    let keys: Vec<&String> = members.into_iter().flat_map(serde_json::Map::keys).collect();
    let place = keys.iter().position(|key| **key == name).unwrap_or_default();
    let beside = |key: Option<&&String>| key.and_then(|key| page.yaml.places.get(&join(&around, key)));
    let end = stands.value.start.max(key.end);
    let end = if stands.value.end > end { end + page.text[end..stands.value.end].trim_end().len() } else { end };
    let next = beside(keys.get(place + 1)).and_then(|stands| stands.key);
    if is_flow(page, &around) {
        let span = match (next, place.checked_sub(1).and_then(|before| beside(keys.get(before)))) {
            (Some(next), _) => Span::new(key.start, next.start),
            (None, Some(before)) => Span::new(before.value.end, end),
            (None, None) => Span::new(key.start, end),
        };
        return Ok(page.with(vec![Change { span, text: String::new() }]));
    }
    let line = page.line_start(key.start);
    let span = match next {
        _ if page.text[line..key.start].trim().is_empty() => Span::new(line, page.line_end(end)),
        Some(next) => Span::new(key.start, next.start),
        None => return no("This part can only be changed in the text."),
    };
    if keys.len() == 1 && !around.is_empty() {
        // What is left is an empty mapping, which must be written.
        return replace(page, &around, &New::of(&json!({})));
    }
    Ok(page.with(vec![Change { span, text: String::new() }]))
}
