//! Events exported and imported, and a history folded again in a scratch playbook.

mod common;

use common::{Place, Said};
use serde_json::{Value, json};

const INPUTS: [&str; 3] = ["{\"campaign\": \"idea\"}", "{\"campaign\": \"constructor\"}", "{\"campaign\": 5}"];

/// The sample with two runs that succeeded, one that was rejected, and two published events.
fn lived() -> Place {
    let place = Place::with_sample();
    for (input, code) in INPUTS.iter().zip([0, 0, 1]) {
        place.run(&["run", "computation", "review-brief", "--folder", "sample", "--input", input]).ended(code);
    }
    for event in ["spring-sale-print", "autumn-launch-email"] {
        let file = format!("sample/events/{event}.json");
        place.run(&["events", "publish", "--folder", "sample", "--event-file", &file]).ended(0);
    }
    place
}

fn lines(said: &Said) -> Vec<Value> {
    said.out.lines().map(|line| serde_json::from_str(line).expect("an event")).collect()
}

fn types(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["type"].as_str().expect("a type")).collect()
}

#[test]
fn every_event_a_fold_sees_is_written_out() {
    let place = lived();
    let export = |more: &[&str]| {
        let mut arguments = vec!["events", "export", "--folder", "sample"];
        arguments.extend(more);
        place.run(&arguments)
    };
    let all = export(&[]).ended(0);
    assert_eq!(all.err, "");
    let events = lines(&all);
    let spend = "com.example.campaign.spend";
    assert_eq!(
        types(&events),
        [
            "definition_created",
            "definition_created",
            "definition_created",
            "definition_created",
            "definition_created",
            "definition_created",
            "run_started",
            "run_succeeded",
            "run_started",
            "run_succeeded",
            "run_started",
            "run_rejected",
            spend,
            spend
        ]
    );
    assert!(!all.out.contains("\"input\""), "no run's input is an event's: {all:?}");
    assert_eq!(events[7]["data"]["output"]["campaign"], "idea");
    assert_eq!((&events[7]["caller"], &events[7]["definitionversion"]), (&json!("local"), &json!(1)));

    let some = lines(&export(&["--type", "run_succeeded", "--type", spend]).ended(0));
    assert_eq!(types(&some), ["run_succeeded", "run_succeeded", spend, spend]);
    let at = |at: usize| events[at]["time"].as_str().expect("a time");
    let between = lines(&export(&["--since", at(6), "--until", at(12)]).ended(0));
    assert!(between.contains(&events[6]) && !between.contains(&events[12]), "{between:?}");
    assert_eq!(lines(&export(&["--until", "2020-01-01T00:00:00Z"]).ended(0)), Vec::<Value>::new());

    let batch = export(&["--format", "batch"]).ended(0);
    assert_eq!(batch.json(), Value::from(events.clone()));
    assert_eq!(export(&["--format", "batch", "--type", "nothing"]).ended(0).json(), json!([]));

    let to = ["--to", "events.jsonl"];
    assert_eq!(export(&to).ended(0).out, "14 events written to events.jsonl.\n");
    assert_eq!(place.read("events.jsonl"), all.out);
    assert!(export(&to).ended(2).err.contains("there already"));
    let again = export(&["--to", "events.jsonl", "--force", "--type", spend, "--json"]).ended(0).json();
    assert_eq!(again, json!({"path": "events.jsonl", "events": 2, "left_out": 0}));
    assert_eq!(place.read("events.jsonl").lines().count(), 2);
    for (more, words) in [
        (vec!["--type", "tool_call_started"], "No fold sees"),
        (vec!["--to", "nowhere/events.jsonl"], "cannot be written"),
        (vec!["--to", "sample"], "is a folder"),
        (vec!["--since", "yesterday"], "expected a time"),
        (vec!["--force"], "--to"),
    ] {
        let refused = export(&more).ended(2);
        assert!(refused.err.contains(words), "{more:?}: {refused:?}");
    }
    place.run(&["init", "empty-one"]).ended(0);
    let empty = place.run(&["events", "export", "--folder", "empty-one"]).ended(0);
    assert_eq!((empty.out.as_str(), place.path("empty-one/.playbook").exists()), ("", false));
}

