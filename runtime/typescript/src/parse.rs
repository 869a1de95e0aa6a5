//! The parser of the structural rules, on a stack of its own.
//!
//! Offsets that leave this module are bytes of the text, from 0.

use crate::Diagnostic;
use crate::guard::{self, Measured};
use playbook_model::position::Span;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use swc_common::BytePos;
use swc_ecma_ast::{EsVersion, Expr, Module, ModuleItem, Stmt};
use swc_ecma_parser::{Parser, StringInput, Syntax, TsSyntax, error::Error, lexer::Lexer};

/// The stack of a thread that parses: the guard's levels at the parser's largest frames, and as much again.
const STACK_BYTES: usize = 64 * 1024 * 1024;

/// Why a text has no structure to judge.
#[derive(Debug)]
pub(crate) enum Unparsed {
    /// It nests too deep for any parser; the only problem worth saying.
    TooDeep(Diagnostic),
    /// It is not TypeScript, in this parser's words; the compiler's are better.
    Syntax(Diagnostic),
}

impl Unparsed {
    pub(crate) fn into_diagnostic(self) -> Diagnostic {
        match self {
            Self::TooDeep(diagnostic) | Self::Syntax(diagnostic) => diagnostic,
        }
    }
}

/// Parses a module and gives what `read` makes of it.
pub(crate) fn module<T: Send + 'static>(
    text: &str,
    read: impl FnOnce(&str, &Module) -> T + Send + 'static,
) -> Result<T, Unparsed> {
    measured(text)?;
    let text = text.to_owned();
    deep(move || {
        let text = text.as_str();
        let (module, errors) = {
            let mut parser = Parser::new_from(lexer(text));
            let module = parser.parse_module();
            (module, parser.take_errors())
        };
        match module {
            Ok(module) if errors.is_empty() => Ok(read(text, &module)),
            Ok(_) => Err(syntax(text, errors.first())),
            Err(error) => Err(syntax(text, Some(&error))),
        }
    })
}

/// Parses a text that is one expression and nothing else, and gives what `read` makes of it.
///
/// It is read in brackets, which are numbered so that its own bytes count as if they stood alone.
pub(crate) fn expression<T: Send + 'static>(
    text: &str,
    read: impl FnOnce(&str, &Expr) -> T + Send + 'static,
) -> Result<T, Unparsed> {
    measured(text)?;
    let wrapped = format!("({text}\n)");
    let text = text.to_owned();
    deep(move || {
        let text = text.as_str();
        let (script, errors) = {
            let mut parser = Parser::new_from(lexer_from(&wrapped, 0));
            let script = parser.parse_module();
            (script, parser.take_errors())
        };
        let failed = match script {
            Ok(module) if errors.is_empty() => {
                // `a) + (b` closes the wrapper and opens another: then the whole is not one pair of brackets.
                if let [ModuleItem::Stmt(Stmt::Expr(statement))] = module.body.as_slice()
                    && let Expr::Paren(paren) = &*statement.expr
                    && paren.span.lo.0 == 0
                    && paren.span.hi.0 as usize == wrapped.len()
                {
                    return Ok(read(text, &paren.expr));
                }
                None
            }
            Ok(_) => errors.into_iter().next(),
            Err(error) => Some(error),
        };
        Err(Unparsed::Syntax(alone(text, failed.as_ref())))
    })
}

/// The words for a text that is no expression, from parsing it without a wrapper.
fn alone(text: &str, wrapped: Option<&Error>) -> Diagnostic {
    let whole = Span::new(0, text.len());
    if text.trim().is_empty() {
        return Diagnostic::new("expression.syntax", whole, "An expression is missing.");
    }
    let mut parser = Parser::new_from(lexer(text));
    match parser.parse_expr() {
        Err(error) => Diagnostic::new("expression.syntax", clamped(text, &error), sentence(&error)),
        Ok(expr) => {
            use swc_common::Spanned;
            let end = span(expr.span()).end.min(text.len());
            let rest = text[end..].len() - text[end..].trim_start().len() + end;
            if rest < text.len() {
                let first = text[rest..].chars().next().map_or(0, char::len_utf8);
                let at = Span::new(rest, rest + first);
                Diagnostic::new("expression.syntax", at, "The expression ends before this; it is one expression.")
            } else {
                let words = wrapped.map_or_else(|| "This is not one expression.".to_owned(), sentence);
                Diagnostic::new("expression.syntax", whole, words)
            }
        }
    }
}

