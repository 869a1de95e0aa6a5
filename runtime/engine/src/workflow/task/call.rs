//! `call: run_definition`: another definition's run, and the wait for its ending. "Calling a function".

use crate::workflow::drive::{Waiting, Work, unlike};
use crate::workflow::fault::{Fault, Short};
use crate::workflow::input::Called;
use crate::workflow::machine::{Broken, Machine};
use crate::workflow::output::{Call, EndedCall};
use crate::workflow::record::WaitsFor;
use crate::workflow::state::{Doing, TaskFrame};
use crate::workflow::value::Held;
use playbook_definition::workflow::{Target, Task};
use playbook_model::definition::DefinitionType;
use playbook_model::ending::Kind;
use playbook_model::id::DefinitionName;
use playbook_model::limits;
use serde_json::{Map, Value};
use uuid::Uuid;

/// The id of the run that a task's nth run calls: a call that is started again is the same run.
#[must_use]
pub fn child_run(parent: &str, reference: &str, run: u32) -> Uuid {
    let parent = Uuid::parse_str(parent).unwrap_or_default();
    Uuid::new_v5(&parent, format!("{reference}/{run}").as_bytes())
}

impl Machine<'_> {
    pub(in crate::workflow) fn call(
        &mut self,
        task: &Task,
        frame: &mut TaskFrame,
        target: &Target,
        context: &Held,
    ) -> Result<Work, Broken> {
        let (call, deadline) = match &frame.doing {
            Doing::Fresh => return self.start_call(task, frame, target, context),
            Doing::Call { call, deadline, .. } => (*call, *deadline),
            _ => return Err(unlike(task)),
        };
        if self.fires(deadline) {
            self.drop_call(call, Kind::Deadline);
            let name = self.called_name(frame);
            let title = format!("{name} did not end within the time this task waits for it");
            return Err(Fault::short(Short::Timeout, 408, &task.reference, title).into());
        }
        let answer = match self.answer.take() {
            Some((answered, answer)) if answered == call => answer,
            other => {
                self.answer = other;
                return Ok(Work::Waits);
            }
        };
        self.disarm(deadline);
        self.outputs.ended_calls.push(EndedCall { call, cancel: None });
        let Doing::Call { definition, .. } = &frame.doing else { return Err(unlike(task)) };
        let called = read_called(definition).ok_or_else(|| unlike(task))?;
        if let Some(fault) = Fault::answered(&task.reference, &called, &answer) {
            return Err(fault.into());
        }
        let crate::workflow::input::Answer::Succeeded { output } = answer else { return Err(unlike(task)) };
        let output = self.hold(output);
        Ok(Work::Produced(output, None))
    }

    fn start_call(
        &mut self,
        task: &Task,
        frame: &mut TaskFrame,
        target: &Target,
        context: &Held,
    ) -> Result<Work, Broken> {
        let invalid = |detail: String| {
            Fault::short(Short::Validation, 400, &task.reference, "The call cannot be made").detail(detail)
        };
        let kind = self.template(&target.kind, Self::body(task, frame, context))?;
        let name = self.template(&target.name, Self::body(task, frame, context))?;
        let input = match &target.input {
            Some(input) => self.held(input, Self::body(task, frame, context))?,
            None => self.hold(Value::Object(Map::new())),
        };
        let kind = kind.as_str().and_then(DefinitionType::parse).ok_or_else(|| {
            let words: Vec<&str> = DefinitionType::ALL.iter().map(|kind| kind.word()).collect();
            invalid(format!("Expected with.type to be one of {}", words.join(", ")))
        })?;
        let name = name
            .as_str()
            .and_then(|name| DefinitionName::new(name).ok())
            .ok_or_else(|| invalid("Expected with.name to be the name of a definition".to_owned()))?;
        if input.bytes() > limits::INPUT_BYTES {
            let words = format!("Its input takes {} bytes as JSON; at most {} may", input.bytes(), limits::INPUT_BYTES);
            return Err(invalid(words).into());
        }
        if self.start.call_depth + 1 > limits::CALL_DEPTH {
            let words = format!("Workflows may call each other at most {} deep", limits::CALL_DEPTH);
            let title = format!("The {} {name} could not run", kind.noun());
            return Err(Fault::short(Short::Runtime, 409, &task.reference, title).detail(words).into());
        }
        let call = self.wait();
        let left = u64::try_from(self.left()).unwrap_or(0);
        let wait = self.start.waits.get(&task.reference).copied().unwrap_or(self.start.other_wait).min(left);
        let deadline = self.arm(wait);
        let called = Called { kind, name: name.to_string() };
        let definition = format!("{kind}/{name}");
        frame.doing = Doing::Call { call, deadline, definition };
        let child = child_run(&self.start.run_id, &task.reference, frame.run);
        self.outputs.calls.push(Call { call, reference: task.reference.clone(), run: frame.run, called, input });
        let wait = Waiting { waits_for: WaitsFor::Call, until: Some(deadline), child: Some(child.to_string()) };
        self.waits(task, frame, wait, context);
        Ok(Work::Waits)
    }

    /// The milliseconds that the run may still last.
    fn left(&self) -> i64 {
        self.state.timers.get(&self.state.overrun).map_or(0, |due| due.0 - self.at.0).max(0)
    }

    fn called_name(&self, frame: &TaskFrame) -> String {
        match &frame.doing {
            Doing::Call { definition, .. } => read_called(definition)
                .map_or_else(|| "The call".to_owned(), |called| format!("The {} {}", called.kind.noun(), called.name)),
            _ => "The call".to_owned(),
        }
    }
}

fn read_called(definition: &str) -> Option<Called> {
    let (kind, name) = definition.split_once('/')?;
    Some(Called { kind: DefinitionType::parse(kind)?, name: name.to_owned() })
}
