//! The alarm: wakes each run when its timer is due and ends each request whose time is over, by the clock and not by a
//! count of seconds.
//!
//! However late the clock is, what was due first comes first: not of a run alone, but of all that one run at the top
//! called. A request that expired before its caller gave up waiting for it is one that expired.

use super::decide::{Delivered, answer_of};
use crate::runtime::Runtime;
use playbook_engine::run::Stream as RunStream;
use playbook_engine::workflow::Input;
use playbook_history::{History, ReadError, Stream};
use playbook_model::id::{PlaybookKey, RunId};
use playbook_model::limits;
use playbook_model::refusal::Refusal;
use playbook_model::time::Moment;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::JoinSet;

/// Timers and requests read at once.
const AT_ONCE: usize = 256;
/// Trees of runs woken at the same time.
const TOGETHER: usize = 32;
/// A wait before the log is asked again when it could not be read or written.
const AGAIN: Duration = Duration::from_secs(1);

/// Tells that a timer was armed, or a request made.
#[derive(Default)]
pub(crate) struct Alarm {
    armed: Notify,
}

impl Alarm {
    /// Something is due at some time.
    pub(crate) fn set(&self) {
        self.armed.notify_one();
    }
}

/// What is due.
#[derive(Debug, Clone, Copy)]
enum What {
    /// A timer, by its number.
    Timer(u64),
    /// An open request.
    Request,
}

struct Due {
    playbook: PlaybookKey,
    run: RunId,
    at: Moment,
    what: What,
}

/// What is due of one tree of runs, the earliest first.
struct Tree {
    playbook: PlaybookKey,
    top: RunId,
    /// Whether runs wait for others within it.
    calls: bool,
    due: Vec<Due>,
}

impl Runtime {
    /// Wakes runs whose timers are due and ends requests whose time is over, until the runtime stops.
    pub(crate) fn follow_timers(&self) {
        let runtime = self.clone();
        tokio::spawn(async move {
            let mut stopping = runtime.stop_signal();
            tokio::select! {
                _ = stopping.wait_for(|stopping| *stopping) => {}
                () = runtime.wake_runs() => {}
            }
        });
    }

    async fn wake_runs(&self) {
        loop {
            match self.read(next).await {
                Ok(Some(due)) if due > self.now() => {
                    tokio::select! {
                        () = self.0.clock.until(due) => {}
                        () = self.0.alarm.armed.notified() => {}
                    }
                }
                Ok(Some(_)) => self.wake_due().await,
                Ok(None) => self.0.alarm.armed.notified().await,
                Err(_) => tokio::time::sleep(AGAIN).await,
            }
        }
    }

    async fn wake_due(&self) {
        let now = self.now();
        let Ok(trees) = self.read(move |history| due(history, now)).await else {
            tokio::time::sleep(AGAIN).await;
            return;
        };
        let mut woken: JoinSet<bool> = JoinSet::new();
        let mut refused = false;
        for tree in trees {
            while woken.len() >= TOGETHER {
                refused |= !matches!(woken.join_next().await, Some(Ok(true)));
            }
            let runtime = self.clone();
            woken.spawn(async move { runtime.wake_tree(tree, now).await });
        }
        while let Some(done) = woken.join_next().await {
            refused |= !matches!(done, Ok(true));
        }
        // What cannot go on now stays due: it is not asked again at once.
        if refused {
            tokio::time::sleep(AGAIN).await;
        }
    }

    /// Goes on with one tree of runs; false when a run could not be gone on with.
    async fn wake_tree(&self, tree: Tree, now: Moment) -> bool {
        let mut fine = true;
        for Due { playbook, run, at, what } in &tree.due {
            if tree.calls {
                // What came of the item before goes first: its callers hear of it, and whom it takes back ends.
                self.cancel_wished().await;
                if let Err(refusal) = self.tell_callers(playbook, tree.top, *at, now).await {
                    tracing::warn!(?refusal, %run, "a caller was not told in time");
                    return false;
                }
            }
            let done = match what {
                What::Timer(number) => self.wake(playbook, *run, *number).await,
                What::Request => self.expire_request(playbook, *run).await,
            };
            if let Err(refusal) = done {
                tracing::warn!(?refusal, %run, "a run was not woken");
                fine = false;
            }
        }
        fine
    }

    /// Wakes one run.
    async fn wake(&self, playbook: &PlaybookKey, run: RunId, number: u64) -> Result<(), Refusal> {
        match self.deliver(playbook, run, Input::TimerFired { timer: number }).await? {
            Delivered::Applied | Delivered::Settled => Ok(()),
            // It waits for no such timer: the row is of nobody.
            _ => self.drop_timer(playbook, run, number).await,
        }
    }

    /// Tells each caller of a tree how the run it waits for ended, where that was before what is due next, or came of
    /// what was due before it.
    async fn tell_callers(&self, playbook: &PlaybookKey, top: RunId, by: Moment, since: Moment) -> Result<(), Refusal> {
        // A caller that ends of it has a caller in turn.
        for _ in 0..=limits::CALL_DEPTH {
            let key = playbook.clone();
            let untold = self.read(move |history| history.untold(&key, top, by, since)).await?;
            if untold.is_empty() {
                break;
            }
            for child in untold {
                let RunStream::Run(state) = self.run_stream(&Stream::run(playbook, child)).await? else { continue };
                let key = playbook.clone();
                let caller = self.read(move |history| history.caller(&key, child)).await?;
                if let (Some(ended), Some((run, call))) = (state.ended, caller) {
                    self.deliver(playbook, run, Input::CallAnswered { call, answer: answer_of(ended.ending) }).await?;
                }
            }
        }
        Ok(())
    }
}

/// When the next timer or request is due.
fn next(history: &History) -> Result<Option<Moment>, ReadError> {
    Ok(history.next_due()?.into_iter().chain(history.next_expiry()?).min())
}

/// What is due by a moment, tree by tree.
fn due(history: &History, now: Moment) -> Result<Vec<Tree>, ReadError> {
    let timers = history.due(now, AT_ONCE)?.into_iter().map(|timer| Due {
        playbook: timer.playbook,
        run: timer.run,
        at: timer.due,
        what: What::Timer(timer.number),
    });
    let requests = history.expired(now, AT_ONCE)?.into_iter();
    let requests = requests.map(|(playbook, run, at)| Due { playbook, run, at, what: What::Request });
    let mut all: Vec<Due> = timers.chain(requests).collect();
    // Of the same time a timer comes first: a timeout before what it bounds.
    all.sort_by_key(|due| due.at);
    all.truncate(AT_ONCE);
    let mut trees: Vec<Tree> = Vec::new();
    for due in all {
        let top = history.top(&due.playbook, due.run)?;
        match trees.iter_mut().find(|tree| (&tree.playbook, tree.top) == (&due.playbook, top)) {
            Some(tree) => tree.due.push(due),
            None => {
                let calls = history.open_under(&due.playbook, top)? > 0;
                trees.push(Tree { playbook: due.playbook.clone(), top, calls, due: vec![due] });
            }
        }
    }
    Ok(trees)
}
