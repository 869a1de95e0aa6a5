//! Task lists, and what every task has: its name, its fields and where the flow goes. "Tasks", "Flow".

use super::draft::{Draft, Foreign};
use super::program::{Directive, Duration, Fields, Kind, ListId, Task, TaskId};
use super::sight::{Around, At, Sight};
use crate::yaml::shown;
use playbook_model::json;
use playbook_model::limits::{CALL_REFERENCE_BYTES, TASK_LISTS};
use playbook_model::word::{nearest, or};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The keys that name a kind of task, in the order of "Tasks".
pub(super) const KINDS: [&str; 11] =
    ["call", "set", "do", "switch", "for", "fork", "try", "raise", "wait", "listen", "emit"];
/// The fields of every task.
pub(super) const COMMON: [&str; 7] = ["if", "input", "output", "export", "timeout", "then", "metadata"];

/// The names that a `then` may give.
#[derive(Debug, Clone, Copy)]
pub(super) enum Reach<'n> {
    /// The tasks of a list, in its order.
    List(&'n [&'n str]),
    /// None: it stands in a branch of a fork.
    Branch,
}

/// What a task's kind is read with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Standing<'n> {
    /// The task's pointer.
    pub(super) pointer: &'n str,
    /// The names that loops and catches around it give.
    pub(super) around: &'n Around,
    pub(super) reach: Reach<'n>,
    /// Task lists it stands in.
    pub(super) level: usize,
}

impl Standing<'_> {
    pub(super) fn body(&self) -> Sight {
        Sight::of(At::Body, self.around)
    }
}

impl Draft<'_, '_> {
    /// A task list of the given level, from 1; `None` for something that is no list.
    pub(super) fn tasks(&mut self, pointer: &str, value: &Value, around: &Around, level: usize) -> Option<ListId> {
        let items = self.items(pointer, value, level)?;
        let names: Vec<&str> = items.iter().map(|(name, ..)| *name).collect();
        let list = self.new_list();
        let mut found = Vec::new();
        for (name, here, task) in items.iter() {
            found.extend(self.task(name, here, task, around, Reach::List(&names), level));
        }
        self.lists[list.0 as usize].tasks = found;
        Some(list)
    }

    /// The branches of a fork.
    pub(super) fn branches(
        &mut self,
        pointer: &str,
        value: &Value,
        around: &Around,
        level: usize,
    ) -> Option<Vec<TaskId>> {
        let items = self.items(pointer, value, level)?;
        Some(
            items
                .iter()
                .filter_map(|(name, here, task)| self.task(name, here, task, around, Reach::Branch, level))
                .collect(),
        )
    }

