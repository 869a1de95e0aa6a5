//! Limits that a run reaches only after very long: its counters are set near them. "What happens at a limit".

use super::*;
use playbook_definition::workflow::{Directive, Duration, Fields, Kind, List, Task, TaskId, WorkflowDetails};
use playbook_model::ending::Reason;
use playbook_model::limits;
use playbook_model::time::Moment;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Naps for a second, again and again.
fn napping() -> Program {
    let fields = Fields { then: Directive::Jump(0), ..Fields::default() };
    let nap = Task { name: "nap".into(), reference: "/do/0/nap".into(), fields, kind: Kind::Wait(second()) };
    Program::new(WorkflowDetails {
        document: json!({ "do": [{ "nap": { "wait": "PT1S", "then": "nap" } }] }),
        input_from: None,
        output_as: None,
        shape: None,
        timeout: None,
        triggers: Vec::new(),
        tasks: vec![nap],
        lists: vec![List { tasks: vec![TaskId(0)] }],
        expressions: Vec::new(),
    })
}

fn second() -> Duration {
    Duration::Milliseconds(1_000)
}

/// Nothing is evaluated here.
struct Nobody;

impl Evaluate for Nobody {
    fn evaluate(&mut self, _: Ask<'_>) -> Result<Evaluated, Stopped> {
        Err(Stopped::Lost("nobody evaluates".into()))
    }
}

/// The run after its start and one nap.
fn begun(program: &Program) -> State {
    let start = Start {
        run_id: "00000000-0000-7000-8000-000000000001".into(),
        at: Moment(0),
        call_depth: 0,
        longest: limits::WORKFLOW_MILLISECONDS,
        waits: BTreeMap::new(),
        other_wait: 0,
    };
    let input = Input::Started { start: Box::new(start), input: Value::Null };
    let state = apply(program, None, &input, Moment(0), &mut Nobody, None).expect("it begins").state;
    woken(program, &state).state
}

/// The run after the next of its naps.
fn woken(program: &Program, state: &State) -> Applied {
    let naps = state.timers.iter().filter(|(timer, _)| **timer != state.overrun);
    let (timer, due) = naps.min_by_key(|(_, due)| **due).expect("it naps");
    apply(program, Some(state), &Input::TimerFired { timer: *timer }, *due, &mut Nobody, None).expect("it goes on")
}

fn rejected(applied: &Applied) -> Option<(Reason, &str)> {
    match applied.outputs.settle.as_ref()? {
        Settled::Rejected { rejection } => Some((rejection.reason, rejection.detail.as_str())),
        Settled::Succeeded { .. } => None,
    }
}

/// "Inputs a run takes: 100,000: its start, each answer of a function, each timer and each event."
#[test]
fn a_run_that_took_a_hundred_thousand_inputs_ends() {
    let program = napping();
    let mut state = begun(&program);
    state.inputs = limits::RUN_INPUTS - 2;
    let applied = woken(&program, &state);
    assert_eq!((applied.state.inputs, rejected(&applied)), (limits::RUN_INPUTS - 1, None));
    let applied = woken(&program, &applied.state);
    assert_eq!(applied.state.inputs, 100_000);
    let words = "The run took as many inputs as a run may take.";
    assert_eq!(rejected(&applied), Some((Reason::Unavailable, words)));
    assert!(applied.state.root.is_none() && applied.outputs.arm.is_empty());
}

/// "Recorded history of a run: 512 MiB as JSON."
#[test]
fn a_run_whose_history_grew_past_its_bound_ends() {
    let program = napping();
    let mut state = begun(&program);
    let own = woken(&program, &state).state.log_bytes - state.log_bytes;
    state.log_bytes = 512 * 1024 * 1024 - own;
    let applied = woken(&program, &state);
    assert_eq!((applied.state.log_bytes, rejected(&applied)), (512 * 1024 * 1024, None));
    let applied = woken(&program, &applied.state);
    let words = "The run's history grew past what may be recorded of one.";
    assert_eq!(rejected(&applied), Some((Reason::Unavailable, words)));
    assert!(applied.state.root.is_none() && applied.outputs.arm.is_empty());
}
