//! `playbook fold`: a document on the disk folded over a log or a file, to its end, to an event, or to a stall.

mod common;

use common::{Place, joined};
use serde_json::{Value, json};

const SPEND: &str = "com.example.campaign.spend";
const DOCUMENT: &str = "sample/recall/campaign-spend.md";

/// The sample with a run, and one payment after the other: `pay-1` of 100 cents, `pay-2` of 200.
fn lived() -> Place {
    let place = Place::with_sample();
    place
        .run(&["run", "computation", "review-brief", "--folder", "sample", "--input", "{\"campaign\": \"idea\"}"])
        .ended(0);
    for nth in 1..=2 {
        let data = format!("{{\"campaign\": \"c{nth}\", \"channel\": \"Email\", \"amount_cents\": {nth}00}}");
        let id = format!("pay-{nth}");
        let time = format!("2026-10-0{nth}T08:00:00Z");
        let publish = ["events", "publish", "--folder", "sample", "--type", SPEND, "--source", "/tests"];
        place.run(&[&publish[..], &["--id", &id, "--time", &time, "--data", &data]].concat()).ended(0);
    }
    place
}

fn fold<'a>(name: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["fold", name, "--folder", "sample"];
    arguments.extend(more);
    arguments
}

#[test]
fn the_same_history_folds_to_the_same_bytes_wherever_it_lies() {
    let place = lived();
    place.run(&["events", "export", "--folder", "sample", "--to", "all.jsonl"]).ended(0);
    place.run(&["events", "export", "--folder", "sample", "--format", "batch", "--to", "all.json"]).ended(0);
    place.run(&["init", "scratch", "--id", "scratch"]).ended(0);
    place.run(&["events", "import", "all.jsonl", "--as-history", "--folder", "scratch"]).ended(0);
    for name in ["campaign-spend", "campaign-reviews"] {
        let own = place.run(&fold(name, &[])).ended(0);
        assert!(own.json().as_object().is_some_and(|view| !view.is_empty()), "{own:?}");
        for from in ["all.jsonl", "all.json", "scratch", "sample"] {
            let other = place.run(&fold(name, &["--from", from])).ended(0);
            assert_eq!((other.out, other.err), (own.out.clone(), own.err.clone()), "{name} over {from}");
        }
        place.run(&["show", "recall", name, "--folder", "sample"]).ended(0);
        let same = place.run(&fold(name, &["--diff"])).ended(0);
        assert_eq!(same.out, "No difference.\n");
        assert!(same.err.contains("the kept view, of version 1 and live, has folded"), "{same:?}");
    }
    let told = place.run(&fold("campaign-spend", &["--json"])).ended(0).json();
    let members: Vec<&str> = told.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(members, ["name", "folded", "view"]);
    assert_eq!((&told["folded"], &told["view"]["c2"]["spent_cents"]), (&json!(2), &json!(200)));
}

#[test]
fn a_text_that_was_not_saved_is_compared_with_what_is_kept() {
    let place = lived();
    place.run(&["show", "recall", "campaign-spend", "--folder", "sample"]).ended(0);
    let exported = || place.run(&["events", "export", "--folder", "sample"]).ended(0).out;
    let before = exported();
    place.replace(DOCUMENT, "payments: before.payments + 1", "payments: before.payments + 2");
    let changed = place.run(&fold("campaign-spend", &["--diff"])).ended(0);
    assert_eq!(changed.out, "changed  /c1/payments: 1 -> 2\nchanged  /c2/payments: 1 -> 2\n");
    let told = place.run(&fold("campaign-spend", &["--diff", "--json"])).ended(0).json();
    assert_eq!(told["differences"][1], json!({"pointer": "/c2/payments", "before": 1, "after": 2}));
    assert_eq!(exported(), before, "nothing was recorded");

    place.replace(DOCUMENT, "payments: before.payments + 2", "payments: before.paiments");
    let problems = place.run(&fold("campaign-spend", &[])).ended(1);
    assert!(problems.out.starts_with(&format!("{}:", joined("sample", "recall/campaign-spend.md"))), "{problems:?}");
    assert!(problems.out.contains("'paiments'"), "{problems:?}");
    let checked = place.run(&["check", DOCUMENT]).ended(1);
    assert_eq!(checked.out, problems.out);
    let told = place.run(&fold("campaign-spend", &["--json"])).ended(1).json();
    assert_eq!(told["problems"][0]["severity"], "error");
}

