//! The one place that reads the time, and that waits for it.

use playbook_model::time::Moment;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::watch;

/// How long a wait goes by the machine's timer before it looks at the clock again: a computer that slept, or whose
/// clock was set, is noticed within this.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// What tells the time: the machine's clock, or one a test sets.
#[derive(Clone)]
pub struct Clock {
    now: Arc<dyn Fn() -> Moment + Send + Sync>,
    /// Of a clock that is set: changes with each setting.
    set: Option<watch::Receiver<Moment>>,
}

impl Clock {
    /// The machine's clock.
    #[must_use]
    pub fn system() -> Self {
        Self::of(|| {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            Moment(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
        })
    }

    /// A clock of the caller's own, which is looked at twice a second while something waits for it.
    #[must_use]
    pub fn of(now: impl Fn() -> Moment + Send + Sync + 'static) -> Self {
        Self { now: Arc::new(now), set: None }
    }

    /// A clock that stands still until it is set, and wakes who waits for it when it is.
    #[must_use]
    pub fn standing(at: Moment) -> (Self, SetClock) {
        let (setter, told) = watch::channel(at);
        let now = told.clone();
        (Self { now: Arc::new(move || *now.borrow()), set: Some(told) }, SetClock(setter))
    }

    /// The time.
    #[must_use]
    pub fn now(&self) -> Moment {
        (self.now)()
    }

    /// Waits until the clock shows a moment or a later one.
    pub async fn until(&self, moment: Moment) {
        if let Some(set) = &self.set {
            // The setter is gone: the time never comes.
            if set.clone().wait_for(|now| *now >= moment).await.is_err() {
                std::future::pending::<()>().await;
            }
            return;
        }
        loop {
            let left = moment.0.saturating_sub(self.now().0);
            let Ok(left) = u64::try_from(left) else { return };
            if left == 0 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(left).min(LOOK_AGAIN)).await;
        }
    }
}

/// Sets a standing clock.
#[derive(Debug, Clone)]
pub struct SetClock(watch::Sender<Moment>);

impl SetClock {
    /// Sets it, forward or back.
    pub fn set(&self, to: Moment) {
        self.0.send_replace(to);
    }

    /// Moves it on.
    pub fn pass(&self, milliseconds: i64) {
        self.0.send_modify(|now| now.0 += milliseconds);
    }

    /// The time it shows.
    #[must_use]
    pub fn now(&self) -> Moment {
        *self.0.borrow()
    }
}

impl std::fmt::Debug for Clock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Clock")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_wait_ends_when_the_clock_is_set_past_it() {
        let (clock, set) = Clock::standing(Moment(1_000));
        clock.until(Moment(1_000)).await;
        let waits = tokio::spawn({
            let clock = clock.clone();
            async move { clock.until(Moment(5_000)).await }
        });
        set.pass(3_999);
        tokio::task::yield_now().await;
        assert!(!waits.is_finished(), "a millisecond is missing");
        set.pass(1);
        waits.await.expect("the wait ends");
        assert_eq!(clock.now(), Moment(5_000));
    }

    #[tokio::test]
    async fn the_machines_clock_is_waited_for() {
        let clock = Clock::system();
        let due = Moment(clock.now().0 + 20);
        clock.until(due).await;
        assert!(clock.now() >= due);
    }
}
