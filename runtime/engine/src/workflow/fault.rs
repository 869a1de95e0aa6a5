//! Errors of tasks: what a `catch` sees, and how one that is not caught ends the run.
//! "Errors, retries and timeouts", "When the function's run does not succeed", "How a run ends".

use super::input::{Answer, Called};
use playbook_model::definition::DefinitionType;
use playbook_model::ending::{Issue, Kind, Reason, Rejection};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What the short types of the runtime's own errors stand under.
pub const TYPES: &str = "https://open-workflow-specification.org/spec/1.0.0/errors/";
/// What the types of the problems of a function's run stand under.
pub const PROBLEMS: &str = "https://on.auto/problems/";

/// A short type of the runtime's own errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Short {
    /// A `timeout` passed.
    Timeout,
    /// An expression failed.
    Expression,
    /// What was given does not fit.
    Validation,
    /// What is named does not exist, or cannot be used as it is written.
    Configuration,
    /// The caller may not.
    Authorization,
    /// It cannot be reached.
    Communication,
    /// Anything else that goes wrong while a task runs.
    Runtime,
}

impl Short {
    /// The type's last word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::Expression => "expression",
            Self::Validation => "validation",
            Self::Configuration => "configuration",
            Self::Authorization => "authorization",
            Self::Communication => "communication",
            Self::Runtime => "runtime",
        }
    }
}

/// An error of a task, as `$error` shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fault {
    /// A URI.
    #[serde(rename = "type")]
    pub kind_uri: String,
    /// As an HTTP status.
    pub status: i64,
    /// The task that raised it, as a JSON Pointer; empty for the document itself.
    pub instance: String,
    /// What happened, in a few words.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub title: Option<String>,
    /// More of it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub detail: Option<String>,
    /// The kind of a function's rejection, or what a `raise` names.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub kind: Option<Value>,
    /// Why, likewise.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub because: Option<Value>,
    /// The issues of an input that was refused, likewise.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub issues: Option<Value>,
}

impl Fault {
    /// An error of the runtime's own.
    #[must_use]
    pub fn short(short: Short, status: i64, instance: &str, title: impl Into<String>) -> Self {
        Self::of(format!("{TYPES}{}", short.word()), status, instance, Some(title.into()))
    }

    fn of(kind_uri: String, status: i64, instance: &str, title: Option<String>) -> Self {
        Self {
            kind_uri,
            status,
            instance: instance.to_owned(),
            title,
            detail: None,
            kind: None,
            because: None,
            issues: None,
        }
    }

    /// The same with more words.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// A limit was passed: a `runtime` error of status 500.
    #[must_use]
    pub fn limit(instance: &str, title: impl Into<String>) -> Self {
        Self::short(Short::Runtime, 500, instance, title)
    }

    /// As `$error` has it.
    #[must_use]
    pub fn value(&self) -> Value {
        serde_json::to_value(self).expect("an error holds nothing JSON cannot")
    }

    /// What a held error was.
    #[must_use]
    pub fn read(value: &Value) -> Option<Self> {
        serde_json::from_value(value.clone()).ok()
    }

    /// What a call that did not succeed raises; `None` for one that did.
    #[must_use]
    pub fn answered(instance: &str, called: &Called, answer: &Answer) -> Option<Self> {
        let name = format!("The {} {}", called.kind.noun(), called.name);
        match answer {
            Answer::Succeeded { .. } => None,
            Answer::Failed => Some(Self::short(Short::Runtime, 500, instance, format!("{name} broke down"))),
            Answer::Unreachable { detail } => Some(
                Self::short(Short::Communication, 503, instance, format!("{name} could not be reached")).detail(detail),
            ),
            Answer::Rejected { rejection } => Some(Self::rejected(instance, called, &name, rejection)),
        }
    }

