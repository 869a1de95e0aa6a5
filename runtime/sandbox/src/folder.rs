//! Folding events into a view in one kept sandbox, frozen once its module is loaded.
//!
//! "The module", "How the view is kept" and "When a view stalls" of the recall format. A view depends on its events
//! alone: not on where a page begins, nor on how long the sandbox has been kept. So each evaluation starts at a fresh
//! period of steps, the next fold is given what JSON gives back, and memory is judged in a fresh sandbox.

use crate::compile::Bytecode;
use crate::engine::{Engine, Outcome, Value};
use crate::members::{Names, atom_bytes};
use crate::meter::Halt;
use crate::run::{Code, loaded, no_room, outcome};
use crate::walk::{self, Walker};
use crate::{Bounds, Program, Stop, compile, module};
use playbook_model::ending::Issue;
use playbook_model::time::Moment;
use playbook_schema::{Manner, Schema};
use rquickjs::qjs;
use std::time::{Duration, Instant};

/// Folds after which the view is written down, so that few are done again when one stops.
const FOLDS_BETWEEN_TEXTS: usize = 512;
/// Time of folds after which the view is written down.
const TIME_BETWEEN_TEXTS: Duration = Duration::from_millis(100);

/// What one fold spent and how large its view is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Folded {
    /// Checkpoints.
    pub work: u32,
    /// Bytes of the view as JSON.
    pub bytes: usize,
    /// Whether the view matches its schema.
    pub fits: bool,
}

/// Where the time of folds went, for those who measure it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Split {
    /// Reading events into the engine.
    pub event: Duration,
    /// The folds' own program.
    pub call: Duration,
    /// Looking at what they returned, the schema included.
    pub walk: Duration,
}

impl Split {
    fn and(self, other: Self) -> Self {
        Self { event: self.event + other.event, call: self.call + other.call, walk: self.walk + other.walk }
    }
}

/// Measures the parts of one fold, where they are asked for.
struct Laps(Option<Instant>);

impl Laps {
    fn lap(&mut self) -> Duration {
        self.0.as_mut().map_or(Duration::ZERO, |since| {
            let lap = since.elapsed();
            *since += lap;
            lap
        })
    }
}

/// A module's code with the code of its filters, compiled once for any number of sandboxes.
struct Codes {
    module: Code,
    filters: Vec<Bytecode>,
}

/// A sandbox with its functions, frozen.
struct Frozen {
    fold: Value,
    filters: Vec<Value>,
    walker: Walker,
    engine: Engine,
}

/// A view and the sandbox it is kept in. Not to be sent to another thread.
pub struct Folder {
    /// `None` once an evaluation stopped: the view is then made again from the text.
    view: Option<Value>,
    sandbox: Frozen,
    codes: Codes,
    schema: Option<Schema>,
    bounds: Bounds,
    filter_work: u32,
    /// The view as JSON before the folds of `since`.
    text: String,
    since: Vec<(String, Moment)>,
    spent: Duration,
    /// Nothing was evaluated here yet, so what stops here for memory stops anywhere.
    fresh: bool,
    split: Option<Split>,
}

/// Why an evaluation in a kept sandbox gave nothing.
enum Attempt {
    Stopped(Stop),
    /// It came near the memory or past it, in a sandbox that held more than a fresh one would.
    Crowded,
}

impl Folder {
    /// Loads a module that exports `fold`, its filters' `data` expressions, the view as JSON and its schema.
    ///
    /// `bounds` are those of one fold; a filter has `filter_work` checkpoints of its own.
    ///
    /// # Errors
    /// [`Stop::Refused`] when the module or a filter does not load.
    pub fn load(
        program: &Program,
        filters: &[String],
        view: &str,
        schema: Option<Schema>,
        bounds: &Bounds,
        filter_work: u32,
    ) -> Result<Self, Stop> {
        let compiled = |text: &String| {
            compile::program(&module::expression(text, &["$data"]), 1).map_err(|fault| Stop::Refused {
                message: format!("The expression of a filter does not load: {}", fault.message),
                line: None,
            })
        };
        let filters = filters.iter().map(compiled).collect::<Result<_, _>>()?;
        let codes = Codes { module: Code::of(program)?, filters };
        let sandbox = codes.sandbox(bounds)?;
        let value = sandbox.engine.parse(view).ok_or(Stop::Memory { work: 0 })?;
        Ok(Self {
            view: Some(value),
            sandbox,
            codes,
            schema,
            bounds: *bounds,
            filter_work,
            text: view.to_owned(),
            since: Vec::new(),
            spent: Duration::ZERO,
            fresh: true,
            split: None,
        })
    }

    /// Measures from now on where the time of folds goes.
    pub fn measure(&mut self) {
        self.split = Some(Split::default());
    }

