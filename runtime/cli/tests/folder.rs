//! The commands on a folder: init, check, run, events, show, and the codes they end with.

mod common;

use common::{Place, joined};
use serde_json::{Value, json};

const BRIEF: &str = "sample/computation/review-brief.md";
const ID: &str = "0f8fad5b-d9cb-469f-a165-70867728950e";

#[test]
fn the_sample_is_checked_run_and_shown() {
    let place = Place::with_sample();
    let checked = place.run(&["check", "sample"]).ended(0);
    assert_eq!(checked.out, "");
    assert!(checked.err.contains("no errors"), "{checked:?}");
    let run = place
        .run(&["run", "computation", "review-brief", "--folder", "sample", "--input", "{\"campaign\": \"idea\"}"])
        .ended(0);
    assert_eq!(run.json()["campaign"], "idea");
    assert!(run.err.contains("Succeeded"), "{run:?}");
    let asked = place
        .run(&["run", "recall", "campaign-reviews", "--folder", "sample", "--input", "{\"campaign\": \"idea\"}"])
        .ended(0);
    assert_eq!(asked.json().as_array().map(Vec::len), Some(1));
    let shown = place.run(&["show", "recall", "campaign-reviews", "--folder", "sample"]).ended(0);
    assert!(shown.out.contains("recall/campaign-reviews, version 1, active"), "{shown:?}");
    assert!(shown.out.contains("View: live, 1 event folded"), "{shown:?}");
    assert!(shown.out.contains("```mermaid"), "{shown:?}");
    let shown = place.run(&["show", "recall", "campaign-reviews", "--folder", "sample", "--json"]).ended(0).json();
    assert_eq!((&shown["standing"]["state"], &shown["version"]), (&json!("live"), &json!(1)));
}

#[test]
fn a_stalled_view_is_shown_with_its_event_and_line() {
    let place = Place::with_sample();
    let file = "sample/recall/campaign-spend.md";
    let text = place.read(file);
    let fold = text.lines().find(|line| line.starts_with("export function fold(")).expect("a fold");
    place.write(
        file,
        text.replace(fold, &format!("{fold}\n  if (event.id === 'bad') throw new Error('not this one');")),
    );
    let kind = text.lines().find_map(|line| line.trim().strip_prefix("- type: ")).expect("a filter").to_owned();
    let publish = [
        "events",
        "publish",
        "--folder",
        "sample",
        "--type",
        &kind,
        "--source",
        "/tests",
        "--id",
        "bad",
        "--data",
        "{\"amount_cents\": 1}",
    ];
    place.run(&publish).ended(0);
    let shown = place.run(&["show", "recall", "campaign-spend", "--folder", "sample"]).ended(0);
    let line = text.lines().position(|line| line == fold).expect("a line") + 2;
    assert!(shown.out.contains("View: stalled"), "{shown:?}");
    assert!(
        shown.out.contains(&format!("stalled (raised) at line {line} on the event bad of type {kind}")),
        "{shown:?}"
    );
    let refused = place.run(&["run", "recall", "campaign-spend", "--folder", "sample"]).ended(1);
    assert!(refused.err.contains("stalled") && !refused.err.contains("not this one"), "{refused:?}");
}

#[test]
fn a_new_playbook_is_made_only_in_an_empty_folder() {
    let place = Place::new();
    let made = place.run(&["init", "Our Campaigns", "--json"]).ended(0).json();
    assert_eq!((&made["id"], &made["name"]), (&json!("our-campaigns"), &json!("Our Campaigns")));
    place.run(&["check", "Our Campaigns"]).ended(0);
    for again in [vec!["init", "Our Campaigns"], vec!["init", "Our Campaigns", "--sample"]] {
        let refused = place.run(&again).ended(2);
        assert!(refused.err.contains("not empty"), "{refused:?}");
    }
    assert!(place.run(&["init", "12"]).ended(2).err.contains("--id"));
    let named = place.run(&["init", "12", "--id", "twelve", "--name", "A \"name\": # of ours"]).ended(0);
    assert!(named.out.contains("twelve"), "{named:?}");
    place.run(&["check", "12"]).ended(0);
}

