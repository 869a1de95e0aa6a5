//! A problem: the author's mistake, as a value beside the result.
//!
//! Layers below emit problems; only the outermost layers turn them into text.

use crate::position::{LineIndex, Span};
use serde::{Deserialize, Serialize};

/// How much a problem matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The document is refused.
    Error,
    /// The document is taken; something in it is probably not meant.
    Warning,
}

/// Where in the document.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Place {
    /// The bytes of the document.
    pub span: Span,
    /// Line from 1.
    pub line: u32,
    /// Column from 1, in UTF-16 units.
    pub column: u32,
    /// Line of the end, from 1.
    pub end_line: u32,
    /// Column of the end, from 1, in UTF-16 units; the unit after the last.
    pub end_column: u32,
    /// JSON Pointer into the front matter or the YAML document; `None` for the body or the whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
}

impl Place {
    /// The place of a stretch of bytes.
    #[must_use]
    pub fn of(index: &LineIndex<'_>, span: Span, pointer: Option<String>) -> Self {
        let start = index.place(span.start);
        let end = index.place(span.end);
        Self { span, line: start.line, column: start.column, end_line: end.line, end_column: end.column, pointer }
    }
}

/// One edit of the text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Edit {
    /// The bytes it replaces.
    pub span: Span,
    /// What stands there instead.
    pub text: String,
}

/// An edit that repairs the problem.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Fix {
    /// What it does, as a short imperative: `Quote the expression`.
    pub title: String,
    /// Edits that do not overlap, in order.
    pub edits: Vec<Edit>,
}

/// How a published problem says its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// `Line 4, /config/temperature: …`, of a document with front matter.
    #[default]
    Line,
    /// `Line 7, column 12: at /do/1/loop/for: …`, of a workflow. "Saving a document".
    Column,
}

impl Form {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
    fn is_line(&self) -> bool {
        *self == Self::Line
    }
}

/// One mistake in a document.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Problem {
    /// A stable word such as `recall.filter.type`; the rule, not the instance.
    pub code: String,
    /// How much it matters.
    pub severity: Severity,
    /// Where.
    pub place: Place,
    /// One sentence that stands alone.
    pub message: String,
    /// What to do about it, as a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The edit that repairs it, where one is obvious.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<Fix>,
    /// How it is published.
    #[serde(skip_serializing_if = "Form::is_line", default)]
    pub form: Form,
}

impl Problem {
    /// An error without hint or fix.
    #[must_use]
    pub fn error(code: &str, place: Place, message: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            severity: Severity::Error,
            place,
            message: message.into(),
            hint: None,
            fix: None,
            form: Form::Line,
        }
    }

    /// A warning without hint or fix.
    #[must_use]
    pub fn warning(code: &str, place: Place, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, place, message) }
    }

    /// The same with a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same with a fix.
    #[must_use]
    pub fn fix(mut self, title: impl Into<String>, edits: Vec<Edit>) -> Self {
        self.fix = Some(Fix { title: title.into(), edits });
        self
    }

    /// The published form: `Line 4, /config/temperature: Expected number`, or `Line 9: …` without a pointer;
    /// of a workflow with the column, as `Line 7, column 12: at /do/1/loop/for: It needs in`.
    #[must_use]
    pub fn published(&self) -> String {
        let Self { place: Place { line, column, pointer, .. }, message, form, .. } = self;
        match (form, pointer.as_deref().filter(|pointer| !pointer.is_empty())) {
            (Form::Line, Some(pointer)) => format!("Line {line}, {pointer}: {message}"),
            (Form::Line, None) => format!("Line {line}: {message}"),
            (Form::Column, Some(pointer)) => format!("Line {line}, column {column}: at {pointer}: {message}"),
            (Form::Column, None) => format!("Line {line}, column {column}: {message}"),
        }
    }
}

/// The errors among problems.
pub fn errors(problems: &[Problem]) -> impl Iterator<Item = &Problem> {
    problems.iter().filter(|p| p.severity == Severity::Error)
}

/// Puts problems in the order of the text and leaves each out that was found before.
pub fn settle(problems: &mut Vec<Problem>) {
    problems.sort_by(|a, b| {
        (a.place.line, a.place.column, &a.place.pointer, &a.message).cmp(&(
            b.place.line,
            b.place.column,
            &b.place.pointer,
            &b.message,
        ))
    });
    problems
        .dedup_by(|a, b| a.place.line == b.place.line && a.place.pointer == b.place.pointer && a.message == b.message);
}

/// The published list: at most 20 problems in the order of the text, then one line that counts the rest.
///
/// Each pair is the sentence and nothing else; operations put all of them under `/source`.
#[must_use]
pub fn published(problems: &[Problem]) -> Vec<String> {
    let all: Vec<&Problem> = errors(problems).collect();
    let mut lines: Vec<String> = all.iter().take(crate::limits::PROBLEMS_SHOWN).map(|p| p.published()).collect();
    if let Some(first) = all.get(crate::limits::PROBLEMS_SHOWN) {
        let rest = all.len() - crate::limits::PROBLEMS_SHOWN;
        lines.push(if rest == 1 {
            format!("Line {}: 1 more issue is not shown.", first.place.line)
        } else {
            format!("Line {}: {rest} more issues are not shown.", first.place.line)
        });
    }
    lines
}
