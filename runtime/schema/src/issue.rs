//! Why a value does not fit: issues that quote no value, in an order a reader can follow.
//!
//! In one object the members that do not belong come first, then its properties in the order the schema lists them,
//! a missing one at its own place.

use crate::schema::{At, Bound, Check, Count, Node, Schema, all_differ};
use crate::words::{Style, Words, count_words};
use playbook_model::ending::Issue;
use playbook_model::json;
use playbook_model::limits::{ERROR_TEXT_BYTES, ISSUES_SHOWN, VALUE_LEVELS};
use playbook_model::word::{count, thousands};
use serde_json::{Map, Number, Value};
use std::collections::HashSet;

/// For whom an issue is written. "Answers that are JSON", "How a run ends".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// For the person who gave the input: the field's name, its description, the expectation in lower case.
    ///
    /// Every pointer starts with `/input`.
    Input,
    /// For the author of what made the value: the expectation alone, beside its pointer.
    Answer,
}

/// The pointer of a run's input.
const INPUT: &str = "/input";

/// The pointer form of an issue: `/day: Expected a string in the format date, such as 2026-04-01`.
///
/// An issue of the value itself is named by `whole`, such as `the answer`.
#[must_use]
pub fn pointed(issue: &Issue, whole: &str) -> String {
    if issue.pointer.is_empty() {
        format!("{whole}: {}", issue.detail)
    } else {
        format!("{}: {}", issue.pointer, issue.detail)
    }
}

/// How a value misses one schema.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Miss {
    Never,
    Type,
    Constant,
    Values,
    Format,
    Number(Bound, Number),
    Count(Count, u64),
    Unique,
    Missing,
    Extra,
    Name,
    Any,
    Several,
}

/// One step from the whole value inwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Step<'v> {
    Member(&'v str),
    Item(usize),
}

/// The most misses that are looked for: a value can have millions.
const FOUND: usize = 10_000;

/// A member that the schema requires and says nothing else of has no schema of its own.
const UNNAMED: At = At::MAX;

struct Found<'v> {
    path: Vec<Step<'v>>,
    at: At,
    miss: Miss,
}

impl Schema {
    /// Why a value does not fit; empty when it does.
    ///
    /// Each distinct issue once, at most 20, then one that counts the rest at the whole value.
    /// A value that nests deeper than 512 levels has that issue alone.
    #[must_use]
    pub fn issues(&self, value: &Value, manner: Manner) -> Vec<Issue> {
        let whole = match manner {
            Manner::Input => INPUT.to_owned(),
            Manner::Answer => String::new(),
        };
        if json::depth(value) > VALUE_LEVELS {
            let expected = format!("xpected at most {VALUE_LEVELS} levels of lists and objects");
            let detail = match manner {
                Manner::Input => format!("{}: e{expected}", label(&[], manner)),
                Manner::Answer => format!("E{expected}"),
            };
            return vec![Issue { detail, pointer: whole }];
        }
        if self.is_valid(value) {
            return Vec::new();
        }
        let mut collect = Collect { check: Check::new(self), schema: self, seen: HashSet::new(), found: Vec::new() };
        collect.value(0, value, &mut Vec::new());
        let mut distinct = HashSet::new();
        let mut issues = Vec::new();
        let mut rest = 0u64;
        for found in &collect.found {
            let issue = self.issue(found, manner, &whole);
            if !distinct.insert(issue.clone()) {
                continue;
            }
            if issues.len() < ISSUES_SHOWN {
                issues.push(issue);
            } else {
                rest += 1;
            }
        }
        if rest > 0 {
            let verb = if rest == 1 { "is" } else { "are" };
            let least = if collect.full() { "at least " } else { "" };
            let detail = format!("{least}{} {verb} not shown", count(rest, "more issue", "more issues"));
            issues.push(Issue { detail, pointer: whole });
        }
        issues
    }

    fn issue(&self, found: &Found<'_>, manner: Manner, whole: &str) -> Issue {
        let mut pointer = whole.to_owned();
        for step in &found.path {
            pointer = match step {
                Step::Member(name) => json::join(&pointer, name),
                Step::Item(place) => format!("{pointer}/{place}"),
            };
        }
        let words = Words::new(self);
        let detail = match manner {
            Manner::Input => {
                let told = found.at != UNNAMED && !matches!(found.miss, Miss::Extra | Miss::Name);
                let named = match told.then(|| words.description(found.at)).flatten() {
                    Some(description) => format!("{}, {description}", label(&found.path, manner)),
                    None => label(&found.path, manner),
                };
                format!("{named}: expected {}", expectation(&words, found, Style::Person))
            }
            Manner::Answer => format!("Expected {}", expectation(&words, found, Style::Author)),
        };
        Issue { detail: json::cut(&detail, ERROR_TEXT_BYTES), pointer: json::cut(&pointer, ERROR_TEXT_BYTES) }
    }
}