#[test]
fn published_events_are_imported_once() {
    let place = lived();
    place.run(&["events", "export", "--folder", "sample", "--to", "all.jsonl"]).ended(0);
    let spend = ["events", "export", "--folder", "sample", "--type", "com.example.campaign.spend", "--format", "batch"];
    let batch = place.run(&spend).ended(0).out;
    place.run(&["init", "other", "--sample"]).ended(0);
    let import = ["events", "import", "-", "--folder", "other"];
    let checked = place.run_with_input(&["events", "import", "-", "--folder", "other", "--check"], &batch).ended(0);
    assert_eq!(checked.out, "2 events can be imported; nothing was recorded.\n");
    assert!(!place.path("other/.playbook").exists());
    assert_eq!(place.run_with_input(&import, &batch).ended(0).out, "2 events imported.\n");
    assert_eq!(place.run_with_input(&import, &batch).ended(0).out, "0 events imported, 2 were there already.\n");
    let run = ["run", "recall", "campaign-spend", "--folder"];
    let ask = |folder: &str| place.run(&[&run[..], &[folder]].concat()).ended(0).out;
    assert_eq!(ask("sample"), ask("other"));

    let refused = place.run(&["events", "import", "all.jsonl", "--folder", "other"]).ended(1);
    assert!(
        refused.out.starts_with("all.jsonl:1: /type: Only a playbook records definition_created, of itself"),
        "{refused:?}"
    );
    assert!(refused.err.contains("0 events imported before it"), "{refused:?}");
    let checked =
        place.run(&["events", "import", "all.jsonl", "--folder", "other", "--check", "--json"]).ended(1).json();
    assert_eq!((&checked["would_import"], &checked["there_already"]), (&json!(0), &json!(2)));
    assert_eq!(checked["problems"].as_array().map(Vec::len), Some(12));
}

#[test]
fn a_bad_line_is_told_and_what_stands_before_it_stays() {
    let place = Place::with_sample();
    let event = |id: &str, more: Value| {
        let mut event = json!({"type": "a", "source": "/b", "id": id});
        event.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        event.to_string()
    };
    let text = [
        event("1", json!({})),
        event("2", json!({"data": 1})),
        event("2", json!({"data": 1.0})),
        String::new(),
        event("2", json!({"data": 2})),
        event("3", json!({"depth": 1, "time": "soon"})),
        "nonsense".into(),
        event("4", json!({})),
    ]
    .join("\n");
    place.write("events.jsonl", text);
    let import = |more: &[&str]| {
        let mut arguments = vec!["events", "import", "events.jsonl", "--folder", "sample"];
        arguments.extend(more);
        place.run(&arguments)
    };
    let checked = import(&["--check"]).ended(1);
    let starts: Vec<&str> = checked.out.lines().map(|line| line.split(": ").next().unwrap_or_default()).collect();
    assert_eq!(starts, ["events.jsonl:5", "events.jsonl:6", "events.jsonl:6", "events.jsonl:7"], "{checked:?}");
    assert!(
        checked.err.contains("3 events can be imported, 1 was there already, and 3 would be refused"),
        "{checked:?}"
    );
    let first = import(&[]).ended(1);
    assert!(first.out.starts_with("events.jsonl:5: Another event has this source and id"), "{first:?}");
    assert!(first.err.contains("2 events imported before it, 1 was there already"), "{first:?}");
    let exported = place.run(&["events", "export", "--folder", "sample", "--type", "a"]).ended(0);
    assert_eq!(lines(&exported).len(), 2);
    for (arguments, words) in
        [(["events", "import", "nowhere.jsonl"], "cannot be read"), (["events", "import", "sample"], "is a folder")]
    {
        let mut arguments = arguments.to_vec();
        arguments.extend(["--folder", "sample"]);
        let refused = place.run(&arguments).ended(2);
        assert!(refused.err.contains(words), "{refused:?}");
    }
}

