//! Finds the engine's step counter inside its context, once a process.
//!
//! The engine has no function for it. It is found by what it does: it stands at 10,000 after a drain and falls by the
//! known steps of known loops. Where that does not name one word for certain, periods are drained instead.

use crate::compile;
use crate::engine::{Core, Library};
use playbook_model::limits::STEPS_IN_A_CHECKPOINT;
use rquickjs::qjs;
use std::sync::OnceLock;

/// Bytes from the start of a context to its counter.
pub(crate) fn offset() -> Option<usize> {
    static FOUND: OnceLock<Option<usize>> = OnceLock::new();
    *FOUND.get_or_init(|| {
        let found = find();
        if found.is_none() {
            tracing::warn!("the engine's step counter was not found; periods of steps are drained");
        }
        found
    })
}

struct Probe {
    core: Core,
    drain: qjs::JSValue,
    turn: qjs::JSValue,
}

impl Probe {
    fn function(core: &Core, text: &str) -> Option<qjs::JSValue> {
        let code = compile::script(text).ok()?;
        let function = core.evaluate(&code);
        // SAFETY: a value of this context.
        unsafe { qjs::JS_IsFunction(core.ctx, function) }.then_some(function)
    }

    fn new() -> Option<Self> {
        let core = Core::new(usize::MAX, Library::Program).ok()?;
        let drain = Self::function(&core, "(() => { for (;;); })")?;
        let turn = Self::function(&core, "((turns) => { for (let i = 0; i < turns; i++); })")?;
        Some(Self { core, drain, turn })
    }

    fn drain(&self) {
        self.core.meter.drain();
        let _ = self.core.call(self.drain, &mut []);
        self.core.drop_exception();
        self.core.meter.start(u32::MAX, None);
    }

    /// Runs a loop of so many turns, two steps each, and counts its checkpoints.
    fn turns(&self, turns: i32) -> u32 {
        self.core.meter.start(u32::MAX, None);
        let _ = self.core.call(self.turn, &mut [qjs::JS_MKVAL(qjs::JS_TAG_INT, turns)]);
        self.core.meter.work()
    }

    fn words(&self) -> usize {
        // SAFETY: the context is a block of this runtime.
        let bytes = unsafe { qjs::js_malloc_usable_size(self.core.ctx, self.core.ctx.cast()) };
        (bytes as usize).min(4096) / size_of::<i32>()
    }

    fn word(&self, at: usize) -> *mut i32 {
        self.core.ctx.cast::<i32>().wrapping_add(at)
    }

    fn read(&self, at: usize) -> i32 {
        // SAFETY: within the context's block, which was made of zeros, and aligned.
        unsafe { self.word(at).read() }
    }
}

fn find() -> Option<usize> {
    let probe = Probe::new()?;
    let after = |turns: i32| -> Vec<i32> {
        probe.drain();
        probe.turns(turns);
        (0..probe.words()).map(|at| probe.read(at)).collect()
    };
    let (none, few, more) = (after(0), after(100), after(300));
    let fits = |at: &usize| {
        none[*at] <= STEPS_IN_A_CHECKPOINT
            && none[*at] > STEPS_IN_A_CHECKPOINT - 50
            && none[*at] - few[*at] == 200
            && few[*at] - more[*at] == 400
    };
    let candidates: Vec<usize> = (0..probe.words()).filter(fits).collect();
    let [at] = candidates[..] else { return None };
    // Setting it must do what draining does, to the step.
    let entry = STEPS_IN_A_CHECKPOINT - none[at];
    for left in [1, 7, 100, STEPS_IN_A_CHECKPOINT] {
        for turns in [0, 3, 50, 4_900, 5_100] {
            // SAFETY: the one word that fits.
            unsafe { probe.word(at).write(left) };
            let ticks = probe.turns(turns);
            let steps = turns * 2 + entry;
            let expected = if steps < left { 0 } else { 1 + (steps - left) / STEPS_IN_A_CHECKPOINT };
            if i64::from(ticks) != i64::from(expected) {
                return None;
            }
        }
    }
    Some(at * size_of::<i32>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counter_is_found_on_this_system() {
        crate::with_stack(|| assert!(offset().is_some()));
    }

    #[test]
    fn setting_does_what_draining_does() {
        crate::with_stack(|| {
            let probe = Probe::new().expect("an engine");
            let counter = probe.core.counter().expect("the counter was found");
            let read = || {
                // SAFETY: the word that was found, of a context that is alive.
                unsafe { counter.read() }
            };
            for turns in [0, 1, 2_499, 4_998, 4_999, 5_000, 12_345, 1_000_000] {
                // Whatever ran before leaves another part of a period.
                probe.turns(turns % 977);
                probe.drain();
                assert_eq!(read(), STEPS_IN_A_CHECKPOINT);
                let drained = probe.turns(turns);
                let left = read();
                probe.turns(turns % 1_013);
                // SAFETY: as above.
                unsafe { counter.write(STEPS_IN_A_CHECKPOINT) };
                assert_eq!(probe.turns(turns), drained, "{turns} turns");
                assert_eq!(read(), left, "{turns} turns");
            }
        });
    }
}
