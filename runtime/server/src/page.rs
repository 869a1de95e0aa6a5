//! What a browser gets on `/`: a page without script, or the web UI where it was asked for.
//!
//! The UI is embedded when the program is built, or served from a folder.

use axum::body::Body;
use axum::response::Response;
use http::header::{ACCEPT, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use http::request::Parts;
use http::{HeaderValue, Method};
use percent_encoding::percent_decode_str;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// The UI as it was when the program was built; empty where it was not built before.
static EMBEDDED: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/ui.rs"));

/// What may stand on the page without script: nothing but its own style.
const PAGE_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

/// What the UI may do: its own files and its own server. Editors and diagrams set styles in place.
const UI_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
    img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; \
    manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const PAGE: &str = include_str!("page.html");

/// Where the web UI comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ui {
    /// From the program itself.
    Embedded,
    /// From the files of a folder.
    Folder(PathBuf),
}

/// Why there is no web UI, as a sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UiMissing {
    /// The program was built before its UI.
    #[error("This program was built without its web UI; build ui/ first, or name its built folder with --ui-dir.")]
    NotBuilt,
    /// The folder holds no UI.
    #[error("There is no index.html in the folder of the web UI.")]
    NoIndex,
}

impl Ui {
    /// The UI within the program.
    ///
    /// # Errors
    /// [`UiMissing::NotBuilt`] where the program was built without it.
    pub fn embedded() -> Result<Self, UiMissing> {
        if EMBEDDED.is_empty() { Err(UiMissing::NotBuilt) } else { Ok(Self::Embedded) }
    }

    /// The UI in a folder.
    ///
    /// # Errors
    /// [`UiMissing::NoIndex`] where the folder holds none.
    pub fn folder(folder: PathBuf) -> Result<Self, UiMissing> {
        if folder.join("index.html").is_file() { Ok(Self::Folder(folder)) } else { Err(UiMissing::NoIndex) }
    }

    async fn file(&self, name: &str) -> Option<Cow<'static, [u8]>> {
        match self {
            Self::Embedded => EMBEDDED.iter().find(|(other, _)| *other == name).map(|(_, bytes)| Cow::Borrowed(*bytes)),
            Self::Folder(folder) => read_below(folder, name).await.map(Cow::Owned),
        }
    }

    /// The file of a path, or the first page for a path of the UI's own; `None` for anything else.
    pub(crate) async fn answer(&self, parts: &Parts) -> Option<Response> {
        if !is_read(&parts.method) {
            return None;
        }
        let name = name_of(parts.uri.path())?;
        if name.is_empty() {
            return self.index().await;
        }
        if let Some(bytes) = self.file(&name).await {
            // Built files carry a digest in their names, so they never change under one.
            let kept = if name.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
            return Some(page(bytes, media_type(&name), kept, UI_POLICY));
        }
        let is_file = name.rsplit('/').next().is_some_and(|last| last.contains('.'));
        if !is_file && says_html(parts) { self.index().await } else { None }
    }

    async fn index(&self) -> Option<Response> {
        let bytes = self.file("index.html").await?;
        Some(page(bytes, "text/html; charset=utf-8", "no-cache", UI_POLICY))
    }
}

/// The page without script.
pub(crate) fn plain() -> Response {
    page(Cow::Borrowed(PAGE.as_bytes()), "text/html; charset=utf-8", "no-store", PAGE_POLICY)
}

/// Whether a request reads and takes HTML, as a browser's does.
pub(crate) fn wants_page(parts: &Parts) -> bool {
    let accepts =
        |value: &HeaderValue| value.to_str().is_ok_and(|text| text.contains("text/html") || text.contains("*/*"));
    let mut values = parts.headers.get_all(ACCEPT).iter().peekable();
    is_read(&parts.method) && (values.peek().is_none() || values.any(accepts))
}

fn says_html(parts: &Parts) -> bool {
    parts.headers.get(ACCEPT).and_then(|value| value.to_str().ok()).is_some_and(|text| text.contains("text/html"))
}

fn is_read(method: &Method) -> bool {
    method == Method::GET || method == Method::HEAD
}

fn page(bytes: Cow<'static, [u8]>, kind: &'static str, kept: &'static str, policy: &'static str) -> Response {
    let body = match bytes {
        Cow::Borrowed(bytes) => Body::from(bytes),
        Cow::Owned(bytes) => Body::from(bytes),
    };
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(kept));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    response
}

/// The name of a file as a path asks for it; `None` for a path that could lead out of the folder.
fn name_of(path: &str) -> Option<String> {
    let name = percent_decode_str(path.strip_prefix('/')?).decode_utf8().ok()?.into_owned();
    let safe = name.is_empty()
        || name.split('/').all(|part| !part.is_empty() && !part.starts_with('.') && !part.contains(['\\', ':', '\0']));
    safe.then_some(name)
}

/// Reads a file, if it really lies below the folder once links are followed.
async fn read_below(folder: &Path, name: &str) -> Option<Vec<u8>> {
    let folder = tokio::fs::canonicalize(folder).await.ok()?;
    let file = tokio::fs::canonicalize(folder.join(name)).await.ok()?;
    if !file.starts_with(&folder) || !tokio::fs::metadata(&file).await.ok()?.is_file() {
        return None;
    }
    tokio::fs::read(file).await.ok()
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "ico" => "image/x-icon",
        "woff" => "font/woff",
        "woff2" => "font/woff2",
        "ttf" => "font/ttf",
        "wasm" => "application/wasm",
        "txt" | "md" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_never_leads_out() {
        for path in ["/../a", "/a/../b", "/%2e%2e/a", "/a//b", "/a%5c..%5cb", "/c:/a", "/.git/config", "/%FF", "a"] {
            assert_eq!(name_of(path), None, "{path}");
        }
        assert_eq!(name_of("/assets/a%20b.js").as_deref(), Some("assets/a b.js"));
        assert_eq!(name_of("/").as_deref(), Some(""));
    }
}
