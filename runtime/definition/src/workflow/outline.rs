//! Where each task stands in the text, whether the document passes or not: for a selection in step with the drawing,
//! and for edits of the smallest stretch.

use super::read::TEXT;
use crate::yaml::{self, Yaml};
use playbook_model::limits::TASK_LISTS;
use playbook_model::position::{LineIndex, Span};
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The tasks of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Outline {
    /// In the order of the document, each before those within it.
    pub tasks: Vec<OutlineTask>,
}

/// A task in the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OutlineTask {
    /// Its JSON Pointer.
    pub pointer: String,
    /// Its name.
    pub name: String,
    /// The field that makes it what it is, such as `call`; empty where none or several do.
    pub kind: String,
    /// Its number, such as `2.1`: the place in each list from 1.
    pub number: String,
    /// Bytes of the whole item: of a list in block style from the start of its first line to the end of its last.
    pub whole: Span,
    /// Bytes of its name.
    pub key: Span,
    /// Bytes of the value of each of its fields.
    pub fields: BTreeMap<String, Span>,
}

/// The fields that make a task what it is. "Tasks".
const KINDS: [&str; 11] = ["call", "do", "emit", "for", "fork", "listen", "raise", "set", "switch", "try", "wait"];

/// The tasks of a text; `None` for one that is no YAML.
#[must_use]
pub fn outline(text: &str) -> Option<Outline> {
    let index = LineIndex::new(text);
    let (yaml, _) = yaml::load_as(TEXT, text, Span::new(0, text.len()), &index);
    if !yaml.whole {
        return None;
    }
    let mut walk = Walk { text, yaml: &yaml, found: Outline::default() };
    walk.list("/do", "", 0, 1);
    Some(walk.found)
}

struct Walk<'a> {
    text: &'a str,
    yaml: &'a Yaml,
    found: Outline,
}

impl Walk<'_> {
    /// The tasks of a list, numbered after `before` others of their task; gives how many there are then.
    fn list(&mut self, pointer: &str, number: &str, before: usize, lists: usize) -> usize {
        let Some(Value::Array(items)) = self.yaml.value.pointer(pointer).filter(|_| lists <= TASK_LISTS) else {
            return before;
        };
        let mut own = before;
        for (at, item) in items.iter().enumerate() {
            own += 1;
            let Some((name, task)) = item.as_object().and_then(|members| members.iter().next()) else { continue };
            let number = if number.is_empty() { own.to_string() } else { format!("{number}.{own}") };
            let item = format!("{pointer}/{at}");
            self.task(&item, name, task, &number, lists);
        }
        own
    }

    fn task(&mut self, item: &str, name: &str, task: &Value, number: &str, lists: usize) {
        let pointer = format!("{item}/{}", escaped(name));
        let places = &self.yaml.places;
        let (Some(whole), Some(own)) = (places.get(item), places.get(&pointer)) else { return };
        let empty = Map::new();
        let members = task.as_object().unwrap_or(&empty);
        let mut kinds = KINDS.iter().filter(|kind| members.contains_key(**kind));
        let kind = match (kinds.next(), kinds.next()) {
            (Some(kind), None) => *kind,
            // A loop has its steps beside it.
            (Some(&"do"), Some(&"for")) => "for",
            _ => "",
        };
        let field = |name: &String| Some((name.clone(), places.get(&format!("{pointer}/{}", escaped(name)))?.value));
        self.found.tasks.push(OutlineTask {
            pointer: pointer.clone(),
            name: name.to_owned(),
            kind: kind.to_owned(),
            number: number.to_owned(),
            whole: whole_of(self.text, whole.value),
            key: own.key.unwrap_or(own.value),
            fields: members.keys().filter_map(field).collect(),
        });
        match kind {
            "do" | "for" => {
                self.list(&format!("{pointer}/do"), number, 0, lists + 1);
            }
            "fork" => {
                self.list(&format!("{pointer}/fork/branches"), number, 0, lists + 1);
            }
            "try" => {
                let before = self.list(&format!("{pointer}/try"), number, 0, lists + 1);
                self.list(&format!("{pointer}/catch/do"), number, before, lists + 1);
            }
            _ => {}
        }
    }
}

/// An item of a list with its dash and its lines; one in flow style as it stands.
pub(super) fn whole_of(text: &str, item: Span) -> Span {
    let bytes = text.as_bytes();
    let mut start = item.start;
    while start > 0 && matches!(bytes[start - 1], b' ' | b'\t' | b'\n' | b'\r') {
        start -= 1;
    }
    if start == 0 || bytes[start - 1] != b'-' {
        return item;
    }
    start -= 1;
    let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
    if text[line..start].bytes().all(|byte| byte == b' ') {
        start = line;
    }
    // A block ends after its last value; what is left of that line, such as a comment, goes with it.
    let last = text[..item.end].trim_end().len().max(item.start);
    let end = text[last..].find('\n').map_or(text.len(), |at| last + at + 1);
    Span::new(start, end)
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "do:
  - first: # a remark
      set: { a: 1 }

  # of the second
  - second:
      try:
        - inner:
            call: run_definition   # last
            with: {}
      catch:
        do:
          - caught:
              set: 'x'
  - third: { wait: PT1S }
";

    #[test]
    fn each_task_has_its_place_and_number() {
        let outline = outline(TEXT).expect("YAML");
        let shown: Vec<_> = outline.tasks.iter().map(|task| (task.number.as_str(), task.kind.as_str())).collect();
        assert_eq!(shown, [("1", "set"), ("2", "try"), ("2.1", "call"), ("2.2", "set"), ("3", "wait")]);
        let text = |span: Span| &TEXT[span.start..span.end];
        let whole: Vec<_> = outline.tasks.iter().map(|task| text(task.whole)).collect();
        assert_eq!(whole[0], "  - first: # a remark\n      set: { a: 1 }\n");
        assert!(whole[1].starts_with("  - second:\n") && whole[1].ends_with("set: 'x'\n"), "{}", whole[1]);
        assert_eq!(whole[2], "        - inner:\n            call: run_definition   # last\n            with: {}\n");
        assert_eq!(whole[4], "  - third: { wait: PT1S }\n");
        assert_eq!(outline.tasks[3].pointer, "/do/1/second/catch/do/0/caught");
        assert_eq!(text(outline.tasks[2].key), "inner");
        assert_eq!(text(outline.tasks[2].fields["call"]), "run_definition");
    }

    #[test]
    fn what_is_no_workflow_has_no_tasks() {
        assert_eq!(outline("do: [1, {}, {a: 1, b: 2}, []]").map(|found| found.tasks.len()), Some(2 - 1));
        assert_eq!(outline("").map(|found| found.tasks.len()), Some(0));
        assert_eq!(outline("a: ["), None);
        let flow = outline("do: [{ a: { set: 1 } }, { b: { set: 2 } }]").expect("YAML");
        assert_eq!(flow.tasks[1].whole, Span::new(24, 41));
    }
}
