//! `playbook init`: a new playbook's folder.

use crate::arguments::Init;
use crate::ended::{Done, Ended, cannot};
use crate::opened;
use crate::output::Output;
use playbook_host::folder::{PlaybookFile, create, create_sample};
use playbook_model::id::PlaybookId;
use serde_json::json;
use std::path::Path;

/// Makes the folder.
pub(crate) fn init(asked: &Init, folder: Option<&Path>, out: &mut Output) -> Done {
    let path = asked.dir.clone().unwrap_or_else(|| opened::folder(folder));
    let (made, file) = if asked.sample {
        create_sample(&path).map_err(cannot)?
    } else {
        let whole = std::path::absolute(&path).map_err(cannot)?;
        let called = whole.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let id = match &asked.id {
            Some(id) => id.clone(),
            None => id_of(&called).ok_or_else(|| {
                cannot("The folder's name makes no playbook id: give one of 3 to 48 lowercase letters, digits and hyphens with --id")
            })?,
        };
        let name = asked.name.clone().unwrap_or_else(|| called.clone());
        let name = name.trim().to_owned();
        if !(1..=100).contains(&name.chars().count()) {
            return Err(cannot("A playbook's name has 1 to 100 characters: give one with --name"));
        }
        create(&path, &PlaybookFile { id, name, description: String::new() }).map_err(cannot)?
    };
    if out.is_json() {
        out.value(&json!({"path": made.path(), "id": file.id, "name": file.name}))?;
    } else {
        out.line(&format!("{} is the playbook {}.", path.display(), file.id))?;
    }
    Ok(Ended::Fine)
}

/// A playbook's id from a folder's name: what fits is kept in lowercase, the rest becomes hyphens.
fn id_of(called: &str) -> Option<PlaybookId> {
    let mut text: String =
        called.to_lowercase().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    while text.contains("--") {
        text = text.replace("--", "-");
    }
    let start = text.find(|c: char| c.is_ascii_lowercase())?;
    let text: String = text[start..].trim_end_matches('-').chars().take(48).collect();
    PlaybookId::new(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folders_name_makes_an_id() {
        for (called, id) in
            [("my-playbook", "my-playbook"), ("Our Campaigns (2026)", "our-campaigns-2026"), ("9 lives", "lives")]
        {
            assert_eq!(id_of(called).map(|id| id.to_string()).as_deref(), Some(id), "{called}");
        }
        for called in ["", "..", "ab", "1234", "日本"] {
            assert_eq!(id_of(called), None, "{called}");
        }
        assert_eq!(id_of(&"a".repeat(90)).expect("cut").as_str().len(), 48);
    }
}
