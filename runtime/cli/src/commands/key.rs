//! `playbook key`: a fresh key for a server, and the entry that the server keeps of it.

use crate::arguments::Key;
use crate::ended::{Done, Ended, cannot};
use crate::output::Output;
use playbook_model::id::OrgId;
use serde_json::json;

/// Makes the key and shows it once.
pub(crate) fn key(asked: &Key, out: &mut Output) -> Done {
    if asked.org == OrgId::local() {
        return Err(cannot("The org local belongs to local mode, which takes no keys"));
    }
    let made = playbook_server::make_key(&asked.id, &asked.org).map_err(cannot)?;
    if out.is_json() {
        out.value(&json!({"key": made.text, "entry": made.entry}))?;
    } else {
        out.line("The key, shown once; give it to its caller:")?;
        out.line(&format!("  {}", made.text))?;
        out.line("The entry for the server's API_KEYS:")?;
        out.line(&format!("  {}", made.entry))?;
    }
    Ok(Ended::Fine)
}
