//! What no literate case can show: texts that are no text a person writes, places byte by byte, what is stored.

use crate::reader::Reader;
use crate::*;
use playbook_model::definition::DefinitionType;
use playbook_model::limits::{DOCUMENT_BYTES, FRONT_MATTER_LEVELS};
use playbook_model::position::{LineIndex, Span};
use playbook_model::problem::{Problem, errors};
use proptest::prelude::*;
use serde_json::{Value, json};

const PROGRAM: &str = "export default function (input: Input): Output {\n  return null;\n}\n";

fn codes(checked: &Checked) -> Vec<&str> {
    checked.problems.iter().map(|problem| problem.code.as_str()).collect()
}

/// Checks a text as each type of function, and that every place of every problem lies in it.
fn judged(text: &str) -> Vec<Problem> {
    let mut all = Vec::new();
    for kind in [DefinitionType::Computation, DefinitionType::Recall, DefinitionType::Interaction] {
        let checked = check_without_compiler(kind, text);
        for problem in &checked.problems {
            let span = problem.place.span;
            assert!(span.start <= span.end && span.end <= text.len(), "{problem:?}");
            assert!(text.is_char_boundary(span.start) && text.is_char_boundary(span.end), "{problem:?}");
            for edit in problem.fix.iter().flat_map(|fix| &fix.edits) {
                assert!(text.get(edit.span.start..edit.span.end).is_some(), "{problem:?}");
            }
            assert!(!problem.message.is_empty() && problem.place.line >= 1, "{problem:?}");
        }
        all.extend(checked.problems);
    }
    all
}

#[test]
fn hostile_texts_are_problems_and_nothing_else() {
    let nested_keys: String = (0..300).map(|level| format!("{}k{level}:\n", " ".repeat(level))).collect();
    let hostile = [
        String::new(),
        "\n".into(),
        "\u{feff}".into(),
        format!("\u{feff}---\nlanguage: typescript\n---\n{PROGRAM}"),
        "---".into(),
        "---\n".into(),
        "---\n---".into(),
        "---\rlanguage: typescript\r---\rexport default function (): Output { return 1 }\r".into(),
        "---\nlanguage: typescript".into(),
        "---\n\0: \0\n---\n\0".into(),
        "---\nlanguage: type\0script\n---\nexport\0".into(),
        format!("---\na: {}\n---\n", "[".repeat(DOCUMENT_BYTES)),
        format!("---\na: {}\n---\n", "[".repeat(10_000)),
        format!("---\n{}\n---\n", "- ".repeat(30_000)),
        format!("---\n{}\n---\n", "? ".repeat(30_000)),
        format!("---\n{}\n---\n", "{a: ".repeat(15_000)),
        format!("---\n{nested_keys}---\n{PROGRAM}"),
        format!("---\na: &{}\n---\n", "b".repeat(60_000)),
        format!("---\na: !{}\n---\n", "b".repeat(60_000)),
        format!("---\n{}---\n", "\t- \n".repeat(16_000)),
        format!("---\n{}---\n", "a: b\n".repeat(13_000)),
        format!("---\ndescription: |\n{}---\n", "  \tx\n".repeat(10_000)),
        format!("---\nlanguage: typescript\n---\n{}", "(".repeat(60_000)),
        format!("---\nlanguage: typescript\n---\n{}", "view[a][".repeat(8_000)),
        format!("---\nlanguage: typescript\ninput: {{ schema: {{ enum: [{}] }} }}\n---\n", "1,".repeat(30_000)),
        "x".repeat(5 * DOCUMENT_BYTES),
        "---\n\u{85}\u{2028}\u{2029}a: b\n---\n".into(),
        "---\n'': ''\n? ''\n---\n".into(),
        "---\nsource: { events: [{ '': 1, type: spent, data: '${}' }] }\n---\n".into(),
    ];
    for text in &hostile {
        assert!(!judged(text).is_empty(), "{:?}", &text.chars().take(60).collect::<String>());
    }
}

