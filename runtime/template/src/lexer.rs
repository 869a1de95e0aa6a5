//! The words of an output or a tag: names, numbers, texts and signs.

use crate::fault::Fault;
use playbook_model::position::Span;

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Word {
    Name(String),
    Number(f64),
    Text(String),
    /// One of the signs below.
    Sign(&'static str),
}

const SIGNS: [&str; 18] =
    ["..", "==", "!=", "<>", "<=", ">=", "<", ">", "=", "|", ":", ",", ".", "[", "]", "(", ")", "/"];

/// The words of a span of the text, each with its place.
pub(crate) fn words(text: &str, span: Span) -> Result<Vec<(Word, Span)>, Fault> {
    let mut words = Vec::new();
    let mut at = span.start;
    while at < span.end {
        let rest = &text[at..span.end];
        let first = rest.chars().next().expect("the rest is not empty");
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let (word, length) =
            word(rest).map_err(|(code, words, length)| Fault::new(code, Span::new(at, at + length), words))?;
        words.push((word, Span::new(at, at + length)));
        at += length;
    }
    Ok(words)
}

type Found = Result<(Word, usize), (&'static str, String, usize)>;

fn word(rest: &str) -> Found {
    let first = rest.chars().next().expect("a word starts somewhere");
    if matches!(first, '"' | '\'') {
        return quoted(rest, first);
    }
    if let Some(length) = number_length(rest)
        && !rest[length..].starts_with(is_name)
    {
        // `1.` is a number as well.
        let dot = rest[length..].starts_with('.') && !rest[length + 1..].starts_with(|c| c == '.' || is_name(c));
        let number: f64 = rest[..length].trim_start_matches('+').parse().unwrap_or(f64::NAN);
        return Ok((Word::Number(number), length + usize::from(dot)));
    }
    if is_name(first) && first != '-' && first != '?' {
        let length = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        return Ok((Word::Name(rest[..length].to_owned()), length));
    }
    match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
        Some(sign) => Ok((Word::Sign(sign), sign.len())),
        None => Err(("template.character", format!("The character `{first}` has no meaning here."), first.len_utf8())),
    }
}

/// A letter of a name: any letter or digit, `_`, `-` and `?`.
fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '?') || (!c.is_ascii() && !c.is_whitespace())
}

/// The length of a number at the start, with its sign and fraction.
fn number_length(rest: &str) -> Option<usize> {
    let sign = usize::from(rest.starts_with(['-', '+']));
    let digits = |from: &str| from.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(&rest[sign..]);
    if whole == 0 {
        return None;
    }
    let mut length = sign + whole;
    if let Some(fraction) = rest[length..].strip_prefix('.') {
        let more = digits(fraction);
        if more > 0 {
            length += 1 + more;
        }
    }
    Some(length)
}

fn quoted(rest: &str, quote: char) -> Found {
    let mut text = String::new();
    let mut letters = rest.char_indices().skip(1);
    while let Some((at, c)) = letters.next() {
        if c == quote {
            return Ok((Word::Text(text), at + 1));
        }
        if c != '\\' {
            text.push(c);
            continue;
        }
        let Some((at, c)) = letters.next() else { break };
        match c {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            'b' => text.push('\u{8}'),
            'f' => text.push('\u{c}'),
            'v' => text.push('\u{b}'),
            'u' => {
                let code = rest.get(at + 1..at + 5).and_then(|hex| u32::from_str_radix(hex, 16).ok());
                match code {
                    Some(code) => {
                        text.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                        letters.nth(3);
                    }
                    None => text.push('u'),
                }
            }
            other => text.push(other),
        }
    }
    Err(("template.quote", format!("The text after {quote} has no closing quote."), rest.len()))
}
