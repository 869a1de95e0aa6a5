//! Where a walked value goes: nowhere, into JSON text, or into a tree.

use serde_json::{Map, Number, Value};

/// Takes the parts of a value in document order.
pub(crate) trait Sink {
    fn null(&mut self) {}
    fn boolean(&mut self, _value: bool) {}
    /// A number as the language writes it.
    fn number(&mut self, _text: &str) {}
    /// A text in the engine's bytes: UTF-8, but for halves of surrogate pairs.
    fn text(&mut self, _bytes: &[u8]) {}
    fn open_list(&mut self) {}
    fn close_list(&mut self) {}
    fn open_object(&mut self) {}
    /// A member's name, before its value.
    fn name(&mut self, _bytes: &[u8]) {}
    fn close_object(&mut self) {}
}

/// Takes nothing: the walk measures and refuses.
pub(crate) struct Nowhere;

impl Sink for Nowhere {}

/// Writes JSON text.
#[derive(Default)]
pub(crate) struct Text {
    out: Vec<u8>,
    /// Whether a comma stands before the next part.
    follows: bool,
}

impl Text {
    /// The text written.
    pub(crate) fn finish(self) -> String {
        String::from_utf8(self.out).unwrap_or_else(|wrong| String::from_utf8_lossy(wrong.as_bytes()).into_owned())
    }

    fn part(&mut self, bytes: &[u8]) {
        if self.follows {
            self.out.push(b',');
        }
        self.out.extend_from_slice(bytes);
        self.follows = true;
    }

    fn quoted(&mut self, bytes: &[u8]) {
        self.out.push(b'"');
        let mut kept = 0;
        let mut at = 0;
        while at < bytes.len() {
            let byte = bytes[at];
            let (escape, width): (&[u8], usize) = match byte {
                b'"' => (b"\\\"", 1),
                b'\\' => (b"\\\\", 1),
                0x08 => (b"\\b", 1),
                0x09 => (b"\\t", 1),
                0x0a => (b"\\n", 1),
                0x0c => (b"\\f", 1),
                0x0d => (b"\\r", 1),
                0..0x20 => (&[], 1),
                0xed if half(bytes, at) => (&[], 3),
                _ => {
                    at += 1;
                    continue;
                }
            };
            self.out.extend_from_slice(&bytes[kept..at]);
            if escape.is_empty() {
                let unit = if width == 1 {
                    u32::from(byte)
                } else {
                    0xd000 | (u32::from(bytes[at + 1] & 0x3f) << 6) | u32::from(bytes[at + 2] & 0x3f)
                };
                self.out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
            } else {
                self.out.extend_from_slice(escape);
            }
            at += width;
            kept = at;
        }
        self.out.extend_from_slice(&bytes[kept..]);
        self.out.push(b'"');
    }
}

/// Whether half a surrogate pair stands at a byte, in three bytes.
fn half(bytes: &[u8], at: usize) -> bool {
    bytes[at] == 0xed && bytes.get(at + 1).is_some_and(|next| *next >= 0xa0) && at + 2 < bytes.len()
}

/// The bytes of a text as JSON, its quotes among them.
pub(crate) fn quoted_length(bytes: &[u8]) -> usize {
    let mut more = 2;
    for (at, byte) in bytes.iter().enumerate() {
        more += match byte {
            b'"' | b'\\' | 0x08 | 0x09 | 0x0a | 0x0c | 0x0d => 1,
            0..0x20 => 5,
            0xed if half(bytes, at) => 3,
            _ => 0,
        };
    }
    bytes.len() + more
}

impl Sink for Text {
    fn null(&mut self) {
        self.part(b"null");
    }

    fn boolean(&mut self, value: bool) {
        self.part(if value { b"true" } else { b"false" });
    }

    fn number(&mut self, text: &str) {
        self.part(text.as_bytes());
    }

    fn text(&mut self, bytes: &[u8]) {
        self.part(b"");
        self.quoted(bytes);
    }

