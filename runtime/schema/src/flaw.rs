//! What is wrong with a schema: every rule of "Answers that are JSON" that a save checks.

use crate::draft::Draft;
use crate::format::Format;
use crate::keyword::{self, Applied, FOREIGN, FORMATS, KNOWN, REFUSED, Shape, TYPES};
use playbook_model::json;
use playbook_model::limits::{ENUM_VALUES, SCHEMA_BYTES, SCHEMA_LEVELS};
use playbook_model::problem::Severity;
use playbook_model::word::{nearest, or, thousands};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap};

/// One mistake in a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// Where, as a JSON Pointer from the schema's root.
    pub pointer: String,
    /// A stable word such as `schema.format`.
    pub code: &'static str,
    /// One sentence that stands alone.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// An error refuses the schema.
    pub severity: Severity,
}

/// The most schemas one value may have to be checked against through `$ref`, `allOf`, `anyOf` and `oneOf`.
///
/// A reference counts once for each way to reach it, so a short schema can name millions of ways.
pub const REACH: u64 = 4_096;

/// The most schemas that may lie within one another without a property or an item in between.
pub const REACH_IN_A_ROW: u32 = 128;

/// Every flaw of a schema, in the order of its keys; errors and warnings alike.
///
/// A schema that is too large or too deep has that flaw alone.
#[must_use]
pub fn flaws(root: &Value) -> Vec<Flaw> {
    let Some(members) = root.as_object() else {
        return vec![ended(error("", "schema.shape", "A schema must be an object".into()))];
    };
    let levels = json::depth(root);
    if levels > SCHEMA_LEVELS {
        let message = format!("The schema nests {levels} levels deep; at most {SCHEMA_LEVELS} are taken");
        return vec![ended(error("", "schema.levels", message))];
    }
    let bytes = json::bytes(root);
    if bytes > SCHEMA_BYTES {
        let (bytes, most) = (thousands(bytes as u64), thousands(SCHEMA_BYTES as u64));
        let message = format!("The schema is {bytes} bytes as JSON; at most {most} are taken");
        return vec![ended(error("", "schema.size", message))];
    }
    let mut walk = Walk { root, draft: Draft::of(root), flaws: Vec::new() };
    walk.dialect(members);
    walk.schema(root, "");
    let looping = walk.loops();
    if !looping {
        walk.reach();
    }
    walk.flaws.into_iter().map(ended).collect()
}

/// Sentences end with a period.
fn ended(mut flaw: Flaw) -> Flaw {
    for text in [Some(&mut flaw.message), flaw.hint.as_mut()].into_iter().flatten() {
        if !text.ends_with(['.', '?']) {
            text.push('.');
        }
    }
    flaw
}

/// The errors among flaws: what refuses the schema.
pub fn errors(flaws: &[Flaw]) -> impl Iterator<Item = &Flaw> {
    flaws.iter().filter(|flaw| flaw.severity == Severity::Error)
}

fn error(pointer: &str, code: &'static str, message: String) -> Flaw {
    Flaw { pointer: pointer.into(), code, message, hint: None, severity: Severity::Error }
}

struct Walk<'a> {
    root: &'a Value,
    draft: Draft,
    flaws: Vec<Flaw>,
}