#[test]
fn problems_have_their_places() {
    let place = Place::with_sample();
    place.replace(BRIEF, "    verdict: reason", "    verdct: reason");
    let line = place.read(BRIEF).lines().position(|line| line.contains("verdct")).expect("a line") + 1;
    let checked = place.run(&["check", "sample"]).ended(1);
    let start = format!("{}:{line}:5: ", joined("sample", "computation/review-brief.md"));
    assert!(checked.out.starts_with(&start) && checked.out.contains("'verdct'"), "{checked:?}");
    let listed = place.run(&["check", BRIEF, "--format", "json"]).ended(1).json();
    let problem = listed[0].as_object().expect("an object");
    let members: Vec<&str> = problem.keys().map(String::as_str).collect();
    assert_eq!(members, ["path", "line", "column", "pointer", "code", "message", "hint", "severity"]);
    assert_eq!((&problem["line"], &problem["severity"]), (&json!(line), &json!("error")));
    assert_eq!(listed, place.run(&["check", BRIEF, "--json"]).ended(1).json());
    let inside = common::said(place.command(&["check"]).current_dir(place.path("sample"))).ended(1);
    assert!(inside.out.starts_with("computation"), "{inside:?}");
}

#[test]
fn hostile_documents_end_in_problems() {
    let place = Place::with_sample();
    let body = "export function run(input: Input): Output {\n  return {};\n}\n";
    let documents: [(&str, Vec<u8>); 8] = [
        ("empty", Vec::new()),
        ("no-text", vec![0xff, 0xfe, 0x00]),
        ("brackets", format!("---\nlanguage: typescript\noutput: {}\n---\n{body}", "[".repeat(10_000)).into_bytes()),
        ("braces", format!("---\nlanguage: typescript\n---\n{}", "{".repeat(10_000)).into_bytes()),
        (
            "parens",
            format!("---\nlanguage: typescript\n---\nexport const a = {}1{};\n", "(".repeat(9_000), ")".repeat(9_000))
                .into_bytes(),
        ),
        ("too-large", format!("---\nlanguage: typescript\n---\n{}", "// a\n".repeat(20_000)).into_bytes()),
        ("not-yaml", b"---\na: b: c\n\t- d\n---\n".to_vec()),
        ("anchors", format!("---\na: &a 1\nb: *a\n---\n{body}").into_bytes()),
    ];
    for (name, text) in documents {
        let file = format!("sample/computation/{name}.md");
        place.write(&file, text);
        let checked = place.run(&["check", &file, "--json"]).ended(1);
        assert!(checked.json().as_array().is_some_and(|list| !list.is_empty()), "{name}: {checked:?}");
        std::fs::remove_file(place.path(&file)).expect("removed");
    }
}

#[test]
fn what_cannot_be_checked_is_said_in_a_sentence() {
    let place = Place::with_sample();
    place.write("loose.md", "---\n---\n");
    place.write("sample/computation/Bad_Name.md", "---\n---\n");
    for (path, words) in [
        ("nowhere", "cannot be read"),
        ("loose.md", "type"),
        ("sample/computation/Bad_Name.md", "lowercase"),
        ("sample/playbook.yaml", "type"),
        ("sample/inputs", "not a playbook"),
    ] {
        let refused = place.run(&["check", path]);
        assert_eq!(refused.code, 2, "{path}: {refused:?}");
        assert!(refused.err.contains(words) || path == "nowhere", "{path}: {refused:?}");
    }
    let all = place.run(&["check", "sample"]).ended(1);
    assert!(all.out.contains("Bad_Name.md:1:1: "), "{all:?}");
    place.write("sample/playbook.yaml", "id: campaign-review\nname: [1\n");
    let broken = place.run(&["check", "sample"]).ended(1);
    assert!(broken.out.contains("playbook.yaml:"), "{broken:?}");
}

