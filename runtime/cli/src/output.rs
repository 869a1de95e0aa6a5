//! What a person or a program reads: results on the standard output, everything else beside it.

use crate::ended::Failure;
use serde_json::Value;
use std::io::{self, Write as _};

/// Where results go, and for whom.
#[derive(Debug)]
pub(crate) struct Output {
    json: bool,
}

impl Output {
    /// Results for programs, or for people.
    pub(crate) fn new(json: bool) -> Self {
        Self { json }
    }

    /// Whether a program reads them.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Writes one line at once.
    ///
    /// # Errors
    /// When nobody reads any more, or the output cannot be written.
    pub(crate) fn line(&mut self, line: &str) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        out.write_all(line.as_bytes()).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush()).map_err(|error| {
            if error.kind() == io::ErrorKind::BrokenPipe {
                Failure::Unread
            } else {
                Failure::Cannot(anyhow::anyhow!("The output cannot be written: {error}"))
            }
        })
    }

    /// Writes a value as JSON, with line breaks.
    ///
    /// # Errors
    /// As [`Self::line`].
    pub(crate) fn value(&mut self, value: &Value) -> Result<(), Failure> {
        self.line(&format!("{value:#}"))
    }
}

/// Says something beside the results; that nobody hears it is no failure.
pub(crate) fn complain(words: &str) {
    let mut out = io::stderr().lock();
    let _ = out.write_all(words.as_bytes()).and_then(|()| out.write_all(b"\n"));
}

/// A text without what would move a terminal's cursor.
pub(crate) fn shown(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\t' { char::REPLACEMENT_CHARACTER } else { c }).collect()
}
