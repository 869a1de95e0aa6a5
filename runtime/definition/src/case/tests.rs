use super::*;
use playbook_model::definition::DefinitionType;
use playbook_model::definition::DefinitionType::{Computation, Recall};
use playbook_model::problem::Problem;
use proptest::prelude::*;
use serde_json::{Map, json};

const WHOLE: &str = "\
description: A review of a campaign that is not text
view:
  autumn-launch: []
events:
  # What a run came to.
  - type: run_succeeded
    source: /runs/0199a3c4-7d2e-7c1a-9b3f-2f1e0d9c8b71
    subject: computation/review-brief
    definitionversion: 3
    data:
      output: { campaign: 7 }
  - type: run_succeeded
    source: /runs/2
    id: given
    time: 2026-03-01T12:00:00+01:00
    data: null
  - type: run_started
    source: /runs/3
expect:
  view: { unknown: [] }
ask:
  - input: { campaign: unknown }
    output: []
  - input: { campaign: 1 }
    rejected: invalid_input
  - rejected: unworkable
";

fn taken(kind: DefinitionType, text: &str) -> Case {
    let read = read(kind, text);
    assert_eq!(read.problems, [], "{text}");
    read.case.expect("a case without problems is a case")
}

fn told(kind: DefinitionType, text: &str) -> Vec<String> {
    let read = read(kind, text);
    assert_eq!(read.case, None, "{text}");
    let line = |problem: &Problem| {
        let hint = problem.hint.as_deref().map(|hint| format!(" | {hint}")).unwrap_or_default();
        let pointer = problem.place.pointer.as_deref().unwrap_or("-");
        format!("{}:{} {pointer} {}{hint}", problem.place.line, problem.place.column, problem.message)
    };
    read.problems.iter().map(line).collect()
}

#[test]
fn what_is_left_out_is_made_up_the_same_every_time() {
    let Case::Recall(case) = taken(Recall, WHOLE) else { panic!("a recall function's case") };
    let made: Vec<(&str, &str)> =
        case.events.iter().map(|event| (event.id.as_str(), event.time.as_deref().expect("made"))).collect();
    assert_eq!(
        made,
        [
            ("event-1", "2026-01-01T00:00:00.000Z"),
            ("given", "2026-03-01T12:00:00+01:00"),
            ("event-3", "2026-03-01T11:00:01.000Z")
        ]
    );
    assert_eq!(case.events[0].specversion, "1.0");
    assert_eq!(case.events[1].data, Some(json!(null)));
    assert_eq!(case.events[2].data, None);
    assert_eq!(case.view, Some(json!({ "autumn-launch": [] })));
    assert_eq!(case.ask[2].input, json!({}));
    let unworkable = Answer::Rejected { reason: Reason::Conflict, kind: Some(Kind::Unworkable) };
    assert_eq!(case.ask[2].answer, unworkable);
    assert_eq!(taken(Recall, WHOLE), Case::Recall(case));
}

#[test]
fn a_written_case_is_what_a_person_would_write() {
    let case = taken(Recall, WHOLE);
    let text = write(&case);
    assert_eq!(taken(Recall, &text), case);
    assert_eq!(
        text,
        "\
description: A review of a campaign that is not text
view:
  autumn-launch: []
events:
  - type: run_succeeded
    source: /runs/0199a3c4-7d2e-7c1a-9b3f-2f1e0d9c8b71
    subject: computation/review-brief
    id: event-1
    time: 2026-01-01T00:00:00.000Z
    definitionversion: 3
    data:
      output:
        campaign: 7
  - type: run_succeeded
    source: /runs/2
    id: given
    time: 2026-03-01T12:00:00+01:00
    data: null
  - type: run_started
    source: /runs/3
    id: event-3
    time: 2026-03-01T11:00:01.000Z
expect:
  view:
    unknown: []
ask:
  - input:
      campaign: unknown
    output: []
  - input:
      campaign: 1
    rejected: invalid_input
  - input: {}
    rejected: unworkable
"
    );
}

