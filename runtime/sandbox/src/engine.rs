//! One engine: a runtime and a context of QuickJS with the sandbox's library, its memory, its count and its watch.
//!
//! Knows nothing of modules, folds or JSON. Must be used on the thread that made it, with 4 MiB of stack or more.

use crate::allocator::{Ledger, functions};
use crate::compile::{self, Bytecode};
use crate::meter::{Halt, Meter, handler};
use crate::watch::Watch;
use playbook_model::limits::{STACK_BYTES, STEPS_IN_A_CHECKPOINT};
use rquickjs::qjs;
use std::ffi::{CStr, c_int};
use std::ptr;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Why an engine could not be made or used, which is never a program's fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoRoom;

/// The bare runtime and context, with memory and count. The fields' order is the order they end in.
pub(crate) struct Core {
    pub(crate) rt: *mut qjs::JSRuntime,
    pub(crate) ctx: *mut qjs::JSContext,
    pub(crate) meter: Box<Meter>,
    pub(crate) ledger: Box<Ledger>,
}

/// What of the language a context gets.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Library {
    /// Enough to compile: no program runs here.
    Compiler,
    /// Everything a program may use; and no way to make code from text.
    Program,
}

impl Core {
    pub(crate) fn new(limit: usize, library: Library) -> Result<Self, NoRoom> {
        let ledger = Ledger::new(limit);
        let meter = Meter::new(&ledger);
        let functions = functions();
        // SAFETY: the functions keep the engine's contract, and the boxed ledger outlives the runtime.
        let rt = unsafe { qjs::JS_NewRuntime2(&raw const functions, (&raw const *ledger).cast_mut().cast()) };
        if rt.is_null() {
            return Err(NoRoom);
        }
        // SAFETY: the runtime is fresh; the boxed meter outlives it.
        let ctx = unsafe {
            qjs::JS_SetMaxStackSize(rt, STACK_BYTES as _);
            qjs::JS_UpdateStackTop(rt);
            qjs::JS_SetInterruptHandler(rt, Some(handler), (&raw const *meter).cast_mut().cast());
            qjs::JS_NewContextRaw(rt)
        };
        if ctx.is_null() {
            return Err(NoRoom);
        }
        // SAFETY: a fresh context, each part added once.
        let added = unsafe {
            match library {
                Library::Compiler => {
                    qjs::JS_AddIntrinsicRegExpCompiler(ctx);
                    qjs::JS_AddIntrinsicBaseObjects(ctx) | qjs::JS_AddIntrinsicEval(ctx)
                }
                // Promise stays, though its name goes: without it, making an async function breaks the engine.
                // Eval is never added: no way from a prototype to run-time code can exist.
                Library::Program => {
                    qjs::JS_AddIntrinsicRegExpCompiler(ctx);
                    qjs::JS_AddIntrinsicBaseObjects(ctx)
                        | qjs::JS_AddIntrinsicDate(ctx)
                        | qjs::JS_AddIntrinsicRegExp(ctx)
                        | qjs::JS_AddIntrinsicJSON(ctx)
                        | qjs::JS_AddIntrinsicProxy(ctx)
                        | qjs::JS_AddIntrinsicMapSet(ctx)
                        | qjs::JS_AddIntrinsicTypedArrays(ctx)
                        | qjs::JS_AddIntrinsicBigInt(ctx)
                        | qjs::JS_AddIntrinsicPromise(ctx)
                }
            }
        };
        if added < 0 {
            return Err(NoRoom);
        }
        Ok(Self { rt, ctx, meter, ledger })
    }

    /// Takes the pending exception away.
    pub(crate) fn take_exception(&self) -> qjs::JSValue {
        // SAFETY: the context is alive; the caller frees the value.
        unsafe { qjs::JS_GetException(self.ctx) }
    }

    /// Takes the pending exception away and forgets it.
    pub(crate) fn drop_exception(&self) {
        let thrown = self.take_exception();
        // SAFETY: just taken, so owned.
        unsafe { qjs::JS_FreeValue(self.ctx, thrown) };
    }

    /// Runs with the memory limit lifted, for work of the host's own whose size the host bounds.
    pub(crate) fn unlimited<T>(&self, work: impl FnOnce() -> T) -> T {
        let limit = self.ledger.set_limit(usize::MAX);
        let done = work();
        self.ledger.set_limit(limit);
        done
    }

