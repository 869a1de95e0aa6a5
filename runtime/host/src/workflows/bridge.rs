//! Expressions of a run, evaluated by a worker while the decision waits.

use playbook_engine::workflow::{Ask, Evaluate, Evaluated, Program, Stopped};
use playbook_model::time::Moment;
use playbook_model::{json, limits};
use playbook_sandbox::{Bounds, Stop};
use playbook_worker::{Evaluator, Expression, Pool, Unevaluated};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;

/// The time for the expressions of an input that is applied again.
const AGAIN: Duration = Duration::from_secs(30);

/// Evaluates the expressions of one input. Blocks its thread.
pub(crate) struct Bridge {
    handle: Handle,
    pool: Pool,
    program: Arc<Program>,
    evaluator: Option<Evaluator>,
    /// The time that is left for the expressions of this input.
    left: Duration,
    memory: usize,
}

impl Bridge {
    /// A bridge for one input of a program's run; a worker is asked for with the first expression.
    pub(crate) fn new(handle: Handle, pool: Pool, program: Arc<Program>) -> Self {
        Self::within(Duration::from_millis(limits::INPUT_MILLISECONDS), handle, pool, program)
    }

    /// A bridge for an input that is applied again. How busy the machine is now is nothing that happened to the run:
    /// the work its expressions may do bounds them as it did then, and their time hardly.
    pub(crate) fn again(handle: Handle, pool: Pool, program: Arc<Program>) -> Self {
        Self::within(AGAIN, handle, pool, program)
    }

    fn within(left: Duration, handle: Handle, pool: Pool, program: Arc<Program>) -> Self {
        Self { handle, pool, program, evaluator: None, left, memory: limits::EXPRESSION_MEMORY }
    }

    async fn ask(&mut self, asked: &Ask<'_>) -> Result<Evaluated, Stopped> {
        // A worker that is lost once may have been killed from outside; twice at one expression is its own doing.
        for last in [false, true] {
            if self.left.is_zero() {
                return Err(Stopped::Time);
            }
            if self.evaluator.is_none() {
                let evaluator = self.pool.evaluator().await;
                self.evaluator = Some(evaluator.map_err(|_| Stopped::Lost("the program is stopping".into()))?);
            }
            let Some(evaluator) = &mut self.evaluator else { continue };
            let text = self.program.expression(asked.expression).stripped.clone();
            let milliseconds = u64::try_from(self.left.as_millis()).unwrap_or(u64::MAX).max(1);
            let expression = Expression {
                text,
                names: asked.variables.iter().map(|(name, _)| (*name).to_owned()).collect(),
                values: asked.variables.iter().map(|(_, value)| value.to_string()).collect(),
                clock: asked.clock,
                bounds: Bounds {
                    work: asked.work,
                    memory: self.memory,
                    milliseconds,
                    levels: limits::VALUE_LEVELS,
                    bytes: limits::RUN_HELD_BYTES,
                },
            };
            let began = Instant::now();
            let done = evaluator.evaluate(expression).await;
            self.left = self.left.saturating_sub(began.elapsed());
            match done {
                Ok(returned) => {
                    let value = json::parse_script(&returned.json, limits::VALUE_LEVELS)
                        .map_err(|why| Stopped::Unfit(why.to_string()))?;
                    return Ok(Evaluated { value, work: returned.work });
                }
                Err(Unevaluated::Stopped(stop)) => return Err(stopped(stop)),
                Err(Unevaluated::Stopping) => return Err(Stopped::Lost("the program is stopping".into())),
                Err(Unevaluated::Crashed(_)) if last => return Err(Stopped::Memory),
                Err(Unevaluated::Crashed(_)) => {}
            }
        }
        Err(Stopped::Memory)
    }
}

impl Evaluate for Bridge {
    fn evaluate(&mut self, ask: Ask<'_>) -> Result<Evaluated, Stopped> {
        let handle = self.handle.clone();
        handle.block_on(self.ask(&ask))
    }
}

/// Evaluates one expression that is of no document, by the bounds of those that are.
pub(crate) async fn evaluate_once(
    pool: &Pool,
    text: String,
    variables: Vec<(String, String)>,
    clock: Moment,
) -> Result<Evaluated, Stopped> {
    let lost = |_| Stopped::Lost("the program is stopping".into());
    let mut evaluator = pool.evaluator().await.map_err(lost)?;
    let (names, values) = variables.into_iter().unzip();
    let bounds = Bounds {
        work: limits::EXPRESSION_WORK,
        memory: limits::EXPRESSION_MEMORY,
        milliseconds: limits::INPUT_MILLISECONDS,
        levels: limits::VALUE_LEVELS,
        bytes: limits::RUN_HELD_BYTES,
    };
    match evaluator.evaluate(Expression { text, names, values, clock, bounds }).await {
        Ok(returned) => {
            let value = json::parse_script(&returned.json, limits::VALUE_LEVELS);
            Ok(Evaluated { value: value.map_err(|why| Stopped::Unfit(why.to_string()))?, work: returned.work })
        }
        Err(Unevaluated::Stopped(stop)) => Err(stopped(stop)),
        Err(Unevaluated::Stopping) => Err(Stopped::Lost("the program is stopping".into())),
        Err(Unevaluated::Crashed(_)) => Err(Stopped::Memory),
    }
}

fn stopped(stop: Stop) -> Stopped {
    match stop {
        Stop::Raised { message, .. } | Stop::Refused { message, .. } => Stopped::Raised(message),
        Stop::Unfit { found, path } => Stopped::Unfit(format!("{found} at {path}")),
        Stop::TooDeep => Stopped::Unfit(format!("a value deeper than {} levels", limits::VALUE_LEVELS)),
        Stop::TooLarge { .. } => Stopped::TooLarge,
        Stop::Work { .. } => Stopped::Work,
        Stop::Memory { .. } => Stopped::Memory,
        Stop::Time { .. } => Stopped::Time,
    }
}
