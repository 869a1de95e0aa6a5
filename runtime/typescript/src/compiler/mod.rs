//! The kept compiler: one process, one check at a time.
//!
//! A check has two seconds of the clock once the compiler is ready; waiting for one's turn does not count.
//! A process that overruns is killed, since it ignores anything politer, and the next check starts another.

mod files;
mod process;
mod wire;
mod words;

use crate::expression::{self, Expression};
use crate::rules::{self, FunctionKind, Judged, Rule};
use crate::{Diagnostic, Module, binary, parse, settle};
use files::Files;
use playbook_model::limits;
use playbook_model::position::{LineIndex, Span};
use process::{Failure, Found, Process};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

const CHECK: Duration = Duration::from_millis(limits::CHECK_MILLISECONDS);
const START: Duration = Duration::from_millis(limits::CHECKER_START_MILLISECONDS);

/// Why a text could not be judged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unjudged {
    /// There is no compiler on this computer.
    #[error("{sentence}")]
    Missing {
        /// How to get it.
        sentence: String,
    },
    /// The check took longer than it may, or more memory. "Bounds": refused as `invalid_input`.
    #[error(
        "The check took longer than {} seconds: simplify the types, split the module, or save again when the computer is less busy.",
        limits::CHECK_MILLISECONDS / 1_000
    )]
    OutOfTime,
    /// The compiler did not start or broke down. "Bounds": `unavailable`.
    #[error("The TypeScript compiler is not ready: {why}.")]
    NotReady {
        /// What went wrong.
        why: String,
    },
}

/// The TypeScript compiler.
///
/// Starts with the first check; [`Compiler::warm`] starts it ahead of that.
/// Shared by reference between threads; checks take turns.
#[derive(Debug, Default)]
pub struct Compiler {
    /// A program to use instead of the one that travels with ours.
    program: Option<PathBuf>,
    process: Mutex<Option<Process>>,
}

impl Compiler {
    /// A compiler that is not started yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A compiler that runs another program; a `lib.d.ts` must lie beside it.
    #[must_use]
    pub fn of(program: impl Into<PathBuf>) -> Self {
        Self { program: Some(program.into()), process: Mutex::default() }
    }

    /// Starts the compiler unless it runs. Blocks for up to ten seconds.
    ///
    /// # Errors
    /// [`Unjudged::Missing`] and [`Unjudged::NotReady`], with a sentence for people.
    pub fn warm(&self) -> Result<(), Unjudged> {
        self.started(&mut self.turn())
    }

    /// Judges a module: its structure, its types and its exports, all faults at once in the order of the text.
    /// Blocks for its turn and up to two seconds.
    ///
    /// # Errors
    /// [`Unjudged`] where the compiler gave no verdict; [`crate::structure`] then tells what the text alone does.
    pub fn check(&self, module: &Module<'_>) -> Result<Vec<Diagnostic>, Unjudged> {
        let judged = match parse::module(module.text, rules::judge) {
            Ok(judged) => Ok(judged),
            // No parser may see it, the compiler's included.
            Err(parse::Unparsed::TooDeep(diagnostic)) => return Ok(vec![diagnostic]),
            Err(parse::Unparsed::Syntax(diagnostic)) => Err(diagnostic),
        };
        let (contract, asked) = judged.as_ref().map_or_else(|_| Default::default(), |it| contract(module, it));
        let files =
            Files { types: module.declarations.to_owned(), module: module.text.to_owned(), contract: contract.clone() };
        let found = self.found(&files)?;
        Ok(merged(module, judged, found, &contract, &asked))
    }