    /// Evaluates bytecode as a script, to its completion value.
    pub(crate) fn evaluate(&self, code: &Bytecode) -> qjs::JSValue {
        // SAFETY: the bytes were written by the same engine in this process.
        unsafe {
            qjs::JS_UpdateStackTop(self.rt);
            let function = qjs::JS_ReadObject(
                self.ctx,
                code.bytes().as_ptr(),
                code.bytes().len() as _,
                qjs::JS_READ_OBJ_BYTECODE as c_int,
            );
            if qjs::JS_IsException(function) {
                return function;
            }
            qjs::JS_EvalFunction(self.ctx, function)
        }
    }

    /// Calls a function without `this`. The caller frees what it returns.
    #[inline(never)]
    pub(crate) fn call(&self, function: qjs::JSValue, arguments: &mut [qjs::JSValue]) -> qjs::JSValue {
        let count = c_int::try_from(arguments.len()).expect("a handful of arguments");
        // SAFETY: live values of this context. The stack is measured from here, so each entry has the same room.
        unsafe {
            qjs::JS_UpdateStackTop(self.rt);
            qjs::JS_Call(self.ctx, function, qjs::JS_UNDEFINED, count, arguments.as_mut_ptr())
        }
    }

    /// Where the step counter is, as found once for the process; `None` when it was not found for certain.
    pub(crate) fn counter(&self) -> Option<*mut i32> {
        let offset = crate::counter::offset()?;
        Some(self.ctx.cast::<u8>().wrapping_add(offset).cast())
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        // The runtime is not asked to end itself; see the allocator.
        self.ledger.free_all();
    }
}

struct Inner {
    watch: Option<Watch>,
    set_clock: qjs::JSValue,
    freeze: qjs::JSValue,
    describe: qjs::JSValue,
    drain: qjs::JSValue,
    core: Core,
}

/// An engine with the sandbox's library. Cheap to clone; the last clone ends it.
#[derive(Clone)]
pub(crate) struct Engine(Rc<Inner>);

/// A value of an engine, freed when dropped.
pub(crate) struct Value {
    engine: Engine,
    raw: qjs::JSValue,
}

impl Value {
    /// The value, which stays owned by this.
    pub(crate) fn raw(&self) -> qjs::JSValue {
        self.raw
    }

    /// Whether it can be called.
    pub(crate) fn is_function(&self) -> bool {
        // SAFETY: a live value of this engine.
        unsafe { qjs::JS_IsFunction(self.engine.ctx(), self.raw) }
    }
}

impl Drop for Value {
    fn drop(&mut self) {
        // SAFETY: owned, and the engine it belongs to is still alive.
        unsafe { qjs::JS_FreeValue(self.engine.core().ctx, self.raw) };
    }
}

/// How an evaluation ended.
pub(crate) enum Outcome {
    /// It returned.
    Returned(Value),
    /// It raised, with the text and the line of what it raised.
    Raised {
        /// Cut at the bound of error texts.
        message: String,
        /// Counted as the program's text counts its own.
        line: Option<u32>,
    },
    /// It was ended, or memory was refused to it, whether it returned or not.
    Halted(Halt),
}

impl Engine {
    /// A fresh engine, its library in place. A freeze is asked for with [`Engine::freeze`].
    pub(crate) fn new(memory: usize) -> Result<Self, NoRoom> {
        let core = Core::new(usize::MAX, Library::Program)?;
        core.meter.start(u32::MAX, None);
        let parts = core.evaluate(compile::boot());
        // SAFETY: the boot script returns a list of four functions; each is owned by the engine from here on.
        let part = |at: u32| unsafe { qjs::JS_GetPropertyUint32(core.ctx, parts, at) };
        let (set_clock, freeze, describe, drain) = (part(0), part(1), part(2), part(3));
        for function in [set_clock, freeze, describe, drain] {
            // SAFETY: a value of this context.
            if !unsafe { qjs::JS_IsFunction(core.ctx, function) } {
                return Err(NoRoom);
            }
        }
        // SAFETY: owned here.
        unsafe { qjs::JS_FreeValue(core.ctx, parts) };
        core.ledger.set_limit(memory);
        core.ledger.mark_peak();
        let watch = core.counter().and_then(Watch::new);
        Ok(Self(Rc::new(Inner { watch, set_clock, freeze, describe, drain, core })))
    }

    pub(crate) fn core(&self) -> &Core {
        &self.0.core
    }

    pub(crate) fn ctx(&self) -> *mut qjs::JSContext {
        self.core().ctx
    }

    /// Takes ownership of a value of this engine.
    pub(crate) fn own(&self, raw: qjs::JSValue) -> Value {
        Value { engine: self.clone(), raw }
    }

