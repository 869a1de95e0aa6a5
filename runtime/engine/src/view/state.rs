//! A view as it is kept: where it stands and what holds it.

use playbook_model::limits;
use playbook_model::time::Moment;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Where a view is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Waits for its turn to be built.
    Waiting,
    /// Is being built from the first event.
    Rebuilding,
    /// Has caught up once, and follows.
    Live,
    /// Stopped at an event.
    Stalled,
}

impl Phase {
    /// The phase's word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Rebuilding => "rebuilding",
            Self::Live => "live",
            Self::Stalled => "stalled",
        }
    }

    /// Reads the phase's word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Waiting, Self::Rebuilding, Self::Live, Self::Stalled].into_iter().find(|p| p.word() == word)
    }
}

/// What went wrong at the event: "When a view stalls".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StallKind {
    /// The fold raised an error, a stack overflow among them.
    Raised,
    /// The fold did more than its work.
    Work,
    /// The fold used more memory than its sandbox.
    Memory,
    /// The fold returned what JSON cannot carry, or too deep a value.
    Unfit,
    /// The fold returned too large a view.
    Size,
    /// The fold returned a view that `view.schema` refuses.
    Schema,
    /// The module does not load.
    Refused,
    /// The fold ran out of its time twenty times.
    Time,
    /// The worker folding the page crashed at this event twenty times.
    Crash,
}

impl StallKind {
    /// Every kind.
    pub const ALL: [Self; 9] = [
        Self::Raised,
        Self::Work,
        Self::Memory,
        Self::Unfit,
        Self::Size,
        Self::Schema,
        Self::Refused,
        Self::Time,
        Self::Crash,
    ];

    /// The kind's word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Raised => "raised",
            Self::Work => "work",
            Self::Memory => "memory",
            Self::Unfit => "unfit",
            Self::Size => "size",
            Self::Schema => "schema",
            Self::Refused => "refused",
            Self::Time => "time",
            Self::Crash => "crash",
        }
    }
}

/// The last event a view folded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastEvent {
    /// Its id.
    pub id: String,
    /// Its time.
    pub time: String,
}

/// What stopped a view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stall {
    /// The event's id.
    pub id: String,
    /// The event's type.
    #[serde(rename = "type")]
    pub event_type: String,
    /// The event's time.
    pub time: String,
    /// The record's position in the log.
    pub position: u64,
    /// The kind.
    pub kind: StallKind,
    /// The fold's own error, or what was found. Shown in the standing, never in a run's refusal.
    pub error: String,
    /// The line in the document.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub line: Option<u32>,
    /// Whether it was the fold or a filter's expression.
    #[serde(default)]
    pub filter: bool,
}

/// A view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// The recall function.
    pub name: String,
    /// The version the view is of.
    pub version: u32,
    /// The position of the record that saved the version: views wait in this order.
    pub saved_position: u64,
    /// Where it is.
    pub phase: Phase,
    /// The view as JSON text, as the sandbox wrote it.
    pub view: String,
    /// Where in the log it has read to.
    pub checkpoint: u64,
    /// When the record at the checkpoint was recorded.
    pub checkpoint_at: Option<Moment>,
    /// The last event folded.
    pub last_event: Option<LastEvent>,
    /// How many events it has folded.
    pub folded: u64,
    /// How often the next event ran out of time, and crashed its worker.
    pub tries: Tries,
    /// What stopped it.
    pub stalled: Option<Stall>,
}

/// How often an event was tried in vain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tries {
    /// Ran out of its time.
    pub time: u32,
    /// Crashed its worker.
    pub crash: u32,
}

impl View {
    /// The view of a version before any event.
    #[must_use]
    pub fn new(name: &str, version: u32, saved_position: u64, initial: &Value) -> Self {
        Self {
            name: name.into(),
            version,
            saved_position,
            phase: Phase::Waiting,
            view: initial.to_string(),
            checkpoint: 0,
            checkpoint_at: None,
            last_event: None,
            folded: 0,
            tries: Tries::default(),
            stalled: None,
        }
    }

    /// Counts one more failed try at the next event and says whether that was the last.
    pub(super) fn tried(&mut self, kind: StallKind) -> bool {
        let count = match kind {
            StallKind::Crash => &mut self.tries.crash,
            _ => &mut self.tries.time,
        };
        *count += 1;
        *count >= limits::FOLD_TRIES
    }

    /// The fields a standing and a run's record share, the checkpoint as the cursor given.
    #[must_use]
    pub fn reading(&self, checkpoint: &str) -> Value {
        json!({
            "version": self.version,
            "checkpoint": checkpoint,
            "checkpoint_at": self.checkpoint_at.map(Moment::iso),
            "last_event": self.last_event,
            "folded": self.folded,
        })
    }

    /// The standing: "The standing of a view". The lag is in whole seconds, as milliseconds.
    #[must_use]
    pub fn standing(&self, checkpoint: &str, newest: Option<Moment>) -> Value {
        let mut standing = serde_json::Map::new();
        standing.insert("state".into(), self.phase.word().into());
        if let Value::Object(reading) = self.reading(checkpoint) {
            standing.extend(reading);
        }
        standing.insert("lag_ms".into(), self.lag(newest).into());
        standing.insert("newest_record_at".into(), json!(newest.map(Moment::iso)));
        if let Some(stall) = &self.stalled {
            standing.insert(
                "stalled".into(),
                json!({
                    "event": { "id": stall.id, "type": stall.event_type, "time": stall.time },
                    "kind": stall.kind,
                    "error": stall.error,
                    "line": stall.line,
                }),
            );
        }
        Value::Object(standing)
    }

    /// How far the view is behind, in milliseconds of whole seconds; 0 before it has read a record.
    #[must_use]
    pub fn lag(&self, newest: Option<Moment>) -> i64 {
        let (Some(newest), Some(read)) = (newest, self.checkpoint_at) else { return 0 };
        0.max(newest.second().0 - read.second().0)
    }
}
