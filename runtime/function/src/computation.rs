//! A run of a computation function: "Endings" and "Record".

use crate::words::{Named, Who, check_output, stopped};
use crate::{Performed, Stage};
use playbook_definition::ComputationDetails;
use playbook_model::ending::Ending;
use playbook_model::record::SavedDefinition;
use playbook_model::{json, limits};
use playbook_sandbox::{Bounds, Program};
use playbook_schema::check_input;
use playbook_worker::RunJob;
use serde_json::{Value, json};

/// Performs a run on the version given.
///
/// In order: the input's depth and schema, the call, whether the output is JSON, its schema, its size.
pub async fn computation(
    stage: &Stage,
    saved: &SavedDefinition,
    details: &ComputationDetails,
    input: &Value,
) -> Performed {
    if let Err(rejection) = check_input(saved.input_schema.as_ref(), input) {
        return rejection.into();
    }
    let Some(text) = saved.stripped.clone() else {
        return unprepared();
    };
    let begun = tokio::time::Instant::now();
    let given = input.to_string();
    let input_bytes = given.len();
    let job = RunJob {
        program: Program { text, first_line: details.first_line },
        export: "default".into(),
        arguments: vec![given],
        clock: stage.started,
        bounds: Bounds {
            work: limits::COMPUTATION_WORK,
            memory: limits::RUN_MEMORY,
            milliseconds: stage.milliseconds,
            levels: limits::VALUE_LEVELS,
            bytes: limits::COMPUTATION_OUTPUT_BYTES,
        },
        deadline: stage.deadline,
    };
    let named = Named { who: Who("The program"), output_bytes: limits::COMPUTATION_OUTPUT_BYTES };
    let returned = match stage.pool.run(job).await {
        Ok(returned) => returned,
        Err(stop) => return stopped(named, stop),
    };
    let output = match json::parse_script(&returned.json, limits::VALUE_LEVELS) {
        Ok(output) => output,
        Err(why) => return Performed::Broke(format!("the sandbox wrote what is no JSON: {why}")),
    };
    if let Err(refused) = check_output("The program's output", saved.output_schema.as_ref(), &output) {
        return refused;
    }
    let record = json!({
        "language": "typescript",
        "work": returned.work,
        "duration_ms": u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
        "input_bytes": input_bytes,
        "output_bytes": returned.json.len(),
    });
    Performed::Ended(Ending::Succeeded { output, record })
}

/// A version that was saved without its program made ready.
pub(crate) fn unprepared() -> Performed {
    use playbook_model::ending::{Kind, Reason, Rejection};
    Rejection::new(Reason::Conflict, "This version holds no program made ready to run; save the document again")
        .kind(Kind::Unworkable)
        .into()
}
