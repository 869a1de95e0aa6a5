//! Events as a fold, a trigger or a listener sees them: CloudEvents 1.0.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One CloudEvent, its attributes in the order they are written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CloudEvent {
    /// Always `1.0`.
    pub specversion: String,
    /// Unique together with the source.
    pub id: String,
    /// What happened.
    #[serde(rename = "type")]
    pub kind: String,
    /// Where it happened, a URI reference.
    pub source: String,
    /// What it is about.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub subject: Option<String>,
    /// When it happened, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub time: Option<String>,
    /// The media type of the data.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub datacontenttype: Option<String>,
    /// The schema of the data, an absolute URI.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub dataschema: Option<String>,
    /// Extension attributes: text, booleans and 32-bit integers.
    #[serde(flatten)]
    pub extensions: Map<String, Value>,
    /// The data; `None` when the event has no such member, which is not the same as `null`.
    #[serde(skip_serializing_if = "Option::is_none", default, with = "data")]
    pub data: Option<Value>,
}

/// `null` is data; only an absent member is none.
mod data {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use serde_json::Value;

    pub(super) fn serialize<S: Serializer>(data: &Option<Value>, to: S) -> Result<S::Ok, S::Error> {
        data.serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
        Value::deserialize(from).map(Some)
    }
}

/// The attributes only the playbook writes: lineage, and how its own events came about.
pub const OWN_ATTRIBUTES: [&str; 9] = [
    "causationid",
    "correlationid",
    "caller",
    "definitionversion",
    "depth",
    "calldepth",
    "calledby",
    "triggerkind",
    "triggerreference",
];

/// The attributes among [`OWN_ATTRIBUTES`] that hold whole numbers from 1.
pub const NUMBER_ATTRIBUTES: [&str; 3] = ["depth", "calldepth", "definitionversion"];

/// The sources only the playbook writes begin with one of these.
pub const OWN_SOURCES: [&str; 3] = ["/runs/", "/definitions/", "/callers/"];

impl CloudEvent {
    /// An attribute's value by its CloudEvents name; `None` when the event does not have it.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<Value> {
        let text = |value: &Option<String>| value.clone().map(Value::String);
        match name {
            "specversion" => Some(Value::String(self.specversion.clone())),
            "id" => Some(Value::String(self.id.clone())),
            "type" => Some(Value::String(self.kind.clone())),
            "source" => Some(Value::String(self.source.clone())),
            "subject" => text(&self.subject),
            "time" => text(&self.time),
            "datacontenttype" => text(&self.datacontenttype),
            "dataschema" => text(&self.dataschema),
            other => self.extensions.get(other).cloned(),
        }
    }
}
