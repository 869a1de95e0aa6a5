//! Makes the tables that Tauri compiles in, the web page among them.

use std::{fs, io, path::Path};

/// Shown when the program was built before its page was.
const NO_PAGE: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Playbook Studio</title>\
<p>This program was built without its page. Run <code>make studio</code>.</p></html>\n";

fn main() -> io::Result<()> {
    // Without the folder nothing that names this crate compiles, tests of other crates included.
    let page = Path::new("../ui/dist");
    if !page.join("index.html").exists() {
        fs::create_dir_all(page)?;
        fs::write(page.join("index.html"), NO_PAGE)?;
    }
    // Cargo does not notice a new file beside known ones by itself.
    println!("cargo:rerun-if-changed=../ui/dist");
    println!("cargo:rerun-if-changed=../icons");
    tauri_build::build();
    Ok(())
}
