//! The steps of a workflow's run in the history over HTTP: read off the records of its inputs, paged like any row.

use playbook_tests::{Server, definition};
use serde_json::{Value, json};
use std::collections::HashSet;

const ALL: &str = "/v1/orgs/local/playbooks/steps";
const RUN: &str = "0f8fad5b-d9cb-469f-a165-70867728950e";

const WORKFLOW: &str = "document: { dsl: '1.0.3', namespace: tests, name: paced, version: '1.0.0' }
do:
  - never:
      if: '${ false }'
      set: { a: 1 }
  - group:
      do:
        - first: { set: { a: 1 } }
        - second: { set: { a: 2 } }
  - each:
      for: { each: n, in: '${ [1, 2, 3] }' }
      do:
        - pause: { wait: { milliseconds: 5 } }
  - out:
      try:
        - fails: { raise: { error: { type: 'https://example.com/e', status: 400, title: Not so } } }
      catch:
        do:
          - mended: { set: { b: 1 } }
";

/// Every row of a query, page by page.
async fn walked(server: &Server, query: &str, limit: usize) -> Vec<Value> {
    let mut rows = Vec::new();
    let mut next = String::new();
    loop {
        let page = server.get(&format!("{ALL}/events?{query}&limit={limit}{next}")).await;
        let here = page["events"].as_array().expect("rows").clone();
        assert!(here.len() <= limit, "{query}: {}", here.len());
        rows.extend(here);
        assert_eq!(page["has_more"], !page["next_cursor"].is_null());
        match page["next_cursor"].as_str() {
            Some(cursor) => next = format!("&cursor={cursor}"),
            None => return rows,
        }
    }
}

fn shown(rows: &[Value]) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    rows.iter().map(|row| (text(&row["type"]), text(&row["data"]["name"]))).collect()
}

#[tokio::test]
async fn the_history_tells_each_step_that_moved() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(folder.path());
    server.post("/v1/orgs/local/playbooks", json!({ "playbook": "steps", "name": "Steps" }), 201).await;
    server.post(&format!("{ALL}/definitions/workflow"), definition("paced", WORKFLOW), 201).await;
    server.post(&format!("{ALL}/definitions/workflow/paced/run"), json!({ "input": {}, "run_id": RUN }), 200).await;
    let until = tokio::time::Instant::now() + std::time::Duration::from_secs(60);
    while server.get(&format!("{ALL}/runs/{RUN}")).await["status"] != "succeeded" {
        assert!(tokio::time::Instant::now() < until, "the run does not end");
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }

    let query = format!("run_id={RUN}&order=asc");
    let rows = walked(&server, &query, 100).await;
    let steps: Vec<(String, String)> = shown(&rows).into_iter().filter(|(kind, _)| kind.starts_with("step_")).collect();
    let expected = [
        ("step_skipped", "never"),
        ("step_finished", "first"),
        ("step_finished", "second"),
        ("step_finished", "group"),
        ("step_started", "each"),
        ("step_waiting", "pause"),
        ("step_finished", "pause"),
        ("step_waiting", "pause"),
        ("step_finished", "pause"),
        ("step_waiting", "pause"),
        ("step_finished", "pause"),
        ("step_finished", "each"),
        ("step_failed", "fails"),
        ("step_finished", "mended"),
        ("step_finished", "out"),
    ];
    let expected: Vec<_> = expected.iter().map(|(kind, name)| ((*kind).to_owned(), (*name).to_owned())).collect();
    let (mut found, mut wanted) = (steps.clone(), expected);
    // Within an input, the engine may tell a task before or after the one around it.
    found.sort();
    wanted.sort();
    assert_eq!(found, wanted, "{steps:#?}");
    let ids: HashSet<&str> = rows.iter().filter_map(|row| row["id"].as_str()).collect();
    assert_eq!(ids.len(), rows.len());

    // Each was led to by the row before it in its record.
    for (at, row) in rows.iter().enumerate().filter(|(_, row)| row["id"].as_str().is_some_and(|id| id.contains('/'))) {
        assert_eq!(row["metadata"]["causation_id"], rows[at - 1]["id"], "{row:#}");
        assert_eq!(row["metadata"]["position"], rows[at - 1]["metadata"]["position"]);
    }

    // Pages of any size give the same, in either order.
    for limit in [1, 2, 3, 7] {
        assert_eq!(walked(&server, &query, limit).await, rows, "{limit}");
        let mut back = walked(&server, &format!("run_id={RUN}&order=desc"), limit).await;
        back.reverse();
        assert_eq!(back, rows, "{limit}");
    }
    for kind in ["step_waiting", "step_failed", "workflow_input_applied"] {
        let only: Vec<Value> = rows.iter().filter(|row| row["type"] == kind).cloned().collect();
        assert!(!only.is_empty());
        for limit in [1, 2, 100] {
            assert_eq!(walked(&server, &format!("{query}&type={kind}"), limit).await, only, "{kind} {limit}");
        }
    }

    // One row by its id.
    let failed = rows.iter().find(|row| row["type"] == "step_failed").expect("it failed");
    let id = failed["id"].as_str().expect("text");
    assert_eq!(&server.get(&format!("{ALL}/events/{}", id.replace('/', "%2F"))).await, failed);
    assert_eq!(failed["data"]["error"]["title"], "Not so");
    assert_eq!(failed["summary"], "The step fails of the workflow paced failed: Not so");
    let record = id.split('/').next().unwrap_or_default();
    for missing in ["0", "99", "x", "-1", ""] {
        let (status, _) = server
            .send(reqwest::Method::GET, &format!("{ALL}/events/{record}%2F{missing}"), None)
            .await
            .expect("an answer");
        assert_eq!(status, 404, "{missing}");
    }
}
