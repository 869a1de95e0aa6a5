//! What a fork tells: its inputs, its calls and its events, no more of them than a screen can show.

use super::{VALUE_BYTES, shown_within};
use crate::steps::{Looked, step_rows};
use playbook_engine::workflow::again::{Asked, Difference, Happened};
use playbook_engine::workflow::{Answer, Step};
use playbook_model::json;
use serde_json::{Value, json};

/// Inputs, calls and events of each that are told.
const TOLD: usize = 500;
/// Bytes of all values that are told; of what comes after only the beginning is.
const VALUES_BYTES: usize = 4 * 1024 * 1024;

/// A call as it is told.
pub(super) struct ToldCall<'a> {
    pub(super) asked: &'a Asked,
    pub(super) source: &'static str,
    pub(super) answer: Option<&'a Answer>,
    pub(super) why: Option<&'a str>,
}

/// What is told of a fork.
pub(super) struct Told {
    pub(super) rows: Vec<Value>,
    pub(super) calls: Vec<Value>,
    pub(super) emitted: Vec<Value>,
    /// Calls and events that are not.
    pub(super) more_calls: usize,
    pub(super) more_emitted: usize,
    left: usize,
}

impl Told {
    pub(super) fn new() -> Self {
        let none = Vec::new;
        Self { rows: none(), calls: none(), emitted: none(), more_calls: 0, more_emitted: 0, left: VALUES_BYTES }
    }

    /// Tells of an input.
    pub(super) fn row(
        &mut self,
        looked: &Looked,
        at: Option<String>,
        position: u64,
        words: Option<&str>,
        did: &[Step],
    ) {
        if self.rows.len() >= TOLD {
            return;
        }
        // No run was called: the id would lead to the recorded one.
        let steps: Vec<Step> = did.iter().map(|step| Step { child: None, ..step.clone() }).collect();
        self.rows.push(json!({
            "position": position,
            "at": at,
            "summary": words.map(capital),
            "steps": step_rows(looked, &steps),
        }));
    }

    /// Tells of a call.
    pub(super) fn call(&mut self, called: &ToldCall<'_>) {
        if self.calls.len() >= TOLD {
            self.more_calls += 1;
            return;
        }
        let asked = called.asked;
        let input = self.value(&asked.input);
        let answer = called.answer.map(|answer| match answer {
            Answer::Succeeded { output } => {
                let told = self.value(output);
                // What is cut is not the output, and nobody should take it for one.
                let cut = told != *output;
                json!({ "status": "succeeded", "output": told, "cut": cut })
            }
            other => json!(other),
        });
        self.calls.push(json!({
            "reference": asked.turn.reference,
            "name": asked.turn.name,
            "run": asked.turn.run,
            "type": asked.called.kind,
            "definition": asked.called.name,
            "input": input,
            "source": called.source,
            "answer": answer,
            "why": called.why,
        }));
    }

    /// Tells of an event, which reached nobody.
    pub(super) fn event(&mut self, event: &Value) {
        if self.emitted.len() >= TOLD {
            self.more_emitted += 1;
            return;
        }
        let told = self.value(event);
        self.emitted.push(told);
    }

    fn value(&mut self, value: &Value) -> Value {
        let told = shown_within(value, VALUE_BYTES.min(self.left));
        self.left = self.left.saturating_sub(json::bytes(&told));
        told
    }
}

/// Two inputs that are not the same.
pub(super) fn other_input(recorded: &Happened, now: &Happened) -> Difference {
    let (was, mut is) = (recorded.words(), now.words());
    let mut values = None;
    if let (Happened::Answered { answer: before, .. }, Happened::Answered { answer: after, .. }) = (recorded, now) {
        values = match (before, after) {
            (Answer::Succeeded { output: before }, Answer::Succeeded { output: after }) => {
                Some((before.clone(), after.clone()))
            }
            (before, after) => Some((json!(before), json!(after))),
        };
    }
    if was == is {
        is = format!("{is}, and it is another");
    }
    Difference::of_input(now.turn().or(recorded.turn()), was, is, values)
}

fn capital(words: &str) -> String {
    let mut chars = words.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
