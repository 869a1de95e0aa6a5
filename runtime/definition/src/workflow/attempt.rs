//! `try`, what it catches and when it tries again. "Errors, retries and timeouts".

use super::draft::{Draft, Foreign};
use super::program::{Catch, ErrorTest, Kind, Limit, Retry, RetryDelay};
use super::sight::{At, Sight};
use super::tasks::Standing;
use super::value::inside;
use playbook_model::word::or;
use serde_json::{Map, Value};

/// What `errors.with` may name.
const TESTS: [&str; 8] = ["type", "status", "instance", "title", "detail", "details", "kind", "because"];
const CATCH: [&str; 6] = ["errors", "as", "when", "exceptWhen", "retry", "do"];
const POLICY: [&str; 6] = ["delay", "backoff", "jitter", "limit", "when", "exceptWhen"];
const BACKOFFS: [&str; 3] = ["constant", "linear", "exponential"];

impl Draft<'_, '_> {
    pub(super) fn attempt(
        &mut self,
        here: &str,
        value: &Value,
        members: &Map<String, Value>,
        standing: Standing<'_>,
    ) -> Option<Kind> {
        let pointer = standing.pointer;
        self.needs(pointer, members, &["catch"]);
        let list = self.tasks(here, value, standing.around, standing.level + 1);
        let catch = members.get("catch");
        let catch = catch.and_then(|value| self.catch(&format!("{pointer}/catch"), value, standing));
        Some(Kind::Try { list: list?, catch: Box::new(catch?) })
    }

    fn catch(&mut self, here: &str, value: &Value, standing: Standing<'_>) -> Option<Catch> {
        let members = self.mapping(here, value, "catch")?;
        self.known(here, members, "catch", &CATCH, |name| match name {
            "then" => Some(Foreign::Hint("Write then at the try task, or in a task of catch.do.")),
            "with" | "type" | "status" => Some(Foreign::Hint("Write it under errors.with.")),
            _ => None,
        });
        let mut catch = Catch { name: "error".into(), ..Catch::default() };
        if let Some(value) = members.get("errors") {
            catch.errors = self.errors(&format!("{here}/errors"), value, &standing.body());
        }
        if let Some(value) = members.get("as") {
            catch.name = self.variable(&format!("{here}/as"), value, "catch.as").unwrap_or(catch.name);
        }
        let around = standing.around.with(&[&catch.name]);
        let sight = Sight::of(At::Body, &around);
        (catch.when, catch.except_when) = self.conditions(here, members, &sight);
        if let Some(value) = members.get("retry") {
            let pointer = format!("{here}/retry");
            catch.retry = match value {
                Value::String(name) => {
                    self.named("retries", &pointer, name).and_then(|(entry, value)| self.policy(&entry, value, &sight))
                }
                _ => self.policy(&pointer, value, &sight),
            };
        }
        if let Some(value) = members.get("do") {
            catch.list = self.tasks(&format!("{here}/do"), value, &around, standing.level + 1);
        }
        Some(catch)
    }

    fn conditions(
        &mut self,
        here: &str,
        members: &Map<String, Value>,
        sight: &Sight,
    ) -> (Option<super::program::ExpressionId>, Option<super::program::ExpressionId>) {
        let mut of =
            |name: &str| members.get(name).and_then(|value| self.bare(&format!("{here}/{name}"), value, name, sight));
        (of("when"), of("exceptWhen"))
    }

    fn errors(&mut self, here: &str, value: &Value, sight: &Sight) -> Vec<ErrorTest> {
        let Some(members) = self.mapping(here, value, "errors") else { return Vec::new() };
        self.known(here, members, "errors", &["with"], |name| {
            TESTS.contains(&name).then_some(Foreign::Hint("Write it under with."))
        });
        let Some(value) = members.get("with") else { return Vec::new() };
        let here = format!("{here}/with");
        let Some(members) = self.mapping(&here, value, "errors.with") else { return Vec::new() };
        self.known(&here, members, "errors.with", &TESTS, |_| None);
        if members.is_empty() {
            let problem =
                self.error("workflow.catch.empty", &here, "errors.with names at least one field of the error.");
            self.push(problem.hint("To catch every error, leave errors out."));
        }
        let mut tests = Vec::new();
        for (name, value) in members.iter().filter(|(name, _)| TESTS.contains(&name.as_str())) {
            let here = format!("{here}/{name}");
            if value.as_str().and_then(inside).is_none() {
                if name == "status" {
                    self.status(&here, value);
                } else if self.text(&here, value, name).is_none() {
                    continue;
                }
            }
            let field = if name == "details" { "detail" } else { name };
            tests.push(ErrorTest { field: field.into(), value: self.template(&here, value, sight) });
        }
        tests
    }

