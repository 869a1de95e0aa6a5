//! `for`: its list for each item. "Loops and parallel branches".

use crate::workflow::drive::{Work, unlike};
use crate::workflow::evaluate::{At, Place};
use crate::workflow::fault::{Fault, Short};
use crate::workflow::machine::{Broken, Machine, Progress};
use crate::workflow::state::{Doing, ListFrame, TaskFrame};
use crate::workflow::value::Held;
use playbook_definition::workflow::{Kind, Task};
use serde_json::Value;

impl Machine<'_> {
    pub(in crate::workflow) fn repeat(
        &mut self,
        task: &Task,
        frame: &mut TaskFrame,
        context: &mut Held,
    ) -> Result<Work, Broken> {
        let Kind::For { items, each, at, condition, list } = &task.kind else { return Err(unlike(task)) };
        let program = self.program;
        // What an iteration that was not begun yet is handed.
        let mut begins = None;
        if matches!(frame.doing, Doing::Fresh) {
            let value = self.expression(*items, Self::body(task, frame, context))?;
            if !value.is_array() {
                let title = "for.in did not give a list";
                return Err(Fault::short(Short::Validation, 400, &task.reference, title).into());
            }
            let items = self.hold(value);
            self.starts(task, frame, context);
            frame.doing = Doing::For { items, index: 0, list: ListFrame::new(*list, frame.input.clone()) };
            begins = Some(frame.input.clone());
        }
        loop {
            let Doing::For { items, index, list: iteration } = &mut frame.doing else { return Err(unlike(task)) };
            let item = items.value().get(*index as usize).cloned();
            let Some(item) = item.filter(|_| !program.list(*list).tasks.is_empty()) else {
                let output = iteration.data.clone();
                return Ok(Work::Produced(output, None));
            };
            let item = self.hold(item);
            let position = self.hold(Value::from(*index));
            self.scope.push((format!("${each}"), item));
            self.scope.push((format!("${at}"), position));
            self.turns.push(*index);
            let went = match (begins.take(), condition) {
                (Some(data), Some(condition)) => {
                    let at = At { task, raw: &frame.raw, started: frame.started, output: None };
                    let place = Place {
                        data: Some(&data),
                        input: Some(&frame.input),
                        context: Some(context),
                        task: Some(at),
                        output: None,
                    };
                    match self.holds(*condition, place) {
                        Ok(true) => self.list(iteration, context),
                        Ok(false) => Ok(Progress::Exited(data)),
                        Err(broken) => Err(broken),
                    }
                }
                _ => self.list(iteration, context),
            };
            self.turns.pop();
            self.scope.truncate(self.scope.len() - 2);
            match went? {
                Progress::Waits => return Ok(Work::Waits),
                Progress::Completed(output) => {
                    *index += 1;
                    *iteration = ListFrame::new(*list, output.clone());
                    begins = Some(output);
                }
                Progress::Exited(output) => return Ok(Work::Produced(output, None)),
                Progress::Ended(output) => return Ok(Work::Ended(output)),
                Progress::Raised(fault) => return Err(Broken::Fault(fault)),
            }
        }
    }
}
