//! The largest a value can be as JSON, worked out from the bounds of its schema. "Bound the size of the view".
//!
//! Read as the types are: an object that lists `properties` holds those alone, unless `additionalProperties` opens it.

use crate::draft::Draft;
use crate::format::Format;
use crate::keyword;
use crate::schema::whole_count;
use serde_json::{Map, Value};
use std::collections::HashSet;

/// The largest a value can be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Largest {
    /// Bytes of JSON in UTF-8; `None` when something has no bound.
    pub bytes: Option<u64>,
    /// The pointer of the innermost schema that still makes up more than half of it; empty for the whole.
    pub dominates: String,
    /// The pointer of the first schema without a bound.
    pub unbounded: Option<String>,
    /// The pointer of the first list, or object open to any name, without a bound on how many: what grows with events.
    pub growing: Option<String>,
}

/// Works out the largest value of a schema; without a schema nothing is bounded.
#[must_use]
pub fn largest(schema: &Value) -> Largest {
    let mut measure = Measure {
        root: schema,
        draft: Draft::of(schema),
        open: HashSet::new(),
        unbounded: None,
        growing: None,
        left: 100_000,
    };
    let size = measure.schema(schema, "");
    let bytes = if measure.unbounded.is_some() { None } else { size.bytes };
    Largest { bytes, dominates: size.dominates, unbounded: measure.unbounded, growing: measure.growing }
}

/// Bytes with two quotes of a text of so many characters: JSON writes each UTF-16 unit in at most 6 bytes.
fn text(characters: u64) -> u64 {
    characters.saturating_mul(6).saturating_add(2)
}

/// The longest text of a double: a sign, 17 digits, a point and five zeros.
const NUMBER: u64 = 25;
/// The longest text of a whole double: a sign and 21 digits, or an exponent.
const INTEGER: u64 = 24;

#[derive(Debug, Clone, Default)]
struct Size {
    bytes: Option<u64>,
    dominates: String,
}

struct Measure<'a> {
    root: &'a Value,
    draft: Draft,
    open: HashSet<String>,
    unbounded: Option<String>,
    growing: Option<String>,
    /// Schemas it may still look at: definitions used many times over would take for ever.
    left: u32,
}

impl<'a> Measure<'a> {
    fn no_bound(&mut self, pointer: &str) -> Size {
        self.unbounded.get_or_insert_with(|| pointer.to_owned());
        Size { bytes: None, dominates: pointer.to_owned() }
    }

    fn grows(&mut self, pointer: &str) -> Size {
        self.growing.get_or_insert_with(|| pointer.to_owned());
        self.no_bound(pointer)
    }

    fn schema(&mut self, schema: &'a Value, pointer: &str) -> Size {
        self.left = self.left.saturating_sub(1);
        let fixed = |bytes: u64| Size { bytes: Some(bytes), dominates: pointer.to_owned() };
        let members = match schema {
            Value::Bool(false) => return fixed(0),
            Value::Object(members) if self.left > 0 => members,
            _ => return self.no_bound(pointer),
        };
        if members.contains_key("not") {
            return fixed(0);
        }
        let longest =
            |values: &[Value]| values.iter().map(|v| playbook_model::json::bytes(v) as u64).max().unwrap_or(0);
        if let Some(constant) = members.get("const") {
            return fixed(longest(std::slice::from_ref(constant)));
        }
        if let Some(Value::Array(values)) = members.get("enum") {
            return fixed(longest(values));
        }
        // What every part bounds, the smallest bounds; so the parts are worked out without blaming one of them.
        let before = (self.unbounded.clone(), self.growing.clone());
        let mut parts: Vec<Size> = Vec::new();
        let mut blamed: Option<(Option<String>, Option<String>)> = None;
        let mut keep = |this: &mut Self, size: Option<Size>| {
            let found = (
                std::mem::replace(&mut this.unbounded, before.0.clone()),
                std::mem::replace(&mut this.growing, before.1.clone()),
            );
            if let Some(size) = size {
                if size.bytes.is_none() {
                    blamed.get_or_insert(found);
                }
                parts.push(size);
            }
        };
        let base = self.base(members, pointer);
        keep(self, base);
        if let Some(reference) = members.get("$ref").and_then(Value::as_str) {
            let size = self.reference(reference, pointer);
            keep(self, Some(size));
        }
        for word in ["anyOf", "oneOf"] {
            if let Some(Value::Array(list)) = members.get(word) {
                let mut most = Size { bytes: Some(0), dominates: pointer.to_owned() };
                for (place, inner) in list.iter().enumerate() {
                    let size = self.schema(inner, &format!("{pointer}/{word}/{place}"));
                    if most.bytes.is_some() && size.bytes.is_none_or(|bytes| Some(bytes) > most.bytes) {
                        most = size;
                    }
                }
                keep(self, Some(most));
            }
        }
        if let Some(Value::Array(list)) = members.get("allOf") {
            for (place, inner) in list.iter().enumerate() {
                let size = self.schema(inner, &format!("{pointer}/allOf/{place}"));
                keep(self, Some(size));
            }
        }
        match parts.into_iter().filter(|size| size.bytes.is_some()).min_by_key(|size| size.bytes) {
            Some(least) => least,
            None => match blamed {
                Some((unbounded, growing)) => {
                    let dominates = unbounded.clone().unwrap_or_else(|| pointer.to_owned());
                    self.unbounded = unbounded;
                    self.growing = growing;
                    Size { bytes: None, dominates }
                }
                None => self.grows(pointer),
            },
        }
    }

