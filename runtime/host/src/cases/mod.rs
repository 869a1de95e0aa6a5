//! Runs the test cases of a folder: folds and runs as the runtime does them, recorded nowhere.
//!
//! Knows the workers, the compiler and the folder; must not know a log or a terminal.

mod fold;
mod judge;
mod workflow;

pub use judge::{Mismatch, Verdict};
pub(crate) use workflow::{Played, play};

use crate::folder::{CaseFile, FileError, Folder};
use crate::ops;
use crate::replay::Scratch;
use crate::runtime::OpenError;
use playbook_definition::case::{Case, ComputationCase, RecallCase, read};
use playbook_definition::{Details, RecallDetails};
use playbook_engine::workflow::Program;
use playbook_function::{Performed, Reading, Stage};
use playbook_model::definition::DefinitionKey;
use playbook_model::ending::Ending;
use playbook_model::limits;
use playbook_model::problem::{Problem, errors};
use playbook_model::record::SavedDefinition;
use playbook_model::refusal::Refusal;
use playbook_model::time::Moment;
use playbook_typescript::Compiler;
use playbook_worker::{Pool, WorkerProgram};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What runs cases: workers and a compiler, and the documents checked so far.
#[derive(Debug)]
pub struct Tester {
    pool: Pool,
    scratch: Scratch,
    compiler: Arc<Compiler>,
    checked: HashMap<(PathBuf, DefinitionKey), Arc<Tested>>,
}

/// A definition as its cases find it.
#[derive(Debug)]
enum Tested {
    /// It has no document.
    Missing,
    /// Its document does not pass its check.
    Refused(Vec<Problem>),
    /// It could not be judged.
    Unjudged(String),
    /// It can be run.
    Ready(Box<SavedDefinition>, Details),
}

/// What became of a case.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The case.
    pub file: CaseFile,
    /// What it is about, where it says so.
    pub description: Option<String>,
    /// Whether it passed, and if not why.
    pub verdict: Verdict,
    /// The text as it was read.
    pub text: String,
}

/// How an ending of a run reads for a case.
#[derive(Debug, Clone, PartialEq)]
enum Ended {
    Output(Value),
    Rejected(playbook_model::ending::Rejection),
}

impl Tester {
    /// Makes ready to run cases.
    ///
    /// # Errors
    /// [`OpenError`] when there is no program to run workers with.
    pub fn new() -> Result<Self, OpenError> {
        let program = WorkerProgram::find().map_err(|why| OpenError::Workers(why.to_string()))?;
        let (scratch, pool) = (Scratch::with(program.clone()), Pool::new(program, 1));
        Ok(Self { pool, scratch, compiler: Arc::new(Compiler::new()), checked: HashMap::new() })
    }

