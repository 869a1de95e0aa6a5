//! What happened to a run, said without the numbers of one version's waits.

use crate::workflow::input::{Answer, Input, Start};
use crate::workflow::program::Program;
use crate::workflow::state::{Branch, Doing, ListFrame, Phase, State, TaskFrame, Wait};
use playbook_model::ending::{Kind, Rejection};
use serde_json::Value;

/// A task that ran in a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Its reference in the version that ran.
    pub reference: String,
    /// Its name.
    pub name: String,
    /// The nth time it ran in the run, from 1.
    pub run: u32,
}

/// What of a task waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hand {
    /// A `wait`.
    Wait,
    /// The task's `timeout`.
    Timeout,
    /// The called run.
    Call,
    /// The time that a called run has.
    CallTime,
    /// A `listen`.
    Listener,
    /// The limit of one attempt of a `try`.
    Attempt,
    /// The delay before the next attempt.
    Retry,
}

impl Hand {
    /// Those that are timers, each with its word.
    pub const TIMERS: [(Self, &'static str); 5] = [
        (Self::Wait, "wait"),
        (Self::Timeout, "timeout"),
        (Self::CallTime, "call"),
        (Self::Attempt, "attempt"),
        (Self::Retry, "retry"),
    ];

    /// A timer's word; none for what is no timer.
    #[must_use]
    pub fn word(self) -> Option<&'static str> {
        Self::TIMERS.iter().find(|(hand, _)| *hand == self).map(|(_, word)| *word)
    }
}

/// One thing that happened to a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Happened {
    /// It started.
    Started {
        /// What with, beside its input.
        start: Box<Start>,
        /// Its input.
        input: Value,
    },
    /// It went on after others had their turn.
    WentOn,
    /// It reached the longest a run may last.
    Overrun,
    /// The document's `timeout` passed.
    Deadline,
    /// A time came that a task waited for.
    Time {
        /// The task.
        turn: Turn,
        /// What of it.
        hand: Hand,
    },
    /// A called run ended.
    Answered {
        /// The task that called.
        turn: Turn,
        /// How.
        answer: Answer,
    },
    /// An event was sent to the run.
    Sent {
        /// The event.
        event: Value,
    },
    /// An event of the playbook matched a `listen`.
    Heard {
        /// The task.
        turn: Turn,
        /// The filter, from 0.
        filter: u32,
        /// The event.
        event: Value,
        /// The record of the event.
        record: String,
    },
    /// Someone or something cancelled it.
    Cancelled {
        /// Who or what.
        why: Kind,
        /// In their words.
        reason: Option<String>,
    },
}

/// Everything a run waits for, task by task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waits {
    found: Vec<(Turn, Hand, Wait)>,
}

impl Waits {
    /// What a run waits for in a state.
    #[must_use]
    pub fn of(program: &Program, state: &State) -> Self {
        let mut waits = Self { found: Vec::new() };
        if let Some(root) = &state.root {
            waits.list(program, &root.list);
        }
        waits
    }

    /// The task and the part of it that wait under a number.
    #[must_use]
    pub fn turn(&self, wait: Wait) -> Option<(&Turn, Hand)> {
        self.found.iter().find(|(_, _, own)| *own == wait).map(|(turn, hand, _)| (turn, *hand))
    }

    /// The number under which a task waits: the same task, or the one of its name where that moved in the document.
    #[must_use]
    pub fn find(&self, turn: &Turn, hand: Hand) -> Option<Wait> {
        let mut alike = self.found.iter().filter(|(_, own, _)| *own == hand);
        if let Some((_, _, wait)) =
            alike.clone().find(|(own, ..)| own.reference == turn.reference && own.run == turn.run)
        {
            return Some(*wait);
        }
        let named = |(own, ..): &&(Turn, Hand, Wait)| own.name == turn.name;
        let mut moved = alike.clone().filter(named).filter(|(own, ..)| own.run == turn.run);
        if let (Some((_, _, wait)), None) = (moved.next(), moved.next()) {
            return Some(*wait);
        }
        let only = alike.find(named)?;
        alike.all(|other| !named(&other)).then_some(only.2)
    }

    fn list(&mut self, program: &Program, list: &ListFrame) {
        if let Some(task) = &list.task {
            self.task(program, task);
        }
    }

    fn task(&mut self, program: &Program, frame: &TaskFrame) {
        let task = program.task(frame.task);
        let turn = Turn { reference: task.reference.clone(), name: task.name.clone(), run: frame.run };
        let mut add = |hand, wait: Option<Wait>| self.found.extend(wait.map(|wait| (turn.clone(), hand, wait)));
        add(Hand::Timeout, frame.timeout);
        match &frame.doing {
            Doing::Wait(timer) => add(Hand::Wait, Some(*timer)),
            Doing::Call { call, deadline, .. } => {
                add(Hand::Call, Some(*call));
                add(Hand::CallTime, Some(*deadline));
            }
            Doing::Listen { listener, .. } => add(Hand::Listener, Some(*listener)),
            Doing::Try { phase: Phase::Delay { timer, .. }, .. } => add(Hand::Retry, Some(*timer)),
            Doing::Try { phase: Phase::Body { list, limit }, .. } => {
                add(Hand::Attempt, *limit);
                self.list(program, list);
            }
            Doing::Try { phase: Phase::Recovery { list, .. }, .. } | Doing::Do(list) | Doing::For { list, .. } => {
                self.list(program, list);
            }
            Doing::Fork(branches) => {
                for branch in branches {
                    if let Branch::Runs { task: Some(task), .. } = branch {
                        self.task(program, task);
                    }
                }
            }
            Doing::Fresh => {}
        }
    }
}

