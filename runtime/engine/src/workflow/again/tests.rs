//! What is compared, and what comes next.

use super::*;
use crate::workflow::output::Settled;
use crate::workflow::record::{Outcome, Step};
use serde_json::json;

fn moved(name: &str) -> Moved {
    let reference = format!("/do/0/{name}");
    let step = Step {
        reference: reference.clone(),
        run: 1,
        outcome: Outcome::Completed,
        waits_for: None,
        until: None,
        child: None,
        error: None,
        item: None,
    };
    Moved { turn: Turn { reference, name: name.into(), run: 1 }, step, output: None }
}

fn did(names: &[&str]) -> Did {
    Did { moved: names.iter().map(|name| moved(name)).collect(), ..Did::default() }
}

fn ended(names: &[&str]) -> Did {
    Did { settled: Some(Settled::Succeeded { output: json!(1) }), ..did(names) }
}

#[test]
fn one_step_more_or_less_is_a_difference() {
    for (recorded, now, words) in [
        (did(&["a", "b"]), did(&["a"]), "Recorded: b completes; now: nothing more moves."),
        (did(&["a"]), did(&["a", "b"]), "Recorded: nothing more moved; now: b completes."),
        (ended(&["a", "b"]), ended(&["a"]), "Recorded: b completes; now: the run ends with an output."),
        (did(&[]), did(&["b"]), "Recorded: nothing more moved; now: b completes."),
        (did(&["a"]), did(&["b"]), "Recorded: a completes; now: b completes."),
    ] {
        let found = Comparison::default().take(recorded, now, false);
        assert_eq!(found.map(|found| found.sentence()).as_deref(), Some(words));
    }
    assert_eq!(Comparison::default().take(ended(&["a"]), ended(&["a"]), false), None);
}

#[test]
fn what_a_later_turn_does_is_held_against_what_was_done_before() {
    let emits = |names: &[&str]| Did { emitted: vec![json!({ "type": "told" })], ..did(names) };
    let mut comparison = Comparison::default();
    // One of them had its turn cut off a step earlier, before it told of anything.
    assert_eq!(comparison.take(emits(&["a", "b"]), did(&["a"]), true), None);
    assert_eq!(comparison.take(did(&["c"]), emits(&["b", "c"]), false), None);
    let mut comparison = Comparison::default();
    assert_eq!(comparison.take(did(&["a", "b"]), did(&["a"]), true), None);
    let found = comparison.take(did(&[]), did(&[]), false).expect("b is missing");
    assert_eq!(found.recorded_task.map(|turn| turn.name).as_deref(), Some("b"));
}
