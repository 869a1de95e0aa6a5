//! Spec "Transport rules": routes, bodies and fields, and problem documents, over scripted operations.

mod common;

use axum::body::Body;
use common::{Folder, ORG, PLAYBOOK, Scripted, command, get, problem, request, send, site};
use http::StatusCode;
use playbook_host::api::{Method, OPERATIONS, Place, Shape};
use playbook_model::ending::{Issue, Kind, Reason, Rejection};
use playbook_model::refusal::Refusal;
use playbook_server::Access;
use playbook_server::seam::Workspace as _;
use serde_json::{Value, json};

fn sample(shape: Shape) -> Value {
    match shape {
        Shape::Text { .. } => json!("some text"),
        Shape::Slug => json!("campaigns"),
        Shape::Org => json!("acme"),
        Shape::Type => json!("recall"),
        Shape::Uuid => json!("0f8fad5b-d9cb-469f-a165-70867728950e"),
        Shape::Status => json!("failed"),
        Shape::Order => json!("asc"),
        Shape::Time => json!("2026-10-03T16:40:05Z"),
        Shape::Whole { least, .. } => json!(least),
        Shape::Flag => json!(true),
        Shape::Any | Shape::Object => json!({"a": [1]}),
    }
}

fn as_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), |text| text.replace(' ', "%20"))
}

#[tokio::test]
async fn every_operation_is_reached_with_every_field() {
    for operation in OPERATIONS {
        let echo = Scripted::echo();
        let mut target = operation.path.to_owned();
        let mut query = Vec::new();
        let mut body = json!({});
        let mut whole = json!({});
        for field in operation.fields {
            let value = sample(field.shape);
            whole[field.name] = value.clone();
            match field.place {
                Place::Path => target = target.replace(&format!("{{{}}}", field.name), &as_text(&value)),
                Place::Query => query.push(format!("{}={}", field.name, as_text(&value))),
                Place::Body => body[field.name] = value,
            }
        }
        if !query.is_empty() {
            target = format!("{target}?{}", query.join("&"));
        }
        let site = site(&echo, Access::Local);
        let answer = match operation.method {
            Method::Get => get(&site, &target).await,
            method => command(&site, method.word(), &target, body.to_string()).await,
        };
        assert_eq!(answer.status.as_u16(), operation.success, "{}: {}", operation.name, answer.text());
        assert_eq!(answer.header("content-type"), Some("application/json"));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert!(answer.header("x-request-id").is_some());
        assert_eq!(answer.json(), json!({"operation": operation.name, "input": whole}));
        assert_eq!(echo.calls()[0].caller.id, "local");
    }
}

#[tokio::test]
async fn unknown_paths_and_methods() {
    let echo = Scripted::echo();
    let site = site(&echo, Access::Local);
    for path in ["/v1", "/v1/orgs/acme", "/v1/orgs/acme/playbooks/", "/nothing", "/v1/orgs/acme/playbooks/a/runs/b/c"] {
        problem(&get(&site, path).await, 404, "not_found", "Not found", "not_found");
    }
    for (method, path, allow) in [
        ("DELETE", format!("{ORG}/playbooks"), "GET, HEAD, POST"),
        ("POST", format!("{PLAYBOOK}/definitions/recall/reviews"), "GET, HEAD, PUT"),
        ("GET", format!("{PLAYBOOK}/retire"), "POST"),
        ("OPTIONS", format!("{ORG}/playbooks"), "GET, HEAD, POST"),
        ("POST", "/health".to_owned(), "GET, HEAD"),
    ] {
        let answer = command(&site, method, &path, "").await;
        problem(&answer, 405, "method_not_allowed", "Method not allowed", "method_not_allowed");
        assert_eq!(answer.header("allow"), Some(allow), "{method} {path}");
    }
    let unreadable = get(&site, "/v1/orgs/%FF/playbooks").await;
    problem(&unreadable, 400, "bad_request", "Bad request", "bad_request");
    assert!(echo.calls().is_empty());
}

