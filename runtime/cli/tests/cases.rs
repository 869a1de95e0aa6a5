//! `playbook test`: cases that pass, cases that fail with their differences, and cases mended.

mod common;

use common::{Place, joined};
use serde_json::{Value, json};

const SPEND: &str = "sample/tests/recall/campaign-spend/amounts-that-count.yaml";
const BRIEF: &str = "sample/tests/computation/review-brief/a-brief-without-a-budget.yaml";

#[test]
fn the_samples_cases_pass_and_leave_nothing() {
    let place = Place::with_sample();
    let ran = place.run(&["test", "sample"]).ended(0);
    assert!(ran.out.ends_with("5 cases passed.\n"), "{ran:?}");
    assert_eq!((ran.out.lines().count(), ran.err.as_str()), (6, ""));
    assert!(!place.path("sample/.playbook").exists());
    let inside = common::said(place.command(&["test", "--json"]).current_dir(place.path("sample"))).ended(0).json();
    assert_eq!((&inside["passed"], &inside["failed"]), (&json!(5), &json!(0)));
    let first = inside["cases"][0].as_object().expect("an object");
    let members: Vec<&str> = first.keys().map(String::as_str).collect();
    assert_eq!(members, ["path", "type", "name", "case", "description", "passed", "updated", "problems"]);
    assert_eq!(first["path"], joined("tests", "recall/campaign-reviews/a-campaign-named-like-an-object.yaml"));
}

#[test]
fn cases_are_chosen_by_path_and_text() {
    let place = Place::with_sample();
    let passed = |arguments: &[&str]| {
        let mut all = vec!["test", "--json"];
        all.extend(arguments);
        place.run(&all).ended(0).json()["passed"].as_u64().expect("a number")
    };
    assert_eq!(passed(&["sample/recall/campaign-reviews.md"]), 2);
    assert_eq!(passed(&["sample/tests/recall"]), 3);
    assert_eq!(passed(&[SPEND, BRIEF]), 2);
    assert_eq!(passed(&[SPEND, "sample"]), 5);
    assert_eq!(passed(&["sample", "--filter", "no-text"]), 1);
    assert_eq!(passed(&["--folder", "sample", "--filter", "computation/"]), 2);
    for (arguments, words) in [
        (vec!["test", "sample", "--filter", "nothing"], "There is no such test case"),
        (vec!["test", "sample/playbook.yaml"], "There is no such test case"),
        (vec!["test", "nowhere"], "There is no nowhere"),
        (vec!["test", "."], "is not a playbook"),
    ] {
        let refused = place.run(&arguments).ended(2);
        assert!(refused.err.contains(words), "{arguments:?}: {refused:?}");
    }
    place.run(&["init", "empty-one"]).ended(0);
    let none = place.run(&["test", "empty-one"]).ended(0);
    assert!(none.err.contains("has no test cases"), "{none:?}");
}

#[test]
fn a_case_that_fails_says_what_differs_and_where() {
    let place = Place::with_sample();
    place.replace(SPEND, "spent_cents: 1300\n      payments: 2", "spent_cents: 1301\n      pays: 2");
    place.replace(SPEND, "campaign: nobody, spent_cents: 0", "campaign: nobody, spent_cents: 5");
    let line = |text: &str| place.read(SPEND).lines().position(|line| line.contains(text)).expect("a line") + 1;
    let failed = place.run(&["test", "sample"]).ended(1);
    let shown = joined("sample", "tests/recall/campaign-spend/amounts-that-count.yaml");
    let expected = format!(
        "FAILED  {shown}
  {shown}:{}:3: The view is another than expected; no filter takes 2 of its 5 events.
    /spring-sale/pays: expected 2, found nothing
    /spring-sale/spent_cents: expected 1301, found 1300
    /spring-sale/payments: expected nothing, found 2
  {shown}:{}:5: The run's output is another than expected.
    /0/spent_cents: expected 5, found 0
",
        line("  view:"),
        line("campaign: nobody }") + 1,
    );
    assert!(failed.out.contains(&expected), "{}\n{expected}", failed.out);
    assert!(failed.out.ends_with("4 cases passed, 1 failed.\n"), "{failed:?}");
    let listed = place.run(&["test", SPEND, "--json"]).ended(1).json();
    let problem = &listed["cases"][0]["problems"][0];
    assert_eq!(problem["pointer"], "/expect/view");
    assert_eq!(problem["differences"][0], json!({"pointer": "/spring-sale/pays", "expected": 2}));
    assert_eq!(problem["differences"].as_array().map(Vec::len), Some(3));
}

