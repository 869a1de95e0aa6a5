//! Expressions within documents: `$data.revenue > 100` of a filter, and what a workflow computes.
//!
//! An expression sees the language's own library and the names its place gives, whose values may be anything.

use crate::rules::{self, Rule};
use crate::{Diagnostic, parse, settle, strip};
use playbook_model::position::Span;

/// One expression to judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expression<'a> {
    /// Its text, without the marks around it.
    pub text: &'a str,
    /// The names its place has, such as `$data`.
    pub names: &'a [&'a str],
}

/// The compiler's numbers that say a name is not there.
pub(crate) const NAME_CODES: [u32; 13] =
    [2304, 2503, 2552, 2580, 2581, 2582, 2583, 2584, 2585, 2591, 2592, 2693, 18004];

/// Judges what the text alone tells: that it is one expression, and reaches for nothing outside.
///
/// # Errors
/// The faults, in the order of the text.
pub fn expression(text: &str) -> Result<(), Vec<Diagnostic>> {
    let found = parse::expression(text, rules::judge_expression);
    let mut faults: Vec<Diagnostic> = match found {
        Err(unparsed) => vec![unparsed.into_diagnostic()],
        Ok(findings) => findings.into_iter().map(|finding| finding.diagnostic).collect(),
    };
    if faults.is_empty() {
        return Ok(());
    }
    settle(&mut faults);
    Err(faults)
}

/// Blanks the types of an expression; each line and column stays.
///
/// # Errors
/// The first fault that keeps it from being read.
pub fn strip_expression(text: &str) -> Result<String, Diagnostic> {
    let beyond = parse::expression(text, |text, expr| {
        rules::judge_expression(text, expr).into_iter().find(|finding| finding.rule == Rule::Erasable)
    });
    match beyond {
        Err(unparsed) => return Err(unparsed.into_diagnostic()),
        Ok(Some(finding)) => return Err(finding.diagnostic),
        Ok(None) => {}
    }
    // In brackets it is an expression wherever it begins, with `{` or `function` too.
    let blanked = strip::blank(format!("({text}\n)")).map_err(parse::Unparsed::into_diagnostic)?;
    let inner = blanked.strip_prefix('(').and_then(|rest| rest.trim_end().strip_suffix(')'));
    let inner = inner.map(|inner| inner.strip_suffix('\n').unwrap_or(inner));
    inner.map(str::to_owned).ok_or_else(parse::unreadable)
}

/// Many expressions as one file for the compiler.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) text: String,
    /// The place of each expression in the file, and its index among those asked about.
    places: Vec<(Span, usize)>,
}

impl Batch {
    /// Expressions that each parse alone, so that none closes what is put around it.
    pub(crate) fn of<'a>(expressions: impl Iterator<Item = (usize, &'a Expression<'a>)>) -> Self {
        let mut batch = Self::default();
        for (at, expression) in expressions {
            let names: Vec<String> = expression.names.iter().map(|name| format!("{name}: any")).collect();
            batch.text.push_str(&format!("export const expression{at} = ({}) => (\n", names.join(", ")));
            let start = batch.text.len();
            batch.text.push_str(expression.text);
            batch.places.push((Span::new(start, batch.text.len()), at));
            batch.text.push_str("\n);\n");
        }
        batch
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Whose a place in the file is, and where in its own text.
    pub(crate) fn owner(&self, span: Span) -> Option<(usize, Span)> {
        let found = self.places.partition_point(|(place, _)| place.end < span.start);
        let (place, at) = self.places.get(found)?;
        (place.start <= span.start)
            .then(|| (*at, Span::new(span.start - place.start, span.end.min(place.end).saturating_sub(place.start))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_go_and_columns_stay() {
        let cases = [
            ("$data.a > 1", "$data.a > 1"),
            ("($data as number) + 1", "($data          ) + 1"),
            ("{ a: $data! }", "{ a: $data  }"),
            ("$data.map((e: string) => e) // done", "$data.map((e        ) => e) // done"),
            ("  '😀' as string", "  '😀'          "),
        ];
        for (text, expected) in cases {
            assert_eq!(strip_expression(text).as_deref(), Ok(expected), "{text}");
            assert_eq!(expression(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn only_one_expression_is_an_expression() {
        for text in [
            "",
            "  ",
            "// nothing",
            "a; b",
            "let a = 1",
            "return 1",
            "a) (b",
            "a), (b",
            "(a",
            "a b",
            "`${a",
            "function",
            "1 +",
        ] {
            let faults = expression(text).expect_err(text);
            assert_eq!(faults.len(), 1, "{text}: {faults:?}");
            assert_eq!(faults[0].code, "expression.syntax", "{text}");
            assert!(faults[0].span.end <= text.len(), "{text}");
            assert!(strip_expression(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_expression_reaches_nothing_and_waits_for_nothing() {
        let cases = [
            ("eval('1')", "module.code"),
            ("import('a')", "module.import"),
            ("require('a')", "module.import"),
            ("(async () => 1)()", "module.async"),
            ("class { constructor(private a: 1) {} }", "module.parameter_property"),
        ];
        for (text, code) in cases {
            assert_eq!(expression(text).expect_err(text)[0].code, code, "{text}");
        }
        let text = "1 + eval('2')";
        let span = expression(text).expect_err("it builds code")[0].span;
        assert_eq!(&text[span.start..span.end], "eval('2')");
    }

    #[test]
    fn deep_expressions_are_refused() {
        let text = format!("{}1{}", "[".repeat(20_000), "]".repeat(20_000));
        assert_eq!(expression(&text).expect_err("deep")[0].code, "module.nesting");
    }
}
