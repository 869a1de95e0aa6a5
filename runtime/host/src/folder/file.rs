//! Reading and writing the files of a playbook's folder.

use playbook_model::definition::{DefinitionKey, DefinitionType};
use playbook_model::id::{DefinitionName, OrgId, PlaybookId, PlaybookKey};
use playbook_model::record::PlaybookText;
use sha2::{Digest, Sha256};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The file that makes a folder a playbook.
const PLAYBOOK_FILE: &str = "playbook.yaml";
/// More than any document may take, so that a stray huge file is never read whole.
const MOST_BYTES: u64 = 4 * 1024 * 1024;

/// Why a folder or a file of it cannot be used. Each reads as one sentence for a person.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The folder is no playbook.
    #[error("{} is not a playbook: it holds no {PLAYBOOK_FILE}. Open the folder that does, or make a new playbook", path.display())]
    NoPlaybook {
        /// The folder.
        path: PathBuf,
    },
    /// The folder is not there.
    #[error("There is no folder {}", path.display())]
    Gone {
        /// The folder.
        path: PathBuf,
    },
    /// `playbook.yaml` cannot be taken.
    #[error("{}:{line}:{column}: {message}", path.display())]
    Playbook {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: u32,
        /// From 1.
        column: u32,
        /// What is wrong.
        message: String,
    },
    /// The file is not text in UTF-8.
    #[error("{} is not text in UTF-8", path.display())]
    NotText {
        /// The file.
        path: PathBuf,
    },
    /// The file is far larger than what is read may be.
    #[error("{} is larger than a file of a playbook can be", path.display())]
    Huge {
        /// The file.
        path: PathBuf,
    },
    /// The file changed since its text was read; nothing was written.
    #[error("{} was changed outside meanwhile", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
        /// Its text now; `None` when it is gone.
        theirs: Option<(String, Base)>,
    },
    /// A file of this name is there already.
    #[error("{} is there already; choose another name", path.display())]
    There {
        /// The file.
        path: PathBuf,
    },
    /// The system refused.
    #[error("{}: {why}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's words.
        why: std::io::Error,
    },
}

/// What tells one text of a file from another: the SHA-256 of its bytes, in hex.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Base(pub String);

impl Base {
    /// The base of a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let digest = Sha256::digest(text.as_bytes());
        Self(digest.iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

/// A playbook's id, name and description, as its folder says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaybookFile {
    /// The id.
    pub id: PlaybookId,
    /// 1 to 100 characters.
    pub name: String,
    /// Up to 2,000 characters.
    pub description: String,
}

/// A document's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentFile {
    /// Which definition it is of.
    pub key: DefinitionKey,
    /// Its text.
    pub text: String,
    /// What tells this text from another.
    pub base: Base,
}

/// A file that lies where documents do and whose name is no definition's.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stray {
    /// Its path within the folder.
    pub path: String,
    /// The rule for names, as a sentence.
    pub why: String,
}

