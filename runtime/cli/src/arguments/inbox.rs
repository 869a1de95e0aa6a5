//! What may be written after `playbook inbox` and `playbook answer`.

use super::{name, run_id};
use clap::Args;
use playbook_model::id::{DefinitionName, RunId};
use std::path::PathBuf;

/// `inbox`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  playbook inbox
  playbook inbox --to anna@example.com
  playbook inbox --function approve-campaign-brief --json

A run of an interaction function asks someone and waits here until it is answered, expires or is cancelled.")]
pub(crate) struct Inbox {
    /// Only requests to this party.
    #[arg(long, value_name = "PARTY")]
    pub(crate) to: Option<String>,
    /// Only requests of the interaction function of this name.
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub(crate) function: Option<DefinitionName>,
}

/// `answer`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  playbook answer 019b1f6c-5f4e-7d2a-9c51-3b8a7e6d5f40 verdict=approve
  playbook answer 019b1f6c-5f4e-7d2a-9c51-3b8a7e6d5f40 verdict=revise note='Name the channel'
  playbook answer 019b1f6c-5f4e-7d2a-9c51-3b8a7e6d5f40 '{\"verdict\": \"approve\"}'
  playbook answer 019b1f6c-5f4e-7d2a-9c51-3b8a7e6d5f40 --file answer.json --for anna@example.com

playbook inbox shows what waits, and what each answer looks like. The same answer again changes nothing; another one
after it is refused.")]
pub(crate) struct Answer {
    /// The id of the run that waits.
    #[arg(value_name = "RUN", value_parser = run_id)]
    pub(crate) run: RunId,
    /// The answer: one JSON value, or its members as NAME=VALUE.
    #[arg(value_name = "ANSWER", required_unless_present = "file")]
    pub(crate) answer: Vec<String>,
    /// The file that holds the answer as JSON; - is the standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "answer")]
    pub(crate) file: Option<PathBuf>,
    /// For whom it is answered: kept with the run, and never checked.
    #[arg(long = "for", value_name = "PARTY")]
    pub(crate) claimed_for: Option<String>,
}
