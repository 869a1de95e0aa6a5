//! What a task does, but for `try` and the tasks of events. "Tasks", "Calling a function", "Loops and parallel branches".

use super::draft::{Draft, Foreign};
use super::program::{Branching, Case, Kind, Raised, Target, Template};
use super::sight::{At, Sight};
use super::tasks::Standing;
use super::value::inside;
use crate::yaml::shown;
use playbook_model::definition::DefinitionType;
use playbook_model::id::DefinitionName;
use playbook_model::json;
use playbook_model::limits::FORK_BRANCHES;
use playbook_model::word::or;
use serde_json::{Map, Value};

/// The protocols of the DSL that a workflow does not speak.
const PROTOCOLS: [&str; 6] = ["http", "grpc", "openapi", "asyncapi", "a2a", "mcp"];
/// The one function.
const RUN: &str = "run_definition";
/// The fields of an error.
const ERROR: [&str; 8] = ["type", "status", "instance", "title", "detail", "kind", "because", "issues"];

impl Draft<'_, '_> {
    pub(super) fn call(
        &mut self,
        here: &str,
        value: &Value,
        members: &Map<String, Value>,
        standing: Standing<'_>,
    ) -> Option<Kind> {
        let pointer = standing.pointer;
        self.reference(pointer);
        let name = self.text(here, value, "call")?;
        if name != RUN {
            let message = if PROTOCOLS.contains(&name) {
                format!(
                    "A call of {name} is refused: a workflow reaches the world only through its playbook's functions, with call: {RUN}."
                )
            } else {
                format!("{} is no function to call: {RUN} is the one function.", shown(name))
            };
            let problem = self.error("workflow.call", here, message);
            let known =
                DefinitionName::new(name).is_ok() && !PROTOCOLS.contains(&name) && !members.contains_key("with");
            let near = name.to_lowercase().replace(['-', ' '], "_") == RUN;
            let problem = if near {
                let edits = self.instead(here, RUN);
                problem.fix(format!("Write {RUN}"), edits)
            } else if known {
                problem.hint(format!("Write call: {RUN}, and name the definition under with, by its type and name."))
            } else {
                problem
            };
            self.push(problem);
            return None;
        }
        let here = format!("{pointer}/with");
        if !self.needs(pointer, members, &["with"]) {
            return None;
        }
        let with = self.mapping(&here, members.get("with")?, "with")?;
        self.known(&here, with, RUN, &["type", "name", "input"], |name| {
            matches!(name, "arguments" | "parameters" | "body" | "data").then_some(Foreign::Hint("Write it as input."))
        });
        self.needs(&here, with, &["type", "name"]);
        let body = standing.body();
        let kind = with.get("type").and_then(|value| self.called_type(&format!("{here}/type"), value, &body));
        let name = with.get("name").and_then(|value| self.called_name(&format!("{here}/name"), value, &body));
        let input = with.get("input").map(|value| self.template(&format!("{here}/input"), value, &body));
        Some(Kind::Call(Target { kind: kind?, name: name?, input }))
    }

    fn called_type(&mut self, here: &str, value: &Value, sight: &Sight) -> Option<Template> {
        let text = self.text(here, value, "type")?;
        if inside(text).is_none() {
            let words = DefinitionType::ALL.map(DefinitionType::word);
            let message = format!("type is {}.", or(&words));
            self.one_of("workflow.call.type", here, text, &message, &words)?;
        }
        Some(self.template(here, value, sight))
    }

    fn called_name(&mut self, here: &str, value: &Value, sight: &Sight) -> Option<Template> {
        let text = self.text(here, value, "name")?;
        if inside(text).is_none()
            && let Err(why) = DefinitionName::new(text)
        {
            self.refuse("workflow.call.name", here, format!("{} is not a definition's name: {why}.", shown(text)));
            return None;
        }
        Some(self.template(here, value, sight))
    }

    pub(super) fn set(&mut self, here: &str, value: &Value, standing: Standing<'_>) -> Option<Kind> {
        match value {
            Value::Object(members) if members.is_empty() => {
                let problem = self.error("workflow.set", here, "set needs at least one member.");
                self.push(problem.hint("For an empty object, write set: ${ ({}) } in quotes."));
                None
            }
            Value::Object(_) | Value::String(_) => Some(Kind::Set(self.template(here, value, &standing.body()))),
            _ => {
                let message = "set must be a mapping whose values may be expressions, or one expression in ${ }.";
                let mut problem = self.error("workflow.set", here, message);
                if value.is_array() {
                    problem = problem.hint("For a list, write one expression, such as '${ [1, 2] }'.");
                }
                self.push(problem);
                None
            }
        }
    }

