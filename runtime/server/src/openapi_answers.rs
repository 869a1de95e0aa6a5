//! The shapes of the answers, for the OpenAPI description.
//!
//! Spec "Playbook operations", "Definitions", "Runs", "The feed", "Problem documents".

use serde_json::{Value, json};

/// The schema of an operation's answer.
pub(crate) fn of(operation: &str) -> Value {
    let one = |name: &str| json!({"$ref": format!("#/components/schemas/{name}")});
    match operation {
        "list_playbooks" => list("playbooks", &one("Playbook")),
        "list_definitions" => list("definitions", &one("Definition")),
        "list_runs" => page("runs", &one("Run")),
        "list_interactions" => page("interactions", &one("Interaction")),
        "answer_interaction" => one("Run"),
        "list_playbook_events" => page("events", &one("Event")),
        "get_event" => one("Event"),
        "publish_event" => one("Published"),
        name if name.ends_with("_playbook") => one("Playbook"),
        name if name.ends_with("_run") || name == "run_definition" => one("Run"),
        name if name.ends_with("_definition") => one("Definition"),
        _ => json!({"type": "object"}),
    }
}

fn list(name: &str, of: &Value) -> Value {
    json!({"type": "object", "properties": {name: {"type": "array", "items": of}}, "required": [name]})
}

fn page(name: &str, of: &Value) -> Value {
    json!({
        "type": "object",
        "properties": {
            name: {"type": "array", "items": of},
            "has_more": {"type": "boolean"},
            "next_cursor": {"type": ["string", "null"]},
        },
        "required": [name, "has_more", "next_cursor"],
    })
}

/// The named schemas.
pub(crate) fn schemas() -> Value {
    let text = || json!({"type": "string"});
    let time = || json!({"type": "string", "format": "date-time"});
    let maybe_time = || json!({"type": ["string", "null"], "format": "date-time"});
    let status = || json!({"enum": ["active", "retired"]});
    json!({
        "Playbook": {
            "type": "object",
            "properties": {
                "id": text(), "name": text(), "description": text(), "status": status(),
                "created_at": time(), "created_by": text(), "updated_at": time(), "retired_at": maybe_time(),
            },
            "required": ["id", "name", "status", "created_at", "created_by", "updated_at"],
        },
        "Definition": {
            "type": "object",
            "properties": {
                "type": text(), "name": text(), "version": {"type": "integer", "minimum": 1}, "status": status(),
                "media_type": text(), "description": text(), "input_schema": {"type": "object"},
                "output_schema": {"type": "object"}, "warnings": {"type": "array", "items": text(), "maxItems": 100},
                "source": text(), "overview": text(), "diagram": text(), "used_by": {"type": "array"},
                "standing": {"$ref": "#/components/schemas/Standing"},
                "triggers": {"type": "array", "maxItems": 3, "items": {"type": "object", "properties": {
                    "kind": {"enum": ["event", "cron", "every"]}, "reference": text(), "filters": {"type": "array"},
                    "expression": text(), "milliseconds": {"type": "integer"},
                }, "required": ["kind", "reference"]}},
                "triggers_since": text(),
                "created_at": time(), "created_by": text(), "updated_at": time(), "retired_at": maybe_time(),
            },
            "required": ["type", "name", "version", "status", "media_type", "created_at", "created_by", "updated_at"],
        },
        "Standing": {
            "type": "object",
            "properties": {
                "state": {"enum": ["live", "rebuilding", "waiting", "stalled"]},
                "version": {"type": "integer"}, "checkpoint": {"type": ["string", "null"]},
                "checkpoint_at": maybe_time(), "last_event": {"type": ["object", "null"]},
                "folded": {"type": "integer"}, "lag_ms": {"type": ["integer", "null"]}, "newest_record_at": maybe_time(),
                "stalled": {"type": "object"},
            },
            "required": ["state"],
        },
        "Run": {
            "type": "object",
            "properties": {
                "run_id": {"type": "string", "format": "uuid"}, "type": text(), "name": text(),
                "definition_version": {"type": "integer"},
                "status": {"enum": ["started", "succeeded", "rejected", "failed"]},
                "output": {}, "rejection": {"type": "object"}, "record": {"type": "object"},
                "started_at": time(), "started_by": text(), "finished_at": maybe_time(),
            },
            "required": ["run_id", "type", "name", "definition_version", "status", "started_at", "started_by"],
        },
        "Interaction": {
            "type": "object",
            "properties": {
                "run_id": {"type": "string", "format": "uuid"}, "function": text(), "version": {"type": "integer"},
                "to": text(), "delivery": {"type": ["object", "null"]}, "message": text(),
                "takes_answer": {"type": "boolean"}, "answer_schema": {"type": ["object", "boolean", "null"]},
                "requested_at": time(), "expires_at": time(), "attempts": {"type": "integer"},
                "conversation": {"type": ["string", "null"]}, "answerer": {"type": ["string", "null"]},
                "reply_refusals": {"type": "integer"}, "standing": {"enum": ["in_inbox", "cancelling"]},
            },
            "required": [
                "run_id", "function", "version", "to", "message", "takes_answer", "answer_schema", "requested_at",
                "expires_at", "standing",
            ],
        },
        "Published": {
            "type": "object",
            "properties": {"id": text(), "time": text(), "recorded_at": time()},
            "required": ["id", "time", "recorded_at"],
        },
        "Event": {
            "type": "object",
            "properties": {
                "id": text(), "type": text(), "summary": text(), "data": {"type": "object"},
                "metadata": {"type": "object"},
            },
            "required": ["id", "type", "summary", "data", "metadata"],
        },
        "Problem": {
            "type": "object",
            "properties": {
                "type": {"type": "string", "format": "uri"}, "title": text(), "status": {"type": "integer"},
                "detail": text(), "reason": text(),
                "errors": {
                    "type": "array", "maxItems": 100,
                    "items": {
                        "type": "object", "properties": {"detail": text(), "pointer": text()},
                        "required": ["detail", "pointer"],
                    },
                },
                "kind": text(), "because": text(), "instance": {"type": "string", "format": "uri"},
            },
            "required": ["type", "title", "status", "detail", "reason"],
        },
    })
}
