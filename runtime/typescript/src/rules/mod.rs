//! What a module may hold, judged by its text alone. "The module", "The check at save".
//!
//! Each rule has one fixed sentence.
//! Knows no types: whatever needs them is the compiler's to say.

mod text;
mod variables;
mod visit;

use crate::{Diagnostic, Export, Module, parse, settle};
use playbook_model::position::Span;
use playbook_model::problem::Edit;

/// Sentence: an import, code built at run time, or a name declared from elsewhere.
const REACH: &str =
    "A program reads only its arguments: it imports nothing, declares no names from elsewhere and builds no code.";
/// Sentence: a statement that is no type and no exported function.
const TOP: &str = "A module holds its types and exported functions only, so that two calls share nothing.";
/// Sentence: `async`, `await`, an exported generator.
const AT_ONCE: &str =
    "A function answers at once: nothing is async, nothing is awaited, and no exported function is a generator.";
/// Sentence: syntax that stands for more than types.
const ERASABLE: &str = "An enum, a namespace, a parameter property, a decorator and a cast in angle brackets are refused: a program has nothing but types to take out.";
/// Sentence: a class's `accessor` field, which the compiler knows and the sandbox's engine does not.
const ACCESSOR: &str = "The sandbox has no `accessor` fields.";
/// Sentence: too many assignments.
const ASSIGNMENTS: &str = "A function assigns to its variables at most 500 times, and this is the 501st.";

/// The kind of a finding, which decides how it sits beside the compiler's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    /// Ours alone.
    Own,
    /// Something waits; the compiler's complaints about missing promises say no more.
    AtOnce,
    /// The compiler says it too where it judges erasable syntax.
    Erasable,
}

/// One broken rule.
#[derive(Debug, Clone)]
pub(crate) struct Finding {
    pub(crate) rule: Rule,
    pub(crate) diagnostic: Diagnostic,
    /// Where the compiler's words would only repeat it.
    pub(crate) covers: Span,
}

/// An exported function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedFunction {
    /// Its name; `default` for the default export.
    pub name: String,
    /// The bytes of its name, or of the word `default`.
    pub span: Span,
    pub(crate) kind: FunctionKind,
}

/// How an exported function gives its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FunctionKind {
    AtOnce,
    /// Async or a generator: refused, and its signature with it.
    Later,
}

/// What a module holds and which rules it breaks.
#[derive(Debug, Default)]
pub(crate) struct Judged {
    pub(crate) findings: Vec<Finding>,
    pub(crate) functions: Vec<ExportedFunction>,
    /// Names that a refused statement of the top level gives, so that their absence is not a second fault.
    pub(crate) refused_names: Vec<String>,
}

impl Judged {
    /// The first thing that blanking the types would leave behind broken.
    pub(crate) fn beyond_types(self) -> Option<Diagnostic> {
        self.findings.into_iter().find(|finding| finding.rule == Rule::Erasable).map(|finding| finding.diagnostic)
    }

    /// The faults of the contract that need no types: required functions that are not there.
    pub(crate) fn missing(&self, text: &str, exports: &[Export]) -> Vec<Diagnostic> {
        let there = |name: &str| {
            self.functions.iter().any(|function| function.name == name)
                || self.refused_names.iter().any(|refused| refused == name)
        };
        exports.iter().filter(|export| export.required && !there(export.name)).map(|it| missing(text, it)).collect()
    }
}

/// Judges a module that parsed.
pub(crate) fn judge(text: &str, module: &swc_ecma_ast::Module) -> Judged {
    visit::module(text, module)
}

/// Judges an expression that parsed; spans are the parser's own.
pub(crate) fn judge_expression(text: &str, expr: &swc_ecma_ast::Expr) -> Vec<Finding> {
    visit::expression(text, expr)
}

/// Every fault that the text alone tells, in the order of the text: the rules of a module, exports that are missing,
/// and, where the text is no TypeScript or nests too deep, that alone.
///
/// For a document whose types cannot be judged now; [`crate::Compiler::check`] says all of this and more.
#[must_use]
pub fn structure(module: &Module<'_>) -> Vec<Diagnostic> {
    match parse::module(module.text, judge) {
        Err(unparsed) => vec![unparsed.into_diagnostic()],
        Ok(judged) => {
            let mut found = judged.missing(module.text, module.exports);
            found.extend(judged.findings.into_iter().map(|finding| finding.diagnostic));
            settle(&mut found);
            found
        }
    }
}

/// The functions a module exports, in the order of the text; none where the text is no TypeScript.
#[must_use]
pub fn exports(text: &str) -> Vec<ExportedFunction> {
    parse::module(text, |text, module| judge(text, module).functions).unwrap_or_default()
}

fn missing(text: &str, export: &Export) -> Diagnostic {
    let message = if export.name == "default" {
        format!("The module has no default export; it needs `{}`.", export.signature())
    } else {
        format!("The module exports no `{}`; it needs `{}`.", export.name, export.signature())
    };
    let first_line = text.lines().next().unwrap_or("");
    Diagnostic::new("module.missing", Span::new(0, first_line.len()), message)
        .hint(format!("Add `{} {{ … }}`.", export.declaration()))
}

fn finding(rule: Rule, code: &str, span: Span, covers: Span, sentence: &str) -> Finding {
    Finding { rule, diagnostic: Diagnostic::new(code, span, sentence), covers }
}

fn edit(span: Span, text: &str) -> Vec<Edit> {
    vec![Edit { span, text: text.to_owned() }]
}

#[cfg(test)]
mod tests;
