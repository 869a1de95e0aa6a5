//! `playbook serve` and `playbook publish`, one against the other.

mod common;

use common::Place;
use serde_json::{Value, json};

const REVIEWS: &str = "recall/campaign-reviews.md";
const THERE: &str = "/v1/orgs/local/playbooks/campaign-review";

fn publish(place: &Place, to: &str, more: &[&str]) -> common::Said {
    let mut arguments = vec!["publish", "--folder", "sample", "--to", to];
    arguments.extend(more);
    place.run(&arguments)
}

#[test]
fn it_says_its_address_in_one_line_and_stops_when_asked() {
    let place = Place::new();
    let serving = place.serve(&["--data", "data"], &[]);
    assert_eq!(serving.get("/health"), (200, "{\"status\":\"ok\"}".into()));
    let (status, playbooks) = serving.get("/v1/orgs/local/playbooks");
    assert_eq!((status, playbooks.as_str()), (200, "{\"playbooks\":[]}"));
    let page = serving.get("/");
    assert!(page.0 == 200 && page.1.contains("<h1>"), "{page:?}");
    assert_eq!(serving.get("/studio/api/state").0, 404);
    let (code, rest) = serving.stop();
    assert_eq!((code, rest.as_str()), (0, ""));
    assert!(place.path("data/log.db").is_file());
}

#[test]
fn a_folder_is_served_with_the_studio() {
    let place = Place::with_sample();
    place.write("dist/index.html", "<!doctype html><title>studio</title>");
    let serving = place.serve(&["--folder", "sample", "--ui-dir", "dist"], &[]);
    assert_eq!(serving.get("/"), (200, "<!doctype html><title>studio</title>".into()));
    let (status, folder) = serving.get("/studio/api/folder");
    let folder: Value = serde_json::from_str(&folder).expect("JSON");
    assert_eq!((status, &folder["playbook"]["id"]), (200, &json!("campaign-review")));
    let (status, document) = serving.get("/studio/api/documents/recall/campaign-reviews");
    let document: Value = serde_json::from_str(&document).expect("JSON");
    assert_eq!((status, &document["state"]), (200, &json!("saved")));
    let html = document["check"]["overview_html"].as_str().expect("rendered");
    assert!(html.contains("<pre class=\"mermaid-source\">flowchart"), "{html}");
    assert_eq!(serving.get(&format!("{THERE}/definitions/recall/campaign-reviews")).0, 200);
    assert_eq!(serving.stop().0, 0);
}

