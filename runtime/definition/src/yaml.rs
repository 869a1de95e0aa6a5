//! YAML 1.2 with the core schema, read strictly into JSON beside where each value stands.
//!
//! The only module that sees the YAML parser.
//! It knows nothing of fields: it refuses what no document may hold, and reports all of it in one pass.
//! Only a syntax error ends the pass.

use crate::plain::{Plain, plain};
use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, StructureStyle};
use playbook_model::json;
use playbook_model::limits::FRONT_MATTER_LEVELS;
use playbook_model::position::{LineIndex, Span};
use playbook_model::problem::{Edit, Place, Problem};
use playbook_model::word::thousands;
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

/// Where a value stands in the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stands {
    /// The bytes of its key, for a member of a mapping.
    pub(crate) key: Option<Span>,
    /// The bytes of the value.
    pub(crate) value: Span,
}

/// What was read.
#[derive(Debug)]
pub(crate) struct Yaml {
    /// The value; `null` for an empty text, and for one that cannot be read.
    pub(crate) value: Value,
    /// Where each value stands, by its pointer.
    pub(crate) places: HashMap<String, Stands>,
    /// Whether the text was read to its end.
    pub(crate) whole: bool,
}

/// What is read: how a sentence names it, and how deep it may nest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Text {
    /// As a sentence begins with it: `The front matter`.
    pub(crate) name: &'static str,
    /// The most levels.
    pub(crate) levels: usize,
}

/// "How a document is checked".
const FRONT_MATTER: Text = Text { name: "The front matter", levels: FRONT_MATTER_LEVELS };

/// Reads one stretch of a document as YAML.
pub(crate) fn load(text: &str, at: Span, index: &LineIndex<'_>) -> (Yaml, Vec<Problem>) {
    load_as(FRONT_MATTER, text, at, index)
}

/// As [`load`], of something else than front matter.
pub(crate) fn load_as(what: Text, text: &str, at: Span, index: &LineIndex<'_>) -> (Yaml, Vec<Problem>) {
    let mut load = Load {
        what,
        text,
        at,
        index,
        places: HashMap::new(),
        problems: Vec::new(),
        open: Vec::new(),
        root: None,
        long: Vec::new(),
    };
    let whole = load.events();
    load.tabs();
    let value = if whole { load.root.take().unwrap_or(Value::Null) } else { Value::Null };
    (Yaml { value, places: load.places, whole }, load.problems)
}

/// A collection that is still open.
enum Open {
    List { items: Vec<Value>, frame: Frame },
    Mapping { members: Map<String, Value>, key: Option<(Key, Span)>, lines: HashMap<String, u32>, frame: Frame },
}

/// A key; `None` for one that is refused, whose member is read over.
type Key = Option<String>;

struct Frame {
    pointer: String,
    start: usize,
    /// The end of what was read inside it.
    end: usize,
    flow: bool,
    /// A collection where a key should be is read over.
    is_key: bool,
    /// Whether it is part of nothing that is read: of a key, of a member whose key is refused, or of one that is there
    /// already. Its values have no places.
    over: bool,
}

struct Load<'a> {
    what: Text,
    text: &'a str,
    at: Span,
    index: &'a LineIndex<'a>,
    places: HashMap<String, Stands>,
    problems: Vec<Problem>,
    open: Vec<Open>,
    root: Option<Value>,
    /// Scalars over more than one line, in the order of the text.
    long: Vec<Span>,
}

