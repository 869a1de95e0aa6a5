//! Conditions: equality, order and `contains`, by the rules of JavaScript where types differ.

use crate::number;
use crate::tree::Operator;
use crate::value::{List, Value};
use std::cmp::Ordering;

/// What an operator says of two values.
pub(crate) fn holds(operator: Operator, left: &Value<'_>, right: &Value<'_>) -> bool {
    match operator {
        Operator::And => left.is_true() && right.is_true(),
        Operator::Or => left.is_true() || right.is_true(),
        Operator::Equal => equal(left, right),
        Operator::NotEqual => !equal(left, right),
        Operator::Less => order(left, right) == Some(Ordering::Less),
        Operator::LessOrEqual => matches!(order(left, right), Some(Ordering::Less | Ordering::Equal)),
        Operator::Greater => order(left, right) == Some(Ordering::Greater),
        Operator::GreaterOrEqual => matches!(order(left, right), Some(Ordering::Greater | Ordering::Equal)),
        Operator::Contains => contains(left, right),
    }
}

/// Equal values of one type; lists and objects by what they hold.
pub(crate) fn equal(left: &Value<'_>, right: &Value<'_>) -> bool {
    match (left, right) {
        (Value::Empty, other) | (other, Value::Empty) => is_empty(other),
        (Value::Blank, other) | (other, Value::Blank) => is_blank(other),
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Number(a), Value::Number(b)) => a == b,
        (Value::Text(a), Value::Text(b)) => a.as_str() == b.as_str(),
        (Value::List(a), Value::List(b)) => a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| equal(&a, &b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| equal(&Value::given(a), &Value::given(b))))
        }
        (Value::Group(a), Value::Group(b)) => std::rc::Rc::ptr_eq(a, b),
        (Value::Loop(a), Value::Loop(b)) => a == b,
        _ => false,
    }
}

/// Empty text, an empty list or an object without members.
pub(crate) fn is_empty(value: &Value<'_>) -> bool {
    match value {
        Value::Text(text) => text.as_str().is_empty(),
        Value::List(items) => items.len() == 0,
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

fn is_blank(value: &Value<'_>) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Text(text) => text.as_str().trim().is_empty(),
        other => is_empty(other),
    }
}

/// The order of two values: two texts by UTF-16 units, all else as numbers; nothing when one is none.
pub(crate) fn order(left: &Value<'_>, right: &Value<'_>) -> Option<Ordering> {
    match (primitive(left)?, primitive(right)?) {
        (Primitive::Text(a), Primitive::Text(b)) => Some(by_units(&a, &b)),
        (a, b) => a.number().partial_cmp(&b.number()),
    }
}

/// The order of two texts by their UTF-16 units.
pub(crate) fn by_units(a: &str, b: &str) -> Ordering {
    a.encode_utf16().cmp(b.encode_utf16())
}

enum Primitive {
    Number(f64),
    Text(String),
}

impl Primitive {
    fn number(&self) -> f64 {
        match self {
            Self::Number(number) => *number,
            Self::Text(text) => number::parse(text),
        }
    }
}

fn primitive(value: &Value<'_>) -> Option<Primitive> {
    Some(match value {
        Value::Empty | Value::Blank => return None,
        Value::Null => Primitive::Number(0.0),
        Value::Bool(value) => Primitive::Number(f64::from(u8::from(*value))),
        Value::Number(number) => Primitive::Number(*number),
        Value::Text(text) => Primitive::Text(text.as_str().to_owned()),
        Value::List(items) => Primitive::Text(joined(items)),
        Value::Object(_) | Value::Group(_) | Value::Loop(_) => Primitive::Text("[object Object]".to_owned()),
    })
}

/// A list as JavaScript makes text of it, with commas between its items.
fn joined(items: &List<'_>) -> String {
    let mut out = String::new();
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        match item {
            Value::List(items) => out.push_str(&joined(&items)),
            other => other.write(&mut out),
        }
    }
    out
}

fn contains(left: &Value<'_>, right: &Value<'_>) -> bool {
    match left {
        Value::Text(text) => text.as_str().contains(right.to_text().as_str()),
        Value::List(items) => items.iter().any(|item| equal(&item, right)),
        _ => false,
    }
}
