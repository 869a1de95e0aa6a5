//! A run of a recall function: "How a run ends" and "What a run read".

use crate::computation::unprepared;
use crate::words::{Named, Who, check_output, stopped};
use crate::{Performed, Stage};
use playbook_definition::RecallDetails;
use playbook_model::ending::{Ending, Kind, Reason, Rejection};
use playbook_model::record::SavedDefinition;
use playbook_model::{json, limits};
use playbook_sandbox::{Bounds, Program};
use playbook_schema::check_input;
use playbook_worker::RunJob;
use serde_json::{Value, json};

/// What a run reads: the view as JSON text, and where it stands for the record.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The view.
    pub view: String,
    /// `version`, `checkpoint`, `checkpoint_at`, `last_event` and `folded`.
    pub standing: Value,
}

/// Performs a run on the version given, over what its view holds; `reading` is only asked once the input fits.
///
/// A view that is not ready or stalled comes in as the rejection it leads to.
pub async fn recall(
    stage: &Stage,
    saved: &SavedDefinition,
    details: &RecallDetails,
    input: &Value,
    reading: impl FnOnce() -> Result<Reading, Rejection>,
) -> Performed {
    if let Err(rejection) = check_input(saved.input_schema.as_ref(), input) {
        return rejection.into();
    }
    let reading = match reading() {
        Ok(reading) => reading,
        Err(rejection) => return rejection.into(),
    };
    let begun = tokio::time::Instant::now();
    let given = input.to_string();
    let input_bytes = given.len();
    let (text, work) = if details.answers {
        let Some(program) = saved.stripped.clone() else {
            return unprepared();
        };
        let job = RunJob {
            program: Program { text: program, first_line: details.first_line },
            export: "answer".into(),
            arguments: vec![reading.view, given],
            clock: stage.started,
            bounds: Bounds {
                work: limits::ANSWER_WORK,
                memory: limits::RUN_MEMORY,
                milliseconds: stage.milliseconds,
                levels: limits::VALUE_LEVELS,
                bytes: limits::RECALL_OUTPUT_BYTES,
            },
            deadline: stage.deadline,
        };
        let named = Named { who: Who("The answer"), output_bytes: limits::RECALL_OUTPUT_BYTES };
        match stage.pool.run(job).await {
            Ok(returned) => (returned.json, returned.work),
            Err(stop) => return stopped(named, stop),
        }
    } else {
        (reading.view, 0)
    };
    let output = match json::parse_script(&text, limits::VALUE_LEVELS) {
        Ok(output) => output,
        Err(why) => return Performed::Broke(format!("the view or its answer is no JSON: {why}")),
    };
    let what = if details.answers { "The answer" } else { "The view" };
    if let Err(refused) = check_output(what, saved.output_schema.as_ref(), &output) {
        return refused;
    }
    let record = json!({
        "language": "typescript",
        "work": work,
        "duration_ms": u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
        "input_bytes": input_bytes,
        "output_bytes": text.len(),
        "view": reading.standing,
    });
    // The room kept for the record is wide; a record that outgrows it all the same is refused, not cut.
    if json::bytes(&record) + text.len() > limits::OUTPUT_AND_RECORD_BYTES {
        return Rejection::new(Reason::Conflict, format!("{what} does not fit the run's record"))
            .kind(Kind::Unworkable)
            .into();
    }
    Performed::Ended(Ending::Succeeded { output, record })
}