    /// Where the time of folds went since it is measured.
    #[must_use]
    pub fn split(&self) -> Option<Split> {
        self.split
    }

    /// Folds one event, given as JSON, into the view. `Date.now()` returns `clock`.
    ///
    /// A view that does not match its schema is the view all the same, until [`Folder::take_back`].
    ///
    /// # Errors
    /// [`Stop`] says why it could not; the view is then as before.
    pub fn fold(&mut self, event: &str, clock: Moment, deadline: Instant) -> Result<Folded, Stop> {
        self.recover()?;
        if self.since.len() >= FOLDS_BETWEEN_TEXTS || self.spent >= TIME_BETWEEN_TEXTS {
            self.write_down()?;
        }
        let started = Instant::now();
        let folded = match self.attempt_fold(event, clock, deadline) {
            Err(Attempt::Crowded) => {
                self.start_afresh()?;
                self.attempt_fold(event, clock, deadline)
            }
            first => first,
        };
        match folded {
            Ok(folded) => {
                self.since.push((event.to_owned(), clock));
                self.spent += started.elapsed();
                Ok(folded)
            }
            Err(Attempt::Stopped(stop)) => Err(stop),
            Err(Attempt::Crowded) => Err(Stop::Memory { work: 0 }),
        }
    }

    /// Whether a filter's expression takes an event: it holds unless it returns `false` or `null`, and one that raises
    /// does not take it. An expression that returns `undefined` returns `null`, as every expression does.
    ///
    /// # Errors
    /// [`Stop`] for one that goes past its bounds.
    ///
    /// # Panics
    /// When there is no filter of this number.
    pub fn holds(&mut self, filter: usize, event: &str, clock: Moment, deadline: Instant) -> Result<bool, Stop> {
        self.recover()?;
        match self.attempt_filter(filter, event, clock, deadline) {
            Err(Attempt::Crowded) => {
                self.start_afresh()?;
                self.attempt_filter(filter, event, clock, deadline).map_err(|attempt| match attempt {
                    Attempt::Stopped(stop) => stop,
                    Attempt::Crowded => Stop::Memory { work: 0 },
                })
            }
            Err(Attempt::Stopped(stop)) => Err(stop),
            Ok(holds) => Ok(holds),
        }
    }

    /// The view as JSON. The kept view is read again from it, so it holds on to no event's text.
    ///
    /// # Errors
    /// Only when the system has no memory.
    pub fn view(&mut self) -> Result<String, Stop> {
        self.recover()?;
        self.write_down()?;
        Ok(self.text.clone())
    }

    /// The first thing that keeps the view from matching its schema.
    ///
    /// # Errors
    /// Only when the system has no memory.
    pub fn issue(&mut self) -> Result<Option<Issue>, Stop> {
        self.recover()?;
        let Self { view, sandbox, bounds, schema, .. } = self;
        let (Some(view), Some(schema)) = (view.as_ref(), schema) else { return Ok(None) };
        let tree = sandbox.walker.tree(&sandbox.engine, view, bounds)?;
        Ok(schema.issues(&tree, Manner::Answer).into_iter().next())
    }

    /// The view as a tree; half a surrogate pair is U+FFFD in it.
    ///
    /// # Errors
    /// Only when the system has no memory.
    pub fn value(&mut self) -> Result<serde_json::Value, Stop> {
        self.recover()?;
        let Self { view, sandbox, bounds, .. } = self;
        let view = view.as_ref().expect("just recovered");
        sandbox.walker.tree(&sandbox.engine, view, bounds)
    }

    /// Gives the name of each top-level member of the view, in the engine's bytes; none for a view that is no object.
    ///
    /// # Errors
    /// Only when the system has no memory.
    pub fn names(&mut self, mut give: impl FnMut(&[u8])) -> Result<(), Stop> {
        self.recover()?;
        let Some(view) = &self.view else { return Ok(()) };
        let core = self.sandbox.engine.core();
        let raw = view.raw();
        // SAFETY: any value has a tag, and an object a class.
        let plain =
            unsafe { qjs::JS_VALUE_GET_TAG(raw) == qjs::JS_TAG_OBJECT && qjs::JS_GetClassID(raw) == walk::OBJECT };
        if !plain {
            return Ok(());
        }
        core.unlimited(|| {
            let flags = qjs::JS_GPN_STRING_MASK | qjs::JS_GPN_SET_ENUM;
            let names = Names::of(core, raw, flags)?;
            names.list().iter().try_for_each(|name| atom_bytes(core, name.atom, &mut give))
        })
        .ok_or(Stop::Memory { work: 0 })
    }

