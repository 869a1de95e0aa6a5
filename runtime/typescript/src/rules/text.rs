//! Words and lines within a stretch of the text.

use playbook_model::position::Span;

/// The part of a span on the line it begins on.
pub(super) fn first_line(text: &str, whole: Span) -> Span {
    let part = text.get(whole.start..whole.end).unwrap_or("");
    let end = part.find(['\n', '\r']).unwrap_or(part.len());
    Span::new(whole.start, whole.start + end)
}

/// A word within a stretch of the text, outside longer words.
pub(super) fn word(text: &str, within: Span, word: &str) -> Option<Span> {
    let text = text.get(within.start..within.end)?;
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    text.match_indices(word)
        .find(|(at, _)| {
            !text[..*at].chars().next_back().is_some_and(is_part)
                && !text[at + word.len()..].chars().next().is_some_and(is_part)
        })
        .map(|(at, _)| Span::new(within.start + at, within.start + at + word.len()))
}
