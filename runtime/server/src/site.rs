//! One request after the other: the checks in the order of the spec, then the operation.
//!
//! Spec "Order of checks per request": request id and security headers, root page, host and origin, preflight,
//! authentication, then the operation. Knows the seams and no runtime.

use crate::body;
use crate::input;
use crate::keys::{self, Key};
use crate::markdown;
use crate::openapi;
use crate::origin::{self, Hosts, Origins};
use crate::page::{self, Ui};
use crate::problem::Problem;
use crate::route::{Found, Routes};
use crate::seam::{Operations, Route, Workspace};
use axum::body::Body;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_TYPE, EXPECT, ORIGIN, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use http::request::Parts;
use http::{HeaderName, HeaderValue, Method, StatusCode};
use playbook_host::api::{self, Caller, OPERATIONS, Operation};
use playbook_model::ending::{Issue, Reason, Rejection};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::watch;
use uuid::Uuid;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Who may call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    /// Anyone on this machine, with every permission, and only under a name of this machine.
    Local,
    /// Whoever shows one of these keys.
    Keys(Vec<Key>),
    /// Nobody: no key is set, and local mode is off.
    Nobody,
    /// The program the site is part of: a window of its own asks without a network between.
    Within,
}

/// Everything one address answers, ready to serve.
#[derive(Clone)]
pub struct Site(Arc<Inside>);

struct Inside {
    operations: Arc<dyn Operations>,
    workspace: Option<Arc<dyn Workspace>>,
    access: Access,
    origins: Origins,
    ui: Option<Ui>,
    routes: Routes<Target>,
    stopping: watch::Sender<bool>,
}

#[derive(Debug, Clone, Copy)]
enum Target {
    Health,
    OpenApi,
    Markdown,
    Operation(&'static Operation),
    Workspace(Route),
}

/// What a [`Site`] is made of.
pub struct SiteOptions {
    /// Who performs the operations.
    pub operations: Arc<dyn Operations>,
    /// The Studio's own API, where a folder is worked on. Served in local mode and within a program alone.
    pub workspace: Option<Arc<dyn Workspace>>,
    /// Who may call.
    pub access: Access,
    /// The origins that may call.
    pub origins: Origins,
    /// The web UI, where it was asked for.
    pub ui: Option<Ui>,
}

impl Site {
    /// A site of these parts.
    #[must_use]
    pub fn new(options: SiteOptions) -> Self {
        let private = matches!(options.access, Access::Local | Access::Within);
        let workspace = options.workspace.filter(|_| private);
        let mut routes =
            vec![(api::Method::Get, "/health", Target::Health), (api::Method::Get, "/openapi.json", Target::OpenApi)];
        routes.extend(OPERATIONS.iter().map(|op| (op.method, op.path, Target::Operation(op))));
        if let Some(workspace) = &workspace {
            routes.push((api::Method::Post, "/studio/api/format/markdown", Target::Markdown));
            let own = workspace.routes().into_iter().filter(|route| route.path != "/studio/api/format/markdown");
            routes.extend(own.map(|route| (route.method, route.path, Target::Workspace(route))));
        }
        Self(Arc::new(Inside {
            operations: options.operations,
            workspace,
            access: options.access,
            origins: options.origins,
            ui: options.ui,
            routes: Routes::new(routes),
            stopping: watch::Sender::new(false),
        }))
    }

    /// Who may call.
    #[must_use]
    pub fn access(&self) -> &Access {
        &self.0.access
    }

    /// From now on commands are refused as `unavailable`, and whoever waits for news is sent away.
    pub fn stop(&self) {
        self.0.stopping.send_replace(true);
    }

