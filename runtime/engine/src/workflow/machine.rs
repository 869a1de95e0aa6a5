//! Applying one input to a run: what is decided, recorded and to be performed.
//!
//! Reads no clock and no chance: the time comes in with the input, and what looks like chance is worked out of the
//! run's id. So the same input on the same state decides the same, today and when it is looked at years later.

use super::evaluate::{Evaluate, Place};
use super::fault::{Fault, Short};
use super::input::{Answer, Input, Start};
use super::output::{Outputs, Settled};
use super::program::Program;
use super::record::{Applied, Outcome, Step};
use super::state::{Amount, Events, FORMAT, Kept, ListFrame, Root, State, Wait};
use super::value::{Held, ValueId};
use super::waits::fresh;
use playbook_definition::workflow::{ExpressionId, ListId};
use playbook_model::ending::{Kind, Reason, Rejection};
use playbook_model::time::Moment;
use playbook_model::{json, limits};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Why an input was not applied. Nothing is recorded then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unapplied {
    /// The run waits for no such thing any more.
    Stale,
    /// The run has received an event of this id before.
    Repeated,
    /// The run has ended.
    Ended,
    /// Expressions could not be evaluated now; try again.
    Lost(String),
}

/// What stops a task, or everything.
#[derive(Debug)]
pub(super) enum Broken {
    /// The task raises it.
    Fault(Box<Fault>),
    /// The run ends with it, whatever would catch it.
    Limit(Box<Fault>),
    /// Nothing is decided.
    Lost(String),
}

impl From<Fault> for Broken {
    fn from(fault: Fault) -> Self {
        Self::Fault(Box::new(fault))
    }
}

/// Sees what happens while an input is applied, for whoever steps through a run.
pub trait Trace {
    /// An expression was evaluated.
    fn expression(&mut self, id: ExpressionId, value: Result<&Value, &Fault>, work: u32);
    /// A task moved; what it holds at this moment.
    fn step(&mut self, step: &Step, seen: Seen<'_>);
}

/// What a task holds as it moves.
#[derive(Debug, Clone, Copy, Default)]
pub struct Seen<'a> {
    /// `$input`.
    pub input: Option<&'a Value>,
    /// What it handed on, or produced so far.
    pub output: Option<&'a Value>,
    /// `$context`.
    pub context: Option<&'a Value>,
    /// The names of loops and caught errors around it, each with its `$`.
    pub names: &'a [(String, Held)],
}

/// Applies inputs; made for one and dropped with it.
pub(super) struct Machine<'a> {
    pub(super) program: &'a Program,
    pub(super) evaluator: &'a mut dyn Evaluate,
    pub(super) trace: Option<&'a mut dyn Trace>,
    pub(super) at: Moment,
    pub(super) state: State,
    pub(super) start: Start,
    /// The wait that this input is about, until whoever waits for it takes it.
    pub(super) fired: Option<Wait>,
    pub(super) answer: Option<(Wait, Answer)>,
    pub(super) offered: Option<(Wait, u32, Held)>,
    /// Tasks started by this input.
    pub(super) tasks: u32,
    /// Checkpoints spent by this input.
    pub(super) work: u32,
    /// The run goes on after others had their turn.
    pub(super) pausing: bool,
    pub(super) numbers: u32,
    pub(super) steps: Vec<Option<Step>>,
    pub(super) outputs: Outputs,
    pub(super) scope: Vec<(String, Held)>,
    /// The iterations of the loops around what goes on.
    pub(super) turns: Vec<u32>,
}

/// How a list or the run went on.
pub(super) enum Progress {
    /// Something is waited for.
    Waits,
    /// The list came to its end with this.
    Completed(Held),
    /// A task left the list with this.
    Exited(Held),
    /// A task ended the run with this.
    Ended(Held),
    /// A task raised this.
    Raised(Box<Fault>),
}

/// Applies an input to a run. `before` is `None` for its start alone.
///
/// # Errors
/// [`Unapplied`]; nothing is to be recorded.
pub fn apply(
    program: &Program,
    before: Option<&State>,
    input: &Input,
    at: Moment,
    evaluator: &mut dyn Evaluate,
    mut trace: Option<&mut dyn Trace>,
) -> Result<Applied, Unapplied> {
    let traced: Option<&mut dyn Trace> = match &mut trace {
        Some(trace) => Some(&mut **trace),
        None => None,
    };
    let mut machine = Machine::new(program, before, input, at, &mut *evaluator, traced)?;
    let broken = match machine.take(input) {
        Ok(Taken::Drive) => machine.drive(),
        Ok(Taken::Settled) => Ok(()),
        Err(broken) => Err(broken),
    };
    match broken {
        Ok(()) => {}
        Err(Broken::Lost(why)) => return Err(Unapplied::Lost(why)),
        Err(Broken::Limit(fault) | Broken::Fault(fault)) => machine.fail(&fault),
    }
    match machine.finish(input) {
        Ok(applied) => Ok(applied),
        // What came of it is too much to keep: the run ends as it stood before.
        Err(fault) => {
            let mut machine = Machine::new(program, before, input, at, evaluator, None)?;
            machine.fail(&fault);
            machine.finish(input).map_err(|fault| Unapplied::Lost(format!("an end too large: {fault:?}")))
        }
    }
}

