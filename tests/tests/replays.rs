//! Replays of the whole program: what becomes of one whose fold takes its worker along.

use playbook_tests::{CRASH, program};
use serde_json::json;
use std::process::Command;

/// Counts its events; one of the data that is looped for never ends.
const COUNTS: &str = "---
language: typescript
source:
  events:
    - type: beat
view:
  initial: 0
---
export function fold(view: View, event: Event): View {
  if (event.data === 'take-' + 'the-worker-along') for (;;) 'x'.repeat(30000000);
  return (typeof view === 'number' ? view : 0) + 1;
}
";

/// "When a view stalls": of the twenty tries of a kept view a replay makes one, and keeps what it folded before.
#[test]
fn a_fold_that_takes_its_worker_along_is_told_with_what_was_folded_before() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir_all(at("recall")).expect("a folder");
    std::fs::write(at("playbook.yaml"), "id: main\nname: Main\n").expect("a file");
    std::fs::write(at("recall/counts.md"), COUNTS).expect("a file");
    let events = ["a", "b", CRASH, "c"].into_iter().enumerate();
    let lines: String = events
        .map(|(nth, data)| {
            let event = json!({ "id": format!("event-{nth}"), "type": "beat", "source": "/s", "data": data });
            format!("{event}\n")
        })
        .collect();
    std::fs::write(at("events.jsonl"), lines).expect("a file");
    let told = Command::new(program("playbook"))
        .args(["fold", "counts", "--folder"])
        .arg(folder.path())
        .arg("--from")
        .arg(at("events.jsonl"))
        .env("PLAYBOOK_WORKER", program("crashing-worker"))
        .output()
        .expect("the program starts");
    let words = String::from_utf8_lossy(&told.stderr).into_owned() + &String::from_utf8_lossy(&told.stdout);
    assert!(!told.status.success(), "{words}");
    assert!(words.contains("event-2") && words.contains("crash"), "{words}");
    assert!(words.contains("2 events"), "what stands before it was folded: {words}");
}
