//! Requests whose time is over: ended when the clock says so, and at the next opening where the program was away.

use crate::runtime::Runtime;
use std::time::Duration;
use tokio::task::JoinSet;

/// Requests read at once.
const AT_ONCE: usize = 256;
/// Requests ended at the same time.
const TOGETHER: usize = 32;
/// A wait before the log is asked again when something could not be read or written.
const AGAIN: Duration = Duration::from_secs(1);

impl Runtime {
    /// Ends requests whose time is over, until the runtime stops.
    pub(crate) fn follow_requests(&self) {
        let runtime = self.clone();
        tokio::spawn(async move {
            let mut stopping = runtime.stop_signal();
            tokio::select! {
                _ = stopping.wait_for(|stopping| *stopping) => {}
                () = runtime.expire_requests() => {}
            }
        });
    }

    async fn expire_requests(&self) {
        loop {
            match self.read(|history| history.next_expiry()).await {
                Ok(Some(due)) if due > self.now() => {
                    // A request that was made meanwhile may expire sooner.
                    tokio::select! {
                        () = self.0.clock.until(due) => {}
                        () = self.0.requests.notified() => {}
                    }
                }
                Ok(Some(_)) => {
                    if !self.expire_due().await {
                        tokio::time::sleep(AGAIN).await;
                    }
                }
                Ok(None) => self.0.requests.notified().await,
                Err(_) => tokio::time::sleep(AGAIN).await,
            }
        }
    }

    /// Ends what is due now; false when one could not be ended.
    async fn expire_due(&self) -> bool {
        let now = self.now();
        let Ok(due) = self.read(move |history| history.expired(now, AT_ONCE)).await else { return false };
        let mut ending: JoinSet<bool> = JoinSet::new();
        let mut all = true;
        for (playbook, run) in due {
            while ending.len() >= TOGETHER {
                all &= matches!(ending.join_next().await, Some(Ok(true)));
            }
            let runtime = self.clone();
            ending.spawn(async move {
                let ended = runtime.expire_request(&playbook, run).await;
                if let Err(refusal) = &ended {
                    tracing::warn!(?refusal, %run, "a request was not ended");
                }
                ended.is_ok()
            });
        }
        while let Some(ended) = ending.join_next().await {
            all &= matches!(ended, Ok(true));
        }
        all
    }
}
