//! Places in a text: bytes, lines and columns.
//!
//! One position type for every reader: parsers count bytes, compilers count UTF-16 units, people count lines.

use serde::{Deserialize, Serialize};

/// A stretch of bytes, `start` included and `end` left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

impl Span {
    /// A stretch from `start` up to `end`.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end: end.max(start) }
    }
}

/// A place for people: line and column, both from 1, the column in UTF-16 units as editors count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LineColumn {
    /// From 1.
    pub line: u32,
    /// From 1, in UTF-16 code units.
    pub column: u32,
}

/// Where each line of a text starts. Lines end with `\n`, `\r\n` or a lone `\r`.
#[derive(Debug, Clone)]
pub struct LineIndex<'a> {
    text: &'a str,
    starts: Vec<usize>,
    /// Every so many bytes, where a character starts and how many UTF-16 units lie before it, so that a long line is
    /// not counted from its start for every place on it.
    marks: Vec<(usize, usize)>,
}

/// Bytes between two marks.
const MARK_BYTES: usize = 256;

impl<'a> LineIndex<'a> {
    /// Reads the lines of a text.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for (at, byte) in bytes.iter().enumerate() {
            if *byte == b'\n' || (*byte == b'\r' && bytes.get(at + 1) != Some(&b'\n')) {
                starts.push(at + 1);
            }
        }
        let mut marks = vec![(0, 0)];
        let mut units = 0;
        let mut next = MARK_BYTES;
        for (at, c) in text.char_indices() {
            if at >= next {
                marks.push((at, units));
                next = at + MARK_BYTES;
            }
            units += c.len_utf16();
        }
        Self { text, starts, marks }
    }

    /// UTF-16 units before a byte; a byte inside a character counts for that character.
    fn units_before(&self, byte: usize) -> usize {
        let mark = self.marks.partition_point(|(at, _)| *at <= byte) - 1;
        let (start, units) = self.marks[mark];
        let inside = self.text[start..].char_indices().take_while(|(at, c)| start + at + c.len_utf8() <= byte);
        units + inside.map(|(_, c)| c.len_utf16()).sum::<usize>()
    }

    /// How many lines the text has; an empty text has one.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.starts.len()
    }

    /// The line and column of a byte. A byte inside a character counts for that character.
    #[must_use]
    pub fn place(&self, byte: usize) -> LineColumn {
        let byte = byte.min(self.text.len());
        let line = self.starts.partition_point(|start| *start <= byte) - 1;
        let column = self.units_before(byte) - self.units_before(self.starts[line]);
        LineColumn {
            line: u32::try_from(line + 1).unwrap_or(u32::MAX),
            column: u32::try_from(column + 1).unwrap_or(u32::MAX),
        }
    }

    /// The first byte of a line counted from 1; the end of the text for a line past the last.
    #[must_use]
    pub fn line_start(&self, line: u32) -> usize {
        let at = usize::try_from(line).unwrap_or(usize::MAX).saturating_sub(1);
        self.starts.get(at).copied().unwrap_or(self.text.len())
    }

    /// The bytes of a line counted from 1, without its line break.
    #[must_use]
    pub fn line_span(&self, line: u32) -> Span {
        let start = self.line_start(line);
        let end = self.line_start(line.saturating_add(1)).max(start);
        let text = self.text[start..end].trim_end_matches(['\n', '\r']);
        Span::new(start, start + text.len())
    }

    /// The byte of a UTF-16 offset into the whole text, as the TypeScript compiler counts.
    #[must_use]
    pub fn byte_of_utf16(&self, offset: usize) -> usize {
        let mark = self.marks.partition_point(|(_, units)| *units <= offset) - 1;
        let (start, mut units) = self.marks[mark];
        for (at, c) in self.text[start..].char_indices() {
            if units >= offset {
                return start + at;
            }
            units += c.len_utf16();
        }
        self.text.len()
    }

    /// The byte of a line and column; clamped to the line.
    #[must_use]
    pub fn byte(&self, place: LineColumn) -> usize {
        let span = self.line_span(place.line);
        let wanted = usize::try_from(place.column).unwrap_or(usize::MAX).saturating_sub(1);
        let mut units = 0;
        for (at, c) in self.text[span.start..span.end].char_indices() {
            if units >= wanted {
                return span.start + at;
            }
            units += c.len_utf16();
        }
        span.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_counted_as_a_short_one() {
        let text = format!("{}\n{}b", "é".repeat(1_000), "a😀".repeat(700));
        let index = LineIndex::new(&text);
        let mut units = 0;
        let mut column = 1;
        let mut line = 1;
        for (at, c) in text.char_indices() {
            assert_eq!(index.place(at), LineColumn { line, column }, "byte {at}");
            assert_eq!(index.byte_of_utf16(units), at);
            units += c.len_utf16();
            column += u32::try_from(c.len_utf16()).expect("one or two");
            if c == '\n' {
                (line, column) = (2, 1);
            }
        }
        assert_eq!(index.byte_of_utf16(units), text.len());
    }

    #[test]
    fn columns_count_utf16_units() {
        let text = "aé😀b\r\nc\rd\n";
        let index = LineIndex::new(text);
        assert_eq!(index.lines(), 4);
        let b = text.find('b').expect("in the text");
        assert_eq!(index.place(b), LineColumn { line: 1, column: 5 });
        assert_eq!(index.byte(LineColumn { line: 1, column: 5 }), b);
        assert_eq!(index.byte_of_utf16(4), b);
        assert_eq!(index.place(text.find('c').expect("in the text")), LineColumn { line: 2, column: 1 });
        assert_eq!(index.place(text.find('d').expect("in the text")), LineColumn { line: 3, column: 1 });
        assert_eq!(index.place(999), LineColumn { line: 4, column: 1 });
        assert_eq!(&text[index.line_span(1).start..index.line_span(1).end], "aé😀b");
    }
}
