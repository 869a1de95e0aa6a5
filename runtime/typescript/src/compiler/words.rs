//! The compiler's words: kept as they are, without advice that is wrong here, with a hint where we know better.

use super::process::Raw;
use crate::{Diagnostic, Export};
use playbook_model::position::Span;
use playbook_model::problem::Edit;

/// The number of "This syntax is not allowed when 'erasableSyntaxOnly' is enabled."
pub(super) const NOT_ERASABLE: u32 = 1294;

/// The category of an error among the compiler's.
const ERROR: u8 = 1;

/// Where advice begins that tells people to change the compiler's settings or to install something.
const ADVICE: [&str; 4] =
    [" Do you need to ", " Try changing ", " Try `npm ", " Consider adding 'undefined' to the type"];

/// What the sandbox lacks, by the name that cannot be found, and what to do about it.
const LACKS: [(&[&str], &str); 9] = [
    (&["console"], "The sandbox has no console; return what you want to see."),
    (
        &[
            "setTimeout",
            "setInterval",
            "setImmediate",
            "clearTimeout",
            "clearInterval",
            "queueMicrotask",
            "requestAnimationFrame",
        ],
        "The sandbox has no timers; a function answers at once.",
    ),
    (
        &["fetch", "XMLHttpRequest", "WebSocket", "Request", "Response"],
        "The sandbox reaches no network; pass the data in.",
    ),
    (&["Promise"], "A function answers at once; there is nothing to wait for."),
    (&["Intl"], "The sandbox reads no locale; write the text in the form you need."),
    (
        &["require", "process", "Buffer", "module", "exports", "__dirname", "global"],
        "The sandbox is not Node; it has the language's own library.",
    ),
    (
        &["window", "document", "navigator", "localStorage", "alert"],
        "The sandbox is not a browser; it has the language's own library.",
    ),
    (&["WeakRef", "FinalizationRegistry"], "What the sandbox frees and when is not to be seen; keep the value itself."),
    (
        &[
            "crypto",
            "performance",
            "structuredClone",
            "URL",
            "URLSearchParams",
            "TextEncoder",
            "TextDecoder",
            "Temporal",
            "SharedArrayBuffer",
            "Atomics",
        ],
        "The sandbox has the language's own library and nothing else.",
    ),
];

/// Names that cannot be found, by the compiler's numbers.
const NO_NAME: [u32; 11] = [2304, 2552, 2580, 2581, 2582, 2583, 2584, 2585, 2591, 2592, 2593];

/// An optional member given `undefined`.
const EXACT_OPTIONAL: [u32; 3] = [2375, 2379, 2412];

/// A method that reads local time, by the name of its twin in UTC: `getHours` is `getUTCHours`.
pub(super) const LOCAL_TIME: [&str; 15] = [
    "getDate",
    "getDay",
    "getFullYear",
    "getHours",
    "getMilliseconds",
    "getMinutes",
    "getMonth",
    "getSeconds",
    "setDate",
    "setFullYear",
    "setHours",
    "setMilliseconds",
    "setMinutes",
    "setMonth",
    "setSeconds",
];

/// The stable word of one of the compiler's numbers.
pub(super) fn code(number: u32) -> String {
    format!("typescript.{number}")
}

/// Whether it is an error, not a suggestion.
pub(super) fn is_error(raw: &Raw) -> bool {
    raw.category == ERROR
}

/// Whether it is about the grammar, not about names or types.
pub(super) fn is_grammar(raw: &Raw) -> bool {
    is_error(raw) && (1_000..2_000).contains(&raw.code)
}

/// Whether it only says that there are no promises.
pub(super) fn is_about_promises(raw: &Raw) -> bool {
    matches!(raw.code, 1055 | 1064 | 1308 | 1375 | 1378 | 2697 | 2705 | 2711 | 2712)
        || (NO_NAME.contains(&raw.code) && raw.text.contains("'Promise'"))
}