#[test]
fn too_many_levels_have_our_own_words() {
    let nested =
        |levels: usize| format!("---\ninput: {}{}\n---\n{PROGRAM}", "[".repeat(levels - 1), "]".repeat(levels - 1));
    let told = |text: &str| judged(text).iter().any(|problem| problem.code == "yaml.levels");
    assert!(!told(&nested(FRONT_MATTER_LEVELS)));
    assert!(told(&nested(FRONT_MATTER_LEVELS + 1)));
    let keys: String = (0..300).map(|level| format!("{}k{level}:\n", " ".repeat(level))).collect();
    assert!(told(&format!("---\n{keys}---\n")));
}

#[test]
fn a_byte_order_mark_has_a_fix() {
    let text = "\u{feff}---\nlanguage: typescript\n---\nexport default function (): Output { return 1 }\n";
    let checked = check_without_compiler(DefinitionType::Computation, text);
    assert_eq!(codes(&checked), ["document.mark"]);
    let edit = &checked.problems[0].fix.as_ref().expect("a fix").edits[0];
    assert_eq!(edit.span, Span::new(0, 3));
    assert_eq!(check_without_compiler(DefinitionType::Computation, &text[3..]).problems, []);
}

#[test]
fn a_document_of_the_bound_is_taken_and_one_byte_more_is_not() {
    let filled = |bytes: usize| {
        let around = format!("---\nlanguage: typescript\n---\n// \n{PROGRAM}");
        around.replace("// ", &format!("// {}", "x".repeat(bytes - around.len())))
    };
    assert_eq!(filled(DOCUMENT_BYTES).len(), DOCUMENT_BYTES);
    assert_eq!(check_without_compiler(DefinitionType::Computation, &filled(DOCUMENT_BYTES)).problems, []);
    let over = check_without_compiler(DefinitionType::Computation, &filled(DOCUMENT_BYTES + 1));
    assert_eq!(codes(&over), ["document.size"]);
    assert_eq!(over.problems[0].message, "The document is 65,537 bytes; at most 65,536 are taken.");
}

#[test]
fn places_are_the_bytes_of_the_value_whatever_the_line_ends() {
    let unix = "---\n# é comment\nlanguage: typescript\ndescription: 'é😀 it''s' # more\ninput:\n  schema: { type: object,\n    properties: { \"a\\u0062\": [1, x] } }\n---\n";
    for text in [unix.to_owned(), unix.replace('\n', "\r\n"), unix.replace('\n', "\r")] {
        let reader = Reader::new(&text);
        assert_eq!(reader.problems, []);
        let at = |pointer: &str| {
            let stands = reader.yaml.places.get(pointer).unwrap_or_else(|| panic!("{pointer} in {text:?}"));
            (stands.key.map(|key| &text[key.start..key.end]), &text[stands.value.start..stands.value.end])
        };
        assert_eq!(at("/language"), (Some("language"), "typescript"));
        assert_eq!(at("/description"), (Some("description"), "'é😀 it''s'"));
        assert_eq!(at("/input/schema/type"), (Some("type"), "object"));
        assert_eq!(at("/input/schema/properties/ab/0"), (None, "1"));
        assert_eq!(at("/input/schema/properties/ab/1"), (None, "x"));
        assert_eq!(at("/input/schema/properties/ab"), (Some("\"a\\u0062\""), "[1, x]"));
        assert_eq!(at("/input/schema").1, &text[text.find("{ type").expect("there")..=text.rfind('}').expect("there")]);
        assert_eq!(reader.at("/description"), Some(&json!("é😀 it's")));
        assert_eq!(reader.parts.map(|parts| parts.body_line), Some(9));
    }
}

