//! One pass over a playbook: line its views up with its recall functions, then read pages for each.

use super::kept;
use crate::runtime::Runtime;
use playbook_definition::{Data, Details, RecallDetails};
use playbook_engine::definition::Definition;
use playbook_engine::event::{Seen, Unseen, seen};
use playbook_engine::view::{Folded, Halt, Phase, Plan, StallKind, View, plan};
use playbook_history::{AppendError, Content, PageQuery, Record, Saved, Wanted};
use playbook_model::definition::DefinitionType;
use playbook_model::id::PlaybookKey;
use playbook_model::limits;
use playbook_model::record::Fact;
use playbook_model::refusal::Refusal;
use playbook_sandbox::{Program, Stop};
use playbook_worker::{PageDone, PageEvent, PageJob, PageLost, PageStop, Step};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// A recall function, ready to fold.
pub(crate) struct Ready {
    pub(crate) program: Program,
    pub(crate) details: RecallDetails,
}

/// What reading pages for one view came to.
enum Reached {
    /// Everything there was.
    End,
    /// The pages of this pass; more are there.
    More,
    /// Something that another pass tries again.
    Later,
}

impl Runtime {
    /// Passes over a playbook; says whether more is there to be read at once.
    pub(super) async fn pass(&self, playbook: &PlaybookKey) -> bool {
        let definitions = match self.definitions(playbook, DefinitionType::Recall).await {
            Ok(definitions) => definitions,
            Err(_) => return false,
        };
        for view in self.0.views.all(playbook) {
            let gone = definitions.by_name.get(&view.name).is_none_or(|definition| definition.retired_at.is_some());
            if gone {
                self.drop_view(playbook, &view.name).await;
            }
        }
        let mut lined_up: Vec<(Arc<View>, Definition)> = Vec::new();
        for (name, definition) in definitions.active() {
            if let Some(view) = self.line_up(playbook, name, definition).await {
                lined_up.push((view, definition.clone()));
            }
        }
        self.begin_builds(playbook, &mut lined_up).await;
        let mut reads = tokio::task::JoinSet::new();
        for (view, definition) in lined_up {
            if matches!(view.phase, Phase::Live | Phase::Rebuilding) {
                let (runtime, playbook) = (self.clone(), playbook.clone());
                reads.spawn(async move { runtime.read_pages(&playbook, view, &definition).await });
            }
        }
        let mut more = false;
        while let Some(read) = reads.join_next().await {
            match read {
                Ok(Reached::More) => more = true,
                Ok(Reached::End | Reached::Later) => {}
                Err(why) => tracing::error!(%why, "reading pages for a view broke down"),
            }
        }
        more && !self.stopping()
    }

    /// The view of a function's newest version, made anew when the version is new.
    async fn line_up(&self, playbook: &PlaybookKey, name: &str, definition: &Definition) -> Option<Arc<View>> {
        let kept = self.0.views.get(playbook, name);
        if let Some(view) = &kept
            && view.version == definition.version
        {
            return kept;
        }
        let details = recall_details(definition)?;
        let view = View::new(name, definition.version, definition.saved_position, &details.initial);
        let before = kept.map(|view| (view.version, view.checkpoint));
        self.write(playbook, view, before).await
    }

    /// Lets the views that wait begin to be built, in the order they were saved, while there is room.
    async fn begin_builds(&self, playbook: &PlaybookKey, views: &mut [(Arc<View>, Definition)]) {
        let mut building = views.iter().filter(|(view, _)| view.phase == Phase::Rebuilding).count();
        let mut waiting: Vec<usize> = (0..views.len()).filter(|at| views[*at].0.phase == Phase::Waiting).collect();
        waiting.sort_by_key(|at| views[*at].0.saved_position);
        for at in waiting {
            if building >= self.0.settings.recall_max_rebuilds.max(1) {
                return;
            }
            let mut view = (*views[at].0).clone();
            let before = (view.version, view.checkpoint);
            view.phase = Phase::Rebuilding;
            if let Some(view) = self.write(playbook, view, Some(before)).await {
                views[at].0 = view;
                building += 1;
            }
        }
    }

    async fn read_pages(&self, playbook: &PlaybookKey, mut view: Arc<View>, definition: &Definition) -> Reached {
        let Some(details) = recall_details(definition) else { return Reached::End };
        let Some(text) = definition.saved.stripped.clone() else { return Reached::End };
        let ready = Ready { program: Program { text, first_line: details.first_line }, details };
        for _ in 0..limits::PAGES_A_PASS {
            if self.stopping() {
                return Reached::End;
            }
            match self.read_page(playbook, &view, &ready).await {
                Some((next, reached)) => {
                    let caught_up = matches!(reached, Reached::End);
                    view = next;
                    if caught_up || matches!(reached, Reached::Later) || view.phase == Phase::Stalled {
                        return reached;
                    }
                }
                None => return Reached::Later,
            }
        }
        Reached::More
    }

