//! Filters of text as a whole: case, escapes, replacement, JSON, and `default`.

use super::{Call, Halt};
use crate::compare;
use crate::value::{Text, Value, write_json};
use base64::Engine as _;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

type Made<'a> = Result<Value<'a>, Halt>;

pub(super) fn raw<'a>(call: &mut Call<'a>) -> Made<'a> {
    Ok(call.value.clone())
}

/// The argument for null, false, empty text and an empty list; `allow_false: true` keeps false.
pub(super) fn default<'a>(call: &mut Call<'a>) -> Made<'a> {
    let keeps_false = call.named("allow_false").is_some_and(Value::is_true);
    let missing = match &call.value {
        Value::Bool(false) => !keeps_false,
        Value::Null => true,
        Value::Text(_) | Value::List(_) => compare::is_empty(&call.value),
        _ => false,
    };
    Ok(if missing { call.argument(0).cloned().unwrap_or(Value::Null) } else { call.value.clone() })
}

/// JSON text; an argument indents it by so many spaces, or by itself.
pub(super) fn json<'a>(call: &mut Call<'a>) -> Made<'a> {
    let indent = match call.argument(0) {
        Some(Value::Number(spaces)) => " ".repeat(spaces.clamp(0.0, 10.0) as usize),
        Some(Value::Text(text)) => text.as_str().chars().take(10).collect(),
        _ => String::new(),
    };
    let mut out = String::new();
    write_json(&call.value, &indent, 0, &mut out);
    call.charge(out.len())?;
    Ok(Value::text(out))
}

pub(super) fn append<'a>(call: &mut Call<'a>) -> Made<'a> {
    joined(call, |value, more| format!("{value}{more}"))
}

pub(super) fn prepend<'a>(call: &mut Call<'a>) -> Made<'a> {
    joined(call, |value, more| format!("{more}{value}"))
}

fn joined<'a>(call: &mut Call<'a>, with: impl Fn(&str, &str) -> String) -> Made<'a> {
    let value = call.text()?;
    let more = call.text_of(0).unwrap_or(Text::Given(""));
    call.charge(more.units())?;
    Ok(Value::text(with(value.as_str(), more.as_str())))
}

pub(super) fn upcase<'a>(call: &mut Call<'a>) -> Made<'a> {
    Ok(Value::text(call.text()?.as_str().to_uppercase()))
}

pub(super) fn downcase<'a>(call: &mut Call<'a>) -> Made<'a> {
    Ok(Value::text(call.text()?.as_str().to_lowercase()))
}

/// The first letter large, the rest small.
pub(super) fn capitalize<'a>(call: &mut Call<'a>) -> Made<'a> {
    let text = call.text()?;
    let mut letters = text.as_str().chars();
    let first: String = letters.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
    Ok(Value::text(first + &letters.as_str().to_lowercase()))
}

pub(super) fn escape<'a>(call: &mut Call<'a>) -> Made<'a> {
    Ok(Value::text(escaped(call.text()?.as_str())))
}

/// What is escaped already is not escaped again.
pub(super) fn escape_once<'a>(call: &mut Call<'a>) -> Made<'a> {
    let text = call.text()?;
    let mut plain = text.as_str().to_owned();
    for (entity, letter) in [("&lt;", "<"), ("&gt;", ">"), ("&#34;", "\""), ("&#39;", "'"), ("&amp;", "&")] {
        plain = plain.replace(entity, letter);
    }
    Ok(Value::text(escaped(&plain)))
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&#34;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

pub(super) fn newline_to_br<'a>(call: &mut Call<'a>) -> Made<'a> {
    let text = call.text()?;
    Ok(Value::text(text.as_str().replace("\r\n", "\n").replace('\n', "<br />\n")))
}

pub(super) fn strip_newlines<'a>(call: &mut Call<'a>) -> Made<'a> {
    let text = call.text()?;
    Ok(Value::text(text.as_str().replace("\r\n", "").replace('\n', "")))
}

pub(super) fn base64_encode<'a>(call: &mut Call<'a>) -> Made<'a> {
    let text = call.text()?;
    Ok(Value::text(base64::engine::general_purpose::STANDARD.encode(text.as_str())))
}

/// Padding may be left out, and white space is passed over; bytes that are no UTF-8 become U+FFFD.
pub(super) fn base64_decode<'a>(call: &mut Call<'a>) -> Made<'a> {
    let text = call.text()?;
    let packed: String = text.as_str().chars().filter(|c| !c.is_ascii_whitespace()).collect();
    let lenient = GeneralPurpose::new(
        &base64::alphabet::STANDARD,
        GeneralPurposeConfig::new()
            .with_decode_padding_mode(DecodePaddingMode::Indifferent)
            .with_decode_allow_trailing_bits(true),
    );
    let bytes = lenient
        .decode(packed)
        .map_err(|_| Halt::Refused("The filter `base64_decode` takes Base64 text.".to_owned()))?;
    Ok(Value::text(String::from_utf8_lossy(&bytes).into_owned()))
}

/// What to look for and what to put there; removal puts nothing.
fn sought<'a>(call: &mut Call<'a>, removes: bool) -> Result<(Text<'a>, Text<'a>, Text<'a>), Halt> {
    let text = call.text()?;
    let from = call.text_of(0).unwrap_or(Text::Given(""));
    let to = if removes { None } else { call.text_of(1) }.unwrap_or(Text::Given(""));
    Ok((text, from, to))
}

/// Charges what it writes.
fn every<'a>(call: &mut Call<'a>, removes: bool) -> Made<'a> {
    let (text, from, to) = sought(call, removes)?;
    let (text, from, to) = (text.as_str(), from.as_str(), to.as_str());
    if from.is_empty() {
        // Nothing stands between any two characters, but not at the ends.
        let between = text.chars().count().saturating_sub(1);
        call.charge(between.saturating_mul(to.len()))?;
        let letters: Vec<String> = text.chars().map(String::from).collect();
        return Ok(Value::text(letters.join(to)));
    }
    let found = text.matches(from).count();
    call.charge(found.saturating_mul(to.len()))?;
    Ok(Value::text(text.replace(from, to)))
}

fn one<'a>(call: &mut Call<'a>, removes: bool, place: impl Fn(&str, &str) -> Option<usize>) -> Made<'a> {
    let (text, from, to) = sought(call, removes)?;
    let (text, from, to) = (text.as_str(), from.as_str(), to.as_str());
    call.charge(to.len())?;
    Ok(match place(text, from) {
        Some(at) => Value::text(format!("{}{to}{}", &text[..at], &text[at + from.len()..])),
        None => Value::text(text),
    })
}

pub(super) fn replace<'a>(call: &mut Call<'a>) -> Made<'a> {
    every(call, false)
}

pub(super) fn replace_first<'a>(call: &mut Call<'a>) -> Made<'a> {
    one(call, false, |text, from| text.find(from))
}

pub(super) fn replace_last<'a>(call: &mut Call<'a>) -> Made<'a> {
    one(call, false, |text, from| text.rfind(from))
}

pub(super) fn remove<'a>(call: &mut Call<'a>) -> Made<'a> {
    every(call, true)
}

pub(super) fn remove_first<'a>(call: &mut Call<'a>) -> Made<'a> {
    one(call, true, |text, from| text.find(from))
}

pub(super) fn remove_last<'a>(call: &mut Call<'a>) -> Made<'a> {
    one(call, true, |text, from| text.rfind(from))
}
