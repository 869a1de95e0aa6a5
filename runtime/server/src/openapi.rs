//! The OpenAPI description of the operations, made from their table.
//!
//! The table is the truth; what stands here besides is the shape of the answers.

use crate::openapi_answers as answers;
use playbook_host::api::{Field, OPERATIONS, Operation, Place, Shape};
use playbook_model::definition::DefinitionType;
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

static DOCUMENT: LazyLock<Value> = LazyLock::new(make);

/// The document, OpenAPI 3.1.
#[must_use]
pub fn document() -> &'static Value {
    &DOCUMENT
}

fn make() -> Value {
    let mut paths = Map::new();
    paths.insert("/health".into(), json!({"get": {
        "operationId": "health",
        "summary": "Says that the server is alive.",
        "security": [],
        "responses": {"200": {
            "description": "Alive.",
            "content": {"application/json": {"schema": {"type": "object", "properties": {"status": {"const": "ok"}}, "required": ["status"]}}},
        }},
    }}));
    for operation in OPERATIONS {
        let path = paths.entry(operation.path).or_insert_with(|| json!({}));
        path[operation.method.word().to_ascii_lowercase()] = described(operation);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Playbook",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "Definitions, runs and events of playbooks.",
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        },
        "security": [{"key": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"key": {
                "type": "http",
                "scheme": "bearer",
                "description": "A key such as abk_ID_SECRET. A server in local mode needs none.",
            }},
            "responses": {"Problem": {
                "description": "Refused, as a problem document.",
                "headers": {"x-request-id": {"$ref": "#/components/headers/RequestId"}},
                "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
            }},
            "headers": {"RequestId": {"description": "The request's id, as in the server's log.", "schema": {"type": "string"}}},
            "schemas": answers::schemas(),
        },
    })
}

fn described(operation: &Operation) -> Value {
    let mut described = json!({
        "operationId": operation.name,
        "summary": operation.summary,
        "description": format!("Needs the permission {}.", operation.permission.word()),
        "responses": responses(operation),
    });
    let parameters: Vec<Value> = operation.fields.iter().filter_map(parameter).collect();
    if !parameters.is_empty() {
        described["parameters"] = parameters.into();
    }
    if !operation.is_query() {
        described["requestBody"] = body(operation);
    }
    described
}

fn parameter(field: &Field) -> Option<Value> {
    let place = match field.place {
        Place::Path => "path",
        Place::Query => "query",
        Place::Body => return None,
    };
    Some(json!({
        "name": field.name,
        "in": place,
        "required": field.needed,
        "description": field.words,
        "schema": schema(field.shape),
    }))
}

fn body(operation: &Operation) -> Value {
    let fields: Vec<&Field> = operation.fields.iter().filter(|field| field.place == Place::Body).collect();
    let mut properties = Map::new();
    for field in &fields {
        let mut schema = schema(field.shape);
        schema["description"] = field.words.into();
        properties.insert(field.name.into(), schema);
    }
    let needed: Vec<&str> = fields.iter().filter(|field| field.needed).map(|field| field.name).collect();
    let mut object = json!({"type": "object", "properties": properties, "additionalProperties": false});
    if !needed.is_empty() {
        object["required"] = needed.clone().into();
    }
    json!({"required": !needed.is_empty(), "content": {"application/json": {"schema": object}}})
}

fn responses(operation: &Operation) -> Value {
    let mut responses = Map::new();
    responses.insert(
        operation.success.to_string(),
        json!({
            "description": "Done.",
            "headers": {"x-request-id": {"$ref": "#/components/headers/RequestId"}},
            "content": {"application/json": {"schema": answers::of(operation.name)}},
        }),
    );
    responses.insert("default".into(), json!({"$ref": "#/components/responses/Problem"}));
    Value::Object(responses)
}

fn schema(shape: Shape) -> Value {
    match shape {
        Shape::Text { least: 0, most } => json!({"type": "string", "maxLength": most}),
        Shape::Text { least, most } => json!({"type": "string", "minLength": least, "maxLength": most}),
        Shape::Slug => json!({"type": "string", "pattern": "^[a-z][a-z0-9-]{2,47}$"}),
        Shape::Org => json!({"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"}),
        Shape::Type => {
            json!({"type": "string", "enum": DefinitionType::RUN.map(DefinitionType::word)})
        }
        Shape::Uuid => json!({"type": "string", "format": "uuid"}),
        Shape::Status => json!({"type": "string", "enum": ["started", "succeeded", "rejected", "failed"]}),
        Shape::Order => json!({"type": "string", "enum": ["asc", "desc"]}),
        Shape::Time => json!({"type": "string", "format": "date-time"}),
        Shape::Whole { least, most } => json!({"type": "integer", "minimum": least, "maximum": most}),
        Shape::Flag => json!({"type": "boolean"}),
        Shape::Any => json!({}),
        Shape::Object => json!({"type": "object"}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn references(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(members) => {
                if let Some(Value::String(to)) = members.get("$ref") {
                    found.push(to.clone());
                }
                members.values().for_each(|member| references(member, found));
            }
            Value::Array(items) => items.iter().for_each(|item| references(item, found)),
            _ => {}
        }
    }

    #[test]
    fn every_operation_and_field_is_there() {
        let document = document();
        for operation in OPERATIONS {
            let described = &document["paths"][operation.path][operation.method.word().to_ascii_lowercase()];
            assert_eq!(described["operationId"], operation.name);
            assert!(described["responses"][operation.success.to_string()].is_object());
            for field in operation.fields {
                let there = match field.place {
                    Place::Body => {
                        let schema = &described["requestBody"]["content"]["application/json"]["schema"];
                        schema["required"].as_array().is_some_and(|r| r.contains(&field.name.into())) == field.needed
                            && schema["properties"][field.name].is_object()
                    }
                    place => described["parameters"].as_array().is_some_and(|all| {
                        all.iter().any(|parameter| {
                            parameter["name"] == field.name
                                && parameter["in"] == if place == Place::Path { "path" } else { "query" }
                                && parameter["required"] == field.needed
                        })
                    }),
                };
                assert!(there, "{} {}", operation.name, field.name);
            }
        }
    }

    #[test]
    fn the_document_keeps_the_rules_of_openapi() {
        let document = document();
        assert_eq!(document["openapi"], "3.1.0");
        let mut ids = HashSet::new();
        for (path, methods) in document["paths"].as_object().expect("paths") {
            for described in methods.as_object().expect("methods").values() {
                assert!(ids.insert(described["operationId"].as_str().expect("an id").to_owned()), "{path}");
                let in_path: HashSet<&str> =
                    path.split('/').filter_map(|s| s.strip_prefix('{')?.strip_suffix('}')).collect();
                let given = described["parameters"].as_array().cloned().unwrap_or_default();
                let named: HashSet<&str> =
                    given.iter().filter(|p| p["in"] == "path").filter_map(|p| p["name"].as_str()).collect();
                assert_eq!(in_path, named, "{path}");
                assert!(!described["responses"].as_object().expect("responses").is_empty());
            }
        }
        let mut found = Vec::new();
        references(document, &mut found);
        assert!(!found.is_empty());
        for to in found {
            assert!(document.pointer(to.trim_start_matches('#')).is_some(), "{to}");
        }
    }
}
