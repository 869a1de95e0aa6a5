//! Reading pages of the log for views that stand at one place, and folding each into every one of them.
//!
//! A page is read once, while the one before it is folded. A view that takes long over a page is left to it: the
//! others go on, and a later pass finds it where it got to.

use super::job::folded;
use super::pass::Ready;
use crate::runtime::Runtime;
use playbook_definition::RecallDetails;
use playbook_engine::event::{Seen, Unseen, seen};
use playbook_engine::view::{Folded, Halt, Phase, Plan, StallKind, Tries, View, plan};
use playbook_history::{Content, PageQuery, Record, Wanted};
use playbook_model::id::PlaybookKey;
use playbook_model::record::Fact;
use playbook_model::refusal::Refusal;
use playbook_model::time::Moment;
use playbook_worker::{Haste, PageLost};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::task::JoinHandle;

/// How long a pass waits for a view's page.
const PATIENCE: Duration = Duration::from_millis(500);

/// A view with what folds it.
pub(super) struct Reader {
    pub(super) view: Arc<View>,
    pub(super) ready: Arc<Ready>,
}

/// What part of the log is read, and which records of it.
pub(super) struct Span {
    after: u64,
    haste: Haste,
    wanted: Vec<Wanted>,
}

/// A page of the log as the events of a fold.
struct Events {
    all: Vec<(u64, Moment, Arc<Seen>)>,
    read_to: u64,
    read_to_at: Option<Moment>,
    /// Nothing was recorded after it by then.
    at_end: bool,
}

/// What a page came to for one view.
enum Reached {
    /// Everything there was.
    End,
    /// More is there.
    More,
    /// Something that another pass tries again.
    Later,
}

impl Span {
    pub(super) fn of(view: &View, details: &RecallDetails) -> Self {
        let haste = if view.phase == Phase::Live { Haste::Live } else { Haste::Build };
        Self { after: view.checkpoint, haste, wanted: wanted(details) }
    }

    /// Whether two views read the same pages. Those that are built each take a thousand records of their own kinds,
    /// so that one with rare events is not held to the pace of one with many.
    pub(super) fn joins(&self, other: &Self) -> bool {
        self.after == other.after
            && self.haste == other.haste
            && (self.haste == Haste::Live || self.wanted == other.wanted)
    }

    pub(super) fn join(&mut self, other: Self) {
        self.wanted.extend(other.wanted);
        self.wanted.sort();
        self.wanted.dedup();
    }
}

