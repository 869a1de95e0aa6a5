//! Keys: what a caller shows, what the server keeps of it, and whom it makes of the request.
//!
//! Spec "Authentication and permissions". The server keeps the SHA-256 of a key and never the key.

use crate::problem::Problem;
use http::HeaderMap;
use http::header::AUTHORIZATION;
use playbook_host::api::{Caller, Permission, Playbooks};
use playbook_model::id::{OrgId, PlaybookId};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};

/// The length of a key's secret part: 32 bytes in URL-safe base64 without padding.
const SECRET_CHARACTERS: usize = 43;

/// One key the server takes, without its secret.
#[derive(Clone, PartialEq, Eq)]
pub struct Key {
    caller: Caller,
    digest: [u8; 32],
}

/// A digest is no secret, and still nothing a log needs.
impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Key").field("id", &self.caller.id).finish_non_exhaustive()
    }
}

/// A fresh key: its text, shown once, and the entry that a server's settings keep of it.
pub struct NewKey {
    /// `abk_`, the id, `_` and 43 characters; to be given to the caller and kept nowhere else.
    pub text: String,
    /// The entry for `API_KEYS`, without the secret.
    pub entry: Value,
}

/// Makes a key with every permission on every playbook of an org.
///
/// # Errors
/// A sentence when the id is none.
pub fn make(id: &str, org: &OrgId) -> Result<NewKey, String> {
    if !is_key_id(id) {
        return Err(KEY_ID.into());
    }
    let mut secret = [0u8; 32];
    // Two random UUIDs carry 244 random bits; hashing four of them fills 256.
    let mut hash = Sha256::new();
    for _ in 0..4 {
        hash.update(uuid::Uuid::new_v4().as_bytes());
    }
    secret.copy_from_slice(&hash.finalize());
    let secret = base64::Engine::encode(&base64::engine::general_purpose::URL_SAFE_NO_PAD, secret);
    let text = format!("abk_{id}_{secret}");
    let words: Vec<&str> = Permission::ALL.iter().map(|p| p.word()).collect();
    let entry = serde_json::json!({
        "id": id, "org": org.as_str(), "permissions": words, "playbooks": "*", "sha256": hex(&digest(&text)),
    });
    Ok(NewKey { text, entry })
}

const KEY_ID: &str = "a key's id is 1 to 32 lowercase letters, digits and hyphens";

fn is_key_id(id: &str) -> bool {
    (1..=32).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

fn digest(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0u8; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(at * 2..at * 2 + 2)?, 16).ok()?;
    }
    Some(bytes)
}

impl Key {
    /// Reads one entry of the setting: `id`, `org`, `permissions`, `playbooks` and `sha256`.
    ///
    /// # Errors
    /// What is wrong, as the end of a sentence, without any value of the entry.
    pub fn read(entry: &Value) -> Result<Self, String> {
        let entry = entry.as_object().ok_or("an entry is an object")?;
        let known = ["id", "org", "permissions", "playbooks", "brains", "sha256"];
        if entry.keys().any(|name| !known.contains(&name.as_str())) {
            return Err("an entry holds id, org, permissions, playbooks and sha256, and nothing else".into());
        }
        let text = |name: &str| entry.get(name).and_then(Value::as_str);
        let id = text("id").filter(|id| is_key_id(id)).ok_or(KEY_ID)?;
        let org = text("org").and_then(|org| OrgId::new(org).ok()).ok_or("org is not an org's id")?;
        if org == OrgId::local() {
            return Err("the org local belongs to local mode".into());
        }
        let digest = text("sha256").and_then(unhex).ok_or("sha256 is not the 64 hex digits of a digest")?;
        let caller = Caller {
            id: id.to_owned(),
            org: Some(org),
            permissions: permissions(entry)?,
            playbooks: playbooks(entry)?,
        };
        Ok(Self { caller, digest })
    }

    /// The key's id, which is its caller's.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.caller.id
    }
}

fn permissions(entry: &Map<String, Value>) -> Result<BTreeSet<Permission>, String> {
    let Some(given) = entry.get("permissions") else { return Ok(Permission::ALL.into_iter().collect()) };
    let wrong = "permissions is a list of org:read, org:write, playbook:read and playbook:write";
    let words = given.as_array().ok_or(wrong)?;
    words
        .iter()
        .map(|word| match word.as_str() {
            // The words of an older time name the same permissions.
            Some("brain:read") => Ok(Permission::PlaybookRead),
            Some("brain:write") => Ok(Permission::PlaybookWrite),
            word => word.and_then(Permission::parse).ok_or_else(|| wrong.to_owned()),
        })
        .collect()
}

fn playbooks(entry: &Map<String, Value>) -> Result<Playbooks, String> {
    let wrong = "playbooks is * or a list of playbook ids";
    let given = match (entry.get("playbooks"), entry.get("brains")) {
        (Some(_), Some(_)) => return Err("playbooks is given twice, once under its older name".into()),
        (given, older) => given.or(older),
    };
    match given {
        None => Ok(Playbooks::All),
        Some(Value::String(all)) if all == "*" => Ok(Playbooks::All),
        Some(Value::Array(ids)) => {
            let ids: Option<BTreeSet<PlaybookId>> =
                ids.iter().map(|id| id.as_str().and_then(|id| PlaybookId::new(id).ok())).collect();
            Ok(Playbooks::These(ids.ok_or(wrong)?))
        }
        Some(_) => Err(wrong.into()),
    }
}