#[test]
fn a_history_is_folded_again_in_a_scratch_playbook() {
    let place = lived();
    // A function of the runs of a recall function: its own runs are never folded, wherever they come from.
    place.write(
        "sample/recall/what-was-asked.md",
        "---\nlanguage: typescript\nsource: { events: [{ type: run_succeeded }, { type: definition_created }] }\n\
         view: { initial: [], schema: { type: array, maxItems: 90 } }\n---\n\
         export function fold(view: View, event: Event): View {\n  return [...view, JSON.stringify(event)];\n}\n",
    );
    for name in ["what-was-asked", "campaign-reviews"] {
        let input = "{\"campaign\": \"idea\"}";
        place.run(&["run", "recall", name, "--folder", "sample", "--input", input]).ended(0);
    }
    place.run(&["events", "export", "--folder", "sample", "--to", "all.jsonl"]).ended(0);
    for folder in ["recall", "computation"] {
        for file in std::fs::read_dir(place.path("sample").join(folder)).expect("a folder") {
            let file = file.expect("a file").path();
            let name = file.file_name().expect("a name").to_string_lossy().into_owned();
            place.write(&format!("scratch/{folder}/{name}"), std::fs::read(&file).expect("read"));
        }
    }
    place.write("scratch/playbook.yaml", "id: scratch\nname: Scratch\n");

    let import = ["events", "import", "all.jsonl", "--as-history", "--folder", "scratch"];
    let count = place.read("all.jsonl").lines().count();
    let checked = place.run(&[&import[..], &["--check"]].concat()).ended(0);
    assert_eq!(checked.out, format!("{count} events can be imported; nothing was recorded.\n"));
    assert_eq!(place.run(&import).ended(0).out, format!("{count} events imported.\n"));
    assert_eq!(place.run(&import).ended(0).out, format!("0 events imported, {count} were there already.\n"));

    // Everything comes out again as it went in, and this playbook's own definitions stand behind it.
    let again = place.run(&["events", "export", "--folder", "scratch"]).ended(0).out;
    assert_eq!(again, place.read("all.jsonl"));
    place.run(&["show", "recall", "what-was-asked", "--folder", "scratch"]).ended(0);
    let later = place.run(&["events", "export", "--folder", "scratch"]).ended(0).out;
    assert!(later.starts_with(&again) && later.lines().count() == count + 4, "{later}");

    let rows = place.run(&["events", "list", "--folder", "scratch", "--json", "--limit", "100"]).ended(0).json();
    let row = rows["events"]
        .as_array()
        .and_then(|rows| rows.iter().find(|row| row["data"]["event_type"] == "run_rejected"))
        .expect("a row");
    assert_eq!(row["data"]["imported"], true);
    assert_eq!(row["summary"], "An event run_rejected of another playbook's history was imported");
    assert_eq!(
        place.run(&["events", "list", "--folder", "scratch", "--json", "--type", "run_started"]).ended(0).json()["events"],
        json!([])
    );

    let ask = |folder: &str, name: &str| {
        let run = place.run(&["run", "recall", name, "--folder", folder, "--input", "{\"campaign\": \"idea\"}"]);
        run.ended(0).out
    };
    for name in ["campaign-reviews", "campaign-spend"] {
        let input = if name == "campaign-spend" { "{}" } else { "{\"campaign\": \"idea\"}" };
        let of =
            |folder: &str| place.run(&["run", "recall", name, "--folder", folder, "--input", input]).ended(0).json();
        assert_eq!(of("sample"), of("scratch"), "{name}");
    }
    // A fold sees the very bytes that were written out, but for the runs of its own function.
    let seen: Vec<String> = serde_json::from_str(&ask("scratch", "what-was-asked")).expect("texts");
    let whole = place.read("all.jsonl");
    let folded: Vec<&str> = whole
        .lines()
        .filter(|line| line.contains("\"type\":\"run_succeeded\"") || line.contains("\"type\":\"definition_created\""))
        .filter(|line| !line.contains("\"subject\":\"recall/what-was-asked\""))
        .collect();
    assert!(whole.contains("\"subject\":\"recall/what-was-asked\""));
    assert_eq!(seen[..folded.len()], folded);

    // Now it has runs of its own.
    let refused = place.run(&import).ended(2);
    assert!(refused.err.contains("has runs of its own") && refused.err.contains("scratch playbook"), "{refused:?}");
    let forged = place.run(&["events", "import", "all.jsonl", "--as-history", "--folder", "sample"]).ended(2);
    assert!(forged.err.contains("has runs of its own"), "{forged:?}");
}