    /// Reads, folds and writes one page; `None` when nothing came of it and a later pass tries again.
    async fn read_page(&self, playbook: &PlaybookKey, view: &Arc<View>, ready: &Ready) -> Option<(Arc<View>, Reached)> {
        let wanted = wanted(&ready.details);
        let (key, after) = (playbook.clone(), view.checkpoint);
        let page = self
            .read(move |history| {
                let query = PageQuery {
                    playbook: &key,
                    after,
                    limit: limits::PAGE_RECORDS,
                    only: Some(&wanted),
                    content: Content::Joined,
                };
                Ok((history.page(&query)?, history.newest(&key)?))
            })
            .await;
        let (page, newest) = page.ok()?;
        let events = events(&page.records);
        let plan = plan(&view.name, &ready.details.filters, events.iter().map(|(p, at, seen)| (*p, *at, seen)));
        let at_end = !page.more && newest.is_none_or(|(newest, _)| page.read_to >= newest);
        let moves = page.read_to > view.checkpoint || !plan.events.is_empty();
        if !moves && view.phase == Phase::Live {
            return Some((view.clone(), Reached::End));
        }
        let mut next = (**view).clone();
        if plan.events.is_empty() {
            let folded = Folded { view: next.view.clone(), steps: Vec::new(), halt: None };
            next.after_page(&plan, folded, page.read_to, page.read_to_at);
        } else {
            match self.0.pool.page(job(playbook, view, ready, &plan)).await {
                Ok(done) => next.after_page(&plan, folded(done), page.read_to, page.read_to_at),
                Err(PageLost::Stopping) => return None,
                Err(lost) => {
                    self.take_before(playbook, &mut next, view, ready, &plan, &lost).await?;
                }
            }
        }
        let held = next.tries != playbook_engine::view::Tries::default();
        let whole = next.checkpoint >= page.read_to;
        if next.phase == Phase::Rebuilding && at_end && whole && !held {
            next.phase = Phase::Live;
        }
        let stalled = next.phase == Phase::Stalled;
        let written = self.write(playbook, next, Some((view.version, view.checkpoint))).await?;
        let reached = match (stalled || held, at_end && whole) {
            (true, _) => Reached::Later,
            (false, true) => Reached::End,
            (false, false) => Reached::More,
        };
        Some((written, reached))
    }

