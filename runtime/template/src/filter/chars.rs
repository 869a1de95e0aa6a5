//! Filters that cut text at characters: strip, slice, split and truncate.

use super::{Call, Halt};
use crate::value::{List, Text, Value};

type Made<'a> = Result<Value<'a>, Halt>;

pub(super) fn strip<'a>(call: &mut Call<'a>) -> Made<'a> {
    stripped(call, true, true)
}

pub(super) fn lstrip<'a>(call: &mut Call<'a>) -> Made<'a> {
    stripped(call, true, false)
}

pub(super) fn rstrip<'a>(call: &mut Call<'a>) -> Made<'a> {
    stripped(call, false, true)
}

/// White space, or the characters of the argument, from one end or both.
fn stripped<'a>(call: &mut Call<'a>, start: bool, end: bool) -> Made<'a> {
    let text = call.text()?;
    let letters = call.text_of(0).filter(|letters| !letters.as_str().is_empty());
    let goes = |c: char| match &letters {
        Some(letters) => letters.as_str().contains(c),
        None => c.is_whitespace() || c == '\u{feff}',
    };
    let mut rest = text.as_str();
    if start {
        rest = rest.trim_start_matches(goes);
    }
    if end {
        rest = rest.trim_end_matches(goes);
    }
    Ok(Value::text(rest))
}

/// So many characters or items from a place; a negative place counts from the end.
pub(super) fn slice<'a>(call: &mut Call<'a>) -> Made<'a> {
    let start = call.argument(0).map_or(0.0, Value::to_number).trunc();
    let count = call.argument(1).map_or(1.0, Value::to_number).trunc();
    let range = |length: usize| {
        let start = if start < 0.0 { start + length as f64 } else { start };
        if start < 0.0 || count < 0.0 {
            return 0..0;
        }
        let start = start.min(length as f64);
        start as usize..(start + count).min(length as f64) as usize
    };
    match &call.value {
        Value::Null => Ok(Value::List(List::Given(&[]))),
        Value::List(_) => {
            let items = call.list()?;
            let range = range(items.len());
            Ok(Value::list(items.iter().skip(range.start).take(range.len()).collect()))
        }
        _ => {
            let text = call.text()?;
            let range = range(text.as_str().chars().count());
            Ok(Value::text(text.as_str().chars().skip(range.start).take(range.len()).collect::<String>()))
        }
    }
}

/// At each separator, or at each character for an empty one; empty ends at the close are dropped.
pub(super) fn split<'a>(call: &mut Call<'a>) -> Made<'a> {
    let text = call.text()?;
    let at = call.text_of(0).unwrap_or(Text::Given(""));
    let mut parts: Vec<Value<'a>> = if at.as_str().is_empty() {
        text.as_str().chars().map(|c| Value::text(c.to_string())).collect()
    } else {
        text.as_str().split(at.as_str()).map(Value::text).collect()
    };
    while matches!(parts.last(), Some(Value::Text(text)) if text.as_str().is_empty()) {
        parts.pop();
    }
    Ok(Value::list(parts))
}

/// So many characters, the ending counted in; 50 and three dots unless given.
pub(super) fn truncate<'a>(call: &mut Call<'a>) -> Made<'a> {
    let text = call.text()?;
    let most = call.argument(0).map_or(50.0, Value::to_number);
    let ending = call.text_of(1);
    let ending = ending.as_ref().map_or("...", Text::as_str);
    if (text.as_str().chars().count() as f64) <= most {
        return Ok(Value::Text(text));
    }
    let kept = (most - ending.chars().count() as f64).max(0.0) as usize;
    let start: String = text.as_str().chars().take(kept).collect();
    Ok(Value::text(start + ending))
}
