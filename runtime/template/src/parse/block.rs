//! The tags that hold others: how they open, what divides them, how they close.

use super::{Open, Opened, Parse, Part, not_open, outside};
use crate::expression::Reader;
use crate::fault::Fault;
use crate::tree::{Branch, Kind, When};
use playbook_model::position::Span;

impl Parse<'_> {
    /// Opens a tag; one with a fault is opened as well, so that what closes it is understood.
    pub(super) fn opening<T>(
        &mut self,
        span: Span,
        name: &'static str,
        read: Result<T, Fault>,
        make: impl FnOnce(T) -> Opened,
    ) -> Result<(), Fault> {
        let (kind, fault) = match read {
            Ok(read) => (make(read), Ok(())),
            Err(fault) => (Opened::Faulty(name), Err(fault)),
        };
        self.open.push(Open { span, before: std::mem::take(&mut self.nodes), kind });
        fault
    }

    pub(super) fn system_block(&mut self, span: Span, rest: Span) -> Result<(), Fault> {
        let mut faults = Vec::new();
        if rest.start < rest.end {
            faults.push(Fault::new("template.system", span, "The tag `system` takes nothing after its name."));
        }
        if !self.open.is_empty() {
            faults.push(Fault::new("template.system", span, "A system block stands outside every other tag."));
        }
        self.systems += 1;
        if self.systems > 1 {
            faults.push(Fault::new("template.system", span, "A template has one system block at most."));
        }
        self.faults.append(&mut faults);
        self.opening(span, "system", Ok(()), |()| Opened::System)
    }

    pub(super) fn elsif(&mut self, span: Span, rest: Span) -> Result<(), Fault> {
        let condition = self.read(rest, span, Reader::chain);
        let body = std::mem::take(&mut self.nodes);
        match self.open.last_mut().map(|open| &mut open.kind) {
            Some(Opened::If { branches, current, .. }) => match current.take() {
                Some((before, takes)) => {
                    branches.push(Branch { condition: before, takes, body: self.bodies.add(body) });
                    *current = Some((condition?, true));
                    Ok(())
                }
                None => Err(Fault::new("template.else", span, "The tag `elsif` cannot follow `else`.")),
            },
            Some(Opened::Faulty("if" | "unless")) => Ok(()),
            _ => Err(outside("elsif", "`if` or `unless`", span)),
        }
    }

    pub(super) fn otherwise(&mut self, span: Span, rest: Span) -> Result<(), Fault> {
        if rest.start < rest.end {
            let fault = Fault::new("template.rest", rest, "The tag `else` takes nothing after its name.");
            return Err(fault.hint("For another condition, write `elsif`."));
        }
        let twice = || Err(Fault::new("template.else", span, "There is an `else` before this one."));
        let body = std::mem::take(&mut self.nodes);
        match self.open.last_mut().map(|open| &mut open.kind) {
            Some(Opened::If { branches, current, .. }) => match current.take() {
                Some((before, takes)) => {
                    branches.push(Branch { condition: before, takes, body: self.bodies.add(body) });
                    Ok(())
                }
                None => twice(),
            },
            Some(Opened::Case { whens, current, .. }) => match std::mem::replace(current, Part::Else) {
                // What stands before the first `when` is dropped.
                Part::Start => Ok(()),
                Part::When(values) => {
                    whens.push(When { values, body: self.bodies.add(body) });
                    Ok(())
                }
                Part::Else => twice(),
            },
            Some(Opened::Loop { name: "for", body: first @ None, .. }) => {
                *first = Some(self.bodies.add(body));
                Ok(())
            }
            Some(Opened::Loop { name: "for", .. }) => twice(),
            Some(Opened::Faulty("if" | "unless" | "case" | "for")) => Ok(()),
            _ => Err(outside("else", "`if`, `unless`, `case` or `for`", span)),
        }
    }

    pub(super) fn when(&mut self, span: Span, rest: Span) -> Result<(), Fault> {
        let values = self.read(rest, span, |reader| {
            let mut values = vec![reader.operand()?];
            while reader.takes(",") || reader.takes_word("or") {
                values.push(reader.operand()?);
            }
            Ok(values)
        });
        let body = std::mem::take(&mut self.nodes);
        match self.open.last_mut().map(|open| &mut open.kind) {
            Some(Opened::Case { whens, current, .. }) => {
                match std::mem::replace(current, Part::Start) {
                    Part::Start => {}
                    Part::When(before) => whens.push(When { values: before, body: self.bodies.add(body) }),
                    Part::Else => {
                        return Err(Fault::new("template.else", span, "A `when` cannot follow `else`."));
                    }
                }
                *current = Part::When(values?);
                Ok(())
            }
            Some(Opened::Faulty("case")) => Ok(()),
            _ => Err(outside("when", "`case`", span)),
        }
    }

    pub(super) fn end(&mut self, span: Span, opened: &str, rest: Span) -> Result<(), Fault> {
        let Some(open) = self.open.pop_if(|open| open.kind.name() == opened) else {
            return Err(match self.open.last() {
                Some(inner) => {
                    not_open(opened, span).hint(format!("The tag that is open here is `{}`.", inner.kind.name()))
                }
                None => not_open(opened, span),
            });
        };
        self.close(open, span);
        if rest.start < rest.end {
            let words = format!("The tag `end{opened}` takes nothing after its name.");
            return Err(Fault::new("template.rest", rest, words));
        }
        Ok(())
    }

    /// Puts a tag that is read to its end among what stands around it.
    pub(super) fn close(&mut self, open: Open, end: Span) {
        let body = std::mem::replace(&mut self.nodes, open.before);
        let body = self.bodies.add(body);
        let kind = match open.kind {
            Opened::If { mut branches, current, .. } => {
                let otherwise = match current {
                    Some((condition, takes)) => {
                        branches.push(Branch { condition, takes, body });
                        None
                    }
                    None => Some(body),
                };
                Kind::If { branches, otherwise }
            }
            Opened::Case { subject, mut whens, current } => {
                let otherwise = match current {
                    Part::Start => None,
                    Part::When(values) => {
                        whens.push(When { values, body });
                        None
                    }
                    Part::Else => Some(body),
                };
                Kind::Case { subject, whens, otherwise }
            }
            Opened::Loop { name, mut made, body: first } => {
                (made.body, made.otherwise) = match first {
                    Some(first) => (first, Some(body)),
                    None => (body, None),
                };
                if name == "for" { Kind::For(made) } else { Kind::TableRow(made) }
            }
            Opened::System => Kind::System(body),
            Opened::Faulty(_) => return,
        };
        self.push(Span::new(open.span.start, end.end), kind);
    }

    /// Says of every tag past the first `keep` that it is not closed.
    pub(super) fn close_all(&mut self, keep: usize) {
        while self.open.len() > keep {
            let Some(open) = self.open.pop() else { break };
            let name = open.kind.name();
            self.faults.push(
                Fault::new("template.open", open.span, format!("The tag `{name}` is not closed."))
                    .hint(format!("Close it with `{{% end{name} %}}`.")),
            );
            self.nodes = open.before;
        }
    }
}
