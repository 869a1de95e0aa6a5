//! A run between two inputs: which tasks are under way, what they hold and what they wait for.
//!
//! Recorded whole with each input, every value by its name, so that a run is read back from its newest record and the
//! few that its values stand in. No expression is evaluated for it.

use super::value::Held;
use playbook_definition::workflow::{ListId, TaskId};
use playbook_model::time::Moment;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The format of a recorded state. A newer one is refused.
pub const FORMAT: u32 = 1;

/// A number that names one wait of a run: a timer, a call or a listener. Never used twice.
pub type Wait = u64;

/// A run between two inputs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct State {
    /// [`FORMAT`].
    pub format: u32,
    /// How many inputs were applied.
    pub inputs: u64,
    /// The time of the last input; none is earlier than the one before.
    pub at: Moment,
    /// When the run started.
    pub started: Moment,
    /// What the run was started with, as [`super::input::Start`] without its input.
    pub start: Held,
    /// The input of the run, before the document's `input.from`.
    pub input: Held,
    /// The number of the next wait.
    pub next: Wait,
    /// Draws of chance so far.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub draws: u32,
    /// How often each task was started.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub runs: BTreeMap<TaskId, u32>,
    /// Tasks since the run last waited.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub busy: u32,
    /// Bytes of the run's log as JSON.
    pub log_bytes: u64,
    /// Timers that are armed, with the moment they are due.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub timers: BTreeMap<Wait, Moment>,
    /// The timer that ends the run at the longest it may last.
    pub overrun: Wait,
    /// The timer of the document's `timeout`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Wait>,
    /// The timer that lets the run go on after it let others have their turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause: Option<Wait>,
    /// Events sent to the run.
    #[serde(default)]
    pub events: Events,
    /// Events emitted by the run.
    #[serde(default)]
    pub emitted: Amount,
    /// What is under way; `None` once the run is settled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<Root>,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// The run's own list and what its tasks exported.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Root {
    /// `$context`.
    pub context: Held,
    /// The document's `do`.
    pub list: ListFrame,
}

/// How many and how large.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Amount {
    /// How many.
    pub count: u32,
    /// Bytes as JSON.
    pub bytes: u64,
}

/// Events sent to the run. "Waiting for events".
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Events {
    /// Those not taken yet, in the order they came.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<Kept>,
    /// Over the run's life.
    #[serde(default)]
    pub received: Amount,
    /// The ids received, as one value: a list of texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ids: Option<Held>,
}

/// An event that waits to be taken.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Kept {
    /// Its number among those received, from 1.
    pub number: u32,
    /// The event.
    pub event: Held,
}

/// A list under way.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ListFrame {
    /// Which list.
    pub list: ListId,
    /// The place of the task under way, or of the next one.
    pub place: u32,
    /// What that task is handed.
    pub data: Held,
    /// The task under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<Box<TaskFrame>>,
}

impl ListFrame {
    /// A list before its first task.
    #[must_use]
    pub fn new(list: ListId, data: Held) -> Self {
        Self { list, place: 0, data, task: None }
    }
}

/// A task under way.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TaskFrame {
    /// Which task.
    pub task: TaskId,
    /// The nth time it runs in this run, from 1.
    pub run: u32,
    /// When it started.
    pub started: Moment,
    /// What it was handed.
    pub raw: Held,
    /// Its input, after `input.from`.
    pub input: Held,
    /// The timer of its `timeout`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Wait>,
    /// What it is doing.
    pub doing: Doing,
    /// The input that told that it started, and where, until that input tells how it went on. Never recorded: a later
    /// input does not look at it.
    #[serde(skip)]
    pub told: Option<(u64, usize)>,
}

/// What a task under way is doing.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Doing {
    /// Nothing yet. Never recorded.
    Fresh,
    /// A `do`.
    Do(ListFrame),
    /// A `for`.
    For {
        /// The list of items.
        items: Held,
        /// The position of the item.
        index: u32,
        /// The iteration under way.
        list: ListFrame,
    },
    /// A `fork`.
    Fork(Vec<Branch>),
    /// A `try`.
    Try {
        /// Retries so far.
        retries: u32,
        /// When the first attempt began.
        first: Moment,
        /// What the task does now.
        phase: Phase,
    },
    /// A `wait`.
    Wait(Wait),
    /// A `call`.
    Call {
        /// Its number.
        call: Wait,
        /// The timer that ends the wait for it.
        deadline: Wait,
        /// `type/name` of what runs.
        definition: String,
    },
    /// A `listen`.
    Listen {
        /// Its number.
        listener: Wait,
        /// The newest event of those received that it has looked at.
        seen: u32,
        /// For each filter, the event it took.
        taken: Vec<Option<Held>>,
    },
}

