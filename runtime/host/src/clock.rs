//! The one place that reads the time.

use playbook_model::time::Moment;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// What tells the time: the machine's clock, or one a test sets.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Moment + Send + Sync>);

impl Clock {
    /// The machine's clock.
    #[must_use]
    pub fn system() -> Self {
        Self::of(|| {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            Moment(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
        })
    }

    /// A clock of the caller's own.
    #[must_use]
    pub fn of(now: impl Fn() -> Moment + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// The time.
    #[must_use]
    pub fn now(&self) -> Moment {
        (self.0)()
    }
}

impl std::fmt::Debug for Clock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Clock")
    }
}