    /// The items of a list, each with one name that no other has: the name, the pointer and what it says.
    fn items<'v>(
        &mut self,
        pointer: &str,
        value: &'v Value,
        level: usize,
    ) -> Option<Vec<(&'v str, String, &'v Value)>> {
        let items = self.list(pointer, value, "A task list")?;
        if level > TASK_LISTS {
            let message = format!("Task lists nest deeper than {TASK_LISTS} levels here.");
            self.refuse("workflow.levels", pointer, message);
            return None;
        }
        let mut found: Vec<(&str, String, &Value)> = Vec::new();
        let mut first: HashMap<&str, usize> = HashMap::new();
        for (at, item) in items.iter().enumerate() {
            let here = format!("{pointer}/{at}");
            let Value::Object(members) = item else {
                let message = "Each item of a task list is a mapping with one key, the task's name.";
                self.refuse("workflow.item", &here, message);
                continue;
            };
            let mut keys = members.iter();
            let (Some((name, task)), None) = (keys.next(), keys.next()) else {
                self.not_one(&here, members);
                continue;
            };
            let here = json::join(&here, name);
            if let Some(earlier) = first.get(name.as_str()) {
                let message = format!(
                    "The task {} is in this list already, as its item {}; a name belongs to one task of a list.",
                    shown(name),
                    earlier + 1
                );
                self.refuse("workflow.twice", &here, message);
            }
            first.entry(name).or_insert(at);
            found.push((name, here, task));
        }
        Some(found)
    }

    fn not_one(&mut self, here: &str, members: &Map<String, Value>) {
        if members.is_empty() {
            self.refuse("workflow.item", here, "Each item of a task list is a mapping with one key, the task's name.");
            return;
        }
        let message = format!("Each item of a task list is one task; this one has {} keys.", members.len());
        let mut problem = self.error("workflow.item", here, message);
        problem = if members.keys().any(|key| KINDS.contains(&key.as_str())) {
            problem.hint("A task's fields stand below its name, two spaces deeper.")
        } else {
            problem.hint("Begin each task with a dash of its own.")
        };
        self.push(problem);
    }

    fn task(
        &mut self,
        name: &str,
        pointer: &str,
        value: &Value,
        around: &Around,
        reach: Reach<'_>,
        level: usize,
    ) -> Option<TaskId> {
        let Value::Object(members) = value else {
            let message = format!("A task is a mapping with one of {}.", or(&KINDS));
            self.refuse("workflow.task", pointer, message);
            return None;
        };
        let id = self.new_task(Task {
            name: name.to_owned(),
            reference: pointer.to_owned(),
            fields: Fields::default(),
            kind: Kind::Wait(Duration::Milliseconds(0)),
        });
        if matches!(name, "continue" | "exit" | "end") {
            let message =
                format!("A task named {name} cannot be reached by then, where the word has a meaning of its own.");
            self.warn("workflow.reserved", pointer, &message, "Choose another name.");
        }
        let standing = Standing { pointer, around, reach, level };
        let fields = self.fields(members, standing);
        if let Some(kind) = self.kind(members, standing) {
            let task = &mut self.tasks[id.0 as usize];
            task.fields = fields;
            task.kind = kind;
        }
        Some(id)
    }

    /// What every task accepts.
    fn fields(&mut self, members: &Map<String, Value>, standing: Standing<'_>) -> Fields {
        let Standing { pointer, around, reach, .. } = standing;
        let handed = Sight::of(At::Handed, around);
        let of = |name: &str| format!("{pointer}/{name}");
        let mut fields = Fields::default();
        if let Some(value) = members.get("if") {
            fields.condition = self.bare(&of("if"), value, "if", &handed);
        }
        if let Some(value) = members.get("timeout") {
            fields.timeout = self.timeout(&of("timeout"), value, &handed);
        }
        if let Some(value) = members.get("metadata") {
            self.mapping(&of("metadata"), value, "metadata");
        }
        for (name, field, at) in
            [("input", "from", At::Handed), ("output", "as", At::Output), ("export", "as", At::Export)]
        {
            let Some(value) = members.get(name) else { continue };
            let here = of(name);
            let Some(members) = self.mapping(&here, value, name) else { continue };
            self.known(&here, members, name, &[field], |name| match name {
                "schema" => Some(Foreign::Refused("Schemas on tasks are refused: a task's schema is not checked.")),
                "shape" => Some(Foreign::Refused("A task's output takes no shape; output.shape of the document does.")),
                _ => None,
            });
            let Some(value) = members.get(field) else { continue };
            let what = format!("{name}.{field}");
            let template = self.shaping(&format!("{here}/{field}"), value, &what, &Sight::of(at, around));
            match name {
                "input" => fields.input_from = template,
                "output" => fields.output_as = template,
                _ => fields.export_as = template,
            }
        }
        if let Some(value) = members.get("then") {
            fields.then = self.then(&of("then"), value, reach);
        }
        fields
    }

    /// Where the flow goes.
    pub(super) fn then(&mut self, pointer: &str, value: &Value, reach: Reach<'_>) -> Directive {
        let Some(text) = self.text(pointer, value, "then") else { return Directive::Continue };
        match text {
            "continue" => return Directive::Continue,
            "exit" => return Directive::Exit,
            "end" => return Directive::End,
            _ => {}
        }
        let words = ["continue", "exit", "end"];
        let (message, near) = match reach {
            Reach::List(names) => {
                if let Some(at) = names.iter().position(|name| *name == text) {
                    return Directive::Jump(u32::try_from(at).expect("a list is no longer than its document"));
                }
                let message = format!(
                    "then names {}, which is no task of the same list; it is continue, exit, end or the name of one.",
                    shown(text)
                );
                (message, nearest(text, names.iter().copied().chain(words)))
            }
            Reach::Branch => {
                let message = "A branch of a fork does not jump: its then is continue, exit or end.".to_owned();
                (message, nearest(text, words))
            }
        };
        let mut problem = self.error("workflow.then", pointer, message);
        if let Some(near) = near {
            let edits = self.instead(pointer, plainly(near));
            problem = problem.hint(format!("Did you mean {near}?")).fix(format!("Write {near}"), edits);
        }
        self.push(problem);
        Directive::Continue
    }

    fn kind(&mut self, members: &Map<String, Value>, standing: Standing<'_>) -> Option<Kind> {
        let pointer = standing.pointer;
        let loops = members.contains_key("for");
        let has: Vec<&str> = KINDS
            .iter()
            .chain(&["run"])
            .copied()
            .filter(|kind| members.contains_key(*kind) && !(loops && *kind == "do"))
            .collect();
        let (kind, others) = match has.as_slice() {
            [] => ("", &[][..]),
            [kind, others @ ..] => (*kind, others),
        };
        let own: &[&str] = match kind {
            "call" => &["call", "with"],
            "for" => &["for", "while", "do"],
            "try" => &["try", "catch"],
            "" => &KINDS,
            _ => &[kind],
        };
        let taken: Vec<&str> = own.iter().chain(&COMMON).chain(others).copied().collect();
        let what = if kind.is_empty() { "a task".to_owned() } else { format!("a {kind} task") };
        self.known(pointer, members, &what, &taken, |name| match name {
            "foreach" if kind == "listen" => Some(Foreign::Refused("listen with foreach is not supported.")),
            "in" | "each" | "at" if kind == "for" => Some(Foreign::Hint("Write it under for.")),
            "retry" | "errors" | "when" | "exceptWhen" if kind == "try" => Some(Foreign::Hint("Write it under catch.")),
            "type" | "name" if kind == "call" => Some(Foreign::Hint("Write it under with.")),
            _ => None,
        });
        for other in others {
            let message = format!("A task does one thing, and this one has both {kind} and {other}.");
            let problem = self.error("workflow.kinds", &format!("{pointer}/{other}"), message);
            self.push(problem.hint("Make two tasks of it, one after the other."));
        }
        let here = format!("{pointer}/{kind}");
        let value = members.get(kind);
        match (kind, value) {
            ("call", Some(value)) => self.call(&here, value, members, standing),
            ("set", Some(value)) => self.set(&here, value, standing),
            ("do", Some(value)) => self.tasks(&here, value, standing.around, standing.level + 1).map(Kind::Do),
            ("switch", Some(value)) => self.switch(&here, value, standing),
            ("for", Some(value)) => self.repeat(&here, value, members, standing),
            ("fork", Some(value)) => self.fork(&here, value, standing),
            ("try", Some(value)) => self.attempt(&here, value, members, standing),
            ("raise", Some(value)) => self.raise(&here, value, standing),
            ("wait", Some(value)) => self.duration(&here, value, Some(&standing.body())).map(Kind::Wait),
            ("listen", Some(value)) => self.listen(&here, value),
            ("emit", Some(value)) => self.emit(&here, value, standing),
            ("run", _) => {
                let problem =
                    self.error("workflow.unsupported", &here, "run tasks are refused: the runtime does not run them.");
                self.push(problem.hint("Call a function of the playbook with call: run_definition."));
                None
            }
            _ => {
                let message = format!("A task needs one of {}.", or(&KINDS));
                self.refuse("workflow.task", pointer, message);
                None
            }
        }
    }

    /// "Saving a document": the reference of a `call` is carried by the run it starts.
    pub(super) fn reference(&mut self, pointer: &str) {
        if pointer.len() > CALL_REFERENCE_BYTES {
            let message = format!(
                "The reference of a call, its JSON Pointer, is {} bytes; at most {CALL_REFERENCE_BYTES} are taken.",
                pointer.len()
            );
            let problem = self.error("workflow.reference", pointer, message);
            self.push(problem.hint("Shorten its name, or a name above it."));
        }
        let carried =
            |c: char| !c.is_control() && (u32::from(c) & 0xFFFE) != 0xFFFE && !('\u{fdd0}'..='\u{fdef}').contains(&c);
        if !pointer.chars().all(carried) {
            let message = "The name of a call, or a name above it, has a control character or a noncharacter, which a run cannot carry.";
            self.refuse("workflow.reference", pointer, message);
        }
    }
}

/// A name as plain YAML where it reads as itself, in quotes otherwise.
pub(super) fn plainly(name: &str) -> String {
    let simple = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
        && crate::plain::is_text(name);
    if simple { name.to_owned() } else { format!("'{}'", name.replace('\'', "''")) }
}
