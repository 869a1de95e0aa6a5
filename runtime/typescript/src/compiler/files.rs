//! The files the compiler sees: all in memory, none on a disk.

use crate::library;
use serde_json::{Value, json};
use std::borrow::Cow;

/// The folder they seem to lie in. It need not exist.
pub(super) const ROOT: &str = if cfg!(windows) { "c:/playbook" } else { "/playbook" };

/// The functions of the compiler's file system, every one answered here.
pub(super) const CALLBACKS: &str = "readFile,fileExists,directoryExists,getAccessibleEntries,realpath";

/// The module as a person wrote it.
pub(super) const MODULE: &str = "module.ts";
/// Compares the module's exports with what they must be.
pub(super) const CONTRACT: &str = "contract.ts";
const TYPES: &str = "types.d.ts";
const CONFIG: &str = "tsconfig.json";
const SCRIPT: &str = "sandbox.d.ts";
const ITERATOR: &str = "sandbox.iterator.d.ts";
const NAMES: [&str; 6] = [CONFIG, SCRIPT, ITERATOR, TYPES, MODULE, CONTRACT];

/// What one check reads beside the library.
#[derive(Debug, Clone, Default)]
pub(super) struct Files {
    pub(super) types: String,
    pub(super) module: String,
    pub(super) contract: String,
}

/// A file's full name.
pub(super) fn path(name: &str) -> String {
    format!("{ROOT}/{name}")
}

/// The names of the files that change from check to check.
pub(super) fn changing() -> [String; 3] {
    [path(TYPES), path(MODULE), path(CONTRACT)]
}

/// The project's configuration's full name.
pub(super) fn config() -> String {
    path(CONFIG)
}

impl Files {
    /// The answer to one call of the compiler. A path that is not one of ours does not exist.
    pub(super) fn answer(&self, method: &str, payload: &[u8]) -> Option<Value> {
        let path: Cow<'_, str> = serde_json::from_slice::<String>(payload).map_or(Cow::Borrowed(""), Cow::Owned);
        let name = path.strip_prefix(ROOT).map(|rest| rest.trim_start_matches('/'));
        Some(match method {
            // An answer without content would make the compiler read the disk.
            "readFile" => json!({ "content": name.and_then(|name| self.content(name)) }),
            "fileExists" => json!(name.is_some_and(|name| NAMES.contains(&name))),
            "directoryExists" => json!(name == Some("") || ROOT.starts_with(&*path) && path.ends_with('/')),
            "getAccessibleEntries" if name == Some("") => json!({ "files": NAMES, "directories": [] }),
            "getAccessibleEntries" => json!({ "files": [], "directories": [] }),
            "realpath" => json!(path),
            _ => return None,
        })
    }

    fn content(&self, name: &str) -> Option<Cow<'_, str>> {
        Some(match name {
            CONFIG => Cow::Owned(configuration().to_string()),
            SCRIPT => Cow::Borrowed(library::SCRIPT),
            ITERATOR => Cow::Borrowed(library::ITERATOR),
            TYPES => Cow::Borrowed(&self.types),
            MODULE => Cow::Borrowed(&self.module),
            CONTRACT => Cow::Borrowed(&self.contract),
            _ => return None,
        })
    }
}

/// "The check at save": strict mode with `exactOptionalPropertyTypes`, and the sandbox's library as the only one.
fn configuration() -> Value {
    json!({
        "compilerOptions": {
            "strict": true,
            "exactOptionalPropertyTypes": true,
            "isolatedModules": true,
            "erasableSyntaxOnly": true,
            "moduleDetection": "force",
            "target": "esnext",
            "module": "esnext",
            "types": [],
            "noLib": true,
            "noEmit": true,
            // The library is judged once, by a test.
            "skipLibCheck": true,
        },
        "files": [SCRIPT, ITERATOR, TYPES, MODULE, CONTRACT],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_outside_exists() {
        let files = Files::default();
        let ask = |method: &str, path: &str| {
            files.answer(method, json!(path).to_string().as_bytes()).expect("a known method")
        };
        assert_eq!(ask("readFile", "/etc/passwd"), json!({ "content": null }));
        assert_eq!(ask("readFile", &path("../etc/passwd")), json!({ "content": null }));
        assert_eq!(ask("fileExists", "/etc/passwd"), json!(false));
        assert_eq!(ask("directoryExists", "/etc"), json!(false));
        assert_eq!(ask("directoryExists", ROOT), json!(true));
        assert_eq!(ask("readFile", &path(MODULE)), json!({ "content": "" }));
        assert_eq!(files.answer("writeFile", b"\"x\""), None);
    }
}
