//! A workflow's document on its way to a program: what was read so far, and how something wrong is said at its place.
//!
//! A place is the first character of the value at a pointer; its key where the value is missing.

use super::program::{Expression, ExpressionId, List, ListId, Task, TaskId};
use super::sight::Sight;
use crate::reader::Reader;
use crate::yaml::{Stands, shown};
use playbook_model::json;
use playbook_model::position::Span;
use playbook_model::problem::{Edit, Place, Problem};
use playbook_model::word::{and, nearest};
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

/// A document being read.
pub(super) struct Draft<'r, 'a> {
    pub(super) reader: &'r mut Reader<'a>,
    /// The document as JSON.
    pub(super) document: &'r Value,
    /// Entries of `use` that have problems of their own, by pointer; a place that names one tells none of them again.
    pub(super) flawed: Vec<String>,
    /// Entries of `use` that some place names, by pointer.
    pub(super) named: HashSet<String>,
    pub(super) tasks: Vec<Task>,
    pub(super) lists: Vec<List>,
    /// Each with every name of its place; only those it mentions are kept in the end.
    pub(super) expressions: Vec<Expression>,
    known: HashMap<(String, Sight), ExpressionId>,
    /// The longest a run may last, in milliseconds.
    pub(super) longest: u64,
}

/// What a field that is not taken deserves to hear.
pub(super) enum Foreign {
    /// Why it is refused, as a sentence.
    Refused(&'static str),
    /// What to do about it, beside the words for any unknown field.
    Hint(&'static str),
}

impl<'r, 'a> Draft<'r, 'a> {
    pub(super) fn new(reader: &'r mut Reader<'a>, document: &'r Value, longest: u64) -> Self {
        Self {
            reader,
            document,
            flawed: Vec::new(),
            named: HashSet::new(),
            tasks: Vec::new(),
            lists: Vec::new(),
            expressions: Vec::new(),
            known: HashMap::new(),
            longest,
        }
    }

    /// Where a value stands, up to the end of its first line.
    pub(super) fn span(&self, pointer: &str) -> Span {
        let mut around = pointer;
        loop {
            if let Some(Stands { key, value }) = self.reader.yaml.places.get(around) {
                return match key {
                    Some(key) if value.start == value.end => *key,
                    _ => {
                        let line = self.reader.index.line_span(self.reader.index.place(value.start).line);
                        Span::new(value.start, value.end.min(line.end.max(value.start)))
                    }
                };
            }
            match around.rfind('/') {
                Some(at) => around = &around[..at],
                None => return self.reader.index.line_span(1),
            }
        }
    }

    pub(super) fn place(&self, pointer: &str) -> Place {
        Place::of(&self.reader.index, self.span(pointer), Some(pointer.to_owned()))
    }

    pub(super) fn error(&self, code: &str, pointer: &str, message: impl Into<String>) -> Problem {
        Problem::error(code, self.place(pointer), message)
    }

    pub(super) fn refuse(&mut self, code: &str, pointer: &str, message: impl Into<String>) {
        let problem = self.error(code, pointer, message);
        self.push(problem);
    }

    pub(super) fn warn(&mut self, code: &str, pointer: &str, message: &str, hint: &str) {
        let problem = Problem::warning(code, self.place(pointer), message).hint(hint);
        self.push(problem);
    }

    pub(super) fn push(&mut self, problem: Problem) {
        self.reader.problems.push(problem);
    }

    /// The edit that replaces a value.
    pub(super) fn instead(&self, pointer: &str, text: impl Into<String>) -> Vec<Edit> {
        let span = self.reader.value_span(pointer).unwrap_or(self.span(pointer));
        vec![Edit { span, text: text.into() }]
    }

    /// A problem with the edit that puts a plain value in quotes, where it is written on one line without any.
    pub(super) fn quoted(&self, problem: Problem, pointer: &str) -> Problem {
        let Some(span) = self.reader.value_span(pointer) else { return problem };
        let text = &self.reader.text[span.start..span.end];
        if text.is_empty() || text.contains(['\n', '\r']) || text.starts_with(['\'', '"', '|', '>']) {
            return problem;
        }
        let quoted = format!("'{}'", text.replace('\'', "''"));
        problem.fix("Put it in quotes", vec![Edit { span, text: quoted }])
    }

    /// A value that must be a mapping.
    pub(super) fn mapping<'v>(
        &mut self,
        pointer: &str,
        value: &'v Value,
        what: &str,
    ) -> Option<&'v Map<String, Value>> {
        if let Value::Object(members) = value {
            return Some(members);
        }
        self.refuse("workflow.mapping", pointer, format!("{what} must be a mapping of fields."));
        None
    }

