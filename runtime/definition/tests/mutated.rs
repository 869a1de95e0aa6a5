//! Random and mutated workflows: whatever a text is, it is judged, outlined, drawn and said back, and every place of
//! every problem lies in it. `PROPTEST_CASES` raises the number of cases.

use playbook_definition::workflow::{self, Flowchart};
use playbook_definition::{Checked, Details, check, check_without_compiler};
use playbook_model::definition::DefinitionType;
use playbook_model::limits::DOCUMENT_BYTES;
use playbook_model::position::{LineIndex, Span};
use playbook_model::problem::{Problem, errors};
use playbook_testkit::literate::Suite;
use playbook_typescript::Compiler;
use proptest::prelude::*;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The cases of a property: few, unless the environment says otherwise.
fn config(usual: u32) -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|given| given.parse().ok()).unwrap_or(usual);
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 2_000, ..ProptestConfig::default() }
}

static COMPILER: LazyLock<Compiler> = LazyLock::new(Compiler::new);

/// The workflows that the repository holds.
static DOCUMENTS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut texts = Vec::new();
    for folder in ["sample/workflow", "tests/documents", "tests/ows/examples"] {
        for path in files(&root.join(folder)) {
            if path.extension().is_some_and(|it| it == "yaml") {
                texts.push(std::fs::read_to_string(&path).expect("a document"));
            }
        }
    }
    for path in files(&root.join("tests/spec/workflow-format")) {
        let suite = Suite::read(&path).expect("cases");
        let documents = suite.cases.iter().flat_map(|case| &case.blocks).filter_map(|block| block.document());
        texts.extend(documents.filter(|document| document.kind == DefinitionType::Workflow).map(|it| it.text));
    }
    assert!(texts.len() > 150, "{} workflows", texts.len());
    texts
});

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    found.sort();
    found
}

/// What finds the edges of YAML, of the format and of Unicode.
const TOKENS: &[&str] = &[
    "[",
    "]",
    "{",
    "}",
    ",",
    ": ",
    "- ",
    "? ",
    "&a ",
    "*a ",
    "*a",
    "<<: *a\n",
    "!!str ",
    "!!binary ",
    "!<tag:x> ",
    "| \n",
    ">-\n",
    "|9\n",
    "'",
    "\"",
    "\\",
    "\"\\u0000\"",
    "\"\\ud800\"",
    "# c",
    "#",
    "---\n",
    "...\n",
    "%YAML 1.3\n",
    "\n",
    "\r",
    "\r\n",
    "\t",
    "\n\n",
    "  ",
    "`",
    "@",
    "~",
    "null",
    "true",
    "''",
    "[]",
    "{}",
    "{ a: &b [*b] }",
    "&a [*a, *a]",
    "99999999999999999999999999999999",
    "-9223372036854775809",
    "18446744073709551616",
    "1e999",
    "-0",
    "0x7fffffffffffffffffff",
    "0o777",
    ".inf",
    ".nan",
    "1_000",
    "0.1e-400",
    "1.7976931348623157e309",
    "\u{0}",
    "\u{1b}",
    "\u{85}",
    "\u{2028}",
    "\u{2029}",
    "\u{feff}",
    "\u{202e}",
    "\u{200d}",
    "e\u{301}",
    "👨‍👩‍👧",
    "\u{10ffff}",
    "\u{fffe}",
    "ﬁ",
    "İ",
    "ß",
    "😀",
    "${ ",
    " }",
    "${",
    "}",
    "${ $data.a }",
    "'${ $data['",
    "${ `${1}` }",
    "${ ((((((((1)))))))) }",
    "${ /[/]/.test('}') }",
    "${ \"\\u{110000}\" }",
    "${ 😀 }",
    "{{ input }}",
    "{% raw %}",
    "{{",
    "do:",
    "do: []",
    "do: [{ a: { do: [] } }]",
    "for: { in: '${ [] }' }",
    "for:",
    "each: ",
    "at: ",
    "while: ",
    "fork: { branches: [] }",
    "compete: true",
    "try:",
    "catch: { do: [] }",
    "retry: ",
    "retry: { limit: { attempt: { count: 1e9 } } }",
    "then: end",
    "then: exit",
    "then: continue",
    "then: ",
    "switch: [{ a: { then: end } }]",
    "set: { a: 1 }",
    "set: '${ 1 }'",
    "wait: { days: 99999999999999999999 }",
    "wait: P1Y2M3W4DT5H6M7.8S",
    "wait: PT0S",
    "wait: P99999999999999999999D",
    "timeout: { after: PT1M }",
    "listen: { to: { any: [] } }",
    "until: ",
    "foreach: ",
    "emit: { event: { with: { type: x } } }",
    "raise: { error: x }",
    "schedule: { cron: '* * * * *' }",
    "schedule: { every: { milliseconds: 1 } }",
    "schedule: { on: { one: {} } }",
    "schedule: { cron: '99999999999999999999 */0 0-99 L W' }",
    "use: { errors: {}, retries: {}, timeouts: {} }",
    "call: run_definition",
    "with: { type: workflow, name: a }",
    "input: { schema: { document: { $ref: '#' } } }",
    "input: { from: '${ 1 }' }",
    "output: { as: '${ 1 }' }",
    "export: { as: '${ 1 }' }",
    "if: '${ true }'",
    "__proto__: 1",
    "constructor: 1",
    "'': 1",
    "'a/b~c': ",
    "'é😀': ",
    "document: { dsl: '1.0.3', namespace: a, name: b, version: '1.0.0' }\n",
];

