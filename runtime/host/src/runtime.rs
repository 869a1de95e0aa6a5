//! The runtime itself: what it is opened on, what it holds, how it stops.

use crate::clock::Clock;
use crate::index::Index;
use crate::reactions::Followers;
use crate::replay::Scratch;
use crate::stand_in::StandIns;
use crate::views::Keeper;
use crate::workflows::{Alarm, Performing, Runs};
use playbook_history::{History, ReadError};
use playbook_model::ending::{Kind, Reason, Rejection};
use playbook_model::id::{PlaybookKey, RunId};
use playbook_model::limits;
use playbook_model::refusal::Refusal;
use playbook_typescript::Compiler;
use playbook_worker::{Pool, WorkerProgram};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use tokio::sync::{Semaphore, watch};

/// Whether a runtime keeps the views of recall functions while it is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Views {
    /// It follows the log and folds what is recorded.
    Kept,
    /// It leaves them as they stand; whoever opens the log next folds what they missed.
    Left,
}

/// What an operator may set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Runs at once: 1 to 64.
    pub computation_workers: usize,
    /// Recall functions a playbook keeps: 1 to 1,000.
    pub recall_max_functions: usize,
    /// Views a playbook builds at once: 1 to 64.
    pub recall_max_rebuilds: usize,
    /// Playbooks followed at once: 1 to 64.
    pub recall_playbooks_at_once: usize,
    /// Requests of a playbook that may wait at once: 1 to 1,000,000.
    pub interaction_open_requests: usize,
    /// The longest a run of a workflow may last, in milliseconds: 2 hours to 365 days.
    pub workflow_max_milliseconds: u64,
    /// Calls that may wait under one run at the top: 1 to 9,999.
    pub workflow_max_open_calls: usize,
    /// Calls of workflows performed at once: 1 to 1,000.
    pub workflow_nested_runs: usize,
    /// Milliseconds of one run, waiting for its turn included. Not an operator's to set: only a test that must not
    /// depend on the machine's speed gives more.
    pub run_milliseconds: u64,
    /// Milliseconds of one fold. Not an operator's to set: only a test that waits for twenty of them gives fewer.
    pub fold_milliseconds: u64,
    /// Records of a page. Not an operator's to set: a view is the same in pages of any size, which a test tries.
    pub page_records: usize,
    /// Whether views are kept. Not an operator's to set: what only records much leaves them to the next opening.
    pub views: Views,
    /// What runs in place of definitions. Not an operator's to set: only a test gives any.
    pub stand_ins: StandIns,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            computation_workers: limits::COMPUTATION_WORKERS,
            recall_max_functions: limits::RECALL_FUNCTIONS,
            recall_max_rebuilds: limits::RECALL_REBUILDS,
            recall_playbooks_at_once: limits::RECALL_PLAYBOOKS_AT_ONCE,
            interaction_open_requests: limits::INTERACTION_OPEN_REQUESTS,
            workflow_max_milliseconds: limits::WORKFLOW_MILLISECONDS,
            workflow_max_open_calls: limits::OPEN_CALLS,
            workflow_nested_runs: limits::NESTED_RUNS,
            run_milliseconds: limits::RUN_MILLISECONDS,
            fold_milliseconds: limits::FOLD_MILLISECONDS,
            page_records: limits::PAGE_RECORDS,
            views: Views::Kept,
            stand_ins: StandIns::default(),
        }
    }
}

/// Where the log is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// One playbook's folder: its log is `.playbook/log.db`.
    Folder(PathBuf),
    /// A data folder of many playbooks: its log is `log.db`.
    Data(PathBuf),
    /// The log's file itself.
    File(PathBuf),
}

impl Place {
    /// The log's file.
    #[must_use]
    pub fn log(&self) -> PathBuf {
        match self {
            Self::Folder(folder) => folder.join(".playbook").join("log.db"),
            Self::Data(folder) => folder.join("log.db"),
            Self::File(file) => file.clone(),
        }
    }
}