/// The name of a field for a person: its own, with the place of an item in it.
fn label(path: &[Step<'_>], manner: Manner) -> String {
    let own = path.iter().rposition(|step| matches!(step, Step::Member(_)));
    let mut name = match own.map(|at| path[at]) {
        Some(Step::Member(name)) => name.to_owned(),
        _ => match manner {
            Manner::Input => "the input".to_owned(),
            Manner::Answer => "the answer".to_owned(),
        },
    };
    for step in &path[own.map_or(0, |at| at + 1)..] {
        if let Step::Item(place) = step {
            name = format!("{name}, item {}", thousands(*place as u64 + 1));
        }
    }
    name
}

fn expectation(words: &Words<'_>, found: &Found<'_>, style: Style) -> String {
    let field = if style == Style::Person { "field" } else { "member" };
    match &found.miss {
        Miss::Never => "no value here".into(),
        Miss::Type | Miss::Constant | Miss::Values | Miss::Any => words.named(found.at, style),
        Miss::Format => words.format(found.at, style),
        Miss::Number(bound, limit) => words.bounded(found.at, *bound, limit),
        // Its type is right, so only the bound is news to a person.
        Miss::Count(bound, limit) if style == Style::Person => count_words(*bound, *limit),
        Miss::Count(bound, limit) => words.counted(*bound, *limit),
        Miss::Unique => "a list whose items all differ".into(),
        Miss::Missing if found.at == UNNAMED => "a value, but it is missing".into(),
        Miss::Missing => format!("{}, but it is missing", words.phrase(found.at, style)),
        Miss::Extra => format!("no {field} of this name"),
        Miss::Name => format!("a {field} whose name is {}", words.full(found.at, 0)),
        Miss::Several => words.several(found.at),
    }
}

struct Collect<'v> {
    check: Check<'v>,
    schema: &'v Schema,
    seen: HashSet<(At, *const Value)>,
    found: Vec<Found<'v>>,
}

impl<'v> Collect<'v> {
    fn full(&self) -> bool {
        self.found.len() >= FOUND
    }

    fn push(&mut self, path: &[Step<'v>], at: At, miss: Miss) {
        if self.full() {
            return;
        }
        self.found.push(Found { path: path.to_vec(), at, miss });
    }

    fn value(&mut self, at: At, value: &'v Value, path: &mut Vec<Step<'v>>) {
        if self.full() || !self.seen.insert((at, std::ptr::from_ref(value))) {
            return;
        }
        stacker::maybe_grow(256 * 1024, 2 * 1024 * 1024, || self.judge(at, value, path));
    }

    fn judge(&mut self, at: At, value: &'v Value, path: &mut Vec<Step<'v>>) {
        let node = &self.schema.nodes[at];
        if node.never {
            return self.push(path, at, Miss::Never);
        }
        if let Some(reference) = node.reference {
            self.value(reference, value, path);
            if node.alone {
                return;
            }
        }
        self.itself(at, node, value, path);
        if let Value::Object(members) = value {
            self.extras(node, members, path);
        }
        for inner in &node.all {
            self.value(*inner, value, path);
        }
        self.alternatives(at, node, value, path);
        match value {
            Value::Object(members) => self.members(at, node, members, path),
            Value::Array(list) => {
                for (place, item) in list.iter().enumerate() {
                    if let Some(inner) = node.prefix.get(place).copied().or(node.items) {
                        path.push(Step::Item(place));
                        self.value(inner, item, path);
                        path.pop();
                    }
                }
            }
            _ => {}
        }
    }

    fn itself(&mut self, at: At, node: &Node, value: &'v Value, path: &[Step<'v>]) {
        if node.types.is_some_and(|types| !types.take(value)) {
            return self.push(path, at, Miss::Type);
        }
        if node.constant.as_ref().is_some_and(|constant| !json::same(constant, value)) {
            self.push(path, at, Miss::Constant);
        }
        if node.values.as_ref().is_some_and(|values| !values.iter().any(|listed| json::same(listed, value))) {
            self.push(path, at, Miss::Values);
        }
        for (bound, limit) in &node.counts {
            if bound.keeps(*limit, value) == Some(false) {
                self.push(path, at, Miss::Count(*bound, *limit));
            }
        }
        match value {
            Value::Number(number) => {
                for (bound, limit) in &node.numbers {
                    if !bound.keeps(limit, number) {
                        self.push(path, at, Miss::Number(*bound, limit.clone()));
                    }
                }
            }
            Value::String(text) if node.format.is_some_and(|format| !format.fits(text)) => {
                self.push(path, at, Miss::Format);
            }
            Value::Array(list) if node.unique && !all_differ(list) => self.push(path, at, Miss::Unique),
            _ => {}
        }
    }