impl Runtime {
    /// Reads pages for the views of a group while any is left of the pass; says whether more is there to be read.
    pub(super) async fn read_pages(
        &self,
        playbook: &PlaybookKey,
        (mut span, mut readers): (Span, Vec<Reader>),
        left: &AtomicUsize,
    ) -> bool {
        let mut ahead: Option<JoinHandle<Result<Events, Refusal>>> = None;
        let mut behind = false;
        loop {
            if self.stopping() || left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1)).is_err()
            {
                if let Some(ahead) = ahead {
                    ahead.abort();
                }
                return true;
            }
            let page = match ahead.take() {
                Some(ahead) => ahead.await.unwrap_or_else(|why| Err(crate::runtime::incident(&why.to_string()))),
                None => self.read_events(playbook, span.after, &span.wanted).await,
            };
            let Ok(page) = page else { return behind };
            let page = Arc::new(page);
            span.after = page.read_to;
            if !page.at_end {
                let (runtime, key, wanted) = (self.clone(), playbook.clone(), span.wanted.clone());
                let after = span.after;
                ahead = Some(tokio::spawn(async move { runtime.read_events(&key, after, &wanted).await }));
            }
            let mut folds = Vec::new();
            for Reader { view, ready } in readers.drain(..) {
                let Some(folding) = self.begin_fold(playbook, &view) else { continue };
                let (runtime, key, page, haste) = (self.clone(), playbook.clone(), page.clone(), span.haste);
                folds.push(tokio::spawn(async move {
                    let reached = runtime.fold_page(&key, &view, &ready, &page, haste).await;
                    drop(folding);
                    reached.map(|(view, reached)| (Reader { view, ready }, reached))
                }));
            }
            let until = tokio::time::Instant::now() + PATIENCE;
            for mut fold in folds {
                match tokio::time::timeout_at(until, &mut fold).await {
                    Ok(Ok(Some((reader, Reached::More)))) if reader.view.checkpoint == span.after => {
                        readers.push(reader)
                    }
                    Ok(Ok(Some((_, Reached::More)))) => behind = true,
                    Ok(Ok(Some((_, Reached::End | Reached::Later)) | None)) => {}
                    Ok(Err(why)) => tracing::error!(%why, "folding a page broke down"),
                    // Its end wakes the playbook's follower.
                    Err(_) => {
                        let (runtime, key) = (self.clone(), playbook.clone());
                        tokio::spawn(async move {
                            if let Err(why) = fold.await {
                                tracing::error!(%why, "folding a page broke down");
                            }
                            runtime.0.views.recorded(&key.text());
                        });
                    }
                }
            }
            if readers.is_empty() {
                if let Some(ahead) = ahead {
                    ahead.abort();
                }
                return behind;
            }
        }
    }

    /// Reads a page of the log as events.
    async fn read_events(&self, playbook: &PlaybookKey, after: u64, wanted: &[Wanted]) -> Result<Events, Refusal> {
        let (key, wanted, limit) = (playbook.clone(), wanted.to_vec(), self.0.settings.page_records);
        let page = self
            .read(move |history| {
                let query = PageQuery { playbook: &key, after, limit, only: Some(&wanted), content: Content::Joined };
                let page = history.page(&query)?;
                let (all, unreadable) = events(page.records);
                Ok((Events { all, read_to: page.read_to, read_to_at: page.read_to_at, at_end: !page.more }, unreadable))
            })
            .await?;
        let (page, unreadable) = page;
        for (position, why) in unreadable {
            if self.0.views.first_report(playbook, position) {
                tracing::warn!(why, position, "an event was passed over");
            }
        }
        Ok(page)
    }

    /// Folds a page into a view and writes it; `None` when nothing came of it and a later pass tries again.
    async fn fold_page(
        &self,
        playbook: &PlaybookKey,
        view: &Arc<View>,
        ready: &Ready,
        page: &Events,
        haste: Haste,
    ) -> Option<(Arc<View>, Reached)> {
        let plan = plan(&view.name, &ready.details.filters, page.all.iter().map(|(at, on, seen)| (*at, *on, seen)));
        let mut next = (**view).clone();
        if plan.events.is_empty() {
            if page.read_to == view.checkpoint && view.phase == Phase::Live {
                return Some((view.clone(), Reached::End));
            }
            let folded = Folded { view: next.view.clone(), steps: Vec::new(), halt: None };
            next.after_page(&plan, folded, page.read_to, page.read_to_at);
        } else {
            match self.0.pool.page(self.job(playbook, view, ready, &plan), haste).await {
                Ok(done) => next.after_page(&plan, folded(done), page.read_to, page.read_to_at),
                Err(PageLost::Stopping) => return None,
                Err(lost) => self.take_before(playbook, &mut next, view, ready, &plan, &lost, haste).await?,
            }
        }
        let held = next.tries != Tries::default();
        let whole = next.checkpoint >= page.read_to;
        if next.phase == Phase::Rebuilding && page.at_end && whole && !held {
            next.phase = Phase::Live;
        }
        let reached = match (next.phase == Phase::Stalled || held, page.at_end && whole) {
            (true, _) => Reached::Later,
            (false, true) => Reached::End,
            (false, false) => Reached::More,
        };
        // A page without a record of the view's kinds moved its checkpoint alone: read again after a restart, it is
        // as quick, so the view is not written for it.
        if page.all.is_empty() && next.phase == view.phase && self.0.views.row(playbook, &view.name).is_some() {
            let next = Arc::new(next);
            self.0.views.set_if_current(playbook, next.clone());
            return Some((next, reached));
        }
        Some((self.write_page(playbook, next).await?, reached))
    }

    /// A page whose worker was lost: what stands before the event at fault is folded again alone, so that it is
    /// kept, and the event counts one try.
    #[allow(clippy::too_many_arguments, reason = "all of a page that was lost")]
    async fn take_before(
        &self,
        playbook: &PlaybookKey,
        next: &mut View,
        view: &View,
        ready: &Ready,
        plan: &Plan,
        lost: &PageLost,
        haste: Haste,
    ) -> Option<()> {
        let (at, kind, error) = match lost {
            PageLost::Crashed { at } => (*at, StallKind::Crash, "The worker folding it crashed"),
            PageLost::Late { at } => (*at, StallKind::Time, "The fold ran out of its 10 seconds"),
            PageLost::Stopping => return None,
        };
        let at = at.min(plan.events.len().saturating_sub(1));
        let before = Plan { events: plan.events[..at].to_vec() };
        if !before.events.is_empty() {
            let done = self.0.pool.page(self.job(playbook, view, ready, &before), haste).await.ok()?;
            let whole = done.stop.is_none() && done.steps.len() == before.events.len();
            next.after_page(&before, folded(done), next.checkpoint, None);
            if !whole {
                return Some(());
            }
        }
        let halt = Halt { kind, error: error.into(), line: None, filter: false };
        next.lost_at(plan.events.get(at)?, halt);
        Some(())
    }

    /// A record of the log as a fold sees it.
    pub(super) async fn seen_record(
        &self,
        playbook: &PlaybookKey,
        position: u64,
    ) -> Result<Option<Arc<Seen>>, Refusal> {
        let key = playbook.clone();
        let page = self
            .read(move |history| {
                history.page(&PageQuery {
                    playbook: &key,
                    after: position.saturating_sub(1),
                    limit: 1,
                    only: None,
                    content: Content::Joined,
                })
            })
            .await?;
        Ok(events(page.records).0.into_iter().find(|(at, _, _)| *at == position).map(|(_, _, seen)| seen))
    }
}

/// The records that a function's filters can match.
fn wanted(details: &RecallDetails) -> Vec<Wanted> {
    crate::moving::wanted(details.filters.iter().map(|filter| filter.kind.as_str()))
}

/// Events with their positions and when they were recorded.
type Recorded = Vec<(u64, Moment, Arc<Seen>)>;

/// The events of records, and the positions of those that cannot be read with why.
fn events(records: Vec<Record>) -> (Recorded, Vec<(u64, String)>) {
    let (mut all, mut unreadable) = (Vec::with_capacity(records.len()), Vec::new());
    for record in records {
        let Record { id, kind, data, context, global, recorded_at, .. } = record;
        let event =
            Fact::read(&kind, data).map_err(Unseen::from).and_then(|fact| seen(&id.to_string(), &fact, &context));
        match event {
            Ok(seen) => all.push((global, recorded_at, Arc::new(seen))),
            Err(Unseen::HistoryOnly) => {}
            Err(Unseen::Unreadable(why)) => unreadable.push((global, why)),
        }
    }
    (all, unreadable)
}