impl Load<'_> {
    /// Reads every event; false when the text could not be read to its end.
    fn events(&mut self) -> bool {
        let options = granit_parser::options! {
            strict_indentation: true,
            emit_unresolved_aliases: true,
            disallow_directives: true,
            emit_anchor_events: true,
            flow_nesting_limit: self.what.levels + 8,
            block_nesting_limit: self.what.levels + 8,
        };
        let yaml = &self.text[self.at.start..self.at.end];
        let mut documents = 0;
        for next in Parser::new_from_str_with_options(yaml, options) {
            let (event, span) = match next {
                Ok(next) => next,
                Err(error) => {
                    self.syntax(&error);
                    return false;
                }
            };
            let span = self.span(&span);
            match event {
                Event::DocumentStart(..) => {
                    documents += 1;
                    if documents > 1 {
                        let message = format!("{} is one YAML document; a second begins here.", self.what.name);
                        self.problem("yaml.document", span, message);
                        return false;
                    }
                }
                Event::Scalar(text, style, _, tag) => {
                    self.tag(tag.is_some(), span);
                    if self.text[span.start..span.end].contains(['\n', '\r']) {
                        self.long.push(span);
                    }
                    let value =
                        if tag.is_some() { Value::String(text.to_string()) } else { self.scalar(&text, style, span) };
                    self.value(value, Some(text.into_owned()), span);
                }
                Event::SequenceStart(style, _, tag) => {
                    self.tag(tag.is_some(), span);
                    let span = if style == StructureStyle::Block { self.dashed(span) } else { span };
                    if !self.opened(span, style, |frame| Open::List { items: Vec::new(), frame }) {
                        return false;
                    }
                }
                Event::MappingStart(style, _, tag) => {
                    self.tag(tag.is_some(), span);
                    let mapping =
                        |frame| Open::Mapping { members: Map::new(), key: None, lines: HashMap::new(), frame };
                    if !self.opened(span, style, mapping) {
                        return false;
                    }
                }
                Event::SequenceEnd | Event::MappingEnd => self.closed(span),
                Event::Anchor(..) => {
                    self.problem("yaml.anchor", span, "Anchors are not taken: write the value out where it is used.");
                }
                Event::Alias(_) | Event::UnresolvedAlias(_) => {
                    let quote = self.quote_fix(span);
                    let problem = self.made("yaml.alias", span, "Aliases are not taken: write the value out here.");
                    self.problems.push(match quote {
                        Some(edits) => {
                            problem.hint("A text that begins with * stands in quotes.").fix("Put it in quotes", edits)
                        }
                        None => problem,
                    });
                    self.value(Value::Null, None, span);
                }
                _ => {}
            }
        }
        true
    }

    fn span(&self, span: &granit_parser::Span) -> Span {
        let range = span.byte_range().unwrap_or(0..0);
        let within = |byte: usize| (self.at.start + byte).min(self.at.end);
        Span::new(within(range.start), within(range.end))
    }

    fn made(&self, code: &str, span: Span, message: impl Into<String>) -> Problem {
        Problem::error(code, Place::of(self.index, span, self.pointer()), message)
    }

    fn problem(&mut self, code: &str, span: Span, message: impl Into<String>) {
        let problem = self.made(code, span, message);
        self.problems.push(problem);
    }

    /// The pointer of the value that is read next; `None` at the root.
    fn pointer(&self) -> Option<String> {
        match self.open.last()? {
            Open::List { items, frame } => Some(format!("{}/{}", frame.pointer, items.len())),
            Open::Mapping { key: Some((Some(key), _)), frame, .. } => Some(json::join(&frame.pointer, key)),
            Open::Mapping { frame, .. } => Some(frame.pointer.clone()).filter(|pointer| !pointer.is_empty()),
        }
    }

    fn tag(&mut self, tagged: bool, span: Span) {
        if tagged {
            let problem = self
                .made("yaml.tag", span, "Tags are not taken: a value has the type that YAML's core schema gives it.")
                .hint("Remove the tag; a number or a word that is meant as text stands in quotes.");
            self.problems.push(problem);
        }
    }

    /// The same from the dash of its first item: the parser puts a list that is not indented at the item behind it.
    fn dashed(&self, span: Span) -> Span {
        let before = self.text.get(..span.start).unwrap_or_default().trim_end_matches(' ');
        match before.strip_suffix('-') {
            Some(rest) if !self.text[span.start..].starts_with('-') => Span::new(rest.len(), span.end.max(rest.len())),
            _ => span,
        }
    }

    /// Opens a collection; false when it is one level too many.
    fn opened(&mut self, span: Span, style: StructureStyle, collection: impl FnOnce(Frame) -> Open) -> bool {
        let Text { name, levels } = self.what;
        if self.open.len() >= levels {
            self.problem("yaml.levels", span, format!("{name} nests deeper than {levels} levels."));
            return false;
        }
        let is_key = matches!(self.open.last(), Some(Open::Mapping { key: None, .. }));
        let over = match self.open.last() {
            None => false,
            Some(Open::List { frame, .. }) => frame.over,
            Some(Open::Mapping { key, lines, frame, .. }) => {
                let named = key.as_ref().and_then(|(name, _)| name.as_ref());
                frame.over || named.is_none_or(|name| lines.contains_key(name))
            }
        };
        if is_key {
            self.problem("yaml.key", span, "A key must be text, not a list or a mapping.");
        }
        let pointer = self.pointer().unwrap_or_default();
        let flow = style == StructureStyle::Flow;
        self.open.push(collection(Frame { pointer, start: span.start, end: span.end, flow, is_key, over }));
        true
    }

    fn closed(&mut self, span: Span) {
        let Some(open) = self.open.pop() else { return };
        let (value, frame) = match open {
            Open::List { items, frame } => (Value::Array(items), frame),
            Open::Mapping { members, frame, .. } => (Value::Object(members), frame),
        };
        let end = if frame.flow { span.end } else { frame.end };
        let span = Span::new(frame.start, end);
        if frame.is_key {
            self.value(Value::Null, None, span);
        } else {
            self.value(value, None, span);
        }
    }

    /// Takes a value as the next key, member, item or the root.
    fn value(&mut self, value: Value, key_text: Key, span: Span) {
        match self.open.last_mut() {
            None => {
                self.places.insert(String::new(), Stands { key: None, value: span });
                self.root = Some(value);
            }
            Some(Open::List { items, frame }) => {
                frame.end = frame.end.max(span.end);
                if !frame.over {
                    self.places.insert(format!("{}/{}", frame.pointer, items.len()), Stands { key: None, value: span });
                }
                items.push(value);
            }
            Some(Open::Mapping { key: key @ None, frame, .. }) => {
                frame.end = frame.end.max(span.end);
                *key = Some((key_text, span));
            }
            Some(Open::Mapping { members, key, lines, frame }) => {
                let (name, key_span) = key.take().expect("a value follows its key");
                frame.end = frame.end.max(span.end).max(key_span.end);
                let Some(name) = name else { return };
                let pointer = json::join(&frame.pointer, &name);
                if let Some(first) = lines.get(&name) {
                    let message = format!("The key {} is in this mapping already, on line {first}.", shown(&name));
                    let place = Place::of(self.index, key_span, Some(pointer));
                    self.problems.push(Problem::error("yaml.duplicate", place, message));
                    return;
                }
                lines.insert(name.clone(), self.index.place(key_span.start).line);
                if !frame.over {
                    self.places.insert(pointer, Stands { key: Some(key_span), value: span });
                }
                members.insert(name, value);
            }
        }
    }

    /// A scalar by the core schema. A key is text however it is written.
    fn scalar(&mut self, text: &str, style: ScalarStyle, span: Span) -> Value {
        let is_key = matches!(self.open.last(), Some(Open::Mapping { key: None, .. }));
        if style != ScalarStyle::Plain || is_key {
            return Value::String(text.to_owned());
        }
        match plain(text) {
            Plain::Value(value) => value,
            Plain::NotFinite => {
                let quote = vec![Edit { span, text: format!("'{text}'") }];
                let problem = self
                    .made("yaml.number", span, "A number must be finite.")
                    .hint("A text that looks like a number stands in quotes.")
                    .fix("Put it in quotes", quote);
                self.problems.push(problem);
                Value::Null
            }
        }
    }

    fn syntax(&mut self, error: &granit_parser::ScanError) {
        let byte = error.marker().byte_offset().unwrap_or(0);
        let start = (self.at.start + byte).min(self.at.end);
        let end = self.text[start..self.at.end].chars().next().map_or(start, |c| start + c.len_utf8());
        let words = error.info();
        let words = match error.kind() {
            ErrorKind::DirectiveDisallowed => "directives are not taken",
            _ => words.trim_end_matches('.'),
        };
        let mut place = Place::of(self.index, Span::new(start, end), self.pointer());
        let fix = self.unquoted(place.line);
        // An error at the very end is told at the last line that has something on it.
        if start == self.at.end {
            let last = self.at.start + self.text[self.at.start..self.at.end].trim_end().len();
            place = Place::of(self.index, Span::new(last, last), self.pointer());
        }
        let mut problem = Problem::error("yaml.syntax", place, format!("The YAML cannot be read here: {words}."));
        if let Some(edits) = fix {
            problem = problem
                .hint("YAML reads braces, brackets, a colon and a # as its own; a value that holds them stands in quotes.")
                .fix("Put the value in quotes", edits);
        }
        self.problems.push(problem);
    }

    /// The edit that quotes an expression on a line, or its whole value where that is plain text with a mark that YAML
    /// reads as its own.
    fn unquoted(&self, line: u32) -> Option<Vec<Edit>> {
        (line.saturating_sub(1)..=line).rev().filter(|line| *line > 0).find_map(|line| {
            let span = self.index.line_span(line);
            let text = self.text.get(span.start..span.end)?;
            let (start, end) = match text.find("${") {
                Some(start) if !text[..start].ends_with(['\'', '"']) => (start, start + braced(&text[start..])?),
                _ => {
                    let start = text.find(": ")? + 2;
                    let value = text[start..].trim();
                    let own = ['\'', '"', '[', '{', '|', '>', '&', '!', '#'];
                    let marked =
                        value.contains(": ") || value.ends_with(':') || value.starts_with(['@', '`', '%', '*']);
                    if !marked || value.starts_with(own) || text[..start].contains(['{', '[']) {
                        return None;
                    }
                    let start = start + text[start..].find(value)?;
                    (start, start + value.len())
                }
            };
            let quoted = format!("'{}'", text[start..end].replace('\'', "''"));
            Some(vec![Edit { span: Span::new(span.start + start, span.start + end), text: quoted }])
        })
    }

    fn quote_fix(&self, span: Span) -> Option<Vec<Edit>> {
        let text = self.text.get(span.start..span.end)?;
        (!text.is_empty()).then(|| vec![Edit { span, text: format!("'{}'", text.replace('\'', "''")) }])
    }

    fn lines(&self) -> Vec<Span> {
        let first = self.index.place(self.at.start).line;
        let last = self.index.place(self.at.end).line;
        (first..=last).map(|line| self.index.line_span(line)).filter(|span| span.start < self.at.end).collect()
    }

    /// Whether a byte lies inside a scalar that began on a line before.
    fn within_scalar(&self, byte: usize) -> bool {
        let next = self.long.partition_point(|scalar| scalar.start < byte);
        next.checked_sub(1).is_some_and(|at| byte < self.long[at].end)
    }

    /// Tabs in indentation, which the parser lets pass before a key.
    fn tabs(&mut self) {
        let mut found = Vec::new();
        let mut lines = HashSet::new();
        for line in self.lines() {
            let text = &self.text[line.start..line.end];
            let indent = text.len() - text.trim_start_matches([' ', '\t']).len();
            let rest = &text[indent..];
            if !text[..indent].contains('\t')
                || rest.is_empty()
                || rest.starts_with('#')
                || self.within_scalar(line.start)
            {
                continue;
            }
            let span = Span::new(line.start, line.start + indent);
            let spaces = text[..indent].replace('\t', "  ");
            let place = Place::of(self.index, span, None);
            lines.insert(place.line);
            found.push(
                Problem::error("yaml.tab", place, "Indentation is made of spaces; a tab stands here.")
                    .fix("Write two spaces for each tab", vec![Edit { span, text: spaces }]),
            );
        }
        // The parser may have stopped at one of these very tabs.
        self.problems.retain(|problem| problem.code != "yaml.syntax" || !lines.contains(&problem.place.line));
        self.problems.extend(found);
    }
}

/// The bytes of a text that begins with `${`, up to the brace that closes it.
fn braced(text: &str) -> Option<usize> {
    let mut depth = 0i32;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// A key for a sentence, cut when it is long.
pub(crate) fn shown(key: &str) -> String {
    if key.is_empty() { "\"\"".to_owned() } else { json::cut(&key.replace(['\n', '\r'], " "), 80) }
}

/// The words for a count of bytes past a bound.
pub(crate) fn bytes_over(bytes: usize, most: usize) -> String {
    format!("{} bytes; at most {} are taken", thousands(bytes as u64), thousands(most as u64))
}
