//! Splits a template into texts, outputs and tags, with the white space that `-` takes away already gone.

use crate::fault::Fault;
use playbook_model::position::Span;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Text to write as it stands.
    Text(Span),
    /// What stands between `{{` and `}}`.
    Output { whole: Span, inner: Span },
    /// A tag's name and what follows it.
    Tag { whole: Span, name: Span, rest: Span },
}

/// The pieces of a template; comments are gone and `raw` is text.
pub(crate) fn scan(text: &str) -> Result<Vec<Piece>, Fault> {
    Scan { text, at: 0, pieces: Vec::new(), trim_next: false }.run()
}

struct Scan<'t> {
    text: &'t str,
    at: usize,
    pieces: Vec<Piece>,
    /// The last closing had a `-`.
    trim_next: bool,
}

impl Scan<'_> {
    fn run(mut self) -> Result<Vec<Piece>, Fault> {
        while self.at < self.text.len() {
            let rest = &self.text[self.at..];
            let open = rest.match_indices('{').map(|(at, _)| at).find(|at| {
                let next = rest.as_bytes().get(at + 1);
                matches!(next, Some(b'{' | b'%'))
            });
            let Some(open) = open else {
                self.text_piece(self.text.len(), false);
                break;
            };
            let start = self.at + open;
            let trims = self.text.as_bytes().get(start + 2) == Some(&b'-');
            self.text_piece(start, trims);
            self.at = start;
            if self.text.as_bytes()[start + 1] == b'{' { self.output(start, trims)? } else { self.tag(start, trims)? }
        }
        Ok(self.pieces)
    }

    /// The text from here up to `end`, without what the tags around it trim.
    fn text_piece(&mut self, end: usize, trim_end: bool) {
        let mut span = Span::new(self.at, end);
        if std::mem::take(&mut self.trim_next) {
            span.start = end - self.text[span.start..end].trim_start().len();
        }
        if trim_end {
            span.end = span.start + self.text[span.start..end].trim_end().len();
        }
        if span.start < span.end {
            self.pieces.push(Piece::Text(span));
        }
    }

    /// An output; braces inside a quoted text do not close it.
    fn output(&mut self, start: usize, trims: bool) -> Result<(), Fault> {
        let inner_start = start + 2 + usize::from(trims);
        let bytes = self.text.as_bytes();
        let mut quote = None;
        let mut at = inner_start;
        while at < bytes.len() {
            match (quote, bytes[at]) {
                (Some(_), b'\\') => at += 1,
                (Some(open), byte) if byte == open => quote = None,
                (None, byte @ (b'"' | b'\'')) => quote = Some(byte),
                (None, b'}') if bytes.get(at + 1) == Some(&b'}') => {
                    let inner = self.inner(inner_start, at);
                    self.pieces.push(Piece::Output { whole: Span::new(start, at + 2), inner });
                    self.at = at + 2;
                    return Ok(());
                }
                _ => {}
            }
            at += 1;
        }
        let fault = Fault::new("template.open", self.opening(start), "The output is not closed.");
        Err(if quote.is_some() {
            fault.hint("A quoted text in it has no closing quote.")
        } else {
            fault.hint("Close it with `}}`.")
        })
    }

    /// Leaves a closing `-` out of what stands inside, and remembers it.
    fn inner(&mut self, start: usize, end: usize) -> Span {
        self.trim_next = end > start && self.text.as_bytes()[end - 1] == b'-';
        Span::new(start, end - usize::from(self.trim_next))
    }

    /// The first line of what is open, as the place of a fault.
    fn opening(&self, start: usize) -> Span {
        let line = self.text[start..].lines().next().map_or(0, str::len);
        Span::new(start, start + line)
    }

    /// A tag ends at the first `%}`, quoted or not.
    fn tag(&mut self, start: usize, trims: bool) -> Result<(), Fault> {
        let inner_start = start + 2 + usize::from(trims);
        let Some(length) = self.text.get(inner_start..).and_then(|rest| rest.find("%}")) else {
            return Err(
                Fault::new("template.open", self.opening(start), "The tag is not closed.").hint("Close it with `%}`.")
            );
        };
        let end = inner_start + length;
        let whole = Span::new(start, end + 2);
        let inner = self.inner(inner_start, end);
        self.at = whole.end;
        let (name, rest) = split_tag(self.text, inner);
        match &self.text[name.start..name.end] {
            "raw" => self.raw(whole),
            "comment" => self.comment(whole),
            _ => {
                self.pieces.push(Piece::Tag { whole, name, rest });
                Ok(())
            }
        }
    }

    /// The text up to `endraw`, as it stands: what opens it trims nothing in it.
    fn raw(&mut self, opening: Span) -> Result<(), Fault> {
        let end = self.closing(opening, "endraw")?;
        self.trim_next = false;
        self.text_piece(end.start, false);
        self.trim_next = end.trims;
        self.at = end.after;
        Ok(())
    }

    /// Nothing, up to `endcomment`.
    fn comment(&mut self, opening: Span) -> Result<(), Fault> {
        let end = self.closing(opening, "endcomment")?;
        self.trim_next = end.trims;
        self.at = end.after;
        Ok(())
    }

    /// The next tag that is `name` alone. `endraw` cannot trim what stands before it.
    fn closing(&self, opening: Span, name: &str) -> Result<End, Fault> {
        let mut hint = format!("Close it with `{{% {name} %}}`.");
        for (offset, _) in self.text[self.at..].match_indices("{%") {
            let start = self.at + offset;
            let inside = &self.text[start + 2..];
            let trims = inside.starts_with('-');
            let Some(rest) = inside[usize::from(trims)..].trim_start().strip_prefix(name) else { continue };
            let rest = rest.trim_start();
            let trims_next = rest.starts_with('-');
            let Some(rest) = rest[usize::from(trims_next)..].strip_prefix("%}") else { continue };
            if trims && name == "endraw" {
                "Write `{% endraw %}`: a hyphen before it is not understood.".clone_into(&mut hint);
                continue;
            }
            return Ok(End { start, after: self.text.len() - rest.len(), trims: trims_next });
        }
        let words = format!("The tag `{}` is not closed.", &name["end".len()..]);
        Err(Fault::new("template.open", opening, words).hint(hint))
    }
}