#[test]
fn every_problem_is_told_at_once() {
    let text = "\
description: 7
events:
  - type: run_succeeded
    sorce: /runs/1
    depth: 0
    time: yesterday
  - nothing
  - { type: '', source: /a, half: 1.5, Region: eu }
expect:
  stalled: rased
  line: 0
input: {}
";
    assert_eq!(
        told(Recall, text),
        [
            "1:14 /description description must be text.",
            "3:5 /events/0 The event needs a source. | Did you mean source where sorce stands?",
            "5:12 /events/0/depth depth must be a whole number from 1.",
            "6:11 /events/0/time time must be a date and time with an offset, such as 2026-10-03T16:40:05Z.",
            "7:5 /events/1 An event is a mapping of its attributes and data.",
            "8:13 /events/2/type type must not be blank.",
            "8:35 /events/2/half half must be text, true, false or a whole number.",
            "8:40 /events/2/Region Region is no attribute of an event: one is named in 1 to 20 lowercase letters and digits.",
            "10:12 /expect/stalled stalled must be raised, work, memory, unfit, size, schema, refused, time or crash. | Did you mean raised?",
            "11:9 /expect/line line must be a line of the document, from 1.",
            "12:1 /input input is not a field of a recall function's case; the fields are description, view, events, expect and ask. | Ask the view after the events: write input and output in an item of ask.",
        ]
    );
}

#[test]
fn an_expectation_is_one_thing() {
    let first = |kind, text: &str| told(kind, text).remove(0);
    for (kind, text, words) in [
        (Recall, "{}", "1:1 /expect expect is missing."),
        (Computation, "input: 1", "1:1 /expect expect is missing."),
        (Recall, "", "1:1  A recall function's case is a mapping of fields."),
        (Computation, "- a", "1:1  A computation function's case is a mapping of fields."),
        (Recall, "events: 1\nexpect: { view: 1 }", "1:9 /events events must be a list of events."),
        (Recall, "expect: {}", "1:1 /expect expect needs a view, or stalled with a kind of stall."),
        (
            Recall,
            "expect: { stalled: raised }",
            "1:11 /expect/stalled A view stalls at an event, and the case has none.",
        ),
        (Recall, "expect: { view: 1, line: 3 }", "1:20 /expect/line Only a stall has a line."),
        (Recall, "expect: { view: 1, stalled: size }", "1:20 /expect/stalled The events fold to a view or stall;"),
        (Recall, "expect: { output: 1 }", "1:1 /expect expect needs a view"),
        (Recall, "ask: []", "1:1 /ask ask holds no question; leave it out."),
        (Recall, "ask: 1", "1:6 /ask ask must be a list of questions."),
        (Recall, "ask: [{ input: 1 }]", "1:7 /ask/0 The question needs an output, or rejected with a reason."),
        (Recall, "ask: [x]", "1:7 /ask/0 A question is a mapping with an input and an output."),
        (Recall, "ask: [{ output: 1, rejected: conflict }]", "1:20 /ask/0/rejected A run ends with an output or is"),
        (
            Recall,
            "events: [{ type: a, source: b }]\nexpect: { stalled: work }\nask: [{ output: 1 }]",
            "3:1 /ask A stalled view is not asked;",
        ),
        (Computation, "expect: { rejected: unworkabel }", "1:21 /expect/rejected rejected must be unworkable,"),
        (Computation, "expect: { rejected: conflict, kind: stalled }", "1:37 /expect/kind kind must be unworkable"),
        (Computation, "expect: { rejected: invalid_input, kind: unworkable }", "1:36 /expect/kind Only a conflict has"),
        (Computation, "expect: { output: 1, kind: unworkable }", "1:22 /expect/kind Only a rejected run has a kind."),
        (Computation, "expect: [1]", "1:9 /expect expect must be a mapping of fields."),
        (
            Computation,
            "view: 1\nexpect: { output: 1 }",
            "1:1 /view view is not a field of a computation function's case",
        ),
        (DefinitionType::Reasoning, "a: 1", "1:1  This program tests computation and recall functions and workflows;"),
    ] {
        let found = first(kind, text);
        assert!(found.starts_with(words), "{text}: {found}");
    }
}

#[test]
fn hostile_texts_are_problems() {
    let deep = |open: &str, close: &str, levels: usize| {
        format!("expect: {{ view: {}{} }}\n", open.repeat(levels), close.repeat(levels))
    };
    for text in [
        "a: [",
        "\u{0}",
        "a: &x 1\nb: *x",
        "!!binary a",
        "expect: { view: .nan }",
        "expect: { view: 1 }\nexpect: { view: 2 }",
        "--- 1\n--- 2",
        &deep("[", "]", 600),
        &deep("{ a: ", " }", 600),
        &"- ".repeat(3_000),
        &"[".repeat(100_000),
        &"x".repeat(playbook_model::limits::CASE_BYTES + 1),
    ] {
        for kind in [Recall, Computation] {
            assert!(!told(kind, text).is_empty());
        }
    }
}