impl Happened {
    /// Reads an input that was given to a run; `None` for one that is about nothing it waited for.
    #[must_use]
    pub fn read(program: &Program, before: Option<&State>, input: &Input) -> Option<Self> {
        let waiting = |wait: Wait| {
            let waits = Waits::of(program, before?);
            waits.turn(wait).map(|(turn, hand)| (turn.clone(), hand))
        };
        Some(match input {
            Input::Started { start, input } => Self::Started { start: start.clone(), input: input.clone() },
            Input::TimerFired { timer } => match before? {
                state if state.overrun == *timer => Self::Overrun,
                state if state.deadline == Some(*timer) => Self::Deadline,
                state if state.pause == Some(*timer) => Self::WentOn,
                _ => {
                    let (turn, hand) = waiting(*timer)?;
                    Self::Time { turn, hand }
                }
            },
            Input::CallAnswered { call, answer } => Self::Answered { turn: waiting(*call)?.0, answer: answer.clone() },
            Input::EventReceived { event } => Self::Sent { event: event.clone() },
            Input::EventOffered { listener, filter, event, record } => Self::Heard {
                turn: waiting(*listener)?.0,
                filter: *filter,
                event: event.clone(),
                record: record.clone(),
            },
            Input::CancelRequested { why, reason } => Self::Cancelled { why: *why, reason: reason.clone() },
        })
    }

    /// The same as an input for a run in a state; `None` where that waits for no such thing.
    #[must_use]
    pub fn fit(&self, program: &Program, state: Option<&State>) -> Option<Input> {
        match (self, state) {
            (Self::Started { start, input }, None) => {
                Some(Input::Started { start: start.clone(), input: input.clone() })
            }
            (_, Some(state)) => self.fit_waits(state, &Waits::of(program, state)),
            (_, None) => None,
        }
    }

    /// The same for a state whose waits are known.
    pub(super) fn fit_waits(&self, state: &State, waits: &Waits) -> Option<Input> {
        state.root.as_ref()?;
        let find = |turn: &Turn, hand| waits.find(turn, hand);
        Some(match self {
            Self::Started { .. } => return None,
            Self::WentOn => Input::TimerFired { timer: state.pause? },
            Self::Overrun => Input::TimerFired { timer: state.overrun },
            Self::Deadline => Input::TimerFired { timer: state.deadline? },
            Self::Time { turn, hand } => Input::TimerFired { timer: find(turn, *hand)? },
            Self::Answered { turn, answer } => {
                Input::CallAnswered { call: find(turn, Hand::Call)?, answer: answer.clone() }
            }
            Self::Sent { event } => Input::EventReceived { event: event.clone() },
            Self::Heard { turn, filter, event, record } => Input::EventOffered {
                listener: find(turn, Hand::Listener)?,
                filter: *filter,
                event: event.clone(),
                record: record.clone(),
            },
            Self::Cancelled { why, reason } => Input::CancelRequested { why: *why, reason: reason.clone() },
        })
    }

    /// The task it is about.
    #[must_use]
    pub fn turn(&self) -> Option<&Turn> {
        match self {
            Self::Time { turn, .. } | Self::Answered { turn, .. } | Self::Heard { turn, .. } => Some(turn),
            _ => None,
        }
    }

    /// It in a few words, such as "an output came for review".
    #[must_use]
    pub fn words(&self) -> String {
        let kind = |event: &Value| event["type"].as_str().unwrap_or_default().to_owned();
        match self {
            Self::Started { .. } => "the run began".into(),
            Self::WentOn => "the run went on after others had their turn".into(),
            Self::Overrun => "the run reached the longest it may last".into(),
            Self::Deadline => "the time of the whole run was over".into(),
            Self::Time { turn, hand: Hand::Wait } => format!("time came for {}", turn.name),
            Self::Time { turn, hand: Hand::Retry } => format!("time came for the next attempt of {}", turn.name),
            Self::Time { turn, .. } => format!("the time of {} was over", turn.name),
            Self::Answered { turn, answer } => match answer {
                Answer::Succeeded { .. } => format!("an output came for {}", turn.name),
                Answer::Rejected { rejection } => {
                    format!("a refusal ({}) came for {}", reason(rejection), turn.name)
                }
                Answer::Failed => format!("the called run broke down at {}", turn.name),
                Answer::Unreachable { .. } => format!("nothing could be reached at {}", turn.name),
            },
            Self::Sent { event } => format!("an event {} was sent to the run", kind(event)),
            Self::Heard { turn, event, .. } => {
                format!("{} heard an event {} of the playbook", turn.name, kind(event))
            }
            Self::Cancelled { .. } => "the run was cancelled".into(),
        }
    }
}

/// A refusal's reason, with its kind where it has one.
pub(super) fn reason(rejection: &Rejection) -> String {
    let kind = rejection.kind.map(|kind| format!(", {}", kind.word())).unwrap_or_default();
    format!("{}{kind}", rejection.reason.word())
}
