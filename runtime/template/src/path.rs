//! One step into a value: its own members, and the few fields that texts, lists and loops have.

use crate::number;
use crate::value::{Text, Value};

/// What a step by name leads to; nothing where it is missing. Null leads to null.
pub(crate) fn member<'a>(value: &Value<'a>, name: &str) -> Option<Value<'a>> {
    match value {
        Value::Null => Some(Value::Null),
        Value::Object(members) => match members.get(name) {
            Some(found) => Some(Value::given(found)),
            None => (name == "size").then(|| Value::Number(members.len() as f64)),
        },
        Value::List(items) => match name {
            "size" | "length" => Some(Value::Number(items.len() as f64)),
            "first" => items.get(0),
            "last" => items.len().checked_sub(1).and_then(|last| items.get(last)),
            _ => at(value, number::parse(name)).filter(|_| !name.trim().is_empty()),
        },
        Value::Text(text) => match name {
            "size" | "length" => Some(Value::Number(text.units() as f64)),
            _ => at(value, number::parse(name)).filter(|_| !name.trim().is_empty()),
        },
        Value::Group(group) => match name {
            "name" => Some(group.0.clone()),
            "items" => Some(Value::List(group.1.clone())),
            "size" => Some(Value::Number(2.0)),
            _ => None,
        },
        Value::Loop(state) => state.get(name),
        Value::Empty | Value::Blank | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// What a step by number leads to. A list counts a negative one from its end.
fn at<'a>(value: &Value<'a>, index: f64) -> Option<Value<'a>> {
    if index.fract() != 0.0 || !index.is_finite() {
        return None;
    }
    match value {
        Value::List(items) => {
            let index = if index < 0.0 { index + items.len() as f64 } else { index };
            if index < 0.0 { None } else { items.get(index as usize) }
        }
        // A whole character, never the half of one.
        Value::Text(text) if index >= 0.0 => {
            let text = text.as_str();
            text.chars().nth(index as usize).map(|c| Value::text(c.to_string()))
        }
        _ => None,
    }
}

/// What a step by a value leads to, and the name it is told by.
pub(crate) fn index<'a>(value: &Value<'a>, key: &Value<'_>) -> (Option<Value<'a>>, String) {
    let name = match key {
        Value::Text(Text::Given(text)) => (*text).to_owned(),
        other => other.to_text().as_str().to_owned(),
    };
    let found = match (value, key) {
        (Value::List(_) | Value::Text(_), Value::Number(number)) => at(value, *number),
        _ => member(value, &name),
    };
    (found, name)
}
