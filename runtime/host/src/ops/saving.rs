//! Saving a document: check it, then record it; any failure records nothing.

use crate::runtime::{Runtime, incident};
use playbook_definition::{Checked, Unjudged};
use playbook_model::definition::DefinitionKey;
use playbook_model::ending::{Issue, Reason, Rejection};
use playbook_model::limits;
use playbook_model::problem;
use playbook_model::record::SavedDefinition;
use playbook_model::refusal::Refusal;

/// What the author gives beside the document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Beside {
    /// The author's own overview; `None` keeps the one before.
    pub(crate) overview: Option<String>,
    /// The author's own diagram; `None` keeps the one before.
    pub(crate) diagram: Option<String>,
}

impl Runtime {
    /// Checks a text with the compiler, on a thread that may wait for it.
    pub(crate) async fn judge(&self, key: &DefinitionKey, text: &str) -> Result<Checked, Refusal> {
        judge_within(self.0.compiler.clone(), key, text, self.0.settings.workflow_max_milliseconds).await
    }

    /// What a document that passes is recorded as.
    pub(crate) async fn made_ready(
        &self,
        key: &DefinitionKey,
        source: &str,
        beside: &Beside,
    ) -> Result<SavedDefinition, Refusal> {
        let checked = self.judge(key, source).await?;
        saved(checked, source, beside)
    }
}

/// Checks a text with a compiler, on a thread that may wait for it.
pub(crate) async fn judge(
    compiler: std::sync::Arc<playbook_typescript::Compiler>,
    key: &DefinitionKey,
    text: &str,
) -> Result<Checked, Refusal> {
    judge_within(compiler, key, text, limits::WORKFLOW_MILLISECONDS).await
}

/// As [`judge`], where a run of a workflow may last for so many milliseconds.
async fn judge_within(
    compiler: std::sync::Arc<playbook_typescript::Compiler>,
    key: &DefinitionKey,
    text: &str,
    longest: u64,
) -> Result<Checked, Refusal> {
    let (kind, name, text) = (key.kind, key.name.clone(), text.to_owned());
    let check = move || playbook_definition::check_within(kind, name.as_str(), &text, &compiler, longest);
    tokio::task::spawn_blocking(check).await.map_err(|why| incident(&format!("the check broke down: {why}")))
}

/// The record of a checked document.
///
/// # Errors
/// `invalid_input` with every problem under `/source`, or `unavailable` when no checker was ready.
pub(crate) fn saved(checked: Checked, source: &str, beside: &Beside) -> Result<SavedDefinition, Refusal> {
    let lines = problem::published(&checked.problems);
    if !lines.is_empty() {
        return Err(refused(lines, checked.problems.len()));
    }
    match checked.unjudged {
        None => {}
        Some(Unjudged::OutOfTime { sentence }) => return Err(refused(vec![sentence], 1)),
        Some(Unjudged::NotReady { sentence }) => {
            return Err(Rejection::new(Reason::Unavailable, sentence).into());
        }
    }
    let Some(definition) = checked.definition else {
        return Err(incident("a document without problems gave no definition"));
    };
    let details = serde_json::to_value(&definition.details)
        .map_err(|why| incident(&format!("a definition's details cannot be written: {why}")))?;
    Ok(SavedDefinition {
        source: source.to_owned(),
        description: definition.description,
        input_schema: definition.input_schema,
        output_schema: definition.output_schema,
        warnings: definition.warnings,
        overview: definition.overview,
        author_overview: beside.overview.clone(),
        author_diagram: beside.diagram.clone(),
        details,
        stripped: Some(definition.stripped),
    })
}

fn refused(lines: Vec<String>, count: usize) -> Refusal {
    let summary = if count == 1 {
        "The document has one problem".to_owned()
    } else {
        format!("The document has {count} problems")
    };
    let issues = lines.into_iter().map(|detail| Issue { detail, pointer: "/source".into() }).collect();
    Rejection::new(Reason::InvalidInput, summary).issues(issues).into()
}

/// What a checked text would be recorded as, with nothing beside it: for a trial.
pub(crate) fn ready(checked: Checked, source: &str) -> Result<SavedDefinition, Refusal> {
    saved(checked, source, &Beside::default())
}