/// Why the runtime cannot be opened. Each reads as one sentence for a person.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The log cannot be opened.
    #[error(transparent)]
    Log(#[from] playbook_history::OpenError),
    /// The log cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The folder cannot be made.
    #[error("The folder {} cannot be made: {why}", path.display())]
    Folder {
        /// Which.
        path: PathBuf,
        /// The system's words.
        why: std::io::Error,
    },
    /// The runs that wait cannot be gone on with.
    #[error("The runs that wait cannot be read: {0:?}")]
    Recover(Refusal),
    /// There is no program to run workers with.
    #[error("{0}")]
    Workers(String),
}

/// A handle on an open runtime; cheap to clone.
#[derive(Clone)]
pub struct Runtime(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) history: History,
    pub(crate) pool: Pool,
    /// What folds beside the kept views.
    pub(crate) scratch: Scratch,
    pub(crate) compiler: Arc<Compiler>,
    pub(crate) clock: Clock,
    pub(crate) settings: Settings,
    pub(crate) index: Index,
    pub(crate) views: Keeper,
    /// The runs of workflows in memory.
    pub(crate) runs: Runs,
    pub(crate) alarm: Alarm,
    /// The called runs that are performed now.
    pub(crate) performing: Performing,
    /// Who follows which playbook's events.
    pub(crate) followers: Followers,
    /// Turns of called runs.
    pub(crate) nested: Arc<Semaphore>,
    /// The runs this process performs now, so that a second request for one waits for it.
    pub(crate) going: Mutex<HashMap<(PlaybookKey, RunId), watch::Receiver<bool>>>,
    stopping: watch::Sender<bool>,
}

impl std::fmt::Debug for Runtime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Runtime")
    }
}

impl Runtime {
    /// Opens the log at a place and begins to keep its views, unless the settings leave them.
    ///
    /// # Errors
    /// [`OpenError`], one sentence: locked by another process, of a newer program, damaged, or no worker program.
    pub async fn open(place: Place, settings: Settings) -> Result<Self, OpenError> {
        Self::open_with(place, settings, Arc::new(Compiler::new()), Clock::system()).await
    }