#[test]
fn the_first_hundred_problems_are_told_and_the_rest_counted() {
    let lines = told(Recall, &"a: b\n".repeat(1_500));
    assert_eq!(lines.len(), 101);
    assert_eq!(lines[100], "100:1 /a 1,401 more problems are not shown.");
}

#[test]
fn values_as_deep_as_a_view_may_be_are_written_and_read() {
    let nested = |open: &str, inner: &str, close: &str, levels: usize| {
        let text = format!("{}{inner}{}", open.repeat(levels), close.repeat(levels));
        playbook_model::json::parse(&text, 600).expect("JSON")
    };
    for value in [nested("[", "", "]", 512), nested("{\"a\":", "1", "}", 512), nested("[{\"a b\":", "[]", "}]", 255)] {
        let case = Case::Recall(RecallCase {
            description: None,
            view: Some(value.clone()),
            events: Vec::new(),
            expect: Some(Folds::View(value)),
            ask: Vec::new(),
        });
        assert_eq!(taken(Recall, &write(&case)), case);
    }
}

#[test]
fn a_pointer_has_the_place_of_its_key() {
    let read = read(Recall, WHOLE);
    let line = |pointer: &str| read.place(pointer).line;
    assert_eq!((line("/expect/view"), line("/expect/view/unknown/0/at"), line("/ask/1/rejected")), (20, 20, 25));
    assert_eq!((line("/events/1"), line("/nowhere"), line("")), (12, 1, 1));
}

#[test]
fn only_the_expectations_are_rewritten() {
    let mut case = taken(Recall, WHOLE);
    if let Case::Recall(case) = &mut case {
        case.expect = Some(Folds::Stalled { kind: "raised".into(), line: Some(7) });
        case.ask.clear();
    }
    let text = rewrite(WHOLE, &case);
    assert_eq!(taken(Recall, &text), case);
    let kept = WHOLE.split("expect:").next().expect("before it");
    assert_eq!(text, format!("{kept}expect:\n  stalled: raised\n  line: 7\n"));

    let computation = "# Mine.\nexpect: { output: 1 } # one\n# Between.\ninput:\n  - a # an a\n";
    let mut case = taken(Computation, computation);
    if let Case::Computation(case) = &mut case {
        case.expect = Answer::Rejected { reason: Reason::Conflict, kind: Some(Kind::Unworkable) };
    }
    assert_eq!(
        rewrite(computation, &case),
        "# Mine.\nexpect:\n  rejected: conflict\n  kind: unworkable\n# Between.\ninput:\n  - a # an a\n"
    );
    for text in [
        "{ expect: { output: 1 }, input: [a] }",
        "  input: [a]\n  expect: { output: 1 }",
        "input: [a]\nexpect: { output: 1 }",
    ] {
        assert_eq!(taken(Computation, &rewrite(text, &case)), case, "{text}");
    }
}

#[test]
fn texts_stay_readable() {
    let text = |value: &str| block::member("a", &json!(value));
    assert_eq!(
        text("a plain text, with: no colon and a # is quoted"),
        "a: 'a plain text, with: no colon and a # is quoted'\n"
    );
    assert_eq!(text("an ordinary text (of 3 words)"), "a: an ordinary text (of 3 words)\n");
    assert_eq!(text("it's"), "a: it's\n");
    assert_eq!(text("12"), "a: '12'\n");
    assert_eq!(text("true"), "a: 'true'\n");
    assert_eq!(text(""), "a: \"\"\n");
    assert_eq!(text("one\n\n  two\n"), "a: |\n  one\n\n    two\n");
    assert_eq!(text("one\ntwo"), "a: |-\n  one\n  two\n");
    assert_eq!(text("one\r\ntwo"), "a: \"one\\r\\ntwo\"\n");
    assert_eq!(text("Zoë 😀"), "a: 'Zoë 😀'\n");
    assert_eq!(block::member("a", &json!([[1, 2], [{ "b": "c" }]])), "a:\n  - [1, 2]\n  - [{ \"b\": \"c\" }]\n");
}

