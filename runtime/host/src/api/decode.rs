//! Reads the fields of an operation's input: every issue at once, each at its pointer.

use super::table::{Operation, Place, Shape};
use playbook_model::definition::DefinitionType;
use playbook_model::ending::Issue;
use playbook_model::id::{DefinitionName, OrgId, RunId};
use playbook_model::json;
use playbook_model::limits;
use playbook_model::time::Moment;
use serde_json::{Map, Value};

/// A query string's text as the value its field holds: numbers and flags are read, anything else stays text.
#[must_use]
pub fn from_query(operation: &Operation, name: &str, text: &str) -> Value {
    let shape = operation.fields.iter().find(|f| f.name == name).map(|f| f.shape);
    match shape {
        Some(Shape::Whole { .. }) => text.parse::<i64>().map_or_else(|_| text.into(), Value::from),
        Some(Shape::Flag) => match text {
            "true" => true.into(),
            "false" => false.into(),
            _ => text.into(),
        },
        _ => text.into(),
    }
}

/// Checks an input against an operation's fields and gives it back with its ids in their kept form.
///
/// # Errors
/// Up to 100 issues, each at the pointer of its field.
pub fn decode(operation: &Operation, given: Map<String, Value>) -> Result<Map<String, Value>, Vec<Issue>> {
    let mut issues = Vec::new();
    let mut taken = Map::new();
    for (name, value) in given {
        let Some(field) = operation.fields.iter().find(|f| f.name == name) else {
            issues.push(issue(&name, format!("There is no field {} here; {}", quoted(&name), allowed(operation))));
            continue;
        };
        match read(field.shape, value) {
            Ok(value) => {
                taken.insert(name, value);
            }
            Err(expected) => issues.push(issue(&name, format!("Expected {expected}"))),
        }
    }
    for field in operation.fields {
        let seen = taken.contains_key(field.name) || issues.iter().any(|i| i.pointer == json::join("", field.name));
        if field.needed && !seen {
            issues.push(issue(field.name, format!("{} is needed", field.name)));
        }
    }
    issues.truncate(limits::ERRORS_SHOWN);
    if issues.is_empty() { Ok(taken) } else { Err(issues) }
}

fn issue(name: &str, detail: String) -> Issue {
    Issue { detail, pointer: json::join("", name) }
}

/// A field's name is the caller's own text: shown cut, so that a huge one cannot flood the answer.
fn quoted(name: &str) -> String {
    json::cut(name, 64)
}

fn allowed(operation: &Operation) -> String {
    let names: Vec<&str> = operation.fields.iter().filter(|f| f.place != Place::Path).map(|f| f.name).collect();
    match names.as_slice() {
        [] => "it takes none".into(),
        [one] => format!("it takes {one}"),
        [most @ .., last] => format!("it takes {} and {last}", most.join(", ")),
    }
}

fn read(shape: Shape, value: Value) -> Result<Value, String> {
    let text = value.as_str();
    match shape {
        Shape::Any => Ok(value),
        Shape::Object if value.is_object() => Ok(value),
        Shape::Object => Err("an object".into()),
        Shape::Flag if value.is_boolean() => Ok(value),
        Shape::Flag => Err("true or false".into()),
        Shape::Whole { least, most } => match value.as_i64() {
            Some(number) if (least..=most).contains(&number) => Ok(value),
            _ => Err(format!("a whole number from {least} to {most}")),
        },
        Shape::Text { least, most } => match text {
            Some(text) if (least..=most).contains(&text.chars().count()) => Ok(value),
            _ if least == 0 => Err(format!("a text of at most {most} characters")),
            _ => Err(format!("a text of {least} to {most} characters")),
        },
        Shape::Slug => match text.map(DefinitionName::new) {
            Some(Ok(_)) => Ok(value),
            _ => Err("3 to 48 lowercase letters, digits and hyphens, starting with a letter".into()),
        },
        Shape::Org => match text.map(OrgId::new) {
            Some(Ok(_)) => Ok(value),
            _ => Err("1 to 64 letters, digits, underscores and hyphens".into()),
        },
        Shape::Type => match text.and_then(DefinitionType::parse) {
            Some(kind) if kind.is_run() => Ok(value),
            _ => Err(format!("a type this runtime runs: {}", DefinitionType::run_words("or"))),
        },
        Shape::Uuid => match text.map(RunId::parse) {
            Some(Ok(id)) => Ok(id.to_string().into()),
            _ => Err("a UUID such as 0f8fad5b-d9cb-469f-a165-70867728950e".into()),
        },
        Shape::Status => match text {
            Some("started" | "succeeded" | "rejected" | "failed") => Ok(value),
            _ => Err("started, succeeded, rejected or failed".into()),
        },
        Shape::Order => match text {
            Some("asc" | "desc") => Ok(value),
            _ => Err("asc or desc".into()),
        },
        Shape::Time => match text.and_then(Moment::parse) {
            Some(_) => Ok(value),
            None => Err("a time in ISO 8601 with an offset, such as 2026-10-03T16:40:05Z".into()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::operation;
    use serde_json::json;

    fn decoded(name: &str, given: Value) -> Result<Map<String, Value>, Vec<Issue>> {
        let Value::Object(given) = given else { panic!("an object") };
        decode(operation(name).expect("in the table"), given)
    }

    #[test]
    fn every_issue_is_found_at_once() {
        let issues = decoded("create_definition", json!({"org": "o", "playbook": "X", "type": "tale", "extra": 1}))
            .expect_err("four issues");
        let pointers: Vec<&str> = issues.iter().map(|i| i.pointer.as_str()).collect();
        assert_eq!(pointers, ["/playbook", "/type", "/extra", "/name", "/source"]);
    }

    #[test]
    fn a_run_id_is_kept_in_lowercase() {
        let taken = decoded(
            "get_run",
            json!({"org": "o", "playbook": "abc", "run_id": "0F8FAD5B-D9CB-469F-A165-70867728950E"}),
        )
        .expect("fits");
        assert_eq!(taken["run_id"], "0f8fad5b-d9cb-469f-a165-70867728950e");
    }

    #[test]
    fn a_query_reads_numbers_and_flags() {
        let list = operation("list_runs").expect("in the table");
        assert_eq!(from_query(list, "limit", "5"), json!(5));
        assert_eq!(from_query(list, "limit", "five"), json!("five"));
        assert_eq!(from_query(list, "name", "5"), json!("5"));
    }
}
