//! The scheme `rt://localhost`: the page and the runtime under one origin, without an open port.
//!
//! The responder of a custom scheme takes whole answers only: a stream is refused, an answer is bounded in bytes and
//! in time. Knows requests and answers; must not know what any of them means.

use axum::Router;
use axum::body::Body;
use http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, Request, Response, StatusCode};
use serde_json::json;
use std::time::Duration;
use tower::ServiceExt;

/// The scheme's name.
pub(crate) const NAME: &str = "rt";

/// The most bytes of one answer: a page of the feed is at most a few megabytes.
const ANSWER_BYTES: usize = 64 * 1024 * 1024;
/// The longest one answer may take; longer than the page waits for changes (20 seconds) and than a run (10 seconds).
const ANSWER_TIME: Duration = Duration::from_secs(60);
/// What the runtime answers; the rest is the page.
const RUNTIME: [&str; 2] = ["/studio/api/", "/v1/"];

/// Whether a path is the runtime's, and not the page's.
pub(crate) fn is_runtime(path: &str) -> bool {
    RUNTIME.iter().any(|start| path.starts_with(start))
}

/// The runtime's answer to one request of the page, always whole and always an answer.
pub(crate) async fn answer(router: Router, request: Request<Vec<u8>>) -> Response<Vec<u8>> {
    answer_within(router, request, ANSWER_TIME, ANSWER_BYTES).await
}

async fn answer_within(router: Router, request: Request<Vec<u8>>, time: Duration, most: usize) -> Response<Vec<u8>> {
    if asks_for_a_stream(&request) {
        let words = "The desktop window carries whole answers only: ask for changes instead of a stream of events.";
        return problem(StatusCode::NOT_ACCEPTABLE, "Not acceptable", words);
    }
    // A task of its own: a panic in the runtime ends that task, and the page still gets its answer.
    let answering = tokio::spawn(tokio::time::timeout(time, whole(router, request, most)));
    match answering.await {
        Ok(Ok(response)) => response,
        Ok(Err(_)) => {
            let words = format!("The runtime did not answer within {} seconds. Try again.", time.as_secs());
            problem(StatusCode::GATEWAY_TIMEOUT, "Timed out", &words)
        }
        Err(error) => {
            tracing::error!(%error, "a request ended in a panic");
            let words = "The runtime broke down on this request. This is a mistake of the program; its log has more.";
            problem(StatusCode::INTERNAL_SERVER_ERROR, "Internal error", words)
        }
    }
}

fn asks_for_a_stream(request: &Request<Vec<u8>>) -> bool {
    request.headers().get_all(ACCEPT).iter().any(is_stream)
}

fn is_stream(value: &HeaderValue) -> bool {
    value.as_bytes().windows(b"text/event-stream".len()).any(|part| part.eq_ignore_ascii_case(b"text/event-stream"))
}

async fn whole(router: Router, request: Request<Vec<u8>>, most: usize) -> Response<Vec<u8>> {
    let (parts, body) = request.into_parts();
    let Ok(response) = router.oneshot(Request::from_parts(parts, Body::from(body))).await;
    let (mut parts, body) = response.into_parts();
    if parts.headers.get(CONTENT_TYPE).is_some_and(is_stream) {
        let words = "This answer is a stream of events, which the desktop window cannot carry.";
        return problem(StatusCode::NOT_ACCEPTABLE, "Not acceptable", words);
    }
    match axum::body::to_bytes(body, most).await {
        Ok(bytes) => {
            // An answer without content has none, whatever its length says.
            let bytes = if parts.status == StatusCode::NO_CONTENT { Vec::new() } else { bytes.to_vec() };
            parts.headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
            Response::from_parts(parts, bytes)
        }
        Err(error) => {
            tracing::error!(%error, "an answer could not be read whole");
            let words = format!("The answer is larger than the {} MiB that the window takes.", most / (1024 * 1024));
            problem(StatusCode::INTERNAL_SERVER_ERROR, "Internal error", &words)
        }
    }
}

