//! The open folder: opening, watching, closing.

use super::views::Notes;
use super::{Answer, Input, Studio, StudioRefusal, invalid, recent};
use crate::clock::Clock;
use crate::folder::{self, FileError, Folder, PlaybookFile, Stray, standing};
use crate::runtime::{OpenError, Place, Runtime, Settings};
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use playbook_model::definition::DefinitionType;
use playbook_model::ending::{Kind, Reason, Rejection};
use playbook_model::id::{PlaybookId, PlaybookKey};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::mpsc;

/// How long the folder must be quiet before what was changed outside is read.
const QUIET: Duration = Duration::from_millis(150);

/// An open folder.
pub(super) struct Open {
    pub(super) folder: Folder,
    pub(super) playbook: Mutex<PlaybookFile>,
    pub(super) key: PlaybookKey,
    pub(super) runtime: Runtime,
    /// Why a passing document was not recorded, by its key's text.
    pub(super) unrecorded: Mutex<std::collections::HashMap<String, String>>,
    /// What is known of its views beside what is kept.
    pub(super) views: Notes,
    /// Watches until the folder is closed.
    _watcher: Option<RecommendedWatcher>,
    tasks: Mutex<Vec<tokio::task::JoinHandle<()>>>,
}

impl Studio {
    pub(super) async fn state(&self) -> Answer {
        let folder = match self.opened() {
            Ok(open) => match self.folder_view(&open).await {
                Ok(folder) => folder,
                // A folder that vanished is told as such by its own route; the rest of the Studio goes on.
                Err(_) => json!({ "path": open.folder.path(), "documents": [], "problems": [] }),
            },
            Err(_) => Value::Null,
        };
        let compiler = match self.0.unready.lock().expect("no holder panics").clone() {
            None => json!({ "ready": true }),
            Some(sentence) => json!({ "ready": false, "sentence": sentence }),
        };
        Ok(json!({
            "program": { "name": "Playbook Studio", "version": env!("CARGO_PKG_VERSION") },
            "host": self.0.options.host,
            "folder": folder,
            "recent": recent::list(&self.0.options.config_dir),
            "compiler": compiler,
        }))
    }

    pub(super) async fn open_folder(&self, given: &Input) -> Answer {
        self.open(Path::new(given.text("path")?)).await
    }

    pub(super) async fn new_sample(&self, given: &Input) -> Answer {
        let path = PathBuf::from(given.text("path")?);
        folder::create_sample(&path).map_err(|why| file_refusal(&why))?;
        self.open(&path).await
    }

    pub(super) async fn new_folder(&self, given: &Input) -> Answer {
        let id = PlaybookId::new(given.text("playbook")?).map_err(|why| invalid("playbook", why.to_string()))?;
        let name = given.text("name")?.trim().to_owned();
        if name.is_empty() || name.chars().count() > 100 {
            return Err(invalid("name", "Expected a name of 1 to 100 characters".into()));
        }
        let description = given.maybe("description").unwrap_or_default().trim().to_owned();
        let path = PathBuf::from(given.text("path")?);
        folder::create(&path, &PlaybookFile { id, name, description }).map_err(|why| file_refusal(&why))?;
        self.open(&path).await
    }

