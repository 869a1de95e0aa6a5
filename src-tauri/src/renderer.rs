//! How the window is drawn on Linux.
//!
//! WebKitGTK can hand its pictures over as DMA-BUFs. Without a graphics card that path costs far more than it saves;
//! with some drivers it shows an empty window. So the program leaves it when there is no card, and when a start that
//! took it never painted. `WEBKIT_DISABLE_DMABUF_RENDERER` in the environment is the person's own choice and is kept.

use crate::places::Places;
use std::fs;
use std::path::{Path, PathBuf};

/// What WebKitGTK reads.
#[cfg(target_os = "linux")]
const SWITCH: &str = "WEBKIT_DISABLE_DMABUF_RENDERER";

/// The drawing that was chosen, and where its success is written down.
#[derive(Debug, Clone)]
pub(crate) struct Renderer {
    last_start: PathBuf,
    watched: bool,
}

/// What the last start left behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LastStart {
    /// Nothing, or a start that ended well.
    Fine,
    /// A start by DMA-BUF that never painted: this one, and all later ones of this version, do without.
    NeverPainted,
}

/// Written while a start by DMA-BUF has not painted yet.
const STARTING: &str = "starting";

/// Chooses the drawing, and starts the program anew with the switch set where that is needed.
pub(crate) fn choose(places: &Places) -> Renderer {
    let last_start = places.last_start();
    #[cfg(target_os = "linux")]
    {
        if std::env::var_os(SWITCH).is_none() {
            if avoid_dmabuf(has_card(Path::new("/dev/dri")), read(&last_start)) {
                start_anew();
            } else {
                write(&last_start, STARTING);
                return Renderer { last_start, watched: true };
            }
        }
    }
    Renderer { last_start, watched: false }
}

impl Renderer {
    /// The page is on the screen, or the window was closed in good order before it was.
    pub(crate) fn succeeded(&self) {
        if self.watched {
            write(&self.last_start, "painted");
        }
    }
}

fn avoid_dmabuf(card: bool, last: LastStart) -> bool {
    !card || last == LastStart::NeverPainted
}

/// Whether there is a card to draw with.
fn has_card(devices: &Path) -> bool {
    fs::read_dir(devices)
        .map(|entries| entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("renderD")))
        .unwrap_or(false)
}

/// The note is `<version> <word>`: a newer program tries again.
fn read(note: &Path) -> LastStart {
    let text = fs::read_to_string(note).unwrap_or_default();
    match text.trim().split_once(' ') {
        Some((env!("CARGO_PKG_VERSION"), STARTING)) => LastStart::NeverPainted,
        _ => LastStart::Fine,
    }
}

/// A note that cannot be written is no reason not to start.
fn write(note: &Path, word: &str) {
    let written = note.parent().map_or(Ok(()), fs::create_dir_all);
    if let Err(error) = written.and_then(|()| fs::write(note, format!("{} {word}\n", env!("CARGO_PKG_VERSION")))) {
        tracing::debug!(%error, "the note about this start could not be written");
    }
}

/// The same program with the switch set, in this same process; comes back only when that fails.
#[cfg(target_os = "linux")]
fn start_anew() {
    use std::os::unix::process::CommandExt;
    match std::env::current_exe() {
        Ok(program) => {
            let error = std::process::Command::new(program).args(std::env::args_os().skip(1)).env(SWITCH, "1").exec();
            tracing::warn!(%error, "the program could not start anew; the window may stay empty");
        }
        Err(error) => tracing::warn!(%error, "the program does not know its own place; the window may stay empty"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("playbook-studio-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn without_a_card_or_after_an_empty_window_dmabuf_is_left() {
        assert!(avoid_dmabuf(false, LastStart::Fine));
        assert!(avoid_dmabuf(true, LastStart::NeverPainted));
        assert!(!avoid_dmabuf(true, LastStart::Fine));
    }

    #[test]
    fn a_render_node_is_a_card() {
        let devices = folder("card");
        assert!(!has_card(&devices));
        fs::write(devices.join("card0"), "").unwrap();
        assert!(!has_card(&devices));
        fs::write(devices.join("renderD128"), "").unwrap();
        assert!(has_card(&devices));
        assert!(!has_card(&devices.join("none")));
        fs::remove_dir_all(devices).unwrap();
    }

    #[test]
    fn a_start_that_painted_is_fine_and_one_that_did_not_is_remembered() {
        let place = folder("note");
        let note = Places::under(&place).last_start();
        assert_eq!(read(&note), LastStart::Fine);
        write(&note, STARTING);
        assert_eq!(read(&note), LastStart::NeverPainted);
        Renderer { last_start: note.clone(), watched: true }.succeeded();
        assert_eq!(read(&note), LastStart::Fine);
        fs::write(&note, "0.0.0 starting\n").unwrap();
        assert_eq!(read(&note), LastStart::Fine, "a newer program tries again");
        fs::remove_dir_all(place).unwrap();
    }
}