impl Walk<'_> {
    fn error(&mut self, pointer: &str, code: &'static str, message: impl Into<String>) {
        self.flaws.push(error(pointer, code, message.into()));
    }

    fn error_with(&mut self, pointer: &str, code: &'static str, message: impl Into<String>, hint: impl Into<String>) {
        self.flaws.push(Flaw { hint: Some(hint.into()), ..error(pointer, code, message.into()) });
    }

    fn warning(&mut self, pointer: &str, code: &'static str, message: String, hint: Option<String>) {
        self.flaws.push(Flaw { hint, severity: Severity::Warning, ..error(pointer, code, message) });
    }

    /// The root's `$schema`: only two drafts are read, so any other is read as draft 2020-12.
    fn dialect(&mut self, root: &Map<String, Value>) {
        if let Some(Value::String(uri)) = root.get("$schema")
            && !Draft::is_named_by(uri)
        {
            self.warning(
                "/$schema",
                "schema.draft",
                "The runtime does not know this $schema, and reads the schema as draft 2020-12".into(),
                Some("Leave $schema out, or write https://json-schema.org/draft/2020-12/schema or http://json-schema.org/draft-07/schema#".into()),
            );
        }
    }

    fn schema(&mut self, schema: &Value, at: &str) {
        let members = match schema {
            Value::Bool(_) => return,
            Value::Object(members) => members,
            _ => return self.error(at, "schema.shape", "A schema must be an object, true or false"),
        };
        for (keyword, value) in members {
            let here = json::join(at, keyword);
            if let Some(family) = REFUSED.iter().find(|family| family.keywords.contains(&keyword.as_str())) {
                self.error_with(&here, family.code, format!("{keyword} {}", family.why), family.hint);
                continue;
            }
            match keyword::shape(keyword) {
                None => self.unknown(keyword, &here),
                Some(Shape::Own) => self.own(keyword, value, &here),
                Some(shape) => self.shape(shape, keyword, value, &here),
            }
        }
        self.together(members, at);
        for inner in keyword::inside(members, self.draft) {
            self.schema(inner.schema, &format!("{at}{}", inner.pointer));
        }
    }

    fn unknown(&mut self, keyword: &str, here: &str) {
        let hint = FOREIGN
            .iter()
            .find(|(foreign, _)| *foreign == keyword)
            .map(|(_, instead)| (*instead).to_owned())
            .or_else(|| nearest(keyword, KNOWN).map(|near| format!("Did you mean {near}?")));
        self.warning(
            here,
            "schema.keyword.unknown",
            format!("The runtime does not know the keyword {keyword}, and checks nothing for it"),
            hint,
        );
    }

    fn shape(&mut self, shape: Shape, keyword: &str, value: &Value, here: &str) {
        let wanted = match (shape, value) {
            (Shape::Any | Shape::Schema | Shape::Own, _)
            | (Shape::Number, Value::Number(_))
            | (Shape::Boolean, Value::Bool(_))
            | (Shape::Text, Value::String(_))
            | (Shape::List, Value::Array(_))
            | (Shape::Named, Value::Object(_)) => return,
            (Shape::Positive, Value::Number(n)) if n.as_f64().is_some_and(|n| n > 0.0) => return,
            (Shape::Count, Value::Number(n)) if n.as_f64().is_some_and(|n| n >= 0.0 && n.fract() == 0.0) => return,
            (Shape::Texts, Value::Array(list)) if list.iter().all(Value::is_string) => return,
            (Shape::Schemas, Value::Array(list)) if list.is_empty() => {
                return self.error(here, "schema.empty", format!("{keyword} must list at least one schema"));
            }
            (Shape::Schemas, Value::Array(_)) => return self.passed_over(keyword, here),
            (Shape::Items, Value::Array(_)) if self.draft == Draft::TwentyTwenty => {
                return self.error_with(
                    here,
                    "schema.shape",
                    "items must be one schema in draft 2020-12",
                    "Write prefixItems for a schema of each place",
                );
            }
            (Shape::Items, _) => return,
            (Shape::Number, _) => "a number",
            (Shape::Boolean, _) => "true or false",
            (Shape::Text, _) => "text",
            (Shape::List, _) => "a list",
            (Shape::Named, _) => "an object that gives each name its schema",
            (Shape::Positive, _) => "a number above 0",
            (Shape::Count, _) => "a whole number of 0 or more",
            (Shape::Texts, _) => "a list of names",
            (Shape::Schemas, _) => "a list of schemas",
        };
        self.error(here, "schema.shape", format!("{keyword} must be {wanted}"));
    }

    /// `prefixItems` means nothing in draft-07.
    fn passed_over(&mut self, keyword: &str, here: &str) {
        if keyword == "prefixItems" && self.draft == Draft::Seven {
            self.warning(
                here,
                "schema.keyword.unknown",
                "The schema is read as draft-07, which does not know prefixItems, so nothing is checked for it".into(),
                Some("Write the list under items, or put the definitions under $defs".into()),
            );
        }
    }

    fn own(&mut self, keyword: &str, value: &Value, here: &str) {
        match keyword {
            "type" => self.type_names(value, here),
            "enum" => self.values(value, here),
            "const" if !is_scalar(value) => {
                self.error(here, "schema.const", "const must be a string, a number, true, false or null");
            }
            "not" if !value.as_object().is_some_and(Map::is_empty) => {
                self.error(here, "schema.not", "not may only be {}, which no value fits");
            }
            "format" => self.format(value, here),
            "$ref" => self.reference(value, here),
            _ => {}
        }
    }

    fn type_names(&mut self, value: &Value, here: &str) {
        let names: Vec<(String, &Value)> = match value {
            Value::Array(list) if list.is_empty() => {
                return self.error(here, "schema.empty", "type must name at least one type");
            }
            Value::Array(list) => list.iter().enumerate().map(|(at, name)| (format!("{here}/{at}"), name)).collect(),
            other => vec![(here.to_owned(), other)],
        };
        for (at, name) in names {
            if !name.as_str().is_some_and(|name| TYPES.contains(&name)) {
                let hint = name.as_str().and_then(|name| {
                    let other = match name {
                        "str" | "text" => Some("string"),
                        "int" => Some("integer"),
                        "float" | "double" | "decimal" => Some("number"),
                        "bool" => Some("boolean"),
                        "list" | "tuple" => Some("array"),
                        "map" | "dict" | "record" => Some("object"),
                        _ => nearest(name, TYPES),
                    };
                    other.map(|near| format!("Did you mean {near}?"))
                });
                let hint = hint.or_else(|| name.is_null().then(|| "Put the word in quotes: 'null'".to_owned()));
                let flaw = error(&at, "schema.type", format!("A type must be one of {}", or(&TYPES)));
                self.flaws.push(Flaw { hint, ..flaw });
            }
        }
    }

    fn values(&mut self, value: &Value, here: &str) {
        let Some(list) = value.as_array() else {
            return self.error(here, "schema.shape", "enum must be a list of values");
        };
        if list.is_empty() {
            return self.error(here, "schema.empty", "enum must list at least one value");
        }
        if list.len() > ENUM_VALUES {
            let (count, most) = (thousands(list.len() as u64), thousands(ENUM_VALUES as u64));
            self.error(here, "schema.enum.size", format!("The enum lists {count} values; at most {most} are taken"));
        }
        for (at, value) in list.iter().enumerate() {
            if !is_scalar(value) {
                let at = format!("{here}/{at}");
                self.error(&at, "schema.enum", "A value of enum must be a string, a number, true, false or null");
            }
        }
    }

    fn format(&mut self, value: &Value, here: &str) {
        let Some(name) = value.as_str() else {
            return self.error(here, "schema.shape", "format must be text");
        };
        if Format::parse(name).is_none() {
            let message = format!("The runtime checks only the formats {}", playbook_model::word::and(&FORMATS));
            let hint = match name {
                "datetime" | "timestamp" => Some("date-time"),
                "url" | "iri" => Some("uri"),
                "guid" => Some("uuid"),
                "idn-email" | "mail" => Some("email"),
                _ => nearest(name, FORMATS),
            };
            let hint = match hint {
                Some(near) => format!("Did you mean {near}?"),
                None => "Leave the format out, and say in the description what the text holds".into(),
            };
            self.error_with(here, "schema.format", message, hint);
        }
    }

    fn reference(&mut self, value: &Value, here: &str) {
        let Some((keyword, name)) = value.as_str().and_then(keyword::referred) else {
            return self.error(here, "schema.ref", "$ref may point only to #/$defs/<name> or #/definitions/<name>");
        };
        let defined = self.root.get(keyword).and_then(Value::as_object);
        if defined.is_some_and(|defined| defined.contains_key(&name)) {
            return;
        }
        let near = defined.and_then(|defined| nearest(&name, defined.keys().map(String::as_str)));
        let message = format!("There is no definition of this name under {keyword} at the root of the schema");
        let hint = near.map(|near| format!("Did you mean #/{keyword}/{near}?"));
        self.flaws.push(Flaw { hint, ..error(here, "schema.ref.missing", message) });
    }

    /// Rules about keywords beside one another.
    fn together(&mut self, members: &Map<String, Value>, at: &str) {
        let properties = members.get("properties").and_then(Value::as_object);
        let additional = members.get("additionalProperties");
        if members.contains_key("properties") && additional.is_some_and(Value::is_object) {
            self.error_with(
                &format!("{at}/additionalProperties"),
                "schema.additional-properties",
                "additionalProperties may not be a schema when properties is present",
                "Write true or false, or leave properties out and describe every member with additionalProperties",
            );
        }
        if let (Some(properties), Some(Value::Bool(false)), Some(Value::Array(required))) =
            (properties, additional, members.get("required"))
        {
            for (place, name) in required.iter().enumerate() {
                if let Some(name) = name.as_str()
                    && !properties.contains_key(name)
                {
                    let hint = nearest(name, properties.keys().map(String::as_str));
                    self.warning(
                        &format!("{at}/required/{place}"),
                        "schema.required.unknown",
                        "No value fits: this member is required, and additionalProperties: false lets only the members of properties in".into(),
                        hint.map(|near| format!("Did you mean {near}?")),
                    );
                }
            }
        }
        if self.draft == Draft::Seven && members.contains_key("$ref") {
            let beside: Vec<&str> = members
                .keys()
                .map(String::as_str)
                .filter(|k| {
                    !matches!(
                        *k,
                        "$ref" | "title" | "description" | "$comment" | "$schema" | "$id" | "definitions" | "$defs"
                    )
                })
                .collect();
            if !beside.is_empty() {
                self.warning(
                    &format!("{at}/$ref"),
                    "schema.ref.beside",
                    "The schema is read as draft-07, which checks nothing that stands beside a $ref".into(),
                    Some("Put the definitions under $defs, or put the $ref into allOf".into()),
                );
            }
        }
    }

    /// The definitions by pointer, those of `definitions` first.
    fn definitions(&self) -> BTreeMap<String, &Value> {
        let mut found = BTreeMap::new();
        for keyword in ["definitions", "$defs"] {
            for (name, schema) in self.root.get(keyword).and_then(Value::as_object).into_iter().flatten() {
                found.insert(format!("/{keyword}/{}", json::escape(name)), schema);
            }
        }
        found
    }

    /// Reports each definition that leads back to itself with no property or item in between.
    fn loops(&mut self) -> bool {
        let definitions = self.definitions();
        let order = settle_order(&definitions, self.root, self.draft);
        let left: BTreeMap<&String, Vec<String>> = definitions
            .iter()
            .filter(|(name, _)| !order.contains_key(*name))
            .map(|(name, schema)| {
                let mut references = in_place(schema, self.root, self.draft).references;
                references.sort();
                references.dedup();
                (name, references)
            })
            .collect();
        // A definition that leads into a loop is not itself on one: what nothing refers to is taken away, over and over.
        let mut referred: HashMap<&String, usize> = left.keys().map(|name| (*name, 0)).collect();
        for reference in left.values().flatten() {
            if let Some(count) = referred.get_mut(reference) {
                *count += 1;
            }
        }
        let mut free: Vec<&String> = referred.iter().filter(|(_, count)| **count == 0).map(|(name, _)| *name).collect();
        while let Some(name) = free.pop() {
            referred.remove(name);
            for reference in left.get(name).into_iter().flatten() {
                if let Some((reference, count)) = referred.get_key_value(reference).map(|(name, count)| (*name, *count))
                {
                    referred.insert(reference, count - 1);
                    if count == 1 {
                        free.push(reference);
                    }
                }
            }
        }
        let looping: Vec<String> =
            left.keys().filter(|name| referred.contains_key(*name)).map(|name| (*name).clone()).collect();
        for pointer in &looping {
            self.error_with(
                pointer,
                "schema.loop",
                "The definition refers back to itself through $ref, allOf, anyOf or oneOf with no property or item in between",
                "Refer to the definition from a property or from items, as a tree does",
            );
        }
        !looping.is_empty()
    }

    /// Reports the first place where one value would be checked against too many schemas.
    fn reach(&mut self) {
        let definitions = self.definitions();
        let mut reached: HashMap<String, (u64, u32)> = HashMap::new();
        let mut order: Vec<(usize, String)> =
            settle_order(&definitions, self.root, self.draft).into_iter().map(|(name, at)| (at, name)).collect();
        order.sort();
        let sum = |place: &InPlace, reached: &HashMap<String, (u64, u32)>| {
            place.references.iter().fold((place.schemas, place.row), |(count, row), name| {
                let (more, below) = reached.get(name).copied().unwrap_or_default();
                (count.saturating_add(more), row.max(place.row.saturating_add(below)))
            })
        };
        let mut over: Option<(String, (u64, u32))> = None;
        for (_, name) in &order {
            let found = sum(&in_place(definitions[name], self.root, self.draft), &reached);
            if over.is_none() && too_much(found) {
                over = Some((name.clone(), found));
            }
            reached.insert(name.clone(), found);
        }
        if over.is_none() {
            let mut places = vec![(String::new(), self.root)];
            while let Some((pointer, schema)) = places.pop() {
                let found = sum(&in_place(schema, self.root, self.draft), &reached);
                if too_much(found) {
                    over = Some((pointer, found));
                    break;
                }
                let inner = schema.as_object().map(|members| keyword::inside(members, self.draft)).unwrap_or_default();
                places.extend(inner.into_iter().map(|inner| (format!("{pointer}{}", inner.pointer), inner.schema)));
            }
        }
        if let Some((pointer, (count, _))) = over {
            let message = if count > REACH {
                format!(
                    "One value would be checked against more than {} schemas through $ref, allOf, anyOf and oneOf",
                    thousands(REACH)
                )
            } else {
                format!(
                    "More than {REACH_IN_A_ROW} schemas lie within one another through $ref, allOf, anyOf and oneOf with no property or item in between"
                )
            };
            self.error_with(
                &pointer,
                "schema.reach",
                message,
                "Name fewer alternatives, or put a property between them",
            );
        }
    }
}

