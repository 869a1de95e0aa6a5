//! Which playbooks have views, who follows each, and the views as they stand in memory.

use super::pass::Ready;
use crate::runtime::{OpenError, Runtime};
use playbook_engine::view::View;
use playbook_model::id::PlaybookKey;
use playbook_model::limits;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use tokio::sync::{Notify, Semaphore, watch};
use tokio::task::JoinSet;

/// The keeper of every view of a log.
pub(crate) struct Keeper {
    state: Mutex<State>,
    /// A playbook has to be followed that was not.
    met: Notify,
    /// Goes up with each move of a view, for whoever shows them.
    moved: watch::Sender<u64>,
    ended: watch::Sender<bool>,
}

#[derive(Default)]
struct State {
    views: HashMap<PlaybookKey, HashMap<String, Kept>>,
    /// By the text of the playbook's key, which streams are owned under.
    followers: HashMap<String, Follower>,
    /// Up to which position events that cannot be read were reported.
    reported: HashMap<PlaybookKey, u64>,
    /// Versions of views of which a page is being folded.
    folding: HashSet<(PlaybookKey, String, u32)>,
}

struct Kept {
    view: Arc<View>,
    /// The version and checkpoint of the row in the log, which may be behind; none before the first row.
    row: Option<(u32, u64)>,
    ready: Option<(u32, Arc<Ready>)>,
    /// The view of the version before, as it stood when it was replaced; only since the program started.
    replaced: Option<Arc<View>>,
}

struct Follower {
    playbook: PlaybookKey,
    woken: Arc<Notify>,
    goes: bool,
}

/// A page of a view is being folded, until this is dropped.
pub(super) struct Folding {
    runtime: Runtime,
    playbook: PlaybookKey,
    name: String,
    version: u32,
}

impl Drop for Folding {
    fn drop(&mut self) {
        let keeper = &self.runtime.0.views;
        keeper.state().folding.remove(&(self.playbook.clone(), self.name.clone(), self.version));
    }
}

impl Keeper {
    pub(crate) fn new() -> Self {
        Self {
            state: Mutex::default(),
            met: Notify::new(),
            moved: watch::Sender::new(0),
            ended: watch::Sender::new(true),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no holder panics")
    }

    /// Says that a playbook has recall functions, or that they changed.
    pub(crate) fn wake(&self, playbook: &PlaybookKey) {
        let mut state = self.state();
        let follower = state.followers.entry(playbook.text()).or_insert_with(|| Follower {
            playbook: playbook.clone(),
            woken: Arc::new(Notify::new()),
            goes: false,
        });
        follower.woken.notify_one();
        let goes = follower.goes;
        drop(state);
        if !goes {
            self.met.notify_one();
        }
    }

    /// Says that something was recorded under an owner of streams.
    pub(crate) fn recorded(&self, owner: &str) {
        if let Some(follower) = self.state().followers.get(owner) {
            follower.woken.notify_one();
        }
    }

    /// Goes up with each move of a view.
    pub(crate) fn moved(&self) -> watch::Receiver<u64> {
        self.moved.subscribe()
    }

    /// A view as it stands.
    pub(crate) fn get(&self, playbook: &PlaybookKey, name: &str) -> Option<Arc<View>> {
        self.state().views.get(playbook)?.get(name).map(|kept| kept.view.clone())
    }

    /// The view of the version before, as it stood when it was replaced.
    pub(crate) fn replaced(&self, playbook: &PlaybookKey, name: &str) -> Option<Arc<View>> {
        self.state().views.get(playbook)?.get(name)?.replaced.clone()
    }

    /// Every view of a playbook as it stands.
    pub(super) fn all(&self, playbook: &PlaybookKey) -> Vec<Arc<View>> {
        let state = self.state();
        let views = state.views.get(playbook).into_iter().flat_map(HashMap::values);
        views.map(|kept| kept.view.clone()).collect()
    }

    /// The version and checkpoint of a view's row in the log.
    pub(super) fn row(&self, playbook: &PlaybookKey, name: &str) -> Option<(u32, u64)> {
        self.state().views.get(playbook)?.get(name)?.row
    }

    /// Keeps a view as it stands; `row` says what of it is in the log now, when that changed.
    pub(super) fn set(&self, playbook: &PlaybookKey, view: Arc<View>, row: Option<(u32, u64)>) {
        let mut state = self.state();
        let views = state.views.entry(playbook.clone()).or_default();
        match views.get_mut(&view.name) {
            Some(kept) => {
                kept.row = row.or(kept.row);
                let before = std::mem::replace(&mut kept.view, view);
                if before.version < kept.view.version {
                    kept.replaced = Some(before);
                }
            }
            None => {
                views.insert(view.name.clone(), Kept { view, row, ready: None, replaced: None });
            }
        }
        drop(state);
        self.moved.send_modify(|count| *count += 1);
    }

    /// Keeps a view as it stands, unless another version of it is kept by now.
    pub(super) fn set_if_current(&self, playbook: &PlaybookKey, view: Arc<View>) {
        let kept = self.get(playbook, &view.name);
        if kept.is_some_and(|kept| kept.version == view.version) {
            self.set(playbook, view, None);
        }
    }

    /// Whether an event that cannot be read is reported for the first time.
    pub(super) fn first_report(&self, playbook: &PlaybookKey, position: u64) -> bool {
        let mut state = self.state();
        let reported = state.reported.entry(playbook.clone()).or_default();
        let first = position > *reported;
        *reported = position.max(*reported);
        first
    }

    pub(super) fn forget(&self, playbook: &PlaybookKey, name: &str) {
        if let Some(views) = self.state().views.get_mut(playbook) {
            views.remove(name);
        }
        self.moved.send_modify(|count| *count += 1);
    }

    /// A version ready to fold, made once.
    pub(super) fn ready(
        &self,
        playbook: &PlaybookKey,
        view: &View,
        make: impl FnOnce() -> Option<Ready>,
    ) -> Option<Arc<Ready>> {
        let mut state = self.state();
        let kept = state.views.get_mut(playbook)?.get_mut(&view.name)?;
        if let Some((version, ready)) = &kept.ready
            && *version == view.version
        {
            return Some(ready.clone());
        }
        let ready = Arc::new(make()?);
        kept.ready = Some((view.version, ready.clone()));
        Some(ready)
    }

    /// Waits until nothing is followed any more.
    pub(crate) async fn ended(&self) {
        // The sender lives as long as the keeper, so this cannot fail while it is asked.
        let _ = self.ended.subscribe().wait_for(|ended| *ended).await;
    }
}

impl Runtime {
    /// Marks a version of a view as being folded; `None` while a page of it is.
    pub(super) fn begin_fold(&self, playbook: &PlaybookKey, view: &View) -> Option<Folding> {
        let (name, version) = (view.name.clone(), view.version);
        let new = self.0.views.state().folding.insert((playbook.clone(), name.clone(), version));
        new.then(|| Folding { runtime: self.clone(), playbook: playbook.clone(), name, version })
    }

