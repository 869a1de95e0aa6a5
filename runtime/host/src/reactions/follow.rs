//! Who follows which playbook, and when a follower looks again.

use super::filters::{FilterKey, Stops};
use crate::runtime::Runtime;
use playbook_engine::trigger::Reactions;
use playbook_model::definition::DefinitionType;
use playbook_model::id::PlaybookKey;
use playbook_model::refusal::Refusal;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Notify;

/// The pass over what waits. "Event filters".
const SWEEP: Duration = Duration::from_secs(1);
/// How long a follower lets records gather.
const GATHER: Duration = Duration::from_millis(5);

/// The playbooks that are followed, by the text of their key, which streams are owned under.
#[derive(Default)]
pub(crate) struct Followers(Mutex<HashMap<String, Arc<Followed>>>);

/// A playbook that is followed.
#[derive(Default)]
struct Followed {
    woken: Notify,
    /// Up to which position of the log everything was dealt with.
    reached: AtomicU64,
    /// The filters it evaluates no more.
    stopped: Mutex<Vec<FilterKey>>,
}

/// What a follower knows of its playbook.
pub(super) struct Following {
    pub(super) playbook: PlaybookKey,
    /// Up to which position of the log events were matched.
    pub(super) checkpoint: u64,
    pub(super) reactions: Reactions,
    /// As they were last written.
    pub(super) written: (u64, String),
    pub(super) stops: Stops,
    /// What is to be told of filters of tasks: the workflow, its version, and why.
    pub(super) untold: Vec<(String, u32, String)>,
}

/// When a follower looks again.
pub(super) enum Next {
    /// At once: more is there.
    Now,
    /// When something is recorded, or a time comes.
    Wait,
    /// The same, and in a while in any case.
    Sweep,
}

impl Followers {
    /// Something was recorded under an owner of streams: its follower is woken, where it has one.
    pub(crate) fn recorded(&self, owner: &str) {
        if let Some(followed) = self.0.lock().expect("no holder panics").get(owner) {
            followed.woken.notify_one();
        }
    }

    /// Up to which position of the log a playbook's events were dealt with; `None` for one that nobody follows.
    pub(crate) fn reached(&self, owner: &str) -> Option<u64> {
        let followers = self.0.lock().expect("no holder panics");
        followers.get(owner).map(|followed| followed.reached.load(Ordering::Acquire))
    }

    /// The filters of a playbook that are not evaluated again for their version, while the program is open.
    pub(super) fn stopped(&self, owner: &str) -> Vec<FilterKey> {
        let followed = self.0.lock().expect("no holder panics").get(owner).cloned();
        followed.map(|followed| followed.stopped.lock().expect("no holder panics").clone()).unwrap_or_default()
    }
}

impl Runtime {
    /// Follows every playbook that has workflows, until the runtime stops.
    pub(crate) async fn follow_reactions(&self) -> Result<(), Refusal> {
        for playbook in self.read(|history| history.playbooks()).await? {
            if !self.definitions(&playbook, DefinitionType::Workflow).await?.by_name.is_empty() {
                self.follow_reacting(&playbook);
            }
        }
        Ok(())
    }

    /// Follows a playbook from now on; once is enough.
    pub(crate) fn follow_reacting(&self, playbook: &PlaybookKey) {
        let followed = {
            let mut followers = self.0.followers.0.lock().expect("no holder panics");
            if let Some(followed) = followers.get(&playbook.text()) {
                followed.woken.notify_one();
                return;
            }
            followers.entry(playbook.text()).or_default().clone()
        };
        let (runtime, playbook) = (self.clone(), playbook.clone());
        tokio::spawn(async move {
            let mut stopping = runtime.stop_signal();
            tokio::select! {
                _ = stopping.wait_for(|stopping| *stopping) => {}
                () = runtime.react(playbook, &followed) => {}
            }
        });
    }

    async fn react(&self, playbook: PlaybookKey, followed: &Followed) {
        let Followed { woken, reached, stopped } = followed;
        let mut following = loop {
            match self.following(&playbook).await {
                Ok(following) => break following,
                Err(refusal) => {
                    tracing::error!(?refusal, "a playbook cannot be followed yet");
                    tokio::time::sleep(SWEEP).await;
                }
            }
        };
        loop {
            let next = match self.react_pass(&mut following).await {
                Ok(next) => next,
                Err(refusal) => {
                    tracing::warn!(?refusal, "a pass over the events of a playbook was not finished");
                    Next::Sweep
                }
            };
            *stopped.lock().expect("no holder panics") = following.stops.for_good();
            reached.store(following.checkpoint, Ordering::Release);
            let due = following.reactions.next();
            let time = async {
                match due {
                    Some(due) => self.0.clock.until(due).await,
                    None => std::future::pending().await,
                }
            };
            match next {
                Next::Now => continue,
                Next::Wait => tokio::select! {
                    () = woken.notified() => {}
                    () = time => {}
                },
                Next::Sweep => tokio::select! {
                    () = woken.notified() => {}
                    () = time => {}
                    () = tokio::time::sleep(SWEEP) => {}
                },
            }
            tokio::time::sleep(GATHER).await;
        }
    }

    /// What a follower wrote last; one that never did begins where the playbook's workflows were first saved.
    async fn following(&self, playbook: &PlaybookKey) -> Result<Following, Refusal> {
        let key = playbook.clone();
        let written = self.read(move |history| history.reactions(&key)).await?;
        let (checkpoint, state) = written.unwrap_or((0, String::new()));
        let reactions = if state.is_empty() {
            Reactions::default()
        } else {
            serde_json::from_str(&state)
                .map_err(|why| crate::runtime::incident(&format!("what triggers wait for cannot be read: {why}")))?
        };
        Ok(Following {
            playbook: playbook.clone(),
            checkpoint,
            reactions,
            written: (checkpoint, state),
            stops: Stops::default(),
            untold: Vec::new(),
        })
    }
}