/// The bytes of a parser's span.
pub(crate) fn span(span: swc_common::Span) -> Span {
    // The parser counts from 1, since it keeps 0 for "nowhere".
    let byte = |position: BytePos| (position.0 as usize).saturating_sub(1);
    Span::new(byte(span.lo), byte(span.hi))
}

/// Works on a thread with a stack that fits what the guard lets through.
///
/// The guard keeps texts away whose reading would never end, as far as they are known.
/// For any other the thread is left behind, so that whoever waits gets an answer all the same.
pub(crate) fn deep<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Unparsed> + Send + 'static,
) -> Result<T, Unparsed> {
    let (answer, answers) = channel();
    let Some(reader) = Reader::take() else {
        return Err(Unparsed::TooDeep(endless()));
    };
    let thread = std::thread::Builder::new().name("typescript parser".into()).stack_size(STACK_BYTES);
    let spawned = thread.spawn(move || {
        let _reader = reader;
        // Nobody to tell when the one who asked has given up.
        let _ = answer.send(work());
    });
    if let Err(error) = spawned {
        tracing::error!(%error, "no thread for the TypeScript parser");
        return Err(Unparsed::Syntax(unreadable()));
    }
    match answers.recv_timeout(READING) {
        Ok(result) => result,
        Err(RecvTimeoutError::Timeout) => {
            tracing::warn!("a text was not read in time; its thread is left behind");
            Err(Unparsed::TooDeep(endless()))
        }
        Err(RecvTimeoutError::Disconnected) => {
            tracing::error!("the TypeScript parser panicked");
            Err(Unparsed::Syntax(unreadable()))
        }
    }
}

/// How long reading one text may take; one of the largest takes some thousandths of it.
const READING: Duration = Duration::from_secs(5);
/// The most threads that read at once; so many are only there when most were left behind.
const READERS: usize = 32;
static READING_NOW: AtomicUsize = AtomicUsize::new(0);

/// A thread that reads.
struct Reader;

impl Reader {
    fn take() -> Option<Self> {
        let before = READING_NOW.fetch_add(1, Ordering::Relaxed);
        let reader = Self;
        (before < READERS).then_some(reader)
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        READING_NOW.fetch_sub(1, Ordering::Relaxed);
    }
}

fn endless() -> Diagnostic {
    Diagnostic::new("module.nesting", Span::new(0, 0), "The program takes too long to read.")
        .hint("Give inner functions and conditions names of their own.")
}

fn measured(text: &str) -> Result<(), Unparsed> {
    match guard::measure(text) {
        Measured::Shallow => Ok(()),
        Measured::TooDeep(diagnostic) => Err(Unparsed::TooDeep(diagnostic)),
        Measured::Unreadable(diagnostic) => Err(Unparsed::Syntax(diagnostic)),
    }
}

pub(crate) fn unreadable() -> Diagnostic {
    Diagnostic::new("module.syntax", Span::new(0, 0), "The program could not be read as TypeScript.")
}

/// How TypeScript is read here.
pub(crate) fn dialect() -> TsSyntax {
    TsSyntax { decorators: true, ..TsSyntax::default() }
}

fn lexer(text: &str) -> Lexer<'_> {
    lexer_from(text, 1)
}

fn lexer_from(text: &str, start: u32) -> Lexer<'_> {
    let end = u32::try_from(text.len()).unwrap_or(u32::MAX - 1) + start;
    let input = StringInput::new(text, BytePos(start), BytePos(end));
    Lexer::new(Syntax::Typescript(dialect()), EsVersion::EsNext, input, None)
}

fn syntax(text: &str, error: Option<&Error>) -> Unparsed {
    Unparsed::Syntax(
        error.map_or_else(unreadable, |error| Diagnostic::new("module.syntax", clamped(text, error), sentence(error))),
    )
}

fn clamped(text: &str, error: &Error) -> Span {
    use swc_common::Spanned;
    let found = span(error.span());
    let boundary = |at: usize| text.floor_char_boundary(at);
    Span::new(boundary(found.start), boundary(found.end))
}

fn sentence(error: &Error) -> String {
    let words = error.kind().msg();
    let end = if words.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{words}{end}")
}
