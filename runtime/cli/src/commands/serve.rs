//! `playbook serve`: playbooks over HTTP, and the Studio in the browser.

use crate::arguments::Serve;
use crate::ended::{Done, Ended, Failure, cannot};
use crate::logging;
use crate::opened::{of_runtime, settings};
use crate::output::Output;
use crate::places;
use crate::signals;
use playbook_host::studio::Studio;
use playbook_host::{Place, Runtime};
use playbook_model::refusal::Refusal;
use playbook_server::settings::Settings;
use playbook_server::{Access, Running, Site, SiteOptions, Ui, is_loopback};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What is served.
enum Served {
    /// Many playbooks of one log.
    Log(Runtime),
    /// The Studio, with a folder or with none yet.
    Studio(Studio),
}

/// Serves until it is asked to end.
pub(crate) async fn serve(asked: &Serve, folder: Option<&Path>, out: &mut Output) -> Done {
    let settings = settings()?;
    logging::of_server(settings.log_format);
    let address = address(asked, &settings);
    let access = access(&settings, &address);
    let ui = ui(asked)?;
    let what = place(asked, folder, &settings);
    let served = open(what, ui.is_some(), &settings, &access).await?;
    let done = until_asked(&served, ui, access, &settings, &address, out).await;
    match served {
        Served::Log(runtime) => runtime.stop().await,
        Served::Studio(studio) => studio.stop().await,
    }
    done
}

async fn until_asked(
    served: &Served,
    ui: Option<Ui>,
    access: Access,
    settings: &Settings,
    address: &str,
    out: &mut Output,
) -> Done {
    let origins = settings.origins.clone();
    let site = Site::new(match served {
        Served::Log(runtime) => {
            SiteOptions { operations: Arc::new(runtime.clone()), workspace: None, access, origins, ui }
        }
        Served::Studio(studio) => {
            let studio = Arc::new(studio.clone());
            SiteOptions { operations: studio.clone(), workspace: Some(studio), access, origins, ui }
        }
    });
    let running: Running = playbook_server::serve(site, address).await.map_err(cannot)?;
    let told = out.line(&format!("Playbook listens on http://{}", running.address()));
    if let Err(failure) = told {
        running.stop().await;
        return Err(failure);
    }
    let asked = signals::asked_to_end().await;
    tracing::info!("stopping");
    tokio::select! {
        () = running.stop() => {}
        // Whoever asks twice means at once.
        _ = signals::asked_to_end() => tracing::warn!("stopped before every answer was given"),
    }
    asked.map_err(cannot)?;
    Ok(Ended::Fine)
}

fn address(asked: &Serve, settings: &Settings) -> String {
    if let Some(listen) = &asked.listen {
        return listen.clone();
    }
    // Without keys nobody from elsewhere is let in anyway.
    let unless = if settings.keys.is_empty() { "127.0.0.1" } else { "0.0.0.0" };
    let host = settings.host.as_deref().unwrap_or(unless);
    let port = settings.port.unwrap_or(8080);
    if host.contains(':') && !host.starts_with('[') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

/// Keys where there are any; else this machine alone, unless that is switched off.
fn access(settings: &Settings, address: &str) -> Access {
    if !settings.keys.is_empty() {
        if settings.local_mode == Some(true) {
            tracing::warn!("LOCAL_MODE is on and keys are set: the keys are asked for");
        }
        return Access::Keys(settings.keys.clone());
    }
    match settings.local_mode {
        Some(true) => Access::Local,
        None if is_loopback(address) => Access::Local,
        _ => Access::Nobody,
    }
}

fn ui(asked: &Serve) -> Result<Option<Ui>, Failure> {
    match (&asked.ui_dir, asked.ui) {
        (Some(folder), _) => Ui::folder(folder.clone()).map(Some).map_err(cannot),
        (None, true) => Ui::embedded().map(Some).map_err(cannot),
        (None, false) => Ok(None),
    }
}

enum What {
    Log(Place),
    Folder(PathBuf),
    /// Nothing was named.
    Unsaid,
}

fn place(asked: &Serve, folder: Option<&Path>, settings: &Settings) -> What {
    if let Some(data) = &asked.data {
        return What::Log(Place::Data(data.clone()));
    }
    if let Some(folder) = folder {
        return What::Folder(folder.to_path_buf());
    }
    match &settings.ledger_file {
        Some(file) => What::Log(Place::File(file.clone())),
        None => What::Unsaid,
    }
}

async fn open(what: What, with_ui: bool, settings: &Settings, access: &Access) -> Result<Served, Failure> {
    let folder = match what {
        What::Log(_) if with_ui => {
            return Err(cannot(
                "The Studio works on a folder: use --ui with --folder, or alone to open one in the browser",
            ));
        }
        What::Log(place) => return log(place, settings).await,
        What::Unsaid if !with_ui => return log(Place::Data("data".into()), settings).await,
        What::Unsaid => None,
        What::Folder(folder) => Some(folder),
    };
    if *access != Access::Local {
        return Err(cannot(
            "A folder is served in local mode only: without API_KEYS, without LOCAL_MODE=false, on a loopback address such as 127.0.0.1",
        ));
    }
    let studio = Studio::new(places::studio()?);
    if let Some(folder) = folder {
        let whole = std::path::absolute(&folder).map_err(cannot)?;
        if let Err(refused) = studio.open(&whole).await {
            studio.stop().await;
            return Err(match refused.refusal {
                Refusal::Rejected(rejection) => cannot(rejection.detail),
                incident @ Refusal::Incident { .. } => Failure::Refused(incident),
            });
        }
    }
    Ok(Served::Studio(studio))
}

async fn log(place: Place, settings: &Settings) -> Result<Served, Failure> {
    Ok(Served::Log(Runtime::open(place, of_runtime(settings)).await.map_err(cannot)?))
}
