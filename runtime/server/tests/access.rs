//! Spec "Authentication and permissions", "CORS", "Root page", "Health": who may call, and what needs no key.

mod common;

use axum::body::Body;
use common::{Answer, PLAYBOOK, Scripted, problem, send, site, site_with};
use http::StatusCode;
use playbook_model::ending::{Reason, Rejection};
use playbook_model::id::OrgId;
use playbook_server::{Access, Origins, Site, Ui, make_key, read_keys};
use serde_json::json;

async fn get(site: &Site, target: &str, headers: &[(&str, &str)]) -> Answer {
    ask(site, "GET", target, headers).await
}

async fn ask(site: &Site, method: &str, target: &str, headers: &[(&str, &str)]) -> Answer {
    let mut builder = http::Request::builder().method(method).uri(target);
    if !headers.iter().any(|(name, _)| *name == "host") {
        builder = builder.header("host", "127.0.0.1:8080");
    }
    for (name, value) in headers {
        builder = builder.header(*name, *value);
    }
    send(site, builder.body(Body::empty()).expect("a request")).await
}

fn keyed() -> (Access, String) {
    let key = make_key("ci", &OrgId::new("acme").expect("an id")).expect("a key");
    (Access::Keys(read_keys(&json!([key.entry])).expect("an entry")), format!("Bearer {}", key.text))
}

#[tokio::test]
async fn a_key_is_needed_and_makes_the_caller() {
    let echo = Scripted::echo();
    let (access, header) = keyed();
    let site = site(&echo, access);
    let missing = get(&site, PLAYBOOK, &[]).await;
    problem(&missing, 401, "unauthenticated", "Unauthenticated", "unauthenticated");
    assert_eq!(missing.header("www-authenticate"), Some("Bearer"));
    let other = make_key("ci", &OrgId::new("acme").expect("an id")).expect("a key").text;
    for bad in [format!("Bearer {other}"), "Bearer x".into(), "Bearer abk_ci_".into()] {
        let answer = get(&site, PLAYBOOK, &[("authorization", &bad)]).await;
        problem(&answer, 401, "unauthenticated", "Unauthenticated", "unauthenticated");
        assert_eq!(answer.header("www-authenticate"), Some("Bearer error=\"invalid_token\""));
    }
    for malformed in ["Basic YTpi", "Bearer", "Bearer a b"] {
        let answer = get(&site, PLAYBOOK, &[("authorization", malformed)]).await;
        problem(&answer, 400, "bad_request", "Bad request", "bad_request");
        assert_eq!(answer.header("www-authenticate"), Some("Bearer error=\"invalid_request\""));
    }
    let two = get(&site, PLAYBOOK, &[("authorization", &header), ("authorization", &header)]).await;
    problem(&two, 400, "bad_request", "Bad request", "bad_request");
    assert!(echo.calls().is_empty());
    assert_eq!(get(&site, PLAYBOOK, &[("authorization", &header)]).await.status, StatusCode::OK);
    let caller = echo.calls()[0].caller.clone();
    assert_eq!((caller.id.as_str(), caller.org.expect("an org").as_str()), ("ci", "acme"));
}

#[tokio::test]
async fn a_missing_permission_says_so_in_the_header() {
    let (access, header) = keyed();
    let forbidden = Rejection::new(Reason::Forbidden, "The caller may not.");
    let site = site(&Scripted::refusing(forbidden.into()), access);
    let answer = get(&site, PLAYBOOK, &[("authorization", &header)]).await;
    problem(&answer, 403, "forbidden", "Forbidden", "forbidden");
    assert_eq!(answer.header("www-authenticate"), Some("Bearer error=\"insufficient_scope\""));
}

#[tokio::test]
async fn without_keys_and_local_mode_only_health_and_the_page_answer() {
    let echo = Scripted::echo();
    let site = site(&echo, Access::Nobody);
    for path in [PLAYBOOK, "/openapi.json", "/nothing", "/studio/api/changes"] {
        problem(&get(&site, path, &[]).await, 401, "unauthenticated", "Unauthenticated", "unauthenticated");
    }
    let (_, header) = keyed();
    let with_key = get(&site, PLAYBOOK, &[("authorization", &header)]).await;
    problem(&with_key, 401, "unauthenticated", "Unauthenticated", "unauthenticated");
    assert_eq!(get(&site, "/health", &[]).await.json(), json!({"status": "ok"}));
    assert_eq!(get(&site, "/", &[("accept", "text/html")]).await.status, StatusCode::OK);
    assert!(echo.calls().is_empty());
}

#[tokio::test]
async fn the_studio_api_is_for_this_machine_alone() {
    let (access, header) = keyed();
    let site = site(&Scripted::echo(), access);
    let answer = get(&site, "/studio/api/changes", &[("authorization", &header)]).await;
    problem(&answer, 404, "not_found", "Not found", "not_found");
}