/// A playbook's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Opens a folder that holds a `playbook.yaml`.
    ///
    /// # Errors
    /// [`FileError`]: no such folder, no playbook, or a `playbook.yaml` that cannot be taken, with its place.
    pub fn open(path: &Path) -> Result<(Self, PlaybookFile), FileError> {
        if !path.is_dir() {
            return Err(FileError::Gone { path: path.into() });
        }
        let path = path.canonicalize().map_err(|why| FileError::Io { path: path.into(), why })?;
        let folder = Self { path };
        let playbook = folder.playbook()?;
        Ok((folder, playbook))
    }

    /// The folder's path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads `playbook.yaml`.
    ///
    /// # Errors
    /// [`FileError`], with the place of the first mistake.
    pub fn playbook(&self) -> Result<PlaybookFile, FileError> {
        let file = self.path.join(PLAYBOOK_FILE);
        if !file.exists() {
            let path = self.path.clone();
            return Err(if path.is_dir() { FileError::NoPlaybook { path } } else { FileError::Gone { path } });
        }
        let text = read(&file)?;
        playbook_definition::read_playbook(&text)
            .map(|(id, name, description)| PlaybookFile { id, name, description })
            .map_err(|problem| FileError::Playbook {
                path: file,
                line: problem.place.line,
                column: problem.place.column,
                message: problem.message,
            })
    }

    /// The path of a definition's document within the folder, with forward slashes.
    #[must_use]
    pub fn relative(key: &DefinitionKey) -> String {
        format!("{}/{}.{}", key.kind.word(), key.name, key.kind.extension())
    }

    fn file(&self, key: &DefinitionKey) -> PathBuf {
        self.path.join(key.kind.word()).join(format!("{}.{}", key.name, key.kind.extension()))
    }

    fn beside(&self, key: &DefinitionKey, ending: &str) -> PathBuf {
        self.path.join(key.kind.word()).join(format!("{}.{ending}", key.name))
    }

    /// Every document's definition, by type and name, and the strays.
    ///
    /// # Errors
    /// [`FileError`] when a folder cannot be read.
    pub fn list(&self) -> Result<(Vec<DefinitionKey>, Vec<Stray>), FileError> {
        if !self.path.is_dir() {
            return Err(FileError::Gone { path: self.path.clone() });
        }
        let mut keys = Vec::new();
        let mut strays = Vec::new();
        for kind in DefinitionType::ALL {
            let folder = self.path.join(kind.word());
            let entries = match std::fs::read_dir(&folder) {
                Ok(entries) => entries,
                Err(why) if why.kind() == std::io::ErrorKind::NotFound => continue,
                Err(why) => return Err(FileError::Io { path: folder, why }),
            };
            for entry in entries {
                let entry = entry.map_err(|why| FileError::Io { path: folder.clone(), why })?;
                let name = entry.file_name().to_string_lossy().into_owned();
                let Some(stem) = name.strip_suffix(&format!(".{}", kind.extension())) else { continue };
                if name.starts_with('.') || stem.ends_with(".overview") || !entry.path().is_file() {
                    continue;
                }
                match DefinitionName::new(stem) {
                    Ok(name) => keys.push(DefinitionKey { kind, name }),
                    Err(why) => strays.push(Stray { path: format!("{}/{name}", kind.word()), why: why.to_string() }),
                }
            }
        }
        keys.sort();
        strays.sort();
        Ok((keys, strays))
    }

    /// Reads a document; `None` when there is no such file.
    ///
    /// # Errors
    /// [`FileError`].
    pub fn read(&self, key: &DefinitionKey) -> Result<Option<DocumentFile>, FileError> {
        let file = self.file(key);
        if !file.exists() {
            return if self.path.is_dir() { Ok(None) } else { Err(FileError::Gone { path: self.path.clone() }) };
        }
        let text = read(&file)?;
        let base = Base::of(&text);
        Ok(Some(DocumentFile { key: key.clone(), text, base }))
    }

    /// The author's own overview and diagram, where the folder has them.
    ///
    /// # Errors
    /// [`FileError`].
    pub fn read_beside(&self, key: &DefinitionKey) -> Result<(Option<String>, Option<String>), FileError> {
        let one = |ending: &str| {
            let file = self.beside(key, ending);
            if file.exists() { read(&file).map(Some) } else { Ok(None) }
        };
        Ok((one("overview.md")?, one("mmd")?))
    }

    /// Writes a document where its file still has the base given; `None` where there must be none yet.
    ///
    /// The old text or the new is on the disk whatever happens, never a half.
    ///
    /// # Errors
    /// [`FileError::Changed`] with the text that is there now; nothing was written.
    pub fn write(&self, key: &DefinitionKey, text: &str, base: Option<&Base>) -> Result<Base, FileError> {
        let file = self.file(key);
        let there = self.read(key)?;
        if there.as_ref().map(|document| &document.base) != base {
            let theirs = there.map(|document| (document.text, document.base));
            return Err(FileError::Changed { path: file, theirs });
        }
        write(&file, text)?;
        Ok(Base::of(text))
    }

    /// Removes a document's file.
    ///
    /// # Errors
    /// [`FileError`].
    pub fn delete(&self, key: &DefinitionKey) -> Result<(), FileError> {
        let file = self.file(key);
        match std::fs::remove_file(&file) {
            Ok(()) => Ok(()),
            Err(why) if why.kind() == std::io::ErrorKind::NotFound => Ok(()),
            Err(why) => Err(FileError::Io { path: file, why }),
        }
    }

    /// The inputs kept for a definition: name and text of each `inputs/<type>/<name>/*.json`.
    ///
    /// # Errors
    /// [`FileError`].
    pub fn inputs(&self, key: &DefinitionKey) -> Result<Vec<(String, String)>, FileError> {
        let folder = self.path.join("inputs").join(key.kind.word()).join(key.name.as_str());
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(why) if why.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(why) => return Err(FileError::Io { path: folder, why }),
        };
        let mut inputs = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|why| FileError::Io { path: folder.clone(), why })?;
            let file = entry.file_name().to_string_lossy().into_owned();
            if let Some(name) = file.strip_suffix(".json") {
                inputs.push((name.to_owned(), read(&entry.path())?));
            }
        }
        inputs.sort();
        Ok(inputs)
    }

    /// Keeps an input for a definition.
    ///
    /// # Errors
    /// [`FileError`].
    pub fn keep_input(&self, key: &DefinitionKey, name: &DefinitionName, text: &str) -> Result<(), FileError> {
        let folder = self.path.join("inputs").join(key.kind.word()).join(key.name.as_str());
        write(&folder.join(format!("{name}.json")), text)
    }
}

impl PlaybookFile {
    /// The playbook's key in the local org.
    #[must_use]
    pub fn key(&self) -> PlaybookKey {
        PlaybookKey { org: OrgId::local(), playbook: self.id.clone() }
    }

    /// The playbook's text as the log keeps it.
    #[must_use]
    pub fn text(&self) -> PlaybookText {
        PlaybookText {
            playbook: self.id.to_string(),
            name: self.name.trim().into(),
            description: self.description.trim().into(),
        }
    }
}

fn read(file: &Path) -> Result<String, FileError> {
    read_at_most(file, MOST_BYTES)
}

/// Reads a text file of at most so many bytes.
pub(super) fn read_at_most(file: &Path, most: u64) -> Result<String, FileError> {
    let io = |why| FileError::Io { path: file.into(), why };
    if std::fs::metadata(file).map_err(io)?.len() > most {
        return Err(FileError::Huge { path: file.into() });
    }
    let bytes = std::fs::read(file).map_err(io)?;
    String::from_utf8(bytes).map_err(|_| FileError::NotText { path: file.into() })
}

/// Writes beside the file, flushes, and only then takes its place.
pub(super) fn write(file: &Path, text: &str) -> Result<(), FileError> {
    let io = |why| FileError::Io { path: file.into(), why };
    let folder = file.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(io)?;
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let beside = folder.join(format!(".{name}.{}.writing", std::process::id()));
    let written = (|| {
        let mut out = std::fs::File::create(&beside)?;
        out.write_all(text.as_bytes())?;
        out.sync_all()?;
        if let Ok(there) = std::fs::metadata(file) {
            out.set_permissions(there.permissions())?;
        }
        std::fs::rename(&beside, file)
    })();
    if written.is_err() {
        // What is left of a failed write is of no use; that it cannot be removed changes nothing.
        let _ = std::fs::remove_file(&beside);
    }
    written.map_err(io)
}
