//! A schema as a TypeScript type: "The module", and "Types" of a computation function.
//!
//! A type says less than the schema: bounds and formats are checked when a run checks its values.

use crate::draft::Draft;
use crate::keyword;
use serde_json::{Map, Value};

/// The declarations of a schema: one type named `root`, and one for each definition, such as `Input_address`.
///
/// Without a schema the type is `Json`, which the module's other declarations give.
/// The schema must have no errors.
#[must_use]
pub fn types(root: &str, schema: Option<&Value>) -> String {
    let Some(schema) = schema else {
        return format!("type {root} = Json;\n");
    };
    let writer = Writer { root, draft: Draft::of(schema), schema };
    let mut out = String::new();
    for keyword in ["definitions", "$defs"] {
        for (name, definition) in schema.get(keyword).and_then(Value::as_object).into_iter().flatten() {
            // The same name under both is one type, and `$defs` is what draft 2020-12 reads.
            if keyword == "definitions" && schema.get("$defs").is_some_and(|defs| defs.get(name).is_some()) {
                continue;
            }
            out.push_str(&format!("type {root}_{} = {};\n", identifier(name), writer.schema(definition, 1)));
        }
    }
    out.push_str(&format!("type {root} = {};\n", writer.schema(schema, 1)));
    out
}

/// A definition's name as part of a TypeScript name: a character that is no ASCII letter, digit or underscore is
/// written as its code point between two dollar signs, such as `$45$` for a hyphen.
#[must_use]
pub fn identifier(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_ascii_alphanumeric() || c == '_' {
            out.push(c);
        } else {
            out.push_str(&format!("${}$", u32::from(c)));
        }
    }
    out
}

struct Writer<'a> {
    root: &'a str,
    draft: Draft,
    schema: &'a Value,
}

impl Writer<'_> {
    fn schema(&self, schema: &Value, indent: usize) -> String {
        match schema {
            Value::Bool(false) => "never".into(),
            Value::Object(members) => self.members(members, indent),
            _ => "Json".into(),
        }
    }

    fn members(&self, members: &Map<String, Value>, indent: usize) -> String {
        if members.contains_key("not") {
            return "never".into();
        }
        let mut parts: Vec<String> = Vec::new();
        if let Some(reference) = members.get("$ref").and_then(Value::as_str) {
            let name = keyword::resolve(self.schema, reference).and(keyword::referred(reference));
            let named = name.map_or_else(|| "Json".into(), |(_, name)| format!("{}_{}", self.root, identifier(&name)));
            if self.draft == Draft::Seven {
                return named;
            }
            parts.push(named);
        } else if let Some(constant) = members.get("const") {
            parts.push(literal(constant));
        } else if let Some(Value::Array(values)) = members.get("enum") {
            parts.push(union(values.iter().map(literal)));
        } else if let Some(base) = self.base(members, indent) {
            parts.push(base);
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(Value::Array(list)) = members.get(keyword) {
                parts.push(union(list.iter().map(|inner| self.schema(inner, indent))));
            }
        }
        if let Some(Value::Array(list)) = members.get("allOf") {
            parts.extend(list.iter().map(|inner| self.schema(inner, indent)));
        }
        let mut distinct: Vec<String> = Vec::new();
        for part in parts {
            if !distinct.contains(&part) {
                distinct.push(part);
            }
        }
        match distinct.as_slice() {
            [] => "Json".into(),
            [one] => one.clone(),
            // What any JSON value is intersected with stays itself.
            _ => {
                let parts: Vec<String> =
                    distinct.iter().filter(|part| *part != "Json").map(|part| grouped(part)).collect();
                parts.join(" & ")
            }
        }
    }

    /// The type that the `type` keyword, or a keyword that belongs to one type, gives.
    fn base(&self, members: &Map<String, Value>, indent: usize) -> Option<String> {
        let names: Vec<&str> = match members.get("type") {
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ if members.contains_key("properties") || members.contains_key("additionalProperties") => vec!["object"],
            _ if members.contains_key("items") || members.contains_key("prefixItems") => vec!["array"],
            _ => return None,
        };
        Some(union(names.into_iter().map(|name| match name {
            "string" | "boolean" | "null" => name.to_owned(),
            "number" | "integer" => "number".to_owned(),
            "object" => self.object(members, indent),
            _ => self.array(members, indent),
        })))
    }

    fn object(&self, members: &Map<String, Value>, indent: usize) -> String {
        let additional = members.get("additionalProperties");
        let Some(properties) = members.get("properties").and_then(Value::as_object) else {
            return match additional {
                Some(Value::Bool(false)) => "Record<string, never>".into(),
                Some(inner @ Value::Object(_)) => format!("{{ [name: string]: {} }}", self.schema(inner, indent)),
                _ => "{ [name: string]: Json }".into(),
            };
        };
        let required: Vec<&str> =
            members.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        let pad = "  ".repeat(indent);
        let mut lines: Vec<String> = Vec::new();
        for (name, inner) in properties {
            let mark = if required.contains(&name.as_str()) { "" } else { "?" };
            lines.push(format!("{pad}{}{mark}: {};\n", key(name), self.schema(inner, indent + 1)));
        }
        if additional == Some(&Value::Bool(true)) {
            lines.push(format!("{pad}[name: string]: Json;\n"));
        }
        if lines.is_empty() {
            return "{}".into();
        }
        format!("{{\n{}{}}}", lines.concat(), "  ".repeat(indent - 1))
    }

    fn array(&self, members: &Map<String, Value>, indent: usize) -> String {
        let item = |inner: &Value| self.schema(inner, indent);
        // In draft-07 a list under `items` is what draft 2020-12 calls `prefixItems`.
        let (prefix, items) = match (self.draft, members.get("items"), members.get("prefixItems")) {
            (Draft::Seven, Some(Value::Array(list)), _) => (Some(list), None),
            (Draft::TwentyTwenty, items, Some(Value::Array(list))) => (Some(list), items),
            (_, items, _) => (None, items),
        };
        let rest = match items {
            Some(Value::Bool(false)) if prefix.is_some() => None,
            Some(items) => Some(item(items)),
            None => Some("Json".into()),
        };
        let array = |of: &str| format!("{}[]", grouped(of));
        match prefix {
            None => array(&rest.unwrap_or_else(|| "never".into())),
            Some(list) => {
                let mut parts: Vec<String> = list.iter().map(item).collect();
                parts.extend(rest.map(|rest| format!("...{}", array(&rest))));
                format!("[{}]", parts.join(", "))
            }
        }
    }
}