    /// Judges many expressions at once: each alone is one expression, and names only what its place has.
    /// The result has one list for each expression, in their order. Blocks for its turn and up to two seconds.
    ///
    /// # Errors
    /// [`Unjudged`] where the compiler gave no verdict; [`crate::expression()`] then tells what the text alone does.
    pub fn check_expressions(&self, expressions: &[Expression<'_>]) -> Result<Vec<Vec<Diagnostic>>, Unjudged> {
        let mut faults: Vec<Vec<Diagnostic>> =
            expressions.iter().map(|it| expression::expression(it.text).err().unwrap_or_default()).collect();
        let batch = expression::Batch::of(
            expressions.iter().enumerate().filter(|(at, _)| faults.get(*at).is_some_and(Vec::is_empty)),
        );
        if batch.is_empty() {
            return Ok(faults);
        }
        let files = Files { module: batch.text.clone(), ..Files::default() };
        let found = self.found(&files)?;
        let units = Units::of(&batch.text);
        for raw in found.syntax.iter().chain(&found.module) {
            if !found.syntax.is_empty() || expression::NAME_CODES.contains(&raw.code) {
                let span = units.span(raw);
                if let Some((at, span)) = batch.owner(span) {
                    faults[at].push(words::diagnostic(expressions[at].text, span, raw));
                }
            }
        }
        faults.iter_mut().for_each(settle);
        Ok(faults)
    }

    fn turn(&self) -> MutexGuard<'_, Option<Process>> {
        // A check that panicked left a process behind that may be in the middle of a conversation.
        self.process.lock().unwrap_or_else(|poisoned: PoisonError<_>| {
            let mut guard = poisoned.into_inner();
            *guard = None;
            self.process.clear_poison();
            guard
        })
    }

    fn started(&self, process: &mut Option<Process>) -> Result<(), Unjudged> {
        if process.is_some() {
            return Ok(());
        }
        let program = match &self.program {
            Some(program) => program.clone(),
            None => binary::program().map_err(|error| match error {
                binary::NoCompiler::Missing(sentence) => Unjudged::Missing { sentence },
                other => not_ready(&other.to_string()),
            })?,
        };
        *process = Some(Process::start(&program, START).map_err(|failure| match failure {
            Failure::OutOfTime => not_ready("it took longer than 10 seconds to start"),
            Failure::Broken(why) => not_ready(&why),
        })?);
        Ok(())
    }

    fn found(&self, files: &Files) -> Result<Found, Unjudged> {
        let mut turn = self.turn();
        let ran = turn.is_some();
        self.started(&mut turn)?;
        let mut result = check_once(&mut turn, files);
        // A kept process may have ended since the last check; a new one deserves a try.
        if ran && matches!(result, Err(Failure::Broken(_))) {
            self.started(&mut turn)?;
            result = check_once(&mut turn, files);
        }
        result.map_err(|failure| match failure {
            Failure::OutOfTime => Unjudged::OutOfTime,
            Failure::Broken(why) => not_ready(&why),
        })
    }

    #[cfg(test)]
    fn process_id(&self) -> Option<u32> {
        self.turn().as_ref().map(Process::id)
    }
}

/// The byte of each UTF-16 unit of a text: the compiler may name thousands of places.
struct Units {
    bytes: Vec<usize>,
    end: usize,
}

impl Units {
    fn of(text: &str) -> Self {
        let mut bytes = Vec::with_capacity(text.len());
        for (at, c) in text.char_indices() {
            bytes.extend(std::iter::repeat_n(at, c.len_utf16()));
        }
        Self { bytes, end: text.len() }
    }

    fn span(&self, raw: &process::Raw) -> Span {
        let byte = |unit: usize| self.bytes.get(unit).copied().unwrap_or(self.end);
        Span::new(byte(raw.pos), byte(raw.end))
    }
}

fn check_once(turn: &mut Option<Process>, files: &Files) -> Result<Found, Failure> {
    let Some(process) = turn.as_mut() else {
        return Err(Failure::Broken("it is not started".into()));
    };
    let result = process.check(files.clone(), CHECK);
    if result.is_err() {
        *turn = None;
    }
    result
}

fn not_ready(why: &str) -> Unjudged {
    tracing::warn!(why, "the TypeScript compiler is not ready");
    Unjudged::NotReady { why: why.trim_end_matches('.').to_owned() }
}

