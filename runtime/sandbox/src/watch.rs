//! The watch over a deadline: a thread beside an engine that brings its next checkpoint forward once it is late.
//!
//! The engine looks at the clock only at a checkpoint, and a loop of native work can take minutes to reach one.
//! Until the deadline the watch touches nothing, so a program that ends in time is counted exactly.

use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often a late program is brought to its next checkpoint, until it has ended.
const EVERY: Duration = Duration::from_millis(5);

struct State {
    deadline: Option<Instant>,
    idle: bool,
    closed: bool,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    /// The address of the engine's step counter.
    counter: usize,
}

/// A watch over one engine.
pub(crate) struct Watch {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// Starts a watch over the step counter at an address, which must stay valid until the watch is dropped.
    /// `None` when the system gives no thread; the deadline is then kept at checkpoints alone.
    pub(crate) fn new(counter: *mut i32) -> Option<Self> {
        let shared = Arc::new(Shared {
            state: Mutex::new(State { deadline: None, idle: false, closed: false }),
            changed: Condvar::new(),
            counter: counter as usize,
        });
        let watched = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("sandbox watch".into())
            .stack_size(64 * 1024)
            .spawn(move || watched.run())
            .ok()?;
        Some(Self { shared, thread: Some(thread) })
    }

    /// Watches from now on.
    pub(crate) fn arm(&self, deadline: Instant) {
        let mut state = self.shared.lock();
        state.deadline = Some(deadline);
        if state.idle {
            self.shared.changed.notify_one();
        }
    }

    /// Stops watching. The counter is not touched after this returns.
    pub(crate) fn disarm(&self) {
        self.shared.lock().deadline = None;
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        {
            let mut state = self.shared.lock();
            state.closed = true;
            state.deadline = None;
        }
        self.shared.changed.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        let mut state = self.lock();
        while !state.closed {
            let Some(deadline) = state.deadline else {
                state.idle = true;
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.idle = false;
                continue;
            };
            let left = deadline.saturating_duration_since(Instant::now());
            let pause = if left.is_zero() {
                self.bring_forward();
                EVERY
            } else {
                left
            };
            state = self.changed.wait_timeout(state, pause).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Called with the state locked, so never after [`Watch::disarm`] returned.
    fn bring_forward(&self) {
        // SAFETY: the counter is an aligned 32-bit word inside the engine's context, which outlives the watch.
        // The engine's thread counts it down without a lock: a store that is lost is made again 5 ms later.
        let counter = unsafe { AtomicI32::from_ptr(self.counter as *mut i32) };
        counter.store(1, Ordering::Relaxed);
    }
}