#[test]
fn every_fix_leaves_one_problem_less() {
    let fold = "export function fold(view: View): View { return view; }\n";
    let bad = [
        "langauge: typescript\nsource: { events: [{ type: spent }] }\n",
        "description: a\nsource: { events: [{ type: spent }] }\n",
        "language: JavaScript\nsource: { events: [{ type: spent }] }\n",
        "description: 7\nlanguage: typescript\nsource: { events: [{ type: spent }] }\n",
        "description: a: b\nlanguage: typescript\nsource: { events: [{ type: spent }] }\n",
        "language: typescript\nsource: { events: [{ type: spent, Subject: a }] }\n",
        "language: typescript\nsource: { events: [{ type: spent, trigger_kind: event }] }\n",
        "language: typescript\nsource: { events: [{ type: spent, depth: '2' }] }\n",
        "language: typescript\nsource: { events: [{ type: spent, region: 7 }] }\n",
        "language: typescript\nsource: { events: [{ type: run_suceeded }] }\n",
        "language: typescript\nsource: { events: [{ type: spent, data: .inf }] }\n",
        "language: typescript\nsource:\n  events:\n    - type: spent\n      data: ${ { a: 1 }.a === $data }\n",
        "language: typescript\nsource:\n\tevents: [{ type: spent }]\n",
        "language: typescript\nsource: { events: [{ type: spent }] }\ninput: { schema: { type: strng } }\n",
        "language: typescript\nsource: { events: [{ type: spent }] }\ninput: { schema: { maxLenght: 3 } }\n",
        "language: typescript\nsource: { events: [{ type: spent }] }\ninput: { schema: { format: datetime } }\n",
        "language: typescript\nsource: { events: [{ type: spent }] }\ninput: { schema: { $ref: '#/$defs/adress', $defs: { address: {} } } }\n",
        "language: typescript\nsource: { events: [{ type: spent }] }\nview: { initial: [], schema: { type: array, items: { type: integer } } }\n",
        "language: typescript\nsource: { events: [{ type: spent }] }\nview:\n  initial: {}\n  schema:\n    type: object\n    additionalProperties: { type: integer }\n",
        "language: typescript\nsource: { events: [{ type: spent }] }\nview:\n  initial: { a: [] }\n  schema:\n    type: object\n    properties:\n      a:\n        type: array\n",
        "language: typescript\nsource: { events: [{ type: spent }] }\nview: { initial: [] }\n",
        "language: typescript\nsource: { events: [{ type: spent }] }\nview:\n  initial: {}\n",
    ];
    for front in bad {
        let text = format!("---\n{front}---\n{fold}");
        let before = check_without_compiler(DefinitionType::Recall, &text).problems;
        let fixed = before.iter().find_map(|problem| problem.fix.as_ref().map(|fix| (problem, fix)));
        let (problem, fix) = fixed.unwrap_or_else(|| panic!("no fix in {before:?}"));
        let mut mended = text.clone();
        for edit in fix.edits.iter().rev() {
            mended.replace_range(edit.span.start..edit.span.end, &edit.text);
        }
        let after = check_without_compiler(DefinitionType::Recall, &mended).problems;
        assert!(
            !after.iter().any(|other| other.code == problem.code),
            "{front}: {} gives {mended}\n{after:?}",
            fix.title
        );
        assert!(errors(&after).count() <= errors(&before).count(), "{after:?}");
    }
}

#[test]
fn other_types_are_told_at_once() {
    let checked = check_without_compiler(DefinitionType::Prediction, "---\nmodel: a\n---\n");
    assert_eq!(codes(&checked), ["document.type"]);
}

#[test]
fn details_are_stored_and_read_back() {
    let details = Details::Recall(RecallDetails {
        filters: vec![
            Filter {
                kind: "spent".into(),
                attributes: vec![("depth".into(), json!(1))],
                data: Data::Equal(Value::Null),
                sentence: "s".into(),
            },
            Filter { kind: "spent".into(), attributes: vec![], data: Data::None, sentence: "s".into() },
            Filter {
                kind: "spent".into(),
                attributes: vec![],
                data: Data::Expression { text: "$data".into(), stripped: "$data".into() },
                sentence: "s".into(),
            },
        ],
        initial: json!([]),
        view_schema: Some(json!({})),
        first_line: 9,
        answers: true,
    });
    let stored = serde_json::to_value(&details).expect("details are JSON");
    assert_eq!(serde_json::from_value::<Details>(stored).expect("as they were"), details);
}

