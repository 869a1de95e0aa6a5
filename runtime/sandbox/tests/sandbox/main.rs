//! What a program can and cannot do in the sandbox, and how it is stopped.
#![allow(clippy::unwrap_used, missing_docs)]

mod bounds;
mod dates;
mod expressions;
mod folds;
mod frozen;
mod names;
mod raised;
mod values;

use playbook_model::limits;
use playbook_model::time::Moment;
use playbook_sandbox::{Bounds, Folder, Program, Returned, Stop, run};
use std::time::{Duration, Instant};

const NOW: Moment = Moment(1_791_045_605_000);

const RUN: Bounds = Bounds {
    work: limits::COMPUTATION_WORK,
    memory: limits::RUN_MEMORY,
    milliseconds: limits::RUN_MILLISECONDS,
    levels: limits::VALUE_LEVELS,
    bytes: limits::COMPUTATION_OUTPUT_BYTES,
};

const FOLD: Bounds = Bounds {
    work: limits::FOLD_WORK,
    memory: limits::FOLD_MEMORY,
    milliseconds: limits::FOLD_MILLISECONDS,
    levels: limits::VALUE_LEVELS,
    bytes: limits::VIEW_BYTES,
};

fn program(text: &str) -> Program {
    Program { text: text.to_owned(), first_line: 1 }
}

/// Runs a module's default export with `null`.
fn call(text: &str, bounds: &Bounds) -> Result<Returned, Stop> {
    let program = program(text);
    playbook_sandbox::with_stack(|| run(&program, "default", &["null"], NOW, bounds))
}

/// Runs the body of a function and gives its JSON.
fn body(body: &str) -> Result<String, Stop> {
    call(&format!("export default function (input) {{ {body} }}"), &RUN).map(|returned| returned.json)
}

/// The value of an expression as JSON.
fn value(expression: &str) -> String {
    match body(&format!("return ({expression});")) {
        Ok(json) => json,
        Err(stop) => panic!("{expression}: {stop:?}"),
    }
}

/// The message that an expression raises.
fn raises(expression: &str) -> String {
    match body(&format!("return ({expression});")) {
        Err(Stop::Raised { message, .. }) => message,
        other => panic!("{expression}: {other:?}"),
    }
}

fn folder(text: &str, view: &str) -> Folder {
    Folder::load(&program(text), &[], view, None, &FOLD, limits::FILTER_WORK).unwrap()
}

fn later() -> Instant {
    Instant::now() + Duration::from_secs(10)
}

/// Runs a test on a thread with the stack that a folder needs.
fn stacked(test: impl FnOnce() + Send) {
    playbook_sandbox::with_stack(test);
}
