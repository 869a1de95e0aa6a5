//! Counting work: the engine calls a handler every 10,000 of its steps, and one call is one checkpoint.
//!
//! Every evaluation starts at the beginning of a period, so a count never depends on what ran before.
//! Knows nothing of values.

use crate::allocator::Ledger;
use rquickjs::qjs;
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::time::Instant;

/// Why the handler ended a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Halt {
    /// More checkpoints than it may spend.
    Work,
    /// A block of memory was refused.
    Memory,
    /// The deadline passed.
    Time,
}

/// What the handler is for at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// A program runs.
    Counting,
    /// The rest of a period is being spent.
    Draining,
}

/// The count of one engine. Its address is given to the engine, so it lives in a box and never moves.
pub(crate) struct Meter {
    mode: Cell<Mode>,
    work: Cell<u32>,
    budget: Cell<u32>,
    deadline: Cell<Option<Instant>>,
    halt: Cell<Option<Halt>>,
    ledger: *const Ledger,
}

impl Meter {
    /// A count at zero. The ledger must outlive it.
    pub(crate) fn new(ledger: &Ledger) -> Box<Self> {
        Box::new(Self {
            mode: Cell::new(Mode::Counting),
            work: Cell::new(0),
            budget: Cell::new(u32::MAX),
            deadline: Cell::new(None),
            halt: Cell::new(None),
            ledger,
        })
    }

    /// Starts an evaluation of at most `budget` checkpoints.
    pub(crate) fn start(&self, budget: u32, deadline: Option<Instant>) {
        self.mode.set(Mode::Counting);
        self.work.set(0);
        self.budget.set(budget);
        self.deadline.set(deadline);
        self.halt.set(None);
    }

    /// From now on the next checkpoint ends whatever runs, until [`Meter::start`].
    pub(crate) fn drain(&self) {
        self.mode.set(Mode::Draining);
    }

    /// Checkpoints spent since the start. The one that went past the budget is not among them.
    pub(crate) fn work(&self) -> u32 {
        self.work.get().min(self.budget.get())
    }

    /// Why the program was ended, if it was.
    pub(crate) fn halt(&self) -> Option<Halt> {
        self.halt.get()
    }

    fn checkpoint(&self) -> c_int {
        if self.mode.get() == Mode::Draining {
            return 1;
        }
        // SAFETY: the ledger outlives the meter.
        let hit = unsafe { (*self.ledger).hit() };
        let late = self.deadline.get().is_some_and(|deadline| Instant::now() >= deadline);
        let halt = if hit {
            Some(Halt::Memory)
        } else if late {
            Some(Halt::Time)
        } else {
            self.work.set(self.work.get().saturating_add(1));
            (self.work.get() > self.budget.get()).then_some(Halt::Work)
        };
        if self.halt.get().is_none() {
            self.halt.set(halt);
        }
        c_int::from(halt.is_some())
    }
}

/// What the engine calls.
pub(crate) unsafe extern "C" fn handler(_: *mut qjs::JSRuntime, opaque: *mut c_void) -> c_int {
    // SAFETY: the opaque pointer is the meter, which outlives the engine.
    unsafe { (*opaque.cast::<Meter>()).checkpoint() }
}