#[test]
fn a_lookup_is_mended_where_it_stands() {
    let text = "---\nlanguage: typescript\nsource: { events: [{ type: spent }] }\nview: { initial: {}, schema: { type: object, maxProperties: 9, additionalProperties: { type: integer } } }\n---\n\
        export function fold(view: View, event: Event): View {\n  const before = view[event.id] ?? 0;\n  return { ...view, [event.id]: before + 1 };\n}\n";
    let problems = check_without_compiler(DefinitionType::Recall, text).problems;
    let problem = problems.iter().find(|problem| problem.code == "recall.lookup").expect("it is told");
    let edit = &problem.fix.as_ref().expect("a fix").edits[0];
    let mut mended = text.to_owned();
    mended.replace_range(edit.span.start..edit.span.end, &edit.text);
    assert!(
        mended.contains("const before = (Object.hasOwn(view, event.id) ? view[event.id] : undefined) ?? 0;"),
        "{mended}"
    );
    let after = check_without_compiler(DefinitionType::Recall, &mended).problems;
    assert!(!after.iter().any(|problem| problem.code == "recall.lookup"), "{after:?}");
}

#[test]
fn a_recall_function_uses_what_its_filters_name() {
    let filter = |kind: &str, name: &str, value: &str| Filter {
        kind: kind.into(),
        attributes: vec![(name.into(), json!(value))],
        data: Data::None,
        sentence: String::new(),
    };
    let details = Details::Recall(RecallDetails {
        filters: vec![
            filter("run_succeeded", "subject", "reasoning/review-brief"),
            filter("run_failed", "subject", "reasoning/review-brief"),
            filter("run_failed", "subject", "nonsense"),
            filter("definition_updated", "source", "/definitions/computation/sum-up"),
            filter("spent", "subject", "reasoning/other-brief"),
        ],
        initial: Value::Null,
        view_schema: None,
        first_line: 1,
        answers: false,
    });
    let used: Vec<String> = uses(&details).iter().map(ToString::to_string).collect();
    assert_eq!(used, ["reasoning/review-brief", "computation/sum-up"]);
    assert_eq!(uses(&Details::Computation(ComputationDetails { first_line: 3 })), []);
}

#[test]
fn the_lines_of_a_document_are_those_of_its_body() {
    let text = "---\r\nlanguage: typescript\r\n---\r\nlet a = 1;\r\n";
    let checked = check_without_compiler(DefinitionType::Computation, text);
    let index = LineIndex::new(text);
    let problem = checked.problems.iter().find(|problem| problem.code == "module.top").or(checked.problems.last());
    let problem = problem.expect("a let at the top level is refused");
    assert_eq!(problem.place.line, 4);
    assert_eq!(index.place(problem.place.span.start).line, 4);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_judged(text in "\\PC{0,200}") {
        judged(&text);
    }

    #[test]
    fn any_front_matter_is_judged(front in "([ \\t\\r\\n:\\-?\\[\\]{},#&*!|>'\"%@`~a-c0-9é\u{0}]){0,120}", body in "\\PC{0,40}") {
        judged(&format!("---\n{front}\n---\n{body}"));
    }

    #[test]
    fn any_filter_is_judged(
        name in "[a-zA-Z_é0-9]{0,22}",
        value in prop_oneof![Just("''".to_owned()), "[a-z]{1,9}", "-?[0-9]{1,9}", Just("{ a: [b] }".to_owned()), Just("${ a }".to_owned()), Just("'${ $data }'".to_owned())],
    ) {
        judged(&format!("---\nlanguage: typescript\nsource:\n  events:\n    - type: spent\n      {name}: {value}\n---\nexport function fold(view: View): View {{ return view; }}\n"));
    }

    #[test]
    fn any_request_is_judged(
        to in "('|\"|)[\\PC]{0,30}('|\"|)",
        expires in "[P0-9DTHMSW. a-zé]{0,12}",
        body in "([ \\n{}%|:.,'\"a-cé\\[\\]()-]|\\{\\{ input|\\}\\}|\\{% if |\\{% for x in |%\\}|endif|endfor|\\$\\{){0,40}",
    ) {
        judged(&format!("---\nto: {to}\nexpires: {expires}\n---\n{body}"));
        judged(&format!("---\nto: \"{body}\"\nexpires: P1D\n---\n{to}"));
    }
}