#[tokio::test]
async fn local_mode_is_called_by_a_name_of_this_machine() {
    let site = site(&Scripted::echo(), Access::Local);
    for host in ["localhost", "localhost:1", "127.0.0.1", "[::1]:8080"] {
        assert_eq!(get(&site, PLAYBOOK, &[("host", host)]).await.status, StatusCode::OK, "{host}");
    }
    for host in ["evil.example", "localhost.evil.example:8080", "10.0.0.1", ""] {
        let answer = get(&site, PLAYBOOK, &[("host", host)]).await;
        problem(&answer, 403, "origin_not_allowed", "Origin not allowed", "origin_not_allowed");
    }
    let two = get(&site, PLAYBOOK, &[("host", "localhost"), ("host", "evil.example")]).await;
    assert_eq!(two.status, StatusCode::FORBIDDEN);
    let target = get(&site, &format!("http://evil.example{PLAYBOOK}"), &[("host", "localhost")]).await;
    assert_eq!(target.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn only_allowed_origins_and_its_own_may_call() {
    let echo = Scripted::echo();
    let (access, key) = keyed();
    for site in [site(&echo, Access::Local), site(&echo, access)] {
        for origin in ["https://a.example", "https://studio.on.auto"] {
            let answer = get(&site, PLAYBOOK, &[("origin", origin), ("authorization", &key)]).await;
            assert_eq!(answer.status, StatusCode::OK, "{origin}");
            assert_eq!(answer.header("access-control-allow-origin"), Some(origin));
            assert_eq!(answer.header("access-control-expose-headers"), Some("x-request-id"));
            assert_eq!(answer.header("access-control-allow-credentials"), None);
            assert_eq!(answer.header("vary"), Some("Origin"));
        }
        let own = get(&site, PLAYBOOK, &[("origin", "http://127.0.0.1:8080"), ("authorization", &key)]).await;
        assert_eq!(own.status, StatusCode::OK);
        for origin in ["https://b.example", "null", "http://127.0.0.1:8081", "https://a.example.evil.example"] {
            let answer = get(&site, PLAYBOOK, &[("origin", origin), ("authorization", &key)]).await;
            problem(&answer, 403, "origin_not_allowed", "Origin not allowed", "origin_not_allowed");
            assert_eq!(answer.header("access-control-allow-origin"), None);
        }
    }
}

#[tokio::test]
async fn a_preflight_is_answered_before_the_key() {
    let (access, _) = keyed();
    let site = site(&Scripted::echo(), access);
    let headers = [("origin", "https://a.example"), ("access-control-request-method", "PUT")];
    let answer = ask(&site, "OPTIONS", PLAYBOOK, &headers).await;
    assert_eq!(answer.status, StatusCode::NO_CONTENT);
    assert_eq!(answer.header("access-control-allow-methods"), Some("GET, HEAD, POST, PUT"));
    assert_eq!(answer.header("access-control-allow-headers"), Some("authorization, content-type"));
    assert_eq!(answer.header("access-control-allow-origin"), Some("https://a.example"));
    let foreign = [("origin", "https://b.example"), ("access-control-request-method", "PUT")];
    let answer = ask(&site, "OPTIONS", PLAYBOOK, &foreign).await;
    problem(&answer, 403, "origin_not_allowed", "Origin not allowed", "origin_not_allowed");
}

#[tokio::test]
async fn the_root_is_a_page_without_script() {
    let site = site(&Scripted::echo(), Access::Local);
    let page = get(&site, "/", &[("accept", "text/html,application/xhtml+xml")]).await;
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    assert!(page.header("content-security-policy").is_some_and(|policy| policy.contains("default-src 'none'")));
    assert!(page.text().contains("<h1>") && !page.text().contains("<script"));
    problem(&get(&site, "/", &[("accept", "application/json")]).await, 404, "not_found", "Not found", "not_found");
    let posted = ask(&site, "POST", "/", &[("accept", "text/html")]).await;
    problem(&posted, 404, "not_found", "Not found", "not_found");
}

#[tokio::test]
async fn the_ui_is_served_from_its_folder_and_from_nowhere_else() {
    let outside = tempfile::tempdir().expect("a folder");
    let folder = outside.path().join("dist");
    std::fs::create_dir_all(folder.join("assets")).expect("a folder");
    std::fs::write(folder.join("index.html"), "<!doctype html><title>ui</title>").expect("a file");
    std::fs::write(folder.join("assets/app-1.js"), "let a = 1;").expect("a file");
    std::fs::write(outside.path().join("secret.txt"), "SECRET").expect("a file");
    #[cfg(unix)]
    std::os::unix::fs::symlink(outside.path().join("secret.txt"), folder.join("link.txt")).expect("a link");
    let ui = Ui::folder(folder).expect("a UI");
    let site = site_with(&Scripted::echo(), Access::Local, Some(ui), Origins::default());
    let html = [("accept", "text/html")];
    for path in ["/", "/runs/abc"] {
        let answer = get(&site, path, &html).await;
        assert_eq!(answer.text(), "<!doctype html><title>ui</title>", "{path}");
        assert!(answer.header("content-security-policy").is_some_and(|policy| policy.contains("script-src 'self'")));
    }
    let script = get(&site, "/assets/app-1.js", &[]).await;
    assert_eq!((script.text(), script.header("content-type")), ("let a = 1;", Some("text/javascript; charset=utf-8")));
    assert!(script.header("cache-control").is_some_and(|kept| kept.contains("immutable")));
    for path in ["/assets/none.js", "/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/link.txt", "/assets"]
    {
        let answer = get(&site, path, &[]).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
        assert!(!answer.text().contains("SECRET"), "{path}");
    }
    problem(&get(&site, "/v1/nothing", &html).await, 404, "not_found", "Not found", "not_found");
    problem(&get(&site, "/studio/api/nothing", &html).await, 404, "not_found", "Not found", "not_found");
    assert!(Ui::folder(outside.path().to_owned()).is_err());
}

#[tokio::test]
async fn the_description_is_openapi() {
    let site = site(&Scripted::echo(), Access::Local);
    let document = get(&site, "/openapi.json", &[]).await.json();
    assert_eq!(document["openapi"], "3.1.0");
    let runs = &document["paths"]["/v1/orgs/{org}/playbooks/{playbook}/runs"]["get"];
    assert_eq!(runs["operationId"], "list_runs");
}
