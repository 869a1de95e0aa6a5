//! A replay under way: page after page, until the end of its events or a stall.

use super::recall::Recall;
use super::scratch::{Pace, Scratch, Terms};
use super::source::{Planned, Source};
use super::{PAGE_EVENTS, StallKind};
use crate::runtime::incident;
use playbook_engine::event::Seen;
use playbook_model::event::CloudEvent;
use playbook_model::refusal::Refusal;
use playbook_model::time::Moment;
use playbook_worker::{Step, Trace};
use std::collections::VecDeque;
use std::sync::Arc;

/// The most events of a page where views are written down between pages.
const TRACED_EVENTS: usize = 200;

/// A recall function's text folded over events in a scratch view; nothing is recorded.
#[derive(Debug)]
pub struct Replay {
    scratch: Scratch,
    recall: Arc<Recall>,
    source: Source,
    trace: Trace,
    key: u64,
    view: String,
    folded: u64,
    read_to: u64,
    /// Read and not folded yet.
    ahead: VecDeque<Planned>,
    /// Up to where the source was read, and whether more is known to follow.
    source_at: u64,
    more: bool,
    /// Records read, those ahead among them.
    records: u64,
    halted: Option<Halted>,
    /// The event it halted at.
    held: Option<Planned>,
}

/// What one page of a replay came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// Each event that was folded, in order.
    pub events: Vec<Folded>,
    /// What the replay stopped at; every later page says it again.
    pub halt: Option<Halted>,
    /// Whether every event there is was read. A log may have grown when it is asked again.
    pub end: bool,
}

/// An event that was folded.
#[derive(Debug, Clone, PartialEq)]
pub struct Folded {
    /// Its position in the log, or its place among given events, from 1.
    pub position: u64,
    /// The event.
    pub event: CloudEvent,
    /// Its time as a clock reads it.
    pub time: Moment,
    /// Checkpoints the fold spent.
    pub work: u32,
    /// Bytes of the view after it, as JSON.
    pub bytes: usize,
    /// The top-level members it added to the view, each as its name's hash, where that is traced.
    pub(crate) added: Vec<u64>,
}

/// The event that a replay stopped at: "When a view stalls".
#[derive(Debug, Clone, PartialEq)]
pub struct Halted {
    /// Its position in the log, or its place among given events, from 1.
    pub position: u64,
    /// The event.
    pub event: CloudEvent,
    /// The view before it, as JSON text.
    pub before: String,
    /// The kind of stall. Of the kinds `time` and `crash` a replay tries once.
    pub kind: StallKind,
    /// The fold's own error, or what was found.
    pub error: String,
    /// The line in the document.
    pub line: Option<u32>,
    /// Whether a filter's expression was at fault.
    pub filter: bool,
}

impl Replay {
    /// A replay of a recall function from `view.initial` and the first event.
    #[must_use]
    pub fn new(scratch: &Scratch, recall: Arc<Recall>, source: Source) -> Self {
        let view = recall.initial();
        Self::from_view(scratch, recall, source, view)
    }

    /// A replay that begins from a view, given as JSON text.
    #[must_use]
    pub fn from_view(scratch: &Scratch, recall: Arc<Recall>, source: Source, view: String) -> Self {
        Self {
            scratch: scratch.clone(),
            recall,
            source,
            trace: Trace::Nothing,
            key: Scratch::key(),
            view,
            folded: 0,
            read_to: 0,
            ahead: VecDeque::new(),
            source_at: 0,
            more: true,
            records: 0,
            halted: None,
            held: None,
        }
    }

    /// A replay that tells which top-level members each fold adds.
    pub(crate) fn tracing(mut self) -> Self {
        self.trace = Trace::Added;
        self
    }

    /// After a halt, tries the event again at the next page.
    pub(crate) fn try_again(&mut self) {
        if let Some(event) = self.held.take() {
            self.ahead.push_front(event);
            self.halted = None;
        }
    }

    /// Folds the next page: at most 500 events, or as many as fold in a fifth of a second. A page may fold none, where
    /// the filters take none of 500 records.
    ///
    /// # Errors
    /// [`Refusal`] when the log cannot be read or the program stops; the replay is as before.
    pub async fn page(&mut self) -> Result<Page, Refusal> {
        if self.halted.is_some() {
            return Ok(Page { events: Vec::new(), halt: self.halted.clone(), end: false });
        }
        if self.ahead.is_empty() {
            let read = self.source.read(&self.recall, self.source_at).await?;
            (self.source_at, self.more) = (read.read_to, read.more);
            self.records += read.records;
            self.ahead = read.events.into();
        }
        let mut events = Vec::new();
        if !self.ahead.is_empty() {
            let most = match self.trace {
                Trace::Nothing => PAGE_EVENTS,
                Trace::Added => TRACED_EVENTS,
            };
            let planned: Vec<(&Seen, &[usize])> =
                self.ahead.iter().take(most).map(|event| (&*event.seen, event.ask.as_slice())).collect();
            let terms = Terms { key: self.key, recall: &self.recall, pace: Pace::Behind, trace: self.trace };
            let portion = self.scratch.fold(terms, self.view.clone(), &planned).await?;
            if portion.steps.is_empty() && portion.halt.is_none() {
                return Err(incident("a page of a replay went past no event"));
            }
            self.view = portion.view;
            let mut added = portion.added.iter().peekable();
            for (place, step) in (0_u32..).zip(portion.steps) {
                let Some(event) = self.ahead.pop_front() else { break };
                self.read_to = event.position;
                if let Step::Folded { work, bytes } = step {
                    self.folded += 1;
                    let names =
                        std::iter::from_fn(|| added.next_if(|added| added.step == place).map(|added| added.name));
                    let names: Vec<u64> = names.collect();
                    let Seen { event: seen, time, .. } = Arc::unwrap_or_clone(event.seen);
                    events.push(Folded { position: event.position, event: seen, time, work, bytes, added: names });
                }
            }
            if let Some(halt) = portion.halt
                && let Some(event) = self.ahead.pop_front()
            {
                self.halted = Some(Halted {
                    position: event.position,
                    event: event.seen.event.clone(),
                    before: self.view.clone(),
                    kind: halt.kind,
                    error: halt.error,
                    line: halt.line,
                    filter: halt.filter,
                });
                self.held = Some(event);
            }
        }
        let whole = self.ahead.is_empty() && self.halted.is_none();
        if whole {
            self.read_to = self.source_at;
        }
        Ok(Page { events, halt: self.halted.clone(), end: whole && !self.more })
    }

    /// The view as it stands, as JSON text.
    #[must_use]
    pub fn view(&self) -> &str {
        &self.view
    }

    /// How many events were folded.
    #[must_use]
    pub fn folded(&self) -> u64 {
        self.folded
    }

    /// How many records, or given events, were gone past: those that the filters do not take among them.
    #[must_use]
    pub fn examined(&self) -> u64 {
        self.records.saturating_sub(self.ahead.len() as u64)
    }

    /// The position in the log, or the place among given events, up to which everything was read.
    #[must_use]
    pub fn read_to(&self) -> u64 {
        self.read_to
    }
}
