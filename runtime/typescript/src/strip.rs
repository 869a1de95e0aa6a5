//! Types out, everything else where it was.

use crate::{Diagnostic, parse};
use playbook_model::position::Span;
use swc_common::SourceMap;
use swc_common::errors::{DiagnosticBuilder, Emitter, Handler};
use swc_common::sync::Lrc;
use swc_ts_fast_strip::{Mode, Options, operate};

/// Blanks the types of a module, so that every line and column of what is left stays.
///
/// Columns stay as UTF-16 units; the bytes of a line may change.
/// A stack trace of the sandbox therefore names the document's own lines.
///
/// # Errors
/// The first fault that keeps the text from being read, or syntax that is more than types.
pub fn strip(text: &str) -> Result<String, Diagnostic> {
    // Parsed once before: the places of a fault come from that, and the guard stands before it.
    let found = parse::module(text, |module| crate::rules::judge(text, module).beyond_types());
    match found {
        Err(unparsed) => Err(unparsed.into_diagnostic()),
        Ok(Some(diagnostic)) => Err(diagnostic),
        Ok(None) => blank(text.to_owned()).map_err(parse::Unparsed::into_diagnostic),
    }
}

/// Blanks the types of a text that parses.
pub(crate) fn blank(text: String) -> Result<String, parse::Unparsed> {
    parse::deep(move || {
        let map: Lrc<SourceMap> = Lrc::default();
        let handler = Handler::with_emitter(true, false, Box::new(Silent));
        let options = Options {
            module: Some(true),
            filename: None,
            parser: parse::dialect(),
            mode: Mode::StripOnly,
            transform: None,
            deprecated_ts_module_as_error: None,
            source_map: false,
        };
        operate(&map, &handler, text, options).map(|output| output.code).map_err(|error| {
            let message = format!("The types could not be taken out: {}.", error.message.trim_end_matches('.'));
            parse::Unparsed::Syntax(Diagnostic::new("module.syntax", Span::new(0, 0), message))
        })
    })
}

/// Faults come back as the error; nothing is printed.
struct Silent;

impl Emitter for Silent {
    fn emit(&mut self, _: &mut DiagnosticBuilder<'_>) {}
}
