//! A worker that evaluates the expressions of one input of a run, or of the filters of one event.

use crate::child::{Lost, Worker};
use crate::frame::{Reply, Request};
use crate::pool::Pool;
use playbook_model::time::Moment;
use playbook_sandbox::{Bounds, Returned, Stop};
use std::time::{Duration, Instant};
use tokio::sync::OwnedSemaphorePermit;

/// How long past its deadline a worker may be silent before it is killed.
const GRACE: Duration = Duration::from_millis(200);

/// One expression to evaluate.
#[derive(Debug, Clone)]
pub struct Expression {
    /// Without its types.
    pub text: String,
    /// The names it may read, such as `$data`.
    pub names: Vec<String>,
    /// The value of each as JSON.
    pub values: Vec<String>,
    /// What `Date.now()` returns.
    pub clock: Moment,
    /// What it may spend.
    pub bounds: Bounds,
}

/// Why an expression was not evaluated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unevaluated {
    /// It was stopped, or stopped itself.
    Stopped(Stop),
    /// The worker ended, or could not be started. Never the expression's fault, as far as anyone knows.
    Crashed(String),
    /// The pool is stopping.
    Stopping,
}

/// A worker's turn for expressions. It is given back when this is dropped.
pub struct Evaluator {
    pub(crate) pool: Pool,
    pub(crate) worker: Option<Worker>,
    pub(crate) _turn: OwnedSemaphorePermit,
}

impl std::fmt::Debug for Evaluator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Evaluator")
    }
}

impl Evaluator {
    /// Evaluates one expression.
    ///
    /// # Errors
    /// [`Unevaluated`].
    pub async fn evaluate(&mut self, expression: Expression) -> Result<Returned, Unevaluated> {
        if self.pool.is_stopping() {
            return Err(Unevaluated::Stopping);
        }
        let mut worker = match self.worker.take() {
            Some(worker) => worker,
            None => self.pool.expression_worker().map_err(|why| Unevaluated::Crashed(why.to_string()))?,
        };
        let Expression { text, names, values, clock, bounds } = expression;
        let until = Instant::now() + Duration::from_millis(bounds.milliseconds) + GRACE;
        match worker.ask(&Request::Evaluate { text, names, values, clock, bounds }, until).await {
            Ok(Reply::Run(done)) => {
                if !matches!(done, Err(Stop::Memory { .. } | Stop::Time { .. })) {
                    self.worker = Some(worker);
                }
                done.map_err(Unevaluated::Stopped)
            }
            Ok(_) => Err(Unevaluated::Crashed("a worker gave another reply than it was asked for".into())),
            Err(Lost::Late { .. }) => {
                tracing::warn!("a worker was killed: an expression was late");
                Err(Unevaluated::Stopped(Stop::Time { milliseconds: bounds.milliseconds }))
            }
            Err(Lost::Crashed { why, .. }) => {
                tracing::error!(why, "a worker was lost in an expression");
                Err(Unevaluated::Crashed(why))
            }
        }
    }
}

impl Drop for Evaluator {
    fn drop(&mut self) {
        if let Some(worker) = self.worker.take() {
            self.pool.keep_expression_worker(worker);
        }
    }
}