    /// What `Date.now()` returns from now on.
    pub(crate) fn set_clock(&self, milliseconds: i64) {
        #[allow(clippy::cast_precision_loss, reason = "moments of any calendar year are exact")]
        let moment = qjs::JS_NewFloat64(milliseconds as f64);
        self.host_call(self.0.set_clock, &mut [moment]);
    }

    /// Freezes the library, once, and the given values with all they lead to. Returns how many objects are frozen.
    pub(crate) fn freeze(&self, roots: &[&Value]) -> Result<u32, NoRoom> {
        let mut roots: Vec<qjs::JSValue> = roots.iter().map(|value| value.raw).collect();
        let count = self.host_call(self.0.freeze, &mut roots).ok_or(NoRoom)?;
        // SAFETY: any value has a tag.
        if unsafe { qjs::JS_VALUE_GET_TAG(count.raw) } != qjs::JS_TAG_INT {
            return Err(NoRoom);
        }
        // SAFETY: the tag says it is an integer.
        Ok(unsafe { qjs::JS_VALUE_GET_INT(count.raw) }.unsigned_abs())
    }

    /// Reads JSON text within the memory of the program.
    pub(crate) fn parse(&self, json: &str) -> Option<Value> {
        // The engine reads a zero after the text, which Rust's texts do not have.
        let mut text = Vec::with_capacity(json.len() + 1);
        text.extend_from_slice(json.as_bytes());
        text.push(0);
        // SAFETY: the text ends with a zero, and the name is a C text.
        let raw = unsafe {
            qjs::JS_UpdateStackTop(self.core().rt);
            qjs::JS_ParseJSON(self.ctx(), text.as_ptr().cast(), json.len() as _, c"value".as_ptr())
        };
        // SAFETY: any value has a tag.
        if unsafe { qjs::JS_IsException(raw) } {
            self.core().drop_exception();
            return None;
        }
        Some(self.own(raw))
    }

    /// One place of a list that the host made.
    pub(crate) fn place(&self, list: &Value, at: usize) -> Value {
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        // SAFETY: a live list of this context.
        self.own(unsafe { qjs::JS_GetPropertyUint32(self.ctx(), list.raw, at) })
    }

    /// A member of an object that was just parsed; `undefined` when it has none of its own.
    pub(crate) fn parsed_member(&self, object: &Value, name: &CStr) -> Value {
        // SAFETY: a live object whose members are plain data.
        self.own(unsafe { qjs::JS_GetPropertyStr(self.ctx(), object.raw, name.as_ptr()) })
    }

    /// Evaluates bytecode as a script under a budget.
    pub(crate) fn evaluate(&self, code: &Bytecode, work: u32, deadline: Instant) -> Outcome {
        self.metered(work, deadline, || self.core().evaluate(code))
    }

    /// Calls a function under a budget, from the beginning of a period of steps.
    pub(crate) fn call(&self, function: &Value, arguments: &[&Value], work: u32, deadline: Instant) -> Outcome {
        let mut given: Vec<qjs::JSValue> = arguments.iter().map(|argument| argument.raw).collect();
        // A function may read its two parameters, given or not, without a look at how many were given.
        given.resize(given.len().max(2), qjs::JS_UNDEFINED);
        self.metered(work, deadline, || self.core().call(function.raw, &mut given))
    }

    fn metered(&self, work: u32, deadline: Instant, evaluate: impl FnOnce() -> qjs::JSValue) -> Outcome {
        let core = self.core();
        self.new_period();
        core.ledger.clear_hit();
        core.meter.start(work, Some(deadline));
        if let Some(watch) = &self.0.watch {
            watch.arm(deadline);
        }
        let raw = evaluate();
        if let Some(watch) = &self.0.watch {
            watch.disarm();
        }
        // SAFETY: any value has a tag.
        let raised = unsafe { qjs::JS_IsException(raw) };
        let thrown = raised.then(|| self.own(core.take_exception()));
        let value = (!raised).then(|| self.own(raw));
        // A refused block counts even when the program caught the engine's error about it.
        if core.ledger.hit() {
            return Outcome::Halted(Halt::Memory);
        }
        if let Some(halt) = core.meter.halt() {
            return Outcome::Halted(halt);
        }
        match (value, thrown) {
            (Some(value), _) => Outcome::Returned(value),
            (None, Some(thrown)) => {
                let (message, line) = self.describe(&thrown);
                core.meter.start(u32::MAX, None);
                Outcome::Raised { message, line }
            }
            (None, None) => unreachable!("an evaluation returns or raises"),
        }
    }