    fn reference(&mut self, reference: &str, pointer: &str) -> Size {
        let Some((target, schema)) = keyword::resolve(self.root, reference) else {
            return self.no_bound(pointer);
        };
        if !self.open.insert(target.clone()) {
            // A definition within itself: nothing says how deep.
            return self.grows(pointer);
        }
        let size = self.schema(schema, &target);
        self.open.remove(&target);
        size
    }

    /// What the type says; `None` when the schema names none.
    fn base(&mut self, members: &'a Map<String, Value>, pointer: &str) -> Option<Size> {
        let names: Vec<&str> = match members.get("type") {
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ if members.contains_key("properties") || members.contains_key("additionalProperties") => vec!["object"],
            _ if members.contains_key("items") || members.contains_key("prefixItems") => vec!["array"],
            _ => return None,
        };
        let mut most = Size { bytes: Some(0), dominates: pointer.to_owned() };
        for name in names {
            let fixed = |bytes: u64| Size { bytes: Some(bytes), dominates: pointer.to_owned() };
            let size = match name {
                "null" => fixed(4),
                "boolean" => fixed(5),
                "number" => fixed(NUMBER),
                "integer" => fixed(integer(members)),
                "string" => match characters(members) {
                    Some(bytes) => fixed(bytes),
                    None => self.no_bound(pointer),
                },
                "array" => self.array(members, pointer),
                _ => self.object(members, pointer),
            };
            if most.bytes.is_some() && size.bytes.is_none_or(|bytes| Some(bytes) > most.bytes) {
                most = size;
            }
        }
        Some(most)
    }

    fn array(&mut self, members: &'a Map<String, Value>, pointer: &str) -> Size {
        let most = members.get("maxItems").and_then(whole_count);
        let (prefix, items): (&[Value], Option<&Value>) =
            match (self.draft, members.get("items"), members.get("prefixItems")) {
                (Draft::Seven, Some(Value::Array(list)), _) => (list, None),
                (Draft::TwentyTwenty, items, Some(Value::Array(list))) => (list, items),
                (_, items, _) => (&[], items),
            };
        let mut terms = Vec::new();
        let places = most.map_or(prefix.len(), |most| prefix.len().min(usize::try_from(most).unwrap_or(usize::MAX)));
        let word = if self.draft == Draft::Seven { "items" } else { "prefixItems" };
        for (place, inner) in prefix.iter().take(places).enumerate() {
            terms.push((self.schema(inner, &format!("{pointer}/{word}/{place}")), 1));
        }
        let closed = items == Some(&Value::Bool(false));
        let rest = match most {
            _ if closed => 0,
            Some(most) => most.saturating_sub(places as u64),
            None => return self.grows(pointer),
        };
        if rest > 0 {
            let size = match items {
                Some(inner) => self.schema(inner, &format!("{pointer}/items")),
                None => self.no_bound(pointer),
            };
            terms.push((size, rest));
        }
        total(terms, pointer)
    }