    /// Takes the last fold back: the view is what it was before it.
    pub fn take_back(&mut self) {
        if self.since.pop().is_some() {
            self.view = None;
        }
    }

    /// How many objects of the sandbox are frozen.
    ///
    /// # Errors
    /// Only when the system has no memory.
    pub fn frozen(&self) -> Result<u32, Stop> {
        self.sandbox.engine.freeze(&[]).map_err(no_room)
    }

    fn attempt_fold(&mut self, event: &str, clock: Moment, deadline: Instant) -> Result<Folded, Attempt> {
        let view = self.view.take().expect("recovered before any evaluation");
        let Self { sandbox, bounds, schema, .. } = self;
        let engine = &sandbox.engine;
        engine.core().ledger.mark_peak();
        engine.set_clock(clock.0);
        let mut laps = Laps(self.split.is_some().then(Instant::now));
        let mut split = Split::default();
        let event = engine.parse(event);
        split.event = laps.lap();
        let crowd = Crowd { fresh: self.fresh, memory: bounds.memory };
        self.fresh = false;
        let Some(event) = event else { return Err(crowd.judge(engine, Stop::Memory { work: 0 })) };
        let outcome_of = engine.call(&sandbox.fold, &[&view, &event], bounds.work, deadline);
        let work = engine.work();
        drop(event);
        drop(view);
        split.call = laps.lap();
        let next = outcome(engine, outcome_of, bounds).map_err(|stop| crowd.judge(engine, stop))?;
        if crowd.near(engine) {
            return Err(Attempt::Crowded);
        }
        if let Some(plain) = sandbox.walker.plain(engine, &next, bounds, schema.as_ref()) {
            self.view = Some(next);
            split.walk = laps.lap();
            self.split = self.split.map(|before| before.and(split));
            return Ok(Folded { work, bytes: plain.bytes, fits: plain.fits });
        }
        let (next, bytes) = sandbox.taken(next, bounds).map_err(Attempt::Stopped)?;
        let fits = match schema {
            None => true,
            Some(schema) => {
                let tree = sandbox.walker.tree(&sandbox.engine, &next, bounds).map_err(Attempt::Stopped)?;
                schema.is_valid(&tree)
            }
        };
        self.view = Some(next);
        split.walk = laps.lap();
        self.split = self.split.map(|before| before.and(split));
        Ok(Folded { work, bytes, fits })
    }

    fn attempt_filter(
        &mut self,
        filter: usize,
        event: &str,
        clock: Moment,
        deadline: Instant,
    ) -> Result<bool, Attempt> {
        let engine = &self.sandbox.engine;
        engine.core().ledger.mark_peak();
        engine.set_clock(clock.0);
        let crowd = Crowd { fresh: self.fresh, memory: self.bounds.memory };
        self.fresh = false;
        let Some(event) = engine.parse(event) else { return Err(crowd.judge(engine, Stop::Memory { work: 0 })) };
        let data = engine.parsed_member(&event, c"data");
        drop(event);
        let bounds = Bounds { work: self.filter_work, ..self.bounds };
        let function = &self.sandbox.filters[filter];
        let holds = match engine.call(function, &[&data], bounds.work, deadline) {
            Outcome::Raised { .. } => false,
            Outcome::Returned(value) => {
                // SAFETY: any value has a tag.
                let tag = unsafe { qjs::JS_VALUE_GET_NORM_TAG(value.raw()) };
                // SAFETY: read only after its tag.
                let is_false = tag == qjs::JS_TAG_BOOL && !unsafe { qjs::JS_VALUE_GET_BOOL(value.raw()) };
                !is_false && tag != qjs::JS_TAG_NULL && tag != qjs::JS_TAG_UNDEFINED
            }
            halted @ Outcome::Halted(halt) => {
                let stop = match outcome(engine, halted, &bounds) {
                    Err(stop) => stop,
                    Ok(_) => unreachable!("it was halted"),
                };
                let judged = crowd.judge(engine, stop);
                if halt == Halt::Memory {
                    self.view = None;
                }
                return Err(judged);
            }
        };
        if crowd.near(engine) {
            return Err(Attempt::Crowded);
        }
        Ok(holds)
    }

    /// Makes the view again after an evaluation stopped.
    fn recover(&mut self) -> Result<(), Stop> {
        if self.view.is_none() { self.start_afresh() } else { Ok(()) }
    }

    /// Goes on in a fresh sandbox, with the view as it was after the folds that passed.
    fn start_afresh(&mut self) -> Result<(), Stop> {
        let text = self.replayed()?;
        self.sandbox = self.codes.sandbox(&self.bounds)?;
        self.view = Some(self.sandbox.engine.parse(&text).ok_or(Stop::Memory { work: 0 })?);
        self.text = text;
        self.since.clear();
        self.spent = Duration::ZERO;
        self.fresh = true;
        Ok(())
    }