    /// Opens a folder in place of the one that is open.
    ///
    /// # Errors
    /// No playbook, a log that is locked, damaged or newer: each one sentence. The folder before stays open then.
    pub async fn open(&self, path: &Path) -> Answer {
        let _turn = self.0.turning.lock().await;
        let (folder, playbook) = Folder::open(path).map_err(|why| file_refusal(&why))?;
        let same = self.opened().is_ok_and(|open| open.folder.path() == folder.path());
        if same {
            let open = self.opened()?;
            return self.folder_view(&open).await;
        }
        let place = Place::Folder(folder.path().to_path_buf());
        let settings = Settings { stand_ins: self.0.options.stand_ins.clone(), ..Settings::default() };
        let runtime = Runtime::open_with(place, settings, self.0.compiler.clone(), Clock::system())
            .await
            .map_err(|why| open_refusal(&why))?;
        let key = match runtime.adopt(&playbook).await {
            Ok(key) => key,
            Err(refusal) => {
                runtime.stop().await;
                return Err(refusal.into());
            }
        };
        let (changed, mut heard) = mpsc::channel(1);
        let watcher = watch(folder.path(), changed);
        let open = Arc::new(Open {
            folder,
            playbook: Mutex::new(playbook.clone()),
            key,
            runtime,
            unrecorded: Mutex::default(),
            views: Notes::default(),
            _watcher: watcher,
            tasks: Mutex::default(),
        });
        self.close_now().await;
        *self.0.open.lock().expect("no holder panics") = Some(open.clone());
        recent::add(&self.0.options.config_dir, open.folder.path(), &playbook.name, playbook.id.as_str());
        self.take_files(&open).await;
        let mut tasks = Vec::new();
        let (studio, outside) = (self.clone(), open.clone());
        tasks.push(tokio::spawn(async move {
            while heard.recv().await.is_some() {
                while tokio::time::timeout(QUIET, heard.recv()).await.is_ok_and(|more| more.is_some()) {}
                studio.take_files(&outside).await;
                studio.0.changes.add(json!({ "topic": "documents" }));
            }
        }));
        let (studio, mut appended, mut moved) = (self.clone(), open.runtime.follow(), open.runtime.view_moves());
        tasks.push(tokio::spawn(async move {
            loop {
                let topic = tokio::select! {
                    changed = appended.changed() => { if changed.is_err() { return } "log" }
                    changed = moved.changed() => { if changed.is_err() { return } "views" }
                };
                studio.0.changes.add(json!({ "topic": topic }));
                // At most ten tellings a second, however fast the log grows.
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }));
        open.tasks.lock().expect("no holder panics").extend(tasks);
        self.0.changes.add(json!({ "topic": "folder" }));
        self.folder_view(&open).await
    }

    pub(super) async fn close(&self) {
        let _turn = self.0.turning.lock().await;
        self.close_now().await;
        self.0.changes.add(json!({ "topic": "folder" }));
    }

    async fn close_now(&self) {
        let open = self.0.open.lock().expect("no holder panics").take();
        if let Some(open) = open {
            for task in open.tasks.lock().expect("no holder panics").drain(..) {
                task.abort();
            }
            open.views.close();
            open.runtime.stop().await;
        }
    }

    /// Reads the folder's files and records those that pass: at opening, and when something changed outside.
    async fn take_files(&self, open: &Open) {
        match open.folder.playbook() {
            Ok(playbook) if playbook.id == open.key.playbook => {
                if let Err(why) = open.runtime.adopt(&playbook).await {
                    tracing::warn!(?why, "playbook.yaml was not taken");
                }
                *open.playbook.lock().expect("no holder panics") = playbook;
            }
            Ok(_) | Err(_) => {}
        }
        match open.runtime.sync(&open.folder, &open.key).await {
            Ok(synced) => {
                let refused = synced.into_iter().filter_map(|s| s.refused.map(|r| (s.key.to_string(), r)));
                let words = refused.filter(|(_, r)| r.reason != Reason::InvalidInput).map(|(k, r)| (k, r.detail));
                *open.unrecorded.lock().expect("no holder panics") = words.collect();
            }
            Err(why) => tracing::warn!(%why, "the folder's files were not taken"),
        }
    }

    /// The folder as its screen shows it.
    pub(super) async fn folder_view(&self, open: &Open) -> Answer {
        let (keys, strays) = open.folder.list().map_err(|why| file_refusal(&why))?;
        let mut problems: Vec<Value> = strays
            .into_iter()
            .map(|Stray { path, why }| {
                let message = format!("{path} is no document: its name cannot be a definition's. {why}");
                json!({ "path": path, "message": message })
            })
            .collect();
        match open.folder.playbook() {
            Ok(playbook) if playbook.id != open.key.playbook => {
                let message = "playbook.yaml names another playbook id than the one that is open";
                let hint = "Close the folder and open it again to work on the other playbook";
                problems.push(json!({ "path": "playbook.yaml", "message": message, "hint": hint }));
            }
            Ok(_) => {}
            Err(why) => problems.push(json!({ "path": "playbook.yaml", "message": why.to_string() })),
        }
        for (path, why) in open.unrecorded.lock().expect("no holder panics").iter() {
            problems.push(json!({ "path": path, "message": why }));
        }
        let mut rows = Vec::new();
        for key in &keys {
            rows.push(self.row(open, key).await?);
        }
        for kind in DefinitionType::RUN {
            let definitions = open.runtime.definitions(&open.key, kind).await?;
            for (name, definition) in &definitions.by_name {
                let there = keys.iter().any(|key| key.kind == kind && key.name.as_str() == name);
                if there || definition.retired_at.is_some() {
                    continue;
                }
                let stands = standing(None, Some(definition));
                rows.push(json!({
                    "type": kind, "name": name, "path": format!("{kind}/{name}.{}", kind.extension()),
                    "state": stands.word(), "version": definition.version, "problems": 0, "warnings": 0,
                    "description": definition.saved.description, "standing": Value::Null,
                }));
            }
        }
        let playbook = open.playbook.lock().expect("no holder panics").clone();
        Ok(json!({
            "path": open.folder.path(),
            "playbook": { "id": playbook.id, "name": playbook.name, "description": playbook.description },
            "documents": rows,
            "problems": problems,
            "unpublished": Value::Null,
        }))
    }
}

/// Watches a folder; without a watcher (a network drive, too many watches) only the Studio's own saves are noticed.
fn watch(path: &Path, changed: mpsc::Sender<()>) -> Option<RecommendedWatcher> {
    let own = path.join(".playbook");
    let heard = move |event: notify::Result<notify::Event>| {
        let Ok(event) = event else { return };
        let reads = matches!(event.kind, notify::EventKind::Access(_));
        let inner = |path: &PathBuf| {
            path.starts_with(&own) || path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(".writing"))
        };
        if reads || event.paths.iter().all(inner) {
            return;
        }
        // A full channel means a reading is due already.
        let _ = changed.try_send(());
    };
    let mut watcher = match notify::recommended_watcher(heard) {
        Ok(watcher) => watcher,
        Err(why) => {
            tracing::warn!(%why, "the folder is not watched");
            return None;
        }
    };
    match watcher.watch(path, RecursiveMode::Recursive) {
        Ok(()) => Some(watcher),
        Err(why) => {
            tracing::warn!(%why, "the folder is not watched");
            None
        }
    }
}

pub(super) fn file_refusal(why: &FileError) -> StudioRefusal {
    let reason = match why {
        FileError::Gone { .. } => Reason::NotFound,
        FileError::Changed { .. } | FileError::There { .. } => Reason::Conflict,
        _ => Reason::InvalidInput,
    };
    Rejection::new(reason, why.to_string()).into()
}

fn open_refusal(why: &OpenError) -> StudioRefusal {
    let rejection = Rejection::new(Reason::Conflict, why.to_string());
    match why {
        OpenError::Log(playbook_history::OpenError::Locked { .. }) => rejection.kind(Kind::Taken).into(),
        _ => rejection.into(),
    }
}
