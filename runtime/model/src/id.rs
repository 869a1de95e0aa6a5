//! Names and ids, and the rules each keeps.
//!
//! Playbook ids and definition names: 3 to 48 lowercase letters, digits and hyphens, starting with a letter.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The namespace of the ids that the log makes: a version 5 UUID over it is the same on every machine.
pub const LEDGER_NAMESPACE: Uuid = Uuid::from_u128(0x6f0f_0b5e_52a4_5d0e_9b3b_7a1d_5b1c_64a1);

/// Why a text is no id or name of its kind, as a sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidId(pub String);

fn slug(what: &str, text: &str) -> Result<(), InvalidId> {
    let mut chars = text.chars();
    let starts = chars.next().is_some_and(|c| c.is_ascii_lowercase());
    let rest = chars.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    if starts && rest && (3..=48).contains(&text.len()) {
        return Ok(());
    }
    Err(InvalidId(format!("A {what} is 3 to 48 lowercase letters, digits and hyphens, starting with a letter")))
}

macro_rules! slug_type {
    ($(#[$doc:meta])* $name:ident, $what:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// Takes a text that keeps the rule.
            ///
            /// # Errors
            /// [`InvalidId`] with the rule as a sentence.
            pub fn new(text: impl Into<String>) -> Result<Self, InvalidId> {
                let text = text.into();
                slug($what, &text)?;
                Ok(Self(text))
            }

            /// The text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl TryFrom<String> for $name {
            type Error = InvalidId;
            fn try_from(text: String) -> Result<Self, InvalidId> {
                Self::new(text)
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> String {
                name.0
            }
        }
    };
}

slug_type!(
    /// A playbook's id. Never reused.
    PlaybookId,
    "playbook id"
);
slug_type!(
    /// A definition's name, unique for its type within a playbook and never reused.
    DefinitionName,
    "name"
);

/// An org's id: 1 to 64 letters, digits, `_` and `-`. `local` is the org of a server in local mode.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct OrgId(String);

impl OrgId {
    /// Takes a text that keeps the rule.
    ///
    /// # Errors
    /// [`InvalidId`] with the rule as a sentence.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidId> {
        let text = text.into();
        let fits =
            (1..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
        if fits {
            Ok(Self(text))
        } else {
            Err(InvalidId("An org id is 1 to 64 letters, digits, underscores and hyphens".into()))
        }
    }

    /// The org of a server in local mode, and of every folder opened on the desktop.
    #[must_use]
    pub fn local() -> Self {
        Self("local".into())
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for OrgId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for OrgId {
    type Error = InvalidId;
    fn try_from(text: String) -> Result<Self, InvalidId> {
        Self::new(text)
    }
}

impl From<OrgId> for String {
    fn from(id: OrgId) -> String {
        id.0
    }
}

/// A playbook within its org.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PlaybookKey {
    /// The org.
    pub org: OrgId,
    /// The playbook.
    pub playbook: PlaybookId,
}

impl PlaybookKey {
    /// The key as the log writes it: `playbook/<org>/<id>`.
    #[must_use]
    pub fn text(&self) -> String {
        format!("playbook/{}/{}", self.org, self.playbook)
    }
}

/// A run's id: a UUID, kept in lowercase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RunId(pub Uuid);

impl RunId {
    /// Reads a UUID of any version, with hyphens.
    ///
    /// # Errors
    /// [`InvalidId`] for anything that is not a UUID in the form of RFC 4122.
    pub fn parse(text: &str) -> Result<Self, InvalidId> {
        if text.len() == 36
            && let Ok(id) = Uuid::try_parse(text)
        {
            return Ok(Self(id));
        }
        Err(InvalidId("A run id is a UUID such as 0f8fad5b-d9cb-469f-a165-70867728950e".into()))
    }
}

impl std::fmt::Display for RunId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0.hyphenated())
    }
}

impl TryFrom<String> for RunId {
    type Error = InvalidId;
    fn try_from(text: String) -> Result<Self, InvalidId> {
        Self::parse(&text)
    }
}

impl From<RunId> for String {
    fn from(id: RunId) -> String {
        id.to_string()
    }
}

/// The id of a record: a version 5 UUID of its full stream name and its position from 1.
#[must_use]
pub fn message_id(stream: &str, position: u64) -> Uuid {
    let name = serde_json::json!([stream, position]).to_string();
    Uuid::new_v5(&LEDGER_NAMESPACE, name.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_the_rule() {
        for good in ["abc", "campaign-reviews", "a0-", &"a".repeat(48)] {
            assert!(DefinitionName::new(good).is_ok(), "{good}");
        }
        for bad in ["", "ab", "1ab", "-ab", "Abc", "a_b", "abç", &"a".repeat(49)] {
            assert!(DefinitionName::new(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_run_id_is_kept_in_lowercase() {
        let id = RunId::parse("0F8FAD5B-D9CB-469F-A165-70867728950E").expect("a UUID");
        assert_eq!(id.to_string(), "0f8fad5b-d9cb-469f-a165-70867728950e");
        assert!(RunId::parse("0f8fad5bd9cb469fa16570867728950e").is_err());
        assert!(RunId::parse("{0f8fad5b-d9cb-469f-a165-70867728950e}").is_err());
    }

    #[test]
    fn a_message_id_depends_on_stream_and_position() {
        assert_eq!(message_id("a", 1), message_id("a", 1));
        assert_ne!(message_id("a", 1), message_id("a", 2));
        assert_ne!(message_id("a", 1), message_id("b", 1));
    }
}
