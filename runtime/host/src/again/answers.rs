//! Where the answer of a call in a scratch run comes from, and a call that is really performed.

use super::fork::{Scratch, Stands};
use super::plan::{Plan, Source};
use super::player::Player;
use crate::runtime::{Runtime, incident};
use crate::steps::Looked;
use playbook_definition::Details;
use playbook_engine::definition::Definition;
use playbook_engine::run::Stream as RunStream;
use playbook_engine::workflow::again::{Asked, Happened, Tape, Turn};
use playbook_engine::workflow::{Answer, Called, Input, Settled, child_run};
use playbook_function::{Performed, Stage};
use playbook_history::Stream;
use playbook_model::definition::DefinitionType;
use playbook_model::ending::Ending;
use playbook_model::id::{DefinitionName, PlaybookKey, RunId};
use playbook_model::json::same;
use playbook_model::limits;
use playbook_model::refusal::Refusal;
use playbook_model::time::Moment;
use serde_json::Value;
use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, Instant};

/// What a call performed beside the log came to: its answer, or why there is none.
pub(super) type Performing<'a> = Pin<Box<dyn Future<Output = Result<Result<Answer, String>, Refusal>> + Send + 'a>>;

/// A scratch run's caller: what its calls are performed under.
#[derive(Clone, Copy)]
pub(super) struct Caller<'a> {
    pub(super) runtime: &'a Runtime,
    pub(super) playbook: &'a PlaybookKey,
    /// The id of the scratch run.
    pub(super) run: RunId,
    /// Calls above it.
    pub(super) depth: u32,
    /// When everything has to be done.
    pub(super) until: Instant,
}

