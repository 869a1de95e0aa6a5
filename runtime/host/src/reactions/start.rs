//! Starting the runs of triggers. "When a trigger applies", "Trigger limits".

use super::follow::Following;
use super::pass::own_caller;
use crate::ops::Origin;
use crate::runtime::Runtime;
use playbook_definition::workflow::Trigger;
use playbook_engine::event::seen;
use playbook_engine::trigger::{Waiting, triggered_run};
use playbook_engine::workflow::event_value;
use playbook_history::Record;
use playbook_model::definition::{DefinitionKey, DefinitionType};
use playbook_model::ending::Reason;
use playbook_model::id::{DefinitionName, PlaybookKey, RunId};
use playbook_model::record::{Fact, TriggeredBy};
use playbook_model::refusal::Refusal;
use serde_json::{Value, json};

/// Times a start that cannot be taken now is tried again.
const TRIES: u32 = 20;

/// A run that a trigger starts.
struct Start {
    workflow: String,
    version: u32,
    kind: &'static str,
    reference: &'static str,
    /// What its id is made from beside these.
    of: String,
    input: Value,
    depth: Option<u32>,
    cause: String,
}

/// What became of a start.
enum Started {
    /// The run is there.
    Yes(RunId),
    /// It was refused, and is not tried again.
    Refused(String),
    /// It cannot be taken now.
    Later(String),
}

impl Runtime {
    /// Starts the runs of schedules that are due.
    pub(super) async fn start_due(&self, following: &mut Following) -> Result<(), Refusal> {
        let now = self.now();
        let due: Vec<_> = following
            .reactions
            .workflows
            .iter()
            .flat_map(|(name, reacting)| {
                reacting.triggers.iter().enumerate().filter_map(move |(place, armed)| {
                    Some((name.clone(), reacting.version, place, armed.due(now)?, armed.clone()))
                })
            })
            .collect();
        for (workflow, version, place, due, armed) in due {
            let running = match armed.running.as_deref().and_then(|run| RunId::parse(run).ok()) {
                Some(run) => self.goes(&following.playbook, run).await?,
                None => false,
            };
            let started = if running {
                Started::Refused(format!(
                    "its {} schedule was due at {} while the run it started before was still going",
                    armed.trigger.kind(),
                    due.iso()
                ))
            } else {
                let start = Start {
                    workflow: workflow.clone(),
                    version,
                    kind: armed.trigger.kind(),
                    reference: armed.trigger.reference(),
                    of: due.iso(),
                    input: json!({ "schedule": { "due": due.iso() } }),
                    depth: None,
                    cause: armed.cause.clone(),
                };
                self.start(&following.playbook, start).await
            };
            let Some(reacting) = following.reactions.workflows.get_mut(&workflow) else { continue };
            let Some(armed) = reacting.triggers.get_mut(place) else { continue };
            match started {
                Started::Yes(run) => {
                    armed.last = Some(due);
                    armed.running = Some(run.to_string());
                }
                Started::Refused(why) => {
                    armed.last = Some(due);
                    reacting.refuse(why);
                }
                // The time is due still, and tried again with the next pass, or a later time takes its place.
                Started::Later(why) => tracing::warn!(workflow, why, "a schedule's run did not start yet"),
            }
        }
        Ok(())
    }

    /// Starts the runs of matches, as many as this minute allows. True when some are to be tried again soon.
    pub(super) async fn start_waiting(&self, following: &mut Following) -> Result<bool, Refusal> {
        let names: Vec<String> = following.reactions.workflows.keys().cloned().collect();
        let mut again = false;
        for workflow in names {
            let mut left = following.reactions.workflows.get(&workflow).map_or(0, |reacting| reacting.waiting.len());
            while left > 0 {
                left -= 1;
                let now = self.now();
                let Some(reacting) = following.reactions.workflows.get_mut(&workflow) else { break };
                if !reacting.may_start(now) {
                    break;
                }
                let Some(waiting) = reacting.waiting.pop_front() else { break };
                let started = self.start_match(&following.playbook, &workflow, &waiting).await?;
                let Some(reacting) = following.reactions.workflows.get_mut(&workflow) else { break };
                match started {
                    Started::Yes(_) => reacting.started += 1,
                    Started::Refused(why) => reacting.refuse(why),
                    Started::Later(why) if waiting.tries + 1 >= TRIES => reacting.refuse(why),
                    Started::Later(_) => {
                        reacting.waiting.push_back(Waiting { tries: waiting.tries + 1, ..waiting });
                        again = true;
                    }
                }
            }
        }
        Ok(again)
    }

    async fn start_match(&self, playbook: &PlaybookKey, workflow: &str, waiting: &Waiting) -> Result<Started, Refusal> {
        let (key, positions) = (playbook.clone(), [waiting.position]);
        let record = self.read(move |history| history.at(&key, &positions)).await?.into_iter().next();
        let Some(Record { id, kind, data, context, .. }) = record else {
            return Ok(Started::Refused("the event that its trigger matched is nowhere".into()));
        };
        let id = id.to_string();
        let event = Fact::read(&kind, data).ok().and_then(|fact| seen(&id, &fact, &context).ok());
        let Some(event) = event else {
            return Ok(Started::Refused("the event that its trigger matched cannot be read".into()));
        };
        let start = Start {
            workflow: workflow.to_owned(),
            version: waiting.version,
            kind: "event",
            reference: Trigger::Event { filters: Vec::new() }.reference(),
            of: id.clone(),
            input: json!([event_value(&event.event)]),
            depth: Some(waiting.depth),
            cause: id,
        };
        Ok(self.start(playbook, start).await)
    }

    async fn start(&self, playbook: &PlaybookKey, start: Start) -> Started {
        let Start { workflow, version, kind, reference, of, input, depth, cause } = start;
        let Ok(name) = DefinitionName::new(workflow.clone()) else { return Started::Refused("it has no name".into()) };
        let run = RunId(triggered_run(&playbook.text(), &workflow, version, reference, &of));
        let origin = Origin {
            by: own_caller(playbook),
            cause: Some(cause),
            depth,
            trigger: Some(TriggeredBy { kind: kind.into(), reference: reference.into() }),
            ..Origin::default()
        };
        let key = DefinitionKey { kind: DefinitionType::Workflow, name };
        match self.start_version(playbook, &key, version, run, &input, &origin).await {
            // A run that was there before was started for the same.
            Ok(()) => Started::Yes(run),
            Err(Refusal::Rejected(rejection)) if rejection.reason != Reason::Unavailable => {
                Started::Refused(format!("its {kind} trigger could not start a run: {}", rejection.detail))
            }
            Err(refusal) => Started::Later(format!("its {kind} trigger could not start a run: {}", why(&refusal))),
        }
    }

    /// Whether a run goes on.
    pub(super) async fn goes(&self, playbook: &PlaybookKey, run: RunId) -> Result<bool, Refusal> {
        let key = playbook.clone();
        let row = self.read(move |history| history.run(&key, run)).await?;
        Ok(row.is_some_and(|row| row.finished_at.is_none()))
    }
}

fn why(refusal: &Refusal) -> String {
    match refusal {
        Refusal::Rejected(rejection) => rejection.detail.clone(),
        Refusal::Incident { id } => format!("the program broke down (incident {id})"),
    }
}