const RUN: &str = "\
description: Kept
run: 0f8fad5b-d9cb-469f-a165-70867728950e
start: 2026-01-01T00:00:01.000Z
input:
  a: 1
depth: 2
longest: 5000
waits:
  ask: 60000
happens:
  - answer: review
    of: computation/review-brief
    input:
      a: 1
    output: null
  - at: 2026-01-01T00:00:02.000Z
    answer: /do/1/ask
    nth: 2
    rejected:
      reason: unanswered
      kind: expired
      detail: Nobody answered
  - answer: other
    failed: true
  - answer: other
    unreachable: It was away
  - time: pause
  - time: ask
    nth: 3
    of: call
  - run_time: timeout
  - event:
      type: released
      id: a
  - at: 2026-01-01T00:00:03.000Z
    heard:
      type: heard
      id: b
    by: listens
    filter: 1
  - went_on: true
  - cancelled: requested
    reason: Enough
expect:
  rejected: cancelled
  kind: requested
";

#[test]
fn a_workflows_case_is_written_as_it_is_read() {
    let case = taken(DefinitionType::Workflow, RUN);
    assert_eq!(write(&case), RUN);
    let Case::Workflow(case) = case else { panic!("a workflow's case") };
    assert_eq!(case.happens.len(), 11);
    assert_eq!(case.happens[2].at, case.happens[1].at);
    let mut mended = case.clone();
    mended.expect = Ends::Waits(vec!["ask".into()]);
    let text = rewrite(&format!("# Mine\n{RUN}"), &Case::Workflow(mended));
    assert!(text.starts_with("# Mine\n") && text.ends_with("expect:\n  waits:\n    - ask\n"), "{text}");
    let Case::Workflow(least) = taken(DefinitionType::Workflow, "expect: { output: 1 }") else { panic!("a case") };
    assert_eq!((least.start, least.input, least.happens.len()), (FIRST_MOMENT, json!({}), 0));
}

#[test]
fn every_problem_of_a_workflows_case_has_its_place() {
    let mut others = Vec::new();
    for (text, words) in [
        ("expect: { output: 1, waits: [] }", "1:1 /expect A run ends with an output, is rejected, or waits"),
        ("expect: { rejected: no }", "1:21 /expect/rejected rejected must be"),
        ("expect: { output: 1 }\nrun: 1", "2:6 /run run must be text."),
        ("expect: { output: 1 }\nrun: one", "2:6 /run run must be the id of a run"),
        ("expect: { output: 1 }\ndepth: 9", "2:8 /depth depth must be how many workflows"),
        ("expect: { output: 1 }\nstart: now", "2:8 /start start must be a date and time"),
        ("expect: { output: 1 }\nwaits: { a: soon }", "2:13 /waits/a It must be a whole number"),
        ("expect: { output: 1 }\nhappens: 1", "2:10 /happens happens must be a list"),
        ("expect: { output: 1 }\nhappens: [1]", "2:11 /happens/0 It is a mapping"),
        ("expect: { output: 1 }\nhappens: [{ answer: a, time: b }]", "2:11 /happens/0 Each is one thing"),
        ("expect: { output: 1 }\nhappens: [{ answer: a }]", "2:11 /happens/0 An answer is one of"),
        ("expect: { output: 1 }\nhappens: [{ answer: a, nth: 0, output: 1 }]", "2:29 /happens/0/nth nth must be"),
        ("expect: { output: 1 }\nhappens: [{ answer: a, of: b, output: 1 }]", "2:28 /happens/0/of of must be"),
        (
            "expect: { output: 1 }\nhappens: [{ answer: a, rejected: b }]",
            "2:34 /happens/0/rejected rejected is a mapping",
        ),
        ("expect: { output: 1 }\nhappens: [{ time: a, of: b }]", "2:26 /happens/0/of of must be"),
        ("expect: { output: 1 }\nhappens: [{ event: { type: a } }]", "2:20 /happens/0/event An event is"),
        ("expect: { output: 1 }\nhappens: [{ heard: { type: a, id: b } }]", "2:11 /happens/0 Name the task"),
        ("expect: { output: 1 }\nhappens: [{ cancelled: b }]", "2:24 /happens/0/cancelled cancelled must be"),
        ("happens: []", "1:1 /expect expect is missing."),
    ] {
        let found = told(DefinitionType::Workflow, text).into_iter().next().unwrap_or_default();
        if !found.starts_with(words) {
            others.push(format!("{text}: {found}"));
        }
    }
    assert!(others.is_empty(), "{}", others.join("\n"));
}