#[test]
fn a_run_id_gives_the_same_ending_again() {
    let place = Place::with_sample();
    let run = |input: &str| {
        place.run(&[
            "run",
            "computation",
            "review-brief",
            "--folder",
            "sample",
            "--run-id",
            ID,
            "--json",
            "--input",
            input,
        ])
    };
    let first = run("{\"campaign\": \"one\"}").ended(0).json();
    assert_eq!((&first["run_id"], &first["status"]), (&json!(ID), &json!("succeeded")));
    let again = run("{\"campaign\": \"one\"}").ended(0).json();
    assert_eq!(first, again);
    let other = run("{\"campaign\": \"two\"}").ended(1).json();
    assert_eq!((&other["status"], &other["reason"]), (&json!(409), &json!("conflict")));
}

#[test]
fn a_refused_run_says_where() {
    let place = Place::with_sample();
    let run = |more: &[&str]| {
        let mut arguments = vec!["run", "computation", "review-brief", "--folder", "sample"];
        arguments.extend(more);
        place.run(&arguments)
    };
    let wrong = run(&["--input", "{\"campaign\": 5}"]).ended(1);
    assert!(wrong.err.contains("invalid_input") && wrong.err.contains("campaign"), "{wrong:?}");
    assert_eq!(wrong.out, "");
    let document = run(&["--json", "--input", "{\"campaign\": 5}"]).ended(1).json();
    assert_eq!(
        (&document["status"], &document["type"]),
        (&json!(422), &json!("https://on.auto/problems/invalid_input"))
    );
    assert!(run(&["--input", "{"]).ended(2).err.contains("not JSON"));
    assert!(run(&["--input-file", "nowhere.json"]).ended(2).err.contains("cannot be read"));
    run(&["--input", "{}", "--input-file", "x"]).ended(2);
    run(&["--run-id", "7"]).ended(2);
    let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
    run(&["--input", &deep]).ended(2);
    place.run(&["run", "computation", "nothing", "--folder", "sample"]).ended(1);
    place.run(&["run", "tale", "nothing", "--folder", "sample"]).ended(2);
    place.run(&["run", "computation", "review-brief", "--folder", "nowhere"]).ended(2);
    place.run(&["run", "computation", "review-brief"]).ended(2);
}

