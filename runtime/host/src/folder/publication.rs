//! A folder as what is published to a server, and as what takes a text pulled from one.

use super::file::{Base, FileError, Folder};
use playbook_model::definition::DefinitionKey;
use playbook_model::problem;
use playbook_publish::{Mine, Published};
use playbook_typescript::Compiler;

/// Every document of a folder as it would be published, each judged as it stands. Blocks on the compiler.
///
/// # Errors
/// [`FileError`] when the folder cannot be read.
pub fn mine(folder: &Folder, compiler: &Compiler) -> Result<Vec<Mine>, FileError> {
    let (keys, _) = folder.list()?;
    let mut all = Vec::new();
    for key in keys {
        if !key.kind.is_run() {
            continue;
        }
        let Some(document) = folder.read(&key)? else { continue };
        let (overview, diagram) = folder.read_beside(&key)?;
        let checked = playbook_definition::check(key.kind, key.name.as_str(), &document.text, compiler);
        let uses = checked.definition.as_ref().map(|d| playbook_definition::uses(&d.details)).unwrap_or_default();
        let problems = problem::errors(&checked.problems).count();
        all.push(Mine { key, text: document.text, overview, diagram, uses, problems });
    }
    Ok(all)
}

/// A folder that keeps what was published, and takes what is pulled.
#[derive(Debug)]
pub struct PublishingFolder<'a> {
    /// The folder.
    pub folder: &'a Folder,
    /// What was published before.
    pub published: Published,
    /// The texts the plan was made from: a file that changed since is not overwritten by a pull.
    pub seen: Vec<(DefinitionKey, String)>,
}

impl playbook_publish::Folder for PublishingFolder<'_> {
    fn published(&mut self, key: &DefinitionKey, base: playbook_publish::Base) -> Result<(), String> {
        self.published.settle(key, base).map_err(|why| why.to_string())
    }

    fn pulled(&mut self, key: &DefinitionKey, base: playbook_publish::Base) -> Result<(), String> {
        let seen = self.seen.iter().find(|(other, _)| other == key).map(|(_, text)| Base::of(text));
        self.folder.write(key, &base.text, seen.as_ref()).map_err(|why| why.to_string())?;
        self.published.settle(key, base).map_err(|why| why.to_string())
    }

    fn left(&mut self, key: &DefinitionKey) {
        if let Err(why) = self.published.leave(key) {
            tracing::warn!(%why, "what a publication left alone is told as unfinished");
        }
    }
}