/// What a `try` does.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Runs its list.
    Body {
        /// The list.
        list: ListFrame,
        /// The timer of this attempt.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limit: Option<Wait>,
    },
    /// Waits to run it again.
    Delay {
        /// The timer.
        timer: Wait,
        /// The error that was caught.
        error: Held,
    },
    /// Runs `catch.do`.
    Recovery {
        /// The error that was caught.
        error: Held,
        /// The list.
        list: ListFrame,
    },
}

/// A branch of a `fork`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Branch {
    /// Under way.
    Runs {
        /// `$context` within it.
        context: Held,
        /// What it is handed.
        data: Held,
        /// Its task, once it was started.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<Box<TaskFrame>>,
    },
    /// It gave an output.
    Done {
        /// The output.
        output: Held,
        /// What it exported.
        context: Held,
    },
    /// It raised, where others may still win.
    Failed {
        /// The error, as [`super::fault::Fault`] writes it.
        error: Held,
    },
}

impl State {
    /// Every value the state names, with its name alone where it was read back and not filled yet.
    pub fn each(&mut self, act: &mut dyn FnMut(&mut Held)) {
        act(&mut self.start);
        act(&mut self.input);
        for kept in &mut self.events.waiting {
            act(&mut kept.event);
        }
        if let Some(ids) = &mut self.events.ids {
            act(ids);
        }
        if let Some(root) = &mut self.root {
            act(&mut root.context);
            root.list.each(act);
        }
    }

    /// The tasks under way.
    #[must_use]
    pub fn under_way(&self) -> usize {
        self.root.as_ref().map_or(0, |root| root.list.under_way())
    }
}

impl ListFrame {
    fn each(&mut self, act: &mut dyn FnMut(&mut Held)) {
        act(&mut self.data);
        if let Some(task) = &mut self.task {
            task.each(act);
        }
    }

    fn under_way(&self) -> usize {
        self.task.as_ref().map_or(0, |task| task.under_way())
    }
}

impl TaskFrame {
    fn each(&mut self, act: &mut dyn FnMut(&mut Held)) {
        act(&mut self.raw);
        act(&mut self.input);
        match &mut self.doing {
            Doing::Do(list) => list.each(act),
            Doing::For { items, list, .. } => {
                act(items);
                list.each(act);
            }
            Doing::Fork(branches) => branches.iter_mut().for_each(|branch| branch.each(act)),
            Doing::Try { phase, .. } => match phase {
                Phase::Body { list, .. } => list.each(act),
                Phase::Delay { error, .. } => act(error),
                Phase::Recovery { error, list } => {
                    act(error);
                    list.each(act);
                }
            },
            Doing::Listen { taken, .. } => taken.iter_mut().flatten().for_each(act),
            Doing::Wait(_) | Doing::Call { .. } | Doing::Fresh => {}
        }
    }

    fn under_way(&self) -> usize {
        1 + match &self.doing {
            Doing::Do(list) | Doing::For { list, .. } => list.under_way(),
            Doing::Try { phase: Phase::Body { list, .. } | Phase::Recovery { list, .. }, .. } => list.under_way(),
            Doing::Fork(branches) => branches
                .iter()
                .map(|branch| match branch {
                    Branch::Runs { task: Some(task), .. } => task.under_way(),
                    _ => 0,
                })
                .sum(),
            _ => 0,
        }
    }
}

impl Branch {
    fn each(&mut self, act: &mut dyn FnMut(&mut Held)) {
        match self {
            Self::Runs { context, data, task } => {
                act(context);
                act(data);
                if let Some(task) = task {
                    task.each(act);
                }
            }
            Self::Done { output, context } => {
                act(output);
                act(context);
            }
            Self::Failed { error } => act(error),
        }
    }
}
