//! A schema in words: what a value is expected to be, and the fields of it for an overview.

use crate::schema::{At, Bound, Count, Node, Schema};
use playbook_model::word::{count, or, thousands};
use serde_json::{Number, Value};
use std::cell::Cell;

/// For whom the words are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// A person: `a date such as 2026-04-01`.
    Person,
    /// An author: `a string in the format date, such as 2026-04-01`.
    Author,
}

/// The most alternatives a sentence names.
const NAMED: usize = 10;

pub(crate) struct Words<'a> {
    schema: &'a Schema,
    /// Fields it may still describe: a definition within itself would unfold into millions.
    left: Cell<usize>,
}

/// The most fields one description holds.
const DESCRIBED: usize = 500;

impl<'a> Words<'a> {
    pub(crate) fn new(schema: &'a Schema) -> Self {
        Self { schema, left: Cell::new(DESCRIBED) }
    }

    fn node(&self, at: At) -> &'a Node {
        &self.schema.nodes[at]
    }

    fn source(&self, at: At) -> Option<&'a Value> {
        self.schema.root.pointer(&self.node(at).pointer)
    }

    /// A schema's own description, else that of the definition it refers to, on one line.
    pub(crate) fn description(&self, at: At) -> Option<String> {
        let own = self.source(at).and_then(|schema| schema.get("description")).and_then(Value::as_str);
        match own.map(one_line).filter(|text| !text.is_empty()) {
            Some(text) => Some(text),
            None => self.description(self.node(at).reference?),
        }
    }

    /// What a schema expects; a definition is named.
    pub(crate) fn named(&self, at: At, style: Style) -> String {
        let phrase = self.phrase(at, style);
        let mut steps = self.node(at).pointer.split('/').skip(1);
        match (steps.next(), steps.next(), steps.next()) {
            (Some("$defs" | "definitions"), Some(name), None) => {
                let name = name.replace("~1", "/").replace("~0", "~");
                format!("{phrase}, as the definition {name} says")
            }
            _ => phrase,
        }
    }

    /// What a schema expects, as a noun with its article.
    pub(crate) fn phrase(&self, at: At, style: Style) -> String {
        self.specific(at, style, 0).unwrap_or_else(|| "any value".into())
    }

    /// `None` when the schema says nothing of what the value is.
    fn specific(&self, at: At, style: Style, within: usize) -> Option<String> {
        let node = self.node(at);
        if within > 8 {
            return None;
        }
        if node.never {
            return Some("no value".into());
        }
        if let Some(constant) = &node.constant {
            return Some(literal(constant));
        }
        if let Some(values) = &node.values {
            return Some(match values.as_slice() {
                [one] => literal(one),
                few if few.len() <= NAMED => format!("one of {}", or(&few.iter().map(literal).collect::<Vec<_>>())),
                many => format!("one of {} values", thousands(many.len() as u64)),
            });
        }
        if let Some(types) = node.types {
            let mut nouns: Vec<String> = Vec::new();
            for name in crate::keyword::TYPES {
                if types.has(name) && !(name == "integer" && types.has("number")) {
                    nouns.push(match (name, node.format) {
                        ("string", Some(_)) => self.format(at, style),
                        _ => noun(name).into(),
                    });
                }
            }
            return (!nouns.is_empty()).then(|| or(&nouns));
        }
        if let Some(reference) = node.reference
            && let Some(phrase) = self.specific(reference, style, within + 1)
        {
            return Some(phrase);
        }
        for alternatives in [&node.any, &node.one] {
            if alternatives.is_empty() {
                continue;
            }
            let mut phrases: Vec<String> = Vec::new();
            for inner in alternatives {
                let phrase = self.specific(*inner, style, within + 1).unwrap_or_else(|| "any value".into());
                if !phrases.contains(&phrase) {
                    phrases.push(phrase);
                }
            }
            return Some(match phrases.as_slice() {
                [one] if alternatives.len() > 1 => {
                    format!("{one} of one of {} forms", thousands(alternatives.len() as u64))
                }
                few if few.len() <= NAMED => or(few),
                many => format!("a value of one of {} forms", thousands(many.len() as u64)),
            });
        }
        if let Some(phrase) = node.all.iter().find_map(|inner| self.specific(*inner, style, within + 1)) {
            return Some(phrase);
        }
        if !node.properties.is_empty() || node.additional.is_some() || !node.required.is_empty() {
            return Some(noun("object").into());
        }
        if node.items.is_some() || !node.prefix.is_empty() {
            return Some(noun("array").into());
        }
        node.format.map(|_| self.format(at, style))
    }

    /// A format with its example.
    pub(crate) fn format(&self, at: At, style: Style) -> String {
        match (self.node(at).format, style) {
            (Some(format), Style::Person) => format!("{} such as {}", format.noun(), format.example()),
            (Some(format), Style::Author) => {
                format!("a string in the format {}, such as {}", format.name(), format.example())
            }
            (None, _) => noun("string").into(),
        }
    }

    pub(crate) fn bounded(&self, at: At, bound: Bound, limit: &Number) -> String {
        let whole = self.node(at).types.is_some_and(|types| types.has("integer") && !types.has("number"));
        format!("{} {}", noun(if whole { "integer" } else { "number" }), bound_words(bound, limit))
    }

    pub(crate) fn counted(&self, bound: Count, limit: u64) -> String {
        let of = match bound {
            Count::LeastCharacters | Count::MostCharacters => "string",
            Count::LeastItems | Count::MostItems => "array",
            Count::LeastMembers | Count::MostMembers => "object",
        };
        format!("{} of {}", noun(of), count_words(bound, limit))
    }

    pub(crate) fn several(&self, at: At) -> String {
        let forms = thousands(self.node(at).one.len() as u64);
        format!("a value of exactly one of {forms} forms, but more than one fits")
    }

    /// Everything a schema says of a value itself: the type and the bounds.
    pub(crate) fn full(&self, at: At, within: usize) -> String {
        let node = self.node(at);
        let mut words = self.phrase(at, Style::Person);
        let bounds = self.bounds(at, 0);
        if !bounds.is_empty() {
            words = format!("{words} {}", bounds.join(" and "));
        }
        if within < 8
            && node.constant.is_none()
            && let Some(items) = self.followed(at, |node| node.items)
        {
            words = format!("{words}, each {}", self.full(items, within + 1));
        }
        words
    }

    /// What a node says, else what the definition it refers to says.
    fn followed<T>(&self, at: At, read: impl Fn(&Node) -> Option<T>) -> Option<T> {
        let mut at = at;
        loop {
            let node = self.node(at);
            if let Some(found) = read(node) {
                return Some(found);
            }
            at = node.reference?;
        }
    }

    fn bounds(&self, at: At, within: usize) -> Vec<String> {
        let mut bounds = Vec::new();
        let mut next = Some(at);
        while let Some(at) = next {
            let node = self.node(at);
            let of = node.counts.iter().map(|(bound, limit)| count_words(*bound, *limit)).collect::<Vec<_>>();
            if !of.is_empty() {
                bounds.push(format!("of {}", of.join(" and ")));
            }
            bounds.extend(node.numbers.iter().map(|(bound, limit)| bound_words(*bound, limit)));
            if node.unique {
                bounds.push("whose items all differ".into());
            }
            if let Some(names) = node.names.filter(|_| within == 0) {
                let names: Vec<String> = self.bounds(names, within + 1);
                if !names.is_empty() {
                    bounds.push(format!("whose names are texts {}", names.join(" and ")));
                }
            }
            next = node.reference;
        }
        bounds
    }

    fn fields(&self, at: At, within: usize) -> Vec<Field> {
        let mut fields = Vec::new();
        if within > 6 || self.left.get() == 0 {
            return fields;
        }
        let node = self.node(at);
        for (name, inner) in &node.properties {
            if self.left.get() == 0 {
                return fields;
            }
            let presence = if node.requires(name) { Presence::Required } else { Presence::Optional };
            fields.push(self.field(name, presence, *inner, within));
        }
        if let Some(inner) = node.additional
            && self.says_something(inner)
        {
            fields.push(self.field("", Presence::EachOther, inner, within));
        }
        for (place, inner) in node.prefix.iter().enumerate() {
            fields.push(self.field(&format!("{}", place + 1), Presence::Place, *inner, within));
        }
        // A list shows the fields of its items, since the words of the list already say what each is.
        if let Some(items) = node.items {
            fields.extend(self.fields(items, within + 1));
        }
        for inner in node.reference.iter().chain(&node.all) {
            fields.extend(self.fields(*inner, within + 1));
        }
        fields
    }

    fn field(&self, name: &str, presence: Presence, at: At, within: usize) -> Field {
        self.left.set(self.left.get().saturating_sub(1));
        Field {
            name: name.to_owned(),
            presence,
            words: self.full(at, 0),
            description: self.description(at),
            fields: self.fields(at, within + 1),
        }
    }

    fn says_something(&self, at: At) -> bool {
        !self.node(at).never && (self.specific(at, Style::Person, 0).is_some() || !self.bounds(at, 0).is_empty())
    }
}