    /// As [`Self::open`], with a compiler that is kept already and a clock of the caller's own.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub async fn open_with(
        place: Place,
        settings: Settings,
        compiler: Arc<Compiler>,
        clock: Clock,
    ) -> Result<Self, OpenError> {
        let log = place.log();
        let folder = log.parent().map(std::path::Path::to_path_buf).unwrap_or_default();
        std::fs::create_dir_all(&folder).map_err(|why| OpenError::Folder { path: folder.clone(), why })?;
        if matches!(place, Place::Folder(_)) {
            keep_out_of_git(&folder).map_err(|why| OpenError::Folder { path: folder.clone(), why })?;
        }
        let program = WorkerProgram::find().map_err(|why| OpenError::Workers(why.to_string()))?;
        let history = tokio::task::spawn_blocking(move || History::open(&log))
            .await
            .map_err(|why| OpenError::Workers(why.to_string()))??;
        let scratch = Scratch::with(program.clone());
        let pool = Pool::new(program, settings.computation_workers);
        let runtime = Self(Arc::new(Inner {
            views: Keeper::new(),
            runs: Runs::default(),
            alarm: Alarm::default(),
            performing: Performing::default(),
            followers: Followers::default(),
            nested: Arc::new(Semaphore::new(settings.workflow_nested_runs.clamp(1, 1_000))),
            index: Index::default(),
            going: Mutex::default(),
            stopping: watch::Sender::new(false),
            history,
            pool,
            scratch,
            compiler,
            clock,
            settings,
        }));
        runtime.load_views().await?;
        if runtime.0.settings.views == Views::Kept {
            runtime.follow_views();
            runtime.follow_timers();
            runtime.recover_runs().await.map_err(OpenError::Recover)?;
            runtime.follow_reactions().await.map_err(OpenError::Recover)?;
        }
        Ok(runtime)
    }

    /// Whether the runtime is stopping.
    #[must_use]
    pub fn stopping(&self) -> bool {
        *self.0.stopping.borrow()
    }

    pub(crate) fn stop_signal(&self) -> watch::Receiver<bool> {
        self.0.stopping.subscribe()
    }

    /// Stops: no new command is taken, runs and pages in progress end, the log is closed.
    pub async fn stop(&self) {
        self.0.stopping.send_replace(true);
        let going: Vec<_> = {
            let going = self.0.going.lock().expect("no holder panics");
            going.values().cloned().collect()
        };
        let all = async {
            for mut run in going {
                // An error means the run's own task is gone, so it has ended too.
                let _ = run.wait_for(|ended| *ended).await;
            }
        };
        let bound = std::time::Duration::from_millis(limits::RUN_MILLISECONDS + 1_000);
        let _ = tokio::time::timeout(bound, all).await;
        // A page in progress is let go of: its view was written before it, and reads it again.
        self.0.pool.stop().await;
        self.0.scratch.stop().await;
        self.0.views.ended().await;
        let history = self.0.history.clone();
        let closed = tokio::task::spawn_blocking(move || history.close()).await;
        if closed.is_err() {
            tracing::error!("closing the log broke down");
        }
    }

    /// Records so many more appends and refuses every later one, as if the program were killed at that moment. Gives
    /// what is set once one was refused. For tests of what a restart makes of it; stop the runtime afterwards.
    #[must_use]
    pub fn cut(&self, appends: u64) -> Arc<AtomicBool> {
        self.0.history.cut(appends)
    }

    /// The newest position of the log, each time it moves.
    #[must_use]
    pub fn follow(&self) -> watch::Receiver<u64> {
        self.0.history.follow()
    }

    /// The compiler the runtime checks with.
    #[must_use]
    pub fn compiler(&self) -> Arc<Compiler> {
        self.0.compiler.clone()
    }

    /// Goes up with each view written.
    #[must_use]
    pub fn view_moves(&self) -> watch::Receiver<u64> {
        self.0.views.moved()
    }

    /// A view as it stands in memory.
    pub(crate) fn view_of(&self, playbook: &PlaybookKey, name: &str) -> Option<Arc<playbook_engine::view::View>> {
        self.0.views.get(playbook, name)
    }

    /// The view of the version before, as it stood when it was replaced.
    pub(crate) fn replaced_view(&self, playbook: &PlaybookKey, name: &str) -> Option<Arc<playbook_engine::view::View>> {
        self.0.views.replaced(playbook, name)
    }

    /// A view as it stands, as JSON text; `None` for a function that keeps none.
    #[must_use]
    pub fn view_text(&self, playbook: &PlaybookKey, name: &str) -> Option<String> {
        self.view_of(playbook, name).map(|view| view.view.clone())
    }

    /// The position of the log up to which a view has read.
    #[must_use]
    pub fn view_read_to(&self, playbook: &PlaybookKey, name: &str) -> Option<u64> {
        self.view_of(playbook, name).map(|view| view.checkpoint)
    }

    pub(crate) fn pool(&self) -> Pool {
        self.0.pool.clone()
    }

    /// What replays fold in while the runtime is open.
    #[must_use]
    pub fn scratch(&self) -> &Scratch {
        &self.0.scratch
    }

    pub(crate) fn now(&self) -> playbook_model::time::Moment {
        self.0.clock.now()
    }

    /// Reads from the log on a thread that may wait for the disk.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&History) -> Result<T, ReadError> + Send + 'static,
    ) -> Result<T, Refusal> {
        let history = self.0.history.clone();
        match tokio::task::spawn_blocking(move || read(&history)).await {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(why)) => Err(incident(&format!("the log cannot be read: {why}"))),
            Err(why) => Err(incident(&format!("a reader broke down: {why}"))),
        }
    }
}

/// The log is the machine's own: Git leaves its folder alone.
fn keep_out_of_git(folder: &std::path::Path) -> std::io::Result<()> {
    let file = folder.join(".gitignore");
    if file.exists() { Ok(()) } else { std::fs::write(file, "*\n") }
}

/// Our mistake: logged with its cause under an id, shown with the id alone.
pub(crate) fn incident(cause: &str) -> Refusal {
    let id = uuid::Uuid::new_v4().to_string();
    tracing::error!(incident = %id, cause, "incident");
    Refusal::Incident { id }
}

/// The refusal of a command while the runtime stops.
pub(crate) fn stopping() -> Refusal {
    Rejection::new(Reason::Unavailable, "The server is stopping; try again").into()
}

/// The refusal of a command whose stream kept changing.
pub(crate) fn kept_changing() -> Rejection {
    Rejection::new(Reason::Conflict, "It was changed at the same moment; try again").kind(Kind::ConcurrentChange)
}