/// One of the compiler's diagnostics at its place in the text.
pub(super) fn diagnostic(text: &str, span: Span, raw: &Raw) -> Diagnostic {
    let mut diagnostic = Diagnostic::new(code(raw.code), span, said(raw));
    let at = text.get(span.start..span.end).unwrap_or("");
    if let Some(nearest) = nearest(&raw.text) {
        let quoted = at.starts_with(['\'', '"']);
        if !quoted && is_name(at) && is_name(nearest) {
            let edits = vec![Edit { span, text: nearest.to_owned() }];
            diagnostic = diagnostic.fix(format!("Change it to `{nearest}`"), edits);
        }
    }
    match raw.code {
        number if NO_NAME.contains(&number) => {
            diagnostic.hint = LACKS.iter().find(|(names, _)| names.contains(&at)).map(|(_, hint)| (*hint).to_owned());
        }
        2339 | 2550 | 2551 => return member(diagnostic, at, raw),
        2554 if makes_a_date(text, span) => {
            diagnostic.hint = Some("A date from several numbers is `new Date(Date.UTC(…))`.".into());
        }
        2348 | 2349 if at.starts_with("Date") => {
            diagnostic.hint = Some("Write `new Date()`.".into());
        }
        number if EXACT_OPTIONAL.contains(&number) => {
            diagnostic.hint = Some("Leave the member out where it has no value.".into());
        }
        _ => {}
    }
    diagnostic
}

/// A function of another signature: our sentence, then the compiler's.
pub(super) fn signature(export: &Export, span: Span, raw: &Raw) -> Diagnostic {
    let what = if export.is_default() { "The default export".to_owned() } else { format!("`{}`", export.name) };
    let message = format!("{what} has another signature than `{}`.\n{}", export.signature(), indented(&said(raw)));
    Diagnostic::new("module.signature", span, message)
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

/// A member that is not there.
fn member(mut diagnostic: Diagnostic, at: &str, raw: &Raw) -> Diagnostic {
    let on = |kind: &str| raw.text.contains(&format!("on type '{kind}'"));
    if on("Date") && LOCAL_TIME.contains(&at) {
        let utc = format!("{}UTC{}", &at[..3], &at[3..]);
        let edits = vec![Edit { span: diagnostic.span, text: utc.clone() }];
        return diagnostic
            .hint("The sandbox has no local time; a date gives its parts in UTC.")
            .fix(format!("Change it to `{utc}`"), edits);
    }
    let hint = match at {
        "random" if on("Math") => "Chance is not there: the same input gives the same output.",
        "toLocaleString" | "toLocaleDateString" | "toLocaleTimeString" | "toDateString" | "toTimeString"
            if on("Date") =>
        {
            "The sandbox has no local time; use `toISOString()`."
        }
        "toLocaleString" => "The sandbox reads no locale; use `toString()` or `toFixed()`.",
        "getTimezoneOffset" if on("Date") => "The sandbox has no local time.",
        _ => return diagnostic,
    };
    // A name that happens to be near, such as `round` for `random`, is no repair.
    diagnostic.fix = None;
    diagnostic.hint(hint)
}

/// The compiler's text and the words nested in it, two spaces deeper each.
fn said(raw: &Raw) -> String {
    let mut lines = vec![without_advice(&raw.text).to_owned()];
    // The words nest as deep as the types do; a list of what is left to say keeps the stack flat.
    let mut left: Vec<(usize, &Raw)> = raw.message_chain.iter().flatten().rev().map(|it| (1, it)).collect();
    while let Some((depth, nested)) = left.pop() {
        lines.push(format!("{}{}", "  ".repeat(depth), without_advice(&nested.text)));
        left.extend(nested.message_chain.iter().flatten().rev().map(|it| (depth + 1, it)));
    }
    lines.join("\n")
}

fn without_advice(text: &str) -> &str {
    let end = ADVICE.iter().filter_map(|advice| text.find(advice)).min().unwrap_or(text.len());
    &text[..end]
}

/// The name in "Did you mean 'name'?".
fn nearest(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("Did you mean '")?;
    rest.split_once("'?").map(|(name, _)| name)
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$')
}

/// Whether the arguments at the span are those of `new Date(`.
fn makes_a_date(text: &str, span: Span) -> bool {
    let before = text.get(..span.start).unwrap_or("");
    let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
    line.rfind("new Date(").is_some_and(|at| !line[at..].contains(';'))
}
