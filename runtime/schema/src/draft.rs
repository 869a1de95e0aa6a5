//! Which draft of JSON Schema a schema is read as.

use serde_json::Value;

/// The two drafts a schema is read as. "Answers that are JSON".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Draft {
    /// Draft-07: `$schema` says so, or the schema uses `definitions` without `$defs`.
    Seven,
    /// Draft 2020-12: every other schema.
    TwentyTwenty,
}

impl Draft {
    /// The draft of a schema, from its root.
    #[must_use]
    pub fn of(root: &Value) -> Self {
        match root.get("$schema").and_then(Value::as_str) {
            Some(uri) if names(uri, "json-schema.org/draft-07/schema") => Self::Seven,
            Some(_) => Self::TwentyTwenty,
            None if root.get("definitions").is_some() && root.get("$defs").is_none() => Self::Seven,
            None => Self::TwentyTwenty,
        }
    }

    /// Whether a `$schema` names one of the two drafts.
    #[must_use]
    pub fn is_named_by(uri: &str) -> bool {
        names(uri, "json-schema.org/draft-07/schema") || names(uri, "json-schema.org/draft/2020-12/schema")
    }

    /// The draft's name for a sentence.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Seven => "draft-07",
            Self::TwentyTwenty => "draft 2020-12",
        }
    }
}

/// The address with `http` or `https`, with or without an empty fragment.
fn names(uri: &str, address: &str) -> bool {
    let bare = uri.strip_suffix('#').unwrap_or(uri);
    bare.strip_prefix("http://").or_else(|| bare.strip_prefix("https://")) == Some(address)
}