    /// The view as JSON after the folds that passed, found by doing those since the last text again.
    fn replayed(&self) -> Result<String, Stop> {
        let mut text = self.text.clone();
        let mut open = &self.since[..];
        while !open.is_empty() {
            let mut sandbox = self.codes.sandbox(&self.bounds)?;
            let mut view = sandbox.engine.parse(&text).ok_or(Stop::Memory { work: 0 })?;
            let mut done = 0;
            for (event, clock) in open {
                match sandbox.again(&view, event, *clock, &self.bounds) {
                    Ok(next) => view = next,
                    // In a sandbox of its own it passed, or it would not be among the folds that passed.
                    Err(Stop::Memory { .. }) if done > 0 => break,
                    Err(stop) => return Err(stop),
                }
                done += 1;
                text = sandbox.walker.write(&sandbox.engine, &view, &self.bounds)?;
            }
            open = &open[done..];
        }
        Ok(text)
    }

    /// Writes the view down, and reads it again so that nothing but JSON is kept.
    fn write_down(&mut self) -> Result<(), Stop> {
        if self.since.is_empty() {
            return Ok(());
        }
        let Self { view, sandbox, bounds, .. } = self;
        let kept = view.take().expect("recovered before it is written");
        self.text = sandbox.walker.write(&sandbox.engine, &kept, bounds)?;
        drop(kept);
        self.since.clear();
        self.spent = Duration::ZERO;
        self.view = sandbox.engine.core().unlimited(|| sandbox.engine.parse(&self.text));
        self.recover()
    }
}

/// Judges memory: only a fresh sandbox says that an evaluation has too little.
struct Crowd {
    fresh: bool,
    memory: usize,
}

impl Crowd {
    /// Whether a kept sandbox came so near its memory that a fresh one has to decide.
    fn near(&self, engine: &Engine) -> bool {
        !self.fresh && engine.core().ledger.peak() > self.memory / 4 * 3
    }

    fn judge(&self, engine: &Engine, stop: Stop) -> Attempt {
        let memory = matches!(stop, Stop::Memory { .. });
        if !self.fresh && (memory || self.near(engine)) { Attempt::Crowded } else { Attempt::Stopped(stop) }
    }
}

impl Codes {
    fn sandbox(&self, bounds: &Bounds) -> Result<Frozen, Stop> {
        let engine = Engine::new(bounds.memory).map_err(no_room)?;
        // The library first: what a module does while it loads changes none of it.
        engine.freeze(&[]).map_err(no_room)?;
        let walker = Walker::new(&engine).ok_or(Stop::Memory { work: 0 })?;
        let deadline = Instant::now() + Duration::from_millis(bounds.milliseconds);
        let exports = self.module.load(&engine, bounds, deadline)?;
        let filters = self
            .filters
            .iter()
            .map(|code| loaded(engine.evaluate(code, bounds.work, deadline), bounds))
            .collect::<Result<Vec<_>, _>>()?;
        let roots: Vec<&Value> = exports.iter().chain(&filters).collect();
        engine.freeze(&roots).map_err(no_room)?;
        let fold = self.module.take(exports, "fold")?;
        Ok(Frozen { fold, filters, walker, engine })
    }
}

impl Frozen {
    /// A value as JSON gives it back.
    fn as_json(&mut self, value: &Value, bounds: &Bounds) -> Result<Value, Stop> {
        let text = self.walker.write(&self.engine, value, bounds)?;
        let engine = &self.engine;
        engine.core().unlimited(|| engine.parse(&text)).ok_or(Stop::Memory { work: 0 })
    }

    /// Does a fold again that passed before.
    fn again(&mut self, view: &Value, event: &str, clock: Moment, bounds: &Bounds) -> Result<Value, Stop> {
        self.engine.set_clock(clock.0);
        let event = self.engine.parse(event).ok_or(Stop::Memory { work: 0 })?;
        let deadline = Instant::now() + Duration::from_millis(bounds.milliseconds);
        let next = self.engine.call(&self.fold, &[view, &event], bounds.work, deadline);
        let next = outcome(&self.engine, next, bounds)?;
        if self.walker.plain(&self.engine, &next, bounds, None).is_some() {
            return Ok(next);
        }
        Ok(self.taken(next, bounds)?.0)
    }

    /// A returned value as JSON gives it back, and its bytes.
    fn taken(&mut self, next: Value, bounds: &Bounds) -> Result<(Value, usize), Stop> {
        let measured = self.walker.measure(&self.engine, &next, bounds)?;
        let next = if measured.differs { self.as_json(&next, bounds)? } else { next };
        Ok((next, measured.bytes))
    }
}