#[tokio::test]
async fn a_head_is_a_get_without_its_body() {
    let site = site(&Scripted::echo(), Access::Local);
    let answer = send(&site, request("HEAD", &format!("{ORG}/playbooks")).body(Body::empty()).expect("one")).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert!(answer.bytes.is_empty());
}

#[tokio::test]
async fn a_body_is_one_json_object() {
    let echo = Scripted::echo();
    let site = site(&echo, Access::Local);
    let path = format!("{ORG}/playbooks");
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let bad: [&[u8]; 12] = [
        b"{",
        b"[]",
        b"null",
        b"1",
        b"\"a\"",
        b"{} {}",
        b"{\"a\":1,\"a\":2}",
        b"\xff\xfe",
        b"{\"a\":\"\xff\"}",
        b"{\"a\":\"\\ud800\"}",
        b"{\"a\":1e999}",
        deep.as_bytes(),
    ];
    for body in bad {
        let answer = command(&site, "POST", &path, body.to_vec()).await;
        let document = problem(&answer, 400, "bad_request", "Bad request", "bad_request");
        assert!(document.get("errors").is_none());
    }
    assert!(echo.calls().is_empty());
    let none = send(&site, request("POST", &format!("{PLAYBOOK}/retire")).body(Body::empty()).expect("one")).await;
    assert_eq!(none.json()["input"], json!({"org": "acme", "playbook": "campaigns"}));
}

#[tokio::test]
async fn a_body_is_utf8_json_without_encoding() {
    let site = site(&Scripted::echo(), Access::Local);
    let path = format!("{ORG}/playbooks");
    let with = |kind: Option<&str>, encoding: Option<&str>| {
        let mut builder = request("POST", &path);
        if let Some(kind) = kind {
            builder = builder.header("content-type", kind);
        }
        if let Some(encoding) = encoding {
            builder = builder.header("content-encoding", encoding);
        }
        builder.body(Body::from("{}")).expect("a request")
    };
    for kind in [
        "application/json",
        "Application/JSON; charset=UTF-8",
        "application/json; charset=\"utf-8\"",
        "application/json;",
    ] {
        assert_eq!(send(&site, with(Some(kind), None)).await.status, StatusCode::CREATED, "{kind}");
    }
    assert_eq!(send(&site, with(Some("application/json"), Some("identity"))).await.status, StatusCode::CREATED);
    for (kind, encoding) in [
        (None, None),
        (Some("text/plain"), None),
        (Some("application/json; charset=latin1"), None),
        (Some("application/x-www-form-urlencoded"), None),
        (Some("application/problem+json"), None),
        (Some("application/json"), Some("gzip")),
        (Some("application/json"), Some("identity, gzip")),
    ] {
        let answer = send(&site, with(kind, encoding)).await;
        problem(&answer, 415, "unsupported_media_type", "Unsupported media type", "unsupported_media_type");
    }
}

#[tokio::test]
async fn a_body_has_at_most_a_mebibyte() {
    let echo = Scripted::echo();
    let site = site(&echo, Access::Local);
    let path = format!("{ORG}/playbooks");
    let of = |bytes: usize| format!("{{\"a\":\"{}\"}}", "x".repeat(bytes - 8));
    assert_eq!(command(&site, "POST", &path, of(1_048_576)).await.status, StatusCode::CREATED);
    let answer = command(&site, "POST", &path, of(1_048_577)).await;
    problem(&answer, 413, "content_too_large", "Content too large", "content_too_large");
    assert_eq!(echo.calls().len(), 1);
}

#[tokio::test]
async fn who_may_not_learns_nothing_about_the_body() {
    let echo = Scripted::echo();
    let site = site(&echo, Access::Local);
    for body in ["{", "{}", "[]"] {
        let answer = command(&site, "POST", "/v1/orgs/foreign/playbooks", body).await;
        problem(&answer, 403, "forbidden", "Forbidden", "forbidden");
    }
    assert!(echo.calls().is_empty());
}