    fn open_list(&mut self) {
        self.part(b"[");
        self.follows = false;
    }

    fn close_list(&mut self) {
        self.out.push(b']');
        self.follows = true;
    }

    fn open_object(&mut self) {
        self.part(b"{");
        self.follows = false;
    }

    fn name(&mut self, bytes: &[u8]) {
        self.part(b"");
        self.quoted(bytes);
        self.out.push(b':');
        self.follows = false;
    }

    fn close_object(&mut self) {
        self.out.push(b'}');
        self.follows = true;
    }
}

enum Part {
    List(Vec<Value>),
    Object(Map<String, Value>),
}

/// Builds a tree; half a surrogate pair becomes U+FFFD, since Rust's texts hold none.
#[derive(Default)]
pub(crate) struct Tree {
    open: Vec<(Part, String)>,
    name: String,
    done: Value,
}

impl Tree {
    /// The tree built.
    pub(crate) fn finish(self) -> Value {
        self.done
    }

    fn add(&mut self, value: Value) {
        match self.open.last_mut() {
            None => self.done = value,
            Some((Part::List(list), _)) => list.push(value),
            Some((Part::Object(object), _)) => {
                object.insert(std::mem::take(&mut self.name), value);
            }
        }
    }

    fn close(&mut self) {
        let Some((part, name)) = self.open.pop() else { return };
        self.name = name;
        self.add(match part {
            Part::List(list) => Value::Array(list),
            Part::Object(object) => Value::Object(object),
        });
    }

    fn open(&mut self, part: Part) {
        let name = std::mem::take(&mut self.name);
        self.open.push((part, name));
    }
}

/// A text of the engine as Rust's: half a surrogate pair is one U+FFFD.
pub(crate) fn mended(bytes: &[u8]) -> String {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.to_owned();
    }
    let mut whole = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if half(bytes, at) {
            whole.extend_from_slice("\u{fffd}".as_bytes());
            at += 3;
        } else {
            whole.push(bytes[at]);
            at += 1;
        }
    }
    String::from_utf8_lossy(&whole).into_owned()
}

impl Sink for Tree {
    fn null(&mut self) {
        self.add(Value::Null);
    }

    fn boolean(&mut self, value: bool) {
        self.add(Value::Bool(value));
    }

    fn number(&mut self, text: &str) {
        // The same reading as of the value's JSON text.
        let number = serde_json::from_str::<Number>(text).unwrap_or_else(|_| Number::from(0));
        self.add(Value::Number(number));
    }

    fn text(&mut self, bytes: &[u8]) {
        self.add(Value::String(mended(bytes)));
    }

    fn open_list(&mut self) {
        self.open(Part::List(Vec::new()));
    }

    fn close_list(&mut self) {
        self.close();
    }

    fn open_object(&mut self) {
        self.open(Part::Object(Map::new()));
    }

    fn name(&mut self, bytes: &[u8]) {
        self.name = mended(bytes);
    }

    fn close_object(&mut self) {
        self.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_as_long_as_it_is_written() {
        for bytes in [
            &b"plain"[..],
            b"\"\\\x08\x0c\n\r\t",
            b"\x00\x01\x1f\x7f",
            "é😀\u{2028}\u{d7ff}".as_bytes(),
            b"a\xed\xa0\xbdb\xed\xb0\x80",
        ] {
            let mut sink = Text::default();
            sink.text(bytes);
            let text = sink.finish();
            assert_eq!(text.len(), quoted_length(bytes), "{text}");
            assert!(playbook_model::json::parse_script(&text, 1).is_ok(), "{text}");
        }
    }

    #[test]
    fn halves_of_pairs_are_escaped_or_mended() {
        let mut sink = Text::default();
        sink.text(b"a\xed\xa0\xbdb");
        assert_eq!(sink.finish(), "\"a\\ud83db\"");
        assert_eq!(mended(b"a\xed\xa0\xbdb"), "a\u{fffd}b");
    }
}