    /// Answers one request.
    pub async fn answer(&self, request: Request) -> Response {
        let id = Uuid::now_v7().to_string();
        let (parts, mut body) = request.into_parts();
        let watched = Watched::new(&id, &parts.method);
        let mut response = match self.respond(&parts, &mut body).await {
            Ok(response) => response,
            Err(problem) => problem.into_response(),
        };
        let unread = response.status().as_u16() >= 400 && !http_body::Body::is_end_stream(&body);
        if unread && !parts.headers.contains_key(EXPECT) {
            body::drain(body).await;
        }
        watched.answered(response.status());
        let headers = response.headers_mut();
        if let Ok(id) = HeaderValue::from_str(&id) {
            headers.insert(REQUEST_ID, id);
        }
        headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
        origin::mark(headers, parts.headers.get(ORIGIN), &self.0.origins);
        if parts.method == Method::HEAD {
            *response.body_mut() = Body::empty();
        }
        response
    }

    async fn respond(&self, parts: &Parts, body: &mut Body) -> Result<Response, Problem> {
        let path = parts.uri.path();
        if path == "/" {
            return self.root(parts).await;
        }
        if self.0.access != Access::Within {
            let hosts = if self.0.access == Access::Local { Hosts::Loopback } else { Hosts::Any };
            origin::check(parts, &self.0.origins, hosts)?;
        }
        if origin::is_preflight(parts) {
            let mut response = StatusCode::NO_CONTENT.into_response();
            origin::preflight(response.headers_mut());
            return Ok(response);
        }
        let found = self.0.routes.find(path, &parts.method);
        if let Found::Route(Target::Health, _) = found {
            return Ok(json_answer(200, &json!({"status": "ok"})));
        }
        if let (Found::Nothing, Some(ui), false) = (&found, &self.0.ui, is_api(path))
            && let Some(response) = ui.answer(parts).await
        {
            return Ok(response);
        }
        let caller = self.caller(parts)?;
        match found {
            Found::Nothing => Err(Problem::not_found("There is nothing at this path.")),
            Found::Unreadable => Err(Problem::bad_request("The path is not UTF-8 once it is decoded.")),
            Found::OtherMethod(allow) => Err(Problem::method_not_allowed(allow)),
            Found::Route(target, path) => self.perform(target, caller, input::of_path(path), parts, body).await,
        }
    }

    async fn root(&self, parts: &Parts) -> Result<Response, Problem> {
        if page::wants_page(parts) {
            return match &self.0.ui {
                None => Ok(page::plain()),
                Some(ui) => {
                    ui.answer(parts).await.ok_or_else(|| Problem::not_found("The web UI has lost its first page."))
                }
            };
        }
        Err(Problem::not_found("There is nothing at this path but a page for browsers."))
    }

    fn caller(&self, parts: &Parts) -> Result<Caller, Problem> {
        match &self.0.access {
            Access::Local | Access::Within => Ok(Caller::local()),
            Access::Keys(keys) => keys::caller(&parts.headers, keys),
            Access::Nobody => keys::caller(&parts.headers, &[]),
        }
    }

    async fn perform(
        &self,
        target: Target,
        caller: Caller,
        path: Map<String, Value>,
        parts: &Parts,
        body: &mut Body,
    ) -> Result<Response, Problem> {
        match target {
            Target::Health => Ok(json_answer(200, &json!({"status": "ok"}))),
            Target::OpenApi => Ok(json_answer(200, openapi::document())),
            Target::Markdown => {
                let fields = input::of_command(path, parts, body).await?;
                // Hostile Markdown takes its time, which others must not wait for.
                let rendering = tokio::task::spawn_blocking(move || rendered(&fields));
                let html = rendering.await.map_err(|broken| Problem::broke(&broken))??;
                Ok(json_answer(200, &html))
            }
            Target::Operation(operation) => self.operation(operation, caller, path, parts, body).await,
            Target::Workspace(route) => self.workspace(route, path, parts, body).await,
        }
    }