/// What closes a `raw` or a `comment`.
struct End {
    start: usize,
    /// Where the text after it starts.
    after: usize,
    /// Whether it trims that text.
    trims: bool,
}

/// The name of a tag and what follows it, both without white space around them.
pub(crate) fn split_tag(text: &str, inner: Span) -> (Span, Span) {
    let inside = &text[inner.start..inner.end];
    let start = inner.start + (inside.len() - inside.trim_start().len());
    let word = &text[start..inner.end];
    let length = if word.starts_with('#') {
        1
    } else {
        word.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-')).unwrap_or(word.len())
    };
    let name = Span::new(start, start + length);
    let rest = &text[name.end..inner.end];
    let rest_start = name.end + (rest.len() - rest.trim_start().len());
    (name, Span::new(rest_start, rest_start + rest.trim().len()))
}

/// How many names stand in the outputs and tags: a letter or underscore, then letters, digits, `_` and `-`.
pub(crate) fn count_names(text: &str, pieces: &[Piece]) -> usize {
    pieces
        .iter()
        .map(|piece| match piece {
            Piece::Text(_) => 0,
            Piece::Output { inner, .. } => names_in(&text[inner.start..inner.end]),
            Piece::Tag { name, rest, .. } if &text[name.start..name.end] != "#" => {
                names_in(&text[name.start..rest.end.max(name.end)])
            }
            Piece::Tag { .. } => 0,
        })
        .sum()
}

fn names_in(inside: &str) -> usize {
    let mut count = 0;
    let mut quote = None;
    let mut within = false;
    let mut escaped = false;
    for c in inside.chars() {
        if let Some(open) = quote {
            if escaped {
                escaped = false;
            } else if c == '\\' {
                escaped = true;
            } else if c == open {
                quote = None;
            }
            continue;
        }
        if matches!(c, '"' | '\'') {
            quote = Some(c);
            within = false;
        } else if within {
            within = c.is_alphanumeric() || c == '_' || c == '-';
        } else if c.is_alphabetic() || c == '_' {
            count += 1;
            within = true;
        } else if c.is_numeric() {
            // The letters of `1a` are part of a number or of one name, not a name of their own.
            within = true;
        }
    }
    count
}
