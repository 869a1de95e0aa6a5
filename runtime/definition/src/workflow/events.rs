//! The tasks of events: `listen` and `emit`. "Waiting for events", "Emitting an event".

use super::draft::{Draft, Foreign};
use super::kinds::is_uri;
use super::program::{Attribute, Kind, Listening, Match, Reading, Rule, Takes};
use super::sight::{Around, At, Sight};
use super::tasks::Standing;
use super::value::inside;
use crate::filter::is_attribute;
use crate::yaml::shown;
use playbook_model::event::{OWN_ATTRIBUTES, OWN_SOURCES};
use playbook_model::json;
use playbook_model::limits::ATTRIBUTE_CHARACTERS;
use playbook_model::record::RECORDED_TYPES;
use playbook_model::word::nearest;
use serde_json::Value;

const READS: [&str; 3] = ["data", "envelope", "raw"];
/// The attributes of an emitted event that CloudEvents names.
const EMITTED: [&str; 8] =
    ["type", "source", "subject", "time", "data", "datacontenttype", "dataschema", "specversion"];

impl Draft<'_, '_> {
    pub(super) fn listen(&mut self, here: &str, value: &Value) -> Option<Kind> {
        let members = self.mapping(here, value, "listen")?;
        self.known(here, members, "listen", &["to", "read"], |name| match name {
            "one" | "any" | "all" => Some(Foreign::Hint("Write it under to.")),
            "foreach" => Some(Foreign::Refused("listen with foreach is not supported.")),
            "until" => Some(Foreign::Refused("listen with until is not supported.")),
            _ => None,
        });
        self.needs(here, members, &["to"]);
        let read = members.get("read").and_then(|value| {
            let here = format!("{here}/read");
            let text = self.text(&here, value, "read")?;
            self.one_of("workflow.read", &here, text, "read is data, envelope or raw.", &READS)
        });
        let read = if matches!(read, Some("envelope" | "raw")) { Reading::Whole } else { Reading::Data };
        let here = format!("{here}/to");
        let to = self.mapping(&here, members.get("to")?, "to")?;
        self.known(&here, to, "to", &["one", "any", "all"], |name| match name {
            "until" => Some(Foreign::Refused("listen with until is not supported.")),
            "foreach" => Some(Foreign::Refused("listen with foreach is not supported.")),
            "with" => Some(Foreign::Hint("Write it under one, as to: { one: { with: … } }.")),
            _ => None,
        });
        let named: Vec<&str> = ["one", "any", "all"].into_iter().filter(|name| to.contains_key(*name)).collect();
        let [takes] = named.as_slice() else {
            let message = if named.is_empty() {
                "It needs one, any or all".to_owned()
            } else {
                format!("listen takes one of one, any and all; this one has {}.", named.join(" and "))
            };
            self.refuse("workflow.listen", &here, message);
            return None;
        };
        let value = &to[*takes];
        let here = format!("{here}/{takes}");
        let mut filters = Vec::new();
        if *takes == "one" {
            filters.extend(self.matching(&here, value));
        } else {
            for (at, value) in self.list(&here, value, takes)?.iter().enumerate() {
                filters.extend(self.matching(&format!("{here}/{at}"), value));
            }
        }
        let takes = if *takes == "all" { Takes::All } else { Takes::Any };
        Some(Kind::Listen(Listening { takes, filters, read }))
    }