/// What an input comes to before any task is looked at.
enum Taken {
    Drive,
    Settled,
}

impl<'a> Machine<'a> {
    fn new(
        program: &'a Program,
        before: Option<&State>,
        input: &Input,
        at: Moment,
        evaluator: &'a mut dyn Evaluate,
        trace: Option<&'a mut dyn Trace>,
    ) -> Result<Self, Unapplied> {
        let (mut state, start) = match (before, input) {
            (None, Input::Started { start, input }) => {
                let id = |number| ValueId { input: 1, number };
                let held = |number, value| Held::new(id(number), value);
                let kept = serde_json::to_value(start).expect("a start holds nothing JSON cannot");
                let state = State {
                    format: FORMAT,
                    inputs: 0,
                    at: start.at,
                    started: start.at,
                    input: held(0, input.clone()),
                    start: held(1, kept),
                    next: 1,
                    draws: 0,
                    runs: BTreeMap::new(),
                    busy: 0,
                    log_bytes: 0,
                    timers: BTreeMap::new(),
                    overrun: 0,
                    deadline: None,
                    pause: None,
                    events: Events::default(),
                    emitted: Amount::default(),
                    root: Some(Root {
                        context: held(2, Value::Object(Map::new())),
                        list: ListFrame::new(ListId(0), held(0, input.clone())),
                    }),
                };
                (state, (**start).clone())
            }
            (None, _) | (Some(_), Input::Started { .. }) => return Err(Unapplied::Stale),
            (Some(state), _) if state.root.is_none() => return Err(Unapplied::Ended),
            (Some(state), _) => {
                fresh(state, input)?;
                let start = serde_json::from_value(state.start.value().clone())
                    .map_err(|why| Unapplied::Lost(format!("the start of a run cannot be read: {why}")))?;
                (state.clone(), start)
            }
        };
        state.inputs += 1;
        state.at = state.at.max(at);
        if let Input::TimerFired { timer } = input {
            // Never before it was due, whatever a clock that was set back says.
            let Some(due) = state.timers.get(timer) else { return Err(Unapplied::Stale) };
            state.at = state.at.max(*due);
        }
        let numbers = if before.is_none() { 3 } else { 0 };
        let at = state.at;
        Ok(Self {
            program,
            evaluator,
            trace,
            at,
            state,
            start,
            fired: None,
            answer: None,
            offered: None,
            tasks: 0,
            work: 0,
            pausing: false,
            numbers,
            steps: Vec::new(),
            outputs: Outputs::default(),
            scope: Vec::new(),
            turns: Vec::new(),
        })
    }

    /// Takes what the input brings.
    fn take(&mut self, input: &Input) -> Result<Taken, Broken> {
        match input {
            Input::Started { .. } => self.begin_run()?,
            Input::TimerFired { timer } => {
                self.disarm(*timer);
                if *timer == self.state.overrun {
                    let words = "The run was still going at the longest a run may last";
                    self.cancel(Kind::Overrun, Some(words.to_owned()));
                    return Ok(Taken::Settled);
                }
                if self.state.deadline == Some(*timer) {
                    self.state.deadline = None;
                    let fault = Fault::short(Short::Timeout, 408, "", "The run took longer than its timeout");
                    self.end_open(Kind::Deadline);
                    self.settle(Settled::Rejected { rejection: fault.ends(None) });
                    return Ok(Taken::Settled);
                }
                if self.state.pause == Some(*timer) {
                    self.state.pause = None;
                } else {
                    self.fired = Some(*timer);
                }
            }
            Input::CallAnswered { call, answer } => self.answer = Some((*call, answer.clone())),
            Input::EventReceived { event } => self.receive(event)?,
            Input::EventOffered { listener, filter, event, .. } => {
                let event = self.hold(event.clone());
                self.offered = Some((*listener, *filter, event));
            }
            Input::CancelRequested { why, reason } => {
                self.cancel(*why, reason.clone());
                return Ok(Taken::Settled);
            }
        }
        Ok(Taken::Drive)
    }