fn noun(name: &str) -> &'static str {
    match name {
        "string" => "a string",
        "number" => "a number",
        "integer" => "a whole number",
        "boolean" => "true or false",
        "object" => "an object",
        "array" => "a list",
        _ => "null",
    }
}

fn bound_words(bound: Bound, limit: &Number) -> String {
    match bound {
        Bound::Minimum => format!("of at least {limit}"),
        Bound::Maximum => format!("of at most {limit}"),
        Bound::Above => format!("greater than {limit}"),
        Bound::Below => format!("less than {limit}"),
        Bound::Multiple => format!("that is a multiple of {limit}"),
    }
}

pub(crate) fn count_words(bound: Count, limit: u64) -> String {
    match bound {
        Count::LeastCharacters => format!("at least {}", count(limit, "character", "characters")),
        Count::MostCharacters => format!("at most {}", count(limit, "character", "characters")),
        Count::LeastItems => format!("at least {}", count(limit, "item", "items")),
        Count::MostItems => format!("at most {}", count(limit, "item", "items")),
        Count::LeastMembers => format!("at least {}", count(limit, "member", "members")),
        Count::MostMembers => format!("at most {}", count(limit, "member", "members")),
    }
}

/// A fixed value of a schema as JSON, cut when it is long.
#[must_use]
pub fn literal(value: &Value) -> String {
    playbook_model::json::cut(&value.to_string(), 80)
}

