//! `fork`: branches that start together. "Loops and parallel branches".
//!
//! Each branch begins with the fork's context; what branches export is applied in the order they are written once the
//! fork ends, the winner's alone when they compete.

use crate::workflow::drive::{Begun, Went, Work, unlike};
use crate::workflow::fault::Fault;
use crate::workflow::machine::{Broken, Machine};
use crate::workflow::state::{Branch, Doing, TaskFrame};
use crate::workflow::value::Held;
use playbook_definition::workflow::{Branching, Task, TaskId};
use playbook_model::ending::Kind as Why;
use serde_json::Value;

/// How one branch went on.
enum Moved {
    /// It goes on, or had ended before.
    No,
    /// It gave an output.
    Done,
    /// It ended the run with this.
    Ended(Held),
    /// It raised this.
    Raised(Box<Fault>),
}

impl Machine<'_> {
    pub(in crate::workflow) fn fork(
        &mut self,
        task: &Task,
        frame: &mut TaskFrame,
        tasks: &[TaskId],
        branching: Branching,
        context: &mut Held,
    ) -> Result<Work, Broken> {
        if matches!(frame.doing, Doing::Fresh) {
            self.starts(task, frame, context);
            let branch = || Branch::Runs { context: context.clone(), data: frame.input.clone(), task: None };
            frame.doing = Doing::Fork(tasks.iter().map(|_| branch()).collect());
        }
        let Doing::Fork(branches) = &mut frame.doing else { return Err(unlike(task)) };
        if branches.len() != tasks.len() {
            return Err(unlike(task));
        }
        for at in 0..branches.len() {
            match self.branch(tasks[at], &mut branches[at])? {
                Moved::No => {}
                Moved::Done if branching == Branching::Compete => {
                    branches.iter_mut().for_each(|other| self.end_branch(other, Why::ParentEnded));
                    let Branch::Done { output, context: exported } = &branches[at] else { return Err(unlike(task)) };
                    *context = exported.clone();
                    return Ok(Work::Produced(output.clone(), None));
                }
                Moved::Done => {}
                Moved::Ended(output) => {
                    branches.iter_mut().for_each(|other| self.end_branch(other, Why::ParentEnded));
                    return Ok(Work::Ended(output));
                }
                Moved::Raised(fault) if branching == Branching::Compete => {
                    let error = self.hold(fault.value());
                    branches[at] = Branch::Failed { error };
                }
                Moved::Raised(fault) => {
                    branches.iter_mut().for_each(|other| self.end_branch(other, Why::ParentEnded));
                    return Err(Broken::Fault(fault));
                }
            }
        }
        if branches.iter().any(|branch| matches!(branch, Branch::Runs { .. })) {
            return Ok(Work::Waits);
        }
        let failed = branches.iter().find_map(|branch| match branch {
            Branch::Failed { error } => Fault::read(error.value()),
            _ => None,
        });
        if let Some(fault) = failed {
            return Err(fault.into());
        }
        let before = context.clone();
        let mut outputs = Vec::with_capacity(branches.len());
        for branch in branches {
            if let Branch::Done { output, context: exported } = branch {
                outputs.push(output.value().clone());
                if *exported != before {
                    *context = exported.clone();
                }
            }
        }
        let outputs = self.hold(Value::Array(outputs));
        Ok(Work::Produced(outputs, None))
    }

    fn branch(&mut self, id: TaskId, branch: &mut Branch) -> Result<Moved, Broken> {
        let Branch::Runs { context, data, task } = branch else { return Ok(Moved::No) };
        if task.is_none() {
            if self.has_had_its_turn() {
                self.pausing = true;
                return Ok(Moved::No);
            }
            match self.begin(id, data, context) {
                Ok(Begun::Skipped) => {
                    *branch = Branch::Done { output: data.clone(), context: context.clone() };
                    return Ok(Moved::Done);
                }
                Ok(Begun::Goes(begun)) => *task = Some(begun),
                Err(Broken::Fault(fault)) => return Ok(Moved::Raised(fault)),
                Err(broken) => return Err(broken),
            }
        }
        let Some(mut going) = task.take() else { return Ok(Moved::No) };
        match self.task(&mut going, context)? {
            Went::Waits => {
                *task = Some(going);
                Ok(Moved::No)
            }
            Went::Finished(output, playbook_definition::workflow::Directive::End) => Ok(Moved::Ended(output)),
            Went::Finished(output, _) => {
                *branch = Branch::Done { output, context: context.clone() };
                Ok(Moved::Done)
            }
            Went::Ended(output) => Ok(Moved::Ended(output)),
            Went::Raised(fault) => Ok(Moved::Raised(fault)),
        }
    }
}