    /// A page whose worker was lost: what stands before the event at fault is folded again alone, so that it is
    /// kept, and the event counts one try.
    async fn take_before(
        &self,
        playbook: &PlaybookKey,
        next: &mut View,
        view: &View,
        ready: &Ready,
        plan: &Plan,
        lost: &PageLost,
    ) -> Option<()> {
        let (at, kind, error) = match lost {
            PageLost::Crashed { at } => (*at, StallKind::Crash, "The worker folding it crashed"),
            PageLost::Late { at } => (*at, StallKind::Time, "The fold ran out of its 10 seconds"),
            PageLost::Stopping => return None,
        };
        let at = at.min(plan.events.len().saturating_sub(1));
        let before = Plan { events: plan.events[..at].to_vec() };
        if !before.events.is_empty() {
            let done = self.0.pool.page(job(playbook, view, ready, &before)).await.ok()?;
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

    /// Writes a view where nobody wrote it since, and keeps it as it stands.
    async fn write(&self, playbook: &PlaybookKey, view: View, before: Option<(u32, u64)>) -> Option<Arc<View>> {
        let view = Arc::new(view);
        let (history, key, row) = (self.0.history.clone(), playbook.clone(), kept::row(&view));
        let saved = tokio::task::spawn_blocking(move || history.save_view(&key, row, before)).await;
        match saved {
            Ok(Ok(Saved::Written)) => {
                self.0.views.set(playbook, view.clone());
                Some(view)
            }
            Ok(Ok(Saved::Moved)) => {
                tracing::error!(view = view.name, "a view was written by someone else");
                None
            }
            Ok(Err(AppendError::Closed)) => None,
            Ok(Err(why)) => {
                tracing::error!(%why, view = view.name, "a view could not be written");
                None
            }
            Err(why) => {
                tracing::error!(%why, "writing a view broke down");
                None
            }
        }
    }

    async fn drop_view(&self, playbook: &PlaybookKey, name: &str) {
        let (history, key, owned) = (self.0.history.clone(), playbook.clone(), name.to_owned());
        match tokio::task::spawn_blocking(move || history.drop_view(&key, &owned)).await {
            Ok(Ok(_)) => self.0.views.forget(playbook, name),
            Ok(Err(why)) => tracing::error!(%why, name, "a view could not be dropped"),
            Err(why) => tracing::error!(%why, "dropping a view broke down"),
        }
    }

    /// A record of the log as a fold sees it.
    pub(super) async fn seen_record(&self, playbook: &PlaybookKey, position: u64) -> Result<Option<Seen>, Refusal> {
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
        Ok(events(&page.records).into_iter().find(|(at, _, _)| *at == position).map(|(_, _, seen)| seen))
    }
}

pub(crate) fn recall_details(definition: &Definition) -> Option<RecallDetails> {
    match serde_json::from_value(definition.saved.details.clone()) {
        Ok(Details::Recall(details)) => Some(details),
        Ok(_) => None,
        Err(why) => {
            tracing::error!(%why, "a recall function's details cannot be read");
            None
        }
    }
}

/// The records that a function's filters can match.
fn wanted(details: &RecallDetails) -> Vec<Wanted> {
    crate::moving::wanted(details.filters.iter().map(|filter| filter.kind.as_str()))
}

fn events(records: &[Record]) -> Vec<(u64, playbook_model::time::Moment, Seen)> {
    records
        .iter()
        .filter_map(|record| {
            let id = record.id.to_string();
            let event = Fact::read(&record.kind, record.data.clone())
                .map_err(Unseen::from)
                .and_then(|fact| seen(&id, &fact, &record.context));
            match event {
                Ok(seen) => Some((record.global, record.recorded_at, seen)),
                Err(Unseen::HistoryOnly) => None,
                Err(Unseen::Unreadable(why)) => {
                    tracing::warn!(why, "an event was passed over");
                    None
                }
            }
        })
        .collect()
}

/// The page as a worker takes it. The key names the view and its version, so that a kept sandbox is only used for both.
fn job(playbook: &PlaybookKey, view: &View, ready: &Ready, plan: &Plan) -> PageJob {
    let mut key = DefaultHasher::new();
    (playbook, &view.name, view.version).hash(&mut key);
    PageJob {
        key: key.finish(),
        program: ready.program.clone(),
        filters: expressions(&ready.details),
        schema: ready.details.view_schema.clone(),
        view: view.view.clone(),
        events: plan
            .events
            .iter()
            .map(|event| PageEvent {
                json: serde_json::to_string(&event.seen.event).expect("an event holds nothing JSON cannot"),
                clock: event.seen.time,
                ask: event.ask.clone(),
            })
            .collect(),
        page_milliseconds: limits::PAGE_MILLISECONDS,
        fold_milliseconds: limits::FOLD_MILLISECONDS,
        work: limits::FOLD_WORK,
        filter_work: limits::FILTER_WORK,
        memory: limits::FOLD_MEMORY,
    }
}

/// The expressions of a function's filters, each in its filter's place.
pub(super) fn expressions(details: &RecallDetails) -> Vec<String> {
    details.filters.iter().map(|filter| expression(&filter.data)).collect()
}

/// The expression a worker keeps in a filter's place; one without holds for everything, and is never asked.
fn expression(data: &Data) -> String {
    match data {
        Data::Expression { stripped, .. } => stripped.clone(),
        Data::None | Data::Equal(_) => "true".into(),
    }
}

fn folded(done: PageDone) -> Folded {
    Folded {
        view: done.view,
        steps: done.steps.iter().map(|step| matches!(step, Step::Folded { .. })).collect(),
        halt: done.stop.map(halt),
    }
}

/// What a worker stopped at, as the kind of stall it is.
pub(super) fn halt(stop: PageStop) -> Halt {
    let (stop, filter) = match stop {
        PageStop::Schema { pointer, detail } => {
            let place = if pointer.is_empty() { "The view itself".to_owned() } else { pointer };
            return Halt { kind: StallKind::Schema, error: format!("{place}: {detail}"), line: None, filter: false };
        }
        PageStop::Fold(stop) => (stop, false),
        PageStop::Filter(stop) => (stop, true),
    };
    let (kind, error, line) = match stop {
        Stop::Raised { message, line } => (StallKind::Raised, message, line),
        Stop::Work { budget } => (StallKind::Work, format!("It did more than {budget} checkpoints"), None),
        Stop::Memory { work } => (StallKind::Memory, format!("Its sandbox was full after {work} checkpoints"), None),
        Stop::Unfit { found, path } => (StallKind::Unfit, format!("It returned {found} at {path}"), None),
        Stop::TooDeep => {
            (StallKind::Unfit, format!("It returned a value deeper than {} levels", limits::VALUE_LEVELS), None)
        }
        Stop::TooLarge { bytes } => (StallKind::Size, format!("It returned a view of {bytes} bytes or more"), None),
        Stop::Time { milliseconds } => {
            (StallKind::Time, format!("It ran longer than {milliseconds} milliseconds"), None)
        }
        Stop::Refused { message, line } => (StallKind::Refused, message, line),
    };
    Halt { kind, error, line, filter }
}
