//! The whole check of a document: read, judge, describe.

use crate::details::Details;
use crate::reader::{Reader, SchemaRead};
use crate::{computation, interaction, recall, workflow};
use playbook_model::definition::DefinitionType;
use playbook_model::limits::{CHECK_MILLISECONDS, WORKFLOW_MILLISECONDS};
use playbook_model::position::Span;
use playbook_model::problem::{Place, Problem, Severity, errors, settle};
use playbook_typescript::Compiler;
use serde::Serialize;
use serde_json::Value;

/// A document as the check leaves it.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// Every problem, in the order of the text.
    pub problems: Vec<Problem>,
    /// The definition, when nothing refuses the document and its types were judged.
    pub definition: Option<Definition>,
    /// Why the types were not judged, when they were not and nothing else refuses the document.
    pub unjudged: Option<Unjudged>,
    /// The TypeScript types that the module sees.
    pub declarations: String,
    /// What the document says of itself, as far as it can be read.
    pub outline: Outline,
    /// For a recall function with a view schema: the largest its view can be.
    pub largest_view: Option<LargestView>,
}

/// What a document says of itself, problems or not.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outline {
    /// The description.
    pub description: Option<String>,
    /// `input.schema`, when it has no errors.
    pub input_schema: Option<Value>,
    /// `output.schema`, when it has no errors.
    pub output_schema: Option<Value>,
    /// `view.schema`, when it has no errors.
    pub view_schema: Option<Value>,
}

/// The largest a view can be by its schema's bounds. "Bound the size of the view".
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LargestView {
    /// Bytes of JSON in UTF-8; `None` when something has no bound.
    pub bytes: Option<u64>,
    /// The pointer of the innermost part of `view.schema` that makes up more than half of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dominates: Option<String>,
    /// The pointer of the first part of `view.schema` without a bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unbounded: Option<String>,
}

/// Why types were not judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unjudged {
    /// The check ran out of its time: `invalid_input`. "Bounds".
    OutOfTime {
        /// What to do, for people.
        sentence: String,
    },
    /// No compiler was ready: `unavailable`. "Bounds".
    NotReady {
        /// What to do, for people.
        sentence: String,
    },
}

/// A document without errors.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// 1 to 1,000 characters.
    pub description: Option<String>,
    /// From the document.
    pub input_schema: Option<Value>,
    /// From the document.
    pub output_schema: Option<Value>,
    /// What running needs.
    pub details: Details,
    /// The program without its types, every line and column kept.
    pub stripped: String,
    /// The document in plain words, as Markdown. "The overview".
    pub overview: String,
    /// The warnings in the published form, at most 100.
    pub warnings: Vec<String>,
}

/// "Answers that are JSON": warnings a definition shows.
const WARNINGS_SHOWN: usize = 100;

/// Checks a document with the compiler. Blocks for the compiler's turn and up to its two seconds.
///
/// `name` is the definition's own, for what a recall function says of itself.
#[must_use]
pub fn check(kind: DefinitionType, name: &str, text: &str, compiler: &Compiler) -> Checked {
    check_within(kind, name, text, compiler, WORKFLOW_MILLISECONDS)
}

/// As [`check`], where a run of a workflow may last for `longest` milliseconds.
#[must_use]
pub fn check_within(kind: DefinitionType, name: &str, text: &str, compiler: &Compiler, longest: u64) -> Checked {
    judge(kind, Some(name), text, Judge::Compiler(compiler), longest)
}

/// Checks everything of a document but what only its types show; gives no definition.
#[must_use]
pub fn check_without_compiler(kind: DefinitionType, text: &str) -> Checked {
    judge(kind, None, text, Judge::TextAlone, WORKFLOW_MILLISECONDS)
}

/// Who judges the module.
#[derive(Clone, Copy)]
pub(crate) enum Judge<'a> {
    Compiler(&'a Compiler),
    TextAlone,
}

/// What one type's reading comes to, before the problems are settled.
pub(crate) struct Read {
    pub(crate) declarations: String,
    pub(crate) description: Option<String>,
    pub(crate) input: SchemaRead,
    pub(crate) output: SchemaRead,
    pub(crate) view: SchemaRead,
    pub(crate) unjudged: Option<playbook_typescript::Unjudged>,
    /// The rest of a definition, when there was a module to judge.
    pub(crate) made: Option<Made>,
    pub(crate) largest_view: Option<LargestView>,
}

/// The parts of a definition that only its type knows.
pub(crate) struct Made {
    pub(crate) details: Details,
    pub(crate) stripped: String,
    pub(crate) overview: String,
}

fn judge(kind: DefinitionType, name: Option<&str>, text: &str, judge: Judge<'_>, longest: u64) -> Checked {
    let mut reader = match kind {
        DefinitionType::Workflow => Reader::of_document(workflow::TEXT, text),
        _ => Reader::new(text),
    };
    let read = match kind {
        DefinitionType::Workflow => workflow::read(&mut reader, judge, longest),
        DefinitionType::Computation => computation::read(&mut reader, judge),
        DefinitionType::Recall => recall::read(&mut reader, name, judge),
        DefinitionType::Interaction => interaction::read(&mut reader),
        other => {
            let place = Place::of(&reader.index, Span::new(0, 0), None);
            let message = format!(
                "This program checks computation, interaction and recall functions and workflows; a {} is not one of them.",
                other.noun()
            );
            reader.problems = vec![Problem::error("document.type", place, message)];
            Read {
                declarations: String::new(),
                description: None,
                input: SchemaRead::None,
                output: SchemaRead::None,
                view: SchemaRead::None,
                unjudged: None,
                made: None,
                largest_view: None,
            }
        }
    };
    settled(reader.problems, read)
}

fn settled(mut problems: Vec<Problem>, read: Read) -> Checked {
    settle(&mut problems);
    let refused = errors(&problems).next().is_some();
    let outline = Outline {
        description: read.description,
        input_schema: read.input.good().cloned(),
        output_schema: read.output.good().cloned(),
        view_schema: read.view.good().cloned(),
    };
    let unjudged = read.unjudged.filter(|_| !refused).map(|why| match why {
        playbook_typescript::Unjudged::OutOfTime => Unjudged::OutOfTime {
            sentence: format!(
                "The check took longer than {} seconds; simplify the types, split the module, or save again when the computer is less busy.",
                CHECK_MILLISECONDS / 1_000
            ),
        },
        other => Unjudged::NotReady { sentence: other.to_string() },
    });
    let warnings: Vec<String> = problems
        .iter()
        .filter(|problem| problem.severity == Severity::Warning)
        .take(WARNINGS_SHOWN)
        .map(Problem::published)
        .collect();
    let definition = read.made.filter(|_| !refused && unjudged.is_none()).map(|made| Definition {
        description: outline.description.clone(),
        input_schema: outline.input_schema.clone(),
        output_schema: outline.output_schema.clone(),
        details: made.details,
        stripped: made.stripped,
        overview: made.overview,
        warnings,
    });
    Checked {
        problems,
        definition,
        unjudged,
        declarations: read.declarations,
        outline,
        largest_view: read.largest_view,
    }
}
