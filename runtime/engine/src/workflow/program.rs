//! A workflow's checked document, ready to run.

use playbook_definition::workflow::{Expression, ExpressionId, List, ListId, Task, TaskId, WorkflowDetails};
use playbook_model::json;
use serde_json::Value;
use std::collections::HashMap;

/// A workflow's program with what is worked out of it once.
#[derive(Debug)]
pub struct Program {
    details: WorkflowDetails,
    /// Bytes of the document as JSON.
    document_bytes: usize,
    /// For each expression that is a name and members alone, those.
    paths: Vec<Option<Path>>,
    /// Where each task stands among the tasks, by its reference.
    references: HashMap<String, usize>,
}

/// `$data.brief.owner`: a name and members.
#[derive(Debug, PartialEq, Eq)]
struct Path {
    name: String,
    members: Vec<String>,
}

impl Program {
    /// Makes a saved workflow ready.
    #[must_use]
    pub fn new(details: WorkflowDetails) -> Self {
        let document_bytes = json::bytes(&details.document);
        let paths = details.expressions.iter().map(|expression| path(&expression.stripped)).collect();
        let references = details.tasks.iter().enumerate().map(|(at, task)| (task.reference.clone(), at)).collect();
        Self { details, document_bytes, paths, references }
    }

    /// The task of a reference, such as `/do/0/review`.
    #[must_use]
    pub fn at(&self, reference: &str) -> Option<&Task> {
        self.references.get(reference).map(|at| &self.details.tasks[*at])
    }

    /// The checked document.
    #[must_use]
    pub fn details(&self) -> &WorkflowDetails {
        &self.details
    }

    /// Bytes of the document as JSON.
    #[must_use]
    pub fn document_bytes(&self) -> usize {
        self.document_bytes
    }

    /// A task.
    ///
    /// # Panics
    /// For a number that is not of this program.
    #[must_use]
    pub fn task(&self, id: TaskId) -> &Task {
        &self.details.tasks[id.0 as usize]
    }

    /// A list.
    ///
    /// # Panics
    /// For a number that is not of this program.
    #[must_use]
    pub fn list(&self, id: ListId) -> &List {
        &self.details.lists[id.0 as usize]
    }

    /// An expression.
    ///
    /// # Panics
    /// For a number that is not of this program.
    #[must_use]
    pub fn expression(&self, id: ExpressionId) -> &Expression {
        &self.details.expressions[id.0 as usize]
    }

    /// The value of an expression that only reads members which the values themselves have, so that no program has to
    /// run: what an object holds under its own name is what the language gives, and it takes no step of the engine.
    pub(super) fn plain<'v>(
        &self,
        id: ExpressionId,
        named: impl FnOnce(&str) -> Option<&'v Value>,
    ) -> Option<&'v Value> {
        let path = self.paths.get(id.0 as usize)?.as_ref()?;
        let mut value = named(&path.name)?;
        for member in &path.members {
            value = value.as_object()?.get(member)?;
        }
        Some(value)
    }
}

fn path(text: &str) -> Option<Path> {
    let mut parts = text.trim().split('.');
    let is_name = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '$')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$')
    };
    let name = parts.next().filter(|name| name.starts_with('$') && is_name(name))?.to_owned();
    let members: Vec<String> = parts.map(str::to_owned).collect();
    // What the language makes of `__proto__` is its own affair.
    members.iter().all(|member| is_name(member) && member != "__proto__").then_some(Path { name, members })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_and_members_are_read_without_a_program() {
        let read = |text: &str| path(text).map(|path| (path.name, path.members.len()));
        assert_eq!(read(" $data "), Some(("$data".into(), 0)));
        assert_eq!(read("$data.a.b_c"), Some(("$data".into(), 2)));
        for text in
            ["", "data.a", "$data.", "$data?.a", "$data.a()", "$data[0]", "$data .a", "$data.1", "$data.__proto__"]
        {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
