//! Lists and what every task has: `if`, `input.from`, `timeout`, `output.as`, `export.as` and `then`.
//! "Tasks", "Data between tasks", "Flow".

use super::evaluate::{At, Place};
use super::fault::{Fault, Short};
use super::machine::{Broken, Machine, Progress, Seen, ended};
use super::record::{Outcome, Step, StepError, WaitsFor};
use super::state::{Branch, Doing, ListFrame, Phase, TaskFrame, Wait};
use super::value::Held;
use playbook_definition::workflow::{Directive, Kind, Task, TaskId};
use playbook_model::ending::Kind as Why;
use playbook_model::limits;

/// How a task went on.
pub(super) enum Went {
    /// It waits.
    Waits,
    /// It handed this on, and this runs next.
    Finished(Held, Directive),
    /// It ended the run with this.
    Ended(Held),
    /// It raised this.
    Raised(Box<Fault>),
}

/// What a task's own work came to.
pub(super) enum Work {
    /// It waits for something.
    Waits,
    /// It produced this; a `switch` says what runs next.
    Produced(Held, Option<Directive>),
    /// A task in it ended the run with this.
    Ended(Held),
}

/// A task that was begun.
pub(super) enum Begun {
    /// Its `if` did not hold.
    Skipped,
    /// It goes.
    Goes(Box<TaskFrame>),
}

