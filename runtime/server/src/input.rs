//! Gathers the fields of a request: path, query and body become one object, each field given once.
//!
//! Spec "Where a field comes from".

use crate::body;
use crate::problem::Problem;
use axum::body::Body;
use http::request::Parts;
use playbook_model::json;
use serde_json::{Map, Value};

/// Gathers the fields of a query: those of its path and those of its query string.
///
/// # Errors
/// 400 for a field given twice, a query string that is none, or a body.
pub(crate) fn of_query(
    path: Map<String, Value>,
    parts: &Parts,
    body: &Body,
    read: impl Fn(&str, &str) -> Value,
) -> Result<Map<String, Value>, Problem> {
    if body::is_there(&parts.headers, body) {
        return Err(Problem::bad_request("A query takes no body."));
    }
    let mut fields = path;
    for pair in parts.uri.query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty()) {
        let (name, text) = pair.split_once('=').unwrap_or((pair, ""));
        let (Some(name), Some(text)) = (decoded(name), decoded(text)) else {
            return Err(Problem::bad_request("The query string is not UTF-8."));
        };
        let value = read(&name, &text);
        once(&mut fields, name, value)?;
    }
    Ok(fields)
}

/// Gathers the fields of a command: those of its path and the members of its body.
///
/// # Errors
/// 400 for a field given twice or a query string, and whatever reading the body refuses.
pub(crate) async fn of_command(
    path: Map<String, Value>,
    parts: &Parts,
    body: &mut Body,
) -> Result<Map<String, Value>, Problem> {
    if parts.uri.query().is_some_and(|query| !query.is_empty()) {
        return Err(Problem::bad_request("A command takes its fields in the body, not in a query string."));
    }
    let mut fields = path;
    for (name, value) in body::object(&parts.headers, body).await? {
        once(&mut fields, name, value)?;
    }
    Ok(fields)
}

/// The fields of a path.
pub(crate) fn of_path(path: Vec<(&'static str, String)>) -> Map<String, Value> {
    path.into_iter().map(|(name, text)| (name.to_owned(), Value::String(text))).collect()
}

fn once(fields: &mut Map<String, Value>, name: String, value: Value) -> Result<(), Problem> {
    if fields.contains_key(&name) {
        // The name is the caller's own text: shown cut, so that a huge one cannot flood the answer.
        return Err(Problem::bad_request(format!("The field {} is given twice.", json::cut(&name, 64))));
    }
    fields.insert(name, value);
    Ok(())
}

/// A part of a query string as forms write it: a plus is a space, the rest percent-encoded UTF-8.
fn decoded(part: &str) -> Option<String> {
    let spaced = part.replace('+', " ");
    percent_encoding::percent_decode_str(&spaced).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}
