//! Reads the published form of a problem back: `Line 4, /config/temperature: Expected number`.

use serde::Serialize;

/// A problem that a server found in a document, at the line it named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LineProblem {
    /// The line, from 1, where the server named one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The JSON Pointer, where the server named one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// The sentence.
    pub detail: String,
}

/// Reads one detail of a refusal; words of another form are kept whole.
#[must_use]
pub fn line_problem(words: &str) -> LineProblem {
    let whole = || LineProblem { line: None, pointer: None, detail: words.to_owned() };
    let Some(rest) = words.strip_prefix("Line ") else { return whole() };
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let Ok(line) = rest[..digits].parse() else { return whole() };
    let mut rest = &rest[digits..];
    if let Some(column) = rest.strip_prefix(", column ") {
        let digits = column.find(|c: char| !c.is_ascii_digit()).unwrap_or(column.len());
        rest = &column[digits..];
    }
    if let Some(detail) = rest.strip_prefix(": ") {
        return LineProblem { line: Some(line), pointer: None, detail: detail.to_owned() };
    }
    match rest.strip_prefix(", ").filter(|rest| rest.starts_with('/')).and_then(|rest| rest.split_once(": ")) {
        Some((pointer, detail)) => {
            LineProblem { line: Some(line), pointer: Some(pointer.to_owned()), detail: detail.to_owned() }
        }
        None => whole(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_form_is_read_back() {
        let read = |words| {
            let problem = line_problem(words);
            (problem.line, problem.pointer, problem.detail)
        };
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(
            read("Line 4, /config/temperature: Expected number"),
            (Some(4), text("/config/temperature"), "Expected number".into())
        );
        assert_eq!(read("Line 9: a: b"), (Some(9), None, "a: b".into()));
        assert_eq!(read("Line 9, column 2, /a: b"), (Some(9), text("/a"), "b".into()));
        for other in ["Line", "Line x: a", "Line 99999999999: a", "Line 4, a", "", "Line 3", "Line 3, /a"] {
            assert_eq!(read(other), (None, None, other.into()));
        }
    }
}
