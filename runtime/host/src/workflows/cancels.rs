//! Runs that the workflow waiting for them takes back, and those that someone cancels.

use super::decide::Delivered;
use crate::runtime::Runtime;
use playbook_engine::interaction::Settled;
use playbook_engine::run::{RunState, Stream as RunStream, cancellation, cancelled};
use playbook_engine::workflow::Input;
use playbook_history::Stream;
use playbook_model::definition::DefinitionType;
use playbook_model::ending::Kind;
use playbook_model::id::{PlaybookKey, RunId};
use playbook_model::record::Fact;
use playbook_model::refusal::Refusal;
use std::collections::HashMap;
use std::sync::Mutex;
use tokio::sync::watch;

type Id = (PlaybookKey, RunId);

/// The called runs that are performed now, each with what stops it.
#[derive(Default)]
pub(crate) struct Performing(Mutex<HashMap<Id, watch::Sender<bool>>>);

impl Performing {
    /// Begins to perform a run. Dropping what comes back ends it.
    pub(crate) fn begin(&self, playbook: &PlaybookKey, run: RunId) -> Performed<'_> {
        let id = (playbook.clone(), run);
        let (stop, stopped) = watch::channel(false);
        self.0.lock().expect("no holder panics").insert(id.clone(), stop);
        Performed { of: self, id, stopped }
    }

    /// Stops a run; false when it is not performed now.
    fn stop(&self, playbook: &PlaybookKey, run: RunId) -> bool {
        let performing = self.0.lock().expect("no holder panics");
        performing.get(&(playbook.clone(), run)).is_some_and(|stop| stop.send(true).is_ok())
    }
}

/// A called run that is performed now.
pub(crate) struct Performed<'a> {
    of: &'a Performing,
    id: Id,
    stopped: watch::Receiver<bool>,
}

impl Performed<'_> {
    /// Ends when the run is to stop, and never otherwise.
    pub(crate) async fn stopped(&mut self) {
        if self.stopped.wait_for(|stopped| *stopped).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

impl Drop for Performed<'_> {
    fn drop(&mut self) {
        self.of.0.lock().expect("no holder panics").remove(&self.id);
    }
}

impl Runtime {
    /// Cancels every run that is to be cancelled, in a task of its own.
    pub(super) fn go_cancel(&self) {
        let runtime = self.clone();
        tokio::spawn(async move { runtime.cancel_wished().await });
    }

    /// Cancels every run that is to be cancelled.
    pub(super) async fn cancel_wished(&self) {
        let Ok(all) = self.read(|history| history.cancels()).await else { return };
        for (playbook, run) in all {
            if let Err(refusal) = self.cancel_called(&playbook, run).await {
                tracing::warn!(?refusal, %run, "a run was not cancelled");
            }
        }
    }

    /// Cancels a run as its own stream says that it is to be.
    async fn cancel_called(&self, playbook: &PlaybookKey, run: RunId) -> Result<(), Refusal> {
        let RunStream::Run(state) = self.run_stream(&Stream::run(playbook, run)).await? else {
            return self.forget_cancel(playbook, run).await;
        };
        let Some((kind, reason)) = state.cancel.clone() else { return Ok(()) };
        if state.ended.is_none() {
            if state.definition.kind == DefinitionType::Workflow {
                let input = Input::CancelRequested { why: kind, reason: reason.or_else(|| words(kind)) };
                self.cancel_going(playbook, run, input).await?;
            } else if self.0.performing.stop(playbook, run) {
                // It records its ending itself, and lets go of the wish then.
                return Ok(());
            } else {
                self.settle_cancelled(playbook, run, None).await?;
            }
        }
        self.forget_cancel(playbook, run).await
    }

    /// Cancels a run of a workflow; one that was called and has not begun has nothing to stop.
    pub(super) async fn cancel_going(&self, playbook: &PlaybookKey, run: RunId, wish: Input) -> Result<(), Refusal> {
        if let Delivered::Stale = self.deliver(playbook, run, wish).await? {
            let mut slot = self.0.runs.turn(playbook, run).await;
            self.settle_cancelled(playbook, run, None).await?;
            slot.loaded = None;
        }
        Ok(())
    }

    /// Ends a run as cancelled where that was asked, else with its own ending, unless it has ended already.
    pub(crate) async fn settle_cancelled(
        &self,
        playbook: &PlaybookKey,
        run: RunId,
        own: Option<Fact>,
    ) -> Result<Box<RunState>, Refusal> {
        let by = format!("playbook:{}", playbook.playbook);
        self.settle(playbook, run, &by, |state| match cancelled(state) {
            Some(ending) => Settled::Record(vec![ending]),
            None if state.ended.is_some() => Settled::Already,
            None => own.clone().map_or(Settled::Already, |fact| Settled::Record(vec![fact])),
        })
        .await
    }
}

/// Why a run that another run called was cancelled.
pub(super) fn words(kind: Kind) -> Option<String> {
    match (kind, cancellation(kind, None)) {
        (Kind::Deadline | Kind::ParentEnded, Fact::RunRejected { rejection, .. }) => Some(rejection.detail),
        _ => None,
    }
}