#[test]
fn a_name_is_a_files() {
    for good in ["spring-sale", "1", "a-b-3"] {
        assert!(CaseName::new(good).is_ok(), "{good}");
    }
    for bad in ["", "-a", "A", "a b", "a.b", "../a", &"a".repeat(101)] {
        assert!(CaseName::new(bad).is_err(), "{bad}");
    }
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        ".*",
        "[ -~]{0,12}",
        "[a-z0-9:#'\"\\\\{}\\[\\],&*!|>%@` \n\t-]{0,16}",
        "(\\PC|\n| ){0,12}",
        "[\n ]{0,4}[a-z\n ]{0,8}[\n ]{0,3}",
        prop::sample::select(vec![
            "null",
            "~",
            "true",
            "0x1f",
            "1e3",
            ".5",
            "-",
            "? a",
            ": b",
            "---",
            "...",
            "=",
            "<<",
            "\u{feff}",
            "\u{85}",
            "\u{2028}",
            "\r",
            "2026-01-01",
            "1_000",
            "0o7",
            "yes",
            "- a",
            "a:",
            "# a",
            "\u{fffe}"
        ])
        .prop_map(str::to_owned),
    ]
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter_map("finite", |n| serde_json::Number::from_f64(n).map(Value::Number)),
        any_text().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            prop::collection::vec((any_text(), inner), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn any_answer() -> impl Strategy<Value = Answer> {
    prop_oneof![
        any_value().prop_map(Answer::Output),
        prop::sample::select(REJECTIONS.to_vec()).prop_map(|(_, reason, kind)| Answer::Rejected { reason, kind }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_written_reads_back(
        view in prop::option::of(any_value()),
        data in prop::collection::vec(prop::option::of(any_value()), 0..4),
        subject in prop::option::of(any_text()),
        expect in any_value(),
        asked in prop::collection::vec((any_value(), any_answer()), 0..3),
    ) {
        let subject = subject.filter(|text| !text.trim().is_empty());
        let mut events: Vec<CloudEvent> = Vec::new();
        for (at, data) in data.into_iter().enumerate() {
            let time = made_time(events.last());
            events.push(CloudEvent {
                specversion: "1.0".into(),
                id: made_id(at + 1),
                kind: "spent".into(),
                source: "/a".into(),
                subject: subject.clone(),
                time: Some(time),
                datacontenttype: None,
                dataschema: None,
                extensions: Map::from_iter([("region".to_owned(), json!("eu")), ("depth".to_owned(), json!(2))]),
                data,
            });
        }
        let ask = asked.into_iter().map(|(input, answer)| Ask { input, answer }).collect();
        let case = RecallCase { description: None, view, events, expect: Some(Folds::View(expect)), ask };
        let case = Case::Recall(case);
        let text = write(&case);
        let read = read(Recall, &text);
        prop_assert_eq!(read.case.as_ref(), Some(&case), "{}\n{:?}", text, read.problems);
        // The same keys in the same order, which equality of objects does not see.
        if let (Some(Case::Recall(a)), Case::Recall(b)) = (&read.case, &case) {
            prop_assert_eq!(format!("{:?}", a.view), format!("{:?}", b.view));
        }
    }

    #[test]
    fn a_rewritten_case_reads_back(input in any_value(), before in any_answer(), after in any_answer()) {
        let case = |expect| Case::Computation(ComputationCase { description: None, input: input.clone(), expect });
        let text = rewrite(&write(&case(before)), &case(after.clone()));
        prop_assert_eq!(read(Computation, &text).case, Some(case(after)));
    }

    #[test]
    fn no_text_breaks_the_reader(text in "(expect|view|events|ask|stalled|happens|answer|depth|output|waits|  |- |: |\n|\\{|\\}|\\[|\\]|'|[a-z]|\\PC){0,60}") {
        let _ = read(Recall, &text);
        let _ = read(Computation, &text);
        let _ = read(DefinitionType::Workflow, &text);
    }
}
