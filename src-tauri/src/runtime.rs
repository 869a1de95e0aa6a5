//! The runtime in this process: its router, what it opens first, and its end.

use crate::arguments::Open;
use crate::places::Places;
use crate::scheme;
use axum::Router;
use http::header::CONTENT_TYPE;
use http::{Request, Response};
use playbook_host::StandIns;
use playbook_host::studio::{Studio, StudioOptions};
use playbook_server::{Access, Origins, Site, SiteOptions};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// The longest the program waits for the runtime to put everything away.
const STOP_TIME: Duration = Duration::from_secs(15);

/// The longest the page's first request waits for the folder that the person named, so that Home does not flash up.
const OPEN_TIME: Duration = Duration::from_secs(3);

/// The runtime, started.
pub(crate) struct Runtime {
    studio: Studio,
    site: Site,
    router: Router,
    /// Whether what the person asked for at the start was opened, or refused.
    opened: watch::Sender<bool>,
}

impl Runtime {
    /// Starts it without a folder.
    pub(crate) fn start(places: &Places) -> Self {
        let studio = Studio::new(StudioOptions {
            data_dir: places.data().to_owned(),
            config_dir: places.config().to_owned(),
            host: "desktop",
            stand_ins: stand_ins(),
        });
        let behind = Arc::new(studio.clone());
        let site = Site::new(SiteOptions {
            operations: behind.clone(),
            workspace: Some(behind),
            access: Access::Within,
            origins: Origins::default(),
            ui: None,
        });
        let router = playbook_server::router(site.clone());
        Self { studio, site, router, opened: watch::Sender::new(false) }
    }

    /// The answer to one request of the page.
    pub(crate) async fn answer(&self, request: Request<Vec<u8>>) -> Response<Vec<u8>> {
        // A folder that takes longer is news to the page like any other change.
        let _ = tokio::time::timeout(OPEN_TIME, self.opened.subscribe().wait_for(|opened| *opened)).await;
        scheme::answer(self.router.clone(), request).await
    }

    /// Opens what the person asked for, through the same routes as the page.
    ///
    /// # Errors
    /// The sentence of the refusal.
    pub(crate) async fn open(&self, open: &Open, places: &Places) -> Result<(), String> {
        let opened = self.open_now(open, places).await;
        self.opened.send_replace(true);
        opened
    }

    async fn open_now(&self, open: &Open, places: &Places) -> Result<(), String> {
        match open {
            Open::Home => Ok(()),
            Open::Folder(path) => self.ask("/studio/api/folder/open", path).await,
            Open::Sample => {
                let path = places.sample();
                let there = path.join("playbook.yaml").exists();
                self.ask(if there { "/studio/api/folder/open" } else { "/studio/api/folder/sample" }, &path).await
            }
        }
    }

    async fn ask(&self, route: &str, folder: &Path) -> Result<(), String> {
        let whole = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let Some(path) = whole.to_str() else {
            return Err(
                "This folder's path is not text, so it cannot be opened: give the folder another name.".to_owned()
            );
        };
        let request = Request::post(format!("{}://localhost{route}", scheme::NAME))
            .header(CONTENT_TYPE, "application/json")
            .body(json!({ "path": path }).to_string().into_bytes())
            .map_err(|error| error.to_string())?;
        let response = scheme::answer(self.router.clone(), request).await;
        if response.status().is_success() {
            return Ok(());
        }
        let problem: Value = serde_json::from_slice(response.body()).unwrap_or_default();
        let words = format!("The folder could not be opened: the runtime answered {}.", response.status());
        Err(problem["detail"].as_str().map_or(words, str::to_owned))
    }

    /// Puts everything away: the log is closed, and so is every worker process.
    pub(crate) async fn stop(&self) {
        self.site.stop();
        if tokio::time::timeout(STOP_TIME, self.studio.stop()).await.is_err() {
            tracing::error!("the runtime did not stop in time");
        }
    }
}

/// Outputs in place of functions that a test of the window supplies; a release has none.
#[cfg(debug_assertions)]
fn stand_ins() -> StandIns {
    let Ok(outputs) = std::env::var("PLAYBOOK_TEST_STAND_INS") else { return StandIns::default() };
    StandIns::of_outputs(&outputs).unwrap_or_else(|why| {
        tracing::error!(why, "PLAYBOOK_TEST_STAND_INS is not read");
        StandIns::default()
    })
}

#[cfg(not(debug_assertions))]
fn stand_ins() -> StandIns {
    StandIns::default()
}
