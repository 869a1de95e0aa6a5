//! Going back and forth over the events a version folded: an index of them, made by one replay behind, and views
//! written down in between, from the nearest of which any event is folded again.

use super::StallKind;
use super::index::{Change, Index};
use super::recall::Recall;
use super::scratch::{Pace, Scratch, Terms};
use super::snapshots::Snapshots;
use super::source::{Planned, Source, seen_records};
use super::walk::Replay;
use crate::runtime::{Runtime, incident};
use playbook_engine::event::Seen;
use playbook_model::ending::{Reason, Rejection};
use playbook_model::event::CloudEvent;
use playbook_model::id::PlaybookKey;
use playbook_model::refusal::Refusal;
use playbook_model::time::Moment;
use playbook_worker::{Step, Trace};
use serde_json::Value;
use std::collections::VecDeque;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;

/// Bytes of views written down for one index.
const SNAPSHOT_BYTES: u64 = 256 * 1024 * 1024;
/// Events after which a view is written down, and folding time after which it is so earlier.
const SNAPSHOT_EVENTS: u64 = 200;
const SNAPSHOT_TIME: Duration = Duration::from_millis(60);
/// Views kept in memory, so that the next event and the one before are at hand.
const RECENT: usize = 8;
/// How long after a failure the index is gone on with at the next call.
const AGAIN: Duration = Duration::from_secs(5);
/// The most events whose id may be the one looked for that are read.
const SAME_ID: usize = 64;
/// Events asked for later, after which one that still waits is not looked at any more: a slider that is dragged asks
/// for many, and the last of them is the one that is wanted.
const LATER: u64 = 4;

/// The index of one version's events; what goes on behind ends with it.
#[derive(Debug)]
pub(crate) struct Scrub {
    shared: Arc<Shared>,
    going: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug)]
struct Shared {
    runtime: Runtime,
    playbook: PlaybookKey,
    recall: Arc<Recall>,
    /// Names the sandboxes in which events are folded again.
    key: u64,
    index: Mutex<Index>,
    snapshots: Mutex<Snapshots>,
    replay: tokio::sync::Mutex<Replay>,
    phase: Mutex<Phase>,
    recent: Mutex<VecDeque<(u64, Arc<str>)>>,
    /// How many events were asked for, and the one that is looked at.
    asked: AtomicU64,
    looking: tokio::sync::Mutex<()>,
}

/// How far an index is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// It is being made.
    Indexing,
    /// It has every event there was.
    Ready,
    /// The replay stopped at an event.
    Stalled(StallKind),
    /// The program could not go on, and since when.
    Failed(Instant),
}

/// What an index is like.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Standing {
    pub(crate) phase: Phase,
    pub(crate) indexed: u64,
    pub(crate) sizes: Value,
    pub(crate) peak: Option<(u64, u64)>,
    pub(crate) grew: Option<Change>,
}

/// One event with the view on both sides of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Frame {
    /// `None` before any event.
    pub(crate) event: Option<CloudEvent>,
    pub(crate) position: Option<u64>,
    /// JSON text.
    pub(crate) before: Option<Arc<str>>,
    /// JSON text.
    pub(crate) after: Arc<str>,
    pub(crate) work: u32,
}

/// Where to go in an index.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Jump {
    /// The last event at or before one that added a top-level member.
    Added { name: String, from: u64 },
    /// The event that grew the view most.
    Grew,
    /// The event that shrank it most.
    Shrank,
    /// The last event at or before a time.
    Time(Moment),
    /// The event of an id.
    Event(String),
}

