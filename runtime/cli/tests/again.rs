//! Runs of workflows taken up again: replayed, forked, kept as tests.

mod common;

use common::Place;
use serde_json::{Value, json};

const ID: &str = "0f8fad5b-d9cb-469f-a165-70867728950e";
const BRIEF: &str = "sample/inputs/workflow/approve-campaign/spring-sale.json";
const IDEA: &str = "sample/inputs/workflow/approve-campaign/just-an-idea.json";
const DOCUMENT: &str = "sample/workflow/approve-campaign.yaml";

fn begun(input: &str) -> Place {
    let place = Place::with_sample();
    place.run(&["run", "workflow", "approve-campaign", "--folder", "sample", "--run-id", ID, "--input-file", input]);
    place
}

/// A run that its owner approved.
fn approved() -> Place {
    let place = begun(BRIEF);
    let waiting = place.run(&["inbox", "--folder", "sample", "--json"]).ended(0).json();
    let request = waiting["interactions"][0]["run_id"].as_str().expect("a request").to_owned();
    place.run(&["answer", &request, "verdict=approve", "--folder", "sample"]).ended(0);
    place
}

fn on(place: &Place, command: &[&str]) -> common::Said {
    place.run(&[command, &["--folder", "sample"]].concat())
}

/// Everything the log tells of the playbook, but for what saving a document records.
fn feed(place: &Place) -> Value {
    let events = on(place, &["events", "list", "--limit", "100", "--json"]).ended(0).json();
    let of = |event: &&Value| !event.to_string().contains("definition_updated");
    let events = events["events"].as_array().expect("events").iter().filter(of).count();
    assert!(events > 3, "{events}");
    events.into()
}

#[test]
fn a_replay_is_the_same_to_the_end_or_tells_the_first_difference() {
    let place = approved();
    let before = feed(&place);
    let same = on(&place, &["replay", ID]).ended(0);
    assert_eq!(same.out.trim_end(), "The same to the end on version 1, which it ran: 3 inputs.", "{same:?}");

    // Another input to a call, in a text that is not saved.
    let text = place.read(DOCUMENT);
    place.write("new.yaml", text.replace("owner: ${ $workflow.input.owner }", "owner: someone-else"));
    let other = on(&place, &["replay", ID, "--file", "new.yaml"]).ended(1);
    let line = text.lines().position(|line| line.contains("- ask-the-owner:")).expect("a task") + 1;
    let first = format!(
        "The first difference is at input 2 at ask-the-owner (line {line}). Recorded: ask-the-owner called interaction/approve-campaign-brief on the recorded input; now:"
    );
    assert!(other.out.starts_with(&first), "{other:?}");
    assert!(other.out.contains("changed  /owner: "), "{other:?}");
    // The answer was to another question, so what follows is not known.
    assert!(other.out.contains("How it ends cannot be told"), "{other:?}");

    // Another function, another step, another output, another end.
    for (was, is, what, words) in [
        ("name: review-brief", "name: review-briefs", "call", "review calls computation/review-briefs"),
        ("$context.review.recommendation === \"Ready\"", "false", "step", "revise completes"),
        ("({ review: $output })", "({ review: $output, more: 1 })", "", ""),
        ("campaign: $context.review.campaign, ...$data", "...$data", "output", "approval hands on another"),
        ("  - decide:\n", "  - stop:\n      set: { a: 1 }\n      then: end\n  - decide:\n", "step", "stop completes"),
    ] {
        assert!(text.contains(was), "{was}");
        place.write("new.yaml", text.replace(was, is));
        let told = on(&place, &["replay", ID, "--file", "new.yaml", "--json"]);
        let told = told.json();
        assert_eq!(told["difference"]["what"].as_str().unwrap_or_default(), what, "{told:#}");
        assert!(told["difference"]["now"].as_str().unwrap_or_default().contains(words), "{told:#}");
        assert_eq!(told["same"], json!(what.is_empty()), "{told:#}");
    }

    // What is saved now is what counts without a file.
    place.replace(DOCUMENT, "$context.review.recommendation === \"Ready\"", "false");
    let saved = on(&place, &["replay", ID, "--json"]).ended(1).json();
    assert_eq!((&saved["version"], &saved["recorded_version"]), (&json!(2), &json!(1)));
    assert_eq!(saved["difference"]["position"], 2, "{saved:#}");
    assert_eq!(feed(&place), before);
}