    fn begin_run(&mut self) -> Result<(), Broken> {
        let longest = self.start.longest;
        self.state.overrun = self.arm(longest);
        let program = self.program;
        let data = self.state.input.clone();
        if let Some(timeout) = &program.details().timeout {
            let within = self.duration(timeout, Place::default(), "")?;
            self.state.deadline = Some(self.arm(within));
        }
        if let Some(from) = &program.details().input_from {
            let shaped = self.held(from, Place { data: Some(&data), ..Place::default() })?;
            if let Some(root) = &mut self.state.root {
                root.list.data = shaped;
            }
        } else if let Some(root) = &mut self.state.root {
            root.list.data = data;
        }
        Ok(())
    }

    /// An event sent to the run is kept until a task takes it. "Limits".
    fn receive(&mut self, event: &Value) -> Result<(), Broken> {
        let bytes = json::bytes(event) as u64;
        let held = self.hold(event.clone());
        let id = event.get("id").cloned().unwrap_or_default();
        let mut ids =
            self.state.events.ids.as_ref().and_then(|ids| ids.value().as_array().cloned()).unwrap_or_default();
        ids.push(id);
        let ids = self.hold(Value::Array(ids));
        let events = &mut self.state.events;
        events.ids = Some(ids);
        events.received.count += 1;
        events.received.bytes += bytes;
        let number = events.received.count;
        events.waiting.push(Kept { number, event: held });
        let over = events.received.count > limits::RUN_EVENTS || events.received.bytes > limits::RUN_EVENTS_BYTES;
        if over {
            let words = "The run was sent more events than it may take over its life";
            return Err(Broken::Limit(Box::new(Fault::limit("", words))));
        }
        Ok(())
    }

    /// More events than may wait, once every task took what it waited for.
    fn too_many_wait(&self) -> Option<Fault> {
        let waiting = &self.state.events.waiting;
        let bytes: usize = waiting.iter().map(|kept| kept.event.bytes()).sum();
        (waiting.len() > limits::EVENTS_WAITING || bytes > limits::EVENTS_WAITING_BYTES)
            .then(|| Fault::limit("", "More events wait for the run than may wait"))
    }

    /// Goes on with everything that can.
    fn drive(&mut self) -> Result<(), Broken> {
        let Some(Root { mut context, mut list }) = self.state.root.take() else { return Ok(()) };
        let progress = self.list(&mut list, &mut context);
        match progress {
            Ok(Progress::Waits) => {
                self.state.root = Some(Root { context, list });
                if let Some(fault) = self.too_many_wait() {
                    return Err(Broken::Limit(Box::new(fault)));
                }
                if self.pausing {
                    if self.state.pause.is_none() {
                        self.state.pause = Some(self.arm(0));
                    }
                } else {
                    self.state.busy = 0;
                }
                Ok(())
            }
            Ok(Progress::Completed(output) | Progress::Exited(output) | Progress::Ended(output)) => {
                self.state.root = Some(Root { context: context.clone(), list });
                self.complete(&output, &context)
            }
            Ok(Progress::Raised(fault)) => {
                self.state.root = Some(Root { context, list });
                Err(Broken::Fault(fault))
            }
            Err(broken) => {
                self.state.root = Some(Root { context, list });
                Err(broken)
            }
        }
    }

    /// The run comes to its end with an output. "How a run ends".
    fn complete(&mut self, output: &Held, context: &Held) -> Result<(), Broken> {
        let program = self.program;
        let output = match &program.details().output_as {
            Some(shape) => {
                let place = Place { data: Some(output), context: Some(context), ..Place::default() };
                self.template(shape, place)?
            }
            None => output.value().clone(),
        };
        let bytes = json::bytes(&output);
        let settled = if bytes > limits::WORKFLOW_OUTPUT_BYTES {
            let words =
                format!("The output takes {bytes} bytes as JSON; at most {} may", limits::WORKFLOW_OUTPUT_BYTES);
            Settled::Rejected { rejection: Rejection::new(Reason::Conflict, words).kind(Kind::Oversized) }
        } else if let Some(rejection) = self.misshapen(&output) {
            Settled::Rejected { rejection }
        } else {
            Settled::Succeeded { output }
        };
        self.end_open(Kind::ParentEnded);
        self.settle(settled);
        Ok(())
    }

