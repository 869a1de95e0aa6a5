//! A text of many events, read one event at a time: CloudEvents as JSON Lines, or in the JSON batch format.

use playbook_model::json;
use playbook_model::limits::VALUE_LEVELS;
use serde_json::{Map, Value};
use std::io::{self, BufRead};

/// Bytes of one event's text: more than any event takes, however it is laid out.
const EVENT_TEXT_BYTES: usize = 2 * 1024 * 1024;

/// What comes next in a text of events.
#[derive(Debug, Clone, PartialEq)]
pub enum NextEvent {
    /// An object, which may or may not be an event.
    Event {
        /// The line it begins on, from 1.
        line: u64,
        /// Its members.
        event: Map<String, Value>,
    },
    /// Something that is none.
    Bad {
        /// The line it begins on, from 1.
        line: u64,
        /// Why, as a sentence.
        why: String,
    },
    /// Nothing.
    End,
}

/// How a text holds its events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// One after the other, each on a line of its own or over several.
    Lines,
    /// In a list.
    Batch,
    /// Read to its end.
    Done,
}

/// A text of events.
#[derive(Debug)]
pub struct EventTexts<R> {
    input: R,
    form: Option<Form>,
    line: u64,
    /// In a list: whether an event was read already, so that a comma stands before the next.
    begun: bool,
}

/// Where in a value the reader is.
#[derive(Debug, Default)]
struct Nesting {
    depth: usize,
    quoted: bool,
    escaped: bool,
}

impl Nesting {
    fn take(&mut self, byte: u8) {
        if self.quoted {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.quoted = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => self.quoted = true,
            b'[' | b'{' => self.depth += 1,
            b']' | b'}' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }
}

impl<R: BufRead> EventTexts<R> {
    /// A text; its first byte that is not blank tells its form.
    pub fn new(input: R) -> Self {
        Self { input, form: None, line: 1, begun: false }
    }

    /// The next event.
    ///
    /// # Errors
    /// When the text cannot be read.
    pub fn next_event(&mut self) -> io::Result<NextEvent> {
        let form = match self.form {
            Some(form) => form,
            None => {
                let form = self.begin()?;
                self.form = Some(form);
                form
            }
        };
        match form {
            Form::Lines => self.in_lines(),
            Form::Batch => self.in_batch(),
            Form::Done => Ok(NextEvent::End),
        }
    }

    fn begin(&mut self) -> io::Result<Form> {
        // A byte order mark says nothing here.
        let marked = self.input.fill_buf()?.starts_with(b"\xef\xbb\xbf");
        if marked {
            self.input.consume(3);
        }
        match self.past_blanks()? {
            Some(b'[') => {
                self.input.consume(1);
                Ok(Form::Batch)
            }
            _ => Ok(Form::Lines),
        }
    }

    fn peek(&mut self) -> io::Result<Option<u8>> {
        Ok(self.input.fill_buf()?.first().copied())
    }

    /// Goes past blanks and line breaks; the byte after them.
    fn past_blanks(&mut self) -> io::Result<Option<u8>> {
        while let Some(byte) = self.peek()? {
            match byte {
                b'\n' => self.line += 1,
                b' ' | b'\t' | b'\r' => {}
                other => return Ok(Some(other)),
            }
            self.input.consume(1);
        }
        Ok(None)
    }

    fn in_lines(&mut self) -> io::Result<NextEvent> {
        if self.past_blanks()?.is_none() {
            self.form = Some(Form::Done);
            return Ok(NextEvent::End);
        }
        let first = self.line;
        let mut text = Vec::new();
        let mut nesting = Nesting::default();
        loop {
            let ended = self.rest_of_line(&mut text, &mut nesting)?;
            // An object over several lines goes on; a text never does, and the next event begins at a line's start.
            let goes_on = nesting.depth > 0 && !nesting.quoted && !ended && self.peek()? != Some(b'{');
            if !goes_on {
                return Ok(made(first, &text));
            }
        }
    }