    /// `with` of a filter; refuses what else it has.
    pub(super) fn filter<'v>(&mut self, here: &str, value: &'v Value) -> Option<&'v serde_json::Map<String, Value>> {
        let members = self.mapping(here, value, "A filter")?;
        self.known(here, members, "a filter", &["with"], |name| match name {
            "correlate" => Some(Foreign::Refused("A filter with correlate is not supported.")),
            "type" | "source" | "subject" | "data" => Some(Foreign::Hint("Write it under with.")),
            _ => None,
        });
        self.needs(here, members, &["with"]);
        let here = format!("{here}/with");
        let with = self.mapping(&here, members.get("with")?, "with")?;
        if with.is_empty() {
            self.refuse("workflow.filter", &here, "A filter names at least one attribute, such as type.");
            return None;
        }
        Some(with)
    }

    fn matching(&mut self, here: &str, value: &Value) -> Option<Match> {
        let with = self.filter(here, value)?;
        let sight = Sight::of(At::Filter, &Around::default());
        let mut found = Match { kind: None, attributes: Vec::new() };
        for (name, value) in with {
            let here = json::join(&format!("{here}/with"), name);
            if name != "data" && !is_attribute(name) {
                let message = format!("No event has an attribute named {}, so it is always null.", shown(name));
                let hint = format!(
                    "CloudEvents names an attribute in at most {ATTRIBUTE_CHARACTERS} lowercase letters and digits."
                );
                self.warn("workflow.filter.attribute", &here, &message, &hint);
            }
            let rule = match value.as_str().and_then(inside) {
                Some(text) => Rule::Holds(self.expression(&here, text, &sight)),
                None => {
                    if name == "type" {
                        match self.text(&here, value, "type") {
                            Some(text) => found.kind = Some(text.to_owned()),
                            None => continue,
                        }
                    }
                    self.compared(&here, value);
                    Rule::Equal(value.clone())
                }
            };
            found.attributes.push(Attribute { name: name.clone(), rule });
        }
        Some(found)
    }

    /// Warns of an expression within a value that is compared whole.
    fn compared(&mut self, here: &str, value: &Value) {
        match value {
            Value::String(text) if text.contains("${") => {
                let message =
                    "This is compared as text: only a value that is enclosed in ${ } as a whole is an expression.";
                let hint = "Write the whole condition as one expression, such as '${ $data.revenue > 100 }'.";
                self.warn("workflow.filter.text", here, message, hint);
            }
            Value::Array(items) => {
                for (at, item) in items.iter().enumerate() {
                    self.compared(&format!("{here}/{at}"), item);
                }
            }
            Value::Object(members) => {
                for (name, member) in members {
                    self.compared(&json::join(here, name), member);
                }
            }
            _ => {}
        }
    }

    pub(super) fn emit(&mut self, here: &str, value: &Value, standing: Standing<'_>) -> Option<Kind> {
        let members = self.mapping(here, value, "emit")?;
        self.known(here, members, "emit", &["event"], |name| {
            matches!(name, "with" | "type" | "source" | "data").then_some(Foreign::Hint("Write it under event.with."))
        });
        self.needs(here, members, &["event"]);
        let here = format!("{here}/event");
        let event = self.mapping(&here, members.get("event")?, "event")?;
        self.known(&here, event, "event", &["with"], |name| {
            EMITTED.contains(&name).then_some(Foreign::Hint("Write it under with."))
        });
        self.needs(&here, event, &["with"]);
        let here = format!("{here}/with");
        let with = self.mapping(&here, event.get("with")?, "with")?;
        self.needs(&here, with, &["type", "source"]);
        let body = standing.body();
        let mut attributes = Vec::new();
        for (name, value) in with {
            let here = json::join(&here, name);
            self.emitted(&here, name, value);
            attributes.push((name.clone(), self.template(&here, value, &body)));
        }
        Some(Kind::Emit(attributes))
    }

    /// An attribute of an emitted event, as far as it is written out.
    fn emitted(&mut self, here: &str, name: &str, value: &Value) {
        if name == "id" {
            let message = "An emitted event takes no id: the runtime gives it one made from the run and the task.";
            self.refuse("workflow.emit.id", here, message);
            return;
        }
        if OWN_ATTRIBUTES.contains(&name) {
            let message = format!("Only the playbook writes the attribute {name}.");
            self.refuse("workflow.emit.own", here, message);
            return;
        }
        if !is_attribute(name) {
            let message = format!(
                "{} is not an attribute's name: CloudEvents names an attribute in at most {ATTRIBUTE_CHARACTERS} lowercase letters and digits.",
                shown(name)
            );
            let mut problem = self.error("workflow.emit.attribute", here, message);
            let plain: String = name.to_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
            if let (Some(near), Some(span)) = (nearest(&plain, EMITTED), self.reader.key_span(here)) {
                let edits = vec![playbook_model::problem::Edit { span, text: near.into() }];
                problem = problem.hint(format!("Did you mean {near}?")).fix(format!("Write {near}"), edits);
            }
            self.push(problem);
            return;
        }
        let computed = value.as_str().and_then(inside).is_some();
        if computed || name == "data" {
            return;
        }
        if !EMITTED.contains(&name) {
            if value.is_array() || value.is_object() || value.is_null() {
                let message = format!("{name} must be text, true, false or a whole number.");
                self.refuse("workflow.emit.value", here, message);
            }
            return;
        }
        let Some(text) = self.text(here, value, name) else { return };
        match name {
            "type" if text.trim().is_empty() => {
                self.refuse("workflow.emit.type", here, "The type of an event is not empty.")
            }
            "type" if RECORDED_TYPES.contains(&text) => {
                let message = "The playbook records events of this type itself; choose another.";
                self.refuse("workflow.emit.type", here, message);
            }
            "source" if OWN_SOURCES.iter().any(|own| text.starts_with(own)) => {
                let message = "Only the playbook's own facts have such a source; choose another.";
                self.refuse("workflow.emit.source", here, message);
            }
            "source" if !is_uri(text) => {
                let message = "A source that is written out is an absolute URI, such as https://example.com/campaigns.";
                let problem = self.error("workflow.emit.source", here, message);
                let relative = text.starts_with('/') && !text.contains(['"', '\\', '\'', '\n', '\r']);
                self.push(if relative {
                    let written = format!("'${{ \"{text}\" }}'");
                    let edits = self.instead(here, written.clone());
                    problem.hint("A relative one is written as an expression.").fix(format!("Write {written}"), edits)
                } else {
                    problem
                });
            }
            "dataschema" if !is_uri(text) => {
                self.refuse(
                    "workflow.emit.value",
                    here,
                    "dataschema is an absolute URI, such as https://example.com/schema.",
                );
            }
            "specversion" if text != "1.0" => {
                self.refuse("workflow.emit.value", here, "specversion is '1.0', or left out.")
            }
            _ => {}
        }
    }
}
