//! A compiled schema, and whether a value fits it.
//!
//! Every schema inside the root is one node of a flat list, and a `$ref` is a number into it.
//! What a definition says of one value is worked out once, so time grows with schema and value and never with the
//! number of ways through them.

use crate::draft::Draft;
use crate::flaw::{Flaw, errors, flaws};
use crate::format::Format;
use crate::keyword::{self, Applied};
use crate::number;
use playbook_model::json;
use playbook_model::limits::VALUE_LEVELS;
use serde_json::{Map, Number, Value};
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

/// A schema without flaws, ready to check values.
#[derive(Debug, Clone)]
pub struct Schema {
    pub(crate) root: Value,
    pub(crate) draft: Draft,
    pub(crate) nodes: Vec<Node>,
}

/// The place of a node in the list.
pub(crate) type At = usize;

/// One schema.
#[derive(Debug, Clone, Default)]
pub(crate) struct Node {
    /// From the root of the schema.
    pub(crate) pointer: String,
    /// `false`, or `not: {}`: nothing fits.
    pub(crate) never: bool,
    pub(crate) reference: Option<At>,
    /// Draft-07 checks nothing beside a `$ref`.
    pub(crate) alone: bool,
    /// Whether a `$ref` leads here, so that what is found is kept.
    named: bool,
    pub(crate) types: Option<Types>,
    pub(crate) constant: Option<Value>,
    pub(crate) values: Option<Vec<Value>>,
    pub(crate) format: Option<Format>,
    pub(crate) numbers: Vec<(Bound, Number)>,
    pub(crate) counts: Vec<(Count, u64)>,
    pub(crate) unique: bool,
    pub(crate) properties: Vec<(String, At)>,
    by_name: HashMap<String, At>,
    pub(crate) required: Vec<String>,
    needed: HashSet<String>,
    pub(crate) additional: Option<At>,
    pub(crate) names: Option<At>,
    pub(crate) prefix: Vec<At>,
    pub(crate) items: Option<At>,
    pub(crate) all: Vec<At>,
    pub(crate) any: Vec<At>,
    pub(crate) one: Vec<At>,
}

impl Node {
    pub(crate) fn property(&self, name: &str) -> Option<At> {
        self.by_name.get(name).copied()
    }

    pub(crate) fn requires(&self, name: &str) -> bool {
        self.needed.contains(name)
    }
}

/// A set of type names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Types(u8);

impl Types {
    fn insert(&mut self, name: &str) {
        if let Some(bit) = keyword::TYPES.iter().position(|known| *known == name) {
            self.0 |= 1 << bit;
        }
    }

    pub(crate) fn has(self, name: &str) -> bool {
        keyword::TYPES.iter().position(|known| *known == name).is_some_and(|bit| self.0 & (1 << bit) != 0)
    }

    pub(crate) fn take(self, value: &Value) -> bool {
        match value {
            Value::Null => self.has("null"),
            Value::Bool(_) => self.has("boolean"),
            Value::String(_) => self.has("string"),
            Value::Array(_) => self.has("array"),
            Value::Object(_) => self.has("object"),
            Value::Number(n) => self.has("number") || (self.has("integer") && number::is_whole(n)),
        }
    }
}

/// A bound on a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Bound {
    Minimum,
    Maximum,
    Above,
    Below,
    Multiple,
}

/// A bound on how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Count {
    LeastCharacters,
    MostCharacters,
    LeastItems,
    MostItems,
    LeastMembers,
    MostMembers,
}

impl Count {
    /// Whether a value that can be counted so keeps the bound; `None` when it cannot.
    pub(crate) fn keeps(self, bound: u64, value: &Value) -> Option<bool> {
        let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
        Some(match (self, value) {
            (Self::LeastCharacters, Value::String(text)) => count(text.chars().count()) >= bound,
            (Self::MostCharacters, Value::String(text)) => count(text.chars().count()) <= bound,
            (Self::LeastItems, Value::Array(list)) => count(list.len()) >= bound,
            (Self::MostItems, Value::Array(list)) => count(list.len()) <= bound,
            (Self::LeastMembers, Value::Object(members)) => count(members.len()) >= bound,
            (Self::MostMembers, Value::Object(members)) => count(members.len()) <= bound,
            _ => return None,
        })
    }
}

impl Bound {
    pub(crate) fn keeps(self, bound: &Number, value: &Number) -> bool {
        match self {
            Self::Minimum => number::compare(value, bound) != Ordering::Less,
            Self::Maximum => number::compare(value, bound) != Ordering::Greater,
            Self::Above => number::compare(value, bound) == Ordering::Greater,
            Self::Below => number::compare(value, bound) == Ordering::Less,
            Self::Multiple => number::is_multiple(value, bound),
        }
    }
}

