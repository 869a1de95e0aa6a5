//! What was published or pulled last, kept in a file beside the folder: `.playbook/published/<server>.json`.

use crate::plan::{Plan, State};
use playbook_model::definition::{DefinitionKey, DefinitionType};
use playbook_model::id::DefinitionName;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// One definition as last published or pulled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Base {
    /// Its text.
    pub text: String,
    /// Its version on the server.
    pub version: u32,
}

impl Base {
    /// A text and its version.
    #[must_use]
    pub fn new(text: impl Into<String>, version: u32) -> Self {
        Self { text: text.into(), version }
    }
}

/// Why the record of what was published cannot be used, as a sentence.
#[derive(Debug, thiserror::Error)]
pub enum PublishedError {
    /// The file cannot be read or written.
    #[error("What was published before cannot be kept: {0}.")]
    File(#[from] io::Error),
    /// The file is not one of ours.
    #[error(
        "The record of what was published before is damaged; move {0} away, and the next plan compares without it."
    )]
    Damaged(PathBuf),
}

/// What was published to one server, and what a publication has left to do.
#[derive(Debug)]
pub struct Published {
    path: PathBuf,
    kept: Kept,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Kept {
    definitions: BTreeMap<String, Base>,
    /// The definitions a publication was about to send and had not finished.
    #[serde(default)]
    unfinished: Vec<String>,
}

impl Published {
    /// Opens the record of a server's id in a playbook's folder; a server not published to before has an empty one.
    ///
    /// # Errors
    /// [`PublishedError`].
    pub fn open(folder: &Path, server: &str) -> Result<Self, PublishedError> {
        let safe: String =
            server.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' }).collect();
        let safe = safe.trim_matches(['.', '-']);
        let name = if safe.is_empty() { "server" } else { safe };
        let path = folder.join(".playbook").join("published").join(format!("{name}.json"));
        let kept = match std::fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|_| PublishedError::Damaged(path.clone()))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Kept::default(),
            Err(error) => return Err(error.into()),
        };
        Ok(Self { path, kept })
    }

    /// The definitions as last published or pulled.
    #[must_use]
    pub fn bases(&self) -> BTreeMap<DefinitionKey, Base> {
        let pairs = self.kept.definitions.iter();
        pairs.filter_map(|(name, base)| Some((key(name)?, base.clone()))).collect()
    }

    /// What the last publication had left to do when it ended.
    #[must_use]
    pub fn unfinished(&self) -> Vec<DefinitionKey> {
        self.kept.unfinished.iter().filter_map(|name| key(name)).collect()
    }

    /// Notes what a plan found to be the same here and there: whatever differs later has changed since.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn agree(&mut self, plan: &Plan) -> Result<(), PublishedError> {
        let mut changed = false;
        for item in plan.items.iter().filter(|item| item.state == State::Same) {
            let (Some(text), Some(version)) = (&item.theirs, item.version_there) else { continue };
            let base = Base::new(text.clone(), version);
            changed |= self.kept.definitions.insert(item.key.to_string(), base.clone()) != Some(base);
        }
        if changed { self.write() } else { Ok(()) }
    }

    /// Notes what a publication is about to do, before it does anything.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn begin(&mut self, keys: &[DefinitionKey]) -> Result<(), PublishedError> {
        self.kept.unfinished = keys.iter().map(ToString::to_string).collect();
        self.write()
    }

    /// Notes that a definition is published or pulled, and its text there.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn settle(&mut self, key: &DefinitionKey, base: Base) -> Result<(), PublishedError> {
        let name = key.to_string();
        self.kept.unfinished.retain(|other| *other != name);
        self.kept.definitions.insert(name, base);
        self.write()
    }

    /// Notes that there is nothing more to do about a definition, though nothing was sent.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn leave(&mut self, key: &DefinitionKey) -> Result<(), PublishedError> {
        let name = key.to_string();
        self.kept.unfinished.retain(|other| *other != name);
        self.write()
    }

    /// Writes beside and then in place, so that a power cut leaves the old file or the new one.
    fn write(&self) -> Result<(), PublishedError> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        let beside = self.path.with_extension("json.new");
        let mut file = std::fs::File::create(&beside)?;
        serde_json::to_writer_pretty(&mut file, &self.kept).map_err(io::Error::other)?;
        file.flush()?;
        file.sync_all()?;
        std::fs::rename(&beside, &self.path)?;
        Ok(())
    }
}

fn key(name: &str) -> Option<DefinitionKey> {
    let (kind, name) = name.split_once('/')?;
    Some(DefinitionKey { kind: DefinitionType::parse(kind)?, name: DefinitionName::new(name).ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_noted_is_there_the_next_time() {
        let folder = tempfile::tempdir().expect("a folder");
        let one = key("computation/one").expect("a key");
        let two = key("recall/two").expect("a key");
        let mut published = Published::open(folder.path(), "s/../1").expect("empty");
        assert!(published.bases().is_empty());
        published.begin(&[one.clone(), two.clone()]).expect("written");
        published.settle(&one, Base::new("text", 2)).expect("written");
        let again = Published::open(folder.path(), "s/../1").expect("read");
        assert_eq!(again.bases(), [(one, Base::new("text", 2))].into());
        assert_eq!(again.unfinished(), [two]);
        assert!(folder.path().join(".playbook/published/s-..-1.json").is_file());
    }

    #[test]
    fn a_damaged_record_is_said_in_words() {
        let folder = tempfile::tempdir().expect("a folder");
        Published::open(folder.path(), "s").expect("empty").begin(&[]).expect("written");
        std::fs::write(folder.path().join(".playbook/published/s.json"), "{").expect("written");
        assert!(matches!(Published::open(folder.path(), "s"), Err(PublishedError::Damaged(_))));
    }
}
