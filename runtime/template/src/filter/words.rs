//! Filters of words and white space, and the three that are this runtime's own: `money`, `clip` and `words`.

use super::{Call, Halt};
use crate::number;
use crate::value::{Text, Value};

type Made<'a> = Result<Value<'a>, Halt>;

/// White space at the ends goes; each stretch of it inside is one space.
pub(super) fn squish<'a>(call: &mut Call<'a>) -> Made<'a> {
    let text = call.text()?;
    Ok(Value::text(text.as_str().split_whitespace().collect::<Vec<_>>().join(" ")))
}

/// Each stretch of white space is one space.
pub(super) fn normalize_whitespace<'a>(call: &mut Call<'a>) -> Made<'a> {
    let text = call.text()?;
    let mut out = String::with_capacity(text.as_str().len());
    for c in text.as_str().chars() {
        if !c.is_whitespace() {
            out.push(c);
        } else if !out.ends_with(' ') {
            out.push(' ');
        }
    }
    Ok(Value::text(out))
}

/// Words between white space. With `cjk` each Chinese, Japanese or Korean character is a word; `auto` does so where
/// there is one.
pub(super) fn number_of_words<'a>(call: &mut Call<'a>) -> Made<'a> {
    let text = call.text()?;
    let mode = call.text_of(0);
    let by_letter = mode.is_some_and(|mode| matches!(mode.as_str(), "cjk" | "auto"));
    Ok(Value::Number(count(text.as_str(), by_letter) as f64))
}

fn count(text: &str, by_letter: bool) -> usize {
    let mut words = 0;
    let mut within = false;
    for c in text.chars() {
        if by_letter && is_cjk(c) {
            words += 1;
            within = false;
        } else if c.is_whitespace() {
            within = false;
        } else if !within {
            words += 1;
            within = true;
        }
    }
    words
}

fn is_cjk(c: char) -> bool {
    matches!(u32::from(c), 0x3040..=0x30ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0x20000..=0x2fa1f)
}

/// Stretches of characters that are no white space.
pub(super) fn words<'a>(call: &mut Call<'a>) -> Made<'a> {
    let text = call.text()?;
    Ok(Value::Number(text.as_str().split_whitespace().count() as f64))
}

/// So many words and an ending; 15 and three dots unless given.
pub(super) fn truncatewords<'a>(call: &mut Call<'a>) -> Made<'a> {
    let text = call.text()?;
    let most = call.argument(0).map_or(15.0, Value::to_number).max(1.0) as usize;
    let ending = call.text_of(1);
    let ending = ending.as_ref().map_or("...", Text::as_str);
    let words: Vec<&str> = text.as_str().split_whitespace().collect();
    let start = words.iter().take(most).copied().collect::<Vec<_>>().join(" ");
    // The ending also stands where the words are just as many, and after no words at all.
    Ok(Value::text(if words.len().max(1) < most { start } else { start + ending }))
}

/// The first characters, 400 unless given, and one `…` where some were cut.
pub(super) fn clip<'a>(call: &mut Call<'a>) -> Made<'a> {
    let text = call.text()?;
    let most = match call.argument(0) {
        None => 400.0,
        Some(Value::Number(number)) if number.fract() == 0.0 && *number >= 0.0 => *number,
        Some(_) => return Err(Halt::Refused("The filter `clip` takes a whole number of characters.".to_owned())),
    };
    if text.as_str().chars().count() as f64 <= most {
        return Ok(Value::Text(text));
    }
    let start: String = text.as_str().chars().take(most as usize).collect();
    Ok(Value::text(start + "…"))
}

/// US dollars with thousands apart; cents only where there are any.
pub(super) fn money<'a>(call: &mut Call<'a>) -> Made<'a> {
    let refused = || Err(Halt::Refused("The filter `money` takes a number or decimal text.".to_owned()));
    let amount = match &call.value {
        Value::Number(number) if number.is_finite() => *number,
        Value::Text(text) => {
            let text = text.as_str().trim();
            let digits = text.strip_prefix('-').unwrap_or(text);
            let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
            let decimal = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            match text.parse::<f64>() {
                Ok(number) if decimal(whole) && decimal(fraction) && number.is_finite() => number,
                _ => return refused(),
            }
        }
        _ => return refused(),
    };
    let rounded = number::round(amount.abs(), 2);
    let written = if rounded.fract() == 0.0 { format!("{rounded:.0}") } else { format!("{rounded:.2}") };
    let (whole, cents) = written.split_once('.').map_or((written.as_str(), ""), |(whole, cents)| (whole, cents));
    let mut out = String::new();
    if amount < 0.0 && rounded > 0.0 {
        out.push('-');
    }
    out.push('$');
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if !cents.is_empty() {
        out.push('.');
        out.push_str(cents);
    }
    Ok(Value::text(out))
}

/// Text for an address: small letters, and a hyphen for each stretch of what does not belong.
pub(super) fn slugify<'a>(call: &mut Call<'a>) -> Made<'a> {
    let text = call.text()?;
    let mode = call.text_of(0);
    let mode = mode.as_ref().map_or("default", Text::as_str);
    let keeps_case = call.argument(1).is_some_and(Value::is_true);
    let folded: String =
        if mode == "latin" { text.as_str().chars().map(latin).collect() } else { text.as_str().to_owned() };
    let stays = |c: char| match mode {
        "raw" => !c.is_whitespace(),
        "pretty" => c.is_alphanumeric() || "!$&'()+,.;=@_~".contains(c),
        "ascii" => c.is_ascii_alphanumeric(),
        _ => c.is_alphanumeric(),
    };
    let slug = if matches!(mode, "raw" | "pretty" | "ascii" | "latin" | "default") {
        let mut slug = String::with_capacity(folded.len());
        for c in folded.chars() {
            if stays(c) {
                slug.push(c);
            } else if !slug.ends_with('-') {
                slug.push('-');
            }
        }
        slug.trim_matches('-').to_owned()
    } else {
        folded
    };
    Ok(Value::text(if keeps_case { slug } else { slug.to_lowercase() }))
}

/// A Latin letter without its marks; large accented letters stay, but for `Þ` and `Œ`.
fn latin(c: char) -> String {
    let plain = match c {
        'à'..='å' => "a",
        'æ' => "ae",
        'ç' => "c",
        'è'..='ë' => "e",
        'ì'..='ï' => "i",
        'ð' => "d",
        'ñ' => "n",
        'ò'..='ö' | 'ø' => "o",
        'ù'..='ü' => "u",
        'ý' | 'ÿ' => "y",
        'þ' | 'Þ' => "th",
        'ß' => "ss",
        'œ' | 'Œ' => "oe",
        other => return other.to_string(),
    };
    plain.to_owned()
}
