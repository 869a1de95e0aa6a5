//! Values of a render: what the caller gave, borrowed, and what filters and tags made of it.

use crate::number;
use serde_json::{Map, Value as Json};
use std::rc::Rc;

#[derive(Debug, Clone)]
pub(crate) enum Value<'a> {
    Null,
    /// What `empty` names.
    Empty,
    /// What `blank` names.
    Blank,
    Bool(bool),
    Number(f64),
    Text(Text<'a>),
    List(List<'a>),
    /// An object of the caller.
    Object(&'a Map<String, Json>),
    /// A group that `group_by` made: its name and its items.
    Group(Rc<(Value<'a>, List<'a>)>),
    /// `forloop` or `tablerowloop`.
    Loop(LoopState),
}

#[derive(Debug, Clone)]
pub(crate) enum Text<'a> {
    Given(&'a str),
    Made(Rc<str>),
}

#[derive(Debug, Clone)]
pub(crate) enum List<'a> {
    Given(&'a [Json]),
    Made(Rc<[Value<'a>]>),
}

/// Where a loop is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LoopState {
    /// From 0.
    pub(crate) index: usize,
    pub(crate) length: usize,
    /// Cells of a row, for a `tablerow`.
    pub(crate) columns: Option<usize>,
}

impl<'a> Value<'a> {
    pub(crate) fn given(json: &'a Json) -> Self {
        match json {
            Json::Null => Self::Null,
            Json::Bool(value) => Self::Bool(*value),
            Json::Number(number) => Self::Number(number.as_f64().unwrap_or(f64::NAN)),
            Json::String(text) => Self::Text(Text::Given(text)),
            Json::Array(items) => Self::List(List::Given(items)),
            Json::Object(members) => Self::Object(members),
        }
    }

    pub(crate) fn text(text: impl Into<Rc<str>>) -> Self {
        Self::Text(Text::Made(text.into()))
    }

    pub(crate) fn list(items: Vec<Self>) -> Self {
        Self::List(List::Made(items.into()))
    }

    /// Everything but false and null.
    pub(crate) fn is_true(&self) -> bool {
        !matches!(self, Self::Null | Self::Bool(false))
    }

    /// Whether it is a list or an object, which is no text of its own.
    pub(crate) fn is_structure(&self) -> bool {
        matches!(self, Self::List(_) | Self::Object(_) | Self::Group(_) | Self::Loop(_))
    }

    /// How it is written. "Rules for reading values".
    pub(crate) fn write(&self, out: &mut String) {
        match self {
            Self::Null | Self::Empty | Self::Blank => {}
            Self::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Number(number) => out.push_str(&number::text(*number)),
            Self::Text(text) => out.push_str(text.as_str()),
            Self::List(items) => items.iter().for_each(|item| item.write(out)),
            Self::Object(_) | Self::Group(_) | Self::Loop(_) => out.push_str("[object Object]"),
        }
    }

    /// How it is written, as text of its own.
    pub(crate) fn to_text(&self) -> Text<'a> {
        match self {
            Self::Text(text) => text.clone(),
            other => {
                let mut out = String::new();
                other.write(&mut out);
                Text::Made(out.into())
            }
        }
    }

    /// As a list: its items, one item for another value, none for null.
    pub(crate) fn to_list(&self) -> List<'a> {
        match self {
            Self::List(items) => items.clone(),
            Self::Null => List::Given(&[]),
            other => List::Made([other.clone()].into()),
        }
    }

    /// As a number; text that is none counts as 0.
    pub(crate) fn to_number(&self) -> f64 {
        match self {
            Self::Number(number) => *number,
            Self::Bool(true) => 1.0,
            Self::Text(text) => Some(number::parse(text.as_str())).filter(|number| !number.is_nan()).unwrap_or(0.0),
            _ => 0.0,
        }
    }
}

impl<'a> Text<'a> {
    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Given(text) => text,
            Self::Made(text) => text,
        }
    }

    /// Its length as JavaScript counts it, in UTF-16 units.
    pub(crate) fn units(&self) -> usize {
        self.as_str().chars().map(char::len_utf16).sum()
    }
}

impl<'a> List<'a> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Given(items) => items.len(),
            Self::Made(items) => items.len(),
        }
    }

    pub(crate) fn get(&self, index: usize) -> Option<Value<'a>> {
        match self {
            Self::Given(items) => items.get(index).map(Value::given),
            Self::Made(items) => items.get(index).cloned(),
        }
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = Value<'a>> + '_ {
        (0..self.len()).map(|index| self.get(index).expect("below its length"))
    }
}

impl LoopState {
    pub(crate) fn get(&self, name: &str) -> Option<Value<'static>> {
        let number = |n: usize| Value::Number(n as f64);
        let value = match name {
            "index" => number(self.index + 1),
            "index0" => number(self.index),
            "rindex" => number(self.length - self.index),
            "rindex0" => number(self.length - self.index - 1),
            "first" => Value::Bool(self.index == 0),
            "last" => Value::Bool(self.index + 1 == self.length),
            "length" => number(self.length),
            _ => {
                let columns = self.columns?;
                let column = self.index % columns;
                match name {
                    "row" => number(self.index / columns + 1),
                    "col" => number(column + 1),
                    "col0" => number(column),
                    "col_first" => Value::Bool(column == 0),
                    "col_last" => Value::Bool(column + 1 == columns),
                    _ => return None,
                }
            }
        };
        Some(value)
    }
}

/// A value as JSON text, as JavaScript writes it; `indent` puts each item on a line of its own.
pub(crate) fn write_json(value: &Value<'_>, indent: &str, level: usize, out: &mut String) {
    let open = |out: &mut String, level: usize| {
        if !indent.is_empty() {
            out.push('\n');
            (0..level).for_each(|_| out.push_str(indent));
        }
    };
    let colon = if indent.is_empty() { ":" } else { ": " };
    let member = |key: &str, value: &Value<'_>, first: bool, out: &mut String| {
        if !first {
            out.push(',');
        }
        open(out, level + 1);
        write_text(key, out);
        out.push_str(colon);
        write_json(value, indent, level + 1, out);
    };
    match value {
        Value::Null => out.push_str("null"),
        Value::Empty | Value::Blank => out.push_str("{}"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) if number.is_finite() => out.push_str(&number::text(*number)),
        Value::Number(_) => out.push_str("null"),
        Value::Text(text) => write_text(text.as_str(), out),
        Value::List(items) if items.len() == 0 => out.push_str("[]"),
        Value::List(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                open(out, level + 1);
                write_json(&item, indent, level + 1, out);
            }
            open(out, level);
            out.push(']');
        }
        Value::Object(members) if members.is_empty() => out.push_str("{}"),
        Value::Object(members) => {
            out.push('{');
            for (at, (key, value)) in members.iter().enumerate() {
                member(key, &Value::given(value), at == 0, out);
            }
            open(out, level);
            out.push('}');
        }
        Value::Group(group) => {
            out.push('{');
            member("name", &group.0, true, out);
            member("items", &Value::List(group.1.clone()), false, out);
            open(out, level);
            out.push('}');
        }
        Value::Loop(state) => {
            out.push('{');
            for (at, name) in ["index", "index0", "rindex", "rindex0", "first", "last", "length"].iter().enumerate() {
                member(name, &state.get(name).expect("every loop has it"), at == 0, out);
            }
            open(out, level);
            out.push('}');
        }
    }
}

fn write_text(text: &str, out: &mut String) {
    out.push_str(&serde_json::to_string(text).expect("text always writes"));
}
