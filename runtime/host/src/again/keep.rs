//! A recorded run kept as a test case: what it took, and how it ended.

use super::recorded_settled;
use super::replay::inputs_of;
use crate::call::invalid_at;
use crate::cases::play;
use crate::folder::{CaseFile, FileError, Folder};
use crate::runtime::{Runtime, incident};
use crate::steps::Looked;
use playbook_definition::case::{Answer, Case, CaseName, Ends, Given, Happening, Happens, WorkflowCase};
use playbook_engine::workflow::again::{Asked, Hand, Happened, Turn};
use playbook_engine::workflow::{Answer as Answered, Input, Settled, Start};
use playbook_model::definition::{DefinitionKey, DefinitionType};
use playbook_model::ending::{Reason, Rejection};
use playbook_model::id::{DefinitionName, PlaybookKey, RunId};
use playbook_model::json::{self, same};
use playbook_model::limits;
use playbook_model::refusal::Refusal;
use playbook_model::word::thousands;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};

/// Inputs of the longest run that is kept.
const INPUTS: u64 = 2_000;
/// Characters of a description.
const DESCRIPTION: usize = 1_000;

impl Runtime {
    /// Writes `tests/workflow/NAME/CASE.yaml` into a folder, from what a run took and how it ended.
    ///
    /// # Errors
    /// [`Refusal`]: there is no such run, it cannot be kept as a case, or the folder has a case of this name.
    pub async fn keep_run(
        &self,
        playbook: &PlaybookKey,
        run: RunId,
        folder: &Folder,
        case: &str,
        description: Option<&str>,
    ) -> Result<Value, Refusal> {
        let name = CaseName::new(case).map_err(|why| invalid_at("/case", why))?;
        let description = description.map(str::trim).filter(|text| !text.is_empty());
        if description.is_some_and(|text| text.chars().count() > DESCRIPTION) {
            let words = format!("Expected a description of at most {DESCRIPTION} characters");
            return Err(invalid_at("/description", words));
        }
        let looked = self.look(playbook, run).await?;
        let inputs = inputs_of(&looked)?;
        if inputs > INPUTS {
            let words =
                format!("The run took {} inputs; at most {} are kept as a case", thousands(inputs), thousands(INPUTS));
            return Err(Rejection::new(Reason::Conflict, words).into());
        }
        let own = looked.own.definition.name.clone();
        let key = DefinitionName::new(own).map_err(|why| incident(&why.to_string()))?;
        let file = CaseFile { key: DefinitionKey { kind: DefinitionType::Workflow, name: key }, name };
        let made = self.case_of(&looked, inputs, description).await?;
        let source = self.source_of(&looked).await?;
        let played = play(looked.program.clone(), self.pool(), &made, &source).await?;
        if let Some(why) = unlike(&made, &played) {
            let words = format!("Given again what it took, the run does not end as recorded ({why}); it is not kept");
            return Err(Rejection::new(Reason::Conflict, words).into());
        }
        let made = Case::Workflow(Box::new(made));
        let text = playbook_definition::case::write(&made);
        if text.len() > limits::CASE_BYTES {
            return Err(large());
        }
        let read = playbook_definition::case::read(DefinitionType::Workflow, &text);
        if read.case.as_ref() != Some(&made) {
            let why = read.problems.first().map(|problem| problem.message.trim_end_matches('.').to_owned());
            let why = why.unwrap_or_else(|| "it reads back otherwise".into());
            let words = format!("What the run took cannot be written as a case ({why}); it is not kept");
            return Err(Rejection::new(Reason::Conflict, words).into());
        }
        let (folder, at) = (folder.clone(), file.clone());
        let written = tokio::task::spawn_blocking(move || folder.keep_case(&at, &made)).await;
        match written.map_err(|why| incident(&format!("writing a case broke down: {why}")))? {
            Ok(path) => Ok(json!({ "path": path, "inputs": inputs })),
            Err(FileError::There { .. }) => {
                let words = format!("There is a case at {} already; choose another name", file.relative());
                Err(Rejection::new(Reason::Conflict, words).into())
            }
            Err(why) => Err(Rejection::new(Reason::Unavailable, why.to_string()).into()),
        }
    }

