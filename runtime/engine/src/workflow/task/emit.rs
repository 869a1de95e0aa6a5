//! `emit`: an event recorded in the playbook. "Emitting an event".

use crate::event::{Published, publish};
use crate::workflow::drive::Work;
use crate::workflow::fault::{Fault, Short};
use crate::workflow::machine::{Broken, Machine};
use crate::workflow::output::Emitted;
use crate::workflow::state::TaskFrame;
use crate::workflow::value::Held;
use playbook_definition::workflow::{Task, Template};
use playbook_model::{json, limits};
use serde_json::Map;
use uuid::Uuid;

impl Machine<'_> {
    pub(in crate::workflow) fn emit(
        &mut self,
        task: &Task,
        frame: &TaskFrame,
        attributes: &[(String, Template)],
        context: &Held,
    ) -> Result<Work, Broken> {
        let mut given = Map::new();
        for (name, template) in attributes {
            given.insert(name.clone(), self.template(template, Self::body(task, frame, context))?);
        }
        let invalid = |detail: String| {
            Fault::short(Short::Validation, 400, &task.reference, "The event cannot be recorded").detail(detail)
        };
        // Made from the run and the task, so that it is the same event whenever this is decided again.
        let run = Uuid::parse_str(&self.start.run_id).unwrap_or_default();
        let id = Uuid::new_v5(&run, format!("emit/{}/{}", task.reference, frame.run).as_bytes());
        let fill = Published { id: id.to_string(), at: self.at };
        let event = publish(&given, &fill).map_err(|issues| {
            let words: Vec<String> = issues
                .iter()
                .map(|issue| {
                    format!("{}: {}", issue.pointer.strip_prefix("/event/").unwrap_or("the event"), issue.detail)
                })
                .collect();
            invalid(words.join("; "))
        })?;
        let value = serde_json::to_value(&event.event).map_err(|why| invalid(why.to_string()))?;
        let bytes = json::bytes(&value) as u64;
        let emitted = &mut self.state.emitted;
        if emitted.count + 1 > limits::EVENTS_EMITTED || emitted.bytes + bytes > limits::EVENTS_EMITTED_BYTES {
            let words = "The run emitted as many events as it may over its life";
            return Err(Fault::limit(&task.reference, words).into());
        }
        emitted.count += 1;
        emitted.bytes += bytes;
        self.outputs.emit.push(Emitted { reference: task.reference.clone(), event });
        Ok(Work::Produced(frame.input.clone(), None))
    }
}
