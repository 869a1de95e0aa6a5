//! What the Studio does on a folder: drafts, checks while typing, trials, the repair bench, publishing.
//!
//! Every call takes and gives JSON, so that the window and a browser speak alike; nothing here knows either.

mod changes;
mod check;
mod documents;
mod edit;
mod keys;
mod open;
mod publish;
mod recent;
mod routes;
mod runs;
mod servers;
mod trial;
mod views;

pub use keys::{FileKeys, Keys, KeysError};
pub use routes::{ROUTES, Route};

use crate::api::Method;
use crate::runtime::{Runtime, incident};
use crate::stand_in::StandIns;
use changes::Changes;
use open::Open;
use playbook_model::ending::{Issue, Reason, Rejection};
use playbook_model::refusal::Refusal;
use playbook_typescript::Compiler;
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// Where the Studio keeps what is no playbook's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StudioOptions {
    /// For what could be made again.
    pub data_dir: PathBuf,
    /// For what the person chose: recent folders, servers.
    pub config_dir: PathBuf,
    /// `desktop` or `browser`.
    pub host: &'static str,
    /// What runs in place of definitions in the folders it opens. Only a test gives any.
    pub stand_ins: StandIns,
}

/// A refusal, with members beside those every problem document has.
#[derive(Debug, Clone, PartialEq)]
pub struct StudioRefusal {
    /// The refusal.
    pub refusal: Refusal,
    /// Further members, such as the text that is on the disk now.
    pub extra: Map<String, Value>,
}

impl From<Refusal> for StudioRefusal {
    fn from(refusal: Refusal) -> Self {
        Self { refusal, extra: Map::new() }
    }
}

impl From<Rejection> for StudioRefusal {
    fn from(rejection: Rejection) -> Self {
        Refusal::from(rejection).into()
    }
}

pub(crate) type Answer = Result<Value, StudioRefusal>;

/// The Studio; cheap to clone.
#[derive(Clone)]
pub struct Studio(Arc<Inner>);

struct Inner {
    options: StudioOptions,
    compiler: Arc<Compiler>,
    changes: Changes,
    open: Mutex<Option<Arc<Open>>>,
    /// One folder is opened or closed at a time.
    turning: tokio::sync::Mutex<()>,
    plans: publish::Plans,
    keys: Arc<dyn Keys>,
    /// Why no text can be judged yet.
    unready: Arc<Mutex<Option<String>>>,
}

impl std::fmt::Debug for Studio {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Studio")
    }
}

impl Studio {
    /// A Studio with no folder open, with servers' keys in an encrypted file.
    #[must_use]
    pub fn new(options: StudioOptions) -> Self {
        let keys = Arc::new(FileKeys::new(&options.config_dir, &options.data_dir));
        Self::with_keys(options, keys)
    }

    /// A Studio with no folder open. Warms the compiler, so that the first check is quick.
    #[must_use]
    pub fn with_keys(options: StudioOptions, keys: Arc<dyn Keys>) -> Self {
        let compiler = Arc::new(Compiler::new());
        let unready = Arc::new(Mutex::new(Some("The TypeScript compiler is starting".to_owned())));
        let (warmed, told) = (compiler.clone(), unready.clone());
        std::thread::spawn(move || {
            let why = warmed.warm().err().map(|why| why.to_string());
            if let Some(why) = &why {
                tracing::warn!(why, "the compiler is not ready");
            }
            *told.lock().expect("no holder panics") = why;
        });
        Self(Arc::new(Inner {
            options,
            compiler,
            changes: Changes::default(),
            open: Mutex::default(),
            turning: tokio::sync::Mutex::default(),
            plans: publish::Plans::default(),
            keys,
            unready,
        }))
    }

    /// The runtime of the open folder.
    #[must_use]
    pub fn runtime(&self) -> Option<Runtime> {
        self.0.open.lock().expect("no holder panics").as_ref().map(|open| open.runtime.clone())
    }

    /// Closes the open folder: what goes on ends, the log is closed.
    pub async fn stop(&self) {
        self.close().await;
    }

