//! The routes of looking at workflows: what a run waits for and did, input by input, and what starts runs.

use super::{Answer, Input, Studio, StudioRefusal, invalid};
use playbook_model::id::RunId;

/// Inputs of a page when none are asked for.
const PAGE: u64 = 100;

impl Studio {
    /// How a run stands, with what called it and what it called.
    pub(super) async fn get_workflow_run(&self, given: &Input) -> Answer {
        let open = self.opened()?;
        Ok(open.runtime.look_at_run(&open.key, run(given)?).await?)
    }

    /// A page of the inputs it took.
    pub(super) async fn run_inputs(&self, given: &Input) -> Answer {
        let open = self.opened()?;
        let (from, limit) = (given.number_or("from", 1)?, given.number_or("limit", PAGE)?);
        Ok(open.runtime.run_inputs(&open.key, run(given)?, from, limit).await?)
    }

    /// What one input did, stop by stop.
    pub(super) async fn run_input(&self, given: &Input) -> Answer {
        let open = self.opened()?;
        Ok(open.runtime.run_input(&open.key, run(given)?, given.number("position")?).await?)
    }

    /// The value of an expression on what a stop held.
    pub(super) async fn evaluate_at(&self, given: &Input) -> Answer {
        let open = self.opened()?;
        let stop = usize::try_from(given.number("stop")?).unwrap_or(usize::MAX);
        let (position, text) = (given.number("position")?, given.text("text")?);
        Ok(open.runtime.evaluate_at(&open.key, run(given)?, position, stop, text).await?)
    }

    /// A run replayed on what is saved of its workflow now, or on the text on the screen.
    pub(super) async fn replay_run(&self, given: &Input) -> Answer {
        let open = self.opened()?;
        let text = match given.0.get("text") {
            None | Some(serde_json::Value::Null) => None,
            Some(_) => Some(given.text("text")?),
        };
        Ok(open.runtime.replay_run(&open.key, run(given)?, text).await?)
    }

    /// A run forked at one of its inputs, recorded nowhere.
    pub(super) async fn fork_run(&self, given: &Input) -> Answer {
        let open = self.opened()?;
        Ok(open.runtime.fork_run(&open.key, run(given)?, &given.0).await?)
    }

    /// A run kept as a test case.
    pub(super) async fn keep_run(&self, given: &Input) -> Answer {
        let open = self.opened()?;
        let (case, description) = (given.text("case")?, given.maybe("description"));
        Ok(open.runtime.keep_run(&open.key, run(given)?, &open.folder, case, description).await?)
    }

    /// What starts workflows by itself.
    pub(super) async fn triggers(&self) -> Answer {
        let open = self.opened()?;
        Ok(open.runtime.triggers(&open.key).await?)
    }

    /// What a workflow's filters would have matched lately.
    pub(super) async fn try_triggers(&self, given: &Input) -> Answer {
        let open = self.opened()?;
        Ok(open.runtime.try_triggers(&open.key, given.text("workflow")?).await?)
    }
}

fn run(given: &Input) -> Result<RunId, StudioRefusal> {
    let text = given.text("run")?;
    RunId::parse(text).map_err(|_| invalid("run", format!("Expected the id of a run, and this is none: {text}")))
}
