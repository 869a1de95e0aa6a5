//! Values in which strings may be expressions, and durations. "Expressions", "Durations".

use super::draft::{Draft, Foreign};
use super::program::{Duration, ExpressionId, Template};
use super::sight::Sight;
use crate::yaml::shown;
use playbook_model::duration::{self, Fault};
use playbook_model::json;
use playbook_model::problem::Problem;
use playbook_model::word::nearest;
use serde_json::{Map, Value};

/// The text of an expression that `${ }` encloses whole.
pub(super) fn inside(text: &str) -> Option<&str> {
    text.trim().strip_prefix("${")?.strip_suffix('}').map(str::trim)
}

/// The fields of a duration, each with its milliseconds.
const UNITS: [(&str, f64); 5] = [
    ("days", 86_400_000.0),
    ("hours", 3_600_000.0),
    ("minutes", 60_000.0),
    ("seconds", 1_000.0),
    ("milliseconds", 1.0),
];

impl Draft<'_, '_> {
    /// A template.
    pub(super) fn template(&mut self, pointer: &str, value: &Value, sight: &Sight) -> Template {
        match value {
            Value::String(text) => match inside(text) {
                Some(text) => Template::Expression(self.expression(pointer, text, sight)),
                None => {
                    self.only_text(pointer, text, sight);
                    Template::Value(value.clone())
                }
            },
            Value::Array(items) => {
                let items: Vec<Template> = items
                    .iter()
                    .enumerate()
                    .map(|(at, item)| self.template(&format!("{pointer}/{at}"), item, sight))
                    .collect();
                if items.iter().all(is_value) { Template::Value(value.clone()) } else { Template::List(items) }
            }
            Value::Object(members) => {
                let members: Vec<(String, Template)> = members
                    .iter()
                    .map(|(name, member)| (name.clone(), self.template(&json::join(pointer, name), member, sight)))
                    .collect();
                if members.iter().all(|(_, member)| is_value(member)) {
                    Template::Value(value.clone())
                } else {
                    Template::Object(members)
                }
            }
            _ => Template::Value(value.clone()),
        }
    }