#[test]
fn an_update_writes_what_happened_and_nothing_else() {
    let place = Place::with_sample();
    let whole = place.read(SPEND);
    place.replace(SPEND, "spent_cents: 1300\n      payments: 2", "spent_cents: 1\n      payments: 2");
    place.replace(BRIEF, "recommendation: Revise", "recommendation: Ready");
    let updated = place.run(&["test", "sample", "--update"]).ended(0);
    assert!(updated.out.contains("expected 1, found 1300"), "{updated:?}");
    assert!(updated.out.ends_with("3 cases passed, 2 updated.\n"), "{updated:?}");
    place.run(&["test", "sample"]).ended(0);
    let events = |text: &str| text.split("\nexpect:").next().map(str::to_owned);
    assert_eq!(events(&place.read(SPEND)), events(&whole));
    assert!(place.read(SPEND).contains("output:\n      - campaign: spring-sale"), "an answer that is met stays");
    let passing = place.read("sample/tests/recall/campaign-reviews/a-review-that-is-no-text.yaml");
    assert!(passing.contains("# Another function's run is not taken."));
}

#[test]
fn a_stall_is_expected_at_the_last_event_with_its_kind_and_line() {
    let place = Place::with_sample();
    let file = "sample/recall/campaign-spend.md";
    let text = place.read(file);
    let fold = text.lines().find(|line| line.starts_with("export function fold(")).expect("a fold");
    place.write(
        file,
        text.replace(fold, &format!("{fold}\n  if (event.id === 'bad') throw new Error('not this one');")),
    );
    let line = text.lines().position(|line| line == fold).expect("a line") + 2;
    let case = |name: &str, expect: &str, more: &str| {
        let events = "- { type: com.example.campaign.spend, source: /a, id: bad, data: { amount_cents: 1 } }";
        let path = format!("sample/tests/recall/campaign-spend/{name}.yaml");
        place.write(&path, format!("events:\n  {events}\n{more}expect:\n  {expect}\n"));
        path
    };
    let after = "  - { type: com.example.campaign.spend, source: /a, data: { amount_cents: 1 } }\n";
    for (name, expect, more, words) in [
        ("kind", "stalled: raised", "", ""),
        ("line", &format!("{{ stalled: raised, line: {line} }}"), "", ""),
        ("other-line", "{ stalled: raised, line: 3 }", "", "At event 1 of 1, bad, the fold stalled (raised) on line"),
        ("other-kind", "stalled: size", "", "Error: not this one"),
        ("a-view", "view: {}", "", "the fold stalled (raised)"),
        ("too-early", "stalled: raised", after, "At event 1 of 2, bad, the fold stalled"),
        ("no-stall", "stalled: raised", "view: {}\n", ""),
    ] {
        let path = case(name, expect, more);
        if name == "no-stall" {
            place.replace(&path, "id: bad", "id: good");
        }
        let code = i32::from(!words.is_empty() || name == "no-stall");
        let ran = place.run(&["test", &path]).ended(code);
        assert!(ran.out.contains(words), "{name}: {ran:?}");
        if name == "no-stall" {
            assert!(ran.out.contains("No stall: every event was folded"), "{ran:?}");
        }
    }
    let updated = place.run(&["test", "sample/recall/campaign-spend.md", "--update"]).ended(1);
    assert!(updated.out.ends_with("3 cases passed, 4 updated, 1 failed.\n"), "{updated:?}");
    let mended = place.read("sample/tests/recall/campaign-spend/a-view.yaml");
    assert!(mended.ends_with(&format!("expect:\n  stalled: raised\n  line: {line}\n")), "{mended}");
    let again = place.run(&["test", "sample/recall/campaign-spend.md"]).ended(1);
    assert!(again.out.ends_with("7 cases passed, 1 failed.\n"), "{again:?}");
}

