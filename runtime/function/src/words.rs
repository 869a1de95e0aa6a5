//! What stopped a program, in words: "How a run ends" and the endings of a computation.

use crate::Performed;
use playbook_model::ending::{Kind, Reason, Rejection};
use playbook_model::word::thousands;
use playbook_model::{json, limits};
use playbook_sandbox::Stop;
use playbook_schema::{Manner, Schema};
use playbook_worker::RunStop;
use serde_json::Value;

/// Who is meant: `The program` of a computation, or `The answer` of a recall function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Who(pub(crate) &'static str);

/// The bounds a sentence names.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Named {
    pub(crate) who: Who,
    pub(crate) output_bytes: usize,
}

fn unworkable(detail: String) -> Performed {
    Rejection::new(Reason::Conflict, detail).kind(Kind::Unworkable).into()
}

fn unavailable(detail: String) -> Performed {
    Rejection::new(Reason::Unavailable, detail).into()
}

/// The ending of a program that gave no output.
pub(crate) fn stopped(named: Named, stop: RunStop) -> Performed {
    let Who(who) = named.who;
    match stop {
        RunStop::Program(stop) => program(named, stop),
        RunStop::Busy { milliseconds, at_once } => unavailable(format!(
            "No worker was free within {} milliseconds; {at_once} runs go at once. Try again later",
            thousands(milliseconds)
        )),
        RunStop::Stopping => unavailable("The server is stopping; try again".into()),
        RunStop::Crashed { why } => Performed::Broke(format!("{who} was lost with its worker: {why}")),
    }
}

fn program(named: Named, stop: Stop) -> Performed {
    let Who(who) = named.who;
    match stop {
        Stop::Raised { message, line } => {
            let line = line.map(|line| format!(" on line {line}")).unwrap_or_default();
            unworkable(format!("{who} raised an error{line}: {}", json::cut(&message, limits::ERROR_TEXT_BYTES)))
        }
        Stop::Work { budget } => {
            unworkable(format!("{who} did more than its work of {} checkpoints", thousands(u64::from(budget))))
        }
        Stop::Memory { work } => unworkable(format!(
            "{who} used more memory than the {} MiB of its sandbox, after {}",
            limits::RUN_MEMORY / (1024 * 1024),
            checkpoints(work)
        )),
        Stop::Unfit { found, path } => unworkable(format!("{who} returned {found} at {path}, which JSON cannot carry")),
        Stop::TooDeep => unworkable(format!("{who} returned a value deeper than {} levels", limits::VALUE_LEVELS)),
        Stop::TooLarge { .. } => unworkable(format!(
            "{who} returned an output of more than {} bytes as JSON",
            thousands(named.output_bytes as u64)
        )),
        Stop::Time { .. } => unavailable(format!(
            "{who} took longer than the {} milliseconds a run may take",
            thousands(limits::RUN_MILLISECONDS)
        )),
        Stop::Refused { message, line } => Performed::Broke(format!(
            "{who} was saved and does not load{}: {message}",
            line.map(|line| format!(" at line {line}")).unwrap_or_default()
        )),
    }
}

fn checkpoints(count: u32) -> String {
    if count == 1 { "1 checkpoint".into() } else { format!("{} checkpoints", thousands(u64::from(count))) }
}

/// Checks an output against its schema; the refusal names up to three issues, each at its pointer.
///
/// # Errors
/// `conflict`, `unworkable`.
pub(crate) fn check_output(what: &str, schema: Option<&Value>, output: &Value) -> Result<(), Performed> {
    let Some(schema) = schema else { return Ok(()) };
    let Ok(schema) = Schema::compile(schema) else { return Ok(()) };
    let issues = schema.issues(output, Manner::Answer);
    if issues.is_empty() {
        return Ok(());
    }
    let named: Vec<String> = issues
        .iter()
        .take(limits::OUTPUT_ISSUES_NAMED)
        .map(|issue| {
            let detail = json::cut(&issue.detail, limits::ERROR_TEXT_BYTES);
            if issue.pointer.is_empty() {
                format!("the output itself: {detail}")
            } else {
                format!("{}: {detail}", json::cut(&issue.pointer, limits::ERROR_TEXT_BYTES))
            }
        })
        .collect();
    Err(unworkable(format!("{what} does not match output.schema: {}", named.join("; "))))
}
