//! The literate cases that ask only what a document says: its problems, its overview, the types its module sees.

use playbook_definition::check;
use playbook_model::problem::{Problem, Severity};
use playbook_testkit::literate::{Actual, Case, Document, run};
use playbook_typescript::Compiler;
use std::path::Path;

/// A problem as a case writes it: `line:column /pointer code: message`, then what to try.
fn shown(problem: &Problem) -> String {
    let pointer = problem.place.pointer.as_deref().filter(|pointer| !pointer.is_empty());
    let pointer = pointer.map_or_else(String::new, |pointer| format!(" {pointer}"));
    let warning = if problem.severity == Severity::Warning { " warning" } else { "" };
    let message = problem.message.replace('\n', "\n    ");
    let mut out =
        format!("{}:{}{pointer}{warning} {}: {message}\n", problem.place.line, problem.place.column, problem.code);
    if let Some(hint) = &problem.hint {
        out.push_str(&format!("  hint: {hint}\n"));
    }
    if let Some(fix) = &problem.fix {
        out.push_str(&format!("  fix: {}\n", fix.title));
    }
    out
}

fn problems(document: &Document, compiler: &Compiler) -> String {
    let checked = check(document.kind, &document.name, &document.text, compiler);
    assert_eq!(checked.unjudged, None, "{}", document.name);
    let refused = checked.problems.iter().any(|problem| problem.severity == Severity::Error);
    assert_eq!(checked.definition.is_none(), refused, "{} gives a definition unless it is refused", document.name);
    checked.problems.iter().map(shown).collect()
}

/// What the problems of a case come to; `None` for a case that asks for more than its documents' problems.
fn case(case: &Case, compiler: &Compiler) -> Option<Vec<Actual>> {
    let mut last: Option<Document> = None;
    let mut actual = Vec::new();
    for (at, block) in case.blocks.iter().enumerate() {
        if let Some(document) = block.document() {
            last = Some(document);
        } else if block.is() == "problems" {
            let document = last.as_ref().unwrap_or_else(|| panic!("{}: problems of no document", case.title));
            actual.push(Actual { block: at, body: problems(document, compiler) });
        } else if block.is() == "overview" {
            let document = last.as_ref().unwrap_or_else(|| panic!("{}: an overview of no document", case.title));
            let checked = check(document.kind, &document.name, &document.text, compiler);
            actual.push(Actual { block: at, body: checked.definition.map_or_else(String::new, |it| it.overview) });
        } else if block.is() == "declarations" {
            let document = last.as_ref().unwrap_or_else(|| panic!("{}: types of no document", case.title));
            let checked = check(document.kind, &document.name, &document.text, compiler);
            actual.push(Actual { block: at, body: checked.declarations });
        }
    }
    (!actual.is_empty()).then_some(actual)
}

#[test]
fn documents_have_the_problems_the_pages_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/spec");
    let compiler = Compiler::new();
    let ran = run(&folder, |one| case(one, &compiler)).unwrap_or_else(|failed| panic!("{failed}"));
    assert!(ran > 100, "only {ran} cases were found");
}