/// A change of a text; places are shares of its length, so that each means something in any text.
#[derive(Debug, Clone)]
enum Mutation {
    Delete(u16, u16),
    Duplicate(u16, u16, u16),
    Insert(u16, usize),
    Repeat(u16, usize, u16),
    Replace(u16, usize),
    Swap(u16, u16),
    Copy(u16, u16, u16),
    Indent(u16, u8),
    Splice(usize, u16, u16),
    Any(u16, String),
    Ends,
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let at = any::<u16>;
    let token = || 0..TOKENS.len();
    prop_oneof![
        3 => (at(), 0..60_u16).prop_map(|(a, b)| Mutation::Delete(a, b)),
        2 => (at(), 0..300_u16, at()).prop_map(|(a, b, c)| Mutation::Duplicate(a, b, c)),
        4 => (at(), token()).prop_map(|(a, b)| Mutation::Insert(a, b)),
        1 => (at(), token(), 2..6_000_u16).prop_map(|(a, b, c)| Mutation::Repeat(a, b, c)),
        4 => (at(), token()).prop_map(|(a, b)| Mutation::Replace(a, b)),
        2 => (at(), at()).prop_map(|(a, b)| Mutation::Swap(a, b)),
        3 => (at(), 1..12_u16, at()).prop_map(|(a, b, c)| Mutation::Copy(a, b, c)),
        2 => (at(), 0..12_u8).prop_map(|(a, b)| Mutation::Indent(a, b)),
        2 => (any::<usize>(), at(), at()).prop_map(|(a, b, c)| Mutation::Splice(a, b, c)),
        1 => (at(), "\\PC{1,6}|[\\x00-\\x1f\\u{80}-\\u{a0}\\u{2000}-\\u{206f}]{1,6}").prop_map(|(a, b)| Mutation::Any(a, b)),
        1 => Just(Mutation::Ends),
    ]
}

