//! Expressions of workflows in one kept sandbox, its library frozen, each compiled once.
//!
//! "Expressions" of the workflow format. No expression leaves anything behind for the next: what it may reach is
//! frozen, its values are its own, and each evaluation starts at a fresh period of steps. Memory is judged in a fresh
//! sandbox.

use crate::engine::{Engine, Value};
use crate::run::{loaded, no_room, outcome};
use crate::walk::{Undefined, Walker};
use crate::{Bounds, Returned, Stop, compile, module};
use playbook_model::time::Moment;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// Compiled expressions that are kept; past it all are let go of, which costs compiling them again.
const KEPT: usize = 4_096;

/// A sandbox for expressions. Not to be sent to another thread.
pub struct Expressions {
    sandbox: Option<Sandbox>,
    memory: usize,
}

struct Sandbox {
    functions: HashMap<String, Value>,
    walker: Walker,
    engine: Engine,
    /// Nothing was evaluated here yet, so what stops here for memory stops anywhere.
    fresh: bool,
}

impl Expressions {
    /// A sandbox of so many bytes.
    #[must_use]
    pub fn new(memory: usize) -> Self {
        Self { sandbox: None, memory }
    }

    /// Evaluates an expression over names, each with its value as JSON. `Date.now()` returns `clock`.
    ///
    /// `undefined` is `null`, at the top or as a member.
    ///
    /// # Errors
    /// [`Stop`] says why there is no value.
    pub fn evaluate(
        &mut self,
        text: &str,
        names: &[&str],
        values: &[&str],
        clock: Moment,
        bounds: &Bounds,
    ) -> Result<Returned, Stop> {
        let deadline = Instant::now() + Duration::from_millis(bounds.milliseconds);
        let mut sandbox = self.ready()?;
        let fresh = sandbox.fresh;
        let first = sandbox.evaluate(text, names, values, clock, bounds, deadline);
        let crowded = !fresh
            && (matches!(first, Err(Stop::Memory { .. })) || sandbox.engine.core().ledger.peak() > self.memory / 4 * 3);
        if !crowded {
            if !matches!(first, Err(Stop::Memory { .. })) {
                self.sandbox = Some(sandbox);
            }
            return first;
        }
        drop(sandbox);
        let mut sandbox = self.ready()?;
        let again = sandbox.evaluate(text, names, values, clock, bounds, deadline);
        if !matches!(again, Err(Stop::Memory { .. })) {
            self.sandbox = Some(sandbox);
        }
        again
    }

    fn ready(&mut self) -> Result<Sandbox, Stop> {
        if let Some(sandbox) = self.sandbox.take() {
            return Ok(sandbox);
        }
        let engine = Engine::new(self.memory).map_err(no_room)?;
        engine.freeze(&[]).map_err(no_room)?;
        let walker = Walker::new(&engine).ok_or(Stop::Memory { work: 0 })?.undefined(Undefined::Null);
        Ok(Sandbox { functions: HashMap::new(), walker, engine, fresh: true })
    }
}

impl Sandbox {
    fn evaluate(
        &mut self,
        text: &str,
        names: &[&str],
        values: &[&str],
        clock: Moment,
        bounds: &Bounds,
        deadline: Instant,
    ) -> Result<Returned, Stop> {
        let key = format!("{}\n{text}", names.join(","));
        if !self.functions.contains_key(&key) {
            let function = self.compiled(text, names, bounds, deadline)?;
            if self.functions.len() >= KEPT {
                self.functions.clear();
            }
            self.functions.insert(key.clone(), function);
        }
        let Self { functions, walker, engine, fresh } = self;
        *fresh = false;
        engine.core().ledger.mark_peak();
        engine.set_clock(clock.0);
        let given: Vec<Value> =
            values.iter().map(|json| engine.parse(json).ok_or(Stop::Memory { work: 0 })).collect::<Result<_, _>>()?;
        let given: Vec<&Value> = given.iter().collect();
        let returned = outcome(engine, engine.call(&functions[&key], &given, bounds.work, deadline), bounds)?;
        let work = engine.work();
        let json = walker.write(engine, &returned, bounds)?;
        Ok(Returned { json, work })
    }

    fn compiled(&self, text: &str, names: &[&str], bounds: &Bounds, deadline: Instant) -> Result<Value, Stop> {
        let script = module::expression(text, names);
        let code =
            compile::program(&script, 1).map_err(|fault| Stop::Refused { message: fault.message, line: fault.line })?;
        loaded(self.engine.evaluate(&code, bounds.work, deadline), bounds)
    }
}