/// A name as a key of a type: quoted unless it is an identifier.
fn key(name: &str) -> String {
    let mut chars = name.chars();
    let starts = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_' || c == '$');
    if starts && chars.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$') {
        name.to_owned()
    } else {
        script_text(name)
    }
}

fn literal(value: &Value) -> String {
    match value {
        Value::String(text) => script_text(text),
        Value::Number(number) => match number.as_f64() {
            // The type of a number is the double that the program will hold.
            Some(n) => ryu_js::Buffer::new().format_finite(n).to_owned(),
            None => number.to_string(),
        },
        Value::Bool(_) | Value::Null => value.to_string(),
        _ => "Json".into(),
    }
}

/// A text as a TypeScript string: JSON, with the two line ends that JSON leaves alone written as escapes.
fn script_text(text: &str) -> String {
    Value::String(text.to_owned()).to_string().replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

fn union(parts: impl Iterator<Item = String>) -> String {
    let mut distinct: Vec<String> = Vec::new();
    for part in parts {
        if !distinct.contains(&part) {
            distinct.push(part);
        }
    }
    match distinct.as_slice() {
        [] => "never".into(),
        [one] => one.clone(),
        _ => {
            let parts: Vec<String> =
                distinct.iter().map(|part| if part.contains(" & ") { grouped(part) } else { part.clone() }).collect();
            parts.join(" | ")
        }
    }
}

/// A type in parentheses where it is joined from others.
fn grouped(part: &str) -> String {
    let mut depth = 0i32;
    let mut quoted = false;
    let mut escaped = false;
    for c in part.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '{' | '[' | '(' | '<' => depth += 1,
            '}' | ']' | ')' | '>' => depth -= 1,
            '|' | '&' if depth == 0 => return format!("({part})"),
            _ => {}
        }
    }
    part.to_owned()
}
