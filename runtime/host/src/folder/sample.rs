//! New playbooks: an empty one, and the sample that comes with the program.

use super::file::{FileError, Folder, PlaybookFile, write};
use std::path::Path;

include!(concat!(env!("OUT_DIR"), "/sample.rs"));

/// Writes the sample playbook into a folder that is new or empty, and opens it.
///
/// # Errors
/// [`FileError`]: the folder holds something, or cannot be written.
pub fn create_sample(path: &Path) -> Result<(Folder, PlaybookFile), FileError> {
    free(path)?;
    for (name, text) in SAMPLE {
        write(&path.join(name), text)?;
    }
    Folder::open(path)
}

/// Writes a playbook without definitions into a folder that is new or empty, and opens it.
///
/// # Errors
/// [`FileError`]: the folder holds something, or cannot be written.
pub fn create(path: &Path, playbook: &PlaybookFile) -> Result<(Folder, PlaybookFile), FileError> {
    free(path)?;
    // JSON texts are YAML texts, whatever they hold.
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let text = format!(
        "id: {}\nname: {}\ndescription: {}\n",
        playbook.id,
        quoted(&playbook.name),
        quoted(&playbook.description)
    );
    write(&path.join("playbook.yaml"), &text)?;
    Folder::open(path)
}

fn free(path: &Path) -> Result<(), FileError> {
    match std::fs::read_dir(path) {
        Ok(mut entries) => {
            if entries.next().is_some() {
                let why = std::io::Error::new(
                    std::io::ErrorKind::AlreadyExists,
                    "the folder is not empty; choose a new or empty one",
                );
                return Err(FileError::Io { path: path.into(), why });
            }
            Ok(())
        }
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(why) => Err(FileError::Io { path: path.into(), why }),
    }
}
