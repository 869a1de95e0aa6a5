//! `try`: its list, what its `catch` takes, retries and recovery. "Errors, retries and timeouts".

use crate::workflow::drive::{Waiting, Work, unlike};
use crate::workflow::fault::{Fault, Short};
use crate::workflow::machine::{Broken, Machine, Progress};
use crate::workflow::record::WaitsFor;
use crate::workflow::state::{Doing, ListFrame, Phase, TaskFrame};
use crate::workflow::value::Held;
use playbook_definition::workflow::{Catch, ListId, Retry, RetryDelay, Task};
use playbook_model::ending::Kind as Why;
use playbook_model::json;
use serde_json::Value;

impl Machine<'_> {
    pub(in crate::workflow) fn attempt(
        &mut self,
        task: &Task,
        frame: &mut TaskFrame,
        list: ListId,
        catch: &Catch,
        context: &mut Held,
    ) -> Result<Work, Broken> {
        if matches!(frame.doing, Doing::Fresh) {
            self.starts(task, frame, context);
            let phase = self.body_of(task, frame, list, catch, context)?;
            frame.doing = Doing::Try { retries: 0, first: self.at, phase };
        }
        loop {
            let Doing::Try { phase, .. } = &mut frame.doing else { return Err(unlike(task)) };
            let went = match phase {
                Phase::Body { list, limit } => {
                    let late = limit.is_some_and(|limit| self.fires(limit));
                    let went = if late {
                        self.end_list(list, Why::Deadline);
                        let title = "The attempt took longer than its limit";
                        Progress::Raised(Box::new(Fault::short(Short::Timeout, 408, &task.reference, title)))
                    } else {
                        self.list(list, context)?
                    };
                    if !matches!(went, Progress::Waits)
                        && let Some(limit) = limit.take()
                    {
                        self.disarm(limit);
                    }
                    went
                }
                Phase::Delay { timer, .. } => {
                    let timer = *timer;
                    if !self.fires(timer) {
                        return Ok(Work::Waits);
                    }
                    let again = self.body_of(task, frame, list, catch, context)?;
                    set_phase(frame, again);
                    continue;
                }
                Phase::Recovery { error, list } => {
                    self.scope.push((format!("${}", catch.name), error.clone()));
                    let went = self.list(list, context);
                    self.scope.pop();
                    match went? {
                        Progress::Waits => return Ok(Work::Waits),
                        Progress::Completed(output) | Progress::Exited(output) => {
                            return Ok(Work::Produced(output, None));
                        }
                        Progress::Ended(output) => return Ok(Work::Ended(output)),
                        Progress::Raised(fault) => return Err(Broken::Fault(fault)),
                    }
                }
            };
            let fault = match went {
                Progress::Waits => return Ok(Work::Waits),
                Progress::Completed(output) | Progress::Exited(output) => return Ok(Work::Produced(output, None)),
                Progress::Ended(output) => return Ok(Work::Ended(output)),
                Progress::Raised(fault) => fault,
            };
            if let Some(work) = self.caught(task, frame, list, catch, fault, context)? {
                return Ok(work);
            }
        }
    }

    /// What an error of the list leads to; `None` when the task goes on at once.
    fn caught(
        &mut self,
        task: &Task,
        frame: &mut TaskFrame,
        list: ListId,
        catch: &Catch,
        fault: Box<Fault>,
        context: &Held,
    ) -> Result<Option<Work>, Broken> {
        let error = self.hold(fault.value());
        self.scope.push((format!("${}", catch.name), error.clone()));
        let decided = self.decide(task, frame, catch, &error, context);
        self.scope.pop();
        match decided? {
            Decided::Passes => Err(Broken::Fault(fault)),
            Decided::Again(0) => {
                let again = self.body_of(task, frame, list, catch, context)?;
                count_retry(frame);
                set_phase(frame, again);
                Ok(None)
            }
            Decided::Again(delay) => {
                let timer = self.arm(delay);
                count_retry(frame);
                set_phase(frame, Phase::Delay { timer, error });
                let wait = Waiting { waits_for: WaitsFor::Retry, until: Some(timer), child: None };
                self.waits(task, frame, wait, context);
                Ok(Some(Work::Waits))
            }
            Decided::Recovers => match catch.list {
                Some(recovery) => {
                    let list = ListFrame::new(recovery, frame.input.clone());
                    set_phase(frame, Phase::Recovery { error, list });
                    Ok(None)
                }
                None => Ok(Some(Work::Produced(frame.input.clone(), None))),
            },
        }
    }

    fn decide(
        &mut self,
        task: &Task,
        frame: &TaskFrame,
        catch: &Catch,
        error: &Held,
        context: &Held,
    ) -> Result<Decided, Broken> {
        let place = Self::body(task, frame, context);
        for test in &catch.errors {
            let wanted = self.template(&test.value, place)?;
            let found = error.value().get(&test.field).unwrap_or(&Value::Null);
            if !json::same(&wanted, found) {
                return Ok(Decided::Passes);
            }
        }
        if let Some(when) = catch.when
            && !self.holds(when, place)?
        {
            return Ok(Decided::Passes);
        }
        if let Some(except) = catch.except_when
            && self.holds(except, place)?
        {
            return Ok(Decided::Passes);
        }
        match &catch.retry {
            Some(retry) => Ok(match self.delay(task, frame, retry, context)? {
                Some(delay) => Decided::Again(delay),
                None => Decided::Recovers,
            }),
            None => Ok(Decided::Recovers),
        }
    }

    /// The milliseconds before the next attempt; `None` when there is none.
    fn delay(&mut self, task: &Task, frame: &TaskFrame, retry: &Retry, context: &Held) -> Result<Option<u64>, Broken> {
        let Doing::Try { retries, first, .. } = &frame.doing else { return Err(unlike(task)) };
        let place = Self::body(task, frame, context);
        if let Some(when) = retry.when
            && !self.holds(when, place)?
        {
            return Ok(None);
        }
        if let Some(except) = retry.except_when
            && self.holds(except, place)?
        {
            return Ok(None);
        }
        if retry.limit.retries.is_some_and(|most| u64::from(*retries) >= most) {
            return Ok(None);
        }
        let number = u64::from(*retries) + 1;
        let mut delay = match &retry.delay {
            Some(delay) => self.duration(delay, place, &task.reference)?,
            None => 0,
        };
        delay = match retry.backoff {
            RetryDelay::Constant => delay,
            RetryDelay::Linear => delay.saturating_mul(number),
            RetryDelay::Exponential => delay.saturating_mul(1_u64.checked_shl(*retries).unwrap_or(u64::MAX)),
        };
        if let Some((from, to)) = &retry.jitter {
            let from = self.duration(from, place, &task.reference)?;
            let to = self.duration(to, place, &task.reference)?.max(from);
            #[allow(clippy::cast_precision_loss, reason = "a run lasts at most a year")]
            let span = (to - from + 1) as f64;
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and the span")]
            let drawn = (self.draw() * span) as u64;
            delay = delay.saturating_add(from + drawn.min(to - from));
        }
        if let Some(limit) = &retry.limit.duration {
            let limit = self.duration(limit, place, &task.reference)?;
            let passed = u64::try_from(self.at.0 - first.0).unwrap_or(0);
            if passed.saturating_add(delay) >= limit {
                return Ok(None);
            }
        }
        Ok(Some(delay))
    }

    /// The list from its first task.
    fn body_of(
        &mut self,
        task: &Task,
        frame: &TaskFrame,
        list: ListId,
        catch: &Catch,
        context: &Held,
    ) -> Result<Phase, Broken> {
        let limit = match catch.retry.as_ref().and_then(|retry| retry.limit.attempt.as_ref()) {
            Some(limit) => {
                let within = self.duration(limit, Self::body(task, frame, context), &task.reference)?;
                Some(self.arm(within))
            }
            None => None,
        };
        Ok(Phase::Body { list: ListFrame::new(list, frame.input.clone()), limit })
    }
}

/// What a `catch` makes of an error.
enum Decided {
    /// It does not take it.
    Passes,
    /// The list runs again after so many milliseconds.
    Again(u64),
    /// `catch.do` runs.
    Recovers,
}

fn set_phase(frame: &mut TaskFrame, to: Phase) {
    if let Doing::Try { phase, .. } = &mut frame.doing {
        *phase = to;
    }
}

fn count_retry(frame: &mut TaskFrame) {
    if let Doing::Try { retries, .. } = &mut frame.doing {
        *retries += 1;
    }
}