#[test]
fn what_cannot_be_replayed_is_told() {
    let place = begun(IDEA);
    place.write("bad.yaml", "do: 1\n");
    let refused = on(&place, &["replay", ID, "--file", "bad.yaml"]).ended(1);
    assert!(refused.err.contains("Refused (invalid_input)"), "{refused:?}");
    on(&place, &["replay", ID, "--file", "none.yaml"]).ended(2);
    let none = on(&place, &["replay", "0f8fad5b-d9cb-469f-a165-70867728950f"]).ended(1);
    assert!(none.err.contains("no such run"), "{none:?}");
}

#[test]
fn a_fork_takes_what_was_recorded_and_acts_on_nothing() {
    let place = approved();
    let before = feed(&place);
    let forked = on(&place, &["fork", ID, "--at", "1", "--json"]).ended(0).json();
    assert_eq!(forked["same"], true, "{forked:#}");
    assert_eq!(forked["ending"], forked["recorded_ending"], "{forked:#}");
    let sources: Vec<&str> =
        forked["calls"].as_array().expect("calls").iter().filter_map(|call| call["source"].as_str()).collect();
    assert_eq!(sources, ["recorded", "recorded"]);

    let told = on(&place, &["fork", ID, "--at", "3"]).ended(0);
    assert!(told.out.contains("An output came for ask-the-owner"), "{told:?}");
    assert!(told.out.contains("call  ask-the-owner  interaction/approve-campaign-brief  recorded: "), "{told:?}");
    assert!(told.out.contains("The fork goes as the recorded run did. It ends as recorded."), "{told:?}");

    // No run, no request, no event came of it.
    assert_eq!(feed(&place), before);
    let inbox = on(&place, &["inbox", "--json"]).ended(0).json();
    assert_eq!(inbox["interactions"], json!([]));
    assert_eq!(on(&place, &["replay", ID]).ended(0).out.matches("3 inputs").count(), 1);
}

#[test]
fn an_answer_is_written_in_place_of_the_recorded_one() {
    let place = approved();
    let revise = r#"ask-the-owner={"verdict": "revise", "note": "Later"}"#;
    let forked = on(&place, &["fork", ID, "--at", "3", "--answer", revise, "--json"]).ended(0).json();
    assert_eq!(forked["ending"]["output"]["verdict"], "revise", "{forked:#}");
    assert_eq!(forked["calls"][0]["source"], "written", "{forked:#}");
    assert_eq!(forked["difference"]["position"], 3, "{forked:#}");
    assert_eq!(forked["difference"]["what"], "input", "{forked:#}");
    assert_eq!(forked["difference"]["after"]["verdict"], "revise", "{forked:#}");

    let late = on(&place, &["fork", ID, "--at", "3", "--reject", "ask-the-owner=unanswered/expired", "--json"]);
    let late = late.ended(0).json();
    assert_eq!(late["ending"]["output"]["note"], "Nobody answered within two days", "{late:#}");

    // An answer that leads to a call nobody recorded.
    let ready = r#"review={"campaign": "x", "recommendation": "Ready", "verdict": "Other words"}"#;
    let other = on(&place, &["fork", ID, "--at", "1", "--answer", ready]).ended(0);
    assert!(
        other.out.contains("ask-the-owner has no answer: The recorded run made this call on another input"),
        "{other:?}"
    );
    assert!(other.out.contains("It stands and waits for ask-the-owner."), "{other:?}");
}

#[test]
fn what_computes_is_performed_live_and_a_person_is_never_asked() {
    let place = begun(IDEA);
    let live = on(&place, &["fork", ID, "--at", "1", "--live", "--json"]).ended(0).json();
    assert_eq!(live["calls"][0]["source"], "live", "{live:#}");
    assert_eq!(live["same"], true, "{live:#}");

    let place = approved();
    let asked = on(&place, &["fork", ID, "--at", "1", "--live=ask-the-owner", "--json"]).ended(0).json();
    assert_eq!(asked["calls"][1]["source"], "none", "{asked:#}");
    assert!(asked["calls"][1]["why"].as_str().expect("why").contains("a fork asks nobody"), "{asked:#}");
    assert_eq!(asked["ending"]["waits"], json!(["ask-the-owner"]), "{asked:#}");
    // All of them: the request keeps its recorded answer.
    let all = on(&place, &["fork", ID, "--at", "1", "--live", "--json"]).ended(0).json();
    let sources: Vec<&str> =
        all["calls"].as_array().expect("calls").iter().filter_map(|call| call["source"].as_str()).collect();
    assert_eq!(sources, ["live", "recorded"]);
    assert_eq!(on(&place, &["inbox", "--json"]).ended(0).json()["interactions"], json!([]));
}