impl Machine<'_> {
    /// Goes on with a list for as long as it can.
    pub(super) fn list(&mut self, frame: &mut ListFrame, context: &mut Held) -> Result<Progress, Broken> {
        let program = self.program;
        loop {
            if frame.task.is_none() {
                let Some(&task) = program.list(frame.list).tasks.get(frame.place as usize) else {
                    return Ok(Progress::Completed(frame.data.clone()));
                };
                if self.has_had_its_turn() {
                    self.pausing = true;
                    return Ok(Progress::Waits);
                }
                match self.begin(task, &frame.data, context) {
                    Ok(Begun::Skipped) => {
                        frame.place += 1;
                        continue;
                    }
                    Ok(Begun::Goes(begun)) => frame.task = Some(begun),
                    Err(Broken::Fault(fault)) => return Ok(Progress::Raised(fault)),
                    Err(broken) => return Err(broken),
                }
            }
            let Some(mut task) = frame.task.take() else { continue };
            match self.task(&mut task, context)? {
                Went::Waits => {
                    frame.task = Some(task);
                    return Ok(Progress::Waits);
                }
                Went::Finished(output, then) => {
                    frame.data = output;
                    match then {
                        Directive::Continue => frame.place += 1,
                        Directive::Jump(place) => frame.place = place,
                        Directive::Exit => return Ok(Progress::Exited(frame.data.clone())),
                        Directive::End => return Ok(Progress::Ended(frame.data.clone())),
                    }
                }
                Went::Ended(output) => return Ok(Progress::Ended(output)),
                Went::Raised(fault) => return Ok(Progress::Raised(fault)),
            }
        }
    }

    /// Begins a task: its condition, its timeout, its input.
    pub(super) fn begin(&mut self, id: TaskId, raw: &Held, context: &Held) -> Result<Begun, Broken> {
        let program = self.program;
        let task = program.task(id);
        self.tasks += 1;
        self.state.busy += 1;
        if self.state.busy > limits::TASKS_WITHOUT_WAITING {
            let words = format!("The run did {} tasks without waiting", limits::TASKS_WITHOUT_WAITING);
            return Err(Broken::Limit(Box::new(Fault::limit(&task.reference, words))));
        }
        let at = At { task, raw, started: self.at, output: None };
        let place = Place { data: Some(raw), context: Some(context), task: Some(at), ..Place::default() };
        let run = self.state.runs.get(&id).copied().unwrap_or(0) + 1;
        let begun = self.prepare(task, place);
        let (goes, input, timeout) = match begun {
            Ok(begun) => begun,
            Err(Broken::Fault(fault)) => {
                self.state.runs.insert(id, run);
                self.tell(
                    task,
                    run,
                    Outcome::Raised,
                    Some(&fault),
                    Seen { context: Some(context.value()), ..Seen::default() },
                );
                return Err(Broken::Fault(fault));
            }
            Err(broken) => return Err(broken),
        };
        if !goes {
            let seen = Seen {
                input: Some(raw.value()),
                output: Some(raw.value()),
                context: Some(context.value()),
                ..Seen::default()
            };
            self.tell(task, run, Outcome::Skipped, None, seen);
            return Ok(Begun::Skipped);
        }
        self.state.runs.insert(id, run);
        Ok(Begun::Goes(Box::new(TaskFrame {
            task: id,
            run,
            started: self.at,
            raw: raw.clone(),
            input,
            timeout: timeout.map(|within| self.arm(within)),
            doing: Doing::Fresh,
            told: None,
        })))
    }

    /// Whether a task goes, on which input and for how long at most.
    fn prepare(&mut self, task: &Task, place: Place<'_>) -> Result<(bool, Held, Option<u64>), Broken> {
        let raw = place.data.cloned().unwrap_or_else(|| self.state.input.clone());
        if let Some(condition) = task.fields.condition
            && !self.holds(condition, place)?
        {
            return Ok((false, raw, None));
        }
        let timeout = match &task.fields.timeout {
            Some(timeout) => Some(self.duration(timeout, place, &task.reference)?),
            None => None,
        };
        let input = match &task.fields.input_from {
            Some(from) => self.held(from, place)?,
            None => raw,
        };
        Ok((true, input, timeout))
    }

    /// Goes on with a task.
    pub(super) fn task(&mut self, frame: &mut TaskFrame, context: &mut Held) -> Result<Went, Broken> {
        let program = self.program;
        let task = program.task(frame.task);
        if let Some(timeout) = frame.timeout
            && self.fired == Some(timeout)
        {
            self.fired = None;
            self.end_task(frame, Why::Deadline);
            let fault = Fault::short(Short::Timeout, 408, &task.reference, "The task took longer than its timeout");
            return Ok(Went::Raised(Box::new(fault)));
        }
        match self.work(task, frame, context) {
            Ok(Work::Waits) => Ok(Went::Waits),
            Ok(Work::Produced(produced, directive)) => match self.hand_on(task, frame, &produced, context) {
                Ok(output) => {
                    self.close(frame);
                    self.retell(task, frame, Outcome::Completed, None, Some(output.value()), context);
                    Ok(Went::Finished(output, directive.unwrap_or(task.fields.then)))
                }
                Err(broken) => self.raise(task, frame, broken, context),
            },
            Ok(Work::Ended(output)) => {
                self.close(frame);
                self.retell(task, frame, Outcome::Completed, None, Some(output.value()), context);
                Ok(Went::Ended(output))
            }
            Err(broken) => self.raise(task, frame, broken, context),
        }
    }

    fn raise(&mut self, task: &Task, frame: &mut TaskFrame, broken: Broken, context: &Held) -> Result<Went, Broken> {
        let Broken::Fault(fault) = broken else { return Err(broken) };
        self.close(frame);
        self.retell(task, frame, Outcome::Raised, Some(&fault), None, context);
        Ok(Went::Raised(fault))
    }

    /// A task's own work.
    fn work(&mut self, task: &Task, frame: &mut TaskFrame, context: &mut Held) -> Result<Work, Broken> {
        match &task.kind {
            Kind::Set(template) => self.set(task, frame, template, context),
            Kind::Switch(cases) => self.switch(task, frame, cases, context),
            Kind::Raise(raised) => self.raise_own(task, frame, raised, context),
            Kind::Emit(attributes) => self.emit(task, frame, attributes, context),
            Kind::Wait(duration) => self.wait_for(task, frame, duration, context),
            Kind::Call(target) => self.call(task, frame, target, context),
            Kind::Listen(listening) => self.listen(task, frame, listening, context),
            Kind::Do(list) => {
                if matches!(frame.doing, Doing::Fresh) {
                    self.starts(task, frame, context);
                    frame.doing = Doing::Do(ListFrame::new(*list, frame.input.clone()));
                }
                let Doing::Do(list) = &mut frame.doing else { return Err(unlike(task)) };
                match self.list(list, context)? {
                    Progress::Waits => Ok(Work::Waits),
                    Progress::Completed(output) | Progress::Exited(output) => Ok(Work::Produced(output, None)),
                    Progress::Ended(output) => Ok(Work::Ended(output)),
                    Progress::Raised(fault) => Err(Broken::Fault(fault)),
                }
            }
            Kind::For { .. } => self.repeat(task, frame, context),
            Kind::Fork { branches, branching } => self.fork(task, frame, branches, *branching, context),
            Kind::Try { list, catch } => self.attempt(task, frame, *list, catch, context),
        }
    }

    /// `output.as`, then `export.as`.
    fn hand_on(&mut self, task: &Task, frame: &TaskFrame, produced: &Held, context: &mut Held) -> Result<Held, Broken> {
        let at = At { task, raw: &frame.raw, started: frame.started, output: Some(produced) };
        let place = Place {
            data: Some(produced),
            input: Some(&frame.input),
            context: Some(context),
            task: Some(at),
            output: None,
        };
        let output = match &task.fields.output_as {
            Some(shape) => self.held(shape, place)?,
            None => produced.clone(),
        };
        if let Some(export) = &task.fields.export_as {
            let place = Place { data: Some(&output), output: Some(&output), ..place };
            let exported = self.held(export, place)?;
            *context = exported;
        }
        Ok(output)
    }

    /// The place of a task's own fields: `$data` and `$input` are its input.
    pub(super) fn body<'a>(task: &'a Task, frame: &'a TaskFrame, context: &'a Held) -> Place<'a> {
        Place {
            data: Some(&frame.input),
            input: Some(&frame.input),
            context: Some(context),
            task: Some(At { task, raw: &frame.raw, started: frame.started, output: None }),
            output: None,
        }
    }

    fn close(&mut self, frame: &mut TaskFrame) {
        if let Some(timeout) = frame.timeout.take() {
            self.disarm(timeout);
        }
    }

    /// Says that a task which holds others started; taken back when this input sees it end.
    pub(super) fn starts(&mut self, task: &Task, frame: &mut TaskFrame, context: &Held) {
        let seen = Seen { input: Some(frame.input.value()), context: Some(context.value()), ..Seen::default() };
        let at = self.tell(task, frame.run, Outcome::Started, None, seen);
        frame.told = Some((self.state.inputs, at));
    }

    /// Takes back that a task started, where this very input told so.
    fn untell(&mut self, frame: &mut TaskFrame) {
        if let Some((input, at)) = frame.told.take()
            && input == self.state.inputs
            && let Some(step) = self.steps.get_mut(at)
        {
            *step = None;
        }
    }

    /// Says that a task waits.
    pub(super) fn waits(&mut self, task: &Task, frame: &mut TaskFrame, wait: Waiting, context: &Held) {
        let Waiting { waits_for, until, child } = wait;
        let until = until.and_then(|timer| self.state.timers.get(&timer)).map(|due| due.0);
        let step =
            Step { waits_for: Some(waits_for), until, child, ..self.plain_step(task, frame.run, Outcome::Waiting) };
        let seen = Seen { input: Some(frame.input.value()), context: Some(context.value()), ..Seen::default() };
        self.step(step, seen);
    }

    fn retell(
        &mut self,
        task: &Task,
        frame: &mut TaskFrame,
        outcome: Outcome,
        fault: Option<&Fault>,
        output: Option<&serde_json::Value>,
        context: &Held,
    ) {
        self.untell(frame);
        let seen = Seen { input: Some(frame.input.value()), output, context: Some(context.value()), ..Seen::default() };
        self.tell(task, frame.run, outcome, fault, seen);
    }

    fn tell(&mut self, task: &Task, run: u32, outcome: Outcome, fault: Option<&Fault>, seen: Seen<'_>) -> usize {
        let error = fault.map(|fault| StepError { kind: fault.kind_uri.clone(), title: fault.title.clone() });
        let step = Step { error, ..self.plain_step(task, run, outcome) };
        self.step(step, seen)
    }

    fn plain_step(&self, task: &Task, run: u32, outcome: Outcome) -> Step {
        Step {
            reference: task.reference.clone(),
            run,
            outcome,
            error: None,
            waits_for: None,
            child: None,
            until: None,
            item: self.turns.last().copied(),
        }
    }

    /// Ends a list because of what is around it.
    pub(super) fn end_list(&mut self, list: &mut ListFrame, kind: Why) {
        if let Some(mut task) = list.task.take() {
            self.end_task(&mut task, kind);
        }
    }

    /// Ends a task because of what is around it.
    pub(super) fn end_task(&mut self, frame: &mut TaskFrame, kind: Why) {
        let program = self.program;
        let task = program.task(frame.task);
        match std::mem::replace(&mut frame.doing, Doing::Fresh) {
            Doing::Fresh => {}
            Doing::Do(mut list) | Doing::For { mut list, .. } => self.end_list(&mut list, kind),
            Doing::Fork(mut branches) => branches.iter_mut().for_each(|branch| self.end_branch(branch, kind)),
            Doing::Try { phase, .. } => match phase {
                Phase::Body { mut list, limit } => {
                    self.end_list(&mut list, kind);
                    limit.into_iter().for_each(|limit| self.disarm(limit));
                }
                Phase::Delay { timer, .. } => self.disarm(timer),
                Phase::Recovery { mut list, .. } => self.end_list(&mut list, kind),
            },
            Doing::Wait(timer) => self.disarm(timer),
            Doing::Call { call, deadline, .. } => {
                self.disarm(deadline);
                self.drop_call(call, kind);
            }
            Doing::Listen { listener, .. } => self.drop_listener(listener),
        }
        self.close(frame);
        self.untell(frame);
        let seen = Seen { input: Some(frame.input.value()), ..Seen::default() };
        let step = self.plain_step(task, frame.run, ended(kind));
        self.step(step, seen);
    }

    pub(super) fn end_branch(&mut self, branch: &mut Branch, kind: Why) {
        if let Branch::Runs { task: Some(task), .. } = branch {
            self.end_task(task, kind);
        }
    }

    /// Whether this input is the firing of a timer, taken by whoever asks first.
    pub(super) fn fires(&mut self, timer: Wait) -> bool {
        let fires = self.fired == Some(timer);
        if fires {
            self.fired = None;
        }
        fires
    }
}

/// What a task waits for, and until which timer.
pub(super) struct Waiting {
    pub(super) waits_for: WaitsFor,
    pub(super) until: Option<Wait>,
    pub(super) child: Option<String>,
}

/// A state that does not go with its document, which only a damaged log gives.
pub(super) fn unlike(task: &Task) -> Broken {
    Broken::Lost(format!("the recorded state of the task {} is not of its kind", task.reference))
}
