//! The TypeScript of a document: its rules, its types and what is left without them.
//!
//! The only crate that knows the compiler and the parser.
//! It must not know what a document is: it is handed the body of one, the types declared for it,
//! and the functions it must export.
//! All offsets are bytes of the text it was handed.
//!
//! * [`structure`] judges what the text alone tells, without a compiler.
//! * [`Compiler::check`] judges everything at once, in the compiler's words where it finds the fault.
//! * [`strip`] blanks the types, so that each line and column stays.
//! * [`expression()`] and [`Compiler::check_expressions`] do the same for expressions within documents.
//! * [`doubts()`] finds what an expression may say and hardly means.

#![allow(
    clippy::result_large_err,
    reason = "a fault is as ordinary here as a result, and is moved a few times at most"
)]

mod binary;
mod compiler;
mod doubts;
mod expression;
mod guard;
mod library;
mod parse;
mod rules;
mod strip;

pub use compiler::{Compiler, Unjudged};
pub use doubts::doubts;
pub use expression::{Expression, expression, strip_expression};
pub use rules::{ExportedFunction, exports, structure};
pub use strip::strip;

use playbook_model::position::Span;
use playbook_model::problem::{Edit, Fix};

/// A function that a module exports. "The module", "The program".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Export {
    /// Its name: `fold`, `answer`, or `default` for the default export.
    pub name: &'static str,
    /// Its parameters, such as `view: View, event: Event`.
    pub parameters: &'static str,
    /// Its result, such as `View`.
    pub result: &'static str,
    /// Whether a module without it is refused.
    pub required: bool,
}

impl Export {
    /// The function as a person writes it: `fold(view: View, event: Event): View`.
    #[must_use]
    pub fn signature(&self) -> String {
        let Self { name, parameters, result, .. } = self;
        if self.is_default() {
            format!("export default function ({parameters}): {result}")
        } else {
            format!("{name}({parameters}): {result}")
        }
    }

    /// The declaration's first line: `export function fold(view: View, event: Event): View`.
    #[must_use]
    pub fn declaration(&self) -> String {
        if self.is_default() { self.signature() } else { format!("export function {}", self.signature()) }
    }

    /// The type the compiler compares with.
    fn function_type(&self) -> String {
        format!("({}) => {}", self.parameters, self.result)
    }

    fn is_default(&self) -> bool {
        self.name == "default"
    }
}

/// A module with what the runtime declares for it.
#[derive(Debug, Clone, Copy)]
pub struct Module<'a> {
    /// The body of the document.
    pub text: &'a str,
    /// Types declared for it as TypeScript, such as `type View = Json;`. Always has `Json`.
    pub declarations: &'a str,
    /// The functions it exports by contract; it may export others.
    pub exports: &'a [Export],
}

/// One fault in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// A stable word: `module.` and the rule, `expression.syntax`, or `typescript.` and the compiler's number.
    pub code: String,
    /// The bytes of the text it lies at.
    pub span: Span,
    /// The sentence; the compiler's nested words follow on lines of their own, two spaces deeper each.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// The edit that repairs it, where one is obvious.
    pub fix: Option<Fix>,
}

impl Diagnostic {
    pub(crate) fn new(code: impl Into<String>, span: Span, message: impl Into<String>) -> Self {
        Self { code: code.into(), span, message: message.into(), hint: None, fix: None }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn fix(mut self, title: impl Into<String>, edits: Vec<Edit>) -> Self {
        self.fix = Some(Fix { title: title.into(), edits });
        self
    }
}

/// Puts diagnostics in the order of the text and leaves each out that was found before.
fn settle(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by(|a, b| (a.span, &a.message).cmp(&(b.span, &b.message)));
    diagnostics.dedup_by(|a, b| a.span == b.span && a.message == b.message);
}