impl Drop for Scrub {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Scrub {
    /// An index with nothing in it yet; views are written down in a folder.
    pub(crate) fn new(runtime: &Runtime, playbook: &PlaybookKey, recall: Arc<Recall>, folder: &Path) -> Self {
        let source = Source::log(runtime, playbook);
        let replay = Replay::new(runtime.scratch(), recall.clone(), source).tracing();
        let index = Index::new(replay.view());
        Self {
            shared: Arc::new(Shared {
                runtime: runtime.clone(),
                playbook: playbook.clone(),
                key: Scratch::key(),
                recall,
                index: Mutex::new(index),
                snapshots: Mutex::new(Snapshots::new(folder, SNAPSHOT_BYTES)),
                replay: tokio::sync::Mutex::new(replay),
                phase: Mutex::new(Phase::Indexing),
                recent: Mutex::default(),
                asked: AtomicU64::new(0),
                looking: tokio::sync::Mutex::default(),
            }),
            going: Mutex::default(),
        }
    }

    /// Goes on behind where events were folded that the index does not have.
    pub(crate) fn go_on(&self, folded: u64) {
        let mut going = self.going.lock().expect("no holder panics");
        if going.as_ref().is_some_and(|going| !going.is_finished()) {
            return;
        }
        let behind = self.shared.len() < folded;
        let due = match self.shared.phase() {
            Phase::Indexing => true,
            Phase::Ready => behind,
            // The kept view went past what the replay, on a busy machine, did not.
            Phase::Stalled(kind) => behind && matches!(kind, StallKind::Time | StallKind::Crash),
            Phase::Failed(since) => since.elapsed() > AGAIN,
        };
        if due {
            self.shared.set_phase(Phase::Indexing);
            *going = Some(tokio::spawn(run(self.shared.clone())));
        }
    }

    /// Lets go of what goes on behind.
    pub(crate) fn stop(&self) {
        if let Some(going) = self.going.lock().expect("no holder panics").take() {
            going.abort();
        }
    }

    pub(crate) fn standing(&self) -> Standing {
        let phase = self.shared.phase();
        let index = self.shared.index.lock().expect("no holder panics");
        let sizes = index.sizes();
        Standing { phase, indexed: index.len(), sizes: sizes.shown(), peak: sizes.peak(), grew: index.grew() }
    }

    /// The view on both sides of an event; `None` when it is not in the index.
    ///
    /// # Errors
    /// [`Refusal`] when the events could not be folded again in time, others were asked for meanwhile, or the log could
    /// not be read.
    pub(crate) async fn at(&self, index: u64) -> Result<Option<Frame>, Refusal> {
        if index == 0 {
            let after = self.shared.recall.initial().into();
            return Ok(Some(Frame { event: None, position: None, before: None, after, work: 0 }));
        }
        if index > self.shared.len() {
            return Ok(None);
        }
        let nth = self.shared.asked.fetch_add(1, Ordering::Relaxed);
        let _turn = self.shared.looking.lock().await;
        if self.shared.asked.load(Ordering::Relaxed) - nth > LATER + 1 {
            let words = "Other events were asked for meanwhile; ask again";
            return Err(Rejection::new(Reason::Unavailable, words).into());
        }
        self.shared.frame(index).await.map(Some)
    }

