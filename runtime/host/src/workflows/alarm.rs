//! The alarm: wakes each run when its timer is due, by the clock and not by a count of seconds.

use crate::runtime::Runtime;
use playbook_engine::workflow::Input;
use playbook_history::Due;
use playbook_model::time::Moment;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::JoinSet;

/// Timers read at once.
const AT_ONCE: usize = 256;
/// Runs woken at the same time.
const TOGETHER: usize = 32;
/// A wait before the log is asked again when it could not be read.
const AGAIN: Duration = Duration::from_secs(1);

/// Tells that a timer was armed.
#[derive(Default)]
pub(crate) struct Alarm {
    armed: Notify,
}

impl Alarm {
    /// A timer is due then.
    pub(super) fn set(&self, _due: Moment) {
        self.armed.notify_one();
    }
}

impl Runtime {
    /// Wakes runs whose timers are due, until the runtime stops.
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
            match self.read(|history| history.next_due()).await {
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
        let Ok(due) = self.read(move |history| history.due(now, AT_ONCE)).await else {
            tokio::time::sleep(AGAIN).await;
            return;
        };
        // Of one run what was due first fires first, however late the clock is: a timeout before what it bounds.
        let mut runs: Vec<Vec<Due>> = Vec::new();
        for timer in due {
            let own =
                |timers: &Vec<Due>| timers.iter().any(|one| (&one.playbook, one.run) == (&timer.playbook, timer.run));
            match runs.iter().position(own) {
                Some(at) => runs[at].push(timer),
                None => runs.push(vec![timer]),
            }
        }
        let mut woken: JoinSet<bool> = JoinSet::new();
        let mut refused = false;
        for timers in runs {
            while woken.len() >= TOGETHER {
                refused |= matches!(woken.join_next().await, Some(Ok(false)));
            }
            let runtime = self.clone();
            woken.spawn(async move {
                let mut fine = true;
                for timer in timers {
                    fine &= runtime.wake(timer).await;
                }
                fine
            });
        }
        while let Some(done) = woken.join_next().await {
            refused |= matches!(done, Ok(false));
        }
        // A run that cannot go on now keeps its timer: it is not asked again at once.
        if refused {
            tokio::time::sleep(AGAIN).await;
        }
    }

    /// Wakes one run; false when it could not be gone on with.
    async fn wake(&self, timer: Due) -> bool {
        use super::decide::Delivered;
        let Due { playbook, run, number, .. } = timer;
        match self.deliver(&playbook, run, Input::TimerFired { timer: number }).await {
            Ok(Delivered::Applied | Delivered::Settled) => true,
            // It waits for no such timer: the row is of nobody.
            Ok(_) => self.drop_timer(&playbook, run, number).await.is_ok(),
            Err(refusal) => {
                tracing::warn!(?refusal, %run, "a run was not woken");
                false
            }
        }
    }
}
