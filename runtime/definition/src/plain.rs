//! Scalars of YAML that are written plainly, without quotes, by the core schema of YAML 1.2.

use serde_json::{Number, Value};

/// What a plain scalar is.
pub(crate) enum Plain {
    /// A value.
    Value(Value),
    /// A number that no double holds, or none at all.
    NotFinite,
}

/// Whether a text written plainly, without quotes, is read as that very text.
pub(crate) fn is_text(plainly: &str) -> bool {
    matches!(plain(plainly), Plain::Value(Value::String(_)))
}

/// A plain scalar by the core schema of YAML 1.2.
pub(crate) fn plain(text: &str) -> Plain {
    Plain::Value(match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        ".nan" | ".NaN" | ".NAN" => return Plain::NotFinite,
        _ => {
            let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
            if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
                return Plain::NotFinite;
            }
            match number(text, unsigned) {
                Some(Some(number)) => Value::Number(number),
                Some(None) => return Plain::NotFinite,
                None => Value::String(text.to_owned()),
            }
        }
    })
}

/// `None` for a text that is no number; `Some(None)` for one that no double holds.
fn number(text: &str, unsigned: &str) -> Option<Option<Number>> {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    for (mark, radix) in [("0o", 8), ("0x", 16)] {
        if let Some(digits) = text.strip_prefix(mark)
            && !digits.is_empty()
            && digits.chars().all(|c| c.is_digit(radix))
        {
            let large = || {
                digits.chars().fold(0.0, |sum, c| sum * f64::from(radix) + f64::from(c.to_digit(radix).unwrap_or(0)))
            };
            return Some(
                u64::from_str_radix(digits, radix).map_or_else(|_| Number::from_f64(large()), |n| Some(n.into())),
            );
        }
    }
    if digits(unsigned) {
        let bare = text.strip_prefix('+').unwrap_or(text);
        let whole = bare.parse::<i64>().map(Number::from).or_else(|_| bare.parse::<u64>().map(Number::from));
        return Some(whole.map_or_else(|_| bare.parse().ok().and_then(Number::from_f64), Some));
    }
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
        None => (unsigned, None),
    };
    let exponent_fits = exponent.is_none_or(|exponent| digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)));
    let (before, after) = match mantissa.split_once('.') {
        Some((before, after)) => (before, Some(after)),
        None => (mantissa, None),
    };
    let fits = match after {
        Some(after) if before.is_empty() => digits(after),
        Some(after) => digits(before) && (after.is_empty() || digits(after)),
        None => digits(before),
    };
    if !(fits && exponent_fits) {
        return None;
    }
    let value: f64 = text.parse().ok()?;
    Some(Number::from_f64(value))
}