    /// Where to go, and a sentence that says why there or why nowhere.
    ///
    /// # Errors
    /// [`Refusal`] when the log cannot be read.
    pub(crate) async fn jump(&self, to: &Jump) -> Result<(Option<u64>, String), Refusal> {
        if let Jump::Event(id) = to {
            // What is kept of an id may be another's: the log says.
            return Ok(match self.shared.with_id(id).await? {
                Some(index) => (Some(index), format!("The event {id}.")),
                None => (None, "No event of this id was folded.".into()),
            });
        }
        let (shared, to) = (self.shared.clone(), to.clone());
        let looked =
            tokio::task::spawn_blocking(move || shared.index.lock().expect("no holder panics").place(&to)).await;
        looked.map_err(|why| incident(&format!("looking through an index broke down: {why}")))
    }
}

impl Index {
    /// Where to go, by what is kept of the events alone, and why there.
    fn place(&self, to: &Jump) -> (Option<u64>, String) {
        let (index, why, none) = match to {
            Jump::Added { name, from } => {
                let none = if self.forgot() {
                    "No event that is kept in mind added this member; those long ago are not."
                } else {
                    "No event up to here added this member."
                };
                (self.added(name, *from), format!("It added the member {name}."), none)
            }
            Jump::Grew => {
                let by = self.grew().map_or(0, |change| change.by);
                let why = format!("It made the view larger by {by} bytes.");
                (self.grew().map(|change| change.index), why, "No event made the view larger.")
            }
            Jump::Shrank => {
                let by = self.shrank().map_or(0, |change| change.by);
                let why = format!("It made the view smaller by {by} bytes.");
                (self.shrank().map(|change| change.index), why, "No event made the view smaller.")
            }
            Jump::Time(time) => {
                let why = format!("The last event at {} or before.", time.iso());
                (self.at_time(*time), why, "No event happened by then.")
            }
            Jump::Event(id) => {
                let why = format!("The event {id}.");
                (self.with_id(id).first().copied(), why, "No event of this id was folded.")
            }
        };
        (index, if index.is_some() { why } else { none.into() })
    }
}

/// Folds on until there is nothing more, writing views down.
async fn run(shared: Arc<Shared>) {
    let mut replay = shared.replay.lock().await;
    replay.try_again();
    let mut spent = Duration::ZERO;
    let phase = loop {
        let begun = Instant::now();
        let page = match replay.page().await {
            Ok(page) => page,
            Err(_) => break Phase::Failed(Instant::now()),
        };
        spent += begun.elapsed();
        let len = {
            let mut index = shared.index.lock().expect("no holder panics");
            page.events.iter().for_each(|folded| index.add(folded));
            index.len()
        };
        let (last, apart) = {
            let snapshots = shared.snapshots.lock().expect("no holder panics");
            (snapshots.last(), u32::try_from(snapshots.apart()).unwrap_or(u32::MAX))
        };
        let due = len - last >= SNAPSHOT_EVENTS.saturating_mul(apart.into()) || spent >= SNAPSHOT_TIME * apart;
        if due && len > last {
            spent = Duration::ZERO;
            shared.keep(len, replay.view().to_owned()).await;
        }
        match page.halt {
            Some(halt) => break Phase::Stalled(halt.kind),
            None if page.end => break Phase::Ready,
            None => {}
        }
    };
    shared.set_phase(phase);
}

impl Shared {
    fn len(&self) -> u64 {
        self.index.lock().expect("no holder panics").len()
    }

    fn phase(&self) -> Phase {
        *self.phase.lock().expect("no holder panics")
    }

    fn set_phase(&self, phase: Phase) {
        *self.phase.lock().expect("no holder panics") = phase;
    }

    /// Writes a view down; without it, what comes after is only folded again from further back.
    async fn keep(self: &Arc<Self>, folded: u64, view: String) {
        let shared = self.clone();
        let kept =
            tokio::task::spawn_blocking(move || shared.snapshots.lock().expect("no holder panics").keep(folded, &view));
        match kept.await {
            Ok(Ok(())) => {}
            Ok(Err(why)) => tracing::warn!(%why, "a view was not written down for scrubbing"),
            Err(why) => tracing::error!(%why, "writing a view down broke down"),
        }
    }