    fn rejected(instance: &str, called: &Called, name: &str, rejection: &Rejection) -> Self {
        let problem = |word: &str, status| (format!("{PROBLEMS}{word}"), status);
        let short = |short: Short, status| (format!("{TYPES}{}", short.word()), status);
        let (kind_uri, status) = match (rejection.reason, rejection.kind) {
            (Reason::InvalidInput, _) => short(Short::Validation, 400),
            (Reason::Forbidden, _) => short(Short::Authorization, 403),
            (Reason::NotFound, _) => short(Short::Configuration, 404),
            (Reason::Conflict, Some(Kind::ToolsCalled)) => problem("tools_called", 409),
            (Reason::Conflict, Some(Kind::EffectUnknown)) => problem("effect_unknown", 409),
            (Reason::Conflict, _) => short(Short::Runtime, 409),
            (Reason::Unavailable, Some(Kind::ToolsUnfinished)) => problem("tools_unfinished", 503),
            (Reason::Unavailable, Some(Kind::Rebuilding)) => problem("rebuilding", 503),
            (Reason::Unavailable, _) => short(Short::Communication, 503),
            (Reason::Cancelled, _) => problem("cancelled", 409),
            (Reason::Unanswered, _) => problem("unanswered", 410),
        };
        let did = match (rejection.reason, rejection.kind) {
            _ if called.kind == DefinitionType::Workflow && started(rejection) => "stopped",
            (Reason::InvalidInput, _) => "refused its input",
            (Reason::Forbidden, _) => "may not be run by whoever started this run",
            (Reason::NotFound, _) => "does not exist",
            (Reason::Conflict, Some(Kind::Stalled)) => "has a view that stopped",
            (Reason::Conflict, Some(Kind::ToolsCalled)) => "called tools before and is not run again",
            (Reason::Conflict, Some(Kind::EffectUnknown)) => "called tools and could not finish",
            (Reason::Conflict, Some(Kind::Unworkable)) => "could not give an output",
            (Reason::Conflict, _) => "could not run",
            (Reason::Unavailable, Some(Kind::Rebuilding)) => "has a view that is still being built",
            (Reason::Unavailable, Some(Kind::ToolsUnfinished)) => "called tools that only read and could not finish",
            (Reason::Unavailable, _) => "could not finish",
            (Reason::Cancelled, _) => "was cancelled",
            (Reason::Unanswered, Some(Kind::Undelivered)) => "could not deliver its notification",
            (Reason::Unanswered, _) => "was not answered in time",
        };
        let mut fault = Self::of(kind_uri, status, instance, Some(format!("{name} {did}")));
        let told = if rejection.reason == Reason::InvalidInput && !rejection.issues.is_empty() {
            issues_in_words(&rejection.issues)
        } else {
            rejection.detail.clone()
        };
        // A workflow's own words name its step already, and its issues are those of the step.
        let told = if called.kind == DefinitionType::Workflow { rejection.detail.clone() } else { told };
        fault.detail = Some(told).filter(|told| !told.is_empty());
        fault.kind = rejection.kind.map(|kind| kind.word().into());
        fault.because = rejection.because.clone().map(Value::String);
        if !rejection.issues.is_empty() {
            fault.issues = serde_json::to_value(&rejection.issues).ok();
        }
        fault
    }

    /// How a run ends that did not catch it. `step` is the name of the task that raised it, where one did.
    #[must_use]
    pub fn ends(&self, step: Option<&str>) -> Rejection {
        let problem = self.kind_uri.strip_prefix(PROBLEMS);
        let word = self.kind.as_ref().and_then(Value::as_str);
        let own = |wanted: Kind| (problem == Some(wanted.word().as_str())).then_some(wanted);
        let (reason, kind) = if let Some(kind) = own(Kind::ToolsUnfinished).or_else(|| own(Kind::Rebuilding)) {
            (Reason::Unavailable, Some(kind))
        } else if let Some(kind) = own(Kind::EffectUnknown).or_else(|| own(Kind::ToolsCalled)) {
            (Reason::Conflict, Some(kind))
        } else if problem == Some("unanswered") {
            let kind = if word == Some("undelivered") { Kind::Undelivered } else { Kind::Expired };
            (Reason::Unanswered, Some(kind))
        } else if (400..500).contains(&self.status) && self.status != 408 && self.status != 429 {
            (Reason::InvalidInput, None)
        } else {
            (Reason::Unavailable, None)
        };
        let mut rejection = Rejection::new(reason, self.words(step));
        rejection.kind = kind;
        if matches!(kind, Some(Kind::ToolsUnfinished | Kind::EffectUnknown | Kind::Rebuilding)) {
            rejection.because = self.because.as_ref().and_then(Value::as_str).map(str::to_owned);
        }
        if let Some(issues) = &self.issues {
            rejection.issues = serde_json::from_value(issues.clone()).unwrap_or_default();
        }
        rejection
    }

