//! A case's text with other expectations, everything else as its author wrote it.

use super::workflow::ends_value;
use super::write::{Shown, answer, asks, folds, value};
use super::{Case, block, read};
use crate::yaml::{Text, load_as};
use playbook_model::definition::DefinitionType;
use playbook_model::limits::VALUE_LEVELS;
use playbook_model::position::{LineIndex, Span};
use serde_json::Value;

/// Writes the expectations of a case into the text it was read from: `expect`, and `ask` where it differs.
///
/// Comments and layout outside of them stay. A text in which they do not begin a line is written anew.
#[must_use]
pub fn rewrite(text: &str, case: &Case) -> String {
    let kind = match case {
        Case::Recall(_) => DefinitionType::Recall,
        Case::Computation(_) => DefinitionType::Computation,
        Case::Workflow(_) => DefinitionType::Workflow,
    };
    let before = read(kind, text).case;
    let mut parts: Vec<(&str, Option<Value>)> = Vec::new();
    match (case, &before) {
        (Case::Recall(case), Some(Case::Recall(before))) => {
            if case.ask != before.ask {
                parts.push(("ask", asks(&case.ask)));
            }
            if case.expect != before.expect {
                parts.push(("expect", case.expect.as_ref().map(folds)));
            }
        }
        (Case::Computation(case), Some(Case::Computation(before))) => {
            if case.expect != before.expect {
                parts.push(("expect", Some(Value::Object(answer(&case.expect, Shown::Apart)))));
            }
        }
        (Case::Workflow(case), Some(Case::Workflow(before))) => {
            if case.expect != before.expect {
                parts.push(("expect", Some(Value::Object(ends_value(&case.expect)))));
            }
        }
        _ => return super::write(case),
    }
    let mut written = text.to_owned();
    for (name, value) in parts {
        match replaced(&written, name, value.as_ref()) {
            Some(next) => written = next,
            None => return super::write(case),
        }
    }
    // Whatever the layout was, what is written is what is meant.
    if read(kind, &written).case.as_ref() == Some(case) { written } else { block::document(&value(case)) }
}

/// The text with one of its fields replaced, added at its end, or taken out.
fn replaced(text: &str, name: &str, value: Option<&Value>) -> Option<String> {
    let index = LineIndex::new(text);
    let what = Text { name: "The case", levels: VALUE_LEVELS + 8 };
    let (yaml, problems) = load_as(what, text, Span::new(0, text.len()), &index);
    if !problems.is_empty() {
        return None;
    }
    let member = value.map(|value| block::member(name, value)).unwrap_or_default();
    let Some(stands) = yaml.places.get(&format!("/{name}")) else {
        let break_before = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        return Some(format!("{text}{break_before}{member}"));
    };
    let key = stands.key?;
    if index.place(key.start).column != 1 {
        return None;
    }
    let value = &text[key.start..stands.value.end.max(key.end)];
    let end = key.start + value.trim_end().len();
    // A remark behind the value goes with it; the line break stays.
    let line_end = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
    let rest = text[end..line_end].trim();
    if !(rest.is_empty() || rest.starts_with('#')) {
        return None;
    }
    Some(format!("{}{member}{}", &text[..key.start], &text[line_end..]))
}
