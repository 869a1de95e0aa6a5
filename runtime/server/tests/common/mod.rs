//! Operations that answer as told and remember what they were asked, and requests in process.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its part")]

use axum::body::{Body, to_bytes};
use http::{HeaderMap, Request, StatusCode};
use playbook_host::api::{Caller, Method, Operation};
use playbook_model::ending::{Kind, Reason, Rejection};
use playbook_model::refusal::Refusal;
use playbook_server::seam::{Later, Operations, Route, Workspace, WorkspaceRefusal};
use playbook_server::{Access, Origins, Site, SiteOptions, Ui, router};
use serde_json::{Map, Value, json};
use std::sync::{Arc, Mutex};
use tower::ServiceExt as _;

/// One call that arrived.
#[derive(Debug, Clone)]
pub struct Call {
    pub operation: &'static str,
    pub caller: Caller,
    pub input: Value,
}

type Script = dyn Fn(&'static Operation, &Map<String, Value>) -> Later<Result<Value, Refusal>> + Send + Sync;

/// Operations that follow a script.
#[derive(Clone)]
pub struct Scripted {
    calls: Arc<Mutex<Vec<Call>>>,
    script: Arc<Script>,
}

impl Scripted {
    /// Answers every operation with its own input.
    pub fn echo() -> Self {
        Self::new(|operation, input| {
            let answer = json!({"operation": operation.name, "input": input});
            Box::pin(async move { Ok(answer) })
        })
    }

    /// Refuses every operation.
    pub fn refusing(refusal: Refusal) -> Self {
        Self::new(move |_, _| {
            let refusal = refusal.clone();
            Box::pin(async move { Err(refusal) })
        })
    }

    pub fn new(
        script: impl Fn(&'static Operation, &Map<String, Value>) -> Later<Result<Value, Refusal>> + Send + Sync + 'static,
    ) -> Self {
        Self { calls: Arc::default(), script: Arc::new(script) }
    }

    pub fn calls(&self) -> Vec<Call> {
        self.calls.lock().expect("no test panics within").clone()
    }
}

impl Operations for Scripted {
    fn call(
        &self,
        operation: &'static Operation,
        caller: Caller,
        input: Map<String, Value>,
    ) -> Later<Result<Value, Refusal>> {
        let later = (self.script)(operation, &input);
        let call = Call { operation: operation.name, caller, input: Value::Object(input) };
        self.calls.lock().expect("no test panics within").push(call);
        later
    }

    fn admit(&self, _: &'static Operation, _: &Caller, path: &Map<String, Value>) -> Result<(), Refusal> {
        match path.get("org") {
            Some(Value::String(org)) if org == "foreign" => {
                Err(Rejection::new(Reason::Forbidden, "The caller may not.").into())
            }
            _ => Ok(()),
        }
    }
}

/// A Studio API of three routes.
pub struct Folder;

impl Workspace for Folder {
    fn routes(&self) -> Vec<Route> {
        vec![
            Route { method: Method::Get, path: "/studio/api/changes" },
            Route { method: Method::Post, path: "/studio/api/check" },
            Route { method: Method::Put, path: "/studio/api/documents/{type}/{name}" },
        ]
    }

    fn call(&self, route: Route, params: Map<String, Value>) -> Later<Result<Value, WorkspaceRefusal>> {
        Box::pin(async move {
            match route.path {
                "/studio/api/changes" if params.contains_key("after") => std::future::pending().await,
                "/studio/api/check" => Ok(json!({"judged": "yes", "overview_markdown": "**a**"})),
                "/studio/api/changes" => Ok(json!({"seq": 1, "changes": []})),
                _ => {
                    let rejection = Rejection::new(Reason::Conflict, "The file changed.").kind(Kind::ConcurrentChange);
                    let mut extra = Map::new();
                    extra.insert("theirs".into(), params.get("text").cloned().unwrap_or(Value::Null));
                    extra.insert("status".into(), json!(200));
                    Err(WorkspaceRefusal { refusal: rejection.into(), extra })
                }
            }
        })
    }
}

pub fn site(operations: &Scripted, access: Access) -> Site {
    site_with(operations, access, None, Origins::new(["https://a.example".into()]).expect("an origin"))
}

pub fn site_with(operations: &Scripted, access: Access, ui: Option<Ui>, origins: Origins) -> Site {
    Site::new(SiteOptions {
        operations: Arc::new(operations.clone()),
        workspace: Some(Arc::new(Folder)),
        access,
        origins,
        ui,
    })
}

/// What came back.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub bytes: Vec<u8>,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).expect("the answer is JSON")
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().expect("a text"))
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes).expect("a text")
    }
}

pub async fn send(site: &Site, request: Request<Body>) -> Answer {
    let response = router(site.clone()).oneshot(request).await.expect("a router always answers");
    let (parts, body) = response.into_parts();
    let bytes = to_bytes(body, usize::MAX).await.expect("a whole body").to_vec();
    Answer { status: parts.status, headers: parts.headers, bytes }
}

/// A request to a local site.
pub fn request(method: &str, target: &str) -> http::request::Builder {
    Request::builder().method(method).uri(target).header("host", "localhost:8080")
}

pub async fn get(site: &Site, target: &str) -> Answer {
    send(site, request("GET", target).body(Body::empty()).expect("a request")).await
}

pub async fn command(site: &Site, method: &str, target: &str, body: impl Into<Body>) -> Answer {
    let request = request(method, target).header("content-type", "application/json").body(body.into());
    send(site, request.expect("a request")).await
}

/// Checks that an answer is a problem document, whole, and gives it.
#[track_caller]
pub fn problem(answer: &Answer, status: u16, word: &str, title: &str, reason: &str) -> Value {
    assert_eq!(answer.status.as_u16(), status, "{}", answer.text());
    assert_eq!(answer.header("content-type"), Some("application/problem+json"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert!(answer.header("x-request-id").is_some_and(|id| id.len() == 36));
    let document = answer.json();
    assert_eq!(document["type"], format!("https://on.auto/problems/{word}"));
    assert_eq!(document["title"], title);
    assert_eq!(document["status"], status);
    assert_eq!(document["reason"], reason);
    assert!(document["detail"].as_str().is_some_and(|detail| detail.ends_with('.')), "{document}");
    document
}

pub const ORG: &str = "/v1/orgs/acme";
pub const PLAYBOOK: &str = "/v1/orgs/acme/playbooks/campaigns";