    async fn operation(
        &self,
        operation: &'static Operation,
        caller: Caller,
        path: Map<String, Value>,
        parts: &Parts,
        body: &mut Body,
    ) -> Result<Response, Problem> {
        let by_key = matches!(self.0.access, Access::Keys(_));
        let refused = |refusal| {
            let problem = Problem::refused(refusal);
            if by_key { problem.to_key() } else { problem }
        };
        self.0.operations.admit(operation, &caller, &path).map_err(refused)?;
        let fields = if operation.is_query() {
            input::of_query(path, parts, body, |name, text| api::from_query(operation, name, text))?
        } else {
            self.unless_stopping()?;
            input::of_command(path, parts, body).await?
        };
        // On a task of its own, since a command goes on when its client goes away.
        let later = self.0.operations.call(operation, caller, fields);
        match tokio::spawn(later).await {
            Ok(Ok(value)) => Ok(json_answer(operation.success, &value)),
            Ok(Err(refusal)) => Err(refused(refusal)),
            Err(broken) => Err(Problem::broke(&broken)),
        }
    }

    async fn workspace(
        &self,
        route: Route,
        path: Map<String, Value>,
        parts: &Parts,
        body: &mut Body,
    ) -> Result<Response, Problem> {
        let Some(workspace) = &self.0.workspace else {
            return Err(Problem::not_found("There is nothing at this path."));
        };
        let query = route.method == api::Method::Get;
        let fields = if query {
            input::of_query(path, parts, body, |_, text| text.into())?
        } else {
            self.unless_stopping()?;
            input::of_command(path, parts, body).await?
        };
        let mut task = tokio::spawn(workspace.call(route, fields));
        let mut stopping = self.0.stopping.subscribe();
        let ended = tokio::select! {
            ended = &mut task => ended,
            // Whoever waits for news would hold the server up; a command is waited for.
            () = async { let _ = stopping.wait_for(|stopping| *stopping).await; }, if query => {
                task.abort();
                return Err(Problem::stopping());
            }
        };
        match ended {
            Ok(Ok(mut value)) => {
                markdown::add_overviews(&mut value);
                Ok(json_answer(200, &value))
            }
            Ok(Err(refused)) => Err(Problem::refused(refused.refusal).extra(refused.extra)),
            Err(broken) => Err(Problem::broke(&broken)),
        }
    }

    fn unless_stopping(&self) -> Result<(), Problem> {
        if *self.0.stopping.borrow() { Err(Problem::stopping()) } else { Ok(()) }
    }
}

fn is_api(path: &str) -> bool {
    path.starts_with("/v1/") || path.starts_with("/studio/api/")
}

fn rendered(fields: &Map<String, Value>) -> Result<Value, Problem> {
    match fields.get("text").and_then(Value::as_str) {
        Some(text) if fields.len() == 1 && text.len() <= markdown::TEXT_BYTES => {
            Ok(json!({"html": markdown::render(text)}))
        }
        _ => {
            let detail =
                format!("Expected one field, text, that holds at most {} bytes of Markdown", markdown::TEXT_BYTES);
            let issue = Issue { detail, pointer: "/text".into() };
            let rejection = Rejection::new(Reason::InvalidInput, "The input does not fit.").issues(vec![issue]);
            Err(Problem::refused(rejection.into()))
        }
    }
}

fn json_answer(status: u16, value: &Value) -> Response {
    let mut response = Response::new(Body::from(value.to_string()));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// Logs how a request ended; one dropped before it was answered lost its client.
struct Watched<'a> {
    id: &'a str,
    method: &'a Method,
    started: Instant,
    open: bool,
}

impl<'a> Watched<'a> {
    fn new(id: &'a str, method: &'a Method) -> Self {
        Self { id, method, started: Instant::now(), open: true }
    }

    fn answered(mut self, status: StatusCode) {
        self.open = false;
        self.log(status.as_u16());
    }

    fn log(&self, status: u16) {
        let milliseconds = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        tracing::info!(request = %self.id, method = %self.method, status, milliseconds, "request");
    }
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        if self.open {
            self.log(499);
        }
    }
}