    async fn frame(self: &Arc<Self>, index: u64) -> Result<Frame, Refusal> {
        let (from, view) = self.nearest(index - 1).await?;
        let positions: Vec<u64> = {
            let known = self.index.lock().expect("no holder panics");
            (from + 1..=index).filter_map(|at| known.get(at)).map(|known| known.position).collect()
        };
        let terms = Terms { key: self.key, recall: &self.recall, pace: Pace::AtOnce, trace: Trace::Nothing };
        let (mut view, mut work) = (view.to_string(), 0);
        let mut left = positions.as_slice();
        let (mut before, mut event) = (None, None);
        while !left.is_empty() {
            let events = self.events(left).await?;
            left = &left[events.len()..];
            let mut events: &[Planned] = &events;
            while !events.is_empty() {
                // The last event alone, so that the view before it is known.
                let last = left.is_empty() && events.len() == 1;
                let some = if left.is_empty() && !last { &events[..events.len() - 1] } else { events };
                if last {
                    before = Some(Arc::<str>::from(view.as_str()));
                    event = Some(events[0].seen.event.clone());
                }
                let asked: Vec<(&Seen, &[usize])> = some.iter().map(|event| (&*event.seen, &[][..])).collect();
                let portion = self.runtime.scratch().fold(terms, view, &asked).await?;
                if portion.halt.is_some() || portion.steps.is_empty() {
                    let words = "The events could not be folded again in time; try again";
                    return Err(Rejection::new(Reason::Unavailable, words).into());
                }
                if let Some(Step::Folded { work: spent, .. }) = portion.steps.last() {
                    work = *spent;
                }
                events = &events[portion.steps.len().min(some.len())..];
                view = portion.view;
            }
        }
        let after: Arc<str> = view.into();
        if let Some(before) = &before {
            self.remember(index - 1, before.clone());
        }
        self.remember(index, after.clone());
        Ok(Frame { event, position: positions.last().copied(), before, after, work })
    }

    /// The nearest view that is known after at most so many events.
    async fn nearest(self: &Arc<Self>, folded: u64) -> Result<(u64, Arc<str>), Refusal> {
        let recent = {
            let recent = self.recent.lock().expect("no holder panics");
            recent.iter().filter(|(at, _)| *at <= folded).max_by_key(|(at, _)| *at).cloned()
        };
        if let Some(recent) = &recent
            && recent.0 == folded
        {
            return Ok(recent.clone());
        }
        let shared = self.clone();
        let kept =
            tokio::task::spawn_blocking(move || shared.snapshots.lock().expect("no holder panics").before(folded));
        let kept = match kept.await {
            Ok(Ok(kept)) => kept.map(|(at, view)| (at, Arc::from(view))),
            Ok(Err(why)) => {
                tracing::warn!(%why, "a view written down for scrubbing cannot be read");
                None
            }
            Err(why) => return Err(incident(&format!("reading a view broke down: {why}"))),
        };
        let nearest = recent.into_iter().chain(kept).max_by_key(|(at, _)| *at);
        Ok(nearest.unwrap_or_else(|| (0, self.recall.initial().into())))
    }

    fn remember(&self, folded: u64, view: Arc<str>) {
        let mut recent = self.recent.lock().expect("no holder panics");
        recent.retain(|(at, _)| *at != folded);
        recent.push_back((folded, view));
        if recent.len() > RECENT {
            recent.pop_front();
        }
    }

    /// The events at positions, as many from the first as are read at once.
    async fn events(&self, positions: &[u64]) -> Result<Vec<Planned>, Refusal> {
        let (key, positions) = (self.playbook.clone(), positions.to_vec());
        let seen = self.runtime.read(move |history| Ok(seen_records(history.at(&key, &positions)?))).await?;
        if seen.is_empty() {
            return Err(incident("an event that was folded is not in the log any more"));
        }
        Ok(seen.into_iter().map(|(position, seen)| Planned { position, seen, ask: Vec::new() }).collect())
    }

    async fn with_id(self: &Arc<Self>, id: &str) -> Result<Option<u64>, Refusal> {
        let (shared, of) = (self.clone(), id.to_owned());
        let looked = tokio::task::spawn_blocking(move || {
            let index = shared.index.lock().expect("no holder panics");
            let may = index.with_id(&of).into_iter().take(SAME_ID);
            may.filter_map(|at| Some((at, index.get(at)?.position))).collect::<Vec<_>>()
        });
        let candidates =
            looked.await.map_err(|why| incident(&format!("looking through an index broke down: {why}")))?;
        for (at, position) in candidates {
            let events = self.events(&[position]).await?;
            if events.first().is_some_and(|event| event.seen.event.id == id) {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }
}