impl Caller<'_> {
    /// Decides where a call's answer comes from, and gets it unless it lies ahead in the record. `known` says that
    /// the call's input is.
    pub(super) async fn answer(
        &self,
        plan: &Plan,
        looked: Option<&Looked>,
        tape: &mut Tape,
        (asked, known): (&Asked, bool),
        at: Moment,
    ) -> Result<(&'static str, Stands), Refusal> {
        let quiet = matches!(asked.called.kind, DefinitionType::Computation | DefinitionType::Recall);
        let source = match plan.source(&asked.turn) {
            Some(source) => source.clone(),
            None if plan.live && (quiet || looked.is_none()) => Source::Live,
            None => Source::Recorded,
        };
        match source {
            Source::Written(answer) => Ok(("written", Stands::Ready(answer))),
            Source::Live if !known => {
                Ok(("none", Stands::Unanswered("On which input it was made was not recorded: write its answer".into())))
            }
            Source::Live => Ok(match self.live(asked, at).await? {
                Ok(answer) => ("live", Stands::Ready(answer)),
                Err(why) => ("none", Stands::Unanswered(why)),
            }),
            Source::Recorded => {
                let none = |why: &str| ("none", Stands::Unanswered(why.to_owned()));
                let Some(looked) = looked else { return Ok(none("It was not recorded: nothing of this run was")) };
                let of = |turn: &Turn| turn.reference == asked.turn.reference && turn.run == asked.turn.run;
                let place = tape.rest.iter().find(|due| match &due.happened {
                    Happened::Answered { turn, .. } => of(turn),
                    _ => false,
                });
                let position = place.map(|due| due.position);
                Ok(match (self.recorded_call(looked, &asked.turn).await?, position) {
                    (Some((called, input)), _) if called != asked.called || !same(&input, &asked.input) => {
                        none("The recorded run made this call on another input or of another definition")
                    }
                    (_, Some(position)) => {
                        tape.answers.insert(position);
                        ("recorded", Stands::OnTape)
                    }
                    (Some(_), None) if tape.cut.is_some() => none(
                        "Its recorded answer, if there is one, lies further on than a fork looks: write its answer",
                    ),
                    (Some(_), None) => none("The recorded run got no answer to this call"),
                    (None, None) => none("The recorded run made no such call"),
                })
            }
        }
    }

    /// What the recorded run called there, where that run began.
    pub(super) async fn recorded_call(&self, looked: &Looked, turn: &Turn) -> Result<Option<(Called, Value)>, Refusal> {
        let child = RunId(child_run(&looked.run.to_string(), &turn.reference, turn.run));
        Ok(match self.runtime.run_stream(&Stream::run(self.playbook, child)).await? {
            RunStream::Run(state) => {
                let called = Called { kind: state.definition.kind, name: state.definition.name.clone() };
                Some((called, state.input.clone()))
            }
            _ => None,
        })
    }

    /// Performs a call beside the log: what computes and recalls, and workflows of those.
    fn live<'a>(&'a self, asked: &'a Asked, at: Moment) -> Performing<'a> {
        Box::pin(async move {
            let called = &asked.called;
            let kind = called.kind;
            if kind == DefinitionType::Interaction {
                let words = format!("{} asks a person, and a fork asks nobody: write its answer", called.name);
                return Ok(Err(words));
            }
            let Ok(name) = DefinitionName::new(called.name.clone()) else {
                return Ok(Ok(self.runtime.not_started(self.playbook, Some(called.clone())).await));
            };
            let definitions = self.runtime.definitions(self.playbook, kind).await?;
            let definition = match definitions.known(kind, &name) {
                Ok(definition) if definition.retired_at.is_none() => definition,
                // It would not run outside of a fork either.
                _ => return Ok(Ok(self.runtime.not_started(self.playbook, Some(called.clone())).await)),
            };
            if kind == DefinitionType::Workflow {
                return self.nested(asked, &name, definition, at).await;
            }
            let details = serde_json::from_value::<Details>(definition.saved.details.clone());
            let stage = Stage {
                pool: self.runtime.pool(),
                started: at,
                deadline: Instant::now() + Duration::from_millis(limits::RUN_MILLISECONDS),
                milliseconds: limits::RUN_MILLISECONDS,
            };
            let performed = match details {
                Ok(Details::Computation(details)) => {
                    playbook_function::computation(&stage, &definition.saved, &details, &asked.input).await
                }
                Ok(Details::Recall(details)) => {
                    let reading = self.runtime.reading(self.playbook, name.as_str(), definition.version).await;
                    playbook_function::recall(&stage, &definition.saved, &details, &asked.input, || reading).await
                }
                Ok(_) => return Ok(Err(format!("A fork does not perform a {}: write its answer", kind.noun()))),
                Err(why) => Performed::Broke(format!("the details of {kind}/{name} cannot be read: {why}")),
            };
            Ok(Ok(match performed {
                Performed::Ended(Ending::Succeeded { output, .. }) => Answer::Succeeded { output },
                Performed::Ended(Ending::Rejected(rejection)) => Answer::Rejected { rejection },
                Performed::Ended(Ending::Failed { .. }) => Answer::Failed,
                Performed::Broke(cause) => {
                    // The log of the program has why; the call fails as it would in a run.
                    let _ = incident(&cause);
                    Answer::Failed
                }
            }))
        })
    }

    /// Runs a called workflow in memory, its calls performed in the same way.
    async fn nested(
        &self,
        asked: &Asked,
        name: &DefinitionName,
        definition: &Definition,
        at: Moment,
    ) -> Result<Result<Answer, String>, Refusal> {
        let program = self.runtime.program(self.playbook, name.as_str(), definition)?;
        let run = RunId(child_run(&self.run.to_string(), &asked.turn.reference, asked.turn.run));
        let mut context = playbook_model::record::Context::new(at, "");
        context.call_depth = Some(self.depth + 1);
        let start = self.runtime.start_of(self.playbook, run, &context, program.details()).await?;
        let caller = Caller { run, depth: self.depth + 1, ..*self };
        let plan = Plan { at: 1, live: true, choices: Vec::new() };
        let player = Player::new(program, self.runtime.pool(), None);
        let mut scratch = Scratch::new(caller, player, &plan, None, Tape::default());
        let begin = Input::Started { start: Box::new(start), input: asked.input.clone() };
        scratch.begin(begin, at).await?;
        scratch.go().await?;
        Ok(match scratch.settled() {
            Some(Settled::Succeeded { output }) => Ok(Answer::Succeeded { output: output.clone() }),
            Some(Settled::Rejected { rejection }) => Ok(Answer::Rejected { rejection: rejection.clone() }),
            None => {
                let waits = scratch.waits().join(", ");
                Err(format!("The workflow {name} came to no end in the fork, it waits for {waits}: write its answer"))
            }
        })
    }
}