    /// A value that must be a list.
    pub(super) fn list<'v>(&mut self, pointer: &str, value: &'v Value, what: &str) -> Option<&'v Vec<Value>> {
        if let Value::Array(items) = value {
            return Some(items);
        }
        self.refuse("workflow.list", pointer, format!("{what} must be a list."));
        None
    }

    /// A value that must be text.
    pub(super) fn text<'v>(&mut self, pointer: &str, value: &'v Value, what: &str) -> Option<&'v str> {
        if let Value::String(text) = value {
            return Some(text);
        }
        let mut problem = self.error("workflow.text", pointer, format!("{what} must be text."));
        if value.is_number() || value.is_boolean() {
            problem = self.quoted(problem, pointer);
        }
        self.push(problem);
        None
    }

    /// Refuses every field that is not among those taken.
    pub(super) fn known(
        &mut self,
        pointer: &str,
        members: &Map<String, Value>,
        of: &str,
        fields: &[&str],
        foreign: impl Fn(&str) -> Option<Foreign>,
    ) {
        for name in members.keys().filter(|name| !fields.contains(&name.as_str())) {
            let here = json::join(pointer, name);
            let hint = match foreign(name) {
                Some(Foreign::Refused(words)) => {
                    self.refuse("workflow.unsupported", &here, words);
                    continue;
                }
                Some(Foreign::Hint(hint)) => Some(hint),
                None => None,
            };
            let the_fields = match fields {
                [one] => format!("the one field is {one}"),
                many => format!("the fields are {}", and(many)),
            };
            let message = format!("{} is not a field of {of}; {the_fields}.", shown(name));
            let mut problem = self.error("workflow.field", &here, message);
            let free = fields.iter().copied().filter(|field| !members.contains_key(*field));
            if let Some(hint) = hint {
                problem = problem.hint(hint);
            } else if let (Some(near), Some(span)) = (nearest(name, free), self.reader.key_span(&here)) {
                problem = problem
                    .hint(format!("Did you mean {near}?"))
                    .fix(format!("Write {near}"), vec![Edit { span, text: near.to_owned() }]);
            }
            self.push(problem);
        }
    }

    /// Refuses a mapping that lacks a field it needs. Says whether it has all of them.
    pub(super) fn needs(&mut self, pointer: &str, members: &Map<String, Value>, fields: &[&str]) -> bool {
        let missing: Vec<&str> = fields.iter().copied().filter(|field| !members.contains_key(*field)).collect();
        if missing.is_empty() {
            return true;
        }
        self.refuse("workflow.missing", pointer, format!("It needs {}", and(&missing)));
        false
    }

    /// Adds an expression of one place.
    pub(super) fn expression(&mut self, pointer: &str, text: &str, sight: &Sight) -> ExpressionId {
        let key = (pointer.to_owned(), sight.clone());
        if let Some(id) = self.known.get(&key) {
            return *id;
        }
        let id = ExpressionId(number(self.expressions.len()));
        self.expressions.push(Expression {
            pointer: pointer.to_owned(),
            text: text.to_owned(),
            stripped: String::new(),
            names: sight.names().to_vec(),
        });
        self.known.insert(key, id);
        id
    }

    /// Leaves out the expressions from a number on.
    pub(super) fn forget(&mut self, from: usize) {
        self.expressions.truncate(from);
        self.known.retain(|_, id| (id.0 as usize) < from);
    }

    /// Adds an empty list, whose number stands before those of the lists within.
    pub(super) fn new_list(&mut self) -> ListId {
        self.lists.push(List::default());
        ListId(number(self.lists.len() - 1))
    }

    /// Adds a task, whose number stands before those of the tasks within.
    pub(super) fn new_task(&mut self, task: Task) -> TaskId {
        self.tasks.push(task);
        TaskId(number(self.tasks.len() - 1))
    }
}

/// A place in a list: a document of bounded size has few enough of everything.
fn number(at: usize) -> u32 {
    u32::try_from(at).expect("a document of 65,536 bytes has fewer parts than that")
}
