//! The keywords: which are taken, which are refused and why, and which hold schemas.

use crate::draft::Draft;
use serde_json::{Map, Value};

/// The formats the runtime checks. "Answers that are JSON".
pub const FORMATS: [&str; 6] = ["date", "date-time", "time", "email", "uri", "uuid"];

/// The names a `type` may hold.
pub(crate) const TYPES: [&str; 7] = ["string", "number", "integer", "boolean", "null", "object", "array"];

/// Every keyword the runtime takes, and checks the shape of.
pub(crate) const KNOWN: [&str; 39] = [
    "type",
    "properties",
    "required",
    "items",
    "enum",
    "const",
    "description",
    "title",
    "format",
    "additionalProperties",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "uniqueItems",
    "prefixItems",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "propertyNames",
    "$ref",
    "$defs",
    "definitions",
    "$schema",
    "$id",
    "$comment",
    "default",
    "examples",
    "readOnly",
    "writeOnly",
    "deprecated",
];

/// Keywords of other dialects, with what a schema here writes instead.
pub(crate) const FOREIGN: [(&str, &str); 2] = [
    ("nullable", "Write the type as a list with null, such as [string, 'null']"),
    ("example", "Write a list under examples"),
];

/// What a keyword holds, as far as the keyword alone says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// One schema.
    Schema,
    /// A list of schemas, at least one.
    Schemas,
    /// An object of schemas.
    Named,
    /// `items`: a schema, or in draft-07 a list of them.
    Items,
    /// Any number.
    Number,
    /// A number above 0.
    Positive,
    /// A whole number from 0.
    Count,
    /// true or false.
    Boolean,
    /// A string.
    Text,
    /// A list of strings.
    Texts,
    /// A list.
    List,
    /// Judged by a rule of its own.
    Own,
    /// Anything.
    Any,
}

/// The shape of a keyword the runtime takes; `None` for one it does not know.
pub(crate) fn shape(keyword: &str) -> Option<Shape> {
    Some(match keyword {
        "additionalProperties" | "propertyNames" => Shape::Schema,
        "anyOf" | "oneOf" | "allOf" | "prefixItems" => Shape::Schemas,
        "properties" | "$defs" | "definitions" => Shape::Named,
        "items" => Shape::Items,
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => Shape::Number,
        "multipleOf" => Shape::Positive,
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => Shape::Count,
        "uniqueItems" | "readOnly" | "writeOnly" | "deprecated" => Shape::Boolean,
        "$schema" | "$id" | "$comment" | "title" | "description" => Shape::Text,
        "required" => Shape::Texts,
        "examples" => Shape::List,
        "type" | "enum" | "const" | "not" | "$ref" | "format" => Shape::Own,
        "default" => Shape::Any,
        _ => return None,
    })
}

/// A family of keywords that no schema may use.
pub(crate) struct Family {
    /// The word of the problem.
    pub(crate) code: &'static str,
    /// Its keywords.
    pub(crate) keywords: &'static [&'static str],
    /// Why, or what to do instead, as the rest of a sentence that starts with the keyword.
    pub(crate) why: &'static str,
    /// What to write instead.
    pub(crate) hint: &'static str,
}

