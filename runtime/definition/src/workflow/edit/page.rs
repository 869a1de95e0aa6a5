//! A text with its value, its places and its lines.

use super::super::outline::whole_of;
use super::super::read::TEXT;
use super::{Made, no};
use crate::yaml::{self, Stands, Yaml};
use playbook_model::position::{LineIndex, Span};
use serde_json::Value;

pub(super) struct Page<'a> {
    pub(super) text: &'a str,
    pub(super) yaml: Yaml,
    /// How its lines end.
    pub(super) end: &'static str,
}

/// An item of a list that stands on lines of its own.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    /// From the start of its dash's line to the end of its last.
    pub(super) span: Span,
    /// The column of its dash.
    pub(super) column: usize,
}

impl<'a> Page<'a> {
    pub(super) fn read(text: &'a str) -> Made<Self> {
        let index = LineIndex::new(text);
        let (yaml, _) = yaml::load_as(TEXT, text, Span::new(0, text.len()), &index);
        if !yaml.whole {
            return no("The text is no YAML as it stands. Mend its first problem; then the drawing can change it.");
        }
        let end = match text.find('\n') {
            Some(at) if text[..at].ends_with('\r') => "\r\n",
            _ => "\n",
        };
        Ok(Self { text, yaml, end })
    }

    pub(super) fn place(&self, pointer: &str) -> Made<Stands> {
        match self.yaml.places.get(pointer) {
            Some(stands) => Ok(*stands),
            None => no(format!("There is nothing at {pointer} any more.")),
        }
    }

    pub(super) fn value(&self, pointer: &str) -> Option<&Value> {
        self.yaml.value.pointer(pointer)
    }

    pub(super) fn items(&self, list: &str) -> usize {
        self.value(list).and_then(Value::as_array).map_or(0, Vec::len)
    }

    pub(super) fn item(&self, list: &str, at: usize) -> Made<Item> {
        let span = whole_of(self.text, self.place(&format!("{list}/{at}"))?.value);
        let column = self.text[span.start..].find(|c| c != ' ').unwrap_or_default();
        let dashed = self.text[span.start + column..].starts_with('-');
        if !dashed || self.line_start(span.start) != span.start {
            return no("This list is written on one line; change it in the text.");
        }
        Ok(Item { span, column })
    }

    pub(super) fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |found| found + 1)
    }

    /// The start of the line after the one of a place; the end of the text on its last line.
    pub(super) fn line_end(&self, at: usize) -> usize {
        self.text[at..].find('\n').map_or(self.text.len(), |found| at + found + 1)
    }

    /// The start of the remarks right above a line, at its own column; the line itself without any.
    pub(super) fn remarks(&self, line: usize, column: usize) -> usize {
        let mut first = line;
        while first > 0 {
            let above = self.line_start(first - 1);
            let words = &self.text[above..first];
            if !words[words.len().min(column)..].starts_with('#') || !words[..column].bytes().all(|byte| byte == b' ') {
                break;
            }
            first = above;
        }
        first
    }

    /// Whether the line above a line is blank.
    pub(super) fn blank_above(&self, line: usize) -> bool {
        line > 0 && self.text[self.line_start(line - 1)..line].trim().is_empty()
    }

    /// Lines at a column, each with its end.
    pub(super) fn lines(&self, lines: &[String], column: usize) -> String {
        let pad = " ".repeat(column);
        let line =
            |line: &String| if line.is_empty() { self.end.to_owned() } else { format!("{pad}{line}{}", self.end) };
        lines.iter().map(line).collect()
    }

    /// Lines put before the line that begins at a place; after a last line without an end, that end comes first.
    pub(super) fn insertion(&self, at: usize, lines: &str) -> Change {
        let open = at > 0 && !self.text[..at].ends_with('\n');
        let text =
            if open { format!("{}{}", self.end, lines.trim_end_matches(['\r', '\n'])) } else { lines.to_owned() };
        Change { span: Span::new(at, at), text }
    }

    /// The text with some stretches changed; none touches another.
    pub(super) fn with(&self, mut changes: Vec<Change>) -> String {
        changes.sort_by_key(|change| (change.span.start, change.span.end));
        let mut made = String::with_capacity(self.text.len() + 256);
        let mut at = 0;
        for change in &changes {
            made.push_str(&self.text[at..change.span.start.max(at)]);
            made.push_str(&change.text);
            at = change.span.end.max(at);
        }
        made.push_str(&self.text[at..]);
        made
    }
}

/// A stretch and what stands there then.
#[derive(Debug, Clone)]
pub(super) struct Change {
    pub(super) span: Span,
    pub(super) text: String,
}

/// Lines further in by some columns, or further out; blank ones stay.
pub(super) fn indented(block: &str, from: usize, to: usize) -> String {
    let line = |line: &str| {
        if line.trim().is_empty() {
            line.to_owned()
        } else if to >= from {
            format!("{}{line}", " ".repeat(to - from))
        } else {
            let spaces = line.bytes().take_while(|byte| *byte == b' ').count();
            line[spaces.min(from - to)..].to_owned()
        }
    };
    block.split_inclusive('\n').map(line).collect()
}

/// The list a task stands in, its place there, and its name.
pub(super) fn task_of(pointer: &str) -> Made<(&str, usize, String)> {
    let parts = pointer.rsplit_once('/').and_then(|(item, name)| {
        let (list, at) = item.rsplit_once('/')?;
        Some((list, at.parse().ok()?, name.replace("~1", "/").replace("~0", "~")))
    });
    match parts {
        Some(parts) => Ok(parts),
        None => no(format!("{pointer} is no task of a list.")),
    }
}
