//! Rules about one file of code: its head, its length, its names, and what it may not say outside tests.

use super::{Finding, Findings, Source};

/// Lines of a file, without its tests, from which on it is looked at, and which it may not pass.
const LINES_LOOKED_AT: usize = 500;
const LINES_MOST: usize = 800;

/// Words that say nothing about a thing.
const EMPTY_NAMES: [&str; 5] = ["Manager", "Service", "Helper", "Util", "Processor"];
/// Words that a name follows, in both languages.
const NAMING: [&str; 11] =
    ["struct ", "enum ", "trait ", "type ", "mod ", "fn ", "class ", "interface ", "function ", "const ", "union "];

/// What brings a file, a clock, chance or waiting into a crate that stays pure.
const IMPURE: [&str; 8] = [
    "std::fs",
    "SystemTime::now",
    "Instant::now",
    "async fn",
    "std::env::var",
    "TcpStream",
    "std::process",
    "thread::sleep",
];
const PURE: [&str; 5] =
    ["runtime/model/", "runtime/schema/", "runtime/template/", "runtime/definition/", "runtime/engine/"];

/// Where a whole file is a test, or belongs to tests alone.
fn is_test(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    path.starts_with("tests/")
        || path.contains("/tests/")
        || path.contains("/examples/")
        || path.contains("/testing/")
        || path.starts_with("runtime/testkit/")
        || matches!(name, "tests.rs")
        || name.ends_with("_tests.rs")
        || name.contains(".test.")
}

/// The rules themselves have to name what they forbid.
fn is_rules(source: &Source) -> bool {
    source.path.starts_with("runtime/xtask/src/tidy")
}

pub(super) fn check(source: &Source, findings: &mut Findings) {
    // The declarations of a library are written by a program as well.
    if source.is_generated() || source.ends(&[".d.ts"]) {
        return;
    }
    let rust = source.ends(&[".rs"]);
    if !rust && !source.ends(&[".ts", ".tsx", ".mjs", ".css"]) {
        return;
    }
    let lines = outside_tests(source, rust);
    length(source, lines.len(), findings);
    names(source, &mut findings.against);
    if rust {
        head(source, &mut findings.against);
        rust_lines(source, &lines, findings);
    }
    switched_off(source, &mut findings.against);
}

/// The lines that are no tests, with their numbers from 1.
fn outside_tests(source: &Source, rust: bool) -> Vec<(usize, &str)> {
    if is_test(&source.path) {
        return Vec::new();
    }
    let numbered = source.text.lines().enumerate().map(|(index, line)| (index + 1, line));
    if !rust {
        return numbered.collect();
    }
    let mut kept = Vec::new();
    // The indentation of an item that is compiled for tests alone, from its attribute on.
    let mut test_item: Option<(usize, bool)> = None;
    for (number, line) in numbered {
        let indent = line.len() - line.trim_start().len();
        match test_item {
            None if line.trim() == "#[cfg(test)]" => test_item = Some((indent, false)),
            None => kept.push((number, line)),
            Some((start, opened)) => {
                // The formatter closes an item where it began.
                let closes = opened && indent == start && line.trim_start().starts_with('}');
                let one_line = !opened && indent == start && (line.ends_with(';') || line.ends_with('}'));
                let opens = opened || line.ends_with('{');
                test_item = if closes || one_line { None } else { Some((start, opens)) };
            }
        }
    }
    kept
}

fn length(source: &Source, lines: usize, findings: &mut Findings) {
    if lines > LINES_MOST {
        let words = format!("{lines} lines without tests; a file has at most {LINES_MOST}");
        findings.against.push(Finding::new(&source.path, lines, words));
    } else if lines > LINES_LOOKED_AT {
        let words = format!("{lines} lines without tests; is it still about one thing?");
        findings.doubtful.push(Finding::new(&source.path, lines, words));
    }
}

fn names(source: &Source, against: &mut Vec<Finding>) {
    if is_rules(source) || is_test(&source.path) {
        return;
    }
    for (index, line) in source.text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or(line);
        for naming in NAMING {
            let Some(at) = find_word(code, naming) else { continue };
            let name: String =
                code[at + naming.len()..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if let Some(word) = EMPTY_NAMES.iter().find(|word| says_nothing(&name, word)) {
                let words = format!("`{name}` says {word}: name the thing by the seed's word");
                against.push(Finding::new(&source.path, index + 1, words));
            }
        }
    }
}

/// A word at the start of a line's code or after a space, so that `constant` is no `const`.
fn find_word(code: &str, word: &str) -> Option<usize> {
    code.match_indices(word)
        .map(|(at, _)| at)
        .find(|at| code[..*at].chars().next_back().is_none_or(|c| c == ' ' || c == '('))
}

/// `EventManager`, `managers` and `manager_of` say it; `Utility` and `serviceable` are other words.
fn says_nothing(name: &str, word: &str) -> bool {
    let lower = word.to_lowercase();
    let by_snake = name.split('_').any(|part| part == lower || part == format!("{lower}s"));
    let by_case = name.match_indices(word).any(|(at, _)| {
        let rest = name[at + word.len()..].strip_prefix('s').unwrap_or(&name[at + word.len()..]);
        rest.chars().next().is_none_or(|c| !c.is_lowercase())
    });
    by_snake || by_case
}