    /// Checkpoints the last evaluation spent.
    pub(crate) fn work(&self) -> u32 {
        self.core().meter.work()
    }

    /// Puts the step counter at the beginning of a period.
    ///
    /// Draining is what it means: the rest of the period before is spent first. Setting the counter is its fast form;
    /// a test holds the two against each other.
    fn new_period(&self) {
        match self.core().counter() {
            // SAFETY: the offset was found and verified for this build of the engine; the watch is not armed.
            Some(counter) => unsafe { ptr::write(counter, STEPS_IN_A_CHECKPOINT) },
            None => self.drain(),
        }
    }

    /// Spends the rest of a period of steps.
    pub(crate) fn drain(&self) {
        let core = self.core();
        core.meter.drain();
        let raw = core.call(self.0.drain, &mut []);
        // SAFETY: owned; an exception has nothing to free.
        unsafe { qjs::JS_FreeValue(core.ctx, raw) };
        core.drop_exception();
    }

    /// Calls one of the host's own functions, whose work nobody counts.
    fn host_call(&self, function: qjs::JSValue, arguments: &mut [qjs::JSValue]) -> Option<Value> {
        let core = self.core();
        core.meter.start(u32::MAX, None);
        let raw = core.unlimited(|| core.call(function, arguments));
        // SAFETY: any value has a tag.
        if unsafe { qjs::JS_IsException(raw) } {
            core.drop_exception();
            return None;
        }
        Some(self.own(raw))
    }

    /// The text and the line of what was thrown. It may run the program's own getters, so it has a budget of its own.
    fn describe(&self, thrown: &Value) -> (String, Option<u32>) {
        /// Checkpoints for reading one error.
        const WORK: u32 = 10;
        /// Milliseconds for reading one error.
        const TIME: Duration = Duration::from_millis(200);
        /// Bytes beyond what the program holds, for reading one error.
        const MEMORY: usize = 8 * 1024 * 1024;
        let core = self.core();
        let unreadable = || ("a value that has no text".to_owned(), None);
        self.new_period();
        let deadline = Instant::now() + TIME;
        core.meter.start(WORK, Some(deadline));
        if let Some(watch) = &self.0.watch {
            watch.arm(deadline);
        }
        let limit = core.ledger.set_limit(core.ledger.used().saturating_add(MEMORY));
        let raw = core.call(self.0.describe, &mut [thrown.raw]);
        core.ledger.set_limit(limit);
        core.ledger.clear_hit();
        if let Some(watch) = &self.0.watch {
            watch.disarm();
        }
        // SAFETY: any value has a tag.
        if unsafe { qjs::JS_IsException(raw) } {
            core.drop_exception();
            return unreadable();
        }
        let parts = self.own(raw);
        // SAFETY: the function returns a list of two texts.
        let part = |at: u32| self.own(unsafe { qjs::JS_GetPropertyUint32(core.ctx, parts.raw, at) });
        let (Some(text), Some(stack)) = (self.text(&part(0)), self.text(&part(1))) else {
            return unreadable();
        };
        (playbook_model::json::cut(&text, playbook_model::limits::ERROR_TEXT_BYTES), compile::line_in(&stack))
    }

    /// The text of a value that is a text; a half of a surrogate pair becomes U+FFFD.
    fn text(&self, value: &Value) -> Option<String> {
        // SAFETY: any value has a tag.
        if !unsafe { qjs::JS_IsString(value.raw) } {
            return None;
        }
        let mut length: qjs::size_t = 0;
        // SAFETY: a live text; what comes back is freed below.
        let raw =
            self.core().unlimited(|| unsafe { qjs::JS_ToCStringLen2(self.ctx(), &raw mut length, value.raw, false) });
        if raw.is_null() {
            self.core().drop_exception();
            return None;
        }
        // SAFETY: the engine returned this many bytes, and they are freed once copied.
        let text = unsafe {
            let bytes = std::slice::from_raw_parts(raw.cast::<u8>(), length as usize);
            let text = String::from_utf8_lossy(bytes).into_owned();
            qjs::JS_FreeCString(self.ctx(), raw);
            text
        };
        Some(text)
    }
}

/// The engine's own version, which counts of work depend on.
#[must_use]
pub fn engine_version() -> &'static str {
    // SAFETY: a constant C text.
    unsafe { CStr::from_ptr(qjs::JS_GetVersion()) }.to_str().unwrap_or("unknown")
}