#[tokio::test]
async fn a_field_is_given_once_and_in_its_place() {
    let echo = Scripted::echo();
    let site = site(&echo, Access::Local);
    let twice = [
        get(&site, &format!("{PLAYBOOK}/runs?limit=1&limit=2")).await,
        get(&site, &format!("{PLAYBOOK}/runs?playbook=campaigns")).await,
        command(&site, "PUT", PLAYBOOK, r#"{"playbook":"campaigns","name":"A","description":""}"#).await,
    ];
    for answer in &twice {
        let document = problem(answer, 400, "bad_request", "Bad request", "bad_request");
        assert!(document["detail"].as_str().is_some_and(|detail| detail.contains("twice")), "{document}");
    }
    for (method, target) in [("POST", format!("{PLAYBOOK}/retire?a=1")), ("PUT", format!("{PLAYBOOK}?name=A"))] {
        problem(&command(&site, method, &target, "{}").await, 400, "bad_request", "Bad request", "bad_request");
    }
    problem(&get(&site, &format!("{PLAYBOOK}/runs?name=%FF")).await, 400, "bad_request", "Bad request", "bad_request");
    let with_body = request("GET", PLAYBOOK).header("content-type", "application/json").body(Body::from("{}"));
    let answer = send(&site, with_body.expect("a request")).await;
    problem(&answer, 400, "bad_request", "Bad request", "bad_request");
    assert!(echo.calls().is_empty());
    let read = get(&site, &format!("{PLAYBOOK}/runs?limit=5&name=a+b%2B&flag&&unknown=x")).await.json();
    let expected =
        json!({"org": "acme", "playbook": "campaigns", "limit": 5, "name": "a b+", "flag": "", "unknown": "x"});
    assert_eq!(read["input"], expected);
}

#[tokio::test]
async fn refusals_become_problem_documents() {
    let rejected = |reason, kind: Option<Kind>, because: Option<&str>| {
        let mut rejection = Rejection::new(reason, "Because of this.");
        rejection.kind = kind;
        rejection.because = because.map(str::to_owned);
        rejection
    };
    let cases = [
        (rejected(Reason::InvalidInput, None, None), 422, "invalid_input", "Invalid input", None),
        (rejected(Reason::NotFound, None, None), 404, "not_found", "Not found", None),
        (rejected(Reason::Forbidden, None, None), 403, "forbidden", "Forbidden", None),
        (rejected(Reason::Conflict, Some(Kind::Taken), None), 409, "conflict", "Conflict", None),
        (rejected(Reason::Conflict, Some(Kind::Stalled), None), 409, "conflict", "Conflict", None),
        (
            rejected(Reason::Conflict, Some(Kind::ToolsCalled), Some("only_read")),
            409,
            "tools_called",
            "Tools called",
            None,
        ),
        (rejected(Reason::Conflict, Some(Kind::EffectUnknown), None), 409, "effect_unknown", "Effect unknown", None),
        (rejected(Reason::Cancelled, Some(Kind::Requested), None), 409, "cancelled", "Cancelled", None),
        (rejected(Reason::Unanswered, Some(Kind::Expired), None), 410, "unanswered", "Unanswered", None),
        (rejected(Reason::Unavailable, None, None), 503, "unavailable", "Unavailable", Some("5")),
        (rejected(Reason::Unavailable, Some(Kind::Rebuilding), None), 503, "rebuilding", "Rebuilding", Some("5")),
        (
            rejected(Reason::Unavailable, Some(Kind::ToolsUnfinished), None),
            503,
            "tools_unfinished",
            "Tools unfinished",
            None,
        ),
        (
            rejected(Reason::Unavailable, Some(Kind::ModelNotOffered), Some("model_not_allowed")),
            503,
            "unavailable",
            "Unavailable",
            None,
        ),
    ];
    for (rejection, status, word, title, retry) in cases {
        let site = site(&Scripted::refusing(rejection.clone().into()), Access::Local);
        let answer = get(&site, PLAYBOOK).await;
        let document = problem(&answer, status, word, title, rejection.reason.word());
        assert_eq!(document["detail"], "Because of this.");
        assert_eq!(document.get("kind").cloned(), rejection.kind.map(|kind| json!(kind.word())));
        assert_eq!(document.get("because").and_then(Value::as_str), rejection.because.as_deref());
        assert_eq!(answer.header("retry-after"), retry, "{word}");
        assert_eq!(document.get("errors").is_some(), status == 422);
        assert!(document.get("issues").is_none());
    }
}

#[tokio::test]
async fn at_most_a_hundred_errors_are_shown() {
    let issues = (0..150).map(|n| Issue { detail: "Wrong".into(), pointer: format!("/{n}") }).collect();
    let rejection = Rejection::new(Reason::InvalidInput, "The input does not fit.").issues(issues);
    let site = site(&Scripted::refusing(rejection.into()), Access::Local);
    let document = problem(&get(&site, PLAYBOOK).await, 422, "invalid_input", "Invalid input", "invalid_input");
    let errors = document["errors"].as_array().expect("a list");
    assert_eq!(errors.len(), 100);
    assert_eq!(errors[99], json!({"detail": "Wrong", "pointer": "/99"}));
}

#[tokio::test]
async fn a_breakdown_shows_its_id_and_nothing_else() {
    let id = "0f8fad5b-d9cb-469f-a165-70867728950e";
    let known = site(&Scripted::refusing(Refusal::Incident { id: id.into() }), Access::Local);
    let document = problem(&get(&known, PLAYBOOK).await, 500, "internal", "Internal error", "internal");
    assert_eq!(document["instance"], format!("urn:uuid:{id}"));
    let panics = site(&Scripted::new(|_, _| Box::pin(async { panic!("SECRET") })), Access::Local);
    let answer = get(&panics, PLAYBOOK).await;
    let document = problem(&answer, 500, "internal", "Internal error", "internal");
    assert!(document["instance"].as_str().is_some_and(|instance| instance.starts_with("urn:uuid:")));
    assert!(!answer.text().contains("SECRET"));
}

#[tokio::test]
async fn while_it_stops_commands_are_unavailable_and_queries_answer() {
    let echo = Scripted::echo();
    let site = site(&echo, Access::Local);
    site.stop();
    let answer = command(&site, "POST", &format!("{PLAYBOOK}/events"), "{}").await;
    problem(&answer, 503, "unavailable", "Unavailable", "unavailable");
    assert_eq!(answer.header("retry-after"), Some("5"));
    assert_eq!(get(&site, PLAYBOOK).await.status, StatusCode::OK);
    // A wait for news ends rather than holding the server up.
    let waiting = get(&site, "/studio/api/changes?after=1").await;
    problem(&waiting, 503, "unavailable", "Unavailable", "unavailable");
}

#[tokio::test]
async fn the_studio_api_has_html_and_its_own_members() {
    let site = site(&Scripted::echo(), Access::Local);
    assert_eq!(Folder.routes().len(), 3);
    let check = command(&site, "POST", "/studio/api/check", r#"{"text":""}"#).await.json();
    assert_eq!(check["overview_html"], "<p><strong>a</strong></p>\n");
    let html = command(&site, "POST", "/studio/api/format/markdown", r#"{"text":"<script>x</script>\n\n*b*"}"#).await;
    assert_eq!(html.json(), json!({"html": "\n<p><em>b</em></p>\n"}));
    let wrong = command(&site, "POST", "/studio/api/format/markdown", r#"{"text":1}"#).await;
    problem(&wrong, 422, "invalid_input", "Invalid input", "invalid_input");
    let refused = command(&site, "PUT", "/studio/api/documents/recall/reviews", r#"{"text":"mine"}"#).await;
    let document = problem(&refused, 409, "conflict", "Conflict", "conflict");
    assert_eq!((&document["kind"], &document["theirs"]), (&json!("concurrent_change"), &json!("mine")));
}