    /// Reads up to a line's end, and says whether that is the text's.
    fn rest_of_line(&mut self, text: &mut Vec<u8>, nesting: &mut Nesting) -> io::Result<bool> {
        loop {
            let buffer = self.input.fill_buf()?;
            if buffer.is_empty() {
                return Ok(true);
            }
            let end = buffer.iter().position(|byte| *byte == b'\n');
            let part = &buffer[..end.unwrap_or(buffer.len())];
            part.iter().for_each(|byte| nesting.take(*byte));
            keep(text, part);
            let read = end.map_or(buffer.len(), |end| end + 1);
            self.input.consume(read);
            if end.is_some() {
                keep(text, b"\n");
                self.line += 1;
                return Ok(false);
            }
        }
    }

    fn in_batch(&mut self) -> io::Result<NextEvent> {
        let next = self.past_blanks()?;
        let bad = |line, why: &str| Ok(NextEvent::Bad { line, why: why.into() });
        match next {
            None => {
                self.form = Some(Form::Done);
                bad(self.line, "The list of events does not end: a ] is missing")
            }
            Some(b']') => {
                self.input.consume(1);
                let after = self.past_blanks()?;
                self.form = Some(Form::Done);
                match after {
                    None => Ok(NextEvent::End),
                    Some(_) => bad(self.line, "Something follows the list of events"),
                }
            }
            Some(b',') if self.begun => {
                self.input.consume(1);
                match self.past_blanks()? {
                    Some(b']' | b',') => bad(self.line, "An event is missing after the comma"),
                    _ => self.element(),
                }
            }
            Some(b',') => {
                self.input.consume(1);
                bad(self.line, "An event is missing before the comma")
            }
            Some(_) => self.element(),
        }
    }

