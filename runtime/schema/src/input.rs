//! The first check of any run: its input against the definition's schema.

use crate::issue::Manner;
use crate::schema::Schema;
use playbook_model::ending::{Reason, Rejection};
use playbook_model::{json, limits};
use serde_json::Value;

/// Checks an input's depth and then its schema.
///
/// # Errors
/// `invalid_input` with its issues under `/input`.
pub fn check_input(schema: Option<&Value>, input: &Value) -> Result<(), Rejection> {
    if json::depth(input) > limits::VALUE_LEVELS {
        let detail = format!("Expected a value of at most {} levels", limits::VALUE_LEVELS);
        let issue = playbook_model::ending::Issue { detail, pointer: "/input".into() };
        return Err(Rejection::new(Reason::InvalidInput, "The input nests too deep").issues(vec![issue]));
    }
    let Some(schema) = schema else { return Ok(()) };
    // A schema that was saved compiles; one that does not would let nothing be checked.
    let Ok(schema) = Schema::compile(schema) else { return Ok(()) };
    let issues = schema.issues(input, Manner::Input);
    if issues.is_empty() {
        return Ok(());
    }
    let summary = if issues.len() == 1 {
        "The input does not fit: one issue".to_owned()
    } else {
        format!("The input does not fit: {} issues", issues.len())
    };
    Err(Rejection::new(Reason::InvalidInput, summary).issues(issues))
}
