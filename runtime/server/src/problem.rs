//! Problem documents: every refusal in the form of RFC 9457.
//!
//! Spec "Problem documents". Knows HTTP and the reasons; knows no operation.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::header::{ALLOW, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderValue, StatusCode};
use playbook_model::ending::{Issue, Rejection};
use playbook_model::limits;
use playbook_model::refusal::{Refusal, problem_type, retry_after};
use serde_json::{Map, Value, json};
use uuid::Uuid;

/// Where the types of problems live.
const TYPES: &str = "https://on.auto/problems/";

/// A refusal on its way to a client.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    status: StatusCode,
    /// The last part of the type.
    word: String,
    reason: &'static str,
    detail: String,
    errors: Vec<Issue>,
    kind: Option<String>,
    because: Option<String>,
    instance: Option<String>,
    retry_after: Option<u32>,
    allow: Option<String>,
    challenge: Option<&'static str>,
    extra: Map<String, Value>,
}

/// The title of a type: short and fixed.
fn title(word: &str) -> &'static str {
    match word {
        "bad_request" => "Bad request",
        "unauthenticated" => "Unauthenticated",
        "forbidden" => "Forbidden",
        "origin_not_allowed" => "Origin not allowed",
        "not_found" => "Not found",
        "method_not_allowed" => "Method not allowed",
        "conflict" => "Conflict",
        "tools_called" => "Tools called",
        "effect_unknown" => "Effect unknown",
        "cancelled" => "Cancelled",
        "unanswered" => "Unanswered",
        "content_too_large" => "Content too large",
        "unsupported_media_type" => "Unsupported media type",
        "invalid_input" => "Invalid input",
        "client_closed_request" => "Client closed request",
        "unavailable" => "Unavailable",
        "tools_unfinished" => "Tools unfinished",
        "rebuilding" => "Rebuilding",
        _ => "Internal error",
    }
}

impl Problem {
    fn new(status: u16, reason: &'static str, detail: impl Into<String>) -> Self {
        Self {
            status: StatusCode::from_u16(status).expect("the statuses of the table are valid"),
            word: reason.to_owned(),
            reason,
            detail: detail.into(),
            errors: Vec::new(),
            kind: None,
            because: None,
            instance: None,
            retry_after: None,
            allow: None,
            challenge: None,
            extra: Map::new(),
        }
    }

    /// The request is not one the API takes.
    pub fn bad_request(detail: impl Into<String>) -> Self {
        Self::new(400, "bad_request", detail)
    }

    /// No such path, or no such thing.
    pub fn not_found(detail: impl Into<String>) -> Self {
        Self::new(404, "not_found", detail)
    }

    /// The path is there, the method is not; `allow` lists those that are.
    pub fn method_not_allowed(allow: String) -> Self {
        let mut problem = Self::new(405, "method_not_allowed", format!("This path takes {allow}."));
        problem.allow = Some(allow);
        problem
    }

    /// The body is over the bound.
    pub fn too_large() -> Self {
        let detail = format!("The body is larger than {} bytes.", limits::BODY_BYTES);
        Self::new(413, "content_too_large", detail)
    }

    /// The body is of a kind the API does not take.
    pub fn unsupported(detail: impl Into<String>) -> Self {
        Self::new(415, "unsupported_media_type", detail)
    }

    /// The origin or the host of the request is not allowed.
    pub fn origin(detail: impl Into<String>) -> Self {
        Self::new(403, "origin_not_allowed", detail)
    }

    /// No key was given.
    pub fn no_key() -> Self {
        let mut problem =
            Self::new(401, "unauthenticated", "This needs a key: send it as Authorization: Bearer, then the key.");
        problem.challenge = Some("Bearer");
        problem
    }

    /// A key was given that the server does not know.
    pub fn bad_key() -> Self {
        let mut problem = Self::new(401, "unauthenticated", "The server does not know this key.");
        problem.challenge = Some("Bearer error=\"invalid_token\"");
        problem
    }

    /// The authorization header is not in the form of one.
    pub fn bad_authorization(detail: &str) -> Self {
        let mut problem = Self::bad_request(detail);
        problem.challenge = Some("Bearer error=\"invalid_request\"");
        problem
    }

    /// The server stops; the same request may succeed soon.
    pub fn stopping() -> Self {
        let mut problem = Self::new(503, "unavailable", "The server is stopping; send the request again.");
        problem.retry_after = Some(5);
        problem
    }

    /// The client went away before its request was whole.
    pub fn client_gone() -> Self {
        Self::new(499, "client_closed_request", "The request ended before its body was whole.")
    }

    /// A breakdown of our own. The cause is logged under the incident's id and never shown.
    pub fn incident(id: &str) -> Self {
        let mut problem = Self::new(
            500,
            "internal",
            "The server made a mistake; its log says more under the id given here as instance.",
        );
        problem.instance = Some(format!("urn:uuid:{id}"));
        problem
    }

    /// A breakdown found here: logs its cause and makes its id.
    pub fn broke(cause: &dyn std::fmt::Display) -> Self {
        let id = Uuid::new_v4().to_string();
        tracing::error!(incident = %id, %cause, "a request broke down");
        Self::incident(&id)
    }

    /// An operation's refusal.
    #[must_use]
    pub fn refused(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Incident { id } => Self::incident(&id),
            Refusal::Rejected(rejection) => Self::rejected(rejection),
        }
    }

    fn rejected(rejection: Rejection) -> Self {
        let mut problem = Self::new(rejection.reason.status(), rejection.reason.word(), rejection.detail.clone());
        problem.word = problem_type(&rejection);
        problem.retry_after = retry_after(&rejection);
        problem.kind = rejection.kind.map(|kind| kind.word());
        problem.because = rejection.because;
        problem.errors = rejection.issues;
        problem.errors.truncate(limits::ERRORS_SHOWN);
        problem
    }

    /// The same with further members.
    #[must_use]
    pub fn extra(mut self, extra: Map<String, Value>) -> Self {
        self.extra = extra;
        self
    }

    /// The same to a caller with a key: a refusal for want of a permission says so in the header too.
    #[must_use]
    pub fn to_key(mut self) -> Self {
        if self.status == StatusCode::FORBIDDEN && self.reason == "forbidden" {
            self.challenge = Some("Bearer error=\"insufficient_scope\"");
        }
        self
    }

    /// The document.
    #[must_use]
    pub fn document(&self) -> Value {
        let mut document = Map::new();
        document.insert("type".into(), format!("{TYPES}{}", self.word).into());
        document.insert("title".into(), title(&self.word).into());
        document.insert("status".into(), self.status.as_u16().into());
        document.insert("detail".into(), self.detail.clone().into());
        document.insert("reason".into(), self.reason.into());
        if !self.errors.is_empty() || self.reason == "invalid_input" {
            let errors = self.errors.iter().map(|e| json!({"detail": e.detail, "pointer": e.pointer}));
            document.insert("errors".into(), errors.collect());
        }
        for (name, value) in [("kind", &self.kind), ("because", &self.because), ("instance", &self.instance)] {
            if let Some(value) = value {
                document.insert(name.into(), value.clone().into());
            }
        }
        for (name, value) in &self.extra {
            document.entry(name.clone()).or_insert_with(|| value.clone());
        }
        Value::Object(document)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(self.document().to_string()));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(seconds) = self.retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        if let Some(allow) = self.allow.as_deref().and_then(|text| HeaderValue::from_str(text).ok()) {
            headers.insert(ALLOW, allow);
        }
        if let Some(challenge) = self.challenge {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
        }
        response
    }
}