    pub(super) fn switch(&mut self, here: &str, value: &Value, standing: Standing<'_>) -> Option<Kind> {
        let items = self.list(here, value, "switch")?;
        if items.is_empty() {
            self.refuse("workflow.switch", here, "switch needs at least one case.");
        }
        let body = standing.body();
        let mut cases = Vec::new();
        let mut default: Option<&str> = None;
        for (at, item) in items.iter().enumerate() {
            let here = format!("{here}/{at}");
            let one = item.as_object().filter(|members| members.len() == 1).and_then(|members| members.iter().next());
            let Some((name, case)) = one else {
                let message = "Each item of a switch is a mapping with one key, the case's name.";
                self.refuse("workflow.case", &here, message);
                continue;
            };
            let here = json::join(&here, name);
            let Some(members) = self.mapping(&here, case, "A case") else { continue };
            self.known(&here, members, "a case", &["when", "then"], |name| {
                (name == "if").then_some(Foreign::Hint("Write it as when."))
            });
            self.needs(&here, members, &["then"]);
            let when = members.get("when");
            match (when, default) {
                (None, None) => default = Some(name),
                (None, Some(first)) => {
                    let message = format!(
                        "A switch has one default case at most: {} has no when either, and is chosen first.",
                        shown(first)
                    );
                    self.refuse("workflow.default", &here, message);
                }
                (Some(_), _) => {}
            }
            let when = when.and_then(|value| self.bare(&format!("{here}/when"), value, "when", &body));
            let Some(then) = members.get("then") else { continue };
            let then = self.then(&format!("{here}/then"), then, standing.reach);
            cases.push(Case { name: name.clone(), when, then });
        }
        Some(Kind::Switch(cases))
    }

    pub(super) fn repeat(
        &mut self,
        here: &str,
        value: &Value,
        members: &Map<String, Value>,
        standing: Standing<'_>,
    ) -> Option<Kind> {
        let Standing { pointer, around, level, .. } = standing;
        let settings = self.mapping(here, value, "for");
        if let Some(settings) = settings {
            self.known(here, settings, "for", &["each", "in", "at"], |name| {
                matches!(name, "while" | "do").then_some(Foreign::Hint("Write it beside for, not under it."))
            });
            self.needs(here, settings, &["in"]);
        }
        self.needs(pointer, members, &["do"]);
        let mut name = |field: &str, left_out: &str| match settings.and_then(|settings| settings.get(field)) {
            Some(value) => self.variable(&format!("{here}/{field}"), value, &format!("for.{field}")),
            None => Some(left_out.to_owned()),
        };
        let (each, at) = (name("each", "item"), name("at", "index"));
        let mut inner = around.with(&[]);
        for name in [&each, &at].into_iter().flatten() {
            inner = inner.with(&[name]);
        }
        if each.is_some() && each == at {
            let message = "for.each and for.at give one name to two things; the position would hide the item.";
            self.refuse("workflow.variable", &format!("{here}/at"), message);
        }
        let items = settings.and_then(|settings| settings.get("in"));
        let items = items.and_then(|value| self.bare(&format!("{here}/in"), value, "for.in", &standing.body()));
        let sight = Sight::of(At::Body, &inner);
        let condition = members.get("while");
        let condition = condition.and_then(|value| self.bare(&format!("{pointer}/while"), value, "while", &sight));
        let list = members.get("do");
        let list = list.and_then(|value| self.tasks(&format!("{pointer}/do"), value, &inner, level + 1));
        Some(Kind::For { items: items?, each: each?, at: at?, condition, list: list? })
    }

