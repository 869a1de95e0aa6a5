//! Definition types and what identifies one definition.

use crate::id::DefinitionName;
use serde::{Deserialize, Serialize};

/// The type of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DefinitionType {
    /// Coordinates the others.
    Workflow,
    /// Asks a model.
    Reasoning,
    /// Asks a person or a system.
    Interaction,
    /// Predicts a series.
    Prediction,
    /// Keeps a view folded from the playbook's events.
    Recall,
    /// Computes an output from an input.
    Computation,
}

impl DefinitionType {
    /// Every type, in the order people see them.
    pub const ALL: [Self; 6] =
        [Self::Workflow, Self::Reasoning, Self::Interaction, Self::Prediction, Self::Recall, Self::Computation];

    /// The types this program checks and runs, in the order people see them.
    pub const RUN: [Self; 4] = [Self::Workflow, Self::Interaction, Self::Recall, Self::Computation];

    /// Whether this program checks and runs definitions of the type.
    #[must_use]
    pub fn is_run(self) -> bool {
        Self::RUN.contains(&self)
    }

    /// The types of [`Self::RUN`] in words: `computation or recall`.
    #[must_use]
    pub fn run_words(joined: &str) -> String {
        let words: Vec<&str> = Self::RUN.iter().rev().map(|kind| kind.word()).collect();
        match words.split_last() {
            Some((last, start)) if !start.is_empty() => format!("{} {joined} {last}", start.join(", ")),
            _ => words.concat(),
        }
    }

    /// The type's word, also its folder in a playbook.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Workflow => "workflow",
            Self::Reasoning => "reasoning",
            Self::Interaction => "interaction",
            Self::Prediction => "prediction",
            Self::Recall => "recall",
            Self::Computation => "computation",
        }
    }

    /// Reads the type's word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|t| t.word() == word)
    }

    /// The type and what it is, for a sentence: `recall function`, `workflow`.
    #[must_use]
    pub fn noun(self) -> String {
        match self {
            Self::Workflow => "workflow".into(),
            other => format!("{} function", other.word()),
        }
    }

    /// The media type of a stored document.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Workflow => "application/yaml",
            _ => "text/markdown",
        }
    }

    /// The extension of a document's file.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Workflow => "yaml",
            _ => "md",
        }
    }
}

impl std::fmt::Display for DefinitionType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.word())
    }
}

/// What identifies a definition within its playbook.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct DefinitionKey {
    /// The type.
    #[serde(rename = "type")]
    pub kind: DefinitionType,
    /// The name.
    pub name: DefinitionName,
}

impl std::fmt::Display for DefinitionKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.kind, self.name)
    }
}