/// The families. "Answers that are JSON".
pub(crate) const REFUSED: [Family; 7] = [
    Family {
        code: "schema.keyword.pattern",
        keywords: &["pattern", "patternProperties"],
        why: "is not taken, because a hostile regular expression can stall the check",
        hint: "Use enum, format, minLength and maxLength, and check the rest in the program",
    },
    Family {
        code: "schema.keyword.if",
        keywords: &["if", "then", "else"],
        why: "is not taken: a schema may not use if, then or else",
        hint: "Write each case as a member of anyOf",
    },
    Family {
        code: "schema.keyword.contains",
        keywords: &["contains", "minContains", "maxContains"],
        why: "is not taken: a schema may not use contains, minContains or maxContains",
        hint: "Describe every item with items, and check the rest in the program",
    },
    Family {
        code: "schema.keyword.dependent",
        keywords: &["dependentRequired", "dependentSchemas", "dependencies"],
        why: "is not taken: a schema may not use dependentRequired, dependentSchemas or dependencies",
        hint: "Write each combination as a member of anyOf",
    },
    Family {
        code: "schema.keyword.unevaluated",
        keywords: &["unevaluatedItems", "unevaluatedProperties"],
        why: "is not taken: a schema may not use unevaluatedItems or unevaluatedProperties",
        hint: "Write additionalProperties: false, or items: false beside prefixItems",
    },
    Family {
        code: "schema.keyword.additional-items",
        keywords: &["additionalItems"],
        why: "is not taken: a schema may not use additionalItems",
        hint: "Write prefixItems for the first items and items for the rest",
    },
    Family {
        code: "schema.keyword.anchor",
        keywords: &["$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor"],
        why: "is not taken: a $ref points only to #/$defs/<name> or #/definitions/<name>",
        hint: "Put the schema under $defs and refer to it by its name",
    },
];

/// The schemas directly inside one schema, in the order they are written.
pub(crate) fn inside(schema: &Map<String, Value>, draft: Draft) -> Vec<Inner<'_>> {
    let mut found = Vec::new();
    for (keyword, value) in schema {
        let step = playbook_model::json::escape(keyword);
        let applied = match keyword.as_str() {
            "anyOf" | "oneOf" | "allOf" => Applied::InPlace,
            "$defs" | "definitions" => Applied::ByName,
            _ => Applied::Below,
        };
        let mut take = |pointer: String, name, schema| found.push(Inner { keyword, name, pointer, schema, applied });
        match (shape(keyword), value) {
            (Some(Shape::Schemas), _) if keyword == "prefixItems" && draft == Draft::Seven => {}
            (Some(Shape::Schemas | Shape::Items), Value::Array(list)) => {
                list.iter().enumerate().for_each(|(at, inner)| take(format!("/{step}/{at}"), "", inner));
            }
            (Some(Shape::Schema | Shape::Items), inner) => take(format!("/{step}"), "", inner),
            (Some(Shape::Named), Value::Object(named)) => {
                for (name, inner) in named {
                    take(format!("/{step}/{}", playbook_model::json::escape(name)), name, inner);
                }
            }
            _ => {}
        }
    }
    found
}

/// A schema inside another.
pub(crate) struct Inner<'a> {
    /// The keyword that holds it.
    pub(crate) keyword: &'a str,
    /// Its name under `properties` and the like, else empty.
    pub(crate) name: &'a str,
    /// From the schema that holds it.
    pub(crate) pointer: String,
    /// The schema, of whatever shape it was written.
    pub(crate) schema: &'a Value,
    /// How it is reached.
    pub(crate) applied: Applied,
}

/// How a schema inside another is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Applied {
    /// By the same value.
    InPlace,
    /// By a member, an item or a member's name.
    Below,
    /// By a `$ref` alone.
    ByName,
}

/// The definition a `$ref` names: under which keyword, and its name.
///
/// `None` when it points anywhere else. The name may be written with `~0`, `~1` and `%` escapes.
pub(crate) fn referred(reference: &str) -> Option<(&'static str, String)> {
    let (keyword, name) = if let Some(name) = reference.strip_prefix("#/$defs/") {
        ("$defs", name)
    } else {
        ("definitions", reference.strip_prefix("#/definitions/")?)
    };
    if name.is_empty() || name.contains('/') {
        return None;
    }
    Some((keyword, unescape(&percent_decode(name)?)))
}

fn unescape(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

fn percent_decode(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let high = char::from(rest.next()?).to_digit(16)?;
            let low = char::from(rest.next()?).to_digit(16)?;
            bytes.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

/// The schema a `$ref` names in a root, with its pointer.
pub(crate) fn resolve<'a>(root: &'a Value, reference: &str) -> Option<(String, &'a Value)> {
    let (keyword, name) = referred(reference)?;
    let schema = root.get(keyword)?.get(&name)?;
    Some((format!("/{keyword}/{}", playbook_model::json::escape(&name)), schema))
}
