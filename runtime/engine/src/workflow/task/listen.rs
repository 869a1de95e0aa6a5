//! `listen`: events sent to the run, and those of the playbook that matched without it. "Waiting for events".

use crate::workflow::drive::{Waiting, Work, unlike};
use crate::workflow::evaluate::{At, Place};
use crate::workflow::machine::{Broken, Machine};
use crate::workflow::output::Listener;
use crate::workflow::record::WaitsFor;
use crate::workflow::state::{Doing, TaskFrame};
use crate::workflow::value::Held;
use playbook_definition::workflow::{Listening, Match, Reading, Rule, Takes, Task};
use playbook_model::json;
use serde_json::{Map, Value};

/// An attribute of an event as a filter compares it; one that the event lacks is null.
#[must_use]
pub fn attribute_of<'a>(event: &'a Value, name: &str) -> &'a Value {
    event.get(name).unwrap_or(&Value::Null)
}

/// An event of the playbook as a task sees it: `type`, `id`, `time`, `source`, `subject` and `data` first.
#[must_use]
pub fn event_value(event: &playbook_model::event::CloudEvent) -> Value {
    serde_json::to_value(event).expect("an event holds nothing JSON cannot")
}

impl Machine<'_> {
    pub(in crate::workflow) fn listen(
        &mut self,
        task: &Task,
        frame: &mut TaskFrame,
        listening: &Listening,
        context: &Held,
    ) -> Result<Work, Broken> {
        let fresh = matches!(frame.doing, Doing::Fresh);
        if fresh {
            let listener = self.wait();
            let types: Vec<(u32, String)> = (0..)
                .zip(&listening.filters)
                .filter_map(|(at, filter)| filter.kind.clone().map(|kind| (at, kind)))
                .collect();
            let taken = vec![None; listening.filters.len().max(1)];
            frame.doing = Doing::Listen { listener, seen: 0, taken };
            if !types.is_empty() {
                self.outputs.listen.push(Listener { listener, reference: task.reference.clone(), types });
            }
        }
        self.take_offered(frame, listening);
        self.take_sent(task, frame, listening, context)?;
        let Doing::Listen { listener, taken, .. } = &frame.doing else { return Err(unlike(task)) };
        let done = match listening.takes {
            Takes::Any => taken.iter().any(Option::is_some),
            Takes::All => taken.iter().all(Option::is_some),
        };
        let listener = *listener;
        if !done {
            if fresh {
                self.waits(task, frame, Waiting { waits_for: WaitsFor::Event, until: None, child: None }, context);
            }
            return Ok(Work::Waits);
        }
        let read = |event: &Held| match listening.read {
            Reading::Data => event.value().get("data").cloned().unwrap_or_default(),
            Reading::Whole => event.value().clone(),
        };
        let output: Vec<Value> = taken.iter().flatten().map(read).collect();
        self.drop_listener(listener);
        let output = self.hold(Value::Array(output));
        Ok(Work::Produced(output, None))
    }

    /// An event of the playbook that matched a filter.
    fn take_offered(&mut self, frame: &mut TaskFrame, listening: &Listening) {
        let Doing::Listen { listener, taken, .. } = &mut frame.doing else { return };
        let Some((wanted, filter, event)) = &self.offered else { return };
        if wanted != listener {
            return;
        }
        let place = if listening.filters.len() == taken.len() { *filter as usize } else { 0 };
        if let Some(slot @ None) = taken.get_mut(place) {
            *slot = Some(event.clone());
        }
        self.offered = None;
    }

    /// Events sent to the run, the earliest first.
    fn take_sent(
        &mut self,
        task: &Task,
        frame: &mut TaskFrame,
        listening: &Listening,
        context: &Held,
    ) -> Result<(), Broken> {
        let Doing::Listen { seen, .. } = frame.doing else { return Err(unlike(task)) };
        let waiting: Vec<(u32, Held)> = self
            .state
            .events
            .waiting
            .iter()
            .filter(|kept| kept.number > seen)
            .map(|kept| (kept.number, kept.event.clone()))
            .collect();
        for (number, event) in waiting {
            let Doing::Listen { seen, taken, .. } = &mut frame.doing else { return Err(unlike(task)) };
            if listening.takes == Takes::Any && taken.iter().any(Option::is_some) {
                break;
            }
            *seen = number;
            let open: Vec<usize> = (0..taken.len()).filter(|at| taken[*at].is_none()).collect();
            let mut takes = None;
            for at in open {
                let matches = match listening.filters.get(at) {
                    Some(filter) => self.matches(task, frame, filter, &event, context)?,
                    // A list without a filter takes any event that is sent.
                    None => true,
                };
                if matches {
                    takes = Some(at);
                    break;
                }
            }
            if let (Some(at), Doing::Listen { taken, .. }) = (takes, &mut frame.doing) {
                taken[at] = Some(event);
                self.state.events.waiting.retain(|kept| kept.number != number);
            }
        }
        Ok(())
    }

    fn matches(
        &mut self,
        task: &Task,
        frame: &TaskFrame,
        filter: &Match,
        event: &Held,
        context: &Held,
    ) -> Result<bool, Broken> {
        for attribute in &filter.attributes {
            let found = attribute_of(event.value(), &attribute.name).clone();
            let matches = match &attribute.rule {
                Rule::Equal(wanted) => json::same(wanted, &found),
                Rule::Holds(expression) => {
                    let found = self.hold(found);
                    let at = At { task, raw: &frame.raw, started: frame.started, output: None };
                    // Such an expression reads `$data` and nothing else; the task is there for its error alone.
                    let place =
                        Place { data: Some(&found), task: Some(at), context: Some(context), ..Place::default() };
                    self.holds(*expression, place)?
                }
            };
            if !matches {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// An event sent to a run, completed: an id and a source it lacks are filled in.
#[must_use]
pub fn sent(mut event: Map<String, Value>, id: &str, source: &str, time: &str) -> Value {
    let mut whole = Map::new();
    for (name, fill) in [("type", ""), ("id", id), ("time", time), ("source", source)] {
        let value = event.remove(name).unwrap_or_else(|| Value::String(fill.to_owned()));
        whole.insert(name.to_owned(), value);
    }
    whole.append(&mut event);
    Value::Object(whole)
}