#[test]
fn the_view_after_an_event_and_what_the_event_changed() {
    let place = lived();
    let first = place.run(&fold("campaign-spend", &["--to-event", "pay-1"])).ended(0);
    assert_eq!(first.json().as_object().map(|view| view.keys().cloned().collect::<Vec<_>>()), Some(vec!["c1".into()]));
    assert_eq!(first.err, format!("1 event folded, up to pay-1 of type {SPEND} of 2026-10-01T08:00:00Z.\n"));
    let second = place.run(&fold("campaign-spend", &["--to-event", "pay-2", "--diff"])).ended(0);
    assert!(second.out.starts_with("added    /c2: {\"spent_cents\":200,"), "{second:?}");
    assert_eq!(second.out.lines().count(), 1);
    let told = place.run(&fold("campaign-spend", &["--to-event", "pay-2", "--diff", "--json"])).ended(0).json();
    assert_eq!((&told["event"]["id"], &told["folded"]), (&json!("pay-2"), &json!(2)));
    assert_eq!(told["differences"][0]["pointer"], "/c2");
    let missing = place.run(&fold("campaign-spend", &["--to-event", "nothing"])).ended(2);
    assert!(
        missing.err.contains("The event nothing is not among the 2 events that campaign-spend folds"),
        "{missing:?}"
    );
}

#[test]
fn a_stall_is_told_like_a_problem() {
    let place = lived();
    let text = place.read(DOCUMENT);
    let start = text.lines().find(|line| line.starts_with("export function fold(")).expect("a fold");
    place.replace(DOCUMENT, start, &format!("{start}\n  if (event.id === 'pay-2') throw new Error('not this one');"));
    let line = text.lines().position(|line| line == start).expect("a line") + 2;
    let stalled = place.run(&fold("campaign-spend", &[])).ended(1);
    assert_eq!(
        stalled.out,
        format!(
            "{}:{line}: The fold raised an error (raised) at the event pay-2 of type {SPEND} of 2026-10-02T08:00:00Z: Error: not this one.\n",
            joined("sample", "recall/campaign-spend.md")
        )
    );
    assert_eq!(stalled.err, "1 event folded before it.\n");
    let told = place.run(&fold("campaign-spend", &["--json"])).ended(1).json();
    assert_eq!((&told["stalled"]["kind"], &told["stalled"]["line"]), (&json!("raised"), &json!(line)));
    assert_eq!((&told["stalled"]["event"]["id"], &told["view"]["c1"]["payments"]), (&json!("pay-2"), &json!(1)));
    place.run(&fold("campaign-spend", &["--to-event", "pay-1"])).ended(0);
    let beyond = place.run(&fold("campaign-spend", &["--to-event", "pay-3"])).ended(1);
    assert!(beyond.err.contains("The event pay-3 was not reached"), "{beyond:?}");
}

#[test]
fn events_are_folded_from_a_file_in_portions() {
    let place = Place::with_sample();
    let events: String = (1..=12_001)
        .map(|nth| {
            let data = json!({"campaign": format!("c{}", nth % 7), "channel": "Email", "amount_cents": 1});
            format!("{}\n", json!({"type": SPEND, "source": "/tests", "data": data}))
        })
        .collect();
    place.write("events.jsonl", events);
    let told = place.run(&fold("campaign-spend", &["--from", "events.jsonl", "--json"])).ended(0).json();
    let spent: u64 = told["view"]
        .as_object()
        .expect("an object")
        .values()
        .map(|spend| spend["spent_cents"].as_u64().expect("a number"))
        .sum();
    assert_eq!((&told["folded"], spent), (&json!(12_001), 12_001));
    let at = fold("campaign-spend", &["--from", "events.jsonl", "--to-event", "event-11000", "--json"]);
    let told = place.run(&at).ended(0).json();
    assert_eq!((&told["folded"], &told["event"]["time"]), (&json!(11_000), &json!("2026-01-01T03:03:19.000Z")));
}

#[test]
fn what_cannot_be_folded_is_said_in_words() {
    let place = Place::with_sample();
    let nothing = place.run(&fold("campaign-spend", &[])).ended(0);
    assert_eq!((nothing.json(), nothing.err.as_str()), (json!({}), "0 events folded.\n"));
    assert!(!place.path("sample/.playbook").exists());
    for (arguments, code, words) in [
        (fold("nothing-here", &[]), 2, "There is no document"),
        (fold("No", &[]), 2, "lowercase"),
        (fold("campaign-spend", &["--from", "nowhere.jsonl"]), 2, "cannot be read"),
        (fold("campaign-spend", &["--from", "home"]), 2, "playbook"),
        (fold("campaign-spend", &["--diff"]), 2, "No view of campaign-spend is kept yet"),
    ] {
        std::fs::create_dir_all(place.path("home")).expect("a folder");
        let refused = place.run(&arguments).ended(code);
        assert!(refused.err.contains(words), "{arguments:?}: {refused:?}");
    }
    for text in ["{\"type\": \"run_started\", \"source\": \"/runs/1\"}", "nonsense", "[1]", "{\"type\":"] {
        place.write("bad.jsonl", format!("{}{text}", if text == "[1]" { "" } else { "\n" }));
        let refused = place.run(&fold("campaign-spend", &["--from", "bad.jsonl"])).ended(1);
        assert!(refused.out.starts_with("bad.jsonl:"), "{text}: {refused:?}");
        let told: Value = place.run(&fold("campaign-spend", &["--from", "bad.jsonl", "--json"])).ended(1).json();
        assert!(told["problems"][0]["line"].is_u64(), "{told}");
    }
}