/// A refusal in the form the page reads all refusals in.
fn problem(status: StatusCode, title: &str, detail: &str) -> Response<Vec<u8>> {
    let body = json!({ "type": "about:blank", "title": title, "status": status.as_u16(), "detail": detail });
    let mut response = Response::new(body.to_string().into_bytes());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::routing::{get, post};

    fn router() -> Router {
        Router::new()
            .route("/v1/echo", post(|body: String| async move { body }))
            .route("/v1/large", get(|| async { vec![b'x'; 2048] }))
            .route("/v1/none", get(|| async { (StatusCode::NO_CONTENT, "left over") }))
            .route("/v1/slow", get(std::future::pending::<String>))
            .route("/v1/panic", get(panics))
            .route("/v1/stream", get(|| async { ([(CONTENT_TYPE, "text/event-stream")], "data: 1\n\n") }))
    }

    async fn panics() -> String {
        panic!("on purpose")
    }

    fn request(path: &str) -> Request<Vec<u8>> {
        Request::get(format!("rt://localhost{path}")).body(Vec::new()).unwrap()
    }

    async fn ask(request: Request<Vec<u8>>) -> Response<Vec<u8>> {
        answer_within(router(), request, Duration::from_millis(200), 1024).await
    }

    fn detail(response: &Response<Vec<u8>>) -> String {
        assert_eq!(response.headers()[CONTENT_TYPE], "application/problem+json");
        let body: serde_json::Value = serde_json::from_slice(response.body()).unwrap();
        assert_eq!(body["status"], response.status().as_u16());
        body["detail"].as_str().unwrap().to_owned()
    }

    #[test]
    fn the_runtime_has_its_paths_and_the_page_the_rest() {
        assert!(is_runtime("/studio/api/state"));
        assert!(is_runtime("/v1/orgs/local/playbooks/p/runs"));
        assert!(!is_runtime("/"));
        assert!(!is_runtime("/assets/v1/index.js"));
    }

    #[tokio::test]
    async fn a_request_and_its_answer_come_through_whole() {
        let sent = Request::post("rt://localhost/v1/echo").body(b"words".to_vec()).unwrap();
        let response = ask(sent).await;
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.body(), b"words");
        assert_eq!(response.headers()[CACHE_CONTROL], "no-store");
    }

    #[tokio::test]
    async fn an_unknown_path_is_not_found() {
        assert_eq!(ask(request("/v1/nothing")).await.status(), StatusCode::NOT_FOUND);
    }

    #[tokio::test]
    async fn a_stream_is_refused_whoever_asks() {
        let mut asked = request("/v1/echo");
        asked.headers_mut().insert(ACCEPT, HeaderValue::from_static("text/html, Text/Event-Stream"));
        let refused = ask(asked).await;
        assert_eq!(refused.status(), StatusCode::NOT_ACCEPTABLE);
        assert!(detail(&refused).contains("changes"));
        assert_eq!(ask(request("/v1/stream")).await.status(), StatusCode::NOT_ACCEPTABLE);
    }

    #[tokio::test]
    async fn an_answer_is_bounded_in_bytes() {
        let response = ask(request("/v1/large")).await;
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
        assert!(detail(&response).contains("larger"));
    }

    #[tokio::test]
    async fn an_answer_is_bounded_in_time() {
        let response = ask(request("/v1/slow")).await;
        assert_eq!(response.status(), StatusCode::GATEWAY_TIMEOUT);
        assert!(detail(&response).contains("did not answer"));
    }

    #[tokio::test]
    async fn a_panic_is_an_answer_too() {
        let response = ask(request("/v1/panic")).await;
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
        assert!(detail(&response).contains("mistake of the program"));
    }

    #[tokio::test]
    async fn an_answer_without_content_has_none() {
        let response = ask(request("/v1/none")).await;
        assert_eq!(response.status(), StatusCode::NO_CONTENT);
        assert!(response.body().is_empty());
    }
}
