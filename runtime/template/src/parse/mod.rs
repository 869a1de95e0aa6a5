//! Builds the tree of a template. Open tags stand on a list of their own, so nesting costs no stack.
//!
//! How deep tags nest needs no bound of its own: each is a name, and a template has 1,000 of them at most.

mod block;
mod looped;

use crate::expression::Reader;
use crate::fault::Fault;
use crate::scan::{Piece, count_names, scan, split_tag};
use crate::tree::{Bodies, Body, Branch, Chain, Kind, Loop, Node, Operand, Tree, When};
use crate::{NAMES, SystemBlock, TEMPLATE_CHARACTERS};
use playbook_model::position::Span;
use playbook_model::word::nearest;

/// Tags that open something or stand alone, as a hint about a misspelt one names them.
const TAGS: [&str; 16] = [
    "assign",
    "if",
    "unless",
    "case",
    "for",
    "tablerow",
    "cycle",
    "increment",
    "decrement",
    "echo",
    "liquid",
    "raw",
    "comment",
    "break",
    "continue",
    "system",
];

pub(crate) fn parse(text: &str, system: SystemBlock) -> Result<Tree, Vec<Fault>> {
    let first_line = Span::new(0, text.lines().next().map_or(0, str::len));
    let characters = text.chars().count();
    if characters > TEMPLATE_CHARACTERS {
        let words = format!("The template has {characters} characters; it may have {TEMPLATE_CHARACTERS}.");
        return Err(vec![Fault::new("template.long", first_line, words)]);
    }
    let pieces = scan(text).map_err(|fault| vec![fault])?;
    let names = count_names(text, &pieces);
    if names > NAMES {
        let words = format!("The template uses {names} names in its tags and outputs; it may use {NAMES}.");
        return Err(vec![
            Fault::new("template.names", first_line, words).hint("Split it, or move work into the input."),
        ]);
    }
    let mut parse = Parse {
        text,
        system,
        bodies: Bodies::default(),
        open: Vec::new(),
        nodes: Vec::new(),
        faults: Vec::new(),
        systems: 0,
    };
    for piece in pieces {
        parse.piece(piece);
    }
    parse.close_all(0);
    if parse.faults.is_empty() {
        let root = std::mem::take(&mut parse.nodes);
        Ok(parse.bodies.finish(root))
    } else {
        parse.faults.sort_by_key(|fault| fault.span.start);
        Err(parse.faults)
    }
}

struct Parse<'t> {
    text: &'t str,
    system: SystemBlock,
    bodies: Bodies,
    open: Vec<Open>,
    /// What the innermost open tag holds so far.
    nodes: Vec<Node>,
    faults: Vec<Fault>,
    systems: usize,
}

/// A tag that is open, and what stood before it.
struct Open {
    span: Span,
    before: Vec<Node>,
    kind: Opened,
}

enum Opened {
    If {
        name: &'static str,
        branches: Vec<Branch>,
        /// The branch being read; nothing after `else`.
        current: Option<(Chain, bool)>,
    },
    Case {
        subject: Chain,
        whens: Vec<When>,
        current: Part,
    },
    Loop {
        name: &'static str,
        made: Box<Loop>,
        body: Option<Body>,
    },
    System,
    /// A tag with a fault of its own; it is closed like any other.
    Faulty(&'static str),
}

/// Which part of a `case` is being read.
enum Part {
    Start,
    When(Vec<Operand>),
    Else,
}

impl Opened {
    fn name(&self) -> &'static str {
        match self {
            Self::If { name, .. } | Self::Loop { name, .. } | Self::Faulty(name) => name,
            Self::Case { .. } => "case",
            Self::System => "system",
        }
    }
}

