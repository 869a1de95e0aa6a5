//! Which playbooks have views, when each is passed over, and the views as they stand in memory.

use crate::runtime::{OpenError, Runtime};
use playbook_engine::view::View;
use playbook_model::id::PlaybookKey;
use playbook_model::limits;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{Notify, Semaphore, watch};

/// The keeper of every view of a log.
pub(crate) struct Keeper {
    views: Mutex<HashMap<PlaybookKey, HashMap<String, Arc<View>>>>,
    /// The playbooks to pass over: those with a view or a recall function.
    playbooks: Mutex<BTreeSet<PlaybookKey>>,
    woken: Notify,
    /// Goes up with each view written, for whoever shows them.
    moved: watch::Sender<u64>,
    ended: watch::Sender<bool>,
}

impl Keeper {
    pub(crate) fn new() -> Self {
        Self {
            views: Mutex::default(),
            playbooks: Mutex::default(),
            woken: Notify::new(),
            moved: watch::Sender::new(0),
            ended: watch::Sender::new(true),
        }
    }

    /// Says that a playbook's recall functions changed.
    pub(crate) fn wake(&self, playbook: &PlaybookKey) {
        self.playbooks.lock().expect("no holder panics").insert(playbook.clone());
        self.woken.notify_one();
    }

    /// Goes up with each view written.
    pub(crate) fn moved(&self) -> watch::Receiver<u64> {
        self.moved.subscribe()
    }

    /// A view as it stands.
    pub(crate) fn get(&self, playbook: &PlaybookKey, name: &str) -> Option<Arc<View>> {
        self.views.lock().expect("no holder panics").get(playbook)?.get(name).cloned()
    }

    /// Every view of a playbook as it stands.
    pub(super) fn all(&self, playbook: &PlaybookKey) -> Vec<Arc<View>> {
        let views = self.views.lock().expect("no holder panics");
        views.get(playbook).map(|views| views.values().cloned().collect()).unwrap_or_default()
    }

    pub(super) fn set(&self, playbook: &PlaybookKey, view: Arc<View>) {
        let mut views = self.views.lock().expect("no holder panics");
        views.entry(playbook.clone()).or_default().insert(view.name.clone(), view);
        drop(views);
        self.moved.send_modify(|count| *count += 1);
    }

    pub(super) fn forget(&self, playbook: &PlaybookKey, name: &str) {
        if let Some(views) = self.views.lock().expect("no holder panics").get_mut(playbook) {
            views.remove(name);
        }
        self.moved.send_modify(|count| *count += 1);
    }

    /// Waits until the loop has ended.
    pub(crate) async fn ended(&self) {
        // The sender lives as long as the keeper, so this cannot fail while it is asked.
        let _ = self.ended.subscribe().wait_for(|ended| *ended).await;
    }
}

impl Runtime {
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
                    self.0.views.set(&playbook, Arc::new(view));
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

    async fn keep_views(&self) {
        let mut stop = self.stop_signal();
        let mut appended = self.0.history.follow();
        let turns = Arc::new(Semaphore::new(self.0.settings.recall_playbooks_at_once.max(1)));
        loop {
            if *stop.borrow_and_update() {
                return;
            }
            appended.mark_unchanged();
            let playbooks: Vec<PlaybookKey> = {
                let playbooks = self.0.views.playbooks.lock().expect("no holder panics");
                playbooks.iter().cloned().collect()
            };
            let mut passes = tokio::task::JoinSet::new();
            for playbook in playbooks {
                let (runtime, turns) = (self.clone(), turns.clone());
                passes.spawn(async move {
                    let Ok(_turn) = turns.acquire_owned().await else { return false };
                    runtime.pass(&playbook).await
                });
            }
            let mut more = false;
            while let Some(done) = passes.join_next().await {
                match done {
                    Ok(left) => more |= left,
                    Err(why) => tracing::error!(%why, "a pass over a playbook broke down"),
                }
            }
            if more {
                continue;
            }
            tokio::select! {
                _ = stop.changed() => return,
                changed = appended.changed() => {
                    if changed.is_err() {
                        return;
                    }
                }
                () = self.0.views.woken.notified() => {}
                () = tokio::time::sleep(Duration::from_millis(limits::PASS_MILLISECONDS)) => {}
            }
        }
    }
}