    fn misshapen(&self, output: &Value) -> Option<Rejection> {
        let shape = self.program.details().shape?;
        let issues = playbook_definition::workflow::shape_issues(shape, output);
        if issues.is_empty() {
            return None;
        }
        let named: Vec<String> = issues
            .iter()
            .take(limits::OUTPUT_ISSUES_NAMED)
            .map(|issue| playbook_schema::pointed(issue, "the output itself"))
            .collect();
        let words = format!("The output does not match its shape: {}", named.join("; "));
        Some(Rejection::new(Reason::Conflict, words).kind(Kind::Unworkable))
    }

    /// The run ends with an error that nothing caught.
    pub(super) fn fail(&mut self, fault: &Fault) {
        self.end_open(Kind::ParentEnded);
        let step = fault.instance.rsplit('/').next().filter(|name| !name.is_empty());
        let step = step.map(|name| name.replace("~1", "/").replace("~0", "~"));
        self.settle(Settled::Rejected { rejection: fault.ends(step.as_deref()) });
    }

    fn cancel(&mut self, kind: Kind, reason: Option<String>) {
        self.end_open(Kind::ParentEnded);
        let words = reason.unwrap_or_else(|| "The run was cancelled".to_owned());
        self.settle(Settled::Rejected { rejection: Rejection::new(Reason::Cancelled, words).kind(kind) });
    }

    /// Ends whatever is under way.
    fn end_open(&mut self, kind: Kind) {
        if let Some(mut root) = self.state.root.take() {
            self.end_list(&mut root.list, kind);
        }
    }

    fn settle(&mut self, settled: Settled) {
        self.state.root = None;
        self.state.events.waiting.clear();
        let timers: Vec<Wait> = self.state.timers.keys().copied().collect();
        for timer in timers {
            self.disarm(timer);
        }
        self.state.deadline = None;
        self.state.pause = None;
        self.outputs.settle = Some(settled);
    }

    /// Says that a task moved.
    pub(super) fn step(&mut self, step: Step, seen: Seen<'_>) -> usize {
        if let Some(trace) = &mut self.trace {
            trace.step(&step, Seen { names: &self.scope, ..seen });
        }
        self.steps.push(Some(step));
        self.steps.len() - 1
    }

    pub(super) fn traced(&mut self, id: ExpressionId, value: Result<&Value, &Fault>, work: u32) {
        if let Some(trace) = &mut self.trace {
            trace.expression(id, value, work);
        }
    }

    /// Whether the run lets others have their turn before its next task. "Limits".
    pub(super) fn has_had_its_turn(&self) -> bool {
        self.tasks >= limits::TASKS_A_TURN || self.work >= limits::WORK_A_TURN
    }

    /// Writes down what was decided, or says what keeps that from being kept.
    fn finish(mut self, input: &Input) -> Result<Applied, Fault> {
        if self.state.root.is_some() {
            if let Some(fault) = self.too_much_held() {
                return Err(fault);
            }
            if self.state.inputs >= limits::RUN_INPUTS {
                let fault = Fault::limit("", "The run took as many inputs as a run may take");
                return Err(fault);
            }
        }
        let mut steps: Vec<Step> = std::mem::take(&mut self.steps).into_iter().flatten().collect();
        // A list of thousands of steps in one input would be larger than what it tells of.
        steps.truncate(limits::STEPS_AN_INPUT);
        let applied = Applied::new(input, self.state, steps, self.outputs);
        let bytes = applied.text.len();
        let log = applied.state.log_bytes;
        if applied.state.root.is_some() && bytes > limits::CHANGE_BYTES {
            let words =
                format!("One change of the run takes {bytes} bytes as JSON; at most {} may", limits::CHANGE_BYTES);
            return Err(Fault::limit("", words));
        }
        if applied.state.root.is_some() && log > limits::RUN_HISTORY_BYTES {
            return Err(Fault::limit("", "The run's history grew past what may be recorded of one"));
        }
        Ok(applied)
    }

    /// "Data a run holds at once".
    fn too_much_held(&mut self) -> Option<Fault> {
        let mut seen = std::collections::HashSet::new();
        let mut bytes = self.program.document_bytes();
        self.state.each(&mut |held| {
            if seen.insert(held.id()) {
                bytes = bytes.saturating_add(held.bytes());
            }
        });
        bytes = bytes.saturating_add(self.state.under_way().saturating_mul(limits::TASK_BYTES));
        (bytes > limits::RUN_HELD_BYTES).then(|| {
            Fault::limit("", format!("The run holds {bytes} bytes as JSON; at most {} may", limits::RUN_HELD_BYTES))
        })
    }
}

/// The outcome of a step that ends because of what is around it.
pub(super) fn ended(kind: Kind) -> Outcome {
    if kind == Kind::Deadline { Outcome::TimedOut } else { Outcome::Cancelled }
}
