//! What may be written after `playbook history`, `step`, `replay`, `fork` and `keep`.

use super::run_id;
use clap::Args;
use playbook_model::id::RunId;
use std::path::PathBuf;

/// `history`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  playbook history 019b1f6c-5f4e-7d2a-9c51-3b8a7e6d5f40
  playbook history 019b1f6c-5f4e-7d2a-9c51-3b8a7e6d5f40 --json

Of a workflow's run: each input it took and the steps that moved by it. Of any other: the rows of its history.")]
pub(crate) struct History {
    /// The id of the run.
    #[arg(value_name = "RUN", value_parser = run_id)]
    pub(crate) run: RunId,
}

/// `step`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  playbook step 019b1f6c-5f4e-7d2a-9c51-3b8a7e6d5f40
  playbook step 019b1f6c-5f4e-7d2a-9c51-3b8a7e6d5f40 --at 12

Reads commands, a line each: n or Enter goes on, p goes back, g INPUT goes to an input, s NAME shows a value,
d shows what changed, e EXPRESSION evaluates one, w shows where the run stands, h helps, q ends.
Nothing is recorded, and nothing runs again but expressions.")]
pub(crate) struct Step {
    /// The id of the workflow's run.
    #[arg(value_name = "RUN", value_parser = run_id)]
    pub(crate) run: RunId,
    /// The input to begin at, from 1.
    #[arg(long, value_name = "INPUT", default_value_t = 1)]
    pub(crate) at: u64,
}

/// `replay`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  playbook replay 019b1f6c-5f4e-7d2a-9c51-3b8a7e6d5f40
  playbook replay 019b1f6c-5f4e-7d2a-9c51-3b8a7e6d5f40 --file workflow/approve-campaign.yaml
  playbook replay 019b1f6c-5f4e-7d2a-9c51-3b8a7e6d5f40 --json

Gives what the run took, in order and at its times, to what is saved of its workflow now, and says whether that does
the same to the end, or where it first differs. Nothing is called and nothing is recorded. Ends with 1 on a difference.")]
pub(crate) struct Replay {
    /// The id of the workflow's run.
    #[arg(value_name = "RUN", value_parser = run_id)]
    pub(crate) run: RunId,
    /// A text of the workflow that need not be saved, instead of what is.
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

/// `fork`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  playbook fork 019b1f6c-5f4e-7d2a-9c51-3b8a7e6d5f40 --at 2
  playbook fork 019b1f6c-5f4e-7d2a-9c51-3b8a7e6d5f40 --at 2 --live
  playbook fork 019b1f6c-5f4e-7d2a-9c51-3b8a7e6d5f40 --at 2 --live=review
  playbook fork 019b1f6c-5f4e-7d2a-9c51-3b8a7e6d5f40 --at 3 --answer 'ask-the-owner={\"verdict\": \"revise\"}'
  playbook fork 019b1f6c-5f4e-7d2a-9c51-3b8a7e6d5f40 --at 3 --reject ask-the-owner=unanswered/expired

Takes everything before the input from the record and goes on from there in memory: a call that was recorded on the
same input gets its recorded answer, unless an answer is written for it or it is performed live. Nothing is recorded,
nobody is asked, and an event that is emitted reaches nobody.")]
pub(crate) struct Fork {
    /// The id of the workflow's run.
    #[arg(value_name = "RUN", value_parser = run_id)]
    pub(crate) run: RunId,
    /// The input to fork at, from 1, as history numbers them; it is the first that may go another way.
    #[arg(long, value_name = "INPUT", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) at: u64,
    /// Performs each later call of a computation or recall function, or the calls of this task; may be given again.
    #[arg(long, value_name = "TASK", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub(crate) live: Vec<String>,
    /// Answers the calls of a task with this output; may be given again.
    #[arg(long, value_name = "TASK=JSON", value_parser = pair)]
    pub(crate) answer: Vec<(String, String)>,
    /// Refuses the calls of a task, for a reason and perhaps a kind; may be given again.
    #[arg(long, value_name = "TASK=REASON[/KIND]", value_parser = pair)]
    pub(crate) reject: Vec<(String, String)>,
}

/// `keep`.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  playbook keep 019b1f6c-5f4e-7d2a-9c51-3b8a7e6d5f40 approved-at-once

Writes tests/workflow/NAME/CASE.yaml: the run's input and clock, the answers, events and times it took, and how it
ended. playbook test replays it from then on. It holds them word for word: look at it before you share it.")]
pub(crate) struct Keep {
    /// The id of the workflow's run.
    #[arg(value_name = "RUN", value_parser = run_id)]
    pub(crate) run: RunId,
    /// The name of the case: lowercase letters, digits and hyphens.
    pub(crate) case: String,
    /// What the case is about, for people.
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((task, rest)) if !task.is_empty() && !rest.is_empty() => Ok((task.to_owned(), rest.to_owned())),
        _ => Err("expected the name of a task, an equals sign and its answer".into()),
    }
}
