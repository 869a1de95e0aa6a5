//! Output shapes: the schema each publishes, and its rules that no schema can say. "Document fields".

use super::program::Shape;
use playbook_model::ending::Issue;
use playbook_schema::{Manner, Schema};
use serde_json::{Value, json};
use std::collections::HashSet;

/// The schema of a shape: closed objects whose every member is required.
#[must_use]
pub fn shape_schema(shape: Shape) -> Value {
    let closed = |description: &str, properties: Value| {
        let required: Vec<&String> = properties.as_object().into_iter().flat_map(|members| members.keys()).collect();
        json!({
            "type": "object",
            "description": description,
            "required": required,
            "additionalProperties": false,
            "properties": properties,
        })
    };
    let name = |description: &str| json!({ "type": "string", "minLength": 1, "description": description });
    match shape {
        Shape::Series => {
            let point = closed(
                "One value of one period",
                json!({
                    "period": name("The period, such as 2026-10 or 2026-10-03; later ones sort after earlier ones"),
                    "value": { "type": ["number", "null"], "description": "The value; null where there is none" },
                }),
            );
            let line = closed(
                "One line of values",
                json!({
                    "name": name("What the line shows"),
                    "points": { "type": "array", "items": point, "description": "The values by period, the earliest first" },
                }),
            );
            let lines = json!({ "type": "array", "minItems": 1, "items": line, "description": "The lines, the main one first" });
            closed("Lines of values over time", json!({ "lines": lines }))
        }
        Shape::Categories => {
            let entry = closed(
                "One category",
                json!({ "name": name("The category"), "value": { "type": "number", "description": "Its value" } }),
            );
            let entries =
                json!({ "type": "array", "items": entry, "description": "The categories in the order shown" });
            closed("Categories with a number each", json!({ "categories": entries }))
        }
        Shape::Table => {
            let cell = json!({ "type": ["string", "number", "boolean", "null"] });
            let row =
                json!({ "type": "array", "items": cell, "description": "One cell for each column, in their order" });
            closed(
                "A table",
                json!({
                    "columns": {
                        "type": "array", "minItems": 1, "items": name("A column's heading"), "description": "The headings"
                    },
                    "rows": { "type": "array", "items": row, "description": "The rows" },
                }),
            )
        }
        Shape::Text => closed("A text", json!({ "text": name("The text, as Markdown") })),
    }
}

/// What keeps a value from being of a shape, by its schema first and by its further rules once that holds.
#[must_use]
pub fn shape_issues(shape: Shape, value: &Value) -> Vec<Issue> {
    let schema = Schema::compile(&shape_schema(shape)).expect("the schemas of shapes keep to the rules of schemas");
    let issues = schema.issues(value, Manner::Answer);
    if !issues.is_empty() {
        return issues;
    }
    let mut issues = Vec::new();
    let mut refuse = |pointer: String, detail: &str| issues.push(Issue { detail: detail.into(), pointer });
    let list = |value: &Value, name: &str| value.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    match shape {
        Shape::Series => {
            let mut names = HashSet::new();
            for (at, line) in list(value, "lines").iter().enumerate() {
                if !names.insert(text(line, "name")) {
                    refuse(format!("/lines/{at}/name"), "Expected a name that no other line has");
                }
                let points = list(line, "points");
                for (after, pair) in points.windows(2).enumerate() {
                    if text(&pair[0], "period") >= text(&pair[1], "period") {
                        let pointer = format!("/lines/{at}/points/{}/period", after + 1);
                        refuse(pointer, "Expected a period after the one before it");
                    }
                }
            }
        }
        Shape::Categories => {
            let mut names = HashSet::new();
            for (at, entry) in list(value, "categories").iter().enumerate() {
                if !names.insert(text(entry, "name")) {
                    refuse(format!("/categories/{at}/name"), "Expected a name that no other category has");
                }
            }
        }
        Shape::Table => {
            let columns = list(value, "columns").len();
            for (at, row) in list(value, "rows").iter().enumerate() {
                if row.as_array().map(Vec::len) != Some(columns) {
                    refuse(format!("/rows/{at}"), "Expected as many cells as there are columns");
                }
            }
        }
        Shape::Text => {
            if text(value, "text").trim().is_empty() {
                refuse("/text".into(), "Expected a text that is not blank");
            }
        }
    }
    issues
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pointers(shape: Shape, value: Value) -> Vec<String> {
        shape_issues(shape, &value).into_iter().map(|issue| issue.pointer).collect()
    }

    #[test]
    fn values_of_a_shape_fit() {
        let line = json!({ "name": "Revenue", "points": [{ "period": "2026-09", "value": 1 }, { "period": "2026-10", "value": null }] });
        assert!(pointers(Shape::Series, json!({ "lines": [line] })).is_empty());
        assert!(pointers(Shape::Categories, json!({ "categories": [{ "name": "a", "value": 1.5 }] })).is_empty());
        assert!(pointers(Shape::Table, json!({ "columns": ["a", "b"], "rows": [[1, "x"], [null, true]] })).is_empty());
        assert!(pointers(Shape::Text, json!({ "text": "# All well" })).is_empty());
    }

    #[test]
    fn what_no_schema_says_is_told_too() {
        let points = json!([{ "period": "2026-10", "value": 1 }, { "period": "2026-10", "value": 2 }]);
        let lines = json!([{ "name": "a", "points": points }, { "name": "a", "points": [] }]);
        assert_eq!(pointers(Shape::Series, json!({ "lines": lines })), ["/lines/0/points/1/period", "/lines/1/name"]);
        assert_eq!(pointers(Shape::Table, json!({ "columns": ["a"], "rows": [[1], [1, 2]] })), ["/rows/1"]);
        assert_eq!(pointers(Shape::Text, json!({ "text": " " })), ["/text"]);
        assert_eq!(pointers(Shape::Text, json!("text")), [""]);
    }
}