    /// Warns of a text that reads like an expression and is none, since `${ }` does not enclose it.
    fn only_text(&mut self, pointer: &str, text: &str, sight: &Sight) {
        let begins = |text: &str| {
            sight.names().iter().any(|name| {
                text.strip_prefix(name.as_str())
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[', '?']))
            })
        };
        let plain = text.trim();
        if begins(plain) && !plain.contains(char::is_whitespace) {
            let message = format!("This is the text {}, and no value: an expression stands in ${{ }}.", shown(plain));
            let written = format!("${{ {plain} }}");
            let problem = Problem::warning("workflow.text.bare", self.place(pointer), message);
            let quoted = format!("'{}'", written.replace('\'', "''"));
            let edits = self.instead(pointer, quoted);
            self.push(problem.hint(format!("Write {written}.")).fix(format!("Write {written}"), edits));
            return;
        }
        let within = text.match_indices("${").map(|(at, _)| text[at + 2..].trim_start());
        let named =
            |rest: &str| rest.starts_with('.') || begins(rest.split([' ', '}', '(']).next().unwrap_or_default());
        if within.into_iter().any(named) {
            let message =
                "This is text with ${ in it, and no expression: ${ } encloses a value whole or stands for itself.";
            let problem = Problem::warning("workflow.text.partial", self.place(pointer), message);
            self.push(problem.hint("Write a template literal in it, such as '${ `Hello ${$data.name}` }'."));
        }
    }

    /// A field that is an expression even without `${ }`: `if`, `when`, `exceptWhen`, `while` and `for.in`.
    pub(super) fn bare(&mut self, pointer: &str, value: &Value, what: &str, sight: &Sight) -> Option<ExpressionId> {
        if let Value::String(text) = value {
            let text = inside(text).unwrap_or_else(|| text.trim());
            return Some(self.expression(pointer, text, sight));
        }
        let message = format!("{what} must be an expression, which is text.");
        let mut problem = self.error("workflow.expression.text", pointer, message);
        if !value.is_null() {
            problem = self.quoted(problem, pointer);
        }
        self.push(problem);
        None
    }

    /// `from` or `as`: text is an expression, a mapping a template.
    pub(super) fn shaping(&mut self, pointer: &str, value: &Value, what: &str, sight: &Sight) -> Option<Template> {
        match value {
            Value::String(text) => {
                let text = inside(text).unwrap_or_else(|| text.trim());
                Some(Template::Expression(self.expression(pointer, text, sight)))
            }
            Value::Object(_) => Some(self.template(pointer, value, sight)),
            _ => {
                let message = format!("{what} must be an expression, or a mapping whose values may be expressions.");
                let mut problem = self.error("workflow.expression.text", pointer, message);
                if !value.is_null() {
                    problem = self.quoted(problem, pointer);
                }
                self.push(problem);
                None
            }
        }
    }

    /// A duration; without a sight, one that must be written out.
    pub(super) fn duration(&mut self, pointer: &str, value: &Value, sight: Option<&Sight>) -> Option<Duration> {
        let milliseconds = match value {
            Value::String(text) => match (inside(text), sight) {
                (Some(text), Some(sight)) => {
                    let id = self.expression(pointer, text, sight);
                    return Some(Duration::Computed(Template::Expression(id)));
                }
                (Some(_), None) => {
                    self.refuse("workflow.duration.computed", pointer, "This duration is written out, never computed.");
                    return None;
                }
                (None, _) => match duration::parse(text) {
                    Ok(milliseconds) => milliseconds,
                    Err(fault) => {
                        self.not_duration(pointer, text, fault);
                        return None;
                    }
                },
            },
            Value::Object(members) => {
                let computed = members.values().any(|value| value.as_str().and_then(inside).is_some());
                let milliseconds = self.parts(pointer, members, computed && sight.is_some())?;
                if let (true, Some(sight)) = (computed, sight) {
                    return Some(Duration::Computed(self.template(pointer, value, sight)));
                }
                milliseconds
            }
            _ => {
                let problem = self.error(
                    "workflow.duration",
                    pointer,
                    "A duration is text such as PT30M, or a mapping such as { minutes: 30 }.",
                );
                let problem = match value.as_u64() {
                    Some(seconds) => {
                        let edits = self.instead(pointer, format!("PT{seconds}S"));
                        problem.fix(format!("Write PT{seconds}S, in seconds"), edits)
                    }
                    None => problem,
                };
                self.push(problem);
                return None;
            }
        };
        if milliseconds > self.longest {
            let message =
                format!("This duration is longer than a run may last, which is {}.", duration::words(self.longest));
            self.refuse("workflow.duration.long", pointer, message);
            return None;
        }
        Some(Duration::Milliseconds(milliseconds))
    }

    fn not_duration(&mut self, pointer: &str, text: &str, fault: Fault) {
        let (code, message) = match fault {
            Fault::YearsOrMonths => (
                "workflow.duration.length",
                "A duration in years or months is refused, since their length varies.".to_owned(),
            ),
            Fault::NotADuration => (
                "workflow.duration",
                "A duration is text such as PT30M or P7D, in weeks, days, hours, minutes and seconds.".into(),
            ),
        };
        let mut problem = self.error(code, pointer, message);
        let upper = text.trim().to_uppercase();
        let near = [upper.clone(), format!("PT{upper}"), format!("P{upper}")]
            .into_iter()
            .find(|near| duration::parse(near).is_ok() && fault == Fault::NotADuration);
        if let Some(near) = near {
            let edits = self.instead(pointer, near.clone());
            problem = problem.hint(format!("Did you mean {near}?")).fix(format!("Write {near}"), edits);
        } else if fault == Fault::YearsOrMonths {
            problem = problem.hint("Write days, such as P30D.");
        }
        self.push(problem);
    }

    /// The sum of a mapping's parts; `None` when one of them is refused.
    fn parts(&mut self, pointer: &str, members: &Map<String, Value>, computes: bool) -> Option<u64> {
        let before = self.reader.problems.len();
        self.known(pointer, members, "a duration", &UNITS.map(|(unit, _)| unit), |name| match name {
            "years" | "months" | "year" | "month" => {
                Some(Foreign::Refused("A duration in years or months is refused, since their length varies."))
            }
            "weeks" | "week" => Some(Foreign::Hint("Write days, or text such as P2W.")),
            _ => None,
        });
        if members.is_empty() {
            let message = "A duration names at least one of days, hours, minutes, seconds and milliseconds.";
            self.refuse("workflow.duration", pointer, message);
        }
        let mut total = 0.0;
        for (unit, length) in UNITS {
            let Some(value) = members.get(unit) else { continue };
            let here = format!("{pointer}/{unit}");
            match value.as_f64() {
                Some(count) if count >= 0.0 => total += count * length,
                None if computes && value.as_str().and_then(inside).is_some() => {}
                _ => {
                    let mut problem = self.error(
                        "workflow.duration",
                        &here,
                        format!("The {unit} of a duration must be a number that is not negative."),
                    );
                    if let Some(number) = value.as_str().map(str::trim)
                        && number.parse::<f64>().is_ok_and(|number| number >= 0.0)
                    {
                        problem = problem.fix(format!("Write {number}"), self.instead(&here, number));
                    }
                    self.push(problem);
                }
            }
        }
        (self.reader.problems.len() == before).then(|| whole(total))
    }

    /// Text that must be one of a few words; the nearest is offered.
    pub(super) fn one_of<'w>(
        &mut self,
        code: &str,
        pointer: &str,
        text: &str,
        message: &str,
        words: &[&'w str],
    ) -> Option<&'w str> {
        if let Some(word) = words.iter().find(|word| **word == text) {
            return Some(word);
        }
        let mut problem = self.error(code, pointer, message);
        if let Some(near) = nearest(text, words.iter().copied()) {
            let edits = self.instead(pointer, near);
            problem = problem.hint(format!("Did you mean {near}?")).fix(format!("Write {near}"), edits);
        }
        self.push(problem);
        None
    }
}

/// A fraction of a millisecond is rounded up, but for one that only a product of doubles makes: `0.07 × 1,000`.
fn whole(milliseconds: f64) -> u64 {
    let near = milliseconds.round();
    // The cast keeps to the range of the number.
    if (milliseconds - near).abs() < 1e-6 { near as u64 } else { milliseconds.ceil() as u64 }
}

fn is_value(template: &Template) -> bool {
    matches!(template, Template::Value(_))
}
