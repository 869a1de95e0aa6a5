//! One run: a fresh sandbox, one call of one export, nothing kept.
//!
//! "The sandbox" of the computation format; also a recall function's `answer`. The library is not frozen, since
//! nothing of it outlives the call.

use crate::engine::{Engine, NoRoom, Outcome, Value};
use crate::meter::Halt;
use crate::module::{self, Export};
use crate::walk::Walker;
use crate::{Bounds, Program, Returned, Stop, compile};
use playbook_model::time::Moment;
use std::time::{Duration, Instant};

/// Calls an export, `default` or a name, with JSON texts in a fresh sandbox.
///
/// `clock` is what `Date.now()` returns. The time counts from this call on.
///
/// # Errors
/// [`Stop`] says why there is no value. The same program, arguments and clock give the same, but for [`Stop::Time`].
pub fn run(
    program: &Program,
    export: &str,
    arguments: &[&str],
    clock: Moment,
    bounds: &Bounds,
) -> Result<Returned, Stop> {
    let deadline = Instant::now() + Duration::from_millis(bounds.milliseconds);
    let code = Code::of(program)?;
    let engine = Engine::new(bounds.memory).map_err(no_room)?;
    engine.set_clock(clock.0);
    let mut walker = Walker::new(&engine).ok_or(Stop::Memory { work: 0 })?;
    let exports = code.load(&engine, bounds, deadline)?;
    let function = code.take(exports, export)?;
    let given: Vec<Value> =
        arguments.iter().map(|json| engine.parse(json).ok_or(Stop::Memory { work: 0 })).collect::<Result<_, _>>()?;
    let given: Vec<&Value> = given.iter().collect();
    let returned = outcome(&engine, engine.call(&function, &given, bounds.work, deadline), bounds)?;
    let work = engine.work();
    let json = walker.write(&engine, &returned, bounds)?;
    Ok(Returned { json, work })
}

/// A module compiled, for any number of sandboxes.
pub(crate) struct Code {
    bytecode: compile::Bytecode,
    exports: Vec<Export>,
}

impl Code {
    /// Compiles a program's module.
    pub(crate) fn of(program: &Program) -> Result<Self, Stop> {
        let script = module::script(&program.text).map_err(refused)?;
        let bytecode = compile::program(&script.text, program.first_line).map_err(refused)?;
        Ok(Self { bytecode, exports: script.exports })
    }

    /// Gives the module's exported functions, in its own order.
    pub(crate) fn load(&self, engine: &Engine, bounds: &Bounds, deadline: Instant) -> Result<Vec<Value>, Stop> {
        let wrapper = loaded(engine.evaluate(&self.bytecode, bounds.work, deadline), bounds)?;
        let list = loaded(engine.call(&wrapper, &[], bounds.work, deadline), bounds)?;
        Ok((0..self.exports.len()).map(|at| engine.place(&list, at)).collect())
    }

    /// Takes one export out of the functions.
    pub(crate) fn take(&self, functions: Vec<Value>, name: &str) -> Result<Value, Stop> {
        let place = self.exports.iter().position(|export| export.name == name);
        let function = place.and_then(|place| functions.into_iter().nth(place)).filter(Value::is_function);
        function.ok_or_else(|| {
            let what =
                if name == "default" { "no function by default".into() } else { format!("no function `{name}`") };
            Stop::Refused { message: format!("The module exports {what}"), line: None }
        })
    }
}

/// Loading a module: what it raises refuses it.
pub(crate) fn loaded(outcome: Outcome, bounds: &Bounds) -> Result<Value, Stop> {
    match outcome {
        Outcome::Returned(value) => Ok(value),
        Outcome::Raised { message, line } => Err(Stop::Refused { message, line }),
        Outcome::Halted(halt) => {
            let message = match halt {
                Halt::Work => "The module does more than its work while it loads",
                Halt::Memory => "The module uses more memory than its sandbox while it loads",
                Halt::Time => return Err(Stop::Time { milliseconds: bounds.milliseconds }),
            };
            Err(Stop::Refused { message: message.into(), line: None })
        }
    }
}

/// An evaluation's outcome as a value or a stop.
pub(crate) fn outcome(engine: &Engine, outcome: Outcome, bounds: &Bounds) -> Result<Value, Stop> {
    match outcome {
        Outcome::Returned(value) => Ok(value),
        Outcome::Raised { message, line } => Err(Stop::Raised { message, line }),
        Outcome::Halted(Halt::Work) => Err(Stop::Work { budget: bounds.work }),
        Outcome::Halted(Halt::Memory) => Err(Stop::Memory { work: engine.work() }),
        Outcome::Halted(Halt::Time) => Err(Stop::Time { milliseconds: bounds.milliseconds }),
    }
}

fn refused(fault: compile::Fault) -> Stop {
    Stop::Refused { message: fault.message, line: fault.line }
}

pub(crate) fn no_room(_: NoRoom) -> Stop {
    Stop::Memory { work: 0 }
}
