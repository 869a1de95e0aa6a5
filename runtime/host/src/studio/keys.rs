//! Where servers' keys are kept: the system's keychain, or an encrypted file where there is none.
//!
//! A key is never in a playbook's folder, a log, a history or an answer.

use chacha20poly1305::aead::{Aead, Generate, KeyInit, Nonce};
use chacha20poly1305::{Key, XChaCha20Poly1305};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Why a key was not kept or read, as one sentence without the key.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct KeysError(pub String);

/// A place for keys.
pub trait Keys: Send + Sync {
    /// The place's word: `keychain` or `file`.
    fn word(&self) -> &'static str;
    /// Keeps a key.
    ///
    /// # Errors
    /// [`KeysError`].
    fn set(&self, id: &str, key: &str) -> Result<(), KeysError>;
    /// Reads a key; `None` when there is none.
    ///
    /// # Errors
    /// [`KeysError`].
    fn get(&self, id: &str) -> Result<Option<String>, KeysError>;
    /// Forgets a key.
    ///
    /// # Errors
    /// [`KeysError`].
    fn remove(&self, id: &str) -> Result<(), KeysError>;
}

/// Keys in a file, each sealed with a secret of this machine's user that lies apart from it.
///
/// It keeps keys out of backups and screens that show the one file; it does not keep them from the user's own programs.
#[derive(Debug)]
pub struct FileKeys {
    keys: PathBuf,
    secret: PathBuf,
    turn: Mutex<()>,
}

impl FileKeys {
    /// Keys in `config_dir`, sealed with a secret in `data_dir`.
    #[must_use]
    pub fn new(config_dir: &Path, data_dir: &Path) -> Self {
        Self { keys: config_dir.join("keys.json"), secret: data_dir.join("keys.secret"), turn: Mutex::new(()) }
    }

    fn cipher(&self) -> Result<XChaCha20Poly1305, KeysError> {
        let text = std::fs::read_to_string(&self.secret).ok().and_then(|text| from_hex(text.trim()));
        let secret = match text.and_then(|bytes| <[u8; 32]>::try_from(bytes).ok()) {
            Some(secret) => secret,
            None => {
                let made: [u8; 32] = Key::generate().into();
                write_private(&self.secret, &to_hex(&made))?;
                made
            }
        };
        Ok(XChaCha20Poly1305::new(&secret.into()))
    }

    fn read(&self) -> Map<String, Value> {
        let text = std::fs::read_to_string(&self.keys).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }
}

impl Keys for FileKeys {
    fn word(&self) -> &'static str {
        "file"
    }

    fn set(&self, id: &str, key: &str) -> Result<(), KeysError> {
        let _turn = self.turn.lock().expect("no holder panics");
        let cipher = self.cipher()?;
        let nonce = Nonce::<XChaCha20Poly1305>::generate();
        let sealed =
            cipher.encrypt(&nonce, key.as_bytes()).map_err(|_| KeysError("The key could not be sealed".into()))?;
        let mut all = self.read();
        all.insert(id.into(), format!("{}{}", to_hex(&nonce), to_hex(&sealed)).into());
        write_private(&self.keys, &Value::Object(all).to_string())
    }

    fn get(&self, id: &str) -> Result<Option<String>, KeysError> {
        let _turn = self.turn.lock().expect("no holder panics");
        let all = self.read();
        let Some(sealed) = all.get(id).and_then(Value::as_str) else { return Ok(None) };
        let unreadable = || KeysError("The key that is kept cannot be read any more; enter it again".into());
        let bytes = from_hex(sealed).filter(|bytes| bytes.len() > 24).ok_or_else(unreadable)?;
        let (nonce, sealed) = bytes.split_at(24);
        let nonce = Nonce::<XChaCha20Poly1305>::try_from(nonce).map_err(|_| unreadable())?;
        let key = self.cipher()?.decrypt(&nonce, sealed).map_err(|_| unreadable())?;
        String::from_utf8(key).map(Some).map_err(|_| unreadable())
    }

    fn remove(&self, id: &str) -> Result<(), KeysError> {
        let _turn = self.turn.lock().expect("no holder panics");
        let mut all = self.read();
        if all.remove(id).is_none() {
            return Ok(());
        }
        write_private(&self.keys, &Value::Object(all).to_string())
    }
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) || !text.is_ascii() {
        return None;
    }
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).ok()).collect()
}

/// Writes a file that only its owner reads, where the system knows owners.
fn write_private(path: &Path, text: &str) -> Result<(), KeysError> {
    let written = crate::folder::write_text(path, text).map_err(|why| KeysError(why.to_string()));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if written.is_ok() {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))
                .map_err(|why| KeysError(format!("{}: {why}", path.display())))?;
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_kept_sealed_and_read_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let keys = FileKeys::new(&folder.path().join("config"), &folder.path().join("data"));
        assert_eq!(keys.get("a").expect("readable"), None);
        keys.set("a", "abk_one_secret").expect("kept");
        keys.set("b", "abk_two_secret").expect("kept");
        assert_eq!(keys.get("a").expect("readable").as_deref(), Some("abk_one_secret"));
        let stored = std::fs::read_to_string(folder.path().join("config/keys.json")).expect("there");
        assert!(!stored.contains("secret"));
        keys.remove("a").expect("removed");
        assert_eq!(keys.get("a").expect("readable"), None);
        assert_eq!(keys.get("b").expect("readable").as_deref(), Some("abk_two_secret"));
    }

    #[test]
    fn a_key_whose_secret_is_lost_is_asked_for_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let keys = FileKeys::new(&folder.path().join("config"), &folder.path().join("data"));
        keys.set("a", "abk_one_secret").expect("kept");
        std::fs::remove_file(folder.path().join("data/keys.secret")).expect("there");
        assert!(keys.get("a").is_err());
        keys.set("a", "abk_new_secret").expect("kept");
        assert_eq!(keys.get("a").expect("readable").as_deref(), Some("abk_new_secret"));
    }
}
