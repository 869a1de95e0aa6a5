//! What the page may ask of the desktop itself. Everything else it asks of the runtime.

use crate::renderer::Renderer;
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::Instant;
use tauri::{AppHandle, State};
use tauri_plugin_dialog::DialogExt;

/// When the program started, and whether its first picture was noted.
pub(crate) struct Start {
    at: Instant,
    renderer: Renderer,
    painted: Once,
}

impl Start {
    /// A start that begins now.
    pub(crate) fn now(renderer: Renderer) -> Self {
        Self { at: Instant::now(), renderer, painted: Once::new() }
    }

    /// Notes, once, that the window shows something or was closed in good order.
    pub(crate) fn succeeded(&self, words: &str) {
        self.painted.call_once(|| {
            self.renderer.succeeded();
            tracing::info!(milliseconds = self.at.elapsed().as_millis() as u64, "{words}");
        });
    }
}

/// Lets the person pick a folder; nothing when they close the dialog.
#[tauri::command]
pub(crate) async fn pick_folder(app: AppHandle, title: String) -> Option<PathBuf> {
    let (send, picked) = tokio::sync::oneshot::channel();
    app.dialog().file().set_title(title).set_can_create_directories(true).pick_folder(|folder| {
        // The page may have gone meanwhile.
        let _ = send.send(folder);
    });
    picked.await.ok().flatten()?.into_path().ok()
}

/// Opens a file or a folder with the system's program for it.
#[tauri::command]
pub(crate) async fn open_outside(path: PathBuf) -> Result<(), String> {
    let path = existing(&path)?;
    tauri_plugin_opener::open_path(&path, None::<&str>).map_err(|error| {
        tracing::warn!(%error, "a path could not be opened outside");
        "The system has no program that opens this.".to_owned()
    })
}

/// Shows a file or a folder in the system's file browser.
#[tauri::command]
pub(crate) async fn reveal(path: PathBuf) -> Result<(), String> {
    let path = existing(&path)?;
    tauri_plugin_opener::reveal_item_in_dir(&path).map_err(|error| {
        tracing::warn!(%error, "a path could not be shown in the file browser");
        "The system's file browser does not answer.".to_owned()
    })
}

/// The page reports its first picture.
#[tauri::command]
pub(crate) fn painted(start: State<'_, Start>) {
    start.succeeded("first paint");
}

fn existing(path: &Path) -> Result<PathBuf, String> {
    if !path.is_absolute() {
        return Err("Only a whole path can be opened.".to_owned());
    }
    // The real place, so that a link is not taken for what it points at.
    path.canonicalize().map_err(|_| "There is nothing at this path any more.".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_there_is_opened() {
        assert!(existing(Path::new("relative")).unwrap_err().contains("whole path"));
        let gone = std::env::temp_dir().join("playbook-studio-nothing-here");
        assert!(existing(&gone).unwrap_err().contains("any more"));
        assert!(existing(&std::env::temp_dir()).is_ok());
    }
}
