//! Where the program keeps what is its own, on each system.
//!
//! A playbook's folder is never among them: what belongs to a playbook stays in its folder.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// The name of the program's folders.
const NAME: &str = "playbook-studio";

/// The program's own folders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Places {
    data: PathBuf,
    config: PathBuf,
}

impl Places {
    /// The folders of the person who runs the program; on Linux `XDG_DATA_HOME` and `XDG_CONFIG_HOME` move them.
    ///
    /// # Errors
    /// When the system names no home.
    pub(crate) fn find() -> Result<Self> {
        let words = "This account has no home folder, so there is no place for settings: set HOME and start again.";
        Ok(Self {
            data: dirs::data_dir().context(words)?.join(NAME),
            config: dirs::config_dir().context(words)?.join(NAME),
        })
    }

    /// What the program can make again.
    pub(crate) fn data(&self) -> &Path {
        &self.data
    }

    /// What the program remembers between two starts, such as the folders opened last.
    pub(crate) fn config(&self) -> &Path {
        &self.config
    }

    /// The person's copy of the sample playbook.
    pub(crate) fn sample(&self) -> PathBuf {
        self.data.join("sample-playbook")
    }

    /// How the last start went; see [`crate::renderer`].
    pub(crate) fn last_start(&self) -> PathBuf {
        self.data.join("last-start")
    }

    #[cfg(test)]
    pub(crate) fn under(folder: &Path) -> Self {
        Self { data: folder.join("data"), config: folder.join("config") }
    }
}