fn too_much((count, row): (u64, u32)) -> bool {
    count > REACH || row > REACH_IN_A_ROW
}

fn is_scalar(value: &Value) -> bool {
    !matches!(value, Value::Array(_) | Value::Object(_))
}

/// What one schema applies to the same value, itself included.
struct InPlace {
    schemas: u64,
    row: u32,
    references: Vec<String>,
}

fn in_place(schema: &Value, root: &Value, draft: Draft) -> InPlace {
    let mut found = InPlace { schemas: 0, row: 0, references: Vec::new() };
    let mut open = vec![(schema, 1)];
    while let Some((schema, row)) = open.pop() {
        found.schemas += 1;
        found.row = found.row.max(row);
        let Some(members) = schema.as_object() else { continue };
        let reference = members.get("$ref").and_then(Value::as_str);
        if let Some((pointer, _)) = reference.and_then(|reference| keyword::resolve(root, reference)) {
            found.references.push(pointer);
        }
        if reference.is_some() && draft == Draft::Seven {
            continue;
        }
        let inner = keyword::inside(members, draft).into_iter().filter(|inner| inner.applied == Applied::InPlace);
        open.extend(inner.map(|inner| (inner.schema, row + 1)));
    }
    found
}

/// Definitions in an order in which each comes after all it refers to in place; those on or before a loop are left out.
fn settle_order(definitions: &BTreeMap<String, &Value>, root: &Value, draft: Draft) -> HashMap<String, usize> {
    let mut waits: HashMap<&str, usize> = HashMap::new();
    let mut waiting_for: HashMap<String, Vec<&str>> = HashMap::new();
    let mut ready = Vec::new();
    for (name, schema) in definitions {
        let mut references = in_place(schema, root, draft).references;
        references.sort();
        references.dedup();
        if references.is_empty() {
            ready.push(name.as_str());
        }
        waits.insert(name, references.len());
        for reference in references {
            waiting_for.entry(reference).or_default().push(name);
        }
    }
    let mut order = HashMap::new();
    while let Some(name) = ready.pop() {
        order.insert(name.to_owned(), order.len());
        for waiting in waiting_for.get(name).into_iter().flatten() {
            let left = waits.get_mut(waiting).expect("every definition was counted");
            *left -= 1;
            if *left == 0 {
                ready.push(waiting);
            }
        }
    }
    order
}
