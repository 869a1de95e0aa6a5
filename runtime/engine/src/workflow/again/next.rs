//! What a scratch run takes next: what was recorded while it fits, else the time that comes first.

use super::happened::{Happened, Waits};
use crate::workflow::input::Input;
use crate::workflow::program::Program;
use crate::workflow::state::{State, Wait};
use playbook_model::time::Moment;
use std::collections::{HashSet, VecDeque};

/// Something recorded that a scratch run may still take.
#[derive(Debug, Clone, PartialEq)]
pub struct Due {
    /// The position it was recorded at.
    pub position: u64,
    /// When.
    pub at: Moment,
    /// What.
    pub happened: Happened,
}

/// What was recorded, in order, and what a scratch run may take of it.
#[derive(Debug, Clone, Default)]
pub struct Tape {
    /// What was not taken yet.
    pub rest: VecDeque<Due>,
    /// The positions of the answers that open calls wait for.
    pub answers: HashSet<u64>,
    /// The first position that was recorded and is not on it.
    pub cut: Option<u64>,
}

/// What comes next.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// What was recorded at this place of the rest, as this input.
    Recorded(usize, Input, Moment),
    /// A time that came.
    Time(Wait, Moment),
    /// Nothing: the run waits.
    Nothing,
}

/// Decides what comes next. `unanswered` says that a call has no answer: then no time passes by itself, since the call
/// would seem to run out of it.
#[must_use]
pub fn next(program: &Program, state: &State, tape: &Tape, unanswered: bool) -> Next {
    let takes = |due: &Due| match due.happened {
        Happened::Answered { .. } => tape.answers.contains(&due.position),
        // A pause is the scratch run's own affair.
        Happened::WentOn | Happened::Started { .. } => false,
        _ => true,
    };
    let waits = Waits::of(program, state);
    let fits = |due: &Due| if takes(due) { due.happened.fit_waits(state, &waits) } else { None };
    let recorded = tape.rest.iter().enumerate().find_map(|(place, due)| Some((place, fits(due)?, due.at)));
    let on_tape: HashSet<Wait> = tape
        .rest
        .iter()
        .filter(|due| matches!(due.happened, Happened::Time { .. } | Happened::Deadline | Happened::Overrun))
        .filter_map(fits)
        .filter_map(|input| if let Input::TimerFired { timer } = input { Some(timer) } else { None })
        .collect();
    // The longest a run may last is only reached where that was recorded: a scratch run waits instead.
    let own = |timer: &Wait| *timer != state.overrun && !on_tape.contains(timer);
    let timer = state.timers.iter().filter(|(timer, _)| own(timer)).min_by_key(|(timer, due)| (**due, **timer));
    let timer = timer.filter(|_| !unanswered).map(|(timer, due)| (*timer, *due));
    // Times fire in the order they are due in, however late the recorded one was told.
    let first = |input: &Input, at: Moment, timer: Wait, due: Moment| match input {
        Input::TimerFired { timer: other } => {
            state.timers.get(other).is_none_or(|earlier| (*earlier, *other) < (due, timer))
        }
        _ => at <= due,
    };
    match (recorded, timer) {
        (Some((place, input, at)), Some((timer, due))) if first(&input, at, timer, due) => {
            Next::Recorded(place, input, at.max(state.at))
        }
        (_, Some((timer, due))) => Next::Time(timer, due.max(state.at)),
        (Some((place, input, at)), None) => Next::Recorded(place, input, at.max(state.at)),
        (None, None) => Next::Nothing,
    }
}
