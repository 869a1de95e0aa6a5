//! The window and its life: from the start of the runtime to its orderly end.

use crate::arguments::Open;
use crate::commands::{self, Start};
use crate::places::Places;
use crate::renderer::Renderer;
use crate::runtime::Runtime;
use crate::scheme;
use anyhow::{Context, Result};
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use http::{Response, StatusCode};
use std::sync::Arc;
use tauri::webview::NewWindowResponse;
use tauri::{AppHandle, Manager, RunEvent, Url, WebviewUrl, WebviewWindowBuilder};
use tauri_plugin_dialog::{DialogExt, MessageDialogKind};

/// The one window's name.
const WINDOW: &str = "main";

/// Reports the first picture with something on it, whatever page draws it.
const REPORT_PAINT: &str = "
new PerformanceObserver((list, observer) => {
  if (list.getEntriesByName('first-contentful-paint').length === 0) return;
  observer.disconnect();
  window.__TAURI_INTERNALS__.invoke('painted');
}).observe({ type: 'paint', buffered: true });
";

/// Opens the window and stays until it is closed.
///
/// # Errors
/// When the runtime or the window cannot start.
pub(crate) fn run(open: Open, places: Places, renderer: Renderer) -> Result<()> {
    let start = Start::now(renderer);
    let runtime = Arc::new(Runtime::start(&places));
    let (carrier, stopping) = (Arc::clone(&runtime), Arc::clone(&runtime));

    let app = tauri::Builder::default()
        .plugin(tauri_plugin_dialog::init())
        .manage(start)
        .invoke_handler(tauri::generate_handler![
            commands::pick_folder,
            commands::open_outside,
            commands::reveal,
            commands::painted
        ])
        .register_asynchronous_uri_scheme_protocol(scheme::NAME, move |context, request, responder| {
            if !scheme::is_runtime(request.uri().path()) {
                responder.respond(page(context.app_handle(), request.uri().path()));
                return;
            }
            let runtime = Arc::clone(&carrier);
            tauri::async_runtime::spawn(async move { responder.respond(runtime.answer(request).await) });
        })
        .setup(move |app| {
            let handle = app.handle().clone();
            tauri::async_runtime::spawn(async move {
                if let Err(sentence) = runtime.open(&open, &places).await {
                    handle
                        .dialog()
                        .message(sentence)
                        .title("Playbook Studio")
                        .kind(MessageDialogKind::Warning)
                        .show(|_| {});
                }
            });
            open_window(app.handle())?;
            tauri::async_runtime::spawn(end_on_signal(app.handle().clone()));
            Ok(())
        })
        .build(tauri::generate_context!())
        .context("the window could not be opened")?;

    app.run(move |app, event| {
        if let RunEvent::Exit = event {
            app.state::<Start>().succeeded("closed before the first paint");
            tauri::async_runtime::block_on(stopping.stop());
        }
    });
    Ok(())
}

fn open_window(app: &AppHandle) -> Result<()> {
    let address: Url = format!("{}://localhost/", scheme::NAME).parse().context("the page's address")?;
    WebviewWindowBuilder::new(app, WINDOW, WebviewUrl::CustomProtocol(address))
        .title("Playbook Studio")
        .inner_size(1280.0, 840.0)
        .min_inner_size(640.0, 480.0)
        .center()
        .zoom_hotkeys_enabled(true)
        .initialization_script(REPORT_PAINT)
        .on_navigation(|address| is_page(address) || open_in_browser(address))
        .on_new_window(|address, _| {
            open_in_browser(&address);
            NewWindowResponse::Deny
        })
        .build()
        .context("the window could not be made")?;
    Ok(())
}

/// Whether an address is the page's own; Windows has schemes as hosts.
fn is_page(address: &Url) -> bool {
    match address.scheme() {
        scheme::NAME => address.host_str() == Some("localhost"),
        "http" | "https" => address.host_str() == Some("rt.localhost"),
        "about" | "blob" => true,
        _ => false,
    }
}

/// A link out of the page opens in the person's browser, never in the window. Always says that the window stays.
fn open_in_browser(address: &Url) -> bool {
    if matches!(address.scheme(), "http" | "https" | "mailto")
        && let Err(error) = tauri_plugin_opener::open_url(address.as_str(), None::<&str>)
    {
        tracing::warn!(%error, "a link could not be opened in the browser");
    }
    false
}

/// A file of the page that was built in; an unknown path is the page itself, which knows its own addresses.
fn page(app: &AppHandle, path: &str) -> Response<Vec<u8>> {
    let wanted = if path == "/" { "index.html" } else { path };
    let Some(asset) = app.asset_resolver().get(wanted.to_owned()) else {
        let mut missing = Response::new(Vec::new());
        *missing.status_mut() = StatusCode::NOT_FOUND;
        return missing;
    };
    let mut answer = Response::builder().header(CONTENT_TYPE, asset.mime_type()).header(CACHE_CONTROL, "no-store");
    if let Some(policy) = asset.csp_header() {
        answer = answer.header(CONTENT_SECURITY_POLICY, policy);
    }
    answer.body(asset.bytes().to_vec()).unwrap_or_else(|error| {
        tracing::error!(%error, "a file of the page has a header that HTTP does not take");
        Response::new(Vec::new())
    })
}

/// A signal to end closes the window as the person would.
async fn end_on_signal(app: AppHandle) {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let (Ok(mut terminate), Ok(mut interrupt)) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
        else {
            return;
        };
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    }
    #[cfg(not(unix))]
    {
        if tokio::signal::ctrl_c().await.is_err() {
            return;
        }
    }
    app.exit(0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_page_stays_in_the_window() {
        let stays = |address: &str| is_page(&address.parse().unwrap());
        assert!(stays("rt://localhost/"));
        assert!(stays("http://rt.localhost/documents"));
        assert!(stays("about:blank"));
        assert!(!stays("rt://elsewhere/"));
        assert!(!stays("https://example.com/"));
        assert!(!stays("file:///etc/hosts"));
        assert!(!stays("javascript:void(0)"));
    }
}