    fn object(&mut self, members: &'a Map<String, Value>, pointer: &str) -> Size {
        let mut terms = Vec::new();
        let properties = members.get("properties").and_then(Value::as_object);
        for (name, inner) in properties.into_iter().flatten() {
            let mut size = self.schema(inner, &format!("{pointer}/properties/{}", playbook_model::json::escape(name)));
            if inner != &Value::Bool(false) {
                let name = playbook_model::json::bytes(&Value::String(name.clone())) as u64;
                size.bytes = size.bytes.map(|bytes| bytes.saturating_add(name + 1));
            }
            terms.push((size, 1));
        }
        let open = match members.get("additionalProperties") {
            Some(Value::Bool(open)) => *open,
            Some(_) => true,
            None => properties.is_none(),
        };
        if open {
            let Some(most) = members.get("maxProperties").and_then(whole_count) else {
                return self.grows(pointer);
            };
            let rest = most.saturating_sub(members.get("required").and_then(Value::as_array).map_or(0, |required| {
                let named =
                    |name: &&Value| name.as_str().is_some_and(|n| properties.is_some_and(|p| p.contains_key(n)));
                required.iter().filter(named).count() as u64
            }));
            let name = members.get("propertyNames").and_then(Value::as_object).and_then(|names| {
                let listed = names.get("enum").and_then(Value::as_array);
                listed
                    .and_then(|list| list.iter().map(|v| playbook_model::json::bytes(v) as u64).max())
                    .or_else(|| characters(names))
            });
            let name = match name {
                Some(bytes) => Some(bytes),
                None => self.no_bound(&format!("{pointer}/propertyNames")).bytes,
            };
            let inner = match members.get("additionalProperties") {
                Some(inner @ Value::Object(_)) => self.schema(inner, &format!("{pointer}/additionalProperties")),
                _ => self.no_bound(pointer),
            };
            let bytes = match (inner.bytes, name) {
                (Some(value), Some(name)) => Some(value.saturating_add(name).saturating_add(1)),
                _ => None,
            };
            terms.push((Size { bytes, ..inner }, rest));
        }
        total(terms, pointer)
    }
}

/// Terms between two brackets with commas between them, and which of them is more than half.
fn total(terms: Vec<(Size, u64)>, pointer: &str) -> Size {
    let mut bytes: Option<u64> = Some(2);
    let mut count = 0u64;
    let mut largest: Option<(u64, String)> = None;
    let mut unbounded: Option<String> = None;
    for (size, times) in terms {
        match size.bytes {
            Some(one) => {
                let part = one.saturating_add(1).saturating_mul(times);
                bytes = bytes.map(|sum| sum.saturating_add(one.saturating_mul(times)));
                if one > 0 {
                    count = count.saturating_add(times);
                }
                if largest.as_ref().is_none_or(|(most, _)| part > *most) {
                    largest = Some((part, size.dominates));
                }
            }
            None => {
                bytes = None;
                unbounded.get_or_insert(size.dominates);
            }
        }
    }
    let bytes = bytes.map(|sum| sum.saturating_add(count.saturating_sub(1)));
    let dominates = match (unbounded, largest, bytes) {
        (Some(term), _, _) => term,
        (None, Some((part, term)), Some(whole)) if part.saturating_mul(2) > whole => term,
        _ => pointer.to_owned(),
    };
    Size { bytes, dominates }
}

/// The bytes of the longest text: by its bound, or by a format of fixed length.
fn characters(members: &Map<String, Value>) -> Option<u64> {
    let format = members.get("format").and_then(Value::as_str).and_then(Format::parse);
    let by_format = match format {
        Some(Format::Date) => Some(12),
        Some(Format::Uuid) => Some(38),
        _ => None,
    };
    let bound = members.get("maxLength").and_then(whole_count);
    match (by_format, bound, format) {
        (Some(bytes), Some(bound), _) => Some(bytes.min(text(bound))),
        (Some(bytes), None, _) => Some(bytes),
        // The other formats are plain ASCII without a quote or a control character.
        (None, Some(bound), Some(_)) => Some(bound.saturating_add(2)),
        (None, bound, None) => bound.map(text),
        (None, None, Some(_)) => None,
    }
}

/// The bytes of the longest whole number between its bounds.
fn integer(members: &Map<String, Value>) -> u64 {
    let bound = |word: &str| members.get(word).and_then(Value::as_number).and_then(|n| n.as_i64());
    let least = bound("minimum").or_else(|| bound("exclusiveMinimum"));
    let most = bound("maximum").or_else(|| bound("exclusiveMaximum"));
    match (least, most) {
        (Some(least), Some(most)) => least.to_string().len().max(most.to_string().len()) as u64,
        _ => INTEGER,
    }
}