impl Schema {
    /// Compiles a schema.
    ///
    /// # Errors
    /// The schema's errors, as [`flaws`] gives them; warnings never refuse.
    pub fn compile(root: &Value) -> Result<Self, Vec<Flaw>> {
        let found = flaws(root);
        if errors(&found).next().is_some() {
            return Err(errors(&found).cloned().collect());
        }
        Ok(Build::of(root))
    }

    /// The draft the schema is read as.
    #[must_use]
    pub fn draft(&self) -> Draft {
        self.draft
    }

    /// The schema as it was written.
    #[must_use]
    pub fn source(&self) -> &Value {
        &self.root
    }

    /// Whether a value fits. One that nests deeper than 512 levels does not.
    #[must_use]
    pub fn is_valid(&self, value: &Value) -> bool {
        json::depth(value) <= VALUE_LEVELS && Check::new(self).fits(0, value)
    }
}

/// What a definition says of a value, by the value's address, which stays while a check lasts.
pub(crate) struct Check<'a> {
    schema: &'a Schema,
    known: HashMap<(At, *const Value), bool>,
}

impl<'a> Check<'a> {
    pub(crate) fn new(schema: &'a Schema) -> Self {
        Self { schema, known: HashMap::new() }
    }

    pub(crate) fn fits(&mut self, at: At, value: &Value) -> bool {
        let node = &self.schema.nodes[at];
        if !node.named {
            return self.judge(node, value);
        }
        let key = (at, std::ptr::from_ref(value));
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        // A value may nest 512 levels, each through several schemas: the stack grows when it must.
        let fits = stacker::maybe_grow(256 * 1024, 2 * 1024 * 1024, || self.judge(node, value));
        self.known.insert(key, fits);
        fits
    }

    fn judge(&mut self, node: &Node, value: &Value) -> bool {
        if node.never {
            return false;
        }
        if let Some(reference) = node.reference {
            let fits = self.fits(reference, value);
            if !fits || node.alone {
                return fits;
            }
        }
        itself(node, value)
            && node.all.iter().all(|inner| self.fits(*inner, value))
            && (node.any.is_empty() || node.any.iter().any(|inner| self.fits(*inner, value)))
            && (node.one.is_empty() || node.one.iter().filter(|inner| self.fits(**inner, value)).take(2).count() == 1)
            && match value {
                Value::Object(members) => self.members(node, members),
                Value::Array(list) => self.list(node, list),
                _ => true,
            }
    }

    fn members(&mut self, node: &Node, members: &Map<String, Value>) -> bool {
        node.required.iter().all(|name| members.contains_key(name))
            && members.iter().all(|(name, value)| {
                let inner = node.property(name).or(node.additional);
                inner.is_none_or(|inner| self.fits(inner, value))
                    && node.names.is_none_or(|names| self.name_fits(names, name))
            })
    }

    /// A name is a value of its own that does not stay, so nothing is kept of it.
    pub(crate) fn name_fits(&self, names: At, name: &str) -> bool {
        Check::new(self.schema).fits(names, &Value::String(name.to_owned()))
    }

    fn list(&mut self, node: &Node, list: &[Value]) -> bool {
        list.iter().enumerate().all(|(place, value)| {
            node.prefix.get(place).copied().or(node.items).is_none_or(|inner| self.fits(inner, value))
        })
    }
}

/// Whether a value keeps what one schema says of the value itself, apart from members, items and other schemas.
pub(crate) fn itself(node: &Node, value: &Value) -> bool {
    node.types.is_none_or(|types| types.take(value))
        && node.constant.as_ref().is_none_or(|constant| json::same(constant, value))
        && node.values.as_ref().is_none_or(|values| values.iter().any(|listed| json::same(listed, value)))
        && node.counts.iter().all(|(count, bound)| count.keeps(*bound, value).unwrap_or(true))
        && match value {
            Value::Number(n) => node.numbers.iter().all(|(bound, limit)| bound.keeps(limit, n)),
            Value::String(text) => node.format.is_none_or(|format| format.fits(text)),
            Value::Array(list) => !node.unique || all_differ(list),
            _ => true,
        }
}

/// Whether no two values of a list are the same JSON.
pub(crate) fn all_differ(list: &[Value]) -> bool {
    let mut seen = HashSet::with_capacity(list.len());
    list.iter().all(|value| {
        let mut text = String::new();
        canonical(value, &mut text);
        seen.insert(text)
    })
}

/// Writes a value so that the same JSON gives the same text.
fn canonical(value: &Value, out: &mut String) {
    match value {
        Value::Array(list) => {
            out.push('[');
            for item in list {
                canonical(item, out);
                out.push(',');
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut names: Vec<&String> = members.keys().collect();
            names.sort();
            out.push('{');
            for name in names {
                out.push_str(&Value::String(name.clone()).to_string());
                out.push(':');
                canonical(&members[name], out);
                out.push(',');
            }
            out.push('}');
        }
        Value::Number(n) => match n.as_f64() {
            // A whole double below 2^53 is written as the integer it equals.
            Some(f) if n.is_f64() && f.fract() == 0.0 && f.abs() < 9_007_199_254_740_992.0 => {
                out.push_str(&(f as i64).to_string());
            }
            _ => out.push_str(&n.to_string()),
        },
        other => out.push_str(&other.to_string()),
    }
}

struct Build<'a> {
    root: &'a Value,
    draft: Draft,
    nodes: Vec<Node>,
    places: HashMap<String, At>,
    references: Vec<(At, String)>,
}

