//! What a run waits for: timers, calls and listeners, each by its number.

use super::input::Input;
use super::machine::{Machine, Unapplied};
use super::output::EndedCall;
use super::state::{Branch, Doing, ListFrame, Phase, State, Wait};
use super::value::{Held, ValueId};
use playbook_model::ending::Kind;
use playbook_model::time::Moment;
use serde_json::Value;

impl Machine<'_> {
    /// A new value.
    pub(super) fn hold(&mut self, value: Value) -> Held {
        let id = ValueId { input: self.state.inputs, number: self.numbers };
        self.numbers += 1;
        Held::new(id, value)
    }

    /// The number of a new wait.
    pub(super) fn wait(&mut self) -> Wait {
        let wait = self.state.next;
        self.state.next += 1;
        wait
    }

    /// Arms a timer that is due in so many milliseconds.
    pub(super) fn arm(&mut self, milliseconds: u64) -> Wait {
        let timer = self.wait();
        let due = Moment(self.at.0.saturating_add(i64::try_from(milliseconds).unwrap_or(i64::MAX)));
        self.state.timers.insert(timer, due);
        self.outputs.arm.push((timer, due));
        timer
    }

    /// Lets go of a timer.
    pub(super) fn disarm(&mut self, timer: Wait) {
        if self.state.timers.remove(&timer).is_none() {
            return;
        }
        // One that this very input armed was never seen by anyone.
        let before = self.outputs.arm.len();
        self.outputs.arm.retain(|(armed, _)| *armed != timer);
        if self.outputs.arm.len() == before {
            self.outputs.disarm.push(timer);
        }
    }

    /// Ends a call that is no longer wanted.
    pub(super) fn drop_call(&mut self, call: Wait, kind: Kind) {
        let before = self.outputs.calls.len();
        self.outputs.calls.retain(|started| started.call != call);
        if self.outputs.calls.len() == before {
            self.outputs.ended_calls.push(EndedCall { call, cancel: Some(kind) });
        }
    }

    /// Lets a listener hear no more.
    pub(super) fn drop_listener(&mut self, listener: Wait) {
        let before = self.outputs.listen.len();
        self.outputs.listen.retain(|armed| armed.listener != listener);
        if self.outputs.listen.len() == before {
            self.outputs.deaf.push(listener);
        }
    }

    /// A number from 0 up to 1 that looks like chance and is the same whenever it is worked out again.
    pub(super) fn draw(&mut self) -> f64 {
        self.state.draws += 1;
        let run = uuid::Uuid::parse_str(&self.start.run_id).unwrap_or_default();
        let drawn = uuid::Uuid::new_v5(&run, format!("draw/{}", self.state.draws).as_bytes());
        let (high, _) = drawn.as_u64_pair();
        #[allow(clippy::cast_precision_loss, reason = "53 bits are exact")]
        let fraction = (high >> 11) as f64 / (1_u64 << 53) as f64;
        fraction
    }
}

/// Whether an input is about something that the run still waits for, and new to it.
pub(super) fn fresh(state: &State, input: &Input) -> Result<(), Unapplied> {
    let waits = |wait| state.root.as_ref().is_some_and(|root| holds(&root.list, wait));
    match input {
        Input::CallAnswered { call: wait, .. } | Input::EventOffered { listener: wait, .. } if !waits(*wait) => {
            Err(Unapplied::Stale)
        }
        Input::EventReceived { event } => {
            let id = event.get("id").unwrap_or(&Value::Null);
            let ids = state.events.ids.as_ref().and_then(|ids| ids.value().as_array());
            if ids.is_some_and(|ids| ids.contains(id)) { Err(Unapplied::Repeated) } else { Ok(()) }
        }
        _ => Ok(()),
    }
}

/// Whether a list has the call or the listener of this number under way.
fn holds(list: &ListFrame, wait: Wait) -> bool {
    list.task.as_ref().is_some_and(|task| task_holds(&task.doing, wait))
}

fn task_holds(doing: &Doing, wait: Wait) -> bool {
    match doing {
        Doing::Call { call, .. } => *call == wait,
        Doing::Listen { listener, .. } => *listener == wait,
        Doing::Do(list) | Doing::For { list, .. } => holds(list, wait),
        Doing::Try { phase: Phase::Body { list, .. } | Phase::Recovery { list, .. }, .. } => holds(list, wait),
        Doing::Fork(branches) => branches.iter().any(|branch| match branch {
            Branch::Runs { task: Some(task), .. } => task_holds(&task.doing, wait),
            _ => false,
        }),
        Doing::Wait(_) | Doing::Try { .. } | Doing::Fresh => false,
    }
}
