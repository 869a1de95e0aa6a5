//! Embeds the web UI where it was built before the program: `ui/dist`, or the folder `PLAYBOOK_UI_DIST` names.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-env-changed=PLAYBOOK_UI_DIST");
    println!("cargo:rerun-if-changed=build.rs");
    let beside = Path::new(&variable("CARGO_MANIFEST_DIR")).join("../../ui/dist");
    let folder = env::var_os("PLAYBOOK_UI_DIST").map_or(beside, PathBuf::from);
    let mut files = Vec::new();
    // Also where there is none yet: a UI that is built later is taken in by the next build.
    println!("cargo:rerun-if-changed={}", folder.display());
    if folder.join("index.html").is_file() {
        collect(&folder, "", &mut files)?;
    }
    files.sort();
    // Copies, so that a UI that is built anew meanwhile takes no file away from the compiler.
    let kept = Path::new(&variable("OUT_DIR")).join("ui");
    if kept.exists() {
        fs::remove_dir_all(&kept)?;
    }
    fs::create_dir_all(&kept)?;
    let mut list = String::from("&[\n");
    for (at, (name, file)) in files.into_iter().enumerate() {
        let path = kept.join(at.to_string());
        fs::copy(file, &path)?;
        writeln!(list, "    ({name:?}, include_bytes!({path:?}) as &[u8]),").map_err(io::Error::other)?;
    }
    list.push_str("]\n");
    fs::write(Path::new(&variable("OUT_DIR")).join("ui.rs"), list)
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}

/// Lists the files below a folder with their names, slashes between the parts; maps for debuggers and hidden files stay out.
fn collect(folder: &Path, prefix: &str, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let path = entry.path();
        if path.is_dir() {
            collect(&path, &format!("{prefix}{name}/"), files)?;
        } else if !name.ends_with(".map") && !name.starts_with('.') {
            files.push((format!("{prefix}{name}"), path));
        }
    }
    Ok(())
}