    /// Whether a page of a view is being folded.
    pub(super) fn folds(&self, playbook: &PlaybookKey, view: &View) -> bool {
        self.0.views.state().folding.contains(&(playbook.clone(), view.name.clone(), view.version))
    }

    /// Reads the views that the log keeps.
    pub(crate) async fn load_views(&self) -> Result<(), OpenError> {
        let history = self.0.history.clone();
        let rows = tokio::task::spawn_blocking(move || {
            let mut rows = Vec::new();
            for playbook in history.playbooks()? {
                let heads = history.list_views(&playbook)?;
                let mut views = Vec::new();
                for head in heads {
                    if let Some(row) = history.load_view(&playbook, &head.name)? {
                        views.push(row);
                    }
                }
                rows.push((playbook, views));
            }
            Ok::<_, playbook_history::ReadError>(rows)
        })
        .await
        .map_err(|why| OpenError::Workers(why.to_string()))??;
        for (playbook, views) in rows {
            for row in views {
                if let Some(view) = super::kept::view(row) {
                    let row = (view.version, view.checkpoint);
                    self.0.views.set(&playbook, Arc::new(view), Some(row));
                }
            }
            self.0.views.wake(&playbook);
        }
        Ok(())
    }

    /// Begins to keep the views, until the runtime stops.
    pub(crate) fn follow_views(&self) {
        self.0.views.ended.send_replace(false);
        let runtime = self.clone();
        tokio::spawn(async move {
            runtime.keep_views().await;
            runtime.0.views.ended.send_replace(true);
        });
    }

    /// Has each playbook followed by a task of its own, so that none waits for another's views.
    async fn keep_views(&self) {
        let mut stop = self.stop_signal();
        let turns = Arc::new(Semaphore::new(self.0.settings.recall_playbooks_at_once.max(1)));
        let mut following = JoinSet::new();
        while !*stop.borrow_and_update() {
            let new: Vec<(PlaybookKey, Arc<Notify>)> = {
                let mut state = self.0.views.state();
                let new = state.followers.values_mut().filter(|follower| !follower.goes);
                new.map(|follower| {
                    follower.goes = true;
                    (follower.playbook.clone(), follower.woken.clone())
                })
                .collect()
            };
            for (playbook, woken) in new {
                let (runtime, turns) = (self.clone(), turns.clone());
                following.spawn(async move { runtime.follow_playbook(&playbook, &woken, &turns).await });
            }
            tokio::select! {
                _ = stop.changed() => {}
                () = self.0.views.met.notified() => {}
                Some(ended) = following.join_next() => {
                    if let Err(why) = ended {
                        tracing::error!(%why, "following a playbook broke down");
                    }
                }
            }
        }
        while following.join_next().await.is_some() {}
    }

    /// Passes over a playbook whenever something of it was recorded, and once a second.
    async fn follow_playbook(&self, playbook: &PlaybookKey, woken: &Notify, turns: &Semaphore) {
        let mut stop = self.stop_signal();
        while !*stop.borrow_and_update() {
            // First come, first served: one that has more to read waits behind those that wait.
            let turn = turns.acquire().await.expect("the queue is never closed");
            let more = self.pass(playbook, woken).await;
            drop(turn);
            if more {
                continue;
            }
            tokio::select! {
                _ = stop.changed() => {}
                () = woken.notified() => {}
                () = tokio::time::sleep(Duration::from_millis(limits::PASS_MILLISECONDS)) => {}
            }
        }
    }
}