    /// Does what a route names. `input` holds the path's, the query's and the body's members by name.
    ///
    /// # Errors
    /// [`StudioRefusal`].
    pub async fn call(&self, route: &Route, input: Map<String, Value>) -> Answer {
        let given = Input(input);
        match (route.method, route.path) {
            (Method::Get, "/state") => self.state().await,
            (Method::Post, "/folder/open") => self.open_folder(&given).await,
            (Method::Post, "/folder/sample") => self.new_sample(&given).await,
            (Method::Post, "/folder/new") => self.new_folder(&given).await,
            (Method::Post, "/folder/close") => {
                self.close().await;
                Ok(json!({}))
            }
            (Method::Get, "/folder") => self.folder_view(&*self.opened()?).await,
            (Method::Get, "/documents/{type}/{name}") => self.get_document(&given).await,
            (Method::Put, "/documents/{type}/{name}") => self.save_document(&given).await,
            (Method::Post, "/documents") => self.new_document(&given).await,
            (Method::Post, "/documents/{type}/{name}/retire") => self.retire_document(&given).await,
            (Method::Post, "/documents/{type}/{name}/delete") => self.delete_document(&given).await,
            (Method::Post, "/check") => self.check(&given).await,
            (Method::Post, "/edit") => edit::edit(&given),
            (Method::Post, "/trial") => self.trial(&given).await,
            (Method::Get, "/views/{name}") => self.get_view(&given).await,
            (Method::Post, "/views/{name}/refold") => self.refold(&given).await,
            (Method::Post, "/views/{name}/rehearse") => self.rehearse(&given).await,
            (Method::Get, "/views/{name}/rehearse/{id}") => self.rehearsal(&given).await,
            (Method::Post, "/views/{name}/rehearse/{id}/stop") => self.stop_rehearsal(&given).await,
            (Method::Post, "/views/{name}/cases") => self.keep_case(&given).await,
            (Method::Get, "/views/{name}/scrub") => self.scrub(&given).await,
            (Method::Get, "/views/{name}/scrub/{index}") => self.scrub_to(&given).await,
            (Method::Post, "/views/{name}/scrub/jump") => self.scrub_jump(&given).await,
            (Method::Get, "/runs/{run}") => self.get_workflow_run(&given).await,
            (Method::Get, "/runs/{run}/inputs") => self.run_inputs(&given).await,
            (Method::Get, "/runs/{run}/inputs/{position}") => self.run_input(&given).await,
            (Method::Post, "/runs/{run}/inputs/{position}/evaluate") => self.evaluate_at(&given).await,
            (Method::Post, "/runs/{run}/replay") => self.replay_run(&given).await,
            (Method::Post, "/runs/{run}/fork") => self.fork_run(&given).await,
            (Method::Post, "/runs/{run}/keep") => self.keep_run(&given).await,
            (Method::Get, "/triggers") => self.triggers().await,
            (Method::Post, "/triggers/{workflow}/try") => self.try_triggers(&given).await,
            (Method::Get, "/changes") => self.changes(&given).await,
            (Method::Get, "/inputs/{type}/{name}") => self.get_inputs(&given).await,
            (Method::Post, "/inputs/{type}/{name}") => self.keep_input(&given).await,
            (Method::Get, "/servers") => self.list_servers(),
            (Method::Post, "/servers") => self.add_server(&given),
            (Method::Put, "/servers/{id}") => self.change_server(&given),
            (Method::Post, "/servers/{id}/delete") => self.delete_server(&given),
            (Method::Post, "/publish/plan") => self.plan_publication(&given).await,
            (Method::Post, "/publish/apply") => self.apply_publication(&given).await,
            (_, path) => Err(incident(&format!("the route {path} is in the table and nowhere else")).into()),
        }
    }

    fn opened(&self) -> Result<Arc<Open>, StudioRefusal> {
        let open = self.0.open.lock().expect("no holder panics").clone();
        open.ok_or_else(|| Rejection::new(Reason::Conflict, "No folder is open; open one first").into())
    }
}

/// The members of a request.
pub(crate) struct Input(pub(crate) Map<String, Value>);

impl Input {
    pub(crate) fn text(&self, name: &str) -> Result<&str, StudioRefusal> {
        match self.0.get(name).and_then(Value::as_str) {
            Some(text) => Ok(text),
            None => Err(invalid(name, format!("Expected a text as {name}"))),
        }
    }

    pub(crate) fn maybe(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    /// A whole number of the path, the query or the body.
    pub(crate) fn number(&self, name: &str) -> Result<u64, StudioRefusal> {
        let number = match self.0.get(name) {
            Some(Value::String(text)) => text.parse().ok(),
            Some(value) => value.as_u64(),
            None => None,
        };
        number.ok_or_else(|| invalid(name, format!("Expected a whole number from 0 as {name}")))
    }

    /// As [`Self::number`], or another when there is none.
    pub(crate) fn number_or(&self, name: &str, other: u64) -> Result<u64, StudioRefusal> {
        if self.0.contains_key(name) { self.number(name) } else { Ok(other) }
    }

    pub(crate) fn definition(&self) -> Result<playbook_model::definition::DefinitionKey, StudioRefusal> {
        use playbook_model::definition::{DefinitionKey, DefinitionType};
        use playbook_model::id::DefinitionName;
        let kind = DefinitionType::parse(self.text("type")?)
            .ok_or_else(|| invalid("type", "Expected a type of definition, such as recall".into()))?;
        let name = DefinitionName::new(self.text("name")?).map_err(|why| invalid("name", why.to_string()))?;
        Ok(DefinitionKey { kind, name })
    }
}

/// A refusal at one member of the request.
pub(crate) fn invalid(name: &str, detail: String) -> StudioRefusal {
    let issue = Issue { detail: detail.clone(), pointer: format!("/{name}") };
    Rejection::new(Reason::InvalidInput, detail).issues(vec![issue]).into()
}
