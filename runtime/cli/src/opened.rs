//! A playbook's folder opened for one command: its log, its files recorded, and closed again.

use crate::ended::{Failure, cannot};
use playbook_host::folder::{Folder, PlaybookFile, Synced};
use playbook_host::{Place, Runtime, Settings, Views};
use playbook_model::definition::{DefinitionKey, DefinitionType};
use playbook_model::id::PlaybookKey;
use playbook_model::refusal::Refusal;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a command waits for a view to read on.
const CATCH_UP: Duration = Duration::from_secs(10);

/// How long a command waits for workflows to come to rest.
const REST: Duration = Duration::from_secs(60);

/// The folder a command works on.
pub(crate) fn folder(given: Option<&Path>) -> PathBuf {
    given.map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// Opens a folder's files alone.
///
/// # Errors
/// No playbook, or one whose `playbook.yaml` cannot be taken.
pub(crate) fn files(given: Option<&Path>) -> Result<(Folder, PlaybookFile), Failure> {
    Folder::open(&folder(given)).map_err(cannot)
}

/// What the environment sets for a runtime.
///
/// # Errors
/// Every setting that is wrong.
pub(crate) fn settings() -> Result<playbook_server::settings::Settings, Failure> {
    let environment = |name: &str| std::env::var(name).ok();
    playbook_server::settings::read(&environment, &|path| std::fs::read_to_string(path)).map_err(cannot)
}

/// The part of the settings that a runtime takes.
pub(crate) fn of_runtime(settings: &playbook_server::settings::Settings) -> Settings {
    Settings {
        computation_workers: settings.computation_workers,
        recall_max_functions: settings.recall_max_functions,
        recall_max_rebuilds: settings.recall_max_rebuilds,
        recall_playbooks_at_once: settings.recall_playbooks_at_once,
        interaction_open_requests: settings.interaction_open_requests,
        workflow_max_milliseconds: settings.workflow_max_milliseconds,
        workflow_max_open_calls: settings.workflow_max_open_calls,
        workflow_nested_runs: settings.workflow_nested_runs,
        ..Settings::default()
    }
}

/// An open folder.
pub(crate) struct Opened {
    runtime: Runtime,
    playbook: PlaybookKey,
    synced: Vec<Synced>,
}

impl Opened {
    /// Opens a folder: every document that passes is recorded first, as the Studio does.
    ///
    /// # Errors
    /// No playbook, or a log that cannot be used now.
    pub(crate) async fn open(given: Option<&Path>) -> Result<Self, Failure> {
        Self::open_with(given, Views::Kept).await
    }

    /// As [`Self::open`], saying whether its views are kept meanwhile.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub(crate) async fn open_with(given: Option<&Path>, views: Views) -> Result<Self, Failure> {
        let (folder, file) = files(given)?;
        let settings = Settings { views, ..of_runtime(&settings()?) };
        let place = Place::Folder(folder.path().to_path_buf());
        let runtime = Runtime::open(place, settings).await.map_err(cannot)?;
        let prepared = async {
            let playbook = runtime.adopt(&file).await?;
            let synced = runtime.sync(&folder, &playbook).await.map_err(cannot)?;
            Ok::<_, Failure>((playbook, synced))
        };
        match prepared.await {
            Ok((playbook, synced)) => Ok(Self { runtime, playbook, synced }),
            Err(failure) => {
                runtime.stop().await;
                Err(failure)
            }
        }
    }

    /// Does an operation on the folder's playbook.
    ///
    /// # Errors
    /// The operation's refusal.
    pub(crate) async fn call(&self, operation: &str, mut input: Map<String, Value>) -> Result<Value, Refusal> {
        input.insert("org".into(), json!(self.playbook.org));
        input.insert("playbook".into(), json!(self.playbook.playbook));
        self.runtime.local(operation, Value::Object(input)).await
    }

    /// Why a definition's file was not recorded, where it was not.
    pub(crate) fn unrecorded(&self, key: &DefinitionKey) -> Option<&playbook_model::ending::Rejection> {
        self.synced.iter().find(|synced| synced.key == *key).and_then(|synced| synced.refused.as_ref())
    }

    /// Waits a moment until a recall function's view has read what is recorded, as it does at once in a server.
    pub(crate) async fn caught_up(&self, key: &DefinitionKey) {
        if key.kind == DefinitionType::Recall {
            self.runtime.caught_up(&self.playbook, key.name.as_str(), CATCH_UP).await;
        }
    }

    /// Waits a while until nothing of the playbook's workflows moves by itself, so that what a command set going goes
    /// as far as it can.
    pub(crate) async fn rest(&self) {
        let rests = async {
            while !self.runtime.at_rest(&self.playbook).await.unwrap_or(true) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        // What goes on longer goes on when the folder is opened again.
        let _ = tokio::time::timeout(REST, rests).await;
    }

    /// The runtime, and the playbook in it.
    pub(crate) fn parts(&self) -> (&Runtime, &PlaybookKey) {
        (&self.runtime, &self.playbook)
    }

    /// Closes the log.
    pub(crate) async fn close(self) {
        self.runtime.stop().await;
    }
}

/// The members of an operation's input.
pub(crate) fn members<const N: usize>(pairs: [(&str, Value); N]) -> Map<String, Value> {
    pairs.into_iter().filter(|(_, value)| !value.is_null()).map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Reads JSON that was given as text or in a file; `-` is the standard input.
///
/// # Errors
/// When the file cannot be read, or the text is no JSON.
pub(crate) fn json_of(what: &str, text: Option<&str>, file: Option<&Path>) -> Result<Option<Value>, Failure> {
    let text = match (text, file) {
        (Some(text), _) => text.to_owned(),
        (None, Some(file)) if file == Path::new("-") => std::io::read_to_string(std::io::stdin())
            .map_err(|why| cannot(format!("The standard input cannot be read: {why}")))?,
        (None, Some(file)) => {
            std::fs::read_to_string(file).map_err(|why| cannot(format!("{} cannot be read: {why}", file.display())))?
        }
        (None, None) => return Ok(None),
    };
    // Deeper than any value may be, so that a value too deep is refused in the operation's own words.
    let levels = playbook_model::limits::VALUE_LEVELS + 64;
    let value =
        playbook_model::json::parse(&text, levels).map_err(|why| cannot(format!("{what} is not JSON: {why}")))?;
    Ok(Some(value))
}