#[test]
fn a_document_with_problems_fails_its_cases_with_them() {
    let place = Place::with_sample();
    place.replace("sample/computation/review-brief.md", "    verdict: reason", "    verdct: reason");
    let failed = place.run(&["test", "sample"]).ended(1);
    let document = joined("sample", "computation/review-brief.md");
    assert_eq!(failed.out.matches(&format!("  {document}:")).count(), 2, "{failed:?}");
    assert!(failed.out.contains("'verdct'") && failed.out.ends_with("3 cases passed, 2 failed.\n"), "{failed:?}");
    place.run(&["test", "sample", "--update"]).ended(1);
    std::fs::remove_file(place.path("sample/computation/review-brief.md")).expect("removed");
    let missing = place.run(&["test", BRIEF]).ended(1);
    assert!(missing.out.contains("There is no document computation/review-brief.md"), "{missing:?}");
}

#[test]
fn hostile_cases_end_in_words() {
    let place = Place::with_sample();
    let texts: [(&str, Vec<u8>); 8] = [
        ("empty", Vec::new()),
        ("brackets", b"[".repeat(50_000)),
        ("anchors", b"view: &a 1\nexpect: { view: *a }\n".to_vec()),
        ("a-list", b"- 1\n".to_vec()),
        ("not-a-view", b"view: []\nexpect: { view: [] }\n".to_vec()),
        ("twice", b"expect: { view: 1 }\nexpect: { view: 1 }\n".to_vec()),
        ("deep", format!("expect: {{ view: {}{} }}\n", "[".repeat(513), "]".repeat(513)).into_bytes()),
        ("Upper", b"expect: { view: {} }\n".to_vec()),
    ];
    for (name, text) in &texts {
        let path = format!("sample/tests/recall/campaign-spend/{name}.yaml");
        place.write(&path, text);
        let failed = place.run(&["test", &path]).ended(1);
        let shown = joined("sample", &path["sample/".len()..]);
        assert!(failed.out.contains(&format!("\n  {shown}:")), "{name}: {failed:?}");
        place.run(&["test", &path, "--update"]).ended(1);
        assert_eq!(&std::fs::read(place.path(&path)).expect("read"), text, "{name}");
    }
    place.write("sample/tests/recall/campaign-spend/bytes.yaml", [0xff, 0xfe]);
    let all = place.run(&["test", "sample"]).ended(1);
    assert!(
        all.out.contains("bytes.yaml:1:1: The file is not text in UTF-8.")
            && all.out.contains("5 cases passed, 9 failed"),
        "{all:?}"
    );
    let listed: Value = place.run(&["test", "sample/tests/recall/campaign-spend/twice.yaml", "--json"]).ended(1).json();
    assert_eq!((&listed["failed"], &listed["cases"][0]["problems"][0]["line"]), (&json!(1), &json!(2)));
}

#[test]
fn a_check_reads_the_cases_too() {
    let place = Place::with_sample();
    place.replace(SPEND, "expect:", "expects:");
    place.write("sample/tests/recall/campaign-spend/Upper.yaml", "");
    let line = place.read(SPEND).lines().position(|line| line == "expects:").expect("a line") + 1;
    let shown = joined("sample", "tests/recall/campaign-spend/amounts-that-count.yaml");
    let one = format!("{shown}:{line}:1: expects is not a field of a recall function's case;");
    let checked = place.run(&["check", "sample"]).ended(1);
    assert!(checked.out.contains(&one) && checked.out.contains("  try: Did you mean expect?"), "{checked:?}");
    assert!(checked.out.contains("Upper.yaml:1:1: A case's name is"), "{checked:?}");
    let alone = place.run(&["check", SPEND]).ended(1);
    assert!(alone.out.starts_with(&one), "{alone:?}");
    let fine = place.run(&["check", BRIEF]).ended(0);
    assert_eq!(fine.err, "1 file checked, no errors.\n");
}

#[test]
fn the_guides_case_passes() {
    let place = Place::with_sample();
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide.md");
    let guide = std::fs::read_to_string(page).expect("the guide");
    let text = guide.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a case");
    let path = text.lines().next().and_then(|line| line.strip_prefix("# ")).expect("its path");
    place.write(&format!("sample/{path}"), text);
    place.run(&["test", &format!("sample/{path}")]).ended(0);
}