impl Parse<'_> {
    fn piece(&mut self, piece: Piece) {
        match piece {
            Piece::Text(span) => self.push(span, Kind::Text),
            Piece::Output { whole, inner } => {
                if let Some(chain) = self.chain(inner, whole) {
                    self.push(whole, Kind::Output(chain));
                }
            }
            Piece::Tag { whole, name, rest } => {
                if let Err(fault) = self.tag(whole, name, rest) {
                    self.faults.push(fault);
                }
            }
        }
    }

    fn push(&mut self, span: Span, kind: Kind) {
        self.nodes.push(Node { span, kind });
    }

    /// A whole value with its filters; a fault is kept.
    fn chain(&mut self, inner: Span, around: Span) -> Option<Chain> {
        match self.read(inner, around, Reader::chain) {
            Ok(chain) => Some(chain),
            Err(fault) => {
                self.faults.push(fault);
                None
            }
        }
    }

    /// Reads a span to its end.
    fn read<T>(
        &self,
        inner: Span,
        around: Span,
        with: impl FnOnce(&mut Reader) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let mut reader = Reader::new(self.text, inner, around)?;
        let read = with(&mut reader)?;
        reader.finish()?;
        Ok(read)
    }

    fn tag(&mut self, span: Span, name: Span, rest: Span) -> Result<(), Fault> {
        let word = &self.text[name.start..name.end];
        match word {
            "#" => self.note(span, rest),
            "assign" => {
                let (name, chain) = self.read(rest, span, |reader| {
                    let name = reader.name("a name to assign to")?;
                    reader.expect("=", "after the name")?;
                    Ok((name, reader.chain()?))
                })?;
                self.push(span, Kind::Assign { name, chain });
                Ok(())
            }
            "echo" => {
                if rest.start < rest.end {
                    let chain = self.read(rest, span, Reader::chain)?;
                    self.push(span, Kind::Output(chain));
                }
                Ok(())
            }
            "increment" | "decrement" => {
                let counter = self.read(rest, span, |reader| reader.name("the name of a counter"))?;
                let kind = if word == "increment" { Kind::Increment(counter) } else { Kind::Decrement(counter) };
                self.push(span, kind);
                Ok(())
            }
            "cycle" => self.cycle(span, rest),
            "break" => self.alone(span, rest, Kind::Break),
            "continue" => self.alone(span, rest, Kind::Continue),
            "liquid" => self.liquid(rest),
            "if" | "unless" => {
                let (name, takes) = if word == "if" { ("if", true) } else { ("unless", false) };
                let condition = self.read(rest, span, Reader::chain);
                self.opening(span, name, condition, |condition| Opened::If {
                    name,
                    branches: Vec::new(),
                    current: Some((condition, takes)),
                })
            }
            "case" => {
                let subject = self.read(rest, span, Reader::chain);
                self.opening(span, "case", subject, |subject| Opened::Case {
                    subject,
                    whens: Vec::new(),
                    current: Part::Start,
                })
            }
            "for" | "tablerow" => {
                let name = if word == "for" { "for" } else { "tablerow" };
                let made = self.looped(rest, span);
                self.opening(span, name, made, |made| Opened::Loop { name, made: Box::new(made), body: None })
            }
            "system" if self.system == SystemBlock::Allowed => self.system_block(span, rest),
            "elsif" => self.elsif(span, rest),
            "else" => self.otherwise(span, rest),
            "when" => self.when(span, rest),
            _ => match word.strip_prefix("end").filter(|opened| TAGS.contains(opened)) {
                Some(opened) => self.end(span, opened, rest),
                None => Err(unknown_tag(word, span, name, self.system)),
            },
        }
    }

    /// `{% # … %}`: every line starts with the sign.
    fn note(&self, span: Span, rest: Span) -> Result<(), Fault> {
        let lines = self.text[rest.start..rest.end].lines().skip(1);
        if lines.map(str::trim_start).all(|line| line.is_empty() || line.starts_with('#')) {
            return Ok(());
        }
        Err(Fault::new("template.note", span, "Every line of a note starts with `#`."))
    }

    fn alone(&mut self, span: Span, rest: Span, kind: Kind) -> Result<(), Fault> {
        self.read(rest, span, |_| Ok(()))?;
        self.push(span, kind);
        Ok(())
    }

    /// The lines of a `liquid` tag, each a tag. What opens in it closes in it.
    fn liquid(&mut self, rest: Span) -> Result<(), Fault> {
        let outside = self.open.len();
        let mut at = rest.start;
        let mut skipping = false;
        for line in self.text[rest.start..rest.end].split('\n') {
            let span = Span::new(at, at + line.len());
            at += line.len() + 1;
            if line.trim().is_empty() {
                continue;
            }
            let (name, arguments) = split_tag(self.text, span);
            let word = &self.text[name.start..name.end];
            let line = Span::new(name.start, arguments.end.max(name.end));
            if matches!(word, "comment" | "endcomment") {
                skipping = word == "comment";
            } else if skipping || word == "#" {
                continue;
            } else if word == "raw" || word == "liquid" {
                self.faults.push(Fault::new(
                    "template.tag",
                    line,
                    format!("The tag `{word}` cannot stand inside `liquid`."),
                ));
            } else if let Some(opened) = word.strip_prefix("end")
                && self.open.len() <= outside
                && TAGS.contains(&opened)
            {
                self.faults.push(not_open(opened, line));
            } else if let Err(fault) = self.tag(line, name, arguments) {
                self.faults.push(fault);
            }
        }
        self.close_all(outside);
        Ok(())
    }

    fn cycle(&mut self, span: Span, rest: Span) -> Result<(), Fault> {
        let (group, values) = self.read(rest, span, |reader| {
            let mut first = Some(reader.operand()?);
            let group = if reader.takes(":") { first.take() } else { None };
            let mut values = Vec::new();
            match first {
                Some(first) => values.push(first),
                None => values.push(reader.operand()?),
            }
            while reader.takes(",") {
                if reader.is_done() {
                    break;
                }
                values.push(reader.operand()?);
            }
            Ok((group, values))
        })?;
        // A cycle without a group is told from others by what it lists.
        let listed = self.text[rest.start..rest.end].trim_end_matches([',', ' ']).to_owned();
        let key = if group.is_some() { String::new() } else { listed };
        self.push(span, Kind::Cycle { group, key, values });
        Ok(())
    }
}

fn outside(tag: &str, of: &str, span: Span) -> Fault {
    Fault::new("template.tag", span, format!("The tag `{tag}` stands outside {of}."))
}

fn not_open(opened: &str, span: Span) -> Fault {
    Fault::new("template.tag", span, format!("The tag `end{opened}` closes nothing: no `{opened}` is open."))
}

fn unknown_tag(word: &str, span: Span, name: Span, system: SystemBlock) -> Fault {
    if word.is_empty() {
        return Fault::new("template.tag", span, "The name of a tag is missing.");
    }
    let fault = Fault::new("template.tag", name, format!("There is no tag `{word}`."));
    match word {
        "capture" | "endcapture" => fault.hint("Use `assign` with the filter `append`."),
        "include" | "render" | "layout" | "block" => fault.hint("A function is one document, so it reads no other."),
        "system" | "endsystem" => fault.hint("Only a reasoning function has a system block."),
        _ => {
            let known = TAGS.iter().copied().filter(|tag| *tag != "system" || system == SystemBlock::Allowed);
            match nearest(word, known.chain(["elsif", "else", "when"])) {
                Some(near) => fault.hint(format!("Did you mean `{near}`?")).instead(near),
                None => fault,
            }
        }
    }
}

#[cfg(test)]
mod tests;
