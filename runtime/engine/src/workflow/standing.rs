//! What a run waits for, task by task.

use super::input::Called;
use super::program::Program;
use super::record::WaitsFor;
use super::state::{Branch, Doing, ListFrame, Phase, State, TaskFrame, Wait};
use playbook_definition::workflow::TaskId;
use playbook_model::definition::DefinitionType;
use playbook_model::time::Moment;

/// One thing that a run waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The task that waits.
    pub task: TaskId,
    /// The nth time the task runs in this run, from 1.
    pub run: u32,
    /// What it waits for.
    pub waits_for: WaitsFor,
    /// The wait's number.
    pub wait: Wait,
    /// When it stops waiting, where that is known.
    pub until: Option<Moment>,
    /// What it called.
    pub called: Option<Called>,
}

impl State {
    /// Everything the run waits for, in the order of the document.
    #[must_use]
    pub fn standing(&self) -> Vec<Standing> {
        let mut found = Vec::new();
        if let Some(root) = &self.root {
            self.of_list(&root.list, &mut found);
        }
        found
    }

    /// What the call of this number asks for, where one is under way.
    #[must_use]
    pub fn called(&self, number: Wait) -> Option<Called> {
        let call = |standing: &Standing| standing.waits_for == WaitsFor::Call && standing.wait == number;
        self.standing().into_iter().find(call).and_then(|standing| standing.called)
    }

    /// The task that waits under a number: for the timer, the call or the listener of it.
    #[must_use]
    pub fn waiting_task<'p>(&self, program: &'p Program, number: Wait) -> Option<&'p str> {
        let found = self.standing().into_iter().find(|standing| standing.wait == number)?;
        Some(program.task(found.task).reference.as_str())
    }

    fn of_list(&self, list: &ListFrame, found: &mut Vec<Standing>) {
        if let Some(task) = &list.task {
            self.of_task(task, found);
        }
    }

    fn of_task(&self, task: &TaskFrame, found: &mut Vec<Standing>) {
        let mut waits = |waits_for, wait, timer: Option<Wait>, called| {
            let until = timer.and_then(|timer| self.timers.get(&timer).copied());
            found.push(Standing { task: task.task, run: task.run, waits_for, wait, until, called });
        };
        match &task.doing {
            Doing::Wait(timer) => waits(WaitsFor::Timer, *timer, Some(*timer), None),
            Doing::Call { call, deadline, definition } => {
                let called = definition.split_once('/').and_then(|(kind, name)| {
                    Some(Called { kind: DefinitionType::parse(kind)?, name: name.to_owned() })
                });
                waits(WaitsFor::Call, *call, Some(*deadline), called);
            }
            Doing::Listen { listener, .. } => waits(WaitsFor::Event, *listener, task.timeout, None),
            Doing::Try { phase: Phase::Delay { timer, .. }, .. } => waits(WaitsFor::Retry, *timer, Some(*timer), None),
            Doing::Try { phase: Phase::Body { list, .. } | Phase::Recovery { list, .. }, .. }
            | Doing::Do(list)
            | Doing::For { list, .. } => self.of_list(list, found),
            Doing::Fork(branches) => {
                for branch in branches {
                    if let Branch::Runs { task: Some(task), .. } = branch {
                        self.of_task(task, found);
                    }
                }
            }
            Doing::Fresh => {}
        }
    }
}
