//! From the folder's files to the log's versions.

use super::file::{FileError, Folder, PlaybookFile};
use crate::api::{Caller, operation};
use crate::runtime::{Runtime, incident};
use playbook_engine::definition::Definition;
use playbook_model::definition::DefinitionKey;
use playbook_model::ending::Rejection;
use playbook_model::id::PlaybookKey;
use playbook_model::refusal::Refusal;
use serde_json::{Map, Value, json};

/// How a document's file stands to its recorded version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// The file's text is the recorded version.
    Saved,
    /// The file's text differs and was not recorded yet.
    Draft,
    /// The file has problems; the version before goes on running.
    Problems,
    /// There is a recorded version and no file.
    Missing,
    /// The definition is retired.
    Retired,
}

impl Standing {
    /// The standing's word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Saved => "saved",
            Self::Draft => "draft",
            Self::Problems => "problems",
            Self::Missing => "missing",
            Self::Retired => "retired",
        }
    }
}

/// What became of one document.
#[derive(Debug, Clone, PartialEq)]
pub struct Synced {
    /// Which definition.
    pub key: DefinitionKey,
    /// Why it was not recorded; `None` when the file's text is the recorded version now.
    pub refused: Option<Rejection>,
}

/// How a file's text stands to the version recorded, before any check.
#[must_use]
pub fn standing(text: Option<&str>, recorded: Option<&Definition>) -> Standing {
    match (text, recorded) {
        (_, Some(recorded)) if recorded.retired_at.is_some() => Standing::Retired,
        (Some(text), Some(recorded)) if recorded.saved.source == text => Standing::Saved,
        (None, Some(_)) => Standing::Missing,
        _ => Standing::Draft,
    }
}

impl Runtime {
    /// Makes the log's playbook the one the folder describes.
    ///
    /// # Errors
    /// The refusal of the operation, such as an id that was retired.
    pub async fn adopt(&self, playbook: &PlaybookFile) -> Result<PlaybookKey, Refusal> {
        let key = playbook.key();
        let org = self.org(&key.org).await?;
        let text = playbook.text();
        let there = org.playbooks.0.get(key.playbook.as_str());
        let (name, mut input) = match there {
            None => ("create_playbook", json!({ "name": text.name, "description": text.description })),
            Some(there) if there.text == text => return Ok(key),
            Some(_) => ("update_playbook", json!({ "name": text.name, "description": text.description })),
        };
        address(&mut input, &key);
        self.local(name, input).await?;
        Ok(key)
    }

    /// Records every document of the folder whose text passes and is not the recorded version.
    ///
    /// # Errors
    /// [`FileError`] when the folder cannot be read; what one document was refused for is in its [`Synced`].
    pub async fn sync(&self, folder: &Folder, playbook: &PlaybookKey) -> Result<Vec<Synced>, FileError> {
        let (keys, _) = folder.list()?;
        let mut synced = Vec::new();
        for key in keys {
            let refused = match self.record_file(folder, playbook, &key).await? {
                Ok(()) => None,
                Err(Refusal::Rejected(rejection)) => Some(rejection),
                Err(Refusal::Incident { id }) => Some(Rejection::new(
                    playbook_model::ending::Reason::Unavailable,
                    format!("The program broke down over this document; its log has it as {id}"),
                )),
            };
            synced.push(Synced { key, refused });
        }
        Ok(synced)
    }

    /// Records a document's file as a version, where it passes and is not one yet.
    ///
    /// # Errors
    /// The outer one when the file cannot be read; the inner one is the refusal of the save.
    pub async fn record_file(
        &self,
        folder: &Folder,
        playbook: &PlaybookKey,
        key: &DefinitionKey,
    ) -> Result<Result<(), Refusal>, FileError> {
        if !key.kind.is_run() {
            let words = format!("This version of the program does not run a {}", key.kind.noun());
            return Ok(Err(Rejection::new(playbook_model::ending::Reason::Conflict, words).into()));
        }
        let Some(document) = folder.read(key)? else { return Ok(Ok(())) };
        let (overview, diagram) = folder.read_beside(key)?;
        let definitions = match self.definitions(playbook, key.kind).await {
            Ok(definitions) => definitions,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let there = definitions.by_name.get(key.name.as_str());
        let unchanged = there.is_some_and(|there| {
            there.saved.source == document.text
                && (overview.is_none() || there.saved.author_overview == overview)
                && (diagram.is_none() || there.saved.author_diagram == diagram)
        });
        if unchanged {
            return Ok(Ok(()));
        }
        let mut input = json!({ "type": key.kind, "name": key.name, "source": document.text });
        if let Some(members) = input.as_object_mut() {
            for (name, text) in [("overview", overview), ("diagram", diagram)] {
                if let Some(text) = text {
                    members.insert(name.into(), text.into());
                }
            }
        }
        address(&mut input, playbook);
        let name = if there.is_some() { "update_definition" } else { "create_definition" };
        Ok(self.local(name, input).await.map(|_| ()))
    }

    /// Does an operation for the person at this machine.
    ///
    /// # Errors
    /// The operation's refusal.
    pub async fn local(&self, name: &str, input: Value) -> Result<Value, Refusal> {
        let Some(operation) = operation(name) else {
            return Err(incident(&format!("there is no operation {name}")));
        };
        let Value::Object(input) = input else { return Err(incident("an operation takes an object")) };
        self.call(operation, &Caller::local(), input).await
    }
}

/// Names the playbook an operation is for.
fn address(input: &mut Value, key: &PlaybookKey) {
    if let Some(members) = input.as_object_mut() {
        let mut place = Map::new();
        place.insert("org".into(), key.org.as_str().into());
        place.insert("playbook".into(), key.playbook.as_str().into());
        members.extend(place);
    }
}