    /// Reads an event of a list, up to the comma or bracket after it.
    fn element(&mut self) -> io::Result<NextEvent> {
        self.begun = true;
        let first = self.line;
        let mut text = Vec::new();
        let mut nesting = Nesting::default();
        loop {
            let buffer = self.input.fill_buf()?;
            if buffer.is_empty() {
                return Ok(made(first, &text));
            }
            let mut end = None;
            for (at, byte) in buffer.iter().enumerate() {
                if nesting.depth == 0 && !nesting.quoted && matches!(byte, b',' | b']') {
                    end = Some(at);
                    break;
                }
                if *byte == b'\n' {
                    self.line += 1;
                }
                nesting.take(*byte);
            }
            let read = end.unwrap_or(buffer.len());
            keep(&mut text, &buffer[..read]);
            self.input.consume(read);
            if end.is_some() {
                return Ok(made(first, &text));
            }
        }
    }
}

/// Keeps a part of an event's text, and of one that is far too long only enough to tell.
fn keep(text: &mut Vec<u8>, part: &[u8]) {
    let room = (EVENT_TEXT_BYTES + 1).saturating_sub(text.len());
    text.extend_from_slice(&part[..part.len().min(room)]);
}

fn made(line: u64, text: &[u8]) -> NextEvent {
    let bad = |why: String| NextEvent::Bad { line, why };
    if text.len() > EVENT_TEXT_BYTES {
        return bad("The event is far larger than an event may be".into());
    }
    let Ok(text) = std::str::from_utf8(text) else { return bad("The event is not text in UTF-8".into()) };
    // Deeper than any data may be, so that data too deep is refused in its own words.
    match json::parse(text.trim_end(), VALUE_LEVELS + 64) {
        Ok(Value::Object(event)) => NextEvent::Event { line, event },
        Ok(_) => bad("Expected an event, which is a JSON object".into()),
        // The words count lines within the event.
        Err(why) => bad(format!("This is not JSON: {}", why.to_string().replace(" at line 1 column", " at column"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a text in small pieces, as a pipe may give it.
    fn all(text: &[u8]) -> Vec<String> {
        let mut reads = Vec::new();
        for size in [1, 7, 4096] {
            let mut texts = EventTexts::new(io::BufReader::with_capacity(size.max(3), text));
            let mut found = Vec::new();
            loop {
                match texts.next_event().expect("read") {
                    NextEvent::Event { line, event } => found.push(format!("{line} {}", Value::Object(event))),
                    NextEvent::Bad { line, why } => found.push(format!("{line}! {why}")),
                    NextEvent::End => break,
                }
                assert!(found.len() < 100, "it ends");
            }
            reads.push(found);
        }
        assert_eq!(reads[0], reads[1]);
        assert_eq!(reads[1], reads[2]);
        reads.remove(0)
    }

    #[test]
    fn events_stand_on_lines() {
        assert_eq!(all(b""), Vec::<String>::new());
        assert_eq!(all(b" \r\n\n"), Vec::<String>::new());
        assert_eq!(
            all("\u{feff}{\"a\":1}\r\n\n{\"b\":\"}\\\"{\"}\n  {\"c\":[]}".as_bytes()),
            ["1 {\"a\":1}", "3 {\"b\":\"}\\\"{\"}", "4 {\"c\":[]}"]
        );
        assert_eq!(all(b"{\n  \"a\": [\n    1\n  ]\n}\n{\"b\":2}\n"), ["1 {\"a\":[1]}", "6 {\"b\":2}"]);
    }

    #[test]
    fn a_bad_line_spoils_no_other() {
        let found =
            all(b"{\"a\":1\n{\"b\":2}\nnonsense\n7\n{\"c\":\"\n{\"d\":4}\n\xff\xfe\n{\"e\":5}{\"f\":6}\n{\"g\":7}");
        let starts: Vec<&str> = found.iter().map(|line| &line[..2.min(line.len())]).collect();
        assert_eq!(starts, ["1!", "2 ", "3!", "4!", "5!", "6 ", "7!", "8!", "9 "], "{found:#?}");
        assert!(found[2].contains("This is not JSON") && found[2].contains("column"), "{found:#?}");
        assert!(found[3].contains("JSON object"), "{found:#?}");
        assert!(found[6].contains("UTF-8"), "{found:#?}");
    }

    #[test]
    fn events_stand_in_a_list() {
        assert_eq!(all(b"[]"), Vec::<String>::new());
        assert_eq!(all(b"\n[ {\"a\":\"],\"},\n\n {\"b\":[1,2]}\n]\n"), ["2 {\"a\":\"],\"}", "4 {\"b\":[1,2]}"]);
        let words = |text: &[u8]| all(text).join("\n");
        assert_eq!(
            words(b"[{\"a\":1},\n7,{\"b\":2}]"),
            "1 {\"a\":1}\n2! Expected an event, which is a JSON object\n2 {\"b\":2}"
        );
        assert!(words(b"[{\"a\":1}").contains("does not end"));
        assert!(words(b"[{\"a\":1},]").contains("missing after the comma"));
        assert!(words(b"[,{\"a\":1}]").contains("missing before the comma"));
        assert!(words(b"[{\"a\":1}] x").contains("follows the list"));
        assert!(words(b"[{\"a\":1} {\"b\":1}]").contains("not JSON"));
        assert!(words(b"[{\"a\":\"").contains("not JSON"));
        assert!(words(b"[").contains("does not end"));
    }

    #[test]
    fn a_text_far_too_long_is_told_and_passed_over() {
        let mut text = b"{\"a\":\"".to_vec();
        text.extend(std::iter::repeat_n(b'x', EVENT_TEXT_BYTES));
        text.extend(b"\"}\n{\"b\":1}\n");
        let mut texts = EventTexts::new(text.as_slice());
        assert!(matches!(texts.next_event().expect("read"), NextEvent::Bad { line: 1, .. }));
        assert!(matches!(texts.next_event().expect("read"), NextEvent::Event { line: 2, .. }));
        assert_eq!(texts.next_event().expect("read"), NextEvent::End);
    }
}