    /// Members that may not be there, and members whose name does not fit.
    fn extras(&mut self, node: &Node, members: &'v Map<String, Value>, path: &mut Vec<Step<'v>>) {
        for name in members.keys() {
            let inner = if node.property(name).is_some() { None } else { node.additional };
            if let Some(inner) = inner
                && self.schema.nodes[inner].never
            {
                path.push(Step::Member(name));
                self.push(path, inner, Miss::Extra);
                path.pop();
            } else if let Some(names) = node.names
                && !self.check.name_fits(names, name)
            {
                path.push(Step::Member(name));
                self.push(path, names, Miss::Name);
                path.pop();
            }
        }
    }

    fn members(&mut self, at: At, node: &'v Node, members: &'v Map<String, Value>, path: &mut Vec<Step<'v>>) {
        let schema = self.schema;
        for (name, inner) in &schema.nodes[at].properties {
            if self.full() {
                return;
            }
            match members.get_key_value(name) {
                Some((name, value)) => {
                    path.push(Step::Member(name));
                    self.value(*inner, value, path);
                    path.pop();
                }
                None if node.requires(name) => self.missing(name, *inner, path),
                None => {}
            }
        }
        for name in &schema.nodes[at].required {
            if node.property(name).is_none() && !members.contains_key(name) {
                self.missing(name, node.additional.unwrap_or(UNNAMED), path);
            }
        }
        if let Some(inner) = node.additional.filter(|inner| !schema.nodes[*inner].never) {
            for (name, value) in members.iter().filter(|(name, _)| node.property(name).is_none()) {
                path.push(Step::Member(name));
                self.value(inner, value, path);
                path.pop();
            }
        }
    }

    fn missing(&mut self, name: &'v str, at: At, path: &mut Vec<Step<'v>>) {
        path.push(Step::Member(name));
        self.push(path, at, Miss::Missing);
        path.pop();
    }

    fn alternatives(&mut self, at: At, node: &Node, value: &'v Value, path: &mut Vec<Step<'v>>) {
        if !node.any.is_empty() && !node.any.iter().any(|inner| self.check.fits(*inner, value)) {
            self.nearest(at, &node.any, value, path);
        }
        if !node.one.is_empty() {
            match node.one.iter().filter(|inner| self.check.fits(**inner, value)).take(2).count() {
                0 => self.nearest(at, &node.one, value, path),
                1 => {}
                _ => self.push(path, at, Miss::Several),
            }
        }
    }

    /// The issues of the one alternative that the value was clearly meant for, else one issue that names them all.
    fn nearest(&mut self, at: At, alternatives: &[At], value: &'v Value, path: &mut Vec<Step<'v>>) {
        let mut meant = alternatives.iter().filter(|inner| self.meant(**inner, value));
        match (meant.next().copied(), meant.next()) {
            (Some(only), None) => {
                let before = self.found.len();
                self.value(only, value, path);
                if self.found.len() == before {
                    self.push(path, at, Miss::Any);
                }
            }
            _ => self.push(path, at, Miss::Any),
        }
    }

    /// Whether a value has the type of a schema, and the fixed values by which its kind is told.
    fn meant(&self, at: At, value: &Value) -> bool {
        let node = &self.schema.nodes[at];
        let fixed = |node: &Node, value: &Value| {
            node.constant.as_ref().is_none_or(|constant| json::same(constant, value))
                && node.values.as_ref().is_none_or(|values| values.iter().any(|listed| json::same(listed, value)))
        };
        if node.never || node.reference.is_some_and(|reference| !self.meant(reference, value)) {
            return false;
        }
        if node.alone {
            return true;
        }
        node.types.is_none_or(|types| types.take(value))
            && fixed(node, value)
            && node.all.iter().all(|inner| self.meant(*inner, value))
            && value.as_object().is_none_or(|members| {
                node.properties.iter().all(|(name, inner)| {
                    let inner = &self.schema.nodes[*inner];
                    match members.get(name) {
                        Some(value) => fixed(inner, value),
                        None => inner.constant.is_none() || !node.requires(name),
                    }
                })
            })
    }
}
