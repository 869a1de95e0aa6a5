//! An input as it was given, from what its record tells of it and where the rest stands.

use super::Looked;
use crate::runtime::{Runtime, incident};
use crate::workflows::answer_of;
use playbook_engine::event::seen;
use playbook_engine::run::{Ended, Stream as RunStream};
use playbook_engine::workflow::{Answer, Input, Recorded, Start, State, child_run, event_value};
use playbook_history::{Record, Stream};
use playbook_model::ending::{Ending, Kind, Rejection};
use playbook_model::id::RunId;
use playbook_model::record::Fact;
use playbook_model::refusal::Refusal;
use serde::Deserialize;
use serde_json::Value;
use uuid::Uuid;

/// An input with the states around it.
pub(crate) struct Known {
    /// The record.
    pub(crate) record: Record,
    /// What was given.
    pub(crate) input: Input,
    /// The run before it.
    pub(crate) before: Option<State>,
}

impl Runtime {
    /// The input at a position of a run's log, the first being 1.
    pub(crate) async fn known_input(&self, looked: &Looked, position: u64) -> Result<Known, Refusal> {
        use playbook_model::ending::Reason;
        let log = Stream::run_log(&looked.playbook, looked.run);
        let wanted = if position > 1 { vec![position - 1, position] } else { vec![position] };
        let mut records = self.read(move |history| history.places(&log, &wanted)).await?;
        let record = records.pop().filter(|record| record.position == position);
        let Some(record) = record else {
            return Err(Rejection::new(Reason::NotFound, format!("The run took no input {position}")).into());
        };
        let before = match records.pop() {
            Some(before) => Some(self.state_of(&looked.playbook, looked.run, &before).await?),
            None => None,
        };
        let read = Recorded::read(&record.data).map_err(|why| incident(&format!("the run {}: {why}", looked.run)))?;
        let input = self.input_of(looked, &read, before.as_ref(), &record).await?;
        Ok(Known { record, input, before })
    }

    async fn input_of(
        &self,
        looked: &Looked,
        read: &Recorded,
        before: Option<&State>,
        record: &Record,
    ) -> Result<Input, Refusal> {
        let told = &read.input;
        let number = |name: &str| told[name].as_u64().unwrap_or(0);
        let unknown = |what: &str| incident(&format!("the run {}, input {}: {what}", looked.run, record.position));
        Ok(match told["kind"].as_str().unwrap_or_default() {
            "started" => {
                let state = self.state_of(&looked.playbook, looked.run, record).await?;
                let start = Start::deserialize(state.start.value()).map_err(|why| unknown(&why.to_string()))?;
                Input::Started { start: Box::new(start), input: state.input.value().clone() }
            }
            "timer_fired" => Input::TimerFired { timer: number("timer") },
            "call_answered" => {
                let call = number("call");
                let answer = self.answer_at(looked, told, before, call).await?;
                Input::CallAnswered { call, answer: answer.ok_or_else(|| unknown("its answer is nowhere"))? }
            }
            "event_received" => {
                let event = read.value(0).cloned().ok_or_else(|| unknown("its event is nowhere"))?;
                Input::EventReceived { event }
            }
            "event_offered" => {
                let id = told["record"].as_str().unwrap_or_default().to_owned();
                let event = match read.value(0) {
                    Some(event) => Some(event.clone()),
                    None => self.event_of(looked, &id).await?,
                };
                Input::EventOffered {
                    listener: number("listener"),
                    filter: u32::try_from(number("filter")).unwrap_or(u32::MAX),
                    event: event.ok_or_else(|| unknown("its event is nowhere"))?,
                    record: id,
                }
            }
            "cancel_requested" => Input::CancelRequested {
                why: Kind::deserialize(&told["because"]).unwrap_or(Kind::Requested),
                reason: told["reason"].as_str().map(str::to_owned),
            },
            other => return Err(unknown(&format!("{other} is no kind of input"))),
        })
    }

    /// The answer of a call: what its record tells, and the output from where it stands, the called run.
    async fn answer_at(
        &self,
        looked: &Looked,
        told: &Value,
        before: Option<&State>,
        call: u64,
    ) -> Result<Option<Answer>, Refusal> {
        if told["status"] != "succeeded" {
            return Ok(Answer::deserialize(told).ok());
        }
        let standing = before.and_then(|state| state.standing().into_iter().find(|standing| standing.wait == call));
        let Some(standing) = standing else { return Ok(None) };
        let reference = &looked.program.task(standing.task).reference;
        let child = RunId(child_run(&looked.run.to_string(), reference, standing.run));
        match self.run_stream(&Stream::run(&looked.playbook, child)).await? {
            RunStream::Run(state) => Ok(match state.ended {
                Some(Ended { ending: ending @ Ending::Succeeded { .. }, .. }) => Some(answer_of(ending)),
                _ => None,
            }),
            _ => Ok(None),
        }
    }

    async fn event_of(&self, looked: &Looked, id: &str) -> Result<Option<Value>, Refusal> {
        let Ok(id) = Uuid::parse_str(id) else { return Ok(None) };
        let playbook = looked.playbook.clone();
        let read = move |history: &playbook_history::History| {
            let Some(record) = history.record(&playbook, id)? else { return Ok(None) };
            let data = history.data(&record)?;
            Ok(Some((record, data)))
        };
        let Some((record, data)) = self.read(read).await? else { return Ok(None) };
        let Ok(fact) = Fact::read(&record.kind, data) else { return Ok(None) };
        Ok(seen(&id.to_string(), &fact, &record.context).ok().map(|seen| event_value(&seen.event)))
    }
}
