//! Bookmarks: where a page ended, as a text that callers pass on without reading it.
//!
//! "Paging": base64url without padding of a JSON array of the playbook's key and a position, and where a page ended
//! among the rows of one record, how many of them it gave.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use playbook_model::id::PlaybookKey;

/// The longest text worth decoding: the longest key and the largest number need less.
const LONGEST: usize = 512;

/// Why a cursor is no good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CursorError {
    /// No page of any playbook gave it.
    #[error("The cursor is not one that a page gave; leave it out to start over")]
    Malformed,
    /// A page of another playbook gave it.
    #[error("The cursor belongs to another playbook; leave it out to start over")]
    AnotherPlaybook,
}

/// The cursor that goes on after a position.
#[must_use]
pub fn write(playbook: &PlaybookKey, position: u64) -> String {
    URL_SAFE_NO_PAD.encode(serde_json::json!([playbook.text(), position]).to_string())
}

/// The cursor that goes on within the record at a position, after so many of its rows.
#[must_use]
pub fn write_within(playbook: &PlaybookKey, position: u64, given: usize) -> String {
    URL_SAFE_NO_PAD.encode(serde_json::json!([playbook.text(), position, given]).to_string())
}

/// The position that a cursor goes on after.
///
/// # Errors
/// [`CursorError`] when it is malformed, another playbook's, or goes on within a record.
pub fn read(playbook: &PlaybookKey, cursor: &str) -> Result<u64, CursorError> {
    match read_within(playbook, cursor)? {
        (position, 0) => Ok(position),
        _ => Err(CursorError::Malformed),
    }
}

/// The position that a cursor goes on after, and 0; or the position of the record it goes on within, and how many of
/// its rows were given.
///
/// # Errors
/// [`CursorError`] when it is malformed or another playbook's.
pub fn read_within(playbook: &PlaybookKey, cursor: &str) -> Result<(u64, usize), CursorError> {
    if cursor.len() > LONGEST {
        return Err(CursorError::Malformed);
    }
    let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| CursorError::Malformed)?;
    let parts: Vec<serde_json::Value> = serde_json::from_slice(&bytes).map_err(|_| CursorError::Malformed)?;
    let (key, position, given) = match parts.as_slice() {
        [key, position] => (key, position, 0),
        [key, position, given] => match given.as_u64().and_then(|given| usize::try_from(given).ok()) {
            Some(given) if given > 0 => (key, position, given),
            _ => return Err(CursorError::Malformed),
        },
        _ => return Err(CursorError::Malformed),
    };
    let (Some(key), Some(position)) = (key.as_str(), position.as_u64()) else { return Err(CursorError::Malformed) };
    let known = ["playbook/", "org/"].iter().any(|start| key.starts_with(start));
    if !known || i64::try_from(position).is_err() {
        return Err(CursorError::Malformed);
    }
    if key == playbook.text() { Ok((position, given)) } else { Err(CursorError::AnotherPlaybook) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use playbook_model::id::{OrgId, PlaybookId};

    fn key(org: &str, playbook: &str) -> PlaybookKey {
        PlaybookKey { org: OrgId::new(org).unwrap(), playbook: PlaybookId::new(playbook).unwrap() }
    }

    #[test]
    fn reads_what_it_writes() {
        let playbook = key("local", "campaigns");
        for position in [0, 1, 4_000_000_000, i64::MAX as u64] {
            assert_eq!(read(&playbook, &write(&playbook, position)), Ok(position));
            assert_eq!(read_within(&playbook, &write(&playbook, position)), Ok((position, 0)));
            assert_eq!(read_within(&playbook, &write_within(&playbook, position, 3)), Ok((position, 3)));
            assert_eq!(read(&playbook, &write_within(&playbook, position, 3)), Err(CursorError::Malformed));
        }
    }

    #[test]
    fn tells_malformed_from_foreign() {
        let playbook = key("local", "campaigns");
        assert_eq!(read(&playbook, &write(&key("local", "campaign"), 1)), Err(CursorError::AnotherPlaybook));
        assert_eq!(read(&playbook, &write(&key("loca_", "campaigns"), 1)), Err(CursorError::AnotherPlaybook));
        let padded = format!("{}=", write(&playbook, 1));
        let raw = |text: &str| URL_SAFE_NO_PAD.encode(text);
        for bad in [
            "",
            "!",
            "bnVsbA",
            padded.as_str(),
            &raw("[]"),
            &raw("[\"playbook/local/campaigns\"]"),
            &raw("[\"playbook/local/campaigns\",-1]"),
            &raw("[\"playbook/local/campaigns\",1.5]"),
            &raw("[\"playbook/local/campaigns\",1,0]"),
            &raw("[\"playbook/local/campaigns\",1,-1]"),
            &raw("[\"playbook/local/campaigns\",1,2,3]"),
            &raw("[\"playbook/local/campaigns\",9223372036854775808]"),
            &raw("[\"elsewhere\",1]"),
            &"A".repeat(100_000),
        ] {
            assert_eq!(read(&playbook, bad), Err(CursorError::Malformed), "{bad}");
            assert_eq!(read_within(&playbook, bad), Err(CursorError::Malformed), "{bad}");
        }
    }
}
