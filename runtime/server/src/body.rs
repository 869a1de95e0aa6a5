//! Reads a request's body: one JSON object in UTF-8, within bounds of size, depth and time.
//!
//! Spec "Transport rules". Knows no operation.

use crate::problem::Problem;
use axum::body::Body;
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use playbook_model::{json, limits};
use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::collections::HashSet;
use std::fmt;
use std::time::Duration;

/// Levels a body may nest: more than any value may, so that a value too deep is refused at its own pointer.
const LEVELS: usize = limits::VALUE_LEVELS + 64;

/// How long a body may take to arrive.
const ARRIVES: Duration = Duration::from_secs(30);

/// Bytes read and thrown away after a refusal, so that the refusal reaches a client that still sends.
const DRAINED_BYTES: usize = 16 * limits::BODY_BYTES;

/// How long throwing away may take.
const DRAINED_FOR: Duration = Duration::from_secs(2);

/// Reads a command's body as the object it holds; no body at all is an object without members.
///
/// # Errors
/// 400 for what is no JSON object, 413 over the bound, 415 for another kind of body, 499 when the client went away.
pub(crate) async fn object(headers: &HeaderMap, body: &mut Body) -> Result<Map<String, Value>, Problem> {
    encoding(headers)?;
    let declared = media_type(headers)?;
    if declared_length(headers).is_some_and(|length| length > limits::BODY_BYTES as u64) {
        return Err(Problem::too_large());
    }
    let limited = Limited::new(&mut *body, limits::BODY_BYTES);
    let bytes = match tokio::time::timeout(ARRIVES, limited.collect()).await {
        Ok(Ok(whole)) => whole.to_bytes(),
        Ok(Err(error)) if error.downcast_ref::<LengthLimitError>().is_some() => return Err(Problem::too_large()),
        Ok(Err(_)) => return Err(Problem::client_gone()),
        Err(_) => return Err(Problem::bad_request("The body did not arrive in time.")),
    };
    if bytes.is_empty() {
        return Ok(Map::new());
    }
    if declared == Declared::Nothing {
        return Err(Problem::unsupported("A body needs Content-Type: application/json."));
    }
    let Ok(text) = std::str::from_utf8(&bytes) else {
        return Err(Problem::bad_request("The body is not UTF-8."));
    };
    parse(text)
}

/// Whether a query carries a body, which none does.
pub(crate) fn is_there(headers: &HeaderMap, body: &Body) -> bool {
    declared_length(headers).is_some_and(|length| length > 0) || !http_body::Body::is_end_stream(body)
}

/// Reads on for a moment after a refusal; a connection closed under a client that sends loses the refusal.
pub(crate) async fn drain(body: Body) {
    let _ = tokio::time::timeout(DRAINED_FOR, async move {
        let mut body = Limited::new(body, DRAINED_BYTES);
        while let Some(Ok(_)) = body.frame().await {}
    })
    .await;
}

fn declared_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

fn encoding(headers: &HeaderMap) -> Result<(), Problem> {
    let plain =
        headers.get_all(CONTENT_ENCODING).iter().all(|value| value.as_bytes().eq_ignore_ascii_case(b"identity"));
    if plain { Ok(()) } else { Err(Problem::unsupported("A body is sent as it is, without Content-Encoding.")) }
}

#[derive(Debug, PartialEq, Eq)]
enum Declared {
    Json,
    Nothing,
}

fn media_type(headers: &HeaderMap) -> Result<Declared, Problem> {
    let mut values = headers.get_all(CONTENT_TYPE).iter();
    let Some(first) = values.next() else { return Ok(Declared::Nothing) };
    let other = || Problem::unsupported("A body is application/json in UTF-8.");
    let text = first.to_str().map_err(|_| other())?;
    let mut parts = text.split(';').map(str::trim);
    let json = parts.next().is_some_and(|kind| kind.eq_ignore_ascii_case("application/json"));
    let utf8 = parts.filter(|part| !part.is_empty()).all(|part| match part.split_once('=') {
        Some((name, value)) if name.trim().eq_ignore_ascii_case("charset") => {
            value.trim().trim_matches('"').eq_ignore_ascii_case("utf-8")
        }
        _ => true,
    });
    if values.next().is_none() && json && utf8 { Ok(Declared::Json) } else { Err(other()) }
}

/// Reads a JSON object whose objects, at every level, give each member once.
///
/// # Errors
/// 400 with the place of the mistake.
pub(crate) fn parse(text: &str) -> Result<Map<String, Value>, Problem> {
    if json::text_depth(text) > LEVELS {
        return Err(Problem::bad_request(format!("The body nests deeper than {LEVELS} levels.")));
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    reader.disable_recursion_limit();
    let value = Once.deserialize(&mut reader).and_then(|value| reader.end().map(|()| value));
    match value {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err(Problem::bad_request("The body is not a JSON object.")),
        Err(error) if error.to_string().starts_with(TWICE) => Err(Problem::bad_request(format!(
            "An object of the body gives a member twice, before line {}, column {}.",
            error.line(),
            error.column()
        ))),
        Err(error) => Err(Problem::bad_request(format!(
            "The body is not JSON, at line {}, column {}.",
            error.line(),
            error.column()
        ))),
    }
}

const TWICE: &str = "a member is given twice";

/// Reads any value; a member given twice is an error, where serde_json would keep the last.
struct Once;

impl<'de> DeserializeSeed<'de> for Once {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Once {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("a number is not finite"))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = from.next_element_seed(Once)? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        let mut seen = HashSet::new();
        while let Some(name) = from.next_key::<String>()? {
            if !seen.insert(name.clone()) {
                return Err(A::Error::custom(TWICE));
            }
            let value = from.next_value_seed(Once)?;
            members.insert(name, value);
        }
        Ok(Value::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_object_is_read_whole() {
        let text = r#"{"a":[1,-2,1.5,1e3,true,null,"é\n"],"__proto__":{"constructor":{}}}"#;
        let read = Value::Object(parse(text).expect("an object"));
        assert_eq!(read, json!({"a": [1, -2, 1.5, 1e3, true, null, "é\n"], "__proto__": {"constructor": {}}}));
        let plain: Value = serde_json::from_str(text).expect("JSON");
        assert_eq!(read, plain);
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for text in [
            "[]",
            "1",
            "null",
            "\"a\"",
            "",
            "{",
            "{}{}",
            "{\"a\":1,}",
            "{a:1}",
            "nul",
            "{\"a\":1e999}",
            "{\"a\":\"\\ud800\"}",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_member_twice_is_refused_at_any_level() {
        for text in [r#"{"a":1,"a":1}"#, r#"{"b":[{"a":1,"\u0061":2}]}"#] {
            let problem = parse(text).expect_err("twice").document();
            assert!(problem["detail"].as_str().is_some_and(|d| d.contains("twice")), "{problem}");
        }
    }

    #[test]
    fn depth_is_bounded_without_recursion() {
        let nested = |n: usize| format!("{{\"a\":{}{}}}", "[".repeat(n - 1), "]".repeat(n - 1));
        assert!(parse(&nested(LEVELS)).is_ok());
        assert!(parse(&nested(LEVELS + 1)).is_err());
        assert!(parse(&"[".repeat(1_000_000)).is_err());
        assert!(parse(&"{\"a\":".repeat(100_000)).is_err());
    }
}