/// Reads the setting's list; ids are unique.
///
/// # Errors
/// The first mistake, as the end of a sentence, naming the entry by its place.
pub fn read_keys(list: &Value) -> Result<Vec<Key>, String> {
    let entries = list.as_array().ok_or("it is a list of key entries")?;
    let mut keys: Vec<Key> = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        let key = Key::read(entry).map_err(|wrong| format!("in entry {}, {wrong}", at + 1))?;
        if keys.iter().any(|other| other.id() == key.id()) {
            return Err(format!("entry {} has the id of an earlier entry", at + 1));
        }
        keys.push(key);
    }
    Ok(keys)
}

/// The caller that a request's key makes.
///
/// Every key is compared, each in constant time, so that the time tells nothing about any of them.
///
/// # Errors
/// 401 without a key or with one the server does not know, 400 for a header that is none.
pub(crate) fn caller(headers: &HeaderMap, keys: &[Key]) -> Result<Caller, Problem> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let Some(value) = values.next() else { return Err(Problem::no_key()) };
    if values.next().is_some() {
        return Err(Problem::bad_authorization("The request has more than one Authorization header."));
    }
    let malformed = || Problem::bad_authorization("The Authorization header is Bearer, a space and a key.");
    let text = value.to_str().map_err(|_| malformed())?;
    let (scheme, token) = text.split_once(' ').ok_or_else(malformed)?;
    let token = token.trim_matches(' ');
    if !scheme.eq_ignore_ascii_case("bearer") || token.is_empty() || token.contains([' ', ',']) {
        return Err(malformed());
    }
    let shown = digest(token);
    let mut found = 0u32;
    for (at, key) in (1u32..).zip(keys) {
        let same: Choice = key.digest.ct_eq(&shown);
        found = u32::conditional_select(&found, &at, same);
    }
    let known = found.checked_sub(1).and_then(|at| keys.get(at as usize)).filter(|key| names(token, key.id()));
    known.map(|key| key.caller.clone()).ok_or_else(Problem::bad_key)
}

/// Whether a key's text is of the form of one and names this id.
fn names(token: &str, id: &str) -> bool {
    let secret =
        token.strip_prefix("abk_").and_then(|rest| rest.strip_prefix(id)).and_then(|rest| rest.strip_prefix('_'));
    secret.is_some_and(|secret| {
        secret.len() == SECRET_CHARACTERS && secret.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;
    use serde_json::json;

    fn org() -> OrgId {
        OrgId::new("acme").expect("an id")
    }

    fn bearer(text: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, HeaderValue::from_str(text).expect("a header"));
        headers
    }

    fn status(result: Result<Caller, Problem>) -> (u64, String) {
        let document = result.expect_err("refused").document();
        (document["status"].as_u64().expect("a status"), document["reason"].as_str().expect("a word").into())
    }

    #[test]
    fn a_made_key_is_taken_and_no_other() {
        let one = make("ci", &org()).expect("made");
        let two = make("ci", &org()).expect("made");
        assert_ne!(one.text, two.text);
        assert_eq!(one.text.len(), "abk_ci_".len() + SECRET_CHARACTERS);
        assert!(!one.entry.to_string().contains(&one.text));
        let keys = read_keys(&json!([one.entry])).expect("read");
        let known = caller(&bearer(&format!("Bearer {}", one.text)), &keys).expect("known");
        assert_eq!((known.id.as_str(), known.org), ("ci", Some(org())));
        assert_eq!(status(caller(&bearer(&format!("Bearer {}", two.text)), &keys)), (401, "unauthenticated".into()));
        assert_eq!(status(caller(&HeaderMap::new(), &keys)), (401, "unauthenticated".into()));
        for malformed in ["Bearer", "Bearer ", "Basic abc", "Bearer a b", "abk_ci_x"] {
            assert_eq!(status(caller(&bearer(malformed), &keys)), (400, "bad_request".into()), "{malformed}");
        }
    }

    #[test]
    fn an_entry_may_use_the_older_words() {
        let digest = "ab".repeat(32);
        let entry = json!({"id": "a", "org": "acme", "permissions": ["org:read", "brain:write"], "brains": ["abc"], "sha256": digest});
        let key = Key::read(&entry).expect("read");
        assert_eq!(key.caller.permissions, [Permission::OrgRead, Permission::PlaybookWrite].into_iter().collect());
        assert!(key.caller.sees(&PlaybookId::new("abc").expect("an id")));
        assert!(!key.caller.sees(&PlaybookId::new("abd").expect("an id")));
    }

    #[test]
    fn mistakes_are_named_without_values() {
        let good = json!({"id": "a", "org": "acme", "sha256": "ab".repeat(32)});
        let with = |name: &str, value: Value| {
            let mut entry = good.clone();
            entry[name] = value;
            Key::read(&entry).expect_err(name)
        };
        for (name, value) in [
            ("id", json!("SECRET")),
            ("id", json!("")),
            ("org", json!("SECRET SECRET")),
            ("org", json!("local")),
            ("permissions", json!(["SECRET"])),
            ("permissions", json!("*")),
            ("playbooks", json!("SECRET")),
            ("playbooks", json!(["SECRET"])),
            ("sha256", json!("SECRET")),
            ("sha256", json!("é".repeat(32))),
            ("key", json!("SECRET")),
        ] {
            assert!(!with(name, value).contains("SECRET"), "{name}");
        }
        assert!(read_keys(&json!([good, good])).expect_err("twice").contains("entry 2"));
        assert!(read_keys(&json!({})).is_err());
    }
}
