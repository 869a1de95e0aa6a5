//! Values a run holds: each is recorded once, by the input that made it, and named by that place ever after.

use playbook_model::json;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use serde_json::Value;
use std::sync::{Arc, OnceLock};

/// Where a value was recorded: the position of the input that made it, and its number there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueId {
    /// The input's position in the run's log, from 1.
    pub input: u64,
    /// From 0.
    pub number: u32,
}

impl std::fmt::Display for ValueId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.input, self.number)
    }
}

impl ValueId {
    /// Reads what [`Self::fmt`] writes.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (input, number) = text.split_once('.')?;
        Some(Self { input: input.parse().ok()?, number: number.parse().ok()? })
    }
}

/// A value that a run holds. Cheap to clone; a recorded state names it by its id alone.
#[derive(Clone)]
pub struct Held(Arc<Inner>);

struct Inner {
    id: ValueId,
    /// None until it was read from the log again.
    value: OnceLock<Value>,
    /// Bytes as JSON.
    bytes: OnceLock<usize>,
    /// The value as JSON, kept once an expression was given it.
    text: OnceLock<Arc<str>>,
}

impl std::fmt::Debug for Held {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0.id)
    }
}

impl PartialEq for Held {
    fn eq(&self, other: &Self) -> bool {
        self.0.id == other.0.id
    }
}

/// What a value that was never filled reads as.
static NOTHING: Value = Value::Null;

impl Held {
    /// A value that was just made.
    #[must_use]
    pub fn new(id: ValueId, value: Value) -> Self {
        let made = Self::hollow(id);
        // A cell that was just made is empty.
        let _ = made.0.value.set(value);
        made
    }

    /// A value by its name alone, to be filled.
    fn hollow(id: ValueId) -> Self {
        Self(Arc::new(Inner { id, value: OnceLock::new(), bytes: OnceLock::new(), text: OnceLock::new() }))
    }

    /// Its name.
    #[must_use]
    pub fn id(&self) -> ValueId {
        self.0.id
    }

    /// Whether the value is there, and not its name alone.
    #[must_use]
    pub fn is_filled(&self) -> bool {
        self.0.value.get().is_some()
    }

    /// The value; null for one that was not filled.
    #[must_use]
    pub fn value(&self) -> &Value {
        self.0.value.get().unwrap_or(&NOTHING)
    }

    /// Its bytes as JSON.
    #[must_use]
    pub fn bytes(&self) -> usize {
        *self.0.bytes.get_or_init(|| json::bytes(self.value()))
    }

    /// The value as JSON.
    #[must_use]
    pub fn text(&self) -> Arc<str> {
        self.0.text.get_or_init(|| self.value().to_string().into()).clone()
    }
}

impl Serialize for Held {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&self.0.id)
    }
}

impl<'de> Deserialize<'de> for Held {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(from)?;
        ValueId::parse(&text).map(Self::hollow).ok_or_else(|| D::Error::custom("expected the name of a value"))
    }
}