/// A text on one line, without the period that ends it, cut at 200 bytes.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    playbook_model::json::cut(line.strip_suffix('.').unwrap_or(&line), 200)
}

/// A schema in words, for an overview.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// What the value is: `an object of at most 50 members`.
    pub words: String,
    /// The schema's own description, on one line without a final period.
    pub description: Option<String>,
    /// Its fields; those of its items for a list.
    pub fields: Vec<Field>,
}

/// A field of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its name; empty for [`Presence::EachOther`], its place from 1 for [`Presence::Place`].
    pub name: String,
    /// Whether it must be there.
    pub presence: Presence,
    /// What it is, with its bounds.
    pub words: String,
    /// Its description, on one line without a final period.
    pub description: Option<String>,
    /// Fields within it.
    pub fields: Vec<Field>,
}

/// Whether a field must be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// It must.
    Required,
    /// It may be left out.
    Optional,
    /// Every field that the schema does not name.
    EachOther,
    /// An item of a list at a fixed place.
    Place,
}

/// A schema in words; one with errors is any value.
#[must_use]
pub fn describe(schema: &Value) -> Shape {
    match Schema::compile(schema) {
        Ok(schema) => {
            let words = Words::new(&schema);
            Shape { words: words.full(0, 0), description: words.description(0), fields: words.fields(0, 0) }
        }
        Err(_) => Shape { words: "any value".into(), description: None, fields: Vec::new() },
    }
}