#[test]
fn a_fork_that_cannot_be_is_told_in_words() {
    let place = begun(IDEA);
    for (more, words) in [
        (&["--at", "9"][..], "there is no input 9"),
        (&["--at", "1", "--answer", "reviews=1"], "The workflow has no call named reviews; did you mean review?"),
        (&["--at", "1", "--reject", "review=nope"], "as the reason of the refusal"),
    ] {
        let refused = on(&place, &[&["fork", ID], more].concat()).ended(1);
        assert!(refused.err.contains(words), "{refused:?}");
    }
    for more in [&["--at", "0"][..], &["--at", "1", "--answer", "review"], &["--at", "1", "--answer", "review={"]] {
        on(&place, &[&["fork", ID], more].concat()).ended(2);
    }
}

#[test]
fn a_run_is_kept_as_a_test_that_fails_when_the_workflow_changes() {
    let place = approved();
    let kept = on(&place, &["keep", ID, "approved-at-once", "--description", "Approved at once"]).ended(0);
    let path = "tests/workflow/approve-campaign/approved-at-once.yaml";
    assert_eq!(kept.out, format!("Kept as {path}: 3 inputs.\n"));
    let text = place.read(&format!("sample/{path}"));
    for part in [
        "description: Approved at once\n",
        "answer: ask-the-owner\n",
        "of: computation/review-brief\n",
        "verdict: approve\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let again = on(&place, &["keep", ID, "approved-at-once"]).ended(1);
    assert!(again.err.contains("choose another name"), "{again:?}");
    on(&place, &["keep", ID, "Not a name"]).ended(1);

    let passed = on(&place, &["test", "approve-campaign"]).ended(0);
    assert!(passed.out.contains("ok      sample/tests/workflow/approve-campaign/approved-at-once.yaml"), "{passed:?}");
    assert!(passed.out.ends_with("1 case passed.\n"), "{passed:?}");
    on(&place, &["test", "approve-campaigns"]).ended(2);
    on(&place, &["check"]).ended(0);

    // A step more that changes nothing passes; another end fails, at its line.
    place.replace(DOCUMENT, "  - decide:\n", "  - note:\n      set: ${ $data }\n  - decide:\n");
    on(&place, &["test", "approve-campaign"]).ended(0);
    place.replace(DOCUMENT, "campaign: $context.review.campaign, ...$data", "...$data");
    let failed = on(&place, &["test", "approve-campaign"]).ended(1);
    assert!(failed.out.contains("FAILED  sample/tests/workflow/approve-campaign/approved-at-once.yaml"), "{failed:?}");
    assert!(failed.out.contains("The run's output is another than expected."), "{failed:?}");
    assert!(failed.out.contains("/campaign: expected"), "{failed:?}");
    place.run(&["test", "--update", "sample"]).ended(0);
    on(&place, &["test", "approve-campaign"]).ended(0);

    // Another input to a call is the first difference, at its place in the case.
    place.replace(DOCUMENT, "owner: ${ $workflow.input.owner }", "owner: someone-else");
    let failed = on(&place, &["test", "approve-campaign"]).ended(1);
    assert!(failed.out.contains("ask-the-owner (line "), "{failed:?}");
    assert!(failed.out.contains("on another input than expected"), "{failed:?}");
    assert!(failed.out.contains("/owner: expected"), "{failed:?}");
    place.replace(DOCUMENT, "$context.review.recommendation === \"Ready\"", "false");
    let failed = on(&place, &["test", "approve-campaign"]).ended(1);
    assert!(
        failed.out.contains("In the case an output came for ask-the-owner; the run has ended by then"),
        "{failed:?}"
    );
}

#[test]
fn a_run_that_waits_is_kept_as_it_stands() {
    let place = begun(BRIEF);
    on(&place, &["keep", ID, "asks"]).ended(0);
    let text = place.read("sample/tests/workflow/approve-campaign/asks.yaml");
    assert!(text.ends_with("expect:\n  waits:\n    - ask-the-owner\n"), "{text}");
    on(&place, &["test", "approve-campaign"]).ended(0);
    let replayed = on(&place, &["replay", ID]).ended(0);
    assert!(replayed.out.starts_with("The same as far as the run went on version 1"), "{replayed:?}");
    place.write(
        "sample/tests/workflow/approve-campaign/bad.yaml",
        "happens:\n  - answer: review\n  - later: 1\nexpect: {}\n",
    );
    let bad = on(&place, &["check", "sample/tests/workflow/approve-campaign/bad.yaml"]).ended(1);
    for words in ["An answer is one of", "Each is one thing that happens", "write one of output, rejected and waits"] {
        assert!(bad.out.contains(words), "{words}: {bad:?}");
    }
}
