//! The two parts of a Markdown document: YAML between two lines of three dashes, and the body after it.

use playbook_model::position::{LineIndex, Span};
use playbook_model::problem::{Edit, Place, Problem};

/// Where the parts of a document lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Parts {
    /// The bytes between the two lines of dashes.
    pub(crate) yaml: Span,
    /// The bytes after the second, to the end.
    pub(crate) body: Span,
    /// The line on which the body begins, from 1.
    pub(crate) body_line: u32,
}

/// Finds the parts.
///
/// # Errors
/// The problem of a document whose front matter does not open on line 1, or does not close.
pub(crate) fn split(text: &str, index: &LineIndex<'_>) -> Result<Parts, Problem> {
    let first = index.line_span(1);
    let is_dashes = |span: Span| text[span.start..span.end].trim_end_matches([' ', '\t']) == "---";
    if !is_dashes(first) {
        let place = Place::of(index, first, None);
        if let Some(rest) = text.strip_prefix('\u{feff}')
            && rest.starts_with("---")
        {
            let mark = Span::new(0, '\u{feff}'.len_utf8());
            return Err(Problem::error(
                "document.mark",
                Place::of(index, mark, None),
                "The document begins with a byte order mark; it must begin with three dashes.",
            )
            .fix("Remove the mark", vec![Edit { span: mark, text: String::new() }]));
        }
        return Err(Problem::error(
            "document.front-matter",
            place,
            "The document must open on line 1 with three dashes, then YAML, then three dashes, then the program.",
        ));
    }
    let lines = u32::try_from(index.lines()).unwrap_or(u32::MAX);
    let close = (2..=lines).find(|line| is_dashes(index.line_span(*line)));
    let Some(close) = close else {
        return Err(Problem::error(
            "document.front-matter.open",
            Place::of(index, first, None),
            "The front matter does not close: a line of three dashes must stand after it.",
        ));
    };
    Ok(Parts {
        yaml: Span::new(index.line_start(2), index.line_start(close)),
        body: Span::new(index.line_start(close + 1), text.len()),
        body_line: close + 1,
    })
}
