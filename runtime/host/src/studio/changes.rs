//! What changed since a reader last asked: a numbered list that keeps its newest, and a wait for more.

use super::{Answer, Input, Studio};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;
use tokio::sync::watch;

/// A reader further behind than this is told to read everything again.
const KEPT: usize = 256;
/// How long a reader waits for a change; shorter than any host's own bound on a request.
const WAIT: Duration = Duration::from_secs(20);

pub(super) struct Changes {
    newest: watch::Sender<u64>,
    kept: Mutex<VecDeque<(u64, Value)>>,
}

impl Default for Changes {
    fn default() -> Self {
        Self { newest: watch::Sender::new(0), kept: Mutex::default() }
    }
}

impl Changes {
    /// Adds a change of a topic; one of the same kind that nobody can have read yet is not repeated.
    pub(super) fn add(&self, change: Value) {
        let mut kept = self.kept.lock().expect("no holder panics");
        let seq = *self.newest.borrow() + 1;
        kept.retain(|(_, other)| *other != change);
        kept.push_back((seq, change));
        while kept.len() > KEPT {
            kept.pop_front();
        }
        self.newest.send_replace(seq);
    }

    fn after(&self, after: u64) -> Vec<Value> {
        let kept = self.kept.lock().expect("no holder panics");
        kept.iter().filter(|(seq, _)| *seq > after).map(|(_, change)| change.clone()).collect()
    }
}

impl Studio {
    pub(super) async fn changes(&self, given: &Input) -> Answer {
        let mut newest = self.0.changes.newest.subscribe();
        let Some(after) = given.maybe("after").and_then(|text| text.parse::<u64>().ok()) else {
            return Ok(json!({ "seq": *newest.borrow(), "changes": [] }));
        };
        // A number of another run of this program is ahead of ours: start over.
        if after <= *newest.borrow() {
            // Running out of time, and nothing having changed, are the same to the reader.
            let _ = tokio::time::timeout(WAIT, newest.wait_for(|seq| *seq > after)).await;
        }
        let seq = *newest.borrow();
        Ok(json!({ "seq": seq, "changes": self.0.changes.after(after) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_gets_each_change_once_and_the_newest_of_equals() {
        let changes = Changes::default();
        changes.add(json!({"topic": "log"}));
        changes.add(json!({"topic": "documents"}));
        changes.add(json!({"topic": "log"}));
        assert_eq!(changes.after(0), [json!({"topic": "documents"}), json!({"topic": "log"})]);
        assert_eq!(changes.after(2), [json!({"topic": "log"})]);
        assert_eq!(*changes.newest.borrow(), 3);
    }
}