    /// A retry policy.
    pub(super) fn policy(&mut self, here: &str, value: &Value, sight: &Sight) -> Option<Retry> {
        let members = self.mapping(here, value, "A retry policy")?;
        self.known(here, members, "a retry policy", &POLICY, |name| match name {
            "count" | "attempts" | "attempt" => Some(Foreign::Hint("Write it as limit: { attempt: { count: 3 } }.")),
            _ => None,
        });
        let mut retry = Retry::default();
        if let Some(value) = members.get("delay") {
            retry.delay = self.duration(&format!("{here}/delay"), value, Some(sight));
        }
        if let Some(value) = members.get("backoff") {
            retry.backoff = self.backoff(&format!("{here}/backoff"), value);
        }
        if let Some(value) = members.get("jitter") {
            let pointer = format!("{here}/jitter");
            if let Some(members) = self.mapping(&pointer, value, "jitter") {
                self.known(&pointer, members, "jitter", &["from", "to"], |_| None);
                self.needs(&pointer, members, &["from", "to"]);
                let mut of = |name: &str| {
                    let value = members.get(name)?;
                    self.duration(&format!("{pointer}/{name}"), value, Some(sight))
                };
                let (from, to) = (of("from"), of("to"));
                retry.jitter = from.zip(to);
            }
        }
        if let Some(value) = members.get("limit") {
            retry.limit = self.limit(&format!("{here}/limit"), value, sight);
        }
        (retry.when, retry.except_when) = self.conditions(here, members, sight);
        Some(retry)
    }

    fn backoff(&mut self, here: &str, value: &Value) -> RetryDelay {
        let of = |name: &str| match name {
            "linear" => RetryDelay::Linear,
            "exponential" => RetryDelay::Exponential,
            _ => RetryDelay::Constant,
        };
        let message = format!("backoff is a mapping with one of {}, such as {{ exponential: {{}} }}.", or(&BACKOFFS));
        if let Value::Object(members) = value {
            self.known(here, members, "backoff", &BACKOFFS, |_| None);
            let named: Vec<&str> = BACKOFFS.into_iter().filter(|name| members.contains_key(*name)).collect();
            match named.as_slice() {
                [one] => {
                    let pointer = format!("{here}/{one}");
                    let inner = &members[*one];
                    if inner.is_object() {
                        return of(one);
                    }
                    let problem = self.error("workflow.backoff", &pointer, format!("{one} is written as {one}: {{}}."));
                    self.push(match self.reader.value_span(&pointer) {
                        Some(span) if span.start < span.end => {
                            let edits = self.instead(&pointer, "{}");
                            problem.fix("Write {}", edits)
                        }
                        _ => problem,
                    });
                }
                [] if !members.is_empty() => {}
                _ => self.refuse("workflow.backoff", here, message),
            }
            return RetryDelay::Constant;
        }
        let mut problem = self.error("workflow.backoff", here, message);
        if let Some(name) = value.as_str().filter(|name| BACKOFFS.contains(name)) {
            let text = format!("{{ {name}: {{}} }}");
            problem = problem.fix(format!("Write {text}"), self.instead(here, text));
        }
        self.push(problem);
        RetryDelay::Constant
    }

    fn limit(&mut self, here: &str, value: &Value, sight: &Sight) -> Limit {
        let mut limit = Limit::default();
        let Some(members) = self.mapping(here, value, "limit") else { return limit };
        self.known(here, members, "limit", &["attempt", "duration"], |name| {
            (name == "count").then_some(Foreign::Hint("Write it under attempt."))
        });
        if let Some(value) = members.get("duration") {
            limit.duration = self.duration(&format!("{here}/duration"), value, Some(sight));
        }
        let here = format!("{here}/attempt");
        let Some(value) = members.get("attempt") else { return limit };
        let Some(members) = self.mapping(&here, value, "attempt") else { return limit };
        self.known(&here, members, "attempt", &["count", "duration"], |_| None);
        if let Some(value) = members.get("duration") {
            limit.attempt = self.duration(&format!("{here}/duration"), value, Some(sight));
        }
        if let Some(value) = members.get("count") {
            let here = format!("{here}/count");
            limit.retries =
                value.as_u64().or_else(|| value.as_f64().filter(|n| *n >= 0.0 && n.fract() == 0.0).map(|n| n as u64));
            if limit.retries.is_none() {
                let mut problem = self.error(
                    "workflow.count",
                    &here,
                    "count is the most retries: a whole number that is not negative.",
                );
                if let Some(number) = value.as_str().map(str::trim).filter(|text| text.parse::<u32>().is_ok()) {
                    problem = problem.fix(format!("Write {number}"), self.instead(&here, number));
                }
                self.push(problem);
            }
        }
        limit
    }
}