impl<'a> Build<'a> {
    fn of(root: &'a Value) -> Schema {
        let draft = Draft::of(root);
        let mut build = Build { root, draft, nodes: Vec::new(), places: HashMap::new(), references: Vec::new() };
        build.node(root, String::new());
        for keyword in ["definitions", "$defs"] {
            for (name, schema) in root.get(keyword).and_then(Value::as_object).into_iter().flatten() {
                build.node(schema, format!("/{keyword}/{}", json::escape(name)));
            }
        }
        for (from, pointer) in std::mem::take(&mut build.references) {
            let to = build.places[&pointer];
            build.nodes[to].named = true;
            build.nodes[from].reference = Some(to);
        }
        Schema { root: root.clone(), draft, nodes: build.nodes }
    }

    fn node(&mut self, schema: &'a Value, pointer: String) -> At {
        let at = self.nodes.len();
        self.nodes.push(Node { pointer: pointer.clone(), ..Node::default() });
        self.places.insert(pointer.clone(), at);
        let node = match schema {
            Value::Object(members) => self.members(members, &pointer, at),
            other => Node { never: other == &Value::Bool(false), ..Node::default() },
        };
        self.nodes[at] = Node { pointer, ..node };
        at
    }

    fn members(&mut self, members: &'a Map<String, Value>, pointer: &str, at: At) -> Node {
        let mut node = Node {
            never: members.contains_key("not"),
            constant: members.get("const").cloned(),
            values: members.get("enum").and_then(Value::as_array).cloned(),
            format: members.get("format").and_then(Value::as_str).and_then(Format::parse),
            unique: members.get("uniqueItems") == Some(&Value::Bool(true)),
            ..Node::default()
        };
        if let Some((target, _)) =
            members.get("$ref").and_then(Value::as_str).and_then(|text| keyword::resolve(self.root, text))
        {
            self.references.push((at, target));
            node.alone = self.draft == Draft::Seven;
            if node.alone {
                return Node { alone: true, ..Node::default() };
            }
        }
        if let Some(names) = members.get("type") {
            let mut types = Types::default();
            let list = names.as_array().map_or(std::slice::from_ref(names), Vec::as_slice);
            list.iter().filter_map(Value::as_str).for_each(|name| types.insert(name));
            node.types = Some(types);
        }
        for (word, bound) in [
            ("minimum", Bound::Minimum),
            ("maximum", Bound::Maximum),
            ("exclusiveMinimum", Bound::Above),
            ("exclusiveMaximum", Bound::Below),
            ("multipleOf", Bound::Multiple),
        ] {
            if let Some(Value::Number(limit)) = members.get(word) {
                node.numbers.push((bound, limit.clone()));
            }
        }
        for (word, count) in [
            ("minLength", Count::LeastCharacters),
            ("maxLength", Count::MostCharacters),
            ("minItems", Count::LeastItems),
            ("maxItems", Count::MostItems),
            ("minProperties", Count::LeastMembers),
            ("maxProperties", Count::MostMembers),
        ] {
            if let Some(limit) = members.get(word).and_then(whole_count) {
                node.counts.push((count, limit));
            }
        }
        if let Some(Value::Array(required)) = members.get("required") {
            node.required = required.iter().filter_map(Value::as_str).map(str::to_owned).collect();
            let mut needed = HashSet::new();
            node.required.retain(|name| needed.insert(name.clone()));
            node.needed = needed;
        }
        for inner in keyword::inside(members, self.draft) {
            if inner.applied == Applied::ByName {
                continue;
            }
            let inner_at = self.node(inner.schema, format!("{pointer}{}", inner.pointer));
            match inner.keyword {
                "properties" => {
                    node.by_name.insert(inner.name.to_owned(), inner_at);
                    node.properties.push((inner.name.to_owned(), inner_at));
                }
                "additionalProperties" => node.additional = Some(inner_at),
                "propertyNames" => node.names = Some(inner_at),
                "prefixItems" => node.prefix.push(inner_at),
                "items" if members["items"].is_array() => node.prefix.push(inner_at),
                "items" => node.items = Some(inner_at),
                "allOf" => node.all.push(inner_at),
                "anyOf" => node.any.push(inner_at),
                "oneOf" => node.one.push(inner_at),
                _ => {}
            }
        }
        node
    }
}

/// A count as a whole number; one past what a value can have bounds nothing that it should not.
pub(crate) fn whole_count(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_f64().filter(|n| *n >= 0.0).map(|n| n as u64))
}
