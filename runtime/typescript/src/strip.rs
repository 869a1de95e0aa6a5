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
    let found = parse::module(text, |text, module| crate::rules::judge(text, module).beyond_types());
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

#[cfg(test)]
mod tests {
    use super::*;

    fn widths(text: &str) -> Vec<usize> {
        text.split('\n').map(|line| line.encode_utf16().count()).collect()
    }

    #[test]
    fn lines_and_columns_stay() {
        let text = "type A<T> = {\n  b: 'é😀日本';\n};\ninterface B extends A<1> {}\n\
            export function f<T extends A<T>>(this: void, a: T, b?: string, ...rest: number[]): asserts a is T {\r\n  \
            const é = '😀' as unknown as string; let x!: number; x = rest[0]! satisfies number; return (a as any)<T>;\n}\n\
            export function over(a: string): void;\nexport function over(a: unknown) { class C { declare x: number; private readonly y: string = ''; } }\n";
        let blanked = strip(text).expect("it strips");
        assert_eq!(widths(&blanked), widths(text), "{blanked}");
        for kept in ["const é = '😀'", "x = rest[0]", "export function f", "class C"] {
            let column = |text: &str| {
                let at = text.find(kept).expect("kept");
                playbook_model::position::LineIndex::new(text).place(at)
            };
            assert_eq!(column(text), column(&blanked), "{kept}");
        }
        for gone in ["type A", "interface", "asserts", "satisfies", "as any", "declare", "readonly"] {
            assert!(!blanked.contains(gone), "{gone} in {blanked}");
        }
    }

    #[test]
    fn a_line_that_begins_with_a_bracket_is_not_joined_to_a_type() {
        let blanked =
            strip("export function f(g: any) {\n  type A = 1\n  (g)\n  const h = (a: number):\n    number => a;\n}")
                .expect("it strips");
        assert!(blanked.contains(';'), "{blanked}");
        assert!(!blanked.contains("number"), "{blanked}");
    }

    #[test]
    fn what_is_more_than_types_is_refused_at_its_place() {
        for text in [
            "enum A { B }",
            "namespace A { export const b = 1; }",
            "export function f() { return <any>1; }",
            "@f class A {}",
        ] {
            let refused = strip(text).expect_err(text);
            assert!(refused.code.starts_with("module."), "{refused:?}");
        }
        assert_eq!(strip("let = ;").expect_err("no TypeScript").code, "module.syntax");
    }

    #[test]
    fn deep_text_is_refused() {
        let text = format!("x = {}1{}", "(".repeat(30_000), ")".repeat(30_000));
        assert_eq!(strip(&text).expect_err("deep").code, "module.nesting");
    }
}
