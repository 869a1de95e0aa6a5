//! What may be written after `playbook history` and `playbook step`.

use super::run_id;
use clap::Args;
use playbook_model::id::RunId;

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