#[test]
fn an_input_comes_from_a_file_or_the_standard_input() {
    let place = Place::with_sample();
    let file = place.path("sample/inputs/computation/review-brief/spring-sale.json");
    let run = |from: &str| {
        vec!["run", "computation", "review-brief", "--folder", "sample", "--input-file"]
            .into_iter()
            .chain([from])
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let of_file = run(file.to_str().expect("text"));
    let approved = place.run(&of_file.iter().map(String::as_str).collect::<Vec<_>>()).ended(0).json();
    assert_eq!(approved["verdict"], "approve");
    let text = std::fs::read_to_string(&file).expect("the input");
    let piped = place.run_with_input(&run("-").iter().map(String::as_str).collect::<Vec<_>>(), &text).ended(0).json();
    assert_eq!(piped, approved);
}

#[test]
fn a_broken_file_leaves_the_last_version_running() {
    let place = Place::with_sample();
    let run = ["run", "computation", "review-brief", "--folder", "sample", "--input", "{\"campaign\": \"idea\"}"];
    place.run(&run).ended(0);
    place.replace(BRIEF, "    verdict: reason", "    verdct: reason");
    let still = place.run(&run).ended(0);
    assert!(still.err.contains("version 1 runs"), "{still:?}");
    let shown = place.run(&["show", "computation", "review-brief", "--folder", "sample"]).ended(0);
    assert!(shown.err.contains("not recorded"), "{shown:?}");
    place.replace(BRIEF, "    verdct: reason", "    verdict: reason");
    place.replace(BRIEF, "approve", "approved");
    let next = place.run(&["run", "computation", "review-brief", "--folder", "sample", "--json"]);
    assert_eq!(next.ended(1).json()["status"], 422);
    assert_eq!(
        place.run(&["show", "computation", "review-brief", "--folder", "sample", "--json"]).ended(0).json()["version"],
        2
    );
}

#[test]
fn events_are_published_and_listed() {
    let place = Place::with_sample();
    let publish = |more: &[&str]| {
        let mut arguments = vec!["events", "publish", "--folder", "sample"];
        arguments.extend(more);
        place.run(&arguments)
    };
    let one = publish(&["--type", "note", "--source", "/tests", "--id", "1", "--data", "{\"a\": [1]}", "--json"])
        .ended(0)
        .json();
    assert_eq!(one["id"], "1");
    let again = publish(&["--type", "note", "--source", "/tests", "--id", "1", "--data", "{\"a\": [1]}", "--json"])
        .ended(0)
        .json();
    assert_eq!(one, again);
    publish(&["--type", "note", "--source", "/tests", "--id", "1", "--data", "2"]).ended(1);
    let reserved = publish(&["--type", "run_started", "--source", "/tests"]).ended(1);
    assert!(reserved.err.contains("/event/type"), "{reserved:?}");
    publish(&["--type", "note"]).ended(2);
    publish(&["--event", "[]"]).ended(2);
    place.write("event.json", r#"{"type": "note", "source": "/tests", "id": "2"}"#);
    let file = place.path("event.json");
    publish(&["--event-file", file.to_str().expect("text")]).ended(0);
    let page =
        place.run(&["events", "list", "--folder", "sample", "--type", "event_published", "--json"]).ended(0).json();
    let ids: Vec<&Value> =
        page["events"].as_array().expect("rows").iter().map(|row| &row["data"]["event_id"]).collect();
    assert_eq!(ids, [&json!("2"), &json!("1")]);
    let lines = place.run(&["events", "list", "--folder", "sample", "--limit", "1"]).ended(0);
    assert_eq!(lines.out.lines().count(), 1);
    assert!(lines.err.contains("--cursor "), "{lines:?}");
    let wrong = place.run(&["events", "list", "--folder", "sample", "--cursor", "x"]).ended(1);
    assert!(wrong.err.contains("/cursor"), "{wrong:?}");
    place.run(&["events", "list", "--folder", "sample", "--limit", "101"]).ended(2);
}

#[test]
fn a_log_that_is_in_use_or_damaged_is_said_in_a_sentence() {
    let place = Place::with_sample();
    let serving = place.serve(&["--folder", "sample"], &[]);
    let locked = place.run(&["events", "list", "--folder", "sample"]).ended(2);
    assert_eq!(locked.err.lines().count(), 1, "{locked:?}");
    // Checking needs no log.
    place.run(&["check", "sample"]).ended(0);
    assert_eq!(serving.stop().0, 0);
    for kept in ["sample/.playbook/log.db-wal", "sample/.playbook/log.db-shm"] {
        let _ = std::fs::remove_file(place.path(kept));
    }
    place.write("sample/.playbook/log.db", "this is no log");
    let damaged = place.run(&["events", "list", "--folder", "sample"]).ended(2);
    assert_eq!(damaged.err.lines().count(), 1, "{damaged:?}");
    assert_eq!(place.read("sample/.playbook/log.db"), "this is no log");
}

#[test]
fn usage_help_and_completions() {
    let place = Place::new();
    place.run(&[]).ended(2);
    place.run(&["nonsense"]).ended(2);
    place.run(&["check", "--format", "xml"]).ended(2);
    for command in ["init", "check", "run", "events", "show", "fold", "test", "serve", "publish", "key", "completions"]
    {
        let help = place.run(&[command, "--help"]).ended(0);
        assert!(help.out.contains("Usage: playbook"), "{help:?}");
        assert!(command == "events" || help.out.contains("Example"), "{command}: {help:?}");
    }
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = place.run(&["completions", shell]).ended(0).out;
        for word in ["publish", "export", "import", "as-history", "fold", "to-event", "test", "update"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    let key = place.run(&["key", "ci", "--org", "acme", "--json"]).ended(0).json();
    assert!(key["key"].as_str().is_some_and(|key| key.starts_with("abk_ci_")), "{key}");
    place.run(&["key", "CI", "--org", "acme"]).ended(2);
    place.run(&["key", "ci", "--org", "local"]).ended(2);
}