    /// Runs one case.
    ///
    /// # Errors
    /// The outer one when a file cannot be read; the inner one when the program broke down over it.
    pub async fn run(&mut self, folder: &Folder, file: &CaseFile) -> Result<Result<Outcome, Refusal>, FileError> {
        let text = folder.read_case(file)?.unwrap_or_default();
        let read = read(file.key.kind, &text);
        let definition = self.definition(folder, &file.key).await?;
        let definition = match definition {
            Ok(definition) => definition,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let description = match &read.case {
            Some(Case::Recall(RecallCase { description, .. }))
            | Some(Case::Computation(ComputationCase { description, .. })) => description.clone(),
            Some(Case::Workflow(case)) => case.description.clone(),
            None => None,
        };
        let verdict = match (&*definition, &read.case) {
            (_, None) => Verdict::Unreadable(read.problems.clone()),
            (Tested::Missing, _) => Verdict::NoDefinition,
            (Tested::Refused(problems), _) => Verdict::Definition(problems.clone()),
            (Tested::Unjudged(why), _) => Verdict::Unjudged(why.clone()),
            (Tested::Ready(saved, Details::Recall(details)), Some(Case::Recall(case))) => {
                match self.recall(&file.key, saved, details, case).await {
                    Ok(found) => judge::recall(&read, case, details, &found),
                    Err(refusal) => return Ok(Err(refusal)),
                }
            }
            (Tested::Ready(saved, Details::Computation(details)), Some(Case::Computation(case))) => {
                let performed = playbook_function::computation(&self.stage(FIRST), saved, details, &case.input).await;
                match ended(performed) {
                    Ok(ended) => judge::computation(&read, case, &ended),
                    Err(refusal) => return Ok(Err(refusal)),
                }
            }
            (Tested::Ready(saved, Details::Workflow(details)), Some(Case::Workflow(case))) => {
                let program = Arc::new(Program::new((**details).clone()));
                match play(program, self.pool.clone(), case, &saved.source).await {
                    Ok(played) => workflow::judge(&read, case, &played),
                    Err(refusal) => return Ok(Err(refusal)),
                }
            }
            // A case is read for its folder's type, and so is the document.
            (Tested::Ready(..), Some(_)) => Verdict::NoDefinition,
        };
        Ok(Ok(Outcome { file: file.clone(), description, verdict, text }))
    }

    /// Lets go of the workers.
    pub async fn stop(&self) {
        self.scratch.stop().await;
        self.pool.stop().await;
    }

    async fn definition(
        &mut self,
        folder: &Folder,
        key: &DefinitionKey,
    ) -> Result<Result<Arc<Tested>, Refusal>, FileError> {
        let place = (folder.path().to_path_buf(), key.clone());
        if let Some(checked) = self.checked.get(&place) {
            return Ok(Ok(checked.clone()));
        }
        let tested = match folder.read(key)? {
            None => Tested::Missing,
            Some(document) => match ops::judge(self.compiler.clone(), key, &document.text).await {
                Err(refusal) => return Ok(Err(refusal)),
                Ok(checked) => {
                    let problems: Vec<Problem> = errors(&checked.problems).cloned().collect();
                    let details = checked.definition.as_ref().map(|definition| definition.details.clone());
                    match (ops::ready(checked, &document.text), details) {
                        (Ok(saved), Some(details)) => Tested::Ready(Box::new(saved), details),
                        _ if !problems.is_empty() => Tested::Refused(problems),
                        (Err(Refusal::Rejected(rejection)), _) => {
                            let first = rejection.issues.first().map(|issue| issue.detail.clone());
                            Tested::Unjudged(first.unwrap_or(rejection.detail))
                        }
                        (Err(incident), _) => return Ok(Err(incident)),
                        (Ok(_), None) => Tested::Missing,
                    }
                }
            },
        };
        let tested = Arc::new(tested);
        self.checked.insert(place, tested.clone());
        Ok(Ok(tested))
    }

    async fn recall(
        &self,
        key: &DefinitionKey,
        saved: &SavedDefinition,
        details: &RecallDetails,
        case: &RecallCase,
    ) -> Result<judge::Found, Refusal> {
        let view = case.view.as_ref().unwrap_or(&details.initial).to_string();
        let folds = fold::fold(&self.scratch, &key.name, saved, details, view, &case.events).await?;
        let mut answers = Vec::new();
        if folds.halted.is_none() {
            // A run of a case starts as its last event happened, so that its clock reads the same every time.
            let at = case.events.last().and_then(|event| Moment::parse(event.time.as_deref()?)).unwrap_or(FIRST);
            for ask in &case.ask {
                let reading = Reading { view: folds.view.clone(), standing: json!({}) };
                let stage = self.stage(at);
                answers
                    .push(ended(playbook_function::recall(&stage, saved, details, &ask.input, || Ok(reading)).await)?);
            }
        }
        Ok(judge::Found { folds, answers })
    }

    fn stage(&self, started: Moment) -> Stage {
        Stage {
            pool: self.pool.clone(),
            started,
            deadline: Instant::now() + Duration::from_millis(limits::RUN_MILLISECONDS),
            milliseconds: limits::RUN_MILLISECONDS,
        }
    }
}

/// When a run of a case starts that has no events.
const FIRST: Moment = playbook_definition::case::FIRST_MOMENT;

fn ended(performed: Performed) -> Result<Ended, Refusal> {
    match performed {
        Performed::Ended(Ending::Succeeded { output, .. }) => Ok(Ended::Output(output)),
        Performed::Ended(Ending::Rejected(rejection)) => Ok(Ended::Rejected(rejection)),
        Performed::Ended(Ending::Failed { incident }) => Err(Refusal::Incident { id: incident }),
        Performed::Broke(cause) => Err(crate::runtime::incident(&cause)),
    }
}