    async fn case_of(&self, looked: &Looked, inputs: u64, description: Option<&str>) -> Result<WorkflowCase, Refusal> {
        let mut making =
            Making { looked, start: None, input: Value::Null, asked: HashMap::new(), waits: BTreeMap::new() };
        let (mut happens, mut bytes) = (Vec::new(), 0);
        for position in 1..=inputs {
            let recorded = self.recorded_input(looked, position).await?;
            making.asked.extend(recorded.did.calls.iter().map(|call| (call.call, call.clone())));
            if let Some(what) = making.happening(&recorded.input, &recorded.happened) {
                bytes += bytes_of(&what);
                if bytes > limits::CASE_BYTES {
                    return Err(large());
                }
                happens.push(Happens { at: recorded.at, what });
            }
        }
        let Some(start) = making.start else { return Err(incident("a run began without its start")) };
        let own = &looked.own.definition;
        let expect = match recorded_settled(looked) {
            Some(Settled::Succeeded { output }) => Ends::Answer(Answer::Output(output)),
            Some(Settled::Rejected { rejection }) => {
                Ends::Answer(Answer::Rejected { reason: rejection.reason, kind: rejection.kind })
            }
            None if looked.own.ended.is_some() => {
                let words = "The run broke down; there is no ending to expect of it";
                return Err(Rejection::new(Reason::Conflict, words).into());
            }
            None => {
                let waits = self.run_waits(&looked.playbook, looked.run).await?;
                Ends::Waits(waits.into_iter().map(|wait| wait.name).collect())
            }
        };
        let kept = || format!("A run of version {}, as it was recorded", own.version);
        Ok(WorkflowCase {
            description: Some(description.map_or_else(kept, str::to_owned)),
            run: Some(start.run_id.clone()),
            start: start.at,
            input: making.input,
            depth: start.call_depth,
            longest: (start.longest != limits::WORKFLOW_MILLISECONDS).then_some(start.longest),
            waits: making.waits,
            happens,
            expect,
        })
    }
}

/// What a case is being made of.
struct Making<'a> {
    looked: &'a Looked,
    start: Option<Box<Start>>,
    input: Value,
    /// The calls that were made, by their numbers.
    asked: HashMap<u64, Asked>,
    /// How long calls waited whose time was over.
    waits: BTreeMap<String, u64>,
}

impl Making<'_> {
    fn happening(&mut self, input: &Input, happened: &Happened) -> Option<Happening> {
        Some(match happened {
            Happened::Started { start, input } => {
                self.start = Some(start.clone());
                self.input.clone_from(input);
                return None;
            }
            Happened::WentOn => Happening::WentOn,
            Happened::Overrun => Happening::RunTime { longest: true },
            Happened::Deadline => Happening::RunTime { longest: false },
            Happened::Time { turn, hand } => {
                if let (Hand::CallTime, Some(start)) = (hand, &self.start) {
                    let wait = start.waits.get(&turn.reference).copied().unwrap_or(start.other_wait);
                    self.waits.insert(self.name(turn), wait);
                }
                let of = hand.word().unwrap_or("wait").to_owned();
                Happening::Time { task: self.name(turn), nth: turn.run, of }
            }
            Happened::Answered { turn, answer } => {
                let call = if let Input::CallAnswered { call, .. } = input { self.asked.get(call) } else { None };
                Happening::Answer {
                    task: self.name(turn),
                    nth: turn.run,
                    of: call.map(|call| (call.called.kind, call.called.name.clone())),
                    input: call.map(|call| call.input.clone()),
                    answer: match answer {
                        Answered::Succeeded { output } => Given::Output(output.clone()),
                        Answered::Rejected { rejection } => Given::Rejected(rejection.clone()),
                        Answered::Failed => Given::Failed,
                        Answered::Unreachable { detail } => Given::Unreachable(detail.clone()),
                    },
                }
            }
            Happened::Sent { event } => Happening::Event(event.clone()),
            Happened::Heard { turn, filter, event, .. } => {
                Happening::Heard { task: self.name(turn), nth: turn.run, filter: *filter, event: event.clone() }
            }
            Happened::Cancelled { why, reason } => Happening::Cancelled { kind: *why, reason: reason.clone() },
        })
    }

    /// A task's name, or its reference where the document has several of the name.
    fn name(&self, turn: &Turn) -> String {
        let named = self.looked.program.details().tasks.iter().filter(|task| task.name == turn.name).count();
        if named == 1 { turn.name.clone() } else { turn.reference.clone() }
    }
}

/// Bytes of the values that something holds.
fn bytes_of(what: &Happening) -> usize {
    match what {
        Happening::Answer { input, answer, .. } => {
            let output = if let Given::Output(output) = answer { json::bytes(output) } else { 0 };
            output + input.as_ref().map_or(0, json::bytes)
        }
        Happening::Event(event) | Happening::Heard { event, .. } => json::bytes(event),
        _ => 0,
    }
}

fn large() -> Refusal {
    let most = thousands(limits::CASE_BYTES as u64);
    let words = format!("The case would be larger than the {most} bytes a case may have");
    Rejection::new(Reason::Conflict, words).into()
}

/// Why what a case came to is not what it expects.
fn unlike(case: &WorkflowCase, played: &crate::cases::Played) -> Option<String> {
    if let Some(misfit) = &played.misfit {
        return Some(misfit.sentence.trim_end_matches('.').to_owned());
    }
    let met = match (&case.expect, &played.settled) {
        (Ends::Answer(Answer::Output(wanted)), Some(Settled::Succeeded { output })) => same(wanted, output),
        (Ends::Answer(wanted), Some(Settled::Rejected { rejection })) => wanted.takes(rejection),
        (Ends::Waits(wanted), None) => *wanted == played.waits,
        _ => false,
    };
    (!met).then(|| "it ends otherwise".to_owned())
}
