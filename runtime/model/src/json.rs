//! JSON values: reading them under a depth bound, measuring them, pointing into them.
//!
//! Depth: a text, number, boolean or null has none; a list or an object has one more than its deepest member.

use serde_json::Value;

/// Why a text is no JSON value that may be taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JsonError {
    /// Not JSON: the parser's words, with line and column.
    #[error("{0}")]
    Syntax(String),
    /// Nests deeper than the bound.
    #[error("nests deeper than {0} levels")]
    TooDeep(usize),
}

/// Reads JSON text that nests at most `levels`; a number no double can hold is refused.
///
/// # Errors
/// [`JsonError`] says which of the two it is.
pub fn parse(text: &str, levels: usize) -> Result<Value, JsonError> {
    if text_depth(text) > levels {
        return Err(JsonError::TooDeep(levels));
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    reader.disable_recursion_limit();
    let value = serde::Deserialize::deserialize(&mut reader).map_err(|e| JsonError::Syntax(e.to_string()))?;
    reader.end().map_err(|e| JsonError::Syntax(e.to_string()))?;
    Ok(value)
}

/// Reads JSON that a JavaScript engine wrote: a half of a surrogate pair becomes U+FFFD, since Rust text holds none.
///
/// # Errors
/// As [`parse`].
pub fn parse_script(text: &str, levels: usize) -> Result<Value, JsonError> {
    if !text.contains("\\u") {
        return parse(text, levels);
    }
    parse(&without_lone_surrogates(text), levels)
}

fn without_lone_surrogates(text: &str) -> String {
    let bytes = text.as_bytes();
    let unit = |at: usize| -> Option<u32> {
        if bytes.get(at) != Some(&b'\\') || bytes.get(at + 1) != Some(&b'u') {
            return None;
        }
        let hex = text.get(at + 2..at + 6)?;
        u32::from_str_radix(hex, 16).ok()
    };
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    let mut kept = 0;
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        match unit(at) {
            Some(high) if (0xD800..0xDC00).contains(&high) => {
                if unit(at + 6).is_some_and(|low| (0xDC00..0xE000).contains(&low)) {
                    at += 12;
                } else {
                    out.push_str(&text[kept..at]);
                    out.push_str("\\ufffd");
                    at += 6;
                    kept = at;
                }
            }
            Some(low) if (0xDC00..0xE000).contains(&low) => {
                out.push_str(&text[kept..at]);
                out.push_str("\\ufffd");
                at += 6;
                kept = at;
            }
            Some(_) => at += 6,
            None => at += 2,
        }
    }
    out.push_str(&text[kept..]);
    out
}

/// The depth of a JSON text, without reading its values and without recursion.
#[must_use]
pub fn text_depth(text: &str) -> usize {
    let mut depth = 0usize;
    let mut deepest = 0usize;
    let mut quoted = false;
    let mut escaped = false;
    for byte in text.bytes() {
        if quoted {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => quoted = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => quoted = true,
            b'[' | b'{' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// The depth of a value, found without recursion.
#[must_use]
pub fn depth(value: &Value) -> usize {
    let mut deepest = 0;
    let mut open: Vec<(&Value, usize)> = vec![(value, 1)];
    while let Some((value, level)) = open.pop() {
        match value {
            Value::Array(items) => {
                deepest = deepest.max(level);
                open.extend(items.iter().map(|v| (v, level + 1)));
            }
            Value::Object(members) => {
                deepest = deepest.max(level);
                open.extend(members.values().map(|v| (v, level + 1)));
            }
            _ => {}
        }
    }
    deepest
}

/// The size of a value as JSON, in bytes of UTF-8.
#[must_use]
pub fn bytes(value: &Value) -> usize {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, part: &[u8]) -> std::io::Result<usize> {
            self.0 += part.len();
            Ok(part.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    serde_json::to_writer(&mut count, value).expect("a value always writes and the counter never fails");
    count.0
}

/// One step of a JSON Pointer, escaped.
#[must_use]
pub fn escape(step: &str) -> String {
    step.replace('~', "~0").replace('/', "~1")
}

/// A pointer with one more step.
#[must_use]
pub fn join(pointer: &str, step: &str) -> String {
    format!("{pointer}/{}", escape(step))
}

/// Whether two values are the same JSON: numbers by value, objects in any order of keys.
#[must_use]
pub fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => x == y || (x.as_f64() == y.as_f64() && (x.is_f64() || y.is_f64())),
        (Value::Array(x), Value::Array(y)) => x.len() == y.len() && x.iter().zip(y).all(|(x, y)| same(x, y)),
        (Value::Object(x), Value::Object(y)) => {
            x.len() == y.len() && x.iter().all(|(key, x)| y.get(key).is_some_and(|y| same(x, y)))
        }
        _ => a == b,
    }
}

/// Cuts a text at a number of UTF-8 bytes, at a character's edge, with an ellipsis when it was cut.
#[must_use]
pub fn cut(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let mut end = bytes;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}…", &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn depth_counts_lists_and_objects() {
        assert_eq!(depth(&json!(1)), 0);
        assert_eq!(depth(&json!([])), 1);
        assert_eq!(depth(&json!({"a": [1, {"b": 2}]})), 3);
        assert_eq!(text_depth(r#"{"a": [1, {"b[[[": "\"[["}]}"#), 3);
    }

    #[test]
    fn reads_up_to_the_bound_and_refuses_past_it() {
        let nested = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
        assert_eq!(depth(&parse(&nested(512), 512).expect("at the bound")), 512);
        assert_eq!(parse(&nested(513), 512), Err(JsonError::TooDeep(512)));
        assert_eq!(parse(&"[".repeat(100_000), 512), Err(JsonError::TooDeep(512)));
        assert!(matches!(parse("{", 512), Err(JsonError::Syntax(_))));
        assert!(matches!(parse("1e999", 512), Err(JsonError::Syntax(_))));
    }

    #[test]
    fn a_lone_surrogate_becomes_the_replacement_character() {
        assert_eq!(parse_script(r#""a\ud83d""#, 1).expect("mended"), json!("a\u{fffd}"));
        assert_eq!(parse_script(r#""\ude00b""#, 1).expect("mended"), json!("\u{fffd}b"));
        assert_eq!(parse_script(r#""\ud83d\ude00""#, 1).expect("whole"), json!("😀"));
        assert_eq!(parse_script(r#""\\ud83d""#, 1).expect("an escaped backslash"), json!("\\ud83d"));
    }

    #[test]
    fn sameness_is_of_values() {
        assert!(same(&json!(1), &json!(1.0)));
        assert!(same(&json!({"a": 1, "b": 2}), &json!({"b": 2, "a": 1})));
        assert!(!same(&json!([1, 2]), &json!([2, 1])));
        assert!(!same(&json!(9_007_199_254_740_993_u64), &json!(9_007_199_254_740_992_u64)));
    }
}
