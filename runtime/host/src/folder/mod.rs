//! A playbook's folder: its description, its documents as files, and how a file's text becomes a version.
//!
//! Files are the author's drafts. A file whose document passes is recorded, whoever saved it;
//! one with problems stays a draft, and the version before goes on running.

mod case;
mod file;
mod publication;
mod sample;
mod sync;

pub use case::CaseFile;
pub use file::{Base, DocumentFile, FileError, Folder, PlaybookFile, Stray};
pub use publication::{PublishingFolder, mine};
pub use sample::{create, create_sample};
pub use sync::{Standing, Synced, standing};

/// Writes a text file so that the old text or the new is on the disk whatever happens, never a half.
///
/// # Errors
/// [`FileError::Io`].
pub fn write_text(path: &std::path::Path, text: &str) -> Result<(), FileError> {
    file::write(path, text)
}
