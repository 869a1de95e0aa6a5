//! Requests on the terminal: asked, listed and answered.

mod common;

use common::Place;
use serde_json::json;

const ID: &str = "0f8fad5b-d9cb-469f-a165-70867728950e";

fn ask(place: &Place, more: &[&str]) -> common::Said {
    let input = r#"{"owner": "anna@example.com", "review": "Ready.\n\u001b[2J"}"#;
    let mut words = vec!["run", "interaction", "approve-campaign-brief", "--folder", "sample", "--input", input];
    words.extend(more);
    place.run(&words)
}

fn answer(place: &Place, more: &[&str]) -> common::Said {
    let mut words = vec!["answer", ID, "--folder", "sample"];
    words.extend(more);
    place.run(&words)
}

#[test]
fn a_request_is_listed_and_answered_by_its_members() {
    let place = Place::with_sample();
    let none = place.run(&["inbox", "--folder", "sample"]).ended(0);
    assert_eq!((none.out.as_str(), none.err.trim_end()), ("", "No request waits for an answer."));
    let asked = ask(&place, &["--run-id", ID]).ended(0);
    assert_eq!(asked.out, "");
    assert!(asked.err.contains("goes on") && asked.err.contains("playbook inbox"), "{asked:?}");

    let inbox = place.run(&["inbox", "--folder", "sample"]).ended(0);
    assert!(inbox.out.starts_with("approve-campaign-brief asks anna@example.com\n"), "{inbox:?}");
    assert!(inbox.out.contains("\n  | Ready.\n"), "{inbox:?}");
    assert!(!inbox.out.contains('\u{1b}'), "{inbox:?}");
    let how = format!("\n  playbook answer {ID} verdict=approve|revise [note=…]\n");
    assert!(inbox.out.contains(&how), "{inbox:?}");
    let others = place.run(&["inbox", "--folder", "sample", "--to", "bert", "--json"]).ended(0).json();
    assert_eq!(others, json!({ "interactions": [] }));

    let wrong = answer(&place, &["verdict=maybe"]).ended(1);
    assert!(wrong.err.contains("/answer/verdict"), "{wrong:?}");
    let done = answer(&place, &["verdict=approve", "note=12", "--for", "Anna"]).ended(0);
    assert_eq!(done.json(), json!({ "verdict": "approve", "note": "12" }));
    assert!(done.err.contains("Answered"), "{done:?}");
    assert_eq!(place.run(&["inbox", "--folder", "sample", "--json"]).ended(0).json(), json!({ "interactions": [] }));

    // The same again is the run as it stands; another is too late.
    let again = answer(&place, &[r#"{"note": "12", "verdict": "approve"}"#, "--json"]).ended(0).json();
    assert_eq!((&again["status"], &again["record"]["claimed_for"]), (&json!("succeeded"), &json!("Anna")));
    let late = answer(&place, &["verdict=revise"]).ended(1);
    assert!(late.err.contains("conflict"), "{late:?}");
}

#[test]
fn an_answer_may_be_a_file() {
    let place = Place::with_sample();
    let run = ask(&place, &["--run-id", ID, "--json"]).ended(0).json();
    assert_eq!(run["status"], "started");
    place.write("answer.json", r#"{"verdict": "revise"}"#);
    assert_eq!(answer(&place, &["--file", "answer.json"]).ended(0).json(), json!({ "verdict": "revise" }));
    answer(&place, &[]).ended(2);
    answer(&place, &["verdict=approve", "{}"]).ended(2);
}