/// Arguments, environment, and a word of the refusal.
type Refused<'a> = (&'a [&'a str], &'a [(&'a str, &'a str)], &'a str);

#[test]
fn it_does_not_start_where_it_must_not() {
    let place = Place::with_sample();
    let cases: [Refused<'_>; 9] = [
        (&["--data", "d", "--listen", "0.0.0.0:0"], &[], "API_KEYS"),
        (&["--data", "d", "--listen", "0.0.0.0:0"], &[("LOCAL_MODE", "true")], "loopback"),
        (&["--data", "d", "--listen", "nonsense"], &[], "address"),
        (&["--data", "d"], &[("PORT", "SECRET")], "PORT"),
        (&["--data", "d"], &[("API_KEYS", "[{\"id\":\"SECRET\"}]")], "API_KEYS"),
        (&["--data", "d"], &[("CONFIG_FILE", "SECRET")], "CONFIG_FILE"),
        (&["--folder", "nowhere"], &[], "nowhere"),
        (&["--folder", "sample"], &[("LOCAL_MODE", "false")], "local mode"),
        (&["--data", "d", "--ui-dir", "sample"], &[], "index.html"),
    ];
    for (arguments, settings, words) in cases {
        let mut all = vec!["serve"];
        all.extend(arguments);
        let refused = common::said(place.command(&all).envs(settings.iter().copied())).ended(2);
        assert!(refused.err.contains(words), "{arguments:?} {settings:?}: {refused:?}");
        assert!(!refused.err.contains("SECRET") && refused.out.is_empty(), "{refused:?}");
    }
    let serving = place.serve(&["--data", "d"], &[]);
    let second = place.run(&["serve", "--data", "d", "--listen", "127.0.0.1:0"]).ended(2);
    assert!(second.out.is_empty() && second.err.lines().count() == 1, "{second:?}");
    let authority = serving.address.strip_prefix("http://").expect("an address").to_owned();
    let taken = place.run(&["serve", "--data", "e", "--listen", &authority]).ended(2);
    assert!(taken.err.contains(&authority), "{taken:?}");
}

#[test]
fn without_local_mode_and_keys_everything_needs_a_key() {
    let place = Place::new();
    let serving = place.serve(&["--data", "data"], &[("LOCAL_MODE", "false")]);
    assert_eq!(serving.get("/health").0, 200);
    assert_eq!(serving.get("/v1/orgs/local/playbooks").0, 401);
}

#[test]
fn a_folder_is_published_and_read_back() {
    let place = Place::with_sample();
    let serving = place.serve(&["--data", "data"], &[]);
    let plan = publish(&place, &serving.address, &["--plan", "--json"]).ended(0).json();
    assert_eq!(plan["playbook"]["exists"], false);
    assert!(
        plan["items"].as_array().is_some_and(|items| items.len() == 6 && items.iter().all(|i| i["state"] == "new"))
    );
    assert_eq!(serving.get(THERE).0, 404, "a plan sends nothing");
    let sent = publish(&place, &serving.address, &[]).ended(0);
    assert_eq!(
        sent.out.lines().filter(|line| line.starts_with("published ") && line.contains("read back at")).count(),
        6,
        "{sent:?}"
    );
    let (_, there) = serving.get(&format!("{THERE}/definitions/recall/campaign-reviews"));
    let there: Value = serde_json::from_str(&there).expect("JSON");
    assert_eq!(there["source"].as_str(), Some(place.read(&format!("sample/{REVIEWS}")).as_str()));
    let again = publish(&place, &serving.address, &["--json"]).ended(0).json();
    assert_eq!(again["results"], json!([]));
    place.replace(&format!("sample/{REVIEWS}"), "latest last", "oldest first");
    let changed = publish(&place, &serving.address, &[]).ended(0);
    assert!(changed.out.contains("recall/campaign-reviews, version 2"), "{changed:?}");
    assert_eq!(changed.out.lines().count(), 1, "{changed:?}");
}

#[test]
fn what_another_folder_published_is_pulled_or_overwritten_by_name() {
    let (ana, ben) = (Place::with_sample(), Place::with_sample());
    let serving = ana.serve(&["--data", "data"], &[]);
    let file = format!("sample/{REVIEWS}");
    publish(&ana, &serving.address, &[]).ended(0);
    publish(&ben, &serving.address, &[]).ended(0);
    ben.replace(&file, "latest last", "by ben");
    publish(&ben, &serving.address, &[]).ended(0);

    let left = publish(&ana, &serving.address, &[]).ended(0);
    assert!(left.err.contains("changed there: version 2"), "{left:?}");
    let pulled = publish(&ana, &serving.address, &["--pull"]);
    // Ana never published or pulled this text, but she published the one before, so only the server changed.
    let pulled = pulled.ended(0);
    assert!(pulled.out.contains("pulled") && ana.read(&file).contains("by ben"), "{pulled:?}");

    ben.replace(&file, "by ben", "by ben again");
    publish(&ben, &serving.address, &[]).ended(0);
    ana.replace(&file, "by ben", "by ana");
    let stopped = publish(&ana, &serving.address, &[]).ended(1);
    assert!(stopped.err.contains("changed here and there: version 3"), "{stopped:?}");
    assert!(ana.read(&file).contains("by ana"));
    let over = publish(&ana, &serving.address, &["--overwrite", "recall/campaign-reviews"]).ended(0);
    assert!(over.out.contains("version 4"), "{over:?}");
    publish(&ana, &serving.address, &["--overwrite", "recall/none"]).ended(2);
}

#[test]
fn a_key_is_needed_where_keys_are_set() {
    let place = Place::with_sample();
    let made = place.run(&["key", "ci", "--org", "acme", "--json"]).ended(0).json();
    let mut reader = made["entry"].clone();
    reader["permissions"] = json!(["org:read", "playbook:read"]);
    reader["id"] = json!("reader");
    let other = place.run(&["key", "reader", "--org", "acme", "--json"]).ended(0).json();
    reader["sha256"] = other["entry"]["sha256"].clone();
    let keys = json!([made["entry"], reader]).to_string();
    let serving = place.serve(&["--data", "data"], &[("API_KEYS", &keys)]);
    let secret = made["key"].as_str().expect("a key");
    place.write("key", format!("{secret}\n"));
    place.write("reader-key", other["key"].as_str().expect("a key"));
    let all = ["--org", "acme", "--key-file"];
    let with = |file: &'static str, more: &[&'static str]| {
        let mut arguments = all.to_vec();
        arguments.push(file);
        arguments.extend(more);
        publish(&place, &serving.address, &arguments)
    };
    let none = publish(&place, &serving.address, &["--org", "acme"]).ended(2);
    assert!(none.err.contains("key"), "{none:?}");
    let sent = with("key", &[]).ended(0);
    assert_eq!(sent.out.lines().filter(|line| line.starts_with("published ")).count(), 6, "{sent:?}");
    place.replace(&format!("sample/{REVIEWS}"), "latest last", "oldest first");
    let may_not = with("reader-key", &[]).ended(1);
    assert!(may_not.out.contains("playbook:write"), "{may_not:?}");
    let foreign = publish(&place, &serving.address, &["--org", "other", "--key-file", "key"]).ended(2);
    for said in [&none, &sent, &may_not, &foreign] {
        assert!(!said.out.contains(secret) && !said.err.contains(secret));
    }
    assert!(publish(&place, "http://192.0.2.1:9", &["--key-file", "key"]).ended(2).err.contains("https"));
    publish(&place, "nonsense", &[]).ended(2);
    publish(&place, &serving.address, &["--key-file", "nowhere"]).ended(2);
}

#[test]
fn a_folder_with_problems_publishes_the_rest() {
    let place = Place::with_sample();
    place.replace("sample/computation/review-brief.md", "    verdict: reason", "    verdct: reason");
    let serving = place.serve(&["--data", "data"], &[]);
    let sent = publish(&place, &serving.address, &[]).ended(1);
    assert!(sent.err.contains("computation/review-brief"), "{sent:?}");
    assert_eq!(serving.get(&format!("{THERE}/definitions/computation/review-brief")).0, 404);
    assert_eq!(serving.get(&format!("{THERE}/definitions/recall/campaign-spend")).0, 200);
}