    /// The title, or else the type, then the step, then the detail.
    fn words(&self, step: Option<&str>) -> String {
        let title = self.title.as_deref().unwrap_or(&self.kind_uri);
        let head = match step {
            Some(step) => format!("{}, at the step {step}", title.trim_end_matches('.')),
            None => title.trim_end_matches('.').to_owned(),
        };
        match self.detail.as_deref().filter(|detail| !detail.is_empty()) {
            Some(detail) => format!("{head}: {detail}"),
            None => format!("{head}."),
        }
    }
}

/// Whether a refusal is one that the run itself came to, not one of starting it.
fn started(rejection: &Rejection) -> bool {
    !matches!(rejection.reason, Reason::NotFound | Reason::Forbidden | Reason::Cancelled)
        && !matches!(rejection.kind, Some(Kind::Retired))
}

/// `month, The month to report on: expected at least 6 characters.`
fn issues_in_words(issues: &[Issue]) -> String {
    let words: Vec<String> = issues
        .iter()
        .map(|issue| {
            let text = issue.detail.trim();
            if text.ends_with(['.', '!', '?']) { text.to_owned() } else { format!("{text}.") }
        })
        .collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn called(kind: DefinitionType, name: &str) -> Called {
        Called { kind, name: name.into() }
    }

    fn raised(rejection: Rejection) -> Fault {
        let called = called(DefinitionType::Computation, "month-window");
        Fault::answered("/do/0/a", &called, &Answer::Rejected { rejection }).expect("an error")
    }

    /// The table of "When the function's run does not succeed", row by row.
    #[test]
    fn each_way_a_call_fails_has_its_type_and_status() {
        let rows = [
            (Reason::InvalidInput, None, "validation", 400),
            (Reason::Forbidden, None, "authorization", 403),
            (Reason::NotFound, None, "configuration", 404),
            (Reason::Conflict, None, "runtime", 409),
            (Reason::Conflict, Some(Kind::Unworkable), "runtime", 409),
            (Reason::Conflict, Some(Kind::ToolsCalled), "tools_called", 409),
            (Reason::Conflict, Some(Kind::EffectUnknown), "effect_unknown", 409),
            (Reason::Unavailable, None, "communication", 503),
            (Reason::Unavailable, Some(Kind::ToolsUnfinished), "tools_unfinished", 503),
            (Reason::Unavailable, Some(Kind::Rebuilding), "rebuilding", 503),
            (Reason::Cancelled, Some(Kind::Requested), "cancelled", 409),
            (Reason::Unanswered, Some(Kind::Expired), "unanswered", 410),
        ];
        for (reason, kind, word, status) in rows {
            let mut rejection = Rejection::new(reason, "why");
            rejection.kind = kind;
            let fault = raised(rejection);
            assert!(fault.kind_uri.ends_with(&format!("/{word}")), "{reason:?} {kind:?}: {}", fault.kind_uri);
            assert_eq!(fault.status, status, "{reason:?} {kind:?}");
            assert_eq!(fault.kind, kind.map(|kind| kind.word().into()));
            let short = ["tools_called", "effect_unknown", "tools_unfinished", "rebuilding", "cancelled", "unanswered"];
            assert_eq!(fault.kind_uri.starts_with(PROBLEMS), short.contains(&word), "{word}");
        }
        let of = |answer| Fault::answered("/do/0/a", &called(DefinitionType::Recall, "x"), &answer);
        assert_eq!(of(Answer::Failed).map(|fault| fault.status), Some(500));
        let unreachable = of(Answer::Unreachable { detail: "w".into() }).expect("an error");
        assert_eq!((unreachable.status, unreachable.kind_uri.ends_with("communication")), (503, true));
        assert_eq!(of(Answer::Succeeded { output: json!(1) }), None);
    }

    /// The table of "How a run ends", row by row.
    #[test]
    fn an_uncaught_error_ends_the_run_by_its_type_and_status() {
        let ends = |kind_uri: &str, status, kind: Option<&str>| {
            let mut fault = Fault::of(kind_uri.into(), status, "/do/0/a", None);
            fault.kind = kind.map(|kind| json!(kind));
            fault.because = Some(json!("server_failed"));
            let rejection = fault.ends(Some("a"));
            (rejection.reason, rejection.kind, rejection.because.is_some())
        };
        let own = "https://example.com/errors/own";
        for status in [400, 404, 409, 410, 418, 499] {
            assert_eq!(ends(own, status, None), (Reason::InvalidInput, None, false), "{status}");
        }
        for status in [408, 429, 500, 503, 200, 0] {
            assert_eq!(ends(own, status, None), (Reason::Unavailable, None, false), "{status}");
        }
        let problem = |word: &str| format!("{PROBLEMS}{word}");
        assert_eq!(
            ends(&problem("tools_unfinished"), 503, None),
            (Reason::Unavailable, Some(Kind::ToolsUnfinished), true)
        );
        assert_eq!(ends(&problem("rebuilding"), 503, None), (Reason::Unavailable, Some(Kind::Rebuilding), true));
        assert_eq!(ends(&problem("effect_unknown"), 409, None), (Reason::Conflict, Some(Kind::EffectUnknown), true));
        assert_eq!(ends(&problem("tools_called"), 409, None), (Reason::Conflict, Some(Kind::ToolsCalled), false));
        assert_eq!(ends(&problem("cancelled"), 409, Some("requested")), (Reason::InvalidInput, None, false));
        assert_eq!(
            ends(&problem("unanswered"), 410, Some("undelivered")),
            (Reason::Unanswered, Some(Kind::Undelivered), false)
        );
        assert_eq!(
            ends(&problem("unanswered"), 410, Some("expired")),
            (Reason::Unanswered, Some(Kind::Expired), false)
        );
    }

    #[test]
    fn the_words_are_the_seeds() {
        let mut fault =
            Fault::of("https://example.com/e".into(), 503, "/do/0/a", Some("The brief is not usable".into()));
        assert_eq!(fault.ends(Some("stop")).detail, "The brief is not usable, at the step stop.");
        fault.detail = Some("Missing: audience.".into());
        assert_eq!(fault.ends(Some("stop")).detail, "The brief is not usable, at the step stop: Missing: audience.");
        fault.title = None;
        fault.detail = None;
        assert_eq!(fault.ends(Some("stop")).detail, "https://example.com/e, at the step stop.");

        let issue = Issue {
            detail: "month, The month to report on: expected at least 6 characters".into(),
            pointer: "/month".into(),
        };
        let refused = Rejection::new(Reason::InvalidInput, "The input does not fit").issues(vec![issue.clone()]);
        let ended = raised(refused).ends(Some("work-out-month"));
        let words = "The computation function month-window refused its input, at the step work-out-month: month, The month \
                     to report on: expected at least 6 characters.";
        assert_eq!((ended.detail.as_str(), &ended.issues), (words, &vec![issue]));
        // A workflow that called it.
        let above = Fault::answered(
            "/do/0/report",
            &called(DefinitionType::Workflow, "monthly"),
            &Answer::Rejected { rejection: ended },
        );
        let above = above.expect("an error").ends(Some("report"));
        assert_eq!(above.detail, format!("The workflow monthly stopped, at the step report: {words}"));
    }
}
