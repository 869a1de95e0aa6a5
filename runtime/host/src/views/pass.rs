//! One pass over a playbook: line its views up with its recall functions, then read pages for them.

use super::kept;
use super::read::{Reader, Span};
use crate::runtime::Runtime;
use playbook_definition::{Details, RecallDetails};
use playbook_engine::definition::Definition;
use playbook_engine::view::{Phase, View};
use playbook_history::{AppendError, Saved};
use playbook_model::definition::DefinitionType;
use playbook_model::id::PlaybookKey;
use playbook_model::limits;
use playbook_sandbox::Program;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Notify;
use tokio::task::{JoinError, JoinSet};

/// A recall function, ready to fold.
pub(crate) struct Ready {
    pub(crate) program: Program,
    pub(crate) details: RecallDetails,
}

impl Runtime {
    /// Passes over a playbook; says whether more is there to be read at once.
    ///
    /// Views that are built take their pages beside those that follow: whenever something is recorded meanwhile, the
    /// live views read it within the same pass.
    pub(super) async fn pass(&self, playbook: &PlaybookKey, woken: &Notify) -> bool {
        let Ok(definitions) = self.definitions(playbook, DefinitionType::Recall).await else { return false };
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
        // "Pages a pass": one count for all views of the playbook.
        let left = Arc::new(AtomicUsize::new(limits::PAGES_A_PASS));
        let (live, built): (Vec<_>, Vec<_>) = lined_up.into_iter().partition(|(view, _)| view.phase == Phase::Live);
        let mut builds = self.spawn_reads(playbook, self.groups(playbook, built), &left);
        let mut reads = self.spawn_reads(playbook, self.groups(playbook, live), &left);
        let mut more = false;
        loop {
            tokio::select! {
                Some(read) = reads.join_next() => more |= ended(read),
                Some(read) = builds.join_next() => more |= ended(read),
                () = woken.notified(), if reads.is_empty() && !builds.is_empty() => {
                    let now = self.definitions(playbook, DefinitionType::Recall).await;
                    if now.is_ok_and(|now| !Arc::ptr_eq(&now, &definitions)) {
                        // Something was saved: the pages that are being folded are the last of this pass.
                        left.store(0, Ordering::Relaxed);
                        more = true;
                        continue;
                    }
                    let again = definitions.active().filter_map(|(name, definition)| {
                        let view = self.0.views.get(playbook, name)?;
                        let live = view.phase == Phase::Live && view.version == definition.version;
                        live.then(|| (view, definition.clone()))
                    });
                    let groups = self.groups(playbook, again.collect());
                    reads = self.spawn_reads(playbook, groups, &left);
                }
                else => break,
            }
        }
        more && !self.stopping()
    }

    fn spawn_reads(
        &self,
        playbook: &PlaybookKey,
        groups: Vec<(Span, Vec<Reader>)>,
        left: &Arc<AtomicUsize>,
    ) -> JoinSet<bool> {
        let mut reads = JoinSet::new();
        for group in groups {
            let (runtime, playbook, left) = (self.clone(), playbook.clone(), left.clone());
            reads.spawn(async move { runtime.read_pages(&playbook, group, &left).await });
        }
        reads
    }

    /// Who reads together: the live views that stand at one place read the same pages, and so do views that are built
    /// from the same events.
    fn groups(&self, playbook: &PlaybookKey, views: Vec<(Arc<View>, Definition)>) -> Vec<(Span, Vec<Reader>)> {
        let mut groups: Vec<(Span, Vec<Reader>)> = Vec::new();
        for (view, definition) in views {
            if !matches!(view.phase, Phase::Live | Phase::Rebuilding) || self.folds(playbook, &view) {
                continue;
            }
            let ready = self.0.views.ready(playbook, &view, || ready(&definition));
            let Some(ready) = ready else { continue };
            let span = Span::of(&view, &ready.details);
            match groups.iter_mut().find(|(other, _)| other.joins(&span)) {
                Some((joined, readers)) => {
                    joined.join(span);
                    readers.push(Reader { view, ready });
                }
                None => groups.push((span, vec![Reader { view, ready }])),
            }
        }
        groups
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
        self.write(playbook, view).await
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
            view.phase = Phase::Rebuilding;
            if let Some(view) = self.write(playbook, view).await {
                views[at].0 = view;
                building += 1;
            }
        }
    }

    /// Writes a view after a page, unless its version was replaced or retired meanwhile.
    pub(super) async fn write_page(&self, playbook: &PlaybookKey, view: View) -> Option<Arc<View>> {
        let current = self.0.views.row(playbook, &view.name).is_some_and(|(version, _)| version == view.version);
        if current { self.write(playbook, view).await } else { None }
    }

    /// Writes a view where nobody wrote its row since, and keeps it as it stands.
    async fn write(&self, playbook: &PlaybookKey, view: View) -> Option<Arc<View>> {
        let view = Arc::new(view);
        let before = self.0.views.row(playbook, &view.name);
        let (history, key, row) = (self.0.history.clone(), playbook.clone(), kept::row(&view));
        let saved = tokio::task::spawn_blocking(move || history.save_view(&key, row, before)).await;
        match saved {
            Ok(Ok(Saved::Written)) => {
                self.0.views.set(playbook, view.clone(), Some((view.version, view.checkpoint)));
                Some(view)
            }
            // A page of a version that was replaced or retired meanwhile.
            Ok(Ok(Saved::Moved)) => {
                tracing::debug!(view = view.name, version = view.version, "a view has another row by now");
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
            Ok(Err(AppendError::Closed)) => {}
            Ok(Err(why)) => tracing::error!(%why, name, "a view could not be dropped"),
            Err(why) => tracing::error!(%why, "dropping a view broke down"),
        }
    }
}

/// Whether more is left to be read.
fn ended(read: Result<bool, JoinError>) -> bool {
    read.unwrap_or_else(|why| {
        tracing::error!(%why, "reading pages for views broke down");
        false
    })
}

fn ready(definition: &Definition) -> Option<Ready> {
    let details = recall_details(definition)?;
    let text = definition.saved.stripped.clone()?;
    Some(Ready { program: Program { text, first_line: details.first_line }, details })
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