/// A place of a text, between characters.
fn place(text: &str, share: u16) -> usize {
    let mut at = text.len() * usize::from(share) / usize::from(u16::MAX);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn end(text: &str, start: usize, length: u16) -> usize {
    text[start..].char_indices().nth(usize::from(length)).map_or(text.len(), |(at, _)| start + at)
}

/// The number of a line.
fn line(lines: &[&str], share: u16) -> usize {
    (lines.len() - 1) * usize::from(share) / usize::from(u16::MAX)
}

impl Mutation {
    fn of(&self, text: &str) -> String {
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        if lines.is_empty() {
            lines.push("");
        }
        let mut out = text.to_owned();
        match self {
            Self::Delete(at, length) => {
                let start = place(text, *at);
                out.replace_range(start..end(text, start, *length), "");
            }
            Self::Duplicate(at, length, to) => {
                let start = place(text, *at);
                out.insert_str(place(text, *to), &text[start..end(text, start, *length)]);
            }
            Self::Insert(at, token) => out.insert_str(place(text, *at), TOKENS[*token]),
            Self::Repeat(at, token, times) => {
                out.insert_str(place(text, *at), &TOKENS[*token].repeat(usize::from(*times)))
            }
            Self::Replace(at, token) => {
                // The word or the sign that stands there.
                let start = place(text, *at);
                let word = |c: char| c.is_alphanumeric() || c == '_';
                let first = text[start..].find(word).map_or(text.len(), |at| start + at);
                let last = text[first..].find(|c| !word(c)).map_or(text.len(), |at| first + at);
                out.replace_range(first..last, TOKENS[*token]);
            }
            Self::Swap(one, other) => {
                let (one, other) = (line(&lines, *one), line(&lines, *other));
                lines.swap(one, other);
                out = lines.concat();
            }
            Self::Copy(at, count, to) => {
                let from = line(&lines, *at);
                let part = lines[from..(from + usize::from(*count)).min(lines.len())].concat();
                lines.insert(line(&lines, *to), &part);
                out = lines.concat();
            }
            Self::Indent(at, spaces) => {
                let at = line(&lines, *at);
                let moved = format!("{}{}", " ".repeat(usize::from(*spaces)), lines[at].trim_start_matches(' '));
                lines[at] = &moved;
                out = lines.concat();
            }
            Self::Splice(of, at, to) => {
                let other = &DOCUMENTS[of % DOCUMENTS.len()];
                out = format!("{}{}", &text[..place(text, *at)], &other[place(other, *to)..]);
            }
            Self::Any(at, what) => out.insert_str(place(text, *at), what),
            Self::Ends => out = text.replace('\n', "\r\n"),
        }
        out
    }
}

fn within(text: &str, span: Span, what: &dyn std::fmt::Debug) {
    assert!(span.start <= span.end && text.get(span.start..span.end).is_some(), "{span:?} of {what:?}");
}

/// Holds every problem to the text.
fn placed(text: &str, problems: &[Problem]) {
    let index = LineIndex::new(text);
    for problem in problems {
        let place = &problem.place;
        within(text, place.span, problem);
        let (start, end) = (index.place(place.span.start), index.place(place.span.end));
        assert_eq!(
            (place.line, place.column, place.end_line, place.end_column),
            (start.line, start.column, end.line, end.column),
            "{problem:?}"
        );
        assert!(!problem.message.is_empty() && !problem.code.is_empty(), "{problem:?}");
        let mut last = 0;
        for edit in problem.fix.iter().flat_map(|fix| &fix.edits) {
            within(text, edit.span, problem);
            assert!(edit.span.start >= last, "edits in order: {problem:?}");
            last = edit.span.end;
        }
    }
}

fn outlined(text: &str) {
    let Some(outline) = workflow::outline(text) else { return };
    for task in &outline.tasks {
        for span in [task.whole, task.key].into_iter().chain(task.fields.values().copied()) {
            within(text, span, task);
        }
        let written = &text[task.key.start..task.key.end];
        let plain = task.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        assert!(
            !plain || written.contains(task.name.as_str()) || written.contains(['*', '\\']),
            "{written:?} of {task:?}"
        );
        assert!(task.whole.start <= task.key.start && task.key.end <= task.whole.end, "{task:?}");
    }
}

/// Holds a drawing together: each way leads from a node to a node, each member stands in a group that is there.
fn drawn(chart: &Flowchart) {
    let nodes: HashSet<&str> = chart.nodes.iter().map(|node| node.id.as_str()).collect();
    let groups: HashSet<&str> = chart.groups.iter().map(|group| group.id.as_str()).collect();
    assert_eq!((nodes.len(), groups.len()), (chart.nodes.len(), chart.groups.len()), "names are their own: {chart:?}");
    for edge in &chart.edges {
        assert!(nodes.contains(edge.from.as_str()) && nodes.contains(edge.to.as_str()), "{edge:?} of {chart:?}");
    }
    let around = chart.nodes.iter().filter_map(|node| node.group.as_deref());
    for group in around.chain(chart.groups.iter().filter_map(|group| group.group.as_deref())) {
        assert!(groups.contains(group), "{group} of {chart:?}");
    }
}

/// Judges a text in every way; gives its problems. Types are judged where nothing else refuses it.
fn judged(text: &str) -> Vec<Problem> {
    let quick = check_without_compiler(DefinitionType::Workflow, text);
    placed(text, &quick.problems);
    outlined(text);
    if errors(&quick.problems).next().is_some() {
        return quick.problems;
    }
    let checked: Checked = check(DefinitionType::Workflow, "mutated", text, &COMPILER);
    placed(text, &checked.problems);
    if let Some(definition) = &checked.definition {
        let Details::Workflow(details) = &definition.details else { panic!("not a workflow") };
        drawn(&workflow::flowchart(details));
        assert!(!definition.overview.is_empty());
        let stored = serde_json::to_value(&definition.details).expect("JSON");
        assert_eq!(serde_json::from_value::<Details>(stored).expect("read back"), definition.details);
    }
    checked.problems
}

/// A text with a fix made.
fn fixed(text: &str, problem: &Problem) -> Option<String> {
    let mut out = text.to_owned();
    for edit in problem.fix.as_ref()?.edits.iter().rev() {
        out.replace_range(edit.span.start..edit.span.end, &edit.text);
    }
    Some(out)
}

const HEAD: &str = "document: { dsl: '1.0.3', namespace: a, name: b, version: '1.0.0' }\n";

#[test]
fn hostile_workflows_are_judged() {
    let tasks = |count: usize, open: &str, inner: &str, close: &str| {
        format!("{HEAD}do: {}{inner}{}\n", open.repeat(count), close.repeat(count))
    };
    let deep: String = (0..300).map(|level| format!("{}- k{level}:\n{0}    do:\n", " ".repeat(level * 2))).collect();
    let hostile = [
        String::new(),
        "\u{feff}".into(),
        format!("\u{feff}{HEAD}do: []\nnope: 1\n"),
        format!("{HEAD}do: {}", "[".repeat(60_000)),
        format!("{HEAD}do: {}", "{a: ".repeat(15_000)),
        format!("{HEAD}do: {}", "- ".repeat(30_000)),
        format!("{HEAD}do:\n{}", "? ".repeat(30_000)),
        format!("{HEAD}do: {}{}", "[".repeat(30_000), "]".repeat(30_000)),
        tasks(2_000, "[{ a: { do: ", "[]", " } }]"),
        tasks(2_000, "[{ a: { try: ", "[]", ", catch: {} } }]"),
        tasks(1_500, "[{ a: { fork: { branches: ", "[]", " } } }]"),
        tasks(1_200, "[{ a: { for: { in: '${ [] }' }, do: ", "[]", " } }]"),
        format!("{HEAD}do:\n{deep}"),
        format!("{HEAD}do: [{{ a: {{ set: {{ a: '${{ {} }}' }} }} }}]\n", "(".repeat(50_000)),
        format!("{HEAD}do: [{{ a: {{ set: {{ a: '${{ {}1{} }}' }} }} }}]\n", "(".repeat(20_000), ")".repeat(20_000)),
        format!("{HEAD}do: [{{ a: {{ set: {{ a: '${{ {}1 }}' }} }} }}]\n", "!".repeat(50_000)),
        format!("{HEAD}do: [{{ a: {{ set: {{ a: '${{ {}1 }}' }} }} }}]\n", "1+".repeat(25_000)),
        format!("{HEAD}do: [{{ a: {{ set: {{ a: '${{ 1{} }}' }} }} }}]\n", "[1".repeat(25_000)),
        format!("{HEAD}do: [{{ a: {{ set: {{ a: '${{ {} }}' }} }} }}]\n", "`${".repeat(15_000)),
        format!("{HEAD}do: [{{ a: {{ set: {{ a: \"{}\" }} }} }}]\n", "{{ ".repeat(20_000)),
        format!("{HEAD}do: [{{ a: {{ set: {{ a: \"{}\" }} }} }}]\n", "{% if x %}".repeat(6_000)),
        format!("{HEAD}x: &a [{}]\ndo: []\n", "*a,".repeat(20_000)),
        format!("{HEAD}a: &a [1]\n{}do: []\n", (0..200).map(|n| format!("k{n}: &a{n} [*a, *a]\n")).collect::<String>()),
        format!("{HEAD}do: &{}\n", "b".repeat(60_000)),
        format!("{HEAD}do: [{{ a: {{ wait: {{ days: {} }} }} }}]\n", "9".repeat(60_000)),
        format!("{HEAD}do: [{{ a: {{ wait: P{}D }} }}]\n", "9".repeat(60_000)),
        format!("{HEAD}schedule: {{ cron: '{}' }}\ndo: []\n", "*/1,".repeat(15_000)),
        format!("{HEAD}do:\n{}", "  - \n".repeat(13_000)),
        format!("{HEAD}do: [{{ ? [a] : 1 }}, {{ ? {{ a: b }} : 1 }}, {{ '': {{}} }}]\n"),
        "x".repeat(5 * DOCUMENT_BYTES),
    ];
    for text in &hostile {
        judged(text);
    }
}

#[test]
fn what_is_read_over_gives_no_places() {
    let text = format!(
        "{HEAD}do:\n  - first: {{ set: {{ a: 1 }} }}\n? [x, y]\n: 1\ndo:\n  - then-some: {{ set: {{ b: 1 }} }}\n  - more: {{}}\n"
    );
    outlined(&text);
    let outline = workflow::outline(&text).expect("YAML");
    let keys: Vec<&str> = outline.tasks.iter().map(|task| &text[task.key.start..task.key.end]).collect();
    assert_eq!(keys, ["first"]);
    assert!(text[outline.tasks[0].whole.start..].trim_start().starts_with("- first"));
    judged(&text);
}

proptest! {
    #![proptest_config(config(160))]

    #[test]
    fn any_change_of_a_workflow_is_judged(of in any::<usize>(), changes in prop::collection::vec(mutation(), 1..5)) {
        let mut text = DOCUMENTS[of % DOCUMENTS.len()].clone();
        for change in &changes {
            text = change.of(&text);
        }
        let problems = judged(&text);
        // A fix leaves a text that can be judged again.
        for text in problems.iter().filter_map(|problem| fixed(&text, problem)).take(3) {
            placed(&text, &check_without_compiler(DefinitionType::Workflow, &text).problems);
        }
    }

    #[test]
    fn any_tokens_are_judged(tokens in prop::collection::vec((0..TOKENS.len(), 0..6_usize), 0..40)) {
        let body: String = tokens.iter().map(|(token, indent)| format!("{}{}", " ".repeat(*indent), TOKENS[*token])).collect();
        judged(&body);
        judged(&format!("{HEAD}do:\n  - a:\n      {body}"));
    }

    #[test]
    fn any_text_is_judged(text in "\\PC{0,120}|([ \\t\\r\\n:\\-?\\[\\]{},#&*!|>'\"%@`~a-c0-9é$\u{0}]){0,160}") {
        judged(&text);
        judged(&format!("{HEAD}do:\n  - a: {text}"));
    }

    #[test]
    fn any_expression_is_judged(
        text in "([ (){}\\[\\].,;:?!&|+*/%<>=~^'\"`\\\\a-d0-9é😀]|\\$data|\\$context|\\$\\{|=>|function|await|\\.map\\(|\\?\\?|/\\*|//|\n){0,24}",
        loose in any::<bool>(),
    ) {
        let value = if loose { format!("|-\n            ${{ {} }}", text.replace('\n', "\n            ")) } else { serde_json::json!(format!("${{ {text} }}")).to_string() };
        judged(&format!("{HEAD}do:\n  - a:\n      if: {value}\n      set:\n        é😀: {value}\n"));
    }
}
