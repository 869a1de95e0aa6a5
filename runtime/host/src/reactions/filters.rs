//! Evaluating filters, each held to its own bounds. "Event filters".

use crate::runtime::Runtime;
use playbook_model::time::Moment;
use playbook_model::{json, limits};
use playbook_sandbox::{Bounds, Stop};
use playbook_worker::{Expression, Unevaluated};
use serde_json::Value;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// One filter of one version of a workflow.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct FilterKey {
    pub(super) workflow: String,
    pub(super) version: u32,
    /// The trigger's or the task's place in the document.
    pub(super) reference: String,
    pub(super) filter: usize,
}

/// What filters did lately. Kept in memory: a restart evaluates each again.
#[derive(Debug, Default)]
pub(super) struct Stops {
    /// Stops by deadline or memory in a row.
    in_a_row: HashMap<FilterKey, u32>,
    /// Those of which it was told that they raise or do more than their work.
    told: std::collections::HashSet<FilterKey>,
}

impl Stops {
    /// The filters that are not evaluated again for their version.
    pub(super) fn for_good(&self) -> Vec<FilterKey> {
        let stopped = self.in_a_row.iter().filter(|(_, stops)| **stops >= limits::MATCH_STOPS);
        stopped.map(|(key, _)| key.clone()).collect()
    }
}

/// What a filter says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said {
    /// It matches.
    Matches,
    /// It does not.
    No,
    /// It does not, and something about it is to be told, once for its version.
    Tell(String),
    /// It was stopped by its deadline or its memory: the event waits.
    Later,
}

impl Runtime {
    /// Evaluates the expressions of a filter over values, until one does not hold.
    pub(super) async fn filter_holds(
        &self,
        stops: &mut Stops,
        key: &FilterKey,
        expressions: &[(&str, &Value)],
        clock: Moment,
    ) -> Said {
        if stops.in_a_row.get(key).is_some_and(|stops| *stops >= limits::MATCH_STOPS) {
            return Said::No;
        }
        let Ok(mut evaluator) = self.0.pool.evaluator().await else { return Said::Later };
        let began = Instant::now();
        let bound = Duration::from_millis(limits::MATCH_MILLISECONDS);
        let mut work = limits::INPUT_WORK;
        for (text, value) in expressions {
            let left = bound.saturating_sub(began.elapsed());
            let expression = Expression {
                text: (*text).to_owned(),
                names: vec!["$data".into()],
                values: vec![value.to_string()],
                clock,
                bounds: Bounds {
                    work: work.min(limits::EXPRESSION_WORK),
                    memory: limits::EXPRESSION_MEMORY,
                    milliseconds: u64::try_from(left.as_millis()).unwrap_or(0).max(1),
                    levels: limits::VALUE_LEVELS,
                    bytes: limits::RUN_HELD_BYTES,
                },
            };
            match evaluator.evaluate(expression).await {
                Ok(returned) => {
                    work = work.saturating_sub(returned.work);
                    let value = json::parse_script(&returned.json, limits::VALUE_LEVELS).unwrap_or(Value::Null);
                    if matches!(value, Value::Null | Value::Bool(false)) {
                        stops.in_a_row.remove(key);
                        return Said::No;
                    }
                }
                Err(Unevaluated::Stopping) => return Said::Later,
                Err(Unevaluated::Stopped(Stop::Time { .. } | Stop::Memory { .. }) | Unevaluated::Crashed(_)) => {
                    return stopped(stops, key);
                }
                Err(Unevaluated::Stopped(stop)) => {
                    stops.in_a_row.remove(key);
                    let why = match stop {
                        Stop::Work { .. } => "does more than its work".to_owned(),
                        Stop::Raised { message, .. } | Stop::Refused { message, .. } => format!("raises {message}"),
                        _ => "gives a value that is no JSON".to_owned(),
                    };
                    return tell(stops, key, &why);
                }
            }
        }
        stops.in_a_row.remove(key);
        Said::Matches
    }
}

fn stopped(stops: &mut Stops, key: &FilterKey) -> Said {
    let in_a_row = stops.in_a_row.entry(key.clone()).or_default();
    *in_a_row += 1;
    if *in_a_row < limits::MATCH_STOPS {
        return Said::Later;
    }
    Said::Tell(for_good(key))
}

/// Why a filter is not evaluated again.
pub(super) fn for_good(key: &FilterKey) -> String {
    format!(
        "the filter at {} was stopped {} times in a row by its time or its memory, and is not evaluated again for \
         version {}",
        key.reference,
        limits::MATCH_STOPS,
        key.version
    )
}

fn tell(stops: &mut Stops, key: &FilterKey, why: &str) -> Said {
    if !stops.told.insert(key.clone()) {
        return Said::No;
    }
    Said::Tell(format!("the filter at {} {why}, so the event does not match it", key.reference))
}
