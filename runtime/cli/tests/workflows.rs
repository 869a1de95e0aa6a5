//! Workflows on the terminal: run, followed, answered, told and stepped through.

mod common;

use common::Place;
use serde_json::{Value, json};

const ID: &str = "0f8fad5b-d9cb-469f-a165-70867728950e";
const BRIEF: &str = "sample/inputs/workflow/approve-campaign/spring-sale.json";
const IDEA: &str = "sample/inputs/workflow/approve-campaign/just-an-idea.json";

const RUN: [&str; 7] = ["run", "workflow", "approve-campaign", "--folder", "sample", "--run-id", ID];

fn run(place: &Place, more: &[&str]) -> common::Said {
    place.run(&[&RUN, more].concat())
}

#[test]
fn a_run_that_never_waits_for_the_world_ends_within_the_command() {
    let place = Place::with_sample();
    let done = run(&place, &["--input-file", IDEA]).ended(0);
    assert_eq!(done.json()["verdict"], "revise", "{done:?}");
    assert!(done.err.contains("Succeeded"), "{done:?}");

    let told = place.run(&["history", ID, "--folder", "sample"]).ended(0);
    let lines: Vec<&str> = told.out.lines().collect();
    assert!(lines[0].starts_with("    1  ") && lines[0].ends_with("The run began"), "{told:?}");
    assert!(lines[1].starts_with("       review: waiting for a called run, run "), "{told:?}");
    assert!(told.out.contains("\n       revise: completed\n"), "{told:?}");
    assert!(told.err.contains("workflow/approve-campaign succeeded"), "{told:?}");
    let rows = place.run(&["history", ID, "--folder", "sample", "--json"]).ended(0).json();
    assert_eq!(rows["rows"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_run_waits_for_its_answer_and_goes_on_with_it() {
    let place = Place::with_sample();
    let started = run(&place, &["--input-file", BRIEF]).ended(0);
    assert_eq!(started.out, "");
    assert!(
        started.err.contains("goes on") && started.err.contains("ask-the-owner waits for a called run"),
        "{started:?}"
    );
    let waiting = place.run(&["inbox", "--folder", "sample", "--json"]).ended(0).json();
    let request = waiting["interactions"][0]["run_id"].as_str().expect("a request").to_owned();
    place.run(&["answer", &request, "verdict=approve", "--folder", "sample"]).ended(0);

    // The same command again tells how it ended, and starts nothing.
    let done = run(&place, &["--input-file", BRIEF]).ended(0);
    assert_eq!(done.json(), json!({ "campaign": "spring-sale", "verdict": "approve" }));
    let request = place.run(&["history", &request, "--folder", "sample"]).ended(0);
    assert_eq!(request.out.lines().count(), 3, "{request:?}");
}

#[test]
fn a_run_is_followed_to_its_end() {
    let place = Place::with_sample();
    let told = run(&place, &["--input-file", IDEA, "--follow"]).ended(0);
    let (steps, output) = told.out.split_once("\n{").expect("steps, then the output");
    assert!(steps.contains("The run began") && steps.contains("An output came for review"), "{told:?}");
    let output: Value = serde_json::from_str(&format!("{{{output}")).expect("JSON");
    assert_eq!(output["verdict"], "revise");
}

#[test]
fn a_run_that_is_rejected_says_why() {
    let place = Place::with_sample();
    let refused = run(&place, &["--input", r#"{"owner": "anna", "brief": {}}"#]).ended(1);
    assert!(refused.err.starts_with("Refused (invalid_input"), "{refused:?}");
}

#[test]
fn a_run_is_stepped_through_forward_and_back() {
    let place = Place::with_sample();
    run(&place, &["--input-file", IDEA]).ended(0);
    let script = "n\nn\ns\nd\ne $data.verdict\ne $context.review.recommendation === \"Ready\"\ne nope\nx\np\ng 1\nw\ng 9\nz\nq\n";
    let said = place.run_with_input(&["step", ID, "--folder", "sample"], script).ended(0);
    assert!(said.out.starts_with("Input 1 of 2, started, "), "{said:?}");
    for part in [
        "Stop 1 of 1: review waiting, /do/0/review",
        "Input 2 of 2, call answered, ",
        "Stop 1 of 3: review completed",
        "Stop 2 of 3: decide completed",
        "  $context  {\"review\":",
        "\nfalse\n",
        "nope is not defined",
        "    1  ",
    ] {
        assert!(said.out.contains(part), "{part}: {said:?}");
    }
    for part in ["The run took 2 inputs", "z is no command"] {
        assert!(said.err.contains(part), "{part}: {said:?}");
    }
    let none = place.run(&["step", "0f8fad5b-d9cb-469f-a165-70867728950f", "--folder", "sample"]).ended(1);
    assert!(none.err.contains("no such run"), "{none:?}");
}
