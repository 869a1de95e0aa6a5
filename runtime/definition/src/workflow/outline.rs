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
    /// Bytes of the value of each of its fields, of those within them as well: by their pointers from the task, such as
    /// `with/input`, at most four names deep. The lists of tasks within it have none.
    pub fields: BTreeMap<String, Span>,
    /// What it says, without the lists of tasks within it.
    pub says: Value,
}

/// How many names the pointer of a field has at most.
const FIELD_LEVELS: usize = 4;

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

    fn field(&self, task: &str, name: String, value: &Value, level: usize, found: &mut BTreeMap<String, Span>) {
        let Some(stands) = self.yaml.places.get(&format!("{task}/{name}")).filter(|_| !LISTS.contains(&name.as_str()))
        else {
            return;
        };
        if level < FIELD_LEVELS {
            match value {
                Value::Object(members) => {
                    for (member, value) in members {
                        self.field(task, format!("{name}/{}", escaped(member)), value, level + 1, found);
                    }
                }
                Value::Array(items) => {
                    for (at, value) in items.iter().enumerate() {
                        self.field(task, format!("{name}/{at}"), value, level + 1, found);
                    }
                }
                _ => {}
            }
        }
        let span = written_at(self.text, stands.key, stands.value);
        found.insert(name, Span::new(span.start, span.start + self.text[span.start..span.end].trim_end().len()));
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
        let mut fields = BTreeMap::new();
        for (name, value) in members {
            self.field(&pointer, escaped(name), value, 1, &mut fields);
        }
        self.found.tasks.push(OutlineTask {
            pointer: pointer.clone(),
            name: name.to_owned(),
            kind: kind.to_owned(),
            number: number.to_owned(),
            whole: whole_of(self.text, whole.value),
            key: own.key.unwrap_or(own.value),
            fields,
            says: without_lists(task),
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

/// Where a list of tasks stands in a task.
const LISTS: [&str; 4] = ["do", "try", "fork/branches", "catch/do"];

/// A task without the lists of tasks within it.
fn without_lists(task: &Value) -> Value {
    let mut said = Map::new();
    for (name, value) in task.as_object().into_iter().flatten() {
        if LISTS.contains(&name.as_str()) {
            continue;
        }
        let mut value = value.clone();
        if let Some(members) = value.as_object_mut() {
            members.retain(|member, _| !LISTS.contains(&format!("{name}/{member}").as_str()));
        }
        said.insert(name.clone(), value);
    }
    Value::Object(said)
}

/// Where a value stands with the mark that a text of several lines begins with, which stands before it.
pub(super) fn written_at(text: &str, key: Option<Span>, value: Span) -> Span {
    let Some(colon) = key.and_then(|key| text[key.end..].find(':').map(|found| key.end + found + 1)) else {
        return value;
    };
    let begins = value.start.max(colon);
    let head = text[colon..begins].trim_start_matches(' ');
    let start = if head.starts_with(['|', '>']) { begins - head.len() } else { begins };
    Span::new(start, value.end.max(start))
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
        assert_eq!(text(outline.tasks[0].fields["set/a"]), "1");
        assert_eq!(outline.tasks[1].fields.keys().collect::<Vec<_>>(), ["catch"]);
        assert_eq!(outline.tasks[1].says, serde_json::json!({ "catch": {} }));
    }

    #[test]
    fn a_text_of_several_lines_stands_with_its_mark() {
        let text =
            "do:\n- a:\n    set:\n      b: |-\n        one\n        two\n      c: # none\n      d:\n        - e: 'f'\n";
        let outline = outline(text).expect("YAML");
        let field = |name: &str| outline.tasks[0].fields.get(name).map(|span| &text[span.start..span.end]);
        assert_eq!(field("set/b"), Some("|-\n        one\n        two"));
        assert_eq!(field("set/c").map(str::trim), Some(""));
        assert_eq!(field("set/d"), Some("- e: 'f'"));
        assert_eq!(field("set/d/0/e"), Some("'f'"));
        assert_eq!(field("set/d/0/e/f"), None);
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