    /// A name that is written without `$` and read with it.
    pub(super) fn variable(&mut self, here: &str, value: &Value, what: &str) -> Option<String> {
        let text = self.text(here, value, what)?;
        if !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            if super::sight::OWN.contains(&text) {
                let message = format!("${text} has a meaning of its own in every expression, which this name hides.");
                self.warn("workflow.variable.hides", here, &message, "Choose another name.");
            }
            return Some(text.to_owned());
        }
        let message = format!("{what} gives a name of letters, digits and underscores.");
        let mut problem = self.error("workflow.variable", here, message);
        let plain: String = text
            .trim()
            .chars()
            .filter(|c| *c != '$')
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        if !plain.is_empty() {
            if text.starts_with('$') {
                problem = problem.hint("It is written without $ and read with it.");
            }
            problem = problem.fix(format!("Write {plain}"), self.instead(here, plain));
        }
        self.push(problem);
        None
    }

    pub(super) fn fork(&mut self, here: &str, value: &Value, standing: Standing<'_>) -> Option<Kind> {
        let members = self.mapping(here, value, "fork")?;
        self.known(here, members, "fork", &["branches", "compete"], |_| None);
        self.needs(here, members, &["branches"]);
        let branching = match members.get("compete") {
            None | Some(Value::Bool(false)) => Branching::All,
            Some(Value::Bool(true)) => Branching::Compete,
            Some(_) => {
                let here = format!("{here}/compete");
                let problem = self.error("workflow.compete", &here, "compete must be true or false.");
                let edits = self.instead(&here, "true");
                self.push(problem.fix("Write true", edits));
                Branching::Compete
            }
        };
        let here = format!("{here}/branches");
        let value = members.get("branches")?;
        if let Value::Array(branches) = value {
            if branches.len() > FORK_BRANCHES {
                let message = format!("A fork has {} branches; at most {FORK_BRANCHES} are taken.", branches.len());
                self.refuse("workflow.branches", &here, message);
            }
            if branches.is_empty() && branching == Branching::Compete {
                self.refuse("workflow.branches", &here, "A fork whose branches compete needs at least one.");
            }
        }
        let branches = self.branches(&here, value, standing.around, standing.level + 1)?;
        Some(Kind::Fork { branches, branching })
    }

    pub(super) fn raise(&mut self, here: &str, value: &Value, standing: Standing<'_>) -> Option<Kind> {
        let members = self.mapping(here, value, "raise")?;
        self.known(here, members, "raise", &["error"], |name| {
            ERROR.contains(&name).then_some(Foreign::Hint("Write it under error."))
        });
        self.needs(here, members, &["error"]);
        let here = format!("{here}/error");
        let body = standing.body();
        let error = match members.get("error")? {
            value @ Value::String(text) if inside(text).is_some() => self.template(&here, value, &body),
            Value::String(name) => {
                let (entry, value) = self.named("errors", &here, name)?;
                self.raised(&entry, value, &body)?
            }
            value => self.raised(&here, value, &body)?,
        };
        Some(Kind::Raise(Raised { error }))
    }

    /// An error that is written out. Its `instance` is taken and not used: the runtime's own stands.
    pub(super) fn raised(&mut self, here: &str, value: &Value, sight: &Sight) -> Option<Template> {
        let members = self.mapping(here, value, "An error")?;
        self.known(here, members, "an error", &ERROR, |name| match name {
            "details" | "message" => Some(Foreign::Hint("Write it as detail.")),
            "code" => Some(Foreign::Hint("Write it as status.")),
            _ => None,
        });
        self.needs(here, members, &["type", "status"]);
        for (name, value) in members {
            let here = format!("{here}/{name}");
            let computed = value.as_str().and_then(inside).is_some();
            match name.as_str() {
                _ if computed => {}
                "type" => {
                    if let Some(text) = self.text(&here, value, "type")
                        && !is_uri(text)
                    {
                        let problem = self.error("workflow.error.type", &here, "The type of an error is a URI.");
                        self.push(problem.hint(
                            "Choose one that names the error, such as https://example.com/errors/not-found; nothing fetches it.",
                        ));
                    }
                }
                "status" => self.status(&here, value),
                "title" | "detail" | "kind" | "because" | "instance" => {
                    self.text(&here, value, name);
                }
                _ => {}
            }
        }
        Some(self.template(here, value, sight))
    }

    /// The status of an error: a whole number.
    pub(super) fn status(&mut self, here: &str, value: &Value) {
        if value.as_f64().is_some_and(|number| number.fract() == 0.0) {
            return;
        }
        let mut problem =
            self.error("workflow.error.status", here, "The status of an error is a whole number, such as 503.");
        if let Some(number) = value.as_str().map(str::trim).filter(|text| text.parse::<u32>().is_ok()) {
            problem = problem.fix(format!("Write {number}"), self.instead(here, number));
        }
        self.push(problem);
    }
}

/// Whether a text is an absolute URI.
pub(super) fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
        && !rest.is_empty()
        && !rest
            .contains(|c: char| c.is_whitespace() || c.is_control() || matches!(c, '<' | '>' | '"' | '\\' | '^' | '`'))
}