#[test]
fn hostile_files_end_in_words() {
    let place = Place::with_sample();
    let texts: [&[u8]; 8] = [
        b"\x00\xff",
        b"[[[[",
        b"[1,2",
        b"{\"type\":\"run_started\",\"source\":\"/runs/x\"}",
        b"\"\n\"\n\"",
        b"nul",
        b"{\"a\":",
        b"]",
    ];
    for text in texts {
        place.write("hostile", text);
        for more in [&["--check"][..], &["--as-history"], &[]] {
            let mut arguments = vec!["events", "import", "hostile", "--folder", "sample"];
            arguments.extend(more);
            let refused = place.run(&arguments).ended(1);
            assert!(refused.out.starts_with("hostile:1: "), "{text:?} {more:?}: {refused:?}");
        }
    }
    let deep = "[".repeat(200_000);
    place.write("hostile", format!("{{\"type\":\"a\",\"source\":\"b\",\"data\":{deep}"));
    place.run(&["events", "import", "hostile", "--folder", "sample"]).ended(1);
}

#[test]
fn a_check_tells_the_first_hundred_and_counts_the_rest() {
    let place = Place::with_sample();
    place.write("many.jsonl", "{\"type\": \"a\"}\n".repeat(1_234));
    let checked = place.run(&["events", "import", "many.jsonl", "--check", "--folder", "sample"]).ended(1);
    assert_eq!(checked.out.lines().count(), 101);
    assert!(checked.out.ends_with("and 1,134 more events are refused.\n"), "{checked:?}");
    assert!(checked.err.contains("1,234 would be refused"), "{checked:?}");
}

#[test]
fn many_events_keep_their_order_over_batches() {
    let place = Place::with_sample();
    let line = |nth: u32| format!("{{\"type\": \"tick\", \"source\": \"/b\", \"id\": \"{nth}\", \"data\": {nth}}}\n");
    // The last of the first batch comes again as the first of the second.
    let text: String = (1..=500).chain(500..=1_203).map(line).collect();
    let import = ["events", "import", "-", "--folder", "sample"];
    assert_eq!(place.run_with_input(&import, &text).ended(0).out, "1,203 events imported, 1 was there already.\n");
    let exported = place.run(&["events", "export", "--folder", "sample", "--type", "tick"]).ended(0);
    let data: Vec<u64> = lines(&exported).iter().map(|event| event["data"].as_u64().expect("a number")).collect();
    assert_eq!(data, (1..=1_203).collect::<Vec<u64>>());
    // What is refused in a later batch leaves every batch before it.
    let more: String = (2_000..3_100).map(line).chain(["{}\n".to_owned(), line(9_000)]).collect();
    let refused = place.run_with_input(&import, &more).ended(1);
    assert!(refused.out.starts_with("The standard input:1101: /type: An event needs a type"), "{refused:?}");
    assert!(refused.err.contains("1,100 events imported before it"), "{refused:?}");
}