/// A file that gives each export its type, one a line, and the index of the export each line is about.
fn contract(module: &Module<'_>, judged: &Judged) -> (String, Vec<usize>) {
    let mut text = "import * as module from './module';\n".to_owned();
    let mut asked = Vec::new();
    for (at, export) in module.exports.iter().enumerate() {
        let there = judged.functions.iter().find(|function| function.name == export.name);
        // What waits is refused for that; its type would only be said to be another.
        if there.is_some_and(|function| function.kind == FunctionKind::AtOnce) {
            text.push_str(&format!(
                "export const contract{at}: {} = module.{};\n",
                export.function_type(),
                export.name
            ));
            asked.push(at);
        }
    }
    if asked.is_empty() { (String::new(), asked) } else { (text, asked) }
}

/// Our findings and the compiler's, each fault once.
fn merged(
    module: &Module<'_>,
    judged: Result<Judged, Diagnostic>,
    found: Found,
    contract: &str,
    asked: &[usize],
) -> Vec<Diagnostic> {
    let text = module.text;
    let units = Units::of(text);
    let spanned = |raw: &process::Raw| words::diagnostic(text, units.span(raw), raw);
    if !found.syntax.is_empty() {
        let mut all: Vec<Diagnostic> = found.syntax.iter().map(spanned).collect();
        if let Ok(judged) = judged {
            all.extend(judged.findings.into_iter().map(|finding| finding.diagnostic));
        }
        settle(&mut all);
        return all;
    }
    let judged = match judged {
        Ok(judged) => judged,
        // The compiler reads it and our parser does not: it could not be run either.
        Err(diagnostic) => {
            let mut all: Vec<Diagnostic> =
                found.module.iter().filter(|raw| words::is_error(raw)).map(spanned).collect();
            // A fault of the grammar has the compiler's words already.
            if !found.module.iter().any(words::is_grammar) {
                all.push(diagnostic);
            }
            settle(&mut all);
            return all;
        }
    };
    let mut all = judged.missing(text, module.exports);
    let waits = judged.findings.iter().any(|finding| finding.rule == Rule::AtOnce);
    let mut compilers: Vec<Diagnostic> = Vec::new();
    for raw in found.module.iter().filter(|raw| words::is_error(raw)) {
        let mut diagnostic = spanned(raw);
        let covering = judged
            .findings
            .iter()
            .find(|it| it.covers.start <= diagnostic.span.start && diagnostic.span.start < it.covers.end);
        match covering.map(|it| (it.rule, it)) {
            // The compiler's words, with our hint.
            Some((Rule::Erasable, finding)) => {
                if raw.code == words::NOT_ERASABLE {
                    diagnostic.hint = finding.diagnostic.hint.clone();
                }
                compilers.push(diagnostic);
            }
            Some((Rule::Own | Rule::AtOnce, _)) => {}
            None if waits && words::is_about_promises(raw) => {}
            None => compilers.push(diagnostic),
        }
    }
    for finding in judged.findings {
        let said = finding.rule == Rule::Erasable
            && compilers.iter().any(|it| {
                it.code == words::code(words::NOT_ERASABLE)
                    && finding.covers.start <= it.span.start
                    && it.span.start < finding.covers.end
            });
        if !said {
            all.push(finding.diagnostic);
        }
    }
    all.append(&mut compilers);
    let contract_index = LineIndex::new(contract);
    for raw in &found.contract {
        let line = contract_index.place(contract_index.byte_of_utf16(raw.pos)).line as usize;
        // The first line imports; each line after it asks for one export.
        let Some(export) = line.checked_sub(2).and_then(|at| asked.get(at)).and_then(|at| module.exports.get(*at))
        else {
            continue;
        };
        let place = judged.functions.iter().find(|function| function.name == export.name);
        let span = place.map_or(Span::new(0, 0), |function| function.span);
        all.push(words::signature(export, span, raw));
    }
    settle(&mut all);
    all
}

#[cfg(test)]
mod tests;
