//! A recall function that passed its check, ready to fold.

use crate::ops;
use crate::runtime::incident;
use crate::views::{Ready, recall_details};
use playbook_definition::{Details, RecallDetails};
use playbook_engine::definition::Definition;
use playbook_history::Wanted;
use playbook_model::definition::{DefinitionKey, DefinitionType};
use playbook_model::id::DefinitionName;
use playbook_model::problem::{Problem, errors};
use playbook_model::refusal::Refusal;
use playbook_sandbox::Program;
use playbook_typescript::Compiler;
use serde_json::Value;
use std::sync::Arc;

/// A recall function that can fold.
pub struct Recall {
    pub(super) name: DefinitionName,
    pub(super) ready: Ready,
}

/// What the check of a recall function's text came to.
#[derive(Debug)]
pub enum CheckedRecall {
    /// It can fold.
    Ready(Arc<Recall>),
    /// It has problems; warnings among them.
    Problems(Vec<Problem>),
}

impl std::fmt::Debug for Recall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recall").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Recall {
    /// Checks the text of a recall function as saving it would: "The module".
    ///
    /// # Errors
    /// [`Refusal`] when the text could not be judged now.
    pub async fn check(compiler: Arc<Compiler>, name: &DefinitionName, text: &str) -> Result<CheckedRecall, Refusal> {
        let key = DefinitionKey { kind: DefinitionType::Recall, name: name.clone() };
        let checked = ops::judge(compiler, &key, text).await?;
        if errors(&checked.problems).next().is_some() {
            return Ok(CheckedRecall::Problems(checked.problems));
        }
        let saved = ops::ready(checked, text)?;
        let (Ok(Details::Recall(details)), Some(text)) = (serde_json::from_value(saved.details), saved.stripped) else {
            return Err(incident("a recall document gave no recall details"));
        };
        Ok(CheckedRecall::Ready(Arc::new(Self::new(name.clone(), text, details))))
    }

    /// A saved version; `None` for one whose details cannot be read.
    pub(crate) fn saved(name: &DefinitionName, definition: &Definition) -> Option<Arc<Self>> {
        let details = recall_details(definition)?;
        let text = definition.saved.stripped.clone()?;
        Some(Arc::new(Self::new(name.clone(), text, details)))
    }

    /// The same without the view's schema: what it folds is given whatever it is.
    pub(crate) fn unchecked(&self) -> Self {
        let details = RecallDetails { view_schema: None, ..self.details().clone() };
        Self::new(self.name.clone(), self.ready.program.text.clone(), details)
    }

    /// The same filters with a fold that keeps nothing, from the view `null`.
    pub(super) fn sieve(&self) -> Self {
        let details = RecallDetails { view_schema: None, initial: Value::Null, ..self.details().clone() };
        Self::new(self.name.clone(), "export function fold(view) { return view; }".into(), details)
    }

    /// One from its program, without its types, and what folding needs of its document.
    pub(crate) fn new(name: DefinitionName, text: String, details: RecallDetails) -> Self {
        let program = Program { text, first_line: details.first_line };
        Self { name, ready: Ready { program, details } }
    }

    /// The function's name: events of its own runs are passed over.
    #[must_use]
    pub fn name(&self) -> &DefinitionName {
        &self.name
    }

    /// The view before any event, as JSON text.
    #[must_use]
    pub fn initial(&self) -> String {
        self.ready.details.initial.to_string()
    }

    /// The records of a log that its filters can take.
    pub(crate) fn wanted(&self) -> Vec<Wanted> {
        crate::moving::wanted(self.details().filters.iter().map(|filter| filter.kind.as_str()))
    }

    pub(crate) fn details(&self) -> &RecallDetails {
        &self.ready.details
    }
}
