//! Edits of a workflow's drawing as edits of its text: the smallest stretches change, all else keeps its bytes.
//!
//! An edit is made twice: in the text, and on the value that the text means. The two must agree, or the edit is
//! refused: so no comment, quote or unusual spelling can make an edit mean something else than it says.

mod expect;
mod field;
mod page;
mod steps;
mod write;

use super::read::TEXT;
use page::Page;
use playbook_model::position::{LineIndex, Span};
use playbook_model::problem::Edit;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use similar::{ChangeTag, TextDiff};

/// What is done to a workflow. Every place is a JSON Pointer in the document; places in a list count from 0.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Operation {
    /// Adds a task before the task at a place of a list; at the end where there is none. A list that is not there is made.
    Add {
        /// The list.
        list: String,
        /// The place.
        at: usize,
        /// The task's name, which no other of the list has.
        name: String,
        /// What the task says.
        task: Value,
    },
    /// Moves a task before the task at a place of a list, as the list stands before the move.
    Move {
        /// The task.
        task: String,
        /// The list it moves to.
        list: String,
        /// The place.
        at: usize,
    },
    /// Gives a task another name, also where a `then` of its list names it.
    Rename {
        /// The task.
        task: String,
        /// Its new name.
        name: String,
    },
    /// Writes a task a second time behind itself.
    Duplicate {
        /// The task.
        task: String,
    },
    /// Puts a task into a `try` that tries again a few times and then says what failed. "Errors, retries and timeouts".
    Wrap {
        /// The task.
        task: String,
    },
    /// Takes a task out, with the remarks right above it.
    Delete {
        /// The task.
        task: String,
    },
    /// Gives a field a value; mappings around it that are not there are made.
    Set {
        /// The field.
        at: String,
        /// The value.
        value: Value,
    },
    /// As [`Operation::Set`], with the value as YAML, which is written as it stands.
    Write {
        /// The field.
        at: String,
        /// The value.
        yaml: String,
    },
    /// Takes a field out, and a mapping that is left empty by it.
    Unset {
        /// The field.
        at: String,
    },
}

/// An edited text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Edited {
    /// The whole text.
    pub text: String,
    /// How it comes from the text before, in its order; none touches another.
    #[serde(skip)]
    pub edits: Vec<Edit>,
    /// The task that the edit was of, as it is named now.
    pub task: Option<String>,
}

/// Why an edit cannot be made, in words for the author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotEditable(pub String);

impl std::fmt::Display for NotEditable {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str(&self.0)
    }
}

impl std::error::Error for NotEditable {}

type Made<T> = Result<T, NotEditable>;

fn no<T>(sentence: impl Into<String>) -> Made<T> {
    Err(NotEditable(sentence.into()))
}

/// Edits a text by operations in a row, each on what those before it left.
///
/// # Errors
/// [`NotEditable`] for a text that is no YAML, a place that is not there, a name that is taken, and a stretch that is
/// written in a way only its author can change. Then nothing is edited.
pub fn edit(text: &str, operations: &[Operation]) -> Made<Edited> {
    let mut edited = Edited { text: text.to_owned(), edits: Vec::new(), task: None };
    for operation in operations {
        let (after, task) = edited_once(&edited.text, operation)?;
        edited.text = after;
        edited.task = task.or(edited.task);
    }
    edited.edits = edits(text, &edited.text);
    Ok(edited)
}

/// The text after an operation, and the task it was of.
fn edited_once(text: &str, operation: &Operation) -> Made<(String, Option<String>)> {
    let page = Page::read(text)?;
    let mut wanted = page.yaml.value.clone();
    let task = expect::apply(&mut wanted, operation)?;
    let after = made(&page, operation)?;
    let meant = Page::read(&after).ok().is_some_and(|read| read.yaml.value == wanted);
    if !meant {
        return no("This part is written in a way that the drawing cannot change safely; change it in the text.");
    }
    Ok((after, task))
}

fn made(page: &Page<'_>, operation: &Operation) -> Made<String> {
    match operation {
        Operation::Add { list, at, name, task } => steps::add(page, list, *at, name, task),
        Operation::Move { task, list, at } => steps::moved(page, task, list, *at),
        Operation::Rename { task, name } => steps::rename(page, task, name),
        Operation::Duplicate { task } => steps::duplicate(page, task),
        Operation::Wrap { task } => steps::wrap(page, task),
        Operation::Delete { task } => steps::delete(page, task),
        Operation::Set { at, value } => field::set(page, at, &field::New::of(value)),
        Operation::Write { at, yaml } => field::set(page, at, &field::New::written(yaml)?),
        Operation::Unset { at } => field::unset(page, at),
    }
}

/// The value of a text of YAML by itself.
fn value_of(yaml: &str) -> Made<Value> {
    let index = LineIndex::new(yaml);
    let (read, problems) = crate::yaml::load_as(TEXT, yaml, Span::new(0, yaml.len()), &index);
    match problems.first() {
        Some(problem) => no(format!("This is no YAML value: line {}: {}", problem.place.line, problem.message)),
        None => Ok(read.value),
    }
}

/// The changed stretches: by lines, then without what a stretch's two sides begin and end with alike.
fn edits(before: &str, after: &str) -> Vec<Edit> {
    let diff = TextDiff::from_lines(before, after);
    let mut found: Vec<Edit> = Vec::new();
    let (mut at, mut open) = (0, false);
    for change in diff.iter_all_changes() {
        let line = change.value();
        if change.tag() == ChangeTag::Equal {
            at += line.len();
            open = false;
            continue;
        }
        if !open {
            found.push(Edit { span: Span::new(at, at), text: String::new() });
            open = true;
        }
        let last = found.last_mut().expect("one was just pushed");
        if change.tag() == ChangeTag::Insert {
            last.text.push_str(line);
        } else {
            at += line.len();
            last.span.end = at;
        }
    }
    for edit in &mut found {
        trim(before, edit);
    }
    found
}

fn trim(before: &str, edit: &mut Edit) {
    let old = &before[edit.span.start..edit.span.end];
    let head: usize =
        old.chars().zip(edit.text.chars()).take_while(|(one, other)| one == other).map(|(c, _)| c.len_utf8()).sum();
    let (old, new) = (&old[head..], &edit.text[head..]);
    let tail: usize = old
        .chars()
        .rev()
        .zip(new.chars().rev())
        .take_while(|(one, other)| one == other)
        .map(|(c, _)| c.len_utf8())
        .sum();
    let text = new[..new.len() - tail].to_owned();
    edit.span = Span::new(edit.span.start + head, edit.span.end - tail);
    edit.text = text;
}

#[cfg(test)]
mod tests;