fn head(source: &Source, against: &mut Vec<Finding>) {
    let first = source.text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let module = source.path.contains("/src/") && !is_test(&source.path);
    if module && !first.starts_with("//!") {
        against.push(Finding::new(
            &source.path,
            1,
            "a module begins with `//!`: what it is, and what it must not know",
        ));
    }
    if source.text.trim() == "//! Placeholder." {
        against.push(Finding::new(&source.path, 1, "this room is empty: fill it or remove it"));
    }
}

fn rust_lines(source: &Source, lines: &[(usize, &str)], findings: &mut Findings) {
    let pure = PURE.iter().any(|start| source.path.starts_with(start)) && source.path.contains("/src/");
    if is_rules(source) {
        return;
    }
    for (number, line) in lines {
        let code = line.split("//").next().unwrap_or(line);
        if code.contains(".unwrap()") {
            let words = "`unwrap()` outside tests: use `expect` and say why it holds";
            findings.against.push(Finding::new(&source.path, *number, words));
        }
        for (word, words) in [("todo!(", "unfinished"), ("unimplemented!(", "unfinished"), ("dbg!(", "left over")] {
            if code.contains(word) {
                findings.against.push(Finding::new(&source.path, *number, format!("`{word})` is {words}")));
            }
        }
        if let Some(word) = IMPURE.iter().find(|word| pure && code.contains(**word)) {
            let words = format!("`{word}` in a crate that stays pure: take the value in");
            findings.against.push(Finding::new(&source.path, *number, words));
        }
    }
}

fn switched_off(source: &Source, against: &mut Vec<Finding>) {
    if is_rules(source) {
        return;
    }
    for (index, line) in source.text.lines().enumerate() {
        let code = line.trim_start();
        let off = code.starts_with("#[ignore")
            || ["test.skip(", "test.only(", "it.skip(", "it.only(", "describe.skip(", "describe.only("]
                .iter()
                .any(|word| code.contains(word));
        if off {
            against.push(Finding::new(&source.path, index + 1, "a test is switched off: mend it or remove it"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn against(path: &str, text: &str) -> Vec<String> {
        let mut findings = Findings::default();
        check(&Source { path: path.to_owned(), text: text.to_owned() }, &mut findings);
        findings.against.iter().map(Finding::to_string).collect()
    }

    #[test]
    fn a_module_has_a_head() {
        assert!(against("runtime/engine/src/run.rs", "//! Runs.\n").is_empty());
        assert_eq!(against("runtime/engine/src/run.rs", "use std::fmt;\n").len(), 1);
        assert!(against("runtime/engine/src/run/tests.rs", "use super::*;\n").is_empty());
    }

    #[test]
    fn unwrap_is_for_tests() {
        let text = "//! Runs.\nfn run() {\n    a.unwrap();\n}\n\n#[cfg(test)]\nmod tests {\n    fn it() {\n        b.unwrap();\n    }\n}\n";
        let found = against("runtime/host/src/run.rs", text);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("runtime/host/src/run.rs:3:"), "{found:?}");
    }

    #[test]
    fn what_follows_a_test_item_is_code_again() {
        let text = "//! Runs.\n#[cfg(test)]\nmod tests;\nfn a() {\n    b.unwrap();\n}\n";
        assert_eq!(against("runtime/host/src/run.rs", text).len(), 1);
        let text = "//! Runs.\n#[cfg(test)]\nfn a() {\n    b.unwrap();\n}\nfn c() {\n    d.unwrap();\n}\n";
        let found = against("runtime/host/src/run.rs", text);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("runtime/host/src/run.rs:7:"), "{found:?}");
    }

    #[test]
    fn a_file_is_bounded_without_its_tests() {
        let long = format!("//! Runs.\n{}", "fn a() {}\n".repeat(LINES_MOST));
        assert_eq!(against("runtime/host/src/run.rs", &long).len(), 1);
        let tests = format!("//! Runs.\n#[cfg(test)]\nmod tests {{\n{}}}\n", "    // a\n".repeat(LINES_MOST));
        assert!(against("runtime/host/src/run.rs", &tests).is_empty());
        let page = "a\n".repeat(LINES_MOST + 1);
        assert_eq!(against("ui/src/app/shell.tsx", &page).len(), 1);
        assert!(against("ui/src/app/shell.test.tsx", &page).is_empty());
    }

    #[test]
    fn empty_names_are_refused_and_words_that_hold_them_are_not() {
        for line in ["struct EventManager;", "mod helpers;", "pub(crate) fn run_util() {}", "enum Services {}"] {
            assert_eq!(against("runtime/host/src/run.rs", &format!("//! Runs.\n{line}\n")).len(), 1, "{line}");
        }
        for line in ["struct Utility;", "fn serviceable() {}", "// A struct Manager", "const SERVICEABLE: u8 = 1;"] {
            assert!(against("runtime/host/src/run.rs", &format!("//! Runs.\n{line}\n")).is_empty(), "{line}");
        }
        assert_eq!(against("ui/src/api/x.ts", "export class StoreManager {}\n").len(), 1);
    }

    #[test]
    fn a_pure_crate_takes_values_in() {
        let text = "//! Runs.\nfn a() { let _ = std::time::Instant::now(); }\n";
        assert_eq!(against("runtime/engine/src/run.rs", text).len(), 1);
        assert!(against("runtime/host/src/run.rs", text).is_empty());
    }

    #[test]
    fn a_test_is_not_switched_off() {
        assert_eq!(against("tests/src/lib.rs", "//! T.\n#[ignore]\nfn a() {}\n").len(), 1);
        assert_eq!(against("tests/browser/a.test.mjs", "test.only('x', () => {});\n").len(), 1);
    }
}
