//! The documents of the Open Workflow Specification, as they are written: which are taken, and where the others are
//! refused. `tests/ows/README.md` tells what they are; the numbers in it are held to here.

use playbook_definition::check;
use playbook_model::definition::DefinitionType;
use playbook_model::problem::Severity;
use playbook_typescript::Compiler;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where a document is refused: line, column, and its pointer or the one above it.
type Refused<'a> = &'a [(u32, u32, &'a str)];

/// The scenarios of the kit, in the order of its features; an empty list for one that is taken.
const SCENARIOS: &[(&str, &str, Refused<'_>)] = &[
    (
        "branch",
        "Fork Task With Competing Concurrent Sub Tasks",
        &[
            (13, 25, "/do/0/branchWithCompete/fork/branches/0/setRed/set/colors"),
            (16, 25, "/do/0/branchWithCompete/fork/branches/1/setGreen/set/colors"),
            (19, 25, "/do/0/branchWithCompete/fork/branches/2/setBlue/set/colors"),
        ],
    ),
    ("call", "Call HTTP With Content Output", &[(8, 13, "/do/0/findPet/call")]),
    ("call", "Call HTTP With Response Output", &[(8, 13, "/call")]),
    ("call", "Call HTTP Using Basic Authentication", &[(8, 13, "/call")]),
    ("call", "Call OpenAPI With Content Output", &[(8, 13, "/call")]),
    ("call", "Call OpenAPI With Response Output", &[(8, 13, "/call")]),
    ("data-flow", "Input Filtering", &[(9, 15, "/do/0/setPlayerId/input/from"), (11, 19, "/set/playerId")]),
    ("data-flow", "Output Filtering", &[(8, 13, "/do/0/getPet/call")]),
    ("data-flow", "Use Non-object Output", &[(8, 13, "/call"), (16, 13, "/call")]),
    (
        "do",
        "Task With Sequential Sub Tasks",
        &[(11, 23, "/do/0/compositeExample/do/0/setRed/set/colors"), (14, 23, "/set/colors"), (17, 23, "/set/colors")],
    ),
    ("emit", "Emit Task", &[]),
    ("flow", "Implicit Sequence Flow", &[(9, 17, "/set/colors"), (12, 17, "/set/colors"), (15, 17, "/set/colors")]),
    ("flow", "Explicit Sequence Flow", &[(9, 17, "/set/colors"), (13, 17, "/set/colors"), (17, 17, "/set/colors")]),
    ("for", "For Task", &[(10, 13, "/do/0/loopColors/for/in"), (14, 26, "/do/0/markProcessed/set/processed")]),
    ("raise", "Raise task with inline error", &[]),
    ("set", "Set Task", &[(10, 15, "/do/0/setShape/set/size"), (11, 15, "/do/0/setShape/set/fill")]),
    (
        "switch",
        "Switch task with matching case",
        &[
            (10, 19, "/when"),
            (13, 19, "/when"),
            (16, 19, "/when"),
            (20, 17, "/set/colors"),
            (24, 17, "/set/colors"),
            (28, 17, "/set/colors"),
        ],
    ),
    (
        "switch",
        "Switch task with implicit default case",
        &[
            (10, 19, "/when"),
            (13, 19, "/when"),
            (16, 19, "/when"),
            (21, 17, "/set/colors"),
            (24, 17, "/set/colors"),
            (27, 17, "/set/colors"),
        ],
    ),
    (
        "switch",
        "Switch task with explicit default case",
        &[
            (10, 19, "/when"),
            (13, 19, "/when"),
            (16, 19, "/when"),
            (22, 17, "/set/colors"),
            (25, 17, "/set/colors"),
            (28, 17, "/set/colors"),
            (31, 17, "/set/colors"),
        ],
    ),
    ("try", "Try Handle Caught Error", &[(10, 19, "/do/0/tryGetPet/try/0/getPet/call")]),
    ("try", "Try Raise Uncaught Error", &[(10, 19, "/do/0/tryGetPet/try/0/getPet/call")]),
];

/// The examples, by their names.
const EXAMPLES: &[(&str, Refused<'_>)] = &[
    ("accumulate-room-readings", &[(15, 17, "/correlate"), (21, 17, "/correlate")]),
    ("authentication-bearer", &[(8, 13, "/call")]),
    ("authentication-bearer-uri-format", &[(8, 13, "/call")]),
    ("authentication-oauth2", &[(8, 13, "/call")]),
    ("authentication-oauth2-secret", &[(8, 3, "/use/secrets"), (11, 13, "/call")]),
    ("authentication-oidc", &[(8, 13, "/call")]),
    ("authentication-oidc-secret", &[(8, 3, "/use/secrets"), (11, 13, "/call")]),
    ("authentication-reusable", &[(8, 5, "/use/authentications"), (13, 13, "/call")]),
    ("call-asyncapi-publish", &[(8, 13, "/call")]),
    ("call-asyncapi-subscribe-consume-amount", &[(8, 13, "/call")]),
    ("call-asyncapi-subscribe-consume-forever-foreach", &[(8, 13, "/call")]),
    ("call-asyncapi-subscribe-consume-until", &[(8, 13, "/call")]),
    ("call-asyncapi-subscribe-consume-while", &[(8, 13, "/call")]),
    ("call-custom-function-cataloged", &[(8, 13, "/call")]),
    ("call-custom-function-inline", &[(8, 5, "/use/functions"), (23, 13, "/call")]),
    ("call-grpc", &[(8, 13, "/call")]),
    ("call-http-endpoint-interpolation", &[(8, 13, "/call")]),
    ("call-http-endpoint-interpolation-shorthand", &[(8, 13, "/call")]),
    ("call-http-query-headers-expressions", &[(21, 19, "/set"), (25, 13, "/call")]),
    ("call-http-query-parameters", &[(19, 13, "/call")]),
    ("call-http-redirect", &[(19, 13, "/call")]),
    ("call-mcp", &[(8, 13, "/call")]),
    ("call-openapi", &[(8, 13, "/call")]),
    ("call-openapi-redirect", &[(8, 13, "/call")]),
    ("conditional-task", &[(8, 11, "/if"), (16, 13, "/call")]),
    ("do-multiple", &[(8, 13, "/call"), (13, 13, "/call")]),
    ("do-single", &[(8, 13, "/call")]),
    ("emit", &[]),
    ("for", &[(10, 13, "/for/in"), (12, 14, "/while"), (21, 19, "/output/as")]),
    ("for-inline-array", &[(11, 11, "/for/in"), (20, 26, "/set/processed")]),
    ("fork", &[(12, 21, "/call"), (20, 21, "/call")]),
    ("listen-to-all", &[(13, 21, "/with/data"), (16, 21, "/with/data")]),
    ("listen-to-all read-envelope", &[(13, 21, "/with/data"), (16, 21, "/with/data")]),
    ("listen-to-any", &[]),
    ("listen-to-any-filter", &[(13, 21, "/with/data"), (16, 21, "/with/data")]),
    ("listen-to-any-forever-foreach", &[(11, 18, "/until"), (13, 9, "/foreach")]),
    ("listen-to-any-until-condition", &[(11, 18, "/until")]),
    ("listen-to-any-until-consumed", &[(13, 23, "/data"), (16, 23, "/data"), (18, 13, "/until")]),
    ("listen-to-one", &[(14, 13, "/call")]),
    ("mock-service-extension", &[(8, 5, "/use/extensions"), (23, 13, "/call")]),
    ("raise-inline", &[]),
    ("raise-reusable", &[]),
    ("run-container", &[(9, 9, "/run")]),
    ("run-container-cleanup-always", &[(9, 9, "/run")]),
    ("run-container-cleanup-eventually", &[(9, 9, "/run")]),
    ("run-container-stdin-and-arguments", &[(12, 15, "/input/from"), (14, 9, "/run")]),
    ("run-container-with-name", &[(9, 9, "/run")]),
    ("run-container-with-pull-policy", &[(9, 9, "/run")]),
    ("run-return-all", &[(9, 9, "/run")]),
    ("run-return-code", &[(9, 9, "/run")]),
    ("run-return-none", &[(9, 9, "/run")]),
    ("run-return-stderr", &[(9, 9, "/run")]),
    ("run-script-with-stdin-and-arguments", &[(9, 9, "/run")]),
    ("run-shell-stdin-and-arguments", &[(12, 15, "/input/from"), (14, 9, "/run")]),
    ("run-subflow", &[(9, 9, "/run")]),
    ("schedule-cron", &[(10, 13, "/call")]),
    ("schedule-event-driven", &[(13, 13, "/call")]),
    ("set", &[]),
    ("set-expression", &[]),
    ("star-wars-homeworld", &[(21, 13, "/call"), (30, 13, "/call"), (28, 22, "/export/as/homeworld")]),
    ("switch-then-string", &[(10, 19, "/when"), (13, 19, "/when")]),
    ("try-catch", &[(10, 19, "/call")]),
    ("try-catch-retry-inline", &[(10, 19, "/call")]),
    ("try-catch-retry-reusable", &[(20, 19, "/call")]),
    ("try-catch-then", &[(10, 19, "/call"), (35, 13, "/call")]),
    ("try-catch-then-directive", &[(10, 19, "/call"), (19, 15, "/catch/then")]),
    ("wait-duration-inline", &[]),
    ("wait-duration-iso8601", &[]),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ows")
}

/// The documents of a feature, by their scenarios.
fn scenarios(text: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for part in text.split("Scenario: ").skip(1) {
        let (title, rest) = part.split_once('\n').expect("a scenario has lines");
        let (_, rest) = rest.split_once("\"\"\"yaml\n").expect("a scenario has a document");
        let (document, _) = rest.split_once("\"\"\"").expect("a document ends");
        let indent = document.lines().next().map_or(0, |line| line.len() - line.trim_start().len());
        let lines = document.lines().map(|line| line.get(indent..).unwrap_or(""));
        found.insert(title.trim().to_owned(), lines.collect::<Vec<_>>().join("\n"));
    }
    found
}

/// What of the verdict does not hold.
fn differs(name: &str, text: &str, refused: Refused<'_>, compiler: &Compiler) -> Vec<String> {
    let checked = check(DefinitionType::Workflow, "a-document", text, compiler);
    assert_eq!(checked.unjudged, None, "{name}");
    let found: Vec<(u32, u32, String)> = checked
        .problems
        .iter()
        .filter(|problem| problem.severity == Severity::Error)
        .map(|problem| {
            let pointer = problem.place.pointer.clone().unwrap_or_default();
            (problem.place.line, problem.place.column, pointer)
        })
        .collect();
    if refused.is_empty() {
        return if found.is_empty() { Vec::new() } else { vec![format!("{name} is refused: {found:?}")] };
    }
    let missing = refused.iter().filter(|(line, column, pointer)| {
        !found.iter().any(|(at, column_at, where_at)| {
            (at, column_at) == (line, column)
                && (where_at.ends_with(pointer) || where_at.contains(&format!("{pointer}/")))
        })
    });
    missing.map(|place| format!("{name} is not refused at {place:?}, but at {found:?}")).collect()
}

#[test]
fn each_document_is_taken_or_refused_where_it_should_be() {
    let compiler = Compiler::new();
    let mut wrong = Vec::new();
    let read = |path: PathBuf| std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
    for (feature, title, refused) in SCENARIOS {
        let text = read(folder().join(format!("features/{feature}.feature")));
        let all = scenarios(&text);
        let document = all.get(*title).unwrap_or_else(|| panic!("{feature} has no {title}: {:?}", all.keys()));
        wrong.extend(differs(title, document, refused, &compiler));
    }
    for (name, refused) in EXAMPLES {
        wrong.extend(differs(name, &read(folder().join(format!("examples/{name}.yaml"))), refused, &compiler));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The verdicts cover every document there is, and the page gives their numbers.
#[test]
fn the_page_counts_what_there_is() {
    let features = std::fs::read_dir(folder().join("features")).expect("features").flatten();
    let count = |path: PathBuf| std::fs::read_to_string(path).expect("a feature").matches("Scenario: ").count();
    assert_eq!(features.map(|entry| count(entry.path())).sum::<usize>(), SCENARIOS.len());
    assert_eq!(std::fs::read_dir(folder().join("examples")).expect("examples").count(), EXAMPLES.len());
    let spec = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/spec/workflow-format");
    let run = |page: &str| {
        let text = std::fs::read_to_string(spec.join(page)).expect("the page");
        text.lines().filter(|line| line.starts_with("## ")).count()
    };
    let taken = |all: &mut dyn Iterator<Item = bool>| all.filter(|taken| *taken).count();
    let scenarios = taken(&mut SCENARIOS.iter().map(|(_, _, refused)| refused.is_empty()));
    let examples = taken(&mut EXAMPLES.iter().map(|(_, refused)| refused.is_empty()));
    let numbers = [
        ("Scenarios of the kit", SCENARIOS.len(), scenarios, run("open-workflow-scenarios.md")),
        ("Examples", EXAMPLES.len(), examples, run("open-workflow-examples.md")),
    ];
    let page = std::fs::read_to_string(folder().join("README.md")).expect("the page");
    for (what, all, taken, run) in numbers {
        let row = format!("| {what} | {all} | {taken} | {} | {run} |", all - taken);
        assert!(page.contains(&row), "tests/ows/README.md lacks\n{row}");
    }
}
